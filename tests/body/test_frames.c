// Frames that move: free bodies keep their momenta and move like the unreduced body, driven ones
// feel acceleration and rotation, and a free body's motion is what a frame driven the same way
// gives.
#include "../fem/fem_problems.h"
#include "limber/build.h"

typedef struct Object {
  lbMesh *mesh;
  lbFem *fem;
  lbModel *model;
} Object;

static Object make(bool held, int32_t dimension, bool modal) {
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  Object o = { .mesh = box_mesh(LB_ELEMENT_BRICK8, 6, 1, 1, 1.2, 0.2, 0.2) };
  bool *fixed = held ? side(o.mesh, 0, 0) : NULL;
  lbReduceDef def = lb_reduce_def();
  lbModalDef modal_def = lb_modal_def();
  lbSubspaceDef subspace = lb_subspace_def();
  lbError err;
  material.young = 2e5, material.poisson = 0.3, material.density = 1000;
  modal_def.mode_count = dimension;
  subspace.basis.mode_count = dimension / 2 < 12 ? dimension / 2 : 12;
  subspace.basis.dimension = dimension;
  o.fem = fem_of_mesh(o.mesh, &material, fixed, LB_MASS_CONSISTENT);
  lbStatus status = modal ? lb_reduce_modal(o.mesh, o.fem, &def, &modal_def, &o.model, &err)
                          : lb_reduce_subspace(o.mesh, o.fem, &def, &subspace, &o.model, &err);
  check_ok(status, err);
  free(fixed);
  return o;
}

static void release(Object *o) {
  lb_model_destroy(o->model);
  lb_fem_destroy(o->fem);
  lb_mesh_destroy(o->mesh);
}

static lbBody *body_of(const Object *o, lbFrameKind frame, bool modal) {
  lbBodyDef def = lb_body_def();
  lbBody *body = NULL;
  lbError err;
  def.method = modal ? LB_METHOD_MODAL : LB_METHOD_SUBSPACE;
  def.frame = frame;
  def.damping_mass = def.damping_stiffness = 0;
  def.newton_iterations = 8;
  check_ok(lb_body_create(o->model, &def, &body, &err), err);
  return body;
}

#define ok(body, call)                                                                             \
  do {                                                                                             \
    lbStatus status_ = (call);                                                                     \
    if (status_) print_message("%s\n", lb_body_message(body));                                     \
    assert_int_equal(status_, LB_OK);                                                              \
  } while (0)

static double distance(lbVec3 a, lbVec3 b) { return lb_length(lb_sub(a, b)); }

static void kick(lbBody *body, double amount) {
  double q[64] = { 0 }, v[64] = { 0 };
  for (int i = 0; i < lb_body_dimension(body); i++) v[i] = amount * (i % 3 - 1) / (1 + i);
  ok(body, lb_body_set_state(body, q, v));
}

// ---- free --------------------------------------------------------------------------------------

static void free_bodies_keep_their_momenta_to_round_off(void **state) {
  (void)state;
  for (int modal = 0; modal < 2; modal++)
    for (int decoupled = 0; decoupled < 2; decoupled++) {
      Object o = make(false, 12, modal);
      lbBodyDef def = lb_body_def();
      lbBody *body = NULL;
      lbError err;
      def.decoupled = decoupled;
      def.method = modal ? LB_METHOD_MODAL : LB_METHOD_SUBSPACE;
      check_ok(lb_body_create(o.model, &def, &body, &err), err);
      assert_int_equal(lb_body_frame_kind(body), LB_FRAME_FREE);
      kick(body, 3);
      ok(body, lb_body_set_velocity(body, lb_vec3(1, -2, 3), lb_vec3(3, 1, -2)));
      lbBodyReport start = lb_body_report(body);
      for (int step = 0; step < 600; step++)
        assert_int_equal(lb_body_step(body, 1.0 / 60) & LB_STEP_NONFINITE, 0);
      lbBodyReport end = lb_body_report(body);
      check_small(distance(end.linear_momentum, start.linear_momentum) /
                      lb_length(start.linear_momentum),
                  1e-14);
      check_small(distance(end.angular_momentum, start.angular_momentum) /
                      lb_length(start.angular_momentum),
                  1e-11); // about the origin, 30 m away by then
      check_small(distance(end.centre, lb_add_scaled(start.centre, 10, lb_vec3(1, -2, 3))), 1e-11);
      lb_body_destroy(body);
      release(&o);
    }
}

// What is reported is what the nodes do: momenta summed over the mass matrix of the unreduced body.
static void reported_momenta_are_those_of_the_nodes(void **state) {
  (void)state;
  for (int modal = 0; modal < 2; modal++) {
    Object o = make(false, 12, modal);
    lbBody *body = body_of(&o, LB_FRAME_FREE, modal);
    kick(body, 3);
    ok(body, lb_body_set_velocity(body, lb_vec3(1, -2, 3), lb_vec3(3, 1, -2)));
    for (int step = 0; step < 40; step++) lb_body_step(body, 0.005);
    size_t count = 3 * (size_t)o.mesh->vertex_count;
    double *u = calloc(count, sizeof *u), *v = calloc(count, sizeof *v);
    for (int32_t n = 0; n < o.mesh->vertex_count; n++) {
      lbVec3 x, w;
      ok(body, lb_body_point(body, lb_point_node(n), &x, &w));
      lb_vec3_store(u + 3 * n, lb_sub(x, lb_vec3_load(o.mesh->positions + 3 * n)));
      lb_vec3_store(v + 3 * n, w);
    }
    lbSimulatorDef def = lb_simulator_def();
    lbSimulator *full = NULL;
    lbError err;
    check_ok(lb_simulator_create(o.fem, &def, u, v, NULL, &full, &err), err);
    lbSimulatorState truth = lb_simulator_state(full);
    lbBodyReport report = lb_body_report(body);
    check_small(distance(report.linear_momentum, lb_vec3_load(truth.linear_momentum)) /
                    lb_length(report.linear_momentum),
                1e-10);
    check_small(distance(report.angular_momentum, lb_vec3_load(truth.angular_momentum)) /
                    lb_length(report.angular_momentum),
                1e-10);
    check_small(distance(report.centre, lb_vec3_load(truth.centre)), 1e-10);
    check_small((report.kinetic - truth.kinetic) / truth.kinetic, 1e-10);
    lb_simulator_destroy(full);
    free(u), free(v);
    lb_body_destroy(body);
    release(&o);
  }
}

// Energy is not forced on the scheme: its drift falls with the square of the step.
static void energy_of_a_spinning_body_drifts_by_second_order(void **state) {
  (void)state;
  Object o = make(false, 16, false);
  double drift[2];
  for (int fine = 0; fine < 2; fine++) {
    lbBody *body = body_of(&o, LB_FRAME_FREE, false);
    kick(body, 1);
    ok(body, lb_body_set_velocity(body, lb_vec3(0, 0, 0), lb_vec3(1, 4, 2)));
    lbBodyReport report = lb_body_report(body);
    double start = report.kinetic + report.elastic, h = fine ? 0.001 : 0.002;
    drift[fine] = 0;
    for (int step = 0; step < (int)(1 / h); step++) {
      lb_body_step(body, h);
      report = lb_body_report(body);
      drift[fine] = fmax(drift[fine], fabs(report.kinetic + report.elastic - start) / start);
    }
    lb_body_destroy(body);
  }
  print_message("energy drifts by %.2e at 2 ms, %.2e at 1 ms\n", drift[0], drift[1]);
  assert_true(drift[0] < 5e-3 && drift[1] < 0.4 * drift[0]);
  release(&o);
}

// Thrown, spinning, bending: against the unreduced body.
static void a_thrown_spinning_bar_moves_like_the_unreduced_one(void **state) {
  (void)state;
  Object o = make(false, 50, false);
  lbBody *body = body_of(&o, LB_FRAME_FREE, false);
  lbVec3 linear = lb_vec3(1, 0, 2), angular = lb_vec3(0.5, 3, 1), gravity = lb_vec3(0, 0, -9.81);
  ok(body, lb_body_set_gravity(body, gravity));
  ok(body, lb_body_set_velocity(body, linear, angular));
  size_t count = 3 * (size_t)o.mesh->vertex_count;
  double *v = calloc(count, sizeof *v), *load = calloc(count, sizeof *load), h = 0.001;
  const double *masses = lb_fem_vertex_masses(o.fem);
  for (int32_t n = 0; n < o.mesh->vertex_count; n++) {
    lbVec3 arm =
        lb_sub(lb_vec3_load(o.mesh->positions + 3 * n), lb_vec3_load(o.model->rigid_centre));
    lb_vec3_store(v + 3 * n, lb_add(linear, lb_cross(angular, arm)));
    lb_vec3_store(load + 3 * n, lb_scale(masses[n], gravity));
  }
  // A pull at one end bends it, for half a second.
  lbSimulatorDef def = lb_simulator_def();
  lbSimulator *full = NULL;
  lbError err;
  def.step = h;
  lbVec3 pull = lb_vec3(0, 40, 15);
  int32_t tip = o.mesh->vertex_count - 1;
  lb_vec3_store(load + 3 * tip, lb_add(lb_vec3_load(load + 3 * tip), pull));
  check_ok(lb_simulator_create(o.fem, &def, NULL, v, load, &full, &err), err);
  double worst = 0, bend = 0;
  for (int step = 0; step < 600; step++) {
    if (step == 500) lb_vec3_store(load + 3 * tip, lb_scale(masses[tip], gravity));
    if (step < 500) ok(body, lb_body_apply_force(body, lb_point_node(tip), pull));
    assert_int_equal(lb_body_step(body, h) & ~LB_STEP_SHIFTED, 0);
    lb_simulator_step(full, load);
    const double *u = lb_simulator_displacement(full);
    for (int32_t n = 0; n < o.mesh->vertex_count; n++) {
      lbVec3 x, own;
      ok(body, lb_body_point(body, lb_point_node(n), &x, NULL));
      lbVec3 truth = lb_add(lb_vec3_load(o.mesh->positions + 3 * n), lb_vec3_load(u + 3 * n));
      worst = fmax(worst, distance(x, truth));
      lbFrame frame = lb_body_frame(body);
      own = lb_quat_rotate(lb_quat_conjugate(frame.rotation), lb_sub(x, frame.position));
      bend = fmax(bend, distance(own, lb_vec3_load(o.mesh->positions + 3 * n)));
    }
  }
  print_message("bends by %.3f m; farthest from the unreduced body %.4f m\n", bend, worst);
  assert_true(bend > 0.03);
  check_small(worst / bend, 0.12); // the basis has 50 of 78 shapes
  lb_simulator_destroy(full);
  free(v), free(load);
  lb_body_destroy(body);
  release(&o);
}

static void absurd_spins_and_shapes_stay_finite(void **state) {
  (void)state;
  for (int modal = 0; modal < 2; modal++) {
    Object o = make(false, 12, modal);
    for (double spin = 100; spin <= 1e6; spin *= CHECK_SANITIZED ? 1e4 : 10) {
      lbBody *body = body_of(&o, LB_FRAME_FREE, modal);
      ok(body, lb_body_set_velocity(body, lb_vec3(0, 0, 0), lb_vec3(spin, 0.1 * spin, 0)));
      lbVec3 start = lb_body_report(body).angular_momentum;
      for (int step = 0; step < 120; step++) lb_body_step(body, 1.0 / 60);
      lbBodyReport report = lb_body_report(body);
      assert_true(isfinite(report.kinetic) && isfinite(report.elastic));
      check_small(distance(report.angular_momentum, start) / lb_length(start), 1e-12);
      lb_body_destroy(body);
    }
    release(&o);
  }
}

// Spun faster than it swings, a body may fly apart but gains no energy.
static void fast_spins_create_no_energy(void **state) {
  (void)state;
  for (int modal = 0; modal < 2; modal++) {
    Object o = make(false, 12, modal);
    double slowest = modal ? sqrt(o.model->modal_eigenvalues[0]) : 20;
    for (double factor = 0.25; factor <= 16; factor *= 2) {
      lbBody *body = body_of(&o, LB_FRAME_FREE, modal);
      kick(body, 0.2);
      ok(body, lb_body_set_velocity(body, lb_vec3(0, 0, 0),
                                    lb_scale(factor * slowest, lb_vec3(0.1, 1, 0.05))));
      lbBodyReport report = lb_body_report(body);
      double start = report.kinetic + report.elastic, most = start;
      for (int step = 0; step < 400; step++) {
        lb_body_step(body, 1.0 / 100);
        report = lb_body_report(body);
        most = fmax(most, report.kinetic + report.elastic);
      }
      print_message("%s at %.3g rad/s: energy at most %.4f of the start's\n",
                    modal ? "modal" : "subspace", factor * slowest, most / start);
      assert_true(most <= 1.1 * start);
      lb_body_destroy(body);
    }
    release(&o);
  }
}

// A free body that is grabbed and let go: constraints act on frame and shape.
static void a_free_body_follows_what_holds_it(void **state) {
  (void)state;
  for (int modal = 0; modal < 2; modal++) {
    Object o = make(false, 12, modal);
    lbBody *body = body_of(&o, LB_FRAME_FREE, modal);
    lbConstraintDef def = lb_constraint_def();
    lbPoint point = lb_point_node(0);
    int32_t id;
    lbVec3 at;
    ok(body, lb_body_set_damping(body, 2, 1e-3));
    ok(body, lb_body_set_gravity(body, lb_vec3(0, 0, -9.81)));
    ok(body, lb_body_point(body, point, &at, NULL));
    double target[3] = { at.x, at.y, at.z }, force[3];
    def.point_count = 1, def.points = &point, def.targets = target;
    ok(body, lb_body_add_constraint(body, &def, &id));
    for (int step = 0; step < 1800; step++)
      assert_int_equal(lb_body_step(body, 1.0 / 60) & LB_STEP_NONFINITE, 0);
    ok(body, lb_body_point(body, point, &at, NULL));
    check_small(distance(at, lb_vec3_load(target)), 1e-3);
    ok(body, lb_body_constraint_force(body, id, force));
    double weight = 9.81 * o.model->rigid_mass[0];
    print_message("hangs by %.4f N of %.4f N\n", force[2], weight);
    check_small((force[2] - weight) / weight, 0.02);
    lb_body_destroy(body);
    release(&o);
  }
}

// A spinning body that is caught at a point and dragged: the hand gives energy, but it stays of the
// order of what was there, and the point is where it shall be.
static void free_bodies_that_are_caught_or_dragged_stay_bounded(void **state) {
  (void)state;
  for (int modal = 0; modal < 2; modal++)
    for (double amount = 5; amount <= 80; amount *= 4) {
      Object o = make(false, 12, modal);
      lbBody *body = body_of(&o, LB_FRAME_FREE, modal);
      lbConstraintDef def = lb_constraint_def();
      lbPoint point = lb_point_node(0);
      int32_t id;
      ok(body, lb_body_set_damping(body, 0.5, 2e-3));
      ok(body,
         lb_body_set_velocity(body, lb_vec3(0, 0, 0), lb_scale(amount, lb_vec3(0.3, 0.2, -1))));
      double start = lb_body_report(body).kinetic;
      lbVec3 at;
      ok(body, lb_body_point(body, point, &at, NULL));
      double target[3] = { at.x, at.y, at.z };
      def.point_count = 1, def.points = &point, def.targets = target;
      ok(body, lb_body_add_constraint(body, &def, &id));
      for (int step = 0; step < 600; step++) {
        if (step < 120) target[1] += 0.1 * amount / 240; // half a metre to eight metres a second
        ok(body, lb_body_set_target(body, id, target));
        lb_body_step(body, 1.0 / 240);
        assert_true(isfinite(lb_body_report(body).kinetic));
      }
      lbBodyReport end = lb_body_report(body);
      ok(body, lb_body_point(body, point, &at, NULL));
      print_message(
          "%s, %g rad/s: energy %.3g J at first, %.3g J at last, %.2g m from the target\n",
          modal ? "modal" : "subspace", amount, start, end.kinetic + end.elastic,
          distance(at, lb_vec3_load(target)));
      assert_true(end.kinetic + end.elastic < 20 * start);
      assert_true(distance(at, lb_vec3_load(target)) < 0.5);
      lb_body_destroy(body);
      release(&o);
    }
}

// Held hard at a random point, spinning or not, and dragged to and fro at up to ten metres a second
// at 60 Hz. For an observer who goes with the hand the hand does no work; its changes of velocity
// by Δ can add Σ sqrt(m/2) |Δ| to the root of the energy at most.
static double drag_wildly(const Object *o, bool modal, bool decoupled, int set, uint64_t *seed,
                          double *last, double *off) {
  lbBodyDef def = lb_body_def();
  lbConstraintDef hold = lb_constraint_def();
  lbPoint point =
      lb_point_node((int32_t)(0.4999 * (1 + check_random(seed)) * o->model->size.node_count));
  lbBody *body = NULL;
  lbError err;
  int32_t id;
  double h = 1.0 / 60, target[3], most = 0, amount = pow(10, check_random(seed));
  def.method = modal ? LB_METHOD_MODAL : LB_METHOD_SUBSPACE;
  def.decoupled = decoupled;
  def.damping_mass = 0.5, def.damping_stiffness = 2e-3;
  check_ok(lb_body_create(o->model, &def, &body, &err), err);
  double spin = set % 2 ? 20 * check_random(seed) : 0;
  ok(body, lb_body_set_velocity(body, lb_vec3(0, 0, 0), lb_scale(spin, lb_vec3(0.6, -0.2, 0.7))));
  lbBodyReport report = lb_body_report(body);
  double mass = report.mass, root = sqrt(report.kinetic);
  lbVec3 at, there, u = lb_vec3(0, 0, 0);
  hold.point_count = 1, hold.points = &point;
  ok(body, lb_body_add_constraint(body, &hold, &id));
  ok(body, lb_body_point(body, point, &at, NULL));
  for (int step = 0; step < 480; step++) {
    lbVec3 next = u;
    if (step < 90 && step % 9 == 0)
      next = lb_scale(amount, lb_vec3(check_random(seed), check_random(seed), check_random(seed)));
    if (step == 90) next = lb_vec3(0, 0, 0);
    root += sqrt(mass / 2) * distance(next, u);
    u = next, at = lb_add_scaled(at, h, u);
    lb_vec3_store(target, at);
    ok(body, lb_body_set_target(body, id, target));
    lb_body_step(body, h);
    report = lb_body_report(body);
    double energy = report.kinetic + report.elastic - lb_dot(u, report.linear_momentum) +
                    0.5 * mass * lb_dot(u, u);
    assert_true(isfinite(energy));
    *last = energy / (root * root);
    most = fmax(most, *last);
  }
  for (int step = 0; step < 600; step++) { // one that still spins may lag behind, and comes later
    ok(body, lb_body_point(body, point, &there, NULL));
    if (distance(at, there) < 1e-4) break;
    lb_body_step(body, h);
  }
  *off = fmax(*off, distance(at, there));
  lb_body_destroy(body);
  return most;
}

static void free_bodies_that_are_dragged_hard_at_60_hz_are_not_thrown_about(void **state) {
  (void)state;
  const int sets = CHECK_SANITIZED ? 2 : CHECK_CASES(40);
  for (int kind = 0; kind < 4; kind++) {
    bool modal = kind % 2, decoupled = kind / 2;
    Object o = make(false, 12, modal);
    uint64_t seed = 11;
    double most = 0, end = 0, off = 0;
    int over = 0;
    for (int set = 0; set < sets; set++) {
      double last = 0, here = drag_wildly(&o, modal, decoupled, set, &seed, &last, &off);
      most = fmax(most, here), end = fmax(end, last), over += here > 1.1;
    }
    print_message("%s%s: %.3g of the energy that the hand can give at most, above 1.1 in %d of %d, "
                  "%.3g at the end, %.2g m off\n",
                  modal ? "modal" : "subspace", decoupled ? ", decoupled" : "", most, over, sets,
                  end, off);
    assert_true(most < 30 && end < 0.1); // making up for a lag takes some energy too
    check_small(off, 1e-4);
    release(&o);
  }
}

// ---- driven ------------------------------------------------------------------------------------

// A frame that is accelerated is gravity the other way round.
static void an_accelerated_frame_is_felt_as_gravity(void **state) {
  (void)state;
  for (int modal = 0; modal < 2; modal++) {
    Object o = make(true, 10, modal);
    lbBody *driven = body_of(&o, LB_FRAME_DRIVEN, modal), *held = body_of(&o, LB_FRAME_HELD, modal);
    lbVec3 a = lb_vec3(1, -2, 3);
    double h = 0.001, worst = 0, most = 0;
    ok(held, lb_body_set_gravity(held, lb_scale(-1, a)));
    for (int step = 1; step <= 400; step++) {
      double t = step * h;
      lbFrame frame = { lb_scale(0.5 * t * t, a), { 0, 0, 0, 1 }, lb_scale(t, a), { 0, 0, 0 } };
      ok(driven, lb_body_drive(driven, &frame));
      assert_int_equal(lb_body_step(driven, h), 0);
      lb_body_step(held, h);
      double q[64], p[64];
      lb_body_get_state(driven, q, NULL), lb_body_get_state(held, p, NULL);
      for (int i = 0; i < 10; i++)
        worst = fmax(worst, fabs(q[i] - p[i])), most = fmax(most, fabs(p[i]));
    }
    print_message("differs by %.2e of the motion\n", worst / most);
    check_small(worst / most,
                modal ? 1e-9 : 2e-3); // Newmark starts from a in the one, not the other
    lb_body_destroy(driven), lb_body_destroy(held);
    release(&o);
  }
}

// The motion of a free body, given to the frame of a driven one.
static void a_driven_frame_feels_what_a_free_one_feels(void **state) {
  (void)state;
  double errors[2];
  Object o = make(false, 12, false);
  for (int fine = 0; fine < 2; fine++) {
    lbBody *free_body = body_of(&o, LB_FRAME_FREE, false);
    lbBody *driven = body_of(&o, LB_FRAME_DRIVEN, false);
    double h = fine ? 0.001 : 0.002, most = 0;
    kick(free_body, 1), kick(driven, 1);
    ok(free_body, lb_body_set_velocity(free_body, lb_vec3(0, 0, 0), lb_vec3(1, 5, 2)));
    lbFrame frame = lb_body_frame(free_body);
    ok(driven, lb_body_set_frame(driven, &frame));
    errors[fine] = 0;
    for (int step = 0; step < (int)(0.5 / h); step++) {
      lb_body_step(free_body, h);
      frame = lb_body_frame(free_body);
      ok(driven, lb_body_drive(driven, &frame));
      lb_body_step(driven, h);
      double q[64], p[64];
      lb_body_get_state(driven, q, NULL), lb_body_get_state(free_body, p, NULL);
      for (int i = 0; i < 12; i++)
        errors[fine] = fmax(errors[fine], fabs(q[i] - p[i])), most = fmax(most, fabs(p[i]));
    }
    errors[fine] /= most;
    lb_body_destroy(free_body), lb_body_destroy(driven);
  }
  print_message("differ by %.2e at 2 ms, %.2e at 1 ms\n", errors[0], errors[1]);
  assert_true(errors[0] < 1e-2 && errors[1] < 0.6 * errors[0]);
  release(&o);
}

static void frames_that_jump_are_flagged_and_nothing_is_felt(void **state) {
  (void)state;
  Object o = make(true, 10, false);
  lbBody *body = body_of(&o, LB_FRAME_DRIVEN, false);
  double q[64];
  ok(body, lb_body_drive_to(body, lb_vec3(100, 0, 0), lb_quat(0, 0, 0, 1)));
  assert_int_equal(lb_body_step(body, 0.01), LB_STEP_JUMPED);
  lb_body_get_state(body, q, NULL);
  for (int i = 0; i < 10; i++) assert_true(q[i] == 0);
  assert_true(lb_body_frame(body).position.x == 100);
  ok(body, lb_body_drive_to(body, lb_vec3(100, 0, 0), lb_quat(0, 1, 0, 0)));
  assert_int_equal(lb_body_step(body, 0.01), LB_STEP_JUMPED);
  assert_int_equal(lb_body_drive_to(body, lb_vec3(NAN, 0, 0), lb_quat(0, 0, 0, 1)),
                   LB_ERR_ARGUMENT);
  assert_int_equal(lb_body_drive_to(body, lb_vec3(0, 0, 0), lb_quat(0, 0, 0, 0)), LB_ERR_ARGUMENT);
  lb_body_destroy(body);
  release(&o);
}

static void states_of_moving_bodies_go_on_with_the_same_bits(void **state) {
  (void)state;
  Object o = make(false, 12, false);
  lbBody *body = body_of(&o, LB_FRAME_FREE, false);
  kick(body, 2);
  ok(body, lb_body_set_velocity(body, lb_vec3(1, 0, 0), lb_vec3(1, 5, 2)));
  for (int step = 0; step < 20; step++) lb_body_step(body, 0.01);
  size_t bytes = lb_body_state_bytes(body);
  char *saved = malloc(bytes);
  ok(body, lb_body_save_state(body, saved, bytes));
  assert_int_equal(lb_body_save_state(body, saved, bytes - 1), LB_ERR_ARGUMENT);
  lbVec3 ends[2];
  for (int pass = 0; pass < 2; pass++) {
    for (int step = 0; step < 20; step++) lb_body_step(body, 0.01);
    ok(body, lb_body_point(body, lb_point_node(3), &ends[pass], NULL));
    ok(body, lb_body_restore_state(body, saved, bytes));
  }
  assert_memory_equal(&ends[0], &ends[1], sizeof ends[0]);
  free(saved);
  lb_body_destroy(body);
  release(&o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(free_bodies_keep_their_momenta_to_round_off),
    cmocka_unit_test(reported_momenta_are_those_of_the_nodes),
    cmocka_unit_test(energy_of_a_spinning_body_drifts_by_second_order),
    cmocka_unit_test(a_thrown_spinning_bar_moves_like_the_unreduced_one),
    cmocka_unit_test(absurd_spins_and_shapes_stay_finite),
    cmocka_unit_test(fast_spins_create_no_energy),
    cmocka_unit_test(a_free_body_follows_what_holds_it),
    cmocka_unit_test(free_bodies_that_are_caught_or_dragged_stay_bounded),
    cmocka_unit_test(free_bodies_that_are_dragged_hard_at_60_hz_are_not_thrown_about),
    cmocka_unit_test(an_accelerated_frame_is_felt_as_gravity),
    cmocka_unit_test(a_driven_frame_feels_what_a_free_one_feels),
    cmocka_unit_test(frames_that_jump_are_flagged_and_nothing_is_felt),
    cmocka_unit_test(states_of_moving_bodies_go_on_with_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
