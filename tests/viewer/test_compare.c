// Methods of one object: switching with shape and speed kept, and side by side under the same
// hands.
#include "stage_fixture.h"

#include "limber/build.h"

// The subspace model of the bar with modes beside them: two methods, and "full" where there is a
// simulator.
static lbBundle *two_methods(void) {
  lbBundle *subspace = bundle_of(SUBSPACE_BAR), *modal = bundle_of(MODAL_BAR), *bundle;
  lbModel draft = *subspace->models[0], *model;
  const lbModel *m = modal->models[0];
  lbError err;
  draft.size.mode_count = m->size.mode_count;
  draft.size.candidate_count = m->size.candidate_count;
  draft.modal_basis = m->modal_basis;
  draft.modal_eigenvalues = m->modal_eigenvalues;
  draft.modal_damping = m->modal_damping;
  draft.modal_gravity = m->modal_gravity;
  draft.modal_rigid = m->modal_rigid;
  draft.modal_residuals = m->modal_residuals;
  draft.candidate_eigenvalues = m->candidate_eigenvalues;
  draft.candidate_amplitudes = m->candidate_amplitudes;
  draft.candidate_fates = m->candidate_fates;
  check_ok(lb_model_create(&draft, &model, &err), err);
  check_ok(lb_bundle_create(&model, 1, subspace->world, &bundle, &err), err);
  lb_bundle_destroy(subspace);
  lb_bundle_destroy(modal);
  return bundle;
}

static vwStage *make(bool full, vwSettings *settings) {
  vwStageDef def = vw_stage_def();
  def.step_budget = INFINITY;
  def.full = full;
  return stage_of_bundle(two_methods(), def, settings);
}

static void the_methods_of_the_model_can_be_chosen(void **state) {
  (void)state;
  vwSettings settings;
  vwControlState control;
  vwStage *stage = make(false, &settings);
  int32_t method = vw_control_find("method");
  vw_stage_control(stage, &settings, method, &control);
  assert_true(control.enabled && control.high == 1 && control.value == 1);
  assert_memory_equal(control.choices, "modal\0subspace\0", 16);
  vw_stage_destroy(stage);
  stage = make(true, &settings);
  vw_stage_control(stage, &settings, method, &control);
  assert_memory_equal(control.choices, "modal\0subspace\0full\0", 21);
  vw_stage_destroy(stage);
  stage = stage_of(MODAL_BAR, &settings); // one only
  vw_stage_control(stage, &settings, method, &control);
  assert_false(control.enabled);
  vw_stage_control(stage, &settings, vw_control_find("compare"), &control);
  assert_false(control.enabled);
  assert_true(strstr(control.why, "one method") != NULL);
  settings.compare = 1;
  lbError err;
  check_fails(vw_stage_apply(stage, &settings, &err), LB_ERR_UNSUPPORTED, err, "one method");
  assert_true(settings.compare == 0);
  vw_stage_destroy(stage);
}

static void switching_keeps_shape_and_speed(void **state) {
  (void)state;
  vwSettings settings;
  lbError err;
  vwStage *stage = make(true, &settings);
  vw_stage_advance(stage, 0.15);
  int32_t tip = tip_of(stage, 0), generation = vw_stage_generation(stage);
  const double order[] = { 2, 1, 0, 1 }; // full, subspace, modal, subspace
  for (int i = 0; i < 4; i++) {
    lbVec3 before = vertex_of(stage, 0, 0, tip);
    double *speeds[2];
    size_t count = (size_t)vw_stage_actor(stage, 0).model->size.vertex_count;
    for (int k = 0; k < 2; k++) speeds[k] = lb_alloc(count, sizeof(double));
    vw_stage_values(stage, 0, 0, 2, speeds[0]);
    settings.method = order[i];
    check_ok(vw_stage_apply(stage, &settings, &err), err);
    assert_int_equal(vw_stage_generation(stage), ++generation);
    assert_int_equal(vw_stage_actor_count(stage), 1);
    lbVec3 after = vertex_of(stage, 0, 0, tip);
    vw_stage_values(stage, 0, 0, 2, speeds[1]);
    check_small(lb_length(lb_sub(after, before)), 0.01); // it has sagged by some 0.1 m
    check_near(speeds[1][tip] / speeds[0][tip], 1, 0.1);
    for (int k = 0; k < 2; k++) lb_free(speeds[k]);
    vw_stage_advance(stage, 0.02);
  }
  assert_true(settings.dimension == 8); // all vectors of the last method
  vw_stage_destroy(stage);
}

static void r_can_be_changed_while_it_runs(void **state) {
  (void)state;
  vwSettings settings;
  lbError err;
  vwStage *stage = make(false, &settings);
  assert_true(settings.dimension == 8);
  vw_stage_advance(stage, 0.2);
  lbVec3 before = vertex_of(stage, 0, 0, tip_of(stage, 0));
  settings.dimension = 4; // with 3 the bar could bend along one of its sides only
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  assert_int_equal(vw_stage_actor(stage, 0).dimension, 4);
  assert_string_equal(vw_stage_actor(stage, 0).label, "subspace, r = 4");
  lbVec3 after = vertex_of(stage, 0, 0, tip_of(stage, 0));
  print_message("  jump %.17g m, tolerance 0.03\n", lb_length(lb_sub(after, before)));
  check_small(lb_length(lb_sub(after, before)), 0.03);
  settings.dimension = 1e9; // no more than there are
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  assert_true(settings.dimension == 8);
  vw_stage_destroy(stage);
}

static void all_methods_stand_side_by_side(void **state) {
  (void)state;
  vwSettings settings;
  lbError err;
  vwStage *stage = make(true, &settings);
  vw_stage_advance(stage, 0.1);
  settings.compare = 1;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  assert_int_equal(vw_stage_actor_count(stage), 3);
  assert_string_equal(vw_stage_actor(stage, 0).label, "modal, r = 6");
  assert_string_equal(vw_stage_actor(stage, 1).label, "subspace, r = 8");
  assert_string_equal(vw_stage_actor(stage, 2).label, "full, 36 nodes");
  assert_int_equal(vw_stage_actor(stage, 2).dimension, 0);
  vwBox box = vw_stage_rest_box(stage);
  check_near(box.high.x - box.low.x, 1 + 2 * 1.3, 1e-9);
  check_near(vw_stage_size(stage), 1, 1e-9);
  vwView view = view_of(stage);
  int32_t tip = tip_of(stage, 0);
  lbVec3 tips[3];
  for (int32_t i = 0; i < 3; i++) {
    double x, y;
    tips[i] = vertex_of(stage, i, 0, tip);
    assert_true(vw_view_project(&view, tips[i], &x, &y) && x > 0 && x < 800 && y > 0 && y < 600);
    check_small(lb_length(lb_sub(lb_sub(tips[i], tips[0]), lb_vec3(1.3 * i, 0, 0))), 0.02);
  }
  for (int i = 0; i < 10; i++) vw_stage_advance(stage, 0.05);
  // The two that bend alike go on alike.
  lbVec3 a = vertex_of(stage, 1, 0, tip), b = vertex_of(stage, 2, 0, tip);
  check_small(lb_length(lb_sub(lb_sub(b, a), lb_vec3(1.3, 0, 0))), 0.05);
  settings.compare = 0;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  assert_int_equal(vw_stage_actor_count(stage), 1);
  lbVec3 alone = vertex_of(stage, 0, 0, tip);
  check_small(lb_length(lb_sub(alone, lb_sub(a, lb_vec3(1.3, 0, 0)))), 1e-9);
  vw_stage_destroy(stage);
}

// Seen at a slant, copies are at one depth and none looks larger than another.
static void copies_stand_across_the_view(void **state) {
  (void)state;
  vwSettings settings;
  lbError err;
  vwStage *stage = make(true, &settings);
  vwCamera camera = vw_stage_camera(stage, 800, 600);
  camera.azimuth = 0.7;
  vwView view = vw_camera_view(&camera, 800, 600);
  vw_stage_face(stage, &view);
  settings.compare = 1;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  double depths[3], apart = 0;
  for (int32_t i = 0; i < 3; i++) {
    lbVec3 x = vertex_of(stage, i, 0, 0);
    depths[i] = lb_dot(lb_sub(x, view.eye), view.forward);
    apart = lb_length(lb_sub(x, vertex_of(stage, 0, 0, 0)));
  }
  print_message("  depths %.6g, %.6g, %.6g m\n", depths[0], depths[1], depths[2]);
  for (int i = 1; i < 3; i++) check_near(depths[i], depths[0], 1e-9);
  assert_true(apart > 1);
  vw_stage_destroy(stage);
}

static void a_hand_acts_on_all_copies(void **state) {
  (void)state;
  vwSettings settings;
  lbError err;
  int32_t actor, body;
  lbPick pick;
  double x, y;
  vwStage *stage = make(true, &settings);
  settings.compare = 1;
  settings.gravity_on = 0;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  vwCamera camera = vw_stage_camera(stage, 800, 600);
  camera.azimuth = camera.elevation = 0;
  vwView view = vw_camera_view(&camera, 800, 600);
  lbVec3 aim = lb_vec3(1.3 + 0.95, 0.05, 0.05); // the tip of the second
  assert_true(vw_view_project(&view, aim, &x, &y));
  assert_true(vw_stage_press(stage, 1, VW_TOOL_GRAB, &view, x, y));
  assert_int_equal(vw_stage_hold_count(stage), 3);
  vwHold holds[3];
  for (int32_t i = 0; i < 3; i++) holds[i] = vw_stage_hold(stage, i);
  for (int32_t i = 0; i < 3; i++) {
    assert_int_equal(holds[i].actor, i);
    assert_int_equal(holds[i].hand, holds[0].hand);
    check_small(lb_length(lb_sub(lb_sub(holds[i].point, holds[0].point), lb_vec3(1.3 * i, 0, 0))),
                1e-6);
  }
  vw_stage_move(stage, 1, &view, x, y - 20);
  for (int i = 0; i < 60; i++) vw_stage_advance(stage, 0.05);
  double risen = vw_stage_hold(stage, 1).target.z - holds[1].point.z;
  assert_true(risen > 0.03);
  for (int32_t i = 0; i < 3; i++) {
    vwHold now = vw_stage_hold(stage, i);
    check_near(now.point.z - holds[i].point.z, risen, 0.1 * risen);
    assert_true(now.force.z > 0);
  }
  // Methods change under the hand: it stays.
  settings.compare = 0;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  assert_int_equal(vw_stage_hold_count(stage), 1);
  vw_stage_advance(stage, 0.1);
  check_near(vw_stage_hold(stage, 0).point.z - holds[0].point.z, risen, 0.2 * risen);
  assert_true(vw_stage_release(stage, 1, true));
  settings.compare = 1;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  assert_int_equal(vw_stage_hold_count(stage), 3);
  // A poke and a pick on the third.
  assert_true(vw_stage_pick(stage, lb_vec3(2.6 + 0.9, -5, vw_stage_hold(stage, 2).point.z),
                            lb_vec3(0, 1, 0), &actor, &body, &pick));
  assert_int_equal(actor, 2);
  vw_stage_destroy(stage);
}

static void materials_change_only_where_every_copy_can_follow(void **state) {
  (void)state;
  vwSettings settings;
  vwControlState control;
  lbError err;
  vwStage *stage = make(true, &settings);
  int32_t young = vw_control_find("young");
  vw_stage_control(stage, &settings, young, &control);
  assert_true(control.enabled && control.value == 1e7 && control.low <= 1e5 && control.high >= 1e9);
  settings.compare = 1; // with a modal copy
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  vw_stage_control(stage, &settings, young, &control);
  assert_false(control.enabled);
  assert_true(strstr(control.why, "modes") != NULL);
  settings.young = 1e6;
  check_fails(vw_stage_apply(stage, &settings, &err), LB_ERR_UNSUPPORTED, err, "modes");
  assert_true(settings.young == 1e7);
  vw_stage_destroy(stage);
}

int main(void) {
  if (lb_build_start(1, NULL)) return 1; // the method "full"
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_methods_of_the_model_can_be_chosen),
    cmocka_unit_test(switching_keeps_shape_and_speed),
    cmocka_unit_test(r_can_be_changed_while_it_runs),
    cmocka_unit_test(all_methods_stand_side_by_side),
    cmocka_unit_test(copies_stand_across_the_view),
    cmocka_unit_test(a_hand_acts_on_all_copies),
    cmocka_unit_test(materials_change_only_where_every_copy_can_follow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
