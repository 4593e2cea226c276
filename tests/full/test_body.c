// The unreduced simulator as a body: the simulator's own steps, questions, states and materials.
#include "rig.h"

// ---- the simulator's own steps -----------------------------------------------------------------

static void compare_steps(const char *text, lbIntegrator integrator, double reuse, double pull) {
  Rig rig = rig_of(text);
  lbError err;
  lbBodyDef def = full_def();
  lbSimulatorDef own = lb_simulator_def();
  def.integrator = own.integrator = integrator;
  def.factor_reuse = own.factor_reuse = reuse;
  def.damping_mass = own.damping_mass = 0.5;
  def.damping_stiffness = own.damping_stiffness = 1e-3;
  own.step = 1.0 / 100;
  size_t bytes = 3 * (size_t)rig.model->size.node_count * sizeof(double);
  double *load = nodes_of(&rig), *u = nodes_of(&rig), *v = nodes_of(&rig);
  lbBody *body = body_of(&rig, &def);
  lbSimulator *simulator = NULL;
  fill_load(&rig, lb_vec3(0, 0, 0), load);
  check_ok(lb_simulator_create(rig.fem, &own, NULL, NULL, load, &simulator, &err), err);
  body_ok(body, lb_body_start(body, 0, NULL));
  for (int step = 0; step < 40; step++) {
    lbVec3 force = lb_vec3(0, pull * (step % 7), step < 20 ? -pull : 2 * pull);
    body_ok(body, lb_body_apply_force(body, lb_point_node(TIP), force));
    fill_load(&rig, force, load);
    int32_t flags = lb_simulator_step(simulator, load);
    assert_int_equal(lb_body_step(body, own.step), flags);
    lb_body_node_displacements(body, u);
    lb_body_node_velocities(body, v);
    assert_memory_equal(u, lb_simulator_displacement(simulator), bytes);
    assert_memory_equal(v, lb_simulator_velocity(simulator), bytes);
  }
  lbSimulatorState state = lb_simulator_state(simulator), counts = { 0 };
  lbBodyReport report = lb_body_report(body);
  lb_full_count(body, &counts);
  assert_int_equal(counts.newton_iterations, state.newton_iterations);
  assert_int_equal(counts.factor_count, state.factor_count);
  check_near(report.kinetic, state.kinetic, 1e-12 * state.kinetic);
  check_near(report.elastic, state.elastic, 1e-12 * state.elastic);
  check_near(report.linear_momentum.z, state.linear_momentum[2], 1e-12 * report.mass);
  check_near(report.angular_momentum.y, state.angular_momentum[1], 1e-12 * report.mass);
  check_near(report.centre.z, state.centre[2], 1e-14);
  lb_free(load), lb_free(u), lb_free(v);
  lb_simulator_destroy(simulator);
  lb_body_destroy(body);
  rig_release(&rig);
}

static void its_steps_are_the_simulators_to_the_bit(void **state) {
  (void)state;
  static const char *const texts[] = { SCENE("stvk", HELD), SCENE("corotated", HELD),
                                       SCENE("neohookean", HELD ",'mass':'lumped'") };
  for (size_t i = 0; i < 3; i++)
    for (int k = 0; k < 4; k++)
      compare_steps(texts[i], k & 1 ? LB_INTEGRATOR_EULER : LB_INTEGRATOR_NEWMARK, k & 2 ? 0.3 : 0,
                    k == 0 ? 200 : 3);
}

// ---- questions ---------------------------------------------------------------------------------

static void points_picks_and_surfaces_are_where_the_nodes_are(void **state) {
  (void)state;
  Rig rig = rig_of(SCENE("stvk", HELD));
  lbBodyDef def = full_def();
  def.position = lb_vec3(1, 2, 3);
  def.rotation = lb_quat(0.1, 0.2, 0.3, 1);
  lbBody *body = body_of(&rig, &def);
  size_t count = (size_t)rig.model->size.vertex_count, nodes = (size_t)rig.model->size.node_count;
  double *surface = lb_alloc(count, 3 * sizeof(double)), *u = nodes_of(&rig), *v = nodes_of(&rig);
  for (int step = 0; step < 10; step++) assert_int_equal(lb_body_step(body, 0.02), 0);
  lb_body_surface(body, surface);
  lb_body_node_displacements(body, u);
  lb_body_node_velocities(body, v);
  lbFrame frame = lb_body_frame(body);
  for (size_t n = 0; n < nodes; n++) {
    lbVec3 own = lb_add(lb_vec3_load(rig.model->node_positions + 3 * n), lb_vec3_load(u + 3 * n));
    lbVec3 x = lb_add(frame.position, lb_quat_rotate(frame.rotation, own));
    check_small(lb_length(lb_sub(x, where(body, (int32_t)n))), 1e-14);
  }
  lbVec3 a = lb_vec3_load(surface), outside = lb_vec3(20, 15, 12), way = lb_sub(a, outside);
  lbPick pick;
  bool hit = false;
  body_ok(body, lb_body_pick(body, outside, lb_scale(2, way), &pick, &hit));
  assert_true(hit);
  lbVec3 at;
  body_ok(body, lb_body_point(body, pick.point, &at, NULL));
  check_small(lb_length(lb_sub(at, pick.position)), 1e-12);
  assert_true(lb_body_reach(body) > 0.05);
  // The state is the nodes'; a state that is given comes back.
  for (size_t i = 0; i < 3 * nodes; i++) u[i] *= 0.5, v[i] *= 2;
  body_ok(body, lb_body_set_displacements(body, u, v));
  double *again = nodes_of(&rig);
  lb_body_node_displacements(body, again);
  assert_memory_equal(again, u, 3 * nodes * sizeof(double));
  lb_body_get_state(body, NULL, again);
  assert_memory_equal(again, v, 3 * nodes * sizeof(double));
  lb_free(surface), lb_free(u), lb_free(v), lb_free(again);
  lb_body_destroy(body);
  rig_release(&rig);
}

static void softness_is_that_of_mass_and_stiffness(void **state) {
  (void)state;
  Rig rig = rig_of(SCENE("stvk", HELD));
  size_t n = 3 * (size_t)rig.model->size.node_count;
  double *K = lb_alloc(n, n * sizeof(double)), *M = lb_alloc(n, n * sizeof(double));
  double compliance, mobility, expected[2] = { 0, 0 };
  lbBodyDef def = full_def();
  lbBody *body = body_of(&rig, &def);
  dense_of(&rig, K, M);
  for (size_t k = 0; k < 3; k++)
    for (int which = 0; which < 2; which++) {
      double *x = nodes_of(&rig);
      x[3 * TIP + k] = 1;
      dense_solve(&rig, which ? M : K, x);
      expected[which] += x[3 * TIP + k] / 3;
      lb_free(x);
    }
  body_ok(body, lb_body_softness(body, lb_point_node(TIP), &compliance, &mobility));
  check_near(compliance, expected[0], 1e-8 * expected[0]);
  check_near(mobility, expected[1], 1e-9 * expected[1]);
  lb_free(K), lb_free(M);
  lb_body_destroy(body);
  rig_release(&rig);
  // A free bar gives way where the held one does, a little more stiffly.
  rig = rig_of(SCENE("stvk", ""));
  body = body_of(&rig, &def);
  body_ok(body, lb_body_softness(body, lb_point_node(TIP), &compliance, &mobility));
  assert_true(compliance > 0.005 * expected[0] && compliance < expected[0]);
  lb_body_destroy(body);
  rig_release(&rig);
}

// Stretched by a twentieth in x, without waist: every law gives its own stress, the same
// everywhere.
static void stress_is_that_of_the_law(void **state) {
  (void)state;
  static const char *const laws[] = { SCENE("linear", ""), SCENE("stvk", ""),
                                      SCENE("corotated", "") };
  double mu = 2e5 / 2.6, lambda = 2e5 * 0.3 / (1.3 * 0.4), s = 0.05, E = s + s * s / 2;
  double stvk = ((lambda + 2 * mu) * E * (1 + s) * (1 + s) - lambda * E) / (1 + s);
  const double expected[] = { 2 * mu * s, stvk, NAN };
  for (int i = 0; i < 3; i++) {
    Rig rig = rig_of(laws[i]);
    lbBodyDef def = full_def();
    lbBody *body = body_of(&rig, &def);
    size_t nodes = (size_t)rig.model->size.node_count;
    double *u = nodes_of(&rig), *stress = nodes_of(&rig);
    for (size_t n = 0; n < nodes; n++) u[3 * n] = s * rig.model->node_positions[3 * n];
    body_ok(body, lb_body_set_displacements(body, u, NULL));
    lb_body_von_mises(body, stress);
    for (size_t n = 0; n < nodes; n++)
      check_near(stress[n], i < 2 ? expected[i] : stress[0], 1e-9 * stress[0]);
    assert_true(stress[0] > 5e3);
    lb_free(u), lb_free(stress);
    lb_body_destroy(body);
    rig_release(&rig);
  }
}

// ---- states and materials ----------------------------------------------------------------------

static void play(lbBody *body, int steps) {
  for (int i = 0; i < steps; i++) {
    body_ok(body, lb_body_apply_force(body, lb_point_node(TIP), lb_vec3(0, 1 + 0.1 * i, 2)));
    (void)lb_body_step(body, 1.0 / 60);
  }
}

static void a_restored_state_goes_on_to_the_bit(void **state) {
  (void)state;
  for (int k = 0; k < 12; k++) {
    bool free = k % 3 == 1, driven = k % 3 == 2, constrained = k >= 6;
    Rig rig = rig_of(free ? SCENE("stvk", DAMPED) : SCENE("stvk", HELD DAMPED));
    lbBodyDef def = full_def();
    def.factor_reuse = k / 3 % 2 ? 0.3 : 0;
    if (driven) def.frame = LB_FRAME_DRIVEN;
    lbBody *body = body_of(&rig, &def), *other = body_of(&rig, &def);
    lbVec3 rest = where(body, TIP);
    double target[3] = { rest.x, rest.y, rest.z + 0.05 };
    lbFrame frame = { .rotation = lb_quat(0, 0.2, 0, 1), .angular_velocity = lb_vec3(0, 0.5, 0) };
    if (constrained) (void)constrain(body, TIP, target, 300, 0.5);
    if (driven) body_ok(body, lb_body_set_frame(body, &frame));
    size_t bytes = lb_body_state_bytes(body);
    void *saved = lb_alloc(bytes, 1), *end = lb_alloc(bytes, 1), *now = lb_alloc(bytes, 1);
    play(body, 5);
    body_ok(body, lb_body_save_state(body, saved, bytes));
    play(body, 5);
    body_ok(body, lb_body_save_state(body, end, bytes));
    lbBody *bodies[] = { body, other }; // itself, and one that has done nothing
    for (int i = 0; i < 2; i++) {
      body_ok(bodies[i], lb_body_restore_state(bodies[i], saved, bytes));
      body_ok(bodies[i], lb_body_save_state(bodies[i], now, bytes));
      assert_memory_equal(now, saved, bytes);
      play(bodies[i], 5);
      body_ok(bodies[i], lb_body_save_state(bodies[i], now, bytes));
      assert_memory_equal(now, end, bytes);
    }
    lb_free(saved), lb_free(end), lb_free(now);
    lb_body_destroy(body), lb_body_destroy(other);
    rig_release(&rig);
  }
}

// Another material in motion: what a body of that material does from the same state.
static void another_material_is_another_body_in_the_same_motion(void **state) {
  (void)state;
  Rig rig = rig_of(SCENE("stvk", HELD));
  Rig hard =
      rig_of("{'limber':1,'gravity':[0,0,-9.81],'bodies':[{'name':'bar','method':'full'," LONG
             ",'material':{'model':'stvk','young':9e5,'poisson':0.2,'density':500}" HELD "}]}");
  lbBodyDef def = full_def();
  lbBody *body = body_of(&rig, &def), *other = body_of(&hard, &def);
  size_t nodes = (size_t)rig.model->size.node_count;
  double *u = nodes_of(&rig), *v = nodes_of(&rig);
  play(body, 10);
  lb_body_node_displacements(body, u);
  lb_body_node_velocities(body, v);
  body_ok(body, lb_body_set_material(body, 0, 9e5, 0.2, 500));
  body_ok(other, lb_body_set_displacements(other, u, v));
  check_near(lb_body_report(body).mass, lb_body_report(other).mass, 1e-12);
  check_near(lb_body_report(body).elastic, lb_body_report(other).elastic, 1e-9);
  play(body, 10), play(other, 10);
  lb_body_node_displacements(body, u);
  lb_body_node_displacements(other, v);
  for (size_t i = 0; i < 3 * nodes; i++) check_near(u[i], v[i], 1e-12);
  lb_free(u), lb_free(v);
  lb_body_destroy(body), lb_body_destroy(other);
  rig_release(&rig), rig_release(&hard);
}

static void without_the_build_side_there_is_no_such_body(void **state) {
  (void)state;
  Rig rig = rig_of(SCENE("stvk", HELD));
  lbBodyDef def = full_def();
  lbBody *body = NULL;
  lbError err;
  lb_body_register_method(LB_METHOD_FULL, NULL);
  check_fails(lb_body_create(rig.model, &def, &body, &err), LB_ERR_ARGUMENT, err, "recording");
  lb_full_register();
  def.mode_count = 3;
  check_fails(lb_body_create(rig.model, &def, &body, &err), LB_ERR_ARGUMENT, err, "mode_count");
  rig_release(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(its_steps_are_the_simulators_to_the_bit),
    cmocka_unit_test(points_picks_and_surfaces_are_where_the_nodes_are),
    cmocka_unit_test(softness_is_that_of_mass_and_stiffness),
    cmocka_unit_test(stress_is_that_of_the_law),
    cmocka_unit_test(a_restored_state_goes_on_to_the_bit),
    cmocka_unit_test(another_material_is_another_body_in_the_same_motion),
    cmocka_unit_test(without_the_build_side_there_is_no_such_body),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
