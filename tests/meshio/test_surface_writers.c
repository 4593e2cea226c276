// Writing OBJ, STL and PLY surfaces and PC2 point caches.
#include "surface_check.h"
#include "comma_locale.h"

#include "mesh/builder.h"
#include "arrayio/scalar.h"
#include "meshio/pc2.h"

#include <locale.h>
#include <signal.h>
#include <sys/resource.h>

// A square of two triangles with everything that a surface can carry.
static lbMesh *make_square(void) {
  lbMeshBuilder builder;
  lbMesh *mesh = NULL;
  lbError err;
  const int32_t triangles[3][3] = { { 0, 1, 2 }, { 0, 2, 3 }, { 4, 2, 1 } };
  const float uvs[6] = { 0, 1, 1, 0.1f, 0.3f, 0 };
  lb_mesh_builder_begin(&builder);
  lb_mesh_add_vertex(&builder, 0, 0, 1.0 / 3);
  lb_mesh_add_vertex(&builder, 1e-300, 0.1, -2.5);
  lb_mesh_add_vertex(&builder, 12345.678901234567, 1, 0);
  lb_mesh_add_vertex(&builder, 0, 1, 0);
  lb_mesh_add_vertex(&builder, 3, 3, 3);
  lb_mesh_add_vertex(&builder, 5, 5, 5); // unused
  int32_t both = lb_mesh_add_group(&builder, LB_GROUP_TRIANGLES, 0, "both");
  int32_t second = lb_mesh_add_group(&builder, LB_GROUP_TRIANGLES, 0, "a b");
  lb_mesh_add_appearance(&builder, "paint");
  int32_t wood = lb_mesh_add_appearance(&builder, "");
  builder.mesh->appearances[wood].base_color[0] = 0.25f;
  builder.mesh->appearances[wood].base_color[3] = 0.5f;
  builder.mesh->appearances[wood].metallic = 0.125f;
  builder.mesh->appearances[wood].roughness = 0.3f;
  builder.mesh->appearances[wood].texture =
      lb_mesh_add_texture(&builder, "../x/wood.png", "image/png", "\x89PNG\r\n\x1a\n", 8);
  for (int i = 0; i < 3; i++) {
    int32_t id = lb_mesh_add_triangle(&builder, triangles[i]);
    if (i < 2) lb_mesh_add_to_group(&builder, both, id);
    if (i == 1) lb_mesh_add_to_group(&builder, second, id);
    if (i == 1) lb_mesh_set_triangle_appearance(&builder, wood);
    lb_mesh_set_triangle_uvs(&builder, uvs);
  }
  check_ok(lb_mesh_builder_finish(&builder, "square", &mesh, &err), err);
  return mesh;
}

static lbMesh *make_tet(void) {
  lbMeshBuilder builder;
  lbMesh *mesh = NULL;
  lbError err;
  lb_mesh_builder_begin(&builder);
  for (int i = 0; i < 4; i++) lb_mesh_add_vertex(&builder, i == 1, i == 2, i == 3);
  lb_mesh_add_tet(&builder, (const int32_t[4]){ 0, 1, 2, 3 });
  check_ok(lb_mesh_builder_finish(&builder, "tet", &mesh, &err), err);
  return mesh;
}

static lbMesh *write_and_read(const lbMesh *mesh, lbMeshWriter *write, lbMeshReader *read,
                              const char *path) {
  lbError err = { 0 };
  char *content = NULL;
  size_t bytes = 0;
  check_ok(write(mesh, path, &err), err);
  check_ok(lb_file_read(path, &content, &bytes, &err), err);
  lbMesh *again = read_bytes(read, path, content, bytes);
  lb_free(content);
  return again;
}

static void check_same_shape(const lbMesh *a, const lbMesh *b) {
  assert_int_equal(a->vertex_count, b->vertex_count);
  assert_int_equal(a->triangle_count, b->triangle_count);
  assert_memory_equal(a->positions, b->positions, 24 * (size_t)a->vertex_count);
  assert_memory_equal(a->triangles, b->triangles, 12 * (size_t)a->triangle_count);
  assert_non_null(b->corner_uvs);
  for (size_t i = 0; i < 6 * (size_t)a->triangle_count; i++)
    check_near((double)a->corner_uvs[i], (double)b->corner_uvs[i], 1e-7);
}

static void obj_comes_back_with_groups_and_looks(void **state) {
  (void)state;
  lbMesh *mesh = make_square();
  lbMesh *again = write_and_read(mesh, lb_write_obj, lb_read_obj, output_path("writers.obj"));
  check_same_shape(mesh, again);
  assert_int_equal(again->group_count, 2);
  assert_int_equal(lb_mesh_group_by_name(again, LB_GROUP_TRIANGLES, "both")->count, 2);
  const lbGroup *second = lb_mesh_group_by_name(again, LB_GROUP_TRIANGLES, "a_b");
  assert_int_equal(second->count, 1);
  assert_int_equal(second->ids[0], 1);
  assert_int_equal(again->triangle_appearances[0], -1);
  const lbAppearance *wood = &again->appearances[again->triangle_appearances[1]];
  assert_string_equal(wood->name, "material1");
  check_near((double)wood->base_color[0], 0.25, 0);
  check_near((double)wood->base_color[3], 0.5, 0);
  check_near((double)wood->metallic, 0.125, 0);
  check_near((double)wood->roughness, (double)0.3f, 0);
  assert_string_equal(again->textures[wood->texture].name, "wood.png");
  assert_int_equal(again->textures[wood->texture].bytes, 8);
  lb_mesh_destroy(again);
  lb_mesh_destroy(mesh);
}

static void obj_without_looks_has_no_library(void **state) {
  (void)state;
  lbMesh *mesh = read_string(lb_read_obj, "x", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3");
  remove(output_path("plain.mtl"));
  lbMesh *again = write_and_read(mesh, lb_write_obj, lb_read_obj, output_path("plain.obj"));
  assert_false(lb_file_exists(output_path("plain.mtl")));
  assert_null(again->corner_uvs);
  lb_mesh_destroy(again);
  lb_mesh_destroy(mesh);
}

static void ply_loses_nothing(void **state) {
  (void)state;
  lbMesh *mesh = make_square();
  lbMesh *again = write_and_read(mesh, lb_write_ply, lb_read_ply, output_path("writers.ply"));
  check_same_shape(mesh, again);
  lb_mesh_destroy(again);
  lb_mesh_destroy(mesh);
}

static void stl_keeps_single_precision(void **state) {
  (void)state;
  lbMesh *mesh = make_square();
  lbMesh *again = write_and_read(mesh, lb_write_stl, lb_read_stl, output_path("writers.stl"));
  assert_int_equal(again->vertex_count, 5); // the unused one is gone
  assert_int_equal(again->triangle_count, 3);
  for (int i = 0; i < 15; i++)
    check_near(again->positions[i], (double)(float)mesh->positions[i], 0);
  lb_mesh_destroy(again);
  mesh->positions[7] = 1e300;
  lbError err = { 0 };
  check_fails(lb_write_stl(mesh, output_path("big.stl"), &err), LB_ERR_MESH, err, "vertex 2");
  lb_mesh_destroy(mesh);
}

static void a_volume_gives_its_boundary(void **state) {
  (void)state;
  lbMesh *mesh = make_tet();
  lbMeshWriter *writers[] = { lb_write_obj, lb_write_stl, lb_write_ply };
  lbMeshReader *readers[] = { lb_read_obj, lb_read_stl, lb_read_ply };
  const char *names[] = { "tet.obj", "tet.stl", "tet.ply" };
  for (int i = 0; i < 3; i++) {
    lbMesh *again = write_and_read(mesh, writers[i], readers[i], output_path(names[i]));
    assert_int_equal(again->vertex_count, 4);
    assert_int_equal(again->triangle_count, 4);
    check_near(mesh_area(again), 1.5 + sqrt(3) / 2, 1e-14);
    lb_mesh_destroy(again);
  }
  lb_mesh_destroy(mesh);
}

static void a_mesh_without_a_surface_is_refused(void **state) {
  (void)state;
  lbMesh *mesh = read_string(lb_read_obj, "x", "v 0 0 0\n");
  lbMeshWriter *writers[] = { lb_write_obj, lb_write_stl, lb_write_ply };
  for (int i = 0; i < 3; i++) {
    lbError err = { 0 };
    check_fails(writers[i](mesh, output_path("no.xyz"), &err), LB_ERR_MESH, err, "neither");
    assert_false(lb_file_exists(output_path("no.xyz")));
  }
  lb_mesh_destroy(mesh);
}

static void numbers_do_not_follow_the_locale(void **state) {
  (void)state;
  if (!set_comma_locale()) {
    print_message("skipped: no locale with a decimal comma is here\n");
    skip();
  }
  lbMesh *mesh = make_square();
  lbMesh *again = write_and_read(mesh, lb_write_obj, lb_read_obj, output_path("comma.obj"));
  setlocale(LC_ALL, "C");
  check_same_shape(mesh, again);
  lb_mesh_destroy(again);
  lb_mesh_destroy(mesh);
}

// A limit on the size of files acts like a full disk.
static void fill_disk(rlim_t bytes) {
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  signal(SIGXFSZ, bytes == RLIM_INFINITY ? SIG_DFL : SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_full_disk_leaves_the_old_file(void **state) {
  (void)state;
  lbMesh *mesh = make_square();
  lbMeshWriter *writers[] = { lb_write_obj, lb_write_stl, lb_write_ply };
  for (int i = 0; i < 3; i++) {
    lbError err = { 0 };
    const char *path = output_path("full.xyz");
    char *content = NULL, aside[600];
    size_t bytes = 0;
    write_file(path, "old", 3);
    fill_disk(100);
    lbStatus status = writers[i](mesh, path, &err);
    fill_disk(RLIM_INFINITY);
    check_fails(status, LB_ERR_FILE, err, "cannot write");
    snprintf(aside, sizeof aside, "%s.part-%d", path, (int)getpid());
    assert_false(lb_file_exists(aside));
    check_ok(lb_file_read(path, &content, &bytes, &err), err);
    assert_int_equal(bytes, 3);
    lb_free(content);
  }
  lb_mesh_destroy(mesh);
}

static void every_failing_allocation_of_a_writer_is_told(void **state) {
  (void)state;
  lbMesh *mesh = make_square(), *volume = make_tet();
  lbMeshWriter *writers[] = { lb_write_obj, lb_write_stl, lb_write_ply };
  for (int i = 0; i < 6; i++) {
    CheckedHeap heap = { .fail_at = 0 };
    lbAllocator allocator = checked_allocator(&heap);
    for (;; heap.fail_at++) {
      lbError err = { 0 };
      heap.count = 0;
      lb_set_allocator(&allocator);
      lbStatus status = writers[i % 3](i < 3 ? mesh : volume, output_path("memory.xyz"), &err);
      lb_set_allocator(NULL);
      assert_int_equal(heap.live, 0);
      if (heap.count <= heap.fail_at) {
        assert_int_equal(status, LB_OK);
        break;
      }
      assert_int_equal(status, LB_ERR_MEMORY);
    }
  }
  lb_mesh_destroy(mesh);
  lb_mesh_destroy(volume);
}

static void a_point_cache_has_its_frames(void **state) {
  (void)state;
  lbPc2Writer writer;
  lbError err = { 0 };
  char *content = NULL;
  size_t bytes = 0;
  const double positions[6] = { 1, 2, 3, 4, 5, 6.5 };
  const char *path = output_path("cache.pc2");
  check_ok(lb_pc2_begin(&writer, path, 2, 10, 0.5, &err), err);
  for (int i = 0; i < 3; i++) check_ok(lb_pc2_add(&writer, positions, &err), err);
  check_ok(lb_pc2_commit(&writer, &err), err);
  lb_pc2_abort(&writer);
  check_ok(lb_file_read(path, &content, &bytes, &err), err);
  const uint8_t *data = (const uint8_t *)content;
  assert_int_equal(bytes, 32 + 3 * 2 * 12);
  assert_memory_equal(data, "POINTCACHE2\0", 12);
  assert_int_equal(lb_little_u32(data + 12), 1);
  assert_int_equal(lb_little_u32(data + 16), 2);
  check_near((double)lb_little_f32(data + 20), 10, 0);
  check_near((double)lb_little_f32(data + 24), 0.5, 0);
  assert_int_equal(lb_little_u32(data + 28), 3);
  check_near((double)lb_little_f32(data + bytes - 4), 6.5, 0);
  lb_free(content);
}

static void a_point_cache_that_fails_leaves_nothing(void **state) {
  (void)state;
  lbPc2Writer writer;
  lbError err = { 0 };
  double positions[3] = { 0, NAN, 0 };
  const char *path = output_path("bad.pc2");
  remove(path);
  check_fails(lb_pc2_begin(&writer, path, 0, 0, 1, &err), LB_ERR_ARGUMENT, err, "bad.pc2");
  check_ok(lb_pc2_begin(&writer, path, 1, 0, 1, &err), err);
  check_fails(lb_pc2_add(&writer, positions, &err), LB_ERR_NUMERIC, err, "frame 0: point 0");
  assert_false(lb_file_exists(path));
  positions[1] = 0;
  fill_disk(40);
  check_ok(lb_pc2_begin(&writer, path, 1, 0, 1, &err), err);
  check_ok(lb_pc2_add(&writer, positions, &err), err);
  lbStatus status = lb_pc2_commit(&writer, &err);
  fill_disk(RLIM_INFINITY);
  check_fails(status, LB_ERR_FILE, err, "cannot write");
  assert_false(lb_file_exists(path));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(obj_comes_back_with_groups_and_looks),
    cmocka_unit_test(obj_without_looks_has_no_library),
    cmocka_unit_test(ply_loses_nothing),
    cmocka_unit_test(stl_keeps_single_precision),
    cmocka_unit_test(a_volume_gives_its_boundary),
    cmocka_unit_test(a_mesh_without_a_surface_is_refused),
    cmocka_unit_test(numbers_do_not_follow_the_locale),
    cmocka_unit_test(a_full_disk_leaves_the_old_file),
    cmocka_unit_test(every_failing_allocation_of_a_writer_is_told),
    cmocka_unit_test(a_point_cache_has_its_frames),
    cmocka_unit_test(a_point_cache_that_fails_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
