// Colliders with a density: rigid bodies, which stand among the bodies of the scene.
#include "scene/body.h"

#include <string.h>

static lbStatus read_rigid_velocity(const lbField *json, lbSceneBody *body, lbError *err) {
  static const char *const keys[] = { "linear", "angular", NULL };
  lbField velocity = lb_field_member(json, "velocity");
  if (!lb_field_here(&velocity)) return LB_OK;
  lbStatus status = lb_field_keys(&velocity, keys, err);
  lbField linear = lb_field_member(&velocity, "linear");
  lbField angular = lb_field_member(&velocity, "angular");
  if (!status) status = lb_field_vector(&linear, 3, body->linear_velocity, err);
  return status ? status : lb_field_vector(&angular, 3, body->angular_velocity, err);
}

static lbStatus read_density(const lbField *json, const lbSceneCollider *from, double *density,
                             lbError *err) {
  lbField member = lb_field_member(json, "density"), motion = lb_field_member(json, "motion");
  if (from->shape == LB_COLLIDER_PLANE || from->shape == LB_COLLIDER_MESH)
    return lb_field_fail(&member, err,
                         "a %s stands or follows its \"motion\" and has no density; rigid bodies "
                         "are of the shapes \"sphere\", \"box\", \"capsule\" and \"hull\"",
                         from->shape == LB_COLLIDER_PLANE ? "plane" : "mesh");
  if (lb_field_here(&motion))
    return lb_field_fail(&motion, err,
                         "a body with a \"density\" moves by forces, remove one of the two");
  return lb_field_positive(&member, density, err);
}

lbStatus lb_scene_read_rigid(const lbField *json, lbScene *scene, size_t *room,
                             const lbSceneCollider *from, lbError *err) {
  lbColliderDef shape = lb_collider_def();
  double density = 0;
  lbStatus status = read_density(json, from, &density, err);
  if (!status &&
      !lb_grow((void **)&scene->bodies, room, (size_t)scene->body_count + 1, sizeof *scene->bodies))
    status = lb_fail_memory(err);
  if (status) return status;
  lbSceneBody *body = &scene->bodies[scene->body_count++];
  lb_scene_begin_body(body);
  body->name = lb_duplicate_text(from->name);
  if (!body->name) return lb_fail_memory(err);
  body->method = LB_METHOD_RIGID;
  body->contact_material = from->contact_material;
  body->untouchable = from->untouchable;
  body->filter = from->filter;
  memcpy(body->position, from->position, sizeof body->position);
  memcpy(body->rotation, from->rotation, sizeof body->rotation);
  shape.shape = from->shape;
  shape.radius = from->radius;
  memcpy(shape.size, from->size, sizeof shape.size);
  if (from->mesh)
    shape.vertex_count = from->mesh->vertex_count, shape.vertices = from->mesh->positions;
  status = read_rigid_velocity(json, body, err);
  lbError why;
  if (!status && (status = lb_rigid_model(&shape, density, &body->model, &why)) != LB_OK)
    return lb_field_fail(json, err, "%.400s", why.text);
  if (status) return status;
  lb_scene_number_model(body);
  body->up = scene->up;
  return LB_OK;
}
