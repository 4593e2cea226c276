// The second derivative of a shell's force at rest: differences of the exact tangent,
// (H:Ψ_i)Ψ_j = (K(hΨ_i)Ψ_j − K(−hΨ_i)Ψ_j) / 2h, the largest displacement hΨ_i a small part of an
// edge, so that both the truncation error (h²) and rounding are below 1e-7 of the stiffness's
// change.
#include "fem/assembler.h"
#include "reduce/derivatives.h"

#include <math.h>

#define STEP 1e-4 // of the mean edge

static double mean_edge(const lbFem *fem) {
  const lbElementSet *set = &fem->sets[0];
  double sum = 0;
  for (int32_t slot = 0; slot < set->element_count; slot++) {
    const double *rest = set->rest + (size_t)(slot / LB_BATCH) * 2 * LB_POINT_REST * LB_BATCH;
    sum += rest[6 * LB_BATCH + slot % LB_BATCH];
  }
  return sum / set->element_count;
}

static double largest_of(size_t count, const double *values) {
  double largest = 0;
  for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(values[i]));
  return largest;
}

lbStatus lb_shell_hessian_forces(const lbFem *fem, int32_t count, const double *modes,
                                 double *forces, lbError *err) {
  size_t size = 3 * (size_t)fem->node_count, full = 3 * (size_t)fem->vertex_count;
  lbAssembler *assembler = NULL;
  lbSparse *K[2] = { NULL, NULL };
  double *step = lb_alloc(size, sizeof(double)), *u = lb_alloc(full, sizeof(double));
  lbStatus status = step && u ? lb_assembler_create(fem, &assembler, err) : lb_fail_memory(err);
  for (int k = 0; k < 2 && !status; k++) status = lb_sparse_copy_pattern(fem->pattern, &K[k], err);
  double length = STEP * mean_edge(fem);
  for (int32_t i = 0; i < count && !status; i++) {
    const double *mode = modes + (size_t)i * size;
    double h = length / largest_of(size, mode);
    for (int side = 0; side < 2; side++) {
      for (size_t k = 0; k < size; k++) step[k] = (side ? -h : h) * mode[k];
      lb_fem_expand(fem, step, u);
      lb_assemble(assembler, u, NULL, K[side]);
    }
    lb_sparse_add_scaled(K[0], -1, K[1]);
    double *to = forces + lb_pair_index(count, i, i) * size;
    lb_sparse_multiply_many(K[0], count - i, mode, to);
    for (size_t k = 0; k < (size_t)(count - i) * size; k++) to[k] /= 2 * h;
  }
  lb_sparse_destroy(K[0]);
  lb_sparse_destroy(K[1]);
  lb_assembler_destroy(assembler);
  lb_free(step);
  lb_free(u);
  return status;
}
