// Messages, JSON, progress and Ctrl-C.
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;
static volatile sig_atomic_t has_selection; // the work has something to keep when it is interrupted
static bool keeps_selection;
static bool quiet, bar_shown, terminal;
static double stage_start, last_shown;
static char stage_name[64];
// Notes wait until the job has succeeded: a failure prints only its cause.
static char pending[8192];

// ---- text --------------------------------------------------------------------------------------

// A line break of a format, while its arguments are put in: nothing that UTF-8 has.
static const char break_mark[] = "\xff\xfe";

// The format with marks for its line breaks; lb_free it.
static char *mark_breaks(const char *format) {
  char *marked = lb_alloc(2 * strlen(format) + 1, 1), *to = marked;
  for (; to && *format; format++) {
    if (*format == '\n')
      to = memcpy(to, break_mark, 2), to += 2;
    else
      *to++ = *format;
  }
  return marked;
}

// Line by line, each as lb_printable has it.
static void put_lines(FILE *to, char *text) {
  for (char *line = text, *next; line; line = next) {
    if ((next = strstr(line, break_mark))) *next = '\0';
    size_t size = 6 * strlen(line) + 1; // \u0000 for a byte at most
    char *shown = lb_alloc(size, 1);
    if (shown) fputs(lb_printable(shown, size, line), to);
    lb_free(shown);
    if (!next) break;
    fputc('\n', to);
    next += 2;
  }
}

static void print_formatted(FILE *to, const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  char *marked = mark_breaks(format), *text = NULL;
  int length = marked ? vsnprintf(NULL, 0, marked, arguments) : -1;
  if (length >= 0) text = lb_alloc((size_t)length + 1, 1);
  if (text) {
    vsnprintf(text, (size_t)length + 1, marked, again);
    put_lines(to, text);
  }
  va_end(again);
  lb_free(text);
  lb_free(marked);
}

void cli_say(const char *format, ...) {
  if (quiet) return;
  va_list arguments;
  va_start(arguments, format);
  print_formatted(stdout, format, arguments);
  va_end(arguments);
}

void cli_note(const char *format, ...) {
  if (quiet) return;
  va_list arguments;
  va_start(arguments, format);
  fputs("limber: ", stderr);
  print_formatted(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
}

cliStatus cli_fail(const lbError *err) {
  cli_finish_progress();
  pending[0] = '\0';
  fprintf(stderr, "limber: %s\n", err->text);
  return CLI_FAILED;
}

// Errors of reading and writing name their file, which may be another one.
cliStatus cli_fail_about(const char *path, const lbError *err) {
  bool about_files = err->status == LB_ERR_FILE || err->status == LB_ERR_FORMAT ||
                     err->status == LB_ERR_INTERRUPTED;
  if (about_files || strstr(err->text, path)) return cli_fail(err);
  lbError named;
  lb_fail(&named, err->status, "%s: %s", path, err->text);
  return cli_fail(&named);
}

cliStatus cli_finish_output(cliStatus status) {
  errno = 0;
  bool failed = ferror(stdout) != 0;
  failed |= fflush(stdout) != 0;
  if (!failed || status != CLI_OK) return status;
  if (errno != EPIPE) // the reader closed the pipe early, which is no failure
    fprintf(stderr, "limber: standard output: cannot write, is the disk full?\n");
  return CLI_FAILED;
}

json_t *cli_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *cli_numbers(const double *values, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, cli_number(values[i]));
  return list;
}

json_t *cli_path(const char *path) {
  json_t *value = json_string(path);
  return value ? value : json_null();
}

json_t *cli_text(const char *text) {
  json_t *value = json_string(text);
  size_t size = 6 * strlen(text) + 1;
  char *shown = value ? NULL : lb_alloc(size, 1);
  if (shown) value = json_string(lb_printable(shown, size, text));
  lb_free(shown);
  return value ? value : json_null();
}

// The character that begins here when it is one that lb_printable escapes and Jansson does not:
// DEL, U+0080 to U+009F, and marks that reorder text. 0: none.
static unsigned foreign_control(const char *text, int *bytes) {
  const unsigned char *c = (const unsigned char *)text;
  *bytes = c[0] == 0x7f ? 1 : c[0] == 0xc2 ? 2 : 3;
  if (c[0] == 0x7f) return 0x7f;
  if (c[0] == 0xc2) return c[1] < 0xa0 ? c[1] : 0;
  unsigned code = c[0] == 0xe2 && c[1] && c[2] ? 0x2000u | (c[1] & 0x3fu) << 6 | (c[2] & 0x3fu) : 0;
  bool reorders = (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return reorders ? code : 0;
}

static void put_document(FILE *to, const char *text) {
  while (*text) {
    int bytes;
    unsigned code = foreign_control(text, &bytes);
    if (code)
      fprintf(to, "\\u%04x", code);
    else
      fputc(*text, to);
    text += code ? bytes : 1;
  }
  fputc('\n', to);
}

cliStatus cli_print_json(json_t *document) {
  char *text = json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
  json_decref(document);
  lbError err;
  if (!text) return lb_fail_memory(&err), cli_fail(&err);
  put_document(stdout, text); // cli_finish_output looks whether it arrived
  free(text);
  return CLI_OK;
}

lbStatus cli_write_json(const json_t *document, const char *path, lbError *err) {
  lbFileWriter writer;
  lbStatus status = lb_file_begin(&writer, path, err);
  if (status) return status;
  char *text = json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
  if (!text) {
    lb_file_abort(&writer);
    return lb_fail_memory(err);
  }
  put_document(writer.stream, text);
  free(text);
  return lb_file_commit(&writer, err);
}

static void log_line(lbLogLevel level, const char *text, void *context) {
  (void)context;
  size_t used = strlen(pending);
  if (quiet) return;
  snprintf(pending + used, sizeof pending - used, "limber: %s%s\n",
           level == LB_LOG_WARNING ? "warning: " : "", text);
}

void cli_flush_notes(void) {
  if (!pending[0]) return;
  cli_finish_progress();
  fputs(pending, stderr);
  pending[0] = '\0';
}

void cli_keep_selection(void) { keeps_selection = true; }

// A stage's name ends at a comma; its progress follows.
static bool is_same_stage(const char *stage) {
  size_t length = strcspn(stage, ",");
  return strncmp(stage, stage_name, length) == 0 && strcspn(stage_name, ",") == length;
}

// Stops the work; a selection of elements ends early with those that it has.
static bool is_stopped_by_signal(void) {
  if (has_selection) {
    alarm(0);
    has_selection = interrupted = 0;
  }
  return false;
}

// Progress: a bar on a terminal, plain lines otherwise; none for work under a second.
static bool show_output_progress(const char *stage, double fraction, void *context) {
  (void)context;
  has_selection = keeps_selection && strncmp(stage, "cubature, ", 10) == 0;
  if (interrupted) return is_stopped_by_signal();
  double now = lb_seconds();
  if (!is_same_stage(stage) || fraction <= 0) {
    snprintf(stage_name, sizeof stage_name, "%s", stage);
    stage_start = last_shown = now;
  }
  if (quiet || now - stage_start < 1 || now - last_shown < (terminal ? 0.1 : 2)) return true;
  last_shown = now;
  cli_flush_notes();
  int percent = (int)(100 * fraction);
  if (!terminal) {
    fprintf(stderr, "limber: %s %d %%\n", stage, percent);
    return true;
  }
  const char *detail = strchr(stage, ',');
  fprintf(stderr, "\r%-14.*s [", (int)strcspn(stage, ","), stage);
  for (int i = 0; i < 40; i++) fputc(i < percent * 40 / 100 ? '#' : ' ', stderr);
  fprintf(stderr, "] %3d %%%-40s", percent, detail ? detail : "");
  bar_shown = true;
  return true;
}

void cli_finish_progress(void) {
  if (bar_shown) fputc('\n', stderr);
  bar_shown = false;
}

// Ends a program whose work does not check for interrupts. Removing folders may take memory, of
// which the interrupted work may hold the lock: a second alarm ends a program that hangs there.
static void on_alarm(int signal_number) {
  static const char text[] = "limber: interrupted, nothing was written\n";
  sigset_t alarms;
  signal(signal_number, SIG_DFL);
  sigemptyset(&alarms);
  sigaddset(&alarms, signal_number);
  pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
  alarm(1);
  ssize_t told = write(2, text, sizeof text - 1);
  (void)told;
  lb_remove_unfinished();
  _exit(CLI_FAILED);
}

static struct itimerval patience = { .it_value = { .tv_sec = 2 } };

void cli_end_within(double seconds) {
  patience.it_value.tv_sec = (time_t)seconds;
  patience.it_value.tv_usec = (suseconds_t)(1e6 * (seconds - floor(seconds)));
}

// The work ends when it next asks, or after two seconds in a stage that does not ask (unless there
// is something to keep); a second
// signal some time later ends the program at once. (A terminal or a parent may send one press
// twice.)
static void on_interrupt(int signal_number) {
  static double first;
  if (!interrupted) {
    interrupted = 1;
    first = lb_seconds();
    signal(SIGALRM, on_alarm);
    if (!has_selection) setitimer(ITIMER_REAL, &patience, NULL);
  } else if (lb_seconds() - first > 0.5) {
    lb_remove_unfinished();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
  }
}

// A terminal that goes away, too; a program started by nohup keeps ignoring that.
void cli_catch_end(void (*handler)(int)) {
  static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
  struct sigaction action = { .sa_handler = handler }, before;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(signals[i], &action, NULL);
}

void cli_guard_output(void) {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

void cli_start_output(const cliCommon *common) {
  quiet = common->quiet;
  terminal = isatty(2);
  lb_set_log(log_line, NULL);
  lb_set_progress(show_output_progress, NULL);
  cli_catch_end(on_interrupt);
}
