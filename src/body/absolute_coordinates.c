// Between the axes of a body that moves as a whole and the fixed ones (whole.h), the frame that is
// fitted to a free body, and what it reports.
#include "body/absolute_coordinates.h"

#include <string.h>

// ---- making ------------------------------------------------------------------------------------

lbStatus lb_whole_build(lbPrepared *p, lbError *err) {
  const lbModel *m = p->model;
  size_t count = (size_t)m->size.material_count;
  double *materials = lb_alloc(count, 3 * sizeof *materials);
  if (!materials) return lb_fail_memory(err);
  for (size_t g = 0; g < count; g++)
    memcpy(materials + 3 * g, m->material_values + 6 * g, 3 * sizeof *materials);
  lbStatus status = p->method->rebuild(p, materials, err);
  lb_free(materials);
  return status;
}

// ---- placements --------------------------------------------------------------------------------

lbPlacement lb_placement_identity(void) {
  return (lbPlacement){ { 0, 0, 0 }, { 0, 0, 0, 1 }, true };
}

lbVec3 lb_placement_apply(const lbPlacement *T, lbVec3 x) {
  return lb_add(T->position, lb_quat_rotate(T->rotation, x));
}

lbVec3 lb_placement_unapply(const lbPlacement *T, lbVec3 x) {
  return lb_quat_rotate(lb_quat_conjugate(T->rotation), lb_sub(x, T->position));
}

lbPlacement lb_placement_between(const lbPlacement *T, lbVec3 position0, lbQuat rotation0,
                                 lbVec3 position1, lbQuat rotation1) {
  lbQuat back = lb_quat_conjugate(rotation0);
  lbVec3 moved = lb_quat_rotate(back, lb_sub(position1, position0));
  lbQuat turned = lb_quat_multiply(back, rotation1);
  return (lbPlacement){ lb_placement_apply(T, moved),
                        lb_quat_normalise(lb_quat_multiply(T->rotation, turned)), false };
}

lbPlacement lb_placement_jump(const lbBody *body, const lbStep *step, const lbPlacement *T,
                              lbFrameRates *rates) {
  const lbFrameStep *to = &step->frame;
  lbVec3 c = body->prepared->centre;
  lbQuat turn = lb_quat_multiply(lb_quat_exp(lb_scale(-step->h, to->spin)), to->rotation);
  lbVec3 centre = lb_add(to->position, lb_mat3_apply(to->turn, c));
  lbVec3 from = lb_sub(lb_add_scaled(centre, -step->h, to->velocity), lb_quat_rotate(turn, c));
  lbQuat back = lb_quat_conjugate(turn);
  *rates = (lbFrameRates){ lb_quat_rotate(back, to->velocity), lb_quat_rotate(back, to->spin) };
  return lb_placement_between(T, from, turn, to->position, to->rotation);
}

lbFrameRates lb_frame_rates(const lbBody *body) {
  const lbFrameState *f = &body->frame;
  return (lbFrameRates){ lb_mat3_apply_transpose(f->turn, f->velocity),
                         lb_mat3_apply_transpose(f->turn, f->spin) };
}

lbFrameRates lb_frame_end_rates(const lbBody *body, const lbStep *step) {
  if (body->frame.kind != LB_FRAME_DRIVEN) return lb_frame_rates(body);
  lbQuat back = lb_quat_conjugate(step->frame.rotation);
  return (lbFrameRates){ lb_quat_rotate(back, step->frame.velocity),
                         lb_quat_rotate(back, step->frame.spin) };
}

static bool is_zero(lbVec3 a) { return a.x == 0 && a.y == 0 && a.z == 0; }

static bool stands(const lbFrameRates *frame) {
  return is_zero(frame->velocity) && is_zero(frame->spin);
}

// ---- places ------------------------------------------------------------------------------------

void lb_whole_to_own(const lbWhole *w, const lbPlacement *T, const double *u, double *q) {
  memset(q, 0, w->padded * sizeof *q);
  for (size_t n = 0; n < (size_t)w->node_count; n++) {
    if (w->held[n]) continue;
    lbVec3 X = lb_vec3_load(w->positions + 3 * n);
    lb_vec3_store(q + 3 * n, T->identity
                                 ? lb_vec3_load(u + 3 * n)
                                 : lb_sub(lb_placement_unapply(T, lb_whole_place(w, u, n)), X));
  }
}

void lb_whole_from_own(const lbWhole *w, const lbPlacement *T, const double *q, double *u) {
  for (size_t n = 0; n < (size_t)w->node_count; n++) {
    lbVec3 X = lb_vec3_load(w->positions + 3 * n);
    lbVec3 own = w->held[n] ? lb_vec3(0, 0, 0) : lb_vec3_load(q + 3 * n);
    lb_vec3_store(u + 3 * n, T->identity ? own : lb_sub(lb_placement_apply(T, lb_add(X, own)), X));
  }
}

// ---- velocities --------------------------------------------------------------------------------

lbVec3 lb_whole_carried(const lbWhole *w, const lbPlacement *T, const lbFrameRates *frame,
                        lbVec3 place) {
  lbVec3 arm = lb_sub(lb_placement_unapply(T, place), w->centre);
  return lb_quat_rotate(T->rotation, lb_add(frame->velocity, lb_cross(frame->spin, arm)));
}

void lb_whole_rates_to_own(const lbWhole *w, const lbPlacement *T, const lbFrameRates *frame,
                           const double *u, const double *v, double *rates) {
  lbQuat back = lb_quat_conjugate(T->rotation);
  bool plain = T->identity && stands(frame);
  memset(rates, 0, w->padded * sizeof *rates);
  for (size_t n = 0; n < (size_t)w->node_count; n++) {
    if (w->held[n]) continue;
    lbVec3 rate = lb_vec3_load(v + 3 * n);
    if (!plain)
      rate = lb_quat_rotate(back,
                            lb_sub(rate, lb_whole_carried(w, T, frame, lb_whole_place(w, u, n))));
    lb_vec3_store(rates + 3 * n, rate);
  }
}

void lb_whole_rates_from_own(const lbWhole *w, const lbPlacement *T, const lbFrameRates *frame,
                             const double *u, const double *rates, double *v) {
  bool plain = T->identity && stands(frame);
  for (size_t n = 0; n < (size_t)w->node_count; n++) {
    lbVec3 rate = w->held[n] ? lb_vec3(0, 0, 0) : lb_vec3_load(rates + 3 * n);
    if (!plain)
      rate = lb_add(lb_quat_rotate(T->rotation, rate),
                    lb_whole_carried(w, T, frame, lb_whole_place(w, u, n)));
    lb_vec3_store(v + 3 * n, rate);
  }
}

// ---- forces ------------------------------------------------------------------------------------

static void turn_all(const lbWhole *w, const lbPlacement *T, lbQuat turn, const double *from,
                     double *to) {
  size_t count = 3 * (size_t)w->node_count;
  if (T->identity) {
    memmove(to, from, count * sizeof *to);
    return;
  }
  for (size_t i = 0; i < count; i += 3)
    lb_vec3_store(to + i, lb_quat_rotate(turn, lb_vec3_load(from + i)));
}

void lb_whole_turn(const lbWhole *w, const lbPlacement *T, const double *own, double *to) {
  turn_all(w, T, T->rotation, own, to);
}

void lb_whole_turn_back(const lbWhole *w, const lbPlacement *T, const double *from, double *own) {
  turn_all(w, T, lb_quat_conjugate(T->rotation), from, own);
}

void lb_whole_take_out_rigid(const lbWhole *w, bool force, double *x) {
  lbVec3 sum = lb_vec3(0, 0, 0), moment = sum;
  lbMat3 X = lb_mat3_zero();
  for (size_t n = 0; n < (size_t)w->node_count; n++) {
    lbVec3 r = lb_sub(lb_vec3_load(w->positions + 3 * n), w->centre);
    lbVec3 f = lb_scale(force ? 1 : w->masses[n], lb_vec3_load(x + 3 * n));
    sum = lb_add(sum, f), moment = lb_add(moment, lb_cross(r, f));
    X = lb_mat3_add(X, lb_mat3_scale(w->masses[n], lb_mat3_outer(r, r)));
  }
  lbMat3 J = lb_mat3_sub(lb_mat3_scale(lb_mat3_trace(X), lb_mat3_identity()), X);
  lbVec3 shift = lb_scale(1 / w->mass, sum), turn = lb_inertia_solve(J, moment);
  for (size_t n = 0; n < (size_t)w->node_count; n++) {
    lbVec3 r = lb_sub(lb_vec3_load(w->positions + 3 * n), w->centre);
    lbVec3 rigid = lb_add(shift, lb_cross(turn, r));
    double share = force ? w->masses[n] : 1;
    lb_vec3_store(x + 3 * n, lb_add_scaled(lb_vec3_load(x + 3 * n), -share, rigid));
  }
}

// ---- the frame of a free body ------------------------------------------------------------------

lbVec3 lb_whole_centre(const lbWhole *w, const double *u) {
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (size_t n = 0; n < (size_t)w->node_count; n++)
    sum = lb_add_scaled(sum, w->masses[n] / w->mass, lb_whole_place(w, u, n));
  return sum;
}

// The rotation of the polar decomposition of Σ m (x − c)(X − C)ᵀ.
static lbMat3 nearest_turn(const lbWhole *w, const double *u, lbVec3 c) {
  lbMat3 A = lb_mat3_zero(), R;
  for (size_t n = 0; n < (size_t)w->node_count; n++) {
    lbVec3 X = lb_sub(lb_vec3_load(w->positions + 3 * n), w->centre);
    lbVec3 r = lb_sub(lb_whole_place(w, u, n), c);
    A = lb_mat3_add(A, lb_mat3_scale(w->masses[n], lb_mat3_outer(r, X)));
  }
  lb_polar3(A, &R, NULL);
  return R;
}

lbPlacement lb_whole_base(const lbBody *body, const lbPlacement *T) {
  lbQuat turn =
      lb_quat_normalise(lb_quat_multiply(body->frame.rotation, lb_quat_conjugate(T->rotation)));
  return (lbPlacement){ lb_sub(body->frame.position, lb_quat_rotate(turn, T->position)), turn,
                        false };
}

void lb_whole_fit_frame(lbBody *body, const lbWhole *w, lbPlacement *T, const double *u, lbVec3 P,
                        lbVec3 L, lbMat3 J) {
  lbVec3 c = lb_whole_centre(w, u);
  lb_whole_set_frame(body, w, T, c, nearest_turn(w, u, c), P, L, J);
}

// v = P/m and ω = J⁻¹ L about the centre.
void lb_whole_set_frame(lbBody *body, const lbWhole *w, lbPlacement *T, lbVec3 c, lbMat3 turn,
                        lbVec3 P, lbVec3 L, lbMat3 J) {
  lbFrameState *f = &body->frame;
  lbPlacement base = lb_whole_base(body, T);
  *T = (lbPlacement){ lb_sub(c, lb_mat3_apply(turn, w->centre)), lb_quat_from_mat3(turn), false };
  f->position = lb_placement_apply(&base, T->position);
  f->rotation = lb_quat_normalise(lb_quat_multiply(base.rotation, T->rotation));
  f->turn = lb_quat_to_mat3(f->rotation);
  f->velocity = lb_quat_rotate(base.rotation, lb_scale(1 / w->mass, P));
  f->spin = lb_quat_rotate(base.rotation, lb_inertia_solve(J, L));
}

void lb_whole_report(const lbBody *body, const lbWhole *w, const lbPlacement *T, const double *u,
                     lbVec3 P, lbVec3 L, lbBodyReport *report) {
  lbPlacement base = lb_whole_base(body, T);
  report->centre = lb_placement_apply(&base, lb_whole_centre(w, u));
  report->linear_momentum = lb_quat_rotate(base.rotation, P);
  report->angular_momentum =
      lb_add(lb_quat_rotate(base.rotation, L), lb_cross(base.position, report->linear_momentum));
}
