// exp, expm1, sin, cos and atan2 of our own: plain adding and multiplying, so the same bits under
// every compiler and in WebAssembly, which the C libraries do not promise. Errors are in units in
// the last place of the result (measured: exp 0.67, expm1 1.11, sin and cos 0.76, atan2 2.31).
// Special arguments behave as in the C library.
#ifndef LB_MATH_FUNCTIONS_H
#define LB_MATH_FUNCTIONS_H

// e^x within one unit; 0 below about -745.1, inf above about 709.8.
double lb_exp(double x);
// e^x - 1 within two units, also where x is tiny.
double lb_expm1(double x);
// Both within one unit for every finite x, however large; NaN for infinities.
void lb_sin_cos(double x, double *sine, double *cosine);
static inline double lb_sin(double x) {
  double sine, cosine;
  lb_sin_cos(x, &sine, &cosine);
  return sine;
}
// The angle of the point (x, y) in [-pi, pi], within three units.
double lb_atan2(double y, double x);

#endif
