// Ten thousand contacts at once, and what worlds take of memory.
#include "contact_worlds.h"

enum { SIDE = CHECK_SANITIZED ? 8 : 26, MANY = SIDE * SIDE };

// Bytes that are in use, and the most so far.
typedef struct Meter {
  size_t used, most;
} Meter;

static void *allocate(size_t bytes, void *context) {
  Meter *meter = context;
  size_t *kept = aligned_alloc(64, (bytes + 127) / 64 * 64);
  if (!kept) return NULL;
  kept[0] = bytes;
  meter->used += bytes;
  if (meter->used > meter->most) meter->most = meter->used;
  return (char *)kept + 64;
}

static void release(void *at, void *context) {
  Meter *meter = context;
  if (!at) return;
  size_t *kept = (size_t *)(void *)((char *)at - 64);
  meter->used -= kept[0];
  free(kept);
}

static lbModel *block;
static Meter meter;

static int set_up(void **state) {
  (void)state;
  lb_set_allocator(&(lbAllocator){ allocate, release, &meter });
  block = body_model("'mesh':{'generate':'bar','size':[0.2,0.2,0.2],'cells':[4,4,2],'element':"
                     "'brick8'}," SOFT ",'method':'modal','reduce':{'modes':6}");
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  lb_model_destroy(block);
  lb_set_allocator(NULL);
  return 0;
}

// Blocks beside each other on the ground.
static void add_many(lbWorld *world) {
  lbBatchDef def = lb_batch_def();
  lbVec3 *positions = malloc(MANY * sizeof *positions);
  lbBodyId *ids = malloc(MANY * sizeof *ids);
  lbError err;
  for (int i = 0; i < MANY; i++) positions[i] = lb_vec3(0.25 * (i % SIDE), 0.25 * (i / SIDE), 0);
  def.count = MANY, def.positions = positions;
  check_ok(lb_world_add_batch(world, block, &def, ids, &err), err);
  free(positions), free(ids);
}

static void ten_thousand_contacts_are_solved_in_bounded_memory(void **state) {
  (void)state;
  for (int32_t most = 100000; most >= 100; most /= 100) {
    lbWorldSettings settings = lb_world_settings();
    settings.gravity = lb_vec3(0, 0, -9.81), settings.contact = true;
    settings.contacts_most = most;
    meter.most = meter.used;
    size_t before = meter.used;
    lbWorld *world = world_of(&settings);
    add_plane(world, lb_vec3(0, 0, 1));
    add_many(world);
    int32_t flags = lb_world_step(world, 1.0 / 60);
    flags |= lb_world_step(world, 1.0 / 60);
    lbContactStats stats = lb_world_contact_stats(world);
    print_message("%d contacts of %d, %d dropped, %.3g MB\n", (int)stats.contacts, (int)most,
                  (int)stats.dropped, 1e-6 * (double)(meter.most - before));
    if (most >= 16 * MANY) assert_true(stats.contacts >= 15 * MANY && stats.dropped == 0);
    assert_true(stats.contacts <= most);
    assert_true(((flags & LB_STEP_CONTACTS_DROPPED) != 0) == (stats.dropped > 0));
    for (int32_t i = 0; i < lb_world_body_count(world); i += 7) {
      lbBodyReport r = lb_body_report(lb_world_body(world, lb_world_body_at(world, i)));
      assert_true(isfinite(r.kinetic) && isfinite(r.centre.z));
    }
    assert_true(meter.most - before < (size_t)300 << 20);
    lb_world_destroy(world);
  }
}

// With room for fewer contacts than there are places, each block keeps as many as the others and
// stands; filled in their order, the last ones would have none and fall.
static void what_there_is_no_room_for_is_shared_out(void **state) {
  (void)state;
  lbWorldSettings settings = lb_world_settings();
  settings.gravity = lb_vec3(0, 0, -9.81), settings.contact = true;
  settings.contacts_most = 5 * MANY;
  lbWorld *world = world_of(&settings);
  add_plane(world, lb_vec3(0, 0, 1));
  add_many(world);
  int32_t flags = 0;
  for (int i = 0; i < 30; i++) flags |= lb_world_step(world, 1.0 / 60);
  assert_true(flags & LB_STEP_CONTACTS_DROPPED);
  double lowest = INFINITY;
  for (int32_t i = 0; i < lb_world_body_count(world); i++) {
    lbBodyReport r = lb_body_report(lb_world_body(world, lb_world_body_at(world, i)));
    lowest = fmin(lowest, r.centre.z);
  }
  print_message("centres at %.4g m and above\n", lowest);
  assert_true(lowest > 0.09);
  lb_world_destroy(world);
}

// A world of one body has room for what one body can touch, whatever it may have at most; more
// bodies get more, and states go on.
static void memory_follows_the_number_of_bodies(void **state) {
  (void)state;
  lbWorldSettings settings = lb_world_settings();
  settings.gravity = lb_vec3(0, 0, -9.81), settings.contact = true;
  settings.contacts_most = LB_SCENE_CONTACTS_MOST;
  size_t none = meter.used;
  lbWorld *world = world_of(&settings);
  add_plane(world, lb_vec3(0, 0, 1));
  add_block(world, block, lb_vec3(0, 0, 0));
  for (int i = 0; i < 20; i++) lb_world_step(world, 1.0 / 60);
  size_t one = meter.used - none, state_bytes = lb_world_state_bytes(world);
  int32_t contacts = lb_world_contact_count(world);
  for (int i = 1; i < 5; i++) {
    add_block(world, block, lb_vec3(0.3 * i, 0, 0));
    assert_int_equal(lb_world_contact_count(world), contacts); // what was told stays
  }
  print_message("%.3g MB for one body, %.3g MB for five; states of %.3g kB\n", 1e-6 * (double)one,
                1e-6 * (double)(meter.used - none), 1e-3 * (double)state_bytes);
  assert_true(contacts > 4);
  assert_true(one < (size_t)12 << 20); // most of it is what tasks that look at pairs work with
  assert_true(state_bytes < (size_t)1 << 16);
  size_t before = meter.used;
  for (int i = 0; i < 30; i++) lb_world_step(world, 1.0 / 60);
  assert_true(meter.used - before < (size_t)1 << 20); // scratch of bodies that were not stepped yet
  check_near(lb_world_contact_force(world, lb_world_body_at(world, 4)).z, 78.48, 8);
  lb_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(ten_thousand_contacts_are_solved_in_bounded_memory),
    cmocka_unit_test(what_there_is_no_room_for_is_shared_out),
    cmocka_unit_test(memory_follows_the_number_of_bodies),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
