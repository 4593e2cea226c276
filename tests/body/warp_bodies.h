// What tests of warped bodies share: models of a bar, bodies, steps.
#ifndef TESTS_BODY_WARP_BODIES_H
#define TESTS_BODY_WARP_BODIES_H

#include "../scene/scene_text.h"

#include "body/body.h"

#include <string.h>

#define BEAM "'mesh':{'generate':'bar','size':[1,0.2,0.2],'cells':[5,1,1],'element':'tet4'}"
#define HELD ",'fixed':{'box':[[-9,-9,-9],[1e-9,9,9]]}"
#define SCENE(mesh, more)                                                                          \
  "{'limber':1,'bodies':[{'name':'bar','method':'warp'," mesh                                      \
  ",'material':{'young':1e5,'poisson':0.3,'density':1000}" more "}]}"

static inline lbModel *model_of(const char *text) {
  lbScene *scene = scene_of(text);
  lbModel *model = NULL;
  lbError err;
  check_ok(lb_scene_model(&scene->bodies[0], &model, &err), err);
  lb_scene_destroy(scene);
  return model;
}

static inline lbBody *body_at(const lbModel *model, const lbBodyDef *def, lbSimdLevel level) {
  lbBody *body = NULL;
  lbError err;
  check_ok(lb_body_create_at(model, def, level, &body, &err), err);
  return body;
}

static inline lbBody *body_of(const lbModel *model, const lbBodyDef *def) {
  return body_at(model, def, lb_simd_best());
}

static inline lbBodyDef euler(void) {
  lbBodyDef def = lb_body_def();
  def.integrator = LB_INTEGRATOR_EULER;
  return def;
}

static inline void body_ok(const lbBody *body, lbStatus status) {
  if (status) fail_msg("%s", lb_body_message(body));
}

static inline void steps(lbBody *body, int count, double h) {
  for (int i = 0; i < count; i++) assert_int_equal(lb_body_step(body, h), 0);
}

// Steps of which some may be taken by implicit Euler in parts.
static inline int adapted_steps(lbBody *body, int count, double h) {
  int adapted = 0;
  for (int i = 0; i < count; i++) {
    int32_t flags = lb_body_step(body, h);
    assert_int_equal(flags & ~LB_STEP_ADAPTED, 0);
    adapted += flags != 0;
  }
  return adapted;
}

static inline lbVec3 where(const lbBody *body, int32_t node) {
  lbVec3 at;
  body_ok(body, lb_body_point(body, lb_point_node(node), &at, NULL));
  return at;
}

static inline double distance(lbVec3 a, lbVec3 b) { return lb_length(lb_sub(a, b)); }

static inline int32_t hold(lbBody *body, int32_t node, lbVec3 target) {
  lbConstraintDef def = lb_constraint_def();
  lbPoint point = lb_point_node(node);
  double at[3];
  int32_t id = -1;
  lb_vec3_store(at, target);
  def.kind = LB_CONSTRAIN_POSITION, def.point_count = 1, def.points = &point, def.targets = at;
  body_ok(body, lb_body_add_constraint(body, &def, &id));
  return id;
}

#endif
