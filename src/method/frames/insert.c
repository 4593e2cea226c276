// Frames that come and go while a body runs: section 4.4 of the paper.
//
// The place at rest, X, of a point x of the body as it is: X ← X + F⁻¹ (x − x(X)), with weights
// continued from the nearest sample (weights: frames_sets.c).
//
// What frames a body has follows from its model and the list of those that were inserted, in their
// order: where one of these goes, the set is made anew from the others. So a saved state needs the
// list alone, and brings its frames along. Once a frame of the model itself has been removed the
// list tells nothing any more, and states are for bodies of these very frames.
#include "method/frames/frames.h"
#include "method/limits.h"

#include "body/constraints.h"
#include "frames/inserted_weight.h"

#include <string.h>

// 1: voxels that a frame reaches. At half of it, it has so few samples that its mass is not
// positive.
#define REACH_LEAST 3.0

// ---- going on with other frames ----------------------------------------------------------------

// The body's shape and motion before, in scratch->q and ->v, fixed axes.
static void keep_shape(const lbBody *body, lbScratch *s) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  lbFrameMotion motions[LB_FRAMES_MOST];
  lb_frames_motions(body, motions);
  lb_frame_skin_move(shared->nodes, body->prepared->level, motions, 0, shared->whole.node_count,
                     s->q, s->v);
}

// The body gets another prepared part, with the frames of a set.
static lbStatus take_set(lbBody *body, const lbFrameSet *set, bool altered) {
  const lbPrepared *now = body->prepared;
  const double *materials = lb_frames_shared(now)->materials;
  lbPrepared *made = NULL;
  lbStatus status = lb_prepared_derive(now, &made, body->message);
  if (!status)
    status = set ? lb_frames_rebuild_set(made, materials, set, body->message)
                 : lb_frames_rebuild(made, materials, body->message);
  if (status) {
    lb_prepared_release(made);
    return status;
  }
  made->hash = now->hash;
  if (altered) made->hash = lb_hash(now->hash, set->rest, (size_t)set->count * sizeof *set->rest);
  body->prepared = made; // its one reference
  lb_prepared_release(now);
  lb_frames_state(body)->version++;
  lb_body_disturb(body);
  if (body->constraints) body->constraints->constant = false;
  return LB_OK;
}

// The same, and goes on in the shape and the motion that keep_shape has kept.
static lbStatus go_on_insertion(lbBody *body, const lbFrameSet *set, bool altered, lbScratch *s) {
  lbFramesWork *w = s->own;
  lbStatus status = take_set(body, set, altered);
  if (status) return status;
  w->mass_body = NULL;
  lb_frames_improve_poses(body, s->q, LB_CONVERGED, w, s);
  lb_frames_fit_velocity(body, s->v, w);
  lb_frames_state(body)->version++;
  return LB_OK;
}

// ---- the place at rest -------------------------------------------------------------------------

static lbFramePoint point_near(const lbBody *body, const lbFrameMotion *motions, int32_t sample,
                               lbVec3 X) {
  const lbFrameLists *lists = &lb_frames_shared(body->prepared)->set.samples;
  double values[LB_FRAME_LIST_MOST], gradients[3 * LB_FRAME_LIST_MOST];
  int32_t begin = lists->begin[sample], count = lists->begin[sample + 1] - begin;
  lbVec3 way =
      lb_sub(X, lb_vec3_load(body->prepared->model->sample_positions + 3 * (size_t)sample));
  for (int32_t i = 0; i < count; i++) {
    const double *w = lists->values + 4 * (size_t)(begin + i);
    memcpy(gradients + 3 * i, w + 1, 3 * sizeof *gradients);
    values[i] = w[0] + lb_dot(lb_vec3_load(w + 1), way);
  }
  return lb_frame_point(X, count, lists->frames + begin, values, gradients, motions);
}

lbStatus lb_frames_find_rest(const lbBody *body, const lbVoxels *voxels, lbVec3 x, lbVec3 *rest,
                             int32_t *home, int32_t *iterations) {
  const lbModel *m = body->prepared->model;
  lbFrameMotion motions[LB_FRAMES_MOST];
  lbVec3 X = lb_vec3(0, 0, 0);
  double nearest = INFINITY, outside = 0, moved = INFINITY, cell = voxels->grid->cell;
  lb_frames_motions(body, motions);
  for (int32_t k = 0; k < m->size.sample_count; k++) {
    lbVec3 at = lb_vec3_load(m->sample_positions + 3 * (size_t)k);
    double distance = lb_length(lb_sub(point_near(body, motions, k, at).x, x));
    if (distance < nearest) nearest = distance, X = at;
  }
  for (*iterations = 0; *iterations < LB_NEWTON_MAX; ++*iterations) {
    // Weights jump a little from voxel to voxel: it ends in that in which it is about to.
    if (moved > 0.5 * cell) *home = lb_voxels_nearest(voxels, X, NULL);
    lbFramePoint p = point_near(body, motions, *home, X);
    lbVec3 missing = lb_sub(x, p.x), step = lb_mat3_apply(lb_mat3_inverse(p.F), missing);
    double length = lb_length(step), most = 2 * cell;
    if (!isfinite(length)) break;
    nearest = lb_length(missing);
    if (nearest <= LB_NEGLIGIBLE * body->prepared->size) break;
    X = lb_add_scaled(X, length > most ? most / length : 1, step);
    moved = length;
  }
  *rest = X;
  *home = lb_voxels_nearest(voxels, X, &outside);
  if (nearest <= 0.5 * cell && outside <= 0.5 * cell) return LB_OK;
  return lb_fail(body->message, LB_ERR_ARGUMENT,
                 "place (%g, %g, %g) in the body's axes is %g m off the body", x.x, x.y, x.z,
                 fmax(nearest, outside));
}

static lbStatus make_voxels_insertion(const lbBody *body, lbVoxels **out) {
  const lbModel *m = body->prepared->model;
  lbVoxelGrid *grid = NULL;
  lbStatus status = lb_voxel_grid_create(lb_vec3_load(m->voxel_grid), m->voxel_grid[3],
                                         m->voxel_size, &grid, body->message);
  if (status) return status;
  memcpy(grid->cells, m->voxel_cells, (size_t)m->size.voxel_cell_count);
  status = lb_voxels_create(grid, out, body->message);
  lb_voxel_grid_destroy(grid);
  return status;
}

// ---- inserting ---------------------------------------------------------------------------------

// The frame's pose and velocity as the body has them at X.
static void blend_at(const lbBody *body, int32_t home, lbVec3 X, lbFramePose *pose,
                     double *velocity) {
  const lbFrameLists *lists = &lb_frames_shared(body->prepared)->set.samples;
  lbFrameMotion motions[LB_FRAMES_MOST];
  double Q[4] = { 0 }, rate[4] = { 0 }, V[8] = { 0 }, v[3] = { 0 };
  lb_frames_motions(body, motions);
  lbFramePoint p = point_near(body, motions, home, X);
  lbVec3 way = lb_sub(X, lb_vec3_load(body->prepared->model->sample_positions + 3 * (size_t)home));
  for (int32_t e = lists->begin[home]; e < lists->begin[home + 1]; e++) {
    const double *w = lists->values + 4 * (size_t)e;
    const lbFrameMotion *motion = &motions[lists->frames[e]];
    double weight = w[0] + lb_dot(lb_vec3_load(w + 1), way);
    for (int k = 0; k < 8; k++) V[k] += weight * motion->V[k];
    for (int k = 0; k < 4; k++) Q[k] += weight * motion->d[k], rate[k] += weight * motion->V[k];
  }
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 8; k++) v[i] += p.G[8 * i + k] * V[k];
  lbQuat q = lb_quat(Q[0], Q[1], Q[2], Q[3]);
  lbQuat spin = lb_quat_multiply(lb_quat(rate[0], rate[1], rate[2], rate[3]), lb_quat_conjugate(q));
  double scale = 2 / fmax(lb_quat_dot(q, q), 1e-12);
  *pose = (lbFramePose){ lb_quat_normalise(q), p.x };
  lb_vec3_store(velocity, lb_scale(scale, lb_vec3(spin.x, spin.y, spin.z)));
  memcpy(velocity + 3, v, sizeof v);
}

static lbStatus check_place_insertion(const lbBody *body, const lbVoxels *voxels, lbVec3 X,
                                      int32_t home, double *reach) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  double nearest = INFINITY;
  for (int32_t i = 0; i < shared->count; i++) {
    nearest = fmin(nearest, lb_length(lb_sub(shared->rest[i].position, X)));
    if (lb_voxels_nearest(voxels, shared->rest[i].position, NULL) == home)
      return lb_fail(body->message, LB_ERR_ARGUMENT, "frame %d is in the same voxel", (int)i);
  }
  if (*reach == 0) *reach = nearest;
  *reach = fmax(*reach, REACH_LEAST * voxels->grid->cell);
  return LB_OK;
}

static lbStatus insert_at(lbBody *body, const lbVoxels *voxels, lbVec3 X, int32_t home,
                          double reach, lbScratch *s) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  lbFramesState *state = lb_frames_state(body);
  int32_t count = shared->count;
  lbInsertedFrame frame = { X, reach, -1 };
  lbFrameSet set;
  lbFramePose pose;
  double velocity[6];
  lbStatus status = lb_frames_set_insert(body->prepared->model, voxels, &shared->set, &frame, &set,
                                         body->message);
  if (status) return status;
  blend_at(body, home, X, &pose, velocity);
  keep_shape(body, s);
  state->poses[count] = pose;
  state->goals[count] = state->reached[count] = set.rest[count];
  state->held[count] = 0;
  memcpy(state->velocity + 6 * count, velocity, sizeof velocity);
  status = go_on_insertion(body, &set, state->altered, s);
  lb_frames_set_release(&set);
  if (!status && !state->altered) state->inserted[state->inserted_count++] = frame;
  return status;
}

static lbStatus check_count_insertion(const lbBody *body, double reach) {
  int32_t count = lb_body_frames_count(body);
  if (count == 0)
    return lb_fail(body->message, LB_ERR_ARGUMENT, "frames: the body's method is \"%s\"",
                   lb_method_name(lb_body_method(body)));
  if (!(reach >= 0 && reach <= LB_BODY_MOST))
    return lb_fail(body->message, LB_ERR_ARGUMENT, "frames: reach %g; it must be finite", reach);
  if (count >= lb_frames_room(body->prepared))
    return lb_fail(body->message, LB_ERR_ARGUMENT, "frames: there is no room for more than %d",
                   (int)count);
  return LB_OK;
}

lbStatus lb_body_frames_insert(lbBody *body, lbVec3 place, double reach, int32_t *frame) {
  if (!body) return LB_ERR_ARGUMENT;
  lbStatus status = check_count_insertion(body, reach);
  if (status) return status;
  if (!lb_vec3_is_bounded(place))
    return lb_fail(body->message, LB_ERR_ARGUMENT, "frames: place (%g, %g, %g) must be finite",
                   place.x, place.y, place.z);
  lbPlacement base = lb_whole_base(body, &lb_frames_state(body)->T);
  lbVec3 X, x = lb_quat_rotate(lb_quat_conjugate(base.rotation), lb_sub(place, base.position));
  int32_t home = -1, count = lb_frames_count(body), iterations;
  lbVoxels *voxels = NULL;
  lbScratch *s = lb_scratch_borrow(body->prepared);
  if (!s) return lb_fail_memory(body->message);
  status = make_voxels_insertion(body, &voxels);
  if (!status) status = lb_frames_find_rest(body, voxels, x, &X, &home, &iterations);
  if (!status) status = check_place_insertion(body, voxels, X, home, &reach);
  if (!status) status = insert_at(body, voxels, X, home, reach, s);
  if (!status && frame) *frame = count;
  lb_voxels_destroy(voxels);
  lb_scratch_return(body->prepared, s);
  return status;
}

lbStatus lb_frames_insert_near(lbBody *body, lbVec3 rest, double most) {
  lbStatus status = check_count_insertion(body, most);
  if (status) return status;
  lbVoxels *voxels = NULL;
  lbScratch *s = lb_scratch_borrow(body->prepared);
  if (!s) return lb_fail_memory(body->message);
  status = make_voxels_insertion(body, &voxels);
  if (!status) {
    int32_t home = lb_voxels_nearest(voxels, rest, NULL);
    lbVec3 X = lb_voxels_centre(voxels, home);
    double reach = 0;
    status = check_place_insertion(body, voxels, X, home, &reach);
    if (!status) status = insert_at(body, voxels, X, home, fmin(reach, most), s);
  }
  lb_voxels_destroy(voxels);
  lb_scratch_return(body->prepared, s);
  return status;
}

// ---- removing ----------------------------------------------------------------------------------

// *out <- the set without a frame; of one that was inserted by the list of the others.
static lbStatus make_set_without(const lbBody *body, int32_t frame, bool listed,
                                 const lbInsertedFrame *others, lbFrameSet *out) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  int32_t count = lb_frames_state(body)->inserted_count - 1;
  if (!listed) return lb_frames_set_remove(&shared->set, frame, out, body->message);
  lbVoxels *voxels = NULL;
  lbStatus status = make_voxels_insertion(body, &voxels);
  if (!status)
    status = lb_frames_set_with(body->prepared->model, voxels, count, others, out, body->message);
  lb_voxels_destroy(voxels);
  return status;
}

// Numbers of frames behind one that goes move up.
static void move_up(lbFramesState *state, int32_t frame, int32_t count) {
  size_t behind = (size_t)(count - frame);
  memmove(state->goals + frame, state->goals + frame + 1, behind * sizeof *state->goals);
  memmove(state->reached + frame, state->reached + frame + 1, behind * sizeof *state->reached);
  memmove(state->held + frame, state->held + frame + 1, behind);
}

static lbStatus remove_frame(lbBody *body, int32_t frame, lbScratch *s) {
  lbFramesState *state = lb_frames_state(body);
  int32_t count = lb_frames_count(body) - 1;
  int32_t number = frame - body->prepared->model->size.frame_count; // of the inserted ones
  bool listed = !state->altered && number >= 0, all = listed && state->inserted_count == 1;
  size_t behind = (size_t)(count - frame);
  lbInsertedFrame others[LB_FRAMES_ROOM];
  lbFramePose poses[LB_FRAMES_MOST];
  double velocity[6 * LB_FRAMES_MOST];
  lbFrameSet set = { 0 };
  for (int32_t k = 0; k < state->inserted_count - 1 && listed; k++)
    others[k] = state->inserted[k + (k >= number)];
  lbStatus status = all ? LB_OK : make_set_without(body, frame, listed, others, &set);
  if (status) return status;
  keep_shape(body, s);
  memcpy(poses, state->poses, ((size_t)count + 1) * sizeof *poses);
  memcpy(velocity, state->velocity, 6 * ((size_t)count + 1) * sizeof *velocity);
  memmove(state->poses + frame, state->poses + frame + 1, behind * sizeof *state->poses);
  memmove(state->velocity + 6 * frame, state->velocity + 6 * (frame + 1),
          6 * behind * sizeof(double));
  status = go_on_insertion(body, all ? NULL : &set, !listed, s);
  lb_frames_set_release(&set);
  if (status) { // nothing has changed
    memcpy(state->poses, poses, ((size_t)count + 1) * sizeof *poses);
    memcpy(state->velocity, velocity, 6 * ((size_t)count + 1) * sizeof *velocity);
    return status;
  }
  move_up(state, frame, count);
  state->altered = !listed;
  state->inserted_count = listed ? state->inserted_count - 1 : 0;
  memcpy(state->inserted, others, (size_t)state->inserted_count * sizeof *others);
  return LB_OK;
}

lbStatus lb_body_frames_remove(lbBody *body, int32_t frame) {
  int32_t count = lb_body_frames_count(body);
  if (!body) return LB_ERR_ARGUMENT;
  if (frame < 0 || frame >= count || count < 2)
    return lb_fail(body->message, LB_ERR_ARGUMENT, "frame %d: the body has %d frames", (int)frame,
                   (int)count);
  lbScratch *s = lb_scratch_borrow(body->prepared);
  if (!s) return lb_fail_memory(body->message);
  lbStatus status = remove_frame(body, frame, s);
  lb_scratch_return(body->prepared, s);
  return status;
}

// ---- states ------------------------------------------------------------------------------------

static bool is_same_insertion(const lbInsertedFrame *a, const lbInsertedFrame *b) {
  return a->rest.x == b->rest.x && a->rest.y == b->rest.y && a->rest.z == b->rest.z &&
         a->reach == b->reach;
}

static lbStatus check_inserted(const lbBody *body, const lbVoxels *voxels, int32_t count,
                               const lbInsertedFrame *frames) {
  for (int32_t k = 0; k < count; k++) {
    double outside = 0;
    (void)lb_voxels_nearest(voxels, frames[k].rest, &outside);
    if (!(frames[k].reach > 0) || outside > voxels->grid->cell)
      return lb_fail(body->message, LB_ERR_FORMAT, "state: inserted frame %d is not in the body",
                     (int)k);
  }
  return LB_OK;
}

lbStatus lb_frames_take_inserted(lbBody *body, int32_t count, const lbInsertedFrame *frames) {
  lbFramesState *state = lb_frames_state(body);
  bool same = count == state->inserted_count;
  for (int32_t k = 0; k < count && same; k++)
    same = is_same_insertion(&frames[k], &state->inserted[k]);
  if (same || state->altered) return LB_OK;
  lbVoxels *voxels = NULL;
  lbFrameSet set = { 0 };
  lbStatus status = count > 0 ? make_voxels_insertion(body, &voxels) : LB_OK;
  if (!status) status = check_inserted(body, voxels, count, frames);
  if (!status && count > 0)
    status = lb_frames_set_with(body->prepared->model, voxels, count, frames, &set, body->message);
  if (!status) status = take_set(body, count > 0 ? &set : NULL, false);
  lb_frames_set_release(&set);
  lb_voxels_destroy(voxels);
  if (status) return status;
  for (int32_t k = 0; k < count; k++) { // the state says where they are
    int32_t i = body->prepared->model->size.frame_count + k;
    state->poses[i] = lb_frames_shared(body->prepared)->rest[i];
    memset(state->velocity + 6 * i, 0, 6 * sizeof(double));
  }
  state->inserted_count = count;
  memcpy(state->inserted, frames, (size_t)count * sizeof *frames);
  return LB_OK;
}
