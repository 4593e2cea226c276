// Posing by handles in the viewer: pointers paint handles and drag the gizmo; the body follows
// within frames, time stands, and letting go starts the motion from the pose.
#include "stage_fixture.h"

#include "limber/edit.h"

typedef struct Posed {
  vwStage *stage;
  vwSettings settings;
  vwView view;
  int32_t tip;
} Posed;

static Posed pose_stage(const char *json) {
  Posed p = { 0 };
  lbError err;
  p.stage = stage_of(json, &p.settings);
  p.settings.tool = VW_TOOL_POSE;
  p.settings.gravity_on = 0;
  p.settings.brush = 0.15;
  check_ok(vw_stage_apply(p.stage, &p.settings, &err), err);
  p.view = view_of(p.stage);
  p.tip = tip_of(p.stage, 0);
  return p;
}

// A pixel at which the ray hits the body near this place along x.
static bool pixel_near(Posed *p, double along, double *x, double *y) {
  for (*y = 0; *y < p->view.height; *y += 2)
    for (*x = 0; *x < p->view.width; *x += 2) {
      lbVec3 origin, direction;
      int32_t actor, body;
      lbPick pick;
      vw_view_ray(&p->view, *x, *y, &origin, &direction);
      if (vw_stage_pick(p->stage, origin, direction, &actor, &body, &pick) &&
          fabs(pick.position.x - along) < 0.03)
        return true;
    }
  return false;
}

static void paint(Posed *p, double along) {
  double x, y;
  assert_true(pixel_near(p, along, &x, &y));
  assert_true(vw_stage_press(p->stage, 0, VW_TOOL_POSE, &p->view, x, y));
  assert_true(vw_stage_release(p->stage, 0, false));
}

static vwPoseView seen(const Posed *p) { return vw_stage_pose(p->stage, &p->view); }

// From a place of the gizmo of the chosen handle by so many pixels.
static void drag(Posed *p, lbVec3 place, double dx, double dy) {
  double x, y;
  assert_true(vw_view_project(&p->view, place, &x, &y));
  assert_true(vw_stage_press(p->stage, 0, VW_TOOL_POSE, &p->view, x, y));
  for (int i = 1; i <= 10; i++) {
    assert_true(vw_stage_move(p->stage, 0, &p->view, x + dx * i / 10, y + dy * i / 10));
    vw_stage_advance(p->stage, 1.0 / 60);
  }
  assert_true(vw_stage_release(p->stage, 0, false));
  for (int i = 0; i < 20; i++) vw_stage_advance(p->stage, 1.0 / 60);
}

static void a_painted_handle_is_dragged_and_the_body_follows(void **state) {
  (void)state;
  Posed p = pose_stage(SUBSPACE_BAR);
  assert_false(seen(&p).on);
  paint(&p, 0.95);
  vwPoseView pose = seen(&p);
  assert_true(pose.on && pose.handle_count == 1 && pose.chosen == 0);
  double time = vw_stage_time(p.stage);
  lbVec3 rest = vertex_of(p.stage, 0, 0, p.tip);
  drag(&p, pose.centre, 0, -60); // by its middle, up on the screen
  lbVec3 moved = vertex_of(p.stage, 0, 0, p.tip);
  double asked = seen(&p).centre.z - pose.centre.z;
  print_message("the middle went up by %.3f m, the tip by %.3f m\n", asked, moved.z - rest.z);
  assert_true(asked > 0.05);
  check_small((moved.z - rest.z) / asked - 1, 0.3); // the tip is beyond the handle
  assert_true(vw_stage_time(p.stage) == time);
  assert_int_equal(vw_stage_step(p.stage), 0); // not even by the key
  assert_true(vw_stage_time(p.stage) == time);
  // An arrow moves along its axis alone.
  pose = seen(&p);
  drag(&p, lb_add_scaled(pose.centre, 0.8 * pose.length, lb_vec3(0, 0, 1)), 25, -20);
  lbVec3 way = lb_sub(seen(&p).centre, pose.centre);
  assert_true(fabs(way.z) > 0.005);
  check_small(fabs(way.x) + fabs(way.y), 1e-12);
  vw_stage_destroy(p.stage);
}

static void a_ring_turns_the_handle(void **state) {
  (void)state;
  Posed p = pose_stage(SUBSPACE_BAR);
  paint(&p, 0.95);
  vwPoseView pose = seen(&p);
  // The ring about y, which faces the camera, away from the arrows.
  double half = -pose.ring * pose.length * sqrt(0.5);
  lbVec3 place = lb_add(pose.centre, lb_vec3(half, 0, half));
  lbVec3 before = vertex_of(p.stage, 0, 0, p.tip);
  drag(&p, place, 40, 0);
  lbVec3 after = vertex_of(p.stage, 0, 0, p.tip);
  print_message("the tip moved by %.2e m\n", lb_length(lb_sub(after, before)));
  check_small(lb_length(lb_sub(seen(&p).centre, pose.centre)), 1e-9);
  assert_true(lb_length(lb_sub(after, before)) > 1e-4);
  vw_stage_destroy(p.stage);
}

static void undo_goes_back_and_forth(void **state) {
  (void)state;
  Posed p = pose_stage(SUBSPACE_BAR);
  paint(&p, 0.95);
  vwPoseView pose = seen(&p);
  lbVec3 rest = vertex_of(p.stage, 0, 0, p.tip);
  drag(&p, pose.centre, 0, -60);
  paint(&p, 0.5);
  assert_int_equal(seen(&p).handle_count, 2);
  assert_int_equal(seen(&p).undo_count, 3);
  lbVec3 last = vertex_of(p.stage, 0, 0, p.tip);
  assert_true(vw_stage_pose_undo(p.stage, false));
  assert_int_equal(seen(&p).handle_count, 1);
  assert_true(vw_stage_pose_undo(p.stage, false));
  check_small(lb_length(lb_sub(vertex_of(p.stage, 0, 0, p.tip), rest)), 1e-9);
  assert_true(vw_stage_pose_undo(p.stage, false));
  assert_int_equal(seen(&p).handle_count, 0);
  assert_false(vw_stage_pose_undo(p.stage, false));
  for (int i = 0; i < 3; i++) assert_true(vw_stage_pose_undo(p.stage, true));
  assert_false(vw_stage_pose_undo(p.stage, true));
  check_small(lb_length(lb_sub(vertex_of(p.stage, 0, 0, p.tip), last)), 0.02);
  // Pressing a handle chooses it; then it can be removed.
  double x, y;
  assert_true(pixel_near(&p, 0.5, &x, &y));
  vw_stage_press(p.stage, 0, VW_TOOL_POSE, &p.view, x, y);
  vw_stage_release(p.stage, 0, false);
  assert_int_equal(seen(&p).handle_count, 2);
  assert_true(vw_stage_pose_remove(p.stage));
  assert_int_equal(seen(&p).handle_count, 1);
  assert_false(vw_stage_pose_remove(p.stage)); // none is chosen
  vw_stage_destroy(p.stage);
}

static void letting_go_starts_the_motion_from_the_pose(void **state) {
  (void)state;
  Posed p = pose_stage(SUBSPACE_BAR);
  paint(&p, 0.95);
  drag(&p, seen(&p).centre, 0, -60);
  lbVec3 posed = vertex_of(p.stage, 0, 0, p.tip);
  vw_stage_release_all(p.stage);
  assert_false(seen(&p).on);
  check_small(lb_length(lb_sub(vertex_of(p.stage, 0, 0, p.tip), posed)), 1e-15);
  assert_true(vw_stage_advance(p.stage, 0.05) > 0);
  assert_true(vertex_of(p.stage, 0, 0, p.tip).z < posed.z - 1e-3); // it swings back
  // So do another tool and another number of vectors.
  paint(&p, 0.9);
  assert_true(seen(&p).on);
  lbError err;
  p.settings.dimension = 5;
  check_ok(vw_stage_apply(p.stage, &p.settings, &err), err);
  assert_false(seen(&p).on);
  paint(&p, 0.9);
  p.settings.tool = VW_TOOL_GRAB;
  check_ok(vw_stage_apply(p.stage, &p.settings, &err), err);
  assert_false(seen(&p).on);
  // And a reset.
  p.settings.tool = VW_TOOL_POSE;
  check_ok(vw_stage_apply(p.stage, &p.settings, &err), err);
  paint(&p, 0.9);
  vw_stage_reset(p.stage);
  assert_false(seen(&p).on);
  vw_stage_destroy(p.stage);
}

static void the_saved_pose_is_the_surface(void **state) {
  (void)state;
  Posed p = pose_stage(SUBSPACE_BAR);
  paint(&p, 0.95);
  drag(&p, seen(&p).centre, 0, -60);
  char *obj = NULL;
  lbError err;
  check_ok(vw_stage_pose_obj(p.stage, &obj, &err), err);
  const lbModel *model = vw_stage_actor(p.stage, 0).model;
  int32_t vertices = 0, triangles = 0;
  double worst = 0;
  for (char *line = strtok(obj, "\n"); line; line = strtok(NULL, "\n")) {
    double x[3];
    if (sscanf(line, "v %lf %lf %lf", x, x + 1, x + 2) == 3) {
      lbVec3 expected = vertex_of(p.stage, 0, 0, vertices++);
      worst = fmax(worst, lb_length(lb_sub(lb_vec3_load(x), expected)));
    }
    triangles += line[0] == 'f';
  }
  assert_int_equal(vertices, model->size.vertex_count);
  assert_int_equal(triangles, model->size.triangle_count);
  check_small(worst, 1e-15);
  lb_free(obj);
  vw_stage_destroy(p.stage);
}

static void other_methods_are_refused_with_a_reason(void **state) {
  (void)state;
  Posed p = pose_stage(MODAL_BAR);
  double x, y;
  assert_true(pixel_near(&p, 0.95, &x, &y));
  assert_false(vw_stage_press(p.stage, 0, VW_TOOL_POSE, &p.view, x, y));
  assert_non_null(strstr(vw_stage_message(p.stage), "subspace"));
  assert_true(vw_stage_advance(p.stage, 0.02) > 0);
  vw_stage_destroy(p.stage);
}

static void random_presses_do_no_harm(void **state) {
  (void)state;
  Posed p = pose_stage(SUBSPACE_BAR);
  uint64_t seed = 5;
  int count = CHECK_SANITIZED ? 60 : 400;
  for (int i = 0; i < count; i++) {
    double x = 400 + 450 * check_random(&seed), y = 300 + 350 * check_random(&seed);
    int32_t pointer = (int32_t)(2 + 2 * check_random(&seed));
    switch (i % 7) {
    case 0:
    case 1: vw_stage_press(p.stage, pointer, VW_TOOL_POSE, &p.view, x, y); break;
    case 2:
    case 3: vw_stage_move(p.stage, pointer, &p.view, x, y); break;
    case 4: vw_stage_release(p.stage, pointer, false); break;
    case 5: vw_stage_pose_undo(p.stage, check_random(&seed) > 0); break;
    default:
      if (check_random(&seed) > 0.8) vw_stage_pose_remove(p.stage);
      if (check_random(&seed) > 0.9) vw_stage_release_all(p.stage);
    }
    vw_stage_advance(p.stage, 1.0 / 60);
    lbVec3 tip = vertex_of(p.stage, 0, 0, p.tip);
    assert_true(isfinite(lb_length(tip)));
  }
  vw_stage_destroy(p.stage);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_painted_handle_is_dragged_and_the_body_follows),
    cmocka_unit_test(a_ring_turns_the_handle),
    cmocka_unit_test(undo_goes_back_and_forth),
    cmocka_unit_test(letting_go_starts_the_motion_from_the_pose),
    cmocka_unit_test(the_saved_pose_is_the_surface),
    cmocka_unit_test(other_methods_are_refused_with_a_reason),
    cmocka_unit_test(random_presses_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
