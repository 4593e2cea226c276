// Gauss-Seidel over contacts with cones (solve.h).
#include "contact/solve.h"

#include "contact/cone.h"

#include <string.h>

// ---- how places move ---------------------------------------------------------------------------

static double dot(int32_t count, const double *a, const double *b) {
  double sums[4] = { 0, 0, 0, 0 };
  int32_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (int k = 0; k < 4; k++) sums[k] += a[i + k] * b[i + k];
  for (; i < count; i++) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

static const double *row_of(const lbContactPart *part, int32_t place, int axis) {
  return part->matrix + (size_t)(3 * place + axis) * (size_t)(3 * part->count);
}

// w of a contact at the forces in `parts`.
static void find_move(const lbContactProblem *p, int32_t contact, double w[3]) {
  memcpy(w, p->free + 3 * (size_t)contact, 3 * sizeof *w);
  for (int side = 0; side < 2; side++) {
    lbContactSide at = p->sides[2 * (size_t)contact + (size_t)side];
    if (at.body < 0) continue;
    const lbContactPart *part = &p->parts[at.body];
    for (int axis = 0; axis < 3; axis++) {
      double moved = dot(3 * part->count, row_of(part, at.place, axis), part->forces);
      w[axis] += side ? -moved : moved;
    }
  }
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
  lbContactSide a = p->sides[2 * (size_t)contact], b = p->sides[2 * (size_t)contact + 1];
  if (a.body < 0 || a.body != b.body) return; // a body that touches itself: both sides are one
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      B[i][j] -= row_of(&p->parts[a.body], a.place, i)[3 * b.place + j] +
                 row_of(&p->parts[a.body], b.place, i)[3 * a.place + j];
}

static void set_forces(const lbContactProblem *p, int32_t contact, const double x[3]) {
  for (int side = 0; side < 2; side++) {
    lbContactSide at = p->sides[2 * (size_t)contact + (size_t)side];
    if (at.body < 0) continue;
    double *to = p->parts[at.body].forces + 3 * (size_t)at.place;
    for (int i = 0; i < 3; i++) to[i] = side ? -x[i] : x[i];
  }
}

// ---- one contact -------------------------------------------------------------------------------

// x <- B⁻¹ r, of a symmetric positive block; false: it is singular.
static bool solve_block(const double B[3][3], const double r[3], double x[3]) {
  double c0 = B[1][1] * B[2][2] - B[1][2] * B[2][1], c1 = B[1][2] * B[2][0] - B[1][0] * B[2][2];
  double c2 = B[1][0] * B[2][1] - B[1][1] * B[2][0];
  double det = B[0][0] * c0 + B[0][1] * c1 + B[0][2] * c2;
  if (!(det > 1e-12 * B[0][0] * B[1][1] * B[2][2])) return false;
  double d0 = B[0][2] * B[2][1] - B[0][1] * B[2][2], d1 = B[0][0] * B[2][2] - B[0][2] * B[2][0];
  double d2 = B[0][1] * B[2][0] - B[0][0] * B[2][1], e0 = B[0][1] * B[1][2] - B[0][2] * B[1][1];
  double e1 = B[0][2] * B[1][0] - B[0][0] * B[1][2], e2 = B[0][0] * B[1][1] - B[0][1] * B[1][0];
  x[0] = (c0 * r[0] + d0 * r[1] + e0 * r[2]) / det;
  x[1] = (c1 * r[0] + d1 * r[1] + e1 * r[2]) / det;
  x[2] = (c2 * r[0] + d2 * r[1] + e2 * r[2]) / det;
  return true;
}

// Sliding: a few rounds of normal, then tangents along the steepest way, projected.
static void slide(const double B[3][3], const double r[3], double friction, double x[3]) {
  enum { ROUNDS = 8 };
  double stiff = fmax(B[1][1], B[2][2]) + fabs(B[1][2]);
  for (int round = 0; round < ROUNDS; round++) {
    x[0] = fmax(0, -(r[0] + B[0][1] * x[1] + B[0][2] * x[2]) / B[0][0]);
    double w1 = r[1] + B[1][0] * x[0] + B[1][1] * x[1] + B[1][2] * x[2];
    double w2 = r[2] + B[2][0] * x[0] + B[2][1] * x[1] + B[2][2] * x[2];
    if (stiff > 0) x[1] -= w1 / stiff, x[2] -= w2 / stiff;
    lb_cone_keep(friction, x);
  }
}

static void solve_contact(const lbContactProblem *p, int32_t contact, double x[3]) {
  double B[3][3], w[3], r[3], opposite[3], stick[3];
  double friction = p->friction[contact];
  find_block(p, contact, B);
  if (!(B[0][0] > 0)) return; // nothing gives way
  find_move(p, contact, w);
  for (int i = 0; i < 3; i++) {
    r[i] = w[i] - (B[i][0] * x[0] + B[i][1] * x[1] + B[i][2] * x[2]);
    opposite[i] = -r[i];
  }
  if (friction == 0) {
    x[0] = fmax(0, -r[0] / B[0][0]);
    x[1] = x[2] = 0;
  } else if (solve_block((const double(*)[3])B, opposite, stick) && stick[0] > 0 &&
             stick[1] * stick[1] + stick[2] * stick[2] <= friction * friction * stick[0] * stick[0])
    memcpy(x, stick, sizeof stick);
  else
    slide((const double(*)[3])B, r, friction, x);
  if (!(isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]))) x[0] = x[1] = x[2] = 0;
  set_forces(p, contact, x);
}

// ---- all of them -------------------------------------------------------------------------------

static void start(const lbContactProblem *p, double *x) {
  for (int32_t i = 0; i < p->part_count; i++)
    memset(p->parts[i].forces, 0, 3 * (size_t)p->parts[i].count * sizeof(double));
  for (int32_t c = 0; c < p->contact_count; c++) {
    double *own = x + 3 * (size_t)c;
    if (!(own[0] > 0)) own[0] = own[1] = own[2] = 0;
    lb_cone_keep(p->friction[c], own);
    set_forces(p, c, own);
  }
}

int32_t lb_contact_solve(const lbContactProblem *p, double *x) {
  start(p, x);
  for (int32_t sweep = 1; sweep <= p->sweeps_most; sweep++) {
    double change = 0, largest = 0;
    for (int32_t c = 0; c < p->contact_count; c++) {
      double *own = x + 3 * (size_t)c, before[3];
      memcpy(before, own, sizeof before);
      solve_contact(p, c, own);
      for (int i = 0; i < 3; i++) {
        change = fmax(change, fabs(own[i] - before[i]));
        largest = fmax(largest, fabs(own[i]));
      }
    }
    if (change <= p->tolerance * largest) return sweep;
  }
  return p->sweeps_most;
}

void lb_contact_move(const lbContactProblem *p, const double *x, int32_t contact, double by[3]) {
  for (int32_t c = 0; c < p->contact_count; c++) set_forces(p, c, x + 3 * (size_t)c);
  find_move(p, contact, by);
  for (int i = 0; i < 3; i++) by[i] -= p->free[3 * (size_t)contact + (size_t)i];
}

double lb_contact_residual(const lbContactProblem *p, const double *x) {
  double largest = 0, worst = 0;
  for (int32_t c = 0; c < p->contact_count; c++) {
    set_forces(p, c, x + 3 * (size_t)c);
    largest = fmax(largest, fabs(x[3 * (size_t)c]));
  }
  for (int32_t c = 0; c < p->contact_count; c++) {
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
