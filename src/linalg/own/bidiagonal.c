// A = U B V' with B upper bidiagonal, by panels of reflections from both sides (Dongarra,
// Hammarling and Sorensen): within a panel A stands for A - V Y' - X P'.
#include "linalg/own/decompose.h"

#include <string.h>

// The panel at hand: columns of V and Y, X and P that are there, and where their rows begin.
typedef struct Panel {
  size_t n;      // the stride of all
  double *V, *Y; // of the left reflections
  double *X, *P; // of the right ones
} Panel;

// x -= M[row:, :count] other[:count]', other's values a row of a matrix
static void subtract_bidiagonal_row(int32_t length, int32_t count, const double *M,
                                    const double *other, size_t stride, double *x) {
  double row[LB_OWN_PANEL];
  for (int32_t c = 0; c < count; c++) row[c] = other[(size_t)c * stride];
  lb_own()->add_product(length, count, -1, M, stride, row, x);
}

// y -= M[to:, :count] (N[from:, :count]' v) tau
static void subtract_bidiagonal_products(const Panel *p, int32_t count, const double *M, int32_t to,
                                         const double *N, int32_t from, int32_t rows,
                                         int32_t length, const double *v, double tau, double *y) {
  double products[LB_OWN_PANEL] = { 0 };
  lb_own()->add_turned_product(length, count, tau, N + from, p->n, v, products);
  lb_own()->add_product(rows, count, -1, M + to, p->n, products, y);
}

// Reflection i from the left, which is number `count` of the panel.
static void reflect_left(const Panel *p, int32_t size, int32_t i, int32_t count, double *A,
                         double *d, double *tau) {
  int32_t length = size - i, rest = length - 1;
  double *column = A + (size_t)i * p->n, *v = column + i;
  double *y = p->Y + (size_t)count * p->n + i + 1;
  subtract_bidiagonal_row(length, count, p->V + i, p->Y + i, p->n, v);
  subtract_bidiagonal_row(length, count, p->X + i, p->P + i, p->n, v);
  tau[i] = lb_own_reflection(length, v, &d[i]);
  memset(column, 0, (size_t)i * sizeof *column);
  lb_own()->add_turned_product(length, rest, tau[i], v + p->n, p->n, v, y);
  subtract_bidiagonal_products(p, count, p->Y, i + 1, p->V, i, rest, length, v, tau[i], y);
  subtract_bidiagonal_products(p, count, p->P, i + 1, p->X, i, rest, length, v, tau[i], y);
}

static void reflect_right(const Panel *p, int32_t size, int32_t i, int32_t count, const double *A,
                          double *e, double *tau) {
  int32_t rest = size - i - 1;
  double *u = p->P + (size_t)count * p->n + i + 1, *x = p->X + (size_t)count * p->n + i + 1;
  const double *row = A + (size_t)(i + 1) * p->n + i;
  for (int32_t c = 0; c < rest; c++) u[c] = row[(size_t)c * p->n];
  subtract_bidiagonal_row(rest, count + 1, p->Y + i + 1, p->V + i, p->n, u);
  subtract_bidiagonal_row(rest, count, p->P + i + 1, p->X + i, p->n, u);
  tau[i] = lb_own_reflection(rest, u, &e[i]);
  lb_own()->add_product(rest, rest, tau[i], row + 1, p->n, u, x);
  subtract_bidiagonal_products(p, count + 1, p->V, i + 1, p->Y, i + 1, rest, rest, u, tau[i], x);
  subtract_bidiagonal_products(p, count, p->X, i + 1, p->P, i + 1, rest, rest, u, tau[i], x);
}

void lb_own_bidiagonal(int32_t size, double *A, double *P, double *d, double *e, double *tau_left,
                       double *tau_right, double *work) {
  size_t n = (size_t)size, room = n * LB_OWN_PANEL;
  memset(P, 0, n * n * sizeof *P);
  for (int32_t begin = 0; begin < size; begin += LB_OWN_PANEL) {
    int32_t end = begin + LB_OWN_PANEL < size ? begin + LB_OWN_PANEL : size, rest = size - end;
    Panel p = { n, A + (size_t)begin * n, work, work + room, P + (size_t)begin * n };
    memset(work, 0, 2 * room * sizeof *work);
    for (int32_t i = begin; i < end; i++) {
      reflect_left(&p, size, i, i - begin, A, d, tau_left);
      if (i < size - 1) reflect_right(&p, size, i, i - begin, A, e, tau_right);
    }
    double *trailing = A + (size_t)end * n + end;
    lb_own_multiply_double(LB_PLAIN, LB_TRANSPOSED, rest, rest, LB_OWN_PANEL, -1, p.V + end, n,
                           p.Y + end, n, 1, trailing, n);
    lb_own_multiply_double(LB_PLAIN, LB_TRANSPOSED, rest, rest, LB_OWN_PANEL, -1, p.X + end, n,
                           p.P + end, n, 1, trailing, n);
  }
}
