// limber render: pictures and videos without a window.
#include "cli.h"

#include "apps/viewer/desktop/open.h"
#include "apps/viewer/desktop/render.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct RenderOptions {
  vwRenderDef def;
  double time, camera[3], at[3];
  bool has_time, has_from, has_to, has_camera, has_at, wireframe;
  const char *map, *set;
  char settings[4096];
} RenderOptions;

static lbVec3 vector(const double *p) { return lb_vec3(p[0], p[1], p[2]); }

// --map and --wireframe are settings too; what --set says comes last and wins.
static cliStatus join_settings(RenderOptions *options) {
  int length = snprintf(options->settings, sizeof options->settings, "%s%s%s%s%s",
                        options->map ? "map=" : "", options->map ? options->map : "",
                        options->wireframe ? "&wireframe=1" : "", options->set ? "&" : "",
                        options->set ? options->set : "");
  if (length < 0 || (size_t)length >= sizeof options->settings)
    return cli_usage(&cli_render, "--set is too long");
  options->def.settings = options->settings;
  return CLI_OK;
}

static cliStatus finish_options(RenderOptions *options) {
  vwRenderDef *def = &options->def;
  static const char *const maps[] = { "displacement", "speed", "stress", "pressure", "weights" };
  bool known = !options->map;
  for (int i = 0; i < 5 && !known; i++) known = !strcmp(options->map, maps[i]);
  if (!known)
    return cli_usage(&cli_render,
                     "--map is %s, it must be displacement, speed, stress, pressure or weights",
                     options->map);
  if (!def->output) return cli_usage(&cli_render, "name the picture or video with -o");
  bool is_picture = lb_path_has_extension(def->output, ".png");
  if (is_picture && (options->has_from || options->has_to))
    return cli_usage(&cli_render, "--from and --to are for videos; a picture has --time");
  if (!is_picture && options->has_time)
    return cli_usage(&cli_render, "--time is for pictures; a video has --from and --to");
  if (options->has_time) def->to = options->time;
  if (options->has_camera) def->camera = vector(options->camera);
  if (options->has_at) def->at = vector(options->at);
  return join_settings(options);
}

static cliStatus print_report(const vwRenderDef *def, const vwRenderReport *report, double spent,
                              bool json) {
  if (json)
    return cli_print_json(json_pack(
        "{s:o, s:i, s:i, s:I, s:I, s:o, s:o, s:s}", "file", cli_path(def->output), "width",
        (int)def->width, "height", (int)def->height, "frames", (json_int_t)report->frames, "steps",
        (json_int_t)report->steps, "seconds", cli_number(report->seconds), "spent_seconds",
        cli_number(spent), "device", report->device));
  if (report->frames == 1)
    cli_say("written: %s, %d x %d\n", def->output, (int)def->width, (int)def->height);
  else
    cli_say("written: %s, %d x %d, %lld frames\n", def->output, (int)def->width, (int)def->height,
            (long long)report->frames);
  if (report->flags & (LB_STEP_NONFINITE | LB_STEP_NOT_CONVERGED))
    cli_say("some steps did not converge; shorter ones may help: --set rate=...\n");
  return CLI_OK;
}

static cliStatus render(const vwRenderDef *def, const char *path, bool json) {
  lbError err;
  vwRender *job = NULL;
  lbBundle *bundle = NULL;
  vwRenderReport report;
  double begin = lb_seconds();
  lbStatus status = vw_render_begin(def, &job, &err);
  if (status == LB_ERR_ARGUMENT) return cli_usage(&cli_render, "%s", err.text);
  if (status) return cli_fail(&err);
  status = vw_open(path, &bundle, &err);
  if (!status) status = vw_render_run(job, bundle, &report, &err);
  vw_render_destroy(job);
  cli_finish_progress();
  if (status) return cli_fail_about(path, &err);
  return print_report(def, &report, lb_seconds() - begin, json);
}

static cliStatus run(int count, char **words) {
  RenderOptions o = { .def = vw_render_def() };
  const cliOption options[] = {
    { "o", CLI_TEXT, &o.def.output, NULL, "OUT",
      "what to write; its extension tells the kind: .png, .mp4,\n.webm, .gif, .webp" },
    { "width", CLI_INTEGER, &o.def.width, NULL, "PIXELS", "of the picture (1280)" },
    { "height", CLI_INTEGER, &o.def.height, NULL, "PIXELS", "of the picture (720)" },
    { "samples", CLI_INTEGER, &o.def.samples, NULL, "N", "of anti-aliasing, 1 to 8 (4)" },
    { "time", CLI_NUMBER, &o.time, &o.has_time, "S",
      "a picture's moment, simulated from the beginning (0)" },
    { "from", CLI_NUMBER, &o.def.from, &o.has_from, "S", "a video's beginning (0)" },
    { "to", CLI_NUMBER, &o.def.to, &o.has_to, "S", "a video's end (the scene's own, or 4)" },
    { "fps", CLI_NUMBER, &o.def.fps, NULL, "HZ", "a video's frames a second (30)" },
    { "camera", CLI_NUMBERS3, o.camera, &o.has_camera, "X,Y,Z", "where the eye is, m" },
    { "at", CLI_NUMBERS3, o.at, &o.has_at, "X,Y,Z", "what it looks at, m" },
    { "fov", CLI_NUMBER, &o.def.fov, NULL, "DEGREES", "angle of view, from bottom to top (35)" },
    { "azimuth", CLI_NUMBER, &o.def.azimuth, NULL, "DEGREES",
      "seen from: 0 the front, 90 the right" },
    { "elevation", CLI_NUMBER, &o.def.elevation, NULL, "DEGREES", "seen from above the horizon" },
    { "zoom", CLI_NUMBER, &o.def.zoom, NULL, "X", "so many times nearer (1)" },
    { "map", CLI_TEXT, &o.map, NULL, "WHAT",
      "colours by displacement, speed, stress, pressure (of contacts) or weights (of a frame)" },
    { "wireframe", CLI_FLAG, &o.wireframe, NULL, NULL, "draw the edges of the triangles" },
    { "set", CLI_TEXT, &o.set, NULL, "NAME=VALUE,...",
      "settings of the viewer, as in share links: speed=0.25,sky=off" },
    { 0 },
  };
  cliArguments arguments;
  cliStatus result = cli_parse(&cli_render, options, count, words, &arguments);
  if (result || arguments.common.help) return result;
  if ((result = cli_one_input(&cli_render, &arguments))) return result;
  if ((result = finish_options(&o))) return result;
  o.def.full = true;
  o.def.loosen = lb_build_free;
  return render(&o.def, arguments.inputs[0], arguments.common.json);
}

const cliVerb cli_render = {
  "render",
  "a picture or a video of a scene, model or mesh, without a display",
  "limber render X -o OUT [options]",
  "X is what limber view takes: a scene (.json), a model or cooked file (.glb), or a mesh or\n"
  "surface, for which a model is built first. Times are simulated seconds. Frames are a fixed "
  "time\n"
  "apart: the same command gives the same pictures. Videos are made by the program ffmpeg.\n",
  "  limber render scenes/bridge.json -o bridge.png\n"
  "  limber render scenes/spoon.json -o spoon.mp4 --to 2 --set speed=0.5\n"
  "  limber render scenes/bar.json -o bar.png --time 0.3 --map stress --azimuth 30",
  run,
};
