// The unreduced simulator as a body: the simulator's own steps, and all that bodies can do.
#include "../scene/scene_text.h"

#include "full/full.h"
#include "limber/run.h"

#define LONG "'mesh':{'generate':'bar','size':[1,0.2,0.1],'cells':[6,2,1],'element':'brick8'}"
#define HELD ",'fixed':{'box':[[-9,-9,-9],[1e-9,9,9]]}"
#define SCENE(law, more)                                                                           \
  "{'limber':1,'gravity':[0,0,-9.81],'bodies':[{'name':'bar','method':'full'," LONG                \
  ",'material':{'model':'" law "','young':2e5,'poisson':0.3}" more "}]}"
#define TIP 41 // a corner at the free end

typedef struct Rig {
  lbScene *scene;
  lbModel *model;
  lbFem *fem; // in own axes
} Rig;

static Rig rig_of(const char *text) {
  Rig rig = { .scene = scene_of(text) };
  lbError err;
  lb_full_register();
  check_ok(lb_scene_full_model(&rig.scene->bodies[0], &rig.model, &err), err);
  check_ok(lb_model_fem(rig.model, NULL, &rig.fem, &err), err);
  return rig;
}

static void rig_release(Rig *rig) {
  lb_fem_destroy(rig->fem);
  lb_model_destroy(rig->model);
  lb_scene_destroy(rig->scene);
}

static lbBodyDef full_def(void) {
  lbBodyDef def = lb_body_def();
  def.method = LB_METHOD_FULL;
  def.gravity = lb_vec3(0, 0, -9.81);
  return def;
}

static lbBody *body_of(const Rig *rig, const lbBodyDef *def) {
  lbBody *body = NULL;
  lbError err;
  check_ok(lb_body_create(rig->model, def, &body, &err), err);
  return body;
}

static void body_ok(lbBody *body, lbStatus status) {
  if (status) fail_msg("%s", lb_body_message(body));
}

static double *nodes_of(const Rig *rig) {
  return lb_alloc((size_t)rig->model->size.node_count, 3 * sizeof(double));
}

static lbVec3 where(lbBody *body, int32_t node) {
  lbVec3 at;
  body_ok(body, lb_body_point(body, lb_point_node(node), &at, NULL));
  return at;
}

// ---- the simulator's own steps -----------------------------------------------------------------

// Weight, and a force at the tip.
static void fill_load(const Rig *rig, lbVec3 force, double *load) {
  for (size_t v = 0; v < (size_t)rig->model->size.node_count; v++) {
    load[3 * v] = load[3 * v + 1] = 0;
    load[3 * v + 2] = lb_fem_vertex_masses(rig->fem)[v] * -9.81;
  }
  lb_vec3_store(load + 3 * TIP, lb_add(lb_vec3_load(load + 3 * TIP), force));
}

static void compare_steps(const char *text, lbIntegrator integrator, double reuse, double pull,
                          int32_t *adapted) {
  Rig rig = rig_of(text);
  lbError err;
  lbBodyDef def = full_def();
  lbSimulatorDef own = lb_simulator_def();
  def.integrator = own.integrator = integrator;
  def.factor_reuse = own.factor_reuse = reuse;
  def.damping_mass = own.damping_mass = 0.5;
  def.damping_stiffness = own.damping_stiffness = 1e-3;
  own.step = 1.0 / 100;
  size_t bytes = 3 * (size_t)rig.model->size.node_count * sizeof(double);
  double *load = nodes_of(&rig), *u = nodes_of(&rig), *v = nodes_of(&rig);
  lbBody *body = body_of(&rig, &def);
  lbSimulator *simulator = NULL;
  fill_load(&rig, lb_vec3(0, 0, 0), load);
  check_ok(lb_simulator_create(rig.fem, &own, NULL, NULL, load, &simulator, &err), err);
  body_ok(body, lb_body_start(body, 0, NULL));
  for (int step = 0; step < 40; step++) {
    lbVec3 force = lb_vec3(0, pull * (step % 7), step < 20 ? -pull : 2 * pull);
    body_ok(body, lb_body_apply_force(body, lb_point_node(TIP), force));
    fill_load(&rig, force, load);
    int32_t flags = lb_simulator_step(simulator, load);
    assert_int_equal(lb_body_step(body, own.step), flags);
    *adapted += (flags & LB_STEP_ADAPTED) != 0;
    lb_body_node_displacements(body, u);
    lb_body_node_velocities(body, v);
    assert_memory_equal(u, lb_simulator_displacement(simulator), bytes);
    assert_memory_equal(v, lb_simulator_velocity(simulator), bytes);
  }
  lbSimulatorState state = lb_simulator_state(simulator), counts = { 0 };
  lbBodyReport report = lb_body_report(body);
  lb_full_count(body, &counts);
  assert_int_equal(counts.newton_iterations, state.newton_iterations);
  assert_int_equal(counts.factor_count, state.factor_count);
  check_near(report.kinetic, state.kinetic, 1e-12 * state.kinetic);
  check_near(report.elastic, state.elastic, 1e-12 * state.elastic);
  check_near(report.linear_momentum.z, state.linear_momentum[2], 1e-12 * report.mass);
  check_near(report.angular_momentum.y, state.angular_momentum[1], 1e-12 * report.mass);
  check_near(report.centre.z, state.centre[2], 1e-14);
  lb_free(load), lb_free(u), lb_free(v);
  lb_simulator_destroy(simulator);
  lb_body_destroy(body);
  rig_release(&rig);
}

static void its_steps_are_the_simulators_to_the_bit(void **state) {
  (void)state;
  static const char *const texts[] = { SCENE("stvk", HELD), SCENE("corotated", HELD),
                                       SCENE("neohookean", HELD ",'mass':'lumped'") };
  int32_t adapted = 0;
  for (size_t i = 0; i < 3; i++)
    for (int k = 0; k < 4; k++)
      compare_steps(texts[i], k & 1 ? LB_INTEGRATOR_EULER : LB_INTEGRATOR_NEWMARK, k & 2 ? 0.3 : 0,
                    i == 1 && k == 0 ? 400 : 3, &adapted);
  print_message("  %d steps were taken in parts\n", (int)adapted);
}

// ---- forces that are found ---------------------------------------------------------------------

static int32_t constrain(lbBody *body, int32_t node, const double target[3], double stiffness,
                         double damping) {
  lbConstraintDef def = lb_constraint_def();
  lbPoint point = lb_point_node(node);
  int32_t id = -1;
  def.point_count = 1;
  def.points = &point;
  def.targets = target;
  def.stiffness = stiffness;
  def.damping = damping;
  body_ok(body, lb_body_add_constraint(body, &def, &id));
  return id;
}

// Columns of K and M of all nodes (fixed ones too), densely.
static void dense_of(const Rig *rig, double *K, double *M) {
  size_t rows = 3 * (size_t)rig->model->size.node_count;
  double *zero = nodes_of(rig), *unit = nodes_of(rig);
  lbEvaluation unused;
  lbError err;
  for (size_t j = 0; j < rows; j++) {
    unit[j] = 1;
    check_ok(lb_fem_evaluate(rig->fem, zero, NULL, unit, K + rows * j, &unused, &err), err);
    check_ok(lb_fem_mass_product(rig->fem, unit, M + rows * j, &err), err);
    unit[j] = 0;
  }
  lb_free(zero), lb_free(unit);
}

// x <- A⁻¹ x by elimination; rows and columns of nodes that cannot move are left out.
static void dense_solve(const Rig *rig, const double *A, double *x) {
  size_t n = 3 * (size_t)rig->model->size.node_count;
  double *m = lb_duplicate(A, n * n, sizeof(double));
  for (size_t i = 0; i < n; i++) {
    if (!lb_fem_fixed(rig->fem)[i / 3]) continue;
    for (size_t j = 0; j < n; j++) m[n * j + i] = m[n * i + j] = 0;
    m[n * i + i] = 1, x[i] = 0;
  }
  for (size_t k = 0; k < n; k++)
    for (size_t i = k + 1; i < n; i++) {
      double factor = m[n * k + i] / m[n * k + k];
      if (factor == 0) continue;
      for (size_t j = k; j < n; j++) m[n * j + i] -= factor * m[n * j + k];
      x[i] -= factor * x[k];
    }
  for (size_t k = n; k-- > 0;) {
    x[k] /= m[n * k + k];
    for (size_t i = 0; i < k; i++) x[i] -= m[n * k + i] * x[k];
  }
  lb_free(m);
}

// From rest, without gravity, by the linear law: A u = 2 p at the step's end with A = 4M/h² + K, and
// p = k (target - u) along each axis.
static void a_spring_and_a_hold_do_in_a_step_what_a_dense_solve_says(void **state) {
  (void)state;
  Rig rig = rig_of(SCENE("linear", HELD));
  size_t n = 3 * (size_t)rig.model->size.node_count;
  double h = 1.0 / 60, *K = lb_alloc(n, n * sizeof(double)), *M = lb_alloc(n, n * sizeof(double));
  double *X = lb_alloc(3 * n, sizeof(double)), *u = nodes_of(&rig);
  dense_of(&rig, K, M);
  for (size_t i = 0; i < n * n; i++) K[i] += 4 / (h * h) * M[i];
  for (size_t k = 0; k < 3; k++) {
    X[n * k + 3 * TIP + k] = 2;
    dense_solve(&rig, K, X + n * k);
  }
  for (int hard = 0; hard < 2; hard++) {
    lbBodyDef def = full_def();
    def.gravity = lb_vec3(0, 0, 0);
    lbBody *body = body_of(&rig, &def);
    lbVec3 rest = where(body, TIP);
    double way[3] = { 0.003, -0.002, 0.01 }, stiffness = hard ? INFINITY : 700, force[3];
    double target[3] = { rest.x + way[0], rest.y + way[1], rest.z + way[2] };
    int32_t id = constrain(body, TIP, target, stiffness, 0);
    // (W X + 1/k) p = way
    lbMat3 S;
    for (size_t i = 0; i < 3; i++)
      for (size_t k = 0; k < 3; k++)
        S.m[3 * i + k] = X[n * k + 3 * TIP + i] + (i == k && !hard ? 1 / stiffness : 0);
    lbVec3 p = lb_mat3_apply(lb_mat3_inverse(S), lb_vec3_load(way));
    assert_int_equal(lb_body_step(body, h), 0);
    lb_body_node_displacements(body, u);
    for (size_t i = 0; i < n; i++)
      check_near(u[i], p.x * X[i] + p.y * X[n + i] + p.z * X[2 * n + i], 1e-12);
    if (hard) check_small(lb_length(lb_sub(where(body, TIP), lb_vec3_load(target))), 1e-14);
    body_ok(body, lb_body_constraint_force(body, id, force));
    assert_true(force[2] > 0);
    lb_body_destroy(body);
  }
  lb_free(K), lb_free(M), lb_free(X), lb_free(u);
  rig_release(&rig);
}

// At rest: the spring's force is k (target - x), and the body hangs as it does under that force.
static void a_spring_at_rest_bends_the_body_as_its_force_does(void **state) {
  (void)state;
  Rig rig = rig_of(SCENE("stvk", HELD));
  lbBodyDef def = full_def();
  def.damping_mass = 20;
  lbBody *body = body_of(&rig, &def);
  lbVec3 rest = where(body, TIP);
  double target[3] = { rest.x - 0.1, rest.y + 0.1, rest.z + 0.3 }, force[3];
  int32_t id = constrain(body, TIP, target, 60, 0.2);
  int32_t flags = 0;
  for (int step = 0; step < 400; step++) flags |= lb_body_step(body, 1.0 / 50);
  assert_int_equal(flags & ~LB_STEP_ADAPTED, 0);
  body_ok(body, lb_body_constraint_force(body, id, force));
  lbVec3 pull = lb_scale(60, lb_sub(lb_vec3_load(target), where(body, TIP)));
  check_small(lb_length(lb_sub(pull, lb_vec3_load(force))) / lb_length(pull), 1e-6);
  double *load = nodes_of(&rig), *u = nodes_of(&rig), *bent = nodes_of(&rig), largest = 0;
  lbStaticDef statics = lb_static_def();
  lbStaticResult result;
  lbError err;
  fill_load(&rig, pull, load);
  check_ok(lb_fem_static(rig.fem, load, &statics, u, &result, &err), err);
  lb_body_node_displacements(body, bent);
  for (size_t i = 0; i < 3 * (size_t)rig.model->size.node_count; i++) {
    check_near(bent[i], u[i], 1e-6);
    largest = fmax(largest, fabs(u[i]));
  }
  assert_true(largest > 0.05);
  lb_free(load), lb_free(u), lb_free(bent);
  lb_body_destroy(body);
  rig_release(&rig);
}

// Dragged by a spring as a hand drags it, at 30 steps a second, then let go.
static void a_body_follows_a_hand(void **state) {
  (void)state;
  static const char *const texts[] = {
    SCENE("stvk", HELD ",'damping':{'mass':2,'stiffness':0.005}"),
    SCENE("corotated", HELD ",'damping':{'mass':2,'stiffness':0.005}"),
    SCENE("neohookean", HELD ",'damping':{'mass':2,'stiffness':0.005}"),
    SCENE("stvk", ",'damping':{'mass':2,'stiffness':0.005}")
  };
  for (size_t i = 0; i < 4; i++)
    for (int hard = 0; hard < 3; hard++) {
      Rig rig = rig_of(texts[i]);
      lbBodyDef def = full_def();
      if (i == 3) def.gravity = lb_vec3(0, 0, 0);
      lbBody *body = body_of(&rig, &def);
      lbVec3 rest = where(body, TIP);
      double target[3] = { rest.x, rest.y, rest.z };
      const double stiffness[] = { 500, 1e5, INFINITY };
      int32_t id = constrain(body, TIP, target, stiffness[hard], 0), failed = 0, adapted = 0;
      for (int step = 0; step < 60; step++) {
        double angle = 0.1 * step;
        target[0] = rest.x - 0.15 * sin(angle), target[1] = rest.y + 0.3 * sin(angle);
        target[2] = rest.z + 0.3 * sin(2 * angle);
        body_ok(body, lb_body_set_target(body, id, target));
        int32_t flags = lb_body_step(body, 1.0 / 30);
        failed += (flags & (LB_STEP_NONFINITE | LB_STEP_NOT_CONVERGED)) != 0;
        adapted += (flags & LB_STEP_ADAPTED) != 0;
      }
      double away = lb_length(lb_sub(where(body, TIP), lb_vec3_load(target)));
      lbSimulatorState counts;
      lb_full_count(body, &counts);
      body_ok(body, lb_body_remove_constraint(body, id));
      lbBodyReport then = lb_body_report(body);
      for (int step = 0; step < 200; step++)
        failed += (lb_body_step(body, 1.0 / 30) & (LB_STEP_NONFINITE | LB_STEP_NOT_CONVERGED)) != 0;
      lbBodyReport report = lb_body_report(body);
      print_message("  law %d, stiffness %g: %d steps failed, %d in parts, %d factors, %.3f m from the target; "
                    "%.2e + %.2e J, then %.2e + %.2e J\n",
                    (int)i, stiffness[hard], (int)failed, (int)adapted, (int)counts.factor_count, away, then.kinetic, then.elastic, report.kinetic,
                    report.elastic);
      lb_body_destroy(body);
      rig_release(&rig);
    }
}

// A target that jumps by most of the body's length: no step fails for ever, no energy comes of it.
static void a_yank_does_not_make_energy(void **state) {
  (void)state;
  static const char *const texts[] = { SCENE("stvk", HELD ",'damping':{'mass':2}"),
                                       SCENE("corotated", HELD ",'damping':{'mass':2}"),
                                       SCENE("neohookean", HELD ",'damping':{'mass':2}"),
                                       SCENE("stvk", ",'damping':{'mass':2}") };
  for (size_t i = 0; i < 4; i++)
    for (int hard = 0; hard < 3; hard++) {
      Rig rig = rig_of(texts[i]);
      lbBodyDef def = full_def();
      if (i == 3) def.gravity = lb_vec3(0, 0, 0);
      lbBody *body = body_of(&rig, &def);
      lbVec3 rest = where(body, TIP);
      double target[3] = { rest.x - 0.5, rest.y + 0.6, rest.z + 0.5 };
      const double stiffness[] = { 500, 1e5, INFINITY };
      int32_t id = constrain(body, TIP, target, stiffness[hard], 0), failed = 0, adapted = 0;
      for (int step = 0; step < 30; step++) {
        int32_t flags = lb_body_step(body, 1.0 / 30);
        failed += (flags & (LB_STEP_NONFINITE | LB_STEP_NOT_CONVERGED)) != 0;
        adapted += (flags & LB_STEP_ADAPTED) != 0;
      }
      double away = lb_length(lb_sub(where(body, TIP), lb_vec3_load(target)));
      body_ok(body, lb_body_remove_constraint(body, id));
      lbBodyReport then = lb_body_report(body);
      for (int step = 0; step < 100; step++) (void)lb_body_step(body, 1.0 / 30);
      lbBodyReport report = lb_body_report(body);
      print_message("  law %d, stiffness %g: %d steps failed, %d in parts, %.3f m from the target; "
                    "%.2e + %.2e J, then %.2e + %.2e J\n",
                    (int)i, stiffness[hard], (int)failed, (int)adapted, away, then.kinetic,
                    then.elastic, report.kinetic, report.elastic);
      lb_body_destroy(body);
      rig_release(&rig);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(its_steps_are_the_simulators_to_the_bit),
    cmocka_unit_test(a_spring_and_a_hold_do_in_a_step_what_a_dense_solve_says),
    cmocka_unit_test(a_spring_at_rest_bends_the_body_as_its_force_does),
    cmocka_unit_test(a_body_follows_a_hand),
    cmocka_unit_test(a_yank_does_not_make_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
