// Subspace bodies that were dragged about wildly and let go: with lbBodyDef.recover all of them
// come back to rest, smoothly; bodies that something keeps bent are left alone.
#include "../fem/fem_problems.h"
#include "limber/build.h"

#define DIMENSION 15
#define RELEASES CHECK_CASES(80)
#define PERIODS 40 // of the lowest mode, within which a body of the tests is at rest again

typedef struct Object {
  lbModel *model;
  double size, period; // m, s: of the lowest mode
} Object;

// Held where it is lowest along an axis.
static Object reduce(lbMesh *mesh, int axis, double young) {
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  material.young = young, material.poisson = 0.4, material.density = 1000;
  double low = INFINITY, high = -INFINITY;
  for (size_t i = (size_t)axis; i < 3 * (size_t)mesh->vertex_count; i += 3) {
    low = fmin(low, mesh->positions[i]);
    high = fmax(high, mesh->positions[i]);
  }
  bool *fixed = side(mesh, axis, low);
  lbFem *fem = fem_of_mesh(mesh, &material, fixed, LB_MASS_CONSISTENT);
  lbReduceDef def = lb_reduce_def();
  lbSubspaceDef subspace = lb_subspace_def();
  lbError err;
  Object o = { .size = high - low };
  subspace.basis.mode_count = 10, subspace.basis.dimension = DIMENSION;
  check_ok(lb_reduce_subspace(mesh, fem, &def, &subspace, &o.model, &err), err);
  o.period = 2 * LB_PI / sqrt(o.model->modal_eigenvalues[0]);
  lb_fem_destroy(fem);
  lb_mesh_destroy(mesh);
  free(fixed);
  return o;
}

static Object make_bar(void) {
  return reduce(box_mesh(LB_ELEMENT_TET4, 8, 2, 2, 1.2, 0.2, 0.2), 0, 2e5);
}

static Object make_tee(void) {
  lbShapeDef def = lb_shape_def("tee");
  lbMesh *mesh = NULL;
  lbError err;
  check_ok(lb_shape_volume(&def, &mesh, &err), err);
  return reduce(mesh, 2, 3e5);
}

static lbBody *make_body(const Object *o, lbIntegrator integrator, bool recover) {
  lbBodyDef def = lb_body_def();
  lbBody *body = NULL;
  lbError err;
  def.method = LB_METHOD_SUBSPACE;
  def.integrator = integrator;
  def.recover = recover;
  def.damping_mass = 0.2 * 2 * LB_PI / o->period,
  def.damping_stiffness = 0.04 * o->period / (2 * LB_PI);
  check_ok(lb_body_create(o->model, &def, &body, &err), err);
  return body;
}

static double step_of(const lbBody *body) {
  return fmin(1.0 / 60, 0.5 * lb_body_stable_step(body));
}

static double energy_of(const lbBody *body) {
  lbBodyReport report = lb_body_report(body);
  return report.kinetic + report.elastic;
}

// A point of the surface goes from place to place, tens of sizes a second, and is let go.
static void drag(lbBody *body, const Object *o, int set, uint64_t *seed) {
  double h = step_of(body), target[3];
  int32_t id = -1, count = (int32_t)(1.5 / h);
  lbPoint point =
      lb_point_vertex((int32_t)(0.49 * (1 + check_random(seed)) * o->model->size.vertex_count));
  lbConstraintDef def = lb_constraint_def();
  lbVec3 at, along = lb_vec3(0, 0, 0);
  def.point_count = 1, def.points = &point;
  if (set % 3)
    def.stiffness = o->model->rigid_mass[0] * pow(2 * LB_PI / o->period, 2) * pow(10, set % 4 - 1);
  assert_int_equal(lb_body_point(body, point, &at, NULL), LB_OK);
  assert_int_equal(lb_body_add_constraint(body, &def, &id), LB_OK);
  for (int32_t i = 0; i < count; i++) {
    if (i % (count / 10) == 0)
      along = lb_vec3(check_random(seed), check_random(seed), check_random(seed));
    at = lb_add_scaled(at, 20 * o->size * h, along);
    lb_vec3_store(target, at);
    assert_int_equal(lb_body_set_target(body, id, target), LB_OK);
    lb_body_step(body, h);
  }
  assert_int_equal(lb_body_remove_constraint(body, id), LB_OK);
}

typedef struct Counts {
  int home, stuck, led;
  double latest; // periods
  double grown;  // energy against that at the start
  double lifted; // that of a body that is led against what it may be
  double jump;   // sizes a period, of a vertex that is led
} Counts;

static double farthest(const lbBody *body, const double *before, double *now) {
  double most = 0;
  lb_body_surface(body, now);
  for (int32_t i = 0; i < 3 * lb_body_model(body)->size.vertex_count; i++)
    most = fmax(most, fabs(now[i] - before[i]));
  return most;
}

// The energy that linear elasticity has in the body's shape.
static double linear_energy(const lbBody *body, lbBody *other) {
  double q[DIMENSION], v[DIMENSION] = { 0 };
  lb_body_get_state(body, q, NULL);
  for (int i = 0; i < DIMENSION; i++) q[i] *= 1e-5;
  assert_int_equal(lb_body_set_state(other, q, v), LB_OK);
  return 1e10 * lb_body_report(other).elastic;
}

static void let_go(lbBody *body, const Object *o, Counts *counts) {
  double h = step_of(body), scale = o->model->rigid_mass[0] * pow(o->size / o->period, 2);
  double before = energy_of(body), most = before, last = 0;
  size_t count = 3 * (size_t)o->model->size.vertex_count;
  double *now = calloc(count, sizeof *now), *old = calloc(count, sizeof *old);
  bool led = false, home = false;
  double bound = 0, start = before;
  lbBody *other = make_body(o, LB_INTEGRATOR_NEWMARK, false);
  for (double t = 0; t < PERIODS * o->period && !(home && t > last + 2 * o->period); t += h) {
    lb_body_surface(body, old);
    bool was_stuck = lb_body_flags(body) & LB_STEP_STUCK;
    if (was_stuck) start = energy_of(body), bound = linear_energy(body, other);
    int32_t flags = lb_body_step(body, h);
    double energy = energy_of(body);
    assert_true(isfinite(energy));
    if (flags & LB_STEP_RECOVERING) {
      led = true;
      counts->lifted = fmax(counts->lifted, energy / fmax(start, bound * (1.0 / 6 + 0.1)));
      counts->jump = fmax(counts->jump, farthest(body, old, now) / (o->size * h / o->period));
    } else
      most = fmax(most, energy);
    home = energy <= 1e-8 * scale;
    if (!home) last = t;
  }
  counts->home += home;
  counts->led += led;
  counts->stuck += (lb_body_flags(body) & LB_STEP_STUCK) != 0;
  if (home) counts->latest = fmax(counts->latest, last / o->period);
  counts->grown = fmax(counts->grown, most / before);
  free(now), free(old);
  lb_body_destroy(other);
}

static Counts release_all(const Object *o, lbIntegrator integrator, bool recover) {
  Counts counts = { 0 };
  uint64_t seed = 5;
  for (int set = 0; set < RELEASES; set++) {
    lbBody *body = make_body(o, integrator, recover);
    drag(body, o, set, &seed);
    let_go(body, o, &counts);
    lb_body_destroy(body);
  }
  print_message(
      "recover %d, integrator %d: %d of %d at rest after %.1f periods at most, %d stuck, "
      "%d led back; energy grew to %.3g, led to %.3g of what it may be; vertices were led by "
      "%.3g sizes a period\n",
      recover, (int)integrator, counts.home, RELEASES, counts.latest, counts.stuck, counts.led,
      counts.grown, counts.lifted, counts.jump);
  return counts;
}

static void bodies_that_were_dragged_wildly_all_come_back(void **state) {
  (void)state;
  Object objects[2] = { make_bar(), make_tee() };
  int led = 0;
  for (int i = 0; i < 2; i++) {
    for (int central = 0; central < 2; central++) {
      Counts counts =
          release_all(&objects[i], central ? LB_INTEGRATOR_CENTRAL : LB_INTEGRATOR_NEWMARK, true);
      assert_int_equal(counts.home, RELEASES);
      // Explicit steps begin with the damping that a hard drag left in the acceleration.
      assert_true(counts.grown < (central ? 20 : 1.1));
      assert_true(counts.lifted <= 1);
      assert_true(counts.jump < 50);
      led += counts.led;
    }
    lb_model_destroy(objects[i].model);
  }
  assert_true(led >= RELEASES / 8); // there was something to do
}

// Held down by a spring, pushed by a ball, under its weight, under a load: left where they are, and
// what the body does is what it does without recovery, to the last bit.
static void bodies_that_something_keeps_bent_are_left_alone(void **state) {
  (void)state;
  Object o = make_bar();
  lbPoint tip = lb_point_vertex(o.model->size.vertex_count - 1);
  for (int kind = 0; kind < 4; kind++) {
    double q[2][DIMENSION];
    for (int recover = 0; recover < 2; recover++) {
      lbBody *body = make_body(&o, LB_INTEGRATOR_NEWMARK, recover);
      lbConstraintDef def = lb_constraint_def();
      lbVec3 at;
      int32_t id;
      assert_int_equal(lb_body_point(body, tip, &at, NULL), LB_OK);
      double target[3] = { at.x - 0.4 * o.size, at.y, at.z - 0.5 * o.size };
      def.point_count = 1, def.points = &tip, def.targets = target;
      if (kind == 0) assert_int_equal(lb_body_add_constraint(body, &def, &id), LB_OK);
      if (kind == 1) assert_int_equal(lb_body_set_gravity(body, lb_vec3(0, 0, -9.81)), LB_OK);
      for (int step = 0; step < (CHECK_SANITIZED ? 400 : 2000); step++) {
        lbBall ball = { .centre = { at.x, at.y, at.z - 0.1 * fmin(1, step / 600.0) },
                        .radius = 0.1,
                        .stiffness = 1e5 };
        if (kind == 2) assert_int_equal(lb_body_push_ball(body, &ball, 1.0 / 60, NULL), LB_OK);
        if (kind == 3) assert_int_equal(lb_body_apply_force(body, tip, lb_vec3(0, -20, 5)), LB_OK);
        int32_t flags = lb_body_step(body, 1.0 / 60);
        assert_int_equal(flags & (LB_STEP_STUCK | LB_STEP_RECOVERING), 0);
      }
      lb_body_get_state(body, q[recover], NULL);
      assert_true(lb_body_report(body).elastic > 1e-3);
      lb_body_destroy(body);
    }
    assert_memory_equal(q[0], q[1], sizeof q[0]);
  }
  lb_model_destroy(o.model);
}

// Leads a body of false equilibrium back; with and without weight.
static lbBody *make_stuck(const Object *o, lbBodyDef def, uint64_t seed) {
  for (int set = 0; set < 60; set++) {
    lbBody *body = NULL;
    lbError err;
    check_ok(lb_body_create(o->model, &def, &body, &err), err);
    drag(body, o, set, &seed);
    for (int step = 0; step < 3000; step++)
      if (lb_body_step(body, 1.0 / 60) & LB_STEP_STUCK) return body;
    lb_body_destroy(body);
  }
  fail_msg("none got stuck");
  return NULL;
}

static lbBodyDef plain_def(const Object *o) {
  lbBodyDef def = lb_body_def();
  def.method = LB_METHOD_SUBSPACE;
  def.damping_mass = 0.2 * 2 * LB_PI / o->period;
  def.damping_stiffness = 0.04 * o->period / (2 * LB_PI);
  return def;
}

// A grab ends it, a saved state goes on with it, and a body under its weight comes to its sag.
static void the_way_back_can_be_left_saved_and_taken_under_gravity(void **state) {
  (void)state;
  Object o = make_bar();
  lbBodyDef def = plain_def(&o);
  lbBody *body = make_stuck(&o, def, 5);
  assert_int_equal(lb_body_set_recover(body, true), LB_OK);
  for (int step = 0; !(lb_body_step(body, 1.0 / 60) & LB_STEP_RECOVERING); step++)
    assert_true(step < 600);
  for (int step = 0; step < 10; step++)
    assert_int_equal(lb_body_step(body, 1.0 / 60), LB_STEP_RECOVERING);
  size_t bytes = lb_body_state_bytes(body);
  void *saved = malloc(bytes);
  assert_int_equal(lb_body_save_state(body, saved, bytes), LB_OK);
  double q[2][DIMENSION];
  for (int i = 0; i < 2; i++) {
    assert_int_equal(lb_body_restore_state(body, saved, bytes), LB_OK);
    for (int step = 0; step < 40; step++) lb_body_step(body, 1.0 / 60);
    lb_body_get_state(body, q[i], NULL);
  }
  assert_memory_equal(q[0], q[1], sizeof q[0]);
  assert_int_equal(lb_body_restore_state(body, saved, bytes), LB_OK);
  lbPoint tip = lb_point_vertex(o.model->size.vertex_count - 1);
  lbConstraintDef grab = lb_constraint_def();
  int32_t id;
  grab.point_count = 1, grab.points = &tip;
  assert_int_equal(lb_body_add_constraint(body, &grab, &id), LB_OK);
  assert_int_equal(lb_body_step(body, 1.0 / 60) & LB_STEP_RECOVERING, 0);
  free(saved);
  lb_body_destroy(body);

  def.gravity = lb_vec3(0, 0, -2);
  lbBody *sags = NULL;
  lbError err;
  check_ok(lb_body_create(o.model, &def, &sags, &err), err);
  def.recover = true;
  body = make_stuck(&o, def, 5);
  for (int step = 0; step < 6000; step++)
    lb_body_step(body, 1.0 / 60), lb_body_step(sags, 1.0 / 60);
  lbVec3 a, b;
  lb_body_point(body, tip, &a, NULL), lb_body_point(sags, tip, &b, NULL);
  check_small(lb_length(lb_sub(a, b)) / o.size, 1e-4);
  lb_body_destroy(body), lb_body_destroy(sags);
  lb_model_destroy(o.model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bodies_that_were_dragged_wildly_all_come_back),
    cmocka_unit_test(bodies_that_something_keeps_bent_are_left_alone),
    cmocka_unit_test(the_way_back_can_be_left_saved_and_taken_under_gravity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
