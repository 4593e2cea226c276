// The second derivative of the StVK force at rest, for many pairs of displacements at once.
//
// With G_i the displacement gradient of displacement i, e_i = sym G_i and S_i = λ tr(e_i) I + 2μ
// e_i, the cubic part of the energy density, S(sym G):(GᵀG)/2, has the symmetric second derivative
//   P_ij = G_j S_i + G_i S_j + λ (G_i:G_j) I + 2μ sym(G_iᵀG_j)
// of its stress, and (H:u_i) u_j at node a is Σ w P_ij g_a over the points of the element.
#ifndef LB_REDUCE_HESSIAN_H
#define LB_REDUCE_HESSIAN_H

#include "elastic/element.h"

// Row i of the pairs holds (i, j) for i ≤ j < mode_count; rows follow each other.
typedef struct lbHessianElement {
  lbElementKind kind;
  const double *gradients; // (points x nodes x 3) g_a = ∂N_a/∂X
  const double *weights;   // (points), m³
  double lambda, mu;       // Pa
  int32_t mode_count;
  int32_t stride;                            // lb_hessian_stride(mode_count)
  const double *modes[LB_ELEMENT_NODES_MAX]; // of each node: (3 x stride), zero beyond mode_count
  int32_t row_begin, row_end;                // the rows of pairs to be made
  double *work;                              // (lb_hessian_work_count)
  double *sums[LB_ELEMENT_NODES_MAX];        // of each node: (3 x pairs of these rows), added to
} lbHessianElement;

typedef struct lbHessianKernels {
  void (*add_pairs)(const lbHessianElement *element);
} lbHessianKernels;

// Rounded up, and room for a vector that begins at the last mode.
static inline int32_t lb_hessian_stride(int32_t mode_count) {
  return (mode_count + LB_BATCH - 1) / LB_BATCH * LB_BATCH + LB_BATCH;
}

// Pairs (i, j), i ≤ j, with row_begin ≤ i < row_end.
size_t lb_hessian_pair_count(int32_t mode_count, int32_t row_begin, int32_t row_end);
size_t lb_hessian_work_count(lbElementKind kind, int32_t mode_count, size_t pair_count); // doubles

const lbHessianKernels *lb_hessian_kernels(lbSimdLevel level); // of a level that lb_simd_has

#endif
