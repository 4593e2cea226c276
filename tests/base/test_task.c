// The parallel loop: ranges cover every index exactly once, whatever runs them.
#include "check.h"

enum { LARGEST = 1000 };
typedef struct Visits {
  int32_t count, grain, ranges;
  int32_t seen[LARGEST];
} Visits;

static void visit(int32_t begin, int32_t end, void *context) {
  Visits *visits = context;
  assert_true(begin >= 0 && begin < end && end <= visits->count);
  assert_int_equal(begin % visits->grain, 0);
  assert_true(end - begin == visits->grain || end == visits->count);
  visits->ranges++;
  for (int32_t i = begin; i < end; i++) visits->seen[i]++;
}

static void check_cover(void) {
  for (int32_t count = 0; count <= LARGEST; count += count < 40 ? 1 : 137)
    for (int32_t grain = 1; grain <= 70; grain += grain < 9 ? 1 : 20) {
      Visits visits = { .count = count, .grain = grain };
      lb_parallel_for(count, grain, visit, &visits);
      assert_int_equal(visits.ranges, (count + grain - 1) / grain);
      for (int32_t i = 0; i < LARGEST; i++) assert_int_equal(visits.seen[i], i < count);
    }
}

static int32_t runs;

static void run_in_reverse(int32_t count, lbTask *task, void *context, void *runner_context) {
  assert_string_equal(runner_context, "runner");
  runs++;
  for (int32_t i = count - 1; i >= 0; i--) task(i, context);
}

static void ranges_cover_every_index_once_without_a_runner(void **state) {
  (void)state;
  lb_set_task_runner(NULL, NULL);
  check_cover();
}

static void ranges_cover_every_index_once_in_reverse_order(void **state) {
  (void)state;
  runs = 0;
  lb_set_task_runner(run_in_reverse, "runner");
  check_cover();
  lb_set_task_runner(NULL, NULL);
  assert_true(runs > 0);
}

// Sums of a range go to the range's own place: the total is the same in any order.
typedef struct Sum {
  const double *values;
  double partial[LARGEST];
  int32_t grain;
} Sum;

static void sum_range(int32_t begin, int32_t end, void *context) {
  Sum *sum = context;
  double total = 0;
  for (int32_t i = begin; i < end; i++) total += sum->values[i];
  sum->partial[begin / sum->grain] = total;
}

static void partial_sums_have_the_same_bits_in_any_order(void **state) {
  (void)state;
  double values[LARGEST];
  uint64_t seed = 1;
  for (int i = 0; i < LARGEST; i++) values[i] = check_random(&seed);
  static Sum forward = { .grain = 7 }, reverse = { .grain = 7 };
  forward.values = reverse.values = values;
  lb_parallel_for(LARGEST, 7, sum_range, &forward);
  lb_set_task_runner(run_in_reverse, "runner");
  lb_parallel_for(LARGEST, 7, sum_range, &reverse);
  lb_set_task_runner(NULL, NULL);
  assert_memory_equal(forward.partial, reverse.partial, sizeof forward.partial);
}

static void note_range(int32_t begin, int32_t end, void *context) {
  int64_t *total = context;
  *total += (int64_t)end - begin;
}

static void counts_near_the_largest_integer_do_not_overflow(void **state) {
  (void)state;
  int64_t total = 0;
  lb_parallel_for(INT32_MAX, INT32_MAX - 1, note_range, &total);
  assert_int_equal(total, INT32_MAX);
  total = 0;
  lb_parallel_for(INT32_MAX, 1 << 30, note_range, &total);
  assert_int_equal(total, INT32_MAX);
  total = 0;
  lb_parallel_for(-5, 10, note_range, &total);
  assert_int_equal(total, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(ranges_cover_every_index_once_without_a_runner),
    cmocka_unit_test(ranges_cover_every_index_once_in_reverse_order),
    cmocka_unit_test(partial_sums_have_the_same_bits_in_any_order),
    cmocka_unit_test(counts_near_the_largest_integer_do_not_overflow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
