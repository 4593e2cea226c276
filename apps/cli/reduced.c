// The subspace of a model, its frames and its comparison with the full simulator, as text and as
// JSON.
#include "cli.h"

#include <math.h>
#include <stdio.h>

const double *cli_model_damping(const lbModel *model) {
  static const double none[2] = { 0, 0 };
  lbModelMethod method = { .damping = model->full_damping };
  lb_model_method(model, LB_METHOD_DEFAULT, &method);
  return method.damping ? method.damping : none;
}

// ---- subspace ----------------------------------------------------------------------------------

// Sets of polynomials for each material, or forces that need none.
static bool is_editable(const lbModel *model) { return model->size.subspace_part_count != 1; }

static double coefficient_bytes(const lbModel *model) {
  const lbModelSizes *s = &model->size;
  return 8.0 * s->subspace_part_count *
         ((double)s->packed2_count + s->packed3_count + s->packed4_count);
}

static json_t *number_or_null(double value) { return cli_number(value < 0 ? NAN : value); }

static json_t *cubature_document(const lbModel *model) {
  const double *errors = model->cubature_errors;
  if (model->size.cubature_count == 0) return json_null();
  return json_pack("{s:i, s:i, s:o, s:o}", "elements", (int)model->size.cubature_count, "poses",
                   (int)model->size.pose_count, "training_error",
                   number_or_null(errors ? errors[0] : -1), "held_out_error",
                   number_or_null(errors ? errors[1] : -1));
}

json_t *cli_subspace_document(const lbModel *model) {
  const lbModelSizes *s = &model->size;
  if (s->subspace_dimension == 0) return json_null();
  return json_pack(
      "{s:i, s:b, s:s, s:o, s:o, s:o}", "dimension", (int)s->subspace_dimension, "editable",
      is_editable(model), "forces", s->cubature_count ? "cubature" : "polynomial", "cubature",
      cubature_document(model), "coefficient_bytes", cli_number(coefficient_bytes(model)),
      "importance", cli_numbers(model->subspace_values, (size_t)s->subspace_dimension));
}

static void print_cubature(const lbModel *model) {
  const double *errors = model->cubature_errors;
  const lbModelSizes *s = &model->size;
  if (s->shell_count)
    cli_say("subspace: %d vectors, forces by cubature over %d edges of a shell\n",
            (int)s->subspace_dimension, (int)s->cubature_count);
  else
    cli_say("subspace: %d vectors, forces by cubature over %d of %d elements\n",
            (int)s->subspace_dimension, (int)s->cubature_count, (int)s->element_count);
  if (errors && model->size.pose_count)
    cli_say("  error of the force %.3g %% over %d training poses, %.3g %% over poses held out\n",
            100 * errors[0], (int)model->size.pose_count, 100 * errors[1]);
}

void cli_print_subspace(const lbModel *model) {
  const lbModelSizes *s = &model->size;
  if (s->subspace_dimension == 0) return;
  if (s->cubature_count) {
    print_cubature(model);
    return;
  }
  cli_say("subspace: %d vectors, polynomial forces with %.2f MB of coefficients%s\n",
          (int)s->subspace_dimension, coefficient_bytes(model) / 1e6,
          is_editable(model) ? ", materials can be edited" : "");
}

// ---- frames ------------------------------------------------------------------------------------

static int32_t fixed_frames(const lbModel *model) {
  int32_t fixed = 0;
  for (int32_t i = 0; i < model->size.frame_count; i++) fixed += model->frame_fixed[i];
  return fixed;
}

// Those that take part in the sums.
static int32_t used_samples(const lbModel *model) {
  const double *shares = model->sample_shares;
  int32_t used = 0;
  for (int32_t k = 0; k < model->size.sample_count; k++)
    used += !shares || shares[2 * (size_t)k] > 0 || shares[2 * (size_t)k + 1] > 0;
  return used;
}

// A file of a later version may have a setting that this one has no name for.
static const char *name_reduction(const char *const *names, const lbModel *model, int setting) {
  int32_t number = model->frame_settings[setting], count = 0;
  while (names[count]) count++;
  return number >= 0 && number < count ? names[number] : "other";
}

json_t *cli_frames_document(const lbModel *model) {
  if (model->size.frame_count == 0) return json_null();
  return json_pack("{s:i, s:i, s:s, s:s, s:s, s:i, s:i}", "count", (int)model->size.frame_count,
                   "fixed", (int)fixed_frames(model), "weights",
                   name_reduction(lb_frames_weight_names(), model, 2), "forces",
                   name_reduction(lb_frames_force_names(), model, 0), "mass",
                   name_reduction(lb_frames_mass_names(), model, 1), "samples",
                   (int)used_samples(model), "voxels", (int)model->size.sample_count);
}

void cli_print_frames(const lbModel *model) {
  if (model->size.frame_count == 0) return;
  cli_say("%d frames, %d of them fixed; %s weights; forces by %s; %d samples",
          (int)model->size.frame_count, (int)fixed_frames(model),
          name_reduction(lb_frames_weight_names(), model, 2),
          name_reduction(lb_frames_force_names(), model, 0), (int)used_samples(model));
  if (model->sample_shares) cli_say(" of %d", (int)model->size.sample_count);
  cli_say("\n");
}

// ---- accuracy ----------------------------------------------------------------------------------

json_t *cli_accuracy_document(const lbModel *model) {
  if (!model->accuracy_coverage) return json_null();
  json_t *motions = json_array();
  for (int32_t i = 0; i < model->size.accuracy_count; i++) {
    const double *v = model->accuracy_values + 6 * (size_t)i;
    json_array_append_new(motions,
                          json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "motion",
                                    cli_text(lb_model_text(model->accuracy_motions, i)),
                                    "amplitude", number_or_null(v[0]), "duration",
                                    number_or_null(v[1]), "mass_error", number_or_null(v[2]),
                                    "vertex_error", number_or_null(v[3]), "frequency_error",
                                    number_or_null(v[4]), "peak_error", number_or_null(v[5])));
  }
  char warning[300];
  bool warned = lb_model_accuracy_warning(model, warning, sizeof warning);
  return json_pack("{s:o, s:o, s:o}", "coverage", cli_text(model->accuracy_coverage), "motions",
                   motions, "warning", warned ? json_string(warning) : json_null());
}

static void print_percent(double value) {
  if (value < 0)
    cli_say(" %12s", "-");
  else
    cli_say(" %10.3g %%", 100 * value);
}

void cli_print_accuracy(const lbModel *model) {
  if (!model->accuracy_coverage) return;
  cli_say("accuracy: %s\n", model->accuracy_coverage);
  if (model->size.accuracy_count == 0) return;
  cli_say("  %-12s %12s %10s %12s %12s %12s %12s\n", "motion", "amplitude m", "time s",
          "mass error", "node error", "frequency", "peaks");
  for (int32_t i = 0; i < model->size.accuracy_count; i++) {
    const double *v = model->accuracy_values + 6 * (size_t)i;
    cli_say("  %-12s %12.4g %10.4g", lb_model_text(model->accuracy_motions, i), v[0], v[1]);
    for (int k = 2; k < 6; k++) print_percent(v[k]);
    cli_say("\n");
  }
  char warning[300];
  if (lb_model_accuracy_warning(model, warning, sizeof warning))
    lb_log(LB_LOG_WARNING, "%s: %s", model->name, warning);
}
