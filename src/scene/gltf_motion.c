// The motion of a glTF node: channels of an animation on the node and on its ancestors, composed.
//
// Where only the node itself is animated, and its channels have the same times, the keys of the
// path are those of the file: its ancestors are a fixed affine map, which may be applied to keys
// and tangents. Otherwise the composed frame is sampled at all times of all channels, which is
// exact for one node with linear channels of different times.
#include "scene/gltf_motion.h"

#include "scene/gltf_chain.h"

#include <stdlib.h>
#include <string.h>

#define MOST_SAMPLES 20000000 // times and nodes
#define FINE_SAMPLES 8        // between two keys

// ---- one path ----------------------------------------------------------------------------------

typedef struct Keys {
  double *times, *positions, *rotations, *position_tangents, *rotation_tangents;
} Keys;

static void release_keys(Keys *keys) {
  lb_free(keys->times);
  lb_free(keys->positions);
  lb_free(keys->rotations);
  lb_free(keys->position_tangents);
  lb_free(keys->rotation_tangents);
}

static lbStatus create_path(const lbGltfChain *chain, lbPathDef *def, const Keys *keys, bool cycle,
                            lbPath **out, lbError *err) {
  def->name = chain->glb->path;
  def->positions = keys->positions;
  def->rotations = keys->rotations;
  def->position_tangents = keys->position_tangents;
  def->rotation_tangents = keys->rotation_tangents;
  def->cycle = cycle;
  lbStatus status = lb_path_create(def, out, err);
  if (status == LB_ERR_ARGUMENT) status = LB_ERR_FORMAT;
  if (err && status) err->status = status;
  return status;
}

static const lbPath *any_channel(const lbGltfLink *link) {
  return link->channels[LB_GLTF_TRANSLATION] ? link->channels[LB_GLTF_TRANSLATION]
                                             : link->channels[LB_GLTF_ROTATION];
}

static bool same_keys(const lbPath *a, const lbPath *b) {
  const lbPathDef *x = lb_path_keys(a), *y = lb_path_keys(b);
  return x->key_count == y->key_count && x->interpolation == y->interpolation &&
         memcmp(x->times, y->times, (size_t)x->key_count * sizeof(double)) == 0;
}

static bool is_animated(const lbGltfLink *link) {
  for (int k = 0; k < LB_GLTF_TARGET_COUNT; k++)
    if (link->channels[k]) return true;
  return false;
}

// Only the node itself moves, and rigidly, with one list of times.
static bool has_plain_keys(const lbGltfChain *chain) {
  const lbGltfLink *own = &chain->links[0];
  for (int32_t i = 1; i < chain->count; i++)
    if (is_animated(&chain->links[i])) return false;
  if (!any_channel(own)) return false;
  return !own->channels[LB_GLTF_TRANSLATION] || !own->channels[LB_GLTF_ROTATION] ||
         same_keys(own->channels[LB_GLTF_TRANSLATION], own->channels[LB_GLTF_ROTATION]);
}

static void store_gltf_motion_quat(double *to, lbQuat q) {
  to[0] = q.x, to[1] = q.y, to[2] = q.z, to[3] = q.w;
}

static void map_quat(lbQuat by, const double *from, double *to) {
  store_gltf_motion_quat(to, lb_quat_multiply(by, lb_quat(from[0], from[1], from[2], from[3])));
}

static void map_keys(const lbGltfChain *chain, const lbPathDef *def, Keys *keys) {
  const lbGltfLink *own = &chain->links[0];
  const lbPathDef *moved =
      own->channels[LB_GLTF_TRANSLATION] ? lb_path_keys(own->channels[LB_GLTF_TRANSLATION]) : NULL;
  const lbPathDef *turned =
      own->channels[LB_GLTF_ROTATION] ? lb_path_keys(own->channels[LB_GLTF_ROTATION]) : NULL;
  lbGltfFrame above = lb_gltf_chain_at(chain, 1, 0);
  for (size_t i = 0; i < (size_t)def->key_count; i++) {
    lbVec3 p = moved ? lb_vec3_load(moved->positions + 3 * i) : own->translation;
    lb_vec3_store(keys->positions + 3 * i, lb_add(lb_mat3_apply(above.linear, p), above.shift));
    double fixed[4];
    store_gltf_motion_quat(fixed, own->rotation);
    map_quat(above.rotation, turned ? turned->rotations + 4 * i : fixed, keys->rotations + 4 * i);
    for (size_t k = 2 * i; k < 2 * i + 2 && keys->position_tangents; k++) {
      if (moved)
        lb_vec3_store(keys->position_tangents + 3 * k,
                      lb_mat3_apply(above.linear, lb_vec3_load(moved->position_tangents + 3 * k)));
      if (turned)
        map_quat(above.rotation, turned->rotation_tangents + 4 * k,
                 keys->rotation_tangents + 4 * k);
    }
  }
}

static lbStatus keep_keys(const lbGltfChain *chain, bool cycle, lbPath **out, lbError *err) {
  const lbPathDef *source = lb_path_keys(any_channel(&chain->links[0]));
  size_t count = (size_t)source->key_count;
  lbPathDef def = lb_path_def();
  Keys keys = { 0 };
  bool cubic = source->interpolation == LB_PATH_CUBIC;
  keys.positions = lb_alloc(count, 3 * sizeof(double));
  keys.rotations = lb_alloc(count, 4 * sizeof(double));
  if (cubic) keys.position_tangents = lb_alloc(count, 6 * sizeof(double));
  if (cubic) keys.rotation_tangents = lb_alloc(count, 8 * sizeof(double));
  bool complete = keys.positions && keys.rotations &&
                  (!cubic || (keys.position_tangents && keys.rotation_tangents));
  lbStatus status = complete ? LB_OK : lb_fail_memory(err);
  def.key_count = source->key_count;
  def.times = source->times;
  def.interpolation = source->interpolation;
  if (!status) map_keys(chain, &def, &keys);
  if (!status) status = create_path(chain, &def, &keys, cycle, out, err);
  release_keys(&keys);
  return status;
}

// ---- sampling ----------------------------------------------------------------------------------

static int compare_gltf_motion_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

typedef struct Mixture {
  int counts[3];     // channels of each interpolation
  size_t time_count; // of all channels
  bool ancestors;    // some are on ancestors
} Mixture;

static Mixture look_at_channels(const lbGltfChain *chain) {
  Mixture m = { 0 };
  for (int32_t i = 0; i < chain->count; i++)
    for (int k = 0; k < LB_GLTF_TARGET_COUNT; k++)
      if (chain->links[i].channels[k]) {
        const lbPathDef *keys = lb_path_keys(chain->links[i].channels[k]);
        m.counts[keys->interpolation]++;
        m.time_count += (size_t)keys->key_count;
        m.ancestors |= i > 0;
      }
  return m;
}

// All times of all channels, each once; with cubic channels, or turns on turns, also some between.
static lbStatus gather_times(const lbGltfChain *chain, const Mixture *m, Keys *keys, size_t *count,
                             lbError *err) {
  bool fine = m->counts[LB_PATH_CUBIC] || (m->ancestors && !m->counts[LB_PATH_STEP]);
  size_t parts = fine ? FINE_SAMPLES : 1, all = 0, unique = 0;
  double *times = lb_alloc(m->time_count, sizeof *times);
  if (!times) return lb_fail_memory(err);
  for (int32_t i = 0; i < chain->count; i++)
    for (int k = 0; k < LB_GLTF_TARGET_COUNT; k++)
      if (chain->links[i].channels[k]) {
        const lbPathDef *keys_of = lb_path_keys(chain->links[i].channels[k]);
        memcpy(times + all, keys_of->times, (size_t)keys_of->key_count * sizeof *times);
        all += (size_t)keys_of->key_count;
      }
  qsort(times, all, sizeof *times, compare_gltf_motion_numbers);
  for (size_t i = 0; i < all; i++)
    if (i == 0 || times[i] > times[unique - 1]) times[unique++] = times[i];
  lbStatus status = LB_OK;
  if (((unique - 1) * parts + 1) * (size_t)chain->count > MOST_SAMPLES)
    status = lb_glb_fail(chain->glb, err, "the motion has %zu key times on %d nodes, at most %d",
                         unique, (int)chain->count, MOST_SAMPLES);
  keys->times = status ? NULL : lb_alloc((unique - 1) * parts + 1, sizeof(double));
  if (!status && !keys->times) status = lb_fail_memory(err);
  for (size_t i = 0; i < unique && !status; i++)
    for (size_t k = 0; k < (i + 1 < unique ? parts : 1); k++) {
      double step = i + 1 < unique ? times[i + 1] - times[i] : 0;
      double t = times[i] + step * (double)k / (double)parts;
      if (*count == 0 || t > keys->times[*count - 1]) keys->times[(*count)++] = t;
    }
  lb_free(times);
  return status;
}

static lbStatus sample_gltf_motion(const lbGltfChain *chain, bool cycle, bool tell, lbPath **out,
                                   lbError *err) {
  Mixture m = look_at_channels(chain);
  Keys keys = { 0 };
  size_t count = 0;
  if (m.counts[LB_PATH_STEP] && (m.counts[LB_PATH_LINEAR] || m.counts[LB_PATH_CUBIC]))
    return lb_glb_fail(chain->glb, err,
                       "the motion mixes STEP with other interpolations, save it with one");
  lbStatus status = gather_times(chain, &m, &keys, &count, err);
  if (status) return status;
  if (tell && (m.ancestors || m.counts[LB_PATH_CUBIC]))
    lb_log(LB_LOG_WARNING,
           "%s: animations[%d]: %s, so the motion is sampled at %zu times and linear between them",
           chain->glb->path, (int)chain->animation,
           m.ancestors ? "ancestors of the node are animated too"
                       : "its cubic channels have different times",
           count);
  keys.positions = lb_alloc(count, 3 * sizeof(double));
  keys.rotations = lb_alloc(count, 4 * sizeof(double));
  if (!keys.positions || !keys.rotations) status = lb_fail_memory(err);
  for (size_t i = 0; i < count && !status; i++) {
    lbGltfFrame frame = lb_gltf_chain_at(chain, 0, keys.times[i]);
    lb_vec3_store(keys.positions + 3 * i, frame.shift);
    store_gltf_motion_quat(keys.rotations + 4 * i, frame.rotation);
  }
  lbPathDef def = lb_path_def();
  def.key_count = (int32_t)count;
  def.times = keys.times;
  def.interpolation = m.counts[LB_PATH_STEP] ? LB_PATH_STEP : LB_PATH_LINEAR;
  if (!status) status = create_path(chain, &def, &keys, cycle, out, err);
  release_keys(&keys);
  return status;
}

static lbStatus node_motion(const lbGlbFile *glb, int32_t node, const char *animation, bool cycle,
                            bool tell, lbPath **out, lbError *err) {
  lbGltfChain chain;
  lbStatus status = lb_gltf_chain_read(&chain, glb, node, animation, err);
  if (!status)
    status = has_plain_keys(&chain) ? keep_keys(&chain, cycle, out, err)
                                    : sample_gltf_motion(&chain, cycle, tell, out, err);
  lb_gltf_chain_release(&chain);
  return status;
}

lbStatus lb_gltf_node_motion(const lbGlbFile *glb, int32_t node, const char *animation, bool cycle,
                             lbPath **out, lbError *err) {
  return node_motion(glb, node, animation, cycle, false, out, err);
}

lbStatus lb_gltf_motion(const char *path, const char *content, size_t bytes, const char *node,
                        const char *animation, bool cycle, lbPath **out, lbError *err) {
  lbGlbFile glb = { 0 };
  int32_t index = -1;
  lbStatus status = lb_glb_open(&glb, path, content, bytes, err);
  if (!status) status = lb_gltf_find_named(&glb, "nodes", "node", node, &index, err);
  if (!status) status = node_motion(&glb, index, animation, cycle, true, out, err);
  lb_glb_close(&glb);
  return status;
}
