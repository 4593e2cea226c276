// One element, vectors across the pairs of a row: displacement i is spread over the lanes, j runs
// along them. The last vector of a row reaches into the next one, which is written afterwards.
#include "reduce/hessian.h"

#define LB_INLINE static inline __attribute__((always_inline))

// Where (row, column) of a symmetric 3x3 matrix lies: xx yy zz xy yz zx.
static const int symmetric[9] = { 0, 3, 5, 3, 1, 4, 5, 4, 2 };

enum { POINT_VALUES = 15 }; // G (9), S (6)

// G and S of all modes from row_begin on, at one point: (15 x stride).
LB_INLINE void make_point(const lbHessianElement *e, int nodes, const double *g, double *values) {
  size_t stride = (size_t)e->stride;
  for (int32_t j = e->row_begin; j < e->mode_count; j += LB_LANES) {
    lbLanes G[9];
    LB_FOR (c, 0, 9) G[c] = lb_splat(0);
    for (int a = 0; a < nodes; a++)
      LB_FOR (i, 0, 3) {
        lbLanes u = lb_load(e->modes[a] + (size_t)i * stride + j);
        LB_FOR (k, 0, 3) G[3 * i + k] += u * g[3 * a + k];
      }
    lbLanes volume = e->lambda * (G[0] + G[4] + G[8]);
    LB_FOR (c, 0, 9) lb_store(values + (size_t)c * stride + j, G[c]);
    LB_FOR (c, 0, 3) lb_store(values + (size_t)(9 + c) * stride + j, volume + 2 * e->mu * G[4 * c]);
    lb_store(values + 12 * stride + j, e->mu * (G[1] + G[3]));
    lb_store(values + 13 * stride + j, e->mu * (G[5] + G[7]));
    lb_store(values + 14 * stride + j, e->mu * (G[6] + G[2]));
  }
}

// P_ij for the lanes j, times the point's weight.
LB_INLINE void pair_stress(const double *values, size_t stride, int32_t i, int32_t j, double lambda,
                           double mu, double weight, lbLanes P[9]) {
  lbLanes Gi[9], Gj[9], Si[6], Sj[6], M[9];
  LB_FOR (c, 0, 9) {
    Gi[c] = lb_splat(weight * values[(size_t)c * stride + (size_t)i]);
    Gj[c] = lb_load(values + (size_t)c * stride + j);
  }
  LB_FOR (c, 0, 6) {
    Si[c] = lb_splat(weight * values[(size_t)(9 + c) * stride + (size_t)i]);
    Sj[c] = lb_load(values + (size_t)(9 + c) * stride + j);
  }
  LB_FOR (r, 0, 3)
    LB_FOR (c, 0, 3) {
      P[3 * r + c] = Gj[3 * r] * Si[symmetric[c]] + Gi[3 * r] * Sj[symmetric[c]];
      M[3 * r + c] = Gi[r] * Gj[c];
      LB_FOR (k, 1, 3) {
        P[3 * r + c] +=
            Gj[3 * r + k] * Si[symmetric[3 * k + c]] + Gi[3 * r + k] * Sj[symmetric[3 * k + c]];
        M[3 * r + c] += Gi[3 * k + r] * Gj[3 * k + c];
      }
    }
  lbLanes volume = lambda * (M[0] + M[4] + M[8]);
  LB_FOR (r, 0, 3)
    LB_FOR (c, 0, 3) P[3 * r + c] += mu * (M[3 * r + c] + M[3 * c + r]);
  LB_FOR (r, 0, 3) P[4 * r] += volume;
}

LB_INLINE void make_pairs(const lbHessianElement *e, int nodes, int points, const double *values,
                          int32_t i, int32_t j, double *forces, size_t force_stride) {
  lbLanes f[3 * LB_ELEMENT_NODES_MAX];
  size_t stride = (size_t)e->stride;
  for (int k = 0; k < 3 * nodes; k++) f[k] = lb_splat(0);
  for (int point = 0; point < points; point++) {
    lbLanes P[9];
    const double *g = e->gradients + 3 * nodes * point;
    pair_stress(values + (size_t)point * POINT_VALUES * stride, stride, i, j, e->lambda, e->mu,
                e->weights[point], P);
    for (int a = 0; a < nodes; a++)
      LB_FOR (r, 0, 3)
        f[3 * a + r] +=
            P[3 * r] * g[3 * a] + P[3 * r + 1] * g[3 * a + 1] + P[3 * r + 2] * g[3 * a + 2];
  }
  for (int k = 0; k < 3 * nodes; k++) lb_store(forces + (size_t)k * force_stride, f[k]);
}

LB_INLINE void add_row(size_t count, const double *from, double *to) {
  size_t p = 0;
  for (; p + LB_LANES <= count; p += LB_LANES)
    lb_store(to + p, lb_load(to + p) + lb_load(from + p));
  for (; p < count; p++) to[p] += from[p];
}

LB_INLINE void element_pairs(const lbHessianElement *e, int nodes, int points) {
  size_t pairs = lb_hessian_pair_count(e->mode_count, e->row_begin, e->row_end), row = 0;
  size_t stride = (size_t)e->stride, force_stride = pairs + LB_BATCH;
  double *values = e->work, *forces = values + (size_t)points * POINT_VALUES * stride;
  for (int point = 0; point < points; point++)
    make_point(e, nodes, e->gradients + 3 * nodes * point,
               values + (size_t)point * POINT_VALUES * stride);
  for (int32_t i = e->row_begin; i < e->row_end; i++) {
    for (int32_t j = i; j < e->mode_count; j += LB_LANES)
      make_pairs(e, nodes, points, values, i, j, forces + row + (size_t)(j - i), force_stride);
    row += (size_t)(e->mode_count - i);
  }
  for (int k = 0; k < 3 * nodes; k++)
    add_row(pairs, forces + (size_t)k * force_stride, e->sums[k / 3] + (size_t)(k % 3) * pairs);
}

static void add_hessian_pairs(const lbHessianElement *element) {
  if (element->kind == LB_ELEMENT_TET4)
    element_pairs(element, 4, 1);
  else
    element_pairs(element, 8, 8);
}

LB_KERNEL_TABLE(lbHessianKernels, lb_hessian_kernels) = { add_hessian_pairs };
