// What the accuracy figures in a model say about its use.
#include "limber/model.h"

#include <stdio.h>

// Beyond these, relative to the amplitude, a motion is no longer the body's (docs/accuracy.md).
static const struct {
  int32_t column; // of accuracy_values
  double limit;
  const char *what;
} limits[] = { { 2, 0.20, "is off by %.3g %% of its amplitude, in the mean over mass and time" },
               { 3, 0.50, "has a node that is off by %.3g %% of its amplitude" },
               { 4, 0.20, "is off by %.3g %% in frequency" },
               { 5, 0.50, "has peaks that are off by %.3g %% of its amplitude" } };

bool lb_model_accuracy_warning(const lbModel *model, char *text, size_t bytes) {
  double worst = 1;
  int32_t at = -1;
  size_t kind = 0;
  for (int32_t i = 0; i < model->size.accuracy_count; i++)
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
      double over =
          model->accuracy_values[6 * (size_t)i + (size_t)limits[k].column] / limits[k].limit;
      if (over > worst) worst = over, at = i, kind = k;
    }
  if (bytes) text[0] = 0;
  if (at < 0) return false;
  char off[96];
  snprintf(off, sizeof off, limits[kind].what, 100 * worst * limits[kind].limit);
  bool linear = model->size.subspace_dimension == 0;
  snprintf(text, bytes, "compared with the full simulator, \"%.40s\" %s (limit %g %%); %s",
           lb_model_text(model->accuracy_motions, at), off, 100 * limits[kind].limit,
           linear ? "use the method subspace, more modes, or smaller motions"
                  : "use a larger dimension, more modes, another basis, or smaller motions");
  return true;
}
