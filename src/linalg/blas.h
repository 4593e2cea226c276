// The number of threads of the dense library, which it keeps for the whole process.
#ifndef LB_LINALG_BLAS_H
#define LB_LINALG_BLAS_H

#include <stdbool.h>
#include <stddef.h>

// Brings the dense library to the number last given to lb_linalg_set_threads, or to one where the
// work at hand is too small to share. Call it first in whatever works with it.
void lb_linalg_apply_threads(double flops);

bool lb_linalg_all_finite(size_t count, const double *values);

#endif
