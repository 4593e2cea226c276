// Loops over the rows of a basis that belong to the nodes of a few elements: displacements of the
// nodes, reduced forces, reduced tangents. Lanes run along the reduced coordinates; sums have the
// same order at every SIMD level, so that levels without fused multiply-add give equal bits.
#ifndef LB_METHOD_CUBATURE_CUBATURE_KERNELS_H
#define LB_METHOD_CUBATURE_CUBATURE_KERNELS_H

#include "math/simd.h"

enum {
  LB_CUBATURE_NODES = 4,       // that are gone through at a time,
  LB_CUBATURE_NODES_ROUGH = 8, // for rough tangents
};

// Rows 3 i, 3 i + 1, 3 i + 2 are those of node i.
typedef struct lbCubatureRows {
  int32_t count, stride; // reduced coordinates, and that rounded up to a multiple of four
  int32_t node_count;    // a multiple of LB_CUBATURE_NODES; the last ones may be of no node
  const double *rows;    // (3 nodes x stride); zeros beyond `count`,
  const float *single;   // or the same as 32-bit numbers; NULL: as doubles
} lbCubatureRows;

// A symmetric matrix of 3 x 3 blocks over the nodes: of node i, entries begin[i] to begin[i + 1].
typedef struct lbCubaturePairs {
  const int32_t *begin;  // (nodes + 1)
  const int32_t *nodes;  // the other node, ascending
  const int32_t *blocks; // number of the block; ~b: the transpose of block b
} lbCubaturePairs;

typedef struct lbCubatureKernels {
  // u (3 nodes) <- U q, for one or two vectors q (stride, with zeros beyond `count`), which lie one
  // after another, as do the results.
  void (*displace)(const lbCubatureRows *rows, int32_t vectors, const double *q, double *u);
  // R (stride) <- U^T f, for one or two vectors.
  void (*collect)(const lbCubatureRows *rows, int32_t vectors, const double *f, double *R);
  // K (stride x stride) <- U^T B U, exactly symmetric, B by its blocks (9 doubles each, row-major).
  // `work` has lb_cubature_project_work doubles.
  void (*project)(const lbCubatureRows *rows, const lbCubaturePairs *pairs, const double *blocks,
                  double *K, double *work);
  // The same, summed as 32-bit numbers: off by about 1e-6 of its largest entries, for factors that
  // iterations are led by.
  void (*project_rough)(const lbCubatureRows *rows, const lbCubaturePairs *pairs,
                        const double *blocks, double *K, double *work);
} lbCubatureKernels;

static inline size_t lb_cubature_project_work(size_t stride) {
  size_t wide = (stride + 7) / 8 * 8, rough = 6 * LB_CUBATURE_NODES_ROUGH + wide;
  size_t exact = 6 * LB_CUBATURE_NODES * stride, single = 3 * stride + rough * wide / 2;
  return exact > single ? exact : single;
}

// The level must be one that lb_simd_has.
const lbCubatureKernels *lb_cubature_kernels(lbSimdLevel level);

#endif
