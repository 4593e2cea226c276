// The analysis by the engine that the build works with.
#include "linalg/fronts.h"

lbStatus lb_fronts_analyse(const lbSparse *A, lbFronts **out, lbError *err) {
#ifdef LB_ENGINE_SUITESPARSE
  return lb_fronts_analyse_suitesparse(A, out, err);
#else
  return lb_fronts_analyse_own(A, out, err);
#endif
}
