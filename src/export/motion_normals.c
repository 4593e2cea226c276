// Normals of a motion's targets. With n_f the normals of the shape at frame f (made of the numbers
// of the file) and n_b those of the base, the changes d_i are those that make
//   sum_f | n_b + sum_i w_i(f) d_i - n_f |^2
// least: (W^T W + eps) D = W^T (N - n_b), one small matrix for all vertices. A first-order change
// at the base would be wrong where the base, the corner of all weights, is far from every frame.
#include "export/normals.h"

#include "limber/math.h"

#include <math.h>
#include <string.h>

static const double ridge = 1e-8; // of the mean diagonal: weights may depend on each other

typedef struct Fit {
  const lbSurface *surface;
  const lbMotion *motion;
  size_t values;  // 3 vertices
  double *shape;  // (values), of the frame at hand
  double *normal; // (values)
  double *base;   // (values), n_b
  double *D;      // (targets x values), first W^T (N - n_b)
  double *gram;   // (targets x targets)
} Fit;

static void frame_shape(const Fit *fit, const float *weights) {
  const lbMotion *m = fit->motion;
  for (size_t i = 0; i < fit->values; i++) fit->shape[i] = (double)m->base[i];
  for (size_t k = 0; weights && k < (size_t)m->target_count; k++) {
    const float *target = m->targets + fit->values * k;
    double w = (double)weights[k];
    for (size_t i = 0; w != 0 && i < fit->values; i++) fit->shape[i] += w * (double)target[i];
  }
}

// Unit normals of fit->shape; vertices without triangles keep theirs.
static void find_fitted_normals(const Fit *fit, double *normals) {
  const lbSurface *s = fit->surface;
  memset(fit->normal, 0, fit->values * sizeof(double));
  for (size_t t = 0; t < (size_t)s->triangle_count; t++) {
    size_t at[3];
    lbVec3 x[3];
    for (int k = 0; k < 3; k++) {
      at[k] = 3 * (size_t)s->origins[s->triangles[3 * t + (size_t)k]];
      x[k] = lb_vec3_load(fit->shape + at[k]);
    }
    lbVec3 area = lb_cross(lb_sub(x[1], x[0]), lb_sub(x[2], x[0]));
    for (int k = 0; k < 3; k++)
      lb_vec3_store(fit->normal + at[k], lb_add(lb_vec3_load(fit->normal + at[k]), area));
  }
  for (size_t i = 0; i < fit->values; i += 3) {
    lbVec3 n = lb_normalise(lb_vec3_load(fit->normal + i));
    if (fabs(lb_length(n) - 1) < 1e-6) lb_vec3_store(normals + i, n);
  }
}

static void add_motion_normals_frame(Fit *fit, const float *weights, double *normals) {
  size_t targets = (size_t)fit->motion->target_count;
  frame_shape(fit, weights);
  memcpy(normals, fit->base, fit->values * sizeof(double));
  find_fitted_normals(fit, normals);
  for (size_t k = 0; k < targets; k++) {
    double w = (double)weights[k], *row = fit->D + fit->values * k;
    for (size_t i = 0; w != 0 && i < fit->values; i++) row[i] += w * (normals[i] - fit->base[i]);
    for (size_t j = 0; j < targets; j++) fit->gram[targets * k + j] += w * (double)weights[j];
  }
}

// D <- gram^-1 D by L L^T, row by row.
static void solve_normal_fit(Fit *fit) {
  size_t n = (size_t)fit->motion->target_count;
  double *L = fit->gram, mean = 0;
  for (size_t k = 0; k < n; k++) mean += L[n * k + k] / (double)n;
  for (size_t k = 0; k < n; k++) L[n * k + k] += ridge * mean + 1e-300;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      double sum = L[n * i + j];
      for (size_t k = 0; k < j; k++) sum -= L[n * i + k] * L[n * j + k];
      L[n * i + j] = i == j ? sqrt(fmax(sum, ridge * ridge * mean + 1e-300)) : sum / L[n * j + j];
    }
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k <= i; k++) { // L y = D
      double *row = fit->D + fit->values * i, *from = fit->D + fit->values * k;
      double factor = L[n * i + k];
      for (size_t v = 0; v < fit->values; v++)
        row[v] = k < i ? row[v] - factor * from[v] : row[v] / factor;
    }
  for (size_t i = n; i-- > 0;) { // L^T x = y
    double *row = fit->D + fit->values * i;
    for (size_t k = i + 1; k < n; k++) {
      const double *from = fit->D + fit->values * k;
      for (size_t v = 0; v < fit->values; v++) row[v] -= L[n * k + i] * from[v];
    }
    for (size_t v = 0; v < fit->values; v++) row[v] /= L[n * i + i];
  }
}

float *lb_normals_of_motion(const lbSurface *surface, const lbMotion *motion) {
  size_t values = 3 * (size_t)surface->source_count, targets = (size_t)motion->target_count;
  Fit fit = { .surface = surface, .motion = motion, .values = values };
  double *block = lb_alloc((4 + targets) * values + targets * targets, sizeof *block);
  float *result = block ? lb_alloc((1 + targets) * values, sizeof *result) : NULL;
  if (!result) {
    lb_free(block);
    return NULL;
  }
  double *frame = block;
  fit.shape = frame + values;
  fit.normal = fit.shape + values;
  fit.base = fit.normal + values;
  fit.D = fit.base + values;
  fit.gram = fit.D + targets * values;
  for (size_t i = 2; i < values; i += 3) fit.base[i] = 1;
  frame_shape(&fit, NULL);
  find_fitted_normals(&fit, fit.base);
  for (size_t f = 0; f < (size_t)motion->frame_count && targets; f++)
    add_motion_normals_frame(&fit, motion->weights + targets * f, frame);
  if (targets) solve_normal_fit(&fit);
  for (size_t i = 0; i < values; i++) result[i] = (float)fit.base[i];
  for (size_t i = 0; i < targets * values; i++) result[values + i] = (float)fit.D[i];
  lb_free(block);
  return result;
}
