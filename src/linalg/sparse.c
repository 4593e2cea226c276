// Symmetric sparse matrices in compressed columns of the upper triangle.
//
// Products of many vectors are taken in groups of eight that lie interleaved (one cache line a
// row), so that every matrix entry is read once a group. A single product adds in the same order,
// so both give the same bits, and threads share out whole groups, so the bits do not depend on them
// either. A single product stays serial: it costs a small part of the solve that mostly goes with
// it.
#include "linalg/sparse.h"

#include <string.h>

enum { GROUP = 8, HALF = 4 };

static lbStatus check_pattern(int32_t size, const int32_t *column_begin, const int32_t *rows,
                              lbError *err) {
  if (size < 1) return lb_fail(err, LB_ERR_ARGUMENT, "matrix of size %d", size);
  if (column_begin[0] != 0)
    return lb_fail(err, LB_ERR_ARGUMENT, "matrix: the first column begins at %d, not at 0",
                   column_begin[0]);
  for (int32_t j = 0; j < size; j++) // all of them before any row is read
    if (column_begin[j + 1] < column_begin[j])
      return lb_fail(err, LB_ERR_ARGUMENT, "matrix: column %d ends before it begins", j);
  for (int32_t j = 0; j < size; j++) {
    int32_t last = -1;
    for (int32_t k = column_begin[j]; k < column_begin[j + 1]; k++) {
      if (rows[k] <= last || rows[k] > j)
        return lb_fail(err, LB_ERR_ARGUMENT,
                       "matrix: row %d of column %d is out of order or below the diagonal", rows[k],
                       j);
      last = rows[k];
    }
  }
  return LB_OK;
}

lbStatus lb_sparse_validate(const lbSparse *A, lbError *err) {
  return check_pattern(A->size, A->column_begin, A->rows, err);
}

lbStatus lb_sparse_create(int32_t size, const int32_t *column_begin, const int32_t *rows,
                          lbSparse **out, lbError *err) {
  lbStatus status = check_pattern(size, column_begin, rows, err);
  if (status) return status;
  size_t nonzero_count = (size_t)column_begin[size];
  lbSparse *A = lb_alloc(1, sizeof *A);
  if (!A) return lb_fail_memory(err);
  A->size = size;
  A->column_begin = lb_duplicate(column_begin, (size_t)size + 1, sizeof *column_begin);
  A->rows = lb_duplicate(rows, nonzero_count, sizeof *rows);
  A->values = lb_alloc(nonzero_count, sizeof *A->values);
  if (!A->column_begin || !A->rows || !A->values) {
    lb_sparse_destroy(A);
    return lb_fail_memory(err);
  }
  *out = A;
  return LB_OK;
}

lbStatus lb_sparse_create_diagonal(int32_t size, const double *diagonal, lbSparse **out,
                                   lbError *err) {
  if (size < 1 || size == INT32_MAX)
    return lb_fail(err, LB_ERR_ARGUMENT, "matrix of size %d", size);
  int32_t *count_up = lb_alloc((size_t)size + 1, sizeof *count_up);
  if (!count_up) return lb_fail_memory(err);
  for (int32_t j = 0; j <= size; j++) count_up[j] = j;
  lbStatus status = lb_sparse_create(size, count_up, count_up, out, err);
  if (!status && diagonal) memcpy((*out)->values, diagonal, (size_t)size * sizeof *diagonal);
  lb_free(count_up);
  return status;
}

lbStatus lb_sparse_set_positions(lbSparse *A, const double *positions, lbError *err) {
  LB_ASSERT(!A->borrowed);
  double *copy = lb_duplicate(positions, (size_t)A->size, sizeof *copy);
  if (!copy) return lb_fail_memory(err);
  lb_free(A->positions);
  A->positions = copy;
  return LB_OK;
}

lbStatus lb_sparse_copy_pattern(const lbSparse *A, lbSparse **out, lbError *err) {
  lbSparse *copy = NULL;
  lbStatus status = lb_sparse_create(A->size, A->column_begin, A->rows, &copy, err);
  if (!status && A->positions) status = lb_sparse_set_positions(copy, A->positions, err);
  if (status)
    lb_sparse_destroy(copy);
  else
    *out = copy;
  return status;
}

lbStatus lb_sparse_borrow_pattern(const lbSparse *A, lbSparse **out, lbError *err) {
  lbSparse *made = lb_alloc(1, sizeof *made);
  if (!made) return lb_fail_memory(err);
  *made = (lbSparse){ .size = A->size,
                      .column_begin = A->column_begin,
                      .rows = A->rows,
                      .positions = A->positions,
                      .borrowed = true };
  made->values = lb_alloc((size_t)lb_sparse_nonzero_count(A), sizeof *made->values);
  if (!made->values) {
    lb_sparse_destroy(made);
    return lb_fail_memory(err);
  }
  *out = made;
  return LB_OK;
}

lbStatus lb_sparse_copy(const lbSparse *A, lbSparse **out, lbError *err) {
  lbStatus status = lb_sparse_copy_pattern(A, out, err);
  if (!status)
    memcpy((*out)->values, A->values, (size_t)lb_sparse_nonzero_count(A) * sizeof *A->values);
  return status;
}

// Keeps the entries that are not zero, and what is stored of the diagonal.
static bool is_kept(const lbSparse *A, int32_t column, int32_t k) {
  return A->values[k] != 0 || A->rows[k] == column;
}

lbStatus lb_sparse_copy_nonzeros(const lbSparse *A, lbSparse **out, lbError *err) {
  int32_t *begin = lb_alloc((size_t)A->size + 1, sizeof *begin), count = 0;
  int32_t *rows = lb_alloc((size_t)lb_sparse_nonzero_count(A), sizeof *rows);
  lbStatus status = begin && rows ? LB_OK : lb_fail_memory(err);
  for (int32_t j = 0; j < A->size && !status; j++) {
    for (int32_t k = A->column_begin[j]; k < A->column_begin[j + 1]; k++)
      if (is_kept(A, j, k)) rows[count++] = A->rows[k];
    begin[j + 1] = count;
  }
  if (!status) status = lb_sparse_create(A->size, begin, rows, out, err);
  count = 0;
  for (int32_t j = 0; j < A->size && !status; j++)
    for (int32_t k = A->column_begin[j]; k < A->column_begin[j + 1]; k++)
      if (is_kept(A, j, k)) (*out)->values[count++] = A->values[k];
  lb_free(begin);
  lb_free(rows);
  return status;
}

void lb_sparse_destroy(lbSparse *A) {
  if (!A) return;
  if (!A->borrowed) {
    lb_free(A->column_begin);
    lb_free(A->rows);
    lb_free(A->positions);
  }
  lb_free(A->values);
  lb_free(A);
}

bool lb_sparse_has_blocks(const lbSparse *A, int32_t width) {
  if (A->size % width) return false;
  for (int32_t j = 0; j < A->size; j++) {
    int32_t within = j % width, diagonal = j - within;
    const int32_t *rows = A->rows + A->column_begin[j];
    int32_t count = A->column_begin[j + 1] - A->column_begin[j];
    int32_t above = count - (within + 1); // rows of blocks above the diagonal one
    if (above < 0 || above % width || rows[above] != diagonal || rows[count - 1] != j) return false;
    for (int32_t k = 0; k < above; k += width)
      if (rows[k] % width || rows[k + width - 1] != rows[k] + width - 1) return false;
    const int32_t *first = A->rows + A->column_begin[diagonal];
    if (memcmp(rows, first, (size_t)above * sizeof *rows)) return false;
    if (A->column_begin[diagonal + 1] - A->column_begin[diagonal] != above + 1) return false;
  }
  return true;
}

int32_t lb_sparse_find(const lbSparse *A, int32_t row, int32_t column) {
  int32_t i = row < column ? row : column, j = row < column ? column : row;
  int32_t begin = A->column_begin[j], end = A->column_begin[j + 1];
  while (begin < end) {
    int32_t middle = begin + (end - begin) / 2;
    if (A->rows[middle] < i)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin < A->column_begin[j + 1] && A->rows[begin] == i ? begin : -1;
}

void lb_sparse_diagonal(const lbSparse *A, double *diagonal) {
  for (int32_t j = 0; j < A->size; j++) {
    int32_t end = A->column_begin[j + 1];
    bool stored = end > A->column_begin[j] && A->rows[end - 1] == j;
    diagonal[j] = stored ? A->values[end - 1] : 0;
  }
}

// ---- products ----------------------------------------------------------------------------------

void lb_sparse_multiply(const lbSparse *A, const double *restrict x, double *restrict y) {
  memset(y, 0, (size_t)A->size * sizeof *y);
  for (int32_t j = 0; j < A->size; j++) {
    double xj = x[j], sum = 0;
    for (int32_t k = A->column_begin[j]; k < A->column_begin[j + 1]; k++) {
      int32_t i = A->rows[k];
      sum += A->values[k] * x[i];
      if (i < j) y[i] += A->values[k] * xj;
    }
    y[j] += sum;
  }
}

// X and Y interleaved: (width x size)
static inline __attribute__((always_inline)) void
multiply_width(int width, const lbSparse *A, const double *restrict X, double *restrict Y) {
  size_t stride = (size_t)width;
  for (int32_t j = 0; j < A->size; j++) {
    const double *xj = X + (size_t)j * stride;
    double sum[GROUP] = { 0 };
    for (int32_t k = A->column_begin[j]; k < A->column_begin[j + 1]; k++) {
      double a = A->values[k];
      const double *xi = X + (size_t)A->rows[k] * stride;
      double *yi = Y + (size_t)A->rows[k] * stride;
      for (int c = 0; c < width; c++) sum[c] += a * xi[c];
      if (A->rows[k] == j) continue;
      for (int c = 0; c < width; c++) yi[c] += a * xj[c];
    }
    double *yj = Y + (size_t)j * stride;
    for (int c = 0; c < width; c++) yj[c] += sum[c];
  }
}

static void multiply_group(const lbSparse *A, int width, const double *X, double *Y) {
  if (width == GROUP)
    multiply_width(GROUP, A, X, Y);
  else
    multiply_width(HALF, A, X, Y);
}

typedef struct Product {
  const lbSparse *A;
  const double *X;
  double *Y, *work;
  int32_t width; // columns at a time, GROUP or HALF
} Product;

// Columns [begin, end) of the product, at most p->width of them.
static void multiply_sparse_columns(int32_t begin, int32_t end, void *context) {
  const Product *p = context;
  size_t n = (size_t)p->A->size;
  if (!p->work || end - begin == 1) { // nothing gained by interleaving, or no memory for it
    for (int32_t c = begin; c < end; c++)
      lb_sparse_multiply(p->A, p->X + (size_t)c * n, p->Y + (size_t)c * n);
    return;
  }
  size_t width = (size_t)p->width;
  double *X = p->work + 2 * n * (size_t)begin, *Y = X + width * n;
  memset(X, 0, 2 * width * n * sizeof *X);
  for (int32_t c = begin; c < end; c++)
    for (size_t i = 0; i < n; i++) X[i * width + (size_t)(c - begin)] = p->X[(size_t)c * n + i];
  multiply_group(p->A, p->width, X, Y);
  for (int32_t c = begin; c < end; c++)
    for (size_t i = 0; i < n; i++) p->Y[(size_t)c * n + i] = Y[i * width + (size_t)(c - begin)];
}

size_t lb_sparse_work_count(const lbSparse *A, int32_t count) {
  size_t group_count = ((size_t)count + GROUP - 1) / GROUP;
  return 2 * GROUP * group_count * (size_t)A->size;
}

void lb_sparse_multiply_many_in(const lbSparse *A, int32_t count, const double *X, double *Y,
                                double *work) {
  // A few columns are shared out in halves, so that two threads have something to do.
  Product product = { A, X, Y, work, count <= GROUP ? HALF : GROUP };
  lb_parallel_for(count, product.width, multiply_sparse_columns, &product);
}

void lb_sparse_multiply_many(const lbSparse *A, int32_t count, const double *X, double *Y) {
  double *work = count > 1 ? lb_alloc(lb_sparse_work_count(A, count), sizeof *work) : NULL;
  lb_sparse_multiply_many_in(A, count, X, Y, work); // one by one when there is no memory
  lb_free(work);
}

// ---- sums --------------------------------------------------------------------------------------

bool lb_sparse_contains(const lbSparse *A, const lbSparse *B) {
  if (A->size != B->size) return false;
  for (int32_t j = 0; j < B->size; j++) {
    int32_t a = A->column_begin[j], end = A->column_begin[j + 1];
    for (int32_t b = B->column_begin[j]; b < B->column_begin[j + 1]; b++, a++) {
      while (a < end && A->rows[a] < B->rows[b]) a++;
      if (a == end || A->rows[a] != B->rows[b]) return false;
    }
  }
  return true;
}

bool lb_sparse_add_scaled(lbSparse *A, double scale, const lbSparse *B) {
  if (!lb_sparse_contains(A, B)) return false;
  for (int32_t j = 0; j < B->size; j++) {
    int32_t a = A->column_begin[j];
    for (int32_t b = B->column_begin[j]; b < B->column_begin[j + 1]; b++, a++) {
      while (A->rows[a] < B->rows[b]) a++;
      A->values[a] += scale * B->values[b];
    }
  }
  return true;
}
