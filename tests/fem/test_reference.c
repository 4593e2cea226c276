// Modes of repeated eigenvalues: the geometry fixes their vectors, whatever a solver returns.
#include "fem_problems.h"

#include "fem/reference.h"

static lbSparse *rest_stiffness(const lbFem *fem) {
  lbSparse *K = NULL;
  lbError err;
  check_ok(lb_fem_rest_stiffness(fem, &K, &err), err);
  return K;
}

static lbEigen *canonical_modes(const lbFem *fem, const lbSparse *K, int32_t count) {
  lbEigen *eigen = NULL;
  lbError err;
  check_ok(lb_fem_eigen(fem, K, count, NULL, &eigen, &err), err);
  return eigen;
}

// A brick bar of square cross-section, held or free; `cells` along its length.
static lbFem *square_bar(int cells, double length, bool held) {
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  return box_fem(LB_ELEMENT_BRICK8, cells, 3, 3, length, 0.3, 0.3, &material, held);
}

// Turns members [begin, end) into each other at random, tips them out of their space by `noise`,
// and turns about every sign.
static void disturb(lbEigen *eigen, int32_t begin, int32_t end, double noise, uint64_t *seed) {
  size_t n = (size_t)eigen->size;
  for (int32_t a = begin; a < end; a++)
    for (int32_t b = begin; b < a; b++) {
      double *x = eigen->vectors + n * (size_t)a, *y = eigen->vectors + n * (size_t)b;
      double angle = 3 * check_random(seed), c = cos(angle), s = sin(angle);
      for (size_t i = 0; i < n; i++) {
        double old = x[i];
        x[i] = c * old - s * y[i];
        y[i] = s * old + c * y[i];
      }
    }
  for (size_t i = n * (size_t)begin; i < n * (size_t)end; i++)
    eigen->vectors[i] = -eigen->vectors[i] * (1 + noise * check_random(seed));
}

static double disturb_and_restore(const lbFem *fem, const lbEigen *eigen, double noise,
                                  uint64_t *seed) {
  size_t all = (size_t)eigen->size * (size_t)eigen->count;
  lbEigen copy = *eigen;
  lbFemReference reference;
  lbError err;
  double difference = 0, largest = 0;
  copy.vectors = malloc(all * sizeof(double));
  memcpy(copy.vectors, eigen->vectors, all * sizeof(double));
  for (int32_t begin = 0, end; begin < eigen->count; begin = end) {
    end = lb_cluster_end(eigen->count, eigen->values, LB_EIGENVALUE_GAP, begin);
    disturb(&copy, begin, end, noise, seed);
  }
  lb_fem_reference(fem, fem->mass, &reference);
  check_ok(lb_canonical_vectors(&reference.fields, copy.count, copy.values, LB_EIGENVALUE_GAP,
                                copy.vectors, &err),
           err);
  for (size_t i = 0; i < all; i++) {
    difference = fmax(difference, fabs(copy.vectors[i] - eigen->vectors[i]));
    largest = fmax(largest, fabs(eigen->vectors[i]));
  }
  free(copy.vectors);
  return difference / largest;
}

static void any_rotation_of_a_cluster_becomes_the_same_vectors(void **state) {
  (void)state;
  const struct {
    int cells;
    double length;
    bool held;
    int32_t cluster; // the largest
  } bodies[] = { { 8, 1, true, 2 }, { 8, 1, false, 2 }, { 3, 0.3, true, 2 }, { 3, 0.3, false, 3 } };
  uint64_t seed = 5;
  for (size_t b = 0; b < sizeof bodies / sizeof *bodies; b++) {
    lbFem *fem = square_bar(bodies[b].cells, bodies[b].length, bodies[b].held);
    lbSparse *K = rest_stiffness(fem);
    lbEigen *eigen = canonical_modes(fem, K, 22);
    int32_t cluster = 0;
    for (int32_t begin = 0, end; begin < eigen->count; begin = end) {
      end = lb_cluster_end(eigen->count, eigen->values, LB_EIGENVALUE_GAP, begin);
      if (end - begin > cluster) cluster = end - begin;
    }
    assert_int_equal(cluster, bodies[b].cluster);
    for (int i = 0; i < 20; i++) {
      double difference = disturb_and_restore(fem, eigen, 1e-12, &seed);
      if (i == 0) print_message("  difference %.1e, tolerance 1e-9\n", difference);
      check_small(difference, 1e-9);
    }
    lb_eigen_destroy(eigen);
    lb_sparse_destroy(K);
    lb_fem_destroy(fem);
  }
}

static void canonical_modes_are_modes(void **state) {
  (void)state;
  lbFem *fem = square_bar(8, 1, true);
  lbSparse *K = rest_stiffness(fem);
  lbEigen *eigen = canonical_modes(fem, K, 20);
  size_t n = (size_t)eigen->size;
  double *Mx = malloc(n * sizeof(double));
  for (size_t i = 0; i < 20; i++) {
    check_small(eigen->residuals[i], 1e-9);
    lb_sparse_multiply(fem->mass, eigen->vectors + n * i, Mx);
    for (size_t j = 0; j < 20; j++) {
      double product = 0;
      for (size_t k = 0; k < n; k++) product += eigen->vectors[n * j + k] * Mx[k];
      check_near(product, i == j, 1e-11);
    }
  }
  free(Mx);
  lb_eigen_destroy(eigen);
  lb_sparse_destroy(K);
  lb_fem_destroy(fem);
}

static void a_square_bar_bends_along_its_sides(void **state) {
  (void)state;
  lbFem *fem = square_bar(8, 1, true);
  lbSparse *K = rest_stiffness(fem);
  lbEigen *eigen = canonical_modes(fem, K, 2);
  for (size_t mode = 0; mode < 2; mode++) {
    double sums[3] = { 0 };
    for (size_t i = 0; i < (size_t)eigen->size; i++)
      sums[i % 3] += eigen->vectors[mode * (size_t)eigen->size + i];
    double larger = fmax(fabs(sums[1]), fabs(sums[2])),
           smaller = fmin(fabs(sums[1]), fabs(sums[2]));
    check_small(smaller / larger, 1e-9);
  }
  lb_eigen_destroy(eigen);
  lb_sparse_destroy(K);
  lb_fem_destroy(fem);
}

// A count that cuts a cluster gives the first modes of a larger count.
static void fewer_modes_are_the_first_of_more(void **state) {
  (void)state;
  for (int held = 0; held < 2; held++) {
    lbFem *fem = square_bar(held ? 8 : 3, held ? 1 : 0.3, held);
    lbSparse *K = rest_stiffness(fem);
    lbEigen *all = canonical_modes(fem, K, 24);
    for (int32_t count = 1; count < 24; count++) {
      lbEigen *some = canonical_modes(fem, K, count);
      double difference = 0, largest = 0;
      assert_int_equal(some->count, count);
      for (size_t i = 0; i < (size_t)some->size * (size_t)count; i++) {
        difference = fmax(difference, fabs(some->vectors[i] - all->vectors[i]));
        largest = fmax(largest, fabs(all->vectors[i]));
      }
      check_small(difference / largest, held ? 1e-8 : 1e-7);
      for (int32_t i = 0; i < count; i++) check_small(some->values[i] / all->values[i] - 1, 1e-10);
      lb_eigen_destroy(some);
    }
    lb_eigen_destroy(all);
    lb_sparse_destroy(K);
    lb_fem_destroy(fem);
  }
}

static void all_modes_of_a_small_body_can_be_had_and_no_more(void **state) {
  (void)state;
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  lbFem *fem = box_fem(LB_ELEMENT_BRICK8, 1, 1, 1, 1, 1, 1, &material, false);
  lbSparse *K = rest_stiffness(fem);
  lbEigen *eigen = canonical_modes(fem, K, 18), *none = NULL;
  lbError err;
  assert_int_equal(eigen->rigid_count, 6);
  lb_eigen_destroy(eigen);
  for (int32_t count = 15; count < 18; count++) lb_eigen_destroy(canonical_modes(fem, K, count));
  check_fails(lb_fem_eigen(fem, K, 19, NULL, &none, &err), LB_ERR_ARGUMENT, err, "19 modes");
  check_fails(lb_fem_eigen(fem, K, 0, NULL, &none, &err), LB_ERR_ARGUMENT, err, "0 modes");
  assert_null(none);
  lb_sparse_destroy(K);
  lb_fem_destroy(fem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(any_rotation_of_a_cluster_becomes_the_same_vectors),
    cmocka_unit_test(canonical_modes_are_modes),
    cmocka_unit_test(a_square_bar_bends_along_its_sides),
    cmocka_unit_test(fewer_modes_are_the_first_of_more),
    cmocka_unit_test(all_modes_of_a_small_body_can_be_had_and_no_more),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
