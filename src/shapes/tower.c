// A lattice tower: four legs that lean inwards, between them on each side a panel of rings and
// crossed braces. Everything is made of bricks that share whole faces:
//   bays      cells[0], one above the other, lower towards the top as the tower gets narrower
//   legs      cells[2] x cells[2] cells; on the way up a bay they have the levels
//             foot of a brace | between | head of a brace | ring
//   braces    from the foot on one leg to the head on the other, cells[1] cells to the crossing and
//             cells[1] beyond; where two cross they share one cell
//   depth     braces and rings take the outer (cells[2] + 1) / 2 cells of the legs
#include "mesh/hash_table.h"
#include "mesh/faces.h"
#include "shapes/shapes.h"

#include "limber/math.h"

static const double top_width = 0.36;                // of the width at the ground
static const double brace_share = 0.65, ring = 0.75; // of the legs' thickness: heights

typedef struct Tower {
  lbMeshBuilder *builder;
  const lbShapeDef *def;
  int32_t bays, along, across, depth; // cells: of a brace's half, of a leg, of a panel
  int32_t bay_levels, levels;         // of the legs: cells
} Tower;

// Vertices at one end of a strip: its lower and its upper edge, from the outside inwards.
typedef struct Ends {
  const int32_t *lower, *upper;
} Ends;

// ---- shape -------------------------------------------------------------------------------------

// Half width at the height fraction h, as a share of that at the ground: leaning less and less.
static double width_at(double h) { return 1 - (1 - top_width) * (1 - pow(1 - h, 1.35)); }

// Where bay b begins, as a fraction of the height: each is q times as high as the one below.
static double bay_begin(int32_t b, int32_t bays) {
  double q = bays > 1 ? pow(0.5, 1.0 / (bays - 1)) : 0.5; // the topmost is half the lowest
  return (1 - pow(q, b)) / (1 - pow(q, bays));
}

double lb_tower_thickness_limit(const lbShapeDef *def) {
  double top_bay = 1 - bay_begin(def->cells[0] - 1, def->cells[0]);
  double narrow = top_width * fmin(def->size[0], def->size[1]);
  return fmin(narrow / 3, def->size[2] * top_bay / 4);
}

// Height of a level of the legs, and the share of the ground's width there: straight within a bay.
static double level_height(const Tower *tower, int32_t level, double *width) {
  int32_t bay = level / tower->bay_levels, i = level % tower->bay_levels;
  double low = bay_begin(bay, tower->bays), high = bay_begin(bay + 1, tower->bays);
  double t = tower->def->thickness / tower->def->size[2], f;
  double foot = low + brace_share * t, head = high - (ring + brace_share) * t;
  *width = width_at(low);
  if (i == 0) return low * tower->def->size[2];
  if (i <= tower->along + 1)
    f = foot + (head - foot) * (i - 1) / tower->along;
  else
    f = high - ring * t; // under the ring
  *width += (width_at(high) - *width) * (f - low) / (high - low);
  return f * tower->def->size[2];
}

// ---- legs --------------------------------------------------------------------------------------

// Legs 0 to 3 stand counter-clockwise from the corner of low x and y; i counts inwards along x, j
// along y.
static int32_t leg_vertex(const Tower *tower, int32_t leg, int32_t level, int32_t i, int32_t j) {
  int32_t row = tower->across + 1;
  return i + row * (j + row * (level + (tower->levels + 1) * leg));
}

static void add_leg_vertices(const Tower *tower) {
  const double *size = tower->def->size;
  for (int32_t leg = 0; leg < 4; leg++)
    for (int32_t level = 0; level <= tower->levels; level++) {
      double width, z = level_height(tower, level, &width);
      double x_side = leg == 1 || leg == 2 ? 1 : -1, y_side = leg >= 2 ? 1 : -1;
      if (level == tower->levels) z = size[2];
      for (int32_t j = 0; j <= tower->across; j++)
        for (int32_t i = 0; i <= tower->across; i++) {
          double step = tower->def->thickness / tower->across;
          lb_mesh_add_vertex(tower->builder,
                             size[0] / 2 + x_side * (size[0] / 2 * width - step * i),
                             size[1] / 2 + y_side * (size[1] / 2 * width - step * j), z);
        }
    }
}

static void add_leg_cells(const Tower *tower, int32_t leg) {
  static const int8_t corners[4][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } };
  for (int32_t level = 0; level < tower->levels; level++)
    for (int32_t j = 0; j < tower->across; j++)
      for (int32_t i = 0; i < tower->across; i++) {
        int32_t brick[8];
        for (int k = 0; k < 4; k++) { // legs 1 and 3 are mirrored
          const int8_t *c = corners[leg % 2 ? 3 - k : k];
          brick[k] = leg_vertex(tower, leg, level, i + c[0], j + c[1]);
          brick[k + 4] = leg_vertex(tower, leg, level + 1, i + c[0], j + c[1]);
        }
        lb_shape_add_cell(tower->builder, tower->def->element, brick);
      }
}

// ---- panels ------------------------------------------------------------------------------------

#define DEPTH_LIMIT ((LB_TOWER_LEG_CELLS + 1) / 2) // cells through a panel

// The inner face of a leg at this level, where the panel of `side` meets it: outside first.
static void leg_edge(const Tower *tower, int32_t side, bool right, int32_t level,
                     int32_t edge[DEPTH_LIMIT + 1]) {
  int32_t leg = (side + right) % 4, c = tower->across;
  for (int32_t e = 0; e <= tower->depth; e++)
    edge[e] = side % 2 ? leg_vertex(tower, leg, level, e, c) : leg_vertex(tower, leg, level, c, e);
}

static lbVec3 position(const Tower *tower, int32_t vertex) {
  return lb_vec3_load(tower->builder->mesh->positions + 3 * (size_t)vertex);
}

// New vertices at the fraction f between two edges.
static void add_tower_edge(const Tower *tower, const int32_t *from, const int32_t *to, double f,
                           int32_t *edge) {
  for (int32_t e = 0; e <= tower->depth && !tower->builder->out_of_memory; e++) {
    lbVec3 p = lb_add_scaled(lb_scale(1 - f, position(tower, from[e])), f, position(tower, to[e]));
    edge[e] = lb_mesh_add_vertex(tower->builder, p.x, p.y, p.z);
  }
}

static void add_strip_cells(const Tower *tower, Ends left, Ends right) {
  for (int32_t e = 0; e < tower->depth && !tower->builder->out_of_memory; e++) {
    const int32_t brick[8] = {
      left.lower[e], right.lower[e], right.lower[e + 1], left.lower[e + 1],
      left.upper[e], right.upper[e], right.upper[e + 1], left.upper[e + 1]
    };
    lb_shape_add_cell(tower->builder, tower->def->element, brick);
  }
}

// `cells` cells from the left end to the right one, seen from outside.
static void add_strip(const Tower *tower, Ends left, Ends right, int32_t cells) {
  int32_t lower[2][DEPTH_LIMIT + 1], upper[2][DEPTH_LIMIT + 1];
  Ends last = left;
  for (int32_t i = 1; i < cells && !tower->builder->out_of_memory; i++) {
    Ends next = { lower[i % 2], upper[i % 2] };
    add_tower_edge(tower, left.lower, right.lower, (double)i / cells, lower[i % 2]);
    add_tower_edge(tower, left.upper, right.upper, (double)i / cells, upper[i % 2]);
    add_strip_cells(tower, last, next);
    last = next;
  }
  add_strip_cells(tower, last, right);
}

// Where the line a0-a1 meets the line b0-b1, as a fraction of the first; all in one plane.
static double meeting(const Tower *tower, const int32_t *a0, const int32_t *a1, const int32_t *b0,
                      const int32_t *b1) {
  lbVec3 a = position(tower, a0[0]), u = lb_sub(position(tower, a1[0]), a);
  lbVec3 b = position(tower, b0[0]), v = lb_sub(position(tower, b1[0]), b);
  lbVec3 n = lb_cross(u, v);
  return lb_dot(lb_cross(lb_sub(b, a), v), n) / lb_dot(n, n);
}

// The two braces A (rising to the right) and B between the levels of their feet and heads.
static void add_cross(const Tower *tower, int32_t side, int32_t foot, int32_t head) {
  int32_t left[4][DEPTH_LIMIT + 1], right[4][DEPTH_LIMIT + 1]; // foot, its end, head, its end
  for (int i = 0; i < 4; i++) {
    int32_t level = (i < 2 ? foot : head) + i % 2;
    leg_edge(tower, side, false, level, left[i]);
    leg_edge(tower, side, true, level, right[i]);
  }
  // The corners of the shared cell: lower and upper edge of A with those of B.
  int32_t corner[4][DEPTH_LIMIT + 1]; // bottom, right, left, top
  for (int i = 0; i < 4 && !tower->builder->out_of_memory; i++) {
    int a = i / 2, b = i % 2;
    double f = meeting(tower, left[a], right[2 + a], right[b], left[2 + b]);
    add_tower_edge(tower, left[a], right[2 + a], f, corner[i]);
  }
  Ends bottom_left = { corner[0], corner[2] }, right_top = { corner[1], corner[3] };
  Ends left_top = { corner[2], corner[3] }, bottom_right = { corner[0], corner[1] };
  add_strip_cells(tower, bottom_left, right_top);
  add_strip(tower, (Ends){ left[0], left[1] }, bottom_left, tower->along);
  add_strip(tower, right_top, (Ends){ right[2], right[3] }, tower->along);
  add_strip(tower, (Ends){ left[2], left[3] }, left_top, tower->along);
  add_strip(tower, bottom_right, (Ends){ right[0], right[1] }, tower->along);
}

static void add_ring_side(const Tower *tower, int32_t side, int32_t level) {
  int32_t edges[4][DEPTH_LIMIT + 1];
  for (int i = 0; i < 4; i++) leg_edge(tower, side, i >= 2, level + i % 2, edges[i]);
  add_strip(tower, (Ends){ edges[0], edges[1] }, (Ends){ edges[2], edges[3] }, 2 * tower->along);
}

// ---- both meshes -------------------------------------------------------------------------------

void lb_tower_volume(lbMeshBuilder *builder, const lbShapeDef *def) {
  Tower tower = { .builder = builder, .def = def, .bays = def->cells[0], .along = def->cells[1] };
  tower.across = def->cells[2];
  tower.depth = (tower.across + 1) / 2;
  tower.bay_levels = tower.along + 3;
  tower.levels = tower.bays * tower.bay_levels;
  add_leg_vertices(&tower);
  for (int32_t leg = 0; leg < 4; leg++) add_leg_cells(&tower, leg);
  for (int32_t bay = 0; bay < tower.bays; bay++)
    for (int32_t side = 0; side < 4 && !builder->out_of_memory; side++) {
      int32_t begin = bay * tower.bay_levels;
      add_cross(&tower, side, begin, begin + tower.along + 1);
      add_ring_side(&tower, side, begin + tower.along + 2);
    }
}

// clang-format off
static const int8_t faces[6][4] = { { 0, 3, 2, 1 }, { 4, 5, 6, 7 }, { 0, 1, 5, 4 },
                                    { 1, 2, 6, 5 }, { 2, 3, 7, 6 }, { 3, 0, 4, 7 } };
// clang-format on

// Counts how often each face is there: first with `uses`, then those met once go to `builder`.
static bool walk_faces(const lbMesh *mesh, lbHashTable *table, int32_t *uses, int32_t *ids,
                       const lbShapeDef *def, lbMeshBuilder *builder) {
  for (int32_t f = 0; f < 6 * mesh->brick_count; f++) {
    int32_t quad[4], key[4];
    for (int i = 0; i < 4; i++)
      key[i] = quad[i] = mesh->bricks[8 * (size_t)(f / 6) + (size_t)faces[f % 6][i]];
    lb_sort_vertices(key, 4);
    int32_t face = lb_hash_table_add(table, key);
    if (face < 0) return false;
    if (!builder) {
      uses[face]++;
    } else if (uses[face] == 1) {
      for (int i = 0; i < 4; i++) {
        const double *p = mesh->positions + 3 * (size_t)quad[i];
        if (!ids[quad[i]]) ids[quad[i]] = lb_mesh_add_vertex(builder, p[0], p[1], p[2]) + 1;
        quad[i] = ids[quad[i]] - 1;
      }
      lb_shape_add_flat_quad(builder, def, quad);
    }
  }
  return true;
}

void lb_tower_surface(lbMeshBuilder *builder, const lbShapeDef *def) {
  lbMeshBuilder draft;
  lbShapeDef bricks = *def;
  lbHashTable table = lb_hash_table(4 * sizeof(int32_t));
  int32_t *uses = NULL, *ids = NULL;
  bricks.element = LB_ELEMENT_BRICK8;
  lb_mesh_builder_begin(&draft);
  lb_tower_volume(&draft, &bricks);
  if (!draft.out_of_memory) {
    uses = lb_alloc(6 * (size_t)draft.mesh->brick_count, sizeof(int32_t));
    ids = lb_alloc((size_t)draft.mesh->vertex_count, sizeof(int32_t));
  }
  if (!uses || !ids || !walk_faces(draft.mesh, &table, uses, ids, def, NULL) ||
      !walk_faces(draft.mesh, &table, uses, ids, def, builder))
    builder->out_of_memory = true;
  lb_hash_table_release(&table);
  lb_free(uses);
  lb_free(ids);
  lb_mesh_builder_abort(&draft);
}
