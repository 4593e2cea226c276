// The coupling between device and body: inside the body's step, at any stiffness, on free bodies
// too.
#include "felt_bar.h"

static const double tick_s = 1e-3;

static lbHaptics *make_haptics(lbBody *body, lbHapticsDef def) {
  lbHaptics *haptics = NULL;
  lbError err;
  check_ok(lb_haptics_create(body, &def, &haptics, &err), err);
  return haptics;
}

static void put(lbHaptics *haptics, lbVec3 at, bool button) {
  assert_int_equal(lb_haptics_set_device(haptics, at, lb_vec3(0, 0, 0), button), LB_OK);
}

static int32_t run(lbHaptics *haptics, int32_t ticks) {
  int32_t flags = 0;
  for (int32_t i = 0; i < ticks; i++) flags |= lb_haptics_tick(haptics, tick_s);
  return flags & (LB_STEP_NONFINITE | LB_STEP_REFUSED);
}

static double energy_of(const lbBody *body) {
  lbBodyReport report = lb_body_report(body);
  return report.kinetic + report.elastic;
}

// A spring far stiffer than one whose force of the last tick would be stable: at rest its force is
// k times what lies between tool and device, with all of k.
static void stiff_couplings_hold_with_all_of_their_stiffness(void **state) {
  (void)state;
  const double stiffnesses[] = { 1e4, 1e6, 1e8 };
  for (int i = 0; i < 3; i++)
    for (int grip = 0; grip < 2; grip++) {
      FeltBar bar = felt_bar(20);
      lbHapticsDef def = lb_haptics_def();
      lbPoint tip = lb_point_node(9 * 4 * 3 - 1);
      lbVec3 start;
      lb_body_point(bar.body, tip, &start, NULL);
      def.radius = 0.05, def.stiffness = stiffnesses[i], def.force_limit = 1e4;
      def.tool = grip ? LB_HAPTICS_GRAB : LB_HAPTICS_BALL;
      if (grip) def.grip = &tip;
      lbHaptics *haptics = make_haptics(bar.body, def);
      lbVec3 from = grip ? start : above(0.06);
      put(haptics, from, true);
      assert_int_equal(run(haptics, 2), 0);
      for (int step = 0; step < 200; step++) {
        put(haptics, lb_add(from, lb_vec3(0, 0, -1e-4 * step)), true);
        assert_int_equal(run(haptics, 1), 0);
      }
      assert_int_equal(run(haptics, 4000), 0);
      lbHapticsState now = lb_haptics_state(haptics, NULL, NULL);
      lbVec3 stretch = lb_sub(now.tool, now.device);
      check_near(now.force.z / (def.stiffness * stretch.z), 1, 1e-3);
      assert_true(now.force.z > 1);
      lb_haptics_destroy(haptics);
      felt_bar_destroy(&bar);
    }
}

// Undamped bodies, a device that stands still after a jump into them: what the jump put in is not
// added to. The coupling's damper takes some of it away.
static void standing_devices_add_no_energy_at_any_stiffness(void **state) {
  (void)state;
  const lbMethod methods[] = { LB_METHOD_MODAL, LB_METHOD_SUBSPACE };
  for (int m = 0; m < 2; m++)
    for (int tool = 0; tool < 2; tool++)
      for (double k = 1e2; k < 2e10; k *= 1e4) {
        FeltBar bar = felt_bar_by(methods[m], 0);
        lbHapticsDef def = lb_haptics_def();
        def.radius = 0.05, def.stiffness = k, def.damping = 0, def.force_limit = 1e3;
        def.tool = tool ? LB_HAPTICS_GRAB : LB_HAPTICS_BALL;
        lbHaptics *haptics = make_haptics(bar.body, def);
        put(haptics, above(tool ? 0.02 : 0.06), true);
        assert_int_equal(run(haptics, 1), 0);
        put(haptics, above(tool ? 0.0 : 0.04), true);
        double most = 0, late = 0;
        for (int i = 0; i < 3000; i++) {
          assert_int_equal(run(haptics, 1), 0);
          double energy = energy_of(bar.body);
          if (i < 800) most = fmax(most, energy);
          if (i >= 2200) late = fmax(late, energy);
        }
        if (!(most > 0 && late <= most))
          fail_msg("method %d, tool %d, k = %g: energy %g J, later %g J", m, tool, k, most, late);
        lb_haptics_destroy(haptics);
        felt_bar_destroy(&bar);
      }
}

// A free bar that is pushed moves off with the momentum that the force gave it.
static void free_bodies_get_the_momentum_that_the_device_gives(void **state) {
  (void)state;
  const lbMethod methods[] = { LB_METHOD_MODAL, LB_METHOD_SUBSPACE };
  for (int m = 0; m < 2; m++)
    for (int tool = 0; tool < 2; tool++) {
      FeltBar bar = felt_bar_make(methods[m], 0, false);
      lbHapticsDef def = lb_haptics_def();
      def.radius = 0.05, def.stiffness = 2000, def.force_limit = 100;
      def.tool = tool ? LB_HAPTICS_GRAB : LB_HAPTICS_BALL;
      lbHaptics *haptics = make_haptics(bar.body, def);
      lbVec3 given = lb_vec3(0, 0, 0);
      for (int i = 0; i < 300; i++) {
        put(haptics, above(tool ? 0.02 - 1e-4 * i : 0.06 - 2e-4 * i), true);
        assert_int_equal(run(haptics, 1), 0);
        given = lb_add_scaled(given, -tick_s, lb_haptics_force(haptics));
      }
      lbVec3 momentum = lb_body_report(bar.body).linear_momentum;
      assert_true(lb_length(given) > 0.05);
      check_small(lb_length(lb_sub(momentum, given)), 1e-9 * lb_length(given));
      lb_haptics_destroy(haptics);
      felt_bar_destroy(&bar);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(stiff_couplings_hold_with_all_of_their_stiffness),
    cmocka_unit_test(standing_devices_add_no_energy_at_any_stiffness),
    cmocka_unit_test(free_bodies_get_the_momentum_that_the_device_gives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
