// A step of a world: start new bodies -> loads -> paths -> bodies.
#include "world/world.h"

#include "body/body.h"

#define SINGLES 8 // bodies a task: waking a thread costs more than a few steps

double lb_world_time(const lbWorld *world) {
  return world->begin + (double)world->steps * world->h;
}

// ---- what acts ---------------------------------------------------------------------------------

static bool acts(const lbWorld *world, const lbWorldLoad *at, double t) {
  return at->used && lb_load_acts(at->load.from, at->load.to, t, world->h);
}

// The accelerations that a new body starts from are those of what acts now.
static void start_body(lbWorld *world, lbBodyId id, lbBody *body, double now) {
  int32_t count = 0;
  for (int32_t i = 0; i < world->load_count; i++) {
    const lbWorldLoad *at = &world->loads[i];
    if (at->load.body == id && acts(world, at, now))
      world->starting[count++] = (lbPointForce){ at->load.point, at->load.force };
  }
  (void)lb_body_start(body, count, world->starting);
}

static void start_bodies(lbWorld *world, double now) {
  for (int32_t i = 0; i < world->slot_count; i++) {
    lbWorldSlot *slot = &world->slots[i];
    if (!slot->body || slot->started) continue;
    start_body(world, lb_world_id(i, slot->generation), slot->body, now);
    slot->started = true;
  }
}

// What was checked when it was added is not refused.
static void apply_loads(lbWorld *world, double t) {
  for (int32_t i = 0; i < world->load_count; i++) {
    const lbWorldLoad *at = &world->loads[i];
    if (acts(world, at, t))
      (void)lb_body_apply_force(lb_world_body(world, at->load.body), at->load.point,
                                at->load.force);
  }
}

// Over a cut the frame is set behind it, with the velocity that it has there.
static void follow_paths(lbWorld *world, double now, double end) {
  for (int32_t i = 0; i < world->slot_count; i++) {
    const lbWorldSlot *slot = &world->slots[i];
    lbPathState at;
    if (!slot->body || !slot->path) continue;
    if (lb_path_cut_between(slot->path, now, end)) {
      lb_path_at(slot->path, now, &at);
      lb_path_carry(slot->path, now, end, &at);
      lbFrame frame = lb_world_frame(slot, &at);
      (void)lb_body_set_frame(slot->body, &frame);
    }
    lb_path_at(slot->path, end, &at);
    lbFrame frame = lb_world_frame(slot, &at);
    (void)lb_body_drive(slot->body, &frame); // a path is finite everywhere
  }
}

// ---- bodies ------------------------------------------------------------------------------------

static void step_singles(int32_t begin, int32_t end, void *context) {
  lbWorld *world = context;
  for (int32_t i = begin; i < end; i++) {
    lbWorldGroup *group = &world->groups[i];
    if (!group->single) continue;
    double start = lb_seconds();
    lb_body_step(group->single, world->h);
    group->seconds += lb_seconds() - start;
  }
}

static void step_groups(lbWorld *world) {
  for (int32_t i = 0; i < world->group_count; i++) {
    lbWorldGroup *group = &world->groups[i];
    if (!group->batch) continue;
    double start = lb_seconds();
    lb_batch_step(group->batch, world->h);
    group->seconds += (lb_seconds() - start) / group->count;
  }
  lb_parallel_for(world->group_count, SINGLES, step_singles, world);
}

static int32_t collect_flags(lbWorld *world) {
  int32_t flags = 0;
  for (int32_t i = 0; i < world->slot_count; i++) {
    lbWorldSlot *slot = &world->slots[i];
    if (slot->body) slot->flags |= lb_body_flags(slot->body);
    if (slot->body) flags |= slot->flags;
  }
  return flags;
}

// ---- the step ----------------------------------------------------------------------------------

static int32_t take_part(lbWorld *world) {
  double now = lb_world_time(world);
  start_bodies(world, now);
  world->steps++;
  double end = lb_world_time(world);
  apply_loads(world, end);
  follow_paths(world, now, end);
  step_groups(world);
  return collect_flags(world);
}

int32_t lb_world_step(lbWorld *world, double dt) {
  double h = dt / world->settings.substeps;
  int32_t flags = 0;
  if (!lb_time_step_is_legal(dt) || !lb_time_step_is_legal(h)) return LB_STEP_REFUSED;
  if (h != world->h) {
    world->begin = lb_world_time(world);
    world->steps = 0;
    world->h = h;
  }
  for (int32_t i = 0; i < world->slot_count; i++) world->slots[i].flags = 0;
  for (int32_t i = 0; i < world->group_count; i++) world->groups[i].seconds = 0;
  for (int32_t i = 0; i < world->settings.substeps; i++) flags |= take_part(world);
  return flags;
}

int32_t lb_world_body_flags(const lbWorld *world, lbBodyId id) {
  const lbWorldSlot *slot = lb_world_slot(world, id);
  return slot ? slot->flags : LB_STEP_REFUSED;
}

double lb_world_body_seconds(const lbWorld *world, lbBodyId id) {
  const lbWorldSlot *slot = lb_world_slot(world, id);
  return slot ? world->groups[slot->group].seconds : 0;
}
