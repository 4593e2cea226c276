// The gradient of a field at nodes of a model's volume: the volume-weighted mean of what the
// elements around a node have there. It is linear in the differences to neighbouring nodes,
//
//   (grad u)_n = sum_m (u_m - u_n) w_nm^T,
//
// so that the vectors w are worked out once for any number of fields. Exact for affine fields.
#ifndef LIMBER_VIEWER_GRADIENT_H
#define LIMBER_VIEWER_GRADIENT_H

#include "limber/model.h"

typedef struct vwGradient {
  int32_t row_count;   // nodes whose gradients are wanted
  int32_t *nodes;      // (rows), ascending
  int32_t *begin;      // (rows + 1)
  int32_t *neighbours; // (begin[rows]): nodes
  double *weights;     // (begin[rows] x 3), 1/m
} vwGradient;

// `wanted` (nodes): not 0 for those that get a row. A node without a proper element gets an empty
// one: its gradient is zero. On failure *out is unharmed.
lbStatus vw_gradient_create(const lbModel *model, const uint8_t *wanted, vwGradient *out,
                            lbError *err);
void vw_gradient_free(vwGradient *gradient); // one of zeros is legal

// gradients (rows x 9), row-major: entry 3 i + j is du_i/dX_j. `field` (nodes x 3).
void vw_gradient_apply(const vwGradient *gradient, const double *field, double *gradients);

#endif
