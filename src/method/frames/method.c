// The table of operations of bodies by frames: their state and what it answers.
#include "method/frames/frames.h"
#include "method/table.h"

#include <string.h>

enum {
  EXTRA_HEAD = LB_FRAMES_HEAD,
  EXTRA_FRAME = LB_FRAMES_STATE,
  HEAD_OWN = LB_FRAMES_HEAD - LB_FRAMES_INSERTED * LB_FRAMES_ROOM
}; // numbers of a saved state, beside a row of forces

// ---- memory ------------------------------------------------------------------------------------

static void place_group_frames(const lbPrepared *p, lbBodyGroup *group, lbCarver *carver) {
  const lbFramesShared *shared = lb_frames_shared(p);
  size_t count = (size_t)lb_frames_room(p);
  lbFramesState *states = lb_carve(carver, (size_t)group->count, sizeof *states);
  for (int32_t i = 0; i < group->count && !carver->overflow; i++) {
    lbFramesState draft = { .T = lb_placement_identity(),
                            .forces = (lbFrameForces)p->model->frame_settings[0],
                            .version = 1 };
    draft.poses = lb_carve(carver, count, sizeof *draft.poses);
    draft.velocity = lb_carve(carver, 6 * count, sizeof(double));
    draft.goals = lb_carve(carver, count, sizeof *draft.goals);
    draft.reached = lb_carve(carver, count, sizeof *draft.reached);
    draft.held = lb_carve(carver, count, sizeof *draft.held);
    draft.force = lb_carve(carver, (size_t)p->padded, sizeof(double));
    if (!states) continue;
    states[i] = draft;
    memcpy(draft.poses, shared->rest, (size_t)shared->count * sizeof *draft.poses);
    memcpy(draft.goals, shared->rest, (size_t)shared->count * sizeof *draft.goals);
    memcpy(draft.reached, shared->rest, (size_t)shared->count * sizeof *draft.reached);
    group->bodies[i].own = &states[i];
  }
}

// Frames at a batch of samples or nodes, with those that may be inserted.
static int32_t list_room(const lbPrepared *p) {
  const lbFramesShared *shared = lb_frames_shared(p);
  int32_t most = shared->samples->list_most, other = shared->node_samples->list_most;
  most = (other > most ? other : most) + LB_FRAMES_ROOM;
  return most < LB_FRAME_LIST_MOST ? most : LB_FRAME_LIST_MOST;
}

static void place_scratch_frames(const lbPrepared *p, lbScratch *scratch, lbCarver *carver) {
  size_t count = (size_t)lb_frames_room(p), n = 6 * count;
  size_t padded = (size_t)lb_ldlt_padded((int32_t)n);
  size_t room = lb_frame_sums_doubles(list_room(p), (int32_t)count);
  lbFramesWork draft = { 0 }, *w = lb_carve(carver, 1, sizeof draft);
  lbFrameMotion **motions[] = { &draft.start, &draft.end, &draft.probe };
  for (size_t k = 0; k < 3; k++) *motions[k] = lb_carve(carver, count, sizeof **motions[k]);
  draft.poses = lb_carve(carver, count, sizeof *draft.poses);
  draft.targets = lb_carve(carver, count, sizeof *draft.targets);
  double **vectors[] = { &draft.velocity, &draft.free, &draft.gradient, &draft.loads,
                         &draft.right };
  for (size_t k = 0; k < 5; k++) *vectors[k] = lb_carve(carver, padded, sizeof(double));
  draft.K = lb_carve(carver, n * n, sizeof(double));
  draft.M = lb_carve(carver, n * n, sizeof(double));
  draft.factor = lb_carve(carver, padded * padded, sizeof(double));
  draft.mass_factor = lb_carve(carver, padded * padded, sizeof(double));
  draft.sums = lb_carve(carver, 8 * count, sizeof(double));
  draft.product = lb_carve(carver, 6 * count, sizeof(double));
  draft.room = lb_carve(carver, room, sizeof(double));
  draft.pull = lb_carve(carver, (size_t)p->padded, sizeof(double));
  draft.prescribed = lb_carve(carver, count, sizeof *draft.prescribed);
  if (w) *w = draft;
  scratch->own = w;
}

static lbStatus furnish_frames(lbBody *body, lbError *err) {
  if (body->integrator != LB_INTEGRATOR_CENTRAL) return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT,
                 "integrator is central: a body of the method \"frames\" has implicit Euler");
}

// ---- state -------------------------------------------------------------------------------------

void lb_frames_motions(const lbBody *body, lbFrameMotion *motions) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  const lbFramesState *state = lb_frames_state(body);
  for (int32_t i = 0; i < shared->count; i++)
    motions[i] = lb_frame_motion(&shared->rest[i], &state->poses[i], state->velocity + 6 * i);
}

// q and v of the nodes, from displacements and velocities in the fixed axes.
static void turn_to_own(const lbBody *body, double *q, double *v) {
  const lbWhole *whole = &lb_frames_shared(body->prepared)->whole;
  const lbFramesState *state = lb_frames_state(body);
  lbFrameRates frame = lb_frame_rates(body);
  lbQuat back = lb_quat_conjugate(state->T.rotation);
  bool stands = lb_length(frame.velocity) == 0 && lb_length(frame.spin) == 0;
  if (state->T.identity && stands) return;
  for (size_t n = 0; n < (size_t)whole->node_count; n++) {
    lbVec3 X = lb_vec3_load(whole->positions + 3 * n), u = lb_vec3_load(q + 3 * n);
    lbVec3 own = lb_quat_rotate(back, lb_sub(lb_add(X, u), state->T.position));
    lbVec3 carried = lb_add(frame.velocity, lb_cross(frame.spin, lb_sub(own, whole->centre)));
    if (v) lb_vec3_store(v + 3 * n, lb_sub(lb_quat_rotate(back, lb_vec3_load(v + 3 * n)), carried));
    if (!state->T.identity) lb_vec3_store(q + 3 * n, lb_sub(own, X));
  }
}

static void get_frames(const lbBody *body, double *q, double *v, double *force) {
  const lbPrepared *p = body->prepared;
  const lbFramesShared *shared = lb_frames_shared(p);
  const lbFramesState *state = lb_frames_state(body);
  size_t used = (size_t)p->dimension, rest = ((size_t)p->padded - used) * sizeof(double);
  lbFrameMotion motions[LB_FRAMES_MOST];
  LB_ASSERT(q || !v); // places are needed for velocities
  if (q) {
    lb_frames_motions(body, motions);
    lb_frame_skin_move(shared->nodes, p->level, motions, 0, p->model->size.node_count, q, v);
    turn_to_own(body, q, v);
  }
  if (q) memset(q + used, 0, rest);
  if (v) memset(v + used, 0, rest);
  if (!force) return;
  memset(force, 0, (size_t)p->padded * sizeof *force);
  lb_whole_turn_back(&shared->whole, &state->T, state->force, force);
}

// Whether the body already has these coordinates and rates, to the bit.
static bool has(const lbBody *body, const double *q, const double *v, lbScratch *s) {
  size_t bytes = (size_t)body->prepared->dimension * sizeof(double);
  get_frames(body, s->a, s->b, NULL);
  return (!q || memcmp(s->a, q, bytes) == 0) && (!v || memcmp(s->b, v, bytes) == 0);
}

static void put_motion_frames(lbBody *body, const double *q, const double *v, lbScratch *s) {
  lbFramesState *state = lb_frames_state(body);
  const lbWhole *whole = &lb_frames_shared(body->prepared)->whole;
  lbFrameRates rates = lb_frame_rates(body);
  if (has(body, q, v, s)) return;
  if (q) {
    lb_whole_from_own(whole, &state->T, q, s->c);
    lb_frames_fit_poses(body, s->c, s->own, s);
    state->version++;
  }
  if (!v) return;
  lbFrameMotion motions[LB_FRAMES_MOST];
  lb_frames_motions(body, motions);
  lb_frame_skin_move(lb_frames_shared(body->prepared)->nodes, body->prepared->level, motions, 0,
                     whole->node_count, s->a, NULL);
  lb_whole_rates_from_own(whole, &state->T, &rates, s->a, v, s->c);
  lb_frames_fit_velocity(body, s->c, s->own);
}

static void put_frames(lbBody *body, const double *q, const double *v, const double *force) {
  lbFramesState *state = lb_frames_state(body);
  if (force) {
    lb_whole_turn(&lb_frames_shared(body->prepared)->whole, &state->T, force, state->force);
    state->loaded = true;
  }
  lbScratch *s = q || v ? lb_scratch_borrow(body->prepared) : NULL;
  if (s) put_motion_frames(body, q, v, s);
  lb_scratch_return(body->prepared, s);
}

// The weight is the method's own affair: lb_frames_gravity.
static void set_weight_frames(lbBody *body, const double *weight) {
  lbFramesState *state = lb_frames_state(body);
  if (weight || !state->loaded) return;
  memset(state->force, 0, (size_t)body->prepared->padded * sizeof(double));
  state->loaded = false;
}

lbVec3 lb_frames_gravity(const lbBody *body) {
  lbPlacement base = lb_whole_base(body, &lb_frames_state(body)->T);
  return lb_quat_rotate(lb_quat_conjugate(base.rotation), body->gravity);
}

static void put_pose_frames(const lbFramePose *pose, double *to) {
  lb_vec3_store(to, pose->position);
  to[3] = pose->rotation.x, to[4] = pose->rotation.y;
  to[5] = pose->rotation.z, to[6] = pose->rotation.w;
}

static lbFramePose take_pose_frames(const double *from, const lbFramePose *otherwise) {
  lbQuat turn = lb_quat(from[3], from[4], from[5], from[6]);
  if (!lb_rotation_make_unit(&turn)) turn = otherwise->rotation;
  return (lbFramePose){ turn, lb_vec3_load(from) };
}

static void save_frames(const lbBody *body, double *numbers) {
  const lbFramesState *state = lb_frames_state(body);
  size_t padded = (size_t)body->prepared->padded;
  const lbPlacement *T = &state->T;
  const double head[HEAD_OWN] = { T->position.x,       T->position.y,       T->position.z,
                                  T->rotation.x,       T->rotation.y,       T->rotation.z,
                                  T->rotation.w,       T->identity,         state->forces,
                                  state->pressed_at.x, state->pressed_at.y, state->pressed_at.z,
                                  state->pressed,      state->altered,      state->inserted_count };
  memcpy(numbers, state->force, padded * sizeof(double));
  memset(numbers + padded, 0, EXTRA_HEAD * sizeof *numbers);
  memcpy(numbers + padded, head, sizeof head);
  for (int32_t k = 0; k < state->inserted_count; k++) {
    const lbInsertedFrame *frame = &state->inserted[k];
    double *own = numbers + padded + HEAD_OWN + LB_FRAMES_INSERTED * k;
    lb_vec3_store(own, frame->rest);
    own[3] = frame->reach, own[4] = frame->unused;
  }
  double *to = numbers + padded + EXTRA_HEAD;
  memset(to, 0, EXTRA_FRAME * (size_t)lb_frames_room(body->prepared) * sizeof *to);
  for (int32_t i = 0; i < lb_frames_count(body); i++, to += EXTRA_FRAME) {
    put_pose_frames(&state->poses[i], to);
    memcpy(to + 7, state->velocity + 6 * i, 6 * sizeof *to);
    put_pose_frames(&state->goals[i], to + 13);
    to[20] = state->held[i];
  }
}

static lbInsertedFrame inserted_at(const double *extra, int32_t k) {
  const double *own = extra + HEAD_OWN + LB_FRAMES_INSERTED * k;
  return (lbInsertedFrame){ lb_vec3_load(own), own[3], own[4] };
}

static lbStatus refit_frames(lbBody *body, const double *numbers) {
  const double *extra = numbers + body->prepared->padded;
  int32_t most = lb_frames_room(body->prepared) - body->prepared->model->size.frame_count;
  lbInsertedFrame frames[LB_FRAMES_ROOM];
  double count = extra[HEAD_OWN - 1];
  if (extra[HEAD_OWN - 2] != lb_frames_state(body)->altered)
    return lb_fail(body->message, LB_ERR_FORMAT, "state: saved with other frames");
  if (!(count >= 0 && count <= most && count == floor(count)))
    return lb_fail(body->message, LB_ERR_FORMAT, "state: %g frames were inserted, %d can be", count,
                   (int)most);
  for (int32_t k = 0; k < (int32_t)count; k++) frames[k] = inserted_at(extra, k);
  return lb_frames_take_inserted(body, (int32_t)count, frames);
}

static void restore_frames(lbBody *body, const double *numbers) {
  lbFramesState *state = lb_frames_state(body);
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  size_t padded = (size_t)body->prepared->padded;
  const double *extra = numbers + padded, *from = extra + EXTRA_HEAD;
  lbQuat rotation = lb_quat(extra[3], extra[4], extra[5], extra[6]);
  memcpy(state->force, numbers, padded * sizeof(double));
  state->loaded = true;
  bool identity = extra[7] != 0 || !lb_rotation_make_unit(&rotation);
  state->T =
      identity ? lb_placement_identity() : (lbPlacement){ lb_vec3_load(extra), rotation, false };
  state->forces = extra[8] == LB_FRAME_SPRINGS ? LB_FRAME_SPRINGS : LB_FRAME_SAMPLES;
  state->pressed_at = lb_vec3_load(extra + 9);
  state->pressed = extra[12];
  for (int32_t k = 0; k < state->inserted_count; k++) state->inserted[k] = inserted_at(extra, k);
  for (int32_t i = 0; i < shared->count; i++, from += EXTRA_FRAME) {
    state->poses[i] = take_pose_frames(from, &shared->rest[i]);
    memcpy(state->velocity + 6 * i, from + 7, 6 * sizeof *from);
    state->goals[i] = state->reached[i] = take_pose_frames(from + 13, &shared->rest[i]);
    state->held[i] = from[20] == 1 && !shared->fixed[i];
  }
  state->version++;
}

// Another material: frames that were inserted are gone.
static void forget_frames(lbBody *body) {
  lbFramesState *state = lb_frames_state(body);
  state->inserted_count = 0;
  state->altered = false;
}

// ---- forces ------------------------------------------------------------------------------------

bool lb_frames_is_lumped(const lbBody *body) {
  return lb_frames_state(body)->forces == LB_FRAME_SPRINGS ||
         lb_frames_shared(body->prepared)->mass == LB_FRAME_LUMPED;
}

void lb_frames_sum_by(const lbBody *body, bool springs, int32_t options,
                      const lbFrameMotion *motions, const lbFramePose *poses,
                      const double *velocity, double *room, lbFrameSystem *out) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  int32_t inertia = LB_FRAMES_MASS | LB_FRAMES_LOADS, asked = options & inertia;
  int32_t elastic = options & ~inertia, by_samples = springs ? 0 : elastic;
  lbVec3 gravity = lb_frames_gravity(body);
  if (lb_frames_is_lumped(body) && asked)
    lb_frame_springs_lump(shared->springs, poses, velocity, gravity, out);
  if (!lb_frames_is_lumped(body)) by_samples |= asked;
  if (by_samples || (!springs && !asked))
    lb_frame_sum(shared->samples, body->prepared->level, by_samples, shared->count, motions,
                 gravity, room, out);
  if (springs)
    lb_frame_springs_sum(shared->springs, body->prepared->level, elastic, shared->rest, poses,
                         motions, out);
}

void lb_frames_sum(const lbBody *body, int32_t options, const lbFrameMotion *motions,
                   const lbFramePose *poses, const double *velocity, double *room,
                   lbFrameSystem *out) {
  bool springs = lb_frames_state(body)->forces == LB_FRAME_SPRINGS;
  lb_frames_sum_by(body, springs, options, motions, poses, velocity, room, out);
}

void lb_frames_survey(const lbBody *body, lbFrameMotion *motions, lbFrameSurvey *out) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  const lbFramesState *state = lb_frames_state(body);
  if (lb_frames_is_lumped(body))
    lb_frame_springs_survey(shared->springs, shared->rest, state->poses, state->velocity, out);
  if (lb_frames_is_lumped(body)) return;
  lb_frames_motions(body, motions);
  lb_frame_survey(shared->samples, body->prepared->level, motions, out);
}

double lb_frames_modulus(const lbBody *body) {
  const lbModel *m = body->prepared->model;
  double volume = 0;
  for (int32_t k = 0; k < m->size.sample_count; k++) volume += m->sample_volumes[k];
  return 2 * lb_frames_shared(body->prepared)->modulus / volume;
}

// ---- the body as a whole -----------------------------------------------------------------------

static lbMat3 inertia_about_frames(const lbFrameSurvey *survey, double mass, lbVec3 c) {
  lbMat3 X = lb_mat3_sub(survey->second, lb_mat3_scale(mass, lb_mat3_outer(c, c)));
  return lb_mat3_sub(lb_mat3_scale(lb_mat3_trace(X), lb_mat3_identity()), X);
}

void lb_frames_fit_frame(lbBody *body, const lbFrameSurvey *survey) {
  const lbWhole *whole = &lb_frames_shared(body->prepared)->whole;
  lbVec3 c = lb_scale(1 / whole->mass, survey->moment);
  lbVec3 L = lb_sub(survey->angular, lb_cross(c, survey->linear));
  lbMat3 turn;
  lb_polar3(
      lb_mat3_sub(survey->turned, lb_mat3_scale(whole->mass, lb_mat3_outer(c, whole->centre))),
      &turn, NULL);
  lb_whole_set_frame(body, whole, &lb_frames_state(body)->T, c, turn, survey->linear, L,
                     inertia_about_frames(survey, whole->mass, c));
}

static void fit_frame_frames(lbBody *body, lbScratch *scratch) {
  lbFramesWork *w = scratch->own;
  lbFrameSurvey survey;
  lb_frames_survey(body, w->probe, &survey);
  lb_frames_fit_frame(body, &survey);
}

static void report_frames(const lbBody *body, lbBodyReport *report, lbScratch *scratch) {
  const lbFramesState *state = lb_frames_state(body);
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  lbFramesWork *w = scratch->own;
  lbFrameSurvey survey;
  lbFrameSystem sums = { 0 };
  lb_frames_survey(body, w->probe, &survey);
  lb_frames_motions(body, w->probe);
  lb_frames_sum(body, 0, w->probe, state->poses, state->velocity, w->room, &sums);
  lbPlacement base = lb_whole_base(body, &state->T);
  report->kinetic = survey.kinetic;
  report->elastic = sums.energy;
  report->centre = lb_placement_apply(&base, lb_scale(1 / shared->whole.mass, survey.moment));
  report->linear_momentum = lb_quat_rotate(base.rotation, survey.linear);
  report->angular_momentum = lb_add(lb_quat_rotate(base.rotation, survey.angular),
                                    lb_cross(base.position, report->linear_momentum));
}

// ---- masses and compliances --------------------------------------------------------------------

void lb_frames_find_mass(const lbBody *body, lbScratch *scratch) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  const lbFramesState *state = lb_frames_state(body);
  lbFramesWork *w = scratch->own;
  bool there = w->mass_body == body && w->mass_version == state->version, fixed[LB_FRAMES_MOST];
  if (there && w->mass_factored) return;
  if (!there) {
    lbFrameSystem sums = { 0, NULL, NULL, NULL, w->M };
    lb_frames_motions(body, w->start);
    lb_frames_sum(body, LB_FRAMES_MASS, w->start, state->poses, state->velocity, w->room, &sums);
    memcpy(w->end, w->start, (size_t)shared->count * sizeof *w->end);
  }
  for (int32_t i = 0; i < shared->count; i++) fixed[i] = lb_frames_is_led(body, i);
  lb_frames_combine(shared->count, 1, w->M, 0, NULL, w->mass_factor);
  w->mass_factored = lb_frames_factor(shared, fixed, w->mass_factor);
  w->mass_body = w->mass_factored ? body : NULL;
  w->mass_version = state->version;
}

// w->right <- Mᵀ of what forces at nodes (own axes) are, with prescribed frames cut off.
static void reduce_of_frames(const lbBody *body, const lbFrameMotion *motions, const lbPlacement *T,
                             const double *own, lbFramesWork *w) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  memset(w->sums, 0, 8 * (size_t)shared->count * sizeof(double));
  memset(w->right, 0, (size_t)lb_ldlt_padded(6 * shared->count) * sizeof(double));
  for (int32_t n = 0; n < shared->whole.node_count; n++) {
    lbVec3 f = lb_vec3_load(own + 3 * (size_t)n);
    if (f.x == 0 && f.y == 0 && f.z == 0) continue;
    if (!T->identity) f = lb_quat_rotate(T->rotation, f);
    lb_frame_skin_spread(shared->nodes, motions, n, f, w->sums);
  }
  for (int32_t i = 0; i < shared->count; i++)
    if (!lb_frames_is_led(body, i)) lb_frame_gather(&motions[i], w->sums + 8 * i, w->right + 6 * i);
}

// x (padded) <- velocities of nodes (own axes) that w->right is, of frames
static void expand_frames(const lbBody *body, const lbFrameMotion *motions, const lbPlacement *T,
                          lbFramesWork *w, double *x) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  memcpy(w->probe, motions, (size_t)shared->count * sizeof *w->probe);
  for (int32_t i = 0; i < shared->count; i++)
    lb_frame_rate(&motions[i], w->right + 6 * i, w->probe[i].V);
  lb_frame_skin_move(shared->nodes, body->prepared->level, w->probe, 0, shared->whole.node_count,
                     NULL, x);
  lb_whole_turn_back(&shared->whole, T, x, x);
}

static void mobilise_frames(const lbBody *body, lbScratch *scratch, double *x) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  lbFramesWork *w = scratch->own;
  lb_frames_find_mass(body, scratch);
  reduce_of_frames(body, w->end, &lb_frames_state(body)->T, x, w);
  if (w->mass_body) lb_frames_solve(shared, w->mass_factor, w->room, w->right);
  expand_frames(body, w->end, &lb_frames_state(body)->T, w, x);
}

static void apply_impulse_to_frames(lbBody *body, lbScratch *scratch, const double *impulse,
                                    double *v) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  lbFramesState *state = lb_frames_state(body);
  lbFramesWork *w = scratch->own;
  lb_frames_find_mass(body, scratch);
  reduce_of_frames(body, w->end, &state->T, impulse, w);
  bool good = w->mass_body != NULL;
  good = good && lb_frames_solve(shared, w->mass_factor, w->room, w->right);
  for (int32_t i = 0; i < 6 * shared->count; i++)
    good = good && lb_is_bounded(state->velocity[i] + w->right[i]);
  for (int32_t i = 0; i < 6 * shared->count && good; i++) state->velocity[i] += w->right[i];
  get_frames(body, scratch->a, v, NULL);
  if (!good) v[0] = INFINITY; // tells the caller to refuse it
}

// x <- K⁻¹ x at rest, own axes.
static void comply_frames(const lbPrepared *p, double *x, lbScratch *scratch) {
  const lbFramesShared *shared = lb_frames_shared(p);
  lbFramesWork *w = scratch->own;
  lbBody body = { .prepared = p };
  lbPlacement T = lb_placement_identity();
  bool free = lb_model_is_free_by(p->model, LB_METHOD_FRAMES);
  if (free) lb_whole_take_out_rigid(&shared->whole, true, x);
  for (int32_t i = 0; i < shared->count; i++)
    w->start[i] = lb_frame_motion(&shared->rest[i], &shared->rest[i], NULL);
  w->mass_body = NULL;
  reduce_of_frames(&body, w->start, &T, x, w);
  if (shared->rest_factor) lb_frames_solve(shared, shared->rest_factor, w->room, w->right);
  expand_frames(&body, w->start, &T, w, x);
  if (free) lb_whole_take_out_rigid(&shared->whole, false, x);
}

static const double *materials_frames(const lbPrepared *p) {
  return lb_frames_shared(p)->materials;
}

const lbBodyMethod lb_frames_method = { .method = LB_METHOD_FRAMES,
                                        .stress_law = LB_MATERIAL_STVK,
                                        .fit_frame = fit_frame_frames,
                                        .refinements_most = LB_FRAMES_ROOM,
                                        .refine = lb_frames_refine,
                                        .refinement_spacing = lb_frames_refinement_spacing,
                                        .prepare = lb_frames_prepare,
                                        .build = lb_whole_build,
                                        .release = lb_frames_release,
                                        .rebuild = lb_frames_rebuild,
                                        .materials = materials_frames,
                                        .place_group = place_group_frames,
                                        .place_scratch = place_scratch_frames,
                                        .furnish = furnish_frames,
                                        .get = get_frames,
                                        .put = put_frames,
                                        .set_weight = set_weight_frames,
                                        .state_rows = 1,
                                        .state_extra = EXTRA_HEAD,
                                        .save = save_frames,
                                        .refit = refit_frames,
                                        .restore = restore_frames,
                                        .saves_all = true,
                                        .forget = forget_frames,
                                        .begin = lb_frames_begin,
                                        .respond = lb_frames_respond,
                                        .end = lb_frames_end,
                                        .created = lb_frames_created,
                                        .commit = lb_frames_commit,
                                        .step_many = lb_frames_step_many,
                                        .many = 1,
                                        .report = report_frames,
                                        .mobilise_at = mobilise_frames,
                                        .apply_impulse = apply_impulse_to_frames,
                                        .comply = comply_frames,
                                        .identify = lb_frames_identify };
