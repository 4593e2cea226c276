// limber bench web: the r = 30 step of a bridge in WebAssembly, in Chromium, beside the same step
// natively: at the level that WebAssembly's vectors resemble (SSE2), and at the best one.
//
// All three take turns, a batch of steps each: what else the machine does then hits all of them.
#include "bench/bench.h"

#include "bench/web/stepper.h"
#include "bench/web_page.h"
#include "body/body.h"
#include "limber/file.h"
#include "meshio/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIMENSION = 30, MODES = 20, ROUNDS = 81, ROUNDS_ALONE = 11, BATCH = 400, WARM = 2000 };
enum { BASE, BEST, PAGE, PLACES };

static const double target_ratio = 2; // to SSE2
static const double seconds_max = 120;

typedef struct WebBench {
  benchObject object;
  lbModel *model;
  benchStepper steppers[2];     // BASE, BEST
  double times[PLACES][ROUNDS]; // s, a step
  int32_t native_rounds, page_rounds;
  char page_hash[32], failure[240]; // of the page; "": none
  benchTable *table;
} WebBench;

// ---- the native turns --------------------------------------------------------------------------

static lbStatus make_model(WebBench *b, lbError *err) {
  lbShapeDef shape = lb_shape_def("bridge"); // as in scenes/bridge.json
  lbReduceDef def = lb_reduce_def();
  lbSubspaceDef subspace = lb_subspace_def();
  shape.cells[0] = 24, shape.cells[1] = 4, shape.cells[2] = 2;
  shape.element = LB_ELEMENT_BRICK8;
  def.damping_mass = 0.1, def.damping_stiffness = 0.001;
  subspace.basis.mode_count = MODES;
  subspace.basis.dimension = DIMENSION;
  subspace.modal = false;
  lbStatus status = bench_object_make(NULL, NULL, &shape, &b->object, err);
  if (!status)
    status = lb_reduce_subspace(b->object.mesh, b->object.fem, &def, &subspace, &b->model, err);
  return status;
}

static lbSimdLevel native_level(int place) {
  lbSimdLevel base = lb_simd_has(LB_SIMD_BASE) ? LB_SIMD_BASE : LB_SIMD_PORTABLE;
  return place == BASE ? base : lb_simd_best();
}

static lbStatus make_bodies(WebBench *b, lbError *err) {
  lbBodyDef def = lb_body_def();
  def.method = LB_METHOD_SUBSPACE;
  for (int place = BASE; place <= BEST; place++) {
    lbBody *body = NULL;
    lbStatus status = lb_body_create_at(b->model, &def, native_level(place), &body, err);
    if (status) return status;
    b->steppers[place] = bench_stepper(body);
    int32_t flags = bench_stepper_run(&b->steppers[place], WARM);
    if (flags) return lb_fail(err, LB_ERR_NUMERIC, "web.step: a step ended with %d", (int)flags);
  }
  return LB_OK;
}

static void take_native_turn(WebBench *b) {
  if (b->native_rounds == ROUNDS) return;
  for (int place = BASE; place <= BEST; place++) {
    double start = lb_seconds();
    bench_stepper_run(&b->steppers[place], BATCH);
    b->times[place][b->native_rounds] = (lb_seconds() - start) / BATCH;
  }
  b->native_rounds++;
}

// ---- the page's --------------------------------------------------------------------------------

static bool take_report(const char *what, const char *text, void *context) {
  WebBench *b = context;
  if (strcmp(what, "round") == 0 && b->page_rounds < ROUNDS)
    b->times[PAGE][b->page_rounds++] = strtod(text, NULL) / BATCH;
  if (strcmp(what, "done") == 0) snprintf(b->page_hash, sizeof b->page_hash, "%.16s", text);
  if (strcmp(what, "ready") == 0 || strcmp(what, "round") == 0) {
    take_native_turn(b);
    return true;
  }
  if (strcmp(what, "done") != 0)
    snprintf(b->failure, sizeof b->failure, "the page failed: %.200s", text);
  return false;
}

// Why there are no figures goes to b->failure; what is returned would fail any benchmark.
static lbStatus visit_page(WebBench *b, const char *folder, lbError *err) {
  char query[100], *scratch = NULL;
  lbError why;
  lbStatus status = lb_scratch_folder_make(&scratch, err);
  if (status) return status;
  char *model_path = lb_scratch_path(scratch, "model.glb");
  status = model_path ? lb_model_save(b->model, model_path, err) : lb_fail_memory(err);
  if (!status) {
    snprintf(query, sizeof query, "?rounds=%d&batch=%d&warm=%d", ROUNDS, BATCH, WARM);
    const vwServerFile model = { .name = "model.glb", .path = model_path };
    const benchPage page = { .folder = folder,
                             .files = &model,
                             .file_count = 1,
                             .query = query,
                             .seconds_max = seconds_max,
                             .report = take_report,
                             .context = b };
    lbStatus visited = bench_page_visit(&page, &why);
    if (visited == LB_ERR_INTERRUPTED) status = lb_fail(err, visited, "%s", why.text);
    if (visited && !b->failure[0]) snprintf(b->failure, sizeof b->failure, "%.200s", why.text);
  }
  lb_free(model_path);
  lb_scratch_folder_remove(scratch);
  return status;
}

// ---- rows --------------------------------------------------------------------------------------

static benchRow *add_row(WebBench *b, const char *name, const char *where, const char *simd,
                         const char *unit) {
  return bench_add(b->table, name,
                   json_pack("{s:s, s:i, s:s, s:s}", "mesh", "bridge", "r", DIMENSION, "where",
                             where, "simd", simd),
                   unit);
}

static lbStatus add_native_rows(WebBench *b, lbError *err) {
  for (int place = BASE; place <= BEST; place++) {
    benchRow *row = add_row(b, "web.step", "native", lb_simd_name(native_level(place)), "us");
    if (!row) return lb_fail_memory(err);
    double times[ROUNDS];
    memcpy(times, b->times[place], sizeof times);
    bench_set_times(row, 1e6, times, b->native_rounds);
    snprintf(row->note, sizeof row->note, "a force and a Newmark step of 1/240 s, batches of %d",
             BATCH);
  }
  return LB_OK;
}

// Whether the page's body ended where the native one of the same level without FMA did.
static const char *compare_bits(const WebBench *b) {
  double state[2 * DIMENSION];
  char text[32];
  snprintf(text, sizeof text, "%016llx",
           (unsigned long long)bench_stepper_hash(&b->steppers[BASE], state));
  return strcmp(text, b->page_hash) == 0 ? "the same bits as" : "OTHER BITS THAN";
}

static lbStatus add_page_rows(WebBench *b, double wasm_bytes, lbError *err) {
  benchRow *row = add_row(b, "web.step", "chromium", "wasm", "us");
  if (!row) return lb_fail_memory(err);
  double values[ROUNDS], min_us;
  if (b->failure[0]) {
    snprintf(row->note, sizeof row->note, "%s", b->failure);
    return LB_OK;
  }
  memcpy(values, b->times[PAGE], sizeof values);
  bench_set_times(row, 1e6, values, b->page_rounds);
  min_us = row->min;
  snprintf(row->note, sizeof row->note, "%s %s after %d steps", compare_bits(b),
           lb_simd_name(native_level(BASE)), (int)b->steppers[BASE].step);
  for (int place = BASE; place <= BEST; place++) {
    row = add_row(b, "web.ratio", "chromium / native", lb_simd_name(native_level(place)), "times");
    if (!row) return lb_fail_memory(err);
    double least = b->times[place][0];
    for (int i = 0; i < ROUNDS; i++) {
      values[i] = b->times[PAGE][i] / b->times[place][i];
      if (b->times[place][i] < least) least = b->times[place][i];
    }
    bench_set_times(row, 1, values, ROUNDS);
    row->min = min_us / (1e6 * least);
    snprintf(row->note, sizeof row->note, "median over rounds; min: the ratio of the minima");
    if (place == BASE) snprintf(row->note + strlen(row->note), 40, "; wanted: %g", target_ratio);
  }
  row = bench_add(b->table, "web.size", json_pack("{s:s}", "file", "bench-web.wasm"), "kB");
  if (!row) return lb_fail_memory(err);
  bench_set_value(row, 1e-3 * wasm_bytes), row->repeats = 1;
  snprintf(row->note, sizeof row->note, "the engine alone, not compressed");
  return LB_OK;
}

lbStatus bench_web(int32_t threads, benchTable *table, lbError *err) {
  WebBench b = { .table = table };
  char folder[500];
  double wasm_bytes = 0;
  lbStatus status = lb_build_start(threads ? threads : 1, err);
  if (!status) status = make_model(&b, err);
  lb_set_task_runner(NULL, NULL);
  if (!status) status = make_bodies(&b, err);
  if (!status &&
      bench_page_find("build-web/bench", "bench-web.wasm", folder, sizeof folder, &wasm_bytes))
    status = visit_page(&b, folder, err);
  else
    snprintf(
        b.failure, sizeof b.failure,
        "no build-web/bench: `cmake --preset web && cmake --build build-web --target bench-web` "
        "builds it (with the Debian package emscripten)");
  while (!status && b.native_rounds < ROUNDS_ALONE) take_native_turn(&b);
  if (!status && !b.failure[0] && (b.page_rounds < ROUNDS || !b.page_hash[0]))
    snprintf(b.failure, sizeof b.failure, "the page reported %d rounds of %d", (int)b.page_rounds,
             ROUNDS);
  if (!status) status = add_native_rows(&b, err);
  if (!status) status = add_page_rows(&b, wasm_bytes, err);
  for (int place = BASE; place <= BEST; place++) lb_body_destroy(b.steppers[place].body);
  lb_model_destroy(b.model);
  bench_object_release(&b.object);
  return status;
}
