// Rounded solids given by signed distances: the distance of the whole, and the bricks or tets of
// those cells of the box that hold some of the solid.
#include "shapes/implicit.h"

// ---- distance ----------------------------------------------------------------------------------

double lb_implicit_distance(const lbImplicit *shape, lbVec3 p, int *part) {
  double parts[LB_PART_LIMIT];
  shape->distances(p, parts);
  int nearest = 0;
  double whole = parts[0];
  for (int i = 1; i < shape->part_count; i++) {
    if (parts[i] < parts[nearest]) nearest = i;
    whole = lb_distance_join(whole, parts[i], shape->blend);
  }
  if (part) *part = nearest;
  return whole;
}

// From the corners of a small tetrahedron around p: sums of all four and of opposite pairs.
double lb_implicit_gradient(const lbImplicit *shape, lbVec3 p, double step, lbVec3 *gradient) {
  static const double corners[4][3] = { { 1, -1, -1 }, { -1, 1, -1 }, { -1, -1, 1 }, { 1, 1, 1 } };
  double sum = 0;
  lbVec3 slope = { 0, 0, 0 };
  for (int i = 0; i < 4; i++) {
    lbVec3 corner = lb_vec3_load(corners[i]);
    double d = lb_implicit_distance(shape, lb_add_scaled(p, step, corner), NULL);
    slope = lb_add_scaled(slope, d, corner);
    sum += d;
  }
  *gradient = lb_scale(1 / (4 * step), slope);
  return sum / 4;
}

lbVec3 lb_implicit_project(const lbImplicit *shape, lbVec3 p, double limit) {
  lbVec3 gradient;
  double d = lb_implicit_gradient(shape, p, 1e-3 * limit, &gradient);
  double square = lb_dot(gradient, gradient), length = fabs(d) / sqrt(fmax(square, 1e-6));
  double move = -d / fmax(square, 1e-6) * (length > limit ? limit / length : 1);
  return lb_add_scaled(p, move, gradient);
}

// ---- volume ------------------------------------------------------------------------------------

#define SAMPLES 4 // along each side of a cell

typedef struct Box {
  lbVec3 low, cell;
} Box;

static lbVec3 cell_point(const Box *box, const int32_t at[3], double x, double y, double z) {
  return lb_vec3(box->low.x + (at[0] + x) * box->cell.x, box->low.y + (at[1] + y) * box->cell.y,
                 box->low.z + (at[2] + z) * box->cell.z);
}

static bool holds_some(const lbImplicit *shape, const Box *box, const int32_t at[3]) {
  double middle = lb_implicit_distance(shape, cell_point(box, at, 0.5, 0.5, 0.5), NULL);
  if (middle < 0) return true;
  if (middle > lb_length(box->cell)) return false; // twice as far as the corners
  for (int i = 0; i < SAMPLES * SAMPLES * SAMPLES; i++) {
    int x = i % SAMPLES, y = i / SAMPLES % SAMPLES, z = i / SAMPLES / SAMPLES;
    lbVec3 p = cell_point(box, at, (x + 0.5) / SAMPLES, (y + 0.5) / SAMPLES, (z + 0.5) / SAMPLES);
    if (lb_implicit_distance(shape, p, NULL) < 0) return true;
  }
  return false;
}

static bool is_filled(const lbShapeDef *def, const lbLattice *lattice, const int32_t at[3]) {
  (void)def;
  size_t w = (size_t)lattice->cells[0], h = (size_t)lattice->cells[1];
  return lattice->filled[(size_t)at[0] + w * ((size_t)at[1] + h * (size_t)at[2])];
}

// In the order in which the lattice emits them: one brick or six tets a cell.
static void add_element_groups(lbMeshBuilder *builder, const lbShapeDef *def,
                               const lbImplicit *shape, const lbLattice *lattice, const Box *box) {
  int32_t groups[LB_PART_LIMIT], element = 0, at[3];
  for (int i = 0; i < shape->part_count; i++)
    groups[i] = lb_mesh_add_group(builder, LB_GROUP_ELEMENTS, 0, shape->parts[i].elements);
  bool bricks = def->element == LB_ELEMENT_BRICK8;
  for (at[2] = 0; at[2] < lattice->cells[2]; at[2]++)
    for (at[1] = 0; at[1] < lattice->cells[1]; at[1]++)
      for (at[0] = 0; at[0] < lattice->cells[0]; at[0]++) {
        if (!is_filled(def, lattice, at)) continue;
        int part;
        lb_implicit_distance(shape, cell_point(box, at, 0.5, 0.5, 0.5), &part);
        for (int i = 0; i < (bricks ? 1 : 6); i++, element++)
          lb_mesh_add_to_group(builder, groups[part], bricks ? LB_BRICK_ID + element : element);
      }
}

static void fill_implicit_cells(const lbImplicit *shape, const Box *box, lbLattice *lattice) {
  const int32_t *n = lattice->cells;
  uint8_t *flag = lattice->filled;
  int32_t at[3];
  for (at[2] = 0; at[2] < n[2]; at[2]++)
    for (at[1] = 0; at[1] < n[1]; at[1]++)
      for (at[0] = 0; at[0] < n[0]; at[0]++) *flag++ = holds_some(shape, box, at);
}

void lb_implicit_volume(lbMeshBuilder *builder, const lbShapeDef *def, const lbImplicit *shape) {
  const int32_t *n = def->cells;
  lbVec3 extent = lb_sub(shape->high, shape->low);
  Box box = { shape->low, { extent.x / n[0], extent.y / n[1], extent.z / n[2] } };
  lbLattice lattice = { .solid = is_filled };
  bool complete = lb_lattice_begin(&lattice, n);
  lattice.filled = lb_alloc((size_t)n[0] * (size_t)n[1] * (size_t)n[2], 1);
  if (complete && lattice.filled) {
    for (int a = 0; a < 3; a++)
      for (int32_t i = 0; i <= n[a]; i++) lattice.lines[a][i] = def->size[a] * ((double)i / n[a]);
    fill_implicit_cells(shape, &box, &lattice);
    complete = lb_cells_join(lattice.filled, n);
  }
  if (complete && lattice.filled) {
    lb_lattice_volume(builder, def, &lattice);
    add_element_groups(builder, def, shape, &lattice, &box);
  } else {
    builder->out_of_memory = true;
  }
  lb_lattice_release(&lattice);
}
