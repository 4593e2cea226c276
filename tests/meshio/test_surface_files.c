// Surfaces made by others, good and bad, where they are here.
#include "surface_check.h"

typedef struct Expected {
  const char *path;
  int32_t vertex_count, triangle_count; // -1: not compared
} Expected;

static lbMeshReader *reader_of(const char *path) {
  return lb_path_has_extension(path, ".obj")   ? lb_read_obj
         : lb_path_has_extension(path, ".ply") ? lb_read_ply
         : lb_path_has_extension(path, ".off") ? lb_read_off
                                               : lb_read_stl;
}

// Lines of an OBJ file that begin so.
static int32_t count_lines(const char *content, const char *beginning) {
  int32_t count = strncmp(content, beginning, strlen(beginning)) == 0;
  for (const char *line = content; (line = strchr(line, '\n')); line++)
    count += strncmp(line + 1, beginning, strlen(beginning)) == 0;
  return count;
}

static void good_surfaces_have_their_counts(void **state) {
  (void)state;
#define GOOD "../shared/meshes/surface/"
  static const Expected files[] = {
    { GOOD "armadillo.obj", 14587, -1 }, { GOOD "blub_low.obj", 945, -1 },
    { GOOD "bunny_npm.obj", 1839, -1 },  { GOOD "cloth100.obj", 10201, 20000 },
    { GOOD "cow.obj", 2903, -1 },        { GOOD "fertility.off", 4494, 9000 },
    { GOOD "goathead.obj", 2763, -1 },   { GOOD "horse.ply", 48485, -1 },
    { GOOD "penguin.obj", 3362, -1 },    { GOOD "spot.obj", 2930, 5856 },
    { GOOD "spot_low.obj", 829, -1 },    { GOOD "stanford-bunny_full.obj", 35947, -1 },
    { GOOD "suzanne.obj", 507, -1 },     { GOOD "teapot_npm.obj", 3644, -1 },
  };
  int read_count = 0;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    if (!check_shared(files[i].path)) continue;
    lbError err = { 0 };
    char *content = NULL;
    size_t bytes = 0;
    lbMesh *mesh = NULL;
    check_ok(lb_file_read(files[i].path, &content, &bytes, &err), err);
    check_ok(reader_of(files[i].path)(files[i].path, content, bytes, &mesh, &err), err);
    print_message("%s: %d vertices, %d triangles, %d groups%s\n", lb_path_name(files[i].path),
                  (int)mesh->vertex_count, (int)mesh->triangle_count, (int)mesh->group_count,
                  mesh->corner_uvs ? ", texture coordinates" : "");
    assert_int_equal(mesh->vertex_count, files[i].vertex_count);
    if (files[i].triangle_count >= 0)
      assert_int_equal(mesh->triangle_count, files[i].triangle_count);
    if (lb_path_has_extension(files[i].path, ".obj")) {
      assert_int_equal(mesh->vertex_count, count_lines(content, "v "));
      assert_true(mesh->triangle_count >= count_lines(content, "f "));
    }
    check_indices(mesh);
    lb_mesh_destroy(mesh);
    lb_free(content);
    read_count++;
  }
  if (read_count == 0) skip();
}

static void bad_surfaces_are_refused_or_read(void **state) {
  (void)state;
#define BAD "../shared/meshes/bad/"
  static const char *const files[] = {
    BAD "OutOfMemory.off",
    BAD "all_degen.off",
    BAD "degenerated-sd.off",
    BAD "elephant-with-holes.off",
    BAD "empty.obj",
    BAD "empty.off",
    BAD "empty.ply",
    BAD "invalid_cut.obj",
    BAD "invalid_cut.ply",
    BAD "incompatible_orientation.off",
    BAD "invalid_cut.stl",
    BAD "invalid_header.off",
    BAD "malformed.obj",
    BAD "nm_vertex_and_edge.off",
    BAD "notenoughindices.obj",
    BAD "selfint_doubleLoop.obj",
    BAD "soup.stl",
  };
  int read_count = 0;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    if (!check_shared(files[i])) continue;
    lbError err = { 0 };
    char *content = NULL;
    size_t bytes = 0;
    lbMesh *mesh = NULL;
    check_ok(lb_file_read(files[i], &content, &bytes, &err), err);
    lbStatus status = reader_of(files[i])(files[i], content, bytes, &mesh, &err);
    if (status)
      print_message("%s\n", err.text);
    else
      print_message("%s: %d vertices, %d triangles\n", lb_path_name(files[i]),
                    (int)mesh->vertex_count, (int)mesh->triangle_count);
    if (status) {
      assert_null(mesh);
      assert_non_null(strstr(err.text, files[i]));
    } else {
      check_indices(mesh);
    }
    if (strstr(files[i], "OutOfMemory")) assert_non_null(strstr(err.text, ":2: "));
    if (strstr(files[i], "OutOfMemory")) assert_non_null(strstr(err.text, "353535235358"));
    lb_mesh_destroy(mesh);
    lb_free(content);
    read_count++;
  }
  if (read_count == 0) skip();
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(good_surfaces_have_their_counts),
    cmocka_unit_test(bad_surfaces_are_refused_or_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
