// Von Mises stress of tets and bricks (stress.h). The derivatives of a brick's trilinear fields at
// its Gauss points are made by differences along edges and interpolation across, a fifth of the
// work of summing over corners at each point.
#include "elastic/stress.h"

#include "elastic/laws.h"

typedef void LawFunction(const lbLanes H[9], const lbLanes p[3], bool tangent, Law *law);

// ---- one point ---------------------------------------------------------------------------------

LB_INLINE lbLanes von_mises(const lbLanes s[9]) {
  const lbLanes a = s[0] - s[4], b = s[4] - s[8], c = s[8] - s[0];
  const lbLanes shear = s[1] * s[1] + s[2] * s[2] + s[5] * s[5];
  return lb_sqrt(0.5 * (a * a + b * b + c * c) + 3.0 * shear);
}

// J[3 i + k] = ∂X_i/∂ξ_k and D[3 i + k] = ∂u_i/∂ξ_k. Returns det J, zero where it is not positive.
LB_INLINE lbLanes point_stress(bool linear, LawFunction *law_function, const lbLanes J[9],
                               const lbLanes D[9], const lbLanes p[3], lbLanes *stress) {
  lbLanes cofactor[9], H[9];
  Law law;
  const lbLanes found = lb_cofactor_lanes(J, cofactor);
  const lbMask good = lb_less(lb_splat(1e-290), found) & lb_less(found, lb_splat(1e290));
  const lbLanes determinant = lb_select(good, found, lb_splat(1));
  LB_FOR (i, 0, 3)
    LB_FOR (j, 0, 3)
      H[3 * i + j] = (D[3 * i] * cofactor[3 * j] + D[3 * i + 1] * cofactor[3 * j + 1] +
                      D[3 * i + 2] * cofactor[3 * j + 2]) /
                     determinant;
  law_function(H, p, false, &law);
  if (linear) {
    *stress = von_mises(law.stress);
  } else {
    lbLanes F[9], unused[9], sigma[9];
    add_identity(H, F);
    multiply_nt(law.stress, F, sigma);
    *stress = von_mises(sigma) / lb_abs(lb_cofactor_lanes(F, unused));
  }
  return lb_select(good, found, lb_splat(0));
}

// ---- tets --------------------------------------------------------------------------------------

LB_INLINE void edges(const double *values, int lane, lbLanes M[9]) {
  LB_FOR (i, 0, 3) {
    const lbLanes first = lb_load(values + i * LB_BATCH + lane);
    LB_FOR (k, 0, 3) M[3 * i + k] = lb_load(values + (3 * (k + 1) + i) * LB_BATCH + lane) - first;
  }
}

LB_INLINE void tet_lanes(bool linear, LawFunction *law, const lbStressBatch *batch, int lane,
                         const lbLanes p[3]) {
  lbLanes J[9], D[9], stress;
  edges(batch->positions, lane, J);
  edges(batch->displacements, lane, D);
  const lbLanes determinant = point_stress(linear, law, J, D, p, &stress);
  lb_store(batch->stresses + lane, stress);
  lb_store(batch->volumes + lane, determinant / 6.0);
}

// ---- bricks ------------------------------------------------------------------------------------

// Whether corner or point p lies on the far side along axis k.
#define FAR_SIDE(p, k) ((k) == 2 ? (p) >> 2 : (k) == 1 ? ((p) >> 1) & 1 : (((p) >> 1) ^ (p)) & 1)
// The corner at these sides.
#define CORNER(x, y, z) (4 * (z) + 2 * (y) + ((x) ^ (y)))

// A corner by its sides along axis k and the two that follow.
LB_INLINE int corner_along(int k, int a, int b, int c) {
  return k == 0 ? CORNER(a, b, c) : k == 1 ? CORNER(c, a, b) : CORNER(b, c, a);
}

// Derivatives along each axis k of three components at the points: they are the same for the two
// points that differ along k: G[k][2 b + c][i], b and c the sides along the axes after k.
LB_INLINE void brick_derivatives(const double *values, int lane, lbLanes G[3][4][3]) {
  const double heavy = 0.78867513459481288, light = 0.21132486540518712; // (1 ± 1/√3) / 2
  LB_FOR (i, 0, 3)
    LB_FOR (k, 0, 3) {
      lbLanes e[4], f[4];
      LB_FOR (bc, 0, 4) {
        const int begin = corner_along(k, 0, bc >> 1, bc & 1);
        const int end = corner_along(k, 1, bc >> 1, bc & 1);
        e[bc] = 0.5 * (lb_load(values + (3 * end + i) * LB_BATCH + lane) -
                       lb_load(values + (3 * begin + i) * LB_BATCH + lane));
      }
      LB_FOR (bc, 0, 4) f[bc] = heavy * e[bc] + light * e[bc ^ 2];
      LB_FOR (bc, 0, 4) G[k][bc][i] = heavy * f[bc] + light * f[bc ^ 1];
    }
}

LB_INLINE void brick_lanes(bool linear, LawFunction *law, const lbStressBatch *batch, int lane,
                           const lbLanes p[3]) {
  lbLanes positions[3][4][3], displacements[3][4][3];
  brick_derivatives(batch->positions, lane, positions);
  brick_derivatives(batch->displacements, lane, displacements);
  for (int point = 0; point < 8; point++) {
    lbLanes J[9], D[9], stress;
    LB_FOR (k, 0, 3) {
      const int bc = 2 * FAR_SIDE(point, (k + 1) % 3) + FAR_SIDE(point, (k + 2) % 3);
      LB_FOR (i, 0, 3) {
        J[3 * i + k] = positions[k][bc][i];
        D[3 * i + k] = displacements[k][bc][i];
      }
    }
    const lbLanes determinant = point_stress(linear, law, J, D, p, &stress);
    lb_store(batch->stresses + point * LB_BATCH + lane, stress);
    lb_store(batch->volumes + point * LB_BATCH + lane, determinant);
  }
}

// ---- the table ---------------------------------------------------------------------------------

LB_INLINE void stress_batch(lbElementKind element, bool linear, LawFunction *law,
                            const lbStressBatch *batch) {
  for (int lane = 0; lane < LB_BATCH; lane += LB_LANES) {
    const lbLanes p[3] = { lb_load(batch->parameters + lane),
                           lb_load(batch->parameters + LB_BATCH + lane),
                           lb_load(batch->parameters + 2 * LB_BATCH + lane) };
    if (element == LB_ELEMENT_TET4)
      tet_lanes(linear, law, batch, lane, p);
    else
      brick_lanes(linear, law, batch, lane, p);
  }
}

#define DEFINE_KERNELS(law, linear)                                                                \
  static void tet_##law(const lbStressBatch *batch) {                                              \
    stress_batch(LB_ELEMENT_TET4, linear, law_##law, batch);                                       \
  }                                                                                                \
  static void brick_##law(const lbStressBatch *batch) {                                            \
    stress_batch(LB_ELEMENT_BRICK8, linear, law_##law, batch);                                     \
  }

DEFINE_KERNELS(linear, true)
DEFINE_KERNELS(stvk, false)
DEFINE_KERNELS(corotated, false)
DEFINE_KERNELS(neohookean, false)
DEFINE_KERNELS(stable_neohookean, false)
DEFINE_KERNELS(mooneyrivlin, false)

#define KERNEL_ROW(element)                                                                        \
  {                                                                                                \
    [LB_MATERIAL_LINEAR] = element##_linear, [LB_MATERIAL_STVK] = element##_stvk,                  \
    [LB_MATERIAL_COROTATED] = element##_corotated,                                                 \
    [LB_MATERIAL_NEOHOOKEAN] = element##_neohookean,                                               \
    [LB_MATERIAL_STABLE_NEOHOOKEAN] = element##_stable_neohookean,                                 \
    [LB_MATERIAL_MOONEYRIVLIN] = element##_mooneyrivlin                                            \
  }

LB_KERNEL_TABLE(lbStressKernels, lb_stress_kernels) = {
  { [LB_ELEMENT_TET4] = KERNEL_ROW(tet), [LB_ELEMENT_BRICK8] = KERNEL_ROW(brick) }
};
