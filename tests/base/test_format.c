// Numbers as text: every bit survives, and the locale's decimal comma does not get in.
#include "check.h"
#include "comma_locale.h"

#include "base/format.h"

#include <stdlib.h>

static void numbers_come_back_bit_for_bit(void **state) {
  (void)state;
  const double values[] = { 0, 1, -1, 0.1, 1.0 / 3, 1e300, 5e-324, -1.7976931348623157e308, 1e22 };
  char text[LB_NUMBER_TEXT];
  uint64_t seed = 5;
  for (size_t i = 0; i < 1000; i++) {
    size_t fixed = sizeof values / sizeof *values;
    double value = i < fixed ? values[i] : ldexp(check_random(&seed), (int)(i % 600) - 300);
    size_t length = lb_format_number(text, value, 9);
    assert_int_equal(length, strlen(text));
    assert_true(strtod(text, NULL) == value);
  }
  lb_format_number(text, 0.1, 9);
  assert_string_equal(text, "0.1"); // no more digits than needed
}

static void the_locale_makes_no_difference(void **state) {
  (void)state;
  if (!set_comma_locale()) skip();
  char text[LB_NUMBER_TEXT], wide[] = "-12\xd9\xab"
                                      "5e-07"; // a separator of two bytes
  lb_format_number(text, -1234.5, 9);
  setlocale(LC_ALL, "C");
  assert_string_equal(text, "-1234.5");
  lb_use_decimal_point(wide);
  assert_string_equal(wide, "-12.5e-07");
}

static void json_has_finite_numbers_alone(void **state) {
  (void)state;
  char text[LB_NUMBER_TEXT];
  assert_string_equal(lb_json_number_text(text, NAN, 9), "null");
  assert_string_equal(lb_json_number_text(text, -INFINITY, 17), "null");
  assert_string_equal(lb_json_number_text(text, -0.25, 9), "-0.25");
  assert_string_equal(lb_json_number_text(text, 1e300, 3), "1e+300");
  check_near(strtod(lb_json_number_text(text, 0.1, 17), NULL), 0.1, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(numbers_come_back_bit_for_bit),
    cmocka_unit_test(the_locale_makes_no_difference),
    cmocka_unit_test(json_has_finite_numbers_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
