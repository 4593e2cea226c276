// limber build: from a surface, a volume mesh or a scene to a model file.
#include "cli.h"

#include "limber/rounding.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { LAW, YOUNG, POISSON, DENSITY, C10, C01, V1, THICKNESS, MATERIAL_OPTIONS };

typedef struct Job {
  const char *input, *output;
  char chosen_output[300];
  const char *method, *up, *amplitude, *law;
  const char *basis, *sketch, *metric, *accuracy, *report_folder;
  lbBuildDef def;
  lbDiscard discard;
  cliCubature cubature;
  bool has_modes, has_dimension, has_frames, has_cells, has_triangles, has_frequency, has_mass,
      has_stiffness, has_discard[4];
  lbMaterial material;
  bool has_material[MATERIAL_OPTIONS];
  cliWords young, fixed;
  lbYoungRegion youngs[CLI_WORDS_MOST];
  lbRegion supports[CLI_WORDS_MOST];
  lbBuildReport report;
  bool repeatable;
  double write_seconds;
  int64_t bytes;
} Job;

// ---- words -------------------------------------------------------------------------------------

static cliStatus check_method(Job *job) {
  if (!job->method) return CLI_OK;
  if (!lb_method_from_name(job->method, &job->def.method))
    return cli_usage(&cli_build, "--method is \"%s\", use subspace, modal, warp or frames",
                     job->method);
  if (job->def.method != LB_METHOD_MODAL && job->def.method != LB_METHOD_SUBSPACE &&
      job->def.method != LB_METHOD_WARP && job->def.method != LB_METHOD_FRAMES)
    return cli_usage(&cli_build,
                     "this version builds no \"%s\" models, use --method subspace, modal, warp or "
                     "frames",
                     job->method);
  return CLI_OK;
}

// A kind of basis, or a file of vectors.
static cliStatus check_build_basis(Job *job) {
  static const char *const files[] = { ".npy", ".npz", ".u", ".float" };
  lbBuildDef *def = &job->def;
  if (job->sketch && job->basis && strcmp(job->basis, "sketch") != 0)
    return cli_usage(&cli_build, "give --basis or --sketch, not both");
  if (job->sketch) {
    def->basis = LB_BASIS_SKETCH;
    def->basis_file = job->sketch;
    return CLI_OK;
  }
  if (!job->basis) return CLI_OK;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    if (lb_path_has_extension(job->basis, files[i])) {
      def->basis = LB_BASIS_FILE;
      def->basis_file = job->basis;
      return CLI_OK;
    }
  if (!lb_basis_kind_parse(job->basis, &def->basis) || def->basis == LB_BASIS_FILE)
    return cli_usage(&cli_build,
                     "--basis is \"%s\", use derivatives, linear, extended, or a file that ends in "
                     ".npy, .npz, .U or .float",
                     job->basis);
  if (def->basis == LB_BASIS_SKETCH)
    return cli_usage(&cli_build, "--basis sketch needs its loads, give --sketch FILE.json");
  return CLI_OK;
}

// A number is the amplitude of training poses, a word that of modes which may be dropped.
static cliStatus check_build_forces(Job *job) {
  if (job->amplitude && cli_parse_amplitude(job->amplitude, &job->def.pose_amplitude)) {
    job->amplitude = NULL;
    job->has_discard[3] = false;
  }
  return cli_check_cubature(&job->cubature, &job->def);
}

// Options of one method are refused with the other.
static cliStatus check_build_subspace(Job *job) {
  cliStatus result = check_build_basis(job);
  if (!result) result = check_build_forces(job);
  if (result) return result;
  if (job->has_dimension && job->def.dimension < 1)
    return cli_usage(&cli_build, "--dimension is %d, it must be at least 1",
                     (int)job->def.dimension);
  if (job->metric) {
    bool lumped = strcmp(job->metric, "lumped") == 0;
    if (!lumped && strcmp(job->metric, "consistent") != 0)
      return cli_usage(&cli_build, "--metric is \"%s\", use consistent or lumped", job->metric);
    job->def.metric = lumped ? LB_MASS_LUMPED : LB_MASS_CONSISTENT;
  }
  const char *given = job->basis           ? "basis"
                      : job->sketch        ? "sketch"
                      : job->has_dimension ? "dimension"
                      : job->metric        ? "metric"
                      : job->def.editable  ? "editable"
                      : job->def.forces    ? "forces"
                                           : NULL;
  if (given && job->def.method != LB_METHOD_DEFAULT && job->def.method != LB_METHOD_SUBSPACE)
    return cli_usage(&cli_build, "--%s applies only to the method subspace", given);
  if (given) job->def.method = LB_METHOD_SUBSPACE;
  if (job->discard.on && job->def.method != LB_METHOD_DEFAULT && job->def.method != LB_METHOD_MODAL)
    return cli_usage(&cli_build, "--discard applies only to the method modal");
  if (job->discard.on) job->def.method = LB_METHOD_MODAL;
  return CLI_OK;
}

// Methods that have the coordinates of the full one.
static bool is_unreduced(lbMethod method) {
  return method == LB_METHOD_WARP || method == LB_METHOD_FRAMES;
}

static cliStatus check_build_frames(Job *job) {
  if (!job->has_frames) return CLI_OK;
  if (job->def.frames < 1)
    return cli_usage(&cli_build, "--frames is %d, it must be 1 or more", (int)job->def.frames);
  if (job->def.method != LB_METHOD_DEFAULT && job->def.method != LB_METHOD_FRAMES)
    return cli_usage(&cli_build, "--frames applies only to the method frames");
  job->def.method = LB_METHOD_FRAMES;
  return CLI_OK;
}

static cliStatus check_accuracy(Job *job) {
  if (is_unreduced(job->def.method) && (job->accuracy || job->report_folder))
    return cli_usage(&cli_build,
                     "--accuracy and --report are for reduced models; a scene can have a body of "
                     "the method %s beside the full one",
                     lb_method_name(job->def.method));
  if (job->report_folder) job->def.accuracy = LB_ACCURACY_FULL;
  if (!job->accuracy) return CLI_OK;
  if (!lb_accuracy_kind_parse(job->accuracy, &job->def.accuracy))
    return cli_usage(&cli_build, "--accuracy is \"%s\", use quick, full or none", job->accuracy);
  if (job->report_folder && job->def.accuracy == LB_ACCURACY_NONE)
    return cli_usage(&cli_build, "--report writes a comparison, but --accuracy is none");
  return CLI_OK;
}

static cliStatus check_discard(Job *job) {
  static const char *const names[] = { "max_force", "min_resolution", "frame_rate", "amplitude" };
  const double values[] = { job->discard.max_force, job->discard.min_resolution,
                            job->discard.frame_rate };
  bool word =
      job->amplitude && (strcmp(job->amplitude, "max") == 0 || strcmp(job->amplitude, "norm") == 0);
  for (int i = 0; i < 4; i++) {
    if (!job->has_discard[i] || (i == 3 && !word)) continue;
    if (!job->discard.on) return cli_usage(&cli_build, "--%s needs --discard", names[i]);
    if (i < 3 && !(values[i] > 0))
      return cli_usage(&cli_build, "--%s is %g, it must be positive", names[i], values[i]);
  }
  if (job->amplitude && !word)
    return cli_usage(
        &cli_build,
        "--amplitude is \"%s\", use a positive number (of training poses), max or norm "
        "(of modes)",
        job->amplitude);
  job->discard.norm = job->amplitude && strcmp(job->amplitude, "norm") == 0;
  if (job->discard.on) job->def.discard = &job->discard;
  return CLI_OK;
}

static bool gives_stiffness(const Job *job) {
  return job->has_material[YOUNG] || job->has_material[C10] || job->has_material[C01] ||
         job->has_material[V1];
}

// What a scene says for itself.
static cliStatus check_bare_options(const Job *job) {
  static const char *const names[] = { "material", "young", "poisson", "density",
                                       "c10",      "c01",   "v1",      "thickness" };
  if (!lb_path_has_extension(job->input, ".json"))
    return job->def.body ? cli_usage(&cli_build, "--body is for scenes, %s is a mesh", job->input)
                         : CLI_OK;
  const char *given = job->def.is_free     ? "free"
                      : job->fixed.count   ? "fixed"
                      : job->has_cells     ? "cells"
                      : job->has_triangles ? "triangles"
                      : job->has_frequency ? "frequency"
                                           : NULL;
  for (int i = 0; i < MATERIAL_OPTIONS; i++)
    if (job->has_material[i]) given = names[i];
  if (!given) return CLI_OK;
  return cli_usage(&cli_build, "--%s is for bare meshes, the scene %s already says so", given,
                   job->input);
}

// What is said of parts of the body.
static cliStatus check_build_regions(Job *job) {
  lbBuildDef *def = &job->def;
  cliStatus result = CLI_OK;
  for (int32_t i = 0; i < job->young.count && !result; i++) {
    bool everywhere = false;
    result = cli_parse_young(&cli_build, job->young.words[i], &job->youngs[def->young_count],
                             &everywhere, &job->material.young);
    if (!result && !everywhere) def->young_count++;
  }
  for (int32_t i = 0; i < job->fixed.count && !result; i++)
    result = cli_parse_fixed(&cli_build, job->fixed.words[i], &job->supports[def->fixed_count++]);
  if (!result && def->is_free && def->fixed_count)
    result = cli_usage(&cli_build, "give --free or --fixed, not both");
  def->youngs = job->youngs;
  def->fixed = job->supports;
  return result;
}

static cliStatus check_material(Job *job) {
  lbError err;
  bool given = false;
  for (int i = 0; i < MATERIAL_OPTIONS; i++) given |= job->has_material[i];
  if (job->law && !lb_material_model_parse(job->law, &job->material.model))
    return cli_usage(&cli_build,
                     "--material is \"%s\", use linear, stvk, corotated, neohookean, "
                     "stable_neohookean, mooneyrivlin or shell",
                     job->law);
  if (job->def.young_count && job->material.model == LB_MATERIAL_MOONEYRIVLIN)
    return cli_usage(&cli_build, "mooneyrivlin has no Young's modulus, leave --young out");
  if (given && lb_material_check(&job->material, "the material given by the options", &err))
    return cli_usage(&cli_build, "%s", err.text);
  if (job->has_frequency && gives_stiffness(job))
    return cli_usage(&cli_build, "give a stiffness or --frequency, not both");
  if (job->has_frequency && !(job->def.frequency > 0))
    return cli_usage(&cli_build, "--frequency is %g, it must be positive", job->def.frequency);
  if (given) job->def.material = &job->material;
  if (given && !job->has_frequency)
    job->def.frequency = gives_stiffness(job) ? 0 : LB_BUILD_FREQUENCY;
  return CLI_OK;
}

static cliStatus check_build_numbers(Job *job) {
  lbBuildDef *def = &job->def;
  if (job->has_modes && def->mode_count < 1)
    return cli_usage(&cli_build, "--modes is %d, it must be at least 1", (int)def->mode_count);
  if (job->has_cells && def->cells < 1)
    return cli_usage(&cli_build, "--cells is %d, it must be at least 1", (int)def->cells);
  if (job->has_triangles && def->triangles < 1)
    return cli_usage(&cli_build, "--triangles is %d, it must be at least 1", (int)def->triangles);
  if (job->has_mass && !(def->damping_mass >= 0))
    return cli_usage(&cli_build, "--damping_mass is %g, it must be 0 or more", def->damping_mass);
  if (job->has_stiffness && !(def->damping_stiffness >= 0))
    return cli_usage(&cli_build, "--damping_stiffness is %g, it must be 0 or more",
                     def->damping_stiffness);
  if (job->up && strcmp(job->up, "y") != 0 && strcmp(job->up, "z") != 0)
    return cli_usage(&cli_build, "--up is \"%s\", use y or z", job->up);
  def->up = job->up ? job->up[0] : 0;
  return CLI_OK;
}

// Without -o the model lies in the current folder and has the input's name.
static cliStatus check_build_output(Job *job) {
  struct stat in, out;
  if (!job->output) {
    const char *name = lb_path_name(job->input);
    int stem = (int)(strlen(name) - strlen(lb_path_extension(name)));
    snprintf(job->chosen_output, sizeof job->chosen_output, "%.*s.glb", stem < 290 ? stem : 290,
             name);
    job->output = job->chosen_output;
  }
  if (!lb_path_has_extension(job->output, ".glb"))
    return cli_usage(&cli_build, "-o is \"%s\", a model file ends in .glb", job->output);
  if (stat(job->input, &in) == 0 && stat(job->output, &out) == 0 && in.st_dev == out.st_dev &&
      in.st_ino == out.st_ino)
    return cli_usage(&cli_build, "%s is the input, choose another file with -o", job->output);
  return CLI_OK;
}

static cliStatus check_words(Job *job) {
  cliStatus result = check_method(job);
  if (!result) result = check_build_subspace(job);
  if (!result) result = check_build_frames(job);
  if (!result) result = check_accuracy(job);
  if (!result) result = check_discard(job);
  if (!result) result = check_bare_options(job);
  if (!result) result = check_build_regions(job);
  if (!result) result = check_material(job);
  if (!result) result = check_build_numbers(job);
  if (!result) result = check_build_output(job);
  return result;
}

// ---- output ------------------------------------------------------------------------------------

static json_t *chosen_document(const Job *job, const lbModel *model) {
  const lbBuildReport *r = &job->report;
  json_t *chosen = json_object();
  if (r->method_chosen)
    json_object_set_new(chosen, "method", json_string(lb_method_name(r->method)));
  if (r->method == LB_METHOD_SUBSPACE && r->basis_chosen)
    json_object_set_new(chosen, "basis", json_string(lb_basis_kind_name(r->basis)));
  if (r->method == LB_METHOD_SUBSPACE && r->dimension_chosen)
    json_object_set_new(chosen, "dimension", json_integer(r->dimension));
  if (r->method == LB_METHOD_SUBSPACE && r->forces_chosen)
    json_object_set_new(chosen, "forces",
                        json_string(model->size.cubature_count ? "cubature" : "polynomial"));
  if (!job->accuracy && !job->report_folder && !is_unreduced(r->method))
    json_object_set_new(chosen, "accuracy", json_string("quick"));
  if (r->up_chosen) json_object_set_new(chosen, "up", json_string(r->up == 'y' ? "y" : "z"));
  if (r->cells_chosen) json_object_set_new(chosen, "cells", json_integer(r->cells));
  if (r->fixed_share > 0) {
    json_object_set_new(chosen, "fixed_share", cli_number(r->fixed_share));
    json_object_set_new(chosen, "fixed_nodes", json_integer(r->fixed_count));
  }
  if (r->bare && !r->material_given) {
    lbMaterial material = lb_model_material(model, 0);
    json_object_set_new(chosen, "material", cli_material_document(&material));
  }
  if (r->frequency > 0) json_object_set_new(chosen, "frequency", cli_number(r->frequency));
  if (r->damping_ratio > 0) {
    json_object_set_new(chosen, "damping_ratio", cli_number(r->damping_ratio));
    json_object_set_new(chosen, "damping_stiffness", cli_number(cli_model_damping(model)[1]));
  }
  if (r->modes_chosen) json_object_set_new(chosen, "modes", json_integer(job->report.mode_count));
  if (job->output == job->chosen_output)
    json_object_set_new(chosen, "output", cli_path(job->output));
  return chosen;
}

static json_t *write_build_document(const Job *job, const lbModel *model) {
  const lbModelSizes *s = &model->size;
  const lbBuildReport *r = &job->report;
  const double *damping = cli_model_damping(model);
  json_t *frequencies = json_array();
  for (int32_t i = 0; i < s->mode_count; i++)
    json_array_append_new(frequencies, cli_number(sqrt(model->modal_eigenvalues[i]) / (2 * LB_PI)));
  json_t *all = json_pack("{s:o, s:I, s:o, s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:o}", "output",
                          cli_path(job->output), "bytes", (json_int_t)job->bytes, "name",
                          cli_text(model->name), "method", lb_method_name(r->method), "up",
                          r->up == 'y' ? "y" : "z", "vertices", (int)s->vertex_count, "triangles",
                          (int)s->triangle_count, "nodes", (int)s->node_count, "tets",
                          (int)s->tet_count, "bricks", (int)s->brick_count, "fixed_nodes",
                          (int)r->fixed_count, "mass", cli_number(model->rigid_mass[0]));
  json_object_set_new(all, "shell_triangles", json_integer(s->shell_count));
  json_object_set_new(all, "modes", json_integer(s->mode_count));
  json_object_set_new(all, "dropped",
                      json_pack("{s:i, s:i}", "too_weak",
                                (int)cli_mode_fates(model, LB_MODE_TOO_WEAK), "too_fast",
                                (int)cli_mode_fates(model, LB_MODE_TOO_FAST)));
  json_object_set_new(all, "rigid_modes", json_integer(r->rigid_count));
  json_object_set_new(all, "frequencies_hz", frequencies);
  json_object_set_new(
      all, "damping",
      json_pack("{s:o, s:o}", "mass", cli_number(damping[0]), "stiffness", cli_number(damping[1])));
  if (r->method == LB_METHOD_SUBSPACE)
    json_object_set_new(all, "subspace", cli_subspace_document(model));
  if (r->method == LB_METHOD_FRAMES) json_object_set_new(all, "frames", cli_frames_document(model));
  json_object_set_new(all, "accuracy", cli_accuracy_document(model));
  json_object_set_new(all, "chosen", chosen_document(job, model));
  json_object_set_new(
      all, "seconds",
      json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "load", cli_number(r->load_seconds),
                "volume", cli_number(r->volume_seconds), "modes", cli_number(r->modes_seconds),
                "basis", cli_number(r->basis_seconds), "model", cli_number(r->model_seconds),
                "accuracy", cli_number(r->accuracy_seconds), "write",
                cli_number(job->write_seconds)));
  return all;
}

static void print_chosen(const Job *job, const lbModel *model) {
  const lbBuildReport *r = &job->report;
  lbMaterial m = lb_model_material(model, 0);
  cli_say("chosen, with the option that changes it:\n");
  if (r->law_decided)
    cli_say("  the method is modal: the material is linear (--method)\n");
  else if (r->method_chosen)
    cli_say("  the method is %s (--method)\n", lb_method_name(r->method));
  if (r->method == LB_METHOD_SUBSPACE && r->basis_chosen)
    cli_say("  the basis is %s (--basis)\n", lb_basis_kind_name(r->basis));
  if (r->method == LB_METHOD_SUBSPACE && r->dimension_chosen)
    cli_say("  it keeps %d vectors (--dimension)\n", (int)r->dimension);
  if (r->method == LB_METHOD_SUBSPACE && r->forces_chosen)
    cli_say("  forces are %s, for the law %s (--forces)\n",
            model->size.cubature_count ? "by cubature" : "polynomials",
            lb_material_model_name(m.model));
  if (r->up_chosen)
    cli_say("  %c is up, as %s (--up)\n", r->up,
            r->up == 'y' ? "in OBJ and glTF files" : "in files of this format");
  if (r->cells_chosen)
    cli_say("  the surface is voxelised with %d cells along its longest side (--cells)\n",
            (int)r->cells);
  if (r->fixed_share > 0)
    cli_say("  the lowest %g %% along %c is fixed, %d nodes (--free)\n", 100 * r->fixed_share,
            r->up, (int)r->fixed_count);
  if (r->bare && !r->material_given)
    cli_say("  the material is %s with Poisson's ratio %g and %g kg/m3 (--material, --poisson, "
            "--density)\n",
            lb_material_model_name(m.model), m.poisson, m.density);
  if (r->frequency > 0 && m.model != LB_MATERIAL_MOONEYRIVLIN)
    cli_say("  Young's modulus is %.4g Pa, which makes the first frequency %g Hz (--young, "
            "--frequency)\n",
            m.young, r->frequency);
  else if (r->frequency > 0)
    cli_say("  the stiffness is scaled to make the first frequency %g Hz (--c10, --frequency)\n",
            r->frequency);
  if (r->damping_ratio > 0)
    cli_say("  stiffness damping is %.4g s, %g %% of critical for the first mode "
            "(--damping_stiffness, --damping_mass)\n",
            cli_model_damping(model)[1], 100 * r->damping_ratio);
  if (r->modes_chosen) cli_say("  %d modes are computed (--modes)\n", (int)r->mode_count);
  if (r->accuracy && !job->accuracy && !job->report_folder)
    cli_say("  it is compared with the full simulator quickly (--accuracy, --report)\n");
  if (job->output == job->chosen_output) cli_say("  the file is %s (-o)\n", job->output);
}

static void print_build_text(const Job *job, const lbModel *model) {
  const lbModelSizes *s = &model->size;
  const lbBuildReport *r = &job->report;
  cli_say("model %s: %d vertices and %d triangles carried by %d nodes, ", model->name,
          (int)s->vertex_count, (int)s->triangle_count, (int)s->node_count);
  if (s->shell_count)
    cli_say("a shell");
  else
    cli_say("%d tets, %d bricks", (int)s->tet_count, (int)s->brick_count);
  cli_say("; %.6g kg\n", model->rigid_mass[0]);
  print_chosen(job, model);
  cli_print_frames(model);
  if (!is_unreduced(r->method))
    cli_say("%d modes kept, %d dropped as too weak, %d as too fast; %d rigid ones not counted\n",
            (int)s->mode_count, (int)cli_mode_fates(model, LB_MODE_TOO_WEAK),
            (int)cli_mode_fates(model, LB_MODE_TOO_FAST), (int)r->rigid_count);
  if (r->method == LB_METHOD_MODAL) cli_print_modes(model);
  cli_print_subspace(model);
  cli_print_accuracy(model);
  if (job->report_folder) cli_say("report: %s/report.md\n", job->report_folder);
  cli_say("time: load %.2f s, volume %.2f s, modes %.2f s, basis %.2f s, model %.2f s, accuracy "
          "%.2f s, write %.2f s\n",
          r->load_seconds, r->volume_seconds, r->modes_seconds, r->basis_seconds, r->model_seconds,
          r->accuracy_seconds, job->write_seconds);
  cli_say("written: %s, %.2f MB\n", job->output, (double)job->bytes / 1e6);
}

// ---- the verb ----------------------------------------------------------------------------------

// Whether the output can be written at all, before the long work.
static lbStatus try_output(const char *path, lbError *err) {
  lbFileWriter writer;
  lbStatus status = lb_file_begin(&writer, path, err);
  if (!status) lb_file_abort(&writer);
  return status;
}

static lbStatus run_build_job(Job *job, lbModel **model, lbError *err) {
  lbStatus status = try_output(job->output, err);
  if (!status) status = lb_build_model(job->input, &job->def, model, &job->report, err);
  if (!status && job->report_folder)
    status = lb_accuracy_write(job->report.accuracy, (*model)->name, job->report_folder, err);
  if (status) return status;
  double start = lb_seconds();
  if (!lb_progress("write", 0)) return lb_fail_interrupted(err, "write");
  status = lb_build_save((const lbModel *const *)model, 1, NULL, job->output, err);
  job->write_seconds = lb_seconds() - start;
  struct stat written;
  if (!status && stat(job->output, &written) == 0) job->bytes = (int64_t)written.st_size;
  return status;
}

static cliStatus run(int count, char **words) {
  Job job = { .def = lb_build_def(), .discard = lb_discard(), .material = lb_material() };
  bool *given = job.has_material, *rule = job.has_discard;
  const cliOption options[] = {
    { "o", CLI_TEXT, &job.output, NULL, "FILE.glb", "the model file (the input's name, here)" },
    { "method", CLI_TEXT, &job.method, NULL, "NAME",
      "subspace (the scene's, or the default), modal, warp or frames" },
    { "frames", CLI_INTEGER, &job.def.frames, &job.has_frames, "N",
      "frames: how many, 1 to 200 (the scene's, or 7), placed evenly;\n"
      "with a skeleton, so many beside its joints" },
    { "body", CLI_TEXT, &job.def.body, NULL, "NAME", "which body of a scene with several" },
    { "modes", CLI_INTEGER, &job.def.mode_count, &job.has_modes, "N",
      "how many elastic modes to compute (the scene's, or 20)" },
    { "basis", CLI_TEXT, &job.basis, NULL, "KIND",
      "subspace: derivatives (the default), linear, extended, or a\nfile of vectors: .npy, .npz, "
      ".U, .float" },
    { "sketch", CLI_TEXT, &job.sketch, NULL, "FILE.json",
      "subspace: the basis of a sketch's loads" },
    { "dimension", CLI_INTEGER, &job.def.dimension, &job.has_dimension, "R",
      "subspace: how many vectors (the scene's, or 30)" },
    { "metric", CLI_TEXT, &job.metric, NULL, "MASS",
      "subspace: mass of the basis's PCA, consistent (the default)\nor lumped" },
    { "editable", CLI_FLAG, &job.def.editable, NULL, NULL,
      "subspace: materials can be changed while the model runs" },
    { "forces", CLI_TEXT, &job.cubature.forces, NULL, "KIND",
      "subspace: polynomial (exact, stvk alone, its default), or\ncubature: a sum over few "
      "elements, "
      "for any material:" },
    { "elements", CLI_TEXT, &job.cubature.elements, NULL, "N",
      "  how many at most, or all (as many as the error needs)" },
    { "error", CLI_NUMBER, &job.def.force_error, &job.cubature.has_error, "E",
      "  relative error of the force to stop at (0.03)" },
    { "poses", CLI_INTEGER, &job.def.poses, &job.cubature.has_poses, "N",
      "  training poses (200, or 4 a vector where that is more)" },
    { "seed", CLI_INTEGER, &job.cubature.seed, &job.cubature.has_seed, "N",
      "  of poses and candidates (1)" },
    { "selection", CLI_TEXT, &job.cubature.selection, NULL, "HOW",
      "  nnhtp (the default), nnhtp_plain, greedy or greedy_fast" },
    { "accuracy", CLI_TEXT, &job.accuracy, NULL, "HOW",
      "compare with the full simulator: quick (the default), full\nor none" },
    { "report", CLI_TEXT, &job.report_folder, NULL, "DIR",
      "write the full comparison there: report.md, report.json,\nplots" },
    { "repeatable", CLI_FLAG, &job.repeatable, NULL, NULL,
      "the same bytes on every machine and in the page, in about\ntwice the time" },
    { "discard", CLI_FLAG, &job.discard.on, NULL, NULL,
      "modal: drop modes that are too weak or too fast to be seen:" },
    { "max_force", CLI_NUMBER, &job.discard.max_force, &rule[0], "N",
      "  the largest force to be expected (60000)" },
    { "min_resolution", CLI_NUMBER, &job.discard.min_resolution, &rule[1], "M",
      "  the smallest motion that can be seen (0.0001)" },
    { "frame_rate", CLI_NUMBER, &job.discard.frame_rate, &rule[2], "HZ",
      "  modes above half of it are dropped (60)" },
    { "amplitude", CLI_TEXT, &job.amplitude, &rule[3], "KIND|A",
      "  of a mode: max, its largest displacement (the default),\n  or norm. With cubature, a "
      "number: "
      "how far the largest training\n  pose moves a node, over the diagonal of the box (0.2)" },
    { "damping_mass", CLI_NUMBER, &job.def.damping_mass, &job.has_mass, "1/S",
      "Rayleigh damping by mass (the scene's, or 0)" },
    { "damping_stiffness", CLI_NUMBER, &job.def.damping_stiffness, &job.has_stiffness, "S",
      "and by stiffness (the scene's, or 2 % of critical for the\nfirst mode)" },
    { "up", CLI_TEXT, &job.up, NULL, "AXIS", "y or z (y for OBJ and glTF, z for others)" },
    { "free", CLI_FLAG, &job.def.is_free, NULL, NULL,
      "fix nothing of a mesh (default: the lowest 5 % along up)" },
    { "fixed", CLI_WORDS, &job.fixed, NULL, "WHERE",
      "fix this part of a mesh instead; may be repeated: a group,\nobject or material of the "
      "surface, color.red (above 0.5;\ncolor.red=0.3: above 0.3), or box.X,Y,Z,X,Y,Z" },
    { "cells", CLI_INTEGER, &job.def.cells, &job.has_cells, "N",
      "bricks along the longest side of a surface (24)" },
    { "triangles", CLI_INTEGER, &job.def.triangles, &job.has_triangles, "N",
      "draw a surface with no more triangles than these (all)" },
    { "frequency", CLI_NUMBER, &job.def.frequency, &job.has_frequency, "HZ",
      "make a mesh as stiff as this first frequency needs (3,\nwhere no stiffness is given)" },
    { "material", CLI_TEXT, &job.law, &given[LAW], "NAME",
      "of a mesh: linear, stvk (the default), corotated,\nneohookean, stable_neohookean, "
      "mooneyrivlin, or\nshell: its triangles are the body" },
    { "young", CLI_WORDS, &job.young, &given[YOUNG], "[WHERE=]PA",
      "Young's modulus, of all of it or of a part; may be repeated.\nWHERE: a group, object or "
      "material of the surface,\ncolor.red=LOW,HIGH (from a vertex colour's 0 to 1), or\n"
      "box.X,Y,Z,X,Y,Z" },
    { "poisson", CLI_NUMBER, &job.material.poisson, &given[POISSON], "NU",
      "Poisson's ratio (0.45)" },
    { "density", CLI_NUMBER, &job.material.density, &given[DENSITY], "KG/M3", "density (1000)" },
    { "c10", CLI_NUMBER, &job.material.c10, &given[C10], "PA", "Mooney-Rivlin c10" },
    { "c01", CLI_NUMBER, &job.material.c01, &given[C01], "PA", "Mooney-Rivlin c01" },
    { "v1", CLI_NUMBER, &job.material.v1, &given[V1], "PA", "Mooney-Rivlin v1" },
    { "thickness", CLI_NUMBER, &job.material.thickness, &given[THICKNESS], "M", "of a shell" },
    { 0 },
  };
  cliArguments arguments;
  cliStatus result = cli_parse(&cli_build, options, count, words, &arguments);
  if (result || arguments.common.help) return result;
  if ((result = cli_one_input(&cli_build, &arguments))) return result;
  job.input = arguments.inputs[0];
  if ((result = check_words(&job))) return result;
  cli_keep_selection();
  lb_set_repeatable(job.repeatable);

  lbError err;
  lbModel *model = NULL;
  lbStatus status = run_build_job(&job, &model, &err);
  cli_finish_progress();
  if (status)
    result = strstr(err.text, job.output) ? cli_fail(&err) : cli_fail_about(job.input, &err);
  else if (arguments.common.json)
    result = cli_print_json(write_build_document(&job, model));
  else
    print_build_text(&job, model);
  lb_accuracy_destroy(job.report.accuracy);
  lb_model_destroy(model);
  return result;
}

const cliVerb cli_build = {
  "build",
  "mesh + material to a model file that runs in real time",
  "limber build SCENE.json|MESH [-o FILE.glb] [options]",
  "Takes a surface (voxelised, and carried by the bricks), a volume mesh or a body of a scene,\n"
  "reduces it to the shapes that it moves in, compares the result with the full simulator and\n"
  "writes a .glb: limber plays it, and any glTF viewer shows it with its modes as morph targets.\n"
  "Settings that you leave out are chosen for you, and printed. A scene's settings take\n"
  "precedence over the defaults, options over both.\n",
  "  limber mesh --generate torus --surface -o torus.obj\n"
  "  limber build torus.obj -o torus.glb\n"
  "  limber mesh --generate turtle --surface -o turtle.obj\n"
  "  limber build turtle.obj --up z --young 2e4 --young shell=1e6 --fixed face -o turtle.glb\n"
  "  limber build scenes/bar.json --dimension 40 --report bar-report -o bar.glb\n"
  "  limber build scenes/bar.json --method modal --modes 32 -o bar.glb",
  run,
};
