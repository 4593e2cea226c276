// Frames that come and go while a body runs: section 4.4 of the paper.
//
// The place at rest, X, of a point x of the body as it is: X ← X + F⁻¹ (x − x(X)), with weights
// continued from the nearest sample. A new frame's weight is a bump b of the distance from it
// inside the body at rest; the others get w (1 − b). Leaving the new frame's entries out again, and
// giving the others the sum 1, gives back the weights that were there before.
#include "body/frames.h"

#include "body/constraints.h"
#include "frames/weights.h"

#include <string.h>

#define ITERATIONS 30
#define CLOSE 1e-9      // of the body's size
#define BUMP_MOST 0.999 // so that the others' weights are not lost
#define SUM_LEAST 1e-6  // of weights that are left
#define NEAR 1e-7       // of the body's size, and rad: an iteration that ends the fit of poses

// ---- lists under way ---------------------------------------------------------------------------

typedef struct Lists {
  int32_t *begin, *frames;
  double *values;
  int32_t entries;
} Lists;

static bool make_lists(const lbFrameLists *from, size_t stride, Lists *to) {
  size_t points = (size_t)from->point_count, most = (size_t)from->begin[points] + points;
  *to = (Lists){ lb_alloc(points + 1, sizeof(int32_t)), lb_alloc(most, sizeof(int32_t)),
                 lb_alloc(most, stride * sizeof(double)), 0 };
  return to->begin && to->frames && to->values;
}

static void release_lists(Lists *lists) {
  lb_free(lists->begin);
  lb_free(lists->frames);
  lb_free(lists->values);
}

static lbFrameLists finished(const Lists *lists, int32_t points) {
  return (lbFrameLists){ points, lists->begin, lists->frames, lists->values };
}

static void add_entry(Lists *to, size_t stride, int32_t frame, const double *values) {
  to->frames[to->entries] = frame;
  memcpy(to->values + stride * (size_t)to->entries, values, stride * sizeof *values);
  to->entries++;
}

// The entries of a point with the bump: w (1 − b), ∇w (1 − b) − w ∇b; then b, ∇b.
static void add_with_bump(const lbFrameLists *from, int32_t point, size_t stride, int32_t frame,
                          double b, const double *slope, Lists *to) {
  int32_t count = from->begin[point + 1] - from->begin[point];
  bool reached = b > 0 && count < LB_FRAME_LIST_MOST;
  for (int32_t e = from->begin[point]; e < from->begin[point + 1]; e++) {
    const double *w = from->values + stride * (size_t)e;
    double values[4] = { w[0] };
    for (size_t k = 1; k < stride; k++) values[k] = w[k];
    if (reached) {
      values[0] = w[0] * (1 - b);
      for (size_t k = 1; k < stride; k++) values[k] = w[k] * (1 - b) - w[0] * slope[k - 1];
    }
    add_entry(to, stride, from->frames[e], values);
  }
  const double own[4] = { b, slope[0], slope[1], slope[2] };
  if (reached) add_entry(to, stride, frame, own);
  to->begin[point + 1] = to->entries;
}

// ---- going on with other frames ----------------------------------------------------------------

// The body's shape and motion before, in scratch->q and ->v, fixed axes.
static void keep_shape(const lbBody *body, lbScratch *s) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  lbFrameMotion motions[LB_FRAMES_MOST];
  lb_frames_motions(body, motions);
  lb_frame_skin_move(shared->nodes, body->prepared->level, motions, 0, shared->whole.node_count,
                     s->q, s->v);
}

static lbStatus go_on(lbBody *body, const lbFrameSet *set, lbScratch *s) {
  const lbPrepared *now = body->prepared;
  lbPrepared *made = NULL;
  lbStatus status = lb_prepared_derive(now, &made, body->message);
  if (!status)
    status = lb_frames_rebuild_set(made, lb_frames_shared(now)->materials, set, body->message);
  if (status) {
    lb_prepared_release(made);
    return status;
  }
  made->hash = lb_hash(made->hash, set->rest, (size_t)set->count * sizeof *set->rest);
  body->prepared = made; // its one reference
  lb_prepared_release(now);
  lbFramesState *state = lb_frames_state(body);
  lbFramesWork *w = s->own;
  w->mass_body = NULL;
  lb_frames_improve_poses(body, s->q, NEAR, w, s);
  lb_frames_fit_velocity(body, s->v, w);
  state->version++;
  lb_body_disturb(body);
  if (body->constraints) body->constraints->constant = false;
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

static lbStatus find_rest(const lbBody *body, const lbVoxels *voxels, lbVec3 x, lbVec3 *rest,
                          int32_t *home) {
  const lbModel *m = body->prepared->model;
  lbFrameMotion motions[LB_FRAMES_MOST];
  lbVec3 X = lb_vec3(0, 0, 0);
  double nearest = INFINITY, outside = 0;
  lb_frames_motions(body, motions);
  for (int32_t k = 0; k < m->size.sample_count; k++) {
    lbVec3 at = lb_vec3_load(m->sample_positions + 3 * (size_t)k);
    double distance = lb_length(lb_sub(point_near(body, motions, k, at).x, x));
    if (distance < nearest) nearest = distance, X = at;
  }
  for (int i = 0; i < ITERATIONS; i++) {
    *home = lb_voxels_nearest(voxels, X, &outside);
    lbFramePoint p = point_near(body, motions, *home, X);
    lbVec3 missing = lb_sub(x, p.x), step = lb_mat3_apply(lb_mat3_inverse(p.F), missing);
    double length = lb_length(step), most = 2 * voxels->grid->cell;
    if (!isfinite(length)) break;
    nearest = lb_length(missing);
    if (nearest <= CLOSE * body->prepared->size) break;
    X = lb_add_scaled(X, length > most ? most / length : 1, step);
  }
  *rest = X;
  if (nearest <= 0.5 * voxels->grid->cell && outside <= 0.5 * voxels->grid->cell) return LB_OK;
  return lb_fail(body->message, LB_ERR_ARGUMENT,
                 "place (%g, %g, %g) in the body's axes is %g m off the body", x.x, x.y, x.z,
                 fmax(nearest, outside));
}

static lbStatus make_voxels(const lbBody *body, lbVoxels **out) {
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

static lbStatus check_place(const lbBody *body, const lbVoxels *voxels, lbVec3 X, int32_t home,
                            double *reach) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  double nearest = INFINITY;
  for (int32_t i = 0; i < shared->count; i++) {
    nearest = fmin(nearest, lb_length(lb_sub(shared->rest[i].position, X)));
    if (lb_voxels_nearest(voxels, shared->rest[i].position, NULL) == home)
      return lb_fail(body->message, LB_ERR_ARGUMENT, "frame %d is in the same voxel", (int)i);
  }
  if (*reach == 0) *reach = nearest;
  return LB_OK;
}

// Lists with the bump; the set has them afterwards.
static lbStatus insert_at(lbBody *body, const lbVoxels *voxels, lbVec3 X, int32_t home,
                          double reach, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  const lbFramesShared *shared = lb_frames_shared(p);
  lbFramesState *state = lb_frames_state(body);
  int32_t samples = p->model->size.sample_count, nodes = p->model->size.node_count;
  int32_t count = shared->count;
  lbFramePose rest[LB_FRAMES_MOST], pose;
  uint8_t fixed[LB_FRAMES_MOST] = { 0 };
  double velocity[6], *bump = lb_alloc((size_t)voxels->count, sizeof *bump);
  Lists at_samples = { 0 }, at_nodes = { 0 };
  bool room = make_lists(&shared->set.samples, 4, &at_samples);
  room = make_lists(&shared->set.nodes, 1, &at_nodes) && room && bump;
  lbStatus status = room ? LB_OK : lb_fail_memory(body->message);
  if (!status) status = lb_weight_bump(voxels, X, home, reach, bump, NULL, body->message);
  for (int32_t k = 0; k < samples + nodes && !status; k++) {
    bool node = k >= samples;
    int32_t point = node ? k - samples : k;
    const double *positions = node ? p->model->node_positions : p->model->sample_positions;
    int32_t from = node ? p->model->node_voxels[point] : point;
    double slope[3], b;
    b = lb_weight_linear(voxels, from, lb_vec3_load(positions + 3 * (size_t)point), bump, slope);
    if (!(b > 1e-3)) b = slope[0] = slope[1] = slope[2] = 0;
    if (b > BUMP_MOST) b = BUMP_MOST, slope[0] = slope[1] = slope[2] = 0;
    if (node)
      add_with_bump(&shared->set.nodes, point, 1, count, b, slope, &at_nodes);
    else
      add_with_bump(&shared->set.samples, point, 4, count, b, slope, &at_samples);
  }
  if (!status) {
    memcpy(rest, shared->rest, (size_t)count * sizeof *rest);
    memcpy(fixed, shared->fixed, (size_t)count);
    rest[count] = (lbFramePose){ lb_quat_identity(), X };
    blend_at(body, home, X, &pose, velocity);
    keep_shape(body, s);
    lbFrameSet set = { count + 1, rest, fixed, finished(&at_samples, samples),
                       finished(&at_nodes, nodes) };
    state->poses[count] = pose;
    state->goals[count] = state->reached[count] = rest[count];
    state->held[count] = 0;
    memcpy(state->velocity + 6 * count, velocity, sizeof velocity);
    status = go_on(body, &set, s);
  }
  release_lists(&at_samples), release_lists(&at_nodes);
  lb_free(bump);
  return status;
}

lbStatus lb_body_frames_insert(lbBody *body, lbVec3 place, double reach, int32_t *frame) {
  int32_t count = lb_body_frames_count(body);
  if (!body) return LB_ERR_ARGUMENT;
  if (count == 0)
    return lb_fail(body->message, LB_ERR_ARGUMENT, "frames: the body's method is \"%s\"",
                   lb_method_name(lb_body_method(body)));
  if (!lb_vec3_is_bounded(place) || !(reach >= 0 && reach <= LB_BODY_MOST))
    return lb_fail(body->message, LB_ERR_ARGUMENT,
                   "frames: place (%g, %g, %g), reach %g; they must be finite", place.x, place.y,
                   place.z, reach);
  if (count >= lb_frames_room(body->prepared))
    return lb_fail(body->message, LB_ERR_ARGUMENT, "frames: there is no room for more than %d",
                   (int)count);
  lbPlacement base = lb_whole_base(body, &lb_frames_state(body)->T);
  lbVec3 X, x = lb_quat_rotate(lb_quat_conjugate(base.rotation), lb_sub(place, base.position));
  int32_t home = -1;
  lbVoxels *voxels = NULL;
  lbScratch *s = lb_scratch_borrow(body->prepared);
  if (!s) return lb_fail_memory(body->message);
  lbStatus status = make_voxels(body, &voxels);
  if (!status) status = find_rest(body, voxels, x, &X, &home);
  if (!status) status = check_place(body, voxels, X, home, &reach);
  if (!status) status = insert_at(body, voxels, X, home, reach, s);
  if (!status && frame) *frame = count;
  lb_voxels_destroy(voxels);
  lb_scratch_return(body->prepared, s);
  return status;
}

// ---- removing ----------------------------------------------------------------------------------

// Entries without those of a frame, numbers behind it one less, with the sum 1 again: w / Σw and
// (∇w − w Σ∇w / Σw) / Σw, so that frames may come and go as often as one likes; false: a point is
// left without.
static bool leave_out(const lbFrameLists *from, size_t stride, int32_t frame, Lists *to) {
  for (int32_t k = 0; k < from->point_count; k++) {
    double sum[4] = { 0 };
    for (int32_t e = from->begin[k]; e < from->begin[k + 1]; e++)
      for (size_t i = 0; i < stride && from->frames[e] != frame; i++)
        sum[i] += from->values[stride * (size_t)e + i];
    if (!(sum[0] > SUM_LEAST)) return false;
    for (int32_t e = from->begin[k]; e < from->begin[k + 1]; e++) {
      int32_t own = from->frames[e];
      const double *w = from->values + stride * (size_t)e;
      double values[4] = { w[0] / sum[0] };
      if (own == frame) continue;
      for (size_t i = 1; i < stride; i++) values[i] = (w[i] - values[0] * sum[i]) / sum[0];
      add_entry(to, stride, own - (own > frame), values);
    }
    to->begin[k + 1] = to->entries;
  }
  return true;
}

static lbStatus remove_frame(lbBody *body, int32_t frame, lbScratch *s) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  lbFramesState *state = lb_frames_state(body);
  int32_t count = shared->count - 1;
  size_t behind = (size_t)(count - frame);
  lbFramePose rest[LB_FRAMES_MOST];
  uint8_t fixed[LB_FRAMES_MOST];
  Lists at_samples = { 0 }, at_nodes = { 0 };
  bool room = make_lists(&shared->set.samples, 4, &at_samples);
  room = make_lists(&shared->set.nodes, 1, &at_nodes) && room;
  lbStatus status = room ? LB_OK : lb_fail_memory(body->message);
  if (!status && !(leave_out(&shared->set.samples, 4, frame, &at_samples) &&
                   leave_out(&shared->set.nodes, 1, frame, &at_nodes)))
    status = lb_fail(body->message, LB_ERR_ARGUMENT,
                     "frame %d is the only one that moves a part of the body", (int)frame);
  if (!status) {
    for (int32_t i = 0; i < count; i++) {
      rest[i] = shared->rest[i + (i >= frame)];
      fixed[i] = shared->fixed[i + (i >= frame)];
    }
    keep_shape(body, s);
    lbFrameSet set = { count, rest, fixed, finished(&at_samples, shared->set.samples.point_count),
                       finished(&at_nodes, shared->set.nodes.point_count) };
    lbFramePose poses[LB_FRAMES_MOST];
    double velocity[6 * LB_FRAMES_MOST];
    memcpy(poses, state->poses, (size_t)shared->count * sizeof *poses);
    memcpy(velocity, state->velocity, 6 * (size_t)shared->count * sizeof *velocity);
    memmove(state->poses + frame, state->poses + frame + 1, behind * sizeof *state->poses);
    memmove(state->velocity + 6 * frame, state->velocity + 6 * (frame + 1),
            6 * behind * sizeof(double));
    status = go_on(body, &set, s);
    if (!status) {
      memmove(state->goals + frame, state->goals + frame + 1, behind * sizeof *state->goals);
      memmove(state->reached + frame, state->reached + frame + 1, behind * sizeof *state->reached);
      memmove(state->held + frame, state->held + frame + 1, behind);
    }
    if (status) { // nothing has changed
      memcpy(state->poses, poses, ((size_t)count + 1) * sizeof *poses);
      memcpy(state->velocity, velocity, 6 * ((size_t)count + 1) * sizeof *velocity);
    }
  }
  release_lists(&at_samples), release_lists(&at_nodes);
  return status;
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
