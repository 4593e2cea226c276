// Wavefront OBJ and MTL.
#include "surface_check.h"

static const char quad_sheet[] = "# two quads, a triangle\r\n"
                                 "mtllib none.mtl\r\n"
                                 "v 0 0 0\r\nv 1 0 0\r\nv 1 1 0 0.5 0.5 0.5\r\nv 0 1 0\r\n"
                                 "v 2 0 0\r\nv 2 1 0\r\n"
                                 "vt 0 0\r\nvt 1 0\r\nvt 1 1\r\nvt 0 1\r\n"
                                 "vn 0 0 1\r\n"
                                 "g left side\r\nusemtl red\r\n"
                                 "f 1/1/1 2/2/1 3/3/1 4/4/1\r\n"
                                 "o right part\r\ng\r\n"
                                 "f 2//1 5//1 \\\r\n 6//1 3//1 # the end\r\n"
                                 "f -5 -4 -3\r\n";

static void a_small_file_is_read_as_written(void **state) {
  (void)state;
  lbMesh *mesh = read_string(lb_read_obj, "sheet.obj", quad_sheet);
  assert_int_equal(mesh->vertex_count, 6);
  assert_int_equal(mesh->triangle_count, 5);
  check_near(mesh->positions[3 * 4], 2, 0);
  check_triangle(mesh, 0, 0, 1, 2);
  check_triangle(mesh, 1, 0, 2, 3);
  check_triangle(mesh, 2, 1, 4, 5);
  check_triangle(mesh, 4, 1, 2, 3);
  check_near(mesh_area(mesh), 2.5, 1e-15);
  const lbGroup *left = lb_mesh_group_by_name(mesh, LB_GROUP_TRIANGLES, "left");
  const lbGroup *side = lb_mesh_group_by_name(mesh, LB_GROUP_TRIANGLES, "side");
  const lbGroup *right = lb_mesh_group_by_name(mesh, LB_GROUP_TRIANGLES, "right part");
  assert_true(left && side && right);
  assert_int_equal(mesh->group_count, 3);
  assert_int_equal(left->count, 2);
  assert_int_equal(right->count, 3);
  assert_int_equal(right->ids[0], 2);
  assert_int_equal(mesh->appearance_count, 1);
  assert_string_equal(mesh->appearances[0].name, "red");
  assert_int_equal(mesh->triangle_appearances[0], 0);
  // Its library is not there: no white, which is hardly seen before a light background.
  assert_true(mesh->appearances[0].base_color[0] < 0.6f);
  lb_mesh_destroy(mesh);
}

static void texture_coordinates_point_down(void **state) {
  (void)state;
  lbMesh *mesh = read_string(lb_read_obj, "sheet.obj", quad_sheet);
  const float expected[6] = { 0, 1, 1, 1, 1, 0 };
  for (int i = 0; i < 6; i++) check_near((double)mesh->corner_uvs[i], (double)expected[i], 0);
  for (int i = 12; i < 30; i++) check_near((double)mesh->corner_uvs[i], 0, 0); // none there
  lb_mesh_destroy(mesh);
}

static void unused_vertices_keep_their_places(void **state) {
  (void)state;
  lbMesh *mesh =
      read_string(lb_read_obj, "x.obj", "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 8 8 8\nv 0 1 0\nf 2 3 5\n");
  assert_int_equal(mesh->vertex_count, 5);
  check_triangle(mesh, 0, 1, 2, 4);
  lb_mesh_destroy(mesh);
}

static void faces_may_use_vertices_that_come_later(void **state) {
  (void)state;
  lbMesh *mesh = read_string(lb_read_obj, "x.obj", "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0");
  check_triangle(mesh, 0, 0, 1, 2);
  lb_mesh_destroy(mesh);
}

static void a_concave_polygon_keeps_its_area(void **state) {
  (void)state;
  // A comb with three teeth, in the plane x = 3, and an arrow head (concave quad).
  lbMesh *mesh = read_string(lb_read_obj, "comb.obj",
                             "v 3 0 0\nv 3 5 0\nv 3 5 3\nv 3 4 3\nv 3 4 1\nv 3 3 1\nv 3 3 3\n"
                             "v 3 2 3\nv 3 2 1\nv 3 1 1\nv 3 1 3\nv 3 0 3\n"
                             "f 1 2 3 4 5 6 7 8 9 10 11 12\n");
  assert_int_equal(mesh->triangle_count, 10);
  check_near(mesh_area(mesh), 11, 1e-12);
  lb_mesh_destroy(mesh);
  mesh = read_string(lb_read_obj, "arrow.obj", "v 0 0 0\nv 2 1 0\nv 0 2 0\nv 1 1 0\nf 1 2 3 4\n");
  assert_int_equal(mesh->triangle_count, 2);
  check_near(mesh_area(mesh), 1, 1e-15);
  check_triangle(mesh, 0, 0, 1, 3);
  lb_mesh_destroy(mesh);
}

static void a_quad_is_cut_along_the_better_diagonal(void **state) {
  (void)state;
  lbMesh *mesh =
      read_string(lb_read_obj, "kite.obj", "v -9 0 0\nv 0 -1 0\nv 9 0 0\nv 0 1 0\nf 1 2 3 4\n");
  check_triangle(mesh, 0, 0, 1, 3);
  check_triangle(mesh, 1, 1, 2, 3);
  lb_mesh_destroy(mesh);
}

static void odd_polygons_end(void **state) {
  (void)state;
  // A star that crosses itself, a polygon without area, and one point repeated.
  lbMesh *mesh = read_string(lb_read_obj, "star.obj",
                             "v 0 3 0\nv 2 -3 0\nv -3 1 0\nv 3 1 0\nv -2 -3 0\nv 1 0 0\n"
                             "f 1 2 3 4 5\nf 1 1 1 1 1 1\nf 1 2 1 2 1 2 1\nf 6 6 6\n");
  assert_int_equal(mesh->triangle_count, 3 + 4 + 5 + 1);
  check_indices(mesh);
  lb_mesh_destroy(mesh);
}

static void a_polygon_of_many_corners_does_not_hang(void **state) {
  (void)state;
  enum { TEETH = 3000 };
  char *text = malloc(TEETH * 80 + 100), *next = text;
  for (int i = 0; i < 2 * TEETH; i++) // a zigzag that folds back on itself everywhere
    next += sprintf(next, "v %d %d 0\n", i % 2 ? 1 : -i - 1, i * (i % 3 ? 1 : -1));
  next += sprintf(next, "f");
  for (int i = 0; i < 2 * TEETH; i++) next += sprintf(next, " %d", i + 1);
  lbMesh *mesh = read_string(lb_read_obj, "zigzag.obj", text);
  assert_int_equal(mesh->triangle_count, 2 * TEETH - 2);
  lb_mesh_destroy(mesh);
  free(text);
}

static void faults_name_file_line_and_value(void **state) {
  (void)state;
#define TRI "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
  check_refused_text(lb_read_obj, "a.obj", "v 0 0 0\nv 1 x 0\n", "a.obj:2: vertex 2");
  check_refused_text(lb_read_obj, "a.obj", TRI "\nf 1 2 4\n", "a.obj:5: the face uses vertex 4");
  check_refused_text(lb_read_obj, "a.obj", TRI "f 1 2 0\n", "a.obj:4: the face uses vertex 0");
  check_refused_text(lb_read_obj, "a.obj", TRI "f -1 -2 -4\n", "vertex -4, only 3");
  check_refused_text(lb_read_obj, "a.obj", TRI "f 1 2\n", "a.obj:4: the face has 2 corners");
  check_refused_text(lb_read_obj, "a.obj", TRI "f 1/1 2/1 3/1\n", "texture coordinate 1");
  check_refused_text(lb_read_obj, "a.obj", TRI "f 1 2 3x\n", "corner \"3x\"");
  check_refused_text(lb_read_obj, "a.obj", TRI "f 1 \\\n2 \\\n7\n", "a.obj:6: ");
  check_refused_text(lb_read_obj, "a.obj", TRI "f 1 2 99999999999999999999\n", "a.obj:4: ");
  check_refused_text(lb_read_obj, "a.obj", TRI "vt nan 0\n", "a.obj:4: texture coordinate 1");
  check_refused_text(lb_read_obj, "a.obj", "v 0 0 nan\n", "vertex 0");
  check_refused_text(lb_read_obj, "a.obj", "v 0 1e999 0\n", "vertex 0");
  check_refused_text(lb_read_obj, "a.obj", "# nothing\n", "holds no vertices");
}

static void materials_come_from_the_library_beside(void **state) {
  (void)state;
  static const char library[] = "newmtl shiny steel\nKd 0.25 0.5 0.75\nd 0.5\nPm 1\nPr 0.125\n"
                                "Ns 10\r\nmap_Kd -s 2 2 1 -clamp on test obj.png\n\n"
                                "newmtl old\nTr 0.25\nNs 6\nKd nan 0 0\nmap_Kd missing.jpg\n";
  static const char picture[] = "\x89PNG\r\n\x1a\nnot really";
  write_file(output_path("test_obj_library.mtl"), library, strlen(library));
  write_file(output_path("test obj.png"), picture, sizeof picture - 1);
  listen_for_warnings();
  lbMesh *mesh = read_string(lb_read_obj, output_path("test_obj.obj"),
                             "mtllib C:\\made\\elsewhere\\test_obj_library.mtl\n" TRI
                             "f 1 2 3\nusemtl shiny steel\nf 1 2 3\nusemtl old\nf 1 3 2\n");
  lb_set_log(NULL, NULL);
  assert_int_equal(warning_count, 2); // Kd nan, missing.jpg
  assert_non_null(strstr(last_warning, "missing.jpg"));
  assert_int_equal(mesh->appearance_count, 2);
  const lbAppearance *steel = &mesh->appearances[0], *old = &mesh->appearances[1];
  assert_string_equal(steel->name, "shiny steel");
  check_near((double)steel->base_color[1], 0.5, 0);
  check_near((double)steel->base_color[3], 0.5, 0);
  check_near((double)steel->metallic, 1, 0);
  check_near((double)steel->roughness, 0.125, 0);
  check_near((double)old->base_color[3], 0.75, 0);
  check_near((double)old->roughness, 0.5, 1e-7);
  assert_int_equal(mesh->triangle_appearances[0], -1);
  assert_int_equal(mesh->triangle_appearances[1], 0);
  assert_int_equal(mesh->triangle_appearances[2], 1);
  assert_int_equal(mesh->texture_count, 2);
  const lbTexture *texture = &mesh->textures[steel->texture];
  assert_string_equal(texture->name, "test obj.png");
  assert_string_equal(texture->mime, "image/png");
  assert_int_equal(texture->bytes, sizeof picture - 1);
  assert_memory_equal(texture->data, picture, sizeof picture - 1);
  assert_null(mesh->textures[old->texture].data);
  lb_mesh_destroy(mesh);
}

static void a_missing_library_is_a_warning(void **state) {
  (void)state;
  listen_for_warnings();
  lbMesh *mesh =
      read_string(lb_read_obj, "x.obj", "mtllib no such.mtl\nmtllib /dev/zero\n" TRI "f 1 2 3\n");
  lb_set_log(NULL, NULL);
  assert_int_equal(warning_count, 2);
  lb_mesh_destroy(mesh);
}

static void every_truncated_length_is_safe(void **state) {
  (void)state;
  check_truncated(lb_read_obj, "cut.obj", quad_sheet, strlen(quad_sheet));
}

static void every_failing_allocation_is_told(void **state) {
  (void)state;
  check_failing_memory(lb_read_obj, "sheet.obj", quad_sheet, strlen(quad_sheet));
  static const char library[] = "newmtl a\nmap_Kd test_obj_memory.png\nnewmtl b\n";
  static const char text[] = "mtllib test_obj_memory.mtl\n" TRI "usemtl b\nf 1 2 3\n";
  write_file(output_path("test_obj_memory.mtl"), library, strlen(library));
  write_file(output_path("test_obj_memory.png"), "\x89PNG\r\n\x1a\n", 8);
  check_failing_memory(lb_read_obj, output_path("test_obj.obj"), text, strlen(text));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_small_file_is_read_as_written),
    cmocka_unit_test(texture_coordinates_point_down),
    cmocka_unit_test(unused_vertices_keep_their_places),
    cmocka_unit_test(faces_may_use_vertices_that_come_later),
    cmocka_unit_test(a_concave_polygon_keeps_its_area),
    cmocka_unit_test(a_quad_is_cut_along_the_better_diagonal),
    cmocka_unit_test(odd_polygons_end),
    cmocka_unit_test(a_polygon_of_many_corners_does_not_hang),
    cmocka_unit_test(faults_name_file_line_and_value),
    cmocka_unit_test(materials_come_from_the_library_beside),
    cmocka_unit_test(a_missing_library_is_a_warning),
    cmocka_unit_test(every_truncated_length_is_safe),
    cmocka_unit_test(every_failing_allocation_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
