// Energy, forces, tangent product and stress at a given displacement.
#include "fem/assembler.h"

#include <math.h>
#include <string.h>

// Cauchy stress σ = P Fᵀ / det F; under the small-strain law σ = P.
static double von_mises(lbMaterialModel model, const double P[9], const double F[9]) {
  double s[9], J = F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) +
                   F[2] * (F[3] * F[7] - F[4] * F[6]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      s[3 * i + j] =
          model == LB_MATERIAL_LINEAR
              ? P[3 * i + j]
              : (P[3 * i] * F[3 * j] + P[3 * i + 1] * F[3 * j + 1] + P[3 * i + 2] * F[3 * j + 2]) /
                    fabs(J);
  double a = s[0] - s[4], b = s[4] - s[8], c = s[8] - s[0];
  double shear = s[1] * s[1] + s[2] * s[2] + s[5] * s[5];
  return sqrt(0.5 * (a * a + b * b + c * c) + 3 * shear);
}

// The largest stress over the points of every element of one batch.
static void batch_von_mises(const lbElementSet *set, int32_t batch, const double *displacement,
                            double *largest) {
  enum { POINT_VALUES = 9 * LB_ELEMENT_POINTS_MAX * LB_BATCH };
  _Alignas(64) double u[3 * LB_ELEMENT_NODES_MAX * LB_BATCH], energies[LB_BATCH];
  _Alignas(64) double stresses[POINT_VALUES], gradients[POINT_VALUES];
  int32_t points = lb_element_points(set->kind);
  lb_gather_displacements(set, batch, displacement, u);
  set->kernel(&(lbElementBatch){
      .rest = set->rest + (size_t)batch * (size_t)points * LB_POINT_REST * LB_BATCH,
      .parameters = set->parameters + (size_t)batch * LB_MATERIAL_PARAMETERS * LB_BATCH,
      .displacements = u,
      .energies = energies,
      .stresses = stresses,
      .gradients = gradients,
  });
  for (int32_t lane = 0; lane < LB_BATCH; lane++) {
    largest[lane] = 0;
    for (int32_t p = 0; p < points; p++) {
      double P[9], F[9];
      for (int i = 0; i < 9; i++) {
        P[i] = stresses[(9 * p + i) * LB_BATCH + lane];
        F[i] = gradients[(9 * p + i) * LB_BATCH + lane];
      }
      double value = von_mises(set->model, P, F);
      if (value > largest[lane]) largest[lane] = value;
    }
  }
}

static void find_von_mises(const lbFem *fem, const double *displacement, lbEvaluation *out) {
  out->von_mises = -1;
  for (int32_t s = 0; s < fem->set_count; s++) {
    const lbElementSet *set = &fem->sets[s];
    for (int32_t slot = 0; slot < set->element_count; slot++) {
      double largest[LB_BATCH];
      int32_t lane = slot % LB_BATCH;
      if (lane == 0) batch_von_mises(set, slot / LB_BATCH, displacement, largest);
      if (largest[lane] > out->von_mises) {
        out->von_mises = largest[lane];
        out->von_mises_element = set->elements[slot];
      }
    }
  }
}

// y_a += K_ab x_b and y_b += K_abᵀ x_a for every block of every element: the product reaches fixed
// vertices too, which the assembled matrix does not hold.
static void multiply_blocks(const lbAssembler *assembler, const double *direction,
                            double *product) {
  const lbFem *fem = assembler->fem;
  memset(product, 0, 3 * (size_t)fem->vertex_count * sizeof(double));
  for (int32_t s = 0; s < fem->set_count; s++) {
    const lbElementSet *set = &fem->sets[s];
    int32_t nodes = lb_element_nodes(set->kind), pairs = lb_element_pairs(set->kind);
    for (int32_t slot = 0; slot < set->element_count; slot++) {
      const double *blocks =
          assembler->element_blocks + 9 * ((size_t)set->block_begin + (size_t)slot * (size_t)pairs);
      const int32_t *vertices =
          set->vertices + (size_t)(slot / LB_BATCH) * (size_t)nodes * LB_BATCH + slot % LB_BATCH;
      for (int32_t b = 0; b < nodes; b++)
        for (int32_t a = 0; a <= b; a++) {
          size_t va = 3 * (size_t)vertices[a * LB_BATCH], vb = 3 * (size_t)vertices[b * LB_BATCH];
          const double *K = blocks + 9 * lb_element_pair(a, b);
          for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
              product[va + i] += K[3 * i + j] * direction[vb + j];
              if (a != b) product[vb + j] += K[3 * i + j] * direction[va + i];
            }
        }
    }
  }
}

lbStatus lb_fem_evaluate(const lbFem *fem, const double *displacement, double *forces,
                         const double *direction, double *product, lbEvaluation *out,
                         lbError *err) {
  lbAssembler *assembler = NULL;
  lbSparse *tangent = NULL;
  lbEvaluation result = { .invalid_element = -1 };
  lbStatus status = lb_assembler_create(fem, &assembler, err);
  if (!status && direction) status = lb_sparse_copy_pattern(fem->pattern, &tangent, err);
  if (!status) status = lb_assemble(assembler, displacement, &result.energy, forces, tangent, err);
  if (!status) {
    result.invalid_element = lb_assembler_invalid_element(assembler);
    if (direction) multiply_blocks(assembler, direction, product);
    find_von_mises(fem, displacement, &result);
    *out = result;
  }
  lb_sparse_destroy(tangent);
  lb_assembler_destroy(assembler);
  return status;
}
