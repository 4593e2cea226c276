// Timing, medians and the machine's memory bandwidth.
#include "bench/bench.h"

#include <stdlib.h>
#include <string.h>

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
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void bench_time(benchRow *row, double scale, void (*work)(void *context), void *context) {
  enum { REPEATS_MAX = 201 };
  double times[REPEATS_MAX], start = lb_seconds();
  int32_t count = 0;
  work(context); // once to warm up, not counted
  while (count < REPEATS_MAX && (count < 3 || lb_seconds() - start < 1)) {
    double before = lb_seconds();
    work(context);
    times[count++] = lb_seconds() - before;
  }
  qsort(times, (size_t)count, sizeof(double), compare);
  row->median = scale * times[count / 2];
  row->min = scale * times[0];
  row->repeats = count;
}

double bench_memory_bandwidth(void) {
  enum { COUNT = 32 * 1024 * 1024 };
  double *data = lb_alloc(COUNT, sizeof(double)), best = 1e30, total = 0;
  if (!data) return 0;
  for (size_t i = 0; i < COUNT; i++) data[i] = (double)i;
  for (int repeat = 0; repeat < 7; repeat++) {
    double start = lb_seconds(), sums[16] = { 0 };
    for (size_t i = 0; i < COUNT; i += 16)
      for (size_t k = 0; k < 16; k++) sums[k] += data[i + k];
    double seconds = lb_seconds() - start;
    for (size_t k = 0; k < 16; k++) total += sums[k];
    if (seconds < best) best = seconds;
  }
  volatile double kept = total; // the sums must be made
  (void)kept;
  lb_free(data);
  return COUNT * sizeof(double) / best;
}
