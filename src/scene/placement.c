// Where a body stands and how it moves at first: position, rotation, scale and velocity, for one
// instance of an entry. A vertex x of the file stands at position + rotation (scale x).
#include "scene/body.h"

#include "limber/math.h"

#include <math.h>

// A value for all instances, or a list with one for each.
static lbField instance_value(const lbField *json, const char *key, int32_t instance,
                              int32_t instance_count) {
  lbField member = lb_field_member(json, key);
  bool list = json_is_array(member.value) && json_is_array(json_array_get(member.value, 0));
  if (!list || (int32_t)json_array_size(member.value) != instance_count) return member;
  return lb_field_item(&member, (size_t)instance);
}

static lbStatus read_rotation(const lbField *json, double rotation[4], lbError *err) {
  double norm = 0;
  lbStatus status = lb_field_vector(json, 4, rotation, err);
  for (int i = 0; i < 4; i++) norm += rotation[i] * rotation[i];
  if (!status && !(norm > 1e-20 && norm < 1e20))
    return lb_field_fail(json, err, "has zero or non-finite length");
  for (int i = 0; i < 4; i++) rotation[i] /= sqrt(norm);
  return status;
}

static lbStatus read_scale(const lbField *json, double scale[3], lbError *err) {
  lbStatus status;
  scale[0] = scale[1] = scale[2] = 1;
  if (json_is_array(json->value)) {
    status = lb_field_vector(json, 3, scale, err);
  } else {
    status = lb_field_number(json, &scale[0], err);
    scale[1] = scale[2] = scale[0];
  }
  if (!status && !(scale[0] > 0 && scale[1] > 0 && scale[2] > 0))
    status = lb_field_fail(json, err, "must be positive");
  return status;
}

static lbStatus read_placement_velocity(const lbBodyEntry *entry, int32_t instance,
                                        lbSceneBody *body, lbError *err) {
  static const char *const keys[] = { "linear", "angular", NULL };
  lbField velocity = lb_field_member(&entry->json, "velocity");
  if (!lb_field_here(&velocity)) return LB_OK;
  lbStatus status = lb_field_keys(&velocity, keys, err);
  lbField linear = instance_value(&velocity, "linear", instance, entry->instance_count);
  lbField angular = instance_value(&velocity, "angular", instance, entry->instance_count);
  if (!status) status = lb_field_vector(&linear, 3, body->linear_velocity, err);
  if (!status) status = lb_field_vector(&angular, 3, body->angular_velocity, err);
  return status;
}

lbStatus lb_scene_read_placement(const lbBodyEntry *entry, int32_t instance, lbSceneBody *body,
                                 double scale[3], lbError *err) {
  int32_t count = entry->instance_count;
  lbField member = instance_value(&entry->json, "position", instance, count);
  lbStatus status = lb_field_vector(&member, 3, body->position, err);
  member = instance_value(&entry->json, "rotation", instance, count);
  if (!status) status = read_rotation(&member, body->rotation, err);
  member = instance_value(&entry->json, "scale", instance, count);
  if (!status) status = read_scale(&member, scale, err);
  return status ? status : read_placement_velocity(entry, instance, body, err);
}

void lb_scene_scale_mesh(const double scale[3], lbMesh *mesh) {
  for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++) mesh->positions[i] *= scale[i % 3];
}

void lb_scene_place(const lbSceneBody *body, const double own[3], double world[3]) {
  const double *q = body->rotation;
  lbVec3 turned = lb_quat_rotate((lbQuat){ q[0], q[1], q[2], q[3] }, lb_vec3_load(own));
  lb_vec3_store(world, lb_add(lb_vec3_load(body->position), turned));
}

void lb_scene_warn_of_size(const lbSceneBody *body) {
  double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
  for (size_t i = 0; i < 3 * (size_t)body->mesh->vertex_count; i++) {
    low[i % 3] = fmin(low[i % 3], body->mesh->positions[i]);
    high[i % 3] = fmax(high[i % 3], body->mesh->positions[i]);
  }
  double size = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
  if (size > 100 || size < 1e-3)
    lb_log(LB_LOG_WARNING, "body \"%s\" is %.3g m long, is the unit metres? (see \"scale\")",
           body->name, size);
}
