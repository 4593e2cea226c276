// The balance of energy of an island in a substep (guard.h): what its bodies gained, less the work
// that was done on them by loads and constraints (lbBody.work), colliders, driven frames and
// motors. What is gained without work goes into an account, which substeps that lose energy pay
// off.
#include "world/joint.h"

static void weigh_bodies(int32_t begin, int32_t end, void *context) {
  const lbWorld *world = context;
  const lbGuard *g = &world->touch->guard;
  for (int32_t t = begin; t < end; t++) {
    int32_t slot = world->touch->touchers[t].slot;
    double energy;
    g->energies[slot] = lb_body_energy(world->slots[slot].body, &energy) ? energy : NAN;
  }
}

void lb_guard_weigh(lbWorld *world) { lb_touch_for_touchers(world, 1, weigh_bodies); }

// Of an island's bodies in a substep.
typedef struct Balance {
  double gain;     // J: of energy, less the work that was done
  double level;    // J: kinetic and elastic energy, and m g size
  double account;  // J
  double noise;    // J, rounding of the energies
  double supplied; // J: work of colliders and driven frames
  double fastest;  // m/s: of these
  double parted;   // J: work of contacts that end an overlap
  double lift;     // m: the most that one of these takes back
  double parting;  // J: kinetic energy of bodies that part so fast
  double kinetic, mass;
  lbVec3 momentum;
  bool leans; // on what does not move by forces
  bool known;
} Balance;

static double lighter_mass(const lbWorld *world, const lbWorldContact *contact) {
  double mass = world->slots[contact->slots[0]].body->prepared->mass;
  if (contact->slots[1] < 0) return mass;
  return fmin(mass, world->slots[contact->slots[1]].body->prepared->mass);
}

// What colliders do to what touches them, and what brings overlapping bodies apart.
static void add_contact(const lbWorld *world, int32_t c, Balance *b) {
  const lbWorldTouch *touch = world->touch;
  const lbWorldContact *contact = &touch->contacts[c];
  const double *impulse = touch->impulses + 3 * (size_t)c;
  double recovered = lb_touch_recovered(contact, world->h), speed = recovered / world->h;
  bool springs = world->settings.response == LB_RESPONSE_PENALTY;
  b->parted += springs ? touch->forces[3 * c] * fmax(0, -contact->at.gap) : impulse[0] * speed;
  b->lift = fmax(b->lift, recovered);
  b->parting += 0.5 * lighter_mass(world, contact) * speed * speed;
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

static void add_joints(const lbWorld *world, int32_t island, Balance *b) {
  const lbWorldJoints *joints = world->linked;
  if (!lb_joints_hold_any(world)) return;
  for (int32_t i = 0; i < joints->row_begin[joints->component_count]; i++) {
    const lbJointRow *row = &joints->rows[i];
    const lbBodyJoint *j = &joints->list[row->joint];
    const lbJointEnd *end = &j->pairs[0][0];
    if (end->body < 0 || joints->bodies[end->body].toucher < 0) continue;
    if (world->touch->touchers[joints->bodies[end->body].toucher].island != island) continue;
    if (j->def.motor_force > 0) b->gain -= fabs(row->impulse * j->def.motor_speed);
    b->leans |= j->pairs[0][1].slot < 0;
  }
}

static void add_body(const lbWorld *world, int32_t slot, Balance *b) {
  const lbBody *body = world->slots[slot].body;
  double energy, before = world->touch->guard.energies[slot];
  b->known = b->known && isfinite(before);
  if (!b->known || !lb_body_energy(body, &energy)) {
    b->known = false;
    return;
  }
  lbBodyReport r = lb_body_report(body);
  double weight = r.mass * lb_length(world->settings.gravity) * body->prepared->size;
  b->gain += energy - before - body->work;
  b->level += before + weight;
  b->noise += body->prepared->energy_noise;
  b->account += body->frame.created;
  b->kinetic += r.kinetic, b->mass += r.mass;
  b->momentum = lb_add(b->momentum, r.linear_momentum);
  b->leans |= body->frame.kind != LB_FRAME_FREE || lb_body_is_constrained(body);
  if (body->frame.kind != LB_FRAME_DRIVEN) return;
  double speed =
      lb_length(body->frame.velocity) + lb_length(body->frame.spin) * body->prepared->size;
  if (speed > 0) b->supplied = INFINITY, b->fastest = fmax(b->fastest, speed);
}

static Balance balance_of(const lbWorld *world, int32_t island) {
  const lbWorldTouch *touch = world->touch;
  Balance b = { .known = true };
  for (int32_t t = 0; t < touch->toucher_count; t++)
    if (touch->touchers[t].island == island) add_body(world, touch->touchers[t].slot, &b);
  if (!b.known) return b;
  for (int32_t c = 0; c < touch->contact_count; c++)
    if (lb_island_of(touch, c) == island) add_contact(world, c, &b);
  add_joints(world, island, &b);
  // A collider speeds bodies up to twice its own speed at most; forces that do more are absurd.
  double share = world->h / world->length;
  double most = b.level + 2 * share * b.mass * b.fastest * b.fastest;
  b.gain -= fmin(fmax(b.supplied, 0), most);
  // To end an overlap takes setting the lighter body in motion, lifting what rests on it, and as
  // much again for bending them.
  double weight = b.mass * lb_length(world->settings.gravity);
  double parting = 2 * (weight * b.lift + b.parting);
  if (world->settings.response == LB_RESPONSE_PENALTY) parting = INFINITY; // springs have stored it
  b.gain -= fmin(fmax(b.parted, 0), parting);
  return b;
}

static double limit_of(const Balance *b) { return LB_ENERGY_TOLERANCE * b->level + b->noise; }

static bool is_in_order(const Balance *b) {
  return !b->known || b->gain <= 0 || b->account + b->gain <= limit_of(b);
}

// The account of an island is shared out by what its bodies weigh in it.
static void book(lbWorld *world, int32_t island, const Balance *b) {
  double limit = limit_of(b), sum = fmin(fmax(b->account + b->gain, 0), limit);
  for (int32_t t = 0; t < world->touch->toucher_count; t++) {
    if (world->touch->touchers[t].island != island) continue;
    lbBody *body = world->slots[world->touch->touchers[t].slot].body;
    double share = b->mass > 0 ? body->prepared->mass / b->mass : 0;
    body->frame.created = isfinite(sum) ? share * sum : 0;
  }
}

// Takes created energy out of the motion of an island; of its motion as a whole only where it leans
// on something, since momentum is kept otherwise.
static void dissipate(lbWorld *world, int32_t island, const Balance *b) {
  const lbWorldTouch *touch = world->touch;
  double excess = b->account + b->gain - limit_of(b);
  lbVec3 drift = lb_vec3(0, 0, 0);
  if (!b->leans) drift = lb_scale(1 / b->mass, b->momentum);
  double kinetic = b->kinetic - 0.5 * b->mass * lb_dot(drift, drift);
  bool stored =
      !(excess <= kinetic); // in shapes, where no slowing down takes it out; or not finite
  double factor = stored ? 0 : sqrt(1 - excess / kinetic);
  for (int32_t t = 0; t < touch->toucher_count; t++) {
    int32_t slot = touch->touchers[t].slot;
    if (touch->touchers[t].island != island) continue;
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
  for (int32_t i = 0; i < touch->island_count; i++) {
    Balance b = balance_of(world, i);
    if (is_in_order(&b)) {
      if (b.known) book(world, i, &b);
      continue;
    }
    for (int32_t t = 0; t < touch->toucher_count && !last; t++)
      if (touch->touchers[t].island == i)
        lb_guard_mark(world, touch->touchers[t].slot, cause_of(world, touch->touchers[t].slot));
    if (last) dissipate(world, i, &b), book(world, i, &b);
  }
  (void)lb_guard_raise_marked(world);
}
