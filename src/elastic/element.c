// Shape functions, rest data and material parameters of elements; the choice of kernel.
#include "elastic/element.h"

#include "elastic/kernels.h"

#include <string.h>

// Corners of the brick's reference cube [-1, 1]³, in the mesh's order.
static const double brick_corners[8][3] = {
  // clang-format off
  { -1, -1, -1 }, { 1, -1, -1 }, { 1, 1, -1 }, { -1, 1, -1 },
  { -1, -1,  1 }, { 1, -1,  1 }, { 1, 1,  1 }, { -1, 1,  1 },
  // clang-format on
};

static const char *const kind_names[LB_ELEMENT_VOLUME_KIND_COUNT] = { "tet4", "brick8" };

const char *lb_element_kind_name(lbElementKind kind) {
  return (unsigned)kind < LB_ELEMENT_VOLUME_KIND_COUNT ? kind_names[kind] : "";
}

bool lb_element_kind_parse(const char *name, lbElementKind *kind) {
  for (int i = 0; i < LB_ELEMENT_VOLUME_KIND_COUNT; i++)
    if (strcmp(name, kind_names[i]) == 0) {
      *kind = (lbElementKind)i;
      return true;
    }
  return false;
}

static const int32_t node_counts[] = {
  [LB_ELEMENT_TET4] = 4, [LB_ELEMENT_BRICK8] = 8, [LB_ELEMENT_FLAP] = 4
};
static const int32_t point_counts[] = {
  [LB_ELEMENT_TET4] = 1, [LB_ELEMENT_BRICK8] = 8, [LB_ELEMENT_FLAP] = 2
};

int32_t lb_element_nodes(lbElementKind kind) { return node_counts[kind]; }
int32_t lb_element_points(lbElementKind kind) { return point_counts[kind]; }
int32_t lb_element_pairs(lbElementKind kind) {
  return node_counts[kind] * (node_counts[kind] + 1) / 2;
}

static void tet_shape(double *gradients, double *values, double *weight) {
  for (int a = 0; a < 4; a++) {
    values[a] = 0.25;
    for (int k = 0; k < 3; k++) gradients[3 * a + k] = a == 0 ? -1 : (a - 1 == k ? 1 : 0);
  }
  *weight = 1.0 / 6;
}

static void brick_shape(int32_t point, double *gradients, double *values, double *weight) {
  double xi[3];
  for (int k = 0; k < 3; k++) xi[k] = brick_corners[point][k] / sqrt(3.0); // 2x2x2 Gauss
  for (int a = 0; a < 8; a++) {
    double factor[3];
    for (int k = 0; k < 3; k++) factor[k] = (1 + brick_corners[a][k] * xi[k]) / 2;
    values[a] = factor[0] * factor[1] * factor[2];
    for (int k = 0; k < 3; k++)
      gradients[3 * a + k] = brick_corners[a][k] / 2 * factor[(k + 1) % 3] * factor[(k + 2) % 3];
  }
  *weight = 1;
}

void lb_element_shape(lbElementKind kind, int32_t point, double *gradients, double *values,
                      double *weight) {
  if (kind == LB_ELEMENT_TET4)
    tet_shape(gradients, values, weight);
  else
    brick_shape(point, gradients, values, weight);
}

// rest[k, j] = ∂ξ_k/∂X_j from the Jacobian J[j, k] = ∂X_j/∂ξ_k, and the point's volume.
static bool point_rest(const double J[9], double weight, double *rest, int32_t stride) {
  double cofactor[9];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      int i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
      cofactor[3 * i + k] = J[3 * i1 + k1] * J[3 * i2 + k2] - J[3 * i1 + k2] * J[3 * i2 + k1];
    }
  double determinant = J[0] * cofactor[0] + J[1] * cofactor[1] + J[2] * cofactor[2];
  if (!(determinant > 0) || !isfinite(1 / determinant)) return false;
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < 3; j++)
      rest[(3 * k + j) * (size_t)stride] = cofactor[3 * j + k] / determinant;
  rest[9 * (size_t)stride] = weight * determinant;
  return true;
}

bool lb_element_rest(lbElementKind kind, const double *positions, double *rest, int32_t stride) {
  int32_t nodes = lb_element_nodes(kind);
  for (int32_t p = 0; p < lb_element_points(kind); p++) {
    double gradients[3 * LB_ELEMENT_NODES_MAX], values[LB_ELEMENT_NODES_MAX], weight, J[9] = { 0 };
    lb_element_shape(kind, p, gradients, values, &weight);
    for (int32_t a = 0; a < nodes; a++)
      for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++) J[3 * j + k] += positions[3 * a + j] * gradients[3 * a + k];
    if (!point_rest(J, weight, rest + p * LB_POINT_REST * (size_t)stride, stride)) return false;
  }
  return true;
}

void lb_material_parameters(const lbMaterial *material, double *parameters, int32_t stride) {
  const lbMaterial *m = material;
  double p[LB_MATERIAL_PARAMETERS] = {
    m->young * m->poisson / ((1 + m->poisson) * (1 - 2 * m->poisson)), // λ
    m->young / (2 * (1 + m->poisson)),                                 // μ
    0,
  };
  if (m->model == LB_MATERIAL_MOONEYRIVLIN) p[0] = m->c10, p[1] = m->c01, p[2] = m->v1;
  for (int i = 0; i < LB_MATERIAL_PARAMETERS; i++) parameters[i * (size_t)stride] = p[i];
}

lbElementKernel *lb_element_kernel(lbElementKind kind, lbMaterialModel model, lbSimdLevel level) {
  return (*lb_element_kernels(level))[kind][model];
}
