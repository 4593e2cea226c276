// A model with the method "frames": the object as voxels, a sample in each, and weights of frames
// at samples and at the nodes of the volume mesh.
#include "limber/reduce.h"

#include "reduce/weights.h"
#include "reduce/frame_cubature.h"
#include "reduce/harmonic.h"
#include "reduce/painted.h"
#include "reduce/object.h"
#include "reduce/placement.h"
#include "reduce/projection.h"
#include "reduce/voxel_body.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LIST_MOST 16      // frames at a sample or node
#define WEIGHT_LEAST 1e-3 // weights below this, whose change over a voxel is too, are left out
#define FADE 0.005        // weights below this become 0, those above FADE_MOST of it stay
#define FADE_MOST 4.0

lbFramesDef lb_frames_def(void) { return (lbFramesDef){ .count = 7, .samples = 2000 }; }

static const char *const force_names[] = { "samples", "springs", NULL };
static const char *const mass_names[] = { "full", "lumped", NULL };

const char *const *lb_frames_weight_names(void) { return lb_weight_kind_names(); }
const char *const *lb_frames_force_names(void) { return force_names; }
const char *const *lb_frames_mass_names(void) { return mass_names; }

static lbStatus check(const lbReduceDef *def, const lbFramesDef *frames, lbError *err) {
  if (frames->count < 1 || frames->count > LB_FRAMES_MOST)
    return lb_fail(err, LB_ERR_ARGUMENT, "model \"%s\": %d frames, there must be 1 to %d",
                   def->name, (int)frames->count, LB_FRAMES_MOST);
  if (frames->forces == LB_FRAME_SPRINGS && frames->count > LB_SPRING_FRAMES_MOST)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "model \"%s\": springs of %d frames, up to %d can have them", def->name,
                   (int)frames->count, LB_SPRING_FRAMES_MOST);
  if (frames->weights < 0 || frames->weights >= LB_WEIGHT_KIND_COUNT || (int)frames->forces < 0 ||
      frames->forces >= LB_FRAME_FORCES_COUNT || (int)frames->mass < 0 ||
      frames->mass >= LB_FRAME_MASS_COUNT)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "model \"%s\": weights %d, forces %d or mass %d is not in its enumeration",
                   def->name, (int)frames->weights, (int)frames->forces, (int)frames->mass);
  if (!(frames->radius >= 0 && isfinite(frames->radius) && frames->cutoff >= 0 &&
        isfinite(frames->cutoff) && frames->bulk >= 0 && isfinite(frames->bulk)))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "model \"%s\": radius %g, cut-off %g and bulk %g must be 0 or more", def->name,
                   frames->radius, frames->cutoff, frames->bulk);
  if (frames->samples < 1)
    return lb_fail(err, LB_ERR_ARGUMENT, "model \"%s\": %d samples, there must be 1 or more",
                   def->name, (int)frames->samples);
  if (frames->sample_limit < 0 || !(frames->sample_error >= 0 && frames->sample_error < 1))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "model \"%s\": sample_limit %d and sample_error %g must be 0 or more, and the "
                   "error below 1",
                   def->name, (int)frames->sample_limit, frames->sample_error);
  if (frames->joint_count < 0 || frames->joint_count > frames->count ||
      (frames->joint_count > 0 && !frames->positions))
    return lb_fail(err, LB_ERR_ARGUMENT, "model \"%s\": %d joints of %d frames, with %s positions",
                   def->name, (int)frames->joint_count, (int)frames->count,
                   frames->positions ? "their" : "no");
  bool chain = frames->positions && frames->joint_count == 0;
  if (frames->weights == LB_WEIGHTS_SPLINE && frames->count > 2 && !chain)
    return lb_fail(
        err, LB_ERR_ARGUMENT,
        "model \"%s\": weights by splines follow a chain of frames: give their positions "
        "in its order",
        def->name);
  bool painted = frames->weights == LB_WEIGHTS_PAINTED;
  if (painted && !(frames->painted_mesh && frames->painted_weights && frames->painted_count >= 1 &&
                   frames->painted_count <= frames->count))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "model \"%s\": painted weights of %d of %d frames; they need a mesh, and 1 or "
                   "more frames",
                   def->name, (int)frames->painted_count, (int)frames->count);
  if (frames->rigid_count < 0 || frames->rigid_count > frames->count ||
      (frames->rigid_count > 0 && !frames->rigid))
    return lb_fail(err, LB_ERR_ARGUMENT, "model \"%s\": %d rigid regions of %d frames", def->name,
                   (int)frames->rigid_count, (int)frames->count);
  for (int32_t i = 0; i < frames->fixed_count; i++)
    if (frames->fixed[i] < 0 || frames->fixed[i] >= frames->count)
      return lb_fail(err, LB_ERR_ARGUMENT, "model \"%s\": fixed frame %d, there are %d", def->name,
                     (int)frames->fixed[i], (int)frames->count);
  return LB_OK;
}

// ---- lists of weights --------------------------------------------------------------------------

typedef struct Lists {
  int32_t *begin, *frames;
  double *values; // (entries x stride): w, and ∇w if stride is 4
  int32_t entries;
} Lists;

static lbStatus make_frame_lists(lbArena *arena, int32_t points, int32_t frame_count, size_t stride,
                                 Lists *lists, lbError *err) {
  size_t most = (size_t)points * (size_t)(frame_count < LIST_MOST ? frame_count : LIST_MOST);
  lists->begin = lb_arena_alloc(arena, (size_t)points + 1, sizeof *lists->begin);
  lists->frames = lb_arena_alloc(arena, most, sizeof *lists->frames);
  lists->values = lb_arena_alloc(arena, most, stride * sizeof *lists->values);
  lists->entries = 0;
  bool all = lists->begin && lists->frames && lists->values;
  return all ? LB_OK : lb_fail_memory(err);
}

// How much a frame does over a voxel around the point.
static double reach(double cell, const double *values, const double *gradients, int32_t i) {
  return fabs(values[i]) + cell * lb_length(lb_vec3_load(gradients + 3 * i));
}

// Weights that end nowhere are the most of a step's work where they are next to nothing: below
// 4 FADE they go to 0 with zero slope, w <- FADE (9 t² − 5 t³), t = (w / FADE − 1) / 3, and all to
// the sum 1.
static void fade(int32_t frame_count, double *values, double *gradients) {
  double sum = 0;
  lbVec3 slope = lb_vec3(0, 0, 0);
  for (int32_t i = 0; i < frame_count; i++) {
    double t = fmax(values[i] / FADE - 1, 0) / (FADE_MOST - 1);
    double by = t < 1 ? (6 - 5 * t) * t : 1;
    if (t < 1) values[i] = FADE * (9 - 5 * t) * t * t;
    lb_vec3_store(gradients + 3 * i, lb_scale(by, lb_vec3_load(gradients + 3 * i)));
    sum += values[i];
    slope = lb_add(slope, lb_vec3_load(gradients + 3 * i));
  }
  for (int32_t i = 0; i < frame_count; i++) { // the largest of up to 200 is 0.005 or more
    values[i] /= sum;
    lbVec3 own = lb_add_scaled(lb_vec3_load(gradients + 3 * i), -values[i], slope);
    lb_vec3_store(gradients + 3 * i, lb_scale(1 / sum, own));
  }
}

static void add_frame_point(Lists *lists, int32_t point, int32_t frame_count, double cell,
                            const double *values, const double *gradients, bool gradient) {
  double least = WEIGHT_LEAST;
  int32_t kept = LIST_MOST + 1;
  while (kept > LIST_MOST) { // raised until there is room
    kept = 0;
    for (int32_t i = 0; i < frame_count; i++) kept += reach(cell, values, gradients, i) > least;
    if (kept > LIST_MOST) least *= 1.5;
  }
  lists->begin[point] = lists->entries;
  for (int32_t i = 0; i < frame_count; i++) {
    if (!(reach(cell, values, gradients, i) > least)) continue;
    size_t at = (size_t)lists->entries++;
    lists->frames[at] = i;
    if (!gradient) {
      lists->values[at] = values[i];
      continue;
    }
    lists->values[4 * at] = values[i];
    memcpy(lists->values + 4 * at + 1, gradients + 3 * i, 3 * sizeof *gradients);
  }
  lists->begin[point + 1] = lists->entries;
}

// ---- the object --------------------------------------------------------------------------------

typedef struct Job {
  const lbMesh *mesh;
  const lbFem *fem;
  const lbFramesDef *def;
  lbModel *draft;
  lbArena *arena;
  lbVoxelBody *body;
  lbWeights *weights;
  double *positions; // (frames x 3)
  int32_t *owners;   // (voxels) region, then frame, to which a voxel belongs, or -1; NULL: none
  lbFrameCubature *cubature; // NULL: all samples
} Job;

// ---- painted regions ---------------------------------------------------------------------------

static lbStatus find_frame_regions(Job *job, lbError *err) {
  const lbFramesDef *def = job->def;
  if (def->rigid_count == 0) return LB_OK;
  job->owners = lb_arena_alloc(job->arena, (size_t)job->body->voxels->count, sizeof *job->owners);
  if (!job->owners) return lb_fail_memory(err);
  lb_voxel_body_most(job->body, def->rigid, job->owners);
  return LB_OK;
}

// The voxel of a region that is nearest to the region's middle, as the place of its frame.
static lbStatus place_in_region(const Job *job, int32_t region, double *position, lbError *err) {
  const lbVoxels *voxels = job->body->voxels;
  lbVec3 middle = lb_vec3(0, 0, 0), best = middle;
  double count = 0, nearest = INFINITY;
  for (int32_t v = 0; v < voxels->count; v++)
    if (job->owners[v] == region) middle = lb_add(middle, lb_voxels_centre(voxels, v)), count++;
  if (count == 0)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "frames: rigid region %d has no voxel of its own, take more samples",
                   (int)region);
  middle = lb_scale(1 / count, middle);
  for (int32_t v = 0; v < voxels->count; v++) {
    double distance = lb_length(lb_sub(lb_voxels_centre(voxels, v), middle));
    if (job->owners[v] != region || distance >= nearest) continue;
    nearest = distance, best = lb_voxels_centre(voxels, v);
  }
  lb_vec3_store(position, best);
  return LB_OK;
}

// From regions to their frames.
static lbStatus find_owners(Job *job, lbError *err) {
  const lbVoxels *voxels = job->body->voxels;
  int32_t frames[LB_FRAMES_MOST];
  for (int32_t r = 0; r < job->def->rigid_count; r++) {
    frames[r] = -1;
    for (int32_t i = 0; i < job->def->count; i++) {
      int32_t home = lb_voxels_nearest(voxels, lb_vec3_load(job->positions + 3 * (size_t)i), NULL);
      if (job->owners[home] != r) continue;
      if (frames[r] >= 0)
        return lb_fail(err, LB_ERR_ARGUMENT, "frames: %d and %d are both in rigid region %d",
                       (int)frames[r], (int)i, (int)r);
      frames[r] = i;
    }
    if (frames[r] < 0)
      return lb_fail(err, LB_ERR_ARGUMENT, "frames: rigid region %d has no frame in it", (int)r);
  }
  for (int32_t v = 0; v < voxels->count && job->owners; v++)
    if (job->owners[v] >= 0) job->owners[v] = frames[job->owners[v]];
  return LB_OK;
}

// ---- frames and weights ------------------------------------------------------------------------

static lbStatus place_frame_joints(Job *job, const double *masses, lbError *err) {
  const lbVoxels *voxels = job->body->voxels;
  int32_t joints = job->def->joint_count;
  double farthest = 0;
  memcpy(job->positions, job->def->positions, 3 * (size_t)joints * sizeof(double));
  lbStatus status = lb_frames_snap(voxels, joints, job->positions, &farthest, err);
  if (status) return status;
  if (farthest > voxels->grid->cell)
    lb_log(LB_LOG_INFO, "joints outside the body, or too near to others, were moved by up to %g m",
           farthest);
  return lb_frames_place_around(voxels, masses, joints, job->def->count, job->positions, err);
}

// Masses without those of rigid regions, where no more frames are wanted.
static const double *elsewhere(const Job *job, const double *masses) {
  size_t count = (size_t)job->body->voxels->count;
  double *to = lb_arena_alloc(job->arena, count, sizeof *to);
  for (size_t v = 0; v < count && to; v++) to[v] = job->owners[v] >= 0 ? 0 : masses[v];
  return to ? to : masses;
}

static lbStatus make_frame_voxels(Job *job, lbError *err) {
  lbVoxelBodyDef def = lb_voxel_body_def();
  def.voxels = job->def->samples;
  lbStatus status = lb_voxel_body_create(job->mesh, &def, &job->body, err);
  if (status) return status;
  int32_t count = job->body->voxels->count, frames = job->def->count;
  size_t elements = (size_t)job->draft->size.element_count;
  double *densities = lb_arena_alloc(job->arena, elements, sizeof *densities);
  double *masses = lb_arena_alloc(job->arena, (size_t)count, sizeof *masses);
  int32_t *materials = lb_arena_alloc(job->arena, (size_t)count, sizeof *materials);
  job->positions = lb_arena_alloc(job->arena, (size_t)frames, 3 * sizeof(double));
  if (!densities || !masses || !materials || !job->positions) return lb_fail_memory(err);
  for (size_t e = 0; e < elements; e++)
    densities[e] = lb_fem_materials(job->fem)[job->draft->element_materials[e]].density;
  lb_voxel_body_mean(job->body, densities, masses);
  lb_voxel_body_most(job->body, job->draft->element_materials, materials);
  for (int32_t k = 0; k < count; k++) masses[k] *= job->body->volumes[k];
  job->draft->size.sample_count = count;
  job->draft->sample_positions = job->body->centres;
  job->draft->sample_volumes = job->body->volumes;
  job->draft->sample_masses = masses;
  job->draft->sample_materials = materials;
  status = find_frame_regions(job, err);
  if (status) return status;
  if (job->def->joint_count > 0)
    status = place_frame_joints(job, masses, err);
  else if (job->def->positions)
    memcpy(job->positions, job->def->positions, 3 * (size_t)frames * sizeof(double));
  else {
    int32_t regions = job->def->rigid_count;
    for (int32_t r = 0; r < regions && !status; r++)
      status = place_in_region(job, r, job->positions + 3 * (size_t)r, err);
    if (!status && regions > 0)
      status = lb_frames_place_around(job->body->voxels, elsewhere(job, masses), regions, frames,
                                      job->positions, err);
    else if (!status)
      status = lb_frames_place(job->body->voxels, masses, frames, job->positions, err);
  }
  return status ? status : find_owners(job, err);
}

static lbStatus paint_weights(Job *job, lbError *err) {
  const lbFramesDef *def = job->def;
  lbPainting painting = { def->painted_mesh, def->painted_count, def->painted_weights };
  return lb_painted_weights(job->body->voxels, &painting, def->count, job->positions, job->owners,
                            &job->weights, err);
}

static lbStatus make_frame_weights(Job *job, lbError *err) {
  lbWeightDef def = lb_weight_def();
  if (job->def->weights == LB_WEIGHTS_PAINTED) return paint_weights(job, err);
  def.kind = (lbWeightKind)job->def->weights;
  def.radius = job->def->radius;
  def.cutoff = job->def->cutoff;
  def.owners = job->owners;
  return lb_frame_weights(job->body->voxels, job->def->count, job->positions, &def, &job->weights,
                          err);
}

// Of all frames, as they are listed.
static void weights_at(const Job *job, int32_t home, lbVec3 X, double *values, double *gradients) {
  lbWeightKind kind = (lbWeightKind)job->def->weights;
  lb_weights_at(job->body->voxels, job->weights, home, X, values, gradients);
  if (kind == LB_WEIGHTS_LINEAR || kind == LB_WEIGHTS_SPLINE) return;
  fade(job->def->count, values, gradients);
}

static lbStatus list_weights(Job *job, lbError *err) {
  lbModel *draft = job->draft;
  const lbVoxels *voxels = job->body->voxels;
  int32_t frames = job->def->count, nodes = draft->size.node_count;
  double cell = voxels->grid->cell, values[LB_FRAMES_MOST], gradients[3 * LB_FRAMES_MOST];
  Lists at_samples, at_nodes;
  int32_t *homes = lb_arena_alloc(job->arena, (size_t)nodes, sizeof *homes);
  lbStatus status = make_frame_lists(job->arena, voxels->count, frames, 4, &at_samples, err);
  if (!status) status = make_frame_lists(job->arena, nodes, frames, 1, &at_nodes, err);
  if (!status && !homes) status = lb_fail_memory(err);
  if (status) return status;
  for (int32_t k = 0; k < voxels->count; k++) {
    weights_at(job, k, lb_vec3_load(draft->sample_positions + 3 * (size_t)k), values, gradients);
    add_frame_point(&at_samples, k, frames, cell, values, gradients, true);
  }
  for (int32_t n = 0; n < nodes; n++) {
    lbVec3 X = lb_vec3_load(draft->node_positions + 3 * (size_t)n);
    homes[n] = lb_voxels_nearest(voxels, X, NULL);
    weights_at(job, homes[n], X, values, gradients);
    add_frame_point(&at_nodes, n, frames, cell, values, gradients, false);
  }
  draft->size.sample_entry_count = at_samples.entries;
  draft->sample_begin = at_samples.begin;
  draft->sample_frames = at_samples.frames;
  draft->sample_weights = at_samples.values;
  draft->size.node_entry_count = at_nodes.entries;
  draft->node_frame_begin = at_nodes.begin;
  draft->node_frames = at_nodes.frames;
  draft->node_weights = at_nodes.values;
  draft->node_voxels = homes;
  return LB_OK;
}

// The frame with the largest weight at a node.
static int32_t owner_of(const lbModel *m, int32_t node) {
  int32_t best = m->node_frame_begin[node];
  for (int32_t e = best; e < m->node_frame_begin[node + 1]; e++)
    if (m->node_weights[e] > m->node_weights[best]) best = e;
  return m->node_frames[best];
}

static lbStatus set_frames(Job *job, lbError *err) {
  lbModel *draft = job->draft;
  size_t count = (size_t)job->def->count;
  const lbVoxelGrid *grid = job->body->voxels->grid;
  double *poses = lb_arena_alloc(job->arena, count, 7 * sizeof *poses);
  uint8_t *fixed = lb_arena_alloc(job->arena, count, 1);
  double *place = lb_arena_alloc(job->arena, 4, sizeof *place);
  int32_t *settings = lb_arena_alloc(job->arena, 3, sizeof *settings);
  if (!poses || !fixed || !place || !settings) return lb_fail_memory(err);
  for (size_t i = 0; i < count; i++) {
    memcpy(poses + 7 * i, job->positions + 3 * i, 3 * sizeof *poses);
    poses[7 * i + 6] = 1;
  }
  for (int32_t i = 0; i < job->def->fixed_count; i++) fixed[job->def->fixed[i]] = 1;
  for (int32_t n = 0; n < draft->size.node_count; n++)
    if (draft->node_fixed[n]) fixed[owner_of(draft, n)] = 1;
  place[0] = grid->origin.x, place[1] = grid->origin.y, place[2] = grid->origin.z;
  place[3] = grid->cell;
  settings[0] = (int32_t)job->def->forces, settings[1] = (int32_t)job->def->mass;
  settings[2] = job->def->weights;
  draft->size.frame_count = job->def->count;
  draft->frame_poses = poses;
  draft->frame_fixed = fixed;
  draft->frame_settings = settings;
  draft->frame_bulk = job->def->bulk > 0 ? &job->def->bulk : NULL;
  draft->voxel_grid = place;
  draft->voxel_size = grid->size;
  draft->voxel_cells = grid->cells;
  draft->size.voxel_cell_count = lb_voxel_grid_count(grid);
  return LB_OK;
}

// A frame that nothing hangs on has no mass: it must not be free.
static lbStatus check_idle(const lbModel *m, lbError *err) {
  bool used[LB_FRAMES_MOST] = { false };
  for (int32_t e = 0; e < m->size.sample_entry_count; e++)
    used[m->sample_frames[e]] |= m->sample_weights[4 * (size_t)e] > 0;
  for (int32_t i = 0; i < m->size.frame_count; i++)
    if (!used[i] && !m->frame_fixed[i])
      return lb_fail(err, LB_ERR_ARGUMENT,
                     "frame %d has no weight anywhere: give it some, fix it or drive it", (int)i);
  return LB_OK;
}

// Chooses samples and puts their shares into the draft.
static lbStatus choose_frame_samples(Job *job, lbError *err) {
  lbModel *draft = job->draft;
  const lbFramesDef *frames = job->def;
  if (frames->sample_limit == 0 && frames->sample_error == 0) return LB_OK;
  size_t entries = (size_t)draft->size.sample_entry_count;
  lbFramePose rest[LB_FRAMES_MOST];
  double *values = lb_arena_alloc(job->arena, entries, sizeof *values);
  double *gradients = lb_arena_alloc(job->arena, entries, 3 * sizeof *gradients);
  double *shares = lb_arena_alloc(job->arena, (size_t)draft->size.sample_count, 2 * sizeof *shares);
  if (!values || !gradients || !shares) return lb_fail_memory(err);
  for (size_t e = 0; e < entries; e++) {
    values[e] = draft->sample_weights[4 * e];
    memcpy(gradients + 3 * e, draft->sample_weights + 4 * e + 1, 3 * sizeof *gradients);
  }
  for (int32_t i = 0; i < frames->count; i++)
    rest[i] = (lbFramePose){ lb_quat_identity(), lb_vec3_load(job->positions + 3 * (size_t)i) };
  lbFrameSampleDef samples = { .weights = { frames->count, draft->size.sample_count,
                                            draft->sample_begin, draft->sample_frames, values,
                                            gradients },
                               .positions = draft->sample_positions,
                               .volumes = draft->sample_volumes,
                               .masses = draft->sample_masses,
                               .materials = draft->sample_materials,
                               .table = lb_fem_materials(job->fem),
                               .bulk = frames->bulk };
  lbFrameCubatureDef def = { &samples, rest, draft->frame_fixed, frames->sample_limit,
                             frames->sample_error };
  lbStatus status = lb_frame_cubature_create(&def, &job->cubature, err);
  if (status) return status;
  const lbFrameCubature *c = job->cubature;
  memset(shares, 0, 2 * (size_t)draft->size.sample_count * sizeof *shares);
  for (int32_t k = 0; k < c->count; k++) {
    size_t sample = (size_t)c->samples[k];
    shares[2 * sample] = c->volumes[k] / draft->sample_volumes[sample];
    shares[2 * sample + 1] = c->masses[k] / draft->sample_masses[sample];
  }
  draft->sample_shares = shares;
  lb_log(LB_LOG_INFO, "%d of %d samples: forces are off by %.2g, at poses of their own by %.2g",
         (int)c->count, (int)draft->size.sample_count, c->error, c->held_out);
  return LB_OK;
}

static lbStatus fill_frames_model(Job *job, const lbReduceDef *def, lbError *err) {
  double *damping = NULL;
  lbModel *draft = job->draft;
  if (draft->size.shell_count > 0 || draft->size.element_count == 0)
    return lb_fail(
        err, LB_ERR_UNSUPPORTED,
        "model \"%s\": the method \"frames\" needs tets or bricks; shells have \"full\", "
        "\"modal\" and \"subspace\"",
        def->name);
  lbStatus status = make_frame_voxels(job, err);
  if (!status) status = make_frame_weights(job, err);
  if (!status) status = list_weights(job, err);
  if (!status) status = set_frames(job, err);
  if (!status) status = check_idle(draft, err);
  if (!status) status = choose_frame_samples(job, err);
  if (!status) status = lb_keep_damping(def, job->arena, &damping, err);
  draft->frame_damping = damping;
  return status;
}

lbStatus lb_reduce_frames(const lbMesh *mesh, const lbFem *fem, const lbReduceDef *def,
                          const lbFramesDef *frames, lbModel **out, lbError *err) {
  lbArena arena = { 0 };
  lbModel draft;
  Job job = { .mesh = mesh, .fem = fem, .def = frames, .draft = &draft, .arena = &arena };
  lbStatus status = check(def, frames, err);
  if (status) return status;
  status = lb_object_draft(mesh, fem, def, &arena, &draft, err);
  if (!status) status = fill_frames_model(&job, def, err);
  if (!status) {
    char more[300];
    int used =
        snprintf(more, sizeof more,
                 "limber: " LB_VERSION "\nmethod: frames\nframes: %d, weights %s, %d samples\n",
                 (int)frames->count, lb_frames_weight_names()[frames->weights],
                 (int)draft.size.sample_count);
    if (job.cubature)
      snprintf(more + used, sizeof more - (size_t)used,
               "samples kept: %d, error %.3g, %.3g held out\n", (int)job.cubature->count,
               job.cubature->error, job.cubature->held_out);
    draft.provenance = lb_object_provenance(def, more, &arena);
    status = draft.provenance ? lb_model_create(&draft, out, err) : lb_fail_memory(err);
  }
  lb_frame_cubature_destroy(job.cubature);
  lb_voxel_body_destroy(job.body);
  lb_weights_destroy(job.weights);
  lb_arena_release(&arena);
  return status;
}
