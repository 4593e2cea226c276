// Oscillator steps over modes and over instances; see method/modal/modal_kernels.h. All sums are
// written with lb_multiply_add, so that no two of them differ in rounding.
#include "method/modal/modal_kernels.h"

// ---- steps -------------------------------------------------------------------------------------

typedef struct Coefficients {
  lbLanes zz, zv, zg, vz, vv;
} Coefficients;

// Zero for what is too small to matter: a motion that dies out must not end in subnormal numbers,
// which many processors handle a hundred times more slowly.
static inline lbLanes without_dust_modal_lanes(lbLanes x) {
  return lb_select(lb_less(x * x, lb_splat(1e-300)), lb_splat(0), x);
}

// z <- zz z + zv v + zg g, v <- vz z + vv v + zv g; g NULL: zero, to the same bits, since the sign
// of a sum that is zero goes with the dust.
static inline void advance_modal_lanes(const Coefficients *c, double *z_at, double *v_at,
                                       const double *g_at) {
  lbLanes z = lb_load(z_at), v = lb_load(v_at);
  lbLanes z_next = lb_multiply_add(c->zv, v, c->zz * z);
  lbLanes v_next = lb_multiply_add(c->vv, v, c->vz * z);
  if (g_at) {
    lbLanes g = lb_load(g_at);
    z_next = lb_multiply_add(c->zg, g, z_next);
    v_next = lb_multiply_add(c->zv, g, v_next);
  }
  lb_store(z_at, without_dust_modal_lanes(z_next));
  lb_store(v_at, without_dust_modal_lanes(v_next));
}

static void advance_modes(const lbOscillators *o, double *z, double *v, const double *g) {
  for (int32_t i = 0; i < o->count; i += LB_LANES) {
    const Coefficients c = { lb_load(o->zz + i), lb_load(o->zv + i), lb_load(o->zg + i),
                             lb_load(o->vz + i), lb_load(o->vv + i) };
    advance_modal_lanes(&c, z + i, v + i, g ? g + i : NULL);
  }
}

static void advance_instances(const lbOscillators *o, double *z, double *v, const double *g) {
  for (int32_t mode = 0; mode < o->count; mode++) {
    const Coefficients c = { lb_splat(o->zz[mode]), lb_splat(o->zv[mode]), lb_splat(o->zg[mode]),
                             lb_splat(o->vz[mode]), lb_splat(o->vv[mode]) };
    size_t row = (size_t)mode * LB_INSTANCE_BLOCK;
    if (g)
      for (int i = 0; i < LB_INSTANCE_BLOCK; i += LB_LANES)
        advance_modal_lanes(&c, z + row + i, v + row + i, g + row + i);
    else
      for (int i = 0; i < LB_INSTANCE_BLOCK; i += LB_LANES)
        advance_modal_lanes(&c, z + row + i, v + row + i, NULL);
  }
}

LB_KERNEL_TABLE(lbModalKernels, lb_modal_kernels) = { advance_modes, advance_instances };
