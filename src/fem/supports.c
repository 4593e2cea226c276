// Supports that move; see supports.h.
#include "fem/supports.h"

#include "limber/math.h"

#include <string.h>

lbStatus lb_supports_create(const lbFem *fem, lbSupports **out, lbError *err) {
  lbSupports *s = lb_alloc(1, sizeof *s);
  if (!s) return lb_fail_memory(err);
  size_t full = 3 * (size_t)fem->vertex_count, system = 3 * (size_t)fem->node_count;
  double **rows[] = { &s->begin_u, &s->begin_v, &s->end_u, &s->end_v,  &s->end_a,
                      &s->u,       &s->v,       &s->a,     &s->product };
  bool complete = true;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    complete &= (*rows[i] = lb_alloc(full, sizeof(double))) != NULL;
  s->fem = fem;
  s->inertia = lb_alloc(system, sizeof(double));
  s->relative = lb_alloc(system, sizeof(double));
  if (!complete || !s->inertia || !s->relative) {
    lb_supports_destroy(s);
    return lb_fail_memory(err);
  }
  *out = s;
  return LB_OK;
}

void lb_supports_destroy(lbSupports *s) {
  if (!s) return;
  double *blocks[] = { s->begin_u, s->begin_v, s->end_u,   s->end_v,   s->end_a,   s->u,
                       s->v,       s->a,       s->product, s->inertia, s->relative };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
  lb_free(s);
}

static bool are_finite(const double *values, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!isfinite(values[i])) return false;
  return true;
}

lbStatus lb_supports_check(const lbFem *fem, const lbSupportMotion *motion, lbError *err) {
  bool finite = are_finite(motion->position, 3) && are_finite(motion->rotation, 4) &&
                are_finite(motion->linear_velocity, 3) && are_finite(motion->angular_velocity, 3);
  if (!finite)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: the frame of its supports is not finite", fem->name);
  const double *arrays[] = { motion->displacement, motion->velocity, motion->acceleration };
  static const char *const names[] = { "displacement", "velocity", "acceleration" };
  for (int32_t v = 0; v < fem->vertex_count; v++)
    for (int k = 0; k < 3 && fem->fixed[v]; k++)
      if (!are_finite(arrays[k] + 3 * (size_t)v, 3))
        return lb_fail(err, LB_ERR_ARGUMENT, "%s: the prescribed %s of vertex %d is not finite",
                       fem->name, names[k], (int)v);
  return LB_OK;
}

static void take_fixed(const lbFem *fem, const double *from, double *to) {
  for (size_t v = 0; v < (size_t)fem->vertex_count; v++)
    for (size_t i = 0; i < 3 && fem->fixed[v]; i++) to[3 * v + i] = from[3 * v + i];
}

void lb_supports_put(const lbSupports *s, const double *from, double *to) {
  take_fixed(s->fem, from, to);
}

static void find_inertia(lbSupports *s, const lbBorder *border) {
  memset(s->product, 0, 3 * (size_t)s->fem->vertex_count * sizeof(double));
  lb_border_multiply(border, s->a, s->product);
  lb_fem_compress(s->fem, s->product, s->inertia);
}

void lb_supports_whole(lbSupports *s, const lbBorder *border) {
  take_fixed(s->fem, s->end_u, s->u);
  take_fixed(s->fem, s->end_v, s->v);
  take_fixed(s->fem, s->end_a, s->a);
  s->now = s->begin;
  s->next = s->end;
  find_inertia(s, border);
}

void lb_supports_set(lbSupports *s, const lbBorder *border, const lbSupportMotion *motion,
                     const double *u, const double *v) {
  take_fixed(s->fem, u, s->begin_u);
  take_fixed(s->fem, v, s->begin_v);
  take_fixed(s->fem, motion->displacement, s->end_u);
  take_fixed(s->fem, motion->velocity, s->end_v);
  take_fixed(s->fem, motion->acceleration, s->end_a);
  s->begin = s->now;
  s->end = *motion;
  s->end.displacement = s->end.velocity = s->end.acceleration = NULL;
  lb_supports_whole(s, border);
}

void lb_supports_commit(lbSupports *s) { s->now = s->next; }

// ---- parts of a step ---------------------------------------------------------------------------

// Hermite's cubic from p, with the velocity v, to q, with w, over h; at the fraction t.
static double cubic(double t, double h, double p, double v, double q, double w) {
  return p * (1 - t) * (1 - t) * (1 + 2 * t) + q * t * t * (3 - 2 * t) +
         h * t * (1 - t) * ((1 - t) * v - t * w);
}

static double cubic_rate(double t, double h, double p, double v, double q, double w) {
  return 6 * t * (1 - t) * (q - p) / h + (1 - t) * (1 - 3 * t) * v + t * (3 * t - 2) * w;
}

static lbQuat load_support_quat(const double *q) { return lb_quat(q[0], q[1], q[2], q[3]); }

static void store_support_quat(double *to, lbQuat q) {
  to[0] = q.x, to[1] = q.y, to[2] = q.z, to[3] = q.w;
}

static lbSupportMotion frame_between(const lbSupports *s, double t, double h) {
  lbSupportMotion frame = s->end;
  const lbSupportMotion *a = &s->begin, *b = &s->end;
  for (int i = 0; i < 3; i++) {
    frame.position[i] =
        cubic(t, h, a->position[i], a->linear_velocity[i], b->position[i], b->linear_velocity[i]);
    frame.linear_velocity[i] = cubic_rate(t, h, a->position[i], a->linear_velocity[i],
                                          b->position[i], b->linear_velocity[i]);
    frame.angular_velocity[i] = (1 - t) * a->angular_velocity[i] + t * b->angular_velocity[i];
  }
  store_support_quat(frame.rotation, lb_quat_slerp(load_support_quat(a->rotation),
                                                   load_support_quat(b->rotation), t));
  return frame;
}

void lb_supports_part(lbSupports *s, const lbBorder *border, double h, int32_t part,
                      int32_t parts) {
  double t0 = (double)part / parts, t = (double)(part + 1) / parts;
  bool last = part + 1 == parts;
  for (size_t k = 0; k < 3 * (size_t)s->fem->vertex_count; k++) {
    if (!s->fem->fixed[k / 3]) continue;
    double p = s->begin_u[k], v = s->begin_v[k], q = s->end_u[k], w = s->end_v[k];
    s->u[k] = last ? q : cubic(t, h, p, v, q, w);
    s->v[k] = last ? w : cubic_rate(t, h, p, v, q, w);
    s->a[k] = (s->v[k] - cubic_rate(t0, h, p, v, q, w)) * parts / h;
  }
  s->now = part == 0 ? s->begin : frame_between(s, t0, h);
  s->next = last ? s->end : frame_between(s, t, h);
  find_inertia(s, border);
}

// ---- what follows the frame --------------------------------------------------------------------

static lbVec3 place_of(const lbFem *fem, const double *displacement, size_t vertex) {
  return lb_add(lb_vec3_load(fem->positions + 3 * vertex), lb_vec3_load(displacement + 3 * vertex));
}

const double *lb_supports_relative(lbSupports *s, const double *displacement,
                                   const double *velocity) {
  lbVec3 origin = lb_vec3_load(s->next.position), w = lb_vec3_load(s->next.angular_velocity);
  lbVec3 v0 = lb_vec3_load(s->next.linear_velocity);
  for (size_t n = 0; n < (size_t)s->fem->node_count; n++) {
    lbVec3 x = place_of(s->fem, displacement, (size_t)s->fem->vertex_of_node[n]);
    lbVec3 carried = lb_add(v0, lb_cross(w, lb_sub(x, origin)));
    lb_vec3_store(s->relative + 3 * n, lb_sub(lb_vec3_load(velocity + 3 * n), carried));
  }
  return s->relative;
}

void lb_supports_follow(const lbSupports *s, const double *from, double *to) {
  lbQuat turn = lb_quat_normalise(lb_quat_multiply(
      load_support_quat(s->next.rotation), lb_quat_conjugate(load_support_quat(s->now.rotation))));
  lbVec3 before = lb_vec3_load(s->now.position), after = lb_vec3_load(s->next.position);
  for (size_t n = 0; n < (size_t)s->fem->node_count; n++) {
    size_t v = (size_t)s->fem->vertex_of_node[n];
    lbVec3 arm = lb_quat_rotate(turn, lb_sub(place_of(s->fem, from, v), before));
    lbVec3 x = lb_add(after, arm);
    lb_vec3_store(to + 3 * v, lb_sub(x, lb_vec3_load(s->fem->positions + 3 * v)));
  }
}

static void turn_vector(lbQuat turn, double *vector) {
  lb_vec3_store(vector, lb_quat_rotate(turn, lb_vec3_load(vector)));
}

static void carry_frame(lbSupportMotion *frame, lbQuat turn, lbVec3 shift) {
  lbQuat q = lb_quat_normalise(lb_quat_multiply(turn, load_support_quat(frame->rotation)));
  turn_vector(turn, frame->position);
  lb_vec3_store(frame->position, lb_add(lb_vec3_load(frame->position), shift));
  store_support_quat(frame->rotation, q);
  turn_vector(turn, frame->linear_velocity);
  turn_vector(turn, frame->angular_velocity);
}

// Rows that the next lb_supports_set replaces need not be carried.
void lb_supports_carry(lbSupports *s, const double rotation[4], const double shift[3]) {
  carry_frame(&s->now, load_support_quat(rotation), lb_vec3_load(shift));
  s->next = s->begin = s->end = s->now;
}
