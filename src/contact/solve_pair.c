// Contacts of the same two bodies together (solve_pair.h).
#include "contact/solve_pair.h"

#include <string.h>

#define ROUNDS 16   // sweeps over a pair, at most
#define CLOSER 0.6  // of what is enough: how far they go
#define SETTLED 0.1 // of that: a smaller change of a force is not worth its columns

// Places of contacts on both sides, which are of the same two bodies.
typedef struct Places {
  int32_t bodies[2]; // -1: what does not give way
  int32_t at[2][LB_CONTACT_PAIR];
} Places;

static Places find_places(const lbContactProblem *p, int32_t count, const int32_t *contacts) {
  Places places;
  for (int side = 0; side < 2; side++)
    for (int32_t i = 0; i < count; i++) {
      lbContactSide at = p->sides[2 * (size_t)contacts[i] + (size_t)side];
      places.at[side][i] = at.place, places.bodies[side] = at.body;
    }
  return places;
}

// ---- blocks ------------------------------------------------------------------------------------

// K <- with `sign` times how forces at places `from` of a part move its places `to`.
static void add_part(const lbContactPart *part, int32_t count, const int32_t *to,
                     const int32_t *from, double sign, size_t stride, double *K) {
  size_t wide = 3 * (size_t)part->count;
  for (size_t i = 0; i < 3 * (size_t)count; i++) {
    const double *row = part->matrix + (3 * (size_t)to[i / 3] + i % 3) * wide;
    double *own = K + i * stride;
    for (int32_t j = 0; j < count; j++, own += 3) {
      const double *at = row + 3 * (size_t)from[j];
      own[0] += sign * at[0], own[1] += sign * at[1], own[2] += sign * at[2];
    }
  }
}

// K (3 count x stride) <- of all of them.
static void find_block(const lbContactProblem *p, int32_t count, const Places *places,
                       size_t stride, double *K) {
  memset(K, 0, 3 * (size_t)count * stride * sizeof *K);
  for (int side = 0; side < 2; side++)
    if (places->bodies[side] >= 0)
      add_part(&p->parts[places->bodies[side]], count, places->at[side], places->at[side], 1,
               stride, K);
  if (places->bodies[0] < 0 || places->bodies[0] != places->bodies[1]) return;
  for (int side = 0; side < 2; side++) // a body that touches itself
    add_part(&p->parts[places->bodies[0]], count, places->at[side], places->at[!side], -1, stride,
             K);
}

// Columns of the inverse of a symmetric positive block; zeros: it is singular.
static void invert(const double B[12], double inverse[12]) {
  memset(inverse, 0, 12 * sizeof *inverse);
  double c0 = B[5] * B[10] - B[6] * B[9], c1 = B[6] * B[8] - B[4] * B[10];
  double c2 = B[4] * B[9] - B[5] * B[8];
  double det = B[0] * c0 + B[1] * c1 + B[2] * c2;
  if (!(det > 1e-12 * B[0] * B[5] * B[10])) return;
  double d1 = B[0] * B[10] - B[2] * B[8], d2 = B[1] * B[8] - B[0] * B[9];
  double e2 = B[0] * B[5] - B[1] * B[4];
  const double adjoint[3][3] = { { c0, c1, c2 }, { c1, d1, d2 }, { c2, d2, e2 } };
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) inverse[4 * k + i] = adjoint[i][k] / det;
}

void lb_contact_find_blocks(const lbContactProblem *p, int32_t contact, double own[12],
                            double inverse[12]) {
  Places places = find_places(p, 1, &contact);
  find_block(p, 1, &places, 4, own);
  invert(own, inverse);
}

// ---- the pair ----------------------------------------------------------------------------------

// Those that push or overlap.
static void collect(const lbContactProblem *p, int32_t count, const int32_t *contacts,
                    const double *x, lbContactPair *pair) {
  pair->count = 0;
  for (int32_t i = 0; i < count; i++) {
    const double *own = x + 3 * (size_t)contacts[i];
    size_t at = (size_t)pair->count;
    double *w = pair->w + 3 * at;
    lb_contact_find_w(p, contacts[i], w);
    if (own[0] == 0 && own[1] == 0 && own[2] == 0 && w[0] >= 0) continue; // apart
    memcpy(pair->x + 3 * at, own, 3 * sizeof *own);
    lb_contact_take_blocks(p, contacts[i], pair->own[at], pair->inverse[at]);
    pair->friction[at] = p->friction[contacts[i]];
    pair->contacts[pair->count++] = contacts[i];
  }
  size_t n = 3 * (size_t)pair->count;
  pair->stride = (n + 3) / 4 * 4;
  memset(pair->w + n, 0, 4 * sizeof *x), memset(pair->x + n, 0, 4 * sizeof *x);
  memcpy(pair->begun, pair->x, n * sizeof *x);
}

// Alone, a contact's block is all that there is.
static void collect_block(const lbContactProblem *p, lbContactPair *pair) {
  if (pair->count == 1) {
    memcpy(pair->K, pair->own[0], sizeof pair->own[0]);
    return;
  }
  Places places = find_places(p, pair->count, pair->contacts);
  find_block(p, pair->count, &places, pair->stride, pair->K);
}

static double greater(double a, double b) { return a > b ? a : b; }

void lb_contact_solve_pair(const lbContactProblem *p, int32_t count, const int32_t *contacts,
                           double least, double *x, lbContactChange *most) {
  lbContactPair pair;
  double force, move;
  collect(p, count, contacts, x, &pair);
  if (pair.count == 0) return;
  collect_block(p, &pair);
  lbContactLeft left = { least, SETTLED * CLOSER * p->enough, CLOSER * p->enough, ROUNDS };
  lb_contact_kernels(p->level)->solve_pair(&pair, &left, &force, &move);
  most->force = greater(most->force, force), most->move = greater(most->move, move);
  for (int32_t i = 0; i < pair.count; i++) {
    const double *now = pair.x + 3 * (size_t)i, *begun = pair.begun + 3 * (size_t)i;
    const double by[3] = { now[0] - begun[0], now[1] - begun[1], now[2] - begun[2] };
    for (int k = 0; k < 3; k++) most->largest = greater(most->largest, fabs(now[k]));
    if (by[0] == 0 && by[1] == 0 && by[2] == 0) continue;
    memcpy(x + 3 * (size_t)pair.contacts[i], now, sizeof by);
    lb_contact_change(p, pair.contacts[i], by);
  }
}
