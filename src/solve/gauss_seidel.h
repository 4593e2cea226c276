// Rows of an island as one problem: contacts with Coulomb friction, rolling friction, and bounded
// rows (motors, limits) between any number of bodies. Rows come in blocks of three. A block has a
// force x on its first body and the opposite on its second, if it has one. With W_b the compliance
// of body b between its blocks and c the compliance of the block itself,
//
//   w = free + Σ_bodies W x + c x.
//
// A contact has a normal and two tangents. It ends with
//
//   w_n >= 0,  x_n >= 0,  w_n x_n = 0,
//   |x_t| <= μ x_n, and where w_t is not zero, x_t has that length and opposes it.
//
// Rolling friction between two bodies has a block with three torques x and relative rotations w.
// Their contacts bound it: with the most m = Σ radius x_n over these it ends with
//
//   |x| <= m, and where w is not zero, x has that length and opposes it.
//
// A bounded row ends with low <= x <= high, and w = 0 inside its bounds, w >= 0 at the low one,
// w <= 0 at the high one.
//
// The solver is Gauss-Seidel over pairs of bodies, whose contacts are solved together
// (gauss_seidel_pair.h). It needs no factorisation, can be stopped after any sweep with forces that
// obey their bounds and cones, and starts from the forces of the last step. Sweeps alternate their
// direction, so that forces run through a pile both ways. The displacements W x of each body are
// kept up to date by three columns of W where a force changes: blocks without a force cost nothing.
// Between sweeps forces move along conjugate directions (Silcowitz-Hansen, Niebles & Erleben 2010),
// since a sweep passes a force on to neighbouring bodies only; the displacements by that are known
// from the sweep. Contacts of a pair must follow each other in the list; where they do not, they
// are solved as several pairs. Units of w (m or m/s) and x (N or N s) must belong to each other.
#ifndef LB_SOLVE_GAUSS_SEIDEL_H
#define LB_SOLVE_GAUSS_SEIDEL_H

#include "math/simd.h"

typedef struct lbContactSide { // of a contact
  int32_t body;                // -1: no body moves
  int32_t place;               // its number among the body's contacts
} lbContactSide;

typedef struct lbContactPart { // of a body
  int32_t count;               // contacts
  double *matrix;              // (3 count x 3 count), symmetric
  double *moves; // (3 count; 9 count where it is solved for): what the forces do to its places;
                 // work. Of its places, 0 belongs to a contact
} lbContactPart;

enum {
  LB_CONTACT_WORK = 30,  // numbers of work, a contact
  LB_CONTACT_INTS = 3,   // of them that are integers beside these
  LB_CONTACT_BLOCK = 156 // numbers of the blocks of pairs, a contact at most
};

typedef struct lbContactMemory { // work of a problem
  double *numbers;               // (contacts x LB_CONTACT_WORK)
  int32_t *integers;             // (contacts x LB_CONTACT_INTS)
  double *blocks;                // (block_room): of pairs; those that find no room are made anew in
  size_t block_room;             // each sweep
} lbContactMemory;

typedef struct lbRollingBlock { // what bounds the torques of a block
  int32_t first, count;         // contacts
  double radius;                // m >= 0: the greatest torque by normal force
} lbRollingBlock;

typedef struct lbContactProblem {
  int32_t contact_count, part_count;
  const lbContactSide *sides;    // (contacts x 2)
  const double *free;            // (contacts x 3): normal, two tangents
  const double *friction;        // (contacts) μ >= 0
  const double *compliance;      // (contacts x 3) >= 0: what a force adds to its own w; NULL: none
  int32_t rolling_begin;         // blocks from this number on, up to bounded_begin, are torques of
  const lbRollingBlock *rolling; // (blocks from rolling_begin on) rolling friction; NULL: there is
                                 // none. They come after their contacts in the list
  int32_t bounded_begin;         // blocks from this number on are bounded rows, with
  const double *low, *high;      // (blocks from bounded_begin on x 3); NULL: there are none
  lbContactPart *parts;          // (part_count)
  int32_t sweeps_most;           // at least 1
  double tolerance;              // of the change of a force in a sweep, of the largest; 0: none
  const int32_t *list;    // (contact_count) numbers of the contacts that there are; NULL: all
  lbContactMemory memory; // for lb_contact_solve
  double move_tolerance;  // m, of w: a sweep that changes no w by more is the last; 0: none
  lbSimdLevel level;      // one that lb_simd_has
} lbContactProblem;

// Whether a block has bounded rows, or torques of rolling friction; otherwise it is a contact.
static inline bool lb_block_is_bounded(const lbContactProblem *problem, int32_t block) {
  return problem->low && block >= problem->bounded_begin;
}
static inline bool lb_block_is_rolling(const lbContactProblem *problem, int32_t block) {
  return problem->rolling && block >= problem->rolling_begin && block < problem->bounded_begin;
}
static inline bool lb_block_is_contact(const lbContactProblem *problem, int32_t block) {
  return !lb_block_is_bounded(problem, block) && !lb_block_is_rolling(problem, block);
}
// The greatest torque of a block of rolling friction by forces x.
static inline double lb_rolling_most(const lbContactProblem *problem, int32_t block,
                                     const double *x) {
  const lbRollingBlock *of = &problem->rolling[block - problem->rolling_begin];
  double sum = 0;
  for (int32_t c = of->first; c < of->first + of->count; c++) sum += x[3 * (size_t)c];
  return of->radius * sum;
}
static inline double lb_row_clamp(const lbContactProblem *problem, int32_t block, int k, double x) {
  size_t row = 3 * (size_t)(block - problem->bounded_begin) + (size_t)k;
  double low = problem->low[row], high = problem->high[row];
  return x < low ? low : x > high ? high : x;
}

// x (contacts x 3): where it starts (zeros will do) and the result. Returns the sweeps that it
// took. Problems without a body in common can be solved at the same time.
int32_t lb_contact_solve(const lbContactProblem *problem, double *x);
// The parts' moves <- what forces x do; then of one contact, by <- Σ_bodies D x.
void lb_contact_moves(const lbContactProblem *problem, const double *x);
void lb_contact_move(const lbContactProblem *problem, int32_t contact, double by[3]);
// How far x is from a solution: the largest w_n < 0, |w_n x_n| / largest force, and what friction
// lacks, all in the unit of w.
double lb_contact_residual(const lbContactProblem *problem, const double *x);
// How far places get through each other where no force acts, at most; in the unit of w.
double lb_contact_deepest(const lbContactProblem *problem);

#endif
