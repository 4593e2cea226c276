// limber/accuracy.h: how far a reduced model is from the full simulator, on motions that its basis
// was not made from.
//
// Nothing here is used while a basis is made, so the figures judge it from outside. What is
// measured and how: docs/accuracy.md.
#ifndef LIMBER_ACCURACY_H
#define LIMBER_ACCURACY_H

#include "limber/fem.h"
#include "limber/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lbAccuracyKind {
  LB_ACCURACY_QUICK, // a load that comes at once (an equilibrium for large bodies), small loads,
                     // and shaken supports where there is time
  LB_ACCURACY_FULL,  // all motions, two periods each
  LB_ACCURACY_NONE,
  LB_ACCURACY_KIND_COUNT
} lbAccuracyKind;

const char *lb_accuracy_kind_name(lbAccuracyKind kind); // "quick", "full", "none"
bool lb_accuracy_kind_parse(const char *name, lbAccuracyKind *kind);

typedef struct lbAccuracyDef {
  lbAccuracyKind kind; // default quick
  lbMethod method;     // of the model; default LB_METHOD_DEFAULT
  double amplitude;    // that the loads aim at, relative to the object's size; > 0; default 0.1
  int32_t step_count;  // of each motion, at most; default 0: 40 (quick) or 80 (full)
} lbAccuracyDef;

lbAccuracyDef lb_accuracy_def(void);

#define LB_ACCURACY_MOTIONS_MAX 8

// Both bodies fall on the ground, the full one first in what there are two of.
typedef struct lbAccuracyBounce {
  double height;            // m, of the fall; 0: there was none
  double speed;             // m/s that they meet the ground with
  double peak_force[2];     // N, the largest mean over a tenth of the period
  double contact_time[2];   // s
  double rebound_height[2]; // m that their centres of mass rise to, above where they met it
} lbAccuracyBounce;

typedef struct lbAccuracyMotion {
  const char *name;    // as in docs/accuracy.md
  int32_t step_count;  // that both took; 0: an equilibrium
  double amplitude;    // m, the largest displacement of a node in the full motion
  double duration;     // s
  double mass_error;   // √(mean over time of Σ m |Δu|² / Σ m) / amplitude; -1: not measured
  double vertex_error; // the largest |Δu| of a node at any time / amplitude; -1: likewise
  double frequency_error; // |1 − t_full / t_reduced| of the last of the first three peaks; -1
  double peak_error;      // the largest difference of the first three peaks / amplitude; -1
                          // Of a bounce: of the contact times; |1 − F_reduced / F_full|
  int32_t probe;          // node that is plotted
  double direction[3];    // along which
  double *times;          // (step_count + 1) s
  double *full, *reduced; // (step_count + 1) m, displacement of the probe along the direction; of a
                          // bounce: N, contact force
  double *mass_errors;    // (step_count + 1), at each time, relative to the amplitude
  double *vertex_errors;  // (step_count + 1)
  lbAccuracyBounce bounce;
  char problem[240]; // what the full simulator could not do; "": nothing
} lbAccuracyMotion;

typedef struct lbAccuracy {
  lbAccuracyKind kind;
  lbMethod method;
  double size;      // m, the diagonal of the object's box
  double step;      // s
  double frequency; // Hz, of the release, as the linear body has it
  int32_t motion_count;
  lbAccuracyMotion motions[LB_ACCURACY_MOTIONS_MAX];
  char coverage[2400]; // what was compared and what was not
  double seconds;
} lbAccuracy;

// Plays the motions by the full simulator and by the model's method. `fem` is the body that the
// model was made from, in the model's axes. Motions that the full simulator cannot do are listed in
// the result and are not a failure. The same bits for any number of threads and any machine's
// speed.
lbStatus lb_accuracy_measure(const lbFem *fem, const lbModel *model, const lbAccuracyDef *def,
                             lbAccuracy **out, lbError *err);
void lb_accuracy_destroy(lbAccuracy *accuracy);

// Writes the figures into the model; replaces *model.
lbStatus lb_accuracy_store(const lbAccuracy *accuracy, lbModel **model, lbError *err);

// report.json, report.md and two plots (.svg) a motion, in a folder that is made.
lbStatus lb_accuracy_write(const lbAccuracy *accuracy, const char *name, const char *folder,
                           lbError *err);

#ifdef __cplusplus
}
#endif
#endif
