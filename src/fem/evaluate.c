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

// Stress at the points of every element of one batch: (points x LB_BATCH).
static void batch_von_mises(const lbElementSet *set, int32_t batch, const double *displacement,
                            double *values) {
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
  for (int32_t lane = 0; lane < LB_BATCH; lane++)
    for (int32_t p = 0; p < points; p++) {
      double P[9], F[9];
      for (int i = 0; i < 9; i++) {
        P[i] = stresses[(9 * p + i) * LB_BATCH + lane];
        F[i] = gradients[(9 * p + i) * LB_BATCH + lane];
      }
      values[p * LB_BATCH + lane] = von_mises(set->model, P, F);
    }
}

static double largest_of(const double *values, int32_t points, int32_t lane) {
  double largest = 0;
  for (int32_t p = 0; p < points; p++)
    if (values[p * LB_BATCH + lane] > largest) largest = values[p * LB_BATCH + lane];
  return largest;
}

static void find_von_mises(const lbFem *fem, const double *displacement, lbEvaluation *out) {
  out->von_mises = out->von_mises_element = -1;
  for (int32_t s = 0; s < fem->set_count; s++) {
    const lbElementSet *set = &fem->sets[s];
    if (set->kind == LB_ELEMENT_FLAP) continue; // shells have no stress
    for (int32_t slot = 0; slot < set->element_count; slot++) {
      double values[LB_ELEMENT_POINTS_MAX * LB_BATCH];
      int32_t lane = slot % LB_BATCH;
      if (lane == 0) batch_von_mises(set, slot / LB_BATCH, displacement, values);
      double largest = largest_of(values, lb_element_points(set->kind), lane);
      if (largest > out->von_mises) {
        out->von_mises = largest;
        out->von_mises_element = set->elements[slot];
      }
    }
  }
}

static void add_to_nodes(const lbElementSet *set, int32_t slot, const double *values,
                         double *weights, double *stresses) {
  const double most = 1e30; // Pa
  size_t lane = (size_t)(slot % LB_BATCH), batch = (size_t)(slot / LB_BATCH);
  size_t nodes = (size_t)lb_element_nodes(set->kind), points = (size_t)lb_element_points(set->kind);
  for (size_t a = 0; a < nodes; a++) {
    size_t p = points == nodes ? a : 0;
    double weight = set->rest[((batch * points + p) * LB_POINT_REST + 9) * LB_BATCH + lane];
    double value = values[p * LB_BATCH + lane];
    int32_t vertex = set->vertices[(batch * nodes + a) * LB_BATCH + lane];
    if (points == 1) weight /= (double)nodes;
    stresses[vertex] += weight * (value <= most ? value : most);
    weights[vertex] += weight;
  }
}

void lb_fem_node_stress(const lbFem *fem, const double *displacement, double *weights,
                        double *stresses) {
  memset(weights, 0, (size_t)fem->vertex_count * sizeof *weights);
  memset(stresses, 0, (size_t)fem->vertex_count * sizeof *stresses);
  for (int32_t s = 0; s < fem->set_count; s++) {
    const lbElementSet *set = &fem->sets[s];
    double values[LB_ELEMENT_POINTS_MAX * LB_BATCH];
    if (set->kind == LB_ELEMENT_FLAP) continue;
    for (int32_t slot = 0; slot < set->element_count; slot++) {
      if (slot % LB_BATCH == 0) batch_von_mises(set, slot / LB_BATCH, displacement, values);
      add_to_nodes(set, slot, values, weights, stresses);
    }
  }
  for (int32_t v = 0; v < fem->vertex_count; v++)
    if (weights[v] > 0) stresses[v] /= weights[v];
}

// y_a += K_ab x_b and y_b += K_abᵀ x_a for every block of an element.
static void multiply_evaluation_element(int32_t nodes, const double *blocks,
                                        const int32_t *vertices, const double *x, double *y) {
  for (int32_t b = 0; b < nodes; b++)
    for (int32_t a = 0; a <= b; a++) {
      size_t va = 3 * (size_t)vertices[a * LB_BATCH], vb = 3 * (size_t)vertices[b * LB_BATCH];
      const double *K = blocks + 9 * lb_element_pair(a, b);
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
          y[va + i] += K[3 * i + j] * x[vb + j];
          if (a != b) y[vb + j] += K[3 * i + j] * x[va + i];
        }
    }
}

// The tangent times a full vector, element by element: it reaches fixed vertices too, which the
// assembled matrix does not hold.
static lbStatus multiply_tangent(lbAssembler *assembler, const double *displacement,
                                 const double *direction, double *product, lbError *err) {
  const lbFem *fem = assembler->fem;
  double *blocks = lb_alloc(LB_CHUNK_VALUES, sizeof(double));
  if (!blocks) return lb_fail_memory(err);
  memset(product, 0, 3 * (size_t)fem->vertex_count * sizeof(double));
  for (int32_t c = 0; c < fem->chunk_count; c++) {
    const lbElementSet *set = &fem->sets[fem->chunks[c].set];
    size_t nodes = (size_t)lb_element_nodes(set->kind), pairs = (size_t)lb_element_pairs(set->kind);
    int32_t begin = fem->chunks[c].batch_begin * LB_BATCH;
    int32_t end = fem->chunks[c].batch_end * LB_BATCH;
    lb_assemble_chunk(assembler, c, displacement, false, blocks);
    for (int32_t slot = begin; slot < end && slot < set->element_count; slot++)
      multiply_evaluation_element((int32_t)nodes, blocks + 9 * pairs * (size_t)(slot - begin),
                                  set->vertices + (size_t)(slot / LB_BATCH) * nodes * LB_BATCH +
                                      slot % LB_BATCH,
                                  direction, product);
  }
  lb_free(blocks);
  return LB_OK;
}

lbStatus lb_fem_evaluate(const lbFem *fem, const double *displacement, double *forces,
                         const double *direction, double *product, lbEvaluation *out,
                         lbError *err) {
  lbAssembler *assembler = NULL;
  lbStatus status = lb_assembler_create(fem, &assembler, err);
  if (status) return status;
  lbEvaluation result = { .energy = lb_assemble(assembler, displacement, forces, NULL) };
  result.invalid_element = lb_assembler_invalid_element(assembler);
  find_von_mises(fem, displacement, &result);
  if (direction) status = multiply_tangent(assembler, displacement, direction, product, err);
  if (!status) *out = result;
  lb_assembler_destroy(assembler);
  return status;
}
