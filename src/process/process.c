// Starting programs. A fork copies a process with threads at an arbitrary moment, and a child of
// that can hang on a lock held by a thread that the child lacks; vfork lends it this process's
// memory until it has become the other program, and what it does meanwhile are plain system calls.
#include "limber/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

extern char **environ;

// ---- finding programs --------------------------------------------------------------------------

static bool is_program(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

static bool is_program_in(const char *folder, size_t length, const char *name, char *path) {
  if (length + strlen(name) + 2 > LB_PROGRAM_PATH) return false;
  memmove(path, folder, length);
  path[length] = '/';
  strcpy(path + length + 1, name);
  return path[0] == '/' && is_program(path); // a relative one may be meant for another folder
}

static bool is_beside(const char *name, char *path) {
  ssize_t length = readlink("/proc/self/exe", path, LB_PROGRAM_PATH - 1);
  while (length > 0 && path[length - 1] != '/') length--;
  return length > 0 && is_program_in(path, (size_t)length - 1, name, path);
}

bool lb_program_find(const char *name, bool beside, char path[LB_PROGRAM_PATH]) {
  if (beside && is_beside(name, path)) return true;
  for (const char *next = getenv("PATH"); next && *next;) {
    size_t length = strcspn(next, ":");
    if (is_program_in(next, length, name, path)) return true;
    next += length + (next[length] == ':');
  }
  return false;
}

// ---- starting ----------------------------------------------------------------------------------

lbProcessDef lb_process_def(void) {
  return (lbProcessDef){ .input = -1, .output = -1, .errors = -1 };
}

typedef struct Start {
  const lbProcessDef *def;
  int ends[3]; // copies of the three descriptors, above 2
  pid_t parent;
  volatile int error; // the child writes it: errno of what failed
} Start;

// In the child. Returns only when it cannot become the program.
static void become(Start *start) {
  struct sigaction usual = { .sa_handler = SIG_DFL };
  sigset_t none;
  for (int i = 1; i < NSIG; i++) sigaction(i, &usual, NULL); // some refuse
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != start->parent) _exit(127); // the parent has ended before the line above
#endif
  setpgid(0, 0);
  for (int i = 0; i < 3; i++)
    if (dup2(start->ends[i], i) < 0) return;
  if (start->def->folder && chdir(start->def->folder) != 0) return;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  // The words are not changed; the type is older than const.
  execve(start->def->words[0], (char *const *)start->def->words, environ);
}

// A handler of this process must not run in the child, which has the same memory.
static pid_t start_child(Start *start) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t child = vfork();
  if (child == 0) {
    become(start);
    start->error = errno;
    _exit(127);
  }
  if (child < 0) start->error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return child;
}

static bool copy_ends(Start *start) {
  const int given[3] = { start->def->input, start->def->output, start->def->errors };
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int i = 0; i < 3; i++)
    start->ends[i] = fcntl(given[i] >= 0 ? given[i] : nothing, F_DUPFD_CLOEXEC, 3);
  if (nothing >= 0) close(nothing);
  return start->ends[0] >= 0 && start->ends[1] >= 0 && start->ends[2] >= 0;
}

lbStatus lb_process_start(const lbProcessDef *def, int *id, lbError *err) {
  Start start = { .def = def, .parent = getpid() };
  pid_t child = -1;
  if (copy_ends(&start))
    child = start_child(&start);
  else
    start.error = errno;
  for (int i = 0; i < 3; i++)
    if (start.ends[i] >= 0) close(start.ends[i]);
  if (start.error) {
    if (child > 0) waitpid(child, NULL, 0);
    return lb_fail(err, LB_ERR_UNSUPPORTED, "%s: cannot be run: %s", def->words[0],
                   strerror(start.error));
  }
  *id = (int)child;
  return LB_OK;
}
