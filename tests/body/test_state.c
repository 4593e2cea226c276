// Saving and restoring: a body goes on exactly as it did, and bad bytes do it no harm.
#include "toy_model.h"

// A body in the middle of everything: moving, pushed, pulled, constrained.
static lbBody *busy_body(const Toy *toy, int32_t ids[3]) {
  lbBodyDef def = toy_turned();
  def.gravity = lb_vec3(0, 1, -9.81);
  lbBody *body = toy_body(toy, &def);
  toy_shake(body, 0.01, 4);
  lbPoint points[4] = { lb_point_vertex(20), lb_point_triangle(31, 0.2, 0.3, 0.5),
                        lb_point_vertex(40), lb_point_node(33) };
  uint8_t axes[2] = { 3, 7 };
  const double rates[6] = { 0.1, 0, 0, 0, 0.2, 0 };
  lbConstraintDef c = lb_constraint_def();
  c.point_count = 1, c.points = points, c.force_point_count = 1, c.force_points = points + 3;
  body_ok(body, lb_body_add_constraint(body, &c, &ids[0]));
  c = lb_constraint_def();
  c.kind = LB_CONSTRAIN_VELOCITY, c.point_count = 2, c.points = points + 1, c.axes = axes,
  c.targets = rates;
  body_ok(body, lb_body_add_constraint(body, &c, &ids[1]));
  body_ok(body, lb_body_remove_constraint(body, ids[0]));
  c = lb_constraint_def();
  c.point_count = 1, c.points = points;
  body_ok(body, lb_body_add_constraint(body, &c, &ids[2]));
  for (int i = 0; i < 5; i++) lb_body_step(body, 0.01);
  body_ok(body, lb_body_set_placement(body, lb_vec3(1, 2, 3),
                                      lb_quat_from_axis_angle(lb_vec3(1, 0, 2), 0.3)));
  body_ok(body, lb_body_apply_force(body, points[2], lb_vec3(4, 5, 6)));
  return body;
}

static uint64_t play(lbBody *body, const int32_t ids[3]) {
  uint64_t hash = 0;
  double q[BAR_MODES], v[BAR_MODES];
  const double goal[3] = { 1.3, 2.1, 3.05 };
  for (int i = 0; i < 20; i++) {
    if (i == 5) body_ok(body, lb_body_set_target(body, ids[2], goal));
    if (i == 9) body_ok(body, lb_body_set_gravity(body, lb_vec3(1, 0, 0)));
    if (i == 12) body_ok(body, lb_body_remove_constraint(body, ids[1]));
    if (i == 15) body_refuses(body, lb_body_remove_constraint(body, ids[0]), "was removed");
    hash = check_hash(hash, &(int32_t){ lb_body_step(body, 0.008) }, 4);
    lb_body_get_state(body, q, v);
    double time = lb_body_time(body);
    hash = check_hash(check_hash(check_hash(hash, q, sizeof q), v, sizeof v), &time, sizeof time);
  }
  return hash;
}

static void a_restored_body_goes_on_to_the_last_bit(void **state) {
  (void)state;
  Toy toy = toy_bar();
  int32_t ids[3];
  lbBody *body = busy_body(&toy, ids), *other = toy_body(&toy, NULL);
  size_t bytes = lb_body_state_bytes(body);
  char *saved = malloc(bytes), *again = malloc(bytes);
  lb_body_save_state(body, saved, lb_body_state_bytes(body));
  uint64_t first = play(body, ids);
  body_ok(body, lb_body_restore_state(body, saved, bytes)); // back in time
  lb_body_save_state(body, again, lb_body_state_bytes(body));
  assert_memory_equal(saved, again, bytes);
  assert_true(play(body, ids) == first);
  toy_shake(other, 0.1, 9); // a body that was elsewhere
  body_ok(other, lb_body_apply_force(other, lb_point_node(40), lb_vec3(9, 9, 9)));
  body_ok(other, lb_body_restore_state(other, saved, bytes));
  assert_true(play(other, ids) == first);
  free(saved), free(again);
  lb_body_destroy(body), lb_body_destroy(other);
  toy_destroy(&toy);
}

static void a_body_of_a_batch_takes_the_state_of_a_single_one(void **state) {
  (void)state;
  Toy toy = toy_bar();
  int32_t ids[3];
  lbError err;
  lbBatch *batch = NULL;
  lbBatchDef def = lb_batch_def();
  def.count = 70, def.body.constrained_points = 16;
  check_ok(lb_batch_create(toy.model, &def, &batch, &err), err);
  lbBody *body = busy_body(&toy, ids), *member = lb_batch_body(batch, 67);
  size_t bytes = lb_body_state_bytes(body);
  char *saved = malloc(bytes);
  lb_body_save_state(body, saved, lb_body_state_bytes(body));
  body_ok(member, lb_body_restore_state(member, saved, bytes));
  assert_true(play(member, ids) == play(body, ids));
  free(saved);
  lb_body_destroy(body);
  lb_batch_destroy(batch);
  toy_destroy(&toy);
}

// Changes bytes and says whether the body took them; one that refused must be as it was.
static bool takes(lbBody *body, const char *bytes, size_t count) {
  size_t size = lb_body_state_bytes(body);
  char *before = malloc(size), *after = malloc(size);
  lb_body_save_state(body, before, lb_body_state_bytes(body));
  bool taken = lb_body_restore_state(body, bytes, count) == LB_OK;
  if (taken) {
    for (int i = 0; i < 3; i++) lb_body_step(body, 0.01);
    body_ok(body, lb_body_restore_state(body, before, size));
  }
  assert_int_equal(lb_body_state_bytes(body), size);
  lb_body_save_state(body, after, lb_body_state_bytes(body));
  assert_memory_equal(before, after, size);
  free(before), free(after);
  return taken;
}

static void bad_bytes_do_no_harm(void **state) {
  (void)state;
  Toy toy = toy_bar();
  int32_t ids[3];
  lbBody *body = busy_body(&toy, ids);
  size_t bytes = lb_body_state_bytes(body);
  char *saved = malloc(bytes + 8), *spoilt = malloc(bytes + 8);
  memset(saved, 0, bytes + 8);
  lb_body_save_state(body, saved, lb_body_state_bytes(body));
  assert_true(takes(body, saved, bytes));
  for (size_t count = 0; count < bytes; count += count < 200 ? 1 : 13)
    assert_false(takes(body, saved, count));
  assert_false(takes(body, saved, bytes + 8));
  uint64_t seed = 3;
  for (size_t at = 0; at < bytes; at++) { // each byte in turn: refused, or a legal other state
    memcpy(spoilt, saved, bytes);
    spoilt[at] = (char)(spoilt[at] + 1 + (int)(127 * fabs(check_random(&seed))));
    takes(body, spoilt, bytes);
    if (at < 24) assert_false(takes(body, spoilt, bytes)); // magic, version, dimension, model
  }
  double bad[] = { NAN, INFINITY, 1e300 };
  // Time, gravity and frame; then coordinates, rates and forces behind the header.
  const size_t stretches[2][2] = { { 24, 328 }, { 464, 464 + 8 * 3 * BAR_MODES } };
  for (int part = 0; part < 2; part++)
    for (size_t at = stretches[part][0]; at + 8 <= stretches[part][1]; at += 8)
      for (int k = 0; k < 3; k++) {
        memcpy(spoilt, saved, bytes);
        memcpy(spoilt + at, &bad[k], 8);
        assert_true(!takes(body, spoilt, bytes) || (k == 2 && at == 24)); // a late time is one
      }
  free(saved), free(spoilt);
  lb_body_destroy(body);
  toy_destroy(&toy);
}

static void states_of_other_models_and_too_many_constraints_are_refused(void **state) {
  (void)state;
  Toy toy = toy_bar(), whole = toy_whole();
  int32_t ids[3];
  lbBody *body = busy_body(&toy, ids), *other = toy_body(&whole, NULL);
  lbBodyDef def = lb_body_def();
  def.constrained_points = 2;
  lbBody *small = toy_body(&toy, &def);
  def = lb_body_def(), def.damping_mass = 3;
  lbBody *damped = toy_body(&toy, &def);
  size_t bytes = lb_body_state_bytes(body);
  char *saved = malloc(bytes);
  lb_body_save_state(body, saved, lb_body_state_bytes(body));
  body_refuses(other, lb_body_restore_state(other, saved, bytes), "another model");
  body_refuses(damped, lb_body_restore_state(damped, saved, bytes), "other damping");
  body_refuses(small, lb_body_restore_state(small, saved, bytes), "constrained_points");
  free(saved);
  lb_body_destroy(body), lb_body_destroy(other), lb_body_destroy(small), lb_body_destroy(damped);
  toy_destroy(&toy), toy_destroy(&whole);
}

static void coordinates_go_in_and_out(void **state) {
  (void)state;
  Toy toy = toy_whole();
  lbBody *body = toy_body(&toy, NULL);
  double q[24], v[24], a[24], b[24];
  for (int i = 0; i < 24; i++) q[i] = i, v[i] = -i;
  body_ok(body, lb_body_set_state(body, q, v));
  q[7] = NAN;
  body_refuses(body, lb_body_set_state(body, q, v), "coordinate 7");
  q[7] = 7, v[3] = 1e101;
  body_refuses(body, lb_body_set_state(body, q, v), "coordinate 3");
  v[3] = -3;
  lb_body_get_state(body, a, b);
  assert_memory_equal(a, q, sizeof q);
  assert_memory_equal(b, v, sizeof v);
  lb_body_destroy(body);
  toy_destroy(&toy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_restored_body_goes_on_to_the_last_bit),
    cmocka_unit_test(a_body_of_a_batch_takes_the_state_of_a_single_one),
    cmocka_unit_test(bad_bytes_do_no_harm),
    cmocka_unit_test(states_of_other_models_and_too_many_constraints_are_refused),
    cmocka_unit_test(coordinates_go_in_and_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
