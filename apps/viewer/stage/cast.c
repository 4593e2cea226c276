// Which actors there are: one for each group, or in a comparison one for each of its methods, side
// by side, all of them in one world; and how bodies keep their shape when actors are made anew.
#include "stage/stage_parts.h"
#include "stage/unreduced.h"

#include <stdio.h>
#include <string.h>

enum { FULL_NODES_MOST = 2000 }; // beyond, a step takes longer than anybody's patience

static bool full_is_possible(const vwStage *stage, const vwGroup *group) {
  return stage->def.full && !(group->driven && lb_model_is_free(group->model)) &&
         (int64_t)group->model->size.node_count * group->count <= FULL_NODES_MOST;
}

bool vw_group_has(const vwStage *stage, const vwGroup *group, lbMethod method) {
  if (method != LB_METHOD_FULL) return lb_model_has(group->model, method);
  return full_is_possible(stage, group) || group->method == LB_METHOD_FULL;
}

int32_t vw_group_dimension(const vwGroup *group, lbMethod method) {
  lbModelMethod view;
  bool has = method != LB_METHOD_RECORDED && lb_model_method(group->model, method, &view);
  return has && view.basis ? view.dimension : 0;
}

lbMethod vw_group_method(const vwStage *stage, const vwGroup *group, const vwSettings *settings) {
  lbMethod method = stage->methods[(int32_t)settings->method];
  if (group->method == LB_METHOD_RIGID) return LB_METHOD_RIGID; // it has no other
  return method == LB_METHOD_DEFAULT ? group->method : method;
}

// World axes; the world's own vector until the settings change it.
lbVec3 vw_stage_gravity(const vwStage *stage, const vwSettings *s) {
  const vwSettings *start = &stage->start;
  if (s->gravity_on == 0) return lb_vec3(0, 0, 0);
  if (start->gravity_on != 0 && s->gravity == start->gravity &&
      s->gravity_azimuth == start->gravity_azimuth &&
      s->gravity_elevation == start->gravity_elevation)
    return stage->world_gravity;
  double azimuth = s->gravity_azimuth * LB_PI / 180, slope = s->gravity_elevation * LB_PI / 180;
  double level = fabs(s->gravity_elevation) == 90 ? 0 : cos(slope);
  double x = level * cos(azimuth), y = level * sin(azimuth), height = sin(slope);
  lbVec3 direction = stage->up == 'y' ? lb_vec3(x, height, -y) : lb_vec3(x, y, height);
  return lb_scale(s->gravity, direction);
}

// ---- making ------------------------------------------------------------------------------------

static void write_label(vwRole *role) {
  const vwActor *actor = role->actor;
  const char *name = lb_method_name(actor->method);
  if (actor->method == LB_METHOD_RIGID)
    snprintf(role->label, sizeof role->label, "%s", name);
  else if (actor->dimension > 0)
    snprintf(role->label, sizeof role->label, "%s, r = %d", name, (int)actor->dimension);
  else
    snprintf(role->label, sizeof role->label, "%s, %d nodes", name,
             (int)actor->model->size.node_count);
}

static bool same_material(const vwSettings *a, const vwSettings *b) {
  return a->young == b->young && a->poisson == b->poisson && a->density == b->density;
}

// Constraints take memory by the square of their number.
static int32_t room_for_holds(int32_t count) {
  return count <= 4 ? 64 : count <= 16 ? 32 : count <= 64 ? 16 : 4;
}

static lbBodyDef body_def(const vwStage *stage, const vwSettings *s, const vwGroup *group,
                          lbMethod method) {
  lbBodyDef def = stage->body_def;
  def.recover = true; // bodies that a drag got stuck return to rest
  bool chosen = method == vw_group_method(stage, group, s) &&
                s->dimension < vw_group_dimension(group, method);
  bool damped =
      method != LB_METHOD_RIGID && (s->damping_mass != stage->start.damping_mass ||
                                    s->damping_stiffness != stage->start.damping_stiffness);
  def.method = method;
  def.frame = group->driven ? LB_FRAME_DRIVEN : LB_FRAME_DEFAULT;
  def.mode_count = chosen ? (int32_t)s->dimension : 0;
  if (damped) def.damping_mass = s->damping_mass, def.damping_stiffness = s->damping_stiffness;
  def.constrained_points = room_for_holds(group->count);
  def.gravity = vw_stage_gravity(stage, s);
  if (method == LB_METHOD_FULL) vw_unreduced_def(&def);
  return def;
}

static lbStatus create_role(const vwStage *stage, const vwSettings *s, int32_t number, int32_t copy,
                            lbMethod method, lbVec3 shift, vwCast *cast, lbError *err) {
  const vwGroup *group = &stage->groups[number];
  vwRole *role = &cast->roles[cast->count++];
  lbVec3 *positions = lb_alloc((size_t)group->count, sizeof *positions);
  int32_t *places = lb_alloc((size_t)group->count, sizeof *places);
  if (!positions || !places) {
    lb_free(positions);
    lb_free(places);
    return lb_fail_memory(err);
  }
  for (int32_t i = 0; i < group->count; i++) {
    positions[i] = lb_add(lb_add(group->positions[i], shift), vw_drop_lift(stage));
    places[i] = copy * stage->body_count + group->numbers[i];
  }
  vwActorPlan plan = {
    .model = group->model,
    .bodies = { .count = group->count,
                .body = body_def(stage, s, group, method),
                .positions = positions,
                .rotations = group->rotations },
    .paths = group->driven ? group->paths : NULL,
    .linear = group->linear,
    .shapes = group->shapes,
    .angular = group->angular,
    .shift = shift,
    .places = places,
    .untouchable = vw_stage_touches(stage) ? group->untouchable : NULL,
    .contact_materials = group->contact_materials,
    .filters = group->filters,
    .contact_frames = group->contact_frames,
    .materials =
        same_material(s, &stage->start) || method == LB_METHOD_RIGID ? NULL : group->materials,
  };
  role->group = number;
  role->shift = shift;
  lbStatus status =
      vw_actor_create(cast->world, &plan, full_is_possible(stage, group), &role->actor, err);
  if (!status) write_label(role);
  if (!status && s->springs != stage->start.springs)
    status = vw_actor_set_springs(role->actor, s->springs != 0, err);
  lb_free(positions);
  lb_free(places);
  return status;
}

// Copies stand side by side across the view, far enough apart not to touch when they bend.
static lbVec3 copy_shift(const vwStage *stage, int32_t copy) {
  lbVec3 side = lb_sub(stage->box.high, stage->box.low), way = stage->across;
  double width = fabs(way.x) * side.x + fabs(way.y) * side.y + fabs(way.z) * side.z;
  return lb_scale(1.3 * fmax(width, 0.6 * stage->size) * copy, way);
}

static lbStatus fill_group(const vwStage *stage, const vwSettings *s, int32_t number, vwCast *cast,
                           lbError *err) {
  const vwGroup *group = &stage->groups[number];
  lbStatus status = LB_OK;
  if (s->compare == 0)
    return create_role(stage, s, number, 0, vw_group_method(stage, group, s), lb_vec3(0, 0, 0),
                       cast, err);
  int32_t copy = 0;
  for (int32_t i = 0; i < stage->method_count && !status; i++) {
    if (stage->methods[i] == LB_METHOD_DEFAULT) continue;
    lbMethod method = group->method == LB_METHOD_RIGID ? LB_METHOD_RIGID : stage->methods[i];
    status = create_role(stage, s, number, copy, method, copy_shift(stage, copy), cast, err);
    copy++;
  }
  return status;
}

// Each load on each role of its group.
static lbStatus add_cast_loads(const vwStage *stage, const vwCast *cast, lbError *err) {
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < stage->load_count; i++)
    for (int32_t k = 0; k < cast->count && !status; k++) {
      const vwLoad *from = &stage->loads[i];
      const vwActor *actor = cast->roles[k].actor;
      lbLoad load = from->load;
      lbLoadId unused;
      if (cast->roles[k].group != from->group || !actor->ids) continue;
      load.body = actor->ids[from->member];
      status = lb_world_add_load(cast->world, &load, &unused, err);
    }
  return status;
}

// The same of attachments; recordings follow nothing.
static lbStatus attach_bodies(const vwStage *stage, const vwCast *cast, lbError *err) {
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < stage->attachment_count; i++)
    for (int32_t k = 0; k < cast->count && !status; k++) {
      const vwAttachment *from = &stage->attachments[i];
      const vwActor *actor = cast->roles[k].actor;
      lbAttachment at = from->def;
      lbAttachmentId unused;
      bool plays = actor->method == LB_METHOD_RECORDED;
      if (cast->roles[k].group != from->group || !actor->ids || plays) continue;
      at.body = actor->ids[from->member];
      at.shift = cast->roles[k].shift;
      status = lb_world_attach(cast->world, &at, &unused, err);
    }
  return status;
}

// Fixed frames along their paths, in each role of the body's group.
static lbStatus lead_frames(const vwStage *stage, const vwCast *cast, lbError *err) {
  const lbWorldDef *world = stage->bundle->world;
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < stage->lead_count; i++)
    for (int32_t k = 0; k < cast->count && !status; k++) {
      const vwLead *from = &stage->leads[i];
      const vwActor *actor = cast->roles[k].actor;
      if (cast->roles[k].group != from->group || !actor->ids) continue;
      if (actor->method != LB_METHOD_FRAMES) continue;
      status = lb_world_drive_joint(cast->world, actor->ids[from->member], world->lead_frames[i],
                                    stage->paths[world->lead_paths[i]],
                                    lb_vec3_load(world->lead_arms + 3 * (size_t)i), err);
    }
  return status;
}

static lbStatus keep_beginning(vwCast *cast, lbError *err) {
  cast->beginning_bytes = lb_world_state_bytes(cast->world);
  cast->beginning = lb_alloc(cast->beginning_bytes, 1);
  if (!cast->beginning) return lb_fail_memory(err);
  return lb_world_save_state(cast->world, cast->beginning, cast->beginning_bytes, err);
}

static void set_contact_material(lbContactMaterial material, lbWorldSettings *world) {
  world->friction = material.friction;
  world->compliance = material.compliance;
  world->restitution = material.restitution;
  world->rolling_friction = material.rolling_friction;
}

lbStatus vw_cast_create(const vwStage *stage, const vwSettings *settings, vwCast *out,
                        lbError *err) {
  vwCast cast = { 0 };
  lbWorldSettings world = lb_world_settings();
  world.gravity = vw_stage_gravity(stage, settings);
  world.contact = vw_stage_touches(stage);
  if (stage->contact) set_contact_material(stage->contact_material, &world);
  world.self = stage->self;
  world.substeps = stage->substeps;
  world.substeps_max = stage->substeps_max;
  world.contacts_most = LB_SCENE_CONTACTS_MOST;
  cast.roles = lb_alloc((size_t)stage->group_count * VW_COPIES, sizeof(vwRole));
  lbStatus status = cast.roles ? lb_world_create(&world, &cast.world, err) : lb_fail_memory(err);
  for (int32_t g = 0; g < stage->group_count && !status; g++)
    status = fill_group(stage, settings, g, &cast, err);
  if (!status) status = vw_cast_add_colliders(stage, &cast, err);
  if (!status) status = vw_cast_add_joints(stage, &cast, err);
  if (!status) status = vw_drop_add_ground(stage, &cast, err);
  if (!status) status = add_cast_loads(stage, &cast, err);
  if (!status) status = attach_bodies(stage, &cast, err);
  if (!status) status = lead_frames(stage, &cast, err);
  if (!status) status = keep_beginning(&cast, err);
  if (status)
    vw_cast_release(&cast);
  else
    *out = cast;
  return status;
}

void vw_cast_release(vwCast *cast) {
  for (int32_t i = 0; cast->roles && i < cast->count; i++) vw_actor_destroy(cast->roles[i].actor);
  lb_world_destroy(cast->world);
  lb_free(cast->beginning);
  lb_free(cast->colliders);
  lb_free(cast->roles);
  *cast = (vwCast){ 0 };
}

// ---- time --------------------------------------------------------------------------------------

// The state of the beginning is of bodies with the materials and damping that there were then:
// after a change of these, the same bodies are made once more.
lbStatus vw_cast_restart(vwStage *stage, lbError *err) {
  vwCast *cast = &stage->cast;
  if (cast->changed) {
    vwCast fresh;
    lbStatus status = vw_cast_create(stage, &stage->settings, &fresh, err);
    if (status) return status;
    vw_cast_release(cast);
    *cast = fresh;
    return LB_OK;
  }
  lbStatus status =
      lb_world_restore_state(cast->world, cast->beginning, cast->beginning_bytes, err);
  if (!status) vw_cast_set_gravity(stage, vw_stage_gravity(stage, &stage->settings));
  return status;
}

void vw_cast_set_gravity(vwStage *stage, lbVec3 gravity) {
  (void)lb_world_set_gravity(stage->cast.world, gravity, NULL); // settings are bounded
}

int32_t vw_cast_step(vwStage *stage, double dt) {
  const vwCast *cast = &stage->cast;
  for (int32_t i = 0; i < cast->count; i++)
    if (cast->roles[i].actor->unreduced && !vw_stage_touches(stage)) // what touches goes in step
      vw_unreduced_pace(cast->roles[i].actor, cast->world, dt);
  int32_t flags = lb_world_step(cast->world, dt), own = 0;
  for (int32_t i = 0; i < cast->count; i++) {
    const vwActor *actor = cast->roles[i].actor;
    if (actor->unreduced)
      own |= vw_unreduced_watch(actor, cast->world);
    else
      for (int32_t b = 0; actor->ids && b < actor->count && flags; b++)
        own |= lb_world_body_flags(cast->world, actor->ids[b]);
  }
  return own | (flags & LB_STEP_REFUSED);
}

// ---- keeping shape and speed -------------------------------------------------------------------

// The role whose state a new one takes over: of the same method, else the present one, else any.
static const vwRole *find_source(const vwStage *stage, const vwCast *from, const vwSettings *before,
                                 const vwRole *to) {
  lbMethod used = vw_group_method(stage, &stage->groups[to->group], before);
  const vwRole *best = NULL;
  int rank = 0;
  for (int32_t i = 0; i < from->count; i++) {
    const vwRole *role = &from->roles[i];
    if (role->group != to->group) continue;
    int this_rank = role->actor->method == to->actor->method ? 3
                    : role->actor->method == used            ? 2
                                                             : 1;
    if (this_rank > rank) {
      best = role;
      rank = this_rank;
    }
  }
  return best;
}

void vw_cast_carry(vwStage *stage, const vwCast *from, const vwSettings *before, vwCast *to) {
  (void)lb_world_set_time(to->world, lb_world_time(from->world), NULL);
  for (int32_t i = 0; i < to->count; i++) {
    const vwRole *source = find_source(stage, from, before, &to->roles[i]);
    const vwRole *role = &to->roles[i];
    bool moves = source && source->actor->bodies && !role->actor->idle;
    for (int32_t b = 0; moves && b < role->actor->count; b++)
      (void)lb_body_adopt_motion(role->actor->bodies[b], source->actor->bodies[b],
                                 lb_sub(role->shift, source->shift));
  }
}
