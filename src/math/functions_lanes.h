#ifndef LB_TMP_F
#define LB_TMP_F
#include "math/simd.h"
static inline lbLanes lb_log_lanes(lbLanes x) { double t[LB_LANES]; lb_store(t, x); for (int i = 0; i < LB_LANES; i++) t[i] = log(t[i]); return lb_load(t); }
static inline lbLanes lb_power_minus_two_thirds_lanes(lbLanes x) { double t[LB_LANES]; lb_store(t, x); for (int i = 0; i < LB_LANES; i++) { t[i] = cbrt(t[i]); t[i] = 1 / (t[i] * t[i]); } return lb_load(t); }
#endif
