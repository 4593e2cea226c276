// A block of bricks whose lower end is held, moved by the waves
//
//   U_k(X) = e_d (X_z / size_z) sin(m pi (X_a / size_a + 1/7)),
//
// k counting the directions d fastest, then the axes a, then m from 1 on (a column: d across it,
// a along it); and in it a ring, whose vertices are carried by the bricks around them, or its own
// boundary.
#include "bench/render_model.h"

#include "limber/material.h"
#include "limber/math.h"

#include <math.h>

typedef struct Block {
  lbArena arena;
  int32_t cells[3], node_count, brick_count, vertex_count, triangle_count, vectors;
  double size[3];
  double *nodes, *basis, *ones, *zeros, *rising; // rising: the eigenvalues
  int32_t *bricks, *materials, *triangles, *sources, *carrier_begin, *carrier_nodes;
  double *vertices, *weights;
} Block;

static double *reals(Block *b, size_t count) {
  return lb_arena_alloc(&b->arena, count, sizeof(double));
}

static int32_t *integers(Block *b, size_t count) {
  return lb_arena_alloc(&b->arena, count, sizeof(int32_t));
}

static int32_t node_at(const Block *b, int32_t i, int32_t j, int32_t k) {
  return i + (b->cells[0] + 1) * (j + (b->cells[1] + 1) * k);
}

// ---- the block ---------------------------------------------------------------------------------

static void fill_nodes(Block *b) {
  for (int32_t n = 0; n < b->node_count; n++) {
    int32_t x = b->cells[0] + 1, y = b->cells[1] + 1;
    int32_t at[3] = { n % x, n / x % y, n / x / y };
    for (int c = 0; c < 3; c++) b->nodes[3 * n + c] = b->size[c] * at[c] / b->cells[c];
    b->ones[n] = 1;
  }
}

static void fill_bricks(Block *b) {
  static const int8_t corner[8][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 },
                                       { 0, 0, 1 }, { 1, 0, 1 }, { 1, 1, 1 }, { 0, 1, 1 } };
  int32_t *out = b->bricks;
  for (int32_t k = 0; k < b->cells[2]; k++)
    for (int32_t j = 0; j < b->cells[1]; j++)
      for (int32_t i = 0; i < b->cells[0]; i++)
        for (int c = 0; c < 8; c++)
          *out++ = node_at(b, i + corner[c][0], j + corner[c][1], k + corner[c][2]);
}

static void fill_basis(Block *b) {
  for (int32_t k = 0; k < b->vectors; k++) {
    bool column = b->cells[0] == 1;
    int direction = column ? k % 2 : k % 3, axis = column ? 2 : k / 3 % 3;
    int turns = 1 + (column ? k / 2 : k / 9);
    double *vector = b->basis + 3 * (size_t)b->node_count * (size_t)k;
    for (int32_t n = 0; n < b->node_count; n++) {
      const double *x = b->nodes + 3 * (size_t)n;
      vector[3 * n + direction] =
          x[2] / b->size[2] * sin(turns * LB_PI * (x[axis] / b->size[axis] + 1.0 / 7));
    }
    b->rising[k] = 40 * (1 + k);
  }
}

static bool make_block(Block *b) {
  b->node_count = (b->cells[0] + 1) * (b->cells[1] + 1) * (b->cells[2] + 1);
  b->brick_count = b->cells[0] * b->cells[1] * b->cells[2];
  size_t nodes = (size_t)b->node_count, vectors = (size_t)b->vectors;
  b->nodes = reals(b, 3 * nodes);
  b->basis = reals(b, 3 * nodes * vectors);
  b->ones = reals(b, nodes);
  b->zeros = reals(b, nodes + 6 * vectors);
  b->rising = reals(b, vectors);
  b->bricks = integers(b, 8 * (size_t)b->brick_count);
  b->materials = integers(b, (size_t)b->brick_count);
  if (!b->nodes || !b->basis || !b->ones || !b->zeros || !b->rising || !b->bricks || !b->materials)
    return false;
  fill_nodes(b);
  fill_bricks(b);
  fill_basis(b);
  return true;
}

// ---- surfaces ----------------------------------------------------------------------------------

static bool make_surface(Block *b, int32_t vertex_count, int32_t triangle_count) {
  size_t n = (size_t)vertex_count;
  b->vertex_count = vertex_count, b->triangle_count = triangle_count;
  b->vertices = reals(b, 3 * n);
  b->weights = reals(b, 8 * n);
  b->carrier_nodes = integers(b, 8 * n);
  b->carrier_begin = integers(b, n + 1);
  b->sources = integers(b, n);
  b->triangles = integers(b, 3 * (size_t)triangle_count);
  if (!b->vertices || !b->weights || !b->carrier_nodes || !b->carrier_begin || !b->sources ||
      !b->triangles)
    return false;
  for (int32_t v = 0; v <= vertex_count; v++) b->carrier_begin[v] = 8 * v;
  for (int32_t v = 0; v < vertex_count; v++) b->sources[v] = v;
  return true;
}

// The eight nodes of the brick that a vertex lies in, with trilinear weights.
static void carry(Block *b, int32_t vertex) {
  int32_t cell[3];
  double share[3];
  for (int c = 0; c < 3; c++) {
    double at = b->vertices[3 * (size_t)vertex + (size_t)c] / b->size[c] * b->cells[c];
    cell[c] = (int32_t)fmin(fmax(floor(at), 0), b->cells[c] - 1);
    share[c] = at - cell[c];
  }
  for (int k = 0; k < 8; k++) {
    int bit[3] = { k & 1, k >> 1 & 1, k >> 2 };
    double weight = 1;
    for (int c = 0; c < 3; c++) weight *= bit[c] ? share[c] : 1 - share[c];
    b->weights[8 * (size_t)vertex + (size_t)k] = weight;
    b->carrier_nodes[8 * (size_t)vertex + (size_t)k] =
        node_at(b, cell[0] + bit[0], cell[1] + bit[1], cell[2] + bit[2]);
  }
}

static int32_t *add_square(int32_t *out, int32_t a, int32_t b, int32_t c, int32_t d) {
  int32_t corners[6] = { a, b, c, a, c, d };
  for (int i = 0; i < 6; i++) *out++ = corners[i];
  return out;
}

static void fill_ring(Block *b, int32_t around, int32_t across) {
  int32_t *out = b->triangles;
  double thick = 0.45 * b->size[2], wide = 0.45 * b->size[0] - thick;
  for (int32_t v = 0; v < b->vertex_count; v++) {
    double angle = 2 * LB_PI * (v / across) / around, turn = 2 * LB_PI * (v % across) / across;
    double *x = b->vertices + 3 * (size_t)v, radius = wide + thick * cos(turn);
    x[0] = 0.5 * b->size[0] + radius * cos(angle);
    x[1] = 0.5 * b->size[1] + radius * sin(angle);
    x[2] = 0.5 * b->size[2] + thick * sin(turn);
    carry(b, v);
  }
  for (int32_t i = 0; i < around; i++)
    for (int32_t j = 0; j < across; j++) {
      int32_t next = (i + 1) % around, up = (j + 1) % across;
      out = add_square(out, i * across + j, next * across + j, next * across + up, i * across + up);
    }
}

// A column of bricks: every node is a vertex; four sides and two ends.
static void fill_column(Block *b) {
  static const int8_t side[4][2] = { { 0, 1 }, { 1, 3 }, { 3, 2 }, { 2, 0 } };
  int32_t *out = b->triangles, top = b->vertex_count - 4;
  for (int32_t v = 0; v < 3 * b->vertex_count; v++) b->vertices[v] = b->nodes[v];
  for (int32_t v = 0; v < b->vertex_count; v++) carry(b, v);
  for (int32_t v = 0; v < top; v += 4)
    for (int s = 0; s < 4; s++)
      out = add_square(out, v + side[s][0], v + side[s][1], v + 4 + side[s][1], v + 4 + side[s][0]);
  out = add_square(out, 0, 2, 3, 1);
  add_square(out, top, top + 1, top + 3, top + 2);
}

// ---- models ------------------------------------------------------------------------------------

static lbStatus make_model(const Block *b, const char *name, lbModel **out, lbError *err) {
  static const int32_t up = 2, law = LB_MATERIAL_LINEAR;
  static const double one = 1, values[6] = { 1e6, 0.3, 1000, 0, 0, 0 };
  lbModel draft = {
    .size = { .node_count = b->node_count,
              .brick_count = b->brick_count,
              .element_count = b->brick_count,
              .material_count = 1,
              .vertex_count = b->vertex_count,
              .triangle_count = b->triangle_count,
              .carrier_count = 8 * b->vertex_count,
              .mode_count = b->vectors },
    .name = name,
    .provenance = "",
    .up = &up,
    .node_positions = b->nodes,
    .node_masses = b->ones,
    .node_fixed = (const uint8_t *)b->zeros,
    .bricks = b->bricks,
    .element_materials = b->materials,
    .material_laws = &law,
    .material_values = values,
    .rigid_mass = &one,
    .rigid_centre = b->zeros,
    .rigid_inertia = b->zeros,
    .vertex_positions = b->vertices,
    .vertex_sources = b->sources,
    .triangles = b->triangles,
    .carrier_begin = b->carrier_begin,
    .carrier_nodes = b->carrier_nodes,
    .carrier_weights = b->weights,
    .modal_basis = b->basis,
    .modal_eigenvalues = b->rising,
    .modal_damping = b->zeros,
    .modal_gravity = b->zeros,
    .modal_rigid = b->zeros,
    .modal_residuals = b->zeros,
  };
  return lb_model_create(&draft, out, err);
}

lbStatus bench_render_ring(int32_t around, int32_t across, int32_t vectors, lbModel **out,
                           lbError *err) {
  Block b = { .cells = { 20, 20, 6 }, .size = { 1, 1, 0.3 }, .vectors = vectors };
  bool made = make_block(&b) && make_surface(&b, around * across, 2 * around * across);
  if (made) fill_ring(&b, around, across);
  lbStatus status = made ? make_model(&b, "ring", out, err) : lb_fail_memory(err);
  lb_arena_release(&b.arena);
  return status;
}

lbStatus bench_render_stem(int32_t vectors, lbModel **out, lbError *err) {
  Block b = { .cells = { 1, 1, 10 }, .size = { 0.02, 0.02, 0.4 }, .vectors = vectors };
  bool made = make_block(&b) && make_surface(&b, b.node_count, 84);
  if (made) fill_column(&b);
  lbStatus status = made ? make_model(&b, "stem", out, err) : lb_fail_memory(err);
  lb_arena_release(&b.arena);
  return status;
}
