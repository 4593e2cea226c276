// Bodies with forces by cubature on the ground.
#include "contact_worlds.h"

static const char *const laws[] = { "stvk", "corotated", "neohookean", "stable_neohookean" };
enum { LAWS = sizeof laws / sizeof *laws };

static lbModel *rod_of(const char *law) {
  char keys[800];
  snprintf(keys, sizeof keys,
           "'mesh':{'generate':'bar','size':[0.6,0.04,0.04],'cells':[15,1,1]},"
           "'material':{'model':'%s','young':1e5,'poisson':0.4,'density':1000},"
           "'damping':{'mass':0.1,'stiffness':0.004},'method':'subspace',"
           "'reduce':{'modes':13,'dimension':24,'forces':'cubature'}",
           law);
  return body_model(keys);
}

static lbWorld *ground(void) {
  lbWorldSettings settings = lb_world_settings();
  settings.gravity = lb_vec3(0, 0, -9.81);
  settings.contact = true, settings.sleep = false;
  lbWorld *world = world_of(&settings);
  add_plane(world, lb_vec3(0, 0, 1));
  return world;
}

static lbBody *add_rod(lbWorld *world, const lbModel *model, lbVec3 position, lbQuat rotation,
                       int32_t iterations) {
  lbBodyDef def = lb_body_def();
  lbBodyId id = 0;
  lbError err;
  def.position = position, def.rotation = rotation;
  def.newton_iterations = iterations;
  check_ok(lb_world_add(world, model, &def, &id, &err), err);
  return lb_world_body(world, id);
}

static double lowest_vertex(const lbBody *body) {
  size_t count = 3 * (size_t)lb_body_model(body)->size.vertex_count;
  double *positions = malloc(count * sizeof *positions), low = INFINITY;
  lb_body_surface(body, positions);
  for (size_t i = 2; i < count; i += 3) low = fmin(low, positions[i]);
  free(positions);
  return low;
}

// A slender rod that hits the ground askew and bends far.
static void rods_that_land_askew_stay_above_the_ground(void **state) {
  (void)state;
  lbModel *model = rod_of("stable_neohookean");
  lbWorld *world = ground();
  lbVec3 position = lb_vec3(-0.24570461698953366, -0.03085907660209327, 0.671688551107209);
  lbQuat rotation = { 0.0672477927455203, 0.3362389637276015, 0, 0.9393727128473789 };
  lbBody *rod = add_rod(world, model, position, rotation, 20);
  double deepest = 0;
  for (int step = 0; step < 72; step++) {
    lb_world_step(world, 1.0 / 60);
    deepest = fmin(deepest, lowest_vertex(rod));
  }
  double height = lb_body_report(rod).centre.z;
  print_message("deepest %.4f m, at rest %.4f m high\n", deepest, height);
  assert_true(deepest > -0.02); // half its thickness
  assert_true(fabs(height - 0.02) < 2e-3);
  lb_world_destroy(world);
  lb_model_destroy(model);
}

// Every step of a body at rest converges by the rule that was asked for.
static void bodies_at_rest_converge(void **state) {
  (void)state;
  for (int law = 0; law < LAWS; law++) {
    lbModel *model = rod_of(laws[law]);
    for (int iterations = 1; iterations <= 20; iterations += 19) {
      lbWorld *world = ground();
      lbQuat tilt = lb_quat_from_axis_angle(lb_vec3(0, 1, 0), 0.03);
      lbBody *rod = add_rod(world, model, lb_vec3(0, 0, 0.03), tilt, iterations);
      for (int step = 0; step < 90; step++) lb_world_step(world, 1.0 / 60);
      for (int step = 0; step < 120; step++) {
        lb_world_step(world, 1.0 / 60);
        int32_t flags = lb_body_flags(rod);
        if (flags)
          fail_msg("%s, %d iterations, step %d: flags %x", laws[law], iterations, step,
                   (unsigned)flags);
      }
      assert_true(lb_body_report(rod).kinetic < 1e-6);
      assert_true(fabs(lb_body_report(rod).centre.z - 0.02) < 1e-3);
      lb_world_destroy(world);
    }
    lb_model_destroy(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(rods_that_land_askew_stay_above_the_ground),
    cmocka_unit_test(bodies_at_rest_converge),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
