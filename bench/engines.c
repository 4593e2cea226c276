// limber bench engines: one system by every engine that is compiled in, by CHOLMOD itself where it
// is linked, and by limber-mpi where that is beside this program: order and structure, factor,
// solve, the size of L, what is left of the right-hand side, modes; and whole builds
// (engine_build.c).
#include "bench/bench.h"
#include "bench/peers/cholmod.h"

#include "fem/assembler.h"
#include "linalg/eigen.h"
#include "linalg/engine.h"
#include "linalg/fronts.h"

#include <math.h>
#include <string.h>

enum { MODES = 20 };

typedef struct EnginesBench {
  const char *mesh_name;
  lbSparse *K;
  const lbSparse *M;
  int32_t threads;
  benchTable *table;
} EnginesBench;

typedef struct EngineWork {
  const EnginesBench *bench;
  const char *engine;
  lbAnalyse *analyse;
  lbCholesky *factor;
  double *x;
  double modes_residual;
  lbStatus status;
  lbError *err;
} EngineWork;

static benchRow *add_row(const EngineWork *w, const char *name, const char *unit) {
  const EnginesBench *b = w->bench;
  return bench_add(b->table, name,
                   json_pack("{s:s, s:i, s:s, s:i}", "mesh", b->mesh_name, "rows", (int)b->K->size,
                             "engine", w->engine, "threads", (int)b->threads),
                   unit);
}

static void analyse(void *context) {
  EngineWork *w = context;
  lb_cholesky_destroy(w->factor);
  w->factor = NULL;
  w->status = lb_cholesky_create_by(w->analyse, w->bench->K, &w->factor, w->err);
}

static void factor(void *context) {
  EngineWork *w = context;
  w->status = lb_cholesky_factor(w->factor, w->bench->K, w->err);
}

static void solve(void *context) {
  EngineWork *w = context;
  for (int32_t i = 0; i < w->bench->K->size; i++) w->x[i] = 1;
  w->status = lb_cholesky_solve(w->factor, 1, w->x, w->err);
}

static void factor_and_solve(void *context) {
  EngineWork *w = context;
  factor(w);
  if (!w->status) solve(w);
}

static void factor_and_solve_by_cholmod(void *peer) {
  bench_cholmod_factor(peer);
  bench_cholmod_solve(peer);
}

// With the analysis, as in a build.
static void find_modes(void *context) {
  EngineWork *w = context;
  lbEigenDef def = lb_eigen_def(MODES);
  lbEigenFactor kept = { 0 };
  lbEigen *eigen = NULL;
  def.definite = true;
  def.kept = &kept;
  w->status = lb_cholesky_create_by(w->analyse, w->bench->K, &kept.cholesky, w->err);
  if (!w->status) w->status = lb_eigen_lowest(w->bench->K, w->bench->M, &def, &eigen, w->err);
  w->modes_residual = 0;
  for (int32_t i = 0; i < MODES && !w->status; i++)
    w->modes_residual = fmax(w->modes_residual, eigen->residuals[i]);
  lb_eigen_destroy(eigen);
  lb_cholesky_destroy(kept.cholesky);
}

// |K x - 1| / |1|
static lbStatus measure_residual(const lbSparse *K, const double *x, double *residual,
                                 lbError *err) {
  double *product = lb_alloc((size_t)K->size, sizeof *product);
  if (!product) return lb_fail_memory(err);
  lb_sparse_multiply(K, x, product);
  double sum = 0;
  for (int32_t i = 0; i < K->size; i++) sum += (product[i] - 1) * (product[i] - 1);
  *residual = sqrt(sum / K->size);
  lb_free(product);
  return LB_OK;
}

static lbStatus time_work(EngineWork *w, const char *name, void (*work)(void *), void *context) {
  benchRow *row = add_row(w, name, "ms");
  if (!row) return lb_fail_memory(w->err);
  bench_time_thrice(row, 1e3, work, context);
  return w->status;
}

static lbStatus add_figure(EngineWork *w, const char *name, const char *unit, double value) {
  benchRow *row = add_row(w, name, unit);
  if (!row) return lb_fail_memory(w->err);
  bench_set_value(row, value);
  row->repeats = 1;
  row->counts = true;
  return LB_OK;
}

// The engine's analysis and its kernels.
static lbStatus bench_engine(const EnginesBench *b, const lbAnalysis *analysis, lbError *err) {
  EngineWork w = { .bench = b, .engine = analysis->name, .analyse = analysis->run, .err = err };
  double residual = 0;
  w.x = lb_alloc((size_t)b->K->size, sizeof *w.x);
  lbStatus status = w.x ? LB_OK : lb_fail_memory(err);
  lb_engine_choose(analysis->name);
  if (!status) status = time_work(&w, "engines.analyse", analyse, &w);
  if (!status) status = time_work(&w, "engines.factor", factor, &w);
  if (!status) status = time_work(&w, "engines.solve", solve, &w);
  if (!status) status = time_work(&w, "engine.factor_solve", factor_and_solve, &w);
  if (!status) status = measure_residual(b->K, w.x, &residual, err);
  if (!status) {
    lbCholeskyInfo info = lb_cholesky_info(w.factor);
    status = add_figure(&w, "engines.fill", "values", (double)info.factor_nonzero_count);
    if (!status) status = add_figure(&w, "engines.work", "Gflop", info.factor_flops / 1e9);
    if (!status) status = add_figure(&w, "engines.residual", "1", residual);
  }
  lb_cholesky_destroy(w.factor);
  w.factor = NULL;
  if (!status) status = time_work(&w, "engines.modes", find_modes, &w);
  if (!status) status = add_figure(&w, "engines.modes_residual", "1", w.modes_residual);
  lb_engine_choose(NULL);
  lb_free(w.x);
  return status;
}

// CHOLMOD itself; no rows where it is not linked.
static lbStatus bench_cholmod(const EnginesBench *b, lbError *err) {
  EngineWork w = { .bench = b, .engine = "cholmod", .err = err };
  benchCholmod *peer = bench_cholmod_open(b->K, b->threads);
  if (!peer) return LB_OK;
  double residual = 0;
  lbStatus status = time_work(&w, "engines.analyse", bench_cholmod_analyse, peer);
  if (!status) status = time_work(&w, "engines.factor", bench_cholmod_factor, peer);
  if (!status) status = time_work(&w, "engines.solve", bench_cholmod_solve, peer);
  if (!status) status = time_work(&w, "engine.factor_solve", factor_and_solve_by_cholmod, peer);
  if (!status && !bench_cholmod_solution(peer))
    status = lb_fail(err, LB_ERR_NUMERIC, "engines: CHOLMOD failed");
  if (!status) status = measure_residual(b->K, bench_cholmod_solution(peer), &residual, err);
  if (!status) status = add_figure(&w, "engines.fill", "values", bench_cholmod_fill(peer));
  if (!status) status = add_figure(&w, "engines.residual", "1", residual);
  bench_cholmod_close(peer);
  return status;
}

static lbStatus bench_object(const benchObject *object, int32_t threads, benchTable *table,
                             lbError *err) {
  EnginesBench b = { .mesh_name = object->name, .threads = threads, .table = table };
  lbAssembler *assembler = NULL;
  const lbAnalysis *analyses;
  int32_t count = lb_fronts_analyses(&analyses);
  double *rest = lb_alloc(3 * (size_t)object->fem->vertex_count, sizeof *rest);
  lbStatus status = rest ? lb_build_start(threads, err) : lb_fail_memory(err);
  if (!status) status = lb_assembler_create(object->fem, &assembler, err);
  if (!status) status = lb_sparse_copy_pattern(object->fem->pattern, &b.K, err);
  if (!status) {
    lb_assemble(assembler, rest, NULL, b.K);
    b.M = object->fem->mass;
  }
  for (int32_t i = 0; i < count && !status; i++) status = bench_engine(&b, &analyses[i], err);
  if (!status) status = bench_cholmod(&b, err);
  lb_assembler_destroy(assembler);
  lb_sparse_destroy(b.K);
  lb_free(rest);
  return status;
}

lbStatus bench_engines(const char *mesh_path, int32_t threads, benchTable *table, lbError *err) {
  static const int32_t cells[][3] = { { 60, 6, 6 }, { 16, 16, 16 } };
  int32_t count = mesh_path ? 1 : 2;
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < count && !status; i++) {
    benchObject object = { 0 };
    lbShapeDef shape = lb_shape_def("bar");
    memcpy(shape.cells, cells[i], sizeof shape.cells);
    if (i > 0) shape.element = LB_ELEMENT_BRICK8;
    status = bench_object_make(mesh_path, NULL, &shape, &object, err);
    if (!status && !mesh_path) object.name = i ? "block 16x16x16" : "bar 60x6x6";
    for (int32_t t = threads ? threads : 1; t <= (threads ? threads : 2) && !status; t++) {
      status = bench_object(&object, t, table, err);
      if (!status && i == 0) status = bench_engine_builds(mesh_path, object.name, t, table, err);
    }
    if (!status) status = bench_engine_petsc(&object, table, err);
    bench_object_release(&object);
  }
  return status;
}
