// Regions of a volume by its own groups, by what is painted on a surface and by boxes.
#include "check.h"

#include "limber/paint.h"
#include "limber/shape.h"
#include "limber/voxelise.h"
#include "mesh/builder.h"

// A unit cube's surface: the face z = 0 is the group "floor", the face z = 1 has the material
// "roof", and red rises from 0 at x = 0 to 1 at x = 1; vertices of `bare` have no colour.
static lbMesh *painted_cube(int32_t bare) {
  static const int32_t faces[6][4] = { { 0, 2, 3, 1 }, { 4, 5, 7, 6 }, { 0, 1, 5, 4 },
                                       { 2, 6, 7, 3 }, { 0, 4, 6, 2 }, { 1, 3, 7, 5 } };
  lbMeshBuilder builder;
  lbMesh *mesh = NULL;
  lbError err;
  lb_mesh_builder_begin(&builder);
  for (int32_t i = 0; i < 8; i++) {
    double x = i & 1, y = i >> 1 & 1, z = i >> 2 & 1, rgba[4] = { x, y, z, 1 };
    lb_mesh_add_vertex(&builder, x, y, z);
    if (i != bare) lb_mesh_set_vertex_color(&builder, i, rgba);
  }
  int32_t floor_group = lb_mesh_add_group(&builder, LB_GROUP_TRIANGLES, 0, "floor");
  int32_t roof = lb_mesh_add_appearance(&builder, "roof");
  for (int f = 0; f < 6; f++)
    for (int half = 0; half < 2; half++) {
      const int32_t *q = faces[f];
      int32_t id = lb_mesh_add_triangle(&builder, half ? (int32_t[3]){ q[0], q[2], q[3] }
                                                       : (int32_t[3]){ q[0], q[1], q[2] });
      if (f == 0) lb_mesh_add_to_group(&builder, floor_group, id);
      if (f == 1) lb_mesh_set_triangle_appearance(&builder, roof);
    }
  check_ok(lb_mesh_builder_finish(&builder, "cube", &mesh, &err), err);
  return mesh;
}

typedef struct Fixture {
  lbMesh *surface, *volume;
  lbPainter *painter;
  int32_t elements;
  bool *covered; // of elements or nodes
  double *values;
} Fixture;

static Fixture begin(int32_t cells, int32_t bare) {
  Fixture f = { .surface = painted_cube(bare) };
  lbVoxeliseDef def = lb_voxelise_def();
  lbError err;
  def.cells = cells;
  check_ok(lb_mesh_voxelise(f.surface, &def, &f.volume, NULL, &err), err);
  check_ok(lb_painter_create(f.volume, f.surface, &f.painter, &err), err);
  f.elements = lb_mesh_element_count(f.volume);
  f.covered = lb_alloc((size_t)f.volume->vertex_count, sizeof *f.covered);
  f.values = lb_alloc((size_t)f.elements, sizeof *f.values);
  return f;
}

static void end(Fixture *f) {
  lb_painter_destroy(f->painter);
  lb_mesh_destroy(f->volume);
  lb_mesh_destroy(f->surface);
  lb_free(f->covered);
  lb_free(f->values);
}

static int32_t count(const bool *covered, int32_t items) {
  int32_t found = 0;
  for (int32_t i = 0; i < items; i++) found += covered[i];
  return found;
}

static int32_t cover_elements(Fixture *f, const lbRegion *region) {
  lbError err;
  check_ok(lb_painter_elements(f->painter, region, f->covered, f->values, &err), err);
  return count(f->covered, f->elements);
}

static int32_t cover_nodes(Fixture *f, const lbRegion *region) {
  lbError err;
  memset(f->covered, 0, (size_t)f->volume->vertex_count * sizeof *f->covered);
  check_ok(lb_painter_nodes(f->painter, region, f->covered, &err), err);
  return count(f->covered, f->volume->vertex_count);
}

static void a_face_means_its_nodes_rim_included_and_a_pyramid_of_elements(void **state) {
  (void)state;
  Fixture f = begin(4, -1);
  lbRegion region = lb_region();
  static const char *const names[] = { "floor", "roof" };
  for (int i = 0; i < 2; i++) {
    region.group = names[i];
    assert_int_equal(cover_nodes(&f, &region), 5 * 5);
    for (int32_t v = 0; v < f.volume->vertex_count; v++)
      if (f.covered[v]) check_near(f.volume->positions[3 * (size_t)v + 2], i, 1e-5);
    // 4 x 4 centres are 1/8 from the face, ties on the rim count; 2 x 2 behind them are 3/8 away
    assert_int_equal(cover_elements(&f, &region), 16 + 4);
  }
  end(&f);
}

static void colours_are_interpolated_at_the_nearest_point(void **state) {
  (void)state;
  Fixture f = begin(5, -1);
  lbRegion region = lb_region();
  region.has_color = true;
  region.group = "floor";
  assert_true(cover_elements(&f, &region) > 0);
  for (int32_t e = 0; e < f.elements; e++) {
    if (!f.covered[e]) continue;
    const int32_t *brick = f.volume->bricks + 8 * (size_t)e;
    double x = 0, z = 0;
    for (int a = 0; a < 8; a++) {
      x += f.volume->positions[3 * (size_t)brick[a]] / 8;
      z += f.volume->positions[3 * (size_t)brick[a] + 2] / 8;
    }
    // below the centre; a centre that is as near to a side takes the mean with that
    bool inner = fmin(x, 1 - x) > z + 1e-3;
    if (inner) check_near(f.values[e], x, 1e-5);
  }
  end(&f);
}

static void limits_of_colours_and_boxes_hold_together(void **state) {
  (void)state;
  Fixture f = begin(4, -1);
  lbRegion region = lb_region();
  region.has_color = true;
  region.channel = LB_BLUE;
  region.above = 0.99;
  assert_int_equal(cover_nodes(&f, &region), 5 * 5); // the roof
  region.has_box = true;
  for (int i = 0; i < 3; i++) region.box[0][i] = -1, region.box[1][i] = i ? 2 : 0.1;
  assert_int_equal(cover_nodes(&f, &region), 5);
  region.has_color = false;
  assert_int_equal(cover_nodes(&f, &region), 5 * 5);
  region.box[1][0] = 0.3;
  assert_int_equal(cover_elements(&f, &region), 16);
  end(&f);
}

static void vertices_without_a_colour_are_not_covered(void **state) {
  (void)state;
  Fixture f = begin(4, 7);
  lbRegion region = lb_region();
  region.has_color = true;
  int32_t some = cover_elements(&f, &region);
  assert_true(some > 0 && some < f.elements);
  end(&f);
}

static void groups_of_the_volume_go_first(void **state) {
  (void)state;
  lbShapeDef def = lb_shape_def("turtle");
  lbMesh *volume = NULL, *surface = NULL;
  lbPainter *painter = NULL;
  lbError err;
  check_ok(lb_shape_volume(&def, &volume, &err), err);
  check_ok(lb_shape_surface(&def, &surface, &err), err);
  check_ok(lb_painter_create(volume, surface, &painter, &err), err);
  const lbGroup *shell = lb_mesh_group_by_name(volume, LB_GROUP_ELEMENTS, "shell");
  int32_t elements = lb_mesh_element_count(volume);
  bool *covered = lb_alloc((size_t)elements, sizeof *covered);
  lbRegion region = lb_region();
  region.group = "shell";
  check_ok(lb_painter_elements(painter, &region, covered, NULL, &err), err);
  assert_int_equal(count(covered, elements), shell->count);
  for (int32_t i = 0; i < shell->count; i++) assert_true(covered[shell->ids[i]]);
  region.group = "face"; // of the surface alone
  check_ok(lb_painter_elements(painter, &region, covered, NULL, &err), err);
  lb_free(covered);
  lb_painter_destroy(painter);
  lb_mesh_destroy(surface);
  lb_mesh_destroy(volume);
}

static void levels_are_even_and_end_at_the_given_values(void **state) {
  (void)state;
  const double young[2] = { 3.7e4, 9.1e6 };
  check_near(lb_color_young(young, 0), young[0], 0);
  check_near(lb_color_young(young, LB_COLOR_LEVELS - 1), young[1], 0);
  for (int32_t i = 1; i < LB_COLOR_LEVELS; i++)
    check_near(log(lb_color_young(young, i) / lb_color_young(young, i - 1)),
               log(young[1] / young[0]) / (LB_COLOR_LEVELS - 1), 1e-12);
  assert_int_equal(lb_color_level(0), 0);
  assert_int_equal(lb_color_level(0.5 / (LB_COLOR_LEVELS - 1) - 1e-9), 0);
  assert_int_equal(lb_color_level(1), LB_COLOR_LEVELS - 1);
}

static void wrong_regions_are_named(void **state) {
  (void)state;
  Fixture f = begin(2, -1);
  lbRegion region = lb_region();
  lbError err;
  region.group = "flor";
  check_fails(lb_painter_elements(f.painter, &region, f.covered, NULL, &err), LB_ERR_ARGUMENT, err,
              "no group, object or material \"flor\", there are: floor, roof");
  check_fails(lb_painter_nodes(f.painter, &region, f.covered, &err), LB_ERR_ARGUMENT, err,
              "there are: floor, roof");
  region = lb_region();
  region.tag = 7;
  check_fails(lb_painter_elements(f.painter, &region, f.covered, NULL, &err), LB_ERR_ARGUMENT, err,
              "number 7");
  region = lb_region();
  region.has_box = true;
  for (int i = 0; i < 3; i++) region.box[0][i] = 5, region.box[1][i] = 6;
  check_fails(lb_painter_elements(f.painter, &region, f.covered, NULL, &err), LB_ERR_ARGUMENT, err,
              "this box covers no element");
  lb_painter_destroy(f.painter);
  check_ok(lb_painter_create(f.volume, NULL, &f.painter, &err), err);
  region = lb_region();
  region.group = "floor";
  check_fails(lb_painter_elements(f.painter, &region, f.covered, NULL, &err), LB_ERR_ARGUMENT, err,
              "neither mesh nor surface has groups");
  region = lb_region();
  region.has_color = true;
  check_fails(lb_painter_nodes(f.painter, &region, f.covered, &err), LB_ERR_ARGUMENT, err,
              "no vertex colours");
  end(&f);
}

static void every_failing_allocation_is_reported_without_leaks(void **state) {
  (void)state;
  Fixture f = begin(2, -1);
  lbRegion region = lb_region();
  region.group = "floor";
  region.has_color = true;
  lbStatus status = LB_ERR_MEMORY;
  for (int64_t n = 0; status; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lbPainter *painter = NULL;
    lbError err;
    lb_set_allocator(&allocator);
    status = lb_painter_create(f.volume, f.surface, &painter, &err);
    if (!status) status = lb_painter_elements(painter, &region, f.covered, f.values, &err);
    if (!status) status = lb_painter_nodes(painter, &region, f.covered, &err);
    lb_painter_destroy(painter);
    lb_set_allocator(NULL);
    if (status) assert_int_equal(status, LB_ERR_MEMORY);
    assert_int_equal(heap.live, 0);
  }
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_face_means_its_nodes_rim_included_and_a_pyramid_of_elements),
    cmocka_unit_test(colours_are_interpolated_at_the_nearest_point),
    cmocka_unit_test(limits_of_colours_and_boxes_hold_together),
    cmocka_unit_test(vertices_without_a_colour_are_not_covered),
    cmocka_unit_test(groups_of_the_volume_go_first),
    cmocka_unit_test(levels_are_even_and_end_at_the_given_values),
    cmocka_unit_test(wrong_regions_are_named),
    cmocka_unit_test(every_failing_allocation_is_reported_without_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
