// The stage's clock: whole steps whatever frames do, slow motion and pause, a budget that is kept.
#include "stage_fixture.h"

static void steps_add_up_whatever_the_frames_are(void **state) {
  (void)state;
  vwSettings settings;
  vwStage *a = stage_of(SUBSPACE_BAR, &settings), *b = stage_of(SUBSPACE_BAR, &settings);
  int32_t steps = 0, tip = tip_of(a, 0);
  for (int i = 0; i < 60; i++) steps += vw_stage_advance(a, 1.0 / 60);
  for (int i = 0; i < 20; i++) steps -= vw_stage_advance(b, 1.0 / 20);
  assert_int_equal(steps, 0);
  check_near(vw_stage_time(a), 1, 1e-9); // the world's step is 1/200 s
  assert_true(vw_stage_time(a) == vw_stage_time(b));
  lbVec3 x = vertex_of(a, 0, 0, tip), y = vertex_of(b, 0, 0, tip);
  assert_memory_equal(&x, &y, sizeof x);
  vw_stage_destroy(a);
  vw_stage_destroy(b);
}

static void less_than_a_step_waits(void **state) {
  (void)state;
  vwSettings settings;
  vwStage *stage = stage_of(MODAL_BAR, &settings);
  assert_int_equal(vw_stage_advance(stage, 0.002), 0);
  assert_int_equal(vw_stage_advance(stage, 0.002), 0);
  assert_int_equal(vw_stage_advance(stage, 0.002), 1);
  assert_int_equal(vw_stage_advance(stage, 0.004), 1);
  assert_int_equal(vw_stage_advance(stage, 0.0051), 1);
  vw_stage_destroy(stage);
}

static void pause_slow_motion_and_single_steps(void **state) {
  (void)state;
  vwSettings settings;
  lbError err;
  vwStage *stage = stage_of(MODAL_BAR, &settings);
  settings.paused = 1;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  assert_int_equal(vw_stage_advance(stage, 0.1), 0);
  assert_true(vw_stage_time(stage) == 0);
  assert_int_equal(vw_stage_step(stage), 0);
  check_near(vw_stage_time(stage), 0.005, 1e-15);
  settings.paused = 0;
  settings.speed = 0.1;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  assert_int_equal(vw_stage_advance(stage, 0.1), 2);
  settings.speed = 2;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  assert_int_equal(vw_stage_advance(stage, 0.1), 40);
  vw_stage_destroy(stage);
}

static void the_rate_can_change_while_it_runs(void **state) {
  (void)state;
  vwSettings settings;
  lbError err;
  vwStage *stage = stage_of(MODAL_BAR, &settings);
  assert_int_equal(vw_stage_advance(stage, 0.1), 20);
  settings.rate = 1000;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  assert_int_equal(vw_stage_advance(stage, 0.1), 100);
  check_near(vw_stage_time(stage), 0.2, 1e-12);
  vw_stage_destroy(stage);
}

static void a_long_sleep_is_no_backlog(void **state) {
  (void)state;
  vwSettings settings;
  vwStage *stage = stage_of(MODAL_BAR, &settings);
  assert_true(vw_stage_advance(stage, 3600) <= 50); // a quarter of a second
  assert_int_equal(vw_stage_advance(stage, 0.005), 1);
  assert_int_equal(vw_stage_advance(stage, NAN), 0);
  assert_int_equal(vw_stage_advance(stage, -1), 0);
  assert_true(vw_stage_advance(stage, INFINITY) <= 50);
  vw_stage_destroy(stage);
}

// A budget of nothing: one step a frame, and what is not done is dropped, not owed.
static void what_does_not_fit_the_budget_is_dropped(void **state) {
  (void)state;
  vwSettings settings;
  vwStageDef def = vw_stage_def();
  def.step_budget = 0;
  vwStage *stage = stage_of_bundle(bundle_of(MODAL_BAR), def, &settings);
  for (int i = 0; i < 10; i++) {
    assert_int_equal(vw_stage_advance(stage, 0.1), 1);
    assert_true(vw_stage_behind(stage));
  }
  check_near(vw_stage_time(stage), 0.05, 1e-12);
  assert_int_equal(vw_stage_advance(stage, 0.001), 0); // nothing is owed
  assert_int_equal(vw_stage_advance(stage, 0.0049), 1);
  assert_false(vw_stage_behind(stage));
  vw_stage_destroy(stage);
}

static void traces_tell_energies_and_step_times(void **state) {
  (void)state;
  vwSettings settings;
  vwTrace traces[VW_TRACE_LENGTH];
  vwStage *stage = stage_of(SUBSPACE_BAR, &settings);
  assert_int_equal(vw_stage_traces(stage, traces), 0);
  for (int i = 0; i < 100; i++) vw_stage_advance(stage, 0.005);
  assert_int_equal(vw_stage_traces(stage, traces), 100);
  float kinetic = 0, elastic = 0;
  for (int i = 0; i < 100; i++) {
    assert_true(traces[i].step_us > 0 && traces[i].kinetic >= 0 && traces[i].elastic >= 0);
    kinetic = fmaxf(kinetic, traces[i].kinetic);
    elastic = fmaxf(elastic, traces[i].elastic);
  }
  assert_true(kinetic > 0.01f && elastic > 0.01f); // it falls and bends
  for (int i = 0; i < 2 * VW_TRACE_LENGTH; i++) vw_stage_advance(stage, 0.005);
  assert_int_equal(vw_stage_traces(stage, traces), VW_TRACE_LENGTH);
  vw_stage_reset(stage);
  assert_int_equal(vw_stage_traces(stage, traces), 0);
  assert_int_equal(vw_stage_flags(stage), 0);
  vw_stage_destroy(stage);
}

static void cubature_bodies_tell_how_far_they_are_from_their_models(void **state) {
  (void)state;
  vwSettings settings;
  double pose, unfollowed;
  vwStage *stage = stage_of(SUBSPACE_BAR, &settings);
  assert_false(vw_stage_trust(stage, &pose, &unfollowed));
  vw_stage_destroy(stage);
  stage = stage_of(BAR("subspace", "\"modes\": 5, \"dimension\": 8, \"forces\": \"cubature\","
                                   "\"poses\": 20"),
                   &settings);
  for (int i = 0; i < 20; i++) vw_stage_advance(stage, 0.005);
  assert_true(vw_stage_trust(stage, &pose, &unfollowed));
  print_message("pose distance %.3g, unfollowed %.3g\n", pose, unfollowed);
  assert_true(pose > 0 && unfollowed > 0 && unfollowed <= 1);
  vw_stage_destroy(stage);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(steps_add_up_whatever_the_frames_are),
    cmocka_unit_test(less_than_a_step_waits),
    cmocka_unit_test(pause_slow_motion_and_single_steps),
    cmocka_unit_test(the_rate_can_change_while_it_runs),
    cmocka_unit_test(a_long_sleep_is_no_backlog),
    cmocka_unit_test(what_does_not_fit_the_budget_is_dropped),
    cmocka_unit_test(traces_tell_energies_and_step_times),
    cmocka_unit_test(cubature_bodies_tell_how_far_they_are_from_their_models),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
