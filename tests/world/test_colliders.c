// Colliders that move, whoever is there, and what bodies do to them.
#include "rigid_bodies.h"

static void colliders_move_in_a_world_without_bodies(void **state) {
  (void)state;
  for (int contact = 0; contact < 2; contact++) {
    lbWorld *world = rigid_world(lb_vec3(0, 0, -9.81), contact, 0.5);
    lbColliderDef def = lb_collider_def();
    lbColliderId moved, led;
    lbPathDef keys = lb_path_def();
    lbPath *path = NULL;
    lbVec3 position;
    lbQuat rotation;
    lbError err;
    const double times[2] = { 0, 1 }, places[6] = { 0, 0, 0, 2, 0, 0 };
    def.shape = LB_COLLIDER_SPHERE;
    check_ok(lb_world_add_collider(world, &def, &moved, &err), err);
    check_ok(lb_world_add_collider(world, &def, &led, &err), err);
    keys.key_count = 2, keys.times = times, keys.positions = places;
    check_ok(lb_path_create(&keys, &path, &err), err);
    check_ok(lb_world_drive_collider(world, led, path, &err), err);
    check_ok(lb_world_move_collider(world, moved, lb_vec3(0, 0, 3), lb_quat_identity(), &err), err);
    for (int i = 0; i < 30; i++) lb_world_step(world, 1.0 / 60);
    check_ok(lb_world_collider(world, moved, &position, &rotation, &err), err);
    check_near(position.z, 3, 1e-12);
    check_ok(lb_world_collider(world, led, &position, &rotation, &err), err);
    print_message("led to %.6g of 1 m in half a second\n", position.x);
    check_near(position.x, 1, 1e-9);
    lb_world_destroy(world);
    lb_path_destroy(path);
  }
}

// The force on the ground over all steps is what bodies lose of their momentum, however hard they
// hit, and however often a step is halved.
static void the_ground_feels_what_bodies_lose(void **state) {
  (void)state;
  lbModel *block = soft_block("'method':'subspace','reduce':{'modes':6,'dimension':15}", 1e5);
  for (int substeps = 1; substeps <= 2; substeps++) {
    lbWorldSettings settings = lb_world_settings();
    settings.contact = true;
    settings.substeps = substeps;
    lbWorld *world = world_of(&settings);
    lbColliderId ground = add_plane(world, lb_vec3(0, 0, 1));
    lbBodyId id = add_block(world, block, lb_vec3(0, 0, 0.05));
    lbError err;
    int adapted = 0;
    lb_body_set_velocity(lb_world_body(world, id), lb_vec3(0, 0, -12), lb_vec3(0, 0, 0));
    double h = 1.0 / 60, sum = 0;
    double first = lb_body_report(lb_world_body(world, id)).linear_momentum.z;
    for (int i = 0; i < 30; i++) {
      lbVec3 force, torque;
      adapted += (lb_world_step(world, h) & LB_STEP_ADAPTED) != 0;
      check_ok(lb_world_collider_force(world, ground, &force, &torque, &err), err);
      sum -= h * force.z;
    }
    double gained = lb_body_report(lb_world_body(world, id)).linear_momentum.z - first;
    print_message("%d steps in halves, impulse %.6g of %.6g N s, off by %.2g\n", adapted, sum,
                  gained, sum / gained - 1);
    assert_true(adapted > 0);
    check_near(sum / gained, 1, 1e-12);
    lb_world_destroy(world);
  }
  lb_model_destroy(block);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(colliders_move_in_a_world_without_bodies),
    cmocka_unit_test(the_ground_feels_what_bodies_lose),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
