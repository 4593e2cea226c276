// Posing by handles; the unreduced part of it.
#ifndef LB_STUDY_POSE_H
#define LB_STUDY_POSE_H

#include "limber/pose.h"

// Fills dimension, energy, iterations, flags and displacements of a pose that has its model and
// script.
lbStatus lb_pose_full(const lbSceneBody *body, const lbPoseDef *def, lbPose *pose, lbError *err);

#endif
