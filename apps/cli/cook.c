// limber cook: a scene as one self-contained file.
#include "cli.h"

#include <stdio.h>

static cliStatus run_cook(int count, char **words) {
  const char *output = NULL;
  lbCookDef def = lb_cook_def();
  const cliOption options[] = {
    { "o", CLI_TEXT, &output, NULL, "WORLD.glb", "the file to write" },
    { "bare", CLI_FLAG, &def.bare, NULL, NULL, "without a glTF part, only for limber" },
    { "single", CLI_FLAG, &def.single, NULL, NULL,
      "round to single precision: the file packs to about half" },
    { 0 },
  };
  cliArguments arguments;
  cliStatus result = cli_parse(&cli_cook, options, count, words, &arguments);
  if (result || arguments.common.help) return result;
  if ((result = cli_one_input(&cli_cook, &arguments))) return result;
  if (!output) return cli_usage(&cli_cook, "name the file to write: -o world.glb");
  if (!lb_path_has_extension(output, ".glb"))
    return cli_usage(&cli_cook, "-o is \"%s\", it must end in .glb", output);

  lbError err;
  lbScene *scene = NULL;
  lbCookReport report;
  lbStatus status = lb_scene_load(arguments.inputs[0], NULL, &scene, &err);
  if (!status) status = lb_scene_cook_with(scene, &def, output, &report, &err);
  cli_finish_progress();
  if (status)
    result = cli_fail_about(arguments.inputs[0], &err);
  else if (arguments.common.json)
    result = cli_print_json(
        json_pack("{s:o, s:i, s:i, s:i, s:i, s:i, s:i, s:o, s:i}", "file", cli_path(output),
                  "models", (int)report.model_count, "bodies", (int)report.body_count, "loads",
                  (int)report.load_count, "probes", (int)report.probe_count, "recorded",
                  (int)report.recorded_count, "steps", (int)scene->step_count, "time_step",
                  cli_number(scene->time_step), "substeps_max", (int)scene->substeps_max));
  else
    cli_say("%s: %d %s, %d %s (%d recorded), %d loads, %d probes, %d steps of %g s\n", output,
            (int)report.model_count, report.model_count == 1 ? "model" : "models",
            (int)report.body_count, report.body_count == 1 ? "body" : "bodies",
            (int)report.recorded_count, (int)report.load_count, (int)report.probe_count,
            (int)scene->step_count, scene->time_step);
  lb_scene_destroy(scene);
  return result;
}

const cliVerb cli_cook = {
  "cook",
  "scene -> one self-contained .glb (models and world)",
  "limber cook SCENE.json -o WORLD.glb [options]",
  "Reduces every body, each model once, and writes the models and the world (gravity, time, "
  "places,\n"
  "loads, probes) as one file that runs without the scene, its meshes and JSON, with the same\n"
  "result to the last bit. Any glTF viewer opens it. Bodies of the method \"full\" are simulated "
  "for\n"
  "the scene's steps; the file has their motion as a recording, which is played.\n",
  "  limber cook scenes/stems.json -o stems.glb\n"
  "  limber run stems.glb -o out\n"
  "  limber cook scenes/bridge.json --bare --single -o bridge.glb",
  run_cook,
};
