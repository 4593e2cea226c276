// Evaluating the forces of method/subspace/cubic.h for several bodies of one model at once, a body
// in each lane, so that coefficients are read once for all of them. Bit for bit what
// lbCubicKernels.evaluate gives each body alone at the same SIMD level; a lane's result does not
// depend on the others, whatever they hold.
//
// Numbers of LB_BATCH (8) bodies lie side by side: number x of body m is at [8 x + m]. A larger
// crowd is a row of such blocks.
#ifndef LB_METHOD_SUBSPACE_CUBIC_LANES_H
#define LB_METHOD_SUBSPACE_CUBIC_LANES_H

#include "method/subspace/cubic.h"

// Of up to LB_CUBIC_WHOLE modes: beyond that bodies together gain nothing.
// `count` in [1, 8]: bodies that are there. Lanes beyond it may be worked on too (up to a whole
// vector), so what is read there must be initialised.
typedef struct lbCubicCrowdKernels {
  // q, force (r x 8); energy (8). stiffness (r (r + 1) / 2 x 8): entry (i, j), i >= j, at
  // i (i + 1) / 2 + j, that is lb_packed2(j, i): what lbLdltCrowdKernels.factor reads.
  // work: lb_cubic_crowd_work_size doubles; nothing in it is kept from call to call.
  void (*evaluate)(const lbCubic *cubic, int32_t count, const double *q, double *force,
                   double *stiffness, double *energy, double *work);
} lbCubicCrowdKernels;

size_t lb_cubic_crowd_work_size(int32_t r); // doubles

// The level must be one that lb_simd_has.
const lbCubicCrowdKernels *lb_cubic_crowd_kernels(lbSimdLevel level);

#endif
