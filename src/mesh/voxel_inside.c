// Which cells are inside a surface that may have holes, wrong windings and crossings.
//
// Two tests, each strong where the other is weak:
//   1. Flood: empty cells that a walk from the grid's border through faces cannot reach are
//      enclosed. Needs no winding, but one hole wider than a cell lets the walk in.
//   2. Winding number |w| > 1/2 (geometry/winding.h). Holes of any number only lower it gradually,
//      and inside-out surfaces have w = -1, but triangles must agree on their winding.
// So: triangles are turned to agree with their neighbours first (a patch that disagrees with itself
// tells nothing about its outer side and gets positive volume). Then
//   - reached cells of a closed surface are outside; of an open one, those with |w| > 1/2 are in;
//   - enclosed regions are in when |w| > 1/2 at most of a few samples. When it is not, a closed
//     surface says that this is a hollow, which stays empty; an open one cannot be trusted, the
//     walls can: the region is filled.
// Open sheets have no inside, though |w| passes 1/2 in their folds: patches whose vector area is
// most of their area, a half-sphere having 1/2 and a flat sheet 1, are left out of w, unless they
// cancel each other (the six sides of a box whose corners do not quite meet).
#include "mesh/voxel_cells.h"

#include "mesh/winding.h"
#include "mesh/topology.h"

enum { REACHED = 200 }; // a mark on cells, during this stage only
enum { SAMPLE_COUNT = 9, BLOCK_SIDE = 8 };

static const double sheet_ratio = 0.6;

typedef struct Patch {
  lbVec3 area;      // Σ area x normal, turned to agree
  double full_area; // Σ area
  double volume;    // Σ signed volume towards `origin`
  lbVec3 origin;    // a vertex
  bool disagrees;   // some triangle had to be turned
} Patch;

// ---- trust in the patches ----------------------------------------------------------------------

static void measure_patches(const lbTopology *topology, const lbTriangles *surface,
                            Patch *patches) {
  for (int32_t t = surface->count - 1; t >= 0; t--)
    if (topology->patches[t] >= 0)
      patches[topology->patches[t]].origin = lb_triangle_corner(surface, t, 0);
  for (int32_t t = 0; t < surface->count; t++) {
    if (topology->patches[t] < 0) continue;
    Patch *patch = &patches[topology->patches[t]];
    lbVec3 a = lb_sub(lb_triangle_corner(surface, t, 0), patch->origin);
    lbVec3 b = lb_sub(lb_triangle_corner(surface, t, 1), patch->origin);
    lbVec3 c = lb_sub(lb_triangle_corner(surface, t, 2), patch->origin);
    double sign = topology->signs[t];
    lbVec3 area = lb_scale(0.5 * sign, lb_cross(lb_sub(b, a), lb_sub(c, a)));
    patch->area = lb_add(patch->area, area);
    patch->full_area += lb_length(area);
    patch->volume += sign * lb_dot(a, lb_cross(b, c)) / 6;
    patch->disagrees |= topology->signs[t] < 0;
  }
}

static bool is_sheet(const Patch *patch) {
  return lb_length(patch->area) > sheet_ratio * patch->full_area;
}

// Final signs of the triangles: 0 where they take no part in the winding number. Returns whether
// any takes part.
static bool settle_signs(lbTopology *topology, const Patch *patches) {
  lbVec3 sheets = { 0, 0, 0 };
  double sheet_area = 0;
  bool any = false;
  for (int32_t i = 0; i < topology->patch_count; i++) {
    if (!is_sheet(&patches[i])) continue;
    sheets = lb_add(sheets, patches[i].area);
    sheet_area += patches[i].full_area;
  }
  bool drop_sheets = lb_length(sheets) > sheet_ratio * sheet_area;
  for (int32_t t = 0; t < topology->triangle_count; t++) {
    if (topology->patches[t] < 0) continue;
    const Patch *patch = &patches[topology->patches[t]];
    if (patch->disagrees && patch->volume < 0) topology->signs[t] = (int8_t)-topology->signs[t];
    if (drop_sheets && is_sheet(patch)) topology->signs[t] = 0;
    any |= topology->signs[t] != 0;
  }
  return any;
}

// ---- flood -------------------------------------------------------------------------------------

// Appends the empty face neighbours of a cell to the queue and marks them.
static int32_t push_neighbours(lbVoxelGrid *grid, int32_t cell, uint8_t mark, int32_t *queue,
                               int32_t tail) {
  const int32_t *size = grid->size;
  int32_t place[3] = { cell % size[0], cell / size[0] % size[1], cell / size[0] / size[1] };
  int32_t stride[3] = { 1, size[0], size[0] * size[1] };
  for (int i = 0; i < 3; i++)
    for (int side = -1; side <= 1; side += 2) {
      int32_t moved = place[i] + side, next = cell + side * stride[i];
      if (moved < 0 || moved >= size[i] || grid->cells[next] != LB_CELL_EMPTY) continue;
      grid->cells[next] = mark;
      queue[tail++] = next;
    }
  return tail;
}

static int32_t flood_cells(lbVoxelGrid *grid, uint8_t mark, int32_t *queue, int32_t tail) {
  for (int32_t head = 0; head < tail; head++)
    tail = push_neighbours(grid, queue[head], mark, queue, tail);
  return tail;
}

static bool on_border(const lbVoxelGrid *grid, int32_t cell) {
  const int32_t *size = grid->size;
  int32_t x = cell % size[0], y = cell / size[0] % size[1], z = cell / size[0] / size[1];
  return x == 0 || y == 0 || z == 0 || x == size[0] - 1 || y == size[1] - 1 || z == size[2] - 1;
}

// Marks the cells that a walk from outside reaches.
static void flood_from_border(lbVoxelGrid *grid, int32_t *queue) {
  int32_t tail = 0;
  for (int32_t cell = 0; cell < lb_voxel_grid_count(grid); cell++)
    if (grid->cells[cell] == LB_CELL_EMPTY && on_border(grid, cell)) {
      grid->cells[cell] = REACHED;
      queue[tail++] = cell;
    }
  flood_cells(grid, REACHED, queue, tail);
}

// ---- winding -----------------------------------------------------------------------------------

typedef struct Decision {
  lbVoxelGrid *grid;
  const lbWinding *winding;
  bool closed;            // no edge that the triangles do not pass equally often both ways
  int32_t block_count[3]; // blocks of BLOCK_SIDE³ cells along each side
} Decision;

// |w| at the centre of a cell.
static double winding_at(const Decision *decision, int32_t x, int32_t y, int32_t z) {
  double half = 0.5 * decision->grid->cell;
  lbVec3 low = lb_voxel_grid_corner(decision->grid, x, y, z);
  return fabs(lb_winding_number(decision->winding, lb_add(low, lb_vec3(half, half, half))));
}

typedef struct Block {
  int32_t low[3], high[3]; // high is not in it
} Block;

// Whether all (or none) of the block's cells were reached.
static void count_reached(const lbVoxelGrid *grid, const Block *b, bool *all, bool *none) {
  *all = *none = true;
  for (int32_t z = b->low[2]; z < b->high[2]; z++)
    for (int32_t y = b->low[1]; y < b->high[1]; y++)
      for (int32_t x = b->low[0]; x < b->high[0]; x++) {
        bool reached = grid->cells[lb_voxel_grid_index(grid, x, y, z)] == REACHED;
        *all &= reached;
        *none &= !reached;
      }
}

static void set_block(lbVoxelGrid *grid, const Block *b) {
  for (int32_t z = b->low[2]; z < b->high[2]; z++)
    for (int32_t y = b->low[1]; y < b->high[1]; y++)
      for (int32_t x = b->low[0]; x < b->high[0]; x++)
        grid->cells[lb_voxel_grid_index(grid, x, y, z)] = LB_CELL_INSIDE;
}

// The least and greatest |w| at the block's eight outermost cells.
static void sample_corners(const Decision *decision, const Block *b, double *least,
                           double *greatest) {
  *least = INFINITY, *greatest = 0;
  for (int corner = 0; corner < 8; corner++) {
    double w = winding_at(decision, corner & 1 ? b->high[0] - 1 : b->low[0],
                          corner & 2 ? b->high[1] - 1 : b->low[1],
                          corner & 4 ? b->high[2] - 1 : b->low[2]);
    *least = fmin(*least, w);
    *greatest = fmax(*greatest, w);
  }
}

// Off the surface w is smooth, and steep only near the rim of a hole: a block without surface whose
// corners agree by a margin is decided as a whole, others in eight parts, down to single cells.
static void decide_block(const Decision *decision, Block block, int32_t side) {
  bool all, none;
  double least, greatest;
  count_reached(decision->grid, &block, &all, &none);
  if (none) return;
  if (side == 1) {
    if (winding_at(decision, block.low[0], block.low[1], block.low[2]) > 0.5)
      set_block(decision->grid, &block);
    return;
  }
  if (all) {
    sample_corners(decision, &block, &least, &greatest);
    if (least > 0.6) set_block(decision->grid, &block);
    if (least > 0.6 || greatest < 0.4) return;
  }
  for (int part = 0; part < 8; part++) {
    Block own = block;
    for (int i = 0; i < 3; i++) {
      int32_t middle = block.low[i] + side / 2;
      if (middle > block.high[i]) middle = block.high[i];
      *(part >> i & 1 ? &own.low[i] : &own.high[i]) = middle;
    }
    decide_block(decision, own, side / 2); // at most log2(BLOCK_SIDE) deep
  }
}

static void decide_blocks(int32_t begin, int32_t end, void *context) {
  const Decision *decision = context;
  const int32_t *size = decision->grid->size, *count = decision->block_count;
  for (int32_t i = begin; i < end; i++) {
    int32_t place[3] = { i % count[0], i / count[0] % count[1], i / count[0] / count[1] };
    Block block;
    for (int k = 0; k < 3; k++) {
      block.low[k] = BLOCK_SIDE * place[k];
      block.high[k] = block.low[k] + BLOCK_SIDE < size[k] ? block.low[k] + BLOCK_SIDE : size[k];
    }
    decide_block(decision, block, BLOCK_SIDE);
  }
}

static bool region_is_inside(const Decision *decision, const int32_t *cells, int32_t count) {
  int32_t samples = count < SAMPLE_COUNT ? count : SAMPLE_COUNT, inside = 0;
  const int32_t *size = decision->grid->size;
  if (!decision->closed) return true;
  for (int32_t i = 0; i < samples; i++) {
    int32_t cell = cells[(int64_t)i * count / samples];
    inside += winding_at(decision, cell % size[0], cell / size[0] % size[1],
                         cell / size[0] / size[1]) > 0.5;
  }
  return 2 * inside > samples;
}

static void decide_enclosed(const Decision *decision, int32_t *queue) {
  lbVoxelGrid *grid = decision->grid;
  for (int32_t cell = 0; cell < lb_voxel_grid_count(grid); cell++) {
    if (grid->cells[cell] != LB_CELL_EMPTY) continue;
    queue[0] = cell;
    grid->cells[cell] = REACHED;
    int32_t count = flood_cells(grid, REACHED, queue, 1);
    if (region_is_inside(decision, queue, count))
      for (int32_t i = 0; i < count; i++) grid->cells[queue[i]] = LB_CELL_INSIDE;
  }
}

static lbStatus decide(lbVoxelGrid *grid, const lbTriangles *surface, const lbTopology *topology,
                       int32_t *queue, lbError *err) {
  lbAabbTree *tree = NULL;
  lbWinding *winding = NULL;
  lbStatus status = lb_aabb_tree_build_triangles(surface, &tree, err);
  if (!status) status = lb_winding_create(tree, surface, topology->signs, &winding, err);
  if (!status) {
    Decision decision = { grid, winding, topology->unbalanced_edges == 0, { 0 } };
    int32_t *blocks = decision.block_count;
    for (int i = 0; i < 3; i++) blocks[i] = (grid->size[i] - 1) / BLOCK_SIDE + 1;
    flood_from_border(grid, queue);
    if (!decision.closed)
      lb_parallel_for(blocks[0] * blocks[1] * blocks[2], 8, decide_blocks, &decision);
    decide_enclosed(&decision, queue);
    for (int32_t cell = 0; cell < lb_voxel_grid_count(grid); cell++)
      if (grid->cells[cell] == REACHED) grid->cells[cell] = LB_CELL_EMPTY;
  }
  lb_winding_destroy(winding);
  lb_aabb_tree_destroy(tree);
  return status;
}

lbStatus lb_voxel_fill_inside(lbVoxelGrid *grid, const lbTriangles *surface, int32_t vertex_count,
                              lbError *err) {
  lbTopology *topology = NULL;
  Patch *patches = NULL;
  int32_t *queue = NULL;
  lbStatus status = lb_topology_create(surface, vertex_count, &topology, err);
  if (status) return status;
  patches = lb_alloc((size_t)topology->patch_count, sizeof *patches);
  queue = lb_alloc((size_t)lb_voxel_grid_count(grid), sizeof *queue);
  if (!patches || !queue) {
    status = lb_fail_memory(err);
    goto done;
  }
  measure_patches(topology, surface, patches);
  if (settle_signs(topology, patches)) status = decide(grid, surface, topology, queue, err);
done:
  lb_free(queue);
  lb_free(patches);
  lb_topology_destroy(topology);
  return status;
}

lbStatus lb_voxel_count_pieces(const lbVoxelGrid *grid, int32_t *piece_count, lbError *err) {
  int32_t count = lb_voxel_grid_count(grid), pieces = 0;
  lbVoxelGrid negative = *grid; // walks through empty cells, so: full cells empty, empty ones full
  int32_t *queue = lb_alloc((size_t)count, sizeof *queue);
  negative.cells = lb_alloc((size_t)count, 1);
  if (!queue || !negative.cells) {
    lb_free(queue);
    lb_free(negative.cells);
    return lb_fail_memory(err);
  }
  for (int32_t i = 0; i < count; i++)
    negative.cells[i] = grid->cells[i] == LB_CELL_EMPTY ? LB_CELL_TOUCHED : LB_CELL_EMPTY;
  for (int32_t i = 0; i < count; i++) {
    if (negative.cells[i] != LB_CELL_EMPTY) continue;
    negative.cells[i] = REACHED;
    queue[0] = i;
    flood_cells(&negative, REACHED, queue, 1);
    pieces++;
  }
  lb_free(queue);
  lb_free(negative.cells);
  *piece_count = pieces;
  return LB_OK;
}
