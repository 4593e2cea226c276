// Symmetric sparse matrices: the upper triangle, by columns.
#ifndef LB_LINALG_SPARSE_H
#define LB_LINALG_SPARSE_H

#include "limber/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Entry (rows[k], j) for k in [column_begin[j], column_begin[j + 1]). What lies below the diagonal
// is implied. FEM matrices consist of full 3x3 blocks (columns 3v..3v+2 of vertex v); nothing here
// needs it, but the analysis of lb_cholesky_create is faster when it is so.
typedef struct lbSparse {
  int32_t size;
  int32_t *column_begin; // (size + 1), starts at 0
  int32_t *rows;         // (nonzero count), ascending in a column, row <= column
  double *values;        // (nonzero count)
  double *positions;     // (size): the places of the nodes whose three unknowns follow each other,
                         // which help to order them; or NULL
  bool borrowed;         // column_begin, rows and positions are another matrix's
} lbSparse;

// Copies the pattern; values are zero. Refuses an unsorted, doubled or lower-triangle entry.
lbStatus lb_sparse_create(int32_t size, const int32_t *column_begin, const int32_t *rows,
                          lbSparse **out, lbError *err);
// A diagonal matrix; NULL for zeros.
lbStatus lb_sparse_create_diagonal(int32_t size, const double *diagonal, lbSparse **out,
                                   lbError *err);
lbStatus lb_sparse_copy(const lbSparse *A, lbSparse **out, lbError *err);
lbStatus lb_sparse_copy_pattern(const lbSparse *A, lbSparse **out, lbError *err); // zero values
// Zero values on the pattern of A itself, which has to stay as long.
lbStatus lb_sparse_borrow_pattern(const lbSparse *A, lbSparse **out, lbError *err);
// A copy without stored zeros off the diagonal.
lbStatus lb_sparse_copy_nonzeros(const lbSparse *A, lbSparse **out, lbError *err);
// Copies of the matrix have them, too.
lbStatus lb_sparse_set_positions(lbSparse *A, const double *positions, lbError *err);
void lb_sparse_destroy(lbSparse *A);

// LB_ERR_ARGUMENT that names the fault unless the pattern is as described above.
lbStatus lb_sparse_validate(const lbSparse *A, lbError *err);
static inline int32_t lb_sparse_nonzero_count(const lbSparse *A) {
  return A->column_begin[A->size];
}

// Whether it consists of full blocks of width x width entries (on the diagonal: their upper
// halves).
bool lb_sparse_has_blocks(const lbSparse *A, int32_t width);

// Index into values of entry (row, column), either triangle; -1: not in the pattern.
int32_t lb_sparse_find(const lbSparse *A, int32_t row, int32_t column);
void lb_sparse_diagonal(const lbSparse *A, double *diagonal); // (size); 0 where not stored

// y = A x
void lb_sparse_multiply(const lbSparse *A, const double *x, double *y);
// Y = A X; X and Y (size x count), column-major, not the same memory. Groups of columns run in
// parallel; the bits do not depend on the number of threads.
void lb_sparse_multiply_many(const lbSparse *A, int32_t count, const double *X, double *Y);
// The same in given work space of lb_sparse_work_count doubles, for loops of many products.
size_t lb_sparse_work_count(const lbSparse *A, int32_t count);
void lb_sparse_multiply_many_in(const lbSparse *A, int32_t count, const double *X, double *Y,
                                double *work);

bool lb_sparse_contains(const lbSparse *A, const lbSparse *B); // the pattern of B in that of A
// A += scale B. B has the pattern of A, or any pattern contained in it (a lumped mass, say);
// false, with A unchanged, when it is not contained.
bool lb_sparse_add_scaled(lbSparse *A, double scale, const lbSparse *B);

#ifdef __cplusplus
}
#endif
#endif
