// VTU, VTK's XML format of unstructured grids: text, base64 or appended data, plain or compressed
// with zlib, in either byte order, in one or several pieces. The first pass over the tags notes
// where the arrays are (appended data comes last), the second reads them.
#include "meshio/formats.h"
#include "meshio/vtk_cells.h"
#include "meshio/vtu_array.h"
#include "arrayio/budget.h"

#include <string.h>

typedef struct Piece {
  int32_t line;
  int64_t point_count, cell_count;
  lbVtuArray points, connectivity, offsets, types, group;
} Piece;

typedef struct Vtu {
  lbText text;
  lbVtuEncoding encoding;
  bool has_file_tag;
  Piece *pieces;
  size_t piece_count, piece_capacity;
  lbVtkCells cells;
  lbVolume volume;
} Vtu;

static lbStatus fail_vtu_at(const Vtu *vtu, int32_t line, lbError *err, const char *message) {
  lbText where = vtu->text;
  where.line = line;
  return lb_text_fail(&where, err, "%s", message);
}

static lbStatus read_file_tag(Vtu *vtu, const lbXmlTag *tag, lbError *err) {
  char word[64];
  vtu->has_file_tag = true;
  if (!lb_xml_attribute(tag, "type", word, sizeof word) || strcmp(word, "UnstructuredGrid") != 0)
    return fail_vtu_at(vtu, tag->line, err, "the VTKFile's type must be UnstructuredGrid");
  if (!lb_xml_attribute(tag, "byte_order", word, sizeof word)) strcpy(word, "LittleEndian");
  vtu->encoding.swapped = (strcmp(word, "BigEndian") == 0) != lb_machine_is_big_endian();
  vtu->encoding.long_headers =
      lb_xml_attribute(tag, "header_type", word, sizeof word) && strcmp(word, "UInt64") == 0;
  if (!lb_xml_attribute(tag, "compressor", word, sizeof word) || !word[0]) return LB_OK;
  vtu->encoding.is_compressed = true;
  if (strcmp(word, "vtkZLibDataCompressor") == 0) return LB_OK;
  return lb_fail(
      err, LB_ERR_UNSUPPORTED,
      "%s:%d: the compressor %s is not supported, save with vtkZLibDataCompressor or none",
      vtu->text.path, (int)tag->line, word);
}

static lbStatus begin_piece(Vtu *vtu, const lbXmlTag *tag, lbError *err) {
  static const char *const names[2] = { "NumberOfPoints", "NumberOfCells" };
  int64_t counts[2] = { 0 };
  char word[32];
  for (int i = 0; i < 2; i++)
    if (!lb_xml_attribute(tag, names[i], word, sizeof word) ||
        lb_parse_integer(word, word + strlen(word), &counts[i]) != strlen(word) || counts[i] < 0)
      return fail_vtu_at(
          vtu, tag->line, err,
          "a Piece must have NumberOfPoints and NumberOfCells that are not negative");
  if (!lb_grow((void **)&vtu->pieces, &vtu->piece_capacity, vtu->piece_count + 1, sizeof(Piece)))
    return lb_fail_memory(err);
  vtu->pieces[vtu->piece_count++] =
      (Piece){ .line = tag->line, .point_count = counts[0], .cell_count = counts[1] };
  return LB_OK;
}

// Which of the piece's arrays this is; NULL: none that is needed.
static lbVtuArray *array_role(Piece *piece, const char *section, const char *name) {
  if (strcmp(section, "Points") == 0) return &piece->points;
  if (strcmp(section, "Cells") == 0) {
    if (strcmp(name, "connectivity") == 0) return &piece->connectivity;
    if (strcmp(name, "offsets") == 0) return &piece->offsets;
    return strcmp(name, "types") == 0 ? &piece->types : NULL;
  }
  if (strcmp(section, "CellData") == 0 && !piece->group.is_there && lb_vtk_is_group_name(name))
    return &piece->group;
  return NULL;
}

static lbStatus read_array_tag(Vtu *vtu, const lbXmlTag *tag, const char *section, lbError *err) {
  char name[64];
  if (vtu->piece_count == 0) return LB_OK;
  if (!lb_xml_attribute(tag, "Name", name, sizeof name)) name[0] = '\0';
  lbVtuArray *role = array_role(&vtu->pieces[vtu->piece_count - 1], section, name);
  return role ? lb_vtu_array_parse(&vtu->text, tag, role, err) : LB_OK;
}

static lbStatus begin_appended(Vtu *vtu, const lbXmlTag *tag, lbError *err) {
  char word[32] = "";
  lb_xml_attribute(tag, "encoding", word, sizeof word);
  lb_text_skip_space(&vtu->text);
  if (lb_text_at_end(&vtu->text) || *vtu->text.next != '_' ||
      (strcmp(word, "raw") != 0 && strcmp(word, "base64") != 0))
    return fail_vtu_at(vtu, tag->line, err,
                       "AppendedData must be raw or base64 and begin with an underscore");
  vtu->encoding.appended = vtu->text.next + 1;
  vtu->encoding.appended_end = vtu->text.end;
  vtu->encoding.appended_is_base64 = strcmp(word, "base64") == 0;
  return LB_OK;
}

// Only these hold arrays; ParaView puts further tags (InformationKey) inside the arrays.
static bool is_section(const char *name) {
  static const char *const names[] = { "Points", "Cells", "PointData", "CellData", "FieldData" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0) return true;
  return false;
}

static lbStatus note_arrays(Vtu *vtu, lbError *err) {
  lbStatus status = LB_OK;
  lbXmlTag tag;
  char section[48] = "";
  while (!status && !vtu->encoding.appended && lb_xml_next(&vtu->text, &tag)) {
    if (tag.is_closing) {
      if (strcmp(tag.name, section) == 0) section[0] = '\0';
    } else if (strcmp(tag.name, "VTKFile") == 0) {
      status = read_file_tag(vtu, &tag, err);
    } else if (!vtu->has_file_tag) {
      break;
    } else if (strcmp(tag.name, "Piece") == 0) {
      status = begin_piece(vtu, &tag, err);
    } else if (strcmp(tag.name, "DataArray") == 0) {
      status = read_array_tag(vtu, &tag, section, err);
    } else if (strcmp(tag.name, "AppendedData") == 0) {
      status = begin_appended(vtu, &tag, err);
    } else if (!tag.is_empty && is_section(tag.name)) {
      memcpy(section, tag.name, sizeof section);
    }
  }
  if (!status && !vtu->has_file_tag)
    status = fail_vtu_at(vtu, 1, err, "is not a VTU file, it must begin with a VTKFile tag");
  if (!status && vtu->piece_count == 0)
    status = lb_text_fail(&vtu->text, err, "has no Piece with NumberOfPoints and NumberOfCells");
  return status;
}

static lbStatus read_vtu_points(Vtu *vtu, const Piece *piece, lbError *err) {
  lbVtuValues values;
  const lbVtuArray *array = &piece->points;
  if (!array->is_there)
    return piece->point_count ? fail_vtu_at(vtu, piece->line, err, "the Piece has no Points")
                              : LB_OK;
  if (array->components != 3 && array->components != 0)
    return fail_vtu_at(vtu, array->line, err, "Points must have 3 components");
  lbStatus status = lb_vtu_array_open(&vtu->encoding, array, &values, err);
  if (!status)
    status = lb_scan_check_count(&values.scan, piece->point_count, 6,
                                 3 * lb_scalar_bytes(array->type), "points", err);
  for (int64_t i = 0; i < piece->point_count && !status; i++) {
    double p[3];
    status = lb_scan_point(&values.scan, array->type, i, p, err);
    if (!status && lb_mesh_add_vertex(&vtu->volume.builder, p[0], p[1], p[2]) < 0)
      status = lb_fail_memory(err);
  }
  lb_vtu_values_release(&values);
  return status;
}

// Opens an array that must hold `count` numbers.
static lbStatus open_integers(Vtu *vtu, const Piece *piece, const lbVtuArray *array,
                              const char *name, int64_t count, lbVtuValues *values, lbError *err) {
  *values = (lbVtuValues){ .decoded = NULL };
  if (!array->is_there)
    return lb_fail(err, LB_ERR_FORMAT, "%s:%d: the Piece's Cells have no DataArray \"%s\"",
                   vtu->text.path, (int)piece->line, name);
  lbStatus status = lb_vtu_array_open(&vtu->encoding, array, values, err);
  if (!status)
    status = lb_scan_check_count(&values->scan, count, 2, lb_scalar_bytes(array->type), name, err);
  return status;
}

// Connectivity and offsets side by side: an offset is where the cell's vertices end.
static lbStatus read_connectivity(Vtu *vtu, const Piece *piece, int32_t vertex_begin,
                                  lbError *err) {
  lbVtuValues offsets, vertices = { .decoded = NULL };
  int64_t end = 0, at = 0;
  int32_t vertex = 0, count = lb_volume_vertex_count(&vtu->volume) - vertex_begin;
  lbStatus status =
      open_integers(vtu, piece, &piece->offsets, "offsets", piece->cell_count, &offsets, err);
  if (!status)
    status = open_integers(vtu, piece, &piece->connectivity, "connectivity", 0, &vertices, err);
  for (int64_t i = 0; i < piece->cell_count && !status; i++) {
    if (!lb_scan_integer(&offsets.scan, piece->offsets.type, &end) || end < at)
      status =
          lb_scan_fail(&offsets.scan, err, "offset %lld must be a number that rises", (long long)i);
    for (; at < end && !status; at++) {
      status = lb_scan_vertices(&vertices.scan, piece->connectivity.type, 1, 0, count, "cell", i,
                                &vertex, err);
      if (!status && !lb_vtk_add_vertex(&vtu->cells, vertex + vertex_begin))
        status = lb_fail_memory(err);
    }
    if (!status && !lb_vtk_end_cell(&vtu->cells)) status = lb_fail_memory(err);
  }
  lb_vtu_values_release(&offsets);
  lb_vtu_values_release(&vertices);
  return status;
}

static lbStatus read_vtu_types(Vtu *vtu, const Piece *piece, lbError *err) {
  lbVtuValues values;
  int64_t type = 0;
  lbStatus status =
      open_integers(vtu, piece, &piece->types, "types", piece->cell_count, &values, err);
  for (int64_t i = 0; i < piece->cell_count && !status; i++) {
    if (!lb_scan_integer(&values.scan, piece->types.type, &type))
      status = lb_scan_fail(&values.scan, err, "expected the type of cell %lld", (long long)i);
    else if (!lb_vtk_add_type(&vtu->cells, type))
      status = lb_fail_memory(err);
  }
  lb_vtu_values_release(&values);
  return status;
}

// Pieces without the array, and numbers that are not integers, get 0: no group.
static lbStatus read_vtu_tags(Vtu *vtu, const Piece *piece, lbError *err) {
  lbVtuValues values = { .decoded = NULL };
  const lbVtuArray *array = &piece->group;
  bool used = array->is_there && array->components <= 1;
  lbStatus status =
      used ? open_integers(vtu, piece, array, array->name, piece->cell_count, &values, err) : LB_OK;
  for (int64_t i = 0; i < piece->cell_count && !status; i++) {
    double value = 0;
    if (used && !lb_scan_real(&values.scan, array->type, &value))
      status = lb_scan_fail(&values.scan, err, "expected the number of cell %lld", (long long)i);
    bool is_tag = value > INT32_MIN && value <= INT32_MAX && value == (double)(int32_t)value;
    if (!status && !lb_vtk_add_tag(&vtu->cells, is_tag ? (int32_t)value : 0))
      status = lb_fail_memory(err);
  }
  lb_vtu_values_release(&values);
  return status;
}

static lbStatus read_pieces(Vtu *vtu, lbError *err) {
  lbStatus status = LB_OK;
  for (size_t i = 0; i < vtu->piece_count && !status; i++) {
    const Piece *piece = &vtu->pieces[i];
    int32_t vertex_begin = lb_volume_vertex_count(&vtu->volume);
    status = read_vtu_points(vtu, piece, err);
    if (status || piece->cell_count == 0) continue;
    status = read_connectivity(vtu, piece, vertex_begin, err);
    if (!status) status = read_vtu_types(vtu, piece, err);
    if (!status) status = read_vtu_tags(vtu, piece, err);
  }
  return status;
}

lbStatus lb_read_vtu(const char *path, const char *content, size_t bytes, lbMesh **out,
                     lbError *err) {
  size_t bytes_left = lb_budget(bytes, LB_BUDGET_INFLATE);
  Vtu vtu = { .text = lb_text(path, content, bytes),
              .encoding = { .path = path, .bytes_left = &bytes_left } };
  lb_volume_begin(&vtu.volume);
  lbStatus status = note_arrays(&vtu, err);
  if (!status) status = read_pieces(&vtu, err);
  if (!status) status = lb_vtk_add_cells(&vtu.cells, &vtu.volume, path, err);
  if (!status) status = lb_volume_finish(&vtu.volume, path, out, err);
  lb_volume_abort(&vtu.volume);
  lb_vtk_cells_release(&vtu.cells);
  lb_free(vtu.pieces);
  return status;
}
