// Solves with a factor in single precision, refined to the accuracy of one in double.
#ifndef LB_LINALG_REFINE_H
#define LB_LINALG_REFINE_H

#include "linalg/fronts.h"

enum { LB_REFINE_SOFT = LB_FRONT_WIDTH_MANY };

typedef struct lbRefine {
  const lbFronts *fronts;
  const lbSparse *A;
  const float *L;      // L L' = scale A, nearly
  double scale, norm;  // norm: the largest sum of absolute values in a row of A
  double contraction;  // by how much a correction is smaller than the one before it, about; 0.1
                       // and more is a poor factor; written by lb_refine_probe
  int32_t sweep_count; // of the last solve, at most, for a right-hand side
  // Soft shapes, for which equations are solved in double precision; written by lb_refine_soften.
  bool softened;                             // they were searched for and are still valid
  int32_t soft_count;                        // 0, or LB_REFINE_SOFT
  double *S, *AS;                            // (size x soft_count)
  double E[LB_REFINE_SOFT * LB_REFINE_SOFT]; // R, R' R = S' A S
  // Work space for the largest width so far.
  int32_t width;
  float *Y, *work;
  double *x, *r; // (size x width), the values of a row together
  double *parts; // of sums over tasks
} lbRefine;

void lb_refine_release(lbRefine *refine); // work space and soft shapes
void lb_refine_release_work(lbRefine *refine);
size_t lb_refine_bytes(const lbRefine *refine);

// Finds soft shapes, after fronts, A, L, scale and norm were set.
lbStatus lb_refine_soften(lbRefine *refine, lbError *err);
// The first LB_REFINE_SOFT of `count` columns of X are the soft shapes, if there are so many.
lbStatus lb_refine_take_soft(lbRefine *refine, int32_t count, const double *X, lbError *err);
void lb_refine_drop_soft(lbRefine *refine); // the next solve finds them anew

// X <- A^-1 X, until residuals are rounding, or until relative errors are below `near` (> 0), which
// takes fewer sweeps, or one where `near` is no less than the contraction. Columns of X (size x
// count) from the first panel on that does not converge are unchanged, and LB_ERR_NUMERIC says it.
lbStatus lb_refine_solve(lbRefine *refine, double near, int32_t count, double *X, lbError *err);

// X <- scale (L L')^-1 X: what a factor in single precision gives by itself.
lbStatus lb_refine_solve_once(lbRefine *refine, int32_t count, double *X, size_t work_count,
                              double *work, lbError *err); // as lb_cholesky_solve_once

// Finds the contraction, of one right-hand side that has something of all shapes.
lbStatus lb_refine_probe(lbRefine *refine, lbError *err);

double lb_refine_norm(const lbSparse *A, double *sums); // sums (size) is work space

#endif
