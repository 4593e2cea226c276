// VTU: pieces, faults with their line, the writer with point data, PVD collections, base64.
#include "volume_reading.h"

#include "meshio/base64.h"
#include "meshio/vtu.h"

#define FILE_TAG "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
#define PIECE "<UnstructuredGrid><Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">\n"
#define POINTS                                                                                     \
  "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">\n"               \
  "0 0 0 1 0 0 0 1 0\n0 0 1</DataArray></Points>\n"
#define ARRAY(type, name, values)                                                                  \
  "<DataArray type=\"" type "\" Name=\"" name "\" format=\"ascii\">\n" values "\n</DataArray>\n"
#define CELLS(connectivity, offsets, types)                                                        \
  "<Cells>" ARRAY("Int32", "connectivity", connectivity) ARRAY("Int32", "offsets", offsets)        \
      ARRAY("UInt8", "types", types) "</Cells>\n"
#define END "</Piece></UnstructuredGrid></VTKFile>\n"

static void pieces_are_joined(void **state) {
  (void)state;
  lbMesh *mesh = read_path(lb_read_vtu, "fuzz/corpus/vtu/pieces.vtu");
  assert_int_equal(mesh->vertex_count, 18);
  assert_int_equal(mesh->triangle_count, 3);
  assert_int_equal(mesh->tet_count, 2);
  assert_int_equal(mesh->brick_count, 1);
  assert_int_equal(mesh->bricks[0], 9);
  check_group(mesh, LB_GROUP_ELEMENTS, 1, "", 1, (int32_t[]){ 2 });
  lb_mesh_destroy(mesh);
}

static void faults_name_the_line(void **state) {
  (void)state;
  static const Fault faults[] = {
    { "", "is not a VTU file", LB_ERR_FORMAT },
    { "solid x\n", "a.vtu:1: is not a VTU file", LB_ERR_FORMAT },
    { "<VTKFile type=\"PolyData\">", "must be UnstructuredGrid", LB_ERR_FORMAT },
    { "\n<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkLZ4DataCompressor\">",
      "a.vtu:2: the compressor vtkLZ4DataCompressor is not supported", LB_ERR_UNSUPPORTED },
    { "<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkLZMADataCompressor\">",
      "vtkLZMADataCompressor is not supported", LB_ERR_UNSUPPORTED },
    { FILE_TAG "</VTKFile>", "has no Piece", LB_ERR_FORMAT },
    { FILE_TAG "<Piece NumberOfPoints=\"4\" NumberOfCells=\"-1\">",
      "a.vtu:2: a Piece must have NumberOfPoints", LB_ERR_FORMAT },
    { FILE_TAG PIECE END, "a.vtu:2: the Piece has no Points", LB_ERR_FORMAT },
    { FILE_TAG PIECE POINTS "<Cells></Cells>" END, "no DataArray \"offsets\"", LB_ERR_FORMAT },
    { FILE_TAG "<Piece NumberOfPoints=\"900000000000\" NumberOfCells=\"1\">\n" POINTS END,
      "claims 900000000000 points", LB_ERR_FORMAT },
    { FILE_TAG PIECE POINTS CELLS("0 1 2\n9", "4", "10") END,
      "a.vtu:8: cell 0 uses vertex 9, the mesh has 4", LB_ERR_FORMAT },
    { FILE_TAG PIECE POINTS CELLS("0 1 2", "4", "10") END, "cell 0 lacks vertex", LB_ERR_FORMAT },
    { FILE_TAG PIECE POINTS CELLS("0 1 2 3", "-4", "10") END, "a.vtu:10: offset 0 must be",
      LB_ERR_FORMAT },
    { FILE_TAG PIECE POINTS CELLS("0 1 2 3", "4", "x") END, "expected the type of cell 0",
      LB_ERR_FORMAT },
    { FILE_TAG PIECE POINTS CELLS("0 1 2 3", "4", "24") END, "unsupported cell type 24",
      LB_ERR_UNSUPPORTED },
    { FILE_TAG PIECE "<Points><DataArray type=\"Float16\"/></Points>" END,
      "unknown type \"Float16\"", LB_ERR_FORMAT },
    { FILE_TAG PIECE "<Points><DataArray type=\"Float32\" format=\"zip\"/></Points>" END,
      "unknown format \"zip\"", LB_ERR_FORMAT },
    { FILE_TAG PIECE "<Points><DataArray type=\"Float32\" NumberOfComponents=\"2\"/></Points>" END,
      "must have 3 components", LB_ERR_FORMAT },
    { FILE_TAG PIECE "<Points><DataArray type=\"Float32\" format=\"appended\" offset=\"9\"/>"
                     "</Points>" END,
      "its offset is beyond", LB_ERR_FORMAT },
    { FILE_TAG PIECE "<Points><DataArray type=\"Float32\" Name=\"p\" format=\"binary\">//////8="
                     "</DataArray></Points>" END,
      "a.vtu:3: DataArray \"p\": claims 4294967295 bytes", LB_ERR_FORMAT },
    { FILE_TAG PIECE "<Points><DataArray type=\"Float32\" format=\"ascii\">0 0 0 1 0 0 0 1 0 0\n"
                     "inf 1</DataArray></Points>" END,
      "a.vtu:4: vertex 3 has a coordinate", LB_ERR_FORMAT },
  };
  check_faults(lb_read_vtu, "a.vtu", faults, sizeof faults / sizeof *faults);
}

// As ParaView writes: keys inside the arrays, other data before the points.
static void tags_inside_arrays_are_passed_over(void **state) {
  (void)state;
  lbMesh *mesh = read_text(
      lb_read_vtu, "a.vtu",
      "<?xml version='1.0'?>\n" FILE_TAG PIECE
      "<PointData Vectors='u'><DataArray type='Float32' Name='u' format='ascii'>1</DataArray>"
      "</PointData><CellData/>\n<Points><DataArray type='Float32' Name='Points' "
      "NumberOfComponents='3' format='ascii' RangeMin='0'>\n0 0 0 1 0 0 0 1 0 0 0 1\n"
      "<InformationKey name='R' length='1'><Value index='0'>0</Value></InformationKey>"
      "</DataArray></Points><Cells><DataArray type='Int64' Name='connectivity' format='ascii'>"
      "0 1 2 3<InformationKey name='R'><Value>0</Value></InformationKey></DataArray>" ARRAY(
          "Int64", "offsets", "4") ARRAY("UInt8", "types", "10") "</Cells>" END);
  assert_int_equal(mesh->tet_count, 1);
  lb_mesh_destroy(mesh);
}

static char *read_whole(const char *path) {
  char *content = NULL;
  size_t bytes = 0;
  lbError err;
  check_ok(lb_file_read(path, &content, &bytes, &err), err);
  return content;
}

static void a_written_mesh_reads_back_exactly(void **state) {
  (void)state;
  lbError err;
  lbMesh *mesh = read_path(lb_read_msh, "fuzz/corpus/msh/22_text.msh");
  uint64_t random = 3;
  for (int32_t i = 0; i < 27; i++) mesh->positions[i] += 1e-3 * check_random(&random);
  const char *path = output_path("test_vtu.vtu");
  check_ok(lb_write_vtu(mesh, path, &err), err);
  lbMesh *back = read_path(lb_read_vtu, path);
  check_same_cells(mesh, back);
  check_group(back, LB_GROUP_ELEMENTS, 1, "", 1, (int32_t[]){ 2 });
  check_group(back, LB_GROUP_ELEMENTS, 2, "", 2, (int32_t[]){ 0, 1 });
  check_group(back, LB_GROUP_TRIANGLES, 3, "", 2, (int32_t[]){ 0, 1 });
  remove(path);
  lb_mesh_destroy(mesh);
  lb_mesh_destroy(back);
}

static void point_fields_are_written_beside_the_mesh(void **state) {
  (void)state;
  lbError err;
  lbMesh *mesh = read_path(lb_read_msh, "fuzz/corpus/msh/22_text.msh");
  double displacement[27] = { 1, 0, 0 }, height[9] = { 0 };
  const lbVtuField fields[] = { { "displacement", 3, displacement }, { "a<b", 1, height } };
  const char *path = output_path("test_vtu_fields.vtu");
  check_ok(lb_write_vtu_fields(mesh, fields, 2, path, &err), err);
  char *content = read_whole(path);
  // 216 = 27 * 8 bytes as UInt64, then the double 1.0, in base64.
  assert_non_null(strstr(content, "Name=\"displacement\" NumberOfComponents=\"3\" "
                                  "format=\"binary\">\n          "
                                  "2AAAAAAAAAAAAAAAAADwPwAAAAAAAAAA"));
  assert_non_null(strstr(content, "Name=\"a&lt;b\""));
  lb_free(content);
  lbMesh *back = read_path(lb_read_vtu, path);
  check_same_cells(mesh, back);
  remove(path);
  lb_mesh_destroy(back);
  const lbVtuField wrong = { "u", 0, height };
  check_fails(lb_write_vtu_fields(mesh, &wrong, 1, path, &err), LB_ERR_ARGUMENT, err, "\"u\"");
  check_fails(lb_write_vtu(mesh, "no/such/folder/a.vtu", &err), LB_ERR_FILE, err, "a.vtu");
  lb_mesh_destroy(mesh);
}

static void writing_survives_any_failing_allocation(void **state) {
  (void)state;
  lbError err;
  lbMesh *mesh = read_path(lb_read_msh, "fuzz/corpus/msh/22_text.msh");
  for (int64_t n = 0;; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lb_set_allocator(&allocator);
    lbStatus status = lb_write_vtu(mesh, output_path("test_vtu_memory.vtu"), &err);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (heap.count <= n) break;
    assert_int_equal(status, LB_ERR_MEMORY);
  }
  remove(output_path("test_vtu_memory.vtu"));
  lb_mesh_destroy(mesh);
}

static void a_collection_lists_times_and_files(void **state) {
  (void)state;
  static const lbPvdFrame frames[] = { { 0, "a0.vtu", 0 }, { 0.1, "a&1.vtu", 1 } };
  lbError err;
  const char *path = output_path("test_vtu.pvd");
  check_ok(lb_write_pvd(frames, 2, path, &err), err);
  char *content = read_whole(path);
  assert_non_null(
      strstr(content, "<DataSet timestep=\"0\" group=\"\" part=\"0\" file=\"a0.vtu\"/>"));
  assert_non_null(strstr(content, "timestep=\"0.10000000000000001\""));
  assert_non_null(strstr(content, "file=\"a&amp;1.vtu\""));
  lb_free(content);
  remove(path);
}

static void base64_reads_what_it_wrote_for_every_tail(void **state) {
  (void)state;
  for (size_t count = 0; count < 10; count++) {
    uint8_t bytes[10], back[10];
    char text[64] = "";
    for (size_t i = 0; i < count; i++) bytes[i] = (uint8_t)(251 * (i + 1));
    FILE *file = fmemopen(text, sizeof text, "w");
    assert_non_null(file);
    lbBase64Writer writer = { .stream = file };
    lb_base64_write(&writer, bytes, count);
    lb_base64_end(&writer);
    fclose(file);
    assert_int_equal(strlen(text), (count + 2) / 3 * 4);
    lbByteStream stream = lb_byte_stream(text, text + strlen(text), true);
    assert_true(lb_byte_stream_read(&stream, back, count));
    assert_memory_equal(bytes, back, count);
    assert_false(lb_byte_stream_read(&stream, back, 1));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(pieces_are_joined),
    cmocka_unit_test(tags_inside_arrays_are_passed_over),
    cmocka_unit_test(faults_name_the_line),
    cmocka_unit_test(a_written_mesh_reads_back_exactly),
    cmocka_unit_test(point_fields_are_written_beside_the_mesh),
    cmocka_unit_test(writing_survives_any_failing_allocation),
    cmocka_unit_test(a_collection_lists_times_and_files),
    cmocka_unit_test(base64_reads_what_it_wrote_for_every_tail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
