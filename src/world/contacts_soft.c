// Contact points of two deformable bodies.
//
// Triangles of both surfaces whose swept boxes meet are listed in axes of which the third runs from
// one body to the other, where boxes around facing surfaces are flat. Corners are tested against
// the faces in whose slabs they lie, ridges (edges that bend) against ridges. Flat edges are left
// out: where flat parts of surfaces meet, corners and the ridges around them suffice.
#include "world/touch.h"

#include <string.h>

// Of the smaller body's bounding sphere: deepest overlap of two surfaces. Doubled, the far side of
// thin parts is taken for the near side.
#define DEEPEST 0.25
// Of the smaller radius: deepest overlap of bodies that did not touch in the last step. Doubled,
// more triangles are tested; halved, fast bodies are not caught.
#define FIRST_OVERLAP 0.1
// Times the overlap of the last step: deepest overlap in this one. Doubled, more triangles are
// tested.
#define OVERLAP_GROWTH 2.0

typedef struct Pair {
  const lbWorld *world;
  const lbNear *near;
  lbTouchWork *work;
  const lbBoxKernels *kernels;
  const lbBody *bodies[2];
  const lbPlaced *placed[2];
  lbNearGap gap;
  lbSolidFrame frame; // axes of the pair
  lbSweeping sweeping;
  double margin, depth, smaller; // depth: of overlaps that are searched
} Pair;

static void grow_box(lbBox *box, double by) {
  for (int k = 0; k < 3; k++) box->low[k] -= by, box->high[k] += by;
}

static void add_place(lbBox *box, lbVec3 place) {
  double at[3];
  lb_vec3_store(at, place);
  lb_box_add_point(box, at);
}

// ---- nearby triangles --------------------------------------------------------------------------

// The part of one side that is not too far behind the front of the other: pair's axes.
static lbBox front_of(const Pair *p, int side) {
  const lbPairSide *other = &p->work->sides[1 - side];
  double from = lb_dot(p->frame.position, p->gap.axis), at = INFINITY;
  lbBox front = { { -INFINITY, -INFINITY, -INFINITY }, { INFINITY, INFINITY, INFINITY } };
  int32_t count = other->turned ? p->placed[1 - side]->place_count : 0;
  if (side == 0) {
    for (int32_t i = 0; i < count; i++) at = lb_lesser(at, other->lows[3 * i + 2]);
    front.low[2] =
        lb_greater(p->gap.begin - from - p->margin, count > 0 ? at - p->depth : -INFINITY);
  } else {
    for (int32_t i = 0; i < count; i++) at = lb_lesser(at, -other->highs[3 * i + 2]);
    front.high[2] = lb_lesser(p->gap.end - from + p->margin, count > 0 ? p->depth - at : INFINITY);
  }
  return front;
}

static inline lbVec3 vertex_in_pair(const Pair *p, int side, int32_t vertex) {
  const lbPairSide *own = &p->work->sides[side];
  if (own->turned) return lb_vec3_load(own->places + 3 * (size_t)vertex);
  return lb_solid_to_own(&p->frame, lb_vec3_load(p->placed[side]->positions + 3 * (size_t)vertex));
}

// Velocity of a vertex relative to the pair, world.
static inline lbVec3 rate_of(const Pair *p, int side, int32_t vertex) {
  lbVec3 rate = lb_vec3_load(p->placed[side]->velocities + 3 * (size_t)vertex);
  return lb_sub(rate, lb_vec3_load(p->sweeping.velocity));
}

static const int32_t *vertices_of_triangle(const Pair *p, int side, int32_t triangle) {
  return p->placed[side]->tree->model->triangles + 3 * (size_t)triangle;
}

// Adds the swept box of a vertex, as lb_placed_sweep does for all vertices.
static void add_swept_vertex(const Pair *p, int number, int32_t vertex, lbBox *box) {
  const lbPairSide *side = &p->work->sides[number];
  const lbSweeping *s = &p->sweeping;
  size_t v = 3 * (size_t)vertex;
  if (side->turned) {
    lb_box_add_point(box, side->lows + v);
    lb_box_add_point(box, side->highs + v);
    return;
  }
  lbVec3 rate = rate_of(p, number, vertex), own = lb_add(rate, lb_vec3_load(s->velocity));
  double by = s->grow + s->aside * s->ahead * lb_length(rate), at[3], way[3], alone[3];
  lb_vec3_store(at, vertex_in_pair(p, number, vertex));
  lb_vec3_store(way, lb_mat3_apply_transpose(p->frame.rotation, lb_scale(s->ahead, rate)));
  lb_vec3_store(alone, lb_mat3_apply_transpose(p->frame.rotation, lb_scale(s->alone, own)));
  for (int k = 0; k < 3; k++) {
    double stopped = lb_lesser(lb_greater(alone[k], -s->stop_distance), s->stop_distance);
    box->low[k] = lb_lesser(box->low[k], at[k] + lb_lesser(0, lb_lesser(way[k], stopped)) - by);
    box->high[k] =
        lb_greater(box->high[k], at[k] + lb_greater(0, lb_greater(way[k], stopped)) + by);
  }
}

static lbBox swept_box(const Pair *p, int side, int32_t triangle) {
  const int32_t *corners = vertices_of_triangle(p, side, triangle);
  lbBox box = lb_box_empty();
  for (int k = 0; k < 3; k++) add_swept_vertex(p, side, corners[k], &box);
  return box;
}

// Lists the triangles of one side that meet a box of the world and one of the pair's axes; of more
// than there is room for, the first.
static void list_near(const Pair *p, int number, const lbBox *world, const lbBox *own) {
  lbPairSide *side = &p->work->sides[number];
  const lbPlaced *placed = p->placed[number];
  int32_t count = p->kernels->find(&placed->boxes, world, p->work->found);
  for (int32_t i = 0; i < count; i++) p->work->found[i] = placed->triangles[p->work->found[i]];
  if (side->turned) {
    p->kernels->fill_near(&side->boxes, placed->tree->model->triangles, side->lows, side->highs,
                          count, p->work->found, own, side->numbers);
  } else {
    lb_box_set_clear(&side->boxes);
    for (int32_t i = 0; i < count && side->boxes.count < LB_PAIR_TRIANGLES; i++) {
      lbBox box = swept_box(p, number, p->work->found[i]);
      if (!lb_box_overlap(&box, own)) continue;
      side->numbers[side->boxes.count] = p->work->found[i];
      lb_box_set_add(&side->boxes, &box);
    }
  }
}

// Around a box of the pair's axes.
static lbBox in_world(const Pair *p, const lbBox *own) {
  const double *turn = p->frame.rotation.m;
  double position[3];
  lbBox box;
  lb_vec3_store(position, p->frame.position);
  for (int k = 0; k < 3; k++) {
    box.low[k] = box.high[k] = position[k];
    for (int i = 0; i < 3; i++) {
      double a = turn[3 * k + i] * own->low[i], b = turn[3 * k + i] * own->high[i];
      box.low[k] += lb_lesser(a, b);
      box.high[k] += lb_greater(a, b);
    }
  }
  return box;
}

static void list_first(const Pair *p) {
  lbBox world = p->placed[1]->box, front = front_of(p, 0);
  grow_box(&world, p->margin + p->depth);
  list_near(p, 0, &world, &front);
}

// Those near the list of the first.
static void list_second(const Pair *p) {
  lbBox near = lb_box_set_box(&p->work->sides[0].boxes), front = front_of(p, 1), around;
  grow_box(&near, p->depth);
  around = near;
  grow_box(&around, p->margin);
  lbBox world = in_world(p, &around);
  for (int k = 0; k < 3; k++) {
    near.low[k] = lb_greater(near.low[k], front.low[k]);
    near.high[k] = lb_lesser(near.high[k], front.high[k]);
  }
  list_near(p, 1, &world, &near);
}

// Keeps triangles whose swept box meets one of the other side.
static void keep_near_triangles(const Pair *p) {
  lbPairSide *first = &p->work->sides[0], *second = &p->work->sides[1];
  uint8_t *marks = p->work->marks;
  first->count = second->count = 0;
  memset(marks, 0, (size_t)lb_box_set_blocks(&second->boxes));
  for (int32_t i = 0; i < first->boxes.count; i++) {
    lbBox box = lb_box_set_get(&first->boxes, i);
    grow_box(&box, p->depth);
    if (p->kernels->mark(&second->boxes, &box, marks)) first->kept[first->count++] = i;
  }
  for (int32_t i = 0; i < second->boxes.count; i++)
    if (marks[i / LB_BATCH] >> i % LB_BATCH & 1) second->kept[second->count++] = i;
}

// ---- triangles ---------------------------------------------------------------------------------

// Whether an edge is convex and bends: hollow ones touch nothing.
static bool is_ridge(const lbSurfaceTriangle *t, lbVec3 normal, int k) {
  lbVec3 edge = lb_sub(t->corners[(k + 1) % 3], t->corners[k]);
  lbVec3 other = lb_sub(t->across[k], t->corners[k]), beyond = lb_cross(other, edge);
  if (t->own & LB_TWO_SIDED) return true;
  return lb_dot(normal, other) <= 0 && lb_dot(normal, beyond) < LB_FLAT_COSINE * lb_length(beyond);
}

// Velocities of the kept triangles of a side.
static void find_side_rates(const Pair *p, int number) {
  lbPairSide *side = &p->work->sides[number];
  double most = 0;
  side->rates = lb_box_empty();
  for (int32_t i = 0; i < side->count; i++) {
    const int32_t *corners = vertices_of_triangle(p, number, side->numbers[side->kept[i]]);
    for (int k = 0; k < 3; k++) {
      lbVec3 rate = rate_of(p, number, corners[k]);
      most = lb_greater(most, lb_dot(rate, rate));
      add_place(&side->rates, rate);
    }
  }
  side->fastest = sqrt(most);
}

// m: greatest height above a face of a corner of the other side that could meet it.
static double margin_above(const Pair *p, int number, const lbPairTriangle *t) {
  const int32_t *corners = vertices_of_triangle(p, number, t->number);
  const lbPairSide *other = &p->work->sides[1 - number];
  lbVec3 normal = lb_mat3_apply(p->frame.rotation, t->facet.normal);
  double closing = -INFINITY, most = 0;
  if (t->at.own & LB_TWO_SIDED) return p->margin;
  for (int k = 0; k < 3; k++) {
    lbVec3 rate = rate_of(p, number, corners[k]);
    closing = lb_greater(closing, lb_dot(normal, rate));
    most = lb_greater(most, lb_dot(rate, rate));
  }
  closing += lb_box_extent(&other->rates, lb_scale(-1, normal));
  return lb_lesser(p->margin,
                   lb_near_reach(p->world, p->near, closing, sqrt(most) + other->fastest));
}

// The box of corner positions that can touch the face of a triangle.
static lbBox face_slab(const Pair *p, int number, const lbPairTriangle *t) {
  double above = margin_above(p, number, t), below = p->margin + p->depth, normal[3];
  lbBox box = lb_box_empty();
  for (int k = 0; k < 3; k++) add_place(&box, t->at.corners[k]);
  lb_vec3_store(normal, t->facet.normal);
  if (t->at.own & LB_TWO_SIDED) above = below;
  for (int k = 0; k < 3; k++) {
    double up = above * normal[k], down = -below * normal[k], more = 1e-9 * t->facet.longest;
    box.low[k] += lb_lesser(up, down) - more, box.high[k] += lb_greater(up, down) + more;
  }
  return box;
}

// Drops edges that are no ridge from those it owns; returns the swept box of the others.
static lbBox keep_ridges(const Pair *p, int number, lbPairTriangle *t) {
  const int32_t *across = p->placed[number]->tree->across + 3 * (size_t)t->number;
  const int32_t *corners = vertices_of_triangle(p, number, t->number);
  lbBox ridges = lb_box_empty();
  for (int k = 0; k < 3; k++) {
    if (!(t->at.own & LB_OWN_EDGE(k))) continue;
    t->at.across[k] = vertex_in_pair(p, number, across[k]);
    if (is_ridge(&t->at, t->facet.normal, k)) {
      add_swept_vertex(p, number, corners[k], &ridges);
      add_swept_vertex(p, number, corners[(k + 1) % 3], &ridges);
    } else {
      t->at.own &= ~LB_OWN_EDGE(k);
    }
  }
  return ridges;
}

static void prepare_triangle(const Pair *p, int number, int32_t i) {
  lbPairSide *side = &p->work->sides[number];
  lbPairTriangle *t = &side->triangles[i];
  const lbTree *tree = p->placed[number]->tree;
  t->number = side->numbers[side->kept[i]];
  t->at.own = tree->own[t->number];
  const int32_t *corners = vertices_of_triangle(p, number, t->number);
  for (int k = 0; k < 3; k++) t->at.corners[k] = vertex_in_pair(p, number, corners[k]);
  t->facet = lb_facet(t->at.corners);
  lbBox slab = face_slab(p, number, t);
  lb_box_set_add(&side->slabs, &slab);
  lbBox ridges = keep_ridges(p, number, t);
  if (lb_box_is_empty(&ridges)) return;
  grow_box(&ridges, 0.5 * p->depth);
  side->ridged[side->ridges.count] = i;
  lb_box_set_add(&side->ridges, &ridges);
}

// ---- pairs of triangles ------------------------------------------------------------------------

static bool may_push(const Pair *p, int side, const lbPairTriangle *t, const double weights[3],
                     lbVec3 push) {
  lbVec3 now = lb_mat3_apply(p->frame.rotation, t->facet.normal);
  if (t->at.own & LB_TWO_SIDED) return true;
  return lb_touch_faces(p->bodies[side], p->placed[side]->tree, t->number, weights, now, push);
}

static bool points_may_meet(const Pair *p, const lbPairTriangle *a, const lbPairTriangle *b,
                            const lbTriangleTouch *found, lbVec3 normal) {
  if (found->gap < p->near->slack) return true;
  lbVec3 one = lb_placed_velocity(p->placed[0], a->number, found->weights_a);
  lbVec3 other = lb_placed_velocity(p->placed[1], b->number, found->weights_b);
  return lb_near_may_meet(p->world, p->near, found->gap, normal, one, other);
}

static void add_touch(const Pair *p, const lbPairTriangle *a, const lbPairTriangle *b,
                      const lbTriangleTouch *found) {
  lbVec3 normal = lb_mat3_apply(p->frame.rotation, found->normal), back = lb_scale(-1, normal);
  if (!points_may_meet(p, a, b, found, normal)) return;
  if (!may_push(p, 0, a, found->weights_a, normal) || !may_push(p, 1, b, found->weights_b, back))
    return;
  lbTouchCandidate c = { .triangles = { a->number, b->number },
                         .point = lb_solid_to_world(&p->frame, found->on_b),
                         .normal = normal,
                         .feature = found->feature,
                         .gap = found->gap };
  for (int k = 0; k < 3; k++)
    c.weights[0][k] = found->weights_a[k], c.weights[1][k] = found->weights_b[k];
  lb_touch_add_candidate(p->work, p->smaller, &c);
}

// Swaps the two sides.
static lbTriangleTouch swap_sides(const lbTriangleTouch *t) {
  lbTriangleTouch turned = { .on_a = t->on_b, .on_b = t->on_a, .normal = lb_scale(-1, t->normal) };
  for (int k = 0; k < 3; k++)
    turned.weights_a[k] = t->weights_b[k], turned.weights_b[k] = t->weights_a[k];
  turned.gap = t->gap;
  turned.feature = 3 + t->feature;
  return turned;
}

// Above an edge of a flat part, a corner touches several faces at one point: whether its foot on
// the plane of a face is the contact point that was found last.
static bool is_known(const lbTriangleTouch *touch, lbVec3 corner, const lbFacet *face,
                     double length) {
  double height = lb_dot(face->normal, lb_sub(corner, face->corners[0]));
  lbVec3 apart = lb_sub(lb_add_scaled(corner, -height, face->normal), touch->on_b);
  return lb_dot(touch->normal, face->normal) > LB_FLAT_COSINE &&
         lb_dot(apart, apart) < LB_SAME_PLACE * LB_SAME_PLACE * length * length;
}

// Corner k of a triangle of one side against faces of the other.
static void test_corner(const Pair *p, int number, const lbPairTriangle *t, int k) {
  const lbPairSide *other = &p->work->sides[1 - number];
  lbTriangleTouch found, last = { .gap = INFINITY };
  lbBox at = lb_box_empty();
  add_place(&at, t->at.corners[k]);
  int32_t count = p->kernels->find(&other->slabs, &at, p->work->found);
  for (int32_t i = 0; i < count; i++) {
    const lbPairTriangle *face = &other->triangles[p->work->found[i]];
    if (last.gap < INFINITY && is_known(&last, t->at.corners[k], &face->facet, p->smaller))
      continue;
    if (!lb_corner_touches(&t->at, &t->facet, k, &face->at, &face->facet, p->margin,
                           DEEPEST * p->smaller, &found))
      continue;
    last = found;
    if (number == 1) found = swap_sides(&found);
    add_touch(p, number == 0 ? t : face, number == 0 ? face : t, &found);
  }
}

static void test_corners(const Pair *p, int number) {
  const lbPairSide *side = &p->work->sides[number];
  for (int32_t i = 0; i < side->count; i++)
    for (int k = 0; k < 3; k++)
      if (side->triangles[i].at.own & LB_OWN_CORNER(k))
        test_corner(p, number, &side->triangles[i], k);
}

static void test_ridges(const Pair *p) {
  const lbPairSide *first = &p->work->sides[0], *second = &p->work->sides[1];
  lbTriangleTouch found[LB_TRIANGLE_TOUCHES];
  for (int32_t i = 0; i < first->ridges.count; i++) {
    lbBox box = lb_box_set_get(&first->ridges, i);
    int32_t near = p->kernels->find(&second->ridges, &box, p->work->found);
    const lbPairTriangle *a = &first->triangles[first->ridged[i]];
    for (int32_t j = 0; j < near; j++) {
      const lbPairTriangle *b = &second->triangles[second->ridged[p->work->found[j]]];
      int32_t count = lb_facets_touch(&a->at, &a->facet, &b->at, &b->facet, LB_PARTS_EDGES,
                                      p->margin, DEEPEST * p->smaller, found);
      for (int32_t k = 0; k < count; k++) add_touch(p, a, b, &found[k]);
    }
  }
}

static void touch_all(const Pair *p) {
  lbPairSide *sides = p->work->sides;
  for (int number = 0; number < 2; number++)
    sides[number].turned = lb_placed_sweep(p->placed[number], &p->sweeping, sides[number].places,
                                           sides[number].lows, sides[number].highs);
  list_first(p);
  if (sides[0].boxes.count == 0) return;
  list_second(p);
  if (sides[1].boxes.count == 0) return;
  keep_near_triangles(p);
  for (int number = 0; number < 2; number++) find_side_rates(p, number);
  for (int number = 0; number < 2; number++) {
    lb_box_set_clear(&sides[number].slabs);
    lb_box_set_clear(&sides[number].ridges);
    for (int32_t i = 0; i < sides[number].count; i++) prepare_triangle(p, number, i);
  }
  for (int number = 0; number < 2; number++) test_corners(p, number);
  test_ridges(p);
}

// ---- two bodies --------------------------------------------------------------------------------

// m: deepest overlap of the last step; below 0: they did not touch.
static double overlap_before(const lbWorldTouch *touch, int32_t a, int32_t b) {
  double deepest = -1;
  for (int32_t k = touch->remembered_first[a]; k >= 0; k = touch->remembered_next[k])
    if (touch->remembered[k].slots[1] == b)
      deepest = lb_greater(deepest, lb_greater(0, -touch->reports[k].gap));
  return deepest;
}

double lb_touch_pair(const lbWorld *world, lbTouchWork *work, lbNear *near) {
  const lbWorldTouch *touch = world->touch;
  int32_t a = near->slots[0], b = near->slots[1];
  Pair p = { .world = world, .near = near, .work = work, .gap = lb_near_gap(world, near) };
  p.kernels = lb_box_kernels(world->level);
  double before = overlap_before(touch, a, b);
  double radius = lb_lesser(touch->spheres[a].radius, touch->spheres[b].radius);
  lbVec3 axis = lb_dot(p.gap.axis, p.gap.axis) > 0 ? p.gap.axis : lb_vec3(0, 0, 1);
  lbVec3 aside = lb_square_to(axis), other = lb_cross(axis, aside);
  p.frame.rotation =
      (lbMat3){ { aside.x, other.x, axis.x, aside.y, other.y, axis.y, aside.z, other.z, axis.z } };
  p.frame.position = touch->spheres[a].centre;
  p.smaller = lb_lesser(touch->reaches[a], touch->reaches[b]);
  p.margin = p.gap.margin;
  p.depth = before < 0 ? FIRST_OVERLAP * radius : OVERLAP_GROWTH * before;
  if (p.gap.begin > p.gap.end) p.depth = 0; // nothing overlaps
  p.sweeping = lb_near_sweeping(world, near);
  memcpy(p.sweeping.turn, p.frame.rotation.m, sizeof p.sweeping.turn);
  lb_vec3_store(p.sweeping.origin, p.frame.position);
  for (int side = 0; side < 2; side++) {
    const lbWorldSlot *slot = &world->slots[near->slots[side]];
    p.bodies[side] = slot->body, p.placed[side] = slot->placed;
  }
  if (p.margin > 0) touch_all(&p);
  return p.smaller;
}
