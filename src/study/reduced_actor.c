// The bodies of one model in a run, stepped together as a batch.
#include "study/actor.h"

#include "limber/body.h"

#include <string.h>

typedef struct Mark { // a load or a probe on one of the bodies
  int32_t number;     // in the scene
  int32_t member;
  lbPoint point;
} Mark;

typedef struct Reduced {
  const lbModel *model;
  const double *basis; // (3 nodes x dimension), of the method
  lbBatch *batch;
  int32_t dimension;
  Mark *loads, *probes;
  int32_t load_count, probe_count;
  double *probe_rows;          // (probe_count x 3 x dimension): displacement in own axes = row q
  double *coordinates, *rates; // (dimension)
} Reduced;

static void release(lbActor *actor) {
  Reduced *r = actor->own;
  if (!r) return;
  lb_batch_destroy(r->batch);
  lb_free(r->loads);
  lb_free(r->probes);
  lb_free(r->probe_rows);
  lb_free(r->coordinates);
  lb_free(r->rates);
  lb_free(r);
}

// ---- creation ----------------------------------------------------------------------------------

static int32_t member_of(const lbActor *actor, int32_t body) { // -1: not one of its bodies
  int32_t low = 0, high = actor->count;
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (actor->bodies[middle] < body)
      low = middle + 1;
    else
      high = middle;
  }
  return low < actor->count && actor->bodies[low] == body ? low : -1;
}

static lbStatus place_mark(const lbActor *actor, const char *what, int32_t number, int32_t body,
                           int32_t vertex, Mark *marks, int32_t *count, lbError *err) {
  const lbScene *scene = actor->run->scene;
  const Reduced *r = actor->own;
  int32_t member = member_of(actor, body), index;
  lbPointKind kind;
  if (member < 0) return LB_OK;
  if (!lb_scene_point(&scene->bodies[body], r->model, vertex, &kind, &index))
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: %s %d: the model of body \"%s\" has no vertex %d",
                   scene->path, what, (int)number, scene->bodies[body].name, (int)vertex);
  lbPoint point = kind == LB_POINT_VERTEX ? lb_point_vertex(index) : lb_point_node(index);
  marks[(*count)++] = (Mark){ number, member, point };
  return LB_OK;
}

static lbStatus find_marks(lbActor *actor, lbError *err) {
  const lbScene *scene = actor->run->scene;
  Reduced *r = actor->own;
  r->loads = lb_alloc((size_t)scene->load_count, sizeof(Mark));
  r->probes = lb_alloc((size_t)scene->probe_count, sizeof(Mark));
  lbStatus status = r->loads && r->probes ? LB_OK : lb_fail_memory(err);
  for (int32_t i = 0; i < scene->load_count && !status; i++)
    status = place_mark(actor, "load", i, scene->loads[i].body, scene->loads[i].vertex, r->loads,
                        &r->load_count, err);
  for (int32_t i = 0; i < scene->probe_count && !status; i++)
    status = place_mark(actor, "probe", i, scene->probes[i].body, scene->probes[i].vertex,
                        r->probes, &r->probe_count, err);
  return status;
}

// rows (3 x dimension) += weight times the basis at a node.
static void add_node(const Reduced *r, int32_t node, double weight, double *rows) {
  size_t values = 3 * (size_t)r->model->size.node_count;
  for (int i = 0; i < 3; i++)
    for (int32_t k = 0; k < r->dimension; k++)
      rows[i * r->dimension + k] +=
          weight * r->basis[(size_t)k * values + 3 * (size_t)node + (size_t)i];
}

static lbStatus make_probe_rows(Reduced *r, lbError *err) {
  const lbModel *m = r->model;
  size_t row = 3 * (size_t)r->dimension;
  r->probe_rows = lb_alloc((size_t)r->probe_count, row * sizeof(double));
  if (!r->probe_rows) return lb_fail_memory(err);
  for (int32_t p = 0; p < r->probe_count; p++) {
    const lbPoint *point = &r->probes[p].point;
    double *rows = r->probe_rows + row * (size_t)p;
    if (point->kind == LB_POINT_NODE) add_node(r, point->index, 1, rows);
    for (int32_t k = m->carrier_begin[point->index];
         point->kind == LB_POINT_VERTEX && k < m->carrier_begin[point->index + 1]; k++)
      add_node(r, m->carrier_nodes[k], m->carrier_weights[k], rows);
  }
  return LB_OK;
}

static lbVec3 vector(const double *v) { return lb_vec3(v[0], v[1], v[2]); }

static lbStatus create_batch(lbActor *actor, lbError *err) {
  const lbScene *scene = actor->run->scene;
  Reduced *r = actor->own;
  lbBatchDef def = lb_batch_def();
  lbVec3 *positions = lb_alloc((size_t)actor->count, sizeof *positions);
  lbQuat *rotations = lb_alloc((size_t)actor->count, sizeof *rotations);
  lbStatus status = positions && rotations ? LB_OK : lb_fail_memory(err);
  for (int32_t i = 0; i < actor->count && !status; i++) {
    const lbSceneBody *body = &scene->bodies[actor->bodies[i]];
    const double *q = body->rotation;
    positions[i] = vector(body->position);
    rotations[i] = (lbQuat){ q[0], q[1], q[2], q[3] };
  }
  def.count = actor->count;
  def.body.method = scene->bodies[actor->bodies[0]].method;
  def.body.gravity = vector(scene->gravity);
  def.body.newton_iterations = scene->newton_iterations < 100 ? scene->newton_iterations : 100;
  def.body.newton_tolerance = scene->newton_tolerance < 1 ? scene->newton_tolerance : 1;
  def.positions = positions;
  def.rotations = rotations;
  if (!status) status = lb_batch_create(r->model, &def, &r->batch, err);
  for (int32_t i = 0; i < actor->count && !status; i++) {
    const lbSceneBody *body = &scene->bodies[actor->bodies[i]];
    lbBody *moving = lb_batch_body(r->batch, i);
    if (lb_body_set_velocity(moving, vector(body->linear_velocity), vector(body->angular_velocity)))
      status = lb_fail(err, LB_ERR_ARGUMENT, "%s: body \"%s\": velocity: %s", scene->path,
                       body->name, lb_body_message(moving));
  }
  lb_free(positions);
  lb_free(rotations);
  return status;
}

static lbStatus find_model(lbActor *actor, lbError *err) {
  const lbScene *scene = actor->run->scene;
  const lbSceneBody *body = &scene->bodies[actor->bodies[0]];
  Reduced *r = actor->own;
  lbStatus status = body->model ? LB_OK : lb_scene_model(body, &actor->owned->model, err);
  if (status) return status;
  r->model = body->model ? body->model : actor->owned->model;
  lbModelMethod view = { 0 };
  bool found = lb_model_method(r->model, body->method, &view);
  r->basis = view.basis;
  if (found && lb_model_is_free(r->model) && body->method != LB_METHOD_RECORDED)
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "%s: body \"%s\" is free: free bodies need rigid motion beside the method "
                   "\"%s\", which is not in this version: fix some vertices or use \"full\"",
                   scene->path, body->name, lb_method_name(body->method));
  return LB_OK;
}

// ---- running -----------------------------------------------------------------------------------

static void step(lbActor *actor, int32_t number) {
  Reduced *r = actor->own;
  const lbScene *scene = actor->run->scene;
  double end = (number + 1) * scene->time_step, start = lb_seconds();
  for (int32_t i = 0; i < r->load_count; i++) {
    const lbSceneLoad *load = &scene->loads[r->loads[i].number];
    if (lb_scene_load_acts(scene, load, end)) // a scene's forces are finite: never refused
      (void)lb_body_apply_force(lb_batch_body(r->batch, r->loads[i].member), r->loads[i].point,
                                vector(load->force));
  }
  int32_t flags = lb_batch_step(r->batch, scene->time_step);
  actor->times[number] = (lb_seconds() - start) / actor->count;
  for (int32_t i = 0; i < actor->count && flags; i++) {
    lbRunBody *body = &actor->run->bodies[actor->bodies[i]];
    body->not_converged_count += (flags & LB_STEP_NOT_CONVERGED) != 0;
    body->nonfinite_count += (flags & (LB_STEP_NONFINITE | LB_STEP_REFUSED)) != 0;
  }
}

static void probe(const lbActor *actor, double *row) {
  const Reduced *r = actor->own;
  for (int32_t p = 0; p < r->probe_count; p++) {
    const Mark *mark = &r->probes[p];
    const double *rows = r->probe_rows + 3 * (size_t)r->dimension * (size_t)p;
    const double *q = actor->run->scene->bodies[actor->bodies[mark->member]].rotation;
    double own[3] = { 0 };
    lb_body_get_state(lb_batch_body(r->batch, mark->member), r->coordinates, r->rates);
    for (int i = 0; i < 3; i++)
      for (int32_t k = 0; k < r->dimension; k++)
        own[i] += rows[i * r->dimension + k] * r->coordinates[k];
    lb_vec3_store(row + 3 * (size_t)mark->number,
                  lb_quat_rotate((lbQuat){ q[0], q[1], q[2], q[3] }, vector(own)));
  }
}

static void report(const lbActor *actor) {
  const Reduced *r = actor->own;
  for (int32_t i = 0; i < actor->count; i++) {
    lbRunBody *body = &actor->run->bodies[actor->bodies[i]];
    lbBodyReport report = lb_body_report(lb_batch_body(r->batch, i));
    body->vertices = r->model->size.node_count;
    body->elements = r->model->size.element_count;
    body->dimension = r->dimension;
    body->mass = r->model->rigid_mass[0];
    body->state.kinetic = report.kinetic;
    body->state.elastic = report.elastic;
    lb_vec3_store(body->state.centre, report.centre);
    lb_vec3_store(body->state.linear_momentum, report.linear_momentum);
    lb_vec3_store(body->state.angular_momentum, report.angular_momentum);
  }
}

// ---- frames ------------------------------------------------------------------------------------

// The basis on the surface: W U, one shape after another.
static double *make_shapes(const lbModel *m, const double *basis, int32_t dimension) {
  size_t vertices = (size_t)m->size.vertex_count, nodes = (size_t)m->size.node_count;
  double *shapes = lb_alloc((size_t)dimension, 3 * vertices * sizeof(double));
  for (size_t k = 0; shapes && k < (size_t)dimension; k++) {
    const double *mode = basis + 3 * nodes * k;
    for (size_t v = 0; v < vertices; v++)
      for (int32_t c = m->carrier_begin[v]; c < m->carrier_begin[v + 1]; c++)
        for (size_t i = 0; i < 3; i++)
          shapes[3 * (vertices * k + v) + i] +=
              m->carrier_weights[c] * mode[3 * (size_t)m->carrier_nodes[c] + i];
  }
  return shapes;
}

static lbStatus begin_frames(lbActor *actor, bool volume, lbError *err) {
  const Reduced *r = actor->own;
  lbStatus status = lb_model_surface_mesh(r->model, &actor->owned->surface, err);
  if (!status && volume) status = lb_model_volume_mesh(r->model, &actor->owned->volume, err);
  if (status) return status;
  actor->owned->shapes = make_shapes(r->model, r->basis, r->dimension);
  if (!actor->owned->shapes) return lb_fail_memory(err);
  for (int32_t i = 0; i < actor->count; i++) {
    lbRunBody *body = &actor->run->bodies[actor->bodies[i]];
    body->model = r->model;
    body->surface = actor->owned->surface;
    body->volume = actor->owned->volume;
    body->shapes = actor->owned->shapes;
    body->shape_count = r->dimension;
    body->coordinates =
        lb_alloc((size_t)actor->run->frame_count * (size_t)r->dimension, sizeof(double));
    if (!body->coordinates) return lb_fail_memory(err);
  }
  return LB_OK;
}

static void record(lbActor *actor, int32_t frame) {
  const Reduced *r = actor->own;
  for (int32_t i = 0; i < actor->count; i++) {
    lbRunBody *body = &actor->run->bodies[actor->bodies[i]];
    lb_body_get_state(lb_batch_body(r->batch, i),
                      body->coordinates + (size_t)frame * (size_t)r->dimension, r->rates);
  }
}

static const lbActorKind reduced_kind = { release, step, probe, begin_frames, record, report };

static lbStatus refuse_motion(const lbActor *actor, lbError *err) {
  for (int32_t i = 0; i < actor->count; i++) {
    const lbSceneBody *body = &actor->run->scene->bodies[actor->bodies[i]];
    if (body->motion)
      return lb_fail(err, LB_ERR_UNSUPPORTED,
                     "body \"%s\": \"motion\" of a reduced body is not in this version, use the "
                     "method \"full\"",
                     body->name);
  }
  return LB_OK;
}

lbStatus lb_actor_create_reduced(lbActor *actor, lbError *err) {
  lbStatus refused = refuse_motion(actor, err);
  if (refused) return refused;
  Reduced *r = lb_alloc(1, sizeof *r);
  if (!r) return lb_fail_memory(err);
  actor->kind = &reduced_kind;
  actor->own = r;
  lbStatus status = find_model(actor, err);
  if (!status) status = create_batch(actor, err);
  if (status) return status;
  r->dimension = lb_body_dimension(lb_batch_body(r->batch, 0));
  r->coordinates = lb_alloc((size_t)r->dimension, sizeof(double));
  r->rates = lb_alloc((size_t)r->dimension, sizeof(double));
  if (!r->coordinates || !r->rates) return lb_fail_memory(err);
  status = find_marks(actor, err);
  return status ? status : make_probe_rows(r, err);
}
