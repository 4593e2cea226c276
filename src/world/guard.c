// Islands that fail take their step again (guard.h).
#include "world/joint.h"

#include <string.h>

#define GAP_TOLERANCE 0.02  // of a body's radius: how far from its target a contact may end
#define TURN_TOLERANCE 0.02 // rad: the same of what a joint holds
#define STOPPED (-1)        // the take of islands that wait for the next step

int32_t lb_guard_substeps(const lbWorld *world) { return lb_take_substeps(world->take); }

int32_t lb_guard_last_take(const lbWorld *world) {
  return lb_take_last(world->settings.substeps_max);
}

// ---- memory ------------------------------------------------------------------------------------

static size_t state_bytes(const lbWorldSlot *slot) {
  return slot->body ? lb_body_state_bytes(slot->body) : 0;
}

static int32_t share_room_for(int32_t contacts) { return 2 * contacts; }

void lb_guard_reserve(lbReservation *r, const lbWorld *world, lbGuard *g, int32_t slots,
                      int32_t contacts) {
  size_t n = (size_t)slots, bytes = 0;
  for (int32_t i = 0; i < world->slot_count; i++) bytes += state_bytes(&world->slots[i]);
  lb_reserve(r, &g->state_begin, (size_t)world->slot_count + 1, sizeof *g->state_begin);
  if (bytes > g->state_room) {
    lb_reserve(r, &g->states, bytes, 1);
    lb_reserve(r, &g->work, bytes, 1);
  }
  if (slots > 0) {
    lb_reserve(r, &g->frames, n, sizeof *g->frames);
    lb_reserve(r, &g->times, n, sizeof *g->times);
    lb_reserve(r, &g->energies, n, sizeof *g->energies);
    lb_reserve(r, &g->balances, n, sizeof *g->balances);
    lb_reserve(r, &g->causes, n, sizeof *g->causes);
    lb_reserve(r, &g->islands, n, sizeof *g->islands);
    lb_reserve(r, &g->first_share, n, sizeof *g->first_share);
  }
  if (contacts > 0) lb_reserve(r, &g->shares, (size_t)share_room_for(contacts), sizeof *g->shares);
}

void lb_guard_set_room(const lbWorld *world, lbGuard *g, int32_t contacts) {
  size_t bytes = 0;
  for (int32_t i = 0; i <= world->slot_count; i++) {
    g->state_begin[i] = bytes;
    if (i < world->slot_count) bytes += state_bytes(&world->slots[i]);
  }
  if (bytes > g->state_room) g->state_room = bytes;
  g->share_room = share_room_for(contacts);
}

void lb_guard_release(lbGuard *g) {
  void *const blocks[] = { g->state_begin, g->states,      g->work,    g->frames,
                           g->energies,    g->first_share, g->shares,  g->causes,
                           g->islands,     g->times,       g->balances };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
}

// ---- save and restore --------------------------------------------------------------------------

// A step whose bodies cannot all be restored is not taken again.
static void save_body(lbWorld *world, int32_t i) {
  lbGuard *g = &world->touch->guard;
  lbWorldSlot *slot = &world->slots[i];
  if (slot->saved || world->take > 0 || lb_slot_stays(world, slot)) return;
  size_t bytes = lb_body_state_bytes(slot->body), begin = g->state_begin[i];
  g->frames[i] = slot->body->frame;
  g->times[i] = slot->body->time;
  slot->saved = bytes <= g->state_begin[i + 1] - begin &&
                lb_body_keep_state(slot->body, g->states + begin) == LB_OK;
  if (!slot->saved) g->restores = false;
}

static void save_by_id(lbWorld *world, lbBodyId id) {
  const lbWorldSlot *slot = lb_world_slot(world, id);
  if (slot) save_body(world, (int32_t)(slot - world->slots));
}

void lb_guard_save_targets(lbWorld *world) {
  if (!world->touch || world->take > 0) return;
  for (int32_t i = 0; i < world->slot_count; i++)
    if (world->slots[i].path) save_body(world, i);
  for (int32_t i = 0; i < world->load_count; i++)
    if (world->loads[i].used) save_by_id(world, world->loads[i].load.body);
  for (int32_t i = 0; i < world->attachment_count; i++)
    if (world->attachments[i].used) save_by_id(world, world->attachments[i].def.body);
  for (int32_t i = 0; i < world->joint_count; i++) save_by_id(world, world->joints[i].body);
}

void lb_guard_save_islands(lbWorld *world) {
  const lbWorldTouch *touch = world->touch;
  for (int32_t t = 0; t < touch->contact_body_count; t++)
    save_body(world, touch->contact_bodies[t].slot);
  for (int32_t t = 0; t < touch->contact_body_count; t++) {
    lbWorldSlot *slot = &world->slots[touch->contact_bodies[t].slot];
    slot->body->take.guarded = touch->guard.restores;
  }
}

static void restore_body(lbWorld *world, int32_t i) {
  const lbGuard *g = &world->touch->guard;
  lbWorldSlot *slot = &world->slots[i];
  const char *from = g->states + g->state_begin[i];
  (void)lb_body_restore_state(slot->body, from, lb_body_state_bytes(slot->body));
  g->first_share[i] = -1;
  slot->flags = slot->start_flags | LB_STEP_ADAPTED;
  slot->rest = 0;
}

// Forces of the caller act in each substep; drives and targets of the caller are those of the whole
// step.
static void carry_forces(lbWorld *world, int32_t i) {
  const lbGuard *g = &world->touch->guard;
  lbBody *body = world->slots[i].body;
  size_t begin = g->state_begin[i];
  (void)lb_body_add_saved_forces(body, g->states + begin, g->work + begin);
  body->frame.goal = g->frames[i].goal;
  body->frame.driven = g->frames[i].driven;
}

// Colliders that the caller moves go along the line between their places; paths drive the others
// from where they were when the step began.
static void place_collider(lbWorldCollider *c, double before, double after) {
  const lbColliderMove *whole = &c->whole;
  lbQuat turn = lb_quat_multiply(whole->end_rotation, lb_quat_conjugate(whole->rotation));
  lbVec3 angle = lb_quat_log(turn), way = lb_sub(whole->end_position, whole->position);
  c->moves = whole->moves;
  c->position = lb_add_scaled(whole->position, before, way);
  c->rotation = lb_quat_multiply(lb_quat_exp(lb_scale(before, angle)), whole->rotation);
  c->end_position = whole->end_position, c->end_rotation = whole->end_rotation;
  if (after == 1) return;
  c->end_position = lb_add_scaled(whole->position, after, way);
  c->end_rotation = lb_quat_multiply(lb_quat_exp(lb_scale(after, angle)), whole->rotation);
}

static void place_colliders(lbWorld *world, double before, double after) {
  for (int32_t i = 0; i < world->collider_count; i++) {
    lbWorldCollider *c = &world->colliders[i];
    if (!c->path)
      place_collider(c, before, after);
    else if (before == 0)
      c->position = c->whole.position, c->rotation = c->whole.rotation;
  }
}

// ---- the course of a step ----------------------------------------------------------------------

static bool all_move_in_each_step(const lbWorld *world) {
  for (int32_t i = 0; i < world->group_count; i++)
    if (world->groups[i].every > 1) return false;
  return true;
}

void lb_guard_begin(lbWorld *world) {
  world->take = 0;
  for (int32_t i = 0; i < world->slot_count; i++) {
    lbWorldSlot *slot = &world->slots[i];
    slot->take = 0, slot->saved = false, slot->start_flags = slot->flags;
    if (slot->body) slot->body->take = (lbBodyTake){ .guarded = false }, slot->body->done = false;
  }
  if (!world->touch) return;
  lbGuard *g = &world->touch->guard;
  g->restores = all_move_in_each_step(world);
  g->share_count = 0;
  for (int32_t i = 0; i < world->slot_count; i++) g->first_share[i] = -1;
  for (int32_t i = 0; i < world->collider_count; i++) {
    lbWorldCollider *c = &world->colliders[i];
    c->whole =
        (lbColliderMove){ c->position, c->end_position, c->rotation, c->end_rotation, c->moves };
  }
  lb_joints_save(world);
}

void lb_guard_open(lbWorld *world, int32_t i, int32_t n) {
  if (world->take == 0) return;
  const lbGuard *g = &world->touch->guard;
  double before = (double)i / n, after = i + 1 == n ? 1 : (double)(i + 1) / n;
  for (int32_t k = 0; k < world->slot_count; k++) {
    lbWorldSlot *slot = &world->slots[k];
    if (!slot->body) continue;
    slot->body->done = !lb_slot_goes(world, slot);
    if (slot->body->done) continue;
    if (i == 0)
      restore_body(world, k);
    else
      carry_forces(world, k);
    slot->body->take = (lbBodyTake){ .guarded = true,
                                     .partial = n > 1,
                                     .integrator = lb_take_integrator(world->take),
                                     .before = before,
                                     .after = after,
                                     .whole = &g->frames[k] };
  }
  if (i == 0) lb_joints_restore(world);
  place_colliders(world, before, after);
}

// The take of the islands that come next.
bool lb_guard_next(lbWorld *world) {
  int32_t next = INT32_MAX;
  if (!world->touch) return false;
  for (int32_t i = 0; i < world->slot_count; i++) {
    const lbWorldSlot *slot = &world->slots[i];
    if (slot->body && slot->take > world->take && slot->take < next) next = slot->take;
  }
  world->take = next;
  return next < INT32_MAX;
}

static void add_shares(lbWorld *world) {
  const lbGuard *g = &world->touch->guard;
  for (int32_t i = 0; i < world->slot_count; i++)
    for (int32_t k = g->first_share[i]; k >= 0; k = g->shares[k].next) {
      const lbColliderShare *share = &g->shares[k];
      lbWorldCollider *c = &world->colliders[share->collider];
      c->force = lb_add(c->force, share->force), c->torque = lb_add(c->torque, share->torque);
    }
}

void lb_guard_end(lbWorld *world) {
  world->take = 0;
  for (int32_t i = 0; i < world->slot_count; i++) {
    lbWorldSlot *slot = &world->slots[i];
    slot->take = 0;
    if (!slot->body) continue;
    slot->body->take = (lbBodyTake){ .guarded = false };
    slot->body->done = false;
  }
  if (world->touch) add_shares(world);
}

void lb_guard_add_share(lbWorld *world, int32_t slot, int32_t collider, lbVec3 force,
                        lbVec3 torque) {
  lbGuard *g = &world->touch->guard;
  int32_t k = g->first_share[slot];
  while (k >= 0 && g->shares[k].collider != collider) k = g->shares[k].next;
  if (k < 0 && g->share_count < g->share_room) {
    k = g->share_count++;
    g->shares[k] = (lbColliderShare){ .collider = collider, .next = g->first_share[slot] };
    g->first_share[slot] = k;
  }
  if (k < 0) return; // more pairs of bodies and colliders than contacts have room for
  g->shares[k].force = lb_add(g->shares[k].force, force);
  g->shares[k].torque = lb_add(g->shares[k].torque, torque);
}

// ---- failures ----------------------------------------------------------------------------------

// The first slot of a body's island: of all places where bodies could have touched, whether these
// pushed or not, since in shorter substeps others may. -1: it does not move in this substep.
static int32_t island_of_slot(const lbWorld *world, int32_t slot) {
  const lbWorldSlot *at = &world->slots[slot];
  if (lb_slot_stays(world, at)) return -1;
  return at->sleep_group < 0 ? slot : at->sleep_group;
}

void lb_guard_clear_causes(lbWorld *world) {
  memset(world->touch->guard.causes, 0, (size_t)world->slot_count * sizeof(int32_t));
}

void lb_guard_mark(lbWorld *world, int32_t slot, lbFailure cause) {
  int32_t island = island_of_slot(world, slot), *causes = world->touch->guard.causes;
  if (island >= 0 && causes[island] < (int32_t)cause) causes[island] = (int32_t)cause;
}

static void raise_take(lbWorld *world, lbWorldSlot *slot, int32_t take) {
  lbGuardCounts *counts = &world->touch->guard.counts;
  counts->restored++;
  if (lb_take_doublings(take) > lb_take_doublings(slot->take)) counts->halved++;
  slot->take = take;
}

// Marked islands take the step again; false: none, or it was the last take.
bool lb_guard_raise_marked(lbWorld *world) {
  const lbGuard *g = &world->touch->guard;
  bool any = false;
  if (!g->restores || world->take == lb_guard_last_take(world)) return false;
  for (int32_t i = 0; i < world->slot_count; i++) {
    int32_t island = world->slots[i].body ? island_of_slot(world, i) : -1;
    if (island < 0 || g->causes[island] == LB_FAIL_NONE) continue;
    raise_take(
        world, &world->slots[i],
        lb_take_next(world->take, (lbFailure)g->causes[island], world->settings.substeps_max));
    any = true;
  }
  return any;
}

// A body where the step began, moving half as fast, or it would go the same way again.
void lb_guard_restore_slower(lbWorld *world, int32_t slot, lbVec3 drift) {
  lbWorldSlot *at = &world->slots[slot];
  double time = at->body->time;
  if (!at->saved) return;
  restore_body(world, slot);
  lb_body_clear_forces(at->body);
  at->body->time = time;
  at->flags |= LB_STEP_NOT_CONVERGED;
  lb_body_slow(at->body, 0.5, drift);
}

// Where a body's step failed in the last take, its island waits for the next step: forces that were
// found for it have not acted, so that impulses must not follow them.
static bool stop_failed(lbWorld *world) {
  const lbGuard *g = &world->touch->guard;
  bool any = false;
  for (int32_t i = 0; i < world->slot_count; i++) {
    lbWorldSlot *slot = &world->slots[i];
    int32_t island = slot->body ? island_of_slot(world, i) : -1;
    if (island < 0 || g->causes[island] != LB_FAIL_BODY || !slot->saved) continue;
    slot->take = STOPPED;
    any = true;
  }
  for (int32_t i = 0; i < world->slot_count && any; i++) {
    lbWorldSlot *slot = &world->slots[i];
    if (slot->take != STOPPED || !slot->body || slot->body->done) continue;
    int32_t failed = slot->body->flags & (LB_STEP_NONFINITE | LB_STEP_NOT_CONVERGED);
    double end = g->times[i] + world->length;
    lb_guard_restore_slower(world, i, lb_vec3(0, 0, 0));
    slot->flags |= failed;
    slot->body->time = end;
    slot->body->done = true;
    world->touch->guard.counts.damped++;
  }
  return any;
}

// Whether a contact ended far from where its force was to bring it. One that moves its bodies by
// less than the tolerance in the step need not keep them together.
static bool contact_missed(const lbWorld *world, int32_t c) {
  const lbWorldTouch *touch = world->touch;
  const lbWorldContact *contact = &touch->contacts[c];
  double radius = lb_touch_radius(touch, contact->slots[0]);
  lbVec3 other;
  if (!(touch->forces[3 * c] > 0)) return false;
  if (contact->slots[1] >= 0) {
    other = lb_touch_place(touch, c, 1);
    radius = fmin(radius, lb_touch_radius(touch, contact->slots[1]));
  } else {
    const lbWorldCollider *collider = &world->colliders[contact->collider];
    other = lb_add(contact->at.point, lb_collider_way(collider, contact->at.point));
  }
  double gap = lb_dot(contact->at.normal, lb_sub(lb_touch_place(touch, c, 0), other));
  double force = touch->forces[3 * c], h = world->h, tolerance = GAP_TOLERANCE * radius;
  double least = fmin(contact->at.gap, -contact->compliance * force);
  if (gap < fmin(least, 0) - tolerance) return true;
  bool matters = force * h * h > tolerance * lb_guard_lighter_mass(world, contact);
  return matters && gap > tolerance;
}

bool lb_guard_check_steps(lbWorld *world) {
  const lbWorldTouch *touch = world->touch;
  const lbWorldJoints *joints = world->linked;
  lb_guard_clear_causes(world);
  for (int32_t i = 0; i < world->slot_count; i++) { // also those whose contacts did not push
    const lbBody *body = world->slots[i].body;
    if (!body || !body->take.guarded || lb_slot_stays(world, &world->slots[i])) continue;
    if (body->take.unsolved) lb_guard_mark(world, i, LB_FAIL_ROWS);
    if (body->flags & LB_STEP_FAILED || body->take.unopened) lb_guard_mark(world, i, LB_FAIL_BODY);
  }
  for (int32_t c = 0; c < touch->contact_count; c++) {
    if (!contact_missed(world, c)) continue;
    const lbContactSide *sides = touch->sides + 2 * (size_t)c;
    int32_t contact_body = sides[0].body >= 0 ? sides[0].body : sides[1].body;
    lb_guard_mark(world, touch->contact_bodies[contact_body].slot, LB_FAIL_ROWS);
  }
  for (int32_t o = 0; lb_joints_hold_any(world) && o < joints->ordered; o++) {
    const lbBodyJoint *j = &joints->list[joints->order[o]];
    if (lb_joint_comes_apart(world, j, GAP_TOLERANCE, TURN_TOLERANCE))
      lb_guard_mark(world, j->pairs[0][0].slot, LB_FAIL_ROWS);
  }
  bool last = world->take == lb_guard_last_take(world) && world->touch->guard.restores;
  return last ? stop_failed(world) : lb_guard_raise_marked(world);
}

// ---- islands that need more than one substep from the start ------------------------------------

static int32_t root_of(int32_t *parents, int32_t i) {
  while (parents[i] != i) i = parents[i] = parents[parents[i]];
  return i;
}

static void unite_slots(int32_t *parents, int32_t a, int32_t b) {
  a = root_of(parents, a), b = root_of(parents, b);
  parents[a > b ? a : b] = a > b ? b : a;
}

// Bodies that could touch in this step, or are jointed.
static void find_pair_islands(const lbWorld *world, int32_t *parents) {
  const lbWorldTouch *touch = world->touch;
  const lbWorldJoints *joints = world->linked;
  for (int32_t i = 0; i < world->slot_count; i++) parents[i] = i;
  for (int32_t i = 0; i < touch->near_count; i++)
    if (touch->nears[i].slots[1] >= 0)
      unite_slots(parents, touch->nears[i].slots[0], touch->nears[i].slots[1]);
  for (int32_t o = 0; o < joints->ordered; o++) {
    const lbJointEnd *ends = joints->list[joints->order[o]].pairs[0];
    if (ends[1].slot >= 0) unite_slots(parents, ends[0].slot, ends[1].slot);
  }
}

// The bodies of islands that wait are saved before any of them waits.
static bool save_waiting(lbWorld *world) {
  const lbGuard *g = &world->touch->guard;
  bool any = false;
  for (int32_t i = 0; i < world->slot_count; i++) {
    if (!world->slots[i].body || g->causes[root_of(world->touch->guard.islands, i)] == 0) continue;
    if (lb_slot_stays(world, &world->slots[i])) continue;
    save_body(world, i);
    any = true;
  }
  return any && g->restores;
}

bool lb_guard_defer(lbWorld *world) {
  const lbWorldJoints *joints = world->linked;
  lbGuard *g = &world->touch->guard;
  if (!lb_joints_hold_any(world) || !g->restores || world->take > 0) return false;
  lb_guard_clear_causes(world); // here: how many doublings an island needs
  find_pair_islands(world, g->islands);
  for (int32_t i = 0; i < joints->body_count; i++) {
    int32_t slot = joints->bodies[i].slot, *wanted = &g->causes[root_of(g->islands, slot)];
    double substeps = lb_joints_substeps(world, i, world->h);
    int32_t doublings = lb_take_doublings_for(substeps, world->settings.substeps_max);
    if (lb_slot_stays(world, &world->slots[slot])) continue;
    if (doublings > *wanted) *wanted = doublings;
  }
  if (!save_waiting(world)) return false;
  for (int32_t i = 0; i < world->slot_count; i++) {
    int32_t doublings = g->causes[root_of(g->islands, i)];
    if (!world->slots[i].body || doublings == 0 || lb_slot_stays(world, &world->slots[i])) continue;
    world->slots[i].take = LB_STEP_INTEGRATORS * doublings;
    world->slots[i].body->done = true;
  }
  return true;
}

lbGuardCounts lb_world_guard(const lbWorld *world) {
  return world && world->touch ? world->touch->guard.counts : (lbGuardCounts){ 0 };
}
