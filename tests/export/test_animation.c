// Animated glTF: what is written is read back and compared with what went in.
#include "glb_file.h"
#include "subjects.h"

#define FRAMES 40

static const char *output(void) { return output_path("test-animation.glb"); }

// ---- motions -----------------------------------------------------------------------------------

typedef void Mover(const double rest[3], double t, double x[3]);

static void keep(const double rest[3], double t, double x[3]) {
  (void)t;
  memcpy(x, rest, 3 * sizeof *x);
}
static void travel(const double rest[3], double t, double x[3]) {
  x[0] = rest[0] + 20 * t, x[1] = rest[1] - t * t, x[2] = rest[2] + 5;
}
static void wave(const double rest[3], double t, double x[3]) {
  keep(rest, t, x);
  x[0] += 3 * t;
  x[2] += 0.2 * sin(6 * rest[0] - 9 * t) + 0.1 * rest[1] * sin(20 * t);
}
static void twist(const double rest[3], double t, double x[3]) { // tumbling and wringing
  double angle = 4 * t + 2 * rest[1] * sin(7 * t);
  x[0] = cos(angle) * rest[0] - sin(angle) * rest[2];
  x[1] = rest[1];
  x[2] = sin(angle) * rest[0] + cos(angle) * rest[2] + 10;
}
static void tumble(const double rest[3], double t, double x[3]) {
  x[0] = cos(9 * t) * rest[0] - sin(9 * t) * rest[2] + t;
  x[1] = rest[1] + 0.02 * rest[0] * sin(5 * t);
  x[2] = sin(9 * t) * rest[0] + cos(9 * t) * rest[2];
}
// Two shapes, each with a coordinate of its own.
static void two_shapes(const double rest[3], double t, double x[3]) {
  keep(rest, t, x);
  x[2] += 0.3 * rest[0] * rest[0] * sin(5 * t);
  x[1] += 0.1 * sin(7 * rest[0]) * cos(3 * t);
}

// Every coordinate of the tetrahedron's corners at a frequency of its own.
static void scatter(const double rest[3], double t, double x[3]) {
  double first = 5 + 9 * rest[0] + 18 * rest[1] + 27 * rest[2];
  for (int k = 0; k < 3; k++) x[k] = rest[k] + 0.2 * sin((first + 3 * k) * t);
}

static double times[FRAMES];

static lbAnimationDef test_def(void) {
  lbAnimationDef def = lb_animation_def();
  for (int f = 0; f < FRAMES; f++) times[f] = f / 30.0;
  def.frame_count = FRAMES;
  def.times = times;
  return def;
}

// (FRAMES x vertex_count x 3); free with free.
static float *move(const lbMesh *mesh, Mover *mover) {
  size_t n = 3 * (size_t)mesh->vertex_count;
  float *frames = malloc(FRAMES * n * sizeof *frames);
  assert_non_null(frames);
  for (size_t f = 0; f < FRAMES; f++)
    for (size_t i = 0; i < n; i += 3) {
      double x[3];
      mover(mesh->positions + i, (double)f / 30, x);
      for (size_t k = 0; k < 3; k++) frames[f * n + i + k] = (float)x[k];
    }
  return frames;
}

// ---- comparing ---------------------------------------------------------------------------------

static void check_weights_and_normals(const GlbBody *body, size_t frame_count) {
  if (body->has_weights) assert_int_equal(body->weights.count, frame_count * body->target_count);
  for (size_t i = 0; body->has_weights && i < body->weights.count; i++) {
    float weight = glb_float(&body->weights, i);
    assert_true(weight >= 0 && weight <= 1);
  }
  for (size_t i = 0; i < body->normals.count; i++) {
    double sum = 0;
    for (size_t k = 0; k < 3; k++) sum += pow((double)glb_float(&body->normals, 3 * i + k), 2);
    check_near(sum, 1, 1e-6);
  }
}

// The greatest distance of a corner from its place, over the triangles whose appearance is
// `appearance`, in order; the primitive must have just these.
static double primitive_error(const GlbFile *file, const GlbBody *body, const json_t *primitive,
                              const lbAnimationBody *in, int32_t frame_count, int32_t appearance) {
  Accessor indices = glb_accessor(file, glb_integer(primitive, "indices"), false);
  const lbMesh *mesh = in->surface;
  size_t next = 0, n = 3 * (size_t)mesh->vertex_count;
  double worst = 0;
  for (size_t i = 0; i < (size_t)mesh->triangle_count; i++) {
    if (mesh->triangle_appearances && mesh->triangle_appearances[i] != appearance) continue;
    for (size_t c = 0; c < 3; c++) {
      size_t vertex = glb_index(&indices, next++), source = (size_t)mesh->triangles[3 * i + c];
      for (size_t f = 0; f < (size_t)frame_count; f++) {
        double x[3], sum = 0;
        glb_point(body, vertex, f, x);
        for (size_t k = 0; k < 3; k++)
          sum += pow(x[k] - (double)in->frames[f * n + 3 * source + k], 2);
        worst = fmax(worst, sqrt(sum));
      }
    }
  }
  assert_int_equal(next, indices.count);
  return worst;
}

// Node 1 + number is this body, with these figures, at the right place in every frame.
static void check_body(const GlbFile *file, int64_t number, const lbAnimationBody *in,
                       const lbAnimationDef *def, const lbAnimationInfo *info) {
  GlbBody body = glb_body(file, 1 + number, def);
  json_t *extras = json_object_get(body.mesh, "extras"), *primitive;
  json_t *primitives = json_object_get(body.mesh, "primitives");
  double worst = 0;
  size_t i;
  check_weights_and_normals(&body, (size_t)def->frame_count);
  json_array_foreach(primitives, i, primitive) {
    int32_t appearance = json_array_size(primitives) > 1 ? (int32_t)i - 1 : -1;
    worst = fmax(worst, primitive_error(file, &body, primitive, in, def->frame_count, appearance));
  }
  assert_string_equal(json_string_value(json_object_get(body.node, "name")), in->name);
  assert_int_equal(body.target_count, info->target_count);
  assert_int_equal(json_array_size(json_object_get(extras, "targetNames")), info->target_count);
  check_near(json_number_value(json_object_get(extras, "max_error_m")), info->max_error, 0);
  check_near(worst, info->max_error, 1e-12 + 1e-9 * info->max_error);
}

// Writes one body, checks it and returns its figures.
static lbAnimationInfo round_trip(lbMesh *mesh, Mover *mover, const lbAnimationDef *def) {
  float *frames = move(mesh, mover);
  lbAnimationBody body = { .name = "subject", .surface = mesh, .frames = frames };
  lbAnimationInfo info;
  lbError err;
  check_ok(lb_animation_write(output(), &body, 1, def, &info, &err), err);
  GlbFile file = glb_open(output());
  check_body(&file, 0, &body, def, &info);
  glb_close(&file);
  free(frames);
  return info;
}

// ---- tests -------------------------------------------------------------------------------------

static void a_waving_sheet_is_rebuilt_within_the_tolerance(void **state) {
  (void)state;
  lbAnimationDef def = test_def();
  lbMesh *mesh = sheet();
  lbAnimationInfo info = round_trip(mesh, wave, &def);
  check_near(info.size, sqrt(2), 1e-12);
  check_small(info.max_error, def.tolerance * info.size);
  assert_true(info.target_count >= 2 && info.target_count <= 6);
  lb_mesh_destroy(mesh);
}

// Area-weighted normals of a mesh at these positions, of unit length.
static void true_normals(const lbMesh *mesh, const float *positions, double *normals) {
  size_t n = 3 * (size_t)mesh->vertex_count;
  memset(normals, 0, n * sizeof *normals);
  for (size_t t = 0; t < (size_t)mesh->triangle_count; t++) {
    const int32_t *c = mesh->triangles + 3 * t;
    double u[3], v[3];
    for (int i = 0; i < 3; i++) {
      u[i] = (double)(positions[3 * c[1] + i] - positions[3 * c[0] + i]);
      v[i] = (double)(positions[3 * c[2] + i] - positions[3 * c[0] + i]);
    }
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < 3; i++)
        normals[3 * c[k] + i] += u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
  }
  for (size_t i = 0; i < n; i += 3) {
    double length = sqrt(pow(normals[i], 2) + pow(normals[i + 1], 2) + pow(normals[i + 2], 2));
    for (size_t k = 0; k < 3; k++) normals[i + k] /= length;
  }
}

// Worst angle, rad, between a frame's normals and those of the file: the base's with the targets'
// changes, or (still) without.
static double normal_error(const GlbFile *file, const lbMesh *mesh, const float *frames,
                           bool still) {
  lbAnimationDef def = test_def();
  GlbBody body = glb_body(file, 1, &def);
  json_t *targets =
      json_object_get(json_array_get(json_object_get(body.mesh, "primitives"), 0), "targets");
  size_t n = 3 * (size_t)mesh->vertex_count;
  double *expected = malloc(n * sizeof *expected), worst = 0;
  Accessor changes[64];
  assert_int_equal(json_array_size(targets), body.target_count);
  for (size_t k = 0; k < body.target_count; k++)
    changes[k] = glb_accessor(file, glb_integer(json_array_get(targets, k), "NORMAL"), false);
  for (size_t f = 0; f < FRAMES; f++) {
    true_normals(mesh, frames + n * f, expected);
    for (size_t i = 0; i < n; i += 3) {
      double found[3], length = 0, dot = 0;
      for (size_t k = 0; k < 3; k++) {
        found[k] = (double)glb_float(&body.normals, i + k);
        for (size_t t = 0; t < body.target_count && !still; t++)
          found[k] += (double)glb_float(&body.weights, f * body.target_count + t) *
                      (double)glb_float(&changes[t], i + k);
        length += found[k] * found[k];
        dot += found[k] * expected[i + k];
      }
      worst = fmax(worst, acos(fmin(1, dot / sqrt(length))));
    }
  }
  free(expected);
  return worst;
}

static void normals_follow_the_motion(void **state) {
  (void)state;
  lbAnimationDef def = test_def();
  lbMesh *mesh = sheet();
  float *frames = move(mesh, wave);
  lbAnimationBody body = { .name = "subject", .surface = mesh, .frames = frames };
  lbError err;
  check_ok(lb_animation_write(output(), &body, 1, &def, NULL, &err), err);
  GlbFile file = glb_open(output());
  double moving = normal_error(&file, mesh, frames, false);
  double still = normal_error(&file, mesh, frames, true);
  print_message("normals are off by %.3f rad with targets, by %.3f rad without\n", moving, still);
  check_small(moving, 0.2 * still);
  glb_close(&file);
  free(frames);
  lb_mesh_destroy(mesh);
}

static void a_tighter_tolerance_takes_more_targets_and_is_met(void **state) {
  (void)state;
  lbAnimationDef def = test_def();
  lbMesh *mesh = sheet();
  int32_t before = 0;
  for (def.tolerance = 0.1; def.tolerance > 1e-6; def.tolerance /= 10) {
    lbAnimationInfo info = round_trip(mesh, twist, &def);
    check_small(info.max_error, def.tolerance * info.size);
    assert_true(info.target_count > before);
    before = info.target_count;
  }
  lb_mesh_destroy(mesh);
}

static void two_shapes_take_two_targets(void **state) {
  (void)state;
  lbAnimationDef def = test_def();
  def.tolerance = 1e-6;
  lbMesh *mesh = sheet();
  assert_int_equal(round_trip(mesh, two_shapes, &def).target_count, 2);
  lb_mesh_destroy(mesh);
}

static void few_vertices_and_many_frames_take_the_other_gram_matrix(void **state) {
  (void)state;
  lbAnimationDef def = test_def();
  def.tolerance = 1e-6;
  lbMesh *mesh = tetrahedron();
  lbAnimationInfo info = round_trip(mesh, twist, &def);
  // only the corners of y = 0 leave the axis, and they turn as one: a cosine and a sine
  assert_int_equal(info.target_count, 2);
  check_small(info.max_error, def.tolerance * info.size);
  // twelve coordinates move on their own, less three for the centroid
  info = round_trip(mesh, scatter, &def);
  assert_int_equal(info.target_count, 9);
  check_small(info.max_error, def.tolerance * info.size);
  lb_mesh_destroy(mesh);
}

static void the_greatest_number_of_targets_is_kept_and_the_error_stated(void **state) {
  (void)state;
  lbAnimationDef def = test_def();
  lbMesh *mesh = sheet();
  def.targets_max = 2;
  lbAnimationInfo info = round_trip(mesh, twist, &def);
  assert_int_equal(info.target_count, 2);
  assert_true(info.max_error > def.tolerance * info.size);
  def.targets_max = 0;
  assert_int_equal(round_trip(mesh, twist, &def).target_count, 0);
  lb_mesh_destroy(mesh);
}

static void a_body_at_rest_has_no_targets_and_no_animation(void **state) {
  (void)state;
  lbAnimationDef def = test_def();
  lbMesh *mesh = sheet();
  assert_int_equal(round_trip(mesh, keep, &def).target_count, 0);
  GlbFile file = glb_open(output());
  assert_null(json_object_get(file.root, "animations"));
  glb_close(&file);
  lb_mesh_destroy(mesh);
}

static void one_frame_is_a_still_picture(void **state) {
  (void)state;
  lbAnimationDef def = test_def();
  def.frame_count = 1;
  lbMesh *mesh = sheet();
  lbAnimationInfo info = round_trip(mesh, wave, &def);
  assert_int_equal(info.target_count, 0);
  check_small(info.max_error, 1e-6);
  lb_mesh_destroy(mesh);
}

static void a_travelling_body_has_a_translation_and_no_targets(void **state) {
  (void)state;
  lbAnimationDef def = test_def();
  lbMesh *mesh = sheet();
  assert_int_equal(round_trip(mesh, travel, &def).target_count, 0);
  GlbFile file = glb_open(output());
  GlbBody body = glb_body(&file, 1, &def);
  assert_true(body.has_translations);
  assert_int_equal(body.translations.count, FRAMES);
  glb_close(&file);
  lb_mesh_destroy(mesh);
}

// By targets alone it takes several; by its node, which then turns, the little bending.
static void a_turning_body_turns_by_its_node(void **state) {
  (void)state;
  lbAnimationDef def = test_def();
  lbMesh *mesh = tetrahedron();
  float *frames = move(mesh, tumble);
  lbAnimationBody bodies[] = {
    { .name = "plain", .surface = mesh, .frames = frames },
    { .name = "turning", .surface = mesh, .frames = frames, .turning = true }
  };
  lbAnimationInfo infos[2];
  lbError err;
  def.tolerance = 1e-5;
  check_ok(lb_animation_write(output(), bodies, 2, &def, infos, &err), err);
  GlbFile file = glb_open(output());
  GlbBody plain = glb_body(&file, 1, &def), turning = glb_body(&file, 2, &def);
  assert_false(plain.has_rotations);
  assert_true(turning.has_rotations);
  assert_true(infos[1].target_count < infos[0].target_count);
  json_t *primitive = json_array_get(json_object_get(turning.mesh, "primitives"), 0);
  double worst = primitive_error(&file, &turning, primitive, &bodies[1], def.frame_count, -1);
  print_message("  %d targets, turning %d; error %.3g, said to be below %.3g\n",
                (int)infos[0].target_count, (int)infos[1].target_count, worst, infos[1].max_error);
  check_small(worst, infos[1].max_error + 1e-6); // frames are floats
  check_small(infos[1].max_error, 2 * def.tolerance * infos[1].size);
  glb_close(&file);
  free(frames);
  lb_mesh_destroy(mesh);
}

static void two_bodies_share_a_file_and_an_animation(void **state) {
  (void)state;
  lbAnimationDef def = test_def();
  lbMesh *a = sheet(), *b = tetrahedron();
  float *a_frames = move(a, wave), *b_frames = move(b, twist);
  lbAnimationBody bodies[] = { { .name = "sheet", .surface = a, .frames = a_frames },
                               { .name = "Würfel", .surface = b, .frames = b_frames } };
  lbAnimationInfo infos[2];
  lbError err;
  check_ok(lb_animation_write(output(), bodies, 2, &def, infos, &err), err);
  GlbFile file = glb_open(output());
  for (int i = 0; i < 2; i++) check_body(&file, i, &bodies[i], &def, &infos[i]);
  assert_int_equal(json_array_size(json_object_get(file.root, "animations")), 1);
  json_t *open = glb_item(&file, "materials", 0), *closed = glb_item(&file, "materials", 1);
  assert_true(json_is_true(json_object_get(open, "doubleSided")));
  assert_null(json_object_get(closed, "doubleSided"));
  glb_close(&file);
  free(a_frames);
  free(b_frames);
  lb_mesh_destroy(a);
  lb_mesh_destroy(b);
}

static void appearances_become_materials_and_pictures_survive(void **state) {
  (void)state;
  lbAnimationDef def = test_def();
  lbMesh *mesh = painted_sheet();
  round_trip(mesh, wave, &def);
  GlbFile file = glb_open(output());
  GlbBody body = glb_body(&file, 1, &def);
  assert_int_equal(body.base.count, SIDE * SIDE + SIDE); // the seam's vertices twice
  assert_int_equal(json_array_size(json_object_get(body.mesh, "primitives")), 3);
  assert_int_equal(json_array_size(json_object_get(file.root, "materials")), 3);
  assert_int_equal(json_array_size(json_object_get(file.root, "images")), 1); // no GIF
  json_t *image = glb_item(&file, "images", 0);
  size_t bytes;
  const uint8_t *data = glb_view(&file, glb_integer(image, "bufferView"), &bytes);
  assert_int_equal(bytes, sizeof png);
  assert_memory_equal(data, png, bytes);
  assert_string_equal(json_string_value(json_object_get(image, "mimeType")), "image/png");
  json_t *pbr = json_object_get(glb_item(&file, "materials", 2), "pbrMetallicRoughness");
  json_t *color = json_object_get(pbr, "baseColorFactor");
  check_near(json_number_value(json_array_get(color, 0)), 1, 0);
  check_near(json_number_value(json_array_get(color, 1)), 0, 0);
  assert_null(json_object_get(pbr, "baseColorTexture"));
  glb_close(&file);
  lb_mesh_destroy(mesh);
}

// Every corner finds its own texture coordinates again.
static void texture_coordinates_survive_the_splitting(void **state) {
  (void)state;
  lbAnimationDef def = test_def();
  lbMesh *mesh = painted_sheet();
  round_trip(mesh, wave, &def);
  GlbFile file = glb_open(output());
  json_t *primitives = json_object_get(glb_body(&file, 1, &def).mesh, "primitives");
  for (size_t part = 0; part < 3; part++) {
    json_t *primitive = json_array_get(primitives, part);
    json_t *attributes = json_object_get(primitive, "attributes");
    Accessor uvs = glb_accessor(&file, glb_integer(attributes, "TEXCOORD_0"), false);
    Accessor indices = glb_accessor(&file, glb_integer(primitive, "indices"), false);
    size_t next = 0;
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++) {
      if (mesh->triangle_appearances[i / 3] != (int32_t)part - 1) continue;
      size_t vertex = glb_index(&indices, next++);
      for (size_t k = 0; k < 2; k++)
        check_near((double)glb_float(&uvs, 2 * vertex + k), (double)mesh->corner_uvs[2 * i + k], 0);
    }
  }
  glb_close(&file);
  lb_mesh_destroy(mesh);
}

static void vertices_without_triangles_are_left_out(void **state) {
  (void)state;
  lbAnimationDef def = test_def();
  lbMesh *mesh = sheet();
  mesh->triangle_count = 4; // the first row's first two squares
  round_trip(mesh, wave, &def);
  GlbFile file = glb_open(output());
  assert_int_equal(glb_body(&file, 1, &def).base.count, 6);
  glb_close(&file);
  lb_mesh_destroy(mesh);
}

static void the_root_node_turns_the_up_axis(void **state) {
  (void)state;
  lbAnimationDef def = test_def();
  lbMesh *mesh = tetrahedron();
  for (int i = 0; i < 2; i++) {
    def.up = "yz"[i];
    round_trip(mesh, wave, &def);
    GlbFile file = glb_open(output());
    json_t *rotation = json_object_get(glb_item(&file, "nodes", 0), "rotation");
    assert_int_equal(json_array_size(rotation), i ? 4 : 0);
    if (i) { // (0, 0, 1) to (0, 1, 0): x = -sqrt(1/2), w = sqrt(1/2)
      check_near(json_number_value(json_array_get(rotation, 0)), -sqrt(0.5), 1e-7);
      check_near(json_number_value(json_array_get(rotation, 3)), sqrt(0.5), 1e-7);
    }
    glb_close(&file);
  }
  lb_mesh_destroy(mesh);
}

static void the_same_input_gives_the_same_bytes(void **state) {
  (void)state;
  lbAnimationDef def = test_def();
  lbMesh *mesh = painted_sheet();
  round_trip(mesh, twist, &def);
  GlbFile first = glb_open(output());
  round_trip(mesh, twist, &def);
  GlbFile second = glb_open(output());
  assert_int_equal(first.bytes, second.bytes);
  assert_memory_equal(first.content, second.content, first.bytes);
  glb_close(&first);
  glb_close(&second);
  lb_mesh_destroy(mesh);
}

static void wrong_arguments_are_named(void **state) {
  (void)state;
  lbMesh *mesh = sheet();
  float *frames = move(mesh, wave);
  lbAnimationBody body = { .name = "cloth", .surface = mesh, .frames = frames };
  lbAnimationDef def = test_def();
  lbError err;
#define REFUSED(status, part)                                                                      \
  check_fails(lb_animation_write(output(), &body, 1, &def, NULL, &err), status, err, part)
  def.frame_count = 0;
  REFUSED(LB_ERR_ARGUMENT, "frame_count is 0");
  def = test_def();
  times[7] = times[6];
  REFUSED(LB_ERR_ARGUMENT, "times[7]");
  def = test_def();
  times[0] = NAN;
  REFUSED(LB_ERR_ARGUMENT, "times[0]");
  def = test_def();
  def.tolerance = 0;
  REFUSED(LB_ERR_ARGUMENT, "tolerance is 0");
  def = test_def();
  def.up = 'x';
  REFUSED(LB_ERR_ARGUMENT, "up is");
  def = test_def();
  def.targets_max = -1;
  REFUSED(LB_ERR_ARGUMENT, "targets_max is -1");
  def = test_def();
  frames[3 * (3 * SIDE * SIDE) + 3 * 11 + 1] = NAN;
  REFUSED(LB_ERR_ARGUMENT, "body \"cloth\": frame 3, vertex 11: y is");
  mesh->triangles[3 * 4] = 1000;
  REFUSED(LB_ERR_MESH, "triangle 4 uses vertex 1000");
  mesh->triangle_count = 0;
  REFUSED(LB_ERR_MESH, "no triangles");
  body.frames = NULL;
  REFUSED(LB_ERR_ARGUMENT, "no frames");
  check_fails(lb_animation_write(output(), &body, 0, &def, NULL, &err), LB_ERR_ARGUMENT, err,
              "a body");
#undef REFUSED
  free(frames);
  lb_mesh_destroy(mesh);
}

static void more_than_four_gibibytes_are_refused(void **state) {
  (void)state;
  lbMesh *mesh = painted_sheet();
  float *frames = move(mesh, wave);
  lbAnimationBody body = { .name = "cloth", .surface = mesh, .frames = frames };
  lbAnimationDef def = test_def();
  lbError err;
  size_t bytes = mesh->textures[0].bytes;
  mesh->textures[0].bytes = (size_t)5 << 30; // never read: refused by its size
  check_fails(lb_animation_write(output(), &body, 1, &def, NULL, &err), LB_ERR_UNSUPPORTED, err,
              "4 GiB");
  mesh->textures[0].bytes = bytes;
  free(frames);
  lb_mesh_destroy(mesh);
}

static bool refuse(const char *stage, double fraction, void *context) {
  (void)stage, (void)fraction, (void)context;
  return false;
}

static void a_stopped_export_leaves_the_old_file(void **state) {
  (void)state;
  lbAnimationDef def = test_def();
  lbMesh *mesh = sheet();
  round_trip(mesh, keep, &def);
  GlbFile before = glb_open(output());
  float *frames = move(mesh, wave);
  lbAnimationBody body = { .name = "cloth", .surface = mesh, .frames = frames };
  lbError err;
  lb_set_progress(refuse, NULL);
  lbStatus status = lb_animation_write(output(), &body, 1, &def, NULL, &err);
  lb_set_progress(NULL, NULL);
  assert_int_equal(status, LB_ERR_INTERRUPTED);
  GlbFile after = glb_open(output());
  assert_int_equal(before.bytes, after.bytes);
  assert_memory_equal(before.content, after.content, after.bytes);
  glb_close(&before);
  glb_close(&after);
  free(frames);
  lb_mesh_destroy(mesh);
}

static void every_failing_allocation_is_reported_without_leaks(void **state) {
  (void)state;
  lbMesh *mesh = painted_sheet(), *small = tetrahedron();
  float *frames = move(mesh, wave), *small_frames = move(small, twist);
  lbAnimationBody bodies[] = { { .name = "cloth", .surface = mesh, .frames = frames },
                               { .name = "\xff", .surface = small, .frames = small_frames } };
  lbAnimationDef def = test_def();
  lbStatus status = LB_ERR_MEMORY;
  int64_t n = 0;
  for (; status; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lbError err = { 0 };
    lb_set_allocator(&allocator);
    status = lb_animation_write(output(), bodies, 2, &def, NULL, &err);
    lb_set_allocator(NULL);
    if (status) assert_int_equal(status, LB_ERR_MEMORY);
    assert_int_equal(heap.live, 0);
  }
  assert_true(n > 40);
  free(frames);
  free(small_frames);
  lb_mesh_destroy(mesh);
  lb_mesh_destroy(small);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_waving_sheet_is_rebuilt_within_the_tolerance),
    cmocka_unit_test(normals_follow_the_motion),
    cmocka_unit_test(a_tighter_tolerance_takes_more_targets_and_is_met),
    cmocka_unit_test(two_shapes_take_two_targets),
    cmocka_unit_test(few_vertices_and_many_frames_take_the_other_gram_matrix),
    cmocka_unit_test(the_greatest_number_of_targets_is_kept_and_the_error_stated),
    cmocka_unit_test(a_body_at_rest_has_no_targets_and_no_animation),
    cmocka_unit_test(one_frame_is_a_still_picture),
    cmocka_unit_test(a_travelling_body_has_a_translation_and_no_targets),
    cmocka_unit_test(a_turning_body_turns_by_its_node),
    cmocka_unit_test(two_bodies_share_a_file_and_an_animation),
    cmocka_unit_test(appearances_become_materials_and_pictures_survive),
    cmocka_unit_test(texture_coordinates_survive_the_splitting),
    cmocka_unit_test(vertices_without_triangles_are_left_out),
    cmocka_unit_test(the_root_node_turns_the_up_axis),
    cmocka_unit_test(the_same_input_gives_the_same_bytes),
    cmocka_unit_test(wrong_arguments_are_named),
    cmocka_unit_test(more_than_four_gibibytes_are_refused),
    cmocka_unit_test(a_stopped_export_leaves_the_old_file),
    cmocka_unit_test(every_failing_allocation_is_reported_without_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
