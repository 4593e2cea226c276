// Bodies whose frames move: free ones that fall, are caught and thrown, driven ones that follow a
// path; what is seen, picked and saved of them, and restarts.
#include "stage_fixture.h"

#include "view/animation.h"
#include "view/gltf.h"
#include "limber/path.h"

#define FREE_BAR(method, gravity)                                                                  \
  "{ \"limber\": 1, \"gravity\": [0, 0, " gravity "], \"bodies\": [{ \"name\": \"bar\","           \
  "\"mesh\": { \"generate\": \"bar\", \"size\": [1, 0.1, 0.1], \"cells\": [8, 1, 1],"              \
  "\"element\": \"brick8\" }, \"position\": [0, 0, 2],"                                            \
  "\"velocity\": { \"linear\": [0.5, 0, 0], \"angular\": [0, 0, 1] },"                             \
  "\"material\": { \"model\": \"stvk\", \"young\": 1e7, \"poisson\": 0.3, \"density\": 1000 },"    \
  "\"damping\": { \"stiffness\": 0.002 }, \"method\": \"" method "\","                             \
  "\"reduce\": { \"modes\": 6 } }], \"time\": { \"step\": 0.005, \"count\": 40 } }"

#define DRIVEN_BAR                                                                                 \
  "{ \"limber\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{ \"name\": \"bar\","                 \
  "\"mesh\": { \"generate\": \"bar\", \"size\": [1, 0.1, 0.1], \"cells\": [8, 1, 1],"              \
  "\"element\": \"brick8\" }, \"fixed\": { \"group\": \"left\" },"                                 \
  "\"motion\": { \"times\": [0, 0.4, 0.8], \"positions\": [[0, 0, 0], [0, 0.5, 0.1], [0, 1, 0]],"  \
  "\"rotations\": [[0, 0, 0, 1], [0, 0, 0.2, 0.98], [0, 0, 0.4, 0.92]],"                           \
  "\"interpolation\": \"cubic\" },"                                                                \
  "\"material\": { \"model\": \"stvk\", \"young\": 1e7, \"poisson\": 0.3, \"density\": 1000 },"    \
  "\"damping\": { \"mass\": 0.2, \"stiffness\": 0.002 },"                                          \
  "\"method\": \"subspace\", \"reduce\": { \"modes\": 5, \"dimension\": 8 } }],"                   \
  "\"time\": { \"step\": 0.005, \"count\": 160 } }"

static lbVec3 place_of(const vwStage *stage, int32_t actor, lbQuat *rotation) {
  float at[7];
  vw_stage_state(stage, actor, at, NULL, NULL);
  if (rotation) *rotation = lb_quat((double)at[3], (double)at[4], (double)at[5], (double)at[6]);
  return lb_vec3((double)at[0], (double)at[1], (double)at[2]);
}

static lbVec3 middle_of(const vwStage *stage, int32_t actor) {
  const lbModel *model = vw_stage_actor(stage, actor).model;
  size_t count = (size_t)model->size.vertex_count;
  double *positions = lb_alloc(count, 3 * sizeof(double));
  lbVec3 sum = lb_vec3(0, 0, 0);
  vw_stage_surface(stage, actor, 0, positions);
  for (size_t v = 0; v < count; v++) sum = lb_add(sum, lb_vec3_load(positions + 3 * v));
  lb_free(positions);
  return lb_scale(1 / (double)count, sum);
}

static void steps(vwStage *stage, int32_t count) {
  for (int32_t i = 0; i < count; i++) vw_stage_step(stage);
}

// Where it falls is known: 2 + 0.05 - g t^2 / 2.
static void check_fall(const char *json) {
  vwSettings settings;
  vwStage *stage = stage_of(json, &settings);
  lbVec3 start = place_of(stage, 0, NULL), middle = middle_of(stage, 0);
  steps(stage, 80); // 0.4 s
  lbVec3 fell = lb_sub(middle_of(stage, 0), middle);
  check_near(fell.z, -0.5 * 9.81 * 0.16, 0.01);
  check_near(fell.x, 0.2, 0.01);
  vwBox box = vw_stage_box(stage);
  assert_true(box.low.z < 1.5);
  // What is drawn is what the library says: the same place by a ray from above.
  lbPick pick;
  int32_t actor, body;
  lbVec3 now = middle_of(stage, 0);
  assert_true(
      vw_stage_pick(stage, lb_add(now, lb_vec3(0, 0, 5)), lb_vec3(0, 0, -1), &actor, &body, &pick));
  check_near(pick.position.z, now.z + 0.05, 0.03);
  lbQuat turned;
  place_of(stage, 0, &turned);
  check_near(2 * atan2(turned.z, turned.w), 0.4, 0.02); // 1 rad/s
  vw_stage_reset(stage);
  check_small(lb_length(lb_sub(place_of(stage, 0, NULL), start)), 1e-6);
  check_small(lb_length(lb_sub(middle_of(stage, 0), middle)), 1e-6);
  steps(stage, 80); // and it does the same again
  check_small(lb_length(lb_sub(middle_of(stage, 0), lb_add(middle, fell))), 1e-9);
  vw_stage_destroy(stage);
}

static void free_bodies_fall_and_start_again(void **state) {
  (void)state;
  check_fall(FREE_BAR("subspace", "-9.81"));
  check_fall(FREE_BAR("modal", "-9.81"));
}

static void a_free_body_is_caught_and_thrown(void **state) {
  (void)state;
  vwSettings settings;
  double x, y;
  vwStage *stage = stage_of(FREE_BAR("subspace", "0"), &settings);
  steps(stage, 40);
  vwView view = view_of(stage);
  lbVec3 before = middle_of(stage, 0);
  assert_true(vw_view_project(&view, before, &x, &y));
  assert_true(vw_stage_press(stage, 1, VW_TOOL_GRAB, &view, x, y));
  for (int i = 0; i < 40; i++) { // by 80 pixels in 0.2 s
    assert_true(vw_stage_move(stage, 1, &view, x, y - 2 * i));
    steps(stage, 1);
  }
  vwHold hold = vw_stage_hold(stage, 0);
  double pulled = lb_length(lb_sub(hold.target, before));
  check_small(lb_length(lb_sub(hold.point, hold.target)) / pulled, 0.3);
  assert_true(vw_stage_release(stage, 1, false));
  lbVec3 let_go = middle_of(stage, 0);
  steps(stage, 20);
  lbVec3 after = middle_of(stage, 0);
  steps(stage, 20);
  lbVec3 first = lb_sub(after, let_go), second = lb_sub(middle_of(stage, 0), after);
  print_message("  thrown at %.3g m/s\n", lb_length(second) / 0.1);
  assert_true(lb_length(second) > 0.05); // it flies on, straight
  check_small(lb_length(lb_sub(first, second)) / lb_length(second), 0.2);
  assert_int_equal(vw_stage_flags(stage) & LB_STEP_NONFINITE, 0);
  vw_stage_destroy(stage);
}

static void a_driven_body_follows_its_path(void **state) {
  (void)state;
  vwSettings settings;
  lbError err;
  lbPath *path = NULL;
  lbPathState at;
  vwStage *stage = stage_of(DRIVEN_BAR, &settings);
  check_ok(lb_world_path(vw_stage_bundle(stage)->world, 0, &path, &err), err);
  for (int i = 0; i < 4; i++) {
    lb_path_at(path, vw_stage_time(stage), &at);
    lbQuat turned;
    lbVec3 now = place_of(stage, 0, &turned);
    check_small(lb_length(lb_sub(now, lb_vec3_load(at.position))), 1e-6);
    check_near(turned.z, at.rotation[2], 1e-6);
    // The clamped end goes along.
    lbVec3 clamp = vertex_of(stage, 0, 0, 0);
    const double *rest = vw_stage_actor(stage, 0).model->vertex_positions;
    double expected[3];
    lb_path_point(&at, rest, expected);
    check_small(lb_length(lb_sub(clamp, lb_vec3_load(expected))), 1e-6);
    steps(stage, 30);
  }
  vw_stage_reset(stage);
  check_small(lb_length(place_of(stage, 0, NULL)), 1e-9);
  lb_path_destroy(path);
  vw_stage_destroy(stage);
}

// A comparison in flight: copies are where the body was, beside each other.
static void copies_go_on_from_where_a_body_is(void **state) {
  (void)state;
  vwSettings settings;
  lbError err;
  vwStage *stage = stage_of(FREE_BAR("subspace", "-9.81"), &settings);
  steps(stage, 60);
  lbVec3 before = place_of(stage, 0, NULL);
  settings.dimension = 4;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  check_small(lb_length(lb_sub(place_of(stage, 0, NULL), before)), 1e-6);
  lbVec3 middle = middle_of(stage, 0);
  steps(stage, 20); // it was falling with 0.3 g
  check_near(middle_of(stage, 0).z - middle.z, -9.81 * (0.3 * 0.1 + 0.005), 0.01);
  vw_stage_destroy(stage);
}

// A driven body goes on along its path at the time that it is, whatever is changed.
static void a_changed_body_stays_on_its_path(void **state) {
  (void)state;
  vwSettings settings;
  lbError err;
  vwStage *stage = stage_of(DRIVEN_BAR, &settings);
  vwStage *same = stage_of(DRIVEN_BAR, &settings);
  steps(stage, 70), steps(same, 70);
  settings.dimension = 6;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  check_near(vw_stage_time(stage), 0.35, 1e-12);
  for (int i = 0; i < 2; i++) {
    lbQuat turned[2];
    lbVec3 away = lb_sub(place_of(stage, 0, &turned[0]), place_of(same, 0, &turned[1]));
    check_small(lb_length(away), 1e-9);
    check_near(turned[0].z, turned[1].z, 1e-9);
    // The shape too, but for two vectors of eight.
    check_small(lb_length(lb_sub(middle_of(stage, 0), middle_of(same, 0))), 5e-3);
    steps(stage, 30), steps(same, 30);
  }
  vw_stage_reset(stage);
  assert_true(vw_stage_time(stage) == 0);
  check_small(lb_length(place_of(stage, 0, NULL)), 1e-9);
  vw_stage_destroy(stage), vw_stage_destroy(same);
}

static vwAnimation *record(vwStage *stage) {
  lbError err;
  vwAnimation *animation = NULL;
  check_ok(vw_animation_create(stage, &animation, &err), err);
  for (int i = 0; i < 12; i++) {
    check_ok(vw_animation_add(animation, stage, &err), err);
    vw_stage_advance(stage, 1 / VW_ANIMATION_RATE);
  }
  return animation;
}

// By the writer of the page.
static void save_as_page(const vwAnimation *animation, const char *path) {
  uint8_t *bytes = NULL;
  size_t count = 0;
  int32_t left_out = 0;
  lbError err;
  check_ok(vw_gltf_write(animation, &bytes, &count, &left_out, &err), err);
  assert_int_equal(left_out, 0);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, count, file), count);
  fclose(file);
  lb_free(bytes);
}

// The saved node, read again as the motion of a scene; in the file's axes up is y.
static void check_saved(const char *path, bool falls) {
  char json[600];
  snprintf(json, sizeof json,
           "{ \"limber\": 1, \"bodies\": [{ \"mesh\": { \"generate\": \"bar\" }, \"material\": {},"
           "\"fixed\": { \"group\": \"left\" }, \"motion\": { \"file\": \"%s\","
           "\"node\": \"bar (subspace) 0\" } }] }",
           strrchr(path, '/') + 1);
  lbScene *scene = scene_of(json);
  const lbPath *motion = scene->bodies[0].motion;
  assert_non_null(motion);
  const lbPathDef *keys = lb_path_keys(motion);
  assert_int_equal(keys->key_count, 12);
  lbPathState first, last;
  lb_path_at(motion, 0, &first);
  double end = keys->times[11];
  lb_path_at(motion, end, &last);
  double up = last.position[1] - first.position[1], along = last.position[2] - first.position[2];
  print_message("  %.4g up, %.4g along z of the file\n", up, along);
  if (falls)
    check_near(up, -0.5 * 9.81 * end * end, 0.05);
  else
    assert_true(along < -0.3); // y of the scene
  lb_scene_destroy(scene);
}

static void moving_bodies_are_saved_with_their_frames(void **state) {
  (void)state;
  static const char *const scenes[] = { FREE_BAR("subspace", "-9.81"), DRIVEN_BAR };
  for (int s = 0; s < 2; s++) {
    vwSettings settings;
    lbError err;
    vwStage *stage = stage_of(scenes[s], &settings);
    vwAnimation *animation = record(stage);
    const char *path = output_path("viewer-moving.glb");
    check_ok(vw_animation_save(animation, path, &err), err);
    check_saved(path, s == 0);
    save_as_page(animation, path);
    check_saved(path, s == 0);
    vw_animation_destroy(animation);
    vw_stage_destroy(stage);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(free_bodies_fall_and_start_again),
    cmocka_unit_test(a_free_body_is_caught_and_thrown),
    cmocka_unit_test(a_driven_body_follows_its_path),
    cmocka_unit_test(copies_go_on_from_where_a_body_is),
    cmocka_unit_test(a_changed_body_stays_on_its_path),
    cmocka_unit_test(moving_bodies_are_saved_with_their_frames),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
