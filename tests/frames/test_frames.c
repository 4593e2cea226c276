// Sums over samples of frame-based bodies: every derivative by differences, at each SIMD level.
#include "check.h"

#include "frames/frames.h"

enum { FRAMES = 4, SAMPLES = 21, N = 6 * FRAMES };

typedef struct Toy {
  lbFramePose rest[FRAMES], pose[FRAMES];
  double velocity[N];
  double positions[3 * SAMPLES], volumes[SAMPLES], masses[SAMPLES];
  int32_t materials[SAMPLES], begin[SAMPLES + 1], frames[FRAMES * SAMPLES];
  double values[FRAMES * SAMPLES], gradients[3 * FRAMES * SAMPLES];
  lbMaterial table[2];
  lbFrameSamples *samples;
  double *room;
} Toy;

static lbVec3 random_vector(uint64_t *seed, double size) {
  double x = check_random(seed), y = check_random(seed), z = check_random(seed);
  return lb_scale(size, lb_vec3(x, y, z));
}

// Weights a + c·X + X·X e, so that gradients are known; some samples lack frame 2.
static double weight_at(int frame, lbVec3 X, double *gradient) {
  uint64_t seed = (uint64_t)(17 + frame);
  lbVec3 c = random_vector(&seed, 0.3);
  double a = 1.2 + 0.3 * check_random(&seed), e = 0.2 * check_random(&seed);
  if (gradient) lb_vec3_store(gradient, lb_add_scaled(c, 2 * e, X));
  return a + lb_dot(c, X) + e * lb_dot(X, X);
}

static lbFrameWeights toy_weights(const Toy *t) {
  return (lbFrameWeights){ FRAMES, SAMPLES, t->begin, t->frames, t->values, t->gradients };
}

static void make_toy(Toy *t, lbMaterialModel model, double bulk, double turn) {
  uint64_t seed = 5;
  memset(t, 0, sizeof *t);
  for (int i = 0; i < FRAMES; i++) {
    t->rest[i] = (lbFramePose){ lb_quat_exp(random_vector(&seed, 2)), random_vector(&seed, 1) };
    lbQuat by = lb_quat_exp(random_vector(&seed, turn));
    t->pose[i] = (lbFramePose){ lb_quat_multiply(by, t->rest[i].rotation),
                                lb_add(t->rest[i].position, random_vector(&seed, 0.3 * turn)) };
  }
  for (int i = 0; i < N; i++) t->velocity[i] = check_random(&seed);
  for (int k = 0; k < SAMPLES; k++) {
    lbVec3 X = random_vector(&seed, 1);
    lb_vec3_store(t->positions + 3 * k, X);
    t->volumes[k] = 1.5 + check_random(&seed);
    t->masses[k] = 1.5 + check_random(&seed);
    t->materials[k] = k % 2;
    t->begin[k + 1] = t->begin[k];
    for (int i = 0; i < FRAMES; i++) {
      if (k % 3 == 0 && i == 2) continue;
      int e = t->begin[k + 1]++;
      t->frames[e] = i;
      t->values[e] = weight_at(i, X, t->gradients + 3 * e);
    }
  }
  for (int m = 0; m < 2; m++) {
    t->table[m] = lb_material();
    t->table[m].model = m ? model : LB_MATERIAL_STVK;
    t->table[m].young = 2 + m, t->table[m].poisson = 0.3;
    t->table[m].c10 = 0.5, t->table[m].c01 = 0.2, t->table[m].v1 = 1;
  }
  lbFrameSampleDef def = { .weights = toy_weights(t),
                           .positions = t->positions,
                           .volumes = t->volumes,
                           .masses = t->masses,
                           .materials = t->materials,
                           .table = t->table,
                           .bulk = bulk };
  lbError err;
  check_ok(lb_frame_samples_create(&def, &t->samples, &err), err);
  t->room = lb_alloc(lb_frame_sums_doubles(t->samples->list_most, FRAMES), sizeof(double));
  assert_non_null(t->room);
}

static void drop_toy(Toy *t) {
  lb_frame_samples_destroy(t->samples);
  lb_free(t->room);
}

typedef struct System {
  double gradient[N], loads[N], K[N * N], M[N * N];
  lbFrameSystem sums;
} System;

static void evaluate(const Toy *t, const lbFramePose *pose, lbSimdLevel level, int32_t options,
                     lbVec3 gravity, System *to) {
  lbFrameMotion motions[FRAMES];
  for (int i = 0; i < FRAMES; i++)
    motions[i] = lb_frame_motion(&t->rest[i], &pose[i], t->velocity + 6 * i);
  memset(to, 0, sizeof *to);
  to->sums = (lbFrameSystem){ 0, to->gradient, to->loads, to->K, to->M };
  lb_frame_sum(t->samples, level, options, FRAMES, motions, gravity, t->room, &to->sums);
}

// poses <- moved by amount along coordinate i
static void nudge(const Toy *t, int i, double amount, lbFramePose *poses) {
  double unit[6] = { 0 };
  memcpy(poses, t->pose, sizeof t->pose);
  unit[i % 6] = 1;
  poses[i / 6] = lb_frame_advance(&t->pose[i / 6], unit, amount);
}

static double largest(const double *x, int count) {
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static double lower(const double *A, int i, int j) { return i >= j ? A[i + N * j] : A[j + N * i]; }

static const lbMaterialModel models[] = { LB_MATERIAL_STVK, LB_MATERIAL_STABLE_NEOHOOKEAN,
                                          LB_MATERIAL_MOONEYRIVLIN, LB_MATERIAL_COROTATED };

#define AT_EACH_LEVEL(level)                                                                       \
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++)                                        \
    if (lb_simd_has((lbSimdLevel)level))

static const lbVec3 none = { 0, 0, 0 };

static void forces_are_the_derivative_of_the_energy(void **state) {
  (void)state;
  for (size_t m = 0; m < sizeof models / sizeof *models; m++) AT_EACH_LEVEL(level) {
      Toy t;
      System s, a, b;
      make_toy(&t, models[m], 0.5, 0.4);
      evaluate(&t, t.pose, (lbSimdLevel)level, LB_FRAMES_FORCE, none, &s);
      double scale = largest(s.gradient, N), h = 1e-5;
      for (int i = 0; i < N; i++) {
        lbFramePose pose[FRAMES];
        nudge(&t, i, h, pose);
        evaluate(&t, pose, (lbSimdLevel)level, 0, none, &a);
        nudge(&t, i, -h, pose);
        evaluate(&t, pose, (lbSimdLevel)level, 0, none, &b);
        check_near((a.sums.energy - b.sums.energy) / (2 * h) / scale, s.gradient[i] / scale, 1e-8);
      }
      drop_toy(&t);
    }
}

// The exact stiffness is unsymmetric by the torques that act on frames: -[τ]x a half each way.
static void stiffness_is_the_symmetric_part_of_the_derivative_of_forces(void **state) {
  (void)state;
  for (size_t m = 0; m < sizeof models / sizeof *models; m++) AT_EACH_LEVEL(level) {
      Toy t;
      static System s, a, b;
      static double D[N * N];
      make_toy(&t, models[m], 0.5, 0.4);
      evaluate(&t, t.pose, (lbSimdLevel)level, LB_FRAMES_FORCE | LB_FRAMES_TANGENT, none, &s);
      double h = 1e-5;
      for (int j = 0; j < N; j++) {
        lbFramePose pose[FRAMES];
        nudge(&t, j, h, pose);
        evaluate(&t, pose, (lbSimdLevel)level, LB_FRAMES_FORCE, none, &a);
        nudge(&t, j, -h, pose);
        evaluate(&t, pose, (lbSimdLevel)level, LB_FRAMES_FORCE, none, &b);
        for (int i = 0; i < N; i++) D[i + N * j] = (a.gradient[i] - b.gradient[i]) / (2 * h);
      }
      double scale = largest(D, N * N);
      for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
          check_near(lower(s.K, i, j) / scale, 0.5 * (D[i + N * j] + D[j + N * i]) / scale, 1e-8);
          double skew = 0.5 * (D[i + N * j] - D[j + N * i]) / scale;
          if (i / 6 == j / 6 && i % 6 < 3 && j % 6 < 3) {
            lbMat3 turn = lb_mat3_skew(lb_vec3_load(s.gradient + i / 6 * 6));
            skew += 0.5 * turn.m[3 * (i % 6) + j % 6] / scale;
          }
          check_small(skew, 1e-8);
        }
      drop_toy(&t);
    }
}

static void samples_have_place_gradient_and_jacobian(void **state) {
  (void)state;
  Toy t;
  lbFrameMotion motions[FRAMES];
  make_toy(&t, LB_MATERIAL_STVK, 0, 1);
  for (int i = 0; i < FRAMES; i++) motions[i] = lb_frame_motion(&t.rest[i], &t.pose[i], NULL);
  const int32_t all[FRAMES] = { 0, 1, 2, 3 };
  for (int k = 0; k < SAMPLES; k++) {
    lbVec3 X = lb_vec3_load(t.positions + 3 * k);
    double w[FRAMES], g[3 * FRAMES], h = 1e-5;
    for (int i = 0; i < FRAMES; i++) w[i] = weight_at(i, X, g + 3 * i);
    lbFramePoint p = lb_frame_point(X, FRAMES, all, w, g, motions);
    lbDualQuat parts[FRAMES];
    for (int i = 0; i < FRAMES; i++) {
      const double *d = motions[i].d;
      parts[i] = (lbDualQuat){ { d[0], d[1], d[2], d[3] }, { d[4], d[5], d[6], d[7] } };
    }
    lbDualQuat blend = lb_dualquat_blend(FRAMES, parts, w, 0);
    check_small(lb_length(lb_sub(p.x, lb_dualquat_transform(blend, X))), 1e-13);
    for (int n = 0; n < 3; n++) {
      lbVec3 ends[2];
      for (int side = 0; side < 2; side++) {
        lbVec3 at = lb_add_scaled(X, side ? h : -h, lb_vec3(n == 0, n == 1, n == 2));
        for (int i = 0; i < FRAMES; i++) w[i] = weight_at(i, at, NULL);
        ends[side] = lb_frame_point(at, FRAMES, all, w, NULL, motions).x;
      }
      lbVec3 slope = lb_scale(1 / (2 * h), lb_sub(ends[1], ends[0]));
      check_small(lb_length(lb_sub(slope, lb_mat3_column(p.F, n))), 1e-9);
    }
    for (int i = 0; i < FRAMES; i++) w[i] = weight_at(i, X, NULL);
    for (int c = 0; c < N; c++) { // J = w G M
      double unit[6] = { 0 }, V[8], J[3] = { 0 };
      lbVec3 ends[2];
      unit[c % 6] = 1;
      lb_frame_rate(&motions[c / 6], unit, V);
      for (int i = 0; i < 3; i++)
        for (int m = 0; m < 8; m++) J[i] += w[c / 6] * p.G[8 * i + m] * V[m];
      for (int side = 0; side < 2; side++) {
        lbFramePose pose[FRAMES];
        lbFrameMotion moved[FRAMES];
        nudge(&t, c, side ? h : -h, pose);
        for (int i = 0; i < FRAMES; i++) moved[i] = lb_frame_motion(&t.rest[i], &pose[i], NULL);
        ends[side] = lb_frame_point(X, FRAMES, all, w, NULL, moved).x;
      }
      lbVec3 slope = lb_scale(1 / (2 * h), lb_sub(ends[1], ends[0]));
      check_small(lb_length(lb_sub(slope, lb_vec3_load(J))), 1e-9);
    }
  }
  drop_toy(&t);
}

// Place of sample k with frames moved for a time at their velocities.
static lbVec3 place_after(const Toy *t, int k, double time) {
  lbFrameMotion motions[FRAMES];
  for (int i = 0; i < FRAMES; i++) {
    lbFramePose pose = lb_frame_advance(&t->pose[i], t->velocity + 6 * i, time);
    motions[i] = lb_frame_motion(&t->rest[i], &pose, NULL);
  }
  int e = t->begin[k];
  return lb_frame_point(lb_vec3_load(t->positions + 3 * k), t->begin[k + 1] - e, t->frames + e,
                        t->values + e, NULL, motions)
      .x;
}

static void mass_and_loads_are_sums_of_what_samples_feel(void **state) {
  (void)state;
  AT_EACH_LEVEL(level) {
    Toy t;
    System s;
    lbFrameMotion motions[FRAMES];
    lbVec3 g = lb_vec3(0.3, -0.7, 1.1);
    static double M[N * N], loads[N];
    lbFrameSurvey survey;
    memset(M, 0, sizeof M), memset(loads, 0, sizeof loads);
    make_toy(&t, LB_MATERIAL_STVK, 0, 1);
    evaluate(&t, t.pose, (lbSimdLevel)level, LB_FRAMES_MASS | LB_FRAMES_LOADS, g, &s);
    for (int i = 0; i < FRAMES; i++)
      motions[i] = lb_frame_motion(&t.rest[i], &t.pose[i], t.velocity + 6 * i);
    lbVec3 linear = none, angular = none, moment = none;
    double kinetic = 0;
    for (int k = 0; k < SAMPLES; k++) {
      int e = t.begin[k], count = t.begin[k + 1] - e;
      double h = 1e-3, J[3][N] = { { 0 } };
      lbVec3 at[5];
      for (int i = 0; i < 5; i++) at[i] = place_after(&t, k, (i - 2) * h);
      lbVec3 v =
          lb_scale(1 / (12 * h), lb_sub(lb_scale(8, lb_sub(at[3], at[1])), lb_sub(at[4], at[0])));
      lbVec3 a =
          lb_scale(1 / (12 * h * h), lb_sub(lb_scale(16, lb_add(at[1], at[3])),
                                            lb_add(lb_scale(30, at[2]), lb_add(at[0], at[4]))));
      lbFramePoint p = lb_frame_point(lb_vec3_load(t.positions + 3 * k), count, t.frames + e,
                                      t.values + e, NULL, motions);
      for (int i = 0; i < count; i++)
        for (int c = 0; c < 6; c++) {
          double unit[6] = { 0 }, V[8];
          unit[c] = 1;
          lb_frame_rate(&motions[t.frames[e + i]], unit, V);
          for (int r = 0; r < 3; r++)
            for (int m = 0; m < 8; m++)
              J[r][6 * t.frames[e + i] + c] += t.values[e + i] * p.G[8 * r + m] * V[m];
        }
      double force[3];
      lb_vec3_store(force, lb_scale(t.masses[k], lb_sub(g, a)));
      for (int i = 0; i < N; i++)
        for (int r = 0; r < 3; r++) {
          loads[i] += J[r][i] * force[r];
          for (int j = 0; j < N; j++) M[i + N * j] += t.masses[k] * J[r][i] * J[r][j];
        }
      linear = lb_add_scaled(linear, t.masses[k], v);
      moment = lb_add_scaled(moment, t.masses[k], p.x);
      angular = lb_add_scaled(angular, t.masses[k], lb_cross(p.x, v));
      kinetic += 0.5 * t.masses[k] * lb_dot(v, v);
    }
    double size = largest(M, N * N), load = largest(loads, N);
    for (int i = 0; i < N; i++) {
      check_near(s.loads[i] / load, loads[i] / load, 1e-7);
      for (int j = 0; j <= i; j++) check_near(s.M[i + N * j] / size, M[i + N * j] / size, 1e-13);
    }
    lb_frame_survey(t.samples, (lbSimdLevel)level, motions, &survey);
    check_small(lb_length(lb_sub(survey.linear, linear)) / lb_length(linear), 1e-9);
    check_small(lb_length(lb_sub(survey.angular, angular)) / lb_length(angular), 1e-9);
    check_small(lb_length(lb_sub(survey.moment, moment)) / lb_length(moment), 1e-13);
    check_small((survey.kinetic - kinetic) / kinetic, 1e-9);
    drop_toy(&t);
  }
}

static void rigid_motions_have_no_energy_and_no_force(void **state) {
  (void)state;
  AT_EACH_LEVEL(level)
  for (int trial = 0; trial < 20; trial++) {
    Toy t;
    System s;
    uint64_t seed = 100 + (uint64_t)trial;
    make_toy(&t, LB_MATERIAL_STVK, 1, 0);
    lbQuat turn = lb_quat_exp(random_vector(&seed, 3));
    lbVec3 move = random_vector(&seed, 5);
    for (int i = 0; i < FRAMES; i++) {
      t.pose[i].rotation = lb_quat_multiply(turn, t.rest[i].rotation);
      t.pose[i].position = lb_add(move, lb_quat_rotate(turn, t.rest[i].position));
    }
    evaluate(&t, t.pose, (lbSimdLevel)level, LB_FRAMES_FORCE, none, &s);
    check_small(s.sums.energy, 1e-27);
    check_small(largest(s.gradient, N), 1e-12);
    drop_toy(&t);
  }
}

static void a_safe_stiffness_is_never_negative(void **state) {
  (void)state;
  Toy t;
  static System s;
  make_toy(&t, LB_MATERIAL_MOONEYRIVLIN, 1, 2.5);
  evaluate(&t, t.pose, lb_simd_best(), LB_FRAMES_FORCE | LB_FRAMES_TANGENT | LB_FRAMES_SAFE, none,
           &s);
  uint64_t seed = 3;
  for (int trial = 0; trial < 200; trial++) {
    double x[N], sum = 0;
    for (int i = 0; i < N; i++) x[i] = check_random(&seed);
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) sum += x[i] * x[j] * lower(s.K, i, j);
    assert_true(sum > 0);
  }
  drop_toy(&t);
}

static void levels_agree(void **state) {
  (void)state;
  Toy t;
  static System a, b;
  int32_t all = LB_FRAMES_FORCE | LB_FRAMES_TANGENT | LB_FRAMES_MASS | LB_FRAMES_LOADS;
  make_toy(&t, LB_MATERIAL_MOONEYRIVLIN, 0.5, 0.4);
  evaluate(&t, t.pose, LB_SIMD_PORTABLE, all, lb_vec3(1, 2, 3), &a);
  AT_EACH_LEVEL(level) {
    evaluate(&t, t.pose, (lbSimdLevel)level, all, lb_vec3(1, 2, 3), &b);
    double K = largest(a.K, N * N), f = largest(a.gradient, N);
    if (level == LB_SIMD_BASE) {
      assert_memory_equal(a.K, b.K, sizeof a.K);
      assert_memory_equal(a.M, b.M, sizeof a.M);
      assert_memory_equal(a.gradient, b.gradient, sizeof a.gradient);
    }
    for (int i = 0; i < N * N; i++) check_near(b.K[i] / K, a.K[i] / K, 1e-13);
    for (int i = 0; i < N; i++) check_near(b.gradient[i] / f, a.gradient[i] / f, 1e-13);
  }
  drop_toy(&t);
}

static void points_move_as_samples_do(void **state) {
  (void)state;
  Toy t;
  lbFrameSkin *skin = NULL;
  lbError err;
  make_toy(&t, LB_MATERIAL_STVK, 0, 1);
  lbFrameWeights weights = toy_weights(&t);
  check_ok(lb_frame_skin_create(&weights, t.positions, &skin, &err), err);
  lbFrameMotion motions[FRAMES];
  for (int i = 0; i < FRAMES; i++)
    motions[i] = lb_frame_motion(&t.rest[i], &t.pose[i], t.velocity + 6 * i);
  AT_EACH_LEVEL(level) {
    double u[3 * SAMPLES], v[3 * SAMPLES], f[8 * FRAMES] = { 0 }, power = 0;
    lb_frame_skin_move(skin, (lbSimdLevel)level, motions, 0, SAMPLES, u, v);
    uint64_t seed = 4;
    for (int k = 0; k < SAMPLES; k++) {
      lbVec3 force = random_vector(&seed, 1), X = lb_vec3_load(t.positions + 3 * k);
      lbVec3 x = lb_add(X, lb_vec3_load(u + 3 * k));
      check_small(lb_length(lb_sub(x, place_after(&t, k, 0))), 1e-14);
      lb_frame_skin_spread(skin, motions, k, force, f);
      power += lb_dot(force, lb_vec3_load(v + 3 * k));
    }
    for (int i = 0; i < FRAMES; i++)
      for (int m = 0; m < 8; m++) power -= f[8 * i + m] * motions[i].V[m];
    check_small(power, 1e-12);
  }
  lb_frame_skin_destroy(skin);
  drop_toy(&t);
}

// Two frames, linear weights between them, pulled apart by ε: F = 1 + ε everywhere, and
// f = E A (ε + 3ε²/2 + ε³/2) for ν = 0.
static void stretching_obeys_the_law_of_green_strain(void **state) {
  (void)state;
  enum { COUNT = 10 };
  double positions[3 * COUNT] = { 0 }, volumes[COUNT], masses[COUNT], values[2 * COUNT];
  double gradients[6 * COUNT] = { 0 };
  int32_t materials[COUNT] = { 0 }, begin[COUNT + 1], frames[2 * COUNT];
  for (int k = 0; k < COUNT; k++) {
    double x = (k + 0.5) / COUNT;
    positions[3 * k] = x, volumes[k] = masses[k] = 1.0 / COUNT, begin[k] = 2 * k;
    frames[2 * k] = 0, frames[2 * k + 1] = 1;
    values[2 * k] = 1 - x, values[2 * k + 1] = x;
    gradients[6 * k] = -1, gradients[6 * k + 3] = 1;
  }
  begin[COUNT] = 2 * COUNT;
  lbMaterial material = lb_material();
  material.young = 3, material.poisson = 0;
  lbFrameSampleDef def = { .weights = { 2, COUNT, begin, frames, values, gradients },
                           .positions = positions,
                           .volumes = volumes,
                           .masses = masses,
                           .materials = materials,
                           .table = &material };
  lbFrameSamples *samples = NULL;
  lbError err;
  check_ok(lb_frame_samples_create(&def, &samples, &err), err);
  double *room = lb_alloc(lb_frame_sums_doubles(samples->list_most, 2), sizeof *room);
  const lbFramePose rest[2] = { { { 0, 0, 0, 1 }, { 0, 0, 0 } }, { { 0, 0, 0, 1 }, { 1, 0, 0 } } };
  for (double e = -0.5; e < 1.6; e += 0.25) {
    double gradient[12];
    lbFrameSystem sums = { 0, gradient, NULL, NULL, NULL };
    lbFramePose moved = rest[1];
    moved.position.x += e;
    lbFrameMotion motions[2] = { lb_frame_motion(&rest[0], &rest[0], NULL),
                                 lb_frame_motion(&rest[1], &moved, NULL) };
    lb_frame_sum(samples, lb_simd_best(), LB_FRAMES_FORCE, 2, motions, none, room, &sums);
    check_near(gradient[9], 3 * (e + 1.5 * e * e + 0.5 * e * e * e), 1e-14);
    check_near(gradient[3], -gradient[9], 1e-14);
  }
  lb_frame_samples_destroy(samples);
  lb_free(room);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(samples_have_place_gradient_and_jacobian),
    cmocka_unit_test(forces_are_the_derivative_of_the_energy),
    cmocka_unit_test(stiffness_is_the_symmetric_part_of_the_derivative_of_forces),
    cmocka_unit_test(mass_and_loads_are_sums_of_what_samples_feel),
    cmocka_unit_test(rigid_motions_have_no_energy_and_no_force),
    cmocka_unit_test(a_safe_stiffness_is_never_negative),
    cmocka_unit_test(levels_agree),
    cmocka_unit_test(points_move_as_samples_do),
    cmocka_unit_test(stretching_obeys_the_law_of_green_strain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
