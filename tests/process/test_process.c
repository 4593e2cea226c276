// Programs: found, started with the descriptors they are given, gone with their parent.
#include "check.h"
#include "limber/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void programs_are_found_by_path(void **state) {
  (void)state;
  char path[LB_PROGRAM_PATH];
  assert_true(lb_program_find("sh", false, path));
  assert_true(path[0] == '/' && access(path, X_OK) == 0);
  assert_false(lb_program_find("no-such-program-here", true, path));
}

static void a_program_gets_its_folder_and_streams(void **state) {
  (void)state;
  lbError err = { 0 };
  int ends[2], child = 0, code = 0;
  char shell[LB_PROGRAM_PATH], text[64] = "";
  assert_true(lb_program_find("sh", false, shell));
  assert_int_equal(pipe(ends), 0);
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  const char *const words[] = { shell, "-c", "pwd; cat; exit 7", NULL };
  lbProcessDef def = lb_process_def();
  def.words = words;
  def.folder = "/";
  def.output = ends[1];
  check_ok(lb_process_start(&def, &child, &err), err);
  close(ends[1]);
  assert_true(read(ends[0], text, sizeof text - 1) > 0);
  assert_string_equal(text, "/\n"); // and nothing from its empty input
  close(ends[0]);
  assert_int_equal(waitpid(child, &code, 0), child);
  assert_true(WIFEXITED(code) && WEXITSTATUS(code) == 7);
}

static void what_cannot_be_run_is_named_and_leaves_no_child(void **state) {
  (void)state;
  lbError err = { 0 };
  int child = 0;
  const char *const words[] = { "/no/such/program", NULL };
  lbProcessDef def = lb_process_def();
  def.words = words;
  check_fails(lb_process_start(&def, &child, &err), LB_ERR_UNSUPPORTED, err,
              "/no/such/program: cannot be run: No such file");
  def.folder = "/no/such/folder";
  check_fails(lb_process_start(&def, &child, &err), LB_ERR_UNSUPPORTED, err, "cannot be run");
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
  assert_int_equal(errno, ECHILD);
}

// A process between us starts the program and is killed.
static void a_program_ends_with_its_parent(void **state) {
  (void)state;
#ifdef __linux__
  int ends[2], program = 0;
  assert_int_equal(pipe(ends), 0);
  pid_t parent = fork();
  if (parent == 0) {
    char path[LB_PROGRAM_PATH];
    if (!lb_program_find("sleep", false, path)) _exit(1);
    const char *const words[] = { path, "1000", NULL };
    lbProcessDef def = lb_process_def();
    def.words = words;
    if (lb_process_start(&def, &program, NULL)) _exit(1);
    if (write(ends[1], &program, sizeof program) < 0) _exit(1);
    for (;;) pause();
  }
  assert_int_equal(read(ends[0], &program, sizeof program), sizeof program);
  assert_int_equal(kill(program, 0), 0);
  kill(parent, SIGKILL);
  waitpid(parent, NULL, 0);
  int alive = 1;
  for (int i = 0; i < 1000 && alive; i++) { // until init, or whoever has that part, has reaped it
    char name[64], line[256] = "";
    snprintf(name, sizeof name, "/proc/%d/stat", program);
    FILE *file = fopen(name, "r");
    alive = file && fgets(line, sizeof line, file) && !strstr(line, ") Z ");
    if (file) fclose(file);
    nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
  }
  assert_false(alive);
  close(ends[0]);
  close(ends[1]);
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(programs_are_found_by_path),
    cmocka_unit_test(a_program_gets_its_folder_and_streams),
    cmocka_unit_test(what_cannot_be_run_is_named_and_leaves_no_child),
    cmocka_unit_test(a_program_ends_with_its_parent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
