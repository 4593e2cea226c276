// Surfaces that are drawn with fewer triangles.
#include "check.h"

#include "limber/shape.h"
#include "limber/voxelise.h"
#include "mesh/thin.h"

#include <math.h>
#include <string.h>

// About the origin, of diameter 1.
static lbMesh *make_sphere(void) {
  lbError err = { 0 };
  lbMesh *mesh = NULL;
  lbShapeDef def = lb_shape_def("sphere");
  def.segments = 128;
  check_ok(lb_shape_surface(&def, &mesh, &err), err);
  double least[3] = { 0 };
  for (int32_t k = 0; k < 3 * mesh->vertex_count; k++)
    least[k % 3] = fmin(least[k % 3], mesh->positions[k]);
  for (int32_t k = 0; k < 3 * mesh->vertex_count; k++) mesh->positions[k] -= least[k % 3] + 0.5;
  return mesh;
}

static double volume_of(const lbMesh *mesh) {
  double volume = 0;
  for (int32_t t = 0; t < mesh->triangle_count; t++) {
    const double *x[3];
    for (int i = 0; i < 3; i++) x[i] = mesh->positions + 3 * (size_t)mesh->triangles[3 * t + i];
    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3, k = (i + 2) % 3;
      volume += x[0][i] * (x[1][j] * x[2][k] - x[1][k] * x[2][j]) / 6;
    }
  }
  return volume;
}

static void a_sphere_keeps_its_shape(void **state) {
  (void)state;
  lbError err = { 0 };
  lbMesh *mesh = make_sphere();
  double volume = volume_of(mesh);
  int32_t whole = mesh->triangle_count, most = whole / 8;
  check_ok(lb_mesh_thin(mesh, NULL, most, &err), err);
  print_message("%d of %d triangles, at most %d\n", mesh->triangle_count, whole, most);
  assert_true(mesh->triangle_count <= most && mesh->triangle_count > most / 3);
  for (int32_t k = 0; k < 3 * mesh->triangle_count; k++)
    assert_in_range(mesh->triangles[k], 0, mesh->vertex_count - 1);
  for (int32_t v = 0; v < mesh->vertex_count; v++)
    check_near(hypot(hypot(mesh->positions[3 * v], mesh->positions[3 * v + 1]),
                     mesh->positions[3 * v + 2]),
               0.5, 1e-9); // vertices stay where they were
  check_near(volume_of(mesh) / volume, 1, 0.03);
  lb_mesh_destroy(mesh);
}

static void what_has_few_triangles_stays_as_it_is(void **state) {
  (void)state;
  lbError err = { 0 };
  lbMesh *mesh = make_sphere(), *other = make_sphere();
  check_ok(lb_mesh_thin(mesh, NULL, mesh->triangle_count, &err), err);
  assert_int_equal(mesh->triangle_count, other->triangle_count);
  assert_memory_equal(mesh->triangles, other->triangles,
                      3 * (size_t)mesh->triangle_count * sizeof *mesh->triangles);
  lb_mesh_destroy(mesh);
  lb_mesh_destroy(other);
}

// Triangles above the equator have another look and are a group; each vertex has its own place as
// its colour.
static void paint(lbMesh *mesh) {
  size_t triangles = (size_t)mesh->triangle_count, vertices = (size_t)mesh->vertex_count;
  for (int32_t g = 0; g < mesh->group_count; g++)
    lb_free(mesh->groups[g].name), lb_free(mesh->groups[g].ids);
  lb_free(mesh->groups);
  mesh->groups = lb_alloc(1, sizeof *mesh->groups);
  mesh->group_count = 1;
  lb_free(mesh->triangle_appearances);
  mesh->triangle_appearances = lb_alloc(triangles, sizeof *mesh->triangle_appearances);
  mesh->vertex_colors = lb_alloc(4 * vertices, sizeof *mesh->vertex_colors);
  lbGroup *group = mesh->groups;
  group->name = lb_alloc(4, 1);
  group->kind = LB_GROUP_TRIANGLES;
  group->ids = lb_alloc(triangles, sizeof *group->ids);
  for (int32_t t = 0; t < mesh->triangle_count; t++) {
    double height = 0;
    for (int i = 0; i < 3; i++)
      height += mesh->positions[3 * (size_t)mesh->triangles[3 * t + i] + 2];
    mesh->triangle_appearances[t] = height > 0;
    if (height > 0) group->ids[group->count++] = t;
  }
  for (size_t i = 0; i < 4 * vertices; i++)
    mesh->vertex_colors[i] = i % 4 < 3 ? (float)mesh->positions[3 * (i / 4) + i % 4] : 1;
}

static void groups_looks_and_colours_go_along(void **state) {
  (void)state;
  lbError err = { 0 };
  lbMesh *mesh = make_sphere();
  paint(mesh);
  check_ok(lb_mesh_thin(mesh, NULL, mesh->triangle_count / 5, &err), err);
  const lbGroup *group = &mesh->groups[0];
  int32_t upper = 0;
  for (int32_t t = 0; t < mesh->triangle_count; t++) upper += mesh->triangle_appearances[t];
  assert_int_equal(group->count, upper);
  for (int32_t i = 0; i < group->count; i++)
    assert_int_equal(mesh->triangle_appearances[group->ids[i]], 1);
  check_near((double)upper / mesh->triangle_count, 0.5, 0.1);
  for (size_t i = 0; i < 4 * (size_t)mesh->vertex_count; i++)
    if (i % 4 < 3)
      check_near(mesh->vertex_colors[i], (float)mesh->positions[3 * (i / 4) + i % 4], 0);
  lb_mesh_destroy(mesh);
}

static void the_embedding_goes_along(void **state) {
  (void)state;
  lbError err = { 0 };
  lbMesh *mesh = make_sphere(), *volume = NULL;
  lbEmbedding *embedding = NULL;
  lbVoxeliseDef def = lb_voxelise_def();
  def.cells = 8;
  check_ok(lb_mesh_voxelise(mesh, &def, &volume, &embedding, &err), err);
  check_ok(lb_mesh_thin(mesh, embedding, mesh->triangle_count / 6, &err), err);
  assert_int_equal(embedding->point_count, mesh->vertex_count);
  for (int32_t p = 0; p < embedding->point_count; p++)
    for (size_t i = 0; i < 3; i++) {
      double x = 0;
      for (int32_t k = embedding->begin[p]; k < embedding->begin[p + 1]; k++)
        x += embedding->weights[k] * volume->positions[3 * (size_t)embedding->nodes[k] + i];
      check_near(x, mesh->positions[3 * (size_t)p + i], 1e-12);
    }
  lb_embedding_destroy(embedding);
  lb_mesh_destroy(volume);
  lb_mesh_destroy(mesh);
}

static void every_failing_allocation_is_survived(void **state) {
  (void)state;
  lbMesh *mesh = make_sphere();
  int32_t whole = mesh->triangle_count;
  for (int64_t n = 0;; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lbError err = { 0 };
    lb_set_allocator(&allocator);
    lbStatus status = lb_mesh_thin(mesh, NULL, 200, &err);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (!status) break;
    assert_int_equal(status, LB_ERR_MEMORY);
    assert_int_equal(mesh->triangle_count, whole);
  }
  lb_mesh_destroy(mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_sphere_keeps_its_shape),
    cmocka_unit_test(what_has_few_triangles_stays_as_it_is),
    cmocka_unit_test(groups_looks_and_colours_go_along),
    cmocka_unit_test(the_embedding_goes_along),
    cmocka_unit_test(every_failing_allocation_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
