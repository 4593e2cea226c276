// The memory of bases and of coefficients, estimated from counts.
#include "reduce/need.h"

#include "fem/fem.h"
#include "linalg/room.h"
#include "arrayio/polynomial.h"
#include "reduce/derivatives.h"

#include <stdio.h>

// Columns of the length of the system that the maker of a basis holds together, in the end.
static double column_count(const lbFem *fem, const lbBasisDef *def) {
  double modes = def->mode_count, dimension = def->dimension;
  double pairs = modes * (modes + 1) / 2;
  switch (def->kind) {
  case LB_BASIS_LINEAR: return 3 * modes; // found, stored, and shown as modes
  case LB_BASIS_DERIVATIVES:
    return modes + (def->spectral_deflation ? modes * modes + pairs : pairs) + 2 * dimension;
  case LB_BASIS_SKETCH: return def->sketch ? 2.0 * def->sketch->load_count + 2 * dimension : 0;
  case LB_BASIS_EXTENDED: { // each component of a mode along each axis
    double fields = 3 * modes + (lb_fem_check_held(fem, NULL) ? 4 : 0);
    return modes + fields / 3 + 3 * fields;
  }
  default: return 0;
  }
}

lbStatus lb_basis_check_room(const lbFem *fem, const lbBasisDef *def, lbError *err) {
  char what[250];
  double rows = 3.0 * fem->node_count, columns = column_count(fem, def);
  if (fem->engine) return LB_OK; // spread over several machines
  snprintf(what, sizeof what, "%.150s: %.0f vectors of %.0f rows, of which the basis is made",
           fem->name, columns, rows);
  return lb_room_check_or(what, columns * rows * sizeof(double),
                          "use fewer modes, a coarser mesh, or limber-mpi on more machines", err);
}

lbStatus lb_polynomial_check_room(const char *name, int32_t dimension, int32_t part_count,
                                  lbError *err) {
  char what[250];
  double r = dimension;
  double coefficients = (double)(lb_packed2_count(dimension) + lb_packed3_count(dimension) +
                                 lb_packed4_count(dimension));
  double sums = r * r * r * r / 8; // while they are added up
  snprintf(what, sizeof what, "%.150s: the coefficients of %d vectors", name, (int)dimension);
  return lb_room_check_or(what, (2 * part_count * coefficients + sums) * sizeof(double),
                          "use a smaller dimension, or cubature", err);
}
