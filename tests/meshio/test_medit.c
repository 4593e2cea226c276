// Medit: sections, references, faults with their line.
#include "volume_reading.h"

#define HEAD "MeshVersionFormatted 1\nDimension 3\n"
#define POINTS "Vertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 2\n"

static void references_become_groups(void **state) {
  (void)state;
  lbMesh *mesh = read_text(lb_read_medit, "a.mesh",
                           HEAD POINTS "Triangles 1\n1 2 3 4\nTetrahedra 1\n1 2 3 4 5\nEnd");
  check_group(mesh, LB_GROUP_VERTICES, 2, "", 1, (int32_t[]){ 3 });
  check_group(mesh, LB_GROUP_TRIANGLES, 4, "", 1, (int32_t[]){ 0 });
  check_group(mesh, LB_GROUP_ELEMENTS, 5, "", 1, (int32_t[]){ 0 });
  assert_int_equal(mesh->group_count, 3);
  lb_mesh_destroy(mesh);
}

static void known_sections_are_passed_over(void **state) {
  (void)state;
  lbMesh *mesh = read_text(lb_read_medit, "a.mesh",
                           "# text\nMeshVersionFormatted\n2\n\nDimension\n3\n" POINTS
                           "Normals\n1\n0 0.5 1\n# more\nPrisms 0\nGeometry\n\"a b.mesh\"\n"
                           "Ridges\n1\n1\nTetrahedra\n1\n2 1 3 4 0\n");
  assert_int_equal(mesh->tet_count, 1);
  assert_int_equal(mesh->mended_count, 1);
  lb_mesh_destroy(mesh);
}

static void count_warnings(lbLogLevel level, const char *text, void *context) {
  if (level == LB_LOG_WARNING && strstr(text, "too many to be groups")) ++*(int *)context;
}

// Some programs number the vertices in the place of the reference.
static void thousands_of_references_are_no_groups(void **state) {
  (void)state;
  enum { COUNT = 10001 };
  int warnings = 0;
  char *text = malloc(COUNT * 16 + 200), *p = text;
  assert_non_null(text);
  p += sprintf(p, HEAD "Vertices %d\n", COUNT);
  for (int i = 0; i < COUNT; i++) p += sprintf(p, "%d 0 0 %d\n", i, i + 1);
  sprintf(p, "Triangles 1\n1 2 3 4\nEnd\n");
  lb_set_log(count_warnings, &warnings);
  lbMesh *mesh = read_text(lb_read_medit, "a.mesh", text);
  lb_set_log(NULL, NULL);
  assert_int_equal(warnings, 1);
  assert_int_equal(mesh->group_count, 1);
  check_group(mesh, LB_GROUP_TRIANGLES, 4, "", 1, (int32_t[]){ 0 });
  lb_mesh_destroy(mesh);
  free(text);
}

static void faults_name_the_line(void **state) {
  (void)state;
  static const Fault faults[] = {
    { "", "is not a Medit file", LB_ERR_FORMAT },
    { "MFEM mesh v1.0\n", "a.mesh:1: is not a Medit file", LB_ERR_FORMAT },
    { "MeshVersionFormatted 1\nDimension 2\n", "a.mesh:2: Dimension is 2", LB_ERR_FORMAT },
    { "MeshVersionFormatted 1\n" POINTS, "expected \"Dimension 3\" before Vertices",
      LB_ERR_FORMAT },
    { HEAD "End\n", "has no Vertices", LB_ERR_FORMAT },
    { HEAD POINTS "End\n", "has no triangles", LB_ERR_FORMAT },
    { HEAD POINTS POINTS, "Vertices appear twice", LB_ERR_FORMAT },
    { HEAD "Vertices -4\n", "a.mesh:3: the count of Vertices is -4", LB_ERR_FORMAT },
    { HEAD "Vertices 900000000000\n0 0 0 0\n", "claims 900000000000 Vertices", LB_ERR_FORMAT },
    { HEAD "Vertices 1\n0 nan 0 0\n", "a.mesh:4: vertex 1 has a coordinate", LB_ERR_FORMAT },
    { HEAD "Vertices 1\n0 0 0\nEnd\n", "vertex 1 lacks its reference", LB_ERR_FORMAT },
    { HEAD POINTS "Tetrahedra 1\n1 2 3 5 0\n", "a.mesh:10: tet 1 uses vertex 5, the mesh has 4",
      LB_ERR_FORMAT },
    { HEAD POINTS "Tetrahedra 1\n0 2 3 4 0\n", "uses vertex 0", LB_ERR_FORMAT },
    { HEAD POINTS "Tetrahedra 1\n1 2 3 4 x\n", "tet 1 lacks its reference", LB_ERR_FORMAT },
    { HEAD "Tetrahedra 1\n1 2 3 4 0\n", "Vertices must come before Tetrahedra", LB_ERR_FORMAT },
    { HEAD POINTS "Prisms 1\n1 2 3 4 1 2 0\n", "Prisms are not supported", LB_ERR_UNSUPPORTED },
    { HEAD POINTS "Spheres 1\n1\n", "a.mesh:9: unknown section \"Spheres\"", LB_ERR_FORMAT },
  };
  check_faults(lb_read_medit, "a.mesh", faults, sizeof faults / sizeof *faults);
}

static void binary_files_are_told_apart(void **state) {
  (void)state;
  lbMesh *mesh = NULL;
  lbError err;
  lbStatus status = read_bytes(lb_read_medit, "a.meshb", "\1\0\0\0\2\0\0\0", 8, &mesh, &err);
  check_fails(status, LB_ERR_UNSUPPORTED, err, "save as text");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(references_become_groups),
    cmocka_unit_test(known_sections_are_passed_over),
    cmocka_unit_test(thousands_of_references_are_no_groups),
    cmocka_unit_test(faults_name_the_line),
    cmocka_unit_test(binary_files_are_told_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
