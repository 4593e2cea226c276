// Fixed frames that are led: rigid motions, velocities, states and refusals.
#include "../scene/scene_text.h"

#include "limber/body.h"

#define BEAM                                                                                       \
  "{'limber':1,'bodies':[{'name':'bar','method':'frames',"                                         \
  "'mesh':{'generate':'bar','size':[1,0.2,0.2],'cells':[10,2,2],'element':'brick8'},"              \
  "'material':{'young':1e5,'poisson':0.3},'frames':{'samples':300,"                                \
  "'positions':[[0.1,0.1,0.1],[0.5,0.1,0.1],[0.9,0.1,0.1]],'fixed':[0,2]}}]}"

static lbModel *model;
static lbBody *body;

static int create(void **state) {
  (void)state;
  lbScene *scene = scene_of(BEAM);
  lbBodyDef def = lb_body_def();
  lbError err;
  check_ok(lb_scene_model(&scene->bodies[0], &model, &err), err);
  check_ok(lb_body_create(model, &def, &body, &err), err);
  lb_scene_destroy(scene);
  return 0;
}

static int destroy(void **state) {
  (void)state;
  lb_body_destroy(body);
  lb_model_destroy(model);
  return 0;
}

static void lead(lbVec3 shift, lbQuat turn, bool at_once) {
  for (int32_t joint = 0; joint < 3; joint += 2) {
    lbVec3 p = lb_vec3_load(model->frame_poses + 7 * joint);
    p = lb_add(lb_quat_rotate(turn, p), shift);
    lbStatus status = at_once ? lb_body_set_joint(body, joint, p, turn)
                              : lb_body_drive_joint(body, joint, p, turn);
    if (status) fail_msg("%s", lb_body_message(body));
  }
}

// Both ends go the same way: the body comes along, and is at rest in its new place after a while.
static void a_body_follows_its_joints(void **state) {
  (void)state;
  lbQuat turn = lb_quat_from_axis_angle(lb_vec3(0, 0, 1), 0.7);
  lbVec3 shift = lb_vec3(0.2, -0.1, 0.3), at;
  for (int i = 1; i <= 20; i++) {
    lbQuat part = lb_quat_from_axis_angle(lb_vec3(0, 0, 1), 0.7 * i / 20);
    lead(lb_scale(i / 20.0, shift), part, false);
    assert_int_equal(lb_body_step(body, 0.01) & LB_STEP_NONFINITE, 0);
  }
  for (int i = 0; i < 300; i++) lb_body_step(body, 0.05);
  lbBodyReport report = lb_body_report(body);
  print_message("after a turn: elastic %.2e J, kinetic %.2e J\n", report.elastic, report.kinetic);
  check_small(report.elastic, 1e-9);
  check_small(report.kinetic, 1e-9);
  lb_body_point(body, lb_point_node(10), &at, NULL);
  lbVec3 X = lb_vec3_load(model->node_positions + 30);
  check_small(lb_length(lb_sub(at, lb_add(lb_quat_rotate(turn, X), shift))), 1e-6);
}

// A joint has the velocity that it moved with, and none when it stands again.
static void joints_have_the_velocity_of_their_motion(void **state) {
  (void)state;
  lbVec3 shift = { 0, 0, 0 }, velocity;
  for (int i = 0; i < 5; i++) {
    shift.x += 0.002;
    lead(shift, lb_quat_identity(), false);
    lb_body_step(body, 0.001);
  }
  lb_body_point(body, lb_point_node(0), NULL, &velocity);
  check_near(velocity.x, 2, 0.2);
  lb_body_step(body, 0.001);
  lb_body_point(body, lb_point_node(0), NULL, &velocity);
  check_near(velocity.x, 0, 0.2);
}

static void states_go_on_to_the_bit(void **state) {
  (void)state;
  lead(lb_vec3(0.1, 0, 0), lb_quat_identity(), false);
  for (int i = 0; i < 5; i++) lb_body_step(body, 0.01);
  size_t bytes = lb_body_state_bytes(body);
  void *kept = malloc(bytes);
  lbVec3 first, again;
  lb_body_save_state(body, kept, bytes);
  for (int i = 0; i < 10; i++) lb_body_step(body, 0.01);
  lb_body_point(body, lb_point_node(5), &first, NULL);
  lead(lb_vec3(0, 0.3, 0), lb_quat_identity(), true);
  if (lb_body_restore_state(body, kept, bytes)) fail_msg("%s", lb_body_message(body));
  for (int i = 0; i < 10; i++) lb_body_step(body, 0.01);
  lb_body_point(body, lb_point_node(5), &again, NULL);
  assert_memory_equal(&first, &again, sizeof first);
  free(kept);
}

static void what_cannot_be_led_is_refused(void **state) {
  (void)state;
  lbQuat no = lb_quat(0, 0, 0, 0);
  assert_int_equal(lb_body_drive_joint(body, 1, lb_vec3(0, 0, 0), lb_quat_identity()),
                   LB_ERR_ARGUMENT);
  assert_non_null(strstr(lb_body_message(body), "moves by itself"));
  assert_int_equal(lb_body_drive_joint(body, 3, lb_vec3(0, 0, 0), lb_quat_identity()),
                   LB_ERR_ARGUMENT);
  assert_int_equal(lb_body_drive_joint(body, 0, lb_vec3(NAN, 0, 0), lb_quat_identity()),
                   LB_ERR_ARGUMENT);
  assert_int_equal(lb_body_drive_joint(body, 0, lb_vec3(0, 0, 0), no), LB_ERR_ARGUMENT);
  assert_int_equal(lb_body_drive_joint(NULL, 0, lb_vec3(0, 0, 0), no), LB_ERR_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(a_body_follows_its_joints, create, destroy),
    cmocka_unit_test_setup_teardown(joints_have_the_velocity_of_their_motion, create, destroy),
    cmocka_unit_test_setup_teardown(states_go_on_to_the_bit, create, destroy),
    cmocka_unit_test_setup_teardown(what_cannot_be_led_is_refused, create, destroy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
