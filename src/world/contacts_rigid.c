// Contact points of a body and a solid: a collider or a rigid body.
//
// A surface that is already in world coordinates is searched by blocks of eight triangles;
// otherwise a tree of spheres (body/tree.h) gives the triangles near the solid. collide/solid.h
// finds the contact points of each triangle. Distances from meshes are remembered for each vertex:
// as long as a vertex has moved less than it was away, it needs no search.
#include "world/touch.h"

#include <string.h>

typedef struct Approach {
  const lbWorld *world;
  const lbNear *near;
  lbTouchWork *work;
  const lbBody *body;
  const lbPlaced *placed; // all of its surface; NULL: the tree of spheres
  lbScratch *scratch;     // with the body's state, without a surface
  const lbSolid *solid;
  lbSolidHint *hints; // of the surface's vertices, blocks and groups of blocks; NULL: none
  lbSolidFrame frame; // of the solid
  lbMat3 turn;        // from the body's axes to the solid's: turn x + shift
  lbVec3 shift;
  lbBox box;    // of the solid, grown by the margin, world
  lbVec3 rate;  // m/s, world: velocity of the origin of the solid's axes, and
  lbMat3 rates; // 1/s: its gradient
  double margin, length;
} Approach;

static lbVec3 to_solid(const Approach *a, lbVec3 own) {
  return lb_add(a->shift, lb_mat3_apply(a->turn, own));
}

static bool reaches_solid(void *context, lbVec3 centre, double radius) {
  const Approach *a = context;
  return lb_solid_is_within(a->solid, to_solid(a, centre), radius + a->margin);
}

// Velocity of a point of the solid, world.
static lbVec3 solid_velocity(const Approach *a, lbVec3 place) {
  if (a->near->slots[1] >= 0) {
    const lbBody *body = a->world->slots[a->near->slots[1]].body;
    return lb_frame_velocity(body, lb_body_unplace(body, place), lb_vec3(0, 0, 0));
  }
  const lbWorldCollider *collider = &a->world->colliders[a->near->collider];
  return lb_scale(1 / a->world->h, lb_collider_way(collider, place));
}

// Velocities of the solid are affine.
static void find_solid_rates(Approach *a) {
  lbVec3 columns[3];
  a->rate = solid_velocity(a, a->frame.position);
  for (int k = 0; k < 3; k++) {
    lbVec3 at = lb_add(a->frame.position, lb_vec3(k == 0, k == 1, k == 2));
    columns[k] = lb_sub(solid_velocity(a, at), a->rate);
  }
  a->rates = (lbMat3){ { columns[0].x, columns[1].x, columns[2].x, columns[0].y, columns[1].y,
                         columns[2].y, columns[0].z, columns[1].z, columns[2].z } };
}

static lbVec3 own_velocity(const Approach *a, const lbTouchCandidate *c) {
  lbVec3 place;
  lbContactPoint contact_point = { .kind = LB_POINT_SURFACE, .triangle = c->triangles[0] };
  if (a->placed) return lb_placed_velocity(a->placed, c->triangles[0], c->weights[0]);
  memcpy(contact_point.weights, c->weights[0], sizeof contact_point.weights);
  return lb_touch_velocity(a->body, a->scratch, &contact_point, &place);
}

static bool candidate_may_meet(const Approach *a, const lbTouchCandidate *c) {
  if (c->gap < a->near->slack) return true;
  lbVec3 own = own_velocity(a, c);
  return lb_near_may_meet(a->world, a->near, c->gap, c->normal, own, solid_velocity(a, c->point));
}

static int32_t test_triangle(const Approach *a, const lbSurfaceTriangle *at, int32_t number,
                             double margin, lbSolidTouch found[LB_SOLID_TOUCHES]) {
  const int32_t *vertices = lb_body_model(a->body)->triangles + 3 * (size_t)number;
  if (!a->hints) return lb_solid_touch_triangle(a->solid, at, margin, found);
  lbSolidHint *const hints[3] = { a->hints + vertices[0], a->hints + vertices[1],
                                  a->hints + vertices[2] };
  return lb_solid_touch_triangle_from(a->solid, hints, at, margin, found);
}

// In the solid's axes.
static void touch_solid_at(const Approach *a, const lbSurfaceTriangle *at, int32_t number,
                           double margin) {
  lbSolidTouch found[LB_SOLID_TOUCHES];
  int32_t count = test_triangle(a, at, number, margin, found);
  for (int32_t i = 0; i < count; i++) {
    if (!lb_contact_choose_side(a->body, a->solid, &a->frame, at, number, &found[i])) continue;
    lbTouchCandidate c = { .triangles = { number, -1 },
                           .point = lb_solid_to_world(&a->frame, found[i].on_solid),
                           .normal = lb_mat3_apply(a->frame.rotation, found[i].normal),
                           .feature = found[i].feature,
                           .gap = found[i].gap };
    for (int k = 0; k < 3; k++) c.weights[0][k] = found[i].weights[k];
    if (candidate_may_meet(a, &c)) lb_touch_add_candidate(a->work, a->length, &c);
  }
}

static bool touch_solid(void *context, const lbSurfaceTriangle *triangle, int32_t number) {
  const Approach *a = context;
  lbSurfaceTriangle at = { .own = triangle->own };
  for (int k = 0; k < 3; k++) {
    at.corners[k] = to_solid(a, triangle->corners[k]);
    at.across[k] = to_solid(a, triangle->across[k]);
  }
  touch_solid_at(a, &at, number, a->margin);
  return true;
}

// ---- surfaces in world coordinates ------------------------------------------------------

// `hint`: of the box's middle; NULL: none
static bool reaches_box(const Approach *a, const lbBox *box, double margin, lbSolidHint *hint) {
  if (!lb_box_overlap(box, &a->box)) return false;
  lbVec3 low = lb_vec3_load(box->low), high = lb_vec3_load(box->high);
  if (lb_solid_kind(a->solid) == LB_SOLID_PLANE) {
    lbVec3 down = lb_scale(-1, lb_mat3_column(a->frame.rotation, 2));
    return lb_box_extent(box, down) > lb_dot(down, a->frame.position) - margin;
  }
  lbVec3 centre = lb_solid_to_own(&a->frame, lb_scale(0.5, lb_add(low, high)));
  double limit = 0.5 * lb_length(lb_sub(high, low)) + margin;
  if (!hint) return lb_solid_is_within(a->solid, centre, limit);
  return lb_solid_is_within_from(a->solid, hint, centre, limit);
}

// m: greatest distance of a triangle from the solid at which they could meet in the step. What it
// would meet is no farther than the margin, and has the velocity of the solid there.
static double margin_of(const Approach *a, int32_t number) {
  const lbPlaced *placed = a->placed;
  const int32_t *corners = placed->tree->model->triangles + 3 * (size_t)number;
  double most = 0, turning = 0;
  for (int k = 0; k < 9; k++) turning += a->rates.m[k] * a->rates.m[k];
  for (int k = 0; k < 3; k++) {
    size_t at = 3 * (size_t)corners[k];
    lbVec3 arm = lb_sub(lb_vec3_load(placed->positions + at), a->frame.position);
    lbVec3 by = lb_sub(lb_vec3_load(placed->velocities + at), a->rate);
    by = lb_sub(by, lb_mat3_apply(a->rates, arm));
    most = lb_greater(most, lb_dot(by, by));
  }
  most = sqrt(most) + sqrt(turning) * a->margin;
  return lb_lesser(a->margin, lb_near_reach(a->world, a->near, most, most));
}

static void touch_placed(const Approach *a, int32_t number, double margin) {
  const lbTree *tree = a->placed->tree;
  lbSurfaceTriangle at = { .own = tree->own[number] };
  for (size_t k = 0; k < 3; k++) {
    size_t corner = 3 * (size_t)tree->model->triangles[3 * (size_t)number + k];
    size_t across = 3 * (size_t)tree->across[3 * (size_t)number + k];
    at.corners[k] = lb_solid_to_own(&a->frame, lb_vec3_load(a->placed->positions + corner));
    at.across[k] = lb_solid_to_own(&a->frame, lb_vec3_load(a->placed->positions + across));
  }
  touch_solid_at(a, &at, number, margin);
}

static void visit_block(const Approach *a, int32_t block) {
  const lbBoxSet *boxes = &a->placed->boxes;
  bool mesh =
      lb_solid_kind(a->solid) == LB_SOLID_MESH; // a distance takes as long as the test itself
  int32_t vertices = a->placed->tree->model->size.vertex_count;
  lbBox box = lb_box_set_block(boxes, block);
  if (!reaches_box(a, &box, a->margin, a->hints ? a->hints + vertices + block : NULL)) return;
  for (int32_t i = LB_BATCH * block; i < LB_BATCH * (block + 1) && i < boxes->count; i++) {
    box = lb_box_set_get(boxes, i);
    if (!lb_box_overlap(&box, &a->box)) continue;
    double margin = margin_of(a, a->placed->triangles[i]);
    if (mesh || reaches_box(a, &box, margin, NULL))
      touch_placed(a, a->placed->triangles[i], margin);
  }
}

// By groups of eight blocks.
static void visit_placed(const Approach *a) {
  int32_t blocks = lb_box_set_blocks(&a->placed->boxes);
  int32_t groups = a->placed->tree->model->size.vertex_count + blocks; // in hints
  for (int32_t first = 0; first < blocks; first += LB_BATCH) {
    lbBox all = lb_box_empty();
    int32_t end = first + LB_BATCH < blocks ? first + LB_BATCH : blocks;
    for (int32_t i = first; i < end; i++) {
      lbBox box = lb_box_set_block(&a->placed->boxes, i);
      lb_box_add_box(&all, &box);
    }
    lbSolidHint *hint = a->hints ? a->hints + groups + first / LB_BATCH : NULL;
    if (!reaches_box(a, &all, a->margin, hint)) continue;
    for (int32_t i = first; i < end; i++) visit_block(a, i);
  }
}

typedef struct Rigid {
  const lbSolid *solid;
  lbSolidFrame frame;
} Rigid;

static Rigid rigid_of_slot(const lbWorld *world, int32_t slot) {
  const lbBody *body = world->slots[slot].body;
  return (Rigid){ lb_body_solid(body), { lb_body_rotation_matrix(body), lb_body_position(body) } };
}

static Rigid collider_of(const lbWorld *world, int32_t number) {
  const lbWorldCollider *c = &world->colliders[number];
  return (Rigid){ c->solid, c->frame };
}

// A deformable body.
static double approach_rigid(const lbWorld *world, lbTouchWork *work, lbNear *near,
                             const Rigid *r) {
  int32_t slot = near->slots[0];
  lbPlaced *placed = world->slots[slot].placed;
  lb_near_tighten(world, near);
  const lbBody *body = world->slots[slot].body;
  Approach a = { .world = world,
                 .near = near,
                 .work = work,
                 .body = body,
                 .solid = r->solid,
                 .hints = near->hinted ? placed->hints : NULL,
                 .frame = r->frame,
                 .margin = near->margin,
                 .length = world->touch->reaches[slot] };
  a.turn = lb_mat3_multiply(lb_mat3_transpose(a.frame.rotation), lb_body_rotation_matrix(body));
  a.shift = lb_solid_to_own(&a.frame, lb_body_position(body));
  if (lb_placed_has_all(placed)) {
    a.placed = placed;
    a.box = lb_solid_world_box(a.solid, &a.frame);
    for (int k = 0; k < 3; k++) a.box.low[k] -= a.margin, a.box.high[k] += a.margin;
    find_solid_rates(&a);
    visit_placed(&a);
    return a.length;
  }
  a.scratch = lb_body_borrow_scratch(body);
  if (a.scratch && lb_touch_look(body, a.scratch)) // no memory: none
    (void)lb_touch_visit(body, reaches_solid, touch_solid, &a);
  lb_body_return_scratch(body, a.scratch);
  return a.length;
}

// A rigid body.
static double approach_pair(const lbWorld *world, lbTouchWork *work, const lbNear *near,
                            const Rigid *r) {
  int32_t slot = near->slots[0];
  Rigid own = rigid_of_slot(world, slot);
  lbSolidPairTouch found[LB_PAIR_TOUCHES];
  double length = world->touch->reaches[slot];
  int32_t count = lb_solids_touch(own.solid, &own.frame, r->solid, &r->frame, near->margin, found);
  for (int32_t i = 0; i < count; i++) {
    lbTouchCandidate c = { .triangles = { -1, -1 },
                           .point = found[i].on_b,
                           .first = found[i].on_a,
                           .normal = found[i].normal,
                           .feature = found[i].feature,
                           .gap = found[i].gap };
    lb_touch_add_candidate(work, length, &c);
  }
  return length;
}

static const lbSolid *solid_of_pair(const lbWorld *world, const lbNear *near) { // NULL: it deforms
  if (near->slots[1] >= 0) return lb_body_solid(world->slots[near->slots[1]].body);
  return near->collider >= 0 ? world->colliders[near->collider].solid : NULL;
}

// ---- hints -------------------------------------------------------------------------------------

// One number for each collider and rigid body that ever was in the world.
static uint64_t hint_key_of(const lbWorld *world, const lbNear *near) {
  bool body = near->slots[1] >= 0;
  uint32_t generation =
      body ? world->slots[near->slots[1]].generation : world->colliders[near->collider].generation;
  uint64_t number = (uint64_t)(body ? near->slots[1] : near->collider);
  return (uint64_t)generation << 32 | number << 1 | body;
}

// Pairs are looked at in several tasks, so that only one of a body's may use its hints.
void lb_touch_share_hints(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  for (int32_t i = 0; i < world->slot_count; i++)
    if (world->slots[i].placed) world->slots[i].placed->hints_used = false;
  for (int32_t i = 0; i < touch->near_count; i++) {
    lbNear *near = &touch->nears[i];
    lb_near_put_rigid_last(world, near);
    const lbSolid *solid = solid_of_pair(world, near);
    lbPlaced *placed = world->slots[near->slots[0]].placed;
    near->hinted = solid && placed && lb_solid_kind(solid) == LB_SOLID_MESH && !placed->hints_used;
    if (!near->hinted) continue;
    placed->hints_used = true;
    if (placed->hints_ready && placed->hint_key == hint_key_of(world, near)) continue;
    placed->hints_ready = true;
    placed->hint_key = hint_key_of(world, near);
    for (int32_t k = 0; k < placed->hint_count; k++) placed->hints[k] = lb_solid_hint();
  }
}

double lb_touch_rigid(const lbWorld *world, lbTouchWork *work, lbNear *near) {
  int32_t b = near->slots[1];
  Rigid r = b >= 0 ? rigid_of_slot(world, b) : collider_of(world, near->collider);
  if (lb_body_solid(world->slots[near->slots[0]].body)) return approach_pair(world, work, near, &r);
  return approach_rigid(world, work, near, &r);
}
