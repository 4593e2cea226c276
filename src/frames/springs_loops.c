// What springs between pairs lack of the stiffness at rest. The block of a pair of frames, seen
// from their joint, is symmetric only along chains; in loops of frames its antisymmetric parts
// cancel out on the diagonal, but not beside it. With E the stiffness that is missing and z how
// frames have moved relative to a pivot p, in the pivot's axes,
//
//   z_i = (log(R_pᵀ R_i), R_pᵀ (x_i − x_p) − (X_i − X_p)),   energy ½ zᵀ E z,
//
// forces at frames are E z, turned, and the pivot has their reaction: momenta are kept.
#include "frames/springs.h"

#include <string.h>

#define NONE 1e-12 // of the stiffness: nothing is missing

static double entry_of(const double *K, size_t n, size_t i, size_t j) { // by the lower triangle
  return i >= j ? K[i + n * j] : K[j + n * i];
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
    lb_frame_springs_sum(s, LB_FRAMES_FORCE | LB_FRAMES_TANGENT, rest, rest, motions, &sums);
    for (size_t k = 0; k < n * n; k++) {
      double there = entry_of(K, n, k % n, k / n);
      E[k] = there - entry_of(own, n, k % n, k / n);
      most = fmax(most, fabs(there)), missing = fmax(missing, fabs(E[k]));
    }
    for (int32_t i = 0; i < s->frame_count; i++) { // a fixed frame if there is one, the heaviest
      bool better = s->masses[i] > s->masses[s->pivot];
      if (fixed[i] > fixed[s->pivot] || (fixed[i] == fixed[s->pivot] && better)) s->pivot = i;
    }
    if (missing > NONE * most) s->loops = E, E = NULL;
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

// block (6 x 6, row-major) <- R E_ij Rᵀ
static void turned_block(const double *E, size_t n, lbMat3 R, int32_t i, int32_t j, double *block) {
  lbMat3 back = lb_mat3_transpose(R);
  for (int part = 0; part < 4; part++) {
    size_t row = 6 * (size_t)i + 3 * (size_t)(part / 2),
           column = 6 * (size_t)j + 3 * (size_t)(part % 2);
    lbMat3 P;
    for (size_t k = 0; k < 9; k++) P.m[k] = E[row + k / 3 + n * (column + k % 3)];
    P = lb_mat3_multiply(R, lb_mat3_multiply(P, back));
    for (int k = 0; k < 9; k++)
      block[6 * (3 * (part / 2) + k / 3) + 3 * (part % 2) + k % 3] = P.m[k];
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

static void transpose(const double *block, double *to) {
  for (int a = 0; a < 6; a++)
    for (int c = 0; c < 6; c++) to[6 * a + c] = block[6 * c + a];
}

// sum += block P
static void add_times_P(const double *block, lbVec3 l, double *sum) {
  double product[36];
  memcpy(product, block, sizeof product);
  times_P(l, product);
  for (int k = 0; k < 36; k++) sum[k] += product[k];
}

// T (frames x 36): T_i = Σ_j E_ij P_j. Rows of the pivot are −T_iᵀ, its own block Σ P_iᵀ T_i.
static void add_pivot(const lbFrameSprings *s, const lbFramePose *poses, const double *T,
                      double *K) {
  size_t n = 6 * (size_t)s->frame_count;
  int32_t p = s->pivot;
  double back[36];
  for (int32_t i = 0; i < s->frame_count; i++) {
    if (i == p) continue;
    transpose(T + 36 * i, back);
    add_lower(n, i > p ? i : p, i > p ? p : i, -1, i > p ? T + 36 * i : back, K);
    times_P(lb_sub(poses[i].position, poses[p].position), back);
    add_lower(n, p, p, 1, back, K);
  }
}

static void add_stiffness(const lbFrameSprings *s, lbMat3 R, const lbFramePose *poses,
                          const lbFrameMotion *motions, double *K) {
  size_t n = 6 * (size_t)s->frame_count;
  int32_t p = s->pivot;
  lbVec3 at = poses[p].position;
  double block[36], back[36], T[36 * LB_FRAME_LOOPS_MOST];
  memset(T, 0, 6 * n * sizeof *T);
  for (int32_t i = 0; i < s->frame_count; i++)
    for (int32_t j = 0; j <= i; j++) {
      bool asked = !motions[i].still && !motions[j].still;
      if (i == p || j == p || (motions[p].still && !asked)) continue;
      turned_block(s->loops, n, R, i, j, block);
      add_lower(n, i, j, 1, block, K);
      if (motions[p].still) continue;
      add_times_P(block, lb_sub(poses[j].position, at), T + 36 * i);
      if (i == j) continue;
      transpose(block, back);
      add_times_P(back, lb_sub(poses[i].position, at), T + 36 * j);
    }
  if (!motions[p].still) add_pivot(s, poses, T, K);
}

void lb_frame_springs_add_loops(const lbFrameSprings *s, int32_t options, const lbFramePose *rest,
                                const lbFramePose *poses, const lbFrameMotion *motions,
                                lbFrameSystem *out) {
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
  if (options & LB_FRAMES_TANGENT) add_stiffness(s, R, poses, motions, out->K);
}
