// The methods of the run side, one table each.
#ifndef LB_METHOD_TABLE_H
#define LB_METHOD_TABLE_H

#include "body/method.h"

extern const lbBodyMethod lb_modal_method, lb_subspace_method, lb_recorded_method, lb_warp_method;
extern const lbBodyMethod lb_frames_method, lb_rigid_method;

#endif
