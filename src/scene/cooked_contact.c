// What bodies of a cooked world touch, as a scene has it.
#include "scene/body.h"

#include "mesh/builder.h"

#include <math.h>
#include <string.h>

static lbStatus take_mesh(const lbWorldDef *w, int32_t i, const char *path, lbMesh **out,
                          lbError *err) {
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  for (int32_t v = w->collider_vertex_begin[i]; v < w->collider_vertex_begin[i + 1]; v++) {
    const double *x = w->collider_vertices + 3 * (size_t)v;
    lb_mesh_add_vertex(&builder, x[0], x[1], x[2]);
  }
  for (int32_t t = w->collider_triangle_begin[i]; t < w->collider_triangle_begin[i + 1]; t++)
    lb_mesh_add_triangle(&builder, w->collider_triangles + 3 * (size_t)t);
  return lb_mesh_builder_finish(&builder, path, out, err);
}

static lbStatus take_collider(const lbWorldDef *w, int32_t i, const char *name, lbScene *scene,
                              lbError *err) {
  lbSceneCollider *to = &scene->colliders[i];
  lbColliderDef def = lb_world_collider_def(w, i);
  const double *size = w->collider_sizes + 4 * (size_t)i;
  *to = (lbSceneCollider){ .name = lb_duplicate_text(name),
                           .shape = (lbColliderShape)w->collider_shapes[i],
                           .radius = size[0],
                           .contact_material = { def.friction, def.compliance, def.restitution,
                                                 def.rolling_friction },
                           .sensor = def.sensor,
                           .filter = lb_world_filter(w->collider_filters, i) };
  memcpy(to->size, size + 1, sizeof to->size);
  memcpy(to->position, w->collider_positions + 3 * (size_t)i, sizeof to->position);
  memcpy(to->rotation, w->collider_rotations + 4 * (size_t)i, sizeof to->rotation);
  if (w->collider_paths[i] >= 0) to->motion = scene->paths[w->collider_paths[i]];
  if (!to->name) return lb_fail_memory(err);
  bool has_mesh =
      w->collider_vertex_begin && w->collider_vertex_begin[i + 1] > w->collider_vertex_begin[i];
  return has_mesh ? take_mesh(w, i, scene->path, &to->mesh, err) : LB_OK;
}

lbStatus lb_scene_take_contact(const lbWorldDef *w, lbScene *scene, lbError *err) {
  const char *name = w->collider_names;
  lbStatus status = LB_OK;
  scene->contact = w->contact_friction != NULL;
  if (!scene->contact) return LB_OK;
  scene->contact_material = lb_world_contact_material(w, -1);
  if (w->contact_substeps) scene->substeps = w->contact_substeps[0];
  if (w->contact_hit_speed) scene->hit_speed = w->contact_hit_speed[0];
  if (w->contact_self) scene->self = w->contact_self[0] != 0;
  scene->colliders = lb_alloc((size_t)w->size.collider_count, sizeof *scene->colliders);
  if (!scene->colliders) return lb_fail_memory(err);
  for (int32_t i = 0; i < w->size.collider_count && !status; i++, name += strlen(name) + 1) {
    scene->collider_count++;
    status = take_collider(w, i, name, scene, err);
  }
  return status;
}
