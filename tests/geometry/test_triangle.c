// Triangle against point and box, winding numbers, and the cells that a triangle touches.
#include "check.h"
#include "mesh/voxel_mark.h"
#include "mesh/winding.h"

static lbVec3 random_point(uint64_t *seed, double scale) {
  double x = check_random(seed), y = check_random(seed), z = check_random(seed);
  return lb_vec3(scale * x, scale * y, scale * z);
}

// The least distance over a fine sampling is never less, and hardly more.
static void closest_point_beats_every_sampled_point(void **state) {
  (void)state;
  uint64_t seed = 3;
  for (int i = 0; i < 200; i++) {
    lbVec3 a = random_point(&seed, 1), b = random_point(&seed, 1), c = random_point(&seed, 1);
    if (i % 4 == 1) c = lb_scale(0.5, lb_add(a, b)); // collinear
    if (i % 4 == 2) b = a;
    if (i % 8 == 3) b = c = a;
    lbVec3 p = random_point(&seed, 2);
    double w[3], best = INFINITY, distance2 = lb_triangle_closest_point(p, a, b, c, w);
    check_near(w[0] + w[1] + w[2], 1, 1e-14);
    assert_true(w[0] >= 0 && w[1] >= 0 && w[2] >= 0);
    for (int u = 0; u <= 60; u++)
      for (int v = 0; u + v <= 60; v++) {
        lbVec3 x = lb_add(lb_scale(u / 60.0, a), lb_scale(v / 60.0, b));
        lbVec3 gap = lb_sub(p, lb_add_scaled(x, (60 - u - v) / 60.0, c));
        best = fmin(best, lb_dot(gap, gap));
      }
    assert_true(distance2 <= best + 1e-14);
    check_near(sqrt(distance2), sqrt(best), 0.05);
  }
}

// Clips the triangle by the box's six planes (Sutherland–Hodgman): what is left decides.
static bool clipped_touches(const lbVec3 triangle[3], const lbBox *box) {
  double polygon[16][3], clipped[16][3];
  int count = 3;
  for (int k = 0; k < 3; k++) lb_vec3_store(polygon[k], triangle[k]);
  for (int plane = 0; plane < 6 && count > 0; plane++) {
    int axis = plane / 2, kept = 0;
    double sign = plane % 2 ? -1 : 1;
    double level = sign * (plane % 2 ? box->high[axis] : box->low[axis]);
    for (int k = 0; k < count; k++) {
      const double *p = polygon[k], *q = polygon[(k + 1) % count];
      double dp = sign * p[axis] - level, dq = sign * q[axis] - level;
      if (dp >= 0) memcpy(clipped[kept++], p, sizeof clipped[0]);
      if ((dp < 0) == (dq < 0)) continue;
      double s = dp / (dp - dq);
      for (int i = 0; i < 3; i++) clipped[kept][i] = p[i] + s * (q[i] - p[i]);
      kept++;
    }
    memcpy(polygon, clipped, sizeof polygon);
    count = kept;
  }
  return count > 0;
}

static void box_test_agrees_with_clipping(void **state) {
  (void)state;
  uint64_t seed = 5;
  int touching = 0, apart = 0;
  lbBox box = { { -0.3, -0.2, -0.1 }, { 0.25, 0.3, 0.2 } };
  for (int i = 0; i < 20000; i++) {
    lbVec3 t[3];
    for (int k = 0; k < 3; k++) t[k] = random_point(&seed, 1);
    if (i % 4 == 1) t[2] = lb_scale(0.5, lb_add(t[0], t[1]));
    if (i % 4 == 2) t[1] = t[2];
    bool expected = clipped_touches(t, &box);
    expected ? touching++ : apart++;
    assert_int_equal(lb_triangle_touches_box(t[0], t[1], t[2], &box), expected);
  }
  assert_true(touching > 1000 && apart > 1000);
}

static void ties_count_as_touching(void **state) {
  (void)state;
  lbBox box = { { 0.1, 0.2, 0.3 }, { 0.4, 0.7, 0.9 } };
  lbVec3 corner = lb_vec3_load(box.high), far = lb_vec3(3, 4, 5);
  assert_true(lb_triangle_touches_box(corner, far, lb_vec3(5, 3, 4), &box));
  assert_true(lb_triangle_touches_box(corner, corner, corner, &box));
  // In the plane of a face, and along an edge.
  assert_true(
      lb_triangle_touches_box(lb_vec3(0.4, 0, 0), lb_vec3(0.4, 2, 0), lb_vec3(0.4, 0, 2), &box));
  assert_true(lb_triangle_touches_box(lb_vec3(0.4, 0.7, -1), lb_vec3(0.4, 0.7, 2),
                                      lb_vec3(0.4, 0.7, 2), &box));
  assert_false(lb_triangle_touches_box(lb_vec3(0.4001, 0, 0), lb_vec3(0.4001, 2, 0),
                                       lb_vec3(0.4001, 0, 2), &box));
}

static void marking_a_triangle_equals_testing_every_cell(void **state) {
  (void)state;
  uint64_t seed = 6;
  lbError err;
  int32_t size[3] = { 13, 9, 11 };
  for (int i = 0; i < 100; i++) {
    lbVoxelGrid *grid = NULL;
    check_ok(lb_voxel_grid_create(lb_vec3(-0.65, -0.45, -0.55), 0.1, size, &grid, &err), err);
    lbVec3 a = random_point(&seed, 1), b = random_point(&seed, 1), c = random_point(&seed, 0.3);
    lb_voxel_grid_mark_triangle(grid, a, b, c, 1);
    for (int32_t z = 0; z < size[2]; z++)
      for (int32_t y = 0; y < size[1]; y++)
        for (int32_t x = 0; x < size[0]; x++) {
          lbBox cell;
          lb_vec3_store(cell.low, lb_voxel_grid_corner(grid, x, y, z));
          lb_vec3_store(cell.high, lb_voxel_grid_corner(grid, x + 1, y + 1, z + 1));
          assert_int_equal(grid->cells[lb_voxel_grid_index(grid, x, y, z)],
                           lb_triangle_touches_box(a, b, c, &cell));
        }
    lb_voxel_grid_destroy(grid);
  }
}

static void points_find_their_cell(void **state) {
  (void)state;
  lbError err;
  lbVoxelGrid *grid = NULL;
  int32_t size[3] = { 2, 3, 4 }, at[3];
  check_ok(lb_voxel_grid_create(lb_vec3(1, 2, 3), 0.5, size, &grid, &err), err);
  assert_true(lb_voxel_grid_find(grid, lb_vec3(1.6, 2.1, 4.9), at));
  assert_true(at[0] == 1 && at[1] == 0 && at[2] == 3);
  assert_true(lb_voxel_grid_find(grid, lb_vec3(2, 3.5, 5), at)); // the high corner
  assert_true(at[0] == 1 && at[1] == 2 && at[2] == 3);
  assert_false(lb_voxel_grid_find(grid, lb_vec3(0.9, 2.1, 4.9), at));
  assert_false(lb_voxel_grid_find(grid, lb_vec3(1.6, NAN, 4.9), at));
  lb_voxel_grid_destroy(grid);
  int32_t huge[3] = { 100000, 100000, 100000 };
  check_fails(lb_voxel_grid_create(lb_vec3(0, 0, 0), 1, huge, &grid, &err), LB_ERR_ARGUMENT, err,
              "too large");
}

// A sphere of 2 x 40 x 20 triangles as a closed surface.
enum { ROWS = 20, COLUMNS = 40 };
typedef struct Ball {
  double positions[3 * (ROWS + 1) * COLUMNS];
  int32_t triangles[6 * ROWS * COLUMNS];
  lbTriangles view;
} Ball;

static void make_ball(Ball *ball) {
  for (int r = 0; r <= ROWS; r++)
    for (int c = 0; c < COLUMNS; c++) {
      double up = LB_PI * r / ROWS, around = 2 * LB_PI * c / COLUMNS;
      lb_vec3_store(ball->positions + 3 * (r * COLUMNS + c),
                    lb_vec3(sin(up) * cos(around), sin(up) * sin(around), -cos(up)));
    }
  for (int q = 0; q < ROWS * COLUMNS; q++) {
    int32_t a = q, b = q / COLUMNS * COLUMNS + (q + 1) % COLUMNS;
    int32_t ids[6] = { a, b, b + COLUMNS, a, b + COLUMNS, a + COLUMNS };
    memcpy(ball->triangles + 6 * q, ids, sizeof ids);
  }
  ball->view = (lbTriangles){ 2 * ROWS * COLUMNS, ball->triangles, ball->positions };
}

static void winding_number_tells_inside_from_outside(void **state) {
  (void)state;
  static Ball ball;
  lbAabbTree *tree = NULL;
  lbWinding *winding = NULL;
  lbError err;
  uint64_t seed = 8;
  make_ball(&ball);
  check_ok(lb_aabb_tree_build_triangles(&ball.view, &tree, &err), err);
  check_ok(lb_winding_create(tree, &ball.view, NULL, &winding, &err), err);
  for (int i = 0; i < 2000; i++) {
    lbVec3 p = random_point(&seed, 1.5);
    double r = lb_length(p);
    if (r > 0.97 && r < 1) continue; // between the sphere and its facets
    check_near(lb_winding_number(winding, p), r < 1 ? 1 : 0, 0.06);
  }
  lb_winding_destroy(winding);
  // Turned round: minus one; half of it: the solid angle of a half-sphere.
  static int8_t signs[2 * ROWS * COLUMNS];
  memset(signs, -1, sizeof signs);
  check_ok(lb_winding_create(tree, &ball.view, signs, &winding, &err), err);
  check_near(lb_winding_number(winding, lb_vec3(0.1, 0.2, 0)), -1, 0.06);
  lb_winding_destroy(winding);
  memset(signs, 0, ROWS * COLUMNS);
  check_ok(lb_winding_create(tree, &ball.view, signs, &winding, &err), err);
  check_near(lb_winding_number(winding, lb_vec3(0, 0, 0)), -0.5, 0.03);
  lb_winding_destroy(winding);
  lb_aabb_tree_destroy(tree);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(closest_point_beats_every_sampled_point),
    cmocka_unit_test(box_test_agrees_with_clipping),
    cmocka_unit_test(ties_count_as_touching),
    cmocka_unit_test(marking_a_triangle_equals_testing_every_cell),
    cmocka_unit_test(points_find_their_cell),
    cmocka_unit_test(winding_number_tells_inside_from_outside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
