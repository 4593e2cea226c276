// Settings for viewers: title, hint and camera.
#include "scene/body.h"

#include <string.h>

#define TEXT_MOST 400 // bytes

static const char *const keys[] = { "from", "at", "fov", "ground", NULL };

static lbStatus read_view_line(const lbField *json, char **out, lbError *err) {
  lbStatus status = LB_OK;
  const char *text = lb_field_text(json, &status, err);
  if (status || !text) return status;
  if (strlen(text) > TEXT_MOST)
    return lb_field_fail(json, err, "has %zu bytes, at most %d are shown", strlen(text), TEXT_MOST);
  for (const char *c = text; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 0x7f)
      return lb_field_fail(json, err, "must be one line without control characters");
  if (!text[0]) return LB_OK;
  *out = lb_duplicate_text(text);
  return *out ? LB_OK : lb_fail_memory(err);
}

static lbStatus read_view_ground(const lbField *json, lbSceneView *view, lbError *err) {
  if (!lb_field_here(json)) return LB_OK;
  if (!json_is_number(json->value) && !json_is_false(json->value))
    return lb_field_fail(json, err, "must be a height in m, or false for no ground");
  view->ground = json_is_false(json->value) ? LB_GROUND_NONE : LB_GROUND_HEIGHT;
  return json_is_false(json->value) ? LB_OK : lb_field_number(json, &view->ground_height, err);
}

static lbStatus read_camera(const lbField *json, lbSceneView *view, lbError *err) {
  lbField from = lb_field_member(json, "from"), at = lb_field_member(json, "at");
  if (lb_field_here(&from) != lb_field_here(&at))
    return lb_field_fail(json, err, "needs \"from\" and \"at\" together");
  lbStatus status = lb_field_vector(&from, 3, view->from, err);
  if (!status) status = lb_field_vector(&at, 3, view->at, err);
  view->placed = lb_field_here(&from);
  if (!status && view->placed && memcmp(view->from, view->at, sizeof view->at) == 0)
    status = lb_field_fail(json, err, "\"from\" and \"at\" are the same place");
  return status;
}

static lbStatus read_view(const lbField *json, lbSceneView *view, lbError *err) {
  if (!lb_field_here(json)) return LB_OK;
  lbField fov = lb_field_member(json, "fov"), ground = lb_field_member(json, "ground");
  lbStatus status = lb_field_keys(json, keys, err);
  if (!status) status = read_camera(json, view, err);
  if (!status) status = lb_field_number(&fov, &view->fov, err);
  if (!status && !(view->fov >= LB_VIEW_FOV_LEAST && view->fov <= LB_VIEW_FOV_MOST))
    status = lb_field_fail(&fov, err, "is %g, it must be from %g to %g degrees", view->fov,
                           LB_VIEW_FOV_LEAST, LB_VIEW_FOV_MOST);
  return status ? status : read_view_ground(&ground, view, err);
}

lbStatus lb_scene_read_view(const lbField *json, lbScene *scene, lbError *err) {
  lbField member = lb_field_member(json, "title");
  lbStatus status = read_view_line(&member, &scene->title, err);
  member = lb_field_member(json, "try");
  if (!status) status = read_view_line(&member, &scene->hint, err);
  member = lb_field_member(json, "view");
  return status ? status : read_view(&member, &scene->view, err);
}
