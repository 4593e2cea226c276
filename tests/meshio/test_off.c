// OFF and its prefixes.
#include "surface_check.h"

static const char pyramid[] = "STCNOFF # with everything\r\n# five vertices\r\n\r\n5 5\r\n"
                              "0 0 0  0 0 1  255 0 0 255  0 0\r\n1 0 0  0 0 1  0 0 0 255  1 0\n"
                              "# between\n1 1 0  0 0 1  0 0 0 0  1 1\n0 1 0  0 0 1  0 0 0 0  0 1\n"
                              "0.5 0.5 1  0 0 1  0 0 0 0  0.5 0.25 # tip\n"
                              "4 3 2 1 0  0.5 0.5 0.5\n3 0 1 4\n3 1 2 4 12\n\n3 2 3 4\n3 3 0 4";

static void a_pyramid_with_all_prefixes_is_read(void **state) {
  (void)state;
  lbMesh *mesh = read_string(lb_read_off, "a.off", pyramid);
  assert_int_equal(mesh->vertex_count, 5);
  assert_int_equal(mesh->triangle_count, 6);
  check_triangle(mesh, 0, 3, 2, 1);
  check_triangle(mesh, 5, 3, 0, 4);
  check_near((double)mesh->corner_uvs[6 * 2 + 4], 0.5, 0);
  check_near((double)mesh->corner_uvs[6 * 2 + 5], 0.75, 0);
  lb_mesh_destroy(mesh);
}

static void counts_may_stand_beside_the_word_or_without_it(void **state) {
  (void)state;
#define BODY "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"
  const char *texts[] = { "OFF 3 1 3\n" BODY, "OFF\n3 1 0\n" BODY, "COFF\n3 1\n" BODY,
                          "3 1 0\n" BODY, "NOFF\n\n3\n1\n" BODY };
  for (int i = 0; i < 5; i++) {
    lbMesh *mesh = read_string(lb_read_off, "a.off", texts[i]);
    assert_int_equal(mesh->vertex_count, 3);
    check_triangle(mesh, 0, 0, 1, 2);
    assert_null(mesh->corner_uvs);
    lb_mesh_destroy(mesh);
  }
}

static void faults_name_line_and_value(void **state) {
  (void)state;
  check_refused_text(lb_read_off, "a.off", "OFF\n353535235358 6 0\n" BODY,
                     "a.off:2: the header declares 353535235358 vertices");
  check_refused_text(lb_read_off, "a.off", "OFF\n3 99999999 0\n" BODY, "declares 99999999 faces");
  check_refused_text(lb_read_off, "a.off", "OFF\n4 1 0\n" BODY, "a.off:7: ");
  check_refused_text(lb_read_off, "a.off", "OFF\n3 1 0\n0 0 0\n1 0\n0 1 0\n3 0 1 2\n",
                     "a.off:4: vertex 1 needs three numbers, found 2");
  check_refused_text(lb_read_off, "a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n",
                     "a.off:6: face 0 uses vertex 3, the mesh has 3");
  check_refused_text(lb_read_off, "a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n2 0 1   \n",
                     "a.off:6: face 0 has 2 corners");
  check_refused_text(lb_read_off, "a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n999999999 0 1\n",
                     "999999999 corners");
  check_refused_text(lb_read_off, "a.off", "OFF BINARY\n", "binary OFF");
  check_refused_text(lb_read_off, "a.off", "4OFF\n", "4OFF");
  check_refused_text(lb_read_off, "a.off", "PLY\n", "\"PLY\" where \"OFF\"");
  check_refused_text(lb_read_off, "a.off", "", "empty");
  check_refused_text(lb_read_off, "a.off", "STOFF 1 0 0\n0 0 0 1\n", "no texture coordinates");
}

static void every_truncated_length_is_safe(void **state) {
  (void)state;
  check_truncated(lb_read_off, "cut.off", pyramid, strlen(pyramid));
}

static void every_failing_allocation_is_told(void **state) {
  (void)state;
  check_failing_memory(lb_read_off, "a.off", pyramid, strlen(pyramid));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_pyramid_with_all_prefixes_is_read),
    cmocka_unit_test(counts_may_stand_beside_the_word_or_without_it),
    cmocka_unit_test(faults_name_line_and_value),
    cmocka_unit_test(every_truncated_length_is_safe),
    cmocka_unit_test(every_failing_allocation_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
