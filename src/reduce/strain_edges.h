// Green strain of an element from its edges, and elements put together in patches that share them.
//
// Gradients of shape functions add up to zero, so GᵀG = Σ_ab g_a g_bᵀ u_a·u_b holds the
// displacements in differences alone: with d_ab = |u_a − u_b|² (for two modes the inner product of
// their differences),
//   e2 = Σ_{a<b} −1/4 (g_a g_bᵀ + g_b g_aᵀ) d_ab,   e1 = Σ_a sym(u_a g_aᵀ),
// at every quadrature point. In Mandel form, weighted by √(V C), the strains of an element are
// e1 = B u and e2 = L d. A brick has 48 strains but 28 edges, and neighbours share edges.
#ifndef LB_REDUCE_STRAIN_EDGES_H
#define LB_REDUCE_STRAIN_EDGES_H

#include "mesh/hash_table.h"
#include "fem/fem.h"

// What the strains are weighted with. One row a point: the trace; six: normals and shears.
typedef enum lbStrainWeight {
  LB_STRAIN_WHOLE,  // √(V C), six rows
  LB_STRAIN_LAMBDA, // √V on the trace, one row: C = 11ᵀ
  LB_STRAIN_MU,     // √(2 V), six rows: C = 2 I
} lbStrainWeight;

enum {
  LB_STRAIN_ROWS_MAX = 6 * LB_ELEMENT_POINTS_MAX,
  LB_ELEMENT_EDGES_MAX = LB_ELEMENT_NODES_MAX * (LB_ELEMENT_NODES_MAX - 1) / 2
};

static inline int32_t lb_element_edges(lbElementKind kind) { // pairs of nodes a < b
  return lb_element_nodes(kind) * (lb_element_nodes(kind) - 1) / 2;
}

// The strains of one element, row-major and packed.
typedef struct lbStrainMatrices {
  int32_t rows;
  double B[LB_STRAIN_ROWS_MAX * 3 * LB_ELEMENT_NODES_MAX]; // (rows x 3 nodes)
  double L[LB_STRAIN_ROWS_MAX * LB_ELEMENT_EDGES_MAX];     // (rows x edges)
} lbStrainMatrices;

void lb_strain_matrices(const lbElementSet *set, int32_t slot, lbStrainWeight weight,
                        lbStrainMatrices *out);
void lb_strain_vertices(const lbElementSet *set, int32_t slot, int32_t *vertices); // (nodes)

enum { LB_STAR_EDGES = 32 };

typedef struct lbEdgeStar {
  int32_t vertex;     // of the mesh
  int32_t begin, end; // in lbEdgePatch.near
} lbEdgeStar;

// Elements of one set that follow each other in a list of slots, their edges and vertices.
typedef struct lbEdgePatch {
  int32_t edges_max, elements_max;
  const lbElementSet *set;
  const int32_t *slots;   // (element_count)
  int32_t element_count;  //
  lbHashTable table;      // of pairs of vertices: the edges
  int32_t *element_edges; // (element_count x edges of an element), edge of the patch
  lbHashTable vertices;   // no more than edges
  int32_t *near_begin;    // (vertices + 1), of each one's edges in `near`
  int32_t *near;          // (2 edges) an edge of the patch, ~edge where this is its second vertex
  int32_t star_count;     // a star is at most LB_STAR_EDGES edges at a vertex
  lbEdgeStar *stars;      // (star_count) vertex after vertex
} lbEdgePatch;

// Room for so many. The patch is released by the caller in any case.
lbStatus lb_edge_patch_open(lbEdgePatch *patch, int32_t edges_max, int32_t elements_max,
                            lbError *err);
void lb_edge_patch_release(lbEdgePatch *patch);
// Takes elements from the front of the list until there is no room for more; always one.
lbStatus lb_edge_patch_fill(lbEdgePatch *patch, const lbElementSet *set, const int32_t *slots,
                            int32_t slot_count, lbError *err);
static inline const int32_t *lb_edge_vertices(const lbEdgePatch *patch, int32_t edge) {
  return (const int32_t *)patch->table.keys + 2 * (size_t)edge;
}
// How many stars there can be.
static inline size_t lb_edge_stars_most(int32_t edges_max) {
  return (size_t)edges_max + 2 * (size_t)edges_max / LB_STAR_EDGES + 1;
}

#endif
