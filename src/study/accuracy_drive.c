// Supports that are shaken: a frame sways along a line and turns about the centre of mass,
//
//   x(t) = w(t) sin(ω t) sway,   θ(t) = w(t) sin(ω t) turn,
//
// with w from 0 to 1 in the course of half a period, so smoothly that accelerations begin at zero.
// The model's frame is driven along it, and the fixed nodes of the full body are.
#include "study/accuracy.h"

#include "fem/fem.h"
#include "math/functions.h"

#include <math.h>
#include <string.h>

#define SHAKES 0.5 // per period of the bending: away from resonance
#define SWAY 0.25  // of the acceleration that bends as the bending load does, at rest
#define TURN 0.08  // rad

// ---- how the frame moves -----------------------------------------------------------------------

// A number and its first two derivatives.
typedef struct Jet {
  double value, rate, acceleration;
} Jet;

// s³ (10 − 15 s + 6 s²) with s = t / length
static Jet smooth_rise(double t, double length) {
  double s = fmin(fmax(t / length, 0), 1);
  return (Jet){ s * s * s * (10 - 15 * s + 6 * s * s), 30 * s * s * (1 - s) * (1 - s) / length,
                60 * s * (1 - s) * (1 - 2 * s) / (length * length) };
}

static Jet wave(double t, double frequency) {
  double s, c;
  lb_sin_cos(frequency * t, &s, &c);
  return (Jet){ s, frequency * c, -frequency * frequency * s };
}

static Jet product(Jet a, Jet b) {
  return (Jet){ a.value * b.value, a.rate * b.value + a.value * b.rate,
                a.acceleration * b.value + 2 * a.rate * b.rate + a.value * b.acceleration };
}

static Jet shake(const lbComparison *c, double t) {
  return product(smooth_rise(t, c->period / 2), wave(t, SHAKES * 2 * LB_PI / c->period));
}

// World = centre + x + R (own − centre).
static lbFrame frame_at(const lbComparison *c, const lbMotionPlan *plan, Jet now) {
  lbQuat rotation =
      lb_quat_from_axis_angle(lb_normalise(plan->turn), now.value * lb_length(plan->turn));
  lbVec3 centre = lb_add_scaled(c->centre, now.value, plan->sway);
  return (lbFrame){ .position = lb_sub(centre, lb_quat_rotate(rotation, c->centre)),
                    .rotation = rotation,
                    .linear_velocity = lb_scale(now.rate, plan->sway),
                    .angular_velocity = lb_scale(now.rate, plan->turn) };
}

// ---- both bodies -------------------------------------------------------------------------------

// rows: displacements, velocities and accelerations of all vertices, as if all were fixed.
static lbSupportMotion supports_at(const lbComparison *c, const lbMotionPlan *plan, double t,
                                   double *rows) {
  size_t count = 3 * (size_t)c->fem->vertex_count;
  double *u = rows, *v = u + count, *a = v + count;
  Jet now = shake(c, t);
  lbFrame f = frame_at(c, plan, now);
  lbVec3 spin = f.angular_velocity;
  for (size_t k = 0; k < count; k += 3) {
    lbVec3 X = lb_vec3_load(c->fem->positions + k);
    lbVec3 arm = lb_quat_rotate(f.rotation, lb_sub(X, c->centre)), turning = lb_cross(spin, arm);
    lbVec3 linear = lb_scale(now.acceleration, plan->sway);
    lbVec3 angular = lb_scale(now.acceleration, plan->turn);
    lb_vec3_store(u + k, lb_sub(lb_add(f.position, lb_quat_rotate(f.rotation, X)), X));
    lb_vec3_store(v + k, lb_add(f.linear_velocity, turning));
    lb_vec3_store(a + k, lb_add(lb_add(linear, lb_cross(angular, arm)), lb_cross(spin, turning)));
  }
  lbVec3 origin = lb_sub(f.position, lb_add_scaled(c->centre, now.value, plan->sway));
  lbSupportMotion motion = { .displacement = u,
                             .velocity = v,
                             .acceleration = a,
                             .rotation = { f.rotation.x, f.rotation.y, f.rotation.z,
                                           f.rotation.w } };
  lb_vec3_store(motion.position, f.position);
  lb_vec3_store(motion.linear_velocity, lb_add(f.linear_velocity, lb_cross(spin, origin)));
  lb_vec3_store(motion.angular_velocity, spin);
  return motion;
}

lbStatus lb_start_drive(const lbComparison *c, const lbMotionPlan *plan, lbSimulator *simulator,
                        double *rows, lbError *err) {
  lbSupportMotion now = supports_at(c, plan, 0, rows);
  return lb_simulator_start_supports(simulator, &now, NULL, err);
}

lbStatus lb_drive(const lbComparison *c, const lbMotionPlan *plan, double t, lbSimulator *simulator,
                  double *rows, lbBody *body, lbError *err) {
  lbSupportMotion end = supports_at(c, plan, t, rows);
  lbFrame frame = frame_at(c, plan, shake(c, t));
  lbStatus status = lb_simulator_move_supports(simulator, &end, err);
  if (!status && lb_body_drive(body, &frame))
    status = lb_fail(err, LB_ERR_ARGUMENT, "comparison: %s", lb_body_message(body));
  return status;
}

// ---- the plan ----------------------------------------------------------------------------------

// The bending load is a uniform acceleration times masses.
static lbVec3 acceleration_like_load(const lbComparison *c) {
  lbVec3 force = lb_vec3(0, 0, 0);
  for (size_t v = 0; v < (size_t)c->fem->vertex_count; v++)
    force = lb_add(force, lb_vec3_load(c->load + 3 * v));
  return lb_scale(1 / c->fem->total_mass, force);
}

void lb_plan_shaken(const lbComparison *c, lbMotionPlan *plan) {
  double frequency = SHAKES * 2 * LB_PI / c->period;
  lbVec3 acceleration = acceleration_like_load(c);
  *plan = (lbMotionPlan){ .aim = c->wanted,
                          .driven = true,
                          .sway = lb_scale(SWAY / (frequency * frequency), acceleration),
                          .turn = lb_scale(TURN, lb_vec3(0.48, 0.64, 0.6)) };
}
