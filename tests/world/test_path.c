// Paths: what lies between keys, rates against finite differences, knots, cycles and cuts,
// refusals.
#include "check.h"

#include "limber/math.h"
#include "limber/path.h"

static lbPath *path_of(const lbPathDef *def) {
  lbPath *path = NULL;
  lbError err = { 0 };
  check_ok(lb_path_create(def, &path, &err), err);
  return path;
}

static lbPathState state_at(const lbPath *path, double t) {
  lbPathState s;
  lb_path_at(path, t, &s);
  return s;
}

static lbQuat quat(const double *q) { return lb_quat(q[0], q[1], q[2], q[3]); }

// The rotation vector from a to b.
static lbVec3 turn(const lbPathState *a, const lbPathState *b) {
  return lb_quat_log(lb_quat_multiply(quat(b->rotation), lb_quat_conjugate(quat(a->rotation))));
}

static double vector_error(const double *a, lbVec3 b) {
  return lb_length(lb_sub(lb_vec3_load(a), b));
}

enum { KEYS = 6 };

typedef struct Random {
  double times[KEYS], positions[KEYS][3], rotations[KEYS][4];
  double position_tangents[KEYS][2][3], rotation_tangents[KEYS][2][4];
} Random;

// Times between 0.1 and 0.5 s apart, positions of a metre, rotations up to about 1.5 rad apart.
static lbPathDef random_def(Random *r, uint64_t seed, lbPathInterpolation interpolation) {
  double t = -0.3;
  lbQuat q = lb_quat_identity();
  for (int i = 0; i < KEYS; i++) {
    r->times[i] = t;
    t += 0.3 + 0.2 * check_random(&seed);
    for (int k = 0; k < 3; k++) r->positions[i][k] = check_random(&seed);
    lbVec3 by = lb_vec3(check_random(&seed), check_random(&seed), check_random(&seed));
    q = lb_quat_multiply(lb_quat_exp(by), q);
    double side = check_random(&seed) < 0 ? -1 : 1; // q and -q are one rotation
    const double values[4] = { q.x, q.y, q.z, q.w };
    for (int k = 0; k < 4; k++) r->rotations[i][k] = side * values[k];
  }
  lbPathDef def = lb_path_def();
  def.key_count = KEYS;
  def.times = r->times;
  def.positions = r->positions[0];
  def.rotations = r->rotations[0];
  def.interpolation = interpolation;
  return def;
}

// As glTF writes them: signs of neighbours agree, tangents are any.
static void add_tangents(Random *r, uint64_t seed, lbPathDef *def) {
  for (int i = 0; i < KEYS; i++) {
    if (i > 0 && lb_quat_dot(quat(r->rotations[i]), quat(r->rotations[i - 1])) < 0)
      for (int k = 0; k < 4; k++) r->rotations[i][k] *= -1;
    for (int side = 0; side < 2; side++) {
      for (int k = 0; k < 3; k++) r->position_tangents[i][side][k] = check_random(&seed);
      for (int k = 0; k < 4; k++) r->rotation_tangents[i][side][k] = check_random(&seed);
    }
  }
  def->position_tangents = r->position_tangents[0][0];
  def->rotation_tangents = r->rotation_tangents[0][0];
}

// ---- values ------------------------------------------------------------------------------------

static void the_frame_is_at_its_keys(void **state) {
  (void)state;
  double worst = 0;
  for (int kind = 0; kind < 4; kind++) {
    Random r;
    lbPathDef def = random_def(&r, 11 + (uint64_t)kind, (lbPathInterpolation)(kind % 3));
    if (kind == 3) {
      def.interpolation = LB_PATH_CUBIC;
      add_tangents(&r, 5, &def);
    }
    lbPath *path = path_of(&def);
    for (int i = 0; i < KEYS; i++) {
      lbPathState s = state_at(path, r.times[i]);
      worst = fmax(worst, vector_error(s.position, lb_vec3_load(r.positions[i])));
      worst = fmax(worst, 1 - fabs(lb_quat_dot(quat(s.rotation), quat(r.rotations[i]))));
    }
    lb_path_destroy(path);
  }
  print_message("  residual %.2e, tolerance 1e-14\n", worst);
  check_small(worst, 1e-14);
}

static void linear_paths_are_straight_and_slerp(void **state) {
  (void)state;
  Random r;
  lbPathDef def = random_def(&r, 3, LB_PATH_LINEAR);
  lbPath *path = path_of(&def);
  double worst = 0;
  for (int i = 0; i + 1 < KEYS; i++)
    for (double s = 0.05; s < 1; s += 0.1) {
      lbPathState at = state_at(path, r.times[i] + s * (r.times[i + 1] - r.times[i]));
      lbVec3 from = lb_vec3_load(r.positions[i]), to = lb_vec3_load(r.positions[i + 1]);
      lbQuat q = lb_quat_slerp(quat(r.rotations[i]), quat(r.rotations[i + 1]), s);
      worst = fmax(worst, vector_error(at.position, lb_add_scaled(from, s, lb_sub(to, from))));
      worst = fmax(worst, 1 - fabs(lb_quat_dot(q, quat(at.rotation))));
      check_near(lb_quat_dot(quat(at.rotation), quat(at.rotation)), 1, 1e-15);
    }
  print_message("  residual %.2e, tolerance 1e-14\n", worst);
  check_small(worst, 1e-14);
  lb_path_destroy(path);
}

// Hermite's formula, written out.
static double hermite(double s, double d, double p, double out, double q, double in) {
  return (2 * s * s * s - 3 * s * s + 1) * p + (s * s * s - 2 * s * s + s) * d * out +
         (-2 * s * s * s + 3 * s * s) * q + (s * s * s - s * s) * d * in;
}

static void cubic_paths_have_the_slopes_of_the_neighbours(void **state) {
  (void)state;
  Random r;
  lbPathDef def = random_def(&r, 8, LB_PATH_CUBIC);
  lbPath *path = path_of(&def);
  double aligned[KEYS][4], slopes[KEYS][7] = { { 0 } }, worst = 0;
  for (int i = 0; i < KEYS; i++) {
    bool flip = i > 0 && lb_quat_dot(quat(r.rotations[i]), quat(aligned[i - 1])) < 0;
    for (int k = 0; k < 4; k++) aligned[i][k] = (flip ? -1 : 1) * r.rotations[i][k];
  }
  for (int i = 1; i + 1 < KEYS; i++)
    for (int k = 0; k < 7; k++) {
      double after = k < 3 ? r.positions[i + 1][k] : aligned[i + 1][k - 3];
      double before = k < 3 ? r.positions[i - 1][k] : aligned[i - 1][k - 3];
      slopes[i][k] = (after - before) / (r.times[i + 1] - r.times[i - 1]);
    }
  for (int i = 0; i + 1 < KEYS; i++)
    for (double s = 0.05; s < 1; s += 0.1) {
      double d = r.times[i + 1] - r.times[i], q[4], length = 0;
      lbPathState at = state_at(path, r.times[i] + s * d);
      for (int k = 0; k < 3; k++)
        worst =
            fmax(worst, fabs(at.position[k] - hermite(s, d, r.positions[i][k], slopes[i][k],
                                                      r.positions[i + 1][k], slopes[i + 1][k])));
      for (int k = 0; k < 4; k++) {
        q[k] =
            hermite(s, d, aligned[i][k], slopes[i][k + 3], aligned[i + 1][k], slopes[i + 1][k + 3]);
        length += q[k] * q[k];
      }
      for (int k = 0; k < 4; k++) worst = fmax(worst, fabs(at.rotation[k] - q[k] / sqrt(length)));
    }
  print_message("  residual %.2e, tolerance 1e-14\n", worst);
  check_small(worst, 1e-14);
  lb_path_destroy(path);
}

static void tangents_of_a_file_are_used(void **state) {
  (void)state;
  const double times[2] = { 1, 3 }, positions[6] = { 0, 0, 0, 1, 0, 0 };
  const double tangents[12] = { 9, 9, 9, 2, 1, 0, -1, 0, 3, 9, 9, 9 }; // 9: not used
  lbPathDef def = lb_path_def();
  def.key_count = 2;
  def.times = times;
  def.positions = positions;
  def.position_tangents = tangents;
  def.interpolation = LB_PATH_CUBIC;
  lbPath *path = path_of(&def);
  lbPathState s = state_at(path, 1);
  check_small(vector_error(s.linear_velocity, lb_vec3(2, 1, 0)), 1e-15);
  s = state_at(path, nextafter(3, 0));
  check_small(vector_error(s.linear_velocity, lb_vec3(-1, 0, 3)), 1e-13);
  s = state_at(path, 2);
  for (int k = 0; k < 3; k++)
    check_near(s.position[k],
               hermite(0.5, 2, positions[k], tangents[3 + k], positions[3 + k], tangents[6 + k]),
               1e-15);
  lb_path_destroy(path);
}

// ---- rates -------------------------------------------------------------------------------------

// Derivatives of the pose, and of the velocities, by differences within segments.
static void check_rates(const lbPathDef *def, double *velocity_error, double *acceleration_error) {
  lbPath *path = path_of(def);
  const double e = 1e-5;
  for (int i = 0; i + 1 < KEYS; i++)
    for (double s = 0.05; s < 1; s += 0.15) {
      double t = def->times[i] + s * (def->times[i + 1] - def->times[i]);
      lbPathState a = state_at(path, t - e), b = state_at(path, t), c = state_at(path, t + e);
      lbVec3 velocity =
          lb_scale(0.5 / e, lb_sub(lb_vec3_load(c.position), lb_vec3_load(a.position)));
      lbVec3 spin = lb_scale(0.5 / e, turn(&a, &c));
      lbVec3 acceleration = lb_scale(
          0.5 / e, lb_sub(lb_vec3_load(c.linear_velocity), lb_vec3_load(a.linear_velocity)));
      lbVec3 torque = lb_scale(
          0.5 / e, lb_sub(lb_vec3_load(c.angular_velocity), lb_vec3_load(a.angular_velocity)));
      double speed = 1 + lb_length(spin) + lb_length(velocity);
      double change = 1 + lb_length(acceleration) + lb_length(torque);
      *velocity_error = fmax(*velocity_error, vector_error(b.linear_velocity, velocity) / speed);
      *velocity_error = fmax(*velocity_error, vector_error(b.angular_velocity, spin) / speed);
      *acceleration_error =
          fmax(*acceleration_error, vector_error(b.linear_acceleration, acceleration) / change);
      *acceleration_error =
          fmax(*acceleration_error, vector_error(b.angular_acceleration, torque) / change);
    }
  lb_path_destroy(path);
}

static void rates_are_the_derivatives_of_the_pose(void **state) {
  (void)state;
  double velocity = 0, acceleration = 0;
  for (uint64_t seed = 1; seed <= 20; seed++)
    for (int kind = 0; kind < 4; kind++) {
      Random r;
      lbPathDef def = random_def(&r, seed, (lbPathInterpolation)(kind % 3));
      def.cycle = seed % 2 == 0;
      if (kind == 3) {
        def.interpolation = LB_PATH_CUBIC;
        add_tangents(&r, seed, &def);
      }
      check_rates(&def, &velocity, &acceleration);
    }
  print_message("  velocities %.2e, accelerations %.2e; tolerance 3e-7\n", velocity, acceleration);
  check_small(velocity, 3e-7);
  check_small(acceleration, 3e-7);
}

static void the_frame_stands_outside_its_times(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    Random r;
    lbPathDef def = random_def(&r, 21, (lbPathInterpolation)kind);
    lbPath *path = path_of(&def);
    const double times[] = {
      -INFINITY, -1e300, r.times[0] - 1e-9, r.times[KEYS - 1], r.times[KEYS - 1] + 5, INFINITY
    };
    for (int i = 0; i < 6; i++) {
      lbPathState s = state_at(path, times[i]);
      int key = i < 3 ? 0 : KEYS - 1;
      check_small(vector_error(s.position, lb_vec3_load(r.positions[key])), 0);
      check_near(fabs(lb_quat_dot(quat(s.rotation), quat(r.rotations[key]))), 1, 1e-15);
      for (int k = 0; k < 3; k++)
        assert_true(s.linear_velocity[k] == 0 && s.angular_velocity[k] == 0 &&
                    s.linear_acceleration[k] == 0 && s.angular_acceleration[k] == 0);
    }
    lb_path_destroy(path);
  }
}

static void at_a_knot_the_rates_are_those_of_what_begins(void **state) {
  (void)state;
  const double times[3] = { 0, 1, 3 }, positions[9] = { 0, 0, 0, 1, 0, 0, 1, 4, 0 };
  lbPathDef def = lb_path_def();
  def.key_count = 3;
  def.times = times;
  def.positions = positions;
  lbPath *path = path_of(&def);
  check_small(vector_error(state_at(path, 0).linear_velocity, lb_vec3(1, 0, 0)), 1e-15);
  check_small(vector_error(state_at(path, 1).linear_velocity, lb_vec3(0, 2, 0)), 1e-15);
  check_small(vector_error(state_at(path, nextafter(1, 0)).linear_velocity, lb_vec3(1, 0, 0)),
              1e-15);
  check_small(vector_error(state_at(path, 3).linear_velocity, lb_vec3(0, 0, 0)), 0);
  assert_false(lb_path_cut_between(path, -1, 5));
  lb_path_destroy(path);
}

static void positions_or_rotations_may_be_missing(void **state) {
  (void)state;
  const double times[2] = { 0, 2 };
  const double rotations[8] = { 0, 0, 0, 2, 0, 0, -3, 0 }; // half a turn about z, lengths 2 and 3
  lbPathDef def = lb_path_def();
  def.key_count = 2;
  def.times = times;
  def.rotations = rotations;
  lbPath *path = path_of(&def);
  lbPathState s = state_at(path, 1);
  check_small(vector_error(s.position, lb_vec3(0, 0, 0)), 0);
  check_near(fabs(s.angular_velocity[2]), 0.5 * LB_PI, 1e-14);
  check_near(fabs(s.rotation[2]), sqrt(0.5), 1e-15);
  assert_null(lb_path_keys(path)->positions);
  check_near(lb_path_keys(path)->rotations[6], -1, 0);
  lb_path_destroy(path);
}

static void mean_velocities_lead_from_pose_to_pose(void **state) {
  (void)state;
  Random r;
  lbPathDef def = random_def(&r, 31, LB_PATH_CUBIC);
  lbPath *path = path_of(&def);
  lbPathState a = state_at(path, 0.1), b = state_at(path, 0.35);
  double linear[3], angular[3];
  lb_path_mean_velocity(&a, &b, 0.25, linear, angular);
  lbQuat end =
      lb_quat_multiply(lb_quat_exp(lb_scale(0.25, lb_vec3_load(angular))), quat(a.rotation));
  check_near(fabs(lb_quat_dot(end, quat(b.rotation))), 1, 1e-15);
  for (int k = 0; k < 3; k++) check_near(a.position[k] + 0.25 * linear[k], b.position[k], 1e-15);
  lb_path_destroy(path);
}

static void points_of_the_frame_move_with_it(void **state) {
  (void)state;
  Random r;
  lbPathDef def = random_def(&r, 41, LB_PATH_CUBIC);
  lbPath *path = path_of(&def);
  const double own[3] = { 0.4, -1.2, 0.7 }, e = 1e-4, t = 0.4;
  double x[3][3], v[3], a[3];
  for (int i = 0; i < 3; i++) {
    lbPathState s = state_at(path, t + (i - 1) * e);
    lb_path_point(&s, own, x[i]);
  }
  lbPathState s = state_at(path, t);
  lb_path_point_rates(&s, x[1], v, a);
  for (int k = 0; k < 3; k++) {
    check_near(v[k], (x[2][k] - x[0][k]) / (2 * e), 1e-5);
    check_near(a[k], (x[2][k] - 2 * x[1][k] + x[0][k]) / (e * e), 1e-5 * (1 + fabs(a[k])) + 1e-6);
  }
  lb_path_destroy(path);
}

// ---- cycles and cuts ---------------------------------------------------------------------------

static void a_closed_cycle_is_smooth_and_has_no_cut(void **state) {
  (void)state;
  Random r;
  lbPathDef def = random_def(&r, 51, LB_PATH_CUBIC);
  memcpy(r.positions[KEYS - 1], r.positions[0], sizeof r.positions[0]);
  memcpy(r.rotations[KEYS - 1], r.rotations[0], sizeof r.rotations[0]);
  def.cycle = true;
  lbPath *path = path_of(&def);
  double first = r.times[0], last = r.times[KEYS - 1], period = last - first;
  lbPathState before = state_at(path, last - 1e-9), after = state_at(path, last + 1e-9);
  check_small(vector_error(after.position, lb_vec3_load(before.position)), 1e-7);
  check_small(vector_error(after.linear_velocity, lb_vec3_load(before.linear_velocity)), 1e-6);
  check_small(vector_error(after.angular_velocity, lb_vec3_load(before.angular_velocity)), 1e-6);
  // The slope at the ends: of the neighbours on both sides.
  lbPathState end = state_at(path, first);
  for (int k = 0; k < 3; k++) {
    double slope = (r.positions[1][k] - r.positions[KEYS - 2][k]) /
                   (r.times[1] - (r.times[KEYS - 2] - period));
    check_near(end.linear_velocity[k], slope, 1e-13);
  }
  for (double t = first + 0.01; t < last; t += 0.1)
    for (int n = -3; n <= 7; n += 5) {
      lbPathState a = state_at(path, t), b = state_at(path, t + n * period);
      check_small(vector_error(a.position, lb_vec3_load(b.position)), 1e-12);
      check_small(lb_length(turn(&a, &b)), 1e-12);
    }
  assert_false(lb_path_cut_between(path, first - 10, last + 10));
  lb_path_destroy(path);
}

// A full turn in four quarters: the last quaternion is minus the first.
static void a_full_turn_is_a_closed_cycle(void **state) {
  (void)state;
  double times[5], rotations[5][4] = { { 0 } };
  for (int i = 0; i < 5; i++) {
    times[i] = i;
    rotations[i][2] = sin(0.25 * LB_PI * i);
    rotations[i][3] = cos(0.25 * LB_PI * i);
  }
  for (int kind = 0; kind < 2; kind++) {
    lbPathDef def = lb_path_def();
    def.key_count = 5;
    def.times = times;
    def.rotations = rotations[0];
    def.interpolation = (lbPathInterpolation)kind;
    def.cycle = true;
    lbPath *path = path_of(&def);
    assert_false(lb_path_cut_between(path, 3.5, 4.5));
    for (double t = -4; t < 8; t += 0.5) {
      lbPathState s = state_at(path, t);
      double tolerance = kind == LB_PATH_LINEAR ? 1e-14 : 0.11; // its slopes are chords
      check_near(s.angular_velocity[2] / (0.5 * LB_PI), 1, tolerance);
    }
    lb_path_destroy(path);
  }
}

static void an_open_cycle_jumps_and_what_follows_is_carried(void **state) {
  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    Random r;
    lbPathDef def = random_def(&r, 61, (lbPathInterpolation)kind);
    def.cycle = true;
    lbPath *path = path_of(&def);
    double last = r.times[KEYS - 1], period = last - r.times[0];
    assert_true(lb_path_cut_between(path, last - 0.01, last + 0.01));
    assert_true(lb_path_cut_between(path, last - 0.01, last));
    assert_false(lb_path_cut_between(path, last, last + 0.01));
    assert_false(lb_path_cut_between(path, last - 0.02, last - 0.01));
    for (int rounds = 1; rounds <= 5; rounds += 2) {
      double t0 = last - 1e-9, t1 = last + (rounds - 1) * period + 1e-9;
      lbPathState from = state_at(path, t0), to = state_at(path, t1), carried = from;
      assert_true(lb_path_carry(path, t0, t1, &carried));
      if (rounds == 1) { // nothing but the motion of 2 ns is left
        check_small(vector_error(carried.position, lb_vec3_load(to.position)), 1e-7);
        check_small(lb_length(turn(&carried, &to)), 1e-7);
      }
      double rotation[4], shift[3];
      assert_true(lb_path_jump(path, t0, t1, rotation, shift));
      lbVec3 moved =
          lb_add(lb_quat_rotate(quat(rotation), lb_vec3_load(from.position)), lb_vec3_load(shift));
      check_small(vector_error(carried.position, moved), 1e-13);
      // As many jumps, one after the other.
      lbPathState by_hand = from;
      for (int n = 0; n < rounds; n++)
        assert_true(lb_path_carry(path, last - 1e-9, last, &by_hand));
      check_small(vector_error(carried.position, lb_vec3_load(by_hand.position)), 1e-12);
      check_small(lb_length(turn(&carried, &by_hand)), 1e-12);
    }
    lb_path_destroy(path);
  }
}

static void a_step_path_is_cut_at_every_key(void **state) {
  (void)state;
  Random r;
  lbPathDef def = random_def(&r, 71, LB_PATH_STEP);
  lbPath *path = path_of(&def);
  lbPathState a = state_at(path, r.times[1]), b = state_at(path, nextafter(r.times[2], -1));
  assert_memory_equal(&a, &b, sizeof a);
  assert_true(lb_path_cut_between(path, r.times[1], r.times[2]));
  assert_false(lb_path_cut_between(path, r.times[2], r.times[2] + 0.01));
  lbPathState carried = a, to = state_at(path, r.times[3]);
  assert_true(lb_path_carry(path, r.times[1], r.times[3], &carried));
  check_small(vector_error(carried.position, lb_vec3_load(to.position)), 1e-14);
  check_small(lb_length(turn(&carried, &to)), 1e-14);
  double linear[3], angular[3];
  lb_path_mean_velocity(&carried, &to, 0.01, linear, angular);
  check_small(lb_length(lb_vec3_load(linear)) + lb_length(lb_vec3_load(angular)), 1e-11);
  lb_path_destroy(path);
}

// Steps of a run end at n h: pose and cut must agree about which side of a key that is.
static void cuts_and_poses_agree_at_rounded_times(void **state) {
  (void)state;
  const double times[4] = { 0, 0.3, 0.6, 0.9 };
  const double positions[12] = { 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0 };
  for (int cycle = 0; cycle < 2; cycle++)
    for (int kind = 0; kind <= 2; kind += 2) {
      lbPathDef def = lb_path_def();
      def.key_count = 4;
      def.times = times;
      def.positions = positions;
      def.interpolation = (lbPathInterpolation)kind;
      def.cycle = cycle;
      lbPath *path = path_of(&def);
      for (int n = 0; n < 3000; n++) {
        double t0 = n * 0.1, t1 = (n + 1) * 0.1;
        lbPathState a = state_at(path, t0), b = state_at(path, t1);
        bool cut = lb_path_carry(path, t0, t1, &a);
        assert_int_equal(cut, lb_path_cut_between(path, t0, t1));
        double felt = fabs(b.position[0] - a.position[0]);
        check_small(felt, kind == LB_PATH_STEP ? 1e-12 : 1.0 / 3 + 1e-9);
      }
      lb_path_destroy(path);
    }
}

static void odd_times_are_harmless(void **state) {
  (void)state;
  const double odd[] = { NAN, INFINITY, -INFINITY, 1e300, -1e300, 1e18, 5e-324 };
  for (int kind = 0; kind < 6; kind++) {
    Random r;
    lbPathDef def = random_def(&r, 81, (lbPathInterpolation)(kind % 3));
    def.cycle = kind >= 3;
    lbPath *path = path_of(&def);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
      lbPathState s = state_at(path, odd[i]);
      for (int k = 0; k < 3; k++) assert_true(isfinite(s.position[k]));
      check_near(lb_quat_dot(quat(s.rotation), quat(s.rotation)), 1, 1e-14);
      lb_path_carry(path, 0, odd[i], &s);
      lb_path_cut_between(path, odd[i], 1);
    }
    lb_path_destroy(path);
  }
}

// ---- bits --------------------------------------------------------------------------------------

// The same under every compiler; web.engine_bits does the same for bodies.
static void states_have_the_promised_bits(void **state) {
  (void)state;
  uint64_t hash = 0;
  for (int kind = 0; kind < 3; kind++) {
    // Only numbers that need no function of the C library.
    const double times[4] = { 0, 0.7, 1.1, 2.3 };
    const double positions[12] = { 0, 0, 0, 1.1, 0.3, 0, 2, -0.7, 0.1, 3, 0, 0.9 };
    const double rotations[16] = { 0,   0,   0,   1,    0.3, 0.1, -0.2, 0.8,
                                   0.5, 0.5, 0.5, -0.5, 1,   0,   0.2,  0 };
    lbPathDef def = lb_path_def();
    def.key_count = 4;
    def.times = times;
    def.positions = positions;
    def.rotations = rotations;
    def.interpolation = (lbPathInterpolation)kind;
    def.cycle = kind == 1;
    lbPath *path = path_of(&def);
    for (int n = 0; n < 200; n++) {
      lbPathState s = state_at(path, 0.013 * n);
      hash = check_hash(hash, &s, sizeof s);
    }
    lb_path_destroy(path);
  }
  print_message("  %016llx\n", (unsigned long long)hash);
  assert_int_equal(hash, UINT64_C(0xa852c5c91eae096f));
}

// ---- refusals ----------------------------------------------------------------------------------

#define check_refused(change, part)                                                                \
  do {                                                                                             \
    Random r;                                                                                      \
    lbPathDef def = random_def(&r, 91, LB_PATH_CUBIC);                                             \
    add_tangents(&r, 1, &def);                                                                     \
    lbPath *path = NULL;                                                                           \
    lbError err = { 0 };                                                                           \
    change;                                                                                        \
    check_fails(lb_path_create(&def, &path, &err), LB_ERR_ARGUMENT, err, part);                    \
    assert_null(path);                                                                             \
  } while (0)

static void wrong_paths_are_refused_by_name(void **state) {
  (void)state;
  check_refused(r.times[3] = NAN, "path.times[3]: is nan");
  check_refused(r.times[0] = -INFINITY, "times[0]: is -inf");
  check_refused(r.times[3] = r.times[2] = 0.5, "times[3]: 0.5 does not rise above 0.5 before it");
  check_refused(r.times[5] = 0.25, "times[5]: 0.25 does not rise above");
  check_refused(r.positions[4][1] = NAN, "positions[4]: holds nan, it must be finite");
  check_refused(r.positions[4][1] = 1e300, "positions[4]: holds 1e+300");
  check_refused(memset(r.rotations[2], 0, sizeof r.rotations[2]), "rotations[2]: has the length 0");
  check_refused(r.rotations[2][0] = INFINITY, "rotations[2]: has the length inf");
  check_refused(r.rotations[2][0] = NAN, "rotations[2]: has the length nan");
  check_refused(r.position_tangents[1][1][2] = NAN, "position_tangents[1]: holds nan");
  check_refused(r.rotation_tangents[5][0][3] = INFINITY, "rotation_tangents[5]: holds inf");
  check_refused(def.key_count = 0, "has 0 keys");
  check_refused(def.key_count = -7, "has -7 keys");
  check_refused(def.times = NULL, "has no times");
  check_refused((def.positions = NULL, def.rotations = NULL), "neither positions nor rotations");
  check_refused(def.interpolation = (lbPathInterpolation)7, "no interpolation 7");
  check_refused((r.times[1] = 0, r.times[0] = -1e-310, def.name = "walk.glb"),
                "walk.glb: keys 0 and 1");
}

static void running_out_of_memory_is_told(void **state) {
  (void)state;
  Random r;
  lbPathDef def = random_def(&r, 91, LB_PATH_CUBIC);
  add_tangents(&r, 1, &def);
  for (int64_t n = 0;; n++) {
    CheckedHeap heap = { n, 0, 0 };
    lbAllocator allocator = checked_allocator(&heap);
    lbPath *path = NULL;
    lb_set_allocator(&allocator);
    lbStatus status = lb_path_create(&def, &path, NULL);
    lb_path_destroy(path);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (status == LB_OK) break;
    assert_int_equal(status, LB_ERR_MEMORY);
  }
}

static void asking_takes_no_memory(void **state) {
  (void)state;
  Random r;
  lbPathDef def = random_def(&r, 91, LB_PATH_CUBIC);
  lbPath *path = path_of(&def);
  CheckedHeap heap = { -1, 0, 0 };
  lbAllocator allocator = checked_allocator(&heap);
  lb_set_allocator(&allocator);
  lbPathState s = state_at(path, 0.3);
  lb_path_carry(path, 0.3, 0.9, &s);
  lb_set_allocator(NULL);
  assert_int_equal(heap.count, 0);
  lb_path_destroy(path);
}

static void a_copy_of_a_path_is_the_same_path(void **state) {
  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    Random r;
    lbPathDef def = random_def(&r, 17, LB_PATH_CUBIC);
    if (kind) add_tangents(&r, 2, &def);
    lbPath *path = path_of(&def), *copy = path_of(lb_path_keys(path));
    for (double t = -0.5; t < 2; t += 0.01) {
      lbPathState a = state_at(path, t), b = state_at(copy, t);
      assert_memory_equal(&a, &b, sizeof a);
    }
    lb_path_destroy(path);
    lb_path_destroy(copy);
  }
  lb_path_destroy(NULL);
}

// ---- worlds ------------------------------------------------------------------------------------

static void paths_of_a_world_are_made_by_number(void **state) {
  (void)state;
  const int32_t begin[3] = { 0, 2, 3 }, interpolations[2] = { 2, 0 }, cycles[2] = { 1, 0 };
  const int32_t parts[2] = { LB_PATH_POSITIONS, LB_PATH_POSITIONS | LB_PATH_ROTATIONS };
  const double times[3] = { 0, 1, 1 };
  double positions[9] = { 0, 0, 0, 1, 0, 0, 0, 7, 0 };
  const double rotations[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0 };
  lbWorldDef world = { .size = { .path_count = 2, .path_key_count = 3 },
                       .path_begin = begin,
                       .path_interpolations = interpolations,
                       .path_cycles = cycles,
                       .path_parts = parts,
                       .path_times = times,
                       .path_positions = positions,
                       .path_rotations = rotations };
  lbPath *path = NULL;
  lbError err = { 0 };
  check_ok(lb_world_path(&world, 0, &path, &err), err);
  assert_int_equal(lb_path_keys(path)->interpolation, LB_PATH_STEP);
  assert_true(lb_path_keys(path)->cycle);
  assert_null(lb_path_keys(path)->rotations);
  lb_path_destroy(path);
  check_ok(lb_world_path(&world, 1, &path, &err), err);
  check_near(state_at(path, 5).position[1], 7, 0);
  check_near(state_at(path, 5).rotation[2], 1, 0);
  lb_path_destroy(path);
  check_fails(lb_world_path(&world, 2, &path, &err), LB_ERR_ARGUMENT, err, "a world that has 2");
  positions[3] = INFINITY;
  check_fails(lb_world_path(&world, 0, &path, &err), LB_ERR_ARGUMENT, err,
              "paths[0].positions[1]: holds inf");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_frame_is_at_its_keys),
    cmocka_unit_test(linear_paths_are_straight_and_slerp),
    cmocka_unit_test(cubic_paths_have_the_slopes_of_the_neighbours),
    cmocka_unit_test(tangents_of_a_file_are_used),
    cmocka_unit_test(rates_are_the_derivatives_of_the_pose),
    cmocka_unit_test(the_frame_stands_outside_its_times),
    cmocka_unit_test(at_a_knot_the_rates_are_those_of_what_begins),
    cmocka_unit_test(positions_or_rotations_may_be_missing),
    cmocka_unit_test(mean_velocities_lead_from_pose_to_pose),
    cmocka_unit_test(points_of_the_frame_move_with_it),
    cmocka_unit_test(a_closed_cycle_is_smooth_and_has_no_cut),
    cmocka_unit_test(a_full_turn_is_a_closed_cycle),
    cmocka_unit_test(an_open_cycle_jumps_and_what_follows_is_carried),
    cmocka_unit_test(a_step_path_is_cut_at_every_key),
    cmocka_unit_test(cuts_and_poses_agree_at_rounded_times),
    cmocka_unit_test(odd_times_are_harmless),
    cmocka_unit_test(states_have_the_promised_bits),
    cmocka_unit_test(wrong_paths_are_refused_by_name),
    cmocka_unit_test(running_out_of_memory_is_told),
    cmocka_unit_test(asking_takes_no_memory),
    cmocka_unit_test(a_copy_of_a_path_is_the_same_path),
    cmocka_unit_test(paths_of_a_world_are_made_by_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
