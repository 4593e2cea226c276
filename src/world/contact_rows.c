// Contacts of a step by body, and their contact points.
#include "world/joint.h"

#include <string.h>

bool lb_touch_gives_way(const lbWorld *world, int32_t slot) {
  return slot >= 0 && !lb_slot_stays(world, &world->slots[slot]);
}

int32_t lb_touch_enlist(lbWorldTouch *touch, int32_t slot) {
  if (touch->numbers[slot] < 0) {
    touch->contact_bodies[touch->contact_body_count] = (lbContactBody){ .slot = slot };
    touch->numbers[slot] = touch->contact_body_count++;
  }
  return touch->numbers[slot];
}

// Touchers, and where their contact points lie.
static void list_contact_bodies(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  touch->contact_body_count = 0;
  for (int32_t i = 0; i < world->slot_count; i++) touch->numbers[i] = -1;
  for (int32_t c = 0; c < touch->contact_count; c++)
    for (int side = 0; side < 2; side++)
      if (lb_touch_gives_way(world, touch->contacts[c].slots[side]))
        touch->contact_bodies[lb_touch_enlist(touch, touch->contacts[c].slots[side])].count++;
  for (int32_t r = 0; r < touch->rolling_count; r++)
    for (int side = 0; side < 2; side++) {
      int32_t slot = touch->contacts[touch->rolling[r].first].slots[side];
      if (lb_rolling_turns(world, slot)) touch->contact_bodies[touch->numbers[slot]].count++;
    }
  lb_joints_enlist(world);
  int32_t first = 0;
  for (int32_t t = 0; t < touch->contact_body_count; t++) {
    touch->contact_bodies[t].first = first;
    first += touch->contact_bodies[t].count;
    touch->contact_bodies[t].count = 0;
  }
}

static void place_rigid(const lbWorld *world, lbWorldContact *contact) {
  for (int side = 0; side < 2; side++) {
    const lbBody *body = contact->slots[side] < 0 ? NULL : world->slots[contact->slots[side]].body;
    contact->kinds[side] = LB_POINT_SURFACE;
    if (!body || !lb_body_solid(body)) continue;
    lbVec3 place = side ? contact->at.point : contact->at.first;
    bool round = lb_solid_is_round(lb_body_solid(body));
    contact->kinds[side] = round ? LB_POINT_ROUND : LB_POINT_OWN;
    contact->own[side] =
        round ? lb_sub(place, lb_frame_centre(body)) : lb_body_unplace(body, place);
  }
}

void lb_touch_place_rigid(lbWorld *world) {
  for (int32_t c = 0; c < world->touch->contact_count; c++)
    place_rigid(world, &world->touch->contacts[c]);
}

static void list_contact_points(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  for (int32_t c = 0; c < touch->contact_count; c++) {
    const lbWorldContact *contact = &touch->contacts[c];
    for (int side = 0; side < 2; side++) {
      touch->sides[2 * c + side] = (lbContactSide){ -1, 0 };
      if (!lb_touch_gives_way(world, contact->slots[side])) continue;
      int32_t number = touch->numbers[contact->slots[side]];
      lbContactBody *contact_body = &touch->contact_bodies[number];
      int32_t place = contact_body->count++;
      lbContactPoint *contact_point = &touch->contact_points[contact_body->first + place];
      *contact_point = (lbContactPoint){ .kind = contact->kinds[side],
                                         .triangle = contact->at.triangles[side],
                                         .own = contact->own[side] };
      memcpy(contact_point->weights, contact->at.weights[side], sizeof contact_point->weights);
      memcpy(contact_point->axes, contact->axes, sizeof contact_point->axes);
      touch->owners[contact_body->first + place] = 2 * c + side;
      touch->sides[2 * c + side] = (lbContactSide){ number, place };
    }
  }
}

// Of torques, behind those of forces.
static void list_torques(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  for (int32_t r = 0; r < touch->rolling_count; r++) {
    int32_t block = touch->contact_count + r;
    for (int side = 0; side < 2; side++) {
      int32_t slot = touch->contacts[touch->rolling[r].first].slots[side];
      touch->sides[2 * block + side] = (lbContactSide){ -1, 0 };
      if (!lb_rolling_turns(world, slot)) continue;
      lbContactBody *contact_body = &touch->contact_bodies[touch->numbers[slot]];
      int32_t place = contact_body->count++;
      touch->contact_points[contact_body->first + place] =
          (lbContactPoint){ .kind = LB_POINT_TORQUE,
                            .axes = { lb_vec3(1, 0, 0), lb_vec3(0, 1, 0), lb_vec3(0, 0, 1) } };
      touch->owners[contact_body->first + place] = 2 * block + side;
      touch->sides[2 * block + side] = (lbContactSide){ touch->numbers[slot], place };
      contact_body->rolls = true;
    }
  }
}

void lb_touch_make_parts(lbWorldTouch *touch) {
  double *at = touch->pool;
  for (int32_t t = 0; t < touch->contact_body_count; t++) {
    size_t n = 3 * (size_t)touch->contact_bodies[t].count;
    touch->parts[t] = (lbContactPart){ touch->contact_bodies[t].count, at, at + n * n };
    at += lb_touch_pool_of(touch->contact_bodies[t].count);
  }
}

void lb_touch_list(lbWorld *world) {
  list_contact_bodies(world);
  list_contact_points(world);
  list_torques(world);
  lb_islands_find(world);
}

int32_t lb_touch_point_index(const lbWorldTouch *touch, int32_t contact, int side) {
  lbContactSide at = touch->sides[2 * contact + side];
  return at.body < 0 ? -1 : touch->contact_bodies[at.body].first + at.place;
}

lbVec3 lb_touch_place(const lbWorldTouch *touch, int32_t c, int side) {
  const lbTouchCandidate *at = &touch->contacts[c].at;
  int32_t contact_point = lb_touch_point_index(touch, c, side);
  if (contact_point >= 0) return touch->contact_points[contact_point].point;
  return side ? at->point : lb_add_scaled(at->point, at->gap, at->normal);
}

void lb_touch_join_points(lbWorldTouch *touch) {
  for (int32_t c = 0; c < touch->contact_count; c++) {
    int32_t a = lb_touch_point_index(touch, c, 0), b = lb_touch_point_index(touch, c, 1);
    if (a < 0 || b < 0) continue;
    lbVec3 middle =
        lb_scale(0.5, lb_add(touch->contact_points[a].point, touch->contact_points[b].point));
    touch->contact_points[a].point = touch->contact_points[b].point = middle;
  }
}

void lb_touch_share_out(lbWorldTouch *touch, const double *of_contacts) {
  int32_t count = 0;
  for (int32_t t = 0; t < touch->contact_body_count; t++) count += touch->contact_bodies[t].count;
  for (int32_t i = 0; i < count; i++)
    for (int k = 0; k < 3; k++) {
      double amount = of_contacts[3 * (touch->owners[i] / 2) + k];
      touch->amounts[3 * i + k] = touch->owners[i] & 1 ? -amount : amount;
    }
}

// ---- compliance of contacts themselves ---------------------------------------------------------

static double own_move(const lbWorldTouch *touch, lbContactSide side, int axis) {
  if (side.body < 0) return 0;
  const lbContactBody *contact_body = &touch->contact_bodies[side.body];
  const lbContactPart *part = &touch->parts[side.body];
  size_t row = 3 * (size_t)side.place + (size_t)axis;
  if (!contact_body->rows) return part->matrix[row * (3 * (size_t)part->count + 1)];
  size_t at = row * contact_body->width,
         moved = 3 * (size_t)contact_body->count * contact_body->width + at;
  double sum = 0;
  for (size_t i = 0; i < contact_body->width; i++)
    sum += contact_body->rows[at + i] * contact_body->rows[moved + i];
  return sum;
}

void lb_touch_find_compliances(lbWorldTouch *touch, bool forces) {
  for (int32_t c = 0; c < lb_touch_pair_blocks(touch); c++)
    for (int k = 0; k < 3; k++) {
      double moves = 0;
      for (int side = 0; side < 2; side++) moves += own_move(touch, touch->sides[2 * c + side], k);
      bool yields = forces && k == 0 && c < touch->contact_count;
      double own = yields ? touch->contacts[c].compliance : 0;
      touch->compliances[3 * c + k] = own + LB_CONTACT_COMPLIANCE * fmax(moves, 0);
    }
}

void lb_touch_for_contact_bodies(lbWorld *world, int32_t bodies, lbRangeTask *task) {
  double start = lb_seconds();
  lb_parallel_for(world->touch->contact_body_count, bodies, task, world);
  world->touch->stats.response_seconds += lb_seconds() - start;
}
