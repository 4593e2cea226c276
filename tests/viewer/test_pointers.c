// Pointers and keys of the viewer: who turns the camera, who touches the body, what is wished.
#include "viewer_fixture.h"

static void check_same_camera(const vwCamera *a, const vwCamera *b) {
  check_near(a->azimuth, b->azimuth, 0);
  check_near(a->elevation, b->elevation, 0);
  check_near(a->distance, b->distance, 0);
  check_small(lb_length(lb_sub(a->at, b->at)), 0);
}

static void a_press_on_the_body_grabs_and_pulls_it(void **state) {
  (void)state;
  vwViewer *viewer = viewer_of(SUBSPACE_BAR);
  vwCamera camera = *vw_viewer_camera(viewer);
  double x, y;
  set(viewer, "gravity_on", 0);
  middle_of_bar(viewer, &x, &y);
  vw_viewer_press(viewer, 3, VW_BUTTON_LEFT, 0, x, y);
  assert_int_equal(hold_count(viewer), 1);
  vwHold hold = vw_stage_hold(vw_viewer_stage(viewer), 0);
  assert_int_equal(hold.kind, VW_HOLD_GRAB);
  for (int i = 1; i <= 20; i++) {
    vw_viewer_move(viewer, 3, x, y - 2 * i);
    frame(viewer, 0.02);
  }
  vwHold pulled = vw_stage_hold(vw_viewer_stage(viewer), 0);
  double way = lb_length(lb_sub(pulled.point, hold.point));
  if (way < 0.02) fail_msg("the point was moved by %.3e m only", way);
  assert_true(lb_length(pulled.force) > 0);
  vw_viewer_move(viewer, 3, -1e4, 1e5); // outside: goes on
  assert_int_equal(hold_count(viewer), 1);
  vw_viewer_release(viewer, 3, 0);
  assert_int_equal(hold_count(viewer), 0);
  check_same_camera(vw_viewer_camera(viewer), &camera);
  vw_viewer_destroy(viewer);
}

static void drags_beside_the_body_turn_and_shift_and_other_buttons_pan(void **state) {
  (void)state;
  static const struct {
    vwButton button;
    int modifiers;
    bool pans;
  } cases[] = { { VW_BUTTON_LEFT, 0, false },
                { VW_BUTTON_TOUCH, 0, false },
                { VW_BUTTON_LEFT, VW_MOD_SHIFT, true },
                { VW_BUTTON_RIGHT, 0, true },
                { VW_BUTTON_MIDDLE, 0, true } };
  vwViewer *viewer = viewer_of(MODAL_BAR);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    vwCamera before = *vw_viewer_camera(viewer), *now = vw_viewer_camera(viewer);
    vw_viewer_press(viewer, 0, cases[i].button, cases[i].modifiers, 2, 2);
    vw_viewer_move(viewer, 0, 32, 12);
    vw_viewer_release(viewer, 0, 0);
    vw_viewer_move(viewer, 0, 90, 90); // after the release: nothing
    assert_int_equal(now->azimuth == before.azimuth, cases[i].pans);
    assert_int_equal(lb_length(lb_sub(now->at, before.at)) > 1e-6, cases[i].pans);
    check_near(now->distance, before.distance, 0);
    vw_viewer_frame(viewer, 1, vw_offscreen_target(offscreen)); // no double presses
    vw_viewer_frame(viewer, 1, vw_offscreen_target(offscreen));
    *now = before;
  }
  assert_int_equal(hold_count(viewer), 0);
  vw_viewer_destroy(viewer);
}

static void press_twice(vwViewer *viewer, double x, double y) {
  for (int i = 0; i < 2; i++) {
    vw_viewer_press(viewer, 0, VW_BUTTON_LEFT, 0, x, y);
    vw_viewer_release(viewer, 0, 0);
    frame(viewer, 0.05);
  }
  for (int i = 0; i < 3; i++) frame(viewer, 0.3);
}

static void double_presses_pin_and_unpin_and_control_keeps_a_grab(void **state) {
  (void)state;
  vwViewer *viewer = viewer_of(SUBSPACE_BAR);
  double x, y;
  set(viewer, "gravity_on", 0);
  middle_of_bar(viewer, &x, &y);
  press_twice(viewer, x, y);
  assert_int_equal(hold_count(viewer), 1);
  assert_int_equal(vw_stage_hold(vw_viewer_stage(viewer), 0).kind, VW_HOLD_PIN);
  press_twice(viewer, x, y);
  assert_int_equal(hold_count(viewer), 0);
  for (int i = 0; i < 2; i++) { // slow ones are no double press
    vw_viewer_press(viewer, 0, VW_BUTTON_LEFT, 0, x, y);
    vw_viewer_release(viewer, 0, 0);
    for (int j = 0; j < 3; j++) frame(viewer, 0.3);
  }
  assert_int_equal(hold_count(viewer), 0);
  vw_viewer_press(viewer, 0, VW_BUTTON_LEFT, 0, x, y);
  vw_viewer_release(viewer, 0, VW_MOD_CONTROL);
  assert_int_equal(hold_count(viewer), 1);
  assert_int_equal(vw_stage_hold(vw_viewer_stage(viewer), 0).kind, VW_HOLD_PIN);
  vw_viewer_key(viewer, 'x', 0);
  assert_int_equal(hold_count(viewer), 0);
  vw_viewer_destroy(viewer);
}

static void each_tool_does_its_own(void **state) {
  (void)state;
  static const int holds[VW_TOOL_COUNT] = { 1, 1, 0, 1 }, after[VW_TOOL_COUNT] = { 0, 1, 0, 0 };
  vwViewer *viewer = viewer_of(SUBSPACE_BAR);
  double x, y;
  set(viewer, "gravity_on", 0);
  middle_of_bar(viewer, &x, &y);
  for (int tool = 0; tool < VW_TOOL_COUNT; tool++) {
    vwCamera camera = *vw_viewer_camera(viewer);
    assert_true(vw_viewer_key(viewer, '1' + tool, 0));
    check_near(control(viewer, "tool"), tool, 0);
    vw_viewer_press(viewer, 0, VW_BUTTON_LEFT, 0, x, y);
    assert_int_equal(hold_count(viewer), holds[tool]);
    vw_viewer_move(viewer, 0, x + 5, y + 5);
    frame(viewer, 0.05);
    vw_viewer_release(viewer, 0, 0);
    assert_int_equal(hold_count(viewer), after[tool]);
    check_same_camera(vw_viewer_camera(viewer), &camera);
    vw_viewer_key(viewer, 'r', 0); // everything as it was
    for (int i = 0; i < 3; i++) frame(viewer, 0.3);
    vw_viewer_key(viewer, 'r', 0);
    assert_int_equal(hold_count(viewer), 0);
  }
  vw_viewer_destroy(viewer);
}

static void two_touches_pinch(void **state) {
  (void)state;
  vwViewer *viewer = viewer_of(MODAL_BAR);
  vwCamera before = *vw_viewer_camera(viewer);
  vw_viewer_press(viewer, 11, VW_BUTTON_TOUCH, 0, 10, 5);
  vw_viewer_press(viewer, 12, VW_BUTTON_TOUCH, 0, 30, 5);
  vw_viewer_move(viewer, 12, 50, 5); // twice as far apart: half the distance
  check_near(vw_viewer_camera(viewer)->distance, before.distance / 2, 1e-12 * before.distance);
  check_near(vw_viewer_camera(viewer)->azimuth, before.azimuth, 0);
  vw_viewer_release(viewer, 11, 0);
  vwCamera pinched = *vw_viewer_camera(viewer);
  vw_viewer_move(viewer, 12, 60, 9); // one is left: it turns
  assert_true(vw_viewer_camera(viewer)->azimuth != pinched.azimuth);
  check_near(vw_viewer_camera(viewer)->distance, pinched.distance, 0);
  vw_viewer_release(viewer, 12, 0);
  vw_viewer_destroy(viewer);
}

static void lost_releases_and_cancels_leave_no_grab_behind(void **state) {
  (void)state;
  vwViewer *viewer = viewer_of(SUBSPACE_BAR);
  double x, y;
  middle_of_bar(viewer, &x, &y);
  for (int i = 0; i < 3; i++) {
    vw_viewer_press(viewer, 0, VW_BUTTON_LEFT, 0, x + 9 * i - 9, y);
    for (int j = 0; j < 3; j++) frame(viewer, 0.3);
    assert_true(hold_count(viewer) <= 1);
  }
  vw_viewer_cancel(viewer);
  assert_int_equal(hold_count(viewer), 0);
  vw_viewer_release(viewer, 0, 0);
  vw_viewer_release(viewer, 77, VW_MOD_CONTROL);
  for (int32_t i = 0; i < 40; i++) // more than there is room for
    vw_viewer_press(viewer, i, VW_BUTTON_TOUCH, 0, x, y);
  for (int32_t i = 0; i < 40; i++) vw_viewer_move(viewer, i, 3 * i, i);
  frame(viewer, 0.02);
  vw_viewer_key(viewer, VW_KEY_ESCAPE, 0);
  for (int32_t i = 0; i < hold_count(viewer); i++) // double presses leave pins
    assert_int_equal(vw_stage_hold(vw_viewer_stage(viewer), i).kind, VW_HOLD_PIN);
  vw_viewer_destroy(viewer);
}

static void absurd_positions_change_nothing_that_is_shown(void **state) {
  (void)state;
  static const double bad[] = { NAN, INFINITY, -INFINITY, 1e300, -1e300, 1e18 };
  vwViewer *viewer = viewer_of(SUBSPACE_BAR);
  double x, y;
  middle_of_bar(viewer, &x, &y);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    vw_viewer_press(viewer, 0, VW_BUTTON_LEFT, 0, bad[i], y);
    vw_viewer_release(viewer, 0, 0);
    vw_viewer_press(viewer, 0, VW_BUTTON_LEFT, 0, x, y);
    vw_viewer_press(viewer, 1, VW_BUTTON_TOUCH, 0, 2, 2);
    vw_viewer_press(viewer, 2, VW_BUTTON_TOUCH, 0, 9, 2);
    vw_viewer_press(viewer, 3, VW_BUTTON_RIGHT, 0, 9, 2);
    for (int32_t pointer = 0; pointer < 4; pointer++) vw_viewer_move(viewer, pointer, bad[i], y);
    vw_viewer_wheel(viewer, bad[i]);
    frame(viewer, bad[i]);
    vw_viewer_cover(viewer, bad[i]);
    vw_viewer_cancel(viewer);
    vwCamera *camera = vw_viewer_camera(viewer);
    assert_true(isfinite(camera->azimuth) && isfinite(camera->elevation));
    assert_true(isfinite(camera->distance) && camera->distance > 0);
    assert_true(isfinite(lb_length(camera->at)));
    assert_true(camera->covered >= 0 && camera->covered <= 0.9);
    *camera = vw_stage_camera(vw_viewer_stage(viewer), WIDTH, HEIGHT);
    vw_viewer_cover(viewer, 0);
    vw_viewer_key(viewer, 'x', 0);
    vw_viewer_key(viewer, 'r', 0);
  }
  vw_viewer_destroy(viewer);
}

static void keys_press_what_the_table_says_once(void **state) {
  (void)state;
  vwViewer *viewer = viewer_of(SUBSPACE_BAR);
  assert_int_equal(vw_viewer_wish(viewer), VW_WISH_NONE);
  static const struct {
    int key;
    vwWish wish;
  } wishes[] = { { 'p', VW_WISH_PICTURE }, { 'v', VW_WISH_VIDEO },  { 'a', VW_WISH_ANIMATION },
                 { '?', VW_WISH_HELP },    { 'j', VW_WISH_NEXT },   { 'u', VW_WISH_PREVIOUS },
                 { 'q', VW_WISH_QUIT },    { 'P', VW_WISH_PICTURE } };
  enum { COUNT = sizeof wishes / sizeof *wishes };
  for (int i = 0; i < COUNT; i++) assert_true(vw_viewer_key(viewer, wishes[i].key, 0));
  for (int i = 0; i < COUNT; i++) assert_int_equal(vw_viewer_wish(viewer), wishes[i].wish);
  assert_int_equal(vw_viewer_wish(viewer), VW_WISH_NONE);
  for (int i = 0; i < 1000; i++) vw_viewer_key(viewer, 'p', 0); // some are dropped
  int told = 0;
  while (vw_viewer_wish(viewer)) told++;
  assert_true(told > 0 && told < 1000);
  for (int32_t i = 0; i < vw_control_count(); i++) { // twice: toggles are as they were
    const vwControl *entry = vw_control(i);
    if (entry->kind != VW_TOGGLE || !entry->key) continue;
    if (strcmp(entry->name, "drop") == 0) continue;    // a program that can build free twins drops
    if (strcmp(entry->name, "springs") == 0) continue; // for frames: viewer.frames
    double before = control(viewer, entry->name);
    assert_true(vw_viewer_key(viewer, entry->key, 0));
    check_near(control(viewer, entry->name), before != 0 ? 0 : 1, 0);
    assert_true(vw_viewer_key(viewer, entry->key, 0));
    check_near(control(viewer, entry->name), before, 0);
  }
  vw_viewer_destroy(viewer);
}

static void keys_pause_step_and_go_through_choices(void **state) {
  (void)state;
  vwViewer *viewer = viewer_of(SUBSPACE_BAR);
  vwStage *stage = vw_viewer_stage(viewer);
  vw_viewer_key(viewer, ' ', 0);
  frame(viewer, 0.5);
  check_near(vw_stage_time(stage), 0, 0);
  vw_viewer_key(viewer, ' ', 0);
  frame(viewer, 0.1);
  double time = vw_stage_time(stage);
  int64_t steps = vw_viewer_steps(viewer);
  assert_true(time > 0.05);
  vw_viewer_key(viewer, '.', 0); // pauses
  check_near(control(viewer, "paused"), 1, 0);
  assert_int_equal(vw_viewer_steps(viewer), steps + 1);
  check_near(vw_stage_time(stage), time + 1 / control(viewer, "rate"), 1e-9);
  frame(viewer, 0.5);
  assert_int_equal(vw_viewer_steps(viewer), steps + 1);
  for (int i = 1; i <= 6; i++) {
    vw_viewer_key(viewer, 'm', 0);
    check_near(control(viewer, "map"), i % 6, 0);
  }
  vw_viewer_key(viewer, 'm', VW_MOD_SHIFT);
  check_near(control(viewer, "map"), 5, 0);
  vw_viewer_key(viewer, '[', 0);
  check_near(control(viewer, "speed"), 0.5, 1e-12);
  vw_viewer_key(viewer, '\\', 0);
  check_near(control(viewer, "speed"), 1, 0);
  double distance = vw_viewer_camera(viewer)->distance;
  vw_viewer_key(viewer, '+', 0);
  assert_true(vw_viewer_camera(viewer)->distance < distance);
  static const int unknown[] = { 0, -1, '~', '&', 127, 255, 300, INT32_MAX, INT32_MIN };
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
    assert_false(vw_viewer_key(viewer, unknown[i], 0));
  vw_viewer_destroy(viewer);
}

static void without_a_scene_all_input_is_harmless(void **state) {
  (void)state;
  vwViewer *viewer = empty_viewer();
  for (int key = 0; key < 300; key++) vw_viewer_key(viewer, key, key % 2);
  vw_viewer_press(viewer, 0, VW_BUTTON_LEFT, 0, 80, 60);
  vw_viewer_move(viewer, 0, 90, 70);
  vw_viewer_release(viewer, 0, VW_MOD_CONTROL);
  vw_viewer_wheel(viewer, 3);
  frame(viewer, 0.1);
  assert_null(vw_viewer_stage(viewer));
  assert_false(vw_viewer_is_open(viewer));
  vw_viewer_destroy(viewer);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_press_on_the_body_grabs_and_pulls_it),
    cmocka_unit_test(drags_beside_the_body_turn_and_shift_and_other_buttons_pan),
    cmocka_unit_test(double_presses_pin_and_unpin_and_control_keeps_a_grab),
    cmocka_unit_test(each_tool_does_its_own),
    cmocka_unit_test(two_touches_pinch),
    cmocka_unit_test(lost_releases_and_cancels_leave_no_grab_behind),
    cmocka_unit_test(absurd_positions_change_nothing_that_is_shown),
    cmocka_unit_test(keys_press_what_the_table_says_once),
    cmocka_unit_test(keys_pause_step_and_go_through_choices),
    cmocka_unit_test(without_a_scene_all_input_is_harmless),
  };
  return cmocka_run_group_tests(tests, start_offscreen, stop_offscreen);
}
