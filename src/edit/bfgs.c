// Minimisation by BFGS: directions d = -B⁻¹ g, B⁻¹ made from that of the rest state and the last
// LB_BFGS_PAIRS steps s and changes of the gradient y by the two-loop recursion (Nocedal 1980), so
// that the matrix itself is never formed; line search by bisection to the weak Wolfe conditions,
// which ends for any function that is bounded below, also where it is +inf beyond some step.
//
// Near the minimum differences of values are rounding: there a step counts as descent when the
// slope has shrunk and the value has not risen by more than rounding (Hager & Zhang 2005).
#include "edit/editor.h"

#include <string.h>

#define ARMIJO 1e-4
#define WOLFE 0.9
#define TRIALS 40      // of one line search
#define ROUNDING 1e-11 // of the value: terms of the energy cancel

void lb_bfgs_place(lbBfgs *b, lbCarver *carver) {
  size_t n = (size_t)b->stride;
  double **vectors[] = { &b->x, &b->gradient, &b->trial, &b->trial_gradient, &b->direction };
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = lb_carve(carver, n, sizeof(double));
  b->s = lb_carve(carver, n * LB_BFGS_PAIRS, sizeof(double));
  b->y = lb_carve(carver, n * LB_BFGS_PAIRS, sizeof(double));
}

void lb_bfgs_forget(lbBfgs *b) { b->pair_count = 0; }

void lb_bfgs_evaluate(lbBfgs *b) {
  b->value = b->objective(b->context, b->x, b->gradient);
  b->evaluations++;
}

static double *pair_of_age(const lbBfgs *b, double *of, int32_t age) {
  int32_t at = (b->newest + LB_BFGS_PAIRS - age) % LB_BFGS_PAIRS;
  return of + (size_t)at * (size_t)b->stride;
}

static void add_scaled_vector(int32_t count, double a, const double *x, double *y) {
  for (int32_t i = 0; i < count; i++) y[i] += a * x[i];
}

// direction = -B⁻¹ gradient
static void find_descent_direction(lbBfgs *b) {
  double *d = b->direction;
  for (int32_t i = 0; i < b->count; i++) d[i] = -b->gradient[i];
  for (int32_t age = 0; age < b->pair_count; age++) {
    int32_t at = (b->newest + LB_BFGS_PAIRS - age) % LB_BFGS_PAIRS;
    b->alpha[at] = b->rho[at] * lb_row_dot(b->count, pair_of_age(b, b->s, age), d);
    add_scaled_vector(b->count, -b->alpha[at], pair_of_age(b, b->y, age), d);
  }
  b->solve(b->context, d);
  for (int32_t age = b->pair_count - 1; age >= 0; age--) {
    int32_t at = (b->newest + LB_BFGS_PAIRS - age) % LB_BFGS_PAIRS;
    double beta = b->rho[at] * lb_row_dot(b->count, pair_of_age(b, b->y, age), d);
    add_scaled_vector(b->count, b->alpha[at] - beta, pair_of_age(b, b->s, age), d);
  }
}

// x becomes the trial, and the step there a pair.
static void take_bfgs_step(lbBfgs *b, double value) {
  int32_t next = b->pair_count > 0 ? (b->newest + 1) % LB_BFGS_PAIRS : 0;
  double *s = b->s + (size_t)next * (size_t)b->stride;
  double *y = b->y + (size_t)next * (size_t)b->stride;
  for (int32_t i = 0; i < b->count; i++) {
    s[i] = b->trial[i] - b->x[i];
    y[i] = b->trial_gradient[i] - b->gradient[i];
  }
  double sy = lb_row_dot(b->count, s, y), yy = lb_row_dot(b->count, y, y);
  double ss = lb_row_dot(b->count, s, s);
  if (sy > 1e-12 * sqrt(ss * yy)) {
    b->rho[next] = 1 / sy;
    b->newest = next;
    if (b->pair_count < LB_BFGS_PAIRS) b->pair_count++;
  }
  memcpy(b->x, b->trial, (size_t)b->count * sizeof(double));
  memcpy(b->gradient, b->trial_gradient, (size_t)b->count * sizeof(double));
  b->value = value;
}

// Along the direction, whose slope is negative; false: no step helps.
static bool search_along_direction(lbBfgs *b, double slope) {
  double low = 0, high = INFINITY, t = 1;
  double noise = ROUNDING * fabs(b->value);
  for (int trial = 0; trial < TRIALS; trial++) {
    for (int32_t i = 0; i < b->count; i++) b->trial[i] = b->x[i] + t * b->direction[i];
    double value = b->objective(b->context, b->trial, b->trial_gradient);
    b->evaluations++;
    double there =
        isfinite(value) ? lb_row_dot(b->count, b->trial_gradient, b->direction) : INFINITY;
    bool falls = value <= b->value + ARMIJO * t * slope ||
                 (value <= b->value + noise && there <= (2 * ARMIJO - 1) * slope);
    if (!isfinite(there) || !falls) {
      high = t;
    } else if (there < WOLFE * slope) {
      low = t;
    } else {
      take_bfgs_step(b, value);
      return true;
    }
    t = high < INFINITY ? 0.5 * (low + high) : 2 * t;
    if (high - low <= 1e-12 * high) break;
  }
  return false;
}

int32_t lb_bfgs_minimise(lbBfgs *b, int32_t iterations, double goal, bool *converged) {
  bool again = false; // the rest state's matrix has been tried from here
  *converged = false;
  for (int32_t i = 0;; i++) {
    find_descent_direction(b);
    double slope = lb_row_dot(b->count, b->gradient, b->direction);
    if (!(slope < 0) && b->pair_count > 0) { // pairs of another place
      lb_bfgs_forget(b);
      find_descent_direction(b);
      slope = lb_row_dot(b->count, b->gradient, b->direction);
    }
    b->slope = slope;
    *converged = fabs(slope) <= goal;
    if (*converged || i == iterations || !(slope < 0)) return i;
    if (search_along_direction(b, slope)) {
      again = false;
      continue;
    }
    *converged = fabs(slope) <= ROUNDING * fabs(b->value);
    if (*converged || again) return i;
    lb_bfgs_forget(b);
    again = true;
  }
}
