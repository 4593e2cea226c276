// The viewable part of a model file, read back as part of a .glb with one more chunk.
#include "glb_file.h"
#include "subjects.h"

#include "export/viewable.h"

static const char *const names[] = { "mode 1: 3.2 Hz", NULL, "tilt" };
static const lbViewableInstance one[] = { { .rotation = { 0, 0, 0, 1 } } };

static void write_word(FILE *file, size_t word) {
  for (int i = 0; i < 4; i++) fputc((int)(word >> (8 * i) & 255), file);
}

// A file as a model's: JSON padded with blanks, BIN, and a chunk that readers must skip.
static void write_model(const lbViewable *v, const char *path) {
  size_t padded = (v->json_bytes + 3) / 4 * 4;
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fwrite("glTF", 1, 4, file);
  write_word(file, 2);
  write_word(file, 12 + 8 + padded + 8 + v->bin_bytes + 8 + 4);
  write_word(file, padded);
  fwrite("JSON", 1, 4, file);
  fwrite(v->json, 1, v->json_bytes, file);
  for (size_t i = v->json_bytes; i < padded; i++) fputc(' ', file);
  write_word(file, v->bin_bytes);
  fwrite("BIN", 1, 4, file);
  fwrite(v->bin, 1, v->bin_bytes, file);
  write_word(file, 4);
  fwrite("LMBR\1\2\3\4", 1, 8, file);
  assert_int_equal(fclose(file), 0);
}

// A bend, nothing at all, and a rigid turn about x; `count` shapes, repeating these.
static double *make_shapes(const lbMesh *mesh, size_t count) {
  size_t n = 3 * (size_t)mesh->vertex_count;
  double *shapes = calloc(count * n, sizeof *shapes);
  assert_non_null(shapes);
  for (size_t i = 0; i < count; i++)
    for (size_t v = 0; v < n; v += 3) {
      const double *p = mesh->positions + v;
      if (i % 3 == 0) shapes[i * n + v + 2] = 7 * p[0] * p[0];
      if (i % 3 == 2) shapes[i * n + v + 1] = -p[2], shapes[i * n + v + 2] = p[1];
    }
  return shapes;
}

static lbViewable make(const lbViewableBody *bodies, int32_t body_count,
                       const lbViewableInstance *nodes, int32_t node_count) {
  lbViewable viewable;
  lbError err;
  check_ok(lb_viewable_make(bodies, body_count, nodes, node_count, 'z', &viewable, &err), err);
  assert_int_equal(viewable.json_bytes, strlen(viewable.json));
  assert_int_equal(viewable.bin_bytes % 64, 0);
  return viewable;
}

static GlbFile reopen(lbViewable *viewable, const char *name) {
  write_model(viewable, output_path(name));
  GlbFile file = glb_open(output_path(name));
  assert_int_equal(file.binary_bytes, viewable->bin_bytes);
  assert_int_equal(glb_integer(glb_item(&file, "buffers", 0), "byteLength"), viewable->bin_bytes);
  lb_viewable_release(viewable);
  return file;
}

static Accessor target(const GlbFile *file, int64_t mesh, size_t i, const char *key) {
  json_t *primitives = json_object_get(glb_item(file, "meshes", mesh), "primitives");
  json_t *targets = json_object_get(json_array_get(primitives, 0), "targets");
  return glb_accessor(file, glb_integer(json_array_get(targets, i), key), key[0] == 'P');
}

static double longest(const Accessor *a) {
  double worst = 0;
  for (size_t i = 0; i < a->count; i++) {
    double sum = 0;
    for (size_t k = 0; k < 3; k++) sum += pow((double)glb_float(a, 3 * i + k), 2);
    worst = fmax(worst, sqrt(sum));
  }
  return worst;
}

// ---- tests -------------------------------------------------------------------------------------

static void shapes_move_the_farthest_vertex_by_a_tenth_of_the_size(void **state) {
  (void)state;
  lbMesh *mesh = sheet();
  double *shapes = make_shapes(mesh, 3);
  lbViewableBody body = { "sheet", mesh, 3, shapes, names };
  lbViewable viewable = make(&body, 1, one, 1);
  GlbFile file = reopen(&viewable, "test-viewable.glb");
  Accessor bend = target(&file, 0, 0, "POSITION"), none = target(&file, 0, 1, "POSITION");
  check_near(longest(&bend), 0.1 * sqrt(2), 1e-7);
  check_near(longest(&none), 0, 0);
  json_t *object = glb_item(&file, "meshes", 0), *weights = json_object_get(object, "weights");
  json_t *titles = json_object_get(json_object_get(object, "extras"), "targetNames");
  assert_int_equal(json_array_size(weights), 3);
  for (size_t i = 0; i < 3; i++) check_near(json_number_value(json_array_get(weights, i)), 0, 0);
  assert_string_equal(json_string_value(json_array_get(titles, 0)), "mode 1: 3.2 Hz");
  assert_string_equal(json_string_value(json_array_get(titles, 1)), "shape 2");
  assert_int_equal(json_array_size(json_object_get(glb_item(&file, "nodes", 0), "rotation")), 4);
  glb_close(&file);
  free(shapes);
  lb_mesh_destroy(mesh);
}

// n -> n + dn turns with the surface: by the angle of the rigid turn, and along dz/dx of the bend.
static void normals_follow_the_shapes_to_first_order(void **state) {
  (void)state;
  lbMesh *mesh = sheet();
  double *shapes = make_shapes(mesh, 3);
  lbViewableBody body = { "sheet", mesh, 3, shapes, NULL };
  lbViewable viewable = make(&body, 1, one, 1);
  GlbFile file = reopen(&viewable, "test-viewable.glb");
  Accessor turned = target(&file, 0, 2, "NORMAL"), moved = target(&file, 0, 2, "POSITION");
  Accessor bent = target(&file, 0, 0, "NORMAL");
  double angle = (double)glb_float(&moved, 3 * (SIDE * SIDE - 1) + 2); // z at y = 1
  for (size_t v = 0; v < SIDE * SIDE; v++) {
    check_near((double)glb_float(&turned, 3 * v), 0, 1e-7);
    check_near((double)glb_float(&turned, 3 * v + 1), -angle, 1e-7);
    check_near((double)glb_float(&turned, 3 * v + 2), 0, 1e-7);
  }
  // z = s x^2: dn = (-2 s x, 0, 0); central differences are exact for a parabola
  size_t middle = SIDE * (SIDE / 2) + SIDE / 2;
  check_near((double)glb_float(&bent, 3 * middle), -2 * 0.1 * sqrt(2) * 0.5, 1e-6);
  glb_close(&file);
  free(shapes);
  lb_mesh_destroy(mesh);
}

static void sixty_four_shapes_are_enough(void **state) {
  (void)state;
  lbMesh *mesh = tetrahedron();
  double *shapes = make_shapes(mesh, 70);
  lbViewableBody body = { NULL, mesh, 70, shapes, NULL };
  lbViewable viewable = make(&body, 1, one, 1);
  GlbFile file = reopen(&viewable, "test-viewable.glb");
  json_t *object = glb_item(&file, "meshes", 0);
  assert_string_equal(json_string_value(json_object_get(object, "name")), "body 0");
  assert_int_equal(json_array_size(json_object_get(object, "weights")), 64);
  glb_close(&file);
  free(shapes);
  lb_mesh_destroy(mesh);
}

// Two meshes, three nodes; left for other programs' readers, see tests/cli/test_gltf.py.
static void instances_share_a_mesh_and_pictures_are_found(void **state) {
  (void)state;
  lbMesh *a = painted_sheet(), *b = tetrahedron();
  double *shapes = make_shapes(a, 3);
  lbViewableBody bodies[] = { { "plain", b, 0, NULL, NULL }, { "painted", a, 3, shapes, names } };
  lbViewableInstance nodes[] = { { 1, "first", { 0, 0, 0 }, { 0, 0, 0, 1 } },
                                 { 0, NULL, { 1, 2, 3 }, { 0, 0, 2, 2 } },
                                 { 1, "second", { 4, 0, 0 }, { 0, 0, 0, 3 } } };
  lbViewable viewable = make(bodies, 2, nodes, 3);
  assert_int_equal(viewable.texture_ranges[1], sizeof png);
  assert_memory_equal(viewable.bin + viewable.texture_ranges[0], png, sizeof png);
  assert_int_equal(viewable.texture_ranges[3], 0); // a GIF
  GlbFile file = reopen(&viewable, "viewable.glb");
  assert_int_equal(json_array_size(json_object_get(file.root, "meshes")), 2);
  assert_int_equal(glb_integer(glb_item(&file, "nodes", 1), "mesh"), 1);
  assert_int_equal(glb_integer(glb_item(&file, "nodes", 3), "mesh"), 1);
  json_t *middle = glb_item(&file, "nodes", 2);
  assert_string_equal(json_string_value(json_object_get(middle, "name")), "plain");
  json_t *rotation = json_object_get(middle, "rotation");
  check_near(json_number_value(json_array_get(rotation, 3)), sqrt(0.5), 1e-7);
  assert_null(json_object_get(glb_item(&file, "nodes", 3), "rotation"));
  json_t *pbr = json_object_get(glb_item(&file, "materials", 2), "pbrMetallicRoughness");
  assert_non_null(json_object_get(pbr, "baseColorTexture"));
  glb_close(&file);
  free(shapes);
  lb_mesh_destroy(a);
  lb_mesh_destroy(b);
}

static void wrong_models_are_named(void **state) {
  (void)state;
  lbMesh *mesh = sheet();
  double *shapes = make_shapes(mesh, 3);
  lbViewableBody body = { "sheet", mesh, 3, shapes, NULL };
  lbViewableInstance node = one[0];
  lbViewable viewable;
  lbError err;
#define REFUSED(status, part)                                                                      \
  check_fails(lb_viewable_make(&body, 1, &node, 1, 'z', &viewable, &err), status, err, part)
  check_fails(lb_viewable_make(&body, 1, &node, 0, 'z', &viewable, &err), LB_ERR_ARGUMENT, err,
              "an instance");
  check_fails(lb_viewable_make(&body, 1, &node, 1, 'x', &viewable, &err), LB_ERR_ARGUMENT, err,
              "up is");
  node.body = 1;
  REFUSED(LB_ERR_ARGUMENT, "instance 0 places body 1, there are 1");
  node.body = 0;
  node.rotation[3] = 0;
  REFUSED(LB_ERR_ARGUMENT, "rotations[0]");
  node = one[0];
  node.position[1] = INFINITY;
  REFUSED(LB_ERR_ARGUMENT, "position[0][1] is inf");
  node = one[0];
  shapes[3 * SIDE * SIDE + 5] = NAN;
  REFUSED(LB_ERR_ARGUMENT, "body \"sheet\": shape 1, vertex 1: z is nan");
  body.shapes = NULL;
  REFUSED(LB_ERR_ARGUMENT, "3 shapes");
  body.shape_count = 0;
  mesh->triangle_count = 0;
  REFUSED(LB_ERR_MESH, "body \"sheet\": its surface has no triangles");
#undef REFUSED
  free(shapes);
  lb_mesh_destroy(mesh);
}

static void every_failing_allocation_is_reported_without_leaks(void **state) {
  (void)state;
  lbMesh *mesh = painted_sheet();
  double *shapes = make_shapes(mesh, 3);
  lbViewableBody body = { "\xff", mesh, 3, shapes, names };
  lbStatus status = LB_ERR_MEMORY;
  int64_t n = 0;
  for (; status; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lbViewable viewable = { 0 };
    lbError err = { 0 };
    lb_set_allocator(&allocator);
    status = lb_viewable_make(&body, 1, one, 1, 'z', &viewable, &err);
    assert_true(!status == (viewable.json != NULL));
    lb_viewable_release(&viewable);
    lb_set_allocator(NULL);
    if (status) assert_int_equal(status, LB_ERR_MEMORY);
    assert_int_equal(heap.live, 0);
  }
  assert_true(n > 30);
  free(shapes);
  lb_mesh_destroy(mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(shapes_move_the_farthest_vertex_by_a_tenth_of_the_size),
    cmocka_unit_test(normals_follow_the_shapes_to_first_order),
    cmocka_unit_test(sixty_four_shapes_are_enough),
    cmocka_unit_test(instances_share_a_mesh_and_pictures_are_found),
    cmocka_unit_test(wrong_models_are_named),
    cmocka_unit_test(every_failing_allocation_is_reported_without_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
