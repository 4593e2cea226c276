// Polar decomposition A = R S through the singular value decomposition: with A = U diag(s) V^T,
// R = U V^T and S = V diag(s) V^T. U and V are proper rotations, hence so is R, for any A; R is the
// proper rotation that maximises tr(R^T A), that is, the nearest in the Frobenius norm.
#include "limber/math.h"

void lb_polar3(lbMat3 a, lbMat3 *rotation, lbMat3 *stretch) {
  lbSvd3 svd = lb_svd3(a);
  lbMat3 vt = lb_mat3_transpose(svd.v);
  if (rotation) *rotation = lb_mat3_multiply(svd.u, vt);
  if (!stretch) return;
  lbMat3 sym =
      lb_mat3_multiply(lb_mat3_multiply(svd.v, lb_mat3_diagonal(svd.s[0], svd.s[1], svd.s[2])), vt);
  for (int i = 0; i < 3; i++) // exactly symmetric
    for (int j = 0; j < i; j++)
      sym.m[3 * j + i] = sym.m[3 * i + j] = 0.5 * (sym.m[3 * i + j] + sym.m[3 * j + i]);
  *stretch = sym;
}
