// limber bench subspace: force and stiffness of many vectors, with coefficients in double and in
// single precision. The time does not depend on what they are: these are made up.
#include "bench/bench.h"

#include "method/subspace/cubic.h"

#include <math.h>
#include <stdio.h>

enum { SIZES = 3, ROUNDS = 21 };

static const int32_t sizes[SIZES] = { 60, 80, 100 };

typedef struct Precision {
  lbCubic wide, narrow;
  double *q, *force, *other, *stiffness, *work;
} Precision;

static double *numbers(lbArena *arena, size_t count, double size) {
  double *values = lb_arena_alloc(arena, count, sizeof(double));
  uint64_t seed = count;
  for (size_t i = 0; i < count && values; i++) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    values[i] = size * ((double)(seed >> 11) / 9007199254740992.0 - 0.5);
  }
  return values;
}

static bool make(lbArena *arena, int32_t r, Precision *p) {
  size_t size3 = lb_cubic_quadratic_size(r), size4 = lb_cubic_cubic_size(r);
  size_t padded = (size_t)lb_cubic_padded(r);
  double *packed2 = numbers(arena, lb_packed2_count(r), 1);
  double *packed3 = numbers(arena, lb_packed3_count(r), 1);
  double *packed4 = numbers(arena, lb_packed4_count(r), 1);
  const lbCubicArrays tiles = { lb_arena_alloc(arena, lb_cubic_linear_size(r), sizeof(double)),
                                lb_arena_alloc(arena, size3, sizeof(double)),
                                lb_arena_alloc(arena, size4, sizeof(double)) };
  float *single3 = lb_arena_alloc(arena, size3, sizeof(float));
  float *single4 = lb_arena_alloc(arena, size4, sizeof(float));
  p->q = numbers(arena, padded, 0.1);
  p->force = lb_arena_alloc(arena, padded, sizeof(double));
  p->other = lb_arena_alloc(arena, padded, sizeof(double));
  p->stiffness = lb_arena_alloc(arena, padded * padded, sizeof(double));
  p->work = lb_arena_alloc(arena, lb_cubic_work_size(r), sizeof(double));
  if (!packed2 || !packed3 || !packed4 || !tiles.linear || !tiles.quadratic || !tiles.cubic ||
      !single3 || !single4 || !p->q || !p->force || !p->other || !p->stiffness || !p->work)
    return false;
  lb_cubic_pack(r, packed2, packed3, packed4, &tiles);
  p->wide = (lbCubic){
    .count = r, .linear = tiles.linear, .quadratic = tiles.quadratic, .cubic = tiles.cubic
  };
  lb_cubic_round(&p->wide, single3, single4);
  p->narrow = (lbCubic){
    .count = r, .linear = tiles.linear, .quadratic_single = single3, .cubic_single = single4
  };
  return true;
}

static double seconds_of(const Precision *p, const lbCubic *cubic, double *force) {
  const lbCubicKernels *kernels = lb_cubic_kernels(lb_simd_best());
  double start = bench_seconds();
  kernels->evaluate(cubic, p->q, force, p->stiffness, p->work);
  return bench_seconds() - start;
}

static double difference(const Precision *p) {
  double sum = 0, size = 0;
  for (int32_t i = 0; i < p->wide.count; i++) {
    double d = p->other[i] - p->force[i];
    sum += d * d, size += p->force[i] * p->force[i];
  }
  return sqrt(sum / size);
}

static lbStatus add_row(benchTable *table, int32_t r, const char *precision, double *times,
                        double error, lbError *err) {
  benchRow *row = bench_add(table, "subspace.evaluate",
                            json_pack("{s:i, s:s}", "r", (int)r, "coefficients", precision), "us");
  if (!row) return lb_fail_memory(err);
  bench_set_times(row, 1e6, times, ROUNDS);
  if (error > 0)
    snprintf(row->note, sizeof row->note, "in turns; the force differs by %.1g of its size", error);
  return LB_OK;
}

lbStatus bench_precision(benchTable *table, lbError *err) {
  lbStatus status = LB_OK;
  for (int k = 0; k < SIZES && !status; k++) {
    lbArena arena = { 0 };
    Precision p = { 0 };
    double wide[ROUNDS], narrow[ROUNDS];
    status = make(&arena, sizes[k], &p) ? LB_OK : lb_fail_memory(err);
    for (int round = 0; round < ROUNDS && !status; round++) {
      wide[round] = seconds_of(&p, &p.wide, p.force);
      narrow[round] = seconds_of(&p, &p.narrow, p.other);
    }
    if (!status) status = add_row(table, sizes[k], "double", wide, 0, err);
    if (!status) status = add_row(table, sizes[k], "single", narrow, difference(&p), err);
    lb_arena_release(&arena);
  }
  return status;
}
