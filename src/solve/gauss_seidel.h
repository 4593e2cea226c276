// Contacts with Coulomb friction between any number of bodies, as one problem.
//
// A contact has a normal and two tangents and a force x along them, on its first body; the second,
// if there is one, has the opposite. With D_b how the places of body b move by forces at them (its
// own inverse matrix, seen from its contacts) and c the contact's own compliance, contacts end with
//
//   w = free + Σ_bodies D x + c x:   w_n >= 0,  x_n >= 0,  w_n x_n = 0,
//   |x_t| <= μ x_n,  and where w_t is not zero, x_t has that length and points against it.
//
// Gauss-Seidel over pairs of bodies, whose contacts are solved together (solve_pair.h), each with
// its own 3 x 3 block: sticking where the cone allows it, otherwise sliding or parting. It needs no
// factorisation, can be stopped after any sweep with forces that only push and keep to their cones,
// and starts from forces that were right a step ago. Sweeps go to and fro, so that forces run
// through a pile both ways. What forces do to the places of a body is kept up to date, by three
// columns of its matrix where a force changes: contacts that part cost nothing, and those that have
// settled next to nothing. Contacts of a pair must follow each other; where they do not, they are
// solved in as many parts.
// Between sweeps forces go on along conjugate directions, as those of a nonlinear problem do
// (Silcowitz-Hansen, Niebles & Erleben 2010), which piles need: a sweep passes a force on to the
// next body alone. What that does to places is known from the sweep, so it costs a copy.
// Moves of a place (m, or m/s) and forces (N, or N s) may be in any units that fit each other.
#ifndef LB_SOLVE_GAUSS_SEIDEL_H
#define LB_SOLVE_GAUSS_SEIDEL_H

#include "math/simd.h"

typedef struct lbContactSide { // of a contact
  int32_t body;                // -1: what does not give way
  int32_t place;               // its number among the body's contacts
} lbContactSide;

typedef struct lbContactPart { // of a body
  int32_t count;               // contacts
  double *matrix;              // (3 count x 3 count), symmetric
  double *moves; // (3 count; 9 count where it is solved for): what the forces do to its places;
                 // work. Of its places, 0 belongs to a contact
} lbContactPart;

#define LB_CONTACT_WORK 30   // numbers of work, a contact
#define LB_CONTACT_INTS 3    // of them that are integers beside these
#define LB_CONTACT_BLOCK 156 // numbers of the blocks of pairs, a contact at most

typedef struct lbContactMemory { // work of a problem
  double *numbers;               // (contacts x LB_CONTACT_WORK)
  int32_t *integers;             // (contacts x LB_CONTACT_INTS)
  double *blocks;                // (block_room): of pairs; those that find no room are made anew in
  size_t block_room;             // each sweep
} lbContactMemory;

typedef struct lbContactProblem {
  int32_t contact_count, part_count;
  const lbContactSide *sides; // (contacts x 2)
  const double *free;         // (contacts x 3): normal, two tangents
  const double *friction;     // (contacts) μ >= 0
  const double *compliance;   // (contacts x 3) >= 0: what a force adds to its own w; NULL: none
  lbContactPart *parts;       // (part_count)
  int32_t sweeps_most;        // at least 1
  double tolerance;           // of the change of a force in a sweep, of the largest; 0: none
  const int32_t *list;        // (contact_count) numbers of the contacts that there are; NULL: all
  lbContactMemory memory;     // for lb_contact_solve
  double enough;              // of w: a sweep that changes no w by more is the last; 0: none
  lbSimdLevel level;          // one that lb_simd_has
} lbContactProblem;

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
