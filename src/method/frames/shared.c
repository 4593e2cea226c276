// What the bodies of a model by frames share: samples with their materials, nodes, masses.
#include "method/frames/frames.h"
#include "method/limits.h"

#include <string.h>

lbStatus lb_frames_prepare(lbPrepared *p, const lbBodyDef *def, lbError *err) {
  p->state_extra = LB_FRAMES_HEAD + LB_FRAMES_STATE * lb_frames_room(p);
  if (!def->mode_count && !def->kept_count) return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT,
                 "mode_count or kept_count is given: a body of the method \"frames\" has all its "
                 "coordinates");
}

// ---- samples -----------------------------------------------------------------------------------

// Material g of the model with other young, poisson and density.
static lbMaterial material_of(const lbModel *m, const double *materials, size_t g) {
  const double *v = m->material_values + 6 * g;
  lbMaterial to = lb_material();
  to.model = (lbMaterialModel)m->material_laws[g];
  to.young = materials[3 * g], to.poisson = materials[3 * g + 1], to.density = materials[3 * g + 2];
  to.c10 = v[3], to.c01 = v[4], to.v1 = v[5];
  return to;
}

// Σ volume (λ + 2 μ) / 2
static double find_modulus(const lbModel *m, const lbMaterial *table) {
  double sum = 0;
  for (int32_t k = 0; k < m->size.sample_count; k++) {
    const lbMaterial *of = &table[m->sample_materials[k]];
    double nu = fmin(of->poisson, 0.45);
    double stiff = of->model == LB_MATERIAL_MOONEYRIVLIN
                       ? 2 * of->v1 + 4 * (of->c10 + of->c01)
                       : of->young * (1 - nu) / ((1 + nu) * (1 - 2 * nu));
    sum += 0.5 * m->sample_volumes[k] * stiff;
  }
  return sum;
}

// Samples that are part of the sums.
typedef struct Kept {
  int32_t *begin, *frames, *materials;
  double *values, *gradients, *positions, *volumes, *masses, *stiffness;
  lbMaterial *table;
} Kept;

static void release_kept(Kept *kept) {
  void *arrays[] = { kept->begin,     kept->frames,    kept->materials, kept->values,
                     kept->gradients, kept->positions, kept->volumes,   kept->masses,
                     kept->stiffness, kept->table };
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) lb_free(arrays[i]);
}

static bool allocate_kept(const lbModel *m, size_t entries, Kept *to) {
  size_t samples = (size_t)m->size.sample_count;
  to->begin = lb_alloc(samples + 1, sizeof *to->begin);
  to->frames = lb_alloc(entries, sizeof *to->frames);
  to->materials = lb_alloc(samples, sizeof *to->materials);
  to->values = lb_alloc(entries, sizeof *to->values);
  to->gradients = lb_alloc(entries, 3 * sizeof *to->gradients);
  to->positions = lb_alloc(samples, 3 * sizeof *to->positions);
  to->volumes = lb_alloc(samples, sizeof *to->volumes);
  to->masses = lb_alloc(samples, sizeof *to->masses);
  to->stiffness = lb_alloc(samples, sizeof *to->stiffness);
  to->table = lb_alloc((size_t)m->size.material_count, sizeof *to->table);
  return to->begin && to->frames && to->materials && to->values && to->gradients && to->positions &&
         to->volumes && to->masses && to->stiffness && to->table;
}

// Returns how many are kept.
static int32_t keep_samples(const lbModel *m, const lbFrameLists *lists, Kept *to) {
  int32_t count = 0, entries = 0;
  for (int32_t k = 0; k < m->size.sample_count; k++) {
    const double *share = m->sample_shares ? m->sample_shares + 2 * (size_t)k : NULL;
    if (share && share[0] <= 0 && share[1] <= 0) continue;
    size_t g = (size_t)m->sample_materials[k], at = (size_t)count;
    double density = to->table[g].density / m->material_values[6 * g + 2];
    to->begin[count] = entries;
    to->materials[count] = (int32_t)g;
    to->volumes[count] = m->sample_volumes[k] * (share ? share[0] : 1);
    to->masses[count] = m->sample_masses[k] * density * (share ? share[1] : 1);
    to->stiffness[count] = m->sample_stiffness ? m->sample_stiffness[k] : 1;
    memcpy(to->positions + 3 * at, m->sample_positions + 3 * (size_t)k, 3 * sizeof(double));
    for (int32_t e = lists->begin[k]; e < lists->begin[k + 1]; e++, entries++) {
      const double *w = lists->values + 4 * (size_t)e;
      to->frames[entries] = lists->frames[e];
      to->values[entries] = w[0];
      memcpy(to->gradients + 3 * (size_t)entries, w + 1, 3 * sizeof *w);
    }
    to->begin[++count] = entries;
  }
  return count;
}

static lbStatus make_samples(const lbModel *m, lbFramesShared *shared, lbError *err) {
  const lbFrameLists *lists = &shared->set.samples;
  Kept kept = { 0 };
  lbStatus status = LB_OK;
  if (!allocate_kept(m, (size_t)lists->begin[m->size.sample_count], &kept))
    status = lb_fail_memory(err);
  if (!status) {
    for (size_t g = 0; g < (size_t)m->size.material_count; g++)
      kept.table[g] = material_of(m, shared->materials, g);
    int32_t count = keep_samples(m, lists, &kept);
    lbFrameSampleDef def = { .weights = { shared->count, count, kept.begin, kept.frames,
                                          kept.values, kept.gradients },
                             .positions = kept.positions,
                             .volumes = kept.volumes,
                             .masses = kept.masses,
                             .materials = kept.materials,
                             .stiffnesses = kept.stiffness,
                             .table = kept.table,
                             .bulk = m->frame_bulk ? m->frame_bulk[0] : 0 };
    shared->modulus = find_modulus(m, kept.table);
    status = lb_frame_samples_create(&def, &shared->samples, err);
  }
  release_kept(&kept);
  return status;
}

// Nodes as samples without strain, of one material.
static lbStatus make_nodes(const lbModel *m, lbFramesShared *shared, lbError *err) {
  size_t nodes = (size_t)m->size.node_count;
  const lbFrameLists *lists = &shared->set.nodes;
  lbFrameWeights weights = { shared->count, m->size.node_count, lists->begin,
                             lists->frames, lists->values,      NULL };
  lbStatus status = lb_frame_skin_create(&weights, m->node_positions, &shared->nodes, err);
  if (status) return status;
  double *gradients = lb_alloc((size_t)lists->begin[nodes], 3 * sizeof *gradients);
  double *volumes = lb_alloc(nodes, sizeof *volumes);
  int32_t *materials = lb_alloc(nodes, sizeof *materials);
  lbMaterial material = lb_material();
  weights.gradients = gradients;
  lbFrameSampleDef def = { .weights = weights,
                           .positions = m->node_positions,
                           .volumes = volumes,
                           .masses = shared->masses,
                           .materials = materials,
                           .table = &material };
  status = gradients && volumes && materials
               ? lb_frame_samples_create(&def, &shared->node_samples, err)
               : lb_fail_memory(err);
  lb_free(gradients), lb_free(volumes), lb_free(materials);
  return status;
}

// ---- the whole ---------------------------------------------------------------------------------

static void fill_masses(const lbModel *m, double *masses) {
  double least = LB_NEGLIGIBLE * m->rigid_mass[0] / m->size.node_count;
  for (int32_t n = 0; n < m->size.node_count; n++) masses[n] = fmax(m->node_masses[n], least);
}

static void fill_whole_frames_shared(lbPrepared *p, lbFramesShared *shared) {
  const lbModel *m = p->model;
  const lbFrameSamples *s = shared->samples;
  lbVec3 moment = lb_vec3(0, 0, 0);
  for (int32_t b = 0; b < s->batch_count; b++) {
    const double *rest = s->rest + (size_t)b * LB_SAMPLE_ROWS * LB_BATCH;
    for (int32_t l = 0; l < LB_BATCH; l++)
      moment = lb_add_scaled(moment, rest[LB_SAMPLE_MASS * LB_BATCH + l],
                             lb_vec3(rest[l], rest[LB_BATCH + l], rest[2 * LB_BATCH + l]));
  }
  shared->whole = (lbWhole){ .node_count = m->size.node_count,
                             .padded = (size_t)p->padded,
                             .positions = m->node_positions,
                             .held = shared->held,
                             .masses = shared->masses,
                             .mass = s->mass,
                             .centre = lb_scale(1 / s->mass, moment) };
  for (size_t n = 0; n < (size_t)m->size.node_count; n++) {
    double *rigid = shared->rigid + 18 * n;
    lbVec3 arm = lb_sub(lb_vec3_load(m->node_positions + 3 * n), shared->whole.centre);
    for (size_t k = 0; k < 3; k++) {
      lbVec3 turned = lb_cross(lb_vec3(k == 0, k == 1, k == 2), arm);
      rigid[7 * k] = 1;
      rigid[3 + k] = turned.x, rigid[9 + k] = turned.y, rigid[15 + k] = turned.z;
    }
  }
  p->rigid = shared->rigid;
  p->node_masses = shared->masses;
  p->mass = shared->whole.mass;
  p->centre = shared->whole.centre;
}

// The stiffness at rest, factored.
static lbStatus find_rest_factor(const lbPrepared *p, lbFramesShared *shared, lbError *err) {
  int32_t n = 6 * shared->count;
  size_t padded = (size_t)lb_ldlt_padded(n), square = (size_t)n * (size_t)n;
  bool fixed[LB_FRAMES_MOST];
  lbFrameMotion *motions = lb_alloc((size_t)shared->count, sizeof *motions);
  double *room =
      lb_alloc(lb_frame_sums_doubles(shared->samples->list_most, shared->count), sizeof *room);
  double *K = lb_alloc(2 * square + 2 * (size_t)n, sizeof *K);
  shared->rest_factor = lb_alloc(padded * padded, sizeof(double));
  bool all = motions && room && K && shared->rest_factor;
  lbStatus status = all ? LB_OK : lb_fail_memory(err);
  if (all) {
    lbFrameSystem sums = { 0, K + 2 * square, NULL, K, K + square };
    double stiffness = 0, mass = 0;
    for (int32_t i = 0; i < shared->count; i++) {
      motions[i] = lb_frame_motion(&shared->rest[i], &shared->rest[i], NULL);
      fixed[i] = shared->fixed[i];
    }
    lb_frame_sum(shared->samples, p->level, LB_FRAMES_FORCE | LB_FRAMES_TANGENT | LB_FRAMES_MASS,
                 shared->count, motions, lb_vec3(0, 0, 0), room, &sums);
    for (int32_t i = 0; i < n; i++) {
      stiffness += sums.K[(size_t)i * (size_t)(n + 1)];
      mass += sums.M[(size_t)i * (size_t)(n + 1)];
    }
    double shift = LB_NEGLIGIBLE * stiffness / fmax(mass, 1e-300);
    status = lb_frame_springs_create(shared->samples, shared->count, shared->rest, shared->fixed,
                                     sums.K, &shared->springs, err);
    lb_frames_combine(shared->count, 1, sums.K, shift, sums.M, shared->rest_factor);
    if (!lb_frames_factor(shared, fixed, shared->rest_factor)) {
      lb_free(shared->rest_factor); // nothing is known of it
      shared->rest_factor = NULL;
    }
  }
  lb_free(motions), lb_free(room), lb_free(K);
  return status;
}

// ---- preparing ---------------------------------------------------------------------------------

static bool copy_lists(const lbFrameLists *from, size_t stride, lbFrameLists *to) {
  size_t points = (size_t)from->point_count, entries = (size_t)from->begin[points];
  to->point_count = from->point_count;
  to->begin = lb_duplicate(from->begin, points + 1, sizeof *to->begin);
  to->frames = lb_duplicate(from->frames, entries, sizeof *to->frames);
  to->values = lb_duplicate(from->values, entries, stride * sizeof *to->values);
  return to->begin && to->frames && to->values;
}

static lbStatus allocate_frames_shared(const lbModel *m, const double *materials,
                                       const lbFrameSet *set, lbFramesShared *shared,
                                       lbError *err) {
  size_t nodes = (size_t)m->size.node_count, frames = (size_t)set->count;
  shared->count = set->count;
  shared->materials = lb_duplicate(materials, 3 * (size_t)m->size.material_count, sizeof(double));
  shared->rest = lb_duplicate(set->rest, frames, sizeof *shared->rest);
  shared->fixed = lb_duplicate(set->fixed, frames, 1);
  shared->pivots = lb_alloc(frames, sizeof *shared->pivots);
  shared->rigid = lb_alloc(nodes, 18 * sizeof(double));
  shared->masses = lb_alloc(nodes, sizeof(double));
  shared->held = lb_alloc(nodes, 1);
  shared->set.count = set->count;
  shared->set.rest = shared->rest, shared->set.fixed = shared->fixed;
  bool all = shared->materials && shared->rest && shared->fixed && shared->pivots &&
             shared->rigid && shared->masses && shared->held;
  all = copy_lists(&set->samples, 4, &shared->set.samples) && all;
  all = copy_lists(&set->nodes, 1, &shared->set.nodes) && all;
  return all ? LB_OK : lb_fail_memory(err);
}

lbStatus lb_frames_rebuild_set(lbPrepared *p, const double *materials, const lbFrameSet *set,
                               lbError *err) {
  const lbModel *m = p->model;
  lbFramesShared *shared = p->own = lb_alloc(1, sizeof *shared);
  if (!shared) return lb_fail_memory(err);
  lbStatus status = allocate_frames_shared(m, materials, set, shared, err);
  if (status) return status;
  shared->mass = (lbFrameMass)m->frame_settings[1];
  shared->ldlt = lb_ldlt_kernels(p->level);
  fill_masses(m, shared->masses);
  status = make_samples(m, shared, err);
  if (!status) status = make_nodes(m, shared, err);
  if (!status) status = lb_frames_find_pairs(shared, err);
  if (status) return status;
  lb_frames_find_pivots(shared);
  fill_whole_frames_shared(p, shared);
  p->stress_law = (lbMaterialModel)m->material_laws[m->sample_materials[0]];
  p->stress_by_material = true;
  return find_rest_factor(p, shared, err);
}

// The frames of the model: another material is the end of those that were inserted.
lbStatus lb_frames_rebuild(lbPrepared *p, const double *materials, lbError *err) {
  lbFramePose rest[LB_FRAMES_MOST];
  lbFrameSet set = lb_frames_model_set(p->model, rest);
  return lb_frames_rebuild_set(p, materials, &set, err);
}

static void release_lists(lbFrameLists *lists) {
  lb_free((void *)lists->begin);
  lb_free((void *)lists->frames);
  lb_free((void *)lists->values);
}

void lb_frames_release(lbPrepared *p) {
  lbFramesShared *shared = p->own;
  if (!shared) return;
  release_lists(&shared->set.samples);
  release_lists(&shared->set.nodes);
  lb_frame_samples_destroy(shared->samples);
  lb_frame_samples_destroy(shared->node_samples);
  lb_frame_skin_destroy(shared->nodes);
  lb_frame_springs_destroy(shared->springs);
  lb_free(shared->rest);
  lb_free(shared->fixed);
  lb_free(shared->pivots);
  lb_free(shared->pairs);
  lb_free(shared->materials);
  lb_free(shared->rigid);
  lb_free(shared->masses);
  lb_free(shared->held);
  lb_free(shared->rest_factor);
  lb_free(shared);
}

uint64_t lb_frames_identify(const lbPrepared *p, uint64_t hash) {
  const lbModel *m = p->model;
  size_t frames = (size_t)m->size.frame_count;
  hash = lb_hash(hash, lb_frames_shared(p)->materials,
                 3 * (size_t)m->size.material_count * sizeof(double));
  hash = lb_hash(hash, m->frame_poses, 7 * frames * sizeof(double));
  hash = lb_hash(hash, m->frame_fixed, frames);
  hash = lb_hash(hash, m->sample_weights, 4 * (size_t)m->size.sample_entry_count * sizeof(double));
  return lb_hash(hash, m->node_positions, 3 * (size_t)m->size.node_count * sizeof(double));
}
