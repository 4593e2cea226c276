// A rigid tool of any shape in a world whose bodies touch (limber/haptics.h): what it is, and one
// step of the world with it.
#include "haptics/tool.h"

#include "base/refuse.h"

#include <math.h>

#define AMPLE 2.0 // times the least mass with which a spring is stable
#define PERIOD_LEAST 1e-4
#define PERIOD_MOST 0.1

lbToolDef lb_tool_def(void) {
  lbToolDef def = { .shape = lb_collider_def(),
                    .speed_limit = 2,
                    .turn_limit = 20,
                    .force_limit = 10,
                    .torque_limit = 1,
                    .stiffness = INFINITY,
                    .turn_stiffness = 1,
                    .density = 1000,
                    .period = 0.001 };
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
                  { def->torque_limit, "torque_limit" },
                  { def->density, "density" } };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (!(numbers[i].value > 0 && numbers[i].value <= LB_BODY_MOST))
      return lb_fail(err, LB_ERR_ARGUMENT, "tool: %s is %g; it must be above 0", numbers[i].name,
                     numbers[i].value);
  if (!(def->period >= PERIOD_LEAST && def->period <= PERIOD_MOST))
    return lb_fail(err, LB_ERR_ARGUMENT, "tool: period is %g s; it must be from %g to %g",
                   def->period, PERIOD_LEAST, PERIOD_MOST);
  if (!(def->stiffness > 0) || !(def->damping >= 0) || !(def->turn_stiffness >= 0) ||
      !(def->turn_damping >= 0))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "tool: stiffness is %g, damping %g, turn_stiffness %g, turn_damping %g; they "
                   "must be 0 or more, and stiffness above 0",
                   def->stiffness, def->damping, def->turn_stiffness, def->turn_damping);
  if (def->shape.shape == LB_COLLIDER_PLANE)
    return lb_fail(err, LB_ERR_ARGUMENT, "tool: a plane has no size: take another shape");
  return LB_OK;
}

static lbStatus add_body_of(lbTool *tool, double density, lbError *err) {
  lbColliderDef shape = tool->def.shape;
  lbBodyDef def = lb_body_def();
  lbModel *model = NULL;
  def.position = shape.position, def.rotation = shape.rotation;
  shape.position = lb_vec3(0, 0, 0), shape.rotation = lb_quat_identity();
  lbStatus status = lb_rigid_model(&shape, density, &model, err);
  if (!status) status = lb_world_add(tool->world, model, &def, &tool->body, err);
  if (status)
    lb_model_destroy(model);
  else
    tool->model = model;
  return status;
}

// With so much inertia that the spring and the damper, whose force is that of where the tool will
// be, are stable in ticks of def.period.
static lbStatus add_body(lbTool *tool, lbError *err) {
  const lbToolDef *def = &tool->def;
  double h = def->period, least = AMPLE * (h * def->damping + h * h * def->stiffness);
  lbStatus status = add_body_of(tool, def->density, err);
  if (status) return status;
  double mass = lb_world_body(tool->world, tool->body)->prepared->mass;
  if (mass < least) {
    (void)lb_world_remove(tool->world, tool->body, NULL);
    lb_model_destroy(tool->model);
    status = add_body_of(tool, def->density * least / mass, err);
    if (status) return status;
  }
  const lbFrameState *frame = &lb_world_body(tool->world, tool->body)->frame;
  tool->state.position = frame->position, tool->state.rotation = frame->rotation;
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
  status = isfinite(def->stiffness)
               ? add_body(tool, err)
               : lb_world_add_collider(world, &def->shape, &tool->collider, err);
  if (status) {
    lb_free(tool);
    return status;
  }
  if (!tool->model)
    (void)lb_world_collider(world, tool->collider, &tool->state.position, &tool->state.rotation,
                            NULL);
  tool->device = (lbToolPose){ tool->state.position, tool->state.rotation };
  lb_tool_open(tool);
  *out = tool;
  return LB_OK;
}

void lb_tool_destroy(lbTool *tool) {
  if (!tool) return;
  lb_tool_stop(tool);
  if (tool->model)
    (void)lb_world_remove(tool->world, tool->body, NULL);
  else
    (void)lb_world_remove_collider(tool->world, tool->collider, NULL);
  lb_model_destroy(tool->model);
  lb_free(tool->world_bytes);
  lb_free(tool);
}

static lbVec3 limit(lbVec3 a, double most) {
  double length = lb_length(a);
  return length > most ? lb_scale(most / length, a) : a;
}

// ---- coupled -----------------------------------------------------------------------------------

static lbVec3 turn_between(lbQuat to, lbQuat from) {
  return lb_quat_log(lb_quat_multiply(to, lb_quat_conjugate(from)));
}

// Where the tool is against the device, d, and how it moves against it, w.
typedef struct Apart {
  lbVec3 way, velocity, turn, spin;
} Apart;

static Apart find_apart(const lbTool *tool, const lbBody *body, const lbToolPose *device,
                        double dt) {
  const lbToolPose *last = &tool->device;
  lbVec3 own = lb_body_rest_centre(body);
  lbVec3 centre = lb_add(device->position, lb_quat_rotate(device->rotation, own));
  lbVec3 before = lb_add(last->position, lb_quat_rotate(last->rotation, own));
  lbVec3 velocity = lb_scale(1 / dt, lb_sub(centre, before));
  lbVec3 spin = lb_scale(1 / dt, turn_between(device->rotation, last->rotation));
  return (Apart){ lb_sub(lb_frame_centre(body), centre),
                  lb_sub(lb_body_linear_velocity(body), velocity),
                  turn_between(lb_body_rotation(body), device->rotation),
                  lb_sub(lb_body_angular_velocity(body), spin) };
}

// f = -k (d + h v) - b w, v the tool's own velocity, since d is from where the device will be; less
// in ticks that are longer than the tool's inertia was made for.
static void couple(const lbTool *tool, lbBody *body, const Apart *a, double h) {
  const lbToolDef *def = &tool->def;
  double k = def->stiffness, b = def->damping, mass = lb_body_mass(body);
  lbVec3 force = lb_scale(-k, lb_add_scaled(a->way, h, lb_body_linear_velocity(body)));
  force = lb_add_scaled(force, -b, a->velocity);
  force = lb_scale(1 / fmax(1, AMPLE * (h * b + h * h * k) / mass), force);
  double turning = def->turn_stiffness, braking = def->turn_damping;
  lbVec3 torque = lb_scale(-turning, lb_add_scaled(a->turn, h, lb_body_angular_velocity(body)));
  torque = lb_add_scaled(torque, -braking, a->spin);
  lbMat3 compliance = lb_frame_mobility(body, lb_body_rotation_matrix(body));
  compliance =
      lb_mat3_add(lb_mat3_identity(), lb_mat3_scale(h * braking + h * h * turning, compliance));
  body->frame.force =
      lb_add(body->frame.force, lb_add_scaled(force, -mass, lb_world_gravity(tool->world)));
  body->frame.torque = lb_add(body->frame.torque, lb_inertia_solve(compliance, torque));
}

static void set_forces(lbTool *tool, lbVec3 force, lbVec3 torque) {
  const lbToolDef *def = &tool->def;
  lbToolState *s = &tool->state;
  s->force = limit(force, def->force_limit), s->torque = limit(torque, def->torque_limit);
  s->limited = lb_length(force) > def->force_limit || lb_length(torque) > def->torque_limit;
}

static int32_t step_coupled(lbTool *tool, const lbToolPose *device, double dt) {
  const lbToolDef *def = &tool->def;
  lbBody *body = lb_world_body(tool->world, tool->body);
  if (!body) return LB_STEP_REFUSED;
  Apart before = find_apart(tool, body, device, dt);
  (void)lb_world_wake(tool->world, tool->body, NULL);
  couple(tool, body, &before, dt);
  int32_t flags = lb_world_step(tool->world, dt);
  Apart after = find_apart(tool, body, device, dt);
  set_forces(
      tool, lb_add(lb_scale(def->stiffness, after.way), lb_scale(def->damping, after.velocity)),
      lb_add(lb_scale(def->turn_stiffness, after.turn), lb_scale(def->turn_damping, after.spin)));
  tool->device = *device;
  tool->state.position = lb_body_position(body), tool->state.rotation = lb_body_rotation(body);
  return flags;
}

// ---- led ---------------------------------------------------------------------------------------

// The tool goes after the device no faster than its limits; what it meets pushes back in that step.
static int32_t step_led(lbTool *tool, const lbToolPose *device, double dt) {
  lbToolState *s = &tool->state;
  lbVec3 way = limit(lb_sub(device->position, s->position), dt * tool->def.speed_limit);
  lbVec3 turn = limit(turn_between(device->rotation, s->rotation), dt * tool->def.turn_limit);
  lbQuat turned = lb_quat_multiply(lb_quat_exp(turn), s->rotation);
  if (lb_world_move_collider(tool->world, tool->collider, lb_add(s->position, way), turned, NULL))
    return LB_STEP_REFUSED;
  int32_t flags = lb_world_step(tool->world, dt);
  if (flags & LB_STEP_REFUSED) return flags;
  lbVec3 force, torque;
  (void)lb_world_collider(tool->world, tool->collider, &s->position, &s->rotation, NULL);
  (void)lb_world_collider_force(tool->world, tool->collider, &force, &torque, NULL);
  set_forces(tool, force, torque);
  return flags;
}

int32_t lb_tool_step(lbTool *tool, const lbToolPose *device, double dt) {
  return tool->model ? step_coupled(tool, device, dt) : step_led(tool, device, dt);
}
