// Contacts of the same two bodies together (gauss_seidel_pair.h).
#include "solve/gauss_seidel_pair.h"

#include "solve/cone.h"

#include <string.h>

enum { ROUNDS = 16 }; // sweeps over a pair, at most
// Of the tolerance: how far sweeps over a pair go. Doubled, more sweeps over all pairs follow.
#define CLOSER 0.6

// Places of contacts on both sides, which are of the same two bodies.
typedef struct Places {
  int32_t bodies[2]; // -1: no body moves
  int32_t at[2][LB_CONTACT_PAIR];
} Places;

static Places find_places(const lbContactProblem *p, const lbContactRun *run) {
  Places places;
  for (int side = 0; side < 2; side++)
    for (int32_t i = 0; i < run->count; i++) {
      int32_t contact = lb_contact_number(p, run->first + i);
      lbContactSide at = p->sides[2 * (size_t)contact + (size_t)side];
      places.at[side][i] = at.place, places.bodies[side] = at.body;
    }
  return places;
}

static size_t stride_of(const lbContactRun *run) { return (3 * (size_t)run->count + 3) / 4 * 4; }

// ---- blocks ------------------------------------------------------------------------------------

// K <- how forces at places of a part move these; or with that, and with `sign` times how forces at
// places `from` move places `to`.
static void put_part(const lbContactPart *part, int32_t count, const int32_t *places, size_t stride,
                     double *K) {
  size_t wide = 3 * (size_t)part->count, n = 3 * (size_t)count;
  for (size_t i = 0; i < n; i++, K += stride) {
    const double *row = part->matrix + (3 * (size_t)places[i / 3] + i % 3) * wide;
    for (int32_t j = 0; j < count; j++)
      memcpy(K + 3 * j, row + 3 * (size_t)places[j], 3 * sizeof *K);
    for (size_t k = n; k < stride; k++) K[k] = 0;
  }
}

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

// K <- with the contacts' own compliances.
static void add_compliances(const lbContactProblem *p, const lbContactRun *run, size_t stride,
                            double *K) {
  for (size_t i = 0; i < 3 * (size_t)run->count && p->compliance; i++) {
    size_t contact = (size_t)lb_contact_number(p, run->first + (int32_t)(i / 3));
    K[i * stride + i] += p->compliance[3 * contact + i % 3];
  }
}

// K (3 count x stride) <- compliance of the bodies of a run at its contacts.
static void find_moves(const lbContactProblem *p, const lbContactRun *run, double *K) {
  Places places = find_places(p, run);
  const int32_t *bodies = places.bodies, count = run->count;
  size_t stride = stride_of(run);
  if (bodies[0] >= 0)
    put_part(&p->parts[bodies[0]], count, places.at[0], stride, K);
  else
    memset(K, 0, 3 * (size_t)count * stride * sizeof *K);
  if (bodies[1] >= 0)
    add_part(&p->parts[bodies[1]], count, places.at[1], places.at[1], 1, stride, K);
  if (bodies[0] < 0 || bodies[0] != bodies[1]) return;
  for (int side = 0; side < 2; side++) // a body that touches itself
    add_part(&p->parts[bodies[0]], count, places.at[side], places.at[!side], -1, stride, K);
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

// K (3 count x stride) <- of all of them.
static void find_block(const lbContactProblem *p, const lbContactRun *run, double *K) {
  find_moves(p, run, K);
  add_compliances(p, run, stride_of(run), K);
}

void lb_contact_prepare_run(const lbContactProblem *p, lbContactRun *run, size_t *used,
                            lbContactOwn *own) {
  double work[3 * LB_CONTACT_PAIR * LB_CONTACT_PAIR_SIZE], *K = work;
  size_t stride = stride_of(run), size = 3 * (size_t)run->count * stride;
  run->block = -1;
  if (run->count > 1 && size <= p->memory.block_room - *used) {
    run->block = (int32_t)*used;
    K = p->memory.blocks + *used;
    *used += size;
  }
  find_block(p, run, K);
  for (int32_t i = 0; i < run->count; i++) {
    lbContactOwn *of = &own[run->first + i];
    *of = (lbContactOwn){ { 0 }, { 0 }, { 0 }, { 0 } };
    for (size_t k = 0; k < 3; k++)
      memcpy(of->block + 4 * k, K + (3 * (size_t)i + k) * stride + 3 * (size_t)i,
             3 * sizeof *of->block);
    invert(of->block, of->inverse);
  }
}

// ---- forces ------------------------------------------------------------------------------------

static double greater(double a, double b) { return a > b ? a : b; }

static lbContactLeft left_of(const lbContactProblem *p, double least) {
  return (lbContactLeft){ least, LB_CONTACT_UNCHANGED * CLOSER * p->move_tolerance,
                          CLOSER * p->move_tolerance, ROUNDS };
}

static bool pushes(const double x[3]) { return x[0] != 0 || x[1] != 0 || x[2] != 0; }

// x <- the force of a contact now; moves with it.
static void change(const lbContactProblem *p, int32_t contact, const double now[3], double *x,
                   lbContactChange *most) {
  double *force = x + 3 * (size_t)contact;
  const double by[3] = { now[0] - force[0], now[1] - force[1], now[2] - force[2] };
  for (int k = 0; k < 3; k++) most->largest = greater(most->largest, fabs(now[k]));
  if (!pushes(by)) return;
  memcpy(force, now, sizeof by);
  lb_contact_change(p, contact, by);
}

static void solve_alone(const lbContactProblem *p, int32_t contact, const lbContactOwn *own,
                        double least, double *x, lbContactChange *most) {
  lbContactLeft left = left_of(p, least);
  const double *force = x + 3 * (size_t)contact;
  double w[4] = { 0 }, now[3] = { force[0], force[1], force[2] }, size, way;
  lb_contact_find_w(p, contact, x, w);
  if (!pushes(now) && w[0] >= 0) return; // apart
  lb_contact_kernels(p->level)->solve_alone(own, p->friction[contact], &left, w, now, &size, &way);
  most->force = greater(most->force, size), most->move = greater(most->move, way);
  change(p, contact, now, x, most);
}

// x <- forces of the three rows of a block inside their bounds, one after another.
static void solve_bounded(const lbContactProblem *p, int32_t block, const lbContactOwn *own,
                          double least, double *x, lbContactChange *most) {
  lbContactLeft left = left_of(p, least);
  const double *force = x + 3 * (size_t)block, *B = own->block;
  double w[3], now[3] = { force[0], force[1], force[2] }, size = 0, way = 0;
  lb_contact_find_w(p, block, x, w);
  for (int32_t round = 0; round < left.rounds; round++) {
    double step = 0;
    for (int k = 0; k < 3; k++) {
      if (!(B[5 * k] > 0)) continue; // it has no compliance
      double next = lb_row_clamp(p, block, k, now[k] - w[k] / B[5 * k]), by = next - now[k];
      now[k] = next;
      for (int i = 0; i < 3; i++) w[i] += B[4 * k + i] * by;
      step = greater(step, B[5 * k] * fabs(by));
      if (round == 0) size = greater(size, fabs(by));
    }
    if (round == 0) way = step;
    if (step <= left.tolerance) break;
  }
  most->force = greater(most->force, size), most->move = greater(most->move, way);
  change(p, block, now, x, most);
}

// No torque of length 1 turns by more.
static double greatest_turn(const double B[12]) {
  double most = 0;
  for (size_t k = 0; k < 3; k++)
    most = greater(most, fabs(B[4 * k]) + fabs(B[4 * k + 1]) + fabs(B[4 * k + 2]));
  return most;
}

// x <- torques of rolling friction no greater than the contacts allow, by projected gradients.
static void solve_rolling(const lbContactProblem *p, int32_t block, const lbContactOwn *own,
                          double least, double *x, lbContactChange *most) {
  lbContactLeft left = left_of(p, least);
  const double *torque = x + 3 * (size_t)block, *B = own->block, *I = own->inverse;
  double w[3], now[3] = { torque[0], torque[1], torque[2] }, size = 0, way = 0;
  double turn = greatest_turn(B), bound = lb_rolling_most(p, block, x);
  lb_contact_find_w(p, block, x, w);
  if (!(turn > 0) || (!(bound > 0) && !pushes(now))) return; // no compliance, or no force
  for (int32_t round = 0; round < left.rounds; round++) {
    double next[3], step = 0;
    bool at_once = round == 0 && I[0] > 0; // to where nothing rolls
    for (int k = 0; k < 3; k++)
      next[k] = now[k] - (at_once ? I[k] * w[0] + I[4 + k] * w[1] + I[8 + k] * w[2] : w[k] / turn);
    lb_rolling_keep(bound, next);
    for (int k = 0; k < 3; k++) {
      double by = next[k] - now[k];
      now[k] = next[k];
      for (int i = 0; i < 3; i++) w[i] += B[4 * k + i] * by;
      step = greater(step, B[5 * k] * fabs(by));
      if (round == 0) size = greater(size, fabs(by));
    }
    if (round == 0) way = step;
    if (step <= left.tolerance) break;
  }
  most->force = greater(most->force, size), most->move = greater(most->move, way);
  change(p, block, now, x, most);
}

// Whether some of them push or overlap.
static bool collect(const lbContactProblem *p, const lbContactRun *run, const double *x,
                    lbContactPair *pair) {
  bool any = false;
  size_t n = 3 * (size_t)run->count;
  pair->count = run->count, pair->stride = stride_of(run);
  for (int32_t i = 0; i < run->count; i++) {
    int32_t contact = lb_contact_number(p, run->first + i);
    const double *force = x + 3 * (size_t)contact;
    double *w = pair->w + 3 * (size_t)i;
    lb_contact_find_w(p, contact, x, w);
    any |= pushes(force) || !(w[0] >= 0);
    memcpy(pair->x + 3 * (size_t)i, force, 3 * sizeof *force);
    pair->friction[i] = p->friction[contact];
  }
  memset(pair->w + n, 0, 4 * sizeof *x), memset(pair->x + n, 0, 4 * sizeof *x);
  return any;
}

static void solve(const lbContactProblem *p, const lbContactRun *run, bool back, double least,
                  double *x, lbContactPair *pair, lbContactChange *most) {
  lbContactLeft left = left_of(p, least);
  double force, move;
  lb_contact_kernels(p->level)->solve_pair(pair, &left, back, &force, &move);
  most->force = greater(most->force, force), most->move = greater(most->move, move);
  for (int32_t i = 0; i < run->count; i++)
    change(p, lb_contact_number(p, run->first + i), pair->x + 3 * (size_t)i, x, most);
}

// Of a run without a block in the memory.
static void solve_without(const lbContactProblem *p, const lbContactRun *run, bool back,
                          double least, double *x, lbContactPair *pair, lbContactChange *most) {
  double K[3 * LB_CONTACT_PAIR * LB_CONTACT_PAIR_SIZE];
  find_block(p, run, K);
  pair->K = K;
  solve(p, run, back, least, x, pair, most);
}

void lb_contact_solve_run(const lbContactProblem *p, const lbContactRun *run,
                          const lbContactOwn *own, bool back, double least, double *x,
                          lbContactChange *most) {
  lbContactPair pair;
  int32_t first = lb_contact_number(p, run->first);
  if (run->count == 1) {
    (lb_block_is_bounded(p, first)   ? solve_bounded
     : lb_block_is_rolling(p, first) ? solve_rolling
                                     : solve_alone)(p, first, own + run->first, least, x, most);
    return;
  }
  if (!collect(p, run, x, &pair)) return;
  pair.own = own + run->first;
  if (run->block < 0) {
    solve_without(p, run, back, least, x, &pair, most);
    return;
  }
  pair.K = p->memory.blocks + run->block;
  solve(p, run, back, least, x, &pair, most);
}
