// Worlds whose bodies touch, for tests: blocks of 0.2 m and 8 kg by several methods, planes.
#ifndef LB_TESTS_CONTACT_WORLDS_H
#define LB_TESTS_CONTACT_WORLDS_H

#include "../scene/scene_text.h"

#include "limber/contact.h"

#define SOFT "'material':{'model':'stvk','young':1e5,'poisson':0.3,'density':1000}"
#define BLOCK                                                                                      \
  "'mesh':{'generate':'bar','size':[0.2,0.2,0.2],'cells':[3,3,3],'element':'brick8'}," SOFT
#define SUBSPACE                                                                                   \
  "'method':'subspace','reduce':{'modes':6,'dimension':15},'damping':{'stiffness':0.002}"
#define MODAL "'method':'modal','reduce':{'modes':12},'damping':{'stiffness':0.002}"

// The model of a body of a scene, which is told by its keys.
static inline lbModel *body_model(const char *keys) {
  char text[900];
  lbModel *model = NULL;
  lbError err;
  snprintf(text, sizeof text, "{'limber':1,'bodies':[{'name':'body',%s}]}", keys);
  lbScene *scene = scene_of(text);
  check_ok(lb_scene_model(&scene->bodies[0], &model, &err), err);
  lb_scene_destroy(scene);
  return model;
}

static inline lbWorld *world_that(lbVec3 gravity, double friction, lbContactResponse response) {
  lbWorldSettings settings = lb_world_settings();
  lbWorld *world = NULL;
  lbError err;
  settings.gravity = gravity;
  settings.contact = true;
  settings.friction = friction;
  settings.response = response;
  check_ok(lb_world_create(&settings, &world, &err), err);
  return world;
}

static inline lbWorld *world_with(lbVec3 gravity, double friction) {
  return world_that(gravity, friction, LB_RESPONSE_IMPLICIT);
}

static inline lbColliderId add_plane(lbWorld *world, lbVec3 normal) {
  lbColliderDef def = lb_collider_def();
  lbColliderId id = 0;
  lbError err;
  lbVec3 axis = lb_cross(lb_vec3(0, 0, 1), normal);
  double angle = acos(lb_dot(lb_vec3(0, 0, 1), normal));
  if (angle > 1e-12) def.rotation = lb_quat_from_axis_angle(axis, angle);
  check_ok(lb_world_add_collider(world, &def, &id, &err), err);
  return id;
}

static inline lbBodyId add_block(lbWorld *world, const lbModel *model, lbVec3 position) {
  lbBodyDef def = lb_body_def();
  lbBodyId id = 0;
  lbError err;
  def.position = position;
  check_ok(lb_world_add(world, model, &def, &id, &err), err);
  return id;
}

// J, with gravity 9.81 along -z.
static inline double energy_of(const lbBody *body) {
  lbBodyReport r = lb_body_report(body);
  return r.kinetic + r.elastic + r.mass * 9.81 * r.centre.z;
}

#endif
