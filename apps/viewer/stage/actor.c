// Actors: bodies put into a world, and those that stand still.
#include "stage/actor.h"

#include "limber/frames.h"
#include "stage/unreduced.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 64 };   // vertices whose compliance is measured
#define LEAST_MOBILE 0.1 // of the most mobile place: where a blow would need an enormous impulse

// ---- making ------------------------------------------------------------------------------------

// A ball around the rest shape: about the middle of its box.
static void find_ball(vwActor *actor) {
  const lbModel *m = actor->model;
  vwBox box = vw_box_empty();
  for (int32_t v = 0; v < m->size.vertex_count; v++)
    vw_box_add(&box, lb_vec3_load(m->vertex_positions + 3 * (size_t)v));
  if (m->size.vertex_count == 0) return;
  actor->box = box;
  lbVec3 centre = lb_scale(0.5, lb_add(box.low, box.high));
  for (int32_t v = 0; v < m->size.vertex_count; v++) {
    lbVec3 x = lb_vec3_load(m->vertex_positions + 3 * (size_t)v);
    actor->radius = fmax(actor->radius, lb_length(lb_sub(x, centre)));
  }
}

// Of some vertices, the largest.
static void measure_softness(vwActor *actor) {
  int32_t count = actor->model->size.vertex_count;
  actor->compliance = actor->mobility = 0;
  for (int32_t v = 0; v < count; v += count / SAMPLES + 1) {
    double compliance, mobility;
    vw_actor_softness(actor, 0, lb_point_vertex(v), &compliance, &mobility);
    actor->compliance = fmax(actor->compliance, compliance);
    actor->mobility = fmax(actor->mobility, mobility);
  }
}

static lbStatus set_actor_materials(vwActor *actor, lbWorld *world, const double *values,
                                    lbError *err) {
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < actor->model->size.material_count && !status; i++, values += 3)
    status = lb_world_set_material(world, actor->ids[0], i, values[0], values[1], values[2], err);
  return status;
}

// u (nodes x 3) <- U q
static void displace_nodes(const lbModel *model, const lbModelMethod *method, const double *q,
                           double *u) {
  size_t numbers = 3 * (size_t)model->size.node_count;
  for (int32_t k = 0; k < method->dimension; k++)
    for (size_t i = 0; i < numbers; i++) u[i] += q[k] * method->basis[numbers * (size_t)k + i];
}

// Bodies by other methods, or with fewer vectors, get as near to the shape as they can.
static lbStatus set_shape(const vwActor *actor, lbBody *body, const double *q, lbError *err) {
  const lbModel *model = actor->model;
  lbModelMethod method;
  if (!lb_model_method(model, LB_METHOD_SUBSPACE, &method)) return LB_OK;
  if (lb_body_method(body) == LB_METHOD_SUBSPACE && lb_body_dimension(body) == method.dimension)
    return lb_body_set_shape(body, q);
  double *u = lb_alloc((size_t)model->size.node_count, 3 * sizeof *u);
  if (!u) return lb_fail_memory(err);
  displace_nodes(model, &method, q, u);
  lbStatus status = lb_body_set_displacements(body, u, NULL);
  lb_free(u);
  return status;
}

// In its shape, on its path, with its velocity.
static lbStatus start_actor_body(vwActor *actor, lbWorld *world, const vwActorPlan *plan, int32_t i,
                                 lbError *err) {
  lbStatus status = LB_OK;
  lbBody *body = actor->bodies[i] = lb_world_body(world, actor->ids[i]);
  if (plan->paths)
    status = lb_world_drive_beside(world, actor->ids[i], plan->paths[i], plan->shift, err);
  if (!status && plan->shapes && plan->shapes[i] &&
      (status = set_shape(actor, body, plan->shapes[i], err)))
    lb_fail(err, status, "%s", lb_body_message(body));
  bool moves = lb_length(plan->linear[i]) > 0 || lb_length(plan->angular[i]) > 0;
  if (!status && moves && (status = lb_body_set_velocity(body, plan->linear[i], plan->angular[i])))
    lb_fail(err, status, "%s", lb_body_message(body));
  return status;
}

static lbStatus set_touch(const vwActor *actor, lbWorld *world, const vwActorPlan *plan,
                          lbError *err) {
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < actor->count && !status; i++) {
    const double *frames = plan->contact_frames + 2 * (size_t)i;
    status = lb_world_set_touch(world, actor->ids[i], !plan->untouchable[i],
                                plan->contact_materials[i].friction, err);
    if (!status)
      status =
          lb_world_set_contact_material(world, actor->ids[i], &plan->contact_materials[i], err);
    if (!status) status = lb_world_set_filter(world, actor->ids[i], &plan->filters[i], err);
    if (!status && frames[0] > 0 && lb_body_method(actor->bodies[i]) == LB_METHOD_FRAMES)
      status =
          lb_world_set_contact_frames(world, actor->ids[i], (int32_t)frames[0], frames[1], err);
  }
  return status;
}

static lbStatus enter_world(vwActor *actor, lbWorld *world, const vwActorPlan *plan, lbError *err) {
  size_t count = (size_t)actor->count;
  actor->ids = lb_alloc(count, sizeof *actor->ids);
  actor->bodies = lb_alloc(count, sizeof *actor->bodies);
  if (!actor->ids || !actor->bodies) return lb_fail_memory(err);
  lbStatus status =
      lb_world_add_batch_at(world, plan->model, &plan->bodies, plan->places, actor->ids, err);
  if (!status && plan->materials) status = set_actor_materials(actor, world, plan->materials, err);
  for (int32_t i = 0; i < actor->count && !status; i++)
    status = start_actor_body(actor, world, plan, i, err);
  if (!status && plan->untouchable) status = set_touch(actor, world, plan, err);
  if (status) return status;
  actor->idle = lb_body_method(actor->bodies[0]) == LB_METHOD_RECORDED;
  lbModelMethod view = { 0 };
  bool reduced = lb_model_method(actor->model, actor->method, &view) && view.basis;
  actor->dimension = reduced ? lb_body_dimension(actor->bodies[0]) : 0;
  actor->moving = lb_body_frame_kind(actor->bodies[0]) != LB_FRAME_HELD;
  return LB_OK;
}

static lbStatus fill_actor(vwActor *actor, lbWorld *world, const vwActorPlan *plan, bool full,
                           lbError *err) {
  size_t count = (size_t)plan->bodies.count;
  actor->model = plan->model;
  actor->method = plan->bodies.body.method;
  actor->count = plan->bodies.count;
  actor->positions = lb_duplicate(plan->bodies.positions, count, sizeof(lbVec3));
  actor->rotations = lb_duplicate(plan->bodies.rotations, count, sizeof(lbQuat));
  if (!actor->positions || !actor->rotations) return lb_fail_memory(err);
  find_ball(actor);
  lbStatus status = LB_OK;
  actor->idle = actor->method == LB_METHOD_FULL && !full;
  if (actor->method == LB_METHOD_FULL && full) status = vw_unreduced_create(actor, err);
  if (!status && !actor->idle) status = enter_world(actor, world, plan, err);
  if (!status) measure_softness(actor);
  return status;
}

lbStatus vw_actor_create(lbWorld *world, const vwActorPlan *plan, bool full, vwActor **out,
                         lbError *err) {
  vwActor *actor = lb_alloc(1, sizeof *actor);
  if (!actor) return lb_fail_memory(err);
  lbStatus status = fill_actor(actor, world, plan, full, err);
  if (status)
    vw_actor_destroy(actor);
  else
    *out = actor;
  return status;
}

void vw_actor_destroy(vwActor *actor) {
  if (!actor) return;
  vw_unreduced_release(actor);
  lb_free(actor->bodies);
  lb_free(actor->ids);
  lb_free(actor->positions);
  lb_free(actor->rotations);
  lb_free(actor);
}

// ---- settings ----------------------------------------------------------------------------------

lbStatus vw_actor_set_materials(vwActor *actor, lbWorld *world, const double *values,
                                lbError *err) {
  lbStatus status = LB_OK;
  if (actor->method == LB_METHOD_RIGID) return LB_OK;
  if (actor->bodies) status = set_actor_materials(actor, world, values, err);
  if (!status) measure_softness(actor);
  return status;
}

lbStatus vw_actor_set_damping(vwActor *actor, double mass, double stiffness, lbError *err) {
  if (actor->idle || actor->method == LB_METHOD_RIGID) return LB_OK;
  lbBody *body = actor->bodies[0]; // all bodies of a batch share it
  lbStatus status = lb_body_set_damping(body, mass, stiffness);
  return status ? lb_fail(err, status, "%s", lb_body_message(body)) : LB_OK;
}

// All bodies have the same frames but for those inserted: when one refuses a frame, it is removed
// from all.
lbStatus vw_actor_set_springs(vwActor *actor, bool springs, lbError *err) {
  lbFrameForces wanted = springs ? LB_FRAME_SPRINGS : LB_FRAME_SAMPLES;
  if (!actor->bodies || lb_body_method(actor->bodies[0]) != LB_METHOD_FRAMES) return LB_OK;
  for (int32_t i = 0; i < actor->count; i++) {
    lbStatus status = lb_body_frames_set_forces(actor->bodies[i], wanted);
    if (!status) continue;
    lb_fail(err, status, "%s", lb_body_message(actor->bodies[i]));
    while (i-- > 0) (void)lb_body_frames_set_forces(actor->bodies[i], LB_FRAME_SAMPLES);
    return status;
  }
  return LB_OK;
}

const char *vw_actor_fixed_material(const vwActor *actor) {
  if (!actor->bodies) return "this body is not simulated here";
  if (actor->idle) return "a recording cannot be changed";
  if (actor->unreduced) return NULL;
  lbMethod method = lb_body_method(actor->bodies[0]);
  if (method == LB_METHOD_WARP || method == LB_METHOD_FRAMES) return NULL;
  if (method != LB_METHOD_SUBSPACE)
    return "modes belong to one material: choose the method subspace";
  return actor->model->subspace_mass ? NULL : "the model was built without --editable";
}

// ---- what hands do -----------------------------------------------------------------------------

void vw_actor_softness(const vwActor *actor, int32_t body, lbPoint point, double *compliance,
                       double *mobility) {
  *compliance = *mobility = 0;
  if (!actor->idle) (void)lb_body_softness(actor->bodies[body], point, compliance, mobility);
}

lbStatus vw_actor_add_pull(vwActor *actor, int32_t number, const vwPull *pull, int32_t *id,
                           lbError *err) {
  double target[3];
  lbBody *body = actor->bodies[number];
  lbConstraintDef def = lb_constraint_def();
  lb_vec3_store(target, pull->target);
  def.point_count = 1;
  def.points = &pull->point;
  def.targets = target;
  def.stiffness = pull->stiffness;
  def.damping = pull->damping;
  lbStatus status = lb_body_add_constraint(body, &def, id);
  return status ? lb_fail(err, status, "%s", lb_body_message(body)) : LB_OK;
}

void vw_actor_move_pull(vwActor *actor, int32_t body, int32_t id, lbVec3 to) {
  double target[3];
  lb_vec3_store(target, to);
  (void)lb_body_set_target(actor->bodies[body], id, target);
}

void vw_actor_drop_pull(vwActor *actor, int32_t body, int32_t id) {
  (void)lb_body_remove_constraint(actor->bodies[body], id);
}

lbVec3 vw_actor_pull_force(const vwActor *actor, int32_t body, int32_t id) {
  double force[3] = { 0 };
  (void)lb_body_constraint_force(actor->bodies[body], id, force);
  return lb_vec3_load(force);
}

// An impulse that gives the point the velocity, by its mobility.
void vw_actor_strike(vwActor *actor, int32_t number, lbPoint point, lbVec3 velocity) {
  double mobility = 0;
  if (actor->unreduced) {
    vw_unreduced_strike(actor, number, point, velocity);
    return;
  }
  lbBody *body = actor->bodies[number];
  (void)lb_body_softness(body, point, NULL, &mobility);
  mobility = fmax(mobility, LEAST_MOBILE * actor->mobility);
  if (mobility > 0) (void)lb_body_apply_impulse(body, point, lb_scale(1 / mobility, velocity));
}

lbVec3 vw_actor_push(vwActor *actor, int32_t body, const lbWorld *world, const lbBall *ball,
                     double dt) {
  lbVec3 force = lb_vec3(0, 0, 0);
  double h = lb_world_next_step(world, actor->ids[body], dt);
  if (h == 0) return actor->unreduced ? actor->unreduced->pushed[body] : force;
  lbStatus status = lb_body_push_ball(actor->bodies[body], ball, h, &force);
  force = status ? lb_vec3(0, 0, 0) : lb_scale(-1, force);
  if (actor->unreduced) actor->unreduced->pushed[body] = force;
  return force;
}

// ---- what is seen ------------------------------------------------------------------------------

lbFrame vw_actor_frame(const vwActor *actor, int32_t body) {
  if (actor->bodies) return lb_body_frame(actor->bodies[body]);
  return (lbFrame){ .position = actor->positions[body], .rotation = actor->rotations[body] };
}

static lbVec3 place_own_point(const lbFrame *frame, lbVec3 own) {
  return lb_add(frame->position, lb_quat_rotate(frame->rotation, own));
}

lbVec3 vw_actor_place(const vwActor *actor, int32_t body, lbVec3 own) {
  lbFrame frame = vw_actor_frame(actor, body);
  return place_own_point(&frame, own);
}

void vw_actor_motion(const vwActor *actor, int32_t body, double *displacements,
                     double *velocities) {
  size_t bytes = 3 * (size_t)actor->model->size.node_count * sizeof(double);
  if (actor->bodies) {
    if (displacements) lb_body_node_displacements(actor->bodies[body], displacements);
    if (velocities) lb_body_node_velocities(actor->bodies[body], velocities);
  } else {
    if (displacements) memset(displacements, 0, bytes);
    if (velocities) memset(velocities, 0, bytes);
  }
}

static lbVec3 rest_vertex(const vwActor *actor, const lbFrame *frame, int32_t vertex) {
  return place_own_point(frame, lb_vec3_load(actor->model->vertex_positions + 3 * (size_t)vertex));
}

lbVec3 vw_actor_point(const vwActor *actor, int32_t body, lbPoint point) {
  lbVec3 position = lb_vec3(0, 0, 0);
  if (actor->bodies) (void)lb_body_point(actor->bodies[body], point, &position, NULL);
  return position; // bodies that stand still cannot be grabbed
}

void vw_actor_surface(const vwActor *actor, int32_t body, double *positions) {
  lbFrame frame = vw_actor_frame(actor, body);
  if (actor->bodies)
    lb_body_surface(actor->bodies[body], positions);
  else
    for (int32_t v = 0; v < actor->model->size.vertex_count; v++)
      lb_vec3_store(positions + 3 * (size_t)v, rest_vertex(actor, &frame, v));
}

void vw_actor_vertices(const vwActor *actor, int32_t body, int32_t count, const int32_t *vertices,
                       double *positions) {
  lbFrame frame = vw_actor_frame(actor, body);
  if (actor->bodies) {
    (void)lb_body_vertices(actor->bodies[body], count, vertices, positions, NULL, NULL);
    return;
  }
  for (int32_t i = 0; i < count; i++)
    lb_vec3_store(positions + 3 * (size_t)i, rest_vertex(actor, &frame, vertices[i]));
}

void vw_actor_velocities(const vwActor *actor, int32_t body, double *nodes, double *velocities) {
  if (actor->bodies) {
    lb_body_surface_velocities(actor->bodies[body], velocities);
    return;
  }
  vw_actor_motion(actor, body, NULL, nodes);
  lb_model_embed(actor->model, 3, nodes, velocities);
}

void vw_actor_stress(const vwActor *actor, int32_t body, double *nodes, double *stresses) {
  if (actor->bodies)
    lb_body_von_mises(actor->bodies[body], nodes);
  else
    memset(nodes, 0, (size_t)actor->model->size.node_count * sizeof(double));
  lb_model_embed(actor->model, 1, nodes, stresses);
}

void vw_actor_energy(const vwActor *actor, int32_t body, double *kinetic, double *elastic) {
  *kinetic = *elastic = 0;
  if (actor->bodies) {
    lbBodyReport report = lb_body_report(actor->bodies[body]);
    *kinetic = report.kinetic;
    *elastic = report.elastic;
  }
}
