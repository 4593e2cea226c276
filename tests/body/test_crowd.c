// Subspace bodies of a batch step in lanes: each has the bits of a body of its own, whatever the
// damping, iterations and integrator, whatever acts on it, and whoever stands beside it.
#include "toy_subspace.h"
#include "threads/threads.h"

enum { COUNT = 29, MOST = 14 };

// What happens to body i before a step.
static void act(const SubToy *sub, lbBody *body, int i, int step) {
  uint64_t seed = (uint64_t)(100 * i + step + 1);
  for (int k = 0; k < 3; k++) check_random(&seed);
  lbVec3 push = lb_vec3(check_random(&seed), check_random(&seed), check_random(&seed));
  lbPoint tip = lb_point_node(sub_tip(sub));
  if (step == 1 && i % 3 == 0) body_ok(body, lb_body_apply_impulse(body, tip, lb_scale(0.3, push)));
  if (step % 4 == 2 && i % 4 == 0)
    body_ok(body, lb_body_apply_force(body, tip, lb_scale(20, push)));
  if (step == 6 && i % 7 == 3) // flung about: such steps are iterated, or taken by other rules
    body_ok(body, lb_body_apply_impulse(body, tip, lb_scale(40, push)));
  if (step == 9 && i % 9 == 4) constrain(body, LB_CONSTRAIN_POSITION, 1, &tip, NULL);
  if (step == 12 && i % 9 == 4) body_ok(body, lb_body_remove_constraint(body, 0));
  if (step == 14) body_ok(body, lb_body_set_gravity(body, lb_vec3(0, 0, 0)));
}

static void check_state(const lbBody *one, const lbBody *other, int i, int step) {
  double a[2][MOST] = { { 0 } }, b[2][MOST] = { { 0 } };
  lb_body_get_state(one, a[0], a[1]);
  lb_body_get_state(other, b[0], b[1]);
  if (memcmp(a, b, sizeof a) != 0) fail_msg("body %d differs after step %d", i, step);
  if (lb_body_flags(one) != lb_body_flags(other))
    fail_msg("body %d: flags %x, alone %x, after step %d", i, (unsigned)lb_body_flags(one),
             (unsigned)lb_body_flags(other), step);
}

// Returns the flags of all.
static int32_t compare(const SubToy *sub, int32_t modes, int32_t iterations,
                       lbIntegrator integrator, bool single, int now_and_then) {
  lbBatchDef def = lb_batch_def();
  lbBatch *batch = NULL;
  lbBody *alone[COUNT];
  lbError err;
  int32_t flags = 0;
  def.count = COUNT;
  def.body = sub_body_def();
  def.body.mode_count = modes, def.body.constrained_points = 2;
  def.body.gravity = lb_vec3(0, 1, -9.81);
  def.body.newton_iterations = iterations, def.body.integrator = integrator;
  def.body.single_precision = single;
  if (modes % 4 == 1) def.body.damping_mass = def.body.damping_stiffness = 0;
  if (modes % 4 == 3) def.body.damping_stiffness = 0;
  check_ok(lb_batch_create(sub->model, &def, &batch, &err), err);
  for (int i = 0; i < COUNT; i++) alone[i] = sub_body(sub, &def.body);
  for (int step = 0; step < 24; step++) {
    double h = step < 18 ? 4e-3 : 1e-3;
    for (int i = 0; i < COUNT; i++)
      act(sub, lb_batch_body(batch, i), i, step), act(sub, alone[i], i, step);
    if (now_and_then && step % now_and_then == 1)
      for (int i = 0; i < COUNT; i++) lb_body_step(lb_batch_body(batch, i), h);
    else
      lb_batch_step(batch, h);
    for (int i = 0; i < COUNT; i++) {
      flags |= lb_body_step(alone[i], h);
      check_state(lb_batch_body(batch, i), alone[i], i, step);
    }
  }
  for (int i = 0; i < COUNT; i++) lb_body_destroy(alone[i]);
  lb_batch_destroy(batch);
  return flags;
}

static void bodies_of_a_crowd_have_the_bits_of_bodies_alone(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_bar());
  int32_t flags = 0;
  for (int32_t modes = 1; modes <= MOST; modes += modes < 4 ? 1 : 5)
    flags |= compare(&sub, modes, 1, LB_INTEGRATOR_NEWMARK, modes % 2, modes % 3);
  flags |= compare(&sub, 13, 3, LB_INTEGRATOR_NEWMARK, false, 5);
  flags |= compare(&sub, 14, 1, LB_INTEGRATOR_EULER, false, 0);
  compare(&sub, 6, 1, LB_INTEGRATOR_CENTRAL, false, 0);
  assert_true(flags & LB_STEP_ADAPTED); // so that bodies that left the crowd were compared too
  sub_destroy(&sub);
}

static void workers_change_no_bit(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_bar());
  lbError err;
  check_ok(lb_threads_start(3, &err), err);
  compare(&sub, MOST, 1, LB_INTEGRATOR_NEWMARK, false, 0);
  lb_threads_stop();
  sub_destroy(&sub);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bodies_of_a_crowd_have_the_bits_of_bodies_alone),
    cmocka_unit_test(workers_change_no_bit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
