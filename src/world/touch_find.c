// Who is near whom, and the places where they touch or could in this step.
//
// Spheres around surfaces, grown by what they can move by, tell pairs; trees of spheres
// (body/tree.h) lead to the triangles that matter; contact/solid.h finds places; of many, a few are
// kept that carry the same forces and torques.
#include "world/joint.h"

#include "body/body.h"

#include <string.h>

#define WAY 2.0         // times what speeds tell: bodies speed up
#define SLACK 0.01      // of the radius
#define ALIKE 0.7       // cosine: normals that look to the same side
#define HALF_ALIKE 0.93 // of half that angle
#define NEAR 3.0        // times the overlap

// ---- pairs: candidates -------------------------------------------------------------------------

// Few of those there are, so that there is room for more.
static void thin_out(lbWorldTouch *touch, double length, int32_t most) {
  int32_t chosen[LB_PAIR_CANDIDATES];
  for (int32_t i = 0; i < touch->candidate_count; i++) {
    const lbTouchCandidate *c = &touch->candidates[i];
    touch->places[i] = (lbTouchPlace){ c->point, c->normal, c->gap };
  }
  int32_t count = lb_touches_choose(touch->candidate_count, touch->places, length, most, chosen);
  for (int32_t i = 0; i < count; i++) touch->candidates[i] = touch->candidates[chosen[i]];
  touch->candidate_count = count;
}

// Those that pushed in the last step come first and stay; the rest is filled up with new ones.
static void choose(lbWorldTouch *touch, double length, int32_t most) {
  lbTouchCandidate kept[LB_PAIR_CONTACTS];
  int32_t count = 0, left = 0;
  for (int32_t i = 0; i < touch->candidate_count; i++) {
    if (touch->candidates[i].known >= 0 && count < most)
      kept[count++] = touch->candidates[i];
    else
      touch->candidates[left++] = touch->candidates[i];
  }
  touch->candidate_count = left;
  thin_out(touch, length, most - count);
  for (int32_t i = 0; i < count; i++) touch->candidates[touch->candidate_count++] = kept[i];
}

void lb_touch_add_candidate(lbWorldTouch *touch, double length, const lbTouchCandidate *candidate) {
  if (touch->candidate_count == LB_PAIR_CANDIDATES) thin_out(touch, length, LB_PAIR_CANDIDATES / 2);
  touch->candidates[touch->candidate_count] = *candidate;
  touch->candidates[touch->candidate_count++].known = -1; // not looked for yet
}

static double friction_of(const lbWorld *world, double own) {
  return isnan(own) ? world->settings.friction : own;
}

// A normal and two tangents that depend on it alone.
static void make_axes(lbVec3 normal, lbVec3 axes[3]) {
  lbVec3 other = fabs(normal.x) < 0.6 ? lb_vec3(1, 0, 0) : lb_vec3(0, 1, 0);
  axes[0] = normal;
  axes[1] = lb_normalise(lb_cross(other, normal));
  axes[2] = lb_cross(normal, axes[1]);
}

// Whether all normals are within so little of the first that any two look to the same side.
static bool look_alike(const lbWorldTouch *touch) {
  for (int32_t i = 1; i < touch->candidate_count; i++)
    if (lb_dot(touch->candidates[0].normal, touch->candidates[i].normal) < HALF_ALIKE) return false;
  return true;
}

// Where two surfaces overlap at an edge, a place is behind several faces: the nearest one counts,
// not a deeper one that looks elsewhere.
static void drop_deeper(lbWorldTouch *touch) {
  int32_t kept = 0;
  if (look_alike(touch)) return;
  for (int32_t i = 0; i < touch->candidate_count; i++) {
    const lbTouchCandidate *c = &touch->candidates[i];
    bool keep = true;
    for (int32_t j = 0; j < touch->candidate_count && keep && c->gap < 0; j++) {
      const lbTouchCandidate *other = &touch->candidates[j];
      if (!(other->gap > c->gap) || lb_dot(other->normal, c->normal) > ALIKE) continue;
      keep = !(lb_length(lb_sub(other->point, c->point)) < NEAR * -c->gap);
    }
    touch->places[i].gap = keep ? 1 : 0; // a mark: candidates are compared with all of them
  }
  for (int32_t i = 0; i < touch->candidate_count; i++)
    if (touch->places[i].gap != 0) touch->candidates[kept++] = touch->candidates[i];
  touch->candidate_count = kept;
}

// The remembered contacts of each first body, in their order.
static void sort_remembered(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  for (int32_t i = 0; i < world->slot_count; i++) touch->remembered_first[i] = -1;
  for (int32_t k = touch->remembered_count - 1; k >= 0; k--) {
    int32_t slot = touch->remembered[k].slots[0];
    if (slot < 0 || slot >= world->slot_count) continue; // of a damaged state
    touch->remembered_next[k] = touch->remembered_first[slot];
    touch->remembered_first[slot] = k;
  }
}

// Which candidates were contacts in the last step.
static void recognise(lbWorldTouch *touch, int32_t a, int32_t b, int32_t collider) {
  for (int32_t k = touch->remembered_first[a]; k >= 0; k = touch->remembered_next[k]) {
    const lbRememberedContact *r = &touch->remembered[k];
    if (r->slots[1] != b || r->collider != collider) continue;
    for (int32_t i = 0; i < touch->candidate_count; i++) {
      lbTouchCandidate *c = &touch->candidates[i];
      if (c->triangles[0] == r->triangles[0] && c->triangles[1] == r->triangles[1] &&
          c->feature == r->feature && c->known < 0) {
        c->known = k;
        break;
      }
    }
  }
}

// One that sleeps and one that does not, and could touch it.
static void tell_woken(lbWorld *world, int32_t a, int32_t b) {
  lbWorldTouch *touch = world->touch;
  if (world->slots[a].asleep == world->slots[b].asleep || touch->woken_count == touch->contact_room)
    return;
  int32_t *to = touch->woken + 2 * (size_t)touch->woken_count++;
  to[0] = world->slots[a].asleep ? a : b;
  to[1] = world->slots[a].asleep ? b : a;
}

// The chosen candidates become contacts, as many as there is room for.
void lb_touch_take_candidates(lbWorld *world, int32_t a, int32_t b, int32_t collider,
                              double length) {
  lbWorldTouch *touch = world->touch;
  recognise(touch, a, b, collider);
  drop_deeper(touch);
  choose(touch, length, b < 0 ? LB_PAIR_CONTACTS : LB_SOFT_CONTACTS);
  int32_t room = touch->contact_room - touch->asleep_count - touch->contact_count;
  int32_t room_a = LB_BODY_CONTACTS - touch->counts[a];
  int32_t room_b = b < 0 ? room : LB_BODY_CONTACTS - touch->counts[b];
  if (room_a < room) room = room_a;
  if (room_b < room) room = room_b;
  if (a == b && room_a / 2 < room) room = room_a / 2;
  double one = friction_of(world, world->slots[a].friction);
  double other =
      friction_of(world, b < 0 ? world->colliders[collider].friction : world->slots[b].friction);
  for (int32_t i = 0; i < touch->candidate_count; i++) {
    if (i >= room) {
      touch->dropped += touch->candidate_count - i;
      break;
    }
    lbWorldContact *contact = &touch->contacts[touch->contact_count++];
    *contact = (lbWorldContact){ .slots = { a, b },
                                 .collider = collider,
                                 .at = touch->candidates[i],
                                 .friction = sqrt(one * other) };
    if (lb_touch_is_deep(contact->at.feature)) contact->friction = 0;
    make_axes(contact->at.normal, contact->axes);
    touch->counts[a]++;
    if (b >= 0) touch->counts[b]++;
  }
  if (b >= 0 && touch->candidate_count > 0) tell_woken(world, a, b);
}

// ---- a body and what is rigid ------------------------------------------------------------------

typedef struct Approach {
  lbWorld *world;
  const lbBody *body;
  const lbSolid *solid;
  lbSolidFrame frame; // of the solid
  lbMat3 turn;        // from the body's axes to the solid's: turn x + shift
  lbVec3 shift;
  double margin, length;
} Approach;

static lbVec3 to_solid(const Approach *a, lbVec3 own) {
  return lb_add(a->shift, lb_mat3_apply(a->turn, own));
}

static bool reaches_solid(void *context, lbVec3 centre, double radius) {
  const Approach *a = context;
  return lb_solid_distance(a->solid, to_solid(a, centre), NULL) < radius + a->margin;
}

static bool touch_solid(void *context, const lbSurfaceTriangle *triangle, int32_t number) {
  Approach *a = context;
  lbSolidTouch found[LB_SOLID_TOUCHES];
  lbSurfaceTriangle at = { .own = triangle->own };
  for (int k = 0; k < 3; k++) {
    at.corners[k] = to_solid(a, triangle->corners[k]);
    at.across[k] = to_solid(a, triangle->across[k]);
  }
  int32_t count = lb_solid_touch_triangle(a->solid, &at, a->margin, found);
  for (int32_t i = 0; i < count; i++) {
    if (!lb_touch_mend_side(a->body, a->solid, &a->frame, &at, number, &found[i])) continue;
    lbTouchCandidate c = { .triangles = { number, -1 },
                           .point = lb_solid_to_world(&a->frame, found[i].on_solid),
                           .normal = lb_mat3_apply(a->frame.rotation, found[i].normal),
                           .feature = found[i].feature,
                           .gap = found[i].gap };
    for (int k = 0; k < 3; k++) c.weights[0][k] = found[i].weights[k];
    lb_touch_add_candidate(a->world->touch, a->length, &c);
  }
  return true;
}

// m: how far places of a collider near a sphere move in the step.
static double way_near(const lbWorldCollider *c, lbVec3 centre, double radius) {
  if (!c->moves) return 0;
  lbQuat turned = lb_quat_multiply(c->end_rotation, lb_quat_conjugate(c->rotation));
  double arm = lb_length(lb_sub(centre, c->position)) + radius;
  return lb_length(lb_sub(c->end_position, c->position)) + arm * lb_length(lb_quat_log(turned));
}

bool lb_touch_collider_is_near(const lbWorldCollider *c, lbVec3 centre, double radius) {
  lbSolidFrame frame = lb_solid_frame(c->rotation, c->position);
  return lb_solid_distance(c->solid, lb_solid_to_own(&frame, centre), NULL) <
         radius + way_near(c, centre, radius);
}

// What is rigid: a collider, or a body of that kind.
typedef struct Rigid {
  int32_t slot, collider; // one of them -1
  const lbSolid *solid;
  lbSolidFrame frame;
  double way; // m: how far places of it near the other move in the step
} Rigid;

static Rigid rigid_of(const lbWorld *world, int32_t slot) {
  const lbBody *body = world->slots[slot].body;
  return (Rigid){ slot,
                  -1,
                  lb_rigid_solid(body),
                  { body->frame.turn, body->frame.position },
                  world->touch->margins[slot] };
}

static Rigid collider_of(const lbWorld *world, int32_t number, lbVec3 centre, double radius) {
  const lbWorldCollider *c = &world->colliders[number];
  return (Rigid){ -1, number, c->solid, lb_solid_frame(c->rotation, c->position),
                  way_near(c, centre, radius) };
}

// A body that deforms.
static void approach_rigid(lbWorld *world, int32_t slot, const Rigid *r) {
  lbWorldTouch *touch = world->touch;
  const lbBody *body = world->slots[slot].body;
  Approach a = { .world = world,
                 .body = body,
                 .solid = r->solid,
                 .frame = r->frame,
                 .margin = touch->margins[slot] + r->way,
                 .length = touch->reaches[slot] };
  lbVec3 centre = lb_solid_to_own(&a.frame, touch->centres[slot]);
  if (!(lb_solid_distance(r->solid, centre, NULL) < touch->reaches[slot] + r->way)) return;
  a.turn = lb_mat3_multiply(lb_mat3_transpose(a.frame.rotation), body->frame.turn);
  a.shift = lb_solid_to_own(&a.frame, body->frame.position);
  touch->candidate_count = 0;
  if (!lb_touch_visit(body, reaches_solid, touch_solid, &a)) return;
  lb_touch_take_candidates(world, slot, r->slot, r->collider, a.length);
}

// A rigid body.
static void approach_pair(lbWorld *world, int32_t slot, const Rigid *r) {
  lbWorldTouch *touch = world->touch;
  Rigid own = rigid_of(world, slot);
  lbSolidPairTouch found[LB_PAIR_TOUCHES];
  double margin = touch->margins[slot] + r->way, length = touch->reaches[slot];
  int32_t count = lb_solids_touch(own.solid, &own.frame, r->solid, &r->frame, margin, found);
  touch->candidate_count = 0;
  for (int32_t i = 0; i < count; i++) {
    lbTouchCandidate c = { .triangles = { -1, -1 },
                           .point = found[i].on_b,
                           .first = found[i].on_a,
                           .normal = found[i].normal,
                           .feature = found[i].feature,
                           .gap = found[i].gap };
    lb_touch_add_candidate(touch, length, &c);
  }
  lb_touch_take_candidates(world, slot, r->slot, r->collider, length);
}

static bool is_rigid(const lbWorld *world, int32_t slot) {
  return lb_rigid_solid(world->slots[slot].body) != NULL;
}

static void approach_collider(lbWorld *world, int32_t slot, int32_t number) {
  const lbWorldTouch *touch = world->touch;
  Rigid r = collider_of(world, number, touch->centres[slot], touch->reaches[slot]);
  if (is_rigid(world, slot))
    approach_pair(world, slot, &r);
  else
    approach_rigid(world, slot, &r);
}

// ---- two bodies --------------------------------------------------------------------------------

static void approach_body(lbWorld *world, int32_t a, int32_t b) {
  const lbWorldTouch *touch = world->touch;
  double distance = lb_length(lb_sub(touch->centres[a], touch->centres[b]));
  if (!(distance < touch->reaches[a] + touch->reaches[b])) return;
  if (lb_joints_part(world, a, b) || lb_touch_part(world, a, b)) return;
  if (!is_rigid(world, a) && !is_rigid(world, b)) {
    lb_touch_pair(world, a, b);
    return;
  }
  bool second = is_rigid(world, b); // or the first, and the other one deforms
  Rigid r = rigid_of(world, second ? b : a);
  if (second && is_rigid(world, a))
    approach_pair(world, a, &r);
  else
    approach_rigid(world, second ? a : b, &r);
}

static void approach_itself(lbWorld *world, int32_t slot) {
  lb_self_find(world, slot);
  lb_touch_take_candidates(world, slot, slot, -1, world->touch->reaches[slot]);
}

// ---- all ---------------------------------------------------------------------------------------

static void find_sphere(lbWorld *world, int32_t slot) {
  lbWorldTouch *touch = world->touch;
  const lbWorldSlot *at = &world->slots[slot];
  double speed = 0, h = world->h;
  if (at->asleep && touch->reaches[slot] > 0) return; // where it was
  touch->reaches[slot] = 0;
  if (!at->body || !at->touches) return;
  double radius = lb_touch_sphere(at->body, &touch->centres[slot], &speed);
  double fall = h * h * lb_length(world->settings.gravity);
  touch->margins[slot] = WAY * (h * speed + fall) + SLACK * radius;
  touch->reaches[slot] = radius + touch->margins[slot];
  touch->speeds[slot] = speed;
}

// Contacts among bodies that sleep stay as they are; -1 is a collider.
static bool all_sleep(const lbWorld *world, const int32_t slots[2]) {
  for (int side = 0; side < 2; side++)
    if (slots[side] >= 0 && !(slots[side] < world->slot_count && world->slots[slots[side]].asleep))
      return false;
  return true;
}

// They come first among those that are remembered.
static void keep_asleep(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  touch->asleep_count = 0;
  for (int32_t k = 0; k < touch->remembered_count; k++) {
    if (!all_sleep(world, touch->remembered[k].slots)) continue;
    int32_t to = touch->asleep_count++;
    if (to == k) continue;
    lbRememberedContact contact = touch->remembered[k];
    lbContact report = touch->reports[k];
    memmove(&touch->remembered[to + 1], &touch->remembered[to], (size_t)(k - to) * sizeof contact);
    memmove(&touch->reports[to + 1], &touch->reports[to], (size_t)(k - to) * sizeof report);
    touch->remembered[to] = contact, touch->reports[to] = report;
  }
}

static void find_of(lbWorld *world, int32_t i) {
  const lbWorldTouch *touch = world->touch;
  if (!(touch->reaches[i] > 0)) return;
  bool asleep = world->slots[i].asleep;
  if (world->slots[i].self && !asleep) approach_itself(world, i);
  for (int32_t c = 0; c < world->collider_count && !asleep; c++)
    if (world->colliders[c].solid) approach_collider(world, i, c);
  for (int32_t j = i + 1; j < world->slot_count; j++)
    if (touch->reaches[j] > 0 && !(asleep && world->slots[j].asleep)) approach_body(world, i, j);
}

void lb_touch_find(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  touch->contact_count = touch->dropped = touch->woken_count = 0;
  keep_asleep(world);
  sort_remembered(world);
  memset(touch->counts, 0, (size_t)world->slot_count * sizeof *touch->counts);
  for (int32_t i = 0; i < world->slot_count; i++) find_sphere(world, i);
  for (int32_t i = 0; i < world->slot_count; i++) find_of(world, i);
}
