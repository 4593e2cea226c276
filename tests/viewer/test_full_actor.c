// The unreduced simulator on the stage: the same motion as limber run's, the same hands.
#include "stage_fixture.h"

#include "limber/build.h"

#define FULL_BAR BAR("full", "")

static vwStage *make(const char *json, vwSettings *settings) {
  vwStageDef def = vw_stage_def();
  def.step_budget = INFINITY;
  def.full = true;
  return stage_of_bundle(bundle_of(json), def, settings);
}

// Its tolerance is for the eye, so not to the last bit.
static void it_moves_as_limber_run_says(void **state) {
  (void)state;
  lbScene *scene = scene_of(FULL_BAR);
  lbRunDef def = lb_run_def();
  lbError err;
  lbRun *run;
  vwSettings settings;
  check_ok(lb_run(scene, &def, &run, &err), err);
  vwStage *stage = make(FULL_BAR, &settings);
  assert_int_equal(vw_stage_actor(stage, 0).dimension, 0);
  const lbModel *model = vw_stage_actor(stage, 0).model;
  double *nodes = lb_alloc((size_t)model->size.node_count, 3 * sizeof(double)), largest = 0;
  for (int32_t step = 0; step <= run->step_count; step++) {
    vw_stage_nodes(stage, 0, 0, nodes);
    for (int i = 0; i < 3; i++) {
      double moved = nodes[3 * 8 + i] - model->node_positions[3 * 8 + i];
      check_near(moved, run->probes[3 * step + i], 2e-4);
      largest = fmax(largest, fabs(moved));
    }
    assert_int_equal(vw_stage_step(stage), 0);
  }
  assert_true(largest > 0.05);
  lb_free(nodes);
  vw_stage_destroy(stage);
  lb_run_destroy(run);
  lb_scene_destroy(scene);
}

static void without_a_simulator_it_stands_still(void **state) {
  (void)state;
  vwSettings settings;
  vwControlState control;
  vwStage *stage = stage_of(FULL_BAR, &settings);
  int32_t tip = tip_of(stage, 0);
  lbVec3 rest = vertex_of(stage, 0, 0, tip);
  vwView view = view_of(stage);
  assert_int_equal(vw_stage_advance(stage, 0.1), 20);
  lbVec3 now = vertex_of(stage, 0, 0, tip);
  assert_memory_equal(&rest, &now, sizeof now);
  assert_false(vw_stage_press(stage, 1, VW_TOOL_GRAB, &view, 400, 300));
  assert_string_equal(vw_stage_message(stage), "");
  vw_stage_control(stage, &settings, vw_control_find("young"), &control);
  assert_false(control.enabled);
  vw_stage_control(stage, &settings, vw_control_find("mode"), &control);
  assert_false(control.enabled);
  vw_stage_destroy(stage);
}

// The middle of the bar's far end, a little inside.
static lbVec3 far_end(const vwStage *stage) {
  const lbModel *model = vw_stage_actor(stage, 0).model;
  lbVec3 sum = lb_vec3(0, 0, 0);
  int32_t count = 0;
  for (int32_t v = 0; v < model->size.vertex_count; v++)
    if (model->vertex_positions[3 * v] > 0.85) {
      sum = lb_add(sum, vertex_of(stage, 0, 0, v));
      count++;
    }
  return lb_scale(1.0 / count, sum);
}

// Everything that a hand can do, in its own axes and in a turned body's.
static void check_hands(const char *json) {
  vwSettings settings;
  lbError err;
  double x, y;
  vwStage *stage = make(json, &settings);
  settings.gravity_on = 0;
  settings.damping_mass = 6;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  int32_t tip = tip_of(stage, 0);
  lbVec3 rest = vertex_of(stage, 0, 0, tip);
  for (int i = 0; i < 20; i++) vw_stage_advance(stage, 0.05); // the scene's load is over
  vwView view = view_of(stage);
  assert_true(vw_view_project(&view, far_end(stage), &x, &y));
  assert_true(vw_stage_press(stage, 1, VW_TOOL_GRAB, &view, x, y));
  vwHold before = vw_stage_hold(stage, 0);
  vw_stage_move(stage, 1, &view, x, y - 40);
  for (int i = 0; i < 40; i++) vw_stage_advance(stage, 0.05);
  vwHold hold = vw_stage_hold(stage, 0);
  lbVec3 pulled = lb_sub(hold.target, before.point), moved = lb_sub(hold.point, before.point);
  assert_true(lb_dot(moved, pulled) > 0.5 * lb_dot(pulled, pulled));
  assert_true(lb_dot(hold.force, pulled) > 0);
  assert_true(vw_stage_release(stage, 1, true)); // a pin
  lbVec3 there = vw_stage_hold(stage, 0).point;
  for (int i = 0; i < 20; i++) vw_stage_advance(stage, 0.05);
  check_small(lb_length(lb_sub(vw_stage_hold(stage, 0).point, there)), 2e-3);
  vw_stage_release_all(stage);
  for (int i = 0; i < 60; i++) vw_stage_advance(stage, 0.05);
  check_small(lb_length(lb_sub(vertex_of(stage, 0, 0, tip), rest)), 5e-3); // back again
  lbVec3 unpoked = vertex_of(stage, 0, 0, tip);
  assert_true(vw_stage_press(stage, 1, VW_TOOL_POKE, &view, x, y));
  vw_stage_step(stage);
  vw_stage_step(stage);
  lbVec3 origin, direction;
  vw_view_ray(&view, x, y, &origin, &direction);
  assert_true(lb_dot(lb_sub(vertex_of(stage, 0, 0, tip), unpoked), direction) > 0);
  assert_int_equal(vw_stage_flags(stage), 0);
  vw_stage_reset(stage);
  check_small(lb_length(lb_sub(vertex_of(stage, 0, 0, tip), rest)), 1e-12);
  vw_stage_destroy(stage);
}

#define TURNED_BAR                                                                                 \
  "{ \"limber\": 1, \"bodies\": [{ \"name\": \"bar\", \"position\": [1, 2, 3],"                    \
  "\"rotation\": [0, 0, 0.6, 0.8], \"mesh\": { \"generate\": \"bar\", \"size\": [1, 0.1, 0.1],"    \
  "\"cells\": [8, 1, 1] }, \"fixed\": { \"group\": \"left\" },"                                    \
  "\"material\": { \"model\": \"corotated\", \"young\": 2e6, \"poisson\": 0.3 } }],"               \
  "\"time\": { \"step\": 0.01, \"count\": 10 } }"

static void hands_act_on_it(void **state) {
  (void)state;
  check_hands(FULL_BAR);
  check_hands(TURNED_BAR);
}

static void a_ball_pushes_it(void **state) {
  (void)state;
  vwSettings settings;
  lbError err;
  double x, y;
  vwStage *stage = make(FULL_BAR, &settings);
  settings.gravity_on = 0;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  vwCamera camera = vw_camera_of_box(vw_stage_rest_box(stage), 'z');
  camera.azimuth = 0;
  camera.elevation = 1.5;
  vwView view = vw_camera_view(&camera, 800, 600);
  int32_t tip = tip_of(stage, 0);
  lbVec3 rest = vertex_of(stage, 0, 0, tip);
  assert_true(vw_view_project(&view, lb_vec3(0.93, 0.05, 0.1), &x, &y));
  assert_true(vw_stage_press(stage, 1, VW_TOOL_PUSH, &view, x, y));
  camera.elevation = 0;
  view = vw_camera_view(&camera, 800, 600);
  assert_true(vw_view_project(&view, vw_stage_hold(stage, 0).point, &x, &y));
  vw_stage_move(stage, 1, &view, x, y + 40);
  for (int i = 0; i < 20; i++) vw_stage_advance(stage, 0.05);
  assert_true(vertex_of(stage, 0, 0, tip).z < rest.z - 0.02);
  assert_true(vw_stage_hold(stage, 0).force.z < 0);
  vw_stage_destroy(stage);
}

static void material_and_damping_can_be_changed(void **state) {
  (void)state;
  vwSettings settings;
  vwControlState control;
  lbError err;
  vwStage *stage = make(FULL_BAR, &settings);
  int32_t tip = tip_of(stage, 0);
  lbVec3 rest = vertex_of(stage, 0, 0, tip);
  settings.damping_mass = 10;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  for (int i = 0; i < 60; i++) vw_stage_advance(stage, 0.05);
  lbVec3 soft = vertex_of(stage, 0, 0, tip);
  vw_stage_control(stage, &settings, vw_control_find("young"), &control);
  assert_true(control.enabled);
  settings.young *= 4;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  lbVec3 now = vertex_of(stage, 0, 0, tip);
  assert_memory_equal(&soft, &now, sizeof now); // the shape is kept
  for (int i = 0; i < 60; i++) vw_stage_advance(stage, 0.05);
  lbVec3 stiff = vertex_of(stage, 0, 0, tip);
  check_near((stiff.z - rest.z) / (soft.z - rest.z), 0.25, 0.03);
  vw_stage_destroy(stage);
}

static void stress_is_that_of_a_bent_bar(void **state) {
  (void)state;
  vwSettings settings;
  lbError err;
  vwStage *stage = make(FULL_BAR, &settings);
  settings.damping_mass = 10;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  for (int i = 0; i < 60; i++) vw_stage_advance(stage, 0.05);
  const lbModel *model = vw_stage_actor(stage, 0).model;
  double *values = lb_alloc((size_t)model->size.vertex_count, sizeof(double)), root = 0, tip = 0;
  vw_stage_values(stage, 0, 0, 3, values);
  for (int32_t v = 0; v < model->size.vertex_count; v++) {
    double x = model->vertex_positions[3 * v];
    assert_true(isfinite(values[v]) && values[v] >= 0);
    if (x < 0.2) root = fmax(root, values[v]);
    if (x > 0.9) tip = fmax(tip, values[v]);
  }
  // M / W at the root: rho g h b L^2 / 2 / (b h^2 / 6) = 3 rho g L^2 / h = 294 kPa
  assert_true(root > 1e5 && root < 4e5 && tip < 0.2 * root);
  lb_free(values);
  vw_stage_destroy(stage);
}

// A larger body steps 60 times a second at most, in time with the others.
static void large_bodies_take_longer_steps(void **state) {
  (void)state;
  vwSettings settings;
  lbError err;
  vwStage *stage = make("{ \"limber\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{ \"mesh\":"
                        "{ \"generate\": \"bar\", \"cells\": [20, 2, 2], \"element\": \"brick8\" },"
                        "\"fixed\": { \"group\": \"left\" }, \"material\": { \"young\": 1e7 } }],"
                        "\"time\": { \"step\": 0.005, \"count\": 1 } }",
                        &settings);
  settings.rate = 240;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  int32_t tip = tip_of(stage, 0), moves = 0;
  lbVec3 last = vertex_of(stage, 0, 0, tip);
  for (int i = 0; i < 24; i++) {
    vw_stage_step(stage);
    lbVec3 now = vertex_of(stage, 0, 0, tip);
    moves += memcmp(&now, &last, sizeof now) != 0;
    last = now;
  }
  assert_int_equal(moves, 6);
  vw_stage_destroy(stage);
}

int main(void) {
  if (lb_build_start(1, NULL)) return 1; // the method "full"
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(it_moves_as_limber_run_says),
    cmocka_unit_test(without_a_simulator_it_stands_still),
    cmocka_unit_test(hands_act_on_it),
    cmocka_unit_test(a_ball_pushes_it),
    cmocka_unit_test(material_and_damping_can_be_changed),
    cmocka_unit_test(stress_is_that_of_a_bent_bar),
    cmocka_unit_test(large_bodies_take_longer_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
