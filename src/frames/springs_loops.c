// What springs between pairs lack of the stiffness at rest. The block of a pair of frames, seen
// from their joint, is symmetric only along chains; in loops of frames its antisymmetric parts
// cancel out on the diagonal, but not beside it. With E the stiffness that is missing and z how
// frames have moved relative to a pivot p, in the pivot's axes,
//
//   z_i = (log(R_pᵀ R_i), R_pᵀ (x_i − x_p) − (X_i − X_p)),   energy ½ zᵀ E z,
//
// forces at frames are E z, turned, and the pivot has their reaction: momenta are kept.
#include "frames/springs.h"

#include "frames/kernels.h"

#include <string.h>

#define NONE 1e-12 // of the stiffness: nothing is missing

static double entry_of(const double *K, size_t n, size_t i, size_t j) { // by the lower triangle
  return i >= j ? K[i + n * j] : K[j + n * i];
}

// The lower triangle, without the pivot, as 3 x 3 matrices in lanes, in the order of place_of.
static lbStatus make_blocks(lbFrameSprings *s, lbError *err) {
  size_t n = 6 * (size_t)s->frame_count;
  int32_t others = s->frame_count - 1;
  s->loop_count = 4 * (others * (others + 1) / 2);
  size_t batches = ((size_t)s->loop_count + LB_BATCH - 1) / LB_BATCH;
  s->loop_blocks = lb_alloc(batches + 1, 9 * LB_BATCH * sizeof *s->loop_blocks);
  if (!s->loop_blocks) return lb_fail_memory(err);
  int32_t at = 0;
  for (int32_t i = 0; i < s->frame_count; i++)
    for (int32_t j = 0; j <= i; j++)
      for (int part = 0; part < 4 && i != s->pivot && j != s->pivot; part++, at++) {
        size_t row = 6 * (size_t)i + 3 * (size_t)(part / 2);
        size_t column = 6 * (size_t)j + 3 * (size_t)(part % 2);
        double *to = s->loop_blocks + (size_t)(at / LB_BATCH) * 9 * LB_BATCH + at % LB_BATCH;
        for (size_t k = 0; k < 9; k++)
          to[k * LB_BATCH] = s->loops[row + k / 3 + n * (column + k % 3)];
      }
  return LB_OK;
}

lbStatus lb_frame_springs_close(const lbFramePose *rest, const double *K, const uint8_t *fixed,
                                lbFrameSprings *s, lbError *err) {
  size_t n = 6 * (size_t)s->frame_count;
  double most = 0, missing = 0;
  double *own = lb_alloc(n * n, sizeof *own), *E = lb_alloc(n * n, sizeof *E);
  lbFrameMotion *motions = lb_alloc((size_t)s->frame_count, sizeof *motions);
  double *gradient = lb_alloc(n, sizeof *gradient);
  lbStatus status = own && E && motions && gradient ? LB_OK : lb_fail_memory(err);
  if (!status) {
    lbFrameSystem sums = { 0, gradient, NULL, own, NULL };
    lb_frame_springs_sum(s, LB_SIMD_PORTABLE, LB_FRAMES_FORCE | LB_FRAMES_TANGENT, rest, rest,
                         motions, &sums);
    for (size_t k = 0; k < n * n; k++) {
      double there = entry_of(K, n, k % n, k / n);
      E[k] = there - entry_of(own, n, k % n, k / n);
      most = fmax(most, fabs(there)), missing = fmax(missing, fabs(E[k]));
    }
    for (int32_t i = 0; i < s->frame_count; i++) { // a fixed frame if there is one, the heaviest
      bool better = s->masses[i] > s->masses[s->pivot];
      if (fixed[i] > fixed[s->pivot] || (fixed[i] == fixed[s->pivot] && better)) s->pivot = i;
    }
    if (missing > NONE * most) {
      s->loops = E, E = NULL;
      status = make_blocks(s, err);
    }
  }
  lb_free(own), lb_free(E), lb_free(motions), lb_free(gradient);
  return status;
}

// z (6 frames), R of the pivot.
static lbMat3 find_z(const lbFrameSprings *s, const lbFramePose *rest, const lbFramePose *poses,
                     double *z) {
  const lbFramePose *from = &rest[s->pivot], *now = &poses[s->pivot];
  lbQuat turn = lb_quat_multiply(now->rotation, lb_quat_conjugate(from->rotation));
  lbMat3 R = lb_quat_to_mat3(turn);
  for (int32_t i = 0; i < s->frame_count; i++) {
    lbQuat own = lb_quat_multiply(poses[i].rotation, lb_quat_conjugate(rest[i].rotation));
    lbQuat between = lb_quat_multiply(lb_quat_conjugate(turn), own);
    if (between.w < 0) between = lb_quat_scale(-1, between);
    lbVec3 way = lb_mat3_apply_transpose(R, lb_sub(poses[i].position, now->position));
    lb_vec3_store(z + 6 * i, lb_frame_rotation_vector(between));
    lb_vec3_store(z + 6 * i + 3, lb_sub(way, lb_sub(rest[i].position, from->position)));
  }
  memset(z + 6 * s->pivot, 0, 6 * sizeof *z);
  return R;
}

// block (6 x 6, row-major) <- R E Rᵀ of a block
static void turn_block(lbMat3 R, double *block) {
  double half[36];
  for (int a = 0; a < 6; a++)
    for (int c = 0; c < 6; c++) {
      const double *row = block + 6 * a + c / 3 * 3, *turn = R.m + 3 * (c % 3);
      half[6 * a + c] = row[0] * turn[0] + row[1] * turn[1] + row[2] * turn[2];
    }
  for (int a = 0; a < 6; a++) {
    const double *rows = half + 18 * (a / 3), *turn = R.m + 3 * (a % 3);
    for (int c = 0; c < 6; c++)
      block[6 * a + c] = turn[0] * rows[c] + turn[1] * rows[6 + c] + turn[2] * rows[12 + c];
  }
}

// Lower triangle += by block of frames i ≥ j.
static void add_lower(size_t n, int32_t i, int32_t j, double by, const double *block, double *K) {
  for (size_t c = 0; c < 6; c++) {
    double *column = K + 6 * (size_t)i + n * (6 * (size_t)j + c);
    for (size_t a = i == j ? c : 0; a < 6; a++) column[a] += by * block[6 * a + c];
  }
}

// block <- block P, P = [I 0; −[l]× I]: what the pivot's own motion is at a frame l away.
static void times_P(lbVec3 l, double *block) {
  for (int a = 0; a < 6; a++) {
    double *row = block + 6 * a;
    lb_vec3_store(row, lb_sub(lb_vec3_load(row), lb_cross(lb_vec3_load(row + 3), l)));
  }
}

static void transpose_spring_loops(const double *block, double *to) {
  for (int a = 0; a < 6; a++)
    for (int c = 0; c < 6; c++) to[6 * a + c] = block[6 * c + a];
}

// T (6 x 6) of a frame: Σ_j E_ij P_j over all but the pivot, seen from the pivot. At rest that is
// −E_ip, since no rigid motion has a force; what has moved since, z, adds −E_ij [[z]× at the force.
static void find_T(const lbFrameSprings *s, const double *z, int32_t i, double *T) {
  size_t n = 6 * (size_t)s->frame_count;
  const double *E = s->loops + 6 * (size_t)i, *own = E + n * 6 * (size_t)s->pivot;
  for (size_t a = 0; a < 6; a++)
    for (size_t c = 0; c < 6; c++) T[6 * a + c] = -own[a + n * c];
  for (size_t j = 0; j < (size_t)s->frame_count; j++) {
    if (j == (size_t)s->pivot) continue;
    const double *x = E + n * (6 * j + 3), *y = x + n, *w = y + n, *m = z + 6 * j + 3;
    for (size_t a = 0; a < 6; a++) { // rows less (x, y, w) x m
      T[6 * a] -= y[a] * m[2] - w[a] * m[1];
      T[6 * a + 1] -= w[a] * m[0] - x[a] * m[2];
      T[6 * a + 2] -= x[a] * m[1] - y[a] * m[0];
    }
  }
}

// Rows of the pivot are −T_iᵀ, its own block Σ P_iᵀ T_i.
static void add_pivot(const lbFrameSprings *s, lbMat3 R, const lbFramePose *poses, const double *z,
                      double *K) {
  size_t n = 6 * (size_t)s->frame_count;
  int32_t p = s->pivot;
  double T[36], back[36];
  for (int32_t i = 0; i < s->frame_count; i++) {
    if (i == p) continue;
    find_T(s, z, i, T);
    turn_block(R, T);
    transpose_spring_loops(T, back);
    add_lower(n, i > p ? i : p, i > p ? p : i, -1, i > p ? T : back, K);
    times_P(lb_sub(poses[i].position, poses[p].position), back);
    add_lower(n, p, p, 1, back, K);
  }
}

// K += the 3 x 3 matrices of a batch, which stand at these places.
static void add_stiffness_spring_loops(const lbFrameSprings *s, lbSimdLevel level, lbMat3 R,
                                       const lbFrameMotion *motions, double *K) {
  size_t n = 6 * (size_t)s->frame_count;
  double turned[9 * LB_BATCH];
  int32_t at = 0, p = s->pivot;
  for (int32_t i = 0; i < s->frame_count; i++)
    for (int32_t j = 0; j <= i; j++)
      for (int part = 0; part < 4 && i != p && j != p; part++, at++) {
        size_t row = 6 * (size_t)i + 3 * (size_t)(part / 2);
        size_t column = 6 * (size_t)j + 3 * (size_t)(part % 2);
        if (at % LB_BATCH == 0)
          lb_frame_spring_kernels(level)->turn(R.m, s->loop_blocks + (size_t)at * 9, turned);
        if (motions[i].still || motions[j].still || (i == j && part == 1)) continue;
        const double *own = turned + at % LB_BATCH;
        for (size_t c = 0; c < 3; c++)
          for (size_t a = row == column ? c : 0; a < 3; a++)
            K[row + a + n * (column + c)] += own[(3 * a + c) * LB_BATCH];
      }
}

void lb_frame_springs_add_loops(const lbFrameSprings *s, lbSimdLevel level, int32_t options,
                                const lbFramePose *rest, const lbFramePose *poses,
                                const lbFrameMotion *motions, lbFrameSystem *out) {
  size_t n = 6 * (size_t)s->frame_count;
  double z[6 * LB_FRAME_LOOPS_MOST];
  if (!s->loops) return;
  lbMat3 R = find_z(s, rest, poses, z);
  for (int32_t i = 0; i < s->frame_count; i++) {
    double force[6] = { 0 };
    if (i == s->pivot) continue;
    for (size_t j = 0; j < n; j++)
      for (size_t a = 0; a < 6; a++) force[a] += s->loops[6 * (size_t)i + a + n * j] * z[j];
    for (int a = 0; a < 6; a++) out->energy += 0.5 * force[a] * z[6 * i + a];
    if (!(options & LB_FRAMES_FORCE)) continue;
    lbVec3 torque = lb_mat3_apply(R, lb_vec3_load(force));
    lbVec3 pull = lb_mat3_apply(R, lb_vec3_load(force + 3));
    lbVec3 l = lb_sub(poses[i].position, poses[s->pivot].position);
    double *own = out->gradient + 6 * i, *other = out->gradient + 6 * s->pivot;
    lb_vec3_store(own, lb_add(lb_vec3_load(own), torque));
    lb_vec3_store(own + 3, lb_add(lb_vec3_load(own + 3), pull));
    lb_vec3_store(other, lb_sub(lb_vec3_load(other), lb_add(torque, lb_cross(l, pull))));
    lb_vec3_store(other + 3, lb_sub(lb_vec3_load(other + 3), pull));
  }
  if (!(options & LB_FRAMES_TANGENT)) return;
  add_stiffness_spring_loops(s, level, R, motions, out->K);
  if (!motions[s->pivot].still) add_pivot(s, R, poses, z, out->K);
}
