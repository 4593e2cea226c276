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
// What elastic forces are summed over from the next step on; the model says what they begin with.
// Springs come with lumped masses, so that momenta of a body in motion change with the switch by
// what both kinds of mass differ.
lbStatus lb_body_frames_set_forces(lbBody *body, lbFrameForces forces);
lbFrameForces lb_body_frames_forces(const lbBody *body);

#ifdef __cplusplus
}
#endif
#endif
