// The colour scale in saved pictures.
#include "check.h"

#include "desktop/legend.h"

enum { WIDTH = 640, HEIGHT = 360 };
static uint8_t rgba[4 * WIDTH * HEIGHT];

static const uint8_t *at(int32_t x, int32_t y) { return rgba + 4 * (y * WIDTH + x); }

static int32_t changed(int32_t x0, int32_t y0, int32_t x1, int32_t y1) {
  int32_t count = 0;
  for (int32_t y = y0; y < y1; y++)
    for (int32_t x = x0; x < x1; x++) count += at(x, y)[0] != 200;
  return count;
}

static bool has_color(double value) {
  uint8_t rgb[3];
  vw_map_color(value, rgb);
  for (int32_t i = 0; i < WIDTH * HEIGHT; i++) {
    int off = 0;
    for (int k = 0; k < 3; k++) off += abs(rgba[4 * i + k] - rgb[k]);
    if (off <= 9) return true;
  }
  return false;
}

static int32_t white_pixels(void) {
  int32_t count = 0;
  for (int32_t i = 0; i < WIDTH * HEIGHT; i++) count += rgba[4 * i] > 230;
  return count;
}

static void the_scale_has_all_colours_and_its_ends(void **state) {
  (void)state;
  memset(rgba, 200, sizeof rgba);
  vwLegend legend = { VW_MAP_STRESS, 0, 1.78e5, "Pa", "von Mises stress" };
  vw_legend_draw(&legend, WIDTH, HEIGHT, rgba);
  for (int i = 0; i < 10; i++) assert_true(has_color((i + 0.5) / 10));
  int32_t letters = white_pixels();
  print_message("  %d pixels of letters\n", (int)letters);
  assert_true(letters > 60);
  assert_int_equal(changed(0, 0, WIDTH / 2, HEIGHT), 0); // the rest of the picture is as it was
  assert_int_equal(changed(0, 0, WIDTH, HEIGHT / 2), 0);
  assert_true(changed(WIDTH / 2, HEIGHT / 2, WIDTH, HEIGHT) > 1000);
}

static void without_a_map_and_in_tiny_pictures_nothing_breaks(void **state) {
  (void)state;
  memset(rgba, 200, sizeof rgba);
  vwLegend none = { VW_MAP_NONE, 0, 1, "", "" };
  vw_legend_draw(&none, WIDTH, HEIGHT, rgba);
  assert_int_equal(changed(0, 0, WIDTH, HEIGHT), 0);
  vwLegend legend = { VW_MAP_SPEED, 0, 1e300, "m/s", "speed" };
  for (int32_t side = 1; side < 20; side++) vw_legend_draw(&legend, side, side, rgba);
  assert_int_equal(changed(0, 1, WIDTH, HEIGHT), 0); // 19 x 19 pixels fit into the first row
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_scale_has_all_colours_and_its_ends),
    cmocka_unit_test(without_a_map_and_in_tiny_pictures_nothing_breaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
