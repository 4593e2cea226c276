// The figure as a character: what its file holds, read back.
#include "check.h"
#include "limber/file.h"
#include "limber/path.h"
#include "limber/rig.h"
#include "meshio/rig.h"
#include "scene/gltf_motion.h"

static lbMesh *mesh;
static lbRig *rig;
static const char *path;

static int write_figure(void **state) {
  (void)state;
  lbShapeDef def = lb_shape_def("figure");
  lbRigInfo info;
  lbError err;
  def.segments = 48;
  path = output_path("figure-rig.glb");
  check_ok(lb_rig_save(&def, path, &info, &err), err);
  check_ok(lb_rig_load(path, &mesh, &rig, &err), err);
  assert_int_equal(info.joint_count, 15);
  assert_int_equal(rig->joint_count, 15);
  assert_int_equal(rig->vertex_count, mesh->vertex_count);
  return 0;
}

static int release_figure(void **state) {
  (void)state;
  lb_mesh_destroy(mesh);
  lb_rig_destroy(rig);
  return 0;
}

static int32_t joint_of(const char *name) {
  for (int32_t k = 0; k < rig->joint_count; k++)
    if (strcmp(rig->joints[k].name, name) == 0) return k;
  fail_msg("no joint %s", name);
  return -1;
}

static double weight_of(int32_t vertex, int32_t joint) {
  for (int32_t k = rig->begin[vertex]; k < rig->begin[vertex + 1]; k++)
    if (rig->vertex_joints[k] == joint) return rig->weights[k];
  return 0;
}

// Y is up in the file: the head above the hips, the hands at both sides, feet on the ground.
static void the_figure_stands_upright(void **state) {
  (void)state;
  lbVec3 hips = rig->joints[joint_of("hips")].position;
  lbVec3 head = rig->joints[joint_of("head")].position;
  lbVec3 left = rig->joints[joint_of("hand.L")].position;
  lbVec3 right = rig->joints[joint_of("hand.R")].position;
  check_near(hips.y, 0.235, 1e-6);
  check_near(head.y, 0.45, 1e-6);
  check_near(left.x - hips.x, hips.x - right.x, 1e-6);
  assert_int_equal(rig->joints[joint_of("foot.L")].parent, joint_of("shin.L"));
  double low = 1, high = 0;
  for (int32_t v = 0; v < mesh->vertex_count; v++) {
    low = fmin(low, mesh->positions[3 * v + 1]), high = fmax(high, mesh->positions[3 * v + 1]);
  }
  check_near(low, 0, 0.01);
  check_near(high, 1, 0.01);
}

static void weights_are_smooth_and_of_the_right_bones(void **state) {
  (void)state;
  int32_t head = joint_of("head"), left = joint_of("foot.L"), right = joint_of("foot.R");
  double jump = 0, crossed = 0;
  for (int32_t v = 0; v < mesh->vertex_count; v++) {
    const double *p = mesh->positions + 3 * v;
    assert_true(rig->begin[v + 1] - rig->begin[v] <= 4 && rig->begin[v + 1] > rig->begin[v]);
    if (p[1] > 0.65) check_near(weight_of(v, head), 1, 0.05);
    if (p[1] < 0.05) crossed = fmax(crossed, weight_of(v, p[0] > 0.435 ? right : left));
  }
  check_small(crossed, 0.01); // of a shoe by the other foot
  for (int32_t t = 0; t < mesh->triangle_count; t++) {
    const int32_t *c = mesh->triangles + 3 * t;
    for (int k = 0; k < 3; k++) {
      int32_t a = c[k], b = c[(k + 1) % 3];
      double length = lb_length(lb_sub(lb_vec3_load(mesh->positions + 3 * (size_t)a),
                                       lb_vec3_load(mesh->positions + 3 * (size_t)b)));
      for (int32_t j = 0; j < rig->joint_count; j++)
        jump = fmax(jump, fabs(weight_of(a, j) - weight_of(b, j)) / fmax(length, 0.02));
    }
  }
  print_message("weights change by at most %.1f a metre\n", jump);
  assert_true(jump < 45); // from 1 to 0 in two or three centimetres, between neighbouring bones
}

// The walk moves the joints as a cycle, the feet one after the other.
static void the_walk_is_read_as_motions_of_joints(void **state) {
  (void)state;
  char *content;
  size_t bytes;
  lbError err;
  check_ok(lb_file_read(path, &content, &bytes, &err), err);
  lbPath *feet[2];
  check_ok(lb_gltf_motion(path, content, bytes, "foot.L", "walk", true, &feet[0], &err), err);
  check_ok(lb_gltf_motion(path, content, bytes, "foot.R", NULL, true, &feet[1], &err), err);
  double swing = 0;
  for (int i = 0; i <= 20; i++) {
    lbPathState left, right, later;
    double t = 0.05 * i;
    lb_path_at(feet[0], t, &left);
    lb_path_at(feet[1], t + 0.5, &right);
    lb_path_at(feet[0], t + 1, &later);
    check_near(left.position[1], right.position[1], 2e-3); // half a second apart, mirrored
    check_near(left.position[2], right.position[2], 2e-3);
    for (int k = 0; k < 3; k++) check_near(left.position[k], later.position[k], 1e-6);
    swing =
        fmax(swing, fabs(left.position[2] - right.position[2] + 2 * (left.position[2] + 0.216)));
  }
  assert_true(swing > 0.05);
  lb_path_destroy(feet[0]);
  lb_path_destroy(feet[1]);
  lb_free(content);
}

static void other_shapes_have_no_skeleton(void **state) {
  (void)state;
  lbShapeDef def = lb_shape_def("turtle");
  lbError err;
  check_fails(lb_rig_save(&def, output_path("none.glb"), NULL, &err), LB_ERR_UNSUPPORTED, err,
              "\"turtle\" has no skeleton");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_figure_stands_upright),
    cmocka_unit_test(weights_are_smooth_and_of_the_right_bones),
    cmocka_unit_test(the_walk_is_read_as_motions_of_joints),
    cmocka_unit_test(other_shapes_have_no_skeleton),
  };
  return cmocka_run_group_tests(tests, write_figure, release_figure);
}
