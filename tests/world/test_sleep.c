// Sleep of bodies of every method, and of those that joints and attachments hold.
#include "rigid_bodies.h"

enum { KINDS = 5 };
static const char *const kinds[KINDS] = { "'method':'subspace','reduce':{'modes':6,'dimension':15}",
                                          "'method':'modal','reduce':{'modes':12}",
                                          "'method':'warp'",
                                          "'method':'frames','frames':{'count':4,'samples':60}",
                                          "rigid" };
static const double h = 1.0 / 60;

static lbModel *model_of(int kind) {
  if (kind == KINDS - 1) return rigid_box(0.2, 0.2, 0.2, 1000);
  char keys[700];
  snprintf(keys, sizeof keys,
           "'mesh':{'generate':'bar','size':[0.2,0.2,0.2],'cells':[2,2,2],'element':'brick8'}," SOFT
           ",%s,'damping':{'stiffness':0.002}",
           kinds[kind]);
  return body_model(keys);
}

// A block whose low corner is there.
static lbBodyId add_at(lbWorld *world, const lbModel *model, int kind, lbVec3 corner) {
  double half = kind == KINDS - 1 ? 0.1 : 0;
  return add_block(world, model, lb_add(corner, lb_vec3(half, half, half)));
}

static double until_asleep(lbWorld *world, lbBodyId id, double most) {
  double start = lb_world_time(world);
  while (!lb_world_body_sleeping(world, id) && lb_world_time(world) - start < most)
    lb_world_step(world, h);
  return lb_world_time(world) - start;
}

static lbJointId join(lbWorld *world, lbJointKind kind, lbBodyId a, lbBodyId b, lbVec3 place) {
  lbJointDef def = lb_joint_def();
  lbJointId id = 0;
  lbError err;
  def.kind = kind;
  def.bodies[0] = a, def.bodies[1] = b;
  def.places[0] = def.places[1] = place;
  def.axis = lb_vec3(0, 1, 0);
  check_ok(lb_world_add_joint(world, &def, &id, &err), err);
  return id;
}

static void blocks_of_every_method_fall_asleep(void **state) {
  (void)state;
  for (int k = 0; k < (CHECK_SANITIZED ? 2 : KINDS); k++) {
    lbModel *model = model_of(k);
    lbWorld *world = world_with(lb_vec3(0, 0, -9.81), 0.5);
    add_plane(world, lb_vec3(0, 0, 1));
    lbBodyId id = add_at(world, model, k, lb_vec3(0, 0, 0.005));
    double took = until_asleep(world, id, 5);
    print_message("%s sleeps after %.3g s\n", kinds[k], took);
    check_small(took, 4);
    lb_world_destroy(world);
    lb_model_destroy(model);
  }
}

// One block on the ground, another one hinged to its side: they sleep and wake together, and the
// joint tells its force meanwhile.
static void jointed_bodies_sleep_and_wake_together(void **state) {
  (void)state;
  for (int k = 0; k < (CHECK_SANITIZED ? 2 : KINDS); k++) {
    lbModel *model = model_of(k);
    lbWorld *world = world_with(lb_vec3(0, 0, -9.81), 0.5);
    lbJointReport before, after;
    lbError err;
    add_plane(world, lb_vec3(0, 0, 1));
    lbBodyId ids[2] = { add_at(world, model, k, lb_vec3(0, 0, 0)),
                        add_at(world, model, k, lb_vec3(0.25, 0, 0)) };
    lbJointId joint = join(world, LB_JOINT_HINGE, ids[0], ids[1], lb_vec3(0.2, 0.1, 0.1));
    double took = until_asleep(world, ids[0], 6);
    assert_true(lb_world_body_sleeping(world, ids[1]));
    check_ok(lb_world_joint(world, joint, &before, &err), err);
    lbVec3 at = lb_body_report(lb_world_body(world, ids[1])).centre;
    for (int i = 0; i < 30; i++) lb_world_step(world, h);
    check_ok(lb_world_joint(world, joint, &after, &err), err);
    print_message("%s: asleep after %.3g s, the joint's force is %.3g N\n", kinds[k], took,
                  lb_length(before.force));
    assert_true(lb_world_body_sleeping(world, ids[0]) && lb_world_body_sleeping(world, ids[1]));
    assert_true(lb_length(lb_sub(after.force, before.force)) == 0);
    assert_true(lb_length(lb_sub(lb_body_report(lb_world_body(world, ids[1])).centre, at)) == 0);
    lb_body_set_velocity(lb_world_body(world, ids[1]), lb_vec3(0, 0, 1), lb_vec3(0, 0, 0));
    lb_world_step(world, h);
    assert_false(lb_world_body_sleeping(world, ids[0]));
    assert_false(lb_world_body_sleeping(world, ids[1]));
    check_small(until_asleep(world, ids[0], 8), 7);
    check_ok(lb_world_remove_joint(world, joint, &err), err);
    assert_false(lb_world_body_sleeping(world, ids[0]));
    lb_world_destroy(world);
    lb_model_destroy(model);
  }
}

// What hangs without touching anything, in a world whose bodies do not touch either.
static void what_hangs_from_joints_sleeps(void **state) {
  (void)state;
  lbModel *model = rigid_box(0.2, 0.2, 0.2, 1000);
  for (int contact = 0; contact < 2; contact++) {
    lbWorld *world = rigid_world(lb_vec3(0, 0, -9.81), contact, 0.5);
    lbBodyId ids[2] = { add_block(world, model, lb_vec3(0, 0, -0.1)),
                        add_block(world, model, lb_vec3(0, 0, -0.3)) };
    lbJointReport report;
    lbError err;
    lbJointId top = join(world, LB_JOINT_WELD, ids[0], 0, lb_vec3(0, 0, 0));
    lbJointId motor = join(world, LB_JOINT_HINGE, ids[0], ids[1], lb_vec3(0, 0, -0.2));
    double took = until_asleep(world, ids[1], 3);
    print_message("hangs asleep after %.3g s\n", took);
    check_small(took, 2);
    check_ok(lb_world_joint(world, top, &report, &err), err);
    check_near(lb_length(report.force), 2 * 8 * 9.81, 0.1);
    check_ok(lb_world_set_motor(world, motor, 1, 100, &err), err);
    assert_false(lb_world_body_sleeping(world, ids[0]));
    for (int i = 0; i < 60; i++) lb_world_step(world, h);
    check_ok(lb_world_joint(world, motor, &report, &err), err);
    check_near(fabs(report.position), 1, 0.05);
    assert_false(lb_world_body_sleeping(world, ids[1]));
    lb_world_destroy(world);
  }
  lb_model_destroy(model);
}

// A point of a body that rests is held where it is, then led away.
static void held_bodies_sleep_until_their_points_are_led(void **state) {
  (void)state;
  lbModel *model = model_of(0);
  lbWorld *world = world_with(lb_vec3(0, 0, -9.81), 0.5);
  lbBodyDef def = lb_body_def();
  lbConstraintDef hold = lb_constraint_def();
  const lbPoint point = lb_point_vertex(0);
  lbBodyId id;
  lbVec3 place, now;
  double target[3];
  int32_t held;
  lbError err;
  add_plane(world, lb_vec3(0, 0, 1));
  def.constrained_points = 1;
  check_ok(lb_world_add(world, model, &def, &id, &err), err);
  lbBody *body = lb_world_body(world, id);
  for (int i = 0; i < 10; i++) lb_world_step(world, h);
  hold.point_count = 1, hold.points = &point;
  assert_int_equal(lb_body_add_constraint(body, &hold, &held), LB_OK);
  double took = until_asleep(world, id, 5);
  print_message("held, it sleeps after %.3g s\n", took);
  check_small(took, 4);
  assert_int_equal(lb_body_point(body, point, &place, NULL), LB_OK);
  place.z += 0.02;
  lb_vec3_store(target, place);
  assert_int_equal(lb_body_set_target(body, held, target), LB_OK);
  for (int i = 0; i < 5; i++) lb_world_step(world, h);
  assert_false(lb_world_body_sleeping(world, id));
  assert_int_equal(lb_body_point(body, point, &now, NULL), LB_OK);
  check_small(lb_length(lb_sub(now, place)), 1e-3);
  lb_world_destroy(world);
  lb_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(blocks_of_every_method_fall_asleep),
    cmocka_unit_test(jointed_bodies_sleep_and_wake_together),
    cmocka_unit_test(what_hangs_from_joints_sleeps),
    cmocka_unit_test(held_bodies_sleep_until_their_points_are_led),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
