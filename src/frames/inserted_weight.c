// The weight of a frame that is inserted while a body runs.
#include "frames/inserted_weight.h"

lbStatus lb_weight_bump(const lbVoxels *voxels, lbVec3 point, int32_t home, double cutoff,
                        double *bump, int32_t *reached, lbError *err) {
  if (!(cutoff > 0) || !isfinite(cutoff))
    return lb_fail(err, LB_ERR_ARGUMENT, "the cut-off of a frame's weight is %g, use a length",
                   cutoff);
  lbStatus status = lb_voxels_distances(voxels, point, home, cutoff, bump, err);
  if (status) return status;
  int32_t count = 0;
  for (int32_t v = 0; v < voxels->count; v++) {
    double part = bump[v] < cutoff ? 1 - bump[v] / cutoff * (bump[v] / cutoff) : 0;
    bump[v] = part * part;
    count += part > 0;
  }
  if (reached) *reached = count;
  return LB_OK;
}

double lb_weight_linear(const lbVoxels *voxels, int32_t home, lbVec3 point, const double *u,
                        double gradient[3]) {
  double cell = voxels->grid->cell;
  for (int a = 0; a < 3; a++) {
    int32_t low = voxels->neighbours[6 * home + 2 * a],
            high = voxels->neighbours[6 * home + 2 * a + 1];
    double from = low >= 0 ? u[low] : u[home], to = high >= 0 ? u[high] : u[home];
    int steps = (low >= 0) + (high >= 0);
    gradient[a] = steps ? (to - from) / (steps * cell) : 0;
  }
  return u[home] + lb_dot(lb_vec3_load(gradient), lb_sub(point, lb_voxels_centre(voxels, home)));
}
