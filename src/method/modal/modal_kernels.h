// The loops of modal bodies over modes and instances, at every SIMD level. At one level the same
// numbers give the same bits whatever the count or the layout.
#ifndef LB_METHOD_MODAL_MODAL_KERNELS_H
#define LB_METHOD_MODAL_MODAL_KERNELS_H

#include "method/modal/oscillator.h"
#include "math/simd.h"

// Instances of one model are advanced in blocks of this many: z[mode][LB_INSTANCE_BLOCK].
enum { LB_INSTANCE_BLOCK = 64 };

typedef struct lbModalKernels {
  // One body, one step: z, v (in and out) and g (modal forces; NULL: none) over modes, each with
  // room up to a multiple of LB_BATCH; what is in the padding of z and v becomes zero when it, and
  // that of g, is finite.
  void (*advance_modes)(const lbOscillators *o, double *z, double *v, const double *g);
  // A block of instances, one step: z, v, g (NULL: none) of shape [o->count][LB_INSTANCE_BLOCK].
  // Each instance gets the bits that advance_modes gives.
  void (*advance_instances)(const lbOscillators *o, double *z, double *v, const double *g);
} lbModalKernels;

// The level must be one that lb_simd_has.
const lbModalKernels *lb_modal_kernels(lbSimdLevel level);

#endif
