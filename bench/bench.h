// Benchmarks: rows of measured figures.
#ifndef LIMBER_BENCH_H
#define LIMBER_BENCH_H

#include "limber/build.h"

#include <jansson.h>

typedef struct benchRow {
  const char *name; // stable: "fem.force_stiffness"
  json_t *parameters;
  const char *unit;
  double median, min;
  int32_t repeats;
  double paper, peer, limit; // 0: none
  char note[200];            // what the figures are, or why there is none
} benchRow;

typedef struct benchTable {
  benchRow *rows;
  int32_t count;
  size_t capacity;
} benchTable;

// Adds a row; takes over `parameters`. NULL without memory.
benchRow *bench_add(benchTable *table, const char *name, json_t *parameters, const char *unit);
void bench_release(benchTable *table);

// Runs `work` at least 3 times and for about a second, and fills median, min (scaled from seconds)
// and repeats.
void bench_time(benchRow *row, double scale, void (*work)(void *context), void *context);

double bench_memory_bandwidth(void); // bytes a second: reading a large array, one thread

// Threads: 0 leaves the choice to the benchmark.
lbStatus bench_modal(int32_t threads, benchTable *table, lbError *err);
lbStatus bench_fem(const char *mesh_path, int32_t threads, benchTable *table, lbError *err);

#endif
