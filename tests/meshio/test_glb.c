// Binary glTF. Every file here is put together from JSON and a small buffer.
#include "surface_check.h"

#include "arrayio/scalar.h"

typedef struct Glb {
  uint8_t data[8192];
  size_t bytes;
} Glb;

static void put_chunk(Glb *glb, const char *type, const void *data, size_t bytes, char padding) {
  size_t padded = (bytes + 3) / 4 * 4;
  lb_put_u32(glb->data + glb->bytes, (uint32_t)padded);
  memcpy(glb->data + glb->bytes + 4, type, 4);
  memset(glb->data + glb->bytes + 8, padding, padded);
  memcpy(glb->data + glb->bytes + 8, data, bytes);
  glb->bytes += 8 + padded;
}

static Glb make_glb(const char *json, const void *bin, size_t bin_bytes) {
  Glb glb = { .bytes = 12 };
  memcpy(glb.data, "glTF", 4);
  lb_put_u32(glb.data + 4, 2);
  put_chunk(&glb, "JSON", json, strlen(json), ' ');
  if (bin) put_chunk(&glb, "BIN\0", bin, bin_bytes, 0);
  put_chunk(&glb, "ODD!", "passed over", 11, 0);
  lb_put_u32(glb.data + 8, (uint32_t)glb.bytes);
  return glb;
}

// bytes 0..47 positions of a unit square, 48..79 texture coordinates, 80..91 u16 indices 0 1 2 0 2
// 3, 92..95 u8 strip 0 1 3 2, 96..107 a picture that begins like a PNG, 108..131 u16 positions.
static size_t make_bin(uint8_t *bin) {
  static const float square[4][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 } };
  static const uint8_t indices[] = { 0, 0, 1, 0, 2, 0, 0, 0, 2, 0, 3, 0, 0, 1, 3, 2 };
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 3; k++) lb_put_f32(bin + 12 * i + 4 * k, square[i][k]);
    for (int k = 0; k < 2; k++) lb_put_f32(bin + 48 + 8 * i + 4 * k, square[i][k] * 0.5f);
    for (int k = 0; k < 3; k++) {
      bin[108 + 6 * i + 2 * k] = square[i][k] > 0 ? 0xff : 0;
      bin[109 + 6 * i + 2 * k] = square[i][k] > 0 ? 0xff : 0;
    }
  }
  memcpy(bin + 80, indices, sizeof indices);
  memcpy(bin + 96, "\x89PNG\r\n\x1a\nabcd", 12);
  return 132;
}

#define BUFFERS                                                                                    \
  "\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":132}],\"bufferViews\":["           \
  "{\"buffer\":0,\"byteLength\":48},{\"buffer\":0,\"byteOffset\":48,\"byteLength\":32},"           \
  "{\"buffer\":0,\"byteOffset\":80,\"byteLength\":16},"                                            \
  "{\"buffer\":0,\"byteOffset\":96,\"byteLength\":12},"                                            \
  "{\"buffer\":0,\"byteOffset\":108,\"byteLength\":24,\"byteStride\":6}],\"accessors\":["          \
  "{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},"                       \
  "{\"bufferView\":1,\"componentType\":5126,\"count\":4,\"type\":\"VEC2\"},"                       \
  "{\"bufferView\":2,\"componentType\":5123,\"count\":6,\"type\":\"SCALAR\"},"                     \
  "{\"bufferView\":2,\"byteOffset\":12,\"componentType\":5121,\"count\":4,\"type\":\"SCALAR\"},"   \
  "{\"bufferView\":4,\"componentType\":5123,\"normalized\":true,\"count\":4,\"type\":\"VEC3\"},"   \
  "{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\",\"sparse\":{"            \
  "\"count\":1,\"indices\":{\"bufferView\":2,\"byteOffset\":2,\"componentType\":5123},"            \
  "\"values\":{\"bufferView\":0,\"byteOffset\":24}}}],"

static const char scene_json[] =
    "{" BUFFERS "\"scene\":0,\"scenes\":[{\"nodes\":[2,0]}],\"nodes\":["
    "{\"mesh\":0,\"scale\":[2,3,1],\"translation\":[10,0,0],"
    "\"rotation\":[0,0,0.7071067811865476,0.7071067811865476]},"
    "{\"mesh\":1,\"matrix\":[-1,0,0,0,0,1,0,0,0,0,1,0,0,0,5,1]},"
    "{\"name\":\"holder\",\"translation\":[0,0,1],\"children\":[1]},"
    "{\"mesh\":0,\"name\":\"not in the scene\"}],\"meshes\":["
    "{\"name\":\"plate\",\"primitives\":[{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1},"
    "\"indices\":2,\"material\":1},{\"attributes\":{\"POSITION\":0},\"mode\":6},"
    "{\"attributes\":{\"POSITION\":0},\"mode\":0}]},"
    "{\"name\":\"strip\",\"primitives\":[{\"attributes\":{\"POSITION\":4},\"indices\":3,"
    "\"mode\":5}]}],\"materials\":[{\"name\":\"plain\"},{\"name\":\"picture\","
    "\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.5,0.25,1,0.75],\"metallicFactor\":0.25,"
    "\"roughnessFactor\":0.5,\"baseColorTexture\":{\"index\":0}}}],"
    "\"textures\":[{\"source\":0}],\"images\":[{\"bufferView\":3,\"mimeType\":\"image/png\"}]}";

static Glb scene_glb(void) {
  uint8_t bin[132];
  size_t bytes = make_bin(bin);
  return make_glb(scene_json, bin, bytes);
}

static lbMesh *read_json(const char *json) {
  uint8_t bin[132];
  size_t bytes = make_bin(bin);
  Glb glb = make_glb(json, bin, bytes);
  return read_bytes(lb_read_glb, "a.glb", glb.data, glb.bytes);
}

static void check_json_refused(const char *json, lbStatus expected, const char *part) {
  uint8_t bin[132];
  size_t bytes = make_bin(bin);
  Glb glb = make_glb(json, bin, bytes);
  check_refused(lb_read_glb, "a.glb", glb.data, glb.bytes, expected, part);
}

static void check_point(const lbMesh *mesh, int32_t vertex, double x, double y, double z) {
  const double *p = mesh->positions + 3 * (size_t)vertex;
  check_near(p[0], x, 1e-12);
  check_near(p[1], y, 1e-12);
  check_near(p[2], z, 1e-12);
}

static void the_default_scene_is_placed_by_its_nodes(void **state) {
  (void)state;
  Glb glb = scene_glb();
  lbMesh *mesh = read_bytes(lb_read_glb, "a.glb", glb.data, glb.bytes);
  assert_int_equal(mesh->vertex_count, 8); // the two primitives of the plate share theirs
  assert_int_equal(mesh->triangle_count, 2 + 2 + 2);
  // The strip comes first, mirrored in x and lifted by 1 + 5; its winding is turned.
  check_point(mesh, 2, -1, 1, 6);
  check_triangle(mesh, 0, 0, 3, 1);
  check_triangle(mesh, 1, 1, 3, 2);
  // The plate: scaled, turned by 90 degrees about z, moved.
  check_point(mesh, 4 + 1, 10, 2, 0);
  check_point(mesh, 4 + 2, 7, 2, 0);
  check_triangle(mesh, 2, 4, 5, 6);
  check_triangle(mesh, 3, 4, 6, 7);
  check_triangle(mesh, 4, 5, 6, 4); // the fan
  check_near(mesh_area(mesh), 1 + 6 + 6, 1e-12);
  const lbGroup *plate = lb_mesh_group_by_name(mesh, LB_GROUP_TRIANGLES, "plate");
  assert_int_equal(plate->count, 4);
  assert_int_equal(lb_mesh_group_by_name(mesh, LB_GROUP_TRIANGLES, "strip")->count, 2);
  lb_mesh_destroy(mesh);
}

static void materials_and_pictures_come_along(void **state) {
  (void)state;
  Glb glb = scene_glb();
  lbMesh *mesh = read_bytes(lb_read_glb, "a.glb", glb.data, glb.bytes);
  assert_int_equal(mesh->appearance_count, 2);
  const lbAppearance *look = &mesh->appearances[1];
  assert_string_equal(look->name, "picture");
  check_near((double)look->base_color[1], 0.25, 0);
  check_near((double)look->base_color[3], 0.75, 0);
  check_near((double)look->metallic, 0.25, 0);
  check_near((double)look->roughness, 0.5, 0);
  check_near((double)mesh->appearances[0].metallic, 1, 0); // glTF's default
  assert_int_equal(look->texture, 0);
  assert_string_equal(mesh->textures[0].mime, "image/png");
  assert_int_equal(mesh->textures[0].bytes, 12);
  assert_int_equal(mesh->triangle_appearances[0], -1);
  assert_int_equal(mesh->triangle_appearances[2], 1);
  check_near((double)mesh->corner_uvs[6 * 2 + 4], 0.5, 0);
  check_near((double)mesh->corner_uvs[6 * 2 + 5], 0.5, 0); // v points down already
  lb_mesh_destroy(mesh);
}

static void sparse_rows_replace_others(void **state) {
  (void)state;
  lbMesh *mesh = read_json("{" BUFFERS "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":["
                           "{\"attributes\":{\"POSITION\":5},\"indices\":2}]}]}");
  check_point(mesh, 0, 0, 0, 0);
  check_point(mesh, 1, 1, 1, 0); // row 1 replaced by what row 2 holds
  lb_mesh_destroy(mesh);
}

static void data_uris_and_text_files_are_read(void **state) {
  (void)state;
  // Three floats rows: (0 0 0), (1 0 0), (0 1 0).
  static const char text[] =
      " {\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"data:"
      "application/"
      "octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}],\"bufferViews\":["
      "{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,"
      "\"count\":3,\"type\":\"VEC3\"}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":"
      "0}"
      "}]}],\"nodes\":[{\"mesh\":0}]}";
  lbMesh *mesh = read_string(lb_read_glb, "a.gltf", text);
  assert_int_equal(mesh->triangle_count, 1);
  check_point(mesh, 1, 1, 0, 0);
  check_point(mesh, 2, 0, 1, 0);
  lb_mesh_destroy(mesh);
}

#define ONE_NODE "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":["

static void faults_say_what_is_wrong(void **state) {
  (void)state;
  Glb glb = scene_glb();
  check_refused(lb_read_glb, "a.glb", "glTX", 4, LB_ERR_FORMAT, "a.glb: byte 0: ");
  check_refused(lb_read_glb, "a.glb", glb.data, glb.bytes - 1, LB_ERR_FORMAT, "a.glb: byte 8: ");
  lb_put_u32(glb.data + 12, 0xfffffff0u);
  check_refused(lb_read_glb, "a.glb", glb.data, glb.bytes, LB_ERR_FORMAT,
                "a.glb: byte 12: chunk 0");
  glb = scene_glb();
  lb_put_u32(glb.data + 4, 1);
  check_refused(lb_read_glb, "a.glb", glb.data, glb.bytes, LB_ERR_FORMAT, "version 1");
  check_json_refused("{\"asset\":}", LB_ERR_FORMAT, "a.glb: byte ");
  check_json_refused("[]", LB_ERR_FORMAT, "not an object");
  check_json_refused("{}", LB_ERR_FORMAT, "holds no triangles");
  check_json_refused("{\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]}",
                     LB_ERR_UNSUPPORTED, "KHR_draco_mesh_compression");
  check_json_refused("{\"buffers\":[{\"byteLength\":1000}]}", LB_ERR_FORMAT, "buffers[0]");
  check_json_refused("{" BUFFERS "\"nodes\":[{\"children\":[1]},{\"children\":[0]}],\"scenes\":"
                     "[{\"nodes\":[0]}]}",
                     LB_ERR_FORMAT, "nodes[0] has two parents");
  check_json_refused("{" BUFFERS "\"nodes\":[{\"mesh\":7}]}", LB_ERR_FORMAT, "meshes[7]");
  check_json_refused("{" BUFFERS ONE_NODE "{\"attributes\":{\"POSITION\":9}}]}]}", LB_ERR_FORMAT,
                     "accessors[9] is used, there are 6");
  check_json_refused("{" BUFFERS ONE_NODE "{\"attributes\":{\"POSITION\":1}}]}]}", LB_ERR_FORMAT,
                     "\"VEC2\", expected \"VEC3\"");
  check_json_refused("{" BUFFERS ONE_NODE "{\"attributes\":{\"POSITION\":0},\"material\":3}]}]}",
                     LB_ERR_FORMAT, "materials[3]");
}

static void ranges_beyond_the_buffer_are_refused(void **state) {
  (void)state;
#define FAULTY(view, accessor)                                                                     \
  "{\"buffers\":[{\"byteLength\":132}],\"bufferViews\":[{\"buffer\":0," view "}],\"accessors\":["  \
  "{\"bufferView\":0,\"type\":\"VEC3\"," accessor "}]," ONE_NODE                                   \
  "{\"attributes\":{\"POSITION\":0}}]}]}"
  const char *json[] = {
    FAULTY("\"byteLength\":133", "\"componentType\":5126,\"count\":3"),
    FAULTY("\"byteLength\":-1", "\"componentType\":5126,\"count\":3"),
    FAULTY("\"byteOffset\":9000000000000000000,\"byteLength\":9000000000000000000",
           "\"componentType\":5126,\"count\":3"),
    FAULTY("\"byteLength\":132", "\"componentType\":5126,\"count\":12"),
    FAULTY("\"byteLength\":132", "\"componentType\":5126,\"count\":3,\"byteOffset\":97"),
    FAULTY("\"byteLength\":132", "\"componentType\":5126,\"count\":9000000000000000000"),
    FAULTY("\"byteLength\":132,\"byteStride\":4", "\"componentType\":5126,\"count\":3"),
    FAULTY("\"byteLength\":132", "\"componentType\":5555,\"count\":3"),
    "{\"accessors\":[{\"type\":\"VEC3\",\"componentType\":5126,\"count\":500000000}]," ONE_NODE
    "{\"attributes\":{\"POSITION\":0}}]}]}",
  };
  for (size_t i = 0; i < sizeof json / sizeof *json; i++)
    check_json_refused(json[i], LB_ERR_FORMAT, i < 3 ? "bufferViews[0]" : "s[0]");
}

static void indices_beyond_the_vertices_are_refused(void **state) {
  (void)state;
  // The picture's bytes as indices: the first is 0x89.
  check_json_refused(
      "{\"buffers\":[{\"byteLength\":132}],\"bufferViews\":["
      "{\"buffer\":0,\"byteLength\":48},"
      "{\"buffer\":0,\"byteOffset\":96,\"byteLength\":12}],\"accessors\":["
      "{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},"
      "{\"bufferView\":1,\"componentType\":5121,\"count\":3,\"type\":\"SCALAR\"}]," ONE_NODE
      "{\"attributes\":{\"POSITION\":0},\"indices\":1}]}]}",
      LB_ERR_FORMAT, "uses vertex 137, it has 4");
}

static void every_truncated_length_is_safe(void **state) {
  (void)state;
  Glb glb = scene_glb();
  check_truncated(lb_read_glb, "cut.glb", glb.data, glb.bytes);
  for (size_t length = 12; length < glb.bytes; length++) { // and with a header that agrees
    lbError err;
    lbMesh *mesh = NULL;
    uint8_t *cut = calloc(length + 1, 1);
    memcpy(cut, glb.data, length);
    lb_put_u32(cut + 8, (uint32_t)length);
    lb_read_glb("cut.glb", (char *)cut, length, &mesh, &err);
    lb_mesh_destroy(mesh);
    free(cut);
  }
}

static void every_failing_allocation_is_told(void **state) {
  (void)state;
  Glb glb = scene_glb();
  check_failing_memory(lb_read_glb, "a.glb", glb.data, glb.bytes);
}

int main(int count, char **arguments) {
  if (count == 2) { // "test-mesh-glb FILE" writes the scene, as a seed for the fuzzer
    Glb glb = scene_glb();
    write_file(arguments[1], glb.data, glb.bytes);
    return 0;
  }
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_default_scene_is_placed_by_its_nodes),
    cmocka_unit_test(materials_and_pictures_come_along),
    cmocka_unit_test(sparse_rows_replace_others),
    cmocka_unit_test(data_uris_and_text_files_are_read),
    cmocka_unit_test(faults_say_what_is_wrong),
    cmocka_unit_test(ranges_beyond_the_buffer_are_refused),
    cmocka_unit_test(indices_beyond_the_vertices_are_refused),
    cmocka_unit_test(every_truncated_length_is_safe),
    cmocka_unit_test(every_failing_allocation_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
