// The problem of solve.h solved exactly, for small sets of contacts.
//
// Without friction it is a linear complementarity problem,  w = A x + b,  w, x >= 0,  w'x = 0,  and
// is solved by Baraff's pivoting (Fast Contact Force Computation for Nonpenetrating Rigid Bodies,
// 1994; Dantzig's algorithm): contact after contact is driven to w = 0 by its own force, while
// those before it keep to their conditions; where one would stop doing so it changes sides. With
// friction that is where a second stage begins: each contact parts, sticks or slides, and Newton's
// method finds the forces of such a choice, directions of sliding included, and the next choice
// (Alart & Curnier 1991). It ends after a few choices, exactly but for rounding. Where choices
// repeat themselves, which friction may do to any pivoting, Gauss-Seidel finds another one to start
// from.
#ifndef LB_SOLVE_ACTIVE_SET_H
#define LB_SOLVE_ACTIVE_SET_H

#include "solve/gauss_seidel.h"

enum { LB_LCP_CONTACTS = 64 }; // contacts, at most: time grows with the cube of their number

// x (blocks x 3): forces that may be near (zeros will do), and the result. `tolerance`: how far off
// forces may be, of the largest; 0: by rounding. `restarts`: how often Newton's method may start
// again from the result of sweeps. `work` has lb_lcp_room numbers. False: there are too many blocks
// and nothing was done, or the best that was found is farther off; it obeys bounds and cones all
// the same.
size_t lb_lcp_room(int32_t contact_count);
bool lb_lcp_solve(const lbContactProblem *problem, double tolerance, int32_t restarts, double *work,
                  double *x);

#endif
