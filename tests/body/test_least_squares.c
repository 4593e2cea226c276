// Constraints that cannot all be met, against a solution by normal equations and Jacobi rotations
// of responses that were measured by pushing a body.
#include "constraint_points.h"

// Eigenvalues (on the diagonal of a) and vectors of a symmetric matrix by Jacobi rotations.
static void jacobi(int n, double *a, double *vectors) {
  for (int i = 0; i < n * n; i++) vectors[i] = i % (n + 1) == 0;
  for (int sweep = 0; sweep < 60; sweep++)
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        if (a[p + n * q] == 0) continue;
        double theta = 0.5 * atan2(2 * a[p + n * q], a[q + n * q] - a[p + n * p]), c = cos(theta),
               s = sin(theta);
        for (int k = 0; k < n; k++) {
          double x = a[k + n * p], y = a[k + n * q];
          a[k + n * p] = c * x - s * y, a[k + n * q] = s * x + c * y;
        }
        for (int k = 0; k < n; k++) {
          double x = a[p + n * k], y = a[q + n * k], z = vectors[k + n * p], w = vectors[k + n * q];
          a[p + n * k] = c * x - s * y, a[q + n * k] = s * x + c * y;
          vectors[k + n * p] = c * z - s * w, vectors[k + n * q] = s * z + c * w;
        }
      }
}

static void set_free(lbBody *body, uint64_t seed) { toy_shake(body, 0.01, seed); }

// Column j of the responses: end positions of the points under a unit force at force point j / 3
// along axis j % 3, less those without it.
static void responses(const Toy *toy, const lbBodyDef *def, double h, int point_count,
                      const lbPoint *points, int force_count, const lbPoint *forces, double *A,
                      double *base) {
  for (int j = -1; j < 3 * force_count; j++) {
    lbBody *body = toy_body(toy, def);
    set_free(body, 77);
    const double push[3] = { j % 3 == 0, j % 3 == 1, j % 3 == 2 };
    if (j >= 0) body_ok(body, lb_body_apply_force(body, forces[j / 3], lb_vec3_load(push)));
    lb_body_step(body, h);
    for (int i = 0; i < point_count; i++) {
      double x[3];
      lb_vec3_store(x, where(body, points[i]));
      for (int c = 0; c < 3; c++) {
        if (j < 0)
          base[3 * i + c] = x[c];
        else
          A[3 * i + c + 3 * point_count * j] = x[c] - base[3 * i + c];
      }
    }
    lb_body_destroy(body);
  }
}

// x = the shortest of the least-squares solutions
static int shortest_solution(int rows, int columns, const double *A, const double *b, double *x) {
  double normal[12 * 12], vectors[12 * 12], right[12], most = 0;
  int rank = 0;
  for (int i = 0; i < columns; i++) {
    right[i] = x[i] = 0;
    for (int k = 0; k < rows; k++) right[i] += A[k + rows * i] * b[k];
    for (int j = 0; j < columns; j++) {
      normal[i + columns * j] = 0;
      for (int k = 0; k < rows; k++) normal[i + columns * j] += A[k + rows * i] * A[k + rows * j];
    }
  }
  jacobi(columns, normal, vectors);
  for (int k = 0; k < columns; k++) most = fmax(most, normal[k + columns * k]);
  for (int k = 0; k < columns; k++) {
    double along = 0;
    if (normal[k + columns * k] < 1e-9 * most) continue;
    rank++;
    for (int i = 0; i < columns; i++) along += vectors[i + columns * k] * right[i];
    for (int i = 0; i < columns; i++)
      x[i] += vectors[i + columns * k] * along / normal[k + columns * k];
  }
  return rank;
}

static void what_cannot_be_met_is_met_in_the_least_squares_sense(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbBodyDef def = toy_turned();
  const double h = 1e-3;
  // 0: one vertex told to be at two places; 1: more targets than forces; 2: the same force twice
  for (int problem = 0; problem < 3; problem++) {
    lbBody *body = toy_body(&toy, &def), *expected = toy_body(&toy, &def);
    set_free(body, 77), set_free(expected, 77);
    lbPoint points[4], forces[4];
    double targets[12], A[12 * 12], base[12], b[12], x[12];
    pick_points(body, 4, points, targets, 31);
    int point_count = problem == 2 ? 1 : problem == 0 ? 3 : 4, force_count = problem == 0 ? 3 : 2;
    if (problem == 0) points[1] = points[0];
    memcpy(forces, points, sizeof points);
    if (problem == 2) forces[1] = forces[0];
    responses(&toy, &def, h, point_count, points, force_count, forces, A, base);
    for (int i = 0; i < 3 * point_count; i++) b[i] = targets[i] - base[i];
    int rank = shortest_solution(3 * point_count, 3 * force_count, A, b, x);
    lbConstraintDef c = lb_constraint_def();
    c.point_count = point_count, c.points = points, c.targets = targets;
    c.force_point_count = force_count, c.force_points = forces;
    body_ok(body, lb_body_add_constraint(body, &c, NULL));
    assert_int_equal(lb_body_step(body, h), 0);
    assert_int_equal(lb_body_constraint_rank(body), rank);
    assert_true(rank == (problem == 2 ? 3 : 6));
    for (int j = 0; j < force_count; j++)
      body_ok(expected, lb_body_apply_force(expected, forces[j], lb_vec3_load(x + 3 * j)));
    lb_body_step(expected, h);
    double q[BAR_MODES], v[BAR_MODES], eq[BAR_MODES], ev[BAR_MODES], most = 0;
    lb_body_get_state(body, q, v), lb_body_get_state(expected, eq, ev);
    for (int i = 0; i < BAR_MODES; i++) most = fmax(most, fabs(ev[i]));
    for (int i = 0; i < BAR_MODES; i++) check_near(q[i], eq[i], 1e-6 * most * h);
    if (problem == 0) { // half way between the two targets
      lbVec3 middle = lb_scale(0.5, lb_add(lb_vec3_load(targets), lb_vec3_load(targets + 3)));
      check_small(toy_distance(where(body, points[0]), middle), 1e-10);
      check_small(toy_distance(where(body, points[2]), lb_vec3_load(targets + 6)), 1e-10);
    }
    lb_body_destroy(body), lb_body_destroy(expected);
  }
  toy_destroy(&toy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_cannot_be_met_is_met_in_the_least_squares_sense),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
