// Laplace's equation on voxels, one right-hand side a frame.
//
//   Σ_k c_k (w_k − w) = 0 over the open faces of a voxel,
//
// c = 1 between two free voxels, and 1/θ towards a region: its surface cuts the line between the
// centres at the share θ of a cell from the free one, where d = radius (d runs linearly there). No
// face, no flux.
#include "reduce/harmonic.h"

#include "frames/frame_distances.h"
#include "linalg/cholesky.h"

// Below this share the matrix would be ill-conditioned for nothing: a surface so near to a centre
// is as good as at it.
static const double least_share = 0.02;

typedef struct Laplace {
  const lbVoxels *voxels;
  const lbWeightDef *def;
  lbFrameDistances distances;
  double radius;
  int32_t *regions; // (voxels) frame whose region a voxel is in, or -1
  int32_t *unknown; // (voxels) number of a free voxel, or -1
  int32_t unknown_count;
  lbSparse *matrix;
  double *sides; // (unknowns x frames) right-hand sides, then solutions
} Laplace;

static double distance_from(const Laplace *p, int32_t frame, int32_t voxel) {
  return p->distances.from[(size_t)frame * (size_t)p->voxels->count + (size_t)voxel];
}

// ---- regions -----------------------------------------------------------------------------------

static void find_regions(Laplace *p) {
  for (int32_t v = 0; v < p->voxels->count; v++) {
    p->regions[v] = p->def->owners ? p->def->owners[v] : -1;
    if (p->regions[v] >= 0) continue;
    double nearest = p->radius;
    for (int32_t f = 0; f < p->distances.frame_count; f++) {
      double d = distance_from(p, f, v);
      if (p->distances.painted[f] || d > nearest) continue;
      nearest = d;
      p->regions[v] = f;
    }
  }
  for (int32_t f = 0; f < p->distances.frame_count; f++) p->regions[p->distances.homes[f]] = f;
  for (int32_t v = 0; v < p->voxels->count; v++)
    p->unknown[v] = p->regions[v] < 0 ? p->unknown_count++ : -1;
}

// From a free voxel to one of a region.
static double conductance(const Laplace *p, int32_t free, int32_t fixed) {
  int32_t frame = p->regions[fixed];
  if (p->distances.painted[frame]) return 1;
  double outside = distance_from(p, frame, free), inside = distance_from(p, frame, fixed);
  if (inside > p->radius) return 1; // the home of a frame whose radius is less than a voxel
  return 1 / fmax((outside - p->radius) / (outside - inside), least_share);
}

// ---- the system --------------------------------------------------------------------------------

// Rows above the diagonal: the neighbours with lower numbers, which are those at -z, -y and -x, in
// this order.
static lbStatus make_pattern(Laplace *p, lbError *err) {
  size_t count = (size_t)p->unknown_count;
  int32_t *begin = lb_alloc(count + 1, sizeof *begin), *rows = lb_alloc(4 * count, sizeof *rows);
  lbStatus status = begin && rows ? LB_OK : lb_fail_memory(err);
  if (!status) {
    int32_t entries = 0;
    begin[0] = 0;
    for (int32_t v = 0; v < p->voxels->count; v++) {
      if (p->unknown[v] < 0) continue;
      for (int k = 4; k >= 0; k -= 2) {
        int32_t next = p->voxels->neighbours[6 * v + k];
        if (next >= 0 && p->unknown[next] >= 0) rows[entries++] = p->unknown[next];
      }
      rows[entries++] = p->unknown[v];
      begin[p->unknown[v] + 1] = entries;
    }
    status = lb_sparse_create(p->unknown_count, begin, rows, &p->matrix, err);
  }
  lb_free(begin);
  lb_free(rows);
  return status;
}

static void fill_system(Laplace *p) {
  for (int32_t v = 0; v < p->voxels->count; v++) {
    int32_t row = p->unknown[v];
    if (row < 0) continue;
    double sum = 0;
    for (int k = 0; k < 6; k++) {
      int32_t next = p->voxels->neighbours[6 * v + k];
      if (next < 0) continue;
      double c = p->unknown[next] >= 0 ? 1 : conductance(p, v, next);
      sum += c;
      if (p->unknown[next] < 0)
        p->sides[(size_t)p->regions[next] * (size_t)p->unknown_count + (size_t)row] += c;
    }
    int32_t end = p->matrix->column_begin[row + 1] - 1;
    for (int32_t e = p->matrix->column_begin[row]; e < end; e++) p->matrix->values[e] = -1;
    p->matrix->values[end] = sum;
  }
}

static lbStatus solve(Laplace *p, lbError *err) {
  lbCholesky *factor = NULL;
  lbStatus status = make_pattern(p, err);
  if (status) return status;
  fill_system(p);
  status = lb_cholesky_create(p->matrix, &factor, err);
  if (!status) status = lb_cholesky_factor(factor, p->matrix, err);
  if (!status) status = lb_cholesky_solve(factor, p->distances.frame_count, p->sides, err);
  lb_cholesky_destroy(factor);
  return status;
}

// Rounding may leave [0, 1] and the sum of 1 by some 1e-16: not the field.
static void fill_field(const Laplace *p, lbWeights *field) {
  size_t stride = (size_t)field->voxel_count;
  for (int32_t v = 0; v < field->voxel_count; v++) {
    double sum = 0;
    for (int32_t f = 0; f < field->frame_count; f++) {
      double w = p->regions[v] == f;
      if (p->unknown[v] >= 0)
        w = p->sides[(size_t)f * (size_t)p->unknown_count + (size_t)p->unknown[v]];
      field->weights[(size_t)f * stride + (size_t)v] = w = fmin(fmax(w, 0), 1);
      sum += w;
    }
    for (int32_t f = 0; f < field->frame_count; f++)
      field->weights[(size_t)f * stride + (size_t)v] /= sum;
  }
}

// ---- the whole ---------------------------------------------------------------------------------

static lbStatus take_memory(Laplace *p, lbError *err) {
  p->regions = lb_alloc((size_t)p->voxels->count, sizeof *p->regions);
  p->unknown = lb_alloc((size_t)p->voxels->count, sizeof *p->unknown);
  if (!p->regions || !p->unknown) return lb_fail_memory(err);
  find_regions(p);
  if (p->unknown_count == 0) return LB_OK;
  p->sides =
      lb_alloc((size_t)p->unknown_count * (size_t)p->distances.frame_count, sizeof *p->sides);
  return p->sides ? LB_OK : lb_fail_memory(err);
}

lbStatus lb_harmonic_weights(const lbVoxels *voxels, int32_t frame_count, const double *positions,
                             const lbWeightDef *def, lbWeights **out, lbError *err) {
  Laplace p = { .voxels = voxels, .def = def };
  lbWeightDef inside = *def;
  lbWeights *field = NULL;
  inside.kind = LB_WEIGHTS_HARMONIC;
  lbStatus status =
      lb_frame_distances_create(voxels, frame_count, positions, &inside, &p.distances, err);
  if (status) return status;
  p.radius = def->radius > 0 ? def->radius : p.distances.default_radius;
  status = take_memory(&p, err);
  if (!status) status = lb_weights_create_empty(frame_count, voxels->count, &field, err);
  if (!status && p.unknown_count > 0) status = solve(&p, err);
  if (status) {
    lb_weights_destroy(field);
  } else {
    fill_field(&p, field);
    field->radius = p.radius;
    *out = field;
  }
  lb_sparse_destroy(p.matrix);
  lb_free(p.sides);
  lb_free(p.unknown);
  lb_free(p.regions);
  lb_frame_distances_free(&p.distances);
  return status;
}

lbStatus lb_frame_weights(const lbVoxels *voxels, int32_t frame_count, const double *positions,
                          const lbWeightDef *def, lbWeights **out, lbError *err) {
  if (def->kind == LB_WEIGHTS_HARMONIC)
    return lb_harmonic_weights(voxels, frame_count, positions, def, out, err);
  return lb_weights_create(voxels, frame_count, positions, def, out, err);
}
