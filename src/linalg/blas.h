// The number of threads of the dense library, which it keeps for the whole process.
#ifndef LB_LINALG_BLAS_H
#define LB_LINALG_BLAS_H

#include <stdbool.h>
#include <stddef.h>

// Holds the dense library to one thread. Call it first in whatever works with it.
void lb_linalg_one_thread(void);

bool lb_linalg_all_finite(size_t count, const double *values);

#endif
