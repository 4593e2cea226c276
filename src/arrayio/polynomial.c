// Memory of packed cubic polynomials.
#include "arrayio/polynomial.h"

void lb_polynomial_destroy(lbPolynomial *polynomial) {
  if (!polynomial) return;
  lb_free(polynomial->linear);
  lb_free(polynomial->quadratic);
  lb_free(polynomial->cubic);
  lb_free(polynomial);
}

lbStatus lb_polynomial_create(int32_t count, lbPolynomial **out, lbError *err) {
  if (count < 1 || count > LB_POLYNOMIAL_MODES_MAX)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "reduced polynomials of %d modes are not supported, use 1 to %d", (int)count,
                   LB_POLYNOMIAL_MODES_MAX);
  lbPolynomial *p = lb_alloc(1, sizeof *p);
  if (!p) return lb_fail_memory(err);
  p->count = count;
  p->linear = lb_alloc(lb_packed2_count(count), sizeof(double));
  p->quadratic = lb_alloc(lb_packed3_count(count), sizeof(double));
  p->cubic = lb_alloc(lb_packed4_count(count), sizeof(double));
  if (!p->linear || !p->quadratic || !p->cubic) {
    lb_polynomial_destroy(p);
    return lb_fail_memory(err);
  }
  *out = p;
  return LB_OK;
}
