// Gauss-Seidel over contacts with cones (solve.h).
#include "contact/solve.h"

#include "contact/cone.h"
#include "contact/solve_kernels.h"

#include <string.h>

#define SETTLED 0.1 // of what is tolerated: a smaller change of a force is not worth its columns

// Numbers of a contact in `work`: its force before a sweep, the way that forces go on along, its
// own block, and the inverse of that (of which the first is NAN where it has none).
enum { BEFORE = 0, ALONG = 3, BLOCK = 6, INVERSE = 15 };

// ---- how places move ---------------------------------------------------------------------------

static const double *row_of(const lbContactPart *part, int32_t place, int axis) {
  return part->matrix + (size_t)(3 * place + axis) * (size_t)(3 * part->count);
}

static int32_t number_of(const lbContactProblem *p, int32_t index) {
  return p->list ? p->list[index] : index;
}

// A contact's force changes by x.
static void change(const lbContactProblem *p, int32_t contact, const double x[3]) {
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
    if (own[0] != 0 || own[1] != 0 || own[2] != 0) change(p, c, own);
  }
}

// w of a contact at the moves in `parts`.
static void find_move(const lbContactProblem *p, int32_t contact, double w[3]) {
  lb_contact_move(p, contact, w);
  for (int i = 0; i < 3; i++) w[i] += p->free[3 * (size_t)contact + (size_t)i];
}

static void find_block(const lbContactProblem *p, int32_t contact, double B[3][3]) {
  memset(B, 0, 9 * sizeof(double));
  for (int side = 0; side < 2; side++) {
    lbContactSide at = p->sides[2 * (size_t)contact + (size_t)side];
    if (at.body < 0) continue;
    const lbContactPart *part = &p->parts[at.body];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) B[i][j] += row_of(part, at.place, i)[3 * at.place + j];
  }
  const lbContactSide *sides = p->sides + 2 * (size_t)contact;
  if (sides[0].body < 0 || sides[0].body != sides[1].body) return;
  const lbContactPart *part = &p->parts[sides[0].body]; // a body that touches itself
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      B[i][j] -= row_of(part, sides[0].place, i)[3 * sides[1].place + j] +
                 row_of(part, sides[1].place, i)[3 * sides[0].place + j];
}

// ---- one contact -------------------------------------------------------------------------------

// Of a symmetric positive block; false: it is singular.
static bool invert(const double B[3][3], double inverse[3][3]) {
  double c0 = B[1][1] * B[2][2] - B[1][2] * B[2][1], c1 = B[1][2] * B[2][0] - B[1][0] * B[2][2];
  double c2 = B[1][0] * B[2][1] - B[1][1] * B[2][0];
  double det = B[0][0] * c0 + B[0][1] * c1 + B[0][2] * c2;
  if (!(det > 1e-12 * B[0][0] * B[1][1] * B[2][2])) return false;
  double d0 = B[0][2] * B[2][1] - B[0][1] * B[2][2], d1 = B[0][0] * B[2][2] - B[0][2] * B[2][0];
  double d2 = B[0][1] * B[2][0] - B[0][0] * B[2][1], e0 = B[0][1] * B[1][2] - B[0][2] * B[1][1];
  double e1 = B[0][2] * B[1][0] - B[0][0] * B[1][2], e2 = B[0][0] * B[1][1] - B[0][1] * B[1][0];
  const double adjoint[3][3] = { { c0, d0, e0 }, { c1, d1, e1 }, { c2, d2, e2 } };
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) inverse[i][j] = adjoint[i][j] / det;
  return true;
}

// A contact's own block and its inverse.
typedef struct Blocks {
  double own[3][3], inverse[3][3];
  bool has_inverse;
} Blocks;

static void find_blocks(const lbContactProblem *p, int32_t contact, Blocks *b) {
  find_block(p, contact, b->own);
  b->has_inverse = invert((const double(*)[3])b->own, b->inverse);
}

// Taken from the work where there is some.
static void take_blocks(const lbContactProblem *p, int32_t contact, Blocks *b) {
  if (!p->work) {
    find_blocks(p, contact, b);
    return;
  }
  const double *work = p->work + LB_CONTACT_WORK * (size_t)contact;
  memcpy(b->own, work + BLOCK, sizeof b->own);
  memcpy(b->inverse, work + INVERSE, sizeof b->inverse);
  b->has_inverse = b->inverse[0][0] == b->inverse[0][0];
}

static void keep_blocks(const lbContactProblem *p, int32_t contact) {
  Blocks b;
  double *work = p->work + LB_CONTACT_WORK * (size_t)contact;
  find_blocks(p, contact, &b);
  memset(work, 0, BLOCK * sizeof(double));
  memcpy(work + BLOCK, b.own, sizeof b.own);
  memcpy(work + INVERSE, b.inverse, sizeof b.inverse);
  if (!b.has_inverse) work[INVERSE] = NAN;
}

static double greater(double a, double b) { return a > b ? a : b; }

// Sliding: a few rounds of normal, then tangents along the steepest way, projected, until they
// change a move by no more than `little`.
static void slide(const double B[3][3], const double r[3], double friction, double little,
                  double x[3]) {
  enum { ROUNDS = 8 };
  double stiff = greater(B[1][1], B[2][2]) + fabs(B[1][2]);
  double normal = 1 / B[0][0], tangent = stiff > 0 ? 1 / stiff : 0;
  for (int round = 0; round < ROUNDS; round++) {
    const double before[3] = { x[0], x[1], x[2] };
    x[0] = greater(0, -(r[0] + B[0][1] * x[1] + B[0][2] * x[2]) * normal);
    double w1 = r[1] + B[1][0] * x[0] + B[1][1] * x[1] + B[1][2] * x[2];
    double w2 = r[2] + B[2][0] * x[0] + B[2][1] * x[1] + B[2][2] * x[2];
    x[1] -= w1 * tangent, x[2] -= w2 * tangent;
    lb_cone_keep(friction, x);
    double slip = greater(fabs(x[1] - before[1]), fabs(x[2] - before[2]));
    if (B[0][0] * fabs(x[0] - before[0]) <= little && stiff * slip <= little) return;
  }
}

// x <- the force of a contact at the moves w that it has with x. Returns the most that its own move
// changes by.
static double solve_contact(const lbContactProblem *p, int32_t contact, const double w[3],
                            double x[3]) {
  Blocks b;
  double r[3], stick[3] = { 0, 0, 0 }, most = 0;
  const double before[3] = { x[0], x[1], x[2] }, friction = p->friction[contact];
  take_blocks(p, contact, &b);
  const double(*B)[3] = (const double(*)[3])b.own, (*I)[3] = (const double(*)[3])b.inverse;
  if (!(B[0][0] > 0)) return 0; // nothing gives way
  for (int i = 0; i < 3; i++) r[i] = w[i] - (B[i][0] * x[0] + B[i][1] * x[1] + B[i][2] * x[2]);
  for (int i = 0; i < 3 && b.has_inverse; i++)
    stick[i] = -(I[i][0] * r[0] + I[i][1] * r[1] + I[i][2] * r[2]);
  if (friction > 0 && stick[0] > 0 &&
      stick[1] * stick[1] + stick[2] * stick[2] <= friction * friction * stick[0] * stick[0]) {
    memcpy(x, stick, sizeof stick);
  } else if (friction > 0) {
    slide(B, r, friction, SETTLED * SETTLED * p->enough, x);
  } else {
    x[0] = greater(0, -r[0] / B[0][0]);
    x[1] = x[2] = 0;
  }
  if (!isfinite(x[0] + x[1] + x[2])) x[0] = x[1] = x[2] = 0;
  for (int i = 0; i < 3; i++) most = greater(most, B[i][i] * fabs(x[i] - before[i]));
  return most;
}

static double largest_of(const double x[3]) {
  return greater(fabs(x[0]), greater(fabs(x[1]), fabs(x[2])));
}

// ---- all of them -------------------------------------------------------------------------------

// How much a sweep has changed.
typedef struct Change {
  double force, move; // the most that a force, and a move, changed by
  double largest;     // of the forces
} Change;

// The force of a contact, again. Changes of a force below `least`, or of a move by little of what
// is enough, are left.
static void visit(const lbContactProblem *p, int32_t contact, double least, double own[3],
                  Change *most) {
  double w[3], x[3], by[3];
  find_move(p, contact, w);
  if (own[0] == 0 && own[1] == 0 && own[2] == 0 && w[0] >= 0) return; // apart
  memcpy(x, own, sizeof x);
  double move = solve_contact(p, contact, w, x);
  for (int i = 0; i < 3; i++) by[i] = x[i] - own[i];
  double size = largest_of(by);
  if (size > most->force) most->force = size;
  if (move > most->move) most->move = move;
  if (!(size > least) || move < SETTLED * p->enough) return;
  memcpy(own, x, sizeof x);
  change(p, contact, by);
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

static Change sweep_over(const lbContactProblem *p, bool back, double least, double *x) {
  Change most = { 0, 0, 0 };
  for (int32_t i = 0; i < p->contact_count; i++) {
    int32_t c = number_of(p, back ? p->contact_count - 1 - i : i);
    double *own = x + 3 * (size_t)c;
    visit(p, c, least, own, &most);
    double size = largest_of(own);
    if (size > most.largest) most.largest = size;
  }
  return most;
}

static void prepare(const lbContactProblem *p) {
  for (int32_t i = 0; i < p->contact_count; i++) {
    int32_t c = number_of(p, i);
    keep_blocks(p, c);
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
    Change most = sweep_over(p, sweep % 2 == 0, SETTLED * p->tolerance * largest, x);
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
    find_move(p, c, w);
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
