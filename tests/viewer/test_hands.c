// Hands: grabs that follow the pointer, pins, pokes, a ball, and what they do with nonsense.
#include "stage_fixture.h"

#include "limber/sketch.h"

static void run_for(vwStage *stage, double seconds) {
  for (double t = 0; t < seconds - 1e-9; t += 0.05) vw_stage_advance(stage, 0.05);
}

// The pixel of a vertex that can be seen there: the ray through it hits the body near it.
static void aim(const vwView *view, lbVec3 point, double *x, double *y) {
  assert_true(vw_view_project(view, point, x, y));
}

// Where the bar's tip is seen, a little inside of its outline.
static void aim_at_tip(vwStage *stage, int32_t actor, const vwView *view, double *x, double *y) {
  const lbModel *model = vw_stage_actor(stage, actor).model;
  double *positions = lb_alloc((size_t)model->size.vertex_count, 3 * sizeof(double));
  lbVec3 middle = lb_vec3(0, 0, 0);
  int32_t count = 0;
  vw_stage_surface(stage, actor, 0, positions);
  for (int32_t v = 0; v < model->size.vertex_count; v++)
    if (model->vertex_positions[3 * v] > 0.85) {
      middle = lb_add(middle, lb_vec3_load(positions + 3 * v));
      count++;
    }
  lb_free(positions);
  aim(view, lb_scale(1.0 / count, middle), x, y);
}

// From the front: up in the picture is up.
static vwView front_view(const vwStage *stage) {
  vwCamera camera = vw_stage_camera(stage, 800, 600);
  camera.azimuth = camera.elevation = 0;
  return vw_camera_view(&camera, 800, 600);
}

static vwStage *weightless(const char *json, vwSettings *settings) {
  lbError err;
  vwStage *stage = stage_of(json, settings);
  settings->gravity_on = 0;
  check_ok(vw_stage_apply(stage, settings, &err), err);
  for (int i = 0; i < 4; i++) vw_stage_advance(stage, 0.05); // beyond the scene's load
  vw_stage_reset(stage);
  return stage;
}

static void check_grab(const char *json) {
  vwSettings settings;
  double x, y;
  vwStage *stage = weightless(json, &settings);
  vwView view = front_view(stage);
  aim_at_tip(stage, 0, &view, &x, &y);
  assert_true(vw_stage_press(stage, 1, VW_TOOL_GRAB, &view, x, y));
  assert_int_equal(vw_stage_hold_count(stage), 1);
  vwHold before = vw_stage_hold(stage, 0);
  assert_int_equal(before.kind, VW_HOLD_GRAB);
  check_small(lb_length(lb_sub(before.point, before.target)), 1e-9);
  assert_true(vw_stage_move(stage, 1, &view, x, y - 60));
  run_for(stage, 3);
  vwHold hold = vw_stage_hold(stage, 0);
  double pulled = lb_length(lb_sub(hold.target, before.point));
  double lag = lb_length(lb_sub(hold.target, hold.point));
  assert_true(pulled > 0.05);
  check_small(lag / pulled, 0.08); // a few per cent
  assert_true(lb_dot(hold.force, lb_sub(hold.target, before.point)) > 0);
  double px, py; // the target is under the pointer
  assert_true(vw_view_project(&view, hold.target, &px, &py));
  check_near(px, x, 1e-3);
  check_near(py, y - 60, 1e-3);
  assert_true(vw_stage_release(stage, 1, false));
  assert_int_equal(vw_stage_hold_count(stage), 0);
  assert_false(vw_stage_release(stage, 1, false));
  assert_int_equal(vw_stage_flags(stage) & LB_STEP_NONFINITE, 0);
  vw_stage_destroy(stage);
}

static void a_grabbed_point_follows_the_pointer(void **state) {
  (void)state;
  check_grab(SUBSPACE_BAR);
  check_grab(MODAL_BAR);
}

static void a_soft_grab_lags_and_a_stiff_one_does_not(void **state) {
  (void)state;
  double lags[2];
  for (int i = 0; i < 2; i++) {
    vwSettings settings;
    lbError err;
    double x, y;
    vwStage *stage = weightless(SUBSPACE_BAR, &settings);
    vwView view = front_view(stage);
    aim_at_tip(stage, 0, &view, &x, &y);
    assert_true(vw_stage_press(stage, 1, VW_TOOL_GRAB, &view, x, y));
    vw_stage_move(stage, 1, &view, x, y - 60);
    settings.grab_stiffness = i ? 10 : 0.03; // changes what is held already
    check_ok(vw_stage_apply(stage, &settings, &err), err);
    run_for(stage, 4);
    vwHold hold = vw_stage_hold(stage, 0);
    lags[i] = lb_length(lb_sub(hold.target, hold.point));
    vw_stage_destroy(stage);
  }
  assert_true(lags[0] > 10 * lags[1] && lags[1] < 0.01);
}

static void several_pointers_grab_at_a_time(void **state) {
  (void)state;
  vwSettings settings;
  double x, y, mx, my;
  vwStage *stage = weightless(SUBSPACE_BAR, &settings);
  vwView view = view_of(stage);
  aim_at_tip(stage, 0, &view, &x, &y);
  vwBox box = vw_stage_rest_box(stage);
  aim(&view, lb_scale(0.5, lb_add(box.low, box.high)), &mx, &my);
  assert_true(vw_stage_press(stage, 1, VW_TOOL_GRAB, &view, x, y));
  assert_true(vw_stage_press(stage, 2, VW_TOOL_GRAB, &view, mx, my));
  assert_int_equal(vw_stage_hold_count(stage), 2);
  vw_stage_move(stage, 1, &view, x, y - 40);
  vw_stage_move(stage, 2, &view, mx, my + 20);
  run_for(stage, 2);
  assert_true(vw_stage_release(stage, 1, false));
  assert_int_equal(vw_stage_hold_count(stage), 1);
  vw_stage_reset(stage);
  assert_int_equal(vw_stage_hold_count(stage), 0);
  vw_stage_destroy(stage);
}

static void pins_hold_against_gravity_and_can_be_taken_off(void **state) {
  (void)state;
  vwSettings settings;
  double x, y;
  vwStage *stage = stage_of(SUBSPACE_BAR, &settings);
  vwView view = view_of(stage);
  aim_at_tip(stage, 0, &view, &x, &y);
  assert_true(vw_stage_press(stage, 1, VW_TOOL_PIN, &view, x, y));
  assert_true(vw_stage_release(stage, 1, false)); // a pin stays
  assert_int_equal(vw_stage_hold_count(stage), 1);
  vwHold pin = vw_stage_hold(stage, 0);
  assert_int_equal(pin.kind, VW_HOLD_PIN);
  run_for(stage, 2);
  vwHold later = vw_stage_hold(stage, 0);
  check_small(lb_length(lb_sub(later.point, pin.point)), 1e-3);
  assert_true(later.force.z > 0); // carries the tip
  assert_true(vw_view_project(&view, later.point, &x, &y));
  assert_true(vw_stage_press(stage, 1, VW_TOOL_PIN, &view, x + 4, y - 3)); // on the pin: off
  assert_int_equal(vw_stage_hold_count(stage), 0);
  assert_false(vw_stage_unpin(stage, &view, x, y));
  vw_stage_destroy(stage);
}

static void a_grab_can_be_kept_as_a_pin(void **state) {
  (void)state;
  vwSettings settings;
  double x, y;
  vwStage *stage = weightless(MODAL_BAR, &settings);
  vwView view = view_of(stage);
  aim_at_tip(stage, 0, &view, &x, &y);
  assert_true(vw_stage_press(stage, 7, VW_TOOL_GRAB, &view, x, y));
  vw_stage_move(stage, 7, &view, x, y - 50);
  run_for(stage, 3);
  lbVec3 there = vw_stage_hold(stage, 0).point;
  assert_true(vw_stage_release(stage, 7, true));
  run_for(stage, 2);
  vwHold pin = vw_stage_hold(stage, 0);
  assert_int_equal(pin.kind, VW_HOLD_PIN);
  check_small(lb_length(lb_sub(pin.point, there)), 1e-3);
  vw_stage_release_all(stage);
  assert_int_equal(vw_stage_hold_count(stage), 0);
  vw_stage_destroy(stage);
}

static void a_poke_moves_it_away_from_the_eye_by_a_sane_amount(void **state) {
  (void)state;
  const char *scenes[] = { SUBSPACE_BAR, MODAL_BAR };
  for (int i = 0; i < 2; i++) {
    vwSettings settings;
    double x, y, farthest = 0;
    vwStage *stage = weightless(scenes[i], &settings);
    vwView view = view_of(stage);
    int32_t tip = tip_of(stage, 0);
    lbVec3 rest = vertex_of(stage, 0, 0, tip), origin, direction;
    aim_at_tip(stage, 0, &view, &x, &y);
    vw_view_ray(&view, x, y, &origin, &direction);
    assert_true(vw_stage_press(stage, 1, VW_TOOL_POKE, &view, x, y));
    assert_int_equal(vw_stage_hold_count(stage), 0);
    vw_stage_step(stage);
    assert_true(lb_dot(lb_sub(vertex_of(stage, 0, 0, tip), rest), direction) > 0);
    for (int k = 0; k < 100; k++) {
      vw_stage_step(stage);
      farthest = fmax(farthest, lb_length(lb_sub(vertex_of(stage, 0, 0, tip), rest)));
    }
    assert_true(farthest > 0.02 && farthest < 1); // of a bar of 1 m
    vw_stage_destroy(stage);
  }
}

static void a_ball_pushes_the_body_away(void **state) {
  (void)state;
  vwSettings settings;
  double x, y;
  vwStage *stage = weightless(SUBSPACE_BAR, &settings);
  vwView view = view_of(stage);
  int32_t tip = tip_of(stage, 0);
  lbVec3 rest = vertex_of(stage, 0, 0, tip);
  aim_at_tip(stage, 0, &view, &x, &y);
  assert_true(vw_stage_press(stage, 1, VW_TOOL_PUSH, &view, x, y - 40) ||
              vw_stage_press(stage, 1, VW_TOOL_PUSH, &view, x, y));
  assert_int_equal(vw_stage_hold(stage, 0).kind, VW_HOLD_BALL);
  check_near(vw_stage_hold(stage, 0).radius, settings.ball, 1e-12);
  vw_stage_step(stage);
  vw_stage_move(stage, 1, &view, x, y - 120); // the ball stands before the bar: beside it first
  run_for(stage, 1);
  vwHold away = vw_stage_hold(stage, 0);
  check_small(lb_length(lb_sub(away.point, away.target)), 1e-9);
  vw_stage_destroy(stage);
  // One that comes from above, in the bar's own plane.
  stage = weightless(SUBSPACE_BAR, &settings);
  vwCamera camera = vw_camera_of_box(vw_stage_rest_box(stage), 'z');
  camera.elevation = 1.4;
  view = vw_camera_view(&camera, 800, 600);
  aim_at_tip(stage, 0, &view, &x, &y);
  assert_true(vw_stage_press(stage, 1, VW_TOOL_PUSH, &view, x, y));
  camera.elevation = 0.02; // seen from the side, it can go down
  view = vw_camera_view(&camera, 800, 600);
  double bx, by;
  aim(&view, vw_stage_hold(stage, 0).point, &bx, &by);
  vw_stage_move(stage, 1, &view, bx, by + 60);
  run_for(stage, 1);
  vwHold ball = vw_stage_hold(stage, 0);
  assert_true(vertex_of(stage, 0, 0, tip).z < rest.z - 0.02);
  assert_true(ball.force.z < 0); // on the body
  assert_int_equal(vw_stage_flags(stage) & LB_STEP_NONFINITE, 0);
  vw_stage_destroy(stage);
}

static void nonsense_is_ignored(void **state) {
  (void)state;
  vwSettings settings;
  double x, y;
  vwStage *stage = stage_of(SUBSPACE_BAR, &settings);
  vwView view = view_of(stage);
  aim_at_tip(stage, 0, &view, &x, &y);
  assert_false(vw_stage_press(stage, 1, VW_TOOL_GRAB, &view, NAN, y));
  assert_false(vw_stage_press(stage, 1, VW_TOOL_GRAB, &view, 5, 5)); // beside it
  assert_false(vw_stage_press(stage, 1, (vwTool)77, &view, x, y));
  assert_false(vw_stage_move(stage, 1, &view, x, y));
  assert_true(vw_stage_press(stage, 1, VW_TOOL_GRAB, &view, x, y));
  lbVec3 target = vw_stage_hold(stage, 0).target;
  assert_false(vw_stage_move(stage, 1, &view, INFINITY, 0));
  assert_false(vw_stage_move(stage, 1, &view, NAN, NAN));
  lbVec3 after = vw_stage_hold(stage, 0).target;
  assert_memory_equal(&target, &after, sizeof target);
  int32_t actor, body;
  lbPick pick;
  assert_false(vw_stage_pick(stage, lb_vec3(NAN, 0, 0), lb_vec3(0, 0, 1), &actor, &body, &pick));
  assert_false(vw_stage_pick(stage, lb_vec3(0, 0, 9), lb_vec3(0, 0, 0), &actor, &body, &pick));
  vw_stage_destroy(stage);
}

// The pointer leaves the window by far, wildly: the body comes back when it is let go.
static void an_absurd_pull_does_not_break_the_body(void **state) {
  (void)state;
  const char *scenes[] = { SUBSPACE_BAR, MODAL_BAR };
  for (int i = 0; i < 2; i++) {
    vwSettings settings;
    double x, y;
    uint64_t seed = 5;
    lbError err;
    vwStage *stage = weightless(scenes[i], &settings);
    vwView view = view_of(stage);
    int32_t tip = tip_of(stage, 0);
    lbVec3 rest = vertex_of(stage, 0, 0, tip);
    aim_at_tip(stage, 0, &view, &x, &y);
    assert_true(vw_stage_press(stage, 1, VW_TOOL_GRAB, &view, x, y));
    for (int k = 0; k < 60; k++) {
      vw_stage_move(stage, 1, &view, 1e5 * check_random(&seed), 1e5 * check_random(&seed));
      vw_stage_advance(stage, 1.0 / 60);
      vwHold hold = vw_stage_hold(stage, 0);
      assert_true(lb_length(lb_sub(hold.target, rest)) < 12 * vw_stage_size(stage));
      assert_true(isfinite(lb_length(hold.point)));
    }
    assert_true(vw_stage_release(stage, 1, false));
    settings.damping_mass = 8;
    check_ok(vw_stage_apply(stage, &settings, &err), err);
    run_for(stage, 5);
    check_small(lb_length(lb_sub(vertex_of(stage, 0, 0, tip), rest)), 0.01);
    vw_stage_destroy(stage);
  }
}

static void too_many_pins_give_a_message(void **state) {
  (void)state;
  vwSettings settings;
  double x, y;
  int32_t pins = 0;
  vwStage *stage = stage_of(MODAL_BAR, &settings);
  vwView view = view_of(stage);
  aim_at_tip(stage, 0, &view, &x, &y);
  assert_string_equal(vw_stage_message(stage), "");
  for (int32_t i = 0; i < 200; i++) {
    double px = x - 0.5 * i, py = y;
    if (!vw_stage_press(stage, i, VW_TOOL_GRAB, &view, px, py)) break;
    vw_stage_release(stage, i, true);
    pins++;
  }
  assert_true(pins >= 16 && pins <= 64);
  vw_stage_step(stage);
  if (pins == 64) vw_stage_press(stage, 1, VW_TOOL_GRAB, &view, x, y);
  assert_true(strstr(vw_stage_message(stage), "release some pins") != NULL);
  vw_stage_forget_message(stage);
  assert_string_equal(vw_stage_message(stage), "");
  vw_stage_destroy(stage);
}

// ---- sketches ----------------------------------------------------------------------------------

static void grabs_make_a_sketch_that_limber_reads(void **state) {
  (void)state;
  vwSettings settings;
  double x, y;
  char *json;
  lbError err;
  vwStage *stage = weightless(SUBSPACE_BAR, &settings);
  vwView view = view_of(stage);
  vw_stage_sketch_begin(stage);
  check_fails(vw_stage_sketch_end(stage, &json, &err), LB_ERR_ARGUMENT, err, "empty");
  vw_stage_sketch_begin(stage);
  assert_true(vw_stage_sketching(stage));
  for (int pull = 0; pull < 2; pull++) {
    aim_at_tip(stage, 0, &view, &x, &y);
    assert_true(vw_stage_press(stage, 1, VW_TOOL_GRAB, &view, x, y));
    vw_stage_move(stage, 1, &view, x, y + (pull ? 50 : -50));
    run_for(stage, 0.5);
    if (pull == 0) vw_stage_release(stage, 1, false); // the other one is still held
  }
  check_ok(vw_stage_sketch_end(stage, &json, &err), err);
  assert_false(vw_stage_sketching(stage));
  const char *path = output_path("viewer-sketch.json");
  FILE *file = fopen(path, "w");
  assert_true(file && fputs(json, file) >= 0);
  fclose(file);
  lbSketch *sketch;
  check_ok(lb_sketch_load(path, &sketch, &err), err);
  assert_int_equal(sketch->load_count, 2);
  const double *up = sketch->forces[0].force, *down = sketch->forces[1].force;
  assert_true(up[2] > 0 && down[2] < 0);
  const lbModel *model = vw_stage_actor(stage, 0).model;
  int32_t vertex = sketch->forces[0].vertex;
  assert_true(vertex >= 0 && vertex < model->size.node_count);
  assert_true(model->node_positions[3 * vertex] > 0.8); // near the tip, where it was pulled
  lb_sketch_destroy(sketch);
  lb_free(json);
  vw_stage_destroy(stage);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_grabbed_point_follows_the_pointer),
    cmocka_unit_test(a_soft_grab_lags_and_a_stiff_one_does_not),
    cmocka_unit_test(several_pointers_grab_at_a_time),
    cmocka_unit_test(pins_hold_against_gravity_and_can_be_taken_off),
    cmocka_unit_test(a_grab_can_be_kept_as_a_pin),
    cmocka_unit_test(a_poke_moves_it_away_from_the_eye_by_a_sane_amount),
    cmocka_unit_test(a_ball_pushes_the_body_away),
    cmocka_unit_test(nonsense_is_ignored),
    cmocka_unit_test(an_absurd_pull_does_not_break_the_body),
    cmocka_unit_test(too_many_pins_give_a_message),
    cmocka_unit_test(grabs_make_a_sketch_that_limber_reads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
