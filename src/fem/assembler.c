// Summing elements into energy, forces and the tangent matrix.
#include "fem/assembler.h"

#include <math.h>
#include <string.h>

lbStatus lb_assembler_create(const lbFem *fem, lbAssembler **out, lbError *err) {
  lbAssembler *assembler = lb_alloc(1, sizeof *assembler);
  if (!assembler) return lb_fail_memory(err);
  assembler->fem = fem;
  assembler->energies = lb_alloc((size_t)fem->slot_count, sizeof(double));
  assembler->element_forces = lb_alloc((size_t)fem->force_count * 3, sizeof(double));
  if (!assembler->energies || !assembler->element_forces) {
    lb_assembler_destroy(assembler);
    return lb_fail_memory(err);
  }
  *out = assembler;
  return LB_OK;
}

void lb_assembler_destroy(lbAssembler *assembler) {
  if (!assembler) return;
  lb_free(assembler->energies);
  lb_free(assembler->element_forces);
  lb_free(assembler->element_blocks);
  lb_free(assembler);
}

void lb_gather_displacements(const lbElementSet *set, int32_t batch, const double *displacement,
                             double *gathered) {
  int32_t nodes = lb_element_nodes(set->kind);
  const int32_t *vertices = set->vertices + (size_t)batch * (size_t)nodes * LB_BATCH;
  for (int32_t a = 0; a < nodes; a++)
    for (int32_t lane = 0; lane < LB_BATCH; lane++) {
      const double *u = displacement + 3 * (size_t)vertices[a * LB_BATCH + lane];
      for (int i = 0; i < 3; i++) gathered[(3 * a + i) * LB_BATCH + lane] = u[i];
    }
}

// One element's lane of a batch array (rows x LB_BATCH) into a contiguous row of values.
static void scatter_lanes(const double *lanes, int32_t rows, int32_t lane_count, double *to) {
  for (int32_t lane = 0; lane < lane_count; lane++)
    for (int32_t i = 0; i < rows; i++)
      to[(size_t)lane * (size_t)rows + i] = lanes[i * LB_BATCH + lane];
}

typedef struct ElementLoop {
  lbAssembler *assembler;
  const lbElementSet *set;
  const double *displacement;
  bool forces, tangent;
} ElementLoop;

static void run_batches(int32_t begin, int32_t end, void *context) {
  const ElementLoop *loop = context;
  const lbElementSet *set = loop->set;
  lbAssembler *assembler = loop->assembler;
  int32_t nodes = lb_element_nodes(set->kind), pairs = lb_element_pairs(set->kind);
  size_t points = (size_t)lb_element_points(set->kind);
  _Alignas(64) double u[3 * LB_ELEMENT_NODES_MAX * LB_BATCH],
      f[3 * LB_ELEMENT_NODES_MAX * LB_BATCH];
  _Alignas(64) double K[9 * LB_ELEMENT_PAIRS_MAX * LB_BATCH], energies[LB_BATCH];
  for (int32_t b = begin; b < end; b++) {
    int32_t slot = b * LB_BATCH;
    int32_t lanes = set->element_count - slot < LB_BATCH ? set->element_count - slot : LB_BATCH;
    lb_gather_displacements(set, b, loop->displacement, u);
    set->kernel(&(lbElementBatch){
        .rest = set->rest + (size_t)b * points * LB_POINT_REST * LB_BATCH,
        .parameters = set->parameters + (size_t)b * LB_MATERIAL_PARAMETERS * LB_BATCH,
        .displacements = u,
        .energies = energies,
        .forces = loop->forces ? f : NULL,
        .tangents = loop->tangent ? K : NULL,
    });
    memcpy(assembler->energies + set->slot_begin + slot, energies, (size_t)lanes * sizeof(double));
    if (loop->forces)
      scatter_lanes(f, 3 * nodes, lanes,
                    assembler->element_forces + 3 * (size_t)(set->force_begin + slot * nodes));
    if (loop->tangent)
      scatter_lanes(K, 9 * pairs, lanes,
                    assembler->element_blocks + 9 * (size_t)(set->block_begin + slot * pairs));
  }
}

lbStatus lb_assemble(lbAssembler *assembler, const double *displacement, double *energy,
                     double *forces, lbSparse *tangent, lbError *err) {
  const lbFem *fem = assembler->fem;
  if (tangent && !assembler->element_blocks) {
    assembler->element_blocks = lb_alloc((size_t)fem->block_count * 9, sizeof(double));
    if (!assembler->element_blocks) return lb_fail_memory(err);
  }
  for (int32_t s = 0; s < fem->set_count; s++) {
    ElementLoop loop = { assembler, &fem->sets[s], displacement, forces != NULL, tangent != NULL };
    lb_parallel_for(fem->sets[s].batch_count, 32, run_batches, &loop);
  }
  double sum = 0;
  for (int32_t i = 0; i < fem->slot_count; i++) sum += assembler->energies[i];
  *energy = isfinite(sum) ? sum : INFINITY;
  if (forces) lb_fem_gather_forces(fem, assembler->element_forces, forces);
  if (tangent) lb_fem_gather_blocks(fem, assembler->element_blocks, tangent->values);
  return LB_OK;
}

int32_t lb_assembler_invalid_element(const lbAssembler *assembler) {
  const lbFem *fem = assembler->fem;
  int32_t first = -1;
  for (int32_t s = 0; s < fem->set_count; s++)
    for (int32_t i = 0; i < fem->sets[s].element_count; i++) {
      int32_t element = fem->sets[s].elements[i];
      if (!isfinite(assembler->energies[fem->sets[s].slot_begin + i]) &&
          (first < 0 || element < first))
        first = element;
    }
  return first;
}
