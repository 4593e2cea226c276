// Harmonic weights: closed forms, independence of the voxels, gaps, painted regions, extremes.
#include "frames/voxel_shapes.h"
#include "reduce/harmonic.h"

static lbWeights *harmonic(const lbVoxels *voxels, int32_t count, const double *positions,
                           double radius, const int32_t *owners) {
  lbWeightDef def = lb_weight_def();
  lbWeights *field;
  lbError err;
  def.kind = LB_WEIGHTS_HARMONIC;
  def.radius = radius;
  def.owners = owners;
  check_ok(lb_frame_weights(voxels, count, positions, &def, &field, &err), err);
  return field;
}

// A row of voxels is one-dimensional: linear between the ends of the two regions, wherever these
// lie in a voxel.
static void weights_of_a_row_are_linear_between_regions(void **state) {
  (void)state;
  lbVoxels *voxels = box_of_voxels(50, 1, 1, 0.02);
  const double positions[6] = { 0.113, 0.01, 0.01, 0.871, 0.01, 0.01 };
  double worst = 0;
  for (double radius = 0.03; radius < 0.3; radius += 0.0123) {
    lbWeights *field = harmonic(voxels, 2, positions, radius, NULL);
    for (int32_t v = 0; v < voxels->count; v++) {
      double x = lb_voxels_centre(voxels, v).x;
      double exact = (x - 0.113 - radius) / (0.871 - 0.113 - 2 * radius);
      worst = fmax(worst, fabs(weight(field, 1, v) - fmin(fmax(exact, 0), 1)));
    }
    lb_weights_destroy(field);
  }
  print_message("row: %.1e\n", worst);
  check_small(worst, 2e-3); // where a region's surface is nearer than 0.02 of a cell to a centre
  lb_voxels_destroy(voxels);
}

static void weights_of_a_bar_are_linear_between_painted_slabs(void **state) {
  (void)state;
  lbVoxels *voxels = box_of_voxels(30, 5, 4, 0.1);
  const double positions[6] = { 0.25, 0.2, 0.2, 2.75, 0.2, 0.2 };
  int32_t *owners = malloc((size_t)voxels->count * sizeof *owners);
  for (int32_t v = 0; v < voxels->count; v++) {
    double x = lb_voxels_centre(voxels, v).x;
    owners[v] = x < 0.7 ? 0 : x > 2.5 ? 1 : -1;
  }
  lbWeights *field = harmonic(voxels, 2, positions, 0, owners);
  for (int32_t v = 0; v < voxels->count; v++) {
    double exact = (lb_voxels_centre(voxels, v).x - 0.65) / (2.55 - 0.65);
    check_near(weight(field, 1, v), fmin(fmax(exact, 0), 1), 1e-13);
  }
  lb_weights_destroy(field);
  free(owners);
  lb_voxels_destroy(voxels);
}

// A ball of radius a around the middle and all beyond a radius b: (1/r − 1/b) / (1/a − 1/b).
static void weights_between_spheres_converge_to_the_potential(void **state) {
  (void)state;
  double error[2];
  for (int k = 0; k < 2; k++) {
    int32_t n = k ? 32 : 16;
    double a = 0.17, b = 0.46, worst = 0;
    lbVoxels *voxels = box_of_voxels(n, n, n, 1.0 / n);
    lbVec3 middle = lb_vec3(0.5, 0.5, 0.5);
    int32_t *owners = malloc((size_t)voxels->count * sizeof *owners);
    for (int32_t v = 0; v < voxels->count; v++)
      owners[v] = lb_length(lb_sub(lb_voxels_centre(voxels, v), middle)) > b ? 1 : -1;
    const double positions[6] = { 0.5, 0.5, 0.5, 0.01, 0.01, 0.01 };
    lbWeights *field = harmonic(voxels, 2, positions, a, owners);
    for (int32_t v = 0; v < voxels->count; v++) {
      double r = lb_length(lb_sub(lb_voxels_centre(voxels, v), middle));
      if (r > b) continue;
      double exact = fmin((1 / r - 1 / b) / (1 / a - 1 / b), 1);
      worst = fmax(worst, fabs(weight(field, 0, v) - exact));
    }
    error[k] = worst;
    lb_weights_destroy(field);
    free(owners);
    lb_voxels_destroy(voxels);
  }
  print_message("spheres: error %.4f with cells of 1/16, %.4f with 1/32\n", error[0], error[1]);
  check_small(error[0], 0.08);
  check_small(error[1], 0.05);
}

// The same bar in cells of three sizes; the radius is what decides.
static void weights_hardly_depend_on_the_voxels(void **state) {
  (void)state;
  const double positions[9] = { 0.15, 0.13, 0.13, 0.52, 0.12, 0.12, 0.9, 0.13, 0.13 };
  const double at[4] = { 0.26, 0.335, 0.64, 0.71 };
  double value[3][4], other[4];
  for (int k = 0; k < 4; k++) {
    int32_t n = k < 3 ? 8 << k : 32; // cells across are n / 4
    lbVoxels *voxels = box_of_voxels(n, n / 4, n / 4, 1.0 / n);
    lbWeights *field = harmonic(voxels, 3, positions, k < 3 ? 0.08 : 0.04, NULL);
    for (int i = 0; i < 4; i++) {
      double values[3];
      lbVec3 point = lb_vec3(at[i], 0.1, 0.14);
      lb_weights_at(voxels, field, lb_voxels_find(voxels, point), point, values, NULL);
      *(k < 3 ? &value[k][i] : &other[i]) = values[1];
    }
    lb_weights_destroy(field);
    lb_voxels_destroy(voxels);
  }
  double changed = 0;
  for (int i = 0; i < 4; i++) {
    print_message("weight at %.3f: cells of 1/8 %.4f, 1/16 %.4f, 1/32 %.4f; half the radius %.4f\n",
                  at[i], value[0][i], value[1][i], value[2][i], other[i]);
    check_near(value[1][i], value[2][i], 0.02);
    changed = fmax(changed, fabs(other[i] - value[2][i]));
  }
  assert_true(changed > 0.03); // the radius does matter
}

static void weights_obey_the_maximum_principle(void **state) {
  (void)state;
  for (uint64_t b = 1; b <= 3; b++) {
    lbVoxels *voxels = blob(b, 14);
    double positions[9];
    int32_t at[3] = { 0, voxels->count / 2, voxels->count - 1 };
    for (int k = 0; k < 3; k++) lb_vec3_store(positions + 3 * k, lb_voxels_centre(voxels, at[k]));
    lbWeights *field = harmonic(voxels, 3, positions, 0, NULL);
    for (int32_t v = 0; v < voxels->count; v++) {
      double sum = 0;
      for (int f = 0; f < 3; f++) {
        double here = weight(field, f, v), low = 2, high = -1;
        sum += here;
        assert_true(here >= 0 && here <= 1);
        for (int k = 0; k < 6; k++) {
          int32_t next = voxels->neighbours[6 * v + k];
          if (next < 0) continue;
          low = fmin(low, weight(field, f, next)), high = fmax(high, weight(field, f, next));
        }
        // no extremes inside, beyond rounding
        if (here > 1e-12 && here < 1 - 1e-12)
          assert_true(low <= here + 1e-12 && here <= high + 1e-12);
      }
      check_near(sum, 1, 1e-15);
    }
    lb_weights_destroy(field);
    lb_voxels_destroy(voxels);
  }
}

// Fig. 3: of the two frames only the one in its own leg moves the tip.
static void a_tip_of_a_u_follows_its_own_frame(void **state) {
  (void)state;
  lbVoxels *voxels = letter_u(6, 5);
  double h = voxels->grid->cell, values[2];
  const double positions[6] = { 0.5, 4.5, 0.2, 1.6 + h, 2, 0.2 };
  lbWeights *field = harmonic(voxels, 2, positions, 0.4, NULL);
  lbVec3 tip = lb_vec3(1.1 + h, 4.6, 0.2);
  lb_weights_at(voxels, field, lb_voxels_find(voxels, tip), tip, values, NULL);
  print_message("weight of frame 0 across the gap: harmonic %.4f\n", values[0]);
  check_small(values[0], 0.03);
  lb_weights_destroy(field);
  lb_voxels_destroy(voxels);
}

static void regions_that_leave_nothing_free_are_accepted(void **state) {
  (void)state;
  lbVoxels *voxels = box_of_voxels(4, 2, 2, 1);
  const double positions[6] = { 0.5, 1, 1, 3.5, 1, 1 };
  lbWeights *field = harmonic(voxels, 2, positions, 10, NULL);
  for (int32_t v = 0; v < voxels->count; v++)
    check_near(weight(field, 0, v), lb_voxels_centre(voxels, v).x < 2, 0);
  lb_weights_destroy(field);
  field = harmonic(voxels, 1, positions, 0, NULL);
  for (int32_t v = 0; v < voxels->count; v++) check_near(weight(field, 0, v), 1, 0);
  lb_weights_destroy(field);
  lb_voxels_destroy(voxels);
}

static void a_part_without_a_frame_is_refused(void **state) {
  (void)state;
  lbVoxelGrid *grid = empty_grid(7, 2, 2, 1);
  fill_block(grid, 0, 0, 0, 3, 2, 2);
  fill_block(grid, 4, 0, 0, 7, 2, 2);
  lbVoxels *voxels = finish_voxels(grid);
  const double positions[3] = { 0.5, 0.5, 0.5 };
  lbWeightDef def = lb_weight_def();
  lbWeights *field;
  lbError err;
  check_fails(lb_harmonic_weights(voxels, 1, positions, &def, &field, &err), LB_ERR_ARGUMENT, err,
              "has no frame");
  lb_voxels_destroy(voxels);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(weights_of_a_row_are_linear_between_regions),
    cmocka_unit_test(weights_of_a_bar_are_linear_between_painted_slabs),
    cmocka_unit_test(weights_between_spheres_converge_to_the_potential),
    cmocka_unit_test(weights_hardly_depend_on_the_voxels),
    cmocka_unit_test(weights_obey_the_maximum_principle),
    cmocka_unit_test(a_tip_of_a_u_follows_its_own_frame),
    cmocka_unit_test(regions_that_leave_nothing_free_are_accepted),
    cmocka_unit_test(a_part_without_a_frame_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
