// Settings: what each control may be in this scene, and bodies that follow.
#include "stage/pose.h"
#include "stage/stage_parts.h"

#include <stdio.h>
#include <string.h>

#define MODE_RATE 0.5  // swings a second of a shown mode
#define MODE_SHARE 0.1 // of the body's size: its amplitude

// ---- what a control may be ---------------------------------------------------------------------

static void disable(vwControlState *state, const char *why) {
  if (!state->enabled) return;
  state->enabled = false;
  snprintf(state->why, sizeof state->why, "%s", why);
}

static int32_t real_method_count(const vwStage *stage) {
  return stage->method_count - (stage->methods[0] == LB_METHOD_DEFAULT);
}

static void limit_method(const vwStage *stage, vwControlState *state) {
  size_t at = 0;
  state->high = stage->method_count - 1;
  memset(state->choices, 0, sizeof state->choices);
  for (int32_t i = 0; i < stage->method_count; i++) {
    lbMethod method = stage->methods[i];
    const char *name = method == LB_METHOD_DEFAULT ? "as given" : lb_method_name(method);
    size_t length = strlen(name) + 1;
    if (at + length + 1 > sizeof state->choices) break;
    memcpy(state->choices + at, name, length);
    at += length;
  }
  if (stage->method_count < 2) disable(state, "the model has one method only");
}

// Vectors of the method in use, of the group that has most.
static int32_t most_vectors(const vwStage *stage, const vwSettings *settings) {
  int32_t most = 0;
  for (int32_t g = 0; g < stage->group_count; g++) {
    const vwGroup *group = &stage->groups[g];
    int32_t count = vw_group_dimension(group, vw_group_method(stage, group, settings));
    most = count > most ? count : most;
  }
  return most;
}

static void limit_dimension(const vwStage *stage, const vwSettings *settings,
                            vwControlState *state) {
  int32_t most = most_vectors(stage, settings);
  state->high = most > 1 ? most : 1;
  state->initial = state->high;
  if (most == 0) disable(state, "this method has no basis");
  if (most == 1) disable(state, "the basis has one vector only");
}

static void limit_mode(const vwStage *stage, const vwSettings *settings, vwControlState *state) {
  int32_t most = most_vectors(stage, settings);
  if (most > settings->dimension) most = (int32_t)settings->dimension;
  state->high = most;
  if (most == 0) disable(state, "this method has no basis");
}

static bool has_young(const lbModel *m) {
  for (int32_t i = 0; i < m->size.material_count; i++)
    if (!(m->material_values[6 * (size_t)i] > 0)) return false;
  return true;
}

static void limit_material(const vwStage *stage, vwControlState *state) {
  for (int32_t i = 0; i < stage->cast.count; i++) {
    const vwActor *actor = stage->cast.roles[i].actor;
    if (actor->method == LB_METHOD_RIGID) continue;
    const char *why = vw_actor_fixed_material(actor);
    if (why) disable(state, why);
    if (!has_young(actor->model)) disable(state, "the material has no Young's modulus");
  }
}

static bool has_frames(const vwStage *stage) {
  for (int32_t i = 0; i < stage->cast.count; i++)
    if (vw_stage_frame_count(stage, i, 0) > 0) return true;
  return false;
}

static bool all_idle(const vwStage *stage) {
  for (int32_t i = 0; i < stage->cast.count; i++)
    if (!stage->cast.roles[i].actor->idle) return false;
  return true;
}

static void around_initial(vwControlState *state, double factor) {
  if (!(state->initial > 0)) return;
  state->low = state->initial / factor;
  state->high = state->initial * factor;
}

// Limits that the scene gives.
static void limit(const vwStage *stage, const vwSettings *s, size_t offset, vwControlState *state) {
  switch (offset) {
  case offsetof(vwSettings, method): limit_method(stage, state); break;
  case offsetof(vwSettings, compare):
    if (real_method_count(stage) < 2) disable(state, "the model has one method only");
    if (!vw_colliders_are_level(stage)) disable(state, "colliders exist only once");
    break;
  case offsetof(vwSettings, drop):
    if (vw_drop_refusal(stage)) disable(state, vw_drop_refusal(stage));
    break;
  case offsetof(vwSettings, springs):
    if (!has_frames(stage)) disable(state, "no body here moves by frames");
    break;
  case offsetof(vwSettings, dimension): limit_dimension(stage, s, state); break;
  case offsetof(vwSettings, mode): limit_mode(stage, s, state); break;
  case offsetof(vwSettings, young):
    around_initial(state, 100);
    limit_material(stage, state);
    break;
  case offsetof(vwSettings, density):
    around_initial(state, 10);
    limit_material(stage, state);
    break;
  case offsetof(vwSettings, poisson):
    state->low = fmin(state->low, state->initial);
    state->high = fmax(state->high, state->initial);
    limit_material(stage, state);
    break;
  case offsetof(vwSettings, damping_mass):
  case offsetof(vwSettings, damping_stiffness):
    state->high = fmax(state->high, 4 * state->initial);
    if (all_idle(stage)) disable(state, "a recording cannot be changed");
    break;
  case offsetof(vwSettings, gravity): state->high = fmax(state->high, 4 * state->initial); break;
  case offsetof(vwSettings, poke): around_initial(state, 30); break;
  default: break;
  }
}

static void copy_choices(const char *from, vwControlState *state) {
  size_t at = 0;
  for (; *from && at + strlen(from) + 2 <= sizeof state->choices; from += strlen(from) + 1) {
    memcpy(state->choices + at, from, strlen(from) + 1);
    at += strlen(from) + 1;
  }
}

void vw_stage_control(const vwStage *stage, const vwSettings *settings, int32_t number,
                      vwControlState *state) {
  const vwControl *control = vw_control(number);
  memset(state, 0, sizeof *state);
  if (!control) return;
  state->enabled = true;
  if (control->kind == VW_BUTTON) return;
  vwSettings now = *settings, start = stage->start;
  state->value = *vw_settings_value(&now, number);
  state->initial = *vw_settings_value(&start, number);
  state->low = control->low;
  state->high = control->high;
  if (control->choices) copy_choices(control->choices, state);
  limit(stage, settings, control->offset, state);
}

// ---- modes -------------------------------------------------------------------------------------

static size_t all_coordinates(const vwStage *stage) {
  size_t count = 0;
  for (int32_t i = 0; i < stage->cast.count; i++)
    count +=
        (size_t)stage->cast.roles[i].actor->count * (size_t)stage->cast.roles[i].actor->dimension;
  return count;
}

void vw_mode_begin(vwStage *stage) {
  if (!stage->saved) {
    stage->saved = lb_alloc(all_coordinates(stage), 2 * sizeof(double));
    double *next = stage->saved;
    for (int32_t i = 0; stage->saved && i < stage->cast.count; i++) {
      const vwActor *actor = stage->cast.roles[i].actor;
      size_t r = (size_t)actor->dimension;
      for (int32_t b = 0; b < actor->count && r > 0; b++, next += 2 * r)
        lb_body_get_state(actor->bodies[b], next, next + r);
    }
    stage->mode_time = 0.25 / MODE_RATE; // at its widest
  }
  if (stage->saved) vw_mode_show(stage);
}

void vw_mode_forget(vwStage *stage) {
  lb_free(stage->saved);
  stage->saved = NULL;
}

void vw_mode_end(vwStage *stage) {
  const double *next = stage->saved;
  for (int32_t i = 0; next && i < stage->cast.count; i++) {
    vwActor *actor = stage->cast.roles[i].actor;
    size_t r = (size_t)actor->dimension;
    for (int32_t b = 0; b < actor->count && r > 0; b++, next += 2 * r)
      (void)lb_body_set_state(actor->bodies[b], next, next + r);
  }
  vw_mode_forget(stage);
}

// q = a sin(2 pi f t) e_i, with a such that the farthest node moves by a tenth of the body.
static void show_mode(vwStage *stage, vwActor *actor, int32_t mode) {
  double *q = stage->coordinates, *v = stage->rates;
  size_t bytes = (size_t)actor->dimension * sizeof(double);
  memset(q, 0, bytes);
  memset(v, 0, bytes);
  if (mode < actor->dimension) q[mode] = 1;
  (void)lb_body_set_state(actor->bodies[0], q, v);
  double reach = lb_body_reach(actor->bodies[0]);
  double swing = sin(2 * LB_PI * MODE_RATE * stage->mode_time);
  if (mode < actor->dimension)
    q[mode] = reach > 0 ? MODE_SHARE * 2 * actor->radius / reach * swing : 0;
  for (int32_t b = 0; b < actor->count; b++) (void)lb_body_set_state(actor->bodies[b], q, v);
}

void vw_mode_show(vwStage *stage) {
  for (int32_t i = 0; i < stage->cast.count; i++) {
    vwActor *actor = stage->cast.roles[i].actor;
    if (!actor->idle && actor->dimension > 0)
      show_mode(stage, actor, (int32_t)stage->settings.mode - 1);
  }
}

// ---- following ---------------------------------------------------------------------------------

// Values within their limits, whole where they must be; a setting that is of no use here is put
// back. Returns the first refusal.
static lbStatus sanitise_one(const vwStage *stage, vwSettings *settings, int32_t number,
                             lbError *err) {
  const vwControl *control = vw_control(number);
  double *value = vw_settings_value(settings, number);
  vwSettings present = stage->settings;
  double before = *vw_settings_value(&present, number);
  if (isnan(*value)) *value = before;
  vwControlState state;
  vw_stage_control(stage, settings, number, &state);
  if (control->kind != VW_SLIDER && control->kind != VW_LOG_SLIDER) *value = round(*value);
  if (control->whole) *value = round(*value);
  if (!state.enabled && *value != before) {
    *value = before;
    return lb_fail(err, LB_ERR_UNSUPPORTED, "%s: %s", control->label, state.why);
  }
  *value = *value == before ? before : vw_clamp(*value, state.low, state.high);
  return LB_OK;
}

static lbStatus sanitise(const vwStage *stage, vwSettings *settings, lbError *err) {
  lbStatus first = LB_OK;
  for (int32_t i = 0; i < vw_control_count(); i++) {
    if (vw_control(i)->kind == VW_BUTTON) continue;
    lbStatus status = sanitise_one(stage, settings, i, first ? NULL : err);
    if (!first) first = status;
    // Another method starts with all its vectors, unless a number is set.
    int32_t most = most_vectors(stage, settings);
    if (vw_control(i)->offset == offsetof(vwSettings, method) && most > 0 &&
        settings->method != stage->settings.method &&
        settings->dimension == stage->settings.dimension)
      settings->dimension = most;
  }
  return first;
}

// Of several materials Young's modulus and density change by one factor; Poisson's ratio is set
// where there is one material only.
static void fill_materials(vwStage *stage, const vwSettings *s) {
  double young = s->young / stage->start.young, density = s->density / stage->start.density;
  bool single = stage->group_count == 1 && stage->groups[0].model->size.material_count == 1;
  for (int32_t g = 0; g < stage->group_count; g++) {
    const vwGroup *group = &stage->groups[g];
    for (size_t i = 0; i < (size_t)group->model->size.material_count; i++) {
      const double *from = group->model->material_values + 6 * i;
      double *to = group->materials + 3 * i;
      to[0] = young == 1 ? from[0] : young * from[0];
      to[1] = single ? s->poisson : from[1];
      to[2] = density == 1 ? from[2] : density * from[2];
    }
  }
}

static lbStatus recast_edited(vwStage *stage, const vwSettings *settings, lbError *err) {
  vwCast cast;
  lbStatus status = vw_cast_create(stage, settings, &cast, err);
  if (status) return status;
  vw_cast_carry(stage, &stage->cast, &stage->settings, &cast);
  vw_cast_release(&stage->cast);
  stage->cast = cast;
  stage->generation++;
  return LB_OK;
}

static lbStatus set_edit_materials(vwStage *stage, lbError *err) {
  stage->cast.changed = true;
  for (int32_t i = 0; i < stage->cast.count; i++) {
    const vwRole *role = &stage->cast.roles[i];
    lbStatus status = vw_actor_set_materials(role->actor, stage->cast.world,
                                             stage->groups[role->group].materials, err);
    if (status) return status;
  }
  return LB_OK;
}

static lbStatus set_damping(vwStage *stage, const vwSettings *s, lbError *err) {
  stage->cast.changed = true;
  for (int32_t i = 0; i < stage->cast.count; i++) {
    lbStatus status = vw_actor_set_damping(stage->cast.roles[i].actor, s->damping_mass,
                                           s->damping_stiffness, err);
    if (status) return status;
  }
  return LB_OK;
}

static lbStatus set_springs(vwStage *stage, bool springs, lbError *err) {
  stage->cast.changed = true;
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < stage->cast.count && !status; i++)
    status = vw_actor_set_springs(stage->cast.roles[i].actor, springs, err);
  return status;
}

static void put_scene_back(const vwSettings *from, vwSettings *to, bool cast, bool material,
                           bool damping) {
  if (cast) to->method = from->method, to->compare = from->compare, to->dimension = from->dimension;
  if (material) to->young = from->young, to->poisson = from->poisson, to->density = from->density;
  if (damping)
    to->damping_mass = from->damping_mass, to->damping_stiffness = from->damping_stiffness;
}

static lbStatus follow_cast(vwStage *stage, vwSettings *s, lbError *err) {
  const vwSettings *now = &stage->settings;
  if (s->method == now->method && s->compare == now->compare && s->dimension == now->dimension)
    return LB_OK;
  vw_pose_end(stage);
  lbStatus status = recast_edited(stage, s, err);
  if (status) {
    put_scene_back(now, s, true, false, false);
  } else {
    vw_hands_attach(stage);
  }
  return status;
}

static lbStatus follow_material(vwStage *stage, vwSettings *s, lbError *err) {
  const vwSettings *now = &stage->settings;
  if (s->young == now->young && s->poisson == now->poisson && s->density == now->density)
    return LB_OK;
  fill_materials(stage, s);
  lbStatus status = set_edit_materials(stage, err);
  if (status) {
    put_scene_back(now, s, false, true, false);
    fill_materials(stage, s);
    (void)set_edit_materials(stage, NULL);
  }
  return status;
}

static lbStatus follow_damping(vwStage *stage, vwSettings *s, lbError *err) {
  const vwSettings *now = &stage->settings;
  if (s->damping_mass == now->damping_mass && s->damping_stiffness == now->damping_stiffness)
    return LB_OK;
  lbStatus status = set_damping(stage, s, err);
  if (status) {
    put_scene_back(now, s, false, false, true);
    (void)set_damping(stage, s, NULL);
  }
  return status;
}

static lbStatus follow_springs(vwStage *stage, vwSettings *s, lbError *err) {
  if (s->springs == stage->settings.springs) return LB_OK;
  lbStatus status = set_springs(stage, s->springs != 0, err);
  if (!status) return LB_OK;
  s->springs = stage->settings.springs;
  (void)set_springs(stage, s->springs != 0, NULL);
  return status;
}

static void follow_gravity(vwStage *stage, const vwSettings *s) {
  lbVec3 before = vw_stage_gravity(stage, &stage->settings), after = vw_stage_gravity(stage, s);
  if (memcmp(&before, &after, sizeof after) != 0) vw_cast_set_gravity(stage, after);
}

lbStatus vw_stage_apply(vwStage *stage, vwSettings *settings, lbError *err) {
  lbStatus first = sanitise(stage, settings, err), status;
  vw_mode_end(stage); // the bodies as they are, whatever was shown
  if (settings->tool != VW_TOOL_POSE || settings->mode > 0) vw_pose_end(stage);
  status = vw_drop_follow(stage, settings, first ? NULL : err);
  first = first ? first : status;
  status = follow_material(stage, settings, first ? NULL : err);
  first = first ? first : status;
  status = follow_damping(stage, settings, first ? NULL : err);
  first = first ? first : status;
  status = follow_cast(stage, settings, first ? NULL : err);
  first = first ? first : status;
  status = follow_springs(stage, settings, first ? NULL : err);
  first = first ? first : status;
  follow_gravity(stage, settings);
  bool grip = settings->grab_stiffness != stage->settings.grab_stiffness;
  stage->settings = *settings;
  if (grip) vw_hands_regrip(stage);
  if (settings->mode > 0) vw_mode_begin(stage);
  return first;
}
