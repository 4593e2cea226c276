// Places of frames from their number alone.
#include "frames/voxel_shapes.h"
#include "reduce/placement.h"

static int by_x(const void *a, const void *b) {
  double difference = *(const double *)a - *(const double *)b;
  return (difference > 0) - (difference < 0);
}

static void frames_of_a_bar_part_it_evenly(void **state) {
  (void)state;
  lbVoxels *voxels = box_of_voxels(60, 5, 5, 0.1);
  for (int32_t count = 1; count <= 5; count++) {
    double positions[15];
    lbError err;
    check_ok(lb_frames_place(voxels, NULL, count, positions, &err), err);
    qsort(positions, (size_t)count, 3 * sizeof *positions, by_x);
    for (int32_t k = 0; k < count; k++) {
      // to a voxel and what Lloyd's algorithm leaves
      check_near(positions[3 * k], 6 * (k + 0.5) / count, 0.25);
      check_near(positions[3 * k + 1], 0.25, 0.11);
    }
  }
  lb_voxels_destroy(voxels);
}

// Two frames of a U go into its legs and not between them; with masses they follow these.
static void frames_of_a_u_lie_in_its_legs(void **state) {
  (void)state;
  lbVoxels *voxels = letter_u(4, 6);
  double positions[6], *masses = malloc((size_t)voxels->count * sizeof *masses);
  lbError err;
  check_ok(lb_frames_place(voxels, NULL, 2, positions, &err), err);
  qsort(positions, 2, 3 * sizeof *positions, by_x);
  assert_true(positions[0] < 1 && positions[3] > 1.25);
  assert_true(positions[1] > 1 && positions[4] > 1); // above the foot
  for (int32_t v = 0; v < voxels->count; v++)
    masses[v] = lb_voxels_centre(voxels, v).x < 1 ? 1 : 1e-9;
  check_ok(lb_frames_place(voxels, masses, 2, positions, &err), err);
  assert_true(positions[0] < 1 && positions[3] < 1);
  free(masses);
  lb_voxels_destroy(voxels);
}

static void every_part_gets_a_frame(void **state) {
  (void)state;
  lbVoxelGrid *grid = empty_grid(30, 4, 4, 0.1);
  fill_block(grid, 0, 0, 0, 20, 4, 4);
  fill_block(grid, 21, 0, 0, 23, 1, 1);
  fill_block(grid, 24, 0, 0, 30, 4, 4);
  lbVoxels *voxels = finish_voxels(grid);
  double positions[3 * 4], again[3 * 4];
  int32_t homes[4];
  lbError err;
  for (int32_t count = 3; count <= 4; count++) {
    check_ok(lb_frames_place(voxels, NULL, count, positions, &err), err);
    check_ok(lb_frames_check(voxels, count, positions, homes, &err), err);
    check_ok(lb_frames_place(voxels, NULL, count, again, &err), err);
    assert_memory_equal(positions, again, 3 * (size_t)count * sizeof *again);
  }
  check_fails(lb_frames_place(voxels, NULL, 2, positions, &err), LB_ERR_ARGUMENT, err,
              "in 3 parts");
  check_fails(lb_frames_place(voxels, NULL, 0, positions, &err), LB_ERR_ARGUMENT, err,
              "at least one");
  check_fails(lb_frames_place(voxels, NULL, 10000, positions, &err), LB_ERR_ARGUMENT, err,
              "voxels");
  lb_voxels_destroy(voxels);
}

static void there_can_be_a_frame_in_every_voxel(void **state) {
  (void)state;
  lbVoxels *voxels = blob(4, 6);
  double *positions = malloc(3 * (size_t)voxels->count * sizeof *positions);
  lbError err;
  check_ok(lb_frames_place(voxels, NULL, voxels->count, positions, &err), err);
  check_ok(lb_frames_check(voxels, voxels->count, positions, NULL, &err), err);
  free(positions);
  lb_voxels_destroy(voxels);
}

// Two frames are given at the ends of a bar: the third goes between them, and they stay.
static void given_frames_stay(void **state) {
  (void)state;
  lbVoxels *voxels = box_of_voxels(60, 5, 5, 0.1);
  double positions[9] = { 0.33, 0.21, 0.24, 5.77, 0.2, 0.26 };
  lbError err;
  check_ok(lb_frames_place_around(voxels, NULL, 2, 3, positions, &err), err);
  check_near(positions[0], 0.33, 0);
  check_near(positions[3], 5.77, 0);
  check_near(positions[6], 3, 0.35);
  positions[0] = -1;
  check_fails(lb_frames_place_around(voxels, NULL, 2, 3, positions, &err), LB_ERR_ARGUMENT, err,
              "frame 0 at -1");
  lb_voxels_destroy(voxels);
}

static void joints_are_moved_into_the_flesh(void **state) {
  (void)state;
  lbVoxels *voxels = box_of_voxels(10, 3, 3, 0.1);
  double positions[9] = { 0.5, 0.15, -0.4, 0.51, 0.16, 0.11, 0.512, 0.163, 0.112 }, farthest;
  lbError err;
  check_ok(lb_frames_snap(voxels, 3, positions, &farthest, &err), err);
  check_near(positions[2], 0.05, 1e-12); // the lowest layer
  check_near(positions[3], 0.51, 0);     // has a voxel of its own
  check_near(farthest, 0.4535, 1e-3);
  check_ok(lb_frames_check(voxels, 3, positions, NULL, &err), err);
  lb_voxels_destroy(voxels);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(frames_of_a_bar_part_it_evenly),
    cmocka_unit_test(frames_of_a_u_lie_in_its_legs),
    cmocka_unit_test(every_part_gets_a_frame),
    cmocka_unit_test(given_frames_stay),
    cmocka_unit_test(joints_are_moved_into_the_flesh),
    cmocka_unit_test(there_can_be_a_frame_in_every_voxel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
