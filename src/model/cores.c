// Rigid cores of warped bodies: what must hold between their arrays.
#include "model/model.h"

#include <math.h>

static bool is_held(const lbModel *m, int32_t core) {
  return m->warp_core_kinds[core] != LB_CORE_FREE;
}

bool lb_model_is_free_by(const lbModel *m, lbMethod method) {
  for (int32_t c = 0; method == LB_METHOD_WARP && c < m->size.core_count; c++)
    if (is_held(m, c)) return false;
  for (int32_t i = 0; method == LB_METHOD_FRAMES && i < m->size.frame_count; i++)
    if (m->frame_fixed[i]) return false;
  return lb_model_is_free(m);
}

static lbStatus check_core_keys(const lbModel *m, int32_t core, const char *where, lbError *err) {
  const int32_t *path = m->warp_core_paths + 3 * (size_t)core;
  int32_t begin = m->warp_core_begin[core], end = m->warp_core_begin[core + 1];
  bool scripted = m->warp_core_kinds[core] == LB_CORE_SCRIPTED;
  if (end < begin || end > m->size.core_key_count || scripted != (end > begin))
    return lb_fail(err, LB_ERR_FORMAT, "%s: core %d, %s, has %d keys", where, (int)core,
                   scripted ? "scripted" : "not scripted", (int)(end - begin));
  if (!scripted) return LB_OK;
  bool parts = path[2] >= 1 && path[2] < 16;
  if (path[0] < 0 || path[0] > 2 || path[1] < 0 || path[1] > 1 || !parts)
    return lb_fail(err, LB_ERR_FORMAT, "%s: warp.core_paths of core %d are %d, %d, %d", where,
                   (int)core, (int)path[0], (int)path[1], (int)path[2]);
  if (((path[2] & LB_PATH_POSITION_TANGENTS) && !m->warp_core_position_tangents) ||
      ((path[2] & LB_PATH_ROTATION_TANGENTS) && !m->warp_core_rotation_tangents))
    return lb_fail(err, LB_ERR_FORMAT, "%s: the path of core %d has tangents, which are missing",
                   where, (int)core);
  return LB_OK;
}

static lbStatus check_hinge(const lbModel *m, int32_t core, const char *where, lbError *err) {
  const double *hinge = m->warp_core_hinges + 6 * (size_t)core;
  double length = sqrt(hinge[3] * hinge[3] + hinge[4] * hinge[4] + hinge[5] * hinge[5]);
  if (m->warp_core_kinds[core] != LB_CORE_HINGED) return LB_OK;
  if (!(fabs(length - 1) <= 1e-6))
    return lb_fail(err, LB_ERR_FORMAT, "%s: the axis of core %d has the length %g, not 1", where,
                   (int)core, length);
  for (int k = 0; k < 3; k++)
    if (!(fabs(hinge[k]) <= 1e30))
      return lb_fail(err, LB_ERR_FORMAT, "%s: the axis of core %d goes through %g m", where,
                     (int)core, hinge[k]);
  return LB_OK;
}

// Cores have nodes, hold no fixed ones, and leave some to the flesh.
static lbStatus check_nodes(const lbModel *m, const char *where, lbError *err) {
  int32_t flesh = 0;
  for (int32_t n = 0; n < m->size.node_count; n++) {
    int32_t core = m->warp_cores[n];
    if (core >= 0 && m->node_fixed[n])
      return lb_fail(err, LB_ERR_FORMAT, "%s: node %d is fixed and in core %d", where, (int)n,
                     (int)core);
    flesh += core < 0 && !m->node_fixed[n];
  }
  if (flesh == 0)
    return lb_fail(err, LB_ERR_FORMAT, "%s: its cores leave nothing deformable", where);
  for (int32_t c = 0; c < m->size.core_count; c++) {
    int32_t n = 0;
    while (n < m->size.node_count && m->warp_cores[n] != c) n++;
    if (n == m->size.node_count)
      return lb_fail(err, LB_ERR_FORMAT, "%s: core %d has no nodes", where, (int)c);
  }
  return LB_OK;
}

lbStatus lb_model_check_cores(const lbModel *m, const char *where, lbError *err) {
  int32_t count = m->size.core_count;
  if (count == 0 && m->size.core_key_count == 0 && !m->warp_cores) return LB_OK;
  if (count > LB_CORES_MOST)
    return lb_fail(err, LB_ERR_FORMAT, "%s: has %d rigid cores, %d is the most", where, (int)count,
                   LB_CORES_MOST);
  if (count == 0 || !m->warp_cores || !m->warp_core_begin || !m->warp_settings)
    return lb_fail(err, LB_ERR_FORMAT,
                   "%s: rigid cores need warp.settings, warp.cores and warp.core_begin", where);
  if (m->warp_core_begin[0] != 0 || m->warp_core_begin[count] != m->size.core_key_count)
    return lb_fail(err, LB_ERR_FORMAT, "%s: warp.core_begin runs from %d to %d, not from 0 to %d",
                   where, (int)m->warp_core_begin[0], (int)m->warp_core_begin[count],
                   (int)m->size.core_key_count);
  lbStatus status = check_nodes(m, where, err);
  for (int32_t c = 0; c < count && !status; c++) {
    status = check_core_keys(m, c, where, err);
    if (!status) status = check_hinge(m, c, where, err);
  }
  return status;
}
