// The loop of a tool in a world: the same ticks as the caller's, whole states for others, counters,
// memory, absurd input. Nothing here depends on how fast the machine is.
#include "../world/modal_block.h"

#include "limber/haptics.h"

#include <time.h>

enum { TICKS = 150 };

static void wait_ms(int ms) {
  struct timespec span = { ms / 1000, 1000000L * (ms % 1000) };
  nanosleep(&span, NULL);
}

// A block on the ground with a tool above it.
typedef struct Bench {
  lbWorld *world;
  lbTool *tool;
  lbBodyId body;
} Bench;

static const lbVec3 start = { 0.1, 0.1, 0.23 };

static lbToolDef def_of(bool coupled) {
  lbToolDef def = lb_tool_def();
  def.shape.position = start;
  def.force_limit = 1e4, def.shown = true;
  if (coupled) def.stiffness = 1e4, def.damping = 20;
  return def;
}

static Bench bench_of(const lbToolDef *def) {
  Bench b = { .world = world_with(lb_vec3(0, 0, -9.81), 0.5) };
  lbError err;
  add_plane(b.world, lb_vec3(0, 0, 1));
  b.body = add_block(b.world, block, lb_vec3(0, 0, 0));
  check_ok(lb_tool_create(b.world, def, &b.tool, &err), err);
  return b;
}

static void bench_destroy(Bench *b) {
  lb_tool_destroy(b->tool);
  lb_world_destroy(b->world);
}

// ---- the same ticks ----------------------------------------------------------------------------

static void tick_until(Bench *b, int64_t tick, lbVec3 device) {
  while (lb_tool_state(b->tool).tick < tick)
    lb_tool_tick(b->tool, device, lb_quat_identity(), 0.001);
}

static void check_same_surface(const Bench *a, const Bench *b) {
  int32_t count = 3 * block->size.vertex_count;
  double *x = calloc((size_t)count, sizeof *x), *y = calloc((size_t)count, sizeof *y);
  lb_body_surface(lb_world_body(a->world, a->body), x);
  lb_body_surface(lb_world_body(b->world, b->body), y);
  assert_memory_equal(x, y, (size_t)count * sizeof *x);
  free(x), free(y);
}

// A loop and a caller of lb_tool_tick with a device that stands below the block's top: what others
// read of the loop while it runs is what the caller has after as many ticks, to the bit.
static void the_loop_makes_the_ticks_of_a_caller(void **state) {
  (void)state;
  for (int coupled = 0; coupled < 2; coupled++) {
    lbToolDef def = def_of(coupled);
    Bench looped = bench_of(&def), twin = bench_of(&def), shown = bench_of(&def);
    lbVec3 device = lb_sub(start, lb_vec3(0, 0, 0.03));
    lbError err;
    assert_int_equal(lb_tool_set_device(looped.tool, device, lb_quat_identity()), LB_OK);
    check_ok(lb_tool_start(looped.tool, &err), err);
    double most = 0;
    int32_t compared = 0;
    for (int64_t last = 0; last < TICKS; wait_ms(1)) {
      lbToolState now = lb_tool_state(looped.tool);
      assert_true(now.tick >= last);
      last = now.tick;
      tick_until(&twin, now.tick, device);
      lbToolState expected = lb_tool_state(twin.tool);
      assert_memory_equal(&now.position, &expected.position, sizeof now.position);
      assert_memory_equal(&now.force, &expected.force, sizeof now.force);
      assert_memory_equal(&now.torque, &expected.torque, sizeof now.torque);
      assert_true(now.time == expected.time && now.flags == expected.flags);
      if (now.tick > 0) check_ok(lb_tool_show(looped.tool, shown.world, &err), err);
      most = fmax(most, now.force.z);
      compared++;
    }
    lb_tool_stop(looped.tool);
    lbToolState end = lb_tool_state(looped.tool);
    check_small(lb_length(end.force) + lb_length(end.torque), 0); // a stopped loop pushes nobody
    tick_until(&twin, end.tick, device);
    check_same_surface(&looped, &twin);
    check_ok(lb_tool_show(looped.tool, shown.world, &err), err);
    assert_true(lb_world_time(shown.world) == lb_world_time(twin.world));
    check_same_surface(&shown, &twin);
    print_message("%s: %d states of %d ticks compared, up to %.3g N\n", coupled ? "coupled" : "led",
                  (int)compared, (int)end.tick, most);
    assert_true(most > 1);
    bench_destroy(&looped), bench_destroy(&twin), bench_destroy(&shown);
  }
}

// ---- counters ----------------------------------------------------------------------------------

typedef struct Dawdler {
  lbTool *tool;
  int calls;
  lbVec3 device;
} Dawdler;

// The third tick takes more than five periods; the device answers at once.
static void dawdle(lbWorld *world, double time, void *context) {
  Dawdler *d = context;
  (void)world, (void)time;
  if (++d->calls == 3) wait_ms(25);
  lb_tool_set_device(d->tool, d->device, lb_quat_identity());
}

static void ticks_that_take_too_long_are_counted(void **state) {
  (void)state;
  Dawdler dawdler = { .device = { 0.1, 0.1, 0.5 } };
  lbToolDef def = def_of(false);
  def.period = 0.005, def.before_step = dawdle, def.context = &dawdler;
  Bench b = bench_of(&def);
  lbError err;
  lbHapticsReport report;
  dawdler.tool = b.tool;
  check_ok(lb_tool_start(b.tool, &err), err);
  assert_true(lb_tool_running(b.tool));
  assert_int_equal(lb_tool_tick(b.tool, start, lb_quat_identity(), 0.001), LB_STEP_REFUSED);
  check_fails(lb_tool_start(b.tool, &err), LB_ERR_ARGUMENT, err, "already");
  while (lb_tool_state(b.tool).tick < 5) wait_ms(1);
  lb_tool_stop(b.tool);
  lb_tool_stop(b.tool);
  lb_tool_report(b.tool, &report);
  print_message("%d ticks, %d too long, %d late, %d left out, worst %.3g s\n", (int)report.ticks,
                (int)report.overran, (int)report.missed, (int)report.skipped, report.step_worst);
  assert_true(report.overran >= 1 && report.missed >= 1 && report.skipped >= 3);
  assert_true(report.step_worst >= 0.025 && report.ticks == lb_tool_state(b.tool).tick);
  assert_true(lb_tool_state(b.tool).position.z > start.z); // it went after the device
  lb_tool_reset_report(b.tool);
  lb_tool_report(b.tool, &report);
  assert_true(report.overran == 0 && report.missed == 0 && report.step_worst == 0);
  bench_destroy(&b);
}

// ---- memory and absurd input -------------------------------------------------------------------

// Whether a tool could be made and started where the Nth allocation for it fails.
static bool try_with_memory(bool coupled, int64_t n) {
  CheckedHeap heap = { .fail_at = -1 };
  lbAllocator allocator = checked_allocator(&heap);
  lbToolDef def = def_of(coupled);
  lbTool *tool = NULL;
  lbError err;
  lb_set_allocator(&allocator);
  lbWorld *world = world_with(lb_vec3(0, 0, -9.81), 0.5);
  add_plane(world, lb_vec3(0, 0, 1));
  add_block(world, block, lb_vec3(0, 0, 0));
  heap.fail_at = heap.count + n;
  lbStatus status = lb_tool_create(world, &def, &tool, &err);
  if (!status) status = lb_tool_start(tool, &err);
  if (!status) {
    while (lb_tool_state(tool).tick < 3) wait_ms(1);
    lb_tool_stop(tool);
    int64_t before = heap.count;
    double most = 0;
    for (int i = 0; i < 40; i++) {
      lb_tool_tick(tool, lb_sub(start, lb_vec3(0, 0, 0.03)), lb_quat_identity(), 0.001);
      most = fmax(most, lb_tool_state(tool).force.z);
    }
    assert_true(most > 1);
    assert_int_equal(heap.count, before);
  }
  lb_tool_destroy(tool);
  lb_world_destroy(world);
  lb_set_allocator(NULL);
  assert_int_equal(heap.live, 0);
  if (status) assert_int_equal(status, LB_ERR_MEMORY);
  return !status;
}

static void nothing_leaks_when_memory_runs_out_and_ticks_take_none(void **state) {
  (void)state;
  for (int coupled = 0; coupled < 2; coupled++) {
    int64_t n = 0;
    while (!try_with_memory(coupled, n)) assert_true(++n < 200);
    print_message("%s: %d allocations failed\n", coupled ? "coupled" : "led", (int)n);
  }
}

static void absurd_devices_and_calls_are_refused(void **state) {
  (void)state;
  lbToolDef def = def_of(false);
  Bench b = bench_of(&def);
  lbWorld *other = world_with(lb_vec3(0, 0, 0), 0.5);
  lbTool *none = NULL;
  lbError err;
  lbQuat turn = lb_quat_identity();
  const lbVec3 absurd[] = { { NAN, 0, 0 }, { 0, INFINITY, 0 }, { 0, 0, 1e200 } };
  assert_int_equal(lb_tool_set_device(b.tool, lb_vec3(0.1, 0.1, 0.3), turn), LB_OK);
  for (int i = 0; i < 3; i++)
    assert_int_equal(lb_tool_set_device(b.tool, absurd[i], turn), LB_ERR_ARGUMENT);
  assert_int_equal(lb_tool_set_device(b.tool, start, lb_quat(0, 0, 0, 0)), LB_ERR_ARGUMENT);
  assert_int_equal(lb_tool_set_device(b.tool, start, lb_quat(NAN, 0, 0, 1)), LB_ERR_ARGUMENT);
  check_fails(lb_tool_show(b.tool, b.world, &err), LB_ERR_ARGUMENT, err, "tick");
  check_ok(lb_tool_start(b.tool, &err), err);
  while (lb_tool_state(b.tool).tick < 50) wait_ms(1);
  lb_tool_stop(b.tool);
  check_near(lb_tool_state(b.tool).position.z, 0.3, 1e-12); // the last good device
  check_fails(lb_tool_show(b.tool, other, &err), LB_ERR_ARGUMENT, err, "state of the world");
  lb_world_destroy(other);
  bench_destroy(&b);
  const double periods[] = { 0, -1, 1e-5, 1, NAN, INFINITY };
  for (size_t i = 0; i < sizeof periods / sizeof *periods; i++) {
    lbWorld *world = world_with(lb_vec3(0, 0, 0), 0.5);
    def.period = periods[i];
    check_fails(lb_tool_create(world, &def, &none, &err), LB_ERR_ARGUMENT, err, "period");
    lb_world_destroy(world);
  }
  def = def_of(false), def.shown = false;
  b = bench_of(&def);
  check_fails(lb_tool_show(b.tool, b.world, &err), LB_ERR_ARGUMENT, err, "shown");
  check_ok(lb_tool_start(b.tool, &err), err);
  bench_destroy(&b); // while it runs
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_loop_makes_the_ticks_of_a_caller),
    cmocka_unit_test(ticks_that_take_too_long_are_counted),
    cmocka_unit_test(nothing_leaks_when_memory_runs_out_and_ticks_take_none),
    cmocka_unit_test(absurd_devices_and_calls_are_refused),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
