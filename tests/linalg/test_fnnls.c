// Nonnegative least squares against its optimality conditions and against all choices of unknowns.
#include "check.h"

#include "linalg/dense.h"
#include "linalg/fnnls.h"

enum { MOST = 40 };

typedef struct Problem {
  int32_t rows, size;
  double A[3 * MOST * MOST], b[3 * MOST], G[MOST * MOST], c[MOST];
} Problem;

static void finish(Problem *p) {
  lb_dense_gram(p->rows, p->size, p->A, p->G);
  lb_dense_multiply_vector(LB_TRANSPOSED, p->rows, p->size, 1, p->A, p->b, 0, p->c);
}

static void random_problem(uint64_t *seed, int32_t rows, int32_t size, Problem *p) {
  p->rows = rows, p->size = size;
  for (int32_t i = 0; i < rows * size; i++) p->A[i] = check_random(seed) + 0.3;
  for (int32_t i = 0; i < rows; i++) p->b[i] = check_random(seed) + 0.2;
  finish(p);
}

static double square(const Problem *p, const double *x) {
  double sum = 0;
  for (int32_t i = 0; i < p->rows; i++) {
    double r = -p->b[i];
    for (int32_t j = 0; j < p->size; j++) r += p->A[j * p->rows + i] * x[j];
    sum += r * r;
  }
  return sum;
}

// x >= 0; w = Aᵀ(b − A x) is 0 where x > 0 and not above 0 elsewhere; from A, not from AᵀA.
static void check_optimal(const Problem *p, const double *x, double tolerance) {
  for (int32_t j = 0; j < p->size; j++) {
    double w = 0, scale = 0;
    for (int32_t i = 0; i < p->rows; i++) {
      double r = p->b[i];
      for (int32_t k = 0; k < p->size; k++) r -= p->A[k * p->rows + i] * x[k];
      w += p->A[j * p->rows + i] * r;
      scale += fabs(p->A[j * p->rows + i] * p->b[i]);
    }
    assert_true(x[j] >= 0);
    check_small(x[j] > 0 ? w / scale : fmax(w / scale, 0), tolerance);
  }
}

static void solution_meets_the_optimality_conditions(void **state) {
  (void)state;
  static Problem p;
  uint64_t seed = 3;
  lbError err;
  int cases = CHECK_SANITIZED ? 40 : 400, zeros = 0, positives = 0;
  for (int n = 0; n < cases; n++) {
    int32_t size = 1 + n % MOST, rows = size + (n / MOST) * size / 5;
    double x[MOST] = { 0 };
    random_problem(&seed, rows, size, &p);
    check_ok(lb_fnnls(size, p.G, (size_t)size, p.c, x, &err), err);
    check_optimal(&p, x, 1e-7);
    for (int32_t j = 0; j < size; j++) zeros += x[j] == 0, positives += x[j] > 0;
  }
  assert_true(zeros > cases && positives > cases); // the cases are worth something
}

static void any_start_leads_to_the_same_solution(void **state) {
  (void)state;
  static Problem p;
  uint64_t seed = 5;
  lbError err;
  for (int n = 0; n < 60; n++) {
    int32_t size = 2 + n % 20;
    double cold[MOST] = { 0 }, warm[MOST], exact[MOST];
    random_problem(&seed, 3 * size, size, &p);
    for (int32_t j = 0; j < size; j++) warm[j] = fmax(check_random(&seed), 0);
    check_ok(lb_fnnls(size, p.G, (size_t)size, p.c, cold, &err), err);
    check_ok(lb_fnnls(size, p.G, (size_t)size, p.c, warm, &err), err);
    memcpy(exact, cold, sizeof exact);
    check_ok(lb_fnnls(size, p.G, (size_t)size, p.c, exact, &err), err);
    for (int32_t j = 0; j < size; j++) {
      check_near(warm[j], cold[j], 1e-8);
      check_near(exact[j], cold[j], 1e-10);
    }
  }
}

// Every set of unknowns that may be positive is tried.
static void no_other_choice_of_unknowns_is_better(void **state) {
  (void)state;
  static Problem p;
  uint64_t seed = 11;
  lbError err;
  for (int n = 0; n < 30; n++) {
    int32_t size = 1 + n % 7;
    double x[MOST] = { 0 }, best = INFINITY;
    random_problem(&seed, size + 2, size, &p);
    check_ok(lb_fnnls(size, p.G, (size_t)size, p.c, x, &err), err);
    for (int32_t set = 0; set < 1 << size; set++) {
      double G[49], z[7], full[MOST] = { 0 };
      int32_t of[7], count = 0;
      bool inside = true;
      for (int32_t j = 0; j < size; j++)
        if (set >> j & 1) of[count++] = j;
      for (int32_t i = 0; i < count; i++) {
        z[i] = p.c[of[i]];
        for (int32_t j = 0; j < count; j++) G[j * count + i] = p.G[of[j] * size + of[i]];
      }
      check_ok(lb_dense_solve(count, G, 1, z, &err), err);
      for (int32_t i = 0; i < count; i++) full[of[i]] = z[i], inside &= z[i] >= 0;
      if (inside) best = fmin(best, square(&p, full));
    }
    check_near(square(&p, x), best, 1e-9 * (1 + best));
  }
}

static void dependent_and_zero_columns_do_no_harm(void **state) {
  (void)state;
  static Problem p;
  uint64_t seed = 17;
  lbError err;
  for (int n = 0; n < 40; n++) {
    int32_t size = 12, rows = n % 2 ? 30 : 8; // or more unknowns than rows
    double x[MOST] = { 0 };
    random_problem(&seed, rows, size, &p);
    for (int32_t i = 0; i < rows; i++) {
      p.A[3 * rows + i] = 0;
      p.A[5 * rows + i] = p.A[i];                                // twice the same
      p.A[7 * rows + i] = p.A[rows + i] + 2 * p.A[2 * rows + i]; // a sum of two
      p.A[9 * rows + i] *= 1e-6;                                 // another scale
    }
    finish(&p);
    for (int32_t j = 0; j < size; j++) x[j] = n % 3 ? 0 : 1; // also started with all of them
    check_ok(lb_fnnls(size, p.G, (size_t)size, p.c, x, &err), err);
    check_small(x[3], 0);
    check_optimal(&p, x, 1e-6);
  }
}

static void nothing_to_solve_is_zero(void **state) {
  (void)state;
  static Problem p;
  uint64_t seed = 23;
  lbError err;
  double x[MOST];
  check_ok(lb_fnnls(0, p.G, 1, p.c, x, &err), err);
  random_problem(&seed, 9, 5, &p);
  for (int j = 0; j < 5; j++) p.c[j] = -fabs(p.c[j]), x[j] = 1;
  for (int j = 0; j < 25; j++) p.G[j] = fabs(p.G[j]);
  for (int j = 0; j < 5; j++) p.G[6 * j] += 9;
  check_ok(lb_fnnls(5, p.G, 5, p.c, x, &err), err);
  for (int j = 0; j < 5; j++) check_small(x[j], 0);
}

static void memory_may_fail(void **state) {
  (void)state;
  static Problem p;
  uint64_t seed = 29;
  lbError err;
  random_problem(&seed, 20, 10, &p);
  lbStatus status = LB_ERR_MEMORY;
  for (int64_t n = 0; status == LB_ERR_MEMORY && n < 100; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    double x[MOST] = { 0 };
    lb_set_allocator(&allocator);
    status = lb_fnnls(10, p.G, 10, p.c, x, &err);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
  }
  check_ok(status, err);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(solution_meets_the_optimality_conditions),
    cmocka_unit_test(any_start_leads_to_the_same_solution),
    cmocka_unit_test(no_other_choice_of_unknowns_is_better),
    cmocka_unit_test(dependent_and_zero_columns_do_no_harm),
    cmocka_unit_test(nothing_to_solve_is_zero),
    cmocka_unit_test(memory_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
