// The rows whose Gram matrix holds the reduced polynomials: weighted Green strains of the modes at
// quadrature points, linear and quadratic ones; see polynomial.h.
#ifndef LB_REDUCE_STRAIN_ROWS_H
#define LB_REDUCE_STRAIN_ROWS_H

#include "fem/fem.h"

// What the strains are weighted with. One row a point: the trace; six: normals and shears.
typedef enum lbStrainWeight {
  LB_STRAIN_WHOLE,  // √(V C), six rows
  LB_STRAIN_LAMBDA, // √V on the trace, one row: C = 11^T
  LB_STRAIN_MU,     // √(2 V), six rows: C = 2 I
} lbStrainWeight;

int32_t lb_strain_rows(lbStrainWeight weight); // rows a point

typedef struct lbStrainColumns {
  lbStrainWeight weight;
  int32_t mode_count;  // r
  size_t basis_rows;   // 3 vertices
  const double *basis; // (basis_rows x r)
  size_t row_count;    // rows of A
  double *A;           // (row_count x (r + r (r + 1) / 2)), column-major: e1_i, then e2_ij at
                       // r + lb_packed2(i, j)
} lbStrainColumns;

// Up to LB_BATCH elements of one set, all their points: rows [row, row + points * LB_BATCH *
// lb_strain_rows); lanes without an element give zeros. `gradients` is work space,
// lb_strain_work_size doubles.
void lb_strain_fill(const lbStrainColumns *columns, const lbElementSet *set, const int32_t *slots,
                    int32_t slot_count, size_t row, double *gradients);
size_t lb_strain_work_size(lbElementKind kind, int32_t mode_count);

#endif
