// Vertices of a surface placed in the world, eight side by side.
#ifndef LB_BODY_WORLD_SURFACE_KERNELS_H
#define LB_BODY_WORLD_SURFACE_KERNELS_H

#include "limber/math.h"
#include "math/simd.h"

typedef struct lbPlacing { // own x to the world: turn x + position, and velocities
  double turn[9];
  double position[3];
  double velocity[3], spin[3], centre[3]; // m/s, 1/s; about `centre`, world; zeros where it is held
  double mean[3];                         // m/s
} lbPlacing;

typedef struct lbPlacedKernels {
  // Eight vertices: places and velocities (3 x 8), world, of rows (dimension x 3 x 8), rest places
  // (3 x 8), coordinates and rates (dimension). Returns the greatest square of a speed against
  // `mean`.
  double (*place)(int32_t dimension, const double *rows, const double *rest, const double *q,
                  const double *rates, const lbPlacing *placing, double *places,
                  double *velocities);
  // to (count x 3) <- turnᵀ (x - origin) of places (count, rounded up to eights, x 3 x 8)
  void (*turn)(int32_t count, const double *places, const double turn[9], const double origin[3],
               double *to);
  // The greatest along . x of places (count x 3 x 8).
  double (*extent)(int32_t count, const double *places, const double along[3]);
} lbPlacedKernels;

// The level must be one that lb_simd_has.
const lbPlacedKernels *lb_placed_kernels(lbSimdLevel level);

#endif
