// Cleaning a mesh: vertices at one place become one, what nobody uses goes, bad coordinates end it.
#include "check.h"

#include "limber/report.h"
#include "mesh/builder.h"

// Two triangles that share an edge by position alone (once as -0), a copy of the first, and a
// vertex without use.
static lbMesh *torn(void) {
  static const double points[7][3] = { { 0, 0, 0 }, { 1, 0, 0 },    { 0, 1, 0 }, { 1, 0, 0 },
                                       { 1, 1, 0 }, { -0.0, 1, 0 }, { 9, 9, 9 } };
  static const int32_t triangles[3][3] = { { 0, 1, 2 }, { 3, 4, 5 }, { 0, 1, 2 } };
  lbMeshBuilder builder;
  lbMesh *mesh = NULL;
  lbError err;
  lb_mesh_builder_begin(&builder);
  for (int i = 0; i < 7; i++)
    lb_mesh_add_vertex(&builder, points[i][0], points[i][1], points[i][2]);
  for (int i = 0; i < 3; i++) lb_mesh_add_triangle(&builder, triangles[i]);
  check_ok(lb_mesh_builder_finish(&builder, "torn", &mesh, &err), err);
  return mesh;
}

static void vertices_at_one_place_become_one(void **state) {
  (void)state;
  lbMesh *mesh = torn(), *clean = NULL;
  lbError err;
  check_ok(lb_mesh_clean(mesh, &clean, &err), err);
  assert_int_equal(clean->vertex_count, 4);
  assert_int_equal(clean->triangle_count, 2);
  static const int32_t expected[6] = { 0, 1, 2, 1, 3, 2 };
  for (int i = 0; i < 6; i++) assert_int_equal(clean->triangles[i], expected[i]);
  lb_mesh_destroy(clean);
  lb_mesh_destroy(mesh);
}

static void coordinates_that_are_not_finite_are_refused(void **state) {
  (void)state;
  lbMesh *mesh = torn(), *clean = NULL;
  lbError err;
  mesh->positions[3 * 4 + 1] = NAN; // of a vertex in use
  check_fails(lb_mesh_clean(mesh, &clean, &err), LB_ERR_FORMAT, err, "not a finite number");
  assert_null(clean);
  lb_mesh_destroy(mesh);
}

static void every_failing_allocation_is_reported_and_nothing_leaks(void **state) {
  (void)state;
  lbMesh *mesh = torn();
  lbStatus status = LB_ERR_MEMORY;
  for (int64_t n = 0; status; n++) {
    assert_true(n < 1000);
    CheckedHeap heap = { .fail_at = n };
    lbAllocator failing = checked_allocator(&heap);
    lbMesh *clean = NULL;
    lbError err;
    lb_set_allocator(&failing);
    status = lb_mesh_clean(mesh, &clean, &err);
    lb_mesh_destroy(clean);
    lb_set_allocator(NULL);
    assert_true(!status || status == LB_ERR_MEMORY);
    assert_int_equal(heap.live, 0);
  }
  lb_mesh_destroy(mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(vertices_at_one_place_become_one),
    cmocka_unit_test(coordinates_that_are_not_finite_are_refused),
    cmocka_unit_test(every_failing_allocation_is_reported_and_nothing_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
