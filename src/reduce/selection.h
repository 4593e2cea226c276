// Choosing components and weights: min |A w − b| with w >= 0 and few that are not zero. NN-HTP
// (nnhtp.c) and greedy cubature (greedy.c) solve the same problem and measure the same error.
#ifndef LB_REDUCE_SELECTION_H
#define LB_REDUCE_SELECTION_H

#include "reduce/cubature_fit.h"
#include "reduce/random.h"

typedef struct lbSelectionDef {
  const lbColumns *columns;
  const double *b; // (rows) scaled forces: one unit vector a pose
  int32_t limit;   // components at most, 1 to all
  double goal;     // stop at this error; 0: none
  uint64_t seed;
} lbSelectionDef;

typedef struct lbChoice {
  int32_t count;
  int32_t *list;   // (limit) components
  double *weights; // (limit) > 0
  double error;
  int32_t iterations;
  int64_t columns_made; // also those that only products were made of
  bool interrupted;     // the progress hook asked to stop: the best so far
} lbChoice;

lbStatus lb_choice_create(int32_t limit, lbChoice **out, lbError *err); // empty, error 1
void lb_choice_destroy(lbChoice *choice);                               // NULL is legal
// Takes over what a fit has if its error is lower, or if both reach the goal (0: none) and it has
// fewer components.
void lb_choice_keep_best(lbChoice *choice, double goal, const lbFit *fit);
// Reports progress; false: stop, and keep the present choice.
bool lb_choice_progress(lbChoice *choice, double goal, double share);

// Random components that are not `taken`, each once, `count` or as many as there are; returns how
// many. `pool` (components) holds all indices and is shuffled.
int32_t lb_draw_candidates(lbRandom *random, int32_t component_count, int32_t *pool,
                           const bool *taken, int32_t count, int32_t *candidates);

// Non-negative hard thresholding pursuit with random candidates (nnhtp.c). Plain: algorithm 1 of
// von Tycowicz et al. 2013 to the letter. With a goal the other one begins with as many components
// as there are unknowns, adds more until the goal is reached, and then looks for fewer that reach
// it.
lbStatus lb_nnhtp(const lbSelectionDef *def, bool plain, lbChoice **out, lbError *err);
// Greedy cubature (An, Kim & James 2008): the candidate whose force is most like the residual, one
// at a time, of 100. Fast: residuals and weights over ten random poses at a time, over all in the
// end.
lbStatus lb_greedy(const lbSelectionDef *def, bool fast, lbChoice **out, lbError *err);

#endif
