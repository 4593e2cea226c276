// The state nearest to given displacements: q that minimises Σ m_n |(U q - u)_n|² over the nodes,
// with the masses m of the present materials. The normal equations Uᵀ m U q = Uᵀ m u are solved by
// conjugate gradients: U is orthonormal in the body's own mass, of which m is the lumped kind, so
// the matrix is near the identity, and no room for it is needed. Where q is u itself there is
// nothing to solve.
#include "body/body.h"
#include "solve/tolerances.h"

#include <string.h>

enum { ITERATIONS_MOST = 200 };

static double dot(size_t count, const double *a, const double *b) {
  double sums[8] = { 0 }; // so that additions need not wait for each other
  size_t i = 0;
  for (; i + 8 <= count; i += 8)
    for (size_t k = 0; k < 8; k++) sums[k] += a[i + k] * b[i + k];
  for (; i < count; i++) sums[i % 8] += a[i] * b[i];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// to (dimension) <- Uᵀ m nodes; spoils nodes
static void gather(const lbPrepared *p, double *nodes, double *to) {
  size_t rows = 3 * (size_t)p->model->size.node_count;
  for (size_t i = 0; i < rows; i++) nodes[i] *= p->node_masses[i / 3];
  for (int32_t i = 0; i < p->dimension; i++) to[i] = dot(rows, p->basis + rows * (size_t)i, nodes);
}

// x <- the coordinates nearest to u / scale.
static void solve(const lbPrepared *p, const double *u, double scale, double *x, lbScratch *s) {
  int32_t rows = 3 * p->model->size.node_count;
  size_t r = (size_t)p->dimension;
  double *left = s->q0, *along = s->v0, *moved = s->force;
  memset(x, 0, r * sizeof *x);
  for (int32_t i = 0; i < rows; i++) s->call->nodes[i] = u[i] / scale; // squares stay finite
  gather(p, s->call->nodes, left);
  memcpy(along, left, r * sizeof *along);
  double size = dot(r, left, left), first = size;
  for (int i = 0; i < ITERATIONS_MOST && size > LB_ROUNDING * LB_ROUNDING * first; i++) {
    p->basis_kernels->apply(p->basis, (size_t)rows, p->dimension, 0, rows, along, s->call->nodes);
    gather(p, s->call->nodes, moved);
    double curvature = dot(r, along, moved), before = size;
    if (!(curvature > 0)) return;
    for (size_t k = 0; k < r; k++) {
      x[k] += size / curvature * along[k];
      left[k] -= size / curvature * moved[k];
    }
    size = dot(r, left, left);
    for (size_t k = 0; k < r; k++) along[k] = left[k] + size / before * along[k];
  }
}

static lbStatus check(const lbBody *body, const double *values, const char *what, double *largest) {
  size_t rows = 3 * (size_t)body->prepared->model->size.node_count;
  *largest = 0;
  for (size_t i = 0; i < rows; i++) {
    if (!lb_is_bounded(values[i]))
      return lb_fail(body->message, LB_ERR_ARGUMENT,
                     "%s of node %d along axis %d is %g: not a number or beyond %g", what,
                     (int)(i / 3), (int)(i % 3), values[i], LB_BODY_MOST);
    *largest = fmax(*largest, fabs(values[i]));
  }
  return LB_OK;
}

// to <- the coordinates nearest to values; false when one is beyond LB_BODY_MOST.
static bool find(const lbPrepared *p, const double *values, double largest, double *to,
                 lbScratch *s) {
  memset(to, 0, (size_t)p->padded * sizeof *to);
  if (largest == 0) return true;
  if (!p->basis) {
    memcpy(to, values, (size_t)p->dimension * sizeof *to);
    return true;
  }
  solve(p, values, largest, to, s);
  for (int32_t i = 0; i < p->dimension; i++) {
    to[i] *= largest;
    if (!lb_is_bounded(to[i])) return false;
  }
  return true;
}

lbStatus lb_body_set_displacements(lbBody *body, const double *displacements,
                                   const double *velocities) {
  if (!body) return LB_ERR_ARGUMENT;
  if (!displacements) return lb_refuse_null(body->message, "displacements");
  const lbPrepared *p = body->prepared;
  double farthest = 0, fastest = 0;
  if (!displacements) return lb_fail(body->message, LB_ERR_ARGUMENT, "displacements are missing");
  lbStatus status = check(body, displacements, "displacement", &farthest);
  if (!status && velocities) status = check(body, velocities, "velocity", &fastest);
  if (status) return status;
  lbScratch *s = lb_scratch_borrow(p);
  if (!s) return lb_fail_memory(body->message);
  if (!find(p, displacements, farthest, s->q, s) || !find(p, velocities, fastest, s->v, s))
    status = lb_fail(body->message, LB_ERR_ARGUMENT,
                     "displacements or velocities need coordinates beyond %g", LB_BODY_MOST);
  if (!status) status = lb_body_put_state(body, s->q, s->v, s);
  lb_scratch_return(p, s);
  return status;
}
