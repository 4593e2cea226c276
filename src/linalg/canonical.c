// With P (fields x members) the products g_fᵀ M x_c, a field's projection on the cluster is X p_f,
// p_f its row of P, so that all is decided in coordinates of the cluster:
//   q = p_f / |p_f|,  P <- P − (P q) qᵀ,  and X [q_1 q_2 ...] are the canonical vectors.
// Of the rows that are left, the first is taken that reaches a tenth of the longest: symmetry makes
// some exactly zero, which rounding must not blow up, and the low fields keep to the axes.
#include "linalg/canonical.h"

#include "linalg/blas.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

enum { FIELDS = 40 };
static const double ENOUGH = 0.1;    // of the longest projection
static const double NOTHING = 1e-12; // a residual below this is zero; fields have unit length

int32_t lb_cluster_end(int32_t count, const double *values, double gap, int32_t begin) {
  int32_t end = begin + 1;
  while (end < count &&
         fabs(values[end] - values[end - 1]) <= gap * fmax(values[end], values[end - 1]))
    end++;
  return end;
}

static int32_t largest_cluster(int32_t count, const double *values, double gap) {
  int32_t largest = 0;
  for (int32_t begin = 0, end; begin < count; begin = end) {
    end = lb_cluster_end(count, values, gap, begin);
    if (end - begin > largest) largest = end - begin;
  }
  return largest;
}

// Products of fields with the columns of a set.
typedef struct Products {
  lbCanonicalSet set;
  int32_t rows; // fields
  double *P;    // (rows x count), row by row
} Products;

typedef struct FieldWork {
  const lbReferenceFields *fields;
  int32_t set_count;
  Products *sets;
  lbStatus *statuses; // (fields that are made)
} FieldWork;

static lbStatus multiply_field(const FieldWork *w, int32_t field, lbError *err) {
  double *weighted = lb_alloc((size_t)w->fields->size, sizeof *weighted);
  lbStatus status = weighted ? LB_OK : lb_fail_memory(err);
  if (!status) status = w->fields->make(w->fields->context, field, weighted, err);
  for (int32_t s = 0; s < w->set_count && !status; s++) {
    const Products *p = &w->sets[s];
    if (field < p->rows && p->set.count > 0)
      lb_dense_multiply_vector(LB_TRANSPOSED, w->fields->size, p->set.count, 1, p->set.X, weighted,
                               0, p->P + (size_t)field * (size_t)p->set.count);
  }
  lb_free(weighted);
  return status;
}

static void multiply_some(int32_t begin, int32_t end, void *context) {
  const FieldWork *w = context;
  for (int32_t f = begin; f < end; f++) w->statuses[f] = multiply_field(w, f, NULL);
}

static lbStatus multiply_fields(FieldWork *work, lbError *err) {
  int32_t most = 0;
  for (int32_t s = 0; s < work->set_count; s++)
    if (work->sets[s].rows > most) most = work->sets[s].rows;
  work->statuses = lb_alloc((size_t)most, sizeof *work->statuses);
  if (!work->statuses) return lb_fail_memory(err);
  lbStatus status = LB_OK;
  lb_linalg_one_thread();
  lb_parallel_for(most, 1, multiply_some, work);
  for (int32_t f = 0; f < most && !status; f++) // once more, for the message
    if (work->statuses[f]) status = multiply_field(work, f, err);
  lb_free(work->statuses);
  return status;
}

static double dot_columns(size_t n, const double *x, const double *y) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

// The row that fixes the sign: the first whose length is above the tolerance, -1 when all are zero.
static int32_t choose_row(int32_t rows, size_t members, const double *P) {
  double longest = 0;
  for (int32_t f = 0; f < rows; f++) {
    const double *p = P + (size_t)f * members;
    longest = fmax(longest, sqrt(dot_columns(members, p, p)));
  }
  if (!(longest > NOTHING)) return -1;
  for (int32_t f = 0; f < rows; f++) {
    const double *p = P + (size_t)f * members;
    if (sqrt(dot_columns(members, p, p)) >= ENOUGH * longest) return f;
  }
  return -1;
}

// x <- x − Σ q (qᵀ x) over the first `count` columns of Q, twice; returns the relative length of
// the rest.
static double subtract_projections(size_t members, size_t count, const double *Q, double *x) {
  for (int pass = 0; pass < 2; pass++)
    for (size_t k = 0; k < count; k++) {
      const double *q = Q + k * members;
      double along = dot_columns(members, q, x);
      for (size_t i = 0; i < members; i++) x[i] -= along * q[i];
    }
  return sqrt(dot_columns(members, x, x));
}

// When the fields are exhausted: any unit vector that is independent of the columns before.
static void complete_basis(size_t members, size_t count, const double *Q, double *q) {
  for (size_t axis = 0; axis < members; axis++) {
    memset(q, 0, members * sizeof *q);
    q[axis] = 1;
    double length = subtract_projections(members, count, Q, q);
    if (length * length < 0.5 / (double)members) continue;
    for (size_t i = 0; i < members; i++) q[i] /= length;
    return;
  }
}

// Q (members x members), orthonormal columns, from P (rows x members, row by row; destroyed).
static void choose_rotation(int32_t rows, size_t members, double *P, double *Q) {
  for (size_t k = 0; k < members; k++) {
    double *q = Q + k * members;
    int32_t row = choose_row(rows, members, P);
    if (row < 0) {
      complete_basis(members, k, Q, q);
      continue;
    }
    memcpy(q, P + (size_t)row * members, members * sizeof *q);
    double length = subtract_projections(members, k, Q, q);
    for (size_t i = 0; i < members; i++) q[i] /= length;
    for (int32_t f = 0; f < rows; f++) {
      double *p = P + (size_t)f * members, along = dot_columns(members, p, q);
      for (size_t i = 0; i < members; i++) p[i] -= along * q[i];
    }
  }
}

// X <- X Q of one cluster. products: its columns of all fields' products (rows x count).
static lbStatus rotate_cluster(int32_t size, int32_t rows, int32_t count, const double *products,
                               int32_t members, double *X, lbError *err) {
  size_t n = (size_t)size, m = (size_t)members;
  double *P = lb_alloc((size_t)rows * m, sizeof *P), *Q = lb_alloc(m * m, sizeof *Q);
  double *old = lb_duplicate(X, n * m, sizeof *X);
  lbStatus status = P && Q && old ? LB_OK : lb_fail_memory(err);
  if (!status) {
    for (size_t f = 0; f < (size_t)rows; f++)
      memcpy(P + f * m, products + f * (size_t)count, m * sizeof *P);
    choose_rotation(rows, m, P, Q);
    lb_dense_multiply(LB_PLAIN, LB_PLAIN, size, members, members, 1, old, Q, 0, X);
  }
  lb_free(P);
  lb_free(Q);
  lb_free(old);
  return status;
}

static lbStatus rotate_set(int32_t size, const Products *p, double gap, lbError *err) {
  const lbCanonicalSet *set = &p->set;
  lbStatus status = LB_OK;
  for (int32_t begin = 0, end; begin < set->count && !status; begin = end) {
    end = lb_cluster_end(set->count, set->values, gap, begin);
    status = rotate_cluster(size, p->rows, set->count, p->P + begin, end - begin,
                            set->X + (size_t)begin * (size_t)size, err);
  }
  return status;
}

lbStatus lb_canonical_sets(const lbReferenceFields *fields, int32_t set_count,
                           const lbCanonicalSet *sets, double gap, lbError *err) {
  lbArena arena = { 0 };
  FieldWork work = { .fields = fields, .set_count = set_count };
  work.sets = lb_arena_alloc(&arena, (size_t)set_count, sizeof *work.sets);
  lbStatus status = work.sets ? LB_OK : lb_fail_memory(err);
  for (int32_t s = 0; s < set_count && !status; s++) {
    Products *p = &work.sets[s];
    p->set = sets[s];
    p->rows = p->set.count ? FIELDS + 2 * largest_cluster(p->set.count, p->set.values, gap) : 0;
    p->P = lb_arena_alloc(&arena, (size_t)p->rows * (size_t)p->set.count, sizeof *p->P);
    if (!p->P) status = lb_fail_memory(err);
  }
  if (!status) status = multiply_fields(&work, err);
  for (int32_t s = 0; s < set_count && !status; s++)
    status = rotate_set(fields->size, &work.sets[s], gap, err);
  lb_arena_release(&arena);
  return status;
}

lbStatus lb_canonical_vectors(const lbReferenceFields *fields, int32_t count, const double *values,
                              double gap, double *X, lbError *err) {
  return lb_canonical_sets(fields, 1, &(lbCanonicalSet){ count, values, X }, gap, err);
}
