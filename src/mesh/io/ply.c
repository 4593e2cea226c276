// PLY: text, little and big endian. Vertices give positions and, as u v, s t or texture_u
// texture_v, texture coordinates; faces give polygons and, as a list "texcoord", coordinates per
// corner. Every other element and property is passed over.
#include "mesh/io/formats.h"

#include "mesh/io/face.h"
#include "mesh/io/ply_header.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Reader {
  lbPlyHeader header;
  lbText text;   // the body of a text file
  lbBytes bytes; // the body of a binary file
  lbMeshBuilder builder;
  lbFaceCutter cutter;
  const lbPlyElement *element; // being read, and its row
  int64_t row;
  double *values; // of the property just read
  size_t value_capacity;
  bool has_vertices, has_uvs;
  float *uvs; // (vertex_count x 2) when has_uvs
  size_t uv_capacity;
  int32_t *corners;
  float *corner_uvs;
  size_t corner_capacity, corner_uv_capacity;
  lbError *err;
} Reader;

static bool is_binary(const Reader *reader) { return reader->header.encoding != LB_PLY_TEXT; }

static size_t bytes_left(const Reader *reader) {
  return is_binary(reader) ? reader->bytes.end - reader->bytes.next
                           : (size_t)(reader->text.end - reader->text.next);
}

// "path:line: vertex 7: ..." or "path: byte N: vertex 7: ...".
static lbStatus fail_here(const Reader *reader, const char *problem, double value) {
  char number[40] = "";
  if (!isnan(value)) snprintf(number, sizeof number, " %.15g", value);
  if (is_binary(reader))
    return lb_bytes_fail_at(&reader->bytes, reader->bytes.next, reader->err, "%s %lld: %s%s",
                            reader->element->name, (long long)reader->row, problem, number);
  return lb_text_fail(&reader->text, reader->err, "%s %lld: %s%s", reader->element->name,
                      (long long)reader->row, problem, number);
}

static lbStatus read_scalar(Reader *reader, lbScalar type, double *value) {
  if (is_binary(reader)) {
    if (bytes_left(reader) < lb_scalar_bytes(type))
      return fail_here(reader, "the file ends here", NAN);
    *value = lb_bytes_scalar(&reader->bytes, type);
    return LB_OK;
  }
  if (lb_text_number(&reader->text, value)) return LB_OK;
  return fail_here(
      reader, lb_text_at_end(&reader->text) ? "the file ends here" : "cannot read a number here",
      NAN);
}

// Fills values; *count is 1 unless the property is a list.
static lbStatus read_property(Reader *reader, const lbPlyProperty *property, int64_t *count) {
  double length = 1;
  lbStatus status = LB_OK;
  if (property->is_list) status = read_scalar(reader, property->count_type, &length);
  if (status) return status;
  size_t least = is_binary(reader) ? lb_scalar_bytes(property->type) : 2; // a digit and a blank
  if (!(length >= 0) || length != floor(length) ||
      length > (double)((bytes_left(reader) + 1) / least))
    return fail_here(reader, "this list's length does not fit the file:", length);
  *count = (int64_t)length;
  if (!lb_grow((void **)&reader->values, &reader->value_capacity, (size_t)*count, sizeof(double)))
    return lb_fail_memory(reader->err);
  for (int64_t i = 0; i < *count && !status; i++)
    status = read_scalar(reader, property->type, &reader->values[i]);
  return status;
}

static const lbPlyProperty *property_at(const Reader *reader, int32_t i) {
  return &reader->header.properties[reader->element->property_begin + i];
}

// ---- vertices ----------------------------------------------------------------------------------

typedef struct VertexColumns {
  int32_t position[3], uv[2];
} VertexColumns;

static lbStatus find_vertex_columns(Reader *reader, VertexColumns *columns) {
  static const char *const axes[3] = { "x", "y", "z" };
  static const char *const uv_names[3][2] = { { "u", "v" },
                                              { "s", "t" },
                                              { "texture_u", "texture_v" } };
  const lbPlyElement *element = reader->element;
  for (int i = 0; i < 3; i++) {
    columns->position[i] = lb_ply_find(&reader->header, element, axes[i]);
    if (columns->position[i] < 0 || property_at(reader, columns->position[i])->is_list)
      return lb_fail(reader->err, LB_ERR_FORMAT, "%s:%d: the vertices have no property \"%s\"",
                     reader->text.path, (int)element->line, axes[i]);
  }
  columns->uv[0] = columns->uv[1] = -1;
  for (int i = 0; i < 3 && columns->uv[1] < 0; i++)
    for (int k = 0; k < 2; k++)
      columns->uv[k] = lb_ply_find(&reader->header, element, uv_names[i][k]);
  reader->has_uvs = columns->uv[0] >= 0 && columns->uv[1] >= 0 &&
                    !property_at(reader, columns->uv[0])->is_list &&
                    !property_at(reader, columns->uv[1])->is_list;
  return LB_OK;
}

static lbStatus read_vertex(Reader *reader, const VertexColumns *columns) {
  double x[3] = { 0 }, uv[2] = { 0 };
  for (int32_t i = 0; i < reader->element->property_count; i++) {
    int64_t count;
    lbStatus status = read_property(reader, property_at(reader, i), &count);
    if (status) return status;
    for (int k = 0; k < 3; k++)
      if (columns->position[k] == i) x[k] = reader->values[0];
    for (int k = 0; k < 2; k++)
      if (reader->has_uvs && columns->uv[k] == i) uv[k] = reader->values[0];
  }
  int32_t id = lb_mesh_add_vertex(&reader->builder, x[0], x[1], x[2]);
  if (id < 0) return lb_fail_memory(reader->err);
  if (!reader->has_uvs) return LB_OK;
  if (!lb_grow((void **)&reader->uvs, &reader->uv_capacity, (size_t)id + 1, 2 * sizeof(float)))
    return lb_fail_memory(reader->err);
  if (lb_uv_from_v_up(uv[0], uv[1], reader->uvs + 2 * (size_t)id)) return LB_OK;
  return fail_here(reader, "a texture coordinate is not finite", NAN);
}

static lbStatus read_vertices(Reader *reader) {
  VertexColumns columns = { .uv = { -1, -1 } };
  lbStatus status = find_vertex_columns(reader, &columns);
  for (; reader->row < reader->element->count && !status; reader->row++)
    status = read_vertex(reader, &columns);
  reader->has_vertices = true;
  return status;
}

// ---- faces -------------------------------------------------------------------------------------

static lbStatus take_corners(Reader *reader, int64_t count) {
  int32_t vertex_count = reader->builder.mesh->vertex_count;
  if (count < 3) return fail_here(reader, "a face needs at least 3 corners, it has", (double)count);
  if (!lb_grow((void **)&reader->corners, &reader->corner_capacity, (size_t)count,
               sizeof(int32_t)) ||
      !lb_grow((void **)&reader->corner_uvs, &reader->corner_uv_capacity, (size_t)count,
               2 * sizeof(float)))
    return lb_fail_memory(reader->err);
  for (int64_t i = 0; i < count; i++) {
    double vertex = reader->values[i];
    if (!(vertex >= 0) || vertex >= vertex_count || vertex != floor(vertex)) {
      char problem[80];
      snprintf(problem, sizeof problem, "the mesh has %d vertices (counted from 0), the face uses",
               (int)vertex_count);
      return fail_here(reader, problem, isnan(vertex) ? -1 : vertex);
    }
    reader->corners[i] = (int32_t)vertex;
    if (reader->has_uvs)
      memcpy(reader->corner_uvs + 2 * i, reader->uvs + 2 * (size_t)reader->corners[i],
             2 * sizeof(float));
  }
  return LB_OK;
}

// Per-corner coordinates replace those of the vertices; only lists after the corners and of the
// right length are taken.
static lbStatus take_corner_uvs(Reader *reader, int64_t count, int64_t corner_count, bool *taken) {
  *taken = count == 2 * corner_count;
  if (!*taken) return LB_OK;
  if (!lb_grow((void **)&reader->corner_uvs, &reader->corner_uv_capacity, (size_t)count / 2,
               2 * sizeof(float)))
    return lb_fail_memory(reader->err);
  for (int64_t i = 0; i < count / 2; i++)
    if (!lb_uv_from_v_up(reader->values[2 * i], reader->values[2 * i + 1],
                         reader->corner_uvs + 2 * i))
      return fail_here(reader, "a texture coordinate is not finite", NAN);
  return LB_OK;
}

static lbStatus read_face(Reader *reader, int32_t corner_column, int32_t uv_column) {
  int64_t count, corner_count = 0;
  bool own_uvs = false;
  for (int32_t i = 0; i < reader->element->property_count; i++) {
    lbStatus status = read_property(reader, property_at(reader, i), &count);
    if (!status && i == corner_column) {
      status = take_corners(reader, count);
      corner_count = count;
    } else if (!status && i == uv_column) {
      status = take_corner_uvs(reader, count, corner_count, &own_uvs);
    }
    if (status) return status;
  }
  lbFace face = { .vertices = reader->corners,
                  .uvs = own_uvs || reader->has_uvs ? reader->corner_uvs : NULL,
                  .corner_count = (int32_t)corner_count,
                  .appearance = -1 };
  lb_mesh_add_face(&reader->builder, &reader->cutter, &face);
  return reader->builder.out_of_memory ? lb_fail_memory(reader->err) : LB_OK;
}

static lbStatus read_faces(Reader *reader) {
  const lbPlyElement *element = reader->element;
  int32_t corners = lb_ply_find(&reader->header, element, "vertex_indices");
  if (corners < 0) corners = lb_ply_find(&reader->header, element, "vertex_index");
  int32_t uvs = lb_ply_find(&reader->header, element, "texcoord");
  if (uvs >= 0 && (!property_at(reader, uvs)->is_list || uvs < corners)) uvs = -1;
  lbStatus status = LB_OK;
  if (corners < 0 || !property_at(reader, corners)->is_list)
    return lb_fail(reader->err, LB_ERR_FORMAT, "%s:%d: the faces have no list \"vertex_indices\"",
                   reader->text.path, (int)element->line);
  if (!reader->has_vertices)
    return lb_fail(reader->err, LB_ERR_FORMAT, "%s:%d: the faces come before the vertices",
                   reader->text.path, (int)element->line);
  for (; reader->row < element->count && !status; reader->row++)
    status = read_face(reader, corners, uvs);
  return status;
}

// ---- the file ----------------------------------------------------------------------------------

static lbStatus skip_rows(Reader *reader) {
  lbStatus status = LB_OK;
  int64_t count;
  for (; reader->row < reader->element->count && !status; reader->row++)
    for (int32_t i = 0; i < reader->element->property_count && !status; i++)
      status = read_property(reader, property_at(reader, i), &count);
  return status;
}

// A count that the rest of the file cannot hold is refused before anything is allocated.
static lbStatus check_count(const Reader *reader) {
  const lbPlyElement *element = reader->element;
  size_t row_bytes = 0;
  for (int32_t i = 0; i < element->property_count; i++) {
    const lbPlyProperty *property = property_at(reader, i);
    row_bytes += !is_binary(reader)  ? 2 // a digit and a blank
                 : property->is_list ? lb_scalar_bytes(property->count_type)
                                     : lb_scalar_bytes(property->type);
  }
  size_t room = (bytes_left(reader) + !is_binary(reader)) / row_bytes;
  if ((uint64_t)element->count <= room) return LB_OK;
  return lb_fail(reader->err, LB_ERR_FORMAT,
                 "%s:%d: the header promises %lld of \"%s\", the file has room for %zu at most",
                 reader->text.path, (int)element->line, (long long)element->count, element->name,
                 room);
}

static lbStatus read_element(Reader *reader) {
  reader->row = 0;
  if (reader->element->property_count == 0 || reader->element->count == 0) return LB_OK;
  lbStatus status = check_count(reader);
  if (status) return status;
  if (strcmp(reader->element->name, "vertex") == 0 && !reader->has_vertices)
    return read_vertices(reader);
  if (strcmp(reader->element->name, "face") == 0) return read_faces(reader);
  if (strcmp(reader->element->name, "tristrips") == 0)
    return lb_fail(reader->err, LB_ERR_UNSUPPORTED,
                   "%s:%d: triangle strips are not read, save the file with faces",
                   reader->text.path, (int)reader->element->line);
  return skip_rows(reader);
}

static lbStatus read_all(Reader *reader, const char *content, size_t bytes) {
  lbStatus status = lb_ply_read_header(&reader->text, &reader->header, reader->err);
  if (status) return status;
  reader->bytes = (lbBytes){ .path = reader->text.path,
                             .data = (const uint8_t *)content,
                             .next = (size_t)(reader->text.next - content),
                             .end = bytes,
                             .big_endian = reader->header.encoding == LB_PLY_BIG };
  for (int32_t i = 0; i < reader->header.element_count && !status; i++) {
    reader->element = &reader->header.elements[i];
    status = read_element(reader);
  }
  if (!status && !reader->has_vertices)
    status = lb_fail(reader->err, LB_ERR_FORMAT, "%s: holds no vertices", reader->text.path);
  return status;
}

lbStatus lb_read_ply(const char *path, const char *content, size_t bytes, lbMesh **out,
                     lbError *err) {
  Reader reader = { .text = lb_text(path, content, bytes), .err = err };
  reader.cutter = lb_face_cutter();
  lb_mesh_builder_begin(&reader.builder);
  lbStatus status = reader.builder.out_of_memory ? lb_fail_memory(err) : LB_OK;
  if (!status) status = read_all(&reader, content, bytes);
  if (!status) status = lb_mesh_builder_finish(&reader.builder, path, out, err);
  if (status) lb_mesh_builder_abort(&reader.builder);
  lb_face_cutter_release(&reader.cutter);
  lb_ply_header_release(&reader.header);
  lb_free(reader.values);
  lb_free(reader.uvs);
  lb_free(reader.corners);
  lb_free(reader.corner_uvs);
  return status;
}
