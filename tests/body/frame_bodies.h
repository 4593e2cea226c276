// Small bodies of frames and what tests ask of them.
#ifndef LIMBER_TESTS_BODY_FRAME_BODIES_H
#define LIMBER_TESTS_BODY_FRAME_BODIES_H

#include "../scene/scene_text.h"

#include "body/body.h"
#include "body/frames.h"

#include <string.h>

#define BEAM "'mesh':{'generate':'bar','size':[1,0.2,0.2],'cells':[10,2,2],'element':'brick8'}"
#define HELD ",'fixed':{'box':[[-9,-9,-9],[1e-9,9,9]]}"
#define SCENE(frames, more)                                                                        \
  "{'limber':1,'bodies':[{'name':'bar','method':'frames'," BEAM                                    \
  ",'material':{'young':1e5,'poisson':0.3,'density':1000,'model':'stable_neohookean'},'frames':{'" \
  "samples':320," frames "}" more "}]}"
#define TIP 10 // node at the free end

static inline lbModel *model_of(const char *text) {
  lbScene *scene = scene_of(text);
  lbModel *model = NULL;
  lbError err;
  check_ok(lb_scene_model(&scene->bodies[0], &model, &err), err);
  lb_scene_destroy(scene);
  return model;
}

static inline lbBody *body_of(const lbModel *model, const lbBodyDef *def) {
  lbBody *body = NULL;
  lbError err;
  check_ok(lb_body_create(model, def, &body, &err), err);
  return body;
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
