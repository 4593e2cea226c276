// limber bench engines, its second part: dense kernels of every engine that is compiled in, on one
// thread and in turns. Sizes are those of fronts and of reduced models.
#include "bench/bench.h"

#include "linalg/blas.h"
#include "linalg/engine.h"

#include <string.h>

enum { ROUNDS = 15, MOST_ENGINES = 2 };

typedef struct Work {
  int32_t rows, columns, inner;
  double *A, *B, *C, *U, *Vt; // (room) each
  float *a, *b, *c;
} Work;

typedef struct Job {
  const char *name;
  int32_t rows, columns, inner;
  void (*run)(const lbEngine *engine, Work *w);
} Job;

static void multiply(const lbEngine *engine, Work *w) {
  size_t k = (size_t)w->inner;
  engine->doubles.multiply(LB_TRANSPOSED, LB_PLAIN, w->rows, w->columns, w->inner, -1, w->A, k,
                           w->B, k, 1, w->C, (size_t)w->rows);
}

static void multiply_single(const lbEngine *engine, Work *w) {
  size_t k = (size_t)w->inner;
  engine->singles.multiply(LB_TRANSPOSED, LB_PLAIN, w->rows, w->columns, w->inner, -1, w->a, k,
                           w->b, k, 1, w->c, (size_t)w->rows);
}

static void gram(const lbEngine *engine, Work *w) {
  engine->doubles.gram(w->rows, w->inner, -1, w->A, (size_t)w->inner, 1, w->C, (size_t)w->rows);
}

static void divide(const lbEngine *engine, Work *w) {
  size_t k = (size_t)w->inner;
  for (size_t i = 0; i < k; i++) w->A[i * k + i] = (double)k; // keeps the quotients small
  memcpy(w->C, w->B, k * (size_t)w->columns * sizeof *w->C);
  engine->doubles.divide(LB_TRANSPOSED, w->inner, w->columns, w->A, k, w->C, k);
}

static void copy_symmetric(Work *w, double diagonal) {
  size_t n = (size_t)w->inner;
  memcpy(w->C, w->B, n * n * sizeof *w->C);
  for (size_t i = 0; i < n; i++) w->C[i * n + i] += diagonal;
}

static void cholesky(const lbEngine *engine, Work *w) {
  copy_symmetric(w, w->inner);
  engine->doubles.cholesky(w->inner, w->C, (size_t)w->inner);
}

static void eigen(const lbEngine *engine, Work *w) {
  copy_symmetric(w, 0);
  engine->eigen(w->inner, w->C, w->U, NULL);
}

static void svd(const lbEngine *engine, Work *w) {
  copy_symmetric(w, 0);
  engine->svd(w->inner, w->inner, w->C, w->U, w->A, w->Vt, NULL);
}

static void triangle(const lbEngine *engine, Work *w) {
  memcpy(w->C, w->B, (size_t)w->rows * (size_t)w->columns * sizeof *w->C);
  engine->triangle(w->rows, w->columns, w->C, NULL);
}

static const Job jobs[] = {
  { "engines.multiply", 256, 256, 128, multiply },
  { "engines.multiply", 60, 60, 30, multiply },
  { "engines.multiply", 24, 24, 12, multiply },
  { "engines.multiply_single", 256, 256, 128, multiply_single },
  { "engines.gram", 256, 256, 128, gram },
  { "engines.gram", 40, 40, 12, gram },
  { "engines.divide", 128, 256, 128, divide },
  { "engines.divide", 40, 100, 40, divide },
  { "engines.cholesky", 128, 128, 128, cholesky },
  { "engines.cholesky", 24, 24, 24, cholesky },
  { "engines.eigen", 100, 100, 100, eigen },
  { "engines.eigen", 300, 300, 300, eigen },
  { "engines.svd", 100, 100, 100, svd },
  { "engines.svd", 300, 300, 300, svd },
  { "engines.triangle", 2000, 100, 100, triangle },
};
enum { JOBS = sizeof jobs / sizeof *jobs, ROOM = 2000 * 100 };

static bool make(lbArena *arena, Work *w) {
  double **doubles[] = { &w->A, &w->B, &w->C, &w->U, &w->Vt };
  float **singles[] = { &w->a, &w->b, &w->c };
  uint64_t seed = 1;
  for (size_t m = 0; m < 5; m++) {
    double *values = *doubles[m] = lb_arena_alloc(arena, ROOM, sizeof *values);
    if (!values) return false;
    for (size_t i = 0; i < ROOM; i++) {
      seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      values[i] = (double)(seed >> 11) / 9007199254740992.0 - 0.5;
    }
  }
  for (size_t m = 0; m < 3; m++) {
    float *values = *singles[m] = lb_arena_alloc(arena, ROOM, sizeof *values);
    if (!values) return false;
    for (size_t i = 0; i < ROOM; i++) values[i] = (float)(*doubles[m])[i];
  }
  return true;
}

// Repeats of about a tenth of a millisecond or more, so that the clock counts for nothing.
static double seconds_of(const lbEngine *engine, const Job *job, Work *w, int32_t repeats) {
  double start = bench_seconds();
  for (int32_t i = 0; i < repeats; i++) job->run(engine, w);
  return (bench_seconds() - start) / repeats;
}

static void run_job(const Job *job, Work *w, benchTable *table) {
  const lbEngine *const *engines = NULL;
  int32_t count = lb_engines(&engines);
  double times[MOST_ENGINES][ROUNDS];
  w->rows = job->rows, w->columns = job->columns, w->inner = job->inner;
  int32_t repeats = (int32_t)(1e-4 / seconds_of(engines[0], job, w, 1)) + 1;
  for (int32_t round = 0; round < ROUNDS; round++)
    for (int32_t e = 0; e < count; e++) times[e][round] = seconds_of(engines[e], job, w, repeats);
  for (int32_t e = 0; e < count; e++) {
    benchRow *row =
        bench_add(table, job->name,
                  json_pack("{s:s, s:i, s:i, s:i}", "engine", engines[e]->name, "rows",
                            (int)job->rows, "columns", (int)job->columns, "inner", (int)job->inner),
                  "us");
    if (row) bench_set_times(row, 1e6, times[e], ROUNDS);
  }
}

lbStatus bench_engine_kernels(benchTable *table, lbError *err) {
  lbArena arena = { 0 };
  Work w = { 0 };
  lbStatus status = make(&arena, &w) ? LB_OK : lb_fail_memory(err);
  lb_linalg_one_thread();
  for (size_t j = 0; !status && j < JOBS; j++) run_job(&jobs[j], &w, table);
  lb_arena_release(&arena);
  return status;
}
