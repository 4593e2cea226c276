// Energy, force and tangent of elastic elements, in batches of LB_BATCH elements of one kind and
// one material model. No mesh and no assembly here: the full simulator, cubature and others call
// these kernels with rest data and displacements that they gathered themselves.
//
// With u_a the displacement of node a, g_a = ∂N_a/∂X at a quadrature point, H = Σ u_a g_aᵀ the
// displacement gradient, F = I + H, P = ∂W/∂F and A = ∂P/∂F:
//   energy Σ w W(F),   force f_a = ∂W/∂u_a = Σ w P g_a,   tangent K_ab,ij = Σ w A_ik,jl g_a,k
//   g_b,l.
// tet4 has one point, brick8 the 2x2x2 Gauss points. Tangents are exact, never projected.
// The flap of a shell (shell.h) has the same form: four nodes, two "points" of rest data, one for
// each triangle.
#ifndef LB_ELASTIC_ELEMENT_H
#define LB_ELASTIC_ELEMENT_H

#include "limber/element.h"
#include "limber/material.h"
#include "math/simd.h"

#define LB_ELEMENT_NODES_MAX 8
#define LB_ELEMENT_PAIRS_MAX 36
#define LB_ELEMENT_POINTS_MAX 8
#define LB_POINT_REST                                                                              \
  10 // doubles of rest data a point: inverse Jacobian (9), weight in m³ (1);
     // flap: shell.h
#define LB_MATERIAL_PARAMETERS                                                                     \
  4 // doubles: λ, μ, 0, 0; Mooney–Rivlin: c10, c01, v1, 0; flap: shell.h

int32_t lb_element_nodes(lbElementKind kind);
int32_t lb_element_points(lbElementKind kind);
int32_t lb_element_pairs(lbElementKind kind); // of nodes a ≤ b: n (n + 1) / 2

// Blocks K_ab, a ≤ b, are numbered column by column: (0,0) (0,1) (1,1) (0,2) ...
static inline int32_t lb_element_pair(int32_t a, int32_t b) { return b * (b + 1) / 2 + a; }

// ∂N_a/∂ξ at a quadrature point (nodes x 3), N_a there (nodes), and the point's weight. Here and
// below: of volume elements.
void lb_element_shape(lbElementKind kind, int32_t point, double *gradients, double *values,
                      double *weight);

// Rest data of one element: (points x LB_POINT_REST), `stride` doubles apart. The inverse Jacobian
// is ∂ξ_k/∂X_j at [3 k + j]. False if a point's Jacobian is not positive (inverted or flat
// element).
bool lb_element_rest(lbElementKind kind, const double *positions, double *rest, int32_t stride);

// Kernel parameters of a material: (LB_MATERIAL_PARAMETERS), `stride` doubles apart.
void lb_material_parameters(const lbMaterial *material, double *parameters, int32_t stride);

// One batch. What goes in and what belongs to points has LB_BATCH as its fastest index; forces and
// tangents come out element by element. Unused lanes: weight 0.
typedef struct lbElementBatch {
  const double *rest;          // (points x LB_POINT_REST x LB_BATCH)
  const double *parameters;    // (LB_MATERIAL_PARAMETERS x LB_BATCH)
  const double *displacements; // (nodes x 3 x LB_BATCH)
  double *energies;            // (LB_BATCH), written; +inf where a law is left (J ≤ 0)
  double *forces;              // (LB_BATCH x nodes x 3), written; NULL: not wanted
  double *tangents;  // (LB_BATCH x pairs x 9), row-major blocks, written; NULL: not wanted
  double *stresses;  // (points x 9 x LB_BATCH) first Piola–Kirchhoff P, written; NULL
  double *gradients; // (points x 9 x LB_BATCH) F, written; NULL: not wanted. Flaps have neither
} lbElementBatch;

typedef void lbElementKernel(const lbElementBatch *batch);

// The kernel for a kind, a model and a SIMD level that lb_simd_has. Flaps and the model of shells
// go together, and with nothing else: NULL.
lbElementKernel *lb_element_kernel(lbElementKind kind, lbMaterialModel model, lbSimdLevel level);

#endif
