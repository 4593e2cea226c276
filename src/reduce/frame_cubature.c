// Training poses of frames, columns of samples, and what was chosen; see frame_cubature.h.
//
// A pose is what random forces at the frames do to the body at rest, K x = f, scaled to a length
// between SMALL and LARGE of the body's size. The column of a sample has its share of the elastic
// force on the frames at every pose, torques divided by the size; rows of a pose are divided by the
// length of the whole force.
#include "reduce/frame_cubature.h"

#include "linalg/fnnls.h"
#include "math/ldlt.h"
#include "reduce/selection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POSES_LEAST = 30, HELD_OUT = 20, SHORTENINGS = 30 };
static const double SMALL = 0.01, LARGE = 0.2;
static const double SHIFT = 1e-4;    // of stiffness over mass: bodies that move as a whole
static const double RIGID_ROWS = 30; // weight of the total mass among the equations for masses

typedef struct Trainer {
  const lbFrameCubatureDef *def;
  const lbFrameSampleDef *samples;
  int32_t frames, n; // n = 6 frames
  int32_t sample_count, pose_count;
  double size;            // m
  lbFrameMotion *motions; // (poses x frames)
  double *forces;         // (poses x n) of all samples, torques over size
  double *scales;         // (poses)
  double *matrix;         // (samples x poses x n), scaled
  double *b;              // (poses x n)
  double *K, *M;          // (n x n)
  double *factor;         // (padded x padded)
  double *room, *gradient;
} Trainer;

static void release_frame_cubature(Trainer *t) {
  double *arrays[] = { t->forces, t->scales, t->matrix, t->b,       t->K,
                       t->M,      t->factor, t->room,   t->gradient };
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) lb_free(arrays[i]);
  lb_free(t->motions);
}

static lbStatus allocate_frame_cubature(Trainer *t, lbError *err) {
  size_t n = (size_t)t->n, rows = (size_t)t->pose_count * n, padded = (size_t)lb_ldlt_padded(t->n);
  size_t room = lb_frame_sums_doubles(LB_FRAME_LIST_MOST, t->frames);
  t->motions = lb_alloc((size_t)t->pose_count * (size_t)t->frames, sizeof *t->motions);
  t->forces = lb_alloc(rows, sizeof(double)), t->b = lb_alloc(rows, sizeof(double));
  t->scales = lb_alloc((size_t)t->pose_count, sizeof(double));
  t->matrix = lb_alloc(rows, (size_t)t->sample_count * sizeof(double));
  t->K = lb_alloc(n * n, sizeof(double)), t->M = lb_alloc(n * n, sizeof(double));
  t->factor = lb_alloc(padded * padded, sizeof(double));
  t->room = lb_alloc(room, sizeof(double)), t->gradient = lb_alloc(padded, sizeof(double));
  bool all = t->motions && t->forces && t->b && t->scales && t->matrix && t->K && t->M &&
             t->factor && t->room && t->gradient;
  return all ? LB_OK : lb_fail_memory(err);
}

// ---- poses -------------------------------------------------------------------------------------

static double sum_of(Trainer *t, const lbFrameSamples *samples, const lbFrameMotion *motions,
                     double *force) {
  lbFrameSystem sums = { 0, t->gradient, NULL, NULL, NULL };
  lb_frame_sum(samples, lb_simd_best(), LB_FRAMES_FORCE, t->frames, motions, lb_vec3(0, 0, 0),
               t->room, &sums);
  for (int32_t i = 0; i < t->n; i++) force[i] = t->gradient[i] / (i % 6 < 3 ? t->size : 1);
  return sums.energy;
}

static lbStatus factor_rest(Trainer *t, const lbFrameSamples *all, lbError *err) {
  lbFrameMotion rest[LB_FRAMES_MOST];
  size_t n = (size_t)t->n, padded = (size_t)lb_ldlt_padded(t->n);
  double stiffness = 0, mass = 0;
  lbFrameSystem sums = { 0, t->gradient, NULL, t->K, t->M };
  for (int32_t i = 0; i < t->frames; i++)
    rest[i] = lb_frame_motion(&t->def->rest[i], &t->def->rest[i], NULL);
  lb_frame_sum(all, lb_simd_best(), LB_FRAMES_FORCE | LB_FRAMES_TANGENT | LB_FRAMES_MASS, t->frames,
               rest, lb_vec3(0, 0, 0), t->room, &sums);
  for (size_t i = 0; i < n; i++) stiffness += t->K[i * (n + 1)], mass += t->M[i * (n + 1)];
  double shift = SHIFT * stiffness / fmax(mass, 1e-300);
  for (size_t j = 0; j < n; j++)
    for (size_t i = j; i < n; i++) {
      bool cut = t->def->fixed[i / 6] || t->def->fixed[j / 6];
      t->factor[i + padded * j] =
          cut ? (double)(i == j) : t->K[i + n * j] + shift * t->M[i + n * j];
    }
  if (lb_ldlt_kernels(lb_simd_best())->factor(t->n, t->factor)) return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT, "frames: the stiffness at rest cannot be factored");
}

// x (n) <- a random displacement of frames, of a length.
static void draw_frame_motion(Trainer *t, lbRandom *random, double length, double *x) {
  double most = 0;
  memset(t->gradient, 0, (size_t)lb_ldlt_padded(t->n) * sizeof(double));
  for (int32_t i = 0; i < t->n; i++)
    if (!t->def->fixed[i / 6])
      t->gradient[i] = lb_random_normal(random) * (i % 6 < 3 ? 0.3 * t->size : 1);
  lb_ldlt_kernels(lb_simd_best())->solve(t->n, t->factor, t->gradient);
  for (int32_t i = 0; i < t->frames; i++) {
    most = fmax(most, lb_length(lb_vec3_load(t->gradient + 6 * i)) * 0.3 * t->size);
    most = fmax(most, lb_length(lb_vec3_load(t->gradient + 6 * i + 3)));
  }
  for (int32_t i = 0; i < t->n; i++) x[i] = t->gradient[i] * length * t->size / fmax(most, 1e-300);
}

static lbStatus make_poses(Trainer *t, const lbFrameSamples *all, lbError *err) {
  double x[6 * LB_FRAMES_MOST];
  for (int32_t p = 0; p < t->pose_count; p++) {
    lbRandom random = lb_random_stream(1, (uint64_t)p);
    lbFrameMotion *motions = t->motions + (size_t)p * (size_t)t->frames;
    double length = SMALL * pow(LARGE / SMALL, lb_random_unit(&random)), square = 0;
    double *force = t->forces + (size_t)p * (size_t)t->n;
    draw_frame_motion(t, &random, length, x);
    for (int k = 0; k < SHORTENINGS && !(square > 0 && isfinite(square)); k++) {
      for (int32_t i = 0; i < t->frames; i++) {
        lbFramePose pose = lb_frame_advance(&t->def->rest[i], x + 6 * i, pow(0.7, k));
        motions[i] = lb_frame_motion(&t->def->rest[i], &pose, NULL);
      }
      double energy = sum_of(t, all, motions, force);
      square = isfinite(energy) ? 0 : NAN;
      for (int32_t i = 0; i < t->n; i++) square += force[i] * force[i];
    }
    if (!(square > 0 && isfinite(square)))
      return lb_fail(err, LB_ERR_ARGUMENT, "frames: no pose has an elastic force to train for");
    t->scales[p] = 1 / sqrt(square);
    for (int32_t i = 0; i < t->n; i++)
      t->b[(size_t)p * (size_t)t->n + (size_t)i] = force[i] * t->scales[p];
  }
  return LB_OK;
}

// ---- columns -----------------------------------------------------------------------------------

static lbStatus one_sample(const Trainer *t, int32_t k, lbFrameSamples **out, lbError *err) {
  lbFrameSampleDef def = *t->samples;
  def.weights.point_count = 1;
  def.weights.begin += k;
  def.positions += 3 * (size_t)k;
  def.volumes += k, def.masses += k, def.materials += k;
  if (def.stiffnesses) def.stiffnesses += k;
  return lb_frame_samples_create(&def, out, err);
}

static lbStatus make_frame_cubature_columns(Trainer *t, lbError *err) {
  size_t n = (size_t)t->n, rows = (size_t)t->pose_count * n;
  lbStatus status = LB_OK;
  for (int32_t k = 0; k < t->sample_count && !status; k++) {
    lbFrameSamples *sample = NULL;
    double *column = t->matrix + rows * (size_t)k;
    status = one_sample(t, k, &sample, err);
    for (int32_t p = 0; p < t->pose_count && !status; p++) {
      double *to = column + n * (size_t)p;
      sum_of(t, sample, t->motions + (size_t)p * (size_t)t->frames, to);
      for (size_t i = 0; i < n; i++) to[i] *= t->scales[p];
    }
    lb_frame_samples_destroy(sample);
    if (!status && k % 64 == 0 && !lb_progress("samples", (double)k / t->sample_count))
      status = lb_fail_interrupted(err, "samples");
  }
  return status;
}

// |A w − b| of poses [begin, end), relative.
static double error_at(const Trainer *t, const lbFrameCubature *c, int32_t begin, int32_t end) {
  size_t n = (size_t)t->n, rows = (size_t)t->pose_count * n;
  double sum = 0;
  for (size_t r = (size_t)begin * n; r < (size_t)end * n; r++) {
    double value = -t->b[r];
    for (int32_t k = 0; k < c->count; k++) {
      int32_t sample = c->samples[k];
      value += c->volumes[k] / t->samples->volumes[sample] * t->matrix[rows * (size_t)sample + r];
    }
    sum += value * value;
  }
  return sqrt(sum / fmax(end - begin, 1));
}

// ---- masses ------------------------------------------------------------------------------------

// Entries of the mass at rest that all samples, or one of them, have; then mass and its moments.
static size_t mass_rows(const Trainer *t) { return (size_t)t->n * (size_t)(t->n + 1) / 2 + 10; }

static void fill_mass_rows(Trainer *t, const lbFrameSamples *samples, const double *diagonal,
                           double *rows) {
  lbFrameMotion rest[LB_FRAMES_MOST];
  size_t n = (size_t)t->n, at = 0;
  lbFrameSystem sums = { 0, NULL, NULL, NULL, t->M };
  lbFrameSurvey survey;
  for (int32_t i = 0; i < t->frames; i++)
    rest[i] = lb_frame_motion(&t->def->rest[i], &t->def->rest[i], NULL);
  lb_frame_sum(samples, lb_simd_best(), LB_FRAMES_MASS, t->frames, rest, lb_vec3(0, 0, 0), t->room,
               &sums);
  lb_frame_survey(samples, lb_simd_best(), rest, &survey);
  for (size_t j = 0; j < n; j++)
    for (size_t i = j; i < n; i++)
      rows[at++] = t->M[i + n * j] / sqrt(fmax(diagonal[i] * diagonal[j], 1e-300));
  const double whole[10] = { samples->mass,
                             survey.moment.x / t->size,
                             survey.moment.y / t->size,
                             survey.moment.z / t->size,
                             survey.second.m[0] / (t->size * t->size),
                             survey.second.m[1] / (t->size * t->size),
                             survey.second.m[2] / (t->size * t->size),
                             survey.second.m[4] / (t->size * t->size),
                             survey.second.m[5] / (t->size * t->size),
                             survey.second.m[8] / (t->size * t->size) };
  for (int k = 0; k < 10; k++) rows[at++] = RIGID_ROWS * whole[k] / diagonal[n];
}

static double dot_frame_forces(size_t n, const double *a, const double *b) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static lbStatus find_masses(Trainer *t, const lbFrameSamples *all, lbFrameCubature *c,
                            lbError *err) {
  size_t rows = mass_rows(t), count = (size_t)c->count, n = (size_t)t->n;
  double *A = lb_alloc(rows, (count + 1) * sizeof *A), *G = lb_alloc(count * count, sizeof *G);
  double *right = lb_alloc(count, sizeof *right), *x = lb_alloc(count, sizeof *x);
  double diagonal[6 * LB_FRAMES_MOST + 1], total = 0;
  lbStatus status = A && G && right && x ? LB_OK : lb_fail_memory(err);
  for (size_t i = 0; i < n; i++) diagonal[i] = t->M[i * (n + 1)];
  diagonal[n] = all->mass;
  if (!status) fill_mass_rows(t, all, diagonal, A + rows * count);
  for (size_t k = 0; k < count && !status; k++) {
    lbFrameSamples *sample = NULL;
    status = one_sample(t, c->samples[k], &sample, err);
    if (!status) fill_mass_rows(t, sample, diagonal, A + rows * k);
    lb_frame_samples_destroy(sample);
  }
  for (size_t k = 0; k < count && !status; k++) {
    right[k] = dot_frame_forces(rows, A + rows * k, A + rows * count);
    for (size_t j = 0; j <= k; j++)
      G[k + count * j] = G[j + count * k] = dot_frame_forces(rows, A + rows * k, A + rows * j);
  }
  if (!status) status = lb_fnnls(c->count, G, count, right, x, err);
  for (size_t k = 0; k < count && !status; k++)
    total += c->masses[k] = x[k] * t->samples->masses[c->samples[k]];
  for (size_t k = 0; k < count && !status; k++) c->masses[k] *= all->mass / total;
  lb_free(A), lb_free(G), lb_free(right), lb_free(x);
  return status;
}

// ---- the whole ---------------------------------------------------------------------------------

typedef struct Pick {
  int32_t sample;
  double weight;
} Pick;

static int by_sample(const void *a, const void *b) {
  int32_t left = ((const Pick *)a)->sample, right = ((const Pick *)b)->sample;
  return (left > right) - (left < right);
}

static lbStatus keep_frame_choice(const Trainer *t, const lbChoice *choice, lbFrameCubature *c,
                                  lbError *err) {
  size_t count = (size_t)choice->count;
  Pick *picks = lb_alloc(count, sizeof *picks);
  c->count = choice->count;
  c->samples = lb_alloc(count, sizeof *c->samples);
  c->volumes = lb_alloc(count, sizeof *c->volumes);
  c->masses = lb_alloc(count, sizeof *c->masses);
  if (!picks || !c->samples || !c->volumes || !c->masses) {
    lb_free(picks);
    return lb_fail_memory(err);
  }
  for (size_t k = 0; k < count; k++) picks[k] = (Pick){ choice->list[k], choice->weights[k] };
  qsort(picks, count, sizeof *picks, by_sample);
  for (size_t k = 0; k < count; k++) {
    c->samples[k] = picks[k].sample;
    c->volumes[k] = picks[k].weight * t->samples->volumes[picks[k].sample];
  }
  lb_free(picks);
  return LB_OK;
}

static lbStatus choose_frame_components(Trainer *t, lbFrameCubature *c, lbError *err) {
  size_t n = (size_t)t->n, trained = (size_t)(t->pose_count - HELD_OUT);
  lbColumns columns = { .dimension = t->n,
                        .component_count = t->sample_count,
                        .pose_count = (int32_t)trained,
                        .matrix = t->matrix,
                        .stride = (size_t)t->pose_count * n };
  lbSelectionDef def = { .columns = &columns, .b = t->b, .goal = t->def->error, .seed = 1 };
  lbChoice *choice = NULL;
  def.limit =
      t->def->limit > 0 && t->def->limit < t->sample_count ? t->def->limit : t->sample_count;
  lbStatus status = lb_nnhtp(&def, false, &choice, err);
  if (!status) status = keep_frame_choice(t, choice, c, err);
  if (!status) c->error = choice->error;
  lb_choice_destroy(choice);
  return status;
}

static double frame_state_size(const lbFrameSampleDef *samples, int32_t count) {
  double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
  for (size_t i = 0; i < 3 * (size_t)count; i++) {
    low[i % 3] = fmin(low[i % 3], samples->positions[i]);
    high[i % 3] = fmax(high[i % 3], samples->positions[i]);
  }
  return fmax(hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]), 1e-300);
}

void lb_frame_cubature_destroy(lbFrameCubature *c) {
  if (!c) return;
  lb_free(c->samples);
  lb_free(c->volumes);
  lb_free(c->masses);
  lb_free(c);
}

lbStatus lb_frame_cubature_create(const lbFrameCubatureDef *def, lbFrameCubature **out,
                                  lbError *err) {
  Trainer t = { .def = def,
                .samples = def->samples,
                .frames = def->samples->weights.frame_count,
                .sample_count = def->samples->weights.point_count };
  lbFrameSamples *all = NULL;
  lbFrameCubature *c = lb_alloc(1, sizeof *c);
  t.n = 6 * t.frames;
  t.pose_count = HELD_OUT + (POSES_LEAST > 2 * t.n ? POSES_LEAST : 2 * t.n);
  t.size = frame_state_size(def->samples, t.sample_count);
  lbStatus status = c ? allocate_frame_cubature(&t, err) : lb_fail_memory(err);
  if (!status) status = lb_frame_samples_create(def->samples, &all, err);
  if (!status) status = factor_rest(&t, all, err);
  if (!status) status = make_poses(&t, all, err);
  if (!status) status = make_frame_cubature_columns(&t, err);
  if (!status) status = choose_frame_components(&t, c, err);
  if (!status) c->held_out = error_at(&t, c, t.pose_count - HELD_OUT, t.pose_count);
  if (!status) status = factor_rest(&t, all, err); // M of all samples
  if (!status) status = find_masses(&t, all, c, err);
  lb_frame_samples_destroy(all);
  release_frame_cubature(&t);
  if (status)
    lb_frame_cubature_destroy(c);
  else
    *out = c;
  return status;
}
