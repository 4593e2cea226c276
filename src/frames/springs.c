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

// A symmetric 6 x 6 matrix [A B; Bᵀ C].
typedef struct Halves {
  lbMat3 A, B, C;
} Halves;

static lbMat3 part_of(const double S[36], int row, int column) {
  lbMat3 to;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) to.m[3 * i + j] = S[6 * (row + i) + column + j];
  return to;
}

static lbMat3 turn(lbMat3 R, lbMat3 X) {
  return lb_mat3_multiply(R, lb_mat3_multiply(X, lb_mat3_transpose(R)));
}

// M [l]×: rows r become r × l.
static lbMat3 times_skew(lbMat3 M, lbVec3 l) {
  lbMat3 to;
  for (int i = 0; i < 3; i++) lb_vec3_store(to.m + 3 * i, lb_cross(lb_vec3_load(M.m + 3 * i), l));
  return to;
}

// A + B [l]× + [a]×ᵀ low: the first block of D(a)ᵀ S D(l), low = Bᵀ + C [l]× its third.
static lbMat3 first_block(lbMat3 AB, lbVec3 a, lbMat3 low) {
  lbMat3 turned = times_skew(lb_mat3_transpose(low), a); // ([a]×ᵀ low)ᵀ
  return lb_mat3_add(AB, lb_mat3_transpose(turned));
}

// block (6 x 6, row-major) <- s [first right; low C]
static void fill_block(double s, lbMat3 first, lbMat3 right, lbMat3 low, lbMat3 C, double *block) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      block[6 * i + j] = s * first.m[3 * i + j];
      block[6 * i + 3 + j] = s * right.m[3 * i + j];
      block[6 * (3 + i) + j] = s * low.m[3 * i + j];
      block[6 * (3 + i) + 3 + j] = s * C.m[3 * i + j];
    }
}

// Into the lower triangle; i ≥ j.
static void add_block(int32_t n, int32_t i, int32_t j, const double *block, double *matrix) {
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
  lbStatus status = small ? lb_frame_springs_close(rest, K, fixed, s, err) : LB_OK;
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
  lb_free(s);
}

// ---- forces ------------------------------------------------------------------------------------

// A joint as a frame carries it.
static void carry(const lbFramePose *rest, const lbFramePose *pose, lbVec3 joint, lbQuat *turn,
                  lbVec3 *place) {
  *turn = lb_quat_multiply(pose->rotation, lb_quat_conjugate(rest->rotation));
  *place = lb_add(pose->position, lb_quat_rotate(*turn, lb_sub(joint, rest->position)));
}

static void add_spring(const lbFrameSpring *s, const lbFramePose *rest, const lbFramePose *poses,
                       int32_t n, int32_t options, const bool still[2], lbFrameSystem *out) {
  int32_t i = s->first, j = s->second;
  lbQuat qi, qj;
  lbVec3 xi, xj;
  carry(&rest[i], &poses[i], s->joint, &qi, &xi);
  carry(&rest[j], &poses[j], s->joint, &qj, &xj);
  lbQuat between = lb_quat_multiply(qi, lb_quat_conjugate(qj));
  if (between.w < 0) between = lb_quat_scale(-1, between);
  lbVec3 turned = lb_frame_rotation_vector(between), middle = lb_scale(0.5, lb_add(xi, xj));
  lbQuat half = lb_quat_normalise(lb_quat(between.x, between.y, between.z, between.w + 1));
  lbMat3 R = lb_quat_to_mat3(lb_quat_multiply(half, qj));
  double gap[6], force[6], local[6], own[6];
  lb_vec3_store(gap, turned), lb_vec3_store(gap + 3, lb_sub(xi, xj));
  lb_vec3_store(own, lb_mat3_apply_transpose(R, lb_vec3_load(gap)));
  lb_vec3_store(own + 3, lb_mat3_apply_transpose(R, lb_vec3_load(gap + 3)));
  for (int a = 0; a < 6; a++) {
    local[a] = 0;
    for (int c = 0; c < 6; c++) local[a] += s->stiffness[6 * a + c] * own[c];
    out->energy += 0.5 * own[a] * local[a];
  }
  lbVec3 torque = lb_mat3_apply(R, lb_vec3_load(local));
  lbVec3 pull = lb_mat3_apply(R, lb_vec3_load(local + 3));
  lb_vec3_store(force, torque), lb_vec3_store(force + 3, pull);
  lbVec3 li = lb_sub(poses[i].position, middle), lj = lb_sub(poses[j].position, middle);
  if (options & LB_FRAMES_FORCE) { // ∂W: at the places of the frames
    double *gi = out->gradient + 6 * i, *gj = out->gradient + 6 * j;
    lb_vec3_store(gi, lb_add(lb_vec3_load(gi), lb_sub(torque, lb_cross(li, pull))));
    lb_vec3_store(gj, lb_sub(lb_vec3_load(gj), lb_sub(torque, lb_cross(lj, pull))));
    for (int a = 3; a < 6; a++) gi[a] += force[a], gj[a] -= force[a];
  }
  if (!(options & LB_FRAMES_TANGENT)) return;
  double block[36];
  Halves S = { turn(R, part_of(s->stiffness, 0, 0)), turn(R, part_of(s->stiffness, 0, 3)),
               turn(R, part_of(s->stiffness, 3, 3)) };
  lbMat3 back = lb_mat3_transpose(S.B);
  lbMat3 AB_i = lb_mat3_add(S.A, times_skew(S.B, li)),
         low_i = lb_mat3_add(back, times_skew(S.C, li));
  lbMat3 AB_j = lb_mat3_add(S.A, times_skew(S.B, lj)),
         low_j = lb_mat3_add(back, times_skew(S.C, lj));
  if (!still[0]) {
    fill_block(1, first_block(AB_i, li, low_i), lb_mat3_transpose(low_i), low_i, S.C, block);
    add_block(n, i, i, block, out->K);
  }
  if (!still[1]) {
    fill_block(1, first_block(AB_j, lj, low_j), lb_mat3_transpose(low_j), low_j, S.C, block);
    add_block(n, j, j, block, out->K);
  }
  if (still[0] || still[1]) return;
  fill_block(-1, first_block(AB_i, lj, low_i), lb_mat3_transpose(low_j), low_i, S.C, block);
  add_block(n, j, i, block, out->K);
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
    add_block(n, i, i, block, out->M);
    if (!out->loads) continue;
    lbVec3 Xw = lb_mat3_apply(X, w);
    lb_vec3_store(out->loads + 6 * i, lb_add(lb_cross(c, gravity), lb_cross(w, Xw)));
    lb_vec3_store(out->loads + 6 * i + 3,
                  lb_sub(lb_scale(s->masses[i], gravity), lb_cross(w, lb_cross(w, c))));
  }
}

void lb_frame_springs_sum(const lbFrameSprings *s, int32_t options, const lbFramePose *rest,
                          const lbFramePose *poses, const lbFrameMotion *motions,
                          lbFrameSystem *out) {
  int32_t n = 6 * s->frame_count;
  out->energy = 0;
  if (options & LB_FRAMES_FORCE) memset(out->gradient, 0, (size_t)n * sizeof(double));
  if (options & LB_FRAMES_TANGENT) memset(out->K, 0, (size_t)n * (size_t)n * sizeof(double));
  for (int32_t k = 0; k < s->count; k++) {
    const lbFrameSpring *spring = &s->springs[k];
    const bool still[2] = { motions[spring->first].still, motions[spring->second].still };
    if (still[0] && still[1]) continue;
    add_spring(spring, rest, poses, n, options, still, out);
  }
  lb_frame_springs_add_loops(s, options, rest, poses, motions, out);
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
