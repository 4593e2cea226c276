// The parts of limber bench cubature.
#ifndef LIMBER_BENCH_CUBATURE_H
#define LIMBER_BENCH_CUBATURE_H

#include "bench/bench.h"

#include "reduce/cubature.h"

enum { BENCH_MODES = 15 }; // extended by nine: 135 vectors

// What a line of the paper's table 1 has.
typedef struct benchLine {
  const char *model;
  double amplitude; // of the poses; 0: not said
  int32_t components, d, r, poses, s;
  double basis_s, train_s, force_ms, step_ms, error, select_s, greedy_error; // errors in %
} benchLine;

typedef struct CubatureBench {
  benchObject object;
  lbBasis *basis; // extended
  benchTable *table;
  int32_t threads, components;
  int32_t elements; // the paper's s for such a body
  const char *plot; // file of the curve; NULL: none
  benchLine line;
} CubatureBench;

// Adds a row with one figure; takes over `parameters`.
benchRow *bench_cubature_row(CubatureBench *b, const char *name, json_t *parameters,
                             const char *unit, double value, double paper);
// A model with forces by cubature over a basis that is there.
lbStatus bench_cubature_model(const CubatureBench *b, const lbBasis *basis, lbBasisKind kind,
                              const lbCubatureDef *cubature, lbModel **out, lbError *err);
// Bases, and selections at the paper's number of elements, against one unreduced motion.
lbStatus bench_cubature_motion(CubatureBench *b, lbError *err);

#endif
