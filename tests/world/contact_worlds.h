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

static inline lbWorld *world_of(const lbWorldSettings *settings) {
  lbWorld *world = NULL;
  lbError err;
  check_ok(lb_world_create(settings, &world, &err), err);
  return world;
}

static inline lbWorld *world_with(lbVec3 gravity, double friction) {
  lbWorldSettings settings = lb_world_settings();
  settings.gravity = gravity;
  settings.contact = true;
  settings.friction = friction;
  return world_of(&settings);
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

// Sums over two bodies.
typedef struct Momenta {
  lbVec3 linear, angular;
  double energy;
} Momenta;

static inline Momenta momenta_of(const lbWorld *world, const lbBodyId ids[2]) {
  Momenta sum = { 0 };
  for (int b = 0; b < 2; b++) {
    lbBodyReport r = lb_body_report(lb_world_body(world, ids[b]));
    sum.linear = lb_add(sum.linear, r.linear_momentum);
    sum.angular = lb_add(sum.angular, r.angular_momentum);
    sum.energy += r.kinetic + r.elastic;
  }
  return sum;
}

// A block that flies into another one, without gravity: momenta stay to rounding, energy does not
// grow.
static inline void check_collision(lbWorld *world, const lbModel *first, const lbModel *second,
                                   int steps) {
  lbBodyId ids[2] = { add_block(world, first, lb_vec3(0, 0, 0)),
                      add_block(world, second, lb_vec3(0.4, 0.06, 0.03)) };
  lb_body_set_velocity(lb_world_body(world, ids[0]), lb_vec3(2, 0, 0), lb_vec3(0, 0, 0));
  Momenta before = momenta_of(world, ids);
  double pushed = 0, scale = lb_length(before.linear);
  for (int i = 0; i < steps; i++) {
    lb_world_step(world, 1.0 / 120);
    for (int32_t c = 0; c < lb_world_contact_count(world); c++)
      pushed = fmax(pushed, lb_length(lb_world_contacts(world)[c].force));
  }
  Momenta after = momenta_of(world, ids);
  double off = lb_length(lb_sub(after.linear, before.linear));
  double turned = lb_length(lb_sub(after.angular, before.angular));
  print_message("momentum off by %.2g, angular %.2g of %.3g, energy %.4g to %.4g J, %.3g N\n", off,
                turned, scale, before.energy, after.energy, pushed);
  assert_true(pushed > 10);
  check_small(off / scale, 1e-12);
  check_small(turned / scale, 1e-12);
  assert_true(after.energy <= 1.001 * before.energy);
}

// Forty steps of 1/60 s, twice from one saved state: the same bits.
static inline void check_goes_on_to_the_bit(lbWorld *world) {
  lbError err;
  size_t bytes = lb_world_state_bytes(world);
  char *saved = malloc(bytes), *ends[2] = { malloc(bytes), malloc(bytes) };
  check_ok(lb_world_save_state(world, saved, bytes, &err), err);
  for (int run = 0; run < 2; run++) {
    for (int i = 0; i < 40; i++) lb_world_step(world, 1.0 / 60);
    memset(ends[run], 0, bytes);
    check_ok(lb_world_save_state(world, ends[run], bytes, &err), err);
    check_ok(lb_world_restore_state(world, saved, bytes, &err), err);
  }
  assert_memory_equal(ends[0], ends[1], bytes);
  free(saved), free(ends[0]), free(ends[1]);
}

#endif
