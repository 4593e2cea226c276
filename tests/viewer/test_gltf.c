// Animated .glb files by the run side alone: whole, refused where nothing moved, and without leaks
// when memory runs out. That viewers show what was recorded is tested with the page (tests/web).
#include "stage_fixture.h"

#include "view/animation.h"
#include "view/gltf.h"

static vwAnimation *record(vwStage *stage, int32_t frames) {
  vwAnimation *animation;
  lbError err;
  check_ok(vw_animation_create(stage, &animation, &err), err);
  for (int32_t i = 0; i < frames; i++) {
    check_ok(vw_animation_add(animation, stage, &err), err);
    vw_stage_advance(stage, 0.04);
  }
  assert_int_equal(vw_animation_frames(animation), frames);
  return animation;
}

static uint32_t word_at(const uint8_t *bytes, size_t at) {
  uint32_t value;
  memcpy(&value, bytes + at, sizeof value);
  return value;
}

static void a_recording_becomes_a_whole_glb(void **state) {
  (void)state;
  const char *const scenes[] = { SUBSPACE_BAR, MODAL_BAR };
  for (int i = 0; i < 2; i++) {
    vwSettings settings;
    vwStage *stage = stage_of(scenes[i], &settings);
    vwAnimation *animation = record(stage, 5);
    uint8_t *bytes = NULL;
    size_t count = 0;
    int32_t left_out = -1;
    lbError err;
    check_ok(vw_gltf_write(animation, &bytes, &count, &left_out, &err), err);
    assert_int_equal(left_out, 0);
    assert_int_equal(word_at(bytes, 0), 0x46546C67);
    assert_int_equal(word_at(bytes, 8), count);
    size_t json = word_at(bytes, 12);
    assert_int_equal(28 + json + word_at(bytes, 20 + json), count);
    assert_int_equal(word_at(bytes, 20 + json + 4), 0x004E4942);
    lb_free(bytes);
    vw_animation_destroy(animation);
    vw_stage_destroy(stage);
  }
}

static void a_recording_of_nothing_is_refused(void **state) {
  (void)state;
  vwSettings settings;
  vwStage *stage = stage_of(MODAL_BAR, &settings);
  vwAnimation *animation = record(stage, 1);
  uint8_t *bytes = NULL;
  size_t count = 0;
  int32_t left_out;
  lbError err;
  assert_int_equal(vw_gltf_write(animation, &bytes, &count, &left_out, &err), LB_ERR_ARGUMENT);
  assert_non_null(strstr(err.text, "nothing moved"));
  assert_null(bytes);
  vw_animation_destroy(animation);
  vw_stage_destroy(stage);
}

static void every_failing_allocation_is_survived(void **state) {
  (void)state;
  vwSettings settings;
  vwStage *stage = stage_of(MODAL_BAR, &settings);
  vwAnimation *animation = record(stage, 3);
  lbStatus status = LB_ERR_MEMORY;
  for (int64_t fail_at = 0; status; fail_at++) {
    assert_true(fail_at < 10000);
    CheckedHeap heap = { .fail_at = fail_at };
    lbAllocator failing = checked_allocator(&heap);
    uint8_t *bytes = NULL;
    size_t count = 0;
    int32_t left_out;
    lbError err;
    lb_set_allocator(&failing);
    status = vw_gltf_write(animation, &bytes, &count, &left_out, &err);
    lb_free(bytes);
    lb_set_allocator(NULL);
    if (status) assert_int_equal(status, LB_ERR_MEMORY);
    assert_int_equal(heap.live, 0);
  }
  vw_animation_destroy(animation);
  vw_stage_destroy(stage);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_recording_becomes_a_whole_glb),
    cmocka_unit_test(a_recording_of_nothing_is_refused),
    cmocka_unit_test(every_failing_allocation_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
