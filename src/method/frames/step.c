// A step of a body of frames: implicit Euler. With gradient, stiffness and mass at its start,
//
//   ((1 + h α) M + (h² + h β) K) Ω₁ = M Ω₀ + h (−∂W + Γ_ext + Γ_in),   pose₁ = exp(h Ω₁) pose₀,
//
// frames that are fixed or driven taking part with velocities that bring them where they shall be.
// K is the symmetric part of the exact stiffness; where the matrix is not positive, or the step
// would create energy, a stiffness that is never negative is taken, in shorter steps.
//
// Constraints see nodes, whose motion is not linear in Ω: the step is linearised again about where
// its forces have brought the frames, until nodes are there. Momenta of a free body, which
// implicit Euler does not keep in these coordinates, are set right by a rigid motion.
#include "method/frames/frames.h"
#include "method/limits.h"

#include "body/constraints.h"
#include "body/guard.h"

#include <string.h>

// rad in a step, of a body as a whole: faster spins are rounding of other momenta. Doubled, such
// bodies spin twice as fast.
#define SPUN_MOST 1e3

// ---- frames that move as told ------------------------------------------------------------------

static lbFramePose pose_under(const lbPlacement *T, const lbFramePose *rest) {
  if (T->identity) return *rest;
  return (lbFramePose){ lb_quat_normalise(lb_quat_multiply(T->rotation, rest->rotation)),
                        lb_placement_apply(T, rest->position) };
}

// velocity (6) of what moves with the frame of the body, at a place in the fixed axes.
static void carried_frames_step(const lbBody *body, const lbPlacement *T, const lbFrameRates *rates,
                                lbVec3 place, double *velocity) {
  lbVec3 own = lb_quat_rotate(lb_quat_conjugate(T->rotation), lb_sub(place, T->position));
  lbVec3 arm = lb_sub(own, body->prepared->centre);
  lb_vec3_store(velocity, lb_quat_rotate(T->rotation, rates->spin));
  lb_vec3_store(velocity + 3,
                lb_quat_rotate(T->rotation, lb_add(rates->velocity, lb_cross(rates->spin, arm))));
}

// w->place <- T at the end; the velocities of a body that a jump carries along.
static void move_frame_frames_step(lbBody *body, const lbStep *step, lbFramesWork *w) {
  lbFramesState *state = lb_frames_state(body);
  w->place = state->T;
  if (body->frame.kind != LB_FRAME_DRIVEN) return;
  if (step->frame.moves) {
    w->place = lb_placement_between(&state->T, body->frame.position, body->frame.rotation,
                                    step->frame.position, step->frame.rotation);
    return;
  }
  lbFrameRates before = lb_frame_rates(body), after;
  w->place = lb_placement_jump(body, step, &state->T, &after);
  for (int32_t i = 0; i < lb_frames_count(body); i++) {
    double old[6], new[6];
    carried_frames_step(body, &state->T, &before, state->poses[i].position, old);
    carried_frames_step(body, &state->T, &after, state->poses[i].position, new);
    for (int k = 0; k < 6; k++) state->velocity[6 * i + k] += new[k] - old[k];
  }
}

static double elastic_of_frames_step(const lbBody *body, lbFramesWork *w) {
  const lbFramesState *state = lb_frames_state(body);
  lbFrameSystem sums = { 0 };
  lb_frames_motions(body, w->probe);
  lb_frames_sum_by(body, w->by_springs, 0, w->probe, state->poses, state->velocity, w->room, &sums);
  return lb_is_bounded(sums.energy) ? sums.energy : INFINITY;
}

// 1: cosine of half the angle between a frame and its pivot, below which signs are compared. Nearer
// to 0, energies are compared more often.
#define TWISTED -0.25

// q and -q are one rotation, but blends take the way between two frames that their signs say. Where
// that has become the long one, by more than is likely to be turned back, the sign is changed if
// the body has less energy with it.
static void align_signs(lbBody *body, lbFramesWork *w) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  lbFramesState *state = lb_frames_state(body);
  for (int32_t i = 1; i < shared->count; i++) {
    int32_t pivot = shared->pivots[i];
    lbQuat *own = &state->poses[i].rotation;
    lbQuat a = lb_quat_multiply(state->poses[pivot].rotation,
                                lb_quat_conjugate(shared->rest[pivot].rotation));
    lbQuat b = lb_quat_multiply(*own, lb_quat_conjugate(shared->rest[i].rotation));
    if (lb_quat_dot(a, b) >= TWISTED) continue;
    double before = elastic_of_frames_step(body, w);
    *own = lb_quat_scale(-1, *own);
    if (!(elastic_of_frames_step(body, w) < before)) *own = lb_quat_scale(-1, *own);
  }
}

// As much of the way of a dragged frame to its goal as the body can be stretched by.
static lbFramePose within_reach(lbBody *body, int32_t i, lbFramesWork *w) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  lbFramesState *state = lb_frames_state(body);
  const lbFramePose from = state->poses[i], goal = state->goals[i];
  lbFramePose to = goal;
  double velocity[6];
  if (memcmp(&goal, &from, sizeof goal) == 0) return goal;
  double most = fmax(elastic_of_frames_step(body, w), LB_FRAMES_DRAGGED_MAX * shared->modulus),
         share = 1;
  lb_frame_velocity_between(&from, &goal, 1, velocity);
  for (int k = 0; k < LB_HALVINGS_MAX; k++, share *= 0.5) {
    if (k > 0) to = lb_frame_advance(&from, velocity, share);
    state->poses[i] = to;
    bool good = elastic_of_frames_step(body, w) <= most;
    state->poses[i] = from;
    if (good) return to;
  }
  return from;
}

// w->targets and w->velocity of prescribed frames <- where they shall be, and what brings them
// there.
static void prescribe(lbBody *body, double h, lbFramesWork *w) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  const lbFramesState *state = lb_frames_state(body);
  w->driven = false;
  for (int32_t i = 0; i < shared->count; i++) {
    double *velocity = w->velocity + 6 * i;
    w->prescribed[i] = lb_frames_is_led(body, i);
    memset(velocity, 0, 6 * sizeof *velocity);
    if (!w->prescribed[i]) continue;
    w->targets[i] =
        state->held[i] ? within_reach(body, i, w) : pose_under(&w->place, &state->goals[i]);
    lb_frame_velocity_between(&state->poses[i], &w->targets[i], h, velocity);
    for (int k = 0; k < 6; k++) w->driven |= velocity[k] != 0;
  }
}

// w->poses, w->end <- where the velocities lead.
bool lb_frames_find_poses(const lbBody *body, double h, lbFramesWork *w) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  const lbFramesState *state = lb_frames_state(body);
  bool good = true;
  w->elastic_end = NAN;
  for (int32_t i = 0; i < shared->count; i++) {
    const double *velocity = w->velocity + 6 * i;
    for (int k = 0; k < 6; k++) good = good && lb_is_bounded(h * velocity[k]);
    if (!good) return false;
    w->poses[i] =
        w->prescribed[i] ? w->targets[i] : lb_frame_advance(&state->poses[i], velocity, h);
    if (w->prescribed[i] && lb_quat_dot(w->poses[i].rotation, state->poses[i].rotation) < 0)
      w->poses[i].rotation = lb_quat_scale(-1, w->poses[i].rotation);
    w->end[i] = lb_frame_motion(&shared->rest[i], &w->poses[i], velocity);
    w->end[i].still = w->start[i].still;
  }
  return true;
}

// ---- a step ------------------------------------------------------------------------------------

// Frames that are held, stand still and go on doing so have no part in the system.
static void find_still(const lbBody *body, lbFramesWork *w) {
  const double *velocity = lb_frames_state(body)->velocity;
  for (int32_t i = 0; i < lb_frames_count(body); i++) {
    bool still = w->prescribed[i];
    for (int32_t k = 6 * i; k < 6 * (i + 1); k++)
      still = still && velocity[k] == 0 && w->velocity[k] == 0;
    w->start[i].still = still;
  }
}

static int32_t linearise_frames_step(lbBody *body, lbStep *step, lbScratch *s) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  lbFramesWork *w = s->own;
  double h = step->h;
  // Springs have a cut where a frame is turned by half a turn, in which they would get stuck.
  bool last = step->integrator == LB_STEP_EULER;
  w->by_springs = lb_frames_state(body)->forces == LB_FRAME_SPRINGS && !last;
  align_signs(body, w);
  move_frame_frames_step(body, step, w);
  prescribe(body, h, w);
  lb_frames_motions(body, w->start);
  find_still(body, w);
  if (!lb_frames_solve_system(body, h, step->integrator != LB_STEP_ASKED, s, w))
    return LB_STEP_NONFINITE;
  w->mass_body = body;
  w->mass_version = lb_frames_state(body)->version;
  w->mass_factored = false;
  for (int32_t i = 0; i < 6 * shared->count; i++)
    if (!w->prescribed[i / 6]) w->velocity[i] = w->right[i];
  memcpy(w->free, w->velocity, 6 * (size_t)shared->count * sizeof(double));
  if (lb_body_is_constrained(body))
    memset(w->pull, 0, (size_t)body->prepared->padded * sizeof(double));
  return lb_frames_find_poses(body, h, w) ? 0 : LB_STEP_NONFINITE;
}

// q (padded) <- nodes at the step's end, own axes there.
static void find_nodes_frames_step(const lbBody *body, lbFramesWork *w, double *fixed, double *q) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  lb_frame_skin_move(shared->nodes, body->prepared->level, w->end, 0, shared->whole.node_count,
                     fixed, NULL);
  lb_whole_to_own(&shared->whole, &w->place, fixed, q);
}

// moved (padded) <- h times the velocities of nodes for velocities (6 count) of frames.
static void move_nodes(const lbBody *body, double h, const double *velocity, lbFramesWork *w,
                       double *moved) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  memcpy(w->probe, w->end, (size_t)shared->count * sizeof *w->probe);
  for (int32_t i = 0; i < shared->count; i++)
    lb_frame_rate(&w->end[i], velocity + 6 * i, w->probe[i].V);
  lb_frame_skin_move(shared->nodes, body->prepared->level, w->probe, 0, shared->whole.node_count,
                     NULL, moved);
  for (int32_t i = 0; i < body->prepared->dimension; i++) moved[i] *= h;
  lb_whole_turn_back(&shared->whole, &w->place, moved, moved);
}

// w->right <- velocities of frames by a force at nodes (own axes) that is held over the step.
static void respond_frames(const lbBody *body, double h, const double *force, lbFramesWork *w) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  memset(w->sums, 0, 8 * (size_t)shared->count * sizeof(double));
  memset(w->right, 0, (size_t)lb_ldlt_padded(6 * shared->count) * sizeof(double));
  for (int32_t n = 0; n < shared->whole.node_count; n++) {
    lbVec3 f = lb_vec3_load(force + 3 * (size_t)n);
    if (f.x == 0 && f.y == 0 && f.z == 0) continue;
    lb_frame_skin_spread(shared->nodes, w->end, n,
                         lb_scale(h, lb_quat_rotate(w->place.rotation, f)), w->sums);
  }
  for (int32_t i = 0; i < shared->count; i++)
    if (!w->prescribed[i]) lb_frame_gather(&w->end[i], w->sums + 8 * i, w->right + 6 * i);
  lb_frames_solve(shared, w->factor, w->room, w->right);
}

// About where the forces that were found have brought the frames: nodes without them.
static void linearise_again_frames_step(lbBody *body, const lbStep *step, lbScratch *s) {
  lbFramesWork *w = s->own;
  for (int32_t i = 0; i < 6 * lb_frames_count(body); i++) w->right[i] = w->free[i] - w->velocity[i];
  move_nodes(body, step->h, w->right, w, s->b);
  find_nodes_frames_step(body, w, s->a, s->q);
  for (int32_t i = 0; i < body->prepared->dimension; i++) s->q[i] += s->b[i];
}

// Contacts ask where nodes come to without them, which may be far for a body that they squeeze:
// what they do is seen about the start, where forces act on frames in the step itself.
static void go_straight(lbBody *body, const lbStep *step, lbScratch *s) {
  lbFramesWork *w = s->own;
  memcpy(w->end, w->start, (size_t)lb_frames_count(body) * sizeof *w->end);
  find_nodes_frames_step(body, w, s->a, s->q);
  move_nodes(body, step->h, w->velocity, w, s->b);
  for (int32_t i = 0; i < body->prepared->dimension; i++) s->q[i] += s->b[i];
}

int32_t lb_frames_begin(lbBody *body, lbStep *step, lbScratch *s) {
  if (step->iteration > 0) {
    linearise_again_frames_step(body, step, s);
    return 0;
  }
  int32_t flags = linearise_frames_step(body, step, s);
  if (flags & LB_STEP_NONFINITE) return flags;
  if (step->stays_open)
    go_straight(body, step, s);
  else
    find_nodes_frames_step(body, s->own, s->a, s->q);
  return flags;
}

void lb_frames_respond(const lbBody *body, const lbStep *step, lbScratch *s, const double *force,
                       double *moved) {
  lbFramesWork *w = s->own;
  respond_frames(body, step->h, force, w);
  memset(moved, 0, (size_t)body->prepared->padded * sizeof *moved);
  move_nodes(body, step->h, w->right, w, moved);
}

// Forces that came after the linearisation, which is linear in them, as if they had been loads.
static bool join_late_forces(const lbBody *body, const lbStep *step, lbScratch *s) {
  lbFramesWork *w = s->own;
  int32_t n = 6 * lb_frames_count(body);
  lb_frames_load_late(body, s, w);
  for (int32_t i = 0; i < n; i++) {
    w->loads[i] += w->right[i];
    w->right[i] = w->prescribed[i / 6] ? 0 : step->h * w->right[i];
  }
  lb_frames_solve(lb_frames_shared(body->prepared), w->factor, w->room, w->right);
  for (int32_t i = 0; i < n; i++)
    if (!w->prescribed[i / 6]) w->free[i] += w->right[i];
  memcpy(w->velocity, w->free, (size_t)n * sizeof(double));
  return lb_body_is_constrained(body) || lb_frames_find_poses(body, step->h, w);
}

int32_t lb_frames_end(lbBody *body, const lbStep *step, lbScratch *s) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  lbFramesWork *w = s->own;
  bool constrained = lb_body_is_constrained(body);
  w->work = 0;
  if (step->stays_open && step->iteration == 0) {
    if (!join_late_forces(body, step, s)) return LB_STEP_NONFINITE;
    if (!constrained) find_nodes_frames_step(body, w, s->a, s->q);
  }
  if (constrained) {
    memcpy(w->pull, s->pull, (size_t)body->prepared->padded * sizeof(double));
    respond_frames(body, step->h, w->pull, w);
    for (int32_t i = 0; i < 6 * shared->count; i++)
      w->velocity[i] = w->free[i] + (w->prescribed[i / 6] ? 0 : w->right[i]);
    if (!lb_frames_find_poses(body, step->h, w)) return LB_STEP_NONFINITE;
    find_nodes_frames_step(body, w, s->a, s->b);
    double farthest = 0;
    for (int32_t i = 0; i < body->prepared->dimension; i++) {
      farthest = fmax(farthest, fabs(s->b[i] - s->q[i]));
      w->work += w->pull[i] * (s->b[i] - s->q0[i]);
    }
    memcpy(s->q, s->b, (size_t)body->prepared->padded * sizeof(double));
    if (!lb_is_bounded(farthest)) return LB_STEP_NONFINITE;
    if (farthest > LB_CONVERGED * body->prepared->size &&
        step->iteration + 1 < LB_LINEARISATIONS_MAX)
      return LB_STEP_AGAIN;
  }
  memset(s->v, 0, (size_t)body->prepared->padded * sizeof(double));
  return lb_frames_judge(body, step, s);
}

// ---- the end -----------------------------------------------------------------------------------

static bool is_led(const lbFramesState *state, int32_t i) {
  const lbFramePose *to = &state->goals[i], *from = &state->reached[i];
  return memcmp(to, from, sizeof *to) != 0;
}

// Prescribed frames move as what prescribes them does at the end; those that are led as they moved
// over the step.
static void set_prescribed_rates(const lbBody *body, const lbStep *step, lbFramesWork *w) {
  lbFrameRates rates = lb_frame_end_rates(body, step);
  const lbFramesState *state = lb_frames_state(body);
  for (int32_t i = 0; i < lb_frames_count(body); i++)
    if (w->prescribed[i] && !state->held[i] && !is_led(state, i))
      carried_frames_step(body, &w->place, &rates, w->poses[i].position, w->velocity + 6 * i);
}

// Velocities (6 count) += a rigid motion about c.
static void add_rigid_frames_step(const lbFramesState *state, int32_t count, lbVec3 v, lbVec3 spin,
                                  lbVec3 c) {
  for (int32_t i = 0; i < count; i++) {
    double *velocity = state->velocity + 6 * i;
    lbVec3 arm = lb_sub(state->poses[i].position, c);
    lb_vec3_store(velocity, lb_add(lb_vec3_load(velocity), spin));
    lb_vec3_store(velocity + 3, lb_add(lb_vec3_load(velocity + 3), lb_add(v, lb_cross(spin, arm))));
  }
}

// The momenta that external forces and damping leave. A body that nothing holds also has its
// centre where its momentum takes it.
static void keep_momenta_frames_step(lbBody *body, double h, lbScratch *s) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  const lbWhole *whole = &shared->whole;
  lbFramesState *state = lb_frames_state(body);
  lbFramesWork *w = s->own;
  lbFrameSurvey *survey = &w->survey;
  double share = 1 / (1 + h * body->damping_mass);
  lbVec3 force = lb_add_scaled(w->force, whole->mass, lb_frames_gravity(body));
  lbVec3 torque = lb_sub(w->torque, lb_cross(w->centre, w->force));
  bool constrained = lb_body_is_constrained(body);
  lb_frames_survey(body, w->probe, survey);
  lbVec3 c = lb_scale(1 / whole->mass, survey->moment);
  for (int32_t n = 0; n < whole->node_count && constrained; n++) {
    lbVec3 f = lb_vec3_load(w->pull + 3 * (size_t)n);
    if (f.x == 0 && f.y == 0 && f.z == 0) continue;
    f = lb_quat_rotate(w->place.rotation, f);
    lbVec3 own =
        lb_add(lb_vec3_load(whole->positions + 3 * (size_t)n), lb_vec3_load(s->q + 3 * (size_t)n));
    force = lb_add(force, f);
    torque = lb_add(torque, lb_cross(lb_sub(lb_placement_apply(&w->place, own), c), f));
  }
  lbVec3 P = lb_scale(share, lb_add_scaled(w->momentum, h, force));
  lbVec3 L = lb_scale(share, lb_add_scaled(w->angular, h, torque));
  lbMat3 X = lb_mat3_sub(survey->second, lb_mat3_scale(whole->mass, lb_mat3_outer(c, c)));
  lbMat3 J = lb_mat3_sub(lb_mat3_scale(lb_mat3_trace(X), lb_mat3_identity()), X);
  lbVec3 missing = lb_sub(L, lb_sub(survey->angular, lb_cross(c, survey->linear)));
  lbVec3 spin = lb_inertia_solve(J, missing);
  double turn = h * lb_length(spin);
  if (!(turn <= SPUN_MOST)) {
    spin = lb_is_bounded(turn) ? lb_scale(SPUN_MOST / turn, spin) : lb_vec3(0, 0, 0);
    L = lb_add(lb_sub(L, missing), lb_mat3_apply(J, spin));
  }
  add_rigid_frames_step(state, shared->count, lb_scale(1 / whole->mass, lb_sub(P, survey->linear)),
                        spin, c);
  if (constrained) return;
  lbVec3 shift = lb_sub(lb_add_scaled(w->centre, h / whole->mass, P), c), m = survey->moment;
  for (int32_t i = 0; i < shared->count; i++)
    state->poses[i].position = lb_add(state->poses[i].position, shift);
  // What the body is as a whole then.
  lbVec3 moved = lb_scale(whole->mass, shift);
  survey->moment = lb_add(m, moved);
  survey->linear = P;
  survey->angular = lb_add(L, lb_cross(lb_add(c, shift), P));
  survey->second = lb_mat3_add(survey->second, lb_mat3_outer(m, shift));
  survey->second = lb_mat3_add(survey->second, lb_mat3_outer(shift, lb_add(m, moved)));
  survey->turned = lb_mat3_add(survey->turned, lb_mat3_outer(moved, whole->centre));
}

int32_t lb_frames_commit(lbBody *body, const lbStep *step, lbScratch *s) {
  lbFramesState *state = lb_frames_state(body);
  lbFramesWork *w = s->own;
  size_t count = (size_t)lb_frames_count(body);
  set_prescribed_rates(body, step, w);
  memcpy(state->poses, w->poses, count * sizeof *state->poses);
  memcpy(state->velocity, w->velocity, 6 * count * sizeof(double));
  memcpy(state->reached, state->goals, count * sizeof *state->reached);
  state->T = w->place;
  state->version++;
  body->consistent = true;
  if (body->frame.fitted && !lb_frames_any_held(body)) keep_momenta_frames_step(body, step->h, s);
  if (!lb_body_is_handled(body)) return 0;
  lb_frame_end(body, step, s); // velocities are relative to it
  body->prepared->method->get(body, s->q, s->v, NULL);
  return 0;
}

// ---- bodies that nothing touches ---------------------------------------------------------------

// All substeps of a take, without a look at nodes; the state stays as it was where it fails.
static int32_t step_alone(lbBody *body, double h, int32_t take, lbScratch *s) {
  const lbBodyMethod *method = body->prepared->method;
  int32_t count = lb_take_substeps(take), flags = 0;
  lbFrameState frame = body->frame;
  if (count > 1) method->save(body, s->numbers);
  for (int32_t i = 0; i < count && !(flags & (LB_STEP_NONFINITE | LB_STEP_FAR)); i++) {
    lbStep step = {
      .h = h / count, .integrator = lb_take_integrator(take), .share = 1, .whole = &frame
    };
    lbFramesWork *w = s->own;
    w->work = 0;
    flags |= linearise_frames_step(body, &step, s);
    if (!(flags & LB_STEP_NONFINITE)) flags |= lb_frames_judge(body, &step, s);
    if (flags & (LB_STEP_NONFINITE | LB_STEP_FAR)) break;
    double excess = lb_guard_account(body, &step, s);
    bool last = step.integrator == LB_STEP_EULER;
    if (excess > 0 && !last) flags |= LB_STEP_FAR;
    if (excess > 0 && !last) break;
    if (excess > 0) method->get(body, s->q0, NULL, NULL);
    lb_frames_commit(body, &step, s);
    if (body->frame.fitted && lb_frames_any_held(body))
      method->fit_frame(body, s);
    else if (body->frame.fitted)
      lb_frames_fit_frame(body, &w->survey);
    if (excess > 0) flags |= lb_guard_dissipate(body, excess, s);
  }
  if (!(flags & (LB_STEP_NONFINITE | LB_STEP_FAR)) || count == 1) return flags;
  method->restore(body, s->numbers);
  body->frame = frame;
  return flags;
}

void lb_frames_step_many(lbBodyGroup *group, int32_t begin, int32_t end, double h, lbScratch *s) {
  for (int32_t k = begin; k < end; k++) {
    lbBody *body = &group->bodies[k];
    if (!body->plain) continue;
    int32_t flags = lb_guard_take(body, h, step_alone, s);
    body->prepared->method->set_weight(body, NULL); // applied forces are gone
    body->time += h;
    body->h = h;
    body->flags = flags & ~LB_STEP_PRIVATE;
  }
}
