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
#include "body/warp.h"

#include "body/constraints.h"

#include <string.h>

#define TOLERANCE                                                                                  \
  1e-3 // of the residual, in the preconditioner's norm: less moves nothing by more
       // than the step's own error, and a body at rest converges over steps
#define RESPONSE_TOLERANCE 1e-6
#define COMPLY_ITERATIONS 1000
#define COMPLY_TOLERANCE 1e-4 // picks and hands ask for it, who need no digits

static bool is_driven(const lbBody *body) { return body->frame.kind == LB_FRAME_DRIVEN; }

static size_t at_of(size_t node) { return lb_warp_at((int32_t)node); }

static lbVec3 lane_vector(const double *lanes, size_t node) {
  const double *from = lanes + at_of(node);
  return lb_vec3(from[0], from[LB_BATCH], from[2 * LB_BATCH]);
}

static void add_to_lane(double *lanes, size_t node, lbVec3 a) {
  double *to = lanes + at_of(node);
  to[0] += a.x, to[LB_BATCH] += a.y, to[2 * LB_BATCH] += a.z;
}

// ---- rigid motion of a free body ---------------------------------------------------------------

typedef struct Rigid {
  lbVec3 linear, angular;
} Rigid;

// Σ m x and Σ (y − c) × m x, without m for forces.
static Rigid sum_of(const lbWhole *whole, const lbWarpBodyWork *w, bool force, const double *x) {
  Rigid sum = { { 0, 0, 0 }, { 0, 0, 0 } };
  for (size_t n = 0; n < (size_t)whole->node_count; n++) {
    lbVec3 p = lb_scale(force ? 1 : whole->masses[n], lane_vector(x, n));
    sum.linear = lb_add(sum.linear, p);
    sum.angular = lb_add(sum.angular, lb_cross(lb_sub(lane_vector(w->y, n), w->centre), p));
  }
  return sum;
}

// The motion that has these momenta, of the masses at y.
static Rigid motion_of(const lbWhole *whole, const lbWarpBodyWork *w, Rigid momenta) {
  return (Rigid){ lb_scale(1 / whole->mass, momenta.linear),
                  lb_inertia_solve(w->inertia, momenta.angular) };
}

// x += share times a rigid motion, times m for forces.
static void add_motion(const lbWhole *whole, const lbWarpBodyWork *w, bool force, double share,
                       Rigid motion, double *x) {
  for (size_t n = 0; n < (size_t)whole->node_count; n++) {
    lbVec3 arm = lb_sub(lane_vector(w->y, n), w->centre);
    lbVec3 v = lb_add(motion.linear, lb_cross(motion.angular, arm));
    add_to_lane(x, n, lb_scale(share * (force ? whole->masses[n] : 1), v));
  }
}

// y, its centre and its inertia.
static void find_arms(const lbBody *body, double h, lbWarpBodyWork *w) {
  const lbWhole *whole = lb_warp_whole(body);
  lbMat3 X = lb_mat3_zero();
  lbVec3 c = lb_vec3(0, 0, 0);
  size_t length = lb_warp_shared(body->prepared)->warp->length;
  for (size_t i = 0; i < length; i++) w->y[i] = w->x[i] + (h - w->theta) * w->v0[i];
  for (size_t n = 0; n < (size_t)whole->node_count; n++)
    c = lb_add_scaled(c, whole->masses[n] / whole->mass, lane_vector(w->y, n));
  for (size_t n = 0; n < (size_t)whole->node_count; n++) {
    lbVec3 r = lb_sub(lane_vector(w->y, n), c);
    X = lb_mat3_add(X, lb_mat3_scale(whole->masses[n], lb_mat3_outer(r, r)));
  }
  w->centre = c;
  w->inertia = lb_mat3_sub(lb_mat3_scale(lb_mat3_trace(X), lb_mat3_identity()), X);
}

// w->v <- with the momenta that the external forces (lanes, in w->other) and damping leave.
static void keep_momenta(const lbBody *body, double h, lbWarpBodyWork *w) {
  const lbWhole *whole = lb_warp_whole(body);
  double alpha = body->damping_mass, before = 1 - (h - w->theta) * alpha;
  Rigid goal = { { 0, 0, 0 }, { 0, 0, 0 } };
  for (size_t n = 0; n < (size_t)whole->node_count; n++) {
    lbVec3 p = lb_scale(before * whole->masses[n], lane_vector(w->v0, n));
    p = lb_add_scaled(p, h, lane_vector(w->other, n));
    goal.linear = lb_add(goal.linear, p);
    goal.angular = lb_add(goal.angular, lb_cross(lb_sub(lane_vector(w->x, n), w->centre), p));
  }
  Rigid now = sum_of(whole, w, false, w->v);
  double share = 1 / (1 + w->theta * alpha);
  Rigid missing = { lb_sub(lb_scale(share, goal.linear), now.linear),
                    lb_sub(lb_scale(share, goal.angular), now.angular) };
  add_motion(whole, w, false, 1, motion_of(whole, w, missing), w->v);
}

// ---- the start of a step -----------------------------------------------------------------------

void lb_warp_accelerate(lbBody *body, lbScratch *s) {
  lbWarpState *state = lb_warp_state(body);
  lb_whole_turn(lb_warp_whole(body), &state->T, s->force, state->last);
  body->consistent = true;
}

// Where the frame takes T, and the velocities of a body that a jump carries along.
static void move_frame(const lbBody *body, const lbStep *step, lbScratch *s) {
  const lbWarpState *state = lb_warp_state(body);
  lbWarpBodyWork *w = s->own;
  w->end = state->T;
  memcpy(w->v1, state->v, (size_t)body->prepared->padded * sizeof(double));
  if (!is_driven(body)) return;
  if (step->frame.moves) {
    w->end = lb_placement_between(&state->T, body->frame.position, body->frame.rotation,
                                  step->frame.position, step->frame.rotation);
    return;
  }
  lbFrameRates rates;
  w->end = lb_placement_jump(body, step, &state->T, &rates);
  lb_whole_rates_from_own(lb_warp_whole(body), &state->T, &rates, state->u, s->v0, w->v1);
}

// Held nodes at the end: places in s->a, velocities in s->b.
static void find_supports(const lbBody *body, const lbStep *step, lbScratch *s) {
  const lbWarpBodyWork *w = s->own;
  const lbWhole *whole = lb_warp_whole(body);
  lbFrameRates rates = lb_frame_end_rates(body, step);
  memset(s->c, 0, (size_t)body->prepared->padded * sizeof(double));
  lb_whole_from_own(whole, &w->end, s->c, s->a);
  lb_whole_rates_from_own(whole, &w->end, &rates, s->a, s->c, s->b);
}

static void load_lanes(const lbBody *body, double h, lbScratch *s) {
  const lbWarp *warp = lb_warp_shared(body->prepared)->warp;
  const lbWhole *whole = lb_warp_whole(body);
  const lbWarpState *state = lb_warp_state(body);
  lbWarpBodyWork *w = s->own;
  lb_warp_to_lanes(warp, state->u, w->x);
  lb_warp_to_lanes(warp, w->v1, w->v0);
  for (size_t n = 0; n < (size_t)warp->node_count; n++) {
    size_t at = at_of(n);
    for (size_t k = 0; k < 3; k++) {
      size_t i = at + k * LB_BATCH;
      double moved = s->a[3 * n + k] - w->x[i];
      w->v[i] = whole->held[n] ? moved / w->theta : h / w->theta * w->v0[i];
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

// w->b <- the right-hand side.
static void find_right_side(const lbBody *body, double h, lbWarpBodyWork *w) {
  const lbWarp *warp = lb_warp_shared(body->prepared)->warp;
  double theta = w->theta, alpha = body->damping_mass, beta = body->damping_stiffness;
  for (int32_t n = 0; n < warp->node_count; n++)
    for (size_t k = 0; k < 3; k++) {
      size_t i = lb_warp_at(n) + k * LB_BATCH;
      w->b[i] = h / theta * warp->masses[n] * w->v0[i];
    }
  for (size_t i = 0; i < warp->length; i++) w->b[i] += h * (w->other[i] - w->f[i]);
  lb_warp_ready(warp, &w->solver, w->x, 1 + theta * alpha, theta * beta + theta * theta);
}

// u1, v1 and scratch->q from the solution and the supports; false: not finite.
static bool find_end(const lbBody *body, double h, lbScratch *s) {
  const lbWhole *whole = lb_warp_whole(body);
  const lbWarpState *state = lb_warp_state(body);
  lbWarpBodyWork *w = s->own;
  for (size_t i = 0; i < 3 * (size_t)whole->node_count; i++) {
    size_t at = at_of(i / 3) + i % 3 * LB_BATCH;
    bool held = whole->held[i / 3];
    w->v1[i] = held ? s->b[i] : w->v[at];
    w->u1[i] = held ? s->a[i] : state->u[i] + (h - w->theta) * w->v0[at] + w->theta * w->v[at];
    if (!lb_is_bounded(w->v1[i]) || !lb_is_bounded(w->u1[i])) return false;
  }
  lb_whole_to_own(whole, &w->end, w->u1, s->q);
  memcpy(w->q, s->q, (size_t)body->prepared->padded * sizeof(double));
  return true;
}

int32_t lb_warp_begin(lbBody *body, lbStep *step, lbScratch *s) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  lbWarpBodyWork *w = s->own;
  bool newmark = body->integrator == LB_INTEGRATOR_NEWMARK && step->rule == 0;
  w->theta = newmark ? 0.5 * step->h : step->h;
  move_frame(body, step, s);
  find_supports(body, step, s);
  load_lanes(body, step->h, s);
  load_forces(body, step->h, s);
  lb_warp_linearise(shared->warp, &w->solver, w->x, step->rule > 0, w->f);
  find_right_side(body, step->h, w);
  w->iterations =
      lb_warp_solve(shared->warp, &w->solver, w->b, w->v, shared->iterations, TOLERANCE);
  if (newmark)
    for (size_t i = 0; i < shared->warp->length; i++) w->v[i] -= w->v0[i];
  w->free = body->frame.fitted;
  if (w->free) {
    find_arms(body, step->h, w);
    keep_momenta(body, step->h, w);
  }
  if (!find_end(body, step->h, s)) return LB_STEP_NONFINITE;
  return w->solver.indefinite && step->rule == 0 ? LB_STEP_FAR : 0;
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
  if (w->free) {
    rigid = motion_of(whole, w, sum_of(whole, w, true, w->b));
    add_motion(whole, w, true, -1, rigid, w->b);
  }
  memset(w->v, 0, shared->warp->length * sizeof(double));
  lb_warp_solve(shared->warp, &w->solver, w->b, w->v, shared->iterations, RESPONSE_TOLERANCE);
  if (w->free) {
    add_motion(whole, w, false, -1, motion_of(whole, w, sum_of(whole, w, false, w->v)), w->v);
    add_motion(whole, w, false, 1 / (1 + w->theta * body->damping_mass), rigid, w->v);
  }
  lb_warp_from_lanes(shared->warp, w->v, moved);
  for (int32_t i = 0; i < body->prepared->dimension; i++) moved[i] *= w->theta;
  lb_whole_turn_back(whole, &w->end, moved, moved);
}

int32_t lb_warp_end(lbBody *body, const lbStep *step, lbScratch *s) {
  lbWarpBodyWork *w = s->own;
  const lbWhole *whole = lb_warp_whole(body);
  lbFrameRates rates = lb_frame_end_rates(body, step);
  if (lb_body_is_constrained(body)) { // what the forces that were found have moved
    for (int32_t i = 0; i < body->prepared->dimension; i++)
      s->a[i] = whole->held[i / 3] ? 0 : s->q[i] - w->q[i];
    lb_whole_turn(whole, &w->end, s->a, s->a);
    for (int32_t i = 0; i < body->prepared->dimension; i++) {
      w->u1[i] += s->a[i];
      w->v1[i] += s->a[i] / w->theta;
      if (!lb_is_bounded(w->v1[i]) || !lb_is_bounded(w->u1[i])) return LB_STEP_NONFINITE;
    }
  }
  lb_whole_rates_to_own(whole, &w->end, &rates, w->u1, w->v1, s->v);
  return lb_warp_keep_account(body, step, s);
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
  state->created = w->created;
  body->consistent = true;
  return 0;
}

// ---- at rest -----------------------------------------------------------------------------------

void lb_warp_comply(const lbPrepared *p, double *x, lbScratch *s) {
  const lbWarpShared *shared = lb_warp_shared(p);
  lbWarpBodyWork *w = s->own;
  bool free = lb_model_is_free(p->model);
  if (free) lb_whole_take_out_rigid(&shared->whole, true, x);
  lb_warp_to_lanes(shared->warp, x, w->b);
  memset(w->v, 0, shared->warp->length * sizeof(double));
  lb_warp_linearise(shared->warp, &w->solver, shared->warp->rest, true, w->f);
  lb_warp_ready(shared->warp, &w->solver, shared->warp->rest, 0, 1);
  lb_warp_solve(shared->warp, &w->solver, w->b, w->v, COMPLY_ITERATIONS, COMPLY_TOLERANCE);
  lb_warp_from_lanes(shared->warp, w->v, x);
  if (free) lb_whole_take_out_rigid(&shared->whole, false, x);
}
