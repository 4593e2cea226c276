// Symmetric sparse matrices: patterns, products, sums.
#include "problems.h"

#include "threads/threads.h"

static void a_bad_pattern_is_refused(void **state) {
  (void)state;
  lbError err = { 0 };
  lbSparse *A = NULL;
  int32_t begin[] = { 0, 1, 3 }, late[] = { 1, 1, 3 }, back[] = { 0, 2, 1 };
  int32_t below[] = { 1, 0, 1 }, twice[] = { 0, 1, 1 }, good[] = { 0, 0, 1 },
          negative[] = { 0, -1, 1 };
  check_fails(lb_sparse_create(2, begin, below, &A, &err), LB_ERR_ARGUMENT, err,
              "row 1 of column 0");
  check_fails(lb_sparse_create(2, begin, twice, &A, &err), LB_ERR_ARGUMENT, err, "column 1");
  check_fails(lb_sparse_create(2, begin, negative, &A, &err), LB_ERR_ARGUMENT, err, "row -1");
  check_fails(lb_sparse_create(2, late, good, &A, &err), LB_ERR_ARGUMENT, err, "begins at 1");
  check_fails(lb_sparse_create(2, back, good, &A, &err), LB_ERR_ARGUMENT, err, "ends before");
  check_fails(lb_sparse_create(0, begin, good, &A, &err), LB_ERR_ARGUMENT, err, "size 0");
  assert_null(A);
  check_ok(lb_sparse_create(2, begin, good, &A, &err), err);
  lb_sparse_destroy(A);
  lb_sparse_destroy(NULL);
}

static void entries_are_found_in_either_triangle(void **state) {
  (void)state;
  lbSparse *A = make_laplacian(4, 3, 1);
  assert_true(lb_sparse_find(A, 5, 5) >= 0);
  assert_int_equal(lb_sparse_find(A, 5, 4), lb_sparse_find(A, 4, 5));
  check_near(A->values[lb_sparse_find(A, 9, 5)], -1, 0);
  assert_int_equal(lb_sparse_find(A, 0, 11), -1);
  assert_int_equal(lb_sparse_find(A, 2, 11), -1);
  lb_sparse_destroy(A);
}

static void copies_leave_zeros_out_and_borrow_patterns(void **state) {
  (void)state;
  lbSparse *A = make_laplacian(4, 3, 1), *B = NULL, *C = NULL;
  lbError err = { 0 };
  double x[12], Ax[12], Bx[12];
  for (int i = 0; i < 12; i++) x[i] = i * i - 20;
  A->values[lb_sparse_find(A, 4, 5)] = 0;
  A->values[lb_sparse_find(A, 7, 7)] = 0; // on the diagonal: it stays
  check_ok(lb_sparse_copy_nonzeros(A, &B, &err), err);
  assert_int_equal(lb_sparse_nonzero_count(B), lb_sparse_nonzero_count(A) - 1);
  assert_int_equal(lb_sparse_find(B, 4, 5), -1);
  assert_true(lb_sparse_find(B, 7, 7) >= 0);
  lb_sparse_multiply(A, x, Ax);
  lb_sparse_multiply(B, x, Bx);
  for (int i = 0; i < 12; i++) check_near(Ax[i], Bx[i], 0);
  check_ok(lb_sparse_borrow_pattern(A, &C, &err), err);
  assert_true(C->rows == A->rows);
  for (int32_t k = 0; k < lb_sparse_nonzero_count(C); k++) check_near(C->values[k], 0, 0);
  lb_sparse_destroy(C);
  lb_sparse_multiply(A, x, Bx); // A has its pattern still
  for (int i = 0; i < 12; i++) check_near(Ax[i], Bx[i], 0);
  lb_sparse_destroy(A);
  lb_sparse_destroy(B);
}

static void products_agree_with_dense_ones(void **state) {
  (void)state;
  uint64_t seed = 3;
  Pencil p = make_box(4, 3, 3);
  for (int32_t k = 0; k < lb_sparse_nonzero_count(p.K); k++) p.K->values[k] = check_random(&seed);
  int32_t size = p.K->size;
  size_t n = (size_t)size;
  double *D = to_dense(p.K), *X = calloc(21 * n, 8), *Y = calloc(21 * n, 8), *Z = calloc(21 * n, 8);
  for (size_t i = 0; i < 21 * n; i++) X[i] = check_random(&seed);
  for (int32_t count = 1; count <= 21; count++) {
    lb_sparse_multiply_many(p.K, count, X, Y);
    lb_dense_multiply(LB_PLAIN, LB_PLAIN, size, count, size, 1, D, X, 0, Z);
    for (size_t i = 0; i < (size_t)count * n; i++) check_near(Y[i], Z[i], 1e-12);
  }
  free(D), free(X), free(Y), free(Z);
  free_pencil(p);
}

static void products_have_the_same_bits_one_by_one_together_and_on_threads(void **state) {
  (void)state;
  enum { COUNT = 19 };
  lbError err = { 0 };
  uint64_t seed = 5;
  Pencil p = make_box(4, 4, 3);
  size_t n = (size_t)p.K->size;
  double *X = calloc(COUNT * n, 8), *one = calloc(COUNT * n, 8), *many = calloc(COUNT * n, 8);
  for (size_t i = 0; i < COUNT * n; i++) X[i] = check_random(&seed);
  for (size_t c = 0; c < COUNT; c++) lb_sparse_multiply(p.K, X + c * n, one + c * n);
  for (int32_t threads = 1; threads <= 3; threads++) {
    check_ok(lb_threads_start(threads, &err), err);
    lb_sparse_multiply_many(p.K, COUNT, X, many);
    assert_memory_equal(one, many, COUNT * n * sizeof *one);
  }
  lb_threads_stop();
  CheckedHeap heap = { .fail_at = 0 }; // no work space: slower, the same
  lbAllocator allocator = checked_allocator(&heap);
  memset(many, 0, COUNT * n * sizeof *many);
  lb_set_allocator(&allocator);
  lb_sparse_multiply_many(p.K, COUNT, X, many);
  lb_set_allocator(NULL);
  assert_memory_equal(one, many, COUNT * n * sizeof *one);
  free(X), free(one), free(many);
  free_pencil(p);
}

static void sums_need_a_contained_pattern(void **state) {
  (void)state;
  lbError err = { 0 };
  lbSparse *A = make_laplacian(4, 4, 1), *I = make_identity(16, 2), *C = NULL, *P = NULL;
  check_ok(lb_sparse_copy(A, &C, &err), err);
  assert_true(lb_sparse_add_scaled(A, 0.5, I));
  assert_true(lb_sparse_add_scaled(A, -1, C));
  double diagonal[16], before = I->values[3];
  lb_sparse_diagonal(A, diagonal);
  for (int i = 0; i < 16; i++) check_near(diagonal[i], 1, 0);
  check_near(A->values[lb_sparse_find(A, 0, 1)], 0, 0);
  assert_false(lb_sparse_add_scaled(I, 1, C));
  check_near(I->values[3], before, 0);
  check_ok(lb_sparse_copy_pattern(C, &P, &err), err);
  for (int32_t k = 0; k < lb_sparse_nonzero_count(P); k++) check_near(P->values[k], 0, 0);
  lb_sparse_destroy(A), lb_sparse_destroy(I), lb_sparse_destroy(C), lb_sparse_destroy(P);
}

static void a_failed_allocation_leaves_nothing(void **state) {
  (void)state;
  lbSparse *A = make_laplacian(3, 3, 1);
  for (int64_t n = 0; n < 9; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lbError err = { 0 };
    lbSparse *copy = NULL, *diagonal = NULL;
    lb_set_allocator(&allocator);
    lbStatus status = lb_sparse_copy(A, &copy, &err);
    if (!status) status = lb_sparse_create_diagonal(5, NULL, &diagonal, &err);
    lb_sparse_destroy(copy), lb_sparse_destroy(diagonal);
    lb_set_allocator(NULL);
    assert_int_equal(status, LB_ERR_MEMORY);
    assert_int_equal(heap.live, 0);
  }
  lb_sparse_destroy(A);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_bad_pattern_is_refused),
    cmocka_unit_test(entries_are_found_in_either_triangle),
    cmocka_unit_test(copies_leave_zeros_out_and_borrow_patterns),
    cmocka_unit_test(products_agree_with_dense_ones),
    cmocka_unit_test(products_have_the_same_bits_one_by_one_together_and_on_threads),
    cmocka_unit_test(sums_need_a_contained_pattern),
    cmocka_unit_test(a_failed_allocation_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
