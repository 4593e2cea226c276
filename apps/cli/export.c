// limber export: the motion of a scene, the arrays of a model, or the matrices of a body, in
// formats of other programs.
#include "cli.h"

#include "limber/export.h"

#include <stdio.h>
#include <string.h>

typedef struct Job {
  const char *input, *output, *body_name;
  lbRunDef def;
  bool arrays; // .npz
  bool vega;   // .cub, .U, .float
  const char *matrix_name;
  bool matrix, derivatives, has_modes;
  lbMatrixDef matrix_def;
  lbMatrixInfo matrix_info;
  int32_t frame_count, body_count;
} Job;

static cliStatus check_export_matrix(Job *job) {
  lbMatrixDef *def = &job->matrix_def;
  if (job->matrix_name && job->derivatives)
    return cli_usage(&cli_export, "give --matrix or --derivatives, not both");
  job->matrix = job->matrix_name || job->derivatives;
  if (job->derivatives) def->kind = LB_MATRIX_DERIVATIVES;
  if (job->matrix_name && !lb_matrix_kind_parse(job->matrix_name, &def->kind))
    return cli_usage(&cli_export,
                     "--matrix is \"%s\", use stiffness, mass, lumped, modes, basis or "
                     "derivatives",
                     job->matrix_name);
  if (!job->matrix && (def->held || job->has_modes))
    return cli_usage(&cli_export, "--%s needs --matrix or --derivatives",
                     def->held ? "held" : "modes");
  if (def->mode_count < 1)
    return cli_usage(&cli_export, "--modes is %d, it must be at least 1", (int)def->mode_count);
  bool fits = job->output && (lb_path_has_extension(job->output, ".mtx") ||
                              lb_path_has_extension(job->output, ".npz"));
  if (job->matrix && job->output && !fits)
    return cli_usage(&cli_export, "-o is \"%s\", a matrix is written as .mtx or .npz", job->output);
  if (!job->matrix && job->output && lb_path_has_extension(job->output, ".mtx"))
    return cli_usage(&cli_export, "%s: say which matrix with --matrix, such as --matrix stiffness",
                     job->output);
  return CLI_OK;
}

static cliStatus check_export_output(Job *job) {
  lbExportFormat format;
  lbError err;
  cliStatus result = check_export_matrix(job);
  if (result) return result;
  if (!job->output) return cli_usage(&cli_export, "name the file to write: -o out.glb");
  job->arrays = lb_path_has_extension(job->output, ".npz");
  job->vega = lb_path_has_extension(job->output, ".cub") ||
              lb_path_has_extension(job->output, ".u") ||
              lb_path_has_extension(job->output, ".float");
  if (job->matrix || job->arrays || job->vega) return CLI_OK;
  if (lb_export_format(job->output, &format, &err))
    return cli_usage(&cli_export,
                     "-o is \"%s\", its extension must be .glb, .usda, .obj, .ply, .pc2, .mdd, "
                     ".pvd, .vtu, .npz, .mtx, .cub, .U or .float",
                     job->output);
  job->def.volume_frames = format == LB_EXPORT_PVD || format == LB_EXPORT_VTU;
  return CLI_OK;
}

// ---- arrays ------------------------------------------------------------------------------------

// The only model of the scene, or the named body's.
static lbStatus find_reduced(const lbScene *scene, const char *name, int32_t *body, lbError *err) {
  if (name) return cli_find_body(scene, name, body, err);
  *body = -1;
  for (int32_t i = 0; i < scene->body_count; i++) {
    lbMethod method = scene->bodies[i].method;
    bool reduced = method != LB_METHOD_FULL && method != LB_METHOD_RECORDED;
    if (!reduced || scene->bodies[i].twin >= 0) continue;
    if (*body >= 0)
      return lb_fail(err, LB_ERR_ARGUMENT, "%s: has several models, choose a body with --body NAME",
                     scene->path);
    *body = i;
  }
  if (*body >= 0) return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT,
                 "%s: no body has a reduced method, give one \"method\": \"subspace\"",
                 scene->path);
}

static lbStatus export_arrays(Job *job, const lbScene *scene, lbError *err) {
  int32_t body;
  lbModel *made = NULL;
  lbStatus status = find_reduced(scene, job->body_name, &body, err);
  if (status) return status;
  const lbSceneBody *chosen = &scene->bodies[body];
  if (!chosen->model) status = lb_scene_model(chosen, &made, err);
  const lbModel *model = chosen->model ? chosen->model : made;
  if (!status)
    status = job->vega ? lb_model_write_vega(model, job->output, err)
                       : lb_model_write_npz(model, job->output, err);
  lb_model_destroy(made);
  job->body_count = 1;
  return status;
}

// ---- matrices ----------------------------------------------------------------------------------

static lbStatus export_matrix(Job *job, const lbScene *scene, lbError *err) {
  int32_t body;
  lbStatus status = cli_find_body(scene, job->body_name, &body, err);
  job->body_count = 1;
  return status ? status
                : lb_body_write_matrix(&scene->bodies[body], &job->matrix_def, job->output,
                                       &job->matrix_info, err);
}

static cliStatus print_matrix(const Job *job, bool json) {
  const char *kind = lb_matrix_kind_name(job->matrix_def.kind);
  const lbMatrixInfo *info = &job->matrix_info;
  if (json)
    return cli_print_json(json_pack("{s:s, s:s, s:i, s:i, s:I}", "file", job->output, "matrix",
                                    kind, "rows", (int)info->rows, "columns", (int)info->columns,
                                    "entries", (json_int_t)info->entries));
  cli_say("written: %s, %s, %d x %d, %lld entries\n", job->output, kind, (int)info->rows,
          (int)info->columns, (long long)info->entries);
  return CLI_OK;
}

// ---- motion ------------------------------------------------------------------------------------

static lbStatus export_motion(Job *job, const lbScene *scene, lbError *err) {
  int32_t body = -1;
  lbRun *run = NULL;
  lbStatus status = job->body_name ? cli_find_body(scene, job->body_name, &body, err) : LB_OK;
  if (!status) status = lb_run(scene, &job->def, &run, err);
  if (!status) status = lb_run_write_sequence(run, body, job->output, err);
  if (!status) {
    job->frame_count = run->frame_count;
    job->body_count = body < 0 ? run->body_count : 1;
  }
  lb_run_destroy(run);
  return status;
}

static cliStatus print_result(const Job *job, bool json) {
  if (job->matrix) return print_matrix(job, json);
  if (json)
    return cli_print_json(json_pack("{s:o, s:i, s:i}", "file", cli_path(job->output), "bodies",
                                    (int)job->body_count, "frames", (int)job->frame_count));
  if (job->arrays || job->vega)
    cli_say("written: %s\n", job->output);
  else
    cli_say("written: %s, %d %s, %d frames\n", job->output, (int)job->body_count,
            job->body_count == 1 ? "body" : "bodies", (int)job->frame_count);
  return CLI_OK;
}

static cliStatus run_export_verb(int count, char **words) {
  Job job = { .def = lb_run_def(), .matrix_def = lb_matrix_def() };
  bool has_count = false;
  job.def.frame_rate = 60;
  const cliOption options[] = {
    { "o", CLI_TEXT, &job.output, NULL, "OUT",
      "what to write; its extension tells the format: .glb, .usda,\n.obj, .ply, .pc2, .mdd, .pvd, "
      ".vtu, .npz, .mtx, .cub, .U,\n.float" },
    { "count", CLI_INTEGER, &job.def.step_count, &has_count, "N", "steps, instead of the scene's" },
    { "frame_rate", CLI_NUMBER, &job.def.frame_rate, NULL, "HZ", "frames a second (60)" },
    { "body", CLI_TEXT, &job.body_name, NULL, "NAME", "only this body of a scene" },
    { "matrix", CLI_TEXT, &job.matrix_name, NULL, "NAME",
      "write a matrix as .mtx or .npz: stiffness, mass, lumped,\nmodes, basis, derivatives" },
    { "derivatives", CLI_FLAG, &job.derivatives, NULL, NULL, "the same as --matrix derivatives" },
    { "held", CLI_FLAG, &job.matrix_def.held, NULL, NULL,
      "leave the rows of fixed and unused vertices out" },
    { "modes", CLI_INTEGER, &job.matrix_def.mode_count, &job.has_modes, "N",
      "how many modes, for modes and derivatives (20)" },
    { 0 },
  };
  cliArguments arguments;
  cliStatus result = cli_parse(&cli_export, options, count, words, &arguments);
  if (result || arguments.common.help) return result;
  if ((result = cli_one_input(&cli_export, &arguments))) return result;
  if ((result = check_export_output(&job))) return result;
  if (!(job.def.frame_rate > 0))
    return cli_usage(&cli_export, "--frame_rate is %g, it must be positive", job.def.frame_rate);
  if (has_count && job.def.step_count < 0)
    return cli_usage(&cli_export, "--count is %d, it must be 0 or more", (int)job.def.step_count);

  lbError err;
  lbScene *scene = NULL;
  job.input = arguments.inputs[0];
  lbStatus status = lb_scene_load(job.input, NULL, &scene, &err);
  if (!status)
    status = job.matrix               ? export_matrix(&job, scene, &err)
             : job.arrays || job.vega ? export_arrays(&job, scene, &err)
                                      : export_motion(&job, scene, &err);
  cli_finish_progress();
  result = status ? cli_fail_about(job.input, &err) : print_result(&job, arguments.common.json);
  lb_scene_destroy(scene);
  return result;
}

const cliVerb cli_export = {
  "export",
  "the motion of a scene as glTF, USD, point cache, ...; arrays and matrices for SciPy and Vega",
  "limber export SCENE.json|COOKED.glb|MODEL.glb -o OUT [options]",
  "Runs the scene and writes its motion, by the extension of OUT:\n"
  "  .glb        an animation for Blender, three.js and the like\n"
  "  .usda       Universal Scene Description as text, all bodies in one file\n"
  "  .obj .ply   a mesh a frame: OUT_00000.obj, ...\n"
  "  .pc2 .mdd   a point cache, and an .obj at rest that it moves\n"
  "  .pvd .vtu   volume meshes with the field \"displacement\", for ParaView\n"
  "  .npz        the arrays of the model, for numpy; nothing is run\n"
  "  .cub        the polynomials of its subspace method, for Vega; nothing is run\n"
  "  .U .float   its basis, in double or single precision, for Vega; nothing is run\n"
  "With --matrix, a matrix of the body at rest as .mtx (Matrix Market) or .npz (SciPy). Its rows\n"
  "are 3 vertex + axis of all vertices of the volume mesh, in the body's own axes.\n",
  "  limber export scenes/modal-bar.json -o bar.pvd\n"
  "  limber export scenes/modal-bar.json -o bar.npz\n"
  "  limber export scenes/shaken-bar.json -o bar.usda\n"
  "  limber export scenes/bar.json --matrix stiffness --held -o K.npz\n"
  "  limber export bunny.glb --count 480 -o bunny.pc2",
  run_export_verb,
};
