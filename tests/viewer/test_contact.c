// Worlds whose bodies touch, on a stage: the bits of `limber run`, what is drawn of colliders,
// pressure, hands, and dropping what a support held.
#include "stage_fixture.h"

#include "limber/build_model.h"
#include "render/renderer.h"
#include "stage/stage_parts.h"

#define CUBE                                                                                       \
  "\"mesh\": { \"generate\": \"bar\", \"size\": [0.2, 0.2, 0.2], \"cells\": [2, 2, 2],"            \
  "\"element\": \"brick8\" }, \"damping\": { \"stiffness\": 0.002 },"                              \
  "\"material\": { \"model\": \"stvk\", \"young\": 1e5, \"poisson\": 0.3, \"density\": 1000 }"
#define SOFT "\"method\": \"subspace\", \"reduce\": { \"modes\": 4, \"dimension\": 8 }"

// Bodies of two models; copies of the first stand before and behind the second in the world.
static const char pile[] =
    "{ \"limber\": 1, \"gravity\": [0, 0, -9.81], \"ground\": { \"friction\": 0.4 },"
    "\"colliders\": [{ \"shape\": \"sphere\", \"radius\": 0.1, \"position\": [1, 0.1, 0] },"
    "{ \"name\": \"lift\", \"shape\": \"box\", \"size\": [0.3, 0.3, 0.1], \"motion\": {"
    "\"times\": [0, 1], \"positions\": [[2.1, 0.1, 0], [2.1, 0.1, 0.4]] } }],"
    "\"bodies\": [{ \"name\": \"a\", " CUBE "," SOFT ", \"instances\": 2,"
    "\"position\": [[0, 0, 0.05], [0.05, 0.02, 0.3]] },"
    "{ \"name\": \"b\", " CUBE ", \"method\": \"modal\", \"reduce\": { \"modes\": 6 },"
    "\"instances\": 2, \"position\": [[1, 0, 0.2], [2, 0, 0.1]], \"friction\": 0.9 }],"
    "\"time\": { \"step\": 0.01, \"count\": 40 } }";

static void touching_bodies_do_what_limber_run_does(void **state) {
  (void)state;
  lbScene *scene = scene_of(pile);
  lbRunDef def = lb_run_def();
  lbError err;
  lbRun *run;
  check_ok(lb_run(scene, &def, &run, &err), err);
  vwSettings settings;
  vwStage *stage = stage_of(pile, &settings);
  for (int32_t i = 0; i < scene->step_count; i++)
    assert_int_equal(vw_stage_advance(stage, scene->time_step), 1);
  int32_t count;
  const lbContact *contacts = vw_stage_contacts(stage, &count);
  assert_true(count > 8);
  assert_int_equal(count, run->contact_count);
  for (int32_t i = 0; i < count; i++) {
    double force[3];
    lb_vec3_store(force, contacts[i].force);
    assert_memory_equal(force, run->contacts[i].force, sizeof force);
  }
  for (int32_t a = 0, number = 0; a < 2; a++)
    for (int32_t b = 0; b < 2; b++, number++) {
      double position[3];
      lb_vec3_store(position, vw_actor_frame(stage->cast.roles[a].actor, b).position);
      assert_memory_equal(position, run->bodies[number].position, sizeof position);
    }
  vw_stage_destroy(stage);
  lb_run_destroy(run);
  lb_scene_destroy(scene);
}

static void a_reset_begins_again(void **state) {
  (void)state;
  vwSettings settings;
  vwStage *stage = stage_of(pile, &settings);
  float before[7], after[7];
  for (int i = 0; i < 30; i++) vw_stage_step(stage);
  lbVec3 first = vw_actor_frame(stage->cast.roles[0].actor, 1).position;
  vw_stage_collider_placement(stage, 1, before);
  vw_stage_reset(stage);
  for (int i = 0; i < 30; i++) vw_stage_step(stage);
  lbVec3 again = vw_actor_frame(stage->cast.roles[0].actor, 1).position;
  vw_stage_collider_placement(stage, 1, after);
  assert_memory_equal(&first, &again, sizeof first);
  assert_memory_equal(before, after, sizeof before);
  vw_stage_destroy(stage);
}

// ---- what is seen ------------------------------------------------------------------------------

static void colliders_are_drawn_and_the_ground_is_the_ground(void **state) {
  (void)state;
  vwSettings settings;
  vwStage *stage = stage_of(pile, &settings);
  bool shown;
  float at[7];
  check_near(vw_stage_ground(stage, &shown), 0, 0);
  assert_true(shown);
  assert_int_equal(vw_stage_collider_count(stage), 2); // not the plane
  assert_false(vw_stage_collider_placement(stage, 0, at));
  assert_true(vw_stage_collider_placement(stage, 1, at));
  check_near(at[2], 0, 1e-12);
  for (int i = 0; i < 50; i++) vw_stage_step(stage);
  vw_stage_collider_placement(stage, 1, at);
  check_near(at[2], 0.2, 1e-6);
  for (int32_t i = 0; i < 2; i++) {
    int32_t vertices = 0, triangles = 0, *corners = NULL;
    double *positions = NULL, far = 0;
    lbError err;
    check_ok(vw_stage_collider_surface(stage, i, &vertices, &positions, &triangles, &corners, &err),
             err);
    for (int32_t v = 0; v < vertices; v++)
      far = fmax(far, lb_length(lb_vec3_load(positions + 3 * (size_t)v)));
    check_near(far, i == 0 ? 0.1 : 0.5 * sqrt(0.3 * 0.3 * 2 + 0.1 * 0.1), 1e-9);
    for (int32_t c = 0; c < 3 * triangles; c++) assert_in_range(corners[c], 0, vertices - 1);
    lb_free(positions), lb_free(corners);
  }
  vwBox box = vw_stage_rest_box(stage);
  assert_true(box.low.z < -0.09 && box.high.x > 2.24); // the ball and the lift are in it
  vw_stage_destroy(stage);
}

static void the_pressure_on_a_surface_is_the_force_on_it(void **state) {
  (void)state;
  vwSettings settings;
  vwStage *stage = stage_of(pile, &settings);
  for (int i = 0; i < 40; i++) vw_stage_step(stage);
  const lbModel *m = vw_stage_actor(stage, 0).model;
  double *values = lb_alloc((size_t)m->size.vertex_count, sizeof *values), force = 0, pushed = 0;
  assert_non_null(values);
  vw_stage_values(stage, 0, 0, VW_MAP_PRESSURE, values);
  for (int32_t t = 0; t < m->size.triangle_count; t++) {
    lbVec3 x[3];
    for (int k = 0; k < 3; k++)
      x[k] = lb_vec3_load(m->vertex_positions + 3 * (size_t)m->triangles[3 * t + k]);
    double third = lb_length(lb_cross(lb_sub(x[1], x[0]), lb_sub(x[2], x[0]))) / 6;
    for (int k = 0; k < 3; k++) force += third * values[m->triangles[3 * t + k]];
  }
  int32_t count;
  const lbContact *contacts = vw_stage_contacts(stage, &count);
  lbBodyId id = stage->cast.roles[0].actor->ids[0];
  for (int32_t i = 0; i < count; i++)
    if (contacts[i].bodies[0] == id || contacts[i].bodies[1] == id)
      pushed += lb_dot(contacts[i].force, contacts[i].normal);
  print_message("  %.6g N over the surface, %.6g N in contacts\n", force, pushed);
  assert_true(pushed > 50);
  check_near(force / pushed, 1, 1e-9);
  lb_free(values);
  vw_stage_destroy(stage);
}

// ---- hands -------------------------------------------------------------------------------------

static void what_touches_can_be_dragged(void **state) {
  (void)state;
  vwSettings settings;
  vwStage *stage = stage_of(pile, &settings);
  for (int i = 0; i < 60; i++) vw_stage_step(stage);
  vwView view = view_of(stage);
  lbVec3 target = vw_actor_frame(stage->cast.roles[0].actor, 1).position;
  double x, y, deepest = 0;
  target = lb_add(target, lb_vec3(0.1, 0, 0.15));
  assert_true(vw_view_project(&view, target, &x, &y));
  assert_true(vw_stage_press(stage, 1, VW_TOOL_GRAB, &view, x, y));
  for (int i = 0; i < 120; i++) {
    y += 2; // down, into the other one and the ground
    vw_stage_move(stage, 1, &view, x, y);
    vw_stage_step(stage);
    const vwActor *actor = stage->cast.roles[0].actor;
    for (int32_t v = 0; v < actor->model->size.vertex_count; v++)
      deepest = fmin(deepest, vertex_of(stage, 0, 0, v).z);
  }
  print_message("  pressed into the ground by %.3g m\n", -deepest);
  check_small(deepest, 0.02);
  vw_stage_destroy(stage);
}

static const char balls[] =
    "{ \"limber\": 1, \"gravity\": [0, 0, -9.81], \"ground\": { \"friction\": 0.4 },"
    "\"colliders\": [{ \"name\": \"ball\", \"shape\": \"sphere\", \"radius\": 0.1,"
    "\"position\": [0.1, 0.1, 0.5], \"density\": 700 }], \"bodies\": [{ \"name\": \"a\", " CUBE
    "," SOFT " }], \"time\": { \"step\": 0.01, \"count\": 40 } }";

static void rigid_bodies_are_seen_and_dragged(void **state) {
  (void)state;
  vwSettings settings;
  vwStage *stage = stage_of(balls, &settings);
  vwControlState control;
  lbError err;
  assert_int_equal(vw_stage_actor_count(stage), 2);
  vwActorView view = vw_stage_actor(stage, 1);
  assert_int_equal(view.method, LB_METHOD_RIGID);
  assert_string_equal(view.label, "rigid");
  check_near(settings.young, 1e5, 1e-6); // the soft one's
  vw_stage_control(stage, &settings, vw_control_find("method"), &control);
  assert_true(control.enabled); // of the soft one: modal and subspace
  for (int i = 0; i < 60; i++) vw_stage_step(stage);
  const vwActor *ball = stage->cast.roles[1].actor;
  check_near(vw_actor_frame(ball, 0).position.z, 0.3, 0.02); // on the block
  for (int map = 0; map < VW_MAP_COUNT; map++) {
    double values[2000];
    assert_true(ball->model->size.vertex_count <= 2000);
    vw_stage_values(stage, 1, 0, map, values);
    assert_true(isfinite(values[0]));
  }
  settings.damping_mass = 1;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  vwView seen = view_of(stage);
  double x, y;
  lbVec3 at = lb_add(vw_actor_frame(ball, 0).position, lb_vec3(0, 0, 0.02));
  assert_true(vw_view_project(&seen, at, &x, &y));
  assert_true(vw_stage_press(stage, 1, VW_TOOL_GRAB, &seen, x, y));
  assert_int_equal(vw_stage_hold(stage, 0).actor, 1);
  for (int i = 0; i < 100; i++) {
    y -= 1; // up
    vw_stage_move(stage, 1, &seen, x, y);
    vw_stage_step(stage);
  }
  double height = vw_actor_frame(ball, 0).position.z;
  vwHold hold = vw_stage_hold(stage, 0);
  print_message("  lifted to %.3g m, by a hand at %.3g m\n", height, hold.target.z);
  check_small(lb_length(lb_sub(hold.point, hold.target)), 0.02); // it hangs from the hand
  assert_true(height > 0.34);
  vw_stage_release(stage, 1, false);
  for (int i = 0; i < 200; i++) vw_stage_step(stage);
  assert_true(vw_actor_frame(ball, 0).position.z < height - 0.03);
  vw_stage_destroy(stage);
}

static const char chain[] =
    "{ \"limber\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{ \"name\": \"a\", " CUBE "," SOFT
    ", \"instances\": 2, \"position\": [[0, 0, 0], [0.25, 0, 0]] }], \"joints\": ["
    "{ \"kind\": \"point\", \"bodies\": [\"a.0\", null], \"points\": [[0, 0.1, 0.1]] },"
    "{ \"kind\": \"hinge\", \"bodies\": [\"a.1\", \"a.0\"], \"points\": [[0.22, 0.1, 0.1]],"
    "\"axis\": [0, 1, 0] }], \"time\": { \"step\": 0.01, \"count\": 40 } }";

static void joints_hold_as_limber_run_has_them(void **state) {
  (void)state;
  lbScene *scene = scene_of(chain);
  lbRunDef def = lb_run_def();
  lbError err;
  lbRun *run;
  check_ok(lb_run(scene, &def, &run, &err), err);
  vwSettings settings;
  vwStage *stage = stage_of(chain, &settings);
  for (int32_t i = 0; i < scene->step_count; i++)
    assert_int_equal(vw_stage_advance(stage, scene->time_step), 1);
  for (int32_t b = 0; b < 2; b++) {
    double position[3];
    lb_vec3_store(position, vw_actor_frame(stage->cast.roles[0].actor, b).position);
    assert_memory_equal(position, run->bodies[b].position, sizeof position);
    assert_true(position[2] > -0.6); // it has not fallen
  }
  vw_stage_destroy(stage);
  lb_run_destroy(run);
  lb_scene_destroy(scene);
}

// ---- dropping ----------------------------------------------------------------------------------

static void what_is_held_can_be_dropped(void **state) {
  (void)state;
  vwSettings settings;
  vwStageDef def = vw_stage_def();
  def.step_budget = INFINITY;
  lbError err;
  vwControlState control;
  vwStage *stage = stage_of_bundle(bundle_of(SUBSPACE_BAR), def, &settings);
  vw_stage_control(stage, &settings, vw_control_find("drop"), &control);
  assert_false(control.enabled); // nobody can make it loose
  vw_stage_destroy(stage);

  def.loosen = lb_build_free;
  stage = stage_of_bundle(bundle_of(SUBSPACE_BAR), def, &settings);
  int32_t generation = vw_stage_generation(stage);
  settings.drop = 1;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  assert_true(vw_stage_generation(stage) > generation);
  assert_int_equal(settings.drop, 1);
  bool shown;
  double ground = vw_stage_ground(stage, &shown), low = INFINITY;
  assert_true(shown);
  for (int i = 0; i < 600; i++) vw_stage_step(stage);
  const vwActor *actor = stage->cast.roles[0].actor;
  for (int32_t v = 0; v < actor->model->size.vertex_count; v++)
    low = fmin(low, vertex_of(stage, 0, 0, v).z);
  double weight = 9.81 * actor->model->rigid_mass[0];
  double force = lb_world_contact_force(stage->cast.world, actor->ids[0]).z;
  print_message("  lies %.3g m above the ground, pressed by %.4g of %.4g N\n", low - ground, force,
                weight);
  check_small(low - ground, 0.01);
  check_near(force / weight, 1, 0.2);
  settings.drop = 0;
  check_ok(vw_stage_apply(stage, &settings, &err), err);
  assert_true(vw_stage_actor(stage, 0).model == vw_stage_bundle(stage)->models[0]);
  for (int i = 0; i < 10; i++) vw_stage_step(stage);
  assert_int_equal(lb_world_contact_count(stage->cast.world), 0);
  vw_stage_destroy(stage);
}

static void scenes_that_touch_are_not_compared_beside_their_colliders(void **state) {
  (void)state;
  vwSettings settings;
  vwControlState control;
  vwStage *stage = stage_of(pile, &settings);
  vw_stage_control(stage, &settings, vw_control_find("compare"), &control);
  assert_false(control.enabled);
  vw_stage_control(stage, &settings, vw_control_find("drop"), &control);
  assert_false(control.enabled);
  vw_stage_destroy(stage);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(touching_bodies_do_what_limber_run_does),
    cmocka_unit_test(a_reset_begins_again),
    cmocka_unit_test(colliders_are_drawn_and_the_ground_is_the_ground),
    cmocka_unit_test(the_pressure_on_a_surface_is_the_force_on_it),
    cmocka_unit_test(what_touches_can_be_dragged),
    cmocka_unit_test(rigid_bodies_are_seen_and_dragged),
    cmocka_unit_test(joints_hold_as_limber_run_has_them),
    cmocka_unit_test(what_is_held_can_be_dropped),
    cmocka_unit_test(scenes_that_touch_are_not_compared_beside_their_colliders),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
