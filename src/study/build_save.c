// Writing models as a file that limber loads and any glTF viewer shows: each model's surface as a
// mesh, its first modes or basis vectors W U as morph targets, and a glTF node for each placed
// body.
#include "limber/build_model.h"

#include "export/viewable.h"
#include "limber/file.h"
#include "model/container.h"

#include <math.h>
#include <stdio.h>

static lbStatus view_appearances(const lbModel *model, lbArena *arena, lbMesh *surface,
                                 lbError *err) {
  size_t count = (size_t)model->size.appearance_count, textures = (size_t)model->size.texture_count;
  surface->appearances = lb_arena_alloc(arena, count, sizeof(lbAppearance));
  surface->textures = lb_arena_alloc(arena, textures, sizeof(lbTexture));
  if (!surface->appearances || !surface->textures) return lb_fail_memory(err);
  surface->appearance_count = model->size.appearance_count;
  surface->texture_count = model->size.texture_count;
  for (size_t i = 0; i < count; i++) {
    const float *color = model->appearance_colors + 4 * i,
                *metal = model->appearance_metal_roughness + 2 * i;
    surface->appearances[i] = (lbAppearance){
      .name = (char *)lb_model_text(model->appearance_names, (int32_t)i),
      .base_color = { color[0], color[1], color[2], color[3] },
      .metallic = metal[0],
      .roughness = metal[1],
      .texture = model->appearance_textures[i],
    };
  }
  for (size_t i = 0; i < textures; i++) {
    const int64_t *range = model->texture_ranges + 2 * i;
    surface->textures[i] = (lbTexture){
      .name = (char *)lb_model_text(model->texture_names, (int32_t)i),
      .mime = (char *)lb_model_text(model->texture_mimes, (int32_t)i),
      .data = range[1] ? (uint8_t *)model->pictures + range[0] : NULL,
      .bytes = (size_t)range[1],
    };
  }
  return LB_OK;
}

// A mesh that looks into the model; nothing writes through it.
static lbStatus view_surface(const lbModel *model, lbArena *arena, lbMesh *surface, lbError *err) {
  *surface = (lbMesh){
    .vertex_count = model->size.vertex_count,
    .positions = (double *)model->vertex_positions,
    .triangle_count = model->size.triangle_count,
    .triangles = (int32_t *)model->triangles,
    .corner_uvs = (float *)model->corner_uvs,
    .triangle_appearances = (int32_t *)model->triangle_appearances,
  };
  return view_appearances(model, arena, surface, err);
}

typedef struct Shapes {
  const lbModel *model;
  const double *basis; // the linear modes, or where there are none the vectors of the subspace
  double *values;      // (shapes x vertices x 3)
} Shapes;

// W U of modes [begin, end).
static void make_build_shapes(int32_t begin, int32_t end, void *context) {
  const Shapes *s = context;
  const lbModel *m = s->model;
  for (int32_t mode = begin; mode < end; mode++) {
    const double *U = s->basis + 3 * (size_t)m->size.node_count * (size_t)mode;
    lb_model_embed(m, 3, U, s->values + 3 * (size_t)m->size.vertex_count * (size_t)mode);
  }
}

enum { NAME_BYTES = 40 };

static lbStatus name_shapes(const lbModel *model, int32_t count, lbArena *arena,
                            const char *const **out, lbError *err) {
  const char **names = lb_arena_alloc(arena, (size_t)count, sizeof *names);
  char *text = lb_arena_alloc(arena, (size_t)count, NAME_BYTES);
  if (!names || !text) return lb_fail_memory(err);
  for (int32_t i = 0; i < count; i++) {
    names[i] = text + NAME_BYTES * (size_t)i;
    if (model->size.mode_count > 0)
      snprintf(text + NAME_BYTES * (size_t)i, NAME_BYTES, "mode %d: %.4g Hz", (int)i + 1,
               sqrt(model->modal_eigenvalues[i]) / (2 * LB_PI));
    else
      snprintf(text + NAME_BYTES * (size_t)i, NAME_BYTES, "vector %d", (int)i + 1);
  }
  *out = names;
  return LB_OK;
}

static lbStatus view_body(const lbModel *model, lbArena *arena, lbViewableBody *body,
                          lbError *err) {
  lbModelMethod method = { 0 };
  if (!lb_model_method(model, LB_METHOD_MODAL, &method))
    lb_model_method(model, LB_METHOD_SUBSPACE, &method);
  int32_t count = method.dimension;
  if (count > LB_BUILD_VIEW_SHAPES) count = LB_BUILD_VIEW_SHAPES;
  lbMesh *surface = lb_arena_alloc(arena, 1, sizeof *surface);
  Shapes shapes = { .model = model, .basis = method.basis };
  shapes.values =
      lb_arena_alloc(arena, (size_t)count * (size_t)model->size.vertex_count, 3 * sizeof(double));
  if (!surface || !shapes.values) return lb_fail_memory(err);
  lbStatus status = view_surface(model, arena, surface, err);
  *body = (lbViewableBody){
    .name = model->name, .surface = surface, .shape_count = count, .shapes = shapes.values
  };
  if (!status) status = name_shapes(model, count, arena, &body->shape_names, err);
  if (!status) lb_parallel_for(count, 1, make_build_shapes, &shapes);
  return status;
}

// An instance for each body of the world, or for each model.
static lbStatus place_instances(int32_t model_count, const lbWorldDef *world, lbArena *arena,
                                lbViewableInstance **out, int32_t *count, lbError *err) {
  *count = world ? world->size.body_count : model_count;
  lbViewableInstance *instances = lb_arena_alloc(arena, (size_t)*count, sizeof *instances);
  if (!instances) return lb_fail_memory(err);
  for (int32_t i = 0; i < *count; i++) {
    instances[i] = (lbViewableInstance){ .body = i, .rotation = { 0, 0, 0, 1 } };
    if (!world) continue;
    instances[i].body = world->body_models[i];
    instances[i].name = lb_model_text(world->body_names, i);
    for (int k = 0; k < 3; k++) instances[i].position[k] = world->body_positions[3 * (size_t)i + k];
    for (int k = 0; k < 4; k++) instances[i].rotation[k] = world->body_rotations[4 * (size_t)i + k];
  }
  *out = instances;
  return LB_OK;
}

static lbStatus make_viewable(const lbModel *const *models, int32_t model_count,
                              const lbWorldDef *world, lbViewable *viewable, lbError *err) {
  lbArena arena = { 0 };
  lbViewableInstance *instances = NULL;
  int32_t instance_count = 0;
  lbViewableBody *bodies = lb_arena_alloc(&arena, (size_t)model_count, sizeof *bodies);
  lbStatus status = bodies ? LB_OK : lb_fail_memory(err);
  for (int32_t i = 0; i < model_count && !status; i++)
    status = view_body(models[i], &arena, &bodies[i], err);
  if (!status)
    status = place_instances(model_count, world, &arena, &instances, &instance_count, err);
  if (!status)
    status = lb_viewable_make(bodies, model_count, instances, instance_count,
                              models[0]->up[0] == 1 ? 'y' : 'z', viewable, err);
  lb_arena_release(&arena);
  return status;
}

static lbStatus write_bytes(const uint8_t *bytes, size_t byte_count, const char *path,
                            lbError *err) {
  lbFileWriter writer;
  lbStatus status = lb_file_begin(&writer, path, err);
  if (status) return status;
  fwrite(bytes, 1, byte_count, writer.stream); // commit looks whether it arrived
  return lb_file_commit(&writer, err);
}

lbStatus lb_build_save(const lbModel *const *models, int32_t model_count, const lbWorldDef *world,
                       const char *path, lbError *err) {
  if (model_count < 1) return lb_fail(err, LB_ERR_ARGUMENT, "%s: no model to write", path);
  lbViewable viewable = { 0 };
  uint8_t *bytes = NULL;
  size_t byte_count = 0;
  lbStatus status = make_viewable(models, model_count, world, &viewable, err);
  if (!status) {
    const lbModelViewable seen = { viewable.json, viewable.json_bytes, viewable.bin,
                                   viewable.bin_bytes, viewable.texture_ranges };
    status = lb_bundle_pack(models, model_count, world, &seen, &bytes, &byte_count, err);
  }
  if (!status) status = write_bytes(bytes, byte_count, path, err);
  lb_free(bytes);
  lb_viewable_release(&viewable);
  return status;
}
