// A step of a warped body: forces and their matrix K̂ at its start, one linear system for w, the
// velocity at its end by implicit Euler (θ = h), twice the mean one by Newmark's rule (θ = h/2,
// which is β = ¼, γ = ½),
//
//   (M + θ D + θ² K̂) w = (h/θ) M v₀ + h (F − f(x₀)),   D = α M + β K̂,
//   x₁ = x₀ + θ w,   v₁ = w − (h/θ − 1) v₀.
//
// F held over the step, or for Newmark's rule the mean of the forces at its ends. Nodes that are
// held take part with velocities that bring them where the frame says.
//
// Momenta of a free body: by vertices f has a resultant and a torque of its own ("ghost forces"),
// and implicit Euler does not keep angular momentum. After the solution, and before x₁, velocities
// get the rigid motion that makes momenta change by external forces alone; with y = x₁ − θ v₁,
// Σ x₁ × m v₁ = Σ y × m v₁, so that it is exact. Responses are made to keep them, too: the rigid
// part of a force moves the body rigidly, the rest deforms it, and the response stays symmetric.
#include "method/warp/cores.h"
#include "method/limits.h"

#include "body/constraints.h"
#include "body/hand_rows.h"
#include "warp/cores.h"

#include <string.h>

enum {
  // Of a body that others touch: forces of what is 1 000 times heavier nearly cancel, and what the
  // solver leaves of them must be small.
  TOUCHED_ITERATIONS = 100,
  CORES_AGAIN_MAX = 3, // more linearisations for cores
};

static bool is_driven_warp_step(const lbBody *body) { return body->frame.kind == LB_FRAME_DRIVEN; }

static void add_to_lane(const lbWarpBodyWork *w, double *lanes, size_t node, lbVec3 a) {
  double *to = lanes + lb_warp_lane(w, node);
  to[0] += a.x, to[LB_BATCH] += a.y, to[2 * LB_BATCH] += a.z;
}

// ---- rigid motion of a free body ---------------------------------------------------------------

typedef struct Rigid {
  lbVec3 linear, angular;
} Rigid;

// Σ m x and Σ (y − c) × m x, without m for forces.
static Rigid sum_of_warp_step(const lbWhole *whole, const lbWarpBodyWork *w, bool force,
                              const double *x) {
  Rigid sum = { { 0, 0, 0 }, { 0, 0, 0 } };
  for (size_t n = 0; n < (size_t)whole->node_count; n++) {
    lbVec3 p = lb_scale(force ? 1 : whole->masses[n], lb_warp_lane_vector(w, x, n));
    sum.linear = lb_add(sum.linear, p);
    sum.angular =
        lb_add(sum.angular, lb_cross(lb_sub(lb_warp_lane_vector(w, w->y, n), w->centre), p));
  }
  return sum;
}

// The motion that has these momenta, of the masses at y.
static Rigid motion_of_warp_step(const lbWhole *whole, const lbWarpBodyWork *w, Rigid momenta) {
  return (Rigid){ lb_scale(1 / whole->mass, momenta.linear),
                  lb_inertia_solve(w->inertia, momenta.angular) };
}

// x += share times a rigid motion, times m for forces.
static void add_motion_warp_step(const lbWhole *whole, const lbWarpBodyWork *w, bool force,
                                 double share, Rigid motion, double *x) {
  for (size_t n = 0; n < (size_t)whole->node_count; n++) {
    lbVec3 arm = lb_sub(lb_warp_lane_vector(w, w->y, n), w->centre);
    lbVec3 v = lb_add(motion.linear, lb_cross(motion.angular, arm));
    add_to_lane(w, x, n, lb_scale(share * (force ? whole->masses[n] : 1), v));
  }
}

// y, its centre and its inertia; of cores x is y already.
static void find_arms_warp_step(const lbBody *body, double h, lbWarpBodyWork *w) {
  const lbWhole *whole = lb_warp_whole(body);
  lbMat3 X = lb_mat3_zero();
  lbVec3 c = lb_vec3(0, 0, 0);
  const lbWarp *warp = lb_warp_shared(body->prepared)->warp;
  for (size_t i = 0; i < warp->length; i++) w->y[i] = w->x[i] + (h - w->theta) * w->v0[i];
  for (int32_t n = 0; n < warp->node_count && warp->core_count; n++)
    for (size_t i = lb_warp_at(n), k = 0; k < 3 && warp->core_of[n] >= 0; k++, i += LB_BATCH)
      w->y[i] = w->x[i];
  for (size_t n = 0; n < (size_t)whole->node_count; n++)
    c = lb_add_scaled(c, whole->masses[n] / whole->mass, lb_warp_lane_vector(w, w->y, n));
  for (size_t n = 0; n < (size_t)whole->node_count; n++) {
    lbVec3 r = lb_sub(lb_warp_lane_vector(w, w->y, n), c);
    X = lb_mat3_add(X, lb_mat3_scale(whole->masses[n], lb_mat3_outer(r, r)));
  }
  w->centre = c;
  w->inertia = lb_mat3_sub(lb_mat3_scale(lb_mat3_trace(X), lb_mat3_identity()), X);
}

// w->v <- with the momenta that the external forces (lanes, in w->other) and damping leave.
static void keep_momenta_warp_step(const lbBody *body, double h, lbWarpBodyWork *w) {
  const lbWhole *whole = lb_warp_whole(body);
  double alpha = body->damping_mass, before = 1 - (h - w->theta) * alpha;
  Rigid goal = { { 0, 0, 0 }, { 0, 0, 0 } };
  for (size_t n = 0; n < (size_t)whole->node_count; n++) {
    lbVec3 p = lb_scale(before * whole->masses[n], lb_warp_lane_vector(w, w->v0, n));
    p = lb_add_scaled(p, h, lb_warp_lane_vector(w, w->other, n));
    goal.linear = lb_add(goal.linear, p);
    goal.angular =
        lb_add(goal.angular, lb_cross(lb_sub(lb_warp_lane_vector(w, w->y, n), w->centre), p));
  }
  Rigid now = sum_of_warp_step(whole, w, false, w->v);
  double share = 1 / (1 + w->theta * alpha);
  Rigid missing = { lb_sub(lb_scale(share, goal.linear), now.linear),
                    lb_sub(lb_scale(share, goal.angular), now.angular) };
  add_motion_warp_step(whole, w, false, 1, motion_of_warp_step(whole, w, missing), w->v);
}

// ---- the start of a step -----------------------------------------------------------------------

void lb_warp_accelerate(lbBody *body, lbScratch *s) {
  lbWarpState *state = lb_warp_state(body);
  lb_whole_turn(lb_warp_whole(body), &state->T, s->force, state->last);
  body->consistent = true;
}

// Where the frame takes T, and the velocities of a body that a jump carries along.
static void move_frame_warp_step(const lbBody *body, const lbStep *step, lbScratch *s) {
  const lbWarpState *state = lb_warp_state(body);
  lbWarpBodyWork *w = s->own;
  w->end = state->T;
  w->start_rates = lb_frame_rates(body);
  memcpy(w->v1, state->v, (size_t)body->prepared->padded * sizeof(double));
  if (!is_driven_warp_step(body)) return;
  if (step->frame.moves) {
    w->end = lb_placement_between(&state->T, body->frame.position, body->frame.rotation,
                                  step->frame.position, step->frame.rotation);
    return;
  }
  w->end = lb_placement_jump(body, step, &state->T, &w->start_rates);
  lb_whole_rates_from_own(lb_warp_whole(body), &state->T, &w->start_rates, state->u, s->v0, w->v1);
}

// Held nodes, and those of scripted cores, at the end: places in s->a, velocities in s->b.
static void find_supports(const lbBody *body, const lbStep *step, lbScratch *s) {
  const lbWarpBodyWork *w = s->own;
  const lbWhole *whole = lb_warp_whole(body);
  lbFrameRates rates = lb_frame_end_rates(body, step);
  memset(s->c, 0, (size_t)body->prepared->padded * sizeof(double));
  lb_whole_from_own(whole, &w->end, s->c, s->a);
  lb_whole_rates_from_own(whole, &w->end, &rates, s->a, s->c, s->b);
  lb_warp_script_cores(body, step, s);
}

static void load_lanes(const lbBody *body, double h, lbScratch *s) {
  const lbWarp *warp = lb_warp_shared(body->prepared)->warp;
  const uint8_t *given = lb_warp_shared(body->prepared)->given;
  const lbWarpState *state = lb_warp_state(body);
  lbWarpBodyWork *w = s->own;
  lb_warp_to_lanes(warp, state->u, w->x);
  lb_warp_to_lanes(warp, w->v1, w->v0);
  for (size_t n = 0; n < (size_t)warp->node_count; n++) {
    size_t at = lb_warp_lane(w, n);
    for (size_t k = 0; k < 3; k++) {
      size_t i = at + k * LB_BATCH;
      double moved = s->a[3 * n + k] - w->x[i];
      w->v[i] = given[n] ? moved / w->theta : h / w->theta * w->v0[i];
      w->x[i] += warp->rest[i];
    }
  }
}

// w->load <- F at the end of the step; w->other (lanes) <- what acts over it.
static void load_forces(const lbBody *body, double h, lbScratch *s) {
  const lbWarp *warp = lb_warp_shared(body->prepared)->warp;
  const lbWhole *whole = lb_warp_whole(body);
  const lbWarpState *state = lb_warp_state(body);
  lbWarpBodyWork *w = s->own;
  bool mean = body->consistent && w->theta < h;
  lb_whole_turn(whole, &state->T, s->force, w->load);
  lb_whole_turn(whole, &w->end, s->held, w->u1);
  for (int32_t i = 0; i < body->prepared->dimension; i++)
    w->u1[i] += mean ? 0.5 * (state->last[i] + w->load[i]) : w->load[i];
  lb_warp_to_lanes(warp, w->u1, w->other);
}

// ---- the step ----------------------------------------------------------------------------------

// w->b <- with what the damping of masses is less by, as it acts on velocities in a driven frame.
static void damp_relatively(const lbBody *body, double h, const lbFrameRates *end,
                            lbWarpBodyWork *w) {
  const lbWhole *whole = lb_warp_whole(body);
  const lbPlacement *T = &lb_warp_state(body)->T;
  for (size_t n = 0; n < (size_t)whole->node_count; n++) {
    lbVec3 at = lb_warp_lane_vector(w, w->x, n),
           carried = lb_whole_carried(whole, &w->end, end, at);
    if (w->theta < h) carried = lb_add(carried, lb_whole_carried(whole, T, &w->start_rates, at));
    add_to_lane(w, w->b, n, lb_scale(w->theta * body->damping_mass * whole->masses[n], carried));
  }
}

// w->b <- the right-hand side.
static void find_right_side_warp_step(const lbBody *body, double h, const lbFrameRates *rates,
                                      lbWarpBodyWork *w) {
  const lbWarp *warp = lb_warp_shared(body->prepared)->warp;
  double theta = w->theta, alpha = body->damping_mass, beta = body->damping_stiffness;
  for (int32_t n = 0; n < warp->node_count; n++)
    for (size_t k = 0; k < 3; k++) {
      size_t i = lb_warp_at(n) + k * LB_BATCH;
      w->b[i] = h / theta * warp->masses[n] * w->v0[i];
    }
  for (size_t i = 0; i < warp->length; i++) w->b[i] += h * (w->other[i] - w->f[i]);
  if (is_driven_warp_step(body) && alpha > 0) damp_relatively(body, h, rates, w);
  lb_warp_ready(warp, &w->solver, w->x, 1 + theta * alpha, theta * beta + theta * theta);
}

static bool is_bounded(const lbWhole *whole, const lbWarpBodyWork *w) {
  for (size_t i = 0; i < 3 * (size_t)whole->node_count; i++)
    if (!lb_is_bounded(w->v1[i]) || !lb_is_bounded(w->u1[i])) return false;
  return true;
}

// u1, v1 and scratch->q from the solution, the supports and the cores; false: not finite.
static bool find_end(const lbBody *body, const lbStep *step, lbScratch *s) {
  const lbWhole *whole = lb_warp_whole(body);
  const uint8_t *given = lb_warp_shared(body->prepared)->given;
  const lbWarpState *state = lb_warp_state(body);
  lbWarpBodyWork *w = s->own;
  double h = step->h;
  for (size_t i = 0; i < 3 * (size_t)whole->node_count; i++) {
    size_t at = lb_warp_lane(w, i / 3) + i % 3 * LB_BATCH;
    w->v1[i] = given[i / 3] ? s->b[i] : w->v[at];
    w->u1[i] =
        given[i / 3] ? s->a[i] : state->u[i] + (h - w->theta) * w->v0[at] + w->theta * w->v[at];
  }
  lb_warp_end_cores(body, step, s);
  if (!is_bounded(whole, w)) return false;
  lb_whole_to_own(whole, &w->end, w->u1, s->q);
  memcpy(w->q, s->q, (size_t)body->prepared->padded * sizeof(double));
  return true;
}

// A velocity that all of a body has, which no elastic force feels: of a free body's centre, of a
// driven frame's. Solutions are sought beside it, so that the solver's tolerance does not depend on
// how fast a body flies.
static lbVec3 find_drift(const lbBody *body, const lbFrameRates *end, const lbWarpBodyWork *w) {
  const lbWhole *whole = lb_warp_whole(body);
  lbVec3 sum = lb_vec3(0, 0, 0);
  if (is_driven_warp_step(body)) return lb_quat_rotate(w->end.rotation, end->velocity);
  for (size_t n = 0; n < (size_t)whole->node_count && body->frame.fitted; n++)
    sum = lb_add_scaled(sum, whole->masses[n] / whole->mass, lb_warp_lane_vector(w, w->v0, n));
  return sum;
}

// v and what b has of it <- with so many times the drift; hinges have it beside their unknown.
static void shift_warp_step(const lbBody *body, lbVec3 drift, double times, lbWarpBodyWork *w) {
  const lbWarp *warp = lb_warp_shared(body->prepared)->warp;
  if (drift.x == 0 && drift.y == 0 && drift.z == 0) return;
  for (size_t n = 0; n < (size_t)warp->node_count; n++) {
    int32_t rank = w->ranks[n], core = warp->core_count ? warp->core_of[rank] : -1;
    add_to_lane(w, w->b, n, lb_scale(times * w->solver.c * warp->masses[rank], drift));
    bool hinged = core >= 0 && warp->core_columns[core] == 1;
    if (!hinged) add_to_lane(w, w->v, n, lb_scale(times, drift));
  }
}

// About where cores have come to: flesh without what the forces that were found have moved it by.
static int32_t linearise_again_warp_step(const lbBody *body, lbScratch *s) {
  lbWarpBodyWork *w = s->own;
  for (int32_t i = 0; i < body->prepared->dimension; i++) {
    w->u1[i] -= w->moved[i];
    w->v1[i] -= w->moved[i] / w->theta;
  }
  lb_warp_relinearise_cores(body, s);
  for (int32_t i = 0; i < body->prepared->dimension; i++) s->q[i] += s->moved[i];
  return 0;
}

int32_t lb_warp_begin(lbBody *body, lbStep *step, lbScratch *s) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  lbWarpBodyWork *w = s->own;
  if (step->iteration > 0) return linearise_again_warp_step(body, s);
  // Forces of contacts are held over a step, so that a body that is squeezed seems to fall over,
  // which the contacts prevent: its compression must not be in the matrix.
  bool touched = step->stays_open || lb_body_is_touched(body);
  bool newmark = body->integrator == LB_INTEGRATOR_NEWMARK && step->integrator == LB_STEP_ASKED;
  w->theta = newmark ? 0.5 * step->h : step->h;
  move_frame_warp_step(body, step, s);
  find_supports(body, step, s);
  load_lanes(body, step->h, s);
  load_forces(body, step->h, s);
  bool safe =
      step->integrator != LB_STEP_ASKED || (touched && !lb_warp_is_by_vertices(shared->warp));
  lb_warp_linearise(shared->warp, &w->solver, w->x, safe, w->f);
  lb_warp_drift_cores(body, step, s);
  lbFrameRates rates = lb_frame_end_rates(body, step);
  find_right_side_warp_step(body, step->h, &rates, w);
  lbVec3 drift = lb_scale(step->h / w->theta, find_drift(body, &rates, w));
  shift_warp_step(body, drift, -1, w);
  lb_warp_part_hinges(body, step, drift, w);
  double weight = step->h * lb_length(body->gravity);
  w->solver.least = touched ? shared->whole.mass * weight * weight / w->solver.c : 0;
  w->iterations = lb_warp_solve(shared->warp, &w->solver, w->b, w->v,
                                touched ? TOUCHED_ITERATIONS : shared->iterations,
                                touched ? LB_FORCE_ERROR : LB_STEP_RESIDUAL);
  w->solver.least = 0;
  shift_warp_step(body, drift, 1, w);
  if (newmark)
    for (size_t i = 0; i < shared->warp->length; i++) w->v[i] -= w->v0[i];
  w->free = body->frame.fitted;
  if (w->free) {
    find_arms_warp_step(body, step->h, w);
    keep_momenta_warp_step(body, step->h, w);
  }
  if (!find_end(body, step, s)) return LB_STEP_NONFINITE;
  return w->solver.indefinite && step->integrator == LB_STEP_ASKED ? LB_STEP_FAR : 0;
}

void lb_warp_respond(const lbBody *body, const lbStep *step, lbScratch *s, const double *force,
                     double *moved) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  const lbWhole *whole = &shared->whole;
  lbWarpBodyWork *w = s->own;
  Rigid rigid = { { 0, 0, 0 }, { 0, 0, 0 } };
  memset(moved, 0, (size_t)body->prepared->padded * sizeof *moved);
  lb_whole_turn(whole, &w->end, force, moved);
  for (int32_t i = 0; i < body->prepared->dimension; i++) moved[i] *= step->h;
  lb_warp_to_lanes(shared->warp, moved, w->b);
  lb_warp_push_cores(body, w, w->b);
  if (w->free) {
    rigid = motion_of_warp_step(whole, w, sum_of_warp_step(whole, w, true, w->b));
    add_motion_warp_step(whole, w, true, -1, rigid, w->b);
  }
  memset(w->v, 0, shared->warp->length * sizeof(double));
  double tolerance = fmin(fmax(step->loose, LB_FORCE_ERROR), LB_LOOSE_RESIDUAL);
  lb_warp_solve(shared->warp, &w->solver, w->b, w->v, TOUCHED_ITERATIONS, tolerance);
  if (w->free) {
    add_motion_warp_step(whole, w, false, -1,
                         motion_of_warp_step(whole, w, sum_of_warp_step(whole, w, false, w->v)),
                         w->v);
    add_motion_warp_step(whole, w, false, 1 / (1 + w->theta * body->damping_mass), rigid, w->v);
  }
  lb_warp_from_lanes(shared->warp, w->v, moved);
  lb_warp_move_cores(body, w, moved);
  for (int32_t i = 0; i < body->prepared->dimension; i++) moved[i] *= w->theta;
  lb_whole_turn_back(whole, &w->end, moved, moved);
}

// Inverted blocks of the diagonal: (h θ) (c m + κ K̂_nn)⁻¹, or 1/m at once.
void lb_warp_respond_at(const lbBody *body, const lbStep *step, const lbScratch *s, int32_t node,
                        double block[9]) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  const lbWarpBodyWork *w = s->own;
  memset(block, 0, 9 * sizeof *block);
  if (!step) {
    double mobility = shared->whole.held[node] ? 0 : 1 / shared->whole.masses[node];
    for (int k = 0; k < 9; k += 4) block[k] = mobility;
    return;
  }
  size_t rank = (size_t)w->ranks[node];
  const double *inverse = w->solver.inverse + rank / LB_BATCH * 9 * LB_BATCH + rank % LB_BATCH;
  lbMat3 B;
  for (size_t k = 0; k < 9; k++) B.m[k] = step->h * w->theta * inverse[k * LB_BATCH];
  B = lb_mat3_scale(0.5, lb_mat3_add(B, lb_mat3_transpose(B))); // rows of vertices have no symmetry
  if (!w->end.identity) {
    lbMat3 turn = lb_quat_to_mat3(w->end.rotation);
    B = lb_mat3_multiply(lb_mat3_transpose(turn), lb_mat3_multiply(B, turn));
  }
  memcpy(block, B.m, sizeof B.m);
}

int32_t lb_warp_end(lbBody *body, const lbStep *step, lbScratch *s) {
  lbWarpBodyWork *w = s->own;
  const lbWhole *whole = lb_warp_whole(body);
  const uint8_t *given = lb_warp_shared(body->prepared)->given;
  lbFrameRates rates = lb_frame_end_rates(body, step);
  bool constrained = lb_body_is_constrained(body);
  if (constrained || step->stays_open) { // what the forces that were found have moved
    for (int32_t i = 0; i < body->prepared->dimension; i++)
      s->a[i] = given[i / 3] ? 0 : s->q[i] - w->q[i];
    lb_whole_turn(whole, &w->end, s->a, s->a);
    memcpy(w->moved, s->a, (size_t)body->prepared->dimension * sizeof(double));
    for (int32_t i = 0; i < body->prepared->dimension; i++) {
      w->u1[i] += s->a[i];
      w->v1[i] += s->a[i] / w->theta;
    }
    double off = lb_warp_turn_cores(body, step, s, s->a);
    if (!is_bounded(whole, w)) return LB_STEP_NONFINITE;
    if (constrained && off > LB_FORCE_ERROR * body->prepared->size &&
        step->iteration < CORES_AGAIN_MAX)
      return LB_STEP_AGAIN;
  }
  lb_whole_rates_to_own(whole, &w->end, &rates, w->u1, w->v1, s->v);
  if (step->integrator == LB_STEP_EULER) lb_warp_search_line(body, step, s);
  return 0;
}

int32_t lb_warp_commit(lbBody *body, const lbStep *step, lbScratch *s) {
  lbWarpState *state = lb_warp_state(body);
  const lbWarpBodyWork *w = s->own;
  size_t bytes = (size_t)body->prepared->dimension * sizeof(double);
  (void)step;
  memcpy(state->u, w->u1, bytes);
  memcpy(state->v, w->v1, bytes);
  memcpy(state->last, w->load, bytes);
  state->T = w->end;
  state->iterations = w->iterations;
  body->consistent = true;
  return 0;
}

// ---- at rest -----------------------------------------------------------------------------------

void lb_warp_comply(const lbPrepared *p, double *x, lbScratch *s) {
  const lbWarpShared *shared = lb_warp_shared(p);
  lbWarpBodyWork *w = s->own;
  bool free = lb_model_is_free_by(p->model, LB_METHOD_WARP);
  if (free) lb_whole_take_out_rigid(&shared->whole, true, x);
  lb_warp_to_lanes(shared->warp, x, w->b);
  memset(w->v, 0, shared->warp->length * sizeof(double));
  lb_warp_linearise(shared->warp, &w->solver, shared->warp->rest, true, w->f);
  for (int32_t c = 0; c < shared->core_count; c++) {
    lb_vec3_store(w->solver.core_hinges + 6 * (size_t)c, shared->cores[c].point);
    lb_vec3_store(w->solver.core_hinges + 6 * (size_t)c + 3, shared->cores[c].axis);
  }
  lb_warp_ready(shared->warp, &w->solver, shared->warp->rest, 0, 1);
  lb_warp_lock_hinges(shared->warp, &w->solver); // hinges have no stiffness of their own
  lb_warp_solve(shared->warp, &w->solver, w->b, w->v, LB_GRADIENTS_MAX, LB_FORCE_ERROR);
  lb_warp_from_lanes(shared->warp, w->v, x);
  if (free) lb_whole_take_out_rigid(&shared->whole, false, x);
}
