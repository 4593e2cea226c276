// Laplace's equation on voxels (laplace.h) with c = 1/θ towards a region: its surface cuts the line
// between the centres at the share θ of a cell from the free one, where d = radius (d runs linearly
// there).
#include "reduce/harmonic.h"

#include "reduce/frame_distances.h"
#include "reduce/laplace.h"

// Below this share the matrix would be ill-conditioned for nothing: a surface so near to a centre
// is as good as at it.
static const double least_share = 0.02;

typedef struct Laplace {
  const lbVoxels *voxels;
  const lbWeightDef *def;
  lbFrameDistances distances;
  double radius;
  int32_t *regions; // (voxels) frame whose region a voxel is in, or -1
  bool *known;      // (voxels) whether it is in one
} Laplace;

static double distance_from(const Laplace *p, int32_t frame, int32_t voxel) {
  return p->distances.from[(size_t)frame * (size_t)p->voxels->count + (size_t)voxel];
}

// ---- regions -----------------------------------------------------------------------------------

static void find_harmonic_regions(Laplace *p) {
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
  for (int32_t v = 0; v < p->voxels->count; v++) p->known[v] = p->regions[v] >= 0;
}

// From a free voxel to one of a region.
static double conductance(const void *context, int32_t free, int32_t fixed) {
  const Laplace *p = context;
  int32_t frame = p->regions[fixed];
  if (p->distances.painted[frame]) return 1;
  double outside = distance_from(p, frame, free), inside = distance_from(p, frame, fixed);
  if (inside > p->radius) return 1; // the home of a frame whose radius is less than a voxel
  return 1 / fmax((outside - p->radius) / (outside - inside), least_share);
}

static lbStatus fill_field(const Laplace *p, lbWeights *field, lbError *err) {
  size_t stride = (size_t)field->voxel_count;
  lbLaplaceDef def = { p->voxels, p->known, conductance, p };
  for (int32_t v = 0; v < field->voxel_count; v++)
    if (p->known[v]) field->weights[(size_t)p->regions[v] * stride + (size_t)v] = 1;
  lbStatus status = lb_laplace_solve(&def, field->frame_count, field->weights, err);
  if (!status) lb_weights_normalise(field);
  return status;
}

// ---- the whole ---------------------------------------------------------------------------------

static lbStatus take_harmonic_memory(Laplace *p, lbError *err) {
  p->regions = lb_alloc((size_t)p->voxels->count, sizeof *p->regions);
  p->known = lb_alloc((size_t)p->voxels->count, sizeof *p->known);
  return p->regions && p->known ? LB_OK : lb_fail_memory(err);
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
  status = take_harmonic_memory(&p, err);
  if (!status) find_harmonic_regions(&p);
  if (!status) status = lb_weights_create_empty(frame_count, voxels->count, &field, err);
  if (!status) status = fill_field(&p, field, err);
  if (status) {
    lb_weights_destroy(field);
  } else {
    field->radius = p.radius;
    *out = field;
  }
  lb_free(p.known);
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
