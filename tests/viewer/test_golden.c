// Pictures of small scenes of our own against those in tests/viewer/golden, made by limber itself,
// by how different they look (picture_compare.h). After a wanted change of looks make them anew and
// look at them:
//
//   LIMBER_GOLDEN=write build/test-viewer-golden
//
// What differs is left in the build folder under the same name.
#include "picture_compare.h"

#include "limber/file.h"
#include "desktop/open.h"
#include "desktop/picture.h"
#include "desktop/render.h"

enum { WIDTH = 320, HEIGHT = 180 };
#define FOLDER "tests/viewer/golden/"

// The drivers keep memory of their own until the program ends, and are unloaded before leaks are
// looked for.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:_dri.so\nleak:libgallium\nleak:libEGL\nleak:libepoxy\nleak:libLLVM\n"
         "leak:<unknown module>\n";
}

typedef struct Shot {
  const char *name, *scene;
  double time;
  const char *settings;
  double azimuth; // degrees; NAN: the scene's
  bool textured;
} Shot;

static const Shot shots[] = {
  { "bar", FOLDER "bar.json", 0.25, NULL, NAN, false },
  { "bar-stress", FOLDER "bar.json", 0.25, "map=stress,wireframe=1,legend=0", NAN, false },
  { "sphere", FOLDER "sphere.json", 0, NULL, NAN, true },
  { "stems", FOLDER "stems.json", 0.2, NULL, NAN, false },
  { "torus", FOLDER "torus.json", 0, NULL, NAN, false },
};
enum { SHOT_COUNT = sizeof shots / sizeof *shots };

// ---- making pictures ---------------------------------------------------------------------------

// A chequered texture on the bundle's only model; a bundle of its own.
static lbBundle *with_texture(lbBundle *plain) {
  enum { SIDE = 128 };
  lbError err;
  uint8_t *rgba = calloc(SIDE * SIDE, 4);
  for (int i = 0; i < SIDE * SIDE; i++) {
    bool dark = (i % SIDE / 8 + i / SIDE / 16) % 2;
    rgba[4 * i] = dark ? 40 : 230, rgba[4 * i + 1] = dark ? 90 : 220;
    rgba[4 * i + 2] = dark ? 160 : (uint8_t)(60 + i / SIDE);
  }
  const char *path = output_path("golden-texture.png");
  check_ok(vw_png_save(path, SIDE, SIDE, rgba, &err), err);
  char *bytes = NULL;
  size_t count = 0;
  check_ok(lb_file_read(path, &bytes, &count, &err), err);
  lbModel draft = *plain->models[0], *model = NULL;
  int32_t *looks = calloc((size_t)draft.size.triangle_count, sizeof *looks), texture = 0;
  float color[4] = { 1, 1, 1, 1 }, metal_roughness[2] = { 0, 0.4f };
  int64_t range[2] = { 0, (int64_t)count };
  draft.size.appearance_count = draft.size.texture_count = 1;
  draft.triangle_appearances = looks, draft.appearance_names = "chequered",
  draft.appearance_colors = color;
  draft.appearance_metal_roughness = metal_roughness, draft.appearance_textures = &texture;
  draft.texture_names = "", draft.texture_mimes = "image/png", draft.texture_ranges = range;
  draft.pictures = (const uint8_t *)bytes, draft.pictures_bytes = count;
  check_ok(lb_model_create(&draft, &model, &err), err);
  lbBundle *bundle = NULL;
  check_ok(lb_bundle_create(&model, 1, NULL, &bundle, &err), err);
  lb_bundle_destroy(plain);
  lb_free(bytes);
  free(looks), free(rgba);
  return bundle;
}

// Renders to a file of the build folder and reads it; free with lb_free.
static uint8_t *render(const Shot *shot, const char *output) {
  lbError err;
  lbBundle *bundle = NULL;
  vwRender *job = NULL;
  vwRenderReport report;
  vwRenderDef def = vw_render_def();
  def.output = output;
  def.width = WIDTH, def.height = HEIGHT;
  def.to = shot->time;
  def.settings = shot->settings;
  def.azimuth = shot->azimuth;
  if (vw_render_begin(&def, &job, &err)) {
    print_message("skipped: %s\n", err.text);
    skip();
  }
  check_ok(vw_open(shot->scene, &bundle, &err), err);
  if (shot->textured) bundle = with_texture(bundle);
  check_ok(vw_render_run(job, bundle, &report, &err), err);
  vw_render_destroy(job);
  int32_t width = 0, height = 0;
  uint8_t *rgba = NULL;
  check_ok(vw_picture_load(output, &width, &height, &rgba, &err), err);
  assert_int_equal(width, WIDTH);
  assert_int_equal(height, HEIGHT);
  return rgba;
}

static const char *golden_path(const Shot *shot) {
  static char path[128];
  snprintf(path, sizeof path, FOLDER "%s.png", shot->name);
  return path;
}

static uint8_t *golden(const Shot *shot) {
  lbError err;
  int32_t width = 0, height = 0;
  uint8_t *rgba = NULL;
  check_ok(vw_picture_load(golden_path(shot), &width, &height, &rgba, &err), err);
  assert_true(width == WIDTH && height == HEIGHT);
  return rgba;
}

static void print_score(const char *name, PictureScore score) {
  print_message("%s: mean %.3f (tolerance %.2f), worst %.2f (tolerance %.1f) at %d, %d\n", name,
                score.mean, PICTURE_MEAN_TOLERANCE, score.worst, PICTURE_WORST_TOLERANCE,
                (int)score.x, (int)score.y);
}

static void check_shot(const Shot *shot) {
  char name[64];
  snprintf(name, sizeof name, "%s.png", shot->name);
  uint8_t *made = render(shot, output_path(name)), *kept = golden(shot);
  PictureScore score = picture_compare(made, kept, WIDTH, HEIGHT);
  print_score(shot->name, score);
  lb_free(made), lb_free(kept);
  assert_true(picture_alike(score));
}

static void a_bent_bar_looks_as_ever(void **state) { (void)state, check_shot(&shots[0]); }
static void stress_and_wireframe_look_as_ever(void **state) { (void)state, check_shot(&shots[1]); }
static void a_textured_sphere_looks_as_ever(void **state) { (void)state, check_shot(&shots[2]); }
static void instances_look_as_ever(void **state) { (void)state, check_shot(&shots[3]); }
static void metal_ground_and_sky_look_as_ever(void **state) { (void)state, check_shot(&shots[4]); }

// ---- what the comparison can tell --------------------------------------------------------------

static void check_differs(const char *what, const uint8_t *a, const uint8_t *b) {
  PictureScore score = picture_compare(a, b, WIDTH, HEIGHT);
  print_score(what, score);
  assert_false(picture_alike(score));
}

// Other settings that change the picture a little.
static void small_changes_of_light_and_place_are_noticed(void **state) {
  (void)state;
  static const Shot changed[] = {
    { "no shadow", FOLDER "bar.json", 0.25, "shadows=0", NAN, false },
    { "0.01 s later", FOLDER "bar.json", 0.26, NULL, NAN, false },
    { "turned by 1 degree", FOLDER "bar.json", 0.25, "azimuth=-0.5184", NAN, false },
    { "no wires", FOLDER "bar.json", 0.25, "map=stress,legend=0", NAN, false },
  };
  for (int i = 0; i < 4; i++) {
    uint8_t *made = render(&changed[i], output_path("changed.png"));
    uint8_t *kept = golden(&shots[i == 3 ? 1 : 0]);
    check_differs(changed[i].name, made, kept);
    lb_free(made), lb_free(kept);
  }
}

static uint8_t clamp_byte(double value) {
  return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value + 0.5);
}

static void small_changes_of_pixels_are_noticed(void **state) {
  (void)state;
  uint8_t *kept = golden(&shots[0]), *other = malloc(WIDTH * HEIGHT * 4);
  enum { BYTES = WIDTH * HEIGHT * 4 };
  for (int i = 0; i < BYTES; i++) other[i] = clamp_byte(kept[i] * 0.98); // 2 % darker
  check_differs("2 % darker", other, kept);
  memcpy(other, kept, BYTES);
  for (int i = 0; i < BYTES; i += 4) // what is orange becomes a little redder
    if (kept[i] > kept[i + 2] + 60) other[i + 1] = clamp_byte(kept[i + 1] * 0.93);
  check_differs("redder bar", other, kept);
  memmove(other + 4, kept, BYTES - 4); // all of it a pixel to the right
  check_differs("a pixel to the right", other, kept);
  lb_free(kept);
  free(other);
}

// Rounding, and edges that are smoothed in another way.
static void what_another_driver_does_differently_is_not_noticed(void **state) {
  (void)state;
  uint8_t *kept = golden(&shots[0]), *other = malloc(WIDTH * HEIGHT * 4);
  uint64_t seed = 9;
  for (int i = 0; i < WIDTH * HEIGHT * 4; i++)
    other[i] = clamp_byte(kept[i] + 2 * check_random(&seed));
  PictureScore noise = picture_compare(other, kept, WIDTH, HEIGHT);
  print_score("noise", noise);
  assert_true(picture_alike(noise));
  for (int y = 0; y < HEIGHT; y++) // a softer filter across
    for (int x = 1; x < WIDTH - 1; x++)
      for (int c = 0; c < 4; c++) {
        const uint8_t *at = kept + 4 * (y * WIDTH + x) + c;
        other[4 * (y * WIDTH + x) + c] = clamp_byte((at[-4] + 4.0 * at[0] + at[4]) / 6);
      }
  PictureScore soft = picture_compare(other, kept, WIDTH, HEIGHT);
  print_score("softer edges", soft);
  assert_true(picture_alike(soft));
  lb_free(kept);
  free(other);
}

// The same frames again, to the last bit, and the CPU's shape beside the GPU's.
static void the_same_picture_twice_and_by_the_cpu(void **state) {
  (void)state;
  Shot shot = shots[0];
  uint8_t *first = render(&shot, output_path("first.png"));
  uint8_t *again = render(&shot, output_path("again.png"));
  assert_memory_equal(first, again, WIDTH * HEIGHT * 4);
  shot.settings = "on_gpu=0";
  uint8_t *cpu = render(&shot, output_path("cpu.png"));
  PictureScore score = picture_compare(first, cpu, WIDTH, HEIGHT);
  print_score("by the CPU", score);
  assert_true(picture_alike(score));
  lb_free(first), lb_free(again), lb_free(cpu);
}

static void golden_pictures_are_written(void **state) {
  (void)state;
  for (int i = 0; i < SHOT_COUNT; i++) {
    lb_free(render(&shots[i], golden_path(&shots[i])));
    print_message("written: %s\n", golden_path(&shots[i]));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_bent_bar_looks_as_ever),
    cmocka_unit_test(stress_and_wireframe_look_as_ever),
    cmocka_unit_test(a_textured_sphere_looks_as_ever),
    cmocka_unit_test(instances_look_as_ever),
    cmocka_unit_test(metal_ground_and_sky_look_as_ever),
    cmocka_unit_test(small_changes_of_light_and_place_are_noticed),
    cmocka_unit_test(small_changes_of_pixels_are_noticed),
    cmocka_unit_test(what_another_driver_does_differently_is_not_noticed),
    cmocka_unit_test(the_same_picture_twice_and_by_the_cpu),
  };
  const struct CMUnitTest writing[] = { cmocka_unit_test(golden_pictures_are_written) };
  const char *wish = getenv("LIMBER_GOLDEN");
  if (wish && !strcmp(wish, "write")) return cmocka_run_group_tests(writing, NULL, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
