// What Gauss-Seidel over contacts spends its time with, at every SIMD level.
#ifndef LB_CONTACT_SOLVE_KERNELS_H
#define LB_CONTACT_SOLVE_KERNELS_H

#include "math/simd.h"

#define LB_CONTACT_PAIR 16 // contacts of two bodies that are solved together, at most

enum { LB_CONTACT_PAIR_SIZE = 3 * LB_CONTACT_PAIR + 4 }; // numbers of them, and what lanes reach

// Contacts of the same two bodies; numbers are three a contact, and zero up to the stride.
typedef struct lbContactPair {
  int32_t count;
  int32_t contacts[LB_CONTACT_PAIR];
  size_t stride; // of the rows of K: 3 count, a multiple of four
  double friction[LB_CONTACT_PAIR];
  double w[LB_CONTACT_PAIR_SIZE], x[LB_CONTACT_PAIR_SIZE]; // moves and forces, now
  double begun[LB_CONTACT_PAIR_SIZE];                      // forces when the pair was come to
  double K[3 * LB_CONTACT_PAIR * LB_CONTACT_PAIR_SIZE];    // (3 count x stride): w by x, symmetric
  // Three columns, a multiple of four each, of a contact's own block and of its inverse, which is
  // zero where there is none.
  double own[LB_CONTACT_PAIR][12], inverse[LB_CONTACT_PAIR][12];
} lbContactPair;

// What sweeps over a pair may leave.
typedef struct lbContactLeft {
  double force;   // smaller changes of forces are not made,
  double move;    // nor such that change a move by less;
  double enough;  // sweeps that change no move by more are the last
  int32_t rounds; // sweeps, at most
} lbContactLeft;

typedef struct lbContactKernels {
  // to (count) <- to + x[0] a + x[1] b + x[2] c, of three rows one after another: a, b, c (count)
  void (*add_rows)(int32_t count, const double *rows, const double x[3], double *to);
  // x, w <- forces that meet the conditions of solve.h, as far as `left` asks for it. force, move:
  // the most that the first sweep changes.
  void (*solve_pair)(lbContactPair *pair, const lbContactLeft *left, double *force, double *move);
} lbContactKernels;

// The level must be one that lb_simd_has.
const lbContactKernels *lb_contact_kernels(lbSimdLevel level);

#endif
