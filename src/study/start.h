// How a body of a scene starts: its shape and where its frame stands.
#ifndef LB_STUDY_START_H
#define LB_STUDY_START_H

#include "limber/math.h"
#include "limber/scene.h"

typedef struct lbStart {
  lbVec3 position;
  lbQuat rotation;
  int32_t dimension;   // of `coordinates`
  double *coordinates; // NULL: its rest shape
} lbStart;

// Of a body with that model: where the scene puts it, in the shape of its pose (of a free body, the
// pose moves the frame, too), or in that of a cooked file.
lbStatus lb_start_find(const lbScene *scene, const lbSceneBody *body, const lbModel *model,
                       lbStart *start, lbError *err);
void lb_start_release(lbStart *start);

#endif
