// The exact step of damped oscillators: for each mode, z'' + c z' + lambda z = g with
// c = damping_mass + damping_stiffness lambda and the force g held over the step of length h:
//
//   z <- zz z + zv v + zg g
//   v <- vz z + vv v + zv g        (v = z'; the impulse's effect on z is the force's effect on v)
//
// at any damping and any h. An impulse is added to v at the step's start.
#ifndef LB_METHOD_MODAL_OSCILLATOR_H
#define LB_METHOD_MODAL_OSCILLATOR_H

#include "limber/base.h"

// Coefficients of one step. Arrays hold `count` values, padded with zeros to a multiple of
// LB_BATCH, and are 64-byte aligned.
typedef struct lbOscillators {
  int32_t count;
  double h;
  double *zz, *zv, *zg, *vz, *vv;
  double *decay; // c
  uint8_t *slow; // 1 where |Im omega| h < pi: only these modes may take part in a constraint of
                 // positions by impulses (zv is negative or zero for the others)
} lbOscillators;

// Bytes of a block that holds the arrays of `count` oscillators, and the arrays laid out in such a
// block (64-byte aligned, the caller's; lb_oscillators_set fills it).
size_t lb_oscillators_bytes(int32_t count);
lbOscillators lb_oscillators_place(int32_t count, void *block);

// Eigenvalues and dampings >= 0, h > 0; count and arrays are those of *o.
void lb_oscillators_set(lbOscillators *o, const double *eigenvalues, double damping_mass,
                        double damping_stiffness, double h);

#endif
