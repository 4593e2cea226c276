// What lies at the centres of voxels, evaluated between them: cubic Hermite functions.
//
// In the block of eight centres around a point, t in [0, 1]³,
//   u(t) = Σ_c [ V_c Π_i a(t_i) + Σ_j G_cj b(t_j) Π_{i≠j} a(t_i) ]
// with a, b the cubic Hermite functions of the corner's side, V its value and G its slopes (per
// cell). Mixed derivatives are left out: u is still continuously differentiable and reproduces
// linear functions.
//
// A corner that is empty, or that open faces do not join to the home voxel among the 27 cells
// around the corner, is continued from the nearest of those that they do join, V + G·δ, the mean
// where several are equally near. What is joined does not depend on the block that the corner is
// seen from, nor on which joined voxel is home: so blocks fit together.
#include "reduce/weights.h"

enum { SIDE = 8, LOW = 3, ENTRIES = SIDE * SIDE * SIDE }; // cells -3 .. 4 around the block's corner

typedef struct Builder {
  const lbVoxels *voxels;
  int32_t base[3];        // cell of the block's low corner, may be outside the grid
  int16_t found[ENTRIES]; // entry of a cell, plus one; 0: none
  lbWeightRow *row;
} Builder;

// Value and derivatives along t of a functional: four numbers.
typedef struct Share {
  double part[4];
} Share;

static Share scaled_weight_row(Share a, double s) {
  for (int i = 0; i < 4; i++) a.part[i] *= s;
  return a;
}

static Share added(Share a, Share b, double s) {
  for (int i = 0; i < 4; i++) a.part[i] += s * b.part[i];
  return a;
}

// ---- entries -----------------------------------------------------------------------------------

static void add_entry_weight_row(Builder *b, int32_t voxel, Share share) {
  int32_t at[3];
  lb_voxels_locate(b->voxels, voxel, at);
  int32_t cell = 0;
  for (int i = 2; i >= 0; i--) cell = SIDE * cell + at[i] - b->base[i] + LOW;
  LB_ASSERT(cell >= 0 && cell < ENTRIES);
  lbWeightRow *row = b->row;
  int32_t k = b->found[cell] - 1;
  if (k < 0) {
    k = row->count++;
    b->found[cell] = (int16_t)(k + 1);
    row->voxels[k] = voxel;
    row->values[k] = row->gradients[k][0] = row->gradients[k][1] = row->gradients[k][2] = 0;
  }
  row->values[k] += share.part[0];
  for (int i = 0; i < 3; i++) row->gradients[k][i] += share.part[1 + i];
}

// share x the slope along `axis` by differences with the neighbours there; false: there are none.
static bool add_difference(Builder *b, int32_t voxel, int axis, Share share) {
  int32_t low = b->voxels->neighbours[6 * voxel + 2 * axis];
  int32_t high = b->voxels->neighbours[6 * voxel + 2 * axis + 1];
  if (low < 0 && high < 0) return false;
  double scale = low >= 0 && high >= 0 ? 0.5 : 1;
  add_entry_weight_row(b, high >= 0 ? high : voxel, scaled_weight_row(share, scale));
  add_entry_weight_row(b, low >= 0 ? low : voxel, scaled_weight_row(share, -scale));
  return true;
}

static bool has_difference(const lbVoxels *voxels, int32_t voxel, int axis) {
  return voxels->neighbours[6 * voxel + 2 * axis] >= 0 ||
         voxels->neighbours[6 * voxel + 2 * axis + 1] >= 0;
}

// The same; without neighbours along the axis the mean slope of those across it.
static void add_slope(Builder *b, int32_t voxel, int axis, Share share) {
  const int32_t *around = b->voxels->neighbours + 6 * voxel;
  if (add_difference(b, voxel, axis, share)) return;
  int count = 0;
  for (int k = 0; k < 6; k++)
    if (around[k] >= 0 && has_difference(b->voxels, around[k], axis)) count++;
  for (int k = 0; k < 6; k++)
    if (around[k] >= 0 && has_difference(b->voxels, around[k], axis))
      add_difference(b, around[k], axis, scaled_weight_row(share, 1.0 / count));
}

// value x V + Σ slopes x G of a voxel
static void add_voxel(Builder *b, int32_t voxel, Share value, const Share slopes[3]) {
  add_entry_weight_row(b, voxel, value);
  for (int axis = 0; axis < 3; axis++) add_slope(b, voxel, axis, slopes[axis]);
}

// ---- what is joined ----------------------------------------------------------------------------

// The cells around a corner, offsets -1 .. 1, as bits; those that open faces join to `home` there.
typedef struct Around {
  int32_t voxels[27]; // of the joined cells
  uint32_t joined;
} Around;

// Index of the cell of a voxel around `corner`, -1: not there.
static int around_index(const Builder *b, const int32_t corner[3], int32_t voxel) {
  int32_t at[3];
  int index = 0;
  lb_voxels_locate(b->voxels, voxel, at);
  for (int i = 2; i >= 0; i--) {
    int32_t offset = at[i] - corner[i];
    if (offset < -1 || offset > 1) return -1;
    index = 3 * index + (int)offset + 1;
  }
  return index;
}

static void find_joined(const Builder *b, const int32_t corner[3], int32_t home, Around *around) {
  int32_t queue[27];
  int head = 0, tail = 0;
  int first = around_index(b, corner, home);
  LB_ASSERT(first >= 0);
  around->joined = 1u << first;
  around->voxels[first] = queue[tail++] = home;
  while (head < tail) {
    const int32_t *next = b->voxels->neighbours + 6 * queue[head++];
    for (int k = 0; k < 6; k++) {
      if (next[k] < 0) continue;
      int index = around_index(b, corner, next[k]);
      if (index < 0 || around->joined >> index & 1) continue;
      around->joined |= 1u << index;
      around->voxels[index] = queue[tail++] = next[k];
    }
  }
}

// ---- corners -----------------------------------------------------------------------------------

// Of the 27 cells around a corner: whether it is `steps` faces away, and the way from it to there.
static bool is_away(int index, int steps, double to_corner[3]) {
  int offset[3] = { index % 3 - 1, index / 3 % 3 - 1, index / 9 - 1 }, sum = 0;
  for (int i = 0; i < 3; i++) {
    to_corner[i] = -offset[i];
    sum += offset[i] != 0;
  }
  return sum == steps;
}

// The mean of V + G·δ over the nearest joined cells.
static void add_continued(Builder *b, const Around *around, Share value, const Share slopes[3]) {
  double delta[3];
  int count = 0, steps = 0;
  while (count == 0) {
    steps++;
    for (int k = 0; k < 27; k++) count += (around->joined >> k & 1) && is_away(k, steps, delta);
  }
  for (int k = 0; k < 27; k++) {
    if (!(around->joined >> k & 1) || !is_away(k, steps, delta)) continue;
    Share own[3];
    for (int i = 0; i < 3; i++)
      own[i] = scaled_weight_row(added(slopes[i], value, delta[i]), 1.0 / count);
    add_voxel(b, around->voxels[k], scaled_weight_row(value, 1.0 / count), own);
  }
}

static void add_corner_weight_row(Builder *b, int32_t home, const int32_t home_at[3],
                                  const int32_t corner[3], Share value, const Share slopes[3]) {
  unsigned axes = 0, forward = 0;
  for (int i = 0; i < 3; i++) {
    axes |= (unsigned)(corner[i] != home_at[i]) << i;
    forward |= (unsigned)(corner[i] > home_at[i]) << i;
  }
  int32_t voxel = lb_voxels_cross(b->voxels, home, axes, forward);
  if (voxel < 0) {
    Around around;
    find_joined(b, corner, home, &around);
    if (!(around.joined >> 13 & 1)) {
      add_continued(b, &around, value, slopes);
      return;
    }
    voxel = around.voxels[13];
  }
  add_voxel(b, voxel, value, slopes);
}

// ---- rows --------------------------------------------------------------------------------------

// Hermite functions of one side of [0, 1] at t, and their derivatives.
typedef struct Hermite {
  double a, da, b, db;
} Hermite;

static Hermite hermite(double t, int side) {
  double r = 1 - t;
  if (side == 0) return (Hermite){ r * r * (1 + 2 * t), -6 * r * t, t * r * r, r * (1 - 3 * t) };
  return (Hermite){ t * t * (3 - 2 * t), 6 * r * t, -t * t * r, t * (3 * t - 2) };
}

// Π_i f_i and its derivatives, f_i being b for i = axis, else a.
static Share product_weight_row(const Hermite h[3], int axis) {
  Share share;
  for (int d = 0; d < 4; d++) {
    share.part[d] = 1;
    for (int i = 0; i < 3; i++) {
      bool derived = d == i + 1;
      share.part[d] *= i == axis ? (derived ? h[i].db : h[i].b) : derived ? h[i].da : h[i].a;
    }
  }
  return share;
}

// The point's nearest place in the home cell, and how far it lies from there; in cells.
static void clamp_to_home(const lbVoxelGrid *grid, const int32_t home_at[3], lbVec3 point,
                          double place[3], double out[3]) {
  double at[3];
  lb_vec3_store(at, lb_scale(1 / grid->cell, lb_sub(point, grid->origin)));
  for (int i = 0; i < 3; i++) {
    place[i] = fmin(fmax(at[i], home_at[i]), home_at[i] + 1);
    out[i] = at[i] - place[i];
  }
}

// From slopes per cell to 1/m, and the linear continuation.
static void finish_weight_row(lbWeightRow *row, const double out[3], double cell) {
  for (int32_t k = 0; k < row->count; k++)
    for (int i = 0; i < 3; i++) {
      row->values[k] += out[i] * row->gradients[k][i];
      row->gradients[k][i] /= cell;
    }
}

void lb_weight_row(const lbVoxels *voxels, int32_t home, lbVec3 point, lbWeightRow *row) {
  Builder b = { .voxels = voxels, .row = row };
  int32_t home_at[3];
  double place[3], out[3], t[3];
  row->count = 0;
  lb_voxels_locate(voxels, home, home_at);
  clamp_to_home(voxels->grid, home_at, point, place, out);
  for (int i = 0; i < 3; i++) {
    b.base[i] = place[i] < home_at[i] + 0.5 ? home_at[i] - 1 : home_at[i];
    t[i] = place[i] - 0.5 - b.base[i];
  }
  for (int corner = 0; corner < 8; corner++) {
    Hermite h[3];
    int32_t at[3];
    bool counts = true; // at a centre, t = 0, all the others are zero
    for (int i = 0; i < 3; i++) {
      h[i] = hermite(t[i], corner >> i & 1);
      at[i] = b.base[i] + (corner >> i & 1);
      counts &= t[i] > 0 || !(corner >> i & 1);
    }
    if (!counts) continue;
    Share slopes[3] = { product_weight_row(h, 0), product_weight_row(h, 1),
                        product_weight_row(h, 2) };
    add_corner_weight_row(&b, home, home_at, at, product_weight_row(h, -1), slopes);
  }
  finish_weight_row(row, out, voxels->grid->cell);
}

double lb_weight_row_apply(const lbWeightRow *row, const double *u, double gradient[3]) {
  double value = 0, sum[3] = { 0, 0, 0 };
  for (int32_t k = 0; k < row->count; k++) {
    double here = u[row->voxels[k]];
    value += row->values[k] * here;
    for (int i = 0; i < 3; i++) sum[i] += row->gradients[k][i] * here;
  }
  if (gradient)
    for (int i = 0; i < 3; i++) gradient[i] = sum[i];
  return value;
}

void lb_weights_at(const lbVoxels *voxels, const lbWeights *field, int32_t home, lbVec3 point,
                   double *values, double *gradients) {
  lbWeightRow row;
  lb_weight_row(voxels, home, point, &row);
  for (int32_t f = 0; f < field->frame_count; f++) {
    const double *weights = field->weights + (size_t)f * (size_t)field->voxel_count;
    double value = lb_weight_row_apply(&row, weights, gradients ? gradients + 3 * (size_t)f : NULL);
    if (values) values[f] = value;
  }
}
