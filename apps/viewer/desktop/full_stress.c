// Stress of an unreduced body for the colour map; see full.h.
#include "desktop/full.h"

#include "limber/material.h"

#include <string.h>

// sqrt(3/2 |dev σ|²) with σ = 2 μ ε + λ tr ε I: the deviator is that of 2 μ ε.
static double von_mises(const lbModel *m, int32_t material, const double *values, lbMat3 F) {
  lbMat3 stretch;
  if (m->material_laws[material] == LB_MATERIAL_LINEAR)
    stretch = lb_mat3_scale(0.5, lb_mat3_add(F, lb_mat3_transpose(F)));
  else
    lb_polar3(F, NULL, &stretch);
  const double *v = values + 3 * (size_t)material;
  double shear = v[0] / (2 * (1 + v[1])), mean = lb_mat3_trace(stretch) / 3;
  lbMat3 deviator = lb_mat3_sub(stretch, lb_mat3_diagonal(mean, mean, mean));
  double stress = sqrt(1.5) * 2 * shear * lb_mat3_norm(deviator);
  return stress < 1e30 ? stress : 1e30;
}

static void give(int32_t node, double stress, double volume, double *weights, double *nodes) {
  nodes[node] += volume * stress;
  weights[node] += volume;
}

static void add_tet(const lbModel *m, const double *values, const double *u, int32_t tet,
                    double *weights, double *nodes) {
  const int32_t *corners = m->tets + 4 * (size_t)tet;
  lbVec3 rest[3], moved[3];
  for (int k = 0; k < 3; k++) {
    size_t a = 3 * (size_t)corners[k + 1], o = 3 * (size_t)corners[0];
    rest[k] = lb_sub(lb_vec3_load(m->node_positions + a), lb_vec3_load(m->node_positions + o));
    moved[k] = lb_add(rest[k], lb_sub(lb_vec3_load(u + a), lb_vec3_load(u + o)));
  }
  lbMat3 D = lb_mat3_from_columns(rest[0], rest[1], rest[2]);
  lbMat3 d = lb_mat3_from_columns(moved[0], moved[1], moved[2]);
  double stress =
      von_mises(m, m->element_materials[tet], values, lb_mat3_multiply(d, lb_mat3_inverse(D)));
  for (int k = 0; k < 4; k++) give(corners[k], stress, lb_mat3_determinant(D) / 6, weights, nodes);
}

// Corner k of a brick in the reference cube: bottom 0-3 and top 4-7 counter-clockwise.
static const double cube[8][3] = { { -1, -1, -1 }, { 1, -1, -1 }, { 1, 1, -1 }, { -1, 1, -1 },
                                   { -1, -1, 1 },  { 1, -1, 1 },  { 1, 1, 1 },  { -1, 1, 1 } };

// Columns: derivatives of rest and moved positions along the cube's axes at a point of it.
static void brick_frames(const lbModel *m, const double *u, const int32_t *corners,
                         const double at[3], lbMat3 *D, lbMat3 *d) {
  lbVec3 rest[3] = { { 0, 0, 0 } }, moved[3] = { { 0, 0, 0 } };
  for (int k = 0; k < 8; k++) {
    lbVec3 X = lb_vec3_load(m->node_positions + 3 * (size_t)corners[k]);
    lbVec3 x = lb_add(X, lb_vec3_load(u + 3 * (size_t)corners[k]));
    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3, l = (i + 2) % 3;
      double slope = cube[k][i] * (1 + cube[k][j] * at[j]) * (1 + cube[k][l] * at[l]) / 8;
      rest[i] = lb_add_scaled(rest[i], slope, X);
      moved[i] = lb_add_scaled(moved[i], slope, x);
    }
  }
  *D = lb_mat3_from_columns(rest[0], rest[1], rest[2]);
  *d = lb_mat3_from_columns(moved[0], moved[1], moved[2]);
}

static void add_brick(const lbModel *m, const double *values, const double *u, int32_t brick,
                      double *weights, double *nodes) {
  const int32_t *corners = m->bricks + 8 * (size_t)brick;
  int32_t material = m->element_materials[m->size.tet_count + brick];
  for (int k = 0; k < 8; k++) {
    const double gauss = 0.57735026918962576;
    double at[3] = { gauss * cube[k][0], gauss * cube[k][1], gauss * cube[k][2] };
    lbMat3 D, d;
    brick_frames(m, u, corners, at, &D, &d);
    double stress = von_mises(m, material, values, lb_mat3_multiply(d, lb_mat3_inverse(D)));
    give(corners[k], stress, lb_mat3_determinant(D), weights, nodes);
  }
}

void vw_full_stress(const lbModel *m, const double *materials, const double *u, double *weights,
                    double *nodes) {
  size_t count = (size_t)m->size.node_count;
  memset(nodes, 0, count * sizeof(double));
  memset(weights, 0, count * sizeof(double));
  for (int32_t i = 0; i < m->size.tet_count; i++) add_tet(m, materials, u, i, weights, nodes);
  for (int32_t i = 0; i < m->size.brick_count; i++) add_brick(m, materials, u, i, weights, nodes);
  for (size_t n = 0; n < count; n++) nodes[n] = weights[n] > 0 ? nodes[n] / weights[n] : 0;
}
