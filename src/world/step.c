// A step of a world: targets and loads -> rows (contacts and joints) -> bodies -> impulses ->
// guard.
#include "world/joint.h"
#include "world/step_counts.h"

#define SINGLES 8 // bodies a task: waking a thread costs more than a few steps
#define PACE_MOST 1000

double lb_world_time(const lbWorld *world) {
  if (!world) return 0;
  return world->begin + (double)world->steps * world->length;
}

// ---- pace --------------------------------------------------------------------------------------

lbStatus lb_world_set_pace(lbWorld *world, lbBodyId id, int32_t every, lbError *err) {
  const lbWorldSlot *slot = lb_world_slot(world, id);
  if (!slot) return lb_world_refuse_id(id, err);
  if (every < 1 || every > PACE_MOST)
    return lb_fail(err, LB_ERR_ARGUMENT, "every is %d; it must be from 1 to %d", (int)every,
                   PACE_MOST);
  world->groups[slot->group].every = every;
  return LB_OK;
}

static int32_t pace_of(const lbWorldGroup *group) { return group->every > 1 ? group->every : 1; }

// Whether its bodies move in the part that ends with so many steps.
static bool is_due(const lbWorldGroup *group, int64_t steps) { return steps % pace_of(group) == 0; }

static bool moves_now(const lbWorld *world, const lbWorldSlot *slot) {
  return is_due(&world->groups[slot->group], world->steps) && lb_slot_goes(world, slot);
}

double lb_world_next_step(const lbWorld *world, lbBodyId id, double dt) {
  const lbWorldSlot *slot = lb_world_slot(world, id);
  if (!slot) return 0;
  const lbWorldGroup *group = &world->groups[slot->group];
  int64_t steps = dt == world->length ? world->steps : 0; // another length begins to count anew
  return is_due(group, steps + 1) ? pace_of(group) * dt : 0;
}

// One of the equal steps that a call of lb_world_step takes.
typedef struct WorldStep {
  double start, end; // s
} WorldStep;

// Bodies of a slower pace move over several steps at once.
static double start_of(const lbWorld *world, const lbWorldSlot *slot, const WorldStep *step) {
  int32_t pace = pace_of(&world->groups[slot->group]);
  return pace == 1 ? step->start : world->begin + (double)(world->steps - pace) * world->length;
}

// ---- what acts ---------------------------------------------------------------------------------

static bool acts(const lbWorld *world, const lbWorldLoad *at, double t) {
  return at->used && lb_load_acts(at->load.from, at->load.to, t, world->h);
}

// A frame of a path accelerates at its origin; bodies have it at the rest shape's centre of mass.
static void tell_acceleration(lbBody *body, const lbFrame *frame, const lbPathState *at) {
  lbVec3 w = frame->angular_velocity, turning = lb_vec3_load(at->angular_acceleration);
  lbVec3 arm = lb_quat_rotate(frame->rotation, body->prepared->centre);
  lbVec3 inward = lb_cross(w, lb_cross(w, arm));
  lb_frame_accelerate(
      body, lb_add(lb_vec3_load(at->linear_acceleration), lb_add(lb_cross(turning, arm), inward)),
      turning);
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
    if (slot->path) {
      lbPathState at;
      lb_path_at(slot->path, now, &at);
      lbFrame frame = lb_world_frame(slot, &at);
      tell_acceleration(slot->body, &frame, &at);
    }
    start_body(world, lb_world_id(i, slot->generation), slot->body, now);
    slot->started = true;
  }
}

// What was checked when it was added is not refused.
static void apply_loads(lbWorld *world, double t) {
  for (int32_t i = 0; i < world->load_count; i++) {
    const lbWorldLoad *at = &world->loads[i];
    if (acts(world, at, t) && moves_now(world, lb_world_slot(world, at->load.body)))
      (void)lb_body_apply_force(lb_world_body(world, at->load.body), at->load.point,
                                at->load.force);
  }
}

// Over a cut the frame is set behind it, with the velocity that it has there. Targets are those of
// the whole step; bodies share them out over its substeps.
static void set_frame_targets(lbWorld *world, const WorldStep *step, bool first) {
  for (int32_t i = 0; i < world->slot_count; i++) {
    const lbWorldSlot *slot = &world->slots[i];
    lbPathState at;
    if (!slot->body || !slot->path || !moves_now(world, slot)) continue;
    double now = start_of(world, slot, step);
    if (first && lb_path_cut_between(slot->path, now, step->end)) {
      lb_path_at(slot->path, now, &at);
      lb_path_carry(slot->path, now, step->end, &at);
      lbFrame frame = lb_world_frame(slot, &at);
      (void)lb_body_set_frame(slot->body, &frame);
    }
    lb_path_at(slot->path, step->end, &at);
    lbFrame frame = lb_world_frame(slot, &at);
    (void)lb_body_drive(slot->body, &frame); // a path is finite everywhere
    tell_acceleration(slot->body, &frame, &at);
  }
}

static void follow_joints(lbWorld *world, double end) {
  for (int32_t i = 0; i < world->joint_count; i++) {
    const lbWorldJoint *joint = &world->joints[i];
    const lbWorldSlot *slot = lb_world_slot(world, joint->body);
    if (slot && moves_now(world, slot)) lb_world_lead_joint(world, joint, end, false);
  }
}

static void hold_attached(lbWorld *world, const WorldStep *step) {
  for (int32_t i = 0; i < world->attachment_count; i++) {
    lbWorldAttachment *at = &world->attachments[i];
    const lbWorldSlot *slot = at->used ? lb_world_slot(world, at->def.body) : NULL;
    if (!slot || !moves_now(world, slot) ||
        !lb_load_acts(at->def.from, at->def.to, step->end, world->length))
      continue;
    lb_world_hold(world, at, start_of(world, slot, step), step->end);
  }
}

// ---- bodies ------------------------------------------------------------------------------------

static void step_singles(int32_t begin, int32_t end, void *context) {
  lbWorld *world = context;
  for (int32_t i = begin; i < end; i++) {
    lbWorldGroup *group = &world->groups[i];
    if (!group->single || !is_due(group, world->steps)) continue;
    if (group->single->asleep) { // a look at the clock would take as long
      lb_body_step(group->single, pace_of(group) * world->h);
      continue;
    }
    double start = lb_seconds();
    lb_body_step(group->single, pace_of(group) * world->h);
    group->seconds += lb_seconds() - start;
  }
}

static void step_groups(lbWorld *world) {
  for (int32_t i = 0; i < world->group_count; i++) {
    lbWorldGroup *group = &world->groups[i];
    if (!group->batch || !is_due(group, world->steps)) continue;
    double start = lb_seconds();
    lb_batch_step(group->batch, pace_of(group) * world->h);
    group->seconds += (lb_seconds() - start) / group->count;
  }
  lb_parallel_for(world->group_count, SINGLES, step_singles, world);
}

static void collect_flags(lbWorld *world) {
  for (int32_t i = 0; i < world->slot_count; i++) {
    lbWorldSlot *slot = &world->slots[i];
    if (slot->body && moves_now(world, slot))
      slot->flags |= lb_body_flags(slot->body) & ~LB_STEP_FAILED;
  }
}

// ---- the step ----------------------------------------------------------------------------------

static WorldStep begin_step(lbWorld *world) {
  WorldStep step = { .start = lb_world_time(world) };
  start_bodies(world, step.start);
  world->steps++;
  step.end = lb_world_time(world);
  return step;
}

// Substep i of n, by the islands that the guard has take it.
static void take_substep(lbWorld *world, const WorldStep *step, int32_t i, int32_t n) {
  double length = step->end - step->start;
  double start = i == 0 ? step->start : step->start + length * i / n;
  double end = i + 1 == n ? step->end : step->start + length * (i + 1) / n;
  world->h = n == 1 ? world->length : world->length / n;
  world->substeps++;
  lb_guard_open(world, i, n);
  lb_guard_save_targets(world);
  set_frame_targets(world, step, i == 0); // first: a cut turns the axes that loads are taken into
  follow_joints(world, end);
  apply_loads(world, end);
  hold_attached(world, step);
  if (world->touch) {
    lb_substep_find(world, start, end);
    lb_substep_solve_forces(world);
    step_groups(world);
    lb_substep_solve_impulses(world);
  } else {
    lb_colliders_lead(world, start, end);
    step_groups(world);
    lb_colliders_arrive(world);
  }
  lb_world_let_go(world);
  collect_flags(world);
}

static void take_step(lbWorld *world) {
  WorldStep step = begin_step(world);
  lb_guard_begin(world);
  do {
    int32_t n = lb_guard_substeps(world);
    for (int32_t i = 0; i < n; i++) take_substep(world, &step, i, n);
  } while (lb_guard_next(world));
  lb_guard_end(world);
}

// Steps of another length begin to count anew.
static void set_length(lbWorld *world, double length) {
  if (length == world->length) return;
  world->begin = lb_world_time(world);
  world->steps = 0;
  world->length = length;
}

static int32_t all_flags(const lbWorld *world) {
  int32_t flags = world->touch && world->touch->stats.dropped > 0 ? LB_STEP_CONTACTS_DROPPED : 0;
  for (int32_t i = 0; i < world->slot_count; i++)
    if (world->slots[i].body) flags |= world->slots[i].flags;
  return flags;
}

int32_t lb_world_step(lbWorld *world, double dt) {
  if (!world) return LB_STEP_REFUSED;
  int32_t count = world->settings.substeps;
  if (!lb_time_step_is_legal(dt) || !lb_time_step_is_legal(dt / count)) return LB_STEP_REFUSED;
  set_length(world, dt / count);
  lb_step_counts_clear(world);
  world->whole = dt;
  for (int32_t i = 0; i < world->slot_count; i++) world->slots[i].flags = 0;
  for (int32_t i = 0; i < world->group_count; i++) world->groups[i].seconds = 0;
  lb_contact_frames_update(world, dt);
  lb_colliders_clear_forces(world);
  for (int32_t i = 0; i < count; i++) take_step(world);
  for (int32_t i = 0; i < world->slot_count; i++)
    if (world->slots[i].body) world->slots[i].body->pushed = false;
  return all_flags(world);
}

int32_t lb_world_body_flags(const lbWorld *world, lbBodyId id) {
  if (!world) return LB_STEP_REFUSED;
  const lbWorldSlot *slot = lb_world_slot(world, id);
  return slot ? slot->flags : LB_STEP_REFUSED;
}

double lb_world_body_seconds(const lbWorld *world, lbBodyId id) {
  if (!world) return 0;
  const lbWorldSlot *slot = lb_world_slot(world, id);
  return slot ? world->groups[slot->group].seconds : 0;
}
