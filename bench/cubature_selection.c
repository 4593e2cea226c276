// limber bench cubature: NN-HTP against greedy cubature, on the same poses and by the same error,
// over several shapes and seeds.
#include "bench/bench.h"

#include "reduce/cubature.h"

#include <stdio.h>
#include <stdlib.h>

enum {
  DIMENSION = 20,
  MODES = 20,
  SEEDS = 5,
  LEAST = 3,
  MOST = 6,
  STRIDE = 30
}; // elements: 3 to 6 a vector

typedef struct Figures {
  double error, held_out, seconds, columns;
} Figures;

static int by_value(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static double median(double *values, size_t count) {
  qsort(values, count, sizeof *values, by_value);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

// Ratios of NN-HTP to both greedy settings, one for each seed.
typedef struct Ratios {
  double error[SEEDS], columns[SEEDS], seconds[SEEDS], fast_error[SEEDS];
} Ratios;

static lbStatus run_seed(const lbCubatureTrainer *trainer, lbCubatureDef *def, Ratios *ratios,
                         int seed, lbError *err) {
  Figures figures[LB_CUBATURE_SELECTION_COUNT];
  for (int i = 0; i < LB_CUBATURE_SELECTION_COUNT; i++) {
    lbCubature *c = NULL;
    def->selection = (lbCubatureSelection)i;
    lbStatus status = lb_cubature_select(trainer, def, &c, err);
    if (status) return status;
    figures[i] = (Figures){ c->training_error, c->held_out_error, c->selection_seconds,
                            (double)c->columns_made };
    lb_cubature_destroy(c);
  }
  const Figures *own = &figures[LB_CUBATURE_NNHTP], *greedy = &figures[LB_CUBATURE_GREEDY];
  ratios->error[seed] = own->error / greedy->error;
  ratios->columns[seed] = own->columns / greedy->columns;
  ratios->seconds[seed] = own->seconds / greedy->seconds;
  ratios->fast_error[seed] = figures[LB_CUBATURE_GREEDY_FAST].error / own->error;
  return LB_OK;
}

static lbStatus add_row(const benchObject *object, int32_t s, Ratios *ratios, benchTable *table,
                        lbError *err) {
  benchRow *row =
      bench_add(table, "cubature.against_greedy",
                json_pack("{s:s, s:i, s:i, s:i}", "mesh", object->name, "elements",
                          (int)lb_mesh_element_count(object->mesh), "d", DIMENSION, "s", (int)s),
                "x error");
  if (!row) return lb_fail_memory(err);
  row->median = median(ratios->error, SEEDS);
  row->min = ratios->error[0];
  row->p99 = row->max = ratios->error[SEEDS - 1];
  row->repeats = SEEDS;
  snprintf(row->note, sizeof row->note,
           "%.2f of its columns in %.2f of its time; the fast greedy setting has %.2f times the "
           "error of NN-HTP",
           median(ratios->columns, SEEDS), median(ratios->seconds, SEEDS),
           median(ratios->fast_error, SEEDS));
  return LB_OK;
}

static lbStatus run_shape(const char *name, benchTable *table, lbError *err) {
  benchObject object = { 0 };
  lbShapeDef shape = lb_shape_def(name);
  lbBasisDef basis_def = lb_basis_def();
  lbBasis *basis = NULL;
  basis_def.mode_count = MODES;
  basis_def.dimension = DIMENSION;
  lbStatus status = bench_object_make(NULL, NULL, &shape, &object, err);
  if (!status) status = lb_basis_make(object.fem, &basis_def, &basis, err);
  for (int32_t s = LEAST * DIMENSION; s <= MOST * DIMENSION && !status; s += STRIDE) {
    Ratios ratios;
    lbCubatureDef def = lb_cubature_def();
    def.error = 0;
    def.element_limit = s;
    for (int seed = 0; seed < SEEDS && !status; seed++) {
      lbCubatureTrainer *trainer = NULL;
      def.seed = (uint64_t)seed + 1;
      status = lb_cubature_train(object.fem, DIMENSION, basis->vectors, &def, &trainer, err);
      if (!status) status = run_seed(trainer, &def, &ratios, seed, err);
      lb_cubature_trainer_destroy(trainer);
    }
    if (!status) status = add_row(&object, s, &ratios, table, err);
  }
  lb_basis_destroy(basis);
  bench_object_release(&object);
  return status;
}

lbStatus bench_against_greedy(benchTable *table, lbError *err) {
  static const char *const shapes[] = { "cactus", "turtle", "torus", "sponge" };
  lbStatus status = LB_OK;
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes && !status; i++)
    status = run_shape(shapes[i], table, err);
  return status;
}
