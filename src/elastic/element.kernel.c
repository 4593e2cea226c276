// The element kernels: every kind of volume × material model from one template, compiled once per
// SIMD level; shells: shell.kernel.c.
// The formulas: element.h; the laws: laws.h.
#include "elastic/element.h"

#include "elastic/kernels.h"
#include "elastic/laws.h"

typedef void LawFunction(const lbLanes H[9], const lbLanes p[3], bool tangent, Law *law);

// Constants of a kind: ∂N_a/∂ξ at every point.
typedef struct Shape {
  double gradients[LB_ELEMENT_POINTS_MAX][3 * LB_ELEMENT_NODES_MAX];
} Shape;

// g_a = ∂N_a/∂X = Σ_k ∂N_a/∂ξ_k ∂ξ_k/∂X. For the tet the sums are written out by its shape.
LB_INLINE void shape_gradients(lbElementKind kind, const Shape *shape, int point,
                               const lbLanes inverse[9], lbLanes *g) {
  if (kind == LB_ELEMENT_TET4) {
    LB_FOR (j, 0, 3) {
      g[j] = -(inverse[j] + inverse[3 + j] + inverse[6 + j]);
      LB_FOR (a, 1, 4) g[3 * a + j] = inverse[3 * (a - 1) + j];
    }
    return;
  }
  const double *d = shape->gradients[point];
  for (int a = 0; a < 8; a++)
    LB_FOR (j, 0, 3)
      g[3 * a + j] =
          d[3 * a] * inverse[j] + d[3 * a + 1] * inverse[3 + j] + d[3 * a + 2] * inverse[6 + j];
}

LB_INLINE void displacement_gradient(int nodes, const lbLanes *u, const lbLanes *g, lbLanes H[9]) {
  LB_FOR (i, 0, 9) H[i] = u[i / 3] * g[i % 3];
  for (int a = 1; a < nodes; a++)
    LB_FOR (i, 0, 9) H[i] += u[3 * a + i / 3] * g[3 * a + i % 3];
}

// f_a += w P g_a
LB_INLINE void add_forces(int nodes, const lbLanes P[9], lbLanes weight, const lbLanes *g,
                          lbLanes *f) {
  lbLanes wP[9];
  LB_FOR (i, 0, 9) wP[i] = weight * P[i];
  for (int a = 0; a < nodes; a++)
    LB_FOR (i, 0, 3)
      f[3 * a + i] +=
          wP[3 * i] * g[3 * a] + wP[3 * i + 1] * g[3 * a + 1] + wP[3 * i + 2] * g[3 * a + 2];
}

LB_INLINE lbLanes tangent_entry(const lbLanes A[45], int row, int column) {
  return row <= column ? A[TANGENT_INDEX(row, column)] : A[TANGENT_INDEX(column, row)];
}

// K_ab,ij += w Σ_kl A_ik,jl g_a,k g_b,l for a ≤ b (= where `first`): first T_i,jl = w Σ_k A_ik,jl
// g_a,k, then Σ_l.
LB_INLINE void add_tangents(int nodes, bool first, const lbLanes A[45], lbLanes weight,
                            const lbLanes *g, lbLanes *K) {
  for (int a = 0; a < nodes; a++) {
    lbLanes T[27], wg[3];
    LB_FOR (k, 0, 3) wg[k] = weight * g[3 * a + k];
    LB_FOR (i, 0, 3)
      LB_FOR (jl, 0, 9)
        T[9 * i + jl] = tangent_entry(A, 3 * i, jl) * wg[0] +
                        tangent_entry(A, 3 * i + 1, jl) * wg[1] +
                        tangent_entry(A, 3 * i + 2, jl) * wg[2];
    for (int b = a; b < nodes; b++) {
      lbLanes *block = K + 9 * lb_element_pair(a, b);
      LB_FOR (ij, 0, 9) {
        lbLanes sum = T[3 * ij] * g[3 * b];
        LB_FOR (l, 1, 3) sum += T[3 * ij + l] * g[3 * b + l];
        block[ij] = first ? sum : block[ij] + sum;
      }
    }
  }
}

LB_INLINE void store_point(double *array, int point, int lane, const lbLanes M[9]) {
  if (array)
    LB_FOR (i, 0, 9) lb_store(array + (9 * point + i) * LB_BATCH + lane, M[i]);
}

// LB_LANES elements of a batch, from lane `lane` on. `tangent` is a constant where this is called.
LB_INLINE void element_lanes(lbElementKind kind, LawFunction *law_function, bool tangent,
                             const Shape *shape, const lbElementBatch *batch, int lane) {
  const int nodes = kind == LB_ELEMENT_TET4 ? 4 : 8, points = kind == LB_ELEMENT_TET4 ? 1 : 8;
  const int pairs = kind == LB_ELEMENT_TET4 ? 10 : 36;
  lbLanes u[3 * LB_ELEMENT_NODES_MAX], f[3 * LB_ELEMENT_NODES_MAX], g[3 * LB_ELEMENT_NODES_MAX];
  lbLanes p[LB_MATERIAL_PARAMETERS], energy = lb_splat(0), K[9 * LB_ELEMENT_PAIRS_MAX];
  for (int i = 0; i < 3 * nodes; i++) {
    u[i] = lb_load(batch->displacements + i * LB_BATCH + lane);
    f[i] = lb_splat(0);
  }
  LB_FOR (i, 0, LB_MATERIAL_PARAMETERS) p[i] = lb_load(batch->parameters + i * LB_BATCH + lane);
  for (int point = 0; point < points; point++) {
    const double *rest = batch->rest + point * LB_POINT_REST * LB_BATCH + lane;
    lbLanes inverse[9], H[9], F[9];
    Law law;
    LB_FOR (i, 0, 9) inverse[i] = lb_load(rest + i * LB_BATCH);
    const lbLanes weight = lb_load(rest + 9 * LB_BATCH);
    shape_gradients(kind, shape, point, inverse, g);
    displacement_gradient(nodes, u, g, H);
    law_function(H, p, tangent, &law);
    energy += weight * law.energy;
    add_forces(nodes, law.stress, weight, g, f);
    if (tangent && (points == 1 || point == 0))
      add_tangents(nodes, true, law.tangent, weight, g, K);
    else if (tangent)
      add_tangents(nodes, false, law.tangent, weight, g, K);
    add_identity(H, F);
    store_point(batch->stresses, point, lane, law.stress);
    store_point(batch->gradients, point, lane, F);
  }
  lb_store(batch->energies + lane, energy);
  if (batch->forces)
    lb_store_turned(batch->forces + lane * 3 * nodes, (size_t)(3 * nodes), f, 3 * nodes);
  if (tangent)
    lb_store_turned(batch->tangents + lane * 9 * pairs, (size_t)(9 * pairs), K, 9 * pairs);
}

LB_INLINE void element_batch(lbElementKind kind, LawFunction *law, const lbElementBatch *batch) {
  Shape shape;
  if (kind == LB_ELEMENT_BRICK8)
    for (int point = 0; point < 8; point++) {
      double values[LB_ELEMENT_NODES_MAX], weight;
      lb_element_shape(kind, point, shape.gradients[point], values, &weight);
    }
  if (batch->tangents) {
    for (int lane = 0; lane < LB_BATCH; lane += LB_LANES)
      element_lanes(kind, law, true, &shape, batch, lane);
  } else {
    for (int lane = 0; lane < LB_BATCH; lane += LB_LANES)
      element_lanes(kind, law, false, &shape, batch, lane);
  }
}

#define DEFINE_KERNEL(kind, suffix, law)                                                           \
  static void kernel_##suffix##_##law(const lbElementBatch *batch) {                               \
    element_batch(kind, law_##law, batch);                                                         \
  }
#define DEFINE_KERNELS(law)                                                                        \
  DEFINE_KERNEL(LB_ELEMENT_TET4, tet4, law)                                                        \
  DEFINE_KERNEL(LB_ELEMENT_BRICK8, brick8, law)

DEFINE_KERNELS(linear)
DEFINE_KERNELS(stvk)
DEFINE_KERNELS(corotated)
DEFINE_KERNELS(neohookean)
DEFINE_KERNELS(stable_neohookean)
DEFINE_KERNELS(mooneyrivlin)

#define KERNEL_ROW(suffix)                                                                         \
  {                                                                                                \
    [LB_MATERIAL_LINEAR] = kernel_##suffix##_linear, [LB_MATERIAL_STVK] = kernel_##suffix##_stvk,  \
    [LB_MATERIAL_COROTATED] = kernel_##suffix##_corotated,                                         \
    [LB_MATERIAL_NEOHOOKEAN] = kernel_##suffix##_neohookean,                                       \
    [LB_MATERIAL_STABLE_NEOHOOKEAN] = kernel_##suffix##_stable_neohookean,                         \
    [LB_MATERIAL_MOONEYRIVLIN] = kernel_##suffix##_mooneyrivlin                                    \
  }

LB_KERNEL_TABLE(lbElementKernelTable, lb_element_kernels) = {
  [LB_ELEMENT_TET4] = KERNEL_ROW(tet4),
  [LB_ELEMENT_BRICK8] = KERNEL_ROW(brick8),
  [LB_ELEMENT_FLAP] = { [LB_MATERIAL_SHELL] = LB_KERNEL(lb_flap_kernel) },
};
