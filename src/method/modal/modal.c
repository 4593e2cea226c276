// The modal method: z'' + (alpha + beta lambda) z' + lambda z = U^T f, each mode by its exact step
// (oscillator.h), after Hauser, Shen & O'Brien 2003.
//
// The numbers of a body of its own lie in a row; those of a batch in blocks of 64 instances, mode
// by mode, which one kernel advances together. Both use one expression (modal.kernel.c), so they
// agree to the last bit.
#include "body/body.h"
#include "body/response_kernels.h"
#include "method/modal/modal_kernels.h"
#include "method/table.h"

#include <string.h>

// The moving numbers of one body, or of a block of a batch.
typedef struct Block {
  int32_t count, stride; // bodies in use; 1 or LB_INSTANCE_BLOCK
  double *q, *v;         // (padded x stride)
  double *force;         // of the next step: always `weight` plus what was applied; never -0
  double *weight;        // of gravity, in the bodies' own axes
  bool forced;           // `force` may hold something else than zeros
  bool touched;          // `force` may differ from `weight`
} Block;

typedef struct Group {
  Block *blocks;
  int32_t block_count;
  lbOscillators oscillators; // of the last step of the batch, or of the one body
  double damping[2];
} Group;

typedef struct State {
  Block *block;
  int32_t lane;
} State;

typedef struct Work {
  lbOscillators oscillators; // for bodies of a batch that are stepped by themselves
  double damping[2];
  const lbOscillators *now; // of the step under way
} Work;

// ---- memory ------------------------------------------------------------------------------------

static void place_oscillators(lbOscillators *o, int32_t count, lbCarver *carver) {
  void *memory = lb_carve(carver, lb_oscillators_bytes(count), 1);
  if (memory) *o = lb_oscillators_place(count, memory);
}

static void place_block_modal(Block *block, int32_t stride, int32_t padded, lbCarver *carver) {
  size_t count = (size_t)padded * (size_t)stride;
  block->stride = stride;
  block->q = lb_carve(carver, count, sizeof(double));
  block->v = lb_carve(carver, count, sizeof(double));
  block->force = lb_carve(carver, count, sizeof(double));
  block->weight = lb_carve(carver, count, sizeof(double));
}

static void place_group_modal(const lbPrepared *p, lbBodyGroup *group, lbCarver *carver) {
  Group draft = { .block_count = (group->count - 1) / LB_INSTANCE_BLOCK + 1 };
  Group *own = lb_carve(carver, 1, sizeof draft);
  State *states = lb_carve(carver, (size_t)group->count, sizeof *states);
  draft.blocks = lb_carve(carver, (size_t)draft.block_count, sizeof *draft.blocks);
  place_oscillators(&draft.oscillators, p->dimension, carver);
  for (int32_t i = 0; i < draft.block_count && !carver->overflow; i++) {
    Block unused, *block = own ? &draft.blocks[i] : &unused;
    place_block_modal(block, group->count == 1 ? 1 : LB_INSTANCE_BLOCK, p->padded, carver);
  }
  if (!own) return;
  *own = draft;
  group->own = own;
  for (int32_t i = 0; i < group->count; i++) {
    states[i] = (State){ &own->blocks[i / LB_INSTANCE_BLOCK], i % LB_INSTANCE_BLOCK };
    states[i].block->count++;
    group->bodies[i].own = &states[i];
  }
}

static void place_scratch_modal(const lbPrepared *p, lbScratch *scratch, lbCarver *carver) {
  Work draft = { 0 }, *work = lb_carve(carver, 1, sizeof draft);
  place_oscillators(&draft.oscillators, p->dimension, carver);
  if (work) *work = draft;
  scratch->own = work;
}

// ---- state -------------------------------------------------------------------------------------

static void gather_modal(const lbBody *body, const double *values, double *row) {
  const State *state = body->own;
  size_t stride = (size_t)state->block->stride, lane = (size_t)state->lane;
  size_t count = (size_t)body->prepared->padded;
  if (stride == 1)
    memcpy(row, values, count * sizeof *row);
  else
    for (size_t i = 0; i < count; i++) row[i] = values[i * stride + lane];
}

static void scatter_modal(const lbBody *body, const double *row, double *values) {
  const State *state = body->own;
  size_t stride = (size_t)state->block->stride, lane = (size_t)state->lane;
  for (size_t i = 0; i < (size_t)body->prepared->dimension; i++) values[i * stride + lane] = row[i];
}

static void get_modal(const lbBody *body, double *q, double *v, double *force) {
  const Block *block = ((const State *)body->own)->block;
  if (q) gather_modal(body, block->q, q);
  if (v) gather_modal(body, block->v, v);
  if (force) gather_modal(body, block->force, force);
}

static void put_modal(lbBody *body, const double *q, const double *v, const double *force) {
  Block *block = ((State *)body->own)->block;
  if (q) scatter_modal(body, q, block->q);
  if (v) scatter_modal(body, v, block->v);
  if (force) scatter_modal(body, force, block->force), block->forced = block->touched = true;
}

// NULL: what was applied is gone.
static void set_weight_modal(lbBody *body, const double *weight) {
  const State *state = body->own;
  Block *block = state->block;
  for (int32_t i = 0; i < body->prepared->dimension; i++) {
    size_t at = (size_t)i * (size_t)block->stride + (size_t)state->lane;
    double now = weight ? weight[i] : block->weight[at], *force = &block->force[at];
    *force = !weight || *force == block->weight[at] ? now : *force + (now - block->weight[at]);
    block->weight[at] = now;
    if (now != 0) block->forced = true;
  }
}

// ---- oscillators -------------------------------------------------------------------------------

static void set_oscillators(lbOscillators *o, double damping[2], const lbBody *body, double h) {
  if (o->h == h && damping[0] == body->damping_mass && damping[1] == body->damping_stiffness)
    return;
  damping[0] = body->damping_mass, damping[1] = body->damping_stiffness;
  lb_oscillators_set(o, body->prepared->eigenvalues, damping[0], damping[1], h);
}

// Those of a batch are shared: only its own step sets them.
static const lbOscillators *oscillators_of(const lbBody *body, double h, lbScratch *scratch) {
  Group *group = body->group->own;
  Work *work = scratch->own;
  if (body->group->count == 1) {
    set_oscillators(&group->oscillators, group->damping, body, h);
    return &group->oscillators;
  }
  set_oscillators(&work->oscillators, work->damping, body, h);
  return &work->oscillators;
}

static void ready_group(lbBodyGroup *group, double h) {
  Group *own = group->own;
  set_oscillators(&own->oscillators, own->damping, group->bodies, h);
}

// ---- steps of bodies that nothing holds --------------------------------------------------------

static void clear_applied(Block *block, int32_t dimension) {
  size_t count = (size_t)dimension * (size_t)block->stride;
  if (!block->touched) return;
  memcpy(block->force, block->weight, count * sizeof(double));
  block->forced = block->touched = false;
  for (size_t i = 0; i < count && !block->forced; i++) block->forced = block->weight[i] != 0;
}

// The clocks of the plain ones among bodies; whether all are.
static bool pass_time(lbBodyGroup *group, int32_t begin, int32_t end, double h) {
  bool all = true;
  for (int32_t i = begin; i < end; i++) {
    lbBody *body = &group->bodies[i];
    all = all && body->plain;
    if (!body->plain) continue;
    body->time += h;
    body->flags = 0;
  }
  return all;
}

static void step_block(lbBodyGroup *group, Block *block) {
  const Group *own = group->own;
  const lbPrepared *p = group->bodies->prepared;
  const double *force = block->forced ? block->force : NULL;
  if (block->stride == 1)
    lb_modal_kernels(p->level)->advance_modes(&own->oscillators, block->q, block->v, force);
  else
    lb_modal_kernels(p->level)->advance_instances(&own->oscillators, block->q, block->v, force);
  clear_applied(block, p->dimension);
}

static void step_lane(lbBody *body, double h, lbScratch *s) {
  const lbOscillators *o = oscillators_of(body, h, s);
  get_modal(body, s->q, s->v, s->force);
  lb_modal_kernels(body->prepared->level)->advance_modes(o, s->q, s->v, s->force);
  put_modal(body, s->q, s->v, NULL);
  set_weight_modal(body, NULL);
}

static void step_many(lbBodyGroup *group, int32_t begin, int32_t end, double h,
                      lbScratch *scratch) {
  const Group *own = group->own;
  bool all = pass_time(group, begin, end, h);
  if (group->count == 1 && all) { // a few nanoseconds
    ready_group(group, h);
    step_block(group, own->blocks);
    return;
  }
  Block *block = &own->blocks[begin / LB_INSTANCE_BLOCK];
  if (all && begin % LB_INSTANCE_BLOCK == 0 && end - begin == block->count) {
    step_block(group, block);
    return;
  }
  for (int32_t i = begin; i < end; i++)
    if (group->bodies[i].plain) step_lane(&group->bodies[i], h, scratch);
}

// ---- steps with forces that are found on the way -----------------------------------------------

static int32_t begin_modal(lbBody *body, lbStep *step, lbScratch *s) {
  const lbOscillators *o = oscillators_of(body, step->h, s);
  ((Work *)s->own)->now = o;
  for (int32_t i = 0; i < body->prepared->dimension; i++)
    s->q[i] = o->zz[i] * s->q0[i] + o->zv[i] * s->v0[i] + o->zg[i] * (s->force[i] + s->held[i]);
  return 0;
}

static void respond_modal(const lbBody *body, const lbStep *step, lbScratch *s, const double *force,
                          double *moved) {
  const lbOscillators *o = ((const Work *)s->own)->now;
  (void)step;
  for (int32_t i = 0; i < body->prepared->padded; i++)
    moved[i] = i < body->prepared->dimension ? o->zg[i] * force[i] : 0;
}

static bool respond_many_modal(const lbBody *body, const lbStep *step, lbScratch *s, int32_t n,
                               double *x) {
  const lbOscillators *o = ((const Work *)s->own)->now;
  size_t stride = lb_touch_stride(n);
  (void)step;
  for (int32_t i = 0; i < body->prepared->dimension; i++, x += stride) {
    double by = o->zg[i]; // which is not among the columns
    for (size_t k = 0; k < stride; k++) x[k] *= by;
  }
  return true;
}

static int32_t end_modal(lbBody *body, const lbStep *step, lbScratch *s) {
  const lbOscillators *o = ((const Work *)s->own)->now;
  (void)step;
  for (int32_t i = 0; i < body->prepared->dimension; i++) {
    double force = s->force[i] + s->held[i] + s->pull[i];
    s->v[i] = o->vz[i] * s->q0[i] + o->vv[i] * s->v0[i] + o->zv[i] * force;
    if (!isfinite(s->q[i]) || !isfinite(s->v[i])) return LB_STEP_NONFINITE;
  }
  return 0;
}

static double without_dust_modal(double x) { return x * x < 1e-300 ? 0 : x; }

static int32_t commit_modal(lbBody *body, const lbStep *step, lbScratch *s) {
  (void)step;
  for (int32_t i = 0; i < body->prepared->dimension; i++) {
    s->q[i] = without_dust_modal(s->q[i]);
    s->v[i] = without_dust_modal(s->v[i]);
  }
  put_modal(body, s->q, s->v, NULL);
  return 0;
}

// ---- questions ---------------------------------------------------------------------------------

static double kinetic_modal(const lbBody *body, const double *v, lbScratch *scratch) {
  (void)scratch;
  double sum = 0;
  for (int32_t i = 0; i < body->prepared->dimension; i++) sum += 0.5 * v[i] * v[i];
  return sum;
}

static double elastic_modal(const lbBody *body, const double *q, lbScratch *scratch) {
  double sum = 0;
  (void)scratch;
  for (int32_t i = 0; i < body->prepared->dimension; i++)
    sum += 0.5 * body->prepared->eigenvalues[i] * q[i] * q[i];
  return sum;
}

static void comply_modal(const lbPrepared *p, double *x, lbScratch *scratch) {
  (void)scratch;
  for (int32_t i = 0; i < p->dimension; i++)
    x[i] = p->eigenvalues[i] > 0 ? x[i] / p->eigenvalues[i] : 0;
}

static uint64_t identify_modal(const lbPrepared *p, uint64_t hash) {
  return lb_hash(hash, p->eigenvalues, (size_t)p->dimension * sizeof(double));
}

const lbBodyMethod lb_modal_method = { .method = LB_METHOD_MODAL,
                                       .responds_alike = true,
                                       .is_linear = true,
                                       .stress_law = LB_MATERIAL_LINEAR,
                                       .place_group = place_group_modal,
                                       .place_scratch = place_scratch_modal,
                                       .get = get_modal,
                                       .put = put_modal,
                                       .set_weight = set_weight_modal,
                                       .begin = begin_modal,
                                       .respond = respond_modal,
                                       .respond_many = respond_many_modal,
                                       .end = end_modal,
                                       .commit = commit_modal,
                                       .ready_group = ready_group,
                                       .step_many = step_many,
                                       .alone = true,
                                       .many = LB_INSTANCE_BLOCK,
                                       .kinetic = kinetic_modal,
                                       .elastic = elastic_modal,
                                       .comply = comply_modal,
                                       .identify = identify_modal };
