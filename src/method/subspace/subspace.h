// Inside the subspace method: a body in a few shapes,
//
//   M a + (alpha M + beta K(q)) v + R(q) = f,   K = dR/dq,
//
// after Barbič & James 2005. M is the identity until a density is changed. R comes from a force
// model (lbForceModel): polynomials of St. Venant-Kirchhoff (polynomial.c), or cubature, for any
// law (cubature.c). The integrators (newton.c, central.c) know no more of it than force, tangent
// and rate of the tangent.
#ifndef LB_METHOD_SUBSPACE_SUBSPACE_H
#define LB_METHOD_SUBSPACE_SUBSPACE_H

#include "body/body.h"
#include "method/cubature/broyden.h"
#include "method/subspace/cubic.h"
#include "method/subspace/newton.h"

#include "math/ldlt.h"
#include "math/ldlt_crowd.h"

#include <float.h>
#include <math.h>

// How a body moves, and what else acts on each of its nodes.
typedef struct lbMotion {
  const double *q, *v, *a;
  double damping_mass, damping_stiffness;
  lbVec3 gravity; // own axes
  const double *node_masses;
} lbMotion;

// Forces of a prepared body. Vectors have room for `stride` numbers, matrices are (stride x
// stride), symmetric; `work` has work_size doubles and keeps nothing from call to call.
typedef struct lbForceModel {
  bool is_cubic; // R is a cubic polynomial of q; others may have no energy (+inf) at some q
  // Of a prepared body, for materials (materials x 3: young, poisson, density) of its own. A
  // derived one may use what its base has.
  lbStatus (*create)(const lbPrepared *prepared, const double *materials, void **data,
                     lbError *err);
  void (*destroy)(void *data);                       // NULL is legal
  const double *(*rest_stiffness)(const void *data); // K at q = 0
  double (*energy_noise)(const void *data); // J, rounding of the energy near rest; NULL: none
  double (*force_noise)(const void *data);  // |R|, its rounding near rest; NULL: none
  // Returns the energy; writes force and tangent.
  double (*evaluate)(const void *data, const double *q, double *R, double *K, double *work);
  double (*force)(const void *data, const double *q, double *R, double *work);
  // The same, and K v without K. NULL, as rough_tangent: K costs little more than the force.
  double (*along)(const void *data, const double *q, const double *v, double *R, double *Kv,
                  double *work);
  // K alone, to a few digits, in less time, for iterations that are led by it; returns the energy.
  double (*rough_tangent)(const void *data, const double *q, double *K, double *work);
  // dK/dt where q moves with velocity v.
  void (*tangent_rate)(const void *data, const double *q, const double *v, double *rate,
                       double *work);
  // The same as `evaluate` for LB_BATCH states side by side, to the bit, reading coefficients once:
  // number i of state m is at [8 i + m], K is its lower triangle (lb_packed2). Lanes of states that
  // are not there may hold anything. gains: whether that is faster. NULL: bodies step one by one.
  void (*evaluate_crowd)(const void *data, const double *q, double *R, double *K, double *energies,
                         double *work);
  bool (*gains)(const void *data);
  // How far q is from what the forces were fitted to (lb_body_pose_distance); NULL: they are exact.
  double (*distance)(const void *data, const double *q, double *work);
  // What of the forces the basis cannot follow (lb_body_unfollowed_force); NULL: not known.
  double (*unfollowed)(const void *data, const lbMotion *motion, double *work);
  size_t (*work_size)(const void *data); // doubles, for all of them
} lbForceModel;

// ---- prepared ----------------------------------------------------------------------------------

typedef struct lbSubspace {
  int32_t count, stride; // r, and lb_cubic_padded(r)
  const lbNewtonKernels *newton;
  const lbLdltKernels *ldlt;
  const lbLdltCrowdKernels *ldlt_crowd;
  const lbForceModel *forces;
  void *force_data;
  const double *rest_stiffness;            // (stride x stride): K at rest
  double *materials;                       // (materials x 3): young, poisson, density
  double *mass, *mass_ldlt;                // M and its factors; NULL: the identity
  double *gravity, *node_masses, *inertia; // of other densities than the model's
  double stiffest;                         // 1/s², the largest eigenvalue of M^-1 K at rest
  double force_noise;                      // what R is rounded by near rest
  double most;     // a coordinate beyond this is absurd: 1e6 times the body's size
  double *factors; // (stride x stride): LDLT of K at rest, for compliance,
  bool stiff;      // if that is positive definite
} lbSubspace;

static inline const lbSubspace *lb_subspace_of(const lbPrepared *prepared) { return prepared->own; }
// The body has coordinates of this method, so lb_subspace_of is its own.
static inline bool lb_body_has_subspace(const lbBody *body) {
  return body->prepared->method->method == LB_METHOD_SUBSPACE;
}

extern const lbForceModel lb_polynomial_forces; // of St. Venant-Kirchhoff
extern const lbForceModel lb_cubature_forces;

// material.c
lbStatus lb_subspace_build(lbPrepared *prepared, lbError *err);
lbStatus lb_subspace_rebuild(lbPrepared *prepared, const double *materials, lbError *err);
void lb_subspace_release(lbPrepared *prepared);

// ---- bodies ------------------------------------------------------------------------------------

// R, K and W at q, kept from the end of a step to the start of the next.
typedef struct lbEvaluated {
  uint64_t version; // of the prepared part; 0: none
  bool force_only;  // K is not there
  double energy;
  double *q, *R;  // (stride)
  double *K;      // (stride x stride)
  double *v, *Kv; // (stride): a product with K, of force models that need not have that; v is NULL
                  // for others
  bool has_product;
} lbEvaluated;

// Factors of a step's matrix, for Broyden's method.
typedef struct lbStepMatrix {
  uint64_t version; // of the prepared part; 0: none
  double of[4];     // what it is made of: the step's length and rule, damping,
  double *q;        // (padded) and the place: rest, until another one is needed
  double spent;     // iterations that better ones would have saved
  double *factors;  // (stride x stride); NULL: Newton's method alone
} lbStepMatrix;

// Steps of one length that Broyden's method took, the last one first (cubature/step_history.c).
enum { LB_PAST = 4 };
typedef struct lbStepPast {
  int32_t count, order;    // how many there are, and how many of them tell most of the next one
  double h;                // s
  double *moves, *changes; // (LB_PAST x padded): s and y; NULL: Newton's method alone
} lbStepPast;

typedef struct lbSubspaceState {
  double *q, *v, *a;      // (padded); a: without what is held over steps
  double *force, *weight; // (padded): of the next step, and the share of gravity in it
  lbEvaluated evaluated;
  lbStepMatrix matrix;
  lbStepPast past;
} lbSubspaceState;

// What an integrator adds to the energy in a step, and the elastic and kinetic energy at its end.
typedef struct lbStepEnergy {
  double created, end; // J
} lbStepEnergy;

// Working memory of a step. Vectors are (padded).
typedef struct lbSubspaceWork {
  double *a0, *a;              // before and after the step
  double *u;                   // the rate that is damped
  double *G, *d;               // residual, correction
  double *Ma, *Mu, *Mv;        // products with a mass that is not the identity
  double *Ku, *Cu;             // terms of the residual
  double *Cu0;                 // damping at the step's start
  double *R0;                  // elastic force before the step
  double *A, *rate;            // (stride x stride)
  double *middle_R, *middle_K; // in the step's middle
  const double *factors;       // of the matrix in use: A, or that of lbStepMatrix
  lbSecants secants;           //
  double *inside, *inside0; // the residual without the known forces, where an iteration came from
                            // and at the step's start
  int32_t attempt, attempt_from; // how the step is solved, and since which iteration
  bool starts_anew;              // the next attempt begins where the step does
  double least;                  // residual of this attempt
  double *before;                // where an iteration came from
  double *linear0;               // linear terms of the residual at the step's start, but for held
  double potential;              // of an iteration, by rules that have one
  int32_t outside;               // iterations that would have turned elements inside out
  double *forces;                // of the force model
  double figures[LB_NEWTON_FIGURES];
  double energy0;
  lbStepEnergy created;
  double stiffest; // how much a residual may change with q
} lbSubspaceWork;

const lbEvaluated *lb_subspace_evaluate(lbBody *body, const double *q, lbScratch *scratch);
// The same without K, unless that is there.
const lbEvaluated *lb_subspace_force(lbBody *body, const double *q, lbScratch *scratch);
// The same, and Kv <- K v, by the force model's `along`.
const lbEvaluated *lb_subspace_along(lbBody *body, const double *q, const double *v, double *Kv,
                                     lbScratch *scratch);
// Whether q is bounded and not farther out than is sane, unless it comes from there.
bool lb_subspace_is_sane(const lbPrepared *prepared, double q, double q0, double v, double a);
bool lb_subspace_may_be_stuck(double kinetic, double elastic); // by its energies
// Smaller numbers become zero: their squares are subnormal, and those are slow.
static inline double lb_subspace_dust(void) { return sqrt(DBL_MIN); }

// ---- crowds: bodies of a batch that step together (batch_lanes.c) -------------------------------

// What LB_BATCH bodies of a group keep from step to step, as lbEvaluated does for one.
typedef struct lbCrowdBlock {
  uint64_t version; // of the prepared part; 0: none
  double *q, *R, *K;
  double energies[LB_BATCH];
} lbCrowdBlock;

bool lb_crowd_gains(const lbPrepared *prepared);
void lb_crowd_place_group(const lbPrepared *prepared, lbBodyGroup *group, lbCarver *carver);
void lb_crowd_place_work(const lbPrepared *prepared, lbCallWork *call, lbCarver *carver);
// e <- what the last step of a crowd found, if that was at q.
bool lb_crowd_recall(const lbBody *body, const double *q, lbEvaluated *e);
void lb_subspace_step_many(lbBodyGroup *group, int32_t begin, int32_t end, double h,
                           lbScratch *scratch);
// y <- A x, A (stride x stride) symmetric
void lb_subspace_multiply(const lbSubspace *s, const double *A, const double *x, double *y);
void lb_subspace_mass_multiply(const lbSubspace *s, const double *x, double *y); // y <- M x
void lb_subspace_mobilise(const lbSubspace *s, double *x);                       // x <- M^-1 x
// a <- M^-1 (f - C v - R) at q.
void lb_subspace_accelerate(lbBody *body, const double *q, const double *f, const double *v,
                            double *a, lbScratch *scratch);

// ---- integrators: the operations begin, respond and end of lbBodyMethod ------------------------

int32_t lb_newton_begin(lbBody *body, lbStep *step, lbScratch *scratch);
void lb_newton_respond(const lbBody *body, const lbStep *step, lbScratch *scratch,
                       const double *force, double *moved);
void lb_newton_respond_many(const lbBody *body, const lbStep *step, lbScratch *scratch, int32_t n,
                            double *x);
int32_t lb_newton_end(lbBody *body, const lbStep *step, lbScratch *scratch);
// For crowds: Newmark's rule; and what the end of a step by it is, by its figures: flags.
lbNewtonScheme lb_newmark_scheme(double h);
typedef struct lbNewtonStart {
  double energy;   // stored
  double stiffest; // how much a residual may change with q
} lbNewtonStart;
int32_t lb_newmark_judge(const lbBody *body, const lbNewtonStart *start, double energy,
                         const double *figures, lbStepEnergy *created);
int32_t lb_central_begin(lbBody *body, lbStep *step, lbScratch *scratch);
void lb_central_respond(const lbBody *body, const lbStep *step, lbScratch *scratch,
                        const double *force, double *moved);
int32_t lb_central_end(lbBody *body, const lbStep *step, lbScratch *scratch);

#endif
