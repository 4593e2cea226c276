// The constants of a body in a moving frame, laid out for the kernels.
#include "body/inertia.h"

#include <string.h>

static size_t row_count(int32_t count) { return LB_INERTIA_ROWS * ((size_t)count + 1) + 3; }

size_t lb_inertia_bytes(int32_t count, int32_t padded) {
  return row_count(count) * (size_t)padded * sizeof(double);
}

static void place(lbInertia *inertia, void *memory) {
  size_t row = (size_t)inertia->padded;
  inertia->first = memory;
  inertia->shift = inertia->first + LB_INERTIA_ROWS * row;
  inertia->second = inertia->shift + 3 * row;
  inertia->second_axis = inertia->second + LB_INERTIA_AXIS * (size_t)inertia->count * row;
}

// A1_i and A2_ij by the nodes' masses, entry k, l: Σ m U_i[k] y[l], y the arm or U_j.
static double sum_nodes(const lbModel *model, const double *a, const double *b, int k, int l) {
  double sum = 0;
  for (int32_t n = 0; n < model->size.node_count; n++) {
    size_t at = 3 * (size_t)n;
    double y =
        b ? b[at + (size_t)l] : model->node_positions[at + (size_t)l] - model->rigid_centre[l];
    sum += model->node_masses[n] * a[at + (size_t)k] * y;
  }
  return sum;
}

static double first_entry(const lbModel *model, const lbModelMethod *method, int32_t i, int k,
                          int l) {
  if (method->inertia_first) return method->inertia_first[9 * (size_t)i + (size_t)(3 * k + l)];
  size_t rows = 3 * (size_t)model->size.node_count;
  return sum_nodes(model, method->basis + rows * (size_t)i, NULL, k, l);
}

static double second_entry(const lbModel *model, const lbModelMethod *method, int32_t i, int32_t j,
                           int k, int l) {
  size_t rows = 3 * (size_t)model->size.node_count;
  if (method->inertia_second)
    return method->inertia_second[9 * ((size_t)i * (size_t)method->dimension + (size_t)j) +
                                  (size_t)(3 * k + l)];
  return sum_nodes(model, method->basis + rows * (size_t)i, method->basis + rows * (size_t)j, k, l);
}

static void take_apart(const double B[3][3], double numbers[LB_INERTIA_ROWS]) {
  const double rows[LB_INERTIA_ROWS] = { B[0][0],           B[1][1],           B[2][2],
                                         B[1][2] + B[2][1], B[0][2] + B[2][0], B[0][1] + B[1][0],
                                         B[2][1] - B[1][2], B[0][2] - B[2][0], B[1][0] - B[0][1] };
  memcpy(numbers, rows, sizeof rows);
}

static void fill_first(const lbInertia *n, const lbModel *model, const lbModelMethod *method,
                       int32_t i, int32_t vector) {
  double B[3][3], numbers[LB_INERTIA_ROWS];
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < 3; l++) B[k][l] = first_entry(model, method, vector, k, l);
  take_apart(B, numbers);
  for (int k = 0; k < LB_INERTIA_ROWS; k++)
    n->first[(size_t)k * (size_t)n->padded + (size_t)i] = numbers[k];
}

static void fill_second(const lbInertia *n, const lbModel *model, const lbModelMethod *method,
                        int32_t i, int32_t j, int32_t vector, int32_t other) {
  double B[3][3], numbers[LB_INERTIA_ROWS];
  size_t at = (size_t)(i / LB_BATCH) * (size_t)n->count + (size_t)j, lane = (size_t)(i % LB_BATCH);
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < 3; l++) B[k][l] = second_entry(model, method, vector, other, k, l);
  take_apart(B, numbers);
  for (size_t k = 0; k < LB_INERTIA_AXIS; k++)
    n->second[LB_BATCH * (LB_INERTIA_AXIS * at + k) + lane] = numbers[k];
  for (size_t k = 0; k < 3; k++)
    n->second_axis[LB_BATCH * (3 * at + k) + lane] = numbers[LB_INERTIA_AXIS + k];
}

void lb_inertia_fill(lbInertia *inertia, const lbModel *model, const lbModelMethod *method,
                     int32_t count, int32_t padded, const int32_t *kept, const double *S,
                     void *memory) {
  inertia->count = count, inertia->padded = padded;
  inertia->scale = 1;
  memset(memory, 0, lb_inertia_bytes(count, padded));
  place(inertia, memory);
  for (int32_t i = 0; i < count; i++) {
    fill_first(inertia, model, method, i, kept ? kept[i] : i);
    for (int k = 0; k < 3 && S; k++)
      inertia->shift[(size_t)k * (size_t)padded + (size_t)i] = S[3 * (size_t)i + (size_t)k];
    for (int32_t j = 0; j < count; j++)
      fill_second(inertia, model, method, i, j, kept ? kept[i] : i, kept ? kept[j] : j);
  }
  // J = tr(X) 1 - X, so X = tr(J)/2 1 - J.
  const double *J = model->rigid_inertia;
  double half = 0.5 * (J[0] + J[4] + J[8]);
  for (int k = 0; k < 9; k++) inertia->X0[k] = (k % 4 == 0 ? half : 0) - J[k];
}

void lb_inertia_scale(lbInertia *inertia, double ratio, void *memory) {
  size_t numbers = row_count(inertia->count) * (size_t)inertia->padded;
  double *scaled = memory;
  for (size_t i = 0; i < numbers; i++) scaled[i] = ratio * inertia->first[i];
  place(inertia, memory);
  inertia->scale = ratio;
  for (int k = 0; k < 9; k++) inertia->X0[k] *= ratio;
}

lbMat3 lb_inertia_tensor(const lbInertia *inertia, const double *q, const double *A) {
  double s[LB_INERTIA_AXIS];
  inertia->kernels->tensor(inertia, q, A, s);
  const double X[9] = { s[0],       0.5 * s[5], 0.5 * s[4], 0.5 * s[5], s[1],
                        0.5 * s[3], 0.5 * s[4], 0.5 * s[3], s[2] };
  lbMat3 J;
  for (int k = 0; k < 9; k++) J.m[k] = -(inertia->X0[k] + X[k]);
  double trace = lb_mat3_trace(J);
  for (int k = 0; k < 9; k += 4) J.m[k] -= trace;
  return J;
}

lbVec3 lb_inertia_relative(const lbInertia *inertia, const double *v, const double *A) {
  double sums[3];
  inertia->kernels->relative(inertia, v, A, sums);
  return lb_vec3_load(sums);
}
