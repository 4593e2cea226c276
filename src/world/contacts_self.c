// Contact points of a body with itself.
//
// A box tree of the rest surface, refitted to the present one, gives pairs of triangles near each
// other. Most of them always are: neighbours, and the two sides of a thin part. Only points that
// are now several times nearer than at rest count.
#include "world/touch.h"

// Times nearer than at rest: such points touch. Doubled, folds touch later.
#define NEARER 4.0
// Of the radius: deepest overlap of a surface with itself. Doubled, the far side of thin parts may
// be taken for the near side.
#define SELF_DEPTH 0.05
// Of the radius: greatest margin, since every triangle is searched. Doubled, more time.
#define SELF_MARGIN 0.02

// ---- pairs -------------------------------------------------------------------------------------

typedef struct SelfSearch {
  lbTouchWork *work;
  const lbTree *tree;
  lbTriangles surface;
  int32_t one; // the triangle whose surroundings are searched
  double margin, depth, length;
} SelfSearch;

static bool share_a_corner(const int32_t *a, const int32_t *b) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      if (a[i] == b[j]) return true;
  return false;
}

static lbVec3 rest_position(const SelfSearch *l, int32_t triangle, const double w[3]) {
  lbPoint point = lb_point_triangle(triangle, w[0], w[1], w[2]);
  return lb_point_rest(l->tree->model, &point);
}

static void add_self_touch(const SelfSearch *l, int32_t other, const lbTriangleTouch *found) {
  lbVec3 apart =
      lb_sub(rest_position(l, l->one, found->weights_a), rest_position(l, other, found->weights_b));
  if (lb_length(apart) < NEARER * fmax(fabs(found->gap), l->margin)) return;
  lbTouchCandidate c = { .triangles = { l->one, other },
                         .point = found->on_b,
                         .normal = found->normal,
                         .feature = found->feature,
                         .gap = found->gap };
  for (int k = 0; k < 3; k++)
    c.weights[0][k] = found->weights_a[k], c.weights[1][k] = found->weights_b[k];
  lb_touch_add_candidate(l->work, l->length, &c);
}

static bool test_pair(int32_t other, void *context) {
  const SelfSearch *l = context;
  const int32_t *ids = l->surface.triangles;
  lbTriangleTouch found[LB_TRIANGLE_TOUCHES];
  if (other <= l->one || share_a_corner(ids + 3 * (size_t)l->one, ids + 3 * (size_t)other))
    return true;
  lbSurfaceTriangle a = lb_surface_triangle(&l->surface, l->tree->across, l->tree->own, l->one);
  lbSurfaceTriangle b = lb_surface_triangle(&l->surface, l->tree->across, l->tree->own, other);
  int32_t count = lb_triangles_touch(&a, &b, l->margin, l->depth, found);
  for (int32_t i = 0; i < count; i++) add_self_touch(l, other, &found[i]);
  return true;
}

void lb_self_find(const lbWorld *world, lbTouchWork *work, int32_t slot) {
  const lbWorldTouch *touch = world->touch;
  lbPlaced *placed = world->slots[slot].placed;
  double radius = touch->spheres[slot].radius;
  SelfSearch l = { .work = work,
                   .tree = placed->tree,
                   .surface = lb_placed_surface(placed),
                   .margin = fmin(touch->margins[slot], SELF_MARGIN * radius),
                   .depth = SELF_DEPTH * radius,
                   .length = radius };
  lb_placed_refit(placed);
  for (l.one = 0; l.one < l.surface.count; l.one++) {
    lbBox box = lb_triangle_box(&l.surface, l.one);
    for (int k = 0; k < 3; k++) box.low[k] -= l.margin, box.high[k] += l.margin;
    (void)lb_aabb_tree_overlap(placed->nodes, &box, test_pair, &l);
  }
}
