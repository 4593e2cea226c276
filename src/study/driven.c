// Supports that follow a path; see driven.h.
#include "study/driven.h"

#include <string.h>

static bool holds_any(const lbFem *fem) {
  for (int32_t v = 0; v < lb_fem_vertex_count(fem); v++)
    if (lb_fem_fixed(fem)[v]) return true;
  return false;
}

// In world axes that law takes every rotation for a strain.
static void warn_of_linear(const lbSceneBody *body) {
  for (int32_t i = 0; i < body->material_count && lb_path_keys(body->motion)->rotations; i++)
    if (body->materials[i].model == LB_MATERIAL_LINEAR) {
      lb_log(LB_LOG_WARNING,
             "body \"%s\": its motion turns it, which the material \"linear\" takes for strain; "
             "use \"corotated\"",
             body->name);
      return;
    }
}

lbStatus lb_driven_create(const lbSceneBody *body, const lbFem *fem, lbIntegrator integrator,
                          lbDriven **out, lbError *err) {
  if (!holds_any(fem))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "body \"%s\": the method \"full\" follows its \"motion\" by what is fixed, and "
                   "nothing is: give it \"fixed\", or a reduced method",
                   body->name);
  lbDriven *driven = lb_alloc(1, sizeof *driven);
  if (!driven) return lb_fail_memory(err);
  size_t values = 3 * (size_t)lb_fem_vertex_count(fem);
  driven->body = body;
  driven->fem = fem;
  driven->integrator = integrator;
  driven->displacement = lb_alloc(values, sizeof(double));
  driven->velocity = lb_alloc(values, sizeof(double));
  driven->acceleration = lb_alloc(values, sizeof(double));
  if (!driven->displacement || !driven->velocity || !driven->acceleration) {
    lb_driven_destroy(driven);
    return lb_fail_memory(err);
  }
  warn_of_linear(body);
  *out = driven;
  return LB_OK;
}

void lb_driven_destroy(lbDriven *driven) {
  if (!driven) return;
  lb_free(driven->displacement);
  lb_free(driven->velocity);
  lb_free(driven->acceleration);
  lb_free(driven);
}

// Places and rates of the fixed vertices on a frame.
static void fill_rows(lbDriven *driven, const lbPathState *frame) {
  const double *own = driven->body->mesh->positions, *rest = lb_fem_rest_positions(driven->fem);
  for (size_t v = 0; v < (size_t)lb_fem_vertex_count(driven->fem); v++) {
    double x[3];
    if (!lb_fem_fixed(driven->fem)[v]) continue;
    lb_path_point(frame, own + 3 * v, x);
    lb_path_point_rates(frame, x, driven->velocity + 3 * v, driven->acceleration + 3 * v);
    for (size_t i = 0; i < 3; i++) driven->displacement[3 * v + i] = x[i] - rest[3 * v + i];
  }
}

// The acceleration that belongs to a step: a velocity that jumps within it gives its impulse.
//   Newmark: (v_1 − v_0) / h + (a_1 − a_0) / 2, which is a_1 but for h² where nothing jumps
//   Euler:   (v_1 − v_0) / h
static void count_jumps(lbDriven *driven, const lbPathState *from, double h) {
  const double *own = driven->body->mesh->positions;
  bool newmark = driven->integrator == LB_INTEGRATOR_NEWMARK;
  for (size_t v = 0; v < (size_t)lb_fem_vertex_count(driven->fem); v++) {
    double x[3], v0[3], a0[3];
    if (!lb_fem_fixed(driven->fem)[v]) continue;
    lb_path_point(from, own + 3 * v, x);
    lb_path_point_rates(from, x, v0, a0);
    for (size_t i = 0; i < 3; i++) {
      double *a = &driven->acceleration[3 * v + i];
      *a = (driven->velocity[3 * v + i] - v0[i]) / h + (newmark ? 0.5 * (*a - a0[i]) : 0);
    }
  }
}

static lbSupportMotion motion_of(const lbDriven *driven, const lbPathState *frame) {
  lbSupportMotion motion = { .displacement = driven->displacement,
                             .velocity = driven->velocity,
                             .acceleration = driven->acceleration };
  memcpy(motion.position, frame->position, sizeof motion.position);
  memcpy(motion.rotation, frame->rotation, sizeof motion.rotation);
  memcpy(motion.linear_velocity, frame->linear_velocity, sizeof motion.linear_velocity);
  memcpy(motion.angular_velocity, frame->angular_velocity, sizeof motion.angular_velocity);
  return motion;
}

lbStatus lb_driven_start(lbDriven *driven, lbSimulator *simulator, const double *load,
                         lbError *err) {
  driven->time = 0;
  lb_path_at(driven->body->motion, 0, &driven->now);
  fill_rows(driven, &driven->now);
  lbSupportMotion motion = motion_of(driven, &driven->now);
  return lb_simulator_start_supports(simulator, &motion, load, err);
}

lbStatus lb_driven_step(lbDriven *driven, lbSimulator *simulator, double t, lbError *err) {
  const lbPath *path = driven->body->motion;
  lbPathState from = driven->now;
  double rotation[4], shift[3], h = t - driven->time;
  if (lb_path_jump(path, driven->time, t, rotation, shift)) {
    lb_simulator_carry(simulator, rotation, shift);
    lb_path_carry(path, driven->time, t, &from);
  }
  lb_path_at(path, t, &driven->now);
  driven->time = t;
  fill_rows(driven, &driven->now);
  count_jumps(driven, &from, h);
  lbSupportMotion motion = motion_of(driven, &driven->now);
  return lb_simulator_move_supports(simulator, &motion, err);
}
