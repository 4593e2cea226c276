// target_i = s_i U_i with s_i = LB_VIEWABLE_MOVE size / max |U_i|, the size being the diagonal of
// the rest shape's bounding box; the targets' normals are the first-order change of the normals.
#include "export/viewable.h"

#include "export/check.h"
#include "export/gltf_mesh.h"
#include "export/normals.h"
#include "limber/math.h"

#include <stdio.h>
#include <string.h>

typedef struct Targets {
  int32_t count;
  float *positions, *normals; // (count x source_count x 3)
} Targets;

typedef struct Making {
  lbGltf *gltf;
  lbAppearances appearances;
  int32_t *meshes; // (body_count)
  int64_t *ranges; // texture_ranges
  size_t texture_count;
} Making;

// ---- targets -----------------------------------------------------------------------------------

static double shape_scale(const lbSurface *surface, const double *shape) {
  double farthest = 0;
  for (int32_t i = 0; i < surface->source_count; i++)
    farthest = fmax(farthest, lb_length(lb_vec3_load(shape + 3 * (size_t)surface->sources[i])));
  return farthest > 0 ? LB_VIEWABLE_MOVE * surface->size / farthest : 0;
}

static bool make_target(const lbViewableBody *body, const lbSurface *surface, size_t id,
                        Targets *targets) {
  const lbMesh *mesh = body->surface;
  const double *shape = body->shapes + 3 * (size_t)mesh->vertex_count * id;
  size_t n = 3 * (size_t)surface->source_count;
  double scale = shape_scale(surface, shape);
  for (size_t r = 0; r < n; r++)
    targets->positions[n * id + r] =
        (float)(scale * shape[3 * (size_t)surface->sources[r / 3] + r % 3]);
  float *normals = lb_normals_change(surface, mesh->positions, shape, scale);
  if (normals) memcpy(targets->normals + n * id, normals, n * sizeof *normals);
  lb_free(normals);
  return normals != NULL;
}

// The first shapes: as many as a large surface leaves room for.
static int32_t count_targets(const lbViewableBody *body, const lbSurface *surface) {
  size_t each = 6 * sizeof(float) * (size_t)surface->source_count;
  size_t most = each ? LB_VIEWABLE_BYTES / each : LB_VIEWABLE_SHAPES;
  int32_t count = most < 1 ? 1 : most > LB_VIEWABLE_SHAPES ? LB_VIEWABLE_SHAPES : (int32_t)most;
  return count < body->shape_count ? count : body->shape_count;
}

static lbStatus make_viewable_targets(const lbViewableBody *body, const lbSurface *surface,
                                      Targets *targets, lbError *err) {
  int32_t count = count_targets(body, surface);
  size_t entries = 3 * (size_t)surface->source_count * (size_t)count;
  *targets = (Targets){ .count = count };
  targets->positions = lb_alloc(entries, sizeof(float));
  targets->normals = lb_alloc(entries, sizeof(float));
  if (!targets->positions || !targets->normals) return lb_fail_memory(err);
  for (int32_t i = 0; i < count; i++)
    if (!make_target(body, surface, (size_t)i, targets)) return lb_fail_memory(err);
  return LB_OK;
}

static void release_targets(Targets *targets) {
  lb_free(targets->positions);
  lb_free(targets->normals);
}

// As the writer takes them, with names; release the arena.
static lbGltfTarget *list_viewable_targets(lbArena *arena, const lbViewableBody *body,
                                           const lbSurface *surface, const Targets *targets) {
  const size_t name_bytes = 32, count = (size_t)targets->count;
  lbGltfTarget *list = lb_arena_alloc(arena, count, sizeof *list);
  char *plain = lb_arena_alloc(arena, count, name_bytes);
  if (!list || !plain) return NULL;
  for (size_t i = 0; i < count; i++) {
    size_t begin = 3 * (size_t)surface->source_count * i;
    const char *name = body->shape_names ? body->shape_names[i] : NULL;
    snprintf(plain + name_bytes * i, name_bytes, "shape %d", (int)i + 1);
    list[i] = (lbGltfTarget){ .name = name ? name : plain + name_bytes * i,
                              .positions = targets->positions + begin,
                              .normals = targets->normals + begin };
  }
  return list;
}

// ---- bodies ------------------------------------------------------------------------------------

static lbStatus add_viewable_mesh(Making *m, const lbViewableBody *body, const char *name,
                                  const lbSurface *surface, int32_t *mesh_id, lbError *err) {
  Targets targets = { 0 };
  lbArena arena = { 0 };
  const lbMesh *mesh = body->surface;
  size_t n = 3 * (size_t)surface->source_count;
  float *normals = lb_normals_of_shape(surface, mesh->positions);
  float *base = lb_alloc(n, sizeof *base);
  lbStatus status = normals && base ? LB_OK : lb_fail_memory(err);
  if (!status) status = make_viewable_targets(body, surface, &targets, err);
  lbGltfTarget *list = status ? NULL : list_viewable_targets(&arena, body, surface, &targets);
  if (!status && !list) status = lb_fail_memory(err);
  if (!status) {
    for (size_t r = 0; r < n; r++)
      base[r] = (float)mesh->positions[3 * (size_t)surface->sources[r / 3] + r % 3];
    lbGltfMesh gltf_mesh = { .name = name,
                             .positions = base,
                             .normals = normals,
                             .target_count = targets.count,
                             .targets = list };
    status = lb_gltf_mesh_add(&m->appearances, mesh, surface, gltf_mesh, mesh_id, err);
  }
  lb_arena_release(&arena);
  release_targets(&targets);
  lb_free(base);
  lb_free(normals);
  return status;
}

// All of the mesh's pictures, also those that no triangle shows: the model keeps them.
static lbStatus add_pictures(Making *m, const lbMesh *mesh, lbError *err) {
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < mesh->texture_count && !status; i++) {
    int64_t *range = m->ranges + 2 * m->texture_count++;
    int32_t texture = -1;
    status = lb_appearances_picture(&m->appearances, &mesh->textures[i], &texture, err);
    if (!status && texture >= 0) lb_gltf_texture_range(m->gltf, texture, &range[0], &range[1]);
  }
  return status;
}

static lbStatus add_viewable_body(Making *m, const lbViewableBody *body, int32_t number,
                                  lbError *err) {
  char plain[32];
  const char *name = lb_body_label(body->name, number, plain);
  const lbMesh *mesh = body->surface;
  if (!mesh || body->shape_count < 0 || (body->shape_count && !body->shapes))
    return lb_fail(err, LB_ERR_ARGUMENT, "body \"%s\": it needs a surface, and its %d shapes", name,
                   (int)body->shape_count);
  lbSurface surface;
  lbStatus status = lb_surface_prepare(mesh, name, &surface, err);
  if (status) return status;
  status = lb_check_doubles(name, "rest", 1, mesh->vertex_count, mesh->positions, err);
  if (!status && body->shape_count)
    status =
        lb_check_doubles(name, "shape", body->shape_count, mesh->vertex_count, body->shapes, err);
  if (!status) status = add_pictures(m, mesh, err);
  if (!status) status = add_viewable_mesh(m, body, name, &surface, &m->meshes[number], err);
  lb_surface_release(&surface);
  return status;
}

// ---- instances
// -------------------------------------------------------------------------------------

static lbStatus add_instance(Making *m, const lbViewableBody *bodies, int32_t body_count,
                             const lbViewableInstance *instance, int32_t number, lbError *err) {
  if (instance->body < 0 || instance->body >= body_count)
    return lb_fail(err, LB_ERR_ARGUMENT, "instance %d places body %d, there are %d", (int)number,
                   (int)instance->body, (int)body_count);
  char plain[32];
  const char *name = lb_body_label(bodies[instance->body].name, instance->body, plain);
  if (instance->name && *instance->name) name = instance->name;
  lbStatus status = lb_check_numbers(name, "position", 1, 3, instance->position, err);
  if (!status) status = lb_check_rotations(name, 1, instance->rotation, err);
  if (status) return status;
  const double *r = instance->rotation;
  lbQuat q = lb_quat_normalise(lb_quat(r[0], r[1], r[2], r[3]));
  const float rotation[4] = { (float)q.x, (float)q.y, (float)q.z, (float)q.w };
  float translation[3];
  for (int k = 0; k < 3; k++) translation[k] = (float)instance->position[k];
  lbGltfNode gltf_node = { .name = name,
                           .mesh = m->meshes[instance->body],
                           .translation = translation,
                           .rotation = rotation };
  return lb_gltf_add_node(m->gltf, &gltf_node, NULL, err);
}

// ---- all of it ---------------------------------------------------------------------------------

static lbStatus begin_viewable(Making *m, const lbViewableBody *bodies, int32_t body_count, char up,
                               lbError *err) {
  size_t texture_count = 0;
  for (int32_t i = 0; i < body_count; i++)
    texture_count += bodies[i].surface ? (size_t)bodies[i].surface->texture_count : 0;
  lbGltfDef def = lb_gltf_def();
  def.up = up;
  lbStatus status = lb_gltf_create(&def, &m->gltf, err);
  if (status) return status;
  m->appearances.gltf = m->gltf;
  m->meshes = lb_alloc((size_t)body_count, sizeof *m->meshes);
  m->ranges = lb_alloc(texture_count, 2 * sizeof *m->ranges);
  return m->meshes && m->ranges ? LB_OK : lb_fail_memory(err);
}

static void release_viewable(Making *m) {
  lb_appearances_release(&m->appearances);
  lb_gltf_destroy(m->gltf);
  lb_free(m->meshes);
  lb_free(m->ranges);
}

lbStatus lb_viewable_make(const lbViewableBody *bodies, int32_t body_count,
                          const lbViewableInstance *instances, int32_t instance_count, char up,
                          lbViewable *out, lbError *err) {
  if (!bodies || body_count < 1 || !instances || instance_count < 1)
    return lb_fail(err, LB_ERR_ARGUMENT, "a viewable model needs a body and an instance");
  lbStatus status = lb_check_up(up, err);
  if (status) return status;
  Making m = { 0 };
  lbViewable made = { 0 };
  status = begin_viewable(&m, bodies, body_count, up, err);
  for (int32_t i = 0; i < body_count && !status; i++)
    status = add_viewable_body(&m, &bodies[i], i, err);
  for (int32_t i = 0; i < instance_count && !status; i++)
    status = add_instance(&m, bodies, body_count, &instances[i], i, err);
  if (!status)
    status = lb_gltf_take(m.gltf, LB_VIEWABLE_ALIGNMENT, &made.json, &made.json_bytes, &made.bin,
                          &made.bin_bytes, err);
  if (!status) {
    made.texture_ranges = m.ranges;
    m.ranges = NULL;
    *out = made;
  }
  release_viewable(&m);
  return status;
}

void lb_viewable_release(lbViewable *viewable) {
  lb_free(viewable->json);
  lb_free(viewable->bin);
  lb_free(viewable->texture_ranges);
  *viewable = (lbViewable){ 0 };
}
