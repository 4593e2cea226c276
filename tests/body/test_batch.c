// Batches: each body does what it would do alone, to the last bit, on any number of threads.
#include "toy_model.h"
#include "threads/threads.h"

enum { COUNT = 130, STEPS = 25 };

static lbBatchDef batch_def(lbVec3 *positions, lbQuat *rotations) {
  lbBatchDef def = lb_batch_def();
  uint64_t seed = 99;
  for (int i = 0; i < COUNT; i++) {
    positions[i] = lb_vec3(check_random(&seed), check_random(&seed), i);
    rotations[i] =
        lb_quat_from_axis_angle(lb_vec3(1, check_random(&seed), 0.2), 3 * check_random(&seed));
  }
  def.count = COUNT, def.positions = positions, def.rotations = rotations;
  def.body.constrained_points = 4;
  return def;
}

// What happens to body `i` before step `step`: the same calls for a body of a batch and for one of
// its own. Blocks 0, 1, 2 have bodies 0-63, 64-127, 128-129.
static void act(lbBody *body, int i, int step) {
  uint64_t seed = (uint64_t)(1000 * i + step + 1);
  for (int k = 0; k < 3; k++) check_random(&seed);
  lbVec3 push = lb_vec3(check_random(&seed), check_random(&seed), check_random(&seed));
  if (step == 0 && i % 3 == 0)
    body_ok(body, lb_body_apply_impulse(body, lb_point_vertex(i % 50), push));
  if (i % 5 == 1 && step % 2 && (i < 64 || step > 12)) // block 1 stays untouched for a while
    body_ok(body, lb_body_apply_force(body, lb_point_vertex(i % 40), push));
  if (i % 17 == 2 && step == 3) body_ok(body, lb_body_set_gravity(body, lb_scale(9.81, push)));
  if (i % 17 == 2 && step == 9) body_ok(body, lb_body_set_gravity(body, lb_vec3(0, 0, 0)));
  if (i % 29 == 4 && step == 6)
    body_ok(body, lb_body_set_placement(body, push, lb_quat(push.x, push.y, 1, push.z)));
  if (i % 31 == 5 && step == 2)
    body_ok(body, lb_body_set_velocity(body, push, lb_vec3(push.z, 1, 0)));
  if (i % 11 == 3 && (step == 4 || step == 8)) {
    lbPoint points[2] = { lb_point_vertex(20 + i % 7), lb_point_vertex(45) };
    lbConstraintDef c = lb_constraint_def();
    c.kind = (lbConstraintKind)(i % 3);
    c.point_count = 1 + (step == 4), c.points = points;
    body_ok(body, lb_body_add_constraint(body, &c, NULL));
  }
  if (i % 11 == 3 && step == 18) body_ok(body, lb_body_remove_constraint(body, 0));
}

static double step_length(int step) { return step < 20 ? 0.01 : 0.013; }

static uint64_t hash_body(const lbBody *body) {
  double q[BAR_MODES], v[BAR_MODES], x[3 * 3], time = lb_body_time(body);
  const int32_t some[3] = { 0, 20, 40 };
  lb_body_get_state(body, q, v);
  body_ok(body, lb_body_vertices(body, 3, some, x, NULL, NULL));
  uint64_t hash = check_hash(check_hash(0, q, sizeof q), v, sizeof v);
  return check_hash(check_hash(hash, x, sizeof x), &time, sizeof time);
}

// `alone`: which bodies are stepped by themselves instead; 0: none, n: all, if step % n == 0.
static void run_batch(const Toy *toy, int alone, uint64_t *hashes) {
  lbVec3 positions[COUNT];
  lbQuat rotations[COUNT];
  lbBatchDef def = batch_def(positions, rotations);
  lbBatch *batch = NULL;
  lbError err;
  check_ok(lb_batch_create(toy->model, &def, &batch, &err), err);
  assert_int_equal(lb_batch_count(batch), COUNT);
  for (int step = 0; step < STEPS; step++) {
    for (int i = 0; i < COUNT; i++) act(lb_batch_body(batch, i), i, step);
    if (alone && step % alone == 0)
      for (int i = COUNT - 1; i >= 0; i--) lb_body_step(lb_batch_body(batch, i), step_length(step));
    else
      assert_int_equal(lb_batch_step(batch, step_length(step)), 0);
  }
  for (int i = 0; i < COUNT; i++) hashes[i] = hash_body(lb_batch_body(batch, i));
  lb_batch_destroy(batch);
}

static void run_singles(const Toy *toy, uint64_t *hashes) {
  lbVec3 positions[COUNT];
  lbQuat rotations[COUNT];
  lbBatchDef def = batch_def(positions, rotations);
  for (int i = 0; i < COUNT; i++) {
    lbBodyDef one = def.body;
    one.position = positions[i], one.rotation = rotations[i];
    lbBody *body = toy_body(toy, &one);
    for (int step = 0; step < STEPS; step++) {
      act(body, i, step);
      assert_int_equal(lb_body_step(body, step_length(step)), 0);
    }
    hashes[i] = hash_body(body);
    lb_body_destroy(body);
  }
}

static void bodies_of_a_batch_do_what_they_would_do_alone(void **state) {
  (void)state;
  Toy toy = toy_bar();
  static uint64_t single[COUNT], batch[COUNT];
  run_singles(&toy, single);
  run_batch(&toy, 0, batch);
  for (int i = 0; i < COUNT; i++)
    if (single[i] != batch[i]) fail_msg("body %d differs", i);
  run_batch(&toy, 1, batch);
  for (int i = 0; i < COUNT; i++)
    if (single[i] != batch[i]) fail_msg("body %d differs when stepped by itself", i);
  run_batch(&toy, 3, batch);
  for (int i = 0; i < COUNT; i++)
    if (single[i] != batch[i]) fail_msg("body %d differs when stepped now and then by itself", i);
  toy_destroy(&toy);
}

static void backwards(int32_t count, lbTask *task, void *context, void *runner_context) {
  (void)runner_context;
  for (int32_t i = count - 1; i >= 0; i--) task(i, context);
}

static void results_do_not_depend_on_the_task_runner(void **state) {
  (void)state;
  Toy toy = toy_bar();
  static uint64_t plain[COUNT], other[COUNT];
  lbError err;
  run_batch(&toy, 0, plain);
  lb_set_task_runner(backwards, NULL);
  run_batch(&toy, 0, other);
  lb_set_task_runner(NULL, NULL);
  assert_memory_equal(plain, other, sizeof plain);
  check_ok(lb_threads_start(3, &err), err);
  run_batch(&toy, 0, other);
  lb_threads_stop();
  assert_memory_equal(plain, other, sizeof plain);
  toy_destroy(&toy);
}

static void bodies_of_a_batch_can_be_picked_and_shown(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbBatchDef def = lb_batch_def();
  lbVec3 positions[3] = { { 0, 0, 0 }, { 10, 0, 0 }, { 20, 0, 0 } };
  def.count = 3, def.positions = positions;
  lbBatch *batch = NULL;
  lbError err;
  check_ok(lb_batch_create(toy.model, &def, &batch, &err), err);
  for (int i = 0; i < 3; i++) {
    lbPick pick;
    bool hit;
    lbBody *body = lb_batch_body(batch, i);
    body_ok(body, lb_body_pick(body, lb_vec3(10.6, 0.1, 5), lb_vec3(0, 0, -1), &pick, &hit));
    assert_int_equal(hit, i == 1);
  }
  lb_batch_destroy(batch);
  toy_destroy(&toy);
}

static void batches_that_make_no_sense_are_refused(void **state) {
  (void)state;
  Toy toy = toy_whole();
  lbBatch *batch = NULL;
  lbError err;
  lbBatchDef def = lb_batch_def();
  check_fails(lb_batch_create(toy.model, &def, &batch, &err), LB_ERR_ARGUMENT, err, "count is 0");
  lbVec3 positions[3] = { { 0, 0, 0 }, { 0, 0, 0 }, { NAN, 0, 0 } };
  def.count = 3, def.positions = positions;
  check_fails(lb_batch_create(toy.model, &def, &batch, &err), LB_ERR_ARGUMENT, err,
              "body 2: position");
  def.positions = NULL, def.body.mode_count = 99;
  check_fails(lb_batch_create(toy.model, &def, &batch, &err), LB_ERR_ARGUMENT, err,
              "mode_count is 99");
  CheckedHeap heap = { .fail_at = 0 };
  lbAllocator allocator = checked_allocator(&heap);
  lb_set_allocator(&allocator);
  def.body.mode_count = 0, def.count = INT32_MAX, def.body.constrained_points = 256;
  check_fails(lb_batch_create(toy.model, &def, &batch, &err), LB_ERR_MEMORY, err, "memory");
  lb_set_allocator(NULL);
  assert_null(batch);
  def = lb_batch_def();
  def.count = 3;
  check_ok(lb_batch_create(toy.model, &def, &batch, &err), err);
  const double steps[] = { 0, -1, NAN, INFINITY, 2e6 };
  for (int i = 0; i < 5; i++) assert_int_equal(lb_batch_step(batch, steps[i]), LB_STEP_REFUSED);
  assert_true(lb_body_time(lb_batch_body(batch, 2)) == 0);
  lb_batch_destroy(batch);
  lb_batch_destroy(NULL);
  toy_destroy(&toy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bodies_of_a_batch_do_what_they_would_do_alone),
    cmocka_unit_test(results_do_not_depend_on_the_task_runner),
    cmocka_unit_test(bodies_of_a_batch_can_be_picked_and_shown),
    cmocka_unit_test(batches_that_make_no_sense_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
