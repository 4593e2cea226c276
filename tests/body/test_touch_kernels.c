// Responses of places as products, against the matrix of all places, at every SIMD level.
#include "check.h"

#include "body/response_kernels.h"

#include <math.h>
#include <string.h>

enum { PLACES = 11, N = 3 * PLACES, STRIDE = 40, HEIGHT = 23, WIDTH = 24, CHOSEN = 4 };

static uint64_t seed = 1;

typedef struct Product {
  double columns[HEIGHT * STRIDE], weighed[HEIGHT * STRIDE]; // weighed: each row times a number
  double rows[N * WIDTH], moved[N * WIDTH];
  double matrix[N * N];
} Product;

static void make(Product *p, const lbTouchKernels *kernels) {
  memset(p, 0, sizeof *p);
  for (int i = 0; i < HEIGHT; i++) {
    double weight = 0.1 + fabs(check_random(&seed));
    for (int k = 0; k < N; k++) {
      p->columns[i * STRIDE + k] = check_random(&seed);
      p->weighed[i * STRIDE + k] = weight * p->columns[i * STRIDE + k];
    }
  }
  kernels->turn(HEIGHT, N, p->columns, WIDTH, p->rows);
  kernels->turn(HEIGHT, N, p->weighed, WIDTH, p->moved);
  kernels->add_product(HEIGHT, N, p->columns, p->weighed, p->matrix);
}

static void each_level(void (*check)(const Product *p, const lbTouchKernels *kernels)) {
  static Product p;
  assert_int_equal(lb_touch_stride(N), STRIDE);
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    make(&p, lb_touch_kernels((lbSimdLevel)level));
    check(&p, lb_touch_kernels((lbSimdLevel)level));
  }
}

static void check_turned(const Product *p, const lbTouchKernels *kernels) {
  (void)kernels;
  for (int k = 0; k < N; k++)
    for (int i = 0; i < WIDTH; i++)
      assert_true(p->rows[k * WIDTH + i] == (i < HEIGHT ? p->columns[i * STRIDE + k] : 0));
}

static void rows_are_columns_turned(void **state) {
  (void)state;
  each_level(check_turned);
}

static const int32_t chosen[CHOSEN] = { 10, 0, 3, 7 };

static void check_chosen(const Product *p, const lbTouchKernels *kernels) {
  double matrix[9 * CHOSEN * CHOSEN], worst = 0;
  kernels->find_product(WIDTH, p->rows, p->moved, CHOSEN, chosen, matrix);
  for (int i = 0; i < 3 * CHOSEN; i++)
    for (int k = 0; k < 3 * CHOSEN; k++) {
      double all = p->matrix[(3 * chosen[i / 3] + i % 3) * N + 3 * chosen[k / 3] + k % 3];
      worst = fmax(worst, fabs(matrix[i * 3 * CHOSEN + k] - all));
    }
  check_small(worst, 1e-13);
}

static void chosen_places_have_their_part_of_the_matrix(void **state) {
  (void)state;
  each_level(check_chosen);
}

static void check_shifts(const Product *p, const lbTouchKernels *kernels) {
  double x[3 * CHOSEN], sum[WIDTH], shifts[PLACES], worst = 0;
  for (int i = 0; i < 3 * CHOSEN; i++) x[i] = check_random(&seed);
  kernels->sum_moved(WIDTH, p->moved, CHOSEN, chosen, x, sum);
  kernels->shift(WIDTH, PLACES, p->rows, sum, shifts);
  for (int j = 0; j < PLACES; j++) {
    double by = 0;
    for (int i = 0; i < 3 * CHOSEN; i++)
      by += p->matrix[3 * j * N + 3 * chosen[i / 3] + i % 3] * x[i];
    worst = fmax(worst, fabs(shifts[j] - by));
  }
  check_small(worst, 1e-13);
}

static void normals_of_all_places_move_as_the_matrix_says(void **state) {
  (void)state;
  each_level(check_shifts);
}

static void check_turned_back(const Product *p, const lbTouchKernels *kernels) {
  static double columns[HEIGHT * STRIDE];
  memset(columns, 1, sizeof columns);
  kernels->turn_back(HEIGHT, N, p->rows, WIDTH, columns);
  assert_memory_equal(columns, p->columns, sizeof columns);
}

static void columns_are_rows_turned_back(void **state) {
  (void)state;
  each_level(check_turned_back);
}

// Rows of a place: blended, along axes, what coordinates do to it and what a force does to them.
static void check_places(const Product *p, const lbTouchKernels *kernels) {
  const double *corners[3] = { p->rows, p->rows + 3 * WIDTH, p->rows + 9 * WIDTH };
  double weights[3] = { 0.5, 0.3, 0.2 }, axes[9], q[HEIGHT], by[3], line[HEIGHT], worst = 0;
  double blended[3 * WIDTH], aligned[3 * (WIDTH + 4)];
  for (int i = 0; i < 9; i++) axes[i] = check_random(&seed);
  for (int i = 0; i < HEIGHT; i++) q[i] = check_random(&seed), line[i] = i;
  kernels->blend(WIDTH, 3, corners, weights, blended);
  kernels->align(WIDTH, blended, axes, WIDTH + 4, aligned);
  kernels->displace(1, HEIGHT, blended, q, by);
  kernels->add_line(HEIGHT, blended, axes, line);
  for (int k = 0; k < 3; k++) {
    double sum = 0;
    for (int i = 0; i < WIDTH; i++) {
      double own = 0, along = 0;
      for (int c = 0; c < 3; c++) own += weights[c] * corners[c][k * WIDTH + i];
      for (int c = 0; c < 3; c++) along += axes[3 * k + c] * blended[c * WIDTH + i];
      worst = fmax(worst, fabs(blended[k * WIDTH + i] - own));
      worst = fmax(worst, fabs(aligned[k * (WIDTH + 4) + i] - along));
      if (i < HEIGHT) sum += own * q[i];
    }
    worst = fmax(worst, fabs(by[k] - sum));
  }
  for (int i = 0; i < HEIGHT; i++) {
    double sum = i;
    for (int k = 0; k < 3; k++) sum += axes[k] * blended[k * WIDTH + i];
    worst = fmax(worst, fabs(line[i] - sum));
  }
  check_small(worst, 1e-13);
}

static void places_move_as_their_corners_do(void **state) {
  (void)state;
  each_level(check_places);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(rows_are_columns_turned),
    cmocka_unit_test(chosen_places_have_their_part_of_the_matrix),
    cmocka_unit_test(normals_of_all_places_move_as_the_matrix_says),
    cmocka_unit_test(columns_are_rows_turned_back),
    cmocka_unit_test(places_move_as_their_corners_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
