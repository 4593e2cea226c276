// VTK cell types to limber's elements.
#include "meshio/vtk_cells.h"

#include <string.h>
#include <strings.h>

typedef enum VtkType {
  VTK_LAST_LINE = 4, // 1 to 4: points and lines
  VTK_TRIANGLE = 5,
  VTK_STRIP,
  VTK_POLYGON,
  VTK_PIXEL, // a quad, and voxel a brick, with corners in rows
  VTK_QUAD,
  VTK_TET,
  VTK_VOXEL,
  VTK_BRICK,
  VTK_WEDGE,
  VTK_PYRAMID,
} VtkType;

bool lb_vtk_add_vertex(lbVtkCells *cells, int32_t vertex) {
  if (!lb_grow((void **)&cells->vertices, &cells->vertex_capacity, cells->vertex_count + 1,
               sizeof *cells->vertices))
    return false;
  cells->vertices[cells->vertex_count++] = vertex;
  return true;
}

bool lb_vtk_end_cell(lbVtkCells *cells) {
  if (!lb_grow((void **)&cells->ends, &cells->cell_capacity, cells->cell_count + 1,
               sizeof *cells->ends))
    return false;
  cells->ends[cells->cell_count++] = cells->vertex_count;
  return true;
}

bool lb_vtk_add_type(lbVtkCells *cells, int64_t type) {
  if (!lb_grow((void **)&cells->types, &cells->type_capacity, cells->type_count + 1, 1))
    return false;
  cells->types[cells->type_count++] = type >= 0 && type < 255 ? (uint8_t)type : 255;
  return true;
}

bool lb_vtk_add_tag(lbVtkCells *cells, int64_t tag) {
  if (!lb_grow((void **)&cells->tags, &cells->tag_capacity, cells->tag_count + 1,
               sizeof *cells->tags))
    return false;
  cells->tags[cells->tag_count++] = tag > INT32_MIN && tag <= INT32_MAX ? (int32_t)tag : 0;
  return true;
}

void lb_vtk_cells_release(lbVtkCells *cells) {
  lb_free(cells->vertices);
  lb_free(cells->ends);
  lb_free(cells->types);
  lb_free(cells->tags);
  *cells = (lbVtkCells){ 0 };
}

bool lb_vtk_is_group_name(const char *name) {
  static const char *const names[] = { "group",     "groups",        "group_id",     "material",
                                       "materials", "materialid",    "material_id",  "materialids",
                                       "region",    "regions",       "region_id",    "regionid",
                                       "medit:ref", "gmsh:physical", "cellentityids" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcasecmp(name, names[i]) == 0) return true;
  return false;
}

static lbStatus fail_type(const char *path, size_t cell, int type, lbError *err) {
  if (type == VTK_WEDGE || type == VTK_PYRAMID)
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "%s: cell %zu: unsupported cell type %d (%s), mesh with tets or bricks only",
                   path, cell, type, type == VTK_WEDGE ? "wedge" : "pyramid");
  return lb_fail(err, LB_ERR_UNSUPPORTED,
                 "%s: cell %zu: unsupported cell type %d, export first-order tets or hexahedra",
                 path, cell, type);
}

// A polygon as a fan, a strip with every other triangle turned.
static lbCellIds add_vtk_triangles(lbVolume *volume, bool is_strip, const int32_t *v,
                                   size_t count) {
  lbCellIds ids = { LB_GROUP_TRIANGLES, -1, 0 };
  for (size_t i = 2; i < count; i++) {
    int32_t fan[3] = { v[0], v[i - 1], v[i] };
    int32_t even[3] = { v[i - 2], v[i - 1], v[i] }, odd[3] = { v[i - 1], v[i - 2], v[i] };
    lbCellIds one = lb_volume_add(volume, LB_CELL_TRIANGLE, !is_strip ? fan : i % 2 ? odd : even);
    if (ids.count++ == 0) ids.first = one.first;
  }
  return ids;
}

static lbStatus add_cell(lbVolume *volume, int type, const int32_t *v, size_t count, size_t number,
                         const char *path, lbCellIds *ids, lbError *err) {
  lbCellShape shape = LB_CELL_TRIANGLE;
  int32_t ordered[8];
  *ids = (lbCellIds){ LB_GROUP_TRIANGLES, -1, 0 };
  switch (type) {
  case VTK_TRIANGLE: break;
  case VTK_STRIP:
  case VTK_POLYGON: *ids = add_vtk_triangles(volume, type == VTK_STRIP, v, count); return LB_OK;
  case VTK_PIXEL:
  case VTK_QUAD: shape = LB_CELL_QUAD; break;
  case VTK_TET: shape = LB_CELL_TET; break;
  case VTK_VOXEL:
  case VTK_BRICK: shape = LB_CELL_BRICK; break;
  default: return type <= VTK_LAST_LINE ? LB_OK : fail_type(path, number, type, err);
  }
  size_t corners = (size_t)lb_cell_corners(shape);
  if (count != corners)
    return lb_fail(err, LB_ERR_FORMAT, "%s: cell %zu is a %s with %zu vertices, it must have %zu",
                   path, number, lb_cell_name(shape), count, corners);
  memcpy(ordered, v, corners * sizeof *v);
  for (size_t i = 2; i < corners && (type == VTK_PIXEL || type == VTK_VOXEL); i += 4) {
    ordered[i] = v[i + 1];
    ordered[i + 1] = v[i];
  }
  *ids = lb_volume_add(volume, shape, ordered);
  return LB_OK;
}

lbStatus lb_vtk_add_cells(const lbVtkCells *cells, lbVolume *volume, const char *path,
                          lbError *err) {
  size_t begin = 0;
  if (cells->type_count != cells->cell_count)
    return lb_fail(err, LB_ERR_FORMAT, "%s: has %zu cells, but %zu cell types", path,
                   cells->cell_count, cells->type_count);
  for (size_t i = 0; i < cells->cell_count; i++) {
    lbCellIds ids;
    size_t count = cells->ends[i] - begin;
    const int32_t *vertices = count ? cells->vertices + begin : NULL;
    lbStatus status = add_cell(volume, cells->types[i], vertices, count, i, path, &ids, err);
    if (status) return status;
    if (i < cells->tag_count) lb_volume_tag(volume, ids, cells->tags[i], "");
    begin = cells->ends[i];
  }
  return LB_OK;
}
