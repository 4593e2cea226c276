// Vega's files of reduced polynomials and of bases: round trips, seeds, damage, a published file.
#include "check.h"
#include "limber/file.h"
#include "arrayio/vega_matrix.h"
#include "arrayio/cub.h"

typedef struct Bytes {
  char *data;
  size_t count;
} Bytes;

static Bytes read_bytes(const char *path) {
  Bytes bytes = { 0 };
  lbError err;
  check_ok(lb_file_read(path, &bytes.data, &bytes.count, &err), err);
  return bytes;
}

static lbPolynomial *random_polynomial(int32_t r, uint64_t seed) {
  lbPolynomial *p = NULL;
  lbError err;
  check_ok(lb_polynomial_create(r, &p, &err), err);
  for (size_t i = 0; i < lb_packed2_count(r); i++) p->linear[i] = check_random(&seed);
  for (size_t i = 0; i < lb_packed3_count(r); i++) p->quadratic[i] = check_random(&seed);
  for (size_t i = 0; i < lb_packed4_count(r); i++) p->cubic[i] = check_random(&seed);
  return p;
}

static double largest_difference(size_t count, const double *a, const double *b) {
  double worst = 0;
  for (size_t i = 0; i < count; i++) worst = fmax(worst, fabs(a[i] - b[i]));
  return worst;
}

static void save_load_save_of_polynomials_gives_the_same_bytes(void **state) {
  (void)state;
  lbError err;
  for (int32_t r = 1; r <= 9; r++) {
    const char *first = output_path("first.cub"), *second = output_path("second.cub");
    lbPolynomial *p = random_polynomial(r, (uint64_t)r), *back = NULL;
    check_ok(lb_cub_save(p, first, &err), err);
    check_ok(lb_cub_load(first, &back, &err), err);
    assert_int_equal(back->count, r);
    check_small(largest_difference(lb_packed2_count(r), p->linear, back->linear), 0);
    check_small(largest_difference(lb_packed3_count(r), p->quadratic, back->quadratic), 0);
    check_small(largest_difference(lb_packed4_count(r), p->cubic, back->cubic), 1e-15);
    check_ok(lb_cub_save(back, second, &err), err);
    Bytes a = read_bytes(first), b = read_bytes(second);
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.data, b.data, a.count);
    lb_free(a.data), lb_free(b.data);
    lb_polynomial_destroy(p), lb_polynomial_destroy(back);
  }
}

// f_p of the file's definition, summed straight from its bytes (little-endian machines).
static void force_of_bytes(const Bytes *bytes, int32_t r, const double *q, double *force) {
  const double *next = (const double *)(const void *)(bytes->data + 16);
  for (int32_t p = 0; p < r; p++) force[p] = 0;
  for (int32_t p = 0; p < r; p++)
    for (int32_t i = 0; i < r; i++) force[p] += *next++ * q[i];
  for (int32_t p = 0; p < r; p++)
    for (int32_t i = 0; i < r; i++)
      for (int32_t j = i; j < r; j++) force[p] += *next++ * q[i] * q[j];
  for (int32_t p = 0; p < r; p++)
    for (int32_t i = 0; i < r; i++)
      for (int32_t j = i; j < r; j++)
        for (int32_t k = j; k < r; k++) force[p] += *next++ * q[i] * q[j] * q[k];
  assert_ptr_equal(next, bytes->data + bytes->count);
}

static void sort_four(int32_t *t, int count) {
  for (int a = 0; a < count; a++)
    for (int b = a + 1; b < count; b++)
      if (t[b] < t[a]) {
        int32_t swap = t[a];
        t[a] = t[b], t[b] = swap;
      }
}

// R = P q + Q(q,q,.) + S(q,q,q,.), over all indices.
static void force_of_polynomial(const lbPolynomial *p, const double *q, double *force) {
  int32_t r = p->count;
  for (int32_t a = 0; a < r; a++) {
    double sum = 0;
    for (int32_t i = 0; i < r; i++) {
      int32_t t2[2] = { a, i };
      sort_four(t2, 2);
      sum += p->linear[lb_packed2(t2[0], t2[1])] * q[i];
      for (int32_t j = 0; j < r; j++) {
        int32_t t3[3] = { a, i, j };
        sort_four(t3, 3);
        sum += p->quadratic[lb_packed3(t3[0], t3[1], t3[2])] * q[i] * q[j];
        for (int32_t k = 0; k < r; k++) {
          int32_t t4[4] = { a, i, j, k };
          sort_four(t4, 4);
          sum += p->cubic[lb_packed4(t4[0], t4[1], t4[2], t4[3])] * q[i] * q[j] * q[k];
        }
      }
    }
    force[a] = sum;
  }
}

static void a_written_file_means_the_same_force(void **state) {
  (void)state;
  enum { R = 6 };
  lbError err;
  const char *path = output_path("force.cub");
  lbPolynomial *p = random_polynomial(R, 3);
  double q[R], expected[R], force[R];
  uint64_t seed = 4;
  for (int i = 0; i < R; i++) q[i] = check_random(&seed);
  check_ok(lb_cub_save(p, path, &err), err);
  Bytes bytes = read_bytes(path);
  force_of_bytes(&bytes, R, q, force);
  force_of_polynomial(p, q, expected);
  for (int i = 0; i < R; i++) check_near(force[i], expected[i], 1e-13);
  lb_free(bytes.data);
  lb_polynomial_destroy(p);
}

static void the_published_bridge_is_read_as_it_is_meant(void **state) {
  (void)state;
  const char *path = "../shared/refs/published_simpleBridge/simpleBridge.cub";
  if (!check_shared(path)) skip();
  enum { R = 20 };
  lbPolynomial *p = NULL;
  lbError err;
  double q[R], expected[R], force[R], scale = 0;
  uint64_t seed = 5;
  check_ok(lb_cub_load(path, &p, &err), err);
  assert_int_equal(p->count, R);
  for (int i = 0; i < R; i++) q[i] = 30 * check_random(&seed);
  Bytes bytes = read_bytes(path);
  force_of_bytes(&bytes, R, q, expected);
  force_of_polynomial(p, q, force);
  for (int i = 0; i < R; i++) scale = fmax(scale, fabs(expected[i]));
  for (int i = 0; i < R; i++) check_near(force[i], expected[i], 1e-12 * scale);
  lb_free(bytes.data);
  lb_polynomial_destroy(p);
  path = "../shared/refs/published_simpleBridge/simpleBridge.URendering.float";
  if (!check_shared(path)) skip();
  lbVegaMatrix matrix;
  check_ok(lb_vega_matrix_load(path, &matrix, &err), err);
  assert_int_equal(matrix.rows, 48255);
  assert_int_equal(matrix.columns, R);
  lb_free(matrix.values);
}

static void the_seed_holds_two_modes(void **state) {
  (void)state;
  lbPolynomial *p = NULL;
  lbError err;
  check_ok(lb_cub_load("fuzz/corpus/cub/two.cub", &p, &err), err);
  const double linear[3] = { 4, 1, 3 }, quadratic[4] = { 6, 2, 1, 5 }, cubic[5] = { 8, 3, 2, 1, 7 };
  assert_memory_equal(p->linear, linear, sizeof linear);
  assert_memory_equal(p->quadratic, quadratic, sizeof quadratic);
  assert_memory_equal(p->cubic, cubic, sizeof cubic);
  lb_polynomial_destroy(p);
}

// A seed with one number replaced is refused with this message.
#define check_damage(read, at, type, value, part)                                                  \
  do {                                                                                             \
    memcpy(damaged, seed.data, seed.count);                                                        \
    memcpy(damaged + (at), &(type){ value }, sizeof(type));                                        \
    check_fails(read(damaged, seed.count, &err), LB_ERR_FORMAT, err, part);                        \
  } while (0)

// A copy as long as it claims, so that the sanitizer sees a byte too many.
static lbStatus read_cub(const char *data, size_t count, lbError *err) {
  char *copy = malloc(count ? count : 1);
  lbPolynomial *p = NULL;
  memcpy(copy, data, count);
  lbStatus status = lb_cub_read("damaged.cub", copy, count, &p, err);
  assert_true(status == LB_OK || p == NULL);
  lb_polynomial_destroy(p);
  free(copy);
  return status;
}

static void damaged_polynomials_are_refused(void **state) {
  (void)state;
  lbError err;
  char longer[512] = { 0 }, damaged[512];
  Bytes seed = read_bytes("fuzz/corpus/cub/two.cub");
  for (size_t length = 0; length < seed.count; length++)
    check_fails(read_cub(seed.data, length, &err), LB_ERR_FORMAT, err, "bytes");
  memcpy(longer, seed.data, seed.count);
  check_fails(read_cub(longer, seed.count + 1, &err), LB_ERR_FORMAT, err, "160");
  check_damage(read_cub, 0, int32_t, 0, "0 modes");
  check_damage(read_cub, 0, int32_t, -2, "-2 modes");
  check_damage(read_cub, 0, int32_t, INT32_MAX, "2147483647 modes");
  check_damage(read_cub, 0, int32_t, 200, "200 modes have 200, 20100");
  check_damage(read_cub, 8, int32_t, 4, "coefficients a row");
  check_damage(read_cub, 16 + 8, double, NAN, "coefficient 1 is not finite");
  check_damage(read_cub, 16 + 8, double, 2, "linear coefficients differ");
  check_damage(read_cub, 16 + 8 * 5, double, 9, "quadratic coefficients differ");
  check_damage(read_cub, 16 + 8 * 12, double, 9, "cubic coefficients differ");
  lb_free(seed.data);
  lbPolynomial *p = NULL;
  check_fails(lb_cub_load("no/such.cub", &p, &err), LB_ERR_FILE, err, "no/such.cub");
}

static void bases_keep_their_values(void **state) {
  (void)state;
  enum { ROWS = 6, COLUMNS = 2 };
  const double values[ROWS * COLUMNS] = { 0.1, 2, -3, 1e-300, 5, 6, 7, 8, 9, 1e30, -11, 0 };
  lbVegaMatrix matrix;
  lbError err;
  const char *path = output_path("basis.U"), *single = output_path("basis.float");
  check_ok(lb_vega_matrix_save(ROWS, COLUMNS, values, path, &err), err);
  check_ok(lb_vega_matrix_load(path, &matrix, &err), err);
  assert_int_equal(matrix.rows, ROWS);
  assert_int_equal(matrix.columns, COLUMNS);
  assert_memory_equal(matrix.values, values, sizeof values);
  lb_free(matrix.values);
  check_ok(lb_vega_matrix_save(ROWS, COLUMNS, values, single, &err), err);
  check_ok(lb_vega_matrix_load(single, &matrix, &err), err);
  for (int i = 0; i < ROWS * COLUMNS; i++) assert_true(matrix.values[i] == (float)values[i]);
  lb_free(matrix.values);
  check_fails(lb_vega_matrix_save(1, 1, &(double){ 1e39 }, single, &err), LB_ERR_NUMERIC, err,
              "1e+39");
  check_fails(lb_vega_matrix_save(1, 1, &(double){ NAN }, path, &err), LB_ERR_NUMERIC, err,
              "row 0");
}

static lbStatus read_basis(const char *data, size_t count, lbError *err) {
  char *copy = malloc(count ? count : 1);
  lbVegaMatrix matrix = { 0 };
  memcpy(copy, data, count);
  lbStatus status = lb_vega_matrix_read("damaged.U", copy, count, &matrix, err);
  assert_true(status == LB_OK || matrix.values == NULL);
  lb_free(matrix.values);
  free(copy);
  return status;
}

static void damaged_bases_are_refused(void **state) {
  (void)state;
  const char *paths[2] = { "fuzz/corpus/basis/double.U", "fuzz/corpus/basis/single.float" };
  lbError err;
  char damaged[512];
  for (int i = 0; i < 2; i++) {
    Bytes seed = read_bytes(paths[i]);
    assert_int_equal(read_basis(seed.data, seed.count, &err), LB_OK);
    for (size_t length = 0; length < seed.count; length++)
      if (!(i == 0 && length == 8 + 6 * 4)) // which is a whole one in single precision
        check_fails(read_basis(seed.data, length, &err), LB_ERR_FORMAT, err, "bytes");
    lb_free(seed.data);
  }
  Bytes seed = read_bytes(paths[0]);
  check_damage(read_basis, 0, int32_t, 0, "0 x 2");
  check_damage(read_basis, 4, int32_t, -1, "3 x -1");
  check_damage(read_basis, 0, int32_t, INT32_MAX, "2147483647 x 2");
  check_damage(read_basis, 8 + 4 * 8, double, INFINITY, "row 1 of column 1");
  lb_free(seed.data);
}

static void failing_memory_leaves_nothing(void **state) {
  (void)state;
  lbStatus status = LB_ERR_MEMORY;
  for (int64_t n = 0; status; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lbPolynomial *p = NULL;
    lbVegaMatrix matrix = { 0 };
    lbError err;
    lb_set_allocator(&allocator);
    status = lb_cub_load("fuzz/corpus/cub/two.cub", &p, &err);
    if (!status) status = lb_vega_matrix_load("fuzz/corpus/basis/double.U", &matrix, &err);
    lb_polynomial_destroy(p);
    lb_free(matrix.values);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    assert_true((status == LB_OK || status == LB_ERR_MEMORY) && n < 100);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(save_load_save_of_polynomials_gives_the_same_bytes),
    cmocka_unit_test(a_written_file_means_the_same_force),
    cmocka_unit_test(the_published_bridge_is_read_as_it_is_meant),
    cmocka_unit_test(the_seed_holds_two_modes),
    cmocka_unit_test(damaged_polynomials_are_refused),
    cmocka_unit_test(bases_keep_their_values),
    cmocka_unit_test(damaged_bases_are_refused),
    cmocka_unit_test(failing_memory_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
