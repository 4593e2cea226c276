// Hard hits that create energy.
//
// Places that come far in a step are stopped in it, and a soft body follows by its own step, in
// which its shape may go farther than any rule keeps account of (a corner through half of its
// element, say). Where that leaves the bodies of an island with more energy than they had, their
// weight's included, the part is taken again in halves, as for contacts that miss (retry.c). Work
// of loads and motors is not told apart: a part too many is all that it costs. Islands that
// nothing of this kind acts on are looked after wherever a body is bent far; in the shortest parts
// what is too much is taken out of their motion.
#include "world/joint.h"

#define HARD 0.1  // of the smaller radius: how far places would get into each other
#define BENT 0.25 // of its radius at rest: what is bent so far is looked after, too
#define RISE 0.01 // of what an island's bodies move and are bent with
#define ABSURD 10 // times that: what no slowing down makes good

// Bodies of frames have the nearest velocities to those that are set, and are left as they are.
static bool is_alone(const lbWorld *world, int32_t slot) {
  const lbBody *body = world->slots[slot].body;
  return lb_body_frame_kind(body) == LB_FRAME_FREE && !body->pushed &&
         lb_body_method(body) != LB_METHOD_FRAMES && !lb_body_is_constrained(body) &&
         body->contacts->count == 0 && !lb_jointed_of(world, slot);
}

// Its weight's included.
static double total_of(const lbWorld *world, const lbBodyReport *r) {
  return r->kinetic + r->elastic - r->mass * lb_dot(world->settings.gravity, r->centre);
}

// Whether two overlap so far at a contact, or would without forces.
static bool is_far(const lbWorldTouch *touch, int32_t c, double gap) {
  const int32_t *slots = touch->contacts[c].slots;
  double radius = lb_touch_radius(touch, slots[0]);
  if (slots[1] >= 0) radius = fmin(radius, lb_touch_radius(touch, slots[1]));
  return -gap > HARD * radius;
}

static bool is_bent(const lbWorldTouch *touch, int32_t slot) {
  const lbTouchSphere *sphere = &touch->spheres[slot];
  return sphere->bend > BENT * (sphere->radius - sphere->bend);
}

void lb_energy_note(lbWorld *world, bool always) {
  lbWorldTouch *touch = world->touch;
  touch->hit_hard = always;
  for (int32_t c = 0; c < touch->contact_count && !touch->hit_hard; c++)
    touch->hit_hard = is_far(touch, c, touch->free[3 * c]);
  touch->energy_noted = touch->hit_hard;
  for (int32_t t = 0; t < touch->toucher_count; t++) {
    int32_t slot = touch->touchers[t].slot;
    touch->energies[slot].alone = is_alone(world, slot);
    if (touch->energies[slot].alone && is_bent(touch, slot)) touch->energy_noted = true;
  }
  for (int32_t t = 0; t < touch->toucher_count && touch->energy_noted; t++) {
    lbEnergy *at = &touch->energies[touch->touchers[t].slot];
    lbBodyReport r = lb_body_report(world->slots[touch->touchers[t].slot].body);
    at->before = total_of(world, &r), at->scale = r.kinetic + r.elastic;
  }
}

// ---- islands -----------------------------------------------------------------------------------

// Of an island's bodies.
typedef struct Motion {
  double kinetic, mass;
  lbVec3 momentum;
  double rise;    // of all energy since the part began, less what colliders did
  double scale;   // what they had, without that of their weight
  double work;    // of colliders,
  double fastest; // m/s: where they are touched
  bool has_risen; // by much
  bool alone;     // nothing else acts on them
  bool leans;     // on what does not give way
} Motion;

// What a collider that moves does to what touches it.
static void add_work(const lbWorld *world, int32_t c, Motion *motion) {
  const lbWorldTouch *touch = world->touch;
  const lbWorldContact *contact = &touch->contacts[c];
  lbVec3 way = lb_collider_way(&world->colliders[contact->collider], contact->at.point);
  lbVec3 velocity = lb_scale(1 / world->h, way);
  motion->fastest = fmax(motion->fastest, lb_length(velocity));
  for (int k = 0; k < 3; k++)
    motion->work += touch->impulses[3 * c + k] * lb_dot(contact->axes[k], velocity);
}

// What does not give way among what they touch. Being led out of each other takes work.
static void find_leaning(const lbWorld *world, int32_t island, Motion *motion) {
  const lbWorldTouch *touch = world->touch;
  for (int32_t c = 0; c < touch->contact_count && motion->alone; c++) {
    const lbWorldContact *contact = &touch->contacts[c];
    if (lb_island_of(touch, c) != island) continue;
    if (is_far(touch, c, contact->at.gap)) motion->alone = false;
    for (int side = 0; side < 2; side++) // what sleeps may wake
      if (contact->slots[side] >= 0 && !lb_touch_gives_way(world, contact->slots[side]))
        motion->alone = false;
    if (contact->collider < 0) continue;
    add_work(world, c, motion);
    motion->leans = true;
  }
}

static Motion motion_of(const lbWorld *world, int32_t island) {
  const lbWorldTouch *touch = world->touch;
  Motion sum = { .alone = true };
  for (int32_t t = 0; t < touch->toucher_count; t++) {
    const lbEnergy *at = &touch->energies[touch->touchers[t].slot];
    if (touch->touchers[t].island != island) continue;
    lbBodyReport r = lb_body_report(world->slots[touch->touchers[t].slot].body);
    sum.kinetic += r.kinetic, sum.mass += r.mass;
    sum.momentum = lb_add(sum.momentum, r.linear_momentum);
    sum.rise += total_of(world, &r) - at->before;
    sum.alone = sum.alone && at->alone;
    sum.scale += at->scale;
  }
  sum.has_risen = sum.rise > RISE * sum.scale;
  if (sum.has_risen) find_leaning(world, island, &sum);
  // Absurd forces do much work. More than this no collider does in a short part.
  double most = sum.scale + 2 * sum.mass * sum.fastest * sum.fastest;
  sum.rise -= fmin(fmax(sum.work, 0), most);
  sum.has_risen = sum.rise > RISE * sum.scale;
  return sum;
}

bool lb_energy_rose(const lbWorld *world, int32_t island) {
  Motion motion = motion_of(world, island);
  return motion.has_risen && (motion.alone || world->touch->hit_hard);
}

// Where a part began; by half as fast, or it would go the same way again.
static void go_back(lbWorld *world, int32_t slot, lbVec3 drift) {
  const lbWorldTouch *touch = world->touch;
  lbWorldSlot *at = &world->slots[slot];
  double time = at->body->time;
  const char *saved = touch->saved[world->halvings] + touch->saved_begin[slot];
  if (!at->kept || lb_body_restore_state(at->body, saved, lb_body_state_bytes(at->body))) return;
  at->body->time = time;
  at->flags |= LB_STEP_NOT_CONVERGED;
  lb_body_slow(at->body, 0.5, drift);
}

// The motion of its bodies is slowed down, that of all of them together only where it leans on
// something: linear momentum is kept. Where they have several times what they had, they are
// where they should not be, too, and go back.
static void take_back(lbWorld *world, int32_t island) {
  const lbWorldTouch *touch = world->touch;
  Motion motion = motion_of(world, island);
  if (!motion.has_risen || !motion.alone) return;
  lbVec3 drift = lb_vec3(0, 0, 0);
  if (!motion.leans) drift = lb_scale(1 / motion.mass, motion.momentum);
  double kinetic = motion.kinetic - 0.5 * motion.mass * lb_dot(drift, drift);
  bool absurd = !(motion.rise < ABSURD * motion.scale); // or not a number
  double factor = kinetic > motion.rise ? sqrt(1 - motion.rise / kinetic) : 0;
  for (int32_t t = 0; t < touch->toucher_count; t++) {
    int32_t slot = touch->touchers[t].slot;
    if (touch->touchers[t].island != island) continue;
    if (absurd)
      go_back(world, slot, drift);
    else
      lb_body_slow(world->slots[slot].body, factor, drift);
  }
}

void lb_energy_take_back(lbWorld *world) {
  for (int32_t i = 0; i < world->touch->island_count; i++) take_back(world, i);
}
