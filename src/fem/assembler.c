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
  assembler->partials = lb_alloc((size_t)fem->partial_count, 9 * sizeof(double));
  if (!assembler->energies || !assembler->element_forces || !assembler->partials) {
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
  lb_free(assembler->partials);
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

void lb_assemble_chunk(lbAssembler *assembler, int32_t chunk, const double *displacement,
                       bool forces, double *blocks) {
  const lbChunk *c = &assembler->fem->chunks[chunk];
  const lbElementSet *set = &assembler->fem->sets[c->set];
  size_t nodes = (size_t)lb_element_nodes(set->kind), pairs = (size_t)lb_element_pairs(set->kind);
  size_t points = (size_t)lb_element_points(set->kind);
  _Alignas(64) double u[3 * LB_ELEMENT_NODES_MAX * LB_BATCH], energies[LB_BATCH];
  for (int32_t b = c->batch_begin; b < c->batch_end; b++) {
    size_t slot = (size_t)b * LB_BATCH, left = (size_t)set->element_count - slot;
    size_t lanes = left < LB_BATCH ? left : LB_BATCH;
    double *f = assembler->element_forces + 3 * ((size_t)set->force_begin + slot * nodes);
    lb_gather_displacements(set, b, displacement, u);
    set->kernel(&(lbElementBatch){
        .rest = set->rest + slot * points * LB_POINT_REST,
        .parameters = set->parameters + slot * LB_MATERIAL_PARAMETERS,
        .displacements = u,
        .energies = energies,
        .forces = forces ? f : NULL,
        .tangents = blocks ? blocks + 9 * pairs * (size_t)(b - c->batch_begin) * LB_BATCH : NULL,
    });
    memcpy(assembler->energies + (size_t)set->slot_begin + slot, energies, lanes * sizeof(double));
  }
}

typedef struct ElementLoop {
  lbAssembler *assembler;
  const double *displacement;
  bool forces;
} ElementLoop;

static void fill_assembled_chunk(const lbFem *fem, int32_t chunk, double *blocks, void *context) {
  (void)fem;
  const ElementLoop *loop = context;
  lb_assemble_chunk(loop->assembler, chunk, loop->displacement, loop->forces, blocks);
}

static void run_assembled_chunks(int32_t begin, int32_t end, void *context) {
  for (int32_t chunk = begin; chunk < end; chunk++)
    fill_assembled_chunk(NULL, chunk, NULL, context);
}

double lb_assemble(lbAssembler *assembler, const double *displacement, double *forces,
                   lbSparse *tangent) {
  const lbFem *fem = assembler->fem;
  ElementLoop loop = { assembler, displacement, forces != NULL };
  if (tangent)
    lb_fem_sum_blocks(fem, fill_assembled_chunk, &loop, assembler->partials, tangent->values);
  else
    lb_parallel_for(fem->chunk_count, 2, run_assembled_chunks, &loop);
  if (forces) lb_fem_gather_forces(fem, assembler->element_forces, forces);
  double energy = 0;
  for (int32_t i = 0; i < fem->slot_count; i++) energy += assembler->energies[i];
  return isfinite(energy) ? energy : INFINITY;
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
