// Drags from event to event: far beyond what shapes can follow, without memory, and undone.
#include "toy_editor.h"

// ---- drags -------------------------------------------------------------------------------------

static void drags_beyond_the_shapes_stay_finite_and_come_back(void **state) {
  (void)state;
  Case c = make_case(sub_bar());
  uint64_t seed = 11;
  int events = CHECK_SANITIZED ? 30 : 300, flagged = 0, most = 0;
  lbError err;
  for (int i = 0; i < events; i++) {
    double far = i % 10 == 0 ? 20 : 0.5; // every tenth event jumps far away
    lbVec3 shift =
        lb_vec3(far * check_random(&seed), far * check_random(&seed), far * check_random(&seed));
    lbVec3 turn = lb_vec3(3 * check_random(&seed), 3 * check_random(&seed), check_random(&seed));
    lbEditResult r, again;
    move(c.editor, c.far_end, shift, turn);
    check_ok(lb_editor_follow(c.editor, &r, &err), err);
    double value = c.editor->bfgs.value;
    assert_true(isfinite(r.energy) && isfinite(r.handle_error));
    assert_true(r.iterations <= c.editor->def.iterations);
    check_ok(lb_editor_follow(c.editor, &again, &err), err); // it never rises
    assert_true(c.editor->bfgs.value <= value * (1 + 1e-10));
    flagged += (r.flags & LB_EDIT_BEYOND_SUBSPACE) != 0;
    most = r.evaluations > most ? r.evaluations : most;
  }
  print_message("%d events: %d beyond the shapes, at most %d evaluations\n", events, flagged, most);
  assert_true(flagged > events / 20);
  move(c.editor, c.far_end, lb_vec3(0, 0, 0), lb_vec3(0, 0, 0));
  lbEditResult r = settle(c.editor);
  double left = 0;
  for (int32_t i = 0; i < c.editor->count; i++) left = fmax(left, fabs(c.editor->bfgs.x[i]));
  check_small(left * c.editor->size, 1e-9);
  check_small(r.handle_error, 1e-9);
  assert_int_equal(r.flags, 0);
  destroy_case(&c);
}

static void drags_take_no_memory(void **state) {
  (void)state;
  Case c = make_case(sub_bar());
  CheckedHeap heap = { -1, 0, 0 };
  lbAllocator counting = { checked_allocate, checked_release, &heap };
  lbError err;
  move(c.editor, c.far_end, lb_vec3(0, 0, 0.1), lb_vec3(0, 0, 0));
  settle(c.editor);
  lb_set_allocator(&counting);
  for (int i = 0; i < 10; i++) {
    move(c.editor, c.far_end, lb_vec3(0, 0.01 * i, 0.1), lb_vec3(0.1 * i, 0, 0));
    check_ok(lb_editor_follow(c.editor, NULL, &err), err);
  }
  settle(c.editor);
  check_ok(lb_editor_remember(c.editor, &err), err);
  lb_editor_undo(c.editor);
  lb_set_allocator(NULL);
  assert_int_equal(heap.count, 0);
  destroy_case(&c);
}

static void every_failing_allocation_is_reported(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_bar());
  lbBody *body = sub_body(&sub, NULL);
  int64_t needed = -1;
  for (int64_t n = 0; n < 40 && needed < 0; n++) {
    CheckedHeap heap = { n, 0, 0 };
    lbAllocator failing = { checked_allocate, checked_release, &heap };
    lbEditorDef def = lb_editor_def();
    lbEditor *editor = NULL;
    lbError err;
    lbPoint points[2] = { lb_point_node(1), lb_point_node(2) };
    lbHandleDef handle = lb_handle_def();
    int32_t id;
    handle.name = "two", handle.points = points, handle.point_count = 2;
    lb_set_allocator(&failing);
    lbStatus status = lb_editor_create(body, &def, &editor, &err);
    if (!status) status = lb_editor_add_handle(editor, &handle, &id, &err);
    if (!status) status = lb_editor_settle(editor, NULL, &err);
    lb_editor_destroy(editor);
    lb_set_allocator(NULL);
    if (heap.count <= n)
      needed = n;
    else
      assert_true(status != LB_OK);
    if (needed >= 0) check_ok(status, err);
  }
  assert_true(needed > 0);
  lb_body_destroy(body);
  sub_destroy(&sub);
}

// ---- undo --------------------------------------------------------------------------------------

static void undo_and_redo_are_exact(void **state) {
  (void)state;
  Case c = make_case(sub_bar());
  lbError err;
  double seen[6][64], now[64], rates[64];
  lbEditor *e = c.editor;
  check_ok(lb_editor_remember(e, &err), err); // state 1: a handle; state 0 has none
  for (int i = 2; i < 6; i++) {
    if (i == 4) { // another handle in between, where its vertex is
      lbPoint point = lb_point_node(0);
      for (int32_t n = 0; n < c.sub.toy.mesh->vertex_count; n++)
        if (fabs(c.sub.toy.mesh->positions[3 * n] - 0.6) < 0.11) point = lb_point_node(n);
      lbHandleDef def = lb_handle_def();
      int32_t handle;
      def.name = "middle", def.points = &point, def.point_count = 1, def.in_place = true;
      check_ok(lb_editor_add_handle(e, &def, &handle, &err), err);
    } else {
      move(e, c.far_end, lb_vec3(0, 0.05 * i, 0.1), lb_vec3(0.1 * i, 0, 0));
    }
    settle(e);
    check_ok(lb_editor_remember(e, &err), err);
    memcpy(seen[i], e->bfgs.x, (size_t)e->count * sizeof(double));
  }
  assert_int_equal(lb_editor_undo_count(e), 5);
  for (int round = 0; round < 2; round++) {
    for (int i = 4; i >= 2; i--) {
      assert_true(lb_editor_undo(e));
      lb_body_get_state(c.body, now, rates);
      assert_memory_equal(now, seen[i], (size_t)e->count * sizeof(double));
      assert_int_equal(lb_editor_handle_count(e), i >= 4 ? 2 : 1);
    }
    for (int i = 3; i <= 5; i++) {
      assert_true(lb_editor_redo(e));
      lb_body_get_state(c.body, now, rates);
      assert_memory_equal(now, seen[i], (size_t)e->count * sizeof(double));
    }
    assert_false(lb_editor_redo(e));
  }
  while (lb_editor_undo(e)) continue;
  assert_int_equal(lb_editor_handle_count(e), 0);
  lb_body_get_state(c.body, now, rates);
  for (int32_t i = 0; i < e->count; i++) assert_true(now[i] == 0);
  destroy_case(&c);
}

static void old_states_make_room(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_bar());
  lbBody *body = sub_body(&sub, NULL);
  lbEditorDef def = lb_editor_def();
  lbEditor *e = NULL;
  lbError err;
  def.history = 3;
  check_ok(lb_editor_create(body, &def, &e, &err), err);
  int32_t far = add_end(e, sub.toy.mesh, true, "far");
  for (int i = 1; i <= 10; i++) {
    move(e, far, lb_vec3(0, 0, 0.01 * i), lb_vec3(0, 0, 0));
    settle(e);
    check_ok(lb_editor_remember(e, &err), err);
  }
  assert_int_equal(lb_editor_undo_count(e), 3);
  for (int i = 9; i >= 7; i--) {
    assert_true(lb_editor_undo(e));
    check_near(lb_editor_handle_motion(e, far).translate.z, 0.01 * i, 1e-15);
  }
  assert_false(lb_editor_undo(e));
  lb_editor_destroy(e);
  lb_body_destroy(body);
  sub_destroy(&sub);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(drags_beyond_the_shapes_stay_finite_and_come_back),
    cmocka_unit_test(drags_take_no_memory),
    cmocka_unit_test(every_failing_allocation_is_reported),
    cmocka_unit_test(undo_and_redo_are_exact),
    cmocka_unit_test(old_states_make_room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
