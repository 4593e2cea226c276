// Springs on the unreduced simulator: they pull as a spring pulls, at any stiffness, and count in
// Newton's method.
#include "fem_problems.h"

typedef struct Bar {
  lbMesh *mesh;
  bool *fixed;
  lbFem *fem;
  double *load; // zeros
} Bar;

static Bar make_bar(lbElementKind kind, bool held) {
  Bar bar = { .mesh = box_mesh(kind, 4, 1, 1, 1, 0.2, 0.2) };
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  lbFemDef def = lb_fem_def();
  lbError err;
  bar.fixed = side(bar.mesh, 0, 0);
  def.materials = &material;
  def.material_count = 1;
  def.fixed = held ? bar.fixed : NULL;
  check_ok(lb_fem_create(bar.mesh, &def, &bar.fem, &err), err);
  bar.load = calloc(3 * (size_t)bar.mesh->vertex_count, sizeof(double));
  return bar;
}

static void free_bar(Bar *bar) {
  lb_fem_destroy(bar->fem);
  lb_mesh_destroy(bar->mesh);
  free(bar->fixed);
  free(bar->load);
}

static lbSimulator *simulate(const Bar *bar, double step, double damping) {
  lbSimulatorDef def = lb_simulator_def();
  lbSimulator *simulator;
  lbError err;
  def.step = step;
  def.damping_mass = damping;
  check_ok(lb_simulator_create(bar->fem, &def, NULL, NULL, NULL, &simulator, &err), err);
  return simulator;
}

static int32_t corner(const lbMesh *mesh, double x, double y, double z) {
  for (int32_t v = 0; v < mesh->vertex_count; v++) {
    const double *p = mesh->positions + 3 * (size_t)v;
    if (fabs(p[0] - x) + fabs(p[1] - y) + fabs(p[2] - z) < 1e-9) return v;
  }
  return -1;
}

// The end of the bar as one point: four vertices.
static lbSpring end_spring(const lbMesh *mesh, double stiffness, double damping) {
  lbSpring spring = { .count = 4, .stiffness = stiffness, .damping = damping };
  for (int i = 0; i < 4; i++) {
    spring.vertices[i] = corner(mesh, 1, i % 2 ? 0.2 : 0, i / 2 ? 0.2 : 0);
    assert_true(spring.vertices[i] >= 0);
    spring.weights[i] = 0.25;
  }
  spring.target[0] = 1, spring.target[1] = 0.1, spring.target[2] = 0.3;
  return spring;
}

static void spring_point(const lbSimulator *simulator, const lbMesh *mesh, const lbSpring *spring,
                         double x[3]) {
  const double *u = lb_simulator_displacement(simulator);
  x[0] = x[1] = x[2] = 0;
  for (int32_t a = 0; a < spring->count; a++)
    for (size_t i = 0; i < 3; i++) {
      size_t k = 3 * (size_t)spring->vertices[a] + i;
      x[i] += spring->weights[a] * (mesh->positions[k] + u[k]);
    }
}

// At rest the spring's force is the static load for the shape.
static void at_rest_the_spring_holds_what_the_body_pulls(void **state) {
  (void)state;
  Bar bar = make_bar(LB_ELEMENT_BRICK8, true);
  lbSimulator *simulator = simulate(&bar, 0.05, 8);
  lbSpring spring = end_spring(bar.mesh, 40, 5);
  lbError err;
  double force[3], x[3];
  check_ok(lb_simulator_set_springs(simulator, &spring, 1, &err), err);
  for (int i = 0; i < 400; i++) assert_int_equal(lb_simulator_step(simulator, bar.load), 0);
  lb_simulator_spring_force(simulator, 0, force);
  spring_point(simulator, bar.mesh, &spring, x);
  for (int i = 0; i < 3; i++) check_near(force[i], 40 * (spring.target[i] - x[i]), 1e-6 * 40);
  assert_true(force[2] > 0.01 && x[2] > 0.11); // it bends, and the spring is stretched
  size_t values = 3 * (size_t)bar.mesh->vertex_count;
  double *u = calloc(values, sizeof(double));
  for (int32_t a = 0; a < spring.count; a++)
    for (size_t i = 0; i < 3; i++) bar.load[3 * (size_t)spring.vertices[a] + i] = 0.25 * force[i];
  lbStaticDef def = lb_static_def();
  lbStaticResult result;
  check_ok(lb_fem_static(bar.fem, bar.load, &def, u, &result, &err), err);
  const double *moved = lb_simulator_displacement(simulator);
  for (size_t i = 0; i < values; i++) check_near(moved[i], u[i], 1e-6);
  free(u);
  lb_simulator_destroy(simulator);
  free_bar(&bar);
}

static void a_very_stiff_spring_brings_the_point_to_its_target(void **state) {
  (void)state;
  Bar bar = make_bar(LB_ELEMENT_TET4, true);
  lbSimulator *simulator = simulate(&bar, 0.01, 2);
  lbSpring spring = end_spring(bar.mesh, 1e9, 1e3);
  lbError err;
  double x[3];
  for (int i = 1; i <= 40; i++) {
    spring.target[2] = 0.1 + 0.2 * i / 40;
    check_ok(lb_simulator_set_springs(simulator, &spring, 1, &err), err);
    assert_int_equal(lb_simulator_step(simulator, bar.load) & LB_STEP_NONFINITE, 0);
  }
  spring_point(simulator, bar.mesh, &spring, x);
  check_near(x[2], 0.3, 1e-4);
  lb_simulator_destroy(simulator);
  free_bar(&bar);
}

// A free body on a spring at its middle: m x'' = -k x, x = x0 cos(w t), damped by b.
static void a_free_body_on_a_spring_is_an_oscillator(void **state) {
  (void)state;
  Bar bar = make_bar(LB_ELEMENT_BRICK8, false);
  lbSimulator *simulator = simulate(&bar, 0.05, 0);
  double mass = lb_fem_total_mass(bar.fem), k = mass * 0.04, b = mass * 0.04;
  lbSpring spring = { .count = 4, .stiffness = k, .damping = b };
  lbError err;
  for (int i = 0; i < 4; i++) { // the middle ring: no pair of opposite corners need be in one tet
    spring.vertices[i] = corner(bar.mesh, 0.5, i % 2 ? 0.2 : 0, i / 2 ? 0.2 : 0);
    spring.weights[i] = 0.25;
  }
  spring.target[0] = 0.5, spring.target[1] = 0.1, spring.target[2] = 0.11;
  check_ok(lb_simulator_set_springs(simulator, &spring, 1, &err), err);
  check_ok(lb_simulator_set_motion(simulator, NULL, NULL, bar.load, &err), err); // pulled from 0 on
  // x'' + 0.04 x' + 0.04 x = 0 from -0.01: decay 0.02, frequency sqrt(0.04 - 0.0004)
  for (int i = 0; i < 100; i++) assert_int_equal(lb_simulator_step(simulator, bar.load), 0);
  double w = sqrt(0.04 - 0.0004), t = 5;
  double x = -0.01 * exp(-0.02 * t) * (cos(w * t) + 0.02 / w * sin(w * t));
  lbSimulatorState now = lb_simulator_state(simulator);
  check_near(now.centre[2], 0.11 + x, 1e-5);
  lb_simulator_destroy(simulator);
  free_bar(&bar);
}

static void vertices_far_apart_may_share_a_spring(void **state) {
  (void)state;
  Bar bar = make_bar(LB_ELEMENT_TET4, true);
  lbSimulator *simulator = simulate(&bar, 0.02, 4);
  lbSpring spring = { .count = 3, .weights = { 0.5, 0.25, 0.25 }, .stiffness = 5000, .damping = 1 };
  lbError err;
  double x[3];
  spring.vertices[0] = corner(bar.mesh, 1, 0, 0);
  spring.vertices[1] = corner(bar.mesh, 0.5, 0.2, 0.2);
  spring.vertices[2] = corner(bar.mesh, 0, 0, 0); // a fixed one
  spring.target[0] = 0.6, spring.target[1] = 0.05, spring.target[2] = 0.2;
  check_ok(lb_simulator_set_springs(simulator, &spring, 1, &err), err);
  for (int i = 0; i < 200; i++) assert_int_equal(lb_simulator_step(simulator, bar.load), 0);
  spring_point(simulator, bar.mesh, &spring, x);
  assert_true(x[2] > 0.15);
  lb_simulator_destroy(simulator);
  free_bar(&bar);
}

static void motion_and_step_length_can_be_changed(void **state) {
  (void)state;
  Bar bar = make_bar(LB_ELEMENT_BRICK8, true);
  lbSimulator *a = simulate(&bar, 0.004, 0), *b = simulate(&bar, 0.004, 0);
  lbError err;
  size_t values = 3 * (size_t)bar.mesh->vertex_count;
  for (size_t i = 2; i < values; i += 3) bar.load[i] = -0.05;
  for (int i = 0; i < 30; i++) lb_simulator_step(a, bar.load);
  check_ok(lb_simulator_set_motion(b, lb_simulator_displacement(a), lb_simulator_velocity(a),
                                   bar.load, &err),
           err);
  for (int i = 0; i < 30; i++) {
    lb_simulator_step(a, bar.load);
    lb_simulator_step(b, bar.load);
  }
  for (size_t i = 0; i < values; i++)
    check_near(lb_simulator_displacement(b)[i], lb_simulator_displacement(a)[i], 1e-8);
  check_near(lb_simulator_time(a), 0.24, 1e-12);
  check_ok(lb_simulator_set_step(a, 0.01, &err), err);
  lb_simulator_step(a, bar.load);
  check_near(lb_simulator_time(a), 0.25, 1e-12);
  check_fails(lb_simulator_set_step(a, -1, &err), LB_ERR_ARGUMENT, err, "time step is -1");
  double *bad = calloc(values, sizeof(double));
  bad[4] = NAN;
  check_fails(lb_simulator_set_motion(a, bad, NULL, NULL, &err), LB_ERR_ARGUMENT, err, "nan");
  free(bad);
  lb_simulator_destroy(a);
  lb_simulator_destroy(b);
  free_bar(&bar);
}

static void senseless_springs_are_refused(void **state) {
  (void)state;
  Bar bar = make_bar(LB_ELEMENT_BRICK8, true);
  lbSimulator *simulator = simulate(&bar, 0.01, 0);
  lbError err;
  double force[3] = { 1, 1, 1 };
  lbSpring spring = end_spring(bar.mesh, 40, 5);
  spring.vertices[2] = 1000;
  check_fails(lb_simulator_set_springs(simulator, &spring, 1, &err), LB_ERR_ARGUMENT, err,
              "vertex 1000");
  spring = end_spring(bar.mesh, -1, 0);
  check_fails(lb_simulator_set_springs(simulator, &spring, 1, &err), LB_ERR_ARGUMENT, err,
              "stiffness -1");
  spring = end_spring(bar.mesh, 1, 0);
  spring.target[1] = NAN;
  check_fails(lb_simulator_set_springs(simulator, &spring, 1, &err), LB_ERR_ARGUMENT, err,
              "targets");
  spring.count = 0;
  check_fails(lb_simulator_set_springs(simulator, &spring, 1, &err), LB_ERR_ARGUMENT, err,
              "0 vertices");
  lb_simulator_spring_force(simulator, 0, force);
  assert_true(force[0] == 0 && force[1] == 0 && force[2] == 0);
  check_ok(lb_simulator_set_springs(simulator, NULL, 0, &err), err);
  lb_simulator_destroy(simulator);
  free_bar(&bar);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(at_rest_the_spring_holds_what_the_body_pulls),
    cmocka_unit_test(a_very_stiff_spring_brings_the_point_to_its_target),
    cmocka_unit_test(a_free_body_on_a_spring_is_an_oscillator),
    cmocka_unit_test(vertices_far_apart_may_share_a_spring),
    cmocka_unit_test(motion_and_step_length_can_be_changed),
    cmocka_unit_test(senseless_springs_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
