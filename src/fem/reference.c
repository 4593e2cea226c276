// The fields are functions of ξ = (x − centre) / extent, so they follow a body that is moved or
// scaled. First come 27 that move along one axis by a sine of one coordinate: on a body with planes
// of symmetry they see vectors of one kind each, and a square bar bends along its sides rather than
// askew. Then come waves with no symmetry at all, of which every vector contains something. No sine
// is even or odd about the centre.
#include "fem/reference.h"

#include "fem/engine.h"
#include "math/functions.h"

#include <math.h>

enum { PLAIN = 27, WAVES = 13 };

static double fraction(double x) { return x - floor(x); }

// Displacement along `axis` of a plain field.
static double plain_field(int32_t index, int axis, const double xi[3]) {
  static const double waves[3] = { 2.3, 5.1, 11.7 }, phases[3] = { 0.7, 0.4, 0.9 };
  int32_t moved = index / 3 % 3, along = index % 3, level = index / 9;
  return axis == moved ? lb_sin(waves[level] * xi[along] + phases[level]) : 0;
}

// Displacement along `axis` of a wave: its direction and phase are points of a sequence that fills
// the cube evenly (the powers of the root of x⁴ = x + 1, and the golden section).
static double wave_field(int32_t index, int axis, const double xi[3]) {
  static const double steps[3] = { 0.8191725133961645, 0.6710436067037893, 0.5497004779019703 };
  int32_t point = 3 * index + axis + 1;
  double argument = 2 * LB_PI * fraction(point * 0.6180339887498949);
  for (int i = 0; i < 3; i++)
    argument += (2 + 3 * (index % WAVES)) * (2 * fraction(point * steps[i]) - 1) * xi[i];
  return lb_sin(argument);
}

static lbStatus make_field(const void *context, int32_t index, double *weighted, lbError *err) {
  const lbFemReference *reference = context;
  const lbFem *fem = reference->fem;
  size_t size = 3 * (size_t)fem->node_count;
  double *g = lb_alloc(size, sizeof *g), square = 0;
  if (!g) return lb_fail_memory(err);
  for (size_t n = 0; n < (size_t)fem->node_count; n++) {
    const double *x = fem->positions + 3 * (size_t)fem->vertex_of_node[n];
    double xi[3];
    for (int i = 0; i < 3; i++) xi[i] = (x[i] - reference->centre[i]) / reference->extent;
    for (int i = 0; i < 3; i++)
      g[3 * n + (size_t)i] =
          index < PLAIN ? plain_field(index, i, xi) : wave_field(index - PLAIN, i, xi);
  }
  lbStatus status = LB_OK;
  if (reference->metric)
    lb_sparse_multiply(reference->metric, g, weighted);
  else
    status = lb_fem_multiply_mass(fem, 1, g, weighted, err);
  for (size_t i = 0; i < size; i++) square += g[i] * weighted[i];
  for (size_t i = 0; i < size && square > 0; i++) weighted[i] /= sqrt(square);
  lb_free(g);
  return status;
}

void lb_fem_reference(const lbFem *fem, const lbSparse *metric, lbFemReference *reference) {
  *reference = (lbFemReference){ .fem = fem, .metric = metric };
  for (int i = 0; i < 3; i++) {
    double low = INFINITY, high = -INFINITY;
    for (int32_t n = 0; n < fem->node_count; n++) {
      double x = fem->positions[3 * (size_t)fem->vertex_of_node[n] + (size_t)i];
      low = fmin(low, x);
      high = fmax(high, x);
    }
    reference->centre[i] = 0.5 * (low + high);
    reference->extent = fmax(reference->extent, high - low);
  }
  if (!(reference->extent > 0)) reference->extent = 1; // a single free node
  reference->fields =
      (lbReferenceFields){ .size = 3 * fem->node_count, .make = make_field, .context = reference };
}

// ---- modes -------------------------------------------------------------------------------------

// |K w − λ M w| / |K w|
static lbStatus find_reference_residual(const lbFem *fem, const lbSparse *K, double value,
                                        const double *w, double *work, double *residual,
                                        lbError *err) {
  size_t size = 3 * (size_t)fem->node_count;
  double force = 0, left = 0, *Kw = work, *Mw = work + size;
  lbStatus status = lb_fem_multiply_stiffness(fem, K, 1, w, Kw, err);
  if (!status) status = lb_fem_multiply_mass(fem, 1, w, Mw, err);
  for (size_t i = 0; i < size && !status; i++) {
    force += Kw[i] * Kw[i];
    left += (Kw[i] - value * Mw[i]) * (Kw[i] - value * Mw[i]);
  }
  *residual = force > 0 ? sqrt(left / force) : 0;
  return status;
}

// Members of a cluster have one value, and residuals of their new vectors.
static lbStatus join_values(const lbFem *fem, const lbSparse *K, lbEigen *eigen, lbError *err) {
  size_t n = (size_t)eigen->size;
  double *work = lb_alloc(2 * n, sizeof *work);
  lbStatus status = work ? LB_OK : lb_fail_memory(err);
  for (int32_t begin = 0, end; begin < eigen->count && !status; begin = end) {
    double sum = 0;
    end = lb_cluster_end(eigen->count, eigen->values, LB_EIGENVALUE_GAP, begin);
    for (int32_t i = begin; i < end; i++) sum += eigen->values[i] / (end - begin);
    for (int32_t i = begin; i < end && end - begin > 1 && !status; i++) {
      eigen->values[i] = sum;
      status = find_reference_residual(fem, K, sum, eigen->vectors + (size_t)i * n, work,
                                       &eigen->residuals[i], err);
    }
  }
  lb_free(work);
  return status;
}

static lbStatus make_canonical(const lbFem *fem, const lbSparse *K, lbEigen *eigen, lbError *err) {
  lbFemReference reference;
  lb_fem_reference(fem, fem->mass, &reference);
  double *zeros = lb_alloc((size_t)eigen->rigid_count + 1, sizeof *zeros); // one cluster
  lbCanonicalSet sets[] = { { eigen->count, eigen->values, eigen->vectors },
                            { eigen->rigid_count, zeros, eigen->rigid_vectors } };
  lbStatus status = zeros ? LB_OK : lb_fail_memory(err);
  if (!status) status = lb_canonical_sets(&reference.fields, 2, sets, LB_EIGENVALUE_GAP, err);
  if (!status) status = join_values(fem, K, eigen, err);
  lb_free(zeros);
  return status;
}

// The end of the cluster of mode `count` - 1; eigen->count if the cluster may continue.
static int32_t end_of_last(const lbEigen *eigen, int32_t count) {
  int32_t end = 0;
  while (end < count) end = lb_cluster_end(eigen->count, eigen->values, LB_EIGENVALUE_GAP, end);
  return end;
}

// `count` modes and all others of the last one's cluster. A cluster that has not ended after MOST
// more modes is cut there.
static lbStatus find_whole_clusters(const lbFem *fem, const lbSparse *K, int32_t count,
                                    lbEigenFactor *kept, lbEigen **out, lbError *err) {
  enum { FIRST = 3, MOST = 48 };
  int32_t more = count < 1 ? 0 : FIRST;
  lbStatus held = lb_fem_check_held(fem, err);
  if (held == LB_ERR_MEMORY) return held;
  for (;;) {
    lbEigenDef def = lb_eigen_def(count + more);
    def.definite = held == LB_OK;
    def.kept = kept;
    lbStatus status = fem->engine ? fem->engine->eigen(fem, &def, out, err)
                                  : lb_eigen_lowest(K, fem->mass, &def, out, err);
    if (status == LB_ERR_ARGUMENT && more > 0) {
      more--; // there are not so many; only small bodies come here
      continue;
    }
    if (status || end_of_last(*out, count) < count + more) return status;
    int32_t all = 3 * fem->node_count - (*out)->rigid_count - count;
    if (more < FIRST || more >= MOST || more >= all) return LB_OK;
    lb_eigen_destroy(*out);
    *out = NULL;
    more = 4 * more < all ? 4 * more : all;
  }
}

lbStatus lb_fem_eigen(const lbFem *fem, const lbSparse *K, int32_t count, lbEigenFactor *kept,
                      lbEigen **out, lbError *err) {
  lbEigen *eigen = NULL;
  lbStatus status = find_whole_clusters(fem, K, count, kept, &eigen, err);
  if (!status) status = make_canonical(fem, K, eigen, err);
  if (status) {
    lb_eigen_destroy(eigen);
    return status;
  }
  int32_t end = end_of_last(eigen, count);
  if (end > count)
    lb_log(LB_LOG_INFO,
           "%s: mode %d is one of several with the same frequency, which the number of modes cuts; "
           "%d modes would be all of them",
           fem->name, (int)count, (int)end);
  eigen->count = count;
  *out = eigen;
  return LB_OK;
}
