// A step of an unreduced body. Where nothing but known forces acts, the simulator takes it; where
// it fails, the guard takes it in parts. Where forces are to be found (constraints), each iteration
// is one of Newton's steps without them, then the constraints' forces through the same matrix, then
// the residual. The safe integrator is the same with iterations that are cut until they lower the
// step's potential and the constraints' energies, damped by the stiffness at its start (without
// which there is no potential); the last one is that by implicit Euler, of which the lowest state
// is kept. Springs are constraints, too, and not part of the simulator's own potential.
//
// Forces of contacts follow from a linearisation, too, and are held over the step: iterated on
// without the contacts, elements would be crushed by them. So a step in contact is the first
// iteration, with the matrix that the forces were found with. Where that matrix had to be made
// definite, the iteration is no solution, and the cut ones follow.
#include "fem/trial.h"
#include "full/full.h"

#include <string.h>

#define DEFAULT_ITERATIONS 20
#define TOUCHED_ITERATIONS 4 // in contact: of those that are cut

// ---- the simulator -----------------------------------------------------------------------------

static lbSimulatorDef def_of(const lbBody *body) {
  lbSimulatorDef def = lb_simulator_def();
  def.integrator = body->integrator;
  def.damping_mass = body->damping_mass;
  def.damping_stiffness = body->damping_stiffness;
  def.newton_iterations =
      body->newton_iterations > 1 ? body->newton_iterations : DEFAULT_ITERATIONS;
  def.newton_tolerance = fmin(fmax(body->newton_tolerance, 1e-15), 0.999);
  def.factor_reuse = body->factor_reuse;
  return def;
}

lbSimulator *lb_full_simulator(lbBody *body, lbError *err) {
  lbFullState *state = lb_full_state(body);
  lbSimulatorDef def = def_of(body);
  if (!state->simulator)
    (void)lb_simulator_create(lb_full_shared(body->prepared)->fem, &def, NULL, NULL, NULL,
                              &state->simulator, err);
  if (state->simulator) state->simulator->guarded = true;
  return state->simulator;
}

// The simulator as the step wants it; NULL: no memory, or what is asked for is absurd.
static lbSimulator *set_up(lbBody *body, double h, bool euler, bool touched) {
  lbSimulator *s = lb_full_simulator(body, NULL);
  if (!s) return NULL;
  lbIntegrator integrator = euler ? LB_INTEGRATOR_EULER : body->integrator;
  if (lb_simulator_set_damping(s, body->damping_mass, body->damping_stiffness, NULL) ||
      lb_simulator_set_step(s, h, NULL))
    return NULL;
  int32_t most = def_of(body).newton_iterations;
  bool few = touched && most > TOUCHED_ITERATIONS;
  s->def.newton_iterations = few ? TOUCHED_ITERATIONS : most;
  if (s->def.integrator != integrator) s->factored = false;
  s->def.integrator = integrator;
  return s;
}

// ---- supports ----------------------------------------------------------------------------------

// A frame in the simulator's axes.
static void set_frame(const lbBody *body, const lbPlacement *T, const lbFrameRates *own,
                      lbSupportMotion *motion) {
  lbVec3 spin = lb_quat_rotate(T->rotation, own->spin);
  lbVec3 arm = lb_quat_rotate(T->rotation, body->prepared->centre);
  lbVec3 velocity = lb_sub(lb_quat_rotate(T->rotation, own->velocity), lb_cross(spin, arm));
  const double rotation[4] = { T->rotation.x, T->rotation.y, T->rotation.z, T->rotation.w };
  lb_vec3_store(motion->position, T->position);
  memcpy(motion->rotation, rotation, sizeof rotation);
  lb_vec3_store(motion->linear_velocity, velocity);
  lb_vec3_store(motion->angular_velocity, spin);
}

// Accelerations of places that move with a frame (in the simulator's axes) as far as they are
// known: those of the centre and of the spin only where the body was told.
static void frame_rows(const lbBody *body, const lbPlacement *T, lbMat3 turn, lbVec3 spin,
                       bool told, const double *u, double *to) {
  const lbFem *fem = lb_full_shared(body->prepared)->fem;
  const lbFrameState *f = &body->frame;
  lbVec3 centre = lb_add(T->position, lb_quat_rotate(T->rotation, body->prepared->centre));
  lbVec3 linear = lb_vec3(0, 0, 0), angular = linear;
  if (told) {
    linear = lb_quat_rotate(T->rotation, lb_mat3_apply_transpose(turn, f->linear_acceleration));
    angular = lb_quat_rotate(T->rotation, lb_mat3_apply_transpose(turn, f->angular_acceleration));
  } else { // seen from the origin, which then does not accelerate
    centre = T->position;
  }
  for (size_t n = 0; n < (size_t)fem->vertex_count; n++) {
    lbVec3 x = lb_add(lb_vec3_load(fem->positions + 3 * n), lb_vec3_load(u + 3 * n));
    lbVec3 arm = lb_sub(x, centre), inward = lb_cross(spin, lb_cross(spin, arm));
    lb_vec3_store(to + 3 * n, lb_add(linear, lb_add(lb_cross(angular, arm), inward)));
  }
}

static lbVec3 spin_of_full_step(const lbSupportMotion *frame) {
  return lb_vec3_load(frame->angular_velocity);
}

// What Newmark's rule counts at the end of a step: (v_1 − v_0)/h + (a_1 − a_0)/2, so that
// velocities that jump within it give their impulse; Euler's the first part. `last` has a_1, or
// NULL where it is not known: then half a step on from the mean of this step and of the last. kept
// <- for the next.
static void step_rows(const lbBody *body, double h, const double *velocity, const double *before,
                      const double *last, double *kept, double *acceleration) {
  const lbFullState *state = lb_full_state(body);
  bool newmark = state->supported && body->integrator == LB_INTEGRATOR_NEWMARK;
  for (int32_t i = 0; i < body->prepared->dimension; i++) {
    double mean = (velocity[i] - before[i]) / h;
    double end = last ? last[i] : mean;
    acceleration[i] = mean + (newmark ? 0.5 * (end - state->support[i]) : 0);
    kept[i] = end;
  }
}

static lbSupportMotion support_now(const lbBody *body) {
  lbSupportMotion now = { 0 };
  lbFrameRates rates = lb_frame_rates(body);
  set_frame(body, &lb_full_state(body)->T, &rates, &now);
  return now;
}

static bool is_driven_full_step(const lbBody *body) { return body->frame.kind == LB_FRAME_DRIVEN; }

// ---- the start of a step -----------------------------------------------------------------------

// The simulator has the state, with the acceleration that belongs to it and a load (full).
static bool restart_full_step(lbBody *body, lbSimulator *sim, const double *load, bool told,
                              lbScratch *s) {
  const lbFullState *state = lb_full_state(body);
  lbFullShared *shared = lb_full_shared(body->prepared);
  lbFullWork *w = s->own;
  lbSupportMotion now = support_now(body);
  now.displacement = state->rows.u, now.velocity = state->rows.v, now.acceleration = w->place;
  if (is_driven_full_step(body) && state->supported && !told)
    memcpy(w->place, state->support, (size_t)body->prepared->padded * sizeof(double));
  else if (is_driven_full_step(body))
    frame_rows(body, &state->T, body->frame.turn, spin_of_full_step(&now), told, state->rows.u,
               w->place);
  while (atomic_flag_test_and_set_explicit(&shared->lock, memory_order_acquire)) {}
  lbStatus status =
      lb_simulator_restart(sim, state->rows.u, state->rows.v, load,
                           is_driven_full_step(body) ? &now : NULL, shared->mass, NULL);
  atomic_flag_clear_explicit(&shared->lock, memory_order_release);
  return !status;
}

void lb_full_accelerate(lbBody *body, lbScratch *s) {
  lbFullState *state = lb_full_state(body);
  lbFullWork *w = s->own;
  double h = body->h > 0 ? body->h : lb_simulator_def().step;
  lbSimulator *sim = set_up(body, h, false, false);
  if (!sim) return;
  lb_whole_turn(lb_full_whole(body), &state->T, s->force, w->load);
  bool told = body->frame.accelerated;
  if (!restart_full_step(body, sim, w->load, told, s)) return;
  lb_simulator_get(sim, &state->rows);
  body->consistent = true;
  if (is_driven_full_step(body) && told) {
    memcpy(state->support, w->place, (size_t)body->prepared->padded * sizeof(double));
    state->supported = true;
    body->frame.accelerated = false;
  }
}

static bool load_state(lbBody *body, lbSimulator *sim, lbScratch *s) {
  lbFullState *state = lb_full_state(body);
  lbFullWork *w = s->own;
  lbSupportMotion now = support_now(body);
  if (!body->consistent) {
    state->refactor = false;
    return restart_full_step(body, sim, w->load, false, s);
  }
  if (lb_simulator_put(sim, &state->rows, is_driven_full_step(body) ? &now : NULL, NULL))
    return false;
  if (!state->refactor) return true;
  memcpy(sim->factor_u, state->factor_u, sim->full_size * sizeof(double));
  lb_fem_compress(sim->fem, state->factor_v, sim->factor_v);
  sim->factor_h = state->factor_h;
  sim->factored = lb_simulator_refactor(sim);
  state->refactor = false;
  return true;
}

// A frame that jumps: the body is carried to where it would come from if the frame had always moved
// as it does at the end. Nothing of the jump is felt.
static void jump(lbBody *body, const lbStep *step, lbSimulator *sim, lbScratch *s) {
  lbFullState *state = lb_full_state(body);
  lbFrameRates rates;
  state->end = lb_placement_jump(body, step, &state->T, &rates);
  lb_whole_rates_from_own(lb_full_whole(body), &state->T, &rates, sim->u, s->v0, sim->v);
  set_frame(body, &state->T, &rates, &sim->supports->now);
  state->supported = false;
}

// The acceleration that a motion starts from was made without that of the supports, but for its
// inward part, because it was not known: the mean over the first step is near it.
static void start_supports(lbBody *body, lbSimulator *sim, lbScratch *s) {
  const lbFem *fem = sim->fem;
  const lbFullWork *w = s->own;
  lbSupportMotion now = sim->supports->begin;
  frame_rows(body, &lb_full_state(body)->T, body->frame.turn, spin_of_full_step(&now), false,
             sim->u, s->a);
  for (size_t i = 0; i < 3 * (size_t)fem->vertex_count; i++)
    s->a[i] = fem->fixed[i / 3] ? w->place[i] - s->a[i] : 0;
  memset(s->b, 0, (size_t)body->prepared->padded * sizeof(double));
  lb_border_multiply(sim->border, s->a, s->b);
  lb_full_mobilise(body->prepared, s->b);
  lb_fem_compress(fem, s->b, sim->product);
  for (size_t i = 0; i < sim->size; i++) sim->a[i] -= sim->product[i];
}

// Where the supports go in the step, and T at its end.
static bool move_supports(lbBody *body, const lbStep *step, lbSimulator *sim, lbScratch *s) {
  lbFullState *state = lb_full_state(body);
  lbFullWork *w = s->own;
  state->end = state->T;
  if (!is_driven_full_step(body)) return true;
  if (step->frame.moves)
    state->end = lb_placement_between(&state->T, body->frame.position, body->frame.rotation,
                                      step->frame.position, step->frame.rotation);
  else
    jump(body, step, sim, s);
  lbFrameRates rates = lb_frame_end_rates(body, step);
  lbSupportMotion end = { .displacement = s->a, .velocity = s->b, .acceleration = w->back };
  memset(w->place, 0, (size_t)body->prepared->padded * sizeof(double)); // fixed nodes stay in it
  lb_whole_from_own(lb_full_whole(body), &state->end, w->place, s->a);
  lb_whole_rates_from_own(lb_full_whole(body), &state->end, &rates, s->a, w->place, s->b);
  set_frame(body, &state->end, &rates, &end);
  bool told = body->frame.accelerated && step->share == 1;
  if (told)
    frame_rows(body, &state->end, step->frame.turn, spin_of_full_step(&end), true, s->a, s->c);
  step_rows(body, step->h, s->b, sim->v, told ? s->c : NULL, w->place,
            w->back); // place: for commit
  if (lb_simulator_move_supports(sim, &end, NULL)) return false;
  if (!state->supported && sim->fem->mass_kind == LB_MASS_CONSISTENT) start_supports(body, sim, s);
  return true;
}

// ---- the step ----------------------------------------------------------------------------------

// to <- force, and what is held as often as it counts; the axes of force are those of the start.
static void sum_load(const lbBody *body, const lbSimulator *sim, bool pull, lbScratch *s,
                     double *to) {
  const lbFullState *state = lb_full_state(body);
  double held = lb_simulator_held(sim);
  lb_whole_turn(lb_full_whole(body), &state->T, s->force, to);
  for (int32_t i = 0; i < body->prepared->dimension; i++)
    s->a[i] = held * (s->held[i] + (pull ? s->pull[i] : 0));
  lb_whole_turn(lb_full_whole(body), &state->end, s->a, s->b);
  for (int32_t i = 0; i < body->prepared->dimension; i++) to[i] += s->b[i];
}

static int32_t open_step(lbBody *body, lbStep *step, lbScratch *s) {
  lbFullState *state = lb_full_state(body);
  lbFullWork *w = s->own;
  int32_t flags = 0;
  bool euler = step->integrator == LB_STEP_EULER;
  bool touched = step->stays_open || lb_body_is_touched(body);
  lbSimulator *sim = set_up(body, step->h, euler, touched);
  lb_whole_turn(lb_full_whole(body), &state->T, s->force, w->load);
  if (!sim || !load_state(body, sim, s) || !move_supports(body, step, sim, s))
    return LB_STEP_NONFINITE;
  sum_load(body, sim, false, s, w->load);
  state->searching = touched || lb_body_is_constrained(body);
  state->ready = state->searching;
  if (!state->searching) {
    flags = lb_simulator_step(sim, w->load);
    if (flags & LB_STEP_NONFINITE) return flags;
    bool few = sim->def.newton_iterations < LB_TRIAL_FEW;
    if (sim->failed && !few && step->integrator != LB_STEP_EULER) flags |= LB_STEP_FAR;
  } else if (!lb_simulator_open(sim, w->load, step->integrator != LB_STEP_ASKED, &flags))
    return LB_STEP_FAR;
  state->shifted = flags & LB_STEP_SHIFTED;
  lb_whole_to_own(lb_full_whole(body), &state->end,
                  state->searching ? lb_simulator_trial(sim) : lb_simulator_displacement(sim),
                  s->q);
  return flags;
}

int32_t lb_full_begin(lbBody *body, lbStep *step, lbScratch *s) {
  lbFullState *state = lb_full_state(body);
  const lbFullWork *w = s->own;
  int32_t flags = 0;
  if (step->iteration == 0) return open_step(body, step, s);
  if (!lb_simulator_again(state->simulator, w->back, &flags)) return flags | LB_STEP_NONFINITE;
  state->shifted = flags & LB_STEP_SHIFTED;
  lb_whole_to_own(lb_full_whole(body), &state->end, lb_simulator_trial(state->simulator), s->q);
  return flags;
}

void lb_full_respond(const lbBody *body, const lbStep *step, lbScratch *s, const double *force,
                     double *moved) {
  lbFullState *state = lb_full_state(body);
  (void)step, (void)s;
  double held = lb_simulator_held(state->simulator);
  memset(moved, 0, (size_t)body->prepared->padded * sizeof *moved);
  if (!state->ready) state->ready = lb_simulator_ready(state->simulator);
  lb_whole_turn(lb_full_whole(body), &state->end, force, moved);
  for (int32_t i = 0; i < body->prepared->dimension; i++) moved[i] *= held;
  if (state->ready && lb_simulator_respond(state->simulator, moved, moved))
    lb_whole_turn_back(lb_full_whole(body), &state->end, moved, moved);
  else
    memset(moved, 0, (size_t)body->prepared->padded * sizeof *moved);
}

// The block of a node on the diagonal of Newton's matrix.
static lbMat3 diagonal_block(const lbSparse *system, int32_t node) {
  lbMat3 block = lb_mat3_zero();
  for (int c = 0; c < 3; c++) {
    int32_t column = 3 * node + c;
    for (int32_t k = system->column_begin[column + 1] - 1; k >= system->column_begin[column]; k--) {
      int32_t row = system->rows[k] - 3 * node;
      if (row < 0) break; // rows ascend
      block.m[3 * row + c] = block.m[3 * c + row] = system->values[k];
    }
  }
  return block;
}

void lb_full_respond_at(const lbBody *body, const lbStep *step, const lbScratch *s, int32_t node,
                        double block[9]) {
  const lbFullState *state = lb_full_state(body);
  const lbFem *fem = lb_full_shared(body->prepared)->fem;
  int32_t number = fem->node_of_vertex[node];
  (void)s;
  memset(block, 0, 9 * sizeof *block);
  if (number < 0) return;
  if (!step) { // of lumped masses
    for (int k = 0; k < 9; k += 4) block[k] = 1 / fem->vertex_masses[node];
    return;
  }
  lbMat3 B = lb_mat3_inverse(diagonal_block(state->simulator->system, number));
  B = lb_mat3_scale(lb_simulator_held(state->simulator), B);
  if (!state->end.identity) {
    lbMat3 turn = lb_quat_to_mat3(state->end.rotation);
    B = lb_mat3_multiply(lb_mat3_transpose(turn), lb_mat3_multiply(B, turn));
  }
  memcpy(block, B.m, sizeof B.m);
}

// The potential of the step and the energies of its constraints, at coordinates.
static double cost_of(const lbBody *body, const lbStep *step, const double *q, double *rounding,
                      lbScratch *s) {
  const lbFullState *state = lb_full_state(body);
  const lbFullWork *w = s->own;
  lb_whole_from_own(lb_full_whole(body), &state->end, q, s->c);
  double cost = lb_simulator_potential(state->simulator, s->c, w->load, rounding);
  if (!lb_body_is_constrained(body)) return cost;
  return cost + lb_simulator_held(state->simulator) * lb_constraints_merit(body, step, q);
}

// s->q <- a part of the iteration's way that lowers the cost; 0: no part does.
static double cut_full_step(lbBody *body, const lbStep *step, lbScratch *s) {
  const lbFullState *state = lb_full_state(body);
  lbFullWork *w = s->own;
  double rounding = 0;
  double *from = s->v, *way = w->back; // neither is in use
  lb_whole_to_own(lb_full_whole(body), &state->end, lb_simulator_origin(state->simulator), from);
  for (int32_t i = 0; i < body->prepared->padded; i++) way[i] = s->q[i] - from[i];
  sum_load(body, state->simulator, false, s, w->load);
  double before = cost_of(body, step, from, &rounding, s);
  double t = 1;
  for (int k = 0; k <= LB_TRIAL_HALVINGS; k++, t *= 0.5) {
    for (int32_t i = 0; i < body->prepared->padded; i++) s->q[i] = from[i] + t * way[i];
    if (cost_of(body, step, s->q, &rounding, s) <= before + 1e-4 * rounding) return t;
  }
  memcpy(s->q, from, (size_t)body->prepared->padded * sizeof(double));
  return 0;
}

// The forces that were found: whether they make a step.
static int32_t judge_full_step(lbBody *body, const lbStep *step, lbScratch *s) {
  lbFullState *state = lb_full_state(body);
  lbFullWork *w = s->own;
  lbSimulator *sim = state->simulator;
  bool last = step->integrator == LB_STEP_EULER;
  double share = step->integrator != LB_STEP_ASKED ? cut_full_step(body, step, s) : 1;
  lb_whole_from_own(lb_full_whole(body), &state->end, s->q, s->c);
  sum_load(body, sim, true, s, w->load);
  lbVerdict verdict = lb_simulator_judge(sim, s->c, w->load, step->iteration);
  if (share < 1 && verdict > LB_VERDICT_GO_ON) verdict = LB_VERDICT_GO_ON;
  if (share == 0) verdict = LB_VERDICT_FAR;
  if (step->integrator == LB_STEP_ASKED && state->shifted)
    verdict = LB_VERDICT_FAR; // it may lead anywhere
  if (verdict == LB_VERDICT_GO_ON && lb_body_is_touched(body) && !state->shifted)
    verdict = LB_VERDICT_NEAR;
  if (verdict == LB_VERDICT_GO_ON) {
    double held = lb_simulator_held(sim);
    for (int32_t i = 0; i < body->prepared->dimension; i++) s->a[i] = held * s->pull[i];
    lb_whole_turn(lb_full_whole(body), &state->end, s->a, w->back);
    return LB_STEP_AGAIN;
  }
  if (verdict == LB_VERDICT_FAR && !last) return LB_STEP_FAR;
  if (!lb_simulator_keep(sim)) return LB_STEP_NONFINITE;
  return verdict == LB_VERDICT_CONVERGED || lb_body_is_touched(body) ? 0 : LB_STEP_NOT_CONVERGED;
}

int32_t lb_full_end(lbBody *body, const lbStep *step, lbScratch *s) {
  lbFullState *state = lb_full_state(body);
  int32_t flags = state->searching ? judge_full_step(body, step, s) : 0;
  if (flags & (LB_STEP_AGAIN | LB_STEP_FAR | LB_STEP_NONFINITE)) return flags;
  lbFrameRates rates = lb_frame_end_rates(body, step);
  lb_whole_rates_to_own(lb_full_whole(body), &state->end, &rates,
                        lb_simulator_displacement(state->simulator),
                        lb_simulator_velocity(state->simulator), s->v);
  return flags;
}

int32_t lb_full_commit(lbBody *body, const lbStep *step, lbScratch *s) {
  lbFullState *state = lb_full_state(body);
  const lbFullWork *w = s->own;
  (void)step;
  lb_simulator_get(state->simulator, &state->rows);
  state->T = state->end;
  if (is_driven_full_step(body)) {
    memcpy(state->support, w->place, (size_t)body->prepared->padded * sizeof(double));
    state->supported = true;
  }
  body->consistent = true;
  return 0;
}
