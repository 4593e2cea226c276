// The Menger sponge: a cube of 3^level smallest cubes a side, without those that at some level lie
// in the middle third along two axes or three. Each smallest cube is cells[0] x [1] x [2] cells.
#include "mesh/shapes/shapes.h"

typedef struct Sponge {
  lbMeshBuilder *builder;
  const lbShapeDef *def;
  int32_t n[3]; // cells along the axes
  int32_t *ids; // lattice point -> vertex, plus one; x fastest
} Sponge;

static bool is_solid(const Sponge *sponge, const int32_t at[3]) {
  int32_t cube[3];
  for (int a = 0; a < 3; a++) {
    if (at[a] < 0 || at[a] >= sponge->n[a]) return false;
    cube[a] = at[a] / sponge->def->cells[a];
  }
  for (int32_t level = 0; level < sponge->def->level; level++) {
    int middle = 0;
    for (int a = 0; a < 3; a++) {
      middle += cube[a] % 3 == 1;
      cube[a] /= 3;
    }
    if (middle >= 2) return false;
  }
  return true;
}

static int32_t *lattice_point(const Sponge *sponge, const int32_t at[3], const int8_t offset[3]) {
  size_t x = (size_t)(at[0] + offset[0]), y = (size_t)(at[1] + offset[1]);
  size_t z = (size_t)(at[2] + offset[2]), w = (size_t)sponge->n[0] + 1,
         h = (size_t)sponge->n[1] + 1;
  return &sponge->ids[x + w * (y + h * z)];
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

typedef void Visit(const Sponge *sponge, const int32_t at[3]);

static void for_each_cell(const Sponge *sponge, Visit *visit) {
  int32_t at[3];
  for (at[2] = 0; at[2] < sponge->n[2]; at[2]++)
    for (at[1] = 0; at[1] < sponge->n[1]; at[1]++)
      for (at[0] = 0; at[0] < sponge->n[0]; at[0]++)
        if (is_solid(sponge, at)) visit(sponge, at);
}

static void mark_cell(const Sponge *sponge, const int32_t at[3]) {
  for (int i = 0; i < 8; i++) *lattice_point(sponge, at, corners[i]) = 1;
}

static void emit_cell(const Sponge *sponge, const int32_t at[3]) {
  int32_t brick[8];
  for (int i = 0; i < 8; i++) brick[i] = *lattice_point(sponge, at, corners[i]) - 1;
  lb_shape_add_cell(sponge->builder, sponge->def->element, brick);
}

static bool is_open(const Sponge *sponge, const int32_t at[3], int face) {
  const int8_t *step = faces[face].step;
  return !is_solid(sponge, (int32_t[3]){ at[0] + step[0], at[1] + step[1], at[2] + step[2] });
}

static void mark_faces(const Sponge *sponge, const int32_t at[3]) {
  for (int f = 0; f < 6; f++)
    for (int i = 0; i < 4 && is_open(sponge, at, f); i++)
      *lattice_point(sponge, at, corners[faces[f].vertices[i]]) = 1;
}

static void emit_faces(const Sponge *sponge, const int32_t at[3]) {
  for (int f = 0; f < 6; f++) {
    if (!is_open(sponge, at, f)) continue;
    int32_t quad[4];
    for (int i = 0; i < 4; i++)
      quad[i] = *lattice_point(sponge, at, corners[faces[f].vertices[i]]) - 1;
    lb_shape_add_flat_quad(sponge->builder, sponge->def, quad);
  }
}

static void number_points(Sponge *sponge) {
  const double *size = sponge->def->size;
  const int32_t *n = sponge->n;
  int32_t count = 0, *id = sponge->ids;
  for (int32_t k = 0; k <= n[2]; k++)
    for (int32_t j = 0; j <= n[1]; j++)
      for (int32_t i = 0; i <= n[0]; i++, id++) {
        if (!*id) continue;
        *id = ++count;
        lb_mesh_add_vertex(sponge->builder, size[0] * ((double)i / n[0]),
                           size[1] * ((double)j / n[1]), size[2] * ((double)k / n[2]));
      }
}

static void build(lbMeshBuilder *builder, const lbShapeDef *def, Visit *mark, Visit *emit) {
  Sponge sponge = { .builder = builder, .def = def };
  size_t points = 1;
  int32_t cubes = 1;
  for (int32_t level = 0; level < def->level; level++) cubes *= 3;
  for (int a = 0; a < 3; a++) {
    sponge.n[a] = cubes * def->cells[a];
    points *= (size_t)sponge.n[a] + 1;
  }
  sponge.ids = lb_alloc(points, sizeof(int32_t));
  if (!sponge.ids) {
    builder->out_of_memory = true;
    return;
  }
  for_each_cell(&sponge, mark);
  number_points(&sponge);
  for_each_cell(&sponge, emit);
  lb_free(sponge.ids);
}

void lb_sponge_volume(lbMeshBuilder *builder, const lbShapeDef *def) {
  build(builder, def, mark_cell, emit_cell);
}

void lb_sponge_surface(lbMeshBuilder *builder, const lbShapeDef *def) {
  build(builder, def, mark_faces, emit_faces);
}
