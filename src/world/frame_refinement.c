// Bodies that refine themselves where contacts press them (lb_world_set_contact_frames), before a
// step, by the contacts of the last one. This follows from the state of the world alone.
#include "world/touch.h"

static void find_presses(const lbWorld *world, lbBodyId id, const lbBody *body, lbPresses *to) {
  const lbWorldTouch *touch = world->touch;
  to->count = 0;
  for (int32_t c = 0; c < touch->remembered_count; c++)
    for (int side = 0; side < 2; side++) {
      const lbContact *contact = &touch->reports[c];
      double force = lb_length(contact->force);
      if (contact->bodies[side] != id || !(force > 0) || to->count == LB_PRESSES) continue;
      to->all[to->count++] =
          (lbPress){ lb_point_rest(lb_body_model(body), &contact->points[side]), force };
    }
}

void lb_contact_frames_update(lbWorld *world, double dt) {
  for (int32_t i = 0; i < world->slot_count && world->touch; i++) {
    const lbWorldSlot *slot = &world->slots[i];
    lbPresses presses;
    if (!slot->body || slot->contact_frames == 0 || slot->asleep) continue;
    find_presses(world, lb_world_id(i, slot->generation), slot->body, &presses);
    lb_body_refine(slot->body, &presses, slot->contact_frames, slot->contact_spacing, dt);
  }
}

// ---- settings ----------------------------------------------------------------------------------

lbStatus lb_world_set_contact_frames(lbWorld *world, lbBodyId id, int32_t most, double spacing,
                                     lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  lbWorldSlot *slot = lb_world_slot(world, id);
  if (!slot) return lb_world_refuse_id(id, err);
  if (!lb_body_can_refine(slot->body))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "frames at contacts: the body's method is \"%s\", it must be \"frames\"",
                   lb_method_name(lb_body_method(slot->body)));
  int32_t room = lb_body_refinements_max(slot->body);
  if (most < 0 || most > room || !(spacing >= 0 && spacing <= LB_BODY_MOST))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "frames at contacts: %d with a spacing of %g m; there can be 0 to %d, and the "
                   "spacing must be finite",
                   (int)most, spacing, (int)room);
  slot->contact_frames = most;
  slot->contact_spacing = lb_body_refinement_spacing(slot->body, spacing);
  return LB_OK;
}
