// Bodies of the run library: modal, subspace and recorded ones, all of a model in one batch.
#include "stage/actor.h"

#include <string.h>

typedef struct Reduced {
  lbBatch *batch;
  lbFrameKind frame;
  lbVec3 *positions;           // (count): of the frames in the beginning
  lbQuat *rotations;           // (count)
  lbPath **paths;              // (count), of the stage; NULL: frames that follow none
  lbVec3 shift;                // of the paths
  double *coordinates, *rates; // (dimension): zeros
  void *beginning;             // of a recording: the states at its start, one body after another
  size_t beginning_bytes;      // of one body
} Reduced;

static lbBody *body_of(const vwActor *actor, int32_t body) {
  return lb_batch_body(((const Reduced *)actor->own)->batch, body);
}

static void release(vwActor *actor) {
  Reduced *r = actor->own;
  lb_batch_destroy(r->batch);
  lb_free(r->positions);
  lb_free(r->rotations);
  lb_free(r->paths);
  lb_free(r->coordinates);
  lb_free(r->rates);
  lb_free(r->beginning);
  lb_free(r);
}

// ---- making ------------------------------------------------------------------------------------

// Constraints take memory by the square of their number.
static int32_t room_for_holds(int32_t count) {
  return count <= 4 ? 64 : count <= 16 ? 32 : count <= 64 ? 16 : 4;
}

// Where the frames are now.
static void follow_frames(vwActor *actor) {
  const Reduced *r = actor->own;
  for (int32_t i = 0; i < actor->count && r->frame != LB_FRAME_HELD; i++) {
    lbFrame frame = lb_body_frame(body_of(actor, i));
    actor->positions[i] = frame.position;
    actor->rotations[i] = frame.rotation;
  }
}

static lbStatus create_batch(vwActor *actor, const vwActorPlan *plan, lbError *err) {
  Reduced *r = actor->own;
  lbBatchDef def = lb_batch_def();
  def.count = plan->count;
  def.positions = plan->positions;
  def.rotations = plan->rotations;
  def.body.method = plan->method;
  def.body.frame = plan->paths ? LB_FRAME_DRIVEN : LB_FRAME_DEFAULT;
  def.body.gravity = plan->gravity;
  def.body.mode_count = plan->dimension;
  def.body.damping_mass = plan->damping_mass;
  def.body.damping_stiffness = plan->damping_stiffness;
  def.body.constrained_points = room_for_holds(plan->count);
  def.body.newton_iterations = plan->newton_iterations;
  def.body.newton_tolerance = plan->newton_tolerance;
  lbStatus status = lb_batch_create(plan->model, &def, &r->batch, err);
  if (status) return status;
  actor->dimension = lb_body_dimension(body_of(actor, 0));
  r->frame = lb_body_frame_kind(body_of(actor, 0));
  actor->moving = r->frame != LB_FRAME_HELD;
  return LB_OK;
}

// A recording has a time to go back to.
static lbStatus keep_beginning(vwActor *actor, lbError *err) {
  Reduced *r = actor->own;
  r->beginning_bytes = lb_body_state_bytes(body_of(actor, 0));
  r->beginning = lb_alloc((size_t)actor->count, r->beginning_bytes);
  if (!r->beginning) return lb_fail_memory(err);
  for (int32_t i = 0; i < actor->count; i++)
    (void)lb_body_save_state(body_of(actor, i),
                             (char *)r->beginning + (size_t)i * r->beginning_bytes,
                             r->beginning_bytes);
  return LB_OK;
}

static lbStatus apply_materials(vwActor *actor, const double *values, lbError *err) {
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < actor->model->size.material_count && !status; i++) {
    const double *v = values + 3 * (size_t)i;
    status = lb_batch_set_material(((Reduced *)actor->own)->batch, i, v[0], v[1], v[2], err);
  }
  return status;
}

static lbStatus keep_plan(vwActor *actor, const vwActorPlan *plan, lbError *err) {
  Reduced *r = actor->own;
  size_t count = (size_t)plan->count;
  r->positions = lb_duplicate(plan->positions, count, sizeof *r->positions);
  r->rotations = lb_duplicate(plan->rotations, count, sizeof *r->rotations);
  r->shift = plan->shift;
  if (plan->paths) r->paths = lb_duplicate(plan->paths, count, sizeof *r->paths);
  bool complete = r->positions && r->rotations && (r->paths || !plan->paths);
  return complete ? LB_OK : lb_fail_memory(err);
}

static lbStatus create(vwActor *actor, const vwActorPlan *plan, lbError *err) {
  Reduced *r = lb_alloc(1, sizeof *r);
  if (!r) return lb_fail_memory(err);
  actor->own = r;
  lbStatus status = create_batch(actor, plan, err);
  if (!status) status = keep_plan(actor, plan, err);
  if (status) return status;
  lbModelMethod view = { 0 };
  lb_model_method(plan->model, plan->method, &view);
  actor->idle = view.method == LB_METHOD_RECORDED;
  r->coordinates = lb_alloc((size_t)actor->dimension, sizeof(double));
  r->rates = lb_alloc((size_t)actor->dimension, sizeof(double));
  if (!r->coordinates || !r->rates) return lb_fail_memory(err);
  if (actor->idle) return keep_beginning(actor, err);
  return plan->materials ? apply_materials(actor, plan->materials, err) : LB_OK;
}

// ---- frames ------------------------------------------------------------------------------------

// A path tells the velocity of its origin, a frame that of the centre of mass.
static lbFrame frame_of(const vwActor *actor, const lbPathState *at) {
  const double *q = at->rotation;
  lbFrame frame = { .position =
                        lb_add(lb_vec3_load(at->position), ((const Reduced *)actor->own)->shift),
                    .rotation = lb_quat(q[0], q[1], q[2], q[3]),
                    .angular_velocity = lb_vec3_load(at->angular_velocity) };
  double centre[3], acceleration[3], velocity[3];
  lb_path_point(at, actor->model->rigid_centre, centre);
  lb_path_point_rates(at, centre, velocity, acceleration);
  frame.linear_velocity = lb_vec3_load(velocity);
  return frame;
}

// There at once, moving as the path does; nothing is felt.
static void jump_on_path(vwActor *actor, int32_t body, double time) {
  lbPathState at;
  lb_path_at(((const Reduced *)actor->own)->paths[body], time, &at);
  lbFrame to = frame_of(actor, &at);
  (void)lb_body_set_frame(body_of(actor, body), &to);
}

// Over a cut the frame is set behind it, with the velocity that it has there.
static void drive_on_path(vwActor *actor, int32_t body, const vwStep *step) {
  const lbPath *path = ((const Reduced *)actor->own)->paths[body];
  lbPathState at;
  if (lb_path_cut_between(path, step->from, step->to)) {
    lb_path_at(path, step->from, &at);
    lb_path_carry(path, step->from, step->to, &at);
    lbFrame behind = frame_of(actor, &at);
    (void)lb_body_set_frame(body_of(actor, body), &behind);
  }
  lb_path_at(path, step->to, &at);
  lbFrame goal = frame_of(actor, &at);
  (void)lb_body_drive(body_of(actor, body), &goal);
}

static lbFrame frame(const vwActor *actor, int32_t body) {
  return lb_body_frame(body_of(actor, body));
}

static void set_frame(vwActor *actor, int32_t body, const lbFrame *at, double time) {
  const Reduced *r = actor->own;
  lbBody *moved = body_of(actor, body);
  if (r->paths) {
    jump_on_path(actor, body, time);
  } else if (r->frame == LB_FRAME_FREE) {
    (void)lb_body_set_placement(moved, at->position, at->rotation);
    (void)lb_body_set_velocity(moved, at->linear_velocity, at->angular_velocity);
  }
  follow_frames(actor);
}

// ---- what acts ---------------------------------------------------------------------------------

static int32_t step(vwActor *actor, const vwStep *of) {
  Reduced *r = actor->own;
  for (int32_t i = 0; i < actor->count && r->paths; i++) drive_on_path(actor, i, of);
  int32_t flags = lb_batch_step(r->batch, of->dt);
  follow_frames(actor);
  return flags;
}

static void restart(vwActor *actor, const lbVec3 *linear, const lbVec3 *angular) {
  Reduced *r = actor->own;
  for (int32_t i = 0; i < actor->count && r->beginning; i++)
    (void)lb_body_restore_state(body_of(actor, i),
                                (char *)r->beginning + (size_t)i * r->beginning_bytes,
                                r->beginning_bytes);
  for (int32_t i = 0; i < actor->count; i++) {
    lbBody *body = body_of(actor, i);
    if (r->paths)
      jump_on_path(actor, i, 0);
    else if (r->frame == LB_FRAME_FREE)
      (void)lb_body_set_placement(body, r->positions[i], r->rotations[i]);
    if (r->beginning) continue;
    (void)lb_body_set_state(body, r->coordinates, r->rates);
    (void)lb_body_set_velocity(body, linear[i], angular[i]);
  }
  follow_frames(actor);
}

static void force(vwActor *actor, int32_t body, lbPoint point, lbVec3 amount) {
  (void)lb_body_apply_force(body_of(actor, body), point, amount);
}

// An impulse that gives the point the velocity, by its mobility; near the supports that of a freer
// place, or the impulse would be enormous.
static void strike(vwActor *actor, int32_t body, lbPoint point, lbVec3 velocity) {
  double mobility = 0;
  (void)lb_body_softness(body_of(actor, body), point, NULL, &mobility);
  mobility = fmax(mobility, 0.1 * actor->mobility);
  if (mobility > 0)
    (void)lb_body_apply_impulse(body_of(actor, body), point, lb_scale(1 / mobility, velocity));
}

static bool push(vwActor *actor, int32_t body, const vwPush *push, lbVec3 *amount) {
  lbBall ball = { push->centre, push->velocity, push->radius, push->stiffness };
  lbVec3 on_ball = lb_vec3(0, 0, 0);
  lbStatus status = lb_body_push_ball(body_of(actor, body), &ball, push->dt, &on_ball);
  *amount = lb_scale(-1, on_ball);
  return !status && lb_dot(on_ball, on_ball) > 0;
}

static lbStatus add_pull(vwActor *actor, int32_t body, const vwPull *pull, int32_t *id,
                         lbError *err) {
  double target[3];
  lbConstraintDef def = lb_constraint_def();
  lb_vec3_store(target, pull->target);
  def.point_count = 1;
  def.points = &pull->point;
  def.targets = target;
  def.stiffness = pull->stiffness;
  def.damping = pull->damping;
  lbStatus status = lb_body_add_constraint(body_of(actor, body), &def, id);
  return status ? lb_fail(err, status, "%s", lb_body_message(body_of(actor, body))) : LB_OK;
}

static void move_pull(vwActor *actor, int32_t body, int32_t id, lbVec3 to) {
  double target[3];
  lb_vec3_store(target, to);
  (void)lb_body_set_target(body_of(actor, body), id, target);
}

static void drop_pull(vwActor *actor, int32_t body, int32_t id) {
  (void)lb_body_remove_constraint(body_of(actor, body), id);
}

static lbVec3 pull_force(vwActor *actor, int32_t body, int32_t id) {
  double amount[3] = { 0 };
  (void)lb_body_constraint_force(body_of(actor, body), id, amount);
  return lb_vec3_load(amount);
}

// ---- settings ----------------------------------------------------------------------------------

static void set_gravity(vwActor *actor, lbVec3 gravity) {
  for (int32_t i = 0; i < actor->count; i++) (void)lb_body_set_gravity(body_of(actor, i), gravity);
}

static lbStatus set_damping(vwActor *actor, double mass, double stiffness, lbError *err) {
  lbBody *body = body_of(actor, 0); // all bodies of a batch share it
  lbStatus status = lb_body_set_damping(body, mass, stiffness);
  return status ? lb_fail(err, status, "%s", lb_body_message(body)) : LB_OK;
}

static lbStatus set_materials(vwActor *actor, const double *values, lbError *err) {
  lbStatus status = apply_materials(actor, values, err);
  if (!status) vw_actor_measure(actor);
  return status;
}

static const char *fixed_material(const vwActor *actor) {
  if (actor->idle) return "a recording cannot be changed";
  if (actor->method != LB_METHOD_SUBSPACE)
    return "modes belong to one material: choose the method subspace";
  return actor->model->subspace_mass ? NULL : "the model was built without --editable";
}

// ---- what it looks like ------------------------------------------------------------------------

static bool pick(vwActor *actor, int32_t body, lbVec3 origin, lbVec3 direction, lbPick *out) {
  bool hit = false;
  return !lb_body_pick(body_of(actor, body), origin, direction, out, &hit) && hit;
}

static void point(const vwActor *actor, int32_t body, lbPoint where, lbVec3 *position,
                  lbVec3 *velocity) {
  (void)lb_body_point(body_of(actor, body), where, position, velocity);
}

static void surface(const vwActor *actor, int32_t body, double *positions) {
  lb_body_surface(body_of(actor, body), positions);
}

static void vertices(const vwActor *actor, int32_t body, int32_t count, const int32_t *which,
                     double *positions) {
  (void)lb_body_vertices(body_of(actor, body), count, which, positions, NULL, NULL);
}

static void surface_velocities(const vwActor *actor, int32_t body, double *velocities) {
  lb_body_surface_velocities(body_of(actor, body), velocities);
}

static void softness(const vwActor *actor, int32_t body, lbPoint where, double *compliance,
                     double *mobility) {
  *compliance = *mobility = 0;
  if (!actor->idle) (void)lb_body_softness(body_of(actor, body), where, compliance, mobility);
}

static double reach(const vwActor *actor, int32_t body) {
  return lb_body_reach(body_of(actor, body));
}

static void motion(const vwActor *actor, int32_t body, double *displacements, double *velocities) {
  if (displacements) lb_body_node_displacements(body_of(actor, body), displacements);
  if (velocities) lb_body_node_velocities(body_of(actor, body), velocities);
}

static lbStatus set_motion(vwActor *actor, int32_t body, const double *displacements,
                           const double *velocities) {
  return lb_body_set_displacements(body_of(actor, body), displacements, velocities);
}

static void stress(const vwActor *actor, int32_t body, double *nodes) {
  lb_body_von_mises(body_of(actor, body), nodes);
}

static void energy(const vwActor *actor, int32_t body, double *kinetic, double *elastic) {
  lbBodyReport report = lb_body_report(body_of(actor, body));
  *kinetic = report.kinetic;
  *elastic = report.elastic;
}

static void state(const vwActor *actor, int32_t body, double *coordinates, double *rates) {
  lb_body_get_state(body_of(actor, body), coordinates, rates);
}

static lbStatus set_state(vwActor *actor, int32_t body, const double *coordinates,
                          const double *rates) {
  return lb_body_set_state(body_of(actor, body), coordinates, rates);
}

const vwActorKind vw_reduced_kind = {
  .create = create,
  .release = release,
  .step = step,
  .restart = restart,
  .force = force,
  .strike = strike,
  .push = push,
  .add_pull = add_pull,
  .move_pull = move_pull,
  .drop_pull = drop_pull,
  .pull_force = pull_force,
  .set_gravity = set_gravity,
  .set_damping = set_damping,
  .set_materials = set_materials,
  .fixed_material = fixed_material,
  .pick = pick,
  .point = point,
  .surface = surface,
  .surface_velocities = surface_velocities,
  .vertices = vertices,
  .softness = softness,
  .reach = reach,
  .motion = motion,
  .set_motion = set_motion,
  .frame = frame,
  .set_frame = set_frame,
  .stress = stress,
  .energy = energy,
  .state = state,
  .set_state = set_state,
};
