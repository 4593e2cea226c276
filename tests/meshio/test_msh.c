// Gmsh: groups, repeats, faults with their line or byte, and the writer.
#include "volume_reading.h"

#include "mesh/builder.h"

#define HEAD "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define NODES "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define TET "$Elements\n1\n1 4 2 5 1 1 2 3 4\n$EndElements\n"
#define HEAD4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES4 "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"

static void a_tag_without_a_name_gives_a_group_without_one(void **state) {
  (void)state;
  lbMesh *mesh = read_text(lb_read_msh, "a.msh", HEAD NODES TET);
  check_group(mesh, LB_GROUP_ELEMENTS, 5, "", 1, (int32_t[]){ 0 });
  lb_mesh_destroy(mesh);
}

static void tag_zero_gives_no_group(void **state) {
  (void)state;
  lbMesh *mesh = read_text(lb_read_msh, "a.msh",
                           HEAD NODES "$Elements\n2\n1 4 2 0 1 1 2 3 4\n2 4 0 1 2 3 4\n"
                                      "$EndElements\n");
  assert_int_equal(mesh->tet_count, 2);
  assert_int_equal(mesh->group_count, 0);
  lb_mesh_destroy(mesh);
}

static void both_windings_end_up_positive(void **state) {
  (void)state;
  lbMesh *mesh =
      read_text(lb_read_msh, "a.msh", HEAD NODES "$Elements\n1\n1 4 2 0 1 2 1 3 4\n$EndElements\n");
  assert_int_equal(mesh->mended_count, 1);
  lb_mesh_destroy(mesh);
}

static void an_element_repeated_for_a_second_group_is_one_element(void **state) {
  (void)state;
  lbMesh *mesh = read_text(lb_read_msh, "a.msh",
                           HEAD NODES "$Elements\n4\n1 4 2 5 1 1 2 3 4\n2 4 2 6 1 1 2 3 4\n"
                                      "3 2 2 -9 1 1 2 3\n4 2 2 8 1 1 2 3\n$EndElements\n");
  assert_int_equal(mesh->tet_count, 1);
  assert_int_equal(mesh->triangle_count, 1);
  check_group(mesh, LB_GROUP_ELEMENTS, 5, "", 1, (int32_t[]){ 0 });
  check_group(mesh, LB_GROUP_ELEMENTS, 6, "", 1, (int32_t[]){ 0 });
  check_group(mesh, LB_GROUP_TRIANGLES, 9, "", 1, (int32_t[]){ 0 });
  check_group(mesh, LB_GROUP_TRIANGLES, 8, "", 1, (int32_t[]){ 0 });
  lb_mesh_destroy(mesh);
}

static void an_element_repeated_in_the_same_group_stays_twice(void **state) {
  (void)state;
  lbMesh *mesh = read_text(lb_read_msh, "a.msh",
                           HEAD NODES "$Elements\n2\n1 4 2 5 1 1 2 3 4\n2 4 2 5 1 1 2 3 4\n"
                                      "$EndElements\n");
  assert_int_equal(mesh->tet_count, 2);
  lb_mesh_destroy(mesh);
}

static void an_entity_may_be_in_several_physical_groups(void **state) {
  (void)state;
  lbMesh *mesh = read_text(lb_read_msh, "a.msh",
                           HEAD4 "$Entities\n0 0 0 1\n1 0 0 0 1 1 1 2 5 6 0\n$EndEntities\n" NODES4
                                 "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n");
  check_group(mesh, LB_GROUP_ELEMENTS, 5, "", 1, (int32_t[]){ 0 });
  check_group(mesh, LB_GROUP_ELEMENTS, 6, "", 1, (int32_t[]){ 0 });
  lb_mesh_destroy(mesh);
}

static void unknown_sections_are_passed_over(void **state) {
  (void)state;
  lbMesh *mesh = read_text(lb_read_msh, "a.msh",
                           HEAD "$Comments\nany $thing\n$EndComments\n" NODES TET
                                "$NodeData\n1\n\"u\"\n$EndNodeData\n");
  assert_int_equal(mesh->tet_count, 1);
  lb_mesh_destroy(mesh);
}

static void faults_of_text_files_name_the_line(void **state) {
  (void)state;
  static const Fault faults[] = {
    { "", "no $MeshFormat", LB_ERR_FORMAT },
    { "solid cube\n", "a.msh:1: is not a Gmsh file", LB_ERR_FORMAT },
    { "$MeshFormat\n1 0 8\n$EndMeshFormat\n", "a.msh:2: Gmsh format 1 is not", LB_ERR_UNSUPPORTED },
    { "$MeshFormat\n4 0 8\n$EndMeshFormat\n", "save as 4.1 or 2.2", LB_ERR_UNSUPPORTED },
    { "$MeshFormat\n2.2 7 8\n$EndMeshFormat\n", "file type is 7", LB_ERR_FORMAT },
    { HEAD TET, "$Nodes must come before $Elements", LB_ERR_FORMAT },
    { HEAD NODES, "has no $Elements", LB_ERR_FORMAT },
    { HEAD, "has no $Nodes", LB_ERR_FORMAT },
    { HEAD NODES NODES TET, "$Nodes appears twice", LB_ERR_FORMAT },
    { HEAD "$Nodes\n-4\n", "a.msh:5: the count of nodes is -4", LB_ERR_FORMAT },
    { HEAD "$Nodes\n350000000000\n1 0 0 0\n", "claims 350000000000 nodes", LB_ERR_FORMAT },
    { HEAD "$Nodes\n2\n1 0 0 0\n1 1 0 0\n$EndNodes\n", "a.msh:7: node 1 appears twice",
      LB_ERR_FORMAT },
    { HEAD "$Nodes\n1\n1 0 nan 0\n$EndNodes\n", "a.msh:6: vertex 1 has a coordinate",
      LB_ERR_FORMAT },
    { HEAD "$Nodes\n1\n1 0 here 0\n$EndNodes\n", "a.msh:6: vertex 1 lacks a number for y",
      LB_ERR_FORMAT },
    { HEAD NODES "$Elements\n1\n7 4 2 5 1 1 2 3 93\n$EndElements\n",
      "a.msh:13: element 7 uses node 93", LB_ERR_FORMAT },
    { HEAD NODES "$Elements\n1\n7 4 2 5 1 1 2 3\n$EndElements\n",
      "element 7 lacks node number 4 of 4", LB_ERR_FORMAT },
    { HEAD NODES "$Elements\n1\n7 11 0 1 2 3 4 1 2 3 4 1 2\n$EndElements\n",
      "a.msh:13: unsupported element type 11 (10-node tet), export first order",
      LB_ERR_UNSUPPORTED },
    { HEAD NODES "$Elements\n1\n7 6 0 1 2 3 4 1 2\n$EndElements\n",
      "unsupported element type 6 (prism), mesh with tets", LB_ERR_UNSUPPORTED },
    { HEAD NODES "$Elements\n1\n7 1 0 1 2\n$EndElements\n", "has no triangles, quads, tets",
      LB_ERR_FORMAT },
    { HEAD NODES "$Elements\n1\n7 4 2 9999999999 1 1 2 3 4\n$EndElements\n", "too large",
      LB_ERR_FORMAT },
    { HEAD "$PhysicalNames\n1\n3 5 bone\n$EndPhysicalNames\n", "must be in quotes", LB_ERR_FORMAT },
    { HEAD NODES TET "garbage\n", "expected a section", LB_ERR_FORMAT },
    { HEAD NODES TET "$NodeData\n", "has no $EndNodeData", LB_ERR_FORMAT },
    { HEAD4 "$Nodes\n1 5 1 4\n3 1 0 1\n1\n0 0 0\n$EndNodes\n$Elements\n0 0 0 0\n$EndElements\n",
      "claims 5 nodes, its blocks hold 1", LB_ERR_FORMAT },
    { HEAD4 NODES4 "$Elements\n1 2 1 2\n3 1 4 1\n1 1 2 3 4\n$EndElements\n",
      "claims 2 elements, its blocks hold 1", LB_ERR_FORMAT },
    { HEAD4 NODES4 "$Elements\n1 1 1 1\n4 1 4 1\n1 1 2 3 4\n$EndElements\n",
      "no entity 1 of dimension 4", LB_ERR_FORMAT },
  };
  check_faults(lb_read_msh, "a.msh", faults, sizeof faults / sizeof *faults);
}

static void faults_of_binary_files_name_the_byte(void **state) {
  (void)state;
  lbError err;
  char *content = NULL;
  size_t bytes = 0;
  lbMesh *mesh = NULL;
  check_ok(lb_file_read("fuzz/corpus/msh/22_little.msh", &content, &bytes, &err), err);
  char *node = strstr(content, "$Nodes");
  for (char *p = content; !node; p++) // zero bytes end a string early
    if (memcmp(p, "$Nodes", 6) == 0) node = p;
  memset(node + 9 + 4, 0xff, 8); // x of the first node is not a number
  lbStatus status = read_bytes(lb_read_msh, "a.msh", content, bytes, &mesh, &err);
  char part[64];
  snprintf(part, sizeof part, "a.msh: byte %d: vertex 100", (int)(node + 9 + 12 - content));
  check_fails(status, LB_ERR_FORMAT, err, part);
  lb_free(content);
}

// Two tets, a brick, triangles; overlapping groups, one without a tag, coordinates with all bits.
static lbMesh *sample_mesh(void) {
  lbMeshBuilder builder;
  lbMesh *mesh = NULL;
  lbError err;
  uint64_t random = 7;
  lb_mesh_builder_begin(&builder);
  for (int i = 0; i < 9; i++) {
    double corner[3] = { i == 1 || i == 2 || i == 5 || i == 6, (i & 2) != 0, i >= 4 ? 1 : 0 };
    if (i == 8) corner[0] = corner[1] = 0.5, corner[2] = 2;
    for (int k = 0; k < 3; k++) corner[k] += 0.1 * check_random(&random);
    lb_mesh_add_vertex(&builder, corner[0], corner[1], corner[2]);
  }
  lb_mesh_add_brick(&builder, (int32_t[]){ 0, 1, 2, 3, 4, 5, 6, 7 });
  lb_mesh_add_tet(&builder, (int32_t[]){ 4, 5, 6, 8 });
  lb_mesh_add_tet(&builder, (int32_t[]){ 4, 6, 7, 8 });
  for (int i = 0; i < 3; i++) lb_mesh_add_triangle(&builder, (int32_t[]){ 0, i + 2, i + 1 });
  int32_t cap = lb_mesh_add_group(&builder, LB_GROUP_ELEMENTS, 4, "cap \"top\"");
  int32_t most = lb_mesh_add_group(&builder, LB_GROUP_ELEMENTS, 2, "most");
  int32_t floor = lb_mesh_add_group(&builder, LB_GROUP_TRIANGLES, 0, "floor");
  int32_t fixed = lb_mesh_add_group(&builder, LB_GROUP_VERTICES, 1, "");
  lb_mesh_add_to_group(&builder, cap, 0);
  lb_mesh_add_to_group(&builder, cap, 1);
  lb_mesh_add_to_group(&builder, most, 1);
  lb_mesh_add_to_group(&builder, most, LB_BRICK_ID);
  lb_mesh_add_to_group(&builder, floor, 0);
  lb_mesh_add_to_group(&builder, floor, 2);
  lb_mesh_add_to_group(&builder, fixed, 8);
  check_ok(lb_mesh_builder_finish(&builder, "sample", &mesh, &err), err);
  return mesh;
}

static void a_written_mesh_reads_back_exactly(void **state) {
  (void)state;
  lbError err;
  lbMesh *mesh = sample_mesh();
  const char *path = output_path("test_msh.msh");
  check_ok(lb_write_msh(mesh, path, &err), err);
  lbMesh *back = read_path(lb_read_msh, path);
  check_same_cells(mesh, back);
  check_group(back, LB_GROUP_ELEMENTS, 4, "cap 'top'", 2, (int32_t[]){ 0, 1 });
  check_group(back, LB_GROUP_ELEMENTS, 2, "most", 2, (int32_t[]){ 1, 2 });
  check_group(back, LB_GROUP_TRIANGLES, 1, "floor", 2, (int32_t[]){ 0, 2 });
  check_group(back, LB_GROUP_VERTICES, 1, "", 1, (int32_t[]){ 8 });
  assert_int_equal(back->group_count, 4);
  check_ok(lb_write_msh(back, path, &err), err);
  lbMesh *again = read_path(lb_read_msh, path);
  check_same_cells(back, again);
  check_same_groups(back, again);
  remove(path);
  lb_mesh_destroy(mesh);
  lb_mesh_destroy(back);
  lb_mesh_destroy(again);
}

static void writing_tells_when_memory_or_the_folder_is_missing(void **state) {
  (void)state;
  lbError err;
  lbMesh *mesh = sample_mesh();
  check_fails(lb_write_msh(mesh, "no/such/folder/a.msh", &err), LB_ERR_FILE, err, "a.msh");
  for (int64_t n = 0;; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lb_set_allocator(&allocator);
    lbStatus status = lb_write_msh(mesh, output_path("test_msh_memory.msh"), &err);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (heap.count <= n) break;
    assert_int_equal(status, LB_ERR_MEMORY);
  }
  remove(output_path("test_msh_memory.msh"));
  lb_mesh_destroy(mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_tag_without_a_name_gives_a_group_without_one),
    cmocka_unit_test(tag_zero_gives_no_group),
    cmocka_unit_test(both_windings_end_up_positive),
    cmocka_unit_test(an_element_repeated_for_a_second_group_is_one_element),
    cmocka_unit_test(an_element_repeated_in_the_same_group_stays_twice),
    cmocka_unit_test(an_entity_may_be_in_several_physical_groups),
    cmocka_unit_test(unknown_sections_are_passed_over),
    cmocka_unit_test(faults_of_text_files_name_the_line),
    cmocka_unit_test(faults_of_binary_files_name_the_byte),
    cmocka_unit_test(a_written_mesh_reads_back_exactly),
    cmocka_unit_test(writing_tells_when_memory_or_the_folder_is_missing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
