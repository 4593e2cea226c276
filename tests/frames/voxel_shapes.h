// Shapes of voxels for tests, with their closed forms.
#ifndef LB_TESTS_VOXEL_SHAPES_H
#define LB_TESTS_VOXEL_SHAPES_H

#include "check.h"
#include "frames/inserted_weight.h"
#include "reduce/placement.h"
#include "reduce/weights.h"

static inline lbVoxelGrid *empty_grid(int32_t x, int32_t y, int32_t z, double cell) {
  lbVoxelGrid *grid;
  lbError err;
  int32_t size[3] = { x, y, z };
  check_ok(lb_voxel_grid_create(lb_vec3(0, 0, 0), cell, size, &grid, &err), err);
  return grid;
}

// Fills the cells low .. high - 1.
static inline void fill_block(lbVoxelGrid *grid, int32_t x0, int32_t y0, int32_t z0, int32_t x1,
                              int32_t y1, int32_t z1) {
  for (int32_t z = z0; z < z1; z++)
    for (int32_t y = y0; y < y1; y++)
      for (int32_t x = x0; x < x1; x++)
        grid->cells[lb_voxel_grid_index(grid, x, y, z)] |= LB_VOXEL_FILLED;
}

static inline lbVoxels *finish_voxels(lbVoxelGrid *grid) {
  lbVoxels *voxels;
  lbError err;
  check_ok(lb_voxels_create(grid, &voxels, &err), err);
  lb_voxel_grid_destroy(grid);
  return voxels;
}

static inline lbVoxels *box_of_voxels(int32_t x, int32_t y, int32_t z, double cell) {
  lbVoxelGrid *grid = empty_grid(x, y, z, cell);
  fill_block(grid, 0, 0, 0, x, y, z);
  return finish_voxels(grid);
}

// A letter U in the plane x y, one voxel of 1 / n between its legs: legs 0 .. 1 and 1 + 1/n .. 2 +
// 1/n wide, `height` high, on a foot of height 1; a half thick.
static inline lbVoxels *letter_u(int32_t n, int32_t height) {
  lbVoxelGrid *grid = empty_grid(2 * n + 1, height * n, n / 2, 1.0 / n);
  fill_block(grid, 0, 0, 0, 2 * n + 1, n, n / 2);
  fill_block(grid, 0, 0, 0, n, height * n, n / 2);
  fill_block(grid, n + 1, 0, 0, 2 * n + 1, height * n, n / 2);
  return finish_voxels(grid);
}

// Balls around random places, overlapping.
static inline lbVoxels *blob(uint64_t seed, int32_t n) {
  lbVoxelGrid *grid = empty_grid(n, n, n, 0.1);
  lbVec3 at = lb_vec3(0.5 * n, 0.5 * n, 0.5 * n);
  for (int ball = 0; ball < 6; ball++) {
    double radius = n * (0.16 + 0.06 * check_random(&seed));
    for (int32_t i = 0; i < lb_voxel_grid_count(grid); i++) {
      lbVec3 here = lb_vec3(i % n + 0.5, i / n % n + 0.5, i / n / n + 0.5);
      if (lb_length(lb_sub(here, at)) < radius) grid->cells[i] |= LB_VOXEL_FILLED;
    }
    at = lb_add(at, lb_scale(0.22 * n, lb_vec3(check_random(&seed), check_random(&seed),
                                               check_random(&seed))));
  }
  return finish_voxels(grid);
}

static inline lbVec3 random_in_voxel(const lbVoxels *voxels, int32_t voxel, uint64_t *seed) {
  double half = 0.5 * voxels->grid->cell;
  lbVec3 way = { check_random(seed), check_random(seed), check_random(seed) };
  return lb_add_scaled(lb_voxels_centre(voxels, voxel), half, way);
}

static inline int32_t random_voxel(const lbVoxels *voxels, uint64_t *seed) {
  return (int32_t)(0.5 * (check_random(seed) + 1) * voxels->count);
}

static inline double weight(const lbWeights *field, int32_t frame, int32_t voxel) {
  return field->weights[(size_t)frame * (size_t)field->voxel_count + (size_t)voxel];
}

static inline lbWeights *make_field(const lbVoxels *voxels, int32_t count, const double *positions,
                                    lbWeightKind kind) {
  lbWeightDef def = lb_weight_def();
  lbWeights *field;
  lbError err;
  def.kind = kind;
  check_ok(lb_weights_create(voxels, count, positions, &def, &field, &err), err);
  return field;
}

#endif
