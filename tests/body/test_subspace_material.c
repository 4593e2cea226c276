// Changing what a body is made of while it runs.
#include "toy_subspace.h"

static void swing(lbBody *body, int32_t node, int steps) {
  for (int step = 0; step < steps; step++) {
    body_ok(body, lb_body_apply_force(body, lb_point_node(node), lb_vec3(1, 4, -12)));
    assert_int_equal(lb_body_step(body, 2e-3), 0);
  }
}

static lbBodyDef exact_def(void) {
  lbBodyDef def = sub_body_def();
  def.gravity = lb_vec3(0, 1, -9.81);
  def.newton_iterations = 10;
  return def;
}

static void other_stiffness_is_as_a_model_built_with_it(void **state) {
  (void)state;
  SubDef sub_def = sub_bar();
  sub_def.editable = true;
  SubToy sub = sub_make(sub_def);
  sub_def.young[1] = 5e4, sub_def.poisson[1] = 0.42, sub_def.editable = false;
  sub_def.given = sub.basis;
  SubToy other = sub_make(sub_def);
  lbBodyDef def = exact_def();
  lbBody *body = sub_body(&sub, &def), *expected = sub_body(&other, &def);
  body_ok(body, lb_body_set_material(body, 1, 5e4, 0.42, 1000));
  swing(body, sub_tip(&sub), 200);
  swing(expected, sub_tip(&sub), 200);
  check_small(sub_difference(body, expected), 1e-8);
  check_near(sub_energy(body) / sub_energy(expected), 1, 1e-8);
  // And back: as if nothing had been.
  lbBody *untouched = sub_body(&sub, &def), *restored = sub_body(&sub, &def);
  body_ok(restored, lb_body_set_material(restored, 1, 5e4, 0.42, 700));
  body_ok(restored, lb_body_set_material(restored, 1, 4e5, 0.2, 1000));
  swing(untouched, sub_tip(&sub), 20);
  swing(restored, sub_tip(&sub), 20);
  double a[14], b[14];
  lb_body_get_state(untouched, a, NULL);
  lb_body_get_state(restored, b, NULL);
  assert_memory_equal(a, b, sizeof a);
  lb_body_destroy(body), lb_body_destroy(expected);
  lb_body_destroy(untouched), lb_body_destroy(restored);
  sub_destroy(&other);
  sub_destroy(&sub);
}

// With all degrees of freedom both describe the same body, though their bases differ.
static void other_densities_are_as_a_model_built_with_them(void **state) {
  (void)state;
  for (int integrator = 0; integrator < 2; integrator++) {
    SubDef sub_def = sub_whole();
    sub_def.editable = true;
    sub_def.damping_mass = 0.7, sub_def.damping_stiffness = 1e-3;
    SubToy sub = sub_make(sub_def);
    sub_def.density[0] = 1700, sub_def.density[1] = 400, sub_def.editable = false;
    SubToy other = sub_make(sub_def);
    lbBodyDef def = exact_def();
    def.integrator = (lbIntegrator)(2 * integrator);
    lbBody *body = sub_body(&sub, &def), *expected = sub_body(&other, &def);
    body_ok(body, lb_body_set_material(body, 0, 1e5, 0.3, 1700));
    body_ok(body, lb_body_set_material(body, 1, 4e5, 0.2, 400));
    lbPoint tip = lb_point_node(sub_tip(&sub));
    double h = integrator ? 0.3 * lb_body_stable_step(body) : 2e-3;
    if (integrator) check_near(lb_body_stable_step(body) / lb_body_stable_step(expected), 1, 0.02);
    for (int i = 0; i < 2; i++) {
      lbBody *one = i ? body : expected;
      body_ok(one, lb_body_apply_impulse(one, tip, lb_vec3(0.1, 0.2, -0.5)));
      if (integrator == 0)
        constrain(one, LB_CONSTRAIN_POSITION, 1, (lbPoint[]){ lb_point_node(sub_tip(&sub) - 1) },
                  NULL);
      for (int step = 0; step < 200; step++) {
        body_ok(one, lb_body_apply_force(one, tip, lb_vec3(1, 4, -12)));
        assert_int_equal(lb_body_step(one, h), 0);
      }
    }
    check_small(sub_difference(body, expected), 1e-8);
    lbBodyReport a = lb_body_report(body), b = lb_body_report(expected);
    check_near(a.kinetic / b.kinetic, 1, 1e-7);
    check_near(a.elastic / b.elastic, 1, 1e-7);
    check_small(toy_distance(a.centre, b.centre), 1e-9);
    check_small(toy_distance(a.linear_momentum, b.linear_momentum) / lb_length(b.linear_momentum),
                1e-7);
    check_small(
        toy_distance(a.angular_momentum, b.angular_momentum) / lb_length(b.angular_momentum), 1e-7);
    lb_body_destroy(body), lb_body_destroy(expected);
    sub_destroy(&other);
    sub_destroy(&sub);
  }
}

static void a_batch_changes_its_material_together(void **state) {
  (void)state;
  SubDef sub_def = sub_bar();
  sub_def.editable = true;
  SubToy sub = sub_make(sub_def);
  lbBatchDef def = lb_batch_def();
  lbBatch *batch = NULL;
  lbError err;
  def.count = 66, def.body = exact_def();
  check_ok(lb_batch_create(sub.model, &def, &batch, &err), err);
  lbBody *alone = sub_body(&sub, &def.body), *first = lb_batch_body(batch, 0);
  for (int step = 0; step < 20; step++) {
    if (step == 10) {
      check_ok(lb_batch_set_material(batch, 0, 3e5, 0.1, 1500, &err), err);
      body_ok(alone, lb_body_set_material(alone, 0, 3e5, 0.1, 1500));
      body_ok(first, lb_body_set_damping(first, 3, 1e-3));
      body_ok(alone, lb_body_set_damping(alone, 3, 1e-3));
    }
    lb_batch_step(batch, 2e-3);
    lb_body_step(alone, 2e-3);
  }
  double a[14], b[14];
  lb_body_get_state(lb_batch_body(batch, 65), a, NULL);
  lb_body_get_state(alone, b, NULL);
  assert_memory_equal(a, b, sizeof a);
  lb_body_destroy(alone);
  lb_batch_destroy(batch);
  sub_destroy(&sub);
}

static void damping_can_be_changed_in_every_method(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_bar());
  for (int kind = 0; kind < 2; kind++) {
    lbBodyDef def = exact_def();
    def.method = kind ? LB_METHOD_SUBSPACE : LB_METHOD_MODAL;
    lbBody *body = sub_body(&sub, &def);
    def.damping_mass = 7, def.damping_stiffness = 2e-3;
    lbBody *expected = sub_body(&sub, &def);
    lb_body_step(body, 2e-3);
    lb_body_step(expected, 2e-3);
    double q[14] = { 0 }, v[14] = { 0.1 }, a[14], b[14];
    body_ok(body, lb_body_set_damping(body, 7, 2e-3));
    for (int i = 0; i < 2; i++) body_ok(body, lb_body_set_state(i ? body : expected, q, v));
    swing(body, sub_tip(&sub), 20);
    swing(expected, sub_tip(&sub), 20);
    lb_body_get_state(body, a, NULL);
    lb_body_get_state(expected, b, NULL);
    assert_memory_equal(a, b, (size_t)lb_body_dimension(body) * sizeof *a);
    body_refuses(body, lb_body_set_damping(body, -1, 0), "damping");
    body_refuses(body, lb_body_set_damping(body, 0, NAN), "damping");
    lb_body_destroy(body), lb_body_destroy(expected);
  }
  sub_destroy(&sub);
}

static void changes_that_cannot_be_are_refused(void **state) {
  (void)state;
  SubDef sub_def = sub_bar();
  SubToy fixed = sub_make(sub_def);
  sub_def.editable = true;
  SubToy sub = sub_make(sub_def);
  lbBody *body = sub_body(&fixed, NULL);
  body_refuses(body, lb_body_set_material(body, 0, 1e5, 0.3, 1000), "--editable");
  lb_body_destroy(body);
  lbBodyDef def = lb_body_def();
  body = sub_body(&sub, &def);
  assert_int_equal(lb_body_method(body), LB_METHOD_SUBSPACE); // where nothing is said
  lb_body_destroy(body);
  def.method = LB_METHOD_MODAL;
  body = sub_body(&sub, &def);
  body_refuses(body, lb_body_set_material(body, 0, 1e5, 0.3, 1000), "modal");
  lb_body_destroy(body);
  body = sub_body(&sub, NULL);
  body_refuses(body, lb_body_set_material(body, 2, 1e5, 0.3, 1000), "number 2");
  body_refuses(body, lb_body_set_material(body, 0, 0, 0.3, 1000), "young 0");
  body_refuses(body, lb_body_set_material(body, 0, 1e5, 0.5, 1000), "poisson 0.5");
  body_refuses(body, lb_body_set_material(body, 0, 1e5, 0.3, NAN), "density");
  size_t bytes = lb_body_state_bytes(body);
  void *saved = malloc(bytes);
  lb_body_save_state(body, saved, lb_body_state_bytes(body));
  body_ok(body, lb_body_set_material(body, 0, 2e5, 0.3, 1000));
  body_refuses(body, lb_body_restore_state(body, saved, bytes), "another model");
  free(saved);
  lb_body_destroy(body);
  sub_destroy(&fixed);
  sub_destroy(&sub);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(other_stiffness_is_as_a_model_built_with_it),
    cmocka_unit_test(other_densities_are_as_a_model_built_with_them),
    cmocka_unit_test(a_batch_changes_its_material_together),
    cmocka_unit_test(damping_can_be_changed_in_every_method),
    cmocka_unit_test(changes_that_cannot_be_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
