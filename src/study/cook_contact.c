// What bodies of a scene touch, as arrays of a world: friction, colliders, and what bodies say.
#include "study/cook_contact.h"

#include <math.h>
#include <string.h>

int32_t lb_cook_path_index(const lbScene *scene, const lbPath *path) {
  for (int32_t i = 0; i < scene->path_count; i++)
    if (scene->paths[i] == path) return i;
  return -1;
}

static double stored_number(double value) { return isnan(value) ? -1 : value; }

// Friction is an array of its own.
static void store_material(const lbContactMaterial *m, double to[3]) {
  to[0] = stored_number(m->compliance);
  to[1] = stored_number(m->restitution);
  to[2] = stored_number(m->rolling_friction);
}

static bool has_material(const double m[3]) { return m[0] >= 0 || m[1] >= 0 || m[2] >= 0; }

static bool is_usual(lbContactFilter filter) {
  lbContactFilter usual = lb_contact_filter();
  return filter.category == usual.category && filter.mask == usual.mask &&
         filter.group == usual.group;
}

static void store_filter(lbContactFilter filter, int32_t to[3]) {
  to[0] = filter.category, to[1] = filter.mask, to[2] = filter.group;
}

static lbStatus store_filters(const lbScene *scene, lbArena *arena, lbWorldDef *world,
                              lbError *err) {
  size_t bodies = (size_t)scene->body_count, colliders = (size_t)scene->collider_count;
  int32_t *of_bodies = lb_arena_alloc(arena, bodies, 3 * sizeof *of_bodies);
  int32_t *of_colliders = lb_arena_alloc(arena, colliders, 3 * sizeof *of_colliders);
  if (!of_bodies || !of_colliders) return lb_fail_memory(err);
  for (size_t i = 0; i < bodies; i++) {
    store_filter(scene->bodies[i].filter, of_bodies + 3 * i);
    if (!is_usual(scene->bodies[i].filter)) world->body_filters = of_bodies;
  }
  for (size_t i = 0; i < colliders; i++) {
    const lbSceneCollider *from = &scene->colliders[i];
    lbContactFilter filter = from->untouchable ? (lbContactFilter){ 0 } : from->filter;
    store_filter(filter, of_colliders + 3 * i);
    if (!is_usual(filter)) world->collider_filters = of_colliders;
  }
  return LB_OK;
}

// Only settings that differ from the defaults.
static lbStatus store_bodies(const lbScene *scene, lbArena *arena, lbWorldDef *world,
                             lbError *err) {
  size_t count = (size_t)scene->body_count;
  uint8_t *untouchable = lb_arena_alloc(arena, count, sizeof *untouchable);
  double *frictions = lb_arena_alloc(arena, count, sizeof *frictions);
  double *materials = lb_arena_alloc(arena, count, 3 * sizeof *materials);
  double *frames = lb_arena_alloc(arena, count, 2 * sizeof *frames);
  if (!untouchable || !frictions || !materials || !frames) return lb_fail_memory(err);
  for (size_t i = 0; i < count; i++) {
    const lbSceneBody *body = &scene->bodies[i];
    untouchable[i] = body->untouchable;
    frictions[i] = stored_number(body->contact_material.friction);
    store_material(&body->contact_material, materials + 3 * i);
    if (has_material(materials + 3 * i)) world->body_contact_materials = materials;
    if (untouchable[i]) world->body_untouchable = untouchable;
    if (frictions[i] >= 0) world->body_frictions = frictions;
    bool adapts = body->method == LB_METHOD_FRAMES && body->contact_frames > 0;
    frames[2 * i] = adapts ? body->contact_frames : 0;
    frames[2 * i + 1] = adapts ? body->contact_spacing : 0;
    if (adapts) world->body_contact_frames = frames;
  }
  return LB_OK;
}

static char *join_contact_names(const lbScene *scene, lbArena *arena) {
  size_t bytes = 0;
  for (int32_t i = 0; i < scene->collider_count; i++) bytes += strlen(scene->colliders[i].name) + 1;
  char *texts = lb_arena_alloc(arena, bytes, 1), *next = texts;
  for (int32_t i = 0; texts && i < scene->collider_count; i++) {
    size_t length = strlen(scene->colliders[i].name) + 1;
    memcpy(next, scene->colliders[i].name, length);
    next += length;
  }
  return texts;
}

static lbStatus store_colliders(const lbScene *scene, lbArena *arena, lbWorldDef *world,
                                lbError *err) {
  size_t count = (size_t)scene->collider_count;
  int32_t *shapes = lb_arena_alloc(arena, count, sizeof *shapes);
  int32_t *paths = lb_arena_alloc(arena, count, sizeof *paths);
  double *sizes = lb_arena_alloc(arena, count, 4 * sizeof *sizes);
  double *positions = lb_arena_alloc(arena, count, 3 * sizeof *positions);
  double *rotations = lb_arena_alloc(arena, count, 4 * sizeof *rotations);
  double *frictions = lb_arena_alloc(arena, count, sizeof *frictions);
  char *names = join_contact_names(scene, arena);
  if (!shapes || !paths || !sizes || !positions || !rotations || !frictions || !names)
    return lb_fail_memory(err);
  for (size_t i = 0; i < count; i++) {
    const lbSceneCollider *from = &scene->colliders[i];
    shapes[i] = (int32_t)from->shape;
    paths[i] = lb_cook_path_index(scene, from->motion);
    sizes[4 * i] = from->radius;
    memcpy(sizes + 4 * i + 1, from->size, sizeof from->size);
    memcpy(positions + 3 * i, from->position, sizeof from->position);
    memcpy(rotations + 4 * i, from->rotation, sizeof from->rotation);
    frictions[i] = stored_number(from->contact_material.friction);
  }
  world->size.collider_count = scene->collider_count;
  world->collider_names = names;
  world->collider_shapes = shapes;
  world->collider_sizes = sizes;
  world->collider_positions = positions;
  world->collider_rotations = rotations;
  world->collider_frictions = frictions;
  world->collider_paths = paths;
  return LB_OK;
}

static lbStatus store_collider_contact(const lbScene *scene, lbArena *arena, lbWorldDef *world,
                                       lbError *err) {
  size_t count = (size_t)scene->collider_count;
  double *materials = lb_arena_alloc(arena, count, 3 * sizeof *materials);
  uint8_t *sensors = lb_arena_alloc(arena, count, sizeof *sensors);
  if (!materials || !sensors) return lb_fail_memory(err);
  for (size_t i = 0; i < count; i++) {
    store_material(&scene->colliders[i].contact_material, materials + 3 * i);
    sensors[i] = scene->colliders[i].sensor;
    if (has_material(materials + 3 * i)) world->collider_contact_materials = materials;
    if (sensors[i]) world->collider_sensors = sensors;
  }
  return LB_OK;
}

static lbStatus store_meshes(const lbScene *scene, lbArena *arena, lbWorldDef *world,
                             lbError *err) {
  size_t count = (size_t)scene->collider_count, vertices = 0, triangles = 0;
  for (size_t i = 0; i < count; i++) {
    const lbMesh *mesh = scene->colliders[i].mesh;
    if (mesh) vertices += (size_t)mesh->vertex_count, triangles += (size_t)mesh->triangle_count;
  }
  if (vertices == 0) return LB_OK;
  if (vertices > INT32_MAX / 8 || triangles > INT32_MAX / 8)
    return lb_fail(err, LB_ERR_UNSUPPORTED, "%s: its colliders have too many triangles",
                   scene->path);
  int32_t *vertex_begin = lb_arena_alloc(arena, count + 1, sizeof *vertex_begin);
  int32_t *triangle_begin = lb_arena_alloc(arena, count + 1, sizeof *triangle_begin);
  double *positions = lb_arena_alloc(arena, vertices, 3 * sizeof *positions);
  int32_t *corners = lb_arena_alloc(arena, triangles, 3 * sizeof *corners);
  if (!vertex_begin || !triangle_begin || !positions || !corners) return lb_fail_memory(err);
  for (size_t i = 0; i < count; i++) {
    const lbMesh *mesh = scene->colliders[i].mesh;
    int32_t more = mesh ? mesh->vertex_count : 0, faces = mesh ? mesh->triangle_count : 0;
    vertex_begin[i + 1] = vertex_begin[i] + more;
    triangle_begin[i + 1] = triangle_begin[i] + faces;
    if (!mesh) continue;
    memcpy(positions + 3 * (size_t)vertex_begin[i], mesh->positions,
           (size_t)more * 3 * sizeof *positions);
    memcpy(corners + 3 * (size_t)triangle_begin[i], mesh->triangles,
           (size_t)faces * 3 * sizeof *corners);
  }
  world->size.collider_vertex_count = (int32_t)vertices;
  world->size.collider_triangle_count = (int32_t)triangles;
  world->collider_vertex_begin = vertex_begin;
  world->collider_triangle_begin = triangle_begin;
  world->collider_vertices = positions;
  world->collider_triangles = corners;
  return LB_OK;
}

static lbStatus store_settings(const lbScene *scene, lbArena *arena, lbWorldDef *world,
                               lbError *err) {
  const lbContactMaterial *m = &scene->contact_material;
  uint8_t *self = lb_arena_alloc(arena, 1, sizeof *self);
  double *material = lb_arena_alloc(arena, 3, sizeof *material);
  if (!self || !material) return lb_fail_memory(err);
  *self = scene->self;
  store_material(m, material);
  world->contact_friction = &m->friction;
  if (m->compliance > 0 || m->restitution > 0 || m->rolling_friction > 0)
    world->contact_material = material;
  if (scene->substeps != 1) world->contact_substeps = &scene->substeps;
  if (scene->hit_speed != LB_SCENE_HIT_SPEED) world->contact_hit_speed = &scene->hit_speed;
  if (scene->self) world->contact_self = self;
  return LB_OK;
}

lbStatus lb_cook_contact(const lbScene *scene, lbArena *arena, lbWorldDef *world, lbError *err) {
  if (!scene->contact) return LB_OK;
  lbStatus status = store_settings(scene, arena, world, err);
  if (!status) status = store_bodies(scene, arena, world, err);
  if (!status) status = store_filters(scene, arena, world, err);
  if (!status && scene->collider_count > 0) status = store_colliders(scene, arena, world, err);
  if (!status) status = store_collider_contact(scene, arena, world, err);
  return status ? status : store_meshes(scene, arena, world, err);
}
