// Bodies that nothing here can move: of the method "full", without a recording, in a program that
// has no unreduced simulator. They are seen as they rest.
#include "stage/actor.h"

#include <string.h>

static lbStatus create(vwActor *actor, const vwActorPlan *plan, lbError *err) {
  (void)plan, (void)err;
  actor->idle = true;
  return LB_OK;
}

static void release(vwActor *actor) { (void)actor; }

static int32_t step(vwActor *actor, const vwStep *of) {
  (void)actor, (void)of;
  return 0;
}

static void restart(vwActor *actor, const lbVec3 *linear, const lbVec3 *angular) {
  (void)actor, (void)linear, (void)angular;
}

static void force(vwActor *actor, int32_t body, lbPoint point, lbVec3 amount) {
  (void)actor, (void)body, (void)point, (void)amount;
}

static bool push(vwActor *actor, int32_t body, const vwPush *ball, lbVec3 *amount) {
  (void)actor, (void)body, (void)ball;
  *amount = lb_vec3(0, 0, 0);
  return false;
}

static lbStatus add_pull(vwActor *actor, int32_t body, const vwPull *pull, int32_t *id,
                         lbError *err) {
  (void)actor, (void)body, (void)pull, (void)id;
  return lb_fail(err, LB_ERR_UNSUPPORTED, "this body is not simulated here");
}

static void move_pull(vwActor *actor, int32_t body, int32_t id, lbVec3 to) {
  (void)actor, (void)body, (void)id, (void)to;
}

static void drop_pull(vwActor *actor, int32_t body, int32_t id) {
  (void)actor, (void)body, (void)id;
}

static lbVec3 pull_force(vwActor *actor, int32_t body, int32_t id) {
  (void)actor, (void)body, (void)id;
  return lb_vec3(0, 0, 0);
}

static void set_gravity(vwActor *actor, lbVec3 gravity) { (void)actor, (void)gravity; }

static lbStatus set_damping(vwActor *actor, double mass, double stiffness, lbError *err) {
  (void)actor, (void)mass, (void)stiffness, (void)err;
  return LB_OK;
}

static lbStatus set_materials(vwActor *actor, const double *values, lbError *err) {
  (void)actor, (void)values, (void)err;
  return LB_OK;
}

static const char *fixed_material(const vwActor *actor) {
  (void)actor;
  return "this body is not simulated here";
}

static bool pick(vwActor *actor, int32_t body, lbVec3 origin, lbVec3 direction, lbPick *out) {
  (void)actor, (void)body, (void)origin, (void)direction, (void)out;
  return false;
}

static void point(const vwActor *actor, int32_t body, lbPoint where, lbVec3 *position,
                  lbVec3 *velocity) {
  *position =
      vw_place(actor, body, vw_point_sum(actor->model, &where, actor->model->node_positions));
  *velocity = lb_vec3(0, 0, 0);
}

static void surface(const vwActor *actor, int32_t body, double *positions) {
  const double *rest = actor->model->vertex_positions;
  for (size_t v = 0; v < (size_t)actor->model->size.vertex_count; v++)
    lb_vec3_store(positions + 3 * v, vw_place(actor, body, lb_vec3_load(rest + 3 * v)));
}

static void surface_velocities(const vwActor *actor, int32_t body, double *velocities) {
  (void)body;
  memset(velocities, 0, 3 * (size_t)actor->model->size.vertex_count * sizeof(double));
}

static void vertices(const vwActor *actor, int32_t body, int32_t count, const int32_t *which,
                     double *positions) {
  const double *rest = actor->model->vertex_positions;
  for (size_t i = 0; i < (size_t)count; i++)
    lb_vec3_store(positions + 3 * i,
                  vw_place(actor, body, lb_vec3_load(rest + 3 * (size_t)which[i])));
}

static void softness(const vwActor *actor, int32_t body, lbPoint where, double *compliance,
                     double *mobility) {
  (void)actor, (void)body, (void)where;
  *compliance = *mobility = 0;
}

static double reach(const vwActor *actor, int32_t body) {
  (void)actor, (void)body;
  return 0;
}

static void motion(const vwActor *actor, int32_t body, double *displacements, double *velocities) {
  (void)body;
  size_t bytes = 3 * (size_t)actor->model->size.node_count * sizeof(double);
  if (displacements) memset(displacements, 0, bytes);
  if (velocities) memset(velocities, 0, bytes);
}

static lbStatus set_motion(vwActor *actor, int32_t body, const double *displacements,
                           const double *velocities) {
  (void)actor, (void)body, (void)displacements, (void)velocities;
  return LB_OK;
}

static lbFrame frame(const vwActor *actor, int32_t body) {
  return (lbFrame){ .position = actor->positions[body], .rotation = actor->rotations[body] };
}

static void set_frame(vwActor *actor, int32_t body, const lbFrame *at, double time) {
  (void)actor, (void)body, (void)at, (void)time;
}

static void stress(const vwActor *actor, int32_t body, double *nodes) {
  (void)body;
  memset(nodes, 0, (size_t)actor->model->size.node_count * sizeof(double));
}

static void energy(const vwActor *actor, int32_t body, double *kinetic, double *elastic) {
  (void)actor, (void)body;
  *kinetic = *elastic = 0;
}

static void state(const vwActor *actor, int32_t body, double *coordinates, double *rates) {
  (void)actor, (void)body, (void)coordinates, (void)rates;
}

static lbStatus set_state(vwActor *actor, int32_t body, const double *coordinates,
                          const double *rates) {
  (void)actor, (void)body, (void)coordinates, (void)rates;
  return LB_OK;
}

const vwActorKind vw_still_kind = {
  .create = create,
  .release = release,
  .step = step,
  .restart = restart,
  .force = force,
  .strike = force,
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
