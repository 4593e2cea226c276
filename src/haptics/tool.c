// A rigid tool of any shape in a world whose bodies touch (limber/haptics.h).
#include "limber/haptics.h"

#include "base/refuse.h"
#include "body/body.h"

#include <math.h>

struct lbTool {
  lbWorld *world;
  lbColliderId collider;
  lbToolDef def;
  lbToolState state;
};

lbToolDef lb_tool_def(void) {
  lbToolDef def = { .shape = lb_collider_def(),
                    .speed_limit = 2,
                    .turn_limit = 20,
                    .force_limit = 10,
                    .torque_limit = 1 };
  def.shape.shape = LB_COLLIDER_SPHERE;
  def.shape.radius = 0.02;
  return def;
}

static lbStatus check_def(const lbToolDef *def, lbError *err) {
  const struct {
    double value;
    const char *name;
  } numbers[] = { { def->speed_limit, "speed_limit" },
                  { def->turn_limit, "turn_limit" },
                  { def->force_limit, "force_limit" },
                  { def->torque_limit, "torque_limit" } };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (!(numbers[i].value > 0 && numbers[i].value <= LB_BODY_MOST))
      return lb_fail(err, LB_ERR_ARGUMENT, "tool: %s is %g; it must be above 0", numbers[i].name,
                     numbers[i].value);
  if (def->shape.shape == LB_COLLIDER_PLANE)
    return lb_fail(err, LB_ERR_ARGUMENT, "tool: a plane has no size: take another shape");
  return LB_OK;
}

lbStatus lb_tool_create(lbWorld *world, const lbToolDef *def, lbTool **out, lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  if (!def) return lb_refuse_null(err, "def");
  if (!out) return lb_refuse_null(err, "out");
  lbStatus status = check_def(def, err);
  if (status) return status;
  lbTool *tool = lb_alloc(1, sizeof *tool);
  if (!tool) return lb_fail_memory(err);
  *tool = (lbTool){ .world = world, .def = *def };
  status = lb_world_add_collider(world, &def->shape, &tool->collider, err);
  if (status) {
    lb_free(tool);
    return status;
  }
  (void)lb_world_collider(world, tool->collider, &tool->state.position, &tool->state.rotation,
                          NULL);
  *out = tool;
  return LB_OK;
}

void lb_tool_destroy(lbTool *tool) {
  if (!tool) return;
  (void)lb_world_remove_collider(tool->world, tool->collider, NULL);
  lb_free(tool);
}

static lbVec3 limit(lbVec3 a, double most) {
  double length = lb_length(a);
  return length > most ? lb_scale(most / length, a) : a;
}

// The tool goes after the device no faster than its limits; what it meets pushes back in that step.
int32_t lb_tool_tick(lbTool *tool, lbVec3 position, lbQuat rotation, double dt) {
  if (!tool) return LB_STEP_REFUSED;
  lbToolState *s = &tool->state;
  const lbToolDef *def = &tool->def;
  if (!(dt > 0) || lb_check_placement(position, &rotation, NULL)) return LB_STEP_REFUSED;
  lbVec3 way = limit(lb_sub(position, s->position), dt * def->speed_limit);
  lbVec3 turn = lb_quat_log(lb_quat_multiply(rotation, lb_quat_conjugate(s->rotation)));
  lbVec3 place = lb_add(s->position, way);
  lbQuat turned = lb_quat_multiply(lb_quat_exp(limit(turn, dt * def->turn_limit)), s->rotation);
  if (lb_world_move_collider(tool->world, tool->collider, place, turned, NULL))
    return LB_STEP_REFUSED;
  int32_t flags = lb_world_step(tool->world, dt);
  if (flags & LB_STEP_REFUSED) return flags;
  lbVec3 force, torque;
  (void)lb_world_collider(tool->world, tool->collider, &s->position, &s->rotation, NULL);
  (void)lb_world_collider_force(tool->world, tool->collider, &force, &torque, NULL);
  s->force = limit(force, def->force_limit);
  s->torque = limit(torque, def->torque_limit);
  s->limited = lb_length(force) > def->force_limit || lb_length(torque) > def->torque_limit;
  return flags;
}

lbToolState lb_tool_state(const lbTool *tool) {
  return tool ? tool->state : (lbToolState){ .rotation = lb_quat_identity() };
}
