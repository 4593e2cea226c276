// Animations by shapes and coordinates: what the file decodes to is rest + sum shape coordinate,
// placed, to the precision of floats.
#include "glb_file.h"
#include "subjects.h"

#define FRAMES 24
#define SHAPES 4
#define EPS 6e-8 // of a float

static double times[FRAMES], coordinates[FRAMES * SHAPES], positions[3 * FRAMES],
    rotations[4 * FRAMES];

static const char *output(void) { return output_path("test-shapes.glb"); }

// Bending, stretching, a wave, and one that shall stay where it is.
static double *make_shapes(const lbMesh *mesh) {
  size_t n = 3 * (size_t)mesh->vertex_count;
  double *shapes = malloc(SHAPES * n * sizeof *shapes);
  assert_non_null(shapes);
  for (size_t v = 0; v < n; v += 3) {
    const double *p = mesh->positions + v;
    const double u[SHAPES][3] = { { 0, 0, p[0] * p[0] },
                                  { 0.3 * p[0], -0.1 * p[1], 0 },
                                  { 0, 0, sin(5 * p[0] + 3 * p[1]) },
                                  { 0, p[0], 0.2 } };
    for (size_t i = 0; i < SHAPES; i++) memcpy(shapes + n * i + v, u[i], sizeof u[i]);
  }
  return shapes;
}

static lbAnimationDef test_def(void) {
  lbAnimationDef def = lb_animation_def();
  for (size_t f = 0; f < FRAMES; f++) {
    double t = times[f] = (double)f / 30;
    const double q[SHAPES] = { 0.4 * sin(9 * t), 0.2 * t - 0.7, 0.05 * cos(20 * t) + 1, 0.3 };
    const double p[3] = { 2 * t, 5, -3 * t * t };
    lbQuat r = lb_quat_from_axis_angle(lb_vec3(1, 2, 3), 12 * t);
    memcpy(coordinates + SHAPES * f, q, sizeof q);
    memcpy(positions + 3 * f, p, sizeof p);
    for (int k = 0; k < 4; k++)
      rotations[4 * f + (size_t)k] = 2 * (f % 2 ? -1 : 1) * (&r.x)[k]; // -q is q, length is nothing
  }
  def.frame_count = FRAMES;
  def.times = times;
  return def;
}

static lbAnimationBody test_body(const lbMesh *mesh, const double *shapes) {
  return (lbAnimationBody){ .name = "cloth",
                            .surface = mesh,
                            .shape_count = SHAPES,
                            .shapes = shapes,
                            .coordinates = coordinates };
}

static void true_point(const lbAnimationBody *body, size_t vertex, size_t frame, double x[3]) {
  const double *q = NULL;
  if (body->shape_count) q = body->coordinates + (size_t)body->shape_count * frame;
  for (size_t k = 0; k < 3; k++) {
    x[k] = body->surface->positions[3 * vertex + k];
    for (size_t i = 0; i < (size_t)body->shape_count; i++)
      x[k] += q[i] * body->shapes[3 * ((size_t)body->surface->vertex_count * i + vertex) + k];
  }
  lbVec3 p = lb_vec3_load(x);
  const double *r = body->rotations ? body->rotations + 4 * frame : NULL;
  if (r) p = lb_quat_rotate(lb_quat_normalise(lb_quat(r[0], r[1], r[2], r[3])), p);
  if (body->positions) p = lb_add(p, lb_vec3_load(body->positions + 3 * frame));
  x[0] = p.x, x[1] = p.y, x[2] = p.z;
}

// The greatest distance in the file; the sheet's vertices keep their order.
static double file_error(const GlbBody *decoded, const lbAnimationBody *body, size_t frame_count) {
  double worst = 0;
  assert_int_equal(decoded->base.count, body->surface->vertex_count);
  for (size_t f = 0; f < frame_count; f++)
    for (size_t v = 0; v < decoded->base.count; v++) {
      double x[3], y[3];
      glb_point(decoded, v, f, x);
      true_point(body, v, f, y);
      worst = fmax(worst, lb_length(lb_sub(lb_vec3_load(x), lb_vec3_load(y))));
    }
  return worst;
}

static void check_weights(const GlbBody *body) {
  for (size_t i = 0; body->has_weights && i < body->weights.count; i++)
    assert_true(glb_float(&body->weights, i) >= 0 && glb_float(&body->weights, i) <= 1);
}

static lbAnimationInfo write_one(const lbAnimationBody *body, const lbAnimationDef *def) {
  lbAnimationInfo info;
  lbError err;
  check_ok(lb_animation_write(output(), body, 1, def, &info, &err), err);
  return info;
}

// Writes, decodes, and compares; the stated error must hold, and be met when `exact`.
static lbAnimationInfo round_trip(const lbAnimationBody *body, const lbAnimationDef *def,
                                  bool exact) {
  lbAnimationInfo info = write_one(body, def);
  GlbFile file = glb_open(output());
  GlbBody decoded = glb_body(&file, 1, def);
  double found = file_error(&decoded, body, (size_t)def->frame_count);
  check_weights(&decoded);
  assert_int_equal(decoded.target_count, info.target_count);
  check_small(found, info.max_error + 1e-12);
  if (exact) check_near(found, info.max_error, 1e-12);
  glb_close(&file);
  return info;
}

// ---- tests -------------------------------------------------------------------------------------

static void moving_shapes_become_targets_to_float_precision(void **state) {
  (void)state;
  lbAnimationDef def = test_def();
  lbMesh *mesh = sheet();
  double *shapes = make_shapes(mesh);
  lbAnimationBody body = test_body(mesh, shapes);
  lbAnimationInfo info = round_trip(&body, &def, true);
  assert_int_equal(info.target_count, 3);
  check_small(info.max_error, 4 * EPS);
  GlbFile file = glb_open(output());
  GlbBody decoded = glb_body(&file, 1, &def);
  json_t *names = json_object_get(json_object_get(decoded.mesh, "extras"), "targetNames");
  assert_string_equal(json_string_value(json_array_get(names, 2)), "shape 3");
  assert_false(decoded.has_translations || decoded.has_rotations);
  // weights touch both ends, so the targets are no larger than they need be
  for (size_t i = 0; i < 3; i++) {
    float low = 1, high = 0;
    for (size_t f = 0; f < FRAMES; f++) {
      low = fminf(low, glb_float(&decoded.weights, 3 * f + i));
      high = fmaxf(high, glb_float(&decoded.weights, 3 * f + i));
    }
    assert_true(low == 0 && high == 1);
  }
  glb_close(&file);
  free(shapes);
  lb_mesh_destroy(mesh);
}

static void a_moving_placement_is_a_node_animation(void **state) {
  (void)state;
  lbAnimationDef def = test_def();
  lbMesh *mesh = sheet();
  double *shapes = make_shapes(mesh);
  lbAnimationBody body = test_body(mesh, shapes);
  body.positions = positions;
  body.rotations = rotations;
  lbAnimationInfo info = round_trip(&body, &def, false);
  assert_int_equal(info.target_count, 3);
  check_small(info.max_error, 40 * EPS);
  GlbFile file = glb_open(output());
  GlbBody decoded = glb_body(&file, 1, &def);
  assert_true(decoded.has_translations && decoded.has_rotations);
  for (size_t f = 1; f < FRAMES; f++) { // the short way from frame to frame
    double dot = 0;
    for (size_t k = 0; k < 4; k++)
      dot += (double)glb_float(&decoded.rotations, 4 * f + k) *
             (double)glb_float(&decoded.rotations, 4 * f - 4 + k);
    assert_true(dot > 0.9);
  }
  glb_close(&file);
  free(shapes);
  lb_mesh_destroy(mesh);
}

static void a_resting_placement_is_the_nodes_own(void **state) {
  (void)state;
  lbAnimationDef def = test_def();
  lbMesh *mesh = sheet();
  double *shapes = make_shapes(mesh);
  lbAnimationBody body = test_body(mesh, shapes);
  for (size_t f = 1; f < FRAMES; f++) {
    memcpy(positions + 3 * f, positions, 3 * sizeof *positions);
    for (size_t k = 0; k < 4; k++) rotations[4 * f + k] = rotations[k] = 0.5;
  }
  body.positions = positions;
  body.rotations = rotations;
  round_trip(&body, &def, false);
  GlbFile file = glb_open(output());
  GlbBody decoded = glb_body(&file, 1, &def);
  assert_false(decoded.has_translations || decoded.has_rotations);
  assert_int_equal(json_array_size(json_object_get(decoded.node, "rotation")), 4);
  assert_int_equal(json_array_size(json_object_get(decoded.node, "translation")), 3);
  glb_close(&file);
  free(shapes);
  lb_mesh_destroy(mesh);
}

static void a_rigid_body_has_a_placement_alone(void **state) {
  (void)state;
  lbAnimationDef def = test_def();
  lbMesh *mesh = sheet();
  lbAnimationBody body = {
    .name = "plate", .surface = mesh, .positions = positions, .rotations = rotations
  };
  assert_int_equal(round_trip(&body, &def, false).target_count, 0);
  lb_mesh_destroy(mesh);
}

static void frames_may_have_a_placement_too(void **state) {
  (void)state;
  lbAnimationDef def = test_def();
  lbMesh *mesh = sheet();
  size_t n = 3 * (size_t)mesh->vertex_count;
  double *shapes = make_shapes(mesh);
  float *frames = malloc(FRAMES * n * sizeof *frames);
  lbAnimationBody body = test_body(mesh, shapes);
  for (size_t f = 0; f < FRAMES; f++)
    for (size_t v = 0; v < n / 3; v++) {
      double x[3];
      true_point(&body, v, f, x);
      for (size_t k = 0; k < 3; k++) frames[n * f + 3 * v + k] = (float)x[k];
    }
  def.tolerance = 1e-6;
  body.positions = positions;
  body.rotations = rotations;
  lbAnimationBody given = { .name = "cloth",
                            .surface = mesh,
                            .frames = frames,
                            .positions = positions,
                            .rotations = rotations };
  lbAnimationInfo info = write_one(&given, &def);
  GlbFile file = glb_open(output());
  GlbBody decoded = glb_body(&file, 1, &def);
  check_small(file_error(&decoded, &body, FRAMES), info.max_error + 4 * EPS);
  check_small(info.max_error, 3e-6);
  glb_close(&file);
  free(frames);
  free(shapes);
  lb_mesh_destroy(mesh);
}

static void too_many_shapes_are_taken_as_components(void **state) {
  (void)state;
  lbAnimationDef def = test_def();
  lbMesh *mesh = sheet();
  double *shapes = make_shapes(mesh);
  lbAnimationBody body = test_body(mesh, shapes);
  def.targets_max = 2;
  lbAnimationInfo info = round_trip(&body, &def, true);
  assert_int_equal(info.target_count, 2);
  GlbFile file = glb_open(output());
  json_t *extras = json_object_get(glb_body(&file, 1, &def).mesh, "extras");
  json_t *names = json_object_get(extras, "targetNames");
  assert_string_equal(json_string_value(json_array_get(names, 0)), "component 1");
  glb_close(&file);
  // three of the four move: three targets are enough
  def.targets_max = 3;
  check_small(round_trip(&body, &def, true).max_error, 4 * EPS);
  free(shapes);
  lb_mesh_destroy(mesh);
}

static void shapes_at_rest_are_in_the_base(void **state) {
  (void)state;
  lbAnimationDef def = test_def();
  lbMesh *mesh = sheet();
  double *shapes = make_shapes(mesh);
  lbAnimationBody body = test_body(mesh, shapes);
  def.frame_count = 1;
  lbAnimationInfo info = round_trip(&body, &def, true);
  assert_int_equal(info.target_count, 0);
  check_small(info.max_error, 2 * EPS);
  def.frame_count = FRAMES;
  // a shape that no vertex of the surface follows
  memset(shapes, 0, 3 * (size_t)mesh->vertex_count * sizeof *shapes);
  assert_int_equal(round_trip(&body, &def, true).target_count, 2);
  free(shapes);
  lb_mesh_destroy(mesh);
}

static void wrong_shapes_are_named(void **state) {
  (void)state;
  lbAnimationDef def = test_def();
  lbMesh *mesh = sheet();
  double *shapes = make_shapes(mesh);
  lbAnimationBody good = test_body(mesh, shapes), body = good;
  lbError err;
#define REFUSED(status, part)                                                                      \
  check_fails(lb_animation_write(output(), &body, 1, &def, NULL, &err), status, err, part)
  body.shape_count = -1;
  REFUSED(LB_ERR_ARGUMENT, "body \"cloth\": shape_count is -1");
  body = good;
  body.coordinates = NULL;
  REFUSED(LB_ERR_ARGUMENT, "shape_count is 4");
  body = good;
  body.frames = (const float *)shapes;
  REFUSED(LB_ERR_ARGUMENT, "both frames and shapes");
  body = good;
  coordinates[5 * SHAPES + 2] = NAN;
  REFUSED(LB_ERR_ARGUMENT, "coordinates[5][2] is nan");
  coordinates[5 * SHAPES + 2] = 1e30;
  shapes[3 * SIDE * SIDE * 2 + 4] = 1e20;
  REFUSED(LB_ERR_ARGUMENT, "shape 2 moves a vertex by");
  shapes[3 * SIDE * SIDE * 2 + 4] = INFINITY;
  REFUSED(LB_ERR_ARGUMENT, "shape 2, vertex 1: y is inf");
  def = test_def();
  shapes[3 * SIDE * SIDE * 2 + 4] = 0;
  body.positions = positions;
  body.rotations = rotations;
  positions[7] = NAN;
  REFUSED(LB_ERR_ARGUMENT, "positions[2][1] is nan");
  def = test_def();
  memset(rotations + 12, 0, 4 * sizeof *rotations);
  REFUSED(LB_ERR_ARGUMENT, "rotations[3] is (0, 0, 0, 0)");
#undef REFUSED
  free(shapes);
  lb_mesh_destroy(mesh);
}

static void every_failing_allocation_is_reported_without_leaks(void **state) {
  (void)state;
  lbMesh *mesh = painted_sheet();
  double *shapes = make_shapes(mesh);
  lbAnimationBody bodies[2] = { test_body(mesh, shapes), test_body(mesh, shapes) };
  bodies[1].positions = positions;
  bodies[1].rotations = rotations;
  remove(output());
  for (int pass = 0; pass < 2; pass++) { // as shapes, as components
    lbAnimationDef def = test_def();
    lbStatus status = LB_ERR_MEMORY;
    int64_t n = 0;
    if (pass) def.targets_max = 2;
    for (; status; n++) {
      CheckedHeap heap = { .fail_at = n };
      lbAllocator allocator = checked_allocator(&heap);
      lbError err = { 0 };
      assert_true(!lb_file_exists(output()) || pass);
      lb_set_allocator(&allocator);
      status = lb_animation_write(output(), bodies, 2, &def, NULL, &err);
      lb_set_allocator(NULL);
      if (status) assert_int_equal(status, LB_ERR_MEMORY);
      assert_int_equal(heap.live, 0);
    }
    assert_true(n > 40);
  }
  free(shapes);
  lb_mesh_destroy(mesh);
}

// For other programs' readers (tests/cli/test_gltf.py): a file, and where its vertices are in
// glTF's axes at some frames, a row each: frame, time, vertex, x, y, z.
static void the_file_for_other_readers_is_written(void **state) {
  (void)state;
  lbAnimationDef def = test_def();
  lbMesh *mesh = sheet();
  double *shapes = make_shapes(mesh);
  lbAnimationBody body = test_body(mesh, shapes);
  lbError err;
  body.positions = positions;
  body.rotations = rotations;
  check_ok(lb_animation_write(output_path("shapes.glb"), &body, 1, &def, NULL, &err), err);
  FILE *table = fopen(output_path("shapes.csv"), "w");
  assert_non_null(table);
  fprintf(table, "frame,t,vertex,x,y,z\n");
  for (size_t f = 0; f < FRAMES; f += 5)
    for (size_t v = 0; v < (size_t)mesh->vertex_count; v++) {
      double x[3];
      true_point(&body, v, f, x);
      fprintf(table, "%zu,%.17g,%zu,%.17g,%.17g,%.17g\n", f, times[f], v, x[0], x[2], -x[1]);
    }
  assert_int_equal(fclose(table), 0);
  free(shapes);
  lb_mesh_destroy(mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(moving_shapes_become_targets_to_float_precision),
    cmocka_unit_test(a_moving_placement_is_a_node_animation),
    cmocka_unit_test(a_resting_placement_is_the_nodes_own),
    cmocka_unit_test(a_rigid_body_has_a_placement_alone),
    cmocka_unit_test(frames_may_have_a_placement_too),
    cmocka_unit_test(too_many_shapes_are_taken_as_components),
    cmocka_unit_test(shapes_at_rest_are_in_the_base),
    cmocka_unit_test(wrong_shapes_are_named),
    cmocka_unit_test(every_failing_allocation_is_reported_without_leaks),
    cmocka_unit_test(the_file_for_other_readers_is_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
