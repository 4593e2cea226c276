// The shapes to play with (tower, bowl, cactus, turtle, figure): sound volumes at every resolution,
// clean surfaces that lie in them, parts with groups and looks, limits.
#include "check.h"

#include "limber/math.h"
#include "limber/report.h"
#include "limber/shape.h"
#include "limber/voxelise.h"

#define FIRST LB_SHAPE_TOWER
#define FIRST_ROUNDED LB_SHAPE_CACTUS

static lbShapeDef def_of(int shape) { return lb_shape_def(lb_shape_name((lbShape)shape)); }

static lbMesh *volume_of(lbShapeDef def, lbElementKind element) {
  lbMesh *mesh = NULL;
  lbError err = { 0 };
  def.element = element;
  check_ok(lb_shape_volume(&def, &mesh, &err), err);
  return mesh;
}

static lbMesh *surface_of(lbShapeDef def) {
  lbMesh *mesh = NULL;
  lbError err = { 0 };
  check_ok(lb_shape_surface(&def, &mesh, &err), err);
  return mesh;
}

// The default surfaces, made once.
static const lbMesh *default_surface(int shape) {
  static lbMesh *surfaces[LB_SHAPE_SOLID_COUNT];
  if (shape >= 0 && !surfaces[shape]) surfaces[shape] = surface_of(def_of(shape));
  for (int i = 0; i < LB_SHAPE_SOLID_COUNT && shape < 0; i++) lb_mesh_destroy(surfaces[i]);
  return shape < 0 ? NULL : surfaces[shape];
}

static int release_surfaces(void **state) {
  (void)state;
  default_surface(-1);
  return 0;
}

// One closed solid without any problem; its volume.
static double clean_volume(const lbMesh *mesh, const char *name) {
  lbMeshReport *report = NULL;
  lbError err = { 0 };
  check_ok(lb_mesh_report(mesh, &report, &err), err);
  for (int32_t i = 0; i < report->problem_count; i++) // long cells are the caller's choice
    if (strcmp(report->problems[i].kind, "slivers") != 0)
      fail_msg("%s: %s %d", name, report->problems[i].kind, (int)report->problems[i].count);
  assert_int_equal(report->component_count, 1);
  assert_true(report->closed);
  assert_int_equal(mesh->mended_count, 0);
  double volume = report->volume;
  assert_true(volume > 0);
  lb_mesh_report_destroy(report);
  return volume;
}

static void volumes_are_of_moderate_size_and_near_that_of_the_surface(void **state) {
  (void)state;
  for (int shape = FIRST; shape < LB_SHAPE_SOLID_COUNT; shape++) {
    lbShapeDef def = def_of(shape);
    const char *name = lb_shape_name(def.shape);
    lbMesh *bricks = volume_of(def, LB_ELEMENT_BRICK8), *tets = volume_of(def, LB_ELEMENT_TET4);
    const lbMesh *surface = default_surface(shape);
    double inside = clean_volume(surface, name), whole = clean_volume(bricks, name);
    print_message("%s: %d bricks, %d triangles, volume %.4g within %.4g\n", name,
                  (int)bricks->brick_count, (int)surface->triangle_count, inside, whole);
    assert_in_range(bricks->brick_count, 800, 4000);
    assert_in_range(surface->triangle_count, 5000, 25000);
    check_small(clean_volume(tets, name) / whole - 1, 0.002);
    assert_true(whole / inside > (shape >= FIRST_ROUNDED ? 1.05 : 0.97));
    assert_true(whole / inside < (shape >= FIRST_ROUNDED ? 1.6 : 1.03));
    lb_mesh_destroy(bricks);
    lb_mesh_destroy(tets);
  }
}

// The cells stick out; the finer they are, the less.
static void cells_of_rounded_shapes_close_in_on_the_surface(void **state) {
  (void)state;
  for (int shape = FIRST_ROUNDED; shape < LB_SHAPE_SOLID_COUNT; shape++) {
    lbShapeDef def = def_of(shape);
    const lbMesh *surface = default_surface(shape);
    double inside = clean_volume(surface, lb_shape_name(def.shape)), excess[2];
    for (int a = 0; a < 3; a++) def.cells[a] = (def.cells[a] + 1) / 2;
    for (int i = 0; i < 2; i++) {
      lbMesh *mesh = volume_of(def, LB_ELEMENT_BRICK8);
      excess[i] = clean_volume(mesh, lb_shape_name(def.shape)) / inside - 1;
      lb_mesh_destroy(mesh);
      for (int a = 0; a < 3; a++) def.cells[a] *= 2;
    }
    print_message("%s: excess %.3f %.3f\n", lb_shape_name(def.shape), excess[0], excess[1]);
    check_near(excess[0] / excess[1], 2, 0.4); // a layer of cells
  }
}

static void surfaces_lie_in_their_volumes_or_very_near(void **state) {
  (void)state;
  for (int shape = FIRST; shape < LB_SHAPE_SOLID_COUNT; shape++) {
    lbShapeDef def = def_of(shape);
    lbMesh *volume = volume_of(def, LB_ELEMENT_BRICK8);
    const lbMesh *surface = default_surface(shape);
    lbEmbedding *embedding = NULL;
    lbError err = { 0 };
    check_ok(lb_mesh_embed(volume, surface->positions, surface->vertex_count, &embedding, &err),
             err);
    double longest = fmax(def.size[0], fmax(def.size[1], def.size[2]));
    check_small(embedding->outside_distance, 0.01 * longest);
    lb_embedding_destroy(embedding);
    lb_mesh_destroy(volume);
  }
}

// 4 A / (sqrt(3) longest^2): 1 for the regular triangle.
static double triangle_quality(const lbMesh *mesh, int32_t triangle) {
  lbVec3 p[3];
  double longest = 0;
  for (int i = 0; i < 3; i++)
    p[i] = lb_vec3_load(mesh->positions + 3 * (size_t)mesh->triangles[3 * triangle + i]);
  for (int i = 0; i < 3; i++) longest = fmax(longest, lb_length(lb_sub(p[(i + 1) % 3], p[i])));
  double area = lb_length(lb_cross(lb_sub(p[1], p[0]), lb_sub(p[2], p[0]))) / 2;
  return 4 * area / (sqrt(3) * longest * longest);
}

static void no_triangle_is_a_sliver(void **state) {
  (void)state;
  for (int shape = FIRST; shape < LB_SHAPE_SOLID_COUNT; shape++) {
    const lbMesh *mesh = default_surface(shape);
    double least = 1;
    for (int32_t t = 0; t < mesh->triangle_count; t++)
      least = fmin(least, triangle_quality(mesh, t));
    print_message("%s: least quality %.3f\n", lb_shape_name((lbShape)shape), least);
    assert_true(least > 0.05);
  }
}

// Neighbouring normals of a smooth surface differ little; stairs of a grid would differ by 90.
static void rounded_surfaces_have_no_stairs(void **state) {
  (void)state;
  for (int shape = FIRST_ROUNDED; shape < LB_SHAPE_SOLID_COUNT; shape++) {
    const lbMesh *mesh = default_surface(shape);
    lbVec3 *normals = calloc((size_t)mesh->vertex_count, sizeof(lbVec3));
    double *sums = calloc(2, sizeof(double));
    for (int pass = 0; pass < 2; pass++)
      for (int32_t t = 0; t < mesh->triangle_count; t++) {
        const int32_t *v = mesh->triangles + 3 * (size_t)t;
        lbVec3 p[3];
        for (int i = 0; i < 3; i++) p[i] = lb_vec3_load(mesh->positions + 3 * (size_t)v[i]);
        lbVec3 n = lb_normalise(lb_cross(lb_sub(p[1], p[0]), lb_sub(p[2], p[0])));
        for (int i = 0; i < 3; i++) {
          if (pass == 0) normals[v[i]] = lb_add(normals[v[i]], n);
          if (pass == 1) sums[0] += lb_dot(n, lb_normalise(normals[v[i]])), sums[1] += 1;
        }
      }
    print_message("%s: mean cosine %.5f\n", lb_shape_name((lbShape)shape), sums[0] / sums[1]);
    assert_true(sums[0] / sums[1] > 0.95);
    free(normals);
    free(sums);
  }
}

static void every_resolution_gives_one_clean_solid(void **state) {
  (void)state;
  static const int32_t cells[6][3] = { { 3, 3, 3 },  { 4, 1, 3 },   { 5, 7, 6 },
                                       { 9, 3, 12 }, { 16, 10, 8 }, { 21, 2, 20 } };
  for (int i = 0; i < 6 * (LB_SHAPE_SOLID_COUNT - FIRST); i++) {
    lbShapeDef def = def_of(FIRST + i / 6);
    for (int a = 0; a < 3; a++)
      def.cells[a] = def.shape >= FIRST_ROUNDED && cells[i % 6][a] < 3 ? 3 : cells[i % 6][a];
    if (def.shape == LB_SHAPE_TOWER) def.thickness = 0.02, def.cells[2] = 1 + i % 3;
    for (int element = 0; element < LB_ELEMENT_VOLUME_KIND_COUNT; element++) {
      lbMesh *mesh = volume_of(def, (lbElementKind)element);
      clean_volume(mesh, lb_shape_name(def.shape));
      lb_mesh_destroy(mesh);
    }
  }
}

static void surfaces_of_other_fineness_and_size_are_clean(void **state) {
  (void)state;
  static const int32_t segments[2] = { 8, 66 };
  for (int i = 0; i < 2 * (LB_SHAPE_SOLID_COUNT - FIRST); i++) {
    lbShapeDef def = def_of(FIRST + i / 2);
    def.segments = segments[i % 2];
    if (i % 2) def.size[0] *= 2.5, def.size[1] *= 1.5;
    lbMesh *mesh = surface_of(def);
    clean_volume(mesh, lb_shape_name(def.shape));
    lb_mesh_destroy(mesh);
  }
}

static void bowls_and_towers_of_other_proportions_are_sound(void **state) {
  (void)state;
  static const double sizes[4][3] = {
    { 1, 1, 0.2 }, { 1, 2, 3 }, { 3, 1, 1 }, { 1e-3, 1e-3, 2e-3 }
  };
  for (int i = 0; i < 16; i++) {
    lbShapeDef def = lb_shape_def(i % 2 ? "bowl" : "tower");
    memcpy(def.size, sizes[i / 4], sizeof def.size);
    if (i % 2 == 0) def.cells[0] = 2, def.size[2] *= 3;
    double least = fmin(def.size[0], fmin(def.size[1], def.size[2]));
    def.thickness = least * (i / 2 % 2 ? 0.02 : i % 2 ? 0.16 : 0.06);
    lbMesh *mesh = volume_of(def, LB_ELEMENT_BRICK8);
    clean_volume(mesh, lb_shape_name(def.shape));
    lb_mesh_destroy(mesh);
    mesh = volume_of(def, LB_ELEMENT_TET4);
    clean_volume(mesh, lb_shape_name(def.shape));
    lb_mesh_destroy(mesh);
    mesh = surface_of(def);
    clean_volume(mesh, lb_shape_name(def.shape));
    lb_mesh_destroy(mesh);
  }
}

// ---- parts -------------------------------------------------------------------------------------

// Every triangle and element is in one group of its kind; triangles look as their group is called.
static void check_parts(const lbMesh *mesh, lbGroupKind kind, int32_t item_count,
                        const char *const *names, int name_count) {
  int32_t total = 0;
  for (int32_t g = 0; g < mesh->group_count; g++)
    total += mesh->groups[g].kind == kind ? mesh->groups[g].count : 0;
  assert_int_equal(total, item_count);
  for (int i = 0; i < name_count; i++) {
    const lbGroup *group = lb_mesh_group_by_name(mesh, kind, names[i]);
    assert_non_null(group);
    assert_true(group->count > 10);
    for (int32_t k = 0; k < group->count && kind == LB_GROUP_TRIANGLES; k++) {
      int32_t look = mesh->triangle_appearances[group->ids[k]];
      assert_string_equal(mesh->appearances[look].name, names[i]);
    }
  }
}

static void parts_have_groups_and_looks(void **state) {
  (void)state;
  static const struct {
    const char *shape, *triangles[8], *elements[2];
  } cases[3] = {
    { "cactus", { "plant", "blossom" }, { "plant" } },
    { "turtle", { "shell", "body", "face" }, { "shell", "body" } },
    { "figure",
      { "head", "hands", "hat", "face", "shirt", "trousers", "shoes" },
      { "head", "clothes" } },
  };
  for (int i = 0; i < 3; i++) {
    lbShapeDef def = lb_shape_def(cases[i].shape);
    int names = 0;
    while (cases[i].triangles[names]) names++;
    const lbMesh *surface = default_surface(def.shape);
    check_parts(surface, LB_GROUP_TRIANGLES, surface->triangle_count, cases[i].triangles, names);
    assert_int_equal(surface->appearance_count, names);
    for (int element = 0; element < LB_ELEMENT_VOLUME_KIND_COUNT; element++) {
      lbMesh *mesh = volume_of(def, (lbElementKind)element);
      check_parts(mesh, LB_GROUP_ELEMENTS, lb_mesh_element_count(mesh), cases[i].elements,
                  cases[i].elements[1] ? 2 : 1);
      lb_mesh_destroy(mesh);
    }
  }
}

// The turtle's shell is above its body, and on both sides alike.
static void the_shell_covers_the_turtle(void **state) {
  (void)state;
  lbShapeDef def = lb_shape_def("turtle");
  lbMesh *mesh = volume_of(def, LB_ELEMENT_BRICK8);
  double heights[2] = { 0, 0 };
  static const char *const names[2] = { "shell", "body" };
  for (int i = 0; i < 2; i++) {
    const lbGroup *group = lb_mesh_group_by_name(mesh, LB_GROUP_ELEMENTS, names[i]);
    double across = 0;
    for (int32_t k = 0; k < group->count; k++) {
      const double *p = mesh->positions + 3 * (size_t)mesh->bricks[8 * (size_t)group->ids[k]];
      heights[i] += p[2] / group->count;
      across += (p[1] + def.size[1] / def.cells[1] / 2) / group->count;
    }
    check_near(across, def.size[1] / 2, 1e-9);
  }
  print_message("shell at %.3f, body at %.3f\n", heights[0], heights[1]);
  assert_true(heights[0] > heights[1] + 0.1 * def.size[2]);
  lb_mesh_destroy(mesh);
}

// ---- limits ------------------------------------------------------------------------------------

static void check_refused(lbShapeDef def, bool surface, const char *part) {
  lbMesh *mesh = NULL;
  lbError err = { 0 };
  check_fails((surface ? lb_shape_surface : lb_shape_volume)(&def, &mesh, &err), LB_ERR_ARGUMENT,
              err, part);
  assert_null(mesh);
}

static void bad_parameters_are_refused_by_name(void **state) {
  (void)state;
  lbShapeDef def = lb_shape_def("tower");
  def.thickness = 0.13;
  check_refused(def, false, "tower: thickness must be more than 0 and less than 0.0775");
  def = lb_shape_def("tower"), def.cells[0] = 60;
  check_refused(def, true, "tower: thickness");
  def = lb_shape_def("tower"), def.cells[2] = 65;
  check_refused(def, false, "tower: cells[2] must be at most 64");
  def = lb_shape_def("tower"), def.thickness = 1e-9, def.cells[0] = def.cells[1] = INT32_MAX;
  check_refused(def, true, "tower:");
  def = lb_shape_def("tower"), def.cells[1] = INT32_MAX;
  check_refused(def, true, "tower: cells");
  def = lb_shape_def("bowl"), def.thickness = 0.0834;
  check_refused(def, false, "bowl: thickness must be more than 0 and less than 0.0833");
  def = lb_shape_def("bowl"), def.cells[0] = 2;
  check_refused(def, true, "bowl: cells[0] must be at least 3");
  def = lb_shape_def("bowl"), def.cells[0] = def.cells[2] = INT32_MAX;
  check_refused(def, false, "bowl: cells");
  def = lb_shape_def("cactus"), def.cells[1] = 2;
  check_refused(def, false, "cactus: cells[1] must be at least 3");
  def = lb_shape_def("turtle"), def.segments = 4096;
  check_refused(def, true, "turtle: segments: 4096 make a grid");
  def = lb_shape_def("figure"), def.segments = 7;
  check_refused(def, true, "figure: segments must be 8 to 4096");
  def = lb_shape_def("figure"), def.cells[0] = def.cells[1] = def.cells[2] = 2000;
  check_refused(def, false, "figure: cells");
}

static void every_failing_allocation_is_reported_and_nothing_leaks(void **state) {
  (void)state;
  for (int i = 0; i < 2 * (LB_SHAPE_SOLID_COUNT - FIRST); i++) {
    lbShapeDef def = def_of(FIRST + i / 2);
    def.segments = 8;
    for (int a = 0; a < 3; a++) def.cells[a] = 3;
    // Rounded surfaces take long and are made alike: of one shape, one allocation in 23 fails.
    bool rounded = i % 2 && def.shape >= FIRST_ROUNDED;
    if (rounded && def.shape != LB_SHAPE_TURTLE) continue;
    int64_t step = rounded ? 23 : 1;
    lbStatus status = LB_ERR_MEMORY;
    for (int64_t n = 0; status; n += step) {
      CheckedHeap heap = { .fail_at = n };
      lbAllocator allocator = checked_allocator(&heap);
      lb_set_allocator(&allocator);
      lbMesh *mesh = NULL;
      lbError err;
      status = (i % 2 ? lb_shape_surface : lb_shape_volume)(&def, &mesh, &err);
      assert_true(status == LB_OK || (status == LB_ERR_MEMORY && mesh == NULL));
      lb_mesh_destroy(mesh);
      lb_set_allocator(NULL);
      assert_int_equal(heap.live, 0);
      assert_true(n < 800);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(volumes_are_of_moderate_size_and_near_that_of_the_surface),
    cmocka_unit_test(cells_of_rounded_shapes_close_in_on_the_surface),
    cmocka_unit_test(surfaces_lie_in_their_volumes_or_very_near),
    cmocka_unit_test(no_triangle_is_a_sliver),
    cmocka_unit_test(rounded_surfaces_have_no_stairs),
    cmocka_unit_test(every_resolution_gives_one_clean_solid),
    cmocka_unit_test(surfaces_of_other_fineness_and_size_are_clean),
    cmocka_unit_test(bowls_and_towers_of_other_proportions_are_sound),
    cmocka_unit_test(parts_have_groups_and_looks),
    cmocka_unit_test(the_shell_covers_the_turtle),
    cmocka_unit_test(bad_parameters_are_refused_by_name),
    cmocka_unit_test(every_failing_allocation_is_reported_and_nothing_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, release_surfaces);
}
