// PLY: text, little and big endian.
#include "surface_check.h"

#define HEADER(format, count)                                                                      \
  "ply\r\nformat " format                                                                          \
  " 1.0\r\ncomment x\r\nelement camera 1\r\nproperty list uchar short a\r\n"                       \
  "property double b\r\nelement vertex " count "\r\nproperty float x\r\nproperty double y\r\n"     \
  "property short z\r\nproperty uchar red\r\nproperty float s\r\nproperty float t\r\n"             \
  "element face 2\r\nproperty uint flags\r\nproperty list uchar int vertex_indices\r\n"            \
  "element edge 1\r\nproperty int vertex1\r\nend_header\r\n"

static const char text_file[] = HEADER("ascii", "5") "2 7 8 0.5\r\n"
                                                     "0 0 0 255 0 0\r\n1 0 0 255 1 0\r\n"
                                                     "1 1 0 255 1 1\r\n0 1 0 255 0 1\r\n"
                                                     "0 0 4 255 0 0.25\r\n"
                                                     "9 4 0 1 2 3\r\n9 3 0 1 4\r\n3\r\n";

typedef struct Buffer {
  uint8_t data[1024];
  size_t bytes;
  bool big;
} Buffer;

static void put(Buffer *buffer, const void *value, size_t size) {
  for (size_t i = 0; i < size; i++) // this machine is little endian, as all that run the tests
    buffer->data[buffer->bytes++] = ((const uint8_t *)value)[buffer->big ? size - 1 - i : i];
}
static void put_byte(Buffer *buffer, uint8_t value) { put(buffer, &value, 1); }
static void put_short(Buffer *buffer, int16_t value) { put(buffer, &value, 2); }
static void put_int(Buffer *buffer, int32_t value) { put(buffer, &value, 4); }
static void put_float(Buffer *buffer, float value) { put(buffer, &value, 4); }
static void put_double(Buffer *buffer, double value) { put(buffer, &value, 8); }

// The same content as text_file.
static Buffer binary_file(bool big) {
  static const double rows[5][5] = {
    { 0, 0, 0, 0, 0 }, { 1, 0, 0, 1, 0 }, { 1, 1, 0, 1, 1 }, { 0, 1, 0, 0, 1 }, { 0, 0, 4, 0, 0.25 }
  };
  static const int32_t faces[2][5] = { { 4, 0, 1, 2, 3 }, { 3, 0, 1, 4, 0 } };
  Buffer buffer = { .big = big };
  const char *header = big ? HEADER("binary_big_endian", "5") : HEADER("binary_little_endian", "5");
  buffer.bytes = strlen(header);
  memcpy(buffer.data, header, buffer.bytes);
  put_byte(&buffer, 2), put_short(&buffer, 7), put_short(&buffer, 8), put_double(&buffer, 0.5);
  for (int i = 0; i < 5; i++) {
    put_float(&buffer, (float)rows[i][0]), put_double(&buffer, rows[i][1]);
    put_short(&buffer, (int16_t)rows[i][2]), put_byte(&buffer, 255);
    put_float(&buffer, (float)rows[i][3]), put_float(&buffer, (float)rows[i][4]);
  }
  for (int i = 0; i < 2; i++) {
    put_int(&buffer, 9), put_byte(&buffer, (uint8_t)faces[i][0]);
    for (int k = 0; k < faces[i][0]; k++) put_int(&buffer, faces[i][k + 1]);
  }
  put_int(&buffer, 3);
  return buffer;
}

static void check_content(lbMesh *mesh) {
  assert_int_equal(mesh->vertex_count, 5);
  assert_int_equal(mesh->triangle_count, 3);
  check_near(mesh->positions[3 * 4 + 2], 4, 0);
  check_triangle(mesh, 0, 0, 1, 2);
  check_triangle(mesh, 1, 0, 2, 3);
  check_triangle(mesh, 2, 0, 1, 4);
  assert_non_null(mesh->corner_uvs);
  check_near((double)mesh->corner_uvs[6 * 2 + 2], 1, 0);
  check_near((double)mesh->corner_uvs[6 * 2 + 5], 0.75, 0);
  lb_mesh_destroy(mesh);
}

static void the_three_encodings_read_alike(void **state) {
  (void)state;
  check_content(read_string(lb_read_ply, "a.ply", text_file));
  Buffer little = binary_file(false), big = binary_file(true);
  check_content(read_bytes(lb_read_ply, "a.ply", little.data, little.bytes));
  check_content(read_bytes(lb_read_ply, "a.ply", big.data, big.bytes));
}

static void corner_coordinates_are_taken_from_the_faces(void **state) {
  (void)state;
  lbMesh *mesh =
      read_string(lb_read_ply, "a.ply",
                  "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
                  "property float z\nelement face 1\nproperty list uchar int vertex_index\n"
                  "property list uchar float texcoord\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 2 0 1 6 "
                  "0 1 0.5 1 1 0\n");
  const float expected[6] = { 0, 0, 0.5f, 0, 1, 1 };
  check_triangle(mesh, 0, 2, 0, 1);
  for (int i = 0; i < 6; i++) check_near((double)mesh->corner_uvs[i], (double)expected[i], 0);
  lb_mesh_destroy(mesh);
}

static void faults_name_line_or_byte(void **state) {
  (void)state;
#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define FACES "property list uchar int vertex_indices\nend_header\n"
#define TEXT "ply\nformat ascii 1.0\n"
  check_refused_text(lb_read_ply, "a.ply", "plx\n", "a.ply:1: ");
  check_refused_text(lb_read_ply, "a.ply", "ply\nformat odd 1.0\n", "a.ply:2: format \"odd\"");
  check_refused_text(lb_read_ply, "a.ply", TEXT "element vertex x\n", "a.ply:3: ");
  check_refused_text(lb_read_ply, "a.ply", TEXT "element vertex 3\nproperty half x\n",
                     "a.ply:4: unknown type \"half\"");
  check_refused_text(lb_read_ply, "a.ply",
                     TEXT "element vertex 900000000000\n" XYZ "end_header\n0 ",
                     "a.ply:3: the header declares 900000000000 of \"vertex\"");
  check_refused_text(lb_read_ply, "a.ply",
                     TEXT "element vertex 1\nproperty float x\nend_header\n0 ",
                     "no property \"y\"");
  check_refused_text(lb_read_ply, "a.ply", TEXT "element vertex 1\n" XYZ "end_header\n0 zero 0\n",
                     "a.ply:8: vertex 0: cannot read a number");
  check_refused_text(lb_read_ply, "a.ply",
                     TEXT "element vertex 1\n" XYZ "element face 1\n" FACES "0 0 0\n3 0 0 1\n",
                     "a.ply:11: face 0: the mesh has 1 vertices (counted from 0), the face uses 1");
  check_refused_text(lb_read_ply, "a.ply",
                     TEXT "element vertex 1\n" XYZ "element face 1\n" FACES "0 0 0\n250 0 0 1\n",
                     "length does not fit the file: 250");
  check_refused_text(lb_read_ply, "a.ply", TEXT "element face 1\n" FACES "3 0 0 1\n",
                     "the faces come before the vertices");
  check_refused_text(lb_read_ply, "a.ply", TEXT "end_header\n", "holds no vertices");
  Buffer binary = binary_file(false);
  check_refused(lb_read_ply, "a.ply", binary.data, binary.bytes - 4, LB_ERR_FORMAT,
                "the header declares 1 of \"edge\"");
  char part[80];
  snprintf(part, sizeof part, "a.ply: byte %zu: face 1: the mesh has 5 vertices", binary.bytes - 4);
  binary.data[binary.bytes - 4 - 4] = 5; // the last corner
  check_refused(lb_read_ply, "a.ply", binary.data, binary.bytes, LB_ERR_FORMAT, part);
}

static void elements_without_properties_do_not_hang(void **state) {
  (void)state;
  check_refused_text(lb_read_ply, "a.ply", TEXT "element odd 9000000000000000000\nend_header\n",
                     "holds no vertices");
}

static void every_truncated_length_is_safe(void **state) {
  (void)state;
  Buffer little = binary_file(false), big = binary_file(true);
  check_truncated(lb_read_ply, "cut.ply", text_file, strlen(text_file));
  check_truncated(lb_read_ply, "cut.ply", little.data, little.bytes);
  check_truncated(lb_read_ply, "cut.ply", big.data, big.bytes);
}

static void every_failing_allocation_is_told(void **state) {
  (void)state;
  check_failing_memory(lb_read_ply, "a.ply", text_file, strlen(text_file));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_three_encodings_read_alike),
    cmocka_unit_test(corner_coordinates_are_taken_from_the_faces),
    cmocka_unit_test(faults_name_line_or_byte),
    cmocka_unit_test(elements_without_properties_do_not_hang),
    cmocka_unit_test(every_truncated_length_is_safe),
    cmocka_unit_test(every_failing_allocation_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
