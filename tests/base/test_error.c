// Status names, error texts, and the log and progress hooks.
#include "check.h"

static void failing_returns_the_status_and_fills_the_text(void **state) {
  (void)state;
  lbError err = { 0 };
  assert_int_equal(lb_fail(&err, LB_ERR_MESH, "%s:%d: bad", "beam.msh", 17), LB_ERR_MESH);
  assert_int_equal(err.status, LB_ERR_MESH);
  assert_string_equal(err.text, "beam.msh:17: bad");
  assert_int_equal(lb_fail_memory(&err), LB_ERR_MEMORY);
  assert_non_null(strstr(err.text, "memory"));
  assert_int_equal(lb_fail_interrupted(&err, "modes"), LB_ERR_INTERRUPTED);
  assert_non_null(strstr(err.text, "modes"));
}

static void failing_without_an_error_object_still_returns_the_status(void **state) {
  (void)state;
  assert_int_equal(lb_fail(NULL, LB_ERR_FILE, "%d", 1), LB_ERR_FILE);
  assert_int_equal(lb_fail_memory(NULL), LB_ERR_MEMORY);
  assert_int_equal(lb_fail_interrupted(NULL, "x"), LB_ERR_INTERRUPTED);
}

static void long_texts_are_cut_and_terminated(void **state) {
  (void)state;
  char name[2000];
  memset(name, 'x', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  lbError err;
  memset(&err, 0x7f, sizeof err);
  lb_fail(&err, LB_ERR_FILE, "%s", name);
  assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

static void every_status_has_its_own_name(void **state) {
  (void)state;
  for (int a = LB_OK; a <= LB_ERR_INTERRUPTED; a++) {
    assert_string_not_equal(lb_status_name((lbStatus)a), "unknown status");
    for (int b = LB_OK; b < a; b++)
      assert_string_not_equal(lb_status_name((lbStatus)a), lb_status_name((lbStatus)b));
  }
  assert_string_equal(lb_status_name((lbStatus)99), "unknown status");
}

static void check_shown(const char *text, const char *expected) {
  char shown[200];
  assert_string_equal(lb_printable(shown, sizeof shown, text), expected);
  char again[200]; // what is shown is fit to be shown
  assert_string_equal(lb_printable(again, sizeof again, shown), expected);
}

static void text_of_files_is_made_fit_for_a_terminal(void **state) {
  (void)state;
  check_shown("K\xc3\xa4se \xe2\x82\xac \xf0\x9f\x90\x84 \\",
              "K\xc3\xa4se \xe2\x82\xac \xf0\x9f\x90\x84 \\");
  check_shown("\x1b]0;pwn\x07", "\\x1b]0;pwn\\x07");
  check_shown("a\nb\tc\r\x7f", "a\\nb\\tc\\r\\x7f");
  check_shown("\xc2\x9b"
              "31m \xe2\x80\xae",
              "\\u009b31m \\u202e");                    // CSI in one character; reordering
  check_shown("\x9b \xff \xc3", "\\x9b \\xff \\xc3");   // not UTF-8
  check_shown("\xc0\x9b \xed\xa0\x80 \xf4\x90\x80\x80", // too long, half a pair, too large
              "\\xc0\\x9b \\xed\\xa0\\x80 \\xf4\\x90\\x80\\x80");
  char small[6];
  memset(small, 'x', sizeof small);
  assert_string_equal(lb_printable(small, sizeof small,
                                   "ab\x1b"
                                   "cd"),
                      "ab"); // whole pieces
  assert_string_equal(lb_printable(small, sizeof small, "abc\xe2\x82\xac"), "abc");
  lbError err;
  lb_fail(&err, LB_ERR_FILE, "%s: bad", "\x1b[2J.obj\n");
  assert_string_equal(err.text, "\\x1b[2J.obj\\n: bad");
  lb_fail(&err, LB_ERR_FILE, "in %s", err.text); // its own text among the arguments
  assert_string_equal(err.text, "in \\x1b[2J.obj\\n: bad");
}

typedef struct Heard {
  int count;
  lbLogLevel level;
  char text[1024];
} Heard;

static void listen(lbLogLevel level, const char *text, void *context) {
  Heard *heard = context;
  heard->count++;
  heard->level = level;
  snprintf(heard->text, sizeof heard->text, "%s", text);
}

static void log_is_silent_until_someone_listens(void **state) {
  (void)state;
  Heard heard = { 0 };
  lb_log(LB_LOG_INFO, "nobody hears %d", 1);
  lb_set_log(listen, &heard);
  lb_log(LB_LOG_WARNING, "%d flat tets", 3);
  assert_int_equal(heard.count, 1);
  assert_int_equal(heard.level, LB_LOG_WARNING);
  assert_string_equal(heard.text, "3 flat tets");
  lb_set_log(NULL, NULL);
  lb_log(LB_LOG_INFO, "nobody hears");
  assert_int_equal(heard.count, 1);
}

static bool stop_at_half(const char *stage, double fraction, void *context) {
  *(const char **)context = stage;
  return fraction < 0.5;
}

static void progress_goes_on_until_the_hook_says_stop(void **state) {
  (void)state;
  const char *stage = NULL;
  assert_true(lb_progress("modes", 0.9));
  lb_set_progress(stop_at_half, &stage);
  assert_true(lb_progress("modes", 0.4));
  assert_false(lb_progress("derivatives", 0.6));
  assert_string_equal(stage, "derivatives");
  lb_set_progress(NULL, NULL);
  assert_true(lb_progress("modes", 0.9));
}

static void the_clock_never_goes_back(void **state) {
  (void)state;
  double before = lb_seconds();
  for (int i = 0; i < 1000; i++) {
    double now = lb_seconds();
    assert_true(now >= before);
    before = now;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(failing_returns_the_status_and_fills_the_text),
    cmocka_unit_test(failing_without_an_error_object_still_returns_the_status),
    cmocka_unit_test(long_texts_are_cut_and_terminated),
    cmocka_unit_test(every_status_has_its_own_name),
    cmocka_unit_test(text_of_files_is_made_fit_for_a_terminal),
    cmocka_unit_test(log_is_silent_until_someone_listens),
    cmocka_unit_test(progress_goes_on_until_the_hook_says_stop),
    cmocka_unit_test(the_clock_never_goes_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
