// Solids made of the cells of a box lattice: between three sets of lines, those cells that a
// function calls solid. Points are numbered x fastest, cells likewise.
#include "shapes/shapes.h"

typedef struct Walk {
  lbMeshBuilder *builder;
  const lbShapeDef *def;
  const lbLattice *lattice;
  int32_t *ids; // lattice point -> vertex, plus one; x fastest
} Walk;

typedef void Visit(const Walk *walk, const int32_t at[3]);

static bool is_solid_lattice(const Walk *walk, const int32_t at[3]) {
  for (int a = 0; a < 3; a++)
    if (at[a] < 0 || at[a] >= walk->lattice->cells[a]) return false;
  return walk->lattice->solid(walk->def, walk->lattice, at);
}

static int32_t *lattice_point(const Walk *walk, const int32_t at[3], const int8_t offset[3]) {
  size_t x = (size_t)(at[0] + offset[0]), y = (size_t)(at[1] + offset[1]);
  size_t z = (size_t)(at[2] + offset[2]);
  size_t w = (size_t)walk->lattice->cells[0] + 1, h = (size_t)walk->lattice->cells[1] + 1;
  return &walk->ids[x + w * (y + h * z)];
}

// clang-format off
static const int8_t corners[8][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 },
                                      { 0, 0, 1 }, { 1, 0, 1 }, { 1, 1, 1 }, { 0, 1, 1 } };
// Faces counter-clockwise from outside, and the step to the neighbour there.
static const struct { int8_t vertices[4], step[3]; } faces[6] = {
  { { 0, 3, 2, 1 }, { 0, 0, -1 } }, { { 4, 5, 6, 7 }, { 0, 0, 1 } },
  { { 0, 1, 5, 4 }, { 0, -1, 0 } }, { { 1, 2, 6, 5 }, { 1, 0, 0 } },
  { { 2, 3, 7, 6 }, { 0, 1, 0 } },  { { 3, 0, 4, 7 }, { -1, 0, 0 } } };
// clang-format on

static void for_each_cell(const Walk *walk, Visit *visit) {
  const int32_t *n = walk->lattice->cells;
  int32_t at[3];
  for (at[2] = 0; at[2] < n[2]; at[2]++)
    for (at[1] = 0; at[1] < n[1]; at[1]++)
      for (at[0] = 0; at[0] < n[0]; at[0]++)
        if (is_solid_lattice(walk, at)) visit(walk, at);
}

static void mark_cell(const Walk *walk, const int32_t at[3]) {
  for (int i = 0; i < 8; i++) *lattice_point(walk, at, corners[i]) = 1;
}

static void emit_cell(const Walk *walk, const int32_t at[3]) {
  int32_t brick[8];
  for (int i = 0; i < 8; i++) brick[i] = *lattice_point(walk, at, corners[i]) - 1;
  lb_shape_add_cell(walk->builder, walk->def->element, brick);
}

static bool is_open(const Walk *walk, const int32_t at[3], int face) {
  const int8_t *step = faces[face].step;
  return !is_solid_lattice(walk, (int32_t[3]){ at[0] + step[0], at[1] + step[1], at[2] + step[2] });
}

static void mark_faces(const Walk *walk, const int32_t at[3]) {
  for (int f = 0; f < 6; f++)
    for (int i = 0; i < 4 && is_open(walk, at, f); i++)
      *lattice_point(walk, at, corners[faces[f].vertices[i]]) = 1;
}

static void emit_faces(const Walk *walk, const int32_t at[3]) {
  for (int f = 0; f < 6; f++) {
    if (!is_open(walk, at, f)) continue;
    int32_t quad[4];
    for (int i = 0; i < 4; i++)
      quad[i] = *lattice_point(walk, at, corners[faces[f].vertices[i]]) - 1;
    lb_shape_add_flat_quad(walk->builder, walk->def, quad);
  }
}

static void number_points(const Walk *walk) {
  const int32_t *n = walk->lattice->cells;
  double *const *lines = walk->lattice->lines;
  int32_t count = 0, *id = walk->ids;
  for (int32_t k = 0; k <= n[2]; k++)
    for (int32_t j = 0; j <= n[1]; j++)
      for (int32_t i = 0; i <= n[0]; i++, id++) {
        if (!*id) continue;
        *id = ++count;
        lb_mesh_add_vertex(walk->builder, lines[0][i], lines[1][j], lines[2][k]);
      }
}

static void build_lattice(lbMeshBuilder *builder, const lbShapeDef *def, const lbLattice *lattice,
                          Visit *mark, Visit *emit) {
  Walk walk = { .builder = builder, .def = def, .lattice = lattice };
  size_t points = 1;
  for (int a = 0; a < 3; a++) points *= (size_t)lattice->cells[a] + 1;
  walk.ids = lb_alloc(points, sizeof(int32_t));
  if (!walk.ids) {
    builder->out_of_memory = true;
    return;
  }
  for_each_cell(&walk, mark);
  number_points(&walk);
  for_each_cell(&walk, emit);
  lb_free(walk.ids);
}

bool lb_lattice_begin(lbLattice *lattice, const int32_t cells[3]) {
  bool complete = true;
  for (int a = 0; a < 3; a++) {
    lattice->cells[a] = cells[a];
    lattice->lines[a] = lb_alloc((size_t)cells[a] + 1, sizeof(double));
    complete = complete && lattice->lines[a];
  }
  return complete;
}

void lb_lattice_release(lbLattice *lattice) {
  for (int a = 0; a < 3; a++) lb_free(lattice->lines[a]);
  lb_free(lattice->filled);
}

void lb_lattice_volume(lbMeshBuilder *builder, const lbShapeDef *def, const lbLattice *lattice) {
  build_lattice(builder, def, lattice, mark_cell, emit_cell);
}

void lb_lattice_surface(lbMeshBuilder *builder, const lbShapeDef *def, const lbLattice *lattice) {
  build_lattice(builder, def, lattice, mark_faces, emit_faces);
}
