// Between the axes of an unreduced body and those of its simulator (full.h), the frame that is
// fitted to a free body, and what it reports.
#include "full/full.h"

#include <string.h>

// A node that cannot move in its frame: fixed, or of no element.
static bool is_held(const lbFem *fem, size_t node) { return fem->node_of_vertex[node] < 0; }

static lbVec3 place_of(const lbFem *fem, const double *u, size_t node) {
  return lb_add(lb_vec3_load(fem->positions + 3 * node), lb_vec3_load(u + 3 * node));
}

static lbVec3 apply(const lbPlacement *T, lbVec3 x) {
  return lb_add(T->position, lb_quat_rotate(T->rotation, x));
}

static lbVec3 unapply(const lbPlacement *T, lbVec3 x) {
  return lb_quat_rotate(lb_quat_conjugate(T->rotation), lb_sub(x, T->position));
}

lbPlacement lb_placement_between(const lbPlacement *T, lbVec3 position0, lbQuat rotation0,
                                 lbVec3 position1, lbQuat rotation1) {
  lbQuat back = lb_quat_conjugate(rotation0);
  lbVec3 moved = lb_quat_rotate(back, lb_sub(position1, position0));
  lbQuat turned = lb_quat_multiply(back, rotation1);
  return (lbPlacement){ apply(T, moved), lb_quat_normalise(lb_quat_multiply(T->rotation, turned)),
                        false };
}

lbFrameRates lb_full_rates(const lbBody *body) {
  const lbFrameState *f = &body->frame;
  return (lbFrameRates){ lb_mat3_apply_transpose(f->turn, f->velocity),
                         lb_mat3_apply_transpose(f->turn, f->spin) };
}

static bool is_zero(lbVec3 a) { return a.x == 0 && a.y == 0 && a.z == 0; }

static bool stands(const lbFrameRates *frame) {
  return is_zero(frame->velocity) && is_zero(frame->spin);
}

// ---- places ------------------------------------------------------------------------------------

void lb_full_to_own(const lbBody *body, const lbPlacement *T, const double *u, double *q) {
  const lbFem *fem = lb_full_shared(body->prepared)->fem;
  memset(q, 0, (size_t)body->prepared->padded * sizeof *q);
  for (size_t n = 0; n < (size_t)fem->vertex_count; n++) {
    if (is_held(fem, n)) continue;
    lbVec3 X = lb_vec3_load(fem->positions + 3 * n);
    lb_vec3_store(q + 3 * n, T->identity ? lb_vec3_load(u + 3 * n)
                                         : lb_sub(unapply(T, place_of(fem, u, n)), X));
  }
}

void lb_full_from_own(const lbBody *body, const lbPlacement *T, const double *q, double *u) {
  const lbFem *fem = lb_full_shared(body->prepared)->fem;
  for (size_t n = 0; n < (size_t)fem->vertex_count; n++) {
    lbVec3 X = lb_vec3_load(fem->positions + 3 * n);
    lbVec3 own = is_held(fem, n) ? lb_vec3(0, 0, 0) : lb_vec3_load(q + 3 * n);
    lb_vec3_store(u + 3 * n, T->identity ? own : lb_sub(apply(T, lb_add(X, own)), X));
  }
}

// ---- velocities --------------------------------------------------------------------------------

// Of a place that moves with the frame, in the simulator's axes.
static lbVec3 carried(const lbBody *body, const lbPlacement *T, const lbFrameRates *frame,
                      lbVec3 place) {
  lbVec3 arm = lb_sub(unapply(T, place), body->prepared->centre);
  return lb_quat_rotate(T->rotation, lb_add(frame->velocity, lb_cross(frame->spin, arm)));
}

void lb_full_rates_to_own(const lbBody *body, const lbPlacement *T, const lbFrameRates *frame,
                          const double *u, const double *v, double *rates) {
  const lbFem *fem = lb_full_shared(body->prepared)->fem;
  lbQuat back = lb_quat_conjugate(T->rotation);
  bool plain = T->identity && stands(frame);
  memset(rates, 0, (size_t)body->prepared->padded * sizeof *rates);
  for (size_t n = 0; n < (size_t)fem->vertex_count; n++) {
    if (is_held(fem, n)) continue;
    lbVec3 rate = lb_vec3_load(v + 3 * n);
    if (!plain)
      rate = lb_quat_rotate(back, lb_sub(rate, carried(body, T, frame, place_of(fem, u, n))));
    lb_vec3_store(rates + 3 * n, rate);
  }
}

void lb_full_rates_from_own(const lbBody *body, const lbPlacement *T, const lbFrameRates *frame,
                            const double *u, const double *rates, double *v) {
  const lbFem *fem = lb_full_shared(body->prepared)->fem;
  bool plain = T->identity && stands(frame);
  for (size_t n = 0; n < (size_t)fem->vertex_count; n++) {
    lbVec3 rate = is_held(fem, n) ? lb_vec3(0, 0, 0) : lb_vec3_load(rates + 3 * n);
    if (!plain)
      rate =
          lb_add(lb_quat_rotate(T->rotation, rate), carried(body, T, frame, place_of(fem, u, n)));
    lb_vec3_store(v + 3 * n, rate);
  }
}

// ---- forces ------------------------------------------------------------------------------------

static void turn_all(const lbBody *body, const lbPlacement *T, lbQuat turn, const double *from,
                     double *to) {
  size_t count = (size_t)body->prepared->dimension;
  if (T->identity) {
    memmove(to, from, count * sizeof *to);
    return;
  }
  for (size_t i = 0; i < count; i += 3)
    lb_vec3_store(to + i, lb_quat_rotate(turn, lb_vec3_load(from + i)));
}

void lb_full_turn(const lbBody *body, const lbPlacement *T, const double *own, double *to) {
  turn_all(body, T, T->rotation, own, to);
}

void lb_full_turn_back(const lbBody *body, const lbPlacement *T, const double *from, double *own) {
  turn_all(body, T, lb_quat_conjugate(T->rotation), from, own);
}

// ---- the frame of a free body ------------------------------------------------------------------

static lbVec3 centre_of(const lbFem *fem, const double *u) {
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (size_t n = 0; n < (size_t)fem->vertex_count; n++)
    sum = lb_add_scaled(sum, fem->vertex_masses[n] / fem->total_mass, place_of(fem, u, n));
  return sum;
}

// The inertia about a centre, by the angular momenta of three unit spins; `work` is a full vector.
static lbMat3 inertia_about(const lbFem *fem, lbVec3 c, const double *u, double *work) {
  lbMat3 J;
  for (int k = 0; k < 3; k++) {
    double linear[3], angular[3];
    lbVec3 spin = lb_vec3(k == 0, k == 1, k == 2);
    for (size_t n = 0; n < (size_t)fem->vertex_count; n++)
      lb_vec3_store(work + 3 * n, lb_cross(spin, lb_sub(place_of(fem, u, n), c)));
    lb_fem_momentum(fem, u, work, linear, angular);
    lbVec3 L = lb_sub(lb_vec3_load(angular), lb_cross(c, lb_vec3_load(linear)));
    J.m[k] = L.x, J.m[3 + k] = L.y, J.m[6 + k] = L.z;
  }
  return J;
}

// The rotation of the polar decomposition of Σ m (x − c)(X − C)ᵀ.
static lbMat3 nearest_turn(const lbBody *body, const double *u, lbVec3 c) {
  const lbFem *fem = lb_full_shared(body->prepared)->fem;
  lbMat3 A = lb_mat3_zero(), R;
  for (size_t n = 0; n < (size_t)fem->vertex_count; n++) {
    lbVec3 X = lb_sub(lb_vec3_load(fem->positions + 3 * n), body->prepared->centre);
    lbVec3 r = lb_sub(place_of(fem, u, n), c);
    A = lb_mat3_add(A, lb_mat3_scale(fem->vertex_masses[n], lb_mat3_outer(r, X)));
  }
  lb_polar3(A, &R, NULL);
  return R;
}

// Where the simulator's axes are in the world: F T⁻¹.
static lbPlacement base_of(const lbBody *body) {
  const lbPlacement *T = &lb_full_state(body)->T;
  lbQuat turn =
      lb_quat_normalise(lb_quat_multiply(body->frame.rotation, lb_quat_conjugate(T->rotation)));
  return (lbPlacement){ lb_sub(body->frame.position, lb_quat_rotate(turn, T->position)), turn,
                        false };
}

// v = P/m and ω = J⁻¹ L about the centre.
void lb_full_fit_frame(lbBody *body, lbScratch *scratch) {
  const lbFem *fem = lb_full_shared(body->prepared)->fem;
  lbFullState *state = lb_full_state(body);
  lbFrameState *f = &body->frame;
  const double *u = state->rows.u;
  double linear[3], angular[3];
  lbPlacement base = base_of(body);
  lbVec3 c = centre_of(fem, u);
  lb_fem_momentum(fem, u, state->rows.v, linear, angular);
  lbVec3 P = lb_vec3_load(linear), L = lb_sub(lb_vec3_load(angular), lb_cross(c, P));
  lbMat3 turn = nearest_turn(body, u, c), J = inertia_about(fem, c, u, scratch->nodes);
  state->T = (lbPlacement){ lb_sub(c, lb_mat3_apply(turn, body->prepared->centre)),
                            lb_quat_from_mat3(turn), false };
  f->position = apply(&base, state->T.position);
  f->rotation = lb_quat_normalise(lb_quat_multiply(base.rotation, state->T.rotation));
  f->turn = lb_quat_to_mat3(f->rotation);
  f->velocity = lb_quat_rotate(base.rotation, lb_scale(1 / fem->total_mass, P));
  f->spin = lb_quat_rotate(base.rotation, lb_inertia_solve(J, L));
}

// ---- the report --------------------------------------------------------------------------------

static double elastic_of(const lbBody *body) {
  const lbFullState *state = lb_full_state(body);
  lbEvaluation found = { 0 };
  if (!isnan(state->rows.elastic)) return state->rows.elastic;
  (void)lb_fem_evaluate(lb_full_shared(body->prepared)->fem, state->rows.u, NULL, NULL, NULL,
                        &found, NULL);
  return found.energy;
}

void lb_full_report(const lbBody *body, lbBodyReport *report, lbScratch *scratch) {
  const lbFem *fem = lb_full_shared(body->prepared)->fem;
  const lbFullState *state = lb_full_state(body);
  double linear[3], angular[3], kinetic = 0;
  lbPlacement base = base_of(body);
  const double *v = state->rows.v;
  lb_fem_momentum(fem, state->rows.u, v, linear, angular);
  if (!lb_fem_mass_product(fem, v, scratch->nodes, NULL))
    kinetic = 0.5 * lb_row_dot(3 * fem->vertex_count, v, scratch->nodes);
  report->kinetic = kinetic;
  report->elastic = elastic_of(body);
  report->centre = apply(&base, centre_of(fem, state->rows.u));
  report->linear_momentum = lb_quat_rotate(base.rotation, lb_vec3_load(linear));
  report->angular_momentum = lb_add(lb_quat_rotate(base.rotation, lb_vec3_load(angular)),
                                    lb_cross(base.position, report->linear_momentum));
}
