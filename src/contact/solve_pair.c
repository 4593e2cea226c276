// Contacts of the same two bodies together (solve_pair.h): sweeps over them with the block of all
// their forces and moves, and conjugate directions between those, as solve.c has for all bodies.
#include "contact/solve_pair.h"

#include "contact/solve_kernels.h"

#include <string.h>

#define ROUNDS 16   // sweeps over a pair, at most
#define CLOSER 0.3  // of what is enough: how far they go
#define SETTLED 0.1 // of that: a smaller change of a force is not worth its columns

enum { SIZE = 3 * LB_CONTACT_PAIR };

// Those that push or overlap; all numbers are three a contact.
typedef struct Pair {
  int32_t count;
  int32_t contacts[LB_CONTACT_PAIR];
  lbContactBlock blocks[LB_CONTACT_PAIR];
  double w[SIZE], x[SIZE];            // now
  double begun[SIZE];                 // forces when the pair was come to
  double before_w[SIZE], way_w[SIZE]; // before a sweep; the way that they go on along
  double before_x[SIZE], way_x[SIZE];
  double K[SIZE * SIZE]; // (3 count x 3 count)
} Pair;

static double greater(double a, double b) { return a > b ? a : b; }

static double largest_of(const double x[3]) {
  return greater(fabs(x[0]), greater(fabs(x[1]), fabs(x[2])));
}

// ---- the pair ----------------------------------------------------------------------------------

static void collect(const lbContactProblem *p, int32_t count, const int32_t *contacts,
                    const double *x, Pair *pair) {
  pair->count = 0;
  for (int32_t i = 0; i < count; i++) {
    const double *own = x + 3 * (size_t)contacts[i];
    double *w = pair->w + 3 * (size_t)pair->count;
    lb_contact_find_w(p, contacts[i], w);
    if (own[0] == 0 && own[1] == 0 && own[2] == 0 && w[0] >= 0) continue; // apart
    memcpy(pair->x + 3 * (size_t)pair->count, own, 3 * sizeof *own);
    pair->contacts[pair->count++] = contacts[i];
  }
  memcpy(pair->begun, pair->x, 3 * (size_t)pair->count * sizeof *x);
}

// K <- with `sign` times how forces at places `from` of a part move its places `to`.
static void add_part(const lbContactPart *part, int32_t count, const int32_t *to,
                     const int32_t *from, double sign, double *K) {
  size_t wide = 3 * (size_t)part->count, n = 3 * (size_t)count;
  for (size_t i = 0; i < n; i++) {
    const double *row = part->matrix + (3 * (size_t)to[i / 3] + i % 3) * wide;
    for (int32_t j = 0; j < count; j++, K += 3) {
      const double *at = row + 3 * (size_t)from[j];
      K[0] += sign * at[0], K[1] += sign * at[1], K[2] += sign * at[2];
    }
  }
}

static void find_block(const lbContactProblem *p, Pair *pair) {
  int32_t places[2][LB_CONTACT_PAIR], bodies[2] = { -1, -1 };
  size_t n = 3 * (size_t)pair->count;
  for (int side = 0; side < 2; side++)
    for (int32_t i = 0; i < pair->count; i++) {
      lbContactSide at = p->sides[2 * (size_t)pair->contacts[i] + (size_t)side];
      places[side][i] = at.place, bodies[side] = at.body;
    }
  memset(pair->K, 0, n * n * sizeof(double));
  for (int side = 0; side < 2; side++)
    if (bodies[side] >= 0)
      add_part(&p->parts[bodies[side]], pair->count, places[side], places[side], 1, pair->K);
  if (bodies[0] < 0 || bodies[0] != bodies[1]) return;
  for (int side = 0; side < 2; side++) // a body that touches itself
    add_part(&p->parts[bodies[0]], pair->count, places[side], places[!side], -1, pair->K);
}

// ---- sweeps ------------------------------------------------------------------------------------

// How far a force and its move change, in a sweep over the pair.
static lbContactChange sweep_over(const lbContactProblem *p, Pair *pair, bool back, double least) {
  const lbContactKernels *kernels = lb_contact_kernels(p->level);
  const double little = SETTLED * CLOSER * p->enough;
  int32_t n = 3 * pair->count;
  lbContactChange most = { 0, 0, 0 };
  for (int32_t k = 0; k < pair->count; k++) {
    int32_t i = back ? pair->count - 1 - k : k;
    double *own = pair->x + 3 * (size_t)i, *w = pair->w + 3 * (size_t)i;
    if (own[0] == 0 && own[1] == 0 && own[2] == 0 && w[0] >= 0) continue;
    double x[3] = { own[0], own[1], own[2] }, by[3];
    double friction = p->friction[pair->contacts[i]];
    double move = lb_contact_solve_one(&pair->blocks[i], friction, SETTLED * little, w, x);
    for (int a = 0; a < 3; a++) by[a] = x[a] - own[a];
    double size = largest_of(by);
    most.force = greater(most.force, size);
    most.move = greater(most.move, move);
    if (!(size > least) || move < little) continue;
    memcpy(own, x, sizeof x);
    if (pair->count > 1) kernels->add_rows(n, pair->K + 3 * (size_t)i * (size_t)n, by, pair->w);
  }
  return most;
}

// x goes on along `way` by `share` of it; the way <- that and what x has changed by since `before`.
static void go_along(size_t count, double share, const double *before, double *way, double *x) {
  for (size_t k = 0; k < count; k++) {
    double by = share * way[k];
    way[k] = by + x[k] - before[k];
    x[k] += by;
  }
}

static double go_on(Pair *pair, double before) {
  size_t n = 3 * (size_t)pair->count;
  double step = 0;
  for (size_t k = 0; k < n; k++) {
    double by = pair->x[k] - pair->before_x[k];
    step += by * by;
  }
  double share = step < before ? step / before : 0;
  go_along(n, share, pair->before_x, pair->way_x, pair->x);
  go_along(n, share, pair->before_w, pair->way_w, pair->w);
  return step;
}

static void sweep_until_settled(const lbContactProblem *p, Pair *pair, double least,
                                lbContactChange *most) {
  size_t bytes = 3 * (size_t)pair->count * sizeof(double);
  double before = 0;
  int32_t rounds = pair->count > 1 ? ROUNDS : 1;
  memset(pair->way_w, 0, bytes), memset(pair->way_x, 0, bytes);
  for (int32_t round = 1; round <= rounds; round++) {
    memcpy(pair->before_w, pair->w, bytes), memcpy(pair->before_x, pair->x, bytes);
    lbContactChange changed = sweep_over(p, pair, round % 2 == 0, least);
    if (round == 1) {
      most->force = greater(most->force, changed.force);
      most->move = greater(most->move, changed.move);
    }
    if (changed.force <= least || changed.move <= CLOSER * p->enough || round == rounds) return;
    before = go_on(pair, before);
  }
}

void lb_contact_solve_pair(const lbContactProblem *p, int32_t count, const int32_t *contacts,
                           double least, double *x, lbContactChange *most) {
  Pair pair;
  collect(p, count, contacts, x, &pair);
  if (pair.count == 0) return;
  for (int32_t i = 0; i < pair.count; i++)
    lb_contact_take_block(p, pair.contacts[i], &pair.blocks[i]);
  if (pair.count > 1) find_block(p, &pair);
  sweep_until_settled(p, &pair, least, most);
  for (int32_t i = 0; i < pair.count; i++) {
    const double *now = pair.x + 3 * (size_t)i, *begun = pair.begun + 3 * (size_t)i;
    const double by[3] = { now[0] - begun[0], now[1] - begun[1], now[2] - begun[2] };
    most->largest = greater(most->largest, largest_of(now));
    if (by[0] == 0 && by[1] == 0 && by[2] == 0) continue;
    memcpy(x + 3 * (size_t)pair.contacts[i], now, sizeof by);
    lb_contact_change(p, pair.contacts[i], by);
  }
}
