// Sheets of triangles: areas, orientation, edges and groups, and memory that runs out.
#include "check.h"

#include "limber/math.h"
#include "limber/shape.h"

static lbMesh *sheet(const char *name, int nx, int ny, int nz) {
  lbShapeDef def = lb_shape_def(name);
  lbMesh *mesh = NULL;
  lbError err;
  const int cells[3] = { nx, ny, nz };
  for (int i = 0; i < 3; i++) def.cells[i] = cells[i];
  check_ok(lb_shape_volume(&def, &mesh, &err), err);
  assert_int_equal(lb_mesh_element_count(mesh), 0);
  assert_int_equal(lb_mesh_body_elements(mesh), mesh->triangle_count);
  return mesh;
}

static lbVec3 corner(const lbMesh *mesh, int32_t t, int i) {
  return lb_vec3_load(mesh->positions + 3 * (size_t)mesh->triangles[3 * t + i]);
}

static lbVec3 normal(const lbMesh *mesh, int32_t t) {
  lbVec3 a = corner(mesh, t, 0);
  return lb_scale(0.5, lb_cross(lb_sub(corner(mesh, t, 1), a), lb_sub(corner(mesh, t, 2), a)));
}

// Edges with one triangle; every other must have two that run through it both ways.
static int32_t open_edges(const lbMesh *mesh) {
  int32_t open = 0, n = 3 * mesh->triangle_count;
  for (int32_t i = 0; i < n; i++) {
    int32_t a = mesh->triangles[i], b = mesh->triangles[i % 3 == 2 ? i - 2 : i + 1], back = 0;
    for (int32_t k = 0; k < n; k++) {
      int32_t c = mesh->triangles[k], d = mesh->triangles[k % 3 == 2 ? k - 2 : k + 1];
      if (k != i) assert_false(c == a && d == b);
      back += c == b && d == a;
    }
    open += back == 0;
  }
  return open;
}

static void flat_sheets_cover_their_rectangle(void **state) {
  (void)state;
  static const int cells[][2] = { { 1, 1 }, { 3, 2 }, { 4, 5 }, { 1, 4 } };
  for (int i = 0; i < 8; i++) {
    int nx = cells[i / 2][0], ny = cells[i / 2][1];
    lbMesh *mesh = sheet(i % 2 ? "grid" : "sheet", nx, ny, 1);
    double area = 0;
    for (int32_t t = 0; t < mesh->triangle_count; t++) {
      lbVec3 n = normal(mesh, t);
      assert_true(n.z > 0 && n.x == 0 && n.y == 0);
      area += n.z;
    }
    check_near(area, 1, 1e-14);
    // One row of vertices along each border; odd rows of a staggered sheet have one step more.
    assert_int_equal(open_edges(mesh), 2 * nx + 2 * ny + (i % 2 == 0 && ny % 2));
    assert_non_null(mesh->corner_uvs);
    const lbGroup *left = lb_mesh_group_by_name(mesh, LB_GROUP_VERTICES, "left");
    assert_int_equal(left->count, ny + 1);
    lb_mesh_destroy(mesh);
  }
}

static void a_pipe_is_open_at_both_ends(void **state) {
  (void)state;
  lbMesh *mesh = sheet("pipe", 7, 1, 5);
  assert_int_equal(mesh->triangle_count, 2 * 7 * 5);
  assert_int_equal(open_edges(mesh), 2 * 7);
  for (int32_t t = 0; t < mesh->triangle_count; t++) {
    lbVec3 outward = lb_sub(corner(mesh, t, 0), lb_vec3(0.15, 0.15, corner(mesh, t, 0).z));
    assert_true(lb_dot(normal(mesh, t), outward) > 0);
  }
  lb_mesh_destroy(mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(flat_sheets_cover_their_rectangle),
    cmocka_unit_test(a_pipe_is_open_at_both_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
