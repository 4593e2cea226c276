// Modal derivatives K Φ_ij = −(H:Ψ_i)Ψ_j: right-hand sides by element kernels, solved together.
//
// The sums over elements are shared out by pairs, not by elements: each task goes through all
// elements in the same order for the pairs of its own, so no two tasks write to one place and the
// bits do not depend on the number of threads. Values of one vertex lie together for all pairs.
#include "reduce/derivatives.h"

#include "reduce/hessian.h"
#include "fem/fem.h"

#include <string.h>

enum { TASKS = 16 }; // each repeats the gradients of the modes, so not too many

typedef struct Sum {
  const lbFem *fem;
  const lbHessianKernels *kernels;
  int32_t mode_count, stride;
  int32_t rows[TASKS + 1]; // rows of pairs of each task
  const double *modes;     // (vertex_count x 3 x stride)
  double *work;            // (TASKS x work_count)
  size_t work_count;
  const lbColumns *forces;
  lbStatus status[TASKS];
  lbError errors[TASKS];
} Sum;

// Rows for each task so that all have about as many pairs.
static void cut_rows(int32_t count, int32_t rows[TASKS + 1]) {
  int32_t row = 0;
  double all = 0.5 * count * (count + 1.0), made = 0;
  for (int32_t t = 0; t < TASKS; t++) {
    rows[t] = row;
    while (row < count && (t == TASKS - 1 || made + 0.5 * (count - row) < all * (t + 1) / TASKS))
      made += count - row++;
  }
  rows[TASKS] = count;
}

// Lamé constants of an element: of the law's linearisation at rest.
static void lame_constants(const lbElementSet *set, int32_t slot, lbHessianElement *element) {
  size_t batch = (size_t)(slot / LB_BATCH), lane = (size_t)(slot % LB_BATCH);
  const double *p = set->parameters + batch * LB_MATERIAL_PARAMETERS * LB_BATCH + lane;
  element->lambda = p[0];
  element->mu = p[LB_BATCH];
  if (set->model == LB_MATERIAL_MOONEYRIVLIN) {
    element->mu = 2 * (p[0] + p[LB_BATCH]);                        // 2 (c10 + c01)
    element->lambda = 2 * p[2 * LB_BATCH] - 2.0 / 3 * element->mu; // bulk modulus 2 v1
  }
}

typedef struct Shape {                                               // constants of a kind
  double gradients[LB_ELEMENT_POINTS_MAX][3 * LB_ELEMENT_NODES_MAX]; // ∂N_a/∂ξ
} Shape;

static Shape shape_of_kind(lbElementKind kind) {
  Shape shape = { 0 };
  double values[LB_ELEMENT_NODES_MAX], weight;
  for (int32_t p = 0; p < lb_element_points(kind); p++)
    lb_element_shape(kind, p, shape.gradients[p], values, &weight);
  return shape;
}

// g_a = Σ_k ∂N_a/∂ξ_k ∂ξ_k/∂X and the weights, at every point of an element.
static void rest_gradients(const lbElementSet *set, int32_t slot, const Shape *shape,
                           double *gradients, double *weights) {
  int32_t nodes = lb_element_nodes(set->kind), points = lb_element_points(set->kind);
  size_t batch = (size_t)(slot / LB_BATCH), lane = (size_t)(slot % LB_BATCH);
  for (int32_t p = 0; p < points; p++) {
    const double *rest =
        set->rest + (batch * (size_t)points + (size_t)p) * LB_POINT_REST * LB_BATCH + lane;
    for (int32_t a = 0; a < nodes; a++)
      for (int j = 0; j < 3; j++) {
        double sum = 0;
        for (int k = 0; k < 3; k++)
          sum += shape->gradients[p][3 * a + k] * rest[(3 * k + j) * LB_BATCH];
        gradients[3 * (nodes * p + a) + j] = sum;
      }
    weights[p] = rest[9 * LB_BATCH];
  }
}

static void sum_set(const Sum *job, const lbElementSet *set, lbHessianElement element, double *sums,
                    size_t pairs) {
  double gradients[3 * LB_ELEMENT_NODES_MAX * LB_ELEMENT_POINTS_MAX];
  double weights[LB_ELEMENT_POINTS_MAX];
  int32_t nodes = lb_element_nodes(set->kind);
  Shape shape = shape_of_kind(set->kind);
  element.kind = set->kind;
  element.gradients = gradients;
  element.weights = weights;
  for (int32_t slot = 0; slot < set->element_count; slot++) {
    const int32_t *vertices =
        set->vertices + (size_t)(slot / LB_BATCH) * (size_t)nodes * LB_BATCH + slot % LB_BATCH;
    rest_gradients(set, slot, &shape, gradients, weights);
    lame_constants(set, slot, &element);
    for (int32_t a = 0; a < nodes; a++) {
      size_t v = (size_t)vertices[a * LB_BATCH];
      element.modes[a] = job->modes + 3 * v * (size_t)job->stride;
      element.sums[a] = sums + 3 * v * pairs;
    }
    job->kernels->add_pairs(&element);
  }
}

// Turns the sums of a task, vertex by vertex, into columns.
static lbStatus store_derivative_columns(const Sum *job, const double *sums, size_t first,
                                         size_t pairs, lbError *err) {
  enum { TOGETHER = 8 };
  size_t size = job->forces->size;
  double *columns = lb_alloc(size * TOGETHER, sizeof *columns);
  lbStatus status = columns ? LB_OK : lb_fail_memory(err);
  for (size_t done = 0; done < pairs && !status; done += TOGETHER) {
    size_t count = pairs - done < TOGETHER ? pairs - done : TOGETHER;
    for (size_t row = 0; row < size; row++) {
      size_t from = 3 * (size_t)job->fem->vertex_of_node[row / 3] + row % 3;
      for (size_t p = 0; p < count; p++) columns[p * size + row] = sums[from * pairs + done + p];
    }
    status = lb_columns_write(job->forces, first + done, count, columns, err);
  }
  lb_free(columns);
  return status;
}

static void sum_pairs(int32_t begin, int32_t end, void *context) {
  Sum *job = context;
  for (int32_t t = begin; t < end; t++) {
    int32_t count = job->mode_count;
    size_t first = lb_hessian_pair_count(count, 0, job->rows[t]);
    size_t pairs = lb_hessian_pair_count(count, job->rows[t], job->rows[t + 1]);
    if (pairs == 0) continue;
    double *sums = lb_alloc(3 * (size_t)job->fem->vertex_count, pairs * sizeof(double));
    if (!sums) {
      job->status[t] = lb_fail_memory(&job->errors[t]);
      continue;
    }
    lbHessianElement element = { .mode_count = count,
                                 .stride = job->stride,
                                 .row_begin = job->rows[t],
                                 .row_end = job->rows[t + 1],
                                 .work = job->work + (size_t)t * job->work_count };
    for (int32_t s = 0; s < job->fem->set_count; s++)
      sum_set(job, &job->fem->sets[s], element, sums, pairs);
    job->status[t] = store_derivative_columns(job, sums, first, pairs, &job->errors[t]);
    lb_free(sums);
  }
}

static void spread_modes(const lbFem *fem, int32_t count, int32_t stride, const double *modes,
                         double *spread) {
  size_t size = 3 * (size_t)fem->node_count;
  for (int32_t m = 0; m < count; m++)
    for (size_t i = 0; i < size; i++)
      spread[(3 * (size_t)fem->vertex_of_node[i / 3] + i % 3) * (size_t)stride + (size_t)m] =
          modes[(size_t)m * size + i];
}

lbStatus lb_hessian_forces(const lbFem *fem, int32_t count, const double *modes, double *forces,
                           lbError *err) {
  lbColumns columns = lb_columns_in_memory(3 * (size_t)fem->node_count, forces);
  return lb_hessian_force_columns(fem, count, modes, &columns, err);
}

lbStatus lb_hessian_force_columns(const lbFem *fem, int32_t count, const double *modes,
                                  const lbColumns *forces, lbError *err) {
  if (fem->sets[0].kind == LB_ELEMENT_FLAP)
    return lb_shell_hessian_forces(fem, count, modes, forces->values, err);
  size_t rows = 3 * (size_t)fem->vertex_count;
  int32_t stride = lb_hessian_stride(count);
  size_t pairs = lb_hessian_pair_count(count, 0, count);
  Sum job = { .fem = fem,
              .kernels = lb_hessian_kernels(lb_simd_best()),
              .mode_count = count,
              .stride = stride,
              .forces = forces };
  double *spread = lb_alloc(rows, (size_t)stride * sizeof(double));
  cut_rows(count, job.rows);
  job.modes = spread;
  job.work_count = lb_hessian_work_count(LB_ELEMENT_BRICK8, count, pairs);
  job.work = lb_alloc(job.work_count, TASKS * sizeof(double));
  lbStatus status = spread && job.work ? LB_OK : lb_fail_memory(err);
  if (!status) {
    spread_modes(fem, count, stride, modes, spread);
    lb_parallel_for(TASKS, 1, sum_pairs, &job);
    for (int t = 0; t < TASKS && !status; t++) {
      status = job.status[t];
      if (status && err) *err = job.errors[t];
    }
  }
  lb_free(spread);
  lb_free(job.work);
  return status;
}

// Columns [first, first + count) of B, in place or through `block`.
static lbStatus solve_columns(lbRest *rest, size_t first, int32_t count, const lbColumns *B,
                              double *block, lbError *err) {
  size_t n = (size_t)rest->size, values = n * (size_t)count;
  double *X = B->values ? B->values + n * first : block;
  lbStatus status = B->values ? LB_OK : lb_columns_read(B, first, (size_t)count, X, err);
  for (size_t i = 0; i < values && !status; i++) X[i] = -X[i];
  if (!status) status = lb_rest_solve(rest, count, X, err);
  if (!status && !B->values) status = lb_columns_write(B, first, (size_t)count, X, err);
  return status;
}

lbStatus lb_derivatives_solve(lbRest *rest, int32_t pair_count, const lbColumns *B, lbError *err) {
  enum { TOGETHER = 16 }; // what sweeps through the factor take
  double *block = NULL;
  lbStatus status = LB_OK;
  if (!B->values) {
    block = lb_alloc((size_t)rest->size * TOGETHER, sizeof *block);
    if (!block) return lb_fail_memory(err);
  }
  for (int32_t done = 0; done < pair_count && !status; done += TOGETHER) {
    int32_t count = pair_count - done < TOGETHER ? pair_count - done : TOGETHER;
    if (lb_progress("modal derivatives", (double)done / pair_count))
      status = solve_columns(rest, (size_t)done, count, B, block, err);
    else
      status = lb_fail_interrupted(err, "modal derivatives");
  }
  lb_free(block);
  return status;
}
