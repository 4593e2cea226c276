// The text cursor: numbers against the C library, integers, words, lines, locales.
#include "check.h"
#include "comma_locale.h"
#include "arrayio/text.h"

#include <float.h>
#include <locale.h>

static bool same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

// The whole text is one number, and it is what strtod says.
static void check_against_library(const char *text) {
  double value = 777, expected = strtod(text, NULL);
  size_t length = strlen(text), taken = lb_parse_number(text, text + length, &value);
  if (taken != length || !same_bits(value, expected))
    fail_msg("\"%.60s\": took %zu of %zu, value %a, strtod %a", text, taken, length, value,
             expected);
}

static void nasty_decimals_read_as_the_library_reads_them(void **state) {
  (void)state;
  const char *texts[] = {
    "0",
    "-0",
    "0.0",
    "-0.0e5",
    "1",
    "-1",
    "+1",
    "+.5",
    "-.5",
    "5.",
    "-5.e1",
    "1e5",
    "1E+5",
    "1e-5",
    "00012.5",
    "0.1",
    "0.2",
    "0.3",
    "1e22",
    "1e23",
    "9007199254740993",
    "9007199254740992.5",
    "9007199254740991e22",
    "123456789012345678901234567890",
    "0.000000000000000000000000000000000000000000001",
    "1e308",
    "1.7976931348623157e308",
    "1.7976931348623158e308",
    "1.7976931348623159e308",
    "1e309",
    "-1e309",
    "1e400",
    "1e99999",
    "1e9999999999999999999999",
    "1e-9999999999999999999999",
    "2.2250738585072014e-308",
    "2.2250738585072011e-308",
    "4.9406564584124654e-324",
    "2.4703282292062327e-324",
    "2.4703282292062328e-324",
    "1e-323",
    "3e-324",
    "1e-400",
    "0e999999999999",
    "0e-99999999999",
    "18446744073709551615",
    "18446744073709551616",
    "9999999999999999999",
    "99999999999999999999",
    "1.00000000000000011102230246251565404236316680908203125", // half way, to even
    "1.00000000000000011102230246251565404236316680908203124", // just below
    "1.00000000000000011102230246251565404236316680908203126", // just above
    "1.00000000000000033306690738754696212708950042724609375", // half way, up to even
    "0.1e1",
    "10e-1",
    "1000000000000000000000e-21",
    "6.02214076e23",
    "72057594037927945",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) check_against_library(texts[i]);
}

// Half way between 1 and the next double, then zeros, then at last a 1: beyond any fixed buffer.
static void digits_far_beyond_the_precision_still_decide(void **state) {
  (void)state;
  static char text[4000];
  for (int zeros = 0; zeros <= 3000; zeros += 250) {
    int n = sprintf(text, "1.00000000000000011102230246251565404236316680908203125");
    memset(text + n, '0', (size_t)zeros);
    text[n + zeros] = '1', text[n + zeros + 1] = '\0';
    check_against_library(text);
    text[n + zeros] = '0';
    check_against_library(text);
  }
}

static void long_runs_of_zeros_and_their_exponents_cancel(void **state) {
  (void)state;
  enum { ZEROS = 200000 };
  char *text = malloc(ZEROS + 100);
  memcpy(text, "0.", 2);
  memset(text + 2, '0', ZEROS);
  sprintf(text + 2 + ZEROS, "125e%d", ZEROS + 1);
  check_against_library(text);
  text[0] = '7';
  memset(text + 1, '0', ZEROS);
  sprintf(text + 1 + ZEROS, "e-%d", ZEROS);
  check_against_library(text);
  free(text);
}

static int random_below(uint64_t *seed, int limit) {
  int value = (int)((check_random(seed) + 1) * 0.5 * limit);
  return value < limit ? value : limit - 1;
}

// Random doubles written with 15 to 19 digits and with all of them.
static void random_doubles_read_as_the_library_reads_them(void **state) {
  (void)state;
  uint64_t seed = 21;
  char text[1200];
  for (int i = 0; i < 50000; i++) {
    uint64_t bits = seed * UINT64_C(0x9e3779b97f4a7c15);
    double x;
    memcpy(&x, &bits, sizeof x);
    if (!isfinite(x)) x = 1;
    snprintf(text, sizeof text, "%.*e", 14 + i % 6, x);
    check_against_library(text);
    snprintf(text, sizeof text, "%.*g", 3 + i % 15, check_random(&seed) * 1000);
    check_against_library(text);
    if (i % 100) continue;
    snprintf(text, sizeof text, "%.1000g", x); // exact
    check_against_library(text);
  }
}

// Random digits, point and exponent.
static void random_decimal_texts_read_as_the_library_reads_them(void **state) {
  (void)state;
  uint64_t seed = 22;
  char text[120];
  for (int i = 0; i < 100000; i++) {
    int n = 0, digits = 1 + random_below(&seed, i % 50 ? 25 : 60);
    int point = random_below(&seed, digits + 1);
    if (random_below(&seed, 2)) text[n++] = random_below(&seed, 2) ? '-' : '+';
    for (int k = 0; k < digits; k++) {
      if (k == point) text[n++] = '.';
      text[n++] = (char)('0' + random_below(&seed, 10));
    }
    text[n] = '\0';
    if (random_below(&seed, 3))
      sprintf(text + n, "%c%d", i % 2 ? 'e' : 'E',
              random_below(&seed, i % 3 ? 40 : 680) - (i % 3 ? 20 : 340));
    check_against_library(text);
  }
}

static void check_taken(const char *text, size_t expected, double value) {
  double got = 777;
  size_t taken = lb_parse_number(text, text + strlen(text), &got);
  if (taken != expected || (expected && !same_bits(got, value)))
    fail_msg("\"%s\": took %zu, expected %zu; value %g, expected %g", text, taken, expected, got,
             value);
}

static void half_numbers_are_taken_as_far_as_they_go(void **state) {
  (void)state;
  check_taken("1e", 1, 1);
  check_taken("1e+", 1, 1);
  check_taken("1E-x", 1, 1);
  check_taken("2.5d", 3, 2.5);
  check_taken("1D5", 3, 1e5);
  check_taken("1.25d-02", 8, 0.0125);
  check_taken("1.2.3", 3, 1.2);
  check_taken("1,5", 1, 1);
  check_taken("3/4", 1, 3);
  check_taken("12abc", 2, 12);
  check_taken(".", 0, 0);
  check_taken("-.", 0, 0);
  check_taken("+", 0, 0);
  check_taken("", 0, 0);
  check_taken("e5", 0, 0);
  check_taken("abc", 0, 0);
  check_taken("--1", 0, 0);
  check_taken(" 1", 0, 0); // blanks are the cursor's business
  check_taken("inf", 3, INFINITY);
  check_taken("-Infinity", 9, -INFINITY);
  check_taken("infinit", 3, INFINITY);
  const char *not_a_number = "NaN";
  double value = 0;
  assert_int_equal(lb_parse_number(not_a_number, not_a_number + 3, &value), 3);
  assert_true(isnan(value));
}

static void numbers_end_with_the_buffer(void **state) {
  (void)state;
  const char *text = "123.5e2";
  const double values[] = { 0, 1, 12, 123, 123, 123.5, 123.5, 12350 };
  const size_t taken[] = { 0, 1, 2, 3, 4, 5, 5, 7 };
  for (size_t length = 0; length <= 7; length++) {
    char *exact = malloc(length + 1); // so that the sanitizer sees a read beyond
    memcpy(exact, text, length);
    char *cut = realloc(exact, length ? length : 1);
    double value = 0;
    assert_int_equal(lb_parse_number(cut, cut + length, &value), taken[length]);
    assert_true(value == values[length]);
    free(cut);
  }
}

static void locale_does_not_matter(void **state) {
  (void)state;
  if (!set_comma_locale()) {
    print_message("no locale with a decimal comma here\n");
    skip();
  }
  assert_true(strtod("1.5", NULL) == 1); // the library now wants a comma
  check_taken("1.5", 3, 1.5);
  check_taken("1.23456789012345678901e100", 26, 1.23456789012345678901e100);
  check_taken("1,5", 1, 1);
  setlocale(LC_ALL, "C");
}

static void check_integer(const char *text, size_t expected, int64_t value) {
  int64_t got = 777;
  assert_int_equal(lb_parse_integer(text, text + strlen(text), &got), expected);
  assert_true(got == (expected ? value : 777));
}

static void integers_use_the_whole_range_and_no_more(void **state) {
  (void)state;
  check_integer("0", 1, 0);
  check_integer("-0", 2, 0);
  check_integer("+42", 3, 42);
  check_integer("-42x", 3, -42);
  check_integer("007", 3, 7);
  check_integer("2147483648", 10, INT64_C(2147483648));
  check_integer("9223372036854775807", 19, INT64_MAX);
  check_integer("9223372036854775808", 0, 0);
  check_integer("-9223372036854775808", 20, INT64_MIN);
  check_integer("-9223372036854775809", 0, 0);
  check_integer("9223372036854775799", 19, INT64_C(9223372036854775799));
  check_integer("99999999999999999999", 0, 0);
  check_integer("18446744073709551617", 0, 0);
  check_integer("000000000000000000000000012", 27, 12);
  check_integer("-", 0, 0);
  check_integer("x1", 0, 0);
  check_integer("", 0, 0);
}

static lbText text_of(const char *content) { return lb_text("file.txt", content, strlen(content)); }

static void words_cross_lines_only_when_asked(void **state) {
  (void)state;
  lbText text = text_of("alpha \t beta\r\n\n  gamma");
  char word[16];
  assert_int_equal(lb_text_word(&text, word, sizeof word), 5);
  assert_string_equal(word, "alpha");
  assert_int_equal(lb_text_word_in_line(&text, word, sizeof word), 4);
  assert_string_equal(word, "beta");
  assert_int_equal(lb_text_word_in_line(&text, word, sizeof word), 0);
  assert_string_equal(word, "");
  assert_true(lb_text_at_line_end(&text));
  assert_int_equal(text.line, 1);
  assert_int_equal(lb_text_word(&text, word, 4), 5); // cut to fit, full length told
  assert_string_equal(word, "gam");
  assert_int_equal(text.line, 3);
  assert_true(lb_text_at_end(&text));
  assert_int_equal(lb_text_word(&text, word, sizeof word), 0);
  assert_string_equal(word, "");
}

static void lines_are_trimmed_counted_and_cut(void **state) {
  (void)state;
  lbText text = text_of("  first line \r\n\nthird\n   \nlast");
  char line[64];
  const char *expected[] = { "first line", "", "third", "", "last" };
  for (int i = 0; i < 5; i++) {
    assert_int_equal(text.line, i + 1);
    assert_false(lb_text_at_end(&text));
    assert_int_equal(lb_text_line(&text, line, sizeof line), strlen(expected[i]));
    assert_string_equal(line, expected[i]);
  }
  assert_true(lb_text_at_end(&text));
  assert_int_equal(text.line, 5);
  assert_int_equal(lb_text_line(&text, line, sizeof line), 0);
  lb_text_skip_line(&text);
  assert_int_equal(text.line, 5);
}

static void numbers_in_a_line_stop_at_its_end(void **state) {
  (void)state;
  lbText text = text_of("1 2.5\n-3 x\n 4");
  double number = 0;
  int64_t integer = 0;
  assert_true(lb_text_integer_in_line(&text, &integer) && integer == 1);
  assert_true(lb_text_number_in_line(&text, &number) && number == 2.5);
  assert_false(lb_text_number_in_line(&text, &number));
  assert_int_equal(text.line, 1);
  assert_true(lb_text_number(&text, &number) && number == -3);
  assert_int_equal(text.line, 2);
  assert_false(lb_text_number(&text, &number));
  assert_false(lb_text_integer(&text, &integer));
  lb_text_skip_line(&text);
  assert_true(lb_text_integer(&text, &integer) && integer == 4);
  assert_false(lb_text_integer(&text, &integer));
  lbError err = { 0 };
  check_fails(lb_text_fail(&text, &err, "expected %s", "a number"), LB_ERR_FORMAT, err,
              "file.txt:3: expected a number");
}

static void byte_order_mark_and_empty_texts_are_harmless(void **state) {
  (void)state;
  lbText text = text_of("\xef\xbb\xbfv 1");
  char word[8];
  lb_text_word(&text, word, sizeof word);
  assert_string_equal(word, "v");
  text = lb_text("empty", "", 0);
  double number;
  assert_true(lb_text_at_end(&text) && lb_text_at_line_end(&text));
  assert_false(lb_text_number(&text, &number));
  lb_text_skip_line(&text);
  lb_text_skip_space(&text);
  assert_int_equal(text.line, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(nasty_decimals_read_as_the_library_reads_them),
    cmocka_unit_test(digits_far_beyond_the_precision_still_decide),
    cmocka_unit_test(long_runs_of_zeros_and_their_exponents_cancel),
    cmocka_unit_test(random_doubles_read_as_the_library_reads_them),
    cmocka_unit_test(random_decimal_texts_read_as_the_library_reads_them),
    cmocka_unit_test(half_numbers_are_taken_as_far_as_they_go),
    cmocka_unit_test(numbers_end_with_the_buffer),
    cmocka_unit_test(locale_does_not_matter),
    cmocka_unit_test(integers_use_the_whole_range_and_no_more),
    cmocka_unit_test(words_cross_lines_only_when_asked),
    cmocka_unit_test(lines_are_trimmed_counted_and_cut),
    cmocka_unit_test(numbers_in_a_line_stop_at_its_end),
    cmocka_unit_test(byte_order_mark_and_empty_texts_are_harmless),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
