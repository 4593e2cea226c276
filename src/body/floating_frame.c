// The frame of a body: held, driven along a path, or free. body/inertia.h has the terms by which
// its motion is felt.
//
// Held: nothing. Driven: where it is at the step's end is given, with its velocities there; what is
// felt is their change. Free: linear momentum P and angular momentum L about the centre are the
// state and change by what acts from outside alone, so they are kept whatever the integrator does;
//
//   v = P / m,   ω = J(q)⁻¹ (Rᵀ L − Σ q̇_i E_i),   R1 = R0 exp(h ω_m), ω_m in the step's middle.
#include "body/body.h"
#include "solve/tolerances.h"

#include <string.h>

// ---- placement ---------------------------------------------------------------------------------

bool lb_rotation_make_unit(lbQuat *q) {
  double most = fmax(fmax(fabs(q->x), fabs(q->y)), fmax(fabs(q->z), fabs(q->w)));
  if (!(most > 0 && isfinite(most) && isfinite(q->x + q->y + q->z + q->w))) return false;
  lbQuat scaled = lb_quat(q->x / most, q->y / most, q->z / most, q->w / most);
  // A unit quaternion keeps its bits: lb_quat_normalise leaves up to eight roundings in its square.
  bool unit = fabs(lb_quat_dot(*q, *q) - 1) <= 1e-15;
  if (!unit) *q = lb_quat_normalise(scaled);
  return true;
}

lbStatus lb_check_placement(lbVec3 position, lbQuat *rotation, lbError *err) {
  if (!lb_vec3_is_bounded(position))
    return lb_fail(err, LB_ERR_ARGUMENT, "position is (%g, %g, %g): not a number or beyond %g",
                   position.x, position.y, position.z, LB_BODY_MOST);
  if (!lb_rotation_make_unit(rotation))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "rotation is (%g, %g, %g, %g): it has zero or non-finite length", rotation->x,
                   rotation->y, rotation->z, rotation->w);
  return LB_OK;
}

lbVec3 lb_frame_centre(const lbBody *body) { return lb_body_place(body, body->prepared->centre); }

lbMat3 lb_frame_mobility_of(lbMat3 J, lbMat3 turn) {
  double slack = LB_NEGLIGIBLE * lb_mat3_trace(J);
  for (int k = 0; k < 9; k += 4) J.m[k] += slack;
  return lb_mat3_multiply(turn, lb_mat3_multiply(lb_mat3_inverse(J), lb_mat3_transpose(turn)));
}

lbMat3 lb_frame_mobility(const lbBody *body, lbMat3 turn) {
  const lbPrepared *p = body->prepared;
  lbMat3 J;
  memcpy(J.m, p->model->rigid_inertia, sizeof J.m);
  return lb_frame_mobility_of(lb_mat3_scale(p->inertia.count ? p->inertia.scale : 1, J), turn);
}

lbQuat lb_frame_ahead(const lbBody *body) {
  return lb_quat_exp(lb_scale(0.5 * body->h, body->frame.spin));
}

lbVec3 lb_frame_velocity(const lbBody *body, lbVec3 own_place, lbVec3 own_velocity) {
  const lbFrameState *f = &body->frame;
  lbVec3 relative = lb_mat3_apply(f->turn, own_velocity);
  if (!lb_frame_moves(body)) return relative;
  lbVec3 arm = lb_mat3_apply(f->turn, lb_sub(own_place, body->prepared->centre));
  return lb_add(relative, lb_add(f->velocity, lb_cross(f->spin, arm)));
}

lbFrameKind lb_body_frame_kind(const lbBody *body) {
  if (!body) return LB_FRAME_DEFAULT;
  return body->frame.fitted ? LB_FRAME_FREE : body->frame.kind;
}

lbFrame lb_body_frame(const lbBody *body) {
  if (!body) return (lbFrame){ .rotation = { 0, 0, 0, 1 } };
  const lbFrameState *f = &body->frame;
  return (lbFrame){ f->position, f->rotation, f->velocity, f->spin };
}

// ---- weight ------------------------------------------------------------------------------------

// weight <- the reduced force of gravity in own axes; false when it is absurd.
static bool find_weight(const lbPrepared *p, lbVec3 gravity, lbMat3 turn, double *weight) {
  lbVec3 own = lb_mat3_apply_transpose(turn, gravity);
  if (!lb_vec3_is_bounded(gravity)) return false;
  memset(weight, 0, (size_t)p->padded * sizeof(double));
  for (int32_t i = 0; i < p->dimension && p->gravity; i++) {
    const double *g = p->gravity + 3 * (size_t)i;
    weight[i] = 0 + g[0] * own.x + g[1] * own.y + g[2] * own.z;
    if (!lb_is_bounded(weight[i])) return false;
  }
  return true;
}

// A held body's weight stays as it is and is the method's to add; a moving frame's is worked out in
// each step.
bool lb_frame_weigh(lbBody *body, lbVec3 gravity, lbMat3 turn, lbScratch *scratch) {
  const lbPrepared *p = body->prepared;
  bool sane = find_weight(p, gravity, turn, scratch->a);
  if (sane && !lb_frame_is_still(body)) memset(scratch->a, 0, (size_t)p->padded * sizeof(double));
  if (sane) p->method->set_weight(body, scratch->a);
  return sane;
}

bool lb_frame_add_weight(const lbBody *body, lbMat3 turn, lbScratch *s) {
  if (!find_weight(body->prepared, body->gravity, turn, s->a)) return false;
  for (int32_t i = 0; i < body->prepared->dimension; i++) s->force[i] += s->a[i];
  return true;
}

// ---- creation and placing ----------------------------------------------------------------------

static lbStatus choose_kind(lbBody *body, const lbBodyDef *def, lbError *err) {
  const lbModel *model = body->prepared->model;
  bool loose = lb_model_is_free_by(model, body->prepared->method->method);
  bool free = loose && !body->prepared->method->is_recording;
  lbFrameKind kind = def->frame;
  if (kind == LB_FRAME_DEFAULT) kind = free ? LB_FRAME_FREE : LB_FRAME_HELD;
  if (kind == LB_FRAME_FREE && !free)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "frame is free, but model \"%s\" has fixed nodes or held cores, or plays a "
                   "recording; build it "
                   "with --free",
                   model->name);
  bool whole = lb_method_holds_rigid_motion(body->prepared->method);
  if (kind == LB_FRAME_DRIVEN && whole && loose)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "frame is driven: the method \"%s\" follows it by what is fixed, and nothing of "
                   "model \"%s\" is",
                   lb_method_name(body->prepared->method->method), model->name);
  body->frame.fitted = kind == LB_FRAME_FREE && whole;
  body->frame.kind = body->frame.fitted ? LB_FRAME_HELD : kind;
  body->frame.decoupled = def->decoupled || body->prepared->inertia.count == 0;
  return LB_OK;
}

lbStatus lb_frame_start(lbBody *body, const lbBodyDef *def, lbVec3 position, lbQuat rotation,
                        lbScratch *scratch, lbError *err) {
  lbStatus status = choose_kind(body, def, err);
  if (!status) status = lb_check_placement(position, &rotation, err);
  if (status) return status;
  body->frame.position = position;
  body->frame.rotation = rotation;
  body->frame.turn = lb_quat_to_mat3(rotation);
  body->gravity = def->gravity;
  if (!lb_frame_weigh(body, def->gravity, body->frame.turn, scratch))
    return lb_fail(err, LB_ERR_ARGUMENT, "gravity is (%g, %g, %g): not a number or beyond %g",
                   def->gravity.x, def->gravity.y, def->gravity.z, LB_BODY_MOST);
  return LB_OK;
}

static void set_rotation(lbFrameState *f, lbQuat rotation, lbMat3 turn) {
  f->rotation = rotation;
  f->turn = turn;
}

// The motion that the frame has, turned with it.
static void turn_motion(lbFrameState *f, lbMat3 turn) {
  lbVec3 *vectors[] = { &f->velocity, &f->spin, &f->momentum, &f->angular };
  for (int i = 0; i < 4; i++)
    *vectors[i] = lb_mat3_apply(turn, lb_mat3_apply_transpose(f->turn, *vectors[i]));
}

lbStatus lb_body_set_placement(lbBody *body, lbVec3 position, lbQuat rotation) {
  if (!body) return LB_ERR_ARGUMENT;
  lbStatus status = lb_check_placement(position, &rotation, body->message);
  if (status) return status;
  lbMat3 turn = lb_quat_to_mat3(rotation);
  if (memcmp(&turn, &body->frame.turn, sizeof turn) != 0) {
    lbScratch *scratch = lb_scratch_borrow(body->prepared);
    if (!scratch) return lb_fail_memory(body->message);
    bool sane = lb_frame_weigh(body, body->gravity, turn, scratch);
    lb_scratch_return(body->prepared, scratch);
    if (!sane)
      return lb_fail(body->message, LB_ERR_ARGUMENT, "gravity is too strong in these axes");
    turn_motion(&body->frame, turn);
  }
  body->frame.position = position;
  set_rotation(&body->frame, rotation, turn);
  return LB_OK;
}

// A frame of a driven body, its rotation made unit length.
static lbStatus check_frame(const lbBody *body, lbFrame *frame) {
  if (body->frame.kind != LB_FRAME_DRIVEN)
    return lb_fail(body->message, LB_ERR_ARGUMENT, "the body's frame is not LB_FRAME_DRIVEN");
  lbStatus status = lb_check_placement(frame->position, &frame->rotation, body->message);
  lbVec3 v = frame->linear_velocity, w = frame->angular_velocity;
  if (!status && !(lb_vec3_is_bounded(v) && lb_vec3_is_bounded(w)))
    status = lb_fail(body->message, LB_ERR_ARGUMENT,
                     "frame: velocity (%g, %g, %g), angular velocity (%g, %g, %g): not a number or "
                     "beyond %g",
                     v.x, v.y, v.z, w.x, w.y, w.z, LB_BODY_MOST);
  return status;
}

// Of a method whose coordinates move as a whole, velocities relative to the frame are derived from
// others: they are taken before the frame's change and put back after it.
static lbScratch *hold_motion(const lbBody *body) {
  lbScratch *s = lb_scratch_borrow(body->prepared);
  if (s) body->prepared->method->get(body, s->q, s->v, NULL);
  return s;
}

static void put_motion(lbBody *body, lbScratch *s) {
  body->prepared->method->put(body, NULL, s->v, NULL);
  lb_scratch_return(body->prepared, s);
  lb_body_disturb(body);
}

// Whether the frame would move, in its own axes, as it does.
static bool moves_alike(const lbFrameState *f, const lbFrame *to) {
  lbQuat back = lb_quat_conjugate(to->rotation);
  lbVec3 v = lb_mat3_apply_transpose(f->turn, f->velocity);
  lbVec3 w = lb_mat3_apply_transpose(f->turn, f->spin);
  lbVec3 dv = lb_sub(lb_quat_rotate(back, to->linear_velocity), v);
  lbVec3 dw = lb_sub(lb_quat_rotate(back, to->angular_velocity), w);
  return lb_length(dv) <= LB_CONVERGED * lb_length(v) &&
         lb_length(dw) <= LB_CONVERGED * lb_length(w);
}

lbStatus lb_body_set_frame(lbBody *body, const lbFrame *frame) {
  if (!body) return LB_ERR_ARGUMENT;
  if (!frame) return lb_refuse_null(body->message, "frame");
  lbFrame at = *frame;
  lbStatus status = check_frame(body, &at);
  if (status) return status;
  lbScratch *motion = NULL;
  if (lb_method_holds_rigid_motion(body->prepared->method) && !moves_alike(&body->frame, &at)) {
    motion = hold_motion(body);
    if (!motion) return lb_fail_memory(body->message);
  }
  body->frame.position = at.position;
  set_rotation(&body->frame, at.rotation, lb_quat_to_mat3(at.rotation));
  body->frame.velocity = at.linear_velocity;
  body->frame.spin = at.angular_velocity;
  body->frame.driven = 0;
  if (motion) put_motion(body, motion);
  return LB_OK;
}

lbStatus lb_body_drive(lbBody *body, const lbFrame *frame) {
  if (!body) return LB_ERR_ARGUMENT;
  if (!frame) return lb_refuse_null(body->message, "frame");
  lbFrame goal = *frame;
  lbStatus status = check_frame(body, &goal);
  if (status) return status;
  body->frame.goal = goal;
  body->frame.driven = LB_DRIVE_WITH_VELOCITIES;
  return LB_OK;
}

void lb_frame_accelerate(lbBody *body, lbVec3 linear, lbVec3 angular) {
  body->frame.accelerated = lb_vec3_is_bounded(linear) && lb_vec3_is_bounded(angular);
  body->frame.linear_acceleration = linear;
  body->frame.angular_acceleration = angular;
}

lbStatus lb_body_drive_to(lbBody *body, lbVec3 position, lbQuat rotation) {
  const lbFrame frame = { .position = position, .rotation = rotation };
  lbStatus status = lb_body_drive(body, &frame);
  if (!status) body->frame.driven = LB_DRIVE_BY_PLACES;
  return status;
}
