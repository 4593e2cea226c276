// The motion of bodies of frames as a skinned glTF: frames become joints, and the vertices of the
// surface hang on them by the weights of the nodes that carry them. Viewers blend linearly, bodies
// by dual quaternions: what that changes is measured, and too much is refused.
#include "study/run_files.h"

#include <string.h>

typedef struct Skin {
  int32_t *begin, *joints;
  double *weights;
  float *frames; // in the world
} Skin;

static void release_skinned_run(Skin *skins, size_t count) {
  for (size_t i = 0; skins && i < count; i++) {
    lb_free(skins[i].begin);
    lb_free(skins[i].joints);
    lb_free(skins[i].weights);
    lb_free(skins[i].frames);
  }
  lb_free(skins);
}

// sums (frames) <- weights of a vertex.
static void add_skinned_run_up(const lbModel *m, int32_t vertex, double *sums) {
  memset(sums, 0, (size_t)m->size.frame_count * sizeof *sums);
  for (int32_t k = m->carrier_begin[vertex]; k < m->carrier_begin[vertex + 1]; k++) {
    int32_t node = m->carrier_nodes[k];
    for (int32_t e = m->node_frame_begin[node]; e < m->node_frame_begin[node + 1]; e++)
      sums[m->node_frames[e]] += m->carrier_weights[k] * m->node_weights[e];
  }
}

// Weights that continue beyond the surface of a body may be negative by a little: without those.
static lbStatus fill_weights(const lbModel *m, Skin *skin, lbError *err) {
  size_t vertices = (size_t)m->size.vertex_count, frames = (size_t)m->size.frame_count;
  double sums[LB_FRAMES_MOST];
  skin->begin = lb_alloc(vertices + 1, sizeof *skin->begin);
  skin->joints = lb_alloc(vertices * frames, sizeof *skin->joints);
  skin->weights = lb_alloc(vertices * frames, sizeof *skin->weights);
  if (!skin->begin || !skin->joints || !skin->weights) return lb_fail_memory(err);
  int32_t at = 0;
  for (int32_t v = 0; v < m->size.vertex_count; v++) {
    add_skinned_run_up(m, v, sums);
    skin->begin[v] = at;
    for (int32_t i = 0; i < m->size.frame_count; i++)
      if (sums[i] > 0) skin->joints[at] = i, skin->weights[at++] = sums[i];
    skin->begin[v + 1] = at;
  }
  return LB_OK;
}

static lbStatus fill_body(const lbRun *run, int32_t index, Skin *skin, lbSkinnedBody *out,
                          lbError *err) {
  const lbRunBody *body = &run->bodies[index];
  size_t values = 3 * (size_t)body->surface->vertex_count;
  skin->frames = lb_alloc((size_t)run->frame_count, values * sizeof(float));
  lbStatus status = skin->frames ? fill_weights(body->model, skin, err) : lb_fail_memory(err);
  for (int32_t f = 0; f < run->frame_count && !status; f++)
    lb_run_frame(run, index, f, skin->frames + values * (size_t)f);
  *out = (lbSkinnedBody){ .name = run->scene->bodies[index].name,
                          .surface = body->surface,
                          .joint_count = body->joint_count,
                          .rest = body->model->frame_poses,
                          .poses = body->joints,
                          .begin = skin->begin,
                          .joints = skin->joints,
                          .weights = skin->weights,
                          .frames = skin->frames };
  return status;
}

bool lb_run_has_joints(const lbRun *run, int32_t first, size_t count) {
  bool all = count > 0;
  for (size_t i = 0; i < count; i++) all = all && run->bodies[(size_t)first + i].joint_count > 0;
  return all;
}

static double skinned_value_count(const lbMesh *mesh) {
  lbVec3 low = lb_vec3_load(mesh->positions), high = low;
  for (size_t v = 0; v < (size_t)mesh->vertex_count; v++) {
    const double *x = mesh->positions + 3 * v;
    low = lb_vec3(fmin(low.x, x[0]), fmin(low.y, x[1]), fmin(low.z, x[2]));
    high = lb_vec3(fmax(high.x, x[0]), fmax(high.y, x[1]), fmax(high.z, x[2]));
  }
  return lb_length(lb_sub(high, low));
}

lbStatus lb_run_write_skinned(const lbRun *run, int32_t first, size_t count, const char *path,
                              bool *near, double *max_error, lbError *err) {
  lbSkinnedBody *bodies = lb_alloc(count, sizeof *bodies);
  Skin *skins = lb_alloc(count, sizeof *skins);
  double *errors = lb_alloc(count, sizeof *errors);
  lbStatus status = bodies && skins && errors ? LB_OK : lb_fail_memory(err);
  for (size_t i = 0; i < count && !status; i++)
    status = fill_body(run, first + (int32_t)i, &skins[i], &bodies[i], err);
  lbSkinnedDef def = lb_skinned_def();
  def.frame_count = run->frame_count;
  def.times = run->frame_times;
  def.up = lb_run_up(run->scene);
  if (!status) status = lb_skinned_write(path, bodies, (int32_t)count, &def, errors, err);
  *near = !status;
  *max_error = 0;
  for (size_t i = 0; i < count && !status; i++) {
    *near = *near && errors[i] <= LB_SKINNED_ERROR * skinned_value_count(bodies[i].surface);
    *max_error = fmax(*max_error, errors[i]);
  }
  release_skinned_run(skins, count);
  lb_free(bodies);
  lb_free(errors);
  return status;
}
