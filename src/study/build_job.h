// A model that is being built: what its stages (build_model.c, build_reduce.c) hand on.
#ifndef LB_STUDY_BUILD_JOB_H
#define LB_STUDY_BUILD_JOB_H

#include "limber/build_model.h"

#include "study/accuracy.h"

typedef struct lbBuildJob {
  const char *path;
  const lbBuildDef *def;
  lbScene *scene;
  lbSceneBody *body;
  lbFem *fem;
  lbModes *modes;
  lbModalDef modal;
  lbSubspaceDef subspace;
  lbSketch *sketch;
  lbBasis *basis;
  lbKnownFactor factor; // of K, which the comparison uses
  lbBuildReport report;
} lbBuildJob;

// The finite-element body in its own axes, wherever the scene puts it; replaces the one there was.
lbStatus lb_build_fem(lbBuildJob *job, lbError *err);

// build_reduce.c, in this order.
lbStatus lb_build_method(lbBuildJob *job, lbError *err);
lbStatus lb_build_modes(lbBuildJob *job, lbError *err); // and the basis that is made from them
lbStatus lb_build_stiffness(lbBuildJob *job, lbError *err);
lbStatus lb_build_basis(lbBuildJob *job, lbError *err);      // that needs the stiffness
void lb_build_damping(lbBuildJob *job, lbReduceDef *reduce); // after the modes
lbStatus lb_build_reduced(lbBuildJob *job, lbModel **out, lbError *err);
lbStatus lb_build_accuracy(lbBuildJob *job, lbModel **model, lbError *err);

#endif
