// Gauss-Seidel over contacts with cones (solve.h).
#include "contact/solve.h"

#include "contact/cone.h"
#include "contact/solve_pair.h"

#include <string.h>

#define SETTLED 0.1 // of what is tolerated: a smaller change of a force is not worth its columns

// Numbers of a contact in `work`: its force before a sweep, the way that forces go on along, its
// own block, and the inverse of that.
enum { BEFORE = 0, ALONG = 3, OWN = 6, INVERSE = 18 };

// ---- how places move ---------------------------------------------------------------------------

static const double *row_of(const lbContactPart *part, int32_t place, int axis) {
  return part->matrix + (size_t)(3 * place + axis) * (size_t)(3 * part->count);
}

static int32_t number_of(const lbContactProblem *p, int32_t index) {
  return p->list ? p->list[index] : index;
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
  for (int32_t i = 0; i < p->contact_count; i++) clear_moves(p, number_of(p, i));
  for (int32_t i = 0; i < p->contact_count; i++) {
    int32_t c = number_of(p, i);
    const double *own = x + 3 * (size_t)c;
    if (own[0] != 0 || own[1] != 0 || own[2] != 0) lb_contact_change(p, c, own);
  }
}

void lb_contact_find_w(const lbContactProblem *p, int32_t contact, double w[3]) {
  lb_contact_move(p, contact, w);
  for (int i = 0; i < 3; i++) w[i] += p->free[3 * (size_t)contact + (size_t)i];
}

// ---- blocks ------------------------------------------------------------------------------------

// Taken from the work where there is some.
void lb_contact_take_blocks(const lbContactProblem *p, int32_t contact, double own[12],
                            double inverse[12]) {
  if (!p->work) {
    lb_contact_find_blocks(p, contact, own, inverse);
    return;
  }
  const double *work = p->work + LB_CONTACT_WORK * (size_t)contact;
  memcpy(own, work + OWN, 12 * sizeof *own);
  memcpy(inverse, work + INVERSE, 12 * sizeof *inverse);
}

// ---- all of them -------------------------------------------------------------------------------

static double largest_of(const double x[3]) {
  return fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2])));
}

// Forces that push and are inside of their cones. Returns the largest.
static double keep_to_cones(const lbContactProblem *p, double *x) {
  double largest = 0;
  for (int32_t i = 0; i < p->contact_count; i++) {
    int32_t c = number_of(p, i);
    double *own = x + 3 * (size_t)c;
    if (!(own[0] > 0)) own[0] = own[1] = own[2] = 0;
    lb_cone_keep(p->friction[c], own);
    largest = fmax(largest, largest_of(own));
  }
  return largest;
}

// Where a sweep starts from is kept.
static void keep(const lbContactProblem *p, const double *x) {
  for (int32_t i = 0; i < p->contact_count; i++) {
    int32_t c = number_of(p, i);
    memcpy(p->work + LB_CONTACT_WORK * (size_t)c + BEFORE, x + 3 * (size_t)c, 3 * sizeof *x);
    for (int side = 0; side < 2; side++) {
      const lbContactPart *part = part_with(p, c, side);
      if (!part) continue;
      size_t n = 3 * (size_t)part->count;
      memcpy(part->moves + n, part->moves, n * sizeof *x);
    }
  }
}

// The squared length of what a sweep has changed.
static double step_of(const lbContactProblem *p, const double *x) {
  double sum = 0;
  for (int32_t i = 0; i < p->contact_count; i++) {
    size_t c = (size_t)number_of(p, i);
    for (size_t k = 0; k < 3; k++) {
      double by = x[3 * c + k] - p->work[LB_CONTACT_WORK * c + BEFORE + k];
      sum += by * by;
    }
  }
  return sum;
}

// x goes on along `way` by `share` of it; the way <- that and what x has changed by since `before`.
static void go_along(size_t count, double share, const double *before, double *way, double *x) {
  for (size_t k = 0; k < count; k++) {
    double by = share * way[k];
    way[k] = by + x[k] - before[k];
    x[k] += by;
  }
}

static void go_on(const lbContactProblem *p, double share, double *x) {
  for (int32_t i = 0; i < p->contact_count; i++) {
    int32_t c = number_of(p, i);
    double *work = p->work + LB_CONTACT_WORK * (size_t)c;
    go_along(3, share, work + BEFORE, work + ALONG, x + 3 * (size_t)c);
    for (int side = 0; side < 2; side++) {
      const lbContactPart *part = part_with(p, c, side);
      if (!part) continue;
      size_t n = 3 * (size_t)part->count;
      go_along(n, share, part->moves + n, part->moves + 2 * n, part->moves);
    }
  }
}

// The run of contacts between the same two bodies, no longer than a pair takes, that begins with
// one of the list, or ends there; how many.
static int32_t run_of(const lbContactProblem *p, int32_t at, bool back, int32_t *contacts) {
  int32_t count = 0, step = back ? -1 : 1;
  const lbContactSide *first = p->sides + 2 * (size_t)number_of(p, at);
  for (int32_t i = at; i >= 0 && i < p->contact_count && count < LB_CONTACT_PAIR; i += step) {
    const lbContactSide *sides = p->sides + 2 * (size_t)number_of(p, i);
    if (sides[0].body != first[0].body || sides[1].body != first[1].body) break;
    contacts[count++] = number_of(p, i);
  }
  return count;
}

static lbContactChange sweep_over(const lbContactProblem *p, bool back, double least, double *x) {
  lbContactChange most = { 0, 0, 0 };
  for (int32_t i = 0; i < p->contact_count;) {
    int32_t contacts[LB_CONTACT_PAIR];
    int32_t count = run_of(p, back ? p->contact_count - 1 - i : i, back, contacts);
    lb_contact_solve_pair(p, count, contacts, least, x, &most);
    i += count;
  }
  return most;
}

static void prepare(const lbContactProblem *p) {
  for (int32_t i = 0; i < p->contact_count; i++) {
    int32_t c = number_of(p, i);
    double *work = p->work + LB_CONTACT_WORK * (size_t)c;
    memset(work, 0, OWN * sizeof *work);
    lb_contact_find_blocks(p, c, work + OWN, work + INVERSE);
    for (int side = 0; side < 2; side++) {
      const lbContactPart *part = part_with(p, c, side);
      size_t n = part ? 3 * (size_t)part->count : 0;
      if (part) memset(part->moves + 2 * n, 0, n * sizeof(double));
    }
  }
}

static int32_t sweep_until_settled(const lbContactProblem *p, double *x) {
  double largest = keep_to_cones(p, x), before = 0;
  lb_contact_moves(p, x);
  if (p->work) prepare(p);
  for (int32_t sweep = 1; sweep <= p->sweeps_most; sweep++) {
    if (p->work) keep(p, x);
    lbContactChange most = sweep_over(p, sweep % 2 == 0, SETTLED * p->tolerance * largest, x);
    largest = most.largest;
    if (most.force <= p->tolerance * largest || most.move <= p->enough) return sweep;
    if (!p->work || sweep == p->sweeps_most) continue;
    double step = step_of(p, x);
    go_on(p, step < before ? step / before : 0, x);
    before = step;
  }
  return p->sweeps_most;
}

// Going on along a direction leaves cones, and what is left of that is too little for a sweep.
int32_t lb_contact_solve(const lbContactProblem *p, double *x) {
  int32_t sweeps = sweep_until_settled(p, x);
  keep_to_cones(p, x);
  return sweeps;
}

double lb_contact_deepest(const lbContactProblem *p) {
  double deepest = 0;
  for (int32_t i = 0; i < p->contact_count; i++)
    deepest = fmax(deepest, -p->free[3 * (size_t)number_of(p, i)]);
  return deepest;
}

double lb_contact_residual(const lbContactProblem *p, const double *x) {
  double largest = 0, worst = 0;
  lb_contact_moves(p, x);
  for (int32_t i = 0; i < p->contact_count; i++)
    largest = fmax(largest, fabs(x[3 * (size_t)number_of(p, i)]));
  for (int32_t i = 0; i < p->contact_count; i++) {
    int32_t c = number_of(p, i);
    const double *own = x + 3 * (size_t)c;
    double w[3], most = p->friction[c] * own[0];
    lb_contact_find_w(p, c, w);
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
