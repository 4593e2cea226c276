// A recording as glTF: what the skin does for each coordinate becomes a morph target.
#include "view/gltf.h"

#include "limber/gltf.h"
#include "view/animation_parts.h"
#include "render/skin.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- appearance --------------------------------------------------------------------------------

// The document's texture for one of the model's; -1 where it has no picture that glTF can hold.
static lbStatus add_texture(lbGltf *gltf, const lbModel *model, int32_t texture, int32_t *id,
                            lbError *err) {
  *id = -1;
  if (texture < 0 || !model->texture_ranges || !model->pictures) return LB_OK;
  int64_t begin = model->texture_ranges[2 * texture],
          bytes = model->texture_ranges[2 * texture + 1];
  const char *mime = lb_model_text(model->texture_mimes, texture);
  if (bytes <= 0 || (strcmp(mime, "image/png") != 0 && strcmp(mime, "image/jpeg") != 0))
    return LB_OK;
  lbGltfPicture picture = { .mime = mime, .data = model->pictures + begin, .bytes = (size_t)bytes };
  return lb_gltf_add_texture(gltf, &picture, id, err);
}

static lbStatus add_gltf_view_material(lbGltf *gltf, const vwPart *part, int32_t texture,
                                       int32_t *id, lbError *err) {
  lbGltfMaterial material = { .metallic = part->metal,
                              .roughness = part->roughness,
                              .texture = texture };
  memcpy(material.base_color, part->color, sizeof material.base_color);
  return lb_gltf_add_material(gltf, &material, id, err);
}

// The parts that have triangles, each with its material; a texture is embedded once.
static lbStatus add_gltf_view_parts(lbArena *arena, lbGltf *gltf, const vwSkin *skin,
                                    lbGltfMesh *mesh, lbError *err) {
  size_t texture_count = (size_t)skin->model->size.texture_count;
  int32_t *textures = lb_arena_alloc(arena, texture_count, sizeof *textures); // id + 1
  lbGltfPart *parts = lb_arena_alloc(arena, (size_t)skin->part_count, sizeof *parts);
  lbStatus status = textures && parts ? LB_OK : lb_fail_memory(err);
  mesh->parts = parts;
  for (int32_t i = 0; i < skin->part_count && !status; i++) {
    const vwPart *part = &skin->parts[i];
    if (!part->triangle_count) continue;
    int32_t texture = part->texture < 0 ? -1 : textures[part->texture] - 1;
    if (part->texture >= 0 && texture < 0) {
      status = add_texture(gltf, skin->model, part->texture, &texture, err);
      textures[part->texture] = texture + 1;
    }
    if (texture >= 0) mesh->uvs = skin->uvs;
    lbGltfPart *to = &parts[mesh->part_count++];
    *to = (lbGltfPart){ part->triangle_begin, part->triangle_count, -1 };
    if (!status) status = add_gltf_view_material(gltf, part, texture, &to->material, err);
  }
  return status;
}

// ---- shapes ------------------------------------------------------------------------------------

// How a track's coordinates become weights, and room for a mesh.
typedef struct Shapes {
  int32_t dimension;
  size_t vertices;
  float *low, *range, *mean; // (dimension)
  float *coordinates;        // (dimension), working memory
  float *positions, *other;  // (vertices x 3), working memory
  lbGltfTarget *targets;     // (dimension + 1): one a coordinate, and one that is always on
} Shapes;

static bool make_gltf_view_shapes(lbArena *arena, const vwSkin *skin, int32_t dimension,
                                  Shapes *shapes) {
  size_t vertices = (size_t)skin->vertex_count;
  *shapes = (Shapes){ .dimension = dimension, .vertices = vertices };
  float **small[] = { &shapes->low, &shapes->range, &shapes->mean, &shapes->coordinates };
  for (int i = 0; i < 4; i++) {
    *small[i] = lb_arena_alloc(arena, (size_t)dimension, sizeof(float));
    if (!*small[i]) return false;
  }
  shapes->positions = lb_arena_alloc(arena, vertices, 3 * sizeof(float));
  shapes->other = lb_arena_alloc(arena, vertices, 3 * sizeof(float));
  shapes->targets = lb_arena_alloc(arena, (size_t)dimension + 1, sizeof *shapes->targets);
  return shapes->positions && shapes->other && shapes->targets;
}

static void find_gltf_view_ranges(const vwTrack *track, size_t frames, Shapes *shapes) {
  size_t states = frames * (size_t)track->body_count;
  for (int32_t i = 0; i < shapes->dimension; i++) {
    float low = FLT_MAX, high = -FLT_MAX;
    double sum = 0;
    for (size_t state = 0; state < states; state++) {
      float value = track->frames[state * track->frame_floats + (size_t)i];
      low = fminf(low, value);
      high = fmaxf(high, value);
      sum += (double)value;
    }
    shapes->low[i] = low;
    shapes->range[i] = high > low ? high - low : 1;
    shapes->mean[i] = (float)(sum / (double)states);
  }
}

static float weight(const Shapes *shapes, int32_t i, float coordinate) {
  return fminf(1, fmaxf(0, (coordinate - shapes->low[i]) / shapes->range[i]));
}

// Normals where coordinate i is `offset` from the mean.
static void find_gltf_view_normals(const vwSkin *skin, Shapes *shapes, int32_t i, float offset,
                                   float *normals) {
  memcpy(shapes->coordinates, shapes->mean, (size_t)shapes->dimension * sizeof(float));
  shapes->coordinates[i] += offset;
  vw_skin_from_coordinates(skin, shapes->coordinates, shapes->dimension, shapes->positions,
                           normals);
}

// The target of a coordinate; takes its share of the mean's normals from `rest`.
static void fill_target(const vwSkin *skin, Shapes *shapes, int32_t i, float *rest,
                        float *positions, float *normals) {
  size_t values = 3 * shapes->vertices;
  float range = shapes->range[i], share = weight(shapes, i, shapes->mean[i]);
  find_gltf_view_normals(skin, shapes, i, -range / 2, shapes->other);
  find_gltf_view_normals(skin, shapes, i, range / 2, normals);
  const float *basis = skin->basis + (size_t)i * values;
  for (size_t k = 0; k < values; k++) {
    normals[k] -= shapes->other[k];
    rest[k] -= share * normals[k];
    positions[k] = range * basis[k];
  }
}

// The target that is always on: the shape of the lowest coordinates, and in `rest` what normals the
// others leave.
static void fill_last_target(const vwSkin *skin, const Shapes *shapes, float *positions) {
  size_t values = 3 * shapes->vertices;
  for (int32_t i = 0; i < shapes->dimension; i++)
    for (size_t k = 0; k < values; k++)
      positions[k] += shapes->low[i] * skin->basis[(size_t)i * values + k];
}

static bool make_gltf_view_targets(lbArena *arena, const vwSkin *skin, Shapes *shapes) {
  size_t values = 3 * shapes->vertices, last = (size_t)shapes->dimension;
  float *positions = lb_arena_alloc(arena, (last + 1) * values, sizeof(float));
  float *normals = lb_arena_alloc(arena, (last + 1) * values, sizeof(float));
  if (!positions || !normals) return false;
  float *rest = normals + last * values;
  find_gltf_view_normals(skin, shapes, 0, 0, rest);
  for (size_t k = 0; k < values; k++) rest[k] -= skin->normals[k];
  for (size_t i = 0; i <= last; i++) {
    float *target = positions + i * values;
    if (i < last)
      fill_target(skin, shapes, (int32_t)i, rest, target, normals + i * values);
    else
      fill_last_target(skin, shapes, target);
    shapes->targets[i] = (lbGltfTarget){ .positions = target, .normals = normals + i * values };
  }
  return true;
}

static lbStatus add_gltf_view_mesh(lbArena *arena, lbGltf *gltf, const vwSkin *skin, Shapes *shapes,
                                   int32_t *id, lbError *err) {
  float *weights = lb_arena_alloc(arena, (size_t)shapes->dimension + 1, sizeof *weights);
  if (!weights || !make_gltf_view_targets(arena, skin, shapes)) return lb_fail_memory(err);
  for (int32_t i = 0; i < shapes->dimension; i++) weights[i] = weight(shapes, i, 0);
  weights[shapes->dimension] = 1;
  lbGltfMesh mesh = { .vertex_count = skin->vertex_count,
                      .positions = skin->positions,
                      .normals = skin->normals,
                      .triangles = (const int32_t *)skin->triangles,
                      .target_count = shapes->dimension + 1,
                      .targets = shapes->targets,
                      .weights = weights };
  lbStatus status = add_gltf_view_parts(arena, gltf, skin, &mesh, err);
  return status ? status : lb_gltf_add_mesh(gltf, &mesh, id, err);
}

// ---- motion ------------------------------------------------------------------------------------

typedef struct Motion { // of one body
  float *weights;       // (frames x (dimension + 1))
  float *translations;  // (frames x 3)
  float *rotations;     // (frames x 4)
} Motion;

static void collect_motion(const vwTrack *track, size_t frames, int32_t body, const Shapes *shapes,
                           Motion *motion) {
  size_t bodies = (size_t)track->body_count, width = (size_t)shapes->dimension + 1;
  for (size_t f = 0; f < frames; f++) {
    const float *coordinates = track->frames + (f * bodies + (size_t)body) * track->frame_floats;
    const float *placement = track->placements + 7 * (f * bodies + (size_t)body);
    for (int32_t i = 0; i < shapes->dimension; i++)
      motion->weights[f * width + (size_t)i] = weight(shapes, i, coordinates[i]);
    motion->weights[f * width + width - 1] = 1;
    memcpy(motion->translations + 3 * f, placement, 3 * sizeof(float));
    memcpy(motion->rotations + 4 * f, placement + 3, 4 * sizeof(float));
  }
}

static lbStatus add_gltf_view_body(lbGltf *gltf, const vwTrack *track, int32_t body, int32_t mesh,
                                   const Motion *motion, lbError *err) {
  char name[160];
  snprintf(name, sizeof name, "%.100s (%s) %d", track->model->name, lb_method_name(track->method),
           (int)body);
  lbGltfNode gltf_node = { .name = name,
                           .mesh = mesh,
                           .translations = motion->translations,
                           .rotations = motion->rotations,
                           .weights = motion->weights };
  return lb_gltf_add_node(gltf, &gltf_node, NULL, err);
}

static lbStatus add_track(lbGltf *gltf, const vwTrack *track, size_t frames, lbError *err) {
  lbArena arena = { 0 };
  vwSkin *skin = NULL;
  Shapes shapes;
  vwSkinDef def = vw_skin_def();
  size_t width = (size_t)track->dimension + 1;
  int32_t mesh = -1;
  lbStatus status = vw_skin_create(track->model, track->method, &def, &skin, err);
  if (status) goto done;
  Motion motion = { .weights = lb_arena_alloc(&arena, frames * width, sizeof(float)),
                    .translations = lb_arena_alloc(&arena, frames, 3 * sizeof(float)),
                    .rotations = lb_arena_alloc(&arena, frames, 4 * sizeof(float)) };
  if (!motion.weights || !motion.translations || !motion.rotations ||
      !make_gltf_view_shapes(&arena, skin, track->dimension, &shapes)) {
    status = lb_fail_memory(err);
    goto done;
  }
  find_gltf_view_ranges(track, frames, &shapes);
  status = add_gltf_view_mesh(&arena, gltf, skin, &shapes, &mesh, err);
  for (int32_t body = 0; body < track->body_count && !status; body++) {
    collect_motion(track, frames, body, &shapes, &motion);
    status = add_gltf_view_body(gltf, track, body, mesh, &motion, err);
  }
done:
  vw_skin_destroy(skin);
  lb_arena_release(&arena);
  return status;
}

// ---- the file ----------------------------------------------------------------------------------

lbStatus vw_gltf_write(const vwAnimation *animation, uint8_t **bytes, size_t *count,
                       int32_t *left_out, lbError *err) {
  if (animation->frame_count < 2)
    return lb_fail(err, LB_ERR_ARGUMENT, "nothing moved while the animation was recorded");
  lbGltfDef def = lb_gltf_def();
  def.up = animation->up;
  def.animation_name = "motion";
  def.frame_count = animation->frame_count;
  def.times = animation->times;
  lbGltf *gltf = NULL;
  lbStatus status = lb_gltf_create(&def, &gltf, err);
  int32_t written = 0;
  *left_out = 0;
  for (int32_t i = 0; i < animation->track_count && !status; i++) {
    const vwTrack *track = &animation->tracks[i];
    bool has_basis = track->dimension > 0;
    *(has_basis ? &written : left_out) += track->body_count;
    if (has_basis) status = add_track(gltf, track, (size_t)animation->frame_count, err);
  }
  if (!status && !written)
    status = lb_fail(err, LB_ERR_UNSUPPORTED,
                     "no body here moves by a basis: limber export writes the others");
  if (!status) status = lb_gltf_pack(gltf, bytes, count, err);
  lb_gltf_destroy(gltf);
  return status;
}
