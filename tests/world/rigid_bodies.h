// Worlds with rigid bodies and blocks that deform, for tests.
#ifndef LB_TESTS_RIGID_BODIES_H
#define LB_TESTS_RIGID_BODIES_H

#include "contact_worlds.h"

static inline lbWorld *rigid_world(lbVec3 gravity, bool contact, double friction) {
  lbWorldSettings settings = lb_world_settings();
  settings.gravity = gravity;
  settings.contact = contact;
  settings.friction = friction;
  return world_of(&settings);
}

static inline lbModel *rigid_model(lbColliderDef shape, double density) {
  lbModel *model = NULL;
  lbError err;
  check_ok(lb_rigid_model(&shape, density, &model, &err), err);
  return model;
}

static inline lbModel *rigid_ball(double radius, double density) {
  lbColliderDef shape = lb_collider_def();
  shape.shape = LB_COLLIDER_SPHERE;
  shape.radius = radius;
  return rigid_model(shape, density);
}

static inline lbModel *rigid_box(double x, double y, double z, double density) {
  lbColliderDef shape = lb_collider_def();
  shape.shape = LB_COLLIDER_BOX;
  shape.size[0] = x, shape.size[1] = y, shape.size[2] = z;
  return rigid_model(shape, density);
}

// A block of 0.2 m that deforms, by a method as scenes spell it.
static inline lbModel *soft_block(const char *method, double young) {
  char keys[700];
  snprintf(keys, sizeof keys,
           "'mesh':{'generate':'bar','size':[0.2,0.2,0.2],'cells':[3,3,3],'element':'brick8'},"
           "'material':{'model':'stvk','young':%g,'poisson':0.3,'density':1000},%s,"
           "'damping':{'stiffness':0.002}",
           young, method);
  return body_model(keys);
}

#endif
