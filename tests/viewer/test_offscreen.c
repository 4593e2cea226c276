// Drawing without a display, reading back, and pictures in files.
#include "check.h"

#include "desktop/offscreen.h"
#include "desktop/picture.h"

#include <epoxy/gl.h>

// The drivers keep memory of their own until the program ends, and are unloaded before leaks are
// looked for.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:_dri.so\nleak:libgallium\nleak:libEGL\nleak:libepoxy\nleak:libLLVM\n"
         "leak:<unknown module>\n";
}

static vwOffscreen *offscreen_or_skip(int32_t width, int32_t height) {
  lbError err;
  vwOffscreen *offscreen = NULL;
  if (vw_offscreen_create(width, height, &offscreen, &err) != LB_OK) {
    print_message("skipped: %s\n", err.text);
    skip();
  }
  return offscreen;
}

static void paint(const vwOffscreen *offscreen) { // red above, blue below; one green corner pixel
  int32_t width = vw_offscreen_width(offscreen), height = vw_offscreen_height(offscreen);
  glBindFramebuffer(GL_FRAMEBUFFER, vw_offscreen_target(offscreen));
  glClearColor(1, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  glEnable(GL_SCISSOR_TEST);
  glScissor(0, 0, width, height / 2);
  glClearColor(0, 0, 1, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  glScissor(0, height - 1, 1, 1);
  glClearColor(0, 1, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  glDisable(GL_SCISSOR_TEST);
}

static void check_painted(const uint8_t *rgba, int32_t width, int32_t height) {
  static const uint8_t red[3] = { 255, 0, 0 }, green[3] = { 0, 255, 0 }, blue[3] = { 0, 0, 255 };
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x < width; x++) {
      const uint8_t *expected = y >= (height + 1) / 2 ? blue : x || y ? red : green;
      assert_memory_equal(rgba + 4 * ((size_t)y * (size_t)width + (size_t)x), expected, 3);
    }
}

static void pictures_come_back_top_row_first_also_after_a_resize(void **state) {
  (void)state;
  static const int32_t sizes[][2] = { { 1500, 7 }, { 64, 48 }, { 1, 1 }, { 33, 5 } };
  lbError err;
  vwOffscreen *offscreen = offscreen_or_skip(10, 10);
  assert_true(vw_offscreen_device(offscreen)[0] != 0);
  uint8_t *rgba = malloc(1500 * 48 * 4);
  for (int i = 0; i < 4; i++) {
    check_ok(vw_offscreen_resize(offscreen, sizes[i][0], sizes[i][1], &err), err);
    paint(offscreen);
    check_ok(vw_offscreen_read(offscreen, rgba, &err), err);
    check_painted(rgba, sizes[i][0], sizes[i][1]);
  }
  free(rgba);
  vw_offscreen_destroy(offscreen);
}

static void absurd_sizes_are_refused_and_the_old_one_stays(void **state) {
  (void)state;
  lbError err;
  vwOffscreen *offscreen = NULL;
  check_fails(vw_offscreen_create(0, 10, &offscreen, &err), LB_ERR_ARGUMENT, err, "0 x 10");
  check_fails(vw_offscreen_create(10, 1 << 20, &offscreen, &err), LB_ERR_ARGUMENT, err, "1048576");
  assert_null(offscreen);
  offscreen = offscreen_or_skip(8, 6);
  check_fails(vw_offscreen_resize(offscreen, -1, 6, &err), LB_ERR_ARGUMENT, err, "-1 x 6");
  assert_int_equal(vw_offscreen_width(offscreen), 8);
  uint8_t rgba[8 * 6 * 4];
  paint(offscreen);
  check_ok(vw_offscreen_read(offscreen, rgba, &err), err);
  check_painted(rgba, 8, 6);
  vw_offscreen_destroy(offscreen);
}

static void contexts_can_be_made_again_and_beside_each_other(void **state) {
  (void)state;
  lbError err;
  vwOffscreen *first = offscreen_or_skip(4, 4), *second = offscreen_or_skip(6, 2);
  uint8_t rgba[64];
  vw_offscreen_make_current(first);
  paint(first);
  check_ok(vw_offscreen_read(first, rgba, &err), err);
  check_painted(rgba, 4, 4);
  vw_offscreen_make_current(second);
  paint(second);
  check_ok(vw_offscreen_read(second, rgba, &err), err);
  check_painted(rgba, 6, 2);
  vw_offscreen_destroy(first);
  vw_offscreen_destroy(second);
  vw_offscreen_destroy(offscreen_or_skip(4, 4));
}

// The same display serves every context: the first that ends must not take it from the others.
static void a_context_outlives_another(void **state) {
  (void)state;
  lbError err;
  vwOffscreen *first = offscreen_or_skip(4, 4), *second = offscreen_or_skip(6, 2);
  vw_offscreen_destroy(first);
  uint8_t rgba[48];
  vw_offscreen_make_current(second);
  paint(second);
  check_ok(vw_offscreen_read(second, rgba, &err), err);
  check_painted(rgba, 6, 2);
  vw_offscreen_destroy(second);
}

static void a_png_is_read_as_it_was_written(void **state) {
  (void)state;
  enum { WIDTH = 37, HEIGHT = 23 };
  lbError err;
  uint8_t rgba[WIDTH * HEIGHT * 4], *back = NULL;
  uint64_t seed = 3;
  for (size_t i = 0; i < sizeof rgba; i++)
    rgba[i] = (uint8_t)(i % 4 == 3 ? 255 : 127 + 127 * check_random(&seed));
  const char *path = output_path("offscreen.png");
  check_ok(vw_png_save(path, WIDTH, HEIGHT, rgba, &err), err);
  int32_t width = 0, height = 0;
  check_ok(vw_picture_load(path, &width, &height, &back, &err), err);
  assert_int_equal(width, WIDTH);
  assert_int_equal(height, HEIGHT);
  assert_memory_equal(back, rgba, sizeof rgba);
  lb_free(back);
}

static void pictures_that_cannot_be_written_or_read_say_so(void **state) {
  (void)state;
  lbError err;
  uint8_t *rgba = calloc(200 * 200, 4), *back = NULL;
  int32_t width, height;
  check_fails(vw_png_save("/nowhere/at/all.png", 2, 2, rgba, &err), LB_ERR_FILE, err,
              "/nowhere/at/all.png");
  check_fails(vw_png_save("/dev/full", 200, 200, rgba, &err), LB_ERR_FILE, err, "/dev/full");
  check_fails(vw_png_save("x.png", 0, 200, rgba, &err), LB_ERR_ARGUMENT, err, "0 x 200");
  check_fails(vw_picture_load("README.md", &width, &height, &back, &err), LB_ERR_FORMAT, err,
              "README.md");
  check_fails(vw_picture_load("missing.png", &width, &height, &back, &err), LB_ERR_FILE, err,
              "missing.png");
  assert_null(back);
  free(rgba);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(pictures_come_back_top_row_first_also_after_a_resize),
    cmocka_unit_test(absurd_sizes_are_refused_and_the_old_one_stays),
    cmocka_unit_test(contexts_can_be_made_again_and_beside_each_other),
    cmocka_unit_test(a_context_outlives_another),
    cmocka_unit_test(a_png_is_read_as_it_was_written),
    cmocka_unit_test(pictures_that_cannot_be_written_or_read_say_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
