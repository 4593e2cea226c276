// Springs between pairs of frames: section 4.3 of the paper.
//
// The block of the stiffness at rest between frames i and j, seen from a joint halfway between
// them, is the stiffness S of a spring with six degrees of freedom. Each frame carries its own copy
// of the joint along; S pulls at the gap between the two, in axes halfway between theirs:
//
//   θ = (log(R_i R_jᵀ), x_i − x_j),   E = ½ θᵀ S θ,   force −Sθ on i and Sθ on j, at the same
//   place,
//
// so that momenta are kept. D(l) takes a motion of a frame to one of the joint, l the way from it.
#include "frames/springs.h"

#include "frames/kernels.h"

#include <string.h>

// ---- six-dimensional motions -------------------------------------------------------------------

// D (6 x 6, row-major) of l = place of the frame less that of the joint: [I 0; [l]x I].
static void fill_D(lbVec3 l, double D[36]) {
  lbMat3 skew = lb_mat3_skew(l);
  memset(D, 0, 36 * sizeof *D);
  for (int i = 0; i < 6; i++) D[7 * i] = 1;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) D[6 * (3 + i) + j] = skew.m[3 * i + j];
}

// out <- s Aᵀ S B
static void sandwich(double s, const double A[36], const double S[36], const double B[36],
                     double out[36]) {
  double SB[36];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) sum += S[6 * i + k] * B[6 * k + j];
      SB[6 * i + j] = s * sum;
    }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) sum += A[6 * k + i] * SB[6 * k + j];
      out[6 * i + j] = sum;
    }
}

// Into the lower triangle; i ≥ j.
static void add_block_springs(int32_t n, int32_t i, int32_t j, const double *block,
                              double *matrix) {
  for (size_t c = 0; c < 6; c++) {
    double *column = matrix + 6 * (size_t)i + (size_t)n * (6 * (size_t)j + c);
    for (size_t a = i == j ? c : 0; a < 6; a++) column[a] += block[6 * a + c];
  }
}

// ---- making them -------------------------------------------------------------------------------

// Row sums of the mass at rest: what a rigid body of each frame would have.
static void lump(const lbFrameSamples *samples, const lbFramePose *rest, lbFrameSprings *s) {
  for (int32_t b = 0; b < samples->batch_count; b++) {
    const lbFrameBatch *batch = &samples->batches[b];
    const double *rows = samples->rest + (size_t)b * LB_SAMPLE_ROWS * LB_BATCH;
    const double *weights = samples->weights + (size_t)batch->first * 4 * LB_BATCH;
    for (int32_t l = 0; l < LB_BATCH; l++) {
      double mass = rows[LB_SAMPLE_MASS * LB_BATCH + l], sum = 0;
      lbVec3 X = lb_vec3(rows[l], rows[LB_BATCH + l], rows[2 * LB_BATCH + l]);
      for (int32_t i = 0; i < batch->count; i++) sum += weights[4 * i * LB_BATCH + l];
      for (int32_t i = 0; i < batch->count && mass > 0; i++) {
        int32_t frame = samples->frames[batch->first + i];
        double m = mass * weights[4 * i * LB_BATCH + l] / sum;
        lbVec3 r = lb_quat_rotate(lb_quat_conjugate(rest[frame].rotation),
                                  lb_sub(X, rest[frame].position));
        s->masses[frame] += m;
        s->moments[frame] = lb_add_scaled(s->moments[frame], m, r);
        s->seconds[frame] = lb_mat3_add(s->seconds[frame], lb_mat3_scale(m, lb_mat3_outer(r, r)));
      }
    }
  }
}

// S = −sym(D(−l_i)ᵀ K_ij D(−l_j)), axes of the rest shape.
static void make_spring(int32_t n, const double *K, const lbFramePose *rest, lbFrameSpring *to) {
  double block[36], Di[36], Dj[36], S[36];
  for (size_t a = 0; a < 6; a++)
    for (size_t c = 0; c < 6; c++)
      block[6 * a + c] = K[6 * (size_t)to->second + c + (size_t)n * (6 * (size_t)to->first + a)];
  to->joint = lb_scale(0.5, lb_add(rest[to->first].position, rest[to->second].position));
  fill_D(lb_sub(to->joint, rest[to->first].position), Di);
  fill_D(lb_sub(to->joint, rest[to->second].position), Dj);
  sandwich(-1, Di, block, Dj, S);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) to->stiffness[6 * i + j] = 0.5 * (S[6 * i + j] + S[6 * j + i]);
}

// Springs in lanes; lanes beyond the last are of no stiffness.
static bool make_batches_springs(const lbFramePose *rest, lbFrameSprings *s) {
  size_t batches = ((size_t)s->count + LB_BATCH - 1) / LB_BATCH;
  s->batches = lb_alloc(batches + 1, LB_SPRING_REST * LB_BATCH * sizeof *s->batches);
  for (int32_t k = 0; k < s->count && s->batches; k++) {
    const lbFrameSpring *spring = &s->springs[k];
    double *to = s->batches + (size_t)(k / LB_BATCH) * LB_SPRING_REST * LB_BATCH + k % LB_BATCH;
    double arms[6];
    lb_vec3_store(arms, lb_sub(spring->joint, rest[spring->first].position));
    lb_vec3_store(arms + 3, lb_sub(spring->joint, rest[spring->second].position));
    for (int i = 0; i < 6; i++) to[i * LB_BATCH] = arms[i];
    for (int i = 0; i < 27; i++) {
      int row = i % 9 / 3 + (i >= 18 ? 3 : 0), column = i % 3 + (i >= 9 ? 3 : 0);
      to[(LB_SPRING_STIFFNESS + i) * LB_BATCH] = spring->stiffness[6 * row + column];
    }
  }
  return s->batches != NULL;
}

lbStatus lb_frame_springs_create(const lbFrameSamples *samples, int32_t count,
                                 const lbFramePose *rest, const uint8_t *fixed, const double *K,
                                 lbFrameSprings **out, lbError *err) {
  lbFrameSprings *s = lb_alloc(1, sizeof *s);
  int32_t n = 6 * count;
  if (!s) return lb_fail_memory(err);
  s->frame_count = count;
  s->springs = lb_alloc((size_t)count * (size_t)(count + 1) / 2, sizeof *s->springs);
  s->masses = lb_alloc((size_t)count, sizeof *s->masses);
  s->moments = lb_alloc((size_t)count, sizeof *s->moments);
  s->seconds = lb_alloc((size_t)count, sizeof *s->seconds);
  if (!s->springs || !s->masses || !s->moments || !s->seconds) {
    lb_frame_springs_destroy(s);
    return lb_fail_memory(err);
  }
  lump(samples, rest, s);
  for (int32_t j = 0; j < count; j++)
    for (int32_t i = 0; i < j; i++) {
      bool any = false;
      for (size_t a = 0; a < 36; a++)
        any |= K[6 * (size_t)j + a % 6 + (size_t)n * (6 * (size_t)i + a / 6)] != 0;
      if (!any) continue;
      lbFrameSpring *spring = &s->springs[s->count++];
      *spring = (lbFrameSpring){ .first = i, .second = j };
      make_spring(n, K, rest, spring);
    }
  bool small = count <= LB_FRAME_LOOPS_MOST;
  lbStatus status = make_batches_springs(rest, s) ? LB_OK : lb_fail_memory(err);
  if (!status && small) status = lb_frame_springs_close(rest, K, fixed, s, err);
  if (status)
    lb_frame_springs_destroy(s);
  else
    *out = s;
  return status;
}

void lb_frame_springs_destroy(lbFrameSprings *s) {
  if (!s) return;
  lb_free(s->springs);
  lb_free(s->masses);
  lb_free(s->moments);
  lb_free(s->seconds);
  lb_free(s->loops);
  lb_free(s->batches);
  lb_free(s->loop_blocks);
  lb_free(s);
}

// ---- forces ------------------------------------------------------------------------------------

// A frame's turn from rest and place, as lanes of springs have them.
static void put_place(const lbFramePose *rest, const lbFramePose *pose, double *to) {
  lbQuat turn = lb_quat_multiply(pose->rotation, lb_quat_conjugate(rest->rotation));
  const double numbers[7] = { turn.x,           turn.y,           turn.z,          turn.w,
                              pose->position.x, pose->position.y, pose->position.z };
  memcpy(to, numbers, sizeof numbers);
}

// What one lane has found, to the frames of its spring.
static void add_spring(const lbFrameSpring *s, const double *out, int32_t n, int32_t options,
                       const bool still[2], lbFrameSystem *to) {
  double numbers[LB_SPRING_OUT];
  int32_t i = s->first, j = s->second;
  int count = options & LB_FRAMES_TANGENT ? LB_SPRING_OUT : LB_SPRING_FIRST;
  for (int k = 0; k < count; k++) numbers[k] = out[k * LB_BATCH];
  const double *force = numbers + LB_SPRING_FORCES;
  to->energy += numbers[0];
  for (int k = 0; k < 3 && (options & LB_FRAMES_FORCE); k++) { // ∂W
    to->gradient[6 * i + k] += force[k], to->gradient[6 * j + k] -= force[3 + k];
    to->gradient[6 * i + 3 + k] += force[6 + k], to->gradient[6 * j + 3 + k] -= force[6 + k];
  }
  if (!(options & LB_FRAMES_TANGENT)) return;
  if (!still[0]) add_block_springs(n, i, i, numbers + LB_SPRING_FIRST, to->K);
  if (!still[1]) add_block_springs(n, j, j, numbers + LB_SPRING_SECOND, to->K);
  if (!still[0] && !still[1]) add_block_springs(n, j, i, numbers + LB_SPRING_BETWEEN, to->K);
}

// The frame's lumped mass where it is: first and second moments about its origin.
static void turned_moments(const lbFrameSprings *s, const lbFramePose *poses, int32_t i, lbVec3 *c,
                           lbMat3 *X) {
  lbMat3 R = lb_quat_to_mat3(poses[i].rotation);
  *c = lb_mat3_apply(R, s->moments[i]);
  *X = lb_mat3_multiply(R, lb_mat3_multiply(s->seconds[i], lb_mat3_transpose(R)));
}

void lb_frame_springs_lump(const lbFrameSprings *s, const lbFramePose *poses,
                           const double *velocity, lbVec3 gravity, lbFrameSystem *out) {
  int32_t n = 6 * s->frame_count;
  memset(out->M, 0, (size_t)n * (size_t)n * sizeof(double));
  for (int32_t i = 0; i < s->frame_count; i++) {
    lbVec3 c, w = lb_vec3_load(velocity + 6 * i);
    lbMat3 X;
    double block[36] = { 0 };
    turned_moments(s, poses, i, &c, &X);
    lbMat3 skew = lb_mat3_skew(c);
    double trace = lb_mat3_trace(X);
    for (int a = 0; a < 3; a++) {
      block[7 * (3 + a)] = s->masses[i];
      for (int k = 0; k < 3; k++) {
        block[6 * a + k] = (a == k ? trace : 0) - X.m[3 * a + k];
        block[6 * a + 3 + k] = skew.m[3 * a + k];
        block[6 * (3 + a) + k] = -skew.m[3 * a + k];
      }
    }
    add_block_springs(n, i, i, block, out->M);
    if (!out->loads) continue;
    lbVec3 Xw = lb_mat3_apply(X, w);
    lb_vec3_store(out->loads + 6 * i, lb_add(lb_cross(c, gravity), lb_cross(w, Xw)));
    lb_vec3_store(out->loads + 6 * i + 3,
                  lb_sub(lb_scale(s->masses[i], gravity), lb_cross(w, lb_cross(w, c))));
  }
}

void lb_frame_springs_sum(const lbFrameSprings *s, lbSimdLevel level, int32_t options,
                          const lbFramePose *rest, const lbFramePose *poses,
                          const lbFrameMotion *motions, lbFrameSystem *out) {
  int32_t n = 6 * s->frame_count;
  const lbFrameSpringKernels *kernels = lb_frame_spring_kernels(level);
  double places[7 * LB_FRAME_LOOPS_MOST];
  double in[LB_SPRING_PLACES * LB_BATCH] = { 0 }, found[LB_SPRING_OUT * LB_BATCH];
  out->energy = 0;
  if (options & LB_FRAMES_FORCE) memset(out->gradient, 0, (size_t)n * sizeof(double));
  if (options & LB_FRAMES_TANGENT) memset(out->K, 0, (size_t)n * (size_t)n * sizeof(double));
  for (int32_t i = 0; i < s->frame_count; i++) put_place(&rest[i], &poses[i], places + 7 * i);
  for (int32_t first = 0; first < s->count; first += LB_BATCH) {
    int32_t count = s->count - first < LB_BATCH ? s->count - first : LB_BATCH;
    for (int32_t k = 0; k < count; k++) {
      const lbFrameSpring *spring = &s->springs[first + k];
      for (int m = 0; m < 7; m++) {
        in[m * LB_BATCH + k] = places[7 * spring->first + m];
        in[(7 + m) * LB_BATCH + k] = places[7 * spring->second + m];
      }
    }
    kernels->springs(s->batches + (size_t)(first / LB_BATCH) * LB_SPRING_REST * LB_BATCH, in,
                     options & LB_FRAMES_TANGENT, found);
    for (int32_t k = 0; k < count; k++) {
      const lbFrameSpring *spring = &s->springs[first + k];
      const bool still[2] = { motions[spring->first].still, motions[spring->second].still };
      if (!still[0] || !still[1]) add_spring(spring, found + k, n, options, still, out);
    }
  }
  lb_frame_springs_add_loops(s, level, options, rest, poses, motions, out);
}

void lb_frame_springs_survey(const lbFrameSprings *s, const lbFramePose *rest,
                             const lbFramePose *poses, const double *velocity, lbFrameSurvey *out) {
  *out = (lbFrameSurvey){ 0 };
  for (int32_t i = 0; i < s->frame_count; i++) {
    lbVec3 c, w = lb_vec3_load(velocity + 6 * i), v = lb_vec3_load(velocity + 6 * i + 3);
    lbVec3 t = poses[i].position, T = rest[i].position;
    lbMat3 X, R = lb_quat_to_mat3(poses[i].rotation);
    double m = s->masses[i];
    turned_moments(s, poses, i, &c, &X);
    lbVec3 C = lb_quat_rotate(rest[i].rotation, s->moments[i]);
    lbMat3 back = lb_mat3_transpose(lb_quat_to_mat3(rest[i].rotation));
    lbVec3 P = lb_add_scaled(lb_cross(w, c), m, v);
    lbVec3 own = lb_sub(lb_scale(lb_mat3_trace(X), w), lb_mat3_apply(X, w));
    out->moment = lb_add(out->moment, lb_add_scaled(c, m, t));
    out->linear = lb_add(out->linear, P);
    out->angular = lb_add(out->angular, lb_add(lb_cross(t, P), lb_add(lb_cross(c, v), own)));
    out->second = lb_mat3_add(out->second, lb_mat3_add(X, lb_mat3_scale(m, lb_mat3_outer(t, t))));
    out->second = lb_mat3_add(out->second, lb_mat3_add(lb_mat3_outer(t, c), lb_mat3_outer(c, t)));
    // Σ m x Xᵀ with x = t + R r, X = T + R̄ r
    lbMat3 turned = lb_mat3_multiply(R, lb_mat3_multiply(s->seconds[i], back));
    turned = lb_mat3_add(turned, lb_mat3_scale(m, lb_mat3_outer(t, T)));
    turned = lb_mat3_add(turned, lb_mat3_add(lb_mat3_outer(t, C), lb_mat3_outer(c, T)));
    out->turned = lb_mat3_add(out->turned, turned);
    out->kinetic += 0.5 * (m * lb_dot(v, v) + 2 * lb_dot(v, lb_cross(w, c)) + lb_dot(w, own));
  }
}
