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

typedef struct lbSweeping {  // how far places go from where they are, seen from other axes
  double turn[9], origin[3]; // own x to the world: turn x + origin
  double velocity[3];        // m/s, world: the axes move with
  double ahead;              // s: with the velocities that places have there
  double alone,
      stop_distance; // s, m: and with those in the world, by so much along an axis at most
  double aside;      // of the way ahead: to all sides,
  double grow;       // m: and by this
} lbSweeping;

typedef struct lbPlacedKernels {
  // Eight vertices: places and velocities (3 x 8), world, of rows (dimension x 3 x 8), rest places
  // (3 x 8), coordinates and rates (dimension). Returns the greatest square of a speed against
  // `mean`.
  double (*place)(int32_t dimension, const double *rows, const double *rest, const double *q,
                  const double *rates, const lbPlacing *placing, double *places,
                  double *velocities);
  // Of places and their velocities (count, rounded up to eights, x 3 x 8): to (count x 3) <-
  // turnᵀ (x - origin), lows and highs (count x 3) of boxes around each and where it goes.
  void (*sweep)(int32_t count, const double *places, const double *rates,
                const lbSweeping *sweeping, double *to, double *lows, double *highs);
  // The greatest along . x of places (count x 3 x 8).
  double (*extent)(int32_t count, const double *places, const double along[3]);
} lbPlacedKernels;

// The level must be one that lb_simd_has.
const lbPlacedKernels *lb_placed_kernels(lbSimdLevel level);

#endif
