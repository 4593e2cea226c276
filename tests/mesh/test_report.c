// The report: every kind of problem on a small mesh that has just that, and clean meshes.
#include "check.h"

#include "limber/report.h"
#include "limber/shape.h"
#include "mesh/builder.h"

typedef struct Rows {
  const double (*vertices)[3];
  int vertex_count;
  const int32_t (*triangles)[3];
  int triangle_count;
  const int32_t (*tets)[4];
  int tet_count;
  const int32_t (*bricks)[8];
  int brick_count;
} Rows;

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static lbMesh *build(Rows rows) {
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  for (int i = 0; i < rows.vertex_count; i++)
    lb_mesh_add_vertex(&builder, rows.vertices[i][0], rows.vertices[i][1], rows.vertices[i][2]);
  for (int i = 0; i < rows.triangle_count; i++) lb_mesh_add_triangle(&builder, rows.triangles[i]);
  for (int i = 0; i < rows.tet_count; i++) lb_mesh_add_tet(&builder, rows.tets[i]);
  for (int i = 0; i < rows.brick_count; i++) lb_mesh_add_brick(&builder, rows.bricks[i]);
  lbMesh *mesh = NULL;
  lbError err;
  check_ok(lb_mesh_builder_finish(&builder, "test", &mesh, &err), err);
  return mesh;
}

static lbMeshReport *report_of(const lbMesh *mesh) {
  lbMeshReport *report = NULL;
  lbError err;
  check_ok(lb_mesh_report(mesh, &report, &err), err);
  return report;
}

static void check_problem(const lbMeshReport *report, const char *kind, int32_t count,
                          const int32_t *ids) {
  const lbMeshProblem *problem = lb_mesh_report_find(report, kind);
  if (!problem) fail_msg("no %s", kind);
  if (problem->count != count)
    fail_msg("%s: %d, expected %d", kind, (int)problem->count, (int)count);
  int32_t width = problem->item == LB_PROBLEM_EDGES ? 2 : 1;
  for (int32_t i = 0; i < count * width; i++)
    if (problem->ids[i] != ids[i])
      fail_msg("%s: ids[%d] is %d, expected %d", kind, (int)i, (int)problem->ids[i], (int)ids[i]);
}

// The mesh has this problem with these ids, and no other kind. Destroys the mesh.
static void check_only(lbMesh *mesh, const char *kind, int32_t count, const int32_t *ids) {
  lbMeshReport *report = report_of(mesh);
  for (int32_t i = 0; i < report->problem_count; i++)
    if (strcmp(report->problems[i].kind, kind))
      fail_msg("unexpected %s: %d, first %d", report->problems[i].kind,
               (int)report->problems[i].count, (int)report->problems[i].ids[0]);
  check_problem(report, kind, count, ids);
  assert_int_equal(report->problem_total, count);
  lb_mesh_report_destroy(report);
  lb_mesh_destroy(mesh);
}

// A tetrahedron's four faces, and room for more vertices.
static const double corners[][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 },
                                     { 0, 0, 1 }, { 2, 2, 2 }, { 0.3, 0.3, 0 } };
static const int32_t shell[4][3] = { { 1, 2, 3 }, { 0, 3, 2 }, { 0, 1, 3 }, { 0, 2, 1 } };
static const int32_t one_tet[1][4] = { { 0, 1, 2, 3 } };

static void a_clean_surface_has_no_problem(void **state) {
  (void)state;
  lbMesh *mesh = build((Rows){ corners, 4, .triangles = shell, 4 });
  lbMeshReport *report = report_of(mesh);
  assert_int_equal(report->problem_count, 0);
  assert_int_equal(report->problem_total, 0);
  assert_int_equal(report->component_count, 1);
  assert_int_equal(report->hole_count, 0);
  assert_true(report->closed && report->self_intersections_checked);
  check_near(report->volume, 1.0 / 6, 1e-15);
  check_near(report->surface_area, 1.5 + sqrt(3) / 2, 1e-15);
  for (int a = 0; a < 3; a++) {
    check_near(report->bounds[0][a], 0, 0);
    check_near(report->bounds[1][a], 1, 0);
  }
  lb_mesh_report_destroy(report);
  lb_mesh_destroy(mesh);
}

static void built_in_shapes_are_clean(void **state) {
  (void)state;
  for (int i = 0; i < 3 * LB_SHAPE_SOLID_COUNT; i++) {
    lbShapeDef def = lb_shape_def(lb_shape_name((lbShape)(i / 3)));
    def.segments = 32;
    def.element = i % 3 == 0 ? LB_ELEMENT_TET4 : LB_ELEMENT_BRICK8;
    lbMesh *mesh = NULL;
    lbError err;
    check_ok((i % 3 == 2 ? lb_shape_surface : lb_shape_volume)(&def, &mesh, &err), err);
    lbMeshReport *report = report_of(mesh);
    if (report->problem_count)
      fail_msg("%s (%d): %s %d", lb_shape_name(def.shape), i % 3, report->problems[0].kind,
               (int)report->problems[0].count);
    assert_true(report->closed);
    assert_true(report->volume > 0);
    assert_int_equal(report->component_count, 1);
    lb_mesh_report_destroy(report);
    lb_mesh_destroy(mesh);
  }
}

static void an_empty_mesh_has_an_empty_report(void **state) {
  (void)state;
  lbMesh *mesh = build((Rows){ 0 });
  lbMeshReport *report = report_of(mesh);
  assert_int_equal(report->problem_count, 0);
  assert_int_equal(report->component_count, 0);
  assert_false(report->closed);
  check_near(report->bounds[1][2], 0, 0);
  lb_mesh_report_destroy(report);
  lb_mesh_destroy(mesh);
  lb_mesh_report_destroy(NULL);
}

static void unused_vertices_are_listed_and_do_not_stretch_the_bounds(void **state) {
  (void)state;
  lbMesh *mesh = build((Rows){ corners, 6, .triangles = shell, 4 });
  lbMeshReport *report = report_of(mesh);
  check_near(report->bounds[1][0], 1, 0);
  lb_mesh_report_destroy(report);
  check_only(mesh, "unused_vertices", 2, (int32_t[]){ 4, 5 });
}

static void duplicate_vertices_are_those_after_the_first(void **state) {
  (void)state;
  // Two tets that meet in a face whose vertices exist twice; one coordinate is -0.
  static const double x[][3] = { { 0, 0, 0 },   { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 },
                                 { -0., 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, -1 } };
  static const int32_t tets[][4] = { { 0, 1, 2, 3 }, { 4, 6, 5, 7 } };
  lbMesh *mesh = build((Rows){ x, COUNT(x), .tets = tets, 2 });
  lbMeshReport *report = report_of(mesh);
  assert_int_equal(report->problem_count, 2);
  check_problem(report, "duplicate_vertices", 3, (int32_t[]){ 4, 5, 6 });
  check_problem(report, "several_components", 2, (int32_t[]){ 0, 4 });
  lb_mesh_report_destroy(report);
  lb_mesh_destroy(mesh);
}

static void several_components_are_named_by_their_smallest_vertex(void **state) {
  (void)state;
  static const double x[][3] = { { 0, 0, 0 }, { 5, 0, 0 }, { 1, 0, 0 }, { 6, 0, 0 },
                                 { 0, 1, 0 }, { 5, 1, 0 }, { 0, 0, 1 }, { 5, 0, 1 } };
  static const int32_t tets[][4] = { { 1, 3, 5, 7 }, { 0, 2, 4, 6 } };
  check_only(build((Rows){ x, COUNT(x), .tets = tets, 2 }), "several_components", 2,
             (int32_t[]){ 0, 1 });
}

static void flat_tets_and_tets_with_a_vertex_twice_are_degenerate(void **state) {
  (void)state;
  static const int32_t tets[][4] = { { 0, 1, 2, 3 }, { 0, 1, 2, 5 }, { 0, 1, 1, 3 } };
  lbMesh *mesh = build((Rows){ corners, 6, .tets = tets, 3 });
  lbMeshReport *report = report_of(mesh);
  check_problem(report, "degenerate_elements", 2, (int32_t[]){ 1, 2 });
  assert_null(lb_mesh_report_find(report, "slivers"));
  assert_null(lb_mesh_report_find(report, "inverted_elements"));
  lb_mesh_report_destroy(report);
  lb_mesh_destroy(mesh);
}

static void mended_tets_count_as_inverted(void **state) {
  (void)state;
  static const double x[][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 0, 0, -1 } };
  static const int32_t tets[][4] = { { 0, 1, 2, 3 }, { 0, 1, 2, 4 } };
  check_only(build((Rows){ x, COUNT(x), .tets = tets, 2 }), "inverted_elements", 1,
             (int32_t[]){ 1 });
}

static const double cube[8][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 },
                                   { 0, 0, 1 }, { 1, 0, 1 }, { 1, 1, 1 }, { 0, 1, 1 } };
static const int32_t one_brick[1][8] = { { 0, 1, 2, 3, 4, 5, 6, 7 } };

static void a_brick_folded_at_a_gauss_point_is_inverted(void **state) {
  (void)state;
  double x[8][3];
  memcpy(x, cube, sizeof x);
  x[6][0] = x[6][1] = x[6][2] = 0.1; // one corner pushed through the middle
  check_only(build((Rows){ x, 8, .bricks = one_brick, 1 }), "inverted_bricks", 1, (int32_t[]){ 0 });
}

static void a_brick_with_a_flat_corner_is_a_sliver(void **state) {
  (void)state;
  double x[8][3];
  memcpy(x, cube, sizeof x);
  x[6][0] = x[6][1] = 0.52; // nearly on the line from 5 to 7; the others stay
  x[2][0] = x[2][1] = 0.52;
  check_only(build((Rows){ x, 8, .bricks = one_brick, 1 }), "slivers", 1, (int32_t[]){ 0 });
}

static void a_nearly_flat_tet_is_a_sliver(void **state) {
  (void)state;
  static const double x[][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0.01 } };
  check_only(build((Rows){ x, 4, .tets = one_tet, 1 }), "slivers", 1, (int32_t[]){ 0 });
}

static void duplicate_elements_are_found_in_any_order_of_vertices(void **state) {
  (void)state;
  static const int32_t tets[][4] = { { 0, 1, 2, 3 }, { 1, 2, 0, 3 } };
  lbMesh *mesh = build((Rows){ corners, 4, .tets = tets, 2 });
  check_only(mesh, "duplicate_elements", 1, (int32_t[]){ 1 });
}

static void elements_at_a_crowded_face_are_listed(void **state) {
  (void)state;
  static const double x[][3] = { { 0, 0, 0 }, { 1, 0, 0 },   { 0, 1, 0 },
                                 { 0, 0, 1 }, { 0, 0, 1.5 }, { 0, 0, -1 } };
  static const int32_t tets[][4] = { { 0, 1, 2, 3 }, { 0, 1, 2, 4 }, { 0, 2, 1, 5 } };
  lbMesh *mesh = build((Rows){ x, COUNT(x), .tets = tets, 3 });
  lbMeshReport *report = report_of(mesh);
  check_problem(report, "non_manifold_faces", 3, (int32_t[]){ 0, 1, 2 });
  lb_mesh_report_destroy(report);
  lb_mesh_destroy(mesh);
}

static void triangles_without_area_are_degenerate(void **state) {
  (void)state;
  // An edge of the shell is split by a point on it; the gap is closed by a flat triangle.
  static const double x[][3] = {
    { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 0.5, 0, 0 }
  };
  static const int32_t t[][3] = { { 1, 2, 3 }, { 0, 3, 2 }, { 0, 4, 3 },
                                  { 4, 1, 3 }, { 0, 2, 1 }, { 0, 1, 4 } };
  check_only(build((Rows){ x, 5, .triangles = t, COUNT(t) }), "degenerate_triangles", 1,
             (int32_t[]){ 5 });
  static const int32_t twice[][3] = {
    { 1, 2, 3 }, { 2, 2, 3 }, { 0, 3, 2 }, { 0, 1, 3 }, { 0, 2, 1 }
  };
  check_only(build((Rows){ x, 4, .triangles = twice, COUNT(twice) }), "degenerate_triangles", 1,
             (int32_t[]){ 1 });
}

static void a_triangle_there_twice_is_a_duplicate_and_crowds_its_edges(void **state) {
  (void)state;
  static const int32_t t[][3] = { { 1, 2, 3 }, { 0, 3, 2 }, { 0, 1, 3 }, { 0, 2, 1 }, { 2, 3, 1 } };
  lbMesh *mesh = build((Rows){ corners, 4, .triangles = t, COUNT(t) });
  lbMeshReport *report = report_of(mesh);
  assert_int_equal(report->problem_count, 2);
  check_problem(report, "duplicate_triangles", 1, (int32_t[]){ 4 });
  check_problem(report, "non_manifold_edges", 3, (int32_t[]){ 1, 2, 1, 3, 2, 3 });
  lb_mesh_report_destroy(report);
  lb_mesh_destroy(mesh);
}

static void two_shells_on_one_edge_make_it_non_manifold(void **state) {
  (void)state;
  static const double x[][3] = { { 0, 0, 0 }, { 1, 0, 0 },  { 0, 1, 0 },
                                 { 0, 0, 1 }, { 0, -1, 0 }, { 0, 0, -1 } };
  static const int32_t t[][3] = { { 1, 2, 3 }, { 0, 3, 2 }, { 0, 1, 3 }, { 0, 2, 1 },
                                  { 1, 4, 5 }, { 0, 5, 4 }, { 0, 1, 5 }, { 0, 4, 1 } };
  check_only(build((Rows){ x, 6, .triangles = t, 8 }), "non_manifold_edges", 1,
             (int32_t[]){ 0, 1 });
}

static const double two_tips[][3] = { { 0, 0, 0 },  { 1, 0, 0 },  { 0, 1, 0 }, { 0, 0, 1 },
                                      { -1, 0, 0 }, { 0, -1, 0 }, { 0, 0, -1 } };

static void two_shells_on_one_vertex_make_it_non_manifold(void **state) {
  (void)state;
  static const int32_t t[][3] = { { 1, 2, 3 }, { 0, 3, 2 }, { 0, 1, 3 }, { 0, 2, 1 },
                                  { 4, 6, 5 }, { 0, 5, 6 }, { 0, 6, 4 }, { 0, 4, 5 } };
  check_only(build((Rows){ two_tips, 7, .triangles = t, 8 }), "non_manifold_vertices", 1,
             (int32_t[]){ 0 });
}

static void tets_that_hang_on_one_vertex_are_named_too(void **state) {
  (void)state;
  static const int32_t tets[][4] = { { 0, 1, 2, 3 }, { 0, 4, 6, 5 } };
  check_only(build((Rows){ two_tips, 7, .tets = tets, 2 }), "non_manifold_vertices", 1,
             (int32_t[]){ 0 });
}

static void a_missing_triangle_leaves_open_edges_and_one_hole(void **state) {
  (void)state;
  lbMesh *mesh = build((Rows){ corners, 4, .triangles = shell, 3 });
  lbMeshReport *report = report_of(mesh);
  assert_int_equal(report->hole_count, 1);
  assert_false(report->closed);
  lb_mesh_report_destroy(report);
  check_only(mesh, "open_edges", 3, (int32_t[]){ 0, 1, 0, 2, 1, 2 });
}

static void a_turned_triangle_disagrees_with_its_neighbours(void **state) {
  (void)state;
  static const int32_t t[][3] = { { 1, 2, 3 }, { 0, 3, 2 }, { 0, 3, 1 }, { 0, 2, 1 } };
  check_only(build((Rows){ corners, 4, .triangles = t, 4 }), "inconsistent_orientation", 3,
             (int32_t[]){ 0, 1, 0, 3, 1, 3 });
}

static void a_shell_turned_inwards_is_inside_out(void **state) {
  (void)state;
  static const int32_t t[][3] = { { 3, 2, 1 }, { 2, 3, 0 }, { 3, 1, 0 }, { 1, 2, 0 } };
  lbMesh *mesh = build((Rows){ corners, 4, .triangles = t, 4 });
  lbMeshReport *report = report_of(mesh);
  check_near(report->volume, -1.0 / 6, 1e-15);
  lb_mesh_report_destroy(report);
  check_only(mesh, "inside_out", 1, (int32_t[]){ 0 });
}

static void the_wall_of_a_cavity_is_not_inside_out(void **state) {
  (void)state;
  static const double x[][3] = { { -1, -1, -1 },    { 3, -1, -1 },        { -1, 3, -1 },
                                 { -1, -1, 3 },     { -0.5, -0.5, -0.5 }, { 0, -0.5, -0.5 },
                                 { -0.5, 0, -0.5 }, { -0.5, -0.5, 0 } };
  int32_t t[8][3];
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 3; k++) t[i][k] = shell[i][k], t[4 + i][k] = 4 + shell[i][2 - k];
  check_only(build((Rows){ x, 8, .triangles = (const int32_t(*)[3])t, 8 }), "several_components", 2,
             (int32_t[]){ 0, 4 });
}

static void triangles_that_cut_each_other_are_found(void **state) {
  (void)state;
  // The tip of one shell (4..7) reaches through the large face 0 of the other and ends inside.
  static const double x[][3] = { { 0, 0, 0 },   { 3, 0, 0 },   { 0, 3, 0 },   { 0, 0, 3 },
                                 { 3, 3, 3.1 }, { 3.2, 3, 3 }, { 3, 3.2, 3 }, { 0.6, 0.5, 0.7 } };
  int32_t t[8][3];
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 3; k++) t[i][k] = shell[i][k], t[4 + i][k] = 4 + shell[i][2 - k];
  lbMesh *mesh = build((Rows){ x, 8, .triangles = (const int32_t(*)[3])t, 8 });
  lbMeshReport *report = report_of(mesh);
  check_problem(report, "self_intersections", 4, (int32_t[]){ 0, 4, 5, 6 });
  assert_int_equal(report->intersecting_pair_count, 3);
  assert_null(lb_mesh_report_find(report, "inside_out"));
  lb_mesh_report_destroy(report);
  lb_mesh_destroy(mesh);
}

static void bricks_follow_tets_in_the_numbering(void **state) {
  (void)state;
  double x[12][3];
  memcpy(x, cube, sizeof cube);
  for (int i = 0; i < 4; i++)
    for (int a = 0; a < 3; a++) x[8 + i][a] = corners[i][a] + (a == 0 ? 5 : 0);
  static const int32_t tets[1][4] = { { 8, 9, 10, 11 } };
  static const int32_t bricks[2][8] = { { 0, 1, 2, 3, 4, 5, 6, 7 }, { 1, 2, 3, 0, 5, 6, 7, 4 } };
  lbMesh *mesh =
      build((Rows){ .vertices = (const double(*)[3])x, 12, .tets = tets, 1, .bricks = bricks, 2 });
  lbMeshReport *report = report_of(mesh);
  check_problem(report, "duplicate_elements", 1, (int32_t[]){ 2 });
  check_near(report->volume, 2 + 1.0 / 6, 1e-14);
  lb_mesh_report_destroy(report);
  lb_mesh_destroy(mesh);
}

static void every_failing_allocation_is_reported_and_nothing_leaks(void **state) {
  (void)state;
  for (int surface = 0; surface < 2; surface++) {
    lbShapeDef def = lb_shape_def("torus");
    def.segments = 16;
    def.cells[0] = 8, def.cells[1] = def.cells[2] = 3;
    lbMesh *mesh = NULL;
    lbError err;
    check_ok((surface ? lb_shape_surface : lb_shape_volume)(&def, &mesh, &err), err);
    if (surface) mesh->triangle_count -= 5, mesh->triangles[0] = 7; // something to list
    lbStatus status = LB_ERR_MEMORY;
    for (int64_t n = 0; status; n++) {
      CheckedHeap heap = { .fail_at = n };
      lbAllocator allocator = checked_allocator(&heap);
      lb_set_allocator(&allocator);
      lbMeshReport *report = NULL;
      status = lb_mesh_report(mesh, &report, &err);
      assert_true(status == LB_OK || (status == LB_ERR_MEMORY && report == NULL));
      lb_mesh_report_destroy(report);
      lb_set_allocator(NULL);
      assert_int_equal(heap.live, 0);
      assert_true(n < 500);
    }
    lb_mesh_destroy(mesh);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_clean_surface_has_no_problem),
    cmocka_unit_test(built_in_shapes_are_clean),
    cmocka_unit_test(an_empty_mesh_has_an_empty_report),
    cmocka_unit_test(unused_vertices_are_listed_and_do_not_stretch_the_bounds),
    cmocka_unit_test(duplicate_vertices_are_those_after_the_first),
    cmocka_unit_test(several_components_are_named_by_their_smallest_vertex),
    cmocka_unit_test(flat_tets_and_tets_with_a_vertex_twice_are_degenerate),
    cmocka_unit_test(mended_tets_count_as_inverted),
    cmocka_unit_test(a_brick_folded_at_a_gauss_point_is_inverted),
    cmocka_unit_test(a_brick_with_a_flat_corner_is_a_sliver),
    cmocka_unit_test(a_nearly_flat_tet_is_a_sliver),
    cmocka_unit_test(duplicate_elements_are_found_in_any_order_of_vertices),
    cmocka_unit_test(elements_at_a_crowded_face_are_listed),
    cmocka_unit_test(triangles_without_area_are_degenerate),
    cmocka_unit_test(a_triangle_there_twice_is_a_duplicate_and_crowds_its_edges),
    cmocka_unit_test(two_shells_on_one_edge_make_it_non_manifold),
    cmocka_unit_test(two_shells_on_one_vertex_make_it_non_manifold),
    cmocka_unit_test(tets_that_hang_on_one_vertex_are_named_too),
    cmocka_unit_test(a_missing_triangle_leaves_open_edges_and_one_hole),
    cmocka_unit_test(a_turned_triangle_disagrees_with_its_neighbours),
    cmocka_unit_test(a_shell_turned_inwards_is_inside_out),
    cmocka_unit_test(the_wall_of_a_cavity_is_not_inside_out),
    cmocka_unit_test(triangles_that_cut_each_other_are_found),
    cmocka_unit_test(bricks_follow_tets_in_the_numbering),
    cmocka_unit_test(every_failing_allocation_is_reported_and_nothing_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
