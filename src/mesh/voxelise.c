// Bricks around a triangle surface: cube cells where the surface passes (exact triangle–box test)
// and inside it, on a grid centred on the surface's box and a millionth wider.
//
// Inside is decided by two tests together, a flood from outside and the winding number, because
// each fails on surfaces that the other takes: see voxel_inside.c. Cells that would hang on an edge
// or a corner are joined: see voxel_join.c.
#include "limber/voxelise.h"

#include "mesh/builder.h"
#include "mesh/embed.h"
#include "mesh/voxel_cells.h"

// One byte for the cell and four each for a queue, corners and brick ids: about 900 MB at the
// limit.
static const double max_grid_cells = 67108864; // 2^26, about 406³

lbVoxeliseDef lb_voxelise_def(void) {
  return (lbVoxeliseDef){ .cells = 24, .cell_size = 0, .fill_inside = true, .connect = true };
}

// ---- checks ------------------------------------------------------------------------------------

static lbStatus check_voxelise_def(const lbVoxeliseDef *def, lbError *err) {
  if (!(def->cell_size >= 0) || !isfinite(def->cell_size))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "voxelise: cell_size is %g, use a positive length or 0 for none",
                   def->cell_size);
  if (def->cell_size == 0 && def->cells < 1)
    return lb_fail(err, LB_ERR_ARGUMENT, "voxelise: cells is %d, use at least 1", (int)def->cells);
  return LB_OK;
}

static lbStatus check_voxelised_surface(const lbMesh *surface, lbError *err) {
  if (surface->triangle_count == 0 && lb_mesh_element_count(surface) > 0)
    return lb_fail(err, LB_ERR_MESH,
                   "voxelise: the mesh has %d volume elements and no triangles, it needs no bricks",
                   (int)lb_mesh_element_count(surface));
  if (surface->triangle_count == 0)
    return lb_fail(err, LB_ERR_MESH, "voxelise: the surface has no triangles");
  for (size_t i = 0; i < 3 * (size_t)surface->vertex_count; i++)
    if (!isfinite(surface->positions[i]) || fabs(surface->positions[i]) > 1e90)
      return lb_fail(err, LB_ERR_MESH,
                     "voxelise: vertex %d has the coordinate %c = %g, correct or remove it",
                     (int)(i / 3), "xyz"[i % 3], surface -> positions[i]);
  for (size_t i = 0; i < 3 * (size_t)surface->triangle_count; i++)
    if (surface->triangles[i] < 0 || surface->triangles[i] >= surface->vertex_count)
      return lb_fail(err, LB_ERR_MESH,
                     "voxelise: triangle %d uses vertex %d, the mesh has %d (counted from 0)",
                     (int)(i / 3), (int)surface->triangles[i], (int)surface->vertex_count);
  return LB_OK;
}

// ---- grid --------------------------------------------------------------------------------------

static lbBox surface_box(const lbTriangles *surface) {
  lbBox box = lb_box_empty();
  for (int32_t t = 0; t < surface->count; t++) {
    lbBox own = lb_triangle_box(surface, t);
    lb_box_add_box(&box, &own);
  }
  return box;
}

// The surface in cells of this size; short sides get one cell. Grows *cell by a millionth or so
// until the surface lies inside with some room.
static void count_cells(const lbBox *box, double room, double *cell, double count[3]) {
  double wanted = *cell;
  for (int i = 0; i < 3; i++) {
    double side = box->high[i] - box->low[i];
    count[i] = fmax(1, ceil(side / wanted * (1 - 1e-9)));
    *cell = fmax(*cell, (side + 2 * room) / count[i]);
  }
}

static lbStatus make_surface_grid(const lbBox *box, const lbVoxeliseDef *def, lbVoxelGrid **grid,
                                  lbError *err) {
  double longest = 0, farthest = 0, count[3];
  for (int i = 0; i < 3; i++) {
    longest = fmax(longest, box->high[i] - box->low[i]);
    farthest = fmax(farthest, fmax(fabs(box->low[i]), fabs(box->high[i])));
  }
  double cell = def->cell_size > 0 ? def->cell_size : longest / def->cells;
  if (!(longest > 1e-90))
    return lb_fail(err, LB_ERR_MESH,
                   "voxelise: the surface has no size, all its triangles are at %g %g %g",
                   box->low[0], box->low[1], box->low[2]);
  if (!(cell > 1e-12 * farthest))
    return lb_fail(err, LB_ERR_MESH,
                   "voxelise: cells of %g m cannot be resolved at coordinates of %g m, move the "
                   "surface to the origin or use larger cells",
                   cell, farthest);
  count_cells(box, fmax(1e-6 * longest, 1e-14 * farthest), &cell, count);
  if (count[0] * count[1] * count[2] > max_grid_cells)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "voxelise: cells of %g m make a grid of %.0f x %.0f x %.0f, more than the "
                   "%.0f that fit, use fewer cells",
                   cell, count[0], count[1], count[2], max_grid_cells);
  int32_t size[3];
  double origin[3];
  for (int i = 0; i < 3; i++) {
    size[i] = (int32_t)count[i];
    origin[i] = 0.5 * (box->low[i] + box->high[i]) - 0.5 * cell * count[i];
  }
  return lb_voxel_grid_create(lb_vec3_load(origin), cell, size, grid, err);
}

// Every vertex's own cell is marked too: rounding may put it just beside the triangle's.
static void mark_surface(lbVoxelGrid *grid, const lbTriangles *surface) {
  for (int32_t t = 0; t < surface->count; t++) {
    lbVec3 corner[3];
    for (int k = 0; k < 3; k++) {
      int32_t at[3];
      corner[k] = lb_triangle_corner(surface, t, k);
      if (lb_voxel_grid_find(grid, corner[k], at))
        grid->cells[lb_voxel_grid_index(grid, at[0], at[1], at[2])] = LB_CELL_TOUCHED;
    }
    lb_voxel_grid_mark_triangle(grid, corner[0], corner[1], corner[2], LB_CELL_TOUCHED);
  }
}

// ---- bricks ------------------------------------------------------------------------------------

// Corners of the grid have a numbering like the cells', with one more along each side.
static size_t corner_index(const lbVoxelGrid *grid, int32_t x, int32_t y, int32_t z) {
  size_t row = (size_t)grid->size[0] + 1, layer = row * ((size_t)grid->size[1] + 1);
  return (size_t)x + row * (size_t)y + layer * (size_t)z;
}

static void brick_corners(const lbVoxelGrid *grid, int32_t cell, size_t corners[8]) {
  int32_t x = cell % grid->size[0], y = cell / grid->size[0] % grid->size[1];
  int32_t z = cell / grid->size[0] / grid->size[1];
  for (int layer = 0; layer < 2; layer++) {
    size_t *face = corners + 4 * layer;
    face[0] = corner_index(grid, x, y, z + layer);
    face[1] = corner_index(grid, x + 1, y, z + layer);
    face[2] = corner_index(grid, x + 1, y + 1, z + layer);
    face[3] = corner_index(grid, x, y + 1, z + layer);
  }
}

// Numbers the corners in use along the grid; corner_ids gets the vertex of each.
static void add_grid_vertices(lbMeshBuilder *builder, const lbVoxelGrid *grid,
                              int32_t *corner_ids) {
  size_t corners[8];
  for (int32_t cell = 0; cell < lb_voxel_grid_count(grid); cell++) {
    if (grid->cells[cell] == LB_CELL_EMPTY) continue;
    brick_corners(grid, cell, corners);
    for (int a = 0; a < 8; a++) corner_ids[corners[a]] = 1;
  }
  for (int32_t z = 0; z <= grid->size[2]; z++)
    for (int32_t y = 0; y <= grid->size[1]; y++)
      for (int32_t x = 0; x <= grid->size[0]; x++) {
        int32_t *id = &corner_ids[corner_index(grid, x, y, z)];
        if (!*id) continue;
        lbVec3 at = lb_voxel_grid_corner(grid, x, y, z);
        *id = lb_mesh_add_vertex(builder, at.x, at.y, at.z);
      }
}

// brick_ids: (cells) gets each cell's brick or -1.
static lbStatus make_bricks(const lbVoxelGrid *grid, int32_t *brick_ids, lbMesh **volume,
                            lbError *err) {
  size_t corner_count = corner_index(grid, grid->size[0], grid->size[1], grid->size[2]) + 1;
  int32_t *corner_ids = lb_alloc(corner_count, sizeof *corner_ids);
  if (!corner_ids) return lb_fail_memory(err);
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  add_grid_vertices(&builder, grid, corner_ids);
  for (int32_t cell = 0; cell < lb_voxel_grid_count(grid); cell++) {
    brick_ids[cell] = -1;
    if (grid->cells[cell] == LB_CELL_EMPTY) continue;
    size_t corners[8];
    int32_t vertices[8];
    brick_corners(grid, cell, corners);
    for (int a = 0; a < 8; a++) vertices[a] = corner_ids[corners[a]];
    brick_ids[cell] = lb_mesh_add_brick(&builder, vertices);
  }
  lb_free(corner_ids);
  return lb_mesh_builder_finish(&builder, "voxelise", volume, err);
}

static lbStatus embed_in_bricks(const lbMesh *surface, const lbVoxelGrid *grid,
                                const int32_t *brick_ids, const lbMesh *volume,
                                lbEmbedding **embedding, lbError *err) {
  int32_t *hints = lb_alloc((size_t)surface->vertex_count, sizeof *hints);
  if (!hints) return lb_fail_memory(err);
  for (int32_t v = 0; v < surface->vertex_count; v++) {
    int32_t at[3];
    bool found = lb_voxel_grid_find(grid, lb_vec3_load(surface->positions + 3 * (size_t)v), at);
    hints[v] = found ? brick_ids[lb_voxel_grid_index(grid, at[0], at[1], at[2])] : -1;
  }
  lbStatus status = lb_mesh_embed_hinted(volume, surface->positions, surface->vertex_count, hints,
                                         embedding, err);
  lb_free(hints);
  return status;
}

// ---- the whole ---------------------------------------------------------------------------------

static lbStatus report_cell_counts(const lbVoxelGrid *grid, lbError *err) {
  int32_t count[LB_CELL_JOINING + 1] = { 0 }, pieces = 0;
  for (int32_t i = 0; i < lb_voxel_grid_count(grid); i++) count[grid->cells[i]]++;
  lbStatus status = lb_voxel_count_pieces(grid, &pieces, err);
  if (status) return status;
  lb_log(LB_LOG_INFO,
         "voxelised: cells of %g m, %d where the surface passes, %d inside, %d to join others",
         grid->cell, (int)count[LB_CELL_TOUCHED], (int)count[LB_CELL_INSIDE],
         (int)count[LB_CELL_JOINING]);
  if (pieces > 1)
    lb_log(LB_LOG_WARNING, "the bricks are in %d separate pieces, use larger cells to join them",
           (int)pieces);
  return LB_OK;
}

static lbStatus fill_inside_cells(lbVoxelGrid *grid, const lbMesh *surface,
                                  const lbVoxeliseDef *def, lbError *err) {
  lbTriangles triangles = { surface->triangle_count, surface->triangles, surface->positions };
  mark_surface(grid, &triangles);
  if (!lb_progress("voxelise", 0.3)) return lb_fail_interrupted(err, "voxelise");
  if (def->fill_inside) {
    lbStatus status = lb_voxel_fill_inside(grid, &triangles, surface->vertex_count, err);
    if (status) return status;
  }
  if (!lb_progress("voxelise", 0.7)) return lb_fail_interrupted(err, "voxelise");
  if (def->connect) lb_voxel_join(grid);
  return report_cell_counts(grid, err);
}

lbStatus lb_mesh_voxelise(const lbMesh *surface, const lbVoxeliseDef *def, lbMesh **volume,
                          lbEmbedding **embedding, lbError *err) {
  lbTriangles triangles = { surface->triangle_count, surface->triangles, surface->positions };
  lbVoxelGrid *grid = NULL;
  lbMesh *made = NULL;
  int32_t *brick_ids = NULL;
  lbStatus status = check_voxelise_def(def, err);
  if (!status) status = check_voxelised_surface(surface, err);
  if (status) return status;
  lbBox box = surface_box(&triangles);
  status = make_surface_grid(&box, def, &grid, err);
  if (status) return status;
  status = fill_inside_cells(grid, surface, def, err);
  if (status) goto done;
  brick_ids = lb_alloc((size_t)lb_voxel_grid_count(grid), sizeof *brick_ids);
  if (!brick_ids) {
    status = lb_fail_memory(err);
    goto done;
  }
  status = make_bricks(grid, brick_ids, &made, err);
  if (status) goto done;
  if (embedding) status = embed_in_bricks(surface, grid, brick_ids, made, embedding, err);
  if (status) goto done;
  *volume = made;
  made = NULL;
  lb_progress("voxelise", 1);
done:
  lb_free(brick_ids);
  lb_voxel_grid_destroy(grid);
  lb_mesh_destroy(made);
  return status;
}
