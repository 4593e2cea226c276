// Rounding a model to values of single precision.
#include "study/single.h"

#include "model/arrays.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const char *const rounded[] = {
  "embedding.weights",       "modal.basis",
  "modal.gravity",           "modal.launch",
  "subspace.basis",          "subspace.gravity",
  "subspace.launch",         "subspace.quadratic",
  "subspace.cubic",          "subspace.mass",
  "subspace.pull",           "recording.basis",
  "recording.coordinates",   "modal.inertia_first",
  "modal.inertia_second",    "subspace.inertia_first",
  "subspace.inertia_second",
};

static bool is_rounded(const lbArrayRow *row) {
  for (size_t i = 0; i < sizeof rounded / sizeof *rounded; i++)
    if (strcmp(row->name, rounded[i]) == 0) return true;
  return false;
}

static const double *round_values(const double *values, size_t count, lbArena *arena) {
  double *copy = lb_arena_alloc(arena, count, sizeof *copy);
  for (size_t i = 0; copy && i < count; i++)
    copy[i] = fabs(values[i]) <= FLT_MAX ? (double)(float)values[i] : values[i];
  return copy;
}

static lbStatus draft_rounded(const lbModel *model, lbArena *arena, lbModel *draft, lbError *err) {
  static const char line[] = "values: single precision\n";
  size_t length = strlen(model->provenance);
  char *provenance = lb_arena_alloc(arena, length + sizeof line, 1);
  if (!provenance) return lb_fail_memory(err);
  memcpy(provenance, model->provenance, length);
  memcpy(provenance + length, line, sizeof line);
  *draft = *model;
  if (!strstr(model->provenance, line)) draft->provenance = provenance;
  for (int32_t i = 0; i < lb_model_table.row_count; i++) {
    const lbArrayRow *row = &lb_model_table.rows[i];
    const double *values = lb_arrays_data(row, model);
    if (!values || !is_rounded(row)) continue;
    values = round_values(values, (size_t)lb_arrays_item_count(row, model), arena);
    if (!values) return lb_fail_memory(err);
    lb_arrays_set_data(row, draft, values);
  }
  return LB_OK;
}

lbStatus lb_model_round(lbModel **model, lbError *err) {
  lbArena arena = { 0 };
  lbModel draft, *made = NULL;
  lbStatus status = draft_rounded(*model, &arena, &draft, err);
  if (!status) status = lb_model_create(&draft, &made, err);
  lb_arena_release(&arena);
  if (status) return status;
  lb_model_destroy(*model);
  *model = made;
  return LB_OK;
}
