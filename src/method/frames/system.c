// The system of a step of a body of frames: forces, stiffness and mass at its start (frames_step.c
// has the formula), and what is done where forces make no sense.
#include "method/frames/frames.h"
#include "method/limits.h"

#include <math.h>
#include <string.h>

static void sum_all(const lbBody *body, bool safe, lbFramesWork *w, lbFrameSystem *sums) {
  const lbFramesState *state = lb_frames_state(body);
  int32_t options = LB_FRAMES_FORCE | LB_FRAMES_TANGENT | LB_FRAMES_MASS | LB_FRAMES_LOADS;
  lb_frames_sum_by(body, w->by_springs, options | (safe ? LB_FRAMES_SAFE : 0), w->start,
                   state->poses, state->velocity, w->room, sums);
}

// A force at a node: w->sums, and of a free body their sums.
static void load_node(const lbBody *body, int32_t node, lbVec3 force, lbFramesWork *w) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  if (force.x == 0 && force.y == 0 && force.z == 0) return;
  lb_frame_skin_spread(shared->nodes, w->start, node, force, w->sums);
  if (!body->frame.fitted) return;
  lbVec3 place = lb_frame_skin_place(shared->nodes, w->start, node);
  w->force = lb_add(w->force, force);
  w->torque = lb_add(w->torque, lb_cross(place, force));
}

// w->sums (8 count) <- forces at nodes: what was applied, and what is held.
static void load_nodes(const lbBody *body, const lbScratch *s, lbFramesWork *w) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  const lbFramesState *state = lb_frames_state(body);
  bool touched = lb_body_is_handled(body);
  memset(w->sums, 0, 8 * (size_t)shared->count * sizeof(double));
  w->force = w->torque = lb_vec3(0, 0, 0);
  for (int32_t n = 0; n < shared->whole.node_count && (state->loaded || touched); n++) {
    lbVec3 f = lb_vec3_load(state->force + 3 * (size_t)n);
    if (touched)
      f = lb_add(f, lb_quat_rotate(w->place.rotation, lb_vec3_load(s->held + 3 * (size_t)n)));
    load_node(body, n, f, w);
  }
}

void lb_frames_load_late(const lbBody *body, const lbScratch *s, lbFramesWork *w) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  memset(w->sums, 0, 8 * (size_t)shared->count * sizeof(double));
  memset(w->right, 0, (size_t)lb_ldlt_padded(6 * shared->count) * sizeof(double));
  for (int32_t n = 0; n < shared->whole.node_count; n++)
    load_node(body, n, lb_quat_rotate(w->place.rotation, lb_vec3_load(s->late + 3 * (size_t)n)), w);
  for (int32_t i = 0; i < shared->count; i++)
    lb_frame_gather(&w->start[i], w->sums + 8 * i, w->right + 6 * i);
}

void lb_frames_add_mass_product(const lbBody *body, double s, const double *x,
                                const lbFramesWork *w, double *y) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  if (lb_frames_is_lumped(body))
    lb_frames_add_own_product(shared, s, w->M, x, y);
  else
    lb_frames_add_product(shared, s, w->M, x, y);
}

// Momenta of frames, as M Ω has them, of the body as a whole, the angular one about the origin.
static void sum_momenta(const lbBody *body, const double *momenta, lbVec3 *linear,
                        lbVec3 *angular) {
  *linear = *angular = lb_vec3(0, 0, 0);
  for (int32_t i = 0; i < lb_frames_count(body); i++) {
    lbVec3 own = lb_vec3_load(momenta + 6 * i), p = lb_vec3_load(momenta + 6 * i + 3);
    lbVec3 arm = lb_frames_state(body)->poses[i].position;
    *linear = lb_add(*linear, p);
    *angular = lb_add(*angular, lb_add(own, lb_cross(arm, p)));
  }
}

// Momenta before the step, from w->right = M Ω₀. A body that is shifted along a has the angular
// momentum m c x a: that is where its centre is found.
static void find_start(const lbBody *body, lbFramesWork *w) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  lbVec3 linear, angular, along[2];
  sum_momenta(body, w->right, &w->momentum, &angular);
  for (int axis = 0; axis < 2; axis++) {
    memset(w->free, 0, 6 * (size_t)shared->count * sizeof(double));
    memset(w->product, 0, 6 * (size_t)shared->count * sizeof(double));
    for (int32_t i = 0; i < shared->count; i++) w->free[6 * i + 3 + axis] = 1;
    lb_frames_add_mass_product(body, 1, w->free, w, w->product);
    sum_momenta(body, w->product, &linear, &along[axis]);
  }
  w->centre = lb_scale(1 / shared->whole.mass, lb_vec3(along[1].z, -along[0].z, along[0].y));
  w->angular = lb_sub(angular, lb_cross(w->centre, w->momentum));
}

// w->right <- M Ω₀ + h (loads − ∂W + nodes), less what prescribed frames do; w->loads, w->energy.
static void find_right_side_frames_system(const lbBody *body, double h, double elastic,
                                          lbFramesWork *w) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  const lbFramesState *state = lb_frames_state(body);
  int32_t n = 6 * shared->count;
  double alpha = body->damping_mass, beta = body->damping_stiffness;
  for (int32_t i = 0; i < shared->count; i++)
    lb_frame_gather(&w->start[i], w->sums + 8 * i, w->loads + 6 * i);
  memset(w->right, 0, (size_t)lb_ldlt_padded(n) * sizeof(double));
  lb_frames_add_mass_product(body, 1, state->velocity, w, w->right);
  if (body->frame.fitted) find_start(body, w);
  w->energy = elastic + 0.5 * lb_frames_dot(n, state->velocity, w->right);
  for (int32_t i = 0; i < n; i++) w->right[i] += h * (w->loads[i] - w->gradient[i]);
  if (w->driven) {
    lb_frames_add_mass_product(body, -(1 + h * alpha), w->velocity, w, w->right);
    lb_frames_add_product(shared, -(h * h + h * beta), w->K, w->velocity, w->right);
  }
  for (int32_t i = 0; i < n; i++)
    if (w->prescribed[i / 6]) w->right[i] = 0;
}

// Adds `lift` times the largest mass and inertia of a frame to the diagonal, which holds back.
static void add_lift(int32_t count, double lift, lbFramesWork *w) {
  size_t n = 6 * (size_t)count, padded = (size_t)lb_ldlt_padded((int32_t)n);
  double most[2] = { 0, 0 };
  for (size_t k = 0; k < n; k++) most[k % 6 / 3] = fmax(most[k % 6 / 3], w->M[k * (n + 1)]);
  for (size_t k = 0; k < n; k++) w->factor[k * (padded + 1)] += lift * most[k % 6 / 3];
}

// w->factor, w->right <- velocities at the end; false: the matrix is not positive.
static bool solve_step_frames_system(const lbBody *body, double h, double lift,
                                     const lbFrameSystem *sums, lbFramesWork *w) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  double alpha = body->damping_mass, beta = body->damping_stiffness;
  w->elastic = sums->energy;
  lb_frames_combine(shared->count, 1 + h * alpha, w->M, h * h + h * beta, w->K, w->factor);
  if (lift > 0) add_lift(shared->count, lift, w);
  if (!lb_frames_factor(shared, w->prescribed, w->factor)) return false;
  find_right_side_frames_system(body, h, sums->energy, w);
  return lb_frames_solve(shared, w->factor, w->room, w->right);
}

// ---- where forces make no sense ----------------------------------------------------------------

// Pairs may have springs that push, so that all together push only near the rest shape: far from
// it their energy may be negative. Laws may have no energy at all, where something is inside out.
static bool makes_sense(const lbBody *body, double energy, const lbFramesWork *w) {
  double least =
      w->by_springs ? -LB_NEGLIGIBLE * lb_frames_shared(body->prepared)->modulus : -INFINITY;
  return lb_is_bounded(energy) && energy >= least;
}

// Sums by what the body's forces are, or, where these make no sense, by the other: springs always
// have an energy, and that of samples never makes a matrix negative.
static bool sum_sensibly(const lbBody *body, bool safe, lbFramesWork *w, lbFrameSystem *sums) {
  sum_all(body, safe, w, sums);
  if (makes_sense(body, sums->energy, w)) return true;
  bool springs = w->by_springs, can = lb_frames_count(body) <= LB_FRAMES_DENSE;
  if (springs || can) {
    w->by_springs = !springs;
    sum_all(body, safe, w, sums);
    if (lb_is_bounded(sums->energy)) return true;
    w->by_springs = true;
    if (can) sum_all(body, safe, w, sums);
  }
  return lb_is_bounded(sums->energy);
}

// What motion a step by forces that are not the body's own may bring: the energy by its own.
static double kinetic_most(const lbBody *body, lbFramesWork *w) {
  const lbFramesState *state = lb_frames_state(body);
  bool own = state->forces == LB_FRAME_SPRINGS;
  lbFrameSystem sums = { 0 };
  if (w->by_springs == own) return INFINITY;
  lb_frames_sum_by(body, own, 0, w->start, state->poses, state->velocity, w->room, &sums);
  if (!lb_is_bounded(sums.energy)) return INFINITY;
  return w->energy - w->elastic + fmax(sums.energy, 0);
}

static bool solve_frames_system(const lbBody *body, double h, bool safe, const lbScratch *s,
                                lbFramesWork *w) {
  lbFrameSystem sums = { 0, w->gradient, w->loads, w->K, w->M };
  if (!sum_sensibly(body, safe, w, &sums)) return false;
  load_nodes(body, s, w);
  if (solve_step_frames_system(body, h, 0, &sums, w)) return true;
  w->by_springs = false;
  if (!sum_sensibly(body, true, w, &sums)) return false;
  double lift = 0;
  for (int k = 1; k < LB_FACTORINGS_MAX; k++, lift = fmax(1, 10 * lift))
    if (solve_step_frames_system(body, h, lift, &sums, w)) return true;
  return false;
}

bool lb_frames_solve_system(const lbBody *body, double h, bool safe, const lbScratch *s,
                            lbFramesWork *w) {
  if (!solve_frames_system(body, h, safe, s, w)) return false;
  w->kinetic_most = kinetic_most(body, w);
  return true;
}
