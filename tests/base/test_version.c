// The version: numbers and text say the same, and the library is that of the headers.
#include "check.h"

#include "limber/base.h"

#include <stdio.h>

static void the_numbers_and_the_text_are_the_same_version(void **state) {
  (void)state;
  lbVersion version = lb_version();
  char text[64];
  snprintf(text, sizeof text, "%d.%d.%d", (int)version.major, (int)version.minor,
           (int)version.patch);
  assert_string_equal(version.text, text);
  assert_string_equal(version.text, LB_VERSION);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_numbers_and_the_text_are_the_same_version),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
