// Reflections, alone and in panels: H_0 H_1 ... = 1 - V T V' with T upper triangular (Schreiber and
// van Loan's compact form).
#include "linalg/own/decompose.h"

#include <string.h>

double lb_own_reflection(int32_t count, double *x, double *first) {
  double sum = 0, head = x[0];
  x[0] = 0;
  lb_own()->add_turned_product(count, 1, 1, x, 1, x, &sum);
  x[0] = 1;
  *first = head;
  if (sum == 0) {
    memset(x + 1, 0, (size_t)(count - 1) * sizeof *x);
    return 0;
  }
  double length = -copysign(sqrt(head * head + sum), head);
  double scale = 1 / (head - length);
  for (int32_t i = 1; i < count; i++) x[i] *= scale;
  *first = length;
  return (length - head) / length;
}

size_t lb_own_reflect_work(int32_t columns) {
  return LB_OWN_PANEL * (2 * LB_OWN_PANEL + 2 * (size_t)columns);
}

// T (count x count, stride LB_OWN_PANEL), its lower triangle zero.
static void make_triangle(int32_t rows, int32_t count, const double *V, size_t v_stride,
                          const double *tau, double *T, double *G) {
  size_t k = (size_t)count, wide = LB_OWN_PANEL;
  lb_own_gram_double(count, rows, 1, V, v_stride, 0, G, wide);
  memset(T, 0, wide * wide * sizeof *T);
  for (size_t j = 0; j < k; j++) { // T[:j, j] = -tau_j T[:j, :j] V[:, :j]' v_j
    for (size_t m = 0; m < j; m++)
      for (size_t i = 0; i <= m; i++) T[j * wide + i] -= tau[j] * T[m * wide + i] * G[j * wide + m];
    T[j * wide + j] = tau[j];
  }
}

void lb_own_reflect(lbTranspose transpose, int32_t rows, int32_t count, const double *V,
                    size_t v_stride, const double *tau, int32_t columns, double *C, size_t c_stride,
                    double *work) {
  if (columns < 1 || count < 1) return;
  size_t wide = LB_OWN_PANEL;
  double *T = work, *G = T + wide * wide, *W = G + wide * wide, *TW = W + wide * (size_t)columns;
  make_triangle(rows, count, V, v_stride, tau, T, G);
  lb_own_multiply_double(LB_TRANSPOSED, LB_PLAIN, count, columns, rows, 1, V, v_stride, C, c_stride,
                         0, W, wide);
  lb_own_multiply_double(transpose, LB_PLAIN, count, columns, count, 1, T, wide, W, wide, 0, TW,
                         wide);
  lb_own_multiply_double(LB_PLAIN, LB_PLAIN, rows, columns, count, -1, V, v_stride, TW, wide, 1, C,
                         c_stride);
}

void lb_own_multiply_reflections(int32_t rows, int32_t count, int32_t below, const double *V,
                                 size_t v_stride, const double *tau, int32_t columns, double *Q,
                                 double *work) {
  size_t m = (size_t)rows;
  memset(Q, 0, m * (size_t)columns * sizeof *Q);
  for (size_t j = 0; j < (size_t)columns; j++) Q[j * m + j] = 1;
  for (int32_t begin = (count - 1) / LB_OWN_PANEL * LB_OWN_PANEL; count > 0 && begin >= 0;
       begin -= LB_OWN_PANEL) {
    int32_t panel = count - begin < LB_OWN_PANEL ? count - begin : LB_OWN_PANEL;
    int32_t row = begin + below; // what is before it, and left of it, is still the identity
    lb_own_reflect(LB_PLAIN, rows - row, panel, V + (size_t)begin * v_stride + row, v_stride,
                   tau + begin, columns - row, Q + (size_t)row * m + row, m, work);
  }
}

// A panel by itself; V gets its reflections with ones and zeros written out.
static void factor_panel(int32_t rows, int32_t count, double *A, size_t stride, double *tau,
                         double *V) {
  const lbOwnKernels *kernels = lb_own();
  for (int32_t j = 0; j < count; j++) {
    double *x = A + (size_t)j * stride + j, *v = V + (size_t)j * (size_t)rows;
    double first = 0, products[LB_OWN_PANEL] = { 0 }, one = 1;
    int32_t length = rows - j, rest = count - j - 1;
    tau[j] = lb_own_reflection(length, x, &first);
    memset(v, 0, (size_t)j * sizeof *v);
    memcpy(v + j, x, (size_t)length * sizeof *v);
    kernels->add_turned_product(length, rest, -tau[j], x + stride, stride, x, products);
    for (int32_t c = 0; c < rest; c++)
      kernels->add_product(length, 1, products[c], x, stride, &one, x + (size_t)(c + 1) * stride);
    *x = first;
  }
}

void lb_own_qr(int32_t rows, int32_t columns, double *A, double *tau, double *work) {
  int32_t least = rows < columns ? rows : columns;
  size_t m = (size_t)rows;
  double *V = work + lb_own_reflect_work(columns);
  for (int32_t begin = 0; begin < least; begin += LB_OWN_PANEL) {
    int32_t count = least - begin < LB_OWN_PANEL ? least - begin : LB_OWN_PANEL;
    int32_t length = rows - begin, rest = columns - begin - count;
    double *panel = A + (size_t)begin * m + begin;
    factor_panel(length, count, panel, m, tau + begin, V);
    lb_own_reflect(LB_TRANSPOSED, length, count, V, (size_t)length, tau + begin, rest,
                   panel + (size_t)count * m, m, work);
  }
}
