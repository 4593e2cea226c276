// Triangles that cut each other: an edge of one passes strictly through the inside of the other.
// Candidates come from a tree of boxes over the triangles along a space-filling curve. Triangles
// that share an edge, only touch, or lie in one plane are left alone.
#include "mesh/report_parts.h"

#include "limber/math.h"

#include <stdlib.h>

#define LEAF_SIZE 4
// Work per triangle, on average, before the search gives up: a box that is visited counts as 1, a
// pair that is looked at as PAIR_WORK. Ordinary surfaces need about 300; a fan around one corner is
// quadratic.
#define WORK_PER_TRIANGLE 2000.0
#define PAIR_WORK 10

typedef struct Box {
  double low[3], high[3];
} Box;

typedef struct CurvePlace {
  uint64_t code; // along the curve
  int32_t triangle;
} CurvePlace;

// Node i has children 2 i and 2 i + 1; the root is 1, leaves are leaf_count .. 2 leaf_count - 1.
typedef struct Tree {
  const lbMesh *mesh;
  CurvePlace *order; // (triangle_count)
  size_t leaf_count; // a power of two
  Box *boxes;        // (2 leaf_count)
  Box *triangle_boxes;
  bool *cut; // (triangle_count)
  double work_left;
} Tree;

static bool overlap(const Box *a, const Box *b) {
  for (int i = 0; i < 3; i++)
    if (a->low[i] > b->high[i] || b->low[i] > a->high[i]) return false;
  return true;
}

static const Box empty_box = { { INFINITY, INFINITY, INFINITY },
                               { -INFINITY, -INFINITY, -INFINITY } };

static void box_add(Box *box, const Box *other) {
  for (int i = 0; i < 3; i++) {
    box->low[i] = fmin(box->low[i], other->low[i]);
    box->high[i] = fmax(box->high[i], other->high[i]);
  }
}

static int compare_crossing_places(const void *a, const void *b) {
  const CurvePlace *x = a, *y = b;
  if (x->code != y->code) return x->code < y->code ? -1 : 1;
  return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

// Interleaves the bits of the box's centre on a grid of 2^20 steps.
static uint64_t curve_code(const Box *box, const Box *all) {
  uint64_t code = 0, cell[3];
  for (int i = 0; i < 3; i++) {
    double extent = all->high[i] - all->low[i];
    double f = extent > 0 ? ((box->low[i] + box->high[i]) / 2 - all->low[i]) / extent : 0;
    cell[i] = (uint64_t)(fmin(fmax(f, 0), 1) * 1048575);
  }
  for (int bit = 19; bit >= 0; bit--)
    for (int i = 0; i < 3; i++) code = code << 1 | (cell[i] >> bit & 1);
  return code;
}

static void build_crossing_tree(Tree *tree) {
  const lbMesh *mesh = tree->mesh;
  Box all = empty_box;
  for (int32_t t = 0; t < mesh->triangle_count; t++) {
    Box *box = &tree->triangle_boxes[t];
    *box = empty_box;
    for (int i = 0; i < 3; i++) {
      const double *x = mesh->positions + 3 * (size_t)mesh->triangles[3 * (size_t)t + (size_t)i];
      box_add(box, &(Box){ { x[0], x[1], x[2] }, { x[0], x[1], x[2] } });
    }
    box_add(&all, box);
  }
  for (int32_t t = 0; t < mesh->triangle_count; t++)
    tree->order[t] = (CurvePlace){ curve_code(&tree->triangle_boxes[t], &all), t };
  qsort(tree->order, (size_t)mesh->triangle_count, sizeof(CurvePlace), compare_crossing_places);
  for (size_t i = 0; i < 2 * tree->leaf_count; i++) tree->boxes[i] = empty_box;
  for (size_t i = 0; i < (size_t)mesh->triangle_count; i++)
    box_add(&tree->boxes[tree->leaf_count + i / LEAF_SIZE],
            &tree->triangle_boxes[tree->order[i].triangle]);
  for (size_t i = tree->leaf_count - 1; i > 0; i--) {
    box_add(&tree->boxes[i], &tree->boxes[2 * i]);
    box_add(&tree->boxes[i], &tree->boxes[2 * i + 1]);
  }
}

// ---- pairs -------------------------------------------------------------------------------------

static double volume6(lbVec3 o, lbVec3 a, lbVec3 b, lbVec3 c) {
  return lb_dot(lb_sub(a, o), lb_cross(lb_sub(b, o), lb_sub(c, o)));
}

// Whether the edge p q passes through the inside of triangle t; `tiny` is a volume that counts as
// 0.
static bool passes_through(lbVec3 p, lbVec3 q, const lbVec3 t[3], double tiny) {
  double above = volume6(t[0], t[1], t[2], p), below = volume6(t[0], t[1], t[2], q);
  if (!((above > tiny && below < -tiny) || (above < -tiny && below > tiny))) return false;
  double a = volume6(p, q, t[0], t[1]), b = volume6(p, q, t[1], t[2]);
  double c = volume6(p, q, t[2], t[0]);
  return (a > tiny && b > tiny && c > tiny) || (a < -tiny && b < -tiny && c < -tiny);
}

static bool triangles_cut(const lbMesh *mesh, int32_t first, int32_t second) {
  const int32_t *v = mesh->triangles + 3 * (size_t)first;
  const int32_t *w = mesh->triangles + 3 * (size_t)second;
  lbVec3 x[3], y[3];
  double size = 0;
  int shared = 0;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) shared += v[i] == w[k];
  if (shared > 1) return false;
  for (int i = 0; i < 3; i++) {
    x[i] = lb_vec3_load(mesh->positions + 3 * (size_t)v[i]);
    y[i] = lb_vec3_load(mesh->positions + 3 * (size_t)w[i]);
  }
  for (int i = 0; i < 3; i++) {
    size = fmax(size, lb_length(lb_sub(x[i], x[0])));
    size = fmax(size, lb_length(lb_sub(y[i], x[0])));
  }
  double tiny = LB_FLAT_LIMIT * size * size * size;
  for (int i = 0; i < 3; i++)
    if (passes_through(x[i], x[(i + 1) % 3], y, tiny) ||
        passes_through(y[i], y[(i + 1) % 3], x, tiny))
      return true;
  return false;
}

// Pairs of the triangle at this place with those at later places; false when it takes too long.
static bool search(Tree *tree, size_t place, int32_t *pair_count) {
  size_t stack[128], depth = 0, count = (size_t)tree->mesh->triangle_count;
  int32_t t = tree->order[place].triangle;
  const Box *box = &tree->triangle_boxes[t];
  stack[depth++] = 1;
  while (depth) {
    size_t node = stack[--depth];
    if ((tree->work_left -= 1) < 0) return false;
    if (!overlap(box, &tree->boxes[node])) continue;
    if (node < tree->leaf_count) {
      stack[depth++] = 2 * node;
      stack[depth++] = 2 * node + 1;
      continue;
    }
    size_t begin = (node - tree->leaf_count) * LEAF_SIZE, end = begin + LEAF_SIZE;
    for (size_t i = begin > place ? begin : place + 1; i < end && i < count; i++) {
      int32_t other = tree->order[i].triangle;
      if (!overlap(box, &tree->triangle_boxes[other])) continue;
      tree->work_left -= PAIR_WORK;
      if (!triangles_cut(tree->mesh, t, other)) continue;
      tree->cut[t] = tree->cut[other] = true;
      ++*pair_count;
    }
  }
  return true;
}

void lb_report_intersections(lbReportBuilder *builder) {
  const lbMesh *mesh = builder->mesh;
  size_t count = (size_t)mesh->triangle_count;
  Tree tree = { .mesh = mesh, .leaf_count = 1, .work_left = WORK_PER_TRIANGLE * (double)count };
  while (tree.leaf_count * LEAF_SIZE < count) tree.leaf_count *= 2;
  tree.order = lb_alloc(count, sizeof(CurvePlace));
  tree.boxes = lb_alloc(2 * tree.leaf_count, sizeof(Box));
  tree.triangle_boxes = lb_alloc(count, sizeof(Box));
  tree.cut = lb_alloc(count, sizeof(bool));
  if (tree.order && tree.boxes && tree.triangle_boxes && tree.cut) {
    int32_t pair_count = 0;
    size_t place = 0;
    if (count) build_crossing_tree(&tree);
    while (place < count && search(&tree, place, &pair_count)) place++;
    builder->report->self_intersections_checked = place == count;
    builder->report->intersecting_pair_count = pair_count;
    for (int32_t i = 0; i < mesh->triangle_count; i++)
      if (tree.cut[i]) lb_report_item(builder, LB_SELF_INTERSECTIONS, i);
  } else {
    builder->out_of_memory = true;
  }
  lb_free(tree.order);
  lb_free(tree.boxes);
  lb_free(tree.triangle_boxes);
  lb_free(tree.cut);
}
