// The thread pool: every task once, nested loops, several callers, start and stop.
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>

#include "threads/threads.h"

enum { ITEMS = 10007 };

static void start(int32_t count) {
  lbError err = { 0 };
  check_ok(lb_threads_start(count, &err), err);
}

static void count_items(int32_t begin, int32_t end, void *context) {
  atomic_int *visits = context;
  for (int32_t i = begin; i < end; i++) atomic_fetch_add(&visits[i], 1);
}

static void every_item_is_visited_once(void **state) {
  (void)state;
  atomic_int *visits = calloc(ITEMS, sizeof *visits);
  for (int32_t threads = 1; threads <= 5; threads++) {
    start(threads);
    assert_int_equal(lb_threads_count(), threads);
    for (int32_t i = 0; i < ITEMS; i++) visits[i] = 0;
    for (int32_t grain = 1; grain < 2 * ITEMS; grain *= 7)
      lb_parallel_for(ITEMS, grain, count_items, visits);
    for (int32_t i = 1; i < ITEMS; i++) assert_int_equal(visits[i], visits[0]);
  }
  lb_threads_stop();
  free(visits);
}

static void many_short_loops_follow_each_other(void **state) {
  (void)state;
  atomic_int visits[4] = { 0 };
  start(4);
  for (int i = 0; i < 3000; i++) lb_parallel_for(4, 1, count_items, visits);
  lb_threads_stop();
  for (int i = 0; i < 4; i++) assert_int_equal(visits[i], 3000);
}

typedef struct Nest {
  atomic_int inner_count;
  atomic_bool strayed; // an inner task ran in another thread than its loop's
} Nest;

typedef struct Inner {
  Nest *nest;
  pthread_t owner;
} Inner;

static void inner_task(int32_t begin, int32_t end, void *context) {
  Inner *inner = context;
  if (!pthread_equal(inner->owner, pthread_self())) atomic_store(&inner->nest->strayed, true);
  atomic_fetch_add(&inner->nest->inner_count, end - begin);
}

static void outer_task(int32_t begin, int32_t end, void *context) {
  Inner inner = { context, pthread_self() };
  for (int32_t i = begin; i < end; i++) lb_parallel_for(50, 3, inner_task, &inner);
}

static void nested_loops_stay_in_their_thread(void **state) {
  (void)state;
  Nest nest = { 0 };
  start(3);
  lb_parallel_for(40, 1, outer_task, &nest);
  lb_threads_stop();
  assert_int_equal(nest.inner_count, 40 * 50);
  assert_false(nest.strayed);
}

static void fill_sines(int32_t begin, int32_t end, void *context) {
  double sum = 0;
  for (int32_t i = begin; i < end; i++) sum += sin(i) * 1e-3 + 1.0 / (i + 1);
  ((double *)context)[begin / 100] = sum;
}

static void results_do_not_depend_on_the_number_of_threads(void **state) {
  (void)state;
  double one[101], many[101];
  lb_parallel_for(ITEMS, 100, fill_sines, one);
  for (int32_t threads = 2; threads <= 4; threads++) {
    start(threads);
    memset(many, 0, sizeof many);
    lb_parallel_for(ITEMS, 100, fill_sines, many);
    assert_memory_equal(one, many, sizeof one);
  }
  lb_threads_stop();
}

static void *loop_in_a_thread_of_its_own(void *context) {
  for (int i = 0; i < 200; i++) lb_parallel_for(64, 1, count_items, context);
  return NULL;
}

static void several_threads_may_start_loops_at_once(void **state) {
  (void)state;
  atomic_int visits[3][64];
  memset(visits, 0, sizeof visits);
  start(3);
  pthread_t callers[3];
  for (int i = 0; i < 3; i++)
    assert_int_equal(pthread_create(&callers[i], NULL, loop_in_a_thread_of_its_own, visits[i]), 0);
  for (int i = 0; i < 3; i++) pthread_join(callers[i], NULL);
  lb_threads_stop();
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 64; k++) assert_int_equal(visits[i][k], 200);
}

static void starting_again_replaces_the_pool(void **state) {
  (void)state;
  start(2);
  start(3);
  assert_int_equal(lb_threads_count(), 3);
  start(0);
  assert_true(lb_threads_count() >= 1);
  lb_threads_stop();
  lb_threads_stop();
  assert_int_equal(lb_threads_count(), 1);
}

static void a_bad_count_is_refused(void **state) {
  (void)state;
  lbError err = { 0 };
  check_fails(lb_threads_start(-1, &err), LB_ERR_ARGUMENT, err, "-1 threads");
  check_fails(lb_threads_start(1 << 20, &err), LB_ERR_ARGUMENT, err, "threads");
  assert_int_equal(lb_threads_count(), 1);
}

static void a_failed_allocation_starts_nothing(void **state) {
  (void)state;
  CheckedHeap heap = { .fail_at = 0 };
  lbAllocator allocator = checked_allocator(&heap);
  lbError err = { 0 };
  lb_set_allocator(&allocator);
  lbStatus status = lb_threads_start(2, &err);
  lb_set_allocator(NULL);
  assert_int_equal(status, LB_ERR_MEMORY);
  assert_int_equal(heap.live, 0);
  assert_int_equal(lb_threads_count(), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_item_is_visited_once),
    cmocka_unit_test(many_short_loops_follow_each_other),
    cmocka_unit_test(nested_loops_stay_in_their_thread),
    cmocka_unit_test(results_do_not_depend_on_the_number_of_threads),
    cmocka_unit_test(several_threads_may_start_loops_at_once),
    cmocka_unit_test(starting_again_replaces_the_pool),
    cmocka_unit_test(a_bad_count_is_refused),
    cmocka_unit_test(a_failed_allocation_starts_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
