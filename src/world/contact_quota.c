// Who gets how many contacts where there are more places than there is room for.
//
// A body has room for 48 (an unreduced one for 256), the world for contacts_most. Filled in the
// order of pairs, those at the end would be left with none, and a body in the middle of a heap
// would fall through the one or the wall that happens to come last. So pairs of a body that has too
// many get equal shares, and each keeps those of its places that carry most.
#include "world/touch.h"

#include <string.h>

#define LB_VERTEX_CONTACTS 4 // a vertex, edges around it and corners of others on faces around it

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

// Of its places, those that are kept are the first ones.
static void thin_out(lbWorldTouch *touch, lbNear *near, int32_t most) {
  lbTouchWork *work = &touch->works[0];
  lbTouchCandidate *found = touch->found + near->first;
  if (near->found <= most) return;
  work->candidate_count = near->found;
  memcpy(work->candidates, found, (size_t)near->found * sizeof *found);
  lb_touch_choose(work, near->length, most);
  touch->dropped += near->found - work->candidate_count;
  near->found = work->candidate_count;
  memcpy(found, work->candidates, (size_t)near->found * sizeof *found);
}

// ---- lists -------------------------------------------------------------------------------------

// Moves the places of pairs to behind those of the pairs before them, no more than `most` of each.
static void close_up(lbWorldTouch *touch, int32_t begin, int32_t end, int32_t most) {
  for (int32_t i = begin; i < end; i++) {
    lbNear *near = &touch->nears[i];
    thin_out(touch, near, most);
    memmove(touch->found + touch->listed_count, touch->found + near->first,
            (size_t)near->found * sizeof *touch->found);
    near->first = touch->listed_count;
    touch->listed_count += near->found;
  }
}

void lb_touch_gather(lbWorldTouch *touch, int32_t first, int32_t count) {
  int32_t room = LB_LISTED * touch->contact_room, most = LB_NODAL_CONTACTS;
  close_up(touch, first, first + count, most);
  while (touch->listed_count > room && most > 1) {
    most /= 2;
    touch->listed_count = 0;
    close_up(touch, 0, first + count, most);
  }
  for (int32_t i = first + count; touch->listed_count > room; i--) { // pairs without any
    lbNear *near = &touch->nears[i - 1];
    touch->dropped += near->found;
    touch->listed_count -= near->found;
    near->found = 0;
  }
}

// ---- shares ------------------------------------------------------------------------------------

static int32_t share_of(const lbWorldTouch *touch, const lbNear *near) {
  int32_t a = near->slots[0], b = near->slots[1], share = touch->shares[a];
  if (b >= 0 && touch->shares[b] < share) share = touch->shares[b];
  return near->found < share ? near->found : share;
}

// counts <- contacts of bodies by the shares that they have; returns the sum over pairs.
static int32_t count_shares(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  int32_t sum = 0;
  memset(touch->counts, 0, (size_t)world->slot_count * sizeof *touch->counts);
  for (int32_t i = 0; i < touch->near_count; i++) {
    const lbNear *near = &touch->nears[i];
    int32_t share = share_of(touch, near);
    touch->counts[near->slots[0]] += share;
    if (near->slots[1] >= 0) touch->counts[near->slots[1]] += share;
    sum += share;
  }
  return sum;
}

// Bodies with too many get shares of one contact less, until all have room; false: they have. Those
// that touch themselves need all that they have for that, and the rest in the order of pairs.
static bool lower_shares(lbWorld *world, int32_t share) {
  lbWorldTouch *touch = world->touch;
  bool all = count_shares(world) > touch->contact_room - touch->staying_count, any = false;
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
  while (share > 1 && lower_shares(world, share)) share--;
  if (share == most) return;
  for (int32_t i = 0; i < touch->near_count; i++) {
    lbNear *near = &touch->nears[i];
    thin_out(touch, near, share_of(touch, near));
  }
}
