// Bodies of scenes in tests: models from their text, bodies, steps, points that are held.
#ifndef LB_TESTS_SCENE_BODIES_H
#define LB_TESTS_SCENE_BODIES_H

#include "../scene/scene_text.h"

#include "body/body.h"

#include <string.h>

#define HELD ",'fixed':{'box':[[-9,-9,-9],[1e-9,9,9]]}"

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

static inline void body_ok(const lbBody *body, lbStatus status) {
  if (status) fail_msg("%s", lb_body_message(body));
}

static inline void steps(lbBody *body, int count, double h) {
  for (int i = 0; i < count; i++) assert_int_equal(lb_body_step(body, h), 0);
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
