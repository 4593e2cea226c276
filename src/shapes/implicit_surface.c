// The surface of a rounded solid: the faces of those cells of a fine grid whose middles are inside,
// drawn onto the surface while their vertices spread evenly over it, and cut where parts meet.
#include "shapes/implicit.h"

#define LEAST_CELLS 52 // along the longest side
#define ROUNDS 11      // of spreading

double lb_implicit_grid(const lbImplicit *shape, int32_t segments, int32_t cells[3]) {
  lbVec3 extent = lb_sub(shape->high, shape->low);
  double longest = fmax(extent.x, fmax(extent.y, extent.z));
  double along = fmax(LEAST_CELLS, segments * shape->cells_a_row), side = longest / along;
  double sides[3];
  lb_vec3_store(sides, extent);
  for (int a = 0; a < 3; a++) cells[a] = (int32_t)ceil(sides[a] / side) + 4; // two free on each end
  return side;
}

// ---- cells -------------------------------------------------------------------------------------

static bool is_inside_implicit(const lbShapeDef *def, const lbLattice *lattice,
                               const int32_t at[3]) {
  (void)def;
  size_t w = (size_t)lattice->cells[0], h = (size_t)lattice->cells[1];
  return lattice->filled[(size_t)at[0] + w * ((size_t)at[1] + h * (size_t)at[2])];
}

// A row along x; where the surface is far, cells up to half way to it need no asking.
static void fill_row(const lbImplicit *shape, lbLattice *lattice, double side, int32_t y, int32_t z,
                     uint8_t *row) {
  double *const *lines = lattice->lines;
  lbVec3 p = { 0, lines[1][y] + side / 2, lines[2][z] + side / 2 };
  for (int32_t x = 0; x < lattice->cells[0];) {
    p.x = lines[0][x] + side / 2;
    double d = lb_implicit_distance(shape, p, NULL);
    int32_t run = 1 + (int32_t)(0.5 * fabs(d) / side);
    for (int32_t end = x + run; x < end && x < lattice->cells[0]; x++) row[x] = d < 0;
  }
}

static bool fill_lattice(const lbImplicit *shape, int32_t segments, lbLattice *lattice) {
  int32_t n[3];
  double side = lb_implicit_grid(shape, segments, n), low[3], high[3];
  *lattice = (lbLattice){ .solid = is_inside_implicit };
  bool complete = lb_lattice_begin(lattice, n);
  lattice->filled = lb_alloc((size_t)n[0] * (size_t)n[1] * (size_t)n[2], 1);
  if (!complete || !lattice->filled) return false;
  lb_vec3_store(low, shape->low);
  lb_vec3_store(high, shape->high);
  for (int a = 0; a < 3; a++)
    for (int32_t i = 0; i <= n[a]; i++)
      lattice->lines[a][i] = (low[a] + high[a]) / 2 + (i - n[a] / 2.0) * side;
  for (int32_t z = 0; z < n[2]; z++)
    for (int32_t y = 0; y < n[1]; y++) {
      size_t row = (size_t)n[0] * ((size_t)y + (size_t)n[1] * (size_t)z);
      fill_row(shape, lattice, side, y, z, lattice->filled + row);
    }
  return lb_cells_join(lattice->filled, n);
}

// ---- spreading ---------------------------------------------------------------------------------

// The faces are pairs of triangles a b c, a c d.
static void quad_of(const lbMesh *mesh, int32_t face, int32_t quad[4]) {
  const int32_t *pair = mesh->triangles + 6 * (size_t)face;
  quad[0] = pair[0], quad[1] = pair[1], quad[2] = pair[2], quad[3] = pair[5];
}

// sums[4 v ..]: of the neighbours' positions along the sides of faces, and how many they are.
static void sum_implicit_neighbours(const lbMesh *mesh, double *sums) {
  for (size_t i = 0; i < 4 * (size_t)mesh->vertex_count; i++) sums[i] = 0;
  for (int32_t f = 0; f < mesh->triangle_count / 2; f++) {
    int32_t quad[4];
    quad_of(mesh, f, quad);
    for (int i = 0; i < 4; i++) { // each side is met from both of its faces, once a direction
      double *sum = sums + 4 * (size_t)quad[i];
      const double *next = mesh->positions + 3 * (size_t)quad[(i + 1) % 4];
      for (int a = 0; a < 3; a++) sum[a] += next[a];
      sum[3] += 1;
    }
  }
}

static bool spread_vertices(lbMesh *mesh, const lbImplicit *shape, double side) {
  double *sums = lb_alloc(4 * (size_t)mesh->vertex_count, sizeof(double));
  if (!sums) return false;
  for (int round = 0; round < ROUNDS + 3; round++) {
    if (round < ROUNDS) sum_implicit_neighbours(mesh, sums); // then only onto the surface
    for (size_t v = 0; v < (size_t)mesh->vertex_count; v++) {
      const double *sum = sums + 4 * v;
      lbVec3 p = lb_vec3_load(mesh->positions + 3 * v);
      lbVec3 middle = lb_scale(1 / sum[3], lb_vec3_load(sum));
      if (round < ROUNDS) p = lb_add_scaled(lb_scale(0.4, p), 0.6, middle);
      if (round > 0) p = lb_implicit_project(shape, p, side / 2);
      lb_vec3_store(mesh->positions + 3 * v, p);
    }
  }
  lb_free(sums);
  return true;
}

// Cuts every face along its shorter diagonal.
static void turn_diagonals(lbMesh *mesh) {
  for (int32_t f = 0; f < mesh->triangle_count / 2; f++) {
    int32_t quad[4];
    lbVec3 p[4];
    quad_of(mesh, f, quad);
    for (int i = 0; i < 4; i++) p[i] = lb_vec3_load(mesh->positions + 3 * (size_t)quad[i]);
    if (lb_length(lb_sub(p[2], p[0])) <= lb_length(lb_sub(p[3], p[1]))) continue;
    const int32_t turned[6] = { quad[1], quad[2], quad[3], quad[1], quad[3], quad[0] };
    for (int i = 0; i < 6; i++) mesh->triangles[6 * (size_t)f + (size_t)i] = turned[i];
  }
}

// ---- the finished surface ----------------------------------------------------------------------

static void add_scaled_vertices(lbMeshBuilder *builder, const lbShapeDef *def,
                                const lbImplicit *shape, const lbMesh *draft) {
  double low[3], extent[3], p[3];
  lb_vec3_store(low, shape->low);
  lb_vec3_store(extent, lb_sub(shape->high, shape->low));
  for (size_t v = 0; v < (size_t)draft->vertex_count; v++) {
    for (size_t a = 0; a < 3; a++) {
      double f = (draft->positions[3 * v + a] - low[a]) / extent[a];
      p[a] = def->size[a] * fmin(1, fmax(0, f)); // the box is right to a thousandth
    }
    lb_mesh_add_vertex(builder, p[0], p[1], p[2]);
  }
}

static void add_implicit_flat_triangle(lbMeshBuilder *builder, const lbShapeDef *def,
                                       const int32_t *v) {
  if (builder->out_of_memory) return;
  const double *x[3];
  for (int i = 0; i < 3; i++) x[i] = builder->mesh->positions + 3 * (size_t)v[i];
  lbVec3 a = lb_vec3_load(x[0]);
  double normal[3];
  lb_vec3_store(normal, lb_cross(lb_sub(lb_vec3_load(x[1]), a), lb_sub(lb_vec3_load(x[2]), a)));
  lb_shape_add_triangle(builder, lb_shape_flat_corner(def, v[0], x[0], normal),
                        lb_shape_flat_corner(def, v[1], x[1], normal),
                        lb_shape_flat_corner(def, v[2], x[2], normal));
}

static void add_implicit_parts(lbMeshBuilder *builder, const lbShapeDef *def,
                               const lbImplicit *shape, const lbPartTriangles *triangles) {
  int32_t groups[LB_PART_LIMIT], appearances[LB_PART_LIMIT];
  for (int i = 0; i < shape->part_count; i++) {
    const lbImplicitPart *part = &shape->parts[i];
    groups[i] = lb_mesh_add_group(builder, LB_GROUP_TRIANGLES, 0, part->name);
    appearances[i] = lb_mesh_add_appearance(builder, part->name);
    if (builder->out_of_memory) return;
    lbAppearance *appearance = &builder->mesh->appearances[appearances[i]];
    for (int a = 0; a < 3; a++) appearance->base_color[a] = part->color[a];
    appearance->roughness = part->roughness;
  }
  for (int32_t t = 0; t < triangles->count && !builder->out_of_memory; t++) {
    const int32_t *item = triangles->items[t];
    add_implicit_flat_triangle(builder, def, item);
    lb_mesh_set_triangle_appearance(builder, appearances[item[3]]);
    lb_mesh_add_to_group(builder, groups[item[3]], t);
  }
}

void lb_implicit_surface(lbMeshBuilder *builder, const lbShapeDef *def, const lbImplicit *shape) {
  lbMeshBuilder draft;
  lbLattice lattice;
  lbPartTriangles triangles = { 0 };
  int32_t cells[3];
  double side = lb_implicit_grid(shape, def->segments, cells);
  lb_mesh_builder_begin(&draft);
  if (!fill_lattice(shape, def->segments, &lattice)) draft.out_of_memory = true;
  if (!draft.out_of_memory) lb_lattice_surface(&draft, def, &lattice);
  lb_lattice_release(&lattice);
  if (!draft.out_of_memory && !spread_vertices(draft.mesh, shape, side)) draft.out_of_memory = true;
  if (!draft.out_of_memory) {
    turn_diagonals(draft.mesh);
    lb_implicit_cut(&draft, shape, side, &triangles);
  }
  if (!draft.out_of_memory) {
    add_scaled_vertices(builder, def, shape, draft.mesh);
    add_implicit_parts(builder, def, shape, &triangles);
  }
  builder->out_of_memory = builder->out_of_memory || draft.out_of_memory;
  lb_free(triangles.items);
  lb_mesh_builder_abort(&draft);
}
