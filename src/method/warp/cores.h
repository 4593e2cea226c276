// Rigid cores of warped bodies: groups of nodes that move as one, x = c + R (X − C), C being the
// centre of their masses at rest. Scripted ones are given, as supports are; hinged and free ones
// have one and six unknowns in the step's system (warp/cores.h). Their state is that of their
// nodes, which are exactly rigid whenever a call ends.
//
// In a step, with θ and y as in warp_step.c, a core drifts by h − θ with the velocities that it
// has, keeping its angular momentum; there, at y, the system is solved for its velocities, and it
// goes on by θ with these:
//
//   c_y = c₀ + (h − θ) V₀,  R_y = exp((h − θ) ω₀) R₀,   J_y ω = torques and what it had,
//   c₁  = c_y + θ V,        R₁  = exp(θ ω₁) R_y,        J₁ ω₁ = J_y ω.
//
// Its momenta are therefore those of the system's solution, and torques of forces that stay the
// same are leapfrog (Newmark's rule) or symplectic Euler: a pendulum keeps its energy.
#ifndef LB_METHOD_WARP_CORES_H
#define LB_METHOD_WARP_CORES_H

#include "method/warp/warp.h"

#include "limber/path.h"

struct lbWarpCore { // of lbWarpShared
  lbCoreKind kind;
  int32_t begin, end; // in core_nodes
  double mass;        // kg
  lbVec3 centre;      // m, C
  lbMat3 inertia;     // kg m², about it
  lbVec3 point, axis; // hinged, own axes
  lbPath *path;       // scripted, own axes
};

typedef struct lbCorePose { // and its motion; of one set of axes or another
  lbVec3 c;
  lbMat3 R;
  lbVec3 velocity, spin; // of c
} lbCorePose;

struct lbWarpCoreStep { // of lbWarpBodyWork, in the step under way, fixed axes
  lbCorePose y, end;
  double angle, rate;        // hinged: at y, and its spin at the start
  double rates[6], found[6]; // V and ω, or the spin about the axis: without forces that are
                             // found, and what those add
};

lbStatus lb_warp_find_cores(const lbPrepared *prepared, lbWarpShared *shared, lbError *err);
void lb_warp_release_cores(lbWarpShared *shared);
uint64_t lb_warp_identify_cores(const lbModel *model, uint64_t hash);

// ---- states ------------------------------------------------------------------------------------

// State <- cores where their paths are at the body's time, and moving so; flesh that nothing else
// holds goes along.
void lb_warp_start(lbBody *body, lbScratch *scratch);
// State <- with the nearest rigid placements and motions of cores, scripted ones as their paths
// say.
void lb_warp_settle_cores(lbBody *body, bool places);
// x <- M⁻¹ x, the state's cores being rigid.
void lb_warp_mobilise(const lbBody *body, lbScratch *scratch, double *x);

// ---- poses -------------------------------------------------------------------------------------

lbVec3 lb_core_arm(const lbWarpShared *shared, const lbWarpCore *core, const lbCorePose *pose,
                   size_t node);
lbMat3 lb_core_inertia(const lbWarpCore *core, lbMat3 R);
lbVec3 lb_core_spin(lbMat3 J, lbVec3 L); // J⁻¹ L, to rounding
// Rows of its nodes <- the pose; either may be NULL.
void lb_core_write(const lbWarpShared *shared, const lbWarpCore *core, const lbCorePose *pose,
                   double *u, double *v);
// The nearest pose and motion to rows, by masses; about an axis: fixed axes, in a frame that moves
// like this.
lbCorePose lb_core_fit(const lbWarpShared *shared, const lbWarpCore *core, const double *u,
                       const double *v);
void lb_core_fit_hinge(const lbWarpShared *shared, const lbWarpCore *core, const lbPlacement *T,
                       const lbFrameRates *frame, const double *u, const double *v, double *angle,
                       double *rate);
// Own axes, and what it is in the fixed ones.
lbCorePose lb_core_on_path(const lbWarpCore *core, double time);
lbCorePose lb_core_on_hinge(const lbWarpCore *core, double angle, double rate);
lbCorePose lb_core_from_own(const lbWhole *whole, const lbPlacement *T, const lbFrameRates *frame,
                            const lbCorePose *own);

// ---- steps (warp_core_step.c) ------------------------------------------------------------------

// Scripted cores at the step's end: s->a and s->b at their nodes.
void lb_warp_script_cores(const lbBody *body, const lbStep *step, lbScratch *scratch);
// Before the system is made: w->x, v0 and v of cores at y.
void lb_warp_drift_cores(const lbBody *body, const lbStep *step, lbScratch *scratch);
// Before the solution, of hinges in a driven frame (w->hinges_move): b without what the velocities
// that the frame gives them beside the drift take, which are not those of v; w->v0 <- as those.
// Spoils w->y.
void lb_warp_part_hinges(const lbBody *body, const lbStep *step, lbVec3 drift,
                         lbWarpBodyWork *work);
// Cores at the step's end, from the solution: u1 and v1 of their nodes.
void lb_warp_end_cores(const lbBody *body, const lbStep *step, lbScratch *scratch);
// A force (lanes) as one at y, and velocities at y as a row: both by the arms of the end.
void lb_warp_push_cores(const lbBody *body, lbWarpBodyWork *work, double *force);
void lb_warp_move_cores(const lbBody *body, lbWarpBodyWork *work, double *moved);
// Cores at the end with forces that were found, `moved` (row) being what these have moved; returns
// by how much the farthest node is elsewhere than that.
double lb_warp_turn_cores(const lbBody *body, const lbStep *step, lbScratch *scratch,
                          const double *moved);
// The step's end <- rigid again, after it was changed; s->q and v likewise.
void lb_warp_make_end_rigid(const lbBody *body, const lbStep *step, lbScratch *scratch);
// Another linearisation about where cores are: w->q and s->q.
void lb_warp_relinearise_cores(const lbBody *body, lbScratch *scratch);

#endif
