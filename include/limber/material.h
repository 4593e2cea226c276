// limber/material.h: elastic materials by name and parameters.
#ifndef LIMBER_MATERIAL_H
#define LIMBER_MATERIAL_H

#include "limber/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Energy density W(F) of the deformation gradient F, with C = FᵀF, J = det F, I1 = tr C,
// I2 = (I1² − tr C²)/2, E = (C − I)/2, Lamé constants λ, μ:
typedef enum lbMaterialModel {
  LB_MATERIAL_LINEAR,     // μ |ε|² + λ/2 tr²ε, ε = sym(F) − I: small displacements only
  LB_MATERIAL_STVK,       // μ |E|² + λ/2 tr²E
  LB_MATERIAL_COROTATED,  // μ |F − R|² + λ/2 tr²(RᵀF − I), R the rotation nearest to F
  LB_MATERIAL_NEOHOOKEAN, // μ/2 (I1 − 3) − μ ln J + λ/2 ln²J, J > 0
  LB_MATERIAL_STABLE_NEOHOOKEAN, // μ/2 (I1 − 3) − μ (J − 1) + (λ + μ)/2 (J − 1)²
  LB_MATERIAL_MOONEYRIVLIN, // c10 (J^-2/3 I1 − 3) + c01 (J^-4/3 I2 − 3) + v1 (J − 1)², J > 0
  LB_MATERIAL_SOLID_MODEL_COUNT,
  LB_MATERIAL_SHELL = LB_MATERIAL_SOLID_MODEL_COUNT, // a thin sheet, on triangles: see below
  LB_MATERIAL_MODEL_COUNT
} lbMaterialModel;

// A shell (Discrete Shells, Grinspun et al. 2003) has the energy
//   Σ_edges stretch (l − L)²/L + Σ_triangles area (a − A)²/A + Σ_inner edges bend (θ − θ₀)² 3 L²/ΣA
// with lengths l, areas a and the angle θ between the normals at an edge; L, A, θ₀ are those of the
// rest shape, flat or curved, and ΣA is of the edge's two triangles. From Young's modulus E,
// Poisson's ratio ν and the thickness t, with A_e a third of the area of the edge's triangles:
//   stretch = 2 E t A_e / ((1 + ν) L),  area = max(0, E t (3ν − 1) / (4 (1 − ν²))),
//   bend = E t³ / (72 (1 − ν²)).
// Where two materials meet at an edge, each counts by the area of its triangle there.
typedef struct lbMaterial {
  lbMaterialModel model; // default LB_MATERIAL_STVK
  double young;          // Pa, > 0, default 1e6; not used by Mooney–Rivlin
  double poisson;        // in (-1, 0.5), default 0.45; not used by Mooney–Rivlin
  double density;        // kg/m³, > 0, default 1000
  double c10, c01, v1;   // Pa; Mooney–Rivlin only: c10 + c01 > 0, v1 > 0; default 0
  double thickness;      // m, > 0; shells only; default 0, which none may have
  double stretch;        // N, > 0; shells only; default 0: all three by Young's modulus
  double area;           // N/m, >= 0, with stretch
  double bend;           // N m, > 0, with stretch
} lbMaterial;

lbMaterial lb_material(void); // the defaults
// `what` names the material in the message, e.g. "body \"bar\": material".
lbStatus lb_material_check(const lbMaterial *material, const char *what, lbError *err);
const char *lb_material_model_name(lbMaterialModel model); // as scene files spell it
bool lb_material_model_parse(const char *name, lbMaterialModel *model);

#ifdef __cplusplus
}
#endif
#endif
