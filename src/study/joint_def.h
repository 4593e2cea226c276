// Joints of a scene as its bodies' models have them.
#ifndef LB_STUDY_JOINT_DEF_H
#define LB_STUDY_JOINT_DEF_H

#include "limber/scene.h"

// All but the bodies. `models`: of the two bodies; the second NULL for the world. *region is what
// def->region points to: lb_free it.
lbStatus lb_study_joint(const lbScene *scene, int32_t number, const lbModel *const models[2],
                        lbJointDef *def, int32_t **region, lbError *err);

#endif
