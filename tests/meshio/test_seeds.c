// The seeds of the fuzz targets (fuzz/make_seeds.py): the same small mesh in every variant of every
// volume format must give the same mesh; and every seed is put on trial.
#include "volume_reading.h"

#include "meshio/tetgen.h"

// TetGen's two files with a zero byte between them.
static lbStatus read_pair(const char *path, const char *content, size_t bytes, lbMesh **out,
                          lbError *err) {
  size_t node_bytes = strlen(content);
  const char *ele = node_bytes < bytes ? content + node_bytes + 1 : "";
  size_t ele_bytes = node_bytes < bytes ? bytes - node_bytes - 1 : 0;
  return lb_read_tetgen(path, content, node_bytes, path, ele, ele_bytes, out, err);
}

typedef struct Seed {
  lbMeshReader *read;
  const char *path;
  enum { WHOLE, TETS_ONLY, OTHER } kind;
} Seed;

static const Seed seeds[] = {
  { lb_read_msh, "fuzz/corpus/msh/22_text.msh", WHOLE },
  { lb_read_msh, "fuzz/corpus/msh/22_little.msh", WHOLE },
  { lb_read_msh, "fuzz/corpus/msh/22_big.msh", WHOLE },
  { lb_read_msh, "fuzz/corpus/msh/41_text.msh", WHOLE },
  { lb_read_msh, "fuzz/corpus/msh/41_little.msh", WHOLE },
  { lb_read_msh, "fuzz/corpus/msh/41_big.msh", WHOLE },
  { lb_read_medit, "fuzz/corpus/medit/all.mesh", WHOLE },
  { lb_read_vtk, "fuzz/corpus/vtk/3_text.vtk", WHOLE },
  { lb_read_vtk, "fuzz/corpus/vtk/3_binary.vtk", WHOLE },
  { lb_read_vtk, "fuzz/corpus/vtk/5_text.vtk", WHOLE },
  { lb_read_vtk, "fuzz/corpus/vtk/5_binary.vtk", WHOLE },
  { lb_read_vtk, "fuzz/corpus/vtk/polydata.vtk", OTHER },
  { lb_read_vtu, "fuzz/corpus/vtu/text.vtu", WHOLE },
  { lb_read_vtu, "fuzz/corpus/vtu/base64.vtu", WHOLE },
  { lb_read_vtu, "fuzz/corpus/vtu/base64_zlib_big.vtu", WHOLE },
  { lb_read_vtu, "fuzz/corpus/vtu/raw.vtu", WHOLE },
  { lb_read_vtu, "fuzz/corpus/vtu/raw_zlib_long_big.vtu", WHOLE },
  { lb_read_vtu, "fuzz/corpus/vtu/appended64_long.vtu", WHOLE },
  { lb_read_vtu, "fuzz/corpus/vtu/appended64_zlib.vtu", WHOLE },
  { lb_read_vtu, "fuzz/corpus/vtu/pieces.vtu", OTHER },
  { lb_read_veg, "fuzz/corpus/veg/tet.veg", TETS_ONLY },
  { lb_read_veg, "fuzz/corpus/veg/brick.veg", OTHER },
  { read_pair, "fuzz/corpus/ele/pair", TETS_ONLY },
};
#define SEED_COUNT (sizeof seeds / sizeof *seeds)

static void check_tags(const lbMesh *mesh, const char *path) {
  bool named = strstr(path, ".msh") != NULL;
  check_group(mesh, LB_GROUP_ELEMENTS, 1, named ? "core" : "", 1, (int32_t[]){ 2 });
  check_group(mesh, LB_GROUP_ELEMENTS, 2, named ? "cap" : "", 2, (int32_t[]){ 0, 1 });
  check_group(mesh, LB_GROUP_TRIANGLES, 3, named ? "floor" : "", 2, (int32_t[]){ 0, 1 });
  if (named || strstr(path, ".mesh"))
    check_group(mesh, LB_GROUP_VERTICES, 7, named ? "tip" : "", 1, (int32_t[]){ 8 });
}

static void every_variant_of_every_format_gives_the_same_mesh(void **state) {
  (void)state;
  static const int32_t tets[] = { 4, 5, 6, 8, 6, 7, 4, 8 }; // the second one mended
  static const int32_t brick[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
  static const int32_t triangles[] = { 0, 3, 2, 0, 2, 1, 4, 5, 8 };
  for (size_t i = 0; i < SEED_COUNT; i++) {
    if (seeds[i].kind == OTHER) continue;
    lbMesh *mesh = read_path(seeds[i].read, seeds[i].path);
    assert_int_equal(mesh->vertex_count, 9);
    assert_true(mesh->positions[3 * 8 + 2] == 0.2 && mesh->positions[3 * 1] == 0.1);
    assert_int_equal(mesh->tet_count, 2);
    check_same_ids(mesh->tets, tets, 8);
    assert_int_equal(mesh->mended_count, 1);
    assert_int_equal(mesh->mended[0], 1);
    if (seeds[i].kind == WHOLE) {
      assert_int_equal(mesh->brick_count, 1);
      assert_int_equal(mesh->triangle_count, 3);
      check_same_ids(mesh->bricks, brick, 8);
      check_same_ids(mesh->triangles, triangles, 9);
      check_tags(mesh, seeds[i].path);
    }
    lb_mesh_destroy(mesh);
  }
}

typedef void Trial(lbMeshReader *read, const char *path, const char *content, size_t bytes);

static void put_seeds_on(Trial *trial) {
  for (size_t i = 0; i < SEED_COUNT; i++) {
    size_t bytes = 0;
    char *content = load_file(seeds[i].path, &bytes);
    trial(seeds[i].read, "seed", content, bytes);
    free(content);
  }
}

static void every_beginning_of_a_seed_is_refused_or_sound(void **state) {
  (void)state;
  put_seeds_on(check_truncations);
}

static void any_failing_allocation_is_told_and_leaves_nothing(void **state) {
  (void)state;
  put_seeds_on(check_failing_allocations);
}

// One bit turned in every byte: a message or a sound mesh.
static void check_damages(lbMeshReader *read, const char *path, const char *content, size_t bytes) {
  lbError err;
  char *damaged = malloc(bytes);
  assert_non_null(damaged);
  memcpy(damaged, content, bytes);
  for (size_t k = 0; k < bytes; k++) {
    lbMesh *mesh = NULL;
    damaged[k] = (char)(content[k] ^ (1 << k % 8));
    if (read_bytes(read, path, damaged, bytes, &mesh, &err) == LB_OK)
      check_indices(mesh);
    else
      assert_null(mesh);
    lb_mesh_destroy(mesh);
    damaged[k] = content[k];
  }
  free(damaged);
}

static void every_damaged_byte_is_refused_or_sound(void **state) {
  (void)state;
  put_seeds_on(check_damages);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_variant_of_every_format_gives_the_same_mesh),
    cmocka_unit_test(every_beginning_of_a_seed_is_refused_or_sound),
    cmocka_unit_test(any_failing_allocation_is_told_and_leaves_nothing),
    cmocka_unit_test(every_damaged_byte_is_refused_or_sound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
