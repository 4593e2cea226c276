// Letting go: what a support holds falls on the ground. A model that is held has no motion for
// that, so another one is made of it, once, by those who can build (vwStageDef.loosen).
#include "stage/pose.h"
#include "stage/stage_parts.h"

#include <stdio.h>

#define LIFT 0.35 // sizes of the scene above the ground: where it falls from

static bool is_loose(const vwGroup *group) {
  return lb_model_is_free_by(group->model, group->method);
}

const char *vw_drop_refusal(const vwStage *stage) {
  const vwGroup *group = &stage->groups[0];
  if (stage->dropped) return NULL;
  if (stage->contact) return "this scene has contacts already";
  if (stage->group_count != 1 || group->driven || stage->attachment_count > 0 ||
      stage->joint_count > 0)
    return "only a scene of one object can be dropped";
  if (group->method == LB_METHOD_RECORDED || group->method == LB_METHOD_FULL)
    return "an unreduced body is not dropped here: choose a model";
  if (!is_loose(group) && !stage->def.loosen)
    return "the object is held: open it with the program, or build it with --free";
  return NULL;
}

static lbStatus make_loose(vwStage *stage, lbError *err) {
  const vwGroup *group = &stage->groups[0];
  if (stage->loose || is_loose(group)) return LB_OK;
  return stage->def.loosen(group->model, &stage->loose, err);
}

// The model with its methods, as if the scene had begun with it.
static lbStatus take_drop_model(vwStage *stage, const lbModel *model, vwSettings *s, lbError *err) {
  vwGroup *group = &stage->groups[0];
  group->model = model;
  group->method = lb_model_default_method(model);
  lbStatus status = vw_stage_take_methods(stage, err);
  s->method = stage->start.method;
  s->dimension = stage->start.dimension;
  s->compare = s->mode = 0;
  return status;
}

// The scene then starts from its beginning.
static lbStatus recast_dropped(vwStage *stage, vwSettings *s, lbError *err) {
  vwCast cast;
  lbStatus status = vw_cast_create(stage, s, &cast, err);
  if (status) return status;
  vw_cast_release(&stage->cast);
  stage->cast = cast;
  stage->generation++;
  stage->clock = (vwClock){ .step = stage->clock.step };
  return LB_OK;
}

static lbStatus change_drop(vwStage *stage, bool drop, vwSettings *s, lbError *err) {
  const lbModel *model = drop && stage->loose ? stage->loose : stage->held;
  lbStatus status = take_drop_model(stage, model, s, err);
  stage->dropped = drop;
  s->gravity_on = drop ? 1 : stage->start.gravity_on;
  return status ? status : recast_dropped(stage, s, err);
}

lbStatus vw_drop_follow(vwStage *stage, vwSettings *s, lbError *err) {
  bool drop = s->drop != 0;
  if (drop == stage->dropped) return LB_OK;
  vw_stage_release_all(stage);
  vw_mode_forget(stage);
  if (!stage->held) stage->held = stage->groups[0].model;
  lbStatus status = drop ? make_loose(stage, err) : LB_OK;
  vwSettings before = *s;
  if (!status) status = change_drop(stage, drop, s, err);
  if (status) {
    *s = before;
    s->drop = stage->settings.drop;
    if (stage->dropped != (s->drop != 0)) (void)change_drop(stage, s->drop != 0, s, NULL);
    return status;
  }
  // What is as it should be by now need not be made again.
  stage->settings.method = s->method, stage->settings.dimension = s->dimension;
  stage->settings.compare = s->compare, stage->settings.mode = s->mode;
  return LB_OK;
}

lbVec3 vw_drop_lift(const vwStage *stage) {
  double lift = stage->dropped ? LIFT * stage->size : 0;
  return stage->up == 'y' ? lb_vec3(0, lift, 0) : lb_vec3(0, 0, lift);
}

lbStatus vw_drop_add_ground(const vwStage *stage, const vwCast *cast, lbError *err) {
  if (!stage->dropped) return LB_OK;
  lbColliderDef def = lb_collider_def();
  lbColliderId id = 0;
  bool shown;
  double height = vw_stage_ground(stage, &shown), half = sqrt(0.5);
  def.position = stage->up == 'y' ? lb_vec3(0, height, 0) : lb_vec3(0, 0, height);
  if (stage->up == 'y') def.rotation = lb_quat(-half, 0, 0, half);
  return lb_world_add_collider(cast->world, &def, &id, err);
}
