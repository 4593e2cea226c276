// Skins of glTF: joints with their bind poses, and the weights of vertices.
#include "meshio/glb_skin.h"

#include "limber/file.h"

#include <stdio.h>
#include <string.h>

static const double sum_slack = 0.01;    // of weights, from 1
static const double scale_slack = 0.001; // of joints: uneven scale, and skins that disagree

// ---- release -----------------------------------------------------------------------------------

void lb_rig_destroy(lbRig *rig) {
  if (!rig) return;
  for (int32_t i = 0; i < rig->joint_count; i++) lb_free(rig->joints[i].name);
  lb_free(rig->joints);
  lb_free(rig->begin);
  lb_free(rig->vertex_joints);
  lb_free(rig->weights);
  lb_free(rig);
}

void lb_glb_skins_release(lbGlbSkins *skins) {
  lb_rig_destroy(skins->rig);
  lb_free(skins->binds);
  lb_free(skins->worlds);
  lb_free(skins->parents);
  lb_free(skins->joint_of);
  lb_free(skins->skin_begin);
  lb_free(skins->skin_joints);
  lb_free(skins->skinned);
}

// ---- matrices ----------------------------------------------------------------------------------

static lbMat3 linear_of(const double *m) {
  return lb_mat3_from_columns(lb_vec3_load(m), lb_vec3_load(m + 4), lb_vec3_load(m + 8));
}

// Even scale and rotation of a matrix, or why it has none.
static const char *split_linear(lbMat3 linear, double *scale, lbQuat *rotation) {
  double size = 0;
  for (int i = 0; i < 3; i++) size = fmax(size, lb_length(lb_mat3_column(linear, i)));
  double determinant = lb_mat3_determinant(linear);
  if (!isfinite(size)) return "is not finite";
  if (!(fabs(determinant) > 1e-9 * size * size * size)) return "has a scale of zero";
  if (determinant < 0) return "is mirrored (a negative scale)";
  lbMat3 turned;
  lb_polar3(linear, &turned, NULL);
  *scale = cbrt(determinant);
  for (int i = 0; i < 9; i++)
    if (fabs(linear.m[i] - *scale * turned.m[i]) > scale_slack * size)
      return "is stretched unevenly";
  *rotation = lb_quat_from_mat3(turned);
  return NULL;
}

static bool nearly_equal(const double *a, const double *b) {
  double size = 0;
  for (int i = 0; i < 16; i++) size = fmax(size, fabs(a[i]));
  for (int i = 0; i < 16; i++)
    if (!(fabs(a[i] - b[i]) <= scale_slack * size)) return false;
  return true;
}

// ---- joints ------------------------------------------------------------------------------------

static const char *name_glb_joint(const lbGlbFile *glb, int32_t node) {
  return lb_json_text(lb_glb_item(glb, "nodes", node), "name", "");
}

static lbStatus fail_glb_joint(const lbGlbSkins *skins, int32_t node, const char *what,
                               lbError *err) {
  return lb_glb_fail(skins->glb, err, "the joint \"%.60s\" (nodes[%d]) %s",
                     name_glb_joint(skins->glb, node), (int)node, what);
}

// Adds the joint at a node, or finds that it is known with the same bind matrix.
static lbStatus add_joint(lbGlbSkins *skins, int32_t node, const double *bind, lbError *err) {
  lbRig *rig = skins->rig;
  size_t count = (size_t)rig->joint_count;
  if (skins->joint_of[node] >= 0) {
    if (nearly_equal(skins->binds + 16 * (size_t)skins->joint_of[node], bind)) return LB_OK;
    return fail_glb_joint(skins, node, "has another bind pose in another skin", err);
  }
  if (!lb_grow((void **)&rig->joints, &skins->joint_capacity, count + 1, sizeof *rig->joints) ||
      !lb_grow((void **)&skins->worlds, &skins->world_capacity, count + 1, 16 * sizeof(double)) ||
      !lb_grow((void **)&skins->binds, &skins->bind_capacity, count + 1, 16 * sizeof(double)))
    return lb_fail_memory(err);
  lbRigJoint *joint = &rig->joints[count];
  *joint =
      (lbRigJoint){ .name = lb_duplicate_text(name_glb_joint(skins->glb, node)), .node = node };
  if (!joint->name) return lb_fail_memory(err);
  rig->joint_count++;
  skins->joint_of[node] = (int32_t)count;
  memcpy(skins->binds + 16 * count, bind, 16 * sizeof(double));
  lb_glb_world_matrix(skins->glb, skins->parents, node, skins->worlds + 16 * count);
  double scale;
  lbQuat rotation;
  const char *fault = split_linear(linear_of(bind), &scale, &rotation);
  if (!fault) fault = split_linear(linear_of(skins->worlds + 16 * count), &scale, &rotation);
  return fault ? fail_glb_joint(skins, node, fault, err) : LB_OK;
}

static lbStatus read_skin(lbGlbSkins *skins, int32_t index, lbError *err) {
  const lbGlbFile *glb = skins->glb;
  const json_t *item = lb_glb_item(glb, "skins", index), *joints = json_object_get(item, "joints");
  static const double identity[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
  size_t count = json_array_size(joints);
  double *binds = NULL;
  int32_t bind_count = 0;
  if (count == 0) return lb_glb_fail(glb, err, "skins[%d] has no joints", (int)index);
  int64_t accessor = lb_json_integer(item, "inverseBindMatrices", -1);
  lbStatus status = LB_OK;
  if (accessor >= 0) status = lb_glb_accessor(glb, accessor, 16, &binds, &bind_count, err);
  if (!status && accessor >= 0 && (size_t)bind_count < count)
    status = lb_glb_fail(glb, err, "skins[%d] has %zu joints and %d bind matrices", (int)index,
                         count, (int)bind_count);
  for (size_t k = 0; k < count && !status; k++) {
    const json_t *entry = json_array_get(joints, k);
    int64_t node = json_is_integer(entry) ? json_integer_value(entry) : -1;
    if (!lb_glb_item(glb, "nodes", node))
      status = lb_glb_fail(glb, err, "skins[%d] has the joint nodes[%lld], there are %d",
                           (int)index, (long long)node, (int)lb_glb_count(glb, "nodes"));
    else
      status = add_joint(skins, (int32_t)node, binds ? binds + 16 * k : identity, err);
    if (!status) skins->skin_joints[(size_t)skins->skin_begin[index] + k] = skins->joint_of[node];
  }
  lb_free(binds);
  return status;
}

static int32_t joint_above(const lbGlbSkins *skins, int32_t node) {
  while (node >= 0 && skins->joint_of[node] < 0) node = skins->parents[node];
  return node < 0 ? -1 : skins->joint_of[node];
}

lbStatus lb_glb_skins_begin(lbGlbSkins *skins, const lbGlbFile *glb, lbError *err) {
  int32_t node_count = lb_glb_count(glb, "nodes"), skin_count = lb_glb_count(glb, "skins");
  size_t total = 0;
  skins->glb = glb;
  if (skin_count == 0) return lb_glb_fail(glb, err, "has no skin: it is not a rig");
  lbStatus status = lb_glb_parents(glb, &skins->parents, err);
  if (status) return status;
  for (int32_t i = 0; i < skin_count; i++)
    total += json_array_size(json_object_get(lb_glb_item(glb, "skins", i), "joints"));
  skins->rig = lb_alloc(1, sizeof *skins->rig);
  skins->joint_of = lb_alloc((size_t)node_count, sizeof *skins->joint_of);
  skins->skin_begin = lb_alloc((size_t)skin_count + 1, sizeof *skins->skin_begin);
  skins->skin_joints = lb_alloc(total, sizeof *skins->skin_joints);
  if (!skins->rig || !skins->joint_of || !skins->skin_begin || !skins->skin_joints ||
      !lb_grow((void **)&skins->rig->begin, &skins->begin_capacity, 1, sizeof(int32_t)))
    return lb_fail_memory(err);
  skins->rig->begin[0] = 0;
  for (int32_t i = 0; i < node_count; i++) skins->joint_of[i] = -1;
  for (int32_t i = 0; i < skin_count && !status; i++) {
    size_t own = json_array_size(json_object_get(lb_glb_item(glb, "skins", i), "joints"));
    skins->skin_begin[i + 1] = skins->skin_begin[i] + (int32_t)own;
    status = read_skin(skins, i, err);
  }
  for (int32_t k = 0; k < skins->rig->joint_count && !status; k++)
    skins->rig->joints[k].parent = joint_above(skins, skins->parents[skins->rig->joints[k].node]);
  return status;
}

// ---- weights -----------------------------------------------------------------------------------

typedef struct Sets { // JOINTS_n and WEIGHTS_n of a primitive
  double *joints[LB_RIG_SETS_MOST], *weights[LB_RIG_SETS_MOST];
  int32_t count;
} Sets;

static lbStatus read_influence_set(const lbGlbFile *glb, const json_t *attributes, int32_t number,
                                   const char *kind, int32_t vertex_count, double **values,
                                   bool *here, lbError *err) {
  char name[24];
  int32_t count = 0;
  snprintf(name, sizeof name, "%s_%d", kind, (int)number);
  int64_t accessor = lb_json_integer(attributes, name, -1);
  *here = accessor >= 0;
  if (!*here) return LB_OK;
  lbStatus status = lb_glb_accessor(glb, accessor, 4, values, &count, err);
  if (!status && count != vertex_count)
    status = lb_glb_fail(glb, err, "accessors[%lld] (%s) has %d rows for %d vertices",
                         (long long)accessor, name, (int)count, (int)vertex_count);
  return status;
}

static lbStatus read_sets(const lbGlbFile *glb, const json_t *attributes, int32_t vertex_count,
                          Sets *sets, lbError *err) {
  for (; sets->count < LB_RIG_SETS_MOST; sets->count++) {
    int32_t n = sets->count;
    bool joints = false, weights = false;
    lbStatus status = read_influence_set(glb, attributes, n, "JOINTS", vertex_count,
                                         &sets->joints[n], &joints, err);
    if (!status)
      status = read_influence_set(glb, attributes, n, "WEIGHTS", vertex_count, &sets->weights[n],
                                  &weights, err);
    if (!status && joints != weights)
      status =
          lb_glb_fail(glb, err, "a primitive has %s_%d without %s_%d",
                      joints ? "JOINTS" : "WEIGHTS", (int)n, joints ? "WEIGHTS" : "JOINTS", (int)n);
    if (status) return status;
    if (!joints) break;
  }
  if (sets->count == 0)
    return lb_glb_fail(glb, err, "a mesh with a skin has a primitive without JOINTS_0");
  return LB_OK;
}

static void release_sets(Sets *sets) {
  for (int n = 0; n < LB_RIG_SETS_MOST; n++) {
    lb_free(sets->joints[n]);
    lb_free(sets->weights[n]);
  }
}

typedef struct Influence {
  int32_t joint;
  double weight;
} Influence;

// Keeps them sorted, the largest first; a joint that comes again is added to.
static int32_t insert_influence(Influence *list, int32_t count, int32_t joint, double weight) {
  int32_t at = 0;
  while (at < count && list[at].joint != joint) at++;
  if (at == count) list[count++] = (Influence){ joint, 0 };
  Influence own = { joint, list[at].weight + weight };
  for (; at > 0 && list[at - 1].weight < own.weight; at--) list[at] = list[at - 1];
  list[at] = own;
  return count;
}

static bool append_influences(lbGlbSkins *skins, bool skinned, const Influence *list, int32_t count,
                              double sum) {
  lbRig *rig = skins->rig;
  size_t vertex = (size_t)rig->vertex_count, begin = (size_t)rig->begin[vertex];
  if (begin + (size_t)count > INT32_MAX ||
      !lb_grow((void **)&rig->begin, &skins->begin_capacity, vertex + 2, sizeof *rig->begin) ||
      !lb_grow((void **)&rig->vertex_joints, &skins->id_capacity, begin + (size_t)count,
               sizeof *rig->vertex_joints) ||
      !lb_grow((void **)&rig->weights, &skins->weight_capacity, begin + (size_t)count,
               sizeof *rig->weights) ||
      !lb_grow((void **)&skins->skinned, &skins->skinned_capacity, vertex + 1, sizeof(bool)))
    return false;
  skins->skinned[vertex] = skinned;
  for (int32_t k = 0; k < count; k++) {
    rig->vertex_joints[begin + (size_t)k] = list[k].joint;
    rig->weights[begin + (size_t)k] = list[k].weight / sum;
  }
  rig->begin[vertex + 1] = (int32_t)begin + count;
  rig->vertex_count++;
  return true;
}

static lbStatus take_vertex(lbGlbSkins *skins, int32_t skin, const Sets *sets, size_t vertex,
                            lbError *err) {
  Influence list[4 * LB_RIG_SETS_MOST];
  int32_t count = 0, joint_count = skins->skin_begin[skin + 1] - skins->skin_begin[skin];
  double sum = 0;
  for (int32_t n = 0; n < sets->count; n++)
    for (size_t k = 4 * vertex; k < 4 * vertex + 4; k++) {
      double joint = sets->joints[n][k], weight = sets->weights[n][k];
      if (!(weight >= 0 && isfinite(weight)))
        return lb_glb_fail(skins->glb, err, "vertex %zu of a skin has the weight %g", vertex,
                           weight);
      if (weight == 0) continue;
      if (!(joint >= 0 && joint < joint_count))
        return lb_glb_fail(skins->glb, err,
                           "vertex %zu hangs on joint %g of skins[%d], which has %d", vertex, joint,
                           (int)skin, (int)joint_count);
      sum += weight;
      count = insert_influence(
          list, count, skins->skin_joints[skins->skin_begin[skin] + (int32_t)joint], weight);
    }
  if (!(fabs(sum - 1) <= sum_slack))
    return lb_glb_fail(skins->glb, err,
                       "the joint weights of vertex %zu sum to %g, they must sum to 1: normalise "
                       "them where the rig was made",
                       vertex, sum);
  return append_influences(skins, true, list, count, sum) ? LB_OK : lb_fail_memory(err);
}

lbStatus lb_glb_skin_vertices(lbGlbSkins *skins, int32_t node, const json_t *attributes,
                              int32_t count, lbError *err) {
  int64_t skin = lb_json_integer(lb_glb_item(skins->glb, "nodes", node), "skin", -1);
  if (skin < 0) { // moves with the joint that it is below
    Influence whole = { joint_above(skins, node), 1 };
    for (int32_t v = 0; v < count; v++)
      if (!append_influences(skins, false, &whole, whole.joint >= 0, 1)) return lb_fail_memory(err);
    return LB_OK;
  }
  if (!lb_glb_item(skins->glb, "skins", skin))
    return lb_glb_fail(skins->glb, err, "nodes[%d] uses skins[%lld], there are %d", (int)node,
                       (long long)skin, (int)lb_glb_count(skins->glb, "skins"));
  Sets sets = { .count = 0 };
  lbStatus status = read_sets(skins->glb, attributes, count, &sets, err);
  for (int32_t v = 0; v < count && !status; v++)
    status = take_vertex(skins, (int32_t)skin, &sets, (size_t)v, err);
  release_sets(&sets);
  return status;
}

// ---- the rest pose -----------------------------------------------------------------------------

static lbVec3 map_point(const double *m, lbVec3 p) {
  return lb_add(lb_mat3_apply(linear_of(m), p), lb_vec3_load(m + 12));
}

// Whether all joints stand in one place relative to their bind poses: *whole = world bind.
static bool stand_together(const lbGlbSkins *skins, double *whole) {
  for (int32_t k = 0; k < skins->rig->joint_count; k++) {
    double own[16];
    lb_glb_multiply(skins->worlds + 16 * (size_t)k, skins->binds + 16 * (size_t)k, own);
    if (k == 0)
      memcpy(whole, own, sizeof own);
    else if (!nearly_equal(whole, own))
      return false;
  }
  return true;
}

// Where a joint is bound, in the mesh's coordinates.
static lbVec3 bound_place(const double *bind) {
  lbMat3 inverse = lb_mat3_inverse(linear_of(bind));
  return lb_scale(-1, lb_mat3_apply(inverse, lb_vec3_load(bind + 12)));
}

// How far joints are from where they are bound, moved by `whole`; m, in all.
static double distance_from_bind(const lbGlbSkins *skins, const double *whole) {
  double sum = 0;
  for (int32_t k = 0; k < skins->rig->joint_count; k++) {
    lbVec3 bound = map_point(whole, bound_place(skins->binds + 16 * (size_t)k));
    sum += lb_length(lb_sub(bound, lb_vec3_load(skins->worlds + 16 * (size_t)k + 12)));
  }
  return sum;
}

// Joints that stand in another pose than the one they are bound in: the mesh is in the axes of the
// scene, or of the node that holds the skeleton, whichever brings the joints nearer.
static void guess_place(const lbGlbSkins *skins, double *whole) {
  double held[16];
  memset(whole, 0, 16 * sizeof *whole);
  for (int i = 0; i < 4; i++) whole[5 * i] = 1;
  for (int32_t k = 0; k < skins->rig->joint_count; k++) {
    int32_t above = skins->parents[skins->rig->joints[k].node];
    if (skins->rig->joints[k].parent >= 0 || above < 0) continue;
    lb_glb_world_matrix(skins->glb, skins->parents, above, held);
    if (distance_from_bind(skins, held) < distance_from_bind(skins, whole))
      memcpy(whole, held, sizeof held);
  }
}

static void place_joint(const double *bind, const double *whole, lbRigJoint *joint) {
  lbMat3 inverse = lb_mat3_inverse(linear_of(bind));
  double scale;
  joint->position = map_point(whole, bound_place(bind));
  split_linear(lb_mat3_multiply(linear_of(whole), inverse), &scale, &joint->rotation);
}

// Vertices with a skin move; those without one stand where their node puts them.
static lbStatus move_mesh(const lbGlbSkins *skins, const char *path, const double *whole,
                          lbMesh *mesh, lbError *err) {
  double scale;
  lbQuat rotation;
  const char *fault = split_linear(linear_of(whole), &scale, &rotation);
  if (fault) return lb_fail(err, LB_ERR_FORMAT, "%s: the skeleton %s", path, fault);
  for (int32_t v = 0; v < mesh->vertex_count; v++) {
    if (!skins->skinned[v]) continue;
    double *at = mesh->positions + 3 * (size_t)v;
    lb_vec3_store(at, map_point(whole, lb_vec3_load(at)));
  }
  return LB_OK;
}

lbStatus lb_glb_skins_finish(lbGlbSkins *skins, const char *path, lbMesh *mesh, lbRig **out,
                             lbError *err) {
  double whole[16] = { 0 };
  lbRig *rig = skins->rig;
  if (rig->vertex_count != mesh->vertex_count)
    return lb_fail(err, LB_ERR_FORMAT, "%s: %d vertices have joint weights, the mesh has %d", path,
                   (int)rig->vertex_count, (int)mesh->vertex_count);
  if (!stand_together(skins, whole)) {
    guess_place(skins, whole);
    lb_log(LB_LOG_INFO, "%s: the joints do not stand in their bind pose, which is taken", path);
  }
  lbStatus status = move_mesh(skins, path, whole, mesh, err);
  if (status) return status;
  for (int32_t k = 0; k < rig->joint_count; k++)
    place_joint(skins->binds + 16 * (size_t)k, whole, &rig->joints[k]);
  if (!out) return LB_OK;
  skins->rig = NULL;
  *out = rig;
  return LB_OK;
}

lbStatus lb_rig_load(const char *path, lbMesh **mesh, lbRig **rig, lbError *err) {
  char *content = NULL;
  size_t bytes;
  lbStatus status = lb_file_read(path, &content, &bytes, err);
  if (!status) status = lb_rig_read(path, content, bytes, mesh, rig, err);
  lb_free(content);
  return status;
}
