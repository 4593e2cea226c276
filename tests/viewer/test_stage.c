// The stage: a world's bodies in motion, as `limber run` moves them, and what is seen of them.
#include "stage_fixture.h"

#include "render/renderer.h"
#include "stage/stage_parts.h"

// ---- the same as limber run --------------------------------------------------------------------

// Every coordinate of every body in every step, all bits of it.
static void check_run(const char *json) {
  lbScene *scene = scene_of(json);
  lbRunDef def = lb_run_def();
  lbError err;
  lbRun *run;
  def.frame_rate = 1 / scene->time_step;
  check_ok(lb_run(scene, &def, &run, &err), err);
  vwSettings settings;
  vwStage *stage = stage_of(json, &settings);
  const vwActor *actor = stage->cast.roles[0].actor;
  size_t r = (size_t)actor->dimension;
  double q[64], rates[64], largest = 0;
  assert_int_equal(run->bodies[0].shape_count, r);
  assert_int_equal(run->frame_count, scene->step_count + 1);
  for (int32_t frame = 0; frame < run->frame_count; frame++) {
    for (int32_t b = 0; b < actor->count; b++) {
      const double *expected = run->bodies[b].coordinates + r * (size_t)frame;
      lb_body_get_state(actor->bodies[b], q, rates);
      if (memcmp(q, expected, r * sizeof *q)) fail_msg("frame %d, body %d", (int)frame, (int)b);
      lbFrame at = lb_body_frame(actor->bodies[b]);
      const double placement[7] = { at.position.x, at.position.y, at.position.z, at.rotation.x,
                                    at.rotation.y, at.rotation.z, at.rotation.w };
      const double *placed = run->bodies[b].placements + 7 * (size_t)frame;
      for (int i = 0; i < 7; i++) check_near(placement[i], placed[i], 0);
      for (size_t i = 0; i < r; i++) largest = fmax(largest, fabs(q[i]));
    }
    assert_int_equal(vw_stage_advance(stage, scene->time_step), 1);
  }
  assert_true(largest > 0);
  vw_stage_destroy(stage);
  lb_run_destroy(run);
  lb_scene_destroy(scene);
}

static void untouched_it_does_what_limber_run_does(void **state) {
  (void)state;
  check_run(SUBSPACE_BAR);
  check_run(MODAL_BAR);
}

#define MOVING(more, time)                                                                         \
  "{ \"limber\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{ \"name\": \"bar\","                 \
  "\"mesh\": { \"generate\": \"bar\", \"size\": [1, 0.1, 0.1], \"cells\": [8, 1, 1],"              \
  "\"element\": \"brick8\" }, \"material\": { \"model\": \"stvk\", \"young\": 1e7 },"              \
  "\"method\": \"subspace\", \"reduce\": { \"modes\": 6, \"dimension\": 8 }," more " }],"          \
  "\"loads\": [{ \"vertex\": 8, \"force\": [0, 20, 0] },"                                          \
  "{ \"vertex\": 5, \"force\": [0, 0, 9], \"from\": 0, \"to\": 0.1 }],"                            \
  "\"time\": { \"step\": 0.005, \"count\": 40" time " } }"

// Loads that act from the start, integrators, frames that fall, turn and are led.
static void so_do_bodies_that_are_loaded_thrown_and_driven(void **state) {
  (void)state;
  check_run(MOVING("\"fixed\": { \"group\": \"left\" }", ""));
  check_run(MOVING("\"fixed\": { \"group\": \"left\" }", ", \"integrator\": \"euler\""));
  check_run(MOVING("\"position\": [0, 0, 2], \"velocity\": { \"linear\": [0.5, 0, 0],"
                   "\"angular\": [0, 3, 1] }",
                   ""));
  check_run(MOVING("\"fixed\": { \"group\": \"left\" }, \"motion\": { \"times\": [0, 0.08, 0.16],"
                   "\"positions\": [[0, 0, 0], [0, 0.1, 0.1], [0, 0.2, 0]], \"interpolation\":"
                   "\"cubic\", \"cycle\": true }",
                   ""));
}

#define STEMS(count, extra)                                                                        \
  "{ \"limber\": 1, \"bodies\": [{ \"name\": \"stem\", \"mesh\": { \"generate\": \"bar\","         \
  "\"size\": [0.02, 0.02, 0.4], \"cells\": [1, 1, 6], \"element\": \"brick8\" },"                  \
  "\"material\": { \"model\": \"linear\", \"young\": 1e7 }, \"fixed\": { \"group\": \"bottom\" }," \
  "\"method\": \"modal\", \"reduce\": { \"modes\": 5 }, \"instances\": " count extra " }],"        \
  "\"loads\": [{ \"body\": \"stem.1\", \"vertex\": 27, \"force\": [0.3, 0, 0], \"to\": 0.1 }],"    \
  "\"time\": { \"step\": 0.01, \"count\": 10 } }"

static void instances_are_one_actor(void **state) {
  (void)state;
  vwSettings settings;
  check_run(STEMS("3", ", \"position\": [[0, 0, 0], [1, 0, 0], [2, 0, 0]],"
                       "\"velocity\": { \"linear\": [[0, 0, 0], [0, 0, 0], [0, 0.5, 0]] }"));
  vwStage *stage = stage_of(STEMS("100", ", \"position\": [0, 0, 0]"), &settings);
  assert_int_equal(vw_stage_actor_count(stage), 1);
  assert_int_equal(vw_stage_actor(stage, 0).body_count, 100);
  assert_true(settings.rate == 100); // the world's
  assert_true(settings.gravity_on == 0);
  vw_stage_destroy(stage);
}

// ---- what a scene starts with ------------------------------------------------------------------

static void a_model_alone_falls_along_its_down_axis(void **state) {
  (void)state;
  lbBundle *cooked = bundle_of(SUBSPACE_BAR), *bundle;
  lbModel *model;
  lbError err;
  vwSettings settings;
  check_ok(lb_model_create(cooked->models[0], &model, &err), err);
  check_ok(lb_bundle_create(&model, 1, NULL, &bundle, &err), err);
  lb_bundle_destroy(cooked);
  vwStage *stage = stage_of_bundle(bundle, vw_stage_def(), &settings);
  assert_int_equal(vw_stage_actor_count(stage), 1);
  assert_true(settings.rate == 240 && settings.gravity == 9.81 && settings.gravity_on == 1);
  check_near(settings.gravity_elevation, -90, 1e-12);
  assert_string_equal(vw_stage_title(stage), "bar");
  assert_string_equal(vw_stage_hint(stage), "");
  lbVec3 rest = vertex_of(stage, 0, 0, tip_of(stage, 0));
  for (int i = 0; i < 10; i++) vw_stage_step(stage);
  assert_true(vertex_of(stage, 0, 0, tip_of(stage, 0)).z < rest.z);
  vw_stage_destroy(stage);
}

static void a_model_that_is_far_from_the_full_body_warns(void **state) {
  (void)state;
  lbBundle *cooked = bundle_of(SUBSPACE_BAR), *bundle;
  lbModel draft = *cooked->models[0], *model;
  const double figures[6] = { 0.1, 1, 0.02, 0.7, -1, -1 };
  lbError err;
  vwSettings settings;
  draft.size.accuracy_count = 1;
  draft.accuracy_motions = "pinch";
  draft.accuracy_values = figures;
  check_ok(lb_model_create(&draft, &model, &err), err);
  check_ok(lb_bundle_create(&model, 1, NULL, &bundle, &err), err);
  lb_bundle_destroy(cooked);
  vwStage *stage = stage_of_bundle(bundle, vw_stage_def(), &settings);
  assert_non_null(strstr(vw_stage_message(stage), "\"pinch\" has a node that is off by 70 %"));
  vw_stage_destroy(stage);
}

static void the_world_tells_title_hint_view_and_ground(void **state) {
  (void)state;
  vwSettings settings;
  bool shown;
  vwStage *stage = stage_of(
      "{ \"limber\": 1, \"title\": \"A bar\", \"try\": \"Pull it.\","
      "\"view\": { \"from\": [0, -4, 1], \"at\": [0.5, 0, 0], \"fov\": 50, \"ground\": -2 },"
      "\"gravity\": [0, -3, -4], \"bodies\": [{ \"mesh\": { \"generate\": \"bar\","
      "\"cells\": [4, 1, 1] }, \"material\": { \"young\": 1e7 },"
      "\"fixed\": { \"group\": \"left\" }, \"method\": \"modal\" }],"
      "\"time\": { \"step\": 0.1, \"count\": 1 } }",
      &settings);
  assert_string_equal(vw_stage_title(stage), "A bar");
  assert_string_equal(vw_stage_hint(stage), "Pull it.");
  check_near(vw_stage_ground(stage, &shown), -2, 0);
  assert_true(shown);
  vwCamera camera = vw_stage_camera(stage, 800, 600);
  check_near(camera.fov, 50 * LB_PI / 180, 1e-12);
  check_near(camera.at.x, 0.5, 1e-12);
  vwCamera narrow = vw_stage_camera(stage, 390, 780); // shows what 4 : 3 shows from side to side
  check_near(narrow.distance, 8.0 / 3 * camera.distance, 1e-9);
  check_near(vw_stage_camera(stage, 1600, 600).distance, camera.distance, 1e-12);
  assert_true(settings.rate == 240); // ten steps a second are no rate for a viewer
  check_near(settings.gravity, 5, 1e-12);
  check_near(settings.gravity_azimuth, -90, 1e-9);
  vw_stage_destroy(stage);
}

static void a_recording_is_played_and_no_hand_can_touch_it(void **state) {
  (void)state;
  const char *path = output_path("viewer-recording.glb");
  lbScene *scene = scene_of(BAR("full", ""));
  lbBundle *bundle;
  lbError err;
  vwSettings settings;
  check_ok(lb_scene_cook(scene, path, NULL, &err), err);
  lb_scene_destroy(scene);
  check_ok(lb_bundle_load(path, &bundle, &err), err);
  vwStageDef def = vw_stage_def();
  def.step_budget = INFINITY;
  vwStage *stage = stage_of_bundle(bundle, def, &settings);
  int32_t tip = tip_of(stage, 0);
  lbVec3 rest = vertex_of(stage, 0, 0, tip);
  vw_stage_advance(stage, 0.15);
  lbVec3 there = vertex_of(stage, 0, 0, tip);
  assert_true(there.z < rest.z - 0.02);
  vwView view = view_of(stage);
  double x, y;
  assert_true(vw_view_project(&view, lb_vec3(0.5, 0.05, there.z / 4), &x, &y));
  for (int tool = 0; tool < VW_TOOL_FRAME; tool++)
    assert_false(vw_stage_press(stage, 1, (vwTool)tool, &view, x, y));
  assert_string_equal(vw_stage_message(stage), "");
  assert_int_equal(vw_stage_actor(stage, 0).dimension, 0); // drawn by positions
  vw_stage_reset(stage);
  lbVec3 again = vertex_of(stage, 0, 0, tip);
  check_small(lb_length(lb_sub(again, rest)), 1e-9);
  vw_stage_advance(stage, 0.15);
  again = vertex_of(stage, 0, 0, tip);
  check_small(lb_length(lb_sub(again, there)), 1e-12);
  vw_stage_destroy(stage);
}

static void nothing_to_show_is_refused(void **state) {
  (void)state;
  lbBundle empty = { 0 };
  vwStageDef def = vw_stage_def();
  vwSettings settings;
  vwStage *stage = NULL;
  lbError err;
  check_fails(vw_stage_create(&empty, &def, &settings, &stage, &err), LB_ERR_ARGUMENT, err,
              "no model");
  assert_null(stage);
  vw_stage_destroy(NULL);
}

// ---- settings ----------------------------------------------------------------------------------

static void settle(vwStage *stage) {
  for (int i = 0; i < 80; i++) vw_stage_advance(stage, 0.05);
}

static void gravity_follows_the_settings(void **state) {
  (void)state;
  vwSettings settings;
  lbError err;
  vwStage *stage = stage_of(SUBSPACE_BAR, &settings);
  int32_t tip = tip_of(stage, 0);
  lbVec3 rest = vertex_of(stage, 0, 0, tip);
  settings.damping_mass = 9;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  settle(stage);
  double sag = vertex_of(stage, 0, 0, tip).z - rest.z;
  assert_true(sag < -0.05);
  settings.gravity *= 0.5;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  settle(stage);
  check_near((vertex_of(stage, 0, 0, tip).z - rest.z) / sag, 0.5, 0.05);
  settings.gravity_elevation = 0; // sideways, along y
  settings.gravity_azimuth = 90;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  settle(stage);
  check_near((vertex_of(stage, 0, 0, tip).y - rest.y) / -sag, 0.5, 0.05);
  check_small(vertex_of(stage, 0, 0, tip).z - rest.z, 0.01);
  settings.gravity_on = 0;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  settle(stage);
  check_small(lb_length(lb_sub(vertex_of(stage, 0, 0, tip), rest)), 1e-3);
  vw_stage_destroy(stage);
}

static void stiffness_and_density_change_the_sag(void **state) {
  (void)state;
  vwSettings settings;
  lbError err;
  vwStage *stage = stage_of(SUBSPACE_BAR, &settings);
  int32_t tip = tip_of(stage, 0);
  lbVec3 rest = vertex_of(stage, 0, 0, tip);
  assert_true(settings.young == 1e7 && settings.poisson == 0.3 && settings.density == 1000);
  settings.damping_mass = 9;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  settle(stage);
  double sag = vertex_of(stage, 0, 0, tip).z - rest.z;
  settings.young *= 3;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  settle(stage);
  check_near((vertex_of(stage, 0, 0, tip).z - rest.z) / sag, 1 / 3.0, 0.04);
  settings.density *= 3;
  settings.poisson = 0.2;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  settle(stage);
  check_near((vertex_of(stage, 0, 0, tip).z - rest.z) / sag, 1, 0.06);
  vw_stage_destroy(stage);
}

static void refused_settings_are_put_back_and_the_others_count(void **state) {
  (void)state;
  vwSettings settings;
  vwControlState control;
  lbError err;
  vwStage *stage = stage_of(MODAL_BAR, &settings);
  vw_stage_control(stage, &settings, vw_control_find("young"), &control);
  assert_false(control.enabled);
  assert_true(control.why[0] != 0);
  double young = settings.young;
  settings.young = 5;
  settings.speed = 0.5;
  settings.rate = NAN;
  settings.gravity = 1e30;
  settings.tool = 77;
  check_fails(vw_stage_apply(stage, &settings, &err), LB_ERR_UNSUPPORTED, err, "Young");
  assert_true(settings.young == young && settings.speed == 0.5 && settings.rate == 200);
  assert_true(settings.gravity <= 50 && settings.tool == VW_TOOL_COUNT - 1);
  vw_stage_destroy(stage);
}

static void every_control_has_a_state(void **state) {
  (void)state;
  vwSettings settings;
  vwControlState control;
  vwStage *stage = stage_of(SUBSPACE_BAR, &settings);
  for (int32_t i = 0; i < vw_control_count(); i++) {
    vw_stage_control(stage, &settings, i, &control);
    if (vw_control(i)->kind == VW_BUTTON) continue;
    if (!(control.low <= control.value && control.value <= control.high))
      fail_msg("%s is %g, not from %g to %g", vw_control(i)->name, control.value, control.low,
               control.high);
    assert_true(control.value == control.initial);
    assert_true(control.enabled || control.why[0]);
    if (vw_control(i)->kind == VW_CHOICE) assert_true(control.choices[0] != 0);
  }
  vw_stage_destroy(stage);
}

static void a_mode_swings_by_a_tenth_and_the_simulation_rests(void **state) {
  (void)state;
  vwSettings settings;
  lbError err;
  vwStage *stage = stage_of(MODAL_BAR, &settings);
  int32_t tip = tip_of(stage, 0);
  lbVec3 rest = vertex_of(stage, 0, 0, tip);
  vw_stage_advance(stage, 0.1);
  lbVec3 before = vertex_of(stage, 0, 0, tip);
  double time = vw_stage_time(stage), farthest = 0, nearest = 1;
  settings.mode = 1;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  for (int i = 0; i < 40; i++) {
    assert_int_equal(vw_stage_advance(stage, 0.05), 0);
    double moved = lb_length(lb_sub(vertex_of(stage, 0, 0, tip), rest));
    farthest = fmax(farthest, moved);
    nearest = fmin(nearest, moved);
  }
  check_near(farthest, 0.1, 0.01);
  assert_true(nearest < 0.02);
  assert_true(vw_stage_time(stage) == time);
  settings.mode = 2;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  settings.mode = 0;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  lbVec3 after = vertex_of(stage, 0, 0, tip);
  assert_memory_equal(&before, &after, sizeof after);
  vw_stage_destroy(stage);
}

// ---- what is seen ------------------------------------------------------------------------------

static void maps_tell_displacement_speed_and_stress(void **state) {
  (void)state;
  vwSettings settings;
  vwStage *stage = stage_of(SUBSPACE_BAR, &settings);
  const lbModel *model = vw_stage_actor(stage, 0).model;
  size_t count = (size_t)model->size.vertex_count;
  double *values = lb_alloc(count, sizeof(double)), *x = lb_alloc(count, 3 * sizeof(double));
  for (int i = 0; i < 30; i++) vw_stage_step(stage);
  vw_stage_surface(stage, 0, 0, x);
  vw_stage_values(stage, 0, 0, VW_MAP_DISPLACEMENT, values);
  for (size_t v = 0; v < count; v++) {
    lbVec3 rest = lb_vec3_load(model->vertex_positions + 3 * v);
    check_near(values[v], lb_length(lb_sub(lb_vec3_load(x + 3 * v), rest)), 1e-9);
  }
  int32_t tip = tip_of(stage, 0);
  vw_stage_values(stage, 0, 0, VW_MAP_SPEED, values);
  double speed = values[tip];
  lbVec3 before = vertex_of(stage, 0, 0, tip);
  vw_stage_step(stage);
  double moved = lb_length(lb_sub(vertex_of(stage, 0, 0, tip), before));
  check_near(moved / 0.005 / speed, 1, 0.1);
  vw_stage_values(stage, 0, 0, VW_MAP_STRESS, values);
  double largest = 0;
  for (size_t v = 0; v < count; v++) largest = fmax(largest, values[v]);
  assert_true(largest > 1e4 && largest < 1e7);
  vw_stage_values(stage, 0, 0, VW_MAP_NONE, values);
  assert_true(values[tip] == 0);
  lb_free(values);
  lb_free(x);
  vw_stage_destroy(stage);
}

static void boxes_hold_what_is_there(void **state) {
  (void)state;
  vwSettings settings;
  vwStage *stage = stage_of(SUBSPACE_BAR, &settings);
  vwBox rest = vw_stage_rest_box(stage);
  check_near(rest.high.x - rest.low.x, 1, 1e-9);
  check_near(vw_stage_size(stage), 1, 1e-9);
  for (int i = 0; i < 40; i++) vw_stage_step(stage);
  vwBox now = vw_stage_box(stage);
  assert_true(now.low.z < rest.low.z - 0.05); // it sags
  lbVec3 tip = vertex_of(stage, 0, 0, tip_of(stage, 0));
  assert_true(tip.z >= now.low.z - 0.02 && tip.x <= now.high.x + 0.02);
  float placement[7];
  vw_stage_state(stage, 0, placement, NULL, NULL);
  assert_true(placement[0] == 0 && placement[6] == 1);
  vw_stage_destroy(stage);
}

static void reset_is_the_beginning(void **state) {
  (void)state;
  vwSettings settings;
  const char *json = STEMS("3", ", \"position\": [[0, 0, 0], [1, 0, 0], [2, 0, 0]],"
                                "\"velocity\": { \"linear\": [0.2, 0.1, 0] }");
  vwStage *stage = stage_of(json, &settings);
  int32_t tip = 0;
  lbVec3 first[2];
  for (int run = 0; run < 2; run++) {
    for (int i = 0; i < 10; i++) vw_stage_step(stage);
    first[run] = vertex_of(stage, 0, 1, tip);
    vw_stage_reset(stage);
    assert_true(vw_stage_time(stage) == 0);
  }
  assert_memory_equal(&first[0], &first[1], sizeof first[0]);
  vw_stage_destroy(stage);
}

// Materials and damping stay, and so does what has been drawn of the bodies.
static void reset_after_a_change_is_the_beginning_of_the_changed_body(void **state) {
  (void)state;
  vwSettings settings;
  lbError err;
  vwStage *stage = stage_of(SUBSPACE_BAR, &settings);
  int32_t tip = tip_of(stage, 0), generation = vw_stage_generation(stage);
  lbVec3 rest = vertex_of(stage, 0, 0, tip);
  settings.young *= 4;
  settings.damping_mass = 1;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  lbVec3 first[2];
  for (int run = 0; run < 2; run++) {
    vw_stage_reset(stage);
    assert_string_equal(vw_stage_message(stage), "");
    assert_true(vw_stage_time(stage) == 0);
    check_small(lb_length(lb_sub(vertex_of(stage, 0, 0, tip), rest)), 0);
    for (int i = 0; i < 10; i++) vw_stage_step(stage);
    first[run] = vertex_of(stage, 0, 0, tip);
  }
  assert_memory_equal(&first[0], &first[1], sizeof first[0]);
  assert_int_equal(vw_stage_generation(stage), generation);
  vw_stage_destroy(stage);
}

// ---- memory ------------------------------------------------------------------------------------

static void frames_allocate_nothing(void **state) {
  (void)state;
  CheckedHeap heap = { .fail_at = -1 };
  lbAllocator allocator = checked_allocator(&heap);
  vwSettings settings;
  double x, y;
  float q[8], rates[8];
  lb_set_allocator(&allocator);
  vwStage *stage = stage_of(SUBSPACE_BAR, &settings);
  vwView view = view_of(stage);
  assert_true(vw_view_project(&view, lb_vec3(0.9, 0.05, 0.05), &x, &y));
  assert_true(vw_stage_press(stage, 1, VW_TOOL_GRAB, &view, x, y)); // makes a search tree
  int64_t before = heap.count;
  for (int i = 0; i < 20; i++) {
    vw_stage_move(stage, 1, &view, x, y - i);
    vw_stage_advance(stage, 1.0 / 60);
    vw_stage_state(stage, 0, NULL, q, rates);
    (void)vw_stage_box(stage);
    (void)vw_stage_hold(stage, 0);
  }
  assert_int_equal(heap.count, before);
  vw_stage_destroy(stage);
  assert_int_equal(heap.live, 0);
  lb_set_allocator(NULL);
}

static void every_failing_allocation_is_survived(void **state) {
  (void)state;
  CheckedHeap heap = { .fail_at = -1 };
  lbAllocator allocator = checked_allocator(&heap);
  vwSettings settings;
  vwStageDef def = vw_stage_def();
  vwStage *stage = NULL;
  lbError err;
  lb_set_allocator(&allocator);
  lbBundle *bundle = bundle_of(SUBSPACE_BAR);
  lbStatus status = LB_ERR_MEMORY;
  for (int64_t n = 0, live = heap.live; status && n < 200; n++) {
    heap.fail_at = heap.count + n;
    status = vw_stage_create(bundle, &def, &settings, &stage, &err);
    heap.fail_at = -1;
    if (!status) break;
    assert_int_equal(status, LB_ERR_MEMORY);
    assert_int_equal(heap.live, live);
  }
  assert_int_equal(status, LB_OK);
  status = LB_ERR_MEMORY;
  for (int64_t n = 0, live = heap.live; status && n < 40; n++) { // the old bodies stay
    vwSettings wish = settings;
    wish.dimension = 4;
    heap.fail_at = heap.count + n;
    status = vw_stage_apply(stage, &wish, &err);
    heap.fail_at = -1;
    if (!status) break;
    assert_int_equal(status, LB_ERR_MEMORY);
    assert_int_equal(heap.live, live);
    assert_true(wish.dimension == 8 && vw_stage_actor(stage, 0).dimension == 8);
    assert_int_equal(vw_stage_step(stage), 0);
  }
  assert_int_equal(vw_stage_actor(stage, 0).dimension, 4);
  vw_stage_destroy(stage);
  assert_int_equal(heap.live, 0);
  lb_set_allocator(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(untouched_it_does_what_limber_run_does),
    cmocka_unit_test(so_do_bodies_that_are_loaded_thrown_and_driven),
    cmocka_unit_test(instances_are_one_actor),
    cmocka_unit_test(a_model_alone_falls_along_its_down_axis),
    cmocka_unit_test(a_model_that_is_far_from_the_full_body_warns),
    cmocka_unit_test(the_world_tells_title_hint_view_and_ground),
    cmocka_unit_test(a_recording_is_played_and_no_hand_can_touch_it),
    cmocka_unit_test(nothing_to_show_is_refused),
    cmocka_unit_test(gravity_follows_the_settings),
    cmocka_unit_test(stiffness_and_density_change_the_sag),
    cmocka_unit_test(refused_settings_are_put_back_and_the_others_count),
    cmocka_unit_test(every_control_has_a_state),
    cmocka_unit_test(a_mode_swings_by_a_tenth_and_the_simulation_rests),
    cmocka_unit_test(maps_tell_displacement_speed_and_stress),
    cmocka_unit_test(boxes_hold_what_is_there),
    cmocka_unit_test(reset_is_the_beginning),
    cmocka_unit_test(reset_after_a_change_is_the_beginning_of_the_changed_body),
    cmocka_unit_test(frames_allocate_nothing),
    cmocka_unit_test(every_failing_allocation_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
