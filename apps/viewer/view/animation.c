// A recording of the stage: for each body its coordinates (or, without a basis, its positions) and
// its placement at every frame.
#include "view/animation_parts.h"

#include <string.h>

#define FLOATS_MOST (1 << 27) // 512 MiB at most

const double *vw_animation_basis(const lbModel *model, lbMethod method) {
  lbModelMethod view = { 0 };
  lb_model_method(model, method, &view);
  return view.basis;
}

static lbStatus start_track(const vwStage *stage, int32_t actor, vwTrack *track, lbError *err) {
  vwActorView view = vw_stage_actor(stage, actor);
  bool basis = view.dimension > 0 && vw_animation_basis(view.model, view.method);
  size_t vertices = (size_t)view.model->size.vertex_count;
  track->model = view.model;
  track->method = view.method;
  track->body_count = view.body_count;
  track->dimension = basis ? view.dimension : 0;
  track->frame_floats = basis ? (size_t)view.dimension : 3 * vertices;
  track->now = lb_alloc((size_t)view.body_count, 7 * sizeof(float));
  return track->now ? LB_OK : lb_fail_memory(err);
}

lbStatus vw_animation_create(const vwStage *stage, vwAnimation **out, lbError *err) {
  vwAnimation *animation = lb_alloc(1, sizeof *animation);
  int32_t count = vw_stage_actor_count(stage);
  vwTrack *tracks = lb_alloc((size_t)count, sizeof *tracks);
  if (!animation || !tracks) {
    lb_free(animation);
    lb_free(tracks);
    return lb_fail_memory(err);
  }
  *animation = (vwAnimation){ .generation = vw_stage_generation(stage),
                              .up = vw_stage_up(stage),
                              .begin = vw_stage_time(stage),
                              .track_count = count,
                              .tracks = tracks };
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < count && !status; i++) status = start_track(stage, i, &tracks[i], err);
  if (status)
    vw_animation_destroy(animation);
  else
    *out = animation;
  return status;
}

void vw_animation_destroy(vwAnimation *animation) {
  if (!animation) return;
  for (int32_t i = 0; i < animation->track_count; i++) {
    lb_free(animation->tracks[i].frames);
    lb_free(animation->tracks[i].placements);
    lb_free(animation->tracks[i].now);
  }
  lb_free(animation->tracks);
  lb_free(animation->times);
  lb_free(animation);
}

int32_t vw_animation_frames(const vwAnimation *animation) { return animation->frame_count; }

// ---- frames ------------------------------------------------------------------------------------

static lbStatus add_positions(vwTrack *track, const vwStage *stage, int32_t actor, float *frame,
                              lbError *err) {
  size_t values = 3 * (size_t)track->model->size.vertex_count;
  double *surface = lb_alloc(values, sizeof(double));
  if (!surface) return lb_fail_memory(err);
  for (int32_t body = 0; body < track->body_count; body++, frame += values) {
    vw_stage_surface(stage, actor, body, surface);
    for (size_t i = 0; i < values; i++) frame[i] = (float)surface[i];
  }
  lb_free(surface);
  return LB_OK;
}

static lbStatus add_to_track(vwTrack *track, const vwStage *stage, int32_t actor, size_t frame,
                             lbError *err) {
  size_t bodies = (size_t)track->body_count, width = bodies * track->frame_floats;
  if (!lb_grow((void **)&track->frames, &track->frames_capacity, (frame + 1) * width,
               sizeof(float)) ||
      !lb_grow((void **)&track->placements, &track->placements_capacity, (frame + 1) * 7 * bodies,
               sizeof(float)))
    return lb_fail_memory(err);
  float *to = track->frames + frame * width;
  vw_stage_state(stage, actor, track->now, track->dimension ? to : NULL, NULL);
  memcpy(track->placements + frame * 7 * bodies, track->now, 7 * bodies * sizeof(float));
  return track->dimension ? LB_OK : add_positions(track, stage, actor, to, err);
}

bool vw_animation_fits(const vwAnimation *animation, const vwStage *stage) {
  size_t floats = 0;
  for (int32_t i = 0; i < animation->track_count; i++)
    floats += (size_t)animation->tracks[i].body_count * (animation->tracks[i].frame_floats + 7);
  return vw_stage_generation(stage) == animation->generation &&
         (size_t)animation->frame_count < FLOATS_MOST / (floats + 1);
}

// Simulated time since the beginning; a reset of the stage, which puts its clock back, takes no
// time.
static double time_of(vwAnimation *animation, const vwStage *stage) {
  int32_t frame = animation->frame_count;
  double time = vw_stage_time(stage) - animation->begin;
  if (!frame || time >= animation->times[frame - 1]) return time;
  time = animation->times[frame - 1] + 1 / VW_ANIMATION_RATE;
  animation->begin = vw_stage_time(stage) - time;
  return time;
}

// The nearest of the times that frames should have: steps do not meet them exactly.
static double tick_of(double time) { return floor(time * VW_ANIMATION_RATE + 0.5); }

lbStatus vw_animation_add(vwAnimation *animation, const vwStage *stage, lbError *err) {
  if (!vw_animation_fits(animation, stage))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "the animation cannot continue: it is full, or method, r or scene changed");
  double time = time_of(animation, stage);
  size_t frame = (size_t)animation->frame_count;
  if (frame && tick_of(time) <= tick_of(animation->times[frame - 1])) return LB_OK;
  if (!lb_grow((void **)&animation->times, &animation->times_capacity, frame + 1, sizeof(double)))
    return lb_fail_memory(err);
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < animation->track_count && !status; i++)
    status = add_to_track(&animation->tracks[i], stage, i, frame, err);
  if (status) return status;
  animation->times[frame] = time;
  animation->frame_count++;
  return LB_OK;
}
