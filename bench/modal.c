// limber bench modal: stepping one body and a thousand, evaluating the surface, constraints, and
// building a model.
#include "bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { INSTANCES = 1000, MODES = 40, POINTS = 10, BUILD_MODES = 32 };

// Hauser, Shen & O'Brien 2003: 24 minutes for the modes of 15 507 tets.
static const double paper_build_s = 24 * 60;

// A bar that is held at one end: its mesh, its finite elements, its modal model.
typedef struct ModalBench {
  lbMesh *mesh;
  lbFem *fem;
  lbModel *model;
  benchTable *table;
  double bandwidth;
} ModalBench;

static lbStatus make_bar(int32_t x, int32_t y, int32_t z, lbElementKind element, lbMesh **mesh,
                         lbFem **fem, lbError *err) {
  lbShapeDef shape = lb_shape_def("bar");
  shape.cells[0] = x, shape.cells[1] = y, shape.cells[2] = z;
  shape.element = element;
  lbStatus status = lb_shape_volume(&shape, mesh, err);
  if (status) return status;
  const lbGroup *left = lb_mesh_group_by_name(*mesh, LB_GROUP_VERTICES, "left");
  bool *fixed = lb_alloc((size_t)(*mesh)->vertex_count, sizeof(bool));
  if (!fixed) return lb_fail_memory(err);
  for (int32_t i = 0; i < left->count; i++) fixed[left->ids[i]] = true;
  lbMaterial material = lb_material();
  lbFemDef def = lb_fem_def();
  def.materials = &material;
  def.material_count = 1;
  def.fixed = fixed;
  status = lb_fem_create(*mesh, &def, fem, err);
  lb_free(fixed);
  return status;
}

static lbStatus make_model(const lbMesh *mesh, const lbFem *fem, int32_t mode_count, lbModel **out,
                           lbError *err) {
  lbReduceDef def = lb_reduce_def();
  lbModalDef modal = lb_modal_def();
  def.damping_mass = 0.5, def.damping_stiffness = 1e-4;
  modal.mode_count = mode_count;
  return lb_reduce_modal(mesh, fem, &def, &modal, out, err);
}

// ---- steps -------------------------------------------------------------------------------------

typedef struct StepWork {
  lbBatch *batch;
  lbBody *body;
  int32_t id; // of a constraint
  int32_t tick;
  lbPoint points[POINTS];
  double targets[3 * POINTS];
} StepWork;

static const double step_s = 1.0 / 240;

static void step_batch(void *context) { lb_batch_step(((StepWork *)context)->batch, step_s); }
// A thousand steps a call: one is too short for the clock.
static void step_body(void *context) {
  for (int i = 0; i < 1000; i++) lb_body_step(((StepWork *)context)->body, step_s);
}

// The points are led round a small circle.
static void step_held(void *context) {
  StepWork *w = context;
  double moved[3 * POINTS];
  for (int i = 0; i < 100; i++) {
    w->tick++;
    for (int k = 0; k < POINTS; k++) {
      moved[3 * k] = w->targets[3 * k];
      moved[3 * k + 1] = w->targets[3 * k + 1] + 0.01 * sin(0.01 * w->tick);
      moved[3 * k + 2] = w->targets[3 * k + 2] + 0.01 * cos(0.01 * w->tick);
    }
    lb_body_set_target(w->body, w->id, moved);
    lb_body_step(w->body, step_s);
  }
}

static void change_held(void *context) {
  StepWork *w = context;
  lbConstraintDef def = lb_constraint_def();
  def.point_count = POINTS;
  def.points = w->points;
  lb_body_remove_constraint(w->body, w->id);
  lb_body_add_constraint(w->body, &def, &w->id);
  lb_body_step(w->body, step_s);
}

static void pluck(lbBody *body, double strength) {
  int32_t last = lb_body_model(body)->size.vertex_count - 1;
  lb_body_apply_impulse(body, lb_point_vertex(last), lb_vec3(0, 0, strength));
}

// A step reads z and v of every mode once, and multiplies and adds four times: neither can be done
// faster than it was measured here.
static void set_batch_limit(benchRow *row) {
  double count = (double)INSTANCES * MODES, bytes = 2 * 8 * count, flops = 2 * 4 * count;
  double bandwidth = bench_cache_bandwidth((size_t)bytes), peak = bench_flops();
  if (!(bandwidth > 0 && peak > 0)) return;
  double reading = 1e6 * bytes / bandwidth, computing = 1e6 * flops / peak;
  row->limit = fmax(reading, computing);
  snprintf(row->note, sizeof row->note,
           "%.0f kB at %.0f GB/s: %.3g us; %.0f kflop at %.0f Gflop/s: %.3g us", 1e-3 * bytes,
           1e-9 * bandwidth, reading, 1e-3 * flops, 1e-9 * peak, computing);
}

static lbStatus bench_batch(ModalBench *b, lbError *err) {
  lbBatchDef def = lb_batch_def();
  def.count = INSTANCES;
  StepWork w = { 0 };
  lbStatus status = lb_batch_create(b->model, &def, &w.batch, err);
  if (status) return status;
  for (int32_t i = 0; i < INSTANCES; i++) pluck(lb_batch_body(w.batch, i), 0.01 * (i + 1));
  benchRow *row = bench_add(
      b->table, "modal.batch",
      json_pack("{s:i, s:i, s:i}", "instances", INSTANCES, "modes", MODES, "threads", 1), "us");
  if (row) {
    bench_time(row, 1e6, step_batch, &w);
    set_batch_limit(row);
  }
  lb_batch_destroy(w.batch);
  return row ? LB_OK : lb_fail_memory(err);
}

static void spread_points(const lbModel *model, StepWork *w) {
  for (int i = 0; i < POINTS; i++)
    w->points[i] =
        lb_point_vertex((int32_t)((int64_t)(model->size.vertex_count - 1) * (i + 1) / POINTS));
  for (int i = 0; i < POINTS; i++)
    memcpy(w->targets + 3 * i, model->vertex_positions + 3 * (size_t)w->points[i].index,
           3 * sizeof(double));
}

static lbStatus bench_steps(ModalBench *b, lbError *err) {
  lbBodyDef def = lb_body_def();
  StepWork w = { 0 };
  lbStatus status = lb_body_create(b->model, &def, &w.body, err);
  if (status) return status;
  pluck(w.body, 1);
  benchRow *row = bench_add(b->table, "modal.step", json_pack("{s:i}", "modes", MODES), "us");
  if (row) bench_time(row, 1e3, step_body, &w);

  lbConstraintDef constraint = lb_constraint_def();
  spread_points(b->model, &w);
  constraint.point_count = POINTS;
  constraint.points = w.points;
  constraint.targets = w.targets;
  status = lb_body_add_constraint(w.body, &constraint, &w.id);
  if (status) lb_fail(err, status, "modal.constraint: %s", lb_body_message(w.body));
  json_t *parameters = json_pack("{s:i, s:i}", "points", POINTS, "modes", MODES);
  row = status ? NULL : bench_add(b->table, "modal.constraint", json_incref(parameters), "us");
  if (row) bench_time(row, 1e4, step_held, &w);
  row =
      status ? NULL : bench_add(b->table, "modal.constraint_change", json_incref(parameters), "us");
  if (row) bench_time(row, 1e6, change_held, &w);
  json_decref(parameters);
  lb_body_destroy(w.body);
  return status;
}

// ---- surface -----------------------------------------------------------------------------------

// A square sheet whose basis, of waves, is much larger than any cache: finding its modes would take
// minutes and change nothing about how fast they are added up.
enum { SHEET = 400, SHEET_NODES = SHEET * SHEET, SHEET_TRIANGLES = 2 * (SHEET - 1) * (SHEET - 1) };

typedef struct Sheet {
  lbArena arena;
  double *positions, *basis;
  int32_t *triangles, *counting; // counting: 0, 1, 2, ...
} Sheet;

static bool fill_sheet(Sheet *s) {
  size_t rows = 3 * (size_t)SHEET_NODES;
  s->positions = lb_arena_alloc(&s->arena, rows, sizeof(double));
  s->basis = lb_arena_alloc(&s->arena, rows * MODES, sizeof(double));
  s->triangles = lb_arena_alloc(&s->arena, 3 * (size_t)SHEET_TRIANGLES, sizeof(int32_t));
  s->counting = lb_arena_alloc(&s->arena, SHEET_NODES + 1, sizeof(int32_t));
  if (!s->positions || !s->basis || !s->triangles || !s->counting) return false;
  for (int32_t i = 0; i <= SHEET_NODES; i++) s->counting[i] = i;
  for (size_t i = 0; i < SHEET_NODES; i++)
    s->positions[3 * i] = (double)(i % SHEET), s->positions[3 * i + 1] = (double)(i / SHEET);
  for (size_t k = 0; k < rows * MODES; k++)
    s->basis[k] = sin(1e-4 * (double)(k % rows) * (double)(1 + k / rows));
  int32_t *t = s->triangles;
  for (int32_t y = 0; y + 1 < SHEET; y++)
    for (int32_t x = 0; x + 1 < SHEET; x++, t += 6) {
      int32_t a = x + SHEET * y,
              corners[6] = { a, a + 1, a + SHEET + 1, a, a + SHEET + 1, a + SHEET };
      memcpy(t, corners, sizeof corners);
    }
  return true;
}

static lbStatus make_sheet(lbModel **out, lbError *err) {
  Sheet s = { 0 };
  static const int32_t up = 2;
  static const double one = 1, zeros[9] = { 0 };
  double *ones = lb_arena_alloc(&s.arena, SHEET_NODES, sizeof(double));
  double *none = lb_arena_alloc(&s.arena, SHEET_NODES, sizeof(double));
  bool filled = ones && none && fill_sheet(&s);
  for (size_t i = 0; i < SHEET_NODES && filled; i++) ones[i] = 1;
  lbModel draft = {
    .size = { .node_count = SHEET_NODES,
              .vertex_count = SHEET_NODES,
              .triangle_count = SHEET_TRIANGLES,
              .carrier_count = SHEET_NODES,
              .mode_count = MODES },
    .name = "sheet",
    .provenance = "",
    .up = &up,
    .node_positions = s.positions,
    .node_masses = ones,
    .node_fixed = (const uint8_t *)none,
    .rigid_mass = &one,
    .rigid_centre = zeros,
    .rigid_inertia = zeros,
    .vertex_positions = s.positions,
    .vertex_sources = s.counting,
    .triangles = s.triangles,
    .carrier_begin = s.counting,
    .carrier_nodes = s.counting,
    .carrier_weights = ones,
    .modal_basis = s.basis,
    .modal_eigenvalues = ones,
    .modal_damping = zeros,
    .modal_gravity = none,
    .modal_rigid = none,
    .modal_residuals = none,
  };
  lbStatus status = filled ? lb_model_create(&draft, out, err) : lb_fail_memory(err);
  lb_arena_release(&s.arena);
  return status;
}

typedef struct SurfaceWork {
  lbBody *body;
  double *positions;
  int32_t vertices[POINTS];
} SurfaceWork;

static void evaluate_nodes(void *context) {
  SurfaceWork *w = context;
  lb_body_node_displacements(w->body, w->positions);
}

static void evaluate_surface(void *context) {
  SurfaceWork *w = context;
  lb_body_surface(w->body, w->positions);
}

static void evaluate_few(void *context) {
  SurfaceWork *w = context;
  lb_body_vertices(w->body, POINTS, w->vertices, w->positions, NULL, NULL);
}

static lbStatus bench_surface(ModalBench *b, lbError *err) {
  lbModel *sheet = NULL;
  lbBodyDef def = lb_body_def();
  SurfaceWork w = { 0 };
  lbStatus status = make_sheet(&sheet, err);
  if (!status) status = lb_body_create(sheet, &def, &w.body, err);
  w.positions = lb_alloc(3 * (size_t)SHEET_NODES, sizeof(double));
  if (!status && !w.positions) status = lb_fail_memory(err);
  if (!status) {
    const struct {
      const char *what;
      int vertices;
      double bytes; // that must come from memory
      void (*work)(void *context);
    } rows[] = {
      { "u = U q", SHEET_NODES, 8.0 * 3 * SHEET_NODES * MODES, evaluate_nodes },
      { "surface", SHEET_NODES, 8.0 * 3 * SHEET_NODES * MODES, evaluate_surface },
      { "vertices", POINTS, 0, evaluate_few },
    };
    pluck(w.body, 1);
    lb_body_step(w.body, step_s);
    for (int i = 0; i < POINTS; i++) w.vertices[i] = (SHEET_NODES - 1) / POINTS * (i + 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
      benchRow *row = bench_add(b->table, "surface.evaluate",
                                json_pack("{s:s, s:i, s:i}", "what", rows[i].what, "vertices",
                                          rows[i].vertices, "modes", MODES),
                                "us");
      if (!row) continue;
      bench_time(row, 1e6, rows[i].work, &w);
      row->limit = 1e6 * rows[i].bytes / b->bandwidth;
      if (row->limit > 0)
        snprintf(row->note, sizeof row->note, "%.0f %% of the memory bandwidth measured here",
                 100 * row->limit / row->median);
    }
  }
  lb_free(w.positions);
  lb_body_destroy(w.body);
  lb_model_destroy(sheet);
  return status;
}

// ---- building ----------------------------------------------------------------------------------

typedef struct BuildWork {
  lbStatus status;
  lbError *err;
} BuildWork;

// From mesh to model, everything in between included.
static void build_model(void *context) {
  BuildWork *w = context;
  lbMesh *mesh = NULL;
  lbFem *fem = NULL;
  lbModel *model = NULL;
  w->status = make_bar(72, 6, 6, LB_ELEMENT_TET4, &mesh, &fem, w->err);
  if (!w->status) w->status = make_model(mesh, fem, BUILD_MODES, &model, w->err);
  lb_model_destroy(model);
  lb_fem_destroy(fem);
  lb_mesh_destroy(mesh);
}

static lbStatus bench_build(ModalBench *b, lbError *err) {
  BuildWork w = { LB_OK, err };
  benchRow *row =
      bench_add(b->table, "modal.build",
                json_pack("{s:i, s:i}", "tets", 72 * 6 * 6 * 6, "modes", BUILD_MODES), "s");
  if (!row) return lb_fail_memory(err);
  bench_time(row, 1, build_model, &w);
  row->paper = paper_build_s;
  snprintf(row->note, sizeof row->note, "paper: 15 507 tets, 32 modes");
  return w.status;
}

lbStatus bench_modal(int32_t threads, benchTable *table, lbError *err) {
  ModalBench b = { .table = table, .bandwidth = bench_memory_bandwidth() };
  benchRow *row = bench_add(table, "machine.memory_bandwidth", json_object(), "GB/s");
  if (row) bench_set_value(row, b.bandwidth / 1e9), row->repeats = 20;
  lbStatus status = lb_build_start(threads ? threads : 1, err);
  if (!status) status = make_bar(24, 3, 3, LB_ELEMENT_BRICK8, &b.mesh, &b.fem, err);
  if (!status) status = make_model(b.mesh, b.fem, MODES, &b.model, err);
  lb_set_task_runner(NULL, NULL); // one thread steps
  if (!status) status = bench_batch(&b, err);
  if (!status) status = bench_steps(&b, err);
  if (!status) status = bench_surface(&b, err);
  if (!status) status = lb_build_start(threads ? threads : 1, err);
  if (!status) status = bench_build(&b, err);
  lb_model_destroy(b.model);
  lb_fem_destroy(b.fem);
  lb_mesh_destroy(b.mesh);
  return status;
}
