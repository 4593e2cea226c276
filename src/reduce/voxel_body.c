// What each cell of a grid holds of a volume mesh. Elements are cut into tets, these in half until
// they are smaller than half a cell, and each piece goes to the cell that holds its centre: volume
// and first moments of the mesh are kept exactly.
#include "reduce/voxel_body.h"

#include "mesh/voxel_mark.h"

#include <string.h>

static const double cells_most = 67108864; // 2^26

lbVoxelBodyDef lb_voxel_body_def(void) {
  return (lbVoxelBodyDef){ .voxels = 2000, .close_gaps = true };
}

// ---- pieces ------------------------------------------------------------------------------------

typedef struct Sweep {
  const lbMesh *mesh;
  lbVoxelGrid *grid;
  double piece;     // m, longest edge of a piece
  int32_t *last;    // (cells) element that was last seen there, -1: none
  int32_t *entries; // (cells + 1) how many elements a cell holds; later where they begin
  // second sweep:
  lbVoxelBody *body;
  int32_t *next; // (voxels) entry of the element that was last seen there
} Sweep;

static void take_piece(Sweep *s, int32_t element, lbVec3 centre, double volume) {
  int32_t at[3];
  if (!lb_voxel_grid_find(s->grid, centre, at)) return; // cannot happen: the grid encloses the mesh
  int32_t cell = lb_voxel_grid_index(s->grid, at[0], at[1], at[2]);
  bool is_new = s->last[cell] != element;
  s->last[cell] = element;
  if (!s->body) {
    s->entries[cell] += is_new;
    return;
  }
  lbVoxelBody *body = s->body;
  int32_t voxel = body->voxels->numbers[cell];
  if (is_new) body->elements[++s->next[voxel]] = element;
  body->shares[s->next[voxel]] += volume;
  body->volumes[voxel] += volume;
  double *moment = body->centres + 3 * (size_t)voxel;
  lb_vec3_store(moment, lb_add_scaled(lb_vec3_load(moment), volume, centre));
}

typedef struct Tet {
  lbVec3 at[4];
  double squares[6]; // of the lengths of its edges, in the order of `edges`
} Tet;

static const int edges[6][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 }, { 2, 3 } };
static const int edge_of[4][4] = { { 0, 0, 1, 2 }, { 0, 0, 3, 4 }, { 1, 3, 0, 5 }, { 2, 4, 5, 0 } };

static Tet make_tet(const lbVec3 corner[4]) {
  Tet tet;
  memcpy(tet.at, corner, sizeof tet.at);
  for (int e = 0; e < 6; e++) {
    lbVec3 edge = lb_sub(corner[edges[e][1]], corner[edges[e][0]]);
    tet.squares[e] = lb_dot(edge, edge);
  }
  return tet;
}

// Cut at the middle m of the longest edge ab: |mc|² = (|ac|² + |bc|²) / 2 − |ab|² / 4.
static void cut_tet(Sweep *s, int32_t element, const Tet *tet, double volume) {
  int longest = 0;
  for (int e = 1; e < 6; e++)
    if (tet->squares[e] > tet->squares[longest]) longest = e;
  double quarter = 0.25 * tet->squares[longest];
  if (4 * quarter <= s->piece * s->piece || volume == 0) {
    const lbVec3 *at = tet->at;
    lbVec3 centre = lb_scale(0.25, lb_add(lb_add(at[0], at[1]), lb_add(at[2], at[3])));
    take_piece(s, element, centre, volume);
    return;
  }
  int a = edges[longest][0], b = edges[longest][1], c = edges[5 - longest][0],
      d = edges[5 - longest][1]; // the opposite edge
  const double *old = tet->squares;
  double mc = 0.5 * (old[edge_of[a][c]] + old[edge_of[b][c]]) - quarter;
  double md = 0.5 * (old[edge_of[a][d]] + old[edge_of[b][d]]) - quarter;
  lbVec3 middle = lb_scale(0.5, lb_add(tet->at[a], tet->at[b]));
  for (int side = 0; side < 2; side++) {
    int gone = side ? a : b;
    Tet half = *tet;
    half.at[gone] = middle;
    half.squares[longest] = quarter;
    half.squares[edge_of[gone][c]] = mc, half.squares[edge_of[gone][d]] = md;
    cut_tet(s, element, &half, 0.5 * volume);
  }
}

static double tet_volume(const lbVec3 c[4]) {
  return fabs(lb_dot(lb_sub(c[1], c[0]), lb_cross(lb_sub(c[2], c[0]), lb_sub(c[3], c[0])))) / 6;
}

typedef void TetTaker(void *context, int32_t element, const lbVec3 corner[4]);

static void each_tet(const lbMesh *mesh, TetTaker *take, void *context) {
  // Six tets around the diagonal 0-6 of a brick.
  static const int brick_tets[6][4] = { { 0, 1, 2, 6 }, { 0, 2, 3, 6 }, { 0, 3, 7, 6 },
                                        { 0, 7, 4, 6 }, { 0, 4, 5, 6 }, { 0, 5, 1, 6 } };
  lbVec3 corner[4];
  for (int32_t t = 0; t < mesh->tet_count; t++) {
    const int32_t *nodes = mesh->tets + 4 * (size_t)t;
    for (int k = 0; k < 4; k++) corner[k] = lb_vec3_load(mesh->positions + 3 * (size_t)nodes[k]);
    take(context, t, corner);
  }
  for (int32_t b = 0; b < mesh->brick_count; b++)
    for (int i = 0; i < 6; i++) {
      const int32_t *nodes = mesh->bricks + 8 * (size_t)b;
      for (int k = 0; k < 4; k++)
        corner[k] = lb_vec3_load(mesh->positions + 3 * (size_t)nodes[brick_tets[i][k]]);
      take(context, mesh->tet_count + b, corner);
    }
}

static void add_cut_element(void *context, int32_t element, const lbVec3 corner[4]) {
  Tet tet = make_tet(corner);
  cut_tet(context, element, &tet, tet_volume(corner));
}

static void add_volume(void *context, int32_t element, const lbVec3 corner[4]) {
  (void)element;
  *(double *)context += tet_volume(corner);
}

static void cut_elements(Sweep *s) {
  for (int32_t cell = 0; cell < lb_voxel_grid_count(s->grid); cell++) s->last[cell] = -1;
  each_tet(s->mesh, add_cut_element, s);
}

// ---- the grid ----------------------------------------------------------------------------------

static lbBox mesh_box(const lbMesh *mesh) {
  lbBox box = lb_box_empty();
  for (int32_t i = 0; i < 4 * mesh->tet_count; i++)
    lb_box_add_point(&box, mesh->positions + 3 * (size_t)mesh->tets[i]);
  for (int32_t i = 0; i < 8 * mesh->brick_count; i++)
    lb_box_add_point(&box, mesh->positions + 3 * (size_t)mesh->bricks[i]);
  return box;
}

// Centred on the box, which it exceeds a little; cells a little smaller than asked for, so that the
// longest side has a whole number of them.
static lbStatus make_voxel_body_grid(const lbBox *box, double cell, lbVoxelGrid **grid,
                                     lbError *err) {
  double longest = 0, count[3], origin[3];
  int32_t size[3];
  for (int i = 0; i < 3; i++) longest = fmax(longest, box->high[i] - box->low[i]);
  if (!(longest > 0) || !isfinite(longest))
    return lb_fail(err, LB_ERR_MESH, "frames: the volume mesh has no size");
  cell = longest * (1 + 1e-9) / ceil(longest / cell * (1 - 1e-6));
  for (int i = 0; i < 3; i++)
    count[i] = fmax(1, ceil((box->high[i] - box->low[i]) / cell * (1 - 1e-6)));
  if (count[0] * count[1] * count[2] > cells_most)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "frames: voxels of %g m make a grid of %.0f x %.0f x %.0f, more than the %.0f "
                   "that fit, use fewer",
                   cell, count[0], count[1], count[2], cells_most);
  for (int i = 0; i < 3; i++) {
    size[i] = (int32_t)count[i];
    double side = fmax(count[i] * cell, box->high[i] - box->low[i]);
    origin[i] = 0.5 * (box->low[i] + box->high[i]) - 0.5 * side;
  }
  return lb_voxel_grid_create(lb_vec3_load(origin), cell, size, grid, err);
}

// ---- the first sweep: which cells, of what size ------------------------------------------------

// A grid with the filled cells marked, and how many elements each holds.
static lbStatus mark_filled_cells(Sweep *s, const lbBox *box, double cell, int32_t *filled,
                                  lbError *err) {
  lbStatus status = make_voxel_body_grid(box, cell, &s->grid, err);
  if (status) return status;
  size_t count = (size_t)lb_voxel_grid_count(s->grid);
  s->last = lb_alloc(count, sizeof *s->last);
  s->entries = lb_alloc(count + 1, sizeof *s->entries);
  if (!s->last || !s->entries) return lb_fail_memory(err);
  s->piece = 0.5 * s->grid->cell;
  cut_elements(s);
  *filled = 0;
  for (size_t i = 0; i < count; i++) {
    s->grid->cells[i] = s->entries[i] > 0 ? LB_VOXEL_FILLED : 0;
    *filled += s->entries[i] > 0;
  }
  return LB_OK;
}

static void forget_last_cells(Sweep *s) {
  lb_voxel_grid_destroy(s->grid);
  lb_free(s->last);
  lb_free(s->entries);
  s->grid = NULL;
  s->last = s->entries = NULL;
}

// Cells at the surface are filled in part, so there are more than volume / cell³: a few tries.
static lbStatus mark_about(Sweep *s, const lbBox *box, int32_t wanted, lbError *err) {
  double volume = 0;
  int32_t filled;
  each_tet(s->mesh, add_volume, &volume);
  if (!(volume > 0)) return lb_fail(err, LB_ERR_MESH, "frames: the volume mesh has no volume");
  double cell = cbrt(volume / wanted);
  for (int k = 0;; k++) {
    lbStatus status = mark_filled_cells(s, box, cell, &filled, err);
    double ratio = (double)filled / wanted;
    if (status || k == 4 || (ratio > 0.93 && ratio < 1.07)) return status;
    cell *= cbrt(ratio);
    forget_last_cells(s);
  }
}

// ---- closed faces ------------------------------------------------------------------------------

static int32_t list_voxel_body_nodes(const lbMesh *mesh, int32_t element, const int32_t **nodes) {
  bool tet = element < mesh->tet_count;
  *nodes = tet ? mesh->tets + 4 * (size_t)element
               : mesh->bricks + 8 * ((size_t)element - (size_t)mesh->tet_count);
  return tet ? 4 : 8;
}

// Stamps the nodes of the parts in a voxel, or searches for nodes with its stamp.
static bool visit_nodes(const lbMesh *mesh, const lbVoxelBody *body, int32_t voxel, int32_t stamp,
                        bool look, int32_t *stamps) {
  for (int32_t e = body->begin[voxel]; e < body->begin[voxel + 1]; e++) {
    const int32_t *nodes;
    int32_t count = list_voxel_body_nodes(mesh, body->elements[e], &nodes);
    for (int32_t k = 0; k < count; k++) {
      if (look && stamps[nodes[k]] == stamp) return true;
      if (!look) stamps[nodes[k]] = stamp;
    }
  }
  return false;
}

// Neighbours whose elements have no node in common do not belong together. Then the voxels are made
// anew; their numbers stay.
static lbStatus close_gaps(const lbMesh *mesh, lbVoxelBody *body, lbError *err) {
  lbVoxels *voxels = body->voxels, *parted;
  int32_t *stamps = lb_alloc((size_t)mesh->vertex_count, sizeof *stamps), closed = 0;
  if (!stamps) return lb_fail_memory(err);
  for (int32_t v = 0; v < voxels->count; v++) {
    visit_nodes(mesh, body, v, v + 1, false, stamps);
    for (int axis = 0; axis < 3; axis++) {
      int32_t next = voxels->neighbours[6 * v + 2 * axis + 1];
      if (next < 0 || visit_nodes(mesh, body, next, v + 1, true, stamps)) continue;
      voxels->grid->cells[voxels->cells[v]] |= (uint8_t)(LB_VOXEL_CLOSED_X << axis);
      closed++;
    }
  }
  lb_free(stamps);
  if (closed == 0) return LB_OK;
  lbStatus status = lb_voxels_create(voxels->grid, &parted, err);
  if (status) return status;
  lb_voxels_destroy(voxels);
  body->voxels = parted;
  return LB_OK;
}

// ---- the whole ---------------------------------------------------------------------------------

static lbStatus take_voxel_body_memory(const Sweep *s, lbVoxelBody *body, lbError *err) {
  size_t count = (size_t)body->voxels->count, entries = 0;
  for (size_t v = 0; v < count; v++) entries += (size_t)s->entries[body->voxels->cells[v]];
  if (entries > INT32_MAX)
    return lb_fail(err, LB_ERR_ARGUMENT, "frames: too many voxels and elements, use fewer voxels");
  body->volumes = lb_alloc(count, sizeof *body->volumes);
  body->centres = lb_alloc(3 * count, sizeof *body->centres);
  body->begin = lb_alloc(count + 1, sizeof *body->begin);
  body->elements = lb_alloc(entries, sizeof *body->elements);
  body->shares = lb_alloc(entries, sizeof *body->shares);
  if (!body->volumes || !body->centres || !body->begin || !body->elements || !body->shares)
    return lb_fail_memory(err);
  return LB_OK;
}

// A voxel with only flat elements has no volume: its own centre is used, with equal shares.
static void finish_voxel(lbVoxelBody *body, int32_t v) {
  double volume = body->volumes[v], *centre = body->centres + 3 * (size_t)v;
  int32_t count = body->begin[v + 1] - body->begin[v];
  if (volume > 0)
    lb_vec3_store(centre, lb_scale(1 / volume, lb_vec3_load(centre)));
  else
    lb_vec3_store(centre, lb_voxels_centre(body->voxels, v));
  for (int32_t e = body->begin[v]; e < body->begin[v + 1]; e++)
    body->shares[e] = volume > 0 ? body->shares[e] / volume : 1.0 / count;
}

static lbStatus collect_voxel_parts(Sweep *s, lbVoxelBody *body, lbError *err) {
  lbStatus status = take_voxel_body_memory(s, body, err);
  if (status) return status;
  int32_t count = body->voxels->count;
  s->next = lb_alloc((size_t)count, sizeof *s->next);
  if (!s->next) return lb_fail_memory(err);
  body->begin[0] = 0;
  for (int32_t v = 0; v < count; v++) {
    body->begin[v + 1] = body->begin[v] + s->entries[body->voxels->cells[v]];
    s->next[v] = body->begin[v] - 1;
  }
  s->body = body;
  cut_elements(s);
  lb_free(s->next);
  for (int32_t v = 0; v < count; v++) finish_voxel(body, v);
  return LB_OK;
}

static lbStatus check_voxel_body(const lbMesh *mesh, const lbVoxelBodyDef *def, lbError *err) {
  if (lb_mesh_element_count(mesh) == 0)
    return lb_fail(err, LB_ERR_MESH, "frames: the mesh has neither tets nor bricks");
  if (!(def->cell >= 0) || !isfinite(def->cell))
    return lb_fail(err, LB_ERR_ARGUMENT, "frames: the side of a voxel is %g m, use a length",
                   def->cell);
  if (def->cell == 0 && def->voxels < 1)
    return lb_fail(err, LB_ERR_ARGUMENT, "frames: %d voxels were asked for, use at least one",
                   (int)def->voxels);
  return LB_OK;
}

lbStatus lb_voxel_body_create(const lbMesh *mesh, const lbVoxelBodyDef *def, lbVoxelBody **out,
                              lbError *err) {
  lbStatus status = check_voxel_body(mesh, def, err);
  if (status) return status;
  Sweep s = { .mesh = mesh };
  int32_t filled;
  lbBox box = mesh_box(mesh);
  lbVoxelBody *body = lb_alloc(1, sizeof *body);
  status = body ? LB_OK : lb_fail_memory(err);
  if (!status)
    status = def->cell > 0 ? mark_filled_cells(&s, &box, def->cell, &filled, err)
                           : mark_about(&s, &box, def->voxels, err);
  if (!status) status = lb_voxels_create(s.grid, &body->voxels, err);
  if (!status) status = collect_voxel_parts(&s, body, err);
  if (!status && def->close_gaps) status = close_gaps(mesh, body, err);
  forget_last_cells(&s);
  if (status)
    lb_voxel_body_destroy(body);
  else
    *out = body;
  return status;
}

void lb_voxel_body_destroy(lbVoxelBody *body) {
  if (!body) return;
  lb_voxels_destroy(body->voxels);
  lb_free(body->volumes);
  lb_free(body->centres);
  lb_free(body->begin);
  lb_free(body->elements);
  lb_free(body->shares);
  lb_free(body);
}

// ---- values of elements ------------------------------------------------------------------------

void lb_voxel_body_mean(const lbVoxelBody *body, const double *element_values, double *values) {
  for (int32_t v = 0; v < body->voxels->count; v++) {
    values[v] = 0;
    for (int32_t e = body->begin[v]; e < body->begin[v + 1]; e++)
      values[v] += body->shares[e] * element_values[body->elements[e]];
  }
}

// The share of all elements in a voxel that have the number of entry e.
static double share_of(const lbVoxelBody *body, const int32_t *numbers, int32_t v, int32_t number) {
  double sum = 0;
  for (int32_t e = body->begin[v]; e < body->begin[v + 1]; e++)
    if (numbers[body->elements[e]] == number) sum += body->shares[e];
  return sum;
}

void lb_voxel_body_most(const lbVoxelBody *body, const int32_t *element_numbers, int32_t *numbers) {
  for (int32_t v = 0; v < body->voxels->count; v++) {
    double most = -1;
    for (int32_t e = body->begin[v]; e < body->begin[v + 1]; e++) {
      int32_t number = element_numbers[body->elements[e]];
      if (most >= 0 && number == numbers[v]) continue;
      double share = share_of(body, element_numbers, v, number);
      if (share > most || (share == most && number < numbers[v])) most = share, numbers[v] = number;
    }
  }
}
