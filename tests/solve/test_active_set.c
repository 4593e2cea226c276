// Exact contact forces: solutions checked against the conditions that define them, with a matrix
// that is put together here and by nobody else.
#include "check.h"

#include "solve/active_set.h"

#include <math.h>
#include <string.h>

enum { MOST = 30, BODIES = 4, FREEDOM = 60 };
enum { RESTARTS = 6 }; // with them all of thousands of random problems are solved

static uint64_t seed = 1;
static double uniform(void) { return check_random(&seed); }

// Contacts of bodies with each other and the ground. A body has `freedom` coordinates of unit mass,
// which a contact moves by three random rows. Bodies come with velocities, so every problem has a
// solution: rows that depend on each other ask for nothing contradictory.
typedef struct Problem {
  int32_t contacts, freedom;
  double rows[MOST][2][3][FREEDOM]; // of both sides
  lbContactSide sides[2 * MOST];
  lbContactPart parts[BODIES];
  double matrices[BODIES][9 * MOST * MOST], forces[BODIES][9 * MOST];
  double free[3 * MOST], friction[MOST];
  double numbers[LB_CONTACT_WORK * MOST];
  int32_t integers[LB_CONTACT_INTS * MOST];
} Problem;

static Problem problem;
static double work[2 * 9 * MOST * MOST + 24 * MOST];

static double dot(const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < problem.freedom; k++) sum += a[k] * b[k];
  return sum;
}

static void make_sides(int32_t bodies) {
  Problem *p = &problem;
  for (int b = 0; b < BODIES; b++) p->parts[b] = (lbContactPart){ 0, p->matrices[b], p->forces[b] };
  for (int32_t c = 0; c < p->contacts; c++)
    for (int s = 0; s < 2; s++) {
      int32_t body = (c + s) % bodies;
      bool ground = s == 1 && (bodies == 1 || c % 3 == 0);
      p->sides[2 * c + s] =
          ground ? (lbContactSide){ -1, 0 } : (lbContactSide){ body, p->parts[body].count++ };
      for (int i = 0; i < 3; i++)
        for (int k = 0; k < p->freedom; k++) p->rows[c][s][i][k] = uniform();
    }
}

static void make_matrices(void) {
  Problem *p = &problem;
  for (int32_t c = 0; c < 4 * p->contacts * p->contacts; c++) {
    int32_t one = c / (2 * p->contacts), other = c % (2 * p->contacts);
    lbContactSide a = p->sides[one], b = p->sides[other];
    if (a.body < 0 || a.body != b.body) continue;
    int32_t wide = 3 * p->parts[a.body].count;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        p->matrices[a.body][(3 * a.place + i) * wide + 3 * b.place + j] =
            dot(p->rows[one / 2][one % 2][i], p->rows[other / 2][other % 2][j]);
  }
}

static lbContactProblem make_problem(int32_t contacts, int32_t bodies, int32_t freedom,
                                     double friction) {
  Problem *p = &problem;
  double velocities[BODIES][FREEDOM];
  p->contacts = contacts, p->freedom = freedom;
  make_sides(bodies);
  make_matrices();
  for (int b = 0; b < BODIES; b++)
    for (int k = 0; k < FREEDOM; k++) velocities[b][k] = uniform();
  for (int32_t c = 0; c < contacts; c++) {
    p->friction[c] = friction * fabs(uniform());
    for (int i = 0; i < 3; i++) {
      p->free[3 * c + i] = 0;
      for (int s = 0; s < 2; s++) {
        int32_t body = p->sides[2 * c + s].body;
        if (body >= 0) p->free[3 * c + i] += (s ? -1 : 1) * dot(p->rows[c][s][i], velocities[body]);
      }
    }
  }
  return (lbContactProblem){ .contact_count = contacts,
                             .part_count = bodies,
                             .sides = p->sides,
                             .free = p->free,
                             .friction = p->friction,
                             .parts = p->parts,
                             .sweeps_most = 40,
                             .tolerance = 1e-6,
                             .memory = { .numbers = p->numbers, .integers = p->integers } };
}

// w by the rows: what forces do to the coordinates of bodies, and those to the contacts.
static void find_moves(const double *x, double *w) {
  const Problem *p = &problem;
  double moved[BODIES][FREEDOM];
  memset(moved, 0, sizeof moved);
  for (int pass = 0; pass < 2; pass++)
    for (int32_t c = 0; c < p->contacts; c++)
      for (int i = 0; i < 3; i++) {
        if (pass) w[3 * c + i] = p->free[3 * c + i];
        for (int s = 0; s < 2; s++) {
          int32_t body = p->sides[2 * c + s].body;
          if (body < 0) continue;
          double sign = s ? -1 : 1;
          if (pass)
            w[3 * c + i] += sign * dot(p->rows[c][s][i], moved[body]);
          else
            for (int k = 0; k < p->freedom; k++)
              moved[body][k] += sign * x[3 * c + i] * p->rows[c][s][i][k];
        }
      }
}

// The largest violation of any condition: of moves in the unit of w, of products over the largest
// force.
static double violation(const double *x) {
  double w[3 * MOST], largest = 0, worst = 0;
  find_moves(x, w);
  for (int32_t c = 0; c < problem.contacts; c++) largest = fmax(largest, x[3 * c]);
  for (int32_t c = 0; c < problem.contacts; c++) {
    double n = x[3 * c], pull = hypot(x[3 * c + 1], x[3 * c + 2]);
    double slip = hypot(w[3 * c + 1], w[3 * c + 2]), most = problem.friction[c] * n;
    assert_true(n >= 0);
    assert_true(pull <= most * (1 + 1e-12));
    worst = fmax(worst, -w[3 * c]);
    if (!(largest > 0)) continue;
    worst = fmax(worst, fabs(w[3 * c] * n) / largest);
    worst = fmax(worst, slip * (most - pull) / largest);
    worst = fmax(worst, (w[3 * c + 1] * x[3 * c + 1] + w[3 * c + 2] * x[3 * c + 2] + slip * pull) /
                            largest);
  }
  return worst;
}

// Returns how many of the problems were not solved to the bound.
static int try_problems(int trials, int32_t freedom, double friction, double bound) {
  double x[3 * MOST], worst = 0;
  int missed = 0, said = 0;
  for (int trial = 0; trial < trials; trial++) {
    lbContactProblem p = make_problem(1 + trial % MOST, 1 + trial % BODIES, freedom, friction);
    memset(x, 0, sizeof x);
    said += !lb_lcp_solve(&p, 0, RESTARTS, work, x);
    double off = violation(x);
    missed += off > bound;
    worst = fmax(worst, off);
  }
  print_message("%d problems, freedom %d, friction %g: violation %.2g, missed %d, said %d\n",
                trials, (int)freedom, friction, worst, missed, said);
  return missed;
}

static void frictionless_contacts_are_solved_exactly(void **state) {
  (void)state;
  assert_int_equal(try_problems(CHECK_SANITIZED ? 30 : 300, FREEDOM, 0, 1e-10), 0);
  assert_int_equal(try_problems(CHECK_SANITIZED ? 30 : 300, 12, 0, 1e-10), 0);
}

static void contacts_with_friction_are_solved_exactly(void **state) {
  (void)state;
  assert_int_equal(try_problems(CHECK_SANITIZED ? 30 : 300, FREEDOM, 0.6, 1e-10), 0);
  assert_int_equal(try_problems(CHECK_SANITIZED ? 30 : 300, FREEDOM, 3, 1e-10), 0);
}

static void more_contacts_than_freedoms_are_solved_exactly(void **state) {
  (void)state;
  assert_int_equal(try_problems(CHECK_SANITIZED ? 30 : 300, 6, 0.6, 1e-10), 0);
}

static void forces_of_a_like_problem_are_a_good_start(void **state) {
  (void)state;
  double x[3 * MOST];
  lbContactProblem p = make_problem(20, 2, FREEDOM, 0.5);
  memset(x, 0, sizeof x);
  assert_true(lb_lcp_solve(&p, 0, RESTARTS, work, x));
  for (int32_t i = 0; i < 60; i++) problem.free[i] *= 1 + 0.01 * uniform();
  assert_true(lb_lcp_solve(&p, 0, RESTARTS, work, x));
  check_small(violation(x), 1e-10);
}

static void more_contacts_than_it_is_meant_for_are_refused(void **state) {
  (void)state;
  lbContactProblem p = make_problem(2, 1, 6, 0);
  double x[6] = { 1, 2, 3, 4, 5, 6 };
  p.contact_count = LB_LCP_CONTACTS + 1;
  assert_false(lb_lcp_solve(&p, 0, RESTARTS, work, x));
  assert_true(x[0] == 1 && x[5] == 6);
}

int main(void) {

  const struct CMUnitTest tests[] = {
    cmocka_unit_test(frictionless_contacts_are_solved_exactly),
    cmocka_unit_test(contacts_with_friction_are_solved_exactly),
    cmocka_unit_test(more_contacts_than_freedoms_are_solved_exactly),
    cmocka_unit_test(forces_of_a_like_problem_are_a_good_start),
    cmocka_unit_test(more_contacts_than_it_is_meant_for_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
