// Contact forces of unreduced bodies, whose compliance between contact points is an estimate W̃
// (body/response_nodes.h) instead of one solution with the step's matrix for each column.
//
// Rows are solved with W̃, one solution a body tells what these forces x really do, W x, and they
// are solved again about there,
//
//   gap(y) = gap(x) + W̃ (y − x),
//
// until both agree. Each solution also tells W along s = x − (x before), and W̃ learns it,
//
//   W̃ <- W̃ − (W̃s)(W̃s)ᵀ/(sᵀW̃s) + (Ws)(Ws)ᵀ/(sᵀWs),
//
// the formula of Broyden, Fletcher, Goldfarb and Shanno, which keeps it symmetric and positive. The
// first x are the forces of the last step: a body at rest takes one solution.
#include "world/joint.h"

#include "solve/gauss_seidel_kernels.h"

#include <string.h>

// Solutions of a body for its forces, at most. What carries 1 000 times its own weight takes 16;
// with half as many, an energy of 1 % is gained there.
#define ROUNDS 16
// Of the ways in accuracy_of: what moves may be off by. Twice as much saves a round at most, and
// what rests shakes twice as much.
#define ACCURATE 0.01
#define ROUNDING 1e-4 // of what all forces do: no solution is asked for less
#define LOOSE 0.1     // of what is tolerated: what a solver may leave
#define POSITIVE 1e-6 // of sᵀW̃s: less of sᵀWs is rounding

bool lb_compliance_is_estimated(const lbWorld *world, int32_t slot) {
  const lbBody *body = world->slots[slot].body;
  return lb_touch_is_nodal(body) && !lb_jointed_of(world, slot);
}

// Of a body, (3 count) each, behind its matrix and its moves: forces for which its moves are known,
// these moves, and by how much they differ from those of the estimate.
typedef struct Known {
  double *forces, *moves, *shift, *step;
} Known;

static Known known_of(const lbContactPart *part) {
  size_t n = 3 * (size_t)part->count;
  double *at = part->moves + 3 * n;
  return (Known){ at, at + n, at + 2 * n, at + 3 * n };
}

static double dot(size_t n, const double *a, const double *b) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static double largest(size_t n, const double *a) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
  return most;
}

// y <- W̃ x, by columns, which are rows of a symmetric matrix
static void multiply(const lbWorldTouch *touch, const lbContactPart *part, const double *x,
                     double *y) {
  const lbContactKernels *kernels = lb_contact_kernels(touch->level);
  int32_t n = 3 * part->count;
  memset(y, 0, (size_t)n * sizeof *y);
  for (int32_t i = 0; i < n; i += 3)
    if (x[i] != 0 || x[i + 1] != 0 || x[i + 2] != 0)
      kernels->add_rows(n, part->matrix + (size_t)i * (size_t)n, x + i, y);
}

// s <- what the forces on a body's points have changed by.
static void find_step(const lbWorldTouch *touch, const lbContactBody *contact_body, const double *x,
                      const double *before, double *s) {
  for (int32_t i = 0; i < contact_body->count; i++) {
    int32_t owner = touch->owners[contact_body->first + i];
    for (int k = 0; k < 3; k++) {
      double force = x[3 * (owner / 2) + k];
      s[3 * i + k] = (owner & 1 ? -force : force) - before[3 * i + k];
    }
  }
}

// ---- learning ----------------------------------------------------------------------------------

// s, p = W̃ s, y = W s. Where the compliance is greater than W̃, it is so in other directions,
// too: too small a W̃ would make the next forces far too large.
// Wf <- W̃ f with the new W̃.
static void learn(lbContactPart *part, const double *s, const double *p, const double *y,
                  const double *f, double *Wf) {
  size_t n = 3 * (size_t)part->count;
  double before = dot(n, s, p), now = dot(n, s, y), scale = fmax(now / before, 1);
  if (!(before > 0) || !(now > POSITIVE * before)) return;
  double along_p = scale * dot(n, p, f) / before, along_y = dot(n, y, f) / now;
  for (size_t i = 0; i < n; i++) {
    double a = scale * p[i] / before, b = y[i] / now, *row = part->matrix + i * n;
    for (size_t k = 0; k < n; k++) row[k] = scale * row[k] + (b * y[k] - a * p[k]);
    Wf[i] = scale * Wf[i] + (along_y * y[i] - along_p * p[i]);
  }
}

static lbScratch *scratch_of(const lbContactBody *contact_body, const lbBody *body, bool impulses) {
  return impulses ? lb_scratch_borrow(body->prepared) : contact_body->touching.scratch;
}

typedef struct Correcting {
  lbWorld *world;
  const double *x;
  bool impulses;
} Correcting;

// One body. contact body->off: by how much its moves were off; -1: nothing has changed.
static void correct_body(const Correcting *c, int32_t t) {
  lbWorldTouch *touch = c->world->touch;
  lbContactBody *contact_body = &touch->contact_bodies[t];
  lbContactPart *part = &touch->parts[t];
  lbBody *body = c->world->slots[contact_body->slot].body;
  Known known = known_of(part);
  size_t n = 3 * (size_t)part->count;
  double *s = known.step, *p = part->moves, *y = part->moves + n, *Wf = part->moves + 2 * n;
  contact_body->off = -1;
  find_step(touch, contact_body, c->x, known.forces, s);
  multiply(touch, part, s, p);
  if (!(largest(n, p) > contact_body->accurate)) return;
  lbScratch *scratch = scratch_of(contact_body, body, c->impulses);
  if (!scratch) return;
  contact_body->touching.step.loose = LOOSE * contact_body->accurate / largest(n, p);
  lb_touch_find_moves(body, c->impulses ? NULL : &contact_body->touching.step, scratch, part->count,
                      touch->contact_points + contact_body->first, s, y);
  if (c->impulses)
    lb_scratch_return(body->prepared, scratch);
  else
    lb_touch_expect(body, scratch);
  contact_body->solves += !c->impulses;
  contact_body->off = 0;
  for (size_t i = 0; i < n; i++) {
    contact_body->off = fmax(contact_body->off, fabs(y[i] - p[i]));
    Wf[i] = known.moves[i] - known.shift[i] + p[i];
    known.forces[i] += s[i], known.moves[i] += y[i];
  }
  learn(part, s, p, y, known.forces, Wf);
  for (size_t i = 0; i < n; i++) { // step <- how the shift changes
    double now = known.moves[i] - Wf[i];
    s[i] = now - known.shift[i], known.shift[i] = now;
  }
}

static void correct_bodies(int32_t begin, int32_t end, void *context) {
  const Correcting *c = context;
  for (int32_t t = begin; t < end; t++)
    if (c->world->touch->contact_bodies[t].estimated) correct_body(c, t);
}

// free <- with the moves that forces x really make. Whether any were off.
static bool correct(lbWorld *world, const double *x, bool impulses) {
  lbWorldTouch *touch = world->touch;
  Correcting c = { world, x, impulses };
  bool off = false;
  double start = lb_seconds();
  lb_parallel_for(touch->contact_body_count, 1, correct_bodies, &c);
  touch->stats.response_seconds += lb_seconds() - start;
  for (int32_t t = 0; t < touch->contact_body_count; t++) {
    const lbContactBody *contact_body = &touch->contact_bodies[t];
    if (!contact_body->estimated || contact_body->off < 0) continue;
    const double *by = known_of(&touch->parts[t]).step;
    off |= contact_body->off > contact_body->accurate;
    for (int32_t i = 0; i < 3 * contact_body->count; i++) {
      int32_t owner = touch->owners[contact_body->first + i / 3];
      touch->free[3 * (owner / 2) + i % 3] += owner & 1 ? -by[i] : by[i];
    }
  }
  return off;
}

// ---- all of it ---------------------------------------------------------------------------------

bool lb_compliance_recall(lbWorld *world, int32_t number) {
  lbWorldTouch *touch = world->touch;
  const lbContactBody *contact_body = &touch->contact_bodies[number];
  lbBody *body = world->slots[contact_body->slot].body;
  double *forces = touch->amounts + 3 * (size_t)contact_body->first;
  if (body->frame.kind != LB_FRAME_HELD) return false; // it would turn them in the step
  memset(forces, 0, 3 * (size_t)contact_body->count * sizeof *forces);
  find_step(touch, contact_body, touch->forces, forces, forces);
  lbTouching still = { .body = body, .step = { .frame = { .turn = body->frame.turn } } };
  lb_touch_hold(&still, contact_body->count, touch->contact_points + contact_body->first, forces);
  return true;
}

// free <- without the moves by forces that were recalled, which are those of the estimate.
static void leave_out_recalled(lbWorldTouch *touch, const lbContactBody *contact_body,
                               const double *moves) {
  for (int32_t i = 0; i < 3 * contact_body->count; i++) {
    int32_t owner = touch->owners[contact_body->first + i / 3];
    touch->free[3 * (owner / 2) + i % 3] -= owner & 1 ? -moves[i] : moves[i];
  }
}

// m or m/s: error of a body's moves that is tolerated; of its way in a step by gravity, of how far
// points would get into each other, and of what its forces do, which may be many times more where
// something heavy stands on it.
static double accuracy_of(const lbWorld *world, const lbContactBody *contact_body, bool impulses,
                          double moves) {
  const lbWorldTouch *touch = world->touch;
  double way = world->h * lb_length(world->settings.gravity) * (impulses ? 1 : world->h);
  for (int32_t i = 0; i < contact_body->count && !impulses; i++)
    way = fmax(way, -touch->free[3 * (touch->owners[contact_body->first + i] / 2)]);
  return fmax(ACCURATE * way, ROUNDING * moves);
}

// What is known of each body: the moves by impulses h x, or by forces x that were recalled, are
// those of the estimate, since its step was measured with them.
static void begin(lbWorld *world, bool impulses) {
  lbWorldTouch *touch = world->touch;
  for (int32_t t = 0; t < touch->contact_body_count; t++) {
    lbContactBody *contact_body = &touch->contact_bodies[t];
    if (!contact_body->estimated) continue;
    Known known = known_of(&touch->parts[t]);
    size_t n = 3 * (size_t)contact_body->count;
    memset(known.forces, 0, 4 * n * sizeof(double));
    if (impulses || contact_body->recalled)
      find_step(touch, contact_body, touch->forces, known.forces, known.forces);
    for (size_t i = 0; i < n && impulses; i++) known.forces[i] *= world->h;
    multiply(touch, &touch->parts[t], known.forces, known.moves);
    contact_body->accurate = accuracy_of(world, contact_body, impulses, largest(n, known.moves));
  }
  for (int32_t t = 0; t < touch->contact_body_count && !impulses; t++)
    if (touch->contact_bodies[t].estimated)
      leave_out_recalled(touch, &touch->contact_bodies[t], known_of(&touch->parts[t]).moves);
}

static bool any_estimated(const lbWorldTouch *touch) {
  for (int32_t t = 0; t < touch->contact_body_count; t++)
    if (touch->contact_bodies[t].estimated) return true;
  return false;
}

// The guard takes their steps again, in shorter substeps, whose compliance is closer to the
// estimate.
static void mark_unsolved(lbWorld *world) {
  const lbWorldTouch *touch = world->touch;
  for (int32_t t = 0; t < touch->contact_body_count; t++) {
    const lbContactBody *at = &touch->contact_bodies[t];
    if (at->estimated && at->off > at->accurate) world->slots[at->slot].body->take.unsolved = true;
  }
}

void lb_compliance_solve(lbWorld *world, bool impulses, lbComplianceSolve *solve, double *x) {
  lbWorldTouch *touch = world->touch;
  if (!any_estimated(touch)) {
    solve(world, x);
    return;
  }
  begin(world, impulses);
  (void)correct(world, x, impulses);
  bool solved = false;
  for (int32_t round = 0; round <= ROUNDS && !solved; round++) {
    solve(world, x);
    solved = !correct(world, x, impulses);
  }
  if (!solved && !impulses) mark_unsolved(world);
  for (int32_t t = 0; t < touch->contact_body_count; t++)
    if (touch->contact_bodies[t].solves > touch->stats.solves)
      touch->stats.solves = touch->contact_bodies[t].solves;
}

void lb_compliance_close(lbWorld *world) {
  for (int32_t t = 0; t < world->touch->contact_body_count; t++)
    if (world->touch->contact_bodies[t].estimated)
      lb_touch_close(&world->touch->contact_bodies[t].touching);
}
