// Polynomials of degree 3 that are the gradient of an energy, R(q) = P q + Q(q,q,.) + S(q,q,q,.),
// with symmetric coefficients packed as math/cubic_form.h says.
#ifndef LB_ARRAYIO_POLYNOMIAL_H
#define LB_ARRAYIO_POLYNOMIAL_H

#include "math/cubic_form.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LB_POLYNOMIAL_MODES_MAX 256

typedef struct lbPolynomial {
  int32_t count;     // modes, r
  double *linear;    // (lb_packed2_count(r)) P
  double *quadratic; // (lb_packed3_count(r)) Q
  double *cubic;     // (lb_packed4_count(r)) S
} lbPolynomial;

// Zeros. LB_ERR_ARGUMENT unless count is 1 to LB_POLYNOMIAL_MODES_MAX.
lbStatus lb_polynomial_create(int32_t count, lbPolynomial **out, lbError *err);
void lb_polynomial_destroy(lbPolynomial *polynomial); // NULL is legal

#ifdef __cplusplus
}
#endif
#endif
