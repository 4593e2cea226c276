// The balance of energy of an island in a substep (guard.h): what its bodies gained, less the work
// that was done on them by loads and constraints (lbBody.work), colliders, driven frames and
// motors. What is gained without work goes into an account, which substeps that lose energy pay
// off.
#include "world/joint.h"

static void weigh_bodies(int32_t begin, int32_t end, void *context) {
  const lbWorld *world = context;
  const lbGuard *g = &world->touch->guard;
  for (int32_t t = begin; t < end; t++) {
    int32_t slot = world->touch->contact_bodies[t].slot;
    double energy;
    g->energies[slot] = lb_body_energy(world->slots[slot].body, &energy) ? energy : NAN;
  }
}

void lb_guard_weigh(lbWorld *world) { lb_touch_for_contact_bodies(world, 1, weigh_bodies); }

double lb_guard_lighter_mass(const lbWorld *world, const struct lbWorldContact *contact) {
  double mass = world->slots[contact->slots[0]].body->prepared->mass;
  if (contact->slots[1] < 0) return mass;
  return fmin(mass, world->slots[contact->slots[1]].body->prepared->mass);
}

// What colliders do to what touches them, and what brings overlapping bodies apart.
static void add_contact(const lbWorld *world, int32_t c, lbBalance *b) {
  const lbWorldTouch *touch = world->touch;
  const lbWorldContact *contact = &touch->contacts[c];
  const double *impulse = touch->impulses + 3 * (size_t)c;
  double removed = lb_contact_overlap_removed(contact, world->h), speed = removed / world->h;
  b->parted += impulse[0] * speed;
  b->lift = fmax(b->lift, removed);
  b->parting += 0.5 * lb_guard_lighter_mass(world, contact) * speed * speed;
  if (contact->collider < 0) {
    for (int side = 0; side < 2; side++)
      b->leans |= !lb_touch_gives_way(world, contact->slots[side]);
    return;
  }
  lbVec3 way = lb_collider_way(&world->colliders[contact->collider], contact->at.point);
  b->leans = true;
  b->fastest = fmax(b->fastest, lb_length(way) / world->h);
  for (int k = 0; k < 3; k++) b->supplied += impulse[k] * lb_dot(contact->axes[k], way) / world->h;
}

// What colliders do to what rolls on them.
static void add_rolling(const lbWorld *world, int32_t r, lbBalance *balances) {
  const lbWorldTouch *touch = world->touch;
  const lbWorldContact *contact = &touch->contacts[touch->rolling[r].first];
  int32_t block = touch->contact_count + r;
  if (contact->collider < 0) return;
  lbVec3 turn = lb_rolling_collider_turn(&world->colliders[contact->collider]);
  lbVec3 impulse = lb_vec3_load(touch->impulses + 3 * (size_t)block);
  balances[lb_island_of(touch, block)].supplied += lb_dot(impulse, turn) / world->h;
}

static void add_joint_row(const lbWorld *world, const lbJointRow *row, lbBalance *balances) {
  const lbWorldJoints *joints = world->linked;
  const lbBodyJoint *j = &joints->list[row->joint];
  const lbJointEnd *end = &j->pairs[0][0];
  if (end->body < 0 || joints->bodies[end->body].contact_body < 0) return;
  lbBalance *b =
      &balances[world->touch->contact_bodies[joints->bodies[end->body].contact_body].island];
  if (j->def.motor_force > 0) b->gain -= fabs(row->impulse * j->def.motor_speed);
  b->leans |= j->pairs[0][1].slot < 0;
}

static void add_body(const lbWorld *world, int32_t slot, lbBalance *b) {
  lbBody *body = world->slots[slot].body;
  double energy, before = world->touch->guard.energies[slot];
  b->known = b->known && isfinite(before);
  if (!b->known || !lb_body_energy(body, &energy)) {
    b->known = false;
    return;
  }
  double mass = lb_body_mass(body);
  double weight = mass * lb_length(world->settings.gravity) * body->prepared->size;
  b->gain += energy - before - body->work;
  b->level += before + weight;
  b->noise += body->prepared->energy_noise;
  b->account += body->frame.created;
  b->mass += mass;
  b->leans |= body->frame.kind != LB_FRAME_FREE || lb_body_is_constrained(body);
  if (body->frame.kind != LB_FRAME_DRIVEN) return;
  double speed =
      lb_length(body->frame.velocity) + lb_length(body->frame.spin) * body->prepared->size;
  if (speed > 0) b->supplied = INFINITY, b->fastest = fmax(b->fastest, speed);
}

// What colliders, driven frames and contacts may have supplied is taken off the gain.
static void settle_balance(const lbWorld *world, lbBalance *b) {
  // A collider speeds bodies up to twice its own speed at most; forces that do more are absurd.
  double share = world->h / world->length;
  double most = b->level + 2 * share * b->mass * b->fastest * b->fastest;
  b->gain -= fmin(fmax(b->supplied, 0), most);
  // To end an overlap takes setting the lighter body in motion and lifting what rests on it.
  double weight = b->mass * lb_length(world->settings.gravity);
  double parting = weight * b->lift + b->parting;
  b->gain -= fmin(fmax(b->parted, 0), parting);
}

static void find_balances(lbWorld *world) {
  const lbWorldTouch *touch = world->touch;
  const lbWorldJoints *joints = world->linked;
  lbBalance *balances = world->touch->guard.balances;
  for (int32_t i = 0; i < touch->island_count; i++) balances[i] = (lbBalance){ .known = true };
  for (int32_t t = 0; t < touch->contact_body_count; t++)
    add_body(world, touch->contact_bodies[t].slot, &balances[touch->contact_bodies[t].island]);
  for (int32_t c = 0; c < touch->contact_count; c++)
    add_contact(world, c, &balances[lb_island_of(touch, c)]);
  for (int32_t r = 0; r < touch->rolling_count; r++) add_rolling(world, r, balances);
  int32_t rows = lb_joints_hold_any(world) ? joints->row_count : 0;
  for (int32_t i = 0; i < rows; i++) add_joint_row(world, &joints->rows[i], balances);
  for (int32_t i = 0; i < touch->island_count; i++) settle_balance(world, &balances[i]);
}

static double limit_of(const lbBalance *b) { return LB_ENERGY_TOLERANCE * b->level + b->noise; }

static bool is_in_order(const lbBalance *b) {
  return !b->known || b->gain <= 0 || b->account + b->gain <= limit_of(b);
}

// The account of an island is shared out by what its bodies weigh in it. Islands that take the step
// again are restored with the account that they had.
static void book_balances(lbWorld *world, bool last) {
  for (int32_t t = 0; t < world->touch->contact_body_count; t++) {
    const lbContactBody *contact_body = &world->touch->contact_bodies[t];
    const lbBalance *b = &world->touch->guard.balances[contact_body->island];
    if (!b->known || (!last && !is_in_order(b))) continue;
    lbBody *body = world->slots[contact_body->slot].body;
    double sum = fmin(fmax(b->account + b->gain, 0), limit_of(b));
    double share = b->mass > 0 ? lb_body_mass(body) / b->mass : 0;
    body->frame.created = isfinite(sum) ? share * sum : 0;
  }
}

// Takes created energy out of the motion of an island; of its motion as a whole only where it leans
// on something, since momentum is kept otherwise.
static void dissipate(lbWorld *world, int32_t island, const lbBalance *b) {
  const lbWorldTouch *touch = world->touch;
  double excess = b->account + b->gain - limit_of(b), kinetic = 0;
  lbVec3 drift = lb_vec3(0, 0, 0);
  for (int32_t t = 0; t < touch->contact_body_count; t++) {
    if (touch->contact_bodies[t].island != island) continue;
    lbBodyReport r = lb_body_report(world->slots[touch->contact_bodies[t].slot].body);
    kinetic += r.kinetic;
    if (!b->leans) drift = lb_add_scaled(drift, 1 / b->mass, r.linear_momentum);
  }
  kinetic -= 0.5 * b->mass * lb_dot(drift, drift);
  // Stored in shapes, where no slowing down takes it out; or not finite.
  bool stored = !(excess <= kinetic);
  double factor = stored ? 0 : sqrt(1 - excess / kinetic);
  for (int32_t t = 0; t < touch->contact_body_count; t++) {
    int32_t slot = touch->contact_bodies[t].slot;
    if (touch->contact_bodies[t].island != island) continue;
    world->touch->guard.counts.damped++;
    if (stored)
      lb_guard_restore_slower(world, slot, drift);
    else
      lb_body_slow(world->slots[slot].body, factor, drift);
  }
}

// Linear bodies have one integrator: only shorter substeps help them.
static lbFailure cause_of(const lbWorld *world, int32_t slot) {
  return world->slots[slot].body->prepared->method->is_linear ? LB_FAIL_ROWS : LB_FAIL_BODY;
}

void lb_guard_check_energy(lbWorld *world) {
  const lbWorldTouch *touch = world->touch;
  bool last = world->take == lb_guard_last_take(world);
  if (!touch->guard.restores) return;
  lb_guard_clear_causes(world);
  find_balances(world);
  for (int32_t i = 0; i < touch->island_count; i++) {
    const lbBalance *b = &touch->guard.balances[i];
    if (is_in_order(b)) continue;
    for (int32_t t = 0; t < touch->contact_body_count && !last; t++)
      if (touch->contact_bodies[t].island == i)
        lb_guard_mark(world, touch->contact_bodies[t].slot,
                      cause_of(world, touch->contact_bodies[t].slot));
    if (last) dissipate(world, i, b);
  }
  book_balances(world, last);
  (void)lb_guard_raise_marked(world);
}
