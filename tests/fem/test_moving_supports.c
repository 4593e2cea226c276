// The reference simulator on supports that move: equivalence with gravity, closed forms of a shaken
// bar, the rigid limit, figures of momentum and energy, damping relative to the frame, cuts.
#include "fem_problems.h"

#include "fem/supports.h"
#include "limber/math.h"

typedef struct Frame {
  lbVec3 x, v, a;         // origin
  lbQuat q;               // rotation
  lbVec3 spin, spin_rate; // ω, dω/dt
} Frame;

static Frame still(void) { return (Frame){ .q = lb_quat_identity() }; }

// What the fixed vertices of a body do on a frame that stood at the origin when it was made.
typedef struct Drive {
  double *u, *v, *a;
  lbSupportMotion motion;
} Drive;

static Drive drive_on(const lbFem *fem) {
  Drive d = { zeros(fem), zeros(fem), zeros(fem), { 0 } };
  d.motion.displacement = d.u, d.motion.velocity = d.v, d.motion.acceleration = d.a;
  return d;
}

static void drive_free(Drive *d) { free(d->u), free(d->v), free(d->a); }

static const lbSupportMotion *drive_to(Drive *d, const lbFem *fem, const Frame *f) {
  for (size_t k = 0; k < (size_t)lb_fem_vertex_count(fem); k++) {
    lbVec3 X = lb_vec3_load(lb_fem_rest_positions(fem) + 3 * k), r = lb_quat_rotate(f->q, X);
    lbVec3 turning = lb_cross(f->spin, r);
    lb_vec3_store(d->u + 3 * k, lb_sub(lb_add(f->x, r), X));
    lb_vec3_store(d->v + 3 * k, lb_add(f->v, turning));
    lb_vec3_store(d->a + 3 * k,
                  lb_add(lb_add(f->a, lb_cross(f->spin_rate, r)), lb_cross(f->spin, turning)));
  }
  lb_vec3_store(d->motion.position, f->x);
  lb_vec3_store(d->motion.linear_velocity, f->v);
  lb_vec3_store(d->motion.angular_velocity, f->spin);
  const double q[4] = { f->q.x, f->q.y, f->q.z, f->q.w };
  memcpy(d->motion.rotation, q, sizeof q);
  return &d->motion;
}

// A simulator whose free nodes start with the frame.
static lbSimulator *start_on(const lbFem *fem, const lbSimulatorDef *def, Drive *d,
                             const Frame *frame) {
  lbSimulator *s = NULL;
  lbError err = { 0 };
  const lbSupportMotion *now = drive_to(d, fem, frame);
  check_ok(lb_simulator_create(fem, def, now->displacement, now->velocity, NULL, &s, &err), err);
  check_ok(lb_simulator_start_supports(s, now, NULL, &err), err);
  return s;
}

static int32_t step_to(lbSimulator *s, const lbFem *fem, Drive *d, const Frame *frame,
                       const double *load) {
  lbError err = { 0 };
  check_ok(lb_simulator_move_supports(s, drive_to(d, fem, frame), &err), err);
  return lb_simulator_step(s, load);
}

// The vertex farthest along x.
static size_t tip_of(const lbFem *fem) {
  size_t tip = 0;
  for (size_t v = 0; v < (size_t)lb_fem_vertex_count(fem); v++)
    if (lb_fem_rest_positions(fem)[3 * v] > lb_fem_rest_positions(fem)[3 * tip]) tip = v;
  return tip;
}

// ---- accelerating frames -----------------------------------------------------------------------

// Newmark follows ½ g t² exactly, and so does Euler its own sums: a body on a frame that
// accelerates is a body under gravity, to the last digits.
static void an_accelerating_frame_is_gravity(void **state) {
  (void)state;
  const double g[3] = { 3, -2, -9.81 };
  for_each_law(kind, model) for (int integrator = 0; integrator < 2;
                                 integrator++) for (int lumped = 0; lumped < 2; lumped++) {
    lbMaterial material = test_material(model);
    lbMesh *mesh = box_mesh(kind, 4, 1, 1, 0.4, 0.1, 0.1);
    bool *fixed = side(mesh, 0, 0);
    lbFem *fem = fem_of_mesh(mesh, &material, fixed, (lbMassKind)lumped);
    lbSimulatorDef def = lb_simulator_def();
    def.integrator = (lbIntegrator)integrator;
    def.step = 2e-3;
    def.newton_tolerance = 1e-11;
    def.damping_mass = 0.5, def.damping_stiffness = 1e-3;
    double *weight = gravity_load(fem, -g[0], -g[1], -g[2]), *none = zeros(fem);
    double worst = 0, deepest = 0, h = def.step;
    lbSimulator *held = NULL;
    lbError err = { 0 };
    check_ok(lb_simulator_create(fem, &def, NULL, NULL, weight, &held, &err), err);
    Drive d = drive_on(fem);
    Frame frame = still();
    frame.a = lb_vec3_load(g);
    lbSimulator *driven = start_on(fem, &def, &d, &frame);
    for (int n = 1; n <= CHECK_CASES(40); n++) {
      lbVec3 v = lb_add_scaled(frame.v, h, frame.a);
      lbVec3 mean = integrator == LB_INTEGRATOR_NEWMARK ? lb_scale(0.5, lb_add(v, frame.v)) : v;
      frame.x = lb_add_scaled(frame.x, h, mean);
      frame.v = v;
      assert_int_equal(lb_simulator_step(held, weight) & ~LB_STEP_SHIFTED, 0);
      assert_int_equal(step_to(driven, fem, &d, &frame, none) & ~LB_STEP_SHIFTED, 0);
      const double *a = lb_simulator_displacement(held), *b = lb_simulator_displacement(driven);
      for (size_t i = 0; i < 3 * (size_t)lb_fem_vertex_count(fem); i++) {
        double x = i % 3 == 0 ? frame.x.x : i % 3 == 1 ? frame.x.y : frame.x.z;
        worst = fmax(worst, fabs(b[i] - x - a[i]));
        deepest = fmax(deepest, fabs(a[i]));
      }
    }
    if (integrator == 0 && !lumped) print_case(kind, model, worst / deepest, 1e-9);
    check_small(worst / deepest, 1e-9);
    check_near(lb_simulator_state(driven).elastic / lb_simulator_state(held).elastic, 1, 1e-8);
    drive_free(&d);
    free(weight), free(none), free(fixed);
    lb_mesh_destroy(mesh);
    lb_simulator_destroy(held), lb_simulator_destroy(driven);
    lb_fem_destroy(fem);
  }
}

// ---- a shaken bar ------------------------------------------------------------------------------

// Base s(t) = A (1 − cos Ωt) along z. Relative to it, mode by mode:
//   q'' + ω² q = −Γ A Ω² cos Ωt,  q(t) = −Γ A Ω² (cos Ωt − cos ωt) / (ω² − Ω²),  Γ = wᵀ m
// with m the row sums of the whole mass matrix: the columns of the fixed vertices are in them.
static double modal_sum(const lbFem *fem, const lbModes *modes, size_t entry, double amplitude,
                        double frequency, double t) {
  double sum = 0;
  for (int32_t k = 0; k < modes->count; k++) {
    const double *w = modes->shapes + 3 * (size_t)modes->vertex_count * (size_t)k;
    double gain = 0, lambda = modes->eigenvalues[k], omega = sqrt(lambda);
    for (size_t v = 0; v < (size_t)modes->vertex_count; v++)
      gain += w[3 * v + 2] * lb_fem_vertex_masses(fem)[v];
    sum -= w[entry] * gain * amplitude * frequency * frequency *
           (cos(frequency * t) - cos(omega * t)) / (lambda - frequency * frequency);
  }
  return sum;
}

static double shaken_error(const lbFem *fem, const lbModes *modes, int steps, double *largest_q) {
  const double amplitude = 1e-5, frequency = 40, end = 0.1;
  lbSimulatorDef def = lb_simulator_def();
  def.step = end / steps;
  def.newton_tolerance = 1e-8;
  double *none = zeros(fem), worst = 0;
  size_t tip = 3 * tip_of(fem) + 2;
  Drive d = drive_on(fem);
  Frame frame = still();
  frame.a = lb_vec3(0, 0, amplitude * frequency * frequency);
  lbSimulator *s = start_on(fem, &def, &d, &frame);
  for (int n = 1; n <= steps; n++) {
    double t = n * def.step;
    frame.x.z = amplitude * (1 - cos(frequency * t));
    frame.v.z = amplitude * frequency * sin(frequency * t);
    frame.a.z = amplitude * frequency * frequency * cos(frequency * t);
    assert_int_equal(step_to(s, fem, &d, &frame, none), 0);
    double exact = modal_sum(fem, modes, tip, amplitude, frequency, t);
    worst = fmax(worst, fabs(lb_simulator_displacement(s)[tip] - frame.x.z - exact));
    *largest_q = fmax(*largest_q, fabs(exact));
  }
  drive_free(&d);
  free(none);
  lb_simulator_destroy(s);
  return worst;
}

static CHECK_LONG void a_shaken_bar_is_the_sum_of_its_modes(void **state) {
  (void)state;
  for (int lumped = 0; lumped < 2; lumped++) {
    lbMaterial material = test_material(LB_MATERIAL_LINEAR);
    lbMesh *mesh = box_mesh(LB_ELEMENT_BRICK8, 4, 1, 1, 0.4, 0.1, 0.1);
    bool *fixed = side(mesh, 0, 0);
    lbFem *fem = fem_of_mesh(mesh, &material, fixed, (lbMassKind)lumped);
    lbModes *modes = NULL;
    lbError err = { 0 };
    check_ok(lb_fem_modes(fem, 3 * lb_fem_node_count(fem), &modes, &err), err);
    double scale = 0, coarse = shaken_error(fem, modes, 250, &scale),
           fine = shaken_error(fem, modes, 1000, &scale);
    print_message("  of %.2e m: error %.2e at 0.4 ms, %.2e at 0.1 ms; order %.2f\n", scale, coarse,
                  fine, log(coarse / fine) / log(4));
    check_small(fine / scale, 2e-3);
    check_near(log(coarse / fine) / log(4), 2, 0.1);
    free(fixed);
    lb_mesh_destroy(mesh);
    lb_modes_destroy(modes);
    lb_fem_destroy(fem);
  }
}

// ---- turning frames ----------------------------------------------------------------------------

static Frame turning(double t) { // about an axis beside the bar, faster and faster
  Frame f = still();
  double angle = 2 * t * t, speed = 4 * t, rate = 4;
  lbVec3 axis = lb_normalise(lb_vec3(0.2, 1, -0.3));
  f.q = lb_quat_from_axis_angle(axis, angle);
  f.spin = lb_scale(speed, axis);
  f.spin_rate = lb_scale(rate, axis);
  f.x = lb_vec3(sin(3 * t), 0, 1 - cos(3 * t));
  f.v = lb_vec3(3 * cos(3 * t), 0, 3 * sin(3 * t));
  f.a = lb_vec3(-9 * sin(3 * t), 0, 9 * cos(3 * t));
  return f;
}

// The farthest that a vertex gets from where the frame would have it.
static double distance_from_frame(double young) {
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  material.young = young;
  lbFem *bar = box_fem(LB_ELEMENT_BRICK8, 4, 1, 1, 0.4, 0.1, 0.1, &material, true);
  lbSimulatorDef def = lb_simulator_def();
  def.step = 2e-3;
  def.damping_stiffness = 1e-3;
  double *none = zeros(bar), worst = 0;
  Drive d = drive_on(bar);
  Frame frame = turning(0);
  lbSimulator *s = start_on(bar, &def, &d, &frame);
  for (int n = 1; n <= 500; n++) {
    frame = turning(n * def.step);
    assert_int_equal(step_to(s, bar, &d, &frame, none), 0);
    worst = fmax(worst, largest_difference(bar, lb_simulator_displacement(s), d.u));
  }
  drive_free(&d);
  free(none);
  lb_simulator_destroy(s);
  lb_fem_destroy(bar);
  return worst;
}

static CHECK_LONG void a_stiff_bar_follows_its_frame(void **state) {
  (void)state;
  double soft = distance_from_frame(1e9), stiff = distance_from_frame(1e11);
  print_message("  %.2e m at 1 GPa, %.2e m at 100 GPa (ratio %.1f, tolerance 1e-6 m)\n", soft,
                stiff, soft / stiff);
  check_small(stiff, 1e-6);
  check_near(soft / stiff, 100, 5);
}

// In the frame of a steady turn a damped bar comes to rest, stretched by the centrifugal force:
// damping, also the mass's, sees nothing of the turning.
static CHECK_LONG void damping_acts_relative_to_the_frame(void **state) {
  (void)state;
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  material.young = 1e6;
  lbFem *bar = box_fem(LB_ELEMENT_BRICK8, 6, 1, 1, 0.6, 0.1, 0.1, &material, true);
  lbSimulatorDef def = lb_simulator_def();
  def.step = 5e-3;
  double *none = zeros(bar), length[2] = { 0 }, drag[2] = { 0 };
  size_t tip = tip_of(bar);
  for (int kind = 0; kind < 2; kind++) {
    def.damping_mass = kind == 0 ? 5 : 10;
    def.damping_stiffness = kind == 0 ? 0.02 : 0.05;
    Drive d = drive_on(bar);
    Frame frame = still();
    frame.spin = lb_vec3(0, 0, 3);
    lbSimulator *s = start_on(bar, &def, &d, &frame);
    for (int n = 1; n <= 800; n++) {
      frame.q = lb_quat_from_axis_angle(lb_vec3(0, 0, 1), 3 * n * def.step);
      assert_int_equal(step_to(s, bar, &d, &frame, none), 0);
    }
    const double *X = lb_fem_rest_positions(bar) + 3 * tip,
                 *u = lb_simulator_displacement(s) + 3 * tip;
    lbVec3 x = lb_quat_rotate(lb_quat_conjugate(frame.q), lb_add(lb_vec3_load(X), lb_vec3_load(u)));
    lbVec3 v = lb_vec3_load(lb_simulator_velocity(s) + 3 * tip);
    lbVec3 carried = lb_cross(frame.spin, lb_add(lb_vec3_load(X), lb_vec3_load(u)));
    length[kind] = x.x - X[0];
    drag[kind] = lb_length(lb_sub(v, carried));
    drive_free(&d);
    lb_simulator_destroy(s);
  }
  print_message("  stretched by %.4e and %.4e m; velocity in the frame %.1e, %.1e m/s\n", length[0],
                length[1], drag[0], drag[1]);
  assert_true(length[0] > 4e-4);
  check_small(length[1] / length[0] - 1, 2e-4); // Newmark's own error in the turn remains
  check_small(drag[0], 2e-4);
  check_small(drag[1], 2e-4);
  free(none);
  lb_fem_destroy(bar);
}

// The load of a turn about z on the whole shape: ω² M x, without the part along the axis.
static void centrifugal_load(const lbFem *fem, const lbBorder *border, double spin, const double *u,
                             double *load) {
  size_t full = 3 * (size_t)lb_fem_vertex_count(fem), size = 3 * (size_t)lb_fem_node_count(fem);
  double *x = zeros(fem), *part = calloc(size, sizeof *part), *product = calloc(size, sizeof *part);
  for (size_t i = 0; i < full; i++)
    x[i] = i % 3 == 2 ? 0 : spin * spin * (lb_fem_rest_positions(fem)[i] + u[i]);
  lb_fem_compress(fem, x, part);
  lb_sparse_multiply(fem->mass, part, product);
  lb_fem_expand(fem, product, load);
  lb_border_multiply(border, x, load);
  free(x), free(part), free(product);
}

// What a damped bar on a steady turn comes to is the static equilibrium under that load.
static CHECK_LONG void a_turning_bar_ends_in_its_equilibrium(void **state) {
  (void)state;
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  material.young = 1e6;
  lbFem *bar = box_fem(LB_ELEMENT_BRICK8, 6, 1, 1, 0.6, 0.1, 0.1, &material, true);
  lbSimulatorDef def = lb_simulator_def();
  def.step = 2e-3;
  def.damping_mass = 10;
  def.damping_stiffness = 0.05;
  const double spin = 6;
  double *none = zeros(bar), *u = zeros(bar), *load = zeros(bar), worst = 0;
  lbError err = { 0 };
  lbBorder *border = NULL;
  check_ok(lb_border_create(bar, &border, &err), err);
  for (int n = 0; n < 40; n++) {
    lbStaticDef fine = lb_static_def();
    lbStaticResult result;
    centrifugal_load(bar, border, spin, u, load);
    check_ok(lb_fem_static(bar, load, &fine, u, &result, &err), err);
  }
  Drive d = drive_on(bar);
  Frame frame = still();
  frame.spin = lb_vec3(0, 0, spin);
  lbSimulator *s = start_on(bar, &def, &d, &frame);
  for (int n = 1; n <= 1500; n++) {
    frame.q = lb_quat_from_axis_angle(lb_vec3(0, 0, 1), spin * n * def.step);
    assert_int_equal(step_to(s, bar, &d, &frame, none), 0);
  }
  for (size_t v = 0; v < (size_t)lb_fem_vertex_count(bar); v++) {
    lbVec3 X = lb_vec3_load(lb_fem_rest_positions(bar) + 3 * v);
    lbVec3 x = lb_add(X, lb_vec3_load(lb_simulator_displacement(s) + 3 * v));
    lbVec3 own = lb_sub(lb_quat_rotate(lb_quat_conjugate(frame.q), x), X);
    worst = fmax(worst, lb_length(lb_sub(own, lb_vec3_load(u + 3 * v))));
  }
  print_message("  stretch %.4e m, residual %.2e, tolerance 2e-3 of it\n", largest(bar, u), worst);
  assert_true(largest(bar, u) > 1e-3);
  check_small(worst / largest(bar, u), 2e-3); // Newmark's (ω h)² / 12 and its drag remain
  drive_free(&d);
  free(none), free(u), free(load);
  lb_border_destroy(border);
  lb_simulator_destroy(s);
  lb_fem_destroy(bar);
}

// ---- figures -----------------------------------------------------------------------------------

static void momentum_and_energy_are_of_the_whole_body(void **state) {
  (void)state;
  for_each_element(kind) for (int lumped = 0; lumped < 2; lumped++) {
    lbMaterial material = test_material(LB_MATERIAL_COROTATED);
    lbMesh *mesh = box_mesh(kind, 3, 2, 1, 0.3, 0.2, 0.1);
    bool *fixed = side(mesh, 0, 0);
    lbFem *fem = fem_of_mesh(mesh, &material, fixed, (lbMassKind)lumped);
    lbSimulatorDef def = lb_simulator_def();
    Drive d = drive_on(fem);
    Frame frame = still();
    frame.x = lb_vec3(0.3, -1, 2);
    frame.v = lb_vec3(1, 2, -0.5);
    frame.spin = lb_vec3(0.7, -0.2, 1.1);
    lbSimulator *s = start_on(fem, &def, &d, &frame);
    lbSimulatorState got = lb_simulator_state(s);
    double mass = lb_fem_total_mass(fem), second[3][3];
    const double origin[3] = { 0, 0, 0 };
    lb_fem_second_moments(fem, origin, second); // Σ m X Xᵀ, X = x − frame.x
    double first[3] = { 0 };
    for (size_t i = 0; i < 3 * (size_t)lb_fem_vertex_count(fem); i++)
      first[i % 3] += lb_fem_vertex_masses(fem)[i / 3] * lb_fem_rest_positions(fem)[i];
    // p = m v + ω × S, L = x × p + S × v + I ω, T = ½ m v² + v·(ω × S) + ½ ω·I ω
    lbVec3 S = lb_vec3_load(first), w = frame.spin;
    lbVec3 p = lb_add(lb_scale(mass, frame.v), lb_cross(w, S));
    double trace = second[0][0] + second[1][1] + second[2][2], Iw[3];
    const double spin[3] = { w.x, w.y, w.z };
    for (int i = 0; i < 3; i++) {
      Iw[i] = trace * spin[i];
      for (int k = 0; k < 3; k++) Iw[i] -= second[i][k] * spin[k];
    }
    lbVec3 L = lb_add(lb_add(lb_cross(frame.x, p), lb_cross(S, frame.v)), lb_vec3_load(Iw));
    double T = 0.5 * mass * lb_dot(frame.v, frame.v) + lb_dot(frame.v, lb_cross(w, S)) +
               0.5 * lb_dot(w, lb_vec3_load(Iw));
    double error = lb_length(lb_sub(lb_vec3_load(got.linear_momentum), p)) / lb_length(p);
    error = fmax(error, lb_length(lb_sub(lb_vec3_load(got.angular_momentum), L)) / lb_length(L));
    error = fmax(error, fabs(got.kinetic / T - 1));
    print_case(kind, LB_MATERIAL_COROTATED, error, 1e-13);
    check_small(error, 1e-13);
    drive_free(&d);
    free(fixed);
    lb_mesh_destroy(mesh);
    lb_simulator_destroy(s);
    lb_fem_destroy(fem);
  }
}

// The work of the supports is what the energy gains: dE/dt = Σ reaction · v over the fixed rows.
static CHECK_LONG void the_supports_do_the_work(void **state) {
  (void)state;
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  lbFem *fem = box_fem(LB_ELEMENT_BRICK8, 4, 1, 1, 0.4, 0.1, 0.1, &material, true);
  lbSimulatorDef def = lb_simulator_def();
  def.step = 1e-4;
  double *none = zeros(fem);
  Drive d = drive_on(fem);
  Frame frame = still(), before;
  frame.a = lb_vec3(0, 0, 20);
  lbSimulator *s = start_on(fem, &def, &d, &frame);
  double momentum = 0, work = 0, start = 0;
  for (int n = 1; n <= 1000; n++) {
    double t = n * def.step;
    before = frame;
    frame.x.z = 20 * (1 - cos(10 * t)) / 100;
    frame.v.z = 20 * sin(10 * t) / 10;
    frame.a.z = 20 * cos(10 * t);
    assert_int_equal(step_to(s, fem, &d, &frame, none), 0);
    // Impulse on the whole body, from its momentum; its work at the supports' mean velocity.
    lbSimulatorState now = lb_simulator_state(s);
    work += (now.linear_momentum[2] - momentum) * 0.5 * (frame.v.z + before.v.z);
    momentum = now.linear_momentum[2];
  }
  lbSimulatorState now = lb_simulator_state(s);
  double energy = now.kinetic + now.elastic - start;
  print_message("  energy %.6f J, work %.6f J, tolerance 1e-3\n", energy, work);
  check_near(energy / work, 1, 1e-3);
  drive_free(&d);
  free(none);
  lb_simulator_destroy(s);
  lb_fem_destroy(fem);
}

// A frame that starts at once: within a step its velocity jumps, and the whole body follows it.
static CHECK_LONG void a_jump_in_velocity_is_felt_whole(void **state) {
  (void)state;
  for (int integrator = 0; integrator < 2; integrator++) {
    lbMaterial material = test_material(LB_MATERIAL_STVK);
    material.young = 1e6;
    lbFem *fem = box_fem(LB_ELEMENT_BRICK8, 4, 1, 1, 0.4, 0.1, 0.1, &material, true);
    lbSimulatorDef def = lb_simulator_def();
    def.integrator = (lbIntegrator)integrator;
    def.step = 4e-3;
    def.damping_stiffness = 0.05;
    double *none = zeros(fem);
    Drive d = drive_on(fem);
    Frame frame = still();
    lbSimulator *s = start_on(fem, &def, &d, &frame);
    for (int n = 1; n <= 500; n++) {
      frame.v = lb_vec3(0, 0, 0.5);
      frame.x.z = n * def.step * 0.5;
      frame.a.z = n == 1 ? 0.5 / def.step : 0;
      assert_int_equal(step_to(s, fem, &d, &frame, none), 0);
    }
    double mass = lb_fem_total_mass(fem);
    lbSimulatorState now = lb_simulator_state(s);
    print_message("  momentum %.9f of %.9f\n", now.linear_momentum[2], 0.5 * mass);
    check_near(now.linear_momentum[2] / (0.5 * mass), 1, 1e-5);
    check_near(now.kinetic / (0.125 * mass), 1, 1e-5);
    check_near(now.centre[2] - 0.05, frame.x.z, 1e-5);
    drive_free(&d);
    free(none);
    lb_simulator_destroy(s);
    lb_fem_destroy(fem);
  }
}

// ---- cuts --------------------------------------------------------------------------------------

static void nothing_is_felt_of_a_cut(void **state) {
  (void)state;
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  lbFem *fem = box_fem(LB_ELEMENT_TET4, 4, 1, 1, 0.4, 0.1, 0.1, &material, true);
  lbSimulatorDef def = lb_simulator_def();
  def.newton_tolerance = 1e-12;
  double *none = zeros(fem), worst = 0;
  lbQuat turn = lb_quat_from_axis_angle(lb_vec3(1, 2, 3), 2);
  lbVec3 shift = lb_vec3(5, -3, 1);
  const double q[4] = { turn.x, turn.y, turn.z, turn.w }, by[3] = { 5, -3, 1 };
  Drive a = drive_on(fem), b = drive_on(fem);
  Frame frame = turning(0);
  lbSimulator *whole = start_on(fem, &def, &a, &frame), *cut = start_on(fem, &def, &b, &frame);
  for (int n = 1; n <= 60; n++) {
    frame = turning(n * def.step);
    step_to(whole, fem, &a, &frame, none);
    if (n > 30) { // elsewhere, and turned
      if (n == 31) lb_simulator_carry(cut, q, by);
      frame.q = lb_quat_multiply(turn, frame.q);
      frame.x = lb_add(lb_quat_rotate(turn, frame.x), shift);
      lbVec3 *vectors[] = { &frame.v, &frame.a, &frame.spin, &frame.spin_rate };
      for (int i = 0; i < 4; i++) *vectors[i] = lb_quat_rotate(turn, *vectors[i]);
    }
    step_to(cut, fem, &b, &frame, none);
  }
  for (size_t v = 0; v < (size_t)lb_fem_vertex_count(fem); v++) {
    const double *X = lb_fem_rest_positions(fem) + 3 * v;
    lbVec3 x = lb_add(lb_vec3_load(X), lb_vec3_load(lb_simulator_displacement(whole) + 3 * v));
    lbVec3 y = lb_add(lb_vec3_load(X), lb_vec3_load(lb_simulator_displacement(cut) + 3 * v));
    worst = fmax(worst, lb_length(lb_sub(y, lb_add(lb_quat_rotate(turn, x), shift))));
  }
  print_message("  residual %.2e, tolerance 1e-10\n", worst);
  check_small(worst, 1e-10);
  drive_free(&a), drive_free(&b);
  free(none);
  lb_simulator_destroy(whole), lb_simulator_destroy(cut);
  lb_fem_destroy(fem);
}

// ---- parts of a step ---------------------------------------------------------------------------

// A step that is taken in parts leads supports along their motion, to its end and to its velocity.
static void supports_can_be_led_in_parts(void **state) {
  (void)state;
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  lbFem *fem = box_fem(LB_ELEMENT_TET4, 2, 1, 1, 0.2, 0.1, 0.1, &material, true);
  lbBorder *border = NULL;
  lbSupports *s = NULL;
  lbError err = { 0 };
  check_ok(lb_border_create(fem, &border, &err), err);
  check_ok(lb_supports_create(fem, &s, &err), err);
  Drive d = drive_on(fem), middle = drive_on(fem);
  const double h = 0.01, begin = 0.3;
  Frame from = turning(begin), to = turning(begin + h);
  const lbSupportMotion *start = drive_to(&d, fem, &from);
  lb_supports_set(s, border, start, start->displacement, start->velocity);
  lb_supports_commit(s);
  double *u = zeros(fem), *v = zeros(fem), worst = 0, worst_v = 0;
  memcpy(u, d.u, 3 * (size_t)lb_fem_vertex_count(fem) * sizeof *u);
  memcpy(v, d.v, 3 * (size_t)lb_fem_vertex_count(fem) * sizeof *u);
  lb_supports_set(s, border, drive_to(&d, fem, &to), u, v);
  for (int part = 0; part < 4; part++) {
    Frame exact = turning(begin + h * (part + 1) / 4);
    drive_to(&middle, fem, &exact);
    lb_supports_part(s, border, h, part, 4);
    for (size_t k = 0; k < 3 * (size_t)lb_fem_vertex_count(fem); k++) {
      if (!lb_fem_fixed(fem)[k / 3]) continue;
      worst = fmax(worst, fabs(s->u[k] - middle.u[k]));
      worst_v = fmax(worst_v, fabs(s->v[k] - middle.v[k]));
      v[k] += s->a[k] * h / 4;
    }
    check_small(lb_length(lb_sub(lb_vec3_load(s->next.position), exact.x)), 1e-8);
    check_near(fabs(lb_quat_dot(lb_quat(s->next.rotation[0], s->next.rotation[1],
                                        s->next.rotation[2], s->next.rotation[3]),
                                exact.q)),
               1, 1e-8);
    lb_supports_commit(s);
  }
  for (size_t k = 0; k < 3 * (size_t)lb_fem_vertex_count(fem); k++) // the whole impulse
    if (lb_fem_fixed(fem)[k / 3]) check_near(v[k], d.v[k], 1e-12);
  print_message("  places %.1e m, velocities %.1e m/s; tolerances 1e-8, 1e-5\n", worst, worst_v);
  check_small(worst, 1e-8);
  check_small(worst_v, 1e-5);
  lb_supports_whole(s, border);
  check_small(lb_length(lb_sub(lb_vec3_load(s->now.position), from.x)), 0);
  drive_free(&d), drive_free(&middle);
  free(u), free(v);
  lb_supports_destroy(s);
  lb_border_destroy(border);
  lb_fem_destroy(fem);
}

// ---- robustness --------------------------------------------------------------------------------

static void wrong_motions_are_refused(void **state) {
  (void)state;
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  lbFem *fem = box_fem(LB_ELEMENT_TET4, 2, 1, 1, 0.2, 0.1, 0.1, &material, true);
  lbSimulatorDef def = lb_simulator_def();
  Drive d = drive_on(fem);
  Frame frame = still();
  lbError err = { 0 };
  lbSimulator *s = NULL;
  check_ok(lb_simulator_create(fem, &def, NULL, NULL, NULL, &s, &err), err);
  check_fails(lb_simulator_move_supports(s, drive_to(&d, fem, &frame), &err), LB_ERR_ARGUMENT, err,
              "have not started to move");
  int32_t vertex = 0;
  while (!lb_fem_fixed(fem)[vertex]) vertex++;
  drive_to(&d, fem, &frame);
  d.v[3 * vertex + 1] = NAN;
  check_fails(lb_simulator_start_supports(s, &d.motion, NULL, &err), LB_ERR_ARGUMENT, err,
              "the prescribed velocity of vertex");
  drive_to(&d, fem, &frame);
  d.motion.position[1] = INFINITY;
  check_fails(lb_simulator_start_supports(s, &d.motion, NULL, &err), LB_ERR_ARGUMENT, err,
              "the frame of its supports");
  check_ok(lb_simulator_start_supports(s, drive_to(&d, fem, &frame), NULL, &err), err);
  drive_free(&d);
  lb_simulator_destroy(s);
  lb_fem_destroy(fem);
}

// A frame that leaps by ten times the body in one step, without a cut: flagged or not, the state
// stays finite, and what the leap has put in does not grow.
static void a_leap_does_not_blow_up(void **state) {
  (void)state;
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  lbFem *fem = box_fem(LB_ELEMENT_TET4, 4, 1, 1, 0.4, 0.1, 0.1, &material, true);
  lbSimulatorDef def = lb_simulator_def();
  def.step = 0.01;
  def.integrator = LB_INTEGRATOR_EULER;
  def.damping_stiffness = 0.02;
  def.damping_mass = 5;
  double *none = zeros(fem), most = 0;
  Drive d = drive_on(fem);
  Frame frame = still();
  lbSimulator *s = start_on(fem, &def, &d, &frame);
  lbSimulatorState now;
  for (int n = 1; n <= (CHECK_SANITIZED ? 30 : 300); n++) {
    if (n == 10) frame.x = lb_vec3(4, 0, -3);
    int32_t flags = step_to(s, fem, &d, &frame, none);
    assert_int_equal(flags & LB_STEP_NONFINITE, 0);
    assert_true(all_finite(fem, lb_simulator_displacement(s)));
    now = lb_simulator_state(s);
    if (n <= 11) most = fmax(most, now.kinetic + now.elastic);
    assert_true(now.kinetic + now.elastic <= most);
  }
  print_message("  %.2e J after the leap, %.2e J at the end\n", most, now.kinetic + now.elastic);
  drive_free(&d);
  free(none);
  lb_simulator_destroy(s);
  lb_fem_destroy(fem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_accelerating_frame_is_gravity),
#if !CHECK_SANITIZED // thousands of steps that go the ways of the others
    cmocka_unit_test(a_shaken_bar_is_the_sum_of_its_modes),
    cmocka_unit_test(damping_acts_relative_to_the_frame),
    cmocka_unit_test(a_turning_bar_ends_in_its_equilibrium),
    cmocka_unit_test(the_supports_do_the_work),
    cmocka_unit_test(a_stiff_bar_follows_its_frame),
    cmocka_unit_test(a_jump_in_velocity_is_felt_whole),
#endif
    cmocka_unit_test(momentum_and_energy_are_of_the_whole_body),
    cmocka_unit_test(nothing_is_felt_of_a_cut),
    cmocka_unit_test(supports_can_be_led_in_parts),
    cmocka_unit_test(wrong_motions_are_refused),
    cmocka_unit_test(a_leap_does_not_blow_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
