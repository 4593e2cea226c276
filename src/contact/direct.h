// The problem of solve.h with all contacts that push solved for at once.
//
// Of each contact it is known, or guessed, whether it parts, sticks or slides. Normal forces of
// those that push, and tangents of those that stick, are found by one factorisation of the matrix
// of them all, which has the profile of who touches whom; friction of those that slide follows
// their normal forces, in a few solutions with the same factors. What the forces and moves then say
// about each contact is the next guess. From the forces of the last step it takes one or two of
// them, where Gauss-Seidel takes tens of sweeps: forces pass through a whole pile at once.
//
// More contacts than a face needs leave open which of them push how hard. Each contact therefore
// gives way by itself, by a little of what the bodies do there, for forces other than those that it
// starts from: of all that do the same, the nearest to these is taken.
#ifndef LB_CONTACT_DIRECT_H
#define LB_CONTACT_DIRECT_H

#include "contact/solve.h"

#define LB_DIRECT_CONTACTS 128 // at most

// x (contacts x 3): forces that may be near (zeros will do), and the result, which pushes and keeps
// to its cones. `work` has lb_direct_room numbers. False: there are too many contacts and nothing
// was done, or guesses did not come to an end.
size_t lb_direct_room(int32_t contact_count);
bool lb_direct_solve(const lbContactProblem *problem, double *work, double *x);

#endif
