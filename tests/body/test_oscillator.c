// The exact oscillator step: against tests/data/analytic_oscillator, against matrix exponentials in
// long double for every damping, and by what exact steps must do (halves make a whole, energy never
// grows, equilibria stay).
#include "method/modal/oscillator.h"
#include "check.h"
#include "math/simd.h"

#include <float.h>
#include <jansson.h>

typedef struct Step {
  double zz, zv, zg, vz, vv, decay;
  bool slow;
} Step;

// One oscillator: eigenvalue, dampings, step.
static Step make(double lambda, double alpha, double beta, double h) {
  static _Alignas(64) unsigned char block[1024];
  assert_true(lb_oscillators_bytes(1) <= sizeof block);
  lbOscillators o = lb_oscillators_place(1, block);
  lb_oscillators_set(&o, &lambda, alpha, beta, h);
  return (Step){ *o.zz, *o.zv, *o.zg, *o.vz, *o.vv, *o.decay, *o.slow };
}

// ---- reference: e^(M h) of z' = v, v' = -lambda z - c v + g, g' = 0
// ------------------------------

typedef struct Matrix {
  long double m[3][3];
} Matrix;

static Matrix multiply(const Matrix *a, const Matrix *b) {
  Matrix c = { 0 };
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) c.m[i][j] += a->m[i][k] * b->m[k][j];
  return c;
}

// By Taylor's series of a fraction and squaring, in units where h = 1.
static Matrix exponential(long double L, long double A) {
  int halvings = (int)fmaxl(0, ceill(log2l(L + 2 * A + 1))) + 4;
  long double t = ldexpl(1, -halvings);
  Matrix m = { { { 0, t, 0 }, { -L * t, -2 * A * t, t }, { 0, 0, 0 } } };
  Matrix sum = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } }, power = sum;
  for (int n = 1; n < 16; n++) {
    power = multiply(&power, &m);
    for (int i = 0; i < 9; i++) {
      power.m[i / 3][i % 3] /= n;
      sum.m[i / 3][i % 3] += power.m[i / 3][i % 3];
    }
  }
  for (int n = 0; n < halvings; n++) sum = multiply(&sum, &sum);
  return sum;
}

typedef struct Worst {
  double error[5]; // zz zv zg vz vv
} Worst;

// Relative errors, but no better than the rounding of the envelope where a value oscillates through
// zero: e^-A oscillating; vv of creeping oscillators, which changes sign once.
static void compare(double lambda, double alpha, double beta, double h, Worst *worst) {
  Step step = make(lambda, alpha, beta, h);
  long double A = 0.5L * step.decay * h, L = (long double)lambda * h * h;
  long double D = A * A - L, Y = D < 0 ? sqrtl(-D) : 0;
  Matrix e = exponential(L, A);
  long double exact[5] = { e.m[0][0], e.m[0][1] * h, e.m[0][2] * h * h, e.m[1][0] / h, e.m[1][1] };
  const double got[5] = { step.zz, step.zv, step.zg, step.vz, step.vv };
  long double wave = D < 0 ? expl(-A) * 1e-3L * (1 + Y) : 0, reach = Y > 1 ? 1 / Y : 1;
  long double creep = A / fmaxl(1, sqrtl(fabsl(D))) * fabsl(e.m[0][0]);
  long double slack[5] = { wave * (1 + A), wave * h * reach, wave * h * h / (1 + L),
                           wave * lambda * h * reach, wave * (1 + A) + 1e-3L * (1 + creep) };
  for (int i = 0; i < 5; i++) {
    double error = exact[i] == 0
                       ? fabs(got[i])
                       : (double)(fabsl(got[i] - exact[i]) / (fabsl(exact[i]) + slack[i]));
    if (!(error <= worst->error[i])) worst->error[i] = error;
    if (!(error <= 1e-12))
      fail_msg("value %d of lambda %a alpha %a beta %a h %a (A %Lg, L %Lg): %a instead of %La", i,
               lambda, alpha, beta, h, A, L, got[i], exact[i]);
  }
  assert_true(step.zg > 0);
  if (fabsl(Y - 3.14159265358979323846L) > 1e-9L) assert_int_equal(step.slow, Y < 3.14159265L);
}

static void report(const char *name, const Worst *worst) {
  print_message("%s: worst errors zz %.1e zv %.1e zg %.1e vz %.1e vv %.1e\n", name, worst->error[0],
                worst->error[1], worst->error[2], worst->error[3], worst->error[4]);
}

static double power_between(double low, double high, uint64_t *seed) {
  return pow(10, low + (high - low) * 0.5 * (check_random(seed) + 1));
}

static void every_damping_agrees_with_the_matrix_exponential(void **state) {
  (void)state;
  Worst worst = { 0 };
  uint64_t seed = 1;
  for (int i = 0; i < 20000; i++) {
    double h = power_between(-6, 1, &seed), L = power_between(-16, 5, &seed);
    double A = fmin(40, sqrt(L) * power_between(-6, 6, &seed));
    double lambda = L / (h * h), share = 0.5 * (check_random(&seed) + 1);
    compare(lambda, share * 2 * A / h, (1 - share) * 2 * A / h / lambda, h, &worst);
  }
  report("any damping", &worst);
}

static void near_critical_damping_nothing_is_lost(void **state) {
  (void)state;
  Worst worst = { 0 };
  uint64_t seed = 2;
  for (int i = 0; i < 20000; i++) {
    double h = power_between(-6, 1, &seed), a = power_between(-5, 1.5, &seed) / h;
    double off = (i % 2 ? 1 : -1) * power_between(-16, -1, &seed);
    compare(a * a * (1 + off), 2 * a, 0, h, &worst);
  }
  for (int power = -30; power <= 4; power++) { // exactly critical
    compare(ldexp(1, 2 * power), ldexp(2, power), 0, 1, &worst);
    compare(ldexp(9, 2 * power), ldexp(6, power), 0, 1, &worst);
    compare(nextafter(ldexp(1, 2 * power), 0), ldexp(2, power), 0, 1, &worst);
    compare(nextafter(ldexp(1, 2 * power), 1e9), ldexp(2, power), 0, 1, &worst);
  }
  report("near critical", &worst);
}

// The borders between the ways of computing: A = 1/4, L = 1/16, s h = 1/2.
static void nothing_jumps_at_the_borders(void **state) {
  (void)state;
  Worst worst = { 0 };
  uint64_t seed = 3;
  for (int i = 0; i < 10000; i++) {
    double q = 1 + (check_random(&seed) > 0 ? 1 : -1) * power_between(-16, -1, &seed);
    double A = i % 3 == 0 ? 0.25 * q : power_between(-8, 1.5, &seed), L = 0.0625 * q;
    if (i % 3 == 0) L = power_between(-16, 2, &seed);
    if (i % 3 == 2) L = fmax(1e-16, A * A - 0.25 * q);
    compare(L, 2 * A, 0, 1, &worst);
  }
  report("borders", &worst);
}

// lambda = 0: zv = (1 - e^-ch)/c, zg = (h - zv)/c. Both zero: a free mass.
static void without_stiffness_it_is_a_damped_mass(void **state) {
  (void)state;
  Step free_mass = make(0, 0, 0, 0.25);
  assert_true(free_mass.zz == 1 && free_mass.zv == 0.25 && free_mass.zg == 0.03125);
  assert_true(free_mass.vz == 0 && free_mass.vv == 1 && free_mass.slow);
  Worst worst = { 0 };
  for (int i = -12; i <= 1; i++) compare(0, pow(10, i), 3, 1, &worst);
  for (int i = 1; i < 30; i++) {
    double c = pow(10, i), h = 0.5;
    Step step = make(0, c, 0, h);
    long double zv = -expm1l(-(long double)c * h) / c;
    assert_true(step.zz == 1 && step.vz == 0);
    check_small((double)(step.zv / zv - 1), 1e-15);
    check_small((double)(step.zg / ((h - zv) / c) - 1), 1e-15);
  }
}

// Far from anything a matrix exponential could give: all finite, and where it must end.
static void extremes_stay_finite(void **state) {
  (void)state;
  for (int l = -40; l <= 40; l += 4)
    for (int c = -40; c <= 40; c += 4)
      for (int k = -12; k <= 4; k += 4) {
        double lambda = pow(10, l), alpha = pow(10, c), h = pow(10, k);
        Step step = make(lambda, alpha, 0, h);
        assert_true(isfinite(step.zz) && isfinite(step.zv) && isfinite(step.zg));
        assert_true(isfinite(step.vz) && isfinite(step.vv));
        assert_true(step.zg >= 0 && fabs(step.zz) <= 1 + 1e-15 && fabs(step.vv) <= 1 + 1e-15);
        assert_true(fabs(step.zv) <= h * (1 + 1e-15) && step.zg <= 0.5 * h * h * (1 + 1e-15));
        check_near(step.zz + lambda * step.zg, 1, 4e-15); // z = g / lambda stays
      }
}

typedef struct State {
  double z, v;
} State;

static State advance(const Step *s, State at, double g) {
  return (State){ s->zz * at.z + s->zv * at.v + s->zg * g,
                  s->vz * at.z + s->vv * at.v + s->zv * g };
}

static void two_half_steps_make_one(void **state) {
  (void)state;
  uint64_t seed = 5;
  double worst = 0;
  for (int i = 0; i < 20000; i++) {
    double L = power_between(-14, 4, &seed), ratio = power_between(-5, 4, &seed);
    if (i % 4 == 0) ratio = 1 + 1e-3 * check_random(&seed) * (i % 8 ? 1 : 1e-12);
    double alpha = 2 * sqrt(L) * ratio;
    if (i % 16 == 1) L = ldexp(1, 2 * (i % 9 - 6)), alpha = 2 * sqrt(L); // exactly critical
    double w = fmax(1, sqrt(L));                                         // v is of the size of w z
    Step whole = make(L, alpha, 0, 1), half = make(L, alpha, 0, 0.5);
    State at = { check_random(&seed), w * check_random(&seed) };
    double g = w * w * check_random(&seed);
    State once = advance(&whole, at, g), middle = advance(&half, at, g);
    State twice = advance(&half, middle, g);
    double error = fmax(fabs(once.z - twice.z), fabs(once.v - twice.v) / w);
    worst = fmax(worst, error);
    check_small(error, 1e-13);
  }
  print_message("worst difference %.1e\n", worst);
}

static void energy_never_grows(void **state) {
  (void)state;
  uint64_t seed = 6;
  for (int i = 0; i < 300; i++) {
    double lambda = power_between(-4, 6, &seed), h = power_between(-4, 0, &seed);
    double alpha = i % 3 ? 2 * sqrt(lambda) * power_between(-6, 4, &seed) : 0;
    Step step = make(lambda, alpha, i % 5 ? 0 : 1e-3, h);
    State at = { check_random(&seed), sqrt(lambda) * check_random(&seed) };
    double energy = lambda * at.z * at.z + at.v * at.v, first = energy;
    for (int n = 0; n < 2000; n++) {
      at = advance(&step, at, 0);
      double now = lambda * at.z * at.z + at.v * at.v;
      check_small(fmax(0, now - energy) / first, 1e-13);
      energy = now;
    }
    if (alpha == 0 && i % 5) check_near(energy / first, 1, 2000 * 1e-15 * (1 + sqrt(lambda) * h));
  }
}

static void check_case(json_t *object) {
  double frequency = json_number_value(json_object_get(object, "freq_hz"));
  double lambda = pow(2 * 3.14159265358979323846 * frequency, 2);
  Step step = make(lambda, json_number_value(json_object_get(object, "alpha")),
                   json_number_value(json_object_get(object, "beta")),
                   json_number_value(json_object_get(object, "dt")));
  json_t *forced = json_object_get(object, "unit_modal_force_step_response_exact");
  json_t *free_decay = json_object_get(object, "free_decay_q0_1_exact");
  State pushed = { 0, 0 }, released = { 1, 0 };
  int found = 0;
  for (int n = 1; n <= 500; n++) {
    char key[16];
    snprintf(key, sizeof key, "%d", n);
    pushed = advance(&step, pushed, 1);
    released = advance(&step, released, 0);
    if (!json_object_get(forced, key)) continue;
    found++;
    check_near(pushed.z * lambda, json_number_value(json_object_get(forced, key)) * lambda, 1e-12);
    check_near(released.z, json_number_value(json_object_get(free_decay, key)), 1e-12);
  }
  assert_int_equal(found, 6);
}

static void steps_follow_the_closed_form(void **state) {
  (void)state;
  json_error_t fault;
  json_t *root = json_load_file("tests/data/analytic_oscillator/oscillator.json", 0, &fault);
  assert_non_null(root);
  size_t i;
  json_t *object;
  json_array_foreach(json_object_get(root, "cases"), i, object) check_case(object);
  assert_int_equal(i, 5);
  json_decref(root);
}

static void arrays_are_padded_with_zeros(void **state) {
  (void)state;
  static _Alignas(64) unsigned char block[8192];
  const double lambdas[20] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 };
  for (int32_t count = 0; count <= 20; count++) {
    memset(block, 0xff, sizeof block);
    assert_true(lb_oscillators_bytes(count) <= sizeof block);
    lbOscillators o = lb_oscillators_place(count, block);
    lb_oscillators_set(&o, lambdas, 0.1, 0.01, 0.01);
    const double *arrays[] = { o.zz, o.zv, o.zg, o.vz, o.vv, o.decay };
    for (int k = 0; k < 6; k++) {
      assert_true((uintptr_t)arrays[k] % 64 == 0);
      for (int32_t i = count; i % LB_BATCH; i++) assert_true(arrays[k][i] == 0);
    }
    for (int32_t i = count; i % LB_BATCH; i++) assert_true(o.slow[i] == 0);
    for (size_t i = lb_oscillators_bytes(count); i < sizeof block; i++)
      assert_true(block[i] == 0xff);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_damping_agrees_with_the_matrix_exponential),
    cmocka_unit_test(near_critical_damping_nothing_is_lost),
    cmocka_unit_test(nothing_jumps_at_the_borders),
    cmocka_unit_test(without_stiffness_it_is_a_damped_mass),
    cmocka_unit_test(extremes_stay_finite),
    cmocka_unit_test(two_half_steps_make_one),
    cmocka_unit_test(energy_never_grows),
    cmocka_unit_test(steps_follow_the_closed_form),
    cmocka_unit_test(arrays_are_padded_with_zeros),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
