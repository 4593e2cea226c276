// A step of a world: start new bodies -> paths -> loads -> attachments -> contacts -> bodies.
#include "world/joint.h"
#include "world/step_counts.h"

#include "body/body.h"

#define SINGLES 8 // bodies a task: waking a thread costs more than a few steps
#define PACE_MOST 1000

double lb_world_time(const lbWorld *world) {
  if (!world) return 0;
  return world->begin + (double)world->steps * world->h;
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
  int64_t steps = dt == world->h ? world->steps : 0; // another length begins to count anew
  return is_due(group, steps + 1) ? pace_of(group) * dt : 0;
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

// Over a cut the frame is set behind it, with the velocity that it has there.
static void follow_paths(lbWorld *world, double end) {
  for (int32_t i = 0; i < world->slot_count; i++) {
    const lbWorldSlot *slot = &world->slots[i];
    lbPathState at;
    if (!slot->body || !slot->path || !moves_now(world, slot)) continue;
    int64_t begun = world->steps - pace_of(&world->groups[slot->group]);
    double now = world->begin + (double)begun * world->h;
    if (lb_path_cut_between(slot->path, now, end)) {
      lb_path_at(slot->path, now, &at);
      lb_path_carry(slot->path, now, end, &at);
      lbFrame frame = lb_world_frame(slot, &at);
      (void)lb_body_set_frame(slot->body, &frame);
    }
    lb_path_at(slot->path, end, &at);
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

static void hold_attached(lbWorld *world, double end) {
  for (int32_t i = 0; i < world->attachment_count; i++) {
    lbWorldAttachment *at = &world->attachments[i];
    const lbWorldSlot *slot = at->used ? lb_world_slot(world, at->def.body) : NULL;
    if (!slot || !moves_now(world, slot) || !lb_load_acts(at->def.from, at->def.to, end, world->h))
      continue;
    int64_t begun = world->steps - pace_of(&world->groups[slot->group]);
    lb_world_hold(world, at, world->begin + (double)begun * world->h, end);
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

static int32_t collect_flags(lbWorld *world) {
  int32_t flags = 0;
  for (int32_t i = 0; i < world->slot_count; i++) {
    lbWorldSlot *slot = &world->slots[i];
    if (slot->body && moves_now(world, slot)) slot->flags |= lb_body_flags(slot->body);
    if (slot->body) flags |= slot->flags;
  }
  return flags;
}

// ---- the step ----------------------------------------------------------------------------------

static int32_t take_part(lbWorld *world) {
  double now = lb_world_time(world);
  start_bodies(world, now);
  lb_retry_keep_led(world);
  world->steps++;
  world->substeps++;
  double end = lb_world_time(world);
  follow_paths(world, end); // first: a cut turns the axes that loads are taken into
  follow_joints(world, end);
  apply_loads(world, end);
  hold_attached(world, end);
  if (world->touch)
    lb_touch_begin(world, now, end);
  else
    lb_colliders_lead(world, now, end);
  step_groups(world);
  if (world->touch)
    lb_touch_finish(world);
  else
    lb_colliders_arrive(world);
  lb_world_let_go(world);
  bool dropped = world->touch && world->touch->dropped > 0;
  return collect_flags(world) | (dropped ? LB_STEP_CONTACTS_DROPPED : 0);
}

int32_t lb_world_step(lbWorld *world, double dt) {
  if (!world) return LB_STEP_REFUSED;
  int32_t parts = world->settings.substeps, flags = 0;
  parts *= lb_joints_parts(world, dt / parts); // of what turns far
  double h = dt / parts;
  if (!lb_time_step_is_legal(dt) || !lb_time_step_is_legal(h)) return LB_STEP_REFUSED;
  if (h != world->h) {
    world->begin = lb_world_time(world);
    world->steps = 0;
    world->h = h;
  }
  for (int32_t i = 0; i < world->slot_count; i++) world->slots[i].flags = 0;
  for (int32_t i = 0; i < world->group_count; i++) world->groups[i].seconds = 0;
  lb_contact_frames_update(world, dt);
  lb_colliders_relieve(world);
  lb_step_counts_clear(world);
  world->whole = dt;
  for (int32_t i = 0; i < parts; i++) flags |= lb_retry_part(world, 0, take_part);
  for (int32_t i = 0; i < world->slot_count; i++)
    if (world->slots[i].body) world->slots[i].body->pushed = false;
  return flags;
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
