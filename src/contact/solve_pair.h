// Contacts of the same two bodies, solved together: a part of solve.h.
//
// They are near each other as a rule, so that each force moves all of their places nearly alike,
// and one contact after the other would take tens of sweeps over all bodies to find out which of
// them carries what. With the block of a pair at hand sweeps over the pair alone find that out, and
// moves of its bodies are brought up to date once.
#ifndef LB_CONTACT_SOLVE_PAIR_H
#define LB_CONTACT_SOLVE_PAIR_H

#include "contact/solve.h"
#include "contact/solve_kernels.h"

// How much a sweep has changed.
typedef struct lbContactChange {
  double force, move; // the most that a force, and a move, was off by where a pair was come to
  double largest;     // of the forces
} lbContactChange;

// Forces of `count` contacts between the same two bodies, again; moves of the bodies follow.
// Changes of a force below `least` are left.
void lb_contact_solve_pair(const lbContactProblem *problem, int32_t count, const int32_t *contacts,
                           double least, double *x, lbContactChange *most);

// Columns of a contact's own block and of its inverse, as lbContactPair has them.
void lb_contact_find_blocks(const lbContactProblem *problem, int32_t contact, double own[12],
                            double inverse[12]);

// solve.c, for it: w of a contact at the moves of the parts; blocks that were found before; what a
// change of its force does to the moves.
void lb_contact_find_w(const lbContactProblem *problem, int32_t contact, double w[3]);
void lb_contact_take_blocks(const lbContactProblem *problem, int32_t contact, double own[12],
                            double inverse[12]);
void lb_contact_change(const lbContactProblem *problem, int32_t contact, const double by[3]);

#endif
