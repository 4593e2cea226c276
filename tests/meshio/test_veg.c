// Vega: sets, materials, included files, lists of fixed vertices; faults with their line.
#include "volume_reading.h"

#define POINTS "*VERTICES\n5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n"
#define TETS "*ELEMENTS\nTET\n2 4 0\n1 1 2 3 4\n2 2 3 4 5\n"
#define SOFT "*MATERIAL soft\nENU, 1000, 2E6, 0.45\n"
#define ROOT POINTS TETS

static void write_file(const char *name, const char *text) {
  FILE *file = fopen(output_path(name), "wb");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void sets_regions_and_materials_are_read(void **state) {
  (void)state;
  // Regions may come before what they name; the last one that holds an element wins.
  lbMesh *mesh = read_text(lb_read_veg, "a.veg",
                           ROOT "*REGION\nallElements, soft\n*REGION\nright part, rubber\n" SOFT
                                "*MATERIAL rubber\nMOONEYRIVLIN, 900, 1, 2, 3\n"
                                "*SET none\n\n*SET right part\n2,\n# the end\n");
  check_group(mesh, LB_GROUP_ELEMENTS, 2, "right part", 1, (int32_t[]){ 1 });
  check_group(mesh, LB_GROUP_ELEMENTS, 0, "allElements", 2, (int32_t[]){ 0, 1 });
  assert_int_equal(lb_mesh_group_by_name(mesh, LB_GROUP_ELEMENTS, "none")->count, 0);
  assert_int_equal(mesh->material_count, 2);
  const lbMaterial *soft = &mesh->materials[0].material, *rubber = &mesh->materials[1].material;
  assert_int_equal(soft->model, LB_MATERIAL_STVK);
  assert_true(soft->density == 1000 && soft->young == 2e6 && soft->poisson == 0.45);
  assert_int_equal(rubber->model, LB_MATERIAL_MOONEYRIVLIN);
  assert_true(rubber->density == 900 && rubber->c01 == 1 && rubber->c10 == 2 && rubber->v1 == 3);
  assert_int_equal(mesh->element_materials[0], 0);
  assert_int_equal(mesh->element_materials[1], 1);
  lb_mesh_destroy(mesh);
}

static void numbers_may_begin_at_0(void **state) {
  (void)state;
  static const int32_t tet[] = { 0, 1, 2, 3 };
  lbMesh *mesh = read_text(lb_read_veg, "a.veg",
                           "*VERTICES\n4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n"
                           "*ELEMENTS\nTETS\n1 4 0\n0 0 1 2 3\n*SET s\n0\n");
  check_same_ids(mesh->tets, tet, 4);
  check_group(mesh, LB_GROUP_ELEMENTS, 1, "s", 1, (int32_t[]){ 0 });
  assert_null(mesh->element_materials);
  lb_mesh_destroy(mesh);
}

static void bricks_of_either_winding_are_read(void **state) {
  (void)state;
  lbMesh *mesh = read_path(lb_read_veg, "fuzz/corpus/veg/brick.veg");
  assert_int_equal(mesh->brick_count, 1);
  assert_int_equal(mesh->mended_count, 0);
  check_group(mesh, LB_GROUP_ELEMENTS, 1, "first", 1, (int32_t[]){ 0 });
  assert_int_equal(mesh->element_materials[0], 1);
  lb_mesh_destroy(mesh);
  mesh = read_text(lb_read_veg, "a.veg",
                   "*VERTICES\n8 3\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n"
                   "7 1 1 1\n8 0 1 1\n*ELEMENTS\nCUBIC\n1 8 0\n1 5 6 7 8 1 2 3 4\n");
  static const int32_t brick[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
  assert_int_equal(mesh->mended_count, 1);
  check_same_ids(mesh->bricks, brick, 8);
  lb_mesh_destroy(mesh);
}

static void included_files_are_found_beside_the_including_one(void **state) {
  (void)state;
  char path[1100];
  write_file("test_veg_points.txt", "# rows\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n");
  write_file("test_veg_set.txt", "1,\n*INCLUDE test_veg_deeper.txt\n");
  write_file("test_veg_deeper.txt", "2,\n");
  snprintf(path, sizeof path, "%s", output_path("test.veg"));
  static const char text[] = "*VERTICES\n5 3 0 0\n*INCLUDE test_veg_points.txt\n" TETS
                             "*SET s\n*INCLUDE test_veg_set.txt\n" SOFT;
  lbMesh *mesh = read_text(lb_read_veg, path, text);
  assert_int_equal(mesh->vertex_count, 5);
  check_group(mesh, LB_GROUP_ELEMENTS, 1, "s", 2, (int32_t[]){ 0, 1 });
  lb_mesh_destroy(mesh);
  check_failing_allocations(lb_read_veg, path, text, strlen(text));

  write_file("test_veg_set.txt", "1,\n\n3,\n");
  check_refused(lb_read_veg, path, ROOT "*SET s\n*INCLUDE test_veg_set.txt\n", LB_ERR_FORMAT,
                "test_veg_set.txt:3: set \"s\" names element 3, the mesh has 2");
  write_file("test_veg_set.txt", "1,\n*INCLUDE test_veg_deeper.txt\n");
  write_file("test_veg_deeper.txt", "*INCLUDE test_veg_set.txt\n");
  check_refused(lb_read_veg, path, ROOT "*SET s\n*INCLUDE test_veg_set.txt\n", LB_ERR_FORMAT,
                "test_veg_deeper.txt:1: test_veg_set.txt includes itself");
  check_refused(lb_read_veg, path, ROOT "*INCLUDE no-such-file\n", LB_ERR_FILE,
                "test.veg:13: cannot open the included file");
  check_refused(lb_read_veg, path, ROOT "*INCLUDE\n", LB_ERR_FORMAT, "must name a file");
  remove(output_path("test_veg_points.txt"));
  remove(output_path("test_veg_set.txt"));
  remove(output_path("test_veg_deeper.txt"));
}

static void included_files_may_not_go_on_for_ever(void **state) {
  (void)state;
  char name[64], text[64], path[1100];
  for (int i = 0; i < 20; i++) {
    snprintf(name, sizeof name, "test_veg_chain%d", i);
    snprintf(text, sizeof text, "*INCLUDE test_veg_chain%d\n*INCLUDE test_veg_chain%d\n", i + 1,
             i + 1);
    write_file(name, i < 19 ? text : "");
  }
  snprintf(path, sizeof path, "%s", output_path("test.veg"));
  check_refused(lb_read_veg, path, "*INCLUDE test_veg_chain0\n", LB_ERR_FORMAT,
                "too many included files");
  check_refused(lb_read_veg, path, "*INCLUDE test_veg_chain6\n", LB_ERR_FORMAT,
                "too many included files");
  for (int i = 0; i < 20; i++) {
    snprintf(name, sizeof name, "test_veg_chain%d", i);
    remove(output_path(name));
  }
}

static void faults_name_the_line(void **state) {
  (void)state;
  static const Fault faults[] = {
    { "", "has no *VERTICES", LB_ERR_FORMAT },
    { POINTS, "has no *ELEMENTS", LB_ERR_FORMAT },
    { "garbage\n", "a.veg:1: expected *VERTICES", LB_ERR_FORMAT },
    { TETS, "*VERTICES must come before", LB_ERR_FORMAT },
    { ROOT POINTS, "*VERTICES appears twice", LB_ERR_FORMAT },
    { ROOT TETS, "*ELEMENTS appears twice", LB_ERR_FORMAT },
    { "*VERTICES\n-1 3 0 0\n", "a.veg:2: the count of vertices is -1", LB_ERR_FORMAT },
    { "*VERTICES\n1 2 0 0\n", "have 2 columns", LB_ERR_FORMAT },
    { "*VERTICES\n900000000 3 0 0\n1 0 0 0\n", "a.veg:4: expected vertices", LB_ERR_FORMAT },
    { "*VERTICES\n1 3 0 0\n1 0 nan 0\n", "a.veg:3: vertex 1: y is not a finite", LB_ERR_FORMAT },
    { "*VERTICES\n2 3 0 0\n1 0 0 0\n3 0 0 0\n", "a.veg:4: expected number 2", LB_ERR_FORMAT },
    { POINTS "*ELEMENTS\nWEDGE\n", "type \"WEDGE\"", LB_ERR_FORMAT },
    { POINTS "*ELEMENTS\nTET\n1 4 0\n1 1 2 3 6\n", "a.veg:11: element 1 uses vertex 6",
      LB_ERR_FORMAT },
    { POINTS "*ELEMENTS\nTET\n1 4 0\n1 1 2 3\n", "lacks vertex number 4", LB_ERR_FORMAT },
    { ROOT "*SET s\n1, 2, 3\n", "a.veg:14: set \"s\" names element 3", LB_ERR_FORMAT },
    { ROOT "*SET s\n1 x\n", "expected an element number", LB_ERR_FORMAT },
    { ROOT "*SET s\n1\n*SET s\n2\n", "set \"s\" is already defined", LB_ERR_FORMAT },
    { ROOT "*SET\n1\n", "*SET must have a name", LB_ERR_FORMAT },
    { POINTS "*SET s\n1\n", "*ELEMENTS must come before *SET", LB_ERR_FORMAT },
    { ROOT SOFT SOFT, "material \"soft\" is already defined", LB_ERR_FORMAT },
    { ROOT "*MATERIAL m\nENU, 1000, 1E6\n", "a.veg:14: material \"m\": ENU takes 3 numbers",
      LB_ERR_FORMAT },
    { ROOT "*MATERIAL m\nENU, 1000, 1E6, 0.5\n", "a.veg:14: material \"m\": poisson is 0.5",
      LB_ERR_FORMAT },
    { ROOT "*MATERIAL m\nORTHOTROPIC, 1, 2, 3\n", "use ENU or MOONEYRIVLIN", LB_ERR_UNSUPPORTED },
    { ROOT "*MATERIAL m\nWOOD, 1\n", "has the model \"WOOD\"", LB_ERR_FORMAT },
    { ROOT "*REGION\nallElements, soft\n", "a.veg:14: *REGION names material \"soft\"",
      LB_ERR_FORMAT },
    { ROOT SOFT "*REGION\ns, soft\n", "*REGION names set \"s\"", LB_ERR_FORMAT },
    { ROOT "*REGION\nallElements\n", "must name a set and a material", LB_ERR_FORMAT },
    { ROOT "*CURVES\n", "found \"*CURVES\"", LB_ERR_FORMAT },
  };
  check_faults(lb_read_veg, "a.veg", faults, sizeof faults / sizeof *faults);
}

static lbStatus read_list(const char *text, int32_t **ids, int32_t *count, lbError *err) {
  *ids = NULL;
  *count = -1;
  return lb_read_bou("a.bou", text, strlen(text), ids, count, err);
}

static void fixed_vertices_are_counted_from_1(void **state) {
  (void)state;
  static const int32_t expected[] = { 50, 0, 2, 3 };
  int32_t *ids, count;
  lbError err;
  check_ok(read_list("51,1\n 3 ,4,\n", &ids, &count, &err), err);
  assert_int_equal(count, 4);
  check_same_ids(ids, expected, 4);
  lb_free(ids);
  check_ok(read_list("", &ids, &count, &err), err);
  assert_int_equal(count, 0);
  lb_free(ids);
  check_fails(read_list("1,\n0", &ids, &count, &err), LB_ERR_FORMAT, err,
              "a.bou:2: there is no vertex 0");
  check_fails(read_list("1\n\nx", &ids, &count, &err), LB_ERR_FORMAT, err,
              "a.bou:3: expected a vertex number, found \"x\"");
  check_fails(read_list("99999999999", &ids, &count, &err), LB_ERR_FORMAT, err, "no vertex");
  assert_null(ids);
  static const char list[] = "51,1\n 3 ,4x";
  for (size_t n = 0; n < sizeof list; n++) {
    char cut[sizeof list] = "";
    memcpy(cut, list, n);
    if (read_list(cut, &ids, &count, &err) == LB_OK) lb_free(ids);
  }
  ids = NULL;
  CheckedHeap heap = { .fail_at = 0 };
  lbAllocator allocator = checked_allocator(&heap);
  lb_set_allocator(&allocator);
  lbStatus status = read_list("1", &ids, &count, &err);
  lb_set_allocator(NULL);
  assert_int_equal(status, LB_ERR_MEMORY);
  assert_int_equal(heap.live, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(sets_regions_and_materials_are_read),
    cmocka_unit_test(numbers_may_begin_at_0),
    cmocka_unit_test(bricks_of_either_winding_are_read),
    cmocka_unit_test(included_files_are_found_beside_the_including_one),
    cmocka_unit_test(included_files_may_not_go_on_for_ever),
    cmocka_unit_test(faults_name_the_line),
    cmocka_unit_test(fixed_vertices_are_counted_from_1),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
