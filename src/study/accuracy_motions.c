// The motions of a comparison: a load that comes at once, a release from an equilibrium, a short
// push, a load that travels.
// Loads are scaled by the linear body, so that they bend the object by the wanted amplitude.
#include "study/accuracy.h"

#include "fem/fem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PATCH 0.15 // of the size: the radius of the loads' place

double lb_largest_displacement(int32_t vertex_count, const double *u, int32_t *vertex) {
  double largest = 0;
  int32_t at = 0;
  for (int32_t v = 0; v < vertex_count; v++) {
    const double *x = u + 3 * (size_t)v;
    double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    if (square > largest) largest = square, at = v;
  }
  if (vertex) *vertex = at;
  return sqrt(largest);
}

lbStatus lb_comparison_respond(const lbComparison *c, double *full, lbError *err) {
  lb_fem_compress(c->fem, full, c->system);
  lbStatus status = lb_cholesky_solve(c->factor, 1, c->system, err);
  if (!status) lb_fem_expand(c->fem, c->system, full);
  return status;
}

// ---- sudden load -------------------------------------------------------------------------------

// Comes within a quarter of the period (a jump would depend on how a method starts) and stays; the
// body swings out to nearly twice the equilibrium.
static void pull(const lbComparison *c, const lbMotionPlan *plan, double t, double *forces) {
  (void)plan;
  double s = fmin(fmax(4 * t / c->period, 0), 1), share = s * s * (3 - 2 * s) / 2;
  for (size_t i = 0; i < 3 * (size_t)c->fem->vertex_count; i++) forces[i] = share * c->load[i];
}

void lb_plan_sudden(lbMotionPlan *plan) {
  *plan = (lbMotionPlan){ .name = "sudden load", .load = pull };
}

// ---- release -----------------------------------------------------------------------------------

// The equilibrium under the load; where none is found, under half of it, and so on.
lbStatus lb_plan_release(const lbComparison *c, lbMotionPlan *plan, char *problem, lbError *err) {
  size_t count = 3 * (size_t)c->fem->vertex_count;
  lbStaticDef def = lb_static_def();
  lbStaticResult result;
  lbError why = { 0 };
  lbStatus status = LB_ERR_NUMERIC;
  double *load = lb_alloc(count, sizeof(double));
  *plan = (lbMotionPlan){ .name = "release", .start = lb_alloc(count, sizeof(double)) };
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

// A force along the plan's direction on the vertices around a point, by mass and nearness.
static void press(const lbComparison *c, const lbMotionPlan *plan, const double centre[3],
                  double force, double *forces) {
  const lbFem *fem = c->fem;
  double radius = PATCH * c->size, total = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int32_t n = 0; n < fem->node_count; n++) {
      int32_t v = fem->vertex_of_node[n];
      const double *x = fem->positions + 3 * (size_t)v;
      double away = 0;
      for (int i = 0; i < 3; i++) away += (x[i] - centre[i]) * (x[i] - centre[i]);
      if (away >= radius * radius) continue;
      double near = 1 - away / (radius * radius), share = near * near * fem->vertex_masses[v];
      if (pass == 0) total += share;
      for (int i = 0; i < 3 && pass == 1; i++)
        forces[3 * (size_t)v + (size_t)i] += force * share / total * plan->direction[i];
    }
}

// The force that bends the linear body by the wanted amplitude when it presses at `centre`.
static lbStatus find_force(const lbComparison *c, const lbMotionPlan *plan, const double centre[3],
                           double *force, lbError *err) {
  double *u = lb_alloc(3 * (size_t)c->fem->vertex_count, sizeof(double));
  if (!u) return lb_fail_memory(err);
  press(c, plan, centre, 1, u);
  lbStatus status = lb_comparison_respond(c, u, err);
  double bent = status ? 0 : lb_largest_displacement(c->fem->vertex_count, u, NULL);
  *force = bent > 0 ? c->wanted / bent : INFINITY;
  lb_free(u);
  return status;
}

// ---- impulse -----------------------------------------------------------------------------------

static void push(const lbComparison *c, const lbMotionPlan *plan, double t, double *forces) {
  double length = c->period / 4;
  if (t <= 0 || t >= length) return;
  press(c, plan, c->fem->positions + 3 * (size_t)c->probe, plan->scale * sin(LB_PI * t / length),
        forces);
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

lbStatus lb_plan_impulse(const lbComparison *c, lbMotionPlan *plan, lbError *err) {
  *plan = (lbMotionPlan){ .name = "impulse", .load = push };
  turn_direction(c, plan->direction);
  return find_force(c, plan, c->fem->positions + 3 * (size_t)c->probe, &plan->scale, err);
}

// ---- moving load -------------------------------------------------------------------------------

enum { PLACES = 5 }; // along the way, where the force is found

// A point of the way, at `share` of it: along the longest side of the free nodes' box, over their
// middle.
static void point_of_way(const lbComparison *c, double share, double point[3]) {
  const lbFem *fem = c->fem;
  double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
  int longest = 0;
  for (int32_t n = 0; n < fem->node_count; n++)
    for (int i = 0; i < 3; i++) {
      double x = fem->positions[3 * (size_t)fem->vertex_of_node[n] + (size_t)i];
      low[i] = fmin(low[i], x), high[i] = fmax(high[i], x);
    }
  for (int i = 0; i < 3; i++) {
    point[i] = (low[i] + high[i]) / 2;
    if (high[i] - low[i] > high[longest] - low[longest]) longest = i;
  }
  point[longest] = low[longest] + share * (high[longest] - low[longest]);
}

// The nearest node of the body, so that the load never presses on nothing.
static void place_of_way(const lbComparison *c, double share, double place[3]) {
  const lbFem *fem = c->fem;
  double point[3], nearest = INFINITY;
  point_of_way(c, share, point);
  for (int32_t n = 0; n < fem->node_count; n++) {
    const double *x = fem->positions + 3 * (size_t)fem->vertex_of_node[n];
    double away = 0;
    for (int i = 0; i < 3; i++) away += (x[i] - point[i]) * (x[i] - point[i]);
    if (away >= nearest) continue;
    nearest = away;
    memcpy(place, x, 3 * sizeof(double));
  }
}

// Comes in and goes out smoothly.
static void travel(const lbComparison *c, const lbMotionPlan *plan, double t, double *forces) {
  double share = t / plan->duration, place[3];
  if (share <= 0 || share >= 1) return;
  double wave = sin(LB_PI * share), force = plan->scale * wave * wave;
  place_of_way(c, share, place);
  press(c, plan, place, force, forces);
}

lbStatus lb_plan_moving(const lbComparison *c, lbMotionPlan *plan, lbError *err) {
  *plan = (lbMotionPlan){ .name = "moving load", .load = travel, .scale = INFINITY };
  const double *u = c->response + 3 * (size_t)c->probe;
  double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  lbStatus status = LB_OK;
  for (int i = 0; i < 3; i++) plan->direction[i] = u[i] / length;
  for (int i = 0; i < PLACES && !status; i++) {
    double place[3], force = 0, share = (i + 1.0) / (PLACES + 1), wave = sin(LB_PI * share);
    place_of_way(c, share, place);
    status = find_force(c, plan, place, &force, err);
    plan->scale = fmin(plan->scale, force / (wave * wave));
  }
  return status;
}
