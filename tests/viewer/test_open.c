// Opening what a user names, and the list of the gallery.
#include "check.h"

#include "desktop/open.h"
#include "limber/body.h"

#include <sys/stat.h>

static const char *write_file(const char *name, const char *text) {
  const char *path = output_path(name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  fclose(file);
  return path;
}

static void what_cannot_be_opened_is_named(void **state) {
  (void)state;
  static const struct {
    const char *name, *text;
  } bad[] = { { "viewer-bad.json", "{ \"limber\": 1," },
              { "viewer-bad.glb", "glTF" },
              { "viewer-bad.obj", "no mesh" },
              { "viewer-bad.txt", "nor here" },
              { "viewer-empty.obj", "" },
              { "viewer-empty.json", "" } };
  lbBundle *bundle = NULL;
  lbError err;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const char *path = write_file(bad[i].name, bad[i].text);
    assert_true(vw_open(path, &bundle, &err) != LB_OK);
    if (!strstr(err.text, bad[i].name)) fail_msg("%s: %s", bad[i].name, err.text);
    assert_null(bundle);
  }
  check_fails(vw_open("nowhere/at-all.glb", &bundle, &err), LB_ERR_FILE, err, "at-all.glb");
  assert_true(vw_open("", &bundle, &err) != LB_OK);
  assert_null(bundle);
}

static void a_surface_becomes_a_body(void **state) {
  (void)state;
  const char *path =
      write_file("viewer-box.obj", "v 0 0 0\nv 1 0 0\nv 0 .06 0\nv 1 .06 0\nv 0 0 .06\nv 1 0 .06\n"
                                   "v 0 .06 .06\nv 1 .06 .06\nf 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\n"
                                   "f 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
  lbBundle *bundle = NULL;
  lbError err;
  check_ok(vw_open(path, &bundle, &err), err);
  assert_int_equal(bundle->model_count, 1);
  lb_bundle_destroy(bundle);
}

static void the_gallery_lists_its_scenes_in_order(void **state) {
  (void)state;
  vwGallery *gallery = NULL;
  lbError err;
  check_ok(vw_gallery_load("scenes", &gallery, &err), err);
  assert_true(gallery->count >= 10);
  for (int32_t i = 0; i < gallery->count; i++) {
    const vwGalleryItem *item = &gallery->items[i];
    struct stat about;
    assert_int_equal(stat(item->path, &about), 0);
    assert_true(item->title[0] && item->hint[0]);
    assert_null(strstr(item->title, ".json"));
  }
  vw_gallery_destroy(gallery);
  vw_gallery_destroy(NULL);
}

static void galleries_with_something_wrong_are_refused_or_listed(void **state) {
  (void)state;
  char folder[512];
  snprintf(folder, sizeof folder, "%s", output_path("viewer-gallery"));
  mkdir(folder, 0777);
  vwGallery *gallery = NULL;
  lbError err;
  static const char *const refused[] = { "", "{}", "[1]", "[\"a\", null]", "[\"a\"" };
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    write_file("viewer-gallery/gallery.json", refused[i]);
    assert_true(vw_gallery_load(folder, &gallery, &err) != LB_OK);
    assert_non_null(strstr(err.text, "gallery.json"));
    assert_null(gallery);
  }
  write_file("viewer-gallery/gallery.json", "[\"missing.json\", \"broken.json\", \"good.json\"]");
  write_file("viewer-gallery/broken.json", "{");
  write_file("viewer-gallery/good.json", "{ \"title\": \"Good\", \"try\": 5 }");
  check_ok(vw_gallery_load(folder, &gallery, &err), err);
  assert_int_equal(gallery->count, 3);
  assert_string_equal(gallery->items[0].title, "missing.json");
  assert_string_equal(gallery->items[1].title, "broken.json");
  assert_string_equal(gallery->items[2].title, "Good");
  assert_string_equal(gallery->items[2].hint, "");
  vw_gallery_destroy(gallery);
  gallery = NULL;
  check_fails(vw_gallery_load("nowhere", &gallery, &err), LB_ERR_FILE, err, "nowhere");
  check_ok(vw_gallery_of_file("a/b/c.glb", &gallery, &err), err);
  assert_string_equal(gallery->items[0].title, "c.glb");
  vw_gallery_destroy(gallery);
}

static void a_gallery_without_memory_fails_cleanly(void **state) {
  (void)state;
  CheckedHeap heap = { .fail_at = -1 };
  lbAllocator allocator = checked_allocator(&heap);
  lb_set_allocator(&allocator);
  lbStatus status = LB_ERR_MEMORY;
  lbError err;
  for (int64_t n = 0; status; n++) {
    vwGallery *gallery = NULL;
    heap.fail_at = heap.count + n;
    status = vw_gallery_load("scenes", &gallery, &err);
    heap.fail_at = -1;
    assert_true(!status || status == LB_ERR_MEMORY);
    assert_true(!status || !gallery);
    vw_gallery_destroy(gallery);
    assert_int_equal(heap.live, 0);
    assert_true(n < 10000);
  }
  lb_set_allocator(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_cannot_be_opened_is_named),
    cmocka_unit_test(a_surface_becomes_a_body),
    cmocka_unit_test(the_gallery_lists_its_scenes_in_order),
    cmocka_unit_test(galleries_with_something_wrong_are_refused_or_listed),
    cmocka_unit_test(a_gallery_without_memory_fails_cleanly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
