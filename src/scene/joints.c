// "joints" of a scene: what holds its bodies together, or in the world.
#include "scene/body.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const keys[] = { "name",   "kind",  "bodies",      "points",  "region", "axis",
                                    "limits", "motor", "break_force", "collide", NULL };

void lb_scene_release_joints(lbScene *scene) {
  for (int32_t i = 0; i < scene->joint_count; i++) {
    lb_free(scene->joints[i].name);
    lb_free(scene->joints[i].region);
  }
  lb_free(scene->joints);
}

// ---- bodies ------------------------------------------------------------------------------------

static lbStatus find_body(const lbField *json, const lbScene *scene, int32_t *body, lbError *err) {
  lbStatus status = LB_OK;
  const char *name = lb_field_text(json, &status, err);
  if (status) return status;
  for (*body = 0; *body < scene->body_count; ++*body)
    if (strcmp(scene->bodies[*body].name, name) == 0) return LB_OK;
  return lb_field_fail(json, err, "there is no body \"%.60s\"", name);
}

static lbStatus read_joint_bodies(const lbField *json, const lbScene *scene, lbSceneJoint *joint,
                                  lbError *err) {
  lbField bodies = lb_field_member(json, "bodies");
  if (!lb_field_here(&bodies) || !json_is_array(bodies.value) || json_array_size(bodies.value) != 2)
    return lb_field_fail(lb_field_here(&bodies) ? &bodies : json, err,
                         "must name two \"bodies\", the second null for the world");
  lbField first = lb_field_item(&bodies, 0), second = lb_field_item(&bodies, 1);
  if (json_is_null(first.value))
    return lb_field_fail(&first, err, "is null; the world comes second");
  lbStatus status = find_body(&first, scene, &joint->bodies[0], err);
  if (!status && !json_is_null(second.value))
    status = find_body(&second, scene, &joint->bodies[1], err);
  if (!status && joint->bodies[0] == joint->bodies[1])
    status =
        lb_field_fail(&bodies, err, "joins \"%s\" to itself", scene->bodies[joint->bodies[0]].name);
  for (int i = 0; i < 2 && !status; i++)
    if (joint->bodies[i] >= 0 && scene->bodies[joint->bodies[i]].method == LB_METHOD_RECORDED)
      status =
          lb_field_fail(&bodies, err, "body \"%s\" plays a recording, which joints cannot hold",
                        scene->bodies[joint->bodies[i]].name);
  return status;
}

// ---- points ------------------------------------------------------------------------------------

static lbStatus read_joint_point(const lbField *json, const lbScene *scene, lbSceneJoint *joint,
                                 int side, lbError *err) {
  int32_t number = joint->bodies[side];
  if (json_is_array(json->value)) return lb_field_vector(json, 3, joint->places[side], err);
  if (number < 0)
    return lb_field_fail(json, err, "is a vertex, and the world has none: give a place [x, y, z]");
  const lbSceneBody *body = &scene->bodies[number];
  lbStatus status = lb_field_integer(json, 0, INT32_MAX, &joint->vertices[side], err);
  int32_t count = lb_scene_vertex_count(body), index;
  lbPointKind kind;
  if (!status && joint->vertices[side] >= count)
    return lb_field_fail(json, err, "is %d, body \"%s\" has %d vertices (counted from 0)",
                         (int)joint->vertices[side], body->name, (int)count);
  if (!status && body->model &&
      !lb_scene_point(body, body->model, joint->vertices[side], &kind, &index))
    return lb_field_fail(json, err, "is %d, the model of body \"%s\" does not have it",
                         (int)joint->vertices[side], body->name);
  double moved[3];
  if (!status) lb_scene_vertex(body, joint->vertices[side], NULL, joint->places[side], moved);
  return status;
}

// One for each body, or one for both: [x, y, z] may then stand without brackets around it.
static lbStatus read_joint_points(const lbField *json, const lbScene *scene, lbSceneJoint *joint,
                                  lbError *err) {
  lbField points = lb_field_member(json, "points");
  if (!lb_field_here(&points))
    return lb_field_fail(json, err,
                         "has no \"points\" (where it is: one for each body, or one "
                         "place for both) and no \"region\"");
  size_t count = json_array_size(points.value);
  bool flat = count == 3 && json_is_number(json_array_get(points.value, 0));
  if (!json_is_array(points.value) || count < 1 || (count > 2 && !flat))
    return lb_field_fail(&points, err,
                         "must be a list of one point for each body, or one for both");
  lbField first = flat ? points : lb_field_item(&points, 0);
  lbStatus status = read_joint_point(&first, scene, joint, 0, err);
  if (status || flat || count == 1) {
    memcpy(joint->places[1], joint->places[0], sizeof joint->places[1]);
    return status;
  }
  lbField second = lb_field_item(&points, 1);
  return read_joint_point(&second, scene, joint, 1, err);
}

// ---- regions -----------------------------------------------------------------------------------

// Nodes of the mesh in a group, as "fixed" would hold them.
static lbStatus read_group(const lbField *json, lbSceneBody body, lbSceneJoint *joint,
                           lbError *err) {
  json_t *object = json_pack("{s:O}", "group", json->value);
  lbField entry = *json;
  if (!object) return lb_fail_memory(err);
  entry.value = object;
  body.fixed = NULL;
  lbStatus status = lb_scene_read_fixed(&entry, &body, err);
  json_decref(object);
  if (status)
    lb_free(body.fixed);
  else
    joint->region = body.fixed;
  return status;
}

static lbStatus read_joint_region(const lbField *region, const lbField *json, const lbScene *scene,
                                  lbSceneJoint *joint, lbError *err) {
  const lbSceneBody *body = &scene->bodies[joint->bodies[0]];
  lbField points = lb_field_member(json, "points");
  if (joint->kind != LB_JOINT_WELD)
    return lb_field_fail(region, err, "is welded: \"kind\" must be \"weld\"");
  if (lb_field_here(&points))
    return lb_field_fail(&points, err, "a region says where it is, remove \"points\"");
  if (!body->mesh)
    return lb_field_fail(region, err,
                         "body \"%s\" is a model, which has no groups: give it a "
                         "\"mesh\"",
                         body->name);
  if (body->method == LB_METHOD_RIGID)
    return lb_field_fail(region, err, "body \"%s\" is rigid: give \"points\"", body->name);
  return read_group(region, *body, joint, err);
}

// ---- numbers -----------------------------------------------------------------------------------

static lbStatus read_axis(const lbField *json, lbSceneJoint *joint, lbError *err) {
  lbField axis = lb_field_member(json, "axis");
  bool needed = joint->kind == LB_JOINT_HINGE || joint->kind == LB_JOINT_SLIDER;
  lbStatus status = lb_field_vector(&axis, 3, joint->axis, err);
  double length = sqrt(joint->axis[0] * joint->axis[0] + joint->axis[1] * joint->axis[1] +
                       joint->axis[2] * joint->axis[2]);
  if (!status && !(length > 1e-12)) status = lb_field_fail(&axis, err, "has zero length");
  if (!status && lb_field_here(&axis) && !needed)
    status = lb_field_fail(&axis, err, "is only for hinges and sliders");
  return status;
}

static lbStatus read_limits(const lbField *json, lbSceneJoint *joint, lbError *err) {
  lbField limits = lb_field_member(json, "limits");
  if (!lb_field_here(&limits) || json_is_null(limits.value)) return LB_OK;
  lbStatus status = lb_field_vector(&limits, 2, joint->limits, err);
  if (!status && (joint->kind == LB_JOINT_POINT || joint->kind == LB_JOINT_WELD))
    status = lb_field_fail(&limits, err, "are only for hinges, sliders and distances");
  if (!status && joint->limits[0] > joint->limits[1])
    status = lb_field_fail(&limits, err, "are %g to %g; the lower one comes first",
                           joint->limits[0], joint->limits[1]);
  joint->limited = !status;
  return status;
}

static lbStatus read_motor(const lbField *json, lbSceneJoint *joint, lbError *err) {
  static const char *const motor_keys[] = { "speed", "force", NULL };
  lbField motor = lb_field_member(json, "motor");
  if (!lb_field_here(&motor) || json_is_null(motor.value)) return LB_OK;
  lbStatus status = lb_field_keys(&motor, motor_keys, err);
  lbField speed = lb_field_member(&motor, "speed"), force = lb_field_member(&motor, "force");
  if (!status && !lb_field_here(&force))
    status = lb_field_fail(&motor, err, "has no \"force\": its maximum in N or N m");
  if (!status) status = lb_field_number(&speed, &joint->motor_speed, err);
  if (!status) status = lb_field_positive(&force, &joint->motor_force, err);
  if (!status && joint->kind != LB_JOINT_HINGE && joint->kind != LB_JOINT_SLIDER)
    status = lb_field_fail(&motor, err, "is only for hinges and sliders");
  return status;
}

static lbStatus read_joint_numbers(const lbField *json, lbSceneJoint *joint, lbError *err) {
  lbField breaks = lb_field_member(json, "break_force"), collide = lb_field_member(json, "collide");
  lbStatus status = read_axis(json, joint, err);
  if (!status) status = read_limits(json, joint, err);
  if (!status) status = read_motor(json, joint, err);
  if (!status && lb_field_here(&breaks) && !json_is_null(breaks.value))
    status = lb_field_positive(&breaks, &joint->break_force, err);
  if (!status && lb_field_here(&collide) && !json_is_boolean(collide.value))
    status = lb_field_fail(&collide, err, "must be true or false");
  joint->collide = json_is_true(collide.value);
  return status;
}

// ---- joints ------------------------------------------------------------------------------------

static lbStatus read_joint(const lbField *json, lbScene *scene, int32_t number, lbError *err) {
  static const char *const kinds[] = { "point", "hinge", "slider", "weld", "distance", NULL };
  _Static_assert(sizeof kinds / sizeof *kinds == LB_JOINT_KIND_COUNT + 1, "a name each");
  lbSceneJoint *joint = &scene->joints[number];
  lbField kind = lb_field_member(json, "kind"), name = lb_field_member(json, "name");
  lbField region = lb_field_member(json, "region");
  char usual[40];
  int chosen = 0;
  *joint = (lbSceneJoint){
    .bodies = { -1, -1 }, .vertices = { -1, -1 }, .axis = { 0, 0, 1 }, .break_force = INFINITY
  };
  lbStatus status = lb_field_keys(json, keys, err);
  if (!status && !lb_field_here(&kind)) status = lb_field_fail(json, err, "has no \"kind\"");
  if (!status) status = lb_field_choice(&kind, kinds, &chosen, err);
  const char *text = status ? NULL : lb_field_text(&name, &status, err);
  if (status) return status;
  joint->kind = (lbJointKind)chosen;
  snprintf(usual, sizeof usual, "joint %d", (int)number);
  joint->name = lb_duplicate_text(text ? text : usual);
  if (!joint->name) return lb_fail_memory(err);
  status = read_joint_bodies(json, scene, joint, err);
  if (!status) status = read_joint_numbers(json, joint, err);
  if (status) return status;
  bool has_region = lb_field_here(&region) && !json_is_null(region.value);
  return has_region ? read_joint_region(&region, json, scene, joint, err)
                    : read_joint_points(json, scene, joint, err);
}

lbStatus lb_scene_read_joints(const lbField *json, lbScene *scene, lbError *err) {
  if (!lb_field_here(json)) return LB_OK;
  if (!json_is_array(json->value)) return lb_field_fail(json, err, "must be a list");
  size_t count = json_array_size(json->value);
  lbStatus status = LB_OK;
  scene->joints = lb_alloc(count, sizeof *scene->joints);
  if (!scene->joints) return lb_fail_memory(err);
  for (size_t i = 0; i < count && !status; i++) {
    lbField item = lb_field_item(json, i);
    status = read_joint(&item, scene, scene->joint_count++, err);
  }
  for (int32_t i = 0; i < scene->joint_count && !status; i++)
    for (int32_t k = 0; k < i && !status; k++)
      if (strcmp(scene->joints[i].name, scene->joints[k].name) == 0)
        status = lb_field_fail(json, err, "two joints are called \"%s\"", scene->joints[i].name);
  return status;
}
