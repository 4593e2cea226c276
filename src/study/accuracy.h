// Inside the comparison with the full simulator: the body at rest, the loads, and the two motions.
#ifndef LB_STUDY_ACCURACY_H
#define LB_STUDY_ACCURACY_H

#include "limber/accuracy.h"
#include "limber/body.h"

#include "linalg/cholesky.h"

// What all motions of a comparison share.
typedef struct lbComparison {
  const lbFem *fem;
  const lbModel *model;
  lbMethod method;
  const double *basis; // (3 nodes x dimension)
  int32_t dimension;
  const double *damping; // α, β
  double size;           // m
  double wanted;         // m, displacement that loads aim at
  double step;           // s
  double factor_flops;   // of one factorisation
  lbCholesky *factor;    // of K at rest
  double *response;      // (full) linear response to the release's load, scaled to `wanted`
  double *load;          // (full) that load, N
  int32_t probe;         // the vertex that it moves most
  double period;         // s, of the linear motion like `response`
  double *system;        // work: system vectors
} lbComparison;

lbStatus lb_comparison_open(const lbFem *fem, const lbModel *model, const lbAccuracyDef *def,
                            lbComparison *c, lbError *err);
void lb_comparison_close(lbComparison *c);

// One motion: where it starts and what acts.
typedef struct lbMotionPlan {
  const char *name;
  double *start; // (full) displacement; NULL: at rest
  // The load (full, given as zeros) at time t; NULL: none.
  void (*load)(const lbComparison *c, const struct lbMotionPlan *plan, double t, double *forces);
  double scale;        // N, of the load
  double direction[3]; // of the load, unit
  double duration;     // s, of the whole motion
} lbMotionPlan;

// accuracy_motions.c. A release may tell why there is none in `problem` (240 bytes).
void lb_plan_sudden(lbMotionPlan *plan);
lbStatus lb_plan_release(const lbComparison *c, lbMotionPlan *plan, char *problem, lbError *err);
lbStatus lb_plan_impulse(const lbComparison *c, lbMotionPlan *plan, lbError *err);
lbStatus lb_plan_moving(const lbComparison *c, lbMotionPlan *plan, lbError *err);

// Linear response to a load, in place: full <- K⁻¹ full.
lbStatus lb_comparison_respond(const lbComparison *c, double *full, lbError *err);
double lb_largest_displacement(int32_t vertex_count, const double *u, int32_t *vertex);

#endif
