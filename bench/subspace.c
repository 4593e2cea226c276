// limber bench subspace: the polynomials of the subspace method, their evaluation, a step, and the
// basis, beside Barbič & James 2005 (figures 5 and 11) and VegaFEM.
#include "bench/bench.h"

#include "method/subspace/cubic.h"
#include "elastic/element.h"
#include "math/ldlt.h"
#include "reduce/polynomial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MODES = 20, SIZES = 3, LARGEST = 60 };

static const int32_t sizes[SIZES] = { 15, 30, 60 };
// The paper's bridge (r = 15, 5 854 elements) and tower, heart (r = 30, 11 304 and 14 444).
static const double paper_coefficients_s[SIZES] = { 186, 79.2 * 60, 0 };
static const double paper_step_us[SIZES] = { 65.4, 1395, 0 };
// VegaFEM 4.0, simpleBridge_tet.veg: one Zen 4 machine, one thread, processor time, in turns with
// limber.
static const double vega_coefficients_s[SIZES] = { 2.9, 35.6, 0 };
static const double vega_step_us[SIZES] = { 5.4, 51, 2320 };

typedef struct SubspaceBench {
  benchObject object;
  lbBasis *basis; // LARGEST vectors
  lbModel *loose; // the object without supports, LARGEST vectors
  benchTable *table;
  int32_t threads;
  double flops; // a second
} SubspaceBench;

// ---- basis -------------------------------------------------------------------------------------

static lbStatus bench_basis(SubspaceBench *b, lbError *err) {
  lbBasisDef def = lb_basis_def();
  def.mode_count = MODES;
  def.dimension = LARGEST;
  lbStatus status = lb_basis_make(b->object.fem, &def, &b->basis, err);
  if (status) return status;
  const struct {
    const char *what;
    double seconds;
    const char *note;
  } rows[] = {
    { "right-hand sides", b->basis->force_seconds, "one run; 210 modal derivatives of 20 modes" },
    { "all", b->basis->seconds, "one run; 20 modes, 210 derivatives, PCA" },
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    benchRow *row = bench_add(b->table, "subspace.basis",
                              json_pack("{s:s, s:s, s:i}", "mesh", b->object.name, "what",
                                        rows[i].what, "threads", (int)b->threads),
                              "s");
    if (!row) return lb_fail_memory(err);
    bench_set_value(row, rows[i].seconds), row->repeats = 1;
    snprintf(row->note, sizeof row->note, "%s", rows[i].note);
  }
  return LB_OK;
}

// ---- coefficients ------------------------------------------------------------------------------

typedef struct CoefficientWork {
  const lbFem *fem;
  lbPolynomialDef def;
  lbPolynomial *polynomial; // of the last run
  lbStatus status;
  lbError *err;
} CoefficientWork;

static void build_coefficients(void *context) {
  CoefficientWork *w = context;
  if (w->status) return;
  lb_polynomial_destroy(w->polynomial);
  w->polynomial = NULL;
  w->status = lb_polynomial_build(w->fem, &w->def, &w->polynomial, w->err);
}

// The product of the strain rows with themselves: six rows a quadrature point, half of a
// symmetric matrix, a multiply and an add each.
static double coefficient_flops(const lbMesh *mesh, int32_t r) {
  double points = mesh->tet_count * lb_element_points(LB_ELEMENT_TET4) +
                  (double)mesh->brick_count * lb_element_points(LB_ELEMENT_BRICK8);
  double columns = r + 0.5 * r * (r + 1);
  return points * 6 * columns * columns;
}

static lbStatus bench_coefficients(SubspaceBench *b, int size, lbPolynomial **out, lbError *err) {
  int32_t r = sizes[size];
  CoefficientWork w = { .fem = b->object.fem,
                        .def = { .count = r, .basis = b->basis->vectors },
                        .err = err };
  benchRow *row = bench_add(b->table, "subspace.coefficients",
                            json_pack("{s:s, s:i, s:i, s:i}", "mesh", b->object.name, "elements",
                                      (int)lb_mesh_element_count(b->object.mesh), "r", (int)r,
                                      "threads", (int)b->threads),
                            "s");
  if (!row) return lb_fail_memory(err);
  bench_time_long(row, 1, build_coefficients, &w);
  row->paper = paper_coefficients_s[size];
  if (b->object.is_bridge && b->threads == 1) row->peer = vega_coefficients_s[size];
  double flops = coefficient_flops(b->object.mesh, r);
  if (b->flops > 0) {
    row->limit = flops / b->flops / b->threads;
    snprintf(row->note, sizeof row->note,
             "%.2g Gflop in the product of the strains: %.0f %% of the measured FMA peak%s",
             1e-9 * flops, 100 * row->limit / row->median,
             size == 0   ? "; paper: 5 854 elements"
             : size == 1 ? "; paper: 11 304 elements (14 444: 97.4 min)"
                         : "");
  }
  *out = w.polynomial;
  return w.status;
}

// ---- steps -------------------------------------------------------------------------------------

typedef struct StepWork {
  lbCubic cubic;
  const lbCubicKernels *kernels;
  const lbLdltKernels *ldlt;
  double *q, *force, *stiffness, *work;
  lbBody *body;
} StepWork;

static void evaluate(void *context) {
  StepWork *w = context;
  for (int i = 0; i < 100; i++)
    w->kernels->evaluate(&w->cubic, w->q, w->force, w->stiffness, w->work);
}

// What a Newmark step with one Newton iteration does: force and stiffness, the effective matrix
// M / (beta h^2) + K, factor, solve.
static void step_kernels(void *context) {
  StepWork *w = context;
  int32_t r = w->cubic.count;
  size_t padded = (size_t)lb_cubic_padded(r);
  for (int i = 0; i < 100; i++) {
    w->kernels->evaluate(&w->cubic, w->q, w->force, w->stiffness, w->work);
    for (size_t k = 0; k < (size_t)r; k++) w->stiffness[k * padded + k] += 4e6; // h = 1 ms
    w->ldlt->factor(r, w->stiffness);
    w->ldlt->solve(r, w->stiffness, w->force);
  }
}

static void step_body(void *context) {
  StepWork *w = context;
  for (int i = 0; i < 100; i++) lb_body_step(w->body, 1e-3);
}

// Memory of the coefficients and of everything that is written.
static bool open_step(lbArena *arena, const lbPolynomial *p, StepWork *w) {
  int32_t r = p->count;
  size_t padded = (size_t)lb_cubic_padded(r);
  lbCubicArrays tiles = { lb_arena_alloc(arena, lb_cubic_linear_size(r), sizeof(double)),
                          lb_arena_alloc(arena, lb_cubic_quadratic_size(r), sizeof(double)),
                          lb_arena_alloc(arena, lb_cubic_cubic_size(r), sizeof(double)) };
  *w = (StepWork){ .cubic = { .count = r,
                              .linear = tiles.linear,
                              .quadratic = tiles.quadratic,
                              .cubic = tiles.cubic },
                   .kernels = lb_cubic_kernels(lb_simd_best()),
                   .ldlt = lb_ldlt_kernels(lb_simd_best()),
                   .q = lb_arena_alloc(arena, padded, sizeof(double)),
                   .force = lb_arena_alloc(arena, padded, sizeof(double)),
                   .stiffness = lb_arena_alloc(arena, padded * padded, sizeof(double)),
                   .work = lb_arena_alloc(arena, lb_cubic_work_size(r), sizeof(double)) };
  if (!tiles.linear || !tiles.quadratic || !tiles.cubic || !w->q || !w->force || !w->stiffness ||
      !w->work)
    return false;
  lb_cubic_pack(r, p->linear, p->quadratic, p->cubic, &tiles);
  for (int32_t i = 0; i < r; i++) w->q[i] = 1e-3 * sin(i + 1.0);
  return true;
}

// Bytes that must be read once, over the bandwidth of the cache that holds them; three
// multiply-adds a stored cubic coefficient and two a quadratic one, and r^3 / 3 for the factors,
// over the peak.
static void set_limit(const SubspaceBench *b, benchRow *row, int32_t r, bool solve) {
  double cubic = (double)lb_cubic_cubic_size(r), quadratic = (double)lb_cubic_quadratic_size(r);
  double bytes = 8 * (cubic + quadratic + (double)lb_cubic_linear_size(r));
  double flops = 6 * cubic + 4 * quadratic + (solve ? (double)r * r * r / 3 + 2.0 * r * r : 0);
  double bandwidth = bench_cache_bandwidth((size_t)bytes);
  if (!(bandwidth > 0 && b->flops > 0)) return;
  double reading = 1e6 * bytes / bandwidth, computing = 1e6 * flops / b->flops;
  row->limit = fmax(reading, computing);
  snprintf(
      row->note, sizeof row->note,
      "%.0f kB at %.0f GB/s: %.3g us; %.3g kflop at %.0f Gflop/s: %.3g us; %.0f %% of the limit "
      "reached",
      1e-3 * bytes, 1e-9 * bandwidth, reading, 1e-3 * flops, 1e-9 * b->flops, computing,
      100 * row->limit / row->median);
}

static benchRow *add_step_row(SubspaceBench *b, const char *what, int32_t r) {
  return bench_add(b->table, "subspace.step",
                   json_pack("{s:s, s:s, s:i, s:s}", "mesh", b->object.name, "what", what, "r",
                             (int)r, "simd", lb_simd_name(lb_simd_best())),
                   "us");
}

static lbStatus bench_kernels(SubspaceBench *b, int size, const lbPolynomial *p, lbError *err) {
  StepWork w;
  lbArena arena = { 0 };
  if (!open_step(&arena, p, &w)) {
    lb_arena_release(&arena);
    return lb_fail_memory(err);
  }
  benchRow *row = add_step_row(b, "force and stiffness", p->count);
  if (row) {
    bench_time(row, 1e4, evaluate, &w);
    set_limit(b, row, p->count, false);
  }
  row = add_step_row(b, "force, stiffness, solve", p->count);
  if (row) {
    bench_time(row, 1e4, step_kernels, &w);
    row->paper = paper_step_us[size];
    if (b->object.is_bridge) row->peer = vega_step_us[size];
    set_limit(b, row, p->count, true);
  }
  lb_arena_release(&arena);
  return row ? LB_OK : lb_fail_memory(err);
}

// The step of a body as users take it.
static lbStatus bench_body(SubspaceBench *b, int size, lbError *err) {
  lbReduceDef def = lb_reduce_def();
  lbSubspaceDef subspace = lb_subspace_def();
  lbModel *model = NULL;
  StepWork w = { 0 };
  subspace.basis.mode_count = MODES;
  subspace.basis.dimension = sizes[size];
  subspace.modal = false;
  lbStatus status = lb_reduce_subspace(b->object.mesh, b->object.fem, &def, &subspace, &model, err);
  lbBodyDef body = lb_body_def();
  body.method = LB_METHOD_SUBSPACE;
  if (!status) status = lb_body_create(model, &body, &w.body, err);
  benchRow *row = status ? NULL : add_step_row(b, "step of a body", sizes[size]);
  if (!status && !row) status = lb_fail_memory(err);
  if (row) {
    int32_t last = model->size.vertex_count - 1;
    lb_body_apply_impulse(w.body, lb_point_vertex(last), lb_vec3(0, 0, 1));
    bench_time(row, 1e4, step_body, &w);
    row->paper = paper_step_us[size];
    if (b->object.is_bridge) row->peer = vega_step_us[size];
    snprintf(row->note, sizeof row->note, "Newmark, 1 ms, after a push; one linear solve a step");
  }
  lb_body_destroy(w.body);
  if (!status)
    status = bench_held_bodies(&b->object, model, sizes[size], b->threads, b->table, err);
  if (!status) status = bench_free_body(&b->object, b->loose, sizes[size], b->table, err);
  lb_model_destroy(model);
  return status;
}

// The same mesh and material without supports.
static lbStatus make_loose(SubspaceBench *b, lbError *err) {
  lbMaterial material = lb_material();
  material.model = LB_MATERIAL_STVK;
  lbFemDef fem_def = lb_fem_def();
  fem_def.materials = &material, fem_def.material_count = 1;
  lbFem *fem = NULL;
  lbReduceDef def = lb_reduce_def();
  lbSubspaceDef subspace = lb_subspace_def();
  subspace.basis.mode_count = MODES;
  subspace.basis.dimension = LARGEST;
  subspace.modal = false;
  lbStatus status = lb_fem_create(b->object.mesh, &fem_def, &fem, err);
  if (!status) status = lb_reduce_subspace(b->object.mesh, fem, &def, &subspace, &b->loose, err);
  lb_fem_destroy(fem);
  return status;
}

// ---- all of it ---------------------------------------------------------------------------------

lbStatus bench_subspace(const char *mesh_path, const char *fixed_path, int32_t threads,
                        benchTable *table, lbError *err) {
  SubspaceBench b = { .table = table, .threads = threads ? threads : 1 };
  lbShapeDef shape = lb_shape_def("bar");
  shape.size[0] = 0.1, shape.size[2] = 1; // upright, so that its foot is what is fixed
  shape.cells[0] = shape.cells[1] = 4, shape.cells[2] = 40;
  b.flops = bench_flops();
  benchRow *row = bench_add(table, "machine.multiply_add", json_object(), "Gflop/s");
  if (!row) return lb_fail_memory(err);
  bench_set_value(row, b.flops / 1e9), row->repeats = 20;
  lbStatus status = lb_build_start(b.threads, err);
  if (!status) status = bench_object_make(mesh_path, fixed_path, &shape, &b.object, err);
  if (!status) status = bench_basis(&b, err);
  if (!status) status = make_loose(&b, err);
  for (int size = 0; size < SIZES && !status; size++) {
    lbPolynomial *polynomial = NULL;
    status = bench_coefficients(&b, size, &polynomial, err);
    if (!status) status = bench_kernels(&b, size, polynomial, err);
    lb_polynomial_destroy(polynomial);
    if (!status) status = bench_body(&b, size, err);
  }
  if (!status) status = bench_precision(table, err);
  lb_basis_destroy(b.basis);
  lb_model_destroy(b.loose);
  bench_object_release(&b.object);
  return status;
}
