// The constants of a body in a moving frame, laid out for the kernels.
#include "body/inertia.h"

#include <string.h>

LB_DEFINE_KERNEL_CHOICE(lbInertiaKernels, lb_inertia_kernels)

size_t lb_inertia_bytes(int32_t count, int32_t padded) {
  return 9 * ((size_t)count + 1) * (size_t)padded * sizeof(double);
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

void lb_inertia_fill(lbInertia *inertia, const lbModel *model, const lbModelMethod *method,
                     int32_t count, int32_t padded, const int32_t *kept, void *memory) {
  size_t row = (size_t)padded, plane = (size_t)count * row;
  inertia->count = count, inertia->padded = padded;
  inertia->first = memory;
  inertia->second = inertia->first + 9 * row;
  inertia->scale = 1;
  memset(memory, 0, lb_inertia_bytes(count, padded));
  for (int32_t i = 0; i < count; i++)
    for (int k = 0; k < 3; k++)
      for (int l = 0; l < 3; l++) {
        size_t entry = (size_t)(3 * k + l);
        int32_t a = kept ? kept[i] : i;
        inertia->first[entry * row + (size_t)i] = first_entry(model, method, a, k, l);
        for (int32_t j = 0; j < count; j++)
          inertia->second[entry * plane + (size_t)j * row + (size_t)i] =
              second_entry(model, method, a, kept ? kept[j] : j, k, l);
      }
  // J = tr(X) 1 - X, so X = tr(J)/2 1 - J.
  const double *J = model->rigid_inertia;
  double half = 0.5 * (J[0] + J[4] + J[8]);
  for (int k = 0; k < 9; k++) inertia->X0[k] = (k % 4 == 0 ? half : 0) - J[k];
}

lbMat3 lb_inertia_tensor(const lbInertia *inertia, const double *q, const double *A) {
  lbMat3 X, J;
  size_t n = (size_t)inertia->padded;
  memcpy(X.m, inertia->X0, sizeof X.m);
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < 3; l++) {
      const double *a = A + (size_t)(3 * k + l) * n,
                   *first = inertia->first + (size_t)(3 * l + k) * n;
      for (int32_t i = 0; i < inertia->count; i++) X.m[3 * k + l] += q[i] * (a[i] + first[i]);
    }
  double trace = lb_mat3_trace(X);
  for (int k = 0; k < 9; k++) J.m[k] = (k % 4 == 0 ? trace : 0) - X.m[k];
  return J;
}
