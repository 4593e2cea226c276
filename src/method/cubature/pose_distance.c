// Distance from the trained poses; see method/cubature/pose_distance.h.
#include "method/cubature/pose_distance.h"

#include <string.h>

// of the square of the widest spread, added to all. Doubled, narrow sets of poses count as wider.
#define SPREAD_LEAST 1e-3

static double pose_entry(const lbPrepared *p, int32_t pose, int32_t i) {
  const lbModel *m = p->model;
  return m->cubature_poses[(size_t)pose * (size_t)m->size.subspace_dimension +
                           (size_t)(p->kept ? p->kept[i] : i)];
}

static void add_pose(const lbPrepared *p, int32_t pose, const lbPoses *poses) {
  size_t n = (size_t)poses->stride;
  for (int32_t j = 0; j < poses->count; j++)
    for (int32_t i = j; i < poses->count; i++)
      poses->factors[(size_t)j * n + (size_t)i] +=
          pose_entry(p, pose, i) * pose_entry(p, pose, j) / p->model->size.pose_count;
}

static double size_of_poses(const lbPoses *poses, const double *q, double *work) {
  memset(work, 0, (size_t)poses->stride * sizeof *work);
  memcpy(work, q, (size_t)poses->count * sizeof *q);
  poses->ldlt->solve(poses->count, poses->factors, work);
  return sqrt(fmax(lb_row_dot(poses->count, q, work), 0));
}

// False: the poses are all at rest.
static bool factor_poses(lbPoses *poses) {
  size_t n = (size_t)poses->stride;
  double most = 0;
  for (size_t i = 0; i < (size_t)poses->count; i++) most = fmax(most, poses->factors[i * (n + 1)]);
  for (size_t i = 0; i < (size_t)poses->count; i++)
    poses->factors[i * (n + 1)] += SPREAD_LEAST * most;
  return most > 0 && poses->ldlt->factor(poses->count, poses->factors);
}

lbStatus lb_poses_create(const lbPrepared *p, lbPoses *out, lbError *err) {
  lbPoses poses = { .ldlt = lb_ldlt_kernels(p->level), .count = p->dimension };
  int32_t pose_count = p->model->size.pose_count;
  poses.stride = lb_ldlt_padded(poses.count);
  size_t n = (size_t)poses.stride;
  *out = poses;
  if (pose_count == 0) return LB_OK;
  double *work = lb_alloc(3 * n, sizeof *work);
  poses.factors = lb_alloc(n, n * sizeof *poses.factors);
  lbStatus status = work && poses.factors ? LB_OK : lb_fail_memory(err);
  for (int32_t k = 0; k < pose_count && !status; k++) add_pose(p, k, &poses);
  bool any = !status && factor_poses(&poses);
  for (int32_t k = 0; k < pose_count && any; k++) {
    for (int32_t i = 0; i < poses.count; i++) work[2 * n + (size_t)i] = pose_entry(p, k, i);
    poses.farthest = fmax(poses.farthest, size_of_poses(&poses, work + 2 * n, work));
  }
  lb_free(work);
  if (any && poses.farthest > 0)
    *out = poses;
  else
    lb_free(poses.factors);
  return status;
}

void lb_poses_release(lbPoses *poses) { lb_free(poses->factors); }

double lb_poses_distance(const lbPoses *poses, const double *q, double *work) {
  return poses->factors ? size_of_poses(poses, q, work) / poses->farthest : 0;
}
