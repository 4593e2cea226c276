// limber bench fem: assembly of every material, factor and solve, modes.
#include "bench/bench.h"

#include "fem/assembler.h"
#include "fem/solve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct FemBench {
  const lbMesh *mesh;
  bool *fixed;
  const char *mesh_name;
  bool is_bridge; // the mesh that the peer's figures are of
  double bandwidth;
  int32_t threads; // 0: all
  benchTable *table;
} FemBench;

// VegaFEM 4.0, simpleBridge_tet.veg: one Zen 4 machine, one thread, processor time, in turns with
// limber; the faster of its formulations, its modes with CHOLMOD behind ARPACK.
static const double vega_force_stiffness_ms[LB_MATERIAL_SOLID_MODEL_COUNT] = {
  [LB_MATERIAL_STVK] = 21.6, [LB_MATERIAL_COROTATED] = 17
};
static const double vega_factor_solve_ms = 51, vega_modes_s = 0.3;

static lbStatus make_fem(const FemBench *b, lbMaterialModel model, lbFem **fem, lbError *err) {
  lbMaterial material = lb_material();
  material.model = model;
  material.c10 = 1e5, material.c01 = 5e4, material.v1 = 1e6;
  lbFemDef def = lb_fem_def();
  def.materials = &material;
  def.material_count = 1;
  def.fixed = b->fixed;
  return lb_fem_create(b->mesh, &def, fem, err);
}

// The lowest 5 % along z, as `limber build` would fix them.
static bool *fix_lowest(const lbMesh *mesh) {
  bool *fixed = lb_alloc((size_t)mesh->vertex_count, sizeof(bool));
  double low = INFINITY, high = -INFINITY;
  for (int32_t v = 0; v < mesh->vertex_count; v++) {
    low = fmin(low, mesh->positions[3 * (size_t)v + 2]);
    high = fmax(high, mesh->positions[3 * (size_t)v + 2]);
  }
  for (int32_t v = 0; fixed && v < mesh->vertex_count; v++)
    fixed[v] = mesh->positions[3 * (size_t)v + 2] <= low + 0.05 * (high - low);
  return fixed;
}

// A small smooth displacement, so that no law is at rest.
static void deform(const lbFem *fem, double *u) {
  const double *x = lb_fem_rest_positions(fem);
  double low = INFINITY, high = -INFINITY;
  for (int32_t v = 0; v < lb_fem_vertex_count(fem); v++) {
    low = fmin(low, x[3 * (size_t)v]);
    high = fmax(high, x[3 * (size_t)v]);
  }
  double size = high - low;
  for (int32_t v = 0; v < lb_fem_vertex_count(fem); v++) {
    double s = (x[3 * (size_t)v] - low) / size;
    u[3 * (size_t)v + 2] = 0.05 * size * s * s;
    u[3 * (size_t)v + 1] = 0.02 * size * sin(3 * s);
  }
}

// ---- force + stiffness -------------------------------------------------------------------------

typedef struct AssemblyWork {
  lbAssembler *assembler;
  double *u, *forces;
  lbSparse *K;
} AssemblyWork;

static void assemble(void *context) {
  AssemblyWork *w = context;
  lb_assemble(w->assembler, w->u, w->forces, w->K);
}

// What one assembly must at least move: rest data in, partial sums out and in, values out.
static double assembly_bytes(const lbFem *fem) {
  double bytes = 8.0 * lb_sparse_nonzero_count(fem->pattern) + 2 * 72.0 * fem->partial_count;
  for (int32_t s = 0; s < fem->set_count; s++)
    bytes += 8.0 * fem->sets[s].element_count *
             (LB_POINT_REST * lb_element_points(fem->sets[s].kind) + LB_MATERIAL_PARAMETERS);
  return bytes;
}

static lbStatus bench_assembly(FemBench *b, lbMaterialModel model, int32_t threads, lbError *err) {
  lbFem *fem = NULL;
  AssemblyWork w = { 0 };
  lbStatus status = make_fem(b, model, &fem, err);
  if (!status) status = lb_assembler_create(fem, &w.assembler, err);
  if (!status) status = lb_sparse_copy_pattern(fem->pattern, &w.K, err);
  if (!status) {
    w.u = lb_alloc(3 * (size_t)fem->vertex_count, sizeof(double));
    w.forces = lb_alloc(3 * (size_t)fem->vertex_count, sizeof(double));
    if (!w.u || !w.forces) status = lb_fail_memory(err);
  }
  if (!status) status = lb_build_start(threads, err);
  if (!status) {
    deform(fem, w.u);
    benchRow *row = bench_add(b->table, "fem.force_stiffness",
                              json_pack("{s:s, s:s, s:i, s:s}", "mesh", b->mesh_name, "material",
                                        lb_material_model_name(model), "threads", (int)threads,
                                        "simd", lb_simd_name(lb_simd_best())),
                              "ms");
    if (row) {
      bench_time(row, 1e3, assemble, &w);
      row->limit = 1e3 * assembly_bytes(fem) / b->bandwidth;
      if (b->is_bridge && threads == 1) row->peer = vega_force_stiffness_ms[model];
    }
  }
  lb_assembler_destroy(w.assembler);
  lb_sparse_destroy(w.K);
  lb_free(w.u);
  lb_free(w.forces);
  lb_fem_destroy(fem);
  return status;
}

// ---- factor + solve ----------------------------------------------------------------------------

typedef struct SolveWork {
  lbCholesky *factor;
  lbSparse *K;
  double *x;
} SolveWork;

static void factor_solve(void *context) {
  SolveWork *w = context;
  for (int32_t i = 0; i < w->K->size; i++) w->x[i] = 1;
  lb_cholesky_factor(w->factor, w->K, NULL);
  lb_cholesky_solve(w->factor, 1, w->x, NULL);
}

static lbStatus bench_solve(FemBench *b, int32_t threads, lbError *err) {
  lbFem *fem = NULL;
  lbAssembler *assembler = NULL;
  SolveWork w = { 0 };
  double *rest = NULL;
  lbStatus status = lb_build_start(threads, err);
  if (!status) status = make_fem(b, LB_MATERIAL_STVK, &fem, err);
  if (!status) status = lb_assembler_create(fem, &assembler, err);
  if (!status) status = lb_sparse_copy_pattern(fem->pattern, &w.K, err);
  if (!status) {
    rest = lb_alloc(3 * (size_t)fem->vertex_count, sizeof(double));
    w.x = lb_alloc((size_t)w.K->size, sizeof(double));
    if (!rest || !w.x) status = lb_fail_memory(err);
  }
  if (!status) lb_assemble(assembler, rest, NULL, w.K);
  if (!status) status = lb_cholesky_create(w.K, &w.factor, err);
  if (!status) status = lb_cholesky_factor(w.factor, w.K, err);
  if (!status) {
    benchRow *row = bench_add(b->table, "fem.factor_solve",
                              json_pack("{s:s, s:i, s:i}", "mesh", b->mesh_name, "rows",
                                        (int)w.K->size, "threads", (int)threads),
                              "ms");
    if (row) {
      bench_time(row, 1e3, factor_solve, &w);
      if (b->is_bridge && threads == 1) row->peer = vega_factor_solve_ms;
    }
  }
  lb_cholesky_destroy(w.factor);
  lb_assembler_destroy(assembler);
  lb_sparse_destroy(w.K);
  lb_free(rest);
  lb_free(w.x);
  lb_fem_destroy(fem);
  return status;
}

// ---- modes -------------------------------------------------------------------------------------

typedef struct ModesWork {
  const lbFem *fem;
  lbStatus status;
} ModesWork;

static void find_modes(void *context) {
  ModesWork *w = context;
  lbModes *modes = NULL;
  w->status = lb_fem_modes(w->fem, 20, &modes, NULL);
  lb_modes_destroy(modes);
}

static lbStatus bench_modes(FemBench *b, int32_t threads, lbError *err) {
  lbFem *fem = NULL;
  lbStatus status = lb_build_start(threads, err);
  if (!status) status = make_fem(b, LB_MATERIAL_LINEAR, &fem, err);
  if (!status) {
    ModesWork w = { fem, LB_OK };
    benchRow *row = bench_add(
        b->table, "fem.modes",
        json_pack("{s:s, s:i, s:i}", "mesh", b->mesh_name, "count", 20, "threads", (int)threads),
        "s");
    if (row) {
      bench_time(row, 1, find_modes, &w);
      if (b->is_bridge && threads == 1) row->peer = vega_modes_s;
    }
    status = w.status;
    if (status == LB_ERR_INTERRUPTED)
      lb_fail_interrupted(err, "fem.modes");
    else if (status)
      lb_fail(err, status, "fem.modes: the modes of this mesh were not found");
  }
  lb_fem_destroy(fem);
  return status;
}

static lbStatus load_mesh(const char *path, lbMesh **mesh, lbError *err) {
  if (path) return lb_mesh_load(path, mesh, err);
  lbShapeDef def = lb_shape_def("bar");
  def.cells[0] = 60, def.cells[1] = def.cells[2] = 6;
  return lb_shape_volume(&def, mesh, err);
}

lbStatus bench_fem(const char *mesh_path, int32_t threads, benchTable *table, lbError *err) {
  lbMesh *mesh = NULL;
  lbStatus status = load_mesh(mesh_path, &mesh, err);
  if (status) return status;
  FemBench b = { .mesh = mesh, .fixed = fix_lowest(mesh), .threads = threads, .table = table };
  const char *slash = mesh_path ? strrchr(mesh_path, '/') : NULL;
  b.mesh_name = slash ? slash + 1 : mesh_path ? mesh_path : "bar 60x6x6";
  b.is_bridge = strcmp(b.mesh_name, "simpleBridge_tet.veg") == 0;
  b.bandwidth = bench_memory_bandwidth();
  benchRow *row = bench_add(table, "machine.memory_bandwidth", json_object(), "GB/s");
  if (!b.fixed || !row) status = lb_fail_memory(err);
  if (!status) bench_set_value(row, b.bandwidth / 1e9), row->repeats = 20;
  int32_t counts[2] = { threads == 0 ? 1 : threads, 2 }, count = threads == 0 ? 2 : 1;
  for (int32_t t = 0; t < count && !status; t++) {
    for (int model = 0; model < LB_MATERIAL_SOLID_MODEL_COUNT && !status; model++)
      status = bench_assembly(&b, (lbMaterialModel)model, counts[t], err);
    if (!status) status = bench_solve(&b, counts[t], err);
    if (!status) status = bench_modes(&b, counts[t], err);
  }
  lb_free(b.fixed);
  lb_mesh_destroy(mesh);
  return status;
}
