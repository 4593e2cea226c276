// Waiting for programs, and scratch folders (POSIX).
#include "meshio/program.h"

#include "limber/file.h"
#include "limber/process.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void end_child(pid_t child) {
  kill(child, SIGKILL);
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
}

// Looks every hundredth of a second, so that the time limit and the progress hook are obeyed.
static void wait_for(pid_t child, double time_limit, const char *stage, lbProgramResult *result) {
  double start = lb_seconds();
  for (;;) {
    int state = 0;
    pid_t ended = waitpid(child, &state, WNOHANG);
    result->seconds = lb_seconds() - start;
    if (ended == child) {
      result->exit_code = WIFEXITED(state) ? WEXITSTATUS(state) : -1;
      return;
    }
    if (ended < 0 && errno != EINTR) return; // SIGCHLD is ignored: its files show the result
    result->timed_out = result->seconds > time_limit;
    result->interrupted = !lb_progress(stage, 1 - exp(-result->seconds / 10));
    if (result->timed_out || result->interrupted) {
      end_child(child);
      return;
    }
    nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
  }
}

lbStatus lb_program_run(char *const *arguments, const char *folder, double time_limit,
                        const char *stage, lbProgramResult *result, lbError *err) {
  char *log_path = lb_scratch_path(folder, "log");
  if (!log_path) return lb_fail_memory(err);
  *result = (lbProgramResult){ 0 };
  lbProcessDef def = lb_process_def();
  def.words = (const char *const *)arguments;
  def.folder = folder;
  def.output = def.errors = open(log_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  lb_free(log_path);
  int child = 0;
  lbStatus status = lb_process_start(&def, &child, err);
  if (def.output >= 0) close(def.output);
  if (!status) wait_for(child, time_limit, stage, result);
  return status;
}

// ---- scratch folders ---------------------------------------------------------------------------

lbStatus lb_scratch_folder_make(char **folder, lbError *err) {
  const char *parent = getenv("TMPDIR");
  if (!parent || !*parent) parent = "/tmp";
  char *path = lb_scratch_path(parent, "limber-XXXXXX");
  if (!path) return lb_fail_memory(err);
  if (!mkdtemp(path)) {
    lbStatus status = lb_fail(err, LB_ERR_FILE, "%s: cannot make a scratch folder here: %s", parent,
                              strerror(errno));
    lb_free(path);
    return status;
  }
  lb_unfinished_add(path);
  *folder = path;
  return LB_OK;
}

// Programs leave plain files only; unlinking needs no memory, so this works when it has run out.
void lb_scratch_folder_remove(char *folder) {
  if (!folder) return;
  lb_folder_remove(folder);
  lb_unfinished_done(folder);
  lb_free(folder);
}

char *lb_scratch_path(const char *folder, const char *name) {
  size_t bytes = strlen(folder) + strlen(name) + 2;
  char *path = lb_alloc(bytes, 1);
  if (path) snprintf(path, bytes, "%s/%s", folder, name);
  return path;
}
