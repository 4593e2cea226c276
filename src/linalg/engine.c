// The engine that the build works with.
#include "linalg/engine.h"

#include "linalg/blas.h"

#include "limber/rounding.h"

#ifdef LB_ENGINE_SUITESPARSE
extern const lbEngine lb_engine_suitesparse; // suitesparse/lapack.c
#else
// Our own kernels start no threads, and work on the stack.
void lb_linalg_one_thread(void) {}

lbStatus lb_linalg_reserve(lbError *err) {
  (void)err;
  return LB_OK;
}
#endif

static const lbEngine *const ENGINES[] = {
#ifdef LB_ENGINE_SUITESPARSE
  &lb_engine_suitesparse,
#endif
  &lb_engine_own,
};

const lbEngine *lb_engine(void) { return lb_is_repeatable() ? &lb_engine_own : ENGINES[0]; }

int32_t lb_engines(const lbEngine *const **all) {
  *all = ENGINES;
  return (int32_t)(sizeof ENGINES / sizeof *ENGINES);
}
