// Random calls on worlds whose bodies touch: contact, joints of all kinds, colliders of all shapes,
// saved and restored states, with allocations that fail. What cannot be done must be refused,
// nothing may crash, and surfaces stay numbers.
#include "attack.h"

#include "limber/contact.h"
#include "limber/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 8, COLLIDERS = 6, JOINTS = 8, RIGIDS = 4, CALLS_A_WORLD = 150, STEPS_A_WORLD = 25 };

typedef struct Attack {
  attackRandom *random;
  int64_t calls;
  int steps; // of the world
  const lbModel *const *models;
  int model_count;
  lbModel *rigids[RIGIDS];
  lbWorld *world;
  lbBodyId bodies[BODIES];
  lbColliderId colliders[COLLIDERS];
  lbJointId joints[JOINTS];
  lbAttachmentId attachment;
  uint8_t *state; // a saved one; NULL: none
  size_t state_bytes;
} Attack;

// ---- allocations -------------------------------------------------------------------------------

static struct {
  attackRandom random;
  bool fails;
} memory;

static void *allocate(size_t bytes, void *context) {
  (void)context;
  if (memory.fails && attack_below(&memory.random, 30) == 0) return NULL;
  return bytes > (size_t)1 << 30 ? NULL : aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void release(void *block, void *context) {
  (void)context;
  free(block);
}

// ---- random arguments --------------------------------------------------------------------------

static uint32_t below(Attack *a, uint32_t count) { return attack_below(a->random, count); }
static double number(Attack *a) { return attack_number(a->random); }
static lbVec3 vector(Attack *a) { return (lbVec3){ number(a), number(a), number(a) }; }
static lbQuat rotation(Attack *a) { return (lbQuat){ number(a), number(a), number(a), number(a) }; }
static bool is_odd(Attack *a) { return below(a, 12) == 0; }
static int32_t index_of(Attack *a, int32_t count) {
  return is_odd(a) ? (int32_t)attack_bits(a->random)
                   : (int32_t)below(a, (uint32_t)(count > 0 ? count : 1));
}
static uint64_t id_of(Attack *a, const uint64_t *ids, int count) {
  return is_odd(a) ? attack_bits(a->random) : ids[below(a, (uint32_t)count)];
}
static lbBodyId body_of(Attack *a) { return id_of(a, a->bodies, BODIES); }
static const lbModel *model_of(Attack *a) {
  uint32_t i = below(a, (uint32_t)(a->model_count + RIGIDS));
  return i < RIGIDS ? a->rigids[i] : a->models[i - RIGIDS];
}
static double length_of(Attack *a) { return is_odd(a) ? number(a) : 0.05 + 0.1 * below(a, 10); }

static lbPoint point_of(Attack *a, lbBodyId id) {
  const lbBody *body = lb_world_body(a->world, id);
  return lb_point_vertex(index_of(a, body ? lb_body_model(body)->size.vertex_count : 10));
}

// ---- what there is -----------------------------------------------------------------------------

static lbColliderDef collider_def(Attack *a, double points[24]) {
  static const int32_t faces[12] = { 0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2 };
  lbColliderDef def = lb_collider_def();
  def.shape = (lbColliderShape)below(a, LB_COLLIDER_SHAPE_COUNT + (is_odd(a) ? 2 : 0));
  def.radius = length_of(a);
  for (int k = 0; k < 3; k++) def.size[k] = length_of(a);
  for (int i = 0; i < 24; i++) points[i] = 0.5 * number(a);
  def.vertices = points, def.vertex_count = below(a, 8) ? 4 + (int32_t)below(a, 5) : index_of(a, 9);
  if (def.vertex_count > 8) def.vertex_count = 8;
  def.triangles = faces, def.triangle_count = 4;
  def.position = vector(a);
  if (below(a, 2)) def.rotation = rotation(a);
  if (below(a, 3) == 0) def.friction = number(a);
  if (below(a, 3) == 0) def.compliance = number(a);
  if (below(a, 3) == 0) def.restitution = number(a);
  if (below(a, 3) == 0) def.rolling_friction = number(a);
  def.sensor = below(a, 5) == 0;
  return def;
}

static void call_collider(Attack *a) {
  double points[24];
  lbError err;
  lbVec3 force, torque;
  lbColliderDef def = collider_def(a, points);
  lbColliderId *at = &a->colliders[below(a, COLLIDERS)];
  lbColliderId id = id_of(a, a->colliders, COLLIDERS);
  switch (below(a, 6)) {
  case 0: lb_world_remove_collider(a->world, id, &err); break;
  case 1: lb_world_collider_force(a->world, id, &force, &torque, &err); break;
  case 2:
  case 3: lb_world_move_collider(a->world, id, vector(a), rotation(a), &err); break;
  default: lb_world_add_collider(a->world, &def, at, &err);
  }
}

static lbBodyDef body_def(Attack *a) {
  lbBodyDef def = lb_body_def();
  def.position = vector(a);
  if (below(a, 2)) def.rotation = rotation(a);
  if (is_odd(a)) def.mode_count = index_of(a, 4);
  if (is_odd(a)) def.method = (lbMethod)below(a, LB_METHOD_COUNT + 1);
  if (is_odd(a)) def.frame = (lbFrameKind)below(a, 5);
  if (is_odd(a)) def.newton_iterations = index_of(a, 200);
  return def;
}

static void call_body(Attack *a) {
  lbError err;
  lbBatchDef batch = lb_batch_def();
  lbBodyId *at = &a->bodies[below(a, BODIES)], id = body_of(a);
  int32_t places[3] = { (int32_t)below(a, 20), 20 + (int32_t)below(a, 20), 60 };
  batch.body = body_def(a), batch.count = 1 + (int32_t)below(a, 3);
  if (lb_world_body_count(a->world) >= BODIES) lb_world_remove(a->world, *at, &err);
  if (lb_world_body_count(a->world) >= 2 * BODIES) return;
  lbBody *body = lb_world_body(a->world, id);
  lbContactMaterial material = { number(a), number(a), number(a), number(a) };
  switch (below(a, 10)) {
  case 0: lb_world_add_batch(a->world, model_of(a), &batch, a->bodies, &err); break;
  case 1: lb_world_add_batch_at(a->world, model_of(a), &batch, places, a->bodies, &err); break;
  case 2: lb_world_remove(a->world, id, &err); break;
  case 3: lb_world_set_touch(a->world, id, below(a, 2) == 0, number(a), &err); break;
  case 4: lb_world_set_pace(a->world, id, 1 + index_of(a, 3), &err); break;
  case 5: lb_world_set_contact_frames(a->world, id, index_of(a, 9), number(a), &err); break;
  case 6:
    if (body) lb_body_set_velocity(body, vector(a), vector(a));
    break;
  case 7: lb_world_set_contact_material(a->world, id, &material, &err); break;
  default: lb_world_add(a->world, model_of(a), &batch.body, at, &err);
  }
}

static void call_joint(Attack *a) {
  int32_t region[6];
  lbError err;
  lbJointReport report;
  lbJointDef def = lb_joint_def();
  lbJointId *at = &a->joints[below(a, JOINTS)], id = id_of(a, a->joints, JOINTS);
  def.kind = (lbJointKind)below(a, LB_JOINT_KIND_COUNT + is_odd(a));
  def.bodies[0] = body_of(a), def.bodies[1] = below(a, 4) ? body_of(a) : 0;
  def.places[0] = vector(a), def.places[1] = below(a, 2) ? def.places[0] : vector(a);
  def.axis = vector(a);
  if (below(a, 4) == 0) def.vertices[0] = index_of(a, 8), def.vertices[1] = index_of(a, 8);
  if (below(a, 6) == 0) def.region = region, def.region_count = 1 + (int32_t)below(a, 6);
  for (int i = 0; i < 6; i++) region[i] = index_of(a, 8);
  if (below(a, 2)) def.limited = true, def.limits[0] = -fabs(number(a)), def.limits[1] = number(a);
  if (below(a, 2)) def.motor_speed = 5 * number(a), def.motor_force = 100 * fabs(number(a));
  if (below(a, 4) == 0) def.break_force = 100 * fabs(number(a));
  def.collide = below(a, 2) == 0;
  switch (below(a, 6)) {
  case 0: lb_world_remove_joint(a->world, id, &err); break;
  case 1: lb_world_set_motor(a->world, id, number(a), 50 * number(a), &err); break;
  case 2: lb_world_joint(a->world, id, &report, &err); break;
  default: lb_world_add_joint(a->world, &def, at, &err);
  }
}

static void call_hold(Attack *a) {
  lbError err;
  lbLoad load = lb_load();
  lbLoadId load_id;
  lbAttachment hold = lb_attachment();
  load.body = hold.body = body_of(a);
  load.point = hold.point = point_of(a, load.body);
  load.force = vector(a), hold.shift = vector(a);
  if (below(a, 2)) hold.stiffness = 1e3 * fabs(number(a)), hold.damping = fabs(number(a));
  switch (below(a, 4)) {
  case 0: lb_world_add_load(a->world, &load, &load_id, &err); break;
  case 1: lb_world_detach(a->world, a->attachment, &err); break;
  case 2: lb_world_set_gravity(a->world, lb_vec3(0, 0, 10 * number(a)), &err); break;
  default: lb_world_attach(a->world, &hold, &a->attachment, &err);
  }
}

static void look(Attack *a) {
  lbError err;
  lbFound found[4];
  lbBodyId bodies[4];
  int32_t count;
  double size[3] = { length_of(a), length_of(a), length_of(a) };
  switch (below(a, 7)) {
  case 0: lb_world_ray(a->world, vector(a), vector(a), length_of(a), found, &err); break;
  case 1: lb_world_closest(a->world, vector(a), length_of(a), found, &err); break;
  case 2: lb_world_overlap_sphere(a->world, vector(a), length_of(a), 4, found, &count, &err); break;
  case 3:
    lb_world_overlap_box(a->world, vector(a), rotation(a), size, 4, found, &count, &err);
    break;
  case 4: lb_world_wake(a->world, body_of(a), &err); break;
  case 5:
    lb_world_overlap_collider(a->world, id_of(a, a->colliders, COLLIDERS), 4, bodies, &count, &err);
    break;
  default:
    count = lb_world_contact_count(a->world);
    for (int32_t i = 0; i < count; i++) (void)lb_world_contacts(a->world)[i].force;
  }
}

// ---- states and steps --------------------------------------------------------------------------

static void save_or_restore(Attack *a) {
  lbError err;
  if (a->state && below(a, 2)) {
    if (below(a, 4) == 0)
      a->state[below(a, (uint32_t)a->state_bytes)] ^= (uint8_t)(1u << below(a, 8));
    lb_world_restore_state(a->world, a->state, a->state_bytes, &err);
    return;
  }
  free(a->state);
  a->state_bytes = lb_world_state_bytes(a->world);
  a->state = calloc(a->state_bytes, 1);
  if (a->state && lb_world_save_state(a->world, a->state, a->state_bytes, &err)) {
    free(a->state);
    a->state = NULL;
  }
}

static void check_finite(const Attack *a) {
  for (int32_t i = 0; i < lb_world_body_count(a->world); i++) {
    const lbBody *body = lb_world_body(a->world, lb_world_body_at(a->world, i));
    size_t count = 3 * (size_t)lb_body_model(body)->size.vertex_count;
    double *xyz = malloc((count + 1) * sizeof *xyz);
    if (!xyz) return;
    lb_body_surface(body, xyz);
    for (size_t k = 0; k < count; k++)
      if (isnan(xyz[k])) {
        printf("call %lld: the surface of body %d has a NaN\n", (long long)a->calls, (int)i);
        abort();
      }
    free(xyz);
  }
}

static void step(Attack *a) {
  if (a->steps++ >= STEPS_A_WORLD) return;
  lb_world_step(a->world, is_odd(a) ? number(a) : 1.0 / (30 + below(a, 200)));
  check_finite(a);
}

static void call_world(Attack *a) {
  a->calls++;
  switch (below(a, 8)) {
  case 0:
  case 1: call_body(a); break;
  case 2: call_collider(a); break;
  case 3: call_joint(a); break;
  case 4: call_hold(a); break;
  case 5: look(a); break;
  case 6: save_or_restore(a); break;
  default: step(a);
  }
}

static void attack_world(Attack *a) {
  static const int32_t rooms[] = { 1, 48, 256, 4096 };
  lbWorldSettings settings = lb_world_settings();
  lbError err;
  settings.contact = below(a, 8) > 0;
  settings.contacts_most = rooms[below(a, 4)];
  settings.compliance = below(a, 3) ? 0 : 1e-4;
  settings.restitution = below(a, 3) ? 0 : 0.5;
  settings.rolling_friction = below(a, 3) ? 0 : 0.01;
  settings.self = below(a, 4) == 0, settings.sleep = below(a, 2) == 0;
  settings.substeps = 1 + (int32_t)below(a, 2);
  settings.gravity = lb_vec3(0, 0, -9.81);
  memset(a->bodies, 0, sizeof a->bodies), memset(a->joints, 0, sizeof a->joints);
  memset(a->colliders, 0, sizeof a->colliders);
  a->steps = 0;
  if (lb_world_create(&settings, &a->world, &err)) return;
  for (int i = 0; i < CALLS_A_WORLD; i++) {
    memory.fails = below(a, 3) == 0;
    call_world(a);
    memory.fails = false;
  }
  lb_world_destroy(a->world);
  free(a->state);
  a->state = NULL;
}

int64_t attack_contact(attackRandom *random, int64_t count, const lbModel *const *models,
                       int model_count) {
  static const lbColliderShape shapes[RIGIDS] = { LB_COLLIDER_SPHERE, LB_COLLIDER_BOX,
                                                  LB_COLLIDER_CAPSULE, LB_COLLIDER_HULL };
  const double corners[12] = { 0, 0, 0, 0.3, 0, 0, 0, 0.3, 0, 0, 0, 0.3 };
  const lbAllocator allocator = { allocate, release, NULL };
  Attack a = { .random = random, .models = models, .model_count = model_count };
  lbError err;
  memory.random.state = attack_bits(random);
  lb_set_allocator(&allocator);
  for (int i = 0; i < RIGIDS; i++) {
    lbColliderDef def = lb_collider_def();
    def.shape = shapes[i];
    def.radius = 0.1, def.size[0] = def.size[1] = def.size[2] = 0.2;
    def.vertices = corners, def.vertex_count = 4;
    if (lb_rigid_model(&def, 500, &a.rigids[i], &err)) printf("%s\n", err.text), abort();
  }
  while (a.calls < count) {
    attack_world(&a);
    a.calls++; // a world that cannot be made counts, too
  }
  for (int i = 0; i < RIGIDS; i++) lb_model_destroy(a.rigids[i]);
  lb_set_allocator(NULL);
  return a.calls;
}
