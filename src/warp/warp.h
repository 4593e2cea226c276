// Warped stiffness: elastic forces with a constant stiffness that is turned with the material.
// M. Müller, J. Dorsey, L. McMillan, R. Jagnow, B. Cutler: Stable Real-Time Deformations, 2002.
//
//   by elements (default)  f = Σ_e R_e K_e (R_eᵀ x − X),     R_e: polar decomposition of mean F
//   by vertices (theirs)   f_i = R_i Σ_j K_ij (R_iᵀ x_j − X_j),  R_i: of the edges around a vertex
//   linear                 f = K (x − X)
//   green                  f = ∂W/∂x of St. Venant–Kirchhoff, linearised
//
// Here is mechanics of nodes alone: elements, their matrix K̂, which is ∂f/∂x (by vertices with the
// rotations held), and the solution of (c M + κ K̂) v = b. Bodies (method/warp/method.c) know
// frames, steps and constraints.
//
// Vectors lie in lanes: node n is lane n % 8 of group n / 8, its component k 8 k further. Blocks
// of K̂ in a row sum to zero (f does not feel a shift), so that K̂ x = Σ_j K̂_ij (x_j − x_i) needs
// no diagonal and is exact for shifts. A symmetric K̂ has one block for each pair of neighbours
// i < j, 9 numbers row by row: K̂_ij, which K̂_ji is the transpose of. One that is not has those of
// K̂_ji behind them. All sums have a fixed order: the same bits for any number of threads.
#ifndef LB_WARP_WARP_H
#define LB_WARP_WARP_H

#include "elastic/element.h"
#include "limber/math.h"
#include "limber/model.h"
#include "math/ldlt.h"

typedef struct lbWarpDef {
  int32_t node_count;
  const double *positions; // (nodes x 3) m
  const uint8_t *held;     // (nodes) 1: does not take part in the solution
  const double *masses;    // (nodes) kg
  int32_t tet_count, brick_count;
  const int32_t *tets, *bricks;
  const int32_t *element_materials; // (tets, then bricks)
  const int32_t *element_numbers;   // (likewise) for messages; NULL: as they lie here
  const double *materials;          // (materials x 3): young, poisson, density
  lbWarpRotation rotation;
  lbWarpStiffness stiffness;
  lbWarpStrain strain;
  double stretch_limit;        // 0: none
  int32_t core_count;          // rigid cores; elements within one have no stiffness
  const int32_t *cores;        // (nodes) core of each node, -1: none
  const int32_t *core_columns; // (cores) unknowns: 6, 1 about an axis, or 0: its nodes are held
} lbWarpDef;

// Elements of one kind, in batches of LB_BATCH. `rest` has in turn the mean gradients of the shape
// functions (nodes x 3), places (nodes x 3), blocks K_ab, a < b, (pairs x 9), V λ and V μ; or, for
// green strain, LB_POINT_REST of each point.
typedef struct lbWarpSet {
  lbElementKind kind;
  int32_t nodes, blocks; // of an element
  int32_t count, batch_count;
  size_t rest_size;         // doubles an element
  int32_t *at;              // (batches x nodes x LB_BATCH) where its nodes lie in a vector
  double *rest;             // (batches x rest_size x LB_BATCH)
  double *parameters;       // (batches x LB_MATERIAL_PARAMETERS x LB_BATCH): green
  lbElementKernel *green;   // or NULL
  bool isotropic;           // tets of finite elements
  double steepest;          // 1/m, the largest gradient of a shape function
  size_t first, first_node; // its first block, and node, in the buffers of lbWarpWork
} lbWarpSet;

struct lbWarpElements; // kernels.h
struct lbWarpRows;

// Nodes are numbered anew (order.h); those of the def are ranks[n].
typedef struct lbWarp {
  lbWarpRotation rotation;
  lbWarpStrain strain;
  double stretch_limit;
  const struct lbWarpElements *elements;
  const struct lbWarpRows *rows;
  const lbLdltKernels *ldlt;
  int32_t node_count, group_count;
  size_t length;       // numbers in a vector: 24 group_count
  int32_t *ranks;      // (nodes) what nodes of the def are here: neighbours lie near each other
  lbWarpSet sets[2];   // tets, bricks
  double *rest;        // (length) X
  double *packed_rest; // (nodes x 4) X, where rows of K at rest are needed
  double *masses;      // (8 group_count)
  double *free;        // (8 group_count) 1, or 0 where held or not a node
  // Neighbours of node n: [upper_begin[n], upper_begin[n + 1]) behind it, which are also the
  // numbers of their pairs, and [lower_begin[n], lower_begin[n + 1]) before it, with blocks at
  // `lower_block`.
  int32_t pair_count;
  int32_t *upper_begin, *upper;               // (nodes + 1), (pairs) 4 times the other node
  int32_t *lower_begin, *lower, *lower_block; // likewise; 9 times the pair
  double *rest_values; // (pairs x 9, padded) K at rest; NULL where it is not needed
  int32_t *chosen;     // (group_count x 3 x 8) where edges of the fast estimate end, or NULL
  // The plan of assembly: pair p of nodes i < j is the sum of blocks [pair_begin[p],
  // pair_turned[p]) and of the transposed ones [pair_turned[p], pair_begin[p + 1]).
  int32_t *pair_begin, *pair_turned, *pair_blocks;
  // Parts of the coarse preconditioner: of each lane of the groups (-1: none); their nodes.
  int32_t part_count, *part_of, *part_begin, *part_nodes;
  double *part_centres;                   // (parts x 3) m, at rest
  double *coarse_stiffness, *coarse_mass; // (6 parts, padded, squared) Pᵀ K̂ P and Pᵀ M P at rest
  double coarse_sum;                      // of both, to tell bodies apart
  int32_t *force_begin, *force_shares;    // (nodes + 1), shares of elements in the force of a node
  // Rigid cores (cores.h): their nodes, and of each node its core, -1: none that has unknowns.
  int32_t core_count, *core_columns, *core_begin, *core_nodes, *core_of;
} lbWarp;

lbStatus lb_warp_create(const lbWarpDef *def, lbSimdLevel level, lbWarp **out, lbError *err);
void lb_warp_destroy(lbWarp *warp); // NULL is legal
static inline size_t lb_warp_at(int32_t node) {
  return (size_t)(node / LB_BATCH) * (3 * LB_BATCH) + (size_t)(node % LB_BATCH);
}
static inline bool lb_warp_is_by_vertices(const lbWarp *warp) {
  return warp->strain == LB_WARP_WARPED && warp->rotation != LB_WARP_ELEMENT;
}

// Doubles of `count` blocks of K̂: kernels read rows of three as four numbers.
static inline size_t lb_warp_block_doubles(size_t count) { return 9 * count + 3; }

// Loops over the neighbours of a node: their number, and of each in turn, the neighbour and K̂_ij.
static inline int32_t lb_warp_degree(const lbWarp *warp, int32_t node) {
  return warp->upper_begin[node + 1] - warp->upper_begin[node] + warp->lower_begin[node + 1] -
         warp->lower_begin[node];
}
int32_t lb_warp_neighbour(const lbWarp *warp, int32_t node, int32_t index);
void lb_warp_block(const lbWarp *warp, const double *values, bool symmetric, int32_t node,
                   int32_t index, double block[9]);

// (nodes of the def x 3) <-> lanes; what is not a node stays as it is.
void lb_warp_to_lanes(const lbWarp *warp, const double *nodes, double *lanes);
void lb_warp_from_lanes(const lbWarp *warp, const double *lanes, double *nodes);

// ---- work --------------------------------------------------------------------------------------

enum { LB_WARP_VECTORS = 8 };

typedef struct lbWarpWork {
  double *own;          // (blocks of K̂ x 9, padded)
  const double *values; // that in use: `own`, or lbWarp.rest_values
  bool symmetric;       // K̂: all but rows of vertices
  double *blocks;       // (blocks of all elements x 9)
  double *forces;       // (nodes of all elements x 3, and one)
  double *energies;     // (lanes of all elements) J
  double energy;        // J at the shape of lb_warp_linearise; -1: not known (rows of vertices)
  double *inverse;      // (group_count x 9 x 8) of the diagonal blocks of c M + κ K̂
  double *sums;
  double *vectors[LB_WARP_VECTORS]; // (length)
  // The shape and forces of the last linearisation by elements, and whether the preconditioner is
  // of that: a step is linearised for contacts, and again when it is taken, about the same shape.
  const lbWarp *kept; // NULL: none
  bool kept_safe, ready;
  double *kept_x, *kept_force;    // (length)
  double *packed;                 // (nodes x 4) what is multiplied by K̂, nodes one after another
  double c, kappa;                // as lb_warp_ready was told
  double *centres, *arms;         // (parts x 3) of the parts then, (length) from these
  double *coarse, *coarse_vector; // of the parts: LDLᵀ, and two vectors (the first with 6 more)
  double coarse_key[3];           // what the factors are of
  bool coarse_good;               // they are positive
  double *part_turns;             // (parts x 9) rotations
  double *part_sums;              // (chunks x parts x 6)
  bool parts_ready;
  double *core_hinges; // (cores x 6) point and direction, or the centre: by the caller
  double *core_rows;   // (core nodes x 3) of P
  double *core_grams, *core_factors; // (cores x 36) Cholesky factors of PᵀP and PᵀAP
  double least;    // a solution need not be better than where a guess has a residual of this norm
                   // (that of the preconditioner): `tolerance` is of the greater of the two
  bool indefinite; // what the last solution stopped at
} lbWarpWork;

size_t lb_warp_work_doubles(const lbWarp *warp);
void lb_warp_work_place(const lbWarp *warp, double *room, lbWarpWork *work);

// work->values <- K̂ at x, force (length) <- f(x). `safe`: by elements, whatever is asked for, and
// without what compression takes off the stiffness, so that K̂ is not negative (but of green
// strain).
void lb_warp_linearise(const lbWarp *warp, lbWarpWork *work, const double *x, bool safe,
                       double *force);
// The elastic energy; the form by vertices, which has none, is given that by elements.
double lb_warp_energy(const lbWarp *warp, lbWarpWork *work, const double *x);
// Whether the energy at x, to which nodes have moved by so much in a step at most (m), may be far
// above the quadratic one of the step, in which rotations are held. By elements they differ by the
// stress that is new times the turns squared (K̂ has the rest), which is little where nothing turns
// or no tet is stretched; other forms have no such bound, and linear strain needs none.
bool lb_warp_may_gain(const lbWarp *warp, const double *x, double moved);
// (K̂ d) of a node, held or not.
lbVec3 lb_warp_row(const lbWarp *warp, const lbWarpWork *work, int32_t node, const double *d);
// The matrix of solutions and products is c M + κ K̂ from now on, K̂ being that at x.
void lb_warp_ready(const lbWarp *warp, lbWarpWork *work, const double *x, double c, double kappa);
// y <- (c M + κ K̂) x, 0 at held nodes.
void lb_warp_multiply(const lbWarp *warp, lbWarpWork *work, const double *x, double *y);
// Solves (c M + κ K̂) v = b for the nodes that are not held, those that are being given in v. v: a
// guess, whose share is chosen. Stops where the residual is `tolerance` of that without a guess, or
// after so many iterations; returns how many were made.
int32_t lb_warp_solve(const lbWarp *warp, lbWarpWork *work, const double *b, double *v,
                      int32_t iterations, double tolerance);

#endif
