// engine.build of `limber bench engines`: a model is built, with its check, as `limber build` does
// it, by every engine that is compiled in.
#include "bench/bench.h"

#include "linalg/engine.h"
#include "linalg/fronts.h"

#include <stdio.h>
#include <unistd.h>

typedef struct Building {
  const char *path;
  lbStatus status;
  lbError *err;
} Building;

static void build(void *context) {
  Building *b = context;
  lbBuildDef def = lb_build_def();
  lbBuildReport report = { 0 };
  lbModel *model = NULL;
  if (!b->status) b->status = lb_build_model(b->path, &def, &model, &report, b->err);
  lb_model_destroy(model);
}

static lbStatus bench_file(const char *path, const char *name, int32_t threads, benchTable *table,
                           lbError *err) {
  const lbAnalysis *engines;
  int32_t count = lb_fronts_analyses(&engines);
  Building b = { path, lb_build_start(threads, err), err };
  for (int32_t i = 0; i < count && !b.status; i++) {
    benchRow *row = bench_add(
        table, "engine.build",
        json_pack("{s:s, s:s, s:i}", "mesh", name, "engine", engines[i].name, "threads", threads),
        "s");
    if (!row) return lb_fail_memory(err);
    lb_engine_choose(engines[i].name);
    bench_time_long(row, 1, build, &b);
    lb_engine_choose(NULL);
  }
  return b.status;
}

lbStatus bench_engine_builds(const char *mesh_path, const char *name, int32_t threads,
                             benchTable *table, lbError *err) {
  char made[64];
  lbStatus status = LB_OK;
  snprintf(made, sizeof made, "bench-engines-%ld.obj", (long)getpid());
  if (!mesh_path) status = bench_write_torus(made, err);
  if (!status)
    status =
        bench_file(mesh_path ? mesh_path : made, mesh_path ? name : "torus", threads, table, err);
  if (!mesh_path) remove(made);
  return status;
}
