// Constrained points for the tests: where to put them and where they are.
#ifndef LB_TESTS_CONSTRAINT_POINTS_H
#define LB_TESTS_CONSTRAINT_POINTS_H

#include "toy_model.h"

static inline int32_t constrain(lbBody *body, lbConstraintKind kind, int32_t count,
                                const lbPoint *points, const double *targets) {
  lbConstraintDef def = lb_constraint_def();
  int32_t id = -1;
  def.kind = kind, def.point_count = count, def.points = points, def.targets = targets;
  body_ok(body, lb_body_add_constraint(body, &def, &id));
  return id;
}

static inline lbVec3 where(const lbBody *body, lbPoint point) {
  lbVec3 x;
  body_ok(body, lb_body_point(body, point, &x, NULL));
  return x;
}

// Vertices that can move, far from each other, and targets near them.
static inline void pick_points(const lbBody *body, int32_t count, lbPoint *points, double *targets,
                               uint64_t seed) {
  const lbModel *m = lb_body_model(body);
  int32_t next = 0, i = 0;
  for (; i < m->size.vertex_count && next < count; i += 3)
    if (m->vertex_positions[3 * i] > 0.3) points[next++] = lb_point_vertex(i);
  assert_int_equal(next, count);
  for (i = 0; i < count; i++) {
    lb_vec3_store(targets + 3 * i, where(body, points[i]));
    for (int c = 0; c < 3; c++) targets[3 * i + c] += 0.02 * check_random(&seed);
  }
}

#endif
