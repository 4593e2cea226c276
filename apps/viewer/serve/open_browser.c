// Starts a browser on a URL: the commands of BROWSER, else xdg-open. Words of a command are split
// at blanks and passed to exec without a shell.
#include "serve/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS_MAX = 16, COMMAND_BYTES = 4096 };

typedef struct Command {
  char *words[WORDS_MAX + 1]; // NULL after the last; they point into text
  char text[COMMAND_BYTES];
  int word_count;
  size_t used; // of text
} Command;

static bool append_text(Command *command, const char *text, size_t count) {
  if (count >= COMMAND_BYTES - command->used) return false;
  memcpy(command->text + command->used, text, count);
  command->used += count;
  command->text[command->used] = 0;
  return true;
}

// Appends one word; %s in it becomes the URL, %% a percent sign.
static bool append_word(Command *command, const char *word, size_t count, const char *url,
                        bool *has_url) {
  if (command->word_count == WORDS_MAX || command->used >= COMMAND_BYTES) return false;
  command->words[command->word_count++] = command->text + command->used;
  for (size_t i = 0; i < count; i++) {
    bool escape = word[i] == '%' && i + 1 < count && (word[i + 1] == 's' || word[i + 1] == '%');
    bool is_url = escape && word[i + 1] == 's';
    if (!append_text(command, is_url ? url : word + i, is_url ? strlen(url) : 1)) return false;
    if (is_url) *has_url = true;
    i += escape;
  }
  command->used++; // the word's ending zero
  return true;
}

// The words of text[0, count). False when there are none or too many.
static bool split_command(const char *text, size_t count, const char *url, Command *command) {
  memset(command, 0, sizeof *command);
  bool has_url = false;
  size_t i = 0;
  while (i < count) {
    size_t begin = i += strspn(text + i, " \t");
    while (i < count && text[i] != ' ' && text[i] != '\t') i++;
    if (begin >= count) break;
    if (!append_word(command, text + begin, i - begin, url, &has_url)) return false;
  }
  if (command->word_count == 0) return false;
  return has_url || append_word(command, "%s", 2, url, &has_url);
}

// In the child: becomes the command, silent and out of reach of the terminal's Ctrl-C.
static void become(const Command *command, int report) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGPIPE, SIG_DFL);
  int nowhere = open("/dev/null", O_RDWR);
  for (int i = 0; nowhere >= 0 && i < 3; i++) dup2(nowhere, i);
  if (nowhere > 2) close(nowhere);
  execvp(command->words[0], command->words);
  int problem = errno;
  if (write(report, &problem, sizeof problem) < 0) _exit(126);
  _exit(127);
}

// 0, or the errno of the failed call. The command's parent is a child of ours that ends at once, so
// that this process need not wait for the command. The pipe closes by itself when exec succeeds.
static int start_command(const Command *command) {
  int ends[2], problem = 0;
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  pid_t child = fork();
  if (child == 0) {
    setsid();
    pid_t grandchild = fork();
    if (grandchild == 0) become(command, ends[1]);
    problem = errno;
    if (grandchild < 0 && write(ends[1], &problem, sizeof problem) < 0) _exit(126);
    _exit(0);
  }
  if (child < 0) problem = errno;
  close(ends[1]);
  if (child > 0) {
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    ssize_t count;
    while ((count = read(ends[0], &problem, sizeof problem)) < 0 && errno == EINTR) {}
    if (count != (ssize_t)sizeof problem) problem = 0;
  }
  close(ends[0]);
  return problem;
}

static bool is_plain_url(const char *url) {
  if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0) return false;
  for (const char *c = url; *c; c++)
    if ((unsigned char)*c <= ' ' || (unsigned char)*c >= 0x7f) return false;
  return true;
}

// Tries the commands of a list in turn. True when one was started.
static bool start_one_of(const char *list, const char *url) {
  while (*list) {
    size_t count = strcspn(list, ":");
    Command command;
    if (split_command(list, count, url, &command) && start_command(&command) == 0) return true;
    list += count + (list[count] == ':');
  }
  return false;
}

static bool is_set(const char *variable) {
  const char *value = getenv(variable);
  return value && *value;
}

lbStatus vw_open_browser(const char *url, lbError *err) {
  if (!url || !is_plain_url(url))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "not a web address: \"%s\"; it begins with http:// and has no blanks",
                   url ? url : "");
  bool has_list = is_set("BROWSER");
  if (has_list && start_one_of(getenv("BROWSER"), url)) return LB_OK;
  // without a display xdg-open would start a text browser without a terminal
  bool has_display = is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
  if (has_display && start_one_of("xdg-open", url)) return LB_OK;
  const char *reason = has_list ? "no command of the variable BROWSER can be started"
                       : has_display
                           ? "xdg-open cannot be started and the variable BROWSER is not set"
                           : "there is no display and the variable BROWSER is not set";
  return lb_fail(err, LB_ERR_UNSUPPORTED, "%s; open %s in a browser by hand", reason, url);
}
