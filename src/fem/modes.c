// Natural frequencies and shapes: K w = λ M w at rest.
#include "fem/modes.h"

#include "fem/assembler.h"
#include "fem/reference.h"

#include <math.h>

void lb_modes_destroy(lbModes *modes) {
  if (!modes) return;
  lb_free(modes->frequencies);
  lb_free(modes->eigenvalues);
  lb_free(modes->shapes);
  lb_free(modes->residuals);
  lb_free(modes);
}

lbStatus lb_fem_rest_stiffness(const lbFem *fem, lbSparse **out, lbError *err) {
  lbAssembler *assembler = NULL;
  lbSparse *K = NULL;
  double *rest = lb_alloc(3 * (size_t)fem->vertex_count, sizeof(double));
  lbStatus status = rest ? lb_assembler_create(fem, &assembler, err) : lb_fail_memory(err);
  if (!status) status = lb_sparse_borrow_pattern(fem->pattern, &K, err);
  if (!status) lb_assemble(assembler, rest, NULL, K);
  lb_assembler_destroy(assembler);
  lb_free(rest);
  if (status)
    lb_sparse_destroy(K);
  else
    *out = K;
  return status;
}

lbStatus lb_fem_modes_of_eigen(const lbFem *fem, const lbEigen *eigen, int32_t mode_count,
                               lbModes **out, lbError *err) {
  lbModes *modes = lb_alloc(1, sizeof *modes);
  if (!modes) return lb_fail_memory(err);
  size_t count = (size_t)mode_count, rows = 3 * (size_t)fem->vertex_count;
  modes->count = mode_count;
  modes->rigid_count = eigen->rigid_count;
  modes->vertex_count = fem->vertex_count;
  modes->seconds = eigen->seconds;
  modes->frequencies = lb_alloc(count, sizeof(double));
  modes->eigenvalues = lb_duplicate(eigen->values, count, sizeof(double));
  modes->residuals = lb_duplicate(eigen->residuals, count, sizeof(double));
  modes->shapes = lb_alloc(count * rows, sizeof(double));
  if (!modes->frequencies || !modes->eigenvalues || !modes->residuals || !modes->shapes) {
    lb_modes_destroy(modes);
    return lb_fail_memory(err);
  }
  for (size_t i = 0; i < count; i++) {
    modes->frequencies[i] = sqrt(eigen->values[i]) / (2 * LB_PI);
    lb_fem_expand(fem, eigen->vectors + i * (size_t)eigen->size, modes->shapes + i * rows);
  }
  *out = modes;
  return LB_OK;
}

lbStatus lb_fem_modes(const lbFem *fem, int32_t count, lbModes **out, lbError *err) {
  lbSparse *K = NULL;
  lbEigen *eigen = NULL;
  lbStatus status = fem->engine ? LB_OK : lb_fem_rest_stiffness(fem, &K, err);
  if (!status) status = lb_fem_eigen(fem, K, count, NULL, &eigen, err);
  if (!status) status = lb_fem_modes_of_eigen(fem, eigen, eigen->count, out, err);
  lb_eigen_destroy(eigen);
  lb_sparse_destroy(K);
  return status;
}
