// TetGen .node and .ele: a header line and numbered rows each, counted from 0 or 1 (what the first
// vertex says), '#' begins a comment. Boundary markers become vertex groups, the region attribute
// becomes element groups, both by tag.
#include "meshio/tetgen.h"

#include "limber/file.h"
#include "meshio/formats.h"
#include "meshio/scan.h"
#include "meshio/volume.h"

#include <math.h>
#include <string.h>

// To the first number of the next line that has any; false at the end.
static bool next_row(lbText *text) {
  for (;; lb_text_skip_line(text)) {
    lb_text_skip_space(text);
    if (lb_text_at_end(text)) return false;
    if (*text->next != '#') return true;
  }
}

// Header: `count`, then numbers of which the missing ones are 0.
static lbStatus read_tetgen_header(lbScan *scan, size_t row_bytes, const char *what,
                                   int64_t header[4], lbError *err) {
  memset(header, 0, 4 * sizeof *header);
  if (!next_row(&scan->text) || !lb_text_integer_in_line(&scan->text, &header[0]))
    return lb_scan_fail(scan, err, "expected the count of %s", what);
  for (int i = 1; i < 4; i++)
    if (!lb_text_integer_in_line(&scan->text, &header[i])) break;
  for (int i = 1; i < 4; i++)
    if (header[i] < 0 || header[i] > 1000)
      return lb_scan_fail(scan, err, "the header claims %lld columns of a kind",
                          (long long)header[i]);
  lb_text_skip_line(&scan->text);
  return lb_scan_check_count(scan, header[0], row_bytes, row_bytes, what, err);
}

// A number in the row that stands for a tag; fractions and numbers beyond 32 bits are not tags.
static int32_t as_tag(double value) {
  return value == floor(value) && fabs(value) < INT32_MAX ? (int32_t)value : 0;
}

static lbStatus read_tetgen_row_number(lbScan *scan, int64_t index, int32_t base, const char *what,
                                       lbError *err) {
  int64_t number = 0;
  if (!next_row(&scan->text) || !lb_text_integer_in_line(&scan->text, &number))
    return lb_scan_fail(scan, err, "expected the row of %s %lld", what, (long long)index + base);
  if (number != index + base)
    return lb_scan_fail(scan, err, "expected the row of %s %lld, found %lld", what,
                        (long long)index + base, (long long)number);
  return LB_OK;
}

static lbStatus read_node(lbScan *scan, lbVolume *volume, int64_t index, int32_t base,
                          const int64_t header[4], lbError *err) {
  double point[3], value = 0;
  int32_t line = 0;
  lbStatus status = read_tetgen_row_number(scan, index, base, "vertex", err);
  line = scan->text.line;
  if (!status) status = lb_scan_point(scan, LB_SCALAR_FLOAT64, index + base, point, err);
  if (!status && scan->text.line != line)
    status = lb_scan_fail(scan, err, "vertex %lld is not on one line", (long long)index + base);
  if (status) return status;
  int32_t vertex = lb_mesh_add_vertex(&volume->builder, point[0], point[1], point[2]);
  if (vertex < 0) return lb_fail_memory(err);
  for (int64_t i = 0; i < header[2] + (header[3] ? 1 : 0); i++)
    if (!lb_text_number_in_line(&scan->text, &value))
      return lb_scan_fail(scan, err, "vertex %lld lacks an attribute or boundary marker",
                          (long long)index + base);
  if (header[3]) lb_volume_tag(volume, lb_volume_vertex(vertex), as_tag(value), "");
  lb_text_skip_line(&scan->text);
  return LB_OK;
}

static lbStatus read_tetgen_nodes(lbScan *scan, lbVolume *volume, int32_t *base, lbError *err) {
  int64_t header[4]; // count, dimension, attributes, whether there are markers
  lbStatus status = read_tetgen_header(scan, 8, "vertices", header, err);
  if (status) return status;
  if (header[1] != 3)
    return lb_scan_fail(scan, err, "the dimension is %lld, it must be 3", (long long)header[1]);
  if (header[0] == 0) return lb_scan_fail(scan, err, "the file has no vertices");
  lbText first = scan->text;
  int64_t number = 0;
  *base = next_row(&first) && lb_text_integer_in_line(&first, &number) && number == 0 ? 0 : 1;
  for (int64_t i = 0; i < header[0] && !status; i++)
    status = read_node(scan, volume, i, *base, header, err);
  return status;
}

static lbStatus read_tet(lbScan *scan, lbVolume *volume, int64_t index, int32_t base,
                         const int64_t header[4], lbError *err) {
  int32_t vertices[4];
  double value = 0;
  lbStatus status = read_tetgen_row_number(scan, index, base, "tet", err);
  int32_t line = scan->text.line;
  if (!status)
    status = lb_scan_vertices(scan, LB_SCALAR_INT32, 4, base, lb_volume_vertex_count(volume), "tet",
                              index + base, vertices, err);
  if (!status && scan->text.line != line)
    status = lb_scan_fail(scan, err, "tet %lld is not on one line", (long long)index + base);
  if (status) return status;
  lbCellIds cell = lb_volume_add(volume, LB_CELL_TET, vertices);
  if (cell.first < 0) return lb_fail_memory(err);
  if (header[2] > 0 && !lb_text_number_in_line(&scan->text, &value))
    return lb_scan_fail(scan, err, "tet %lld lacks its region", (long long)index + base);
  lb_volume_tag(volume, cell, as_tag(value), "");
  lb_text_skip_line(&scan->text);
  return LB_OK;
}

static lbStatus read_tets(lbScan *scan, lbVolume *volume, int32_t base, lbError *err) {
  int64_t header[4]; // count, corners, attributes
  lbStatus status = read_tetgen_header(scan, 10, "tets", header, err);
  if (status) return status;
  if (header[1] == 10)
    return lb_scan_unsupported(scan, err,
                               "tets with 10 corners are not supported, run tetgen without -o2");
  if (header[1] != 4)
    return lb_scan_fail(scan, err, "the tets have %lld corners, they must have 4",
                        (long long)header[1]);
  for (int64_t i = 0; i < header[0] && !status; i++)
    status = read_tet(scan, volume, i, base, header, err);
  return status;
}

lbStatus lb_read_tetgen(const char *node_path, const char *node_content, size_t node_bytes,
                        const char *ele_path, const char *ele_content, size_t ele_bytes,
                        lbMesh **out, lbError *err) {
  lbScan nodes = lb_scan(node_path, node_content, node_bytes);
  lbScan tets = lb_scan(ele_path, ele_content, ele_bytes);
  lbVolume volume;
  int32_t base = 0;
  lb_volume_begin(&volume);
  lbStatus status = read_tetgen_nodes(&nodes, &volume, &base, err);
  if (!status) status = read_tets(&tets, &volume, base, err);
  if (!status) status = lb_volume_finish(&volume, ele_path, out, err);
  lb_volume_abort(&volume);
  return status;
}

// The path with another extension; NULL without memory.
static char *companion_path(const char *path, const char *extension) {
  size_t stem = strlen(path) - strlen(lb_path_extension(path));
  char *other = lb_alloc(stem + strlen(extension) + 1, 1);
  if (!other) return NULL;
  memcpy(other, path, stem);
  strcpy(other + stem, extension);
  return other;
}

lbStatus lb_read_ele(const char *path, const char *content, size_t bytes, lbMesh **out,
                     lbError *err) {
  lbStatus status = LB_OK;
  char *other = NULL, *other_content = NULL;
  size_t other_bytes = 0;
  bool is_node = lb_path_has_extension(path, ".node");
  other = companion_path(path, is_node ? ".ele" : ".node");
  if (!other) return lb_fail_memory(err);
  if (!lb_file_exists(other))
    status =
        lb_fail(err, LB_ERR_FILE,
                is_node ? "%s: holds vertices only, the tets should be in %s, which is missing"
                        : "%s: holds tets only, the vertices should be in %s, which is missing",
                path, other);
  if (!status) status = lb_file_check_named(other, err);
  if (!status) status = lb_file_read(other, &other_content, &other_bytes, err);
  if (!status)
    status =
        is_node ? lb_read_tetgen(path, content, bytes, other, other_content, other_bytes, out, err)
                : lb_read_tetgen(other, other_content, other_bytes, path, content, bytes, out, err);
  lb_free(other);
  lb_free(other_content);
  return status;
}
