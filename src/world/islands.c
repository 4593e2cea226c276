// Islands: bodies that touch or are joined, directly or through others. No force passes from one
// island to another, so islands are solved independently, in parallel where there are threads.
#include "world/joint.h"

#include <string.h>

static int32_t island_root(int32_t *parents, int32_t at) {
  while (parents[at] != at) at = parents[at] = parents[parents[at]];
  return at;
}

// The lower index becomes the root.
static void unite_islands(int32_t *parents, int32_t a, int32_t b) {
  a = island_root(parents, a), b = island_root(parents, b);
  if (a < b)
    parents[b] = a;
  else
    parents[a] = b;
}

static void unite_touching(const lbWorld *world) {
  const lbWorldTouch *touch = world->touch;
  for (int32_t t = 0; t < touch->contact_body_count; t++) touch->parents[t] = t;
  for (int32_t c = 0; c < touch->contact_count; c++) {
    const lbContactSide *sides = touch->sides + 2 * c;
    if (sides[0].body >= 0 && sides[1].body >= 0)
      unite_islands(touch->parents, sides[0].body, sides[1].body);
  }
  const lbWorldJoints *joints = world->linked;
  for (int32_t i = 0; lb_joints_hold_any(world) && i < joints->body_count; i++)
    if (joints->bodies[i].contact_body >= 0)
      unite_islands(touch->parents, joints->bodies[i].contact_body,
                    lb_joints_leader(joints, joints->bodies[i].component));
}

// Touchers know their island; islands are in the order of their first bodies.
static void number_islands(lbWorldTouch *touch) {
  touch->island_count = 0;
  for (int32_t t = 0; t < touch->contact_body_count; t++) {
    int32_t first = touch->parents[t] = island_root(touch->parents, t);
    touch->contact_bodies[t].island =
        first == t ? touch->island_count++ : touch->contact_bodies[first].island;
  }
}

int32_t lb_island_of(const lbWorldTouch *touch, int32_t contact) {
  const lbContactSide *sides = touch->sides + 2 * contact;
  return touch->contact_bodies[sides[0].body >= 0 ? sides[0].body : sides[1].body].island;
}

void lb_islands_list(lbWorldTouch *touch) {
  int32_t listed = 0, *begin = touch->island_begin;
  memset(begin, 0, ((size_t)touch->island_count + 1) * sizeof *begin);
  for (int32_t c = 0; c < touch->block_count; c++) {
    if (touch->inactive[c]) continue;
    begin[lb_island_of(touch, c) + 1]++;
    listed++;
  }
  for (int32_t i = 0; i < touch->island_count; i++) begin[i + 1] += begin[i];
  for (int32_t c = touch->block_count - 1; c >= 0; c--) // from behind: ends become begins
    if (!touch->inactive[c]) touch->by_island[--begin[lb_island_of(touch, c) + 1]] = c;
  for (int32_t i = 0; i < touch->island_count; i++) begin[i] = begin[i + 1];
  begin[touch->island_count] = listed;
}

void lb_islands_find(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  unite_touching(world);
  number_islands(touch);
  memset(touch->settled, 0, (size_t)touch->island_count * sizeof *touch->settled);
  touch->block_count = lb_touch_pair_blocks(touch);
  memset(touch->inactive, 0, (size_t)touch->block_max * sizeof *touch->inactive);
  lb_islands_list(touch);
}
