// The rows and columns of a body's constraints: what is constrained and where forces act, as
// vectors of reduced coordinates, hard constraints first.
#include "body/constraints.h"

#include <string.h>

// to <- the three own rows of a point along an axis: 0 to 2 world, 3 to 5 own.
static void take_row(const lbBody *body, const double *own, int32_t axis, double *to) {
  size_t padded = (size_t)body->common->padded;
  if (axis >= 3) {
    memcpy(to, own + (size_t)(axis - 3) * padded, padded * sizeof *to);
    return;
  }
  const double *turn = body->turn.m + 3 * axis;
  for (size_t i = 0; i < padded; i++)
    to[i] = turn[0] * own[i] + turn[1] * own[padded + i] + turn[2] * own[2 * padded + i];
}

static void list_rows(lbBody *body, bool springs) {
  lbConstraints *c = body->constraints;
  size_t padded = (size_t)body->common->padded;
  for (int32_t p = 0; p < c->point_count; p++) {
    if (lb_is_spring(&c->slots[c->point_slots[p]]) != springs) continue;
    for (int32_t axis = 0; axis < 3; axis++) {
      if (!(c->axes[p] >> axis & 1)) continue;
      size_t row = (size_t)c->row_count++;
      c->row_points[row] = p, c->row_axes[row] = axis;
      take_row(body, c->rows + 3 * padded * (size_t)p, axis, c->W + padded * row);
    }
  }
}

static void list_columns(lbBody *body, bool springs) {
  lbConstraints *c = body->constraints;
  size_t padded = (size_t)body->common->padded;
  for (int32_t p = 0; p < c->force_count; p++) {
    if (lb_is_spring(&c->slots[c->force_slots[p]]) != springs) continue;
    for (int32_t k = 0; k < 3; k++) {
      if (c->force_axes[p] && !(c->force_axes[p] >> k & 1)) continue;
      size_t column = (size_t)c->column_count++;
      int32_t axis = c->force_axes[p] ? k : 3 + k;
      c->column_points[column] = p, c->column_axes[column] = axis;
      take_row(body, c->force_rows + 3 * padded * (size_t)p, axis, c->F + padded * column);
    }
  }
}

void lb_constraints_list(lbBody *body) {
  lbConstraints *c = body->constraints;
  c->row_count = c->column_count = 0;
  list_rows(body, false);
  list_columns(body, false);
  c->hard_rows = c->row_count, c->hard_columns = c->column_count;
  list_rows(body, true); // a spring's rows and columns are the same, in the same order
  list_columns(body, true);
}

void lb_constraints_report(lbBody *body, const double *amounts) {
  lbConstraints *c = body->constraints;
  memset(c->forces, 0, 3 * (size_t)c->force_count * sizeof *c->forces);
  for (int32_t i = 0; i < c->column_count; i++) {
    double *force = c->forces + 3 * (size_t)c->column_points[i];
    int32_t axis = c->column_axes[i];
    if (axis < 3)
      force[axis] += amounts[i];
    else
      for (int k = 0; k < 3; k++) force[k] += body->turn.m[3 * k + axis - 3] * amounts[i];
  }
}

double lb_row_target(const lbBody *body, int32_t row) {
  const lbConstraints *c = body->constraints;
  size_t at = 3 * (size_t)c->row_points[row];
  int32_t axis = c->row_axes[row];
  double target = c->targets[at + (size_t)axis];
  if (lb_row_slot(c, row)->kind != LB_CONSTRAIN_POSITION) return target;
  double rest[3];
  lb_vec3_store(rest, lb_body_place(body, lb_vec3_load(c->rests + at)));
  return target - rest[axis];
}
