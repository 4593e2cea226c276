// Inside the implicit steps of a subspace body: what newton.c, which has the rules and the course
// of a step, shares with Broyden's method (cubature/broyden_step.c) and with what shortens
// iterations (line_search.c). Letters are those of newton.c.
#ifndef LB_METHOD_SUBSPACE_NEWTON_STEP_H
#define LB_METHOD_SUBSPACE_NEWTON_STEP_H

#include "method/subspace/subspace.h"

typedef enum lbStepRule { LB_RULE_NEWMARK, LB_RULE_EULER, LB_RULE_CONSERVING } lbStepRule;

// What solves a step (lbSubspaceWork.attempt): Broyden's method with a matrix of a former place,
// with that of this one, Newton's method.
enum { LB_ATTEMPT_KEPT_MATRIX, LB_ATTEMPT_NEW_MATRIX, LB_ATTEMPT_NEWTON };

typedef struct lbStepScheme {
  lbStepRule rule;
  double h;
  lbNewtonScheme c;
  bool calm; // damped by the stiffness at rest, which never adds energy as an indefinite one would
  bool secant; // by Broyden's method
} lbStepScheme;

// What the residual and the matrix are made of.
typedef struct lbStepForces {
  const lbEvaluated *end; // at q
  const double *R;        // that of the scheme
  const double *K;        // that damping counts with; NULL: K u is in w->Ku
} lbStepForces;

typedef struct lbStepResidual {
  double size;  // |G|
  double scale; // the largest of its terms
  double noise; // its rounding
} lbStepResidual;

// ---- newton.c ----------------------------------------------------------------------------------

lbNewtonNumbers lb_step_numbers(const lbBody *body, const double *R, const lbScratch *s);
// Rates, and products with the mass.
void lb_step_find_rates(const lbBody *body, const lbStepScheme *scheme, const lbNewtonNumbers *x,
                        const lbScratch *s);
// C <- (alpha M + beta K) u
void lb_step_damp(const lbBody *body, const lbNewtonNumbers *x, const double *K, const double *u,
                  const double *Mu, double *C);
// w->A <- factors of a positive definite matrix; lbStepFlags.
int32_t lb_step_factor(const lbBody *body, const lbStepScheme *scheme, const lbStepForces *forces,
                       bool damping_rate, lbScratch *s);

// ---- cubature/broyden_step.c --------------------------------------------------------------------

// A new attempt starts with no secants, and with a matrix of this place where the kept one has cost
// too many iterations. lbStepFlags.
int32_t lb_secants_begin(lbBody *body, const lbStepScheme *scheme, lbScratch *s);
// What is inside the residual: G and the known forces.
void lb_secants_find_inside(const lbBody *body, const lbStepScheme *scheme, lbScratch *s,
                            double *inside);
// One iteration: moves s->q, by what the last `order` steps tell.
void lb_secants_move(const lbBody *body, const lbStepScheme *scheme, int32_t order, lbScratch *s);
// What was seen along the last move.
void lb_secants_learn(const lbBody *body, const lbStepScheme *scheme, lbScratch *s);
// Whether the iterations have come to an end; lbStepFlags.
int32_t lb_secants_judge(const lbBody *body, int32_t iteration, const lbStepResidual *G, bool keeps,
                         lbSubspaceWork *w);

// ---- cubature/step_history.c --------------------------------------------------------------------

// How many of the steps before tell of this one.
int32_t lb_past_order(const lbBody *body, const lbStepScheme *scheme);
void lb_past_move(const lbBody *body, int32_t order, double *q);   // q <- q + S
void lb_past_change(const lbBody *body, int32_t order, double *G); // G <- G + Y
// What a step that is done was, by its rule: at s->q, with w->inside of there.
void lb_past_learn(lbBody *body, const lbStep *step, lbScratch *s);
void lb_past_forget(lbBody *body);

// ---- line_search.c ------------------------------------------------------------------------------

// Whether elements may not be inside out: they were not before the step.
bool lb_step_stays_inside(const lbBody *body, const lbSubspaceWork *w);
// Whether iterations may not raise the potential.
bool lb_step_goes_downhill(const lbBody *body, const lbStepScheme *scheme, const lbSubspaceWork *w);
// Brings s->q back towards where the iteration came from; lbStepFlags.
int32_t lb_step_shorten(lbBody *body, const lbStepScheme *scheme, bool downhill, lbScratch *s);

#endif
