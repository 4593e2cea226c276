// Legacy VTK: cell types, polygon data, faults with their line or byte.
#include "volume_reading.h"

#define HEAD "# vtk DataFile Version 3.0\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define POINTS "POINTS 8 float\n0 0 0 1 0 0 0 1 0 1 1 0\n0 0 1 1 0 1 0 1 1 1 1 1\n"

static void voxels_and_pixels_are_reordered(void **state) {
  (void)state;
  static const int32_t brick[] = { 0, 1, 3, 2, 4, 5, 7, 6 };
  static const int32_t triangles[] = { 0, 1, 3, 0, 3, 2 };
  lbMesh *mesh = read_text(lb_read_vtk, "a.vtk",
                           HEAD POINTS "CELLS 3 16\n8 0 1 2 3 4 5 6 7\n4 0 1 2 3\n1 0\n"
                                       "CELL_TYPES 3\n11 8 1\n");
  assert_int_equal(mesh->mended_count, 0);
  check_same_ids(mesh->bricks, brick, 8);
  check_same_ids(mesh->triangles, triangles, 6);
  lb_mesh_destroy(mesh);
}

static void polygons_and_strips_become_triangles(void **state) {
  (void)state;
  static const int32_t triangles[] = { 0, 1, 2, 0, 2, 3, 0, 1, 3, 3, 1, 2 };
  lbMesh *mesh = read_path(lb_read_vtk, "fuzz/corpus/vtk/polydata.vtk");
  assert_int_equal(mesh->triangle_count, 4);
  check_same_ids(mesh->triangles, triangles, 12);
  check_group(mesh, LB_GROUP_TRIANGLES, 4, "", 2, (int32_t[]){ 0, 1 });
  lb_mesh_destroy(mesh);
}

static void data_that_is_not_understood_costs_no_mesh(void **state) {
  (void)state;
  lbMesh *mesh = read_text(lb_read_vtk, "a.vtk",
                           HEAD POINTS "METADATA\nINFORMATION 0\n\nCELLS 1 5\n4 0 1 2 4\n"
                                       "CELL_TYPES 1\n10\nCELL_DATA 1\nSCALARS material int 1\n"
                                       "LOOKUP_TABLE default\n6\nSTRINGS odd\nwhat is this\n");
  assert_int_equal(mesh->tet_count, 1);
  check_group(mesh, LB_GROUP_ELEMENTS, 6, "", 1, (int32_t[]){ 0 });
  lb_mesh_destroy(mesh);
}

static void faults_of_text_files_name_the_line(void **state) {
  (void)state;
  static const Fault faults[] = {
    { "", "is not a VTK file", LB_ERR_FORMAT },
    { "# vtk DataFile Version 9\n", "version up to 5.1", LB_ERR_FORMAT },
    { "# vtk DataFile Version 3.0\nt\nTEXT\n", "a.vtk:3: expected ASCII or BINARY", LB_ERR_FORMAT },
    { "# vtk DataFile Version 3.0\nt\nASCII\nDATASET STRUCTURED_POINTS\n",
      "a.vtk:4: dataset \"STRUCTURED_POINTS\" is not supported", LB_ERR_UNSUPPORTED },
    { HEAD, "has no POINTS", LB_ERR_FORMAT },
    { HEAD POINTS, "has no CELLS", LB_ERR_FORMAT },
    { HEAD "CELLS 1 5\n4 0 1 2 3\n", "POINTS must come first", LB_ERR_FORMAT },
    { HEAD "POINTS -1 float\n", "a.vtk:5: the count of points is -1", LB_ERR_FORMAT },
    { HEAD "POINTS 900000000000 float\n0 0 0\n", "claims 900000000000 points", LB_ERR_FORMAT },
    { HEAD "POINTS 1 complex\n0 0 0\n", "expected POINTS count type", LB_ERR_FORMAT },
    { HEAD "POINTS 1 float\n0\n0 nan\n", "a.vtk:7: vertex 0 has a coordinate", LB_ERR_FORMAT },
    { HEAD POINTS "CELLS 1 5\n4 0 1 2 8\n", "a.vtk:9: cell 0 uses vertex 8, the mesh has 8",
      LB_ERR_FORMAT },
    { HEAD POINTS "CELLS 1 5\n-4 0 1 2 3\n", "expected the vertex count of cell 0", LB_ERR_FORMAT },
    { HEAD POINTS "CELLS 1 5\n4 0 1 2 3\n", "1 cells, but 0 cell types", LB_ERR_FORMAT },
    { HEAD POINTS "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n", "is a tet with 3 vertices",
      LB_ERR_FORMAT },
    { HEAD POINTS "CELLS 1 7\n6 0 1 2 4 5 6\nCELL_TYPES 1\n13\n",
      "cell 0: unsupported cell type 13 (wedge)", LB_ERR_UNSUPPORTED },
    { HEAD POINTS "CELLS 1 3\n2 0 1\nCELL_TYPES 1\n24\n", "type 24, export first-order",
      LB_ERR_UNSUPPORTED },
    { HEAD POINTS "CELLS 1 3\n2 0 1\nCELL_TYPES 1\n3\n", "has no triangles", LB_ERR_FORMAT },
    { HEAD POINTS "JUNK 3\n", "cannot make sense of \"JUNK\"", LB_ERR_FORMAT },
    { "# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n" POINTS
      "CELLS 2 4\nOFFSETS vtktypeint64\n0 5\nCONNECTIVITY vtktypeint64\n0 1 2 4\n",
      "a.vtk:10: offset 1 must be a number that rises up to 4", LB_ERR_FORMAT },
  };
  check_faults(lb_read_vtk, "a.vtk", faults, sizeof faults / sizeof *faults);
}

static void faults_of_binary_files_name_the_byte(void **state) {
  (void)state;
  static const char text[] = "# vtk DataFile Version 3.0\nt\nBINARY\nDATASET UNSTRUCTURED_GRID\n"
                             "POINTS 1 float\n\0\0\0\0\0\0\0\0\x7f\xc0\0\0";
  lbMesh *mesh = NULL;
  lbError err;
  lbStatus status = read_bytes(lb_read_vtk, "a.vtk", text, sizeof text - 1, &mesh, &err);
  check_fails(status, LB_ERR_FORMAT, err, "a.vtk: byte 89: vertex 0 has a coordinate");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(voxels_and_pixels_are_reordered),
    cmocka_unit_test(polygons_and_strips_become_triangles),
    cmocka_unit_test(data_that_is_not_understood_costs_no_mesh),
    cmocka_unit_test(faults_of_text_files_name_the_line),
    cmocka_unit_test(faults_of_binary_files_name_the_byte),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
