// Warped bodies: the same bits in any order, states, batches, memory.
#include "warp_bodies.h"

// ---- the same bits -----------------------------------------------------------------------------

static void run_backwards(int32_t count, lbTask *task, void *context, void *runner_context) {
  (void)runner_context;
  for (int32_t i = count - 1; i >= 0; i--) task(i, context);
}

static uint64_t state_hash(lbBody *body) {
  size_t bytes = lb_body_state_bytes(body);
  void *saved = calloc(1, bytes);
  body_ok(body, lb_body_save_state(body, saved, bytes));
  uint64_t hash = check_hash(0, saved, bytes);
  free(saved);
  return hash;
}

static void tasks_in_any_order_give_the_same_bits(void **state) {
  (void)state;
  static const char *const forms[] = { "'rotation':'element'", "'rotation':'edges'" };
  for (int f = 0; f < 2; f++) {
    char text[500];
    snprintf(
        text, sizeof text,
        "{'limber':1,'bodies':[{'name':'bar','method':'warp','mesh':{'generate':'bar','size':"
        "[1,0.5,0.5],'cells':[24,12,12],'element':'tet4'},'material':{'young':1e5},'warp':{%s}" HELD
        "}]}",
        forms[f]);
    lbModel *model = model_of(text);
    lbBodyDef def = euler();
    def.gravity = lb_vec3(0, 3, -9.81);
    uint64_t hashes[2];
    for (int k = 0; k < 2; k++) {
      lbBody *body = body_of(model, &def);
      if (k) lb_set_task_runner(run_backwards, NULL);
      steps(body, 3, 0.01);
      lb_set_task_runner(NULL, NULL);
      hashes[k] = state_hash(body);
      lb_body_destroy(body);
    }
    assert_true(hashes[0] == hashes[1]);
    lb_model_destroy(model);
  }
}

static void every_level_moves_alike(void **state) {
  (void)state;
  static const char *const forms[] = { "'rotation':'element'", "'rotation':'fit'",
                                       "'rotation':'edges'", "'strain':'green'",
                                       "'stretch_limit':1.01" };
  for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
    char text[500];
    snprintf(text, sizeof text, SCENE(BEAM, ",'warp':{%s,'iterations':100}" HELD), forms[f]);
    lbModel *model = model_of(text);
    lbBodyDef def = euler();
    def.gravity = lb_vec3(0, 3, -9.81);
    lbBody *bodies[LB_SIMD_LEVEL_COUNT] = { NULL };
    uint64_t plain = 0;
    for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
      if (!lb_simd_has((lbSimdLevel)level)) continue;
      bodies[level] = body_at(model, &def, (lbSimdLevel)level);
      steps(bodies[level], 60, 0.01);
      for (int32_t n = 0; n < model->size.node_count; n++)
        check_small(distance(where(bodies[level], n), where(bodies[0], n)), 1e-6);
      if (level == LB_SIMD_PORTABLE) plain = state_hash(bodies[level]);
      if (level == LB_SIMD_BASE) assert_true(state_hash(bodies[level]) == plain);
    }
    for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) lb_body_destroy(bodies[level]);
    lb_model_destroy(model);
  }
}

static void a_restored_body_and_one_of_a_batch_go_on_to_the_bit(void **state) {
  (void)state;
  for (int loose = 0; loose < 2; loose++) {
    lbModel *model = model_of(loose ? SCENE(BEAM, "") : SCENE(BEAM, HELD));
    lbBatchDef batch_def = lb_batch_def();
    lbBatch *batch = NULL;
    lbError err;
    batch_def.count = 3;
    batch_def.body.gravity = lb_vec3(0, 1, -9.81);
    check_ok(lb_batch_create(model, &batch_def, &batch, &err), err);
    lbBody *body = body_of(model, &batch_def.body);
    size_t bytes = lb_body_state_bytes(body);
    void *saved = malloc(bytes);
    for (int i = 0; i < 30; i++) {
      if (i == 10) body_ok(body, lb_body_save_state(body, saved, bytes));
      assert_int_equal(lb_body_step(body, 0.01), 0);
      assert_int_equal(lb_batch_step(batch, 0.01), 0);
    }
    uint64_t end = state_hash(body);
    assert_true(state_hash(lb_batch_body(batch, 2)) == end);
    body_ok(body, lb_body_restore_state(body, saved, bytes));
    steps(body, 20, 0.01);
    assert_true(state_hash(body) == end);
    lb_body_destroy(body);
    lb_batch_destroy(batch);
    free(saved);
    lb_model_destroy(model);
  }
}

static void a_step_takes_no_memory(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE(BEAM, HELD));
  lbBodyDef def = euler();
  def.gravity = lb_vec3(0, 0, -9.81);
  lbBody *body = body_of(model, &def);
  hold(body, 5, lb_vec3(0.9, 0.3, 0.2));
  steps(body, 2, 0.01);
  CheckedHeap heap = { .fail_at = -1 };
  lbAllocator counting = checked_allocator(&heap);
  lb_set_allocator(&counting);
  steps(body, 5, 0.01);
  lb_set_allocator(NULL);
  assert_int_equal(heap.count, 0);
  lb_body_destroy(body), lb_model_destroy(model);
}

static void failed_allocations_leave_nothing_behind(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE(BEAM, HELD));
  lbBodyDef def = euler();
  bool made = false;
  for (int64_t n = 0; !made && n < 200; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator failing = checked_allocator(&heap);
    lbBody *body = NULL;
    lbError err;
    lb_set_allocator(&failing);
    lbStatus status = lb_body_create(model, &def, &body, &err);
    made = status == LB_OK;
    if (!made) assert_int_equal(status, LB_ERR_MEMORY);
    lb_body_destroy(body);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
  }
  assert_true(made);
  lb_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(tasks_in_any_order_give_the_same_bits),
    cmocka_unit_test(every_level_moves_alike),
    cmocka_unit_test(a_restored_body_and_one_of_a_batch_go_on_to_the_bit),
    cmocka_unit_test(a_step_takes_no_memory),
    cmocka_unit_test(failed_allocations_leave_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
