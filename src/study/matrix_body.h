// The unreduced body behind a body of a scene, also where that comes from a model file.
#ifndef LB_STUDY_MATRIX_BODY_H
#define LB_STUDY_MATRIX_BODY_H

#include "limber/scene.h"

// In its own axes. `free`: as if nothing was fixed.
lbStatus lb_matrix_fem(const lbSceneBody *body, bool free, lbFem **out, lbError *err);
// Of a model, with nothing fixed.
lbStatus lb_model_free_fem(const lbModel *model, lbFem **out, lbError *err);

#endif
