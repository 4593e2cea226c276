// Extended modes (von Tycowicz et al. 2013, algorithm 2): each mode gives nine vectors, component k
// of its displacements moved along axis l for every k and l; what a free body lacks are the twelve
// affine maps of space.
//
// All of them are fields, numbers at the nodes, that move along one axis. Mass does not join the
// axes, so fields along x are made orthonormal, and the same ones along y and z are so too.
#include "reduce/basis.h"

#include "fem/fem.h"
#include "fem/modes.h"
#include "reduce/pca.h"
#include "reduce/rest.h"

#include <string.h>

enum { AFFINE = 4 }; // fields: 1, x, y, z

// The three components of a mode as fields, along x.
static void split_mode(int32_t size, const double *mode, double *out) {
  for (int k = 0; k < 3; k++)
    for (int32_t v = 0; v < size / 3; v++)
      out[(size_t)k * (size_t)size + 3 * (size_t)v] = mode[3 * (size_t)v + (size_t)k];
}

// 1, x, y, z along x; coordinates from the middle of the body.
static void affine_fields(const lbFem *fem, double *out) {
  double centre[3] = { 0 };
  for (int32_t n = 0; n < fem->node_count; n++)
    for (int i = 0; i < 3; i++)
      centre[i] += fem->positions[3 * (size_t)fem->vertex_of_node[n] + (size_t)i] / fem->node_count;
  size_t size = 3 * (size_t)fem->node_count;
  for (int32_t n = 0; n < fem->node_count; n++) {
    const double *x = fem->positions + 3 * (size_t)fem->vertex_of_node[n];
    for (size_t field = 0; field < AFFINE; field++)
      out[field * size + 3 * (size_t)n] = field == 0 ? 1 : x[field - 1] - centre[field - 1];
  }
}

// Each of the first `count` columns along x, y and z; the last ones first, as they are in the way.
static void spread_axes(size_t size, size_t count, double *A) {
  for (size_t field = count; field-- > 0;) {
    double *from = A + field * size, *to = A + 3 * field * size;
    if (field > 0) memcpy(to, from, size * sizeof(double));
    for (size_t l = 1; l < 3; l++) {
      memset(to + l * size, 0, size * sizeof(double));
      for (size_t i = 0; i < size; i += 3) to[l * size + i + l] = to[i];
    }
  }
}

lbStatus lb_basis_extended(const lbFem *fem, const lbBasisDef *def, lbBasis *basis, lbError *err) {
  const double cut = 1e-8;
  lbRest *rest = NULL;
  double *A = NULL;
  lbStatus status = lb_rest_create(fem, &rest, err);
  if (!status) status = lb_rest_modes(rest, def->mode_count, err);
  if (!status) {
    size_t n = (size_t)rest->size;
    int32_t affine = rest->eigen->rigid_count > 0 ? AFFINE : 0, rank = 0;
    int32_t fields = affine + 3 * def->mode_count;
    double start = lb_seconds();
    A = lb_alloc(n * 3 * (size_t)fields, sizeof(double));
    if (!A) status = lb_fail_memory(err);
    if (!status && affine) affine_fields(fem, A);
    for (int32_t i = 0; i < def->mode_count && !status; i++)
      split_mode(rest->size, rest->eigen->vectors + n * (size_t)i,
                 A + n * (size_t)(affine + 3 * i));
    basis->rigid_count = rest->eigen->rigid_count;
    basis->mode_seconds = rest->eigen->seconds;
    if (!status) status = lb_mass_orthonormalise(rest->size, fields, A, fem->mass, cut, &rank, err);
    if (!status) {
      spread_axes(n, (size_t)rank, A);
      status = lb_basis_finish(fem, rest->K, 3 * fields, 3 * rank, A, basis, err);
    }
    basis->pca_seconds = lb_seconds() - start;
    if (!status)
      status = lb_fem_modes_of_eigen(fem, rest->eigen, rest->eigen->count, &basis->modes, err);
  }
  lb_rest_destroy(rest);
  lb_free(A);
  return status;
}
