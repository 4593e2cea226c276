// What acts on a body: forces, impulses, gravity; and what is asked of it in a word.
#include "body/body.h"
#include "body/point.h"

#include <string.h>

const lbModel *lb_body_model(const lbBody *body) { return body ? body->prepared->model : NULL; }
lbMethod lb_body_method(const lbBody *body) {
  return body ? body->prepared->method->method : LB_METHOD_DEFAULT;
}
int32_t lb_body_dimension(const lbBody *body) { return body ? body->prepared->dimension : 0; }
double lb_body_time(const lbBody *body) { return body ? body->time : 0; }
int32_t lb_body_flags(const lbBody *body) { return body ? body->flags : LB_STEP_REFUSED; }
const char *lb_body_message(const lbBody *body) {
  return body ? body->message->text : "body is NULL";
}
void *lb_body_user_data(const lbBody *body) { return body ? body->user_data : NULL; }
void lb_body_set_user_data(lbBody *body, void *data) {
  if (body) body->user_data = data;
}

size_t lb_body_bytes(const lbBody *body) {
  return body ? body->group->bytes / (size_t)body->group->count : 0;
}

double lb_body_stable_step(const lbBody *body) {
  if (!body) return INFINITY;
  return body->prepared->method->stable_step(body);
}

lbStatus lb_body_refuse_recording(const lbBody *body, const char *what) {
  return lb_fail(body->message, LB_ERR_UNSUPPORTED,
                 "%s: the body plays a recording of the unreduced simulation, which nothing "
                 "changes",
                 what);
}

// ---- forces ------------------------------------------------------------------------------------

static bool add_to(int32_t count, double *values, const double *sum) {
  for (int32_t i = 0; i < count; i++)
    if (!lb_is_bounded(sum[i]) || !lb_is_bounded(values[i] + sum[i])) return false;
  for (int32_t i = 0; i < count; i++) values[i] += sum[i];
  return true;
}

// From the centre of the frame to a point, world axes.
static lbVec3 arm_of(const lbBody *body, const lbPoint *point, lbScratch *scratch) {
  return lb_sub(lb_point_place(body, point, scratch), lb_frame_centre(body));
}

static lbStatus refuse_amount(const lbBody *body, const char *what, lbVec3 amount) {
  return lb_fail(body->message, LB_ERR_ARGUMENT, "%s is (%g, %g, %g): not a number or beyond %g",
                 what, amount.x, amount.y, amount.z, LB_BODY_MOST);
}

// scratch->b <- the reduced share of a force or impulse at a point.
static lbStatus reduce(const lbBody *body, const lbPoint *point, lbVec3 amount, const char *what,
                       lbScratch *scratch) {
  lbStatus status = lb_point_check(body->prepared->model, point, what, body->message);
  if (status) return status;
  if (!lb_vec3_is_bounded(amount)) return refuse_amount(body, what, amount);
  memset(scratch->b, 0, (size_t)body->prepared->padded * sizeof(double));
  lb_point_add_force(body->prepared, point, lb_mat3_apply_transpose(body->frame.turn, amount),
                     scratch->b);
  return LB_OK;
}

static lbStatus apply_force(lbBody *body, const lbPoint *point, lbVec3 force, lbScratch *scratch) {
  const lbBodyMethod *method = body->prepared->method;
  lbQuat ahead = lb_frame_ahead(body);
  lbVec3 turned = force;
  if (!lb_vec3_is_bounded(force)) return refuse_amount(body, "force", force);
  if (lb_frame_is_felt(body)) turned = lb_quat_rotate(lb_quat_conjugate(ahead), force);
  lbStatus status = reduce(body, point, turned, "force", scratch);
  if (status) return status;
  method->get(body, NULL, NULL, scratch->a);
  if (!add_to(body->prepared->dimension, scratch->a, scratch->b))
    return refuse_amount(body, "force", force);
  method->put(body, NULL, NULL, scratch->a);
  body->pushed = true;
  if (body->frame.kind == LB_FRAME_FREE) {
    body->frame.force = lb_add(body->frame.force, force);
    lbVec3 arm = lb_quat_rotate(ahead, arm_of(body, point, scratch));
    body->frame.torque = lb_add(body->frame.torque, lb_cross(arm, force));
  }
  return LB_OK;
}

lbStatus lb_body_apply_force(lbBody *body, lbPoint point, lbVec3 force) {
  if (!body) return LB_ERR_ARGUMENT;
  lbScratch *scratch = lb_scratch_borrow(body->prepared);
  if (!scratch) return lb_fail_memory(body->message);
  lbStatus status = apply_force(body, &point, force, scratch);
  lb_scratch_return(body->prepared, scratch);
  return status;
}

static lbStatus start(lbBody *body, int32_t count, const lbPointForce *forces, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  lbVec3 force = body->frame.force, torque = body->frame.torque;
  p->method->get(body, s->q0, s->v0, s->force);
  for (int32_t i = 0; i < count; i++) {
    lbStatus status = reduce(body, &forces[i].point, forces[i].force, "force", s);
    if (status) return status;
    if (!add_to(p->dimension, s->force, s->b)) return refuse_amount(body, "force", forces[i].force);
    force = lb_add(force, forces[i].force);
    torque = lb_add(torque, lb_cross(arm_of(body, &forces[i].point, s), forces[i].force));
  }
  if (!lb_method_keeps_acceleration(p->method)) return LB_OK;
  if (!lb_frame_is_still(body) && !lb_frame_add_weight(body, body->frame.turn, s))
    return lb_fail(body->message, LB_ERR_ARGUMENT, "gravity is too strong in these axes");
  p->method->accelerate(body, s);
  body->frame.last_force = force, body->frame.last_torque = torque;
  return LB_OK;
}

lbStatus lb_body_start(lbBody *body, int32_t count, const lbPointForce *forces) {
  if (!body) return LB_ERR_ARGUMENT;
  if (!forces && count > 0) return lb_refuse_null(body->message, "forces");
  lbScratch *scratch = lb_scratch_borrow(body->prepared);
  if (!scratch) return lb_fail_memory(body->message);
  lbStatus status = start(body, count, forces, scratch);
  lb_scratch_return(body->prepared, scratch);
  return status;
}

lbStatus lb_body_add_impulse(lbBody *body, lbVec3 impulse, lbVec3 moment, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  if (p->method->is_recording) return LB_OK; // nothing changes it
  p->method->get(body, s->q0, s->v0, NULL);
  memcpy(s->v, s->v0, (size_t)p->padded * sizeof(double));
  lbFrameState before = body->frame;
  lb_frame_apply_impulse(body, impulse, moment, s->b, s->q0, s->v, s);
  bool sane = lb_vec3_is_bounded(body->frame.momentum) && lb_vec3_is_bounded(body->frame.angular);
  for (int32_t i = 0; i < p->dimension; i++) sane = sane && lb_is_bounded(s->v[i]);
  if (!sane) {
    body->frame = before;
    return refuse_amount(body, "impulse", impulse);
  }
  p->method->put(body, NULL, s->v, NULL);
  lb_body_disturb(body);
  if (body->frame.fitted) p->method->fit_frame(body, s);
  return LB_OK;
}

lbStatus lb_body_apply_impulse(lbBody *body, lbPoint point, lbVec3 impulse) {
  if (!body) return LB_ERR_ARGUMENT;
  lbScratch *scratch = lb_scratch_borrow(body->prepared);
  if (!scratch) return lb_fail_memory(body->message);
  lbStatus status = reduce(body, &point, impulse, "impulse", scratch);
  if (!status) {
    lbVec3 arm = lb_vec3(0, 0, 0);
    if (body->frame.kind == LB_FRAME_FREE) arm = arm_of(body, &point, scratch);
    status = lb_body_add_impulse(body, impulse, lb_cross(arm, impulse), scratch);
  }
  lb_scratch_return(body->prepared, scratch);
  return status;
}

// A third of the areas of the triangles around a vertex, m².
static double vertex_area(const lbPrepared *p, const double *positions, int32_t vertex) {
  const lbModel *model = p->model;
  lbTriangles surface = { model->size.triangle_count, model->triangles, positions };
  double sum = 0;
  for (int32_t i = p->around_begin[vertex]; i < p->around_begin[vertex + 1]; i++) {
    lbVec3 a = lb_triangle_corner(&surface, p->around[i], 0);
    lbVec3 b = lb_triangle_corner(&surface, p->around[i], 1);
    lbVec3 c = lb_triangle_corner(&surface, p->around[i], 2);
    sum += lb_length(lb_cross(lb_sub(b, a), lb_sub(c, a))) / 6;
  }
  return sum;
}

static lbStatus apply_impulse_around(lbBody *body, lbVec3 centre, double radius, double strength,
                                     lbScratch *s) {
  const lbPrepared *p = body->prepared;
  const double *positions = s->call->positions;
  lbVec3 impulse = lb_vec3(0, 0, 0), moment = lb_vec3(0, 0, 0), middle = lb_frame_centre(body);
  lb_surface_positions(body, s->call->positions, s);
  memset(s->b, 0, (size_t)p->padded * sizeof(double));
  for (int32_t v = 0; v < p->model->size.vertex_count; v++) {
    lbVec3 place = lb_vec3_load(positions + 3 * (size_t)v), away = lb_sub(place, centre);
    double distance = lb_length(away);
    if (!(distance < radius && distance > 0)) continue;
    double amount = strength * vertex_area(p, positions, v) * (1 - distance / radius) / distance;
    lbVec3 share = lb_scale(amount, away);
    lbPoint point = lb_point_vertex(v);
    lb_point_add_force(body->prepared, &point, lb_mat3_apply_transpose(body->frame.turn, share),
                       s->b);
    impulse = lb_add(impulse, share);
    moment = lb_add(moment, lb_cross(lb_sub(place, middle), share));
  }
  return lb_body_add_impulse(body, impulse, moment, s);
}

lbStatus lb_body_apply_radial_impulse(lbBody *body, lbVec3 centre, double radius, double strength) {
  if (!body) return LB_ERR_ARGUMENT;
  if (!lb_vec3_is_bounded(centre) || !(radius > 0 && radius <= LB_BODY_MOST) ||
      !lb_is_bounded(strength))
    return lb_fail(body->message, LB_ERR_ARGUMENT,
                   "radial impulse: centre (%g, %g, %g), radius %g, strength %g; they must be "
                   "finite and the radius above 0",
                   centre.x, centre.y, centre.z, radius, strength);
  lbScratch *scratch = lb_scratch_borrow(body->prepared);
  if (!scratch) return lb_fail_memory(body->message);
  lbStatus status = apply_impulse_around(body, centre, radius, strength, scratch);
  lb_scratch_return(body->prepared, scratch);
  return status;
}

lbStatus lb_body_set_gravity(lbBody *body, lbVec3 gravity) {
  if (!body) return LB_ERR_ARGUMENT;
  lbScratch *scratch = lb_scratch_borrow(body->prepared);
  if (!scratch) return lb_fail_memory(body->message);
  bool sane = lb_frame_weigh(body, gravity, body->frame.turn, scratch);
  lb_scratch_return(body->prepared, scratch);
  if (!sane) return refuse_amount(body, "gravity", gravity);
  body->gravity = gravity;
  return LB_OK;
}

// ---- coordinates -------------------------------------------------------------------------------

void lb_body_get_state(const lbBody *body, double *coordinates, double *rates) {
  if (!body) return;
  lbScratch *s = lb_scratch_borrow(body->prepared);
  size_t bytes = (size_t)body->prepared->dimension * sizeof(double);
  if (!s) {
    if (coordinates) memset(coordinates, 0, bytes);
    if (rates) memset(rates, 0, bytes);
    return;
  }
  body->prepared->method->get(body, s->a, s->b, NULL);
  if (coordinates) memcpy(coordinates, s->a, bytes);
  if (rates) memcpy(rates, s->b, bytes);
  lb_scratch_return(body->prepared, s);
}

lbStatus lb_body_put_state(lbBody *body, const double *coordinates, const double *rates,
                           lbScratch *s) {
  for (int32_t i = 0; i < body->prepared->dimension; i++)
    if (!lb_is_bounded(coordinates[i]) || !lb_is_bounded(rates[i]))
      return lb_fail(body->message, LB_ERR_ARGUMENT,
                     "state: coordinate %d is %g, its rate %g: not a number or beyond %g", (int)i,
                     coordinates[i], rates[i], LB_BODY_MOST);
  size_t bytes = (size_t)body->prepared->dimension * sizeof(double);
  size_t padded = (size_t)body->prepared->padded * sizeof(double);
  memset(s->a, 0, padded), memset(s->b, 0, padded);
  memcpy(s->a, coordinates, bytes), memcpy(s->b, rates, bytes);
  body->prepared->method->put(body, s->a, s->b, NULL);
  lb_body_disturb(body);
  if (body->frame.kind == LB_FRAME_FREE) lb_frame_update_rates(body, s->a, s->b, s);
  return LB_OK;
}

lbStatus lb_body_set_state(lbBody *body, const double *coordinates, const double *rates) {
  if (!body) return LB_ERR_ARGUMENT;
  if (!coordinates) return lb_refuse_null(body->message, "coordinates");
  if (!rates) return lb_refuse_null(body->message, "rates");
  lbScratch *scratch = lb_scratch_borrow(body->prepared);
  if (!scratch) return lb_fail_memory(body->message);
  lbStatus status = lb_body_put_state(body, coordinates, rates, scratch);
  lb_scratch_return(body->prepared, scratch);
  return status;
}

lbStatus lb_body_set_shape(lbBody *body, const double *coordinates) {
  if (!body) return LB_ERR_ARGUMENT;
  if (!coordinates) return lb_refuse_null(body->message, "coordinates");
  lbScratch *scratch = lb_scratch_borrow(body->prepared);
  if (!scratch) return lb_fail_memory(body->message);
  memset(scratch->c, 0, (size_t)body->prepared->padded * sizeof(double));
  lbStatus status = lb_body_put_state(body, coordinates, scratch->c, scratch);
  lb_scratch_return(body->prepared, scratch);
  return status;
}

lbStatus lb_body_set_time(lbBody *body, double time) {
  const lbBodyMethod *method = body->prepared->method;
  lbScratch *s = lb_scratch_borrow(body->prepared);
  if (!s) return lb_fail_memory(body->message);
  body->time = time;
  if (method->follows_time) method->start(body, s);
  lb_scratch_return(body->prepared, s);
  return LB_OK;
}
