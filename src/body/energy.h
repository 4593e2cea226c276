// The energy of a body, and the work done on it in a step (energy.c).
#ifndef LB_BODY_ENERGY_H
#define LB_BODY_ENERGY_H

#include "body/body.h"

// J, kinetic and elastic; false: it is not known (recordings, unreduced bodies in driven frames).
bool lb_body_energy(lbBody *body, double *energy);
// J: work of weight, loads, constraints and a driven frame in a step that was committed, before the
// frame is fitted. `rows`: with that of contacts and joints of a world. Seen from what moves with
// the drift.
double lb_step_work(const lbBody *body, const lbStep *step, const lbFrameState *start, lbVec3 drift,
                    bool rows, const lbScratch *scratch);

// J: the kinetic energy of a free body for given momenta as a function of a factor s on the rates
// of deformation,
//
//   P²/2m + (L − s h)·J⁻¹(L − s h)/2 + s² v·Mv/2,   h = Σ v_i E_i,
//
// and its elastic energy: a + b s + c s².
typedef struct lbFreeEnergy {
  double a, b, c;
} lbFreeEnergy;

lbFreeEnergy lb_free_energy(lbBody *body, const double *q, const double *v, lbScratch *scratch);
static inline double lb_free_energy_at(const lbFreeEnergy *e, double s) {
  return e->a + s * (e->b + s * e->c);
}

#endif
