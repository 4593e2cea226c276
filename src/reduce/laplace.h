// Laplace's equation on voxels: Σ_k c_k (w_k − w) = 0 over the open faces of each free voxel. No
// face, no flux. One sparse Cholesky factorisation serves all columns.
#ifndef LB_REDUCE_LAPLACE_H
#define LB_REDUCE_LAPLACE_H

#include "frames/voxels.h"

typedef struct lbLaplaceDef {
  const lbVoxels *voxels;
  const bool *known; // (voxels) where values are given; some voxel of every part must be
  // c from a free voxel to a known one, > 0; NULL: 1, as between two free ones
  double (*conductance)(const void *context, int32_t free, int32_t known);
  const void *context;
} lbLaplaceDef;

// values (columns x voxels): at known voxels they stay, at the others they are found.
lbStatus lb_laplace_solve(const lbLaplaceDef *def, int32_t columns, double *values, lbError *err);

#endif
