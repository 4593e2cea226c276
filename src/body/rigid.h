// The method of rigid bodies: a free frame with the mass of a shape, and no coordinates. What a
// step does to a frame is frame_step.c's; contacts are those of the exact shape.
#ifndef LB_BODY_RIGID_H
#define LB_BODY_RIGID_H

#include "body/body.h"
#include "contact/solid.h"

// The shape of a rigid body, in its own axes; NULL: the body is of another method.
const lbSolid *lb_rigid_solid(const lbBody *body);
// Whether places of its surface have no corners: where it rolls, another place of it touches.
bool lb_rigid_is_round(const lbBody *body);
// The same of a model (lbModel.rigid_shape), which must have one. To be destroyed.
lbStatus lb_rigid_make_solid(const lbModel *model, lbSolid **out, lbError *err);

#endif
