// Unreduced bodies as an actor: a finite-element body from the model's arrays, in its own axes, and
// a simulator for each body. Grabs and pins are springs of the simulator; a ball is springs on the
// vertices that are in it. Larger bodies take longer steps, down to 60 a second: the others wait
// for them in the same thread, so they must not be slower than they have to.
#include "desktop/full_parts.h"

#include <string.h>

enum { FEEL_MODES = 6 };

static void release(vwActor *actor) {
  vwFull *f = actor->own;
  for (int32_t i = 0; f->bodies && i < actor->count; i++) {
    lb_simulator_destroy(f->bodies[i].simulator);
    lb_free(f->bodies[i].forces);
    lb_free(f->bodies[i].good);
  }
  lb_body_destroy(f->twin);
  lb_modes_destroy(f->modes);
  lb_fem_destroy(f->fem);
  lb_free(f->bodies);
  lb_free(f->materials);
  lb_free(f->linear);
  lb_free(f->angular);
  lb_free(f->load);
  lb_free(f->work);
  lb_free(f);
}

// ---- making ------------------------------------------------------------------------------------

static lbStatus make_fem(const lbModel *m, const double *values, lbFem **out, lbError *err) {
  size_t count = (size_t)m->size.material_count, nodes = (size_t)m->size.node_count;
  lbMaterial *materials = lb_alloc(count, sizeof *materials);
  bool *fixed = lb_alloc(nodes, sizeof *fixed);
  lbStatus status = materials && fixed ? LB_OK : lb_fail_memory(err);
  for (size_t i = 0; i < count && !status; i++) {
    const double *more = m->material_values + 6 * i, *v = values + 3 * i;
    materials[i] = (lbMaterial){ .model = (lbMaterialModel)m->material_laws[i],
                                 .young = v[0],
                                 .poisson = v[1],
                                 .density = v[2],
                                 .c10 = more[3],
                                 .c01 = more[4],
                                 .v1 = more[5] };
  }
  for (size_t n = 0; n < nodes && !status; n++) fixed[n] = m->node_fixed[n] != 0;
  if (!status) {
    // Only read, and copied: the model stays as it is.
    lbMesh mesh = { .vertex_count = m->size.node_count,
                    .positions = (double *)m->node_positions,
                    .tet_count = m->size.tet_count,
                    .tets = (int32_t *)m->tets,
                    .brick_count = m->size.brick_count,
                    .bricks = (int32_t *)m->bricks };
    lbFemDef def = lb_fem_def();
    def.name = m->name;
    def.materials = materials;
    def.material_count = m->size.material_count;
    def.element_materials = m->element_materials;
    def.fixed = fixed;
    def.mass = m->full_mass && m->full_mass[0] ? LB_MASS_LUMPED : LB_MASS_CONSISTENT;
    status = lb_fem_create(&mesh, &def, out, err);
  }
  lb_free(materials);
  lb_free(fixed);
  return status;
}

static lbSimulatorDef make_def(const vwActorPlan *plan) {
  const lbModel *m = plan->model;
  lbModelMethod view = { 0 };
  if (!m->full_damping) lb_model_method(m, LB_METHOD_DEFAULT, &view);
  const double *damping = m->full_damping ? m->full_damping : view.damping;
  const lbBodyDef *body = &plan->bodies.body;
  lbSimulatorDef def = lb_simulator_def();
  def.step = 1 / plan->rate;
  def.integrator = body->integrator;
  def.damping_mass = !isnan(body->damping_mass) ? body->damping_mass : damping ? damping[0] : 0;
  def.damping_stiffness = !isnan(body->damping_stiffness) ? body->damping_stiffness
                          : damping                       ? damping[1]
                                                          : 0;
  def.newton_iterations = 12; // for the eye
  def.newton_tolerance = 1e-4;
  def.factor_reuse = 0.3;
  return def;
}

// What tells how the body gives way: a reduced body of the model, or some modes where it has none.
static void make_twin(vwActor *actor) {
  vwFull *f = actor->own;
  lbBodyDef def = lb_body_def();
  def.method = lb_model_has(actor->model, LB_METHOD_MODAL) ? LB_METHOD_MODAL : LB_METHOD_SUBSPACE;
  if (lb_model_has(actor->model, def.method) && !lb_body_create(actor->model, &def, &f->twin, NULL))
    return;
  int32_t most = 3 * lb_fem_node_count(f->fem) / 4, count = most < FEEL_MODES ? most : FEEL_MODES;
  if (count > 0) (void)lb_fem_modes(f->fem, count, &f->modes, NULL);
}

static lbStatus make_bodies(vwActor *actor, lbError *err) {
  vwFull *f = actor->own;
  size_t nodes = (size_t)actor->model->size.node_count;
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < actor->count && !status; i++) {
    vwFullBody *body = &f->bodies[i];
    body->forces = lb_alloc(nodes, 3 * sizeof(double));
    body->good = lb_alloc(nodes, 3 * sizeof(double));
    if (!body->forces || !body->good) return lb_fail_memory(err);
    status = lb_simulator_create(f->fem, &f->def, NULL, NULL, NULL, &body->simulator, err);
  }
  return status;
}

static void restart(vwActor *actor) {
  vwFull *f = actor->own;
  const lbModel *m = actor->model;
  f->waited = 0;
  for (int32_t i = 0; i < actor->count; i++) {
    lbVec3 centre = lb_vec3_load(m->rigid_centre), v = vw_full_turn(actor, i, f->linear[i]);
    lbVec3 w = vw_full_turn(actor, i, f->angular[i]);
    for (size_t n = 0; n < (size_t)m->size.node_count; n++) {
      lbVec3 arm = lb_sub(lb_vec3_load(m->node_positions + 3 * n), centre);
      lb_vec3_store(f->work + 3 * n, lb_add(v, lb_cross(w, arm)));
    }
    f->bodies[i].forced = false;
    f->bodies[i].ball_count = 0;
    memset(f->bodies[i].forces, 0, 3 * (size_t)m->size.node_count * sizeof(double));
    memset(f->bodies[i].good, 0, 3 * (size_t)m->size.node_count * sizeof(double));
    vw_full_load(actor, i, 1);
    (void)lb_simulator_set_springs(f->bodies[i].simulator, NULL, 0, NULL);
    (void)lb_simulator_set_motion(f->bodies[i].simulator, NULL, f->work, f->load, NULL);
  }
}

static lbStatus create(vwActor *actor, const vwActorPlan *plan, lbError *err) {
  const lbModel *m = plan->model;
  size_t materials = (size_t)m->size.material_count, nodes = (size_t)m->size.node_count;
  size_t vertices = (size_t)m->size.vertex_count;
  vwFull *f = lb_alloc(1, sizeof *f);
  if (!f) return lb_fail_memory(err);
  actor->own = f;
  f->def = make_def(plan);
  f->gravity = plan->bodies.body.gravity;
  f->dt = 1 / plan->rate;
  f->materials = lb_alloc(materials, 3 * sizeof(double));
  f->bodies = lb_alloc((size_t)actor->count, sizeof(vwFullBody));
  f->linear = lb_duplicate(plan->linear, (size_t)actor->count, sizeof(lbVec3));
  f->angular = lb_duplicate(plan->angular, (size_t)actor->count, sizeof(lbVec3));
  f->load = lb_alloc(nodes, 3 * sizeof(double));
  f->work = lb_alloc(nodes > vertices ? nodes : vertices, 3 * sizeof(double));
  if (!f->materials || !f->bodies || !f->linear || !f->angular || !f->load || !f->work)
    return lb_fail_memory(err);
  for (size_t i = 0; i < materials; i++)
    memcpy(f->materials + 3 * i,
           plan->materials ? plan->materials + 3 * i : m->material_values + 6 * i,
           3 * sizeof(double));
  lbStatus status = make_fem(m, f->materials, &f->fem, err);
  if (!status) make_twin(actor);
  if (!status) status = make_bodies(actor, err);
  if (!status) restart(actor);
  return status;
}

// ---- what acts ---------------------------------------------------------------------------------

static void force(vwActor *actor, int32_t body, lbPoint point, lbVec3 amount) {
  vwFull *f = actor->own;
  int32_t nodes[VW_POINT_NODES];
  double weights[VW_POINT_NODES];
  int32_t count = vw_point_nodes(actor->model, &point, nodes, weights);
  lbVec3 own = vw_full_turn(actor, body, amount);
  for (int32_t i = 0; i < count; i++) {
    double *to = f->bodies[body].forces + 3 * (size_t)nodes[i];
    lb_vec3_store(to, lb_add_scaled(lb_vec3_load(to), weights[i], own));
  }
  f->bodies[body].forced = true;
}

// The struck place and what is around it get the velocity, less and less with the distance: by a
// force over the next step, which may bend what a sudden velocity would tear.
static void strike(vwActor *actor, int32_t body, lbPoint point, lbVec3 velocity) {
  vwFull *f = actor->own;
  const lbModel *m = actor->model;
  const double *masses = lb_fem_vertex_masses(f->fem);
  lbVec3 at = vw_point_sum(m, &point, m->node_positions), own = vw_full_turn(actor, body, velocity);
  double reach = 0.5 * actor->radius;
  for (size_t n = 0; n < (size_t)m->size.node_count; n++) {
    double away = lb_length(lb_sub(lb_vec3_load(m->node_positions + 3 * n), at)) / reach;
    double share = away < 1 ? (1 - away * away) * (1 - away * away) : 0;
    double *to = f->bodies[body].forces + 3 * n;
    lb_vec3_store(to, lb_add_scaled(lb_vec3_load(to), share * masses[n] / f->dt, own));
  }
  f->bodies[body].forced = true;
}

static bool push(vwActor *actor, int32_t body, const lbBall *ball, lbVec3 *amount) {
  vwFullBody *b = &((vwFull *)actor->own)->bodies[body];
  // Between its own steps the last place of each ball counts.
  if (((vwFull *)actor->own)->waited > 0 && b->ball_count > 0) b->ball_count--;
  if (b->ball_count < VW_FULL_BALLS) b->balls[b->ball_count++] = *ball;
  *amount = b->ball_force;
  return lb_dot(b->ball_force, b->ball_force) > 0;
}

static lbStatus add_pull(vwActor *actor, int32_t body, const vwPull *pull, int32_t *id,
                         lbError *err) {
  vwFullBody *b = &((vwFull *)actor->own)->bodies[body];
  for (int32_t i = 0; i < VW_FULL_PULLS; i++) {
    if (b->pulls[i].used) continue;
    vwFullPull made = { .used = true, .spring = -1 };
    if (!vw_full_spring(actor->model, &pull->point, &made.shape))
      return lb_fail(err, LB_ERR_ARGUMENT, "no spring can be put there");
    made.shape.stiffness = pull->stiffness;
    made.shape.damping = pull->damping;
    lb_vec3_store(made.shape.target, vw_full_place(actor, body, pull->target));
    b->pulls[i] = made;
    *id = i;
    return LB_OK;
  }
  return lb_fail(err, LB_ERR_ARGUMENT, "no room for more than %d springs", VW_FULL_PULLS);
}

static void move_pull(vwActor *actor, int32_t body, int32_t id, lbVec3 target) {
  vwFullPull *pull = &((vwFull *)actor->own)->bodies[body].pulls[id];
  lb_vec3_store(pull->shape.target, vw_full_place(actor, body, target));
}

static void drop_pull(vwActor *actor, int32_t body, int32_t id) {
  ((vwFull *)actor->own)->bodies[body].pulls[id].used = false;
}

static lbVec3 pull_force(const vwActor *actor, int32_t body, int32_t id) {
  vwFullBody *b = &((vwFull *)actor->own)->bodies[body];
  double amount[3] = { 0 };
  if (b->pulls[id].spring >= 0)
    lb_simulator_spring_force(b->simulator, b->pulls[id].spring, amount);
  return lb_quat_rotate(actor->rotations[body], lb_vec3_load(amount));
}

// ---- settings ----------------------------------------------------------------------------------

static void set_gravity(vwActor *actor, lbVec3 gravity) {
  ((vwFull *)actor->own)->gravity = gravity;
}

// New simulators of a fem and def, in the same motion; on failure all stays.
static lbStatus remake(vwActor *actor, lbFem *fem, const lbSimulatorDef *def, lbError *err) {
  vwFull *f = actor->own;
  lbSimulator **made = lb_alloc((size_t)actor->count, sizeof *made);
  lbStatus status = made ? LB_OK : lb_fail_memory(err);
  for (int32_t i = 0; i < actor->count && !status; i++) {
    vw_full_load(actor, i, 1);
    status =
        lb_simulator_create(fem, def, lb_simulator_displacement(f->bodies[i].simulator),
                            lb_simulator_velocity(f->bodies[i].simulator), f->load, &made[i], err);
  }
  for (int32_t i = 0; made && i < actor->count; i++) {
    lb_simulator_destroy(status ? made[i] : f->bodies[i].simulator);
    if (!status) f->bodies[i].simulator = made[i];
    for (int32_t k = 0; k < VW_FULL_PULLS && !status; k++) f->bodies[i].pulls[k].spring = -1;
  }
  lb_free(made);
  return status;
}

static lbStatus set_damping(vwActor *actor, double mass, double stiffness, lbError *err) {
  vwFull *f = actor->own;
  lbSimulatorDef def = f->def;
  def.damping_mass = mass;
  def.damping_stiffness = stiffness;
  lbStatus status = remake(actor, f->fem, &def, err);
  if (!status) f->def = def;
  return status;
}

static lbStatus set_materials(vwActor *actor, const double *values, lbError *err) {
  vwFull *f = actor->own;
  lbFem *fem = NULL;
  lbStatus status = make_fem(actor->model, values, &fem, err);
  if (!status) status = remake(actor, fem, &f->def, err);
  lb_fem_destroy(status ? fem : f->fem);
  if (status) return status;
  f->fem = fem;
  memcpy(f->materials, values, 3 * (size_t)actor->model->size.material_count * sizeof(double));
  return LB_OK;
}

// ---- what it looks like ------------------------------------------------------------------------

static void surface(const vwActor *actor, int32_t body, double *positions) {
  vw_full_surface(actor, body, positions);
  for (size_t v = 0; v < (size_t)actor->model->size.vertex_count; v++)
    lb_vec3_store(positions + 3 * v, vw_actor_place(actor, body, lb_vec3_load(positions + 3 * v)));
}

static bool pick(const vwActor *actor, int32_t body, lbVec3 origin, lbVec3 direction, lbPick *out) {
  vwFull *f = actor->own;
  surface(actor, body, f->work);
  return vw_pick_surface(actor->model, f->work, origin, direction, out);
}

static lbVec3 point(const vwActor *actor, int32_t body, lbPoint where) {
  const lbModel *m = actor->model;
  const lbSimulator *simulator = ((vwFull *)actor->own)->bodies[body].simulator;
  return vw_actor_place(actor, body,
                        lb_add(vw_point_sum(m, &where, m->node_positions),
                               vw_point_sum(m, &where, lb_simulator_displacement(simulator))));
}

// Of the modes x_i, orthonormal in the mass: sum (w_i . x_i)^2 / λ_i and sum (w_i . x_i)^2.
static void feel_modes(const vwActor *actor, const lbPoint *where, double *compliance,
                       double *mobility) {
  const lbModes *modes = ((const vwFull *)actor->own)->modes;
  size_t values = 3 * (size_t)actor->model->size.node_count;
  for (int32_t i = 0; modes && i < modes->count; i++) {
    lbVec3 x = vw_point_sum(actor->model, where, modes->shapes + values * (size_t)i);
    *mobility += lb_dot(x, x) / 3;
    if (modes->eigenvalues[i] > 0) *compliance += lb_dot(x, x) / 3 / modes->eigenvalues[i];
  }
}

static void softness(const vwActor *actor, int32_t body, lbPoint where, double *compliance,
                     double *mobility) {
  const vwFull *f = actor->own;
  double young = actor->model->material_values[0];
  (void)body;
  *compliance = *mobility = 0;
  if (f->twin)
    (void)lb_body_softness(f->twin, where, compliance, mobility);
  else
    feel_modes(actor, &where, compliance, mobility);
  if (young > 0) *compliance *= young / f->materials[0];
}

static void motion(const vwActor *actor, int32_t body, double *displacements, double *velocities) {
  const lbSimulator *simulator = ((vwFull *)actor->own)->bodies[body].simulator;
  size_t bytes = 3 * (size_t)actor->model->size.node_count * sizeof(double);
  if (displacements) memcpy(displacements, lb_simulator_displacement(simulator), bytes);
  if (velocities) memcpy(velocities, lb_simulator_velocity(simulator), bytes);
}

static lbStatus set_motion(vwActor *actor, int32_t body, const double *displacements,
                           const double *velocities) {
  const vwFull *f = actor->own;
  vw_full_load(actor, body, 1);
  lbStatus status =
      lb_simulator_set_motion(f->bodies[body].simulator, displacements, velocities, f->load, NULL);
  if (!status)
    memcpy(f->bodies[body].good, displacements,
           3 * (size_t)actor->model->size.node_count * sizeof(double));
  return status;
}

static void stress(const vwActor *actor, int32_t body, double *nodes) {
  const vwFull *f = actor->own;
  vw_full_stress(actor->model, f->materials, lb_simulator_displacement(f->bodies[body].simulator),
                 f->work, nodes);
}

static void energy(const vwActor *actor, int32_t body, double *kinetic, double *elastic) {
  lbSimulatorState now = lb_simulator_state(((vwFull *)actor->own)->bodies[body].simulator);
  *kinetic = now.kinetic;
  *elastic = now.elastic;
}

const vwActorKind vw_full_kind = {
  .create = create,
  .release = release,
  .step = vw_full_step,
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
  .pick = pick,
  .point = point,
  .surface = surface,
  .softness = softness,
  .motion = motion,
  .set_motion = set_motion,
  .stress = stress,
  .energy = energy,
};
