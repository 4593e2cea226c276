// limber/frames.h: what bodies of the method "frames" have beside what all bodies have.
#ifndef LIMBER_FRAMES_H
#define LIMBER_FRAMES_H

#include "limber/body.h"

#ifdef __cplusplus
extern "C" {
#endif

int32_t lb_body_frames_count(const lbBody *body); // 0: a body of another method
// Where a frame is in the world; either may be NULL.
lbStatus lb_body_frames_pose(const lbBody *body, int32_t frame, lbVec3 *position, lbQuat *rotation);
// (nodes of the model) <- the weights of a frame at the body's nodes as they are now, with frames
// that were inserted; lb_model_embed takes them to the vertices of its surface.
lbStatus lb_body_frames_weights(const lbBody *body, int32_t frame, double *weights);
// What elastic forces are summed over from the next step on; the model says what they begin with.
// Springs come with lumped masses, so that momenta of a body in motion change with the switch by
// what both kinds of mass differ.
lbStatus lb_body_frames_set_forces(lbBody *body, lbFrameForces forces);
lbFrameForces lb_body_frames_forces(const lbBody *body);

// Takes hold of a frame that moves by itself: over the next step it is led to this pose in the
// world, as far as the body can be stretched, and towards it in those after, until the next call or
// its release. It has then the velocity of its last step. Fixed frames are refused: those are led
// by lb_body_drive_joint.
lbStatus lb_body_frames_drag(lbBody *body, int32_t frame, lbVec3 position, lbQuat rotation);
lbStatus lb_body_frames_release(lbBody *body, int32_t frame);

// A frame more at a place of the body as it is, in the world; *frame (may be NULL) is its number,
// the last. It takes over within `reach` (m, along paths inside the body at rest; 0: as far as the
// nearest other frame; never less than three voxels) and fades out towards it. The place at rest is
// found by Newton's method, and the frames are fitted to the shape and the motion that the body
// has, which stay as near as the new frames can come. Up to eight may be inserted into a body.
// Refuses places outside the body, or in the voxel of another frame. Takes memory; a few
// milliseconds. Saved states bring the inserted frames along that a body had; another material
// takes them away.
lbStatus lb_body_frames_insert(lbBody *body, lbVec3 place, double reach, int32_t *frame);
// Takes a frame away, likewise; those behind it move up. Refuses one that is alone somewhere. Where
// it is one of the model's, states are for bodies of the same frames from then on.
lbStatus lb_body_frames_remove(lbBody *body, int32_t frame);

#ifdef __cplusplus
}
#endif
#endif
