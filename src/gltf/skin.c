// Skins: joints, their inverse bind matrices, and the weights of vertices in sets of four.
#include "gltf/document.h"

#include <math.h>
#include <stdio.h>

// ---- checks ------------------------------------------------------------------------------------

lbStatus lb_gltf_check_influences(const lbGltfMesh *mesh, int32_t point_count, lbError *err) {
  size_t width = (size_t)mesh->influence_count;
  if (mesh->influence_count < 0 || mesh->influence_count > LB_GLTF_INFLUENCES_MOST ||
      (mesh->influence_count > 0 && (!mesh->joints || !mesh->joint_weights)))
    return lb_fail(err, LB_ERR_ARGUMENT, "influence_count is %d, use 0 to %d, with their arrays",
                   (int)mesh->influence_count, LB_GLTF_INFLUENCES_MOST);
  for (size_t p = 0; p < (size_t)point_count && width > 0; p++) {
    double sum = 0;
    for (size_t k = p * width; k < (p + 1) * width; k++) {
      float weight = mesh->joint_weights[k];
      if (!(weight >= 0 && isfinite(weight)))
        return lb_fail(err, LB_ERR_ARGUMENT, "point %d has the joint weight %g", (int)p,
                       (double)weight);
      if (weight > 0 && (mesh->joints[k] < 0 || mesh->joints[k] > UINT16_MAX))
        return lb_fail(err, LB_ERR_ARGUMENT, "point %d has the joint %d", (int)p,
                       (int)mesh->joints[k]);
      sum += (double)weight;
    }
    if (!(sum > 1e-30))
      return lb_fail(err, LB_ERR_ARGUMENT, "the joint weights of point %d are all zero", (int)p);
  }
  return LB_OK;
}

int32_t lb_gltf_joints_most(const lbGltfMesh *mesh, int32_t point_count) {
  int32_t most = -1;
  for (size_t k = 0; k < (size_t)point_count * (size_t)mesh->influence_count; k++)
    if (mesh->joint_weights[k] > 0 && mesh->joints[k] > most) most = mesh->joints[k];
  return most + 1;
}

lbStatus lb_gltf_check_skin_of(const lbGltf *gltf, const lbGltfNode *node, lbError *err) {
  if (!node->skin) return LB_OK;
  if (*node->skin < 0 || *node->skin >= gltf->skins.count)
    return lb_fail(err, LB_ERR_ARGUMENT, "a glTF node uses skin %d, there are %d", (int)*node->skin,
                   (int)gltf->skins.count);
  int32_t joints = node->mesh < 0 ? 0 : gltf->joints_most[node->mesh];
  if (joints == 0)
    return lb_fail(err, LB_ERR_ARGUMENT, "a glTF node has a skin, but no mesh with joint weights");
  if (joints > gltf->skin_joints[*node->skin])
    return lb_fail(err, LB_ERR_ARGUMENT, "a mesh uses joint %d, its skin has %d", (int)joints - 1,
                   (int)gltf->skin_joints[*node->skin]);
  return LB_OK;
}

static lbStatus check_skin(const lbGltf *gltf, const lbGltfSkin *skin, lbError *err) {
  if (skin->joint_count < 1 || !skin->joints || !skin->inverse_bind)
    return lb_fail(err, LB_ERR_ARGUMENT, "a glTF skin needs joints and their bind matrices");
  for (int32_t i = 0; i < skin->joint_count; i++)
    if (skin->joints[i] < 0 || skin->joints[i] >= gltf->nodes.count)
      return lb_fail(err, LB_ERR_ARGUMENT, "joint %d is node %d, there are %d", (int)i,
                     (int)skin->joints[i], (int)gltf->nodes.count);
  return lb_gltf_check_floats(skin->inverse_bind, 16 * (size_t)skin->joint_count, "inverse_bind",
                              err);
}

// ---- writing -----------------------------------------------------------------------------------

// The row of a vertex in set n: four joints and weights, of its point, divided by their sum.
static void put_skin_row(const lbGltfMesh *mesh, size_t point, size_t set, int32_t *joints,
                         float *weights) {
  size_t width = (size_t)mesh->influence_count;
  const float *own = mesh->joint_weights + point * width;
  double sum = 0;
  for (size_t k = 0; k < width; k++) sum += (double)own[k];
  for (size_t k = 0; k < 4; k++) {
    size_t at = 4 * set + k;
    bool used = at < width && own[at] > 0; // unused joints must be 0
    weights[k] = used ? (float)((double)own[at] / sum) : 0;
    joints[k] = used ? mesh->joints[point * width + at] : 0;
  }
}

void lb_gltf_put_influences(lbGltf *gltf, const lbGltfMesh *mesh, lbJson *attributes) {
  size_t count = (size_t)mesh->vertex_count;
  int32_t *joints = lb_alloc(4 * count, sizeof *joints);
  if (!joints) lb_gltf_set_failed(gltf, LB_ERR_MEMORY);
  for (size_t set = 0; 4 * set < (size_t)mesh->influence_count && !gltf->status; set++) {
    float *weights = lb_alloc(4 * count, sizeof *weights);
    char name[32];
    for (size_t v = 0; v < count && weights; v++)
      put_skin_row(mesh, mesh->points ? (size_t)mesh->points[v] : v, set, joints + 4 * v,
                   weights + 4 * v);
    snprintf(name, sizeof name, "JOINTS_%d", (int)set);
    lb_gltf_put_attribute(attributes, name, lb_gltf_add_joints(gltf, joints, count));
    snprintf(name, sizeof name, "WEIGHTS_%d", (int)set);
    lb_gltf_put_attribute(attributes, name,
                          lb_gltf_add_floats(gltf, weights, count, 4, LB_GLTF_VERTICES, false));
  }
  lb_free(joints);
}

lbStatus lb_gltf_add_skin(lbGltf *gltf, const lbGltfSkin *skin, int32_t *id, lbError *err) {
  lbStatus status = lb_gltf_check(gltf, err);
  if (!status) status = check_skin(gltf, skin, err);
  if (status) return status;
  int32_t number = gltf->skins.count;
  if (!lb_grow((void **)&gltf->skin_joints, &gltf->skin_capacity, (size_t)number + 1,
               sizeof *gltf->skin_joints))
    lb_gltf_set_failed(gltf, LB_ERR_MEMORY);
  int32_t matrices = lb_gltf_add_matrices(gltf, skin->inverse_bind, (size_t)skin->joint_count);
  lbJson *list = &gltf->skins;
  lb_json_next(list);
  lb_json_put(list, lb_gltf_open(list, skin->name));
  lb_json_put(list, "\"inverseBindMatrices\":");
  lb_json_put_integer(list, matrices);
  lb_json_put(list, ",\"joints\":[");
  for (int32_t i = 0; i < skin->joint_count; i++) {
    if (i) lb_json_put(list, ",");
    lb_json_put_integer(list, skin->joints[i] + 1); // 0 is the root
  }
  lb_json_put(list, "]}");
  status = lb_gltf_check(gltf, err);
  if (status) return status;
  gltf->skin_joints[number] = skin->joint_count;
  if (id) *id = number;
  return LB_OK;
}
