// Bodies of more frames than are factored whole: conjugate gradients.
#include "frame_bodies.h"

#define FRAMES 90
#define MANY(more)                                                                                 \
  "{'limber':1,'bodies':[{'name':'bar','method':'frames'," BEAM                                    \
  ",'material':{'young':1e5,'poisson':0.3,'density':1000,'model':'stable_neohookean'},'frames':{'" \
  "samples':700,'count':90}" more "}]}"

// Systems of a deformed body, by gradients beside LDLᵀ of the whole matrix.
static void gradients_solve_what_a_factor_solves(void **state) {
  (void)state;
  lbModel *model = model_of(MANY(""));
  lbBodyDef def = lb_body_def();
  lbBody *body = body_of(model, &def);
  body_ok(body, lb_body_apply_impulse(body, lb_point_node(TIP), lb_vec3(0.003, 0.03, -0.02)));
  steps(body, 3, 0.01);
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  lbScratch *scratch = lb_scratch_borrow(body->prepared);
  lbFramesWork *w = scratch->own;
  int32_t n = 6 * FRAMES;
  size_t padded = (size_t)lb_ldlt_padded(n);
  double *whole = calloc(padded * padded, sizeof *whole), *x = calloc(padded, sizeof *x);
  double *y = calloc(padded, sizeof *y), error = 0, size = 0;
  lbFrameSystem sums = { 0, w->gradient, w->loads, w->K, w->M };
  assert_int_equal(shared->count, FRAMES);
  assert_true(shared->pair_count < FRAMES * (FRAMES - 1) / 2);
  lb_frames_motions(body, w->start);
  lb_frames_sum(body, LB_FRAMES_FORCE | LB_FRAMES_TANGENT | LB_FRAMES_MASS, w->start,
                lb_frames_state(body)->poses, lb_frames_state(body)->velocity, w->room, &sums);
  lb_frames_combine(FRAMES, 1, w->M, 1e-4, w->K, w->factor);
  lb_frames_combine(FRAMES, 1, w->M, 1e-4, w->K, whole);
  for (int32_t i = 0; i < n; i++) x[i] = y[i] = sin(1 + i) + 0.1 * (i % 7);
  assert_true(lb_frames_factor(shared, NULL, w->factor));
  assert_true(lb_frames_solve(shared, w->factor, w->room, x));
  assert_true(shared->ldlt->factor(n, whole));
  shared->ldlt->solve(n, whole, y);
  for (int32_t i = 0; i < n; i++)
    error = fmax(error, fabs(x[i] - y[i])), size = fmax(size, fabs(y[i]));
  printf("  off by %.1e of the largest, %d pairs of %d\n", error / size, (int)shared->pair_count,
         FRAMES * (FRAMES - 1) / 2);
  check_small(error / size, 1e-9);
  // The product by pairs is that of the whole matrix.
  memset(y, 0, padded * sizeof *y);
  lb_frames_add_product(shared, 2, w->K, x, y);
  error = size = 0;
  for (int32_t i = 0; i < n; i++) {
    double sum = 0;
    for (int32_t j = 0; j < n; j++)
      sum += 2 *
             w->K[i >= j ? (size_t)i + (size_t)n * (size_t)j : (size_t)j + (size_t)n * (size_t)i] *
             x[j];
    error = fmax(error, fabs(sum - y[i])), size = fmax(size, fabs(sum));
  }
  check_small(error / size, 1e-12);
  lb_scratch_return(body->prepared, scratch);
  free(whole), free(x), free(y);
  lb_body_destroy(body), lb_model_destroy(model);
}

static void a_free_body_keeps_its_momenta(void **state) {
  (void)state;
  lbModel *model = model_of(MANY(""));
  lbBodyDef def = lb_body_def();
  lbBody *body = body_of(model, &def);
  body_ok(body, lb_body_set_velocity(body, lb_vec3(1, 2, 3), lb_vec3(2, -3, 1)));
  body_ok(body, lb_body_apply_impulse(body, lb_point_node(TIP), lb_vec3(0.003, 0.03, -0.02)));
  lbBodyReport before = lb_body_report(body);
  steps(body, CHECK_SANITIZED ? 2 : 10, 0.01);
  lbBodyReport after = lb_body_report(body);
  double linear =
      distance(after.linear_momentum, before.linear_momentum) / lb_length(before.linear_momentum);
  double angular = distance(after.angular_momentum, before.angular_momentum) /
                   lb_length(before.angular_momentum);
  printf("  momenta off by %.1e and %.1e\n", linear, angular);
  check_small(linear, 1e-12);
  check_small(angular, 1e-11);
  lb_body_destroy(body), lb_model_destroy(model);
}

// Constraints respond by the same systems.
static void a_held_body_sags_and_its_points_can_be_held(void **state) {
  (void)state;
  lbModel *model = model_of(MANY(",'fixed':{'box':[[-9,-9,-9],[0.01,9,9]]}"));
  lbBodyDef def = lb_body_def();
  def.gravity = lb_vec3(0, 0, -1), def.damping_mass = 5;
  lbBody *body = body_of(model, &def);
  lbVec3 start = where(body, TIP);
  steps(body, CHECK_SANITIZED ? 4 : 12, 0.02);
  assert_true(where(body, TIP).z < start.z);
  lbVec3 goal = lb_add(where(body, TIP), lb_vec3(0, 0, 1e-4));
  hold(body, TIP, goal);
  steps(body, 2, 0.02);
  check_small(distance(where(body, TIP), goal), 1e-9);
  lb_body_destroy(body), lb_model_destroy(model);
}

static void too_many_frames_are_refused(void **state) {
  (void)state;
  lbModel *model = model_of(MANY(""));
  lbBodyDef def = lb_body_def();
  lbBody *body = body_of(model, &def);
  assert_int_equal(lb_body_frames_set_forces(body, LB_FRAME_SPRINGS), LB_ERR_ARGUMENT);
  assert_non_null(strstr(lb_body_message(body), "springs"));
  assert_int_equal(lb_body_frames_forces(body), LB_FRAME_SAMPLES);
  lb_body_destroy(body), lb_model_destroy(model);
  check_refused(SCENE("'count':201", ""), "count");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(gradients_solve_what_a_factor_solves),
    cmocka_unit_test(a_free_body_keeps_its_momenta),
    cmocka_unit_test(a_held_body_sags_and_its_points_can_be_held),
    cmocka_unit_test(too_many_frames_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
