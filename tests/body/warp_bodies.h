// What tests of warped bodies share: models of a bar, bodies, steps.
#ifndef TESTS_BODY_WARP_BODIES_H
#define TESTS_BODY_WARP_BODIES_H

#include "scene_bodies.h"

#define BEAM "'mesh':{'generate':'bar','size':[1,0.2,0.2],'cells':[5,1,1],'element':'tet4'}"
#define SCENE(mesh, more)                                                                          \
  "{'limber':1,'bodies':[{'name':'bar','method':'warp'," mesh                                      \
  ",'material':{'young':1e5,'poisson':0.3,'density':1000}" more "}]}"

static inline lbBodyDef euler(void) {
  lbBodyDef def = lb_body_def();
  def.integrator = LB_INTEGRATOR_EULER;
  return def;
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

#endif
