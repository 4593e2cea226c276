// What limber/body.h promises of constraints: no set of positions, velocities and springs with
// targets that stand still adds energy. The map of one step of a body with a random set is linear
// (modal; subspace at tiny amplitudes), and its spectral radius is found by squaring.
#include "constraint_points.h"
#include "toy_cubature.h"

enum { STATES = 48 };

// rho of A (n x n): |A^(2^20)|^(1/2^20); the constant in front counts for 2e-5 at most.
static double spectral_radius(int n, double *A) {
  static double B[STATES * STATES];
  double logarithm = 0;
  for (int k = 0; k < 20; k++) {
    double most = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int l = 0; l < n; l++) sum += A[i + n * l] * A[l + n * j];
        B[i + n * j] = sum;
        most = fmax(most, fabs(sum));
      }
    logarithm *= 2;
    if (most == 0) return 0;
    logarithm += log(most);
    for (int i = 0; i < n * n; i++) A[i] = B[i] / most;
  }
  return exp(logarithm / (1 << 20));
}

static double pick_power(uint64_t *seed, double low, double high) {
  return pow(10, low + (high - low) * 0.5 * (1 + check_random(seed)));
}

static int pick_count(uint64_t *seed, int most) {
  return 1 + (int)(0.5 * (1 + check_random(seed)) * most * 0.999);
}

// One constraint of a random kind, at a random vertex, along random axes, that asks for rest.
static void add_random(lbBody *body, uint64_t *seed, char *what, size_t room) {
  const lbModel *m = lb_body_model(body);
  lbConstraintDef def = lb_constraint_def();
  lbPoint point = lb_point_vertex(pick_count(seed, m->size.vertex_count) - 1);
  uint8_t axes = (uint8_t)pick_count(seed, 7);
  int kind = pick_count(seed, 4);
  def.point_count = 1, def.points = &point, def.axes = &axes;
  if (kind == 1) def.kind = LB_CONSTRAIN_VELOCITY;
  if (kind >= 3) {
    def.stiffness = pick_power(seed, -2, 9);
    def.damping = kind == 4 ? pick_power(seed, -3, 6) : 0;
  }
  body_ok(body, lb_body_add_constraint(body, &def, NULL));
  size_t used = strlen(what);
  snprintf(what + used, room - used, " [%s v%d axes %d k %.2g b %.2g]",
           kind == 1   ? "velocity"
           : kind == 2 ? "position"
                       : "spring",
           (int)point.index, (int)axes, def.stiffness, def.damping);
}

// The map of one step, in coordinates in which the body's energy is a sum of squares.
static double radius_of(lbBody *body, const double *scales, double h, double amplitude) {
  static double A[STATES * STATES];
  int32_t r = lb_body_dimension(body);
  int n = 2 * r;
  for (int j = 0; j < n; j++) {
    double q[STATES] = { 0 }, v[STATES] = { 0 };
    if (j < r)
      q[j] = amplitude / scales[j];
    else
      v[j - r] = amplitude;
    body_ok(body, lb_body_set_state(body, q, v));
    assert_int_equal(lb_body_step(body, h) & LB_STEP_NONFINITE, 0);
    lb_body_get_state(body, q, v);
    for (int i = 0; i < r; i++) {
      A[i + n * j] = scales[i] * q[i] / amplitude;
      A[i + r + n * j] = v[i] / amplitude;
    }
  }
  return spectral_radius(n, A);
}

// Rows that nearly repeat each other may or may not count as such, so that the map is not quite
// linear: then the body is run for long, and its energy and that of its springs must not grow.
static bool grows(lbBody *body, double h, double amplitude) {
  double q[STATES] = { 0 }, v[STATES] = { 0 }, early = 0, late = 0;
  uint64_t seed = 5;
  for (int i = 0; i < lb_body_dimension(body); i++) v[i] = amplitude * check_random(&seed);
  body_ok(body, lb_body_set_state(body, q, v));
  for (int step = 0; step < 20000; step++) {
    lb_body_step(body, h);
    double *most = step < 2000 ? &early : &late;
    *most = fmax(*most, sub_energy(body));
  }
  return late > (1 + 1e-6) * early;
}

static const double steps[] = { 1.0 / 240, 1.0 / 60, 1.0 / 30, 0.1 };

static void modal_constraints_of_any_set_are_stable(void **state) {
  (void)state;
  Toy toy = toy_bar();
  double scales[STATES], worst = 0;
  uint64_t seed = 12;
  for (int i = 0; i < 12; i++) scales[i] = sqrt(toy.model->modal_eigenvalues[i]);
  for (int set = 0; set < CHECK_CASES(3000); set++) {
    lbBodyDef def = set % 2 ? toy_turned() : lb_body_def();
    char what[1024] = "";
    def.mode_count = 12;
    def.damping_mass = set % 3 == 0 ? 0 : 0.5, def.damping_stiffness = set % 3 == 2 ? 1e-3 : 0;
    lbBody *body = toy_body(&toy, &def);
    int count = pick_count(&seed, 8);
    for (int i = 0; i < count; i++) add_random(body, &seed, what, sizeof what);
    double radius = radius_of(body, scales, steps[set % 4], 1);
    if (!(radius <= 1 + 1e-4)) {
      print_message("set %d, h %g:%s: spectral radius %.9g\n", set, steps[set % 4], what, radius);
      fail();
    }
    worst = fmax(worst, radius);
    lb_body_destroy(body);
  }
  print_message("spectral radius at most 1 + %.2g\n", worst - 1);
  toy_destroy(&toy);
}

static void subspace_constraints_of_any_set_are_stable(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_bar());
  double scales[STATES], worst = 0;
  uint64_t seed = 77;
  int32_t r = sub.model->size.subspace_dimension;
  assert_true(2 * r <= STATES);
  for (int i = 0; i < r; i++) scales[i] = sqrt(sub.model->subspace_linear[lb_packed2(i, i)]);
  for (int set = 0; set < CHECK_CASES(600); set++) {
    lbBodyDef def = sub_body_def();
    char what[1024] = "";
    def.integrator = set % 5 == 4 ? LB_INTEGRATOR_EULER : LB_INTEGRATOR_NEWMARK;
    def.newton_iterations = 3;
    def.damping_mass = set % 3 == 0 ? 0 : 0.5, def.damping_stiffness = set % 3 == 2 ? 1e-3 : 0;
    lbBody *body = sub_body(&sub, &def);
    int count = pick_count(&seed, 8);
    for (int i = 0; i < count; i++) add_random(body, &seed, what, sizeof what);
    double radius = radius_of(body, scales, steps[set % 4], 1e-9);
    if (!(radius <= 1 + 1e-4) && grows(body, steps[set % 4], 1e-9)) {
      print_message("set %d, h %g:%s: spectral radius %.9g\n", set, steps[set % 4], what, radius);
      fail();
    }
    worst = fmax(worst, radius);
    lb_body_destroy(body);
  }
  print_message("spectral radius at most 1 + %.2g\n", worst - 1);
  sub_destroy(&sub);
}

// The same of forces by cubature, whose steps are solved by Broyden's method.
static void cubature_constraints_of_any_set_are_stable(void **state) {
  (void)state;
  CubToy toy = cub_make(sub_bar(), LB_MATERIAL_STABLE_NEOHOOKEAN);
  double scales[STATES], worst = 0;
  uint64_t seed = 78;
  int32_t r = toy.model->size.subspace_dimension;
  for (int set = 0; set < CHECK_CASES(100); set++) {
    lbBodyDef def = sub_body_def();
    char what[1024] = "";
    def.integrator = set % 5 == 4 ? LB_INTEGRATOR_EULER : LB_INTEGRATOR_NEWMARK;
    def.newton_iterations = set % 2 ? 3 : 1;
    def.damping_mass = set % 3 == 0 ? 0 : 0.5, def.damping_stiffness = set % 3 == 2 ? 1e-3 : 0;
    lbBody *body = cub_body(&toy, &def);
    const lbSubspace *s = lb_subspace_of(body->prepared);
    for (int i = 0; i < r; i++) scales[i] = sqrt(s->rest_stiffness[i * (s->stride + 1)]);
    int count = pick_count(&seed, 8);
    for (int i = 0; i < count; i++) add_random(body, &seed, what, sizeof what);
    double radius = radius_of(body, scales, steps[set % 4], 1e-6);
    if (!(radius <= 1 + 1e-4) && grows(body, steps[set % 4], 1e-6)) {
      print_message("set %d, h %g:%s: spectral radius %.9g\n", set, steps[set % 4], what, radius);
      fail();
    }
    worst = fmax(worst, radius);
    lb_body_destroy(body);
  }
  print_message("spectral radius at most 1 + %.2g\n", worst - 1);
  cub_destroy(&toy);
}

// ---- energy of the nonlinear body --------------------------------------------------------------

// An undamped bar flung about at coarse steps, with the API's one iteration and with many: the
// energy is kept within the account's share, or the step says that another rule took it.
static void undamped_bodies_keep_their_energy_at_coarse_steps(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_bar());
  for (int many = 0; many < 2; many++)
    for (int i = 0; i < 3; i++)
      for (double speed = 1; speed < 20; speed *= 3) {
        lbBodyDef def = sub_body_def();
        def.damping_mass = def.damping_stiffness = 0;
        def.newton_iterations = many ? 20 : 1;
        lbBody *body = sub_body(&sub, &def);
        body_ok(body, lb_body_set_velocity(body, lb_vec3(0, 0, speed), lb_vec3(0, speed, 0)));
        double start = sub_energy(body), most = start, least = start;
        int adapted = 0;
        for (int step = 0; step < (int)((CHECK_SANITIZED ? 1 : 10) / steps[i]); step++) {
          int32_t flags = lb_body_step(body, steps[i]);
          assert_int_equal(flags & LB_STEP_NONFINITE, 0);
          adapted += (flags & LB_STEP_ADAPTED) != 0;
          most = fmax(most, sub_energy(body)), least = fmin(least, sub_energy(body));
        }
        print_message("h %.4f, speed %g, %2d iterations: energy %.3f to %.3f of the start's, "
                      "%d steps adapted\n",
                      steps[i], speed, (int)def.newton_iterations, least / start, most / start,
                      adapted);
        assert_true(most <= 1.05 * start);
        assert_true(least >= 0.5 * start || adapted > 0);
        lb_body_destroy(body);
      }
  sub_destroy(&sub);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(modal_constraints_of_any_set_are_stable),
    cmocka_unit_test(subspace_constraints_of_any_set_are_stable),
    cmocka_unit_test(cubature_constraints_of_any_set_are_stable),
    cmocka_unit_test(undamped_bodies_keep_their_energy_at_coarse_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
