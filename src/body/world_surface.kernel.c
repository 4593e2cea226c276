// Surfaces placed in the world; see body/world_surface_kernels.h.
#include "body/world_surface_kernels.h"

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

static void sweep_lanes(const lbSweeping *s, const double back[9], const double own[3],
                        const double *places, const double *rates, double *x_to, double *low_to,
                        double *high_to) {
  lbLanes x[3], way[3], square = lb_splat(0);
  LB_FOR (k, 0, 3) {
    x[k] = lb_load(places + LB_BATCH * k) - lb_splat(s->origin[k]);
    way[k] = lb_load(rates + LB_BATCH * k) - lb_splat(s->velocity[k]);
    square = lb_multiply_add(way[k], way[k], square);
  }
  turn_lanes(back, x);
  turn_lanes(back, way);
  const lbLanes zero = lb_splat(0), stop_distance = lb_splat(s->stop_distance);
  const lbLanes by =
      lb_multiply_add(lb_splat(s->aside * s->ahead), lb_sqrt(square), lb_splat(s->grow));
  LB_FOR (k, 0, 3) {
    const lbLanes ahead = lb_splat(s->ahead) * way[k];
    const lbLanes alone = lb_splat(s->alone) * (way[k] + lb_splat(own[k]));
    const lbLanes down = lb_min(lb_max(lb_min(alone, zero), -stop_distance), ahead);
    const lbLanes up = lb_max(lb_min(lb_max(alone, zero), stop_distance), ahead);
    lb_store(x_to + LB_BATCH * k, x[k]);
    lb_store(low_to + LB_BATCH * k, x[k] + lb_min(down, zero) - by);
    lb_store(high_to + LB_BATCH * k, x[k] + lb_max(up, zero) + by);
  }
}

static void sweep(int32_t count, const double *places, const double *rates, const lbSweeping *s,
                  double *to, double *lows, double *highs) {
  const double *m = s->turn, *v = s->velocity;
  const double back[9] = { m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8] };
  double own[3];
  LB_FOR (k, 0, 3) own[k] = back[3 * k] * v[0] + back[3 * k + 1] * v[1] + back[3 * k + 2] * v[2];
  for (int32_t first = 0; first < count; first += LB_BATCH) {
    double x[3][LB_BATCH], low[3][LB_BATCH], high[3][LB_BATCH];
    for (int at = 0; at < LB_BATCH; at += LB_LANES)
      sweep_lanes(s, back, own, places + at, rates + at, &x[0][at], &low[0][at], &high[0][at]);
    for (int32_t i = 0; i < LB_BATCH && first + i < count; i++, to += 3, lows += 3, highs += 3)
      LB_FOR (k, 0, 3) to[k] = x[k][i], lows[k] = low[k][i], highs[k] = high[k][i];
    places += 3 * LB_BATCH, rates += 3 * LB_BATCH;
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

LB_KERNEL_TABLE(lbPlacedKernels, lb_placed_kernels) = { place, sweep, extent };
