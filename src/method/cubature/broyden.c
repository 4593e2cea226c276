// Broyden's rank-one updates of an inverse; see method/cubature/broyden.h.
#include "method/cubature/broyden.h"

#include "body/body.h"
#include "solve/tolerances.h"

#include <string.h>

void lb_broyden_apply(const lbLdltKernels *ldlt, int32_t n, int32_t padded, const double *factors,
                      const lbSecants *secants, double *x) {
  ldlt->solve(n, factors, x);
  for (int32_t k = 0; k < secants->count; k++) {
    const double *s = secants->steps + (size_t)k * (size_t)padded;
    const double *u = secants->updates + (size_t)k * (size_t)padded;
    double share = lb_row_dot(n, s, x);
    for (int32_t i = 0; i < n; i++) x[i] += share * u[i];
  }
}

void lb_broyden_learn(const lbLdltKernels *ldlt, int32_t n, int32_t padded, const double *factors,
                      lbSecants *secants, const double *s, double *y) {
  if (secants->count == LB_SECANTS) return;
  double *step = secants->steps + (size_t)secants->count * (size_t)padded;
  double *update = secants->updates + (size_t)secants->count * (size_t)padded;
  lb_broyden_apply(ldlt, n, padded, factors, secants, y);
  double size = lb_row_dot(n, s, s), along = lb_row_dot(n, s, y);
  if (!(fabs(along) > LB_NEGLIGIBLE * size) || !isfinite(along)) return;
  memcpy(step, s, (size_t)n * sizeof *s);
  for (int32_t i = 0; i < n; i++) update[i] = (s[i] - y[i]) / along;
  secants->count++;
}
