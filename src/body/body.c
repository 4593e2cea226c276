// What acts on a body, and its step: forces -> constraints -> advance -> forces are steady again.
#include "body/constraints.h"
#include "body/point.h"

#include <string.h>

const lbModel *lb_body_model(const lbBody *body) { return body->common->model; }
lbMethod lb_body_method(const lbBody *body) { return body->common->method->method; }
int32_t lb_body_dimension(const lbBody *body) { return body->common->dimension; }
double lb_body_time(const lbBody *body) { return body->instances->times[body->lane]; }
const char *lb_body_message(const lbBody *body) { return body->message->text; }

bool lb_rotation_make_unit(lbQuat *q) {
  double most = fmax(fmax(fabs(q->x), fabs(q->y)), fmax(fabs(q->z), fabs(q->w)));
  if (!(most > 0 && isfinite(most) && isfinite(q->x + q->y + q->z + q->w))) return false;
  lbQuat scaled = lb_quat(q->x / most, q->y / most, q->z / most, q->w / most);
  // A unit quaternion keeps its bits.
  bool unit = fabs(lb_quat_dot(*q, *q) - 1) <= 4e-16;
  if (!unit) *q = lb_quat_normalise(scaled);
  return true;
}

lbStatus lb_body_refuse_recording(lbBody *body, const char *what) {
  return lb_fail(body->message, LB_ERR_UNSUPPORTED,
                 "%s: the body plays a recording of the unreduced simulation, which nothing "
                 "changes",
                 what);
}

// ---- coordinates in a row ----------------------------------------------------------------------

static const double *gather(const lbBody *body, const double *values, double *row) {
  if (body->instances->stride == 1) return values;
  for (int32_t i = 0; i < body->common->padded; i++) row[i] = values[lb_body_at(body, i)];
  return row;
}

const double *lb_body_coordinates(const lbBody *body) {
  return gather(body, body->instances->q, body->common->coordinates);
}

const double *lb_body_rates(const lbBody *body) {
  return gather(body, body->instances->v, body->common->rates);
}

// ---- forces ------------------------------------------------------------------------------------

// Sums and results in plain order; a sum that begins with +0 never becomes -0, so that blocks
// without forces may take zeros instead of reading `force`.
static bool add_to(const lbBody *body, double *values, const double *sum) {
  for (int32_t i = 0; i < body->common->dimension; i++)
    if (!lb_is_bounded(sum[i]) || !lb_is_bounded(values[lb_body_at(body, i)] + sum[i]))
      return false;
  for (int32_t i = 0; i < body->common->dimension; i++) values[lb_body_at(body, i)] += sum[i];
  return true;
}

static lbStatus apply(lbBody *body, lbPoint point, lbVec3 amount, double *values,
                      const char *what) {
  lbStatus status = lb_point_check(body->common->model, &point, what, body->message);
  if (status) return status;
  double *sum = body->common->forces;
  memset(sum, 0, (size_t)body->common->padded * sizeof *sum);
  if (lb_vec3_is_bounded(amount))
    lb_point_add_force(body->common, &point, lb_mat3_apply_transpose(body->turn, amount), sum);
  if (values == body->instances->v && body->common->method->mobilise)
    body->common->method->mobilise(body->common, sum);
  if (!lb_vec3_is_bounded(amount) || !add_to(body, values, sum))
    return lb_fail(body->message, LB_ERR_ARGUMENT, "%s is (%g, %g, %g): not a number or beyond %g",
                   what, amount.x, amount.y, amount.z, LB_BODY_MOST);
  return LB_OK;
}

lbStatus lb_body_apply_force(lbBody *body, lbPoint point, lbVec3 force) {
  lbStatus status = apply(body, point, force, body->instances->force, "force");
  if (!status) body->instances->forced = body->instances->touched = true;
  return status;
}

lbStatus lb_body_apply_impulse(lbBody *body, lbPoint point, lbVec3 impulse) {
  lbStatus status = apply(body, point, impulse, body->instances->v, "impulse");
  if (!status) lb_body_disturb(body);
  return status;
}

static bool any_steady(const lbInstances *instances, int32_t count) {
  for (size_t i = 0; i < (size_t)count * (size_t)instances->stride; i++)
    if (instances->steady[i] != 0) return true;
  return false;
}

bool lb_body_set_steady(lbBody *body, lbVec3 gravity, lbMat3 turn) {
  const lbBodyCommon *common = body->common;
  lbInstances *instances = body->instances;
  lbVec3 own = lb_mat3_apply_transpose(turn, gravity);
  bool zero = true;
  if (!lb_vec3_is_bounded(gravity)) return false;
  for (int32_t i = 0; i < common->dimension; i++) {
    const double *g = common->gravity + 3 * (size_t)i;
    common->forces[i] = 0 + g[0] * own.x + g[1] * own.y + g[2] * own.z;
    if (!lb_is_bounded(common->forces[i])) return false;
    if (common->forces[i] != 0) zero = false;
  }
  for (int32_t i = 0; i < common->dimension; i++) {
    double *force = &instances->force[lb_body_at(body, i)];
    double *steady = &instances->steady[lb_body_at(body, i)];
    *force = *force == *steady ? common->forces[i] : *force + (common->forces[i] - *steady);
    *steady = common->forces[i];
  }
  instances->steadied = !zero || (instances->steadied && any_steady(instances, common->dimension));
  instances->forced = true;
  return true;
}

void lb_instances_reset_forces(lbInstances *instances, const lbBodyCommon *common) {
  size_t count = (size_t)common->dimension * (size_t)instances->stride;
  if (instances->touched) memcpy(instances->force, instances->steady, count * sizeof(double));
  instances->touched = false;
  instances->forced = instances->steadied;
}

// ---- placement and motion ----------------------------------------------------------------------

lbStatus lb_body_set_gravity(lbBody *body, lbVec3 gravity) {
  if (!lb_body_set_steady(body, gravity, body->turn))
    return lb_fail(body->message, LB_ERR_ARGUMENT,
                   "gravity is (%g, %g, %g): not a number or beyond %g", gravity.x, gravity.y,
                   gravity.z, LB_BODY_MOST);
  body->gravity = gravity;
  return LB_OK;
}

lbStatus lb_body_set_placement(lbBody *body, lbVec3 position, lbQuat rotation) {
  lbQuat given = rotation;
  if (!lb_vec3_is_bounded(position))
    return lb_fail(body->message, LB_ERR_ARGUMENT, "position is (%g, %g, %g)", position.x,
                   position.y, position.z);
  if (!lb_rotation_make_unit(&rotation))
    return lb_fail(body->message, LB_ERR_ARGUMENT, "rotation is (%g, %g, %g, %g), which is none",
                   given.x, given.y, given.z, given.w);
  lbMat3 turn = lb_quat_to_mat3(rotation);
  if (memcmp(&turn, &body->turn, sizeof turn) != 0) {
    if (!lb_body_set_steady(body, body->gravity, turn))
      return lb_fail(body->message, LB_ERR_ARGUMENT, "gravity is too strong in these axes");
    body->constraints->fresh = false;
  }
  body->position = position;
  body->rotation = rotation;
  body->turn = turn;
  return LB_OK;
}

lbStatus lb_body_set_velocity(lbBody *body, lbVec3 linear, lbVec3 angular) {
  const lbBodyCommon *common = body->common;
  lbVec3 a = lb_mat3_apply_transpose(body->turn, linear);
  lbVec3 b = lb_mat3_apply_transpose(body->turn, angular);
  for (int32_t i = 0; i < common->dimension; i++) {
    const double *launch = common->launch + 6 * (size_t)i;
    common->rates[i] = lb_dot(lb_vec3_load(launch), a) + lb_dot(lb_vec3_load(launch + 3), b);
    if (!lb_is_bounded(common->rates[i]))
      return lb_fail(body->message, LB_ERR_ARGUMENT,
                     "velocity is (%g, %g, %g), (%g, %g, %g): not a number or beyond %g", linear.x,
                     linear.y, linear.z, angular.x, angular.y, angular.z, LB_BODY_MOST);
  }
  for (int32_t i = 0; i < common->dimension && !common->method->is_recording; i++)
    body->instances->v[lb_body_at(body, i)] = common->rates[i];
  lb_body_disturb(body);
  return LB_OK;
}

// ---- the step ----------------------------------------------------------------------------------

bool lb_time_step_is_legal(double dt) { return dt > 0 && dt <= LB_TIME_STEP_MOST; }

static int32_t step_in_batch(lbBody *body) {
  lbInstances *instances = body->instances;
  int32_t flags = body->common->method->advance_one(body);
  for (int32_t i = 0; i < body->common->dimension; i++)
    instances->force[lb_body_at(body, i)] = instances->steady[lb_body_at(body, i)];
  return flags;
}

static int32_t step_alone(lbBody *body) {
  int32_t flags = body->common->method->advance(body->common, body->instances);
  lb_instances_reset_forces(body->instances, body->common);
  return flags;
}

int32_t lb_body_step(lbBody *body, double dt) {
  if (!lb_time_step_is_legal(dt)) {
    lb_fail(body->message, LB_ERR_ARGUMENT, "the time step is %g s; it must be above 0, at most %g",
            dt, LB_TIME_STEP_MOST);
    return LB_STEP_REFUSED;
  }
  body->common->h = dt;
  body->common->method->prepare(body->common, dt);
  int32_t flags = body->in_batch ? step_in_batch(body) : step_alone(body);
  body->instances->times[body->lane] += dt;
  return flags;
}
