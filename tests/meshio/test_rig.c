// Rigs: written by the glTF layer and read back; joints, weights, rest poses, and bad ones.
#include "check.h"
#include "limber/file.h"
#include "limber/gltf.h"
#include "meshio/rig.h"

// A ladder of 9 pairs of vertices along z between three joints; more than four weights a vertex.
enum { RUNGS = 9, POINTS = 2 * RUNGS, JOINTS = 3, WIDTH = 6 };

typedef struct Doc {
  float positions[3 * POINTS], weights[POINTS * WIDTH], binds[16 * JOINTS];
  int32_t joints[POINTS * WIDTH], triangles[6 * (RUNGS - 1)];
  float place[JOINTS][3], turn[JOINTS][4];
  int32_t width;
} Doc;

static lbVec3 rest_place(int j) { return lb_vec3(0.1 * j, 0, j); }
static lbQuat rest_turn(int j) { return lb_quat_from_axis_angle(lb_vec3(0, 1, 0.3), 0.4 * j); }

static void fill_points(Doc *doc) {
  for (int p = 0; p < POINTS; p++) {
    const float at[3] = { (float)(p % 2), 0, 0.25f * (float)(p / 2) };
    memcpy(doc->positions + 3 * p, at, sizeof at);
    double z = 0.25 * (p / 2);
    for (int k = 0; k < WIDTH; k++) { // joints repeat: their weights add up
      doc->joints[p * WIDTH + k] = k % JOINTS;
      double hat = fmax(0, 1 - fabs(z - k % JOINTS));
      doc->weights[p * WIDTH + k] = (float)(hat * (k < JOINTS ? 0.75 : 0.25));
    }
  }
  for (int r = 0; r < RUNGS - 1; r++) {
    const int32_t quad[6] = { 2 * r, 2 * r + 1, 2 * r + 2, 2 * r + 1, 2 * r + 3, 2 * r + 2 };
    memcpy(doc->triangles + 6 * r, quad, sizeof quad);
  }
}

// Local places of a chain whose joints stand at rest_place and rest_turn.
static void fill_joints(Doc *doc) {
  for (int j = 0; j < JOINTS; j++) {
    lbQuat above = j ? rest_turn(j - 1) : lb_quat_identity();
    lbVec3 from = j ? rest_place(j - 1) : lb_vec3(0, 0, 0);
    lbVec3 t = lb_mat3_apply_transpose(lb_quat_to_mat3(above), lb_sub(rest_place(j), from));
    lbQuat q = lb_quat_multiply(lb_quat_conjugate(above), rest_turn(j));
    const double values[7] = { t.x, t.y, t.z, q.x, q.y, q.z, q.w };
    for (int k = 0; k < 3; k++) doc->place[j][k] = (float)values[k];
    for (int k = 0; k < 4; k++) doc->turn[j][k] = (float)values[3 + k];
    lbMat3 r = lb_mat3_transpose(lb_quat_to_mat3(rest_turn(j)));
    double shift[3];
    lb_vec3_store(shift, lb_scale(-1, lb_mat3_apply(r, rest_place(j))));
    float *bind = doc->binds + 16 * j;
    memset(bind, 0, 16 * sizeof *bind);
    for (int c = 0; c < 3; c++) {
      for (int row = 0; row < 3; row++) bind[4 * c + row] = (float)r.m[3 * row + c];
      bind[12 + c] = (float)shift[c];
    }
    bind[15] = 1;
  }
}

static char *write_doc(const Doc *doc, const float *extra_turn, size_t *bytes, lbError *err) {
  lbGltfDef def = lb_gltf_def();
  lbGltf *gltf;
  lbGltfPart part = { 0, 2 * (RUNGS - 1), -1 };
  lbGltfMesh mesh = { .name = "ladder",
                      .vertex_count = POINTS,
                      .positions = doc->positions,
                      .triangles = doc->triangles,
                      .part_count = 1,
                      .parts = &part,
                      .influence_count = doc->width,
                      .joints = doc->joints,
                      .joint_weights = doc->weights };
  int32_t mesh_id, skin_id, ids[JOINTS], armature;
  uint8_t *file = NULL;
  def.up = 'y';
  check_ok(lb_gltf_create(&def, &gltf, err), *err);
  lbStatus status = lb_gltf_add_mesh(gltf, &mesh, &mesh_id, err);
  lbGltfNode holder = { .name = "armature", .mesh = -1, .rotation = extra_turn };
  if (!status) status = lb_gltf_add_node(gltf, &holder, &armature, err);
  for (int j = 0; j < JOINTS && !status; j++) {
    static const char *const names[] = { "hip", "knee", "foot" };
    lbGltfNode node = { .name = names[j],
                        .mesh = -1,
                        .translation = doc->place[j],
                        .rotation = doc->turn[j],
                        .parent = j ? &ids[j - 1] : &armature };
    status = lb_gltf_add_node(gltf, &node, &ids[j], err);
  }
  lbGltfSkin skin = { "ladder", JOINTS, ids, doc->binds };
  if (!status) status = lb_gltf_add_skin(gltf, &skin, &skin_id, err);
  lbGltfNode body = { .name = "skin", .mesh = mesh_id, .skin = &skin_id };
  if (!status) status = lb_gltf_add_node(gltf, &body, NULL, err);
  if (!status) status = lb_gltf_pack(gltf, &file, bytes, err);
  lb_gltf_destroy(gltf);
  return status ? NULL : (char *)file;
}

static Doc whole_doc(void) {
  static Doc doc;
  fill_points(&doc);
  fill_joints(&doc);
  doc.width = WIDTH;
  return doc;
}

static void a_skin_is_written_and_read_back(void **state) {
  (void)state;
  Doc doc = whole_doc();
  lbError err;
  size_t bytes;
  char *file = write_doc(&doc, NULL, &bytes, &err);
  assert_non_null(file);
  lbMesh *mesh;
  lbRig *rig;
  check_ok(lb_rig_read("doc.glb", file, bytes, &mesh, &rig, &err), err);
  assert_int_equal(rig->joint_count, JOINTS);
  assert_int_equal(rig->vertex_count, mesh->vertex_count);
  assert_string_equal(rig->joints[1].name, "knee");
  for (int j = 0; j < JOINTS; j++) {
    assert_int_equal(rig->joints[j].parent, j - 1);
    check_small(lb_length(lb_sub(rig->joints[j].position, rest_place(j))), 1e-6);
    lbQuat q = rest_turn(j), r = rig->joints[j].rotation;
    check_near(fabs(q.x * r.x + q.y * r.y + q.z * r.z + q.w * r.w), 1, 1e-6);
  }
  for (int v = 0; v < POINTS; v++) {
    double sum = 0, z = mesh->positions[3 * v + 2];
    for (int32_t k = rig->begin[v]; k < rig->begin[v + 1]; k++) {
      check_near(rig->weights[k], fmax(0, 1 - fabs(z - rig->vertex_joints[k])), 1e-6);
      assert_true(k == rig->begin[v] || rig->weights[k] <= rig->weights[k - 1]);
      sum += rig->weights[k];
    }
    check_near(sum, 1, 1e-12);
  }
  lb_mesh_destroy(mesh);
  lb_rig_destroy(rig);
  lb_free(file);
}

// An armature that is turned as a whole turns mesh and joints alike.
static void a_turned_armature_turns_the_rest_pose(void **state) {
  (void)state;
  Doc doc = whole_doc();
  const float half = (float)sqrt(0.5), turn[4] = { half, 0, 0, half }; // y -> z, z -> -y
  lbError err;
  size_t bytes;
  char *file = write_doc(&doc, turn, &bytes, &err);
  lbMesh *mesh;
  lbRig *rig;
  check_ok(lb_rig_read("doc.glb", file, bytes, &mesh, &rig, &err), err);
  for (int j = 0; j < JOINTS; j++) {
    lbVec3 p = rest_place(j);
    check_small(lb_length(lb_sub(rig->joints[j].position, lb_vec3(p.x, -p.z, p.y))), 1e-6);
  }
  for (int v = 0; v < POINTS; v++)
    check_near(mesh->positions[3 * v + 1], -(double)doc.positions[3 * v + 2], 1e-6);
  lb_mesh_destroy(mesh);
  lb_rig_destroy(rig);
  lb_free(file);
}

static void check_bad(const Doc *doc, const char *says) {
  lbError err;
  size_t bytes;
  char *file = write_doc(doc, NULL, &bytes, &err);
  assert_non_null(file);
  lbMesh *mesh = NULL;
  lbRig *rig = NULL;
  check_fails(lb_rig_read("doc.glb", file, bytes, &mesh, &rig, &err), LB_ERR_FORMAT, err, says);
  assert_true(!mesh && !rig);
  lb_free(file);
}

static void scale_column(float *bind, int column, float by) {
  for (int r = 0; r < 3; r++) bind[4 * column + r] *= by;
}

static void bad_joints_are_named(void **state) {
  (void)state;
  Doc doc = whole_doc();
  scale_column(doc.binds + 16, 1, 0);
  check_bad(&doc, "the joint \"knee\" (nodes[3]) has a scale of zero");
  doc = whole_doc();
  scale_column(doc.binds + 32, 2, -1);
  check_bad(&doc, "the joint \"foot\" (nodes[4]) is mirrored");
  doc = whole_doc();
  scale_column(doc.binds, 0, 2);
  check_bad(&doc, "the joint \"hip\" (nodes[2]) is stretched unevenly");
}

// Replaces a text of the same length in the file's JSON.
static void check_replaced(const char *from, const char *to, const char *says) {
  Doc doc = whole_doc();
  lbError err;
  size_t bytes;
  char *file = write_doc(&doc, NULL, &bytes, &err), *at = NULL;
  assert_int_equal(strlen(from), strlen(to));
  for (size_t i = 0; i + strlen(from) < bytes && !at; i++)
    if (memcmp(file + i, from, strlen(from)) == 0) at = file + i;
  if (!at) fail_msg("the file has no %s", from);
  memcpy(at, to, strlen(to));
  lbMesh *mesh = NULL;
  lbRig *rig = NULL;
  check_fails(lb_rig_read("doc.glb", file, bytes, &mesh, &rig, &err), LB_ERR_FORMAT, err, says);
  lb_free(file);
}

static void bad_files_are_named(void **state) {
  (void)state;
  check_replaced("\"joints\":[2,3,4]", "\"joints\":[2,3,9]", "nodes[9], there are 6");
  check_replaced("\"joints\":[2,3,4]", "\"joints\":[     ]", "skins[0] has no joints");
  check_replaced("\"children\":[4]", "\"children\":[2]", "nodes[2] has two parents");
  check_replaced("\"children\":[2]", "\"children\":[1]", "nodes[1] has two parents");
  check_replaced("\"skins\":[", "\"skims\":[", "has no skin");
  check_replaced("\"WEIGHTS_1\"", "\"WEIGHTS_7\"", "JOINTS_1 without WEIGHTS_1");
  check_replaced("\"JOINTS_0\"", "\"JOINTS_9\"", "WEIGHTS_0 without JOINTS_0");
  check_replaced("\"skin\":0", "\"skin\":7", "uses skins[7]");
}

// Weights as they are, which the writer would mend: changed in the file's binary data.
static void bad_weights_are_named(void **state) {
  (void)state;
  Doc doc = whole_doc();
  doc.width = 3;
  lbError err;
  size_t bytes;
  char *file = write_doc(&doc, NULL, &bytes, &err);
  const float one[8] = { 1, 0, 0, 0, 1, 0, 0, 0 }; // the first rung
  char *at = NULL;
  for (size_t i = 0; i + sizeof one < bytes && !at; i++)
    if (memcmp(file + i, one, sizeof one) == 0) at = file + i;
  assert_non_null(at);
  const float wrong[3][4] = { { 0.5f, 0, 0, 0 }, { 1.5f, -0.5f, 0, 0 }, { 0, 0, 0, 0 } };
  const char *const says[3] = { "sum to 0.5", "weight -0.5", "sum to 0" };
  for (int k = 0; k < 3; k++) {
    lbMesh *mesh = NULL;
    lbRig *rig = NULL;
    memcpy(at, wrong[k], sizeof wrong[k]);
    check_fails(lb_rig_read("doc.glb", file, bytes, &mesh, &rig, &err), LB_ERR_FORMAT, err,
                says[k]);
  }
  lb_free(file);
}

static void the_writer_refuses_bad_skins(void **state) {
  (void)state;
  lbError err;
  size_t bytes;
  Doc doc = whole_doc();
  doc.weights[0] = -1;
  assert_null(write_doc(&doc, NULL, &bytes, &err));
  assert_non_null(strstr(err.text, "joint weight -1"));
  doc = whole_doc();
  memset(doc.weights, 0, sizeof doc.weights);
  assert_null(write_doc(&doc, NULL, &bytes, &err));
  assert_non_null(strstr(err.text, "all zero"));
  doc = whole_doc();
  for (int k = 0; k < POINTS * WIDTH; k++) doc.joints[k] += 1;
  assert_null(write_doc(&doc, NULL, &bytes, &err));
  assert_non_null(strstr(err.text, "uses joint 3, its skin has 3"));
  doc = whole_doc();
  doc.binds[5] = NAN;
  assert_null(write_doc(&doc, NULL, &bytes, &err));
  assert_non_null(strstr(err.text, "inverse_bind"));
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  Doc doc = whole_doc();
  lbError err;
  size_t bytes;
  char *file = write_doc(&doc, NULL, &bytes, &err);
  CheckedHeap heap = { 0 };
  lbAllocator allocator = checked_allocator(&heap);
  lbStatus status = LB_ERR_MEMORY;
  char *copy = malloc(bytes);
  memcpy(copy, file, bytes);
  lb_free(file);
  lb_set_allocator(&allocator);
  for (; status && heap.fail_at < 1000; heap.fail_at++, heap.count = 0) {
    lbMesh *mesh = NULL;
    lbRig *rig = NULL;
    status = lb_rig_read("doc.glb", copy, bytes, &mesh, &rig, &err);
    if (status) assert_int_equal(status, LB_ERR_MEMORY);
    lb_mesh_destroy(mesh);
    lb_rig_destroy(rig);
    assert_int_equal(heap.live, 0);
  }
  lb_set_allocator(NULL);
  assert_true(!status && heap.fail_at > 20);
  free(copy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_skin_is_written_and_read_back),
    cmocka_unit_test(a_turned_armature_turns_the_rest_pose),
    cmocka_unit_test(bad_joints_are_named),
    cmocka_unit_test(bad_files_are_named),
    cmocka_unit_test(bad_weights_are_named),
    cmocka_unit_test(the_writer_refuses_bad_skins),
    cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
