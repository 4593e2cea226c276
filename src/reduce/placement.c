// Frames at the centres of clusters: E = Σ_v m_v min_i d_i(v)², d inside the object, is lowered by
// moving each frame to the voxel of its cluster that is nearest to the cluster's centre of mass
// (Lloyd's algorithm), begun with one frame in each part and then at the voxels with the
// largest shares of E.
#include "reduce/placement.h"

#include <string.h>

enum { ITERATIONS_MOST = 40 };

int32_t lb_voxels_find(const lbVoxels *voxels, lbVec3 point) {
  double distance;
  int32_t voxel = lb_voxels_nearest(voxels, point, &distance);
  return distance == 0 ? voxel : -1;
}

typedef struct Clusters {
  const lbVoxels *voxels;
  const double *masses; // (voxels) or NULL
  int32_t given;        // frames that stay where they are
  int32_t count;        // frames placed so far
  int32_t *frames;      // (count) voxel of each frame
  double *positions;    // (3 x given) of those
  double *nearest;      // (voxels) distance to the nearest frame
  int32_t *cluster;     // (voxels) that frame
  double *distances;    // (voxels) from one frame
} Clusters;

static double mass_of(const Clusters *c, int32_t voxel) { return c->masses ? c->masses[voxel] : 1; }

// ---- assignment --------------------------------------------------------------------------------

static lbStatus join_frame(Clusters *c, int32_t frame, lbError *err) {
  int32_t voxel = c->frames[frame];
  lbVec3 at = frame < c->given ? lb_vec3_load(c->positions + 3 * (size_t)frame)
                               : lb_voxels_centre(c->voxels, voxel);
  lbStatus status = lb_voxels_distances(c->voxels, at, voxel, INFINITY, c->distances, err);
  if (status) return status;
  for (int32_t v = 0; v < c->voxels->count; v++)
    if (c->distances[v] < c->nearest[v]) c->nearest[v] = c->distances[v], c->cluster[v] = frame;
  return LB_OK;
}

static void release_clusters(Clusters *c) {
  for (int32_t v = 0; v < c->voxels->count; v++) c->nearest[v] = INFINITY, c->cluster[v] = -1;
}

// A voxel's share of E.
static double weighted_distance2(const Clusters *c, int32_t voxel) {
  return mass_of(c, voxel) * c->nearest[voxel] * c->nearest[voxel];
}

static double energy(const Clusters *c) {
  double sum = 0;
  for (int32_t v = 0; v < c->voxels->count; v++) sum += weighted_distance2(c, v);
  return sum;
}

// ---- centres -----------------------------------------------------------------------------------

// centres (count): the voxel of each set nearest to the set's centre of mass, of those with a mass
// unless there are none; sets (voxels) numbers them. sums (4 count) is room.
static void find_placement_centres(const Clusters *c, const int32_t *sets, int32_t count,
                                   double *sums, int32_t *centres) {
  const lbVoxels *voxels = c->voxels;
  memset(sums, 0, 4 * (size_t)count * sizeof *sums);
  for (int32_t v = 0; v < voxels->count; v++) {
    double *sum = sums + 4 * (size_t)sets[v], mass = mass_of(c, v);
    lb_vec3_store(sum, lb_add_scaled(lb_vec3_load(sum), mass, lb_voxels_centre(voxels, v)));
    sum[3] += mass;
  }
  for (int32_t k = 0; k < count; k++) {
    centres[k] = -1;
    if (sums[4 * k + 3] > 0)
      lb_vec3_store(sums + 4 * k, lb_scale(1 / sums[4 * k + 3], lb_vec3_load(sums + 4 * k)));
    sums[4 * k + 3] = INFINITY; // from here on: the least squared distance
  }
  for (int32_t v = 0; v < voxels->count; v++) {
    double *sum = sums + 4 * (size_t)sets[v];
    if (mass_of(c, v) <= 0) continue;
    lbVec3 way = lb_sub(lb_voxels_centre(voxels, v), lb_vec3_load(sum));
    // Rounding must not decide between voxels that are equally near.
    if (lb_dot(way, way) < sum[3] * (1 - 1e-9)) sum[3] = lb_dot(way, way), centres[sets[v]] = v;
  }
  for (int32_t v = 0; v < voxels->count; v++)
    if (centres[sets[v]] < 0) centres[sets[v]] = v;
}

// ---- the search --------------------------------------------------------------------------------

// Whether a part has a frame among those placed so far.
static bool is_covered(const Clusters *c, int32_t part) {
  for (int32_t k = 0; k < c->count; k++)
    if (c->voxels->parts[c->frames[k]] == part) return true;
  return false;
}

// The given ones, one in each part that has none of them, and then the rest. centres (parts), sums
// (4 of the more of parts and frames) are room.
static lbStatus place_first(Clusters *c, int32_t wanted, double *sums, int32_t *centres,
                            lbError *err) {
  const lbVoxels *voxels = c->voxels;
  lbStatus status = LB_OK;
  release_clusters(c);
  for (; c->count < c->given && !status; c->count++) status = join_frame(c, c->count, err);
  find_placement_centres(c, voxels->parts, voxels->part_count, sums, centres);
  for (int32_t part = 0; part < voxels->part_count && !status; part++) {
    if (is_covered(c, part)) continue;
    c->frames[c->count] = centres[part];
    status = join_frame(c, c->count++, err);
  }
  for (; c->count < wanted && !status; c->count++) {
    int32_t farthest = 0;
    for (int32_t v = 1; v < voxels->count; v++)
      if (weighted_distance2(c, v) > weighted_distance2(c, farthest) * (1 + 1e-9)) farthest = v;
    c->frames[c->count] = farthest;
    status = join_frame(c, c->count, err);
  }
  return status;
}

static lbStatus assign(Clusters *c, lbError *err) {
  lbStatus status = LB_OK;
  release_clusters(c);
  for (int32_t k = 0; k < c->count && !status; k++) status = join_frame(c, k, err);
  return status;
}

// kept (count) is room.
static lbStatus improve_clusters(Clusters *c, double *sums, int32_t *kept, lbError *err) {
  double before = energy(c);
  for (int k = 0; k < ITERATIONS_MOST; k++) {
    memcpy(kept, c->frames, (size_t)c->count * sizeof *kept);
    find_placement_centres(c, c->cluster, c->count, sums, c->frames);
    memcpy(c->frames, kept, (size_t)c->given * sizeof *kept);
    lbStatus status = assign(c, err);
    if (status) return status;
    double after = energy(c);
    if (after < before * (1 - 1e-9)) {
      before = after;
      continue;
    }
    memcpy(c->frames, kept, (size_t)c->count * sizeof *kept);
    break;
  }
  return LB_OK;
}

// frames (given) <- voxels of the given frames.
static lbStatus check_given_frames(const lbVoxels *voxels, int32_t given, int32_t count,
                                   const double *positions, int32_t *frames, lbError *err) {
  if (count < 1)
    return lb_fail(err, LB_ERR_ARGUMENT, "%d frames were asked for, use at least one", (int)count);
  if (count > voxels->count)
    return lb_fail(
        err, LB_ERR_ARGUMENT,
        "%d frames were asked for, more than the object has voxels, %d: take more samples",
        (int)count, (int)voxels->count);
  LB_ASSERT(given >= 0 && given <= count);
  for (int32_t k = 0; k < given; k++) {
    lbVec3 at = lb_vec3_load(positions + 3 * (size_t)k);
    frames[k] = lb_voxels_find(voxels, at);
    if (frames[k] < 0)
      return lb_fail(err, LB_ERR_ARGUMENT, "frame %d at %g %g %g lies outside the object", (int)k,
                     at.x, at.y, at.z);
  }
  return LB_OK;
}

static lbStatus check_placement_parts(const Clusters *c, int32_t count, lbError *err) {
  const lbVoxels *voxels = c->voxels;
  int32_t left = count - c->given;
  Clusters given = *c;
  given.count = c->given;
  for (int32_t part = 0; part < voxels->part_count; part++) {
    if (is_covered(&given, part) || left-- > 0) continue;
    int32_t first = 0;
    while (voxels->parts[first] != part) first++;
    lbVec3 at = lb_voxels_centre(voxels, first);
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "the object is in %d parts and each needs a frame: with %d the part at %g %g %g "
                   "has none",
                   (int)voxels->part_count, (int)count, at.x, at.y, at.z);
  }
  return LB_OK;
}

lbStatus lb_frames_place(const lbVoxels *voxels, const double *masses, int32_t count,
                         double *positions, lbError *err) {
  return lb_frames_place_around(voxels, masses, 0, count, positions, err);
}

lbStatus lb_frames_place_around(const lbVoxels *voxels, const double *masses, int32_t given,
                                int32_t count, double *positions, lbError *err) {
  size_t voxel_count = (size_t)voxels->count, frame_count = count > 0 ? (size_t)count : 1;
  size_t most = frame_count > (size_t)voxels->part_count ? frame_count : (size_t)voxels->part_count;
  Clusters c = { .voxels = voxels, .masses = masses, .given = given, .positions = positions };
  c.frames = lb_alloc(frame_count, sizeof *c.frames);
  c.nearest = lb_alloc(voxel_count, sizeof *c.nearest);
  c.cluster = lb_alloc(voxel_count, sizeof *c.cluster);
  c.distances = lb_alloc(voxel_count, sizeof *c.distances);
  double *sums = lb_alloc(4 * most, sizeof *sums);
  int32_t *kept = lb_alloc(most, sizeof *kept);
  bool whole = c.frames && c.nearest && c.cluster && c.distances && sums && kept;
  lbStatus status = whole ? LB_OK : lb_fail_memory(err);
  if (!status) status = check_given_frames(voxels, given, count, positions, c.frames, err);
  if (!status) status = check_placement_parts(&c, count, err);
  if (!status) status = place_first(&c, count, sums, kept, err);
  if (!status) status = improve_clusters(&c, sums, kept, err);
  for (int32_t k = given; k < count && !status; k++)
    lb_vec3_store(positions + 3 * (size_t)k, lb_voxels_centre(voxels, c.frames[k]));
  lb_free(c.frames);
  lb_free(c.nearest);
  lb_free(c.cluster);
  lb_free(c.distances);
  lb_free(sums);
  lb_free(kept);
  return status;
}

// ---- joints ------------------------------------------------------------------------------------

static int32_t nearest_free(const lbVoxels *voxels, const bool *taken, lbVec3 at) {
  int32_t best = -1;
  double least = INFINITY;
  for (int32_t v = 0; v < voxels->count; v++) {
    lbVec3 way = lb_sub(lb_voxels_centre(voxels, v), at);
    if (!taken[v] && lb_dot(way, way) < least) least = lb_dot(way, way), best = v;
  }
  return best;
}

lbStatus lb_frames_snap(const lbVoxels *voxels, int32_t count, double *positions, double *farthest,
                        lbError *err) {
  if (count > voxels->count)
    return lb_fail(err, LB_ERR_ARGUMENT, "there are %d joints, the object has %d voxels",
                   (int)count, (int)voxels->count);
  bool *taken = lb_alloc((size_t)voxels->count, sizeof *taken);
  if (!taken) return lb_fail_memory(err);
  double most = 0;
  for (int32_t k = 0; k < count; k++) {
    lbVec3 at = lb_vec3_load(positions + 3 * (size_t)k);
    int32_t voxel = lb_voxels_find(voxels, at);
    if (voxel < 0 || taken[voxel]) {
      voxel = nearest_free(voxels, taken, at);
      lbVec3 centre = lb_voxels_centre(voxels, voxel);
      most = fmax(most, lb_length(lb_sub(centre, at)));
      lb_vec3_store(positions + 3 * (size_t)k, centre);
    }
    taken[voxel] = true;
  }
  if (farthest) *farthest = most;
  lb_free(taken);
  return LB_OK;
}
