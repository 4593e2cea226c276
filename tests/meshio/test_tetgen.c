// TetGen's pair of files: numbering from 0 and 1, companions, faults with their line.
#include "volume_reading.h"

#include "meshio/tetgen.h"

#define NODE "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n"
#define ELE "1 4 0\n0 0 1 2 3\n"

static lbStatus read_two(const char *node, const char *ele, lbMesh **mesh, lbError *err) {
  *mesh = NULL;
  return lb_read_tetgen("a.node", node, strlen(node), "a.ele", ele, strlen(ele), mesh, err);
}

static void numbers_may_begin_at_0_or_1(void **state) {
  (void)state;
  static const int32_t tet[] = { 0, 1, 2, 3 };
  static const char *const pairs[][2] = {
    { NODE, ELE },
    { "# comment\n4 3 1 1 # trailing\n\n1 0 0 0 0.5 3\n2 1 0 0 0.5 0\n3 0 1 0 0.5 0\n4 0 0 1 0 0",
      "\n# c\n1 4 1\n1 1 2 3 4 8.0" },
  };
  for (int i = 0; i < 2; i++) {
    lbMesh *mesh;
    lbError err;
    check_ok(read_two(pairs[i][0], pairs[i][1], &mesh, &err), err);
    assert_int_equal(mesh->vertex_count, 4);
    check_same_ids(mesh->tets, tet, 4);
    if (i == 1) {
      check_group(mesh, LB_GROUP_ELEMENTS, 8, "", 1, (int32_t[]){ 0 });
      check_group(mesh, LB_GROUP_VERTICES, 3, "", 1, (int32_t[]){ 0 });
    }
    lb_mesh_destroy(mesh);
  }
}

static void the_other_winding_is_mended(void **state) {
  (void)state;
  lbMesh *mesh;
  lbError err;
  check_ok(read_two(NODE, "1 4 0\n0 1 0 2 3\n", &mesh, &err), err);
  assert_int_equal(mesh->mended_count, 1);
  lb_mesh_destroy(mesh);
}

static void faults_name_the_file_and_the_line(void **state) {
  (void)state;
  static const struct {
    const char *node, *ele, *part;
    lbStatus status;
  } faults[] = {
    { "", ELE, "a.node:1: expected the count of vertices", LB_ERR_FORMAT },
    { "-1 3 0 0\n", ELE, "cannot be negative", LB_ERR_FORMAT },
    { "0 3 0 0\n", ELE, "has no vertices", LB_ERR_FORMAT },
    { "9000000000 3 0 0\n0 0 0 0\n", ELE, "claims 9000000000 vertices", LB_ERR_FORMAT },
    { "1 2 0 0\n0 0 0 0\n", ELE, "the dimension is 2", LB_ERR_FORMAT },
    { "1 3 -1 0\n0 0 0 0\n", ELE, "claims -1 columns", LB_ERR_FORMAT },
    { "1 3 0 0\n0 0 0\n0 0 0\n", ELE, "vertex 0 is not on one line", LB_ERR_FORMAT },
    { "2 3 0 0\n0 0 0 0\n5 0 0 0\n", ELE, "a.node:3: expected the row of vertex 1, found 5",
      LB_ERR_FORMAT },
    { "1 3 0 0\n0 0 inf 0\n", ELE, "a.node:2: vertex 0 has a coordinate", LB_ERR_FORMAT },
    { "1 3 0 1\n0 0 0 0\n", ELE, "a.node:2: vertex 0 lacks an attribute", LB_ERR_FORMAT },
    { NODE, "", "a.ele:1: expected the count of tets", LB_ERR_FORMAT },
    { NODE, "0 4 0\n", "has no triangles", LB_ERR_FORMAT },
    { NODE, "1 10 0\n0 0 1 2 3 0 0 0 0 0 0\n", "run tetgen without -o2", LB_ERR_UNSUPPORTED },
    { NODE, "1 3 0\n0 0 1 2 3\n", "have 3 corners", LB_ERR_FORMAT },
    { NODE, "1 4 0\n0 0 1 2 4\n", "a.ele:2: tet 0 uses vertex 4, the mesh has 4", LB_ERR_FORMAT },
    { NODE, "1 4 0\n0 0 1 2 -1\n", "uses vertex -1", LB_ERR_FORMAT },
    { NODE, "1 4 0\n0 0 1 2 word\n", "a.ele:2: tet 0 lacks vertex number 4", LB_ERR_FORMAT },
    { NODE, "1 4 1\n0 0 1 2 3\n", "tet 0 lacks its region", LB_ERR_FORMAT },
  };
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    lbMesh *mesh;
    lbError err;
    lbStatus status = read_two(faults[i].node, faults[i].ele, &mesh, &err);
    assert_null(mesh);
    check_fails(status, faults[i].status, err, faults[i].part);
  }
}

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void either_file_finds_the_other_beside_it(void **state) {
  (void)state;
  char node[1100], ele[1100];
  snprintf(node, sizeof node, "%s", output_path("test_tetgen.1.node"));
  snprintf(ele, sizeof ele, "%s", output_path("test_tetgen.1.ele"));
  remove(node);
  remove(ele);
  check_refused(lb_read_ele, node, NODE, LB_ERR_FILE, "holds vertices only");
  check_refused(lb_read_ele, ele, ELE, LB_ERR_FILE, "holds tets only");
  write_file(node, NODE);
  write_file(ele, ELE);
  lbMesh *mesh = read_path(lb_read_ele, node);
  lbMesh *same = read_path(lb_read_ele, ele);
  assert_int_equal(mesh->tet_count, 1);
  check_same_cells(mesh, same);
  check_failing_allocations(lb_read_ele, ele, ELE, strlen(ELE));
  check_failing_allocations(lb_read_ele, node, NODE, strlen(NODE));
  lb_mesh_destroy(mesh);
  lb_mesh_destroy(same);
  remove(node);
  remove(ele);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(numbers_may_begin_at_0_or_1),
    cmocka_unit_test(the_other_winding_is_mended),
    cmocka_unit_test(faults_name_the_file_and_the_line),
    cmocka_unit_test(either_file_finds_the_other_beside_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
