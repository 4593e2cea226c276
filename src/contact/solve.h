// Contacts with Coulomb friction between any number of bodies, as one problem.
//
// A contact has a normal and two tangents and a force x along them, on its first body; the second,
// if there is one, has the opposite. With D_b how the places of body b move by forces at them (its
// own inverse matrix, seen from its contacts), contacts end with
//
//   w = free + Σ_bodies D x:   w_n >= 0,  x_n >= 0,  w_n x_n = 0,
//   |x_t| <= μ x_n,  and where w_t is not zero, x_t has that length and points against it.
//
// Gauss-Seidel over contacts, each solved with its own 3 x 3 block: sticking where the cone allows
// it, otherwise sliding or parting. It needs no factorisation, can be stopped after any sweep with
// forces that only push and keep to their cones, and starts from forces that were right a step ago.
// Moves of a place (m, or m/s) and forces (N, or N s) may be in any units that fit each other.
#ifndef LB_CONTACT_SOLVE_H
#define LB_CONTACT_SOLVE_H

#include "limber/base.h"

typedef struct lbContactSide { // of a contact
  int32_t body;                // -1: what does not give way
  int32_t place;               // its number among the body's contacts
} lbContactSide;

typedef struct lbContactPart { // of a body
  int32_t count;               // contacts
  double *matrix;              // (3 count x 3 count), symmetric
  double *forces;              // (3 count): on this body; work
} lbContactPart;

typedef struct lbContactProblem {
  int32_t contact_count, part_count;
  const lbContactSide *sides; // (contacts x 2)
  const double *free;         // (contacts x 3): normal, two tangents
  const double *friction;     // (contacts) μ >= 0
  lbContactPart *parts;       // (part_count)
  int32_t sweeps_most;        // at least 1
  double tolerance;           // of the change of a force in a sweep, of the largest; 0: none
  const int32_t *list;        // (contact_count) numbers of the contacts that there are; NULL: all
} lbContactProblem;

// x (contacts x 3): where it starts (zeros will do) and the result. Returns the sweeps that it
// took.
int32_t lb_contact_solve(const lbContactProblem *problem, double *x);
// by <- Σ_bodies D x of one contact: what forces x do to it.
void lb_contact_move(const lbContactProblem *problem, const double *x, int32_t contact,
                     double by[3]);
// How far x is from a solution: the largest w_n < 0, |w_n x_n| / largest force, and what friction
// lacks, all in the unit of w. For tests and reports.
double lb_contact_residual(const lbContactProblem *problem, const double *x);

#endif
