// Modal derivatives: second derivatives of the force, solves for held and free bodies, both ways.
#include "basis_problems.h"

#include "reduce/hessian.h"
#include "linalg/dense.h"
#include "reduce/derivatives.h"
#include "threads/threads.h"

// A shaken bar of two materials of this model.
static lbFem *mixed_bar(lbElementKind kind, lbMaterialModel model) {
  lbMesh *mesh = box_mesh(kind, 4, 2, 2, 1, 0.5, 0.4);
  bool *fixed = side(mesh, 0, 0);
  shake_vertices(mesh, fixed, 0.03);
  lbMaterial materials[2] = { test_material(model), test_material(model) };
  materials[1].young = 4e5, materials[1].poisson = 0.42, materials[1].c10 = 5e4;
  int32_t elements = lb_mesh_element_count(mesh);
  int32_t *ids = calloc((size_t)elements, sizeof(int32_t));
  for (int32_t e = 0; e < elements; e++) ids[e] = e % 3 == 0;
  lbFemDef def = lb_fem_def();
  def.materials = materials;
  def.material_count = 2;
  def.element_materials = ids;
  def.fixed = fixed;
  lbFem *fem = NULL;
  lbError err;
  check_ok(lb_fem_create(mesh, &def, &fem, &err), err);
  lb_mesh_destroy(mesh);
  free(fixed);
  free(ids);
  return fem;
}

static double *hessian_forces(const lbFem *fem, int32_t count, const double *modes) {
  size_t n = 3 * (size_t)fem->node_count;
  double *forces = malloc(n * (size_t)lb_pair_count(count) * sizeof(double));
  lbError err;
  check_ok(lb_hessian_forces(fem, count, modes, forces, &err), err);
  return forces;
}

static double difference(size_t n, const double *x, const double *y) {
  double largest_value = 0, worst = 0;
  for (size_t i = 0; i < n; i++) {
    largest_value = fmax(largest_value, fabs(y[i]));
    worst = fmax(worst, fabs(x[i] - y[i]));
  }
  return worst / largest_value;
}

// (K(εa) b − K(−εa) b) / 2ε, which has no error but rounding: StVK's K is quadratic in u.
static void second_derivative_by_differences(const lbFem *fem, const double *a, const double *b,
                                             double *out) {
  double *u = zeros(fem), *direction = zeros(fem), *forward = zeros(fem), *back = zeros(fem);
  double *forces = zeros(fem), eps = 1e-2;
  size_t rows = 3 * (size_t)fem->vertex_count;
  lb_fem_expand(fem, a, u);
  lb_fem_expand(fem, b, direction);
  for (size_t i = 0; i < rows; i++) u[i] *= eps;
  evaluate(fem, u, forces, direction, forward);
  for (size_t i = 0; i < rows; i++) u[i] = -u[i];
  evaluate(fem, u, forces, direction, back);
  for (size_t i = 0; i < rows; i++) forward[i] = (forward[i] - back[i]) / (2 * eps);
  lb_fem_compress(fem, forward, out);
  free(u);
  free(direction);
  free(forward);
  free(back);
  free(forces);
}

static void second_derivative_matches_differences_of_the_tangent(void **state) {
  (void)state;
  enum { MODES = 4 };
  for_each_element(kind) {
    lbFem *fem = mixed_bar(kind, LB_MATERIAL_STVK);
    size_t n = 3 * (size_t)fem->node_count;
    double *modes = random_system(fem, MODES, 3), *expected = malloc(n * sizeof(double));
    double *forces = hessian_forces(fem, MODES, modes);
    for (int32_t i = 0; i < MODES; i++)
      for (int32_t j = i; j < MODES; j++) {
        second_derivative_by_differences(fem, modes + n * (size_t)i, modes + n * (size_t)j,
                                         expected);
        check_small(difference(n, forces + n * lb_pair_index(MODES, i, j), expected), 1e-11);
      }
    free(modes);
    free(expected);
    free(forces);
    lb_fem_destroy(fem);
  }
}

static void second_derivative_is_symmetric(void **state) {
  (void)state;
  for_each_element(kind) {
    lbFem *fem = mixed_bar(kind, LB_MATERIAL_STVK);
    size_t n = 3 * (size_t)fem->node_count;
    double *modes = random_system(fem, 2, 5), *swapped = malloc(2 * n * sizeof(double));
    memcpy(swapped, modes + n, n * sizeof(double));
    memcpy(swapped + n, modes, n * sizeof(double));
    double *forces = hessian_forces(fem, 2, modes), *other = hessian_forces(fem, 2, swapped);
    check_small(difference(n, forces + n, other + n), 3e-13);
    free(modes);
    free(swapped);
    free(forces);
    free(other);
    lb_fem_destroy(fem);
  }
}

static void every_law_counts_as_stvk_of_its_linearisation(void **state) {
  (void)state;
  for_each_law(kind, model) {
    lbMaterial m = test_material(model), stvk = m;
    stvk.model = LB_MATERIAL_STVK;
    if (model == LB_MATERIAL_MOONEYRIVLIN) {
      double mu = 2 * (m.c10 + m.c01), bulk = 2 * m.v1;
      stvk.young = 9 * bulk * mu / (3 * bulk + mu);
      stvk.poisson = (3 * bulk - 2 * mu) / (2 * (3 * bulk + mu));
    }
    lbFem *fem = box_fem(kind, 2, 1, 1, 1, 0.5, 0.5, &m, true);
    lbFem *reference = box_fem(kind, 2, 1, 1, 1, 0.5, 0.5, &stvk, true);
    double *modes = random_system(fem, 2, 9);
    double *forces = hessian_forces(fem, 2, modes), *same = hessian_forces(reference, 2, modes);
    check_small(difference(9 * (size_t)fem->node_count, forces, same), 1e-12);
    lbSparse *K = NULL, *expected = NULL;
    lbError err;
    check_ok(lb_fem_rest_stiffness(fem, &K, &err), err);
    check_ok(lb_fem_rest_stiffness(reference, &expected, &err), err);
    check_small(difference((size_t)lb_sparse_nonzero_count(K), K->values, expected->values), 1e-12);
    lb_sparse_destroy(K);
    lb_sparse_destroy(expected);
    free(modes);
    free(forces);
    free(same);
    lb_fem_destroy(fem);
    lb_fem_destroy(reference);
  }
}

// One element under the kernel of a level, pairs of rows [begin, end).
static void run_kernel(const lbHessianKernels *kernels, lbElementKind kind, int32_t modes,
                       int32_t begin, int32_t end, double *sums) {
  double gradients[192], weights[8], u[24 * 40] = { 0 };
  uint64_t seed = 11;
  int32_t nodes = lb_element_nodes(kind), stride = lb_hessian_stride(modes);
  size_t pairs = lb_hessian_pair_count(modes, begin, end);
  for (int i = 0; i < 192; i++) gradients[i] = check_random(&seed);
  for (int i = 0; i < 8; i++) weights[i] = 1 + check_random(&seed) / 2;
  double *work = calloc(lb_hessian_work_count(kind, modes, pairs), sizeof(double));
  lbHessianElement e = { .kind = kind,
                         .gradients = gradients,
                         .weights = weights,
                         .lambda = 1.5,
                         .mu = 0.7,
                         .mode_count = modes,
                         .stride = stride,
                         .row_begin = begin,
                         .row_end = end,
                         .work = work };
  for (int32_t a = 0; a < nodes; a++) {
    e.modes[a] = u + 3 * a * stride;
    e.sums[a] = sums + 3 * (size_t)a * pairs;
    for (int32_t i = 0; i < 3; i++)
      for (int32_t j = 0; j < modes; j++) u[(3 * a + i) * stride + j] = check_random(&seed);
  }
  kernels->add_pairs(&e);
  free(work);
}

static void every_simd_level_agrees_for_every_tail(void **state) {
  (void)state;
  for_each_element(kind) for (int32_t modes = 1; modes <= 19;
                              modes++) for (lbSimdLevel level = LB_SIMD_PORTABLE;
                                            level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has(level)) continue;
    int32_t begin = modes / 3, end = modes - modes / 4;
    size_t pairs = lb_hessian_pair_count(modes, begin, end);
    double *plain = calloc(24 * pairs + 1, sizeof(double));
    double *wide = calloc(24 * pairs + 1, sizeof(double));
    run_kernel(lb_hessian_kernels(LB_SIMD_PORTABLE), kind, modes, begin, end, plain);
    run_kernel(lb_hessian_kernels(level), kind, modes, begin, end, wide);
    check_small(difference(24 * pairs, wide, plain), 1e-13);
    free(plain);
    free(wide);
  }
}

static lbRest *rest_of(const lbFem *fem, int32_t modes) {
  lbRest *rest = NULL;
  lbError err;
  check_ok(lb_rest_create(fem, &rest, &err), err);
  check_ok(lb_rest_modes(rest, modes, &err), err);
  check_ok(lb_rest_factor(rest, &err), err);
  return rest;
}

// b <- b − MZ(Zᵀb)
static void remove_resultant(const lbRest *rest, double *b) {
  size_t n = (size_t)rest->size;
  for (int32_t z = 0; z < rest->eigen->rigid_count; z++) {
    double part = vector_dot(n, rest->eigen->rigid_vectors + n * (size_t)z, b);
    for (size_t i = 0; i < n; i++) b[i] -= part * rest->MZ[n * (size_t)z + i];
  }
}

// Forces and derivatives of more columns than are solved together.
static void columns_in_a_file_have_the_bits_of_those_in_memory(void **state) {
  (void)state;
  enum { MODES = 8 };
  lbError err = { 0 };
  lbFem *fem = small_bar(LB_ELEMENT_BRICK8, true);
  lbRest *rest = rest_of(fem, MODES);
  size_t n = (size_t)rest->size, pairs = (size_t)lb_pair_count(MODES);
  double *expected = test_malloc(n * pairs * sizeof(double));
  double *found = test_malloc(n * pairs * sizeof(double));
  const double *modes = rest->eigen->vectors;
  lbColumns memory = lb_columns_in_memory(n, expected), file;
  assert_true(pairs > 16);
  assert_true(lb_columns_open_file(n, (int32_t)pairs, &file));
  check_ok(lb_hessian_forces(fem, MODES, modes, expected, &err), err);
  check_ok(lb_hessian_force_columns(fem, MODES, modes, &file, &err), err);
  check_ok(lb_columns_read(&file, 0, pairs, found, &err), err);
  assert_memory_equal(found, expected, n * pairs * sizeof(double));
  check_ok(lb_derivatives_solve(rest, (int32_t)pairs, &memory, &err), err);
  check_ok(lb_derivatives_solve(rest, (int32_t)pairs, &file, &err), err);
  check_ok(lb_columns_read(&file, 0, pairs, found, &err), err);
  assert_memory_equal(found, expected, n * pairs * sizeof(double));
  lb_columns_close_file(&file);
  assert_int_equal(lb_columns_read(&file, 0, 1, found, &err), LB_ERR_FILE);
  assert_int_equal(lb_columns_write(&file, 0, 1, found, &err), LB_ERR_FILE);
  assert_int_equal(lb_hessian_force_columns(fem, MODES, modes, &file, &err), LB_ERR_FILE);
  test_free(expected), test_free(found);
  lb_rest_destroy(rest);
  lb_fem_destroy(fem);
}

static void derivatives_solve_their_equation_held_and_free(void **state) {
  (void)state;
  enum { MODES = 5 };
  for_each_element(kind) for (int held = 0; held < 2; held++) {
    lbFem *fem = small_bar(kind, held);
    lbRest *rest = rest_of(fem, MODES);
    size_t n = (size_t)rest->size;
    int32_t pairs = lb_pair_count(MODES);
    assert_int_equal(rest->eigen->rigid_count, held ? 0 : 6);
    double *forces = hessian_forces(fem, MODES, rest->eigen->vectors);
    double *phi = malloc(n * (size_t)pairs * sizeof(double)), *Kx = malloc(n * sizeof(double));
    memcpy(phi, forces, n * (size_t)pairs * sizeof(double));
    lbError err;
    lbColumns columns = lb_columns_in_memory(n, phi);
    check_ok(lb_derivatives_solve(rest, pairs, &columns, &err), err);
    double worst = 0, rigid = 0;
    for (int32_t p = 0; p < pairs; p++) {
      double *b = forces + n * (size_t)p, *x = phi + n * (size_t)p;
      double scale = vector_norm(n, b);
      remove_resultant(rest, b);
      lb_sparse_multiply(rest->K, x, Kx);
      for (size_t i = 0; i < n; i++) Kx[i] += b[i];
      worst = fmax(worst, vector_norm(n, Kx) / scale);
      for (int32_t z = 0; z < rest->eigen->rigid_count; z++)
        rigid = fmax(rigid, fabs(vector_dot(n, rest->MZ + n * (size_t)z, x)) / vector_norm(n, x) /
                                vector_norm(n, rest->MZ + n * (size_t)z));
    }
    check_small(worst, 1e-10);
    check_small(rigid, 1e-12);
    free(forces);
    free(phi);
    free(Kx);
    lb_rest_destroy(rest);
    lb_fem_destroy(fem);
  }
}

// [K MZ; (MZ)ᵀ 0] [x; r] = [b; 0]: the free body's solution without any choice of held rows.
static void free_solutions_agree_with_the_bordered_system(void **state) {
  (void)state;
  enum { COUNT = 4 };
  lbFem *fem = small_bar(LB_ELEMENT_TET4, false);
  lbRest *rest = rest_of(fem, 2);
  size_t n = (size_t)rest->size, rigid = (size_t)rest->eigen->rigid_count, m = n + rigid;
  double *A = calloc(m * m, sizeof(double)), *B = calloc(m * COUNT, sizeof(double));
  double *x = random_system(fem, COUNT, 77);
  for (int32_t j = 0; j < rest->size; j++)
    for (int32_t k = rest->K->column_begin[j]; k < rest->K->column_begin[j + 1]; k++) {
      size_t i = (size_t)rest->K->rows[k];
      A[(size_t)j * m + i] = A[i * m + (size_t)j] = rest->K->values[k];
    }
  for (size_t z = 0; z < rigid; z++) // scaled to the size of K
    for (size_t i = 0; i < n; i++)
      A[(n + z) * m + i] = A[i * m + n + z] = 1e4 * rest->MZ[z * n + i];
  for (size_t c = 0; c < COUNT; c++) memcpy(B + c * m, x + c * n, n * sizeof(double));
  lbError err;
  check_ok(lb_dense_solve((int32_t)m, A, COUNT, B, &err), err);
  check_ok(lb_rest_solve(rest, COUNT, x, &err), err);
  double worst = 0;
  for (size_t c = 0; c < COUNT; c++) worst = fmax(worst, difference(n, x + c * n, B + c * m));
  print_message("  against the bordered system: %.2e, tolerance 3e-12\n", worst);
  check_small(worst, 3e-12);
  free(A);
  free(B);
  free(x);
  lb_rest_destroy(rest);
  lb_fem_destroy(fem);
}

static double *deflated(lbRest *rest, int32_t modes) {
  double *forces = hessian_forces(rest->fem, modes, rest->eigen->vectors);
  double *phi = malloc((size_t)rest->size * (size_t)(modes * modes) * sizeof(double));
  lbError err;
  check_ok(lb_derivatives_deflate(rest, modes, forces, phi, &err), err);
  free(forces);
  return phi;
}

static lbFem *free_cube(void) { // repeated eigenvalues
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  return box_fem(LB_ELEMENT_BRICK8, 3, 3, 3, 1, 1, 1, &material, false);
}

// (K − λ M) Φ = (M Ψ_C Ψ_Cᵀ − 1) h, the rigid part of the right-hand side removed.
static double deflation_residual(const lbRest *rest, int32_t i, const double *h, const double *x) {
  size_t n = (size_t)rest->size;
  const lbEigen *eigen = rest->eigen;
  double *r = malloc(n * sizeof(double)), *work = malloc(n * sizeof(double)), lambda;
  lambda = eigen->values[i];
  lb_sparse_multiply(rest->K, x, r);
  lb_sparse_multiply(rest->M, x, work);
  for (size_t k = 0; k < n; k++) r[k] -= lambda * work[k];
  double *rhs = malloc(n * sizeof(double));
  for (size_t k = 0; k < n; k++) rhs[k] = -h[k];
  for (int32_t l = 0; l < eigen->count; l++) {
    const double *psi = eigen->vectors + n * (size_t)l;
    if (fabs(eigen->values[l] - lambda) > 1e-6 * lambda) continue;
    double part = vector_dot(n, psi, h);
    lb_sparse_multiply(rest->M, psi, work);
    for (size_t k = 0; k < n; k++) rhs[k] += part * work[k];
    assert_true(fabs(vector_dot(n, work, x)) <= 1e-9 * vector_norm(n, work) * vector_norm(n, x));
  }
  remove_resultant(rest, rhs);
  for (size_t k = 0; k < n; k++) r[k] -= rhs[k];
  double residual = vector_norm(n, r) / vector_norm(n, h);
  free(r);
  free(work);
  free(rhs);
  return residual;
}

static void deflated_derivatives_solve_appendix_d(void **state) {
  (void)state;
  enum { MODES = 6 };
  lbFem *bodies[2] = { small_bar(LB_ELEMENT_TET4, false), free_cube() };
  for (int b = 0; b < 2; b++) {
    lbRest *rest = rest_of(bodies[b], MODES + 8);
    size_t n = (size_t)rest->size;
    double *forces = hessian_forces(bodies[b], MODES, rest->eigen->vectors);
    double *phi = deflated(rest, MODES), worst = 0;
    for (int32_t i = 0; i < MODES; i++)
      for (int32_t j = 0; j < MODES; j++) {
        size_t pair = lb_pair_index(MODES, i < j ? i : j, i < j ? j : i);
        worst = fmax(worst, deflation_residual(rest, i, forces + n * pair,
                                               phi + n * (size_t)(i * MODES + j)));
      }
    check_small(worst, 1e-9);
    free(forces);
    free(phi);
    lb_rest_destroy(rest);
    lb_fem_destroy(bodies[b]);
  }
}

// Turns two vectors of a cluster into each other by an angle: Φ is linear in each of its two modes,
// so the new derivatives follow from the old ones. Deflating single modes would break that.
static void derivatives_of_a_cluster_do_not_depend_on_its_vectors(void **state) {
  (void)state;
  enum { MODES = 6 };
  const double c = cos(0.7), s = sin(0.7);
  lbFem *fem = free_cube();
  lbRest *rest = rest_of(fem, MODES + 8);
  size_t n = (size_t)rest->size;
  int32_t first = -1;
  for (int32_t i = 0; i + 1 < MODES && first < 0; i++)
    if (rest->eigen->values[i + 1] < rest->eigen->values[i] * (1 + 1e-8)) first = i;
  assert_true(first >= 0);
  double *before = deflated(rest, MODES);
  double *x = rest->eigen->vectors + n * (size_t)first, *y = x + n;
  for (size_t k = 0; k < n; k++) {
    double old = x[k];
    x[k] = c * old + s * y[k];
    y[k] = c * y[k] - s * old;
  }
  double *after = deflated(rest, MODES), worst = 0, scale = 0;
  size_t p = (size_t)first, q = p + 1;
  for (size_t j = 0; j < MODES; j++) { // Φ_pj of the turned modes
    for (size_t k = 0; k < n; k++) {
      const double *P = before + n * p * MODES + k, *Q = before + n * q * MODES + k;
      double jc = j == p ? c : j == q ? -s : 1, js = j == p ? s : j == q ? c : 0;
      size_t a = j == p || j == q ? p : j, b = j == p || j == q ? q : j;
      double expected = c * (jc * P[n * a] + js * P[n * b]) + s * (jc * Q[n * a] + js * Q[n * b]);
      worst = fmax(worst, fabs(after[n * (p * MODES + j) + k] - expected));
      scale = fmax(scale, fabs(expected));
    }
  }
  check_small(worst / scale, 1e-8);
  free(before);
  free(after);
  lb_rest_destroy(rest);
  lb_fem_destroy(fem);
}

static void held_rows_do_not_matter(void **state) {
  (void)state;
  lbFem *fem = small_bar(LB_ELEMENT_TET4, false);
  lbRest *one = rest_of(fem, 2), *two = rest_of(fem, 2);
  size_t n = (size_t)one->size;
  double *x = random_system(fem, 3, 21), *y = malloc(3 * n * sizeof(double));
  memcpy(y, x, 3 * n * sizeof(double));
  // three vertices of another corner, 3-2-1, in place of those that were chosen
  lbSparse *K = NULL;
  lbError err;
  const int32_t pins[6] = { 0, 1, 2, 3 * 5 + 1, 3 * 5 + 2, 3 * 6 + 2 };
  check_ok(lb_sparse_copy(two->K, &K, &err), err);
  for (int32_t j = 0; j < K->size; j++)
    for (int32_t k = K->column_begin[j]; k < K->column_begin[j + 1]; k++)
      for (int p = 0; p < 6; p++)
        if ((j == pins[p] || K->rows[k] == pins[p]) && j != K->rows[k]) K->values[k] = 0;
  memcpy(two->pins, pins, sizeof pins);
  check_ok(lb_cholesky_factor(two->kept.cholesky, K, &err), err);
  check_ok(lb_rest_solve(one, 3, x, &err), err);
  check_ok(lb_rest_solve(two, 3, y, &err), err);
  check_small(difference(3 * n, x, y), 1e-9);
  lb_sparse_destroy(K);
  free(x);
  free(y);
  lb_rest_destroy(one);
  lb_rest_destroy(two);
  lb_fem_destroy(fem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(second_derivative_matches_differences_of_the_tangent),
    cmocka_unit_test(second_derivative_is_symmetric),
    cmocka_unit_test(every_law_counts_as_stvk_of_its_linearisation),
    cmocka_unit_test(every_simd_level_agrees_for_every_tail),
    cmocka_unit_test(columns_in_a_file_have_the_bits_of_those_in_memory),
    cmocka_unit_test(derivatives_solve_their_equation_held_and_free),
    cmocka_unit_test(free_solutions_agree_with_the_bordered_system),
    cmocka_unit_test(deflated_derivatives_solve_appendix_d),
    cmocka_unit_test(derivatives_of_a_cluster_do_not_depend_on_its_vectors),
    cmocka_unit_test(held_rows_do_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
