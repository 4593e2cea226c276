// Training poses and their reduced forces; see training.h.
#include "reduce/training.h"

#include "fem/assembler.h"
#include "linalg/blas.h"
#include "linalg/dense.h"
#include "reduce/engine.h"
#include "reduce/random.h"

#include <math.h>
#include <string.h>

enum {
  BLOCK_BYTES = 48 << 20, // of displacements or forces of poses that are worked on together
  BLOCK_MOST = 64,        // poses
  ROWS = 8192,            // of the basis that one task works on
  HELD_OUT_LEAST = 20,
  SHORTENINGS = 60, // of a pose, at most
};

static const double SOFT = 1e-10;    // of the largest eigenvalue: nothing is stiff below
static const double SHORTENED = 0.8; // of its length
static const double SMALL = 0.1;     // size of small poses
static const double EQUAL = 1e-6;    // relative: eigenvalues that belong together

// ---- products with the basis -------------------------------------------------------------------

typedef struct Product {
  size_t length, dimension, count; // rows of the basis, its vectors, poses
  const double *basis, *in;
  double *out;
} Product;

// Rows of u = U q.
static void expand_rows(int32_t begin, int32_t end, void *context) {
  const Product *p = context;
  lb_dense_multiply_parts(LB_PLAIN, LB_PLAIN, end - begin, (int32_t)p->count, (int32_t)p->dimension,
                          1, p->basis + begin, p->length, p->in, p->dimension, 0, p->out + begin,
                          p->length);
}

// Uᵀ f over some rows: (tasks x count x dimension).
static void project_training_rows(int32_t begin, int32_t end, void *context) {
  const Product *p = context;
  double *part = p->out + (size_t)(begin / ROWS) * p->dimension * p->count;
  lb_dense_multiply_parts(LB_TRANSPOSED, LB_PLAIN, (int32_t)p->dimension, (int32_t)p->count,
                          end - begin, 1, p->basis + begin, p->length, p->in + begin, p->length, 0,
                          part, p->dimension);
}

// ---- the work ----------------------------------------------------------------------------------

typedef struct Sampler {
  const lbFem *fem;
  size_t dimension, length; // length = 3 vertices
  const double *basis;
  size_t block;  // poses that are worked on together
  double *u, *f; // (block x length)
  double *parts; // (tasks x block x dimension)
  lbAssembler *assembler;
  // A pose is Σ n_i φ̄_i/ω̄_i with n_i = (R φ̄_i)·ξ, M̃ = RᵀR, over normal numbers ξ of the
  // coordinates: n is as normal as ξ, and the sum does not depend on the signs of modes, or on
  // which ones of equal eigenvalues were chosen, which rounding decides.
  double *modes;      // (dimension x dimension) columns: φ̄/ω̄, the softest first
  double *directions; // likewise: R φ̄
  double *values;     // (dimension) eigenvalues
  double *draws;      // (dimension) ξ
  size_t loose_count; // the first modes, in which nothing is stiff
} Sampler;

static void expand_coordinates(const Sampler *s, size_t count, const double *q, double *u) {
  Product p = { s->length, s->dimension, count, s->basis, q, u };
  lb_parallel_for((int32_t)s->length, ROWS, expand_rows, &p);
}

static void project_forces(const Sampler *s, size_t count, const double *f, double *reduced) {
  Product p = { s->length, s->dimension, count, s->basis, f, s->parts };
  size_t tasks = (s->length - 1) / ROWS + 1, values = count * s->dimension;
  lb_parallel_for((int32_t)s->length, ROWS, project_training_rows, &p);
  memcpy(reduced, s->parts, values * sizeof(double));
  for (size_t t = 1; t < tasks; t++)
    for (size_t i = 0; i < values; i++) reduced[i] += s->parts[t * values + i];
}

static void release_sampler(Sampler *s) {
  lb_free(s->u);
  lb_free(s->f);
  lb_free(s->parts);
  lb_free(s->modes);
  lb_free(s->directions);
  lb_free(s->values);
  lb_free(s->draws);
  lb_assembler_destroy(s->assembler);
}

static lbStatus open_sampler(const lbFem *fem, int32_t dimension, const double *basis, Sampler *s,
                             lbError *err) {
  *s = (Sampler){ .fem = fem, .dimension = (size_t)dimension, .basis = basis };
  s->length = 3 * (size_t)fem->vertex_count;
  s->block = BLOCK_BYTES / (s->length * sizeof(double));
  if (s->block < 1) s->block = 1;
  if (s->block > BLOCK_MOST) s->block = BLOCK_MOST;
  size_t tasks = (s->length - 1) / ROWS + 1;
  s->u = lb_alloc(s->block * s->length, sizeof(double));
  s->f = lb_alloc(s->block * s->length, sizeof(double));
  s->parts = lb_alloc(tasks * s->block * s->dimension, sizeof(double));
  s->modes = lb_alloc(s->dimension * s->dimension, sizeof(double));
  s->directions = lb_alloc(s->dimension * s->dimension, sizeof(double));
  s->values = lb_alloc(s->dimension, sizeof(double));
  s->draws = lb_alloc(s->dimension, sizeof(double));
  bool complete = s->u && s->f && s->parts && s->modes && s->directions && s->values && s->draws;
  lbStatus status = complete ? LB_OK : lb_fail_memory(err);
  if (!status) status = lb_linalg_reserve(err);
  lb_linalg_one_thread();
  if (status || fem->engine) return status;
  return lb_assembler_create(fem, &s->assembler, err);
}

// ---- reduced vibrations ------------------------------------------------------------------------

static bool is_free(const lbFem *fem) {
  for (int32_t v = 0; v < fem->vertex_count; v++)
    if (fem->fixed[v]) return false;
  return true;
}

// K̃ = UᵀKU and M̃ = UᵀMU. Translations of a free body become as stiff as the stiffest vector.
static lbStatus reduce_rest(const Sampler *s, double *K, double *M, lbError *err) {
  const lbFem *fem = s->fem;
  int32_t d = (int32_t)s->dimension, size = 3 * fem->node_count;
  size_t n = (size_t)size;
  double *U = lb_alloc(n * s->dimension, sizeof *U), *X = lb_alloc(n * s->dimension, sizeof *X);
  lbSparse *stiffness = NULL;
  lbStatus status = U && X ? LB_OK : lb_fail_memory(err);
  if (!status && !fem->engine) status = lb_fem_rest_stiffness(fem, &stiffness, err);
  for (size_t i = 0; i < s->dimension && !status; i++)
    lb_fem_compress(fem, s->basis + i * s->length, U + i * n);
  if (!status) status = lb_fem_multiply_stiffness(fem, stiffness, d, U, X, err);
  if (!status) lb_dense_multiply(LB_TRANSPOSED, LB_PLAIN, d, d, size, 1, U, X, 0, K);
  if (!status) status = lb_fem_multiply_mass(fem, d, U, X, err);
  if (!status) lb_dense_multiply(LB_TRANSPOSED, LB_PLAIN, d, d, size, 1, U, X, 0, M);
  if (!status && is_free(fem)) {
    double largest = 0;
    for (size_t i = 0; i < s->dimension; i++)
      largest = fmax(largest, K[i * s->dimension + i] / M[i * s->dimension + i]);
    for (int k = 0; k < 3; k++) { // X = Uᵀ M e_k, e_k a unit translation
      for (size_t i = 0; i < s->dimension; i++) {
        X[i] = 0;
        for (size_t v = 0; v < (size_t)fem->vertex_count; v++)
          X[i] += fem->vertex_masses[v] * s->basis[i * s->length + 3 * v + (size_t)k];
      }
      lb_dense_multiply(LB_PLAIN, LB_TRANSPOSED, d, d, 1, largest / fem->total_mass, X, X, 1, K);
    }
  }
  lb_sparse_destroy(stiffness);
  lb_free(U);
  lb_free(X);
  return status;
}

// directions <- R modes, R upper triangular
static void find_directions(Sampler *s, const double *R) {
  size_t d = s->dimension;
  for (size_t i = 0; i < d; i++)
    for (size_t k = 0; k < d; k++) {
      double sum = 0;
      for (size_t l = k; l < d; l++) sum += R[l * d + k] * s->modes[i * d + l];
      s->directions[i * d + k] = sum;
    }
}

static lbStatus find_training_modes(Sampler *s, lbError *err) {
  size_t d = s->dimension;
  double *M = lb_alloc(d * d, sizeof *M), *values = s->values;
  lbStatus status = M ? reduce_rest(s, s->modes, M, err) : lb_fail_memory(err);
  if (!status) {
    for (size_t i = 0; i < d; i++)
      if (!(M[i * d + i] > 0))
        status = lb_fail(err, LB_ERR_ARGUMENT, "vector %d of the basis is zero", (int)i);
  }
  if (!status) {
    status = lb_dense_eigen_general((int32_t)d, s->modes, M, values, err);
    if (status == LB_ERR_NUMERIC)
      status = lb_fail(err, LB_ERR_ARGUMENT,
                       "vectors of the basis depend on each other, %d of them cannot be told "
                       "apart: use fewer, or other ones",
                       (int)d);
  }
  while (!status && s->loose_count < d && values[s->loose_count] <= SOFT * values[d - 1])
    s->loose_count++;
  if (!status && s->loose_count == d)
    status = lb_fail(err, LB_ERR_NUMERIC, "no vector of the basis meets any stiffness");
  if (!status) find_directions(s, M);
  for (size_t i = 0; !status && i < d; i++) {
    double value = values[i < s->loose_count ? s->loose_count : i];
    for (size_t k = 0; k < d; k++) s->modes[i * d + k] /= sqrt(value);
  }
  lb_free(M);
  return status;
}

// ---- poses -------------------------------------------------------------------------------------

static double box_diagonal(const lbFem *fem) {
  double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
  for (size_t v = 0; v < (size_t)fem->vertex_count; v++)
    for (size_t k = 0; k < 3 && (fem->fixed[v] || fem->node_of_vertex[v] >= 0); k++) {
      low[k] = fmin(low[k], fem->positions[3 * v + k]);
      high[k] = fmax(high[k], fem->positions[3 * v + k]);
    }
  return sqrt(pow(high[0] - low[0], 2) + pow(high[1] - low[1], 2) + pow(high[2] - low[2], 2));
}

static void add_modes(const Sampler *s, size_t begin, size_t end, double size, lbRandom *random,
                      double *q) {
  size_t d = s->dimension;
  for (size_t k = 0; k < d; k++) s->draws[k] = lb_random_normal(random);
  for (size_t i = begin; i < end; i++) {
    double n = 0;
    for (size_t k = 0; k < d; k++) n += size * s->draws[k] * s->directions[i * d + k];
    for (size_t k = 0; k < d; k++) q[k] += n * s->modes[i * d + k];
  }
}

// A small pose has some of the softest modes: their number is drawn so that its logarithm is
// uniform; it does not end between equal ones.
static void draw_small(const Sampler *s, lbRandom *random, double *q) {
  size_t stiff = s->dimension - s->loose_count;
  double share = lb_random_unit(random);
  size_t count = (size_t)pow((double)stiff + 1, share);
  if (count < 1) count = 1;
  while (count < stiff &&
         s->values[s->loose_count + count] <= (1 + EQUAL) * s->values[s->loose_count + count - 1])
    count++;
  if (count > stiff) count = stiff;
  add_modes(s, s->loose_count, s->loose_count + count, SMALL, random, q);
}

static void draw_poses(const Sampler *s, const lbCubatureDef *def, size_t count, double *poses) {
  for (size_t t = 0; t < count; t++) {
    lbRandom random = lb_random_stream(def->seed, t);
    double *q = poses + t * s->dimension, share = def->small_share;
    if (floor((double)(t + 1) * share) > floor((double)t * share))
      draw_small(s, &random, q);
    else
      add_modes(s, 0, s->dimension, 1, &random, q);
  }
}

// The greatest displacement of a node in these poses.
static double largest_displacement(const Sampler *s, size_t count, const double *poses) {
  double largest = 0;
  for (size_t first = 0; first < count; first += s->block) {
    size_t poses_here = count - first < s->block ? count - first : s->block;
    expand_coordinates(s, poses_here, poses + first * s->dimension, s->u);
    for (size_t i = 0; i < poses_here * s->length; i += 3)
      largest =
          fmax(largest, s->u[i] * s->u[i] + s->u[i + 1] * s->u[i + 1] + s->u[i + 2] * s->u[i + 2]);
  }
  return sqrt(largest);
}

static void scale_values(size_t count, double factor, double *values) {
  for (size_t i = 0; i < count; i++) values[i] *= factor;
}

// ---- forces ------------------------------------------------------------------------------------

// The full force of pose t of the block. A pose beyond the law is shortened until it is not, and
// then once more: next to the barrier one element's force would hide all others.
static lbStatus pose_force(Sampler *s, size_t t, double *q, int32_t *shortened, lbError *err) {
  double *u = s->u + t * s->length, *f = s->f + t * s->length;
  if (isfinite(lb_assemble(s->assembler, u, f, NULL))) return LB_OK;
  int32_t element = lb_assembler_invalid_element(s->assembler), tries = 0;
  bool valid = false;
  while (!valid && tries++ < SHORTENINGS) {
    scale_values(s->length, SHORTENED, u);
    scale_values(s->dimension, SHORTENED, q);
    valid = isfinite(lb_assemble(s->assembler, u, f, NULL));
  }
  if (!valid)
    return lb_fail(err, LB_ERR_NUMERIC,
                   "no pose in the direction of training pose %d leaves element %d as it is: it "
                   "seems to be flat",
                   (int)t, (int)element);
  scale_values(s->length, SHORTENED, u);
  scale_values(s->dimension, SHORTENED, q);
  lb_assemble(s->assembler, u, f, NULL);
  ++*shortened;
  return LB_OK;
}

// The same of some poses where elements lie elsewhere, projected already.
static lbStatus remote_forces(Sampler *s, size_t count, double *q, double *forces,
                              int32_t *shortened, lbError *err) {
  const lbReduceEngine *engine = lb_reduce_engine(s->fem);
  double energies[BLOCK_MOST];
  lbStatus status = engine->reduced_forces(s->fem, (int32_t)count, q, forces, energies, err);
  for (size_t t = 0; t < count && !status; t++) {
    double *pose = q + t * s->dimension, *force = forces + t * s->dimension;
    bool valid = isfinite(energies[t]), was_valid = valid;
    for (int32_t tries = 0; !valid && tries < SHORTENINGS && !status; tries++) {
      scale_values(s->dimension, SHORTENED, pose);
      status = engine->reduced_forces(s->fem, 1, pose, force, &energies[t], err);
      valid = isfinite(energies[t]);
    }
    if (!status && !valid)
      return lb_fail(
          err, LB_ERR_NUMERIC,
          "no pose in the direction of training pose %d leaves all elements as they are: "
          "one seems to be flat",
          (int)t);
    if (status || was_valid) continue;
    scale_values(s->dimension, SHORTENED, pose);
    status = engine->reduced_forces(s->fem, 1, pose, force, &energies[t], err);
    ++*shortened;
  }
  return status;
}

static lbStatus local_forces(Sampler *s, size_t count, double *q, double *forces, double done,
                             double total, int32_t *shortened, lbError *err) {
  expand_coordinates(s, count, q, s->u);
  for (size_t t = 0; t < count; t++) {
    if (!lb_progress("training", (done + (double)t) / total))
      return lb_fail_interrupted(err, "training");
    lbStatus status = pose_force(s, t, q + t * s->dimension, shortened, err);
    if (status) return status;
  }
  project_forces(s, count, s->f, forces);
  return LB_OK;
}

static lbStatus find_training_forces(Sampler *s, lbTraining *training, lbError *err) {
  size_t d = s->dimension, total = (size_t)(training->pose_count + training->held_out_count);
  for (size_t first = 0; first < total; first += s->block) {
    size_t count = total - first < s->block ? total - first : s->block;
    double *q = training->poses + first * d, *forces = training->forces + first * d;
    if (!lb_progress("training", (double)first / (double)total))
      return lb_fail_interrupted(err, "training");
    lbStatus status = s->fem->engine
                          ? remote_forces(s, count, q, forces, &training->shortened_count, err)
                          : local_forces(s, count, q, forces, (double)first, (double)total,
                                         &training->shortened_count, err);
    if (status) return status;
  }
  for (size_t t = 0; t < total; t++) {
    double square = 0;
    for (size_t i = 0; i < d; i++) square += pow(training->forces[t * d + i], 2);
    training->lengths[t] = sqrt(square);
    if (!(square > 0) || !isfinite(square))
      return lb_fail(err, LB_ERR_NUMERIC, "training pose %d has the force %g", (int)t,
                     sqrt(square));
  }
  return LB_OK;
}

// ---- all of it ---------------------------------------------------------------------------------

static lbStatus create_training(int32_t dimension, const lbCubatureDef *def, lbTraining **out,
                                lbError *err) {
  lbTraining *training = lb_alloc(1, sizeof *training);
  if (!training) return lb_fail_memory(err);
  training->dimension = dimension;
  training->pose_count = def->pose_count;
  training->held_out_count =
      def->pose_count / 4 > HELD_OUT_LEAST ? def->pose_count / 4 : HELD_OUT_LEAST;
  size_t total = (size_t)(training->pose_count + training->held_out_count);
  training->poses = lb_alloc(total * (size_t)dimension, sizeof(double));
  training->forces = lb_alloc(total * (size_t)dimension, sizeof(double));
  training->lengths = lb_alloc(total, sizeof(double));
  *out = training;
  return training->poses && training->forces && training->lengths ? LB_OK : lb_fail_memory(err);
}

lbStatus lb_training_create(const lbFem *fem, int32_t dimension, const double *basis,
                            const lbCubatureDef *def, lbTraining **out, lbError *err) {
  Sampler sampler = { 0 };
  lbTraining *training = NULL;
  lbStatus status = create_training(dimension, def, &training, err);
  if (!status) status = open_sampler(fem, dimension, basis, &sampler, err);
  if (!status) status = find_training_modes(&sampler, err);
  if (!status) {
    size_t count = (size_t)training->pose_count, total = count + (size_t)training->held_out_count;
    draw_poses(&sampler, def, total, training->poses);
    double largest = largest_displacement(&sampler, count, training->poses);
    scale_values(total * sampler.dimension, def->amplitude * box_diagonal(fem) / largest,
                 training->poses);
    status = find_training_forces(&sampler, training, err);
  }
  release_sampler(&sampler);
  if (status)
    lb_training_destroy(training);
  else
    *out = training;
  return status;
}

void lb_training_destroy(lbTraining *training) {
  if (!training) return;
  lb_free(training->poses);
  lb_free(training->forces);
  lb_free(training->lengths);
  lb_free(training);
}
