// The glTF writer by itself: rigid tracks below the root that turns the axes, tracks that stand
// still, signs and lengths of quaternions, morph weights, names, refusals, memory that runs out.
#include "export/glb_file.h"
#include "comma_locale.h"

#include "limber/gltf.h"

#define FRAMES 9
#define POINTS 4

static const float tet[3 * POINTS] = { 0, 0, 0, 1, 0, 0, 0, 0.5f, 0, 0, 0, 0.25f };
static const int32_t faces[12] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
static const lbGltfPart whole = { 0, 4, -1 };
static double times[FRAMES];
static float translations[3 * FRAMES], rotations[4 * FRAMES], weights[2 * FRAMES];

// A body that is thrown and spins about a tilted axis, more than a turn in all.
static lbVec3 place_at(double t) { return lb_vec3(2 * t, -1 + t, 3 * t - 4.9 * t * t); }
static lbQuat turn_at(double t) { return lb_quat_from_axis_angle(lb_vec3(1, 2, -0.5), 9 * t); }

static lbGltfDef test_def(void) {
  lbGltfDef def = lb_gltf_def();
  for (size_t f = 0; f < FRAMES; f++) {
    times[f] = 0.125 * (double)f;
    lbVec3 p = place_at(times[f]);
    lbQuat q = turn_at(times[f]);
    double size = f % 2 ? -3 : 0.5; // any length, either sign
    const double values[7] = { p.x, p.y, p.z, size * q.x, size * q.y, size * q.z, size * q.w };
    for (size_t k = 0; k < 3; k++) translations[3 * f + k] = (float)values[k];
    for (size_t k = 0; k < 4; k++) rotations[4 * f + k] = (float)values[3 + k];
    weights[2 * f] = (float)f / FRAMES, weights[2 * f + 1] = 0.5f;
  }
  def.frame_count = FRAMES;
  def.times = times;
  return def;
}

static lbGltfMesh test_mesh(void) {
  return (lbGltfMesh){ .name = "tet",
                       .vertex_count = POINTS,
                       .positions = tet,
                       .triangles = faces,
                       .part_count = 1,
                       .parts = &whole };
}

static lbGltf *create(const lbGltfDef *def) {
  lbGltf *gltf = NULL;
  lbError err;
  check_ok(lb_gltf_create(def, &gltf, &err), err);
  return gltf;
}

static int32_t add_mesh(lbGltf *gltf) {
  lbGltfMesh mesh = test_mesh();
  int32_t id = -1;
  lbError err;
  check_ok(lb_gltf_add_mesh(gltf, &mesh, &id, &err), err);
  return id;
}

static void add_node(lbGltf *gltf, lbGltfNode node, int32_t expected) {
  int32_t id = -1;
  lbError err;
  check_ok(lb_gltf_add_node(gltf, &node, &id, &err), err);
  assert_int_equal(id, expected);
}

static GlbFile save(lbGltf *gltf) {
  const char *path = output_path("gltf-layer.glb");
  lbError err;
  check_ok(lb_gltf_save(gltf, path, &err), err);
  lb_gltf_destroy(gltf);
  return glb_open(path);
}

static lbGltfNode rigid_node(int32_t mesh) {
  return (lbGltfNode){
    .name = "thrown", .mesh = mesh, .translations = translations, .rotations = rotations
  };
}

// ---- rigid motion ------------------------------------------------------------------------------

static void rigid_tracks_are_sampled_at_the_frames(void **state) {
  (void)state;
  lbGltfDef def = test_def();
  lbGltf *gltf = create(&def);
  add_node(gltf, rigid_node(add_mesh(gltf)), 0);
  GlbFile file = save(gltf);
  lbAnimationDef expected = { .frame_count = FRAMES, .times = times };
  Accessor moved, turned;
  assert_true(glb_sampler(&file, 1, "translation", &expected, &moved));
  assert_true(glb_sampler(&file, 1, "rotation", &expected, &turned));
  assert_string_equal(moved.type, "VEC3");
  assert_string_equal(turned.type, "VEC4");
  assert_int_equal(moved.count, FRAMES);
  assert_int_equal(turned.count, FRAMES);
  float before[4] = { 0 };
  for (size_t f = 0; f < FRAMES; f++) {
    lbQuat q = turn_at(times[f]);
    const double exact[4] = { q.x, q.y, q.z, q.w };
    double length = 0, dot = 0, along = 0;
    for (size_t k = 0; k < 3; k++)
      assert_true(glb_float(&moved, 3 * f + k) == translations[3 * f + k]);
    for (size_t k = 0; k < 4; k++) {
      float value = glb_float(&turned, 4 * f + k);
      length += (double)value * (double)value;
      dot += (double)value * (double)before[k];
      along += (double)value * exact[k];
      before[k] = value;
    }
    check_near(length, 1, 1e-6);
    check_near(fabs(along), 1, 1e-6); // the same rotation
    assert_true(f == 0 || dot > 0);   // and never the long way round
  }
  glb_close(&file);
}

// The root is the only node of the scene, turns z up into y up, and is the parent of all: its
// rotation acts after a node's own, whatever that does over time.
static void the_root_turns_the_axes_of_moving_nodes(void **state) {
  (void)state;
  lbGltfDef def = test_def();
  for (int k = 0; k < 2; k++) {
    def.up = k ? 'y' : 'z';
    lbGltf *gltf = create(&def);
    int32_t mesh = add_mesh(gltf);
    add_node(gltf, rigid_node(mesh), 0);
    add_node(gltf, (lbGltfNode){ .name = "still", .mesh = mesh }, 1);
    GlbFile file = save(gltf);
    json_t *scene = json_object_get(glb_item(&file, "scenes", 0), "nodes");
    assert_int_equal(json_array_size(scene), 1);
    json_t *root = glb_item(&file, "nodes", json_integer_value(json_array_get(scene, 0)));
    json_t *children = json_object_get(root, "children"), *r = json_object_get(root, "rotation");
    assert_int_equal(json_array_size(children), 2);
    for (size_t i = 0; i < 2; i++) {
      json_t *child = glb_item(&file, "nodes", json_integer_value(json_array_get(children, i)));
      assert_string_equal(json_string_value(json_object_get(child, "name")),
                          i ? "still" : "thrown");
    }
    double q[4] = { 0, 0, 0, 1 };
    for (size_t i = 0; i < 4 && r; i++) q[i] = json_number_value(json_array_get(r, i));
    lbVec3 up = k ? lb_vec3(0, 1, 0) : lb_vec3(0, 0, 1);
    lbVec3 turned = lb_quat_rotate(lb_quat(q[0], q[1], q[2], q[3]), up);
    check_small(lb_length(lb_sub(turned, lb_vec3(0, 1, 0))), 1e-7);
    glb_close(&file);
  }
}

static void tracks_that_stand_still_are_the_nodes_own(void **state) {
  (void)state;
  lbGltfDef def = test_def();
  lbGltf *gltf = create(&def);
  for (size_t i = 3; i < 3 * FRAMES; i++) translations[i] = translations[i % 3];
  for (size_t i = 4; i < 4 * FRAMES; i++) rotations[i] = rotations[i % 4] * (i / 4 % 2 ? -1 : 1);
  add_node(gltf, rigid_node(add_mesh(gltf)), 0);
  GlbFile file = save(gltf);
  assert_null(json_object_get(file.root, "animations"));
  json_t *translation = json_object_get(glb_item(&file, "nodes", 1), "translation");
  for (size_t k = 0; k < 3; k++)
    check_near(json_number_value(json_array_get(translation, k)), (double)translations[k], 0);
  glb_close(&file);
}

// ---- meshes ------------------------------------------------------------------------------------

static void weights_targets_and_shared_points_survive(void **state) {
  (void)state;
  lbGltfDef def = test_def();
  const int32_t points[6] = { 0, 1, 2, 3, 0, 1 }, triangles[6] = { 0, 1, 3, 4, 2, 5 };
  const float uvs[12] = { 0, 0, 1, 0, 0, 1, 1, 1, 0.5f, 0.5f, 0.25f, 0 };
  float shift[3 * POINTS], normals[3 * POINTS];
  for (int i = 0; i < 3 * POINTS; i++) shift[i] = (float)i / 8, normals[i] = i % 3 == 2;
  const lbGltfTarget targets[2] = { { "one", shift, normals }, { NULL, tet, normals } };
  const lbGltfPart parts[2] = { { 0, 1, 0 }, { 1, 1, -1 } };
  const double error = 0.0625;
  lbGltfMaterial paint = { "p\"\n\xc3\xa4", { 2, 0.5f, -1, 0.5f }, 0, 1, -1, true };
  lbGltfMesh mesh = test_mesh();
  mesh.vertex_count = 6, mesh.point_count = POINTS, mesh.points = points;
  mesh.normals = normals, mesh.uvs = uvs, mesh.triangles = triangles;
  mesh.part_count = 2, mesh.parts = parts, mesh.target_count = 2, mesh.targets = targets;
  mesh.max_error = &error;
  mesh.name = "not \xff utf-8";
  lbGltf *gltf = create(&def);
  lbError err;
  int32_t id = -1;
  check_ok(lb_gltf_add_material(gltf, &paint, &id, &err), err);
  check_ok(lb_gltf_add_mesh(gltf, &mesh, &id, &err), err);
  add_node(gltf, (lbGltfNode){ .mesh = id, .weights = weights }, 0);
  GlbFile file = save(gltf);
  lbAnimationDef expected = { .frame_count = FRAMES, .times = times };
  GlbBody body = glb_body(&file, 1, &expected);
  assert_int_equal(body.target_count, 2);
  assert_int_equal(body.base.count, 6);
  for (size_t v = 0; v < 6; v++)
    for (size_t k = 0; k < 3; k++) {
      size_t at = 3 * (size_t)points[v] + k;
      assert_true(glb_float(&body.base, 3 * v + k) == tet[at]);
      assert_true(glb_float(&body.targets[0], 3 * v + k) == shift[at]);
    }
  for (size_t i = 0; i < 2 * FRAMES; i++) assert_true(glb_float(&body.weights, i) == weights[i]);
  json_t *extras = json_object_get(body.mesh, "extras");
  json_t *names = json_object_get(extras, "targetNames");
  assert_string_equal(json_string_value(json_array_get(names, 0)), "one");
  assert_string_equal(json_string_value(json_array_get(names, 1)), "target 2");
  check_near(json_number_value(json_object_get(extras, "max_error_m")), error, 0);
  assert_string_equal(json_string_value(json_object_get(body.mesh, "name")), "not _ utf-8");
  json_t *material = glb_item(&file, "materials", 0);
  assert_string_equal(json_string_value(json_object_get(material, "name")), "p\"\n\xc3\xa4");
  json_t *color =
      json_object_get(json_object_get(material, "pbrMetallicRoughness"), "baseColorFactor");
  const double clamped[4] = { 1, 0.5, 0, 0.5 };
  for (size_t k = 0; k < 4; k++)
    check_near(json_number_value(json_array_get(color, k)), clamped[k], 0);
  glb_close(&file);
}

static uint8_t *pack_rigid(size_t *count) {
  lbGltfDef def = test_def();
  lbGltf *gltf = create(&def);
  uint8_t *bytes = NULL;
  lbError err;
  add_node(gltf, rigid_node(add_mesh(gltf)), 0);
  check_ok(lb_gltf_pack(gltf, &bytes, count, &err), err);
  lb_gltf_destroy(gltf);
  return bytes;
}

static void files_in_memory_and_under_another_locale_are_the_same(void **state) {
  (void)state;
  size_t count = 0, again = 0;
  uint8_t *bytes = pack_rigid(&count);
  lbGltfDef def = test_def();
  lbGltf *gltf = create(&def);
  add_node(gltf, rigid_node(add_mesh(gltf)), 0);
  GlbFile file = save(gltf);
  assert_int_equal(file.bytes, count);
  assert_memory_equal(file.content, bytes, count);
  glb_close(&file);
  if (set_comma_locale()) {
    uint8_t *other = pack_rigid(&again);
    setlocale(LC_ALL, "C");
    assert_int_equal(again, count);
    assert_memory_equal(other, bytes, count);
    lb_free(other);
  }
  lb_free(bytes);
}

// ---- what goes wrong ---------------------------------------------------------------------------

static void wrong_arguments_are_named_and_change_nothing(void **state) {
  (void)state;
  lbGltfDef def = test_def();
  lbGltf *gltf = NULL;
  lbError err;
  int32_t id = -7;
#define REFUSED(call, part) check_fails(call, LB_ERR_ARGUMENT, err, part)
  def.up = 'x';
  REFUSED(lb_gltf_create(&def, &gltf, &err), "up is");
  def = test_def();
  times[3] = times[2];
  REFUSED(lb_gltf_create(&def, &gltf, &err), "times[3]");
  def = test_def();
  times[1] = NAN;
  REFUSED(lb_gltf_create(&def, &gltf, &err), "times[1]");
  def = test_def();
  gltf = create(&def);
  uint8_t *bytes;
  size_t count;
  REFUSED(lb_gltf_pack(gltf, &bytes, &count, &err), "needs a node");
  lbGltfMesh mesh = test_mesh();
  mesh.part_count = 0;
  REFUSED(lb_gltf_add_mesh(gltf, &mesh, &id, &err), "needs vertices");
  mesh = test_mesh();
  mesh.vertex_count = 3;
  REFUSED(lb_gltf_add_mesh(gltf, &mesh, &id, &err), "triangle 1 uses vertex 3, there are 3");
  lbGltfPart part = { 0, 4, 2 };
  mesh = test_mesh();
  mesh.parts = &part;
  REFUSED(lb_gltf_add_mesh(gltf, &mesh, &id, &err), "material 2, there are 0");
  float broken[3 * POINTS] = { [7] = NAN };
  mesh = test_mesh();
  mesh.positions = broken;
  REFUSED(lb_gltf_add_mesh(gltf, &mesh, &id, &err), "positions[7] is nan");
  lbGltfPicture picture = { "p", "image/webp", "x", 1 };
  REFUSED(lb_gltf_add_texture(gltf, &picture, &id, &err), "image/webp");
  lbGltfNode node = rigid_node(0);
  REFUSED(lb_gltf_add_node(gltf, &node, &id, &err), "uses mesh 0, there are 0");
  node.mesh = add_mesh(gltf);
  node.weights = weights;
  REFUSED(lb_gltf_add_node(gltf, &node, &id, &err), "no mesh with targets");
  node.weights = NULL;
  memset(rotations + 8, 0, 4 * sizeof *rotations);
  REFUSED(lb_gltf_add_node(gltf, &node, &id, &err), "rotations[2] is (0, 0, 0, 0), which has zero");
  test_def();
  translations[4] = INFINITY;
  REFUSED(lb_gltf_add_node(gltf, &node, &id, &err), "translations[4] is inf");
  test_def();
  assert_int_equal(id, -7);
  add_node(gltf, node, 0); // the document is as good as before
  lb_gltf_destroy(gltf);
  def = lb_gltf_def();
  gltf = create(&def);
  node.mesh = -1;
  REFUSED(lb_gltf_add_node(gltf, &node, &id, &err), "no times");
#undef REFUSED
  lb_gltf_destroy(gltf);
  lb_gltf_destroy(NULL);
}

static lbStatus write_all(lbError *err) {
  const lbGltfTarget target = { "t", tet, NULL };
  const lbGltfPicture picture = { "p", "image/png", "\x89PNG", 4 };
  lbGltfMaterial material = { .name = "m", .texture = 0 };
  lbGltfMesh mesh = test_mesh();
  lbGltfDef def = test_def();
  lbGltf *gltf = NULL;
  uint8_t *bytes = NULL;
  size_t count;
  mesh.target_count = 1, mesh.targets = &target;
  lbStatus status = lb_gltf_create(&def, &gltf, err);
  lbGltfNode node = rigid_node(0);
  node.weights = weights;
  int32_t id;
  if (!status) status = lb_gltf_add_texture(gltf, &picture, &id, err);
  if (!status) status = lb_gltf_add_material(gltf, &material, &id, err);
  if (!status) status = lb_gltf_add_mesh(gltf, &mesh, &id, err);
  if (!status) status = lb_gltf_add_node(gltf, &node, &id, err);
  if (!status) status = lb_gltf_pack(gltf, &bytes, &count, err);
  lb_free(bytes);
  lb_gltf_destroy(gltf);
  return status;
}

static void every_failing_allocation_is_reported_without_leaks(void **state) {
  (void)state;
  lbStatus status = LB_ERR_MEMORY;
  for (int64_t n = 0; status; n++) {
    assert_true(n < 1000);
    CheckedHeap heap = { .fail_at = n };
    lbAllocator failing = checked_allocator(&heap);
    lbError err;
    lb_set_allocator(&failing);
    status = write_all(&err);
    lb_set_allocator(NULL);
    assert_true(!status || status == LB_ERR_MEMORY);
    assert_int_equal(heap.live, 0);
  }
}

static void more_than_four_gibibytes_are_refused(void **state) {
  (void)state;
  lbGltfDef def = lb_gltf_def();
  lbGltf *gltf = create(&def);
  const lbGltfPicture picture = { "p", "image/png", tet, (size_t)5 << 30 }; // never read
  lbError err;
  int32_t id;
  check_fails(lb_gltf_add_texture(gltf, &picture, &id, &err), LB_ERR_UNSUPPORTED, err, "4 GiB");
  lb_gltf_destroy(gltf);
}

// For other programs' readers (tests/cli/test_gltf.py): a thrown, spinning body in a z-up scene,
// and where its vertices are in glTF's axes at frames and half-way between two: t, vertex, x, y, z.
static void the_file_for_other_readers_is_written(void **state) {
  (void)state;
  lbGltfDef def = test_def();
  lbGltf *gltf = create(&def);
  add_node(gltf, rigid_node(add_mesh(gltf)), 0);
  lbError err;
  check_ok(lb_gltf_save(gltf, output_path("rigid.glb"), &err), err);
  lb_gltf_destroy(gltf);
  FILE *table = fopen(output_path("rigid.csv"), "w");
  assert_non_null(table);
  fprintf(table, "t,vertex,x,y,z\n");
  for (size_t i = 0; i < 2 * FRAMES - 1; i++) {
    size_t f = i / 2;
    double half = i % 2 ? 0.5 : 0, t = 0.125 * ((double)f + half);
    lbVec3 a = place_at(times[f]), b = i % 2 ? place_at(times[f + 1]) : a;
    lbVec3 p = lb_add(lb_scale(1 - half, a), lb_scale(half, b)); // linear between frames
    lbQuat q = turn_at(t);                                       // a constant spin is a slerp
    for (size_t v = 0; v < POINTS; v++) {
      lbVec3 x = lb_vec3((double)tet[3 * v], (double)tet[3 * v + 1], (double)tet[3 * v + 2]);
      x = lb_add(lb_quat_rotate(q, x), p);
      fprintf(table, "%.17g,%zu,%.17g,%.17g,%.17g\n", t, v, x.x, x.z, -x.y);
    }
  }
  assert_int_equal(fclose(table), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(rigid_tracks_are_sampled_at_the_frames),
    cmocka_unit_test(the_root_turns_the_axes_of_moving_nodes),
    cmocka_unit_test(tracks_that_stand_still_are_the_nodes_own),
    cmocka_unit_test(weights_targets_and_shared_points_survive),
    cmocka_unit_test(files_in_memory_and_under_another_locale_are_the_same),
    cmocka_unit_test(wrong_arguments_are_named_and_change_nothing),
    cmocka_unit_test(every_failing_allocation_is_reported_without_leaks),
    cmocka_unit_test(more_than_four_gibibytes_are_refused),
    cmocka_unit_test(the_file_for_other_readers_is_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
