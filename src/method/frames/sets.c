// Sets of frames: those of a model, with one more, or without one.
//
// A new frame's weight is a bump b of the distance from it inside the body at rest; the others get
// w (1 − b). Where a frame is left out the others are given the sum 1.
#include "method/frames/frames.h"

#include "frames/inserted_weight.h"
#include "solve/tolerances.h"

#include <string.h>

#define BUMP_LEAST 1e-3 // of a weight, for it and for all others; doubled, frames reach less far

// ---- lists under way ---------------------------------------------------------------------------

typedef struct Lists {
  int32_t *begin, *frames;
  double *values;
  int32_t entries;
} Lists;

static bool make_lists_frame_set(const lbFrameLists *from, size_t stride, Lists *to) {
  size_t points = (size_t)from->point_count, most = (size_t)from->begin[points] + points;
  *to = (Lists){ lb_alloc(points + 1, sizeof(int32_t)), lb_alloc(most, sizeof(int32_t)),
                 lb_alloc(most, stride * sizeof(double)), 0 };
  return to->begin && to->frames && to->values;
}

static lbFrameLists finished(const Lists *lists, int32_t points) {
  return (lbFrameLists){ points, lists->begin, lists->frames, lists->values };
}

static void add_entry_frame_set(Lists *to, size_t stride, int32_t frame, const double *values) {
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
    add_entry_frame_set(to, stride, from->frames[e], values);
  }
  const double own[4] = { b, slope[0], slope[1], slope[2] };
  if (reached) add_entry_frame_set(to, stride, frame, own);
  to->begin[point + 1] = to->entries;
}

// ---- sets --------------------------------------------------------------------------------------

lbFrameSet lb_frames_model_set(const lbModel *m, lbFramePose *rest) {
  for (int32_t i = 0; i < m->size.frame_count; i++) {
    const double *pose = m->frame_poses + 7 * (size_t)i;
    rest[i] = (lbFramePose){ lb_quat_normalise(lb_quat(pose[3], pose[4], pose[5], pose[6])),
                             lb_vec3_load(pose) };
  }
  return (lbFrameSet){
    .count = m->size.frame_count,
    .rest = rest,
    .fixed = m->frame_fixed,
    .samples = { m->size.sample_count, m->sample_begin, m->sample_frames, m->sample_weights },
    .nodes = { m->size.node_count, m->node_frame_begin, m->node_frames, m->node_weights }
  };
}

void lb_frames_set_release(lbFrameSet *set) {
  const void *arrays[] = { set->rest,           set->fixed,          set->samples.begin,
                           set->samples.frames, set->samples.values, set->nodes.begin,
                           set->nodes.frames,   set->nodes.values };
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) lb_free((void *)arrays[i]);
  *set = (lbFrameSet){ 0 };
}

// *out <- lists of a set, with room for one more entry a point; frames without or with one more.
static lbStatus begin_set(const lbFrameSet *from, int32_t count, Lists *samples, Lists *nodes,
                          lbFramePose **rest, uint8_t **fixed, lbError *err) {
  bool room = make_lists_frame_set(&from->samples, 4, samples);
  room = make_lists_frame_set(&from->nodes, 1, nodes) && room;
  *rest = lb_alloc((size_t)count, sizeof **rest);
  *fixed = lb_alloc((size_t)count, 1);
  return room && *rest && *fixed ? LB_OK : lb_fail_memory(err);
}

static lbFrameSet end_set(const lbFrameSet *from, int32_t count, const Lists *samples,
                          const Lists *nodes, lbFramePose *rest, uint8_t *fixed) {
  return (lbFrameSet){ count, rest, fixed, finished(samples, from->samples.point_count),
                       finished(nodes, from->nodes.point_count) };
}

lbStatus lb_frames_set_insert(const lbModel *m, const lbVoxels *voxels, const lbFrameSet *from,
                              const lbInsertedFrame *frame, lbFrameSet *out, lbError *err) {
  Lists at_samples = { 0 }, at_nodes = { 0 };
  lbFramePose *rest = NULL;
  uint8_t *fixed = NULL;
  int32_t samples = from->samples.point_count, count = from->count;
  int32_t home = lb_voxels_nearest(voxels, frame->rest, NULL);
  double *bump = lb_alloc((size_t)voxels->count, sizeof *bump);
  lbStatus status = begin_set(from, count + 1, &at_samples, &at_nodes, &rest, &fixed, err);
  if (!status && !bump) status = lb_fail_memory(err);
  if (!status) status = lb_weight_bump(voxels, frame->rest, home, frame->reach, bump, NULL, err);
  for (int32_t k = 0; k < samples + from->nodes.point_count && !status; k++) {
    bool node = k >= samples;
    int32_t point = node ? k - samples : k;
    const double *positions = node ? m->node_positions : m->sample_positions;
    int32_t at = node ? m->node_voxels[point] : point;
    double slope[3], b;
    b = lb_weight_linear(voxels, at, lb_vec3_load(positions + 3 * (size_t)point), bump, slope);
    if (!(b > BUMP_LEAST)) b = slope[0] = slope[1] = slope[2] = 0;
    if (b > 1 - BUMP_LEAST) b = 1 - BUMP_LEAST, slope[0] = slope[1] = slope[2] = 0;
    if (node)
      add_with_bump(&from->nodes, point, 1, count, b, slope, &at_nodes);
    else
      add_with_bump(&from->samples, point, 4, count, b, slope, &at_samples);
  }
  lb_free(bump);
  lbFrameSet made = end_set(from, count + 1, &at_samples, &at_nodes, rest, fixed);
  if (status) {
    lb_frames_set_release(&made);
    return status;
  }
  memcpy(rest, from->rest, (size_t)count * sizeof *rest);
  memcpy(fixed, from->fixed, (size_t)count);
  rest[count] = (lbFramePose){ lb_quat_identity(), frame->rest };
  *out = made;
  return LB_OK;
}

// Entries without those of a frame, numbers behind it one less, with the sum 1 again: w / Σw and
// (∇w − w Σ∇w / Σw) / Σw, so that frames may come and go as often as one likes; false: a point is
// left without.
static bool leave_out(const lbFrameLists *from, size_t stride, int32_t frame, Lists *to) {
  for (int32_t k = 0; k < from->point_count; k++) {
    double sum[4] = { 0 };
    for (int32_t e = from->begin[k]; e < from->begin[k + 1]; e++)
      for (size_t i = 0; i < stride && from->frames[e] != frame; i++)
        sum[i] += from->values[stride * (size_t)e + i];
    if (!(sum[0] > LB_NEGLIGIBLE)) return false;
    for (int32_t e = from->begin[k]; e < from->begin[k + 1]; e++) {
      int32_t own = from->frames[e];
      const double *w = from->values + stride * (size_t)e;
      double values[4] = { w[0] / sum[0] };
      if (own == frame) continue;
      for (size_t i = 1; i < stride; i++) values[i] = (w[i] - values[0] * sum[i]) / sum[0];
      add_entry_frame_set(to, stride, own - (own > frame), values);
    }
    to->begin[k + 1] = to->entries;
  }
  return true;
}

lbStatus lb_frames_set_remove(const lbFrameSet *from, int32_t frame, lbFrameSet *out,
                              lbError *err) {
  Lists at_samples = { 0 }, at_nodes = { 0 };
  lbFramePose *rest = NULL;
  uint8_t *fixed = NULL;
  int32_t count = from->count - 1;
  lbStatus status = begin_set(from, count, &at_samples, &at_nodes, &rest, &fixed, err);
  if (!status && !(leave_out(&from->samples, 4, frame, &at_samples) &&
                   leave_out(&from->nodes, 1, frame, &at_nodes)))
    status = lb_fail(err, LB_ERR_ARGUMENT, "frame %d is the only one that moves a part of the body",
                     (int)frame);
  lbFrameSet made = end_set(from, count, &at_samples, &at_nodes, rest, fixed);
  if (status) {
    lb_frames_set_release(&made);
    return status;
  }
  for (int32_t i = 0; i < count; i++) {
    rest[i] = from->rest[i + (i >= frame)];
    fixed[i] = from->fixed[i + (i >= frame)];
  }
  *out = made;
  return LB_OK;
}

lbStatus lb_frames_set_with(const lbModel *m, const lbVoxels *voxels, int32_t count,
                            const lbInsertedFrame *frames, lbFrameSet *out, lbError *err) {
  lbFramePose rest[LB_FRAMES_MOST];
  lbFrameSet own = lb_frames_model_set(m, rest), set = own;
  lbStatus status = LB_OK;
  for (int32_t k = 0; k < count && !status; k++) {
    lbFrameSet more;
    status = lb_frames_set_insert(m, voxels, &set, &frames[k], &more, err);
    if (k > 0) lb_frames_set_release(&set);
    if (!status) set = more;
  }
  if (!status) *out = set;
  return status;
}
