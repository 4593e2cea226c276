// limber bench: measured figures of the code that ships.
#include "cli.h"

#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *or_null(double value) { return value > 0 ? cli_number(value) : json_null(); }

static json_t *row_figure(const benchRow *row, double value) {
  return row->counts ? cli_number(value) : or_null(value);
}

static json_t *row_document(const benchRow *row) {
  json_t *document = json_pack(
      "{s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:o}", "name", row->name, "parameters",
      json_incref(row->parameters), "unit", row->unit, "median", row_figure(row, row->median),
      "min", row_figure(row, row->min), "p99", row_figure(row, row->p99), "max",
      row_figure(row, row->max), "repeats", (int)row->repeats, "paper", or_null(row->paper), "peer",
      or_null(row->peer), "limit", or_null(row->limit));
  if (row->note[0]) json_object_set_new(document, "note", json_string(row->note));
  return document;
}

static void print_figure(double value, bool counts) {
  if (value > 0 || counts)
    cli_say(" %10.4g", value);
  else
    cli_say(" %10s", "-");
}

// "mesh bar, r 15"; to be freed.
static char *parameter_text(const json_t *parameters) {
  size_t capacity = 1, used = 0;
  char *dump = json_dumps(parameters, JSON_COMPACT), *text = NULL;
  if (dump) capacity += 2 * strlen(dump);
  free(dump);
  text = calloc(capacity, 1);
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)parameters, key, value) {
    char *plain =
        json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
    if (text)
      used += (size_t)snprintf(text + used, capacity - used, "%s%s %s", used ? ", " : "", key,
                               plain ? plain : json_string_value(value));
    free(plain);
  }
  return text;
}

static int widest(int width, const char *text) {
  int length = (int)strlen(text ? text : "");
  return length > width ? length : width;
}

static void print_bench_table(const benchTable *table) {
  int name = 4, parameters = 10, unit = 4;
  for (int32_t i = 0; i < table->count; i++) {
    char *text = parameter_text(table->rows[i].parameters);
    name = widest(name, table->rows[i].name);
    parameters = widest(parameters, text);
    unit = widest(unit, table->rows[i].unit);
    free(text);
  }
  cli_say("%-*s %-*s %*s %10s %10s %10s %10s %8s %10s %10s %10s\n", name, "name", parameters,
          "parameters", unit, "unit", "median", "min", "p99", "max", "repeats", "paper", "peer",
          "limit");
  for (int32_t i = 0; i < table->count; i++) {
    const benchRow *row = &table->rows[i];
    char *text = parameter_text(row->parameters);
    cli_say("%-*s %-*s %*s", name, row->name, parameters, text ? text : "", unit, row->unit);
    print_figure(row->median, row->counts);
    print_figure(row->min, row->counts);
    print_figure(row->p99, row->counts);
    print_figure(row->max, row->counts);
    cli_say(" %8d", (int)row->repeats);
    print_figure(row->paper, false);
    print_figure(row->peer, false);
    print_figure(row->limit, false);
    cli_say("\n");
    if (row->note[0]) cli_say("%*s%s\n", name + 1, "", row->note);
    free(text);
  }
  for (const char *line = table->text; line && *line;) { // in one piece its breaks would be escaped
    const char *end = strchr(line, '\n');
    int length = end ? (int)(end - line) : (int)strlen(line);
    if (line == table->text) cli_say("\n"); // as an argument it would be escaped
    cli_say("%.*s\n", length, line);
    line = end ? end + 1 : NULL;
  }
}

typedef struct Request {
  const char *mesh, *fixed, *plot;
  double seconds;
  int32_t threads;
} Request;

static lbStatus run_modal(const Request *r, benchTable *table, lbError *err) {
  return bench_modal(r->threads, table, err);
}
static lbStatus run_fem(const Request *r, benchTable *table, lbError *err) {
  return bench_fem(r->mesh, r->threads, table, err);
}
static lbStatus run_engines(const Request *r, benchTable *table, lbError *err) {
  lbStatus status = bench_engines(r->mesh, r->threads, table, err);
  return status ? status : bench_engine_kernels(table, err);
}
static lbStatus run_subspace(const Request *r, benchTable *table, lbError *err) {
  return bench_subspace(r->mesh, r->fixed, r->threads, table, err);
}
static lbStatus run_cubature(const Request *r, benchTable *table, lbError *err) {
  return bench_cubature(r->mesh, r->fixed, r->plot, r->threads, table, err);
}
static lbStatus run_haptics(const Request *r, benchTable *table, lbError *err) {
  return bench_haptics(r->mesh, r->fixed, r->seconds, table, err);
}

static lbStatus run_warp(const Request *r, benchTable *table, lbError *err) {
  return bench_warp(r->mesh, r->fixed, r->plot, r->threads, table, err);
}

static lbStatus run_frames(const Request *r, benchTable *table, lbError *err) {
  (void)r;
  return bench_frames(table, err);
}

static lbStatus run_contact(const Request *r, benchTable *table, lbError *err) {
  return bench_contact(r->threads, table, err);
}

static lbStatus run_build(const Request *r, benchTable *table, lbError *err) {
  return bench_builds(r->mesh, r->threads, table, err);
}

static lbStatus run_edit(const Request *r, benchTable *table, lbError *err) {
  char folder[4096];
  (void)r;
  lbStatus status = cli_data_folder("scenes", "share/limber/scenes", folder, sizeof folder, err);
  return status ? status : bench_edit(folder, table, err);
}

static lbStatus run_web(const Request *r, benchTable *table, lbError *err) {
  lbStatus status = bench_web(r->threads, table, err);
  return status ? status : bench_web_build(r->mesh, table, err);
}

static lbStatus run_render(const Request *r, benchTable *table, lbError *err) {
  (void)r;
  return bench_render(table, err);
}

static const struct {
  const char *name;
  bool takes_mesh, takes_fixed;
  lbStatus (*run)(const Request *request, benchTable *table, lbError *err);
} benchmarks[] = {
  { "modal", false, false, run_modal },     { "fem", true, false, run_fem },
  { "subspace", true, true, run_subspace }, { "haptics", true, true, run_haptics },
  { "web", true, false, run_web },          { "render", false, false, run_render },
  { "build", true, false, run_build },      { "cubature", true, true, run_cubature },
  { "edit", false, false, run_edit },       { "warp", true, true, run_warp },
  { "frames", false, false, run_frames },   { "contact", false, false, run_contact },
  { "engines", true, false, run_engines },
};
enum { BENCHMARKS = sizeof benchmarks / sizeof *benchmarks };

// The benchmark of a name, or of a row's name: "contact" and "contact.heap". BENCHMARKS: none.
static int find_benchmark(const char *name) {
  size_t length = strcspn(name, ".");
  int i = 0;
  while (i < BENCHMARKS &&
         (strlen(benchmarks[i].name) != length || strncmp(name, benchmarks[i].name, length) != 0))
    i++;
  return i;
}

// Benchmarks that cannot leave rows out have made all of theirs.
static void keep_wanted_rows(benchTable *table) {
  int32_t kept = 0;
  for (int32_t i = 0; i < table->count; i++) {
    if (bench_wants(table, table->rows[i].name))
      table->rows[kept++] = table->rows[i];
    else
      json_decref(table->rows[i].parameters);
  }
  table->count = kept;
}

// What is wrong with the words; CLI_OK: nothing.
static cliStatus check_request(const char *name, const Request *request) {
  int found = find_benchmark(name);
  if (found == BENCHMARKS) found = -1;
  if (*name && found < 0)
    return cli_usage(
        &cli_bench,
        "unknown benchmark \"%s\", there are: build, contact, cubature, edit, engines, fem, "
        "frames, haptics, modal, render, subspace, warp, web",
        name);
  if (request->mesh && found >= 0 && !benchmarks[found].takes_mesh)
    return cli_usage(
        &cli_bench,
        "--mesh belongs to the benchmarks build, cubature, engines, fem, haptics, subspace, warp "
        "and web");
  if (request->fixed && !(request->mesh && found >= 0 && benchmarks[found].takes_fixed))
    return cli_usage(&cli_bench,
                     "--fixed belongs to cubature, haptics, subspace and warp with --mesh");
  if (request->plot && strncmp(name, "cubature", 8) != 0 && strncmp(name, "warp", 4) != 0)
    return cli_usage(&cli_bench, "--plot belongs to cubature and warp");
  if (!(request->seconds >= 1 && request->seconds <= 3600))
    return cli_usage(&cli_bench, "--seconds is %g; it must be from 1 to 3600", request->seconds);
  return CLI_OK;
}

static cliStatus run_bench(int count, char **words) {
  Request request = { .seconds = 20 };
  const cliOption options[] = {
    { "mesh", CLI_TEXT, &request.mesh, NULL, "FILE", "measure on this mesh (without: a shape)" },
    { "fixed", CLI_TEXT, &request.fixed, NULL, "FILE",
      "its fixed vertices, .bou (without: the lowest 5 %)" },
    { "plot", CLI_TEXT, &request.plot, NULL, "FILE.svg",
      "cubature: draw the error against the number of elements, and a\nmotion; warp: volume over "
      "time" },
    { "seconds", CLI_NUMBER, &request.seconds, NULL, "S", "how long haptics runs (20)" },
    { 0 },
  };
  cliArguments arguments;
  cliStatus result = cli_parse(&cli_bench, options, count, words, &arguments);
  if (result || arguments.common.help) return result;
  if (arguments.input_count > 1)
    return cli_usage(&cli_bench, "one benchmark at a time, not also %s", arguments.inputs[1]);
  const char *name = arguments.input_count ? arguments.inputs[0] : "";
  result = check_request(name, &request);
  if (result) return result;
  request.threads = arguments.common.threads;
  const char *mesh = request.mesh;
  lbError err;
  benchTable table = { .only = strchr(name, '.') ? name : NULL };
  lbStatus status = LB_OK;
  for (int i = 0; i < BENCHMARKS && !status; i++)
    if (*name ? i == find_benchmark(name) : !mesh || benchmarks[i].takes_mesh)
      status = benchmarks[i].run(&request, &table, &err);
  cli_finish_progress();
  keep_wanted_rows(&table);
  if (!status && table.only && table.count == 0) {
    bench_release(&table);
    return cli_usage(&cli_bench, "the benchmark %s has no row \"%s\"",
                     benchmarks[find_benchmark(name)].name, name);
  }
  if (status == LB_ERR_INTERRUPTED && table.count > 0 && !arguments.common.json)
    print_bench_table(&table); // what there is
  if (status) {
    result = mesh ? cli_fail_about(mesh, &err) : cli_fail(&err);
  } else if (arguments.common.json) {
    json_t *list = json_array();
    for (int32_t i = 0; i < table.count; i++)
      json_array_append_new(list, row_document(&table.rows[i]));
    result = cli_print_json(list);
  } else {
    print_bench_table(&table);
  }
  bench_release(&table);
  return result;
}

const cliVerb cli_bench = {
  "bench",
  "measured figures, as a table or --json",
  "limber bench [build | contact | cubature | edit | engines | fem | frames | haptics | modal | "
  "render | "
  "subspace | "
  "warp | web] "
  "[--mesh FILE] "
  "[options]",
  "Without a name: all of them; with the name of a row (contact.heap) only that row. Measures the\n"
  "code that ships: processor time of one thread over many repeats, with the measured memory\n"
  "bandwidth of the machine. Peer: VegaFEM 4.0 on simpleBridge_tet.veg, on one Zen 4 machine, one\n"
  "thread, processor time, in turns with limber; shown for that mesh only.\n"
  "subspace also measures the cost of bodies: held, driven and free steps in turns, relative to\n"
  "held ones, SIMD batches, states, memory; and steps in both precisions up to r = 100.\n"
  "cubature builds a basis of 135 vectors, trains and selects elements, steps a body and compares\n"
  "a motion with the unreduced one, beside the figures of von Tycowicz et al. 2013, and ends with\n"
  "a table in their form; --plot draws the error against the number of elements and, in a second\n"
  "file with -motion in its name, that motion. Triangles are taken as a shell. It takes minutes;\n"
  "Ctrl-C prints the rows that are complete.\n"
  "engines solves one system by every engine that is compiled in, side by side: order and\n"
  "structure of the factor, factor, solve, size, residual, 20 modes; then dense products,\n"
  "triangles and decompositions of every engine, in turns, on one thread.\n"
  "haptics pushes a ball along a bridge at 1 kHz for --seconds of real time, and presses tools of\n"
  "several shapes on a soft box in a world.\n"
  "web steps a bridge in WebAssembly, in Chromium, beside the same step natively; its page is\n"
  "the target bench-web of the preset web.\n"
  "build makes models of 24 to 64 cells of a surface and times each stage, with the peak of\n"
  "memory.\n"
  "warp steps a bar of 1 080 tets and a mesh by warped, linear and green strain, and measures\n"
  "errors against the full simulator, the volume of a sagging bar and the longest stable steps.\n"
  "frames steps a turtle by seven frames and by two, by samples and springs, beside the figures\n"
  "of the paper, and compares bars of 2 to 5 frames with unreduced ones.\n"
  "contact drops a ball of 15 000 tets and a stack of five boxes onto the ground, beside Bullet's\n"
  "reduced bodies where the build found libbullet-dev, pours 30 bodies into a bowl, packs 200\n"
  "into a box, and measures the solver, the cost of a distant body, and failures. Then 30 soft\n"
  "and 12 rigid bodies in a heap, with hinges and sliders, and stacks of boxes close together.\n"
  "edit drags a handle of a body of 200 000 triangles, and compares the reduced poses of\n"
  "scenes/poses with the unreduced ones.\n"
  "render draws without a display: one body of 100 000 triangles, r = 30, and a thousand stems.\n",
  "  limber bench fem --threads 1\n"
  "  limber bench haptics --seconds 5\n"
  "  limber mesh --generate torus -o torus.msh\n"
  "  limber bench fem --mesh torus.msh --json",
  run_bench,
};
