// Other surface formats, read by assimp in a child process.
#include "surface_check.h"

#include "meshio/assimp.h"

#include <sys/stat.h>
#include <unistd.h>

// False, and the test is skipped, when limber-assimp is not here.
static bool have_assimp(void) {
  lbError err = { 0 };
  lbMesh *mesh = NULL;
  lb_read_assimp("x.unknown", "", 0, &mesh, &err);
  if (!strstr(err.text, "which is not installed")) return true;
  print_message("skipped: limber-assimp is not here\n");
  return false;
}

static const char gltf[] =
    "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"data:application/"
    "octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}],\"bufferViews\":["
    "{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,"
    "\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,1,0]}],\"meshes\":[{\"primitives\":["
    "{\"attributes\":{\"POSITION\":0}}]}],\"nodes\":[{\"mesh\":0,\"translation\":[0,0,2]}],"
    "\"scenes\":[{\"nodes\":[0]}],\"scene\":0}";

static void a_text_gltf_is_read_with_its_node(void **state) {
  (void)state;
  if (!have_assimp()) skip();
  lbError err = { 0 };
  lbMesh *mesh = NULL;
  const char *path = output_path("assimp.gltf");
  write_file(path, gltf, strlen(gltf));
  check_ok(lb_read_assimp(path, NULL, 0, &mesh, &err), err);
  assert_int_equal(mesh->vertex_count, 3);
  assert_int_equal(mesh->triangle_count, 1);
  check_near(mesh->positions[2], 2, 1e-6);
  check_near(mesh_area(mesh), 0.5, 1e-6);
  lb_mesh_destroy(mesh);
}

static void equal_corners_become_one_vertex(void **state) {
  (void)state;
  if (!have_assimp()) skip();
  lbError err = { 0 };
  lbMesh *mesh = NULL;
  const char *path = output_path("assimp.raw");
  const char *text = "0 0 0  1 0 0  0 1 0\n1 0 0  1 1 0  0 1 0\n";
  write_file(path, text, strlen(text));
  check_ok(lb_read_assimp(path, NULL, 0, &mesh, &err), err);
  assert_int_equal(mesh->vertex_count, 4);
  assert_int_equal(mesh->triangle_count, 2);
  lb_mesh_destroy(mesh);
}

static void an_unknown_format_lists_the_known_ones(void **state) {
  (void)state;
  lbError err = { 0 };
  lbMesh *mesh = NULL;
  check_fails(lb_read_assimp("x.unknown", "", 0, &mesh, &err), LB_ERR_UNSUPPORTED, err,
              ".obj .stl");
  check_fails(lb_read_assimp("noextension", "", 0, &mesh, &err), LB_ERR_UNSUPPORTED, err, ".glb");
}

static void a_broken_file_gives_assimps_reason(void **state) {
  (void)state;
  if (!have_assimp()) skip();
  lbError err = { 0 };
  lbMesh *mesh = NULL;
  const char *path = output_path("broken.gltf");
  write_file(path, gltf, strlen(gltf) / 2);
  check_fails(lb_read_assimp(path, NULL, 0, &mesh, &err), LB_ERR_FORMAT, err, "assimp cannot read");
  assert_null(mesh);
}

static void a_reader_that_stalls_is_stopped(void **state) {
  (void)state;
  if (!have_assimp()) skip();
  lbError err = { 0 };
  lbMesh *mesh = NULL;
  const char *path = output_path("stall.raw"); // a pipe that nobody writes to
  remove(path);
  assert_int_equal(mkfifo(path, 0600), 0);
  lbAssimpLimits limits = lb_assimp_limits(100);
  limits.seconds = 0.3;
  lbStatus status = lb_read_assimp_within(path, limits, &mesh, &err);
  remove(path);
  check_fails(status, LB_ERR_FORMAT, err, "stopped after 0.3 s");
}

static void a_reader_that_eats_memory_is_stopped(void **state) {
  (void)state;
  if (!have_assimp()) skip();
  lbError err = { 0 };
  lbMesh *mesh = NULL;
  const char *path = output_path("hungry.off"); // 3.6 GB of vertices by its own account
  const char *text = "OFF\n300000000 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
  write_file(path, text, strlen(text));
  lbStatus status = lb_read_assimp_within(path, lb_assimp_limits(100), &mesh, &err);
  print_message("%s\n", err.text);
  assert_true(status == LB_ERR_MEMORY || status == LB_ERR_FORMAT);
  assert_non_null(strstr(err.text, "hungry.off: assimp"));
  assert_null(mesh);
}

static void every_failing_allocation_is_told(void **state) {
  (void)state;
  if (!have_assimp()) skip();
  const char *path = output_path("assimp.raw");
  write_file(path, "0 0 0  1 0 0  0 1 0\n", 20);
  check_failing_memory(lb_read_assimp, path, "", 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_text_gltf_is_read_with_its_node),
    cmocka_unit_test(equal_corners_become_one_vertex),
    cmocka_unit_test(an_unknown_format_lists_the_known_ones),
    cmocka_unit_test(a_broken_file_gives_assimps_reason),
    cmocka_unit_test(a_reader_that_stalls_is_stopped),
    cmocka_unit_test(a_reader_that_eats_memory_is_stopped),
    cmocka_unit_test(every_failing_allocation_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
