// Subspace bodies that were dragged about wildly and let go: with lbBodyDef.recover all of them come
// back to rest, smoothly; bodies that something keeps bent are left alone.
#include "../fem/fem_problems.h"
#include "limber/build.h"

#define DIMENSION 15
#define RELEASES (CHECK_SANITIZED ? 8 : 80)
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
  def.damping_mass = 0.2 * 2 * LB_PI / o->period, def.damping_stiffness = 0;
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
  lbPoint point = lb_point_vertex(
      (int32_t)((0.5 + check_random(seed)) * 0.999 * o->model->size.vertex_count));
  lbConstraintDef def = lb_constraint_def();
  lbVec3 at, along = lb_vec3(0, 0, 0);
  def.point_count = 1, def.points = &point;
  if (set % 3)
    def.stiffness = o->model->rigid_mass[0] * pow(2 * LB_PI / o->period, 2) * pow(10, set % 4 - 1);
  assert_int_equal(lb_body_point(body, point, &at, NULL), LB_OK);
  assert_int_equal(lb_body_add_constraint(body, &def, &id), LB_OK);
  for (int32_t i = 0; i < count; i++) {
    if (i % (count / 10) == 0)
      along = lb_vec3(2 * check_random(seed), 2 * check_random(seed), 2 * check_random(seed));
    at = lb_add_scaled(at, 20 * o->size * h, along);
    lb_vec3_store(target, at);
    assert_int_equal(lb_body_set_target(body, id, target), LB_OK);
    lb_body_step(body, h);
  }
  assert_int_equal(lb_body_remove_constraint(body, id), LB_OK);
}

typedef struct Counts {
  int home, stuck, led;
  double latest, grown, jump; // periods; of the energy; of the size, of a node in a step
} Counts;

static double farthest(const lbBody *body, const double *before, double *now) {
  double most = 0;
  lb_body_surface(body, now);
  for (int32_t i = 0; i < 3 * lb_body_model(body)->size.vertex_count; i++)
    most = fmax(most, fabs(now[i] - before[i]));
  return most;
}

static void let_go(lbBody *body, const Object *o, Counts *counts) {
  double h = step_of(body), scale = o->model->rigid_mass[0] * pow(o->size / o->period, 2);
  double before = energy_of(body), most = before, last = 0;
  size_t count = 3 * (size_t)o->model->size.vertex_count;
  double *now = calloc(count, sizeof *now), *old = calloc(count, sizeof *old);
  bool led = false, home = false;
  for (double t = 0; t < PERIODS * o->period && !(home && t > last + 2 * o->period); t += h) {
    lb_body_surface(body, old);
    int32_t flags = lb_body_step(body, h);
    double energy = energy_of(body);
    assert_true(isfinite(energy));
    most = fmax(most, energy);
    if (flags & LB_STEP_RECOVERING) {
      led = true;
      counts->jump = fmax(counts->jump, farthest(body, old, now) / (o->size * h / o->period));
    }
    home = energy <= 1e-8 * scale;
    if (!home) last = t;
  }
  counts->home += home;
  counts->led += led;
  counts->stuck += (lb_body_flags(body) & LB_STEP_STUCK) != 0;
  if (home) counts->latest = fmax(counts->latest, last / o->period);
  counts->grown = fmax(counts->grown, most / before);
  free(now), free(old);
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
  print_message("recover %d, integrator %d: %d of %d at rest after %.1f periods at most, %d stuck, "
                "%d led back; energy grew to %.3g; a led step moved by %.3g sizes a period\n",
                recover, (int)integrator, counts.home, RELEASES, counts.latest, counts.stuck,
                counts.led, counts.grown, counts.jump);
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
      assert_true(counts.grown < 1.1);
      led += counts.led;
    }
    lb_model_destroy(objects[i].model);
  }
  print_message("%d led back in all\n", led);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bodies_that_were_dragged_wildly_all_come_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
