// The figure as a character: harmonic weights of its bones over its voxels, at the vertices of its
// surface, and its walk.
#include "limber/rig.h"

#include "limber/export.h"
#include "reduce/harmonic.h"
#include "reduce/voxel_body.h"
#include "shapes/skeleton.h"

#include <string.h>

enum { VOXELS = 9000, KEYS = 33, WEIGHTS_MOST = 4 };
static const double seconds = 1;

typedef struct Making {
  lbSkeleton skeleton;
  lbMesh *surface, *volume;
  lbVoxelBody *body;
  int32_t *owners; // (voxels)
  lbWeights *weights;
  int32_t *begin, *joints;
  double *shares, *poses; // (keys x bones x 7)
} Making;

static void release_rig(Making *m) {
  lb_mesh_destroy(m->surface);
  lb_mesh_destroy(m->volume);
  lb_voxel_body_destroy(m->body);
  lb_weights_destroy(m->weights);
  lb_free(m->owners);
  lb_free(m->begin);
  lb_free(m->joints);
  lb_free(m->shares);
  lb_free(m->poses);
}

// ---- weights -----------------------------------------------------------------------------------

// Distance of a point from the middle part of a bone, whose ends are left to blend.
static double bone_distance(const lbBone *bone, lbVec3 point) {
  lbVec3 axis = lb_sub(bone->tail, bone->head), way = lb_sub(point, bone->head);
  double t = fmin(fmax(lb_dot(way, axis) / lb_dot(axis, axis), 0.3), 0.8);
  return lb_length(lb_sub(way, lb_scale(t, axis)));
}

// A point near a bone belongs to it; else to the nearest bone, by distance over radius.
static void paint_bones(Making *m, double *positions) {
  const lbVoxels *voxels = m->body->voxels;
  for (int32_t v = 0; v < voxels->count; v++) {
    double nearest = 1;
    m->owners[v] = -1;
    for (int32_t k = 0; k < m->skeleton.count; k++) {
      const lbBone *bone = &m->skeleton.bones[k];
      double part = bone_distance(bone, lb_voxels_centre(voxels, v)) / bone->radius;
      if (part < nearest) nearest = part, m->owners[v] = k;
    }
  }
  for (int32_t k = 0; k < m->skeleton.count; k++) {
    const lbBone *bone = &m->skeleton.bones[k];
    lbVec3 middle = lb_scale(0.5, lb_add(bone->head, bone->tail));
    lb_vec3_store(positions + 3 * k, middle);
    m->owners[lb_voxels_nearest(voxels, middle, NULL)] = k;
  }
}

static lbStatus make_rig_weights(Making *m, lbError *err) {
  lbVoxelBodyDef body_def = lb_voxel_body_def();
  lbWeightDef def = lb_weight_def();
  double positions[3 * LB_BONES_MOST];
  body_def.voxels = VOXELS;
  lbStatus status = lb_voxel_body_create(m->volume, &body_def, &m->body, err);
  if (status) return status;
  m->owners = lb_alloc((size_t)m->body->voxels->count, sizeof *m->owners);
  if (!m->owners) return lb_fail_memory(err);
  paint_bones(m, positions);
  def.kind = LB_WEIGHTS_HARMONIC;
  def.owners = m->owners;
  return lb_frame_weights(m->body->voxels, m->skeleton.count, positions, &def, &m->weights, err);
}

static lbStatus hang_vertices(Making *m, lbError *err) {
  size_t count = (size_t)m->surface->vertex_count, bones = (size_t)m->skeleton.count;
  m->begin = lb_alloc(count + 1, sizeof *m->begin);
  m->joints = lb_alloc(count, bones * sizeof *m->joints);
  m->shares = lb_alloc(count, bones * sizeof *m->shares);
  if (!m->begin || !m->joints || !m->shares) return lb_fail_memory(err);
  int32_t next = 0;
  for (size_t v = 0; v < count; v++) {
    lbVec3 at = lb_vec3_load(m->surface->positions + 3 * v);
    double values[LB_BONES_MOST];
    int32_t home = lb_voxels_nearest(m->body->voxels, at, NULL);
    lb_weights_at(m->body->voxels, m->weights, home, at, values, NULL);
    m->begin[v] = next;
    for (size_t k = 0; k < bones; k++) {
      // Squared: a fifth weight, which is left out, is then too small to be seen.
      if (values[k] < 1e-2) continue;
      m->joints[next] = (int32_t)k;
      m->shares[next++] = values[k] * values[k];
    }
  }
  m->begin[count] = next;
  return LB_OK;
}

// ---- writing -----------------------------------------------------------------------------------

static lbStatus write(Making *m, const char *path, lbError *err) {
  size_t bones = (size_t)m->skeleton.count;
  double times[KEYS], rest[7 * LB_BONES_MOST] = { 0 };
  int32_t parents[LB_BONES_MOST];
  const char *names[LB_BONES_MOST];
  m->poses = lb_alloc(KEYS * bones, 7 * sizeof *m->poses);
  if (!m->poses) return lb_fail_memory(err);
  for (int f = 0; f < KEYS; f++) {
    double phase = (double)f / (KEYS - 1);
    times[f] = seconds * phase;
    lb_figure_walk(&m->skeleton, f == KEYS - 1 ? 0 : phase, m->poses + 7 * bones * (size_t)f);
  }
  for (size_t k = 0; k < bones; k++) {
    const lbBone *bone = &m->skeleton.bones[k];
    names[k] = bone->name;
    parents[k] = bone->parent;
    lb_vec3_store(rest + 7 * k, bone->head);
    rest[7 * k + 6] = 1;
  }
  lbSkinnedBody body = { .name = "figure",
                         .surface = m->surface,
                         .joint_count = (int32_t)bones,
                         .joint_names = names,
                         .parents = parents,
                         .rest = rest,
                         .poses = m->poses,
                         .begin = m->begin,
                         .joints = m->joints,
                         .weights = m->shares };
  lbSkinnedDef def = lb_skinned_def();
  def.frame_count = KEYS;
  def.times = times;
  def.weights_max = WEIGHTS_MOST;
  def.animation_name = "walk";
  return lb_skinned_write(path, &body, 1, &def, NULL, err);
}

lbStatus lb_rig_save(const lbShapeDef *shape, const char *path, lbRigInfo *info, lbError *err) {
  Making m = { .surface = NULL };
  lbShapeDef def = *shape;
  def.element = LB_ELEMENT_BRICK8;
  lbStatus status = lb_shape_skeleton(&def, &m.skeleton, err);
  if (!status) status = lb_shape_surface(&def, &m.surface, err);
  if (!status) status = lb_shape_volume(&def, &m.volume, err);
  if (!status) status = make_rig_weights(&m, err);
  if (!status) status = hang_vertices(&m, err);
  if (!status) status = write(&m, path, err);
  if (!status && info)
    *info = (lbRigInfo){ m.skeleton.count, m.surface->vertex_count, m.surface->triangle_count, KEYS,
                         seconds };
  release_rig(&m);
  return status;
}
