// Wavefront OBJ. Two passes over the text: the first reads positions, texture coordinates and
// material libraries, the second the faces, which may use vertices that come later in the file.
// Vertices keep the file's order, used or not. Colours stand behind the position, as most programs
// write them: `v x y z r g b`, with an alpha behind them or not; a single number there is a weight
// and is skipped, as are normals, lines, points and curves. A face belongs to the groups of the
// last `g` (several names: several groups) and to the object of the last `o`.
#include "meshio/formats.h"

#include "limber/file.h"
#include "meshio/companion.h"
#include "meshio/face.h"
#include "meshio/obj_material.h"
#include "arrayio/text.h"

#include <math.h>
#include <string.h>

#define MOST_GROUPS 64    // names on one `g` line
#define MOST_LIBRARIES 64 // material libraries of one file
#define NAME_BYTES 1024   // of a name, with the final zero

typedef struct Reader {
  lbText text;
  lbFaceReader faces;
  int32_t uv_count;
  int32_t library_count;
  // second pass
  int32_t vertices_seen, uvs_seen;
  int32_t appearance;
  lbText group_text, object_text; // names on the last `g` and `o` lines; path NULL: none yet
  bool groups_changed;            // since the last face: groups without a face are not made
  int32_t groups[MOST_GROUPS + 1];
  int32_t group_count;
  lbError *err;
} Reader;

typedef lbStatus Handler(Reader *reader, const char *keyword);

// Blanks, also the `\` that continues a line.
static void skip_obj_blanks(lbText *text) {
  for (;;) {
    lb_text_skip_blanks(text);
    const char *p = text->next;
    if (p >= text->end || *p != '\\') return;
    p++;
    if (p < text->end && *p == '\r') p++;
    if (p >= text->end || *p != '\n') return;
    text->next = p + 1;
    text->line++;
  }
}

static bool at_statement_end(lbText *text) {
  skip_obj_blanks(text);
  return text->next >= text->end || *text->next == '\n' || *text->next == '#';
}

// To the start of the next statement, over continued lines (comments are never continued).
static void skip_statement(lbText *text) {
  bool continued = true;
  while (continued && !lb_text_at_end(text)) {
    const char *begin = text->next;
    bool comment = false;
    lb_text_skip_line(text);
    const char *last = text->next;
    if (last > begin && last[-1] == '\n') last--;
    if (last > begin && last[-1] == '\r') last--;
    continued = last > begin && last[-1] == '\\';
    if (continued) comment = memchr(begin, '#', (size_t)(last - begin)) != NULL;
    continued = continued && !comment;
  }
}

static size_t read_word(lbText *text, char *word, size_t size) {
  skip_obj_blanks(text);
  const char *begin = text->next;
  while (text->next < text->end && !strchr(" \t\r\n\f\v\\", *text->next)) text->next++;
  size_t length = (size_t)(text->next - begin);
  size_t kept = length < size - 1 ? length : size - 1;
  memcpy(word, begin, kept);
  word[kept] = '\0';
  return length;
}

static lbStatus walk_obj_lines(Reader *reader, Handler *handle) {
  lbStatus status = LB_OK;
  char keyword[16];
  while (!status && !lb_text_at_end(&reader->text)) {
    if (!at_statement_end(&reader->text)) {
      if (read_word(&reader->text, keyword, sizeof keyword) == 0) reader->text.next++; // lone '\'
      status = handle(reader, keyword);
    }
    if (!status) skip_statement(&reader->text);
    if (!status && reader->faces.builder.out_of_memory) status = lb_fail_memory(reader->err);
  }
  return status;
}

// The rest of the line as one name; the cursor stays on the line.
static lbStatus read_obj_name(Reader *reader, char name[NAME_BYTES]) {
  lbText line = reader->text;
  if (lb_text_line(&line, name, NAME_BYTES) >= NAME_BYTES)
    return lb_text_fail(&reader->text, reader->err, "this name is longer than %d bytes, shorten it",
                        NAME_BYTES - 1);
  return LB_OK;
}

// ---- first pass --------------------------------------------------------------------------------

static bool read_number(lbText *text, double *value) {
  skip_obj_blanks(text);
  return lb_text_number_in_line(text, value);
}

// What stands behind a position.
static lbStatus read_obj_color(Reader *reader, int32_t vertex) {
  double rgba[5] = { 0, 0, 0, 1 };
  int count = 0;
  while (count < 5 && !at_statement_end(&reader->text) && read_number(&reader->text, &rgba[count]))
    count++;
  if (count < 2) return LB_OK;
  if (count != 3 && count != 4)
    return lb_text_fail(&reader->text, reader->err,
                        "vertex %d has %d%s numbers behind its position, a colour has 3 or 4",
                        (int)vertex + 1, count < 5 ? count : 5, count < 5 ? "" : " or more");
  for (int i = 0; i < count; i++)
    if (!isfinite(rgba[i]))
      return lb_text_fail(&reader->text, reader->err,
                          "the colour of vertex %d is not finite, correct it", (int)vertex + 1);
  lb_mesh_set_vertex_color(&reader->faces.builder, vertex, rgba);
  return LB_OK;
}

static lbStatus read_obj_vertex(Reader *reader) {
  double x[3];
  for (int i = 0; i < 3; i++)
    if (!read_number(&reader->text, &x[i]))
      return lb_text_fail(&reader->text, reader->err,
                          "vertex %d needs three numbers, found %d (counted from 1)",
                          (int)reader->faces.builder.mesh->vertex_count + 1, i);
  int32_t vertex = lb_mesh_add_vertex(&reader->faces.builder, x[0], x[1], x[2]);
  return read_obj_color(reader, vertex);
}

static lbStatus read_uv(Reader *reader) {
  double u, v = 0;
  float *uv;
  if (!read_number(&reader->text, &u))
    return lb_text_fail(&reader->text, reader->err,
                        "texture coordinate %d needs a number (counted from 1)",
                        (int)reader->uv_count + 1);
  read_number(&reader->text, &v); // a missing v is 0
  if (reader->uv_count == INT32_MAX - 1 ||
      !lb_face_reader_grow_uvs(&reader->faces, (size_t)reader->uv_count + 1))
    return lb_fail_memory(reader->err);
  uv = reader->faces.uvs + 2 * (size_t)reader->uv_count++;
  if (!lb_uv_from_v_up(u, v, uv))
    return lb_text_fail(&reader->text, reader->err,
                        "texture coordinate %d is not finite (%g %g), correct it",
                        (int)reader->uv_count, u, v);
  return LB_OK;
}

// False: there is no such file.
static bool try_library(Reader *reader, const char *name, lbError *why) {
  char *content = NULL, *path = NULL;
  size_t bytes = 0;
  lbStatus status = lb_companion_path(reader->text.path, name, &path, why);
  if (!status) status = lb_file_read(path, &content, &bytes, why);
  if (status == LB_ERR_MEMORY) reader->faces.builder.out_of_memory = true;
  if (!status) lb_obj_read_materials(&reader->faces.builder, path, content, bytes);
  lb_free(content);
  lb_free(path);
  return !status;
}

// One name with blanks in it, or several names.
static lbStatus read_libraries(Reader *reader) {
  char name[NAME_BYTES];
  lbError why;
  lbStatus status = read_obj_name(reader, name);
  if (status || ++reader->library_count > MOST_LIBRARIES) return status;
  if (try_library(reader, name, &why)) return LB_OK;
  bool found = false;
  lbText words = reader->text;
  if (strpbrk(name, " \t"))
    while (lb_text_word_in_line(&words, name, sizeof name) &&
           reader->library_count++ < MOST_LIBRARIES)
      found |= try_library(reader, name, &why);
  if (!found)
    lb_log(LB_LOG_WARNING, "%s:%d: %s, the surface stays without its materials", reader->text.path,
           (int)reader->text.line, why.text);
  return LB_OK;
}

static lbStatus read_obj_points(Reader *reader, const char *keyword) {
  if (strcmp(keyword, "v") == 0) return read_obj_vertex(reader);
  if (strcmp(keyword, "vt") == 0) return read_uv(reader);
  if (strcmp(keyword, "mtllib") == 0) return read_libraries(reader);
  return LB_OK;
}

// ---- second pass -------------------------------------------------------------------------------

// From the file's number (from 1, or back from the last one so far) to an id.
static lbStatus resolve_obj_number(Reader *reader, const char *what, int64_t number, int32_t seen,
                                   int32_t count, int32_t *id) {
  if (number > 0 && number <= count) {
    *id = (int32_t)(number - 1);
    return LB_OK;
  }
  if (number < 0 && number >= -(int64_t)seen) {
    *id = (int32_t)(seen + number);
    return LB_OK;
  }
  if (number < 0)
    return lb_text_fail(&reader->text, reader->err, "the face uses %s %lld, only %d come before it",
                        what, (long long)number, (int)seen);
  return lb_text_fail(&reader->text, reader->err,
                      "the face uses %s %lld, the file has %d (counted from 1)", what,
                      (long long)number, (int)count);
}

static bool skip_slash(lbText *text) {
  bool there = text->next < text->end && *text->next == '/';
  if (there) text->next++;
  return there;
}

static bool take_integer(lbText *text, int64_t *value) {
  size_t length = lb_parse_integer(text->next, text->end, value);
  text->next += length;
  return length > 0;
}

// v, v/vt, v//vn or v/vt/vn. uv -1: none.
static lbStatus read_obj_corner(Reader *reader, int32_t *vertex, int32_t *uv) {
  lbText *text = &reader->text;
  const char *begin = text->next;
  int64_t number, normal;
  lbStatus status = LB_OK;
  *uv = -1;
  bool readable = take_integer(text, &number);
  if (readable)
    status = resolve_obj_number(reader, "vertex", number, reader->vertices_seen,
                                reader->faces.builder.mesh->vertex_count, vertex);
  if (status) return status;
  if (readable && skip_slash(text)) {
    if (take_integer(text, &number))
      status = resolve_obj_number(reader, "texture coordinate", number, reader->uvs_seen,
                                  reader->uv_count, uv);
    if (!status && skip_slash(text)) take_integer(text, &normal);
  }
  if (status) return status;
  if (readable && (text->next >= text->end || strchr(" \t\r\n\f\v\\#", *text->next))) return LB_OK;
  char word[40];
  text->next = begin;
  lb_text_word_in_line(text, word, sizeof word);
  return lb_text_fail(text, reader->err, "cannot read the face's corner \"%s\"", word);
}

static lbStatus use_names(Reader *reader, lbText names, bool whole_line) {
  char name[NAME_BYTES];
  for (;;) {
    if (at_statement_end(&names)) return LB_OK;
    size_t length =
        whole_line ? lb_text_line(&names, name, sizeof name) : read_word(&names, name, sizeof name);
    if (length == 0) return LB_OK;
    if (length >= sizeof name)
      return lb_text_fail(&names, reader->err, "this group's name is longer than %d bytes",
                          NAME_BYTES - 1);
    if (reader->group_count > MOST_GROUPS - 1)
      return lb_text_fail(&names, reader->err, "more than %d groups on one line", MOST_GROUPS - 1);
    reader->groups[reader->group_count++] =
        lb_mesh_add_group(&reader->faces.builder, LB_GROUP_TRIANGLES, 0, name);
    if (whole_line) return LB_OK;
  }
}

static lbStatus update_groups(Reader *reader) {
  lbStatus status = LB_OK;
  reader->group_count = 0;
  reader->groups_changed = false;
  if (reader->object_text.path) status = use_names(reader, reader->object_text, true);
  if (!status && reader->group_text.path) status = use_names(reader, reader->group_text, false);
  return status;
}

static lbStatus read_corners(Reader *reader, int32_t *corner_count, bool *any_uv) {
  lbStatus status = LB_OK;
  while (!status && !at_statement_end(&reader->text)) {
    size_t needed = (size_t)*corner_count + 1;
    if (needed >= INT32_MAX / 2 || !lb_face_reader_grow_corners(&reader->faces, needed))
      return lb_fail_memory(reader->err);
    int32_t uv;
    status = read_obj_corner(reader, &reader->faces.corners[*corner_count], &uv);
    if (status) break;
    float *to = reader->faces.corner_uvs + 2 * (size_t)*corner_count;
    to[0] = to[1] = 0;
    if (uv >= 0) memcpy(to, reader->faces.uvs + 2 * (size_t)uv, 2 * sizeof(float));
    *any_uv |= uv >= 0;
    ++*corner_count;
  }
  return status;
}

static lbStatus read_obj_face(Reader *reader) {
  int32_t corner_count = 0;
  bool any_uv = false;
  lbStatus status = read_corners(reader, &corner_count, &any_uv);
  if (status) return status;
  if (corner_count < 3)
    return lb_text_fail(&reader->text, reader->err, "the face has %d corners, it needs at least 3",
                        (int)corner_count);
  if (reader->groups_changed) status = update_groups(reader);
  if (status) return status;
  lbFace face = { reader->faces.corners, any_uv ? reader->faces.corner_uvs : NULL,
                  corner_count,          reader->appearance,
                  reader->groups,        reader->group_count };
  lb_face_reader_add(&reader->faces, &face);
  return LB_OK;
}

static const float unknown_color[4] = { 0.38f, 0.58f, 0.74f, 1 }; // as surfaces without any get

static lbStatus use_material(Reader *reader) {
  char name[NAME_BYTES];
  lbStatus status = read_obj_name(reader, name);
  if (status) return status;
  reader->appearance = lb_appearance_find(&reader->faces.builder, name);
  if (reader->appearance >= 0) return LB_OK;
  if (reader->library_count)
    lb_log(LB_LOG_WARNING,
           "%s:%d: material \"%s\" is in no library, it gets the default appearance",
           reader->text.path, (int)reader->text.line, name);
  reader->appearance = lb_mesh_add_appearance(&reader->faces.builder, name);
  if (reader->appearance >= 0) // white would be a statement, and is hardly seen on light ground
    memcpy(reader->faces.builder.mesh->appearances[reader->appearance].base_color, unknown_color,
           sizeof unknown_color);
  return LB_OK;
}

static lbStatus read_obj_faces(Reader *reader, const char *keyword) {
  if (strcmp(keyword, "v") == 0) {
    reader->vertices_seen++;
  } else if (strcmp(keyword, "vt") == 0) {
    reader->uvs_seen++;
  } else if (strcmp(keyword, "f") == 0 || strcmp(keyword, "fo") == 0) {
    return read_obj_face(reader);
  } else if (strcmp(keyword, "g") == 0) {
    reader->group_text = reader->text;
    reader->groups_changed = true;
  } else if (strcmp(keyword, "o") == 0) {
    reader->object_text = reader->text;
    reader->groups_changed = true;
  } else if (strcmp(keyword, "usemtl") == 0) {
    return use_material(reader);
  }
  return LB_OK;
}

lbStatus lb_read_obj(const char *path, const char *content, size_t bytes, lbMesh **out,
                     lbError *err) {
  Reader reader = { .text = lb_text(path, content, bytes), .appearance = -1, .err = err };
  lbStatus status = lb_face_reader_begin(&reader.faces, err);
  if (!status) status = walk_obj_lines(&reader, read_obj_points);
  if (!status && reader.faces.builder.mesh->vertex_count == 0)
    status = lb_fail(err, LB_ERR_FORMAT, "%s: holds no vertices (no line begins with \"v\")", path);
  reader.text = lb_text(path, content, bytes);
  if (!status) status = walk_obj_lines(&reader, read_obj_faces);
  return lb_face_reader_finish(&reader.faces, status, path, out, err);
}
