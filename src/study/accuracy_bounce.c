// A bounce: the model and the unreduced body meet the ground as if they had fallen, each alone in a
// world, with the same contacts and time step. What they push it with and how high their speeds
// take them afterwards is compared. Weight is left out while they touch, and so they leave it.
#include "study/accuracy.h"

#include "limber/contact.h"
#include "limber/model.h"

#include <math.h>
#include <stdio.h>

#define GRAVITY 9.81
#define DEPTH 0.5      // of the target amplitude of loads: the deflection at the speed
#define FALL_MOST 10   // of its size: it falls from no higher
#define PEAK 4         // steps: forces are means over them, or strokes would depend on the step
#define TOLERANCE 1e-4 // of the full body's forces, and the model's
#define AFTER 6        // steps that it has left the ground by
#define LONGEST 2      // times the steps of a motion, until it has

typedef struct Fall {
  const lbComparison *c;
  double speed, step; // m/s, s
  double lowest;      // m, of its vertices at rest
  int32_t steps;      // at most
} Fall;

// How one body does it.
typedef struct Bounce {
  double *forces; // (steps + 1) N
  double peak, contact, rebound;
  double amplitude; // m
  int32_t steps;
  int32_t flags;
  bool touching; // to the end
} Bounce;

static Fall plan_fall(const lbComparison *c, const lbEffort *effort) {
  Fall fall = { .c = c, .step = c->step, .lowest = INFINITY };
  double wanted = DEPTH * c->wanted * 2 * LB_PI / c->period;
  fall.speed = fmin(wanted, sqrt(2 * GRAVITY * FALL_MOST * c->size));
  fall.steps = LONGEST * effort->steps;
  for (int32_t v = 0; v < c->model->size.vertex_count; v++)
    fall.lowest = fmin(fall.lowest, c->model->vertex_positions[3 * (size_t)v + 2]);
  return fall;
}

// ---- one body ----------------------------------------------------------------------------------

static lbStatus make_world(const Fall *fall, lbMethod method, lbWorld **out, lbBodyId *id,
                           lbError *err) {
  lbWorldSettings settings = lb_world_settings();
  lbColliderDef ground = lb_collider_def(); // z <= 0
  lbColliderId ground_id;
  lbBodyDef def = lb_body_def();
  lbWorld *world = NULL;
  settings.contact = true;
  settings.sleep = false;
  def.method = method;
  def.newton_iterations = 20;
  def.newton_tolerance = TOLERANCE;
  def.factor_reuse = 0.5;
  def.position = lb_vec3(0, 0, 0.5 * fall->speed * fall->step - fall->lowest);
  lbStatus status = lb_world_create(&settings, &world, err);
  if (!status) status = lb_world_add_collider(world, &ground, &ground_id, err);
  if (!status) status = lb_world_add(world, fall->c->model, &def, id, err);
  if (!status)
    lb_body_set_velocity(lb_world_body(world, *id), lb_vec3(0, 0, -fall->speed), lb_vec3(0, 0, 0));
  if (status)
    lb_world_destroy(world);
  else
    *out = world;
  return status;
}

// How high a speed takes a body, or from where it comes with it.
static double height_of(double speed) { return speed * speed / (2 * GRAVITY); }

static double mean_before(const double *forces, int32_t step) {
  double sum = 0;
  for (int32_t i = step; i > 0 && i > step - PEAK; i--) sum += forces[i];
  return sum / PEAK;
}

// `steps`: exactly so many; 0: until it has left the ground. u: work, a full vector.
static lbStatus fall_down(const Fall *fall, lbWorld *world, lbBodyId id, int32_t steps, double *u,
                          Bounce *b, lbError *err) {
  const lbBody *body = lb_world_body(world, id);
  int32_t most = steps ? steps : fall->steps, since = 0; // it touched
  bool hit = false;
  for (int32_t i = 1; i <= most && (steps || !hit || since < AFTER); i++) {
    if (!lb_progress("accuracy", (double)i / most)) return lb_fail_interrupted(err, "accuracy");
    b->flags |= lb_world_step(world, fall->step);
    if (b->flags & LB_STEP_NONFINITE) return LB_OK;
    double force = lb_world_contact_force(world, id).z;
    b->steps = i;
    b->forces[i] = force;
    b->peak = fmax(b->peak, mean_before(b->forces, i));
    b->touching = force > 0;
    if (b->touching) b->contact += fall->step, hit = true, since = 0;
    since++;
    lb_body_node_displacements(body, u);
    b->amplitude =
        fmax(b->amplitude, lb_largest_displacement(fall->c->model->size.node_count, u, NULL));
  }
  lbBodyReport end = lb_body_report(body);
  b->rebound = height_of(fmax(end.linear_momentum.z / end.mass, 0));
  return LB_OK;
}

static lbStatus bounce(const Fall *fall, lbMethod method, int32_t steps, Bounce *b, lbError *err) {
  lbWorld *world = NULL;
  lbBodyId id = 0;
  double *u = lb_alloc(3 * (size_t)fall->c->model->size.node_count, sizeof(double));
  lbStatus status = u ? make_world(fall, method, &world, &id, err) : lb_fail_memory(err);
  if (!status) status = fall_down(fall, world, id, steps, u, b, err);
  lb_world_destroy(world);
  lb_free(u);
  return status;
}

// ---- both --------------------------------------------------------------------------------------

// What spoils a comparison; false: there is none.
static bool watch_bounce(const Bounce *full, const Bounce *reduced, lbAccuracyMotion *m) {
  const char *what = NULL;
  if (full->flags & LB_STEP_NONFINITE)
    what = "the full simulator found no finite state";
  else if (reduced->flags & LB_STEP_NONFINITE)
    what = "the model found no finite state";
  else if (!(full->peak > 0 && reduced->peak > 0))
    what = "a body did not meet the ground";
  if (what) {
    snprintf(m->problem, sizeof m->problem, "%s", what);
    return false;
  }
  if (full->touching || reduced->touching)
    snprintf(m->problem, sizeof m->problem, "%s still touches the ground after %.3g s",
             full->touching ? "the full body" : "the model", m->duration);
  else if (full->flags & LB_STEP_NOT_CONVERGED)
    snprintf(m->problem, sizeof m->problem, "a step of the full simulator did not converge");
  return true;
}

static void compare_bounces(const Fall *fall, const Bounce *full, const Bounce *reduced,
                            lbAccuracyMotion *m) {
  m->step_count = full->steps;
  m->duration = full->steps * fall->step;
  m->amplitude = full->amplitude;
  for (int32_t i = 0; i <= m->step_count; i++) m->times[i] = i * fall->step;
  if (!watch_bounce(full, reduced, m)) return;
  m->bounce = (lbAccuracyBounce){ .height = height_of(fall->speed),
                                  .speed = fall->speed,
                                  .peak_force = { full->peak, reduced->peak },
                                  .contact_time = { full->contact, reduced->contact },
                                  .rebound_height = { full->rebound, reduced->rebound } };
  m->peak_error = fabs(reduced->peak / full->peak - 1);
  m->frequency_error = fabs(1 - full->contact / reduced->contact);
}

lbStatus lb_play_bounce(const lbComparison *c, const lbEffort *effort, lbAccuracyMotion *m,
                        lbError *err) {
  Fall fall = plan_fall(c, effort);
  lbError why = { 0 };
  lbStatus status = lb_begin_motion("bounce", c->probe, fall.steps, m, err);
  if (status) return status;
  Bounce full = { .forces = m->full }, reduced = { .forces = m->reduced };
  status = bounce(&fall, LB_METHOD_FULL, 0, &full, &why);
  if (!status && full.steps > 0) status = bounce(&fall, c->method, full.steps, &reduced, &why);
  if (status && status != LB_ERR_MEMORY && status != LB_ERR_INTERRUPTED) {
    snprintf(m->problem, sizeof m->problem, "%.230s", why.text);
    return LB_OK;
  }
  if (status) {
    if (err) *err = why;
    return status;
  }
  m->direction[2] = 1;
  compare_bounces(&fall, &full, &reduced, m);
  return LB_OK;
}
