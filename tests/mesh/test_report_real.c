// The report on meshes made by others, whose faults are known (../shared/meshes/README.md).
#include "check.h"

#include "limber/report.h"

#define MESHES "../shared/meshes/"

// Loads and reports; skips the test when the file is not there.
static lbMeshReport *report_of(const char *path) {
  if (!check_shared(path)) skip();
  lbMesh *mesh = NULL;
  lbMeshReport *report = NULL;
  lbError err = { 0 };
  check_ok(lb_mesh_load(path, &mesh, &err), err);
  check_ok(lb_mesh_report(mesh, &report, &err), err);
  lb_mesh_destroy(mesh);
  return report;
}

static int32_t count_of(const lbMeshReport *report, const char *kind) {
  const lbMeshProblem *problem = lb_mesh_report_find(report, kind);
  return problem ? problem->count : 0;
}

static void the_full_bunny_has_five_holes_and_1113_unused_vertices(void **state) {
  (void)state;
  lbMeshReport *report = report_of(MESHES "surface/stanford-bunny_full.obj");
  assert_int_equal(count_of(report, "unused_vertices"), 1113);
  assert_int_equal(report->hole_count, 5);
  assert_int_equal(count_of(report, "open_edges"), 223);
  assert_int_equal(report->component_count, 1);
  assert_int_equal(report->problem_count, 2);
  lb_mesh_report_destroy(report);
}

static void the_horse_is_inside_out(void **state) {
  (void)state;
  lbMeshReport *report = report_of(MESHES "surface/horse.ply");
  assert_int_equal(count_of(report, "inside_out"), 1);
  assert_true(report->closed);
  assert_true(report->volume < 0);
  assert_int_equal(report->hole_count, 0);
  lb_mesh_report_destroy(report);
}

static void the_cow_has_one_pinched_vertex_and_cuts_itself(void **state) {
  (void)state;
  lbMeshReport *report = report_of(MESHES "surface/cow.obj");
  assert_int_equal(count_of(report, "non_manifold_vertices"), 1);
  assert_int_equal(lb_mesh_report_find(report, "non_manifold_vertices")->ids[0], 253);
  assert_true(report->closed && report->volume > 0);
  assert_true(count_of(report, "self_intersections") > 50);
  lb_mesh_report_destroy(report);
}

static void suzanne_is_open_and_has_three_shells(void **state) {
  (void)state;
  lbMeshReport *report = report_of(MESHES "surface/suzanne.obj");
  assert_int_equal(count_of(report, "several_components"), 3);
  assert_true(report->hole_count > 0);
  assert_false(report->closed);
  lb_mesh_report_destroy(report);
}

static void the_teapot_is_open_and_has_four_shells(void **state) {
  (void)state;
  lbMeshReport *report = report_of(MESHES "surface/teapot_npm.obj");
  assert_int_equal(count_of(report, "several_components"), 4);
  assert_true(count_of(report, "open_edges") > 0);
  lb_mesh_report_destroy(report);
}

static void clean_surfaces_have_no_problem(void **state) {
  (void)state;
  static const char *const names[] = { "bunny_npm.obj", "spot.obj",     "spot_low.obj",
                                       "blub_low.obj",  "penguin.obj",  "goathead.obj",
                                       "armadillo.obj", "fertility.off" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[256];
    snprintf(path, sizeof path, MESHES "surface/%s", names[i]);
    lbMeshReport *report = report_of(path);
    if (report->problem_count)
      fail_msg("%s: %s %d", names[i], report->problems[0].kind, (int)report->problems[0].count);
    assert_true(report->closed && report->volume > 0);
    lb_mesh_report_destroy(report);
  }
}

static void reversed_tets_are_all_listed_as_inverted(void **state) {
  (void)state;
  lbMeshReport *report = report_of(MESHES "bad/reversed_tets.mesh");
  assert_true(report->tet_count > 0);
  assert_int_equal(count_of(report, "inverted_elements"), report->tet_count);
  assert_true(report->volume > 0);
  lb_mesh_report_destroy(report);
}

static void bad_surfaces_are_described(void **state) {
  (void)state;
  static const struct {
    const char *name, *kind;
    int32_t count;
  } cases[] = {
    { "all_degen.off", "degenerate_triangles", 7 },
    { "degenerated-sd.off", "degenerate_triangles", 4 },
    { "elephant-with-holes.off", "open_edges", 1353 },
    { "incompatible_orientation.off", "inconsistent_orientation", 4 },
    { "nm_vertex_and_edge.off", "non_manifold_edges", 1 },
    { "nm_vertex_and_edge.off", "non_manifold_vertices", 2 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char path[256];
    snprintf(path, sizeof path, MESHES "bad/%s", cases[i].name);
    lbMeshReport *report = report_of(path);
    if (count_of(report, cases[i].kind) != cases[i].count)
      fail_msg("%s: %s %d, expected %d", cases[i].name, cases[i].kind,
               (int)count_of(report, cases[i].kind), (int)cases[i].count);
    lb_mesh_report_destroy(report);
  }
}

static void the_screw_has_slivers(void **state) {
  (void)state;
  lbMeshReport *report = report_of(MESHES "bad/screw_slivers.msh");
  assert_true(count_of(report, "slivers") > 0);
  lb_mesh_report_destroy(report);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_full_bunny_has_five_holes_and_1113_unused_vertices),
    cmocka_unit_test(the_horse_is_inside_out),
    cmocka_unit_test(the_cow_has_one_pinched_vertex_and_cuts_itself),
    cmocka_unit_test(suzanne_is_open_and_has_three_shells),
    cmocka_unit_test(the_teapot_is_open_and_has_four_shells),
    cmocka_unit_test(clean_surfaces_have_no_problem),
    cmocka_unit_test(reversed_tets_are_all_listed_as_inverted),
    cmocka_unit_test(bad_surfaces_are_described),
    cmocka_unit_test(the_screw_has_slivers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
