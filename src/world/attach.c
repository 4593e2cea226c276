// Points of bodies that follow paths: constraints whose targets move.
//
// A constraint is there while its body takes a step, and no longer: what a saved state holds does
// not depend on attachments, and a restored one needs nothing put right.
#include "world/touch.h"

lbAttachment lb_attachment(void) {
  return (lbAttachment){ .stiffness = INFINITY, .from = -INFINITY, .to = INFINITY };
}

static lbStatus check(const lbAttachment *a, const lbBody *body, lbError *err) {
  lbStatus status = lb_point_check(lb_body_model(body), &a->point, "attachment", err);
  if (status) return status;
  if (!(a->stiffness >= 0) || !(a->damping >= 0 && lb_is_bounded(a->damping)))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "attachment: stiffness %g or damping %g is negative or not a number",
                   a->stiffness, a->damping);
  if (isfinite(a->stiffness) && !lb_is_bounded(a->stiffness))
    return lb_fail(err, LB_ERR_ARGUMENT, "attachment: stiffness %g is beyond %g", a->stiffness,
                   LB_BODY_MOST);
  if (isnan(a->from) || isnan(a->to))
    return lb_fail(err, LB_ERR_ARGUMENT, "attachment: it holds from %g to %g s", a->from, a->to);
  if (!lb_vec3_is_bounded(a->shift))
    return lb_fail(err, LB_ERR_ARGUMENT, "attachment: its shift is not a number");
  if (lb_body_is_recording(body))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "attachment: a body that plays a recording follows nothing");
  return LB_OK;
}

// One more constrained point; memory is taken now, not in a step.
static lbStatus make_room(lbBody *body, lbError *err) {
  if (lb_body_is_constrained(body))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "attachment: the body is constrained already, attach it "
                   "first");
  if (lb_constraints_room(body) >= LB_CONSTRAINED_MOST)
    return lb_fail(err, LB_ERR_ARGUMENT, "attachment: a body has at most %d constrained points",
                   LB_CONSTRAINED_MOST);
  lbStatus status = lb_constraints_grow(body);
  return status ? lb_fail(err, status, "%s", lb_body_message(body)) : LB_OK;
}

lbStatus lb_world_attach(lbWorld *world, const lbAttachment *def, lbAttachmentId *id,
                         lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  if (!def) return lb_refuse_null(err, "attachment");
  if (!id) return lb_refuse_null(err, "id");
  const lbWorldSlot *slot = lb_world_slot(world, def->body);
  if (!slot) return lb_world_refuse_id(def->body, err);
  lbStatus status = check(def, slot->body, err);
  if (status) return status;
  int32_t i = 0;
  while (i < world->attachment_count && world->attachments[i].used) i++;
  if (!lb_grow((void **)&world->attachments, &world->attachment_room, (size_t)i + 1,
               sizeof *world->attachments))
    return lb_fail_memory(err);
  status = make_room(slot->body, err);
  if (status) return status;
  if (i == world->attachment_count)
    world->attachments[world->attachment_count++] = (lbWorldAttachment){ 0 };
  lbWorldAttachment before = world->attachments[i];
  uint32_t generation = before.generation + 1;
  lbVec3 own = lb_point_rest(lb_body_model(slot->body), &def->point);
  world->attachments[i] =
      (lbWorldAttachment){ generation, true, *def,
                           lb_sub(lb_body_place(slot->body, own), def->shift), -1 };
  *id = lb_world_id(i, generation);
  status = lb_touch_reserve(world, err);
  if (!status) return LB_OK;
  world->attachments[i] = before;
  lb_constraints_shrink(slot->body);
  return status;
}

lbStatus lb_world_detach(lbWorld *world, lbAttachmentId id, lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  uint64_t number = id & UINT32_MAX;
  lbWorldAttachment *at = number > 0 && number <= (uint64_t)world->attachment_count
                              ? &world->attachments[number - 1]
                              : NULL;
  if (!at || !at->used || at->generation != id >> 32)
    return lb_fail(err, LB_ERR_ARGUMENT, "the world has no attachment with the id %llu (any more)",
                   (unsigned long long)id);
  at->used = false;
  return LB_OK;
}

// ---- steps -------------------------------------------------------------------------------------

static void find_target(const lbWorldAttachment *at, double time, double target[3]) {
  double rest[3];
  lb_vec3_store(rest, at->rest);
  lb_vec3_store(target, at->rest);
  if (at->def.path) {
    lbPathState frame;
    lb_path_at(at->def.path, time, &frame);
    lb_path_point(&frame, rest, target);
  }
  lb_vec3_store(target, lb_add(lb_vec3_load(target), at->def.shift));
}

// The target goes from where it was to where it will be; over a cut it is there at once.
void lb_world_hold(lbWorld *world, lbWorldAttachment *at, double begun, double end) {
  lbBody *body = lb_world_body(world, at->def.body);
  lbConstraintDef def = lb_constraint_def();
  double first[3], last[3];
  bool cut = at->def.path && lb_path_cut_between(at->def.path, begun, end);
  find_target(at, cut ? end : begun, first);
  find_target(at, end, last);
  def.point_count = 1;
  def.points = &at->def.point;
  def.targets = first;
  def.stiffness = at->def.stiffness;
  def.damping = isfinite(def.stiffness) ? at->def.damping : 0;
  at->constraint = -1;
  if (lb_body_add_constraint(body, &def, &at->constraint)) return; // hands have taken all room
  (void)lb_body_set_target(body, at->constraint, last);
}

void lb_world_let_go(lbWorld *world) {
  for (int32_t i = 0; i < world->attachment_count; i++) {
    lbWorldAttachment *at = &world->attachments[i];
    if (at->constraint < 0) continue;
    lbBody *body = lb_world_body(world, at->def.body);
    if (body) (void)lb_body_remove_constraint(body, at->constraint);
    at->constraint = -1;
  }
}
