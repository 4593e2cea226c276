// Principal components of a motion. D (3 vertices x frames) holds x_f - c_f minus its mean over the
// frames. From the smaller Gram matrix, D' D or D D', come the coordinates q_i of the components
// over the frames, with |q_i|^2 = lambda_i; a component itself is D q_i / lambda_i. Its range over
// the frames goes into the target, its low end into the base:
//   target_i = D q_i (high_i - low_i) / lambda_i,   w_i = (q_i - low_i) / (high_i - low_i),
//   base = mean + sum_i target_i low_i / (high_i - low_i).
// D is made block by block of vertices and never stored whole, unless its rows are the smaller
// side.
#include "export/motion.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

// Components weaker than this (in lambda, against the first) are rounding of the float frames.
#define NOISE 1e-14

typedef struct Analysis {
  const lbMotionInput *input;
  lbMotion *motion;
  int32_t frame_count, vertex_count;
  int32_t count;        // candidates for targets
  double *coordinates;  // (frame_count x count), column-major, q_i
  double *lambdas;      // (count), descending
  double *lows;         // (count), low_i / (high_i - low_i)
  double *projector;    // (frame_count x count), q_i (high_i - low_i) / lambda_i
  float *weights;       // (count x frame_count), as in the file
  float *targets;       // (count x 3 vertex_count)
  double *means;        // (3 vertex_count)
  double *errors2;      // (count + 1), greatest squared error with that many targets
  int32_t block;        // vertices in a block of the measure stage
  double *D, *T, *base; // one block: (3 block x frame_count), (3 block x count), (3 block)
} Analysis;

// ---- D -----------------------------------------------------------------------------------------

// Centroids, as the file has them, from the positions of block after block.
static bool find_translations(const Analysis *a) {
  lbMotion *motion = a->motion;
  int32_t block = lb_motion_block(a->input, 1 << 20, 128);
  double *X = lb_alloc(3 * (size_t)block * (size_t)a->frame_count, sizeof *X);
  double *sums = lb_alloc(3 * (size_t)a->frame_count, sizeof *sums);
  bool ok = X && sums;
  for (int32_t begin = 0; begin < a->vertex_count && ok; begin += block) {
    int32_t end = a->vertex_count - begin > block ? begin + block : a->vertex_count;
    size_t rows = 3 * (size_t)(end - begin);
    ok = lb_motion_positions(a->input, begin, end, X);
    for (size_t i = 0; i < rows * (size_t)a->frame_count && ok; i++)
      sums[i / rows * 3 + i % rows % 3] += X[i];
  }
  for (size_t i = 0; i < 3 * (size_t)a->frame_count && ok; i++) {
    motion->translations[i] = (float)(sums[i] / a->vertex_count);
    if (motion->translations[i] != motion->translations[i % 3]) motion->moves = true;
  }
  lb_free(X);
  lb_free(sums);
  return ok;
}

// Rows of D and of the mean for vertices [begin, end). False: no memory.
static bool fill_component_block(const Analysis *a, int32_t begin, int32_t end, double *D) {
  size_t rows = 3 * (size_t)(end - begin);
  double *means = a->means + 3 * (size_t)begin;
  if (!lb_motion_positions(a->input, begin, end, D)) return false;
  memset(means, 0, rows * sizeof *means);
  for (int32_t f = 0; f < a->frame_count; f++) {
    const float *translation = a->motion->translations + 3 * (size_t)f;
    double *column = D + rows * (size_t)f;
    for (size_t i = 0; i < rows; i++) {
      column[i] -= (double)translation[i % 3];
      means[i] += column[i];
    }
  }
  for (size_t i = 0; i < rows; i++) means[i] /= a->frame_count;
  for (int32_t f = 0; f < a->frame_count; f++)
    for (size_t i = 0; i < rows; i++) D[rows * (size_t)f + i] -= means[i];
  return true;
}

// ---- components --------------------------------------------------------------------------------

// How many components can be wanted: without the rest, no vertex is off by more than half the
// tolerance, since its error is at most the root of the sum of the remaining lambdas.
static int32_t count_component_candidates(const Analysis *a, int32_t size, const double *values) {
  double first = values[size - 1], allowed = 0.5 * a->input->tolerance, rest = 0;
  int32_t spare = 0;
  while (spare < size) {
    double value = values[spare] > 0 ? values[spare] : 0;
    if (!(value <= NOISE * first) && rest + value > allowed * allowed) break;
    rest += value;
    spare++;
  }
  int32_t count = size - spare;
  return count < a->input->targets_max ? count : a->input->targets_max;
}

static lbStatus take_components(Analysis *a, int32_t size, const double *values, lbError *err) {
  a->count = count_component_candidates(a, size, values);
  size_t count = (size_t)a->count;
  a->coordinates = lb_alloc(count * (size_t)a->frame_count, sizeof(double));
  a->lambdas = lb_alloc(count, sizeof(double));
  if (!a->coordinates || !a->lambdas) return lb_fail_memory(err);
  for (int32_t i = 0; i < a->count; i++) a->lambdas[i] = values[size - 1 - i];
  return LB_OK;
}

// D' D = V diag(lambda) V', q_i = sqrt(lambda_i) v_i
static lbStatus components_by_frames(Analysis *a, lbError *err) {
  int32_t size = a->frame_count, block = lb_motion_block(a->input, 1 << 20, 128);
  double *G = lb_alloc((size_t)size * (size_t)size, sizeof *G);
  double *values = lb_alloc((size_t)size, sizeof *values);
  double *D = lb_alloc(3 * (size_t)block * (size_t)size, sizeof *D);
  lbStatus status = G && values && D ? LB_OK : lb_fail_memory(err);
  for (int32_t begin = 0; begin < a->vertex_count && !status; begin += block) {
    int32_t end = a->vertex_count - begin > block ? begin + block : a->vertex_count;
    if (!fill_component_block(a, begin, end, D)) {
      status = lb_fail_memory(err);
      break;
    }
    lb_dense_multiply(LB_TRANSPOSED, LB_PLAIN, size, size, 3 * (end - begin), 1, D, D, 1, G);
    if (!lb_progress("components of the motion", (double)end / a->vertex_count))
      status = lb_fail_interrupted(err, "components of the motion");
  }
  if (!status) status = lb_dense_eigen(size, G, values, err);
  if (!status) status = take_components(a, size, values, err);
  for (int32_t i = 0; i < a->count && !status; i++)
    for (int32_t f = 0; f < size; f++)
      a->coordinates[(size_t)i * (size_t)size + (size_t)f] =
          sqrt(a->lambdas[i]) * G[(size_t)(size - 1 - i) * (size_t)size + (size_t)f];
  lb_free(G);
  lb_free(values);
  lb_free(D);
  return status;
}

// D D' = U diag(lambda) U', q_i = D' u_i
static lbStatus components_by_vertices(Analysis *a, lbError *err) {
  int32_t size = 3 * a->vertex_count;
  double *G = lb_alloc((size_t)size * (size_t)size, sizeof *G);
  double *values = lb_alloc((size_t)size, sizeof *values);
  double *D = lb_alloc((size_t)size * (size_t)a->frame_count, sizeof *D);
  lbStatus status = G && values && D ? LB_OK : lb_fail_memory(err);
  if (!status && !fill_component_block(a, 0, a->vertex_count, D)) status = lb_fail_memory(err);
  if (!status) {
    lb_dense_multiply(LB_PLAIN, LB_TRANSPOSED, size, size, a->frame_count, 1, D, D, 0, G);
    status = lb_dense_eigen(size, G, values, err);
  }
  if (!status) status = take_components(a, size, values, err);
  for (int32_t i = 0; i < a->count && !status; i++)
    lb_dense_multiply_vector(LB_TRANSPOSED, size, a->frame_count, 1, D,
                             G + (size_t)(size - 1 - i) * (size_t)size, 0,
                             a->coordinates + (size_t)i * (size_t)a->frame_count);
  lb_free(G);
  lb_free(values);
  lb_free(D);
  return status;
}

// ---- weights -----------------------------------------------------------------------------------

// The coordinate of largest magnitude is positive (of equal ones, the first).
static void fix_component_sign(int32_t count, double *q) {
  double largest = 0;
  for (int32_t f = 0; f < count; f++)
    if (fabs(q[f]) > fabs(largest)) largest = q[f];
  for (int32_t f = 0; f < count && largest < 0; f++) q[f] = -q[f];
}

static lbStatus make_component_weights(Analysis *a, lbError *err) {
  size_t entries = (size_t)a->count * (size_t)a->frame_count;
  a->lows = lb_alloc((size_t)a->count, sizeof(double));
  a->projector = lb_alloc(entries, sizeof(double));
  a->weights = lb_alloc(entries, sizeof(float));
  if (!a->lows || !a->projector || !a->weights) return lb_fail_memory(err);
  for (int32_t i = 0; i < a->count; i++) {
    size_t begin = (size_t)i * (size_t)a->frame_count;
    double *q = a->coordinates + begin, low = INFINITY, high = -INFINITY;
    fix_component_sign(a->frame_count, q);
    for (int32_t f = 0; f < a->frame_count; f++) low = fmin(low, q[f]), high = fmax(high, q[f]);
    // lambda > 0 and the mean is out of D, so that high > 0 > low
    a->lows[i] = low / (high - low);
    for (int32_t f = 0; f < a->frame_count; f++) {
      a->projector[begin + (size_t)f] = q[f] * (high - low) / a->lambdas[i];
      a->weights[begin + (size_t)f] = (float)fmin(fmax((q[f] - low) / (high - low), 0), 1);
    }
  }
  return LB_OK;
}

// ---- targets and their error -------------------------------------------------------------------

// E holds what the targets so far leave of D; the rest of the error is mean - base.
static void measure_component_error(const Analysis *a, size_t rows, const double *means,
                                    const double *E, double *error2) {
  for (int32_t f = 0; f < a->frame_count; f++)
    for (size_t i = 0; i < rows; i += 3) {
      const double *e = E + rows * (size_t)f + i;
      double sum = 0;
      for (size_t k = 0; k < 3; k++) {
        double d = e[k] + means[i + k] - (double)(float)a->base[i + k];
        sum += d * d;
      }
      if (sum > *error2) *error2 = sum;
    }
}

// Targets of vertices [begin, end), and the error with none, one, two, ... of them. False: no
// memory.
static bool measure_block(Analysis *a, int32_t begin, int32_t end) {
  size_t rows = 3 * (size_t)(end - begin), row_begin = 3 * (size_t)begin;
  const double *means = a->means + row_begin;
  if (!fill_component_block(a, begin, end, a->D)) return false;
  if (a->count)
    lb_dense_multiply(LB_PLAIN, LB_PLAIN, (int32_t)rows, a->count, a->frame_count, 1, a->D,
                      a->projector, 0, a->T);
  memcpy(a->base, means, rows * sizeof *means);
  measure_component_error(a, rows, means, a->D, &a->errors2[0]);
  for (int32_t i = 0; i < a->count; i++) {
    double *T = a->T + rows * (size_t)i;
    float *target = a->targets + 3 * (size_t)a->vertex_count * (size_t)i + row_begin;
    const float *weights = a->weights + (size_t)i * (size_t)a->frame_count;
    for (size_t r = 0; r < rows; r++) {
      target[r] = (float)T[r];
      T[r] = (double)target[r];
      a->base[r] += T[r] * a->lows[i];
    }
    for (int32_t f = 0; f < a->frame_count; f++) {
      double *E = a->D + rows * (size_t)f, weight = (double)weights[f];
      for (size_t r = 0; r < rows; r++) E[r] -= weight * T[r];
    }
    measure_component_error(a, rows, means, a->D, &a->errors2[i + 1]);
  }
  return true;
}

static lbStatus make_component_targets(Analysis *a, lbError *err) {
  size_t count = (size_t)a->count, n = 3 * (size_t)a->vertex_count;
  a->block = lb_motion_block(a->input, 1 << 17, 8);
  size_t rows = 3 * (size_t)a->block;
  if (count && n > SIZE_MAX / count) return lb_fail_memory(err);
  a->targets = lb_alloc(count * n, sizeof(float));
  a->errors2 = lb_alloc(count + 1, sizeof(double));
  a->D = lb_alloc(rows * (size_t)a->frame_count, sizeof(double));
  a->T = lb_alloc(rows * count, sizeof(double));
  a->base = lb_alloc(rows, sizeof(double));
  if (!a->targets || !a->errors2 || !a->D || !a->T || !a->base) return lb_fail_memory(err);
  for (int32_t begin = 0; begin < a->vertex_count; begin += a->block) {
    int32_t end = a->vertex_count - begin > a->block ? begin + a->block : a->vertex_count;
    if (!measure_block(a, begin, end)) return lb_fail_memory(err);
    if (!lb_progress("morph targets", (double)end / a->vertex_count))
      return lb_fail_interrupted(err, "morph targets");
  }
  return LB_OK;
}

// ---- the outcome -------------------------------------------------------------------------------

// The fewest that meet the tolerance, otherwise the fewest with the least error.
static int32_t choose_count(const Analysis *a) {
  double allowed2 = a->input->tolerance * a->input->tolerance;
  int32_t best = 0;
  for (int32_t i = 0; i <= a->count; i++) {
    if (a->errors2[i] <= allowed2) return i;
    if (a->errors2[i] < a->errors2[best]) best = i;
  }
  return best;
}

static lbStatus hand_over(Analysis *a, lbError *err) {
  lbMotion *motion = a->motion;
  motion->target_count = choose_count(a);
  motion->max_error = sqrt(a->errors2[motion->target_count]);
  size_t n = 3 * (size_t)a->vertex_count, count = (size_t)motion->target_count;
  motion->weights = lb_alloc(count * (size_t)a->frame_count, sizeof(float));
  if (!motion->weights) return lb_fail_memory(err);
  for (size_t r = 0; r < n; r++) {
    double base = a->means[r];
    for (size_t i = 0; i < count; i++) base += (double)a->targets[i * n + r] * a->lows[i];
    motion->base[r] = (float)base;
  }
  for (size_t f = 0; f < (size_t)a->frame_count; f++)
    for (size_t i = 0; i < count; i++)
      motion->weights[f * count + i] = a->weights[i * (size_t)a->frame_count + f];
  motion->targets = a->targets;
  a->targets = NULL;
  return LB_OK;
}

static void release_components(Analysis *a) {
  double *const blocks[] = { a->coordinates, a->lambdas, a->lows, a->projector, a->means,
                             a->errors2,     a->D,       a->T,    a->base };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
  lb_free(a->weights);
  lb_free(a->targets);
}

lbStatus lb_motion_by_components(const lbMotionInput *input, lbMotion *motion, lbError *err) {
  *motion = (lbMotion){ .vertex_count = input->vertex_count, .frame_count = input->frame_count };
  Analysis a = { .input = input, .motion = motion };
  a.frame_count = input->frame_count;
  a.vertex_count = input->vertex_count;
  size_t n = 3 * (size_t)a.vertex_count;
  motion->translations = lb_alloc(3 * (size_t)a.frame_count, sizeof(float));
  motion->base = lb_alloc(n, sizeof(float));
  a.means = lb_alloc(n, sizeof(double));
  lbStatus status = LB_OK;
  if (!motion->translations || !motion->base || !a.means || !find_translations(&a))
    status = lb_fail_memory(err);
  if (!status) {
    status = (size_t)a.frame_count <= n ? components_by_frames(&a, err)
                                        : components_by_vertices(&a, err);
  }
  if (!status) status = make_component_weights(&a, err);
  if (!status) status = make_component_targets(&a, err);
  if (!status) status = hand_over(&a, err);
  release_components(&a);
  if (status) lb_motion_release(motion);
  return status;
}
