// The engine that the build works with.
#include "linalg/engine.h"

#include "linalg/blas.h"

#include "limber/rounding.h"

#include <string.h>

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

static const lbEngine *chosen;

const lbEngine *lb_engine(void) {
  if (lb_is_repeatable()) return &lb_engine_own;
  return chosen ? chosen : ENGINES[0];
}

void lb_engine_choose(const char *name) {
  chosen = NULL;
  for (size_t i = 0; name && i < sizeof ENGINES / sizeof *ENGINES; i++)
    if (strcmp(ENGINES[i]->name, name) == 0) chosen = ENGINES[i];
}

int32_t lb_engines(const lbEngine *const **all) {
  *all = ENGINES;
  return (int32_t)(sizeof ENGINES / sizeof *ENGINES);
}
