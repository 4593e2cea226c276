// One contact with its own block (solve_one.h).
#include "contact/solve_one.h"

#include "contact/cone.h"

#include <string.h>

// Of a symmetric positive block.
void lb_contact_block_invert(lbContactBlock *block) {
  const double(*B)[3] = (const double(*)[3])block->own;
  double c0 = B[1][1] * B[2][2] - B[1][2] * B[2][1], c1 = B[1][2] * B[2][0] - B[1][0] * B[2][2];
  double c2 = B[1][0] * B[2][1] - B[1][1] * B[2][0];
  double det = B[0][0] * c0 + B[0][1] * c1 + B[0][2] * c2;
  block->has_inverse = det > 1e-12 * B[0][0] * B[1][1] * B[2][2];
  if (!block->has_inverse) return;
  double d0 = B[0][2] * B[2][1] - B[0][1] * B[2][2], d1 = B[0][0] * B[2][2] - B[0][2] * B[2][0];
  double d2 = B[0][1] * B[2][0] - B[0][0] * B[2][1], e0 = B[0][1] * B[1][2] - B[0][2] * B[1][1];
  double e1 = B[0][2] * B[1][0] - B[0][0] * B[1][2], e2 = B[0][0] * B[1][1] - B[0][1] * B[1][0];
  const double adjoint[3][3] = { { c0, d0, e0 }, { c1, d1, e1 }, { c2, d2, e2 } };
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) block->inverse[i][j] = adjoint[i][j] / det;
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

double lb_contact_solve_one(const lbContactBlock *block, double friction, double little,
                            const double w[3], double x[3]) {
  const double(*B)[3] = (const double(*)[3])block->own;
  const double(*I)[3] = (const double(*)[3])block->inverse;
  const double before[3] = { x[0], x[1], x[2] };
  double r[3], stick[3] = { 0, 0, 0 }, most = 0;
  if (!(B[0][0] > 0)) return 0; // nothing gives way
  for (int i = 0; i < 3; i++) r[i] = w[i] - (B[i][0] * x[0] + B[i][1] * x[1] + B[i][2] * x[2]);
  for (int i = 0; i < 3 && block->has_inverse; i++)
    stick[i] = -(I[i][0] * r[0] + I[i][1] * r[1] + I[i][2] * r[2]);
  if (friction > 0 && stick[0] > 0 &&
      stick[1] * stick[1] + stick[2] * stick[2] <= friction * friction * stick[0] * stick[0]) {
    memcpy(x, stick, sizeof stick);
  } else if (friction > 0) {
    slide(B, r, friction, little, x);
  } else {
    x[0] = greater(0, -r[0] / B[0][0]);
    x[1] = x[2] = 0;
  }
  if (!isfinite(x[0] + x[1] + x[2])) x[0] = x[1] = x[2] = 0;
  for (int i = 0; i < 3; i++) most = greater(most, B[i][i] * fabs(x[i] - before[i]));
  return most;
}
