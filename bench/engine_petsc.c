// The engine petsc in `limber bench engines`: limber-mpi measures the same body, from a scene that
// is written for it, and its rows are taken over.
#include "bench/bench.h"

#include "limber/file.h"
#include "limber/process.h"
#include "meshio/program.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS_MOST = 600 };

static const char *const names[] = { "engines.open",   "engines.assemble",      "engines.modes",
                                     "engines.factor", "engines.solve",         "engines.residual",
                                     "engines.memory", "engines.modes_residual" };

typedef struct Child {
  const benchObject *object;
  char program[LB_PROGRAM_PATH], runner[LB_PROGRAM_PATH]; // limber-mpi; mpirun, or empty
  char setter[LB_PROGRAM_PATH];                           // env
  char *folder, *scene, *mesh, *log;
} Child;

static json_t *make_scene(const benchObject *object) {
  json_t *fixed = json_array();
  const bool *is_fixed = lb_fem_fixed(object->fem);
  for (int32_t v = 0; v < object->mesh->vertex_count; v++)
    if (is_fixed[v]) json_array_append_new(fixed, json_integer(v));
  return json_pack("{s:i, s:[{s:s, s:s, s:{s:s}, s:{s:o}}]}", "limber", 1, "bodies", "name", "body",
                   "mesh", "body.msh", "material", "model", "stvk", "fixed", "vertices", fixed);
}

static lbStatus write_body(Child *c, lbError *err) {
  lbStatus status = lb_scratch_folder_make(&c->folder, err);
  if (status) return status;
  c->scene = lb_scratch_path(c->folder, "scene.json");
  c->mesh = lb_scratch_path(c->folder, "body.msh");
  c->log = lb_scratch_path(c->folder, "log");
  if (!c->scene || !c->mesh || !c->log) return lb_fail_memory(err);
  status = lb_mesh_save(c->object->mesh, c->mesh, err);
  json_t *scene = make_scene(c->object);
  if (!status && (!scene || json_dump_file(scene, c->scene, JSON_COMPACT)))
    status = lb_fail(err, LB_ERR_FILE, "%s: cannot be written", c->scene);
  json_decref(scene);
  return status;
}

// The list that it printed, wherever in its output that begins; NULL: there is none.
static json_t *read_rows(const Child *c) {
  char *content = NULL;
  size_t bytes = 0;
  json_t *rows = NULL;
  if (lb_file_read(c->log, &content, &bytes, NULL)) return NULL;
  for (const char *at = content; at && !rows; at = strchr(at, '\n')) {
    at += *at == '\n';
    if (*at == '[') rows = json_loads(at, JSON_DISABLE_EOF_CHECK, NULL);
  }
  lb_free(content);
  return rows;
}

static lbStatus add_rows(const Child *c, json_t *rows, benchTable *table, lbError *err) {
  json_t *item;
  size_t i;
  json_array_foreach(rows, i, item) {
    const char *name = json_string_value(json_object_get(item, "name"));
    const char *unit = json_string_value(json_object_get(item, "unit"));
    const char *note = json_string_value(json_object_get(item, "note"));
    json_t *parameters = json_pack("{s:s}", "mesh", c->object->name);
    json_object_update(parameters, json_object_get(item, "parameters"));
    benchRow *row = NULL;
    bool known = false;
    for (size_t k = 0; k < sizeof names / sizeof *names && !known; k++) {
      known = name && strcmp(name, names[k]) == 0;
      if (!known) continue;
      bool megabytes = unit && strcmp(unit, "MB") == 0, plain = unit && strcmp(unit, "1") == 0;
      row = bench_add(table, names[k], json_incref(parameters),
                      megabytes ? "MB"
                      : plain   ? "1"
                                : "ms");
      if (!row) break;
      bench_set_value(row, json_number_value(json_object_get(item, "median")));
      row->repeats = 1;
      row->counts = true;
      if (note) snprintf(row->note, sizeof row->note, "%s", note);
    }
    json_decref(parameters);
    if (known && !row) return lb_fail_memory(err);
  }
  return LB_OK;
}

static lbStatus run(Child *c, int ranks, benchTable *table, lbError *err) {
  char count[8];
  snprintf(count, sizeof count, "%d", ranks);
  // Open MPI starts nothing for root, who is all there is in a container, unless told twice.
  char *words[] = { c->setter,
                    "OMPI_ALLOW_RUN_AS_ROOT=1",
                    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                    c->runner,
                    "-n",
                    count,
                    c->program,
                    "bench",
                    c->scene,
                    "--json",
                    "--quiet",
                    NULL };
  enum { RUNNER = 3, PROGRAM = 6 };
  bool by_root = geteuid() == 0 && lb_program_find("env", false, c->setter);
  int first = ranks == 1 ? PROGRAM : by_root ? 0 : RUNNER;
  lbProgramResult result;
  lbStatus status =
      lb_program_run(words + first, c->folder, SECONDS_MOST, "limber-mpi", &result, err);
  if (status) return status;
  if (result.interrupted) return lb_fail_interrupted(err, "limber-mpi");
  json_t *rows = result.exit_code == 0 ? read_rows(c) : NULL;
  if (rows) {
    status = add_rows(c, rows, table, err);
  } else {
    lb_log(LB_LOG_WARNING, "limber-mpi with %d ranks failed, and has no rows", ranks);
  }
  json_decref(rows);
  return status;
}

lbStatus bench_engine_petsc(const benchObject *object, benchTable *table, lbError *err) {
  Child c = { .object = object };
  if (object->is_shell || !lb_program_find("limber-mpi", true, c.program)) return LB_OK;
  lbStatus status = write_body(&c, err);
  if (!status) status = run(&c, 1, table, err);
  if (!status && lb_program_find("mpirun", false, c.runner)) status = run(&c, 2, table, err);
  lb_scratch_folder_remove(c.folder);
  lb_free(c.scene);
  lb_free(c.mesh);
  lb_free(c.log);
  return status;
}
