// Systems over the frames of a body, six numbers a frame, by their lower triangles.
//
// Up to LB_FRAMES_DENSE frames they are factored whole, by LDLᵀ. Of more frames most pairs have
// nothing to do with each other: only blocks of pairs that act together somewhere are looked at,
// and systems are solved by conjugate gradients, with the blocks of frames alone as a
// preconditioner, to a residual of LB_SUM_ROUNDING of the right
// side in the norm of the preconditioner and in at most LB_GRADIENTS_MAX iterations.
#include "method/frames/frames.h"
#include "method/limits.h"

#include <string.h>

static bool is_dense(const lbFramesShared *shared) { return shared->count <= LB_FRAMES_DENSE; }

// ---- pairs -------------------------------------------------------------------------------------

static void mark_frames_solve(const lbFrameSamples *samples, int32_t count, uint8_t *marks) {
  for (int32_t k = 0; k < samples->pair_count; k++) {
    size_t i = (size_t)samples->pairs[k].first, j = (size_t)samples->pairs[k].second;
    if (i < j) marks[j * (size_t)count + i] = 1;
  }
}

lbStatus lb_frames_find_pairs(lbFramesShared *shared, lbError *err) {
  size_t count = (size_t)shared->count;
  uint8_t *marks = lb_alloc(count * count, 1);
  if (!marks) return lb_fail_memory(err);
  mark_frames_solve(shared->samples, shared->count, marks);
  mark_frames_solve(shared->node_samples, shared->count, marks);
  for (size_t k = 0; k < count * count; k++) shared->pair_count += marks[k];
  shared->pairs = lb_alloc((size_t)shared->pair_count + 1, sizeof *shared->pairs);
  lbFramePair *to = shared->pairs;
  for (size_t k = 0; k < count * count && to; k++)
    if (marks[k]) *to++ = (lbFramePair){ (int32_t)(k % count), (int32_t)(k / count) };
  lb_free(marks);
  return shared->pairs ? LB_OK : lb_fail_memory(err);
}

// ---- matrices ----------------------------------------------------------------------------------

// y += s A x for a block of the lower triangle, column by column, and for its mirror image; a
// frame's own block has its lower triangle alone.
static void add_block_frames_solve(size_t stride, const double *block, bool own, double s,
                                   const double *xi, const double *xj, double *yi, double *yj) {
  for (size_t c = 0; c < 6; c++) {
    const double *column = block + stride * c;
    for (size_t a = own ? c : 0; a < 6; a++) {
      yj[a] += s * column[a] * xi[c];
      if (!own || a > c) yi[c] += s * column[a] * xj[a];
    }
  }
}

static void add_dense_product(int32_t n, double s, const double *A, const double *x, double *y) {
  for (int32_t j = 0; j < n; j++) {
    const double *column = A + (size_t)n * (size_t)j;
    double sum = column[j] * x[j], by = s * x[j];
    for (int32_t i = j + 1; i < n; i++) y[i] += by * column[i], sum += column[i] * x[i];
    y[j] += s * sum;
  }
}

void lb_frames_add_own_product(const lbFramesShared *shared, double s, const double *A,
                               const double *x, double *y) {
  size_t n = 6 * (size_t)shared->count;
  for (size_t i = 0; i < n; i += 6)
    add_block_frames_solve(n, A + i * (n + 1), true, s, x + i, x + i, y + i, y + i);
}

void lb_frames_add_product(const lbFramesShared *shared, double s, const double *A, const double *x,
                           double *y) {
  size_t n = 6 * (size_t)shared->count;
  if (is_dense(shared)) {
    add_dense_product((int32_t)n, s, A, x, y);
    return;
  }
  lb_frames_add_own_product(shared, s, A, x, y);
  for (int32_t k = 0; k < shared->pair_count; k++) {
    size_t i = 6 * (size_t)shared->pairs[k].first, j = 6 * (size_t)shared->pairs[k].second;
    add_block_frames_solve(n, A + j + n * i, false, s, x + i, x + j, y + i, y + j);
  }
}

void lb_frames_combine(int32_t count, double a, const double *x, double b, const double *y,
                       double *to) {
  size_t n = 6 * (size_t)count, padded = (size_t)lb_ldlt_padded((int32_t)n);
  for (size_t j = 0; j < n; j++) {
    const double *own = x + n * j, *other = y ? y + n * j : NULL;
    double *column = to + padded * j;
    for (size_t i = j; i < n && !y; i++) column[i] = a * own[i];
    for (size_t i = j; i < n && y; i++) column[i] = a * own[i] + b * other[i];
  }
}

// inverse (6 x 6) of the block of a frame alone; false: not positive.
static bool invert_block(size_t stride, const double *block, double *inverse) {
  double L[36] = { 0 };
  for (size_t c = 0; c < 6; c++) // Cholesky
    for (size_t a = c; a < 6; a++) {
      double sum = block[a + stride * c];
      for (size_t k = 0; k < c; k++) sum -= L[6 * a + k] * L[6 * c + k];
      if (a == c && !(sum > 0)) return false;
      L[6 * a + c] = a == c ? sqrt(sum) : sum / L[7 * c];
    }
  for (size_t e = 0; e < 6; e++) { // columns of the inverse
    double *x = inverse + 6 * e;
    for (size_t a = 0; a < 6; a++) {
      x[a] = a == e;
      for (size_t k = 0; k < a; k++) x[a] -= L[6 * a + k] * x[k];
      x[a] /= L[7 * a];
    }
    for (size_t a = 6; a-- > 0;) {
      for (size_t k = a + 1; k < 6; k++) x[a] -= L[6 * k + a] * x[k];
      x[a] /= L[7 * a];
    }
  }
  return true;
}

bool lb_frames_factor(const lbFramesShared *shared, const bool *prescribed, double *matrix) {
  int32_t n = 6 * shared->count;
  size_t padded = (size_t)lb_ldlt_padded(n);
  double inverse[36];
  for (int32_t k = 0; k < n && prescribed; k++) {
    if (!prescribed[k / 6]) continue;
    for (int32_t j = 0; j < k; j++) matrix[(size_t)k + padded * (size_t)j] = 0;
    for (int32_t i = k; i < n; i++) matrix[(size_t)i + padded * (size_t)k] = i == k;
  }
  if (is_dense(shared))
    return shared->ldlt->factor(n, matrix) && lb_ldlt_negative_count(n, matrix) == 0;
  for (size_t i = 0; i < (size_t)n; i += 6)
    if (!invert_block(padded, matrix + i * (padded + 1), inverse)) return false;
  return true;
}

// ---- conjugate gradients -----------------------------------------------------------------------

typedef struct Gradients {
  const lbFramesShared *shared;
  double *own, *inverse, *blocks; // (frames x 36), (frames x 36), (pairs x 36)
  double *r, *z, *p, *Ap;         // (6 frames)
} Gradients;

static double *take_frames_solve(double **room, size_t count) {
  double *here = *room;
  *room += count;
  return here;
}

static void copy_block(size_t stride, const double *from, double *to) {
  for (size_t c = 0; c < 6; c++) memcpy(to + 6 * c, from + stride * c, 6 * sizeof *to);
}

static bool begin_frames_solve(const lbFramesShared *shared, const double *matrix, double *room,
                               Gradients *g) {
  size_t count = (size_t)shared->count, n = 6 * count;
  size_t padded = (size_t)lb_ldlt_padded((int32_t)n);
  *g = (Gradients){ .shared = shared };
  g->own = take_frames_solve(&room, 36 * count), g->inverse = take_frames_solve(&room, 36 * count);
  g->blocks = take_frames_solve(&room, 36 * (size_t)shared->pair_count);
  g->r = take_frames_solve(&room, n), g->z = take_frames_solve(&room, n),
  g->p = take_frames_solve(&room, n), g->Ap = take_frames_solve(&room, n);
  for (size_t i = 0; i < count; i++) {
    const double *block = matrix + 6 * i * (padded + 1);
    copy_block(padded, block, g->own + 36 * i);
    if (!invert_block(padded, block, g->inverse + 36 * i)) return false;
  }
  for (size_t k = 0; k < (size_t)shared->pair_count; k++) {
    size_t i = 6 * (size_t)shared->pairs[k].first, j = 6 * (size_t)shared->pairs[k].second;
    copy_block(padded, matrix + j + padded * i, g->blocks + 36 * k);
  }
  return true;
}

static void multiply_frames_solve(const Gradients *g, const double *x, double *y) {
  const lbFramesShared *shared = g->shared;
  memset(y, 0, 6 * (size_t)shared->count * sizeof *y);
  for (size_t i = 0; i < (size_t)shared->count; i++)
    add_block_frames_solve(6, g->own + 36 * i, true, 1, x + 6 * i, x + 6 * i, y + 6 * i, y + 6 * i);
  for (size_t k = 0; k < (size_t)shared->pair_count; k++) {
    size_t i = 6 * (size_t)shared->pairs[k].first, j = 6 * (size_t)shared->pairs[k].second;
    add_block_frames_solve(6, g->blocks + 36 * k, false, 1, x + i, x + j, y + i, y + j);
  }
}

static void precondition_frames_solve(const Gradients *g, const double *r, double *z) {
  for (size_t i = 0; i < (size_t)g->shared->count; i++)
    for (size_t a = 0; a < 6; a++) {
      double sum = 0;
      for (size_t c = 0; c < 6; c++) sum += g->inverse[36 * i + 6 * a + c] * r[6 * i + c];
      z[6 * i + a] = sum;
    }
}

static double dot_frames_solve(size_t n, const double *a, const double *b) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// x <- A⁻¹ x
static bool solve_by_gradients(const Gradients *g, double *x) {
  size_t n = 6 * (size_t)g->shared->count;
  memcpy(g->r, x, n * sizeof *x);
  memset(x, 0, n * sizeof *x);
  precondition_frames_solve(g, g->r, g->z);
  memcpy(g->p, g->z, n * sizeof *x);
  double rz = dot_frames_solve(n, g->r, g->z), goal = LB_SUM_ROUNDING * LB_SUM_ROUNDING * rz;
  for (int k = 0; k < LB_GRADIENTS_MAX && rz > goal; k++) {
    multiply_frames_solve(g, g->p, g->Ap);
    double curvature = dot_frames_solve(n, g->p, g->Ap);
    if (!(curvature > 0)) return false;
    double along = rz / curvature, before = rz;
    for (size_t i = 0; i < n; i++) x[i] += along * g->p[i], g->r[i] -= along * g->Ap[i];
    precondition_frames_solve(g, g->r, g->z);
    rz = dot_frames_solve(n, g->r, g->z);
    for (size_t i = 0; i < n; i++) g->p[i] = g->z[i] + rz / before * g->p[i];
  }
  return true;
}

bool lb_frames_solve(const lbFramesShared *shared, const double *factor, double *room, double *x) {
  int32_t n = 6 * shared->count;
  if (is_dense(shared)) {
    shared->ldlt->solve(n, factor, x);
    return true;
  }
  Gradients g;
  memset(x + n, 0, (size_t)(lb_ldlt_padded(n) - n) * sizeof *x);
  return begin_frames_solve(shared, factor, room, &g) && solve_by_gradients(&g, x);
}
