// A step that stays open while forces at contact points are found: it is linearised once, and these
// forces do what applied forces do.
#include "../world/contact_worlds.h"

#include "body/body.h"
#include "body/response.h"

#define H (1.0 / 60)
#define FIXED "'fixed':{'box':[[-9,-9,-9],[1e-9,9,9]]},"
#define WARP "'method':'warp','warp':{'iterations':400}"
#define FRAMES "'method':'frames','frames':{'count':4,'samples':60}"

enum { STEPS = 20 };

// Warp's systems are solved by conjugate gradients, to 1e-3 of the residual in an ordinary step.
static const struct {
  const char *keys;
  lbIntegrator integrator;
  double tolerance; // of the largest coordinate
} kinds[] = {
  { BLOCK "," FIXED MODAL, LB_INTEGRATOR_NEWMARK, 1e-12 },
  { BLOCK "," FIXED SUBSPACE, LB_INTEGRATOR_NEWMARK, 1e-12 },
  { BLOCK "," FIXED SUBSPACE, LB_INTEGRATOR_EULER, 1e-12 },
  { BLOCK "," FRAMES, LB_INTEGRATOR_EULER, 1e-12 },
  { BLOCK "," FIXED WARP, LB_INTEGRATOR_EULER, 5e-3 },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static lbBody *make_body(const lbModel *model, lbIntegrator integrator) {
  lbBodyDef def = lb_body_def();
  lbBody *body = NULL;
  lbError err;
  def.integrator = integrator;
  check_ok(lb_body_create(model, &def, &body, &err), err);
  check_ok(lb_touch_make(body, &err), err);
  return body;
}

static lbContactPoint contact_point_on(int32_t triangle) {
  lbContactPoint contact_point = { .kind = LB_POINT_SURFACE,
                                   .triangle = triangle,
                                   .weights = { 1, 0, 0 },
                                   .axes = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
  return contact_point;
}

// The last vertex of the surface that a triangle begins with: away from what is fixed.
static int32_t farthest_triangle(const lbModel *model) {
  int32_t best = 0;
  double most = -INFINITY;
  for (int32_t t = 0; t < model->size.triangle_count; t++) {
    const double *x = model->vertex_positions + 3 * (size_t)model->triangles[3 * t];
    double far = x[0] + 0.1 * x[1] + 0.01 * x[2];
    if (far > most) most = far, best = t;
  }
  return best;
}

static int32_t step_with_contact(lbBody *body, lbContactPoint *contact_point, lbVec3 force) {
  lbTouching t;
  lbVec3 way;
  double forces[3];
  lb_vec3_store(forces, force);
  assert_true(lb_touch_open(&t, body, H));
  lb_touch_ways(&t, 1, contact_point, &way);
  lb_touch_close(&t);
  lb_touch_hold(&t, 1, contact_point, forces);
  return lb_body_step(body, H);
}

// m: of the surfaces of two bodies, and how far the first is from where it was at rest.
static double difference(const lbBody *a, const lbBody *b, double *largest) {
  const lbModel *model = lb_body_model(a);
  double x[900], y[900], worst = 0;
  assert_true(3 * model->size.vertex_count <= 900);
  lb_body_surface(a, x), lb_body_surface(b, y);
  *largest = 0;
  for (int i = 0; i < 3 * model->size.vertex_count; i++) {
    worst = fmax(worst, fabs(x[i] - y[i]));
    *largest = fmax(*largest, fabs(x[i] - model->vertex_positions[i]));
  }
  return worst;
}

static void a_contact_force_moves_a_body_as_an_applied_one_does(void **state) {
  (void)state;
  const lbVec3 force = { 0.4, -0.7, 1.1 };
  for (int k = 0; k < KINDS; k++) {
    lbModel *model = body_model(kinds[k].keys);
    lbBody *touched = make_body(model, kinds[k].integrator);
    lbBody *pushed = make_body(model, kinds[k].integrator);
    int32_t triangle = farthest_triangle(model);
    lbContactPoint contact_point = contact_point_on(triangle);
    lbPointForce load = { lb_point_vertex(model->triangles[3 * triangle]), force };
    double largest, worst = 0;
    // Newmark's rule takes the mean of applied forces at both ends of a step.
    assert_int_equal(lb_body_start(pushed, 1, &load), LB_OK);
    for (int i = 0; i < STEPS; i++) {
      assert_int_equal(step_with_contact(touched, &contact_point, force), 0);
      assert_int_equal(lb_body_apply_force(pushed, load.point, force), LB_OK);
      assert_int_equal(lb_body_step(pushed, H), 0);
      worst = fmax(worst, difference(touched, pushed, &largest));
    }
    print_message("kind %d: off by %.1e of %.1e\n", k, worst, largest);
    check_small(worst, kinds[k].tolerance * largest);
    lb_body_destroy(touched), lb_body_destroy(pushed);
    lb_model_destroy(model);
  }
}

static void what_is_opened_is_what_is_stepped(void **state) {
  (void)state;
  for (int k = 0; k < KINDS; k++) {
    lbModel *model = body_model(kinds[k].keys);
    lbBody *body = make_body(model, kinds[k].integrator);
    lbContactPoint contact_point = contact_point_on(farthest_triangle(model));
    for (int i = 0; i < STEPS; i++) {
      int64_t before = body->counts.factorings;
      step_with_contact(body, &contact_point, lb_vec3(0.2, 0.1, -0.3));
      assert_int_equal(body->counts.factorings - before, 1);
      assert_null(body->open);
    }
    lb_body_destroy(body);
    lb_model_destroy(model);
  }
}

// A free body has the momentum of all forces that were held over its steps; nodes take the torque
// of a force where they are at the step's start.
static void held_forces_become_momentum(void **state) {
  (void)state;
  const char *const free_bodies[] = { BLOCK "," MODAL, BLOCK "," SUBSPACE, BLOCK "," FRAMES,
                                      BLOCK "," WARP };
  const lbVec3 force = { 0.4, -0.7, 1.1 };
  for (size_t k = 0; k < sizeof free_bodies / sizeof *free_bodies; k++) {
    lbModel *model = body_model(free_bodies[k]);
    lbBody *body = make_body(model, k < 2 ? LB_INTEGRATOR_NEWMARK : LB_INTEGRATOR_EULER);
    lbContactPoint contact_point = contact_point_on(farthest_triangle(model));
    assert_int_equal(lb_body_set_damping(body, 0, 0.002), LB_OK);
    lb_body_set_velocity(body, lb_vec3(1, 2, 3), lb_vec3(0.3, 0.1, -0.2));
    lbBodyReport before = lb_body_report(body), after;
    lbVec3 angular = before.angular_momentum;
    for (int i = 0; i < STEPS; i++) {
      step_with_contact(body, &contact_point, force);
      angular = lb_add_scaled(angular, H, lb_cross(contact_point.point, force));
    }
    after = lb_body_report(body);
    lbVec3 want = lb_add_scaled(before.linear_momentum, STEPS * H, force);
    double off = lb_length(lb_sub(after.linear_momentum, want)) / lb_length(want);
    double off_angular = lb_length(lb_sub(after.angular_momentum, angular)) / lb_length(angular);
    print_message("free body %d: momentum off by %.1e, angular by %.1e\n", (int)k, off,
                  off_angular);
    check_small(off, 1e-12);
    check_small(off_angular, k < 2 ? 1e-12 : 1e-2);
    lb_body_destroy(body);
    lb_model_destroy(model);
  }
}

static void an_abandoned_step_leaves_the_body_as_it_was(void **state) {
  (void)state;
  CheckedHeap heap = { .fail_at = -1 };
  lbAllocator allocator = checked_allocator(&heap);
  lb_set_allocator(&allocator);
  for (int k = 0; k < KINDS; k++) {
    lbModel *model = body_model(kinds[k].keys);
    lbBody *body = make_body(model, kinds[k].integrator);
    lbBody *other = make_body(model, kinds[k].integrator);
    lbContactPoint contact_point = contact_point_on(farthest_triangle(model));
    lbTouching t;
    double largest;
    int64_t count = 0;
    for (int i = 0; i < STEPS; i++) {
      step_with_contact(other, &contact_point, lb_vec3(0.2, 0.1, -0.3));
      for (int n = 0; n < 3; n++) assert_true(lb_touch_open(&t, body, H)); // without an end
      lb_touch_abandon(body);
      assert_null(body->open);
      step_with_contact(body, &contact_point, lb_vec3(0.2, 0.1, -0.3));
      if (i == 0) count = heap.count;
      assert_int_equal(heap.count, count);
    }
    check_small(difference(body, other, &largest), 0);
    lb_body_destroy(body), lb_body_destroy(other);
    lb_model_destroy(model);
  }
  assert_int_equal(heap.live, 0);
  lb_set_allocator(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_contact_force_moves_a_body_as_an_applied_one_does),
    cmocka_unit_test(what_is_opened_is_what_is_stepped),
    cmocka_unit_test(held_forces_become_momentum),
    cmocka_unit_test(an_abandoned_step_leaves_the_body_as_it_was),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
