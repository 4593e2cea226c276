// Coefficients of the exact oscillator step, after Hauser, Shen & O'Brien 2003, in a form that
// keeps its digits in every regime. With a = c/2, D = a^2 - lambda and, in units of the step,
// A = a h, L = lambda h^2:
//
//   D < 0: y = sqrt(-D), C = e^-A cos(yh), S = e^-A sin(yh)/y
//   D > 0: s = sqrt(D), p = lambda h / (a + s), C = e^-p (1 + e^-2sh)/2, S = e^-p (1 - e^-2sh)/(2s)
//   zz = C + a S, zv = S, vz = -lambda S, vv = C - a S, zg = (1 - zz)/lambda
//
// zg is never computed by that difference. Where A and L are small all follows from the power
// series of the response to a force; elsewhere zg is a sum of terms that do not cancel.
#include "method/modal/oscillator.h"

#include "math/functions.h"
#include "math/simd.h"

#include <math.h>

typedef struct Step {
  double zz, zv, zg, vv;
} Step;

// a^2 - lambda, rounded once: a^2 is taken as a sum of two doubles, else nothing would be right of
// the difference near critical damping.
static double discriminant(double a, double lambda) {
  double square = a * a, shifted = a * 134217729; // 2^27 + 1: splits a into halves of 26 bits
  double high = shifted - (shifted - a), low = a - high;
  double lost = ((high * high - square) + 2 * high * low) + low * low;
  return (square - lambda) + lost;
}

// (1 - e^-x)/x, x >= 0
static double mean_decay(double x) { return x < 0x1p-54 ? 1 : -lb_expm1(-x) / x; }

// The response to a unit force from rest is the sum of b_n t^n with b_2 = 1/2 and
// n b_n = -c b_(n-1) - lambda b_(n-2) / (n - 1); its derivative is the response to an impulse. At
// A <= 1/4 and L <= 1/16 the terms fall faster than 2^-n / n!.
static Step small_step(double A, double L, double h) {
  double b_before = 0, b = 0.5, zg = 0.5, zv = 1; // zg / h^2, zv / h
  for (int n = 3; n < 18; n++) {
    double next = -(2 * A * b + L * b_before / (n - 1)) / n;
    b_before = b, b = next;
    zg += b;
    zv += n * b;
  }
  double zz = 1 - L * zg;
  return (Step){ zz, zv * h, zg * h * h, zz - 2 * A * zv };
}

// D <= 0. With m(A) = (1 - e^-A)/A, 1 - zz = A (m(A) - e^-A sin(Y)/Y) + 2 e^-A sin(Y/2)^2, Y = yh:
// m(A) > e^-A, so neither term is negative.
static Step oscillating_step(double A, double L, double Y, double h) {
  double sine, cosine, decay = lb_exp(-A); // of Y/2
  lb_sin_cos(0.5 * Y, &sine, &cosine);
  double sinc = Y < 0x1p-27 ? 1 : 2 * sine * cosine / Y;
  double C = decay * ((cosine - sine) * (cosine + sine)), S = decay * sinc; // S / h
  double rest = A * (mean_decay(A) - decay * sinc) + 2 * decay * sine * sine;
  return (Step){ C + A * S, S * h, rest / L * h * h, C - A * S };
}

// D > 0. zg = (h / (a + s)) (m(p) - e^-p m(2sh)); vv by the two exponentials where both count.
static Step creeping_step(double A, double L, double T, double h) {
  double sum = A + T, p = L / sum, slow = lb_exp(-p), ratio = lb_exp(-2 * T); // T = s h
  double mean = mean_decay(2 * T), S = slow * mean;
  double vv = T < 0.5 ? slow * (0.5 * (1 + ratio)) - A * S : slow * (sum * ratio - p) / (2 * T);
  return (Step){ slow * (0.5 * (1 + ratio)) + A * S, S * h, (mean_decay(p) - S) / sum * h * h, vv };
}

static Step make_step(double lambda, double c, double h, bool *slow) {
  double a = 0.5 * c, A = a * h, L = lambda * h * h;
  double D = discriminant(a, lambda), Y = D < 0 ? sqrt(-D) * h : 0;
  *slow = Y < 3.141592653589793;
  if (A <= 0.25 && L <= 0.0625) return small_step(A, L, h);
  return D > 0 ? creeping_step(A, L, sqrt(D) * h, h) : oscillating_step(A, L, Y, h);
}

static int32_t padded_oscillator(int32_t count) {
  return (count + LB_BATCH - 1) / LB_BATCH * LB_BATCH;
}

size_t lb_oscillators_bytes(int32_t count) {
  size_t stride = (size_t)padded_oscillator(count);
  return 6 * stride * sizeof(double) + (stride + 63) / 64 * 64;
}

lbOscillators lb_oscillators_place(int32_t count, void *block) {
  size_t stride = (size_t)padded_oscillator(count);
  double *next = block;
  return (lbOscillators){ .count = count,
                          .zz = next,
                          .zv = next + stride,
                          .zg = next + 2 * stride,
                          .vz = next + 3 * stride,
                          .vv = next + 4 * stride,
                          .decay = next + 5 * stride,
                          .slow = (uint8_t *)(next + 6 * stride) };
}

void lb_oscillators_set(lbOscillators *o, const double *eigenvalues, double damping_mass,
                        double damping_stiffness, double h) {
  o->h = h;
  for (int32_t i = 0; i < padded_oscillator(o->count); i++) {
    Step step = { 0 };
    double lambda = 0, c = 0;
    bool slow = false;
    if (i < o->count) {
      lambda = eigenvalues[i];
      c = damping_mass + damping_stiffness * lambda;
      step = make_step(lambda, c, h, &slow);
    }
    o->zz[i] = step.zz, o->zv[i] = step.zv, o->zg[i] = step.zg;
    o->vz[i] = 0 - lambda * step.zv, o->vv[i] = step.vv;
    o->decay[i] = c, o->slow[i] = slow;
  }
}
