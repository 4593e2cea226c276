// Bricks into tets: conformity, volume, what is carried over.
#include "mesh/test_surfaces.h"

#include "limber/math.h"
#include "limber/voxelise.h"

enum { N = 3, SIDE = N + 1, VERTICES = SIDE * SIDE * SIDE };

// A block of N³ bricks, vertices numbered at random so that every pattern of diagonals comes up;
// affine if bend is 0.
static void add_block(lbMeshBuilder *builder, uint64_t seed, double bend) {
  int32_t place[VERTICES], number[VERTICES];
  for (int i = 0; i < VERTICES; i++) place[i] = i;
  for (int i = VERTICES - 1; i > 0; i--) {
    int j = (int)((check_random(&seed) + 1) / 2 * (i + 1));
    int32_t kept = place[i];
    place[i] = place[j], place[j] = kept;
  }
  for (int i = 0; i < VERTICES; i++) {
    double x = place[i] % SIDE, y = place[i] / SIDE % SIDE, z = place[i] / SIDE / SIDE;
    number[place[i]] = i;
    lb_mesh_add_vertex(builder, x + 0.2 * y + bend * check_random(&seed),
                       y - 0.1 * z + bend * check_random(&seed), z + bend * check_random(&seed));
  }
  for (int b = 0; b < N * N * N; b++) {
    int a = b % N + SIDE * (b / N % N) + SIDE * SIDE * (b / N / N);
    int top = a + SIDE * SIDE;
    int32_t ids[8] = { number[a],   number[a + 1],   number[a + 1 + SIDE],   number[a + SIDE],
                       number[top], number[top + 1], number[top + 1 + SIDE], number[top + SIDE] };
    lb_mesh_add_brick(builder, ids);
  }
}

static double tet_volume(const lbMesh *mesh, int32_t tet) {
  const int32_t *ids = mesh->tets + 4 * (size_t)tet;
  lbVec3 x[4];
  for (int i = 0; i < 4; i++) x[i] = lb_vec3_load(mesh->positions + 3 * (size_t)ids[i]);
  return lb_dot(lb_sub(x[1], x[0]), lb_cross(lb_sub(x[2], x[0]), lb_sub(x[3], x[0]))) / 6;
}

static int compare_faces(const void *a, const void *b) { return memcmp(a, b, 3 * sizeof(int32_t)); }

// Every face belongs to one tet or two; returns how many to one.
static int32_t outer_faces(const lbMesh *mesh) {
  size_t count = 4 * (size_t)mesh->tet_count;
  int32_t(*faces)[3] = malloc(count * sizeof *faces), outer = 0;
  assert_non_null(faces);
  for (size_t i = 0; i < count; i++) {
    int32_t *f = faces[i], n = 0;
    for (size_t k = 0; k < 4; k++)
      if (k != i % 4) f[n++] = mesh->tets[i / 4 * 4 + k];
    for (int pass = 0; pass < 3; pass++)
      for (int k = 0; k < 2; k++)
        if (f[k] > f[k + 1]) {
          int32_t kept = f[k];
          f[k] = f[k + 1], f[k + 1] = kept;
        }
  }
  qsort(faces, count, sizeof *faces, compare_faces);
  for (size_t begin = 0, end; begin < count; begin = end) {
    for (end = begin + 1; end < count && !compare_faces(faces[begin], faces[end]);) end++;
    assert_true(end - begin <= 2);
    outer += end - begin == 1;
  }
  free(faces);
  return outer;
}

static void check_split(double bend, double expected_volume, double tolerance) {
  lbError err;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    lbMeshBuilder builder;
    lbMesh *tets = NULL;
    lb_mesh_builder_begin(&builder);
    add_block(&builder, seed, bend);
    lbMesh *bricks = finish(&builder);
    check_ok(lb_mesh_split_bricks(bricks, &tets, &err), err);
    assert_int_equal(tets->tet_count, 6 * N * N * N);
    assert_int_equal(tets->brick_count, 0);
    assert_int_equal(tets->mended_count, 0);
    assert_int_equal(tets->vertex_count, VERTICES);
    assert_memory_equal(tets->positions, bricks->positions, VERTICES * 3 * sizeof(double));
    double volume = 0;
    for (int32_t t = 0; t < tets->tet_count; t++) {
      assert_true(tet_volume(tets, t) > 0);
      volume += tet_volume(tets, t);
    }
    check_near(volume, expected_volume, tolerance);
    assert_int_equal(outer_faces(tets), 6 * 2 * N * N);
    lb_mesh_destroy(tets);
    lb_mesh_destroy(bricks);
  }
}

static void split_blocks_conform_and_keep_their_volume(void **state) {
  (void)state;
  check_split(0, N * N * N, 1e-12);
}

static void split_bent_bricks_conform(void **state) {
  (void)state;
  check_split(0.08, N * N * N, 3);
}

static void groups_materials_and_triangles_go_over(void **state) {
  (void)state;
  lbMeshBuilder builder;
  lbMesh *tets = NULL;
  lbError err;
  lb_mesh_builder_begin(&builder);
  add_block(&builder, 5, 0);
  for (int i = 0; i < 4; i++) lb_mesh_add_vertex(&builder, 9 + (i == 1), i == 2, i == 3);
  lb_mesh_add_tet(&builder, (int32_t[4]){ VERTICES, VERTICES + 1, VERTICES + 2, VERTICES + 3 });
  lb_mesh_add_triangle(&builder, (int32_t[3]){ 0, 1, 2 });
  lb_mesh_set_triangle_uvs(&builder, (float[6]){ 1, 2, 3, 4, 5, 6 });
  int32_t look = lb_mesh_add_appearance(&builder, "red");
  builder.mesh->appearances[look].base_color[1] = 0;
  lb_mesh_set_triangle_appearance(&builder, look);
  lbMaterial stuff = lb_material();
  stuff.young = 7;
  lb_mesh_add_material(&builder, "stuff", &stuff);
  lb_mesh_set_element_material(&builder, LB_BRICK_ID + 2, 0);
  int32_t group = lb_mesh_add_group(&builder, LB_GROUP_ELEMENTS, 3, "some");
  lb_mesh_add_to_group(&builder, group, 0);
  lb_mesh_add_to_group(&builder, group, LB_BRICK_ID + 1);
  int32_t fixed = lb_mesh_add_group(&builder, LB_GROUP_VERTICES, 0, "fixed");
  lb_mesh_add_to_group(&builder, fixed, 4);
  lbMesh *mesh = finish(&builder);

  check_ok(lb_mesh_split_bricks(mesh, &tets, &err), err);
  assert_int_equal(tets->tet_count, 1 + 6 * N * N * N);
  assert_memory_equal(tets->tets, mesh->tets, 4 * sizeof(int32_t));
  const lbGroup *some = lb_mesh_group_by_name(tets, LB_GROUP_ELEMENTS, "some");
  assert_int_equal(some->tag, 3);
  assert_int_equal(some->count, 7); // the tet, and brick 1: tets 7 .. 12
  assert_int_equal(some->ids[0], 0);
  for (int i = 1; i < 7; i++) assert_int_equal(some->ids[i], 6 + i);
  assert_int_equal(lb_mesh_group_by_name(tets, LB_GROUP_VERTICES, "fixed")->ids[0], 4);
  for (int32_t e = 0; e < tets->tet_count; e++)
    assert_int_equal(tets->element_materials[e], e >= 13 && e < 19 ? 0 : -1);
  check_near(tets->materials[0].material.young, 7, 0);
  assert_int_equal(tets->triangle_count, 1);
  check_near(tets->corner_uvs[5], 6, 0);
  check_near(tets->appearances[tets->triangle_appearances[0]].base_color[1], 0, 0);
  lb_mesh_destroy(tets);
  lb_mesh_destroy(mesh);
}

static void a_folded_brick_is_refused_by_number(void **state) {
  (void)state;
  lbMeshBuilder builder;
  lbMesh *tets = NULL;
  lbError err;
  lb_mesh_builder_begin(&builder);
  add_block(&builder, 5, 0);
  builder.mesh->positions[3 * builder.mesh->bricks[8 * 4 + 6]] -= 1.5; // a corner of brick 4
  lbMesh *mesh = finish(&builder);
  check_fails(lb_mesh_split_bricks(mesh, &tets, &err), LB_ERR_MESH, err, "too distorted");
  assert_null(tets);
  lb_mesh_destroy(mesh);
}

static void splitting_survives_every_failing_allocation(void **state) {
  (void)state;
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  add_block(&builder, 5, 0);
  lb_mesh_add_to_group(&builder, lb_mesh_add_group(&builder, LB_GROUP_ELEMENTS, 0, "g"),
                       LB_BRICK_ID);
  lbMesh *mesh = finish(&builder);
  for (int64_t n = 0;; n++) {
    CheckedHeap heap = { n, 0, 0 };
    lbAllocator allocator = checked_allocator(&heap);
    lb_set_allocator(&allocator);
    lbMesh *tets = NULL;
    lbStatus status = lb_mesh_split_bricks(mesh, &tets, NULL);
    lb_mesh_destroy(tets);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (status == LB_OK) break;
    assert_int_equal(status, LB_ERR_MEMORY);
    assert_true(n < 1000);
  }
  lb_mesh_destroy(mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(split_blocks_conform_and_keep_their_volume),
    cmocka_unit_test(split_bent_bricks_conform),
    cmocka_unit_test(groups_materials_and_triangles_go_over),
    cmocka_unit_test(a_folded_brick_is_refused_by_number),
    cmocka_unit_test(splitting_survives_every_failing_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
