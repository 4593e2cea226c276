// Allocations that fail while a world is filled, stepped, saved and restored: a refused call leaves
// the world as it was.
#include "rigid_bodies.h"

enum { STEPS = 2, BATCH = 2 };

static lbModel *soft, *ball;

static int set_up(void **state) {
  (void)state;
  soft = body_model(BLOCK "," MODAL);
  ball = rigid_ball(0.1, 800);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  lb_model_destroy(soft), lb_model_destroy(ball);
  return 0;
}

// A world and what was added to it so far.
typedef struct Filling {
  lbWorld *world;
  lbBodyId soft, ball, batch[BATCH];
  lbColliderId ground, box;
  lbJointId hinge, slider;
  lbLoadId load;
  lbAttachmentId attachment;
  int32_t probe;
  size_t byte_count;
  char *saved;
} Filling;

// ---- calls -------------------------------------------------------------------------------------

static lbStatus add_ground(Filling *f, lbError *err) {
  lbColliderDef def = lb_collider_def();
  return lb_world_add_collider(f->world, &def, &f->ground, err);
}

static lbStatus add_box(Filling *f, lbError *err) {
  lbColliderDef def = lb_collider_def();
  def.shape = LB_COLLIDER_BOX;
  def.size[0] = def.size[1] = def.size[2] = 0.2;
  def.position = lb_vec3(0.9, 0.1, 0.1);
  return lb_world_add_collider(f->world, &def, &f->box, err);
}

static lbStatus add_soft(Filling *f, lbError *err) {
  lbBodyDef def = lb_body_def();
  return lb_world_add(f->world, soft, &def, &f->soft, err);
}

static lbStatus add_ball(Filling *f, lbError *err) {
  lbBodyDef def = lb_body_def();
  def.position = lb_vec3(0.4, 0.1, 0.1);
  return lb_world_add(f->world, ball, &def, &f->ball, err);
}

static lbStatus add_batch(Filling *f, lbError *err) {
  const lbVec3 positions[BATCH] = { { 0, 0, 0.21 }, { 0.68, 0, 0.1 } };
  lbBatchDef def = lb_batch_def();
  def.count = BATCH, def.positions = positions;
  return lb_world_add_batch(f->world, soft, &def, f->batch, err);
}

static lbStatus add_joint(Filling *f, lbJointKind kind, lbBodyId a, lbBodyId b, lbVec3 place,
                          lbJointId *id, lbError *err) {
  lbJointDef def = lb_joint_def();
  def.kind = kind;
  def.bodies[0] = a, def.bodies[1] = b;
  def.places[0] = def.places[1] = place;
  def.limited = true, def.limits[0] = -0.3, def.limits[1] = 0.3;
  return lb_world_add_joint(f->world, &def, id, err);
}

static lbStatus add_hinge(Filling *f, lbError *err) {
  return add_joint(f, LB_JOINT_HINGE, f->soft, f->ball, lb_vec3(0.25, 0.1, 0.1), &f->hinge, err);
}

static lbStatus add_slider(Filling *f, lbError *err) {
  return add_joint(f, LB_JOINT_SLIDER, f->batch[1], 0, lb_vec3(0.7, 0.1, 0.3), &f->slider, err);
}

static lbStatus set_motor(Filling *f, lbError *err) {
  return lb_world_set_motor(f->world, f->hinge, 1, 5, err);
}

static lbStatus add_load(Filling *f, lbError *err) {
  lbLoad load = lb_load();
  load.body = f->soft, load.point = lb_point_vertex(0), load.force = lb_vec3(1, 0, 0);
  return lb_world_add_load(f->world, &load, &f->load, err);
}

static lbStatus attach(Filling *f, lbError *err) {
  lbAttachment def = lb_attachment();
  def.body = f->batch[0], def.point = lb_point_vertex(3), def.stiffness = 500;
  return lb_world_attach(f->world, &def, &f->attachment, err);
}

static lbStatus add_probe(Filling *f, lbError *err) {
  return lb_world_add_probe(f->world, f->soft, lb_point_vertex(1), &f->probe, err);
}

static lbStatus stop_touching(Filling *f, lbError *err) {
  return lb_world_set_touch(f->world, f->ball, true, 0.3, err);
}

static lbStatus take_steps(Filling *f, lbError *err) {
  (void)err;
  for (int i = 0; i < STEPS; i++) assert_false(lb_world_step(f->world, 1.0 / 60) & LB_STEP_REFUSED);
  return LB_OK;
}

static lbStatus save(Filling *f, lbError *err) {
  return lb_world_save_state(f->world, f->saved, f->byte_count, err);
}

static lbStatus restore(Filling *f, lbError *err) {
  return lb_world_restore_state(f->world, f->saved, f->byte_count, err);
}

static lbStatus remove_hinge(Filling *f, lbError *err) {
  return lb_world_remove_joint(f->world, f->hinge, err);
}

// With the slider that holds it.
static lbStatus remove_sliding(Filling *f, lbError *err) {
  return lb_world_remove(f->world, f->batch[1], err);
}

typedef lbStatus Call(Filling *f, lbError *err);

static Call *const filling_calls[] = { add_soft,  add_ground, add_ball, add_hinge,
                                       add_batch, add_slider, attach,   add_load,
                                       add_probe, set_motor,  add_box,  stop_touching };
static Call *const going_calls[] = { take_steps, save,         take_steps,
                                     restore,    take_steps,   remove_sliding,
                                     take_steps, remove_hinge, take_steps };

// ---- failing -----------------------------------------------------------------------------------

// The bytes of a world, to be freed.
static char *state_of(const lbWorld *world, size_t *byte_count) {
  lbError err;
  *byte_count = lb_world_state_bytes(world);
  char *bytes = calloc(*byte_count, 1);
  check_ok(lb_world_save_state(world, bytes, *byte_count, &err), err);
  return bytes;
}

// Makes a call, and once more where the failing allocation was in it.
static void make_call(Filling *f, CheckedHeap *heap, Call *call) {
  lbError err;
  size_t before_count, after_count;
  int64_t fail_at = heap->fail_at;
  heap->fail_at = -1;
  char *before = state_of(f->world, &before_count);
  heap->fail_at = fail_at;
  lbStatus status = call(f, &err);
  if (status) {
    assert_int_equal(status, LB_ERR_MEMORY);
    assert_true(heap->count > fail_at);
    heap->fail_at = -1;
    char *after = state_of(f->world, &after_count);
    assert_int_equal(after_count, before_count);
    assert_memory_equal(after, before, before_count);
    free(after);
    check_ok(call(f, &err), err);
  }
  free(before);
}

static void make_calls(Filling *f, CheckedHeap *heap) {
  for (size_t i = 0; i < sizeof filling_calls / sizeof *filling_calls; i++)
    make_call(f, heap, filling_calls[i]);
  f->byte_count = lb_world_state_bytes(f->world);
  f->saved = calloc(f->byte_count, 1);
  for (size_t i = 0; i < sizeof going_calls / sizeof *going_calls; i++)
    make_call(f, heap, going_calls[i]);
}

// Where the allocation with this number fails; where there is none, `end` gets the last state.
static bool fill_with_failure(int64_t number, char **end, size_t *end_count) {
  CheckedHeap heap = { .fail_at = -1 };
  lbAllocator allocator = checked_allocator(&heap);
  Filling f = { 0 };
  lb_set_allocator(&allocator);
  f.world = world_with(lb_vec3(0, 0, -9.81), 0.5);
  heap.fail_at = heap.count + number;
  int64_t fail_at = heap.fail_at;
  make_calls(&f, &heap);
  bool failed = heap.count > fail_at && number >= 0;
  size_t count;
  char *state = state_of(f.world, &count);
  if (*end) {
    assert_int_equal(count, *end_count);
    assert_memory_equal(state, *end, count);
    free(state);
  } else {
    *end = state, *end_count = count;
  }
  lb_world_destroy(f.world);
  lb_set_allocator(NULL);
  assert_int_equal(heap.live, 0);
  free(f.saved);
  return failed;
}

static void a_refused_call_leaves_the_world_as_it_was(void **state) {
  (void)state;
  char *end = NULL;
  size_t end_count = 0;
  int64_t number = 0;
  fill_with_failure(INT32_MAX, &end, &end_count); // none fails
  while (fill_with_failure(number, &end, &end_count)) number++;
  print_message("%d allocations\n", (int)number);
  assert_true(number > 100);
  free(end);
}

// Numbers of places far beyond the bodies there are.
static void a_refused_batch_leaves_no_places_behind(void **state) {
  (void)state;
  lbWorld *world = world_with(lb_vec3(0, 0, -9.81), 0.5);
  const int32_t places[BATCH] = { 1, 400 };
  lbBodyId ids[BATCH];
  lbError err;
  add_plane(world, lb_vec3(0, 0, 1));
  add_block(world, ball, lb_vec3(0, 0, 0.1));
  size_t before = lb_world_state_bytes(world);
  lbBatchDef def = lb_batch_def();
  def.count = BATCH, def.body.mode_count = 99;
  assert_int_equal(lb_world_add_batch_at(world, soft, &def, places, ids, &err), LB_ERR_ARGUMENT);
  assert_int_equal(lb_world_add_batch(world, soft, &def, ids, &err), LB_ERR_ARGUMENT);
  assert_int_equal(lb_world_add(world, soft, &def.body, ids, &err), LB_ERR_ARGUMENT);
  assert_int_equal(lb_world_state_bytes(world), before);
  for (int i = 0; i < 10; i++) lb_world_step(world, 1.0 / 60);
  check_near(lb_world_contact_force(world, lb_world_body_at(world, 0)).z,
             9.81 * lb_body_report(lb_world_body(world, lb_world_body_at(world, 0))).mass, 0.5);
  lb_world_destroy(world);
}

// What a joint needed in a world without contact stays when the joint has gone, and grows.
static void bodies_find_room_after_the_last_joint_has_gone(void **state) {
  (void)state;
  lbWorldSettings settings = lb_world_settings();
  lbWorld *world = world_of(&settings);
  lbJointDef def = lb_joint_def();
  lbJointId id;
  lbError err;
  def.bodies[0] = add_block(world, ball, lb_vec3(0, 0, 0));
  check_ok(lb_world_add_joint(world, &def, &id, &err), err);
  check_ok(lb_world_remove_joint(world, id, &err), err);
  for (int i = 0; i < 40; i++) add_block(world, ball, lb_vec3(0.3 * i, 1, 0));
  for (int i = 0; i < STEPS; i++) assert_int_equal(lb_world_step(world, 1.0 / 60), 0);
  lb_world_destroy(world);
}

// In a world without contact nothing is made ahead of a query.
static void a_query_without_memory_is_refused_or_right(void **state) {
  (void)state;
  for (int64_t number = 0, failed = 1; failed; number++) {
    CheckedHeap heap = { .fail_at = -1 };
    lbAllocator allocator = checked_allocator(&heap);
    lbWorldSettings settings = lb_world_settings();
    lbError err;
    lbFound found[2];
    int32_t count = 0;
    lb_set_allocator(&allocator);
    lbWorld *world = world_of(&settings);
    add_block(world, soft, lb_vec3(0, 0, 0));
    heap.fail_at = heap.count + number;
    int64_t fail_at = heap.fail_at;
    lbStatus status =
        lb_world_overlap_sphere(world, lb_vec3(0.1, 0.1, 0.1), 0.05, 2, found, &count, &err);
    failed = heap.count > fail_at;
    if (status != LB_OK) assert_int_equal(status, LB_ERR_MEMORY);
    if (status == LB_OK) assert_int_equal(count, 1); // it could do without
    assert_true(failed || status == LB_OK);
    lb_world_destroy(world);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
  }
}

static void a_sensor_without_memory_fails_or_is_right(void **state) {
  (void)state;
  for (int64_t number = 0, failed = 1; failed; number++) {
    CheckedHeap heap = { .fail_at = -1 };
    lbAllocator allocator = checked_allocator(&heap);
    lbColliderDef def = lb_collider_def();
    lbColliderId sensor;
    lbBodyId found[2];
    lbError err;
    int32_t count = 0;
    def.sensor = true;
    lb_set_allocator(&allocator);
    lbWorld *world = world_with(lb_vec3(0, 0, 0), 0.5);
    add_block(world, soft, lb_vec3(0, 0, -0.1));
    heap.fail_at = heap.count + number;
    int64_t fail_at = heap.fail_at;
    lbStatus status = lb_world_add_collider(world, &def, &sensor, &err);
    if (!status) status = lb_world_overlap_collider(world, sensor, 2, found, &count, &err);
    failed = heap.count > fail_at;
    if (status != LB_OK) assert_int_equal(status, LB_ERR_MEMORY);
    if (status == LB_OK) assert_int_equal(count, 1);
    assert_true(failed || status == LB_OK);
    lb_world_destroy(world);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_refused_call_leaves_the_world_as_it_was),
    cmocka_unit_test(a_refused_batch_leaves_no_places_behind),
    cmocka_unit_test(bodies_find_room_after_the_last_joint_has_gone),
    cmocka_unit_test(a_query_without_memory_is_refused_or_right),
    cmocka_unit_test(a_sensor_without_memory_fails_or_is_right),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
