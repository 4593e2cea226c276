// The viewer as a whole, without a window: opening, settings, links, frames, the context's loss,
// and memory that runs out.
#include "viewer_fixture.h"

#include "limber/file.h"

// ---- opening -----------------------------------------------------------------------------------

static uint8_t *cooked_bar(size_t *count) {
  const char *path = output_path("viewer-bar.glb");
  lbScene *scene = scene_of(SUBSPACE_BAR);
  lbError err;
  check_ok(lb_scene_cook(scene, path, NULL, &err), err);
  lb_scene_destroy(scene);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  *count = (size_t)ftell(file);
  rewind(file);
  uint8_t *bytes = malloc(*count);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, *count, file), *count);
  fclose(file);
  return bytes;
}

static void bytes_open_and_bad_ones_keep_what_is_shown(void **state) {
  (void)state;
  vwViewer *viewer = empty_viewer();
  size_t count;
  uint8_t *bytes = cooked_bar(&count);
  lbError err;
  assert_true(vw_viewer_open_bytes(viewer, "no.glb", "nonsense", 8, &err) != LB_OK);
  assert_non_null(strstr(err.text, "no.glb"));
  assert_null(vw_viewer_stage(viewer));
  check_ok(vw_viewer_open_bytes(viewer, "bar.glb", bytes, count, &err), err);
  vwStage *stage = vw_viewer_stage(viewer);
  frame(viewer, 0.1);
  double time = vw_stage_time(stage);
  for (size_t length = 0; length < count; length += 1 + count / 50)
    assert_true(vw_viewer_open_bytes(viewer, "cut.glb", bytes, length, &err) != LB_OK);
  assert_ptr_equal(vw_viewer_stage(viewer), stage);
  check_near(vw_stage_time(stage), time, 0);
  frame(viewer, 0.1);
  assert_true(vw_stage_time(stage) > time);
  free(bytes);
  vw_viewer_destroy(viewer);
}

static void another_scene_replaces_everything(void **state) {
  (void)state;
  vwViewer *viewer = viewer_of(SUBSPACE_BAR);
  lbError err;
  double x, y;
  middle_of_bar(viewer, &x, &y);
  set(viewer, "wireframe", 1);
  vw_viewer_press(viewer, 0, VW_BUTTON_LEFT, 0, x, y);
  frame(viewer, 0.1);
  check_ok(vw_viewer_open(viewer, bundle_of(MODAL_BAR), &err), err);
  assert_int_equal(hold_count(viewer), 0);
  check_near(control(viewer, "wireframe"), 0, 0);
  vw_viewer_move(viewer, 0, 5, 5); // of a pointer that went down in the scene before
  frame(viewer, 0.1);
  vw_viewer_destroy(viewer);
}

// ---- settings ----------------------------------------------------------------------------------

static void every_setting_survives_every_value(void **state) {
  (void)state;
  static const double values[] = { NAN, INFINITY, -INFINITY, 1e300, -1e300, 1e-300, -1, 0, 0.5, 2 };
  vwViewer *viewer = viewer_of(SUBSPACE_BAR);
  lbError err;
  for (int32_t i = 0; i < vw_control_count(); i++) {
    if (vw_control(i)->kind == VW_BUTTON) continue;
    vwControlState before, after;
    vw_viewer_control(viewer, i, &before);
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
      lbStatus status = vw_viewer_set(viewer, i, values[v], &err);
      vw_viewer_control(viewer, i, &after);
      assert_true(!isnan(values[v]) || status == LB_ERR_ARGUMENT);
      if (!(after.value >= after.low && after.value <= after.high))
        fail_msg("%s = %g became %g", vw_control(i)->name, values[v], after.value);
      if (status) assert_true(err.text[0] != 0);
    }
    frame(viewer, 0.01);
    if (before.enabled) check_ok(vw_viewer_set(viewer, i, before.value, &err), err);
  }
  assert_int_equal(vw_viewer_set(viewer, -1, 1, &err), LB_ERR_ARGUMENT);
  assert_int_equal(vw_viewer_set(viewer, vw_control_count(), 1, &err), LB_ERR_ARGUMENT);
  vw_viewer_destroy(viewer);
}

static void settings_of_no_use_here_are_refused_with_the_reason(void **state) {
  (void)state;
  vwViewer *viewer = viewer_of(MODAL_BAR); // not editable
  lbError err;
  int32_t young = vw_control_find("young");
  vwControlState of_young;
  vw_viewer_control(viewer, young, &of_young);
  assert_false(of_young.enabled);
  check_fails(vw_viewer_set(viewer, young, 1e6, &err), LB_ERR_ARGUMENT, err, of_young.why);
  vw_viewer_destroy(viewer);
  viewer = empty_viewer();
  check_fails(vw_viewer_set(viewer, young, 1e6, &err), LB_ERR_ARGUMENT, err, "nothing is open");
  vw_viewer_destroy(viewer);
}

// ---- links -------------------------------------------------------------------------------------

static void links_go_round(void **state) {
  (void)state;
  vwViewer *viewer = viewer_of(SUBSPACE_BAR), *other = viewer_of(SUBSPACE_BAR);
  char text[1024], again[1024], cut[16];
  set(viewer, "speed", 0.25);
  set(viewer, "map", 2);
  set(viewer, "wireframe", 1);
  set(viewer, "gravity", 3.5);
  vw_viewer_camera(viewer)->azimuth = 1.25;
  vw_viewer_camera(viewer)->distance = 2.5;
  size_t length = vw_viewer_link(viewer, text, sizeof text);
  assert_int_equal(length, strlen(text));
  assert_non_null(strstr(text, "speed=0.25&"));
  vw_viewer_follow_link(other, text);
  vw_viewer_link(other, again, sizeof again);
  assert_string_equal(text, again);
  check_near(control(other, "gravity"), 3.5, 0);
  assert_int_equal(vw_viewer_link(viewer, cut, sizeof cut), length); // what it would have been
  assert_true(strlen(cut) < sizeof cut);
  assert_int_equal(vw_viewer_link(viewer, NULL, 0), length);
  vw_viewer_destroy(viewer);
  vw_viewer_destroy(other);
}

static void hostile_links_change_nothing(void **state) {
  (void)state;
  static const char *const links[] = {
    "",
    "&&&&",
    "=",
    "=1",
    "speed",
    "speed=",
    "speed=nan",
    "speed=inf",
    "speed=0x",
    "speed=1e999",
    "speed=fast",
    "quit=1",
    "reset=1&picture=1",
    "nothing=1",
    "distance=-1",
    "distance=0",
    "distance=1e300",
    "elevation=9",
    "at.x=nan&at.y=inf&at.z=-1e300",
    "azimuth=1e300",
    "%73peed=2",
    "speed=2;wireframe=1",
    "speed=2 ",
    "tool=3",
    "\xff\xfe=\x80",
  };
  vwViewer *viewer = viewer_of(SUBSPACE_BAR);
  char before[1024], after[1024];
  vw_viewer_link(viewer, before, sizeof before);
  for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
    vw_viewer_follow_link(viewer, links[i]);
    vw_viewer_link(viewer, after, sizeof after);
    if (strcmp(before, after)) fail_msg("\"%s\" made it \"%s\"", links[i], after);
    assert_int_equal(vw_viewer_wish(viewer), VW_WISH_NONE);
  }
  char *longest = malloc(100001);
  memset(longest, 'a', 100000);
  longest[50000] = '=';
  longest[100000] = 0;
  vw_viewer_follow_link(viewer, longest);
  free(longest);
  vw_viewer_follow_link(viewer, "young=1e300&poisson=-5&rate=1e9&dimension=-1&mode=1e9&map=77");
  frame(viewer, 0.05); // values are clamped
  vw_viewer_link(viewer, after, sizeof after);
  assert_null(strstr(after, "nan"));
  vw_viewer_destroy(viewer);
}

// ---- pictures ----------------------------------------------------------------------------------

static double mean_difference(const uint8_t *a, const uint8_t *b) {
  double sum = 0;
  for (int i = 0; i < 4 * PIXELS; i++) sum += abs(a[i] - b[i]);
  return sum / (4 * PIXELS);
}

static void pictures_by_the_gpu_and_by_the_cpu_agree(void **state) {
  (void)state;
  vwViewer *viewer = viewer_of(SUBSPACE_BAR);
  uint8_t *by_gpu = malloc(4 * PIXELS), *by_cpu = malloc(4 * PIXELS), *moved = malloc(4 * PIXELS);
  read_picture(viewer, moved); // at rest
  set(viewer, "gravity", 50);
  for (int i = 0; i < 20; i++) frame(viewer, 0.02);
  for (int map = 0; map < VW_MAP_COUNT; map++) {
    set(viewer, "map", map);
    set(viewer, "on_gpu", 1);
    read_picture(viewer, by_gpu);
    set(viewer, "on_gpu", 0);
    read_picture(viewer, by_cpu);
    check_small(mean_difference(by_gpu, by_cpu), 0.1); // of 255
    if (map == VW_MAP_NONE && !(mean_difference(by_gpu, moved) > 0.8))
      fail_msg("the bar has not moved: %.3e", mean_difference(by_gpu, moved));
    print_message("map %d: %.3e\n", map, mean_difference(by_gpu, by_cpu));
    vwLegend legend = vw_viewer_legend(viewer);
    assert_int_equal(legend.map, map);
    if (map) assert_true(legend.high > 0 && legend.title[0]);
    if (map && map != VW_MAP_WEIGHT) assert_true(legend.unit[0] != 0);
  }
  free(by_gpu);
  free(by_cpu);
  free(moved);
  vw_viewer_destroy(viewer);
}

static void a_lost_context_comes_back_with_the_same_picture(void **state) {
  (void)state;
  vwViewer *viewer = viewer_of(MODAL_BAR);
  lbError err;
  uint8_t *before = malloc(4 * PIXELS), *after = malloc(4 * PIXELS);
  frame(viewer, 0.2);
  read_picture(viewer, before);
  vw_viewer_context_lost(viewer);
  vw_viewer_context_lost(viewer);
  assert_string_equal(vw_viewer_device(viewer), "");
  vw_viewer_draw(viewer, 0);
  vw_viewer_frame(viewer, 0, 0);
  check_ok(vw_viewer_context_restored(viewer, &err), err);
  check_ok(vw_viewer_context_restored(viewer, &err), err);
  assert_true(vw_viewer_device(viewer)[0] != 0);
  read_picture(viewer, after);
  check_small(mean_difference(before, after), 0.01);
  free(before);
  free(after);
  vw_viewer_destroy(viewer);
}

static void sizes_of_nothing_draw_nothing_and_come_back(void **state) {
  (void)state;
  vwViewer *viewer = viewer_of(MODAL_BAR);
  static const int32_t sizes[][2] = { { 0, 0 },   { -5, 10 },  { 1, 1 }, { INT32_MIN, INT32_MIN },
                                      { 0, 120 }, { WIDTH, 0 } };
  uint8_t *before = malloc(4 * PIXELS), *after = malloc(4 * PIXELS);
  read_picture(viewer, before);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    vw_viewer_resize(viewer, sizes[i][0], sizes[i][1]);
    frame(viewer, 0);
    vw_viewer_press(viewer, 0, VW_BUTTON_LEFT, 0, 1, 1);
    vw_viewer_move(viewer, 0, 1, 1);
    vw_viewer_release(viewer, 0, 0);
    vw_viewer_key(viewer, 'f', 0);
  }
  vw_viewer_resize(viewer, WIDTH, HEIGHT);
  *vw_viewer_camera(viewer) = vw_stage_camera(vw_viewer_stage(viewer), WIDTH, HEIGHT);
  read_picture(viewer, after);
  check_small(mean_difference(before, after), 0.01);
  free(before);
  free(after);
  vw_viewer_destroy(viewer);
}

static void everything_that_can_be_shown_is_drawn(void **state) {
  (void)state;
  static const char *const shown[] = { "wireframe", "simulation_mesh", "fixed_nodes" };
  vwViewer *viewer = viewer_of(SUBSPACE_BAR);
  uint8_t *plain = malloc(4 * PIXELS), *with = malloc(4 * PIXELS);
  double x, y;
  read_picture(viewer, plain);
  for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
    set(viewer, shown[i], 1);
    read_picture(viewer, with);
    if (!(mean_difference(plain, with) > 0.01)) fail_msg("%s is not seen", shown[i]);
    set(viewer, shown[i], 0);
  }
  middle_of_bar(viewer, &x, &y);
  vw_viewer_press(viewer, 0, VW_BUTTON_LEFT, 0, x, y);
  vw_viewer_move(viewer, 0, x, y - 30);
  read_picture(viewer, with);
  assert_true(mean_difference(plain, with) > 0.05); // the line of the grab
  vw_viewer_release(viewer, 0, 0);
  set(viewer, "compare", 1);
  assert_true(vw_stage_actor_count(vw_viewer_stage(viewer)) > 1);
  vwView view = vw_camera_view(vw_viewer_camera(viewer), WIDTH, HEIGHT);
  for (int32_t i = 0; i < vw_stage_actor_count(vw_viewer_stage(viewer)); i++) { // all in sight
    lbVec3 place = vertex_of(vw_viewer_stage(viewer), i, 0, 0);
    assert_true(vw_view_project(&view, place, &x, &y));
    assert_true(x > 0 && x < WIDTH && y > 0 && y < HEIGHT);
  }
  read_picture(viewer, with);
  assert_true(mean_difference(plain, with) > 0.1);
  free(plain);
  free(with);
  vw_viewer_destroy(viewer);
}

// ---- memory that runs out ----------------------------------------------------------------------

static void opening_with_too_little_memory_keeps_what_is_shown(void **state) {
  (void)state;
  if (!offscreen) skip();
  size_t count;
  uint8_t *bytes = cooked_bar(&count);
  lbError err;
  CheckedHeap heap = { .fail_at = -1 };
  lbAllocator allocator = checked_allocator(&heap);
  lb_set_allocator(&allocator);
  vwViewer *viewer = empty_viewer();
  check_ok(vw_viewer_open_bytes(viewer, "bar.glb", bytes, count, &err), err);
  frame(viewer, 0.01);
  lbStatus status = LB_ERR_MEMORY;
  for (int64_t n = 0; status; n++) {
    vwStage *stage = vw_viewer_stage(viewer);
    int64_t live = heap.live;
    heap.fail_at = heap.count + n;
    status = vw_viewer_open_bytes(viewer, "bar.glb", bytes, count, &err);
    heap.fail_at = -1;
    if (!status) break;
    assert_int_equal(status, LB_ERR_MEMORY);
    assert_int_equal(heap.live, live);
    assert_ptr_equal(vw_viewer_stage(viewer), stage);
    assert_true(n < 10000);
  }
  frame(viewer, 0.01);
  vw_viewer_destroy(viewer);
  assert_int_equal(heap.live, 0);
  lb_set_allocator(NULL);
  free(bytes);
}

static void drawing_with_too_little_memory_says_so_or_leaves_something_out(void **state) {
  (void)state;
  if (!offscreen) skip();
  size_t count;
  uint8_t *bytes = cooked_bar(&count);
  lbError err;
  CheckedHeap heap = { .fail_at = -1 };
  lbAllocator allocator = checked_allocator(&heap);
  lb_set_allocator(&allocator);
  vwViewer *viewer = empty_viewer();
  bool failed = true;
  for (int64_t n = 0; failed; n++) {
    check_ok(vw_viewer_open_bytes(viewer, "bar.glb", bytes, count, &err), err);
    set(viewer, "map", VW_MAP_STRESS);
    set(viewer, "simulation_mesh", 1);
    set(viewer, "on_gpu", n % 2);
    heap.fail_at = heap.count + n;
    vw_viewer_draw(viewer, vw_offscreen_target(offscreen));
    failed = heap.count > heap.fail_at;
    heap.fail_at = -1;
    vw_viewer_draw(viewer, vw_offscreen_target(offscreen));
    assert_true(n < 10000);
  }
  vw_viewer_destroy(viewer);
  assert_int_equal(heap.live, 0);
  lb_set_allocator(NULL);
  free(bytes);
}

// ---- the document ------------------------------------------------------------------------------

static void the_document_names_every_control_and_key(void **state) {
  (void)state;
  FILE *file = fopen("docs/viewer.md", "rb");
  assert_non_null(file);
  static char text[200000];
  size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = 0;
  for (int32_t i = 0; i < vw_control_count(); i++) {
    const vwControl *entry = vw_control(i);
    char row[256];
    int used = snprintf(row, sizeof row, "| `%s` | %s |", entry->name, entry->label);
    if (entry->key)
      snprintf(row + used, sizeof row - (size_t)used, entry->key == ' ' ? " space |" : " `%c` |",
               entry->key);
    if (!strstr(text, row)) fail_msg("docs/viewer.md has no row \"%s\"", row);
  }
  for (int32_t i = 0; i < vw_shortcut_count(); i++) {
    char row[128];
    snprintf(row, sizeof row, "| `%c` | %s |", vw_shortcut(i)->key, vw_shortcut(i)->what);
    if (!strstr(text, row)) fail_msg("docs/viewer.md has no row \"%s\"", row);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bytes_open_and_bad_ones_keep_what_is_shown),
    cmocka_unit_test(another_scene_replaces_everything),
    cmocka_unit_test(every_setting_survives_every_value),
    cmocka_unit_test(settings_of_no_use_here_are_refused_with_the_reason),
    cmocka_unit_test(links_go_round),
    cmocka_unit_test(hostile_links_change_nothing),
    cmocka_unit_test(pictures_by_the_gpu_and_by_the_cpu_agree),
    cmocka_unit_test(a_lost_context_comes_back_with_the_same_picture),
    cmocka_unit_test(sizes_of_nothing_draw_nothing_and_come_back),
    cmocka_unit_test(everything_that_can_be_shown_is_drawn),
    cmocka_unit_test(opening_with_too_little_memory_keeps_what_is_shown),
    cmocka_unit_test(drawing_with_too_little_memory_says_so_or_leaves_something_out),
    cmocka_unit_test(the_document_names_every_control_and_key),
  };
  return cmocka_run_group_tests(tests, start_offscreen, stop_offscreen);
}
