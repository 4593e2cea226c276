// The bodies of one model in a run: those of its world that were made together, whatever their
// method. Frames of reduced ones are coordinates of their basis; of unreduced ones, whose
// coordinates would be all nodes, the surface and, where it is asked for, the nodes.
#include "study/actor.h"

#include "full/full.h"
#include "limber/frames.h"
#include "study/start.h"

#include <math.h>
#include <string.h>

typedef struct Mark { // a probe on one of the bodies
  int32_t number;     // in the scene
  int32_t probe;      // in the world
} Mark;

typedef struct Own {
  const lbModel *model;
  const double *basis; // (3 nodes x dimension), of the method; NULL: unreduced
  int32_t dimension;
  lbBodyId *ids;   // (count)
  lbStart *starts; // (count)
  Mark *probes;
  int32_t probe_count;
  double *rates;   // (dimension) of a reduced body
  double *surface; // (vertices x 3) of an unreduced one
} Own;

void lb_actor_release(lbActor *actor) {
  Own *r = actor->own;
  if (!r) return;
  for (int32_t i = 0; r->starts && i < actor->count; i++) lb_start_release(&r->starts[i]);
  lb_free(r->starts);
  lb_free(r->ids);
  lb_free(r->probes);
  lb_free(r->rates);
  lb_free(r->surface);
  lb_free(r);
}

static const lbSceneBody *member(const lbActor *actor, int32_t i) {
  return &actor->run->scene->bodies[actor->bodies[i]];
}

static const lbBody *find_actor_body(const lbActor *actor, int32_t i) {
  return lb_world_body(actor->world, ((const Own *)actor->own)->ids[i]);
}

// ---- bodies ------------------------------------------------------------------------------------

static lbVec3 vector(const double *v) { return lb_vec3(v[0], v[1], v[2]); }

// Of unreduced bodies. Where the scene does not say: from so many unknowns on a step with a kept
// factor takes 0.4 to 1.0 times as long as one without, of bars and of cubes, for steps of 1 to
// 20 ms; below that up to 1.4 times.
static double choose_reuse(const lbScene *scene, const lbModel *model) {
  enum { LARGE = 2000 };
  if (scene->factor_reuse >= 0) return fmin(scene->factor_reuse, 0.999);
  return 3 * (int64_t)model->size.node_count >= LARGE ? 0.3 : 0;
}

static lbBodyDef body_def(const lbActor *actor, const lbModel *model, bool driven) {
  const lbScene *scene = actor->run->scene;
  lbBodyDef def = lb_batch_def().body;
  def.method = member(actor, 0)->method;
  def.frame = driven ? LB_FRAME_DRIVEN : LB_FRAME_DEFAULT;
  def.integrator = scene->integrator;
  def.newton_iterations = scene->newton_iterations < 100 ? scene->newton_iterations : 100;
  def.newton_tolerance = scene->newton_tolerance < 1 ? scene->newton_tolerance : 1;
  def.factor_reuse = choose_reuse(scene, model);
  return def;
}

// In the axes of its simulator that law takes every rotation for a strain.
static void warn_of_linear(const lbSceneBody *body) {
  if (body->method != LB_METHOD_FULL || !lb_path_keys(body->motion)->rotations) return;
  for (int32_t i = 0; i < body->material_count; i++)
    if (body->materials[i].model == LB_MATERIAL_LINEAR) {
      lb_log(LB_LOG_WARNING,
             "body \"%s\": its motion turns it, which the material \"linear\" takes for strain; "
             "use \"corotated\"",
             body->name);
      return;
    }
}

// Those whose frames follow a path, or the others.
static lbStatus add_actor_bodies(lbActor *actor, bool driven, lbVec3 *positions, lbQuat *rotations,
                                 int32_t *places, lbBodyId *ids, lbError *err) {
  Own *r = actor->own;
  lbBatchDef def = lb_batch_def();
  for (int32_t i = 0; i < actor->count; i++) {
    if ((member(actor, i)->motion != NULL) != driven) continue;
    places[def.count] = actor->bodies[i];
    positions[def.count] = r->starts[i].position;
    rotations[def.count++] = r->starts[i].rotation;
  }
  if (def.count == 0) return LB_OK;
  def.body = body_def(actor, r->model, driven);
  def.positions = positions;
  def.rotations = rotations;
  lbError cause;
  lbStatus status = lb_world_add_batch_at(actor->world, r->model, &def, places, ids, &cause);
  if (status)
    return lb_fail(err, status, "body \"%s\": %.400s", member(actor, 0)->name, cause.text);
  for (int32_t i = 0; i < actor->count && !status; i++)
    if ((member(actor, i)->motion != NULL) == driven) r->ids[i] = *ids++;
  return status;
}

// Joints of a rig follow its animation. Instances have those of the first.
static lbStatus lead_joints(const lbActor *actor, int32_t i, lbError *err) {
  const Own *r = actor->own;
  const lbSceneBody *body = member(actor, i);
  if (body->twin >= 0) body = &actor->run->scene->bodies[body->twin];
  lbStatus status = LB_OK;
  for (int32_t k = 0; k < body->joint_path_count && !status; k++) {
    int32_t joint = body->joint_numbers[k];
    const double *rest = r->model->frame_poses + 7 * (size_t)joint;
    lbVec3 arm = body->joints_move_space ? vector(rest) : lb_vec3(0, 0, 0);
    status = lb_world_drive_joint(actor->world, r->ids[i], joint, body->joint_paths[k], arm, err);
  }
  return status;
}

static lbStatus start_body(const lbActor *actor, int32_t i, lbError *err) {
  const Own *r = actor->own;
  const lbSceneBody *body = member(actor, i);
  lbBody *moving = lb_world_body(actor->world, r->ids[i]);
  if (body->motion) warn_of_linear(body);
  lbStatus status =
      body->motion ? lb_world_drive(actor->world, r->ids[i], body->motion, err) : LB_OK;
  if (!status && body->method == LB_METHOD_FRAMES) status = lead_joints(actor, i, err);
  actor->ids[actor->bodies[i]] = r->ids[i];
  if (!status)
    status = lb_world_set_touch(actor->world, r->ids[i],
                                actor->run->scene->contact && !body->untouchable,
                                body->contact_material.friction, err);
  if (!status)
    status = lb_world_set_contact_material(actor->world, r->ids[i], &body->contact_material, err);
  if (!status) status = lb_world_set_filter(actor->world, r->ids[i], &body->filter, err);
  if (!status && body->contact_frames > 0 && lb_body_method(moving) == LB_METHOD_FRAMES)
    status = lb_world_set_contact_frames(actor->world, r->ids[i], body->contact_frames,
                                         body->contact_spacing, err);
  if (!status && r->starts[i].coordinates && lb_body_set_shape(moving, r->starts[i].coordinates))
    status = lb_fail(err, LB_ERR_ARGUMENT, "%s: body \"%s\": pose: %s", actor->run->scene->path,
                     body->name, lb_body_message(moving));
  lbVec3 linear = vector(body->linear_velocity), angular = vector(body->angular_velocity);
  bool moves = lb_length(linear) > 0 || lb_length(angular) > 0;
  if (!status && moves && lb_body_set_velocity(moving, linear, angular))
    status = lb_fail(err, LB_ERR_ARGUMENT, "%s: body \"%s\": velocity: %s", actor->run->scene->path,
                     body->name, lb_body_message(moving));
  return status;
}

static lbStatus create_bodies(lbActor *actor, lbError *err) {
  Own *r = actor->own;
  size_t count = (size_t)actor->count;
  lbVec3 *positions = lb_alloc(count, sizeof *positions);
  lbQuat *rotations = lb_alloc(count, sizeof *rotations);
  int32_t *places = lb_alloc(count, sizeof *places);
  lbBodyId *ids = lb_alloc(count, sizeof *ids);
  r->ids = lb_alloc(count, sizeof *r->ids);
  r->starts = lb_alloc(count, sizeof *r->starts);
  lbStatus status =
      positions && rotations && places && ids && r->ids && r->starts ? LB_OK : lb_fail_memory(err);
  for (int32_t i = 0; i < actor->count && !status; i++)
    status = lb_start_find(actor->run->scene, member(actor, i), r->model, &r->starts[i], err);
  for (int driven = 0; driven < 2 && !status; driven++)
    status = add_actor_bodies(actor, driven, positions, rotations, places, ids, err);
  for (int32_t i = 0; i < actor->count && !status; i++) status = start_body(actor, i, err);
  lb_free(positions);
  lb_free(rotations);
  lb_free(places);
  lb_free(ids);
  return status;
}

// ---- loads and probes --------------------------------------------------------------------------

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

static lbStatus find_actor_point(const lbActor *actor, const char *what, int32_t number,
                                 int32_t body, int32_t vertex, lbPoint *point, lbError *err) {
  const lbScene *scene = actor->run->scene;
  const Own *r = actor->own;
  int32_t index;
  lbPointKind kind;
  if (!lb_scene_point(&scene->bodies[body], r->model, vertex, &kind, &index))
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: %s %d: the model of body \"%s\" has no vertex %d",
                   scene->path, what, (int)number, scene->bodies[body].name, (int)vertex);
  *point = kind == LB_POINT_VERTEX ? lb_point_vertex(index) : lb_point_node(index);
  return LB_OK;
}

static lbStatus add_actor_load(lbActor *actor, int32_t number, lbError *err) {
  const lbSceneLoad *from = &actor->run->scene->loads[number];
  int32_t i = member_of(actor, from->body);
  lbLoad load = lb_load();
  lbLoadId unused;
  if (i < 0) return LB_OK;
  lbStatus status =
      find_actor_point(actor, "load", number, from->body, from->vertex, &load.point, err);
  if (status) return status;
  load.body = ((Own *)actor->own)->ids[i];
  load.force = vector(from->force);
  load.from = from->from;
  load.to = from->to;
  return lb_world_add_load(actor->world, &load, &unused, err);
}

static lbStatus attach_actor(lbActor *actor, int32_t number, lbError *err) {
  const lbSceneAttachment *from = &actor->run->scene->attachments[number];
  int32_t i = member_of(actor, from->body);
  lbAttachment at = lb_attachment();
  lbAttachmentId unused;
  if (i < 0) return LB_OK;
  lbStatus status =
      find_actor_point(actor, "attachment", number, from->body, from->vertex, &at.point, err);
  if (status) return status;
  at.body = ((Own *)actor->own)->ids[i];
  at.path = from->path;
  at.stiffness = from->stiffness;
  at.damping = from->damping;
  at.from = from->from;
  at.to = from->to;
  return lb_world_attach(actor->world, &at, &unused, err);
}

static lbStatus add_probe(lbActor *actor, int32_t number, lbError *err) {
  const lbSceneProbe *from = &actor->run->scene->probes[number];
  Own *r = actor->own;
  int32_t i = member_of(actor, from->body);
  Mark mark = { .number = number };
  lbPoint point;
  if (i < 0) return LB_OK;
  lbStatus status = find_actor_point(actor, "probe", number, from->body, from->vertex, &point, err);
  if (!status) status = lb_world_add_probe(actor->world, r->ids[i], point, &mark.probe, err);
  if (!status) r->probes[r->probe_count++] = mark;
  return status;
}

static lbStatus add_marks(lbActor *actor, lbError *err) {
  const lbScene *scene = actor->run->scene;
  Own *r = actor->own;
  r->probes = lb_alloc((size_t)scene->probe_count, sizeof(Mark));
  lbStatus status = r->probes ? LB_OK : lb_fail_memory(err);
  for (int32_t i = 0; i < scene->load_count && !status; i++) status = add_actor_load(actor, i, err);
  for (int32_t i = 0; i < scene->attachment_count && !status; i++)
    status = attach_actor(actor, i, err);
  for (int32_t i = 0; i < scene->probe_count && !status; i++) status = add_probe(actor, i, err);
  return status;
}

static lbStatus find_model(lbActor *actor, lbError *err) {
  const lbScene *scene = actor->run->scene;
  const lbSceneBody *body = &scene->bodies[actor->bodies[0]];
  Own *r = actor->own;
  lbStatus status = body->model ? LB_OK
                    : body->method == LB_METHOD_FULL
                        ? lb_scene_full_model(body, &actor->owned->model, err)
                        : lb_scene_model(body, &actor->owned->model, err);
  if (status) return status;
  r->model = body->model ? body->model : actor->owned->model;
  for (int32_t i = 0; i < actor->count; i++)
    if ((body->method == LB_METHOD_FULL || body->method == LB_METHOD_WARP ||
         body->method == LB_METHOD_FRAMES) &&
        member(actor, i)->motion && lb_model_is_free_by(r->model, body->method))
      return lb_fail(err, LB_ERR_ARGUMENT,
                     "body \"%s\": the method \"%s\" follows its \"motion\" by what is fixed, and "
                     "nothing is: give it \"fixed\", or a reduced method",
                     member(actor, i)->name, lb_method_name(body->method));
  lbModelMethod view = { 0 };
  if (body->method != LB_METHOD_FULL) lb_model_method(r->model, body->method, &view);
  r->basis = view.basis;
  return LB_OK;
}

// ---- running -----------------------------------------------------------------------------------

void lb_actor_step(lbActor *actor, int32_t number) {
  const Own *r = actor->own;
  actor->times[number] = lb_world_body_seconds(actor->world, r->ids[0]);
  for (int32_t i = 0; i < actor->count; i++)
    lb_run_count_flags(&actor->run->bodies[actor->bodies[i]],
                       lb_world_body_flags(actor->world, r->ids[i]));
}

void lb_actor_probe(const lbActor *actor, double *row) {
  const Own *r = actor->own;
  for (int32_t p = 0; p < r->probe_count; p++) {
    lbVec3 moved = lb_vec3(0, 0, 0);
    (void)lb_world_probe(actor->world, r->probes[p].probe, NULL, &moved, NULL);
    lb_vec3_store(row + 3 * (size_t)r->probes[p].number, moved);
  }
}

// position, rotation
static void store_actor_placement(const lbFrame *frame, double placement[7]) {
  const lbQuat *q = &frame->rotation;
  const double rotation[4] = { q->x, q->y, q->z, q->w };
  lb_vec3_store(placement, frame->position);
  memcpy(placement + 3, rotation, sizeof rotation);
}

// Of frames: six a frame that moves.
static int32_t moving_numbers(const lbModel *model) {
  int32_t count = 0;
  for (int32_t i = 0; i < model->size.frame_count; i++) count += !model->frame_fixed[i];
  return 6 * count;
}

static void report_body(const lbActor *actor, int32_t i, lbRunBody *to) {
  const Own *r = actor->own;
  const lbBody *body = find_actor_body(actor, i);
  lbBodyReport report = lb_body_report(body);
  lbFrame frame = lb_body_frame(body);
  double placement[7];
  store_actor_placement(&frame, placement);
  memcpy(to->position, placement, sizeof to->position);
  memcpy(to->rotation, placement + 3, sizeof to->rotation);
  lb_vec3_store(to->linear_velocity, frame.linear_velocity);
  lb_vec3_store(to->angular_velocity, frame.angular_velocity);
  to->vertices = r->model->size.node_count;
  to->elements = r->model->size.element_count;
  to->dimension = r->dimension;
  to->mass = report.mass;
  bool trained = lb_body_method(body) == LB_METHOD_SUBSPACE && r->model->size.pose_count > 0 &&
                 r->model->size.subspace_part_count == 0;
  to->pose_distance = trained ? lb_body_pose_distance(body) : -1;
  to->unfollowed_force = trained ? lb_body_unfollowed_force(body) : -1;
  if (lb_body_method(body) == LB_METHOD_FULL) to->dimension = lb_full_count(body, &to->state);
  if (lb_body_method(body) == LB_METHOD_FRAMES) to->dimension = moving_numbers(r->model);
  to->state.kinetic = report.kinetic;
  to->state.elastic = report.elastic;
  lb_vec3_store(to->state.centre, report.centre);
  lb_vec3_store(to->state.linear_momentum, report.linear_momentum);
  lb_vec3_store(to->state.angular_momentum, report.angular_momentum);
}

void lb_actor_report(const lbActor *actor) {
  for (int32_t i = 0; i < actor->count; i++)
    report_body(actor, i, &actor->run->bodies[actor->bodies[i]]);
}

// ---- frames ------------------------------------------------------------------------------------

// The basis on the surface: W U, one shape after another.
static double *make_actor_shapes(const lbModel *m, const double *basis, int32_t dimension) {
  size_t vertices = (size_t)m->size.vertex_count, nodes = (size_t)m->size.node_count;
  double *shapes = lb_alloc((size_t)dimension, 3 * vertices * sizeof(double));
  for (size_t k = 0; shapes && k < (size_t)dimension; k++)
    lb_model_embed(m, 3, basis + 3 * nodes * k, shapes + 3 * vertices * k);
  return shapes;
}

static lbStatus make_actor_rows(lbActor *actor, lbRunBody *body, bool volume, lbError *err) {
  const Own *r = actor->own;
  size_t frames = (size_t)actor->run->frame_count, width = 3 * sizeof(double);
  bool complete = (body->placements = lb_alloc(frames, 7 * sizeof(double))) != NULL;
  if (r->basis) {
    complete &=
        (body->coordinates = lb_alloc(frames * (size_t)r->dimension, sizeof(double))) != NULL;
    return complete ? LB_OK : lb_fail_memory(err);
  }
  size_t vertices = (size_t)r->model->size.vertex_count, nodes = (size_t)r->model->size.node_count;
  complete &= (body->frames = lb_alloc(frames, 3 * vertices * sizeof(float))) != NULL;
  if (volume) complete &= (body->displacements = lb_alloc(frames, nodes * width)) != NULL;
  body->joint_count = lb_body_frames_count(find_actor_body(actor, 0));
  if (body->joint_count > 0)
    complete &=
        (body->joints = lb_alloc(frames * (size_t)body->joint_count, 7 * sizeof(double))) != NULL;
  return complete ? LB_OK : lb_fail_memory(err);
}

lbStatus lb_actor_begin_frames(lbActor *actor, bool volume, lbError *err) {
  Own *r = actor->own;
  size_t vertices = (size_t)r->model->size.vertex_count;
  lbStatus status = lb_model_surface_mesh(r->model, &actor->owned->surface, err);
  if (!status && volume) status = lb_model_volume_mesh(r->model, &actor->owned->volume, err);
  if (status) return status;
  if (r->basis)
    actor->owned->shapes = make_actor_shapes(r->model, r->basis, r->dimension);
  else
    r->surface = lb_alloc(vertices, 3 * sizeof(double));
  if (r->basis ? !actor->owned->shapes : !r->surface) return lb_fail_memory(err);
  for (int32_t i = 0; i < actor->count && !status; i++) {
    lbRunBody *body = &actor->run->bodies[actor->bodies[i]];
    body->model = r->model;
    body->surface = actor->owned->surface;
    body->volume = actor->owned->volume;
    body->shapes = actor->owned->shapes;
    body->shape_count = r->basis ? r->dimension : 0;
    status = make_actor_rows(actor, body, volume, err);
  }
  return status;
}

// The surface in the body's own axes, and the nodes.
static void record_unreduced(const lbActor *actor, const lbBody *body, size_t frame,
                             lbRunBody *to) {
  const Own *r = actor->own;
  size_t vertices = (size_t)r->model->size.vertex_count, nodes = (size_t)r->model->size.node_count;
  lbFrame at = lb_body_frame(body);
  lbQuat back = lb_quat_conjugate(at.rotation);
  lb_body_surface(body, r->surface);
  for (size_t v = 0; v < vertices; v++) {
    double own[3];
    lbVec3 place = lb_vec3_load(r->surface + 3 * v);
    lb_vec3_store(own, lb_quat_rotate(back, lb_sub(place, at.position)));
    for (size_t i = 0; i < 3; i++) to->frames[3 * (vertices * frame + v) + i] = (float)own[i];
  }
  if (to->displacements) lb_body_node_displacements(body, to->displacements + 3 * nodes * frame);
  for (int32_t i = 0; i < to->joint_count; i++) {
    double *pose = to->joints + 7 * ((size_t)to->joint_count * frame + (size_t)i);
    lbVec3 position;
    lbQuat rotation;
    if (lb_body_frames_pose(body, i, &position, &rotation)) continue;
    lb_vec3_store(pose, position);
    pose[3] = rotation.x, pose[4] = rotation.y, pose[5] = rotation.z, pose[6] = rotation.w;
  }
}

void lb_actor_record(lbActor *actor, int32_t frame) {
  const Own *r = actor->own;
  for (int32_t i = 0; i < actor->count; i++) {
    lbRunBody *body = &actor->run->bodies[actor->bodies[i]];
    const lbBody *moving = find_actor_body(actor, i);
    lbFrame at = lb_body_frame(moving);
    store_actor_placement(&at, body->placements + 7 * (size_t)frame);
    if (r->basis)
      lb_body_get_state(moving, body->coordinates + (size_t)frame * (size_t)r->dimension, r->rates);
    else
      record_unreduced(actor, moving, (size_t)frame, body);
  }
}

lbStatus lb_actor_create(lbActor *actor, lbError *err) {
  Own *r = lb_alloc(1, sizeof *r);
  if (!r) return lb_fail_memory(err);
  actor->own = r;
  lbStatus status = find_model(actor, err);
  if (!status) status = create_bodies(actor, err);
  if (status) return status;
  r->dimension = lb_body_dimension(find_actor_body(actor, 0));
  r->rates = lb_alloc((size_t)r->dimension, sizeof(double));
  return r->rates ? add_marks(actor, err) : lb_fail_memory(err);
}
