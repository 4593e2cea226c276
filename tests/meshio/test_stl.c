// STL, text and binary.
#include "surface_check.h"

#include "arrayio/scalar.h"

static const char text_solid[] =
    "solid my part\nfacet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1 0 0\n"
    "  vertex 0 1 0\n endloop\nendfacet\n"
    "FACET NORMAL nan nan nan\r\nOUTER LOOP\r\nVERTEX 1 0 -0\r\nVERTEX 1 1 0\r\nVERTEX 0 1 0\r\n"
    "ENDLOOP\r\nENDFACET\r\nendsolid my part\n"
    "solid\nfacet normal 0 0 1 outer loop vertex 0 0 1.5\nvertex 1 0 0 vertex 1 1 0\n"
    "endloop endfacet\nendsolid";

// Two triangles that share an edge; the header begins as `title`.
static size_t binary_square(uint8_t *data, const char *title) {
  static const float corners[6][3] = { { 0, 0, 0 }, { 1, 0, 0 },     { 0, 1, 0 },
                                       { 1, 0, 0 }, { 1, 1, -0.0f }, { 0, 1, 0 } };
  memset(data, 0, 84 + 100);
  memcpy(data, title, strlen(title));
  lb_put_u32(data + 80, 2);
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 3; k++)
      lb_put_f32(data + 84 + 50 * (i / 3) + 12 + 12 * (i % 3) + 4 * k, corners[i][k]);
  return 84 + 100;
}

static void a_text_file_gives_a_connected_mesh(void **state) {
  (void)state;
  lbMesh *mesh = read_string(lb_read_stl, "a.stl", text_solid);
  assert_int_equal(mesh->vertex_count, 5);
  assert_int_equal(mesh->triangle_count, 3);
  check_triangle(mesh, 0, 0, 1, 2);
  check_triangle(mesh, 1, 1, 3, 2);
  check_triangle(mesh, 2, 4, 1, 3);
  assert_int_equal(mesh->group_count, 1);
  assert_string_equal(mesh->groups[0].name, "my part");
  assert_int_equal(mesh->groups[0].count, 2);
  lb_mesh_destroy(mesh);
}

static void a_binary_file_gives_a_connected_mesh(void **state) {
  (void)state;
  uint8_t data[200];
  const char *titles[] = { "made by hand", "solid that is none", "" };
  for (int i = 0; i < 3; i++) {
    size_t bytes = binary_square(data, titles[i]);
    lbMesh *mesh = read_bytes(lb_read_stl, "a.stl", data, bytes);
    assert_int_equal(mesh->vertex_count, 4);
    assert_int_equal(mesh->triangle_count, 2);
    check_triangle(mesh, 1, 1, 3, 2);
    assert_false(signbit(mesh->positions[3 * 3 + 2]));
    lb_mesh_destroy(mesh);
  }
}

static void trailing_bytes_do_not_make_it_a_text_file(void **state) {
  (void)state;
  uint8_t data[200] = { 0 };
  size_t bytes = binary_square(data, "solid with a tail");
  lbMesh *mesh = read_bytes(lb_read_stl, "a.stl", data, bytes + 7);
  assert_int_equal(mesh->triangle_count, 2);
  lb_mesh_destroy(mesh);
}

static void faults_name_line_or_byte(void **state) {
  (void)state;
  uint8_t data[200];
  size_t bytes = binary_square(data, "x");
  check_refused(lb_read_stl, "a.stl", data, bytes - 1, LB_ERR_FORMAT,
                "a.stl: byte 80: the header declares 2 triangles, the file has room for 1");
  lb_put_u32(data + 80, 4000000000u);
  check_refused(lb_read_stl, "a.stl", data, bytes, LB_ERR_FORMAT, "declares 4000000000 triangles");
  check_refused(lb_read_stl, "a.stl", data, 40, LB_ERR_FORMAT, "a.stl: byte 40: ");
  binary_square(data, "x");
  lb_put_f32(data + 84 + 12, NAN);
  check_refused(lb_read_stl, "a.stl", data, bytes, LB_ERR_FORMAT, "vertex 0");
  check_refused_text(lb_read_stl, "a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n",
                     "a.stl:4: a vertex needs three numbers, found 2");
  check_refused_text(lb_read_stl, "a.stl", "solid a\nfacet normal 0 0 1\nouter ring\n",
                     "a.stl:3: \"ring\" where \"loop\"");
  check_refused_text(lb_read_stl, "a.stl", "solid a\nendsolid\n", "holds no triangles");
  check_refused_text(lb_read_stl, "a.stl", "solid a\n", "ends without \"endsolid\"");
}

static void every_truncated_length_is_safe(void **state) {
  (void)state;
  uint8_t data[200];
  size_t bytes = binary_square(data, "solid");
  check_truncated(lb_read_stl, "cut.stl", data, bytes);
  check_truncated(lb_read_stl, "cut.stl", text_solid, strlen(text_solid));
}

static void every_failing_allocation_is_told(void **state) {
  (void)state;
  uint8_t data[200];
  size_t bytes = binary_square(data, "x");
  check_failing_memory(lb_read_stl, "a.stl", data, bytes);
  check_failing_memory(lb_read_stl, "a.stl", text_solid, strlen(text_solid));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_text_file_gives_a_connected_mesh),
    cmocka_unit_test(a_binary_file_gives_a_connected_mesh),
    cmocka_unit_test(trailing_bytes_do_not_make_it_a_text_file),
    cmocka_unit_test(faults_name_line_or_byte),
    cmocka_unit_test(every_truncated_length_is_safe),
    cmocka_unit_test(every_failing_allocation_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
