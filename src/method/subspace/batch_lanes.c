// Bodies of a batch that step together, eight at a time, a body in each lane: plain ones of one
// prepared part by Newmark's rule. Forces are evaluated, matrices factored and vectors gone through
// for all of them at once, so that coefficients are read once and no lane is idle. A body whose
// step needs more than one linear solve goes on alone from there. What a body gets is what it gets
// alone, to the bit: the kernels of both keep to one order of operations.
#include "body/guard.h"
#include "method/subspace/subspace.h"

#include <string.h>

enum { FEWEST = 3 }; // bodies that are worth a batch

// Numbers of the bodies side by side: (stride x 8), triangles of matrices (packed x 8).
struct lbCrowdWork {
  double *q0, *v0, *a0, *force, *R0, *q, *v, *u, *a, *Ku, *Cu, *Cu0, *G, *d;
  double *A, *factors;
  double *zeros, *unused; // (padded): rows of lanes without a body
  double alpha[LB_BATCH], beta[LB_BATCH], stiff[LB_BATCH], heavy[LB_BATCH];
  double energy0[LB_BATCH], stiffest[LB_BATCH];
  double figures[LB_NEWTON_FIGURES * LB_BATCH];
};
typedef struct lbCrowdWork Work;

// The bodies of a block that step together.
typedef struct Crowd {
  const lbPrepared *prepared;
  const lbSubspace *own;
  lbCrowdBlock *block;
  lbBody *bodies[LB_BATCH]; // NULL: none
  int32_t count;
  double h;
  bool damped; // some of them, by stiffness
  lbScratch *scratch;
  Work *work;
} Crowd;

// ---- memory ------------------------------------------------------------------------------------

bool lb_crowd_gains(const lbPrepared *p) {
  const lbSubspace *s = lb_subspace_of(p);
  return s->forces->evaluate_crowd && s->forces->gains(s->force_data);
}

void lb_crowd_place_group(const lbPrepared *p, lbBodyGroup *group, lbCarver *carver) {
  size_t n = LB_BATCH * (size_t)lb_cubic_padded(p->dimension);
  int32_t count = (group->count + LB_BATCH - 1) / LB_BATCH;
  if (group->count < FEWEST || !lb_crowd_gains(p)) return;
  lbCrowdBlock *blocks = lb_carve(carver, (size_t)count, sizeof *blocks);
  for (int32_t i = 0; i < count && !carver->overflow; i++) {
    lbCrowdBlock unused, *block = blocks ? &blocks[i] : &unused;
    block->q = lb_carve(carver, n, sizeof(double));
    block->R = lb_carve(carver, n, sizeof(double));
    block->K = lb_carve(carver, LB_BATCH * lb_packed2_count(p->dimension), sizeof(double));
  }
  group->own = blocks;
}

void lb_crowd_place_work(const lbPrepared *p, lbCallWork *call, lbCarver *carver) {
  size_t r = (size_t)p->dimension, n = LB_BATCH * (size_t)lb_cubic_padded(p->dimension);
  Work draft = { 0 };
  if (!lb_crowd_gains(p)) return;
  Work *w = lb_carve(carver, 1, sizeof draft);
  double **vectors[] = { &draft.q0, &draft.v0,  &draft.a0, &draft.force, &draft.R0,
                         &draft.q,  &draft.v,   &draft.u,  &draft.a,     &draft.Ku,
                         &draft.Cu, &draft.Cu0, &draft.G,  &draft.d };
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = lb_carve(carver, n, sizeof(double));
  draft.A = lb_carve(carver, LB_BATCH * lb_packed2_count(p->dimension), sizeof(double));
  draft.factors = lb_carve(carver, LB_BATCH * r * r, sizeof(double));
  draft.zeros = lb_carve(carver, (size_t)p->padded, sizeof(double));
  draft.unused = lb_carve(carver, (size_t)p->padded, sizeof(double));
  if (w) *w = draft;
  call->own = w;
}

// ---- what a block keeps ------------------------------------------------------------------------

static lbCrowdBlock *block_of_batch(const lbBodyGroup *group, int32_t index) {
  lbCrowdBlock *blocks = group->own;
  return blocks ? &blocks[index / LB_BATCH] : NULL;
}

bool lb_crowd_recall(const lbBody *body, const double *q, lbEvaluated *e) {
  const lbSubspace *s = lb_subspace_of(body->prepared);
  int32_t index = (int32_t)(body - body->group->bodies), m = index % LB_BATCH, r = s->count;
  const lbCrowdBlock *block = block_of_batch(body->group, index);
  if (!block || block->version != body->prepared->version) return false;
  for (int32_t i = 0; i < r; i++)
    if (memcmp(&block->q[LB_BATCH * i + m], &q[i], sizeof *q) != 0) return false;
  for (int32_t i = 0; i < r; i++) {
    e->q[i] = q[i];
    e->R[i] = block->R[LB_BATCH * i + m];
    for (int32_t j = 0; j <= i; j++)
      e->K[i * s->stride + j] = e->K[j * s->stride + i] =
          block->K[LB_BATCH * lb_packed2(j, i) + (size_t)m];
  }
  e->energy = block->energies[m];
  e->version = block->version;
  e->force_only = false;
  return true;
}

static void evaluate_batch(const Crowd *c, const double *q) {
  const lbSubspace *s = c->own;
  lbCrowdBlock *block = c->block;
  size_t bytes = LB_BATCH * (size_t)s->count * sizeof *q;
  if (block->version == c->prepared->version && memcmp(block->q, q, bytes) == 0) return;
  memcpy(block->q, q, bytes);
  s->forces->evaluate_crowd(s->force_data, q, block->R, block->K, block->energies,
                            ((lbSubspaceWork *)c->scratch->own)->forces);
  block->version = c->prepared->version;
}

// ---- a step ------------------------------------------------------------------------------------

static void gather_batch(const Crowd *c) {
  Work *w = c->work;
  const double *q[LB_BATCH], *v[LB_BATCH], *a[LB_BATCH], *force[LB_BATCH];
  for (int m = 0; m < LB_BATCH; m++) {
    const lbBody *body = c->bodies[m];
    const lbSubspaceState *state = body ? body->own : NULL;
    q[m] = body ? state->q : w->zeros, v[m] = body ? state->v : w->zeros;
    a[m] = body ? state->a : w->zeros, force[m] = body ? state->force : w->zeros;
    w->alpha[m] = body ? body->damping_mass : 0;
    w->beta[m] = body ? body->damping_stiffness : 0;
  }
  const lbNewtonKernels *kernels = c->own->newton;
  kernels->gather(c->own->count, q, w->q0);
  kernels->gather(c->own->count, v, w->v0);
  kernels->gather(c->own->count, a, w->a0);
  kernels->gather(c->own->count, force, w->force);
}

static lbNewtonNumbers numbers_of(const Crowd *c) {
  const Work *w = c->work;
  return (lbNewtonNumbers){
    .count = c->own->count,
    .q0 = w->q0,
    .v0 = w->v0,
    .a0 = w->a0,
    .force = w->force,
    .R = c->block->R,
    .R0 = w->R0,
    .Mu = w->u,
    .Mv = w->v,
    .Ma = w->a,
    .alpha = w->alpha,
    .beta = w->beta,
    .q = w->q,
    .v = w->v,
    .u = w->u,
    .a = w->a,
    .Ku = w->Ku,
    .Cu = w->Cu,
    .Cu0 = w->Cu0,
    .G = w->G,
    .d = w->d,
  };
}

static void damp(const Crowd *c, const lbNewtonNumbers *x, const double *u, double *C) {
  const lbNewtonLoops *loops = &c->own->newton->crowd;
  if (c->damped)
    loops->multiply(x->count, c->block->K, u, x->Ku);
  else
    memset(x->Ku, 0, LB_BATCH * (size_t)x->count * sizeof(double));
  loops->damp(x, x->Ku, u, C);
}

// The matrices; returns which of them are not positive definite, a bit each.
static uint32_t factor_batch(const Crowd *c, const lbNewtonScheme *scheme) {
  const lbSubspace *own = c->own;
  Work *w = c->work;
  double diagonal[LB_BATCH];
  own->newton->crowd_diagonal(own->count, c->block->K, diagonal);
  for (int m = 0; m < LB_BATCH; m++) {
    w->stiffest[m] = scheme->a_q + diagonal[m];
    w->stiff[m] = 1 + scheme->u_q * w->beta[m];
    w->heavy[m] = scheme->a_q + scheme->u_q * w->alpha[m];
  }
  own->newton->crowd_matrix(own->count, w->stiff, w->heavy, c->block->K, w->A);
  return own->ldlt_crowd->factor(own->count, LB_BATCH, w->A, w->factors);
}

// Up to the linear solve: where the bodies come to. Returns which of them could not.
static uint32_t begin_batch(const Crowd *c, const lbNewtonScheme *scheme,
                            const lbNewtonNumbers *x) {
  const lbSubspace *own = c->own;
  const lbNewtonLoops *loops = &own->newton->crowd;
  Work *w = c->work;
  int32_t r = own->count;
  size_t bytes = LB_BATCH * (size_t)r * sizeof(double);
  evaluate_batch(c, w->q0);
  memcpy(w->q, w->q0, bytes);
  memcpy(w->R0, c->block->R, bytes);
  memcpy(w->energy0, c->block->energies, sizeof w->energy0);
  damp(c, x, w->v0, w->Cu0);
  loops->scale(r, scheme->u_v, w->Cu0, w->Cu);
  loops->rates(scheme, x);
  loops->residual(scheme, x);
  uint32_t refused = factor_batch(c, scheme);
  loops->negate(r, w->G, w->d);
  own->ldlt_crowd->solve(r, LB_BATCH, w->factors, w->d);
  loops->add(r, w->d, w->q);
  for (int m = 0; m < LB_BATCH; m++)
    for (int32_t i = 0; i < r; i++)
      if (!lb_is_bounded(w->q[LB_BATCH * i + m])) refused |= 1U << m;
  return refused;
}

static void end_batch(const Crowd *c, const lbNewtonScheme *scheme, const lbNewtonNumbers *x) {
  const lbNewtonLoops *loops = &c->own->newton->crowd;
  Work *w = c->work;
  evaluate_batch(c, w->q);
  loops->rates(scheme, x);
  damp(c, x, w->u, w->Cu);
  loops->judge(scheme, x, w->figures);
}

// What became of a body's step: flags, with LB_STEP_AGAIN where it is to be ended alone.
static int32_t judge_batch(const Crowd *c, int m, lbStepEnergy *created) {
  const Work *w = c->work;
  const lbNewtonStart start = { w->energy0[m], w->stiffest[m] };
  double figures[LB_NEWTON_FIGURES], energy = c->block->energies[m];
  for (int k = 0; k < LB_NEWTON_FIGURES; k++) figures[k] = w->figures[LB_BATCH * k + m];
  int32_t flags = lb_newmark_judge(c->bodies[m], &start, energy, figures, created);
  // It may be stuck: with room for rounding, so that it is looked at alone.
  bool rests =
      lb_subspace_may_be_stuck((1 - 1e-9) * figures[LB_SUM_KINETIC], energy - figures[LB_SUM_LOAD]);
  return rests || (flags & (LB_STEP_NONFINITE | LB_STEP_FAR)) ? LB_STEP_AGAIN : flags;
}

// ---- bodies that go on alone -------------------------------------------------------------------

static void take_lane(const Crowd *c, int m, const double *lanes, double *row) {
  for (int32_t i = 0; i < c->own->count; i++) row[i] = lanes[LB_BATCH * i + m];
}

// From the linear solve on, as lb_part_open leaves it.
static void go_on_alone(const Crowd *c, int m) {
  lbBody *body = c->bodies[m];
  lbScratch *s = c->scratch;
  lbSubspaceWork *own = s->own;
  const Work *w = c->work;
  lbStep step = { .h = c->h, .share = 1, .whole = &body->frame };
  lb_part_prepare(body, &step, s);
  memcpy(own->a0, ((lbSubspaceState *)body->own)->a,
         (size_t)body->prepared->padded * sizeof(double));
  take_lane(c, m, w->q, s->q);
  take_lane(c, m, w->R0, own->R0);
  take_lane(c, m, w->Cu0, own->Cu0);
  own->energy0 = w->energy0[m], own->stiffest = w->stiffest[m];
  lb_body_conclude(body, c->h, lb_part_close(body, &step, s, 0), s);
}

// ---- all of it ---------------------------------------------------------------------------------

static void commit_batch(const Crowd *c, const int32_t *flags, const lbStepEnergy *created) {
  const lbSubspace *own = c->own;
  const lbNewtonKernels *kernels = own->newton;
  Work *w = c->work;
  double *q[LB_BATCH], *v[LB_BATCH], *a[LB_BATCH];
  for (int m = 0; m < LB_BATCH; m++) {
    bool done = c->bodies[m] && !(flags[m] & LB_STEP_AGAIN);
    lbSubspaceState *state = done ? c->bodies[m]->own : NULL;
    q[m] = done ? state->q : w->unused, v[m] = done ? state->v : w->unused;
    a[m] = done ? state->a : w->unused;
    if (done) lb_guard_book(c->bodies[m], created[m].created, created[m].end);
  }
  double *vectors[] = { w->q, w->v, w->a };
  double *const *rows[] = { q, v, a };
  for (int k = 0; k < 3; k++) {
    kernels->crowd.drop(own->count, lb_subspace_dust(), vectors[k]);
    kernels->scatter(own->count, vectors[k], rows[k]);
  }
}

static void step_together(const Crowd *c) {
  const lbNewtonScheme scheme = lb_newmark_scheme(c->h);
  const lbNewtonNumbers x = numbers_of(c);
  int32_t flags[LB_BATCH] = { 0 };
  lbStepEnergy created[LB_BATCH] = { 0 };
  gather_batch(c);
  uint32_t refused = begin_batch(c, &scheme, &x);
  end_batch(c, &scheme, &x);
  for (int m = 0; m < LB_BATCH; m++)
    if (c->bodies[m] && !(refused & 1U << m)) flags[m] = judge_batch(c, m, &created[m]);
  for (int m = 0; m < LB_BATCH; m++) { // before numbers are dropped
    if (!c->bodies[m]) continue;
    if (refused & 1U << m) flags[m] = LB_STEP_AGAIN;
  }
  for (int m = 0; m < LB_BATCH; m++)
    if (c->bodies[m] && (flags[m] & LB_STEP_AGAIN) && !(refused & 1U << m)) go_on_alone(c, m);
  commit_batch(c, flags, created);
  for (int m = 0; m < LB_BATCH; m++) {
    if (!c->bodies[m]) continue;
    if (refused & 1U << m)
      lb_body_advance(c->bodies[m], c->h, c->scratch);
    else if (!(flags[m] & LB_STEP_AGAIN))
      lb_body_conclude(c->bodies[m], c->h, flags[m], c->scratch);
  }
}

static bool may_join_batch(const lbBody *body, const lbPrepared *prepared) {
  return body->plain && body->consistent && body->integrator == LB_INTEGRATOR_NEWMARK &&
         !lb_subspace_of(body->prepared)->mass && (!prepared || prepared == body->prepared);
}

// The bodies of [begin, end), all of one block, that can step together.
static Crowd gather_crowd(const lbBodyGroup *group, int32_t begin, int32_t end, double h,
                          lbScratch *scratch) {
  Crowd c = { .block = block_of_batch(group, begin), .h = h, .scratch = scratch };
  c.work = scratch->call->own;
  for (int32_t i = begin; i < end && c.block && c.work; i++) {
    lbBody *body = &group->bodies[i];
    if (!may_join_batch(body, c.prepared)) continue;
    c.prepared = body->prepared;
    c.bodies[i % LB_BATCH] = body;
    c.count++;
    c.damped |= body->damping_stiffness != 0;
  }
  if (c.prepared) c.own = lb_subspace_of(c.prepared);
  return c;
}

void lb_subspace_step_many(lbBodyGroup *group, int32_t begin, int32_t end, double h,
                           lbScratch *scratch) {
  for (int32_t at = begin; at < end;) {
    int32_t next = (at / LB_BATCH + 1) * LB_BATCH;
    if (next > end) next = end;
    Crowd crowd = gather_crowd(group, at, next, h, scratch);
    bool together = crowd.count >= FEWEST;
    if (together) step_together(&crowd);
    for (; at < next; at++) {
      lbBody *body = &group->bodies[at];
      if (body->plain && !(together && crowd.bodies[at % LB_BATCH] == body))
        lb_body_advance(body, h, scratch);
    }
  }
}
