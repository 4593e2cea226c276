// The rigid motion that is in the frames of a body, so that its node can carry it: a body that
// spins needs no morph targets for that, and between frames it turns instead of shrinking.
#ifndef LB_EXPORT_RIGID_H
#define LB_EXPORT_RIGID_H

#include "export/surface.h"

typedef struct lbRigidPart {
  double *positions; // (frame_count x 3)
  double *rotations; // (frame_count x 4)
  float *frames;     // (frame_count x vertex_count x 3): without it
} lbRigidPart;

// For each frame the rotation and translation that bring the rest shape nearest to it. Bodies that
// turn little keep their frames: all of `out` is NULL then. Release it.
lbStatus lb_rigid_take_out(const lbSurface *surface, const lbMesh *mesh, int32_t frame_count,
                           const float *frames, lbRigidPart *out, lbError *err);
void lb_rigid_release(lbRigidPart *part);

#endif
