// Which actors there are: one for each group, or in a comparison one for each of its methods, side
// by side; and how bodies keep their shape when actors are made anew.
#include "stage/stage_parts.h"

#include <stdio.h>
#include <string.h>

enum { FULL_NODES_MOST = 2000 }; // beyond, a step takes longer than anybody's patience

static bool full_is_possible(const vwStage *stage, const vwGroup *group) {
  return stage->def.full && !group->driven &&
         (int64_t)group->model->size.node_count * group->count <= FULL_NODES_MOST;
}

bool vw_group_has(const vwStage *stage, const vwGroup *group, lbMethod method) {
  if (method != LB_METHOD_FULL) return lb_model_has(group->model, method);
  return full_is_possible(stage, group) || group->method == LB_METHOD_FULL;
}

int32_t vw_group_dimension(const vwGroup *group, lbMethod method) {
  lbModelMethod view;
  bool has = method != LB_METHOD_RECORDED && lb_model_method(group->model, method, &view);
  return has ? view.dimension : 0;
}

lbMethod vw_group_method(const vwStage *stage, const vwGroup *group, const vwSettings *settings) {
  lbMethod method = stage->methods[(int32_t)settings->method];
  return method == LB_METHOD_DEFAULT ? group->method : method;
}

// World axes; the world's own vector as long as nobody has touched the settings.
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

static const vwActorKind *kind_of(const vwStage *stage, const vwGroup *group, lbMethod method) {
  if (method != LB_METHOD_FULL) return &vw_reduced_kind;
  return full_is_possible(stage, group) ? stage->def.full : &vw_still_kind;
}

static void write_label(vwRole *role) {
  const vwActor *actor = role->actor;
  const char *name = lb_method_name(actor->method);
  if (actor->dimension > 0)
    snprintf(role->label, sizeof role->label, "%s, r = %d", name, (int)actor->dimension);
  else
    snprintf(role->label, sizeof role->label, "%s, %d nodes", name,
             (int)actor->model->size.node_count);
}

static bool same_material(const vwSettings *a, const vwSettings *b) {
  return a->young == b->young && a->poisson == b->poisson && a->density == b->density;
}

static lbStatus create_role(const vwStage *stage, const vwSettings *s, int32_t number,
                            lbMethod method, lbVec3 shift, vwRole *role, lbError *err) {
  const vwGroup *group = &stage->groups[number];
  lbVec3 *positions = lb_alloc((size_t)group->count, sizeof *positions);
  if (!positions) return lb_fail_memory(err);
  for (int32_t i = 0; i < group->count; i++) positions[i] = lb_add(group->positions[i], shift);
  int32_t most = vw_group_dimension(group, method);
  bool chosen = method == vw_group_method(stage, group, s) && s->dimension < most;
  bool damped = s->damping_mass != stage->start.damping_mass ||
                s->damping_stiffness != stage->start.damping_stiffness;
  vwActorPlan plan = {
    .model = group->model,
    .method = method,
    .count = group->count,
    .positions = positions,
    .rotations = group->rotations,
    .paths = group->driven ? group->paths : NULL,
    .shift = shift,
    .gravity = vw_stage_gravity(stage, s),
    .dimension = chosen ? (int32_t)s->dimension : 0,
    .damping_mass = damped ? s->damping_mass : NAN,
    .damping_stiffness = damped ? s->damping_stiffness : NAN,
    .materials = same_material(s, &stage->start) ? NULL : group->materials,
    .rate = s->rate,
    .newton_iterations = stage->newton_iterations,
    .newton_tolerance = stage->newton_tolerance,
    .integrator = stage->integrator,
  };
  role->group = number;
  role->shift = shift;
  lbStatus status = vw_actor_create(kind_of(stage, group, method), &plan, &role->actor, err);
  if (!status) write_label(role);
  lb_free(positions);
  return status;
}

// Copies stand side by side along x, far enough apart not to touch when they bend.
static lbVec3 copy_shift(const vwStage *stage, int32_t copy) {
  double width = fmax(stage->box.high.x - stage->box.low.x, 0.6 * stage->size);
  return lb_vec3(1.3 * width * copy, 0, 0);
}

static lbStatus fill_group(const vwStage *stage, const vwSettings *s, int32_t number, vwCast *cast,
                           lbError *err) {
  const vwGroup *group = &stage->groups[number];
  lbStatus status = LB_OK;
  if (s->compare == 0)
    return create_role(stage, s, number, vw_group_method(stage, group, s), lb_vec3(0, 0, 0),
                       &cast->roles[cast->count++], err);
  int32_t copy = 0;
  for (int32_t i = 0; i < stage->method_count && !status; i++) {
    if (stage->methods[i] == LB_METHOD_DEFAULT) continue;
    status = create_role(stage, s, number, stage->methods[i], copy_shift(stage, copy++),
                         &cast->roles[cast->count++], err);
  }
  return status;
}

lbStatus vw_cast_create(const vwStage *stage, const vwSettings *settings, vwCast *out,
                        lbError *err) {
  vwCast cast = { 0 };
  cast.roles = lb_alloc((size_t)stage->group_count * VW_COPIES, sizeof(vwRole));
  lbStatus status = cast.roles ? LB_OK : lb_fail_memory(err);
  for (int32_t g = 0; g < stage->group_count && !status; g++)
    status = fill_group(stage, settings, g, &cast, err);
  if (status)
    vw_cast_release(&cast);
  else
    *out = cast;
  return status;
}

void vw_cast_release(vwCast *cast) {
  for (int32_t i = 0; cast->roles && i < cast->count; i++) vw_actor_destroy(cast->roles[i].actor);
  lb_free(cast->roles);
  *cast = (vwCast){ 0 };
}

void vw_cast_restart(vwStage *stage) {
  for (int32_t i = 0; i < stage->cast.count; i++) {
    const vwRole *role = &stage->cast.roles[i];
    const vwGroup *group = &stage->groups[role->group];
    role->actor->kind->restart(role->actor, group->linear, group->angular);
  }
}

// ---- keeping shape and speed -------------------------------------------------------------------

// What a new role goes on from: the same method, else the one that was in use, else any.
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

// Displacements and velocities of nodes relative to one frame -> relative to another that stands.
static void change_frame(const vwStage *stage, const lbModel *m, const lbFrame *from,
                         const lbFrame *to) {
  lbVec3 centre = lb_vec3_load(m->rigid_centre);
  lbQuat back = lb_quat_conjugate(to->rotation);
  for (size_t n = 0; n < (size_t)m->size.node_count; n++) {
    double *u = stage->nodes[0] + 3 * n, *v = stage->nodes[1] + 3 * n;
    lbVec3 rest = lb_vec3_load(m->node_positions + 3 * n), own = lb_add(rest, lb_vec3_load(u));
    lbVec3 place = lb_add(from->position, lb_quat_rotate(from->rotation, own));
    lbVec3 arm = lb_quat_rotate(from->rotation, lb_sub(own, centre));
    lbVec3 speed = lb_add(lb_quat_rotate(from->rotation, lb_vec3_load(v)),
                          lb_add(from->linear_velocity, lb_cross(from->angular_velocity, arm)));
    lb_vec3_store(u, lb_sub(lb_quat_rotate(back, lb_sub(place, to->position)), rest));
    lb_vec3_store(v, lb_quat_rotate(back, speed));
  }
}

static void carry_body(vwStage *stage, const vwRole *source, vwRole *role, int32_t body) {
  const vwActor *from = source->actor;
  vwActor *to = role->actor;
  bool alike = from->dimension > 0 && from->dimension == to->dimension &&
               from->method == to->method && from->kind == to->kind;
  lbFrame before = from->kind->frame(from, body);
  before.position = lb_add(before.position, lb_sub(role->shift, source->shift));
  to->kind->set_frame(to, body, &before, vw_stage_time(stage));
  if (alike) {
    from->kind->state(from, body, stage->coordinates, stage->rates);
    (void)to->kind->set_state(to, body, stage->coordinates, stage->rates);
  } else {
    lbFrame after = to->kind->frame(to, body);
    from->kind->motion(from, body, stage->nodes[0], stage->nodes[1]);
    if (memcmp(&after, &before, sizeof after) != 0)
      change_frame(stage, from->model, &before, &after);
    (void)to->kind->set_motion(to, body, stage->nodes[0], stage->nodes[1]);
  }
  // Once more: the spin of a free body depends on its shape.
  to->kind->set_frame(to, body, &before, vw_stage_time(stage));
}

void vw_cast_carry(vwStage *stage, const vwCast *from, const vwSettings *before, vwCast *to) {
  for (int32_t i = 0; i < to->count; i++) {
    const vwRole *source = find_source(stage, from, before, &to->roles[i]);
    vwActor *actor = to->roles[i].actor;
    for (int32_t b = 0; source && !actor->idle && b < actor->count; b++)
      carry_body(stage, source, &to->roles[i], b);
    double time = vw_stage_time(stage);
    if (actor->idle && time > 0) // recordings go by their time
      (void)actor->kind->step(actor, &(vwStep){ 0, time, time });
  }
}
