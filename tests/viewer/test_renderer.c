// The renderer on a body made by hand, a ball whose basis stretches, shears and bends it: pictures
// by the GPU's basis against pictures by positions, and everything else a picture may hold.
#include "check.h"

#include "render/gl.h"
#include "render/gpu.h"
#include "desktop/offscreen.h"
#include "desktop/picture.h"
#include "render/renderer.h"
#include "render/skin_gpu.h"

// The drivers keep memory of their own until the program ends, and are unloaded before leaks are
// looked for.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:_dri.so\nleak:libgallium\nleak:libEGL\nleak:libepoxy\nleak:libLLVM\n"
         "leak:<unknown module>\n";
}

enum { WIDTH = 120, HEIGHT = 90, PIXELS = WIDTH * HEIGHT };
enum { RINGS = 16, SLICES = 24, VERTICES = (RINGS + 1) * SLICES, TRIANGLES = 2 * RINGS * SLICES };
enum { DIMENSION = 6 };

// ---- a skin by hand ----------------------------------------------------------------------------

typedef struct Ball {
  vwSkin skin;
  vwPart part;
  lbModel model;
  int32_t sources[VERTICES];
  float positions[3 * VERTICES], normals[3 * VERTICES], tangents[6 * VERTICES], uvs[2 * VERTICES];
  float basis[DIMENSION * 3 * VERTICES], tangent_basis[DIMENSION * 6 * VERTICES];
  uint32_t triangles[3 * TRIANGLES];
} Ball;

// Column k of the gradient of basis vector i at x, and the vector itself: five linear ones, then
// z += x^2.
static lbVec3 moved(int i, lbVec3 x) {
  switch (i) {
  case 0: return lb_vec3(x.x, 0, 0);
  case 1: return lb_vec3(0, x.y, 0);
  case 2: return lb_vec3(0, 0, x.z);
  case 3: return lb_vec3(x.z, 0, 0);
  case 4: return lb_vec3(0, x.x, 0);
  default: return lb_vec3(0, 0, x.x * x.x);
  }
}

static lbVec3 gradient_times(int i, lbVec3 x, lbVec3 t) {
  return i < 5 ? moved(i, t) : lb_vec3(0, 0, 2 * x.x * t.x);
}

static void put3(float *to, lbVec3 v) {
  to[0] = (float)v.x, to[1] = (float)v.y, to[2] = (float)v.z;
}

static void place_vertex(Ball *ball, int v) {
  double polar = LB_PI * (v / SLICES + 1e-3) / (RINGS + 2e-3), turn = 2 * LB_PI * (v % SLICES);
  turn /= SLICES;
  lbVec3 x = lb_vec3(sin(polar) * cos(turn), sin(polar) * sin(turn), cos(polar));
  lbVec3 t1 = lb_vec3(cos(polar) * cos(turn), cos(polar) * sin(turn), -sin(polar));
  lbVec3 t2 = lb_vec3(-sin(turn), cos(turn), 0);
  ball->sources[v] = v;
  put3(ball->positions + 3 * v, x);
  put3(ball->normals + 3 * v, x);
  put3(ball->tangents + 6 * v, t1);
  put3(ball->tangents + 6 * v + 3, t2);
  for (int i = 0; i < DIMENSION; i++) {
    put3(ball->basis + 3 * (VERTICES * i + v), moved(i, x));
    put3(ball->tangent_basis + 6 * (VERTICES * i + v), gradient_times(i, x, t1));
    put3(ball->tangent_basis + 6 * (VERTICES * i + v) + 3, gradient_times(i, x, t2));
  }
}

static Ball *make_ball(void) {
  Ball *ball = calloc(1, sizeof *ball);
  for (int v = 0; v < VERTICES; v++) place_vertex(ball, v);
  uint32_t *t = ball->triangles;
  for (uint32_t ring = 0; ring < RINGS; ring++)
    for (uint32_t k = 0; k < SLICES; k++) {
      uint32_t a = ring * SLICES + k, b = ring * SLICES + (k + 1) % SLICES;
      uint32_t corners[6] = { a, a + SLICES, b + SLICES, a, b + SLICES, b };
      memcpy(t, corners, sizeof corners), t += 6;
    }
  ball->part = (vwPart){
    .triangle_count = TRIANGLES, .color = { 0.8f, 0.3f, 0.1f, 1 }, .roughness = 0.5f, .texture = -1
  };
  ball->skin = (vwSkin){ .vertex_count = VERTICES,
                         .triangle_count = TRIANGLES,
                         .part_count = 1,
                         .sources = ball->sources,
                         .positions = ball->positions,
                         .normals = ball->normals,
                         .tangents = ball->tangents,
                         .uvs = ball->uvs,
                         .triangles = ball->triangles,
                         .parts = &ball->part,
                         .dimension = DIMENSION,
                         .basis = ball->basis,
                         .tangent_basis = ball->tangent_basis,
                         .radius = 1 };
  return ball;
}

// ---- a studio ----------------------------------------------------------------------------------

typedef struct Studio {
  vwOffscreen *offscreen;
  vwRenderer *renderer;
  Ball *ball;
  int32_t skin;
  vwCamera camera;
  vwCrowd crowd;
  vwPicture picture;
  float placement[7], coordinates[DIMENSION];
  uint8_t shot[2][4 * PIXELS];
} Studio;

static Studio *studio_or_skip(int32_t samples) {
  lbError err;
  vwOffscreen *offscreen = NULL;
  if (vw_offscreen_create(WIDTH, HEIGHT, &offscreen, &err) != LB_OK) {
    print_message("skipped: %s\n", err.text);
    skip();
  }
  Studio *studio = calloc(1, sizeof *studio);
  studio->offscreen = offscreen;
  studio->ball = make_ball();
  vwRendererDef def = vw_renderer_def();
  def.samples = samples;
  def.shadow_size = 512;
  bool on_gpu = false;
  check_ok(vw_renderer_create(&def, &studio->renderer, &err), err);
  check_ok(
      vw_renderer_add_skin(studio->renderer, &studio->ball->skin, &studio->skin, &on_gpu, &err),
      err);
  assert_true(on_gpu);
  studio->placement[6] = 1;
  studio->crowd = (vwCrowd){ .skin = studio->skin,
                             .body_count = 1,
                             .placements = studio->placement,
                             .dimension = DIMENSION,
                             .coordinates = studio->coordinates,
                             .opacity = 1 };
  vwBox box = { { -1.5, -1.5, -1.5 }, { 1.5, 1.5, 1.5 } };
  studio->camera = vw_camera_of_box(box, 'z');
  studio->picture = vw_picture();
  studio->picture.bounds = box;
  studio->picture.ground_height = -1.5f;
  studio->picture.crowds = &studio->crowd;
  studio->picture.crowd_count = 1;
  return studio;
}

static void close_studio(Studio *studio) {
  vw_renderer_destroy(studio->renderer, false);
  assert_int_equal(glGetError(), GL_NO_ERROR);
  vw_offscreen_destroy(studio->offscreen);
  free(studio->ball);
  free(studio);
}

static const uint8_t *shoot(Studio *studio, int which) {
  lbError err;
  studio->picture.view = vw_camera_view(&studio->camera, WIDTH, HEIGHT);
  vw_renderer_draw(studio->renderer, &studio->picture, vw_offscreen_target(studio->offscreen));
  assert_int_equal(glGetError(), GL_NO_ERROR);
  check_ok(vw_offscreen_read(studio->offscreen, studio->shot[which], &err), err);
  return studio->shot[which];
}

typedef struct Difference {
  double mean; // of all channels, in 255ths
  double far;  // share of the pixels that differ by more than 24
} Difference;

static Difference difference(const Studio *studio) {
  double sum = 0;
  int far = 0;
  for (int i = 0; i < PIXELS; i++) {
    int most = 0;
    for (int c = 0; c < 3; c++) {
      int d = abs(studio->shot[0][4 * i + c] - studio->shot[1][4 * i + c]);
      sum += d;
      if (d > most) most = d;
    }
    far += most > 24;
  }
  return (Difference){ sum / (3.0 * PIXELS), (double)far / PIXELS };
}

static void check_same_shots(const Studio *studio) {
  Difference d = difference(studio);
  print_message("mean difference %.4f, share of far pixels %.5f\n", d.mean, d.far);
  check_small(d.mean, 0.15);
  check_small(d.far, 0.002);
}

static const uint8_t *centre(const uint8_t *shot) {
  return shot + 4 * ((size_t)(HEIGHT / 2) * WIDTH + WIDTH / 2);
}

static void bend(Studio *studio) {
  static const float q[DIMENSION] = { 0.2f, -0.3f, 0.1f, 0.25f, 0.15f, 0.3f };
  memcpy(studio->coordinates, q, sizeof q);
  static const float place[7] = {
    0.1f, -0.2f, 0.15f, 0.1825742f, 0.3651484f, 0.5477226f, 0.7302967f
  };
  memcpy(studio->placement, place, sizeof place);
}

// World positions and normals as the placement turns them.
static void positions_of(const Studio *studio, const float *coordinates, const float *place,
                         float *positions, float *normals) {
  vw_skin_from_coordinates(&studio->ball->skin, coordinates, DIMENSION, positions, normals);
  lbQuat q = { place[3], place[4], place[5], place[6] };
  for (int v = 0; v < VERTICES; v++) {
    float *x = positions + 3 * v, *n = normals + 3 * v;
    lbVec3 turned = lb_quat_rotate(q, lb_vec3(x[0], x[1], x[2]));
    put3(x, lb_add(turned, lb_vec3(place[0], place[1], place[2])));
    put3(n, lb_quat_rotate(q, lb_vec3(n[0], n[1], n[2])));
  }
}

// ---- tests -------------------------------------------------------------------------------------

static void the_basis_on_the_gpu_draws_what_positions_draw(void **state) {
  (void)state;
  Studio *studio = studio_or_skip(4);
  shoot(studio, 0);
  bend(studio);
  shoot(studio, 1);
  Difference bent = difference(studio);
  assert_true(bent.mean > 2 && bent.far > 0.02); // or the comparison below would say nothing
  float *positions = malloc(sizeof(float) * 3 * VERTICES);
  float *normals = malloc(sizeof(float) * 3 * VERTICES);
  positions_of(studio, studio->coordinates, studio->placement, positions, normals);
  studio->crowd.positions = positions, studio->crowd.normals = normals;
  shoot(studio, 0);
  check_same_shots(studio);
  free(positions), free(normals);
  close_studio(studio);
}

enum { MANY = 20 };

static void many_bodies_in_one_call_draw_what_their_positions_draw(void **state) {
  (void)state;
  Studio *studio = studio_or_skip(4);
  size_t floats = (size_t)MANY * 3 * VERTICES;
  float *positions = malloc(floats * sizeof(float)), *normals = malloc(floats * sizeof(float));
  float places[MANY * 7] = { 0 }, q[MANY * DIMENSION];
  uint64_t random = 7;
  for (int i = 0; i < MANY; i++) {
    for (int k = 0; k < DIMENSION; k++) q[i * DIMENSION + k] = (float)(0.3 * check_random(&random));
    places[7 * i] = (float)(i % 5 - 2) * 2.2f, places[7 * i + 1] = (float)(i / 5 - 1) * 2.2f;
    double angle = LB_PI * check_random(&random);
    places[7 * i + 5] = (float)sin(angle), places[7 * i + 6] = (float)cos(angle);
    positions_of(studio, q + i * DIMENSION, places + 7 * i, positions + (size_t)i * 3 * VERTICES,
                 normals + (size_t)i * 3 * VERTICES);
  }
  studio->picture.bounds = (vwBox){ { -6, -6, -1.5 }, { 6, 8, 1.5 } };
  studio->camera = vw_camera_of_box(studio->picture.bounds, 'z');
  studio->crowd.body_count = MANY;
  studio->crowd.placements = places, studio->crowd.coordinates = q;
  shoot(studio, 0);
  studio->crowd.positions = positions, studio->crowd.normals = normals;
  shoot(studio, 1);
  check_same_shots(studio);
  studio->crowd.body_count = MANY - 1;
  shoot(studio, 1);
  assert_true(difference(studio).far > 0.002);
  free(positions), free(normals);
  close_studio(studio);
}

static void coordinates_that_are_no_numbers_leave_the_rest_shape(void **state) {
  (void)state;
  Studio *studio = studio_or_skip(4);
  shoot(studio, 0);
  studio->coordinates[2] = NAN;
  studio->coordinates[5] = INFINITY;
  shoot(studio, 1);
  check_same_shots(studio);
  studio->coordinates[2] = 1e38f; // goes far away, but goes on
  shoot(studio, 1);
  float *broken = malloc(sizeof(float) * 3 * VERTICES);
  for (int i = 0; i < 3 * VERTICES; i++) broken[i] = i % 5 ? 0.3f * (float)(i % 7) : NAN;
  studio->crowd.positions = studio->crowd.normals = broken;
  shoot(studio, 1);
  free(broken);
  close_studio(studio);
}

static void any_size_and_any_number_of_samples_is_drawn(void **state) {
  (void)state;
  static const int32_t sizes[][2] = { { 1, 1 }, { 40000, 2 }, { 3, 5000 }, { 640, 360 } };
  for (int32_t samples = 1; samples <= 8; samples += 7) {
    Studio *studio = studio_or_skip(samples);
    unsigned target = vw_offscreen_target(studio->offscreen);
    for (int i = 0; i < 4; i++) {
      studio->picture.view = vw_camera_view(&studio->camera, sizes[i][0], sizes[i][1]);
      vw_renderer_draw(studio->renderer, &studio->picture, target);
      assert_int_equal(glGetError(), GL_NO_ERROR);
    }
    shoot(studio, 0);
    studio->picture.view.width = 0; // nothing happens
    vw_renderer_draw(studio->renderer, &studio->picture, target);
    studio->picture.view.width = WIDTH, studio->picture.view.height = -3;
    vw_renderer_draw(studio->renderer, &studio->picture, target);
    lbError err;
    check_ok(vw_offscreen_read(studio->offscreen, studio->shot[1], &err), err);
    assert_memory_equal(studio->shot[0], studio->shot[1], 4 * PIXELS);
    close_studio(studio);
  }
}

static void odd_pictures_are_drawn_without_errors(void **state) {
  (void)state;
  Studio *studio = studio_or_skip(2);
  vwPicture *picture = &studio->picture;
  picture->bounds = vw_box_empty();
  shoot(studio, 0);
  picture->bounds = (vwBox){ { NAN, 0, 0 }, { 1, INFINITY, 1 } };
  shoot(studio, 0);
  picture->bounds = (vwBox){ { 0, 0, 0 }, { 0, 0, 0 } };
  shoot(studio, 0);
  picture->bounds = (vwBox){ { -1, -1, -1 }, { 1, 1, 1 } };
  picture->ground_height = 100; // the eye is below
  shoot(studio, 0);
  picture->ground = picture->shadows = picture->sky = false;
  shoot(studio, 0);
  studio->crowd.skin = 17;
  shoot(studio, 0);
  studio->crowd.skin = studio->skin, studio->crowd.dimension = DIMENSION + 1;
  shoot(studio, 0);
  studio->crowd.body_count = 0;
  shoot(studio, 0);
  picture->crowd_count = 0;
  const uint8_t *shot = shoot(studio, 1);
  for (int i = 1; i < PIXELS; i++) // a plain light background, but for the noise against bands
    for (int c = 0; c < 3; c++) assert_true(abs(shot[4 * i + c] - shot[c]) <= 1 && shot[c] > 200);
  close_studio(studio);
}

static void both_up_axes_put_the_ground_below(void **state) {
  (void)state;
  Studio *studio = studio_or_skip(1);
  for (int i = 0; i < 2; i++) {
    studio->camera = vw_camera_of_box(studio->picture.bounds, i ? 'y' : 'z');
    const uint8_t *lit = shoot(studio, 0);
    uint8_t above[4], below[4];
    memcpy(above, lit + 4 * (WIDTH / 2), 4);
    memcpy(below, lit + 4 * ((size_t)(HEIGHT - 1) * WIDTH + WIDTH / 2), 4);
    assert_true(above[2] > above[0]);           // blue sky
    assert_true(abs(below[2] - below[0]) < 12); // grey ground
    studio->picture.shadows = false;
    shoot(studio, 1);
    studio->picture.shadows = true;
    assert_true(difference(studio).far > 0.005);
  }
  close_studio(studio);
}

// ---- looks -------------------------------------------------------------------------------------

static int warnings;
static void count_warnings(lbLogLevel level, const char *text, void *context) {
  (void)context;
  if (level == LB_LOG_WARNING && strstr(text, "texture")) warnings++;
}

static size_t green_picture(uint8_t *bytes, size_t room) {
  lbError err;
  uint8_t pixels[5 * 3 * 4];
  for (int i = 0; i < 15; i++) memcpy(pixels + 4 * i, (uint8_t[4]){ 10, 220, 30, 255 }, 4);
  const char *path = output_path("renderer-green.png");
  check_ok(vw_png_save(path, 5, 3, pixels, &err), err);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  size_t count = fread(bytes, 1, room, file);
  fclose(file);
  return count;
}

static void pictures_of_the_model_colour_its_surface_and_broken_ones_are_white(void **state) {
  (void)state;
  Studio *studio = studio_or_skip(1);
  uint8_t bytes[1024];
  int64_t ranges[2] = { 0, (int64_t)green_picture(bytes, sizeof bytes) };
  Ball *ball = studio->ball;
  ball->model = (lbModel){ .size = { .appearance_count = 1, .texture_count = 1 },
                           .texture_ranges = ranges,
                           .pictures = bytes,
                           .pictures_bytes = (size_t)ranges[1] };
  ball->skin.model = &ball->model;
  ball->part.texture = 0;
  for (int c = 0; c < 4; c++) ball->part.color[c] = 1;
  lb_set_log(count_warnings, NULL);
  for (int broken = 0; broken < 4; broken++) {
    lbError err;
    bool on_gpu;
    warnings = 0;
    if (broken == 1) ranges[1] /= 2;      // cut
    if (broken == 2) ranges[1] = 1 << 20; // beyond the end
    if (broken == 3) bytes[1] = 'X', ranges[1] = 60;
    check_ok(
        vw_renderer_add_skin(studio->renderer, &ball->skin, &studio->crowd.skin, &on_gpu, &err),
        err);
    const uint8_t *c = centre(shoot(studio, 0));
    assert_int_equal(warnings, broken > 0);
    if (broken)
      assert_true(abs(c[1] - c[0]) < 40 && abs(c[1] - c[2]) < 40);
    else
      assert_true(c[1] > c[0] + 60 && c[1] > c[2] + 60);
  }
  lb_set_log(NULL, NULL);
  close_studio(studio);
}

static void tints_ghosts_and_wires_change_the_picture(void **state) {
  (void)state;
  Studio *studio = studio_or_skip(4);
  uint8_t solid[4], behind[4], ghost[4];
  memcpy(solid, centre(shoot(studio, 0)), 4);
  studio->crowd.opacity = 0.4f;
  memcpy(ghost, centre(shoot(studio, 1)), 4);
  studio->picture.crowd_count = 0;
  memcpy(behind, centre(shoot(studio, 1)), 4);
  for (int c = 0; c < 3; c++)
    check_near(ghost[c], 0.4 * solid[c] + 0.6 * behind[c], 26); // it casts no shadow
  studio->picture.crowd_count = 1;
  studio->crowd.opacity = 1;
  studio->picture.wireframe = true;
  shoot(studio, 1);
  Difference wires = difference(studio);
  assert_true(wires.far > 0.05 && wires.far < 0.6);
  studio->picture.wireframe = false;
  memcpy(studio->crowd.tint, (float[4]){ 0, 0, 1, 1 }, sizeof studio->crowd.tint);
  const uint8_t *blue = centre(shoot(studio, 1));
  assert_true(blue[2] > blue[0] + 60);
  close_studio(studio);
}

static void marks_and_balls_are_where_they_should_be(void **state) {
  (void)state;
  Studio *studio = studio_or_skip(4);
  vwDisc disc = { .color = { 0, 1, 0, 1 }, .radius = 7 }; // within the body
  vwSegment segment = { .a = { -3, 0, 0 }, .b = { 3, 0, 0 }, .color = { 0, 0, 1, 1 }, .width = 4 };
  vwBall ball = { .radius = 0.5f, .color = { 0.1f, 0.1f, 1, 1 } };
  shoot(studio, 0);
  studio->picture.discs = &disc, studio->picture.disc_count = 1;
  shoot(studio, 1);
  check_same_shots(studio);
  disc.above = true;
  const uint8_t *c = centre(shoot(studio, 1));
  assert_true(c[0] < 3 && c[1] > 252 && c[2] < 3);
  studio->picture.disc_count = 0;
  studio->picture.segments = &segment, studio->picture.segment_count = 1;
  segment.above = true;
  c = centre(shoot(studio, 1));
  assert_true(c[0] < 3 && c[1] < 3 && c[2] > 252);
  segment.a[1] = -1e4f; // far behind the eye
  shoot(studio, 1);
  studio->picture.segment_count = 0;
  studio->picture.crowd_count = 0;
  studio->picture.balls = &ball, studio->picture.ball_count = 1;
  c = centre(shoot(studio, 1));
  assert_true(c[2] > c[0] + 60);
  close_studio(studio);
}

// ---- maps --------------------------------------------------------------------------------------

static void maps_on_the_gpu_show_what_given_values_show(void **state) {
  (void)state;
  Studio *studio = studio_or_skip(4);
  bend(studio);
  float values[VERTICES];
  for (int v = 0; v < VERTICES; v++) {
    lbVec3 u = lb_vec3(0, 0, 0);
    const float *p = studio->ball->positions + 3 * v;
    for (int i = 0; i < DIMENSION; i++)
      u = lb_add_scaled(u, studio->coordinates[i], moved(i, lb_vec3(p[0], p[1], p[2])));
    values[v] = (float)lb_length(u);
  }
  studio->picture.map_low = 0.1f, studio->picture.map_high = 0.5f;
  for (vwMap map = VW_MAP_DISPLACEMENT; map <= VW_MAP_SPEED; map++) {
    studio->picture.map = map;
    studio->crowd.rates = studio->coordinates;
    studio->crowd.values = NULL;
    shoot(studio, 0);
    studio->crowd.values = values;
    shoot(studio, 1);
    check_same_shots(studio);
    studio->crowd.rates = NULL, studio->crowd.values = NULL;
    shoot(studio, 1);
    assert_true((difference(studio).far > 0.05) == (map == VW_MAP_SPEED));
  }
  close_studio(studio);
}

static void stress_is_drawn_in_the_colours_of_the_legend(void **state) {
  (void)state;
  Studio *studio = studio_or_skip(1);
  float values[VERTICES];
  studio->picture.map = VW_MAP_STRESS;
  studio->picture.map_high = 1000;
  studio->crowd.values = values;
  for (int k = 0; k <= 4; k++) {
    uint8_t legend[3];
    for (int v = 0; v < VERTICES; v++) values[v] = 250.0f * (float)k;
    vw_map_color(k / 4.0, legend);
    const uint8_t *c = centre(shoot(studio, 0));
    for (int a = 0; a < 3; a++) // lit, yet the order of the channels stays
      for (int b = 0; b < 3; b++)
        if (legend[a] > legend[b] + 40) assert_true(c[a] > c[b] + 10);
  }
  close_studio(studio);
}

static double lightness(const uint8_t rgb[3]) {
  double linear[3];
  for (int i = 0; i < 3; i++) {
    double s = rgb[i] / 255.0;
    linear[i] = s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
  }
  return cbrt(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]);
}

static void map_colours_rise_evenly_in_lightness(void **state) {
  (void)state;
  uint8_t rgb[3], other[3];
  double first, last, before;
  vw_map_color(0, rgb);
  before = first = lightness(rgb);
  vw_map_color(1, rgb);
  last = lightness(rgb);
  assert_true(last - first > 0.5);
  for (int i = 1; i <= 32; i++) {
    vw_map_color(i / 32.0, rgb);
    double now = lightness(rgb);
    check_near((now - before) * 32 / (last - first), 1, 0.45);
    before = now;
  }
  vw_map_color(NAN, rgb);
  vw_map_color(-3, other);
  assert_memory_equal(rgb, other, 3);
}

// ---- limits ------------------------------------------------------------------------------------

static void a_basis_that_does_not_fit_is_left_to_positions(void **state) {
  (void)state;
  Studio *studio = studio_or_skip(1);
  vwGpuLimits limits;
  vwGpuSkin gpu;
  lbError err;
  vw_gpu_limits(&limits);
  limits.texture_size = 32;
  check_ok(vw_gpu_skin_create(&limits, &studio->ball->skin, &gpu, &err), err);
  assert_int_equal(gpu.dimension, 0);
  assert_true(gpu.edge_count > 0);
  vw_gpu_skin_destroy(&gpu, false);
  limits.texture_size = 128;
  check_ok(vw_gpu_skin_create(&limits, &studio->ball->skin, &gpu, &err), err);
  assert_int_equal(gpu.dimension, DIMENSION);
  vw_gpu_skin_destroy(&gpu, false);
  close_studio(studio);
}

static void failing_allocations_and_bad_arguments_are_told(void **state) {
  (void)state;
  Studio *studio = studio_or_skip(1);
  lbError err;
  vwRenderer *renderer = NULL;
  vwRendererDef def = vw_renderer_def();
  def.samples = -1;
  check_fails(vw_renderer_create(&def, &renderer, &err), LB_ERR_ARGUMENT, err, "samples");
  def = vw_renderer_def(), def.shadow_size = -1;
  check_fails(vw_renderer_create(&def, &renderer, &err), LB_ERR_ARGUMENT, err, "shadow_size");
  assert_null(renderer);
  vwGpuLimits limits;
  vw_gpu_limits(&limits);
  vwGpuSkin gpu;
  vwSkin none = { 0 };
  check_fails(vw_gpu_skin_create(&limits, &none, &gpu, &err), LB_ERR_ARGUMENT, err, "triangles");
  CheckedHeap heap = { .fail_at = 0 };
  lbAllocator allocator = checked_allocator(&heap);
  lb_set_allocator(&allocator);
  lbStatus status = LB_ERR_MEMORY;
  for (; status != LB_OK && heap.fail_at < 50; heap.fail_at++) {
    heap.count = 0;
    status = vw_gpu_skin_create(&limits, &studio->ball->skin, &gpu, &err);
    if (status != LB_OK) assert_int_equal(status, LB_ERR_MEMORY);
    if (status != LB_OK) assert_int_equal(heap.live, 0);
  }
  assert_int_equal(status, LB_OK);
  vw_gpu_skin_destroy(&gpu, false);
  assert_int_equal(heap.live, 0);
  lb_set_allocator(NULL);
  close_studio(studio);
}

static void a_lost_context_is_forgotten_and_made_anew(void **state) {
  (void)state;
  CheckedHeap heap = { .fail_at = -1 };
  lbAllocator allocator = checked_allocator(&heap);
  lb_set_allocator(&allocator);
  Studio *studio = studio_or_skip(4);
  shoot(studio, 0);
  vw_renderer_destroy(studio->renderer, true);
  lbError err;
  bool on_gpu;
  vwRendererDef def = { .samples = 4, .shadow_size = 512 };
  check_ok(vw_renderer_create(&def, &studio->renderer, &err), err);
  check_ok(
      vw_renderer_add_skin(studio->renderer, &studio->ball->skin, &studio->skin, &on_gpu, &err),
      err);
  shoot(studio, 1);
  check_same_shots(studio);
  vw_renderer_clear(studio->renderer);
  shoot(studio, 1); // the crowd's skin is not there any more
  assert_true(strlen(vw_renderer_device(studio->renderer)) > 3);
  close_studio(studio);
  assert_int_equal(heap.live, 0);
  lb_set_allocator(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_basis_on_the_gpu_draws_what_positions_draw),
    cmocka_unit_test(many_bodies_in_one_call_draw_what_their_positions_draw),
    cmocka_unit_test(coordinates_that_are_no_numbers_leave_the_rest_shape),
    cmocka_unit_test(any_size_and_any_number_of_samples_is_drawn),
    cmocka_unit_test(odd_pictures_are_drawn_without_errors),
    cmocka_unit_test(both_up_axes_put_the_ground_below),
    cmocka_unit_test(pictures_of_the_model_colour_its_surface_and_broken_ones_are_white),
    cmocka_unit_test(tints_ghosts_and_wires_change_the_picture),
    cmocka_unit_test(marks_and_balls_are_where_they_should_be),
    cmocka_unit_test(maps_on_the_gpu_show_what_given_values_show),
    cmocka_unit_test(stress_is_drawn_in_the_colours_of_the_legend),
    cmocka_unit_test(map_colours_rise_evenly_in_lightness),
    cmocka_unit_test(a_basis_that_does_not_fit_is_left_to_positions),
    cmocka_unit_test(failing_allocations_and_bad_arguments_are_told),
    cmocka_unit_test(a_lost_context_is_forgotten_and_made_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
