// Where the ground is: below the whole motion, and nowhere under what falls.
#include "stage_fixture.h"

#define BODY(mesh, more)                                                                           \
  "{ \"limber\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{ \"name\": \"bar\","                 \
  "\"mesh\": { \"generate\": \"bar\", " mesh ", \"element\": \"brick8\" },"                        \
  "\"material\": { \"model\": \"stvk\", \"young\": 2e5, \"density\": 1000 },"                      \
  "\"method\": \"subspace\", \"reduce\": { \"modes\": 6, \"dimension\": 8 }" more " }],"           \
  "\"time\": { \"step\": 0.005, \"count\": 40 } }"
#define LYING "\"size\": [1, 0.2, 0.2], \"cells\": [8, 1, 1]"
#define STANDING "\"size\": [0.2, 0.2, 1], \"cells\": [1, 1, 8]"

// The lowest vertex over some seconds.
static double lowest(vwStage *stage, int32_t steps) {
  double least = INFINITY;
  const lbModel *model = vw_stage_actor(stage, 0).model;
  for (int32_t i = 0; i < steps; i++) {
    for (int32_t v = 0; v < model->size.vertex_count; v++)
      least = fmin(least, vertex_of(stage, 0, 0, v).z);
    vw_stage_step(stage);
  }
  return least;
}

static void what_sags_stays_above_it(void **state) {
  (void)state;
  bool shown;
  vwSettings settings;
  vwStage *stage = stage_of(BODY(LYING, ", \"fixed\": { \"group\": \"left\" }"), &settings);
  double ground = vw_stage_ground(stage, &shown), low = lowest(stage, 300);
  print_message("  lowest %.3g m, ground %.3g m\n", low, ground);
  assert_true(shown);
  assert_true(low < -0.3);   // it hangs
  assert_true(ground < low); // above the ground
  vwCamera camera = vw_stage_camera(stage, 800, 600);
  vwView view = vw_camera_view(&camera, 800, 600);
  double x, y; // and in the picture
  assert_true(vw_view_project(&view, lb_vec3(0.5, 0.1, low), &x, &y) && y < 600);
  vw_stage_destroy(stage);
}

static void what_hangs_from_above_may_stretch(void **state) {
  (void)state;
  bool shown;
  vwSettings settings;
  vwStage *stage = stage_of(BODY(STANDING, ", \"fixed\": { \"group\": \"top\" }"), &settings);
  double ground = vw_stage_ground(stage, &shown), low = lowest(stage, 200);
  print_message("  lowest %.3g m, ground %.3g m\n", low, ground);
  assert_true(shown && ground < low);
  vw_stage_destroy(stage);
}

static void what_stands_stands_on_it(void **state) {
  (void)state;
  bool shown;
  vwSettings settings;
  vwStage *stage = stage_of(BODY(STANDING, ", \"fixed\": { \"group\": \"bottom\" }"), &settings);
  check_small(vw_stage_ground(stage, &shown), 1e-12);
  assert_true(shown);
  vw_stage_destroy(stage);
}

static void what_falls_has_none(void **state) {
  (void)state;
  bool shown;
  vwSettings settings;
  lbError err;
  vwStage *stage = stage_of(BODY(STANDING, ""), &settings);
  vw_stage_ground(stage, &shown);
  assert_false(shown);
  settings.gravity_on = 0; // it floats
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  check_small(vw_stage_ground(stage, &shown), 1e-12);
  assert_true(shown);
  vw_stage_destroy(stage);
}

static void what_is_driven_stays_above_it(void **state) {
  (void)state;
  bool shown;
  vwSettings settings;
  vwStage *stage = stage_of(BODY(STANDING, ", \"fixed\": { \"group\": \"bottom\" }, \"motion\": {"
                                           "\"times\": [0, 0.5, 1], \"positions\": [[0, 0, 0], [0, "
                                           "0, -0.7], [0, 0, 0]] }"),
                            &settings);
  check_near(vw_stage_ground(stage, &shown), -0.7, 0.01);
  assert_true(shown);
  vw_stage_destroy(stage);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_sags_stays_above_it),
    cmocka_unit_test(what_hangs_from_above_may_stretch),
    cmocka_unit_test(what_stands_stands_on_it),
    cmocka_unit_test(what_falls_has_none),
    cmocka_unit_test(what_is_driven_stays_above_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
