// The supports of an unreduced body that follow its scene body's motion.
#ifndef LB_STUDY_DRIVEN_H
#define LB_STUDY_DRIVEN_H

#include "limber/scene.h"

typedef struct lbDriven {
  const lbSceneBody *body;
  const lbFem *fem;
  lbIntegrator integrator;
  double *displacement, *velocity, *acceleration; // full
  lbPathState now;                                // at the last step's end
  double time;                                    // s, there
} lbDriven;

// At t = 0. Refuses a body that nothing holds to its frame.
lbStatus lb_driven_create(const lbSceneBody *body, const lbFem *fem, lbIntegrator integrator,
                          lbDriven **out, lbError *err);
void lb_driven_destroy(lbDriven *driven); // NULL is legal
// The simulator's supports start to move as the motion does at t = 0.
lbStatus lb_driven_start(lbDriven *driven, lbSimulator *simulator, const double *load,
                         lbError *err);
// Before the step that ends at t: carries the body over cuts, then says where its supports will be.
lbStatus lb_driven_step(lbDriven *driven, lbSimulator *simulator, double t, lbError *err);

#endif
