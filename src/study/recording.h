// Recording the motion of an unreduced body.
#ifndef LB_STUDY_RECORDING_H
#define LB_STUDY_RECORDING_H

#include "limber/scene.h"

#define LB_RECORDING_RATE 120.0 // Hz, at most
#define LB_RECORDING_ERROR 1e-3 // of the motion that is left out, in the norm of the mass
#define LB_RECORDING_VECTORS 64 // at most

// Runs one unreduced body of a scene for the scene's steps and puts its motion into *model, which
// is replaced: the model of that body (lb_scene_full_model). *path: where the frame of a free body
// goes, in which it moves; of others it is unchanged.
lbStatus lb_record_body(const lbScene *scene, int32_t body, lbModel **model, lbPath **path,
                        lbError *err);

#endif
