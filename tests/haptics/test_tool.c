// A rigid tool against a world: forces at 1 kHz by the contacts of the world.
#include "../world/modal_block.h"

#include "limber/haptics.h"

// A tetrahedron with a point below.
static const double corners[4][3] = {
  { 0, 0, -0.02 }, { 0.03, 0, 0.02 }, { -0.02, 0.03, 0.02 }, { -0.02, -0.03, 0.02 }
};
static const int32_t faces[4][3] = { { 1, 2, 3 }, { 0, 2, 1 }, { 0, 3, 2 }, { 0, 1, 3 } };

static lbTool *tool_of(lbWorld *world, lbColliderShape shape, lbVec3 at) {
  lbToolDef def = lb_tool_def();
  lbTool *tool = NULL;
  lbError err;
  def.shape.shape = shape;
  for (int k = 0; k < 3; k++) def.shape.size[k] = 0.05;
  def.shape.vertex_count = 4, def.shape.vertices = &corners[0][0]; // of hull and mesh
  def.shape.triangle_count = 4, def.shape.triangles = &faces[0][0];
  def.shape.position = at;
  def.force_limit = 1e4;
  def.torque_limit = 100;
  check_ok(lb_tool_create(world, &def, &tool, &err), err);
  return tool;
}

// Pressing on a block that lies on the ground: ground and tool hold its weight and each other.
static void a_tool_of_any_shape_feels_what_it_presses(void **state) {
  (void)state;
  static const lbColliderShape shapes[] = { LB_COLLIDER_SPHERE, LB_COLLIDER_BOX,
                                            LB_COLLIDER_CAPSULE, LB_COLLIDER_HULL,
                                            LB_COLLIDER_MESH };
  for (int s = 0; s < 5; s += CHECK_SANITIZED ? 4 : 1) {
    lbWorld *world = world_with(lb_vec3(0, 0, -9.81), 0.5);
    lbColliderId ground = add_plane(world, lb_vec3(0, 0, 1));
    lbBodyId id = add_block(world, block, lb_vec3(0, 0, 0));
    lb_body_set_damping(lb_world_body(world, id), 20, 0.005);
    lbTool *tool = tool_of(world, shapes[s], lb_vec3(0.1, 0.1, 0.26));
    double press = 0, jump = 0, last = 0;
    for (int i = 0; i < 500; i++) {
      double z = 0.26 - 0.06 * fmin(1, i / 300.0);
      lb_tool_tick(tool, lb_vec3(0.1, 0.1, z), lb_quat_identity(), 0.001);
      press = lb_tool_state(tool).force.z;
      assert_true(isfinite(press) && press >= -1e-9);
      if (i > 450) jump = fmax(jump, fabs(press - last));
      last = press;
    }
    lbVec3 carried;
    lbError err;
    check_ok(lb_world_collider_force(world, ground, &carried, NULL, &err), err);
    double weight = 9.81 * lb_body_report(lb_world_body(world, id)).mass;
    print_message(
        "shape %d: %.4g N on the tool, %.4g N on the ground, weight %.4g N, jumps %.2g N\n",
        (int)shapes[s], press, -carried.z, weight, jump);
    assert_true(press > 5);
    check_near(-carried.z / (press + weight), 1, 0.05);
    check_small(jump / press, 0.05);
    lb_tool_destroy(tool);
    lb_world_destroy(world);
  }
}

// The coupling is stable at any stiffness and mass, and the device feels what the ground does.
static void a_coupled_tool_presses_at_any_stiffness(void **state) {
  (void)state;
  static const double stiffnesses[] = { 10, 1e3, 1e5, 1e8 }, densities[] = { 1, 1000 };
  static const lbColliderShape shapes[] = { LB_COLLIDER_SPHERE, LB_COLLIDER_BOX };
  for (int i = 0; i < (CHECK_SANITIZED ? 2 : 8); i++) {
    lbWorld *world = world_with(lb_vec3(0, 0, -9.81), 0.5);
    lbColliderId ground = add_plane(world, lb_vec3(0, 0, 1));
    lbBodyId id = add_block(world, block, lb_vec3(0, 0, 0));
    lbToolDef def = lb_tool_def();
    lbTool *tool = NULL;
    lbError err;
    lb_body_set_damping(lb_world_body(world, id), 20, 0.005);
    def.shape.shape = shapes[i % 2];
    for (int k = 0; k < 3; k++) def.shape.size[k] = 0.05;
    def.shape.position = lb_vec3(0.1, 0.1, 0.26);
    def.force_limit = 1e6, def.torque_limit = 1e3;
    def.stiffness = stiffnesses[i / 2], def.density = densities[i % 2];
    // damped critically, as far as the tool alone is concerned
    def.damping = 2 * sqrt(def.stiffness * def.density * 1.3e-4), def.turn_damping = 0.01;
    check_ok(lb_tool_create(world, &def, &tool, &err), err);
    double press = 0, jump = 0, last = 0;
    for (int t = 0; t < 700; t++) {
      double z = 0.26 - 0.06 * fmin(1, t / 400.0);
      lb_tool_tick(tool, lb_vec3(0.1, 0.1, z), lb_quat_identity(), 0.001);
      press = lb_tool_state(tool).force.z;
      assert_true(isfinite(press));
      if (t > 600) jump = fmax(jump, fabs(press - last));
      last = press;
    }
    lbVec3 carried;
    check_ok(lb_world_collider_force(world, ground, &carried, NULL, &err), err);
    double weight = 9.81 * lb_body_report(lb_world_body(world, id)).mass;
    print_message("%g N/m, %g kg/m3: %.4g N on the device, %.4g on the ground, jumps %.2g N\n",
                  def.stiffness, def.density, press, -carried.z, jump);
    assert_true(press > 0.1);
    check_near(-carried.z / (press + weight), 1, 0.05);
    check_small(jump, 0.05 * press + 0.05);
    lb_tool_destroy(tool);
    assert_int_equal(lb_world_body_count(world), 1);
    lb_world_destroy(world);
  }
}

static void a_tool_keeps_to_its_limits(void **state) {
  (void)state;
  lbWorld *world = world_with(lb_vec3(0, 0, 0), 0.5);
  lbToolDef def = lb_tool_def();
  lbTool *tool = NULL;
  lbError err;
  add_block(world, block, lb_vec3(0, 0, 1));
  check_ok(lb_tool_create(world, &def, &tool, &err), err);
  lb_tool_tick(tool, lb_vec3(5, 0, 0), lb_quat_identity(), 0.001);
  check_near(lb_tool_state(tool).position.x, 0.002, 1e-12);
  lbVec3 before = lb_tool_state(tool).position;
  assert_int_equal(lb_tool_tick(tool, lb_vec3(NAN, 0, 0), lb_quat_identity(), 0.001),
                   LB_STEP_REFUSED);
  assert_int_equal(lb_tool_tick(tool, before, lb_quat_identity(), 0), LB_STEP_REFUSED);
  assert_true(lb_tool_state(tool).position.x == before.x);
  lbTool *none = NULL;
  def.speed_limit = 0;
  check_fails(lb_tool_create(world, &def, &none, &err), LB_ERR_ARGUMENT, err, "speed_limit");
  def = lb_tool_def();
  def.shape.shape = LB_COLLIDER_PLANE;
  check_fails(lb_tool_create(world, &def, &none, &err), LB_ERR_ARGUMENT, err, "plane");
  lb_tool_destroy(tool);
  lb_tool_destroy(NULL);
  lb_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_tool_of_any_shape_feels_what_it_presses),
    cmocka_unit_test(a_coupled_tool_presses_at_any_stiffness),
    cmocka_unit_test(a_tool_keeps_to_its_limits),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
