// Random calls, with arguments that are often wrong: what cannot be done must be refused, nothing
// may crash, and what is finite must stay finite.
#include "attack.h"

#include "limber/haptics.h"
#include "limber/model.h"
#include "limber/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MODELS = 8, MOST_NODES = 4096, CALLS_A_ROUND = 400, BATCH = 9 };

typedef struct Attack {
  attackRandom *random;
  int64_t calls;
  const lbModel *models[MOST_MODELS];
  int model_count;
  double numbers[3 * MOST_NODES], more[3 * MOST_NODES];
  uint8_t *state; // a saved one; NULL: none
  size_t state_bytes;
} Attack;

static uint32_t below(Attack *a, uint32_t count) { return attack_below(a->random, count); }
static double number(Attack *a) { return attack_number(a->random); }
static lbVec3 vector(Attack *a) { return (lbVec3){ number(a), number(a), number(a) }; }
static lbQuat rotation(Attack *a) { return (lbQuat){ number(a), number(a), number(a), number(a) }; }
// Mostly an index that exists.
static int32_t index_of(Attack *a, int32_t count) {
  return below(a, 12) ? (int32_t)below(a, (uint32_t)(count > 0 ? count : 1))
                      : (int32_t)attack_bits(a->random);
}

static lbPoint point(Attack *a, const lbModel *model) {
  lbPoint p = { .kind = (lbPointKind)below(a, 5) };
  p.index = index_of(a, model->size.vertex_count);
  for (int i = 0; i < 8; i++) p.weights[i] = below(a, 6) ? 0 : number(a);
  if (below(a, 3)) p.weights[0] = 1;
  return p;
}

static const double *fill(Attack *a, double *to) {
  bool hostile = below(a, 8) == 0;
  for (int i = 0; i < 600; i++) to[i] = hostile ? number(a) : 1e-3 * (double)below(a, 100);
  return to;
}

static double step_length(Attack *a) {
  return below(a, 6) ? 1.0 / (double)(30 + below(a, 1000)) : number(a);
}

// ---- bodies ------------------------------------------------------------------------------------

static lbBodyDef body_def(Attack *a) {
  lbBodyDef def = lb_body_def();
  def.method = (lbMethod)below(a, LB_METHOD_COUNT + 1);
  if (below(a, 3)) def.method = LB_METHOD_DEFAULT;
  def.frame = (lbFrameKind)below(a, 5);
  if (below(a, 3)) def.frame = LB_FRAME_DEFAULT;
  if (below(a, 4) == 0) def.position = vector(a), def.rotation = rotation(a);
  if (below(a, 4) == 0) def.gravity = vector(a);
  if (below(a, 8) == 0) def.mode_count = index_of(a, 4);
  if (below(a, 8) == 0) def.damping_mass = number(a), def.damping_stiffness = number(a);
  if (below(a, 8) == 0) def.constrained_points = index_of(a, 40);
  def.integrator = (lbIntegrator)below(a, 4);
  def.newton_iterations = below(a, 6) ? 1 + (int32_t)below(a, 4) : index_of(a, 200);
  def.single_precision = below(a, 3) == 0;
  def.recover = below(a, 3) == 0;
  def.decoupled = below(a, 3) == 0;
  return def;
}

static void constrain(Attack *a, lbBody *body) {
  lbPoint points[4];
  uint8_t axes[4];
  int32_t id = 0;
  lbConstraintDef def = lb_constraint_def();
  def.kind = (lbConstraintKind)below(a, 4);
  def.point_count = 1 + (int32_t)below(a, 4);
  for (int i = 0; i < 4; i++) {
    points[i] = point(a, lb_body_model(body));
    axes[i] = (uint8_t)(below(a, 8) ? 1 + below(a, 7) : attack_bits(a->random));
  }
  def.points = points;
  if (below(a, 2)) def.targets = fill(a, a->numbers);
  if (below(a, 2)) def.axes = axes;
  if (below(a, 6) == 0) def.force_points = points, def.force_point_count = 2;
  if (below(a, 2)) def.stiffness = fabs(number(a)) * 1e4, def.damping = fabs(number(a));
  lb_body_add_constraint(body, &def, &id);
}

static void save_or_restore(Attack *a, lbBody *body) {
  if (below(a, 2) || !a->state) {
    size_t bytes = lb_body_state_bytes(body);
    free(a->state);
    a->state = malloc(bytes);
    a->state_bytes = bytes;
    if (a->state && lb_body_save_state(body, a->state, bytes)) {
      free(a->state);
      a->state = NULL;
    }
    return;
  }
  if (a->state_bytes && below(a, 4) == 0)
    a->state[below(a, (uint32_t)a->state_bytes)] ^= (uint8_t)(1u << below(a, 8));
  size_t bytes = below(a, 8) ? a->state_bytes : below(a, (uint32_t)a->state_bytes + 1);
  lb_body_restore_state(body, a->state, bytes);
}

static void look(Attack *a, lbBody *body) {
  const lbModel *model = lb_body_model(body);
  lbVec3 position, velocity;
  lbPick pick;
  bool hit;
  double soft[2];
  int32_t vertices[3] = { index_of(a, model->size.vertex_count),
                          index_of(a, model->size.vertex_count),
                          index_of(a, model->size.vertex_count) };
  switch (below(a, 9)) {
  case 0: lb_body_surface(body, a->numbers); break;
  case 1: lb_body_surface_velocities(body, a->numbers); break;
  case 2: lb_body_von_mises(body, a->numbers); break;
  case 3: lb_body_vertices(body, 3, vertices, a->numbers, NULL, a->more); break;
  case 4: lb_body_point(body, point(a, model), &position, &velocity); break;
  case 5: lb_body_pick(body, vector(a), vector(a), &pick, &hit); break;
  case 6: lb_body_softness(body, point(a, model), &soft[0], &soft[1]); break;
  case 7: lb_body_node_displacements(body, a->numbers); break;
  default: lb_body_report(body); break;
  }
}

static void move(Attack *a, lbBody *body) {
  lbFrame frame = lb_body_frame(body);
  if (below(a, 2)) frame.position = vector(a), frame.rotation = rotation(a);
  switch (below(a, 6)) {
  case 0: lb_body_set_placement(body, vector(a), rotation(a)); break;
  case 1: lb_body_set_frame(body, &frame); break;
  case 2: lb_body_drive(body, &frame); break;
  case 3: lb_body_drive_to(body, vector(a), rotation(a)); break;
  case 4: lb_body_set_velocity(body, vector(a), vector(a)); break;
  default:
    lb_body_set_displacements(body, fill(a, a->numbers), below(a, 2) ? fill(a, a->more) : NULL);
  }
}

static void push(Attack *a, lbBody *body) {
  const lbModel *model = lb_body_model(body);
  lbBall ball = { vector(a), vector(a), fabs(number(a)), below(a, 2) ? INFINITY : number(a) * 1e4 };
  lbVec3 force;
  switch (below(a, 5)) {
  case 0: lb_body_apply_force(body, point(a, model), vector(a)); break;
  case 1: lb_body_apply_impulse(body, point(a, model), vector(a)); break;
  case 2: lb_body_apply_radial_impulse(body, vector(a), number(a), number(a)); break;
  case 3: lb_body_set_gravity(body, vector(a)); break;
  default: lb_body_push_ball(body, &ball, step_length(a), &force); break;
  }
}

static void change(Attack *a, lbBody *body) {
  int32_t material = index_of(a, 2);
  switch (below(a, 7)) {
  case 0: lb_body_set_material(body, material, number(a) * 1e6, number(a), number(a) * 1e3); break;
  case 1: lb_body_set_damping(body, number(a), number(a)); break;
  case 2: lb_body_set_state(body, fill(a, a->numbers), fill(a, a->more)); break;
  case 3: lb_body_set_target(body, index_of(a, 4), fill(a, a->numbers)); break;
  case 4: lb_body_remove_constraint(body, index_of(a, 4)); break;
  case 5: lb_body_set_recover(body, below(a, 2) == 0); break;
  default: lb_body_start(body, 0, NULL); break;
  }
}

static void call_body(Attack *a, lbBody *body) {
  a->calls++;
  switch (below(a, 8)) {
  case 0: push(a, body); break;
  case 1: look(a, body); break;
  case 2: move(a, body); break;
  case 3: change(a, body); break;
  case 4: constrain(a, body); break;
  case 5: save_or_restore(a, body); break;
  default: lb_body_step(body, step_length(a)); break;
  }
}

// ---- rounds ------------------------------------------------------------------------------------

static void check_finite(Attack *a, const lbBody *body) {
  lb_body_surface(body, a->numbers);
  for (int32_t i = 0; i < 3 * lb_body_model(body)->size.vertex_count; i++)
    if (isnan(a->numbers[i])) {
      printf("call %lld: the surface has a NaN\n", (long long)a->calls);
      abort();
    }
}

static void attack_body(Attack *a, const lbModel *model) {
  lbBodyDef def = body_def(a);
  lbBody *body = NULL;
  lbError err;
  if (lb_body_create(model, &def, &body, &err)) return;
  for (int i = 0; i < CALLS_A_ROUND; i++) call_body(a, body);
  check_finite(a, body);
  lb_body_destroy(body);
}

static void attack_batch(Attack *a, const lbModel *model) {
  lbBatchDef def = lb_batch_def();
  lbBatch *batch = NULL;
  lbError err;
  def.count = BATCH;
  def.body = body_def(a);
  if (lb_batch_create(model, &def, &batch, &err)) return;
  for (int i = 0; i < CALLS_A_ROUND; i++) {
    lbBody *body = lb_batch_body(batch, index_of(a, BATCH));
    a->calls++;
    if (body) call_body(a, body);
    if (below(a, 10) == 0) lb_batch_step(batch, step_length(a));
    if (below(a, 100) == 0) lb_batch_set_material(batch, 0, number(a) * 1e6, 0.3, 1000, &err);
  }
  check_finite(a, lb_batch_body(batch, 0));
  lb_batch_destroy(batch);
}

static void call_world(Attack *a, lbWorld *world, lbBodyId *ids) {
  lbError err;
  lbBodyDef def = body_def(a);
  lbLoad load = lb_load();
  lbLoadId load_id;
  lbVec3 rest, moved;
  lbPick pick;
  int32_t probe;
  const lbModel *model = a->models[below(a, (uint32_t)a->model_count)];
  lbBodyId *id = &ids[below(a, 8)], other = below(a, 8) ? *id : attack_bits(a->random);
  a->calls++;
  switch (below(a, 10)) {
  case 0: lb_world_add(world, model, &def, id, &err); break;
  case 1: lb_world_remove(world, other, &err); break;
  case 2:
    load.body = other, load.point = point(a, model), load.force = vector(a);
    if (below(a, 2)) load.from = number(a), load.to = number(a);
    lb_world_add_load(world, &load, &load_id, &err);
    break;
  case 3: lb_world_remove_load(world, attack_bits(a->random) % 40, &err); break;
  case 4: lb_world_add_probe(world, other, point(a, model), &probe, &err); break;
  case 5: lb_world_probe(world, index_of(a, 4), &rest, &moved, &err); break;
  case 6: lb_world_set_gravity(world, vector(a), &err); break;
  case 7: lb_world_pick(world, vector(a), vector(a), &other, &pick, &err); break;
  case 8:
    if (lb_world_body(world, other)) call_body(a, lb_world_body(world, other));
    break;
  default: lb_world_step(world, step_length(a)); break;
  }
}

static void attack_world(Attack *a) {
  lbWorldSettings settings = lb_world_settings();
  lbWorld *world = NULL;
  lbError err;
  lbBodyId ids[8] = { 0 };
  settings.substeps = 1 + (int32_t)below(a, 3);
  if (lb_world_create(&settings, &world, &err)) return;
  for (int i = 0; i < CALLS_A_ROUND; i++) {
    call_world(a, world, ids);
    if (below(a, 50)) continue;
    size_t bytes = lb_world_state_bytes(world);
    uint8_t *state = malloc(bytes + 1);
    if (state && lb_world_save_state(world, state, bytes, &err) == LB_OK) {
      if (below(a, 2)) state[below(a, (uint32_t)bytes)] ^= 8;
      lb_world_restore_state(world, state, bytes, &err);
    }
    free(state);
  }
  lb_world_destroy(world);
}

static void attack_haptics(Attack *a, const lbModel *model) {
  lbBodyDef def = lb_body_def();
  lbHapticsDef hand = lb_haptics_def();
  lbBody *body = NULL;
  lbHaptics *haptics = NULL;
  lbError err;
  hand.tool = (lbHapticsTool)below(a, 3);
  if (below(a, 3) == 0) hand.radius = number(a), hand.stiffness = number(a) * 1e4;
  if (below(a, 3) == 0) hand.contact_limit = index_of(a, 70), hand.node_limit = index_of(a, 70000);
  if (lb_body_create(model, &def, &body, &err)) return;
  if (lb_haptics_create(body, &hand, &haptics, &err) == LB_OK)
    for (int i = 0; i < CALLS_A_ROUND; i++, a->calls++) {
      if (below(a, 2)) lb_haptics_set_device(haptics, vector(a), vector(a), below(a, 2) == 0);
      lb_haptics_tick(haptics, step_length(a));
      lb_haptics_state(haptics, a->numbers, a->more);
      lbVec3 force = lb_haptics_force(haptics);
      if (!isfinite(force.x + force.y + force.z)) {
        printf("call %lld: the force on the device is not finite\n", (long long)a->calls);
        abort();
      }
    }
  lb_haptics_destroy(haptics);
  lb_body_destroy(body);
}

int64_t attack_api(attackRandom *random, int64_t count, const char *const *models, int model_count,
                   bool contact) {
  static Attack a;
  lbBundle *bundles[MOST_MODELS] = { 0 };
  lbError err;
  a = (Attack){ .random = random };
  for (int i = 0; i < model_count; i++) {
    if (lb_bundle_load(models[i], &bundles[i], &err)) {
      printf("%s\n", err.text);
      return 0;
    }
    for (int32_t k = 0; k < bundles[i]->model_count && a.model_count < MOST_MODELS; k++)
      a.models[a.model_count++] = bundles[i]->models[k];
  }
  while (a.calls < count) {
    const lbModel *model = a.models[below(&a, (uint32_t)a.model_count)];
    switch (contact ? 5 : below(&a, 6)) {
    case 0: attack_batch(&a, model); break;
    case 5: a.calls += attack_contact(random, CALLS_A_ROUND, a.models, a.model_count); break;
    case 1: attack_world(&a); break;
    case 2: attack_haptics(&a, model); break;
    default: attack_body(&a, model); break;
    }
    a.calls++; // bodies that cannot be made count, too
  }
  free(a.state);
  for (int i = 0; i < model_count; i++) lb_bundle_destroy(bundles[i]);
  return a.calls;
}
