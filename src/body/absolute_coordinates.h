// Bodies that move as a whole in their coordinates (lbBodyMethod.fit_frame): the displacements of
// their nodes, in axes in which the body stands at rest where it was placed and may move about.
// Here these are called the fixed axes. T takes the body's own axes there,
//
//   X + u = T (X + q),   u: in the fixed axes, q: the body's coordinates,
//
// so that the frame F of a body only describes it: the fixed axes are at F T⁻¹ in the world. T is
// the identity while a frame is held. It goes with a driven frame, whose supports take the body
// along, and with the frame that is fitted to a free body. Where a frame is set from outside, T
// stays, and the body is carried along with nothing felt.
#ifndef LB_BODY_ABSOLUTE_COORDINATES_H
#define LB_BODY_ABSOLUTE_COORDINATES_H

#include "body/body.h"

// What such a body is made of.
typedef struct lbWhole {
  int32_t node_count;
  size_t padded;           // numbers in a row: 3 nodes, rounded up
  const double *positions; // (nodes x 3) m, at rest
  const uint8_t *held;     // (nodes) 1: does not move in its frame
  const double *masses;    // (nodes) kg, lumped
  double mass;             // kg
  lbVec3 centre;           // m, of mass, at rest
} lbWhole;

typedef struct lbPlacement { // x -> position + rotation x
  lbVec3 position;
  lbQuat rotation;
  bool identity;
} lbPlacement;

// Motion of a frame in its own axes: velocity of the rest shape's centre, spin.
typedef struct lbFrameRates {
  lbVec3 velocity, spin;
} lbFrameRates;

// The `build` of methods that have materials: their `rebuild` with those of the model.
lbStatus lb_whole_build(lbPrepared *prepared, lbError *err);

lbPlacement lb_placement_identity(void);
lbFrameRates lb_frame_rates(const lbBody *body);
// At the end of a step: those of the frame that is driven, or as it is.
lbFrameRates lb_frame_end_rates(const lbBody *body, const lbStep *step);
// T after the frame has gone from one placement to another.
lbPlacement lb_placement_between(const lbPlacement *T, lbVec3 position0, lbQuat rotation0,
                                 lbVec3 position1, lbQuat rotation1);
// T at the end of a step in which a driven frame jumps: the body is carried to where it would come
// from if the frame had always moved as it does at the end. *rates <- those of the frame there.
lbPlacement lb_placement_jump(const lbBody *body, const lbStep *step, const lbPlacement *T,
                              lbFrameRates *rates);
lbVec3 lb_placement_apply(const lbPlacement *T, lbVec3 x);
lbVec3 lb_placement_unapply(const lbPlacement *T, lbVec3 x); // its inverse

static inline lbVec3 lb_whole_place(const lbWhole *whole, const double *u, size_t node) {
  return lb_add(lb_vec3_load(whole->positions + 3 * node), lb_vec3_load(u + 3 * node));
}

// u <-> q; v at u <-> rates relative to a frame that moves like this, in own axes. Nodes that
// cannot move have q = 0 and no rates. (padded) each.
void lb_whole_to_own(const lbWhole *whole, const lbPlacement *T, const double *u, double *q);
void lb_whole_from_own(const lbWhole *whole, const lbPlacement *T, const double *q, double *u);
void lb_whole_rates_to_own(const lbWhole *whole, const lbPlacement *T, const lbFrameRates *frame,
                           const double *u, const double *v, double *rates);
void lb_whole_rates_from_own(const lbWhole *whole, const lbPlacement *T, const lbFrameRates *frame,
                             const double *u, const double *rates, double *v);
// The velocity of a place that moves with the frame, all in the fixed axes.
lbVec3 lb_whole_carried(const lbWhole *whole, const lbPlacement *T, const lbFrameRates *frame,
                        lbVec3 place);
// Vectors of the own axes in the fixed ones, and back; may be the same.
void lb_whole_turn(const lbWhole *whole, const lbPlacement *T, const double *own, double *to);
void lb_whole_turn_back(const lbWhole *whole, const lbPlacement *T, const double *from,
                        double *own);

// x (nodes x 3) <- x without its rigid part at rest: of a displacement, or of a force, whose rigid
// part is that which would move the body as a whole. In the lumped mass.
void lb_whole_take_out_rigid(const lbWhole *whole, bool force, double *x);
lbVec3 lb_whole_centre(const lbWhole *whole, const double *u);
// Where the fixed axes are in the world: F T⁻¹.
lbPlacement lb_whole_base(const lbBody *body, const lbPlacement *T);
// Frame and T of a free body <- the nearest rigid placement of its shape u, about its centre; its
// momenta there (fixed axes; L and J about the centre) give the frame's velocities.
void lb_whole_fit_frame(lbBody *body, const lbWhole *whole, lbPlacement *T, const double *u,
                        lbVec3 P, lbVec3 L, lbMat3 J);
// The same where its centre and its turn are known.
void lb_whole_set_frame(lbBody *body, const lbWhole *whole, lbPlacement *T, lbVec3 centre,
                        lbMat3 turn, lbVec3 P, lbVec3 L, lbMat3 J);
// *report <- centre and momenta, given in the fixed axes (L about their origin).
void lb_whole_report(const lbBody *body, const lbWhole *whole, const lbPlacement *T,
                     const double *u, lbVec3 P, lbVec3 L, lbBodyReport *report);

#endif
