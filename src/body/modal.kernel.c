// Oscillator steps over modes and over instances, and u = U q; see body/modal_kernels.h. All sums
// are written with lb_multiply_add, so that no two of them differ in rounding.
#include "body/modal_kernels.h"

extern const lbModalKernels LB_KERNEL(lb_modal_kernels);

// ---- steps -------------------------------------------------------------------------------------

typedef struct Coefficients {
  lbLanes zz, zv, zg, vz, vv;
} Coefficients;

// Zero for what is too small to matter: a motion that dies out must not end in subnormal numbers,
// which many processors handle a hundred times more slowly.
static inline lbLanes without_dust(lbLanes x) {
  return lb_select(lb_less(x * x, lb_splat(1e-300)), lb_splat(0), x);
}

// z <- zz z + zv v + zg g, v <- vz z + vv v + zv g; g NULL: zero, to the same bits, since the sign
// of a sum that is zero goes with the dust.
static inline void advance(const Coefficients *c, double *z_at, double *v_at, const double *g_at) {
  lbLanes z = lb_load(z_at), v = lb_load(v_at);
  lbLanes z_next = lb_multiply_add(c->zv, v, c->zz * z);
  lbLanes v_next = lb_multiply_add(c->vv, v, c->vz * z);
  if (g_at) {
    lbLanes g = lb_load(g_at);
    z_next = lb_multiply_add(c->zg, g, z_next);
    v_next = lb_multiply_add(c->zv, g, v_next);
  }
  lb_store(z_at, without_dust(z_next));
  lb_store(v_at, without_dust(v_next));
}

static void advance_modes(const lbOscillators *o, double *z, double *v, const double *g) {
  for (int32_t i = 0; i < o->count; i += LB_LANES) {
    const Coefficients c = { lb_load(o->zz + i), lb_load(o->zv + i), lb_load(o->zg + i),
                             lb_load(o->vz + i), lb_load(o->vv + i) };
    advance(&c, z + i, v + i, g ? g + i : NULL);
  }
}

static void advance_instances(const lbOscillators *o, double *z, double *v, const double *g) {
  for (int32_t mode = 0; mode < o->count; mode++) {
    const Coefficients c = { lb_splat(o->zz[mode]), lb_splat(o->zv[mode]), lb_splat(o->zg[mode]),
                             lb_splat(o->vz[mode]), lb_splat(o->vv[mode]) };
    size_t row = (size_t)mode * LB_INSTANCE_BLOCK;
    if (g)
      for (int i = 0; i < LB_INSTANCE_BLOCK; i += LB_LANES)
        advance(&c, z + row + i, v + row + i, g + row + i);
    else
      for (int i = 0; i < LB_INSTANCE_BLOCK; i += LB_LANES)
        advance(&c, z + row + i, v + row + i, NULL);
  }
}

// ---- u = U q -----------------------------------------------------------------------------------

// Rows at a time, so that their u stays in the first cache while columns stream by; and columns at
// a time, each a stream of its own.
enum { ROW_BLOCK = 2048, COLUMN_GROUP = 8, FEW_ROWS = 128, TILE = 8 };

// u + U q of one vector of rows; `columns` is a constant.
static inline lbLanes add_columns(lbLanes u, const double *U, size_t stride, const lbLanes *q,
                                  const int columns) {
  LB_FOR (j, 0, columns) u = lb_multiply_add(lb_load(U + stride * (size_t)j), q[j], u);
  return u;
}

static inline void add_columns_to_rows(const double *U, size_t stride, int32_t rows,
                                       const double *factors, double *u, const int columns) {
  lbLanes q[COLUMN_GROUP];
  LB_FOR (j, 0, columns) q[j] = lb_splat(factors[j]);
  int32_t i = 0;
  for (; i + LB_LANES <= rows; i += LB_LANES)
    lb_store(u + i, add_columns(lb_load(u + i), U + i, stride, q, columns));
  size_t rest = (size_t)(rows - i);
  if (rest == 0) return;
  double from[COLUMN_GROUP * LB_LANES] = { 0 }, to[LB_LANES] = { 0 };
  for (int j = 0; j < columns; j++)
    memcpy(from + j * LB_LANES, U + (size_t)i + stride * (size_t)j, rest * sizeof *U);
  memcpy(to, u + i, rest * sizeof *u);
  lb_store(to, add_columns(lb_load(to), from, LB_LANES, q, columns));
  memcpy(u + i, to, rest * sizeof *u);
}

// u = U q of so many whole vectors of rows, which stay in registers; `vectors` is a constant.
static inline void apply_to_vectors(const double *U, size_t stride, int32_t column_count,
                                    const double *q, double *u, const int vectors) {
  lbLanes sums[TILE];
  LB_FOR (i, 0, vectors) sums[i] = lb_splat(0);
  for (int32_t j = 0; j < column_count; j++, U += stride) {
    lbLanes factor = lb_splat(q[j]);
    LB_FOR (i, 0, vectors) sums[i] = lb_multiply_add(lb_load(U + i * LB_LANES), factor, sums[i]);
  }
  LB_FOR (i, 0, vectors) lb_store(u + i * LB_LANES, sums[i]);
}

// Few rows, in whole vectors; the sums are those of many rows.
static void apply_to_few(const double *U, size_t stride, int32_t column_count, int32_t begin,
                         int32_t end, const double *q, double *u) {
  int32_t i = begin;
  for (; i + TILE * LB_LANES <= end; i += TILE * LB_LANES)
    apply_to_vectors(U + i, stride, column_count, q, u + i, TILE);
  for (; i + 2 * LB_LANES <= end; i += 2 * LB_LANES)
    apply_to_vectors(U + i, stride, column_count, q, u + i, 2);
  for (; i < end; i += LB_LANES) apply_to_vectors(U + i, stride, column_count, q, u + i, 1);
}

static void basis_apply(const double *U, size_t stride, int32_t column_count, int32_t begin,
                        int32_t end, const double *q, double *u) {
  if (end - begin <= FEW_ROWS && (end - begin) % LB_LANES == 0) {
    apply_to_few(U, stride, column_count, begin, end, q, u);
    return;
  }
  for (int32_t row = begin, rows; row < end; row += rows) {
    int32_t j = 0;
    rows = end - row < ROW_BLOCK ? end - row : ROW_BLOCK;
    memset(u + row, 0, (size_t)rows * sizeof *u);
    const double *at = U + row;
    for (; j + COLUMN_GROUP <= column_count; j += COLUMN_GROUP)
      add_columns_to_rows(at + stride * (size_t)j, stride, rows, q + j, u + row, COLUMN_GROUP);
    for (; j + 2 <= column_count; j += 2)
      add_columns_to_rows(at + stride * (size_t)j, stride, rows, q + j, u + row, 2);
    if (j < column_count)
      add_columns_to_rows(at + stride * (size_t)j, stride, rows, q + j, u + row, 1);
  }
}

const lbModalKernels LB_KERNEL(lb_modal_kernels) = { advance_modes, advance_instances,
                                                     basis_apply };
