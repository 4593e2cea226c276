// One contact of solve.h: the force that meets its conditions while all others stay as they are.
#ifndef LB_CONTACT_SOLVE_ONE_H
#define LB_CONTACT_SOLVE_ONE_H

#include "limber/base.h"

typedef struct lbContactBlock {
  double own[3][3];     // how its own force moves it
  double inverse[3][3]; // of that
  bool has_inverse;
} lbContactBlock;

// block->inverse <- of block->own.
void lb_contact_block_invert(lbContactBlock *block);
// x <- the force of a contact at the moves w that it has with x; to `little` of its moves, where it
// slides. Returns the most that its own move changes by.
double lb_contact_solve_one(const lbContactBlock *block, double friction, double little,
                            const double w[3], double x[3]);

#endif
