// Records the motion on a stage, and writes it as an animated .glb.
#ifndef LIMBER_VIEWER_ANIMATION_H
#define LIMBER_VIEWER_ANIMATION_H

#include "stage/stage.h"

#define VW_ANIMATION_RATE 30.0 // frames a second of simulated time

typedef struct vwAnimation vwAnimation;

lbStatus vw_animation_create(const vwStage *stage, vwAnimation **out, lbError *err);
void vw_animation_destroy(vwAnimation *animation);
// False when the stage's actors are no longer those that it began with, or when it is so long that
// it is to be saved now. It must not outlive the bundle of the stage that it began with.
bool vw_animation_fits(const vwAnimation *animation, const vwStage *stage);
// Adds a frame if simulated time has advanced far enough; a reset of the stage continues from where
// it was. LB_ERR_ARGUMENT where it does not fit.
lbStatus vw_animation_add(vwAnimation *animation, const vwStage *stage, lbError *err);
int32_t vw_animation_frames(const vwAnimation *animation);
// By lb_animation_write, in programs that have the build side; the page has vw_gltf_write.
lbStatus vw_animation_save(const vwAnimation *animation, const char *path, lbError *err);

#endif
