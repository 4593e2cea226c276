// The method of rigid bodies: a free frame with the mass of a shape, and no coordinates. What a
// step does to a frame is frame_motion.c's; contacts are those of the exact shape.
#ifndef LB_METHOD_RIGID_RIGID_H
#define LB_METHOD_RIGID_RIGID_H

#include "body/body.h"
#include "collide/solid.h"

// The shape of a model (lbModel.rigid_shape), which must have one. To be destroyed.
lbStatus lb_rigid_make_solid(const lbModel *model, lbSolid **out, lbError *err);

#endif
