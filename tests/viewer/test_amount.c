// Numbers with units, and how many pictures there are in a second.
#include "check.h"

#include "view/amount.h"

static void check_text(double value, const char *unit, bool whole, const char *expected) {
  char text[48];
  vw_write_amount(value, unit, whole, text, sizeof text);
  assert_string_equal(text, expected);
}

static void amounts_have_the_prefix_that_people_use(void **state) {
  (void)state;
  check_text(1.25e6, "Pa", false, "1.25 MPa");
  check_text(999.6e3, "Pa", false, "1 MPa");
  check_text(2e11, "Pa", false, "200 GPa");
  check_text(0.003, "m", false, "3 mm");
  check_text(0.5, "m", false, "0.5 m");
  check_text(0, "m/s", false, "0 m/s");
  check_text(7850, "kg/m\xc2\xb3", false, "7850 kg/m\xc2\xb3");
  check_text(0.25, "x", false, "0.25\xc3\x97");
  check_text(30, "", true, "30");
}

// Two pictures a second, of which one follows the other at once: a mean of 1/passed would say
// thousands.
static void the_rate_is_pictures_over_time(void **state) {
  (void)state;
  vwRate rate = { 0 };
  double now = 3, mean = 0;
  for (int i = 0; i < 20; i++) {
    now += i % 2 ? 1e-4 : 0.9999;
    mean = vw_rate_tick(&rate, now);
  }
  print_message("  %.6g pictures a second, tolerance 0.5\n", mean);
  check_near(mean, 2, 0.5);
  rate = (vwRate){ 0 };
  for (int i = 0; i <= 300; i++) mean = vw_rate_tick(&rate, 1 + i / 60.0);
  check_near(mean, 60, 1e-6);
}

static void a_rate_that_is_not_known_yet_is_nothing(void **state) {
  (void)state;
  vwRate rate = { 0 };
  assert_true(vw_rate_tick(&rate, 5) == 0 && vw_rate_tick(&rate, 5.1) == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(amounts_have_the_prefix_that_people_use),
    cmocka_unit_test(the_rate_is_pictures_over_time),
    cmocka_unit_test(a_rate_that_is_not_known_yet_is_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
