// A model with the method "frames": the object as voxels, a sample in each, and weights of frames
// at samples and at the nodes of the volume mesh.
#include "limber/reduce.h"

#include "frames/weights.h"
#include "reduce/harmonic.h"
#include "reduce/object.h"
#include "reduce/placement.h"
#include "reduce/projection.h"
#include "reduce/voxel_body.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LIST_MOST 16      // frames at a sample or node
#define WEIGHT_LEAST 1e-3 // weights below this, whose change over a voxel is too, are left out

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

static lbStatus make_lists(lbArena *arena, int32_t points, int32_t frame_count, size_t stride,
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

static void add_point(Lists *lists, int32_t point, int32_t frame_count, double cell,
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
} Job;

static lbStatus make_voxels(Job *job, lbError *err) {
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
  if (job->def->positions)
    memcpy(job->positions, job->def->positions, 3 * (size_t)frames * sizeof(double));
  else
    status = lb_frames_place(job->body->voxels, masses, frames, job->positions, err);
  return status;
}

static lbStatus make_weights(Job *job, lbError *err) {
  lbWeightDef def = lb_weight_def();
  def.kind = (lbWeightKind)job->def->weights;
  def.radius = job->def->radius;
  def.cutoff = job->def->cutoff;
  return lb_frame_weights(job->body->voxels, job->def->count, job->positions, &def, &job->weights,
                          err);
}

static lbStatus list_weights(Job *job, lbError *err) {
  lbModel *draft = job->draft;
  const lbVoxels *voxels = job->body->voxels;
  int32_t frames = job->def->count, nodes = draft->size.node_count;
  double cell = voxels->grid->cell, values[LB_FRAMES_MOST], gradients[3 * LB_FRAMES_MOST];
  Lists at_samples, at_nodes;
  int32_t *homes = lb_arena_alloc(job->arena, (size_t)nodes, sizeof *homes);
  lbStatus status = make_lists(job->arena, voxels->count, frames, 4, &at_samples, err);
  if (!status) status = make_lists(job->arena, nodes, frames, 1, &at_nodes, err);
  if (!status && !homes) status = lb_fail_memory(err);
  if (status) return status;
  for (int32_t k = 0; k < voxels->count; k++) {
    lb_weights_at(voxels, job->weights, k, lb_vec3_load(draft->sample_positions + 3 * (size_t)k),
                  values, gradients);
    add_point(&at_samples, k, frames, cell, values, gradients, true);
  }
  for (int32_t n = 0; n < nodes; n++) {
    lbVec3 X = lb_vec3_load(draft->node_positions + 3 * (size_t)n);
    homes[n] = lb_voxels_nearest(voxels, X, NULL);
    lb_weights_at(voxels, job->weights, homes[n], X, values, gradients);
    add_point(&at_nodes, n, frames, cell, values, gradients, false);
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

static lbStatus fill(Job *job, const lbReduceDef *def, lbError *err) {
  double *damping = NULL;
  lbModel *draft = job->draft;
  if (draft->size.shell_count > 0 || draft->size.element_count == 0)
    return lb_fail(
        err, LB_ERR_UNSUPPORTED,
        "model \"%s\": the method \"frames\" needs tets or bricks; shells have \"full\", "
        "\"modal\" and \"subspace\"",
        def->name);
  lbStatus status = make_voxels(job, err);
  if (!status) status = make_weights(job, err);
  if (!status) status = list_weights(job, err);
  if (!status) status = set_frames(job, err);
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
  if (!status) status = fill(&job, def, err);
  if (!status) {
    char more[200];
    snprintf(more, sizeof more,
             "limber: " LB_VERSION "\nmethod: frames\nframes: %d, weights %s, %d samples\n",
             (int)frames->count, lb_frames_weight_names()[frames->weights],
             (int)draft.size.sample_count);
    draft.provenance = lb_object_provenance(def, more, &arena);
    status = draft.provenance ? lb_model_create(&draft, out, err) : lb_fail_memory(err);
  }
  lb_voxel_body_destroy(job.body);
  lb_weights_destroy(job.weights);
  lb_arena_release(&arena);
  return status;
}
