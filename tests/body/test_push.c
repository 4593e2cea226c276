// A ball that pushes bodies: pressed in, driven through, at any stiffness and in both methods.
#include "geometry/aabb_tree.h"
#include "haptics/felt_bar.h"
#include "toy_subspace.h"

#define STEP (1.0 / 240)
#define RADIUS 0.08

static FeltBar bars[2]; // modal, subspace: their models serve all tests

static int make_models(void **state) {
  (void)state;
  for (int method = 0; method < 2; method++)
    bars[method] = felt_bar_by(method ? LB_METHOD_SUBSPACE : LB_METHOD_MODAL, 1);
  return 0;
}

static int free_models(void **state) {
  (void)state;
  for (int method = 0; method < 2; method++) felt_bar_destroy(&bars[method]);
  return 0;
}

static lbBody *make_body(int method, double damping) {
  lbBodyDef def = lb_body_def();
  lbBody *body = NULL;
  lbError err;
  def.method = method ? LB_METHOD_SUBSPACE : LB_METHOD_MODAL, def.damping_mass = damping;
  check_ok(lb_body_create(bars[method].model, &def, &body, &err), err);
  return body;
}

// How far the surface is from a place.
static double clearance(const lbBody *body, lbVec3 centre) {
  const lbModel *model = lb_body_model(body);
  double *positions = malloc(3 * (size_t)model->size.vertex_count * sizeof *positions);
  double least = INFINITY, weights[3];
  lb_body_surface(body, positions);
  lbTriangles surface = { model->size.triangle_count, model->triangles, positions };
  for (int32_t t = 0; t < surface.count; t++)
    least = fmin(least, lb_triangle_closest_point(centre, lb_triangle_corner(&surface, t, 0),
                                                  lb_triangle_corner(&surface, t, 1),
                                                  lb_triangle_corner(&surface, t, 2), weights));
  free(positions);
  return sqrt(least);
}

static double reach(const lbBody *body) {
  size_t count = 3 * (size_t)lb_body_model(body)->size.node_count;
  double *u = malloc(count * sizeof *u), most = 0;
  lb_body_node_displacements(body, u);
  for (size_t i = 0; i < count; i++) most = fmax(most, fabs(u[i])); // NaN is told by the energy
  free(u);
  return most;
}

static double energy(const lbBody *body) {
  lbBodyReport report = lb_body_report(body);
  return report.kinetic + report.elastic;
}

static lbVec3 push(lbBody *body, lbVec3 centre, double stiffness) {
  lbBall ball = { .centre = centre, .radius = RADIUS, .stiffness = stiffness };
  lbVec3 force = lb_vec3(0, 0, 0);
  if (lb_body_push_ball(body, &ball, STEP, &force)) fail_msg("%s", lb_body_message(body));
  assert_int_equal(lb_body_step(body, STEP) & (LB_STEP_NONFINITE | LB_STEP_REFUSED), 0);
  return force;
}

// Down on the end of the bar by half of its height, and held there: the surface lies on the ball,
// and the ball feels the force whose work bent the bar.
static void a_ball_pressed_on_a_bar_bends_it_and_lies_on_its_surface(void **state) {
  (void)state;
  for (int method = 0; method < 2; method++)
    for (int hard = 0; hard < 2; hard++) {
      lbBody *body = make_body(method, 6);
      double stiffness = hard ? INFINITY : 1e5, low = 0.2 + RADIUS - 0.1;
      lbVec3 centre = lb_vec3(1.2, 0.15, 0.2 + 1.1 * RADIUS), force = centre;
      for (int step = 0; step < 480; step++) {
        centre.z = fmax(low, centre.z - 0.3 * STEP);
        force = push(body, centre, stiffness);
      }
      double expected = 2 * energy(body) / 0.1;
      check_small((RADIUS - clearance(body, centre)) / RADIUS, 0.05);
      check_small(lb_body_report(body).kinetic / energy(body), 1e-3);
      check_near(lb_length(force) / expected, 1, 0.1);
      assert_true(force.z > 10 * fabs(force.y) && force.z > 5 * fabs(force.x));
      for (int step = 0; step < 720; step++) force = push(body, above(1), stiffness);
      assert_true(force.x == 0 && force.y == 0 && force.z == 0);
      check_small(reach(body), 1e-3);
      lb_body_destroy(body);
    }
}

// Faster and slower, from above, from the side, along it, out of the inside, and through the end
// that is held.
static void a_ball_driven_through_a_body_never_blows_it_up(void **state) {
  (void)state;
  const struct {
    lbVec3 from, by;
  } drives[] = {
    { { 1.03, 0.163, 0.6 }, { 0, 0, -1.2 } }, { { 0.7, -0.5, 0.12 }, { 0, 1.4, 0 } },
    { { 1.6, 0.14, 0.09 }, { -2, 0, 0 } },    { { 0.6, 0.15, 0.1 }, { 0, 0.1, 0.7 } },
    { { 0.03, 0.13, 0.6 }, { 0, 0, -1.2 } },  { { 0.3, 0.1, -0.5 }, { 1.2, 0, 1.2 } }
  };
  for (size_t i = 0; i < 2 * sizeof drives / sizeof *drives; i++) {
    lbBody *body = make_body((int)(i % 2), 6);
    double most = 0;
    for (int speed = 0; speed < 3; speed++) { // 1, 4 and 16 m/s
      const int steps = 256 >> (2 * speed);
      for (int step = 0; step < steps + 60; step++) {
        lbVec3 centre =
            lb_add_scaled(drives[i / 2].from, fmin(1, (step + 1.0) / steps), drives[i / 2].by);
        push(body, centre, speed ? INFINITY : 1e4);
        if (step % 4 == 0) most = fmax(most, reach(body));
      }
    }
    assert_true(isfinite(energy(body)));
    if (!(most < 2)) fail_msg("drive %d: a node moved by %g m", (int)i / 2, most);
    assert_true(most > 1e-3);
    for (int step = 0; step < 480; step++) push(body, above(1), 1);
    check_small(reach(body), 0.01); // and it comes back
    lb_body_destroy(body);
  }
}

// Energy with that of gravity.
static double total_energy(const lbBody *body) {
  return energy(body) + 9.81 * lb_body_model(body)->rigid_mass[0] * lb_body_report(body).centre.z;
}

// A ball that rests in the body's way takes its motion and gives none.
static void a_body_that_falls_on_a_ball_comes_to_rest_on_it(void **state) {
  (void)state;
  for (int method = 0; method < 2; method++) {
    lbBody *body = make_body(method, 6);
    lbVec3 centre = lb_vec3(1.1, 0.15, -0.01 - RADIUS), force = centre;
    assert_int_equal(lb_body_set_gravity(body, lb_vec3(0, 0, -9.81)), LB_OK);
    double start = total_energy(body), most = start, fastest = 0;
    for (int step = 0; step < 720; step++) {
      force = push(body, centre, INFINITY);
      if (step % 4) continue;
      most = fmax(most, total_energy(body));
      fastest = fmax(fastest, lb_body_report(body).kinetic);
    }
    check_small((most - start) / fastest, 0.01);
    check_small((RADIUS - clearance(body, centre)) / RADIUS, 0.05);
    assert_true(force.z < -1);
    // By Newmark's rule, fast shapes ring on under a hard ball until damping ends it.
    check_small(lb_body_report(body).kinetic / fastest, method ? 0.05 : 1e-4);
    lb_body_destroy(body);
  }
}

static void a_body_of_a_batch_is_pushed_as_one_alone(void **state) {
  (void)state;
  for (int method = 0; method < 2; method++) {
    lbBody *body = make_body(method, 1);
    lbBatchDef def = lb_batch_def();
    lbBatch *batch = NULL;
    lbError err;
    def.count = 66, def.body.damping_mass = 1;
    def.body.method = lb_body_method(body);
    check_ok(lb_batch_create(bars[method].model, &def, &batch, &err), err);
    lbBody *member = lb_batch_body(batch, 65);
    for (int step = 0; step < 40; step++) {
      lbBall ball = { above(RADIUS - 0.002 * step), lb_vec3(0, 0, -0.48), RADIUS, 1e4 };
      lbVec3 forces[2];
      for (int i = 0; i < 2; i++)
        assert_int_equal(lb_body_push_ball(i ? member : body, &ball, STEP, &forces[i]), LB_OK);
      assert_memory_equal(&forces[0], &forces[1], sizeof forces[0]);
      lb_body_step(body, STEP);
      lb_batch_step(batch, STEP);
    }
    double a[64], b[64], c[64];
    lb_body_get_state(body, a, NULL);
    lb_body_get_state(member, b, NULL);
    lb_body_get_state(lb_batch_body(batch, 64), c, NULL);
    assert_memory_equal(a, b, (size_t)lb_body_dimension(member) * sizeof *a);
    assert_true(fabs(a[0]) > 1e-4 && c[0] == 0);
    lb_batch_destroy(batch);
    lb_body_destroy(body);
  }
}

static void a_turned_body_of_central_differences_is_pushed_too(void **state) {
  (void)state;
  lbBodyDef def = lb_body_def();
  lbBody *body = NULL;
  lbError err;
  def.integrator = LB_INTEGRATOR_CENTRAL;
  def.position = lb_vec3(3, 1, -2), def.rotation = lb_quat(0, 0, 1, 0);
  check_ok(lb_body_create(bars[1].model, &def, &body, &err), err);
  double h = 0.2 * lb_body_stable_step(body);
  lbVec3 force = lb_vec3(0, 0, 0), own = above(RADIUS);
  for (int step = 0; step < 1000; step++) {
    own.z = 0.2 + RADIUS - 0.05 * step / 1000;
    lbVec3 centre = lb_vec3(3 - own.x, 1 - own.y, -2 + own.z);
    lbBall ball = { centre, lb_vec3(0, 0, -0.05 / 1000 / h), RADIUS, 1e5 };
    assert_int_equal(lb_body_push_ball(body, &ball, h, &force), LB_OK);
    lb_body_step(body, h);
    if (step == 999) check_small((RADIUS - clearance(body, centre)) / RADIUS, 0.05);
  }
  assert_true(force.z > 1);
  assert_true(reach(body) > 0.02 && reach(body) < 0.2);
  lb_body_destroy(body);
}

// Densities that are not the model's: the reduced mass is no longer the identity.
static void a_body_of_edited_densities_is_pushed_too(void **state) {
  (void)state;
  SubDef sub_def = sub_bar();
  sub_def.editable = true, sub_def.damping_mass = 10;
  SubToy sub = sub_make(sub_def);
  lbBody *body = sub_body(&sub, NULL);
  assert_int_equal(lb_body_set_material(body, 0, 1e5, 0.3, 4000), LB_OK);
  assert_int_equal(lb_body_set_material(body, 1, 4e5, 0.2, 300), LB_OK);
  lbVec3 centre = lb_vec3(1.1, 0.08, 0.1 + RADIUS), force = centre;
  for (int step = 0; step < 480; step++) {
    centre.z = fmax(0.05 + RADIUS, centre.z - 0.1 * STEP);
    force = push(body, centre, INFINITY);
  }
  check_small((RADIUS - clearance(body, centre)) / RADIUS, 0.05);
  check_small(lb_body_report(body).kinetic / energy(body), 5e-3);
  assert_true(force.z > 0.1 && reach(body) > 0.02 && reach(body) < 0.2);
  lb_body_destroy(body);
  sub_destroy(&sub);
}

static void pushes_that_are_none_are_refused(void **state) {
  (void)state;
  lbBody *body = make_body(0, 1);
  const struct {
    lbBall ball;
    double dt;
    const char *part;
  } bad[] = { { { .centre.x = NAN, .radius = 1, .stiffness = 1 }, STEP, "centre" },
              { { .velocity.y = INFINITY, .radius = 1, .stiffness = 1 }, STEP, "velocity" },
              { { .radius = 0, .stiffness = 1 }, STEP, "radius 0" },
              { { .radius = NAN, .stiffness = 1 }, STEP, "radius" },
              { { .radius = 1, .stiffness = 0 }, STEP, "stiffness 0" },
              { { .radius = 1, .stiffness = NAN }, STEP, "stiffness" },
              { { .radius = 1, .stiffness = 1 }, 0, "time step" },
              { { .radius = 1, .stiffness = 1 }, INFINITY, "time step" } };
  lbVec3 force = lb_vec3(7, 7, 7);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(lb_body_push_ball(body, &bad[i].ball, bad[i].dt, &force), LB_ERR_ARGUMENT);
    assert_non_null(strstr(lb_body_message(body), bad[i].part));
  }
  assert_true(force.x == 7);
  // Absurd, but numbers.
  const double sizes[] = { 1e-90, 1e-3, 1, 1e90 }, steps[] = { 1e-9, 1, 1e6 };
  for (int i = 0; i < 12; i++) {
    lbBall ball = { above(i % 2 ? 0 : 0.3), lb_vec3(0, 0, -1), sizes[i % 4],
                    i % 3 ? INFINITY : 1e-90 };
    assert_int_equal(lb_body_push_ball(body, &ball, steps[i / 4], NULL), LB_OK);
    lb_body_step(body, steps[i / 4]);
    assert_true(isfinite(energy(body)));
  }
  lb_body_destroy(body);
}

static void only_the_first_push_allocates_and_may_fail(void **state) {
  (void)state;
  for (int64_t fail_at = 0;; fail_at++) {
    CheckedHeap heap = { .fail_at = fail_at };
    lbAllocator allocator = checked_allocator(&heap);
    lb_set_allocator(&allocator);
    lbBodyDef def = lb_body_def();
    lbBody *body = NULL;
    lbError err;
    lbStatus status = lb_body_create(bars[fail_at % 2].model, &def, &body, &err);
    if (!status) {
      lbBall ball = { .centre = above(0), .radius = RADIUS, .stiffness = 1e4 };
      status = lb_body_push_ball(body, &ball, STEP, NULL);
      if (status) { // once more, with memory
        assert_int_equal(status, LB_ERR_MEMORY);
        assert_int_equal(lb_body_push_ball(body, &ball, STEP, NULL), LB_OK);
      }
      int64_t count = heap.count;
      for (int step = 0; step < 3; step++) push(body, above(0.01 * step), 1e4);
      assert_int_equal(heap.count, count);
    }
    assert_true(status == LB_OK || status == LB_ERR_MEMORY);
    lb_body_destroy(body);
    assert_int_equal(heap.live, 0);
    lb_set_allocator(NULL);
    if (heap.count <= fail_at) break;
    assert_true(fail_at < 40);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_ball_pressed_on_a_bar_bends_it_and_lies_on_its_surface),
    cmocka_unit_test(a_ball_driven_through_a_body_never_blows_it_up),
    cmocka_unit_test(a_body_that_falls_on_a_ball_comes_to_rest_on_it),
    cmocka_unit_test(a_body_of_a_batch_is_pushed_as_one_alone),
    cmocka_unit_test(a_turned_body_of_central_differences_is_pushed_too),
    cmocka_unit_test(a_body_of_edited_densities_is_pushed_too),
    cmocka_unit_test(pushes_that_are_none_are_refused),
    cmocka_unit_test(only_the_first_push_allocates_and_may_fail),
  };
  return cmocka_run_group_tests(tests, make_models, free_models);
}
