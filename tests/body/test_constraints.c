// Constraints: targets are met, least squares where they cannot be, and holding a point never
// feeds energy into a body.
#include "toy_model.h"

static int32_t constrain(lbBody *body, lbConstraintKind kind, int32_t count, const lbPoint *points,
                         const double *targets, bool held) {
  lbConstraintDef def = lb_constraint_def();
  int32_t id = -1;
  def.kind = kind, def.point_count = count, def.points = points, def.targets = targets;
  def.held = held;
  body_ok(body, lb_body_add_constraint(body, &def, &id));
  return id;
}

static lbVec3 where(const lbBody *body, lbPoint point) {
  lbVec3 x;
  body_ok(body, lb_body_point(body, point, &x, NULL));
  return x;
}

// Vertices that can move, far from each other, and targets near them.
static void pick_points(const lbBody *body, int32_t count, lbPoint *points, double *targets,
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

static void set_regime(const Toy *toy, int regime, lbBodyDef *def) {
  double slowest = sqrt(toy->model->modal_eigenvalues[0]),
         fastest = sqrt(toy->model->modal_eigenvalues[BAR_MODES - 1]);
  def->damping_stiffness = 0;
  def->damping_mass = regime == 0 ? 0.2 : regime == 1 ? 2 * slowest : 3 * fastest;
}

static void positions_are_met_in_every_regime_by_impulses_and_held_forces(void **state) {
  (void)state;
  Toy toy = toy_bar();
  for (int regime = 0; regime < 3; regime++)
    for (int held = 0; held < 2; held++)
      for (int32_t count = 1; count <= 10; count += 3) {
        lbBodyDef def = toy_turned();
        set_regime(&toy, regime, &def);
        def.gravity = lb_vec3(0, 0, -9.81);
        lbBody *body = toy_body(&toy, &def);
        toy_shake(body, 0.01, 9);
        lbPoint points[10];
        double targets[30];
        pick_points(body, count, points, targets, 4);
        int32_t id = constrain(body, LB_CONSTRAIN_POSITION, count, points, targets, held);
        for (int step = 0; step < 5; step++) {
          for (int i = 0; i < 3 * count; i++) targets[i] += 1e-3 * step;
          body_ok(body, lb_body_set_target(body, id, targets));
          body_ok(body, lb_body_apply_force(body, lb_point_node(11), lb_vec3(1, 2, 3)));
          assert_int_equal(lb_body_step(body, 1e-3), 0);
          assert_int_equal(lb_body_constraint_rank(body), 3 * count);
          for (int i = 0; i < count; i++)
            check_small(toy_distance(where(body, points[i]), lb_vec3_load(targets + 3 * i)), 1e-10);
        }
        lb_body_destroy(body);
      }
  toy_destroy(&toy);
}

static void velocities_and_accelerations_are_met_at_the_start(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbBodyDef def = toy_turned();
  const double h = 1e-7; // so short that the end is nearly the start
  const double velocity[3] = { 0.3, -0.1, 0.2 }, acceleration[3] = { 5, 6, -7 };
  lbPoint point = lb_point_vertex(30);
  lbVec3 before, after;
  lbBody *body = toy_body(&toy, &def);
  toy_shake(body, 0.001, 2);
  constrain(body, LB_CONSTRAIN_VELOCITY, 1, &point, velocity, false);
  assert_int_equal(lb_body_step(body, h), 0);
  body_ok(body, lb_body_point(body, point, NULL, &after));
  check_small(toy_distance(after, lb_vec3_load(velocity)), 1e-3);
  lb_body_destroy(body);
  body = toy_body(&toy, &def);
  toy_shake(body, 0.001, 2);
  constrain(body, LB_CONSTRAIN_ACCELERATION, 1, &point, acceleration, false);
  body_ok(body, lb_body_point(body, point, NULL, &before));
  assert_int_equal(lb_body_step(body, h), 0);
  body_ok(body, lb_body_point(body, point, NULL, &after));
  lbVec3 rate = lb_scale(1 / h, lb_sub(after, before));
  check_small(toy_distance(rate, lb_vec3_load(acceleration)), 1e-2);
  lb_body_destroy(body);
  toy_destroy(&toy);
}

// What a step added to each mode, worked out from where it ended, gives z' and z'' at its start.
static void mixed_kinds_are_met_together_to_the_last_digits(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbBodyDef def = toy_turned();
  def.damping_stiffness = 1e-4;
  lbBody *body = toy_body(&toy, &def), *free_body = toy_body(&toy, &def);
  toy_shake(body, 0.01, 21), toy_shake(free_body, 0.01, 21);
  lbPoint points[6];
  double targets[18], q0[BAR_MODES], q1[BAR_MODES], v1[BAR_MODES], qf[BAR_MODES], vf[BAR_MODES],
      impulse[BAR_MODES], force[BAR_MODES], h = 1e-3;
  pick_points(body, 6, points, targets, 3);
  const double velocities[6] = { 0.1, 0.2, 0.3, -1, 0, 1 },
               accelerations[6] = { 1, 2, 3, 9, 0, -9 };
  constrain(body, LB_CONSTRAIN_POSITION, 2, points, targets, false);
  constrain(body, LB_CONSTRAIN_VELOCITY, 2, points + 2, velocities, false);
  constrain(body, LB_CONSTRAIN_ACCELERATION, 2, points + 4, accelerations, false);
  double v0[BAR_MODES];
  lb_body_get_state(body, q0, v0);
  assert_int_equal(lb_body_step(body, h), 0);
  lb_body_step(free_body, h);
  assert_int_equal(lb_body_constraint_rank(body), 18);
  for (int i = 0; i < 2; i++)
    check_small(toy_distance(where(body, points[i]), lb_vec3_load(targets + 3 * i)), 1e-10);
  lb_body_get_state(body, q1, v1), lb_body_get_state(free_body, qf, vf);
  // responses of each mode to a unit impulse and a unit force, seen from bodies at rest
  lbBody *probe = toy_body(&toy, &def);
  double zero[BAR_MODES] = { 0 }, one[BAR_MODES], zv[BAR_MODES], vv[BAR_MODES], zg[BAR_MODES],
         vg[BAR_MODES];
  for (int i = 0; i < BAR_MODES; i++) one[i] = 1;
  body_ok(probe, lb_body_set_state(probe, zero, one));
  lb_body_step(probe, h);
  lb_body_get_state(probe, zv, vv);
  body_ok(probe, lb_body_set_state(probe, one, zero));
  lb_body_step(probe, h);
  lb_body_get_state(probe, zg, vg);
  for (int i = 0; i < BAR_MODES; i++) {
    double lambda = toy.model->modal_eigenvalues[i]; // z = 1 - λ zg from z = 1 at rest
    zg[i] = (1 - zg[i]) / lambda, vg[i] = -vg[i] / lambda;
    double dz = q1[i] - qf[i], dv = v1[i] - vf[i], det = zv[i] * vg[i] - zg[i] * vv[i];
    impulse[i] = (dz * vg[i] - zg[i] * dv) / det;
    force[i] = (zv[i] * dv - vv[i] * dz) / det;
  }
  for (int k = 0; k < 4; k++) { // a point's value is linear in the coordinates: read as rates
    double rate[BAR_MODES];
    for (int i = 0; i < BAR_MODES; i++) {
      double lambda = toy.model->modal_eigenvalues[i],
             c = toy.model->modal_damping[0] + 1e-4 * lambda;
      double v = v0[i] + impulse[i];
      rate[i] = k < 2 ? v : force[i] - c * v - lambda * q0[i];
    }
    body_ok(probe, lb_body_set_state(probe, zero, rate));
    lbVec3 got;
    body_ok(probe, lb_body_point(probe, points[2 + k], NULL, &got));
    const double *wanted = k < 2 ? velocities + 3 * k : accelerations + 3 * (k - 2);
    check_small(toy_distance(got, lb_vec3_load(wanted)), k < 2 ? 1e-7 : 1e-4); // det is small
  }
  lb_body_destroy(body), lb_body_destroy(free_body), lb_body_destroy(probe);
  toy_destroy(&toy);
}

static void single_axes_are_constrained_in_world_axes(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbBodyDef def = toy_turned();
  lbBody *body = toy_body(&toy, &def), *other = toy_body(&toy, &def);
  toy_shake(body, 0.01, 6), toy_shake(other, 0.01, 6);
  lbPoint point = lb_point_vertex(30), elsewhere = lb_point_node(40);
  uint8_t axes = 5;
  double target[3];
  lb_vec3_store(target, lb_add(where(body, point), lb_vec3(0.01, 50, -0.01)));
  lbConstraintDef c = lb_constraint_def();
  c.point_count = 1, c.points = &point, c.axes = &axes, c.targets = target;
  c.force_point_count = 1, c.force_points = &elsewhere;
  body_ok(body, lb_body_add_constraint(body, &c, NULL));
  for (int turn = 0; turn < 2; turn++) {
    assert_int_equal(lb_body_step(body, 0.002), 0);
    assert_int_equal(lb_body_constraint_rank(body), 2);
    check_near(where(body, point).x, target[0], 1e-10);
    check_near(where(body, point).z, target[2], 1e-10);
    assert_true(fabs(where(body, point).y - target[1]) > 1);
    // a new rotation makes a new system
    body_ok(body, lb_body_set_placement(body, lb_vec3(0, 0, 0),
                                        lb_quat_from_axis_angle(lb_vec3(1, 1, 0), 2)));
    lb_vec3_store(target, lb_add(where(body, point), lb_vec3(0.001, 50, 0)));
    body_ok(body, lb_body_set_target(body, 0, target));
  }
  lb_body_destroy(body), lb_body_destroy(other);
  toy_destroy(&toy);
}

static void neighbours_that_can_hardly_be_told_apart_still_meet_their_targets(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbBody *body = toy_body(&toy, NULL);
  const double apart = 1e-3;
  int32_t t = 0; // a triangle well away from the end that is held
  for (bool near = true; near; t += near) {
    near = false;
    for (int i = 0; i < 3; i++)
      near |= toy.model->vertex_positions[3 * toy.model->triangles[3 * t + i]] < 0.5;
  }
  lbPoint points[3] = { lb_point_triangle(t, 0.4, 0.3, 0.3),
                        lb_point_triangle(t, 0.4 - apart, 0.3 + apart, 0.3),
                        lb_point_triangle(t, 0.4 - apart, 0.3, 0.3 + apart) };
  double targets[9];
  for (int i = 0; i < 3; i++)
    lb_vec3_store(targets + 3 * i, lb_add(where(body, points[i]), lb_vec3(0.01, 0.02, -0.01)));
  constrain(body, LB_CONSTRAIN_POSITION, 3, points, targets, false);
  for (int step = 0; step < 10; step++) assert_int_equal(lb_body_step(body, 1e-3), 0);
  assert_int_equal(lb_body_constraint_rank(body), 9);
  for (int i = 0; i < 3; i++) {
    double missed = toy_distance(where(body, points[i]), lb_vec3_load(targets + 3 * i));
    check_small(missed, 1e-12);
  }
  lb_body_destroy(body);
  toy_destroy(&toy);
}

// ---- least squares -----------------------------------------------------------------------------

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

// Column j of the responses: end positions of the points after a unit impulse at force point j / 3
// along axis j % 3, less those without it.
static void responses(const Toy *toy, const lbBodyDef *def, double h, int point_count,
                      const lbPoint *points, int force_count, const lbPoint *forces, double *A,
                      double *base) {
  for (int j = -1; j < 3 * force_count; j++) {
    lbBody *body = toy_body(toy, def);
    set_free(body, 77);
    const double push[3] = { j % 3 == 0, j % 3 == 1, j % 3 == 2 };
    if (j >= 0) body_ok(body, lb_body_apply_impulse(body, forces[j / 3], lb_vec3_load(push)));
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
      body_ok(expected, lb_body_apply_impulse(expected, forces[j], lb_vec3_load(x + 3 * j)));
    lb_body_step(expected, h);
    double q[BAR_MODES], v[BAR_MODES], eq[BAR_MODES], ev[BAR_MODES], most = 0;
    lb_body_get_state(body, q, v), lb_body_get_state(expected, eq, ev);
    for (int i = 0; i < BAR_MODES; i++) most = fmax(most, fabs(ev[i]));
    for (int i = 0; i < BAR_MODES; i++)
      check_near(v[i], ev[i], 1e-6 * most), check_near(q[i], eq[i], 1e-6 * most * h);
    if (problem == 0) { // half way between the two targets
      lbVec3 middle = lb_scale(0.5, lb_add(lb_vec3_load(targets), lb_vec3_load(targets + 3)));
      check_small(toy_distance(where(body, points[0]), middle), 1e-10);
      check_small(toy_distance(where(body, points[2]), lb_vec3_load(targets + 6)), 1e-10);
    }
    lb_body_destroy(body), lb_body_destroy(expected);
  }
  toy_destroy(&toy);
}

// ---- holding -----------------------------------------------------------------------------------

static void holding_points_at_a_large_step_keeps_the_energy_bounded(void **state) {
  (void)state;
  Toy toy = toy_bar();
  const double h = 1.0 / 20;
  assert_true(sqrt(toy.model->modal_eigenvalues[BAR_MODES - 1]) * h >
              2 * LB_PI); // far above half the step rate
  assert_true(sqrt(toy.model->modal_eigenvalues[0]) * h < LB_PI);
  for (int held = 0; held < 2; held++)
    for (int32_t count = 1; count <= 2; count++) {
      lbBodyDef def = lb_body_def();
      def.damping_mass = def.damping_stiffness = 0; // nothing helps
      lbBody *body = toy_body(&toy, &def);
      toy_shake(body, 0.01, 13);
      lbBodyReport report = lb_body_report(body);
      double start = report.kinetic + report.elastic, most = 0, early = 0;
      lbPoint points[2];
      double targets[6];
      pick_points(body, 2, points, targets, 1);
      constrain(body, LB_CONSTRAIN_POSITION, count, points, NULL, held);
      lbVec3 at = where(body, points[0]);
      for (int step = 0; step < 2000; step++) {
        assert_int_equal(lb_body_step(body, h), 0);
        if (step % 8) continue;
        report = lb_body_report(body);
        most = fmax(most, report.kinetic + report.elastic);
        if (step < 500) early = most;
        check_small(toy_distance(where(body, points[0]), at), 1e-10);
      }
      print_message("%s, %d points: energy at most %.3g of the start's\n",
                    held ? "held" : "impulse", (int)count, most / start);
      assert_true(most < 1.5 * early); // fast modes stir the slow ones, but do not pump them
      assert_true(most < (held ? 1.01 : 1000) * start);
      lb_body_destroy(body);
    }
  toy_destroy(&toy);
}

static void constraints_come_and_go_while_a_body_runs(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbBody *body = toy_body(&toy, NULL);
  lbPoint points[8];
  double targets[24];
  int32_t ids[4];
  pick_points(body, 8, points, targets, 17);
  for (int i = 0; i < 4; i++)
    ids[i] = constrain(body, LB_CONSTRAIN_POSITION, 2, points + 2 * i, targets + 6 * i, false);
  assert_int_equal(lb_body_constraint_rank(body), 0);
  lb_body_step(body, 0.001);
  body_ok(body, lb_body_remove_constraint(body, ids[1]));
  body_refuses(body, lb_body_remove_constraint(body, ids[1]), "was removed");
  body_refuses(body, lb_body_set_target(body, ids[1], targets), "was removed");
  int32_t again = constrain(body, LB_CONSTRAIN_POSITION, 2, points + 2, targets + 6, false);
  assert_int_not_equal(again, ids[1]);
  body_refuses(body, lb_body_remove_constraint(body, ids[1]), "was removed");
  body_ok(body, lb_body_remove_constraint(body, ids[0]));
  for (int i = 6; i < 24; i++) targets[i] += 0.003;
  body_ok(body, lb_body_set_target(body, ids[3], targets + 18));
  body_ok(body, lb_body_set_target(body, again, targets + 6));
  body_ok(body, lb_body_set_target(body, ids[2], targets + 12));
  assert_int_equal(lb_body_step(body, 0.001), 0);
  for (int i = 2; i < 8; i++)
    check_small(toy_distance(where(body, points[i]), lb_vec3_load(targets + 3 * i)), 1e-10);
  assert_int_equal(lb_body_step(body, 0.004), 0); // another step length, another system
  for (int i = 2; i < 8; i++)
    check_small(toy_distance(where(body, points[i]), lb_vec3_load(targets + 3 * i)), 1e-10);
  body_ok(body, lb_body_remove_constraint(body, ids[2]));
  body_ok(body, lb_body_remove_constraint(body, ids[3]));
  body_ok(body, lb_body_remove_constraint(body, again));
  lbBody *other = toy_body(&toy, NULL); // free again: as if there had never been any
  double q[BAR_MODES], v[BAR_MODES], oq[BAR_MODES], ov[BAR_MODES];
  lb_body_get_state(body, q, v);
  body_ok(other, lb_body_set_state(other, q, v));
  lb_body_step(body, 0.01), lb_body_step(other, 0.01);
  lb_body_get_state(body, q, v), lb_body_get_state(other, oq, ov);
  assert_memory_equal(q, oq, sizeof q);
  assert_memory_equal(v, ov, sizeof v);
  lb_body_destroy(body), lb_body_destroy(other);
  toy_destroy(&toy);
}

static void constraints_that_make_no_sense_are_refused(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbBodyDef body_def = lb_body_def();
  body_def.constrained_points = 3;
  lbBody *body = toy_body(&toy, &body_def);
  lbPoint points[4];
  double targets[12];
  uint8_t axes[4] = { 7, 0, 7, 7 };
  pick_points(body, 4, points, targets, 17);
  lbConstraintDef good = lb_constraint_def(), def = good;
  good.points = points, good.point_count = 3, good.targets = targets;
  body_refuses(body, lb_body_add_constraint(body, &def, NULL), "point_count is 0");
  def = good, def.point_count = 4;
  body_refuses(body, lb_body_add_constraint(body, &def, NULL), "no room for 4 more points");
  def = good, def.force_point_count = 4, def.force_points = points;
  body_refuses(body, lb_body_add_constraint(body, &def, NULL), "no room for 4 more force points");
  def = good, def.force_point_count = 1;
  body_refuses(body, lb_body_add_constraint(body, &def, NULL), "force_point_count is 1");
  def = good, def.kind = (lbConstraintKind)3;
  body_refuses(body, lb_body_add_constraint(body, &def, NULL), "kind is 3");
  def = good, def.axes = axes;
  body_refuses(body, lb_body_add_constraint(body, &def, NULL), "axes of point 1");
  targets[4] = NAN;
  body_refuses(body, lb_body_add_constraint(body, &good, NULL), "target 1 of point 1");
  targets[4] = 1e200;
  body_refuses(body, lb_body_add_constraint(body, &good, NULL), "target 1 of point 1");
  targets[4] = 0;
  body_refuses(body, lb_body_set_target(body, 0, targets), "no constraint 0");
  body_refuses(body, lb_body_remove_constraint(body, -1), "no constraint -1");
  body_refuses(body, lb_body_remove_constraint(body, INT32_MAX), "no constraint");
  int32_t id;
  body_ok(body, lb_body_add_constraint(body, &good, &id));
  def = good, def.point_count = 1;
  body_refuses(body, lb_body_add_constraint(body, &def, NULL), "no room for 1 more points");
  body_refuses(body, lb_body_set_target(body, id, NULL), "no targets");
  targets[8] = -INFINITY;
  body_refuses(body, lb_body_set_target(body, id, targets), "target 2 of point 2");
  lb_body_destroy(body);
  body_def.constrained_points = 0;
  body = toy_body(&toy, &body_def);
  body_refuses(body, lb_body_add_constraint(body, &def, NULL), "no room");
  body_refuses(body, lb_body_remove_constraint(body, 0), "no constraint 0");
  lb_body_destroy(body);
  toy_destroy(&toy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(positions_are_met_in_every_regime_by_impulses_and_held_forces),
    cmocka_unit_test(velocities_and_accelerations_are_met_at_the_start),
    cmocka_unit_test(mixed_kinds_are_met_together_to_the_last_digits),
    cmocka_unit_test(single_axes_are_constrained_in_world_axes),
    cmocka_unit_test(neighbours_that_can_hardly_be_told_apart_still_meet_their_targets),
    cmocka_unit_test(what_cannot_be_met_is_met_in_the_least_squares_sense),
    cmocka_unit_test(holding_points_at_a_large_step_keeps_the_energy_bounded),
    cmocka_unit_test(constraints_come_and_go_while_a_body_runs),
    cmocka_unit_test(constraints_that_make_no_sense_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
