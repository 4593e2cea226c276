// Harmonic weights of frames: for each frame the solution of Laplace's equation on the voxels, 1 in
// its own region, 0 in those of the others, without flux through the boundary and closed faces.
//
// A frame's own region is every voxel whose centre is no farther from it, inside the object, than
// `radius`, and the voxel that holds it: so weights depend on the radius and hardly on the size of
// the voxels: the region's surface is where the radius is reached on the lines between centres, not
// on the faces of voxels. Painted regions (def->owners) are fixed voxel by voxel. One sparse
// Cholesky factorisation serves all frames.
//
// Guarantees: weights sum to 1 at every voxel (they are normalised, which changes them by rounding
// alone), lie in [0, 1], and take their extremes in the regions (maximum principle).
#ifndef LB_REDUCE_HARMONIC_H
#define LB_REDUCE_HARMONIC_H

#include "reduce/weights.h"

// def->kind and def->cutoff are ignored. Refuses what lb_weights_create refuses.
lbStatus lb_harmonic_weights(const lbVoxels *voxels, int32_t frame_count, const double *positions,
                             const lbWeightDef *def, lbWeights **out, lbError *err);

// The field of any kind: harmonic ones by this, others by lb_weights_create.
lbStatus lb_frame_weights(const lbVoxels *voxels, int32_t frame_count, const double *positions,
                          const lbWeightDef *def, lbWeights **out, lbError *err);

#endif
