// limber run: simulate a scene headless; write animation, probes, timings.
#include "cli.h"

#include "limber/export.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static json_t *write_run_body(const lbSceneBody *source, const lbRunBody *body) {
  const lbSimulatorState *s = &body->state;
  return json_pack("{s:s, s:s, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o, "
                   "s:o}, s:{s:o, "
                   "s:o}}",
                   "name", source->name, "method", lb_method_name(source->method), "vertices",
                   (int)body->vertices, "elements", (int)body->elements, "dimension",
                   (int)body->dimension, "mass", cli_number(body->mass), "position",
                   cli_numbers(body->position, 3), "rotation", cli_numbers(body->rotation, 4),
                   "linear_velocity", cli_numbers(body->linear_velocity, 3), "angular_velocity",
                   cli_numbers(body->angular_velocity, 3), "centre", cli_numbers(s->centre, 3),
                   "linear_momentum", cli_numbers(s->linear_momentum, 3), "angular_momentum",
                   cli_numbers(s->angular_momentum, 3), "step_us", "median",
                   cli_number(1e6 * body->step_median), "p99", cli_number(1e6 * body->step_p99),
                   "max", cli_number(1e6 * body->step_max), "energy", "kinetic",
                   cli_number(s->kinetic), "elastic", cli_number(s->elastic));
}

static void add_flag(json_t *flags, const lbSceneBody *body, int32_t count, const char *one,
                     const char *many) {
  char text[256];
  if (count == 0) return;
  snprintf(text, sizeof text, "%s: %d %s", body->name, (int)count, count == 1 ? one : many);
  json_array_append_new(flags, json_string(text));
}

static void add_flags(json_t *flags, const lbSceneBody *body, const lbRunBody *run) {
  bool in_parts = run->state.subdivided_count == run->adapted_count;
  add_flag(flags, body, run->not_converged_count, "step did not converge",
           "steps did not converge");
  add_flag(flags, body, run->adapted_count,
           in_parts ? "step was taken in parts"
                    : "step was taken in substeps or by another integrator (adapted)",
           in_parts ? "steps were taken in parts"
                    : "steps were taken in substeps or by another integrator (adapted)");
  add_flag(flags, body, run->jumped_count, "step carried it along a frame that jumped",
           "steps carried it along a frame that jumped");
  add_flag(flags, body, run->nonfinite_count, "step was refused as not finite",
           "steps were refused as not finite");
  add_flag(flags, body, run->state.shift_count, "tangent was indefinite and was shifted",
           "tangents were indefinite and were shifted");
}

static void add_dropped(json_t *flags, int32_t count) {
  char text[128];
  if (count == 0) return;
  snprintf(text, sizeof text, "%d %s more contacts than there is room for: some did not act",
           (int)count, count == 1 ? "step had" : "steps had");
  json_array_append_new(flags, json_string(text));
}

static json_t *guard_document(const lbGuardCounts *guard) {
  return json_pack("{s:I, s:I, s:I}", "restored", (json_int_t)guard->restored, "halved",
                   (json_int_t)guard->halved, "damped", (json_int_t)guard->damped);
}

static void say_count(int64_t count, const char *before, const char *after) {
  if (count == 0) return;
  cli_say("note: %s %lld %s%s\n", before, (long long)count, count == 1 ? "time" : "times", after);
}

// Summed over bodies.
static void say_guard(const lbGuardCounts *guard) {
  say_count(guard->restored, "bodies were restored", " to take a step again");
  say_count(guard->halved, "bodies took a step again", " in twice as many substeps");
  say_count(guard->damped, "bodies were slowed down", " where a step created energy");
}

// The two of a contact or an event, by name.
static json_t *names_of(const lbScene *scene, int32_t body, int32_t other, int32_t collider) {
  const char *second = other >= 0      ? scene->bodies[other].name
                       : collider >= 0 ? scene->colliders[collider].name
                                       : NULL; // the world, or none
  return json_pack("[s, s?]", scene->bodies[body].name, second);
}

static json_t *joints_of(const lbRun *run) {
  json_t *joints = json_array();
  for (int32_t i = 0; i < run->joint_count; i++) {
    const lbRunJoint *j = &run->joints[i];
    json_array_append_new(
        joints, json_pack("{s:s, s:o, s:o, s:o, s:b}", "name", run->scene->joints[i].name, "force",
                          cli_numbers(j->force, 3), "torque", cli_numbers(j->torque, 3), "position",
                          cli_number(j->position), "broken", j->broken));
  }
  return joints;
}

static json_t *event_document(const lbScene *scene, const lbRunEvent *e) {
  static const char *const kinds[LB_RUN_EVENT_KIND_COUNT] = {
    [LB_RUN_BEGIN] = "begin",   [LB_RUN_END] = "end",     [LB_RUN_HIT] = "hit",
    [LB_RUN_BROKEN] = "broken", [LB_RUN_SLEEP] = "sleep", [LB_RUN_WAKE] = "wake",
  };
  json_t *event = json_pack("{s:o, s:s, s:o}", "time", cli_number(e->time), "kind", kinds[e->kind],
                            "bodies", names_of(scene, e->body, e->other, e->collider));
  if (e->kind == LB_RUN_HIT) json_object_set_new(event, "speed", cli_number(e->speed));
  return event;
}

static void add_contacts(const lbRun *run, json_t *result) {
  json_t *contacts = json_array(), *events = json_array();
  for (int32_t i = 0; i < run->contact_count; i++) {
    const lbRunContact *c = &run->contacts[i];
    json_array_append_new(contacts,
                          json_pack("{s:o, s:o, s:o, s:o, s:b}", "bodies",
                                    names_of(run->scene, c->body, c->other, c->collider), "point",
                                    cli_numbers(c->point, 3), "normal", cli_numbers(c->normal, 3),
                                    "force", cli_numbers(c->force, 3), "sliding", c->sliding));
  }
  for (int32_t i = 0; i < run->event_count; i++)
    json_array_append_new(events, event_document(run->scene, &run->events[i]));
  json_object_set_new(result, "contacts", contacts);
  json_object_set_new(result, "joints", joints_of(run));
  json_object_set_new(result, "events", events);
}

static json_t *write_run_document(const lbRun *run) {
  const lbScene *scene = run->scene;
  json_t *bodies = json_array(), *probes = json_array(), *flags = json_array();
  for (int32_t i = 0; i < run->body_count; i++) {
    const lbRunBody *body = &run->bodies[i];
    json_t *one = write_run_body(&scene->bodies[i], body);
    if (scene->contact)
      json_object_set_new(one, "contact_force", cli_numbers(body->contact_force, 3));
    if (body->pose_distance >= 0) {
      json_object_set_new(one, "pose_distance", cli_number(body->pose_distance));
      json_object_set_new(one, "unfollowed_force", cli_number(body->unfollowed_force));
    }
    json_array_append_new(bodies, one);
    add_flags(flags, &scene->bodies[i], body);
  }
  add_dropped(flags, run->dropped_count);
  for (int32_t i = 0; i < scene->probe_count; i++) {
    double rest[3], unused[3];
    const lbSceneBody *body = &scene->bodies[scene->probes[i].body];
    const double *moved =
        run->probes + 3 * ((size_t)run->step_count * (size_t)scene->probe_count + (size_t)i);
    lb_scene_vertex(body, scene->probes[i].vertex, NULL, rest, unused);
    json_array_append_new(probes, cli_probe(scene, i, rest, moved));
  }
  json_t *result = json_pack("{s:i, s:o, s:o, s:o, s:o, s:o}", "steps", (int)run->step_count,
                             "time", cli_number(run->time), "bodies", bodies, "probes", probes,
                             "flags", flags, "guard", guard_document(&run->guard));
  if (scene->contact || scene->joint_count > 0) add_contacts(run, result);
  return result;
}

// -o is a file of a motion if its extension says so, unless it is a folder already.
static bool is_motion_file(const char *output, lbExportFormat *format) {
  lbError unused;
  struct stat there;
  if (!output || lb_export_format(output, format, &unused)) return false;
  return stat(output, &there) != 0 || !S_ISDIR(there.st_mode);
}

static lbStatus write_run_folder(const lbRun *run, const char *folder, json_t *result,
                                 lbError *err) {
  char path[4200]; // the folder exists, so its name is no longer than the system's limit
  double error = 0;
  lbStatus status = LB_OK;
  snprintf(path, sizeof path, "%s/probes.csv", folder);
  status = lb_run_write_probes(run, path, err);
  snprintf(path, sizeof path, "%s/animation.glb", folder);
  if (!status) status = lb_run_write_animation(run, path, &error, err);
  json_object_set_new(result, "animation_error_m", cli_number(error));
  snprintf(path, sizeof path, "%s/run.json", folder);
  if (!status) status = cli_write_json(result, path, err);
  return status;
}

// A lone model: what was chosen for it is said.
static void tell_choices(const lbScene *scene, const lbRunDef *def) {
  if (!scene->bundle || scene->bundle->world) return;
  lb_log(LB_LOG_INFO,
         "%s: a model alone is released under 9.81 m/s2 along -%c, %d steps of 1/120 s",
         scene->path, scene->bodies[0].up,
         (int)(def->step_count >= 0 ? def->step_count : scene->step_count));
}

// Of a time in microseconds: reduced steps take less than one, full ones many thousand.
static int decimals(double seconds) { return seconds < 1e-5 ? 3 : seconds < 1e-3 ? 1 : 0; }

static void print_run_text(const lbRun *run, const json_t *result, const char *folder,
                           const char *file) {
  enum { MOST = 20 }; // bodies that are listed
  cli_say("%d steps, %.6g s\n", (int)run->step_count, run->time);
  for (int32_t i = 0; i < run->body_count && i < MOST; i++) {
    const lbRunBody *b = &run->bodies[i];
    cli_say("body %s (%s): %d vertices, %d elements, %d unknowns, %.6g kg\n"
            "  step %.*f us median, %.*f us p99, %.*f us at most\n"
            "  kinetic energy %.6g J, elastic energy %.6g J\n",
            run->scene->bodies[i].name, lb_method_name(run->scene->bodies[i].method),
            (int)b->vertices, (int)b->elements, (int)b->dimension, b->mass,
            decimals(b->step_median), 1e6 * b->step_median, decimals(b->step_p99),
            1e6 * b->step_p99, decimals(b->step_max), 1e6 * b->step_max, b->state.kinetic,
            b->state.elastic);
  }
  if (run->body_count > MOST)
    cli_say("and %d more bodies, all of them in --json\n", (int)run->body_count - MOST);
  for (int32_t i = 0; i < run->scene->probe_count; i++) {
    const double *u =
        run->probes + 3 * ((size_t)run->step_count * (size_t)run->scene->probe_count + (size_t)i);
    cli_say("probe %s vertex %d: displacement %.9g %.9g %.9g m\n",
            run->scene->bodies[run->scene->probes[i].body].name, (int)run->scene->probes[i].vertex,
            u[0], u[1], u[2]);
  }
  size_t index;
  json_t *flag;
  json_array_foreach(json_object_get(result, "flags"), index, flag)
      cli_say("note: %s\n", json_string_value(flag));
  say_guard(&run->guard);
  if (folder)
    cli_say("written: %s/animation.glb, %s/probes.csv, %s/run.json\n", folder, folder, folder);
  if (file) cli_say("written: %s, %d frames\n", file, (int)run->frame_count);
}

// A surface alone cannot be simulated; build, view and render make a model of it first.
static lbStatus check_volume(const lbScene *scene, lbError *err) {
  const lbMesh *mesh = scene->body_count == 1 ? scene->bodies[0].mesh : NULL;
  if (lb_path_has_extension(scene->path, ".json") || !mesh || lb_mesh_element_count(mesh) > 0)
    return LB_OK;
  return lb_fail(err, LB_ERR_MESH,
                 "%s: is a surface; make a model of it first: limber build %s -o model.glb, then "
                 "limber run model.glb",
                 scene->path, scene->path);
}

static cliStatus run_verb(int count, char **words) {
  const char *folder = NULL, *file = NULL, *probes = NULL;
  lbExportFormat format = LB_EXPORT_GLB;
  double frame_rate = 60;
  bool has_count = false, had_folder = false;
  lbRunDef def = lb_run_def();
  cliMaterial material = cli_material();
  const cliOption options[] = {
    { "o", CLI_TEXT, &folder, NULL, "DIR|FILE",
      "write animation.glb, probes.csv, run.json there; or the\nmotion alone, as a file that ends "
      "in "
      ".usda, .mdd or another\nextension of `limber export`" },
    { "probes", CLI_TEXT, &probes, NULL, "FILE.csv",
      "write the probes' displacements, one row for each step" },
    { "count", CLI_INTEGER, &def.step_count, &has_count, "N", "steps, instead of the scene's" },
    { "frame_rate", CLI_NUMBER, &frame_rate, NULL, "HZ",
      "frames per second of what -o writes (60)" },
    { 0 },
  };
  cliArguments arguments;
  cliStatus result = cli_parse(&cli_run, options, count, words, &arguments);
  if (result || arguments.common.help) return result;
  if ((result = cli_one_input(&cli_run, &arguments))) return result;
  if (!(frame_rate > 0))
    return cli_usage(&cli_run, "--frame_rate is %g, it must be positive", frame_rate);
  if (has_count && def.step_count < 0)
    return cli_usage(&cli_run, "--count is %d, it must be 0 or more", (int)def.step_count);

  lbError err;
  lbScene *scene = NULL;
  lbRun *run = NULL;
  json_t *output = NULL;
  lbStatus status = cli_load_scene(arguments.inputs[0], &material, &scene, &err);
  if (!status) status = check_volume(scene, &err);
  if (!status) tell_choices(scene, &def);
  if (!status && !has_count && scene->step_count == 0)
    lb_log(LB_LOG_WARNING,
           "%s: there is no step to take; give --count N or \"time\": { \"count\": N }",
           scene->path);
  if (is_motion_file(folder, &format)) {
    file = folder;
    folder = NULL;
    def.volume_frames = format == LB_EXPORT_PVD || format == LB_EXPORT_VTU;
  }
  had_folder = folder && lb_file_exists(folder);
  if (!status && folder) status = lb_directory_make(folder, &err);
  def.frame_rate = folder || file ? frame_rate : 0;
  if (!status) status = lb_run(scene, &def, &run, &err);
  if (!status) output = write_run_document(run);
  if (!status && probes) status = lb_run_write_probes(run, probes, &err);
  if (!status && folder) status = write_run_folder(run, folder, output, &err);
  if (!status && file) status = lb_run_write_sequence(run, -1, file, &err);
  cli_finish_progress();
  if (status && folder && !had_folder) remove(folder); // only where nothing was written into it
  if (status)
    result = cli_fail_about(arguments.inputs[0], &err);
  else if (arguments.common.json)
    result = cli_print_json(json_incref(output));
  else
    print_run_text(run, output, folder, file);
  json_decref(output);
  lb_run_destroy(run);
  lb_scene_destroy(scene);
  return result;
}

const cliVerb cli_run = {
  "run",
  "simulate a scene or model headless; write animation, probes, timings",
  "limber run SCENE.json|COOKED.glb|MODEL.glb [options]",
  "Steps every body of the scene from t = 0. Without -o and --probes nothing is written.\n"
  "animation.glb plays in Blender and in any glTF viewer. A model alone is released under\n"
  "gravity (9.81 m/s2 along its down axis) for 240 steps of 1/120 s.\n"
  "In a scene with \"ground\", \"colliders\" or \"contact\" bodies touch, \"joints\" hold them\n"
  "together (docs/scene.md); --json then tells contacts, their forces, joints and events.\n",
  "  limber run scenes/bar.json -o out\n"
  "  limber run scenes/bar.json --probes tip.csv --json\n"
  "  limber run scenes/stack.json --json\n"
  "  limber run scenes/shaken-bar.json -o bar.usda\n"
  "  limber run bunny.glb --count 480 -o out",
  run_verb,
};
