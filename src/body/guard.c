// Steps of a body that no world guards (guard.h).
#include "body/guard.h"

#include "body/constraints.h"
#include "body/energy.h"

#include <string.h>

// Momenta and shape after a step that was taken back, of what they were. Doubled distance from 1,
// dragged bodies lose more motion where they get stuck, and get free sooner.
#define SLOWER 0.8

double lb_guard_turn_substeps(const lbBody *body, double h) {
  if (body->frame.kind != LB_FRAME_FREE || body->frame.decoupled || body->frame.fitted) return 1;
  if (body->prepared->dimension == 0) return 1;
  return lb_length(body->frame.spin) * h / LB_TURN_MAX;
}

// ---- energy ------------------------------------------------------------------------------------

static double limit_of(const lbBody *body, double energy) {
  const lbPrepared *p = body->prepared;
  double weight = p->mass * lb_length(body->gravity) * p->size;
  return LB_ENERGY_TOLERANCE * (energy + weight) + p->energy_noise;
}

// Rounding of energies is not booked: bodies at rest would fill their account with it.
static double counted(const lbBody *body, double created) {
  return fabs(created) <= body->prepared->energy_noise ? 0 : created;
}

// The world, and the balance of a free frame and its shape, keep the account of all energy of a
// body.
static bool has_own_account(const lbBody *body) {
  return !body->take.guarded && body->frame.kind != LB_FRAME_FREE;
}

bool lb_guard_bears(const lbBody *body, double created, double energy) {
  double account = counted(body, created);
  if (account <= 0) return true;
  if (has_own_account(body)) account += body->frame.created;
  return account <= limit_of(body, energy);
}

void lb_guard_book(lbBody *body, double created, double energy) {
  double account = body->frame.created + counted(body, created);
  body->frame.created = fmin(fmax(account, 0), limit_of(body, energy));
}

double lb_guard_account(lbBody *body, const lbStep *step, lbScratch *s) {
  double energy = 0;
  bool in_island = body->take.guarded && body->frame.fitted;
  if (!has_own_account(body) && !in_island) return 0;
  double created = body->prepared->method->created(body, step, s, &energy);
  if (created == 0 && energy == 0) return 0;
  if (in_island) // the account is that of its island, whose heavy bodies bear more than it can
    return counted(body, created) <= limit_of(body, energy) ? 0 : created;
  bool bears = lb_guard_bears(body, created, energy); // not a number: no
  double excess = body->frame.created + created - limit_of(body, energy);
  if (bears || step->integrator == LB_STEP_EULER) lb_guard_book(body, created, energy);
  return bears ? 0 : isfinite(excess) ? excess : INFINITY;
}

static double kinetic_of_shape(const lbBody *body, const double *v, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  double sum = 0;
  if (p->method->kinetic) return p->method->kinetic(body, v, s);
  for (int32_t i = 0; i < p->dimension; i++) sum += 0.5 * p->node_masses[i / 3] * v[i] * v[i];
  return sum;
}

// Where the shape has stored more than its motion has, it goes back to where the step began.
int32_t lb_guard_dissipate(lbBody *body, double excess, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  p->method->get(body, s->q, s->v, NULL);
  double kinetic = kinetic_of_shape(body, s->v, s);
  bool stored = !(excess <= kinetic);
  double factor = stored ? 0 : sqrt(1 - excess / kinetic);
  for (int32_t i = 0; i < p->dimension; i++) s->v[i] *= factor;
  p->method->put(body, stored ? s->q0 : NULL, s->v, NULL);
  lb_body_disturb(body);
  return stored ? LB_STEP_ADAPTED | LB_STEP_NOT_CONVERGED : LB_STEP_ADAPTED;
}

// ---- attempts ----------------------------------------------------------------------------------

// What a failed attempt is to leave as it was.
typedef struct SavedStart {
  lbFrameState frame;
  bool consistent;
} SavedStart;

static SavedStart save_start(const lbBody *body, lbScratch *s) {
  const lbBodyMethod *method = body->prepared->method;
  method->get(body, s->start_q, s->start_v, NULL);
  method->save(body, s->numbers);
  return (SavedStart){ body->frame, body->consistent };
}

static void restore_start(lbBody *body, const SavedStart *start, const lbScratch *s) {
  const lbBodyMethod *method = body->prepared->method;
  if (!method->saves_all) method->put(body, s->start_q, s->start_v, NULL);
  method->restore(body, s->numbers);
  body->frame = start->frame;
  body->consistent = start->consistent;
}

static bool has_failed(int32_t flags) { return flags & (LB_STEP_NONFINITE | LB_STEP_FAR); }

// By the safe integrators a free body that is held does not feel what its spin and its shape do to
// each other, since that is explicit.
static bool is_held_and_free(const lbBody *body) {
  return body->frame.kind == LB_FRAME_FREE && !body->frame.fitted && lb_body_is_constrained(body);
}

// All substeps of a take; the body is as it was where they fail.
static int32_t take_substeps(lbBody *body, double h, int32_t take, lbScratch *s) {
  bool held = is_held_and_free(body) && lb_take_integrator(take) != LB_STEP_ASKED;
  bool decoupled = body->frame.decoupled;
  int32_t count = lb_take_substeps(take), flags = 0;
  SavedStart start = { .frame = body->frame };
  // The energy of a free body is known when its step is done.
  bool saved = count > 1 || (body->frame.kind == LB_FRAME_FREE && body->prepared->dimension > 0);
  if (saved) start = save_start(body, s);
  if (held) body->frame.decoupled = true;
  for (int32_t i = 0; i < count && !has_failed(flags); i++) {
    lbStep step = { .h = h / count,
                    .integrator = lb_take_integrator(take),
                    .share_before = (double)i / count,
                    .share = i + 1 == count ? 1 : (double)(i + 1) / count,
                    .whole = &start.frame };
    flags |= lb_part_take(body, &step, s);
  }
  if (saved && has_failed(flags)) restore_start(body, &start, s);
  body->frame.decoupled = decoupled;
  return flags;
}

// ---- energy ------------------------------------------------------------------------------------

// A free body keeps its momenta by construction and its energy up to the order of the integrator:
// spins as fast as its own frequencies, and constraints that turn it far in a step, can create
// energy. A step that brings the account above its limit fails; in the last take the shape is
// slowed down, then put back, and at last the whole step is. Where constraints drag a body, the
// account is taken in the axes that move with their targets, where these do no work.

// The largest factor up to 1 with which the energy is no more than wanted; 0 when none is.
static double slow_down(const lbFreeEnergy *e, double wanted) {
  double low = 0, high = 1;
  if (lb_free_energy_at(e, 0) > wanted) return 0;
  for (int i = 0; i < 40; i++) {
    double middle = 0.5 * (low + high);
    *(lb_free_energy_at(e, middle) <= wanted ? &low : &high) = middle;
  }
  return low;
}

static void set_rates(lbBody *body, double factor, lbScratch *s) {
  for (int32_t i = 0; i < body->prepared->padded; i++) s->v[i] *= factor;
  body->prepared->method->put(body, s->q, s->v, NULL);
  lb_body_disturb(body);
  lb_frame_update_rates(body, s->q, s->v, s);
}

// Energies that the body exchanges in passing count too: an error in the work of gravity is one.
static double level_of(const lbBody *body, double energy) {
  const lbPrepared *p = body->prepared;
  return energy + p->mass * lb_length(body->gravity) * p->size;
}

// What is added to an energy in axes that move with u: kinetic energy of P - m u.
static double seen_from(const lbBody *body, lbVec3 P, lbVec3 u) {
  return 0.5 * body->prepared->mass * lb_dot(u, u) - lb_dot(P, u);
}

int32_t lb_guard_energy(lbBody *body, const lbStep *step, const lbFrameState *start, lbVec3 drift,
                        lbScratch *s) {
  lbFrameState *f = &body->frame;
  lbFreeEnergy now = lb_free_energy(body, s->q, s->v, s);
  now.a += seen_from(body, f->momentum, drift);
  double before = step->frame.energy + seen_from(body, start->momentum, drift);
  double energy = lb_free_energy_at(&now, 1),
         created = energy - before - lb_step_work(body, step, start, drift, true, s);
  double noise = body->prepared->energy_noise;
  double limit = LB_ENERGY_TOLERANCE * level_of(body, fmax(energy, before)) + noise;
  double account = f->created + created;
  f->created = fmin(fmax(account, 0), limit);
  if (isfinite(energy) && !(created > 0 && account > limit)) return 0;
  // The guard takes it again; of a body that is held shorter substeps create as much.
  bool last = step->integrator == LB_STEP_EULER || (lb_body_is_constrained(body) && f->decoupled);
  if (!last) return LB_STEP_FAR;
  bool finite = isfinite(now.a);
  double wanted = fmax(finite ? energy - (account - limit) : before, 0);
  set_rates(body, finite ? slow_down(&now, wanted) : 0, s);
  if (finite && now.a <= wanted + limit) return LB_STEP_ADAPTED;
  memcpy(s->q, s->q0, (size_t)body->prepared->padded * sizeof(double));
  set_rates(body, 0, s);
  now = lb_free_energy(body, s->q, s->v, s);
  now.a += seen_from(body, f->momentum, drift);
  if (lb_free_energy_at(&now, 1) <= wanted + limit) return LB_STEP_ADAPTED;
  *f = *start;
  f->created = 0;
  if (lb_body_is_constrained(body)) { // where it was, and slower: what holds it takes momentum
    lbVec3 along = lb_scale(body->prepared->mass, drift);
    f->momentum = lb_add_scaled(along, SLOWER, lb_sub(f->momentum, along));
    f->angular = lb_scale(SLOWER, f->angular);
    for (int32_t i = 0; i < body->prepared->padded; i++) s->q[i] *= SLOWER; // or it stays for ever
  }
  set_rates(body, 0, s);
  return LB_STEP_ADAPTED | LB_STEP_NOT_CONVERGED;
}

// ---- takes -------------------------------------------------------------------------------------

static lbFailure cause_of(const lbBody *body) {
  return body->prepared->method->is_linear && !is_held_and_free(body) ? LB_FAIL_ROWS : LB_FAIL_BODY;
}

static int32_t first_take(const lbBody *body, double h) {
  double substeps = lb_guard_turn_substeps(body, h);
  return LB_STEP_INTEGRATORS * lb_take_doublings_for(substeps, LB_GUARD_SUBSTEPS);
}

// Reduced shapes that are bent by more than the body's size, in the mean of its masses, are to come
// back: an integrator that keeps the energy would swing them from one side to the other.
bool lb_guard_is_far_out(const lbBody *body, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  if (!p->method->kinetic) return false;
  p->method->get(body, s->q, NULL, NULL);
  return 2 * p->method->kinetic(body, s->q, s) > p->mass * p->size * p->size; // qᵀ M q
}

// A body that is held needs no substeps for its rotation by the safe integrators.
static int32_t next_take(const lbBody *body, int32_t take, lbScratch *s) {
  bool asked = lb_take_integrator(take) == LB_STEP_ASKED;
  if (asked && lb_guard_is_far_out(body, s)) return take + LB_STEP_EULER;
  if (asked && is_held_and_free(body)) return LB_STEP_SAFE;
  return lb_take_next(take, cause_of(body), LB_GUARD_SUBSTEPS);
}

static int32_t take_again(lbBody *body, double h, int32_t take, int32_t flags,
                          lbTakeSubsteps *substeps, lbScratch *s) {
  const int32_t last = lb_take_last(LB_GUARD_SUBSTEPS);
  bool hopeless = body->prepared->method->is_linear && flags & LB_STEP_NONFINITE; // exact as it is
  while (has_failed(flags) && take < last && !hopeless) {
    take = next_take(body, take, s);
    flags = substeps(body, h, take, s) | LB_STEP_ADAPTED;
  }
  if (!has_failed(flags)) return flags;
  lb_body_disturb(body);
  return flags | LB_STEP_NONFINITE;
}

int32_t lb_guard_take(lbBody *body, double h, lbTakeSubsteps *substeps, lbScratch *s) {
  int32_t take = first_take(body, h);
  return take_again(body, h, take, substeps(body, h, take, s), substeps, s);
}

int32_t lb_guard_step(lbBody *body, double h, lbScratch *s) {
  return lb_guard_take(body, h, take_substeps, s);
}

int32_t lb_guard_conclude(lbBody *body, double h, int32_t flags, lbScratch *s) {
  return take_again(body, h, 0, flags, take_substeps, s);
}
