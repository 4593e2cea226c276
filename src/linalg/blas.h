// The number of threads of the dense library, which it keeps for the whole process.
#ifndef LB_LINALG_BLAS_H
#define LB_LINALG_BLAS_H

#include "limber/base.h"

// Holds the dense library to one thread. Call it first in whatever works with it.
void lb_linalg_one_thread(void);

// Takes the memory that the dense library needs for the threads of the build side. It asks for it
// when a thread first works, and where there is none it asks for ever: so it is asked for here, and
// refused with LB_ERR_MEMORY where the limit on address space (ulimit -v) is too low. Call it where
// long work begins; once it has succeeded it costs nothing.
lbStatus lb_linalg_reserve(lbError *err);

bool lb_linalg_all_finite(size_t count, const double *values);

#endif
