// Joined bodies with many contacts: memory for all contact points, and motions that stay calm.
#include "modal_block.h"

enum { ROW = 16 };

// Blocks in a row on the ground, each joined to the next one in the middle between them.
static lbWorld *row_of_blocks(lbBodyId ids[ROW]) {
  lbWorldSettings settings = lb_world_settings();
  settings.gravity = lb_vec3(0, 0, -9.81);
  settings.contact = true;
  settings.contacts_most = 4096;
  lbWorld *world = world_of(&settings);
  add_plane(world, lb_vec3(0, 0, 1));
  for (int i = 0; i < ROW; i++) {
    ids[i] = add_block(world, block, lb_vec3(0.25 * i, 0, 0));
    lbJointDef def = lb_joint_def();
    lbJointId id;
    lbError err;
    if (i == 0) continue;
    def.bodies[0] = ids[i - 1], def.bodies[1] = ids[i];
    def.places[0] = def.places[1] = lb_vec3(0.25 * i - 0.025, 0.1, 0.1);
    check_ok(lb_world_add_joint(world, &def, &id, &err), err);
  }
  return world;
}

// More than 192 contact points in one component: 16 for each block.
static void a_row_of_joined_blocks_rests_on_the_ground(void **state) {
  (void)state;
  lbBodyId ids[ROW];
  lbWorld *world = row_of_blocks(ids);
  lbVec3 weight = lb_vec3(0, 0, 0);
  int32_t most = 0;
  double lowest = 0, mass = ROW * 8;
  for (int i = 0; i < 60; i++) {
    lb_world_step(world, 1.0 / 60);
    most = (int32_t)fmax(most, lb_world_contact_stats(world).contacts);
  }
  for (int i = 0; i < ROW; i++) {
    weight = lb_add(weight, lb_world_contact_force(world, ids[i]));
    lbBodyReport r = lb_body_report(lb_world_body(world, ids[i]));
    lowest = fmin(lowest, r.centre.z - 0.1);
  }
  print_message("%d contacts, %.5g of %.5g N, %.2g m low\n", (int)most, weight.z, mass * 9.81,
                lowest);
  assert_true(most > 192);
  check_near(weight.z / (mass * 9.81), 1, 1e-2);
  assert_true(lowest > -0.02); // a block sags by m g h / (2 E A) = 2 mm under its own weight
  lb_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_row_of_joined_blocks_rests_on_the_ground),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
