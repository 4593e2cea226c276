// limber bench web: from the drop of a mesh on limber's page, in Chromium, to the first step of the
// model that was built there, which can be dragged from then on.
//
// bench/web/drop.html has the page in a frame and gives it the file; the page itself is that of
// web/dist.
#include "bench/bench.h"

#include "bench/web_page.h"
#include "limber/file.h"
#include "meshio/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FOLDER = 500, REPEATS = 3 };
static const double seconds_max = 240; // of a build

typedef struct Drop {
  double seconds;
  char failure[240]; // "": none
} Drop;

static bool take_report(const char *what, const char *text, void *context) {
  Drop *drop = context;
  if (strcmp(what, "done") == 0)
    drop->seconds = strtod(text, NULL);
  else
    snprintf(drop->failure, sizeof drop->failure, "the page failed: %.200s", text);
  return false;
}

// A page that does not load is a note; what is returned would fail any benchmark.
static lbStatus drop_once(const char *mesh, int32_t cells, int32_t dimension, Drop *drop,
                          lbError *err) {
  char dist[FOLDER], bench[FOLDER], html[FOLDER + 20], script[FOLDER + 20], query[200], name[40];
  double bytes;
  lbError why = { 0 };
  if (!bench_page_find("web/dist", "limber-builder.wasm", dist, sizeof dist, &bytes) ||
      !bench_page_find("build-web/bench", "drop.html", bench, sizeof bench, &bytes)) {
    snprintf(drop->failure, sizeof drop->failure, "no web/dist: make web builds it");
    return LB_OK;
  }
  snprintf(html, sizeof html, "%s/drop.html", bench);
  snprintf(script, sizeof script, "%s/drop.mjs", bench);
  snprintf(name, sizeof name, "dropped%.20s", lb_path_extension(mesh));
  snprintf(query, sizeof query, "drop.html?mesh=%s&cells=%d&dimension=%d", name, (int)cells,
           (int)dimension);
  const vwServerFile files[] = { { .name = "drop.html", .path = html },
                                 { .name = "drop.mjs", .path = script },
                                 { .name = name, .path = mesh } };
  const benchPage page = { .folder = dist,
                           .files = files,
                           .file_count = sizeof files / sizeof *files,
                           .query = query,
                           .seconds_max = seconds_max,
                           .report = take_report,
                           .context = drop };
  lbStatus visited = bench_page_visit(&page, &why);
  if (visited == LB_ERR_INTERRUPTED) return lb_fail(err, visited, "%s", why.text);
  if (visited && !drop->failure[0])
    snprintf(drop->failure, sizeof drop->failure, "%.200s", why.text);
  return LB_OK;
}

static lbStatus add_case(const char *mesh, int32_t cells, int32_t dimension, double wanted,
                         benchTable *table, lbError *err) {
  benchRow *row = bench_add(table, "web.build",
                            json_pack("{s:s, s:i, s:i, s:s}", "mesh", lb_path_name(mesh), "cells",
                                      (int)cells, "r", (int)dimension, "where", "chromium"),
                            "s");
  if (!row) return lb_fail_memory(err);
  double times[REPEATS];
  int32_t count = 0;
  Drop drop = { 0 };
  for (; count < REPEATS && !drop.failure[0]; count++) {
    lbStatus status = drop_once(mesh, cells, dimension, &drop, err);
    if (status) return status;
    times[count] = drop.seconds;
  }
  if (drop.failure[0]) {
    snprintf(row->note, sizeof row->note, "%s", drop.failure);
    return LB_OK;
  }
  bench_set_times(row, 1, times, count);
  snprintf(row->note, sizeof row->note,
           "from the drop to the first step of the model; wanted for spot.obj: %g", wanted);
  return LB_OK;
}

lbStatus bench_web_build(const char *mesh_path, benchTable *table, lbError *err) {
  char *scratch = NULL, *made = NULL;
  lbStatus status = LB_OK;
  if (!mesh_path) {
    status = lb_scratch_folder_make(&scratch, err);
    if (status) return status;
    made = lb_scratch_path(scratch, "torus.obj");
    status = made ? bench_write_torus(made, err) : lb_fail_memory(err);
  }
  const char *mesh = mesh_path ? mesh_path : made;
  if (!status) status = add_case(mesh, 16, 20, 3, table, err);
  if (!status) status = add_case(mesh, 24, 30, 10, table, err);
  if (scratch) lb_scratch_folder_remove(scratch);
  lb_free(made);
  return status;
}
