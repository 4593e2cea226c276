// A recording as an animated .glb by the build side's writer, which takes bodies without a basis
// too.
#include "view/animation_parts.h"

#include "limber/export.h"

#include <stdio.h>
#include <string.h>

// Basis vectors at the surface's vertices: (dimension x vertices x 3), own axes.
static lbStatus carry_shapes(lbArena *arena, const vwTrack *track, double **out, lbError *err) {
  const lbModel *model = track->model;
  const double *basis = vw_animation_basis(model, track->method);
  size_t vertices = (size_t)model->size.vertex_count, nodes = (size_t)model->size.node_count;
  double *shapes = lb_arena_alloc(arena, (size_t)track->dimension * vertices, 3 * sizeof(double));
  if (!shapes) return lb_fail_memory(err);
  for (size_t i = 0; i < (size_t)track->dimension; i++)
    for (size_t vertex = 0; vertex < vertices; vertex++)
      for (int32_t c = model->carrier_begin[vertex]; c < model->carrier_begin[vertex + 1]; c++)
        for (size_t axis = 0; axis < 3; axis++)
          shapes[3 * (i * vertices + vertex) + axis] +=
              model->carrier_weights[c] *
              basis[3 * (i * nodes + (size_t)model->carrier_nodes[c]) + axis];
  *out = shapes;
  return LB_OK;
}

// The model's surface as a mesh that borrows its arrays.
static lbStatus borrow_surface(lbArena *arena, const lbModel *model, lbMesh **out, lbError *err) {
  size_t count = (size_t)model->size.appearance_count, textures = (size_t)model->size.texture_count;
  lbMesh *mesh = lb_arena_alloc(arena, 1, sizeof *mesh);
  lbAppearance *appearances = lb_arena_alloc(arena, count, sizeof *appearances);
  lbTexture *pictures = lb_arena_alloc(arena, textures, sizeof *pictures);
  if (!mesh || !appearances || !pictures) return lb_fail_memory(err);
  for (size_t i = 0; i < count; i++) {
    lbAppearance *to = &appearances[i];
    to->name = (char *)lb_model_text(model->appearance_names, (int32_t)i);
    memcpy(to->base_color, model->appearance_colors + 4 * i, sizeof to->base_color);
    to->metallic = model->appearance_metal_roughness[2 * i];
    to->roughness = model->appearance_metal_roughness[2 * i + 1];
    to->texture = model->appearance_textures[i];
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
                    .appearance_count = (int32_t)count,
                    .appearances = appearances,
                    .triangle_appearances = (int32_t *)model->triangle_appearances,
                    .texture_count = (int32_t)textures,
                    .textures = pictures };
  *out = mesh;
  return LB_OK;
}

// One body's part of a track: coordinates or positions, and where it was.
static lbStatus describe_body_track(lbArena *arena, const vwAnimation *animation,
                                    const vwTrack *track, int32_t body, const lbMesh *surface,
                                    const double *shapes, lbAnimationBody *to, lbError *err) {
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
    to->shapes = shapes;
    to->coordinates = coordinates;
    to->positions = positions;
    to->rotations = rotations;
  } else {
    to->frames = moved; // already in world axes
    to->turning = true;
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
    const vwTrack *track = &animation->tracks[i];
    lbMesh *surface = NULL;
    double *shapes = NULL;
    status = borrow_surface(&arena, track->model, &surface, err);
    if (!status) status = carry_shapes(&arena, track, &shapes, err);
    for (int32_t body = 0; body < track->body_count && !status; body++)
      status = describe_body_track(&arena, animation, track, body, surface, shapes, &bodies[next++],
                                   err);
  }
  lbAnimationDef def = lb_animation_def();
  def.frame_count = animation->frame_count;
  def.times = animation->times;
  def.up = animation->up;
  if (!status) status = lb_animation_write(path, bodies, count, &def, NULL, err);
  lb_arena_release(&arena);
  return status;
}
