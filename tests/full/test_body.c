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

static void compare_steps(const char *text, lbIntegrator integrator, double reuse, double pull) {
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
  for (size_t i = 0; i < 3; i++)
    for (int k = 0; k < 4; k++)
      compare_steps(texts[i], k & 1 ? LB_INTEGRATOR_EULER : LB_INTEGRATOR_NEWMARK, k & 2 ? 0.3 : 0,
                    k == 0 ? 200 : 3);
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

// From rest, without gravity, by the linear law: A u = 2 p at the step's end with A = 4M/h² + K,
// and p = k (target - u) along each axis.
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
  def.damping_mass = 4;
  def.integrator = LB_INTEGRATOR_EULER;
  lbBody *body = body_of(&rig, &def);
  lbVec3 rest = where(body, TIP);
  double target[3] = { rest.x - 0.1, rest.y + 0.1, rest.z + 0.3 }, force[3];
  int32_t id = constrain(body, TIP, target, 60, 0.2);
  int32_t flags = 0;
  for (int step = 0; step < 400; step++) flags |= lb_body_step(body, 1.0 / 20);
  assert_int_equal(flags & ~LB_STEP_ADAPTED, 0);
  body_ok(body, lb_body_constraint_force(body, id, force));
  lbVec3 pull = lb_scale(60, lb_sub(lb_vec3_load(target), where(body, TIP)));
  check_small(lb_length(lb_sub(pull, lb_vec3_load(force))) / lb_length(pull), 1e-7);
  double *load = nodes_of(&rig), *u = nodes_of(&rig), *bent = nodes_of(&rig), largest = 0;
  lbStaticDef statics = lb_static_def();
  lbStaticResult result;
  lbError err;
  fill_load(&rig, pull, load);
  check_ok(lb_fem_static(rig.fem, load, &statics, u, &result, &err), err);
  lb_body_node_displacements(body, bent);
  for (size_t i = 0; i < 3 * (size_t)rig.model->size.node_count; i++) {
    check_near(bent[i], u[i], 1e-7);
    largest = fmax(largest, fabs(u[i]));
  }
  assert_true(largest > 0.05);
  lb_free(load), lb_free(u), lb_free(bent);
  lb_body_destroy(body);
  rig_release(&rig);
}

static int32_t count_failures(int32_t flags) {
  return (flags & (LB_STEP_NONFINITE | LB_STEP_NOT_CONVERGED)) != 0;
}

#define DAMPED ",'damping':{'mass':2,'stiffness':0.005}"
static const char *const soft_bodies[] = { SCENE("stvk", HELD DAMPED),
                                           SCENE("corotated", HELD DAMPED),
                                           SCENE("neohookean", HELD DAMPED),
                                           SCENE("stvk", DAMPED) };
static const double stiffnesses[] = { 500, 1e5, INFINITY };

static lbBody *soft_body(const Rig *rig, size_t which) {
  lbBodyDef def = full_def();
  if (which == 3) def.gravity = lb_vec3(0, 0, 0); // nothing holds it
  return body_of(rig, &def);
}

// Dragged by a spring, or held, as a hand does it, at 30 steps a second, then let go.
static void a_soft_body_follows_a_hand_and_comes_to_rest(void **state) {
  (void)state;
  for (size_t i = 0; i < 4; i++)
    for (size_t k = 0; k < 3; k++) {
      Rig rig = rig_of(soft_bodies[i]);
      lbBody *body = soft_body(&rig, i);
      lbVec3 rest = where(body, TIP);
      double target[3] = { rest.x, rest.y, rest.z };
      int32_t id = constrain(body, TIP, target, stiffnesses[k], 0), failed = 0;
      for (int step = 0; step < 60; step++) {
        double angle = 0.1 * step;
        target[0] = rest.x - 0.15 * sin(angle), target[1] = rest.y + 0.3 * sin(angle);
        target[2] = rest.z + 0.3 * sin(2 * angle);
        body_ok(body, lb_body_set_target(body, id, target));
        failed += count_failures(lb_body_step(body, 1.0 / 30));
      }
      double away = lb_length(lb_sub(where(body, TIP), lb_vec3_load(target)));
      assert_true(away < (k == 0 ? 0.35 : k == 1 ? 5e-3 : 1e-12));
      body_ok(body, lb_body_remove_constraint(body, id));
      for (int step = 0; step < 200; step++) failed += count_failures(lb_body_step(body, 1.0 / 30));
      assert_int_equal(failed, 0);
      assert_true(lb_body_report(body).kinetic < 1e-3);
      lb_body_destroy(body);
      rig_release(&rig);
    }
}

// A target that jumps by most of the body's length turns elements inside out; the body gets there
// nevertheless, and steps go on.
static void a_yank_does_not_stop_a_body(void **state) {
  (void)state;
  for (size_t i = 0; i < 4; i++)
    for (size_t k = 0; k < 3; k++) {
      Rig rig = rig_of(soft_bodies[i]);
      lbBody *body = soft_body(&rig, i);
      lbVec3 rest = where(body, TIP);
      double target[3] = { rest.x - 0.5, rest.y + 0.6, rest.z + 0.5 };
      int32_t failed = 0;
      (void)constrain(body, TIP, target, stiffnesses[k], 0);
      for (int step = 0; step < 30; step++) failed += count_failures(lb_body_step(body, 1.0 / 30));
      double away = lb_length(lb_sub(where(body, TIP), lb_vec3_load(target)));
      if (k > 0) check_small(away, 0.05);
      assert_true(failed < 15);
      lb_body_destroy(body);
      rig_release(&rig);
    }
}

static void a_ball_keeps_the_surface_out(void **state) {
  (void)state;
  for (size_t i = 0; i < 4; i += 3) {
    Rig rig = rig_of(soft_bodies[i]);
    lbBody *body = soft_body(&rig, i);
    size_t count = (size_t)rig.model->size.vertex_count;
    double *surface = lb_alloc(count, 3 * sizeof(double)), least = INFINITY;
    lbVec3 force = lb_vec3(0, 0, 0), most = force;
    lbBall ball = { .radius = 0.1, .stiffness = INFINITY, .velocity = { 0, 0, 0.15 } };
    for (int step = 0; step < 60; step++) {
      ball.centre = lb_vec3(0.8, 0.1, -0.15 + 0.0025 * step);
      body_ok(body, lb_body_push_ball(body, &ball, 1.0 / 60, &force));
      if (lb_length(force) > lb_length(most)) most = force;
      assert_int_equal(count_failures(lb_body_step(body, 1.0 / 60)), 0);
      lb_body_surface(body, surface);
      for (size_t v = 0; v < count; v++)
        least = fmin(least, lb_length(lb_sub(lb_vec3_load(surface + 3 * v), ball.centre)));
    }
    assert_true(most.z < -0.5); // on the ball
    check_small(fmax(0, ball.radius - least), 0.02 * ball.radius);
    lb_free(surface);
    lb_body_destroy(body);
    rig_release(&rig);
  }
}

static void an_impulse_gives_its_momentum(void **state) {
  (void)state;
  Rig rig = rig_of(SCENE("stvk", ",'position':[1,2,3],'rotation':[0.1,0.2,0.3,1]"));
  lbBodyDef def = full_def();
  def.gravity = lb_vec3(0, 0, 0);
  def.position = lb_vec3(1, 2, 3);
  def.rotation = lb_quat(0.1, 0.2, 0.3, 1);
  lbBody *body = body_of(&rig, &def);
  lbVec3 impulse = lb_vec3(0.3, -0.2, 0.5), at = where(body, TIP);
  assert_int_equal(lb_body_frame_kind(body), LB_FRAME_FREE);
  body_ok(body, lb_body_apply_impulse(body, lb_point_node(TIP), impulse));
  for (int step = 0; step < 3; step++) {
    lbBodyReport report = lb_body_report(body);
    lbVec3 momentum = lb_scale(report.mass, lb_body_frame(body).linear_velocity);
    check_small(lb_length(lb_sub(report.linear_momentum, impulse)), 1e-9);
    check_small(lb_length(lb_sub(report.angular_momentum, lb_cross(at, impulse))),
                step ? 1e-3 : 1e-9); // Newmark's rule keeps it nearly
    check_small(lb_length(lb_sub(momentum, impulse)), 1e-9);
    assert_int_equal(lb_body_step(body, 1e-3), 0);
  }
  body_ok(body, lb_body_apply_radial_impulse(body, lb_vec3(1, 2, 2), 2, 5));
  assert_true(lb_body_report(body).linear_momentum.z > 0.6);
  lb_body_destroy(body);
  rig_release(&rig);
}

// ---- frames ------------------------------------------------------------------------------------

// In the world, the simulator of the placed body does the same; the frame is the rigid motion that
// is in it, and what is left is small.
static void a_free_body_moves_as_the_placed_simulator(void **state) {
  (void)state;
  Rig rig = rig_of(SCENE("stvk", ",'position':[1,2,3],'rotation':[0.1,0.2,0.3,1],'velocity':{"
                                 "'linear':[1,0.5,2],'angular':[1,6,2]}"));
  const lbSceneBody *source = &rig.scene->bodies[0];
  size_t nodes = (size_t)rig.model->size.node_count;
  double *load = nodes_of(&rig), *velocity = nodes_of(&rig), *own = nodes_of(&rig), largest = 0;
  lbFem *placed = NULL;
  lbSimulator *simulator = NULL;
  lbSimulatorDef plan = lb_simulator_def();
  lbBodyDef def = full_def();
  lbError err;
  const double *q = source->rotation;
  def.position = lb_vec3(1, 2, 3);
  def.rotation = lb_quat(q[0], q[1], q[2], q[3]);
  lbBody *body = body_of(&rig, &def);
  body_ok(body, lb_body_set_velocity(body, lb_vec3(1, 0.5, 2), lb_vec3(1, 6, 2)));
  body_ok(body, lb_body_start(body, 0, NULL));
  check_ok(lb_scene_fem(source, &placed, &err), err);
  plan.step = 1.0 / 200;
  lb_scene_velocity(source, placed, velocity);
  fill_load(&rig, lb_vec3(0, 0, 0), load);
  check_ok(lb_simulator_create(placed, &plan, NULL, velocity, load, &simulator, &err), err);
  for (int step = 0; step < 200; step++) {
    lbVec3 force = lb_vec3(0, step < 50 ? 5 : 0, 3);
    body_ok(body, lb_body_apply_force(body, lb_point_node(TIP), force));
    fill_load(&rig, force, load);
    assert_int_equal(lb_simulator_step(simulator, load), 0);
    assert_int_equal(lb_body_step(body, plan.step), 0);
    for (size_t n = 0; n < nodes; n += 5) {
      lbVec3 x = lb_add(lb_vec3_load(lb_fem_rest_positions(placed) + 3 * n),
                        lb_vec3_load(lb_simulator_displacement(simulator) + 3 * n)),
             v, y;
      body_ok(body, lb_body_point(body, lb_point_node((int32_t)n), &y, &v));
      check_small(lb_length(lb_sub(x, y)), 1e-8);
      check_small(lb_length(lb_sub(v, lb_vec3_load(lb_simulator_velocity(simulator) + 3 * n))),
                  1e-6);
    }
    lb_body_node_displacements(body, own);
    for (size_t i = 0; i < 3 * nodes; i++) largest = fmax(largest, fabs(own[i]));
  }
  lbSimulatorState there = lb_simulator_state(simulator);
  lbBodyReport report = lb_body_report(body);
  check_near(report.kinetic, there.kinetic, 1e-7 * there.kinetic);
  check_near(report.angular_momentum.x, there.angular_momentum[0], 1e-6);
  assert_true(largest > 1e-3 && largest < 0.2);
  lbFrame frame = lb_body_frame(body);
  check_small(
      lb_length(lb_sub(frame.linear_velocity, lb_scale(1 / report.mass, report.linear_momentum))),
      1e-12);
  lb_simulator_destroy(simulator);
  lb_fem_destroy(placed);
  lb_free(load), lb_free(velocity), lb_free(own);
  lb_body_destroy(body);
  rig_release(&rig);
}

// A frame that is shaken and turns: x = 0.02 sin(wt), a turn of 0.3 sin(wt) about y.
static lbFrame shaken(double t, lbVec3 centre) {
  double w = 9, angle = 0.3 * sin(w * t);
  lbFrame frame = { .position = lb_vec3(0.02 * sin(w * t), 0, 1),
                    .rotation = lb_quat_exp(lb_vec3(0, angle, 0)),
                    .angular_velocity = lb_vec3(0, 0.3 * w * cos(w * t), 0) };
  frame.linear_velocity =
      lb_add(lb_vec3(0.02 * w * cos(w * t), 0, 0),
             lb_cross(frame.angular_velocity, lb_quat_rotate(frame.rotation, centre)));
  return frame;
}

// Rows of the fixed nodes at t, for a simulator in the world.
static void support_rows(const Rig *rig, double t, lbVec3 centre, double *rows[3]) {
  const double *X = lb_fem_rest_positions(rig->fem);
  const double e = 1e-5;
  for (size_t n = 0; n < (size_t)rig->model->size.node_count; n++) {
    lbVec3 x[3];
    for (int k = 0; k < 3; k++) {
      lbFrame f = shaken(t + (k - 1) * e, centre);
      x[k] = lb_add(f.position, lb_quat_rotate(f.rotation, lb_vec3_load(X + 3 * n)));
    }
    lb_vec3_store(rows[0] + 3 * n, lb_sub(x[1], lb_vec3_load(X + 3 * n)));
    lb_vec3_store(rows[1] + 3 * n, lb_scale(0.5 / e, lb_sub(x[2], x[0])));
    lb_vec3_store(rows[2] + 3 * n,
                  lb_scale(1 / (e * e), lb_add(lb_sub(x[2], x[1]), lb_sub(x[0], x[1]))));
  }
}

static lbSupportMotion motion_at(const Rig *rig, double t, lbVec3 centre, double *rows[3]) {
  lbFrame f = shaken(t, centre);
  lbSupportMotion motion = { .displacement = rows[0],
                             .velocity = rows[1],
                             .acceleration = rows[2],
                             .rotation = { f.rotation.x, f.rotation.y, f.rotation.z,
                                           f.rotation.w } };
  support_rows(rig, t, centre, rows);
  lb_vec3_store(motion.position, f.position);
  lb_vec3_store(motion.angular_velocity, f.angular_velocity);
  lb_vec3_store(
      motion.linear_velocity,
      lb_sub(f.linear_velocity, lb_cross(f.angular_velocity, lb_quat_rotate(f.rotation, centre))));
  return motion;
}

static void a_driven_body_follows_its_frame_as_moving_supports_take_it(void **state) {
  (void)state;
  Rig rig = rig_of(SCENE("stvk", HELD));
  lbVec3 centre = lb_vec3_load(rig.model->rigid_centre);
  size_t nodes = (size_t)rig.model->size.node_count;
  double *rows[3] = { nodes_of(&rig), nodes_of(&rig), nodes_of(&rig) }, *load = nodes_of(&rig);
  double *start = nodes_of(&rig), most = 0, bent = 0, h = 1.0 / 500;
  lbSimulatorDef plan = lb_simulator_def();
  lbSimulator *simulator = NULL;
  lbError err;
  plan.step = h, plan.damping_mass = 1, plan.damping_stiffness = 1e-3;
  lbBodyDef def = full_def();
  def.frame = LB_FRAME_DRIVEN;
  def.damping_mass = 1, def.damping_stiffness = 1e-3;
  lbBody *body = body_of(&rig, &def);
  lbFrame frame = shaken(0, centre);
  body_ok(body, lb_body_set_frame(body, &frame));
  body_ok(body, lb_body_start(body, 0, NULL));
  lbSupportMotion motion = motion_at(&rig, 0, centre, rows);
  fill_load(&rig, lb_vec3(0, 0, 0), load);
  memcpy(start, rows[0], 3 * nodes * sizeof(double));
  check_ok(lb_simulator_create(rig.fem, &plan, start, rows[1], load, &simulator, &err), err);
  check_ok(lb_simulator_start_supports(simulator, &motion, load, &err), err);
  for (int step = 1; step <= 300; step++) {
    double t = h * step;
    frame = shaken(t, centre);
    body_ok(body, lb_body_drive(body, &frame));
    motion = motion_at(&rig, t, centre, rows);
    check_ok(lb_simulator_move_supports(simulator, &motion, &err), err);
    assert_int_equal(lb_simulator_step(simulator, load), 0);
    assert_int_equal(lb_body_step(body, h), 0);
    lbVec3 x = lb_add(lb_vec3_load(lb_fem_rest_positions(rig.fem) + 3 * TIP),
                      lb_vec3_load(lb_simulator_displacement(simulator) + 3 * TIP));
    most = fmax(most, lb_length(lb_sub(x, where(body, TIP))));
    lb_body_node_displacements(body, start);
    bent = fmax(bent, fabs(start[3 * TIP + 2]));
    for (int i = 0; i < 3; i++) check_small(start[i], 0); // a fixed node stays in the frame
    check_small(lb_length(lb_sub(lb_body_frame(body).position, frame.position)), 0);
  }
  print_message("  %.1e m apart, bent by %.2f m\n", most, bent);
  check_small(most, 2e-4 * bent); // accelerations of the supports are taken from velocities
  // A jump takes the shape along.
  frame.position.x += 10;
  body_ok(body, lb_body_drive(body, &frame));
  double before = start[3 * TIP + 2];
  assert_int_equal(lb_body_step(body, h), LB_STEP_JUMPED);
  lb_body_node_displacements(body, start);
  check_near(start[3 * TIP + 2], before, 0.03);
  lb_simulator_destroy(simulator);
  for (int k = 0; k < 3; k++) lb_free(rows[k]);
  lb_free(load), lb_free(start);
  lb_body_destroy(body);
  rig_release(&rig);
  rig = rig_of(SCENE("stvk", ""));
  check_fails(lb_body_create(rig.model, &def, &body, &err), LB_ERR_ARGUMENT, err, "fixed");
  rig_release(&rig);
}

// ---- questions ---------------------------------------------------------------------------------

static void points_picks_and_surfaces_are_where_the_nodes_are(void **state) {
  (void)state;
  Rig rig = rig_of(SCENE("stvk", HELD));
  lbBodyDef def = full_def();
  def.position = lb_vec3(1, 2, 3);
  def.rotation = lb_quat(0.1, 0.2, 0.3, 1);
  lbBody *body = body_of(&rig, &def);
  size_t count = (size_t)rig.model->size.vertex_count, nodes = (size_t)rig.model->size.node_count;
  double *surface = lb_alloc(count, 3 * sizeof(double)), *u = nodes_of(&rig), *v = nodes_of(&rig);
  for (int step = 0; step < 10; step++) assert_int_equal(lb_body_step(body, 0.02), 0);
  lb_body_surface(body, surface);
  lb_body_node_displacements(body, u);
  lb_body_node_velocities(body, v);
  lbFrame frame = lb_body_frame(body);
  for (size_t n = 0; n < nodes; n++) {
    lbVec3 own = lb_add(lb_vec3_load(rig.model->node_positions + 3 * n), lb_vec3_load(u + 3 * n));
    lbVec3 x = lb_add(frame.position, lb_quat_rotate(frame.rotation, own));
    check_small(lb_length(lb_sub(x, where(body, (int32_t)n))), 1e-14);
  }
  lbVec3 a = lb_vec3_load(surface), outside = lb_vec3(20, 15, 12), way = lb_sub(a, outside);
  lbPick pick;
  bool hit = false;
  body_ok(body, lb_body_pick(body, outside, lb_scale(2, way), &pick, &hit));
  assert_true(hit);
  lbVec3 at;
  body_ok(body, lb_body_point(body, pick.point, &at, NULL));
  check_small(lb_length(lb_sub(at, pick.position)), 1e-12);
  assert_true(lb_body_reach(body) > 0.05);
  // The state is the nodes'; a state that is given comes back.
  for (size_t i = 0; i < 3 * nodes; i++) u[i] *= 0.5, v[i] *= 2;
  body_ok(body, lb_body_set_displacements(body, u, v));
  double *again = nodes_of(&rig);
  lb_body_node_displacements(body, again);
  assert_memory_equal(again, u, 3 * nodes * sizeof(double));
  lb_body_get_state(body, NULL, again);
  assert_memory_equal(again, v, 3 * nodes * sizeof(double));
  lb_free(surface), lb_free(u), lb_free(v), lb_free(again);
  lb_body_destroy(body);
  rig_release(&rig);
}

static void softness_is_that_of_mass_and_stiffness(void **state) {
  (void)state;
  Rig rig = rig_of(SCENE("stvk", HELD));
  size_t n = 3 * (size_t)rig.model->size.node_count;
  double *K = lb_alloc(n, n * sizeof(double)), *M = lb_alloc(n, n * sizeof(double));
  double compliance, mobility, expected[2] = { 0, 0 };
  lbBodyDef def = full_def();
  lbBody *body = body_of(&rig, &def);
  dense_of(&rig, K, M);
  for (size_t k = 0; k < 3; k++)
    for (int which = 0; which < 2; which++) {
      double *x = nodes_of(&rig);
      x[3 * TIP + k] = 1;
      dense_solve(&rig, which ? M : K, x);
      expected[which] += x[3 * TIP + k] / 3;
      lb_free(x);
    }
  body_ok(body, lb_body_softness(body, lb_point_node(TIP), &compliance, &mobility));
  check_near(compliance, expected[0], 1e-8 * expected[0]);
  check_near(mobility, expected[1], 1e-9 * expected[1]);
  lb_free(K), lb_free(M);
  lb_body_destroy(body);
  rig_release(&rig);
  // A free bar gives way where the held one does, a little more stiffly.
  rig = rig_of(SCENE("stvk", ""));
  body = body_of(&rig, &def);
  body_ok(body, lb_body_softness(body, lb_point_node(TIP), &compliance, &mobility));
  assert_true(compliance > 0.005 * expected[0] && compliance < expected[0]);
  lb_body_destroy(body);
  rig_release(&rig);
}

// Stretched by a twentieth in x, without waist: every law gives its own stress, the same
// everywhere.
static void stress_is_that_of_the_law(void **state) {
  (void)state;
  static const char *const laws[] = { SCENE("linear", ""), SCENE("stvk", ""),
                                      SCENE("corotated", "") };
  double mu = 2e5 / 2.6, lambda = 2e5 * 0.3 / (1.3 * 0.4), s = 0.05, E = s + s * s / 2;
  double stvk = ((lambda + 2 * mu) * E * (1 + s) * (1 + s) - lambda * E) / (1 + s);
  const double expected[] = { 2 * mu * s, stvk, NAN };
  for (int i = 0; i < 3; i++) {
    Rig rig = rig_of(laws[i]);
    lbBodyDef def = full_def();
    lbBody *body = body_of(&rig, &def);
    size_t nodes = (size_t)rig.model->size.node_count;
    double *u = nodes_of(&rig), *stress = nodes_of(&rig);
    for (size_t n = 0; n < nodes; n++) u[3 * n] = s * rig.model->node_positions[3 * n];
    body_ok(body, lb_body_set_displacements(body, u, NULL));
    lb_body_von_mises(body, stress);
    for (size_t n = 0; n < nodes; n++)
      check_near(stress[n], i < 2 ? expected[i] : stress[0], 1e-9 * stress[0]);
    assert_true(stress[0] > 5e3);
    lb_free(u), lb_free(stress);
    lb_body_destroy(body);
    rig_release(&rig);
  }
}

// ---- states and materials ----------------------------------------------------------------------

static void play(lbBody *body, int steps) {
  for (int i = 0; i < steps; i++) {
    body_ok(body, lb_body_apply_force(body, lb_point_node(TIP), lb_vec3(0, 1 + 0.1 * i, 2)));
    (void)lb_body_step(body, 1.0 / 60);
  }
}

static void a_restored_state_goes_on_to_the_bit(void **state) {
  (void)state;
  for (int k = 0; k < 12; k++) {
    bool free = k % 3 == 1, driven = k % 3 == 2, constrained = k >= 6;
    Rig rig = rig_of(free ? SCENE("stvk", DAMPED) : SCENE("stvk", HELD DAMPED));
    lbBodyDef def = full_def();
    def.factor_reuse = k / 3 % 2 ? 0.3 : 0;
    if (driven) def.frame = LB_FRAME_DRIVEN;
    lbBody *body = body_of(&rig, &def), *other = body_of(&rig, &def);
    lbVec3 rest = where(body, TIP);
    double target[3] = { rest.x, rest.y, rest.z + 0.05 };
    lbFrame frame = { .rotation = lb_quat(0, 0.2, 0, 1), .angular_velocity = lb_vec3(0, 0.5, 0) };
    if (constrained) (void)constrain(body, TIP, target, 300, 0.5);
    if (driven) body_ok(body, lb_body_set_frame(body, &frame));
    size_t bytes = lb_body_state_bytes(body);
    void *saved = lb_alloc(bytes, 1), *end = lb_alloc(bytes, 1), *now = lb_alloc(bytes, 1);
    play(body, 5);
    body_ok(body, lb_body_save_state(body, saved, bytes));
    play(body, 5);
    body_ok(body, lb_body_save_state(body, end, bytes));
    lbBody *bodies[] = { body, other }; // itself, and one that has done nothing
    for (int i = 0; i < 2; i++) {
      body_ok(bodies[i], lb_body_restore_state(bodies[i], saved, bytes));
      body_ok(bodies[i], lb_body_save_state(bodies[i], now, bytes));
      assert_memory_equal(now, saved, bytes);
      play(bodies[i], 5);
      body_ok(bodies[i], lb_body_save_state(bodies[i], now, bytes));
      assert_memory_equal(now, end, bytes);
    }
    lb_free(saved), lb_free(end), lb_free(now);
    lb_body_destroy(body), lb_body_destroy(other);
    rig_release(&rig);
  }
}

// Another material in motion: what a body of that material does from the same state.
static void another_material_is_another_body_in_the_same_motion(void **state) {
  (void)state;
  Rig rig = rig_of(SCENE("stvk", HELD));
  Rig hard =
      rig_of("{'limber':1,'gravity':[0,0,-9.81],'bodies':[{'name':'bar','method':'full'," LONG
             ",'material':{'model':'stvk','young':9e5,'poisson':0.2,'density':500}" HELD "}]}");
  lbBodyDef def = full_def();
  lbBody *body = body_of(&rig, &def), *other = body_of(&hard, &def);
  size_t nodes = (size_t)rig.model->size.node_count;
  double *u = nodes_of(&rig), *v = nodes_of(&rig);
  play(body, 10);
  lb_body_node_displacements(body, u);
  lb_body_node_velocities(body, v);
  body_ok(body, lb_body_set_material(body, 0, 9e5, 0.2, 500));
  body_ok(other, lb_body_set_displacements(other, u, v));
  check_near(lb_body_report(body).mass, lb_body_report(other).mass, 1e-12);
  check_near(lb_body_report(body).elastic, lb_body_report(other).elastic, 1e-9);
  play(body, 10), play(other, 10);
  lb_body_node_displacements(body, u);
  lb_body_node_displacements(other, v);
  for (size_t i = 0; i < 3 * nodes; i++) check_near(u[i], v[i], 1e-12);
  lb_free(u), lb_free(v);
  lb_body_destroy(body), lb_body_destroy(other);
  rig_release(&rig), rig_release(&hard);
}

static void without_the_build_side_there_is_no_such_body(void **state) {
  (void)state;
  Rig rig = rig_of(SCENE("stvk", HELD));
  lbBodyDef def = full_def();
  lbBody *body = NULL;
  lbError err;
  lb_body_register_method(LB_METHOD_FULL, NULL);
  check_fails(lb_body_create(rig.model, &def, &body, &err), LB_ERR_ARGUMENT, err, "recording");
  lb_full_register();
  def.mode_count = 3;
  check_fails(lb_body_create(rig.model, &def, &body, &err), LB_ERR_ARGUMENT, err, "mode_count");
  rig_release(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(its_steps_are_the_simulators_to_the_bit),
    cmocka_unit_test(a_spring_and_a_hold_do_in_a_step_what_a_dense_solve_says),
    cmocka_unit_test(a_spring_at_rest_bends_the_body_as_its_force_does),
    cmocka_unit_test(a_soft_body_follows_a_hand_and_comes_to_rest),
    cmocka_unit_test(a_yank_does_not_stop_a_body),
    cmocka_unit_test(a_ball_keeps_the_surface_out),
    cmocka_unit_test(an_impulse_gives_its_momentum),
    cmocka_unit_test(a_free_body_moves_as_the_placed_simulator),
    cmocka_unit_test(a_driven_body_follows_its_frame_as_moving_supports_take_it),
    cmocka_unit_test(points_picks_and_surfaces_are_where_the_nodes_are),
    cmocka_unit_test(softness_is_that_of_mass_and_stiffness),
    cmocka_unit_test(stress_is_that_of_the_law),
    cmocka_unit_test(a_restored_state_goes_on_to_the_bit),
    cmocka_unit_test(another_material_is_another_body_in_the_same_motion),
    cmocka_unit_test(without_the_build_side_there_is_no_such_body),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
