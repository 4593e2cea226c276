// Reduced St. Venant-Kirchhoff forces as cubic polynomials: a model's coefficients for the
// vectors that are kept, combined from parts where the model has two for each material (lambda and
// mu).
#include "method/subspace/subspace.h"

#include "method/subspace/cubic_lanes.h"

#include <string.h>

typedef struct Polynomials {
  const lbCubicKernels *kernels;
  const lbCubicCrowdKernels *crowd;
  lbCubic cubic;
  lbCubicArrays arrays;
  float *quadratic_single, *cubic_single; // where single precision was asked for
} Polynomials;

// ---- packed coefficients of the vectors kept ---------------------------------------------------

static void sort(int32_t count, int32_t *values) {
  for (int32_t i = 1; i < count; i++)
    for (int32_t j = i; j > 0 && values[j - 1] > values[j]; j--) {
      int32_t larger = values[j - 1];
      values[j - 1] = values[j], values[j] = larger;
    }
}

static size_t kept3(const int32_t *kept, int32_t i, int32_t j, int32_t k) {
  int32_t t[3] = { kept[i], kept[j], kept[k] };
  sort(3, t);
  return lb_packed3(t[0], t[1], t[2]);
}

static size_t kept4(const int32_t *kept, int32_t i, int32_t j, int32_t k, int32_t l) {
  int32_t t[4] = { kept[i], kept[j], kept[k], kept[l] };
  sort(4, t);
  return lb_packed4(t[0], t[1], t[2], t[3]);
}

static size_t kept2(const int32_t *kept, int32_t i, int32_t j) {
  return kept[i] < kept[j] ? lb_packed2(kept[i], kept[j]) : lb_packed2(kept[j], kept[i]);
}

// P, Q, S one after another.
static void gather_kept(const lbPrepared *p, const double *const from[3], double *to) {
  const int32_t *kept = p->kept;
  for (int32_t j = 0; j < p->dimension; j++)
    for (int32_t i = 0; i <= j; i++) *to++ = from[0][kept2(kept, i, j)];
  for (int32_t k = 0; k < p->dimension; k++)
    for (int32_t j = 0; j <= k; j++)
      for (int32_t i = 0; i <= j; i++) *to++ = from[1][kept3(kept, i, j, k)];
  for (int32_t l = 0; l < p->dimension; l++)
    for (int32_t k = 0; k <= l; k++)
      for (int32_t j = 0; j <= k; j++)
        for (int32_t i = 0; i <= j; i++) *to++ = from[2][kept4(kept, i, j, k, l)];
}

// Coefficients of a part of the model.
static lbStatus pack_polynomial(const lbPrepared *p, int32_t part, const lbCubicArrays *out,
                                lbError *err) {
  const lbModel *model = p->model;
  const lbModelSizes *size = &model->size;
  int32_t r = p->dimension;
  const double *const from[3] = {
    model->subspace_linear + (size_t)part * (size_t)size->packed2_count,
    model->subspace_quadratic + (size_t)part * (size_t)size->packed3_count,
    model->subspace_cubic + (size_t)part * (size_t)size->packed4_count
  };
  if (!p->kept) {
    lb_cubic_pack(r, from[0], from[1], from[2], out);
    return LB_OK;
  }
  size_t count2 = lb_packed2_count(r), count3 = lb_packed3_count(r), count4 = lb_packed4_count(r);
  double *gathered = lb_alloc(count2 + count3 + count4, sizeof(double));
  if (!gathered) return lb_fail_memory(err);
  gather_kept(p, from, gathered);
  lb_cubic_pack(r, gathered, gathered + count2, gathered + count2 + count3, out);
  lb_free(gathered);
  return LB_OK;
}

// ---- prepared coefficients
// -------------------------------------------------------------------------------------

static void place_arrays(lbCubicArrays *arrays, int32_t r, lbCarver *carver) {
  arrays->linear = lb_carve(carver, lb_cubic_linear_size(r), sizeof(double));
  arrays->quadratic = lb_carve(carver, lb_cubic_quadratic_size(r), sizeof(double));
  arrays->cubic = lb_carve(carver, lb_cubic_cubic_size(r), sizeof(double));
}

static lbCubic cubic_of_polynomial(int32_t r, const lbCubicArrays *arrays) {
  return (lbCubic){
    .count = r, .linear = arrays->linear, .quadratic = arrays->quadratic, .cubic = arrays->cubic
  };
}

// λ and μ of a material, which its two parts count with.
static void weigh_polynomial(const double *material, double *weights) {
  double young = material[0], poisson = material[1];
  weights[0] = poisson * young / ((1 + poisson) * (1 - 2 * poisson));
  weights[1] = young / (2 * (1 + poisson));
}

// All parts of a model while they are combined.
typedef struct Parts {
  lbCubic *cubics;       // (count)
  lbCubicArrays *arrays; // (count)
  double *weights;       // (count)
} Parts;

static void lay_out_parts(Parts *parts, int32_t count, int32_t r, lbCarver *carver) {
  parts->cubics = lb_carve(carver, (size_t)count, sizeof *parts->cubics);
  parts->arrays = lb_carve(carver, (size_t)count, sizeof *parts->arrays);
  parts->weights = lb_carve(carver, (size_t)count, sizeof *parts->weights);
  for (int32_t i = 0; i < count && !carver->overflow; i++) {
    lbCubicArrays unused;
    place_arrays(parts->arrays ? &parts->arrays[i] : &unused, r, carver);
  }
}

static lbStatus combine_polynomial(const lbPrepared *p, const double *materials,
                                   const lbCubicArrays *arrays, lbError *err) {
  int32_t r = p->dimension, count = p->model->size.subspace_part_count;
  Parts parts = { 0 };
  lbCarver carver = { 0 };
  lay_out_parts(&parts, count, r, &carver);
  carver.block = carver.overflow ? NULL : lb_alloc(carver.used, 1);
  if (!carver.block) return lb_fail_memory(err);
  carver.used = 0;
  lay_out_parts(&parts, count, r, &carver);
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < count && !status; i++) {
    status = pack_polynomial(p, i, &parts.arrays[i], err);
    parts.cubics[i] = cubic_of_polynomial(r, &parts.arrays[i]);
    if (i % 2 == 0) weigh_polynomial(materials + 3 * (size_t)(i / 2), parts.weights + i);
  }
  if (!status) lb_cubic_combine(count, parts.cubics, parts.weights, arrays);
  lb_free(carver.block);
  return status;
}

static Polynomials *lay_out_polynomial(Polynomials *own, const lbPrepared *p, lbCarver *carver) {
  int32_t r = p->dimension;
  Polynomials *at = lb_carve(carver, 1, sizeof *own);
  own->arrays.linear = lb_carve(carver, lb_cubic_linear_size(r), sizeof(double));
  if (p->single_precision) {
    own->quadratic_single = lb_carve(carver, lb_cubic_quadratic_size(r), sizeof(float));
    own->cubic_single = lb_carve(carver, lb_cubic_cubic_size(r), sizeof(float));
  } else {
    own->arrays.quadratic = lb_carve(carver, lb_cubic_quadratic_size(r), sizeof(double));
    own->arrays.cubic = lb_carve(carver, lb_cubic_cubic_size(r), sizeof(double));
  }
  return at;
}

// The whole of all parts.
static lbStatus fill_polynomial(const lbPrepared *p, const double *materials,
                                const lbCubicArrays *arrays, lbError *err) {
  return p->model->size.subspace_part_count == 1 ? pack_polynomial(p, 0, arrays, err)
                                                 : combine_polynomial(p, materials, arrays, err);
}

// In double precision first, in memory that is given back.
static lbStatus fill_single(const lbPrepared *p, const double *materials, Polynomials *own,
                            lbError *err) {
  lbCubicArrays whole = { 0 };
  lbCarver carver = { 0 };
  place_arrays(&whole, p->dimension, &carver);
  carver.block = carver.overflow ? NULL : lb_alloc(carver.used, 1);
  if (!carver.block) return lb_fail_memory(err);
  carver.used = 0;
  place_arrays(&whole, p->dimension, &carver);
  lbStatus status = fill_polynomial(p, materials, &whole, err);
  if (!status) {
    const lbCubic cubic = cubic_of_polynomial(p->dimension, &whole);
    memcpy(own->arrays.linear, whole.linear, lb_cubic_linear_size(p->dimension) * sizeof(double));
    lb_cubic_round(&cubic, own->quadratic_single, own->cubic_single);
  }
  lb_free(carver.block);
  return status;
}

static lbStatus create_polynomial(const lbPrepared *p, const double *materials, void **data,
                                  lbError *err) {
  Polynomials draft = { .kernels = lb_cubic_kernels(p->level),
                        .crowd = lb_cubic_crowd_kernels(p->level) };
  lbCarver carver = { 0 };
  lay_out_polynomial(&draft, p, &carver);
  carver.block = carver.overflow ? NULL : lb_alloc(carver.used, 1);
  if (!carver.block) return lb_fail_memory(err);
  carver.used = 0;
  Polynomials *own = lay_out_polynomial(&draft, p, &carver);
  draft.cubic = cubic_of_polynomial(p->dimension, &draft.arrays);
  draft.cubic.quadratic_single = draft.quadratic_single;
  draft.cubic.cubic_single = draft.cubic_single;
  *own = draft;
  lbStatus status = p->single_precision ? fill_single(p, materials, own, err)
                                        : fill_polynomial(p, materials, &own->arrays, err);
  if (status)
    lb_free(own);
  else
    *data = own;
  return status;
}

static void destroy_polynomial(void *data) { lb_free(data); }

static const double *rest_stiffness_polynomial(const void *data) {
  return ((const Polynomials *)data)->cubic.linear;
}

// ---- the force model ---------------------------------------------------------------------------

static double evaluate_polynomial(const void *data, const double *q, double *R, double *K,
                                  double *work) {
  const Polynomials *own = data;
  return own->kernels->evaluate(&own->cubic, q, R, K, work);
}

static double force_polynomial(const void *data, const double *q, double *R, double *work) {
  const Polynomials *own = data;
  return own->kernels->force(&own->cubic, q, R, work);
}

static void tangent_rate_polynomial(const void *data, const double *q, const double *v,
                                    double *rate, double *work) {
  const Polynomials *own = data;
  own->kernels->stiffness_rate(&own->cubic, q, v, rate, work);
}

static void evaluate_crowd(const void *data, const double *q, double *R, double *K,
                           double *energies, double *work) {
  const Polynomials *own = data;
  own->crowd->evaluate(&own->cubic, LB_BATCH, q, R, K, energies, work);
}

static bool gains_polynomial(const void *data) {
  return ((const Polynomials *)data)->cubic.count <= LB_CUBIC_WHOLE;
}

static size_t work_size_polynomial(const void *data) {
  int32_t r = ((const Polynomials *)data)->cubic.count;
  size_t crowd = gains_polynomial(data) ? lb_cubic_crowd_work_size(r) : 0,
         alone = lb_cubic_work_size(r);
  return crowd > alone ? crowd : alone;
}

const lbForceModel lb_polynomial_forces = { .is_cubic = true,
                                            .create = create_polynomial,
                                            .destroy = destroy_polynomial,
                                            .rest_stiffness = rest_stiffness_polynomial,
                                            .evaluate = evaluate_polynomial,
                                            .force = force_polynomial,
                                            .tangent_rate = tangent_rate_polynomial,
                                            .evaluate_crowd = evaluate_crowd,
                                            .gains = gains_polynomial,
                                            .work_size = work_size_polynomial };
