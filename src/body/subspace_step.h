// Parts of one step of a subspace body: material.c, newmark.c, central.c, subspace_constraints.c.
#ifndef LB_BODY_SUBSPACE_STEP_H
#define LB_BODY_SUBSPACE_STEP_H

#include "body/constraints.h"

// ---- the material (material.c) -----------------------------------------------------------------

lbStatus lb_material_build(lbBodyCommon *common, lbError *err);
void lb_material_place(lbBodyCommon *common, lbCarver *carver);

// ---- vectors (subspace.c) ----------------------------------------------------------------------

// y <- A x, A (stride x stride) symmetric
void lb_subspace_multiply(const lbSubspace *s, const double *A, const double *x, double *y);
void lb_subspace_mass_multiply(const lbSubspace *s, const double *x, double *y); // y <- M x
void lb_subspace_mobilise(const lbSubspace *s, double *x);                       // x <- M^-1 x
double lb_subspace_dot(int32_t count, const double *a, const double *b);

// R, K and W at q, unless they are there.
const lbEvaluated *lb_subspace_evaluate(lbBody *body, const double *q);
// a <- M^-1 (f - C v - R) with `e` at q, then along hard constraints.
void lb_subspace_accelerate(lbBody *body, const lbEvaluated *e, const double *v, double *a);

// ---- one substep: from q0, v0, a0 to q, v, a of the working memory -----------------------------
// Both return lbStepFlags. LB_STEP_NONFINITE: the result is of no use. LB_STEP_FAR: it is finite
// but far from a solution.

#define LB_STEP_FAR (1 << 24) // never leaves the layer

typedef enum lbImplicit { LB_IMPLICIT_NEWMARK, LB_IMPLICIT_EULER } lbImplicit;
int32_t lb_subspace_implicit(lbBody *body, double h, lbImplicit scheme);
int32_t lb_subspace_central(lbBody *body, double h);

// ---- pushes (subspace_push.c) ------------------------------------------------------------------

void lb_subspace_foresee(lbBody *body, double h, double *ahead, double *rates);
void lb_subspace_answer(const lbBody *body, double h, double *x);
bool lb_subspace_deliver(lbBody *body, double h, const double *moved, const double *quickened);

// ---- constraints -------------------------------------------------------------------------------

static inline bool lb_body_is_constrained(const lbBody *body) {
  return body->constraints->count > 0;
}

// Rows and columns of the step; false when they are not finite.
bool lb_rows_prepare(lbBody *body);

// Springs of an implicit step: k (d* - W q) - b W v. `cap`: the stiffness, as an entry of the
// matrix, beyond which rounding would spoil everything else. Returns the largest such entry.
double lb_springs_limit(lbBody *body, double stiffness_factor, double damping_factor, double cap);
// pulls <- their forces; sum <- sum + factor F pulls
void lb_springs_pull(lbBody *body, double extra_damping, const double *q, const double *v,
                     double factor, double *sum);
// sum <- sum + factor X pulls of the springs, X one of F and M^-1 F
void lb_springs_add(const lbBody *body, const double *X, double factor, double *sum);
// Lower triangle of A <- A + factor F (k + b damping_factor) F^T
void lb_springs_stiffen(lbBody *body, double stiffness_factor, double damping_factor, double factor,
                        double *A);

// What the rows of a correction d must be: W d = (target - W x) / factor, x one of q, v, a.
typedef struct lbHardRows {
  const double *q, *v, *a;
  double velocity_factor, acceleration_factor; // dv/dq, da/dq of the scheme
} lbHardRows;
// d <- d + A^-1 F pulls with the pulls of the hard columns such that the rows are met; A factored.
bool lb_hard_correct(lbBody *body, const double *ldlt, const lbHardRows *rows, double *d);
// a <- a + A^-1 F p such that accelerations are what the rows ask for; pulls <- pulls + p
bool lb_hard_accelerate(lbBody *body, const double *ldlt, double *a);
// sum <- sum + F pulls
void lb_hard_pull(const lbBody *body, double *sum);
// v <- the velocity that the rows ask for, when the step went from q0 to q in h; a likewise (no
// acceleration along positions and velocities).
void lb_hard_project_velocity(lbBody *body, const double *q0, const double *q, double h, double *v);
void lb_hard_project_acceleration(lbBody *body, double *a);
// Central differences: v at the middle of the step <- with the impulses of all constraints.
bool lb_rows_kick(lbBody *body, double h, const double *q0, double *v);

#endif
