// Contact quotas: how many contacts each pair may have where there are more than there is room for.
//
// A body has room for 48 contacts (an unreduced one for 256), the world for contacts_most. Filled
// in the order of pairs, the last ones would get none, and a body in a heap would fall through
// whatever comes last. So the pairs of a body with too many get equal quotas, and each keeps the
// contact points that carry most. A few of them carry the force and torque of all: a body's quota
// counts as dropped only what is missing of these.
#include "world/touch.h"

#include <string.h>

enum {
  LB_VERTEX_CONTACTS = 4, // a vertex, edges around it and corners of others on faces around it
  LB_FLAT_CONTACTS = 4,   // the corners of a flat contact carry what all of its points do
};

// The step of an unreduced body costs as much for many contacts as for few (compliance.c).
int32_t lb_touch_body_most(const lbWorld *world, int32_t slot) {
  const lbBody *body = world->slots[slot].body;
  if (!body) return 0;
  if (!lb_compliance_is_estimated(world, slot)) return LB_BODY_CONTACTS;
  int64_t places = LB_VERTEX_CONTACTS * (int64_t)body->prepared->model->size.vertex_count;
  if (places <= LB_BODY_CONTACTS) return LB_BODY_CONTACTS;
  return places < LB_NODAL_CONTACTS ? (int32_t)places : LB_NODAL_CONTACTS;
}

int32_t lb_touch_pair_most(const lbWorld *world, const lbNear *near) {
  int32_t a = near->slots[0], b = near->slots[1];
  bool first = lb_compliance_is_estimated(world, a);
  bool second = b >= 0 && lb_compliance_is_estimated(world, b);
  if (first && (second || b < 0)) return LB_NODAL_CONTACTS;
  return first || second ? LB_BODY_CONTACTS : LB_PAIR_CONTACTS;
}

// Keeps at most `most` contact points of a pair. What is missing of `needed` counts as dropped.
static void thin_pair(lbWorldTouch *touch, lbNear *near, int32_t most, int32_t needed) {
  lbTouchWork *work = &touch->works[0];
  lbTouchCandidate *found = touch->found + near->first;
  if (near->found <= most) return;
  work->candidate_count = near->found;
  memcpy(work->candidates, found, (size_t)near->found * sizeof *found);
  lb_active_contacts(work, near->length, most);
  if (near->found < needed) needed = near->found;
  if (work->candidate_count < needed) touch->dropped += needed - work->candidate_count;
  near->found = work->candidate_count;
  memcpy(found, work->candidates, (size_t)near->found * sizeof *found);
}

// ---- lists -------------------------------------------------------------------------------------

// Moves the contact points of pairs behind those of the pairs before, at most `most` of each.
static void compact_found(lbWorldTouch *touch, int32_t begin, int32_t end, int32_t most) {
  for (int32_t i = begin; i < end; i++) {
    lbNear *near = &touch->nears[i];
    thin_pair(touch, near, most, INT32_MAX);
    memmove(touch->found + touch->listed_count, touch->found + near->first,
            (size_t)near->found * sizeof *touch->found);
    near->first = touch->listed_count;
    touch->listed_count += near->found;
  }
}

void lb_touch_gather(lbWorldTouch *touch, int32_t first, int32_t count) {
  int32_t room = LB_LISTED * touch->contact_room, most = LB_NODAL_CONTACTS;
  compact_found(touch, first, first + count, most);
  while (touch->listed_count > room && most > 1) {
    most /= 2;
    touch->listed_count = 0;
    compact_found(touch, 0, first + count, most);
  }
  for (int32_t i = first + count; touch->listed_count > room; i--) { // pairs without any
    lbNear *near = &touch->nears[i - 1];
    touch->dropped += near->found;
    touch->listed_count -= near->found;
    near->found = 0;
  }
}

// ---- quotas ------------------------------------------------------------------------------------

static int32_t quota_of(const lbWorldTouch *touch, const lbNear *near) {
  int32_t a = near->slots[0], b = near->slots[1], share = touch->shares[a];
  if (b >= 0 && touch->shares[b] < share) share = touch->shares[b];
  return near->found < share ? near->found : share;
}

// counts <- contacts of bodies by their quotas; returns the sum over pairs.
static int32_t count_by_quota(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  int32_t sum = 0;
  memset(touch->counts, 0, (size_t)world->slot_count * sizeof *touch->counts);
  for (int32_t i = 0; i < touch->near_count; i++) {
    const lbNear *near = &touch->nears[i];
    int32_t share = quota_of(touch, near);
    touch->counts[near->slots[0]] += share;
    if (near->slots[1] >= 0) touch->counts[near->slots[1]] += share;
    sum += share;
  }
  return sum;
}

// Lowers the quotas of bodies with too many contacts by one; false: all have room. Bodies that
// touch themselves need all their room for that, and other pairs get the rest in their order.
static bool lower_quotas(lbWorld *world, int32_t share, bool *world_is_full) {
  lbWorldTouch *touch = world->touch;
  bool all = count_by_quota(world) > touch->contact_room - touch->staying_count, any = false;
  *world_is_full |= all;
  for (int32_t i = 0; i < world->slot_count; i++) {
    bool too_many = touch->counts[i] > lb_touch_body_most(world, i) && !world->settings.self;
    if (!all && !too_many) continue;
    touch->shares[i] = share - 1;
    any = true;
  }
  return any;
}

void lb_touch_give_shares(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  int32_t most = 0;
  for (int32_t i = 0; i < touch->near_count; i++)
    if (touch->nears[i].found > most) most = touch->nears[i].found;
  int32_t share = most;
  for (int32_t i = 0; i < world->slot_count; i++) touch->shares[i] = share;
  bool world_is_full = false;
  while (share > 1 && lower_quotas(world, share, &world_is_full)) share--;
  if (share == most) return;
  for (int32_t i = 0; i < touch->near_count; i++) {
    lbNear *near = &touch->nears[i];
    thin_pair(touch, near, quota_of(touch, near), world_is_full ? INT32_MAX : LB_FLAT_CONTACTS);
  }
}
