// Mass-PCA and mass-orthonormalisation of columns.
#ifndef LB_REDUCE_PCA_H
#define LB_REDUCE_PCA_H

#include "linalg/sparse.h"

// The `dimension` directions that hold most of the columns of A in the metric of M; no mean is
// subtracted. A (size x count) is destroyed. lumped (size): the row sums of M, or M itself where M
// is NULL. vectors (size x dimension), orthonormal in the metric, the largest component positive;
// singular (dimension), descending. LB_ERR_ARGUMENT, which tells how many there are, when fewer
// columns are independent; `what` begins the message.
lbStatus lb_mass_pca(int32_t size, int32_t count, double *A, const lbSparse *M,
                     const double *lumped, int32_t dimension, const char *what, double *vectors,
                     double *singular, lbError *err);

// The same; with `at_most`, *dimension becomes the number of independent columns where it is larger
// than that.
lbStatus lb_mass_pca_most(int32_t size, int32_t count, double *A, const lbSparse *M,
                          const double *lumped, bool at_most, int32_t *dimension, const char *what,
                          double *vectors, double *singular, lbError *err);

// A <- mass-orthonormal columns with the same nested spans (Gram–Schmidt, twice). Columns of which
// less than `cut` of their length is independent of those before are left out; *rank remain.
lbStatus lb_mass_orthonormalise(int32_t size, int32_t count, double *A, const lbSparse *M,
                                double cut, int32_t *rank, lbError *err);

// Turns every column so that its largest component (of nearly equal ones, the first) is positive.
void lb_fix_signs(int32_t size, int32_t count, double *A);

double lb_mass_norm(const lbSparse *M, const double *x, double *work); // work (size)

#endif
