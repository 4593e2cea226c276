// Decompositions: reflections, tridiagonal and bidiagonal matrices, their eigenvalues and singular
// values. Matrices are column-major.
#ifndef LB_LINALG_OWN_DECOMPOSE_H
#define LB_LINALG_OWN_DECOMPOSE_H

#include "linalg/own/blocks.h"

enum { LB_OWN_PANEL = 32 }; // reflections that are applied together

// ---- reflections: 1 - tau v v', v's first value 1 (reflect.c) ----------------------------------

// The reflection that makes x a multiple of the first unit vector. x becomes v; *first that
// multiple.
double lb_own_reflection(int32_t count, double *x, double *first);
// C <- (H_0 H_1 ...) C, or its transpose times C, of `count` reflections whose v are the columns of
// V (rows x count), zeros above their ones; C (rows x columns). count <= LB_OWN_PANEL.
// work: lb_own_reflect_work(columns) values.
void lb_own_reflect(lbTranspose transpose, int32_t rows, int32_t count, const double *V,
                    size_t v_stride, const double *tau, int32_t columns, double *C, size_t c_stride,
                    double *work);
size_t lb_own_reflect_work(int32_t columns);
// Q <- H_0 H_1 ... of all `count` columns of V, v_j beginning at row j + below; Q (rows x columns),
// of which it makes the first columns of the identity. work: of `columns`.
void lb_own_multiply_reflections(int32_t rows, int32_t count, int32_t below, const double *V,
                                 size_t v_stride, const double *tau, int32_t columns, double *Q,
                                 double *work);
// A = H_0 H_1 ... R, by panels. A (rows x columns) gets the v below R's triangle, without their
// ones; tau (min(rows, columns)); work: of `columns`, and rows * LB_OWN_PANEL more.
void lb_own_qr(int32_t rows, int32_t columns, double *A, double *tau, double *work);

// ---- rotations that wait (sweeps.c) ------------------------------------------------------------

// Sweeps of rotations of columns of Z, which are applied many at a time while rows of Z are in the
// cache. Z lies in strips of rows.
typedef struct lbOwnSweeps {
  int32_t rows, columns;
  double *strips;
  lbOwnRotation *rotations;
  struct lbOwnSweep *waiting;
  size_t rotation_count;
  int32_t waiting_count;
} lbOwnSweeps;

// Z (rows x columns) is copied; false: no memory.
bool lb_own_sweeps_open(lbOwnSweeps *sweeps, int32_t rows, int32_t columns, const double *Z);
// Room for `count` rotations, rotation i of columns first + i and first + i + 1, to be filled in
// before the next call. The last one comes first where down is true.
lbOwnRotation *lb_own_sweeps_add(lbOwnSweeps *sweeps, int32_t first, int32_t count, bool down);
// Z's columns in the order given: column order[j] becomes column j.
void lb_own_sweeps_finish(lbOwnSweeps *sweeps, const int32_t *order, double *Z);
void lb_own_sweeps_close(lbOwnSweeps *sweeps);

// Sorts values, ascending (sign 1) or descending (-1): value order[j] becomes value j.
void lb_own_sort(int32_t count, int sign, double *values, int32_t *order);
// c, s and r with c f + s g = r, c g - s f = 0
lbOwnRotation lb_own_rotation(double f, double g, double *r);

// ---- whole decompositions: see lbEngine --------------------------------------------------------

lbStatus lb_own_eigen(int32_t size, double *A, double *values, lbError *err);
lbStatus lb_own_svd(int32_t rows, int32_t columns, double *A, double *U, double *S, double *Vt,
                    lbError *err);

// Of the tridiagonal matrix with diagonal d (size) and e (size - 1) beside it; Z's columns are
// turned along. d becomes the eigenvalues, in no order. False: no convergence. (tridiagonal.c)
bool lb_own_tridiagonal_values(int32_t size, double *d, double *e, lbOwnSweeps *Z);
// A = U B V' with U and V products of reflections, v_j and u_j in columns j of A and P (size x
// size) from rows j and j + 1 on, zeros above; B has the diagonal d and e above it. work: size * 2
// * LB_OWN_PANEL. (bidiagonal.c)
void lb_own_bidiagonal(int32_t size, double *A, double *P, double *d, double *e, double *tau_left,
                       double *tau_right, double *work);
// Of the bidiagonal matrix with diagonal d and e above it: U' B V = diag(d) in no order and of any
// sign; U and V may be NULL. False: no convergence. (singular.c)
bool lb_own_bidiagonal_values(int32_t size, double *d, double *e, lbOwnSweeps *U, lbOwnSweeps *V);

#endif
