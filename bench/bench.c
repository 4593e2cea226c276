// Rows, timing, medians and the machine's memory bandwidth.
#define _POSIX_C_SOURCE 200809L
#include "bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double bench_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool bench_wants(const benchTable *table, const char *name) {
  return !table->only || strcmp(table->only, name) == 0;
}

benchRow *bench_add(benchTable *table, const char *name, json_t *parameters, const char *unit) {
  if (!lb_grow((void **)&table->rows, &table->capacity, (size_t)table->count + 1, sizeof(benchRow)))
    return NULL;
  benchRow *row = &table->rows[table->count++];
  *row = (benchRow){ .name = name, .parameters = parameters, .unit = unit };
  return row;
}

void bench_release(benchTable *table) {
  for (int32_t i = 0; i < table->count; i++) json_decref(table->rows[i].parameters);
  lb_free(table->rows);
  lb_free(table->text);
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void bench_set_times(benchRow *row, double scale, double *times, int32_t count) {
  qsort(times, (size_t)count, sizeof(double), compare);
  row->median = scale * times[count / 2];
  row->min = scale * times[0];
  row->p99 = scale * times[(int32_t)(0.99 * (count - 1) + 0.5)];
  row->max = scale * times[count - 1];
  row->repeats = count;
}

void bench_set_value(benchRow *row, double value) {
  row->median = row->min = row->p99 = row->max = value;
}

static void time_repeats(benchRow *row, double scale, void (*work)(void *context), void *context,
                         double (*clock)(void)) {
  enum { REPEATS_MAX = 201 };
  double times[REPEATS_MAX], start = lb_seconds();
  int32_t count = 0;
  work(context); // once to warm up, not counted
  while (count < REPEATS_MAX && (count < 3 || lb_seconds() - start < 1)) {
    double before = clock();
    work(context);
    times[count++] = clock() - before;
  }
  bench_set_times(row, scale, times, count);
}

void bench_time(benchRow *row, double scale, void (*work)(void *context), void *context) {
  time_repeats(row, scale, work, context, bench_seconds);
}

void bench_time_wall(benchRow *row, double scale, void (*work)(void *context), void *context) {
  time_repeats(row, scale, work, context, lb_seconds);
}

enum { TIMES = 3 };

static void time_some(benchRow *row, double scale, void (*work)(void *context), void *context,
                      double most_seconds) {
  double times[TIMES], start = lb_seconds();
  int32_t count = 0;
  while (count < TIMES && (count == 0 || lb_seconds() - start < most_seconds)) {
    double before = bench_seconds();
    work(context);
    times[count++] = bench_seconds() - before;
  }
  bench_set_times(row, scale, times, count);
}

void bench_time_long(benchRow *row, double scale, void (*work)(void *context), void *context) {
  time_some(row, scale, work, context, 1);
}

void bench_time_thrice(benchRow *row, double scale, void (*work)(void *context), void *context) {
  time_some(row, scale, work, context, INFINITY);
}

// The sum of `count` numbers read as `streams` stretches side by side, which keeps more requests to
// the memory under way than one stretch does.
static double sum_streams(const double *data, size_t count, size_t streams) {
  double sums[64] = { 0 }, total = 0;
  size_t length = count / streams;
  for (size_t i = 0; i < length; i += 8)
    for (size_t s = 0; s < streams; s++)
      for (size_t k = 0; k < 8; k++) sums[8 * s + k] += data[s * length + i + k];
  for (size_t k = 0; k < 64; k++) total += sums[k];
  return total;
}

double bench_memory_bandwidth(void) {
  enum { COUNT = 32 * 1024 * 1024 };
  static const size_t streams[] = { 1, 2, 4, 8 };
  double *data = lb_alloc(COUNT, sizeof(double)), best = 1e30;
  volatile double kept = 0; // the sums must be made
  if (!data) return 0;
  for (size_t i = 0; i < COUNT; i++) data[i] = (double)i;
  for (int repeat = 0; repeat < 20; repeat++) {
    double start = lb_seconds();
    kept = kept + sum_streams(data, COUNT, streams[repeat % 4]);
    best = fmin(best, lb_seconds() - start);
  }
  lb_free(data);
  return COUNT * sizeof(double) / best;
}
