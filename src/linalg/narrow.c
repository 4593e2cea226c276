// Shares out products with few columns, and picks their kernels.
#include "linalg/narrow.h"

#include <string.h>

#include "linalg/dense.h"

enum { ROWS = 2048, COLUMNS = 16 }; // of one task

typedef struct Narrow {
  const lbNarrowKernels *kernels;
  int32_t rows;
  size_t stride; // of A and B
  const double *A, *from;
  double *to;
  double *P, *C; // by rows
} Narrow;

size_t lb_narrow_work_count(int32_t rows, int32_t columns) {
  return (size_t)LB_NARROW * ((size_t)rows + (size_t)columns);
}

static void pack_rows(int32_t begin, int32_t end, void *context) {
  const Narrow *n = context;
  n->kernels->pack(end - begin, n->stride, n->from + begin, n->P + (size_t)begin * LB_NARROW);
}

static void gather_columns(int32_t begin, int32_t end, void *context) {
  const Narrow *n = context;
  double *C = n->C + (size_t)begin * LB_NARROW;
  memset(C, 0, (size_t)(end - begin) * LB_NARROW * sizeof *C);
  n->kernels->gather(n->rows, end - begin, n->stride, n->A + (size_t)begin * n->stride, n->P, C);
}

void lb_narrow_gather(int32_t rows, int32_t columns, int32_t count, const double *A,
                      const double *B, double *work, double *C) {
  size_t stride = (size_t)rows, m = (size_t)columns;
  Narrow n = { lb_narrow_kernels(lb_simd_best()), rows, stride, A, B, NULL, work,
               work + stride * LB_NARROW };
  int32_t done = 0;
  for (; done + LB_NARROW <= count; done += LB_NARROW, n.from += LB_NARROW * stride) {
    lb_parallel_for(rows, ROWS, pack_rows, &n);
    lb_parallel_for(columns, COLUMNS, gather_columns, &n);
    for (size_t c = 0; c < LB_NARROW; c++)
      for (size_t j = 0; j < m; j++) C[((size_t)done + c) * m + j] = n.C[j * LB_NARROW + c];
  }
  if (done < count)
    lb_dense_multiply(LB_TRANSPOSED, LB_PLAIN, columns, count - done, rows, 1, A, n.from, 0,
                      C + (size_t)done * m);
}

static void subtract_narrow_rows(int32_t begin, int32_t end, void *context) {
  const Narrow *n = context;
  int32_t columns = (int32_t)((n->C - n->P) / LB_NARROW);
  n->kernels->subtract(end - begin, columns, n->stride, n->A + begin, n->P, n->to + begin);
}

void lb_narrow_subtract(int32_t rows, int32_t columns, int32_t count, const double *A,
                        const double *C, double *work, double *B) {
  size_t stride = (size_t)rows, m = (size_t)columns;
  Narrow n = {
    lb_narrow_kernels(lb_simd_best()), rows, stride, A, NULL, B, work, work + m * LB_NARROW
  };
  int32_t done = 0;
  for (; done + LB_NARROW <= count; done += LB_NARROW, n.to += LB_NARROW * stride) {
    for (size_t c = 0; c < LB_NARROW; c++)
      for (size_t j = 0; j < m; j++) n.P[j * LB_NARROW + c] = C[((size_t)done + c) * m + j];
    lb_parallel_for(rows, ROWS, subtract_narrow_rows, &n);
  }
  if (done < count)
    lb_dense_multiply(LB_PLAIN, LB_PLAIN, rows, count - done, columns, -1, A, C + (size_t)done * m,
                      1, n.to);
}
