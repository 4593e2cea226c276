// Volumes, Jacobians and quality measures of triangles, tets and trilinear bricks.
#include "mesh/quality.h"

#include "limber/math.h"

static lbVec3 at(const lbMesh *mesh, int32_t vertex) {
  return lb_vec3_load(mesh->positions + 3 * (size_t)vertex);
}

double lb_triangle_area(const lbMesh *mesh, const int32_t vertices[3]) {
  lbVec3 o = at(mesh, vertices[0]);
  return lb_length(lb_cross(lb_sub(at(mesh, vertices[1]), o), lb_sub(at(mesh, vertices[2]), o))) /
         2;
}

double lb_tet_volume(const lbMesh *mesh, const int32_t vertices[4]) {
  lbVec3 o = at(mesh, vertices[0]), a = lb_sub(at(mesh, vertices[1]), o);
  lbVec3 b = lb_sub(at(mesh, vertices[2]), o), c = lb_sub(at(mesh, vertices[3]), o);
  return lb_dot(a, lb_cross(b, c)) / 6;
}

double lb_tet_quality(const lbMesh *mesh, const int32_t vertices[4]) {
  double sum = 0, volume = lb_tet_volume(mesh, vertices);
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < i; k++) {
      lbVec3 e = lb_sub(at(mesh, vertices[i]), at(mesh, vertices[k]));
      sum += lb_dot(e, e);
    }
  return volume > 0 && sum > 0 ? 12 * cbrt(9 * volume * volume) / sum : 0;
}

static const int8_t signs[8][3] = { { -1, -1, -1 }, { 1, -1, -1 }, { 1, 1, -1 }, { -1, 1, -1 },
                                    { -1, -1, 1 },  { 1, -1, 1 },  { 1, 1, 1 },  { -1, 1, 1 } };

// det of dx/dξ at ξ, shape functions N_a = 1/8 Π (1 + s_ai ξ_i), coordinates -1 to 1.
static double jacobian(const lbMesh *mesh, const int32_t vertices[8], const double xi[3]) {
  lbVec3 column[3] = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } };
  for (int a = 0; a < 8; a++) {
    double f[3];
    for (int i = 0; i < 3; i++) f[i] = 1 + signs[a][i] * xi[i];
    lbVec3 x = lb_sub(at(mesh, vertices[a]), at(mesh, vertices[0]));
    for (int i = 0; i < 3; i++)
      column[i] = lb_add_scaled(column[i], signs[a][i] * f[(i + 1) % 3] * f[(i + 2) % 3] / 8, x);
  }
  return lb_dot(column[0], lb_cross(column[1], column[2]));
}

double lb_brick_volume(const lbMesh *mesh, const int32_t vertices[8], double *least_jacobian) {
  double g = 1 / sqrt(3.0), sum = 0, least = INFINITY;
  for (int p = 0; p < 8; p++) {
    double xi[3] = { g * signs[p][0], g * signs[p][1], g * signs[p][2] };
    double det = jacobian(mesh, vertices, xi);
    sum += det;
    least = fmin(least, det);
  }
  *least_jacobian = least;
  return sum;
}

double lb_brick_quality(const lbMesh *mesh, const int32_t vertices[8]) {
  static const int8_t next[8][3] = { { 1, 3, 4 }, { 2, 0, 5 }, { 3, 1, 6 }, { 0, 2, 7 },
                                     { 7, 5, 0 }, { 4, 6, 1 }, { 5, 7, 2 }, { 6, 4, 3 } };
  double least = 1;
  for (int i = 0; i < 8; i++) {
    lbVec3 e[3];
    for (int k = 0; k < 3; k++)
      e[k] = lb_sub(at(mesh, vertices[next[i][k]]), at(mesh, vertices[i]));
    double scale = lb_length(e[0]) * lb_length(e[1]) * lb_length(e[2]);
    least = fmin(least, scale > 0 ? lb_dot(e[0], lb_cross(e[1], e[2])) / scale : 0);
  }
  return least;
}

double lb_longest_distance(const lbMesh *mesh, const int32_t *vertices, int32_t count) {
  double longest = 0;
  for (int32_t i = 0; i < count; i++)
    for (int32_t k = 0; k < i; k++)
      longest = fmax(longest, lb_length(lb_sub(at(mesh, vertices[i]), at(mesh, vertices[k]))));
  return longest;
}
