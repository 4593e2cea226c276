// Springs between pairs of frames (springs.c has the formulas). A lane is a spring.
#include "frames/kernels.h"

#include "frames/blend.h"
#include "frames/springs.h"

typedef struct Turn { // a quaternion
  lbLanes x, y, z, w;
} Turn;

BLEND_INLINE void load_rows(const double *from, int count, lbLanes *to) {
  for (int i = 0; i < count; i++) to[i] = lb_load(from + i * LB_BATCH);
}

BLEND_INLINE void store_rows(double *to, int count, const lbLanes *from) {
  for (int i = 0; i < count; i++) lb_store(to + i * LB_BATCH, from[i]);
}

BLEND_INLINE void cross(const lbLanes a[3], const lbLanes b[3], lbLanes to[3]) {
  to[0] = a[1] * b[2] - a[2] * b[1];
  to[1] = a[2] * b[0] - a[0] * b[2];
  to[2] = a[0] * b[1] - a[1] * b[0];
}

BLEND_INLINE Turn multiply(Turn a, Turn b) {
  return (Turn){ a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                 a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                 a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
                 a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z };
}

BLEND_INLINE void matrix_of(Turn q, lbLanes R[9]) {
  const lbLanes x = 2.0 * q.x, y = 2.0 * q.y, z = 2.0 * q.z;
  R[0] = 1.0 - y * q.y - z * q.z, R[1] = x * q.y - z * q.w, R[2] = x * q.z + y * q.w;
  R[3] = x * q.y + z * q.w, R[4] = 1.0 - x * q.x - z * q.z, R[5] = y * q.z - x * q.w;
  R[6] = x * q.z - y * q.w, R[7] = y * q.z + x * q.w, R[8] = 1.0 - x * q.x - y * q.y;
}

// to <- at + R v
BLEND_INLINE void carry(const lbLanes R[9], const lbLanes v[3], const lbLanes at[3],
                        lbLanes to[3]) {
  LB_FOR_ALL(i, 0, 3)
  to[i] = at[i] + R[3 * i] * v[0] + R[3 * i + 1] * v[1] + R[3 * i + 2] * v[2];
}

// to <- Rᵀ v
BLEND_INLINE void turn_back(const lbLanes R[9], const lbLanes v[3], lbLanes to[3]) {
  LB_FOR_ALL(i, 0, 3) to[i] = R[i] * v[0] + R[3 + i] * v[1] + R[6 + i] * v[2];
}

BLEND_INLINE void turn_to(const lbLanes R[9], const lbLanes v[3], lbLanes to[3]) {
  LB_FOR_ALL(i, 0, 3) to[i] = R[3 * i] * v[0] + R[3 * i + 1] * v[1] + R[3 * i + 2] * v[2];
}

// to <- R X Rᵀ
static __attribute__((noinline)) void turn_matrix(const lbLanes R[9], const double *X,
                                                  lbLanes to[9]) {
  lbLanes left[9], own[9];
  load_rows(X, 9, own);
  for (int i = 0; i < 3; i++) LB_FOR_ALL(k, 0, 3)
  left[3 * i + k] = R[3 * i] * own[k] + R[3 * i + 1] * own[3 + k] + R[3 * i + 2] * own[6 + k];
  for (int i = 0; i < 3; i++) LB_FOR_ALL(k, 0, 3)
  to[3 * i + k] =
      left[3 * i] * R[3 * k] + left[3 * i + 1] * R[3 * k + 1] + left[3 * i + 2] * R[3 * k + 2];
}

// The rotation vector of a turn with w ≥ 0.
static __attribute__((noinline)) void find_vector(Turn q, lbLanes to[3]) {
  const lbLanes square = q.x * q.x + q.y * q.y + q.z * q.z;
  lbLanes sum = lb_splat(lb_frame_vector_series[LB_FRAME_VECTOR_TERMS - 1]);
  for (int k = LB_FRAME_VECTOR_TERMS - 2; k >= 0; k--)
    sum = lb_frame_vector_series[k] + square * sum;
  to[0] = 2.0 * sum * q.x, to[1] = 2.0 * sum * q.y, to[2] = 2.0 * sum * q.z;
  if (!lb_any(lb_less(lb_splat(LB_FRAME_VECTOR_SHORT), square))) return;
  double rows[3][LB_LANES];
  for (int i = 0; i < LB_LANES; i++) {
    lbVec3 v = lb_frame_rotation_vector(
        lb_quat(lb_lane(q.x, i), lb_lane(q.y, i), lb_lane(q.z, i), lb_lane(q.w, i)));
    rows[0][i] = v.x, rows[1][i] = v.y, rows[2][i] = v.z;
  }
  LB_FOR_ALL(k, 0, 3) to[k] = lb_load(rows[k]);
}

// first <- S.A + B [l]×, low <- Bᵀ + C [l]×
BLEND_INLINE void shift(const lbLanes A[9], const lbLanes B[9], const lbLanes C[9],
                        const lbLanes l[3], lbLanes first[9], lbLanes low[9]) {
  LB_FOR_ALL(i, 0, 3) {
    cross(B + 3 * i, l, first + 3 * i);
    cross(C + 3 * i, l, low + 3 * i);
    LB_FOR_ALL(k, 0, 3) first[3 * i + k] += A[3 * i + k], low[3 * i + k] += B[3 * k + i];
  }
}

// to (6 x 6) <- s [first + [a]×ᵀ low, rightᵀ; low, C]
BLEND_INLINE void put_block(double s, const lbLanes first[9], const lbLanes low[9],
                            const lbLanes a[3], const lbLanes right[9], const lbLanes C[9],
                            double *to) {
  LB_FOR_ALL(c, 0, 3) {
    const lbLanes column[3] = { low[c], low[3 + c], low[6 + c] };
    lbLanes turned[3];
    cross(column, a, turned);
    LB_FOR_ALL(r, 0, 3) {
      lb_store(to + (6 * r + c) * LB_BATCH, s * (first[3 * r + c] + turned[r]));
      lb_store(to + (6 * r + 3 + c) * LB_BATCH, s * right[3 * c + r]);
      lb_store(to + (6 * (3 + r) + c) * LB_BATCH, s * low[3 * r + c]);
      lb_store(to + (6 * (3 + r) + 3 + c) * LB_BATCH, s * C[3 * r + c]);
    }
  }
}

static __attribute__((noinline)) void find_blocks(const double *rest, const lbLanes R[9],
                                                  const lbLanes li[3], const lbLanes lj[3],
                                                  double *out) {
  lbLanes A[9], B[9], C[9], first_i[9], low_i[9], first_j[9], low_j[9];
  turn_matrix(R, rest + LB_SPRING_STIFFNESS * LB_BATCH, A);
  turn_matrix(R, rest + (LB_SPRING_STIFFNESS + 9) * LB_BATCH, B);
  turn_matrix(R, rest + (LB_SPRING_STIFFNESS + 18) * LB_BATCH, C);
  shift(A, B, C, li, first_i, low_i);
  shift(A, B, C, lj, first_j, low_j);
  put_block(1, first_i, low_i, li, low_i, C, out + LB_SPRING_FIRST * LB_BATCH);
  put_block(1, first_j, low_j, lj, low_j, C, out + LB_SPRING_SECOND * LB_BATCH);
  put_block(-1, first_i, low_i, lj, low_j, C, out + LB_SPRING_BETWEEN * LB_BATCH);
}

static void spring_lanes(const double *rest, const double *in, bool tangent, double *out) {
  lbLanes arms[6], places[14], Ri[9], Rj[9], R[9], xi[3], xj[3], gap[6], own[6], local[6], S[27];
  load_rows(rest, 6, arms);
  load_rows(in, 14, places);
  Turn qi = { places[0], places[1], places[2], places[3] };
  Turn qj = { places[7], places[8], places[9], places[10] };
  const lbLanes *ti = places + 4, *tj = places + 11;
  matrix_of(qi, Ri), matrix_of(qj, Rj);
  carry(Ri, arms, ti, xi);
  carry(Rj, arms + 3, tj, xj);
  Turn between = multiply(qi, (Turn){ -qj.x, -qj.y, -qj.z, qj.w });
  const lbLanes sign = lb_select(lb_less(between.w, lb_splat(0)), lb_splat(-1), lb_splat(1));
  between = (Turn){ sign * between.x, sign * between.y, sign * between.z, sign * between.w };
  find_vector(between, gap);
  LB_FOR_ALL(i, 0, 3) gap[3 + i] = xi[i] - xj[i];
  const lbLanes w = between.w + 1.0;
  const lbLanes scale =
      1.0 / lb_sqrt(between.x * between.x + between.y * between.y + between.z * between.z + w * w);
  matrix_of(
      multiply((Turn){ scale * between.x, scale * between.y, scale * between.z, scale * w }, qj),
      R);
  turn_back(R, gap, own), turn_back(R, gap + 3, own + 3);
  load_rows(rest + LB_SPRING_STIFFNESS * LB_BATCH, 27, S);
  lbLanes energy = lb_splat(0);
  LB_FOR_ALL(i, 0, 3) {
    local[i] = local[3 + i] = lb_splat(0);
    LB_FOR_ALL(k, 0, 3) {
      local[i] += S[3 * i + k] * own[k] + S[9 + 3 * i + k] * own[3 + k];
      local[3 + i] += S[9 + 3 * k + i] * own[k] + S[18 + 3 * i + k] * own[3 + k];
    }
  }
  LB_FOR_ALL(i, 0, 6) energy += 0.5 * own[i] * local[i];
  lb_store(out, energy);
  lbLanes torque[3], pull[3], li[3], lj[3], at_i[3], at_j[3];
  turn_to(R, local, torque), turn_to(R, local + 3, pull);
  LB_FOR_ALL(i, 0, 3) {
    const lbLanes middle = 0.5 * (xi[i] + xj[i]);
    li[i] = ti[i] - middle, lj[i] = tj[i] - middle;
  }
  cross(li, pull, at_i), cross(lj, pull, at_j);
  LB_FOR_ALL(i, 0, 3) at_i[i] = torque[i] - at_i[i], at_j[i] = torque[i] - at_j[i];
  store_rows(out + LB_SPRING_FORCES * LB_BATCH, 3, at_i);
  store_rows(out + (LB_SPRING_FORCES + 3) * LB_BATCH, 3, at_j);
  store_rows(out + (LB_SPRING_FORCES + 6) * LB_BATCH, 3, pull);
  if (tangent) find_blocks(rest, R, li, lj, out);
}

static void springs(const double *rest, const double *in, bool tangent, double *out) {
  for (int lane = 0; lane < LB_BATCH; lane += LB_LANES)
    spring_lanes(rest + lane, in + lane, tangent, out + lane);
}

// to (9 x LB_BATCH) <- R X Rᵀ
static void turn_blocks(const double R[9], const double *X, double *to) {
  lbLanes turn[9], turned[9];
  LB_FOR_ALL(i, 0, 9) turn[i] = lb_splat(R[i]);
  for (int lane = 0; lane < LB_BATCH; lane += LB_LANES) {
    turn_matrix(turn, X + lane, turned);
    store_rows(to + lane, 9, turned);
  }
}

LB_KERNEL_TABLE(lbFrameSpringKernels, lb_frame_spring_kernels) = { .springs = springs,
                                                                   .turn = turn_blocks };
