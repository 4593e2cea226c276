// Placed meshes and their tracks: morph weights, and translation and rotation of rigid motion.
#include "gltf/document.h"

#include <math.h>
#include <string.h>

// ---- checks ------------------------------------------------------------------------------------

static float length_of(const float q[4]) {
  return sqrtf(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}

static lbStatus check_node_rotations(const float *rotations, size_t count, const char *what,
                                     lbError *err) {
  for (size_t i = 0; i < count; i++) {
    const float *q = rotations + 4 * i;
    float length = length_of(q);
    if (!(length > 1e-15f && length < 1e15f))
      return lb_fail(err, LB_ERR_ARGUMENT,
                     "%s[%llu] is (%g, %g, %g, %g), which has zero or non-finite length", what,
                     (unsigned long long)i, (double)q[0], (double)q[1], (double)q[2], (double)q[3]);
  }
  return LB_OK;
}

static int32_t target_count_of(const lbGltf *gltf, const lbGltfNode *node) {
  return node->mesh < 0 ? 0 : gltf->target_counts[node->mesh];
}

static lbStatus check_node(const lbGltf *gltf, const lbGltfNode *node, lbError *err) {
  size_t frames = (size_t)gltf->frame_count;
  if (node->mesh < -1 || node->mesh >= gltf->meshes.count)
    return lb_fail(err, LB_ERR_ARGUMENT, "a glTF node uses mesh %d, there are %d", (int)node->mesh,
                   (int)gltf->meshes.count);
  if (node->parent && (*node->parent < 0 || *node->parent >= gltf->nodes.count))
    return lb_fail(err, LB_ERR_ARGUMENT, "a glTF node has the parent %d, there are %d",
                   (int)*node->parent, (int)gltf->nodes.count);
  lbStatus skinned = lb_gltf_check_skin_of(gltf, node, err);
  if (skinned) return skinned;
  if ((node->translations || node->rotations || node->weights) && !frames)
    return lb_fail(err, LB_ERR_ARGUMENT, "a glTF node has a track, but the document has no times");
  if (node->weights && !target_count_of(gltf, node))
    return lb_fail(err, LB_ERR_ARGUMENT, "a glTF node has weights, but no mesh with targets");
  lbStatus status = LB_OK;
  if (node->translation) status = lb_gltf_check_floats(node->translation, 3, "translation", err);
  if (!status && node->rotation) status = check_node_rotations(node->rotation, 1, "rotation", err);
  if (!status && node->translations)
    status = lb_gltf_check_floats(node->translations, 3 * frames, "translations", err);
  if (!status && node->rotations)
    status = check_node_rotations(node->rotations, frames, "rotations", err);
  if (!status && node->weights)
    status = lb_gltf_check_floats(node->weights, frames * (size_t)target_count_of(gltf, node),
                                  "weights", err);
  return status;
}

// ---- rotations ---------------------------------------------------------------------------------

// Normalises to float precision; a rotation of unit length keeps its bits.
static void put_unit(const float from[4], float to[4]) {
  double length = (double)length_of(from);
  if (fabs(length - 1) < 1e-6) length = 1;
  for (int k = 0; k < 4; k++) to[k] = (float)((double)from[k] / length);
}

// q and -q are one rotation: of the two, the one nearer to `before`, since viewers that interpolate
// plainly would otherwise go the long way round.
static void choose_sign(const float before[4], float q[4]) {
  float dot = before[0] * q[0] + before[1] * q[1] + before[2] * q[2] + before[3] * q[3];
  for (int k = 0; k < 4 && dot < 0; k++) q[k] = -q[k];
}

static float *make_rotations(const float *rotations, size_t frames) {
  float *made = lb_alloc(frames, 4 * sizeof *made);
  for (size_t f = 0; f < frames && made; f++) {
    put_unit(rotations + 4 * f, made + 4 * f);
    if (f) choose_sign(made + 4 * (f - 1), made + 4 * f);
  }
  return made;
}

// ---- tracks ------------------------------------------------------------------------------------

// Whether a track ever differs from where the node is without it.
static bool changes(const float *values, size_t frames, size_t width, const float *still) {
  for (size_t i = 0; i < frames * width; i++)
    if (values[i] != still[i % width]) return true;
  return false;
}

// The times, once for all samplers.
static int32_t times_accessor(lbGltf *gltf) {
  if (gltf->times_accessor < 0) {
    size_t count = (size_t)gltf->frame_count;
    float *times = lb_duplicate(gltf->times, count, sizeof *times);
    gltf->times_accessor = lb_gltf_add_floats(gltf, times, count, 1, LB_GLTF_ANY, true);
  }
  return gltf->times_accessor;
}

// Takes the values: (count x width).
static void add_channel(lbGltf *gltf, int32_t gltf_node, const char *path, float *values,
                        size_t count, int32_t width) {
  int32_t input = times_accessor(gltf);
  int32_t output = lb_gltf_add_floats(gltf, values, count, width, LB_GLTF_ANY, false);
  lbJson *samplers = &gltf->samplers, *channels = &gltf->channels;
  int32_t sampler = lb_json_next(samplers);
  lb_json_put(samplers, "{\"input\":");
  lb_json_put_integer(samplers, input);
  lb_json_put(samplers, ",\"interpolation\":\"LINEAR\",\"output\":");
  lb_json_put_integer(samplers, output);
  lb_json_put(samplers, "}");
  lb_json_next(channels);
  lb_json_put(channels, "{\"sampler\":");
  lb_json_put_integer(channels, sampler);
  lb_json_put(channels, ",\"target\":{\"node\":");
  lb_json_put_integer(channels, gltf_node);
  lb_json_put(channels, ",\"path\":");
  lb_json_put_string(channels, path);
  lb_json_put(channels, "}}");
}

// ---- nodes -------------------------------------------------------------------------------------

// Of the node that was put last.
static void remember_place(lbGltf *gltf, int32_t parent, size_t end) {
  int32_t number = gltf->nodes.count - 1;
  if (!lb_grow((void **)&gltf->places, &gltf->place_capacity, (size_t)number + 1,
               sizeof *gltf->places)) {
    lb_gltf_set_failed(gltf, LB_ERR_MEMORY);
    return;
  }
  gltf->places[number] = (lbGltfPlace){ .parent = parent, .end = end };
  if (parent >= 0) gltf->places[parent].child_count++;
}

static void put_node(lbGltf *gltf, const lbGltfNode *node, const float *translation,
                     const float *rotation) {
  lbJson *list = &gltf->nodes;
  lb_json_next(list);
  const char *comma = lb_gltf_open(list, node->name);
  if (node->mesh >= 0) {
    lb_json_put(list, comma);
    lb_json_put(list, "\"mesh\":");
    lb_json_put_integer(list, node->mesh);
    comma = ",";
  }
  if (node->skin) {
    lb_json_put(list, ",\"skin\":");
    lb_json_put_integer(list, *node->skin);
  }
  if (translation && (translation[0] != 0 || translation[1] != 0 || translation[2] != 0)) {
    lb_json_put(list, comma);
    lb_json_put_floats(list, "translation", translation, 3);
    comma = ",";
  }
  if (rotation && (rotation[0] != 0 || rotation[1] != 0 || rotation[2] != 0)) {
    lb_json_put(list, comma);
    lb_json_put_floats(list, "rotation", rotation, 4);
  }
  size_t end = list->length;
  lb_json_put(list, "}");
  remember_place(gltf, node->parent ? *node->parent : -1, end);
}

lbStatus lb_gltf_add_node(lbGltf *gltf, const lbGltfNode *node, int32_t *id, lbError *err) {
  lbStatus status = lb_gltf_check(gltf, err);
  if (!status) status = check_node(gltf, node, err);
  if (status) return status;
  size_t frames = (size_t)gltf->frame_count, targets = (size_t)target_count_of(gltf, node);
  int32_t number = gltf->nodes.count, gltf_node = number + 1; // 0 is the root
  float unit[4] = { 0, 0, 0, 1 };
  const float *translation = node->translation ? node->translation : node->translations;
  if (node->rotation) put_unit(node->rotation, unit);
  float *rotations = node->rotations ? make_rotations(node->rotations, frames) : NULL;
  if (node->rotations && !rotations) lb_gltf_set_failed(gltf, LB_ERR_MEMORY);
  const float *rotation = rotations && !node->rotation ? rotations : unit;
  put_node(gltf, node, translation, rotation);
  if (node->translations && changes(node->translations, frames, 3, translation))
    add_channel(gltf, gltf_node, "translation",
                lb_duplicate(node->translations, frames, 3 * sizeof(float)), frames, 3);
  if (rotations && changes(rotations, frames, 4, rotation)) {
    add_channel(gltf, gltf_node, "rotation", rotations, frames, 4);
    rotations = NULL;
  }
  lb_free(rotations);
  if (node->weights)
    add_channel(gltf, gltf_node, "weights",
                lb_duplicate(node->weights, frames * targets, sizeof(float)), frames * targets, 1);
  status = lb_gltf_check(gltf, err);
  if (!status && id) *id = number;
  return status;
}
