// Volume images: the same numbers from every format, places, and files that are not whole.
#include "check.h"
#include "limber/file.h"
#include "arrayio/image.h"

static const char *const seeds[] = { "little.nii", "big.nii",  "double.nii",
                                     "bytes.nrrd", "big.nrrd", "float.nrrd" };
enum { SEEDS = sizeof seeds / sizeof *seeds };

static char *content_of(const char *name, size_t *bytes) {
  char path[256], *content;
  lbError err;
  snprintf(path, sizeof path, "fuzz/corpus/image/%s", name);
  check_ok(lb_file_read(path, &content, bytes, &err), err);
  return content;
}

static void check_image(const lbImage *image) {
  assert_int_equal(image->size[0] * 100 + image->size[1] * 10 + image->size[2], 234);
  for (int32_t i = 0; i < 24; i++) {
    lbVec3 at =
        lb_vec3(0.010 + 0.002 * (i % 2), 0.020 + 0.003 * (i / 2 % 3), 0.030 + 0.004 * (i / 6));
    check_near(image->values[i], i, 0);
    check_near(lb_image_at(image, at), i, 1e-5);
  }
  // between: the number is 1 x + 2 y + 6 z in steps
  check_near(lb_image_at(image, lb_vec3(0.011, 0.0215, 0.033)), 0.5 + 2 * 0.5 + 6 * 0.75, 1e-5);
  check_near(lb_image_at(image, lb_vec3(-1, -1, -1)), 0, 1e-6);
  check_near(lb_image_at(image, lb_vec3(1, 1, 1)), 23, 1e-5);
  check_near(image->low, 0, 0);
  check_near(image->high, 23, 0);
}

static void every_format_has_the_same_numbers(void **state) {
  (void)state;
  for (int k = 0; k < SEEDS; k++) {
    size_t bytes;
    char *content = content_of(seeds[k], &bytes);
    lbImage *image;
    lbError err;
    check_ok(lb_image_parse(seeds[k], content, bytes, &image, &err), err);
    check_image(image);
    lb_image_destroy(image);
    lb_free(content);
  }
  uint8_t raw[48];
  for (int i = 0; i < 24; i++) raw[2 * i] = 0, raw[2 * i + 1] = (uint8_t)i;
  lbRawImage layout = {
    { 2, 3, 4 }, LB_SCALAR_INT16, true, { 0.002, 0.003, 0.004 }, { 0.01, 0.02, 0.03 }
  };
  lbImage *image;
  lbError err;
  check_ok(lb_image_parse_raw("raw", (const char *)raw, 48, &layout, &image, &err), err);
  check_image(image);
  lb_image_fit(image, lb_vec3(1, 1, 1), lb_vec3(3, 4, 5));
  check_near(lb_image_at(image, lb_vec3(1.5, 1.5, 1.5)), 0, 1e-6);
  check_near(lb_image_at(image, lb_vec3(2.5, 3.5, 4.5)), 23, 1e-5);
  lb_image_destroy(image);
  check_fails(lb_image_parse_raw("raw", (const char *)raw, 47, &layout, &image, &err),
              LB_ERR_FORMAT, err, "47 bytes");
}

static void files_that_are_cut_off_are_refused(void **state) {
  (void)state;
  for (int k = 0; k < SEEDS; k++) {
    size_t bytes;
    char *content = content_of(seeds[k], &bytes);
    for (size_t length = 0; length < bytes; length++) {
      char *part = malloc(length + 1);
      lbImage *image = NULL;
      lbError err;
      memcpy(part, content, length);
      part[length] = '\0';
      lbStatus status = lb_image_parse("part", part, length, &image, &err);
      assert_true(status == LB_ERR_FORMAT || status == LB_ERR_UNSUPPORTED);
      free(part);
    }
    lb_free(content);
  }
}

// A change of some bytes of a file, and what is said.
static void check_changed(const char *name, size_t at, const char *to, size_t count,
                          const char *says) {
  size_t bytes;
  char *content = content_of(name, &bytes);
  lbImage *image = NULL;
  lbError err;
  memcpy(content + at, to, count);
  lbStatus status = lb_image_parse(name, content, bytes, &image, &err);
  assert_true(status == LB_ERR_FORMAT || status == LB_ERR_UNSUPPORTED);
  if (!strstr(err.text, says)) fail_msg("expected \"%s\", got: %s", says, err.text);
  lb_free(content);
}

static void bad_headers_are_named(void **state) {
  (void)state;
  check_changed("little.nii", 0, "\x1f\x8b", 2, "compressed");
  check_changed("little.nii", 0, "abcd", 4, "neither");
  check_changed("little.nii", 344, "ni1", 3, "another file");
  check_changed("little.nii", 40, "\x09", 1, "9 axes");
  check_changed("little.nii", 40, "\x04\0\2\0\3\0\4\0\5", 9, "single volume");
  check_changed("little.nii", 42, "\xff\x7f", 2, "do not fit");
  check_changed("little.nii", 42, "\xff\xff", 2, "-1 values");
  check_changed("little.nii", 70, "\x01\x01", 2, "type 257");
  check_changed("little.nii", 108, "\0\0\0\0", 4, "begin at byte 0");
  check_changed("little.nii", 280, "\0\0\0\0", 4, "do not span");
  check_changed("double.nii", 352, "\0\0\0\0\0\0\xf0\x7f", 8, "not a finite");
  check_changed("bytes.nrrd", 27, "utter", 5, "\"utter\" are not read");
  check_changed("bytes.nrrd", 44, "4", 1, "4 axes");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_format_has_the_same_numbers),
    cmocka_unit_test(files_that_are_cut_off_are_refused),
    cmocka_unit_test(bad_headers_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
