// The ball and the grip, tick by tick on the calling thread.
#include "felt_bar.h"

#include "geometry/triangle.h"

static const double tick_s = 1e-3;

typedef struct Setup {
  FeltBar bar;
  lbBody *body;
  lbHaptics *haptics;
} Setup;

static Setup set_up_damped(lbHapticsDef def, double damping) {
  Setup s = { .bar = felt_bar(damping) };
  lbError err;
  s.body = s.bar.body;
  check_ok(lb_haptics_create(s.body, &def, &s.haptics, &err), err);
  return s;
}

// It comes to rest soon.
static Setup set_up(lbHapticsDef def) { return set_up_damped(def, 20); }

static void tear_down(Setup *s) {
  lb_haptics_destroy(s->haptics);
  felt_bar_destroy(&s->bar);
}

static void run(Setup *s, int32_t ticks) {
  for (int32_t i = 0; i < ticks; i++) assert_int_equal(lb_haptics_tick(s->haptics, tick_s), 0);
}

static void put(Setup *s, lbVec3 position) {
  assert_int_equal(lb_haptics_set_device(s->haptics, position, lb_vec3(0, 0, 0), false), LB_OK);
}

static lbHapticsDef small_ball(void) {
  lbHapticsDef def = lb_haptics_def();
  def.radius = 0.05;
  return def;
}

static void force_is_zero_in_the_air_and_the_ball_is_where_the_device_is(void **state) {
  (void)state;
  Setup s = set_up(small_ball());
  put(&s, above(0.3));
  run(&s, 3);
  put(&s, above(0.06));
  run(&s, 20);
  lbHapticsState now = lb_haptics_state(s.haptics, NULL, NULL);
  check_small(lb_length(lb_haptics_force(s.haptics)), 0);
  check_small(lb_length(lb_sub(now.tool, above(0.06))), 1e-12);
  assert_int_equal(now.contact_count, 0);
  assert_int_equal(now.tick, 23);
  check_near(now.time, 0.023, 1e-12);
  tear_down(&s);
}

static void force_grows_as_the_device_goes_in(void **state) {
  (void)state;
  Setup s = set_up(small_ball());
  put(&s, above(0.06));
  run(&s, 1);
  double last = 0;
  for (int i = 1; i <= 5; i++) {
    put(&s, above(0.05 - 0.002 * i));
    run(&s, 1500);
    lbVec3 force = lb_haptics_force(s.haptics);
    if (!(force.z > last + 0.1)) fail_msg("force %g N after %g N", force.z, last);
    last = force.z;
  }
  tear_down(&s);
}

// At rest: k (x - d) on the device, and the body bends as its own modes say under the opposite of
// that force. Rest, device and force are known; the rest is solved for here.
static void force_at_rest_balances_spring_and_body(void **state) {
  (void)state;
  Setup s = set_up(small_ball());
  put(&s, above(0.06));
  run(&s, 1);
  put(&s, above(0.045));
  run(&s, 6000);
  int32_t r = lb_body_dimension(s.body);
  double *q = calloc((size_t)r, sizeof *q), *v = calloc((size_t)r, sizeof *v);
  lbHapticsState now = lb_haptics_state(s.haptics, q, v);
  lbVec3 spring = lb_scale(lb_haptics_def().stiffness, lb_sub(now.tool, now.device));
  check_small(lb_length(lb_sub(now.force, spring)), 1e-6 * lb_length(spring));
  assert_true(now.force.z > 0.5);
  // Each mode: lambda q = U^T f. The work of the modes is the work of the force at its place.
  double twice_energy = 0, speed = 0;
  for (int32_t i = 0; i < r; i++) {
    twice_energy += s.bar.model->modal_eigenvalues[i] * q[i] * q[i];
    speed = fmax(speed, fabs(v[i]));
  }
  check_small(speed, 1e-6);
  // The surface went from the ball's free height to where it is now, along the force.
  double travelled = lb_dot(now.force, lb_sub(above(0.05), now.tool)); // flat top: f . u
  check_near(twice_energy, travelled, 0.02 * twice_energy);
  free(q), free(v);
  tear_down(&s);
}

static void released_body_comes_back_to_rest(void **state) {
  (void)state;
  Setup s = set_up(small_ball());
  put(&s, above(0.06));
  run(&s, 1);
  put(&s, above(0.03));
  run(&s, 500);
  assert_true(lb_body_report(s.body).elastic > 1e-6);
  put(&s, above(0.2));
  run(&s, 3000);
  lbBodyReport report = lb_body_report(s.body);
  check_small(report.elastic + report.kinetic, 1e-9);
  check_small(lb_length(lb_haptics_force(s.haptics)), 0);
  tear_down(&s);
}

// A body that bends far: pushed down by a third of its length, and back.
static void subspace_bodies_are_felt_too(void **state) {
  (void)state;
  lbHapticsDef def = small_ball();
  lbError err;
  def.stiffness = 3000, def.force_limit = 2000;
  Setup s = { .bar = felt_bar_by(LB_METHOD_SUBSPACE, 20) };
  s.body = s.bar.body;
  check_ok(lb_haptics_create(s.body, &def, &s.haptics, &err), err);
  put(&s, above(0.06));
  run(&s, 1);
  double last = 0;
  for (int i = 1; i <= 4; i++) {
    put(&s, above(0.05 - 0.1 * i));
    run(&s, 2500);
    lbHapticsState now = lb_haptics_state(s.haptics, NULL, NULL);
    lbVec3 spring = lb_scale(def.stiffness, lb_sub(now.tool, now.device));
    check_small(lb_length(lb_sub(now.force, spring)), 1e-4 * lb_length(spring));
    if (!(now.force.z > last + 1)) fail_msg("force %g N after %g N", now.force.z, last);
    last = now.force.z;
  }
  put(&s, above(0.3));
  run(&s, 4000);
  check_small(lb_body_report(s.body).elastic, 1e-9);
  tear_down(&s);
}

// Couplings up to those that are far too stiff for the body; nothing damps but they.
static void energy_stays_bounded_whatever_the_stiffness(void **state) {
  (void)state;
  for (double k = 1e2; k < 1e9; k *= 100) {
    lbHapticsDef def = small_ball();
    def.stiffness = k, def.damping = 0, def.force_limit = 1e3;
    Setup s = set_up_damped(def, 0);
    put(&s, above(0.06));
    run(&s, 1);
    put(&s, above(0.04));
    double most = 0, late = 0;
    for (int i = 0; i < 4000; i++) {
      run(&s, 1);
      lbBodyReport report = lb_body_report(s.body);
      double energy = report.kinetic + report.elastic;
      if (i < 1000) most = fmax(most, energy);
      if (i >= 3000) late = fmax(late, energy);
    }
    if (!(most > 0 && late <= most)) fail_msg("k = %g: energy %g J, later %g J", k, most, late);
    tear_down(&s);
  }
}

static void force_never_passes_its_limit_and_absurd_devices_do_no_harm(void **state) {
  (void)state;
  lbHapticsDef def = small_ball();
  def.force_limit = 2;
  Setup s = set_up(def);
  uint64_t seed = 7;
  put(&s, above(0.06));
  run(&s, 1);
  const double sizes[] = { 0.1, 1, 1e6, 1e99, 1e-300 };
  for (int i = 0; i < 3000; i++) {
    double size = sizes[i % 5];
    lbVec3 at =
        lb_vec3(size * check_random(&seed), size * check_random(&seed), size * check_random(&seed));
    assert_int_equal(
        lb_haptics_set_device(s.haptics, lb_add(above(0), at), lb_scale(10, at), i % 2), LB_OK);
    run(&s, 1);
    lbVec3 force = lb_haptics_force(s.haptics);
    assert_true(lb_length(force) <= 2 * (1 + 1e-12));
  }
  assert_int_equal(lb_haptics_set_device(s.haptics, lb_vec3(NAN, 0, 0), lb_vec3(0, 0, 0), false),
                   LB_ERR_ARGUMENT);
  assert_int_equal(
      lb_haptics_set_device(s.haptics, lb_vec3(0, 0, 0), lb_vec3(0, INFINITY, 0), false),
      LB_ERR_ARGUMENT);
  run(&s, 10);
  lbBodyReport report = lb_body_report(s.body);
  assert_true(isfinite(report.kinetic + report.elastic) && isfinite(report.centre.x));
  tear_down(&s);
}

// The device goes straight through the bar and far below it: the ball stays on top.
static void ball_does_not_fall_through(void **state) {
  (void)state;
  lbHapticsDef def = small_ball();
  def.radius = 0.02;
  def.force_limit = 3;
  Setup s = set_up(def);
  for (int i = 0; i < 400; i++) {
    put(&s, above(0.1 - 0.005 * i));
    run(&s, 1);
  }
  run(&s, 500);
  lbHapticsState now = lb_haptics_state(s.haptics, NULL, NULL);
  assert_true(now.device.z < -1);
  assert_true(now.tool.z > 0.1); // the bar bends down under 3 N, but not by its height
  assert_true(now.contact_count >= 1);
  check_near(lb_length(now.force), 3, 0.2);
  tear_down(&s);
}

// Fast and slow along the top, held down: the surface is never lost for a tick.
static void sliding_ball_is_pushed_back_in_every_tick(void **state) {
  (void)state;
  Setup s = set_up(small_ball());
  for (int pace = 0; pace < 4; pace++) {
    const double paces[] = { 1e-5, 3e-4, 2e-3, 5e-3 }; // m a tick
    double before = 0;
    lb_haptics_reset_report(s.haptics);
    for (int i = -1000; i < 600; i++) {
      double x = 0.7 + 0.3 * sin(paces[pace] / 0.3 * fmax(i, 0));
      put(&s, lb_vec3(x, 0.163, i < -900 ? 0.27 : 0.24));
      run(&s, 1);
      double force = lb_haptics_force(s.haptics).z;
      if (i > 0 && !(force > 0.8 * before && force < 1.25 * before && force > 0.5))
        fail_msg("%g m a tick: %g N after %g N", paces[pace], force, before);
      before = force;
    }
  }
  tear_down(&s);
}

// What the search finds against looking at every triangle, in bent and turned poses.
static void ball_is_never_inside_the_surface_at_rest(void **state) {
  (void)state;
  Setup s = set_up(small_ball());
  uint64_t seed = 3;
  const lbModel *m = s.bar.model;
  double *x = calloc(3 * (size_t)m->size.vertex_count, sizeof *x);
  lb_body_set_placement(s.body, lb_vec3(1, 2, 3), lb_quat_from_axis_angle(lb_vec3(1, 2, -1), 0.7));
  for (int i = 0; i < 40; i++) {
    lbVec3 own = lb_vec3(0.6 + check_random(&seed), 0.15 + 0.4 * check_random(&seed),
                         0.1 + 0.4 * check_random(&seed));
    lbQuat turn = lb_quat_from_axis_angle(lb_vec3(1, 2, -1), 0.7);
    put(&s, lb_add(lb_vec3(1, 2, 3), lb_quat_rotate(turn, i ? own : lb_vec3(0.6, 0.15, 1))));
    run(&s, 400);
    lbHapticsState now = lb_haptics_state(s.haptics, NULL, NULL);
    lb_body_surface(s.body, x);
    double nearest = INFINITY;
    for (int32_t t = 0; t < m->size.triangle_count; t++) {
      lbVec3 c[3];
      double weights[3];
      for (int k = 0; k < 3; k++) c[k] = lb_vec3_load(x + 3 * m->triangles[3 * t + k]);
      double far2 = lb_triangle_closest_point(now.tool, c[0], c[1], c[2], weights);
      nearest = fmin(nearest, sqrt(far2));
    }
    if (!(nearest > 0.05 * 0.98)) fail_msg("%g m from the surface, radius 0.05 m", nearest);
  }
  lbHapticsReport report;
  lb_haptics_report(s.haptics, &report);
  assert_int_equal(report.dropped, 0);
  free(x);
  tear_down(&s);
}

// ---- grip --------------------------------------------------------------------------------------

// d = (1/k + C) f, C the body's static compliance at the place held.
static void grip_pulls_as_spring_and_body_in_series(void **state) {
  (void)state;
  lbPoint tip = lb_point_node(9 * 4 * 3 - 1);
  lbHapticsDef def = lb_haptics_def();
  def.tool = LB_HAPTICS_GRAB;
  def.grip = &tip;
  def.stiffness = 200;
  Setup s = set_up(def);
  lbVec3 start;
  lb_body_point(s.body, tip, &start, NULL);
  lb_haptics_set_device(s.haptics, start, lb_vec3(0, 0, 0), true);
  run(&s, 2);
  check_small(lb_length(lb_haptics_force(s.haptics)), 1e-12);
  lbVec3 pull = lb_vec3(0.001, -0.004, 0.01);
  lb_haptics_set_device(s.haptics, lb_add(start, pull), lb_vec3(0, 0, 0), true);
  run(&s, 6000);
  lbVec3 f = lb_scale(-1, lb_haptics_force(s.haptics));
  const lbModel *m = s.bar.model;
  size_t rows = 3 * (size_t)m->size.node_count;
  lbVec3 bent = lb_vec3(0, 0, 0);
  for (int32_t i = 0; i < m->size.mode_count; i++) {
    lbVec3 u = lb_vec3_load(m->modal_basis + rows * (size_t)i + rows - 3);
    bent = lb_add_scaled(bent, lb_dot(u, f) / m->modal_eigenvalues[i], u);
  }
  lbVec3 gap = lb_sub(pull, lb_add_scaled(bent, 1 / def.stiffness, f));
  check_small(lb_length(gap), 1e-8 * lb_length(pull));
  lb_haptics_set_device(s.haptics, lb_add(start, pull), lb_vec3(0, 0, 0), false);
  run(&s, 3000);
  check_small(lb_length(lb_haptics_force(s.haptics)), 0);
  check_small(lb_body_report(s.body).elastic, 1e-9);
  tear_down(&s);
}

static void grip_takes_the_nearest_place_within_reach_alone(void **state) {
  (void)state;
  lbHapticsDef def = lb_haptics_def();
  def.tool = LB_HAPTICS_GRAB;
  def.reach = 0.05;
  Setup s = set_up(def);
  lb_haptics_set_device(s.haptics, above(0.06), lb_vec3(0, 0, 0), true);
  run(&s, 1);
  assert_false(lb_haptics_state(s.haptics, NULL, NULL).held);
  lb_haptics_set_device(s.haptics, above(0.02), lb_vec3(0, 0, 0), true);
  run(&s, 1); // pressed outside of the surface's reach: moving there takes nothing
  assert_false(lb_haptics_state(s.haptics, NULL, NULL).held);
  lb_haptics_set_device(s.haptics, above(0.02), lb_vec3(0, 0, 0), false);
  run(&s, 1);
  lb_haptics_set_device(s.haptics, above(0.02), lb_vec3(0, 0, 0), true);
  run(&s, 1);
  lbHapticsState now = lb_haptics_state(s.haptics, NULL, NULL);
  assert_true(now.held);
  check_small(lb_length(lb_sub(now.tool, above(0))), 1e-9);
  tear_down(&s);
}

// ---- creation ----------------------------------------------------------------------------------

static void absurd_definitions_are_refused_by_name(void **state) {
  (void)state;
  FeltBar bar = felt_bar(0);
  lbBody *body = bar.body;
  lbError err;
  lbHaptics *haptics = NULL;
  lbPoint missing = lb_point_vertex(100000);
  lbHapticsDef defs[7];
  const char *const parts[7] = { "rate",       "radius", "stiffness", "force_limit",
                                 "node_limit", "100000", "tool" };
  for (int i = 0; i < 7; i++) defs[i] = lb_haptics_def();
  defs[0].rate = 1e5, defs[1].radius = NAN, defs[2].stiffness = 0, defs[3].force_limit = -1;
  defs[4].node_limit = 1, defs[5].grip = &missing, defs[6].tool = (lbHapticsTool)9;
  for (int i = 0; i < 7; i++)
    check_fails(lb_haptics_create(body, &defs[i], &haptics, &err), LB_ERR_ARGUMENT, err, parts[i]);
  assert_null(haptics);
  lb_haptics_destroy(NULL);
  felt_bar_destroy(&bar);
}

static void nothing_leaks_when_memory_runs_out_and_ticks_take_none(void **state) {
  (void)state;
  FeltBar bar = felt_bar(0);
  lbBody *body = bar.body;
  lbError err;
  lbHapticsDef def = lb_haptics_def();
  assert_int_equal(lb_body_prepare_queries(body), LB_OK); // the tree belongs to the body
  for (int64_t n = 0;; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lbHaptics *haptics = NULL;
    lb_set_allocator(&allocator);
    lbStatus status = lb_haptics_create(body, &def, &haptics, &err);
    if (!status) {
      int64_t before = heap.count;
      lb_haptics_set_device(haptics, above(0.03), lb_vec3(0, 0, 0), false);
      for (int i = 0; i < 10; i++) lb_haptics_tick(haptics, tick_s);
      assert_int_equal(heap.count, before);
      assert_int_equal(lb_haptics_tick(haptics, NAN), LB_STEP_REFUSED);
      assert_int_equal(lb_haptics_tick(haptics, 0), LB_STEP_REFUSED);
      assert_int_equal(lb_haptics_tick(haptics, 1), LB_STEP_REFUSED);
    }
    lb_haptics_destroy(haptics);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (!status) break;
    assert_int_equal(status, LB_ERR_MEMORY);
    assert_true(n < 20);
  }
  felt_bar_destroy(&bar);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(force_is_zero_in_the_air_and_the_ball_is_where_the_device_is),
    cmocka_unit_test(force_grows_as_the_device_goes_in),
    cmocka_unit_test(force_at_rest_balances_spring_and_body),
    cmocka_unit_test(released_body_comes_back_to_rest),
    cmocka_unit_test(subspace_bodies_are_felt_too),
    cmocka_unit_test(energy_stays_bounded_whatever_the_stiffness),
    cmocka_unit_test(force_never_passes_its_limit_and_absurd_devices_do_no_harm),
    cmocka_unit_test(ball_does_not_fall_through),
    cmocka_unit_test(sliding_ball_is_pushed_back_in_every_tick),
    cmocka_unit_test(ball_is_never_inside_the_surface_at_rest),
    cmocka_unit_test(grip_pulls_as_spring_and_body_in_series),
    cmocka_unit_test(grip_takes_the_nearest_place_within_reach_alone),
    cmocka_unit_test(absurd_definitions_are_refused_by_name),
    cmocka_unit_test(nothing_leaks_when_memory_runs_out_and_ticks_take_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
