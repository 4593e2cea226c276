// The search for modes by a factor in single precision: against closed forms and dense values,
// clusters, threads, refusals.
#include "problems.h"

#include "limber/rounding.h"
#include "linalg/davidson.h"
#include "linalg/eigen.h"
#include "threads/threads.h"

static lbCholesky *factor_compact(const lbSparse *K) {
  lbError err = { 0 };
  lbCholesky *factor = NULL;
  check_ok(lb_cholesky_create_compact(K, 0, &factor, &err), err);
  check_ok(lb_cholesky_factor(factor, K, &err), err);
  assert_true(lb_cholesky_info(factor).single);
  return factor;
}

static lbDavidson make_search(lbCholesky *factor, Pencil p, int32_t count) {
  return (lbDavidson){ .factor = factor,
                       .K = p.K,
                       .M = p.M,
                       .count = count,
                       .block = 16,
                       .capacity = 3 * count + 7 * 16,
                       .tolerance = 1e-10 };
}

// Modes (size x count), or NULL where they are not found; lb_free them.
static double *search(Pencil p, int32_t count) {
  lbError err = { 0 };
  lbCholesky *factor = factor_compact(p.K);
  lbDavidson def = make_search(factor, p, count);
  double *X = NULL;
  check_ok(lb_davidson_search(&def, &X, &err), err);
  assert_true(def.solve_count >= count);
  lb_cholesky_destroy(factor);
  return X;
}

// Modes have unit mass, these eigenvalues, and |K x - lambda M x| / |K x| is small.
static void check_modes(Pencil p, int32_t count, const double *X, const double *expected) {
  size_t n = (size_t)p.K->size, c = (size_t)count;
  double *KX = test_malloc(n * c * sizeof *KX), *MX = test_malloc(n * c * sizeof *MX);
  double *G = test_malloc(c * c * sizeof *G);
  lb_sparse_multiply_many(p.K, count, X, KX);
  lb_sparse_multiply_many(p.M, count, X, MX);
  lb_dense_multiply(LB_TRANSPOSED, LB_PLAIN, count, count, p.K->size, 1, X, MX, 0, G);
  for (size_t j = 0; j < c; j++) {
    double left = 0, all = 0, energy = 0;
    for (size_t i = j * n; i < (j + 1) * n; i++) energy += X[i] * KX[i];
    for (size_t i = j * n; i < (j + 1) * n; i++) {
      left += (KX[i] - energy * MX[i]) * (KX[i] - energy * MX[i]);
      all += KX[i] * KX[i];
    }
    check_small(energy / expected[j] - 1, 1e-12);
    check_small(sqrt(left / all), 1e-8);
    for (size_t i = 0; i < c; i++) check_near(G[j * c + i], i == j, 1e-11);
  }
  test_free(KX), test_free(MX), test_free(G);
}

static void modes_of_grids_are_those_of_closed_forms(void **state) {
  (void)state;
  const int32_t sizes[][4] = {
    { 13, 13, 13, 23 }, { 40, 31, 1, 23 }, { 14, 13, 12, 60 }, { 9, 8, 7, 1 }
  };
  for (int i = 0; i < 4; i++) {
    const int32_t *s = sizes[i];
    Pencil p = { make_laplacian(s[0], s[1], s[2]), make_identity(s[0] * s[1] * s[2], 1) };
    double *expected = laplacian_values(s[0], s[1], s[2]), *X = search(p, s[3]);
    assert_non_null(X);
    check_modes(p, s[3], X, expected);
    lb_free(X), free(expected);
    free_pencil(p);
  }
}

static Pencil make_clamped(int32_t nx, int32_t ny, int32_t nz) {
  Lattice lattice = { 0 };
  add_box(&lattice, nx, ny, nz, -1, 1);
  for (int32_t i = 0; i < nx * ny; i++) clamp_vertex(&lattice, i);
  return finish_lattice(&lattice);
}

// By the engine of the build, and by our own.
static void modes_of_a_lattice_are_those_of_the_dense_solver(void **state) {
  (void)state;
  Pencil p = make_clamped(7, 6, 6);
  double *expected = dense_values(p);
  for (int i = 0; i < 2; i++) {
    lb_set_repeatable(i == 1);
    double *X = search(p, 20);
    lb_set_repeatable(false);
    assert_non_null(X);
    check_modes(p, 20, X, expected);
    lb_free(X);
  }
  free(expected);
  free_pencil(p);
}

static void equal_parts_are_left_to_who_looks_longer(void **state) {
  (void)state;
  enum { PARTS = 12, COUNT = 30 };
  Entries entries = { 0 };
  lbSparse *part = make_laplacian(6, 6, 6);
  for (int32_t k = 0; k < PARTS; k++)
    for (int32_t j = 0; j < part->size; j++)
      for (int32_t at = part->column_begin[j]; at < part->column_begin[j + 1]; at++)
        add_entry(&entries, k * part->size + part->rows[at], k * part->size + j, part->values[at]);
  Pencil p = { make_sparse(PARTS * part->size, &entries), make_identity(PARTS * part->size, 1) };
  assert_null(search(p, COUNT));
  double *values = laplacian_values(6, 6, 6);
  lbError err = { 0 };
  lbEigen *eigen = NULL;
  lbEigenDef def = lb_eigen_def(COUNT);
  def.definite = true;
  def.compact_bytes = 0;
  check_ok(lb_eigen_lowest(p.K, p.M, &def, &eigen, &err), err);
  for (int32_t i = 0; i < COUNT; i++) check_small(eigen->values[i] / values[i / PARTS] - 1, 1e-10);
  lb_eigen_destroy(eigen);
  lb_sparse_destroy(part);
  free_pencil(p), free(values);
}

static void bits_do_not_depend_on_the_pool(void **state) {
  (void)state;
  lbError err = { 0 };
  Pencil p = make_clamped(8, 7, 7);
  double *one = search(p, 10);
  check_ok(lb_threads_start(3, &err), err);
  double *three = search(p, 10);
  lb_threads_stop();
  assert_non_null(one), assert_non_null(three);
  assert_memory_equal(one, three, (size_t)p.K->size * 10 * sizeof *one);
  lb_free(one), lb_free(three);
  free_pencil(p);
}

static bool stop_at_once(const char *stage, double fraction, void *context) {
  (void)stage, (void)fraction, (void)context;
  return false;
}

static void the_progress_hook_can_stop_it(void **state) {
  (void)state;
  lbError err = { 0 };
  Pencil p = make_clamped(7, 6, 6);
  lbCholesky *factor = factor_compact(p.K);
  lbDavidson def = make_search(factor, p, 10);
  double *X = NULL;
  lb_set_progress(stop_at_once, NULL);
  lbStatus status = lb_davidson_search(&def, &X, &err);
  lb_set_progress(NULL, NULL);
  assert_int_equal(status, LB_ERR_INTERRUPTED);
  assert_null(X);
  lb_cholesky_destroy(factor);
  free_pencil(p);
}

static void every_failing_allocation_is_survived(void **state) {
  (void)state;
  Pencil p = make_clamped(7, 6, 6);
  lbCholesky *factor = factor_compact(p.K);
  lb_cholesky_drop_soft_shapes(factor); // they came from another heap
  for (int64_t n = 0;; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lbError err = { 0 };
    double *X = NULL;
    lbDavidson def = make_search(factor, p, 4);
    def.tolerance = 1e-4;
    lb_cholesky_release_work(factor);
    lb_set_allocator(&allocator);
    lbStatus status = lb_davidson_search(&def, &X, &err);
    bool found = X;
    lb_free(X);
    lb_cholesky_release_work(factor);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (!status) {
      assert_true(found);
      break;
    }
    assert_int_equal(status, LB_ERR_MEMORY);
  }
  lb_cholesky_destroy(factor);
  free_pencil(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(modes_of_grids_are_those_of_closed_forms),
    cmocka_unit_test(modes_of_a_lattice_are_those_of_the_dense_solver),
    cmocka_unit_test(equal_parts_are_left_to_who_looks_longer),
    cmocka_unit_test(bits_do_not_depend_on_the_pool),
    cmocka_unit_test(the_progress_hook_can_stop_it),
    cmocka_unit_test(every_failing_allocation_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
