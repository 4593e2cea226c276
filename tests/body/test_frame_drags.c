// Frames that are held, driven and dragged.
#include "frame_bodies.h"

#define THREE "'positions':[[0.05,0.1,0.1],[0.5,0.1,0.1],[0.95,0.1,0.1]]"

static lbVec3 place_of(const lbBody *body, int32_t frame) {
  lbVec3 at;
  body_ok(body, lb_body_frames_pose(body, frame, &at, NULL));
  return at;
}

static void a_dragged_frame_is_where_it_is_led(void **state) {
  (void)state;
  static const char *const forms[] = { SCENE(THREE, HELD), SCENE(THREE, "") };
  for (int f = 0; f < 2; f++) {
    lbModel *model = model_of(forms[f]);
    lbBodyDef def = lb_body_def();
    def.gravity = lb_vec3(0, 0, -9.81);
    lbBody *body = body_of(model, &def);
    lbVec3 goal = lb_vec3(0.9, 0.2, 0.15), at;
    lbQuat turn = lb_quat_exp(lb_vec3(0, -0.3, 0.4)), now;
    body_ok(body, lb_body_frames_drag(body, 2, goal, turn));
    steps(body, 3, 0.01);
    body_ok(body, lb_body_frames_pose(body, 2, &at, &now));
    check_small(distance(at, goal), 1e-12);
    check_small(1 - fabs(lb_quat_dot(now, turn)), 1e-12);
    steps(body, 60, 0.02);
    check_small(distance(place_of(body, 2), goal), 1e-12);
    body_ok(body, lb_body_frames_release(body, 2));
    steps(body, 5, 0.01);
    assert_true(distance(place_of(body, 2), goal) > 1e-4);
    lb_body_destroy(body), lb_model_destroy(model);
  }
}

// A body that hangs on nothing but the frame that is held weighs on it: it comes to rest.
static void a_held_frame_carries_a_free_body(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE(THREE, ",'damping':{'mass':5}"));
  lbBodyDef def = lb_body_def();
  def.gravity = lb_vec3(0, 0, -2);
  lbBody *body = body_of(model, &def);
  body_ok(body, lb_body_frames_drag(body, 1, place_of(body, 1), lb_quat_identity()));
  for (int i = 0; i < 100; i++) lb_body_step(body, 0.1);
  lbBodyReport report = lb_body_report(body);
  printf("  centre at %.3f m, kinetic %.1e J\n", report.centre.z, report.kinetic);
  check_small(report.kinetic, 1e-8);
  check_small(fabs(report.centre.z - 0.1), 0.1);
  lb_body_destroy(body), lb_model_destroy(model);
}

static void absurd_drags_of_frames_come_back_when_they_end(void **state) {
  (void)state;
  static const double far[] = { 3, 1e6 };
  for (int f = 0; f < 4; f++) {
    bool free = f % 2;
    lbModel *model = model_of(free ? SCENE(THREE, ",'damping':{'mass':2}")
                                   : SCENE(THREE, ",'damping':{'mass':2}" HELD));
    lbBodyDef def = lb_body_def();
    lbBody *body = body_of(model, &def);
    lbVec3 goal = lb_vec3(0, far[f / 2], far[f / 2]);
    body_ok(body, lb_body_frames_drag(body, 2, goal, lb_quat_identity()));
    for (int i = 0; i < 20; i++) {
      lb_body_step(body, 0.01);
      assert_true(lb_vec3_is_bounded(where(body, TIP)));
    }
    body_ok(body, lb_body_frames_release(body, 2));
    for (int i = 0; i < (CHECK_SANITIZED ? 100 : 200); i++) lb_body_step(body, 0.05);
    lbVec3 first = where(body, 0), tip = where(body, TIP);
    double length = distance(first, tip);
    double rest = distance(lb_vec3_load(model->node_positions),
                           lb_vec3_load(model->node_positions + 3 * TIP));
    printf("  %s, %g m: length off by %.1e\n", free ? "free" : "held", far[f / 2],
           fabs(length - rest));
    check_small(fabs(length - rest), 1e-3);
    if (!free) check_small(distance(tip, lb_vec3_load(model->node_positions + 3 * TIP)), 1e-3);
    lb_body_destroy(body), lb_model_destroy(model);
  }
}

static void a_saved_drag_goes_on_to_the_bit(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE(THREE, ""));
  lbBodyDef def = lb_body_def();
  lbBody *one = body_of(model, &def), *other = body_of(model, &def);
  size_t bytes = lb_body_state_bytes(one);
  void *saved = lb_alloc(bytes, 1);
  body_ok(one, lb_body_frames_drag(one, 0, lb_vec3(0, 0.3, 0), lb_quat_identity()));
  steps(one, 4, 0.01);
  body_ok(one, lb_body_save_state(one, saved, bytes));
  body_ok(other, lb_body_restore_state(other, saved, bytes));
  steps(one, 10, 0.01), steps(other, 10, 0.01);
  assert_true(distance(where(one, TIP), where(other, TIP)) == 0);
  lb_free(saved);
  lb_body_destroy(one), lb_body_destroy(other), lb_model_destroy(model);
}

static void frames_that_cannot_be_dragged_are_refused(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE(THREE, HELD));
  lbBodyDef def = lb_body_def();
  lbBody *body = body_of(model, &def);
  lbVec3 at = lb_vec3(0, 0, 0);
  lbQuat turn = lb_quat_identity();
  assert_int_equal(lb_body_frames_drag(body, 0, at, turn), LB_ERR_ARGUMENT); // fixed
  assert_int_equal(lb_body_frames_drag(body, -1, at, turn), LB_ERR_ARGUMENT);
  assert_int_equal(lb_body_frames_drag(body, 3, at, turn), LB_ERR_ARGUMENT);
  assert_int_equal(lb_body_frames_drag(body, 1, lb_vec3(NAN, 0, 0), turn), LB_ERR_ARGUMENT);
  assert_int_equal(lb_body_frames_drag(body, 1, at, lb_quat(0, 0, 0, 0)), LB_ERR_ARGUMENT);
  assert_int_equal(lb_body_frames_drag(NULL, 1, at, turn), LB_ERR_ARGUMENT);
  assert_int_equal(lb_body_frames_release(body, 7), LB_ERR_ARGUMENT);
  steps(body, 2, 0.01);
  lb_body_destroy(body), lb_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_dragged_frame_is_where_it_is_led),
    cmocka_unit_test(a_held_frame_carries_a_free_body),
    cmocka_unit_test(absurd_drags_of_frames_come_back_when_they_end),
    cmocka_unit_test(a_saved_drag_goes_on_to_the_bit),
    cmocka_unit_test(frames_that_cannot_be_dragged_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
