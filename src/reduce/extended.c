// Extended modes (von Tycowicz et al. 2013, algorithm 2): each mode gives nine vectors, component k
// of its displacements moved along axis l for every k and l; what a free body lacks are the twelve
// affine maps of space.
#include "reduce/basis.h"

#include "fem/fem.h"
#include "fem/modes.h"
#include "reduce/rest.h"

#include <math.h>

enum { AFFINE = 12 };

// b[3v + l] = φ[3v + k]
static void extend_mode(int32_t size, const double *mode, double *out) {
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < 3; l++)
      for (int32_t v = 0; v < size / 3; v++)
        out[(size_t)(3 * k + l) * (size_t)size + 3 * (size_t)v + (size_t)l] =
            mode[3 * (size_t)v + (size_t)k];
}

// Displacements 1, x, y, z along each axis; coordinates from the middle of the body.
static void affine_maps(const lbFem *fem, double *out) {
  double centre[3] = { 0 };
  for (int32_t n = 0; n < fem->node_count; n++)
    for (int i = 0; i < 3; i++)
      centre[i] += fem->positions[3 * (size_t)fem->vertex_of_node[n] + (size_t)i] / fem->node_count;
  size_t size = 3 * (size_t)fem->node_count;
  for (int32_t n = 0; n < fem->node_count; n++) {
    const double *x = fem->positions + 3 * (size_t)fem->vertex_of_node[n];
    for (size_t map = 0; map < AFFINE; map++)
      out[map * size + 3 * (size_t)n + map % 3] =
          map < 3 ? 1 : x[map / 3 - 1] - centre[map / 3 - 1];
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
    int32_t affine = rest->eigen->rigid_count > 0 ? AFFINE : 0;
    int32_t total = affine + 9 * def->mode_count;
    A = lb_alloc(n * (size_t)total, sizeof(double));
    if (!A) status = lb_fail_memory(err);
    if (!status && affine) affine_maps(fem, A);
    for (int32_t i = 0; i < def->mode_count && !status; i++)
      extend_mode(rest->size, rest->eigen->vectors + n * (size_t)i,
                  A + n * (size_t)(affine + 9 * i));
    basis->rigid_count = rest->eigen->rigid_count;
    basis->mode_seconds = rest->eigen->seconds;
    if (!status) status = lb_basis_orthonormal(fem, rest->K, total, A, cut, basis, err);
    if (!status)
      status = lb_fem_modes_of_eigen(fem, rest->eigen, rest->eigen->count, &basis->modes, err);
  }
  lb_rest_destroy(rest);
  lb_free(A);
  return status;
}
