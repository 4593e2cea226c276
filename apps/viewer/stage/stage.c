// Creates a stage from a bundle: sorts its bodies into groups and places them.
#include "stage/pose.h"
#include "stage/stage_parts.h"

#include "render/renderer.h"

#include <stdio.h>
#include <string.h>

enum { EXACT_BOX = 200000 }; // vertices of a group whose box is computed exactly

vwStageDef vw_stage_def(void) { return (vwStageDef){ .step_budget = 0.012 }; }

double vw_clamp(double value, double low, double high) {
  return value > low ? (value < high ? value : high) : low;
}

void vw_stage_say(vwStage *stage, const char *text) {
  snprintf(stage->message, sizeof stage->message, "%s", text);
}

const char *vw_stage_message(const vwStage *stage) { return stage->message; }
void vw_stage_forget_message(vwStage *stage) { stage->message[0] = 0; }

// ---- bodies and loads of the world -------------------------------------------------------------

static int32_t find_group(const vwStage *stage, const lbModel *model, lbMethod method,
                          bool driven) {
  for (int32_t g = 0; g < stage->group_count; g++) {
    const vwGroup *group = &stage->groups[g];
    if (group->model == model && group->method == method && group->driven == driven) return g;
  }
  return -1;
}

static int32_t find_stage_path(const lbWorldDef *world, int32_t body) {
  return world->body_paths ? world->body_paths[body] : -1;
}

static lbStatus allocate_groups(vwStage *stage, lbError *err) {
  for (int32_t g = 0; g < stage->group_count; g++) {
    vwGroup *group = &stage->groups[g];
    size_t count = (size_t)group->count;
    group->positions = lb_arena_alloc(&stage->arena, count, sizeof(lbVec3));
    group->rotations = lb_arena_alloc(&stage->arena, count, sizeof(lbQuat));
    group->paths = lb_arena_alloc(&stage->arena, count, sizeof(lbPath *));
    group->shapes = lb_arena_alloc(&stage->arena, count, sizeof *group->shapes);
    group->numbers = lb_arena_alloc(&stage->arena, count, sizeof *group->numbers);
    group->untouchable = lb_arena_alloc(&stage->arena, count, sizeof *group->untouchable);
    group->contact_materials =
        lb_arena_alloc(&stage->arena, count, sizeof *group->contact_materials);
    group->filters = lb_arena_alloc(&stage->arena, count, sizeof *group->filters);
    group->contact_frames = lb_arena_alloc(&stage->arena, count, 2 * sizeof *group->contact_frames);
    group->linear = lb_arena_alloc(&stage->arena, count, sizeof(lbVec3));
    group->angular = lb_arena_alloc(&stage->arena, count, sizeof(lbVec3));
    group->materials = lb_arena_alloc(&stage->arena, (size_t)group->model->size.material_count,
                                      3 * sizeof(double));
    if (!group->positions || !group->rotations || !group->paths || !group->linear ||
        !group->shapes || !group->angular || !group->materials || !group->numbers ||
        !group->untouchable || !group->contact_materials || !group->filters ||
        !group->contact_frames)
      return lb_fail_memory(err);
    group->count = 0;
  }
  return LB_OK;
}

// One body of the model alone, where the model stands.
static lbStatus place_model(vwStage *stage, lbError *err) {
  const lbModel *model = stage->bundle->models[0];
  stage->groups = lb_arena_alloc(&stage->arena, 1, sizeof(vwGroup));
  if (!stage->groups) return lb_fail_memory(err);
  lbMethod method = lb_model_default_method(model);
  stage->group_count = 1;
  stage->groups[0] = (vwGroup){ .model = model,
                                .method = method == LB_METHOD_DEFAULT ? LB_METHOD_FULL : method,
                                .count = 1 };
  lbStatus status = allocate_groups(stage, err);
  if (status) return status;
  stage->groups[0].count = 1;
  stage->groups[0].rotations[0] = lb_quat_identity();
  stage->groups[0].contact_materials[0] = lb_contact_material();
  stage->groups[0].filters[0] = lb_contact_filter();
  if (!lb_model_is_free_by(model,
                           lb_model_default_method(model))) // a free one would fall out of sight
    stage->world_gravity = stage->up == 'y' ? lb_vec3(0, -9.81, 0) : lb_vec3(0, 0, -9.81);
  return LB_OK;
}

static void place_body(vwStage *stage, const lbWorldDef *world, int32_t body, int32_t *member) {
  const double *q = world->body_rotations + 4 * (size_t)body;
  size_t at = 3 * (size_t)body;
  vwGroup *group = &stage->groups[member[2 * (size_t)body]];
  int32_t i = group->count++;
  member[2 * (size_t)body + 1] = i;
  if (group->driven) group->paths[i] = stage->paths[find_stage_path(world, body)];
  group->positions[i] = lb_vec3_load(world->body_positions + at);
  group->rotations[i] = lb_quat(q[0], q[1], q[2], q[3]);
  group->shapes[i] = lb_bundle_shape(stage->bundle, body);
  group->numbers[i] = body;
  group->untouchable[i] = world->body_untouchable && world->body_untouchable[body];
  group->contact_materials[i] = lb_world_contact_material(world, body);
  group->filters[i] = lb_world_filter(world->body_filters, body);
  for (size_t k = 0; k < 2 && world->body_contact_frames; k++)
    group->contact_frames[2 * (size_t)i + k] = world->body_contact_frames[2 * (size_t)body + k];
  group->linear[i] = lb_vec3_load(world->body_linear_velocities + at);
  group->angular[i] = lb_vec3_load(world->body_angular_velocities + at);
}

// `member` (bodies x 2): group and number in it
static lbStatus place_stage_bodies(vwStage *stage, int32_t *member, lbError *err) {
  const lbWorldDef *world = stage->bundle->world;
  int32_t count = world->size.body_count;
  stage->groups = lb_arena_alloc(&stage->arena, (size_t)count, sizeof(vwGroup));
  if (!stage->groups) return lb_fail_memory(err);
  for (int32_t i = 0; i < count; i++) {
    const lbModel *model = stage->bundle->models[world->body_models[i]];
    lbMethod method = lb_world_method(world, i);
    if (!lb_model_has(model, method)) method = LB_METHOD_FULL; // checked: it has all others
    bool driven = find_stage_path(world, i) >= 0;
    int32_t g = find_group(stage, model, method, driven);
    if (g < 0) {
      g = stage->group_count++;
      stage->groups[g] = (vwGroup){ .model = model, .method = method, .driven = driven };
    }
    stage->groups[g].count++;
    member[2 * (size_t)i] = g;
  }
  lbStatus status = allocate_groups(stage, err);
  for (int32_t i = 0; i < count && !status; i++) place_body(stage, world, i, member);
  return status;
}

static lbStatus make_stage_paths(vwStage *stage, lbError *err) {
  const lbWorldDef *world = stage->bundle->world;
  lbStatus status = LB_OK;
  stage->paths = lb_alloc((size_t)world->size.path_count, sizeof *stage->paths);
  if (!stage->paths) return lb_fail_memory(err);
  for (int32_t i = 0; i < world->size.path_count && !status; i++) {
    status = lb_world_path(world, i, &stage->paths[i], err);
    if (!status) stage->path_count++;
  }
  return status;
}

static lbStatus place_stage_loads(vwStage *stage, const int32_t *member, lbError *err) {
  const lbWorldDef *world = stage->bundle->world;
  stage->load_count = world->size.load_count;
  stage->loads = lb_arena_alloc(&stage->arena, (size_t)stage->load_count, sizeof(vwLoad));
  if (!stage->loads) return lb_fail_memory(err);
  for (size_t i = 0; i < (size_t)stage->load_count; i++) {
    size_t body = (size_t)world->load_bodies[i];
    int32_t index = world->load_points[i];
    stage->loads[i] = (vwLoad){ member[2 * body], member[2 * body + 1], lb_load() };
    lbLoad *load = &stage->loads[i].load;
    load->point =
        world->load_kinds[i] == LB_POINT_NODE ? lb_point_node(index) : lb_point_vertex(index);
    load->force = lb_vec3_load(world->load_forces + 3 * i);
    load->from = world->load_times[2 * i];
    load->to = world->load_times[2 * i + 1];
  }
  return LB_OK;
}

static lbStatus place_stage_attachments(vwStage *stage, const int32_t *member, lbError *err) {
  const lbWorldDef *world = stage->bundle->world;
  size_t count = (size_t)world->size.attachment_count;
  stage->attachment_count = world->size.attachment_count;
  stage->attachments = lb_arena_alloc(&stage->arena, count, sizeof(vwAttachment));
  if (!stage->attachments) return lb_fail_memory(err);
  for (size_t i = 0; i < count; i++) {
    size_t body = (size_t)world->attachment_bodies[i];
    stage->attachments[i] = (vwAttachment){ member[2 * body], member[2 * body + 1],
                                            lb_world_attachment(world, (int32_t)i, stage->paths) };
  }
  return LB_OK;
}

static lbStatus place_stage_leads(vwStage *stage, const int32_t *member, lbError *err) {
  const lbWorldDef *world = stage->bundle->world;
  size_t count = (size_t)world->size.lead_count;
  stage->lead_count = world->size.lead_count;
  stage->leads = lb_arena_alloc(&stage->arena, count, sizeof(vwLead));
  if (!stage->leads) return lb_fail_memory(err);
  for (size_t i = 0; i < count; i++) {
    size_t body = (size_t)world->lead_bodies[i];
    stage->leads[i] = (vwLead){ member[2 * body], member[2 * body + 1] };
  }
  return LB_OK;
}

static lbStatus read_world(vwStage *stage, lbError *err) {
  const lbWorldDef *world = stage->bundle->world;
  stage->body_def = lb_batch_def().body;
  stage->body_def.newton_iterations = 20;
  stage->body_count = stage->substeps = 1;
  stage->substeps_max = lb_world_settings().substeps_max;
  if (!world || world->size.body_count == 0) return place_model(stage, err);
  stage->body_count = world->size.body_count;
  stage->body_def = lb_world_body_def(world, 0);
  int32_t *member = lb_alloc((size_t)world->size.body_count, 2 * sizeof(int32_t));
  if (!member) return lb_fail_memory(err);
  lbStatus status = make_stage_paths(stage, err);
  if (!status) status = place_stage_bodies(stage, member, err);
  if (!status) status = place_stage_loads(stage, member, err);
  if (!status) status = place_stage_attachments(stage, member, err);
  if (!status) status = place_stage_leads(stage, member, err);
  if (!status) status = vw_colliders_read(stage, err);
  if (!status) status = vw_joints_read(stage, member, err);
  stage->world_gravity = lb_vec3_load(world->gravity);
  stage->world_step = world->time_step[0];
  lb_free(member);
  return status;
}

// ---- sizes -------------------------------------------------------------------------------------

static void add_corners(const vwGroup *group, int32_t body, vwBox own, lbVec3 shift, vwBox *box) {
  for (int corner = 0; corner < 8; corner++) {
    lbVec3 x = lb_vec3(corner & 1 ? own.high.x : own.low.x, corner & 2 ? own.high.y : own.low.y,
                       corner & 4 ? own.high.z : own.low.z);
    x = lb_add(group->positions[body], lb_quat_rotate(group->rotations[body], x));
    vw_box_add(box, lb_add(x, shift));
  }
}

static void add_group(const vwGroup *group, lbVec3 shift, vwBox *box) {
  const lbModel *m = group->model;
  bool exact = (int64_t)m->size.vertex_count * group->count <= EXACT_BOX;
  vwBox own = vw_box_empty();
  for (int32_t v = 0; v < m->size.vertex_count; v++) {
    lbVec3 x = lb_vec3_load(m->vertex_positions + 3 * (size_t)v);
    vw_box_add(&own, x);
    for (int32_t b = 0; b < group->count && exact; b++)
      vw_box_add(
          box, lb_add(shift, lb_add(group->positions[b], lb_quat_rotate(group->rotations[b], x))));
  }
  for (int32_t b = 0; b < group->count && !exact; b++) add_corners(group, b, own, shift, box);
}

static void find_stage_box(vwStage *stage) {
  stage->box = vw_box_empty();
  for (int32_t g = 0; g < stage->group_count; g++)
    add_group(&stage->groups[g], lb_vec3(0, 0, 0), &stage->box);
  lbVec3 side = lb_sub(stage->box.high, stage->box.low);
  stage->size = fmax(side.x, fmax(side.y, side.z));
  if (!(stage->size > 0) || !isfinite(stage->size)) stage->size = 1;
}

static void free_work(vwStage *stage) {
  lb_free(stage->nodes[0]);
  lb_free(stage->nodes[1]);
  lb_free(stage->coordinates);
  lb_free(stage->rates);
}

static lbStatus allocate_work(vwStage *stage, lbError *err) {
  size_t nodes = 0, dimension = 0;
  free_work(stage);
  for (int32_t g = 0; g < stage->group_count; g++) {
    const lbModelSizes *size = &stage->groups[g].model->size;
    size_t count = (size_t)size->node_count, vertices = (size_t)size->vertex_count;
    nodes = count > nodes ? count : nodes;
    nodes = vertices > nodes ? vertices : nodes;
    dimension += (size_t)size->mode_count + (size_t)size->subspace_dimension +
                 (size_t)size->recording_dimension;
  }
  stage->nodes[0] = lb_alloc(nodes, 3 * sizeof(double));
  stage->nodes[1] = lb_alloc(nodes, 3 * sizeof(double));
  stage->coordinates = lb_alloc(dimension, sizeof(double));
  stage->rates = lb_alloc(dimension, sizeof(double));
  bool complete = stage->nodes[0] && stage->nodes[1] && stage->coordinates && stage->rates;
  return complete ? LB_OK : lb_fail_memory(err);
}

// ---- methods to choose from, and what the scene starts with ------------------------------------

static void list_methods(vwStage *stage) {
  bool alike = true;
  stage->method_count = 0;
  const vwGroup *first = NULL; // of those that have a choice
  for (int32_t g = 0; g < stage->group_count; g++) {
    if (stage->groups[g].method == LB_METHOD_RIGID) continue;
    if (!first) first = &stage->groups[g];
    alike &= stage->groups[g].method == first->method;
  }
  if (!alike) stage->methods[stage->method_count++] = LB_METHOD_DEFAULT;
  for (int i = LB_METHOD_FULL + 1; i <= LB_METHOD_COUNT; i++) { // the unreduced one comes last
    lbMethod method = i < LB_METHOD_COUNT ? (lbMethod)i : LB_METHOD_FULL;
    bool all = first != NULL;
    for (int32_t g = 0; g < stage->group_count; g++)
      if (stage->groups[g].method != LB_METHOD_RIGID)
        all &= vw_group_has(stage, &stage->groups[g], method);
    if (all) stage->methods[stage->method_count++] = method;
  }
  if (stage->method_count == 0) stage->methods[stage->method_count++] = LB_METHOD_DEFAULT;
}

static void start_gravity(const vwStage *stage, vwSettings *s) {
  lbVec3 g = stage->world_gravity;
  double strength = lb_length(g), up = stage->up == 'y' ? g.y : g.z;
  double across = stage->up == 'y' ? -g.z : g.y, level = hypot(g.x, across);
  s->gravity_on = strength > 0;
  if (!(strength > 0)) return;
  s->gravity = strength;
  s->gravity_elevation = atan2(up, level) * 180 / LB_PI;
  s->gravity_azimuth = level > 0 ? atan2(across, g.x) * 180 / LB_PI : 0;
}

static void start_material(const vwStage *stage, vwSettings *s) {
  int32_t soft = 0;
  while (soft < stage->group_count && stage->groups[soft].model->size.material_count == 0) soft++;
  if (soft == stage->group_count) return; // rigid bodies alone
  const vwGroup *group = &stage->groups[soft];
  const lbModel *m = group->model;
  lbModelMethod view = { .damping = m->full_damping };
  lb_model_method(m, group->method, &view);
  if (!view.damping) lb_model_method(m, LB_METHOD_DEFAULT, &view);
  const double *damping = view.damping;
  s->young = m->material_values[0];
  s->poisson = m->material_values[1];
  s->density = m->material_values[2];
  s->damping_mass = damping ? damping[0] : 0;
  s->damping_stiffness = damping ? damping[1] : 0;
}

// Of the first bodies that move by frames.
static void start_springs(vwStage *stage) {
  for (int32_t g = 0; g < stage->group_count; g++) {
    const lbModel *m = stage->groups[g].model;
    if (m->size.frame_count == 0) continue;
    stage->start.springs = m->frame_settings[0] == LB_FRAME_SPRINGS;
    return;
  }
}

static void start_settings(vwStage *stage) {
  vwSettings *s = &stage->start;
  *s = vw_settings_default();
  double rate = stage->world_step > 0 ? 1 / stage->world_step : 0;
  if (rate >= 60 * (1 - 1e-9) && rate <= 2000 * (1 + 1e-9)) s->rate = vw_clamp(rate, 60, 2000);
  start_gravity(stage, s);
  start_material(stage, s);
  start_springs(stage);
}

lbStatus vw_stage_take_methods(vwStage *stage, lbError *err) {
  vwSettings *s = &stage->start;
  list_methods(stage);
  s->method = 0;
  for (int32_t i = 0; i < stage->method_count; i++)
    for (int32_t g = 0; g < stage->group_count; g++)
      if (stage->methods[i] == stage->groups[g].method) s->method = i;
  if (stage->methods[0] == LB_METHOD_DEFAULT) s->method = 0;
  s->dimension = 0;
  for (int32_t g = 0; g < stage->group_count; g++)
    s->dimension =
        fmax(s->dimension, vw_group_dimension(&stage->groups[g], stage->groups[g].method));
  return allocate_work(stage, err);
}

// A poke that shows: as much energy as bends the body by a sixth of its size.
static void start_poke(vwStage *stage) {
  double poke = 0;
  for (int32_t i = 0; i < stage->cast.count; i++) {
    const vwActor *actor = stage->cast.roles[i].actor;
    if (actor->compliance > 0)
      poke = fmax(poke, 0.3 * actor->radius * sqrt(actor->mobility / actor->compliance));
  }
  if (poke > 0 && isfinite(poke)) stage->start.poke = vw_clamp(poke, 1e-3, 1e3);
}

// ---- making it ---------------------------------------------------------------------------------

static lbStatus build_stage(vwStage *stage, lbError *err) {
  stage->up = stage->bundle->models[0]->up[0] == 1 ? 'y' : 'z';
  lbStatus status = read_world(stage, err);
  if (status) return status;
  stage->across = lb_vec3(1, 0, 0);
  find_stage_box(stage);
  vw_ground_find(stage);
  start_settings(stage);
  status = vw_stage_take_methods(stage, err);
  if (!status) status = vw_cast_create(stage, &stage->start, &stage->cast, err);
  if (status) return status;
  start_poke(stage);
  stage->settings = stage->start;
  vw_stage_reset(stage);
  return LB_OK;
}

// Of the first model whose figures are above their limits.
static void tell_accuracy(vwStage *stage) {
  char warning[300], text[sizeof stage->message];
  for (int32_t i = 0; i < stage->bundle->model_count; i++) {
    const lbModel *model = stage->bundle->models[i];
    if (!lb_model_accuracy_warning(model, warning, sizeof warning)) continue;
    snprintf(text, sizeof text, "%.60s: %s", model->name, warning);
    vw_stage_say(stage, text);
    return;
  }
}

lbStatus vw_stage_create(lbBundle *bundle, const vwStageDef *def, vwSettings *settings,
                         vwStage **out, lbError *err) {
  if (bundle->model_count < 1)
    return lb_fail(err, LB_ERR_ARGUMENT, "the file holds no model to show");
  vwStage *stage = lb_alloc(1, sizeof *stage);
  if (!stage) return lb_fail_memory(err);
  stage->bundle = bundle;
  stage->def = *def;
  lbStatus status = build_stage(stage, err);
  if (status) {
    stage->bundle = NULL; // it stays the caller's
    vw_stage_destroy(stage);
    return status;
  }
  tell_accuracy(stage);
  *settings = stage->settings;
  *out = stage;
  return LB_OK;
}

void vw_stage_destroy(vwStage *stage) {
  if (!stage) return;
  vw_pose_end(stage);
  vw_cast_release(&stage->cast);
  for (int32_t i = 0; i < stage->path_count; i++) lb_path_destroy(stage->paths[i]);
  lb_free(stage->paths);
  lb_arena_release(&stage->arena);
  lb_model_destroy(stage->loose);
  free_work(stage);
  lb_free(stage->saved);
  lb_free(stage->sketch.loads);
  lb_bundle_destroy(stage->bundle);
  lb_free(stage);
}

void vw_stage_reset(vwStage *stage) {
  vw_stage_release_all(stage);
  vw_mode_forget(stage);
  lbError err;
  if (vw_cast_restart(stage, &err)) vw_stage_say(stage, err.text);
  stage->clock = (vwClock){ .step = stage->clock.step };
  if (stage->settings.mode > 0) vw_mode_begin(stage);
}
