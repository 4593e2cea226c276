// Products with a body's matrices, by its own elements or by an engine that has them.
#include "fem/engine.h"

static lbStatus multiply_by_fem_matrix(const lbSparse *A, int32_t count, const double *X,
                                       double *Y) {
  lb_sparse_multiply_many(A, count, X, Y);
  return LB_OK;
}

lbStatus lb_fem_multiply_mass(const lbFem *fem, int32_t count, const double *X, double *Y,
                              lbError *err) {
  return fem->engine ? fem->engine->multiply(fem, LB_FEM_MASS, count, X, Y, err)
                     : multiply_by_fem_matrix(fem->mass, count, X, Y);
}

lbStatus lb_fem_multiply_stiffness(const lbFem *fem, const lbSparse *K, int32_t count,
                                   const double *X, double *Y, lbError *err) {
  return fem->engine ? fem->engine->multiply(fem, LB_FEM_STIFFNESS, count, X, Y, err)
                     : multiply_by_fem_matrix(K, count, X, Y);
}

// Columns of system vectors through the mass over all vertices, and the row sums of that.
static lbStatus multiply_remote(const lbFem *fem, int32_t material, int32_t count, const double *X,
                                double *Y, double *masses, lbError *err) {
  size_t rows = 3 * (size_t)fem->vertex_count, size = 3 * (size_t)fem->node_count;
  double *full = lb_alloc(rows, sizeof *full), *product = lb_alloc(rows, sizeof *product);
  lbStatus status = full && product ? LB_OK : lb_fail_memory(err);
  for (int32_t c = 0; c < count && !status; c++) {
    lb_fem_expand(fem, X + size * (size_t)c, full);
    status = fem->engine->multiply_all(fem, material, 1, full, product, err);
    lb_fem_compress(fem, product, Y + size * (size_t)c);
  }
  for (size_t i = 0; i < rows && !status; i++) full[i] = 1;
  if (!status) status = fem->engine->multiply_all(fem, material, 1, full, product, err);
  for (size_t v = 0; v < (size_t)fem->vertex_count && !status; v++) masses[v] = product[3 * v];
  lb_free(full);
  lb_free(product);
  return status;
}

lbStatus lb_fem_multiply_material(const lbFem *fem, int32_t material, int32_t count,
                                  const double *X, double *Y, double *masses, lbError *err) {
  if (fem->engine) return multiply_remote(fem, material, count, X, Y, masses, err);
  lbSparse *M = NULL;
  lbStatus status = lb_fem_material_mass(fem, material, masses, &M, err);
  if (!status) status = multiply_by_fem_matrix(M, count, X, Y);
  lb_sparse_destroy(M);
  return status;
}
