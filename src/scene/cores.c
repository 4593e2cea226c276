// "rigid" of a body's "warp": groups of elements that move as one.
#include "scene/paint.h"

#include <math.h>
#include <string.h>

static const char *const keys[] = { "group", "box", "color", "elements", "motion", "hinge", NULL };
static const char *const hinge_keys[] = { "point", "axis", NULL };

void lb_scene_release_cores(lbSceneBody *body) {
  lbWarpRigid *cores = (lbWarpRigid *)body->warp.rigid;
  for (int32_t c = 0; c < body->warp.rigid_count; c++) {
    lb_free((bool *)cores[c].elements);
    lb_path_destroy((lbPath *)cores[c].path);
  }
  lb_free(cores);
}

// ---- elements ----------------------------------------------------------------------------------

static lbStatus list_core_elements(const lbField *json, const lbSceneBody *body, bool *covered,
                                   lbError *err) {
  lbStatus status = LB_OK;
  int32_t count = lb_mesh_body_elements(body->mesh);
  if (!json_is_array(json->value) || json_array_size(json->value) == 0)
    return lb_field_fail(json, err, "must be a list of element numbers");
  for (size_t i = 0; i < json_array_size(json->value) && !status; i++) {
    lbField item = lb_field_item(json, i);
    int32_t e = 0;
    status = lb_field_integer(&item, 0, INT32_MAX, &e, err);
    if (!status && e >= count)
      status = lb_field_fail(&item, err, "is %d, the mesh has %d elements (counted from 0)", (int)e,
                             (int)count);
    if (!status) covered[e] = true;
  }
  return status;
}

lbStatus lb_scene_cover_elements(const lbField *json, const lbSceneBody *body, bool *covered,
                                 lbError *err) {
  lbField elements = lb_field_member(json, "elements");
  lbField group = lb_field_member(json, "group"), box = lb_field_member(json, "box");
  lbField color = lb_field_member(json, "color");
  bool region = lb_field_here(&group) || lb_field_here(&box) || lb_field_here(&color);
  if (lb_field_here(&elements) == region)
    return lb_field_fail(json, err,
                         "needs its elements: a \"group\", \"box\" or \"color\", or a list "
                         "\"elements\" instead");
  if (!region) return list_core_elements(&elements, body, covered, err);
  lbRegion where;
  lbPainter *painter = NULL;
  lbStatus status = lb_scene_read_region(json, &where, NULL, err);
  if (!status) status = lb_painter_create(body->mesh, body->surface, &painter, err);
  if (status) return status;
  status = lb_painter_elements(painter, &where, covered, NULL, err);
  lb_painter_destroy(painter);
  return lb_scene_region_fail(json, status, err);
}

// ---- motions -----------------------------------------------------------------------------------

static lbStatus read_hinge(const lbField *json, const double scale[3], lbWarpRigid *core,
                           lbError *err) {
  lbField point = lb_field_member(json, "point"), axis = lb_field_member(json, "axis");
  lbStatus status = lb_field_keys(json, hinge_keys, err);
  if (!status && !lb_field_here(&point)) status = lb_field_fail(json, err, "has no \"point\"");
  if (!status && !lb_field_here(&axis)) status = lb_field_fail(json, err, "has no \"axis\"");
  if (!status) status = lb_field_vector(&point, 3, core->point, err);
  if (!status) status = lb_field_vector(&axis, 3, core->axis, err);
  if (!status && core->axis[0] == 0 && core->axis[1] == 0 && core->axis[2] == 0)
    status = lb_field_fail(&axis, err, "has zero length, give a direction");
  for (int k = 0; k < 3; k++) core->point[k] *= scale[k], core->axis[k] *= scale[k];
  core->kind = LB_CORE_HINGED;
  return status;
}

static lbStatus read_motion(const lbField *json, lbWarpRigid *core, lbError *err) {
  lbPath *path = NULL;
  lbStatus status = lb_scene_read_path(json, &path, err);
  core->kind = LB_CORE_SCRIPTED;
  core->path = path;
  if (status) return status;
  const lbPathDef *def = lb_path_keys(path);
  double first = def->times[0], last = def->times[def->key_count - 1];
  if (lb_path_cut_between(path, first, last + (last - first)))
    return lb_field_fail(json, err,
                         "has cuts, which flesh cannot follow: let it be \"linear\" or \"cubic\", "
                         "and end where it began if it repeats");
  return LB_OK;
}

static lbStatus read_core(const lbField *json, const double scale[3], lbSceneBody *body,
                          lbWarpRigid *core, lbError *err) {
  lbField motion = lb_field_member(json, "motion"), hinge = lb_field_member(json, "hinge");
  lbStatus status = lb_field_keys(json, keys, err);
  if (!status && lb_field_here(&motion) && lb_field_here(&hinge))
    status = lb_field_fail(&hinge, err, "a core with a \"motion\" follows it, remove one of them");
  if (status) return status;
  bool *covered = lb_alloc((size_t)lb_mesh_element_count(body->mesh) + 1, sizeof *covered);
  core->elements = covered;
  if (!covered) return lb_fail_memory(err);
  status = lb_scene_cover_elements(json, body, covered, err);
  if (!status && lb_field_here(&motion)) status = read_motion(&motion, core, err);
  if (!status && lb_field_here(&hinge)) status = read_hinge(&hinge, scale, core, err);
  return status;
}

lbStatus lb_scene_read_cores(const lbField *json, const double scale[3], lbSceneBody *body,
                             lbError *err) {
  lbField warp = lb_field_member(json, "warp");
  if (!lb_field_here(&warp)) return LB_OK;
  lbField list = lb_field_member(&warp, "rigid");
  if (!lb_field_here(&list) || json_is_null(list.value)) return LB_OK;
  size_t count = json_array_size(list.value);
  if (!json_is_array(list.value)) return lb_field_fail(&list, err, "must be a list of cores");
  if (count > LB_CORES_MOST)
    return lb_field_fail(&list, err, "has %zu cores, %d is the most", count, LB_CORES_MOST);
  if (count == 0) return LB_OK;
  lbWarpRigid *cores = lb_alloc(count, sizeof *cores);
  if (!cores) return lb_fail_memory(err);
  body->warp.rigid = cores;
  lbStatus status = LB_OK;
  for (size_t i = 0; i < count && !status; i++) {
    lbField item = lb_field_item(&list, i);
    body->warp.rigid_count++;
    status = read_core(&item, scale, body, &cores[i], err);
  }
  if (status) return status;
  lbError why = { 0 };
  status = lb_warp_check_rigid(body->mesh, body->fixed, &body->warp, &why);
  return status ? lb_field_fail(&list, err, "%s", why.text) : LB_OK;
}
