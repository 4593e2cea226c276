// Posing by handles: the tool "pose". Mechanics are the library's (limber/edit.h); here are the
// pointers: what they paint becomes a handle, and a gizmo at the chosen handle, three arrows, three
// rings and a disc in the middle, is dragged.
#ifndef LIMBER_VIEWER_POSE_H
#define LIMBER_VIEWER_POSE_H

#include "stage/stage.h"

#include "limber/edit.h"

// Returns whether it did something. The first press on a body begins a pose of it: time stands
// until the pose is ended.
bool vw_pose_press(vwStage *stage, int32_t pointer, const vwView *view, double x, double y);
bool vw_pose_move(vwStage *stage, int32_t pointer, const vwView *view, double x, double y);
bool vw_pose_release(vwStage *stage, int32_t pointer);
void vw_pose_follow(vwStage *stage); // the shape, by what fits a frame
// The body moves on from its pose; no effect without a pose.
void vw_pose_end(vwStage *stage);

#endif
