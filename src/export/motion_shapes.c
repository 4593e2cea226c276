// Motion by its own shapes. With low_i and high_i the range of q_i over the frames,
//   base = rest + sum_i U_i low_i,   target_i = U_i (high_i - low_i),
//   w_i = (q_i - low_i) / (high_i - low_i).
// Every number is computed in double and rounded once. Shapes that never move a vertex take no
// target; where they stand still away from zero they are in the base.
#include "export/motion.h"

#include "export/check.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

typedef struct Coding {
  const lbMotionInput *input;
  lbMotion *motion;
  double *lows, *ranges; // (shape_count)
} Coding;

static double entry(const lbMotionInput *input, int32_t shape, size_t row) {
  const double *U = input->shapes + 3 * (size_t)input->source_vertex_count * (size_t)shape;
  return U[3 * (size_t)input->vertices[row / 3] + row % 3];
}

// ---- which shapes ------------------------------------------------------------------------------

static void find_shape_key_range(Coding *coding, int32_t shape) {
  const lbMotionInput *input = coding->input;
  double low = INFINITY, high = -INFINITY;
  for (size_t f = 0; f < (size_t)input->frame_count; f++) {
    double q = input->coordinates[f * (size_t)input->shape_count + (size_t)shape];
    low = fmin(low, q);
    high = fmax(high, q);
  }
  coding->lows[shape] = low;
  coding->ranges[shape] = high - low;
}

// Ranges, and the ids of the shapes whose target is not zero. Refuses what floats cannot hold.
static lbStatus find_moving(Coding *coding, lbError *err) {
  const lbMotionInput *input = coding->input;
  lbMotion *motion = coding->motion;
  double reach = 0;
  for (int32_t i = 0; i < input->shape_count; i++) {
    double largest = 0;
    find_shape_key_range(coding, i);
    for (size_t r = 0; r < 3 * (size_t)input->vertex_count; r++)
      largest = fmax(largest, fabs(entry(input, i, r)));
    reach += largest * (fabs(coding->lows[i]) + coding->ranges[i]);
    if (!(reach <= LB_FARTHEST))
      return lb_fail(err, LB_ERR_ARGUMENT,
                     "shape %d moves a vertex by %g m, which is beyond what the file can hold",
                     (int)i, reach);
    if ((float)(largest * coding->ranges[i]) > 0) motion->shape_ids[motion->target_count++] = i;
  }
  return LB_OK;
}

// ---- the code ----------------------------------------------------------------------------------

static lbStatus make_base(const Coding *coding, lbError *err) {
  const lbMotionInput *input = coding->input;
  size_t n = 3 * (size_t)input->vertex_count;
  double *base = lb_alloc(n, sizeof *base);
  if (!base) return lb_fail_memory(err);
  for (size_t r = 0; r < n; r++) base[r] = input->rest[3 * (size_t)input->vertices[r / 3] + r % 3];
  for (int32_t i = 0; i < input->shape_count; i++)
    for (size_t r = 0; r < n; r++) base[r] += entry(input, i, r) * coding->lows[i];
  for (size_t r = 0; r < n; r++) coding->motion->base[r] = (float)base[r];
  lb_free(base);
  return LB_OK;
}

static void make_targets_and_weights(const Coding *coding) {
  const lbMotionInput *input = coding->input;
  lbMotion *motion = coding->motion;
  size_t n = 3 * (size_t)input->vertex_count, count = (size_t)motion->target_count;
  for (size_t i = 0; i < count; i++) {
    int32_t shape = motion->shape_ids[i];
    double low = coding->lows[shape], range = coding->ranges[shape];
    for (size_t r = 0; r < n; r++)
      motion->targets[i * n + r] = (float)(entry(input, shape, r) * range);
    for (size_t f = 0; f < (size_t)input->frame_count; f++) {
      double q = input->coordinates[f * (size_t)input->shape_count + (size_t)shape];
      motion->weights[f * count + i] = (float)fmin(fmax((q - low) / range, 0), 1);
    }
  }
}

// E = X - base 1' - T W for vertices [begin, end), T and W as the file has them
static double block_error(const lbMotion *motion, int32_t begin, size_t rows, double *E, double *T,
                          const double *W) {
  size_t n = 3 * (size_t)motion->vertex_count, row_begin = 3 * (size_t)begin;
  for (size_t f = 0; f < (size_t)motion->frame_count; f++)
    for (size_t r = 0; r < rows; r++) E[rows * f + r] -= (double)motion->base[row_begin + r];
  for (size_t i = 0; i < (size_t)motion->target_count; i++)
    for (size_t r = 0; r < rows; r++)
      T[rows * i + r] = (double)motion->targets[i * n + row_begin + r];
  if (motion->target_count)
    lb_dense_multiply(LB_PLAIN, LB_PLAIN, (int32_t)rows, motion->frame_count, motion->target_count,
                      -1, T, W, 1, E);
  double worst = 0;
  for (size_t k = 0; k < rows * (size_t)motion->frame_count; k += 3)
    worst = fmax(worst, E[k] * E[k] + E[k + 1] * E[k + 1] + E[k + 2] * E[k + 2]);
  return worst;
}

static lbStatus measure_shape_error(const Coding *coding, lbError *err) {
  const lbMotionInput *input = coding->input;
  lbMotion *motion = coding->motion;
  int32_t block = lb_motion_block(input, 1 << 18, 8);
  size_t rows = 3 * (size_t)block, frame_count = (size_t)input->frame_count;
  size_t count = (size_t)motion->target_count;
  double *E = lb_alloc(rows * frame_count, sizeof *E), *T = lb_alloc(rows * count, sizeof *T);
  double *W = lb_alloc(count * frame_count, sizeof *W), worst = 0;
  lbStatus status = E && T && W ? LB_OK : lb_fail_memory(err);
  for (size_t k = 0; k < count * frame_count && !status; k++) W[k] = (double)motion->weights[k];
  for (int32_t begin = 0; begin < input->vertex_count && !status; begin += block) {
    int32_t end = input->vertex_count - begin > block ? begin + block : input->vertex_count;
    if (!lb_motion_positions(input, begin, end, E)) {
      status = lb_fail_memory(err);
      break;
    }
    worst = fmax(worst, block_error(motion, begin, 3 * (size_t)(end - begin), E, T, W));
    if (!lb_progress("morph targets", (double)end / input->vertex_count))
      status = lb_fail_interrupted(err, "morph targets");
  }
  motion->max_error = sqrt(worst);
  lb_free(E);
  lb_free(T);
  lb_free(W);
  return status;
}

static lbStatus code(Coding *coding, lbError *err) {
  lbMotion *motion = coding->motion;
  size_t count = (size_t)motion->target_count, n = 3 * (size_t)motion->vertex_count;
  if (count && n > SIZE_MAX / count) return lb_fail_memory(err);
  motion->translations = lb_alloc(3 * (size_t)motion->frame_count, sizeof(float));
  motion->base = lb_alloc(n, sizeof(float));
  motion->targets = lb_alloc(count * n, sizeof(float));
  motion->weights = lb_alloc(count * (size_t)motion->frame_count, sizeof(float));
  if (!motion->translations || !motion->base || !motion->targets || !motion->weights)
    return lb_fail_memory(err);
  make_targets_and_weights(coding);
  lbStatus status = make_base(coding, err);
  return status ? status : measure_shape_error(coding, err);
}

lbStatus lb_motion_by_shapes(const lbMotionInput *input, lbMotion *motion, bool *fits,
                             lbError *err) {
  size_t shape_count = (size_t)input->shape_count;
  *motion = (lbMotion){ .vertex_count = input->vertex_count, .frame_count = input->frame_count };
  Coding coding = { .input = input, .motion = motion };
  coding.lows = lb_alloc(shape_count, sizeof(double));
  coding.ranges = lb_alloc(shape_count, sizeof(double));
  motion->shape_ids = lb_alloc(shape_count, sizeof(int32_t));
  lbStatus status = LB_OK;
  if (!coding.lows || !coding.ranges || !motion->shape_ids) status = lb_fail_memory(err);
  if (!status) status = find_moving(&coding, err);
  *fits = !status && motion->target_count <= input->targets_max;
  if (*fits) status = code(&coding, err);
  if (status || !*fits) lb_motion_release(motion);
  lb_free(coding.lows);
  lb_free(coding.ranges);
  return status;
}
