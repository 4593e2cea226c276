// Subspace bodies against the full simulator, statics and theory.
#include "toy_subspace.h"

#include "method/subspace/subspace.h"

// ---- a full basis is the full body -------------------------------------------------------------

static double worst_against_full(double alpha, double beta, double force) {
  SubDef sub_def = sub_whole();
  sub_def.damping_mass = alpha, sub_def.damping_stiffness = beta;
  SubToy sub = sub_make(sub_def);
  lbBodyDef def = sub_body_def();
  def.newton_iterations = 20;
  lbBody *body = sub_body(&sub, &def);
  lbSimulatorDef simulator_def = lb_simulator_def();
  lbSimulator *simulator = NULL;
  lbError err;
  lbVec3 f = lb_vec3(0.2 * force, 0.3 * force, -force);
  double *load = tip_load(&sub, f), *u = zeros(sub.fem), worst = 0, most = 0;
  simulator_def.step = 2e-3;
  simulator_def.damping_mass = alpha, simulator_def.damping_stiffness = beta;
  simulator_def.newton_tolerance = 1e-12;
  check_ok(lb_simulator_create(sub.fem, &simulator_def, NULL, NULL, load, &simulator, &err), err);
  for (int step = 0; step < 150; step++) {
    if (step == 80) memset(load, 0, 3 * sizeof(double) * (size_t)sub.toy.mesh->vertex_count);
    if (step < 80) body_ok(body, lb_body_apply_force(body, lb_point_node(sub_tip(&sub)), f));
    assert_int_equal(lb_simulator_step(simulator, load) & ~LB_STEP_NOT_CONVERGED, 0);
    assert_int_equal(lb_body_step(body, 2e-3), 0);
    lb_body_node_displacements(body, u);
    worst = fmax(worst, largest_difference(sub.fem, u, lb_simulator_displacement(simulator)));
    most = fmax(most, largest(sub.fem, u));
  }
  print_message("largest displacement %.3g m of 0.4 m, difference %.2e\n", most, worst / most);
  assert_true(most > 0.04); // well beyond linear
  lb_simulator_destroy(simulator);
  free(load), free(u);
  lb_body_destroy(body);
  sub_destroy(&sub);
  return worst / most;
}

static void a_full_basis_moves_as_the_full_simulator_does(void **state) {
  (void)state;
  check_small(worst_against_full(0, 0, 40), 1e-8);
  check_small(worst_against_full(2, 5e-3, 60), 1e-8);
}

static void a_held_load_ends_in_the_static_solution(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_whole());
  lbBodyDef def = sub_body_def();
  def.damping_mass = 30, def.damping_stiffness = 1e-2;
  lbBody *body = sub_body(&sub, &def);
  lbStaticDef static_def = lb_static_def();
  lbStaticResult result;
  lbError err;
  lbVec3 f = lb_vec3(5, 10, -40);
  double *load = tip_load(&sub, f), *u = zeros(sub.fem), *v = zeros(sub.fem);
  check_ok(lb_fem_static(sub.fem, load, &static_def, u, &result, &err), err);
  for (int step = 0; step < 1500; step++) {
    body_ok(body, lb_body_apply_force(body, lb_point_node(sub_tip(&sub)), f));
    assert_int_equal(lb_body_step(body, 0.02), 0);
  }
  lb_body_node_displacements(body, v);
  check_small(largest_difference(sub.fem, u, v) / largest(sub.fem, u), 1e-8);
  assert_true(largest(sub.fem, u) > 0.03);
  free(load), free(u), free(v);
  lb_body_destroy(body);
  sub_destroy(&sub);
}

// What Newton's method is given is symmetric and the derivative of the force.
static void the_stiffness_in_use_is_symmetric_and_the_derivative_of_the_force(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_bar());
  lbBody *body = sub_body(&sub, NULL);
  int32_t r = lb_body_dimension(body);
  lbScratch *scratch = lb_scratch_borrow(body->prepared);
  size_t n = (size_t)lb_subspace_of(body->prepared)->stride;
  double q[16] = { 0 }, d[16] = { 0 }, ends[2][16], K[256], product[16], worst = 0, most = 0;
  uint64_t seed = 4;
  for (int32_t i = 0; i < r; i++) q[i] = 0.1 * check_random(&seed), d[i] = check_random(&seed);
  memcpy(K, lb_subspace_evaluate(body, q, scratch)->K, n * n * sizeof(double));
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) assert_true(K[i * n + j] == K[j * n + i]);
  for (int end = 0; end < 2; end++) {
    double moved[16];
    for (int32_t i = 0; i < r; i++) moved[i] = q[i] + (end ? 1e-5 : -1e-5) * d[i];
    memcpy(ends[end], lb_subspace_evaluate(body, moved, scratch)->R, (size_t)r * sizeof(double));
  }
  lb_subspace_multiply(lb_subspace_of(body->prepared), K, d, product);
  for (int32_t i = 0; i < r; i++) {
    worst = fmax(worst, fabs((ends[1][i] - ends[0][i]) / 2e-5 - product[i]));
    most = fmax(most, fabs(product[i]));
  }
  check_small(worst / most, 1e-8);
  lb_scratch_return(body->prepared, scratch);
  lb_body_destroy(body);
  sub_destroy(&sub);
}

// ---- energy ------------------------------------------------------------------------------------

static void energy_is_kept_without_damping(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_bar());
  for (int integrator = 0; integrator < 2; integrator++) {
    lbBodyDef def = sub_body_def();
    def.integrator = (lbIntegrator)(2 * integrator);
    def.damping_mass = def.damping_stiffness = 0;
    def.newton_iterations = 4;
    lbBody *body = sub_body(&sub, &def);
    double h = integrator == LB_INTEGRATOR_CENTRAL ? 0.2 * lb_body_stable_step(body) : 1e-3;
    body_ok(body, lb_body_set_velocity(body, lb_vec3(0, 2, 6), lb_vec3(0, 0, 0)));
    double before = sub_energy(body), low = INFINITY, high = 0;
    for (int step = 0; step < 4000; step++) {
      assert_int_equal(lb_body_step(body, h) & ~LB_STEP_NOT_CONVERGED, 0);
      double now = sub_energy(body) / before;
      low = fmin(low, now), high = fmax(high, now);
    }
    print_message("energy from %.4f to %.4f of the first, h = %.2g\n", low, high, h);
    check_small(high - 1, 0.03);
    check_small(low - 1, 0.03);
    lb_body_destroy(body);
  }
  sub_destroy(&sub);
}

static void central_differences_agree_with_newmark_in_small_steps(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_bar());
  for (int damped = 0; damped < 2; damped++) {
    lbBodyDef def = sub_body_def();
    def.damping_stiffness = damped ? 1e-3 : 0;
    def.newton_iterations = 5;
    lbBody *newmark = sub_body(&sub, &def);
    def.integrator = LB_INTEGRATOR_CENTRAL;
    lbBody *central = sub_body(&sub, &def);
    double h = lb_body_stable_step(central) / 40;
    assert_true(isinf(lb_body_stable_step(newmark)));
    for (int step = 0; step < 4000; step++) {
      lbPoint tip = lb_point_node(sub_tip(&sub));
      body_ok(newmark, lb_body_apply_force(newmark, tip, lb_vec3(0, 5, -20)));
      body_ok(central, lb_body_apply_force(central, tip, lb_vec3(0, 5, -20)));
      lb_body_step(newmark, h);
      assert_int_equal(lb_body_step(central, h), 0);
    }
    check_small(sub_difference(central, newmark), 2e-3);
    lb_body_destroy(newmark);
    lb_body_destroy(central);
  }
  sub_destroy(&sub);
}

static void one_newton_iteration_is_nearly_as_good_as_many(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_bar());
  lbBodyDef def = sub_body_def();
  lbBody *one = sub_body(&sub, &def);
  def.newton_iterations = 10;
  lbBody *many = sub_body(&sub, &def);
  for (int step = 0; step < 500; step++) {
    lbPoint tip = lb_point_node(sub_tip(&sub));
    body_ok(one, lb_body_apply_force(one, tip, lb_vec3(0, 5, -15)));
    body_ok(many, lb_body_apply_force(many, tip, lb_vec3(0, 5, -15)));
    lb_body_step(one, 1e-3);
    lb_body_step(many, 1e-3);
  }
  check_small(sub_difference(one, many), 0.02);
  lb_body_destroy(one);
  lb_body_destroy(many);
  sub_destroy(&sub);
}

// ---- which vectors -----------------------------------------------------------------------------

static void swing(lbBody *body, int32_t node, int steps) {
  for (int step = 0; step < steps; step++) {
    body_ok(body, lb_body_apply_force(body, lb_point_node(node), lb_vec3(1, 4, -12)));
    lb_body_step(body, 2e-3);
  }
}

static void some_vectors_are_as_a_model_built_with_them(void **state) {
  (void)state;
  for (int editable = 0; editable < 2; editable++) {
    SubDef sub_def = sub_bar();
    sub_def.editable = editable;
    SubToy sub = sub_make(sub_def);
    const int32_t kept[6] = { 7, 0, 3, 1, 13, 2 };
    size_t rows = 3 * (size_t)sub.toy.mesh->vertex_count;
    double *vectors = malloc(6 * rows * sizeof(double)), values[6] = { 6, 5, 4, 3, 2, 1 };
    for (size_t i = 0; i < 6; i++)
      memcpy(vectors + rows * i, sub.basis->vectors + rows * (size_t)kept[i],
             rows * sizeof(double));
    lbBasis basis = { .vertex_count = sub.toy.mesh->vertex_count,
                      .dimension = 6,
                      .vectors = vectors,
                      .values = values };
    sub_def.given = &basis;
    SubToy few = sub_make(sub_def);
    lbBodyDef def = sub_body_def();
    def.gravity = lb_vec3(0, 0, -9.81);
    lbBody *expected = sub_body(&few, &def);
    def.kept = kept, def.kept_count = 6;
    lbBody *body = sub_body(&sub, &def);
    assert_int_equal(lb_body_dimension(body), 6);
    swing(body, sub_tip(&sub), 200);
    swing(expected, sub_tip(&sub), 200);
    check_small(sub_difference(body, expected), 1e-9);
    def.kept = NULL, def.kept_count = 0, def.mode_count = 5;
    lbBody *first = sub_body(&sub, &def);
    const int32_t five[5] = { 0, 1, 2, 3, 4 };
    def.mode_count = 0, def.kept = five, def.kept_count = 5;
    lbBody *listed = sub_body(&sub, &def);
    swing(first, sub_tip(&sub), 100);
    swing(listed, sub_tip(&sub), 100);
    double a[5], b[5];
    lb_body_get_state(first, a, NULL);
    lb_body_get_state(listed, b, NULL);
    assert_memory_equal(a, b, sizeof a);
    lb_body_destroy(body), lb_body_destroy(expected);
    lb_body_destroy(first), lb_body_destroy(listed);
    free(vectors);
    sub_destroy(&few);
    sub_destroy(&sub);
  }
}

static void some_modes_can_be_kept_too(void **state) {
  (void)state;
  Toy toy = toy_whole();
  const int32_t kept[3] = { 4, 0, 2 };
  lbBodyDef def = lb_body_def();
  lbBody *all = toy_body(&toy, &def);
  def.kept = kept, def.kept_count = 3;
  lbBody *some = toy_body(&toy, &def);
  double q[24], few[3];
  swing(all, 5, 50);
  swing(some, 5, 50);
  lb_body_get_state(all, q, NULL);
  lb_body_get_state(some, few, NULL);
  for (int i = 0; i < 3; i++) check_near(few[i], q[kept[i]], 1e-15);
  lbBody *none = NULL;
  lbError err;
  const int32_t twice[2] = { 1, 1 }, far[1] = { 24 };
  def.kept = twice, def.kept_count = 2;
  check_fails(lb_body_create(toy.model, &def, &none, &err), LB_ERR_ARGUMENT, err, "twice");
  def.kept = far, def.kept_count = 1;
  check_fails(lb_body_create(toy.model, &def, &none, &err), LB_ERR_ARGUMENT, err, "24");
  def.mode_count = 1;
  def.kept = kept;
  check_fails(lb_body_create(toy.model, &def, &none, &err), LB_ERR_ARGUMENT, err, "both");
  lb_body_destroy(all);
  lb_body_destroy(some);
  toy_destroy(&toy);
}

// ---- state, batches, memory --------------------------------------------------------------------

static void a_restored_body_goes_on_to_the_last_bit(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_bar());
  for (int integrator = 0; integrator < 2; integrator++) {
    lbBodyDef def = sub_body_def();
    def.integrator = (lbIntegrator)(2 * integrator);
    double h = integrator ? 1e-4 : 2e-3;
    lbBody *body = sub_body(&sub, &def), *other = sub_body(&sub, &def);
    lbPoint points[2];
    double targets[6];
    pick_points(body, 2, points, targets, 3);
    constrain(body, LB_CONSTRAIN_POSITION, 1, points, targets);
    lbConstraintDef spring = lb_constraint_def();
    spring.point_count = 1, spring.points = points + 1, spring.targets = targets + 3;
    spring.stiffness = 500, spring.damping = 1;
    int32_t id;
    body_ok(body, lb_body_add_constraint(body, &spring, &id));
    for (int i = 0; i < 20; i++) lb_body_step(body, h);
    body_ok(body, lb_body_apply_force(body, lb_point_node(sub_tip(&sub)), lb_vec3(0, 1, -3)));
    size_t bytes = lb_body_state_bytes(body);
    void *saved = malloc(bytes);
    lb_body_save_state(body, saved, lb_body_state_bytes(body));
    body_ok(other, lb_body_restore_state(other, saved, bytes));
    double a[2][14], b[2][14], force[2][3];
    for (int i = 0; i < 20; i++) {
      if (i) {
        lb_body_step(body, h);
        lb_body_step(other, h);
      }
      lb_body_get_state(body, a[0], a[1]);
      lb_body_get_state(other, b[0], b[1]);
      assert_memory_equal(a, b, sizeof a);
      body_ok(body, lb_body_constraint_force(body, id, force[0]));
      body_ok(other, lb_body_constraint_force(other, id, force[1]));
      assert_memory_equal(force[0], force[1], sizeof force[0]);
    }
    assert_true(fabs(force[0][2]) > 0);
    free(saved);
    lb_body_destroy(body), lb_body_destroy(other);
  }
  sub_destroy(&sub);
}

static void bodies_of_a_batch_move_as_they_do_alone(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_bar());
  lbBatchDef def = lb_batch_def();
  lbBatch *batch = NULL;
  lbError err;
  def.count = 70;
  def.body = sub_body_def();
  def.body.gravity = lb_vec3(0, 1, -9.81);
  def.body.constrained_points = 2;
  check_ok(lb_batch_create(sub.model, &def, &batch, &err), err);
  lbBody *alone[3];
  const int32_t which[3] = { 0, 63, 69 };
  for (int i = 0; i < 3; i++) {
    alone[i] = sub_body(&sub, &def.body);
    for (int k = 0; k < 2; k++) {
      lbBody *body = k ? alone[i] : lb_batch_body(batch, which[i]);
      body_ok(body, lb_body_set_velocity(body, lb_vec3(0, 0.1 * i, 0.3), lb_vec3(0, 0, 0)));
      lbPoint tip = lb_point_node(sub_tip(&sub));
      if (i == 1) constrain(body, LB_CONSTRAIN_POSITION, 1, &tip, NULL);
    }
  }
  for (int step = 0; step < 30; step++) {
    if (step % 7 == 3)
      for (int32_t i = 0; i < def.count; i++) lb_body_step(lb_batch_body(batch, i), 2e-3);
    else
      assert_int_equal(lb_batch_step(batch, 2e-3), 0);
    for (int i = 0; i < 3; i++) lb_body_step(alone[i], 2e-3);
  }
  for (int i = 0; i < 3; i++) {
    double a[2][14], b[2][14];
    lb_body_get_state(lb_batch_body(batch, which[i]), a[0], a[1]);
    lb_body_get_state(alone[i], b[0], b[1]);
    assert_memory_equal(a, b, sizeof a);
    assert_true(lb_body_time(alone[i]) == lb_body_time(lb_batch_body(batch, which[i])));
    lb_body_destroy(alone[i]);
  }
  lb_batch_destroy(batch);
  sub_destroy(&sub);
}

static void no_step_allocates_and_creation_survives_failing_allocations(void **state) {
  (void)state;
  SubDef sub_def = sub_bar();
  sub_def.editable = true;
  SubToy sub = sub_make(sub_def);
  const int32_t kept[5] = { 4, 3, 2, 1, 0 };
  lbBodyDef def = sub_body_def();
  def.kept = kept, def.kept_count = 5;
  CheckedHeap heap = { .fail_at = 0 };
  lbAllocator allocator = checked_allocator(&heap);
  lb_set_allocator(&allocator);
  lbBody *body = NULL;
  for (int n = 0; !body; n++) {
    lbError err;
    heap.count = 0, heap.fail_at = n;
    lbStatus status = lb_body_create(sub.model, &def, &body, &err);
    assert_true(status == LB_OK || (status == LB_ERR_MEMORY && heap.live == 0));
  }
  heap.fail_at = -1;
  lbPoint tip = lb_point_node(sub_tip(&sub));
  constrain(body, LB_CONSTRAIN_POSITION, 1, &tip, NULL);
  body_ok(body, lb_body_set_material(body, 1, 2e5, 0.4, 500));
  int64_t before = heap.count;
  for (int i = 0; i < 10; i++) lb_body_step(body, 0.01);
  lb_body_report(body);
  assert_int_equal(heap.count, before);
  lb_body_destroy(body);
  assert_int_equal(heap.live, 0);
  lb_set_allocator(NULL);
  sub_destroy(&sub);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_full_basis_moves_as_the_full_simulator_does),
    cmocka_unit_test(a_held_load_ends_in_the_static_solution),
    cmocka_unit_test(the_stiffness_in_use_is_symmetric_and_the_derivative_of_the_force),
    cmocka_unit_test(energy_is_kept_without_damping),
    cmocka_unit_test(central_differences_agree_with_newmark_in_small_steps),
    cmocka_unit_test(one_newton_iteration_is_nearly_as_good_as_many),
    cmocka_unit_test(some_vectors_are_as_a_model_built_with_them),
    cmocka_unit_test(some_modes_can_be_kept_too),
    cmocka_unit_test(a_restored_body_goes_on_to_the_last_bit),
    cmocka_unit_test(bodies_of_a_batch_move_as_they_do_alone),
    cmocka_unit_test(no_step_allocates_and_creation_survives_failing_allocations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
