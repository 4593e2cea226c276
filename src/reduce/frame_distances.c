// Checks of frames, and their distances from all voxels and from each other.
#include "reduce/frame_distances.h"

// ---- checks ------------------------------------------------------------------------------------

static lbStatus check_place_frame_distances(const lbVoxels *voxels, int32_t frame, lbVec3 at,
                                            int32_t *home, lbError *err) {
  double distance;
  if (!isfinite(at.x) || !isfinite(at.y) || !isfinite(at.z))
    return lb_fail(err, LB_ERR_ARGUMENT, "frame %d has a place that is not a number: %g %g %g",
                   (int)frame, at.x, at.y, at.z);
  *home = lb_voxels_nearest(voxels, at, &distance);
  if (distance > 0)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "frame %d at %g %g %g lies outside the object, %g m from its nearest voxel",
                   (int)frame, at.x, at.y, at.z, distance);
  return LB_OK;
}

static lbStatus check_parts_frame_distances(const lbVoxels *voxels, const int32_t *frame_of,
                                            lbError *err) {
  for (int32_t part = 0; part < voxels->part_count; part++) {
    int32_t first = -1, count = 0;
    bool found = false;
    for (int32_t v = 0; v < voxels->count; v++) {
      if (voxels->parts[v] != part) continue;
      if (first < 0) first = v;
      count++;
      found |= frame_of[v] >= 0;
    }
    if (found) continue;
    lbVec3 at = lb_voxels_centre(voxels, first);
    return lb_fail(
        err, LB_ERR_ARGUMENT,
        "the object is in %d parts, and part %d (%d voxels, one of them at %g %g %g) has "
        "no frame",
        (int)voxels->part_count, (int)part, (int)count, at.x, at.y, at.z);
  }
  return LB_OK;
}

lbStatus lb_frames_check(const lbVoxels *voxels, int32_t frame_count, const double *positions,
                         int32_t *homes, lbError *err) {
  if (frame_count < 1)
    return lb_fail(err, LB_ERR_ARGUMENT, "%d frames were given, a body needs at least one",
                   (int)frame_count);
  int32_t *frame_of = lb_alloc((size_t)voxels->count, sizeof *frame_of);
  if (!frame_of) return lb_fail_memory(err);
  for (int32_t v = 0; v < voxels->count; v++) frame_of[v] = -1;
  lbStatus status = LB_OK;
  for (int32_t f = 0; f < frame_count && !status; f++) {
    int32_t home = 0;
    lbVec3 at = lb_vec3_load(positions + 3 * (size_t)f);
    status = check_place_frame_distances(voxels, f, at, &home, err);
    if (status) break;
    if (frame_of[home] >= 0)
      status = lb_fail(err, LB_ERR_ARGUMENT,
                       "frames %d and %d lie in one voxel, at %g %g %g: move one of them, or use "
                       "smaller voxels than %g m",
                       (int)frame_of[home], (int)f, at.x, at.y, at.z, voxels->grid->cell);
    frame_of[home] = f;
    if (homes) homes[f] = home;
  }
  if (!status) status = check_parts_frame_distances(voxels, frame_of, err);
  lb_free(frame_of);
  return status;
}

static lbStatus check_owners(const lbVoxels *voxels, int32_t frame_count, const int32_t *owners,
                             const int32_t *homes, lbError *err) {
  for (int32_t v = 0; v < voxels->count; v++)
    if (owners[v] < -1 || owners[v] >= frame_count)
      return lb_fail(err, LB_ERR_ARGUMENT, "voxel %d belongs to frame %d, there are %d (from 0)",
                     (int)v, (int)owners[v], (int)frame_count);
  for (int32_t f = 0; f < frame_count; f++)
    if (owners[homes[f]] >= 0 && owners[homes[f]] != f)
      return lb_fail(err, LB_ERR_ARGUMENT, "frame %d lies in the rigid region of frame %d", (int)f,
                     (int)owners[homes[f]]);
  return LB_OK;
}

static lbStatus check_def_frame_distances(const lbWeightDef *def, lbError *err) {
  if (!(def->radius >= 0) || !isfinite(def->radius))
    return lb_fail(
        err, LB_ERR_ARGUMENT,
        "the radius of frames is %g, use a length, or 0 for that of the frames' distance",
        def->radius);
  if (!(def->cutoff >= 0) || !isfinite(def->cutoff))
    return lb_fail(err, LB_ERR_ARGUMENT, "the cut-off of weights is %g, use a length or 0 for none",
                   def->cutoff);
  return LB_OK;
}

// ---- distances ---------------------------------------------------------------------------------

static bool owns_region(const lbVoxels *voxels, const int32_t *owners, int32_t frame) {
  if (!owners) return false;
  for (int32_t v = 0; v < voxels->count; v++)
    if (owners[v] == frame) return true;
  return false;
}

static void straight_distances(const lbVoxels *voxels, lbVec3 point, double *distances) {
  for (int32_t v = 0; v < voxels->count; v++)
    distances[v] = lb_length(lb_sub(lb_voxels_centre(voxels, v), point));
}

static void straight_region_distances(const lbVoxels *voxels, const int32_t *owners, int32_t owner,
                                      double *distances) {
  for (int32_t v = 0; v < voxels->count; v++) {
    lbVec3 at = lb_voxels_centre(voxels, v);
    double nearest = INFINITY;
    for (int32_t o = 0; o < voxels->count; o++) {
      if (owners[o] != owner) continue;
      lbVec3 way = lb_sub(lb_voxels_centre(voxels, o), at);
      nearest = fmin(nearest, lb_dot(way, way));
    }
    distances[v] = sqrt(nearest);
  }
}

static lbStatus measure_frame_distances(const lbVoxels *voxels, const double *positions,
                                        const lbWeightDef *def, lbFrameDistances *made,
                                        lbError *err) {
  for (int32_t f = 0; f < made->frame_count; f++) {
    double *own = made->from + (size_t)f * (size_t)voxels->count;
    lbVec3 at = lb_vec3_load(positions + 3 * (size_t)f);
    lbStatus status = LB_OK;
    made->painted[f] = owns_region(voxels, def->owners, f);
    if (def->kind == LB_WEIGHTS_EUCLIDEAN) {
      if (made->painted[f])
        straight_region_distances(voxels, def->owners, f, own);
      else
        straight_distances(voxels, at, own);
    } else if (made->painted[f]) {
      status = lb_voxels_region_distances(voxels, def->owners, f, own, err);
    } else {
      status = lb_voxels_distances(voxels, at, made->homes[f], INFINITY, own, err);
    }
    if (status) return status;
  }
  return LB_OK;
}

// Between two frames: exact where the straight line stays inside. Of a painted region: of its
// nearest voxel.
static double frame_distance(const lbVoxels *voxels, const double *positions,
                             const lbFrameDistances *made, int32_t i, int32_t j) {
  const double *from_i = made->from + (size_t)i * (size_t)voxels->count;
  const double *from_j = made->from + (size_t)j * (size_t)voxels->count;
  if (made->painted[i] || made->painted[j]) {
    double nearest = INFINITY;
    for (int32_t v = 0; v < voxels->count; v++) nearest = fmin(nearest, from_i[v] + from_j[v]);
    return nearest;
  }
  const int32_t *homes = made->homes;
  lbVec3 a = lb_vec3_load(positions + 3 * (size_t)i), b = lb_vec3_load(positions + 3 * (size_t)j);
  bool seen = from_i[homes[j]] == lb_length(lb_sub(lb_voxels_centre(voxels, homes[j]), a));
  return seen ? lb_length(lb_sub(b, a)) : 0.5 * (from_i[homes[j]] + from_j[homes[i]]);
}

static void measure_frames(const lbVoxels *voxels, const double *positions,
                           lbFrameDistances *made) {
  int32_t count = made->frame_count;
  double least = INFINITY;
  for (int32_t i = 0; i < count; i++)
    for (int32_t j = 0; j < i; j++) {
      double distance = frame_distance(voxels, positions, made, i, j);
      made->between[i * count + j] = made->between[j * count + i] = distance;
      least = fmin(least, distance);
    }
  made->default_radius = LB_WEIGHT_RADIUS * (isfinite(least) ? least : voxels->grid->cell);
}

static lbStatus take_memory_frame_distances(lbFrameDistances *made, int32_t voxel_count,
                                            lbError *err) {
  size_t count = (size_t)made->frame_count;
  made->homes = lb_alloc(count, sizeof *made->homes);
  made->painted = lb_alloc(count, sizeof *made->painted);
  made->from = lb_alloc(count * (size_t)voxel_count, sizeof *made->from);
  made->between = lb_alloc(count * count, sizeof *made->between);
  return made->homes && made->painted && made->from && made->between ? LB_OK : lb_fail_memory(err);
}

lbStatus lb_frame_distances_create(const lbVoxels *voxels, int32_t frame_count,
                                   const double *positions, const lbWeightDef *def,
                                   lbFrameDistances *out, lbError *err) {
  lbFrameDistances made = { .frame_count = frame_count };
  lbStatus status = check_def_frame_distances(def, err);
  if (!status) status = lb_frames_check(voxels, frame_count, positions, NULL, err);
  if (status) return status;
  status = take_memory_frame_distances(&made, voxels->count, err);
  if (!status) status = lb_frames_check(voxels, frame_count, positions, made.homes, err);
  if (!status && def->owners)
    status = check_owners(voxels, frame_count, def->owners, made.homes, err);
  if (!status) status = measure_frame_distances(voxels, positions, def, &made, err);
  if (status) {
    lb_frame_distances_free(&made);
    return status;
  }
  measure_frames(voxels, positions, &made);
  *out = made;
  return LB_OK;
}

void lb_frame_distances_free(lbFrameDistances *made) {
  lb_free(made->homes);
  lb_free(made->painted);
  lb_free(made->from);
  lb_free(made->between);
}
