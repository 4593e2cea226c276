// The engine that the build works with.
#include "linalg/engine.h"

#include "linalg/blas.h"

#ifdef LB_ENGINE_SUITESPARSE
const lbEngine *lb_engine(void) { return &lb_engine_suitesparse; }
#else
const lbEngine *lb_engine(void) { return &lb_engine_own; }

// Our own kernels start no threads, and work on the stack.
void lb_linalg_one_thread(void) {}

lbStatus lb_linalg_reserve(lbError *err) {
  (void)err;
  return LB_OK;
}
#endif
