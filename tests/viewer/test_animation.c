// Recordings of the stage and the files they become: animations, and what capture numbers.
#include "stage_fixture.h"

#include "view/animation.h"
#include "desktop/capture.h"
#include "limber/build.h"
#include "limber/file.h"

#include <unistd.h>

static vwStage *stage_with(const char *json, vwSettings *settings) {
  vwStageDef def = vw_stage_def();
  def.step_budget = INFINITY;
  def.full = true;
  return stage_of_bundle(bundle_of(json), def, settings);
}

static vwAnimation *record(vwStage *stage, int frames) {
  vwAnimation *animation = NULL;
  lbError err;
  check_ok(vw_animation_create(stage, &animation, &err), err);
  for (int i = 0; i < frames; i++) {
    check_ok(vw_animation_add(animation, stage, &err), err);
    vw_stage_advance(stage, 1 / VW_ANIMATION_RATE);
  }
  return animation;
}

static void check_glb(const char *path) {
  char magic[5] = "";
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fread(magic, 1, 4, file), 4);
  fclose(file);
  assert_string_equal(magic, "glTF");
}

static void each_frame_of_simulated_time_is_kept_once(void **state) {
  (void)state;
  vwSettings settings;
  vwStage *stage = stage_with(MODAL_BAR, &settings);
  lbError err;
  vwAnimation *animation = record(stage, 10);
  assert_int_equal(vw_animation_frames(animation), 10);
  int32_t before = vw_animation_frames(animation);
  for (int i = 0; i < 5; i++) check_ok(vw_animation_add(animation, stage, &err), err);
  assert_true(vw_animation_frames(animation) <= before + 1); // time stands still
  vw_stage_reset(stage);
  for (int i = 0; i < 5; i++) {
    check_ok(vw_animation_add(animation, stage, &err), err);
    vw_stage_advance(stage, 1 / VW_ANIMATION_RATE);
  }
  assert_true(vw_animation_frames(animation) >= before + 5); // goes on after a reset
  const char *path = output_path("viewer-animation.glb");
  unlink(path);
  check_ok(vw_animation_save(animation, path, &err), err);
  check_glb(path);
  vw_animation_destroy(animation);
  vw_stage_destroy(stage);
}

static void bodies_with_and_without_a_basis_are_saved_side_by_side(void **state) {
  (void)state;
  vwSettings settings;
  vwStage *stage = stage_with(SUBSPACE_BAR, &settings);
  lbError err;
  settings.compare = 1;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  assert_true(vw_stage_actor_count(stage) >= 2);
  vwAnimation *animation = record(stage, 4);
  const char *path = output_path("viewer-compared.glb");
  unlink(path);
  check_ok(vw_animation_save(animation, path, &err), err);
  check_glb(path);
  vw_animation_destroy(animation);
  vw_stage_destroy(stage);
}

static void what_cannot_be_recorded_or_saved_says_so(void **state) {
  (void)state;
  vwSettings settings;
  vwStage *stage = stage_with(SUBSPACE_BAR, &settings);
  lbError err;
  vwAnimation *animation = record(stage, 1);
  check_fails(vw_animation_save(animation, "none.glb", &err), LB_ERR_ARGUMENT, err, "none.glb");
  vw_animation_destroy(animation);
  animation = record(stage, 3);
  check_fails(vw_animation_save(animation, "/proc/none.glb", &err), LB_ERR_FILE, err, "none.glb");
  assert_true(vw_animation_fits(animation, stage));
  settings.dimension = 3;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  assert_false(vw_animation_fits(animation, stage));
  check_fails(vw_animation_add(animation, stage, &err), LB_ERR_ARGUMENT, err, "cannot continue");
  const char *path = output_path("viewer-changed.glb"); // what there is can be saved
  unlink(path);
  check_ok(vw_animation_save(animation, path, &err), err);
  vw_animation_destroy(animation);
  vw_animation_destroy(NULL);
  vw_stage_destroy(stage);
}

static void recording_with_too_little_memory_fails_cleanly(void **state) {
  (void)state;
  CheckedHeap heap = { .fail_at = -1 };
  lbAllocator allocator = checked_allocator(&heap);
  lb_set_allocator(&allocator);
  vwSettings settings;
  vwStage *stage = stage_with(SUBSPACE_BAR, &settings);
  const char *path = output_path("viewer-memory.glb");
  lbError err;
  lbStatus status = LB_ERR_MEMORY;
  for (int64_t n = 0; status; n++) {
    int64_t live = heap.live;
    vwAnimation *animation = NULL;
    heap.fail_at = heap.count + n;
    status = vw_animation_create(stage, &animation, &err);
    for (int i = 0; i < 3 && !status; i++) {
      status = vw_animation_add(animation, stage, &err);
      vw_stage_advance(stage, 1 / VW_ANIMATION_RATE);
    }
    if (!status) status = vw_animation_save(animation, path, &err);
    heap.fail_at = -1;
    assert_true(!status || status == LB_ERR_MEMORY);
    vw_animation_destroy(animation);
    assert_int_equal(heap.live, live);
    assert_true(n < 10000);
  }
  vw_stage_destroy(stage);
  assert_int_equal(heap.live, 0);
  lb_set_allocator(NULL);
}

// ---- capture -----------------------------------------------------------------------------------

static void enter_empty_folder(char *before, size_t size) {
  char folder[] = "/tmp/limber-capture-XXXXXX";
  assert_non_null(getcwd(before, size));
  assert_non_null(mkdtemp(folder));
  assert_int_equal(chdir(folder), 0);
}

static void leave_folder(const char *before, const char *const *files) {
  char folder[256];
  assert_non_null(getcwd(folder, sizeof folder));
  for (; *files; files++) assert_int_equal(unlink(*files), 0);
  assert_int_equal(chdir(before), 0);
  assert_int_equal(rmdir(folder), 0); // nothing else was left
}

static void files_get_the_next_free_number(void **state) {
  (void)state;
  char before[1024], saved[256];
  lbError err;
  vwCapture *capture = NULL;
  uint8_t rgba[2 * 2 * 4] = { 255, 0, 0, 255 };
  vwSettings settings;
  vwStage *stage = stage_with(MODAL_BAR, &settings);
  enter_empty_folder(before, sizeof before);
  check_ok(vw_capture_create(&capture, &err), err);
  check_ok(vw_capture_picture(capture, 2, 2, rgba, saved, sizeof saved, &err), err);
  assert_string_equal(saved, "limber-001.png");
  check_ok(vw_capture_picture(capture, 2, 2, rgba, saved, sizeof saved, &err), err);
  assert_string_equal(saved, "limber-002.png");
  check_ok(vw_capture_toggle_animation(capture, stage, saved, sizeof saved, &err), err);
  assert_string_equal(saved, "");
  assert_true(vw_capture_has_animation(capture) && vw_capture_frame_due(capture, 0));
  assert_false(vw_capture_has_video(capture) || vw_capture_video_due(capture, 0));
  for (int i = 0; i < 3; i++) {
    check_ok(vw_capture_frame(capture, i, stage, 2, 2, NULL, &err), err);
    vw_stage_advance(stage, 0.1);
  }
  check_ok(vw_capture_toggle_animation(capture, stage, saved, sizeof saved, &err), err);
  assert_string_equal(saved, "limber-001.glb");
  assert_false(vw_capture_has_animation(capture));
  vw_capture_destroy(capture);
  vw_stage_destroy(stage);
  leave_folder(before,
               (const char *const[]){ "limber-001.png", "limber-002.png", "limber-001.glb", NULL });
}

static void a_sketch_that_cannot_be_written_goes_on(void **state) {
  (void)state;
  char before[1024], saved[256];
  lbError err;
  vwCapture *capture = NULL;
  vwSettings settings;
  vwStage *stage = stage_with(SUBSPACE_BAR, &settings);
  vwView view = view_of(stage);
  double x, y;
  vwBox box = vw_stage_rest_box(stage);
  assert_true(vw_view_project(&view, lb_scale(0.5, lb_add(box.low, box.high)), &x, &y));
  check_ok(vw_capture_create(&capture, &err), err);
  vw_stage_sketch_begin(stage);
  assert_true(vw_stage_press(stage, 0, VW_TOOL_GRAB, &view, x, y));
  vw_stage_move(stage, 0, &view, x, y - 80);
  vw_stage_advance(stage, 0.2);
  vw_stage_release(stage, 0, false);
  assert_non_null(getcwd(before, sizeof before));
  assert_int_equal(chdir("/proc"), 0);
  check_fails(vw_capture_sketch(capture, stage, saved, sizeof saved, &err), LB_ERR_FILE, err,
              "limber-001.sketch.json");
  assert_string_equal(saved, "");
  assert_true(vw_stage_sketching(stage));
  assert_int_equal(chdir(before), 0);
  enter_empty_folder(before, sizeof before);
  check_ok(vw_capture_sketch(capture, stage, saved, sizeof saved, &err), err);
  assert_string_equal(saved, "limber-001.sketch.json");
  assert_false(vw_stage_sketching(stage));
  vw_capture_destroy(capture);
  vw_stage_destroy(stage);
  leave_folder(before, (const char *const[]){ "limber-001.sketch.json", NULL });
}

int main(void) {
  if (lb_build_start(1, NULL)) return 1; // the method "full"
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_frame_of_simulated_time_is_kept_once),
    cmocka_unit_test(bodies_with_and_without_a_basis_are_saved_side_by_side),
    cmocka_unit_test(what_cannot_be_recorded_or_saved_says_so),
    cmocka_unit_test(recording_with_too_little_memory_fails_cleanly),
    cmocka_unit_test(files_get_the_next_free_number),
    cmocka_unit_test(a_sketch_that_cannot_be_written_goes_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
