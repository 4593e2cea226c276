// Inside the comparison with the full simulator: the body at rest (accuracy_rest.c), loads
// (accuracy_loads.c), equilibria (accuracy_static.c), motions (accuracy_motions.c), supports that
// are shaken (accuracy_drive.c), how both bodies play one (accuracy_play.c) and a bounce
// (accuracy_bounce.c). accuracy.c chooses what is compared.
#ifndef LB_STUDY_ACCURACY_H
#define LB_STUDY_ACCURACY_H

#include "limber/accuracy.h"
#include "limber/body.h"

#include "linalg/cholesky.h"

// What a body is loaded by. A free body gets loads without a resultant.
typedef enum lbLoadShape {
  LB_LOAD_BEND,  // a force on the whole body, along no axis
  LB_LOAD_TWIST, // about its longest side
  LB_LOAD_AXIAL, // along it
  LB_LOAD_PINCH, // two presses against each other, across it
  LB_LOAD_SHAPE_COUNT
} lbLoadShape;

// A factor of the rest stiffness over `stiffness`, owned by its first user; or NULL.
typedef struct lbKnownFactor {
  lbCholesky *cholesky;
  double stiffness;
} lbKnownFactor;

// As lb_accuracy_measure; of a held body.
lbStatus lb_accuracy_measure_by(const lbFem *fem, const lbModel *model, const lbAccuracyDef *def,
                                lbKnownFactor *known, lbAccuracy **out, lbError *err);

// Data shared by all motions of a comparison. Vectors are full unless noted.
typedef struct lbComparison {
  const lbFem *fem;
  const lbModel *model;
  lbMethod method;
  const double *basis; // (3 nodes x dimension)
  int32_t dimension;
  const double *damping;  // α, β
  bool free;              // nothing holds the body
  double size;            // m
  double wanted;          // m, displacement that loads aim at
  double step;            // s
  int32_t axis;           // along which the body is longest, of its free nodes
  double low[3], high[3]; // m, their box
  lbVec3 centre;          // m, of mass
  double shift;           // σ: K + σ M is solved with; 0 for held bodies
  lbSparse *K;            // that, at rest
  lbCholesky *factor;     // of K over `stiffness`
  double stiffness;       // 1, or what a known factor was made before
  double factor_flops;    // of one factorisation
  double *reduced;        // (dimension²) R with RᵀR = Uᵀ K U
  double *load;           // the bending load, N, scaled to `wanted` in the linear response
  double *response;       // to it
  int32_t probe;          // the vertex that it moves most
  double period;          // s, of the linear motion like `response`
  double *system;         // work: two system vectors
} lbComparison;

lbStatus lb_comparison_open(const lbFem *fem, const lbModel *model, const lbAccuracyDef *def,
                            lbKnownFactor *known, lbComparison *c, lbError *err);
void lb_comparison_close(lbComparison *c);
// Linear response to a load, in place: full <- K⁻¹ full.
lbStatus lb_comparison_respond(const lbComparison *c, double *full, lbError *err);
// q <- (Uᵀ K U)⁻¹ Uᵀ load: the same in the model's basis.
void lb_comparison_respond_reduced(const lbComparison *c, const double *load, double *q);
void lb_comparison_displace(const lbComparison *c, const double *q, double *full); // U q
double lb_largest_displacement(int32_t vertex_count, const double *u, int32_t *vertex);

// ---- loads -------------------------------------------------------------------------------------

const char *lb_load_shape_name(lbLoadShape shape);
// load <- the shape's, scaled so that the linear response (or NULL) aims at `aim` (m).
lbStatus lb_make_load(const lbComparison *c, lbLoadShape shape, double *load, double *response,
                      double *aim, lbError *err);
// Takes the resultant force and moment out of a load, by the masses.
void lb_balance_load(const lbComparison *c, double *load);
// Adds a force along a unit direction on the vertices around a place, by mass and nearness.
void lb_press(const lbComparison *c, const double centre[3], const double direction[3],
              double force, double *forces);
// The node that is nearest to a point of the way along the body, at `share` of it.
void lb_place_on_way(const lbComparison *c, double share, double place[3]);

// ---- motions -----------------------------------------------------------------------------------

// One motion: where it starts and what acts.
typedef struct lbMotionPlan {
  double *start;         // displacement; NULL: undeformed
  lbVec3 velocity, spin; // of a free body, at the start
  bool driven;           // the supports of a held body move:
  lbVec3 sway, turn;     // m and rad, as far as this
  double *shape;         // what `load` scales, N; NULL: it makes its own
  // The load (full, given as zeros) at time t; NULL: none.
  void (*load)(const lbComparison *c, const struct lbMotionPlan *plan, double t, double *forces);
  double aim;          // m, the displacement that the load aims at
  double scale;        // N, of the load
  double direction[3]; // of the load, unit
  double duration;     // s, of the whole motion
} lbMotionPlan;

typedef enum lbMotionKind {
  LB_MOTION_SUDDEN,
  LB_MOTION_RELEASE,
  LB_MOTION_IMPULSE,
  LB_MOTION_MOVING,
  LB_MOTION_TWIST,
  LB_MOTION_AXIAL,
  LB_MOTION_PINCH,
  LB_MOTION_THROWN,
  LB_MOTION_SHAKEN,
  LB_MOTION_KIND_COUNT
} lbMotionKind;

const char *lb_motion_name(lbMotionKind kind);
bool lb_motion_suits(lbMotionKind kind, bool free); // in a full comparison
// When there is none, `problem` (240 bytes) may hold the cause.
lbStatus lb_plan_motion(const lbComparison *c, lbMotionKind kind, lbMotionPlan *plan, char *problem,
                        lbError *err);
void lb_plan_destroy(lbMotionPlan *plan);

void lb_plan_shaken(const lbComparison *c, lbMotionPlan *plan);
// The supports of the full body at the start of such a motion, and those and the model's frame at
// the end t of the next step. rows: work, three full vectors.
lbStatus lb_start_drive(const lbComparison *c, const lbMotionPlan *plan, lbSimulator *simulator,
                        double *rows, lbError *err);
lbStatus lb_drive(const lbComparison *c, const lbMotionPlan *plan, double t, lbSimulator *simulator,
                  double *rows, lbBody *body, lbError *err);

typedef struct lbEffort { // that a motion may take
  int32_t steps;
  int32_t substeps; // of each, at most, where the full simulator does not converge
  int32_t factors;  // factorisations of the full simulator, at most; 0: any number
  double tolerance; // of the full simulator
} lbEffort;

// Figures of a motion that both bodies play.
lbStatus lb_play_motion(const lbComparison *c, const lbMotionPlan *plan, const lbEffort *effort,
                        lbAccuracyMotion *motion, lbError *err);

// Figures of a bounce.
lbStatus lb_play_bounce(const lbComparison *c, const lbEffort *effort, lbAccuracyMotion *motion,
                        lbError *err);

// ---- equilibria --------------------------------------------------------------------------------

// Room for `steps`, and no figures yet.
lbStatus lb_begin_motion(const char *name, int32_t probe, int32_t steps, lbAccuracyMotion *motion,
                         lbError *err);
// Under a small load, by the linear body.
lbStatus lb_compare_small(const lbComparison *c, lbLoadShape shape, lbAccuracyMotion *motion,
                          lbError *err);
// Under the bending load: Newton's method of the full body, from the model's equilibrium. Spoils
// c->K and c->factor.
lbStatus lb_compare_equilibrium(lbComparison *c, int32_t iterations, lbAccuracyMotion *motion,
                                lbError *err);

#endif
