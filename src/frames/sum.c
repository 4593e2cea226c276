// Sums over samples as energy, forces, stiffness and mass of frames.
//
// Kernels sum runs of batches that have the same frames, by lanes; here lanes are added up in a
// fixed order, runs are added to pairs of frames, and at the end the forms over the eight numbers
// of motions are turned into matrices over the six of velocities. The stiffness gets what a
// frame's own motion is of second order, f·d̈ (motion.c).
//
// Where all frames move, pairs with one of them, c, are not summed: a body that turns as a whole by
// ω about that frame's origin has the gradients g = (τ, f) turned, and none where it is moved, so
//
//   Σ_j K_ij R_j = ([ω]× τ_i / 2, [ω]× f_i),   R_j = [I 0; −[t_j − t_c]× I],   R_c = I
//
// (half of it where rotations are coordinates of their own), which leaves K_ic.
#include "frames/kernels.h"

#include <string.h>

#define OMITTED_MOST 64 // frames: of more, few act together with any one

static size_t pair_of(int32_t i, int32_t j) { // i ≤ j
  return (size_t)j * (size_t)(j + 1) / 2 + (size_t)i;
}

static size_t total_size(int32_t frames) {
  return lb_run_frame(frames) + LB_FORM_PAIR * pair_of(0, frames);
}

static double *pair_sums(double *total, int32_t frames, lbFramePair pair) {
  return total + lb_run_frame(frames) + LB_FORM_PAIR * pair_of(pair.first, pair.second);
}

size_t lb_frame_sums_doubles(int32_t list_most, int32_t frame_count) {
  size_t work = LB_WORK_ROWS * (1 + (size_t)list_most);
  return (lb_run_size(list_most) + work) * LB_BATCH + total_size(frame_count);
}

// ---- runs --------------------------------------------------------------------------------------

static bool same_list(const lbFrameSamples *s, int32_t a, int32_t b) {
  const lbFrameBatch *x = &s->batches[a], *y = &s->batches[b];
  return x->law == y->law && x->count == y->count &&
         memcmp(s->frames + x->first, s->frames + y->first, (size_t)x->count * sizeof *s->frames) ==
             0;
}

static double add_four(const double *l) { return (l[0] + l[1]) + (l[2] + l[3]); }

static void add_all_frame_sums(const double *lanes, size_t width, size_t count, double *to) {
  if (width == 4)
    for (size_t i = 0; i < count; i++) to[i] += add_four(lanes + 4 * i);
  else
    for (size_t i = 0; i < count; i++)
      to[i] += add_four(lanes + 8 * i) + add_four(lanes + 8 * i + 4);
}

static void add_run(const lbFrameSamples *s, int32_t batch, int32_t options, const double *run,
                    size_t width, int32_t frame_count, double *total) {
  const lbFrameBatch *b = &s->batches[batch];
  const int32_t *list = s->frames + b->first;
  add_all_frame_sums(run, width, 1, total);
  bool forces = options & (LB_FRAMES_FORCE | LB_FRAMES_LOADS);
  for (int32_t i = 0; i < b->count && forces; i++)
    add_all_frame_sums(run + lb_run_frame(i) * width, width, LB_FORM_FRAME,
                       total + lb_run_frame(list[i]));
  if (!(options & (LB_FRAMES_TANGENT | LB_FRAMES_MASS))) return;
  for (int32_t j = 0; j < b->count; j++)
    for (int32_t i = 0; i <= j; i++)
      add_all_frame_sums(run + lb_run_pair(b->count, i, j) * width, width, LB_FORM_PAIR,
                         pair_sums(total, frame_count, (lbFramePair){ list[i], list[j] }));
}

static size_t used_size(int32_t count, int32_t options) {
  if (options & (LB_FRAMES_TANGENT | LB_FRAMES_MASS)) return lb_run_size(count);
  return options & (LB_FRAMES_FORCE | LB_FRAMES_LOADS) ? lb_run_frame(count) : 1;
}

// ---- from eight numbers to six -----------------------------------------------------------------

// The symmetric matrix (8 x 8) of a form.
static void spread_form(const double *form, bool dual, double S[64]) {
  int at = 0;
  memset(S, 0, 64 * sizeof *S);
  for (int u = 0; u < 4; u++)
    for (int v = u; v < 4; v++) S[8 * u + v] = S[8 * v + u] = form[at++];
  for (int u = 0; u < 4; u++)
    for (int v = 4; v < 8; v++) S[8 * u + v] = S[8 * v + u] = form[at++];
  for (int u = 4; u < 8 && dual; u++)
    for (int v = u; v < 8; v++) S[8 * u + v] = S[8 * v + u] = form[at++];
}

static void fill_M(const lbFrameMotion *m, double M[48]) { // (8 x 6)
  memset(M, 0, 48 * sizeof *M);
  for (int k = 0; k < 4; k++)
    for (int c = 0; c < 3; c++) {
      M[6 * k + c] = m->real[3 * k + c];
      M[6 * (4 + k) + c] = m->dual[3 * k + c];
      M[6 * (4 + k) + 3 + c] = m->real[3 * k + c];
    }
}

// block (6 x 6, row-major) += M_iᵀ S M_j
static void add_turned_frame_sums(const double *Mi, const double *Mj, const double *S,
                                  double *block) {
  double SM[48];
  for (int u = 0; u < 8; u++)
    for (int c = 0; c < 6; c++) {
      double sum = 0;
      for (int v = 0; v < 8; v++) sum += S[8 * u + v] * Mj[6 * v + c];
      SM[6 * u + c] = sum;
    }
  for (int a = 0; a < 6; a++)
    for (int c = 0; c < 6; c++)
      for (int u = 0; u < 8; u++) block[6 * a + c] += Mi[6 * u + a] * SM[6 * u + c];
}

// The block of frames i ≤ j into the lower triangle.
static void put_block(int32_t n, int32_t i, int32_t j, const double *block, double *matrix) {
  for (size_t a = 0; a < 6; a++)
    for (size_t c = 0; c < 6; c++)
      matrix[6 * (size_t)j + c + (size_t)n * (6 * (size_t)i + a)] = block[6 * a + c];
}

// block (6 x 6) += f·d̈, d̈_ωω = −¼ |ω|² d, d̈_ε,ωv = ½ v ω d₀.
static void add_own_curvature(const lbFrameMotion *m, const double *f, double *block) {
  double along = 0;
  lbQuat d0 = lb_quat(m->d[0], m->d[1], m->d[2], m->d[3]), fe = lb_quat(f[4], f[5], f[6], f[7]);
  for (int k = 0; k < 8; k++) along += f[k] * m->d[k];
  for (int a = 0; a < 3; a++) {
    block[7 * a] -= 0.25 * along;
    lbQuat wd = lb_quat_multiply(lb_quat(a == 0, a == 1, a == 2, 0), d0);
    for (int c = 0; c < 3; c++) {
      lbQuat vwd = lb_quat_multiply(lb_quat(c == 0, c == 1, c == 2, 0), wd);
      double value = 0.25 * lb_quat_dot(fe, vwd);
      block[6 * a + 3 + c] += value;
      block[6 * (3 + c) + a] += value;
    }
  }
}

static void finish_pair(const lbFrameMotion *motions, int32_t i, int32_t j, int32_t n,
                        int32_t options, const double *pair, const double *f, lbFrameSystem *out) {
  double block[36], S[64], Mi[48], Mj[48];
  fill_M(&motions[i], Mi), fill_M(&motions[j], Mj);
  if (options & LB_FRAMES_TANGENT) {
    memcpy(block, pair, sizeof block);
    if (!(options & LB_FRAMES_SAFE)) {
      spread_form(pair + LB_FORM_MATERIAL, false, S);
      add_turned_frame_sums(Mi, Mj, S, block);
      if (i == j) add_own_curvature(&motions[i], f, block);
    }
    put_block(n, i, j, block, out->K);
  }
  if (options & LB_FRAMES_MASS) {
    memset(block, 0, sizeof block);
    spread_form(pair + LB_FORM_MATERIAL + LB_FORM_GEOMETRIC, true, S);
    add_turned_frame_sums(Mi, Mj, S, block);
    put_block(n, i, j, block, out->M);
  }
}

// ---- the omitted frame -------------------------------------------------------------------------

// K_ij (6 x 6, row-major), i and j in any order, from the lower triangle.
static void take_block_frame_sums(int32_t n, int32_t i, int32_t j, const double *K, double *block) {
  for (size_t a = 0; a < 6; a++)
    for (size_t c = 0; c < 6; c++) {
      size_t row = 6 * (size_t)i + a, column = 6 * (size_t)j + c;
      block[6 * a + c] = row < column ? K[column + (size_t)n * row] : K[row + (size_t)n * column];
    }
}

// block <- what a body that turns, column by column, changes in the gradient of a frame.
static void turn_gradient(const double *gradient, double *block) {
  memset(block, 0, 36 * sizeof *block);
  for (int c = 0; c < 3; c++) {
    lbVec3 axis = lb_vec3(c == 0, c == 1, c == 2);
    lbVec3 torque = lb_cross(axis, lb_vec3_load(gradient));
    lbVec3 force = lb_cross(axis, lb_vec3_load(gradient + 3));
    block[c] = 0.5 * torque.x, block[6 + c] = 0.5 * torque.y, block[12 + c] = 0.5 * torque.z;
    block[18 + c] = force.x, block[24 + c] = force.y, block[30 + c] = force.z;
  }
}

// block -= K R
static void subtract_carried(const double *K, lbVec3 arm, double *block) {
  for (int a = 0; a < 6; a++) {
    const double *row = K + 6 * a;
    lbVec3 turned = lb_cross(arm, lb_vec3_load(row + 3)); // −kᵀ [arm]× = (arm × k)ᵀ
    block[6 * a] -= row[0] + turned.x;
    block[6 * a + 1] -= row[1] + turned.y;
    block[6 * a + 2] -= row[2] + turned.z;
    for (int c = 3; c < 6; c++) block[6 * a + c] -= row[c];
  }
}

// K_ic of all frames; those without a part in the samples have none.
static void complete_frame_sums(const lbFrameMotion *motions, int32_t frames, int32_t omitted,
                                lbFrameSystem *out) {
  double block[36], K[36];
  for (int32_t k = 0; k < frames; k++) {
    int32_t i = k == frames - 1 ? omitted : k + (k >= omitted); // the omitted one itself at the end
    turn_gradient(out->gradient + 6 * i, block);
    for (int32_t j = 0; j < frames; j++) {
      if (j == omitted) continue;
      take_block_frame_sums(6 * frames, i, j, out->K, K);
      subtract_carried(K, lb_sub(motions[j].position, motions[omitted].position), block);
    }
    if (i < omitted) {
      put_block(6 * frames, i, omitted, block, out->K);
      continue;
    }
    for (int a = 0; a < 6; a++)
      for (int c = 0; c < 6; c++) K[6 * c + a] = block[6 * a + c];
    for (int a = 0; a < 36 && i == omitted; a++) K[a] = 0.5 * (K[a] + block[a]);
    put_block(6 * frames, omitted, i, K, out->K);
  }
}

static int32_t omitted_by(const lbFrameSamples *s, const lbFrameMotion *motions, int32_t frames,
                          int32_t options) {
  if (!(options & LB_FRAMES_TANGENT) || (options & LB_FRAMES_SAFE) || frames > OMITTED_MOST)
    return -1;
  for (int32_t i = 0; i < frames; i++)
    if (motions[i].still) return -1;
  return s->common;
}

// ---- all of it ---------------------------------------------------------------------------------

static void finish_frame_sums(const lbFrameSamples *s, const lbFrameMotion *motions, int32_t frames,
                              int32_t options, int32_t omitted, double *total, lbFrameSystem *out) {
  int32_t n = 6 * frames;
  out->energy = total[0];
  for (int32_t i = 0; i < frames; i++) {
    const double *f = total + lb_run_frame(i);
    if (options & LB_FRAMES_FORCE) {
      memset(out->gradient + 6 * i, 0, 6 * sizeof(double));
      lb_frame_gather(&motions[i], f, out->gradient + 6 * i);
    }
    if (options & LB_FRAMES_LOADS) {
      memset(out->loads + 6 * i, 0, 6 * sizeof(double));
      lb_frame_gather(&motions[i], f + 8, out->loads + 6 * i);
    }
  }
  if (!(options & (LB_FRAMES_TANGENT | LB_FRAMES_MASS))) return;
  if (options & LB_FRAMES_TANGENT) memset(out->K, 0, (size_t)n * (size_t)n * sizeof(double));
  if (options & LB_FRAMES_MASS) memset(out->M, 0, (size_t)n * (size_t)n * sizeof(double));
  for (int32_t k = 0; k < s->pair_count; k++) {
    int32_t i = s->pairs[k].first, j = s->pairs[k].second;
    finish_pair(motions, i, j, n, options, pair_sums(total, frames, s->pairs[k]),
                total + lb_run_frame(j), out);
  }
  if (omitted >= 0) complete_frame_sums(motions, frames, omitted, out);
}

void lb_frame_sum(const lbFrameSamples *s, lbSimdLevel level, int32_t options, int32_t frame_count,
                  const lbFrameMotion *motions, lbVec3 gravity, double *room, lbFrameSystem *out) {
  const lbFrameKernels *kernels = lb_frame_kernels(level);
  const double g[3] = { gravity.x, gravity.y, gravity.z };
  const size_t width = (size_t)kernels->width;
  double *run = room, *work = run + lb_run_size(s->list_most) * LB_BATCH;
  int32_t omitted = omitted_by(s, motions, frame_count, options);
  double *total = work + LB_WORK_ROWS * (1 + (size_t)s->list_most) * LB_BATCH;
  memset(total, 0, lb_run_frame(frame_count) * sizeof *total);
  for (int32_t k = 0; k < s->pair_count && (options & (LB_FRAMES_TANGENT | LB_FRAMES_MASS)); k++)
    memset(pair_sums(total, frame_count, s->pairs[k]), 0, LB_FORM_PAIR * sizeof *total);
  for (int32_t begin = 0, end = 0; begin < s->batch_count; begin = end) {
    size_t size = used_size(s->batches[begin].count, options);
    for (end = begin + 1; end < s->batch_count && same_list(s, begin, end);) end++;
    memset(run, 0, size * width * sizeof *run);
    kernels->sum(s, begin, end, options, omitted, motions, g, work, run);
    add_run(s, begin, options, run, width, frame_count, total);
  }
  finish_frame_sums(s, motions, frame_count, options, omitted, total, out);
}

// ---- the body as a whole -----------------------------------------------------------------------

void lb_frame_survey(const lbFrameSamples *s, lbSimdLevel level, const lbFrameMotion *motions,
                     lbFrameSurvey *out) {
  double lanes[LB_SURVEY_ROWS * LB_BATCH] = { 0 }, sums[LB_SURVEY_ROWS] = { 0 };
  lb_frame_point_kernels(level)->survey(s, 0, s->batch_count, motions, lanes);
  add_all_frame_sums(lanes, LB_BATCH, LB_SURVEY_ROWS, sums);
  const double *q = sums + 9;
  out->moment = lb_vec3_load(sums);
  out->linear = lb_vec3_load(sums + 3);
  out->angular = lb_vec3_load(sums + 6);
  out->second = (lbMat3){ { q[0], q[1], q[2], q[1], q[3], q[4], q[2], q[4], q[5] } };
  memcpy(out->turned.m, sums + 15, sizeof out->turned.m);
  out->kinetic = sums[24];
}
