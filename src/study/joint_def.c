// Joints of a scene: vertices and regions in the numbers of the models' surfaces.
#include "study/joint_def.h"

#include <string.h>

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

// Vertices of the surface that are carried by marked nodes, by at least this share of them.
static int32_t list_carried(const lbModel *model, const bool *nodes, double least,
                            int32_t *vertices) {
  int32_t count = 0;
  for (int32_t v = 0; v < model->size.vertex_count; v++) {
    double share = 0;
    for (int32_t k = model->carrier_begin[v]; k < model->carrier_begin[v + 1]; k++)
      if (nodes[model->carrier_nodes[k]]) share += model->carrier_weights[k];
    if (share >= least) vertices[count++] = v;
  }
  return count;
}

// A surface inside coarse bricks hangs on nodes all around it: what is carried for the most part
// counts where nothing is carried by marked nodes alone.
static int32_t list_joint_region(const lbModel *model, const bool *nodes, int32_t *vertices) {
  int32_t count = list_carried(model, nodes, 1 - 1e-6, vertices);
  return count > 0 ? count : list_carried(model, nodes, 0.5, vertices);
}

static lbStatus find_joint_region(const lbSceneJoint *joint, const lbModel *model, lbJointDef *def,
                                  int32_t **region, lbError *err) {
  if (!joint->region && joint->region_count == 0) return LB_OK;
  *region = lb_alloc((size_t)model->size.vertex_count, sizeof **region);
  if (!*region) return lb_fail_memory(err);
  if (joint->region) {
    def->region_count = list_joint_region(model, joint->region, *region);
  } else {
    def->region_count = joint->region_count;
    memcpy(*region, joint->region_vertices, (size_t)joint->region_count * sizeof **region);
  }
  def->region = *region;
  if (def->region_count > 0) return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT, "no vertex of the surface is in its region");
}

lbStatus lb_study_joint(const lbScene *scene, int32_t number, const lbModel *const models[2],
                        lbJointDef *def, int32_t **region, lbError *err) {
  const lbSceneJoint *from = &scene->joints[number];
  *def = lb_joint_def();
  *region = NULL;
  def->kind = from->kind;
  for (int i = 0; i < 2; i++) {
    def->places[i] = lb_vec3_load(from->places[i]);
    if (from->bodies[i] < 0) continue;
    def->vertices[i] = from->of_surface ? from->vertices[i]
                                        : surface_vertex(&scene->bodies[from->bodies[i]], models[i],
                                                         from->vertices[i]);
  }
  def->axis = lb_vec3_load(from->axis);
  def->limited = from->limited;
  memcpy(def->limits, from->limits, sizeof def->limits);
  def->motor_speed = from->motor_speed, def->motor_force = from->motor_force;
  def->break_force = from->break_force;
  def->collide = from->collide;
  lbError why = { 0 };
  lbStatus status = find_joint_region(from, models[0], def, region, &why);
  if (!status) return LB_OK;
  lb_free(*region);
  *region = NULL;
  return lb_fail(err, status, "%s: joint \"%s\": %.400s", scene->path, from->name, why.text);
}
