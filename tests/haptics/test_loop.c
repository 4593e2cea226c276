// The loop on its own thread: whole snapshots, orders of starting and stopping, counters. Nothing
// here depends on how fast the machine is.
#include "felt_bar.h"

#include "haptics/exchange.h"

#include <pthread.h>
#include <time.h>

static void wait_ms(int ms) {
  struct timespec span = { ms / 1000, 1000000L * (ms % 1000) };
  nanosleep(&span, NULL);
}

// ---- snapshots ---------------------------------------------------------------------------------

enum { WORDS = 500, ROUNDS = 20000 };

typedef struct Blocks {
  lbExchange exchange;
  uint64_t words[3][WORDS];
  atomic_bool ended;
} Blocks;

static void *write_blocks(void *context) {
  Blocks *b = context;
  for (uint64_t round = 1; round <= ROUNDS; round++) {
    uint64_t *block = lb_exchange_block(&b->exchange);
    for (uint64_t i = 0; i < WORDS; i++) block[i] = round * 1000 + i;
    lb_exchange_publish(&b->exchange);
  }
  atomic_store(&b->ended, true);
  return NULL;
}

static void exchanged_blocks_are_whole_and_never_older(void **state) {
  (void)state;
  Blocks *b = calloc(1, sizeof *b);
  pthread_t writer;
  uint64_t last = 0, torn = 0, older = 0;
  lb_exchange_open(&b->exchange, b->words[0], b->words[1], b->words[2]);
  for (uint64_t i = 0; i < WORDS; i++) b->words[1][i] = i; // what the reader has before
  assert_int_equal(pthread_create(&writer, NULL, write_blocks, b), 0);
  for (bool ended = false; !ended;) {
    ended = atomic_load(&b->ended); // before the last look
    const uint64_t *block = lb_exchange_read(&b->exchange);
    for (uint64_t i = 0; i < WORDS; i++) torn += block[i] != block[0] + i;
    older += block[0] < last;
    last = block[0];
  }
  pthread_join(writer, NULL);
  assert_int_equal(torn, 0);
  assert_int_equal(older, 0);
  assert_int_equal(last, ROUNDS * 1000);
  free(b);
}

// Each step begins from coordinates that all hold one number, a new one each tick, with the rates
// its opposite: a torn snapshot would mix numbers.
static void write_pattern(lbBody *body, double time, void *context) {
  (void)time;
  double *next = context, q[64], v[64];
  *next += 1;
  for (int32_t i = 0; i < lb_body_dimension(body); i++) q[i] = *next, v[i] = -*next;
  lb_body_set_state(body, q, v);
}

// A model whose step leaves such a pattern alone does not exist; so what is published is compared
// with what one step makes of the pattern.
static void published_states_are_of_one_tick(void **state) {
  (void)state;
  FeltBar bar = felt_bar(0), twin = felt_bar(0);
  lbError err;
  lbHaptics *haptics;
  lbHapticsDef def = lb_haptics_def();
  double next = 0, q[64], v[64], expected_q[64], expected_v[64];
  def.rate = 4000;
  def.before_step = write_pattern, def.context = &next;
  check_ok(lb_haptics_create(bar.body, &def, &haptics, &err), err);
  check_ok(lb_haptics_start(haptics, &err), err);
  int32_t r = lb_body_dimension(twin.body), compared = 0;
  int64_t last = 0;
  for (int i = 0; i < 300; i++) {
    lbHapticsState now = lb_haptics_state(haptics, q, v);
    assert_true(now.tick >= last);
    if (now.tick > last) {
      double written = (double)(now.tick - 1);
      write_pattern(twin.body, 0, &written);
      lb_body_step(twin.body, 1 / def.rate);
      lb_body_get_state(twin.body, expected_q, expected_v);
      assert_memory_equal(q, expected_q, (size_t)r * sizeof *q);
      assert_memory_equal(v, expected_v, (size_t)r * sizeof *v);
      compared++;
    }
    last = now.tick;
    wait_ms(1);
  }
  lb_haptics_stop(haptics);
  assert_true(compared > 0);
  lb_haptics_destroy(haptics);
  felt_bar_destroy(&bar);
  felt_bar_destroy(&twin);
}

// ---- running -----------------------------------------------------------------------------------

static void device_pushes_the_body_while_others_look_on(void **state) {
  (void)state;
  FeltBar bar = felt_bar(20);
  lbError err;
  lbHaptics *haptics;
  lbHapticsDef def = lb_haptics_def();
  lbHapticsReport report;
  def.radius = 0.05;
  check_ok(lb_haptics_create(bar.body, &def, &haptics, &err), err);
  lb_haptics_set_device(haptics, above(0.06), lb_vec3(0, 0, 0), false);
  check_ok(lb_haptics_start(haptics, &err), err);
  assert_true(lb_haptics_running(haptics));
  assert_int_equal(lb_haptics_tick(haptics, 1e-3), LB_STEP_REFUSED);
  check_fails(lb_haptics_start(haptics, &err), LB_ERR_ARGUMENT, err, "already");
  double most = 0;
  for (int i = 0; i < 300; i++) {
    lb_haptics_set_device(haptics, above(0.06 - 0.0001 * i), lb_vec3(0, 0, -0.1), false);
    lbVec3 force = lb_haptics_force(haptics);
    most = fmax(most, lb_length(force));
    lb_haptics_report(haptics, &report);
    wait_ms(1);
  }
  lb_haptics_stop(haptics);
  lb_haptics_report(haptics, &report);
  assert_true(most > 0 && most <= def.force_limit * (1 + 1e-12));
  assert_true(report.ticks > 0);
  int64_t counted = 0;
  for (int32_t i = 0; i < LB_HAPTICS_BINS; i++) counted += report.bins[i];
  assert_int_equal(counted, report.ticks);
  assert_true(report.step_median <= report.step_p99 && report.step_p99 <= report.step_p999);
  check_small(lb_length(lb_haptics_force(haptics)), 0); // a stopped loop pushes nobody
  assert_int_equal(lb_haptics_state(haptics, NULL, NULL).tick, report.ticks);
  lb_haptics_destroy(haptics);
  felt_bar_destroy(&bar);
}

static void loops_start_stop_and_end_in_any_order(void **state) {
  (void)state;
  FeltBar bar = felt_bar(0);
  lbError err;
  lbHapticsDef def = lb_haptics_def();
  lbHapticsReport report;
  for (int i = 0; i < 8; i++) {
    lbHaptics *haptics = NULL;
    def.rate = i % 2 ? 10000 : 100;
    def.urgent = i % 4 == 3;
    check_ok(lb_haptics_create(bar.body, &def, &haptics, &err), err);
    lb_haptics_stop(haptics); // what does not run
    check_ok(lb_haptics_start(haptics, &err), err);
    if (i < 4) lb_haptics_stop(haptics);
    if (i < 4) lb_haptics_stop(haptics);
    if (i < 2) check_ok(lb_haptics_start(haptics, &err), err);
    lb_haptics_reset_report(haptics);
    wait_ms(5);
    if (i < 2) lb_haptics_stop(haptics);
    if (i < 4) assert_int_equal(lb_haptics_tick(haptics, 1e-3), 0);
    lb_haptics_report(haptics, &report);
    assert_true(report.missed <= report.skipped);
    lb_haptics_destroy(haptics); // the others while they run
  }
  felt_bar_destroy(&bar);
}

static void bins_grow_by_at_most_a_sixteenth(void **state) {
  (void)state;
  check_near(lb_haptics_bin_end(15), 128e-9, 1e-15);
  check_near(lb_haptics_bin_end(31), 256e-9, 1e-15);
  for (int32_t i = 1; i < LB_HAPTICS_BINS; i++) {
    double ratio = lb_haptics_bin_end(i) / lb_haptics_bin_end(i - 1);
    assert_true(ratio > 1 && ratio < 1.0626);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(exchanged_blocks_are_whole_and_never_older),
    cmocka_unit_test(published_states_are_of_one_tick),
    cmocka_unit_test(device_pushes_the_body_while_others_look_on),
    cmocka_unit_test(loops_start_stop_and_end_in_any_order),
    cmocka_unit_test(bins_grow_by_at_most_a_sixteenth),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
