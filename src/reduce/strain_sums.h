// Sums over the elements of a body of which the coefficients of reduced polynomials are made; the
// formulas stand in polynomial.h. Patches of elements are added one after another.
#ifndef LB_REDUCE_STRAIN_SUMS_H
#define LB_REDUCE_STRAIN_SUMS_H

#include "arrayio/polynomial.h"
#include "reduce/strain_edges.h"
#include "reduce/strain_kernels.h"

#include <stdatomic.h>

enum {
  LB_STRAIN_LANES = 8, // tasks of a patch at most, each with work space of its own
};

// Pairs of modes (k, l), k <= l, of some neighbouring l, which are worked on together.
typedef struct lbPairBlock {
  int32_t mode_begin, mode_end; // l
  int32_t pair_begin, pair_end; // packed
} lbPairBlock;

typedef struct lbStrainLane {
  double *D;               // (pairs of a block x edges) d of pairs of modes
  double *X;               // (pairs of a block x edges) H d
  double *Z;               // (pairs a <= b <= l x 3 stars of a chunk) of each l of a block
  double *strip;           // of kernels
  double *near_X, *near_U; // of the edges of a star: X, (modes x edges x 3) differences
} lbStrainLane;

typedef struct lbStrainSums {
  const lbFem *fem;
  lbStrainWeight weight;
  int32_t r, pairs; // pairs = r (r + 1) / 2
  const double *basis;
  int32_t edges_max, elements_max; // of a patch
  int32_t chunk;                   // stars that are multiplied together
  int32_t block_count;
  lbPairBlock *blocks;
  lbEdgePatch patch;
  const lbStrainKernels *kernels;
  // Of the patch; "columns" are of one edge, vertex or element and lie together.
  double *V;          // (r x 3 x stars) modes at the vertices, from the first one's
  double *U;          // (r x 3 x edges) differences of the modes
  double *e1;         // (r x rows x elements) strains of the modes
  double *T;          // (r x element edges x elements) Lᵀe1 of the modes
  double *sum_T;      // (r x edges)
  double *H;          // (element edges x element edges x elements) LᵀL
  int32_t lane_count; // as many as threads
  lbStrainLane lanes[LB_STRAIN_LANES];
  _Atomic int32_t drawn; // blocks that lanes have taken
  // The sums.
  double *linear; // (r x r) e1_i C e1_j
  double *mixed;  // (r x pairs) e1_i C e2_jk
  double *cubic;  // e2_al C e2_bc + e2_bl C e2_ac of each l: (pairs a <= b <= l, by a, x c <= l)
} lbStrainSums;

// Zero sums, for at most so many elements at a time; `weight`, `fem`, `r`, `basis` are set by it.
lbStatus lb_strain_sums_open(lbStrainSums *sums, const lbFem *fem, int32_t r, const double *basis,
                             size_t element_count, lbError *err);
void lb_strain_sums_release(lbStrainSums *sums);
void lb_strain_sums_clear(lbStrainSums *sums, lbStrainWeight weight);
// Adds elements of a set from the front of the list of slots; *taken of them.
lbStatus lb_strain_sums_add(lbStrainSums *sums, const lbElementSet *set, const int32_t *slots,
                            int32_t slot_count, int32_t *taken, lbError *err);
void lb_strain_sums_store(const lbStrainSums *sums, lbPolynomial *polynomial);

#endif
