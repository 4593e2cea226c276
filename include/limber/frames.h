// limber/frames.h: what bodies of the method "frames" have beside what all bodies have.
#ifndef LIMBER_FRAMES_H
#define LIMBER_FRAMES_H

#include "limber/body.h"

#ifdef __cplusplus
extern "C" {
#endif

int32_t lb_body_frames_count(const lbBody *body); // 0: a body of another method
// Pose of a frame in the world; either may be NULL.
lbStatus lb_body_frames_pose(const lbBody *body, int32_t frame, lbVec3 *position, lbQuat *rotation);
// weights (nodes of the model) <- the present weights of a frame, inserted frames included;
// lb_model_embed interpolates them at the vertices of the surface.
lbStatus lb_body_frames_weights(const lbBody *body, int32_t frame, double *weights);
// How elastic forces are evaluated from the next step on; the model has the initial setting.
// Springs use lumped masses, so switching changes the momenta of a moving body by the difference of
// the two mass matrices.
lbStatus lb_body_frames_set_forces(lbBody *body, lbFrameForces forces);
lbFrameForces lb_body_frames_forces(const lbBody *body);

// Drags a free frame: over the next step it moves to this pose in the world, as far as the body
// stretches, and towards it in later steps, until the next call or its release, when it keeps the
// velocity of its last step. Fixed frames are refused: move them by lb_body_drive_joint.
lbStatus lb_body_frames_drag(lbBody *body, int32_t frame, lbVec3 position, lbQuat rotation);
lbStatus lb_body_frames_release(lbBody *body, int32_t frame);

// Inserts a frame at a point of the deformed body, in the world; *frame (may be NULL) is its
// number, the last. Its weight falls from 1 to 0 over `reach` (m, along paths inside the body at
// rest; 0: the distance of the nearest other frame; at least three voxels). The point at rest is
// found by Newton's method; then all frames are fitted to the present shape and motion of the body
// as closely as they can represent it. A body can have up to eight inserted frames. Refuses points
// outside the body, or in the voxel of another frame. Takes memory and a few milliseconds. Saved
// states contain the inserted frames; a change of material removes them.
lbStatus lb_body_frames_insert(lbBody *body, lbVec3 place, double reach, int32_t *frame);
// Removes a frame and fits the others; later frames move up by one number. Refuses the only frame
// of a part of the body. After a frame of the model was removed, saved states fit only bodies with
// the same frames.
lbStatus lb_body_frames_remove(lbBody *body, int32_t frame);

#ifdef __cplusplus
}
#endif
#endif
