// What must hold between the arrays of the method "frames".
#include "model/model.h"

#include <math.h>

#define LENGTH_MOST 1e30
#define WEIGHT_MOST 1e6
#define LIST_MOST 16 // frames at a sample

static lbStatus check_presence(const lbModel *m, const char *where, lbError *err) {
  if (!m->frame_settings || !m->sample_begin || !m->node_frame_begin || !m->node_voxels ||
      !m->voxel_grid || !m->voxel_size)
    return lb_fail(err, LB_ERR_FORMAT,
                   "%s: frames.settings, sample_begin, node_begin, node_voxels, grid or grid_size "
                   "is missing",
                   where);
  if (m->size.frame_count > LB_FRAMES_MOST || m->size.sample_count < 1)
    return lb_fail(err, LB_ERR_FORMAT, "%s: %d frames and %d samples; 1 to %d frames have samples",
                   where, (int)m->size.frame_count, (int)m->size.sample_count, LB_FRAMES_MOST);
  const int32_t *s = m->frame_settings;
  if (s[0] < 0 || s[0] >= LB_FRAME_FORCES_COUNT || s[1] < 0 || s[1] >= LB_FRAME_MASS_COUNT)
    return lb_fail(err, LB_ERR_FORMAT, "%s: frames.settings has forces %d and mass %d", where,
                   (int)s[0], (int)s[1]);
  if (s[0] == LB_FRAME_SPRINGS && m->size.frame_count > LB_SPRING_FRAMES_MOST)
    return lb_fail(err, LB_ERR_FORMAT, "%s: %d frames have springs, up to %d can", where,
                   (int)m->size.frame_count, LB_SPRING_FRAMES_MOST);
  return LB_OK;
}

static lbStatus check_frame_poses(const lbModel *m, const char *where, lbError *err) {
  for (int32_t i = 0; i < m->size.frame_count; i++) {
    const double *p = m->frame_poses + 7 * (size_t)i;
    double square = p[3] * p[3] + p[4] * p[4] + p[5] * p[5] + p[6] * p[6];
    for (int k = 0; k < 3; k++)
      if (!(fabs(p[k]) <= LENGTH_MOST))
        return lb_fail(err, LB_ERR_FORMAT, "%s: frame %d lies at %g m", where, (int)i, p[k]);
    if (!(fabs(square - 1) <= 1e-6))
      return lb_fail(err, LB_ERR_FORMAT, "%s: the rotation of frame %d has the length %g, not 1",
                     where, (int)i, sqrt(square));
  }
  return LB_OK;
}

// Lists of frames that ascend, their weights finite and their sums not zero.
static lbStatus check_frame_lists(const int32_t *begin, int32_t count, int32_t entries,
                                  const int32_t *frames, const double *weights, size_t stride,
                                  const char *what, const char *where, lbError *err) {
  if (begin[0] != 0 || begin[count] != entries)
    return lb_fail(err, LB_ERR_FORMAT, "%s: frames.%s_begin runs from %d to %d, not from 0 to %d",
                   where, what, (int)begin[0], (int)begin[count], (int)entries);
  for (int32_t k = 0; k < count; k++) {
    double sum = 0;
    if (begin[k + 1] <= begin[k] || begin[k + 1] - begin[k] > LIST_MOST || begin[k + 1] > entries)
      return lb_fail(err, LB_ERR_FORMAT, "%s: %s %d has weights of %d frames, not of 1 to %d",
                     where, what, (int)k, (int)(begin[k + 1] - begin[k]), LIST_MOST);
    for (int32_t e = begin[k]; e < begin[k + 1]; e++) {
      if (e > begin[k] && frames[e] <= frames[e - 1])
        return lb_fail(err, LB_ERR_FORMAT, "%s: the frames of %s %d do not ascend", where, what,
                       (int)k);
      if (!(fabs(weights[stride * (size_t)e]) <= WEIGHT_MOST))
        return lb_fail(err, LB_ERR_FORMAT, "%s: a weight of %s %d is %g", where, what, (int)k,
                       weights[stride * (size_t)e]);
      sum += weights[stride * (size_t)e];
    }
    if (!(sum > 1e-6))
      return lb_fail(err, LB_ERR_FORMAT, "%s: the weights of %s %d sum to %g", where, what, (int)k,
                     sum);
  }
  return LB_OK;
}

static lbStatus check_samples(const lbModel *m, const char *where, lbError *err) {
  for (int32_t k = 0; k < m->size.sample_count; k++) {
    double factor = m->sample_stiffness ? m->sample_stiffness[k] : 1;
    if (!(m->sample_volumes[k] > 0 && m->sample_masses[k] > 0 && factor > 0 &&
          factor <= LENGTH_MOST))
      return lb_fail(err, LB_ERR_FORMAT,
                     "%s: sample %d has %g m3, %g kg and the factor %g; all must be above 0", where,
                     (int)k, m->sample_volumes[k], m->sample_masses[k], factor);
    for (size_t i = 0; i < 3; i++)
      if (!(fabs(m->sample_positions[3 * (size_t)k + i]) <= LENGTH_MOST))
        return lb_fail(err, LB_ERR_FORMAT, "%s: sample %d lies at %g m", where, (int)k,
                       m->sample_positions[3 * (size_t)k + i]);
  }
  double shared[2] = { 0, 0 };
  for (size_t k = 0; k < 2 * (size_t)m->size.sample_count && m->sample_shares; k++) {
    if (!(m->sample_shares[k] >= 0 && m->sample_shares[k] <= LENGTH_MOST))
      return lb_fail(err, LB_ERR_FORMAT, "%s: frames.sample_shares[%llu] is %g", where,
                     (unsigned long long)k, m->sample_shares[k]);
    shared[k % 2] += m->sample_shares[k];
  }
  if (m->sample_shares && !(shared[0] > 0 && shared[1] > 0))
    return lb_fail(err, LB_ERR_FORMAT, "%s: frames.sample_shares leaves no volume or no mass",
                   where);
  for (size_t e = 0; e < 4 * (size_t)m->size.sample_entry_count; e++)
    if (!(fabs(m->sample_weights[e]) <= LENGTH_MOST))
      return lb_fail(err, LB_ERR_FORMAT, "%s: frames.sample_weights[%llu] is %g", where,
                     (unsigned long long)e, m->sample_weights[e]);
  return LB_OK;
}

static lbStatus check_frame_grid(const lbModel *m, const char *where, lbError *err) {
  const int32_t *size = m->voxel_size;
  double cells = (double)size[0] * size[1] * size[2];
  int32_t filled = 0;
  for (int k = 0; k < 4; k++)
    if (!(fabs(m->voxel_grid[k]) <= LENGTH_MOST))
      return lb_fail(err, LB_ERR_FORMAT, "%s: frames.grid[%d] is %g", where, k, m->voxel_grid[k]);
  if (cells != m->size.voxel_cell_count || !(m->voxel_grid[3] > 0))
    return lb_fail(err, LB_ERR_FORMAT, "%s: %d cells of %g m are not a grid of %d x %d x %d", where,
                   (int)m->size.voxel_cell_count, m->voxel_grid[3], (int)size[0], (int)size[1],
                   (int)size[2]);
  for (int32_t i = 0; i < m->size.voxel_cell_count; i++) filled += m->voxel_cells[i] & 1;
  if (filled != m->size.sample_count)
    return lb_fail(err, LB_ERR_FORMAT, "%s: %d filled cells for %d samples", where, (int)filled,
                   (int)m->size.sample_count);
  return LB_OK;
}

lbStatus lb_model_check_frames(const lbModel *m, const char *where, lbError *err) {
  const lbModelSizes *s = &m->size;
  if (s->frame_count == 0) {
    if (s->sample_count == 0 && !m->frame_settings) return LB_OK;
    return lb_fail(err, LB_ERR_FORMAT, "%s: has samples or settings of frames, but no frames",
                   where);
  }
  lbStatus status = check_presence(m, where, err);
  if (!status) status = check_frame_poses(m, where, err);
  if (!status)
    status = check_frame_lists(m->sample_begin, s->sample_count, s->sample_entry_count,
                               m->sample_frames, m->sample_weights, 4, "sample", where, err);
  if (!status)
    status = check_frame_lists(m->node_frame_begin, s->node_count, s->node_entry_count,
                               m->node_frames, m->node_weights, 1, "node", where, err);
  if (!status) status = check_samples(m, where, err);
  if (!status) status = check_frame_grid(m, where, err);
  if (!status && m->frame_bulk && !(m->frame_bulk[0] >= 0 && m->frame_bulk[0] <= LENGTH_MOST))
    status = lb_fail(err, LB_ERR_FORMAT, "%s: frames.bulk is %g", where, m->frame_bulk[0]);
  return status;
}
