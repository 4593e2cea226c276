// Joints in a run: those of the scene, what breaks, and their forces at the end.
#include "study/run_contacts.h"

#include <string.h>

// ---- adding ------------------------------------------------------------------------------------

// The vertex of a model's surface that a vertex of the scene is; -1: a node inside.
static int32_t surface_vertex(const lbSceneBody *body, const lbModel *model, int32_t vertex) {
  lbPointKind kind;
  int32_t index;
  if (vertex < 0 || !lb_scene_point(body, model, vertex, &kind, &index)) return -1;
  if (kind == LB_POINT_VERTEX) return index;
  for (int32_t v = 0; v < model->size.vertex_count; v++)
    for (int32_t k = model->carrier_begin[v]; k < model->carrier_begin[v + 1]; k++)
      if (model->carrier_nodes[k] == index && model->carrier_weights[k] > 1 - 1e-9) return v;
  return -1;
}

// Vertices of the surface that are carried by marked nodes.
static int32_t list_region(const lbModel *model, const bool *nodes, int32_t *vertices) {
  int32_t count = 0;
  for (int32_t v = 0; v < model->size.vertex_count; v++) {
    double share = 0;
    for (int32_t k = model->carrier_begin[v]; k < model->carrier_begin[v + 1]; k++)
      if (nodes[model->carrier_nodes[k]]) share += model->carrier_weights[k];
    if (share > 1 - 1e-6) vertices[count++] = v;
  }
  return count;
}

static lbStatus add_joint(lbRunContacts *c, int32_t number, lbError *err) {
  const lbScene *scene = c->run->scene;
  const lbSceneJoint *from = &scene->joints[number];
  lbJointDef def = lb_joint_def();
  int32_t *region = NULL;
  def.kind = from->kind;
  for (int i = 0; i < 2; i++) {
    if (from->bodies[i] < 0) continue;
    def.bodies[i] = c->bodies[from->bodies[i]];
    const lbModel *model = lb_body_model(lb_world_body(c->world, def.bodies[i]));
    def.vertices[i] = surface_vertex(&scene->bodies[from->bodies[i]], model, from->vertices[i]);
    if (i > 0 || !from->region) continue;
    region = lb_alloc((size_t)model->size.vertex_count, sizeof *region);
    if (!region) return lb_fail_memory(err);
    def.region_count = list_region(model, from->region, region);
    def.region = region;
  }
  for (int i = 0; i < 2; i++) def.places[i] = lb_vec3_load(from->places[i]);
  def.axis = lb_vec3_load(from->axis);
  def.limited = from->limited;
  memcpy(def.limits, from->limits, sizeof def.limits);
  def.motor_speed = from->motor_speed, def.motor_force = from->motor_force;
  def.break_force = from->break_force;
  def.collide = from->collide;
  lbError why = { 0 };
  lbStatus status = LB_OK;
  if (from->region && def.region_count == 0)
    status = lb_fail(&why, LB_ERR_ARGUMENT, "no vertex of the surface is in its region");
  if (!status) status = lb_world_add_joint(c->world, &def, &c->joints[number], &why);
  lb_free(region);
  if (!status) return LB_OK;
  return lb_fail(err, status, "%s: joint \"%s\": %.400s", scene->path, from->name, why.text);
}

lbStatus lb_run_add_joints(lbRunContacts *c, lbError *err) {
  int32_t count = c->run->scene->joint_count;
  lbStatus status = LB_OK;
  c->joints = lb_alloc((size_t)count, sizeof *c->joints);
  c->run->joints = lb_alloc((size_t)count, sizeof *c->run->joints);
  if (!c->joints || !c->run->joints) return lb_fail_memory(err);
  c->run->joint_count = count;
  for (int32_t i = 0; i < count && !status; i++) status = add_joint(c, i, err);
  return status;
}

// ---- telling -----------------------------------------------------------------------------------

lbStatus lb_run_watch_joints(lbRunContacts *c, double time, lbError *err) {
  lbRun *run = c->run;
  for (int32_t i = 0; i < run->joint_count; i++) {
    lbRunJoint *to = &run->joints[i];
    lbJointReport report;
    bool before = to->broken;
    lbStatus status = lb_world_joint(c->world, c->joints[i], &report, err);
    if (status) return status;
    *to = (lbRunJoint){ .position = report.position, .broken = report.broken };
    lb_vec3_store(to->force, report.force);
    lb_vec3_store(to->torque, report.torque);
    if (!report.broken || before) continue;
    if (!lb_grow((void **)&run->events, &c->event_room, (size_t)run->event_count + 1,
                 sizeof *run->events))
      return lb_fail_memory(err);
    run->events[run->event_count++] = (lbRunEvent){ .time = time,
                                                    .breaks = true,
                                                    .body = run->scene->joints[i].bodies[0],
                                                    .other = run->scene->joints[i].bodies[1],
                                                    .collider = -1 };
  }
  return LB_OK;
}
