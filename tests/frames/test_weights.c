// Weights of frames: closed forms, partition of unity, gradients, gaps, refusals.
#include "voxel_shapes.h"

static const lbWeightKind kinds[] = { LB_WEIGHTS_GEODESIC, LB_WEIGHTS_EUCLIDEAN, LB_WEIGHTS_LINEAR,
                                      LB_WEIGHTS_SPLINE };

// Three places of a blob that are not in one voxel.
static void three_frames(const lbVoxels *voxels, double *positions) {
  int32_t at[3] = { 0, voxels->count / 2, voxels->count - 1 };
  for (int k = 0; k < 3; k++) lb_vec3_store(positions + 3 * k, lb_voxels_centre(voxels, at[k]));
}

static void weights_sum_to_one_everywhere(void **state) {
  (void)state;
  for (uint64_t b = 1; b <= 3; b++) {
    lbVoxels *voxels = blob(b, 12);
    double positions[9], worst = 0, slope = 0;
    three_frames(voxels, positions);
    uint64_t seed = b;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
      lbWeights *field = make_field(voxels, 3, positions, kinds[k]);
      for (int32_t v = 0; v < voxels->count; v++) {
        double sum = 0;
        for (int f = 0; f < 3; f++) {
          sum += weight(field, f, v);
          if (kinds[k] != LB_WEIGHTS_SPLINE)
            assert_true(weight(field, f, v) >= 0 && weight(field, f, v) <= 1);
        }
        check_near(sum, 1, 1e-15);
      }
      for (int i = 0; i < 300; i++) {
        double values[3], gradients[9];
        int32_t home = random_voxel(voxels, &seed);
        lbVec3 point = random_in_voxel(voxels, home, &seed);
        if (i % 3 == 0) point = lb_add(point, lb_vec3(0.1, 0.03, -0.07)); // outside its voxel
        lb_weights_at(voxels, field, home, point, values, gradients);
        worst = fmax(worst, fabs(values[0] + values[1] + values[2] - 1));
        for (int c = 0; c < 3; c++)
          slope = fmax(slope, fabs(gradients[c] + gradients[3 + c] + gradients[6 + c]));
      }
      lb_weights_destroy(field);
    }
    check_small(worst, 1e-14);
    check_small(slope, 1e-12); // 1/m, cells of 0.1 m
    lb_voxels_destroy(voxels);
  }
}

// Frames at places along x, some off the centres of voxels, some off the axis.
static void linear_weights_of_a_bar_are_piecewise_linear(void **state) {
  (void)state;
  lbVoxels *voxels = box_of_voxels(40, 6, 5, 0.025);
  const double x[3] = { 0.1, 0.4375, 0.9 };
  const double positions[9] = { x[0], 0.07, 0.06, x[1], 0.07, 0.06, x[2], 0.07, 0.06 };
  lbWeights *field = make_field(voxels, 3, positions, LB_WEIGHTS_LINEAR);
  uint64_t seed = 7;
  for (int i = 0; i < 500; i++) {
    int32_t home = random_voxel(voxels, &seed);
    lbVec3 point = random_in_voxel(voxels, home, &seed);
    double values[3], gradients[9], slope = 0, hat;
    lb_weights_at(voxels, field, home, point, values, gradients);
    if (point.x < x[1]) {
      hat = (point.x - x[0]) / (x[1] - x[0]), slope = 1 / (x[1] - x[0]);
    } else {
      hat = (x[2] - point.x) / (x[2] - x[1]), slope = -1 / (x[2] - x[1]);
    }
    if (hat <= 0) hat = 0, slope = 0;
    bool kink = false; // differences reach over two cells
    for (int k = 0; k < 3; k++) kink |= fabs(point.x - x[k]) < 0.06;
    if (kink) {
      check_near(values[1], hat, 0.02);
      continue;
    }
    check_near(values[1], hat, 1e-13);
    check_near(gradients[3], slope, 1e-11);
    check_small(fabs(gradients[4]) + fabs(gradients[5]), 1e-11);
  }
  lb_weights_destroy(field);
  lb_voxels_destroy(voxels);
}

// Catmull–Rom through p_i = i² gives x² between the inner frames of an even chain.
static void spline_weights_of_a_chain_interpolate_quadratically(void **state) {
  (void)state;
  lbVoxels *voxels = box_of_voxels(60, 3, 3, 0.1);
  double positions[18];
  for (int k = 0; k < 6; k++) lb_vec3_store(positions + 3 * k, lb_vec3(0.55 + k, 0.15, 0.15));
  lbWeights *field = make_field(voxels, 6, positions, LB_WEIGHTS_SPLINE);
  double least = 0;
  for (int32_t v = 0; v < voxels->count; v++) {
    double s = lb_voxels_centre(voxels, v).x - 0.55, sum = 0;
    for (int k = 0; k < 6; k++) {
      sum += weight(field, k, v) * k * k;
      least = fmin(least, weight(field, k, v));
    }
    if (s >= 1 && s <= 4) check_near(sum, s * s, 1e-13);
  }
  assert_true(least < -0.07 && least > -0.08);
  lb_weights_destroy(field);
  lb_voxels_destroy(voxels);
}

static void rows_reproduce_linear_functions(void **state) {
  (void)state;
  uint64_t seed = 11;
  double worst = 0, slope = 0;
  int most = 0;
  for (uint64_t b = 1; b <= 4; b++) {
    lbVoxels *voxels = b == 4 ? letter_u(4, 3) : blob(b, 14);
    double *u = malloc((size_t)voxels->count * sizeof *u);
    lbVec3 g = lb_vec3(check_random(&seed), check_random(&seed), check_random(&seed));
    for (int32_t v = 0; v < voxels->count; v++) u[v] = 0.3 + lb_dot(g, lb_voxels_centre(voxels, v));
    for (int i = 0; i < 1000; i++) {
      lbWeightRow row;
      double gradient[3];
      int32_t home = random_voxel(voxels, &seed);
      lbVec3 point = random_in_voxel(voxels, home, &seed);
      if (i % 4 == 0) point = lb_add(point, lb_vec3(0.2, -0.1, 0.05));
      lb_weight_row(voxels, home, point, &row);
      double value = lb_weight_row_apply(&row, u, gradient);
      worst = fmax(worst, fabs(value - 0.3 - lb_dot(g, point)));
      slope = fmax(slope, lb_length(lb_sub(lb_vec3_load(gradient), g)));
      if (row.count > most) most = row.count;
    }
    free(u);
    lb_voxels_destroy(voxels);
  }
  print_message("linear functions: value %.1e, gradient %.1e, %d voxels at most\n", worst, slope,
                most);
  check_small(worst, 1e-13);
  check_small(slope, 1e-11);
}

// Along lines through the voxels: the gradient is the derivative, on both sides of every face
// between centres, and nothing jumps.
static void gradients_are_derivatives_and_continuous(void **state) {
  (void)state;
  double derivative = 0, jump = 0;
  for (uint64_t b = 1; b <= 3; b++) {
    lbVoxels *voxels = blob(b, 12);
    double positions[9], h = 1e-6;
    uint64_t seed = b;
    three_frames(voxels, positions);
    lbWeights *field = make_field(voxels, 3, positions, LB_WEIGHTS_GEODESIC);
    for (int i = 0; i < 400; i++) {
      int32_t home = random_voxel(voxels, &seed);
      lbVec3 point = random_in_voxel(voxels, home, &seed);
      lbVec3 centre = lb_voxels_centre(voxels, home);
      if (i % 2) point.x = centre.x;            // a face between blocks
      if (i % 4 > 1) point.y = centre.y + 0.05; // a face of the voxel
      int axis = i % 3;
      double step[3] = { 0, 0, 0 }, values[9], gradients[27];
      step[axis] = h;
      for (int side = -1; side <= 1; side++) {
        lbVec3 at = lb_add_scaled(point, side, lb_vec3_load(step));
        int32_t here = lb_voxels_find(voxels, at);
        lb_weights_at(voxels, field, here < 0 ? home : here, at, values + 3 * (side + 1),
                      gradients + 9 * (side + 1));
      }
      for (int f = 0; f < 3; f++) {
        double difference = (values[6 + f] - values[f]) / (2 * h);
        derivative = fmax(derivative, fabs(difference - gradients[9 + 3 * f + axis]));
        for (int c = 0; c < 3; c++)
          jump = fmax(jump, fabs(gradients[18 + 3 * f + c] - gradients[3 * f + c]));
      }
    }
    lb_weights_destroy(field);
    lb_voxels_destroy(voxels);
  }
  print_message("derivative %.1e 1/m, change of the gradient over 2e-6 m %.1e 1/m\n", derivative,
                jump);
  check_small(derivative, 2e-3); // the second derivative jumps at faces: h u''
  check_small(jump, 4e-3);
}

// Fig. 3: frame 0 in one leg of a U, frame 1 at its foot. Only straight distances reach across.
static void nothing_leaks_across_the_gap_of_a_u(void **state) {
  (void)state;
  lbVoxels *voxels = letter_u(6, 5);
  double h = voxels->grid->cell;
  const double positions[6] = { 0.45, 4.5, 0.2, 1.6 + h, 0.5, 0.2 };
  lbVec3 tip = lb_vec3(1.1 + h, 4.6, 0.2); // of the other leg, a voxel away from frame 0's
  int32_t home = lb_voxels_find(voxels, tip);
  double across[LB_WEIGHT_KIND_COUNT];
  for (size_t k = 0; k < 3; k++) {
    lbWeights *field = make_field(voxels, 2, positions, kinds[k]);
    double values[2];
    lb_weights_at(voxels, field, home, tip, values, NULL);
    across[kinds[k]] = values[0];
    lb_weights_destroy(field);
  }
  print_message("weight of frame 0 across the gap: euclidean %.3f, geodesic %.3f, linear %.3f\n",
                across[LB_WEIGHTS_EUCLIDEAN], across[LB_WEIGHTS_GEODESIC],
                across[LB_WEIGHTS_LINEAR]);
  assert_true(across[LB_WEIGHTS_EUCLIDEAN] > 0.9);
  assert_true(across[LB_WEIGHTS_GEODESIC] < 0.4);
  check_small(across[LB_WEIGHTS_LINEAR], 0);
  // Points in the gap and at its sides are seen from their own leg alone.
  uint64_t seed = 3;
  for (int i = 0; i < 400; i++) {
    int leg = i % 2;
    lbVec3 point = lb_vec3(1 + 0.5 * h + 0.7 * h * check_random(&seed),
                           3 + 1.8 * check_random(&seed), 0.25 + 0.3 * check_random(&seed));
    lbVec3 beside = lb_vec3(leg ? 1 + 1.5 * h : 1 - 0.5 * h, point.y, 0.25);
    lbWeightRow row;
    lb_weight_row(voxels, lb_voxels_find(voxels, beside), point, &row);
    for (int32_t k = 0; k < row.count; k++) {
      lbVec3 centre = lb_voxels_centre(voxels, row.voxels[k]);
      if (row.values[k] != 0 && point.y > 1 + 3 * h) assert_int_equal(centre.x > 1 + h, leg);
    }
  }
  lb_voxels_destroy(voxels);
}

// The same with legs that touch, parted by closed faces.
static void nothing_leaks_through_a_slit(void **state) {
  (void)state;
  lbVoxelGrid *grid = empty_grid(8, 12, 3, 0.25);
  fill_block(grid, 0, 0, 0, 8, 12, 3);
  for (int32_t z = 0; z < 3; z++)
    for (int32_t y = 4; y < 12; y++)
      grid->cells[lb_voxel_grid_index(grid, 3, y, z)] |= LB_VOXEL_CLOSED_X;
  lbVoxels *voxels = finish_voxels(grid);
  const double positions[6] = { 0.5, 2.7, 0.4, 1.5, 0.5, 0.4 };
  lbWeights *field = make_field(voxels, 2, positions, LB_WEIGHTS_LINEAR);
  double left[2], right[2];
  lbVec3 slit = lb_vec3(1, 2.6, 0.4);
  lb_weights_at(voxels, field, lb_voxels_find(voxels, lb_vec3(0.9, 2.6, 0.4)), slit, left, NULL);
  lb_weights_at(voxels, field, lb_voxels_find(voxels, lb_vec3(1.1, 2.6, 0.4)), slit, right, NULL);
  assert_true(left[0] > 0.9);
  check_small(right[0], 0.05);
  lb_weights_destroy(field);
  lb_voxels_destroy(voxels);
}

static void own_regions_and_cutoffs_are_kept(void **state) {
  (void)state;
  lbVoxels *voxels = box_of_voxels(40, 4, 4, 0.05);
  const double positions[9] = { 0.1, 0.1, 0.1, 0.7, 0.1, 0.1, 1.9, 0.1, 0.1 };
  lbWeightDef def = lb_weight_def();
  lbWeights *field;
  lbError err;
  check_ok(lb_weights_create(voxels, 3, positions, &def, &field, &err), err);
  check_near(field->radius, LB_WEIGHT_RADIUS * 0.6, 1e-12);
  for (int32_t v = 0; v < voxels->count; v++)
    for (int f = 0; f < 3; f++) {
      lbVec3 way = lb_sub(lb_voxels_centre(voxels, v), lb_vec3_load(positions + 3 * f));
      if (lb_length(way) < 0.24) check_near(weight(field, f, v), 1, 0);
    }
  lb_weights_destroy(field);
  def.cutoff = 0.3; // leaves the middle of the long piece to nobody: 0.6 + the way across
  check_ok(lb_weights_create(voxels, 3, positions, &def, &field, &err), err);
  assert_true(field->cutoff > 0.6 && field->cutoff < 0.68);
  for (int32_t v = 0; v < voxels->count; v++) {
    lbVec3 way = lb_sub(lb_voxels_centre(voxels, v), lb_vec3_load(positions));
    if (lb_length(way) >= field->cutoff) check_near(weight(field, 0, v), 0, 0);
  }
  lb_weights_destroy(field);
  lb_voxels_destroy(voxels);
}

static void painted_regions_belong_to_one_frame(void **state) {
  (void)state;
  lbVoxels *voxels = box_of_voxels(30, 4, 4, 0.1);
  const double positions[6] = { 0.25, 0.2, 0.2, 2.75, 0.2, 0.2 };
  int32_t *owners = malloc((size_t)voxels->count * sizeof *owners);
  for (int32_t v = 0; v < voxels->count; v++)
    owners[v] = lb_voxels_centre(voxels, v).x < 1.5 ? 0 : -1;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    lbWeightDef def = lb_weight_def();
    lbWeights *field;
    lbError err;
    def.kind = kinds[k];
    def.owners = owners;
    def.radius = 0.1;
    check_ok(lb_weights_create(voxels, 2, positions, &def, &field, &err), err);
    for (int32_t v = 0; v < voxels->count; v++) {
      double x = lb_voxels_centre(voxels, v).x;
      if (owners[v] == 0) check_near(weight(field, 0, v), 1, 0);
      if (kinds[k] == LB_WEIGHTS_LINEAR && x > 1.5) // from the last painted centre on
        check_near(weight(field, 1, v), fmin((x - 1.45) / (2.75 - 1.45), 1), 0.02);
    }
    // the weight falls from the region's edge, without a jump
    int32_t next = lb_voxels_find(voxels, lb_vec3(1.55, 0.15, 0.15));
    assert_true(weight(field, 0, next) > 0.9);
    lb_weights_destroy(field);
  }
  free(owners);
  lb_voxels_destroy(voxels);
}

static void a_bump_falls_from_one_to_zero(void **state) {
  (void)state;
  lbVoxels *voxels = box_of_voxels(20, 10, 10, 0.1);
  double *bump = malloc((size_t)voxels->count * sizeof *bump);
  int32_t reached, expected = 0;
  lbError err;
  lbVec3 at = lb_vec3(0.63, 0.5, 0.5);
  check_ok(lb_weight_bump(voxels, at, lb_voxels_find(voxels, at), 0.4, bump, &reached, &err), err);
  for (int32_t v = 0; v < voxels->count; v++) {
    double d = lb_length(lb_sub(lb_voxels_centre(voxels, v), at)) / 0.4;
    expected += d < 1;
    check_near(bump[v], d < 1 ? (1 - d * d) * (1 - d * d) : 0, 1e-14);
  }
  assert_int_equal(reached, expected);
  check_fails(lb_weight_bump(voxels, at, 0, 0, bump, NULL, &err), LB_ERR_ARGUMENT, err, "cut-off");
  free(bump);
  lb_voxels_destroy(voxels);
}

static void bad_frames_are_refused(void **state) {
  (void)state;
  lbVoxelGrid *grid = empty_grid(9, 3, 3, 0.1);
  fill_block(grid, 0, 0, 0, 4, 3, 3);
  fill_block(grid, 5, 0, 0, 9, 3, 3);
  lbVoxels *voxels = finish_voxels(grid);
  lbWeightDef def = lb_weight_def();
  lbWeights *field = NULL;
  lbError err;
  const double good[6] = { 0.1, 0.1, 0.1, 0.7, 0.1, 0.1 };
  const double outside[6] = { 0.1, 0.1, 0.1, 0.45, 0.1, 0.1 };
  const double twice[9] = { 0.11, 0.11, 0.11, 0.19, 0.12, 0.12, 0.7, 0.1, 0.1 };
  const double nothing[6] = { NAN, 0, 0, 0.7, 0.1, 0.1 };
  check_fails(lb_weights_create(voxels, 0, good, &def, &field, &err), LB_ERR_ARGUMENT, err,
              "at least one");
  check_fails(lb_weights_create(voxels, 1, good, &def, &field, &err), LB_ERR_ARGUMENT, err,
              "part 1 (36 voxels");
  check_fails(lb_weights_create(voxels, 2, outside, &def, &field, &err), LB_ERR_ARGUMENT, err,
              "frame 1 at 0.45 0.1 0.1 lies outside the object");
  check_fails(lb_weights_create(voxels, 3, twice, &def, &field, &err), LB_ERR_ARGUMENT, err,
              "frames 0 and 1 lie in one voxel");
  check_fails(lb_weights_create(voxels, 2, nothing, &def, &field, &err), LB_ERR_ARGUMENT, err,
              "not a number");
  def.radius = -1;
  check_fails(lb_weights_create(voxels, 2, good, &def, &field, &err), LB_ERR_ARGUMENT, err,
              "radius");
  def.radius = 0.5;
  def.cutoff = 0.3;
  check_fails(lb_weights_create(voxels, 2, good, &def, &field, &err), LB_ERR_ARGUMENT, err,
              "must be greater");
  def = lb_weight_def();
  def.kind = LB_WEIGHTS_HARMONIC;
  check_fails(lb_weights_create(voxels, 2, good, &def, &field, &err), LB_ERR_ARGUMENT, err, "kind");
  int32_t owners[72] = { 0 };
  owners[71] = 2;
  def = lb_weight_def();
  def.owners = owners;
  check_fails(lb_weights_create(voxels, 2, good, &def, &field, &err), LB_ERR_ARGUMENT, err,
              "voxel 71 belongs to frame 2");
  owners[71] = 0;
  check_fails(lb_weights_create(voxels, 2, good, &def, &field, &err), LB_ERR_ARGUMENT, err,
              "frame 1 lies in the rigid region of frame 0");
  assert_null(field);
  lb_voxels_destroy(voxels);
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  lbVoxelGrid *grid = empty_grid(6, 3, 3, 0.1);
  fill_block(grid, 0, 0, 0, 6, 3, 3);
  const double positions[6] = { 0.1, 0.1, 0.1, 0.5, 0.1, 0.1 };
  lbWeightDef def = lb_weight_def();
  CheckedHeap heap = { 0 };
  lbStatus status = LB_ERR_MEMORY;
  lbAllocator allocator = checked_allocator(&heap);
  lb_set_allocator(&allocator);
  for (; status && heap.fail_at < 100; heap.fail_at++, heap.count = 0) {
    lbVoxels *voxels = NULL;
    lbWeights *field = NULL;
    lbError err;
    status = lb_voxels_create(grid, &voxels, &err);
    if (!status) status = lb_weights_create(voxels, 2, positions, &def, &field, &err);
    if (status) assert_int_equal(status, LB_ERR_MEMORY);
    lb_weights_destroy(field);
    lb_voxels_destroy(voxels);
    assert_int_equal(heap.live, 0);
  }
  lb_set_allocator(NULL);
  assert_true(!status && heap.fail_at > 10);
  lb_voxel_grid_destroy(grid);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(weights_sum_to_one_everywhere),
    cmocka_unit_test(linear_weights_of_a_bar_are_piecewise_linear),
    cmocka_unit_test(spline_weights_of_a_chain_interpolate_quadratically),
    cmocka_unit_test(rows_reproduce_linear_functions),
    cmocka_unit_test(gradients_are_derivatives_and_continuous),
    cmocka_unit_test(nothing_leaks_across_the_gap_of_a_u),
    cmocka_unit_test(nothing_leaks_through_a_slit),
    cmocka_unit_test(own_regions_and_cutoffs_are_kept),
    cmocka_unit_test(painted_regions_belong_to_one_frame),
    cmocka_unit_test(a_bump_falls_from_one_to_zero),
    cmocka_unit_test(bad_frames_are_refused),
    cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
