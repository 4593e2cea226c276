// Places and velocities of points, forces at them, and all of one point.
#include "frames/kernels.h"

#include <string.h>

void lb_frame_skin_move(const lbFrameSkin *skin, lbSimdLevel level, const lbFrameMotion *motions,
                        int32_t begin, int32_t end, double *displacements, double *velocities) {
  const lbFramePointKernels *kernels = lb_frame_point_kernels(level);
  double places[3 * LB_BATCH], rates[3 * LB_BATCH];
  for (int32_t b = begin / LB_BATCH; b * LB_BATCH < end; b++) {
    kernels->skin(skin, b, motions, places, velocities ? rates : NULL);
    for (int32_t lane = 0; lane < LB_BATCH; lane++) {
      int32_t k = b * LB_BATCH + lane;
      if (k < begin || k >= end) continue;
      for (int32_t i = 0; i < 3; i++) {
        size_t to = 3 * (size_t)k + (size_t)i;
        if (displacements) displacements[to] = places[i * LB_BATCH + lane];
        if (velocities) velocities[to] = rates[i * LB_BATCH + lane];
      }
    }
  }
}

void lb_frame_skin_spread_all(const lbFrameSkin *skin, lbSimdLevel level,
                              const lbFrameMotion *motions, const double *forces,
                              const double *masses, double *room, double *sums) {
  const lbFramePointKernels *kernels = lb_frame_point_kernels(level);
  size_t count = 8 * (size_t)skin->frame_count;
  memset(room, 0, count * LB_BATCH * sizeof *room);
  for (int32_t b = 0; b < skin->batch_count; b++) {
    double own[3 * LB_BATCH] = { 0 };
    for (int32_t lane = 0; lane < LB_BATCH && b * LB_BATCH + lane < skin->point_count; lane++) {
      size_t k = (size_t)(b * LB_BATCH + lane);
      for (size_t i = 0; i < 3; i++)
        own[i * LB_BATCH + (size_t)lane] = masses[k] * forces[3 * k + i];
    }
    kernels->spread(skin, b, motions, own, room);
  }
  for (size_t i = 0; i < count; i++) {
    const double *l = room + i * LB_BATCH;
    sums[i] = ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]));
  }
}

// ---- one point ---------------------------------------------------------------------------------

// C / 2 for b, with X (weight 1) or without a place (0).
static void half_C(const double *b, lbVec3 X, double C[24]) {
  double a0 = b[0] * X.x + b[1] * X.y + b[2] * X.z - b[7];
  double a1 = b[6] - b[1] * X.x + b[0] * X.y + b[3] * X.z;
  double a2 = b[5] + b[2] * X.x + b[3] * X.y - b[0] * X.z;
  double a3 = b[4] + b[3] * X.x - b[2] * X.y + b[1] * X.z;
  const double rows[24] = { a0,  a1,  -a2, a3, b[3],  -b[2], b[1],  -b[0],
                            -a1, a0,  a3,  a2, b[2],  b[3],  -b[0], -b[1],
                            a2,  -a3, a0,  a1, -b[1], b[0],  b[3],  -b[2] };
  memcpy(C, rows, sizeof rows);
}

static double dot_points(int32_t n, const double *a, const double *b) {
  double sum = 0;
  for (int32_t k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

lbFramePoint lb_frame_point(lbVec3 X, int32_t count, const int32_t *frames, const double *weights,
                            const double *gradients, const lbFrameMotion *motions) {
  double b[8] = { 0 }, W[3][8] = { { 0 } }, C[24], x[3];
  lbFramePoint p;
  for (int32_t i = 0; i < count; i++)
    for (int32_t k = 0; k < 8; k++) {
      double d = motions[frames[i]].d[k];
      b[k] += weights[i] * d;
      for (int32_t n = 0; n < 3 && gradients; n++) W[n][k] += gradients[3 * i + n] * d;
    }
  double s = 1 / fmax(dot_points(4, b, b), 1e-12);
  half_C(b, X, C);
  for (int32_t i = 0; i < 3; i++) {
    x[i] = s * dot_points(8, C + 8 * i, b);
    for (int32_t k = 0; k < 8; k++)
      p.G[8 * i + k] = 2 * s * (C[8 * i + k] - (k < 4 ? x[i] * b[k] : 0));
  }
  p.x = lb_vec3_load(x);
  const double turn[8] = { b[0], b[1], b[2], b[3], 0, 0, 0, 0 };
  for (int32_t n = 0; n < 3; n++) {
    half_C(turn, lb_vec3(n == 0, n == 1, n == 2), C);
    for (int32_t i = 0; i < 3; i++)
      p.F.m[3 * i + n] = s * dot_points(4, C + 8 * i, b) + dot_points(8, p.G + 8 * i, W[n]);
  }
  return p;
}

lbVec3 lb_frame_skin_place(const lbFrameSkin *s, const lbFrameMotion *motions, int32_t point) {
  int32_t number = point / LB_BATCH, lane = point % LB_BATCH;
  const lbFrameBatch *batch = &s->batches[number];
  const double *X = s->positions + (size_t)number * 3 * LB_BATCH + lane;
  const double *w = s->weights + (size_t)batch->first * LB_BATCH + lane;
  double b[8] = { 0 }, C[24], x[3];
  for (int32_t i = 0; i < batch->count; i++)
    for (int32_t k = 0; k < 8; k++)
      b[k] += w[i * LB_BATCH] * motions[s->frames[batch->first + i]].d[k];
  double scale = 1 / fmax(dot_points(4, b, b), 1e-12);
  half_C(b, lb_vec3(X[0], X[LB_BATCH], X[2 * LB_BATCH]), C);
  for (int32_t i = 0; i < 3; i++) x[i] = scale * dot_points(8, C + 8 * i, b);
  return lb_vec3_load(x);
}

void lb_frame_skin_spread(const lbFrameSkin *s, const lbFrameMotion *motions, int32_t point,
                          lbVec3 force, double *sums) {
  int32_t number = point / LB_BATCH, lane = point % LB_BATCH;
  const lbFrameBatch *batch = &s->batches[number];
  const double *X = s->positions + (size_t)number * 3 * LB_BATCH + lane;
  double b[8] = { 0 }, C[24], x[3], f[8] = { 0 };
  const double amount[3] = { force.x, force.y, force.z };
  const double *w = s->weights + (size_t)batch->first * LB_BATCH + lane;
  const int32_t *frames = s->frames + batch->first;
  for (int32_t i = 0; i < batch->count; i++)
    for (int32_t k = 0; k < 8; k++) b[k] += w[i * LB_BATCH] * motions[frames[i]].d[k];
  double scale = 1 / fmax(dot_points(4, b, b), 1e-12);
  half_C(b, lb_vec3(X[0], X[LB_BATCH], X[2 * LB_BATCH]), C);
  for (int32_t i = 0; i < 3; i++) {
    x[i] = scale * dot_points(8, C + 8 * i, b);
    for (int32_t k = 0; k < 8; k++)
      f[k] += 2 * scale * (C[8 * i + k] - (k < 4 ? x[i] * b[k] : 0)) * amount[i];
  }
  for (int32_t i = 0; i < batch->count; i++)
    for (int32_t k = 0; k < 8; k++)
      sums[8 * (size_t)frames[i] + (size_t)k] += w[i * LB_BATCH] * f[k];
}
