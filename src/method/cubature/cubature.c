// Forces by cubature (method/cubature/cubature.h): displacements of the nodes of the chosen
// elements, the elements' own forces and tangents, and what they are in reduced coordinates.
#include "method/cubature/cubature.h"
#include "method/limits.h"

#include "method/subspace/subspace.h"

#include <string.h>

// of the smallest element: the step by which the rate of a tangent is found. Doubled, it is off by
// twice as much.
#define RATE_STEP 1e-5

typedef struct Cubature {
  const lbCubatureKernels *kernels;
  lbElementKernel **elements; // (batches)
  lbCubaturePlan *plan;       // shared with those of other materials
  bool owns_plan;
  double *parameters;      // (batches x LB_MATERIAL_PARAMETERS x LB_BATCH)
  double *rest_stiffness;  // (stride x stride); of a sample NULL
  struct Cubature *sample; // of the plan's; NULL: none
  double least;            // of a sample: N, forces at a node that are rounding
} Cubature;

// ---- working memory ----------------------------------------------------------------------------

typedef struct Work {
  double *q, *R;  // (2 x stride), zeros beyond the coordinates; reduced forces
  double *u, *f;  // (2 x 3 nodes)
  double *sizes;  // (nodes)
  double *blocks; // (9 x blocks)
  double *rows;   // (lb_cubature_project_work)
  double *displacements, *energies, *forces, *tangents; // of a batch
} Work;

static size_t lay_out_work(const lbCubaturePlan *plan, double *work, Work *w) {
  size_t stride = (size_t)plan->rows.stride, nodes = (size_t)plan->rows.node_count;
  lbCarver carver = { .block = (char *)work };
  w->q = lb_carve(&carver, 2 * stride, sizeof(double));
  w->R = lb_carve(&carver, 2 * stride, sizeof(double));
  w->u = lb_carve(&carver, 6 * nodes, sizeof(double));
  w->f = lb_carve(&carver, 6 * nodes, sizeof(double));
  w->sizes = lb_carve(&carver, nodes, sizeof(double));
  w->blocks = lb_carve(&carver, 9 * (size_t)plan->block_count, sizeof(double));
  w->rows = lb_carve(&carver, lb_cubature_project_work(stride), sizeof(double));
  w->displacements = lb_carve(&carver, LB_BATCH * 3 * LB_ELEMENT_NODES_MAX, sizeof(double));
  w->energies = lb_carve(&carver, LB_BATCH, sizeof(double));
  w->forces = lb_carve(&carver, LB_BATCH * 3 * LB_ELEMENT_NODES_MAX, sizeof(double));
  w->tangents = lb_carve(&carver, LB_BATCH * 9 * LB_ELEMENT_PAIRS_MAX, sizeof(double));
  return carver.used;
}

static size_t work_size_cubature(const void *data) {
  const lbCubaturePlan *plan = ((const Cubature *)data)->plan;
  Work unused;
  size_t bytes = lay_out_work(plan, NULL, &unused);
  size_t of_sample = plan->sample ? lay_out_work(plan->sample, NULL, &unused) : 0;
  return (bytes > of_sample ? bytes : of_sample) / sizeof(double);
}

// With q and, unless it is NULL, v.
static Work open_work_cubature(const Cubature *own, const double *q, const double *v,
                               double *work) {
  const lbCubatureRows *rows = &own->plan->rows;
  size_t stride = (size_t)rows->stride, bytes = (size_t)rows->count * sizeof *q;
  Work w;
  lay_out_work(own->plan, work, &w);
  memset(w.q, 0, 2 * stride * sizeof *w.q);
  memcpy(w.q, q, bytes);
  if (v) memcpy(w.q + stride, v, bytes);
  return w;
}

// w->u <- displacements of the nodes for as many vectors of w->q.
static void displace_cubature(const Cubature *own, int32_t vectors, const Work *w) {
  own->kernels->displace(&own->plan->rows, vectors, w->q, w->u);
}

static size_t node_numbers(const Cubature *own) { return 3 * (size_t)own->plan->rows.node_count; }

// ---- a batch -----------------------------------------------------------------------------------

static void gather_cubature(const lbCubatureBatch *batch, const double *u, double *displacements) {
  int32_t nodes = lb_element_nodes(batch->kind);
  for (int32_t lane = 0; lane < LB_BATCH; lane++)
    for (int32_t a = 0; a < nodes; a++) {
      const double *from = u + 3 * (size_t)batch->nodes[lane * nodes + a];
      double *to = displacements + 3 * LB_BATCH * a + lane;
      for (int c = 0; c < 3; c++) to[LB_BATCH * c] = from[c];
    }
}

// Forces (w->forces) and, where they are wanted, tangents (w->tangents) at displacements u of the
// nodes; returns the energy. Kernels with and without tangents may round forces differently; a
// body's are always those without.
static double run_of_cubature(const Cubature *own, int32_t b, const double *u, bool tangents,
                              const Work *w) {
  const lbCubatureBatch *batch = &own->plan->batches[b];
  const double *parameters = own->parameters + (size_t)b * LB_MATERIAL_PARAMETERS * LB_BATCH;
  gather_cubature(batch, u, w->displacements);
  lbElementBatch numbers = { .rest = batch->rest,
                             .parameters = parameters,
                             .displacements = w->displacements,
                             .energies = w->energies,
                             .tangents = w->tangents };
  if (tangents) own->elements[b](&numbers);
  numbers.forces = w->forces, numbers.tangents = NULL;
  own->elements[b](&numbers);
  double energy = 0;
  for (int32_t lane = 0; lane < batch->used; lane++) energy += w->energies[lane];
  return energy;
}

static void add_forces_cubature(const lbCubatureBatch *batch, const double *forces, double *f) {
  int32_t nodes = lb_element_nodes(batch->kind);
  for (int32_t k = 0; k < batch->used * nodes; k++) {
    double *to = f + 3 * (size_t)batch->nodes[k];
    for (int c = 0; c < 3; c++) to[c] += forces[3 * k + c];
  }
}

static void add_blocks_cubature(const lbCubatureBatch *batch, const double *tangents, double factor,
                                double *blocks) {
  for (int32_t k = 0; k < batch->used * lb_element_pairs(batch->kind); k++, tangents += 9) {
    int32_t number = batch->blocks[k];
    double *to = blocks + 9 * (size_t)(number < 0 ? ~number : number);
    for (int i = 0; i < 9; i++) to[i] += factor * tangents[number < 0 ? i % 3 * 3 + i / 3 : i];
  }
}

// y <- y + B x
static void add_block_cubature(const double B[9], const double x[3], double y[3]) {
  for (int i = 0; i < 3; i++) y[i] += B[3 * i] * x[0] + B[3 * i + 1] * x[1] + B[3 * i + 2] * x[2];
}

// z <- z + B^T w
static void add_transposed(const double B[9], const double w[3], double z[3]) {
  for (int i = 0; i < 3; i++) z[i] += B[i] * w[0] + B[3 + i] * w[1] + B[6 + i] * w[2];
}

// f <- f + K v, element by element: K_ab of nodes a <= b counts for both of them.
static void add_products(const lbCubatureBatch *batch, const double *tangents, const double *v,
                         double *f) {
  int32_t nodes = lb_element_nodes(batch->kind);
  for (int32_t lane = 0; lane < batch->used; lane++) {
    const int32_t *element = batch->nodes + lane * nodes;
    double x[3 * LB_ELEMENT_NODES_MAX], y[3 * LB_ELEMENT_NODES_MAX] = { 0 };
    for (int32_t a = 0; a < nodes; a++)
      memcpy(x + 3 * a, v + 3 * (size_t)element[a], 3 * sizeof *x);
    for (int32_t b = 0; b < nodes; b++)
      for (int32_t a = 0; a <= b; a++, tangents += 9) {
        add_block_cubature(tangents, x + 3 * b, y + 3 * a);
        if (a != b) add_transposed(tangents, x + 3 * a, y + 3 * b);
      }
    for (int32_t k = 0; k < 3 * nodes; k++) f[3 * (size_t)element[k / 3] + (size_t)(k % 3)] += y[k];
  }
}

// ---- the force model ---------------------------------------------------------------------------

// What elements give to their nodes and to the matrix of these.
enum { FORCES = 1, PRODUCTS = 2, BLOCKS = 4 };

// w->R <- the reduced forces and, if they are wanted, products. Returns the energy.
static double go_through(const Cubature *own, int wanted, const Work *w) {
  const lbCubaturePlan *plan = own->plan;
  int32_t vectors = wanted & PRODUCTS ? 2 : 1;
  size_t numbers = node_numbers(own);
  double energy = 0;
  displace_cubature(own, vectors, w);
  memset(w->f, 0, (size_t)vectors * numbers * sizeof *w->f);
  if (wanted & BLOCKS) memset(w->blocks, 0, 9 * (size_t)plan->block_count * sizeof *w->blocks);
  for (int32_t b = 0; b < plan->batch_count; b++) {
    const lbCubatureBatch *batch = &plan->batches[b];
    energy += run_of_cubature(own, b, w->u, wanted & (PRODUCTS | BLOCKS), w);
    add_forces_cubature(batch, w->forces, w->f);
    if (wanted & PRODUCTS) add_products(batch, w->tangents, w->u + numbers, w->f + numbers);
    if (wanted & BLOCKS) add_blocks_cubature(batch, w->tangents, 1, w->blocks);
  }
  if (wanted & FORCES) own->kernels->collect(&plan->rows, vectors, w->f, w->R);
  return energy;
}

static double force_cubature(const void *data, const double *q, double *R, double *work) {
  const Cubature *own = data;
  const Work w = open_work_cubature(own, q, NULL, work);
  double energy = go_through(own, FORCES, &w);
  memcpy(R, w.R, (size_t)own->plan->rows.stride * sizeof *R);
  return energy;
}

static double evaluate_cubature(const void *data, const double *q, double *R, double *K,
                                double *work) {
  const Cubature *own = data;
  const Work w = open_work_cubature(own, q, NULL, work);
  double energy = go_through(own, FORCES | BLOCKS, &w);
  memcpy(R, w.R, (size_t)own->plan->rows.stride * sizeof *R);
  own->kernels->project(&own->plan->rows, &own->plan->pairs, w.blocks, K, w.rows);
  return energy;
}

static double rough_tangent(const void *data, const double *q, double *K, double *work) {
  const Cubature *own = data;
  const Work w = open_work_cubature(own, q, NULL, work);
  double energy = go_through(own, BLOCKS, &w);
  own->kernels->project_rough(&own->plan->rows, &own->plan->pairs, w.blocks, K, w.rows);
  return energy;
}

// By the difference of the elements' tangents on both sides of q.
static void tangent_rate_cubature(const void *data, const double *q, const double *v, double *rate,
                                  double *work) {
  const Cubature *own = data;
  const lbCubaturePlan *plan = own->plan;
  const Work w = open_work_cubature(own, q, v, work);
  displace_cubature(own, 2, &w);
  size_t numbers = node_numbers(own);
  const double *velocities = w.u + numbers;
  double fastest = 0;
  for (size_t i = 0; i < numbers; i++) fastest = fmax(fastest, fabs(velocities[i]));
  double step = fastest > 0 ? RATE_STEP * plan->shortest / fastest : 1;
  memset(w.blocks, 0, 9 * (size_t)plan->block_count * sizeof *w.blocks);
  for (int side = -1; side <= 1; side += 2) {
    for (size_t i = 0; i < numbers; i++) w.f[i] = w.u[i] + side * step * velocities[i];
    for (int32_t b = 0; b < plan->batch_count; b++) {
      run_of_cubature(own, b, w.f, true, &w);
      add_blocks_cubature(&plan->batches[b], w.tangents, side / (2 * step), w.blocks);
    }
  }
  own->kernels->project(&plan->rows, &plan->pairs, w.blocks, rate, w.rows);
}

static double along_cubature(const void *data, const double *q, const double *v, double *R,
                             double *Kv, double *work) {
  const Cubature *own = data;
  size_t stride = (size_t)own->plan->rows.stride;
  const Work w = open_work_cubature(own, q, v, work);
  double energy = go_through(own, FORCES | PRODUCTS, &w);
  memcpy(R, w.R, stride * sizeof *R);
  memcpy(Kv, w.R + stride, stride * sizeof *Kv);
  return energy;
}

// ---- what the basis cannot follow --------------------------------------------------------------

// How large the forces are that meet at nodes: sums of magnitudes.
static void add_sizes(const lbCubatureBatch *batch, const double *forces, double *sizes) {
  int32_t nodes = lb_element_nodes(batch->kind);
  for (int32_t k = 0; k < batch->used * nodes; k++)
    sizes[batch->nodes[k]] += lb_length(lb_vec3_load(forces + 3 * k));
}

// w.f <- elastic forces at the sample's nodes, and K v where that is damped; w.u <- U a and U v.
static Work evaluate_sample(const Cubature *own, const lbMotion *m, double *work) {
  const lbCubaturePlan *plan = own->plan;
  const Work w = open_work_cubature(own, m->q, m->v, work);
  displace_cubature(own, 2, &w);
  size_t numbers = node_numbers(own);
  bool damped = m->damping_stiffness != 0;
  memset(w.f, 0, 2 * numbers * sizeof *w.f);
  memset(w.sizes, 0, numbers / 3 * sizeof *w.sizes);
  for (int32_t b = 0; b < plan->batch_count; b++) {
    run_of_cubature(own, b, w.u, damped, &w);
    add_forces_cubature(&plan->batches[b], w.forces, w.f);
    add_sizes(&plan->batches[b], w.forces, w.sizes);
    if (damped) add_products(&plan->batches[b], w.tangents, w.u + numbers, w.f + numbers);
  }
  memcpy(w.q, m->a, (size_t)plan->rows.count * sizeof *w.q);
  displace_cubature(own, 1, &w);
  return w;
}

// f + M a + (alpha M + beta K) v - M g at the nodes of the sample, relative to the sum of the
// magnitudes of all that meets there.
static double unfollowed(const void *data, const lbMotion *m, double *work) {
  const Cubature *own = ((const Cubature *)data)->sample;
  if (!own) return 0;
  const Work w = evaluate_sample(own, m, work);
  const lbCubaturePlan *plan = own->plan;
  size_t numbers = node_numbers(own);
  double left = 0, whole = 0;
  for (int32_t i = 0; i < plan->place_count; i++) {
    size_t at = 3 * (size_t)plan->places[i];
    double mass = m->node_masses[plan->model_nodes[plan->places[i]]];
    lbVec3 a = lb_scale(mass, lb_vec3_load(w.u + at)), weight = lb_scale(mass, m->gravity);
    lbVec3 C = lb_add(lb_scale(m->damping_mass * mass, lb_vec3_load(w.u + numbers + at)),
                      lb_scale(m->damping_stiffness, lb_vec3_load(w.f + numbers + at)));
    lbVec3 G = lb_sub(lb_add(lb_add(lb_vec3_load(w.f + at), a), C), weight);
    double size = w.sizes[plan->places[i]] + lb_length(a) + lb_length(C) + lb_length(weight);
    left += lb_dot(G, G);
    whole += size * size + own->least * own->least;
  }
  double ratio = sqrt(left / whole);
  return ratio <= 1 ? ratio : 1; // where elements are inside out there may be no forces
}

// ---- creation ----------------------------------------------------------------------------------

static void fill_batch(Cubature *own, int32_t b, const double *materials, lbSimdLevel level) {
  const lbCubatureBatch *batch = &own->plan->batches[b];
  double *parameters = own->parameters + (size_t)b * LB_MATERIAL_PARAMETERS * LB_BATCH;
  own->elements[b] = lb_element_kernel(batch->kind, batch->law, level);
  for (int32_t lane = 0; lane < LB_BATCH; lane++) {
    const lbComponent c = lb_component(&own->plan->components, batch->numbers[lane]);
    lb_component_parameters(&own->plan->components, &c, materials, parameters + lane, LB_BATCH);
  }
}

static void destroy_cubature(void *data) {
  Cubature *own = data;
  if (!own) return;
  destroy_cubature(own->sample);
  if (own->owns_plan) lb_cubature_plan_destroy(own->plan);
  lb_free(own->elements);
  lb_free(own->parameters);
  lb_free(own->rest_stiffness);
  lb_free(own);
}

static lbStatus fill_batches_cubature(Cubature *own, const lbPrepared *p, const double *materials,
                                      lbError *err) {
  size_t batches = (size_t)own->plan->batch_count;
  own->kernels = lb_cubature_kernels(p->level);
  own->elements = lb_alloc(batches, sizeof *own->elements);
  own->parameters = lb_alloc(batches, LB_MATERIAL_PARAMETERS * LB_BATCH * sizeof(double));
  if (!own->elements || !own->parameters) return lb_fail_memory(err);
  for (int32_t b = 0; b < own->plan->batch_count; b++) fill_batch(own, b, materials, p->level);
  return LB_OK;
}

static lbStatus find_rest_stiffness(Cubature *own, lbError *err) {
  size_t n = (size_t)own->plan->rows.stride;
  own->rest_stiffness = lb_alloc(n, n * sizeof(double));
  double *work = lb_alloc(work_size_cubature(own) + 2 * n, sizeof(double));
  bool complete = own->rest_stiffness && work;
  if (complete) {
    double *q = work + work_size_cubature(own), *R = q + n;
    evaluate_cubature(own, q, R, own->rest_stiffness, work);
  }
  lb_free(work);
  return complete ? LB_OK : lb_fail_memory(err);
}

// J: an element's moduli times its weighted volume.
static double element_energy(const Cubature *own, int32_t b, int32_t lane) {
  const lbCubatureBatch *batch = &own->plan->batches[b];
  const double *parameters = own->parameters + (size_t)b * LB_MATERIAL_PARAMETERS * LB_BATCH;
  double modulus = 0, volume = 0;
  for (int i = 0; i < LB_MATERIAL_PARAMETERS; i++) modulus += fabs(parameters[i * LB_BATCH + lane]);
  for (int32_t p = 0; p < lb_element_points(batch->kind); p++)
    volume += batch->rest[(p * LB_POINT_REST + 9) * LB_BATCH + lane];
  return modulus * volume;
}

static double largest_energy(const Cubature *own) {
  double sum = 0;
  for (int32_t b = 0; b < own->plan->batch_count; b++)
    for (int32_t lane = 0; lane < own->plan->batches[b].used; lane++)
      sum += element_energy(own, b, lane);
  return sum;
}

static double row_entry(const lbCubatureRows *rows, size_t i) {
  return rows->single ? (double)rows->single[i] : rows->rows[i];
}

// Sum over an element's nodes a of |U_a - the mean of them| (Frobenius).
static double spread_of_rows(const lbCubatureRows *rows, const int32_t *nodes, int32_t count) {
  size_t block = 3 * (size_t)rows->stride;
  double squares[LB_ELEMENT_NODES_MAX] = { 0 }, sum = 0;
  for (size_t i = 0; i < block; i++) {
    double entries[LB_ELEMENT_NODES_MAX], mean = 0;
    for (int32_t a = 0; a < count; a++) {
      entries[a] = row_entry(rows, block * (size_t)nodes[a] + i);
      mean += entries[a] / count;
    }
    for (int32_t a = 0; a < count; a++) squares[a] += (entries[a] - mean) * (entries[a] - mean);
  }
  for (int32_t a = 0; a < count; a++) sum += sqrt(squares[a]);
  return sum;
}

// Of the sum of moduli times volumes, by the size of an element.
static double least_force(const Cubature *own) {
  return LB_NEGLIGIBLE * largest_energy(own) / own->plan->shortest / own->plan->place_count;
}

static lbStatus make_sample_cubature(Cubature *own, const lbPrepared *p, const double *materials,
                                     lbError *err) {
  if (!own->plan->sample) return LB_OK;
  own->sample = lb_alloc(1, sizeof *own->sample);
  if (!own->sample) return lb_fail_memory(err);
  own->sample->plan = own->plan->sample;
  lbStatus status = fill_batches_cubature(own->sample, p, materials, err);
  if (!status) own->sample->least = least_force(own->sample);
  return status;
}

static lbStatus create_cubature(const lbPrepared *p, const double *materials, void **data,
                                lbError *err) {
  Cubature *own = lb_alloc(1, sizeof *own);
  lbStatus status = LB_OK;
  if (!own) return lb_fail_memory(err);
  own->owns_plan = !p->base;
  if (p->base)
    own->plan = ((const Cubature *)lb_subspace_of(p->base)->force_data)->plan;
  else
    status = lb_cubature_plan_create(p, &own->plan, err);
  if (!status) status = fill_batches_cubature(own, p, materials, err);
  if (!status) status = find_rest_stiffness(own, err);
  if (!status) status = make_sample_cubature(own, p, materials, err);
  if (status)
    destroy_cubature(own);
  else
    *data = own;
  return status;
}

static const double *rest_stiffness_cubature(const void *data) {
  return ((const Cubature *)data)->rest_stiffness;
}

// Energies are differences of terms that are as large as the moduli.
static double energy_noise(const void *data) { return LB_ROUNDING * largest_energy(data); }

// Stresses are such differences, too: those of a body at rest are e m, with m the modulus and
// e = ROUNDING. In an element of volume V and size l they put forces of up to e m V / l on the
// nodes, whose sum is zero, so that only differences of the rows U_a of these count:
//   |dR| <= e sum_elements m V / l sum_a |U_a - mean U|.
static double force_noise(const void *data) {
  const Cubature *own = data;
  double sum = 0;
  for (int32_t b = 0; b < own->plan->batch_count; b++) {
    const lbCubatureBatch *batch = &own->plan->batches[b];
    int32_t nodes = lb_element_nodes(batch->kind);
    for (int32_t lane = 0; lane < batch->used; lane++)
      sum += element_energy(own, b, lane) *
             spread_of_rows(&own->plan->rows, batch->nodes + lane * nodes, nodes);
  }
  return LB_ROUNDING * sum / own->plan->shortest;
}

static double distance_cubature(const void *data, const double *q, double *work) {
  return lb_poses_distance(&((const Cubature *)data)->plan->poses, q, work);
}

const lbForceModel lb_cubature_forces = { .create = create_cubature,
                                          .destroy = destroy_cubature,
                                          .rest_stiffness = rest_stiffness_cubature,
                                          .energy_noise = energy_noise,
                                          .force_noise = force_noise,
                                          .evaluate = evaluate_cubature,
                                          .force = force_cubature,
                                          .along = along_cubature,
                                          .rough_tangent = rough_tangent,
                                          .tangent_rate = tangent_rate_cubature,
                                          .distance = distance_cubature,
                                          .unfollowed = unfollowed,
                                          .work_size = work_size_cubature };
