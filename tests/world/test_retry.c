// Steps that are taken again in halves: by the islands in which contacts missed, and no others.
#include "rigid_bodies.h"

enum { BESIDE = 5, STEPS = CHECK_SANITIZED ? 12 : 40 };

static const double h = 1.0 / 60;
static lbModel *block;

static int set_up(void **state) {
  (void)state;
  block = soft_block("'method':'subspace','reduce':{'modes':6,'dimension':15}", 1e5);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  lb_model_destroy(block);
  return 0;
}

typedef struct Yard { // a block that hits the ground, or is far from it, and others beside it
  lbWorld *world;
  lbColliderId ground;
  lbBodyId hits, beside[BESIDE];
} Yard;

// Beside it: two on top of each other, one that a load pushes, two of a batch.
static Yard make_yard(bool hits) {
  Yard yard = { .world = world_with(lb_vec3(0, 0, -9.81), 0.5) };
  lbBatchDef batch = lb_batch_def();
  lbLoad load = lb_load();
  lbLoadId loaded;
  lbError err;
  lbWorld *world = yard.world;
  lbVec3 places[2] = { { 4, 0, 0.003 }, { 5, 0, 0.004 } };
  yard.ground = add_plane(world, lb_vec3(0, 0, 1));
  yard.hits = add_block(world, block, lb_vec3(0, 0, hits ? 0.05 : 1e3));
  for (int i = 0; i < 3; i++)
    yard.beside[i] = add_block(world, block, lb_vec3(2 + i / 2, 0, i == 1 ? 0.21 : 0.002));
  batch.count = 2, batch.positions = places;
  check_ok(lb_world_add_batch(world, block, &batch, yard.beside + 3, &err), err);
  load.body = yard.beside[2], load.point = lb_point_vertex(0), load.force = lb_vec3(3, 0, 0);
  check_ok(lb_world_add_load(world, &load, &loaded, &err), err);
  lb_body_set_velocity(lb_world_body(world, yard.hits), lb_vec3(0, 0, -12), lb_vec3(0, 0, 0));
  return yard;
}

static uint64_t hash_of(const lbWorld *world, lbBodyId id, uint64_t hash) {
  double q[64], v[64];
  const lbBody *body = lb_world_body(world, id);
  lb_body_get_state(body, q, v);
  lbFrame frame = lb_body_frame(body);
  lbVec3 force = lb_world_contact_force(world, id);
  size_t count = (size_t)lb_body_dimension(body) * sizeof(double);
  hash = check_hash(hash, q, count), hash = check_hash(hash, v, count);
  return check_hash(check_hash(hash, &frame, sizeof frame), &force, sizeof force);
}

static uint64_t hash_beside(const Yard *yard) {
  uint64_t hash = 0;
  for (int i = 0; i < BESIDE; i++) hash = hash_of(yard->world, yard->beside[i], hash);
  return hash;
}

static void those_beside_a_hard_hit_take_whole_steps(void **state) {
  (void)state;
  Yard hit = make_yard(true), calm = make_yard(false);
  int halved = 0;
  for (int i = 0; i < STEPS; i++) {
    lb_world_step(hit.world, h);
    lb_world_step(calm.world, h);
    halved += (lb_world_body_flags(hit.world, hit.hits) & LB_STEP_ADAPTED) != 0;
    for (int k = 0; k < BESIDE; k++)
      assert_false(lb_world_body_flags(hit.world, hit.beside[k]) & LB_STEP_ADAPTED);
    assert_true(hash_beside(&hit) == hash_beside(&calm));
  }
  print_message("%d steps in halves\n", halved);
  assert_true(halved > 0);
  lb_world_destroy(hit.world);
  lb_world_destroy(calm.world);
}

static double momentum_of(const Yard *yard) {
  double sum = lb_body_report(lb_world_body(yard->world, yard->hits)).linear_momentum.z;
  for (int i = 0; i < BESIDE; i++)
    sum += lb_body_report(lb_world_body(yard->world, yard->beside[i])).linear_momentum.z;
  return sum;
}

// Impulses of halves and of whole steps add up to what all bodies lose.
static void the_ground_carries_all_of_them(void **state) {
  (void)state;
  Yard yard = make_yard(true);
  lbError err;
  double mass = lb_body_report(lb_world_body(yard.world, yard.hits)).mass;
  double first = momentum_of(&yard), sum = 0;
  for (int i = 0; i < STEPS; i++) {
    lbVec3 force, torque;
    lb_world_step(yard.world, h);
    check_ok(lb_world_collider_force(yard.world, yard.ground, &force, &torque, &err), err);
    sum -= h * force.z;
  }
  double gained = momentum_of(&yard) - first + (1 + BESIDE) * mass * 9.81 * h * STEPS;
  print_message("impulse %.7g of %.7g N s\n", sum, gained);
  check_near(sum / gained, 1, 3e-5); // some 1e-6 is seen
  lb_world_destroy(yard.world);
}

// Tasks one after another, from the last one on: as other threads may take them.
static void run_backwards(int32_t count, lbTask *task, void *context, void *runner_context) {
  (void)runner_context;
  for (int32_t i = count - 1; i >= 0; i--) task(i, context);
}

static uint64_t hash_of_hits(int *halved) {
  lbWorld *world = world_with(lb_vec3(0, 0, -9.81), 0.5);
  lbBodyId ids[12];
  uint64_t hash = 0;
  add_plane(world, lb_vec3(0, 0, 1));
  for (int i = 0; i < 12; i++) { // at times of their own
    ids[i] = add_block(world, block, lb_vec3(0.5 * i, 0, 0.05 + 0.1 * i));
    lb_body_set_velocity(lb_world_body(world, ids[i]), lb_vec3(0, 0, -6 - i), lb_vec3(0, 0, 0));
  }
  for (int k = 0; k < STEPS / 2; k++) *halved += (lb_world_step(world, h) & LB_STEP_ADAPTED) != 0;
  for (int i = 0; i < 12; i++) hash = hash_of(world, ids[i], hash);
  lb_world_destroy(world);
  return hash;
}

static void the_order_of_tasks_changes_no_bit(void **state) {
  (void)state;
  int halved = 0;
  uint64_t forwards = hash_of_hits(&halved);
  lb_set_task_runner(run_backwards, NULL);
  uint64_t backwards = hash_of_hits(&halved);
  lb_set_task_runner(NULL, NULL);
  print_message("%d steps in halves\n", halved);
  assert_true(halved > 0 && forwards == backwards);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(those_beside_a_hard_hit_take_whole_steps),
    cmocka_unit_test(the_ground_carries_all_of_them),
    cmocka_unit_test(the_order_of_tasks_changes_no_bit),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
