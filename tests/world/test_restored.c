// A restored world goes on to the bit: single bodies and batches, with loads, contacts and joints.
#include "rigid_bodies.h"

enum { KINDS = LB_JOINT_KIND_COUNT + 1 }; // the last: without a joint

static lbModel *models[3];

static int set_up(void **state) {
  (void)state;
  models[0] = body_model(BLOCK "," MODAL);
  models[1] = body_model(BLOCK "," SUBSPACE);
  models[2] = rigid_ball(0.1, 800);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) lb_model_destroy(models[i]);
  return 0;
}

static void add_two(lbWorld *world, const lbModel *model, bool together, lbBodyId ids[2]) {
  const lbVec3 positions[2] = { { 0, 0, 0.15 }, { 0.3, 0, 0.15 } };
  lbBatchDef def = lb_batch_def();
  lbError err;
  def.count = 2, def.positions = positions;
  if (together)
    check_ok(lb_world_add_batch(world, model, &def, ids, &err), err);
  else
    for (int i = 0; i < 2; i++) ids[i] = add_block(world, model, positions[i]);
}

static void join_two(lbWorld *world, lbJointKind kind, const lbBodyId ids[2], bool limited) {
  lbJointDef def = lb_joint_def();
  lbJointId id;
  lbError err;
  def.kind = kind;
  def.bodies[0] = ids[0], def.bodies[1] = ids[1];
  def.places[0] = lb_vec3(0.2, 0.1, 0.25), def.places[1] = lb_vec3(0.3, 0.1, 0.25);
  bool moves = kind == LB_JOINT_HINGE || kind == LB_JOINT_SLIDER;
  if (moves && limited) def.limited = true, def.limits[0] = -0.1, def.limits[1] = 0.1;
  if (moves) def.motor_speed = 0.5, def.motor_force = 10;
  check_ok(lb_world_add_joint(world, &def, &id, &err), err);
}

// The bytes there are after 20 steps of two lengths.
static void step_and_save(lbWorld *world, char *bytes, size_t count) {
  lbError err;
  for (int i = 0; i < 20; i++) lb_world_step(world, i < 10 ? 1.0 / 60 : 1.0 / 90);
  memset(bytes, 0, count);
  check_ok(lb_world_save_state(world, bytes, count, &err), err);
}

static void check_goes_on(lbWorld *world) {
  lbError err;
  size_t count = lb_world_state_bytes(world);
  char *start = calloc(count, 1), *again = calloc(count, 1);
  char *ends[2] = { malloc(count), malloc(count) };
  check_ok(lb_world_save_state(world, start, count, &err), err);
  step_and_save(world, ends[0], count);
  check_ok(lb_world_restore_state(world, start, count, &err), err);
  check_ok(lb_world_save_state(world, again, count, &err), err);
  assert_memory_equal(again, start, count);
  step_and_save(world, ends[1], count);
  assert_memory_equal(ends[1], ends[0], count);
  free(start), free(again), free(ends[0]), free(ends[1]);
}

static void check_worlds(bool contact) {
  for (int m = 0; m < 3; m++)
    for (int kind = 0; kind < KINDS; kind++)
      for (int variant = 0; variant < 6; variant++) {
        lbWorld *world = rigid_world(lb_vec3(0, 0, -9.81), contact, 0.5);
        lbBodyId ids[2];
        lbLoad load = lb_load();
        lbLoadId id;
        lbError err;
        if (contact) add_plane(world, lb_vec3(0, 0, 1));
        add_two(world, models[m], variant % 2, ids);
        load.body = ids[0], load.point = lb_point_vertex(0), load.force = lb_vec3(1, 2, 3);
        check_ok(lb_world_add_load(world, &load, &id, &err), err);
        if (kind < LB_JOINT_KIND_COUNT) join_two(world, (lbJointKind)kind, ids, variant < 3);
        for (int i = 0; i < 4 * (variant / 2); i++) lb_world_step(world, 1.0 / 60);
        check_goes_on(world);
        lb_world_destroy(world);
      }
}

static void bodies_with_loads_and_joints_go_on_to_the_bit(void **state) {
  (void)state;
  check_worlds(false);
}

static void bodies_that_touch_the_ground_go_on_to_the_bit(void **state) {
  (void)state;
  check_worlds(true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bodies_with_loads_and_joints_go_on_to_the_bit),
    cmocka_unit_test(bodies_that_touch_the_ground_go_on_to_the_bit),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
