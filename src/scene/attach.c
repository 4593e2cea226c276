// "attach" of a scene: vertices that follow paths.
#include "scene/body.h"

#include <math.h>

static const char *const keys[] = { "body",    "vertex", "motion", "stiffness",
                                    "damping", "from",   "to",     NULL };

static lbStatus read_spring(const lbField *json, lbSceneAttachment *at, lbError *err) {
  lbField stiffness = lb_field_member(json, "stiffness"),
          damping = lb_field_member(json, "damping");
  bool hard = !lb_field_here(&stiffness) || json_is_null(stiffness.value);
  lbStatus status = hard ? LB_OK : lb_field_number(&stiffness, &at->stiffness, err);
  if (!status && !(at->stiffness >= 0))
    status = lb_field_fail(&stiffness, err, "is %g, it must not be negative (null: hard)",
                           at->stiffness);
  if (!status) status = lb_field_number(&damping, &at->damping, err);
  if (!status && !(at->damping >= 0))
    status = lb_field_fail(&damping, err, "is %g, it must not be negative", at->damping);
  if (!status && hard && at->damping > 0)
    status = lb_field_fail(&damping, err, "is of a spring, give it a \"stiffness\" too");
  return status;
}

static lbStatus read_attachment(const lbField *json, lbScene *scene, lbSceneAttachment *at,
                                lbError *err) {
  lbField motion = lb_field_member(json, "motion");
  lbField from = lb_field_member(json, "from"), to = lb_field_member(json, "to");
  *at = (lbSceneAttachment){ .stiffness = INFINITY, .from = -INFINITY, .to = INFINITY };
  lbStatus status = lb_field_keys(json, keys, err);
  if (!status) status = lb_scene_read_point(json, scene, &at->body, &at->vertex, err);
  if (!status) status = read_spring(json, at, err);
  if (!status) status = lb_field_number(&from, &at->from, err);
  if (!status) status = lb_field_number(&to, &at->to, err);
  const lbSceneBody *body = status ? NULL : &scene->bodies[at->body];
  if (!status && body->method == LB_METHOD_RECORDED)
    status = lb_field_fail(json, err, "body \"%s\" plays a recording, which cannot be attached",
                           body->name);
  if (status || !lb_field_here(&motion)) return status;
  return lb_scene_read_kept_path(&motion, scene, &at->path, err);
}

lbStatus lb_scene_read_attachments(const lbField *json, lbScene *scene, lbError *err) {
  if (!lb_field_here(json)) return LB_OK;
  if (!json_is_array(json->value)) return lb_field_fail(json, err, "must be a list");
  size_t count = json_array_size(json->value);
  lbStatus status = LB_OK;
  scene->attachments = lb_alloc(count, sizeof *scene->attachments);
  if (!scene->attachments) return lb_fail_memory(err);
  for (size_t i = 0; i < count && !status; i++) {
    lbField item = lb_field_item(json, i);
    status = read_attachment(&item, scene, &scene->attachments[scene->attachment_count++], err);
  }
  return status;
}
