// limber edit: a model posed by handles.
#include "cli.h"

#include "limber/pose.h"

#include <math.h>
#include <stdio.h>

static json_t *flags_of(const lbPose *pose) {
  json_t *flags = json_array();
  if (pose->flags & LB_EDIT_NOT_CONVERGED)
    json_array_append_new(flags, json_string("not_converged"));
  if (pose->flags & LB_EDIT_BEYOND_SUBSPACE)
    json_array_append_new(flags, json_string("beyond_subspace"));
  return flags;
}

static json_t *write_edit_document(const lbPose *pose, lbMethod method) {
  json_t *handles = json_array();
  for (int32_t i = 0; i < pose->handle_count; i++)
    json_array_append_new(handles,
                          json_pack("{s:o, s:i, s:o}", "name", cli_text(pose->handles[i].name),
                                    "vertices", (int)pose->handles[i].vertex_count, "error",
                                    cli_number(pose->handles[i].error)));
  return json_pack("{s:o, s:o, s:i, s:o, s:s, s:i, s:i, s:o}", "energy", cli_number(pose->energy),
                   "handle_error", cli_number(pose->handle_error), "iterations",
                   (int)pose->iterations, "flags", flags_of(pose), "method", lb_method_name(method),
                   "dimension", (int)pose->dimension, "evaluations", (int)pose->evaluations,
                   "handles", handles);
}

static void print_edit_text(const lbPose *pose, lbMethod method) {
  cli_say("%s, %d unknowns: elastic energy %.9g J, %d iterations, %d evaluations\n",
          lb_method_name(method), (int)pose->dimension, pose->energy, (int)pose->iterations,
          (int)pose->evaluations);
  for (int32_t i = 0; i < pose->handle_count; i++)
    cli_say("handle %s: %d vertices, at most %.4g m from their targets\n", pose->handles[i].name,
            (int)pose->handles[i].vertex_count, pose->handles[i].error);
  if (pose->flags & LB_EDIT_BEYOND_SUBSPACE)
    lb_log(LB_LOG_WARNING,
           "the shapes of the model cannot follow the handles (%.3g m are left): this is the "
           "nearest shape; move less, or build the model with more vectors",
           pose->handle_error);
  if (pose->flags & LB_EDIT_NOT_CONVERGED)
    lb_log(LB_LOG_WARNING, "the shape is not at its least energy yet; raise --iterations_max");
}

typedef struct Job {
  const char *output, *displacement, *body_name, *method;
  cliWords handles;
  int32_t seed;
  lbPoseDef def;
} Job;

static cliStatus check_edit_job(Job *job) {
  lbError err;
  if (!job->def.script.path && job->handles.count == 0)
    return cli_usage(&cli_edit, "name handles: --handle \"tip: translate 0 0.2 0\" or --script "
                                "edit.json");
  if (job->method && (!lb_method_from_name(job->method, &job->def.method) ||
                      (job->def.method != LB_METHOD_SUBSPACE && job->def.method != LB_METHOD_FULL)))
    return cli_usage(&cli_edit, "--method is \"%s\", use subspace or full", job->method);
  if (job->output && lb_mesh_save_check(job->output, &err))
    return cli_usage(&cli_edit, "-o: %s", err.text);
  if (job->seed < 0)
    return cli_usage(&cli_edit, "--seed is %d, it must not be negative", (int)job->seed);
  job->def.editor.seed = (uint64_t)job->seed;
  job->def.script.text_count = job->handles.count;
  job->def.script.texts = (const char *const *)job->handles.words;
  return CLI_OK;
}

static lbStatus pose(const Job *job, const lbScene *scene, lbPose **out, lbError *err) {
  int32_t body = 0;
  lbStatus status = cli_find_body(scene, job->body_name, &body, err);
  if (!status) status = lb_pose(scene, body, &job->def, out, err);
  if (!status && job->output) status = lb_pose_write_surface(*out, job->output, err);
  if (!status && job->displacement)
    status = lb_table_write(job->displacement, "u", (*out)->model->size.node_count,
                            (*out)->displacements, err);
  return status;
}

static cliStatus run(int count, char **words) {
  Job job = { .def = lb_pose_def(), .seed = 1 };
  const cliOption options[] = {
    { "o", CLI_TEXT, &job.output, NULL, "POSED.obj",
      "write the posed surface: .obj, .ply, .stl, ..." },
    { "handle", CLI_WORDS, &job.handles, NULL, "WORDS",
      "a handle and its motion, may be repeated: see below" },
    { "script", CLI_TEXT, &job.def.script.path, NULL, "EDIT.json",
      "handles from a file; --handle changes or adds to them" },
    { "displacement", CLI_TEXT, &job.displacement, NULL, "U.csv",
      "write the displacement of the volume's vertices, a row each" },
    { "body", CLI_TEXT, &job.body_name, NULL, "NAME", "which body of a scene" },
    { "method", CLI_TEXT, &job.method, NULL, "NAME",
      "subspace, or full: unreduced, for comparison (needs a mesh)" },
    { "samples", CLI_INTEGER, &job.def.editor.samples, NULL, "N",
      "vertices of a handle that pull, at most (the model's cubature\nelements, or 100)" },
    { "seed", CLI_INTEGER, &job.seed, NULL, "N", "of their choice (1)" },
    { "tolerance", CLI_NUMBER, &job.def.editor.tolerance, NULL, "T",
      "of the shape, relative to its size (1e-10)" },
    { "iterations_max", CLI_INTEGER, &job.def.editor.iterations_max, NULL, "N",
      "of the minimisation (2000)" },
    { 0 },
  };
  cliArguments arguments;
  cliStatus result = cli_parse(&cli_edit, options, count, words, &arguments);
  if (result || arguments.common.help) return result;
  if ((result = cli_one_input(&cli_edit, &arguments))) return result;
  if ((result = check_edit_job(&job))) return result;

  lbError err;
  lbScene *scene = NULL;
  lbPose *made = NULL;
  lbStatus status = lb_scene_load(arguments.inputs[0], NULL, &scene, &err);
  if (!status) status = pose(&job, scene, &made, &err);
  cli_finish_progress();
  if (status)
    result = cli_fail_about(arguments.inputs[0], &err);
  else if (arguments.common.json)
    result = cli_print_json(write_edit_document(made, job.def.method));
  else
    print_edit_text(made, job.def.method);
  lb_pose_destroy(made);
  lb_scene_destroy(scene);
  return result;
}

const cliVerb cli_edit = {
  "edit",
  "pose a model by handles",
  "limber edit MODEL.glb|SCENE.json --handle WORDS ... -o POSED.obj [options]",
  "Looks for the shape of least energy that follows its handles: regions of the surface that are\n"
  "moved and turned. Gravity does not act. A handle in words is \"NAME: clause; clause ...\" with\n"
  "  box X Y Z X Y Z     the vertices in a box, low and high corner\n"
  "  group NAME          those of a group (a scene's mesh) or of a material of the surface\n"
  "  vertices N N ...    those with these numbers, as scenes count them\n"
  "                      (none of these: the group of the handle's own name)\n"
  "  translate X Y Z     moves it, m\n"
  "  rotate AXIS DEGREES [about X Y Z]\n"
  "                      turns it, right-handed, about x, y, z or three numbers, through its\n"
  "                      middle or a place\n"
  "  weight W            how hard it pulls (1)\n"
  "A handle without a motion holds its place. Coordinates are the model's own.\n",
  "  limber edit bunny.glb --handle \"ear: box -0.1 0.15 -0.1 0.1 0.2 0.1; rotate z 60\" -o "
  "posed.obj\n"
  "  limber edit scenes/poses/bar.json --script scenes/poses/bar-twist.json -o twisted.obj\n"
  "  limber edit scenes/poses/bar.json --handle \"right: rotate x 135\" --method full --json",
  run,
};
