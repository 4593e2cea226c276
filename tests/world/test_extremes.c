// Input that is legal and extreme: thin sheets, bodies inside one another, limits and motors. Steps
// end finite and within their substeps; energy does not grow beyond what there was; what was not
// solved is flagged.
#include "rigid_bodies.h"

#include "world/step_counts.h"

enum { METHODS = 5 };
static const char *const methods[METHODS] = {
  "'method':'subspace','reduce':{'modes':8,'dimension':16}",
  "'method':'modal','reduce':{'modes':12}",
  ("'method':'subspace','reduce':{'modes':8,'dimension':16,'forces':'cubature','elements':8,"
   "'poses':40}"),
  "'method':'warp'",
  "'method':'frames','frames':{'count':4,'samples':60}",
};
static const char *const names[METHODS] = { "subspace", "modal", "cubature", "warp", "frames" };
static const char *const cube = "'size':[0.2,0.2,0.2],'cells':[2,2,2]";
static const double h = 1.0 / 60;

static int failures; // of the test under way

static int method_count(void) { return CHECK_SANITIZED ? 2 : METHODS; }

static lbModel *model_of(int method, const char *shape, double young, double density) {
  char keys[800];
  snprintf(keys, sizeof keys,
           "'mesh':{'generate':'bar',%s,'element':'brick8'},'material':{'model':'stvk','young':%g,"
           "'poisson':0.3,'density':%g},%s,'damping':{'stiffness':0.002}",
           shape, young, density, methods[method]);
  return body_model(keys);
}

static lbWorld *ground_world(double gravity) {
  lbWorld *world = world_with(lb_vec3(0, 0, -gravity), 0.5);
  add_plane(world, lb_vec3(0, 0, 1));
  return world;
}

typedef struct Outcome {
  double start, greatest; // J: kinetic, elastic and of the weight above the ground
  double lowest;          // m, of a centre of mass
  int32_t flags;          // of all steps
  int64_t substeps;       // of bodies, in the worst step
} Outcome;

// Bodies that sink have no less energy than on the ground.
static double energy_above_ground(const lbWorld *world, double gravity, double *lowest) {
  double sum = 0;
  for (int32_t i = 0; i < lb_world_body_count(world); i++) {
    lbBodyReport r = lb_body_report(lb_world_body(world, lb_world_body_at(world, i)));
    if (!isfinite(r.kinetic + r.elastic + lb_length(r.centre))) return INFINITY;
    sum += r.kinetic + r.elastic + r.mass * gravity * fmax(r.centre.z, 0);
    *lowest = fmin(*lowest, r.centre.z);
  }
  return sum;
}

static Outcome play(lbWorld *world, double gravity, int steps) {
  Outcome o = { .lowest = INFINITY };
  o.start = energy_above_ground(world, gravity, &o.lowest);
  for (int i = 0; i < steps; i++) {
    o.flags |= lb_world_step(world, h);
    o.substeps = (int64_t)fmax((double)o.substeps, (double)lb_world_step_counts(world).substeps);
    o.greatest = fmax(o.greatest, energy_above_ground(world, gravity, &o.lowest));
  }
  lb_world_destroy(world);
  return o;
}

// `scale`: J, what the energy may be above that at the start.
static void check_outcome(const char *what, const char *name, Outcome o, double scale,
                          double lowest) {
  print_message(
      "%s, %s: %.3g J became %.3g J at most, lowest centre %.3g m, flags %x, %d substeps\n", what,
      name, o.start, o.greatest, o.lowest, (unsigned)o.flags, (int)o.substeps);
  bool holds = !(o.flags & LB_STEP_REFUSED) && o.greatest <= o.start + scale &&
               (o.lowest >= lowest || o.flags != 0) && o.substeps <= 48 * 4;
  if (!holds) print_message("    FAILS: energy may be %.3g J\n", o.start + scale);
  failures += !holds;
}

static int forget_failures(void **state) {
  (void)state;
  return failures = 0;
}

// ---- one body on the ground --------------------------------------------------------------------

// `thickness`: m; a centre more than a tenth of that below the ground is flagged.
static void check_on_ground(const char *what, const char *shape, double thickness, double young,
                            double density, double gravity, double speed) {
  for (int m = 0; m < method_count(); m++) {
    lbModel *model = model_of(m, shape, young, density);
    lbWorld *world = ground_world(gravity);
    lbBodyId id = add_block(world, model, lb_vec3(0, 0, 0.05));
    lb_body_set_velocity(lb_world_body(world, id), lb_vec3(0, 0, -speed), lb_vec3(0, 0, 0));
    double mass = lb_body_report(lb_world_body(world, id)).mass;
    Outcome o = play(world, gravity, 60);
    check_outcome(what, names[m], o, 0.05 * o.start + 0.1 * mass * gravity, -0.1 * thickness);
    lb_model_destroy(model);
  }
}

static void sheets(void **state) {
  (void)state;
  check_on_ground("sheet", "'size':[0.4,0.4,0.001],'cells':[4,4,1]", 0.001, 1e6, 1000, 9.81, 0);
  assert_int_equal(failures, 0);
}

// ---- several bodies ----------------------------------------------------------------------------

static void three_bodies_inside_one_another(void **state) {
  (void)state;
  for (int m = 0; m < method_count(); m++) {
    lbModel *model = model_of(m, cube, 1e5, 1000);
    lbWorld *world = ground_world(9.81);
    for (int i = 0; i < 3; i++) add_block(world, model, lb_vec3(0.02 * i, 0.01 * i, 0.01 * i));
    // Parting three blocks may lift each of them over the others.
    check_outcome("three in one", names[m], play(world, 9.81, 120), 3 * 8 * 9.81 * 0.6, -0.1);
    lb_model_destroy(model);
  }
  assert_int_equal(failures, 0);
}

// ---- free bodies -------------------------------------------------------------------------------

static void limits_and_motors(void **state) {
  (void)state;
  for (int m = 0; m < method_count(); m++)
    for (int slider = 0; slider < 2; slider++) {
      lbModel *model = model_of(m, "'size':[0.4,0.08,0.08],'cells':[6,2,2]", 1e6, 1000);
      lbWorld *world = rigid_world(lb_vec3(0, 0, -9.81), false, 0);
      lbBodyId a = add_block(world, model, lb_vec3(0, -0.04, 1));
      lbBodyId b = add_block(world, model, lb_vec3(0.4, -0.04, 1));
      lbJointDef def = lb_joint_def();
      lbJointId id;
      lbError err;
      def.kind = LB_JOINT_WELD, def.bodies[0] = a;
      def.places[0] = def.places[1] = lb_vec3(0, 0, 1.04);
      check_ok(lb_world_add_joint(world, &def, &id, &err), err);
      def.kind = slider ? LB_JOINT_SLIDER : LB_JOINT_HINGE;
      def.bodies[0] = b, def.bodies[1] = a;
      def.places[0] = def.places[1] = lb_vec3(0.4, 0, 1.04);
      def.axis = slider ? lb_vec3(1, 0, 0) : lb_vec3(0, 1, 0);
      def.limited = true, def.limits[0] = -0.1, def.limits[1] = 0.1;
      def.motor_speed = 5, def.motor_force = 50;
      check_ok(lb_world_add_joint(world, &def, &id, &err), err);
      double fall = 2 * 2.56 * 9.81 * 0.8, motor = 50 * 0.2;
      Outcome o = play(world, 9.81, 120);
      check_outcome(slider ? "slider" : "hinge", names[m], o, fall + motor, -INFINITY);
      lb_model_destroy(model);
    }
  assert_int_equal(failures, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(sheets, forget_failures),
    cmocka_unit_test_setup(three_bodies_inside_one_another, forget_failures),
    cmocka_unit_test_setup(limits_and_motors, forget_failures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
