// What must hold between the arrays of a world's joints.
#include "model/model.h"

#include <math.h>

#define LENGTH_MOST 1e30

static lbStatus fail_joint(int32_t joint, const char *what, const char *where, lbError *err) {
  return lb_fail(err, LB_ERR_FORMAT, "%s: joint %d %s", where, (int)joint, what);
}

static int32_t vertices_of(const lbWorldDef *w, const lbModel *const *models, int32_t body) {
  return body < 0 ? 0 : models[w->body_models[body]]->size.vertex_count;
}

static lbStatus check_ends(const lbWorldDef *w, const lbModel *const *models, int32_t i,
                           const char *where, lbError *err) {
  const int32_t *bodies = w->joint_bodies + 2 * (size_t)i;
  const int32_t *vertices = w->joint_vertices + 2 * (size_t)i;
  if (bodies[0] < 0 || bodies[0] == bodies[1])
    return fail_joint(i, "does not join two", where, err);
  for (int k = 0; k < 2; k++)
    if (vertices[k] < -1 || (vertices[k] >= 0 && vertices[k] >= vertices_of(w, models, bodies[k])))
      return fail_joint(i, "is at a vertex that is not there", where, err);
  return LB_OK;
}

static lbStatus check_joint_numbers(const lbWorldDef *w, int32_t i, const char *where,
                                    lbError *err) {
  const double *n = w->joint_numbers + 5 * (size_t)i, *axis = w->joint_axes + 3 * (size_t)i;
  const double *places = w->joint_places + 6 * (size_t)i;
  if (!(n[0] <= n[1])) return fail_joint(i, "has limits in the wrong order", where, err);
  if (!isfinite(n[2]) || !(n[3] >= 0 && isfinite(n[3])) || !(n[4] > 0))
    return fail_joint(i, "has a wrong motor or breaks by no force", where, err);
  if (!(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2] > 1e-24))
    return fail_joint(i, "has an axis of no length", where, err);
  for (int k = 0; k < 6; k++)
    if (fabs(places[k]) > LENGTH_MOST) return fail_joint(i, "lies too far away", where, err);
  return LB_OK;
}

static lbStatus check_joint_regions(const lbWorldDef *w, const lbModel *const *models,
                                    const char *where, lbError *err) {
  const int32_t *begin = w->joint_region_begin;
  int32_t count = w->size.joint_count, all = w->size.joint_region_count;
  if (!begin && all == 0) return LB_OK;
  if (!begin || begin[0] != 0 || begin[count] != all)
    return lb_fail(err, LB_ERR_FORMAT, "%s: joint.region_begin does not run from 0 to %d", where,
                   (int)all);
  for (int32_t i = 0; i < count; i++)
    if (begin[i + 1] < begin[i])
      return lb_fail(err, LB_ERR_FORMAT, "%s: joint.region_begin does not rise", where);
  for (int32_t i = 0; i < count; i++)
    for (int32_t k = begin[i]; k < begin[i + 1]; k++)
      if (w->joint_regions[k] < 0 ||
          w->joint_regions[k] >= vertices_of(w, models, w->joint_bodies[2 * (size_t)i]))
        return fail_joint(i, "has a region with a vertex that is not there", where, err);
  return LB_OK;
}

lbStatus lb_world_check_joints(const lbWorldDef *w, const lbModel *const *models, const char *where,
                               lbError *err) {
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < w->size.joint_count && !status; i++) {
    status = check_ends(w, models, i, where, err);
    if (!status) status = check_joint_numbers(w, i, where, err);
  }
  return status ? status : check_joint_regions(w, models, where, err);
}
