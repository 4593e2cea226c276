// Modes, bases and polynomials to files and back.
#include "petsc/stages.h"

#include <string.h>

static uint64_t mix_number(uint64_t hash, int32_t number) {
  return lb_restart_mix(hash, &number, sizeof number);
}

// ---- modes -------------------------------------------------------------------------------------

bool lb_stage_load_modes(const char *folder, const lbFem *fem, int32_t count, lbEigen **out) {
  lbRestartBlock b[5];
  if (!folder) return false;
  uint64_t hash = mix_number(lb_restart_hash(fem), count);
  lbEigen *eigen = lb_alloc(1, sizeof *eigen);
  if (!eigen || !lb_restart_load(folder, "modes", hash, 5, b)) {
    lb_free(eigen);
    return false;
  }
  memcpy(eigen, b[0].bytes, sizeof *eigen); // the sizes; all pointers are set below
  lb_free(b[0].bytes);
  eigen->seconds = 0;
  eigen->values = b[1].bytes;
  eigen->residuals = b[2].bytes;
  eigen->vectors = b[3].bytes;
  eigen->rigid_vectors = b[4].bytes;
  *out = eigen;
  return true;
}

lbStatus lb_stage_save_modes(const char *folder, const lbFem *fem, int32_t count,
                             const lbEigen *eigen, lbError *err) {
  if (!folder) return LB_OK;
  uint64_t hash = mix_number(lb_restart_hash(fem), count);
  size_t n = (size_t)eigen->size * sizeof(double), modes = (size_t)eigen->count;
  lbEigen sizes = { .size = eigen->size,
                    .count = eigen->count,
                    .rigid_count = eigen->rigid_count,
                    .shift = eigen->shift,
                    .seconds = eigen->seconds };
  const lbRestartBlock b[5] = { { &sizes, sizeof sizes },
                                { eigen->values, modes * sizeof(double) },
                                { eigen->residuals, modes * sizeof(double) },
                                { eigen->vectors, modes * n },
                                { eigen->rigid_vectors, (size_t)eigen->rigid_count * n } };
  return lb_restart_save(folder, "modes", hash, 5, b, err);
}

// ---- bases -------------------------------------------------------------------------------------

static uint64_t hash_basis(const lbFem *fem, const lbFoundBasis *given) {
  uint64_t hash = mix_number(lb_restart_hash(fem), given->mode_count);
  return mix_number(mix_number(hash, given->size.dimension), given->size.at_most);
}

bool lb_stage_load_basis(const char *folder, const lbFem *fem, lbFoundBasis *found) {
  lbRestartBlock b[3];
  if (!folder || !lb_restart_load(folder, "basis", hash_basis(fem, found), 3, b)) return false;
  memcpy(found, b[0].bytes, sizeof *found);
  lb_free(b[0].bytes);
  found->values = b[1].bytes;
  found->vectors = b[2].bytes;
  return true;
}

lbStatus lb_stage_save_basis(const char *folder, const lbFem *fem, const lbFoundBasis *given,
                             const lbFoundBasis *found, lbError *err) {
  if (!folder) return LB_OK;
  lbFoundBasis sizes = *found;
  sizes.values = sizes.vectors = NULL;
  size_t whole = (size_t)found->size.whole * sizeof(double);
  const lbRestartBlock b[3] = { { &sizes, sizeof sizes },
                                { found->values, whole },
                                { found->vectors, 3 * (size_t)fem->node_count * whole } };
  return lb_restart_save(folder, "basis", hash_basis(fem, given), 3, b, err);
}

// ---- polynomials -------------------------------------------------------------------------------

static uint64_t hash_polynomials(const lbFem *fem, const lbPolynomialDef *def, int32_t count) {
  size_t values = 3 * (size_t)fem->vertex_count * (size_t)def->count;
  uint64_t hash = mix_number(mix_number(lb_restart_hash(fem), def->count), count);
  return lb_restart_mix(hash, def->basis, values * sizeof(double));
}

// The coefficients of all parts one after another: where part p has those of degree d.
static void list_arrays(lbPolynomial *const *parts, int32_t count, double **arrays,
                        size_t *lengths) {
  for (int32_t p = 0; p < count; p++) {
    int32_t r = parts[p]->count;
    double *of[3] = { parts[p]->linear, parts[p]->quadratic, parts[p]->cubic };
    const size_t counts[3] = { lb_packed2_count(r), lb_packed3_count(r), lb_packed4_count(r) };
    memcpy(arrays + 3 * p, of, sizeof of);
    memcpy(lengths + 3 * p, counts, sizeof counts);
  }
}

enum { PARTS_MOST = 64 };

bool lb_stage_load_polynomials(const char *folder, const lbFem *fem, const lbPolynomialDef *def,
                               int32_t count, lbPolynomial **parts) {
  lbRestartBlock block;
  double *arrays[3 * PARTS_MOST];
  size_t lengths[3 * PARTS_MOST], at = 0;
  if (!folder || count > PARTS_MOST ||
      !lb_restart_load(folder, "polynomials", hash_polynomials(fem, def, count), 1, &block))
    return false;
  bool complete = true;
  for (int32_t p = 0; p < count; p++)
    complete = complete && !lb_polynomial_create(def->count, &parts[p], NULL);
  if (complete) list_arrays(parts, count, arrays, lengths);
  for (int32_t i = 0; i < 3 * count && complete; i++) {
    memcpy(arrays[i], (double *)block.bytes + at, lengths[i] * sizeof(double));
    at += lengths[i];
  }
  for (int32_t p = 0; p < count && !complete; p++) {
    lb_polynomial_destroy(parts[p]);
    parts[p] = NULL;
  }
  lb_free(block.bytes);
  return complete;
}

lbStatus lb_stage_save_polynomials(const char *folder, const lbFem *fem, const lbPolynomialDef *def,
                                   int32_t count, lbPolynomial *const *parts, lbError *err) {
  double *arrays[3 * PARTS_MOST];
  size_t lengths[3 * PARTS_MOST], total = 0, at = 0;
  if (!folder || count > PARTS_MOST) return LB_OK;
  list_arrays(parts, count, arrays, lengths);
  for (int32_t i = 0; i < 3 * count; i++) total += lengths[i];
  double *all = lb_alloc(total, sizeof *all);
  if (!all) return lb_fail_memory(err);
  for (int32_t i = 0; i < 3 * count; i++) {
    memcpy(all + at, arrays[i], lengths[i] * sizeof *all);
    at += lengths[i];
  }
  lbRestartBlock block = { all, total * sizeof *all };
  lbStatus status =
      lb_restart_save(folder, "polynomials", hash_polynomials(fem, def, count), 1, &block, err);
  lb_free(all);
  return status;
}
