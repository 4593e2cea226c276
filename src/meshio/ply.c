// PLY: text, little and big endian. Vertices give positions, as red green blue (alpha) colours
// (integers are shares of their type's largest value), and, as u v, s t or texture_u texture_v,
// texture coordinates; faces give polygons and, as a list "texcoord", coordinates per
// corner. Every other element and property is skipped.
#include "meshio/formats.h"

#include "meshio/face.h"
#include "meshio/ply_header.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Reader {
  lbPlyHeader header;
  lbScan scan;
  lbFaceReader faces;
  const lbPlyElement *element; // being read, and its row
  int64_t row;
  double *values; // of the list just read
  size_t value_capacity;
  bool has_vertices, has_uvs;
  lbError *err;
} Reader;

// "path:line: vertex 7: ..." or "path: byte N: vertex 7: ...".
static lbStatus fail_here(const Reader *reader, const char *problem, double value) {
  char number[40] = "";
  if (!isnan(value)) snprintf(number, sizeof number, " %.15g", value);
  return lb_scan_fail(&reader->scan, reader->err, "%s %lld: %s%s", reader->element->name,
                      (long long)reader->row, problem, number);
}

static lbStatus read_scalar(Reader *reader, lbScalar type, double *value) {
  *value = 0;
  if (lb_scan_real(&reader->scan, type, value)) return LB_OK;
  bool ended = reader->scan.binary || lb_text_at_end(&reader->scan.text);
  return fail_here(reader, ended ? "the file ends here" : "cannot read a number here", NAN);
}

// Fills values.
static lbStatus read_ply_list(Reader *reader, const lbPlyProperty *property, int64_t *count) {
  double length;
  *count = 0;
  lbStatus status = read_scalar(reader, property->count_type, &length);
  if (status) return status;
  size_t least = reader->scan.binary ? lb_scalar_bytes(property->type) : 2; // a digit and a blank
  if (!(length >= 0) || length != floor(length) ||
      length > (double)((lb_scan_left(&reader->scan) + 1) / least))
    return fail_here(reader, "this list's length does not fit the file:", length);
  *count = (int64_t)length;
  if (!lb_grow((void **)&reader->values, &reader->value_capacity, (size_t)*count, sizeof(double)))
    return lb_fail_memory(reader->err);
  for (int64_t i = 0; i < *count && !status; i++)
    status = read_scalar(reader, property->type, &reader->values[i]);
  return status;
}

static lbStatus skip_property(Reader *reader, const lbPlyProperty *property) {
  int64_t count;
  double value;
  return property->is_list ? read_ply_list(reader, property, &count)
                           : read_scalar(reader, property->type, &value);
}

static const lbPlyProperty *property_at(const Reader *reader, int32_t i) {
  return &reader->header.properties[reader->element->property_begin + i];
}

// ---- vertices ----------------------------------------------------------------------------------

typedef struct VertexColumns {
  int32_t position[3], uv[2], color[4]; // -1: none
} VertexColumns;

// Red, green and blue, or none of them; alpha beside them.
static void find_color_columns(const Reader *reader, VertexColumns *columns) {
  static const char *const names[4] = { "red", "green", "blue", "alpha" };
  for (int i = 0; i < 4; i++) {
    int32_t column = lb_ply_find(&reader->header, reader->element, names[i]);
    columns->color[i] = column >= 0 && !property_at(reader, column)->is_list ? column : -1;
  }
  if (columns->color[0] >= 0 && columns->color[1] >= 0 && columns->color[2] >= 0) return;
  for (int i = 0; i < 4; i++) columns->color[i] = -1;
}

// The largest value of an integer type; 1 for floats, which hold shares already.
static double full_share(lbScalar type) {
  switch (type) {
  case LB_SCALAR_INT8: return INT8_MAX;
  case LB_SCALAR_UINT8: return UINT8_MAX;
  case LB_SCALAR_INT16: return INT16_MAX;
  case LB_SCALAR_UINT16: return UINT16_MAX;
  case LB_SCALAR_INT32: return INT32_MAX;
  case LB_SCALAR_UINT32: return UINT32_MAX;
  default: return 1;
  }
}

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
                     reader->scan.text.path, (int)element->line, axes[i]);
  }
  find_color_columns(reader, columns);
  columns->uv[0] = columns->uv[1] = -1;
  for (int i = 0; i < 3 && columns->uv[1] < 0; i++)
    for (int k = 0; k < 2; k++)
      columns->uv[k] = lb_ply_find(&reader->header, element, uv_names[i][k]);
  reader->has_uvs = columns->uv[0] >= 0 && columns->uv[1] >= 0 &&
                    !property_at(reader, columns->uv[0])->is_list &&
                    !property_at(reader, columns->uv[1])->is_list;
  return LB_OK;
}

static lbStatus read_ply_vertex(Reader *reader, const VertexColumns *columns) {
  double x[3] = { 0 }, uv[2] = { 0 }, rgba[4] = { 0, 0, 0, 1 };
  for (int32_t i = 0; i < reader->element->property_count; i++) {
    const lbPlyProperty *property = property_at(reader, i);
    double value = 0;
    lbStatus status = property->is_list ? skip_property(reader, property)
                                        : read_scalar(reader, property->type, &value);
    if (status) return status;
    for (int k = 0; k < 3; k++)
      if (columns->position[k] == i) x[k] = value;
    for (int k = 0; k < 2; k++)
      if (columns->uv[k] == i) uv[k] = value;
    for (int k = 0; k < 4; k++)
      if (columns->color[k] == i) rgba[k] = value / full_share(property->type);
  }
  int32_t id = lb_mesh_add_vertex(&reader->faces.builder, x[0], x[1], x[2]);
  if (id < 0) return lb_fail_memory(reader->err);
  for (int k = 0; k < 4; k++)
    if (!isfinite(rgba[k])) return fail_here(reader, "its colour is not finite", NAN);
  if (columns->color[0] >= 0) lb_mesh_set_vertex_color(&reader->faces.builder, id, rgba);
  if (!reader->has_uvs) return LB_OK;
  if (!lb_face_reader_grow_uvs(&reader->faces, (size_t)id + 1)) return lb_fail_memory(reader->err);
  if (lb_uv_from_v_up(uv[0], uv[1], reader->faces.uvs + 2 * (size_t)id)) return LB_OK;
  return fail_here(reader, "a texture coordinate is not finite", NAN);
}

static lbStatus read_ply_vertices(Reader *reader) {
  VertexColumns columns = { .uv = { -1, -1 }, .color = { -1, -1, -1, -1 } };
  lbStatus status = find_vertex_columns(reader, &columns);
  for (; reader->row < reader->element->count && !status; reader->row++)
    status = read_ply_vertex(reader, &columns);
  reader->has_vertices = true;
  return status;
}

// ---- faces -------------------------------------------------------------------------------------

static lbStatus take_corners(Reader *reader, int64_t count) {
  int32_t vertex_count = reader->faces.builder.mesh->vertex_count;
  if (count < 3) return fail_here(reader, "a face needs at least 3 corners, it has", (double)count);
  if (!lb_face_reader_grow_corners(&reader->faces, (size_t)count))
    return lb_fail_memory(reader->err);
  for (int64_t i = 0; i < count; i++) {
    double vertex = reader->values[i];
    if (!(vertex >= 0) || vertex >= vertex_count || vertex != floor(vertex)) {
      char problem[80];
      snprintf(problem, sizeof problem, "the mesh has %d vertices (counted from 0), the face uses",
               (int)vertex_count);
      return fail_here(reader, problem, isnan(vertex) ? -1 : vertex);
    }
    reader->faces.corners[i] = (int32_t)vertex;
    if (reader->has_uvs)
      memcpy(reader->faces.corner_uvs + 2 * i,
             reader->faces.uvs + 2 * (size_t)reader->faces.corners[i], 2 * sizeof(float));
  }
  return LB_OK;
}

// Per-corner coordinates replace those of the vertices; only lists after the corners and of the
// right length are taken.
static lbStatus take_corner_uvs(Reader *reader, int64_t count, int64_t corner_count, bool *taken) {
  *taken = count == 2 * corner_count;
  if (!*taken) return LB_OK;
  for (int64_t i = 0; i < count / 2; i++)
    if (!lb_uv_from_v_up(reader->values[2 * i], reader->values[2 * i + 1],
                         reader->faces.corner_uvs + 2 * i))
      return fail_here(reader, "a texture coordinate is not finite", NAN);
  return LB_OK;
}

static lbStatus read_ply_face(Reader *reader, int32_t corner_column, int32_t uv_column) {
  int64_t count, corner_count = 0;
  bool own_uvs = false;
  for (int32_t i = 0; i < reader->element->property_count; i++) {
    const lbPlyProperty *property = property_at(reader, i);
    lbStatus status;
    if (i == corner_column) {
      status = read_ply_list(reader, property, &corner_count);
      if (!status) status = take_corners(reader, corner_count);
    } else if (i == uv_column) {
      status = read_ply_list(reader, property, &count);
      if (!status) status = take_corner_uvs(reader, count, corner_count, &own_uvs);
    } else {
      status = skip_property(reader, property);
    }
    if (status) return status;
  }
  lbFace face = { .vertices = reader->faces.corners,
                  .uvs = own_uvs || reader->has_uvs ? reader->faces.corner_uvs : NULL,
                  .corner_count = (int32_t)corner_count,
                  .appearance = -1 };
  lb_face_reader_add(&reader->faces, &face);
  return reader->faces.builder.out_of_memory ? lb_fail_memory(reader->err) : LB_OK;
}

static lbStatus read_ply_faces(Reader *reader) {
  const lbPlyElement *element = reader->element;
  int32_t corners = lb_ply_find(&reader->header, element, "vertex_indices");
  if (corners < 0) corners = lb_ply_find(&reader->header, element, "vertex_index");
  int32_t uvs = lb_ply_find(&reader->header, element, "texcoord");
  if (uvs >= 0 && (!property_at(reader, uvs)->is_list || uvs < corners)) uvs = -1;
  lbStatus status = LB_OK;
  if (corners < 0 || !property_at(reader, corners)->is_list)
    return lb_fail(reader->err, LB_ERR_FORMAT, "%s:%d: the faces have no list \"vertex_indices\"",
                   reader->scan.text.path, (int)element->line);
  if (!reader->has_vertices)
    return lb_fail(reader->err, LB_ERR_FORMAT, "%s:%d: the faces come before the vertices",
                   reader->scan.text.path, (int)element->line);
  for (; reader->row < element->count && !status; reader->row++)
    status = read_ply_face(reader, corners, uvs);
  return status;
}

// ---- the file ----------------------------------------------------------------------------------

static lbStatus skip_rows(Reader *reader) {
  lbStatus status = LB_OK;
  for (; reader->row < reader->element->count && !status; reader->row++)
    for (int32_t i = 0; i < reader->element->property_count && !status; i++)
      status = skip_property(reader, property_at(reader, i));
  return status;
}

// A count that the rest of the file cannot hold is refused before anything is allocated.
static lbStatus check_ply_count(const Reader *reader) {
  const lbPlyElement *element = reader->element;
  size_t row_bytes = 0;
  for (int32_t i = 0; i < element->property_count; i++) {
    const lbPlyProperty *property = property_at(reader, i);
    row_bytes += !reader->scan.binary ? 2 // a digit and a blank
                 : property->is_list  ? lb_scalar_bytes(property->count_type)
                                      : lb_scalar_bytes(property->type);
  }
  size_t room = (lb_scan_left(&reader->scan) + !reader->scan.binary) / row_bytes;
  if ((uint64_t)element->count <= room) return LB_OK;
  return lb_fail(reader->err, LB_ERR_FORMAT,
                 "%s:%d: the header declares %lld of \"%s\", the file has room for %zu at most",
                 reader->scan.text.path, (int)element->line, (long long)element->count,
                 element->name, room);
}

static lbStatus read_ply_element(Reader *reader) {
  reader->row = 0;
  if (reader->element->property_count == 0 || reader->element->count == 0) return LB_OK;
  lbStatus status = check_ply_count(reader);
  if (status) return status;
  if (strcmp(reader->element->name, "vertex") == 0 && !reader->has_vertices)
    return read_ply_vertices(reader);
  if (strcmp(reader->element->name, "face") == 0) return read_ply_faces(reader);
  if (strcmp(reader->element->name, "tristrips") == 0)
    return lb_fail(reader->err, LB_ERR_UNSUPPORTED,
                   "%s:%d: triangle strips are not supported, save the file with faces",
                   reader->scan.text.path, (int)reader->element->line);
  return skip_rows(reader);
}

static lbStatus read_all(Reader *reader) {
  lbStatus status = lb_ply_read_header(&reader->scan.text, &reader->header, reader->err);
  if (status) return status;
  reader->scan.binary = reader->header.encoding != LB_PLY_TEXT;
  reader->scan.swapped = (reader->header.encoding == LB_PLY_BIG) != lb_machine_is_big_endian();
  for (int32_t i = 0; i < reader->header.element_count && !status; i++) {
    reader->element = &reader->header.elements[i];
    status = read_ply_element(reader);
  }
  if (!status && !reader->has_vertices)
    status = lb_fail(reader->err, LB_ERR_FORMAT, "%s: holds no vertices", reader->scan.text.path);
  return status;
}

lbStatus lb_read_ply(const char *path, const char *content, size_t bytes, lbMesh **out,
                     lbError *err) {
  Reader reader = { .scan = lb_scan(path, content, bytes), .err = err };
  lbStatus status = lb_face_reader_begin(&reader.faces, err);
  if (!status) status = read_all(&reader);
  lb_ply_header_release(&reader.header);
  lb_free(reader.values);
  return lb_face_reader_finish(&reader.faces, status, path, out, err);
}
