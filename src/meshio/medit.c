// Medit .mesh, text: keywords, each followed by a count and as many rows, with a reference number
// at the end of each row that becomes a group's tag. Vertex numbers are counted from 1.
#include "meshio/formats.h"
#include "meshio/scan.h"
#include "meshio/volume.h"

#include <ctype.h>
#include <string.h>

typedef struct Medit {
  lbScan scan;
  lbVolume volume;
  bool has_dimension, has_vertices;
} Medit;

// Sections that say nothing about the mesh itself.
static const char *const skipped[] = {
  "Edges",
  "Corners",
  "Ridges",
  "RequiredVertices",
  "RequiredEdges",
  "RequiredTriangles",
  "RequiredQuadrilaterals",
  "Normals",
  "NormalAtVertices",
  "NormalAtTriangleVertices",
  "NormalAtQuadrilateralVertices",
  "Tangents",
  "TangentAtVertices",
  "TangentAtEdges",
  "BoundingBox",
  "AngleOfCornerBound",
  "CoordinatePrecision",
  "Geometry",
  "SubDomainFromMesh",
  "SubDomainFromGeom",
  "VertexOnGeometricVertex",
  "VertexOnGeometricEdge",
  "EdgeOnGeometricEdge",
  "Identifier",
  "IncludeFile",
};

// Sections of cells that are not read; harmless when empty.
static const char *const refused[] = {
  "Prisms",           "Pyramids", "EdgesP2",      "TrianglesP2",
  "QuadrilateralsQ2", "PrismsP2", "TetrahedraP2", "PyramidsP2",
  "HexahedraQ2",      "Polygons", "Polyhedra",    "ExtraVerticesAtEdges",
  "Tetrahedrons",
};

static bool is_medit_listed(const char *word, const char *const *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(word, list[i]) == 0) return true;
  return false;
}

static void skip_space_and_comments(lbText *text) {
  for (lb_text_skip_space(text); !lb_text_at_end(text) && *text->next == '#';
       lb_text_skip_space(text))
    lb_text_skip_line(text);
}

static void skip_to_keyword(lbText *text) {
  char word[8];
  for (;;) {
    skip_space_and_comments(text);
    if (lb_text_at_end(text) || isalpha((unsigned char)*text->next)) return;
    if (*text->next == '"')
      lb_text_skip_line(text);
    else
      lb_text_word(text, word, sizeof word);
  }
}

static lbStatus read_medit_count(Medit *medit, const char *keyword, size_t row_bytes,
                                 int64_t *count, lbError *err) {
  skip_space_and_comments(&medit->scan.text);
  if (!lb_text_integer(&medit->scan.text, count))
    return lb_scan_fail(&medit->scan, err, "expected a count after %s", keyword);
  return lb_scan_check_count(&medit->scan, *count, row_bytes, row_bytes, keyword, err);
}

static lbStatus read_reference(Medit *medit, const char *what, int64_t number, int32_t *tag,
                               lbError *err) {
  int64_t reference = 0;
  if (!lb_text_integer(&medit->scan.text, &reference))
    return lb_scan_fail(&medit->scan, err, "%s %lld lacks its reference number", what,
                        (long long)number);
  if (reference < INT32_MIN || reference > INT32_MAX)
    return lb_scan_fail(&medit->scan, err, "reference %lld is too large", (long long)reference);
  *tag = (int32_t)reference;
  return LB_OK;
}

static lbStatus read_medit_vertices(Medit *medit, lbError *err) {
  int64_t count = 0;
  if (medit->has_vertices) return lb_scan_fail(&medit->scan, err, "Vertices appear twice");
  medit->has_vertices = true;
  lbStatus status = read_medit_count(medit, "Vertices", 8, &count, err);
  for (int64_t i = 0; i < count && !status; i++) {
    double p[3];
    int32_t tag = 0;
    skip_space_and_comments(&medit->scan.text);
    status = lb_scan_point(&medit->scan, LB_SCALAR_FLOAT64, i + 1, p, err);
    if (!status) status = read_reference(medit, "vertex", i + 1, &tag, err);
    if (status) break;
    int32_t vertex = lb_mesh_add_vertex(&medit->volume.builder, p[0], p[1], p[2]);
    if (vertex < 0) return lb_fail_memory(err);
    lb_volume_tag(&medit->volume, lb_volume_vertex(vertex), tag, "");
  }
  return status;
}

static lbStatus read_medit_cells(Medit *medit, const char *keyword, lbCellShape shape,
                                 lbError *err) {
  int64_t count = 0;
  int32_t vertices[8], tag = 0, corners = lb_cell_corners(shape);
  lbStatus status = read_medit_count(medit, keyword, 2 * (size_t)corners + 2, &count, err);
  if (!status && count > 0 && !medit->has_vertices)
    return lb_scan_fail(&medit->scan, err, "Vertices must come before %s", keyword);
  for (int64_t i = 0; i < count && !status; i++) {
    skip_space_and_comments(&medit->scan.text);
    status = lb_scan_vertices(&medit->scan, LB_SCALAR_INT32, corners, 1,
                              lb_volume_vertex_count(&medit->volume), lb_cell_name(shape), i + 1,
                              vertices, err);
    if (!status) status = read_reference(medit, lb_cell_name(shape), i + 1, &tag, err);
    if (status) break;
    lbCellIds cell = lb_volume_add(&medit->volume, shape, vertices);
    if (cell.first < 0) return lb_fail_memory(err);
    lb_volume_tag(&medit->volume, cell, tag, "");
  }
  return status;
}

static lbStatus read_dimension(Medit *medit, lbError *err) {
  int64_t dimension = 0;
  if (!lb_text_integer(&medit->scan.text, &dimension))
    return lb_scan_fail(&medit->scan, err, "expected a number after Dimension");
  if (dimension != 3)
    return lb_scan_fail(&medit->scan, err, "Dimension is %lld, it must be 3", (long long)dimension);
  medit->has_dimension = true;
  return LB_OK;
}

static lbStatus read_medit_section(Medit *medit, const char *keyword, lbError *err) {
  int64_t count = 0;
  if (strcmp(keyword, "Dimension") == 0) return read_dimension(medit, err);
  if (!medit->has_dimension)
    return lb_scan_fail(&medit->scan, err, "expected \"Dimension 3\" before %.40s", keyword);
  if (strcmp(keyword, "Vertices") == 0) return read_medit_vertices(medit, err);
  if (strcmp(keyword, "Triangles") == 0)
    return read_medit_cells(medit, keyword, LB_CELL_TRIANGLE, err);
  if (strcmp(keyword, "Quadrilaterals") == 0)
    return read_medit_cells(medit, keyword, LB_CELL_QUAD, err);
  if (strcmp(keyword, "Tetrahedra") == 0) return read_medit_cells(medit, keyword, LB_CELL_TET, err);
  if (strcmp(keyword, "Hexahedra") == 0)
    return read_medit_cells(medit, keyword, LB_CELL_BRICK, err);
  if (is_medit_listed(keyword, refused, sizeof refused / sizeof *refused)) {
    lbStatus status = read_medit_count(medit, keyword, 2, &count, err);
    if (!status && count > 0)
      status = lb_scan_unsupported(
          &medit->scan, err, "%s are not supported, export first-order tets or hexahedra", keyword);
    return status;
  }
  if (!is_medit_listed(keyword, skipped, sizeof skipped / sizeof *skipped))
    return lb_scan_fail(&medit->scan, err, "unknown section \"%.40s\"", keyword);
  skip_to_keyword(&medit->scan.text);
  return LB_OK;
}

static lbStatus read_medit_sections(Medit *medit, lbError *err) {
  lbText *text = &medit->scan.text;
  char keyword[64];
  double version = 0;
  skip_space_and_comments(text);
  if (!lb_text_word(text, keyword, sizeof keyword) || strcmp(keyword, "MeshVersionFormatted") != 0)
    return lb_scan_fail(&medit->scan, err,
                        "is not a Medit file, it must begin with MeshVersionFormatted");
  if (!lb_text_number(text, &version))
    return lb_scan_fail(&medit->scan, err, "expected a number after MeshVersionFormatted");
  for (;;) {
    skip_space_and_comments(text);
    if (!lb_text_word(text, keyword, sizeof keyword) || strcmp(keyword, "End") == 0) break;
    lbStatus status = read_medit_section(medit, keyword, err);
    if (status) return status;
  }
  if (!medit->has_vertices) return lb_scan_fail(&medit->scan, err, "has no Vertices");
  return LB_OK;
}

lbStatus lb_read_medit(const char *path, const char *content, size_t bytes, lbMesh **out,
                       lbError *err) {
  Medit medit = { .scan = lb_scan(path, content, bytes) };
  // Binary files begin with the 32-bit number 1 in either byte order.
  if (bytes >= 4 && (memcmp(content, "\1\0\0\0", 4) == 0 || memcmp(content, "\0\0\0\1", 4) == 0))
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "%s: is binary Medit (.meshb), which is not supported, save as text (.mesh)",
                   path);
  lb_volume_begin(&medit.volume);
  lbStatus status = read_medit_sections(&medit, err);
  if (!status) status = lb_volume_finish(&medit.volume, path, out, err);
  lb_volume_abort(&medit.volume);
  return status;
}
