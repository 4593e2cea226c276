// Nonsense and absurdity: refused or survived. And memory: one block, none in a step.
#include "toy_model.h"

static bool all_is_finite(const lbBody *body) {
  double q[BAR_MODES], v[BAR_MODES];
  lb_body_get_state(body, q, v);
  for (int32_t i = 0; i < lb_body_dimension(body); i++)
    if (!isfinite(q[i]) || !isfinite(v[i])) return false;
  return true;
}

static void bad_defs_are_refused_by_field(void **state) {
  (void)state;
  Toy toy = toy_whole();
  lbBody *body = NULL;
  lbError err;
  const struct {
    size_t offset;
    double value;
    const char *part;
  } bad[] = {
    { offsetof(lbBodyDef, position.y), NAN, "position" },
    { offsetof(lbBodyDef, position.y), 1e200, "position" },
    { offsetof(lbBodyDef, rotation.w), 0, "rotation" },
    { offsetof(lbBodyDef, rotation.x), NAN, "rotation" },
    { offsetof(lbBodyDef, rotation.z), INFINITY, "rotation" },
    { offsetof(lbBodyDef, gravity.z), NAN, "gravity" },
    { offsetof(lbBodyDef, gravity.z), -1e120, "gravity" },
    { offsetof(lbBodyDef, damping_mass), -1, "damping_mass" },
    { offsetof(lbBodyDef, damping_stiffness), INFINITY, "damping_stiffness" },
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    lbBodyDef def = lb_body_def();
    memcpy((char *)&def + bad[i].offset, &bad[i].value, sizeof(double));
    check_fails(lb_body_create(toy.model, &def, &body, &err), LB_ERR_ARGUMENT, err, bad[i].part);
  }
  lbBodyDef def = lb_body_def();
  def.mode_count = -1;
  check_fails(lb_body_create(toy.model, &def, &body, &err), LB_ERR_ARGUMENT, err, "mode_count");
  def = lb_body_def(), def.constrained_points = 257;
  check_fails(lb_body_create(toy.model, &def, &body, &err), LB_ERR_ARGUMENT, err,
              "constrained_points");
  def.constrained_points = -1;
  check_fails(lb_body_create(toy.model, &def, &body, &err), LB_ERR_ARGUMENT, err,
              "constrained_points");
  def = lb_body_def(), def.method = LB_METHOD_WARP;
  check_fails(lb_body_create(toy.model, &def, &body, &err), LB_ERR_ARGUMENT, err, "\"warp\"");
  def.method = (lbMethod)77;
  check_fails(lb_body_create(toy.model, &def, &body, &err), LB_ERR_ARGUMENT, err, "method is 77");
  assert_null(body);
  lb_body_destroy(NULL);
  toy_destroy(&toy);
}

static void rotations_are_made_unit_length(void **state) {
  (void)state;
  Toy toy = toy_whole();
  lbBodyDef def = lb_body_def();
  const double scales[3] = { 1e-200, 3, 1e200 };
  for (int i = 0; i < 3; i++) {
    def.rotation = lb_quat_scale(scales[i], lb_quat(1, 2, -1, 3));
    lbBody *body = toy_body(&toy, &def);
    lbVec3 x, rest = lb_vec3_load(toy.model->node_positions + 3 * 7);
    body_ok(body, lb_body_point(body, lb_point_node(7), &x, NULL));
    check_small(toy_distance(x, lb_quat_rotate(lb_quat_normalise(lb_quat(1, 2, -1, 3)), rest)),
                1e-15);
    lb_body_destroy(body);
  }
  toy_destroy(&toy);
}

static void bad_input_leaves_a_body_as_it_was(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbBodyDef def = toy_turned();
  def.gravity = lb_vec3(0, 0, -9.81);
  lbBody *body = toy_body(&toy, &def);
  toy_shake(body, 0.01, 3);
  size_t bytes = lb_body_state_bytes(body);
  char *before = malloc(bytes), *after = malloc(bytes);
  lb_body_save_state(body, before, lb_body_state_bytes(body));
  const double numbers[] = { NAN, INFINITY, -INFINITY, 1e150, -1e308 };
  lbPoint point = lb_point_vertex(30);
  lbVec3 zero = lb_vec3(0, 0, 0);
  for (int i = 0; i < 5; i++) {
    lbVec3 bad = lb_vec3(0, numbers[i], 1);
    body_refuses(body, lb_body_apply_force(body, point, bad), "force is (0, ");
    body_refuses(body, lb_body_apply_impulse(body, point, bad), "impulse is (0, ");
    body_refuses(body, lb_body_set_gravity(body, bad), "gravity is");
    body_refuses(body, lb_body_set_velocity(body, bad, zero), "velocity is");
    body_refuses(body, lb_body_set_velocity(body, zero, bad), "velocity is");
    body_refuses(body, lb_body_set_placement(body, bad, lb_quat_identity()), "position is");
    if (i < 3)
      body_refuses(body, lb_body_set_placement(body, zero, lb_quat(0, 0, numbers[i], 1)),
                   "rotation is");
  }
  body_refuses(body, lb_body_set_placement(body, zero, lb_quat(0, 0, 0, 0)), "rotation is");
  const double steps[] = { 0, -0.0, -1, NAN, INFINITY, -INFINITY, 1.1e6 };
  for (int i = 0; i < 7; i++) assert_int_equal(lb_body_step(body, steps[i]), LB_STEP_REFUSED);
  assert_non_null(strstr(lb_body_message(body), "the time step is 1.1e+06 s"));
  lb_body_save_state(body, after, lb_body_state_bytes(body));
  assert_memory_equal(before, after, bytes);
  free(before), free(after);
  lb_body_destroy(body);
  toy_destroy(&toy);
}

static void absurd_drags_are_survived_and_forgotten(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbPoint point = lb_point_vertex(30);
  for (int kind = 0; kind < 4; kind++) // position by impulse, by force, velocity, acceleration
    for (int size = 0; size < 5; size++) {
      const double sizes[5] = { 1e3, 1e30, 1e90, 1e99, 1e100 };
      lbBodyDef def = lb_body_def();
      def.damping_mass = 5;
      lbBody *body = toy_body(&toy, &def);
      double target[3] = { sizes[size], -sizes[size], sizes[size] };
      lbConstraintDef c = lb_constraint_def();
      c.kind = kind < 2 ? LB_CONSTRAIN_POSITION : (lbConstraintKind)(kind - 1);
      c.point_count = 1, c.points = &point, c.targets = target;
      int32_t id;
      body_ok(body, lb_body_add_constraint(body, &c, &id));
      for (int step = 0; step < 50; step++) {
        target[step % 3] = -target[step % 3];
        body_ok(body, lb_body_set_target(body, id, target));
        int32_t flags = lb_body_step(body, 1.0 / 60);
        assert_true(flags == 0 || flags == LB_STEP_NONFINITE);
        if (size < 2) assert_int_equal(flags, 0);
        assert_true(all_is_finite(body));
      }
      body_ok(body, lb_body_remove_constraint(body, id));
      for (int step = 0; step < 30000; step++) lb_body_step(body, 1.0 / 60);
      double q[BAR_MODES];
      lb_body_get_state(body, q, NULL);
      for (int i = 0; i < BAR_MODES; i++) check_small(q[i], 1e-10);
      lb_body_destroy(body);
    }
  toy_destroy(&toy);
}

static void extreme_steps_and_forces_stay_finite(void **state) {
  (void)state;
  Toy toy = toy_bar();
  const double steps[] = { 1e-308, 5e-324, 1e-200, 1e-20, 1e-3, 1, 1e6 };
  for (int i = 0; i < 7; i++) {
    lbBody *body = toy_body(&toy, NULL);
    lbPoint point = lb_point_vertex(30);
    lbConstraintDef c = lb_constraint_def();
    c.point_count = 1, c.points = &point;
    body_ok(body, lb_body_add_constraint(body, &c, NULL));
    for (int step = 0; step < 20; step++) {
      lb_body_apply_force(body, lb_point_vertex(31), lb_vec3(1e99, -1e98, 1e97));
      lb_body_apply_impulse(body, lb_point_vertex(32), lb_vec3(1e98, 1e98, 0));
      int32_t flags = lb_body_step(body, steps[i]);
      assert_true(flags == 0 || flags == LB_STEP_NONFINITE);
      assert_true(all_is_finite(body));
      lbBodyReport report = lb_body_report(body);
      assert_true(isfinite(report.kinetic) && isfinite(report.elastic));
    }
    lb_body_destroy(body);
  }
  toy_destroy(&toy);
}

// ---- memory ------------------------------------------------------------------------------------

static void first_constraints_and_picks_allocate_and_nothing_else_after_creation(void **state) {
  (void)state;
  Toy toy = toy_bar();
  CheckedHeap heap = { .fail_at = -1 };
  lbAllocator allocator = checked_allocator(&heap);
  lb_set_allocator(&allocator);
  lbBody *body = toy_body(&toy, NULL);
  int64_t made = heap.count;
  lbBatchDef def = lb_batch_def();
  lbBatch *batch = NULL;
  lbError err;
  def.count = 130, def.body.constrained_points = 2;
  check_ok(lb_batch_create(toy.model, &def, &batch, &err), err);
  assert_int_equal(heap.count, made + 2); // the bodies, and what holds them
  made = heap.count;
  lbPoint points[2] = { lb_point_vertex(30), lb_point_vertex(36) };
  static double x[3 * 256], n[3 * 256];
  static char saved[1 << 16];
  for (int step = 0; step < 5; step++) {
    lbConstraintDef c = lb_constraint_def();
    int32_t id;
    c.kind = (lbConstraintKind)(step % 3), c.point_count = 2, c.points = points;
    body_ok(body, lb_body_add_constraint(body, &c, &id));
    body_ok(body, lb_body_apply_force(body, points[0], lb_vec3(1, 2, 3)));
    lb_body_step(body, 0.01 * (1 + step));
    lb_body_surface(body, x);
    lb_body_surface_normals(body, x, n);
    lb_body_report(body);
    assert_true(lb_body_state_bytes(body) <= sizeof saved);
    lb_body_save_state(body, saved, lb_body_state_bytes(body));
    body_ok(body, lb_body_restore_state(body, saved, lb_body_state_bytes(body)));
    body_ok(body, lb_body_remove_constraint(body, id));
    lbBody *member = lb_batch_body(batch, 10 * step);
    body_ok(member, lb_body_add_constraint(member, &c, &id));
    lb_batch_step(batch, 0.01);
  }
  assert_int_equal(heap.count, made + 6); // room for constraints, of six bodies
  lbPick pick;
  bool hit;
  for (int i = 0; i < 3; i++) {
    body_ok(body, lb_body_pick(body, lb_vec3(0.6, 0.1, 5), lb_vec3(0, 0, -1), &pick, &hit));
    if (i == 0) heap.fail_at = heap.count; // none must follow
  }
  lb_body_destroy(body);
  lb_batch_destroy(batch);
  assert_int_equal(heap.live, 0);
  lb_set_allocator(NULL);
  toy_destroy(&toy);
}

static void failing_allocations_leave_nothing_behind(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbError err;
  for (int64_t fail_at = 0; fail_at < 40; fail_at++) {
    CheckedHeap heap = { .fail_at = fail_at };
    lbAllocator allocator = checked_allocator(&heap);
    lb_set_allocator(&allocator);
    lbBodyDef def = lb_body_def();
    lbBatchDef batch_def = lb_batch_def();
    lbBody *body = NULL;
    lbBatch *batch = NULL;
    lbPick pick;
    bool hit = false;
    batch_def.count = 3;
    lbStatus status = lb_body_create(toy.model, &def, &body, &err);
    if (status == LB_OK) {
      status = lb_body_pick(body, lb_vec3(0.6, 0.1, 5), lb_vec3(0, 0, -1), &pick, &hit);
      if (status) { // once more, with memory
        assert_int_equal(status, LB_ERR_MEMORY);
        body_ok(body, lb_body_pick(body, lb_vec3(0.6, 0.1, 5), lb_vec3(0, 0, -1), &pick, &hit));
      }
      assert_true(hit);
    }
    lbStatus batch_status = lb_batch_create(toy.model, &batch_def, &batch, &err);
    assert_true(heap.count <= fail_at || status == LB_ERR_MEMORY || batch_status == LB_ERR_MEMORY);
    assert_true((batch == NULL) == (batch_status != LB_OK));
    lb_body_destroy(body);
    lb_batch_destroy(batch);
    assert_int_equal(heap.live, 0);
    lb_set_allocator(NULL);
    if (heap.count <= fail_at) break; // every allocation had its turn
    assert_true(fail_at < 39);
  }
  toy_destroy(&toy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bad_defs_are_refused_by_field),
    cmocka_unit_test(rotations_are_made_unit_length),
    cmocka_unit_test(bad_input_leaves_a_body_as_it_was),
    cmocka_unit_test(absurd_drags_are_survived_and_forgotten),
    cmocka_unit_test(extreme_steps_and_forces_stay_finite),
    cmocka_unit_test(first_constraints_and_picks_allocate_and_nothing_else_after_creation),
    cmocka_unit_test(failing_allocations_leave_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
