// Contacts of the same two bodies, solved together: a part of solve.h.
//
// They are near each other as a rule, so that each force moves all of their places nearly alike,
// and one contact after the other would take tens of sweeps over all bodies to find out which of
// them carries what. With the block of a pair at hand sweeps over the pair alone find that out, and
// moves of its bodies are brought up to date once.
#ifndef LB_SOLVE_GAUSS_SEIDEL_PAIR_H
#define LB_SOLVE_GAUSS_SEIDEL_PAIR_H

#include "solve/gauss_seidel.h"
#include "solve/gauss_seidel_kernels.h"

// Of the tolerance: a smaller change of a force is not worth its columns. Doubled, sweeps are
// cheaper and more of them follow.
#define LB_CONTACT_UNCHANGED 0.1

// How much a sweep has changed.
typedef struct lbContactChange {
  double force, move; // the most that a force, and a move, was off by where a pair was come to
  double largest;     // of the forces
} lbContactChange;

// A run of contacts between the same two bodies, of the list of a problem.
typedef struct lbContactRun {
  int32_t first, count;
  int32_t block; // where its own is among those of the memory; -1: there was no room
} lbContactRun;

// What is known of contacts: own (of the whole list) and, where there is room, the block of a run.
// used: numbers of the memory's blocks; it grows.
void lb_contact_prepare_run(const lbContactProblem *problem, lbContactRun *run, size_t *used,
                            lbContactOwn *own);
// Forces of a run, again; moves of the bodies follow. Changes of a force below `least` are left.
// `back`: from the last of its contacts.
void lb_contact_solve_run(const lbContactProblem *problem, const lbContactRun *run,
                          const lbContactOwn *own, bool back, double least, double *x,
                          lbContactChange *most);

// solve.c, for it: the number of a contact; w at the moves of the parts; what a change of a force
// does to the moves.
static inline int32_t lb_contact_number(const lbContactProblem *problem, int32_t index) {
  return problem->list ? problem->list[index] : index;
}
void lb_contact_find_w(const lbContactProblem *problem, int32_t contact, const double *x,
                       double w[3]);
void lb_contact_change(const lbContactProblem *problem, int32_t contact, const double by[3]);

#endif
