// limber compare: all methods on one object and motion, side by side.
#include "cli.h"

#include "limber/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELLS = 12 }; // of a bare surface: the unreduced body takes most of the time

typedef struct Job {
  lbCompareDef def;
  lbBuildDef build; // of a bare mesh
  lbWay ways[LB_WAY_COUNT];
  const char *methods, *output;
  cliMaterial material;
  bool has_count, given;
} Job;

// ---- words -------------------------------------------------------------------------------------

static cliStatus parse_ways(Job *job) {
  const char *rest = job->methods;
  while (rest && *rest) {
    size_t length = strcspn(rest, ",");
    char name[32];
    int way = 0;
    snprintf(name, sizeof name, "%.*s", (int)(length < 31 ? length : 31), rest);
    while (way < LB_WAY_COUNT && strcmp(lb_way_names()[way], name) != 0) way++;
    if (way == LB_WAY_COUNT)
      return cli_usage(&cli_compare,
                       "--methods has \"%s\", use full, warp, subspace, cubature, modal, frames",
                       name);
    for (int32_t i = 0; i < job->def.way_count; i++)
      if ((int)job->ways[i] == way)
        return cli_usage(&cli_compare, "--methods has \"%s\" twice", name);
    job->ways[job->def.way_count++] = (lbWay)way;
    rest += length + (rest[length] == ',');
  }
  if (job->methods && job->def.way_count == 0) return cli_usage(&cli_compare, "--methods is empty");
  if (job->methods) job->def.ways = job->ways;
  return CLI_OK;
}

static cliStatus check_compare_job(Job *job, const char *input) {
  if (!(job->def.frame_rate > 0 && isfinite(job->def.frame_rate)))
    return cli_usage(&cli_compare, "--frame_rate is %g, it must be positive", job->def.frame_rate);
  if (job->has_count && job->def.step_count < 0)
    return cli_usage(&cli_compare, "--count is %d, it must be 0 or more", (int)job->def.step_count);
  if (job->build.cells < 1)
    return cli_usage(&cli_compare, "--cells is %d, it must be at least 1", (int)job->build.cells);
  cliStatus result = cli_check_material(&cli_compare, input, &job->material);
  return result ? result : parse_ways(job);
}

// ---- the object --------------------------------------------------------------------------------

static bool is_compare_given(const cliMaterial *material) {
  for (size_t i = 0; i < sizeof material->given / sizeof *material->given; i++)
    if (material->given[i]) return true;
  return false;
}

static lbStatus load_compared_scene(Job *job, const char *path, lbScene **scene, lbError *err) {
  if (lb_path_has_extension(path, ".json") || lb_model_is_model_file(path))
    return lb_scene_load(path, NULL, scene, err);
  if (is_compare_given(&job->material)) job->build.material = &job->material.material;
  return lb_build_scene(path, &job->build, scene, NULL, err);
}

// ---- output ------------------------------------------------------------------------------------

static int32_t troubled_steps(const lbRun *run) {
  int32_t count = 0;
  for (int32_t i = 0; i < run->body_count; i++)
    count += run->bodies[i].not_converged_count + run->bodies[i].nonfinite_count +
             run->bodies[i].adapted_count;
  return count;
}

static json_t *way_document(const lbComparedWay *way) {
  if (!way->run)
    return json_pack("{s:s, s:o}", "name", lb_way_names()[way->way], "refused",
                     cli_text(way->refused));
  return json_pack("{s:s, s:i, s:o, s:{s:o, s:o}, s:o, s:o, s:i, s:n}", "name",
                   lb_way_names()[way->way], "dimension", (int)way->dimension, "make_seconds",
                   cli_number(way->make_seconds), "step_us", "median",
                   cli_number(1e6 * way->step_median), "p99", cli_number(1e6 * way->step_p99),
                   "error", cli_number(way->error < 0 ? NAN : way->error), "distance",
                   cli_number(way->distance < 0 ? NAN : way->distance), "flagged_steps",
                   (int)troubled_steps(way->run), "refused");
}

static json_t *write_compare_document(const lbScene *scene, const lbCompare *compare) {
  json_t *ways = json_array();
  int32_t steps = 0;
  for (int32_t i = 0; i < compare->way_count; i++) {
    json_array_append_new(ways, way_document(&compare->ways[i]));
    if (compare->ways[i].run) steps = compare->ways[i].run->step_count;
  }
  return json_pack("{s:i, s:o, s:i, s:o}", "steps", (int)steps, "time",
                   cli_number(steps * scene->time_step), "vertices", (int)compare->vertex_count,
                   "methods", ways);
}

static void print_way(const lbComparedWay *way) {
  const char *name = lb_way_names()[way->way];
  if (!way->run) {
    cli_say("%-10s not played: %s\n", name, way->refused);
    return;
  }
  double us = 1e6 * way->step_median;
  cli_say("%-10s %10d %10.3g %12.*f", name, (int)way->dimension, way->make_seconds,
          us < 10     ? 2
          : us < 1000 ? 1
                      : 0,
          us);
  if (way->error < 0)
    cli_say(" %10s %12s", "-", "-");
  else
    cli_say(" %8.3g %% %12.3g", 100 * way->error, way->distance);
  int32_t troubled = troubled_steps(way->run);
  if (troubled > 0) cli_say("   %d steps flagged", (int)troubled);
  cli_say("\n");
}

static void print_compare_text(const lbScene *scene, const lbCompare *compare, const char *folder) {
  int32_t steps = 0;
  for (int32_t i = 0; i < compare->way_count; i++)
    if (compare->ways[i].run) steps = compare->ways[i].run->step_count;
  cli_say("%d steps of %g s\n", (int)steps, scene->time_step);
  cli_say("%-10s %10s %10s %12s %10s %12s\n", "method", "unknowns", "making s", "step us", "error",
          "farthest m");
  for (int32_t i = 0; i < compare->way_count; i++) print_way(&compare->ways[i]);
  if (folder) cli_say("written: %s/compare.svg, %s/compare.json, animations\n", folder, folder);
}

static lbStatus write_compare_folder(const lbCompare *compare, const char *folder,
                                     const json_t *result, lbError *err) {
  char path[4200];
  lbStatus status = lb_compare_write(compare, folder, err);
  snprintf(path, sizeof path, "%s/compare.json", folder);
  return status ? status : cli_write_json(result, path, err);
}

static cliStatus run_compare(int count, char **words) {
  Job job = { .def = lb_compare_def(), .build = lb_build_def(), .material = cli_material() };
  job.build.cells = CELLS;
  const cliOption options[] = {
    { "o", CLI_TEXT, &job.output, NULL, "DIR",
      "write compare.json, the errors over time as compare.svg and an\nanimation each, NAME.glb" },
    { "methods", CLI_TEXT, &job.methods, NULL, "A,B,...",
      "full, warp, subspace, cubature, modal, frames (all that suit)" },
    { "count", CLI_INTEGER, &job.def.step_count, &job.has_count, "N",
      "steps, instead of the scene's" },
    { "frame_rate", CLI_NUMBER, &job.def.frame_rate, NULL, "HZ",
      "at which shapes are compared (60)" },
    { "cells", CLI_INTEGER, &job.build.cells, NULL, "N",
      "bricks along the longest side of a bare surface (12)" },
    { "free", CLI_FLAG, &job.build.is_free, NULL, NULL,
      "nothing of a bare mesh is fixed (its lowest 5 %)" },
    CLI_MATERIAL_OPTIONS(job.material),
    { 0 },
  };
  cliArguments arguments;
  cliStatus result = cli_parse(&cli_compare, options, count, words, &arguments);
  if (result || arguments.common.help) return result;
  if ((result = cli_one_input(&cli_compare, &arguments))) return result;
  if ((result = check_compare_job(&job, arguments.inputs[0]))) return result;

  lbError err;
  lbScene *scene = NULL;
  lbCompare *compare = NULL;
  json_t *output = NULL;
  lbStatus status = load_compared_scene(&job, arguments.inputs[0], &scene, &err);
  if (!status) status = lb_compare(scene, &job.def, &compare, &err);
  if (!status) output = write_compare_document(scene, compare);
  if (!status && job.output) status = write_compare_folder(compare, job.output, output, &err);
  cli_finish_progress();
  if (status)
    result = cli_fail_about(arguments.inputs[0], &err);
  else if (arguments.common.json)
    result = cli_print_json(json_incref(output));
  else
    print_compare_text(scene, compare, job.output);
  json_decref(output);
  lb_compare_destroy(compare);
  lb_scene_destroy(scene);
  return result;
}

const cliVerb cli_compare = {
  "compare",
  "all methods on one object and motion, side by side",
  "limber compare SCENE.json|MODEL.glb|MESH [options]",
  "Plays the scene once by each method and compares the surfaces, frame by frame, with those of\n"
  "the unreduced simulator (full). The error is the root of the mean square distance over the\n"
  "surface and the time, of that of the unreduced motion from where it started; \"farthest\" is\n"
  "the vertex that is off most. A bare mesh is treated as `limber build` treats it and released\n"
  "under gravity for 240 steps of 1/120 s. A model can move in the ways that it was built for,\n"
  "and unreduced.\n",
  "  limber compare scenes/bar.json\n"
  "  limber compare bunny.obj --count 120 -o out\n"
  "  limber compare scenes/bar.json --methods full,subspace,modal --json",
  run_compare,
};
