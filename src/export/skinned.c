// Bodies that joints move, as skinned glTF: a node a joint, below its parent, with tracks of its
// own motion relative to that; a skin with inverse bind matrices; weights of the vertices.
#include "limber/export.h"

#include "export/check.h"
#include "export/gltf_mesh.h"
#include "export/normals.h"
#include "limber/math.h"

#include <stdio.h>
#include <string.h>

lbSkinnedDef lb_skinned_def(void) {
  return (lbSkinnedDef){ .weights_max = 4, .up = 'z', .animation_name = "simulation" };
}

typedef struct Pose {
  lbVec3 position;
  lbQuat rotation;
} Pose;

static Pose pose_at(const double *seven) {
  return (Pose){ lb_vec3_load(seven),
                 lb_quat_normalise(lb_quat(seven[3], seven[4], seven[5], seven[6])) };
}

// a relative to b.
static Pose relative(Pose a, Pose b) {
  lbQuat back = lb_quat_conjugate(b.rotation);
  return (Pose){ lb_quat_rotate(back, lb_sub(a.position, b.position)),
                 lb_quat_multiply(back, a.rotation) };
}

// ---- checks ------------------------------------------------------------------------------------

static lbStatus check_skin_def(const lbSkinnedDef *def, lbError *err) {
  if (def->frame_count < 0 || (def->frame_count > 0 && !def->times))
    return lb_fail(err, LB_ERR_ARGUMENT, "frame_count is %d, with %s times", (int)def->frame_count,
                   def->times ? "its" : "no");
  if (def->weights_max < 1 || def->weights_max > LB_GLTF_INFLUENCES_MOST)
    return lb_fail(err, LB_ERR_ARGUMENT, "weights_max is %d, it must be 1 to %d",
                   (int)def->weights_max, LB_GLTF_INFLUENCES_MOST);
  return lb_check_up(def->up, err);
}

static lbStatus check_skin_poses(const char *name, const char *what, size_t count,
                                 const double *poses, lbError *err) {
  for (size_t i = 0; i < count; i++) {
    const double *p = poses + 7 * i;
    double length = 0;
    for (int k = 0; k < 7; k++)
      if (!isfinite(p[k]) || fabs(p[k]) > LB_FARTHEST) length = NAN;
    for (int k = 3; k < 7; k++) length += p[k] * p[k];
    if (!(length > 1e-30 && length < 1e30))
      return lb_fail(err, LB_ERR_ARGUMENT, "body \"%s\": %s %zu of its joints is not a pose", name,
                     what, i);
  }
  return LB_OK;
}

static lbStatus check_skin_weights(const lbSkinnedBody *body, const char *name, lbError *err) {
  for (int32_t v = 0; v < body->surface->vertex_count; v++) {
    double sum = 0;
    for (int32_t k = body->begin[v]; k < body->begin[v + 1]; k++) {
      if (body->joints[k] < 0 || body->joints[k] >= body->joint_count)
        return lb_fail(err, LB_ERR_ARGUMENT, "body \"%s\": vertex %d hangs on joint %d, it has %d",
                       name, (int)v, (int)body->joints[k], (int)body->joint_count);
      if (!(body->weights[k] >= 0 && isfinite(body->weights[k])))
        return lb_fail(err, LB_ERR_ARGUMENT, "body \"%s\": vertex %d has the joint weight %g", name,
                       (int)v, body->weights[k]);
      sum += body->weights[k];
    }
    if (!(sum > 1e-9))
      return lb_fail(err, LB_ERR_ARGUMENT, "body \"%s\": vertex %d hangs on no joint", name,
                     (int)v);
  }
  return LB_OK;
}

static lbStatus check_skin_body(const lbSkinnedBody *body, const char *name,
                                const lbSkinnedDef *def, lbError *err) {
  if (!body->surface || body->joint_count < 1 || !body->rest || !body->begin || !body->joints ||
      !body->weights)
    return lb_fail(err, LB_ERR_ARGUMENT, "body \"%s\": it needs a surface, joints and weights",
                   name);
  for (int32_t j = 0; j < body->joint_count && body->parents; j++)
    if (body->parents[j] < -1 || body->parents[j] >= j)
      return lb_fail(err, LB_ERR_ARGUMENT,
                     "body \"%s\": joint %d has the parent %d, which must come before it", name,
                     (int)j, (int)body->parents[j]);
  size_t joints = (size_t)body->joint_count;
  lbStatus status = check_skin_poses(name, "rest", joints, body->rest, err);
  if (!status && body->poses)
    status = check_skin_poses(name, "pose", joints * (size_t)def->frame_count, body->poses, err);
  return status ? status : check_skin_weights(body, name, err);
}

// ---- joints ------------------------------------------------------------------------------------

typedef struct Export {
  const lbSkinnedDef *def;
  lbGltf *gltf;
  lbAppearances appearances;
} Export;

static void put_skin_pose(Pose pose, float *translation, float *rotation) {
  const double values[7] = { pose.position.x, pose.position.y, pose.position.z, pose.rotation.x,
                             pose.rotation.y, pose.rotation.z, pose.rotation.w };
  for (int k = 0; k < 3; k++) translation[k] = (float)values[k];
  for (int k = 0; k < 4; k++) rotation[k] = (float)values[3 + k];
}

static Pose own_pose(const lbSkinnedBody *body, const double *poses, int32_t joint) {
  Pose own = pose_at(poses + 7 * (size_t)joint);
  int32_t parent = body->parents ? body->parents[joint] : -1;
  return parent < 0 ? own : relative(own, pose_at(poses + 7 * (size_t)parent));
}

// nodes (joints)
static lbStatus add_skin_joint(Export *x, const lbSkinnedBody *body, int32_t joint, int32_t *nodes,
                               lbError *err) {
  size_t frames = body->poses ? (size_t)x->def->frame_count : 0;
  float place[3], turn[4], *track = lb_alloc(frames, 7 * sizeof *track);
  char plain[32];
  int32_t parent = body->parents ? body->parents[joint] : -1;
  if (!track) return lb_fail_memory(err);
  put_skin_pose(own_pose(body, body->rest, joint), place, turn);
  for (size_t f = 0; f < frames; f++)
    put_skin_pose(own_pose(body, body->poses + 7 * f * (size_t)body->joint_count, joint),
                  track + 3 * f, track + 3 * frames + 4 * f);
  snprintf(plain, sizeof plain, "joint %d", (int)joint);
  lbGltfNode node = { .name = body->joint_names ? body->joint_names[joint] : plain,
                      .mesh = -1,
                      .translation = place,
                      .rotation = turn,
                      .translations = frames ? track : NULL,
                      .rotations = frames ? track + 3 * frames : NULL,
                      .parent = parent < 0 ? NULL : &nodes[parent] };
  lbStatus status = lb_gltf_add_node(x->gltf, &node, &nodes[joint], err);
  lb_free(track);
  return status;
}

static void put_bind(Pose rest, float m[16]) {
  lbMat3 back = lb_mat3_transpose(lb_quat_to_mat3(rest.rotation));
  double shift[3];
  lb_vec3_store(shift, lb_scale(-1, lb_mat3_apply(back, rest.position)));
  for (int c = 0; c < 3; c++) {
    for (int r = 0; r < 3; r++) m[4 * c + r] = (float)back.m[3 * r + c];
    m[4 * c + 3] = 0;
    m[12 + c] = (float)shift[c];
  }
  m[15] = 1;
}

static lbStatus add_skin(Export *x, const lbSkinnedBody *body, const char *name, int32_t *skin,
                         lbError *err) {
  size_t count = (size_t)body->joint_count;
  int32_t *nodes = lb_alloc(count, sizeof *nodes);
  float *binds = lb_alloc(count, 16 * sizeof *binds);
  lbStatus status = nodes && binds ? LB_OK : lb_fail_memory(err);
  for (int32_t j = 0; j < body->joint_count && !status; j++) {
    status = add_skin_joint(x, body, j, nodes, err);
    put_bind(pose_at(body->rest + 7 * (size_t)j), binds + 16 * (size_t)j);
  }
  lbGltfSkin made = { name, body->joint_count, nodes, binds };
  if (!status) status = lb_gltf_add_skin(x->gltf, &made, skin, err);
  lb_free(nodes);
  lb_free(binds);
  return status;
}

// ---- the surface -------------------------------------------------------------------------------

// The `width` largest weights of a vertex, the largest first; those left out are spread over them.
static void keep_largest(const lbSkinnedBody *body, int32_t vertex, int32_t width, int32_t *joints,
                         float *weights) {
  int32_t count = 0;
  for (int32_t k = body->begin[vertex]; k < body->begin[vertex + 1]; k++) {
    float weight = (float)body->weights[k];
    if (weight <= 0 || (count == width && weight <= weights[width - 1])) continue;
    int32_t at = count < width ? count++ : width - 1;
    for (; at > 0 && weights[at - 1] < weight; at--)
      weights[at] = weights[at - 1], joints[at] = joints[at - 1];
    weights[at] = weight, joints[at] = body->joints[k];
  }
}

static int32_t widest(const lbSkinnedBody *body, int32_t most) {
  int32_t width = 1;
  for (int32_t v = 0; v < body->surface->vertex_count; v++)
    if (body->begin[v + 1] - body->begin[v] > width) width = body->begin[v + 1] - body->begin[v];
  return width < most ? width : most;
}

// Greatest distance of Σ w M_j B_j X from where vertices are, in metres.
static double measure_skinning_error(const lbSkinnedBody *body, const lbSkinnedDef *def,
                                     int32_t width, const int32_t *sources, size_t source_count,
                                     const int32_t *joints, const float *weights) {
  double worst = 0;
  size_t stride = (size_t)body->surface->vertex_count;
  for (size_t f = 0; f < (size_t)def->frame_count && body->frames; f++) {
    const double *poses =
        body->poses ? body->poses + 7 * f * (size_t)body->joint_count : body->rest;
    for (size_t s = 0; s < source_count; s++) {
      size_t vertex = (size_t)sources[s];
      lbVec3 X = lb_vec3_load(body->surface->positions + 3 * vertex), sum = { 0, 0, 0 };
      double total = 0;
      for (size_t k = s * (size_t)width; k < (s + 1) * (size_t)width; k++) {
        if (weights[k] <= 0) continue;
        Pose rest = pose_at(body->rest + 7 * (size_t)joints[k]);
        Pose now = pose_at(poses + 7 * (size_t)joints[k]);
        lbVec3 local = lb_quat_rotate(lb_quat_conjugate(rest.rotation), lb_sub(X, rest.position));
        sum = lb_add_scaled(sum, (double)weights[k],
                            lb_add(now.position, lb_quat_rotate(now.rotation, local)));
        total += (double)weights[k];
      }
      const float *at = body->frames + 3 * (f * stride + vertex);
      lbVec3 there = lb_vec3((double)at[0], (double)at[1], (double)at[2]);
      worst = fmax(worst, lb_length(lb_sub(lb_scale(1 / total, sum), there)));
    }
  }
  return worst;
}

static lbStatus add_skin_mesh(Export *x, const lbSkinnedBody *body, const char *name, int32_t *mesh,
                              double *max_error, lbError *err) {
  lbSurface surface;
  lbStatus status = lb_surface_prepare(body->surface, name, &surface, err);
  if (status) return status;
  size_t count = (size_t)surface.source_count;
  int32_t width = widest(body, x->def->weights_max);
  float *normals = lb_normals_of_shape(&surface, body->surface->positions);
  float *base = lb_alloc(count, 3 * sizeof *base);
  int32_t *joints = lb_alloc(count, (size_t)width * sizeof *joints);
  float *weights = lb_alloc(count, (size_t)width * sizeof *weights);
  if (!normals || !base || !joints || !weights) status = lb_fail_memory(err);
  if (!status) {
    for (size_t i = 0; i < count; i++) {
      for (size_t k = 0; k < 3; k++)
        base[3 * i + k] = (float)body->surface->positions[3 * (size_t)surface.sources[i] + k];
      keep_largest(body, surface.sources[i], width, joints + i * (size_t)width,
                   weights + i * (size_t)width);
    }
    *max_error =
        measure_skinning_error(body, x->def, width, surface.sources, count, joints, weights);
    lbGltfMesh gltf_mesh = { .name = name,
                             .positions = base,
                             .normals = normals,
                             .max_error = body->frames ? max_error : NULL,
                             .influence_count = width,
                             .joints = joints,
                             .joint_weights = weights };
    status = lb_gltf_mesh_add(&x->appearances, body->surface, &surface, gltf_mesh, mesh, err);
  }
  lb_free(normals);
  lb_free(base);
  lb_free(joints);
  lb_free(weights);
  lb_surface_release(&surface);
  return status;
}

static lbStatus add_skin_body(Export *x, const lbSkinnedBody *body, int32_t number,
                              double *max_error, lbError *err) {
  char plain[32];
  const char *name = lb_body_label(body->name, number, plain);
  int32_t mesh, skin;
  lbStatus status = check_skin_body(body, name, x->def, err);
  if (!status) status = add_skin_mesh(x, body, name, &mesh, max_error, err);
  if (!status) status = add_skin(x, body, name, &skin, err);
  if (status) return status;
  lbGltfNode node = { .name = name, .mesh = mesh, .skin = &skin };
  return lb_gltf_add_node(x->gltf, &node, NULL, err);
}

lbStatus lb_skinned_write(const char *path, const lbSkinnedBody *bodies, int32_t body_count,
                          const lbSkinnedDef *def, double *max_errors, lbError *err) {
  lbStatus status = check_skin_def(def, err);
  if (status) return status;
  Export x = { .def = def };
  lbGltfDef gltf_def = { def->up, def->animation_name, def->frame_count, def->times };
  status = lb_gltf_create(&gltf_def, &x.gltf, err);
  if (status) return status;
  x.appearances.gltf = x.gltf;
  for (int32_t i = 0; i < body_count && !status; i++) {
    double max_error = 0;
    status = add_skin_body(&x, &bodies[i], i, &max_error, err);
    if (!status && max_errors) max_errors[i] = max_error;
  }
  if (!status) status = lb_gltf_save(x.gltf, path, err);
  lb_appearances_release(&x.appearances);
  lb_gltf_destroy(x.gltf);
  return status;
}
