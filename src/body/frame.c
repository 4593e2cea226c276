// The frame of a body: held, driven along a path, or free. body/inertia.h has the terms by which
// its motion is felt.
//
// Held: nothing. Driven: where it is at the step's end is given, with its velocities there; what is
// felt is their change. Free: linear momentum P and angular momentum L about the centre are the
// state and change by what acts from outside alone, so they are kept whatever the integrator does;
//
//   v = P / m,   ω = J(q)⁻¹ (Rᵀ L − Σ q̇_i E_i),   R1 = R0 exp(h ω_m), ω_m in the step's middle.
#include "body/body.h"

#include "math/functions.h"

#include <string.h>

#define JUMP_SIZES 4.0 // of the body, in one step
#define JUMP_TURN 1.5707963267948966
#define TURN_FINE 0.2 // rad
#define TURN_PARTS 2000
#define PASSES 2    // to find the spin in a step's middle
#define FLAT 1e-12  // of its trace: what is added to an inertia so that it has an inverse
#define ALIKE 1e-12 // velocities that differ by rounding

// ---- placement ---------------------------------------------------------------------------------

bool lb_rotation_make_unit(lbQuat *q) {
  double most = fmax(fmax(fabs(q->x), fabs(q->y)), fmax(fabs(q->z), fabs(q->w)));
  if (!(most > 0 && isfinite(most) && isfinite(q->x + q->y + q->z + q->w))) return false;
  lbQuat scaled = lb_quat(q->x / most, q->y / most, q->z / most, q->w / most);
  // A unit quaternion keeps its bits.
  bool unit = fabs(lb_quat_dot(*q, *q) - 1) <= 4e-16;
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
  return body->frame.fitted ? LB_FRAME_FREE : body->frame.kind;
}

lbFrame lb_body_frame(const lbBody *body) {
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
  bool free = lb_model_is_free(model) && !body->prepared->method->is_recording;
  lbFrameKind kind = def->frame;
  if (kind == LB_FRAME_DEFAULT) kind = free ? LB_FRAME_FREE : LB_FRAME_HELD;
  if (kind == LB_FRAME_FREE && !free)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "frame is free, but model \"%s\" has fixed nodes or plays a recording; build it "
                   "with --free",
                   model->name);
  bool whole = body->prepared->method->fit_frame != NULL;
  if (kind == LB_FRAME_DRIVEN && whole && lb_model_is_free(model))
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
  return lb_length(dv) <= ALIKE * lb_length(v) && lb_length(dw) <= ALIKE * lb_length(w);
}

lbStatus lb_body_set_frame(lbBody *body, const lbFrame *frame) {
  lbFrame at = *frame;
  lbStatus status = check_frame(body, &at);
  if (status) return status;
  lbScratch *motion = NULL;
  if (body->prepared->method->fit_frame && !moves_alike(&body->frame, &at)) {
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

// ---- inertia -----------------------------------------------------------------------------------

// J⁻¹ b; flat and needle-like bodies too.
lbVec3 lb_inertia_solve(lbMat3 J, lbVec3 b) {
  double slack = FLAT * lb_mat3_trace(J);
  for (int k = 0; k < 9; k += 4) J.m[k] += slack;
  lbVec3 x = lb_mat3_apply(lb_mat3_inverse(J), b);
  return lb_vec3_is_bounded(x) ? x : lb_vec3(0, 0, 0);
}

// scratch->moments <- A at q, and B of rates v.
static void find_both_moments(const lbBody *body, const double *q, const double *v, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  size_t n = (size_t)p->padded;
  p->inertia.kernels->moments(&p->inertia, q, v, s->moments,
                              v ? s->moments + LB_MOMENTS_B * n : NULL);
  memcpy(s->moments + LB_MOMENTS_AT * n, q, n * sizeof *q);
  s->moments_version = p->version;
}

void lb_find_moments(const lbBody *body, const double *q, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  size_t n = (size_t)p->padded;
  if (s->moments_version != p->version ||
      memcmp(s->moments + LB_MOMENTS_AT * n, q, n * sizeof *q) != 0)
    find_both_moments(body, q, NULL, s);
}

// Decoupled bodies have the inertia of their rest shape.
lbMat3 lb_frame_inertia(const lbBody *body, const double *q, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  if (body->frame.decoupled) {
    lbMat3 J;
    memcpy(J.m, p->model->rigid_inertia, sizeof J.m);
    return lb_mat3_scale(p->inertia.count ? p->inertia.scale : 1, J);
  }
  lb_find_moments(body, q, s);
  return lb_inertia_tensor(&p->inertia, q, s->moments);
}

// Σ q̇_i E_i
lbVec3 lb_frame_relative(const lbBody *body, const double *v, const lbScratch *s) {
  if (body->frame.decoupled) return lb_vec3(0, 0, 0);
  return lb_inertia_relative(&body->prepared->inertia, v, s->moments);
}

// ω in own axes, of angular momentum `own` in own axes.
static lbVec3 spin_of(const lbBody *body, lbVec3 own, const double *q, const double *v,
                      lbScratch *s) {
  lbMat3 J = lb_frame_inertia(body, q, s);
  return lb_inertia_solve(J, lb_sub(own, lb_frame_relative(body, v, s)));
}

void lb_frame_update_rates(lbBody *body, const double *q, const double *v, lbScratch *s) {
  lbFrameState *f = &body->frame;
  lbVec3 own = lb_mat3_apply_transpose(f->turn, f->angular);
  f->velocity = lb_scale(1 / body->prepared->mass, f->momentum);
  f->spin = lb_mat3_apply(f->turn, spin_of(body, own, q, v, s));
}

// With p_i = M q̇_i + E_i·ω the momenta that belong to q: p and L change by the impulse, and then
//   (J − Σ E_i E_iᵀ/M) ω = L − Σ p_i E_i/M.
static void strike_free(lbBody *body, lbVec3 moment, const double *reduced, const double *q,
                        double *v, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  lbFrameState *f = &body->frame;
  double M = p->inertia.scale;
  lbVec3 before = lb_mat3_apply_transpose(f->turn, f->spin);
  f->angular = lb_add(f->angular, moment);
  lbMat3 J = lb_frame_inertia(body, q, s);
  lbVec3 left = lb_mat3_apply_transpose(f->turn, f->angular);
  for (int32_t i = 0; i < p->dimension; i++) {
    lbVec3 E = lb_inertia_axis(s->moments, p->padded, i);
    v[i] = M * v[i] + lb_dot(E, before) + reduced[i];
    J = lb_mat3_sub(J, lb_mat3_scale(1 / M, lb_mat3_outer(E, E)));
    left = lb_add_scaled(left, -v[i] / M, E);
  }
  lbVec3 spin = lb_inertia_solve(J, left);
  for (int32_t i = 0; i < p->dimension; i++)
    v[i] = (v[i] - lb_dot(lb_inertia_axis(s->moments, p->padded, i), spin)) / M;
  f->spin = lb_mat3_apply(f->turn, spin);
}

void lb_frame_strike(lbBody *body, lbVec3 impulse, lbVec3 moment, const double *reduced,
                     const double *q, double *v, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  lbFrameState *f = &body->frame;
  bool free = f->kind == LB_FRAME_FREE;
  if (free) {
    f->momentum = lb_add(f->momentum, impulse);
    f->velocity = lb_scale(1 / p->mass, f->momentum);
  }
  if (free && !f->decoupled) {
    strike_free(body, moment, reduced, q, v, s);
    return;
  }
  memcpy(s->a, reduced, (size_t)p->padded * sizeof(double));
  if (p->method->mobilise) p->method->mobilise(p, s->a);
  for (int32_t i = 0; i < p->dimension; i++) v[i] += s->a[i];
  if (free) {
    f->angular = lb_add(f->angular, moment);
    lb_frame_update_rates(body, q, v, s);
  }
}

// ---- velocity ----------------------------------------------------------------------------------

static void set_free_velocity(lbBody *body, lbVec3 linear, lbVec3 angular, lbScratch *s) {
  lbFrameState *f = &body->frame;
  body->prepared->method->get(body, s->q, s->v, NULL);
  if (f->fitted) {
    f->velocity = linear, f->spin = angular;
    body->prepared->method->put(body, NULL, s->v, NULL);
    return;
  }
  lbMat3 J = lb_frame_inertia(body, s->q, s);
  lbVec3 own = lb_mat3_apply(J, lb_mat3_apply_transpose(f->turn, angular));
  own = lb_add(own, lb_frame_relative(body, s->v, s));
  f->momentum = lb_scale(body->prepared->mass, linear);
  f->angular = lb_mat3_apply(f->turn, own);
  lb_frame_update_rates(body, s->q, s->v, s);
}

// rates <- of a rigid motion relative to the frame; false: absurd
static bool find_rates(const lbBody *body, lbVec3 linear, lbVec3 angular, double *rates) {
  const lbPrepared *p = body->prepared;
  lbVec3 a = lb_mat3_apply_transpose(body->frame.turn, linear);
  lbVec3 b = lb_mat3_apply_transpose(body->frame.turn, angular);
  memset(rates, 0, (size_t)p->padded * sizeof(double));
  for (int32_t i = 0; i < p->dimension && p->rigid; i++) {
    const double *rigid = p->rigid + 6 * (size_t)i;
    rates[i] = lb_dot(lb_vec3_load(rigid), a) + lb_dot(lb_vec3_load(rigid + 3), b);
    if (!lb_is_bounded(rates[i])) return false;
  }
  return true;
}

lbStatus lb_body_set_velocity(lbBody *body, lbVec3 linear, lbVec3 angular) {
  const lbPrepared *p = body->prepared;
  lbScratch *s = lb_scratch_borrow(p);
  if (!s) return lb_fail_memory(body->message);
  bool sane = lb_vec3_is_bounded(linear) && lb_vec3_is_bounded(angular) &&
              find_rates(body, linear, angular, s->v);
  if (sane && lb_body_frame_kind(body) == LB_FRAME_FREE)
    set_free_velocity(body, linear, angular, s);
  else if (sane && !p->method->is_recording)
    p->method->put(body, NULL, s->v, NULL);
  lb_scratch_return(p, s);
  if (!sane)
    return lb_fail(body->message, LB_ERR_ARGUMENT,
                   "velocity is (%g, %g, %g), (%g, %g, %g): not a number or beyond %g", linear.x,
                   linear.y, linear.z, angular.x, angular.y, angular.z, LB_BODY_MOST);
  lb_body_disturb(body);
  return LB_OK;
}

// ---- a step: where the frame goes --------------------------------------------------------------

static lbQuat between(lbQuat a, lbQuat b, double share) {
  return share == 1 ? b : lb_quat_slerp(a, b, share);
}

static lbVec3 mix(lbVec3 a, lbVec3 b, double share) {
  return share == 1 ? b : lb_add_scaled(a, share, lb_sub(b, a));
}

// Turn from one rotation to another, world axes.
static lbVec3 turn_between(lbQuat from, lbQuat to) {
  return lb_quat_log(lb_quat_multiply(to, lb_quat_conjugate(from)));
}

static bool jumps(const lbBody *body, const lbFrameState *from, const lbFrame *to) {
  return lb_length(lb_sub(to->position, from->position)) > JUMP_SIZES * body->prepared->size ||
         lb_length(turn_between(from->rotation, to->rotation)) > JUMP_TURN;
}

// The velocity of the frame's centre when its origin moves from one place to another in h.
static lbVec3 mean_velocity(const lbBody *body, const lbFrameState *from, const lbFrame *to,
                            double h) {
  lbVec3 c = body->prepared->centre;
  lbVec3 end = lb_add(to->position, lb_quat_rotate(to->rotation, c));
  lbVec3 start = lb_add(from->position, lb_mat3_apply(from->turn, c));
  return lb_scale(1 / h, lb_sub(end, start));
}

// Returns LB_STEP_JUMPED or 0.
static int32_t drive(const lbBody *body, lbStep *step, double whole_h) {
  const lbFrameState *from = step->whole;
  lbFrame goal = { .position = from->position, .rotation = from->rotation };
  if (from->driven) goal = from->goal;
  bool jump = jumps(body, from, &goal);
  if (from->driven == LB_DRIVE_BY_PLACES) {
    goal.linear_velocity = jump ? from->velocity : mean_velocity(body, from, &goal, whole_h);
    goal.angular_velocity =
        jump ? from->spin : lb_scale(1 / whole_h, turn_between(from->rotation, goal.rotation));
  }
  double share = step->share;
  lbFrameStep *to = &step->frame;
  to->position = mix(from->position, goal.position, share);
  to->rotation = between(from->rotation, goal.rotation, share);
  to->velocity = mix(from->velocity, goal.linear_velocity, share);
  to->spin = mix(from->spin, goal.angular_velocity, share);
  to->moves = !jump;
  return jump ? LB_STEP_JUMPED : 0;
}

// A momentum after h under a constant force, with damping by mass, which acts on all motion.
static lbVec3 momentum_after(lbVec3 momentum, lbVec3 force, double alpha, double h) {
  if (alpha == 0) return lb_add_scaled(momentum, h, force);
  double lost = -lb_expm1(-alpha * h);
  return lb_add_scaled(lb_scale(1 - lost, momentum), lost / alpha, force);
}

// ω in the step's middle (own axes) for J there and mean rates v; s->moments holds A of the middle.
static lbVec3 middle_spin(const lbBody *body, const lbStep *step, const lbMat3 *J, const double *v,
                          const lbScratch *s) {
  const lbFrameState *f = &body->frame;
  lbVec3 end = momentum_after(f->angular, step->frame.torque, body->damping_mass, step->h);
  lbVec3 L = lb_scale(0.5, lb_add(f->angular, end));
  lbVec3 spin = lb_mat3_apply_transpose(f->turn, f->spin);
  lbVec3 relative = lb_frame_relative(body, v, s);
  for (int pass = 0; pass < PASSES; pass++) {
    lbQuat middle = lb_quat_multiply(f->rotation, lb_quat_exp(lb_scale(0.5 * step->h, spin)));
    lbVec3 own = lb_quat_rotate(lb_quat_conjugate(middle), L);
    spin = lb_inertia_solve(*J, lb_sub(own, relative));
  }
  return spin;
}

// The rotation at the step's end. A body that turns far in a step, and does not feel its
// deformation then, is turned in parts, each with the spin of its middle.
static lbQuat turn_to(const lbBody *body, const lbStep *step, lbVec3 spin) {
  const lbFrameState *f = &body->frame;
  double turn = lb_length(spin) * step->h;
  lbQuat rotation = f->rotation;
  if (!(turn > TURN_FINE))
    return lb_quat_normalise(lb_quat_multiply(rotation, lb_quat_exp(lb_scale(step->h, spin))));
  // As fast as the momentum could turn it about any axis.
  const double *J = step->frame.inertia.m;
  double least = fmin(J[0], fmin(J[4], J[8]));
  if (least > 0) turn = fmax(turn, lb_length(f->angular) / least * step->h);
  int32_t count = (int32_t)fmin(ceil(turn / TURN_FINE), TURN_PARTS);
  double h = step->h / count;
  spin = lb_mat3_apply_transpose(f->turn, f->spin);
  for (int32_t i = 0; i < count; i++) {
    for (int pass = 0; pass < 2 * PASSES; pass++) {
      lbQuat middle = lb_quat_multiply(rotation, lb_quat_exp(lb_scale(0.5 * h, spin)));
      lbVec3 own = lb_quat_rotate(lb_quat_conjugate(middle), f->angular);
      spin = lb_inertia_solve(step->frame.inertia, own);
    }
    rotation = lb_quat_normalise(lb_quat_multiply(rotation, lb_quat_exp(lb_scale(h, spin))));
  }
  return rotation;
}

static void fly(const lbBody *body, lbStep *step, lbVec3 spin) {
  const lbFrameState *f = &body->frame;
  const lbPrepared *p = body->prepared;
  lbFrameStep *to = &step->frame;
  double h = step->h;
  lbVec3 momentum = momentum_after(f->momentum, to->force, body->damping_mass, h);
  lbVec3 centre =
      lb_add_scaled(lb_frame_centre(body), 0.5 * h / p->mass, lb_add(f->momentum, momentum));
  to->rotation = turn_to(body, step, spin);
  to->turn = lb_quat_to_mat3(to->rotation);
  to->velocity = lb_scale(1 / p->mass, momentum);
  to->position = lb_sub(centre, lb_mat3_apply(to->turn, p->centre));
}

// ---- inertial forces ---------------------------------------------------------------------------

// scratch->inertial <- with A of the middle in scratch->moments, the spins `e` of the mean rates,
// mean spin and the change of spin and of velocity over the step, in own axes.
static void exert(const lbBody *body, lbVec3 spin, lbVec3 spin_change, lbVec3 velocity_change,
                  double h, const double *e, lbScratch *s) {
  const lbInertia *inertia = &body->prepared->inertia;
  double x = spin.x, y = spin.y, z = spin.z;
  lbVec3 a = lb_scale(1 / h, velocity_change), alpha = lb_scale(1 / h, spin_change);
  // Of a free body, damping by mass acts on E ω too.
  if (body->frame.kind == LB_FRAME_FREE) alpha = lb_add_scaled(alpha, body->damping_mass, spin);
  const double weights[LB_INERTIA_ROWS + 6] = {
    y * y + z * z, x * x + z * z, x * x + y * y, -y * z, -x * z, -x * y, -alpha.x, -alpha.y,
    -alpha.z,      -2 * x,        -2 * y,        -2 * z, -a.x,   -a.y,   -a.z
  };
  inertia->kernels->exert(inertia, s->moments, e, weights, s->inertial);
}

// How the frame of a driven body moves in a step.
static void find_motion(const lbBody *body, lbStep *step) {
  const lbFrameState *f = &body->frame;
  lbFrameStep *to = &step->frame;
  lbVec3 turn = turn_between(f->rotation, to->rotation);
  lbQuat middle = lb_quat_multiply(lb_quat_exp(lb_scale(0.5, turn)), f->rotation);
  lbQuat back = lb_quat_conjugate(middle);
  to->mean_spin = lb_quat_rotate(back, lb_scale(1 / step->h, turn));
  to->spin_change = lb_sub(lb_quat_rotate(lb_quat_conjugate(to->rotation), to->spin),
                           lb_quat_rotate(lb_quat_conjugate(f->rotation), f->spin));
  to->velocity_change = lb_quat_rotate(back, lb_sub(to->velocity, f->velocity));
}

// The spin at the step's end is what the middle and the start make of it.
static void feel_free(const lbBody *body, lbStep *step, const double *v, const double *e,
                      lbScratch *s) {
  lbVec3 start = lb_mat3_apply_transpose(body->frame.turn, body->frame.spin);
  lbVec3 spin = middle_spin(body, step, &step->frame.inertia, v, s);
  fly(body, step, spin);
  if (body->frame.decoupled) return;
  exert(body, spin, lb_scale(2, lb_sub(spin, start)), lb_vec3(0, 0, 0), step->h, e, s);
}

// With mean rates v and their spins e.
static void feel(lbBody *body, lbStep *step, const double *v, const double *e, lbScratch *s) {
  const lbFrameStep *to = &step->frame;
  if (body->frame.kind == LB_FRAME_FREE)
    feel_free(body, step, v, e, s);
  else if (body->prepared->inertia.count)
    exert(body, to->mean_spin, to->spin_change, to->velocity_change, step->h, e, s);
}

// A and J in the middle of the step, where the rates at its start lead to.
static void find_middle(const lbBody *body, lbStep *step, lbScratch *s) {
  bool free = body->frame.kind == LB_FRAME_FREE;
  for (int32_t i = 0; i < body->prepared->padded; i++)
    s->a[i] = s->q0[i] + 0.5 * step->h * s->v0[i];
  if (body->prepared->inertia.count && !(free && body->frame.decoupled))
    find_both_moments(body, s->a, s->v0, s);
  if (free)
    step->frame.inertia = lb_frame_inertia(body, s->a, s);
  else
    find_motion(body, step);
}

// b <- mean rates over the step
static void find_mean_rates(const lbBody *body, double h, lbScratch *s) {
  for (int32_t i = 0; i < body->prepared->padded; i++) s->b[i] = (s->q[i] - s->q0[i]) / h;
}

// ---- a step ------------------------------------------------------------------------------------

int32_t lb_frame_begin(lbBody *body, lbStep *step, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  const lbFrameState *f = &body->frame;
  lbFrameStep *to = &step->frame;
  int32_t flags = 0;
  memset(s->inertial, 0, (size_t)p->padded * sizeof(double));
  *to = (lbFrameStep){ .position = f->position, .rotation = f->rotation, .turn = f->turn };
  if (lb_frame_is_still(body)) return 0;
  if (f->kind == LB_FRAME_FREE) {
    to->force = lb_add(f->force, lb_scale(p->mass, body->gravity));
    to->torque = f->torque;
    to->moves = true;
  } else {
    flags = drive(body, step, step->h / (step->share - step->share_before));
    to->turn = lb_quat_to_mat3(to->rotation);
  }
  if (!lb_frame_is_felt(body)) // forces are in the axes of the step's start, carried where it jumps
    return lb_frame_add_weight(body, to->moves ? f->turn : to->turn, s) ? flags
                                                                        : flags | LB_STEP_NONFINITE;
  if (to->moves) {
    find_middle(body, step, s);
    feel(body, step, s->v0, s->moments + (LB_MOMENTS_B + LB_INERTIA_AXIS) * (size_t)p->padded, s);
  }
  return lb_frame_add_weight(body, to->turn, s) ? flags : flags | LB_STEP_NONFINITE;
}

void lb_frame_correct(lbBody *body, lbStep *step, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  double *before = s->c, *spins = s->moments + LB_MOMENTS_SPINS * (size_t)p->padded;
  if (!step->frame.moves || (body->frame.kind == LB_FRAME_FREE && body->frame.decoupled)) return;
  memcpy(before, s->inertial, (size_t)p->padded * sizeof(double));
  find_mean_rates(body, step->h, s);
  if (p->inertia.count) p->inertia.kernels->spins(&p->inertia, s->b, spins);
  feel(body, step, s->b, spins, s);
  for (int32_t i = 0; i < p->padded; i++) {
    s->a[i] = s->inertial[i] - before[i];
    s->held[i] += s->a[i];
  }
  p->method->respond(body, step, s, s->a, s->b);
  for (int32_t i = 0; i < p->padded; i++) s->q[i] += s->b[i];
}

void lb_frame_try(const lbBody *body, lbStep *step, lbScratch *s) {
  const double *pull = s->pull + body->prepared->padded;
  step->frame.force = lb_add(step->frame.force, lb_vec3_load(pull));
  step->frame.torque = lb_add(step->frame.torque, lb_vec3_load(pull + 3));
  find_mean_rates(body, step->h, s);
  fly(body, step, middle_spin(body, step, &step->frame.inertia, s->b, s));
}

void lb_frame_end(lbBody *body, const lbStep *step, lbScratch *s) {
  lbFrameState *f = &body->frame;
  lbStep last = *step;
  if (lb_frame_is_still(body)) return;
  if (f->kind == LB_FRAME_FREE) {
    lb_frame_try(body, &last, s);
    double alpha = body->damping_mass;
    f->momentum = momentum_after(f->momentum, last.frame.force, alpha, step->h);
    f->angular = momentum_after(f->angular, last.frame.torque, alpha, step->h);
  }
  f->position = last.frame.position;
  set_rotation(f, last.frame.rotation, lb_quat_to_mat3(last.frame.rotation));
  f->velocity = last.frame.velocity;
  f->spin = last.frame.spin;
  if (f->kind == LB_FRAME_FREE) lb_frame_update_rates(body, s->q, s->v, s);
}
