// limber view: the interactive window, or the same in a web page.
#include "cli.h"

#include "apps/viewer/view/assign.h"
#include "apps/viewer/serve/serve.h"
#include "apps/viewer/desktop/window.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct ViewOptions {
  bool web, no_open, no_panel;
  int32_t port, width, height;
  double seconds;
  const char *set, *state;
} ViewOptions;

static volatile sig_atomic_t stopped;
static void stop_server_by_signal(int signal_number) { stopped = signal_number; }

// ---- the window --------------------------------------------------------------------------------

static lbStatus find_gallery(const cliArguments *arguments, vwGallery **gallery, lbError *err) {
  const char *input = arguments->input_count ? arguments->inputs[0] : NULL;
  struct stat about;
  if (input && !stat(input, &about) && S_ISDIR(about.st_mode))
    return vw_gallery_load(input, gallery, err);
  if (input) return vw_gallery_of_file(input, gallery, err);
  char folder[4096];
  lbStatus status = cli_data_folder("scenes", "share/limber/scenes", folder, sizeof folder, err);
  return status ? status : vw_gallery_load(folder, gallery, err);
}

static json_t *report_document(const vwWindowReport *report) {
  json_t *document = json_object();
  json_object_set_new(document, "title", json_string(report->title));
  json_object_set_new(document, "frames", json_integer(report->frames));
  json_object_set_new(document, "steps", json_integer(report->steps));
  json_object_set_new(document, "seconds", cli_number(report->seconds));
  json_object_set_new(document, "width", json_integer(report->width));
  json_object_set_new(document, "height", json_integer(report->height));
  json_object_set_new(document, "opened", json_integer(report->opened));
  json_object_set_new(document, "refused", json_integer(report->refused));
  json_object_set_new(document, "saved", json_integer(report->saved));
  json_object_set_new(document, "grabs", json_integer(report->grabs));
  json_object_set_new(document, "holding", json_integer(report->holding));
  json_object_set_new(document, "pins", json_integer(report->pins));
  json_object_set_new(document, "largest_pull", cli_number(report->largest_pull));
  json_object_set_new(document, "largest_force", cli_number(report->largest_force));
  json_object_set_new(document, "panel", json_boolean(report->panel));
  json_object_set_new(document, "help", json_boolean(report->help));
  json_object_set_new(document, "note", json_string(report->note));
  json_object_set_new(document, "link", json_string(report->link));
  json_object_set_new(document, "device", json_string(report->device));
  return document;
}

typedef struct StateFile { // --state
  const char *path;        // NULL: none
  double written;          // when it was
} StateFile;

// Ten times a second at most; a disk that is full must not end the window.
static void write_state(const vwWindowReport *report, void *context) {
  StateFile *state = context;
  if (!state->path || lb_seconds() - state->written < 0.1) return;
  json_t *document = report_document(report);
  (void)cli_write_json(document, state->path, NULL);
  json_decref(document);
  state->written = lb_seconds();
}

static bool is_stopped(void *context) {
  (void)context;
  return stopped != 0;
}

static cliStatus show_window(const ViewOptions *options, const cliArguments *arguments) {
  vwWindowDef def = vw_window_def();
  def.width = options->width;
  def.height = options->height;
  def.panel = !options->no_panel;
  def.seconds = options->seconds;
  def.settings = options->set;
  def.viewer.stage.full = true;
  def.viewer.stage.loosen = lb_build_free;
  StateFile state = { .path = options->state };
  def.stopped = is_stopped;
  def.tell = write_state;
  def.context = &state;
  cli_catch_end(stop_server_by_signal);
  lbError err;
  vwGallery *gallery = NULL;
  vwWindowReport report;
  lbStatus status = find_gallery(arguments, &gallery, &err);
  def.gallery = gallery;
  if (!status) status = vw_window_run(&def, &report, &err);
  vw_gallery_destroy(gallery);
  cli_finish_progress();
  if (status && arguments->input_count) return cli_fail_about(arguments->inputs[0], &err);
  if (status) return cli_fail(&err);
  return arguments->common.json ? cli_print_json(report_document(&report)) : CLI_OK;
}

// ---- the page ----------------------------------------------------------------------------------

static void wait_for_end(double seconds) {
  cli_catch_end(stop_server_by_signal);
  double begin = lb_seconds();
  while (!stopped && !(seconds > 0 && lb_seconds() - begin > seconds)) usleep(50000);
}

static void remove_made(char *made) {
  if (!made[0]) return;
  unlink(made);
  lb_unfinished_done(made);
  made[0] = '\0';
}

// The page reads models and cooked files; anything else is made into one first.
static lbStatus make_servable(const char *path, char *made, size_t size, lbError *err) {
  made[0] = '\0';
  if (lb_model_is_model_file(path)) return LB_OK;
  const char *folder = getenv("TMPDIR");
  snprintf(made, size, "%s/limber-XXXXXX.glb", folder && *folder ? folder : "/tmp");
  int file = mkstemps(made, 4);
  if (file < 0) return lb_fail(err, LB_ERR_FILE, "%s: cannot make a temporary file", made);
  close(file);
  lb_unfinished_add(made);
  lbStatus status = vw_open_to_file(path, made, err);
  if (status) remove_made(made);
  return status;
}

static void page_address(const vwServer *server, const vwServerFile *file, const char *set,
                         char *url, size_t size) {
  char name[2048] = "";
  if (file && !vw_url_encode(file->name, name, sizeof name)) name[0] = '\0';
  snprintf(url, size, "%s%s%s%s%s", vw_server_url(server), name[0] || set ? "#" : "",
           name[0] ? "open=" : "", name, "");
  size_t begin = strlen(url);
  if (set) snprintf(url + begin, size - begin, "%s%s", name[0] ? "&" : "", set);
  for (char *c = url + begin; *c; c++)
    if (*c == ',') *c = '&'; // as links have it
}

static lbStatus serve(const ViewOptions *options, const vwServerFile *file, bool quiet,
                      lbError *err) {
  char folder[4096], url[8192];
  lbStatus status = cli_data_folder("web/dist", "share/limber/web", folder, sizeof folder, err);
  if (status) {
    char scenes[4096];
    bool installed = cli_data_folder("scenes", "scenes", scenes, sizeof scenes, NULL) != LB_OK;
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   installed
                       ? "the web page was not installed: in limber's source folder run: make "
                         "web, then install again"
                       : "the web page is not built; run: make web");
  }
  vwServerDef def = vw_server_def();
  def.folder = folder;
  def.port = options->port;
  def.files = file;
  def.file_count = file ? 1 : 0;
  vwServer *server = NULL;
  if ((status = vw_server_start(&def, &server, err))) return status;
  page_address(server, file, options->set, url, sizeof url);
  if (!quiet) cli_say("%s\nCtrl-C ends it\n", url), fflush(stdout);
  lbError browser;
  if (!options->no_open && vw_open_browser(url, &browser) && !quiet) cli_note("%s", browser.text);
  wait_for_end(options->seconds);
  vw_server_stop(server);
  return LB_OK;
}

static cliStatus show_page(const ViewOptions *options, const cliArguments *arguments) {
  lbError err;
  char made[512] = "", name[512] = "";
  const char *path = arguments->input_count ? arguments->inputs[0] : NULL;
  lbStatus status = path ? make_servable(path, made, sizeof made, &err) : LB_OK;
  cli_finish_progress();
  if (!status && path) {
    const char *last = strrchr(path, '/');
    snprintf(name, sizeof name, "open/%s%s", last ? last + 1 : path, made[0] ? ".glb" : "");
  }
  vwServerFile file = { .name = name, .path = made[0] ? made : path };
  if (!status) status = serve(options, path ? &file : NULL, arguments->common.quiet, &err);
  remove_made(made);
  if (!status) return CLI_OK;
  return path ? cli_fail_about(path, &err) : cli_fail(&err);
}

// ---- the verb ----------------------------------------------------------------------------------

static cliStatus run_view(int count, char **words) {
  ViewOptions view = { .width = 1280, .height = 800 };
  const cliOption options[] = {
    { "web", CLI_FLAG, &view.web, NULL, NULL, "serve the web page on this machine and open it" },
    { "port", CLI_INTEGER, &view.port, NULL, "N", "with --web: its port (any free one)" },
    { "no-open", CLI_FLAG, &view.no_open, NULL, NULL, "with --web: do not start a browser" },
    { "width", CLI_INTEGER, &view.width, NULL, "PIXELS", "of the window (1280)" },
    { "height", CLI_INTEGER, &view.height, NULL, "PIXELS", "of the window (800)" },
    { "no-panel", CLI_FLAG, &view.no_panel, NULL, NULL, "begin without the panel; Tab brings it" },
    { "set", CLI_TEXT, &view.set, NULL, "NAME=VALUE,...",
      "settings to begin with, as in share links: speed=0.25,map=stress" },
    { "seconds", CLI_NUMBER, &view.seconds, NULL, "S", "close by itself after so long" },
    { "state", CLI_TEXT, &view.state, NULL, "FILE.json",
      "keep the summary that --json prints in a file, for tests and tools" },
    { 0 },
  };
  cliArguments arguments;
  cliStatus result = cli_parse(&cli_view, options, count, words, &arguments);
  if (result || arguments.common.help) return result;
  if (arguments.input_count > 1) return cli_usage(&cli_view, "one scene, model or mesh at a time");
  if (view.width < 1 || view.width > 16384 || view.height < 1 || view.height > 16384)
    return cli_usage(&cli_view, "--width and --height must be 1 to 16384");
  if (view.port < 0 || view.port > 65535) return cli_usage(&cli_view, "--port must be 0 to 65535");
  if (!(view.seconds >= 0)) return cli_usage(&cli_view, "--seconds must be 0 or more");
  lbError err;
  if (vw_assign_check(view.set, &err)) return cli_usage(&cli_view, "--%s", err.text);
  return view.web ? show_page(&view, &arguments) : show_window(&view, &arguments);
}

const cliVerb cli_view = {
  "view",
  "view a scene, model or mesh and pull on it; without one: the gallery",
  "limber view [X] [options]",
  "X is a scene (.json), a model or cooked file (.glb), a mesh or surface, for which a model is\n"
  "built first, or a folder with a gallery.json. Drag a body to pull it, drag beside it to turn "
  "the\n"
  "camera; ? lists the keys. l releases the supports of an object and drops it on the ground.\n"
  "--web serves the same as a web page, on this machine alone.\n"
  "With --json the window prints a summary when it is closed.\n",
  "  limber view\n"
  "  limber view scenes/bridge.json\n"
  "  limber view scenes/spoon.json --set map=stress,speed=0.25\n"
  "  limber view --web",
  run_view,
};
