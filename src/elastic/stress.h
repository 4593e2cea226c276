// Von Mises stress of elements, in batches of LB_BATCH elements of one kind, computed from rest
// positions and displacements; no state is kept between calls. A tet has one point, a brick its
// 2x2x2 Gauss points, point p next to corner p.
//
// With H = ∂u/∂X and F = I + H: the linear law: σ = λ tr(ε) I + 2μ ε, ε = sym H; others: the Cauchy
// stress σ = P Fᵀ / |det F|, P = ∂W/∂F.
#ifndef LB_ELASTIC_STRESS_H
#define LB_ELASTIC_STRESS_H

#include "limber/element.h"
#include "limber/material.h"
#include "math/simd.h"

// LB_BATCH is the fastest index of every array.
typedef struct lbStressBatch {
  const double *positions;     // (nodes x 3 x LB_BATCH) at rest, m
  const double *displacements; // (nodes x 3 x LB_BATCH) m
  const double *parameters;    // (LB_MATERIAL_PARAMETERS x LB_BATCH)
  double *stresses;            // (points x LB_BATCH) Pa, written; may be infinite or NaN
  double *volumes; // (points x LB_BATCH) m³ at rest, written; 0 where the element is none
} lbStressBatch;

typedef void lbStressKernel(const lbStressBatch *batch);
typedef struct lbStressKernels {
  lbStressKernel *of[LB_ELEMENT_KIND_COUNT][LB_MATERIAL_MODEL_COUNT];
} lbStressKernels;

// The level must be one that lb_simd_has.
const lbStressKernels *lb_stress_kernels(lbSimdLevel level);

#endif
