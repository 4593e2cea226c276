// The subspace method (subspace.h): state, operations, and what a step's end says.
#include "method/subspace/newton_step.h"
#include "method/table.h"

#include "body/constraints.h"
#include "body/hand_rows.h"

#include <string.h>

// of the linear force: what is left in a false equilibrium; its square, of the elastic energy: what
// a body at rest moves with. Doubled, bodies are called stuck earlier.
#define STUCK 1e-3

// ---- vectors -----------------------------------------------------------------------------------

void lb_subspace_multiply(const lbSubspace *s, const double *A, const double *x, double *y) {
  s->newton->alone.multiply(s->count, A, x, y);
}

void lb_subspace_mass_multiply(const lbSubspace *s, const double *x, double *y) {
  if (!s->mass)
    memcpy(y, x, (size_t)s->count * sizeof *y);
  else
    lb_subspace_multiply(s, s->mass, x, y);
}

void lb_subspace_mobilise(const lbSubspace *s, double *x) {
  if (s->mass) s->ldlt->solve(s->count, s->mass_ldlt, x);
}

// ---- evaluation --------------------------------------------------------------------------------

static bool is_at(const lbBody *body, const lbEvaluated *e, const double *q) {
  return e->version == body->prepared->version &&
         memcmp(e->q, q, (size_t)body->prepared->dimension * sizeof *q) == 0;
}

const lbEvaluated *lb_subspace_evaluate(lbBody *body, const double *q, lbScratch *scratch) {
  const lbSubspace *s = lb_subspace_of(body->prepared);
  lbEvaluated *e = &((lbSubspaceState *)body->own)->evaluated;
  size_t bytes = (size_t)s->count * sizeof *q;
  if (is_at(body, e, q) && !e->force_only) return e;
  if (lb_crowd_recall(body, q, e)) return e;
  memcpy(e->q, q, bytes);
  e->energy =
      s->forces->evaluate(s->force_data, q, e->R, e->K, ((lbSubspaceWork *)scratch->own)->forces);
  e->version = body->prepared->version;
  e->force_only = e->has_product = false;
  return e;
}

const lbEvaluated *lb_subspace_force(lbBody *body, const double *q, lbScratch *scratch) {
  const lbSubspace *s = lb_subspace_of(body->prepared);
  lbEvaluated *e = &((lbSubspaceState *)body->own)->evaluated;
  if (is_at(body, e, q)) return e;
  memcpy(e->q, q, (size_t)s->count * sizeof *q);
  e->energy = s->forces->force(s->force_data, q, e->R, ((lbSubspaceWork *)scratch->own)->forces);
  e->version = body->prepared->version;
  e->force_only = true;
  e->has_product = false;
  return e;
}

const lbEvaluated *lb_subspace_along(lbBody *body, const double *q, const double *v, double *Kv,
                                     lbScratch *scratch) {
  const lbSubspace *s = lb_subspace_of(body->prepared);
  lbEvaluated *e = &((lbSubspaceState *)body->own)->evaluated;
  size_t bytes = (size_t)s->count * sizeof *q;
  bool there = is_at(body, e, q);
  if (!there || !e->has_product || memcmp(e->v, v, bytes) != 0) {
    double *work = ((lbSubspaceWork *)scratch->own)->forces;
    e->energy = s->forces->along(s->force_data, q, v, e->R, e->Kv, work);
    memcpy(e->q, q, bytes);
    memcpy(e->v, v, bytes);
    e->force_only = !there || e->force_only;
    e->has_product = true;
    e->version = body->prepared->version;
  }
  memcpy(Kv, e->Kv, bytes);
  return e;
}

// With K v in w->Ku.
static void accelerate_by(const lbBody *body, const double *f, const double *v, const double *R,
                          double *a, const lbSubspaceWork *w) {
  const lbSubspace *s = lb_subspace_of(body->prepared);
  lb_subspace_mass_multiply(s, v, w->Ma);
  for (int32_t i = 0; i < s->count; i++)
    a[i] = f[i] - body->damping_mass * w->Ma[i] - body->damping_stiffness * w->Ku[i] - R[i];
  lb_subspace_mobilise(s, a);
}

void lb_subspace_accelerate(lbBody *body, const double *q, const double *f, const double *v,
                            double *a, lbScratch *scratch) {
  const lbSubspace *s = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = scratch->own;
  const lbEvaluated *e = s->forces->along ? lb_subspace_along(body, q, v, w->Ku, scratch)
                                          : lb_subspace_evaluate(body, q, scratch);
  if (!s->forces->along) lb_subspace_multiply(s, e->K, v, w->Ku);
  accelerate_by(body, f, v, e->R, a, w);
}

// ---- memory ------------------------------------------------------------------------------------

static void place_state(const lbPrepared *p, lbSubspaceState *state, lbCarver *carver) {
  size_t padded = (size_t)p->padded, n = (size_t)lb_cubic_padded(p->dimension);
  double **vectors[] = { &state->q,      &state->v,           &state->a,          &state->force,
                         &state->weight, &state->evaluated.q, &state->evaluated.R };
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = lb_carve(carver, padded, sizeof(double));
  state->evaluated.K = lb_carve(carver, n * n, sizeof(double));
  if (!lb_subspace_of(p)->forces->along) return;
  state->evaluated.v = lb_carve(carver, padded, sizeof(double));
  state->evaluated.Kv = lb_carve(carver, padded, sizeof(double));
  state->matrix.q = lb_carve(carver, padded, sizeof(double));
  state->matrix.factors = lb_carve(carver, n * n, sizeof(double));
  state->past.moves = lb_carve(carver, LB_PAST * padded, sizeof(double));
  state->past.changes = lb_carve(carver, LB_PAST * padded, sizeof(double));
}

static void place_group_subspace(const lbPrepared *p, lbBodyGroup *group, lbCarver *carver) {
  lbSubspaceState *states = lb_carve(carver, (size_t)group->count, sizeof *states);
  for (int32_t i = 0; i < group->count && !carver->overflow; i++) {
    lbSubspaceState unused;
    place_state(p, states ? &states[i] : &unused, carver);
    if (states) group->bodies[i].own = &states[i];
  }
  lb_crowd_place_group(p, group, carver);
}

static void place_scratch_subspace(const lbPrepared *p, lbScratch *scratch, lbCarver *carver) {
  const lbSubspace *s = lb_subspace_of(p);
  size_t padded = (size_t)p->padded, n = (size_t)s->stride;
  lbSubspaceWork draft = { 0 }, *w = lb_carve(carver, 1, sizeof draft);
  double **vectors[] = { &draft.a0,       &draft.a,      &draft.u,       &draft.G,
                         &draft.d,        &draft.Ma,     &draft.Mu,      &draft.Mv,
                         &draft.Ku,       &draft.Cu,     &draft.Cu0,     &draft.R0,
                         &draft.middle_R, &draft.before, &draft.linear0, &draft.inside,
                         &draft.inside0 };
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = lb_carve(carver, padded, sizeof(double));
  draft.A = lb_carve(carver, n * n, sizeof(double));
  draft.rate = lb_carve(carver, n * n, sizeof(double));
  draft.middle_K = lb_carve(carver, n * n, sizeof(double));
  if (s->forces->along) {
    draft.secants.steps = lb_carve(carver, LB_SECANTS * padded, sizeof(double));
    draft.secants.updates = lb_carve(carver, LB_SECANTS * padded, sizeof(double));
  }
  draft.forces = lb_carve(carver, s->forces->work_size(s->force_data), sizeof(double));
  if (w) *w = draft;
  scratch->own = w;
}

// ---- state -------------------------------------------------------------------------------------

static void get_subspace(const lbBody *body, double *q, double *v, double *force) {
  const lbSubspaceState *state = body->own;
  size_t bytes = (size_t)body->prepared->padded * sizeof(double);
  if (q) memcpy(q, state->q, bytes);
  if (v) memcpy(v, state->v, bytes);
  if (force) memcpy(force, state->force, bytes);
}

static void put_subspace(lbBody *body, const double *q, const double *v, const double *force) {
  const lbSubspaceState *state = body->own;
  size_t bytes = (size_t)body->prepared->dimension * sizeof(double);
  if (q) memcpy(state->q, q, bytes);
  if (v) memcpy(state->v, v, bytes);
  if (force) memcpy(state->force, force, bytes);
}

static void set_weight_subspace(lbBody *body, const double *weight) {
  const lbSubspaceState *state = body->own;
  for (int32_t i = 0; i < body->prepared->dimension; i++) {
    double now = weight ? weight[i] : state->weight[i], *force = &state->force[i];
    *force = !weight || *force == state->weight[i] ? now : *force + (now - state->weight[i]);
    state->weight[i] = now;
  }
}

// What Broyden's method remembers: SECANT_ROWS vectors and SECANT_EXTRA numbers.
enum { SECANT_ROWS = 1 + 2 * LB_PAST, SECANT_EXTRA = 4 };

static void save_secants(const lbSubspaceState *state, size_t padded, double *numbers) {
  const lbStepPast *past = &state->past;
  const double few[SECANT_EXTRA] = { state->matrix.spent, past->count, past->order, past->h };
  size_t row = padded * sizeof *numbers;
  memcpy(numbers, few, sizeof few);
  memcpy(numbers += SECANT_EXTRA, state->matrix.q, row);
  memcpy(numbers += padded, past->moves, LB_PAST * row);
  memcpy(numbers + LB_PAST * padded, past->changes, LB_PAST * row);
}

static void restore_secants(lbSubspaceState *state, size_t padded, const double *numbers) {
  lbStepPast *past = &state->past;
  size_t row = padded * sizeof *numbers;
  state->matrix.spent = numbers[0];
  past->count = (int32_t)fmin(fmax(numbers[1], 0), LB_PAST);
  past->order = (int32_t)fmin(fmax(numbers[2], 0), past->count);
  past->h = numbers[3];
  numbers += SECANT_EXTRA;
  if (memcmp(state->matrix.q, numbers, row) != 0) state->matrix.version = 0;
  memcpy(state->matrix.q, numbers, row);
  memcpy(past->moves, numbers += padded, LB_PAST * row);
  memcpy(past->changes, numbers + LB_PAST * padded, LB_PAST * row);
}

static void save_subspace(const lbBody *body, double *numbers) {
  const lbSubspaceState *state = body->own;
  size_t padded = (size_t)body->prepared->padded;
  memcpy(numbers, state->a, padded * sizeof(double));
  if (state->matrix.q) save_secants(state, padded, numbers + padded);
}

static void restore_subspace(lbBody *body, const double *numbers) {
  lbSubspaceState *state = body->own;
  size_t padded = (size_t)body->prepared->padded;
  memcpy(state->a, numbers, padded * sizeof(double));
  if (state->matrix.q) restore_secants(state, padded, numbers + padded);
}

// ---- the step ----------------------------------------------------------------------------------

static bool is_central(const lbBody *body, const lbStep *step) {
  return step->integrator == LB_STEP_ASKED && body->integrator == LB_INTEGRATOR_CENTRAL;
}

// The acceleration at the step's start, worked out where q, v or the material were changed.
static int32_t begin_subspace(lbBody *body, lbStep *step, lbScratch *scratch) {
  const lbSubspaceState *state = body->own;
  lbSubspaceWork *w = scratch->own;
  if (step->iteration == 0) {
    memcpy(w->a0, state->a, (size_t)body->prepared->padded * sizeof(double));
    if (!body->consistent)
      lb_subspace_accelerate(body, scratch->q0, scratch->force, scratch->v0, w->a0, scratch);
  }
  return is_central(body, step) ? lb_central_begin(body, step, scratch)
                                : lb_newton_begin(body, step, scratch);
}

static void accelerate(lbBody *body, lbScratch *scratch) {
  const lbSubspaceState *state = body->own;
  lb_subspace_accelerate(body, scratch->q0, scratch->force, scratch->v0, state->a, scratch);
  body->consistent = true;
}

static void respond_subspace(const lbBody *body, const lbStep *step, lbScratch *scratch,
                             const double *force, double *moved) {
  if (is_central(body, step))
    lb_central_respond(body, step, scratch, force, moved);
  else
    lb_newton_respond(body, step, scratch, force, moved);
}

static bool respond_many_subspace(const lbBody *body, const lbStep *step, lbScratch *scratch,
                                  int32_t n, double *x) {
  if (is_central(body, step)) return false;
  lb_newton_respond_many(body, step, scratch, n, x);
  return true;
}

static double largest_subspace(int32_t count, const double *x) {
  double most = 0;
  for (int32_t i = 0; i < count; i++)
    if (!(fabs(x[i]) <= most)) most = fabs(x[i]); // keeps a NaN
  return most;
}

bool lb_subspace_is_sane(const lbPrepared *p, double q, double q0, double v, double a) {
  return lb_is_bounded(q) && lb_is_bounded(v) && lb_is_bounded(a) &&
         (q <= lb_subspace_of(p)->most || q <= 2 * q0);
}

static int32_t end_central(lbBody *body, const lbStep *step, lbScratch *scratch) {
  const lbSubspaceWork *w = scratch->own;
  int32_t r = body->prepared->dimension, flags = lb_central_end(body, step, scratch);
  if (flags & LB_STEP_NONFINITE) return flags;
  bool sane = lb_subspace_is_sane(body->prepared, largest_subspace(r, scratch->q),
                                  largest_subspace(r, scratch->q0), largest_subspace(r, scratch->v),
                                  largest_subspace(r, w->a));
  return sane ? flags : flags | LB_STEP_NONFINITE;
}

static int32_t end_subspace(lbBody *body, const lbStep *step, lbScratch *scratch) {
  return is_central(body, step) ? end_central(body, step, scratch)
                                : lb_newton_end(body, step, scratch);
}

static double created(const lbBody *body, const lbStep *step, lbScratch *scratch, double *energy) {
  const lbStepEnergy *of = &((const lbSubspaceWork *)scratch->own)->created;
  (void)body, (void)step;
  *energy = of->end;
  return of->created;
}

bool lb_subspace_may_be_stuck(double kinetic, double elastic) {
  return elastic > 0 && kinetic <= STUCK * STUCK * elastic;
}

// At rest, bent, and not by what acts on it: its rest shape would have less energy, that of the
// forces included.
static bool is_stuck(const lbBody *body, lbScratch *scratch) {
  const lbSubspace *s = lb_subspace_of(body->prepared);
  const lbEvaluated *e = &((const lbSubspaceState *)body->own)->evaluated;
  lbSubspaceWork *w = scratch->own;
  int32_t r = s->count;
  if (lb_body_is_constrained(body) || lb_body_is_touched(body)) return false;
  if (!is_at(body, e, scratch->q)) return false;
  double energy = e->energy;
  for (int32_t i = 0; i < r; i++) {
    w->G[i] = scratch->force[i] + scratch->held[i];
    energy -= w->G[i] * scratch->q[i];
  }
  lb_subspace_mass_multiply(s, scratch->v, w->Ma);
  if (!lb_subspace_may_be_stuck(0.5 * lb_row_dot(r, scratch->v, w->Ma), energy)) return false;
  for (int32_t i = 0; i < r; i++) w->G[i] = e->R[i] - w->G[i];
  double left = largest_subspace(r, w->G);
  lb_subspace_multiply(s, s->rest_stiffness, scratch->q, w->G);
  return left <= STUCK * largest_subspace(r, w->G);
}

static int32_t commit_subspace(lbBody *body, const lbStep *step, lbScratch *scratch) {
  lbSubspaceState *state = body->own;
  const lbSubspaceWork *w = scratch->own;
  const lbNewtonLoops *loops = &lb_subspace_of(body->prepared)->newton->alone;
  double *vectors[] = { scratch->q, scratch->v, w->a }, *rows[] = { state->q, state->v, state->a };
  if (!is_central(body, step)) lb_past_learn(body, step, scratch);
  for (int k = 0; k < 3; k++) {
    loops->drop(body->prepared->dimension, lb_subspace_dust(), vectors[k]);
    memcpy(rows[k], vectors[k], (size_t)body->prepared->dimension * sizeof(double));
  }
  body->consistent = true;
  double whole = step->h / (step->share - step->share_before);
  int32_t flags = whole > lb_body_stable_step(body) ? LB_STEP_NOT_CONVERGED : 0;
  return is_stuck(body, scratch) ? flags | LB_STEP_STUCK : flags;
}

// ---- questions ---------------------------------------------------------------------------------

static double kinetic_subspace(const lbBody *body, const double *v, lbScratch *scratch) {
  lbSubspaceWork *w = scratch->own;
  lb_subspace_mass_multiply(lb_subspace_of(body->prepared), v, w->Ma);
  return 0.5 * lb_row_dot(body->prepared->dimension, v, w->Ma);
}

static double elastic_subspace(const lbBody *body, const double *q, lbScratch *scratch) {
  const lbSubspace *s = lb_subspace_of(body->prepared);
  lbSubspaceWork *w = scratch->own;
  return s->forces->force(s->force_data, q, w->G, w->forces);
}

static double stored(lbBody *body, const double *q, lbScratch *scratch) {
  const lbSubspace *s = lb_subspace_of(body->prepared);
  return (s->forces->along ? lb_subspace_force : lb_subspace_evaluate)(body, q, scratch)->energy;
}

static double pose_distance(const lbBody *body, lbScratch *scratch) {
  const lbSubspace *s = lb_subspace_of(body->prepared);
  const lbSubspaceState *state = body->own;
  double *work = ((lbSubspaceWork *)scratch->own)->forces;
  return s->forces->distance ? s->forces->distance(s->force_data, state->q, work) : 0;
}

// The acceleration that the next step will begin with.
static const double *present_acceleration(const lbBody *body, lbScratch *scratch) {
  const lbSubspace *s = lb_subspace_of(body->prepared);
  const lbSubspaceState *state = body->own;
  lbSubspaceWork *w = scratch->own;
  if (body->consistent) return state->a;
  s->forces->along(s->force_data, state->q, state->v, w->R0, w->Ku, w->forces);
  accelerate_by(body, state->force, state->v, w->R0, w->a, w);
  return w->a;
}

static double unfollowed_force(const lbBody *body, lbScratch *scratch) {
  const lbPrepared *p = body->prepared;
  const lbSubspace *s = lb_subspace_of(p);
  const lbSubspaceState *state = body->own;
  if (!s->forces->unfollowed) return 0;
  lbMotion motion = { .q = state->q,
                      .v = state->v,
                      .a = present_acceleration(body, scratch),
                      .damping_mass = body->damping_mass,
                      .damping_stiffness = body->damping_stiffness,
                      .node_masses = p->node_masses };
  if (!lb_model_is_free(p->model)) // otherwise it is the frame that gravity moves
    motion.gravity = lb_mat3_apply_transpose(body->frame.turn, body->gravity);
  return s->forces->unfollowed(s->force_data, &motion, ((lbSubspaceWork *)scratch->own)->forces);
}

static void mobilise_subspace(const lbPrepared *p, double *x) {
  lb_subspace_mobilise(lb_subspace_of(p), x);
}

static void comply_subspace(const lbPrepared *p, double *x, lbScratch *scratch) {
  const lbSubspace *s = lb_subspace_of(p);
  lbSubspaceWork *w = scratch->own;
  memset(w->d, 0, (size_t)p->padded * sizeof *w->d);
  memcpy(w->d, x, (size_t)p->dimension * sizeof *x);
  if (s->stiff)
    s->ldlt->solve(p->dimension, s->factors, w->d);
  else
    memset(w->d, 0, (size_t)p->padded * sizeof *w->d);
  memcpy(x, w->d, (size_t)p->dimension * sizeof *x);
}

static const double *materials_subspace(const lbPrepared *p) {
  return lb_subspace_of(p)->materials;
}

static uint64_t identify_subspace(const lbPrepared *p, uint64_t hash) {
  const lbSubspace *s = lb_subspace_of(p);
  size_t n = (size_t)s->stride, count = 3 * (size_t)p->model->size.material_count;
  hash = lb_hash(hash, s->materials, count * sizeof(double));
  return lb_hash(hash, s->rest_stiffness, n * n * sizeof(double));
}

static double stable_step(const lbBody *body) {
  const lbSubspace *s = lb_subspace_of(body->prepared);
  bool central = body->integrator == LB_INTEGRATOR_CENTRAL && s->stiffest > 0;
  return central ? 2 / sqrt(s->stiffest) : INFINITY;
}

static lbStatus prepare_subspace(lbPrepared *p, const lbBodyDef *def, lbError *err) {
  (void)def;
  p->stress_by_material = p->model->size.subspace_part_count == 0;
  if (p->model->size.subspace_part_count == 0)
    p->state_rows += SECANT_ROWS, p->state_extra += SECANT_EXTRA;
  if (p->dimension > LB_CUBIC_MODES_MAX)
    return lb_fail(err, LB_ERR_UNSUPPORTED, "model \"%s\" has %d basis vectors; at most %d can run",
                   p->model->name, (int)p->dimension, LB_CUBIC_MODES_MAX);
  return LB_OK;
}

// Integrators: what was asked for; safe: one that keeps the energy; implicit Euler.
const lbBodyMethod lb_subspace_method = { .method = LB_METHOD_SUBSPACE,
                                          .takes_means = true,
                                          .stress_law = LB_MATERIAL_STVK,
                                          .prepare = prepare_subspace,
                                          .build = lb_subspace_build,
                                          .release = lb_subspace_release,
                                          .rebuild = lb_subspace_rebuild,
                                          .materials = materials_subspace,
                                          .place_group = place_group_subspace,
                                          .place_scratch = place_scratch_subspace,
                                          .place_call = lb_crowd_place_work,
                                          .get = get_subspace,
                                          .put = put_subspace,
                                          .set_weight = set_weight_subspace,
                                          .state_rows = 1,
                                          .save = save_subspace,
                                          .restore = restore_subspace,
                                          .accelerate = accelerate,
                                          .begin = begin_subspace,
                                          .respond = respond_subspace,
                                          .respond_many = respond_many_subspace,
                                          .end = end_subspace,
                                          .created = created,
                                          .commit = commit_subspace,
                                          .step_many = lb_subspace_step_many,
                                          .many = 2 * LB_BATCH,
                                          .kinetic = kinetic_subspace,
                                          .elastic = elastic_subspace,
                                          .stored = stored,
                                          .pose_distance = pose_distance,
                                          .unfollowed_force = unfollowed_force,
                                          .mobilise = mobilise_subspace,
                                          .comply = comply_subspace,
                                          .identify = identify_subspace,
                                          .stable_step = stable_step };
