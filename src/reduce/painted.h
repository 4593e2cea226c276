// Weights of frames that are painted: given at the vertices of a mesh, a skin or a volume, as those
// of a rig are.
//
// A voxel has the mean weight of the parts of the mesh in it: triangles, or tets and bricks where
// there are some, are seen at points half a voxel apart, with weights between those of their
// corners. Voxels in which there is nothing of the mesh have Laplace's equation between the others.
// Frames beyond the painted ones take over around their places: with b falling from 1 there to 0 at
// the nearest other frame (lb_weight_bump), they get b and leave 1 − b to the others.
#ifndef LB_REDUCE_PAINTED_H
#define LB_REDUCE_PAINTED_H

#include "frames/inserted_weight.h"
#include "reduce/weights.h"
#include "limber/mesh.h"

typedef struct lbPainting {
  const lbMesh *mesh; // in the axes of the voxels
  int32_t columns;    // frames that are painted: the first ones
  const double
      *weights; // (vertices x columns), finite and >= 0; a vertex that has none says nothing
} lbPainting;

// Refuses what lb_frames_check does, weights that are not finite or negative, and parts of the
// object in which there is no weight, by place. owners: as in lbWeightDef.
lbStatus lb_painted_weights(const lbVoxels *voxels, const lbPainting *painting, int32_t frame_count,
                            const double *positions, const int32_t *owners, lbWeights **out,
                            lbError *err);

#endif
