// Colliders of a world: what bodies touch that is not a body.
#include "world/touch.h"

lbColliderDef lb_collider_def(void) {
  return (lbColliderDef){ .radius = 0.5,
                          .size = { 1, 1, 1 },
                          .rotation = { 0, 0, 0, 1 },
                          .friction = NAN,
                          .compliance = NAN,
                          .restitution = NAN,
                          .rolling_friction = NAN };
}

// ---- ids ---------------------------------------------------------------------------------------

lbWorldCollider *lb_world_find_collider(const lbWorld *world, lbColliderId id) {
  uint64_t number = id & UINT32_MAX;
  if (number == 0 || number > (uint64_t)world->collider_count) return NULL;
  lbWorldCollider *collider = &world->colliders[number - 1];
  return collider->solid && collider->generation == id >> 32 ? collider : NULL;
}

static lbStatus find(const lbWorld *world, lbColliderId id, lbWorldCollider **out, lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  *out = lb_world_find_collider(world, id);
  if (*out) return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT, "the world has no collider with the id %llu (any more)",
                 (unsigned long long)id);
}

// ---- adding ------------------------------------------------------------------------------------

lbStatus lb_collider_make_solid(const lbColliderDef *def, lbSolid **out, lbError *err) {
  static const lbSolidKind kinds[LB_COLLIDER_SHAPE_COUNT] = {
    [LB_COLLIDER_PLANE] = LB_SOLID_PLANE, [LB_COLLIDER_SPHERE] = LB_SOLID_SPHERE,
    [LB_COLLIDER_BOX] = LB_SOLID_BOX,     [LB_COLLIDER_CAPSULE] = LB_SOLID_CAPSULE,
    [LB_COLLIDER_HULL] = LB_SOLID_HULL,   [LB_COLLIDER_MESH] = LB_SOLID_MESH,
  };
  if ((int)def->shape < 0 || def->shape >= LB_COLLIDER_SHAPE_COUNT)
    return lb_fail(err, LB_ERR_ARGUMENT, "collider: there is no shape %d", (int)def->shape);
  lbSolidDef solid = lb_solid_def(kinds[def->shape]);
  solid.radius = def->radius;
  for (int i = 0; i < 3; i++) solid.size[i] = def->size[i];
  solid.vertex_count = def->vertex_count, solid.vertices = def->vertices;
  solid.triangle_count = def->triangle_count, solid.triangles = def->triangles;
  return lb_solid_create(&solid, out, err);
}

lbStatus lb_world_add_collider(lbWorld *world, const lbColliderDef *def, lbColliderId *id,
                               lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  if (!def) return lb_refuse_null(err, "def");
  if (!id) return lb_refuse_null(err, "id");
  lbQuat rotation = def->rotation;
  lbSolid *solid = NULL;
  const lbContactMaterial material = { def->friction, def->compliance, def->restitution,
                                       def->rolling_friction };
  lbStatus status = lb_check_placement(def->position, &rotation, err);
  if (!status) status = lb_check_contact_material(&material, err);
  if (!status) status = lb_collider_make_solid(def, &solid, err);
  if (status) return status;
  int32_t at = 0;
  while (at < world->collider_count && world->colliders[at].solid) at++;
  if (!lb_grow((void **)&world->colliders, &world->collider_room, (size_t)at + 1,
               sizeof *world->colliders)) {
    lb_solid_destroy(solid);
    return lb_fail_memory(err);
  }
  if (at == world->collider_count)
    world->colliders[world->collider_count++] = (lbWorldCollider){ 0 };
  uint32_t generation = world->colliders[at].generation + 1;
  world->colliders[at] = (lbWorldCollider){ .generation = generation,
                                            .solid = solid,
                                            .material = material,
                                            .sensor = def->sensor,
                                            .position = def->position,
                                            .rotation = rotation,
                                            .end_position = def->position,
                                            .end_rotation = rotation };
  *id = lb_world_id(at, generation);
  lb_sleep_wake_all(world);
  return LB_OK;
}

lbStatus lb_world_remove_collider(lbWorld *world, lbColliderId id, lbError *err) {
  lbWorldCollider *collider = NULL;
  lbStatus status = find(world, id, &collider, err);
  if (status) return status;
  lb_sleep_wake_all(world);
  lb_solid_destroy(collider->solid);
  collider->solid = NULL;
  collider->path = NULL;
  return LB_OK;
}

// ---- motion ------------------------------------------------------------------------------------

lbStatus lb_world_move_collider(lbWorld *world, lbColliderId id, lbVec3 position, lbQuat rotation,
                                lbError *err) {
  lbWorldCollider *collider = NULL;
  lbStatus status = find(world, id, &collider, err);
  if (!status) status = lb_check_placement(position, &rotation, err);
  if (status) return status;
  collider->end_position = position, collider->end_rotation = rotation;
  collider->moves = true;
  return LB_OK;
}

static void place_by_path(lbWorldCollider *collider, double time, lbVec3 *position,
                          lbQuat *rotation) {
  lbPathState at;
  lb_path_at(collider->path, time, &at);
  *position = lb_vec3_load(at.position);
  *rotation = lb_quat(at.rotation[0], at.rotation[1], at.rotation[2], at.rotation[3]);
}

lbStatus lb_world_drive_collider(lbWorld *world, lbColliderId id, const lbPath *path,
                                 lbError *err) {
  lbWorldCollider *collider = NULL;
  lbStatus status = find(world, id, &collider, err);
  if (status) return status;
  lb_sleep_wake_all(world);
  collider->path = path;
  if (path) place_by_path(collider, lb_world_time(world), &collider->position, &collider->rotation);
  collider->end_position = collider->position, collider->end_rotation = collider->rotation;
  collider->moves = false;
  return LB_OK;
}

lbStatus lb_world_collider(const lbWorld *world, lbColliderId id, lbVec3 *position,
                           lbQuat *rotation, lbError *err) {
  lbWorldCollider *collider = NULL;
  lbStatus status = find(world, id, &collider, err);
  if (status) return status;
  if (position) *position = collider->position;
  if (rotation) *rotation = collider->rotation;
  return LB_OK;
}

lbStatus lb_world_collider_force(const lbWorld *world, lbColliderId id, lbVec3 *force,
                                 lbVec3 *torque, lbError *err) {
  lbWorldCollider *collider = NULL;
  lbStatus status = find(world, id, &collider, err);
  if (status) return status;
  if (force) *force = collider->force;
  if (torque) *torque = collider->torque;
  return LB_OK;
}

void lb_colliders_clear_forces(lbWorld *world) {
  for (int32_t i = 0; i < world->collider_count; i++)
    world->colliders[i].force = world->colliders[i].torque = lb_vec3(0, 0, 0);
}

// Forces act where the places of contact are at the end of the substep. Those of bodies that stay
// are counted once, in the substep of all bodies.
void lb_colliders_feel(lbWorld *world) {
  const lbWorldTouch *touch = world->touch;
  double share = world->h / world->whole;
  int32_t first = world->take > 0 ? touch->staying_count : 0;
  for (int32_t k = first; k < touch->remembered_count; k++) {
    int32_t number = touch->remembered[k].collider;
    if (number < 0 || number >= world->collider_count) continue;
    const lbWorldCollider *collider = &world->colliders[number];
    lbVec3 force = lb_scale(-share, touch->reports[k].force), at = touch->reports[k].point;
    lbVec3 arm = lb_sub(lb_add(at, lb_collider_way(collider, at)), collider->end_position);
    lbVec3 torque = lb_scale(-share, lb_vec3_load(touch->remembered[k].torque));
    lb_guard_add_share(world, touch->remembered[k].slots[0], number, force,
                       lb_add(lb_cross(arm, force), torque));
  }
}

void lb_colliders_go_to(lbWorld *world, double time) {
  for (int32_t i = 0; i < world->collider_count; i++) {
    lbWorldCollider *c = &world->colliders[i];
    if (!c->solid || !c->path) continue;
    place_by_path(c, time, &c->position, &c->rotation);
    c->end_position = c->position, c->end_rotation = c->rotation;
    c->moves = false;
  }
}

// Over a cut of its path a collider is carried: it stands there at once.
void lb_colliders_lead(lbWorld *world, double start, double end) {
  for (int32_t i = 0; i < world->collider_count; i++) {
    lbWorldCollider *c = &world->colliders[i];
    if (!c->solid || !c->path) continue;
    place_by_path(c, end, &c->end_position, &c->end_rotation);
    c->moves = true;
    if (lb_path_cut_between(c->path, start, end))
      c->position = c->end_position, c->rotation = c->end_rotation;
  }
}

void lb_colliders_arrive(lbWorld *world) {
  for (int32_t i = 0; i < world->collider_count; i++) {
    lbWorldCollider *c = &world->colliders[i];
    if (!c->moves) continue;
    c->position = c->end_position, c->rotation = c->end_rotation;
    c->moves = false;
  }
}

lbVec3 lb_collider_way(const lbWorldCollider *c, lbVec3 point) {
  if (!c->moves) return lb_vec3(0, 0, 0);
  lbVec3 own = lb_quat_rotate(lb_quat_conjugate(c->rotation), lb_sub(point, c->position));
  return lb_sub(lb_add(c->end_position, lb_quat_rotate(c->end_rotation, own)), point);
}

// ---- what is seen ------------------------------------------------------------------------------

lbStatus lb_collider_surface_size(const lbWorld *world, lbColliderId id, int32_t detail,
                                  int32_t *vertex_count, int32_t *triangle_count, lbError *err) {
  lbWorldCollider *collider = NULL;
  lbStatus status = find(world, id, &collider, err);
  if (!status) lb_solid_surface_size(collider->solid, detail, vertex_count, triangle_count);
  return status;
}

lbStatus lb_collider_surface(const lbWorld *world, lbColliderId id, int32_t detail, double extent,
                             double *vertices, int32_t *triangles, lbError *err) {
  lbWorldCollider *collider = NULL;
  lbStatus status = find(world, id, &collider, err);
  if (!status) lb_solid_surface(collider->solid, detail, extent, vertices, triangles);
  return status;
}
