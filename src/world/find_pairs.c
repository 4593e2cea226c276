// Broad phase: pairs of bodies and colliders that could touch in this step.
//
// Bounding spheres, grown by the displacement of the step, are sorted along one axis and swept. The
// margin of a pair, within which contact points are sought, follows from the relative velocity of
// its bodies, and that of a contact point from the velocities there: bodies that fall side by side
// need no wide margins. But a falling body may be stopped in this step, and the next one runs into
// it: bodies that could hit something pass what remains of their displacement on to their
// neighbours.
#include "world/joint.h"

// Times the displacement that velocities predict: bodies accelerate. Doubled, more pairs and
// contact points that do not touch in the end.
#define AHEAD 2.0
// Of the radius: contact points nearer than this count whatever their velocities. Doubled, more of
// them; halved, resting bodies lose contacts.
#define SLACK 0.01
// Of a velocity: the part of it that may turn towards the other body during the step. Doubled,
// margins of bodies that slide along each other grow by as much.
#define ASIDE 0.25
// Of the radius: overlap that a stopped neighbour may cause unforeseen. Doubled, fewer contacts in
// falling heaps, deeper overlaps.
#define OVERRUN 0.03
// Of the rest of a margin: how far beyond the nearest points of two separated bodies contact points
// are sought. Doubled, more points that do not touch.
#define BEYOND 0.25

enum {
  SPHERE_TASK = 32,  // bodies a task
  PASS_ROUNDS = 8,   // displacements are passed on over so many neighbours
  PARTNERS_EACH = 24 // room for so many neighbours of a body, on average
};

// ---- memory ------------------------------------------------------------------------------------

int32_t lb_near_room(int32_t slot_room) { return PARTNERS_EACH * slot_room + 1024; }

void lb_near_reserve(lbReservation *r, lbWorldTouch *touch, int32_t slot_room) {
  size_t slots = (size_t)slot_room, pairs = (size_t)lb_near_room(slot_room);
  lb_reserve(r, &touch->spheres, slots, sizeof *touch->spheres);
  lb_reserve(r, &touch->reaches, slots, sizeof(double));
  lb_reserve(r, &touch->margins, slots, sizeof(double));
  lb_reserve(r, &touch->speeds, slots, sizeof(double));
  lb_reserve(r, &touch->stop_distances, slots, sizeof(double));
  lb_reserve(r, &touch->swept, slots, sizeof(int32_t));
  lb_reserve(r, &touch->partners_first, slots, sizeof(int32_t));
  lb_reserve(r, &touch->partners, pairs, sizeof *touch->partners);
  lb_reserve(r, &touch->nears, pairs, sizeof *touch->nears);
}

void lb_near_release(lbWorldTouch *touch) {
  void *const blocks[] = { touch->spheres, touch->reaches,        touch->margins,
                           touch->speeds,  touch->stop_distances, touch->swept,
                           touch->nears,   touch->partners,       touch->partners_first };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
}

// ---- spheres -----------------------------------------------------------------------------------

// m: how far a body may leave the straight line of its velocity in a step.
static double bend_of(const lbWorld *world, const lbTouchSphere *sphere) {
  double h = world->h, turn = h * sphere->spin;
  return h * h * lb_length(world->settings.gravity) + 0.5 * turn * turn * sphere->radius;
}

static void bound_body(lbWorld *world, int32_t slot) {
  lbWorldTouch *touch = world->touch;
  const lbWorldSlot *at = &world->slots[slot];
  if (lb_slot_stays(world, at) && touch->reaches[slot] > 0) return; // it has not moved
  touch->reaches[slot] = 0;
  if (!at->body || !at->touches) return;
  lbTouchSphere *sphere = &touch->spheres[slot];
  *sphere = lb_touch_sphere(at->body);
  double speed = touch->speeds[slot] = lb_length(sphere->velocity) + sphere->spread;
  touch->margins[slot] =
      AHEAD * (world->h * speed + bend_of(world, sphere)) + SLACK * sphere->radius;
  touch->reaches[slot] = sphere->radius + touch->margins[slot];
}

static void bound_bodies(int32_t begin, int32_t end, void *context) {
  for (int32_t i = begin; i < end; i++) bound_body(context, i);
}

// ---- sort and sweep ----------------------------------------------------------------------------

static double coordinate_along(lbVec3 x, int axis) {
  return axis == 0 ? x.x : axis == 1 ? x.y : x.z;
}

static double low_end_of(const lbWorldTouch *touch, int32_t slot, int axis) {
  return coordinate_along(touch->spheres[slot].centre, axis) - touch->reaches[slot];
}

// The axis along which bodies lie farthest apart.
static int choose_axis(const lbWorld *world) {
  const lbWorldTouch *touch = world->touch;
  lbBox box = lb_box_empty();
  for (int32_t i = 0; i < world->slot_count; i++) {
    double at[3];
    if (!(touch->reaches[i] > 0)) continue;
    lb_vec3_store(at, touch->spheres[i].centre);
    lb_box_add_point(&box, at);
  }
  int best = 0;
  for (int axis = 1; axis < 3; axis++)
    if (box.high[axis] - box.low[axis] > box.high[best] - box.low[best]) best = axis;
  return best;
}

// Sorts slots by the low ends of their spheres: an insertion sort, since the order of the last step
// is nearly right.
static void sort_along(lbWorld *world, int axis) {
  lbWorldTouch *touch = world->touch;
  while (touch->swept_count < world->slot_count) {
    touch->swept[touch->swept_count] = touch->swept_count;
    touch->swept_count++;
  }
  for (int32_t i = 1; i < touch->swept_count; i++) {
    int32_t slot = touch->swept[i], to = i;
    double low = low_end_of(touch, slot, axis);
    for (; to > 0; to--) {
      double before = low_end_of(touch, touch->swept[to - 1], axis);
      if (before < low || !(before > low || touch->swept[to - 1] > slot)) break;
      touch->swept[to] = touch->swept[to - 1];
    }
    touch->swept[to] = slot;
  }
}

// Inserts a pair into the list of its lesser slot, in ascending order.
static void add_partner(lbWorldTouch *touch, int32_t a, int32_t b) {
  if (touch->partner_count == touch->near_room) {
    touch->dropped++;
    return;
  }
  int32_t first = a < b ? a : b, second = a < b ? b : a, *at = &touch->partners_first[first];
  while (*at >= 0 && touch->partners[*at].slot < second) at = &touch->partners[*at].next;
  touch->partners[touch->partner_count] = (lbPartner){ second, *at };
  *at = touch->partner_count++;
}

static void sweep_spheres(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  touch->partner_count = 0;
  for (int32_t i = 0; i < world->slot_count; i++) touch->partners_first[i] = -1;
  if (world->slot_count < 2) return;
  int axis = choose_axis(world);
  sort_along(world, axis);
  for (int32_t i = 0; i < touch->swept_count; i++) {
    int32_t a = touch->swept[i];
    if (!(touch->reaches[a] > 0)) continue;
    double high = coordinate_along(touch->spheres[a].centre, axis) + touch->reaches[a];
    for (int32_t k = i + 1; k < touch->swept_count; k++) {
      int32_t b = touch->swept[k];
      if (!(touch->reaches[b] > 0)) continue;
      if (low_end_of(touch, b, axis) > high) break;
      if (lb_slot_stays(world, &world->slots[a]) && lb_slot_stays(world, &world->slots[b]))
        continue;
      lbVec3 apart = lb_sub(touch->spheres[a].centre, touch->spheres[b].centre);
      double reach = touch->reaches[a] + touch->reaches[b];
      if (lb_dot(apart, apart) < reach * reach && lb_may_collide(world, a, b))
        add_partner(touch, a, b);
    }
  }
}

// ---- colliders ---------------------------------------------------------------------------------

// m: greatest displacement in the step of a collider's points near a sphere.
static double displacement_near(const lbWorldCollider *c, lbVec3 centre, double radius) {
  if (!c->moves) return 0;
  lbQuat turned = lb_quat_multiply(c->end_rotation, lb_quat_conjugate(c->rotation));
  double arm = lb_length(lb_sub(centre, c->position)) + radius;
  return lb_length(lb_sub(c->end_position, c->position)) + arm * lb_length(lb_quat_log(turned));
}

bool lb_touch_collider_is_near(const lbWorldCollider *c, lbVec3 centre, double radius) {
  lbSolidFrame frame = lb_solid_frame(c->rotation, c->position);
  return lb_solid_is_within(c->solid, lb_solid_to_own(&frame, centre),
                            radius + displacement_near(c, centre, radius));
}

// ---- pairs -------------------------------------------------------------------------------------

static void add_near(lbWorldTouch *touch, lbNear near) {
  if (touch->near_count == touch->near_room)
    touch->dropped++;
  else
    touch->nears[touch->near_count++] = near;
}

static void add_collider_pair(lbWorld *world, int32_t slot, int32_t number) {
  lbWorldTouch *touch = world->touch;
  const lbWorldCollider *c = &world->colliders[number];
  const lbTouchSphere *sphere = &touch->spheres[slot];
  lbVec3 centre = lb_solid_to_own(&c->frame, sphere->centre);
  double way = displacement_near(c, sphere->centre, touch->reaches[slot]);
  double margin = touch->margins[slot] + way;
  if (!lb_solid_is_within(c->solid, centre, sphere->radius + margin)) return;
  double gap = lb_solid_distance(c->solid, centre, NULL) - sphere->radius;
  add_near(touch, (lbNear){ .slots = { slot, -1 },
                            .collider = number,
                            .way = world->h * lb_length(sphere->velocity) + way,
                            .spread = sphere->spread,
                            .slack = AHEAD * bend_of(world, sphere) + SLACK * sphere->radius,
                            .margin = margin,
                            .most = margin,
                            .gap = lb_greater(gap, 0) });
}

static void add_body_pair(lbWorld *world, int32_t a, int32_t b) {
  lbWorldTouch *touch = world->touch;
  const lbTouchSphere *one = &touch->spheres[a], *other = &touch->spheres[b];
  double speed = lb_length(lb_sub(one->velocity, other->velocity));
  double apart = lb_length(lb_sub(one->centre, other->centre));
  double bend = lb_greater(bend_of(world, one), bend_of(world, other));
  if (lb_joints_part(world, a, b)) return;
  lbNear near = { .slots = { a, b },
                  .collider = -1,
                  .way = world->h * speed,
                  .slack = AHEAD * bend + SLACK * lb_lesser(one->radius, other->radius),
                  .most = touch->margins[a] + touch->margins[b],
                  .gap = lb_greater(apart - one->radius - other->radius, 0) };
  near.spread = one->spread + other->spread;
  near.margin = near.slack + AHEAD * (near.way + world->h * near.spread);
  add_near(touch, near);
}

// Pairs of each body: with itself, with colliders, with bodies of greater slots, in this order.
static void list_pairs(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  touch->near_count = 0;
  for (int32_t i = 0; i < world->slot_count; i++) {
    const lbWorldSlot *slot = &world->slots[i];
    if (!(touch->reaches[i] > 0)) continue;
    bool stays = lb_slot_stays(world, slot);
    if (world->settings.self && slot->placed && !stays)
      add_near(touch, (lbNear){ .slots = { i, i }, .collider = -1, .margin = touch->margins[i] });
    for (int32_t c = 0; c < world->collider_count && !stays; c++)
      if (lb_collider_pushes(&world->colliders[c]) && lb_may_collide_with(world, i, c))
        add_collider_pair(world, i, c);
    for (int32_t k = touch->partners_first[i]; k >= 0; k = touch->partners[k].next)
      add_body_pair(world, i, touch->partners[k].slot);
  }
}

// m: how far one of a pair may stay behind its predicted displacement, stopped by a third body.
static double stop_distance_of(const lbWorldTouch *touch, const lbNear *near) {
  double stop_distance = touch->stop_distances[near->slots[0]];
  return near->slots[1] < 0 ? stop_distance
                            : lb_greater(stop_distance, touch->stop_distances[near->slots[1]]);
}

static bool pass_stop_distances_on(lbWorldTouch *touch) {
  bool changed = false;
  for (int32_t i = 0; i < touch->near_count; i++) {
    const lbNear *near = &touch->nears[i];
    double left =
        lb_lesser(near->most, lb_greater(near->way, stop_distance_of(touch, near))) - near->gap;
    for (int side = 0; side < 2; side++) {
      int32_t slot = near->slots[side];
      if (slot < 0 || near->slots[0] == near->slots[1] || !(left > touch->stop_distances[slot]))
        continue;
      touch->stop_distances[slot] = left;
      changed = true;
    }
  }
  return changed;
}

static void set_stop_distance(const lbWorldTouch *touch, lbNear *near) {
  double radius = touch->spheres[near->slots[0]].radius;
  if (near->slots[1] == near->slots[0]) return;
  if (near->slots[1] >= 0) radius = lb_lesser(radius, touch->spheres[near->slots[1]].radius);
  near->stop_distance = lb_greater(0, stop_distance_of(touch, near) - OVERRUN * radius);
  near->margin = lb_lesser(near->most, lb_greater(near->margin, near->slack + near->stop_distance));
}

static void find_margins(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  int32_t kept = 0;
  for (int32_t i = 0; i < world->slot_count; i++) touch->stop_distances[i] = 0;
  for (int round = 0; round < PASS_ROUNDS && pass_stop_distances_on(touch); round++) {}
  for (int32_t i = 0; i < touch->near_count; i++) {
    lbNear near = touch->nears[i];
    set_stop_distance(touch, &near);
    if (near.gap < near.margin) touch->nears[kept++] = near;
  }
  touch->near_count = kept;
}

// Bodies that an axis separates: points beyond the nearest ones matter less the farther they are.
lbNearGap lb_near_gap(const lbWorld *world, lbNear *near) {
  const lbPlaced *one = world->slots[near->slots[0]].placed;
  const lbPlaced *other = world->slots[near->slots[1]].placed;
  const lbTouchSphere *spheres = world->touch->spheres;
  near->spread = one->spread + other->spread;
  double way = AHEAD * (near->way + world->h * near->spread);
  lbNearGap at = { .end = INFINITY, .begin = -INFINITY };
  double margin = at.margin =
      lb_lesser(near->margin, near->slack + lb_greater(way, near->stop_distance));
  lbVec3 apart = lb_sub(spheres[near->slots[1]].centre, spheres[near->slots[0]].centre);
  double length = lb_length(apart);
  if (!(length > 0)) return at;
  at.axis = lb_scale(1 / length, apart);
  at.end = lb_placed_extent(one, at.axis);
  at.begin = -lb_placed_extent(other, lb_scale(-1, at.axis));
  double gap = at.begin - at.end;
  if (!(gap > 0)) return at;
  at.margin = gap < margin ? lb_lesser(margin, gap + near->slack + BEYOND * (margin - gap)) : 0;
  return at;
}

// A surface that is in world coordinates already has exact velocities instead of a bound.
void lb_near_tighten(const lbWorld *world, lbNear *near) {
  const lbPlaced *placed = world->slots[near->slots[0]].placed;
  const lbTouchSphere *sphere = &world->touch->spheres[near->slots[0]];
  if (!placed->current || placed->spread > sphere->spread) return;
  double less = AHEAD * world->h * (sphere->spread - placed->spread);
  near->spread -= sphere->spread - placed->spread;
  near->margin = lb_greater(near->slack + near->stop_distance, near->margin - less);
}

lbSweeping lb_near_sweeping(const lbWorld *world, const lbNear *near) {
  const lbTouchSphere *spheres = world->touch->spheres;
  lbSweeping s = { .ahead = AHEAD * world->h,
                   .alone = world->h,
                   .stop_distance = near->stop_distance,
                   .aside = ASIDE };
  s.grow = 0.5 * (near->slack + ASIDE * s.ahead * near->spread);
  lb_vec3_store(s.velocity, lb_scale(0.5, lb_add(spheres[near->slots[0]].velocity,
                                                 spheres[near->slots[1]].velocity)));
  return s;
}

double lb_near_reach(const lbWorld *world, const lbNear *near, double closing, double speed) {
  double ahead = AHEAD * world->h * (lb_greater(0, closing) + ASIDE * (speed + near->spread));
  return near->slack + lb_greater(ahead, near->stop_distance);
}

// Whether a gap closes in the step at the velocities (m/s) of both points, which may turn aside, or
// with one of the bodies stopped.
bool lb_near_may_meet(const lbWorld *world, const lbNear *near, double gap, lbVec3 normal,
                      lbVec3 first, lbVec3 second) {
  double h = world->h, left = gap - near->slack;
  lbVec3 velocity = lb_sub(first, second);
  double closing =
      lb_greater(0, -lb_dot(normal, velocity)) + ASIDE * (lb_length(velocity) + near->spread);
  if (left < AHEAD * h * closing) return true;
  double alone = lb_greater(0, lb_greater(-lb_dot(normal, first), lb_dot(normal, second)));
  return left < lb_lesser(near->stop_distance, h * alone);
}

void lb_near_find(lbWorld *world) {
  for (int32_t i = 0; i < world->collider_count; i++)
    world->colliders[i].frame =
        lb_solid_frame(world->colliders[i].rotation, world->colliders[i].position);
  lb_parallel_for(world->slot_count, SPHERE_TASK, bound_bodies, world);
  sweep_spheres(world);
  list_pairs(world);
  find_margins(world);
}
