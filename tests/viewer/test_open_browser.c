// Starting a browser: which program gets which words, and that no shell is between.
#include "check.h"
#include "serve/serve.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[512], program[600], told[600];

// A program that writes its words, one a line, into `told`, and says something on both outputs.
static int make_program(void **state) {
  (void)state;
  snprintf(folder, sizeof folder, "%s-%ld", output_path("browser-test"), (long)getpid());
  mkdir(folder, 0755);
  char *whole = realpath(folder, NULL);
  assert_non_null(whole);
  snprintf(folder, sizeof folder, "%s", whole);
  free(whole);
  snprintf(program, sizeof program, "%s/xdg-open", folder);
  snprintf(told, sizeof told, "%s/told", folder);
  FILE *file = fopen(program, "w");
  assert_non_null(file);
  fprintf(file,
          "#!/bin/sh\necho noise\necho noise >&2\n"
          "for word; do printf '%%s\\n' \"$word\"; done >'%s.part'\nmv '%s.part' '%s'\n",
          told, told, told);
  fclose(file);
  return chmod(program, 0755);
}

static int remove_program(void **state) {
  (void)state;
  unlink(program);
  unlink(told);
  return rmdir(folder);
}

static int clear_environment(void **state) {
  (void)state;
  unsetenv("BROWSER");
  unsetenv("DISPLAY");
  unsetenv("WAYLAND_DISPLAY");
  setenv("PATH", "/usr/bin:/bin", 1);
  unlink(told);
  return 0;
}

// What the program was told; it runs on its own, so this waits for its file.
static const char *wait_for_words(void) {
  static char words[4096];
  for (int i = 0; i < 1000; i++) {
    FILE *file = fopen(told, "r");
    if (file) {
      words[fread(words, 1, sizeof words - 1, file)] = 0;
      fclose(file);
      unlink(told);
      return words;
    }
    usleep(10000);
  }
  return "nothing was started";
}

static void set_browser(const char *before, const char *after) {
  char text[2048];
  snprintf(text, sizeof text, "%s%s%s", before, program, after);
  setenv("BROWSER", text, 1);
}

static void the_browser_variable_is_obeyed(void **state) {
  (void)state;
  lbError err;
  const char *url = "http://127.0.0.1:8080/?scene=a&b=1";
  set_browser("", "");
  check_ok(vw_open_browser(url, &err), err);
  assert_string_equal(wait_for_words(), "http://127.0.0.1:8080/?scene=a&b=1\n");
  set_browser("", "  --new  --app=%s 100%%");
  check_ok(vw_open_browser(url, &err), err);
  assert_string_equal(wait_for_words(), "--new\n--app=http://127.0.0.1:8080/?scene=a&b=1\n100%\n");
  set_browser("::/no/such/program %s:", ":/bin/false");
  check_ok(vw_open_browser(url, &err), err);
  assert_string_equal(wait_for_words(), "http://127.0.0.1:8080/?scene=a&b=1\n");
}

static void no_shell_reads_the_address_or_the_command(void **state) {
  (void)state;
  lbError err;
  char url[1200], mark[600];
  snprintf(mark, sizeof mark, "%s/mark", folder);
  snprintf(url, sizeof url, "http://127.0.0.1/$(touch${IFS}%s)`id`;'\"|&>%%s", mark);
  set_browser("", " $HOME ;id");
  check_ok(vw_open_browser(url, &err), err);
  char expected[1400];
  snprintf(expected, sizeof expected, "$HOME\n;id\n%s\n", url);
  assert_string_equal(wait_for_words(), expected);
  assert_int_not_equal(access(mark, F_OK), 0);
}

static void without_the_variable_it_is_xdg_open(void **state) {
  (void)state;
  lbError err;
  setenv("PATH", folder, 1);
  setenv("DISPLAY", ":99", 1);
  check_ok(vw_open_browser("http://127.0.0.1/", &err), err);
  setenv("PATH", "/usr/bin:/bin", 1);
  // its own commands are not on that path, yet it writes what it was told before it needs them
  char part[700];
  snprintf(part, sizeof part, "%s.part", told);
  for (int i = 0; i < 1000 && access(part, F_OK) != 0; i++) usleep(10000);
  assert_int_equal(unlink(part), 0);
}

static void when_nothing_can_be_started_the_address_is_told(void **state) {
  (void)state;
  lbError err;
  const char *url = "http://127.0.0.1:8080/";
  check_fails(vw_open_browser(url, &err), LB_ERR_UNSUPPORTED, err, "no display");
  check_fails(vw_open_browser(url, &err), LB_ERR_UNSUPPORTED, err, url);
  setenv("BROWSER", "/no/such/program:/", 1);
  check_fails(vw_open_browser(url, &err), LB_ERR_UNSUPPORTED, err, "BROWSER");
  unsetenv("BROWSER");
  setenv("WAYLAND_DISPLAY", "wayland-0", 1);
  setenv("PATH", "/no/such/folder", 1);
  check_fails(vw_open_browser(url, &err), LB_ERR_UNSUPPORTED, err, "xdg-open");
  static char many[6000]; // more words, and longer ones, than a command may have
  for (size_t i = 0; i + 1 < sizeof many; i++) many[i] = i % 2 ? ' ' : 'x';
  setenv("BROWSER", many, 1);
  check_fails(vw_open_browser(url, &err), LB_ERR_UNSUPPORTED, err, url);
  memset(many, 'x', sizeof many - 1);
  setenv("BROWSER", many, 1);
  check_fails(vw_open_browser(url, &err), LB_ERR_UNSUPPORTED, err, url);
}

static void only_web_addresses_are_opened(void **state) {
  (void)state;
  lbError err;
  set_browser("", "");
  static const char *const urls[] = {
    "", "--help", "file:///etc/passwd", "javascript:1", "http://a b", "http://a\n"
  };
  for (size_t i = 0; i < sizeof urls / sizeof *urls; i++)
    check_fails(vw_open_browser(urls[i], &err), LB_ERR_ARGUMENT, err, "not a web address");
  check_fails(vw_open_browser(NULL, &err), LB_ERR_ARGUMENT, err, "not a web address");
}

static void nobody_waits_for_the_browser_and_no_child_is_left(void **state) {
  (void)state;
  lbError err;
  char fifo[600], text[700];
  snprintf(fifo, sizeof fifo, "%s/fifo", folder);
  snprintf(text, sizeof text, "/bin/cat %s %%s", fifo);
  assert_int_equal(mkfifo(fifo, 0600), 0);
  setenv("BROWSER", text, 1);
  check_ok(vw_open_browser("http://127.0.0.1/", &err), err); // it waits until the FIFO is written
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
  assert_int_equal(errno, ECHILD);
  FILE *file = fopen(fifo, "w");
  assert_non_null(file);
  fclose(file);
  unlink(fifo);
}

#define alone(test) cmocka_unit_test_setup(test, clear_environment)

int main(void) {
  const struct CMUnitTest tests[] = {
    alone(the_browser_variable_is_obeyed),
    alone(no_shell_reads_the_address_or_the_command),
    alone(without_the_variable_it_is_xdg_open),
    alone(when_nothing_can_be_started_the_address_is_told),
    alone(only_web_addresses_are_opened),
    alone(nobody_waits_for_the_browser_and_no_child_is_left),
  };
  return cmocka_run_group_tests(tests, make_program, remove_program);
}
