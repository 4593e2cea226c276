// What Gauss-Seidel over contacts spends its time with, at every SIMD level.
#ifndef LB_SOLVE_GAUSS_SEIDEL_KERNELS_H
#define LB_SOLVE_GAUSS_SEIDEL_KERNELS_H

#include "math/simd.h"

enum {
  LB_CONTACT_PAIR = 16,                          // contacts of two bodies that are solved together
  LB_CONTACT_PAIR_SIZE = 3 * LB_CONTACT_PAIR + 4 // numbers of them, and what lanes reach
};

// What is known of a contact while sweeps go on. Of both blocks there are three columns, a multiple
// of four each; an inverse that there is not is zero.
typedef struct lbContactOwn {
  double before[3], along[3];    // its force before a sweep, and the way that forces go on along
  double block[12], inverse[12]; // how it moves by its force alone
} lbContactOwn;

// Contacts of the same two bodies; numbers are three a contact, and zero up to the stride.
typedef struct lbContactPair {
  int32_t count;
  size_t stride;           // of the rows of K: 3 count, a multiple of four
  const double *K;         // (3 count x stride): w by x, symmetric
  const lbContactOwn *own; // (count)
  double friction[LB_CONTACT_PAIR];
  double w[LB_CONTACT_PAIR_SIZE], x[LB_CONTACT_PAIR_SIZE]; // moves and forces, now
} lbContactPair;

// What sweeps over a pair may leave.
typedef struct lbContactLeft {
  double force;     // smaller changes of forces are not made,
  double move;      // nor such that change a move by less;
  double tolerance; // m: sweeps that change no move by more are the last
  int32_t rounds;   // sweeps, at most
} lbContactLeft;

typedef struct lbContactKernels {
  // to (count) <- to + x[0] a + x[1] b + x[2] c, of three rows one after another: a, b, c (count)
  void (*add_rows)(int32_t count, const double *rows, const double x[3], double *to);
  // x goes on along `way` by `share` of it; the way <- that and what x has changed by since
  // `before`.
  void (*go_along)(size_t count, double share, const double *before, double *way, double *x);
  // As solve_pair, of a contact that pushes or overlaps and is the only one of its bodies; the last
  // of w is work.
  void (*solve_alone)(const lbContactOwn *own, double friction, const lbContactLeft *left,
                      double w[4], double x[3], double *force, double *move);
  // x, w <- forces that meet the conditions of solve.h, as far as `left` asks for it. force, move:
  // the most that the first sweep changes. `back`: the last contact is the first one.
  void (*solve_pair)(lbContactPair *pair, const lbContactLeft *left, bool back, double *force,
                     double *move);
} lbContactKernels;

// The level must be one that lb_simd_has.
const lbContactKernels *lb_contact_kernels(lbSimdLevel level);

#endif
