// Thin shells on triangles: Discrete Shells (Grinspun, Hirani, Desbrun & Schröder 2003).
//
// The energy (limber/material.h) is a sum over edges, and a shell's element is an edge with its one
// or two triangles, a flap: the edge's stretch, its bend and a third of the area energy of each of
// its triangles. Nodes: the edge a b, the vertices c and d opposite of it. At the boundary there is
// no d; c stands in its place, and nothing acts there.
//
//        c           e = b − a, p = c − a, q = d − a, normals n₁ = e × p, n₂ = q × e,
//       / \          θ = atan2(−|e| e·(p × q), n₁·n₂)
//      a---b
//       \ /          The sign of θ depends on the order of c and d, the energy does not:
//        d           a mesh need not be oriented.
//
// The kernel measures energies by volume, so that scaling both weights scales the whole flap:
//   W = Σw (s (l/L − 1)² + k (θ − θ₀)²) + Σ w_i r_i (a_i/A_i − 1)²
// where w_i is a third of the volume of triangle i (thickness × area).
//   rest, triangle 1: b − a (3), c − a (3), L, 0, A₁, w₁
//   rest, triangle 2: d − a (3), θ₀, 0, 0, 0, 0, A₂, w₂ (0 at the boundary)
//   parameters: s, k, r₁, r₂, all in Pa
#ifndef LB_ELASTIC_SHELL_H
#define LB_ELASTIC_SHELL_H

#include "elastic/element.h"

typedef struct lbFlap {
  int32_t nodes[4];     // a < b, c, d; at the boundary d = c
  int32_t triangles[2]; // of c and of d; -1: none, at the boundary
} lbFlap;

// The edges of a shell as flaps, ascending by (a, b): *flaps (count), to be freed with lb_free.
// Refuses by their numbers triangles without area, two triangles with the same vertices, and edges
// of more than two triangles. Vertices must be below vertex_count.
lbStatus lb_shell_flaps(int32_t vertex_count, const double *positions, int32_t triangle_count,
                        const int32_t *triangles, const char *name, lbFlap **flaps, int32_t *count,
                        lbError *err);

// The materials of a flap's triangles; the second is not looked at at the boundary.
typedef struct lbFlapMaterials {
  const lbMaterial *of[2];
} lbFlapMaterials;

// Rest data (2 x LB_POINT_REST), `stride` doubles apart. Of the materials the thickness counts.
void lb_flap_rest(const lbFlap *flap, const double *positions, const lbFlapMaterials *materials,
                  double *rest, int32_t stride);
// Parameters (LB_MATERIAL_PARAMETERS), `stride` doubles apart.
void lb_flap_parameters(const lbFlap *flap, const double *positions,
                        const lbFlapMaterials *materials, double *parameters, int32_t stride);

#endif
