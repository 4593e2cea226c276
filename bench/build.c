// limber bench build: the stages of building a model, against bricks and dimension, with the peak
// of memory. Each build is a process of its own, so that its peak is its own.
#include "bench/bench.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Stages {
  lbStatus status;
  lbError err;
  int32_t elements;
  double modes, basis, model, all, processor; // seconds
  double peak;                                // bytes
} Stages;

static double processor_seconds(const struct rusage *usage) {
  return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
         1e-6 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

static Stages build_here(const char *path, int32_t cells, int32_t r, int32_t threads) {
  Stages stages = { 0 };
  struct rusage usage;
  lbModel *model = NULL;
  lbBuildReport report = { 0 };
  lbBuildDef def = lb_build_def();
  double start = lb_seconds();
  def.cells = cells;
  def.dimension = r;
  def.accuracy = LB_ACCURACY_NONE;
  stages.status = lb_build_start(threads, &stages.err);
  if (!stages.status) stages.status = lb_build_model(path, &def, &model, &report, &stages.err);
  if (stages.status) return stages;
  getrusage(RUSAGE_SELF, &usage);
  stages.elements = model->size.element_count;
  stages.modes = report.modes_seconds;
  stages.basis = report.basis_seconds;
  stages.model = report.model_seconds;
  stages.all = lb_seconds() - start;
  stages.processor = processor_seconds(&usage);
  stages.peak = 1024.0 * (double)usage.ru_maxrss;
  lb_model_destroy(model);
  return stages;
}

static lbStatus build_apart(const char *path, int32_t cells, int32_t r, int32_t threads,
                            Stages *stages, lbError *err) {
  int ends[2];
  lb_build_stop(); // threads do not survive a fork
  if (pipe(ends)) return lb_fail(err, LB_ERR_FILE, "no pipe for a child");
  pid_t child = fork();
  if (child == 0) {
    Stages made = build_here(path, cells, r, threads);
    bool told = write(ends[1], &made, sizeof made) == (ssize_t)sizeof made;
    _exit(told ? 0 : 1);
  }
  close(ends[1]);
  bool heard = child > 0 && read(ends[0], stages, sizeof *stages) == (ssize_t)sizeof *stages;
  close(ends[0]);
  if (child > 0) waitpid(child, NULL, 0);
  if (!heard) return lb_fail(err, LB_ERR_MEMORY, "%s: the child that builds ended early", path);
  if (stages->status && err) *err = stages->err;
  return stages->status;
}

static lbStatus add_rows(const Stages *stages, int32_t r, int32_t threads, benchTable *table,
                         lbError *err) {
  const struct {
    const char *what, *unit;
    double value;
  } rows[] = { { "modes", "s", stages->modes },
               { "basis", "s", stages->basis },
               { "model", "s", stages->model },
               { "all", "s", stages->all },
               { "processor time", "s", stages->processor },
               { "peak memory", "MB", 1e-6 * stages->peak } };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    benchRow *row = bench_add(table, "build.stage",
                              json_pack("{s:i, s:i, s:i, s:s}", "elements", (int)stages->elements,
                                        "r", (int)r, "threads", (int)threads, "what", rows[i].what),
                              rows[i].unit);
    if (!row) return lb_fail_memory(err);
    bench_set_value(row, rows[i].value), row->repeats = 1;
    if (strcmp(rows[i].what, "peak memory") == 0)
      snprintf(row->note, sizeof row->note, "%.1f kB an element, the program itself included",
               1e-3 * stages->peak / stages->elements);
  }
  return LB_OK;
}

lbStatus bench_write_torus(const char *path, lbError *err) {
  lbMesh *mesh = NULL;
  lbShapeDef shape = lb_shape_def("torus");
  lbStatus status = lb_shape_surface(&shape, &mesh, err);
  if (!status) status = lb_mesh_save(mesh, path, err);
  lb_mesh_destroy(mesh);
  return status;
}

lbStatus bench_builds(const char *mesh_path, int32_t threads, benchTable *table, lbError *err) {
  static const struct {
    int32_t cells, r;
  } cases[] = { { 24, 30 }, { 32, 30 }, { 32, 60 }, { 32, 100 }, { 48, 30 }, { 64, 30 } };
  char made[64];
  lbStatus status = LB_OK;
  snprintf(made, sizeof made, "bench-build-%ld.obj", (long)getpid());
  if (!mesh_path) status = bench_write_torus(made, err);
  for (size_t i = 0; i < sizeof cases / sizeof *cases && !status; i++) {
    Stages stages = { 0 };
    status = build_apart(mesh_path ? mesh_path : made, cases[i].cells, cases[i].r,
                         threads ? threads : 2, &stages, err);
    if (!status) status = add_rows(&stages, cases[i].r, threads ? threads : 2, table, err);
  }
  if (!mesh_path) remove(made);
  return status;
}
