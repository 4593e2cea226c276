// Meshes of others, where this machine has them (../shared): counts, materials, groups; and what
// is wrong with the bad ones.
#include "volume_reading.h"

#define TET "../shared/meshes/tet/"
#define BAD "../shared/meshes/bad/"

typedef struct Expected {
  lbMeshReader *read;
  const char *path;
  int32_t vertices, tets, bricks, triangles, mended;
} Expected;

static lbMesh *read_shared(lbMeshReader *read, const char *path) {
  if (!check_shared(path)) skip();
  return read_path(read, path);
}

static void check_file(const Expected *expected) {
  lbMesh *mesh = read_shared(expected->read, expected->path);
  print_message("%s: %d vertices, %d tets, %d bricks, %d triangles, %d mended\n", expected->path,
                (int)mesh->vertex_count, (int)mesh->tet_count, (int)mesh->brick_count,
                (int)mesh->triangle_count, (int)mesh->mended_count);
  assert_int_equal(mesh->vertex_count, expected->vertices);
  assert_int_equal(mesh->tet_count, expected->tets);
  assert_int_equal(mesh->brick_count, expected->bricks);
  assert_int_equal(mesh->triangle_count, expected->triangles);
  if (expected->mended >= 0) assert_int_equal(mesh->mended_count, expected->mended);
  check_indices(mesh);
  lb_mesh_destroy(mesh);
}

static void check_files(const Expected *expected, size_t count) {
  for (size_t i = 0; i < count; i++) check_file(&expected[i]);
}

static void gmsh_files_have_their_counts(void **state) {
  (void)state;
  static const Expected expected[] = {
    { lb_read_msh, TET "Armadillo13K.msh", 13230, 54985, 0, 0, 0 },
    { lb_read_msh, TET "bar-651.msh", 292, 651, 0, 0, 0 },
    { lb_read_msh, TET "dinosaur.msh", 13270, 49973, 0, 0, -1 },
    { lb_read_msh, BAD "6_tetra_bad.msh", 17, 6, 0, 0, -1 },
    { lb_read_msh, BAD "screw_slivers.msh", 1732, 6059, 0, 0, -1 },
  };
  check_files(expected, sizeof expected / sizeof *expected);
}

static void vega_files_have_their_counts(void **state) {
  (void)state;
  static const Expected expected[] = {
    { lb_read_veg, TET "asianDragon.veg", 959, 2591, 0, 0, 0 },
    { lb_read_veg, TET "beam3_tet.veg", 208, 450, 0, 0, 0 },
    { lb_read_veg, TET "beam3_hex.veg", 208, 0, 75, 0, 0 },
    { lb_read_veg, TET "dragon-coarse.tet.veg", 197, 552, 0, 0, 0 },
    { lb_read_veg, TET "simpleBridge_tet.veg", 4000, 12827, 0, 0, 0 },
    { lb_read_veg, TET "simpleBridge_hex.veg", 3923, 0, 1736, 0, 0 },
    { lb_read_veg, TET "turtle_hom.veg", 347, 1185, 0, 0, 0 },
  };
  check_files(expected, sizeof expected / sizeof *expected);
}

static void other_files_have_their_counts(void **state) {
  (void)state;
  static const Expected expected[] = {
    { lb_read_ele, TET "octahedron.ele", 330, 1224, 0, 0, 0 },
    { lb_read_ele, TET "spot_tet.node", 966, 3020, 0, 0, 0 },
    { lb_read_medit, TET "hand.mesh", 7234, 29998, 0, 9556, 0 },
    { lb_read_medit, BAD "reversed_tets.mesh", 740, 1954, 0, 0, 1954 },
    { lb_read_vtu, TET "Armadillo_4406.vtu", 1446, 4406, 0, 0, 0 },
  };
  check_files(expected, sizeof expected / sizeof *expected);
}

// The 4.1 variants list their nodes block by block, so vertex ids (the order of the file) differ;
// elements, their corners' positions and the groups must not.
static void the_four_variants_of_a_gmsh_file_are_the_same_mesh(void **state) {
  (void)state;
  static const char *const paths[] = { TET "cube5_22_ascii.msh", TET "cube5_22_binary.msh",
                                       TET "cube5_41_ascii.msh", TET "cube5_41_binary.msh" };
  lbMesh *meshes[4];
  for (int i = 0; i < 4; i++) meshes[i] = read_shared(lb_read_msh, paths[i]);
  check_same_cells(meshes[0], meshes[1]);
  check_same_cells(meshes[2], meshes[3]);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(meshes[i]->vertex_count, 8);
    assert_int_equal(meshes[i]->tet_count, 5);
    for (int k = 0; k < 20; k++)
      assert_memory_equal(meshes[i]->positions + 3 * meshes[i]->tets[k],
                          meshes[0]->positions + 3 * meshes[0]->tets[k], 24);
    assert_int_equal(meshes[i]->mended_count, meshes[0]->mended_count);
    assert_int_equal(meshes[i]->group_count, 3);
    check_group(meshes[i], LB_GROUP_ELEMENTS, 1, "", 1, (int32_t[]){ 0 });
    check_group(meshes[i], LB_GROUP_ELEMENTS, 2, "", 3, (int32_t[]){ 1, 2, 3 });
    check_group(meshes[i], LB_GROUP_ELEMENTS, 3, "", 1, (int32_t[]){ 4 });
  }
  for (int i = 0; i < 4; i++) lb_mesh_destroy(meshes[i]);
}

static void vega_materials_come_through_included_sets(void **state) {
  (void)state;
  lbMesh *mesh = read_shared(lb_read_veg, TET "turtle_het.veg");
  const lbGroup *shell = lb_mesh_group_by_tag(mesh, LB_GROUP_ELEMENTS, 1);
  const lbGroup *rest = lb_mesh_group_by_tag(mesh, LB_GROUP_ELEMENTS, 2);
  assert_non_null(shell);
  assert_non_null(rest);
  assert_string_equal(shell->name, "backshell");
  assert_string_equal(rest->name, "theRest");
  assert_int_equal(shell->count + rest->count, 1185);
  assert_int_equal(mesh->material_count, 2);
  check_near(mesh->materials[0].material.young, 25000000, 0);
  check_near(mesh->materials[1].material.poisson, 0.35, 0);
  for (int32_t k = 0; k < shell->count; k++)
    assert_int_equal(mesh->element_materials[shell->ids[k]], 0);
  for (int32_t k = 0; k < rest->count; k++)
    assert_int_equal(mesh->element_materials[rest->ids[k]], 1);
  lb_mesh_destroy(mesh);
}

static void vega_mooney_rivlin_is_understood(void **state) {
  (void)state;
  lbMesh *mesh = read_shared(lb_read_veg, TET "asianDragon_MooneyRivlin.veg");
  assert_int_equal(mesh->materials[1].material.model, LB_MATERIAL_MOONEYRIVLIN);
  for (int32_t e = 0; e < mesh->tet_count; e++) assert_int_equal(mesh->element_materials[e], 1);
  lb_mesh_destroy(mesh);
}

static void tetgen_regions_become_a_group(void **state) {
  (void)state;
  lbMesh *mesh = read_shared(lb_read_ele, TET "octahedron.node");
  const lbGroup *group = lb_mesh_group_by_tag(mesh, LB_GROUP_ELEMENTS, 100);
  assert_non_null(group);
  assert_int_equal(group->count, 1224);
  lb_mesh_destroy(mesh);
}

// Two independent files of the same bricks agree.
static void vega_bricks_equal_the_reference_gmsh_file(void **state) {
  (void)state;
  lbMesh *vega = read_shared(lb_read_veg, TET "beam3_hex.veg");
  if (!check_shared("../shared/refs/meshes/beam3_hex.msh")) {
    lb_mesh_destroy(vega);
    skip();
  }
  lbMesh *gmsh = read_path(lb_read_msh, "../shared/refs/meshes/beam3_hex.msh");
  assert_int_equal(vega->brick_count, gmsh->brick_count);
  assert_int_equal(vega->mended_count, 0);
  check_same_ids(vega->bricks, gmsh->bricks, 8 * vega->brick_count);
  for (int32_t i = 0; i < 3 * vega->vertex_count; i++)
    check_near(vega->positions[i], gmsh->positions[i], 1e-15);
  lb_mesh_destroy(vega);
  lb_mesh_destroy(gmsh);
}

static void bou_files_are_turned_into_ids(void **state) {
  (void)state;
  static const int32_t expected[] = { 50, 51, 102, 103, 154, 155, 206, 207 };
  if (!check_shared(TET "beam3.bou")) skip();
  lbError err;
  char *content = NULL;
  size_t bytes = 0;
  int32_t *ids = NULL, count = 0;
  check_ok(lb_file_read(TET "beam3.bou", &content, &bytes, &err), err);
  check_ok(lb_read_bou(TET "beam3.bou", content, bytes, &ids, &count, &err), err);
  assert_int_equal(count, 8);
  check_same_ids(ids, expected, 8);
  lb_free(ids);
  lb_free(content);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(gmsh_files_have_their_counts),
    cmocka_unit_test(vega_files_have_their_counts),
    cmocka_unit_test(other_files_have_their_counts),
    cmocka_unit_test(the_four_variants_of_a_gmsh_file_are_the_same_mesh),
    cmocka_unit_test(vega_materials_come_through_included_sets),
    cmocka_unit_test(vega_mooney_rivlin_is_understood),
    cmocka_unit_test(tetgen_regions_become_a_group),
    cmocka_unit_test(vega_bricks_equal_the_reference_gmsh_file),
    cmocka_unit_test(bou_files_are_turned_into_ids),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
