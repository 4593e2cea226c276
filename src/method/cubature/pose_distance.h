// How far coordinates are from the poses that a model's cubature was trained with, in the measure
// of the poses' own spread C = 1/n sum p p^T:
//
//   |q| = sqrt(q^T (C + e 1)^-1 q) / the greatest of the poses' own,   e = 1e-3 of C's largest
//   entry,
//
// 0 at rest and 1 at the farthest pose. Directions in which the poses hardly differ count as ones
// of a thirtieth of the widest spread.
#ifndef LB_METHOD_CUBATURE_POSE_DISTANCE_H
#define LB_METHOD_CUBATURE_POSE_DISTANCE_H

#include "body/body.h"

#include "math/ldlt.h"

typedef struct lbPoses {
  const lbLdltKernels *ldlt;
  int32_t count, stride; // of coordinates
  double *factors;       // (stride x stride): LDLT of C + e 1; NULL: there are no poses
  double farthest;       // of the poses
} lbPoses;

lbStatus lb_poses_create(const lbPrepared *prepared, lbPoses *out, lbError *err);
void lb_poses_release(lbPoses *poses);
// `work` has 2 stride doubles. 0 where there are no poses.
double lb_poses_distance(const lbPoses *poses, const double *q, double *work);

#endif
