// limber-mpi bench: what the engine petsc takes, as rows that stand beside those of `limber bench`.
#include "apps/mpi/verbs.h"

typedef struct Row {
  const char *name, *unit;
  double value;
  char note[120];
} Row;

enum { ROW_COUNT = 9, SOLUTION_BEGIN = 4, SOLUTION_END = 7 };

static bool is_measured(int row, const lbPetscFigures *f) {
  return row < SOLUTION_BEGIN || row >= SOLUTION_END || f->solve_residual > 0;
}

static json_t *parameters(const lbPetscFigures *f) {
  return json_pack("{s:i, s:s, s:i, s:s}", "rows", (int)f->rows, "engine", "petsc", "ranks",
                   lb_petsc_rank_count(), "solver", f->direct ? "direct" : "iterative");
}

static json_t *write_mpi_bench_document(const Row *rows, const lbPetscFigures *f) {
  json_t *list = json_array();
  for (int i = 0; i < ROW_COUNT; i++) {
    if (!is_measured(i, f)) continue;
    json_t *row = json_pack("{s:s, s:o, s:s, s:o, s:o, s:i, s:n, s:n, s:n}", "name", rows[i].name,
                            "parameters", parameters(f), "unit", rows[i].unit, "median",
                            cli_number(rows[i].value), "min", cli_number(rows[i].value), "repeats",
                            1, "paper", "peer", "limit");
    if (rows[i].note[0]) json_object_set_new(row, "note", json_string(rows[i].note));
    json_array_append_new(list, row);
  }
  return list;
}

static void print_mpi_bench_table(const Row *rows, const lbPetscFigures *f) {
  cli_say("engine petsc, %d rows, %d ranks, %s\n", (int)f->rows, lb_petsc_rank_count(),
          f->direct ? "direct" : "iterative");
  for (int i = 0; i < ROW_COUNT; i++)
    if (is_measured(i, f))
      cli_say("%-22s %10.4g %-3s %s\n", rows[i].name, rows[i].value, rows[i].unit, rows[i].note);
}

static void fill_mpi_bench_rows(const lbPetscFigures *f, Row rows[ROW_COUNT]) {
  const Row filled[ROW_COUNT] = {
    { "engines.open", "ms", 1e3 * f->open_seconds, "read, cut and spread" },
    { "engines.assemble", "ms", 1e3 * f->assemble_seconds, "" },
    { "engines.modes", "ms", 1e3 * f->modes_seconds, "" },
    { "engines.modes_residual", "1", f->modes_residual, "" },
    { "engines.factor", "ms", 1e3 * f->factor_seconds, "" },
    { "engines.solve", "ms", 1e3 * f->solve_seconds, "" },
    { "engines.residual", "1", f->solve_residual, "" },
    { "engines.memory", "MB", f->most_bytes / 1e6, "" },
    { "engines.processor", "s", f->processor_seconds, "the busiest rank since its start" }
  };
  memcpy(rows, filled, sizeof filled);
  snprintf(rows[2].note, sizeof rows[2].note, "%d modes", (int)f->mode_count);
  snprintf(rows[4].note, sizeof rows[4].note, "%s",
           f->direct ? "with the analysis" : "the set-up of multigrid");
  snprintf(rows[7].note, sizeof rows[7].note, "peak of a rank, the least has %.4g",
           f->least_bytes / 1e6);
}

typedef struct Request {
  int32_t mode_count;
  bool modes_alone;
} Request;

static lbStatus measure_mpi_bench_parts(const char *path, const lbMaterial *material,
                                        const Request *request, lbPetscFigures *figures,
                                        lbError *err) {
  lbPetscBody body;
  double start = lb_seconds();
  lbStatus status = mpi_read(path, material, &body, err);
  if (status) return status;
  double seconds = lb_seconds() - start;
  status = lb_petsc_measure_body(&body, request->mode_count, !request->modes_alone, figures, err);
  figures->open_seconds = seconds;
  lb_petsc_close(&body);
  return status;
}

static lbStatus measure_scene(const char *path, const cliMaterial *material, const Request *request,
                              lbPetscFigures *figures, lbError *err) {
  lbScene *scene = NULL;
  lbFem *fem = NULL;
  int32_t body;
  double start = lb_seconds();
  lbStatus status = cli_load_scene(path, material, &scene, err);
  if (!status) status = cli_find_body(scene, NULL, &body, err);
  if (!status) status = lb_scene_fem(&scene->bodies[body], &fem, err);
  double seconds = lb_seconds() - start;
  if (!status)
    status = lb_petsc_measure(fem, request->mode_count, !request->modes_alone, figures, err);
  figures->open_seconds = seconds;
  lb_fem_destroy(fem);
  lb_scene_destroy(scene);
  return status;
}

static cliStatus run_mpi_bench(int count, char **words) {
  Request request = { .mode_count = 20 };
  cliMaterial material = cli_material();
  const cliOption options[] = {
    { "count", CLI_INTEGER, &request.mode_count, NULL, "N", "how many modes (20)" },
    { "modes", CLI_FLAG, &request.modes_alone, NULL, NULL,
      "modes alone, no factor of K beside them" },
    CLI_MATERIAL_OPTIONS(material),
    { 0 },
  };
  cliArguments arguments;
  cliStatus result = cli_parse(&mpi_bench, options, count, words, &arguments);
  if (result || arguments.common.help) return result;
  if ((result = cli_one_input(&mpi_bench, &arguments))) return result;
  result = cli_check_material(&mpi_bench, arguments.inputs[0], &material);
  if (result) return result;
  lbError err;
  lbPetscFigures figures;
  Row rows[ROW_COUNT];
  const char *path = arguments.inputs[0];
  lbStatus status = measure_mpi_bench_parts(path, &material.material, &request, &figures, &err);
  if (status == LB_ERR_UNSUPPORTED)
    status = measure_scene(path, &material, &request, &figures, &err);
  cli_finish_progress();
  if (!status) fill_mpi_bench_rows(&figures, rows);
  if (status)
    result = cli_fail_about(path, &err);
  else if (arguments.common.json)
    result = cli_print_json(write_mpi_bench_document(rows, &figures));
  else
    print_mpi_bench_table(rows, &figures);
  return result;
}

const cliVerb mpi_bench = {
  "bench",
  "times and memory of the engine",
  "limber-mpi bench SCENE.json|MESH [options]",
  "Reads, cuts, spreads and assembles a body, finds its modes, factors its stiffness and solves\n"
  "with it, each once. `limber bench engines` prints these rows beside those of its own engines.\n",
  "  mpirun -n 2 limber-mpi bench scenes/bar.json --json",
  run_mpi_bench,
};
