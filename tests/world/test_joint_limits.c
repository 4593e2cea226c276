// Limits of joints: each has its own row, so that whichever is met the forces stay finite.
#include "rigid_bodies.h"

#define LIMIT 0.5 // rad

static const char *const methods[] = {
  "'method':'subspace','reduce':{'modes':8,'dimension':16}",
  "'method':'frames','frames':{'count':3,'samples':120}",
  "'method':'modal','reduce':{'modes':12}",
};
enum { METHODS = sizeof methods / sizeof *methods };

static lbModel *bar_model(const char *method, double young) {
  char keys[700];
  snprintf(keys, sizeof keys,
           "'mesh':{'generate':'bar','size':[0.4,0.08,0.08],'cells':[6,2,2],'element':'brick8'},"
           "'material':{'model':'stvk','young':%g,'poisson':0.3,'density':1000},%s,"
           "'damping':{'stiffness':0.002}",
           young, method);
  return body_model(keys);
}

static lbJointId add_joint(lbWorld *world, lbJointKind kind, lbBodyId a, lbBodyId b, lbVec3 place) {
  lbJointDef def = lb_joint_def();
  lbJointId id = 0;
  lbError err;
  def.kind = kind, def.bodies[0] = a, def.bodies[1] = b;
  def.places[0] = def.places[1] = place;
  def.axis = lb_vec3(0, 1, 0);
  def.limited = kind == LB_JOINT_HINGE, def.limits[0] = -LIMIT, def.limits[1] = LIMIT;
  check_ok(lb_world_add_joint(world, &def, &id, &err), err);
  return id;
}

// A bar that is welded to the world and one that hinges on its end, thrown from limit to limit.
static double worst_angle(const lbModel *model, double h, double spin) {
  lbWorld *world = rigid_world(lb_vec3(0, 0, -9.81), false, 0);
  lbBodyId a = add_block(world, model, lb_vec3(0, -0.04, 1));
  lbBodyId b = add_block(world, model, lb_vec3(0.4, -0.04, 1));
  lbJointReport report;
  lbError err;
  double worst = 0;
  add_joint(world, LB_JOINT_WELD, a, 0, lb_vec3(0, 0, 1.04));
  lbJointId hinge = add_joint(world, LB_JOINT_HINGE, b, a, lb_vec3(0.4, 0, 1.04));
  lb_body_set_velocity(lb_world_body(world, b), lb_vec3(0, 0, -0.2 * spin), lb_vec3(0, spin, 0));
  for (int step = 0; step * h < 1.5; step++) {
    assert_int_equal(lb_world_step(world, h) & (LB_STEP_NONFINITE | LB_STEP_REFUSED), 0);
    check_ok(lb_world_joint(world, hinge, &report, &err), err);
    assert_true(isfinite(report.position) && isfinite(lb_length(report.torque)));
    worst = fmax(worst, fabs(report.position));
  }
  lb_world_destroy(world);
  return worst;
}

static double worst_of(const char *method, double young) {
  const double rates[] = { 30, 60, 120, 240 }, spins[] = { 0, -4, 6 };
  lbModel *model = bar_model(method, young);
  double worst = 0;
  for (int r = 0; r < (CHECK_SANITIZED ? 2 : 4); r++)
    for (int s = CHECK_SANITIZED ? 2 : 0; s < 3; s++)
      worst = fmax(worst, worst_angle(model, 1 / rates[r], spins[s]));
  lb_model_destroy(model);
  print_message("%s, %g Pa: at most %.4f rad of %g\n", method, young, worst, LIMIT);
  return worst;
}

static void hinges_stay_finite_and_within_their_limits(void **state) {
  (void)state;
  for (int m = 0; m < METHODS; m++) {
    assert_true(worst_of(methods[m], 1e7) <= 1.05 * LIMIT);
    assert_true(isfinite(worst_of(methods[m], 1e6))); // so soft that it bends between its anchors
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(hinges_stay_finite_and_within_their_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
