// Singular value decomposition of a 3x3 matrix, A = U diag(s) V^T with proper rotations U and V.
//
// One-sided Jacobi: rotations from the right, collected in V, make the columns of B = A V mutually
// orthogonal. B's columns are then s_i u_i. It works on A itself, never on A^T A, so small singular
// values keep an error of a few roundings of |A|.
#include "limber/math.h"

#include <float.h>

// Columns as vectors: the algorithm only ever touches whole columns.
typedef struct Columns {
  lbVec3 b[3], v[3];
} Columns;

static void rotate_vec3_pair(lbVec3 *p, lbVec3 *q, double c, double s) {
  lbVec3 old = *p;
  *p = lb_add_scaled(lb_scale(c, old), -s, *q);
  *q = lb_add_scaled(lb_scale(s, old), c, *q);
}

// Exchanges two columns; one changes its sign, so that V stays a proper rotation.
static void swap_vec3(lbVec3 *p, lbVec3 *q) {
  lbVec3 old = *p;
  *p = *q;
  *q = lb_scale(-1, old);
}

// Makes columns p and q orthogonal, the longer one first; false when they already were.
static bool make_vec3_orthogonal(Columns *columns, int p, int q) {
  lbVec3 *b = columns->b, *v = columns->v;
  double alpha = lb_dot(b[p], b[p]), beta = lb_dot(b[q], b[q]), gamma = lb_dot(b[p], b[q]);
  bool changed = alpha < beta;
  if (changed) {
    swap_vec3(&b[p], &b[q]);
    swap_vec3(&v[p], &v[q]);
    double old = alpha;
    alpha = beta, beta = old, gamma = -gamma;
  }
  if (fabs(gamma) <= 0.5 * DBL_EPSILON * sqrt(alpha) * sqrt(beta)) return changed;
  // tan(2 phi) = 2 gamma / (beta - alpha), the small root
  double zeta = (beta - alpha) / (2 * gamma);
  double t = (zeta >= 0 ? 1 : -1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
  double c = 1 / sqrt(1 + t * t), s = c * t;
  rotate_vec3_pair(&b[p], &b[q], c, s);
  rotate_vec3_pair(&v[p], &v[q], c, s);
  return true;
}

// Any unit vector orthogonal to the unit vector u.
static lbVec3 some_orthogonal(lbVec3 u) {
  lbVec3 axis = fabs(u.x) < 0.6   ? lb_vec3(1, 0, 0)
                : fabs(u.y) < 0.6 ? lb_vec3(0, 1, 0)
                                  : lb_vec3(0, 0, 1);
  return lb_normalise(lb_cross(u, axis));
}

// The part of b orthogonal to the unit vector u, normalised; any orthogonal unit vector if that is
// zero.
static lbVec3 orthogonal_part(lbVec3 b, lbVec3 u) {
  double length = lb_length(b);
  if (!(length > 0)) return some_orthogonal(u);
  lbVec3 d = lb_scale(1 / length, b);
  for (int pass = 0; pass < 2; pass++) { // twice: the first may cancel
    d = lb_add_scaled(d, -lb_dot(d, u), u);
    length = lb_length(d);
    if (!(length > 0.01)) return some_orthogonal(u);
    d = lb_scale(1 / length, d);
  }
  return d;
}

// B's columns, longest first, are s_i u_i. The last u follows from the other two, and its s takes
// the sign that is left over.
static lbSvd3 read_off(const Columns *columns) {
  const lbVec3 *b = columns->b, *v = columns->v;
  double length = lb_length(b[0]);
  lbVec3 u0 = length > 0 ? lb_scale(1 / length, b[0]) : lb_vec3(1, 0, 0);
  lbVec3 u1 = orthogonal_part(b[1], u0);
  lbVec3 u2 = lb_normalise(lb_cross(u0, u1));
  double s1 = fmin(fabs(lb_dot(u1, b[1])), length);
  double s2 = fmax(-s1, fmin(s1, lb_dot(u2, b[2])));
  lbSvd3 svd = { .u = lb_mat3_from_columns(u0, u1, u2),
                 .s = { length, s1, s2 },
                 .v = lb_mat3_from_columns(v[0], v[1], v[2]) };
  return svd;
}

static lbSvd3 not_a_number(void) {
  lbSvd3 svd = { .s = { NAN, NAN, NAN } };
  for (int i = 0; i < 9; i++) svd.u.m[i] = svd.v.m[i] = NAN;
  return svd;
}

lbSvd3 lb_svd3(lbMat3 a) {
  double largest = 0;
  for (int i = 0; i < 9; i++) {
    if (!isfinite(a.m[i])) return not_a_number();
    largest = fmax(largest, fabs(a.m[i]));
  }
  // A power of two near |A|, so that squares neither overflow nor vanish and scaling is exact.
  int exponent = 0;
  if (largest > 0) (void)frexp(largest, &exponent);
  Columns columns;
  lbMat3 identity = lb_mat3_identity();
  for (int i = 0; i < 9; i++) a.m[i] = ldexp(a.m[i], -exponent);
  for (int j = 0; j < 3; j++) {
    columns.b[j] = lb_mat3_column(a, j);
    columns.v[j] = lb_mat3_column(identity, j);
  }
  for (int sweep = 0; sweep < 30; sweep++) { // six or so in practice
    bool changed = make_vec3_orthogonal(&columns, 0, 1);
    changed |= make_vec3_orthogonal(&columns, 0, 2);
    changed |= make_vec3_orthogonal(&columns, 1, 2);
    if (!changed) break;
  }
  lbSvd3 svd = read_off(&columns);
  for (int i = 0; i < 3; i++) svd.s[i] = ldexp(svd.s[i], exponent);
  return svd;
}
