// What an lbFem holds: elements in batches for the kernels, the plan by which their forces and
// tangents are summed into vectors and the matrix, and the mass.
//
// Sums are gathered, not scattered: for every vertex and every 3x3 block of the matrix the plan
// lists the contributions in a fixed order, so the result has the same bits for any number of
// threads.
#ifndef LB_FEM_FEM_H
#define LB_FEM_FEM_H

#include "limber/fem.h"

#include "elastic/element.h"
#include "linalg/sparse.h"

// Elements of one kind and model. Slot s of the set is lane s % LB_BATCH of batch s / LB_BATCH.
typedef struct lbElementSet {
  lbElementKind kind;
  lbMaterialModel model;
  lbElementKernel *kernel;
  int32_t element_count, batch_count;
  int32_t *elements; // (element_count) the mesh's element number of each slot; of a flap the edge's
  int32_t *vertices; // (batch_count x nodes x LB_BATCH); unused lanes repeat the last element
  double *rest;      // (batch_count x points x LB_POINT_REST x LB_BATCH); unused lanes: weight 0
  double *parameters;  // (batch_count x LB_MATERIAL_PARAMETERS x LB_BATCH)
  double *densities;   // (batch_count x parts x LB_BATCH), kg/m³; unused lanes and parts 0
  int32_t *materials;  // (batch_count x parts x LB_BATCH), -1: no such part
  int32_t slot_begin;  // of this set among all slots
  int32_t force_begin; // of its first element's forces among all, in 3-vectors; unused lanes count
  int32_t block_begin; // of its first element's tangent among all, in 3x3 blocks
  int32_t chunk_begin; // its first chunk
} lbElementSet;

// Parts of an element that have a material of their own: one, or the two triangles of a flap.
static inline int32_t lb_element_parts(lbElementKind kind) {
  return kind == LB_ELEMENT_FLAP ? 2 : 1;
}

#define LB_ELEMENT_SETS_MAX (LB_ELEMENT_KIND_COUNT * LB_MATERIAL_MODEL_COUNT)

// Which contributions make a sum: entries [begin[i], begin[i + 1]) of `from`.
typedef struct lbGather {
  int32_t *begin; // (count + 1)
  uint32_t *from;
} lbGather;

// Elements whose blocks are made and summed together while they are in the cache: batches of one
// set. A matrix block that no other chunk touches is finished there; of a shared one the chunk
// makes a partial sum, and those are added in the order of the chunks.
typedef struct lbChunk {
  int32_t set, batch_begin, batch_end;
  int32_t sum_begin, sum_end; // sums of this chunk
} lbChunk;

#define LB_CHUNK_VALUES 23040 // doubles: 256 tets of 10 blocks, or 64 bricks of 36

struct lbFem {
  char *name;
  int32_t vertex_count, element_count; // elements of the mesh: of a shell its triangles
  double *positions;                   // (vertex_count x 3)

  int32_t node_count;
  int32_t *node_of_vertex; // (vertex_count), -1: fixed or unused
  int32_t *vertex_of_node; // (node_count)
  bool *fixed;             // (vertex_count): fixed and used

  int32_t material_count;
  lbMaterial *materials;      // (material_count)
  int32_t *element_materials; // (element_count)

  int32_t set_count;
  lbElementSet sets[LB_ELEMENT_SETS_MAX];
  int32_t slot_count, force_count, block_count; // over all sets

  lbGather forces; // per vertex; from: index of a 3-vector

  // The 3x3 blocks of the matrix (row node ≤ column node), column by column.
  int32_t *column_begin;  // (node_count + 1)
  int32_t *block_rows;    // row node of each block, ascending in a column; the last is the diagonal
  int32_t *block_columns; // column node of each block
  int32_t chunk_count;
  lbChunk *chunks;
  int32_t *sum_targets;  // of each sum: a matrix block, or ~p: partial sum p of a shared one
  lbGather sums;         // from: element block within the chunk
  int32_t *turned_begin; // (sums) contributions from here on are added transposed
  int32_t partial_count;
  int32_t shared_count;
  int32_t *shared_blocks; // (shared_count) matrix blocks that several chunks contribute to
  lbGather shared;        // per shared block; from: partial sum

  lbSparse *pattern; // the matrix's scalar pattern; values NULL
  lbSparse *mass;    // m_ab 1, without the zeros that the pattern has there; lumped: diagonal
  lbMassKind mass_kind;
  double *vertex_masses;
  double total_mass;

  // Elements that lie elsewhere (fem/engine.h): of the sets only numbers and vertices are there,
  // and no plan, pattern or mass.
  const struct lbFemEngine *engine; // NULL: the lbFem has its elements
  void *remote;                     // the engine's
};

// plan.c
lbStatus lb_fem_plan(lbFem *fem, lbError *err);

// Estimates of memory (need.c): bytes of element data; vertices around a vertex, itself among them.
double lb_fem_element_bytes(int32_t tet_count, int32_t brick_count);
double lb_fem_neighbours(int32_t tet_count, int32_t brick_count);
// Refuses a mesh whose element data and matrices no memory holds, before they are made.
lbStatus lb_fem_check_room(const lbMesh *mesh, const char *name, lbError *err);

// Sums element forces (force_count x 3) into a full vector.
void lb_fem_gather_forces(const lbFem *fem, const double *element_forces, double *forces);

// chunks.c
// Where an element block contributes: what plan.c lists and chunks.c sorts into chunks.
typedef struct lbContributions {
  const int32_t *begin;        // (blocks + 1)
  const int32_t *turned_begin; // (blocks) contributions from here on are added transposed
  const uint32_t *from;        // element block among all
} lbContributions;

lbStatus lb_fem_plan_chunks(lbFem *fem, const lbContributions *contributions, lbError *err);
// Makes the element blocks of a chunk: (elements x pairs x 9), row-major.
typedef void lbChunkFiller(const lbFem *fem, int32_t chunk, double *blocks, void *context);
// Sums the element blocks of all chunks into the matrix's values. partials: (partial_count x 9)
// work space.
void lb_fem_sum_blocks(const lbFem *fem, lbChunkFiller *fill, void *context, double *partials,
                       double *values);
int32_t lb_chunk_batches(lbElementKind kind); // batches in a chunk

// held.c
// Refuses a body of which some part can move rigidly; names a vertex of it.
lbStatus lb_fem_check_held(const lbFem *fem, lbError *err);

// mass.c
// m_ab (nodes x nodes) of one element.
void lb_fem_element_mass(const lbElementSet *set, int32_t slot, double *mass);
lbStatus lb_fem_mass(lbFem *fem, lbMassKind kind, lbError *err);
// Of either kind, whatever the body's own is; needs the vertex masses.
lbStatus lb_fem_mass_matrix(const lbFem *fem, lbMassKind kind, lbSparse **out, lbError *err);

// y = M x of full vectors, with the body's own mass over all vertices, fixed ones too.
lbStatus lb_fem_mass_product(const lbFem *fem, const double *x, double *y, lbError *err);
// The same of a body whose elements are here, with the mass of one material's (-1: of all).
lbStatus lb_fem_part_mass_product(const lbFem *fem, int32_t material, const double *x, double *y,
                                  lbError *err);
// Σ m_ab v_b and Σ m_ab (x_a + u_a) × v_b over all vertices, fixed ones too, with the body's own
// mass; u, v full. kg m/s; kg m²/s, about the origin.
void lb_fem_momentum(const lbFem *fem, const double *u, const double *v, double linear[3],
                     double angular[3]);

// The share of one material's elements in the body's mass, and in the vertex masses (vertex_count).
lbStatus lb_fem_material_mass(const lbFem *fem, int32_t material, double *masses, lbSparse **out,
                              lbError *err);

// evaluate.c
// Von Mises stress (Cauchy's, by each element's own law) at the vertices: the mean over their
// elements, by volume, of a tet's constant stress and of a brick's at its Gauss point next to the
// vertex. What is beyond 1e30 Pa, or no number, counts as 1e30. Zero in shells. weights:
// (vertex_count), work.
void lb_fem_node_stress(const lbFem *fem, const double *displacement, double *weights,
                        double *stresses);

// modes.c
// A new matrix, on the body's own pattern.
lbStatus lb_fem_rest_stiffness(const lbFem *fem, lbSparse **out, lbError *err);

#endif
