// limber bench: measured figures of the code that ships.
#include "cli.h"

#include "bench/bench.h"

#include <stdio.h>
#include <string.h>

static json_t *or_null(double value) { return value > 0 ? json_real(value) : json_null(); }

static json_t *row_document(const benchRow *row) {
  json_t *document =
      json_pack("{s:s, s:o, s:s, s:o, s:o, s:i, s:o, s:o, s:o}", "name", row->name, "parameters",
                json_incref(row->parameters), "unit", row->unit, "median", or_null(row->median),
                "min", or_null(row->min), "repeats", (int)row->repeats, "paper",
                or_null(row->paper), "peer", or_null(row->peer), "limit", or_null(row->limit));
  if (row->note[0]) json_object_set_new(document, "note", json_string(row->note));
  return document;
}

static void print_figure(double value) {
  if (value > 0)
    printf(" %10.4g", value);
  else
    printf(" %10s", "-");
}

static void print_table(const benchTable *table) {
  printf("%-22s %-34s %6s %10s %10s %8s %10s %10s %10s\n", "name", "parameters", "unit", "median",
         "min", "repeats", "paper", "peer", "limit");
  for (int32_t i = 0; i < table->count; i++) {
    const benchRow *row = &table->rows[i];
    char *parameters = json_dumps(row->parameters, JSON_COMPACT | JSON_ENCODE_ANY);
    printf("%-22s %-34s %6s", row->name, parameters ? parameters : "", row->unit);
    print_figure(row->median);
    print_figure(row->min);
    printf(" %8d", (int)row->repeats);
    print_figure(row->paper);
    print_figure(row->peer);
    print_figure(row->limit);
    printf("\n");
    if (row->note[0]) printf("%24s%s\n", "", row->note);
    free(parameters);
  }
}

static cliStatus run(int count, char **words) {
  const char *mesh = NULL;
  const cliOption options[] = {
    { "mesh", CLI_TEXT, &mesh, NULL, "FILE", "measure on this mesh (without: a generated bar)" },
    { 0 },
  };
  cliArguments arguments;
  cliStatus result = cli_parse(&cli_bench, options, count, words, &arguments);
  if (result || arguments.common.help) return result;
  if (arguments.input_count > 1)
    return cli_usage(&cli_bench, "one benchmark at a time, not also %s", arguments.inputs[1]);
  const char *name = arguments.input_count ? arguments.inputs[0] : "";
  bool fem = !*name || strcmp(name, "fem") == 0, modal = !*name || strcmp(name, "modal") == 0;
  if (!fem && !modal)
    return cli_usage(&cli_bench, "unknown benchmark \"%s\", there are: fem, modal", name);
  if (mesh && !fem) return cli_usage(&cli_bench, "--mesh belongs to the benchmark fem");
  lbError err;
  benchTable table = { 0 };
  lbStatus status = LB_OK;
  if (modal && !mesh) status = bench_modal(arguments.common.threads, &table, &err);
  if (fem && !status) status = bench_fem(mesh, arguments.common.threads, &table, &err);
  cli_finish_progress();
  if (status) {
    result = mesh ? cli_fail_about(mesh, &err) : cli_fail(&err);
  } else if (arguments.common.json) {
    json_t *list = json_array();
    for (int32_t i = 0; i < table.count; i++)
      json_array_append_new(list, row_document(&table.rows[i]));
    result = cli_print_json(list);
  } else {
    print_table(&table);
  }
  bench_release(&table);
  return result;
}

const cliVerb cli_bench = {
  "bench",
  "measured figures, as a table or --json",
  "limber bench [fem | modal] [--mesh FILE] [options]",
  "Without a name: all of them. Times the code that ships, medians of many repeats, with the\n"
  "machine's measured memory bandwidth beside it. Peer: VegaFEM 4.0 on simpleBridge_tet.veg,\n"
  "measured elsewhere on such a machine with one thread; shown for that mesh only.\n",
  "  limber bench fem --threads 1\n"
  "  limber mesh --generate torus -o torus.msh\n"
  "  limber bench fem --mesh torus.msh --json",
  run,
};
