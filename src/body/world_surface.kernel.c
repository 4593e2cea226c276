// Surfaces placed in the world; see body/world_surface_kernels.h.
#include "body/world_surface_kernels.h"

extern const lbPlacedKernels LB_KERNEL(lb_placed_kernels);

// x <- turn x
static inline void turn_lanes(const double turn[9], lbLanes x[3]) {
  lbLanes turned[3];
  LB_FOR (k, 0, 3) {
    turned[k] = lb_splat(turn[3 * k]) * x[0];
    turned[k] = lb_multiply_add(lb_splat(turn[3 * k + 1]), x[1], turned[k]);
    turned[k] = lb_multiply_add(lb_splat(turn[3 * k + 2]), x[2], turned[k]);
  }
  LB_FOR (k, 0, 3) x[k] = turned[k];
}

// u <- own velocities turned, and what the motion of the frame adds at places x; returns |u -
// mean|²
static inline lbLanes move_lanes(const lbPlacing *p, const lbLanes x[3], lbLanes u[3]) {
  lbLanes arm[3], square = lb_splat(0);
  turn_lanes(p->turn, u);
  LB_FOR (k, 0, 3) arm[k] = x[k] - lb_splat(p->centre[k]);
  LB_FOR (k, 0, 3) {
    const int a = (k + 1) % 3, b = (k + 2) % 3;
    u[k] = u[k] + lb_splat(p->velocity[k]);
    u[k] = lb_multiply_add(lb_splat(p->spin[a]), arm[b], u[k]);
    u[k] = lb_multiply_subtract(lb_splat(p->spin[b]), arm[a], u[k]);
    const lbLanes by = u[k] - lb_splat(p->mean[k]);
    square = lb_multiply_add(by, by, square);
  }
  return square;
}

static double place(int32_t dimension, const double *rows, const double *rest, const double *q,
                    const double *rates, const lbPlacing *placing, double *places,
                    double *velocities) {
  double most = 0;
  for (int at = 0; at < LB_BATCH; at += LB_LANES) {
    lbLanes x[3], u[3];
    LB_FOR (k, 0, 3) x[k] = lb_load(rest + LB_BATCH * k + at), u[k] = lb_splat(0);
    const double *row = rows + at;
    for (int32_t i = 0; i < dimension; i++, row += 3 * LB_BATCH) {
      const lbLanes by = lb_splat(q[i]), rate = lb_splat(rates[i]);
      LB_FOR (k, 0, 3) {
        const lbLanes shape = lb_load(row + LB_BATCH * k);
        x[k] = lb_multiply_add(by, shape, x[k]);
        u[k] = lb_multiply_add(rate, shape, u[k]);
      }
    }
    turn_lanes(placing->turn, x);
    LB_FOR (k, 0, 3) x[k] = x[k] + lb_splat(placing->position[k]);
    const lbLanes square = move_lanes(placing, x, u);
    LB_FOR (k, 0, 3) {
      lb_store(places + LB_BATCH * k + at, x[k]);
      lb_store(velocities + LB_BATCH * k + at, u[k]);
    }
    for (int i = 0; i < LB_LANES; i++)
      if (lb_lane(square, i) > most) most = lb_lane(square, i);
  }
  return most;
}

static void turn_all(int32_t count, const double *places, const double turn[9],
                     const double origin[3], double *to) {
  const double back[9] = { turn[0], turn[3], turn[6], turn[1], turn[4],
                           turn[7], turn[2], turn[5], turn[8] };
  for (int32_t first = 0; first < count; first += LB_BATCH, places += 3 * LB_BATCH) {
    double turned[3][LB_BATCH];
    for (int at = 0; at < LB_BATCH; at += LB_LANES) {
      lbLanes x[3];
      LB_FOR (k, 0, 3) x[k] = lb_load(places + LB_BATCH * k + at) - lb_splat(origin[k]);
      turn_lanes(back, x);
      LB_FOR (k, 0, 3) lb_store(turned[k] + at, x[k]);
    }
    for (int32_t i = 0; i < LB_BATCH && first + i < count; i++, to += 3)
      LB_FOR (k, 0, 3) to[k] = turned[k][i];
  }
}

static double extent(int32_t count, const double *places, const double along[3]) {
  double greatest = -INFINITY;
  for (int at = 0; at < LB_BATCH; at += LB_LANES) {
    lbLanes most = lb_splat(-INFINITY);
    const double *from = places + at;
    for (int32_t i = 0; i < count; i++, from += 3 * LB_BATCH) {
      lbLanes way = lb_splat(along[0]) * lb_load(from);
      way = lb_multiply_add(lb_splat(along[1]), lb_load(from + LB_BATCH), way);
      way = lb_multiply_add(lb_splat(along[2]), lb_load(from + 2 * LB_BATCH), way);
      most = lb_max(most, way);
    }
    for (int i = 0; i < LB_LANES; i++)
      if (lb_lane(most, i) > greatest) greatest = lb_lane(most, i);
  }
  return greatest;
}

const lbPlacedKernels LB_KERNEL(lb_placed_kernels) = { place, turn_all, extent };
