// The energy of a body, and the work done on it in a step (energy.c).
#ifndef LB_BODY_ENERGY_H
#define LB_BODY_ENERGY_H

#include "body/body.h"

// J, kinetic and elastic; false: it is not known (recordings, unreduced bodies in driven frames).
bool lb_body_energy(lbBody *body, double *energy);
// J: work of weight, loads, constraints and a driven frame in a step that was committed, before the
// frame is fitted; without that of contacts and joints of a world.
double lb_step_work(const lbBody *body, const lbStep *step, const lbFrameState *start,
                    const lbScratch *scratch);

#endif
