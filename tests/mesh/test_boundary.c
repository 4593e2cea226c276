// The outer surface of volume meshes.
#include "check.h"

#include "limber/mesh.h"
#include "mesh/builder.h"

// Corners of n x 1 x 1 unit cells, x fastest.
static void add_corners(lbMeshBuilder *builder, int n) {
  for (int z = 0; z < 2; z++)
    for (int y = 0; y < 2; y++)
      for (int x = 0; x <= n; x++) lb_mesh_add_vertex(builder, x, y, z);
}

static void add_cell(lbMeshBuilder *builder, int n, int i) {
  int32_t w = n + 1;
  int32_t brick[8] = { i,         i + 1,         i + 1 + w,     i + w,
                       i + 2 * w, i + 1 + 2 * w, i + 1 + 3 * w, i + 3 * w };
  lb_mesh_add_brick(builder, brick);
}

static lbMesh *finish(lbMeshBuilder *builder) {
  lbMesh *mesh = NULL;
  lbError err;
  check_ok(lb_mesh_builder_finish(builder, "test", &mesh, &err), err);
  return mesh;
}

static double signed_volume(const lbMesh *mesh, const int32_t *triangles, int32_t count) {
  double sum = 0;
  for (int32_t t = 0; t < count; t++) {
    const double *a = mesh->positions + 3 * triangles[3 * t];
    const double *b = mesh->positions + 3 * triangles[3 * t + 1];
    const double *c = mesh->positions + 3 * triangles[3 * t + 2];
    sum += a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return sum / 6;
}

static void a_tet_has_its_four_faces_seen_from_outside(void **state) {
  (void)state;
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  lb_mesh_add_vertex(&builder, 0, 0, 0);
  lb_mesh_add_vertex(&builder, 1, 0, 0);
  lb_mesh_add_vertex(&builder, 0, 1, 0);
  lb_mesh_add_vertex(&builder, 0, 0, 1);
  lb_mesh_add_tet(&builder, (int32_t[4]){ 0, 1, 2, 3 });
  lbMesh *mesh = finish(&builder);
  int32_t *triangles = NULL, count = 0;
  lbError err;
  check_ok(lb_mesh_boundary(mesh, &triangles, &count, &err), err);
  assert_int_equal(count, 4);
  const int32_t expected[12] = { 1, 2, 3, 0, 3, 2, 0, 1, 3, 0, 2, 1 };
  assert_memory_equal(triangles, expected, sizeof expected);
  check_near(signed_volume(mesh, triangles, count), 1.0 / 6, 1e-15);
  lb_free(triangles);
  lb_mesh_destroy(mesh);
}

static void two_bricks_share_one_face_and_quads_are_cut_from_their_smallest_id(void **state) {
  (void)state;
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  add_corners(&builder, 2);
  add_cell(&builder, 2, 0);
  add_cell(&builder, 2, 1);
  lbMesh *mesh = finish(&builder);
  int32_t *triangles = NULL, count = 0;
  lbError err;
  check_ok(lb_mesh_boundary(mesh, &triangles, &count, &err), err);
  assert_int_equal(count, 20);
  check_near(signed_volume(mesh, triangles, count), 2, 1e-14);
  for (int32_t t = 0; t < count; t += 2) {
    int32_t smallest = triangles[3 * t];
    assert_int_equal(triangles[3 * t + 3], smallest);
    for (int i = 1; i < 6; i++) assert_true(triangles[3 * t + i] >= smallest);
  }
  lb_free(triangles);
  lb_mesh_destroy(mesh);
}

static void a_face_of_three_elements_is_not_outer(void **state) {
  (void)state;
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  lb_mesh_add_vertex(&builder, 0, 0, 0);
  lb_mesh_add_vertex(&builder, 1, 0, 0);
  lb_mesh_add_vertex(&builder, 0, 1, 0);
  for (int i = 1; i <= 3; i++) lb_mesh_add_vertex(&builder, 0, 0, i == 3 ? -1 : i);
  for (int32_t i = 3; i < 6; i++) lb_mesh_add_tet(&builder, (int32_t[4]){ 0, 1, 2, i });
  lbMesh *mesh = finish(&builder);
  int32_t *triangles = NULL, count = 0;
  lbError err;
  check_ok(lb_mesh_boundary(mesh, &triangles, &count, &err), err);
  assert_int_equal(count, 9);
  lb_free(triangles);
  lb_mesh_destroy(mesh);
}

static void an_empty_mesh_has_no_surface(void **state) {
  (void)state;
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  lbMesh *mesh = finish(&builder);
  int32_t *triangles = NULL, count = -1;
  lbError err;
  check_ok(lb_mesh_boundary(mesh, &triangles, &count, &err), err);
  assert_int_equal(count, 0);
  lb_free(triangles);
  lb_mesh_destroy(mesh);
}

static void every_failing_allocation_is_reported_and_nothing_leaks(void **state) {
  (void)state;
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  add_corners(&builder, 40);
  for (int i = 0; i < 40; i++) add_cell(&builder, 40, i);
  lbMesh *mesh = finish(&builder);
  lbStatus status = LB_ERR_MEMORY;
  for (int64_t n = 0; status; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lb_set_allocator(&allocator);
    int32_t *triangles = NULL, count = 0;
    lbError err;
    status = lb_mesh_boundary(mesh, &triangles, &count, &err);
    assert_true(status == LB_OK || (status == LB_ERR_MEMORY && triangles == NULL));
    lb_free(triangles);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    assert_true(n < 100);
  }
  lb_mesh_destroy(mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_tet_has_its_four_faces_seen_from_outside),
    cmocka_unit_test(two_bricks_share_one_face_and_quads_are_cut_from_their_smallest_id),
    cmocka_unit_test(a_face_of_three_elements_is_not_outer),
    cmocka_unit_test(an_empty_mesh_has_no_surface),
    cmocka_unit_test(every_failing_allocation_is_reported_and_nothing_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
