// Every engine of the build, our own and the one over LAPACK, against the equations that define its
// results: random, graded, clustered, deficient, scaled, tiny and empty matrices.
#include "check.h"

#include "linalg/engine.h"
#include "linalg/own/kernels.h"
#include "threads/threads.h"

#include <float.h>

static const lbEngine *const engines[] = {
  &lb_engine_own,
#ifdef LB_ENGINE_SUITESPARSE
  &lb_engine_suitesparse,
#endif
};
enum { ENGINES = sizeof engines / sizeof *engines };

static uint64_t seed = 1;

static double *make(size_t rows, size_t columns) { // random
  double *A = test_calloc(rows * columns + 1, sizeof *A);
  for (size_t i = 0; i < rows * columns; i++) A[i] = check_random(&seed);
  return A;
}

static double *copy(const double *A, size_t count) {
  double *other = test_malloc((count + 1) * sizeof *other);
  memcpy(other, A, count * sizeof *other);
  return other;
}

static double frobenius(size_t count, const double *A) {
  double largest = 0, sum = 0;
  for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(A[i]));
  for (size_t i = 0; largest > 0 && i < count; i++) sum += A[i] / largest * (A[i] / largest);
  return largest * sqrt(sum);
}

// C = op(A) op(B), a sum at a time
static void multiply(bool turned_a, bool turned_b, size_t rows, size_t columns, size_t inner,
                     const double *A, const double *B, double *C) {
  for (size_t j = 0; j < columns; j++)
    for (size_t i = 0; i < rows; i++) {
      double sum = 0;
      for (size_t k = 0; k < inner; k++)
        sum += (turned_a ? A[i * inner + k] : A[k * rows + i]) *
               (turned_b ? B[k * columns + j] : B[j * inner + k]);
      C[j * rows + i] = sum;
    }
}

// |Q' Q - 1|, largest value; Q (rows x columns)
static double skew(size_t rows, size_t columns, const double *Q) {
  double worst = 0, *G = test_malloc((columns * columns + 1) * sizeof *G);
  multiply(true, false, columns, columns, rows, Q, Q, G);
  for (size_t i = 0; i < columns * columns; i++)
    worst = fmax(worst, fabs(G[i] - (i % (columns + 1) == 0)));
  test_free(G);
  return worst;
}

typedef struct Worst {
  double value, tolerance;
  int cases;
} Worst;

static void note(Worst *worst, double value, double tolerance) {
  worst->cases++;
  if (!(value / tolerance <= worst->value / (worst->tolerance > 0 ? worst->tolerance : 1)))
    worst->value = value, worst->tolerance = tolerance;
  check_small(value, tolerance);
}

static void print(const char *what, const lbEngine *engine, const Worst *worst) {
  printf("  %s, %s: %d cases, worst %.2g of %.2g\n", engine->name, what, worst->cases, worst->value,
         worst->tolerance);
}

// ---- products and triangles --------------------------------------------------------------------

static void products_are_sums(void **state) {
  (void)state;
  static const int32_t sizes[] = { 0, 1, 2, 3, 5, 12, 13, 31, 47, 97, 130, 300 };
  enum { SIZES = sizeof sizes / sizeof *sizes };
  for (int e = 0; e < ENGINES; e++) {
    Worst worst = { 0 }, single = { 0 };
    for (int n = 0; n < CHECK_CASES(240); n++) {
      size_t m = (size_t)sizes[rand() % SIZES], k = (size_t)sizes[rand() % SIZES];
      size_t l = (size_t)sizes[rand() % (SIZES - 2)];
      bool ta = n & 1, tb = n & 2, zero = n % 3 == 0;
      size_t ra = ta ? l : m, rb = tb ? k : l, sa = ra + 3, sb = rb + 1, sc = m + 2;
      double alpha = n % 5 ? -1 : 0.3, beta = zero ? 0 : n % 4 ? 1 : -0.7;
      double *A = make(sa, ta ? m : l), *B = make(sb, tb ? l : k), *C = make(sc, k);
      double *pa = make(ra, ta ? m : l), *pb = make(rb, tb ? l : k), *plain = make(m, k);
      for (size_t j = 0; j < (ta ? m : l); j++) memcpy(pa + j * ra, A + j * sa, ra * sizeof *pa);
      for (size_t j = 0; j < (tb ? l : k); j++) memcpy(pb + j * rb, B + j * sb, rb * sizeof *pb);
      multiply(ta, tb, m, k, l, pa, pb, plain);
      double *before = copy(C, sc * k);
      float *fA = test_malloc((sa * (ta ? m : l) + 1) * 4),
            *fB = test_malloc((sb * (tb ? l : k) + 1) * 4);
      float *fC = test_malloc((sc * k + 1) * 4);
      for (size_t i = 0; i < sa * (ta ? m : l); i++) fA[i] = (float)A[i];
      for (size_t i = 0; i < sb * (tb ? l : k); i++) fB[i] = (float)B[i];
      for (size_t i = 0; i < sc * k; i++) fC[i] = (float)C[i];
      if (zero)
        for (size_t i = 0; i < sc * k; i++)
          if (i % sc < m) C[i] = NAN, fC[i] = NAN; // what beta = 0 must not read
      engines[e]->doubles.multiply(ta ? LB_TRANSPOSED : LB_PLAIN, tb ? LB_TRANSPOSED : LB_PLAIN,
                                   (int32_t)m, (int32_t)k, (int32_t)l, alpha, A, sa, B, sb, beta, C,
                                   sc);
      engines[e]->singles.multiply(ta ? LB_TRANSPOSED : LB_PLAIN, tb ? LB_TRANSPOSED : LB_PLAIN,
                                   (int32_t)m, (int32_t)k, (int32_t)l, (float)alpha, fA, sa, fB, sb,
                                   (float)beta, fC, sc);
      double error = 0, error_single = 0;
      for (size_t i = 0; i < sc * k; i++) {
        double wanted =
            i % sc < m ? alpha * plain[i / sc * m + i % sc] + beta * before[i] : before[i];
        error = fmax(error, fabs(C[i] - wanted));
        error_single = fmax(error_single, fabs(fC[i] - wanted));
      }
      note(&worst, error, ((double)l + 4) * DBL_EPSILON);
      note(&single, error_single, 2 * ((double)l + 4) * FLT_EPSILON);
      test_free(A), test_free(B), test_free(C), test_free(pa), test_free(pb), test_free(plain);
      test_free(before), test_free(fA), test_free(fB), test_free(fC);
    }
    print("products", engines[e], &worst);
    print("products, single", engines[e], &single);
  }
}

// A' A of more rows than columns, and something more
static double *make_definite(size_t n) {
  double *A = make(n + 3, n), *G = make(n, n);
  multiply(true, false, n, n, n + 3, A, A, G);
  for (size_t i = 0; i < n; i++) G[i * n + i] += 1e-3;
  test_free(A);
  return G;
}

static void factors_rebuild_definite_matrices(void **state) {
  (void)state;
  static const size_t sizes[] = { 1, 2, 3, 4, 7, 16, 31, 32, 33, 63, 64, 65, 96, 127, 128, 200 };
  for (int e = 0; e < ENGINES; e++) {
    Worst worst = { 0 }, single = { 0 }, solved = { 0 };
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      size_t n = sizes[s], stride = n + 1, count = 1 + s * 3;
      double *A = make_definite(n), *R = make(stride, n), *Q = make(n, n), *X = make(n, count);
      float *f = test_calloc(n * n, sizeof *f);
      for (size_t i = 0; i < n * n; i++) f[i] = (float)A[i];
      for (size_t j = 0; j < n; j++)
        memcpy(R + j * stride, A + j * n, (j + 1) * sizeof *R); // the rest is not to be read
      double *before = copy(R, stride * n), norm = frobenius(n * n, A);
      assert_int_equal(engines[e]->doubles.cholesky((int32_t)n, R, stride), n);
      assert_int_equal(engines[e]->singles.cholesky((int32_t)n, f, n), n);
      for (size_t j = 0; j < n; j++)
        for (size_t i = j + 1; i <= n; i++)
          assert_true(R[j * stride + i] == before[j * stride + i]);
      double error = 0, error_single = 0;
      for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i <= j; i++) {
          double sum = 0, sum_single = 0;
          for (size_t k = 0; k <= i; k++) {
            sum += R[i * stride + k] * R[j * stride + k];
            sum_single += (double)f[i * n + k] * (double)f[j * n + k];
          }
          error = fmax(error, fabs(sum - A[j * n + i]));
          error_single = fmax(error_single, fabs(sum_single - A[j * n + i]));
        }
      note(&worst, error / norm, ((double)n + 4) * DBL_EPSILON);
      note(&single, error_single / norm, ((double)n + 4) * FLT_EPSILON);
      // R' R X = B, from the left and, turned, from the right: |A X - B| against |R|^2 |X|
      double *B = copy(X, n * count), *right = make(count, n);
      for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < n; i++) right[i * count + j] = X[j * n + i];
      engines[e]->doubles.divide(LB_TRANSPOSED, (int32_t)n, (int32_t)count, R, stride, X, n);
      engines[e]->divide_right((int32_t)count, (int32_t)n, R, stride, right, count);
      for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < n; i++)
          note(&solved,
               fabs(right[i * count + j] - X[j * n + i]) / (frobenius(n * count, X) + 1e-300),
               1e4 * (double)n * DBL_EPSILON); // the same solves, rounded in another order
      double *y = copy(B, n);
      engines[e]->divide_vector(LB_TRANSPOSED, (int32_t)n, R, stride, y);
      engines[e]->divide_vector(LB_PLAIN, (int32_t)n, R, stride, y);
      engines[e]->doubles.divide(LB_PLAIN, (int32_t)n, (int32_t)count, R, stride, X, n);
      for (size_t c = 0; c < count + 1; c++)
        for (size_t i = 0; i < n; i++) {
          const double *x = c < count ? X + c * n : y;
          double sum = -B[(c < count ? c : 0) * n + i];
          for (size_t k = 0; k < n; k++) sum += A[k * n + i] * x[k];
          note(&solved, fabs(sum) / (norm * frobenius(n, x)), 4 * (double)n * DBL_EPSILON);
        }
      test_free(A), test_free(R), test_free(Q), test_free(X), test_free(f), test_free(before);
      test_free(B), test_free(right), test_free(y);
    }
    print("Cholesky", engines[e], &worst);
    print("Cholesky, single", engines[e], &single);
    print("triangles", engines[e], &solved);
  }
}

static void pivots_that_fail_are_named(void **state) {
  (void)state;
  static const size_t sizes[] = { 1, 5, 32, 40, 64, 100, 130 };
  for (int e = 0; e < ENGINES; e++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
      for (size_t bad = 0; bad < sizes[s]; bad += 1 + sizes[s] / 6)
        for (int kind = 0; kind < (e ? 1 : 2); kind++) { // LAPACK goes on with what is no number
          size_t n = sizes[s];
          double *A = test_calloc(n * n, sizeof *A);
          float *f = test_calloc(n * n, sizeof *f);
          for (size_t i = 0; i < n; i++) A[i * n + i] = i == bad ? (kind ? NAN : -1) : 4;
          for (size_t i = 0; i < n * n; i++) f[i] = (float)A[i];
          int32_t found = engines[e]->doubles.cholesky((int32_t)n, A, n);
          int32_t single = engines[e]->singles.cholesky((int32_t)n, f, n);
          assert_int_equal(found, bad);
          assert_int_equal(single, bad);
          test_free(A), test_free(f);
        }
}

static void vectors_are_multiplied(void **state) {
  (void)state;
  for (int e = 0; e < ENGINES; e++) {
    Worst worst = { 0 };
    for (int n = 0; n < CHECK_CASES(100); n++) {
      size_t rows = 1 + (size_t)(rand() % 70), columns = 1 + (size_t)(rand() % 40),
             stride = rows + 2;
      bool turned = n & 1;
      size_t from = turned ? rows : columns, to = turned ? columns : rows;
      double *A = make(stride, columns), *x = make(from, 1), *y = make(to, 1);
      double *wanted = copy(y, to), beta = n % 3 ? 0.5 : 0;
      for (size_t i = 0; i < to; i++) {
        wanted[i] *= beta;
        for (size_t k = 0; k < from; k++)
          wanted[i] -= 2 * x[k] * (turned ? A[i * stride + k] : A[k * stride + i]);
        if (beta == 0) y[i] = NAN;
      }
      engines[e]->multiply_vector(turned ? LB_TRANSPOSED : LB_PLAIN, (int32_t)rows,
                                  (int32_t)columns, -2, A, stride, x, beta, y);
      for (size_t i = 0; i < to; i++)
        note(&worst, fabs(y[i] - wanted[i]), 2 * ((double)from + 4) * DBL_EPSILON);
      test_free(A), test_free(x), test_free(y), test_free(wanted);
    }
    print("products with vectors", engines[e], &worst);
  }
}

// ---- decompositions ----------------------------------------------------------------------------

// Q (rows x columns) with orthonormal columns: a product of reflections.
static double *make_orthonormal(size_t rows, size_t columns) {
  double *Q = test_calloc(rows * columns + 1, sizeof *Q), *v = make(rows, 1);
  for (size_t j = 0; j < columns; j++) Q[j * rows + j] = 1;
  for (int n = 0; n < 4; n++) {
    double square = 0;
    for (size_t i = 0; i < rows; i++) v[i] = check_random(&seed), square += v[i] * v[i];
    for (size_t j = 0; j < columns; j++) {
      double along = 0;
      for (size_t i = 0; i < rows; i++) along += Q[j * rows + i] * v[i];
      for (size_t i = 0; i < rows; i++) Q[j * rows + i] -= 2 * along / square * v[i];
    }
  }
  test_free(v);
  return Q;
}

enum { KINDS = 10 };

// Value i of n, of a spectrum of each kind.
static double value_of(int kind, size_t i, size_t n, double scale) {
  double t = n > 1 ? (double)i / (double)(n - 1) : 0;
  switch (kind) {
  case 1: return scale * pow(10, -14 * t);              // graded
  case 2: return scale * (1 + 1e-15 * (double)(i % 5)); // a cluster
  case 3: return scale * (i < n / 2 ? 1 : 1e-9);        // two clusters
  case 4: return i < (n + 2) / 3 ? scale * (1 + t) : 0; // deficient
  case 5: return 0;
  case 6: return scale * (i == 0 ? 1 : 1e-16);
  case 7: return scale * pow(10, -300 * t); // down to where squares vanish
  default: return scale * check_random(&seed);
  }
}

static double scale_of(int n) {
  static const double scales[] = { 1, 1e-290, 1e150, 1e290, 1e-160, 1 };
  return scales[n % (int)(sizeof scales / sizeof *scales)];
}

// A matrix of a kind (rows x columns); symmetric: Q diag Q'.
static double *make_kind(int kind, double scale, size_t rows, size_t columns, bool symmetric) {
  size_t k = rows < columns ? rows : columns;
  if (kind == 8) { // graded along its rows and columns
    double *A = make(rows, columns);
    for (size_t j = 0; j < columns; j++)
      for (size_t i = 0; i < rows; i++)
        A[j * rows + i] *= scale * pow(10, -0.3 * (double)(i > j ? i : j));
    for (size_t j = 0; symmetric && j < columns; j++)
      for (size_t i = j + 1; i < rows; i++) A[j * rows + i] = A[i * rows + j];
    return A;
  }
  double *U = make_orthonormal(rows, k), *V = symmetric ? NULL : make_orthonormal(columns, k);
  double *A = test_calloc(rows * columns + 1, sizeof *A);
  for (size_t l = 0; l < k; l++) {
    double value = value_of(kind, l, k, scale);
    if (symmetric && l % 3 == 2) value = -value;
    for (size_t j = 0; j < columns; j++)
      for (size_t i = 0; i < rows; i++)
        A[j * rows + i] += U[l * rows + i] * value * (V ? V : U)[l * columns + j];
  }
  for (size_t j = 0; symmetric && j < columns; j++)
    for (size_t i = j + 1; i < rows; i++) A[j * rows + i] = A[i * rows + j];
  test_free(U), test_free(V);
  return A;
}

static void check_eigen(const lbEngine *engine, int32_t size, const double *A, Worst *residual,
                        Worst *orthogonal) {
  lbError err = { 0 };
  size_t n = (size_t)size;
  double *V = copy(A, n * n), *values = make(n, 1), *AV = make(n, n);
  double norm = frobenius(n * n, A), error = 0;
  for (size_t j = 0; j < n; j++)
    for (size_t i = j + 1; i < n; i++) V[j * n + i] = NAN; // not to be read
  check_ok(engine->eigen(size, V, values, &err), err);
  multiply(false, false, n, n, n, A, V, AV);
  for (size_t j = 0; j < n; j++) {
    assert_true(j == 0 || values[j] >= values[j - 1]);
    for (size_t i = 0; i < n; i++)
      error = fmax(error, fabs(AV[j * n + i] - values[j] * V[j * n + i]));
  }
  note(residual, norm > 0 ? error / norm : error, 4 * (double)(n + 4) * DBL_EPSILON);
  note(orthogonal, skew(n, n, V), 4 * (double)(n + 4) * DBL_EPSILON);
  test_free(V), test_free(values), test_free(AV);
}

static void eigenvectors_diagonalise_matrices_of_every_kind(void **state) {
  (void)state;
  static const int32_t sizes[] = { 1, 2, 3, 4, 6, 9, 17, 31, 32, 33, 34, 50, 64, 65, 90 };
  for (int e = 0; e < ENGINES; e++) {
    Worst residual = { 0 }, orthogonal = { 0 };
    for (int n = 0; n < CHECK_CASES(240); n++) {
      int32_t size = sizes[n % (int)(sizeof sizes / sizeof *sizes)];
      double *A = make_kind(n % KINDS, scale_of(n / 7), (size_t)size, (size_t)size, true);
      check_eigen(engines[e], size, A, &residual, &orthogonal);
      test_free(A);
    }
    print("eigenvalues", engines[e], &residual);
    print("their vectors", engines[e], &orthogonal);
  }
}

static void check_svd(const lbEngine *engine, int32_t rows, int32_t columns, const double *A,
                      Worst *residual, Worst *orthogonal) {
  lbError err = { 0 };
  size_t m = (size_t)rows, n = (size_t)columns, k = m < n ? m : n;
  double *work = copy(A, m * n), *U = make(m, k), *S = make(k, 1), *Vt = make(k, n);
  double *alone = make(k, 1), *US, *V = make(n, k), *product = make(m, n);
  double norm = frobenius(m * n, A), error = 0, apart = 0, unit = norm > 0 ? norm : 1;
  check_ok(engine->svd(rows, columns, work, U, S, Vt, &err), err);
  memcpy(work, A, m * n * sizeof *work);
  check_ok(engine->svd(rows, columns, work, NULL, alone, NULL, &err), err);
  US = copy(U, m * k);
  for (size_t j = 0; j < k; j++) {
    assert_true(S[j] >= 0 && (j == 0 || S[j] <= S[j - 1]));
    apart = fmax(apart, fabs(S[j] - alone[j]) / unit);
    for (size_t i = 0; i < m; i++) US[j * m + i] *= S[j];
    for (size_t i = 0; i < n; i++) V[j * n + i] = Vt[i * k + j];
  }
  multiply(false, false, m, n, k, US, Vt, product);
  for (size_t i = 0; i < m * n; i++) error = fmax(error, fabs(product[i] - A[i]));
  double tolerance = 4 * (double)(m + n + 4) * DBL_EPSILON;
  note(residual, error / unit, tolerance);
  note(residual, apart, tolerance);
  note(orthogonal, skew(m, k, U), tolerance);
  note(orthogonal, skew(n, k, V), tolerance);
  test_free(work), test_free(U), test_free(S), test_free(Vt), test_free(alone), test_free(US);
  test_free(V), test_free(product);
}

static void singular_vectors_rebuild_matrices_of_every_kind(void **state) {
  (void)state;
  static const int32_t shapes[][2] = { { 1, 1 },   { 2, 2 },   { 3, 3 },   { 1, 7 },   { 7, 1 },
                                       { 5, 4 },   { 4, 5 },   { 17, 17 }, { 33, 32 }, { 32, 33 },
                                       { 64, 64 }, { 65, 65 }, { 90, 20 }, { 20, 90 }, { 70, 69 } };
  for (int e = 0; e < ENGINES; e++) {
    Worst residual = { 0 }, orthogonal = { 0 };
    for (int n = 0; n < CHECK_CASES(240); n++) {
      const int32_t *shape = shapes[n % (int)(sizeof shapes / sizeof *shapes)];
      double *A = make_kind(n % KINDS, scale_of(n / 7), (size_t)shape[0], (size_t)shape[1], false);
      check_svd(engines[e], shape[0], shape[1], A, &residual, &orthogonal);
      test_free(A);
    }
    print("singular values", engines[e], &residual);
    print("their vectors", engines[e], &orthogonal);
  }
}

// R' R = A' A, to what the columns allow.
static void triangles_have_the_lengths_of_their_columns(void **state) {
  (void)state;
  static const size_t shapes[][2] = { { 1, 1 },   { 5, 3 },    { 3, 5 },
                                      { 40, 40 }, { 100, 33 }, { 33, 70 } };
  for (int e = 0; e < ENGINES; e++) {
    Worst worst = { 0 };
    for (int n = 0; n < CHECK_CASES(60); n++) {
      lbError err = { 0 };
      const size_t *shape = shapes[n % 6];
      size_t rows = shape[0], columns = shape[1];
      double *A = make_kind(n % KINDS, 1, rows, columns, false), *R = copy(A, rows * columns);
      double norm = frobenius(rows * columns, A);
      check_ok(engines[e]->triangle((int32_t)rows, (int32_t)columns, R, &err), err);
      for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i <= j; i++) {
          double sum = 0;
          for (size_t k = 0; k < rows; k++) sum += A[i * rows + k] * A[j * rows + k];
          for (size_t k = 0; k <= i && k < rows; k++) sum -= R[i * rows + k] * R[j * rows + k];
          note(&worst, norm > 0 ? fabs(sum) / (norm * norm) : fabs(sum),
               2 * (double)(rows + 4) * DBL_EPSILON);
        }
      test_free(A), test_free(R);
    }
    print("triangles", engines[e], &worst);
  }
}

#ifdef LB_ENGINE_SUITESPARSE
static void both_engines_find_the_same_values(void **state) {
  (void)state;
  Worst worst = { 0 };
  for (int n = 0; n < CHECK_CASES(60); n++) {
    size_t size = 1 + (size_t)(n * 7 % 61);
    lbError err = { 0 };
    for (int svd = 0; svd < 2; svd++) {
      double *A = make_kind(n % KINDS, 1, size, size, !svd), values[2][64];
      double norm = frobenius(size * size, A);
      for (int e = 0; e < 2; e++) {
        double *work = copy(A, size * size);
        check_ok(
            svd ? engines[e]->svd((int32_t)size, (int32_t)size, work, NULL, values[e], NULL, &err)
                : engines[e]->eigen((int32_t)size, work, values[e], &err),
            err);
        test_free(work);
      }
      for (size_t i = 0; i < size; i++)
        note(&worst, fabs(values[0][i] - values[1][i]) / (norm > 0 ? norm : 1),
             2 * (double)(size + 4) * DBL_EPSILON);
      test_free(A);
    }
  }
  print("values of both", engines[0], &worst);
}
#endif

// ---- threads, memory, levels -------------------------------------------------------------------

static void vectors_have_the_same_bits_on_any_number_of_threads(void **state) {
  (void)state;
  enum { N = 170 };
  lbError err = { 0 };
  double *A = make_kind(0, 1, N, N, true), *first = NULL, values[N];
  for (int32_t threads = 1; threads <= 3; threads++) {
    double *V = copy(A, N * N);
    check_ok(lb_threads_start(threads, &err), err);
    check_ok(lb_engine_own.eigen(N, V, values, &err), err);
    lb_threads_stop();
    if (!first)
      first = V;
    else {
      assert_memory_equal(first, V, N * N * sizeof *V);
      test_free(V);
    }
  }
  test_free(A), test_free(first);
}

static void every_failing_allocation_is_survived(void **state) {
  (void)state;
  enum { M = 9, N = 6 };
  for (int e = 0; e < ENGINES; e++)
    for (int64_t n = 0;; n++) {
      CheckedHeap heap = { .fail_at = n };
      lbAllocator allocator = checked_allocator(&heap);
      lbError err = { 0 };
      double *A = make(M, N), *B = make_kind(0, 1, N, N, true), *C = make(N, M), *D = make(M, N);
      double U[M * N], Vt[M * N], S[N];
      lb_set_allocator(&allocator);
      lbStatus status = engines[e]->eigen(N, B, S, &err);
      if (!status) status = engines[e]->svd(M, N, A, U, S, Vt, &err);
      if (!status) status = engines[e]->svd(N, M, C, U, S, Vt, &err);
      if (!status) status = engines[e]->triangle(M, N, D, &err);
      lb_set_allocator(NULL);
      test_free(A), test_free(B), test_free(C), test_free(D);
      assert_int_equal(heap.live, 0);
      if (heap.count <= n) {
        check_ok(status, err);
        break;
      }
      assert_int_equal(status, LB_ERR_MEMORY);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(products_are_sums),
    cmocka_unit_test(factors_rebuild_definite_matrices),
    cmocka_unit_test(pivots_that_fail_are_named),
    cmocka_unit_test(vectors_are_multiplied),
    cmocka_unit_test(eigenvectors_diagonalise_matrices_of_every_kind),
    cmocka_unit_test(singular_vectors_rebuild_matrices_of_every_kind),
    cmocka_unit_test(triangles_have_the_lengths_of_their_columns),
#ifdef LB_ENGINE_SUITESPARSE
    cmocka_unit_test(both_engines_find_the_same_values),
#endif
    cmocka_unit_test(vectors_have_the_same_bits_on_any_number_of_threads),
    cmocka_unit_test(every_failing_allocation_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
