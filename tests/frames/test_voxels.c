// Voxels: neighbours, parts, nearest ones, and distances inside an object.
#include "voxel_shapes.h"

static void a_point_finds_its_voxel_and_the_nearest_one(void **state) {
  (void)state;
  uint64_t seed = 5;
  lbVoxels *voxels = blob(3, 14);
  for (int k = 0; k < 500; k++) {
    lbVec3 point = lb_vec3(0.7 + 1.2 * check_random(&seed), 0.7 + 1.2 * check_random(&seed),
                           0.7 + 1.2 * check_random(&seed));
    double best = INFINITY, distance;
    int32_t found = lb_voxels_nearest(voxels, point, &distance);
    for (int32_t v = 0; v < voxels->count; v++) {
      lbVec3 way = lb_sub(point, lb_voxels_centre(voxels, v));
      double x = fmax(fabs(way.x) - 0.05, 0), y = fmax(fabs(way.y) - 0.05, 0);
      double z = fmax(fabs(way.z) - 0.05, 0);
      best = fmin(best, sqrt(x * x + y * y + z * z));
    }
    check_near(distance, best, 1e-12);
    assert_int_equal(lb_voxels_find(voxels, point), distance == 0 ? found : -1);
  }
  assert_true(lb_voxels_nearest(voxels, lb_vec3(1e6, -1e6, 1e6), NULL) >= 0);
  lb_voxels_destroy(voxels);
}

static void closed_faces_part_what_lies_beside_each_other(void **state) {
  (void)state;
  lbVoxelGrid *grid = empty_grid(4, 2, 1, 1);
  fill_block(grid, 0, 0, 0, 4, 2, 1);
  for (int32_t y = 0; y < 2; y++)
    grid->cells[lb_voxel_grid_index(grid, 1, y, 0)] |= LB_VOXEL_CLOSED_X;
  lbVoxels *voxels = finish_voxels(grid);
  assert_int_equal(voxels->part_count, 2);
  assert_int_equal(voxels->neighbours[6 * 1 + 1], -1);
  assert_int_equal(voxels->neighbours[6 * 2 + 0], -1);
  assert_int_equal(voxels->neighbours[6 * 2 + 1], 3);
  double distances[8];
  lbError err;
  check_ok(lb_voxels_distances(voxels, lb_vec3(0.5, 0.5, 0.5), 0, INFINITY, distances, &err), err);
  check_near(distances[5], sqrt(2), 1e-15);
  assert_true(isinf(distances[2]) && isinf(distances[6]));
  lb_voxels_destroy(voxels);
}

static void distances_are_exact_where_the_way_is_straight(void **state) {
  (void)state;
  lbVoxels *voxels = box_of_voxels(17, 11, 6, 0.05);
  double *distances = malloc((size_t)voxels->count * sizeof *distances);
  lbError err;
  uint64_t seed = 2;
  for (int k = 0; k < 5; k++) {
    int32_t home = random_voxel(voxels, &seed);
    lbVec3 point = random_in_voxel(voxels, home, &seed);
    check_ok(lb_voxels_distances(voxels, point, home, INFINITY, distances, &err), err);
    for (int32_t v = 0; v < voxels->count; v++)
      check_near(distances[v], lb_length(lb_sub(lb_voxels_centre(voxels, v), point)), 1e-15);
    check_ok(lb_voxels_distances(voxels, point, home, 0.2, distances, &err), err);
    for (int32_t v = 0; v < voxels->count; v++) {
      double length = lb_length(lb_sub(lb_voxels_centre(voxels, v), point));
      assert_true(v == home || (length <= 0.2) == isfinite(distances[v]));
    }
  }
  free(distances);
  lb_voxels_destroy(voxels);
}

// From the top of one leg of a U to the top of the other: round the two inner corners.
static void distances_go_round_a_gap(void **state) {
  (void)state;
  double last = 0;
  for (int32_t n = 4; n <= 16; n *= 2) {
    lbVoxels *voxels = letter_u(n, 4);
    double h = 1.0 / n, *distances = malloc((size_t)voxels->count * sizeof *distances);
    lbVec3 from = lb_vec3(0.5, 4 - 0.5 * h, 0.25), to = lb_vec3(1.5 + h, 4 - 0.5 * h, 0.25);
    lbError err;
    check_ok(
        lb_voxels_distances(voxels, from, lb_voxels_find(voxels, from), INFINITY, distances, &err),
        err);
    // corners of the gap at (1, 1) and (1 + h, 1)
    double half = hypot(0.5, 4 - 0.5 * h - 1), exact = 2 * half + h;
    double found = distances[lb_voxels_find(voxels, to)];
    double error = (found - exact) / h;
    print_message("U, %d voxels a leg: %.5f, exact %.5f, %.3f voxels too long\n", (int)n, found,
                  exact, error);
    assert_true(error > -0.8 && error < 2.2);
    last = found;
    free(distances);
    lb_voxels_destroy(voxels);
  }
  assert_true(last > 6);
}

// Against a brute-force search over all pairs that see each other: a grid is too coarse to hide
// errors of more than some percent.
static void distances_in_blobs_obey_the_triangle_inequality(void **state) {
  (void)state;
  double worst = 0;
  for (uint64_t k = 1; k <= (CHECK_SANITIZED ? 1 : 4); k++) {
    lbVoxels *voxels = blob(k, 12);
    uint64_t seed = k;
    size_t count = (size_t)voxels->count;
    double *a = malloc(count * sizeof *a), *b = malloc(count * sizeof *b);
    int32_t i = random_voxel(voxels, &seed), j = random_voxel(voxels, &seed);
    lbError err;
    check_ok(lb_voxels_distances(voxels, lb_voxels_centre(voxels, i), i, INFINITY, a, &err), err);
    check_ok(lb_voxels_distances(voxels, lb_voxels_centre(voxels, j), j, INFINITY, b, &err), err);
    if (isfinite(a[j])) {
      check_near(a[j], b[i], 0.02 * a[j]);
      for (size_t v = 0; v < count; v++) {
        double way =
            lb_length(lb_sub(lb_voxels_centre(voxels, (int32_t)v), lb_voxels_centre(voxels, i)));
        assert_true(a[v] >= way - 1e-12);
        if (isfinite(a[v])) worst = fmax(worst, (a[j] - a[v] - b[v]) / a[j]);
      }
    }
    free(a);
    free(b);
    lb_voxels_destroy(voxels);
  }
  print_message("triangle inequality missed by %.2g of the distance\n", worst);
  check_small(worst, 0.02);
}

static void a_grid_without_voxels_is_refused(void **state) {
  (void)state;
  lbVoxelGrid *grid = empty_grid(3, 3, 3, 1);
  lbVoxels *voxels;
  lbError err;
  check_fails(lb_voxels_create(grid, &voxels, &err), LB_ERR_ARGUMENT, err, "no cell");
  lb_voxel_grid_destroy(grid);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_point_finds_its_voxel_and_the_nearest_one),
    cmocka_unit_test(closed_faces_part_what_lies_beside_each_other),
    cmocka_unit_test(distances_are_exact_where_the_way_is_straight),
    cmocka_unit_test(distances_go_round_a_gap),
    cmocka_unit_test(distances_in_blobs_obey_the_triangle_inequality),
    cmocka_unit_test(a_grid_without_voxels_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
