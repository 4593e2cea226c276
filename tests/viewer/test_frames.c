// Frames of a body on the stage: choosing them, their weights as colours, putting them in by a
// press and removing them.
#include "stage_fixture.h"

#define FRAMES_BAR                                                                                 \
  "{ \"limber\": 1, \"bodies\": [{ \"name\": \"bar\", \"mesh\": { \"generate\": \"bar\","          \
  "\"size\": [1, 0.2, 0.2], \"cells\": [10, 2, 2], \"element\": \"brick8\" },"                     \
  "\"material\": { \"young\": 1e5, \"poisson\": 0.3, \"density\": 1000 },"                         \
  "\"method\": \"frames\", \"frames\": { \"samples\": 320,"                                        \
  "\"positions\": [[0.05, 0.1, 0.1], [0.5, 0.1, 0.1], [0.95, 0.1, 0.1]], \"fixed\": [0] } }] }"

static void press_at(vwStage *stage, vwTool tool, lbVec3 place, bool does) {
  vwView view = view_of(stage);
  double x, y;
  assert_true(vw_view_project(&view, place, &x, &y));
  assert_int_equal(vw_stage_press(stage, 1, tool, &view, x, y), does);
  vw_stage_release(stage, 1, false);
}

static int32_t chosen_of(const vwStage *stage) {
  for (int32_t i = 0; i < vw_stage_frame_count(stage, 0, 0); i++)
    if (vw_stage_frame(stage, 0, 0, i).chosen) return i;
  return -1;
}

// Weights of the chosen frame at the vertices nearest to two places.
static void check_weights(const vwStage *stage, double near, double far, double at_near,
                          double at_far, double tolerance) {
  const lbModel *model = vw_stage_actor(stage, 0).model;
  double *values = lb_alloc((size_t)model->size.vertex_count, 3 * sizeof *values);
  vw_stage_values(stage, 0, 0, 5, values);
  for (int32_t v = 0; v < model->size.vertex_count; v++) {
    double x = model->vertex_positions[3 * v];
    assert_true(values[v] > -0.05 && values[v] < 1.05); // continued beyond samples
    if (fabs(x - near) < 1e-9) check_near(values[v], at_near, tolerance);
    if (fabs(x - far) < 1e-9) check_near(values[v], at_far, tolerance);
  }
  lb_free(values);
}

static void frames_are_chosen_and_their_weights_are_colours(void **state) {
  (void)state;
  vwSettings settings;
  vwStage *stage = stage_of(FRAMES_BAR, &settings);
  assert_int_equal(vw_stage_frame_count(stage, 0, 0), 3);
  assert_int_equal(vw_stage_frame_count(stage, 0, 1), 0); // there is no such body
  assert_int_equal(vw_stage_frame_count(stage, 7, 0), 0);
  press_at(stage, VW_TOOL_FRAME, lb_vec3(0.95, 0.1, 0.1), true);
  assert_int_equal(chosen_of(stage), 2);
  check_weights(stage, 1, 0, 1, 0, 0.05);
  press_at(stage, VW_TOOL_GRAB, lb_vec3(0.5, 0.1, 0.2), true); // the nearest
  assert_int_equal(chosen_of(stage), 1);
  check_weights(stage, 0.5, 0, 1, 0, 0.05);
  assert_int_equal(vw_stage_frame_count(stage, 0, 0), 3);
  vw_stage_destroy(stage);
}

static void a_press_inserts_a_frame_and_it_can_be_removed(void **state) {
  (void)state;
  vwSettings settings;
  vwStage *stage = stage_of(FRAMES_BAR, &settings);
  int32_t tip = tip_of(stage, 0);
  lbVec3 rest = vertex_of(stage, 0, 0, tip);
  press_at(stage, VW_TOOL_FRAME, lb_vec3(0.27, 0.1, 0.2), true);
  assert_string_equal(vw_stage_message(stage), "");
  assert_int_equal(vw_stage_frame_count(stage, 0, 0), 4);
  assert_int_equal(chosen_of(stage), 3);
  assert_true(fabs(vw_stage_frame(stage, 0, 0, 3).position.x - 0.27) < 0.1);
  check_small(lb_length(lb_sub(vertex_of(stage, 0, 0, tip), rest)), 1e-6); // nothing jumps
  vw_stage_advance(stage, 0.1);
  assert_int_equal(vw_stage_flags(stage) & (LB_STEP_NONFINITE | LB_STEP_REFUSED), 0);
  assert_true(vw_stage_frame_remove(stage));
  assert_int_equal(vw_stage_frame_count(stage, 0, 0), 3);
  press_at(stage, VW_TOOL_FRAME, lb_vec3(0.73, 0.1, 0.2), true);
  assert_int_equal(vw_stage_frame_count(stage, 0, 0), 4);
  vw_stage_reset(stage); // as in the beginning
  assert_int_equal(vw_stage_frame_count(stage, 0, 0), 3);
  check_small(lb_length(lb_sub(vertex_of(stage, 0, 0, tip), rest)), 1e-9);
  vw_stage_destroy(stage);
}

static double reached(vwStage *stage, int32_t tip) {
  vw_stage_advance(stage, 0.2);
  assert_int_equal(vw_stage_flags(stage) & (LB_STEP_NONFINITE | LB_STEP_REFUSED), 0);
  return vertex_of(stage, 0, 0, tip).z;
}

static void forces_and_materials_change_while_it_runs(void **state) {
  (void)state;
  vwSettings settings;
  lbError err;
  vwControlState control;
  vwStage *stage = stage_of(FRAMES_BAR, &settings);
  int32_t tip = tip_of(stage, 0);
  double rest = vertex_of(stage, 0, 0, tip).z;
  assert_true(settings.springs == 0);
  settings.gravity_on = 1, settings.gravity = 9.81;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  double by_samples = reached(stage, tip);
  settings.springs = 1;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  check_near(vertex_of(stage, 0, 0, tip).z, by_samples, 0); // nothing jumps
  double both = reached(stage, tip);
  vw_stage_reset(stage); // springs stay
  check_near(vertex_of(stage, 0, 0, tip).z, rest, 1e-12);
  double by_springs = reached(stage, tip);
  printf("  tip at %g by samples, %g by springs, then at %g\n", by_samples, by_springs, both);
  assert_true(by_springs != by_samples &&
              fabs(by_springs - by_samples) < 0.2 * (rest - by_samples));
  vw_stage_control(stage, &settings, vw_control_find("young"), &control);
  assert_true(control.enabled);
  settings.young *= 50, settings.springs = 0;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  vw_stage_reset(stage);
  assert_true(rest - reached(stage, tip) < 0.5 * (rest - by_samples)); // stiffer
  vw_stage_destroy(stage);
  stage = stage_of(SUBSPACE_BAR, &settings);
  settings.springs = 1;
  check_fails(vw_stage_apply(stage, &settings, &err), LB_ERR_UNSUPPORTED, err, "frames");
  assert_true(settings.springs == 0);
  vw_stage_destroy(stage);
}

static void presses_that_cannot_insert_one_say_so(void **state) {
  (void)state;
  vwSettings settings;
  vwStage *stage = stage_of(FRAMES_BAR, &settings);
  press_at(stage, VW_TOOL_FRAME, lb_vec3(0.5, 0.1, 0.6), false);
  assert_non_null(strstr(vw_stage_message(stage), "no body"));
  assert_int_equal(vw_stage_frame_count(stage, 0, 0), 3);
  vw_stage_destroy(stage);
  stage = stage_of(SUBSPACE_BAR, &settings);
  press_at(stage, VW_TOOL_FRAME, lb_vec3(0.5, 0.05, 0.1), true);
  assert_non_null(strstr(vw_stage_message(stage), "\"frames\""));
  assert_false(vw_stage_frame_remove(stage));
  vw_stage_destroy(stage);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(frames_are_chosen_and_their_weights_are_colours),
    cmocka_unit_test(a_press_inserts_a_frame_and_it_can_be_removed),
    cmocka_unit_test(forces_and_materials_change_while_it_runs),
    cmocka_unit_test(presses_that_cannot_insert_one_say_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
