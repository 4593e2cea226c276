// Poses of scenes, reduced against unreduced: where the basis leaves nothing out they are the same.
#include "check.h"

#include "limber/pose.h"
#include "scene/read.h"

#include <math.h>

#define SCENE(cells, reduce, fixed)                                                                \
  "{ \"limber\": 1, \"bodies\": [{ \"name\": \"bar\", \"mesh\": { \"generate\": \"bar\","          \
  "\"size\": [1, 0.3, 0.2], \"cells\": " cells ", \"element\": \"brick8\" }," fixed                \
  "\"material\": { \"model\": \"stvk\", \"young\": 1e6, \"poisson\": 0.3, \"density\": 1000 },"    \
  "\"method\": \"subspace\", \"reduce\": { " reduce " } }] }"
#define LEFT "\"fixed\": { \"group\": \"left\" },"

static lbPose *pose_of(const char *json, lbMethod method, int32_t count, const char *const *words) {
  lbScene *scene = NULL;
  lbPose *pose = NULL;
  lbPoseDef def = lb_pose_def();
  lbError err;
  def.method = method;
  def.script.text_count = count;
  def.script.texts = words;
  check_ok(lb_scene_read(output_path("pose.json"), json, strlen(json), &scene, &err), err);
  check_ok(lb_pose(scene, 0, &def, &pose, &err), err);
  lb_scene_destroy(scene);
  return pose;
}

static double difference(const lbPose *a, const lbPose *b) {
  double sum = 0, size = 0;
  for (int32_t i = 0; i < 3 * a->model->size.node_count; i++) {
    sum += pow(a->displacements[i] - b->displacements[i], 2);
    size += pow(b->displacements[i], 2);
  }
  return sqrt(sum / size);
}

static double compare(const char *json, int32_t count, const char *const *words, lbPose *poses[2]) {
  poses[0] = pose_of(json, LB_METHOD_SUBSPACE, count, words);
  poses[1] = pose_of(json, LB_METHOD_FULL, count, words);
  double off = difference(poses[0], poses[1]);
  print_message("%d and %d unknowns: %.6g J, %.6g J, handle errors %.3g m, %.3g m, L2 error %.2e\n",
                (int)poses[0]->dimension, (int)poses[1]->dimension, poses[0]->energy,
                poses[1]->energy, poses[0]->handle_error, poses[1]->handle_error, off);
  return off;
}

static void release(lbPose *poses[2]) {
  lb_pose_destroy(poses[0]);
  lb_pose_destroy(poses[1]);
}

static void a_basis_that_has_everything_gives_the_unreduced_pose(void **state) {
  (void)state;
  static const char *const words[] = { "right: translate 0 0.1 0.3; rotate x 50" };
  lbPose *poses[2];
  double off =
      compare(SCENE("[2, 1, 1]", "\"basis\": \"linear\", \"modes\": 24", LEFT), 1, words, poses);
  assert_int_equal(poses[0]->flags | poses[1]->flags, 0);
  assert_int_equal(poses[0]->dimension, 24);
  check_small(off, 1e-6);
  check_small(poses[0]->energy / poses[1]->energy - 1, 1e-6);
  check_small(poses[0]->handle_error / poses[1]->handle_error - 1, 1e-5);
  release(poses);
}

static void a_free_body_with_everything_gives_the_unreduced_pose(void **state) {
  (void)state;
  static const char *const words[] = { "left: rotate z 60",
                                       "right: translate 0 0 0.2; rotate z 20" };
  lbPose *poses[2];
  double off =
      compare(SCENE("[2, 1, 1]", "\"basis\": \"linear\", \"modes\": 30", ""), 2, words, poses);
  assert_int_equal(poses[0]->dimension, 30);
  // Thirty shapes without rigid motions and the frame are all that twelve nodes can do.
  assert_true(poses[0]->energy > 0 && poses[1]->energy > 0);
  check_small(off, 1e-6);
  release(poses);
}

static void few_shapes_come_near(void **state) {
  (void)state;
  static const char *const words[] = { "right: translate 0 0 0.2; rotate x 30" };
  lbPose *poses[2];
  double off =
      compare(SCENE("[8, 2, 2]", "\"modes\": 10, \"dimension\": 25", LEFT), 1, words, poses);
  check_small(off, 0.1);
  assert_true(poses[0]->energy > poses[1]->energy);
  release(poses);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_basis_that_has_everything_gives_the_unreduced_pose),
    cmocka_unit_test(a_free_body_with_everything_gives_the_unreduced_pose),
    cmocka_unit_test(few_shapes_come_near),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
