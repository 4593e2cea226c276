// STL, text and binary. The format repeats every corner's coordinates; corners that are exactly
// equal become one vertex, in order of first appearance, so that the mesh is connected. The stored
// normals are not used. A named solid becomes a group of triangles.
//
// Binary: 80 bytes of anything, the count (u32), then per triangle 12 floats and a u16. Binary
// files that begin with "solid" exist, so the size decides first.
#include "meshio/formats.h"

#include "mesh/builder.h"
#include "arrayio/scalar.h"
#include "mesh/points.h"
#include "arrayio/text.h"

#include <string.h>

#define HEADER_BYTES 84
#define TRIANGLE_BYTES 50

typedef struct Reader {
  lbMeshBuilder builder;
  lbHashTable points;
} Reader;

static int32_t add_stl_corner(Reader *reader, double x, double y, double z) {
  int32_t id = lb_point_table_add(&reader->points, x, y, z);
  if (id < 0) reader->builder.out_of_memory = true;
  if (id < 0 || id < reader->builder.mesh->vertex_count) return id;
  const double *p = (const double *)reader->points.keys + 3 * (size_t)id;
  return lb_mesh_add_vertex(&reader->builder, p[0], p[1], p[2]);
}

static bool starts_with_solid(const char *content, size_t bytes) {
  size_t i = 0;
  while (i < bytes && strchr(" \t\r\n", content[i]) && content[i]) i++;
  if (bytes - i < 5) return false;
  for (int k = 0; k < 5; k++)
    if ((content[i + (size_t)k] | 0x20) != "solid"[k]) return false;
  return true;
}

static bool is_text(const char *content, size_t bytes) {
  if (bytes >= HEADER_BYTES) {
    uint64_t count = lb_little_u32((const uint8_t *)content + 80);
    if (HEADER_BYTES + count * TRIANGLE_BYTES == bytes) return false;
  }
  // A count below 2^24 and the usual padding both hold a zero byte, text never does.
  size_t looked_at = bytes < 512 ? bytes : 512;
  return starts_with_solid(content, bytes) && !memchr(content, 0, looked_at);
}

static lbStatus read_binary(Reader *reader, const char *path, const char *content, size_t bytes,
                            lbError *err) {
  const uint8_t *data = (const uint8_t *)content;
  if (bytes < HEADER_BYTES)
    return lb_fail(err, LB_ERR_FORMAT,
                   "%s: byte %zu: the file ends here; a binary STL has at least %d bytes, and a "
                   "text one begins with \"solid\"",
                   path, bytes, HEADER_BYTES);
  uint32_t count = lb_little_u32(data + 80);
  size_t room = (bytes - HEADER_BYTES) / TRIANGLE_BYTES;
  if (count > room)
    return lb_fail(err, LB_ERR_FORMAT,
                   "%s: byte 80: the header declares %u triangles, the file has room for %zu; it "
                   "is truncated or not an STL file",
                   path, (unsigned)count, room);
  for (uint32_t t = 0; t < count && !reader->builder.out_of_memory; t++) {
    const uint8_t *record = data + HEADER_BYTES + (size_t)t * TRIANGLE_BYTES;
    int32_t corners[3];
    for (int k = 0; k < 3; k++) {
      const uint8_t *p = record + 12 + 12 * k; // after the normal
      corners[k] = add_stl_corner(reader, (double)lb_little_f32(p), (double)lb_little_f32(p + 4),
                                  (double)lb_little_f32(p + 8));
    }
    lb_mesh_add_triangle(&reader->builder, corners);
  }
  return LB_OK;
}

// The next word, which must be this one; words are not case-sensitive here.
static bool is_word(const char *word, const char *expected) {
  for (; *word && *expected; word++, expected++)
    if ((*word | 0x20) != *expected) return false;
  return *word == *expected;
}

static lbStatus expect(lbText *text, const char *expected, lbError *err) {
  char word[40];
  size_t length = lb_text_word(text, word, sizeof word);
  if (is_word(word, expected)) return LB_OK;
  if (length == 0) return lb_text_fail(text, err, "the file ends where \"%s\" should be", expected);
  return lb_text_fail(text, err, "\"%s\" where \"%s\" should be", word, expected);
}

static lbStatus read_stl_numbers(lbText *text, double *x, const char *what, lbError *err) {
  for (int i = 0; i < 3; i++)
    if (!lb_text_number_in_line(text, &x[i]))
      return lb_text_fail(text, err, "%s needs three numbers, found %d", what, i);
  return LB_OK;
}

// After "facet": "normal" x y z "outer loop" 3 ("vertex" x y z) "endloop endfacet".
static lbStatus read_facet(Reader *reader, lbText *text, int32_t group, lbError *err) {
  double x[3];
  char unused[2];
  int32_t corners[3];
  lbStatus status = expect(text, "normal", err);
  for (int i = 0; i < 3; i++) lb_text_word(text, unused, sizeof unused); // often "nan"
  if (!status) status = expect(text, "outer", err);
  if (!status) status = expect(text, "loop", err);
  for (int k = 0; k < 3 && !status; k++) {
    status = expect(text, "vertex", err);
    if (!status) status = read_stl_numbers(text, x, "a vertex", err);
    if (!status) corners[k] = add_stl_corner(reader, x[0], x[1], x[2]);
  }
  if (!status) status = expect(text, "endloop", err);
  if (!status) status = expect(text, "endfacet", err);
  if (status) return status;
  int32_t id = lb_mesh_add_triangle(&reader->builder, corners);
  if (group >= 0) lb_mesh_add_to_group(&reader->builder, group, id);
  return LB_OK;
}

// After "solid": the name, then facets up to "endsolid".
static lbStatus read_stl_solid(Reader *reader, lbText *text, lbError *err) {
  char name[256], word[40];
  int32_t group = -1;
  lbStatus status = LB_OK;
  lb_text_line(text, name, sizeof name);
  while (!status && !reader->builder.out_of_memory) {
    if (!lb_text_word(text, word, sizeof word))
      return lb_text_fail(text, err, "the file ends without \"endsolid\"");
    if (is_word(word, "endsolid")) break;
    if (!is_word(word, "facet"))
      return lb_text_fail(text, err, "\"%s\" where \"facet\" or \"endsolid\" should be", word);
    if (group < 0 && name[0])
      group = lb_mesh_add_group(&reader->builder, LB_GROUP_TRIANGLES, 0, name);
    status = read_facet(reader, text, group, err);
  }
  lb_text_skip_line(text);
  return status;
}

static lbStatus read_text(Reader *reader, const char *path, const char *content, size_t bytes,
                          lbError *err) {
  lbText text = lb_text(path, content, bytes);
  lbStatus status = LB_OK;
  for (;;) {
    lb_text_skip_space(&text);
    if (status || lb_text_at_end(&text) || reader->builder.out_of_memory) return status;
    status = expect(&text, "solid", err);
    if (!status) status = read_stl_solid(reader, &text, err);
  }
}

lbStatus lb_read_stl(const char *path, const char *content, size_t bytes, lbMesh **out,
                     lbError *err) {
  Reader reader = { .points = lb_point_table() };
  lb_mesh_builder_begin(&reader.builder);
  lbStatus status = reader.builder.out_of_memory ? lb_fail_memory(err) : LB_OK;
  if (!status)
    status =
        (is_text(content, bytes) ? read_text : read_binary)(&reader, path, content, bytes, err);
  if (!status && reader.builder.out_of_memory) status = lb_fail_memory(err);
  if (!status && reader.builder.mesh->triangle_count == 0)
    status = lb_fail(err, LB_ERR_FORMAT, "%s: holds no triangles", path);
  if (!status) status = lb_mesh_builder_finish(&reader.builder, path, out, err);
  if (status) lb_mesh_builder_abort(&reader.builder);
  lb_hash_table_release(&reader.points);
  return status;
}
