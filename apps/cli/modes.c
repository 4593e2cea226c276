// limber modes: natural frequencies and shapes.
#include "cli.h"

#include <stdio.h>

cliModesFinder *cli_modes_elsewhere;

static json_t *write_modes_document(const cliModesBody *body, const lbModes *modes) {
  return json_pack("{s:o, s:i, s:o, s:i, s:i}", "frequencies_hz",
                   cli_numbers(modes->frequencies, (size_t)modes->count), "rigid_modes",
                   (int)modes->rigid_count, "total_mass", cli_number(body->total_mass), "vertices",
                   (int)body->vertex_count, "elements", (int)body->element_count);
}

static void print_modes_table(const cliModesBody *body, const lbModes *modes) {
  cli_say("%d vertices, %d elements, %.6g kg, %d rigid modes, %.2f s\n", (int)body->vertex_count,
          (int)body->element_count, body->total_mass, (int)modes->rigid_count, modes->seconds);
  cli_say("%6s %14s %12s\n", "mode", "frequency Hz", "residual");
  for (int32_t i = 0; i < modes->count; i++)
    cli_say("%6d %14.6g %12.1e\n", (int)i + 1, modes->frequencies[i], modes->residuals[i]);
}

static lbStatus write_shape(const lbModes *modes, int32_t mode, const char *path, lbError *err) {
  return lb_table_write(path, "w", modes->vertex_count,
                        modes->shapes + 3 * (size_t)modes->vertex_count * (size_t)(mode - 1), err);
}

static lbStatus find_modes(const char *path, const char *body_name, const cliMaterial *material,
                           int32_t count, cliModesBody *about, lbModes **modes, lbError *err) {
  lbScene *scene = NULL;
  lbFem *fem = NULL;
  int32_t body;
  lbStatus status = cli_load_scene(path, material, &scene, err);
  if (!status) status = cli_find_body(scene, body_name, &body, err);
  if (!status) status = lb_scene_fem(&scene->bodies[body], &fem, err);
  if (!status) status = lb_fem_modes(fem, count, modes, err);
  if (!status)
    *about = (cliModesBody){ lb_fem_vertex_count(fem), lb_fem_element_count(fem),
                             lb_fem_total_mass(fem) };
  lb_fem_destroy(fem);
  lb_scene_destroy(scene);
  return status;
}

static cliStatus run_modes(int count, char **words) {
  int32_t mode_count = 20, mode = 1;
  const char *body_name = NULL, *shape_path = NULL;
  cliMaterial material = cli_material();
  const cliOption options[] = {
    { "count", CLI_INTEGER, &mode_count, NULL, "N", "how many elastic modes (20)" },
    { "body", CLI_TEXT, &body_name, NULL, "NAME", "which body of a scene with several" },
    { "shape", CLI_TEXT, &shape_path, NULL, "FILE.csv", "write a mode's shape, a row a vertex" },
    { "mode", CLI_INTEGER, &mode, NULL, "N", "which mode --shape writes, from 1 (1)" },
    CLI_MATERIAL_OPTIONS(material),
    { 0 },
  };
  cliArguments arguments;
  cliStatus result = cli_parse(&cli_modes, options, count, words, &arguments);
  if (result || arguments.common.help) return result;
  if ((result = cli_one_input(&cli_modes, &arguments))) return result;
  result = cli_check_material(&cli_modes, arguments.inputs[0], &material);
  if (result) return result;
  if (mode_count < 1)
    return cli_usage(&cli_modes, "--count is %d, it must be at least 1", (int)mode_count);
  if (mode < 1 || mode > mode_count)
    return cli_usage(&cli_modes, "--mode is %d, it must lie between 1 and --count, which is %d",
                     (int)mode, (int)mode_count);

  lbError err;
  lbModes *modes = NULL;
  cliModesBody about;
  const char *path = arguments.inputs[0];
  lbStatus status = LB_ERR_UNSUPPORTED;
  if (cli_modes_elsewhere && !shape_path && !body_name)
    status = cli_modes_elsewhere(path, &material.material, mode_count, &about, &modes, &err);
  if (status == LB_ERR_UNSUPPORTED)
    status = find_modes(path, body_name, &material, mode_count, &about, &modes, &err);
  if (!status && shape_path) status = write_shape(modes, mode, shape_path, &err);
  cli_finish_progress();
  if (status)
    result = cli_fail_about(path, &err);
  else if (arguments.common.json)
    result = cli_print_json(write_modes_document(&about, modes));
  else
    print_modes_table(&about, modes);
  lb_modes_destroy(modes);
  return result;
}

const cliVerb cli_modes = {
  "modes",
  "natural frequencies and shapes of a scene or mesh",
  "limber modes SCENE.json|MESH [options]",
  "Solves K w = lambda M w for the lowest elastic modes. Rigid modes are counted separately.\n"
  "A bare mesh is free; give it a material with --young and so on. Shapes have unit modal mass.\n",
  "  limber modes scenes/bar.json --count 10 --shape mode1.csv\n"
  "  limber mesh --generate sphere -o sphere.msh\n"
  "  limber modes sphere.msh --young 5e5 --poisson 0.4 --json",
  run_modes,
};
