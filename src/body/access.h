// The body layer as the layers above it see it: world, haptics, edit and full include this header
// and no other of src/body.
#ifndef LB_BODY_ACCESS_H
#define LB_BODY_ACCESS_H

#include "body/energy.h"
#include "body/guard.h"
#include "body/absolute_coordinates.h"
#include "body/body.h"
#include "body/constraints.h"
#include "body/hand_rows.h"
#include "body/point.h"
#include "body/reaction.h"
#include "body/response.h"
#include "body/response_nodes.h"
#include "body/response_kernels.h"
#include "body/sleep.h"
#include "body/world_surface.h"

// ---- what a body is ----------------------------------------------------------------------------

// kg, the mass of the whole body.
static inline double lb_body_mass(const lbBody *body) { return body->prepared->mass; }
// m, the centre of mass of the rest shape, own axes.
static inline lbVec3 lb_body_rest_centre(const lbBody *body) { return body->prepared->centre; }
// The length of a row of reduced coordinates: their number, rounded up to a multiple of LB_BATCH.
static inline int32_t lb_body_row_length(const lbBody *body) { return body->prepared->padded; }
// The data that bodies of one model share; another object after a change of material.
static inline const lbPrepared *lb_body_shared(const lbBody *body) { return body->prepared; }
// Working memory for one call, to be returned; NULL: no memory.
static inline lbScratch *lb_body_borrow_scratch(const lbBody *body) {
  return lb_scratch_borrow(body->prepared);
}
static inline void lb_body_return_scratch(const lbBody *body, lbScratch *scratch) {
  lb_scratch_return(body->prepared, scratch);
}

// The body plays a recording: it moves as time tells, and nothing acts on it.
static inline bool lb_body_is_recording(const lbBody *body) {
  return body->prepared->method->is_recording;
}
// The body can get more coordinates where contacts press it (lb_body_refine).
static inline bool lb_body_can_refine(const lbBody *body) {
  return lb_method_can_refine(body->prepared->method);
}
// The most refinements that a body can have.
static inline int32_t lb_body_refinements_max(const lbBody *body) {
  return body->prepared->method->refinements_most;
}
// m, the spacing of refinements that is used where `spacing` was asked for (0: the default).
static inline double lb_body_refinement_spacing(const lbBody *body, double spacing) {
  return body->prepared->method->refinement_spacing(body, spacing);
}
// Refines a body before a step of dt where contacts pressed it in the last one.
static inline void lb_body_refine(lbBody *body, const lbPresses *presses, int32_t most,
                                  double spacing, double dt) {
  body->prepared->method->refine(body, presses, most, spacing, dt);
}

// ---- where it is -------------------------------------------------------------------------------

// m, the origin of the body's own axes in the world.
static inline lbVec3 lb_body_position(const lbBody *body) { return body->frame.position; }
// The rotation from the body's own axes to the world's.
static inline lbQuat lb_body_rotation(const lbBody *body) { return body->frame.rotation; }
// The same as a matrix.
static inline lbMat3 lb_body_rotation_matrix(const lbBody *body) { return body->frame.turn; }
// m/s, the velocity of the frame at the rest shape's centre of mass, world axes.
static inline lbVec3 lb_body_linear_velocity(const lbBody *body) { return body->frame.velocity; }
// rad/s, the angular velocity of the frame, world axes.
static inline lbVec3 lb_body_angular_velocity(const lbBody *body) { return body->frame.spin; }
// m, the displacement of a point from the rest shape, own axes. LB_ERR_MEMORY: not known.
lbStatus lb_body_point_displacement(const lbBody *body, const lbPoint *point, lbVec3 *own);

// ---- how a world steps it ----------------------------------------------------------------------

// A body that is not active keeps its state when it is stepped: its step is done already.
static inline void lb_body_set_active(lbBody *body, bool active) { body->done = !active; }
// A body that sleeps keeps its state when it is stepped, and its time goes on.
static inline void lb_body_set_asleep(lbBody *body, bool asleep) { body->asleep = asleep; }
// A force was applied to the body since the last lb_body_forget_push.
static inline bool lb_body_was_pushed(const lbBody *body) { return body->pushed; }
static inline void lb_body_forget_push(lbBody *body) { body->pushed = false; }

#endif
