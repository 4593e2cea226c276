// The analyses that are compiled in.
#include "linalg/fronts.h"

static const lbAnalysis ANALYSES[] = {
#ifdef LB_ENGINE_SUITESPARSE
  { "suitesparse", lb_fronts_analyse_suitesparse },
#endif
  { "own", lb_fronts_analyse_own },
};

int32_t lb_fronts_analyses(const lbAnalysis **all) {
  *all = ANALYSES;
  return (int32_t)(sizeof ANALYSES / sizeof *ANALYSES);
}
