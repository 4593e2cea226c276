// Legacy VTK (.vtk): unstructured grids and polygon data, text and binary (big-endian), with cells
// as "count vertices..." lists (versions up to 4) or as offsets and connectivity (version 5).
#include "meshio/vtk.h"

#include "meshio/formats.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static lbStatus read_vtk_header(lbVtk *vtk, lbError *err) {
  lbText *text = &vtk->scan.text;
  static const char start[] = "# vtk DataFile Version";
  size_t length = sizeof start - 1;
  char word[64];
  if ((size_t)(text->end - text->next) < length || strncasecmp(text->next, start, length) != 0)
    return lb_scan_fail(&vtk->scan, err, "is not a VTK file, it must begin with \"%s\"", start);
  text->next += length;
  if (!lb_text_number_in_line(text, &vtk->version) || !(vtk->version > 0 && vtk->version < 6))
    return lb_scan_fail(&vtk->scan, err, "expected a version up to 5.1");
  lb_text_skip_line(text);
  lb_text_skip_line(text); // a title
  lb_text_word(text, word, sizeof word);
  bool is_binary = strcasecmp(word, "BINARY") == 0;
  if (!is_binary && strcasecmp(word, "ASCII") != 0)
    return lb_scan_fail(&vtk->scan, err, "expected ASCII or BINARY, found \"%.40s\"", word);
  if (!lb_text_word(text, word, sizeof word) || strcasecmp(word, "DATASET") != 0)
    return lb_scan_fail(&vtk->scan, err, "expected DATASET");
  lb_text_word_in_line(text, word, sizeof word);
  vtk->is_polydata = strcasecmp(word, "POLYDATA") == 0;
  if (!vtk->is_polydata && strcasecmp(word, "UNSTRUCTURED_GRID") != 0)
    return lb_scan_unsupported(
        &vtk->scan, err,
        "dataset \"%.40s\" is not supported, save as UNSTRUCTURED_GRID or POLYDATA", word);
  vtk->scan.binary = is_binary;
  vtk->scan.swapped = !lb_machine_is_big_endian();
  return LB_OK;
}

static lbStatus read_vtk_points(lbVtk *vtk, lbError *err) {
  lbScan *scan = &vtk->scan;
  int64_t count = 0;
  char word[32] = "";
  lbScalar type;
  if (vtk->has_points) return lb_scan_fail(scan, err, "POINTS appear twice");
  if (!lb_text_integer_in_line(&scan->text, &count) ||
      !lb_text_word_in_line(&scan->text, word, sizeof word) || !lb_vtk_type(word, &type))
    return lb_scan_fail(scan, err, "expected POINTS count type");
  lb_vtk_begin_data(vtk);
  vtk->has_points = true;
  lbStatus status = lb_scan_check_count(scan, count, 6, 3 * lb_scalar_bytes(type), "points", err);
  for (int64_t i = 0; i < count && !status; i++) {
    double p[3];
    status = lb_scan_point(scan, type, i, p, err);
    if (!status && lb_mesh_add_vertex(&vtk->volume.builder, p[0], p[1], p[2]) < 0)
      status = lb_fail_memory(err);
  }
  return status;
}

// The next vertex of cell `number`, checked.
static lbStatus read_vtk_vertex(lbVtk *vtk, lbScalar type, int64_t number, lbError *err) {
  int32_t vertex = 0;
  lbStatus status = lb_scan_vertices(&vtk->scan, type, 1, 0, lb_volume_vertex_count(&vtk->volume),
                                     "cell", number, &vertex, err);
  if (!status && !lb_vtk_add_vertex(&vtk->cells, vertex)) status = lb_fail_memory(err);
  return status;
}

// Versions up to 4: "cells size", then for every cell the count and the vertices.
static lbStatus read_cell_lists(lbVtk *vtk, int64_t count, int64_t size, lbError *err) {
  lbStatus status = lb_scan_check_count(&vtk->scan, size, 2, 4, "numbers in cells", err);
  if (!status) status = lb_scan_check_count(&vtk->scan, count, 2, 4, "cells", err);
  for (int64_t i = 0; i < count && !status; i++) {
    int64_t corners = 0;
    if (!lb_scan_integer(&vtk->scan, LB_SCALAR_INT32, &corners) || corners < 0)
      return lb_scan_fail(&vtk->scan, err, "expected the vertex count of cell %lld", (long long)i);
    for (int64_t k = 0; k < corners && !status; k++)
      status = read_vtk_vertex(vtk, LB_SCALAR_INT32, i, err);
    if (!status && !lb_vtk_end_cell(&vtk->cells)) status = lb_fail_memory(err);
  }
  return status;
}

// "OFFSETS type" or "CONNECTIVITY type".
static lbStatus read_array_head(lbVtk *vtk, const char *keyword, int64_t count, lbScalar *type,
                                lbError *err) {
  char word[32];
  if (!lb_text_word(&vtk->scan.text, word, sizeof word) || strcasecmp(word, keyword) != 0 ||
      !lb_text_word_in_line(&vtk->scan.text, word, sizeof word) || !lb_vtk_type(word, type))
    return lb_scan_fail(&vtk->scan, err, "expected %s type", keyword);
  lb_vtk_begin_data(vtk);
  return lb_scan_check_count(&vtk->scan, count, 2, lb_scalar_bytes(*type), keyword, err);
}

// Version 5: where every cell begins and the last one ends, then the vertices of all.
static lbStatus read_cell_arrays(lbVtk *vtk, int64_t offset_count, int64_t size, lbError *err) {
  lbScalar type;
  int64_t *offsets = NULL, cell = 0;
  if (offset_count == 0) return LB_OK;
  lbStatus status = read_array_head(vtk, "OFFSETS", offset_count, &type, err);
  if (status) return status;
  offsets = lb_alloc((size_t)offset_count, sizeof *offsets);
  if (!offsets) return lb_fail_memory(err);
  for (int64_t i = 0; i < offset_count && !status; i++)
    if (!lb_scan_integer(&vtk->scan, type, &offsets[i]) || offsets[i] < (i ? offsets[i - 1] : 0) ||
        offsets[i] > size || (i == 0 && offsets[i] != 0))
      status = lb_scan_fail(&vtk->scan, err, "offset %lld must be a number that rises up to %lld",
                            (long long)i, (long long)size);
  if (!status) status = read_array_head(vtk, "CONNECTIVITY", size, &type, err);
  for (; cell + 1 < offset_count && !status; cell++) {
    for (int64_t k = offsets[cell]; k < offsets[cell + 1] && !status; k++)
      status = read_vtk_vertex(vtk, type, cell, err);
    if (!status && !lb_vtk_end_cell(&vtk->cells)) status = lb_fail_memory(err);
  }
  if (!status && !lb_scan_skip(&vtk->scan, type, size - offsets[offset_count - 1]))
    status = lb_scan_fail(&vtk->scan, err, "CONNECTIVITY ends early");
  lb_free(offsets);
  return status;
}

static lbStatus read_vtk_cells(lbVtk *vtk, lbError *err) {
  int64_t count = 0, size = 0;
  if (!vtk->has_points) return lb_scan_fail(&vtk->scan, err, "POINTS must come first");
  if (!lb_text_integer_in_line(&vtk->scan.text, &count) ||
      !lb_text_integer_in_line(&vtk->scan.text, &size))
    return lb_scan_fail(&vtk->scan, err, "expected two counts");
  lb_vtk_begin_data(vtk);
  vtk->has_cells = true;
  return (vtk->version >= 5 ? read_cell_arrays : read_cell_lists)(vtk, count, size, err);
}

static lbStatus read_vtk_types(lbVtk *vtk, lbError *err) {
  int64_t count = 0, type = 0;
  if (!lb_text_integer_in_line(&vtk->scan.text, &count))
    return lb_scan_fail(&vtk->scan, err, "expected CELL_TYPES count");
  lb_vtk_begin_data(vtk);
  lbStatus status = lb_scan_check_count(&vtk->scan, count, 2, 4, "cell types", err);
  for (int64_t i = 0; i < count && !status; i++) {
    if (!lb_scan_integer(&vtk->scan, LB_SCALAR_INT32, &type))
      status = lb_scan_fail(&vtk->scan, err, "expected the type of cell %lld", (long long)i);
    else if (!lb_vtk_add_type(&vtk->cells, type))
      status = lb_fail_memory(err);
  }
  return status;
}

// Polygon data: four lists whose cells have a fixed type each; 0 for other keywords.
static int polydata_type(const lbVtk *vtk, const char *keyword) {
  if (!vtk->is_polydata) return 0;
  if (strcasecmp(keyword, "VERTICES") == 0) return 2;
  if (strcasecmp(keyword, "LINES") == 0) return 4;
  if (strcasecmp(keyword, "POLYGONS") == 0) return 7;
  return strcasecmp(keyword, "TRIANGLE_STRIPS") == 0 ? 6 : 0;
}

static lbStatus read_vtk_section(lbVtk *vtk, const char *keyword, bool *understood, lbError *err) {
  int type = polydata_type(vtk, keyword);
  if (strcasecmp(keyword, "POINTS") == 0) return read_vtk_points(vtk, err);
  if (type) {
    lbStatus status = read_vtk_cells(vtk, err);
    while (!status && vtk->cells.type_count < vtk->cells.cell_count)
      if (!lb_vtk_add_type(&vtk->cells, type)) status = lb_fail_memory(err);
    return status;
  }
  if (strcasecmp(keyword, "CELLS") == 0 && !vtk->is_polydata) {
    if (vtk->has_cells) return lb_scan_fail(&vtk->scan, err, "CELLS appear twice");
    return read_vtk_cells(vtk, err);
  }
  if (strcasecmp(keyword, "CELL_TYPES") == 0 && !vtk->is_polydata) return read_vtk_types(vtk, err);
  if (strcasecmp(keyword, "CELL_DATA") == 0 || strcasecmp(keyword, "POINT_DATA") == 0) {
    vtk->in_cell_data = strcasecmp(keyword, "CELL_DATA") == 0;
    if (!lb_text_integer_in_line(&vtk->scan.text, &vtk->tuple_count))
      return lb_scan_fail(&vtk->scan, err, "expected %s count", keyword);
    return LB_OK;
  }
  *understood = lb_vtk_read_attribute(vtk, keyword);
  return LB_OK;
}

static lbStatus read_vtk_sections(lbVtk *vtk, lbError *err) {
  char keyword[64];
  bool understood = true;
  lbStatus status = read_vtk_header(vtk, err);
  while (!status && understood && lb_text_word(&vtk->scan.text, keyword, sizeof keyword))
    status = read_vtk_section(vtk, keyword, &understood, err);
  if (status) return status;
  if (vtk->volume.builder.out_of_memory) return lb_fail_memory(err);
  bool complete =
      vtk->has_points && vtk->has_cells && vtk->cells.type_count == vtk->cells.cell_count;
  if (!complete && !understood)
    return lb_scan_fail(&vtk->scan, err, "cannot make sense of \"%.40s\"", keyword);
  if (!vtk->has_points) return lb_scan_fail(&vtk->scan, err, "has no POINTS");
  if (!vtk->has_cells)
    return lb_scan_fail(&vtk->scan, err, "has no %s", vtk->is_polydata ? "POLYGONS" : "CELLS");
  if (!understood)
    lb_log(LB_LOG_WARNING, "%s: left out the data from \"%.40s\" on, which is not understood",
           vtk->scan.text.path, keyword);
  return LB_OK;
}

lbStatus lb_read_vtk(const char *path, const char *content, size_t bytes, lbMesh **out,
                     lbError *err) {
  lbVtk vtk = { .scan = lb_scan(path, content, bytes) };
  lb_volume_begin(&vtk.volume);
  lbStatus status = read_vtk_sections(&vtk, err);
  if (!status) status = lb_vtk_add_cells(&vtk.cells, &vtk.volume, path, err);
  if (!status) status = lb_volume_finish(&vtk.volume, path, out, err);
  lb_volume_abort(&vtk.volume);
  lb_vtk_cells_release(&vtk.cells);
  return status;
}
