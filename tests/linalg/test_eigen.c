// The lowest modes: against closed forms and the dense solver, rigid motions, clusters, refusals.
#include "problems.h"

#include "linalg/eigen.h"
#include "threads/threads.h"

static lbEigen *solve(const lbSparse *K, const lbSparse *M, int32_t count, bool verify) {
  lbError err = { 0 };
  lbEigen *eigen = NULL;
  lbEigenDef def = lb_eigen_def(count);
  def.verify = verify;
  check_ok(lb_eigen_lowest(K, M, &def, &eigen, &err), err);
  return eigen;
}

// expected: all eigenvalues, the zero ones first
static void check_values(const lbEigen *eigen, const double *expected, double tolerance) {
  for (int32_t i = 0; i < eigen->count; i++) {
    double value = expected[eigen->rigid_count + i];
    check_small(eigen->values[i] / value - 1, tolerance);
    check_small(eigen->residuals[i], 1e-8);
  }
}

// W' M W = 1 over rigid and elastic vectors together; K r = 0.
static void check_vectors(const lbEigen *e, Pencil p) {
  size_t n = (size_t)e->size, total = (size_t)(e->count + e->rigid_count);
  double *W = calloc(n * total, sizeof *W), *MW = calloc(n * total, sizeof *W);
  double *G = calloc(total * total, sizeof *G);
  memcpy(W, e->rigid_vectors, n * (size_t)e->rigid_count * sizeof *W);
  memcpy(W + n * (size_t)e->rigid_count, e->vectors, n * (size_t)e->count * sizeof *W);
  lb_sparse_multiply_many(p.M, (int32_t)total, W, MW);
  lb_dense_multiply(LB_TRANSPOSED, LB_PLAIN, (int32_t)total, (int32_t)total, e->size, 1, W, MW, 0,
                    G);
  for (size_t i = 0; i < total; i++)
    for (size_t j = 0; j < total; j++) check_near(G[i * total + j], i == j, 1e-11);
  for (int32_t r = 0; r < e->rigid_count; r++) {
    lb_sparse_multiply(p.K, W + n * (size_t)r, MW);
    for (size_t i = 0; i < n; i++) check_small(MW[i], 1e-10);
  }
  for (int32_t c = 0; c < e->count; c++) {
    const double *w = e->vectors + n * (size_t)c;
    size_t largest = 0;
    for (size_t i = 1; i < n; i++)
      if (fabs(w[i]) > fabs(w[largest])) largest = i;
    assert_true(w[largest] > 0);
  }
  free(W), free(MW), free(G);
}

static void check_laplacian(int32_t nx, int32_t ny, int32_t nz, int32_t count) {
  Pencil p = { make_laplacian(nx, ny, nz), make_identity(nx * ny * nz, 1) };
  double *expected = laplacian_values(nx, ny, nz);
  lbEigen *eigen = solve(p.K, p.M, count, false);
  assert_int_equal(eigen->rigid_count, 0);
  assert_true(eigen->solve_count > 0);
  check_values(eigen, expected, 1e-10);
  check_vectors(eigen, p);
  lb_eigen_destroy(eigen);
  free_pencil(p), free(expected);
}

static void double_eigenvalues_of_a_square_grid_are_all_found(void **state) {
  (void)state;
  check_laplacian(30, 30, 1, 25);
}

static void threefold_and_sixfold_eigenvalues_of_a_cube_grid_are_all_found(void **state) {
  (void)state;
  check_laplacian(13, 13, 13, 60);
}

static void three_hundred_modes_are_found(void **state) {
  (void)state;
  check_laplacian(13, 12, 11, 300);
}

static void check_against_dense(Lattice *lattice, int32_t count, int32_t rigid_count, bool verify) {
  Pencil p = finish_lattice(lattice);
  double *expected = dense_values(p);
  lbEigen *eigen = solve(p.K, p.M, count, verify);
  assert_int_equal(eigen->rigid_count, rigid_count);
  check_values(eigen, expected, 1e-10);
  check_vectors(eigen, p);
  lb_eigen_destroy(eigen);
  free_pencil(p), free(expected);
}

static void a_free_body_has_six_rigid_modes(void **state) {
  (void)state;
  Lattice lattice = { 0 };
  add_box(&lattice, 7, 5, 4, -1, 1);
  check_against_dense(&lattice, 20, 6, false);
}

static void a_small_free_body_is_solved_too(void **state) {
  (void)state;
  Lattice lattice = { 0 };
  add_box(&lattice, 4, 3, 2, -1, 1);
  check_against_dense(&lattice, 3 * 24 - 6, 6, false);
}

static void a_clamped_body_has_none(void **state) {
  (void)state;
  Lattice lattice = { 0 };
  add_box(&lattice, 7, 5, 4, -1, 1);
  for (int32_t v = 0; v < 3; v++) clamp_vertex(&lattice, 2 * v * v);
  check_against_dense(&lattice, 20, 0, true);
}

static void one_pinned_vertex_leaves_three_rotations(void **state) {
  (void)state;
  Lattice lattice = { 0 };
  add_box(&lattice, 7, 5, 4, -1, 1);
  clamp_vertex(&lattice, 17);
  check_against_dense(&lattice, 12, 3, false);
}

static void two_pinned_vertices_leave_one_rotation(void **state) {
  (void)state;
  Lattice lattice = { 0 };
  add_box(&lattice, 7, 5, 4, -1, 1);
  clamp_vertex(&lattice, 17);
  clamp_vertex(&lattice, 40);
  check_against_dense(&lattice, 12, 1, false);
}

static void a_ball_joint_adds_three_rigid_modes(void **state) {
  (void)state;
  Lattice lattice = { 0 };
  add_box(&lattice, 5, 5, 3, -1, 1);
  add_box(&lattice, 4, 4, 4, 74, 1);
  check_against_dense(&lattice, 30, 9, false);
}

static void loose_parts_are_counted(void **state) {
  (void)state;
  Lattice lattice = { 0 };
  for (int part = 0; part < 3; part++) add_box(&lattice, 4, 4, 4 + part, -1, 1);
  check_against_dense(&lattice, 20, 18, false);
}

// Multiplicities of twelve exceed the block of eight.
static void equal_loose_parts_are_all_found(void **state) {
  (void)state;
  enum { PARTS = 12 };
  Lattice lattice = { 0 }, single = { 0 };
  add_box(&single, 3, 3, 3, -1, 1);
  for (int part = 0; part < PARTS; part++) add_box(&lattice, 3, 3, 3, -1, 1);
  Pencil p = finish_lattice(&lattice), one = finish_lattice(&single);
  double *values = dense_values(one);
  lbEigen *eigen = solve(p.K, p.M, 2 * PARTS, false);
  assert_true(eigen->solve_count > 0);
  assert_int_equal(eigen->rigid_count, 6 * PARTS);
  for (int32_t i = 0; i < eigen->count; i++)
    check_small(eigen->values[i] / values[6 + i / PARTS] - 1, 1e-10);
  check_vectors(eigen, p);
  lb_eigen_destroy(eigen);
  free_pencil(p), free_pencil(one), free(values);
}

static void one_eigenvalue_of_full_multiplicity_is_found(void **state) {
  (void)state;
  lbSparse *K = make_identity(500, 7), *M = make_identity(500, 2);
  lbEigen *eigen = solve(K, M, 10, false);
  for (int32_t i = 0; i < 10; i++) check_near(eigen->values[i], 3.5, 1e-12);
  lb_eigen_destroy(eigen);
  free_pencil((Pencil){ K, M });
}

// The stiff part rules the traces, so that the first shift lies far above the lowest modes.
static void a_stiff_part_does_not_spoil_soft_modes(void **state) {
  (void)state;
  Lattice lattice = { 0 };
  add_box(&lattice, 4, 4, 4, -1, 1e9);
  add_box(&lattice, 6, 5, 5, 63, 1);
  Pencil p = finish_lattice(&lattice);
  lbEigen *eigen = solve(p.K, p.M, 20, false);
  assert_int_equal(eigen->rigid_count, 9);
  print_message("shift %g, first mode %g, %d solves\n", eigen->shift, eigen->values[0],
                eigen->solve_count);
  // Holding the joint fast takes away three freedoms, so the modes of the soft box alone enclose
  // those of the pair (Cauchy's interlacing).
  Lattice soft = { 0 };
  add_box(&soft, 6, 5, 5, -1, 1);
  clamp_vertex(&soft, 0);
  Pencil bound = finish_lattice(&soft);
  double *values = dense_values(bound);
  for (int32_t i = 0; i < 20; i++) {
    assert_true(eigen->values[i] > (1 - 1e-6) * values[3 + i]);
    assert_true(eigen->values[i] < (1 + 1e-6) * values[6 + i]);
    check_small(eigen->residuals[i], 1e-4);
  }
  lb_eigen_destroy(eigen);
  free_pencil(p), free_pencil(bound), free(values);
}

static void a_lumped_mass_and_other_units_make_no_difference(void **state) {
  (void)state;
  Pencil p = make_box(7, 5, 4);
  lbSparse *lumped = make_identity(p.K->size, 2);
  Pencil plain = { p.K, lumped };
  double *expected = dense_values(plain);
  lbEigen *eigen = solve(p.K, lumped, 15, false);
  check_values(eigen, expected, 1e-10);
  lb_eigen_destroy(eigen);
  for (int32_t k = 0; k < lb_sparse_nonzero_count(p.K); k++) p.K->values[k] *= 1e11;
  for (int32_t i = 0; i < lumped->size; i++) lumped->values[i] *= 1e-9;
  eigen = solve(p.K, lumped, 15, false);
  assert_int_equal(eigen->rigid_count, 6);
  for (int32_t i = 0; i < 15; i++)
    check_small(eigen->values[i] * 1e-20 / expected[6 + i] - 1, 1e-10);
  lb_eigen_destroy(eigen);
  lb_sparse_destroy(lumped);
  free_pencil(p), free(expected);
}

static void bits_do_not_depend_on_the_pool(void **state) {
  (void)state;
  lbError err = { 0 };
  Pencil p = make_box(7, 5, 4);
  lbEigen *one = solve(p.K, p.M, 10, false);
  check_ok(lb_threads_start(3, &err), err);
  lbEigen *three = solve(p.K, p.M, 10, false);
  lb_threads_stop();
  assert_memory_equal(one->values, three->values, 10 * sizeof(double));
  assert_memory_equal(one->vectors, three->vectors, (size_t)one->size * 10 * sizeof(double));
  lb_eigen_destroy(one);
  lb_eigen_destroy(three);
  free_pencil(p);
}

static void check_refused(Pencil p, int32_t count, lbStatus status, const char *part) {
  lbError err = { 0 };
  lbEigen *eigen = NULL;
  lbEigenDef def = lb_eigen_def(count);
  check_fails(lb_eigen_lowest(p.K, p.M, &def, &eigen, &err), status, err, part);
  assert_null(eigen);
}

static void too_many_modes_are_refused(void **state) {
  (void)state;
  Pencil p = make_box(3, 3, 2);
  check_refused(p, 49, LB_ERR_ARGUMENT, "at most 48");
  check_refused(p, 0, LB_ERR_ARGUMENT, "0 modes");
  check_refused(p, 1000, LB_ERR_ARGUMENT, "54 unknowns");
  memset(p.K->values, 0, (size_t)lb_sparse_nonzero_count(p.K) * sizeof(double));
  check_refused(p, 1, LB_ERR_ARGUMENT, "at most 0");
  free_pencil(p);
}

static void bad_matrices_are_refused(void **state) {
  (void)state;
  int32_t sides[2] = { 3, 6 }; // dense and sparse path
  for (int i = 0; i < 2; i++) {
    Pencil p = make_box(sides[i], 5, 5);
    double mass = p.M->values[0], stiffness = p.K->values[0];
    p.M->values[0] = -1;
    check_refused(p, 5, LB_ERR_NUMERIC, "not positive definite at row 0");
    p.M->values[0] = NAN;
    check_refused(p, 5, LB_ERR_NUMERIC, "mass matrix holds");
    p.M->values[0] = mass;
    p.K->values[0] = INFINITY;
    check_refused(p, 5, LB_ERR_NUMERIC, "stiffness matrix holds");
    p.K->values[0] = stiffness - 100;
    check_refused(p, 5, LB_ERR_NUMERIC, "negative eigenvalue");
    p.K->values[0] = stiffness - 1e-6; // below zero by less than the shift may hide
    check_refused(p, 5, LB_ERR_NUMERIC, "negative eigenvalue");
    free_pencil(p);
  }
  Pencil other = { make_laplacian(20, 20, 1), make_identity(399, 1) };
  check_refused(other, 5, LB_ERR_ARGUMENT, "K has 400 rows, M has 399");
  free_pencil(other);
}

static bool stop_in_the_middle(const char *stage, double fraction, void *context) {
  assert_string_equal(stage, "modes");
  assert_true(fraction >= 0 && fraction <= 1);
  return ++*(int *)context < 4;
}

static void the_progress_hook_can_stop_it(void **state) {
  (void)state;
  int calls = 0;
  Pencil p = make_box(7, 5, 4);
  lb_set_progress(stop_in_the_middle, &calls);
  check_refused(p, 20, LB_ERR_INTERRUPTED, "");
  lb_set_progress(NULL, NULL);
  assert_int_equal(calls, 4);
  free_pencil(p);
}

static void every_failing_allocation_is_survived(void **state) {
  (void)state;
  Pencil boxes[2] = { make_box(3, 2, 2), make_box(6, 5, 4) };
  for (int i = 0; i < 2; i++) {
    lbEigenDef def = lb_eigen_def(2);
    def.tolerance = 1e-4;
    for (int64_t n = 0;; n++) {
      CheckedHeap heap = { .fail_at = n };
      lbAllocator allocator = checked_allocator(&heap);
      lbEigen *eigen = NULL;
      lbError err = { 0 };
      lb_set_allocator(&allocator);
      lbStatus status = lb_eigen_lowest(boxes[i].K, boxes[i].M, &def, &eigen, &err);
      lb_eigen_destroy(eigen);
      lb_set_allocator(NULL);
      assert_int_equal(heap.live, 0);
      if (heap.count <= n) {
        check_ok(status, err);
        break;
      }
      if (status) assert_int_equal(status, LB_ERR_MEMORY);
    }
    free_pencil(boxes[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(double_eigenvalues_of_a_square_grid_are_all_found),
    cmocka_unit_test(threefold_and_sixfold_eigenvalues_of_a_cube_grid_are_all_found),
    cmocka_unit_test(three_hundred_modes_are_found),
    cmocka_unit_test(a_free_body_has_six_rigid_modes),
    cmocka_unit_test(a_small_free_body_is_solved_too),
    cmocka_unit_test(a_clamped_body_has_none),
    cmocka_unit_test(one_pinned_vertex_leaves_three_rotations),
    cmocka_unit_test(two_pinned_vertices_leave_one_rotation),
    cmocka_unit_test(a_ball_joint_adds_three_rigid_modes),
    cmocka_unit_test(loose_parts_are_counted),
    cmocka_unit_test(equal_loose_parts_are_all_found),
    cmocka_unit_test(one_eigenvalue_of_full_multiplicity_is_found),
    cmocka_unit_test(a_stiff_part_does_not_spoil_soft_modes),
    cmocka_unit_test(a_lumped_mass_and_other_units_make_no_difference),
    cmocka_unit_test(bits_do_not_depend_on_the_pool),
    cmocka_unit_test(too_many_modes_are_refused),
    cmocka_unit_test(bad_matrices_are_refused),
    cmocka_unit_test(the_progress_hook_can_stop_it),
    cmocka_unit_test(every_failing_allocation_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
