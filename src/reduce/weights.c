// Weights of frames from distances: see weights.h for the formulas.
#include "reduce/weights.h"

#include "reduce/frame_distances.h"

#include <string.h>

const char *const *lb_weight_kind_names(void) {
  static const char *const names[] = { "harmonic", "geodesic", "euclidean", "linear",
                                       "spline",   "painted",  NULL };
  return names;
}

lbWeightDef lb_weight_def(void) { return (lbWeightDef){ .kind = LB_WEIGHTS_GEODESIC }; }

lbStatus lb_weights_create_empty(int32_t frame_count, int32_t voxel_count, lbWeights **out,
                                 lbError *err) {
  lbWeights *field = lb_alloc(1, sizeof *field);
  if (!field) return lb_fail_memory(err);
  *field = (lbWeights){ .frame_count = frame_count, .voxel_count = voxel_count };
  field->weights = lb_alloc((size_t)frame_count * (size_t)voxel_count, sizeof *field->weights);
  if (!field->weights) {
    lb_free(field);
    return lb_fail_memory(err);
  }
  *out = field;
  return LB_OK;
}

void lb_weights_destroy(lbWeights *field) {
  if (!field) return;
  lb_free(field->weights);
  lb_free(field);
}

void lb_weights_normalise(lbWeights *field) {
  size_t stride = (size_t)field->voxel_count;
  for (size_t v = 0; v < stride; v++) {
    double sum = 0;
    for (size_t f = 0; f < (size_t)field->frame_count; f++) {
      double *w = &field->weights[f * stride + v];
      *w = fmin(fmax(*w, 0), 1);
      sum += *w;
    }
    for (size_t f = 0; f < (size_t)field->frame_count; f++) field->weights[f * stride + v] /= sum;
  }
}

// ---- weights of one voxel: d (frames) becomes w ------------------------------------------------

typedef struct Shape {
  lbWeightKind kind;
  int32_t frame_count;
  double radius, cutoff, smallest; // smallest: e that counts as 0
  const bool *painted;
  const double *between; // (frames x frames)
} Shape;

static void give_all(double *w, int32_t count, int32_t frame) {
  for (int32_t i = 0; i < count; i++) w[i] = i == frame;
}

static void normalise(double *w, int32_t count) {
  double sum = 0;
  for (int32_t i = 0; i < count; i++) sum += w[i];
  for (int32_t i = 0; i < count; i++) w[i] /= sum;
}

static double edge_distance(const Shape *shape, const double *d, int32_t i) {
  return d[i] - (shape->painted[i] ? 0 : shape->radius);
}

static void by_distance(const Shape *shape, double *d) {
  int32_t nearest = 0;
  for (int32_t i = 1; i < shape->frame_count; i++)
    if (edge_distance(shape, d, i) < edge_distance(shape, d, nearest)) nearest = i;
  // In units of the nearest one's distance: nothing overflows.
  double unit = edge_distance(shape, d, nearest);
  if (unit <= shape->smallest) {
    give_all(d, shape->frame_count, nearest);
    return;
  }
  for (int32_t i = 0; i < shape->frame_count; i++) {
    double e = edge_distance(shape, d, i);
    double end =
        shape->cutoff > 0 ? shape->cutoff - (shape->painted[i] ? 0 : shape->radius) : INFINITY;
    double root = e < end ? unit / e - unit / end : 0;
    d[i] = root * root;
  }
  normalise(d, shape->frame_count);
}

// w (frames) from d (frames), apart
static void linear(const Shape *shape, const double *d, double *w) {
  int32_t count = shape->frame_count;
  for (int32_t i = 0; i < count; i++) {
    double least = isfinite(d[i]) ? 1 : 0;
    for (int32_t j = 0; j < count && least > 0; j++) {
      double length = shape->between[i * count + j];
      if (j == i || !isfinite(d[j]) || !isfinite(length)) continue;
      // (d_i + d_j)(d_i - d_j) rather than a difference of squares
      least = fmin(least, 0.5 - (d[i] + d[j]) * (d[i] - d[j]) / (2 * length * length));
    }
    w[i] = fmax(least, 0);
  }
  normalise(w, count);
}

// From linear weights of a chain to Catmull–Rom's, the points before the first and after the last
// being mirrored.
static void spline(const Shape *shape, double *w) {
  int32_t count = shape->frame_count, last = count - 1;
  if (count < 3) return;
  double s = 0;
  for (int32_t i = 0; i < count; i++) s += i * w[i];
  int32_t k = s < last ? (int32_t)s : last - 1;
  double f = s - k, f2 = f * f, f3 = f2 * f;
  double part[4] = { 0.5 * (-f + 2 * f2 - f3), 0.5 * (2 - 5 * f2 + 3 * f3),
                     0.5 * (f + 4 * f2 - 3 * f3), 0.5 * (f3 - f2) };
  memset(w, 0, (size_t)count * sizeof *w);
  for (int32_t i = 0; i < 4; i++) {
    int32_t at = k - 1 + i;
    if (at < 0)
      w[0] += 2 * part[i], w[1] -= part[i];
    else if (at > last)
      w[last] += 2 * part[i], w[last - 1] -= part[i];
    else
      w[at] += part[i];
  }
}

// d and w (frames)
static void make_weights_weights(const Shape *shape, double *d, double *w) {
  switch (shape->kind) {
  case LB_WEIGHTS_LINEAR:
  case LB_WEIGHTS_SPLINE:
    linear(shape, d, w);
    if (shape->kind == LB_WEIGHTS_SPLINE) spline(shape, w);
    return;
  default: by_distance(shape, d); memcpy(w, d, (size_t)shape->frame_count * sizeof *w);
  }
}

// ---- fields ------------------------------------------------------------------------------------

// The cut-off that is used: none, or one that leaves no voxel without a frame.
static double reaching_cutoff(const lbFrameDistances *distances, int32_t voxel_count,
                              double cutoff) {
  double reach = 0;
  if (cutoff == 0) return 0;
  for (int32_t v = 0; v < voxel_count; v++) {
    double nearest = INFINITY;
    for (int32_t f = 0; f < distances->frame_count; f++)
      nearest = fmin(nearest, distances->from[(size_t)f * (size_t)voxel_count + (size_t)v]);
    reach = fmax(reach, nearest);
  }
  return fmax(cutoff, 1.1 * reach);
}

static lbStatus choose_lengths(const lbWeightDef *def, const lbFrameDistances *distances,
                               lbWeights *field, lbError *err) {
  if (def->kind == LB_WEIGHTS_LINEAR || def->kind == LB_WEIGHTS_SPLINE) return LB_OK;
  field->radius = def->radius > 0 ? def->radius : distances->default_radius;
  field->cutoff = reaching_cutoff(distances, field->voxel_count, def->cutoff);
  if (field->cutoff > 0 && field->cutoff <= field->radius)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "the cut-off of weights, %g m, must be greater than the radius of a frame's own "
                   "region, %g m",
                   field->cutoff, field->radius);
  return LB_OK;
}

// room (2 frames)
static void fill_of_weights(lbWeights *field, const Shape *shape, const double *distances,
                            const int32_t *owners, double *room) {
  size_t stride = (size_t)field->voxel_count;
  int32_t count = field->frame_count;
  double *d = room, *w = room + count;
  for (int32_t v = 0; v < field->voxel_count; v++) {
    for (int32_t f = 0; f < count; f++) d[f] = distances[(size_t)f * stride + (size_t)v];
    if (owners && owners[v] >= 0)
      give_all(w, count, owners[v]);
    else
      make_weights_weights(shape, d, w);
    for (int32_t f = 0; f < count; f++) field->weights[(size_t)f * stride + (size_t)v] = w[f];
  }
}

lbStatus lb_weights_create(const lbVoxels *voxels, int32_t frame_count, const double *positions,
                           const lbWeightDef *def, lbWeights **out, lbError *err) {
  if (def->kind == LB_WEIGHTS_HARMONIC || def->kind == LB_WEIGHTS_PAINTED ||
      (unsigned)def->kind >= LB_WEIGHT_KIND_COUNT)
    return lb_fail(err, LB_ERR_ARGUMENT, "weights of kind %d are not made from distances",
                   (int)def->kind);
  lbFrameDistances distances;
  lbStatus status = lb_frame_distances_create(voxels, frame_count, positions, def, &distances, err);
  if (status) return status;
  lbWeights *field = NULL;
  double *room = lb_alloc(2 * (size_t)frame_count, sizeof *room);
  status =
      room ? lb_weights_create_empty(frame_count, voxels->count, &field, err) : lb_fail_memory(err);
  if (!status) status = choose_lengths(def, &distances, field, err);
  if (status) {
    lb_weights_destroy(field);
  } else {
    Shape shape = {
      def->kind,         frame_count,      field->radius, field->cutoff, 1e-9 * voxels->grid->cell,
      distances.painted, distances.between
    };
    fill_of_weights(field, &shape, distances.from, def->owners, room);
    *out = field;
  }
  lb_free(room);
  lb_frame_distances_free(&distances);
  return status;
}
