// What both ways of choosing components share; see selection.h.
#include "reduce/selection.h"

#include <math.h>
#include <stdio.h>

lbStatus lb_choice_create(int32_t limit, lbChoice **out, lbError *err) {
  lbChoice *choice = lb_alloc(1, sizeof *choice);
  if (!choice) return lb_fail_memory(err);
  choice->list = lb_alloc((size_t)limit, sizeof *choice->list);
  choice->weights = lb_alloc((size_t)limit, sizeof *choice->weights);
  choice->error = 1;
  if (!choice->list || !choice->weights) {
    lb_choice_destroy(choice);
    return lb_fail_memory(err);
  }
  *out = choice;
  return LB_OK;
}

void lb_choice_destroy(lbChoice *choice) {
  if (!choice) return;
  lb_free(choice->list);
  lb_free(choice->weights);
  lb_free(choice);
}

void lb_choice_keep_best(lbChoice *choice, double goal, const lbFit *fit) {
  int32_t positive = 0;
  for (int32_t k = 0; k < fit->count; k++) positive += fit->weights[k] > 0;
  bool both = choice->count > 0 && fit->error <= goal && choice->error <= goal;
  bool better = both ? positive < choice->count : fit->error < choice->error;
  if (choice->count > 0 && !better) return;
  choice->count = 0;
  choice->error = fit->error;
  for (int32_t k = 0; k < fit->count; k++) {
    if (!(fit->weights[k] > 0)) continue;
    choice->list[choice->count] = fit->list[k];
    choice->weights[choice->count++] = fit->weights[k];
  }
}

// The stage's name goes to the comma; what follows says what is there to keep.
bool lb_choice_progress(lbChoice *choice, double goal, double share) {
  char stage[80] = "cubature";
  if (choice->count > 0)
    snprintf(stage, sizeof stage, "cubature, %d elements, error %.3g %%", (int)choice->count,
             100 * choice->error);
  if (goal > 0 && goal < 1 && choice->error > 0)
    share = fmax(share, log(choice->error) / log(goal));
  if (lb_progress(stage, fmin(share, 1))) return true;
  choice->interrupted = true;
  return false;
}

int32_t lb_draw_candidates(lbRandom *random, int32_t component_count, int32_t *pool,
                           const bool *taken, int32_t count, int32_t *candidates) {
  int32_t found = 0;
  for (int32_t k = 0; k < component_count && found < count; k++) {
    int32_t other = k + lb_random_below(random, component_count - k), swap = pool[k];
    pool[k] = pool[other];
    pool[other] = swap;
    if (!taken[pool[k]]) candidates[found++] = pool[k];
  }
  return found;
}
