// What the bodies of a stage touch that is not a body: the colliders of its world, in every cast,
// and what is seen of them.
#include "stage/stage_parts.h"

#include <math.h>
#include <string.h>

#define AROUND 1.0 // sizes of the bodies' box: colliders farther away are out of the picture
#define LEVEL 1e-9
enum { DETAIL = 12 }; // pieces of a quarter of a circle

// ---- of the world ------------------------------------------------------------------------------

static void add_box(const lbColliderDef *def, lbVec3 half, vwBox *box) {
  for (int corner = 0; corner < 8; corner++) {
    lbVec3 x = lb_vec3(corner & 1 ? half.x : -half.x, corner & 2 ? half.y : -half.y,
                       corner & 4 ? half.z : -half.z);
    vw_box_add(box, lb_add(def->position, lb_quat_rotate(def->rotation, x)));
  }
}

static vwBox box_of(const lbColliderDef *def) {
  vwBox box = vw_box_empty();
  double r = def->radius;
  switch (def->shape) {
  case LB_COLLIDER_SPHERE: add_box(def, lb_vec3(r, r, r), &box); break;
  case LB_COLLIDER_CAPSULE: add_box(def, lb_vec3(r, r, r + 0.5 * def->size[2]), &box); break;
  case LB_COLLIDER_BOX: add_box(def, lb_scale(0.5, lb_vec3_load(def->size)), &box); break;
  default:
    for (int32_t v = 0; v < def->vertex_count; v++) {
      lbVec3 own = lb_vec3_load(def->vertices + 3 * (size_t)v);
      vw_box_add(&box, lb_add(def->position, lb_quat_rotate(def->rotation, own)));
    }
  }
  return box;
}

static lbVec3 up_of(const vwStage *stage) {
  return stage->up == 'y' ? lb_vec3(0, 1, 0) : lb_vec3(0, 0, 1);
}

static bool is_level(const vwStage *stage, const vwCollider *collider) {
  lbVec3 normal = lb_quat_rotate(collider->def.rotation, lb_vec3(0, 0, 1));
  return collider->def.shape == LB_COLLIDER_PLANE && !collider->path &&
         lb_dot(normal, up_of(stage)) > 1 - LEVEL;
}

bool vw_colliders_are_level(const vwStage *stage) {
  for (int32_t i = 0; i < stage->collider_count; i++)
    if (!is_level(stage, &stage->colliders[i])) return false;
  return true;
}

// All but sensors and the plane that the picture has as its ground.
static lbStatus list_drawn(vwStage *stage, lbError *err) {
  double ground = 0;
  bool has_ground = lb_world_ground(stage->bundle->world, &ground) == LB_GROUND_HEIGHT;
  size_t count = (size_t)stage->collider_count;
  stage->drawn_colliders = lb_arena_alloc(&stage->arena, count, sizeof *stage->drawn_colliders);
  if (!stage->drawn_colliders) return lb_fail_memory(err);
  for (int32_t i = 0; i < stage->collider_count; i++) {
    const vwCollider *collider = &stage->colliders[i];
    double height = lb_dot(collider->def.position, up_of(stage));
    if (collider->def.sensor) continue;
    if (has_ground && is_level(stage, collider) && height == ground) continue;
    stage->drawn_colliders[stage->drawn_collider_count++] = i;
  }
  return LB_OK;
}

lbStatus vw_colliders_read(vwStage *stage, lbError *err) {
  const lbWorldDef *world = stage->bundle->world;
  int32_t count = world->size.collider_count;
  if (world->substeps_max) stage->substeps_max = world->substeps_max[0];
  stage->contact = world->contact_friction != NULL;
  if (!stage->contact) return LB_OK;
  stage->contact_material = lb_world_contact_material(world, -1);
  if (world->contact_substeps) stage->substeps = world->contact_substeps[0];
  stage->self = world->contact_self && world->contact_self[0];
  stage->colliders = lb_arena_alloc(&stage->arena, (size_t)count, sizeof *stage->colliders);
  if (!stage->colliders) return lb_fail_memory(err);
  stage->collider_count = count;
  for (int32_t i = 0; i < count; i++) {
    vwCollider *to = &stage->colliders[i];
    to->def = lb_world_collider_def(world, i);
    to->filter = lb_world_filter(world->collider_filters, i);
    if (world->collider_paths[i] >= 0) {
      lbPathState at;
      to->path = stage->paths[world->collider_paths[i]];
      lb_path_at(to->path, 0, &at);
      to->def.position = lb_vec3_load(at.position);
      to->def.rotation = lb_quat(at.rotation[0], at.rotation[1], at.rotation[2], at.rotation[3]);
    }
    to->box = box_of(&to->def);
  }
  return list_drawn(stage, err);
}

lbStatus vw_cast_add_colliders(const vwStage *stage, vwCast *cast, lbError *err) {
  lbStatus status = LB_OK;
  cast->colliders = lb_alloc((size_t)stage->collider_count, sizeof *cast->colliders);
  if (!cast->colliders) return lb_fail_memory(err);
  for (int32_t i = 0; i < stage->collider_count && !status; i++) {
    const vwCollider *from = &stage->colliders[i];
    lbColliderId *id = &cast->colliders[cast->collider_count++];
    status = lb_world_add_collider(cast->world, &from->def, id, err);
    if (!status) status = lb_world_set_collider_filter(cast->world, *id, &from->filter, err);
    if (!status && from->path) status = lb_world_drive_collider(cast->world, *id, from->path, err);
  }
  return status;
}

// ---- what is seen ------------------------------------------------------------------------------

vwBox vw_colliders_around(const vwStage *stage, vwBox box) {
  lbVec3 side = lb_sub(box.high, box.low);
  double reach = AROUND * fmax(side.x, fmax(side.y, side.z));
  vwBox around = box;
  for (int32_t i = 0; i < stage->collider_count; i++) {
    vwBox of = stage->colliders[i].box;
    if (!(of.low.x <= of.high.x)) continue;
    lbVec3 low = lb_vec3(fmax(of.low.x, box.low.x - reach), fmax(of.low.y, box.low.y - reach),
                         fmax(of.low.z, box.low.z - reach));
    lbVec3 high = lb_vec3(fmin(of.high.x, box.high.x + reach), fmin(of.high.y, box.high.y + reach),
                          fmin(of.high.z, box.high.z + reach));
    if (low.x > high.x || low.y > high.y || low.z > high.z) continue;
    vw_box_add(&around, low);
    vw_box_add(&around, high);
  }
  return around;
}

int32_t vw_stage_collider_count(const vwStage *stage) { return stage->drawn_collider_count; }

// A plane is drawn where the bodies are.
static void centre_plane(const vwStage *stage, const lbColliderDef *def, double *vertices) {
  lbVec3 middle = lb_scale(0.5, lb_add(stage->box.low, stage->box.high));
  lbVec3 own = lb_quat_rotate(lb_quat_conjugate(def->rotation), lb_sub(middle, def->position));
  for (int k = 0; k < 4; k++) vertices[3 * k] += own.x, vertices[3 * k + 1] += own.y;
}

lbStatus vw_stage_collider_surface(const vwStage *stage, int32_t drawn, int32_t *vertex_count,
                                   double **vertices, int32_t *triangle_count, int32_t **triangles,
                                   lbError *err) {
  int32_t number = stage->drawn_colliders[drawn];
  const vwCollider *collider = &stage->colliders[number];
  const vwCast *cast = &stage->cast;
  lbColliderId id = cast->colliders[number];
  vwBox box = vw_colliders_around(stage, stage->box);
  lbStatus status =
      lb_collider_surface_size(cast->world, id, DETAIL, vertex_count, triangle_count, err);
  if (status) return status;
  double *x = lb_alloc((size_t)*vertex_count, 3 * sizeof *x);
  int32_t *t = lb_alloc((size_t)*triangle_count, 3 * sizeof *t);
  status = x && t ? lb_collider_surface(cast->world, id, DETAIL,
                                        lb_length(lb_sub(box.high, box.low)), x, t, err)
                  : lb_fail_memory(err);
  if (status) {
    lb_free(x);
    lb_free(t);
    return status;
  }
  if (collider->def.shape == LB_COLLIDER_PLANE) centre_plane(stage, &collider->def, x);
  *vertices = x;
  *triangles = t;
  return LB_OK;
}

bool vw_stage_collider_placement(const vwStage *stage, int32_t drawn, float placement[7]) {
  int32_t number = stage->drawn_colliders[drawn];
  lbVec3 x = lb_vec3(0, 0, 0);
  lbQuat q = lb_quat_identity();
  (void)lb_world_collider(stage->cast.world, stage->cast.colliders[number], &x, &q, NULL);
  const double values[7] = { x.x, x.y, x.z, q.x, q.y, q.z, q.w };
  for (int i = 0; i < 7; i++) placement[i] = (float)values[i];
  return stage->colliders[number].path != NULL;
}
