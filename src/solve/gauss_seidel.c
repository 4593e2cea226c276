// Gauss-Seidel over contacts and bounded rows (gauss_seidel.h).
#include "solve/gauss_seidel.h"

#include "solve/cone.h"
#include "solve/gauss_seidel_pair.h"

#include <assert.h>
#include <string.h>

static_assert(sizeof(lbContactOwn) == LB_CONTACT_WORK * sizeof(double), "numbers of a contact");
static_assert(sizeof(lbContactRun) == LB_CONTACT_INTS * sizeof(int32_t), "integers of a run");

// ---- how places move ---------------------------------------------------------------------------

static const double *row_of(const lbContactPart *part, int32_t place, int axis) {
  return part->matrix + (size_t)(3 * place + axis) * (size_t)(3 * part->count);
}

void lb_contact_change(const lbContactProblem *p, int32_t contact, const double x[3]) {
  const lbContactSide *sides = p->sides + 2 * (size_t)contact;
  const double opposite[3] = { -x[0], -x[1], -x[2] };
  const lbContactKernels *kernels = lb_contact_kernels(p->level);
  for (int side = 0; side < 2; side++) { // columns of a symmetric matrix
    if (sides[side].body < 0) continue;
    const lbContactPart *part = &p->parts[sides[side].body];
    kernels->add_rows(3 * part->count, row_of(part, sides[side].place, 0), side ? opposite : x,
                      part->moves);
  }
}

void lb_contact_move(const lbContactProblem *p, int32_t contact, double by[3]) {
  by[0] = by[1] = by[2] = 0;
  for (int side = 0; side < 2; side++) {
    lbContactSide at = p->sides[2 * (size_t)contact + (size_t)side];
    if (at.body < 0) continue;
    const double *moves = p->parts[at.body].moves + 3 * (size_t)at.place;
    for (int i = 0; i < 3; i++) by[i] += side ? -moves[i] : moves[i];
  }
}

// Each part once: with the contact that has its first place. NULL: not with this one.
static const lbContactPart *part_with(const lbContactProblem *p, int32_t contact, int side) {
  lbContactSide at = p->sides[2 * (size_t)contact + (size_t)side];
  return at.body >= 0 && at.place == 0 ? &p->parts[at.body] : NULL;
}

static void clear_moves(const lbContactProblem *p, int32_t contact) {
  for (int side = 0; side < 2; side++) {
    const lbContactPart *part = part_with(p, contact, side);
    if (part) memset(part->moves, 0, 3 * (size_t)part->count * sizeof(double));
  }
}

void lb_contact_moves(const lbContactProblem *p, const double *x) {
  for (int32_t i = 0; i < p->contact_count; i++) clear_moves(p, lb_contact_number(p, i));
  for (int32_t i = 0; i < p->contact_count; i++) {
    int32_t c = lb_contact_number(p, i);
    const double *own = x + 3 * (size_t)c;
    if (own[0] != 0 || own[1] != 0 || own[2] != 0) lb_contact_change(p, c, own);
  }
}

void lb_contact_find_w(const lbContactProblem *p, int32_t contact, const double *x, double w[3]) {
  size_t at = 3 * (size_t)contact;
  lb_contact_move(p, contact, w);
  for (size_t i = 0; i < 3; i++) w[i] += p->free[at + i];
  for (size_t i = 0; i < 3 && p->compliance; i++) w[i] += p->compliance[at + i] * x[at + i];
}

// ---- all of them -------------------------------------------------------------------------------

static double greater(double a, double b) { return a > b ? a : b; }

static double largest_of(const double x[3]) {
  return greater(fabs(x[0]), greater(fabs(x[1]), fabs(x[2])));
}

static void clamp_block(const lbContactProblem *p, int32_t block, double x[3]) {
  for (int k = 0; k < 3; k++) x[k] = isfinite(x[k]) ? lb_row_clamp(p, block, k, x[k]) : 0;
}

// Moves forces into their bounds and cones. Returns the largest.
static double project_forces(const lbContactProblem *p, double *x) {
  double largest = 0;
  for (int32_t i = 0; i < p->contact_count; i++) {
    int32_t c = lb_contact_number(p, i);
    double *own = x + 3 * (size_t)c;
    if (lb_block_is_bounded(p, c)) {
      clamp_block(p, c, own);
    } else if (lb_block_is_rolling(p, c)) {
      lb_rolling_keep(lb_rolling_most(p, c, x), own);
    } else {
      if (!(own[0] > 0)) own[0] = own[1] = own[2] = 0;
      lb_cone_keep(p->friction[c], own);
    }
    largest = greater(largest, largest_of(own));
  }
  return largest;
}

typedef struct Solving {
  const lbContactProblem *problem;
  lbContactOwn *own;  // (contacts), of the list
  lbContactRun *runs; // (run_count)
  int32_t run_count;
} Solving;

// Where a sweep starts from is kept.
static void keep(const Solving *s, const double *x) {
  const lbContactProblem *p = s->problem;
  for (int32_t i = 0; i < p->contact_count; i++) {
    int32_t c = lb_contact_number(p, i);
    memcpy(s->own[i].before, x + 3 * (size_t)c, 3 * sizeof *x);
    for (int side = 0; side < 2; side++) {
      const lbContactPart *part = part_with(p, c, side);
      if (!part) continue;
      size_t n = 3 * (size_t)part->count;
      memcpy(part->moves + n, part->moves, n * sizeof *x);
    }
  }
}

// The squared length of what a sweep has changed.
static double step_of(const Solving *s, const double *x) {
  double sum = 0;
  for (int32_t i = 0; i < s->problem->contact_count; i++) {
    const double *force = x + 3 * (size_t)lb_contact_number(s->problem, i);
    for (int k = 0; k < 3; k++) {
      double by = force[k] - s->own[i].before[k];
      sum += by * by;
    }
  }
  return sum;
}

static void go_on(const Solving *s, double share, double *x) {
  const lbContactProblem *p = s->problem;
  const lbContactKernels *kernels = lb_contact_kernels(p->level);
  for (int32_t i = 0; i < p->contact_count; i++) {
    int32_t c = lb_contact_number(p, i);
    kernels->go_along(3, share, s->own[i].before, s->own[i].along, x + 3 * (size_t)c);
    for (int side = 0; side < 2; side++) {
      const lbContactPart *part = part_with(p, c, side);
      if (!part) continue;
      size_t n = 3 * (size_t)part->count;
      kernels->go_along(n, share, part->moves + n, part->moves + 2 * n, part->moves);
    }
  }
}

// The run of contacts between the same two bodies, no longer than a pair takes, that begins with
// one of the list.
static lbContactRun run_from(const lbContactProblem *p, int32_t first) {
  lbContactRun run = { .first = first };
  const lbContactSide *begin = p->sides + 2 * (size_t)lb_contact_number(p, first);
  if (!lb_block_is_contact(p, lb_contact_number(p, first))) run.count = 1;
  if (run.count == 1) return run;
  for (int32_t i = first; i < p->contact_count && run.count < LB_CONTACT_PAIR; i++) {
    int32_t block = lb_contact_number(p, i);
    const lbContactSide *sides = p->sides + 2 * (size_t)block;
    if (!lb_block_is_contact(p, block) || sides[0].body != begin[0].body ||
        sides[1].body != begin[1].body)
      break;
    run.count++;
  }
  return run;
}

static void clear_ways(const lbContactProblem *p, int32_t contact) {
  for (int side = 0; side < 2; side++) {
    const lbContactPart *part = part_with(p, contact, side);
    size_t n = part ? 3 * (size_t)part->count : 0;
    if (part) memset(part->moves + 2 * n, 0, n * sizeof(double));
  }
}

static Solving prepare(const lbContactProblem *p) {
  Solving s = { p, (lbContactOwn *)p->memory.numbers, (lbContactRun *)p->memory.integers, 0 };
  size_t used = 0;
  for (int32_t i = 0; i < p->contact_count; i += s.runs[s.run_count++].count) {
    s.runs[s.run_count] = run_from(p, i);
    lb_contact_prepare_run(p, &s.runs[s.run_count], &used, s.own);
  }
  for (int32_t i = 0; i < p->contact_count; i++) clear_ways(p, lb_contact_number(p, i));
  return s;
}

static lbContactChange sweep_over(const Solving *s, bool back, double least, double *x) {
  lbContactChange most = { 0, 0, 0 };
  for (int32_t i = 0; i < s->run_count; i++) {
    const lbContactRun *run = &s->runs[back ? s->run_count - 1 - i : i];
    lb_contact_solve_run(s->problem, run, s->own, back, least, x, &most);
  }
  return most;
}

static int32_t sweep_until_settled(const lbContactProblem *p, double *x) {
  double largest = project_forces(p, x), before = 0;
  lb_contact_moves(p, x);
  Solving s = prepare(p);
  for (int32_t sweep = 1; sweep <= p->sweeps_most; sweep++) {
    keep(&s, x);
    lbContactChange most =
        sweep_over(&s, sweep % 2 == 0, LB_CONTACT_UNCHANGED * p->tolerance * largest, x);
    largest = most.largest;
    if (most.force <= p->tolerance * largest || most.move <= p->move_tolerance) return sweep;
    if (sweep == p->sweeps_most) break;
    double step = step_of(&s, x);
    go_on(&s, step < before ? step / before : 0, x);
    before = step;
  }
  return p->sweeps_most;
}

// Going on along a direction leaves cones, and what is left of that is too little for a sweep.
int32_t lb_contact_solve(const lbContactProblem *p, double *x) {
  int32_t sweeps = sweep_until_settled(p, x);
  project_forces(p, x);
  return sweeps;
}

double lb_contact_deepest(const lbContactProblem *p) {
  double deepest = 0;
  for (int32_t i = 0; i < p->contact_count; i++) {
    int32_t c = lb_contact_number(p, i);
    const double *free = p->free + 3 * (size_t)c;
    if (lb_block_is_rolling(p, c)) continue;
    deepest = fmax(deepest, lb_block_is_bounded(p, c) ? largest_of(free) : -free[0]);
  }
  return deepest;
}

// What a bounded row lacks: w inside its bounds, and the part of w at a bound that it could lower.
static double bounded_residual(const lbContactProblem *p, int32_t block, const double x[3],
                               const double w[3]) {
  double worst = 0;
  for (int k = 0; k < 3; k++) {
    size_t row = 3 * (size_t)(block - p->bounded_begin) + (size_t)k;
    if (p->low[row] == p->high[row]) continue;
    if (w[k] < 0 && x[k] < p->high[row]) worst = greater(worst, -w[k]);
    if (w[k] > 0 && x[k] > p->low[row]) worst = greater(worst, w[k]);
  }
  return worst;
}

static double length_of(const double a[3]) { return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

// Rotation times what the torque lacks to the most, and rotation that does not oppose it: work.
static double rolling_residual(double most, const double x[3], const double w[3]) {
  double turn = length_of(w), torque = length_of(x);
  double along = w[0] * x[0] + w[1] * x[1] + w[2] * x[2];
  return greater(turn * greater(0, most - torque), along + turn * torque);
}

double lb_contact_residual(const lbContactProblem *p, const double *x) {
  double largest = 0, worst = 0;
  lb_contact_moves(p, x);
  for (int32_t i = 0; i < p->contact_count; i++)
    largest = fmax(largest, fabs(x[3 * (size_t)lb_contact_number(p, i)]));
  for (int32_t i = 0; i < p->contact_count; i++) {
    int32_t c = lb_contact_number(p, i);
    const double *own = x + 3 * (size_t)c;
    double w[3];
    lb_contact_find_w(p, c, x, w);
    if (lb_block_is_bounded(p, c)) {
      worst = fmax(worst, bounded_residual(p, c, own, w));
      continue;
    }
    if (lb_block_is_rolling(p, c)) {
      if (largest > 0)
        worst = fmax(worst, rolling_residual(lb_rolling_most(p, c, x), own, w) / largest);
      continue;
    }
    double most = p->friction[c] * own[0];
    worst = fmax(worst, -w[0]);
    if (largest > 0) worst = fmax(worst, fabs(w[0] * own[0]) / largest);
    double slip = sqrt(w[1] * w[1] + w[2] * w[2]), pull = sqrt(own[1] * own[1] + own[2] * own[2]);
    if (!(largest > 0) || p->friction[c] == 0) continue;
    // slip times what the pull lacks to the cone, and slip that does not oppose the pull
    worst = fmax(worst, slip * fmax(0, most - pull) / largest);
    worst = fmax(worst, (w[1] * own[1] + w[2] * own[2] + slip * pull) / largest);
  }
  return worst;
}
