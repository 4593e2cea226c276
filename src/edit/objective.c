// The function that an editor minimises, f(q) = E(q) + sum of k |e_i|² / 2 over the samples, with
// e_i = x_i + rows_i q - Rᵀ (v'_i - t) in own axes, and its gradient R̃(q) + sum of k rows_iᵀ e_i.
//
// Of a free body R and t are, for each q, those that make the sum least: t takes means to means,
// and R is the rotation nearest to A = sum of k (v'_i - mean) (p_i - mean)ᵀ, p_i = x_i + rows_i q.
// The gradient needs no derivative of them (they are where theirs vanishes). Where the samples lie
// in one line, κ (3 - tr(BᵀR)) is added, with B the turn that the editor began with and κ tiny.
//
// The second derivative at rest, which the minimisation begins with: K + sum of k rows_iᵀ rows_i,
// less C G⁻¹ Cᵀ of a free body, where G and C are the parts that rigid motions have in the sum.
#include "edit/editor.h"

#include <string.h>

#define POWER_ITERATIONS 60 // of the lowest eigenvalue
#define UPRIGHT 1e-6        // κ, in k size²
#define IN_LINE 1e-9        // second moment across a line, over that along it

static const lbSubspace *subspace_of(const lbEditor *e) {
  return lb_subspace_of(e->body->prepared);
}

// ---- the lowest shape --------------------------------------------------------------------------

// Rigid motions as far as the basis has them, orthonormal: (6 x stride); how many.
static int32_t rigid_vectors(const lbEditor *e, double *vectors) {
  const lbPrepared *p = e->body->prepared;
  int32_t found = 0;
  if (!p->rigid || !lb_model_is_free(p->model)) return 0;
  for (int k = 0; k < 6; k++) {
    double *v = vectors + (size_t)found * (size_t)e->stride, before = 0;
    for (int32_t i = 0; i < e->count; i++) {
      v[i] = p->rigid[6 * (size_t)i + (size_t)k];
      before += v[i] * v[i];
    }
    for (int32_t j = 0; j < found; j++) {
      const double *w = vectors + (size_t)j * (size_t)e->stride;
      double share = lb_row_dot(e->count, v, w);
      for (int32_t i = 0; i < e->count; i++) v[i] -= share * w[i];
    }
    // Bases of shapes alone have nothing but rounding here, next to sqrt(mass).
    double left = lb_row_dot(e->count, v, v), scale = p->mass;
    if (k >= 3) scale *= e->size * e->size;
    if (!(left > 1e-12 * scale) || !(left > 1e-12 * before)) continue;
    for (int32_t i = 0; i < e->count; i++) v[i] /= sqrt(left);
    found++;
  }
  return found;
}

static void remove_parts(const lbEditor *e, int32_t count, const double *vectors, double *x) {
  for (int32_t j = 0; j < count; j++) {
    const double *v = vectors + (size_t)j * (size_t)e->stride;
    double share = lb_row_dot(e->count, x, v);
    for (int32_t i = 0; i < e->count; i++) x[i] -= share * v[i];
  }
}

// Greatest displacement of a node by coordinates x; 0: no memory.
static double reach(const lbEditor *e, const double *x) {
  const lbPrepared *p = e->body->prepared;
  int32_t nodes = p->model->size.node_count;
  lbScratch *scratch = lb_scratch_borrow(p);
  double most = 0;
  if (!scratch) return 0;
  lb_body_nodes(e->body, x, NULL, 0, nodes, scratch->call->nodes, NULL);
  for (int32_t i = 0; i < nodes; i++)
    most = fmax(most, lb_length(lb_vec3_load(scratch->call->nodes + 3 * (size_t)i)));
  lb_scratch_return(p, scratch);
  return most;
}

// λ₁ and its vector by inverse iteration; A is room for a matrix, which is spoiled.
static bool find_lowest(const lbEditor *e, double *A, double *x, double *work) {
  const lbSubspace *s = subspace_of(e);
  size_t n = (size_t)e->stride;
  double *rigid = work, *Kx = work + 6 * n, trace = 0, value = 0;
  int32_t rigid_count = rigid_vectors(e, rigid);
  memcpy(A, s->rest_stiffness, n * n * sizeof(double));
  for (size_t i = 0; i < (size_t)e->count; i++) trace += A[i * (n + 1)];
  for (size_t i = 0; i < (size_t)e->count && rigid_count; i++) A[i * (n + 1)] += 1e-13 * trace;
  if (!s->ldlt->factor(e->count, A)) return false;
  for (int32_t i = 0; i < e->count; i++) x[i] = 1 + 0.3 * (i % 7);
  for (int pass = 0; pass < POWER_ITERATIONS; pass++) {
    remove_parts(e, rigid_count, rigid, x);
    double size = sqrt(lb_row_dot(e->count, x, x));
    if (!(size > 0)) return false;
    for (int32_t i = 0; i < e->count; i++) x[i] /= size;
    if (pass + 1 < POWER_ITERATIONS) s->ldlt->solve(e->count, A, x);
  }
  lb_subspace_multiply(s, s->rest_stiffness, x, Kx);
  value = lb_row_dot(e->count, x, Kx);
  Kx[0] = value;
  return value > 0 && isfinite(value);
}

lbStatus lb_editor_measure(lbEditor *e, lbError *err) {
  const lbPrepared *p = e->body->prepared;
  size_t n = (size_t)e->stride;
  double *work = lb_alloc(8 * n, sizeof *work);
  if (!work) return lb_fail_memory(err);
  double *x = work + 7 * n;
  bool found = find_lowest(e, e->factor, x, work);
  double most = found ? reach(e, x) : 0;
  e->lowest = found ? work[6 * n] : 0;
  e->follow = LB_HANDLE_FOLLOW * e->lowest / (most * most);
  e->scale = e->lowest * e->size * e->size / (most * most);
  e->version = p->version;
  lb_free(work);
  if (found && most > 0 && isfinite(e->follow)) return LB_OK;
  return lb_fail(err, LB_ERR_NUMERIC,
                 "model \"%s\": its stiffness at rest is not positive, so no shape can be sought",
                 p->model->name);
}

// ---- the matrix at rest ------------------------------------------------------------------------

// A += a x yᵀ, the lower triangle and more.
static void add_outer(const lbEditor *e, double *A, double a, const double *x, const double *y) {
  for (int32_t j = 0; j < e->count; j++) {
    double factor = a * y[j], *column = A + (size_t)j * (size_t)e->stride;
    for (int32_t i = 0; i < e->count; i++) column[i] += factor * x[i];
  }
}

typedef struct RigidPart {
  double weight;  // sum of k
  lbVec3 mean;    // of the samples at rest
  lbMat3 moments; // sum of k (x - mean)(x - mean)ᵀ
} RigidPart;

static RigidPart rigid_part(const lbEditor *e) {
  RigidPart r = { 0, lb_vec3(0, 0, 0), lb_mat3_zero() };
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t j = 0; j < LB_HANDLES_MAX; j++) {
      const lbHandle *h = &e->handles[j];
      for (int32_t i = 0; lb_handle_acts(e, j) && i < h->sample_count; i++) {
        lbVec3 x = h->samples[i].rest;
        if (pass == 0) {
          r.weight += h->stiffness;
          r.mean = lb_add_scaled(r.mean, h->stiffness, x);
        } else {
          lbVec3 arm = lb_sub(x, r.mean);
          r.moments = lb_mat3_add(r.moments, lb_mat3_scale(h->stiffness, lb_mat3_outer(arm, arm)));
        }
      }
    }
    if (pass == 0 && r.weight > 0) r.mean = lb_scale(1 / r.weight, r.mean);
  }
  return r;
}

// Subtracts C G⁻¹ Cᵀ. C is (6 x stride) in `C`, of shifts, then of turns about the mean.
static void remove_rigid(const lbEditor *e, const RigidPart *r, double *A, double *C) {
  size_t n = (size_t)e->stride;
  memset(C, 0, 6 * n * sizeof(double));
  for (int32_t j = 0; j < LB_HANDLES_MAX; j++) {
    const lbHandle *h = &e->handles[j];
    for (int32_t i = 0; lb_handle_acts(e, j) && i < h->sample_count; i++) {
      const double *rows = h->samples[i].rows;
      lbVec3 arm = lb_sub(h->samples[i].rest, r->mean);
      const double x[3] = { arm.x, arm.y, arm.z };
      for (int32_t k = 0; k < e->count; k++)
        for (int c = 0; c < 3; c++) {
          int d = (c + 1) % 3, f = (c + 2) % 3; // turn about c: arm x row
          C[(size_t)c * n + (size_t)k] += h->stiffness * rows[(size_t)c * n + (size_t)k];
          C[(size_t)(3 + c) * n + (size_t)k] +=
              h->stiffness *
              (x[d] * rows[(size_t)f * n + (size_t)k] - x[f] * rows[(size_t)d * n + (size_t)k]);
        }
    }
  }
  for (int c = 0; c < 3; c++) add_outer(e, A, -1 / r->weight, C + (size_t)c * n, C + (size_t)c * n);
  double spread = lb_mat3_trace(r->moments) + 2 * e->upright;
  lbMat3 inertia = lb_mat3_sub(lb_mat3_diagonal(spread, spread, spread), r->moments);
  lbMat3 inverse = lb_mat3_inverse(inertia);
  for (int c = 0; c < 3; c++)
    for (int d = 0; d < 3; d++)
      add_outer(e, A, -inverse.m[3 * c + d], C + (size_t)(3 + c) * n, C + (size_t)(3 + d) * n);
}

// Whether some rotation moves no sample: all lie in one line.
static bool leaves_turn_open(const RigidPart *r) {
  lbSvd3 svd = lb_svd3(r->moments);
  return !(svd.s[1] > IN_LINE * svd.s[0]);
}

static void assemble_rigid_part(const lbEditor *e, const RigidPart *r, double *A, double *C) {
  size_t n = (size_t)e->stride;
  memcpy(A, subspace_of(e)->rest_stiffness, n * n * sizeof(double));
  for (int32_t j = 0; j < LB_HANDLES_MAX; j++) {
    const lbHandle *h = &e->handles[j];
    for (int32_t i = 0; lb_handle_acts(e, j) && i < h->sample_count; i++)
      for (size_t c = 0; c < 3; c++) {
        const double *row = h->samples[i].rows + c * n;
        add_outer(e, A, h->stiffness, row, row);
      }
  }
  if (e->is_free && r->weight > 0) remove_rigid(e, r, A, C);
}

void lb_editor_factor(lbEditor *e) {
  const lbSubspace *s = subspace_of(e);
  size_t n = (size_t)e->stride;
  RigidPart r = rigid_part(e);
  e->upright = 0;
  if (e->is_free && r.weight > 0 && leaves_turn_open(&r))
    e->upright = UPRIGHT * r.weight * e->size * e->size;
  // Rigid motions that are in the basis of a free body have no stiffness: ε M is added to it.
  double shift = lb_model_is_free(e->body->prepared->model) ? 1e-6 * e->lowest : 0;
  for (int attempt = 0; attempt < 20; attempt++) {
    assemble_rigid_part(e, &r, e->factor, e->bfgs.s); // the pairs are forgotten
    for (size_t i = 0; i < (size_t)e->count; i++) e->factor[i * (n + 1)] += shift;
    if (s->ldlt->factor(e->count, e->factor) && lb_ldlt_negative_count(e->count, e->factor) == 0)
      break;
    shift = shift > 0 ? 100 * shift : 1e-6 * e->lowest;
  }
  lb_bfgs_forget(&e->bfgs);
}

void lb_editor_precondition(void *context, double *b) {
  lbEditor *e = context;
  subspace_of(e)->ldlt->solve(e->count, e->factor, b);
}

// ---- value and gradient ------------------------------------------------------------------------

// e->places <- positions of the samples, own axes.
static void place_samples(lbEditor *e, const double *q) {
  size_t n = (size_t)e->stride;
  lbVec3 *place = e->places;
  for (int32_t j = 0; j < LB_HANDLES_MAX; j++) {
    const lbHandle *h = &e->handles[j];
    for (int32_t i = 0; lb_handle_acts(e, j) && i < h->sample_count; i++) {
      const lbHandleSample *sample = &h->samples[i];
      lbVec3 moved =
          lb_vec3(lb_row_dot(e->count, sample->rows, q), lb_row_dot(e->count, sample->rows + n, q),
                  lb_row_dot(e->count, sample->rows + 2 * n, q));
      *place++ = lb_add(sample->rest, moved);
    }
  }
}

// The frame that brings the samples nearest to their targets; returns κ (3 - tr(BᵀR)).
static double fit_rigid_frame(lbEditor *e) {
  lbVec3 from = lb_vec3(0, 0, 0), to = from;
  double weight = 0;
  lbMat3 A = lb_mat3_zero();
  for (int pass = 0; pass < 2; pass++) {
    const lbVec3 *place = e->places;
    for (int32_t j = 0; j < LB_HANDLES_MAX; j++) {
      const lbHandle *h = &e->handles[j];
      for (int32_t i = 0; lb_handle_acts(e, j) && i < h->sample_count; i++, place++) {
        lbVec3 target = h->samples[i].target;
        if (pass == 0) {
          weight += h->stiffness;
          from = lb_add_scaled(from, h->stiffness, *place);
          to = lb_add_scaled(to, h->stiffness, target);
        } else {
          A = lb_mat3_add(A, lb_mat3_scale(h->stiffness, lb_mat3_outer(lb_sub(target, to),
                                                                       lb_sub(*place, from))));
        }
      }
    }
    if (!(weight > 0)) return 0;
    if (pass == 0) from = lb_scale(1 / weight, from), to = lb_scale(1 / weight, to);
  }
  if (e->upright > 0) A = lb_mat3_add(A, lb_mat3_scale(e->upright, e->base_turn));
  lb_polar3(A, &e->turn, NULL);
  e->position = lb_sub(to, lb_mat3_apply(e->turn, from));
  if (!(e->upright > 0)) return 0;
  double trace = lb_mat3_trace(lb_mat3_multiply(lb_mat3_transpose(e->base_turn), e->turn));
  return e->upright * (3 - trace);
}

double lb_editor_value(void *context, const double *q, double *gradient) {
  lbEditor *e = context;
  const lbSubspace *s = subspace_of(e);
  size_t n = (size_t)e->stride;
  e->elastic = s->forces->force(s->force_data, q, gradient, e->force);
  if (!isfinite(e->elastic)) return INFINITY;
  place_samples(e, q);
  double sum = e->is_free ? fit_rigid_frame(e) : 0;
  const lbVec3 *place = e->places;
  for (int32_t j = 0; j < LB_HANDLES_MAX; j++) {
    const lbHandle *h = &e->handles[j];
    for (int32_t i = 0; lb_handle_acts(e, j) && i < h->sample_count; i++, place++) {
      const lbHandleSample *sample = &h->samples[i];
      lbVec3 wanted = lb_mat3_apply_transpose(e->turn, lb_sub(sample->target, e->position));
      lbVec3 off = lb_sub(*place, wanted), pull = lb_scale(h->stiffness, off);
      sum += 0.5 * lb_dot(pull, off);
      for (int32_t k = 0; k < e->count; k++)
        gradient[k] += pull.x * sample->rows[k] + pull.y * sample->rows[n + (size_t)k] +
                       pull.z * sample->rows[2 * n + (size_t)k];
    }
  }
  return e->elastic + sum;
}

double lb_editor_sample_error(const lbEditor *e, double *asked) {
  const lbVec3 *place = e->places;
  double worst = 0;
  *asked = 0;
  for (int32_t j = 0; j < LB_HANDLES_MAX; j++) {
    const lbHandle *h = &e->handles[j];
    for (int32_t i = 0; lb_handle_acts(e, j) && i < h->sample_count; i++, place++) {
      const lbHandleSample *sample = &h->samples[i];
      lbVec3 wanted = lb_mat3_apply_transpose(e->turn, lb_sub(sample->target, e->position));
      worst = fmax(worst, lb_length(lb_sub(*place, wanted)));
      *asked = fmax(*asked, lb_length(lb_sub(sample->rest, wanted)));
    }
  }
  return worst;
}
