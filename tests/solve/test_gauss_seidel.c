// Contacts with friction: solutions checked against the conditions that define them.
#include "check.h"

#include "solve/gauss_seidel.h"

#include <math.h>
#include <string.h>

enum { MOST = 24 };

static uint64_t seed = 1;
static double uniform(void) { return check_random(&seed); }

// A body's matrix: J M⁻¹ Jᵀ of random rows over `freedom` coordinates, so singular where there are
// more rows than that.
static void fill_matrix(lbContactPart *part, int32_t freedom) {
  static double rows[3 * MOST][60];
  int32_t n = 3 * part->count;
  for (int32_t i = 0; i < n; i++)
    for (int32_t k = 0; k < freedom; k++) rows[i][k] = uniform();
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) {
      double sum = 0;
      for (int32_t k = 0; k < freedom; k++) sum += rows[i][k] * rows[j][k] / freedom;
      part->matrix[(size_t)i * (size_t)n + (size_t)j] = sum;
    }
}

static double matrices[3][9 * MOST * MOST], moves[3][9 * MOST];
static double numbers[LB_CONTACT_WORK * MOST], blocks[LB_CONTACT_BLOCK * MOST];
static int32_t integers[LB_CONTACT_INTS * MOST];

static lbContactMemory make_memory(void) {
  return (lbContactMemory){ numbers, integers, blocks, sizeof blocks / sizeof *blocks };
}

// `count` contacts of body 0 with the ground, or with body 1 where it is `pairs`.
static lbContactProblem make_problem(int32_t count, bool pairs, int32_t freedom, double friction,
                                     lbContactPart *parts, lbContactSide *sides, double *free,
                                     double *frictions) {
  for (int b = 0; b < 2; b++) {
    parts[b] = (lbContactPart){ count, matrices[b], moves[b] };
    fill_matrix(&parts[b], freedom);
  }
  for (int32_t c = 0; c < count; c++) {
    sides[2 * c] = (lbContactSide){ 0, c };
    sides[2 * c + 1] = (lbContactSide){ pairs ? 1 : -1, pairs ? c : 0 };
    frictions[c] = friction;
    for (int i = 0; i < 3; i++) free[3 * c + i] = uniform();
  }
  return (lbContactProblem){ .contact_count = count,
                             .part_count = 2,
                             .sides = sides,
                             .free = free,
                             .friction = frictions,
                             .parts = parts,
                             .sweeps_most = 20000,
                             .tolerance = 1e-14,
                             .memory = make_memory(),
                             .level = count % 2 ? LB_SIMD_PORTABLE : lb_simd_best() };
}

static void check_problems(double friction, double bound) {
  lbContactPart parts[2];
  lbContactSide sides[2 * MOST];
  double free[3 * MOST], frictions[MOST], x[3 * MOST], worst = 0;
  for (int trial = 0; trial < (CHECK_SANITIZED ? 20 : 200); trial++) {
    int32_t count = 1 + trial % 12;
    lbContactProblem p =
        make_problem(count, trial & 1, 45, friction, parts, sides, free, frictions);
    memset(x, 0, sizeof x);
    lb_contact_solve(&p, x);
    double residual = lb_contact_residual(&p, x);
    worst = fmax(worst, residual);
    for (int32_t c = 0; c < count; c++) {
      assert_true(x[3 * c] >= 0);
      assert_true(hypot(x[3 * c + 1], x[3 * c + 2]) <= friction * x[3 * c] * (1 + 1e-12));
    }
  }
  check_small(worst, bound);
}

static void frictionless_contacts_meet_their_conditions(void **state) {
  (void)state;
  check_problems(0, 1e-10);
}
static void contacts_with_friction_meet_their_conditions(void **state) {
  (void)state;
  check_problems(0.5, 1e-9);
}

static lbContactProblem make_single(const lbContactSide *sides, const double *free,
                                    const double *friction, lbContactPart *part) {
  return (lbContactProblem){ .contact_count = 1,
                             .part_count = 1,
                             .sides = sides,
                             .free = free,
                             .friction = friction,
                             .parts = part,
                             .sweeps_most = 100,
                             .tolerance = 1e-14,
                             .memory = make_memory(),
                             .level = lb_simd_best() };
}

// One coordinate pressed against a wall and along it: force and slip are known.
static void one_contact_sticks_and_slides_as_coulomb_says(void **state) {
  (void)state;
  double matrix[9] = { 2, 0, 0, 0, 2, 0, 0, 0, 2 }, work[9], friction = 0.5, x[3];
  lbContactPart part = { 1, matrix, work };
  lbContactSide sides[2] = { { 0, 0 }, { -1, 0 } };
  for (double slip = 0.1; slip < 2; slip += 0.1) {
    double free[3] = { -1, slip, 0 };
    lbContactProblem p = make_single(sides, free, &friction, &part);
    memset(x, 0, sizeof x);
    lb_contact_solve(&p, x);
    check_near(x[0], 0.5, 1e-12);
    check_near(x[1], slip < 0.5 ? -slip / 2 : -0.25, 1e-12);
  }
  double apart[3] = { 0.1, 1, 1 };
  lbContactProblem p = make_single(sides, apart, &friction, &part);
  lb_contact_solve(&p, x); // from the forces of before
  assert_true(x[0] == 0 && x[1] == 0 && x[2] == 0);
}

// More contacts than freedoms: forces are not unique, their effect is.
// A body that turns by torques on their own, pressed against a wall: torques and what is left of
// its rotation are known. Where both rotations give way unequally, the torque opposes what is left.
static void rolling_friction_keeps_to_its_bound_and_opposes_rotation(void **state) {
  (void)state;
  for (int unequal = 0; unequal < 2; unequal++)
    for (double turn = 0.1; turn < 2; turn += 0.1) {
      double matrix[36] = { 0 }, work[18], frictions[2] = { 0 }, x[6] = { 0 }, w[3];
      for (size_t i = 0; i < 6; i++) matrix[7 * i] = i == 4 && unequal ? 8 : 2;
      lbContactPart part = { 2, matrix, work };
      lbContactSide sides[4] = { { 0, 0 }, { -1, 0 }, { 0, 1 }, { -1, 0 } };
      double free[6] = { -1, 0, 0, turn, 0.5 * turn * unequal, 0 };
      lbRollingBlock rolling = { 0, 1, 0.3 };
      lbContactProblem p = make_single(sides, free, frictions, &part);
      p.contact_count = p.bounded_begin = 2, p.rolling_begin = 1, p.rolling = &rolling;
      lb_contact_solve(&p, x);
      double length = sqrt(x[3] * x[3] + x[4] * x[4] + x[5] * x[5]);
      check_near(x[0], 0.5, 1e-12);
      assert_true(length <= 0.15 * (1 + 1e-12));
      check_small(lb_contact_residual(&p, x), 1e-9);
      for (int k = 0; k < 3; k++) w[k] = free[3 + k] + matrix[7 * (3 + k)] * x[3 + k];
      if (!unequal) check_near(x[3], turn < 0.3 ? -turn / 2 : -0.15, 1e-12);
      if (turn < 0.25) check_small(hypot(w[0], w[1]), 1e-9);
    }
}

static void too_many_contacts_are_solved_too(void **state) {
  (void)state;
  lbContactPart parts[2];
  lbContactSide sides[2 * MOST];
  double free[3 * MOST], frictions[MOST], x[3 * MOST];
  for (int trial = 0; trial < (CHECK_SANITIZED ? 5 : 40); trial++) {
    lbContactProblem p = make_problem(MOST, false, 6, 0.3, parts, sides, free, frictions);
    for (int32_t c = 0; c < MOST; c++) { // that can be met: what some motion of the body leaves
      memset(x, 0, sizeof x);
      free[3 * c] = 0.01 * fabs(uniform());
    }
    lb_contact_solve(&p, x);
    check_small(lb_contact_residual(&p, x), 1e-6);
  }
}

// With conjugate directions between sweeps, which leave the cones, and sweeps that stop early: no
// force pulls, however little.
static void forces_keep_to_their_cones_wherever_sweeps_stop(void **state) {
  (void)state;
  lbContactPart parts[2];
  lbContactSide sides[2 * MOST];
  double free[3 * MOST], frictions[MOST], x[3 * MOST];
  double least = 0, beyond = 0;
  for (int trial = 0; trial < (CHECK_SANITIZED ? 20 : 200); trial++) {
    double friction = trial % 3 == 0 ? 0 : 0.5;
    lbContactProblem p = make_problem(MOST, trial & 1, 30, friction, parts, sides, free, frictions);
    p.sweeps_most = 1 + trial % 40;
    p.tolerance = 1e-6;
    p.move_tolerance = 3e-3 * lb_contact_deepest(&p);
    memset(x, 0, sizeof x);
    lb_contact_solve(&p, x);
    for (int32_t c = 0; c < MOST; c++) {
      double pull = hypot(x[3 * c + 1], x[3 * c + 2]);
      least = fmin(least, x[3 * c]);
      if (x[3 * c] >= 0) beyond = fmax(beyond, pull - friction * x[3 * c] * (1 + 1e-12));
    }
  }
  print_message("least force %.3g (0), beyond a cone by %.3g (0)\n", least, beyond);
  assert_true(least == 0);
  assert_true(beyond <= 0);
}

// Places of two bodies that a force moves nearly alike, as those of a face are: one contact after
// the other takes hundreds of sweeps, the pair at once a few.
static void contacts_near_each_other_take_few_sweeps(void **state) {
  (void)state;
  enum { COUNT = 16, FREEDOM = 36 };
  static double rows[3 * COUNT][FREEDOM];
  lbContactPart parts[2];
  lbContactSide sides[2 * MOST];
  double free[3 * MOST], frictions[MOST], x[3 * MOST], worst = 0;
  int32_t most = 0;
  for (int trial = 0; trial < (CHECK_SANITIZED ? 5 : 50); trial++) {
    lbContactProblem p = make_problem(COUNT, true, 30, 0.5, parts, sides, free, frictions);
    for (int b = 0; b < 2; b++) {
      for (int32_t i = 0; i < 3 * COUNT; i++)
        for (int32_t k = 0; k < FREEDOM; k++)
          rows[i][k] = i < 3 ? uniform() : rows[i % 3][k] + 0.1 * uniform();
      for (int32_t i = 0; i < 3 * COUNT; i++)
        for (int32_t j = 0; j < 3 * COUNT; j++) {
          double sum = 0;
          for (int32_t k = 0; k < FREEDOM; k++) sum += rows[i][k] * rows[j][k] / FREEDOM;
          parts[b].matrix[i * 3 * COUNT + j] = sum;
        }
    }
    for (int32_t c = 0; c < COUNT; c++) { // pressed together, all over
      free[3 * c] = -1 - 0.01 * fabs(uniform());
      free[3 * c + 1] = 0.2, free[3 * c + 2] = 0.1;
    }
    memset(x, 0, sizeof x);
    p.sweeps_most = 200, p.tolerance = 0;
    p.move_tolerance = 1e-4 * lb_contact_deepest(&p);
    int32_t sweeps = lb_contact_solve(&p, x);
    most = sweeps > most ? sweeps : most;
    worst = fmax(worst, lb_contact_residual(&p, x) / lb_contact_deepest(&p));
  }
  print_message("%d sweeps at most (40), left %.2g of the depth (1e-3)\n", (int)most, worst);
  assert_true(most <= 40);
  check_small(worst, 1e-3);
}

// Blocks of pairs that are kept from sweep to sweep, some of them, and none: the same bits.
static void room_for_blocks_changes_nothing(void **state) {
  (void)state;
  static const size_t rooms[] = { sizeof blocks / sizeof *blocks, 700, 0 };
  lbContactPart parts[2];
  lbContactSide sides[2 * MOST];
  double free[3 * MOST], frictions[MOST], x[3][3 * MOST];
  for (int trial = 0; trial < 20; trial++) {
    lbContactProblem p = make_problem(MOST, true, 45, 0.4, parts, sides, free, frictions);
    for (int32_t c = MOST / 2; c < MOST; c++) // two pairs, of 12 contacts each
      sides[2 * c + 1] = (lbContactSide){ -1, 0 };
    p.sweeps_most = 30;
    for (size_t i = 0; i < 3; i++) {
      memset(x[i], 0, sizeof x[i]);
      p.memory.block_room = rooms[i];
      lb_contact_solve(&p, x[i]);
      assert_memory_equal(x[i], x[0], sizeof x[0]);
    }
    assert_true(x[0][0] > 0 || x[0][3] > 0 || x[0][6] > 0 || x[0][9] > 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(frictionless_contacts_meet_their_conditions),
    cmocka_unit_test(contacts_with_friction_meet_their_conditions),
    cmocka_unit_test(one_contact_sticks_and_slides_as_coulomb_says),
    cmocka_unit_test(rolling_friction_keeps_to_its_bound_and_opposes_rotation),
    cmocka_unit_test(too_many_contacts_are_solved_too),
    cmocka_unit_test(forces_keep_to_their_cones_wherever_sweeps_stop),
    cmocka_unit_test(contacts_near_each_other_take_few_sweeps),
    cmocka_unit_test(room_for_blocks_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
