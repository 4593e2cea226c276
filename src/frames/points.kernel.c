// The body as a whole and points (kernels.h). A lane is a sample or a point.
#include "frames/kernels.h"

#include "frames/blend.h"

BLEND_INLINE void add_to(double *sum, lbLanes value) { lb_store(sum, lb_load(sum) + value); }

// ---- the body as a whole -----------------------------------------------------------------------

static void survey(const lbFrameSamples *s, int32_t begin, int32_t end,
                   const lbFrameMotion *motions, double *sums) {
  for (int32_t number = begin; number < end; number++)
    for (int lane = 0; lane < LB_BATCH; lane += LB_LANES) {
      const lbFrameBatch *batch = &s->batches[number];
      const double *rest = s->rest + (size_t)number * LB_SAMPLE_ROWS * LB_BATCH + lane;
      Blend f;
      lbLanes B[8], v[3];
      LB_FOR_ALL(k, 0, 8) f.b[k] = B[k] = lb_splat(0);
      for (int32_t i = 0; i < batch->count; i++) {
        const lbFrameMotion *motion = &motions[s->frames[batch->first + i]];
        const lbLanes weight =
            lb_load(s->weights + (size_t)(batch->first + i) * 4 * LB_BATCH + lane);
        LB_FOR_ALL(k, 0, 8) f.b[k] += weight * motion->d[k];
        LB_FOR_ALL(k, 0, 8) B[k] += weight * motion->V[k];
      }
      LB_FOR_ALL(i, 0, 3) f.X[i] = lb_load(rest + (LB_SAMPLE_PLACE + i) * LB_BATCH);
      finish_blend(&f);
      apply_G(&f, B, v);
      const lbLanes mass = lb_load(rest + LB_SAMPLE_MASS * LB_BATCH), *x = f.x;
      double *to = sums + lane;
      LB_FOR_ALL(i, 0, 3) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        add_to(to + i * LB_BATCH, mass * x[i]);
        add_to(to + (3 + i) * LB_BATCH, mass * v[i]);
        add_to(to + (6 + i) * LB_BATCH, mass * (x[j] * v[k] - x[k] * v[j]));
      }
      LB_FOR_ALL(i, 0, 6) {
        const int r = i < 3 ? 0 : i < 5 ? 1 : 2, c = i < 3 ? i : i < 5 ? i - 2 : 2;
        add_to(to + (9 + i) * LB_BATCH, mass * x[r] * x[c]);
      }
      LB_FOR_ALL(i, 0, 9) add_to(to + (15 + i) * LB_BATCH, mass * x[i / 3] * f.X[i % 3]);
      add_to(to + 24 * LB_BATCH, 0.5 * mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
}

// ---- points ------------------------------------------------------------------------------------

static void skin(const lbFrameSkin *s, int32_t number, const lbFrameMotion *motions, double *places,
                 double *velocities) {
  const lbFrameBatch *batch = &s->batches[number];
  for (int lane = 0; lane < LB_BATCH; lane += LB_LANES) {
    const double *X = s->positions + (size_t)number * 3 * LB_BATCH + lane;
    Blend f;
    lbLanes B[8], v[3];
    LB_FOR_ALL(k, 0, 8) f.b[k] = B[k] = lb_splat(0);
    for (int32_t i = 0; i < batch->count; i++) {
      const lbFrameMotion *motion = &motions[s->frames[batch->first + i]];
      const lbLanes weight = lb_load(s->weights + (size_t)(batch->first + i) * LB_BATCH + lane);
      LB_FOR_ALL(k, 0, 8) f.b[k] += weight * motion->d[k];
      if (velocities) LB_FOR_ALL(k, 0, 8) B[k] += weight * motion->V[k];
    }
    LB_FOR_ALL(i, 0, 3) f.X[i] = lb_load(X + i * LB_BATCH);
    finish_blend(&f);
    LB_FOR_ALL(i, 0, 3) lb_store(places + i * LB_BATCH + lane, f.x[i] - f.X[i]);
    if (!velocities) continue;
    apply_G(&f, B, v);
    LB_FOR_ALL(i, 0, 3) lb_store(velocities + i * LB_BATCH + lane, v[i]);
  }
}

static void spread_point_lanes(const lbFrameSkin *s, int32_t number, const lbFrameMotion *motions,
                               const double *forces, double *sums) {
  const lbFrameBatch *batch = &s->batches[number];
  const int32_t *list = s->frames + batch->first;
  for (int lane = 0; lane < LB_BATCH; lane += LB_LANES) {
    const double *X = s->positions + (size_t)number * 3 * LB_BATCH + lane;
    Blend f;
    lbLanes own[8];
    LB_FOR_ALL(k, 0, 8) f.b[k] = lb_splat(0);
    for (int32_t i = 0; i < batch->count; i++) {
      const lbLanes weight = lb_load(s->weights + (size_t)(batch->first + i) * LB_BATCH + lane);
      LB_FOR_ALL(k, 0, 8) f.b[k] += weight * motions[list[i]].d[k];
    }
    LB_FOR_ALL(i, 0, 3) f.X[i] = lb_load(X + i * LB_BATCH);
    finish_blend(&f);
    LB_FOR_ALL(k, 0, 8) own[k] = f.G[0][k] * lb_load(forces + lane);
    LB_FOR_ALL(i, 1, 3)
    LB_FOR_ALL(k, 0, 8) own[k] += f.G[i][k] * lb_load(forces + i * LB_BATCH + lane);
    for (int32_t i = 0; i < batch->count; i++) {
      const lbLanes weight = lb_load(s->weights + (size_t)(batch->first + i) * LB_BATCH + lane);
      double *to = sums + 8 * LB_BATCH * (size_t)list[i] + lane;
      LB_FOR_ALL(k, 0, 8) add_to(to + k * LB_BATCH, weight * own[k]);
    }
  }
}

LB_KERNEL_TABLE(lbFramePointKernels, lb_frame_point_kernels) = { .survey = survey,
                                                                 .skin = skin,
                                                                 .spread = spread_point_lanes };
