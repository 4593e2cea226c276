// Oscillator steps over modes and over instances, and u = U q; see body/modal_kernels.h. All sums
// are written with lb_multiply_add, so that no two of them differ in rounding.
#include "body/modal_kernels.h"

extern const lbModalKernels LB_KERNEL(lb_modal_kernels);

// ---- steps -------------------------------------------------------------------------------------

typedef struct Coefficients {
  lbLanes zz, zv, zg, vz, vv;
} Coefficients;

// z <- zz z + zv v + zg g, v <- vz z + vv v + zv g
static inline void advance(const Coefficients *c, double *z_at, double *v_at, lbLanes g) {
  lbLanes z = lb_load(z_at), v = lb_load(v_at);
  lb_store(z_at, lb_multiply_add(c->zg, g, lb_multiply_add(c->zv, v, c->zz * z)));
  lb_store(v_at, lb_multiply_add(c->zv, g, lb_multiply_add(c->vv, v, c->vz * z)));
}

static void advance_modes(const lbOscillators *o, double *z, double *v, const double *g) {
  for (int32_t i = 0; i < o->count; i += LB_LANES) {
    const Coefficients c = { lb_load(o->zz + i), lb_load(o->zv + i), lb_load(o->zg + i),
                             lb_load(o->vz + i), lb_load(o->vv + i) };
    advance(&c, z + i, v + i, g ? lb_load(g + i) : lb_splat(0));
  }
}

static void advance_instances(const lbOscillators *o, double *z, double *v, const double *g) {
  for (int32_t mode = 0; mode < o->count; mode++) {
    const Coefficients c = { lb_splat(o->zz[mode]), lb_splat(o->zv[mode]), lb_splat(o->zg[mode]),
                             lb_splat(o->vz[mode]), lb_splat(o->vv[mode]) };
    size_t row = (size_t)mode * LB_INSTANCE_BLOCK;
    if (g)
      for (int i = 0; i < LB_INSTANCE_BLOCK; i += LB_LANES)
        advance(&c, z + row + i, v + row + i, lb_load(g + row + i));
    else
      for (int i = 0; i < LB_INSTANCE_BLOCK; i += LB_LANES)
        advance(&c, z + row + i, v + row + i, lb_splat(0));
  }
}

// ---- u = U q -----------------------------------------------------------------------------------

// Rows at a time, so that their u stays in the first cache while columns stream by; and columns at
// a time, each a stream of its own.
enum { ROW_BLOCK = 2048, COLUMN_GROUP = 8 };

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

static void basis_apply(const double *U, size_t stride, int32_t column_count, int32_t begin,
                        int32_t end, const double *q, double *u) {
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
