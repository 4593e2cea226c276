// An anchor: a frame that a body carries along, for joints. Of a rigid body it is the body's own
// motion; of one that deforms the rigid motion nearest to that of some points of its surface.
//
// With r_i the points seen from their mean c and S = Σ (|r_i|² 1 − r_i r_iᵀ)/n, a force F at c and
// a torque T on the anchor are forces on the points,
//
//   f_i = (F + S⁻¹T × r_i)/n,
//
// and what these do work on is the motion of the anchor: the mean velocity of the points, and the
// spin ω = S⁻¹ Σ r_i × v_i / n. A force at another place x of it is F and T = (x − c) × F.
#ifndef LB_BODY_ANCHOR_H
#define LB_BODY_ANCHOR_H

#include "body/tree.h"

enum { LB_ANCHOR_POINTS = 16 };

typedef struct lbAnchor {
  int32_t count;                      // points; 0: the body is rigid; 1: no rotation
  int32_t vertices[LB_ANCHOR_POINTS]; // of the surface
  lbVec3 rest[LB_ANCHOR_POINTS];      // from their mean, when it was made, world axes
  lbVec3 rest_arm;                    // from the mean or the frame's centre to its place, then
  lbQuat rest_rotation;               // of the frame, then

  // At the state that it was last seen in, world axes.
  lbVec3 place;
  lbQuat rotation; // since it was made
  lbVec3 mean;
  lbVec3 arms[LB_ANCHOR_POINTS]; // points from the mean
  lbMat3 inverse;                // S⁻¹
  lbVec3 velocity, spin;         // of the mean; lb_anchor_look_at_rates
} lbAnchor;

// Where a body is: now, or at the end of a step that is open.
typedef struct lbAnchorView {
  const lbBody *body;
  lbVec3 position; // of the frame
  lbQuat rotation;
  lbMat3 turn;
  const double *q;
} lbAnchorView;

// An anchor at a place of the world, as the body is now: of a rigid body, or led by the vertices of
// the surface nearest to the place. `vertex`: led by that one alone, without rotation, and where it
// is; -1: none.
lbStatus lb_anchor_make(lbAnchor *anchor, const lbBody *body, lbVec3 place, int32_t vertex,
                        lbError *err);
// place, rotation and arms <- in a view.
void lb_anchor_look(lbAnchor *anchor, const lbAnchorView *view);
// velocity, spin <- at the body's state, after lb_anchor_look there; v: its rates.
void lb_anchor_look_at_rates(lbAnchor *anchor, const lbBody *body, const double *v);
lbVec3 lb_anchor_velocity(const lbAnchor *anchor, lbVec3 at); // of a place that it carries

// ---- forces ------------------------------------------------------------------------------------

// line (padded) <- the reduced force of one along a world axis (k 0 to 2) at the mean, or of a
// torque about it (3 to 5), with the frame turned by `turn`.
enum { LB_ANCHOR_AXES = 6 };
void lb_anchor_line(const lbAnchor *anchor, const lbBody *body, lbMat3 turn, int k, double *line);
int lb_anchor_axes(const lbAnchor *anchor); // lines it has: 0 rigid, 3 one vertex, 6

// A force at the mean and a torque on the anchor; on a free frame, about its own centre.
typedef struct lbAnchorForce {
  const lbAnchor *anchor;
  lbVec3 force, torque;             // N, N m, or impulses of these, world axes
  lbVec3 frame_force, frame_torque; // the same as the frame gets it
} lbAnchorForce;

// The body's next step has this force, beside others that a world has found; `turn` as above.
void lb_anchor_hold(lbBody *body, lbMat3 turn, const lbAnchorForce *by);
// Impulses, at once.
void lb_anchors_apply_impulses(lbBody *body, int32_t count, const lbAnchorForce *by,
                               lbScratch *scratch);

#endif
