// Warped bodies under rough treatment.
#include "warp_bodies.h"

// ---- rough treatment ---------------------------------------------------------------------------

static void inverted_and_flat_elements_recover(void **state) {
  (void)state;
  static const char *const forms[] = { "'rotation':'element'", "'rotation':'fit'" };
  for (int f = 0; f < 2; f++)
    for (int flat = 0; flat < 2; flat++) {
      char text[500];
      snprintf(text, sizeof text, SCENE(BEAM, ",'warp':{%s},'damping':{'mass':3}" HELD), forms[f]);
      lbModel *model = model_of(text);
      lbBodyDef def = euler();
      lbBody *body = body_of(model, &def);
      int32_t nodes = model->size.node_count;
      double *u = lb_alloc((size_t)nodes, 24);
      for (int32_t n = 0; n < nodes; n++) { // turned inside out along x, or flattened
        double x = model->node_positions[3 * n];
        u[3 * n] = x > 0 ? (flat ? -x : -1.7 * x) : 0;
      }
      body_ok(body, lb_body_set_displacements(body, u, NULL));
      assert_true(adapted_steps(body, 800, 0.02) < 20);
      lb_body_node_displacements(body, u);
      double worst = 0;
      for (int32_t i = 0; i < 3 * nodes; i++) worst = fmax(worst, fabs(u[i]));
      printf("  %s, %s: %.1e m from rest\n", forms[f], flat ? "flat" : "inside out", worst);
      if (f == 0) check_small(worst, 1e-4);
      assert_true(isfinite(worst));
      lb_free(u);
      lb_body_destroy(body), lb_model_destroy(model);
    }
}

static void held_points_are_where_they_are_told(void **state) {
  (void)state;
  static const char *const ends[] = { HELD, "" };
  for (int e = 0; e < 2; e++) {
    char text[500];
    snprintf(text, sizeof text, SCENE(BEAM, ",'warp':{'iterations':200},'damping':{'mass':2}%s"),
             ends[e]);
    lbModel *model = model_of(text);
    lbBodyDef def = euler();
    def.gravity = lb_vec3(0, 0, -9.81);
    lbBody *body = body_of(model, &def);
    lbVec3 target = lb_add(where(body, 5), lb_vec3(-0.1, 0.1, 0.2));
    hold(body, 5, target);
    steps(body, 600, 0.01);
    check_small(distance(where(body, 5), target), 1e-6);
    lbBodyReport report = lb_body_report(body);
    if (e == 1) { // hangs from it, at rest
      double force[3];
      body_ok(body, lb_body_constraint_force(body, 0, force));
      check_near(force[2], report.mass * 9.81, 1e-3 * report.mass * 9.81);
      check_small(report.centre.x - target.x, 0.02);
    }
    lb_body_destroy(body), lb_model_destroy(model);
  }
}

static void absurd_drags_and_steps_leave_a_body_that_comes_back(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE(BEAM, ",'damping':{'mass':3}" HELD));
  lbBodyDef def = euler();
  lbBody *body = body_of(model, &def);
  int32_t id = hold(body, 5, lb_vec3(1e6, -1e6, 1e6));
  for (int i = 0; i < 20; i++) lb_body_step(body, 0.02);
  assert_true(isfinite(lb_length(where(body, 5))));
  body_ok(body, lb_body_remove_constraint(body, id));
  assert_int_equal(lb_body_step(body, 0), LB_STEP_REFUSED);
  assert_int_equal(lb_body_step(body, NAN), LB_STEP_REFUSED);
  adapted_steps(body, 100, 60);
  adapted_steps(body, 1000, 0.05);
  double from_rest = distance(where(body, 5), lb_vec3_load(model->node_positions + 15));
  printf("  %.1e m from rest\n", from_rest);
  check_small(from_rest, 1e-3);
  lb_body_destroy(body), lb_model_destroy(model);
}

// A frame that jumps carries its body; nothing is felt.
static void a_frame_that_is_set_carries_the_body_along(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE(BEAM, HELD));
  lbBodyDef def = euler();
  def.frame = LB_FRAME_DRIVEN;
  lbBody *body = body_of(model, &def);
  lbFrame frame = {
    lb_vec3(5, 6, 7), lb_quat(0, 0, sqrt(0.5), sqrt(0.5)), { 0, 0, 0 }, { 0, 0, 0 }
  };
  steps(body, 3, 0.01);
  body_ok(body, lb_body_set_frame(body, &frame));
  steps(body, 3, 0.01);
  for (int32_t n = 0; n < model->size.node_count; n++) {
    lbVec3 rest = lb_quat_rotate(frame.rotation, lb_vec3_load(model->node_positions + 3 * n));
    check_small(distance(where(body, n), lb_add(frame.position, rest)), 1e-9);
  }
  lb_body_destroy(body), lb_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(inverted_and_flat_elements_recover),
    cmocka_unit_test(held_points_are_where_they_are_told),
    cmocka_unit_test(absurd_drags_and_steps_leave_a_body_that_comes_back),
    cmocka_unit_test(a_frame_that_is_set_carries_the_body_along),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
