// From a body and a basis to elements and weights; see cubature.h.
#include "reduce/cubature.h"

#include "reduce/engine.h"
#include "reduce/selection.h"
#include "reduce/training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

lbCubatureDef lb_cubature_def(void) {
  return (lbCubatureDef){ .error = 0.03, .amplitude = 0.2, .small_share = 0.25, .seed = 1 };
}

static const char *const selection_names[LB_CUBATURE_SELECTION_COUNT] = { "nnhtp", "greedy",
                                                                          "greedy_fast",
                                                                          "nnhtp_plain" };

const char *lb_cubature_selection_name(lbCubatureSelection selection) {
  return (unsigned)selection < LB_CUBATURE_SELECTION_COUNT ? selection_names[selection] : "";
}

lbStatus lb_cubature_check(const lbCubatureDef *def, int32_t element_count, lbError *err) {
  if (def->all) return LB_OK;
  if (def->element_limit < 0 || def->element_limit > element_count)
    return lb_fail(err, LB_ERR_ARGUMENT, "elements is %d, the body has %d: choose 1 to %d, or all",
                   (int)def->element_limit, (int)element_count, (int)element_count);
  if (!(def->error >= 0) || !isfinite(def->error))
    return lb_fail(err, LB_ERR_ARGUMENT, "error is %g, it must be 0 or more", def->error);
  if (def->pose_count < 0 || def->pose_count > LB_CUBATURE_POSES_MAX)
    return lb_fail(err, LB_ERR_ARGUMENT, "poses is %d, choose 1 to %d", (int)def->pose_count,
                   LB_CUBATURE_POSES_MAX);
  if (!(def->amplitude > 0) || !isfinite(def->amplitude))
    return lb_fail(err, LB_ERR_ARGUMENT, "amplitude is %g, it must be positive", def->amplitude);
  if (!(def->small_share >= 0 && def->small_share <= 1))
    return lb_fail(err, LB_ERR_ARGUMENT, "small_share is %g, it must lie between 0 and 1",
                   def->small_share);
  if ((unsigned)def->selection >= LB_CUBATURE_SELECTION_COUNT)
    return lb_fail(err, LB_ERR_ARGUMENT, "selection is %d, which none is", (int)def->selection);
  return LB_OK;
}

void lb_cubature_destroy(lbCubature *cubature) {
  if (!cubature) return;
  lb_free(cubature->elements);
  lb_free(cubature->weights);
  lb_free(cubature->poses);
  lb_free(cubature);
}

// ---- the result --------------------------------------------------------------------------------

typedef struct Pick {
  int32_t component;
  double weight;
} Pick;

static int by_component(const void *a, const void *b) {
  int32_t left = ((const Pick *)a)->component, right = ((const Pick *)b)->component;
  return (left > right) - (left < right);
}

// Sorts the choice by component, and so by number.
static lbStatus sort_choice(lbChoice *choice, lbError *err) {
  Pick *picks = lb_alloc((size_t)choice->count, sizeof *picks);
  if (!picks) return lb_fail_memory(err);
  for (int32_t k = 0; k < choice->count; k++)
    picks[k] = (Pick){ choice->list[k], choice->weights[k] };
  qsort(picks, (size_t)choice->count, sizeof *picks, by_component);
  for (int32_t k = 0; k < choice->count; k++) {
    choice->list[k] = picks[k].component;
    choice->weights[k] = picks[k].weight;
  }
  lb_free(picks);
  return LB_OK;
}

static lbStatus keep_choice(const lbComponent *components, const lbChoice *choice,
                            lbCubature *cubature, lbError *err) {
  cubature->count = choice->count;
  cubature->elements = lb_alloc((size_t)choice->count, sizeof *cubature->elements);
  cubature->weights = lb_duplicate(choice->weights, (size_t)choice->count, sizeof(double));
  if (!cubature->elements || !cubature->weights) return lb_fail_memory(err);
  for (int32_t k = 0; k < choice->count; k++)
    cubature->elements[k] = components[choice->list[k]].number;
  cubature->training_error = choice->error;
  cubature->iterations = choice->iterations;
  cubature->columns_made = choice->columns_made;
  cubature->interrupted = choice->interrupted;
  return LB_OK;
}

static lbStatus keep_poses(const lbTraining *training, lbCubature *cubature, lbError *err) {
  size_t values = (size_t)training->pose_count * (size_t)training->dimension;
  cubature->pose_count = training->pose_count;
  cubature->shortened_count = training->shortened_count;
  cubature->poses = lb_duplicate(training->poses, values, sizeof(double));
  return cubature->poses ? LB_OK : lb_fail_memory(err);
}

static lbStatus take_all(const lbComponent *components, int32_t count, lbCubature *cubature,
                         lbError *err) {
  cubature->count = count;
  cubature->elements = lb_alloc((size_t)count, sizeof *cubature->elements);
  cubature->weights = lb_alloc((size_t)count, sizeof *cubature->weights);
  if (!cubature->elements || !cubature->weights) return lb_fail_memory(err);
  for (int32_t k = 0; k < count; k++) {
    cubature->elements[k] = components[k].number;
    cubature->weights[k] = 1;
  }
  return LB_OK;
}

// ---- training ----------------------------------------------------------------------------------

// Poses with their scales, and forces of length 1.
typedef struct Poses {
  lbColumns columns;
  double *scales, *b;
} Poses;

struct lbCubatureTrainer {
  lbComponent *components;
  lbTraining *training; // NULL: all elements are taken
  Poses own, held_out;
  bool begun; // at an engine
  double seconds;
};

// Poses [first, first + count) of the training.
static lbStatus scale_poses(const lbTraining *training, int32_t first, int32_t count,
                            const lbColumns *columns, Poses *out, lbError *err) {
  size_t d = (size_t)training->dimension, begin = (size_t)first;
  out->columns = *columns;
  out->scales = lb_alloc((size_t)count, sizeof(double));
  out->b = lb_alloc((size_t)count * d, sizeof(double));
  if (!out->scales || !out->b) return lb_fail_memory(err);
  for (size_t t = 0; t < (size_t)count; t++) {
    out->scales[t] = 1 / training->lengths[begin + t];
    for (size_t i = 0; i < d; i++)
      out->b[t * d + i] = out->scales[t] * training->forces[(begin + t) * d + i];
  }
  out->columns.pose_count = count;
  out->columns.poses = training->poses + begin * d;
  out->columns.scales = out->scales;
  return LB_OK;
}

static int32_t usual_poses(int32_t dimension) {
  int64_t count = LB_CUBATURE_POSES * (int64_t)dimension;
  if (count > LB_CUBATURE_POSES_MAX) return LB_CUBATURE_POSES_MAX;
  return count > LB_CUBATURE_POSES_LEAST ? (int32_t)count : LB_CUBATURE_POSES_LEAST;
}

static lbStatus find_training_poses(lbCubatureTrainer *trainer, const lbColumns *columns,
                                    const lbCubatureDef *wanted, lbError *err) {
  lbCubatureDef def = *wanted;
  if (def.pose_count == 0) def.pose_count = usual_poses(columns->dimension);
  lbStatus status = lb_training_create(columns->fem, columns->dimension, columns->basis, &def,
                                       &trainer->training, err);
  if (status) return status;
  const lbTraining *training = trainer->training;
  status = scale_poses(training, 0, training->pose_count, columns, &trainer->own, err);
  if (status) return status;
  return scale_poses(training, training->pose_count, training->held_out_count, columns,
                     &trainer->held_out, err);
}

void lb_cubature_trainer_destroy(lbCubatureTrainer *trainer) {
  if (!trainer) return;
  const lbFem *fem = trainer->own.columns.fem;
  if (trainer->begun) lb_reduce_engine(fem)->cubature_end(fem);
  lb_free(trainer->components);
  lb_training_destroy(trainer->training);
  lb_free(trainer->own.scales);
  lb_free(trainer->own.b);
  lb_free(trainer->held_out.scales);
  lb_free(trainer->held_out.b);
  lb_free(trainer);
}

lbStatus lb_cubature_train(const lbFem *fem, int32_t dimension, const double *basis,
                           const lbCubatureDef *def, lbCubatureTrainer **out, lbError *err) {
  lbColumns columns = { .fem = fem, .dimension = dimension, .basis = basis };
  double start = lb_seconds();
  lbCubatureTrainer *trainer = lb_alloc(1, sizeof *trainer);
  if (!trainer) return lb_fail_memory(err);
  lbStatus status = lb_components_list(fem, &columns.component_count, &trainer->components, err);
  columns.components = trainer->components;
  trainer->own.columns = columns;
  if (!status) status = lb_cubature_check(def, columns.component_count, err);
  if (!status && !def->all && fem->engine) {
    status = lb_reduce_engine(fem)->cubature_begin(fem, dimension, basis, err);
    trainer->begun = !status;
  }
  if (!status && !def->all) status = find_training_poses(trainer, &columns, def, err);
  trainer->seconds = lb_seconds() - start;
  if (status)
    lb_cubature_trainer_destroy(trainer);
  else
    *out = trainer;
  return status;
}

// ---- selection ---------------------------------------------------------------------------------

static lbStatus measure_held_out(const Poses *poses, const lbChoice *choice, double *error,
                                 lbError *err) {
  size_t rows = lb_columns_rows(&poses->columns);
  double *sum = lb_alloc(rows, sizeof *sum), square = 0;
  if (!sum) return lb_fail_memory(err);
  lbStatus status =
      lb_columns_sum(&poses->columns, choice->count, choice->list, choice->weights, sum, err);
  for (size_t i = 0; i < rows; i++) square += pow(sum[i] - poses->b[i], 2);
  *error = sqrt(square / poses->columns.pose_count);
  lb_free(sum);
  return status;
}

static lbStatus choose_components(const lbCubatureDef *def, const Poses *poses, lbChoice **out,
                                  lbError *err) {
  const lbColumns *columns = &poses->columns;
  int64_t usual = LB_CUBATURE_ELEMENTS * (int64_t)columns->dimension;
  lbSelectionDef selection = { .columns = columns,
                               .b = poses->b,
                               .goal = def->error,
                               .seed = def->seed,
                               .limit = def->element_limit };
  if (selection.limit == 0)
    selection.limit = usual < columns->component_count ? (int32_t)usual : columns->component_count;
  switch (def->selection) {
  case LB_CUBATURE_GREEDY: return lb_greedy(&selection, false, out, err);
  case LB_CUBATURE_GREEDY_FAST: return lb_greedy(&selection, true, out, err);
  case LB_CUBATURE_NNHTP_PLAIN: return lb_nnhtp(&selection, true, out, err);
  default: return lb_nnhtp(&selection, false, out, err);
  }
}

static lbStatus select_few(const lbCubatureTrainer *trainer, const lbCubatureDef *def,
                           lbCubature *cubature, lbError *err) {
  lbChoice *choice = NULL;
  lbStatus status = choose_components(def, &trainer->own, &choice, err);
  if (!status) status = sort_choice(choice, err);
  if (!status)
    status = measure_held_out(&trainer->held_out, choice, &cubature->held_out_error, err);
  if (!status) status = keep_choice(trainer->components, choice, cubature, err);
  if (!status) status = keep_poses(trainer->training, cubature, err);
  lb_choice_destroy(choice);
  return status;
}

lbStatus lb_cubature_select(const lbCubatureTrainer *trainer, const lbCubatureDef *def,
                            lbCubature **out, lbError *err) {
  const lbColumns *columns = &trainer->own.columns;
  double start = lb_seconds();
  lbStatus status = lb_cubature_check(def, columns->component_count, err);
  if (status) return status;
  lbCubature *cubature = lb_alloc(1, sizeof *cubature);
  if (!cubature) return lb_fail_memory(err);
  cubature->dimension = columns->dimension;
  cubature->training_seconds = trainer->seconds;
  status = trainer->training
               ? select_few(trainer, def, cubature, err)
               : take_all(trainer->components, columns->component_count, cubature, err);
  cubature->selection_seconds = lb_seconds() - start;
  if (status)
    lb_cubature_destroy(cubature);
  else
    *out = cubature;
  return status;
}

lbStatus lb_cubature_make(const lbFem *fem, int32_t dimension, const double *basis,
                          const lbCubatureDef *def, lbCubature **out, lbError *err) {
  lbCubatureTrainer *trainer = NULL;
  lbStatus status = lb_cubature_train(fem, dimension, basis, def, &trainer, err);
  if (!status) status = lb_cubature_select(trainer, def, out, err);
  lb_cubature_trainer_destroy(trainer);
  return status;
}
