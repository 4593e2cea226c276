// What is in a model file, as text and as JSON.
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *cli_fate_name(lbModeFate fate) {
  static const char *const names[] = { "kept", "too_weak", "too_fast" };
  _Static_assert(sizeof names / sizeof *names == LB_MODE_FATE_COUNT, "a name each");
  return names[fate];
}

int32_t cli_mode_fates(const lbModel *model, lbModeFate fate) {
  int32_t count = 0;
  for (int32_t i = 0; i < model->size.candidate_count; i++)
    count += model->candidate_fates[i] == (int32_t)fate;
  return count;
}

// ---- modes -------------------------------------------------------------------------------------

typedef struct Mode {
  double frequency; // Hz
  double damping;   // ratio ξ = (α/ω + β ω) / 2
  double residual;  // NAN where the mode was dropped
  lbModeFate fate;
} Mode;

// Candidate `index`; *kept counts the kept ones so far.
static Mode mode_at(const lbModel *model, int32_t index, int32_t *kept) {
  double omega = sqrt(model->candidate_eigenvalues[index]);
  const double *rayleigh = model->modal_damping;
  Mode mode = { .frequency = omega / (2 * LB_PI),
                .damping = (rayleigh[0] / omega + rayleigh[1] * omega) / 2,
                .residual = NAN,
                .fate = (lbModeFate)model->candidate_fates[index] };
  if (mode.fate == LB_MODE_KEPT && *kept < model->size.mode_count)
    mode.residual = model->modal_residuals[(*kept)++];
  return mode;
}

static bool has_candidates(const lbModel *model) {
  return model->candidate_eigenvalues && model->candidate_fates && model->modal_damping &&
         model->modal_residuals;
}

json_t *cli_modes_document(const lbModel *model) {
  json_t *list = json_array();
  int32_t kept = 0;
  for (int32_t i = 0; has_candidates(model) && i < model->size.candidate_count; i++) {
    Mode mode = mode_at(model, i, &kept);
    json_array_append_new(
        list,
        json_pack("{s:o, s:o, s:s, s:o, s:o}", "frequency_hz", cli_number(mode.frequency),
                  "damping_ratio", cli_number(mode.damping), "fate", cli_fate_name(mode.fate),
                  "residual", cli_number(mode.residual), "amplitude",
                  cli_number(model->candidate_amplitudes ? model->candidate_amplitudes[i] : NAN)));
  }
  return list;
}

void cli_print_modes(const lbModel *model) {
  static const char *const texts[] = { "kept", "dropped: the largest force barely moves it",
                                       "dropped: above half the frame rate" };
  int32_t kept = 0;
  if (!has_candidates(model)) return;
  cli_say("%6s %14s %14s %10s\n", "mode", "frequency Hz", "damping ratio", "residual");
  for (int32_t i = 0; i < model->size.candidate_count; i++) {
    Mode mode = mode_at(model, i, &kept);
    cli_say("%6d %14.6g %14.4g ", (int)i + 1, mode.frequency, mode.damping);
    if (mode.fate == LB_MODE_KEPT)
      cli_say("%10.1e\n", mode.residual);
    else
      cli_say("%10s  %s\n", "", texts[mode.fate]);
  }
}

// ---- arrays ------------------------------------------------------------------------------------

static int64_t item_count(const lbArrayView *view) {
  int64_t count = 1;
  for (int32_t i = 0; i < view->rank; i++) count *= view->shape[i];
  return count;
}

static int64_t byte_count(const lbArrayView *view) {
  return view->data ? item_count(view) * (int64_t)lb_array_item_bytes(view->type) : 0;
}

static json_t *array_document(const lbArrayView *view) {
  json_t *shape = json_array();
  for (int32_t i = 0; i < view->rank; i++)
    json_array_append_new(shape, json_integer(view->shape[i]));
  return json_pack("{s:s, s:s, s:o, s:s, s:s, s:I}", "name", view->name, "type",
                   lb_array_type_name(view->type), "shape", shape, "unit", view->unit, "meaning",
                   view->meaning, "bytes", (json_int_t)byte_count(view));
}

static void print_array(const lbArrayView *view) {
  char shape[80] = "";
  for (int32_t i = 0; i < view->rank; i++)
    snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%s%lld", i ? " x " : "",
             (long long)view->shape[i]);
  cli_say("  %-26s %-4s %-16s %10lld B  %s%s%s%s\n", view->name, lb_array_type_name(view->type),
          shape, (long long)byte_count(view), view->meaning, view->unit[0] ? " [" : "", view->unit,
          view->unit[0] ? "]" : "");
}

static json_t *model_arrays(const lbModel *model) {
  json_t *list = json_array();
  for (int32_t i = 0; i < lb_model_array_count(); i++) {
    lbArrayView view = lb_model_array(model, i);
    if (view.data) json_array_append_new(list, array_document(&view));
  }
  return list;
}

static json_t *world_arrays(const lbWorldDef *world) {
  json_t *list = json_array();
  for (int32_t i = 0; i < lb_world_array_count(); i++) {
    lbArrayView view = lb_world_array(world, i);
    if (view.data) json_array_append_new(list, array_document(&view));
  }
  return list;
}

// ---- models ------------------------------------------------------------------------------------

static int32_t fixed_count(const lbModel *model) {
  int32_t count = 0;
  for (int32_t i = 0; i < model->size.node_count; i++) count += model->node_fixed[i];
  return count;
}

// By the default method of the model.
static bool is_free(const lbModel *model) {
  return lb_model_is_free_by(model, lb_model_default_method(model));
}

static int32_t core_count(const lbModel *model, lbCoreKind kind) {
  int32_t count = 0;
  for (int32_t c = 0; c < model->size.core_count; c++)
    count += model->warp_core_kinds[c] == (int)kind;
  return count;
}

static json_t *methods_document(const lbModel *model) {
  json_t *list = json_array();
  for (int i = LB_METHOD_DEFAULT + 1; i < LB_METHOD_COUNT; i++)
    if (lb_model_has(model, (lbMethod)i))
      json_array_append_new(list, json_string(lb_method_name((lbMethod)i)));
  return list;
}

static int32_t material_elements(const lbModel *model, int32_t material) {
  return cli_count_elements(model->element_materials, model->size.element_count, material);
}

static json_t *materials_document(const lbModel *model) {
  json_t *list = json_array();
  for (int32_t i = 0; i < model->size.material_count; i++) {
    lbMaterial material = lb_model_material(model, i);
    json_t *document = cli_material_document(&material);
    json_object_set_new(document, "elements", json_integer(material_elements(model, i)));
    json_array_append_new(list, document);
  }
  return list;
}

// The "key: value" lines as an object.
static json_t *provenance_document(const char *text) {
  json_t *document = json_object();
  while (*text) {
    size_t length = strcspn(text, "\n"), colon = strcspn(text, ":");
    if (colon < length) {
      size_t value = colon + 1 + (text[colon + 1] == ' ');
      char key[200];
      snprintf(key, sizeof key, "%.*s", (int)(colon < 199 ? colon : 199), text);
      json_object_set_new(document, key, json_stringn(text + value, length - value));
    }
    text += length + (text[length] == '\n');
  }
  return document;
}

static json_t *recording_document(const lbModel *model) {
  if (!lb_model_has(model, LB_METHOD_RECORDED)) return json_null();
  return json_pack("{s:o, s:o, s:i, s:i}", "seconds", cli_number(lb_model_recording_seconds(model)),
                   "rate_hz", cli_number(model->recording_rate[0]), "frames",
                   (int)model->size.recording_frames, "vectors",
                   (int)model->size.recording_dimension);
}

static json_t *model_document(const lbModel *model, bool arrays) {
  const lbModelSizes *s = &model->size;
  json_t *document = json_pack(
      "{s:o, s:o, s:s, s:b, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "name",
      cli_text(model->name), "methods", methods_document(model), "up",
      model->up[0] == 1 ? "y" : "z", "free", is_free(model), "nodes", (int)s->node_count, "tets",
      (int)s->tet_count, "bricks", (int)s->brick_count, "shell_triangles", (int)s->shell_count,
      "fixed_nodes", (int)fixed_count(model), "rigid_cores", (int)s->core_count, "vertices",
      (int)s->vertex_count, "triangles", (int)s->triangle_count, "looks", (int)s->appearance_count,
      "textures", (int)s->texture_count);
  json_object_set_new(document, "uvs", json_boolean(model->corner_uvs != NULL));
  json_object_set_new(document, "mass", cli_number(model->rigid_mass[0]));
  json_object_set_new(document, "centre", cli_numbers(model->rigid_centre, 3));
  json_object_set_new(document, "inertia", cli_numbers(model->rigid_inertia, 9));
  json_object_set_new(document, "materials", materials_document(model));
  json_object_set_new(document, "provenance", provenance_document(model->provenance));
  const double *damping = cli_model_damping(model);
  json_object_set_new(
      document, "damping",
      json_pack("{s:o, s:o}", "mass", cli_number(damping[0]), "stiffness", cli_number(damping[1])));
  json_object_set_new(document, "modes", cli_modes_document(model));
  json_object_set_new(document, "subspace", cli_subspace_document(model));
  json_object_set_new(document, "frames", cli_frames_document(model));
  json_object_set_new(document, "recording", recording_document(model));
  json_object_set_new(document, "accuracy", cli_accuracy_document(model));
  if (arrays) json_object_set_new(document, "arrays", model_arrays(model));
  return document;
}

static void print_indented(const char *text) {
  while (*text) {
    size_t length = strcspn(text, "\n");
    cli_say("  %.*s\n", (int)length, text);
    text += length + (text[length] == '\n');
  }
}

static void print_model(const lbModel *model, bool arrays) {
  const lbModelSizes *s = &model->size;
  const double *centre = model->rigid_centre;
  cli_say("model %s: methods", model->name);
  for (int i = LB_METHOD_DEFAULT + 1; i < LB_METHOD_COUNT; i++)
    if (lb_model_has(model, (lbMethod)i)) cli_say(" %s", lb_method_name((lbMethod)i));
  cli_say(", %c is up, %s\n", model->up[0] == 1 ? 'y' : 'z', is_free(model) ? "free" : "held");
  cli_say("volume: %d nodes (%d fixed), %d tets, %d bricks", (int)s->node_count,
          (int)fixed_count(model), (int)s->tet_count, (int)s->brick_count);
  if (s->shell_count) cli_say(", %d triangles of a shell", (int)s->shell_count);
  cli_say("\n");
  if (s->core_count)
    cli_say("rigid cores: %d free, %d hinged, %d scripted\n", (int)core_count(model, LB_CORE_FREE),
            (int)core_count(model, LB_CORE_HINGED), (int)core_count(model, LB_CORE_SCRIPTED));
  cli_say("surface: %d vertices, %d triangles%s, %d looks, %d textures\n", (int)s->vertex_count,
          (int)s->triangle_count, model->corner_uvs ? " with UVs" : "", (int)s->appearance_count,
          (int)s->texture_count);
  cli_say("mass %.6g kg, centre %.6g %.6g %.6g m\n", model->rigid_mass[0], centre[0], centre[1],
          centre[2]);
  for (int32_t i = 0; i < s->material_count; i++) {
    lbMaterial material = lb_model_material(model, i);
    cli_print_material(&material, material_elements(model, i));
  }
  const double *damping = cli_model_damping(model);
  cli_say("damping: mass %.6g 1/s, stiffness %.6g s\n", damping[0], damping[1]);
  cli_say("provenance:\n");
  print_indented(model->provenance);
  cli_print_modes(model);
  cli_print_subspace(model);
  cli_print_frames(model);
  if (lb_model_has(model, LB_METHOD_RECORDED))
    cli_say("recording: %.6g s of the unreduced body, %d frames at %.6g Hz, %d vectors\n",
            lb_model_recording_seconds(model), (int)s->recording_frames, model->recording_rate[0],
            (int)s->recording_dimension);
  cli_print_accuracy(model);
  for (int32_t i = 0; arrays && i < lb_model_array_count(); i++) {
    lbArrayView view = lb_model_array(model, i);
    if (view.data) print_array(&view);
  }
}

// ---- worlds ------------------------------------------------------------------------------------

static json_t *write_models_body(const lbWorldDef *w, int32_t i) {
  return json_pack("{s:o, s:i, s:s, s:o, s:o, s:o, s:o}", "name",
                   cli_text(lb_model_text(w->body_names, i)), "model", (int)w->body_models[i],
                   "method", lb_method_name(lb_world_method(w, i)), "position",
                   cli_numbers(w->body_positions + 3 * (size_t)i, 3), "rotation",
                   cli_numbers(w->body_rotations + 4 * (size_t)i, 4), "linear_velocity",
                   cli_numbers(w->body_linear_velocities + 3 * (size_t)i, 3), "angular_velocity",
                   cli_numbers(w->body_angular_velocities + 3 * (size_t)i, 3));
}

static const char *point_name(int32_t kind) { return kind == LB_POINT_VERTEX ? "vertex" : "node"; }

// Settings for viewers; null where not set.
static json_t *view_document(const lbWorldDef *w) {
  double height = 0;
  lbGround ground = lb_world_ground(w, &height);
  return json_pack("{s:o, s:o, s:o, s:o}", "from",
                   w->view_from ? cli_numbers(w->view_from, 3) : json_null(), "at",
                   w->view_at ? cli_numbers(w->view_at, 3) : json_null(), "fov",
                   cli_number(w->view_fov ? w->view_fov[0] : LB_VIEW_FOV), "ground",
                   ground == LB_GROUND_HEIGHT ? cli_number(height)
                   : ground == LB_GROUND_NONE ? json_false()
                                              : json_null());
}

static int32_t substeps_max_of(const lbWorldDef *w) {
  return w->substeps_max ? w->substeps_max[0] : lb_world_settings().substeps_max;
}

static json_t *world_document(const lbWorldDef *w, bool arrays) {
  json_t *bodies = json_array(), *loads = json_array(), *probes = json_array();
  for (int32_t i = 0; i < w->size.body_count; i++)
    json_array_append_new(bodies, write_models_body(w, i));
  for (int32_t i = 0; i < w->size.load_count; i++)
    json_array_append_new(loads,
                          json_pack("{s:i, s:i, s:o, s:o, s:o}", "body", (int)w->load_bodies[i],
                                    point_name(w->load_kinds[i]), (int)w->load_points[i], "force",
                                    cli_numbers(w->load_forces + 3 * (size_t)i, 3), "from",
                                    cli_number(w->load_times[2 * (size_t)i]), "to",
                                    cli_number(w->load_times[2 * (size_t)i + 1])));
  for (int32_t i = 0; i < w->size.probe_count; i++)
    json_array_append_new(probes,
                          json_pack("{s:i, s:i}", "body", (int)w->probe_bodies[i],
                                    point_name(w->probe_kinds[i]), (int)w->probe_points[i]));
  json_t *document = json_pack(
      "{s:o, s:o, s:i, s:i, s:o, s:o, s:o}", "gravity", cli_numbers(w->gravity, 3), "time_step",
      cli_number(w->time_step[0]), "steps", (int)w->step_count[0], "substeps_max",
      (int)substeps_max_of(w), "bodies", bodies, "loads", loads, "probes", probes);
  json_object_set_new(document, "title", w->title ? cli_text(w->title) : json_null());
  json_object_set_new(document, "try", w->hint ? cli_text(w->hint) : json_null());
  json_object_set_new(document, "view", view_document(w));
  if (arrays) json_object_set_new(document, "arrays", world_arrays(w));
  return document;
}

static void print_view(const lbWorldDef *w) {
  double height = 0;
  lbGround ground = lb_world_ground(w, &height);
  if (w->title) cli_say("  title: %s\n", w->title);
  if (w->hint) cli_say("  try: %s\n", w->hint);
  if (w->view_from)
    cli_say("  view from %g %g %g at %g %g %g m, %g degrees\n", w->view_from[0], w->view_from[1],
            w->view_from[2], w->view_at[0], w->view_at[1], w->view_at[2],
            w->view_fov ? w->view_fov[0] : LB_VIEW_FOV);
  if (ground == LB_GROUND_HEIGHT) cli_say("  ground at %g m\n", height);
  if (ground == LB_GROUND_NONE) cli_say("  no ground\n");
}

static void print_world(const lbWorldDef *w, bool arrays) {
  cli_say("world: %d bodies, %d loads, %d probes, %d steps of %g s, gravity %g %g %g m/s2\n",
          (int)w->size.body_count, (int)w->size.load_count, (int)w->size.probe_count,
          (int)w->step_count[0], w->time_step[0], w->gravity[0], w->gravity[1], w->gravity[2]);
  if (w->substeps_max)
    cli_say("  a step that fails is repeated with up to %d substeps\n", (int)w->substeps_max[0]);
  print_view(w);
  for (int32_t i = 0; i < w->size.body_count; i++) {
    const double *x = w->body_positions + 3 * (size_t)i;
    cli_say("  body %s: model %d by %s at %g %g %g m\n", lb_model_text(w->body_names, i),
            (int)w->body_models[i], lb_method_name(lb_world_method(w, i)), x[0], x[1], x[2]);
  }
  for (int32_t i = 0; arrays && i < lb_world_array_count(); i++) {
    lbArrayView view = lb_world_array(w, i);
    if (view.data) print_array(&view);
  }
}

// ---- the file ----------------------------------------------------------------------------------

static json_t *bundle_document(const lbBundle *bundle, bool arrays) {
  json_t *models = json_array();
  for (int32_t i = 0; i < bundle->model_count; i++)
    json_array_append_new(models, model_document(bundle->models[i], arrays));
  return json_pack("{s:s, s:o, s:o}", "kind", "model", "models", models, "world",
                   bundle->world ? world_document(bundle->world, arrays) : json_null());
}

cliStatus cli_model_info(const char *path, bool json, bool arrays) {
  lbError err;
  lbBundle *bundle;
  if (lb_bundle_load(path, &bundle, &err)) return cli_fail_about(path, &err);
  cliStatus result = CLI_OK;
  if (json) {
    result = cli_print_json(bundle_document(bundle, arrays));
  } else {
    for (int32_t i = 0; i < bundle->model_count; i++) print_model(bundle->models[i], arrays);
    if (bundle->world) print_world(bundle->world, arrays);
  }
  lb_bundle_destroy(bundle);
  return result;
}
