// OFF: a header word, "vertices faces [edges]", then one vertex and one face a line. The header's
// prefixes say what follows a vertex's x y z: N a normal, C a colour, ST texture coordinates (the
// last two numbers of the line). Normals and colours are skipped.
#include "meshio/formats.h"

#include "meshio/face.h"
#include "arrayio/text.h"

#include <string.h>

typedef struct Reader {
  lbText text;
  lbFaceReader faces;
  bool has_uvs;
  int64_t vertex_count, face_count;
  lbError *err;
} Reader;

// To the next thing that is neither white space nor a comment; false at the end of the file.
static bool next_content(lbText *text) {
  for (;;) {
    lb_text_skip_space(text);
    if (lb_text_at_end(text)) return false;
    if (*text->next != '#') return true;
    lb_text_skip_line(text);
  }
}

static bool at_line_end(lbText *text) { return lb_text_at_line_end(text) || *text->next == '#'; }

static lbStatus read_keyword(Reader *reader) {
  lbText *text = &reader->text;
  char word[16], second[16];
  if (!next_content(text)) return lb_text_fail(text, reader->err, "the file is empty");
  lbText before = *text;
  lb_text_word_in_line(text, word, sizeof word);
  const char *rest = word;
  if (strncmp(rest, "ST", 2) == 0) reader->has_uvs = true, rest += 2;
  if (*rest == 'C') rest++;
  if (*rest == 'N') rest++;
  if (strcmp(rest, "4OFF") == 0 || strcmp(rest, "nOFF") == 0 || strcmp(rest, "4nOFF") == 0)
    return lb_text_fail(text, reader->err, "%s has points of more than three coordinates", word);
  if (strcmp(rest, "OFF") != 0) { // the word may be missing: then the counts come first
    if (word[0] < '0' || word[0] > '9')
      return lb_text_fail(text, reader->err, "\"%s\" where \"OFF\" should be", word);
    *text = before;
    return LB_OK;
  }
  before = *text;
  if (lb_text_word_in_line(text, second, sizeof second) && strcmp(second, "BINARY") == 0)
    return lb_text_fail(text, reader->err, "binary OFF is not supported, save it as text");
  *text = before;
  return LB_OK;
}

static lbStatus read_off_count(Reader *reader, const char *what, int64_t *count) {
  lbText *text = &reader->text;
  if (!next_content(text))
    return lb_text_fail(text, reader->err, "the file ends before the number of %s", what);
  if (!lb_text_integer(text, count) || *count < 0)
    return lb_text_fail(text, reader->err, "cannot read the number of %s", what);
  return LB_OK;
}

// A count that the rest of the file cannot hold is refused before anything is allocated.
static lbStatus check_off_count(Reader *reader, const char *what, int64_t count,
                                size_t least_bytes) {
  size_t left = (size_t)(reader->text.end - reader->text.next) + 1;
  if ((uint64_t)count <= left / least_bytes) return LB_OK;
  return lb_text_fail(&reader->text, reader->err,
                      "the header declares %lld %s, the file has room for %zu at most",
                      (long long)count, what, left / least_bytes);
}

static lbStatus read_off_header(Reader *reader) {
  lbStatus status = read_keyword(reader);
  if (!status) status = read_off_count(reader, "vertices", &reader->vertex_count);
  if (!status) status = read_off_count(reader, "faces", &reader->face_count);
  if (!status) status = check_off_count(reader, "vertices", reader->vertex_count, 6); // "0 0 0\n"
  if (!status) status = check_off_count(reader, "faces", reader->face_count, 8);      // "3 0 1 2\n"
  if (!status && reader->vertex_count == 0)
    status = lb_text_fail(&reader->text, reader->err, "the file holds no vertices");
  lb_text_skip_line(&reader->text); // the number of edges, which is often wrong or missing
  return status;
}

static lbStatus add_uv(Reader *reader, int64_t id, double u, double v) {
  if (!lb_face_reader_grow_uvs(&reader->faces, (size_t)id + 1)) return lb_fail_memory(reader->err);
  if (lb_uv_from_v_up(u, v, reader->faces.uvs + 2 * (size_t)id)) return LB_OK;
  return lb_text_fail(&reader->text, reader->err,
                      "vertex %lld has a texture coordinate that is not finite (%g %g)",
                      (long long)id, u, v);
}

static lbStatus read_off_vertex(Reader *reader, int64_t id) {
  lbText *text = &reader->text;
  double x[3], value, last[2] = { 0, 0 };
  int extra = 0;
  if (!next_content(text))
    return lb_text_fail(text, reader->err, "the file ends at vertex %lld of %lld", (long long)id,
                        (long long)reader->vertex_count);
  for (int i = 0; i < 3; i++)
    if (!lb_text_number_in_line(text, &x[i]))
      return lb_text_fail(text, reader->err, "vertex %lld needs three numbers, found %d",
                          (long long)id, i);
  lb_mesh_add_vertex(&reader->faces.builder, x[0], x[1], x[2]);
  if (!reader->has_uvs) {
    lb_text_skip_line(text);
    return LB_OK;
  }
  for (; !at_line_end(text) && lb_text_number_in_line(text, &value); extra++)
    last[0] = last[1], last[1] = value;
  if (extra < 2)
    return lb_text_fail(text, reader->err, "vertex %lld has no texture coordinates", (long long)id);
  lbStatus status = add_uv(reader, id, last[0], last[1]);
  lb_text_skip_line(text);
  return status;
}

static lbStatus read_off_corner(Reader *reader, int64_t face_id, int64_t corner) {
  int64_t vertex;
  if (!lb_face_reader_grow_corners(&reader->faces, (size_t)corner + 1))
    return lb_fail_memory(reader->err);
  if (!lb_text_integer_in_line(&reader->text, &vertex))
    return lb_text_fail(&reader->text, reader->err, "face %lld: cannot read corner %lld",
                        (long long)face_id, (long long)corner);
  if (vertex < 0 || vertex >= reader->vertex_count)
    return lb_text_fail(&reader->text, reader->err,
                        "face %lld uses vertex %lld, the mesh has %lld (counted from 0)",
                        (long long)face_id, (long long)vertex, (long long)reader->vertex_count);
  reader->faces.corners[corner] = (int32_t)vertex;
  if (reader->has_uvs)
    memcpy(reader->faces.corner_uvs + 2 * corner, reader->faces.uvs + 2 * vertex,
           2 * sizeof(float));
  return LB_OK;
}

static lbStatus read_off_face(Reader *reader, int64_t id) {
  lbText *text = &reader->text;
  int64_t count;
  lbStatus status = LB_OK;
  if (!next_content(text))
    return lb_text_fail(text, reader->err, "the file ends at face %lld of %lld", (long long)id,
                        (long long)reader->face_count);
  if (!lb_text_integer_in_line(text, &count))
    return lb_text_fail(text, reader->err, "face %lld: cannot read the number of its corners",
                        (long long)id);
  if (count < 3 || count > (text->end - text->next + 1) / 2)
    return lb_text_fail(text, reader->err,
                        "face %lld has %lld corners, it needs at least 3 and all on this line",
                        (long long)id, (long long)count);
  for (int64_t corner = 0; corner < count && !status; corner++)
    status = read_off_corner(reader, id, corner);
  if (status) return status;
  lb_text_skip_line(text); // colours
  lbFace face = { .vertices = reader->faces.corners,
                  .uvs = reader->has_uvs ? reader->faces.corner_uvs : NULL,
                  .corner_count = (int32_t)count,
                  .appearance = -1 };
  lb_face_reader_add(&reader->faces, &face);
  return LB_OK;
}

static lbStatus read_body(Reader *reader) {
  lbStatus status = LB_OK;
  for (int64_t i = 0; i < reader->vertex_count && !status; i++) status = read_off_vertex(reader, i);
  if (!status && reader->faces.builder.out_of_memory) status = lb_fail_memory(reader->err);
  for (int64_t i = 0; i < reader->face_count && !status; i++) status = read_off_face(reader, i);
  return status;
}

lbStatus lb_read_off(const char *path, const char *content, size_t bytes, lbMesh **out,
                     lbError *err) {
  Reader reader = { .text = lb_text(path, content, bytes), .err = err };
  lbStatus status = lb_face_reader_begin(&reader.faces, err);
  if (!status) status = read_off_header(&reader);
  if (!status) status = read_body(&reader);
  return lb_face_reader_finish(&reader.faces, status, path, out, err);
}
