// "warp" of a body: how the method of warped stiffness works.
#include "scene/body.h"

static const char *const keys[] = { "rotation",      "stiffness", "strain", "iterations",
                                    "stretch_limit", "rigid",     NULL };

static lbStatus read_limit(const lbField *json, double *limit, lbError *err) {
  if (!lb_field_here(json) || json_is_null(json->value)) return LB_OK;
  lbStatus status = lb_field_number(json, limit, err);
  if (!status && !(*limit > 1))
    status = lb_field_fail(json, err, "is %g, it must be above 1, or null for none", *limit);
  return status;
}

static lbStatus refuse_mixtures(const lbField *json, const lbWarpSettings *warp, lbError *err) {
  lbField strain = lb_field_member(json, "strain"), limit = lb_field_member(json, "stretch_limit");
  if (warp->stiffness == LB_WARP_SPRINGS && warp->strain == LB_WARP_GREEN)
    return lb_field_fail(&strain, err, "springs have no \"green\", use \"warped\" or \"linear\"");
  if (warp->stretch_limit != 0 &&
      (warp->strain != LB_WARP_WARPED || warp->rotation != LB_WARP_ELEMENT))
    return lb_field_fail(&limit, err, "needs the strain \"warped\" and the rotation \"element\"");
  return LB_OK;
}

lbStatus lb_scene_read_warp(const lbField *json, lbSceneBody *body, lbError *err) {
  lbWarpSettings *warp = &body->warp;
  lbField own = lb_field_member(json, "warp");
  *warp = lb_warp_settings();
  if (!lb_field_here(&own)) return LB_OK;
  lbStatus status = lb_field_keys(&own, keys, err);
  lbField rotation = lb_field_member(&own, "rotation");
  lbField stiffness = lb_field_member(&own, "stiffness"), strain = lb_field_member(&own, "strain");
  lbField iterations = lb_field_member(&own, "iterations");
  lbField limit = lb_field_member(&own, "stretch_limit");
  int choices[3] = { 0, 0, 0 };
  if (!status) status = lb_field_choice(&rotation, lb_warp_rotation_names(), &choices[0], err);
  if (!status) status = lb_field_choice(&stiffness, lb_warp_stiffness_names(), &choices[1], err);
  if (!status) status = lb_field_choice(&strain, lb_warp_strain_names(), &choices[2], err);
  if (!status)
    status = lb_field_integer(&iterations, 1, LB_WARP_ITERATIONS_MOST, &warp->iterations, err);
  if (!status) status = read_limit(&limit, &warp->stretch_limit, err);
  warp->rotation = (lbWarpRotation)choices[0];
  warp->stiffness = (lbWarpStiffness)choices[1];
  warp->strain = (lbWarpStrain)choices[2];
  if (!status) status = refuse_mixtures(&own, warp, err);
  if (!status && body->method != LB_METHOD_WARP)
    lb_log(LB_LOG_WARNING, "%s: %s: is ignored by the method \"%s\"", own.file, own.path,
           lb_method_name(body->method));
  return status;
}
