// A recording of the stage: for each body its coordinates (or, without a basis, its positions) and
// its placement at every frame.
#include "animation.h"

#include "limber/export.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FLOATS_MOST (1 << 27) // 512 MiB: what it holds at most

typedef struct Track { // an actor
  const lbModel *model;
  lbMethod method;
  int32_t body_count, dimension;
  double *shapes;      // (dimension x surface vertices x 3), own axes
  size_t frame_floats; // of one body: coordinates, or positions of the surface
  float *frames;       // (frame x body x frame_floats)
  float *placements;   // (frame x body x 7)
  float *now;          // (body x 7), working memory
  size_t frames_capacity, placements_capacity;
} Track;

struct vwAnimation {
  int32_t generation;
  char up;
  double begin; // of simulated time
  int32_t track_count;
  Track *tracks;
  int32_t frame_count;
  double *times; // (frame_count)
  size_t times_capacity;
};

static const double *basis_of(const lbModel *model, lbMethod method) {
  if (method == LB_METHOD_MODAL) return model->modal_basis;
  if (method == LB_METHOD_SUBSPACE) return model->subspace_basis;
  return NULL;
}

// Basis vectors at the surface's vertices.
static void carry_shapes(const lbModel *model, const double *basis, int32_t dimension,
                         double *shapes) {
  size_t vertices = (size_t)model->size.vertex_count, nodes = (size_t)model->size.node_count;
  for (size_t i = 0; i < (size_t)dimension; i++)
    for (size_t vertex = 0; vertex < vertices; vertex++)
      for (int32_t c = model->carrier_begin[vertex]; c < model->carrier_begin[vertex + 1]; c++)
        for (size_t axis = 0; axis < 3; axis++)
          shapes[3 * (i * vertices + vertex) + axis] +=
              model->carrier_weights[c] *
              basis[3 * (i * nodes + (size_t)model->carrier_nodes[c]) + axis];
}

static lbStatus start_track(const vwStage *stage, int32_t actor, Track *track, lbError *err) {
  vwActorView view = vw_stage_actor(stage, actor);
  const double *basis = basis_of(view.model, view.method);
  size_t vertices = (size_t)view.model->size.vertex_count;
  track->model = view.model;
  track->method = view.method;
  track->body_count = view.body_count;
  track->dimension = basis ? view.dimension : 0;
  track->frame_floats = basis ? (size_t)view.dimension : 3 * vertices;
  track->now = lb_alloc((size_t)view.body_count, 7 * sizeof(float));
  track->shapes = lb_alloc((size_t)track->dimension * vertices, 3 * sizeof(double));
  if (!track->now || !track->shapes) return lb_fail_memory(err);
  if (basis) carry_shapes(view.model, basis, track->dimension, track->shapes);
  return LB_OK;
}

lbStatus vw_animation_create(const vwStage *stage, vwAnimation **out, lbError *err) {
  vwAnimation *animation = lb_alloc(1, sizeof *animation);
  int32_t count = vw_stage_actor_count(stage);
  Track *tracks = lb_alloc((size_t)count, sizeof *tracks);
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
    lb_free(animation->tracks[i].shapes);
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

static lbStatus add_positions(Track *track, const vwStage *stage, int32_t actor, float *frame,
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

static lbStatus add_to_track(Track *track, const vwStage *stage, int32_t actor, size_t frame,
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
                   "the animation cannot go on: it is full, or method, r or scene changed");
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

// ---- writing -----------------------------------------------------------------------------------

// The model's surface as a mesh that borrows its arrays.
static lbStatus borrow_surface(lbArena *arena, const lbModel *model, lbMesh **out, lbError *err) {
  size_t looks = (size_t)model->size.look_count, textures = (size_t)model->size.texture_count;
  lbMesh *mesh = lb_arena_alloc(arena, 1, sizeof *mesh);
  lbAppearance *appearances = lb_arena_alloc(arena, looks, sizeof *appearances);
  lbTexture *pictures = lb_arena_alloc(arena, textures, sizeof *pictures);
  if (!mesh || !appearances || !pictures) return lb_fail_memory(err);
  for (size_t i = 0; i < looks; i++) {
    lbAppearance *look = &appearances[i];
    look->name = (char *)lb_model_text(model->look_names, (int32_t)i);
    memcpy(look->base_color, model->look_colors + 4 * i, sizeof look->base_color);
    look->metallic = model->look_metal_roughness[2 * i];
    look->roughness = model->look_metal_roughness[2 * i + 1];
    look->texture = model->look_textures[i];
  }
  for (size_t i = 0; i < textures; i++) {
    int64_t begin = model->texture_ranges[2 * i], bytes = model->texture_ranges[2 * i + 1];
    pictures[i].name = (char *)lb_model_text(model->texture_names, (int32_t)i);
    pictures[i].mime = (char *)lb_model_text(model->texture_mimes, (int32_t)i);
    pictures[i].data = bytes ? (uint8_t *)model->pictures + begin : NULL;
    pictures[i].bytes = (size_t)bytes;
  }
  *mesh = (lbMesh){ .vertex_count = model->size.vertex_count,
                    .positions = (double *)model->vertex_positions,
                    .triangle_count = model->size.triangle_count,
                    .triangles = (int32_t *)model->triangles,
                    .corner_uvs = (float *)model->corner_uvs,
                    .appearance_count = (int32_t)looks,
                    .appearances = appearances,
                    .triangle_appearances = (int32_t *)model->triangle_looks,
                    .texture_count = (int32_t)textures,
                    .textures = pictures };
  *out = mesh;
  return LB_OK;
}

// One body's part of a track: coordinates or positions, and where it was.
static lbStatus describe(lbArena *arena, const vwAnimation *animation, const Track *track,
                         int32_t body, const lbMesh *surface, lbAnimationBody *to, lbError *err) {
  size_t frames = (size_t)animation->frame_count, bodies = (size_t)track->body_count;
  size_t width = track->frame_floats;
  bool by_shapes = track->dimension > 0;
  double *positions = lb_arena_alloc(arena, frames, 3 * sizeof(double));
  double *rotations = lb_arena_alloc(arena, frames, 4 * sizeof(double));
  double *coordinates = lb_arena_alloc(arena, by_shapes ? frames * width : 0, sizeof(double));
  float *moved = lb_arena_alloc(arena, by_shapes ? 0 : frames * width, sizeof(float));
  char *name = lb_arena_alloc(arena, 1, 128);
  if (!positions || !rotations || !coordinates || !moved || !name) return lb_fail_memory(err);
  for (size_t f = 0; f < frames; f++) {
    const float *from = track->frames + (f * bodies + (size_t)body) * width;
    const float *placement = track->placements + 7 * (f * bodies + (size_t)body);
    for (size_t i = 0; i < 3; i++) positions[3 * f + i] = (double)placement[i];
    for (size_t i = 0; i < 4; i++) rotations[4 * f + i] = (double)placement[3 + i];
    for (size_t i = 0; by_shapes && i < width; i++) coordinates[f * width + i] = (double)from[i];
    if (!by_shapes) memcpy(moved + f * width, from, width * sizeof(float));
  }
  snprintf(name, 128, "%s (%s) %d", track->model->name, lb_method_name(track->method), (int)body);
  *to = (lbAnimationBody){ .name = name, .surface = surface };
  if (by_shapes) {
    to->shape_count = track->dimension;
    to->shapes = track->shapes;
    to->coordinates = coordinates;
    to->positions = positions;
    to->rotations = rotations;
  } else {
    to->frames = moved; // already in world axes
  }
  return LB_OK;
}

lbStatus vw_animation_save(const vwAnimation *animation, const char *path, lbError *err) {
  if (animation->frame_count < 2)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: nothing moved while the animation was recorded",
                   path);
  lbArena arena = { 0 };
  int32_t count = 0, next = 0;
  for (int32_t i = 0; i < animation->track_count; i++) count += animation->tracks[i].body_count;
  lbAnimationBody *bodies = lb_arena_alloc(&arena, (size_t)count, sizeof *bodies);
  lbStatus status = bodies ? LB_OK : lb_fail_memory(err);
  for (int32_t i = 0; i < animation->track_count && !status; i++) {
    const Track *track = &animation->tracks[i];
    lbMesh *surface = NULL;
    status = borrow_surface(&arena, track->model, &surface, err);
    for (int32_t body = 0; body < track->body_count && !status; body++)
      status = describe(&arena, animation, track, body, surface, &bodies[next++], err);
  }
  lbAnimationDef def = lb_animation_def();
  def.frame_count = animation->frame_count;
  def.times = animation->times;
  def.up = animation->up;
  if (!status) status = lb_animation_write(path, bodies, count, &def, NULL, err);
  lb_arena_release(&arena);
  return status;
}
