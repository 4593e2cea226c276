// Worlds: bodies, gravity, loads and probes. drive.c: paths and time; step.c takes the steps,
// state.c goes back, query.c looks for what a ray hits.
#include "world/joint.h"

#include <string.h>

#define SUBSTEPS_MOST 1000
#define GUARD_SUBSTEPS_MOST 64
#define CONTACTS_MOST 100000

lbWorldSettings lb_world_settings(void) {
  return (lbWorldSettings){ .substeps = 1,
                            .substeps_max = 16,
                            .friction = 0.5,
                            .contacts_most = LB_SCENE_CONTACTS_MOST,
                            .sleep = true };
}

static lbStatus check_material(const lbWorldSettings *s, lbError *err) {
  const lbContactMaterial m = { s->friction, s->compliance, s->restitution, s->rolling_friction };
  if (isnan(m.friction) || isnan(m.compliance) || isnan(m.restitution) || isnan(m.rolling_friction))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "friction, compliance, restitution and rolling_friction are %g, %g, %g, %g; "
                   "each must be a number: start from lb_world_settings()",
                   m.friction, m.compliance, m.restitution, m.rolling_friction);
  return lb_check_contact_material(&m, err);
}

lbStatus lb_world_create(const lbWorldSettings *settings, lbWorld **out, lbError *err) {
  if (!settings) return lb_refuse_null(err, "settings");
  if (!out) return lb_refuse_null(err, "out");
  lbVec3 g = settings->gravity;
  if (settings->substeps < 1 || settings->substeps > SUBSTEPS_MOST)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "substeps is %d; it must be from 1 to %d: start from lb_world_settings()",
                   (int)settings->substeps, SUBSTEPS_MOST);
  if (settings->substeps_max < 1 || settings->substeps_max > GUARD_SUBSTEPS_MOST)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "substeps_max is %d; it must be from 1 to %d: start from lb_world_settings()",
                   (int)settings->substeps_max, GUARD_SUBSTEPS_MOST);
  if (!lb_vec3_is_bounded(g))
    return lb_fail(err, LB_ERR_ARGUMENT, "gravity is (%g, %g, %g): not a number or beyond %g", g.x,
                   g.y, g.z, LB_BODY_MOST);
  lbStatus status = check_material(settings, err);
  if (status) return status;
  if (settings->contacts_most < 1 || settings->contacts_most > CONTACTS_MOST)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "contacts_most is %d; it must be from 1 to %d: start from lb_world_settings()",
                   (int)settings->contacts_most, CONTACTS_MOST);
  lbWorld *world = lb_alloc(1, sizeof *world);
  if (!world) return lb_fail_memory(err);
  world->settings = *settings;
  world->level = lb_simd_best();
  *out = world;
  return LB_OK;
}

static void release_group(lbWorldGroup *group) {
  lb_batch_destroy(group->batch);
  lb_body_destroy(group->single);
  *group = (lbWorldGroup){ 0 };
}

void lb_world_destroy(lbWorld *world) {
  if (!world) return;
  for (int32_t i = 0; i < world->group_count; i++) release_group(&world->groups[i]);
  for (int32_t i = 0; i < world->path_count; i++) lb_path_destroy(world->paths[i]);
  for (int32_t i = 0; i < world->slot_count; i++) lb_placed_destroy(world->slots[i].placed);
  for (int32_t i = 0; i < world->collider_count; i++) lb_solid_destroy(world->colliders[i].solid);
  lb_touch_destroy(world->touch);
  lb_joints_destroy(world->linked);
  lb_free(world->colliders);
  lb_free(world->slots);
  lb_free(world->groups);
  lb_free(world->loads);
  lb_free(world->starting);
  lb_free(world->probes);
  lb_free(world->joints);
  lb_free(world->attachments);
  lb_free(world->paths);
  lb_free(world);
}

void *lb_world_user_data(const lbWorld *world) { return world ? world->settings.user_data : NULL; }
void lb_world_set_user_data(lbWorld *world, void *data) {
  if (world) world->settings.user_data = data;
}
lbVec3 lb_world_gravity(const lbWorld *world) {
  return world ? world->settings.gravity : lb_vec3(0, 0, 0);
}

lbStatus lb_world_set_gravity(lbWorld *world, lbVec3 gravity, lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  lbVec3 before = world->settings.gravity;
  lbStatus status = LB_OK;
  if (!lb_vec3_is_bounded(gravity))
    return lb_fail(err, LB_ERR_ARGUMENT, "gravity is (%g, %g, %g): not a number or beyond %g",
                   gravity.x, gravity.y, gravity.z, LB_BODY_MOST);
  int32_t i = 0;
  for (; i < world->slot_count && !status; i++) {
    lbBody *body = world->slots[i].body;
    if (body && (status = lb_body_set_gravity(body, gravity)) != LB_OK)
      lb_fail(err, status, "%s", lb_body_message(body));
  }
  if (!status) world->settings.gravity = gravity;
  while (status && i-- > 0)
    if (world->slots[i].body) (void)lb_body_set_gravity(world->slots[i].body, before);
  return status;
}

// ---- ids ---------------------------------------------------------------------------------------

lbWorldSlot *lb_world_slot(const lbWorld *world, lbBodyId id) {
  uint64_t number = id & UINT32_MAX;
  if (number == 0 || number > (uint64_t)world->slot_count) return NULL;
  lbWorldSlot *slot = &world->slots[number - 1];
  return slot->body && slot->generation == id >> 32 ? slot : NULL;
}

lbStatus lb_world_refuse_id(lbBodyId id, lbError *err) {
  return lb_fail(err, LB_ERR_ARGUMENT, "the world has no body with the id %llu (any more)",
                 (unsigned long long)id);
}

lbBody *lb_world_body(const lbWorld *world, lbBodyId id) {
  if (!world) return NULL;
  const lbWorldSlot *slot = lb_world_slot(world, id);
  return slot ? slot->body : NULL;
}

int32_t lb_world_body_count(const lbWorld *world) { return world ? world->living : 0; }

lbBodyId lb_world_body_at(const lbWorld *world, int32_t index) {
  if (!world) return 0;
  if (world->living == world->slot_count && index >= 0 && index < world->slot_count)
    return lb_world_id(index, world->slots[index].generation);
  for (int32_t i = 0; i < world->slot_count && index >= 0; i++)
    if (world->slots[i].body && index-- == 0) return lb_world_id(i, world->slots[i].generation);
  return 0;
}

// ---- bodies ------------------------------------------------------------------------------------

static lbStatus make_room(lbWorld *world, int32_t count, lbError *err) {
  if (!lb_grow((void **)&world->slots, &world->slot_room, (size_t)count, sizeof *world->slots))
    return lb_fail_memory(err);
  if (world->slot_count < count) {
    size_t more = (size_t)(count - world->slot_count);
    memset(world->slots + world->slot_count, 0, more * sizeof *world->slots);
    world->slot_count = count;
  }
  return LB_OK;
}

lbStatus lb_world_make_slots(lbWorld *world, int32_t count, int32_t *first, lbError *err) {
  int32_t begin = 0, run = 0;
  // Free places that lie together are used again.
  for (int32_t i = 0; i < world->slot_count && run < count; i++) {
    if (world->slots[i].body)
      run = 0, begin = i + 1;
    else
      run++;
  }
  if (count > INT32_MAX - begin) return lb_fail_memory(err);
  lbStatus status = make_room(world, begin + count, err);
  if (!status) *first = begin;
  return status;
}

static lbStatus make_group(lbWorld *world, int32_t *index, lbError *err) {
  int32_t i = 0;
  while (i < world->group_count && world->groups[i].count > 0) i++;
  if (!lb_grow((void **)&world->groups, &world->group_room, (size_t)i + 1, sizeof *world->groups))
    return lb_fail_memory(err);
  if (i == world->group_count) world->groups[world->group_count++] = (lbWorldGroup){ 0 };
  *index = i;
  return LB_OK;
}

static void enter(lbWorld *world, int32_t group, int32_t slot, lbBody *body) {
  uint32_t generation = world->slots[slot].generation + 1;
  world->slots[slot] =
      (lbWorldSlot){ .generation = generation,
                     .body = body,
                     .group = group,
                     .touches = world->settings.contact && lb_touch_is_possible(body),
                     .material = lb_contact_material() };
  world->groups[group].count++;
  world->groups[group].living++;
  world->living++;
}

// Bodies leave their places as if they had not been added; the places have never had ids.
static void take_out(lbWorld *world, int32_t group, int32_t count, const int32_t *slots) {
  for (int32_t i = 0; i < count; i++) {
    lbWorldSlot *slot = &world->slots[slots[i]];
    lb_placed_destroy(slot->placed);
    *slot = (lbWorldSlot){ .generation = slot->generation - 1 };
  }
  world->living -= count;
  release_group(&world->groups[group]);
}

lbStatus lb_world_add_group(lbWorld *world, const lbModel *model, const lbBatchDef *def,
                            const int32_t *slots, lbError *err) {
  lbBatchDef own = *def;
  lbBatch *batch = NULL;
  int32_t group = 0;
  own.body.gravity = world->settings.gravity;
  lbStatus status = make_group(world, &group, err);
  if (!status) status = lb_batch_create_at(model, &own, world->level, &batch, err);
  if (status) return status;
  world->groups[group].batch = batch;
  for (int32_t i = 0; i < own.count; i++) enter(world, group, slots[i], lb_batch_body(batch, i));
  status = lb_touch_reserve(world, err);
  if (status) take_out(world, group, own.count, slots);
  return status;
}

lbStatus lb_world_add_batch(lbWorld *world, const lbModel *model, const lbBatchDef *def,
                            lbBodyId *ids, lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  if (!model) return lb_refuse_null(err, "model");
  if (!def) return lb_refuse_null(err, "def");
  if (!ids) return lb_refuse_null(err, "ids");
  if (def->count < 1)
    return lb_fail(err, LB_ERR_ARGUMENT, "count is %d; a batch needs bodies", (int)def->count);
  int32_t *slots = lb_alloc((size_t)def->count, sizeof *slots), before = world->slot_count;
  lbStatus status =
      slots ? lb_world_make_slots(world, def->count, slots, err) : lb_fail_memory(err);
  for (int32_t i = 1; i < def->count && !status; i++) slots[i] = slots[0] + i;
  if (!status) status = lb_world_add_group(world, model, def, slots, err);
  for (int32_t i = 0; i < def->count && !status; i++)
    ids[i] = lb_world_id(slots[i], world->slots[slots[i]].generation);
  if (status) world->slot_count = before;
  lb_free(slots);
  return status;
}

static lbStatus check_places(const lbWorld *world, int32_t count, const int32_t *places,
                             lbError *err) {
  for (int32_t i = 0; i < count; i++) {
    int32_t place = places[i];
    if (place < 0 || place == INT32_MAX || (i > 0 && place <= places[i - 1]))
      return lb_fail(err, LB_ERR_ARGUMENT, "places[%d] is %d; they must rise from 0 on", (int)i,
                     (int)place);
    if (place < world->slot_count && world->slots[place].body)
      return lb_fail(err, LB_ERR_ARGUMENT, "places[%d] is %d, where a body is", (int)i, (int)place);
  }
  return LB_OK;
}

lbStatus lb_world_add_batch_at(lbWorld *world, const lbModel *model, const lbBatchDef *def,
                               const int32_t *places, lbBodyId *ids, lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  if (!model) return lb_refuse_null(err, "model");
  if (!def) return lb_refuse_null(err, "def");
  if (!places) return lb_refuse_null(err, "places");
  if (!ids) return lb_refuse_null(err, "ids");
  if (def->count < 1)
    return lb_fail(err, LB_ERR_ARGUMENT, "count is %d; a batch needs bodies", (int)def->count);
  int32_t before = world->slot_count;
  lbStatus status = check_places(world, def->count, places, err);
  if (!status) status = make_room(world, places[def->count - 1] + 1, err);
  if (!status) status = lb_world_add_group(world, model, def, places, err);
  for (int32_t i = 0; i < def->count && !status; i++)
    ids[i] = lb_world_id(places[i], world->slots[places[i]].generation);
  if (status) world->slot_count = before;
  return status;
}

lbStatus lb_world_add(lbWorld *world, const lbModel *model, const lbBodyDef *def, lbBodyId *id,
                      lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  if (!model) return lb_refuse_null(err, "model");
  if (!def) return lb_refuse_null(err, "def");
  if (!id) return lb_refuse_null(err, "id");
  lbBodyDef own = *def;
  lbBody *body = NULL;
  int32_t group = 0, slot = 0, before = world->slot_count;
  own.gravity = world->settings.gravity;
  lbStatus status = lb_world_make_slots(world, 1, &slot, err);
  if (!status) status = make_group(world, &group, err);
  if (!status) status = lb_body_create_at(model, &own, world->level, &body, err);
  if (!status) {
    world->groups[group].single = body;
    enter(world, group, slot, body);
    status = lb_touch_reserve(world, err);
    if (status) take_out(world, group, 1, &slot);
  }
  if (status)
    world->slot_count = before;
  else
    *id = lb_world_id(slot, world->slots[slot].generation);
  return status;
}

lbStatus lb_world_remove(lbWorld *world, lbBodyId id, lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  lbWorldSlot *slot = lb_world_slot(world, id);
  if (!slot) return lb_world_refuse_id(id, err);
  lbWorldGroup *group = &world->groups[slot->group];
  lbStatus status = lb_joints_forget_body(world, id, err);
  if (status) return status;
  for (int32_t i = 0; i < world->load_count; i++)
    if (world->loads[i].used && world->loads[i].load.body == id) world->loads[i].used = false;
  for (int32_t i = 0; i < world->attachment_count; i++)
    if (world->attachments[i].def.body == id) world->attachments[i].used = false;
  lb_sleep_wake(world, (int32_t)(slot - world->slots), true);
  slot->body = NULL;
  lb_placed_destroy(slot->placed);
  slot->placed = NULL;
  slot->path = NULL;
  world->living--;
  if (--group->living == 0) release_group(group);
  return LB_OK;
}

lbStatus lb_world_set_material(lbWorld *world, lbBodyId id, int32_t material, double young,
                               double poisson, double density, lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  const lbWorldSlot *slot = lb_world_slot(world, id);
  if (!slot) return lb_world_refuse_id(id, err);
  const lbWorldGroup *group = &world->groups[slot->group];
  if (group->batch)
    return lb_batch_set_material(group->batch, material, young, poisson, density, err);
  lbStatus status = lb_body_set_material(slot->body, material, young, poisson, density);
  return status ? lb_fail(err, status, "%s", lb_body_message(slot->body)) : LB_OK;
}

// ---- loads -------------------------------------------------------------------------------------

lbLoad lb_load(void) { return (lbLoad){ .from = -INFINITY, .to = INFINITY }; }

bool lb_load_acts(double from, double to, double t, double h) {
  double rounding = 1e-6 * h;
  return from + rounding < t && t <= to + rounding;
}

lbStatus lb_world_add_load(lbWorld *world, const lbLoad *load, lbLoadId *id, lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  if (!load) return lb_refuse_null(err, "load");
  if (!id) return lb_refuse_null(err, "id");
  const lbWorldSlot *slot = lb_world_slot(world, load->body);
  if (!slot) return lb_world_refuse_id(load->body, err);
  lbStatus status = lb_point_check(lb_body_model(slot->body), &load->point, "load", err);
  if (status) return status;
  if (!lb_vec3_is_bounded(load->force))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "load: its force is (%g, %g, %g): not a number or beyond "
                   "%g",
                   load->force.x, load->force.y, load->force.z, LB_BODY_MOST);
  if (isnan(load->from) || isnan(load->to))
    return lb_fail(err, LB_ERR_ARGUMENT, "load: it acts from %g to %g s", load->from, load->to);
  int32_t i = 0;
  while (i < world->load_count && world->loads[i].used) i++;
  if (!lb_grow((void **)&world->loads, &world->load_room, (size_t)i + 1, sizeof *world->loads) ||
      !lb_grow((void **)&world->starting, &world->starting_room, (size_t)i + 1,
               sizeof *world->starting))
    return lb_fail_memory(err);
  if (i == world->load_count) world->loads[world->load_count++] = (lbWorldLoad){ 0 };
  uint32_t generation = world->loads[i].generation + 1;
  world->loads[i] = (lbWorldLoad){ generation, true, *load };
  *id = lb_world_id(i, generation);
  return LB_OK;
}

lbStatus lb_world_remove_load(lbWorld *world, lbLoadId id, lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  uint64_t number = id & UINT32_MAX;
  lbWorldLoad *load =
      number > 0 && number <= (uint64_t)world->load_count ? &world->loads[number - 1] : NULL;
  if (!load || !load->used || load->generation != id >> 32)
    return lb_fail(err, LB_ERR_ARGUMENT, "the world has no load with the id %llu (any more)",
                   (unsigned long long)id);
  load->used = false;
  return LB_OK;
}

// ---- probes ------------------------------------------------------------------------------------

lbStatus lb_world_add_probe(lbWorld *world, lbBodyId body, lbPoint point, int32_t *probe,
                            lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  if (!probe) return lb_refuse_null(err, "probe");
  const lbWorldSlot *slot = lb_world_slot(world, body);
  if (!slot) return lb_world_refuse_id(body, err);
  lbStatus status = lb_point_check(lb_body_model(slot->body), &point, "probe", err);
  if (status) return status;
  size_t count = (size_t)world->probe_count;
  if (count == INT32_MAX ||
      !lb_grow((void **)&world->probes, &world->probe_room, count + 1, sizeof *world->probes))
    return lb_fail_memory(err);
  lbFrame frame = lb_body_frame(slot->body);
  world->probes[count] =
      (lbWorldProbe){ body, point, lb_point_rest(lb_body_model(slot->body), &point), frame.position,
                      frame.rotation };
  *probe = world->probe_count++;
  return LB_OK;
}

int32_t lb_world_probe_count(const lbWorld *world) { return world ? world->probe_count : 0; }

// Exactly the displacement in the frame, turned, where the frame is as it was.
static lbStatus displace(const lbWorldProbe *probe, const lbBody *body, lbVec3 *out, lbError *err) {
  lbFrame now = lb_body_frame(body);
  lbVec3 own;
  if (lb_body_point_displacement(body, &probe->point, &own)) return lb_fail_memory(err);
  lbVec3 carried = lb_sub(lb_quat_rotate(now.rotation, probe->rest),
                          lb_quat_rotate(probe->rotation, probe->rest));
  carried = lb_add(carried, lb_sub(now.position, probe->position));
  *out = lb_add(carried, lb_quat_rotate(now.rotation, own));
  return LB_OK;
}

lbStatus lb_world_probe(const lbWorld *world, int32_t index, lbVec3 *rest, lbVec3 *displacement,
                        lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  if (index < 0 || index >= world->probe_count)
    return lb_fail(err, LB_ERR_ARGUMENT, "probe %d of a world that has %d", (int)index,
                   (int)world->probe_count);
  const lbWorldProbe *probe = &world->probes[index];
  const lbWorldSlot *slot = lb_world_slot(world, probe->body);
  if (!slot) return lb_world_refuse_id(probe->body, err);
  if (rest) *rest = lb_add(probe->position, lb_quat_rotate(probe->rotation, probe->rest));
  return displacement ? displace(probe, slot->body, displacement, err) : LB_OK;
}
