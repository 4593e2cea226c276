// Spatial queries of a world: rays and closest points; overlaps.c has regions.
#include "world/touch.h"

#include <math.h>

static lbStatus check_query_point(lbVec3 place, const char *what, lbError *err) {
  if (lb_vec3_is_bounded(place)) return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT, "%s is (%g, %g, %g): not a number or beyond %g", what,
                 place.x, place.y, place.z, LB_BODY_MOST);
}

static lbStatus check_query_length(double length, const char *what, lbError *err) {
  if (length >= 0) return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT, "%s is %g; it must be 0 or more", what, length);
}

// ---- rays --------------------------------------------------------------------------------------

static lbVec3 normal_of_corners(lbVec3 a, lbVec3 b, lbVec3 c) {
  return lb_normalise(lb_cross(lb_sub(b, a), lb_sub(c, a)));
}

static lbVec3 body_triangle_normal(const lbBody *body, int32_t triangle) {
  lbVec3 at[3];
  for (int k = 0; k < 3; k++)
    (void)lb_body_point(body, lb_point_triangle(triangle, k == 0, k == 1, k == 2), &at[k], NULL);
  return normal_of_corners(at[0], at[1], at[2]);
}

static void meet_collider(const lbWorld *world, int32_t number, lbVec3 origin, lbVec3 direction,
                          lbFound *found) {
  const lbWorldCollider *c = &world->colliders[number];
  lbSolidFrame frame = lb_solid_frame(c->rotation, c->position);
  lbVec3 own = lb_mat3_apply_transpose(frame.rotation, direction), normal;
  double t;
  if (!lb_solid_ray_cast(c->solid, lb_solid_to_own(&frame, origin), own, found->distance, &t,
                         &normal))
    return;
  if ((found->body || found->collider) && !(t < found->distance)) return;
  *found = (lbFound){ .collider = lb_world_id(number, c->generation),
                      .position = lb_add_scaled(origin, t, direction),
                      .normal = lb_mat3_apply(frame.rotation, normal),
                      .distance = t };
}

lbStatus lb_world_ray(const lbWorld *world, lbVec3 origin, lbVec3 direction, double length,
                      lbFound *found, lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  if (!found) return lb_refuse_null(err, "found");
  lbBodyId body = 0;
  lbPick pick;
  lbStatus status = check_query_length(length, "length", err);
  if (!status) status = lb_world_pick(world, origin, direction, &body, &pick, err);
  if (status) return status;
  double unit = lb_length(direction);
  direction = lb_scale(1 / unit, direction);
  *found = (lbFound){ .distance = length };
  if (body && pick.distance * unit <= length)
    *found =
        (lbFound){ .body = body,
                   .point = pick.point,
                   .position = pick.position,
                   .normal = body_triangle_normal(lb_world_body(world, body), pick.point.index),
                   .distance = pick.distance * unit };
  for (int32_t i = 0; i < world->collider_count; i++)
    if (lb_collider_pushes(&world->colliders[i])) meet_collider(world, i, origin, direction, found);
  return LB_OK;
}

// ---- closest points -------------------------------------------------------------------------

typedef struct Nearest {
  lbVec3 place; // own axes of the body
  double distance;
  int32_t triangle; // -1: none
  double weights[3];
  lbVec3 normal; // own axes
} Nearest;

static bool may_be_nearer(void *context, lbVec3 centre, double radius) {
  const Nearest *n = context;
  return lb_length(lb_sub(centre, n->place)) - radius < n->distance;
}

static bool compare_triangle(void *context, const lbSurfaceTriangle *t, int32_t number) {
  Nearest *n = context;
  double weights[3];
  double distance = sqrt(
      lb_triangle_closest_point(n->place, t->corners[0], t->corners[1], t->corners[2], weights));
  if (!(distance < n->distance)) return true;
  n->distance = distance, n->triangle = number;
  n->normal = normal_of_corners(t->corners[0], t->corners[1], t->corners[2]);
  for (int k = 0; k < 3; k++) n->weights[k] = weights[k];
  return true;
}

static bool has_surface(const lbWorldSlot *slot) {
  return slot->body && lb_touch_is_possible(slot->body);
}

static lbStatus near_body(const lbWorld *world, int32_t slot, lbVec3 place, lbFound *found,
                          lbError *err) {
  const lbBody *body = world->slots[slot].body;
  Nearest n = { .place = lb_body_unplace(body, place),
                .distance = found->distance,
                .triangle = -1 };
  if (!lb_touch_visit(body, may_be_nearer, compare_triangle, &n)) return lb_fail_memory(err);
  if (n.triangle < 0) return LB_OK;
  lbPoint point = lb_point_triangle(n.triangle, n.weights[0], n.weights[1], n.weights[2]);
  *found = (lbFound){ .body = lb_world_id(slot, world->slots[slot].generation),
                      .point = point,
                      .normal = lb_mat3_apply(lb_body_rotation_matrix(body), n.normal),
                      .distance = n.distance };
  return lb_body_point(body, point, &found->position, NULL);
}

static void near_collider(const lbWorld *world, int32_t number, lbVec3 place, lbFound *found) {
  const lbWorldCollider *c = &world->colliders[number];
  lbSolidFrame frame = lb_solid_frame(c->rotation, c->position);
  lbVec3 own = lb_solid_to_own(&frame, place), normal;
  double distance = fabs(lb_solid_distance(c->solid, own, &normal));
  if (!(distance < found->distance)) return;
  *found = (lbFound){ .collider = lb_world_id(number, c->generation),
                      .position = lb_solid_to_world(&frame, lb_solid_closest_point(c->solid, own)),
                      .normal = lb_mat3_apply(frame.rotation, normal),
                      .distance = distance };
}

lbStatus lb_world_closest(const lbWorld *world, lbVec3 place, double within, lbFound *found,
                          lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  if (!found) return lb_refuse_null(err, "found");
  lbStatus status = check_query_point(place, "place", err);
  if (!status) status = check_query_length(within, "within", err);
  if (status) return status;
  *found = (lbFound){ .distance = within };
  for (int32_t i = 0; i < world->slot_count && !status; i++)
    if (has_surface(&world->slots[i])) status = near_body(world, i, place, found, err);
  for (int32_t i = 0; i < world->collider_count && !status; i++)
    if (lb_collider_pushes(&world->colliders[i])) near_collider(world, i, place, found);
  return status;
}
