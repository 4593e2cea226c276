// The motions of a comparison: loads that come at once, a release from an equilibrium, a short
// push, a load that travels, a throw, shaken supports.
#include "study/accuracy.h"

#include "fem/fem.h"
#include "math/functions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SPIN 0.2 // of the load's frequency: how fast a thrown body turns

void lb_plan_destroy(lbMotionPlan *plan) {
  lb_free(plan->start);
  lb_free(plan->shape);
}

// ---- a load that stays -------------------------------------------------------------------------

// Comes within a quarter of the period (a jump would depend on how a method starts) and stays; the
// body swings out to nearly twice the equilibrium.
static void apply_pull(const lbComparison *c, const lbMotionPlan *plan, double t, double *forces) {
  double s = fmin(fmax(4 * t / c->period, 0), 1), share = s * s * (3 - 2 * s) / 2;
  for (size_t i = 0; i < 3 * (size_t)c->fem->vertex_count; i++) forces[i] = share * plan->shape[i];
}

static lbStatus plan_steady(const lbComparison *c, lbLoadShape shape, lbMotionPlan *plan,
                            lbError *err) {
  *plan = (lbMotionPlan){ .load = apply_pull,
                          .shape = lb_alloc(3 * (size_t)c->fem->vertex_count, sizeof(double)) };
  if (!plan->shape) return lb_fail_memory(err);
  return lb_make_load(c, shape, plan->shape, NULL, &plan->aim, err);
}

// A free body that turns and flies while a load that stands in space bends it.
static lbStatus plan_thrown(const lbComparison *c, lbMotionPlan *plan, lbError *err) {
  lbStatus status = plan_steady(c, LB_LOAD_BEND, plan, err);
  double spin = SPIN * 2 * LB_PI / c->period;
  plan->spin = lb_vec3(0.64 * spin, 0.48 * spin, 0.6 * spin);
  plan->velocity = lb_vec3(0.6 * spin * c->size, 0, 0.8 * spin * c->size);
  return status;
}

// ---- release -----------------------------------------------------------------------------------

// The equilibrium under the load; where none is found, under half of it, and so on.
static lbStatus plan_release(const lbComparison *c, lbMotionPlan *plan, char *problem,
                             lbError *err) {
  size_t count = 3 * (size_t)c->fem->vertex_count;
  lbStaticDef def = lb_static_def();
  lbStaticResult result;
  lbError why = { 0 };
  lbStatus status = LB_ERR_NUMERIC;
  double *load = lb_alloc(count, sizeof(double));
  *plan = (lbMotionPlan){ .start = lb_alloc(count, sizeof(double)), .aim = c->wanted };
  if (!load || !plan->start) {
    lb_free(load);
    return lb_fail_memory(err);
  }
  def.tolerance = 1e-8;
  def.load_steps_max = 20;
  for (double share = 1; share > 0.1 && status == LB_ERR_NUMERIC; share *= 0.5) {
    for (size_t i = 0; i < count; i++) load[i] = share * c->load[i];
    memset(plan->start, 0, count * sizeof(double));
    status = lb_fem_static(c->fem, load, &def, plan->start, &result, &why);
  }
  lb_free(load);
  if (status == LB_ERR_NUMERIC) {
    snprintf(problem, 240, "no equilibrium to start from: %.180s", why.text);
    return LB_OK;
  }
  if (status && err) *err = why;
  return status;
}

// ---- loads on a patch --------------------------------------------------------------------------

// The force that bends the linear body by the wanted amplitude when it presses at `centre`.
static lbStatus find_force(const lbComparison *c, const lbMotionPlan *plan, const double centre[3],
                           double *force, lbError *err) {
  double *u = lb_alloc(3 * (size_t)c->fem->vertex_count, sizeof(double));
  if (!u) return lb_fail_memory(err);
  lb_press(c, centre, plan->direction, 1, u);
  if (c->free) lb_balance_load(c, u);
  lbStatus status = lb_comparison_respond(c, u, err);
  double bent = status ? 0 : lb_largest_displacement(c->fem->vertex_count, u, NULL);
  *force = bent > 0 ? c->wanted / bent : INFINITY;
  lb_free(u);
  return status;
}

// ---- impulse -----------------------------------------------------------------------------------

static void apply_push(const lbComparison *c, const lbMotionPlan *plan, double t, double *forces) {
  double length = c->period / 4;
  if (t <= 0 || t >= length) return;
  lb_press(c, c->fem->positions + 3 * (size_t)c->probe, plan->direction,
           plan->scale * lb_sin(LB_PI * t / length), forces);
  if (c->free) lb_balance_load(c, forces);
}

// Across the release's motion at the probe.
static void turn_direction(const lbComparison *c, double direction[3]) {
  const double *u = c->response + 3 * (size_t)c->probe;
  int axis = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(u[i]) < fabs(u[axis])) axis = i;
  double e[3] = { 0 }, length = 0;
  e[axis] = 1;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    direction[i] = u[j] * e[k] - u[k] * e[j];
    length += direction[i] * direction[i];
  }
  for (int i = 0; i < 3; i++) direction[i] /= sqrt(length);
}

static lbStatus plan_impulse(const lbComparison *c, lbMotionPlan *plan, lbError *err) {
  *plan = (lbMotionPlan){ .load = apply_push, .aim = c->wanted };
  turn_direction(c, plan->direction);
  return find_force(c, plan, c->fem->positions + 3 * (size_t)c->probe, &plan->scale, err);
}

// ---- moving load -------------------------------------------------------------------------------

enum { PLACES = 5 }; // along the way, where the force is found

// Starts and ends smoothly.
static void travel(const lbComparison *c, const lbMotionPlan *plan, double t, double *forces) {
  double share = t / plan->duration, place[3];
  if (share <= 0 || share >= 1) return;
  double wave = lb_sin(LB_PI * share), force = plan->scale * wave * wave;
  lb_place_on_way(c, share, place);
  lb_press(c, place, plan->direction, force, forces);
  if (c->free) lb_balance_load(c, forces);
}

static lbStatus plan_moving(const lbComparison *c, lbMotionPlan *plan, lbError *err) {
  *plan = (lbMotionPlan){ .load = travel, .aim = c->wanted, .scale = INFINITY };
  const double *u = c->response + 3 * (size_t)c->probe;
  double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  lbStatus status = LB_OK;
  for (int i = 0; i < 3; i++) plan->direction[i] = u[i] / length;
  for (int i = 0; i < PLACES && !status; i++) {
    double place[3], force = 0, share = (i + 1.0) / (PLACES + 1), wave = lb_sin(LB_PI * share);
    lb_place_on_way(c, share, place);
    status = find_force(c, plan, place, &force, err);
    plan->scale = fmin(plan->scale, force / (wave * wave));
  }
  return status;
}

// ---- the list ----------------------------------------------------------------------------------

static const struct {
  const char *name;
  bool held, free; // in a full comparison of such bodies
} motions[LB_MOTION_KIND_COUNT] = {
  [LB_MOTION_SUDDEN] = { "sudden load", false, true },
  [LB_MOTION_RELEASE] = { "release", true, false },
  [LB_MOTION_IMPULSE] = { "impulse", true, true },
  [LB_MOTION_MOVING] = { "moving load", true, true },
  [LB_MOTION_TWIST] = { "twist", true, true },
  [LB_MOTION_AXIAL] = { "axial load", true, true },
  [LB_MOTION_PINCH] = { "pinch", true, true },
  [LB_MOTION_THROWN] = { "thrown", false, true },
  [LB_MOTION_SHAKEN] = { "shaken supports", true, false },
};

const char *lb_motion_name(lbMotionKind kind) { return motions[kind].name; }

bool lb_motion_suits(lbMotionKind kind, bool free) {
  return free ? motions[kind].free : motions[kind].held;
}

lbStatus lb_plan_motion(const lbComparison *c, lbMotionKind kind, lbMotionPlan *plan, char *problem,
                        lbError *err) {
  switch (kind) {
  case LB_MOTION_RELEASE: return plan_release(c, plan, problem, err);
  case LB_MOTION_IMPULSE: return plan_impulse(c, plan, err);
  case LB_MOTION_MOVING: return plan_moving(c, plan, err);
  case LB_MOTION_TWIST: return plan_steady(c, LB_LOAD_TWIST, plan, err);
  case LB_MOTION_AXIAL: return plan_steady(c, LB_LOAD_AXIAL, plan, err);
  case LB_MOTION_PINCH: return plan_steady(c, LB_LOAD_PINCH, plan, err);
  case LB_MOTION_THROWN: return plan_thrown(c, plan, err);
  case LB_MOTION_SHAKEN: lb_plan_shaken(c, plan); return LB_OK;
  default: return plan_steady(c, LB_LOAD_BEND, plan, err);
  }
}
