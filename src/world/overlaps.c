// Which bodies and colliders overlap a sphere, a box, or a sensor.
#include "world/touch.h"

typedef struct Overlap {
  const lbBody *body;
  const lbSolid *solid;
  lbSolidFrame frame;
  bool met;
  double angle; // solid angle of the surface around the collider's centre
} Overlap;

static lbVec3 to_solid(const Overlap *o, lbVec3 own) {
  return lb_solid_to_own(&o->frame, lb_body_place(o->body, own));
}

static bool reaches_solid(void *context, lbVec3 centre, double radius) {
  const Overlap *o = context;
  return !o->met && lb_solid_is_within(o->solid, to_solid(o, centre), radius);
}

static bool meets_solid(void *context, const lbSurfaceTriangle *at, int32_t number) {
  Overlap *o = context;
  lbSurfaceTriangle t = { .own = LB_OWN_ALL };
  lbSolidTouch touches[LB_SOLID_TOUCHES];
  (void)number;
  for (int k = 0; k < 3; k++) {
    t.corners[k] = to_solid(o, at->corners[k]);
    t.across[k] = to_solid(o, at->across[k]);
    o->met = o->met || lb_solid_is_within(o->solid, t.corners[k], 0);
  }
  o->met = o->met || lb_solid_touch_triangle(o->solid, &t, 0, touches) > 0;
  return !o->met;
}

static bool everywhere(void *context, lbVec3 centre, double radius) {
  (void)context, (void)centre, (void)radius;
  return true;
}

static bool add_angle(void *context, const lbSurfaceTriangle *t, int32_t number) {
  Overlap *o = context;
  lbVec3 centre = lb_body_unplace(o->body, o->frame.position);
  (void)number;
  o->angle += lb_triangle_solid_angle(lb_sub(t->corners[0], centre), lb_sub(t->corners[1], centre),
                                      lb_sub(t->corners[2], centre));
  return true;
}

// Whether a surface passes through a collider, lies inside it, or has it inside.
static lbStatus find_overlap(Overlap *o, lbError *err) {
  const lbSolid *own = lb_body_solid(o->body);
  if (own) {
    lbSolidFrame frame = { lb_body_rotation_matrix(o->body), lb_body_position(o->body) };
    o->met = lb_solids_overlap(own, &frame, o->solid, &o->frame);
    return LB_OK;
  }
  lbTouchSphere sphere = lb_touch_sphere(o->body);
  if (!(sphere.radius > 0)) return lb_fail_memory(err);
  if (!lb_solid_is_within(o->solid, lb_solid_to_own(&o->frame, sphere.centre), sphere.radius))
    return LB_OK;
  if (!lb_touch_visit(o->body, reaches_solid, meets_solid, o)) return lb_fail_memory(err);
  if (o->met || !lb_solid_is_closed(o->solid)) return LB_OK;
  if (!lb_touch_visit(o->body, everywhere, add_angle, o)) return lb_fail_memory(err);
  o->met = fabs(o->angle) > 2 * LB_PI;
  return LB_OK;
}

static void add_found(lbFound found, int32_t max, lbFound *list, int32_t *count) {
  if (*count < max) list[*count] = found;
  ++*count;
}

static lbStatus list_region(const lbWorld *world, const lbSolid *solid, lbSolidFrame frame,
                            int32_t max, lbFound *found, int32_t *count, lbError *err) {
  lbStatus status = LB_OK;
  *count = 0;
  for (int32_t i = 0; i < world->slot_count && !status; i++) {
    const lbWorldSlot *slot = &world->slots[i];
    if (!slot->body || !lb_touch_is_possible(slot->body)) continue;
    Overlap o = { .body = slot->body, .solid = solid, .frame = frame };
    status = find_overlap(&o, err);
    if (o.met) add_found((lbFound){ .body = lb_world_id(i, slot->generation) }, max, found, count);
  }
  for (int32_t i = 0; i < world->collider_count; i++) {
    const lbWorldCollider *c = &world->colliders[i];
    lbSolidFrame own = lb_solid_frame(c->rotation, c->position);
    if (lb_collider_pushes(c) && lb_solids_overlap(solid, &frame, c->solid, &own))
      add_found((lbFound){ .collider = lb_world_id(i, c->generation) }, max, found, count);
  }
  return status;
}

static lbStatus overlap_region(const lbWorld *world, const lbSolidDef *def, lbVec3 centre,
                               lbQuat rotation, int32_t max, lbFound *found, int32_t *count,
                               lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  if (!count) return lb_refuse_null(err, "count");
  if (max > 0 && !found) return lb_refuse_null(err, "found");
  lbSolid *solid = NULL;
  lbStatus status = lb_check_placement(centre, &rotation, err);
  if (!status) status = lb_solid_create(def, &solid, err);
  if (!status)
    status = list_region(world, solid, lb_solid_frame(rotation, centre), max, found, count, err);
  lb_solid_destroy(solid);
  return status;
}

lbStatus lb_world_overlap_sphere(const lbWorld *world, lbVec3 centre, double radius, int32_t most,
                                 lbFound *found, int32_t *count, lbError *err) {
  lbSolidDef def = lb_solid_def(LB_SOLID_SPHERE);
  def.radius = radius;
  return overlap_region(world, &def, centre, lb_quat_identity(), most, found, count, err);
}

lbStatus lb_world_overlap_box(const lbWorld *world, lbVec3 centre, lbQuat rotation,
                              const double size[3], int32_t most, lbFound *found, int32_t *count,
                              lbError *err) {
  lbSolidDef def = lb_solid_def(LB_SOLID_BOX);
  if (!size) return lb_refuse_null(err, "size");
  for (int k = 0; k < 3; k++) def.size[k] = size[k];
  return overlap_region(world, &def, centre, rotation, most, found, count, err);
}

lbStatus lb_world_overlap_collider(const lbWorld *world, lbColliderId id, int32_t most,
                                   lbBodyId *bodies, int32_t *count, lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  if (!count) return lb_refuse_null(err, "count");
  if (most > 0 && !bodies) return lb_refuse_null(err, "bodies");
  const lbWorldCollider *collider = lb_world_find_collider(world, id);
  if (!collider)
    return lb_fail(err, LB_ERR_ARGUMENT, "unknown or removed collider id %llu",
                   (unsigned long long)id);
  int32_t number = (int32_t)(collider - world->colliders);
  lbStatus status = LB_OK;
  *count = 0;
  for (int32_t i = 0; i < world->slot_count && !status; i++) {
    const lbWorldSlot *slot = &world->slots[i];
    if (!slot->body || !slot->touches || !lb_may_collide_with(world, i, number)) continue;
    Overlap o = { .body = slot->body,
                  .solid = collider->solid,
                  .frame = lb_solid_frame(collider->rotation, collider->position) };
    status = find_overlap(&o, err);
    if (!o.met) continue;
    if (*count < most) bodies[*count] = lb_world_id(i, slot->generation);
    ++*count;
  }
  return status;
}
