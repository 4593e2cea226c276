// limber static: equilibrium under gravity and loads, with the unreduced solver.
#include "cli.h"

#include <math.h>
#include <stdio.h>

typedef struct Solution {
  lbFem **fems;           // one a body
  double **displacements; // full vectors
  lbStaticResult total;   // sums over the bodies; the worst residual
} Solution;

static lbStatus solve_body(const lbScene *scene, int32_t i, const lbStaticDef *def, Solution *s,
                           lbError *err) {
  const lbSceneBody *body = &scene->bodies[i];
  bool held = false;
  for (int32_t v = 0; body->fixed && v < body->mesh->vertex_count; v++) held |= body->fixed[v];
  held |= body->model != NULL; // lb_scene_fem refuses it
  if (!held)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "%s: body \"%s\" has no fixed vertices, a static solve needs some; add "
                   "\"fixed\" to the scene",
                   scene->path, body->name);
  lbStatus status = lb_scene_fem(body, &s->fems[i], err);
  if (status) return status;
  size_t full = 3 * (size_t)lb_fem_vertex_count(s->fems[i]);
  double *forces = lb_alloc(full, sizeof(double));
  s->displacements[i] = lb_alloc(full, sizeof(double));
  if (!forces || !s->displacements[i]) {
    lb_free(forces);
    return lb_fail_memory(err);
  }
  lbStaticResult result;
  lb_scene_forces(scene, i, s->fems[i], 0, forces);
  status = lb_fem_static(s->fems[i], forces, def, s->displacements[i], &result, err);
  lb_free(forces);
  if (status) return status;
  s->total.energy += result.energy;
  s->total.residual = fmax(s->total.residual, result.residual);
  s->total.iterations += result.iterations;
  s->total.load_steps += result.load_steps;
  s->total.shift_count += result.shift_count;
  return LB_OK;
}

static json_t *probes(const lbScene *scene, const Solution *s) {
  json_t *list = json_array();
  for (int32_t i = 0; i < scene->probe_count; i++) {
    double rest[3], moved[3];
    int32_t body = scene->probes[i].body;
    lb_scene_vertex(&scene->bodies[body], scene->probes[i].vertex, s->displacements[body], rest,
                    moved);
    json_array_append_new(list, cli_probe(scene, i, rest, moved));
  }
  return list;
}

static json_t *write_static_document(const lbScene *scene, const Solution *s) {
  return json_pack("{s:o, s:o, s:i, s:o, s:i, s:i}", "probes", probes(scene, s), "energy",
                   cli_number(s->total.energy), "iterations", (int)s->total.iterations, "residual",
                   cli_number(s->total.residual), "load_steps", (int)s->total.load_steps,
                   "shifted_tangents", (int)s->total.shift_count);
}

static void print_static_text(const lbScene *scene, const Solution *s) {
  cli_say("energy %.9g J, %d Newton iterations in %d load step%s, relative residual %.1e\n",
          s->total.energy, (int)s->total.iterations, (int)s->total.load_steps,
          s->total.load_steps == 1 ? "" : "s", s->total.residual);
  for (int32_t b = 0; b < scene->body_count; b++) {
    double largest = 0;
    for (int32_t v = 0; v < lb_fem_vertex_count(s->fems[b]); v++) {
      const double *u = s->displacements[b] + 3 * (size_t)v;
      largest = fmax(largest, sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
    }
    cli_say("body %s: largest displacement %.6g m\n", scene->bodies[b].name, largest);
  }
  for (int32_t i = 0; i < scene->probe_count; i++) {
    double rest[3], moved[3];
    int32_t body = scene->probes[i].body;
    lb_scene_vertex(&scene->bodies[body], scene->probes[i].vertex, s->displacements[body], rest,
                    moved);
    cli_say("probe %s vertex %d: displacement %.9g %.9g %.9g m\n", scene->bodies[body].name,
            (int)scene->probes[i].vertex, moved[0], moved[1], moved[2]);
  }
}

static cliStatus run_static(int count, char **words) {
  const char *displacement_path = NULL, *body_name = NULL;
  double tolerance = -1;
  cliMaterial material = cli_material();
  const cliOption options[] = {
    { "displacement", CLI_TEXT, &displacement_path, NULL, "FILE.csv",
      "write the displacement, a row a vertex" },
    { "body", CLI_TEXT, &body_name, NULL, "NAME", "which body --displacement writes" },
    { "newton_tolerance", CLI_NUMBER, &tolerance, NULL, "T",
      "relative residual (the scene's, or 1e-10)" },
    { 0 },
  };
  cliArguments arguments;
  cliStatus result = cli_parse(&cli_static, options, count, words, &arguments);
  if (result || arguments.common.help) return result;
  if ((result = cli_one_input(&cli_static, &arguments))) return result;

  lbError err;
  lbScene *scene = NULL;
  Solution s = { 0 };
  int32_t chosen = 0;
  lbStatus status = cli_load_scene(arguments.inputs[0], &material, &scene, &err);
  if (!status && displacement_path) status = cli_find_body(scene, body_name, &chosen, &err);
  if (!status) {
    s.fems = lb_alloc((size_t)scene->body_count, sizeof *s.fems);
    s.displacements = lb_alloc((size_t)scene->body_count, sizeof *s.displacements);
    if (!s.fems || !s.displacements) status = lb_fail_memory(&err);
  }
  lbStaticDef def = lb_static_def();
  if (!status) def.tolerance = tolerance > 0 ? tolerance : scene->newton_tolerance;
  for (int32_t i = 0; !status && i < scene->body_count; i++)
    status = solve_body(scene, i, &def, &s, &err);
  if (!status && displacement_path)
    status = lb_table_write(displacement_path, "u", lb_fem_vertex_count(s.fems[chosen]),
                            s.displacements[chosen], &err);
  cli_finish_progress();
  if (status)
    result = cli_fail_about(arguments.inputs[0], &err);
  else if (arguments.common.json)
    result = cli_print_json(write_static_document(scene, &s));
  else
    print_static_text(scene, &s);
  for (int32_t i = 0; scene && s.fems && s.displacements && i < scene->body_count; i++) {
    lb_fem_destroy(s.fems[i]);
    lb_free(s.displacements[i]);
  }
  lb_free(s.fems);
  lb_free(s.displacements);
  lb_scene_destroy(scene);
  return result;
}

const cliVerb cli_static = {
  "static",
  "static equilibrium of a scene with the unreduced solver",
  "limber static SCENE.json [options]",
  "Solves R(u) = f for gravity and the loads that always act, by Newton with line search; the\n"
  "load is put on in steps where it must be. Every body needs fixed vertices. Loads with \"from\"\n"
  "at 0 or later do not act here.\n",
  "  limber static scenes/bar.json --displacement u.csv\n"
  "  limber static scenes/bar.json --json",
  run_static,
};
