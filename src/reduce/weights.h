// Weights of frames over the voxels of an object, and their values and gradients at any point.
// Gilles, Bousquet, Faure, Pai: Frame-based Elastic Models, 2011, section 4.1.
//
// A field holds a weight for each frame at the centre of each voxel; they sum to 1. Harmonic
// weights need a sparse solver (reduce/harmonic.h), painted ones come from the vertices of a mesh
// (reduce/painted.h); all kinds are evaluated here.
//
// Of the kinds made here, with d_i the distance from frame i:
//   euclidean  w_i ∝ φ(d_i), d straight through whatever lies between
//   geodesic   w_i ∝ φ(d_i), d inside the object
//   linear     w_i ∝ max(0, min_j (1 − t_ij)),  t_ij = ½ + (d_i² − d_j²) / (2 d_ij²),  d geodesic:
//              t_ij runs from 0 at frame i to 1 at frame j, linearly along straight pieces; so a
//              chain has piecewise linear weights, and others have something that is linear
//              between any two neighbours and zero beyond them
//   spline     Catmull–Rom along the chain of frames in their order (negative in places), its
//              parameter being Σ i w_i of the linear weights
// φ(d) = (1/e − 1/(c − r))² for e = max(d − r, 0) below c − r, else 0, with r the radius of a
// frame's own region and c the cut-off: 1 in a frame's own region and 0 in the others', once
// normalised, with zero slope there.
#ifndef LB_REDUCE_WEIGHTS_H
#define LB_REDUCE_WEIGHTS_H

#include "frames/voxels.h"

typedef enum lbWeightKind { // names as scenes spell them: lb_weight_kind_names
  LB_WEIGHTS_HARMONIC,
  LB_WEIGHTS_GEODESIC,
  LB_WEIGHTS_EUCLIDEAN,
  LB_WEIGHTS_LINEAR,
  LB_WEIGHTS_SPLINE,
  LB_WEIGHTS_PAINTED,
  LB_WEIGHT_KIND_COUNT
} lbWeightKind;

const char *const *lb_weight_kind_names(void); // in the order of lbWeightKind; ended by NULL

typedef struct lbWeightDef {
  lbWeightKind kind; // default LB_WEIGHTS_GEODESIC; lb_weights_create refuses harmonic and painted
  // m, own region of a frame; 0 (default): LB_WEIGHT_RADIUS of the smallest distance between two
  // frames. Ignored by linear and spline weights. Regions that meet belong to the nearer frame.
  double radius;
  // m, distance at which a frame's weight ends; 0 (default): none. Where it leaves voxels without a
  // frame it is raised to 1.1 times what reaches them all. Ignored by linear and spline weights.
  double cutoff;
  const int32_t *owners; // (voxels) frame to which a voxel belongs wholly (a painted rigid region),
                         // or -1; NULL (default): none
} lbWeightDef;

#define LB_WEIGHT_RADIUS 0.4

lbWeightDef lb_weight_def(void);

typedef struct lbWeights {
  int32_t frame_count, voxel_count;
  double *weights; // (frames x voxels); the frames' weights of a voxel sum to 1 (rounding: 1e-15)
  double radius;   // m, in effect
  double cutoff;   // m, in effect; 0: none
} lbWeights;

// `positions` (frames x 3): of the frames in the rest shape. Guarantees:
// - weights sum to 1 at every voxel and lie in [0, 1] (spline: above -0.15, below 1.15);
// - a frame has weight in its own part alone, and none leaks across a gap of a voxel or more, nor
//   through closed faces (all kinds but euclidean);
// - same positions, same bits.
// Refuses what lb_frames_check does, and a part without a frame.
lbStatus lb_weights_create(const lbVoxels *voxels, int32_t frame_count, const double *positions,
                           const lbWeightDef *def, lbWeights **out, lbError *err);
// All weights zero, to be filled in.
lbStatus lb_weights_create_empty(int32_t frame_count, int32_t voxel_count, lbWeights **out,
                                 lbError *err);
void lb_weights_destroy(lbWeights *field); // NULL is legal
// Into [0, 1] and to the sum 1 at every voxel: for what rounding has moved out of them. The weights
// of a voxel must not all be zero or less.
void lb_weights_normalise(lbWeights *field);

// homes (frames, may be NULL) gets the voxel that holds each frame. Refuses: no frames, positions
// that are not finite, a frame outside the voxels, two frames in one voxel, and parts without a
// frame, by number and place.
lbStatus lb_frames_check(const lbVoxels *voxels, int32_t frame_count, const double *positions,
                         int32_t *homes, lbError *err);

// ---- values at points --------------------------------------------------------------------------

// Whatever lies at voxels has at a point the value Σ_k values[k] u[voxels[k]] and the gradient
// Σ_k gradients[k] u[voxels[k]]: cubic Hermite functions between the centres around the point,
// through the values there with slopes by central differences (one-sided at the boundary).
// - Inside the voxels the value is continuously differentiable and the gradient is its derivative,
//   exactly; at the centre of a voxel it is the central difference.
// - Linear functions are reproduced exactly, up to the boundary and beyond it, unless the object is
//   a single voxel thick there; constants always: weights sum to 1 and their gradients to 0 at
//   every point (rounding: 1e-14).
// - Between centres values may leave the range of those around by a seventh of the greatest change
//   per voxel; in the outer half of a boundary voxel, where they are continued linearly, by half.
// - Only voxels enter that open faces join to `home` in the cells right around: nothing leaks
//   across a gap, a slit or an edge where voxels merely touch.
// - Outside its home voxel a point has the value at the nearest point of that voxel, continued
//   linearly.
#define LB_WEIGHT_ROW_MOST 512

typedef struct lbWeightRow {
  int32_t count; // at most LB_WEIGHT_ROW_MOST; 7 to 40 as a rule
  int32_t voxels[LB_WEIGHT_ROW_MOST];
  double values[LB_WEIGHT_ROW_MOST];       // sum 1
  double gradients[LB_WEIGHT_ROW_MOST][3]; // 1/m, sum 0
} lbWeightRow;

// `home`: the voxel that the point is to be seen from, lb_voxels_nearest unless the caller knows
// better (a vertex of a surface that lies just outside, nearer to another leg).
void lb_weight_row(const lbVoxels *voxels, int32_t home, lbVec3 point, lbWeightRow *row);
// u (voxels); returns the value; gradient may be NULL.
double lb_weight_row_apply(const lbWeightRow *row, const double *u, double gradient[3]);

// Of all frames of a field: values (frames), gradients (frames x 3); either may be NULL. Takes no
// memory.
void lb_weights_at(const lbVoxels *voxels, const lbWeights *field, int32_t home, lbVec3 point,
                   double *values, double *gradients);

#endif
