// Where two bodies touch or could in this step.
//
// Their trees of boxes lead to leaves that are near each other; corners are tested against the
// faces in whose slabs they are, ridges against ridges. Edges that hardly bend are left out: where
// flat parts of surfaces meet, corners and the ridges around them tell all.
#include "world/touch.h"

#include "body/body.h"

#include <string.h>

#define RIDGE 0.97 // cosine: less bent edges are no ridge
#define DEPTH 0.25 // of the smaller reach: how far surfaces may overlap
#define OVERLAP                                                                                    \
  0.1 // of the smaller radius: how far bodies that meet for the first time are looked into
#define DEEPER 2.0 // times the overlap of the step before

typedef struct Pair {
  const lbWorld *world;
  const lbNear *near;
  lbTouchWork *work;
  const lbBody *bodies[2];
  const lbPlaced *placed[2];
  lbNearGap gap;
  double margin, grow, smaller;
} Pair;

static void grow_box(lbBox *box, double by) {
  for (int k = 0; k < 3; k++) box->low[k] -= by, box->high[k] += by;
}

static void add_place(lbBox *box, lbVec3 place) {
  double at[3];
  lb_vec3_store(at, place);
  lb_box_add_point(box, at);
}

// ---- triangles ---------------------------------------------------------------------------------

// Whether an edge stands out: hollow ones touch nothing.
static bool is_ridge(const lbSurfaceTriangle *t, lbVec3 normal, int k) {
  lbVec3 edge = lb_sub(t->corners[(k + 1) % 3], t->corners[k]);
  lbVec3 other = lb_sub(t->across[k], t->corners[k]), beyond = lb_cross(other, edge);
  if (t->own & LB_TWO_SIDED) return true;
  return lb_dot(normal, beyond) < RIDGE * lb_length(beyond) && lb_dot(normal, other) <= 0;
}

static void prepare(const Pair *p, int side, int32_t number, lbPairTriangle *t) {
  const lbPlaced *placed = p->placed[side];
  lbTriangles surface = lb_placed_surface(placed);
  lbSurfaceTriangle *at = &t->at;
  *at = lb_surface_triangle(&surface, placed->tree->across, placed->tree->own, number);
  t->number = number;
  t->facet = lb_facet(at->corners);
  t->slab = t->corners = t->ridges = lb_box_empty();
  for (int k = 0; k < 3; k++) {
    add_place(&t->slab, lb_add_scaled(at->corners[k], p->grow, t->facet.normal));
    add_place(&t->slab, lb_add_scaled(at->corners[k], -p->grow, t->facet.normal));
    if (at->own & LB_OWN_CORNER(k)) add_place(&t->corners, at->corners[k]);
    if (!(at->own & LB_OWN_EDGE(k))) continue;
    if (is_ridge(at, t->facet.normal, k)) {
      add_place(&t->ridges, at->corners[k]);
      add_place(&t->ridges, at->corners[(k + 1) % 3]);
    } else {
      at->own &= ~LB_OWN_EDGE(k);
    }
  }
  grow_box(&t->slab, 1e-9 * t->facet.longest);
  grow_box(&t->ridges, 0.5 * p->margin);
  t->reach = t->slab;
  lb_box_add_box(&t->reach, &t->ridges);
}

// Where the triangles of a leaf are among those that are prepared; -1: there is no room.
static int32_t prepare_leaf(const Pair *p, int side, int32_t id) {
  lbTouchWork *work = p->work;
  const lbAabbTree *boxes = p->placed[side]->boxes;
  const lbAabbNode *leaf = &boxes->nodes[id];
  int32_t *at = &work->leaves[side][id], *count = &work->triangle_counts[side];
  if (*at >= 0) return *at;
  if (*count + leaf->count > LB_PAIR_TRIANGLES) return -1;
  *at = *count;
  for (int32_t i = 0; i < leaf->count; i++)
    prepare(p, side, boxes->items[leaf->first + i], &work->triangles[side][(*count)++]);
  return *at;
}

// ---- pairs of triangles ------------------------------------------------------------------------

static int parts_of(const lbPairTriangle *a, const lbPairTriangle *b) {
  if (!lb_box_overlap(&a->reach, &b->reach)) return 0;
  return (lb_box_overlap(&a->corners, &b->slab) ? LB_PARTS_CORNERS_A : 0) |
         (lb_box_overlap(&a->slab, &b->corners) ? LB_PARTS_CORNERS_B : 0) |
         (lb_box_overlap(&a->ridges, &b->ridges) ? LB_PARTS_EDGES : 0);
}

static bool face_each_other(const Pair *p, const lbPairTriangle *a, const lbPairTriangle *b,
                            const lbTriangleTouch *found) {
  return lb_touch_faces(p->bodies[0], a, found->weights_a, found->normal) &&
         lb_touch_faces(p->bodies[1], b, found->weights_b, lb_scale(-1, found->normal));
}

static bool may_meet(const Pair *p, const lbPairTriangle *a, const lbPairTriangle *b,
                     const lbTriangleTouch *found) {
  lbVec3 one = lb_placed_velocity(p->placed[0], a->number, found->weights_a);
  lbVec3 other = lb_placed_velocity(p->placed[1], b->number, found->weights_b);
  return lb_near_may_meet(p->world, p->near, found->gap, found->normal, one, other);
}

static void touch_two(const Pair *p, const lbPairTriangle *a, const lbPairTriangle *b) {
  lbTriangleTouch found[LB_TRIANGLE_TOUCHES];
  int parts = parts_of(a, b);
  if (!parts) return;
  int32_t count = lb_facets_touch(&a->at, &a->facet, &b->at, &b->facet, parts, p->margin,
                                  DEPTH * p->smaller, found);
  for (int32_t i = 0; i < count; i++) {
    if (!may_meet(p, a, b, &found[i]) || !face_each_other(p, a, b, &found[i])) continue;
    lbTouchCandidate c = { .triangles = { a->number, b->number },
                           .point = found[i].on_b,
                           .normal = found[i].normal,
                           .feature = found[i].feature,
                           .gap = found[i].gap };
    for (int k = 0; k < 3; k++)
      c.weights[0][k] = found[i].weights_a[k], c.weights[1][k] = found[i].weights_b[k];
    lb_touch_add_candidate(p->work, p->smaller, &c);
  }
}

static void touch_leaves(const Pair *p, int32_t one, int32_t other) {
  const lbTouchWork *work = p->work;
  int32_t a = prepare_leaf(p, 0, one), b = prepare_leaf(p, 1, other);
  if (a < 0 || b < 0) return;
  const lbPairTriangle *first = work->triangles[0] + a, *second = work->triangles[1] + b;
  int32_t count = p->placed[1]->boxes->nodes[other].count;
  lbBox reach = lb_box_empty();
  for (int32_t j = 0; j < count; j++) lb_box_add_box(&reach, &second[j].reach);
  for (int32_t i = 0; i < p->placed[0]->boxes->nodes[one].count; i++)
    for (int32_t j = 0; j < count && lb_box_overlap(&first[i].reach, &reach); j++)
      touch_two(p, &first[i], &second[j]);
}

// ---- trees -------------------------------------------------------------------------------------

static bool boxes_are_near(const lbBox *a, const lbBox *b, double within) {
  for (int k = 0; k < 3; k++)
    if (!(a->low[k] - within <= b->high[k] && b->low[k] <= a->high[k] + within)) return false;
  return true;
}

// Whether some of a box is not too far behind where the other surface begins.
static bool is_in_front(const Pair *p, int side, const lbBox *box) {
  if (lb_box_is_empty(box)) return false;
  if (side == 0) return lb_box_extent(box, p->gap.axis) >= p->gap.begin - p->margin;
  return lb_box_extent(box, lb_scale(-1, p->gap.axis)) >= -(p->gap.end + p->margin);
}

static double size_of(const lbBox *box) {
  return (box->high[0] - box->low[0]) + (box->high[1] - box->low[1]) + (box->high[2] - box->low[2]);
}

// Both trees at once, the larger box first.
static void touch_all(const Pair *p) {
  enum { DEEP = 256 }; // the sum of the depths of two trees, at most
  int32_t stack[DEEP][2], depth = 0;
  stack[depth][0] = stack[depth][1] = 0;
  for (depth = 1; depth > 0;) {
    int32_t one = stack[--depth][0], other = stack[depth][1];
    const lbAabbNode *a = &p->placed[0]->boxes->nodes[one], *b = &p->placed[1]->boxes->nodes[other];
    if (!boxes_are_near(&a->box, &b->box, p->grow)) continue;
    if (a->count > 0 && b->count > 0) {
      touch_leaves(p, one, other);
      continue;
    }
    if (depth + 2 > DEEP) continue;
    bool first = b->count > 0 || (a->count == 0 && size_of(&a->box) >= size_of(&b->box));
    const int32_t children[2] = { first ? a->first : b->first, (first ? one : other) + 1 };
    for (int k = 0; k < 2; k++) { // the second child, later
      const lbAabbNode *nodes = p->placed[first ? 0 : 1]->boxes->nodes;
      if (!is_in_front(p, first ? 0 : 1, &nodes[children[k]].box)) continue;
      stack[depth][0] = first ? children[k] : one;
      stack[depth++][1] = first ? other : children[k];
    }
  }
}

// m: how deep they overlapped a step ago; below 0: they did not touch.
static double overlap_before(const lbWorldTouch *touch, int32_t a, int32_t b) {
  double deepest = -1;
  for (int32_t k = touch->remembered_first[a]; k >= 0; k = touch->remembered_next[k])
    if (touch->remembered[k].slots[1] == b)
      deepest = fmax(deepest, fmax(0, -touch->reports[k].gap));
  return deepest;
}

double lb_touch_pair(const lbWorld *world, lbTouchWork *work, lbNear *near) {
  const lbWorldTouch *touch = world->touch;
  int32_t a = near->slots[0], b = near->slots[1];
  Pair p = { .world = world, .near = near, .work = work, .gap = lb_near_gap(world, near) };
  double before = overlap_before(touch, a, b);
  double radius = fmin(touch->spheres[a].radius, touch->spheres[b].radius);
  p.smaller = fmin(touch->reaches[a], touch->reaches[b]);
  p.margin = p.gap.margin;
  p.grow = p.margin + (before < 0 ? OVERLAP * radius : DEEPER * before);
  if (p.gap.begin > p.gap.end) p.grow = p.margin; // nothing overlaps
  for (int side = 0; side < 2; side++) {
    const lbWorldSlot *slot = &world->slots[near->slots[side]];
    p.bodies[side] = slot->body, p.placed[side] = slot->placed;
    work->triangle_counts[side] = 0;
    memset(work->leaves[side], -1, (size_t)slot->placed->boxes->node_count * sizeof(int32_t));
  }
  if (p.margin > 0) touch_all(&p);
  return p.smaller;
}
