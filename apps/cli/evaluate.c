// limber evaluate: energy, forces, tangent products and stress at a given displacement.
#include "cli.h"

#include <stdio.h>

static lbStatus read_evaluate_vector(const char *path, int32_t vertices, double **out,
                                     lbError *err) {
  *out = lb_alloc(3 * (size_t)vertices, sizeof(double));
  if (!*out) return lb_fail_memory(err);
  return path ? lb_table_read(path, vertices, *out, err) : LB_OK;
}

static json_t *stress(const lbEvaluation *evaluation) {
  if (evaluation->von_mises < 0) return json_null(); // a shell
  return json_pack("{s:o, s:i}", "max", cli_number(evaluation->von_mises), "element",
                   (int)evaluation->von_mises_element);
}

static cliStatus run_evaluate(int count, char **words) {
  const char *displacement = NULL, *forces = NULL, *direction = NULL, *tangent = NULL;
  const char *body_name = NULL;
  cliMaterial material = cli_material();
  const cliOption options[] = {
    { "displacement", CLI_TEXT, &displacement, NULL, "FILE.csv",
      "where to evaluate (without: at rest)" },
    { "forces", CLI_TEXT, &forces, NULL, "FILE.csv", "write the internal forces dW/du" },
    { "direction", CLI_TEXT, &direction, NULL, "FILE.csv", "d of the tangent product K d" },
    { "tangent", CLI_TEXT, &tangent, NULL, "FILE.csv", "write K d" },
    { "body", CLI_TEXT, &body_name, NULL, "NAME", "which body of a scene with several" },
    CLI_MATERIAL_OPTIONS(material),
    { 0 },
  };
  cliArguments arguments;
  cliStatus result = cli_parse(&cli_evaluate, options, count, words, &arguments);
  if (result || arguments.common.help) return result;
  if ((result = cli_one_input(&cli_evaluate, &arguments))) return result;
  result = cli_check_material(&cli_evaluate, arguments.inputs[0], &material);
  if (result) return result;
  if (!direction != !tangent)
    return cli_usage(&cli_evaluate, "--direction and --tangent go together");

  lbError err;
  lbScene *scene = NULL;
  lbFem *fem = NULL;
  double *u = NULL, *f = NULL, *d = NULL, *Kd = NULL;
  lbEvaluation evaluation;
  int32_t body = 0, vertices = 0;
  lbStatus status = cli_load_scene(arguments.inputs[0], &material, &scene, &err);
  if (!status) status = cli_find_body(scene, body_name, &body, &err);
  if (!status) { // supports are ignored here
    lbSceneBody loose = scene->bodies[body];
    loose.fixed = NULL;
    status = lb_scene_fem(&loose, &fem, &err);
    vertices = status ? 0 : lb_fem_vertex_count(fem);
  }
  if (!status) status = read_evaluate_vector(displacement, vertices, &u, &err);
  if (!status) status = read_evaluate_vector(direction, vertices, &d, &err);
  if (!status) status = read_evaluate_vector(NULL, vertices, &f, &err);
  if (!status) status = read_evaluate_vector(NULL, vertices, &Kd, &err);
  if (!status) status = lb_fem_evaluate(fem, u, f, direction ? d : NULL, Kd, &evaluation, &err);
  if (!status && evaluation.invalid_element >= 0)
    status = lb_fail(&err, LB_ERR_MESH,
                     "element %d is inverted at this displacement, where its material has no "
                     "finite energy; use stvk, corotated or stable_neohookean, or move less",
                     (int)evaluation.invalid_element);
  if (!status && forces) status = lb_table_write(forces, "f", vertices, f, &err);
  if (!status && tangent) status = lb_table_write(tangent, "Kd", vertices, Kd, &err);
  if (status)
    result = cli_fail_about(arguments.inputs[0], &err);
  else if (arguments.common.json)
    result = cli_print_json(json_pack("{s:o, s:o}", "energy", cli_number(evaluation.energy),
                                      "von_mises", stress(&evaluation)));
  else if (evaluation.von_mises < 0)
    cli_say("energy %.17g J\n", evaluation.energy);
  else
    cli_say("energy %.17g J\nvon Mises stress at most %.6g Pa, in element %d\n", evaluation.energy,
            evaluation.von_mises, (int)evaluation.von_mises_element);
  lb_free(u);
  lb_free(f);
  lb_free(d);
  lb_free(Kd);
  lb_fem_destroy(fem);
  lb_scene_destroy(scene);
  return result;
}

const cliVerb cli_evaluate = {
  "evaluate",
  "energy, nodal forces, tangent products and stresses at a given displacement",
  "limber evaluate SCENE.json|MESH [--displacement u.csv] [options]",
  "Internal force dW/du and the exact tangent product at every vertex; gravity, loads and fixed\n"
  "vertices are ignored. CSV: one vertex a row, x,y,z, in file order; a header and a leading\n"
  "1-based node column are accepted.\n",
  "  limber static scenes/bar.json --displacement u.csv\n"
  "  limber evaluate scenes/bar.json --displacement u.csv --forces f.csv\n"
  "  limber evaluate scenes/bar.json --direction u.csv --tangent Ku.csv --json",
  run_evaluate,
};
