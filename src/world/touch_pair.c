// Where two bodies touch or could in this step.
//
// What of each surface is near the other is gathered, boxes leading to boxes; corners are tested
// against the faces in whose slabs they are, ridges against ridges. Edges that hardly bend are left
// out: where flat parts of surfaces meet, corners and the ridges around them tell all.
#include "world/touch.h"

#include "body/body.h"

#include <string.h>

#define RIDGE 0.996 // cosine: less bent edges are no ridge
#define DEPTH 0.25  // of the smaller radius: how far surfaces may overlap
#define OVERLAP 0.1 // of it: how far bodies that meet for the first time are looked into
#define DEEPER 2.0  // times the overlap of the step before

typedef struct Gathering {
  lbWorldTouch *touch;
  const lbBody *body;
  int side;
  lbBox box; // world: what matters
} Gathering;

static void grow_box(lbBox *box, double by) {
  for (int k = 0; k < 3; k++) box->low[k] -= by, box->high[k] += by;
}

static void add_place(lbBox *box, lbVec3 place) {
  double at[3];
  lb_vec3_store(at, place);
  lb_box_add_point(box, at);
}

// ---- what is near ------------------------------------------------------------------------------

static bool reaches_box(void *context, lbVec3 centre, double radius) {
  const Gathering *g = context;
  double at[3];
  lb_vec3_store(at, lb_body_place(g->body, centre));
  return lb_box_distance2(&g->box, at) < radius * radius;
}

static bool gather(void *context, const lbSurfaceTriangle *triangle, int32_t number) {
  const Gathering *g = context;
  int32_t *count = &g->touch->triangle_counts[g->side];
  if (*count == LB_PAIR_TRIANGLES) return false;
  lbPairTriangle *to = &g->touch->triangles[g->side][*count];
  to->at.own = triangle->own, to->number = number, to->box = lb_box_empty();
  for (int k = 0; k < 3; k++) {
    to->at.corners[k] = lb_body_place(g->body, triangle->corners[k]);
    add_place(&to->box, to->at.corners[k]);
  }
  if (!lb_box_overlap(&to->box, &g->box)) return true;
  for (int k = 0; k < 3; k++) to->at.across[k] = lb_body_place(g->body, triangle->across[k]);
  ++*count;
  return true;
}

// The triangles of a body in a box; *around <- their box, grown.
static bool gather_in(lbWorld *world, int side, int32_t slot, const lbBox *box, double grow,
                      lbBox *around) {
  lbWorldTouch *touch = world->touch;
  Gathering g = { touch, world->slots[slot].body, side, *box };
  touch->triangle_counts[side] = 0;
  *around = lb_box_empty();
  if (!lb_touch_visit(g.body, reaches_box, gather, &g)) return false;
  for (int32_t i = 0; i < touch->triangle_counts[side]; i++)
    lb_box_add_box(around, &touch->triangles[side][i].box);
  grow_box(around, grow);
  return true;
}

static void leave_those_in(lbWorldTouch *touch, int side, const lbBox *box) {
  int32_t kept = 0;
  for (int32_t i = 0; i < touch->triangle_counts[side]; i++)
    if (lb_box_overlap(&touch->triangles[side][i].box, box))
      touch->triangles[side][kept++] = touch->triangles[side][i];
  touch->triangle_counts[side] = kept;
}

// First where their spheres meet, then where what is left does; *around <- box of the second.
static bool gather_both(lbWorld *world, int32_t a, int32_t b, double grow, lbBox *around) {
  lbWorldTouch *touch = world->touch;
  lbBox box = lb_box_empty();
  add_place(&box, touch->centres[b]);
  grow_box(&box, touch->reaches[b] + touch->margins[a]);
  if (!gather_in(world, 0, a, &box, grow, around) || touch->triangle_counts[0] == 0) return false;
  box = *around;
  if (!gather_in(world, 1, b, &box, grow, around) || touch->triangle_counts[1] == 0) return false;
  leave_those_in(touch, 0, around);
  return touch->triangle_counts[0] > 0;
}

// ---- what of it can touch ----------------------------------------------------------------------

// Whether an edge stands out: hollow ones touch nothing.
static bool is_ridge(const lbSurfaceTriangle *t, lbVec3 normal, int k) {
  lbVec3 edge = lb_sub(t->corners[(k + 1) % 3], t->corners[k]);
  lbVec3 other = lb_sub(t->across[k], t->corners[k]), beyond = lb_cross(other, edge);
  if (t->own & LB_TWO_SIDED) return true;
  return lb_dot(normal, beyond) < RIDGE * lb_length(beyond) && lb_dot(normal, other) <= 0;
}

static void prepare(lbPairTriangle *t, double grow) {
  lbSurfaceTriangle *at = &t->at;
  t->facet = lb_facet(at->corners);
  t->slab = t->corners = t->ridges = lb_box_empty();
  for (int k = 0; k < 3; k++) {
    add_place(&t->slab, lb_add_scaled(at->corners[k], grow, t->facet.normal));
    add_place(&t->slab, lb_add_scaled(at->corners[k], -grow, t->facet.normal));
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
  grow_box(&t->ridges, grow);
}

// ---- pairs of triangles ------------------------------------------------------------------------

// Triangles of the second body by where they lie along one axis.
typedef struct Cells {
  int axis;
  double low, scale;
  int32_t begin[LB_PAIR_CELLS + 1];
  int32_t *items;
} Cells;

static int cell_of(const Cells *c, double at) {
  double cell = (at - c->low) * c->scale;
  return cell > 0 ? cell < LB_PAIR_CELLS - 1 ? (int)cell : LB_PAIR_CELLS - 1 : 0;
}

static void find_ranges(const Cells *c, int32_t count, lbPairTriangle *triangles, double grow) {
  for (int32_t i = 0; i < count; i++) {
    triangles[i].cells[0] = cell_of(c, triangles[i].box.low[c->axis] - grow);
    triangles[i].cells[1] = cell_of(c, triangles[i].box.high[c->axis] + grow);
  }
}

static Cells sort_into_cells(const lbWorldTouch *touch, const lbBox *around, double grow) {
  Cells c = { .items = touch->cells };
  double length = 0;
  for (int k = 0; k < 3; k++)
    if (around->high[k] - around->low[k] > length)
      length = around->high[k] - around->low[k], c.axis = k;
  c.low = around->low[c.axis], c.scale = length > 0 ? LB_PAIR_CELLS / length : 0;
  for (int side = 0; side < 2; side++)
    find_ranges(&c, touch->triangle_counts[side], touch->triangles[side], grow);
  for (int pass = 0; pass < 2; pass++) {
    int32_t fill[LB_PAIR_CELLS + 1] = { 0 };
    for (int32_t j = 0; j < touch->triangle_counts[1]; j++) {
      const int *range = touch->triangles[1][j].cells;
      for (int cell = range[0]; cell <= range[1]; cell++) {
        if (pass == 1) c.items[c.begin[cell] + fill[cell]] = j;
        fill[cell]++;
      }
    }
    for (int cell = 0; cell < LB_PAIR_CELLS && pass == 0; cell++)
      c.begin[cell + 1] = c.begin[cell] + fill[cell];
  }
  return c;
}

static int parts_of(const lbPairTriangle *a, const lbPairTriangle *b) {
  return (lb_box_overlap(&a->corners, &b->slab) ? LB_PARTS_CORNERS_A : 0) |
         (lb_box_overlap(&a->slab, &b->corners) ? LB_PARTS_CORNERS_B : 0) |
         (lb_box_overlap(&a->ridges, &b->ridges) ? LB_PARTS_EDGES : 0);
}

static bool face_each_other(const lbBody *const bodies[2], const lbPairTriangle *a,
                            const lbPairTriangle *b, const lbTriangleTouch *found) {
  return lb_touch_faces(bodies[0], &a->at, a->number, found->weights_a, found->normal) &&
         lb_touch_faces(bodies[1], &b->at, b->number, found->weights_b,
                        lb_scale(-1, found->normal));
}

static void touch_two(lbWorldTouch *touch, const lbBody *const bodies[2], const lbPairTriangle *a,
                      const lbPairTriangle *b, double margin, double smaller) {
  lbTriangleTouch found[LB_TRIANGLE_TOUCHES];
  int parts = parts_of(a, b);
  if (!parts) return;
  int32_t count =
      lb_facets_touch(&a->at, &a->facet, &b->at, &b->facet, parts, margin, DEPTH * smaller, found);
  for (int32_t i = 0; i < count; i++) {
    if (!face_each_other(bodies, a, b, &found[i])) continue;
    lbTouchCandidate c = { .triangles = { a->number, b->number },
                           .point = found[i].on_b,
                           .normal = found[i].normal,
                           .feature = found[i].feature,
                           .gap = found[i].gap };
    for (int k = 0; k < 3; k++)
      c.weights[0][k] = found[i].weights_a[k], c.weights[1][k] = found[i].weights_b[k];
    lb_touch_add_candidate(touch, smaller, &c);
  }
}

// Each pair once: in the first cell that both are in.
static void touch_all(lbWorldTouch *touch, const lbBody *const bodies[2], const Cells *c,
                      double margin, double smaller) {
  for (int32_t i = 0; i < touch->triangle_counts[0]; i++) {
    const lbPairTriangle *a = &touch->triangles[0][i];
    for (int cell = a->cells[0]; cell <= a->cells[1]; cell++)
      for (int32_t k = c->begin[cell]; k < c->begin[cell + 1]; k++) {
        const lbPairTriangle *b = &touch->triangles[1][c->items[k]];
        if (cell == (b->cells[0] > a->cells[0] ? b->cells[0] : a->cells[0]))
          touch_two(touch, bodies, a, b, margin, smaller);
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

void lb_touch_pair(lbWorld *world, int32_t a, int32_t b) {
  lbWorldTouch *touch = world->touch;
  double margin = touch->margins[a] + touch->margins[b];
  double smaller = fmin(touch->reaches[a], touch->reaches[b]), before = overlap_before(touch, a, b);
  double grow = margin + (before < 0 ? OVERLAP * smaller : DEEPER * before);
  lbBox around;
  if (!gather_both(world, a, b, grow, &around)) return;
  for (int side = 0; side < 2; side++)
    for (int32_t i = 0; i < touch->triangle_counts[side]; i++)
      prepare(&touch->triangles[side][i], grow);
  Cells cells = sort_into_cells(touch, &around, grow);
  touch->candidate_count = 0;
  touch_all(touch, (const lbBody *const[2]){ world->slots[a].body, world->slots[b].body }, &cells,
            margin, smaller);
  lb_touch_take_candidates(world, a, b, -1, smaller);
}
