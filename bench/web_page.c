// Opening a page in Chromium and hearing its reports.
#include "bench/web_page.h"

#include "limber/process.h"
#include "meshio/program.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// ---- the browser -------------------------------------------------------------------------------

static bool find_browser(char path[LB_PROGRAM_PATH]) {
  static const char *const names[] = { "chromium", "chromium-browser", "google-chrome" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (lb_program_find(names[i], false, path)) return true;
  return false;
}

static lbStatus start_browser(const char *profile, const char *address, int *child, lbError *err) {
  char folder[512], browser[LB_PROGRAM_PATH];
  if (!find_browser(browser))
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "no chromium on the PATH: install the Debian package chromium");
  snprintf(folder, sizeof folder, "--user-data-dir=%s", profile);
  // The sandbox needs rights that containers lack; the only page opened is our own.
  const char *arguments[] = { browser,
                              "--headless=new",
                              "--no-sandbox",
                              "--use-gl=angle",
                              "--use-angle=swiftshader",
                              "--enable-unsafe-swiftshader",
                              "--disable-background-networking",
                              "--disable-component-update",
                              "--disable-sync",
                              "--disable-breakpad",
                              "--no-first-run",
                              folder,
                              address,
                              NULL };
  lbProcessDef def = lb_process_def();
  def.words = arguments;
  return lb_process_start(&def, child, err);
}

static bool has_ended(pid_t child) {
  pid_t ended = waitpid(child, NULL, WNOHANG);
  return ended == child || (ended < 0 && errno != EINTR);
}

static void pause_shortly(void) { nanosleep(&(struct timespec){ 0, 20000000 }, NULL); }

// Asks it to end; after two seconds it must. Its helpers end with its process group.
static void stop_browser(pid_t child, bool ended) {
  double start = lb_seconds();
  if (!ended) kill(child, SIGTERM);
  while (!ended && lb_seconds() - start < 2) {
    pause_shortly();
    ended = has_ended(child);
  }
  kill(-child, SIGKILL);
  if (!ended)
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place) {
  (void)info, (void)kind, (void)place;
  return remove(path) != 0 && errno != ENOENT;
}

// A helper on its way out may still write: again until it is gone, for a second at most.
static void remove_profile(const char *profile) {
  for (int i = 0; i < 50; i++) {
    if (nftw(profile, remove_entry, 16, FTW_DEPTH | FTW_PHYS) == 0) return;
    if (access(profile, F_OK) != 0) return;
    pause_shortly();
  }
}

// ---- reports -----------------------------------------------------------------------------------

typedef struct Visit {
  const benchPage *page;
  pthread_mutex_t mutex;
  bool done;
} Visit;

static bool take_report(const char *path, const void *bytes, size_t byte_count, void *context) {
  Visit *visit = context;
  char text[256];
  size_t length = byte_count < sizeof text - 1 ? byte_count : sizeof text - 1;
  if (length) memcpy(text, bytes, length);
  text[length] = '\0';
  pthread_mutex_lock(&visit->mutex);
  bool wanted = !visit->done;
  pthread_mutex_unlock(&visit->mutex);
  const char *what = strrchr(path, '/');
  bool more = wanted && visit->page->report(what ? what + 1 : path, text, visit->page->context);
  pthread_mutex_lock(&visit->mutex);
  visit->done |= !more;
  pthread_mutex_unlock(&visit->mutex);
  return wanted;
}

static bool is_done(Visit *visit) {
  pthread_mutex_lock(&visit->mutex);
  bool done = visit->done;
  pthread_mutex_unlock(&visit->mutex);
  return done;
}

static lbStatus wait_for_reports(Visit *visit, pid_t child, bool *ended, lbError *err) {
  double start = lb_seconds();
  while (!is_done(visit)) {
    double seconds = lb_seconds() - start;
    *ended = *ended || has_ended(child);
    if (*ended && !is_done(visit))
      return lb_fail(err, LB_ERR_UNSUPPORTED, "the browser ended before the page had reported");
    if (seconds > visit->page->seconds_max)
      return lb_fail(err, LB_ERR_UNSUPPORTED, "the page had not reported all after %.0f s",
                     seconds);
    if (!lb_progress("page", seconds / visit->page->seconds_max))
      return lb_fail_interrupted(err, "page");
    pause_shortly();
  }
  return LB_OK;
}

static lbStatus visit_served(Visit *visit, const char *address, lbError *err) {
  char *folder = NULL, *profile = NULL;
  bool ended = false;
  int child = 0;
  lbStatus status = lb_scratch_folder_make(&folder, err);
  if (status) return status;
  profile = lb_scratch_path(folder, "profile");
  status = profile ? start_browser(profile, address, &child, err) : lb_fail_memory(err);
  if (!status) {
    status = wait_for_reports(visit, child, &ended, err);
    stop_browser(child, ended);
  }
  if (profile) remove_profile(profile);
  lb_free(profile);
  lb_scratch_folder_remove(folder);
  return status;
}

lbStatus bench_page_visit(const benchPage *page, lbError *err) {
  Visit visit = { .page = page, .mutex = PTHREAD_MUTEX_INITIALIZER };
  vwServerDef def = vw_server_def();
  vwServer *server = NULL;
  char address[256];
  def.folder = page->folder;
  def.files = page->files, def.file_count = page->file_count;
  def.report = take_report, def.context = &visit;
  lbStatus status = vw_server_start(&def, &server, err);
  if (status) return status;
  snprintf(address, sizeof address, "%s%s", vw_server_url(server), page->query);
  status = visit_served(&visit, address, err);
  vw_server_stop(server);
  return status;
}

bool bench_page_find(const char *name, const char *file, char *folder, size_t capacity,
                     double *file_bytes) {
  char program[400] = "", path[700];
  struct stat info;
  if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) program[0] = '\0';
  char *end = strrchr(program, '/');
  if (end) *end = '\0';
  for (int i = 0; i < 2; i++) {
    snprintf(folder, capacity, "%s%s%s", i ? "" : program, i ? "" : "/../", name);
    snprintf(path, sizeof path, "%s/%s", folder, file);
    if (stat(path, &info) == 0) {
      *file_bytes = (double)info.st_size;
      return true;
    }
  }
  return false;
}
