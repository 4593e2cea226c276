// The constants of a body p = c + R (x0 + U q) in a moving frame:
//
//   A1_i  = ∫ρ U_i x0ᵀ  = Σ_ab m_ab U_i[a] x0[b]ᵀ    x0 from the centre of mass
//   A2_ij = ∫ρ U_i U_jᵀ = Σ_ab m_ab U_i[a] U_j[b]ᵀ
//
// with the body's own mass m_ab over all vertices, fixed ones too. They give ∫ρ x×Uq̇, ∫ρ x xᵀ and
// the centrifugal and Coriolis forces of every state. The basis is taken apart into V (nodes x 3
// count), a column for each axis of each vector; then A1 = Vᵀ (M x0) and A2 = Vᵀ (M V).
#include "reduce/inertia.h"

#include "fem/engine.h"
#include "linalg/dense.h"

enum { GROUP = 16 }; // vectors whose M U is made at a time

typedef struct Inertia {
  const lbFem *fem;
  const double *basis; // (count x 3 vertices)
  int32_t count;
  double *V;       // (nodes x 3 count)
  double *U, *MU;  // (3 nodes x GROUP)
  double *W;       // (nodes x 3 GROUP)
  double *product; // (3 count x 3 count)
} Inertia;

// Columns of vectors, x0 y0 z0 x1 ..., into a column for each axis.
static void split_axes(size_t nodes, size_t count, const double *from, double *to) {
  for (size_t i = 0; i < count; i++)
    for (size_t n = 0; n < nodes; n++)
      for (size_t k = 0; k < 3; k++) to[(3 * i + k) * nodes + n] = from[(i * nodes + n) * 3 + k];
}

static void compress_group(const Inertia *in, int32_t begin, int32_t count) {
  size_t rows = 3 * (size_t)in->fem->vertex_count, size = 3 * (size_t)in->fem->node_count;
  for (int32_t i = 0; i < count; i++)
    lb_fem_compress(in->fem, in->basis + rows * (size_t)(begin + i), in->U + size * (size_t)i);
}

static lbStatus allocate_inertia(Inertia *in, lbArena *arena, lbError *err) {
  size_t nodes = (size_t)in->fem->node_count, columns = 3 * (size_t)in->count;
  in->V = lb_arena_alloc(arena, nodes * columns, sizeof(double));
  in->U = lb_arena_alloc(arena, nodes * 3, GROUP * sizeof(double));
  in->MU = lb_arena_alloc(arena, nodes * 3, GROUP * sizeof(double));
  in->W = lb_arena_alloc(arena, nodes * 3, GROUP * sizeof(double));
  in->product = lb_arena_alloc(arena, columns, columns * sizeof(double));
  return in->V && in->U && in->MU && in->W && in->product ? LB_OK : lb_fail_memory(err);
}

static void split_basis(const Inertia *in) {
  size_t nodes = (size_t)in->fem->node_count;
  for (int32_t begin = 0; begin < in->count; begin += GROUP) {
    int32_t count = in->count - begin < GROUP ? in->count - begin : GROUP;
    compress_group(in, begin, count);
    split_axes(nodes, (size_t)count, in->U, in->V + nodes * 3 * (size_t)begin);
  }
}

// ---- A1 ----------------------------------------------------------------------------------------

// M x0 at the free nodes, a column an axis: uses U, MU and W.
static lbStatus arm_moments(const Inertia *in, const double *centre, lbArena *arena, double **out,
                            lbError *err) {
  const lbFem *fem = in->fem;
  size_t rows = 3 * (size_t)fem->vertex_count, nodes = (size_t)fem->node_count;
  double *arms = lb_arena_alloc(arena, rows, sizeof *arms);
  double *moments = lb_arena_alloc(arena, rows, sizeof *moments);
  double *split = lb_arena_alloc(arena, nodes, 3 * sizeof *split);
  if (!arms || !moments || !split) return lb_fail_memory(err);
  for (size_t i = 0; i < rows; i++) arms[i] = fem->positions[i] - centre[i % 3];
  lbStatus status = lb_fem_mass_product(fem, arms, moments, err);
  if (status) return status;
  lb_fem_compress(fem, moments, in->U);
  split_axes(nodes, 1, in->U, split);
  *out = split;
  return LB_OK;
}

static lbStatus fill_inertia_first(const Inertia *in, const double *centre, lbArena *arena,
                                   double *first, lbError *err) {
  double *moments = NULL;
  lbStatus status = arm_moments(in, centre, arena, &moments, err);
  if (status) return status;
  size_t columns = 3 * (size_t)in->count;
  lb_dense_multiply(LB_TRANSPOSED, LB_PLAIN, (int32_t)columns, 3, in->fem->node_count, 1, in->V,
                    moments, 0, in->product);
  for (size_t row = 0; row < columns; row++)
    for (size_t l = 0; l < 3; l++) first[3 * row + l] = in->product[columns * l + row];
  return LB_OK;
}

// ---- A2 ----------------------------------------------------------------------------------------

static lbStatus fill_inertia_second(const Inertia *in, double *second, lbError *err) {
  size_t nodes = (size_t)in->fem->node_count, r = (size_t)in->count, columns = 3 * r;
  const double *G = in->product;
  for (int32_t begin = 0; begin < in->count; begin += GROUP) {
    int32_t count = in->count - begin < GROUP ? in->count - begin : GROUP;
    compress_group(in, begin, count);
    lbStatus status = lb_fem_multiply_mass(in->fem, count, in->U, in->MU, err);
    if (status) return status;
    split_axes(nodes, (size_t)count, in->MU, in->W);
    lb_dense_multiply(LB_TRANSPOSED, LB_PLAIN, (int32_t)columns, 3 * count, in->fem->node_count, 1,
                      in->V, in->W, 0, in->product + columns * 3 * (size_t)begin);
  }
  for (size_t i = 0; i < r; i++) // A2_ij = A2_jiᵀ to the last bit
    for (size_t j = 0; j < r; j++)
      for (size_t k = 0; k < 3; k++)
        for (size_t l = 0; l < 3; l++) {
          size_t row = 3 * i + k, column = 3 * j + l;
          second[9 * (r * i + j) + 3 * k + l] =
              (G[columns * column + row] + G[columns * row + column]) / 2;
        }
  return LB_OK;
}

lbStatus lb_project_inertia(const lbFem *fem, const lbModel *draft, int32_t count,
                            const double *basis, lbArena *arena, double **first, double **second,
                            lbError *err) {
  lbArena work = { 0 };
  Inertia in = { .fem = fem, .basis = basis, .count = count };
  *first = lb_arena_alloc(arena, (size_t)count, 9 * sizeof **first);
  *second = lb_arena_alloc(arena, (size_t)count, (size_t)count * 9 * sizeof **second);
  lbStatus status = *first && *second ? allocate_inertia(&in, &work, err) : lb_fail_memory(err);
  if (!status) split_basis(&in);
  if (!status) status = fill_inertia_first(&in, draft->rigid_centre, &work, *first, err);
  if (!status) status = fill_inertia_second(&in, *second, err);
  lb_arena_release(&work);
  return status;
}
