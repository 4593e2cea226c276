// Child processes and scratch folders (POSIX).
#include "meshio/program.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static bool is_program(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

char *lb_program_find(const char *name) {
  const char *next = getenv("PATH");
  while (next && *next) {
    size_t length = strcspn(next, ":");
    char *path = lb_alloc(length + strlen(name) + 2, 1);
    if (!path) return NULL;
    memcpy(path, next, length);
    path[length] = '/';
    strcpy(path + length + 1, name);
    // Relative entries are skipped: the program runs in another folder.
    if (path[0] == '/' && is_program(path)) return path;
    lb_free(path);
    next += length + (next[length] == ':');
  }
  return NULL;
}

static int spawn_in(char *const *arguments, const char *folder, const char *log_path,
                    pid_t *child) {
  posix_spawn_file_actions_t actions;
  int failure = posix_spawn_file_actions_init(&actions);
  if (failure) return failure;
  failure = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (!failure)
    failure =
        posix_spawn_file_actions_addopen(&actions, 1, log_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, 1, 2);
  if (!failure) failure = posix_spawn_file_actions_addchdir_np(&actions, folder);
  if (!failure) failure = posix_spawn(child, arguments[0], &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}

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
    if (ended < 0 && errno != EINTR) return; // SIGCHLD is ignored: its files tell
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
  pid_t child = 0;
  int failure = spawn_in(arguments, folder, log_path, &child);
  lb_free(log_path);
  if (failure)
    return lb_fail(err, LB_ERR_FILE, "%s: cannot be run: %s", arguments[0], strerror(failure));
  wait_for(child, time_limit, stage, result);
  return LB_OK;
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
  *folder = path;
  return LB_OK;
}

// Programs leave plain files only; unlinking needs no memory, so this works when it has run out.
void lb_scratch_folder_remove(char *folder) {
  if (!folder) return;
  DIR *directory = opendir(folder);
  if (directory) {
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
      unlinkat(dirfd(directory), entry->d_name, 0); // "." and ".." refuse
    closedir(directory);
  }
  rmdir(folder);
  lb_free(folder);
}

char *lb_scratch_path(const char *folder, const char *name) {
  size_t bytes = strlen(folder) + strlen(name) + 2;
  char *path = lb_alloc(bytes, 1);
  if (path) snprintf(path, bytes, "%s/%s", folder, name);
  return path;
}
