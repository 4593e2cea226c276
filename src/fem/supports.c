// Supports that move; see supports.h.
#include "fem/supports.h"

#include "limber/math.h"

#include <string.h>

lbStatus lb_supports_create(const lbFem *fem, lbSupports **out, lbError *err) {
  lbSupports *s = lb_alloc(1, sizeof *s);
  if (!s) return lb_fail_memory(err);
  size_t full = 3 * (size_t)fem->vertex_count, system = 3 * (size_t)fem->node_count;
  s->fem = fem;
  s->u = lb_alloc(full, sizeof(double));
  s->v = lb_alloc(full, sizeof(double));
  s->a = lb_alloc(full, sizeof(double));
  s->product = lb_alloc(full, sizeof(double));
  s->inertia = lb_alloc(system, sizeof(double));
  s->relative = lb_alloc(system, sizeof(double));
  if (!s->u || !s->v || !s->a || !s->product || !s->inertia || !s->relative) {
    lb_supports_destroy(s);
    return lb_fail_memory(err);
  }
  *out = s;
  return LB_OK;
}

void lb_supports_destroy(lbSupports *s) {
  if (!s) return;
  lb_free(s->u);
  lb_free(s->v);
  lb_free(s->a);
  lb_free(s->product);
  lb_free(s->inertia);
  lb_free(s->relative);
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

void lb_supports_set(lbSupports *s, const lbBorder *border, const lbSupportMotion *motion) {
  take_fixed(s->fem, motion->displacement, s->u);
  take_fixed(s->fem, motion->velocity, s->v);
  take_fixed(s->fem, motion->acceleration, s->a);
  s->next = *motion;
  s->next.displacement = s->next.velocity = s->next.acceleration = NULL;
  memset(s->product, 0, 3 * (size_t)s->fem->vertex_count * sizeof(double));
  lb_border_multiply(border, s->a, s->product);
  lb_fem_compress(s->fem, s->product, s->inertia);
}

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

static lbQuat load_quat(const double *q) { return lb_quat(q[0], q[1], q[2], q[3]); }

void lb_supports_follow(const lbSupports *s, const double *from, double *to) {
  lbQuat turn = lb_quat_normalise(
      lb_quat_multiply(load_quat(s->next.rotation), lb_quat_conjugate(load_quat(s->now.rotation))));
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
  lbQuat q = lb_quat_normalise(lb_quat_multiply(turn, load_quat(frame->rotation)));
  turn_vector(turn, frame->position);
  lb_vec3_store(frame->position, lb_add(lb_vec3_load(frame->position), shift));
  frame->rotation[0] = q.x, frame->rotation[1] = q.y;
  frame->rotation[2] = q.z, frame->rotation[3] = q.w;
  turn_vector(turn, frame->linear_velocity);
  turn_vector(turn, frame->angular_velocity);
}

void lb_supports_carry(lbSupports *s, const double rotation[4], const double shift[3]) {
  lbQuat turn = load_quat(rotation);
  lbVec3 by = lb_vec3_load(shift);
  carry_frame(&s->now, turn, by);
  carry_frame(&s->next, turn, by);
  for (size_t v = 0; v < (size_t)s->fem->vertex_count; v++) {
    if (!s->fem->fixed[v]) continue;
    lbVec3 x = lb_add(lb_quat_rotate(turn, place_of(s->fem, s->u, v)), by);
    lb_vec3_store(s->u + 3 * v, lb_sub(x, lb_vec3_load(s->fem->positions + 3 * v)));
    turn_vector(turn, s->v + 3 * v);
    turn_vector(turn, s->a + 3 * v);
  }
  for (size_t n = 0; n < (size_t)s->fem->node_count; n++) turn_vector(turn, s->inertia + 3 * n);
}
