// A node of a glTF file with its ancestors: their places, the channels of an animation that move
// them, and where the node is at a time.
#include "scene/gltf_chain.h"

#include "scene/gltf_motion.h"

#include <stdio.h>
#include <string.h>

#define MOST_KEYS 10000000 // of all channels together

static const char *const target_names[] = { "translation", "rotation", "scale", NULL };
static const int32_t target_widths[] = { 3, 4, 3 };

// ---- nodes -------------------------------------------------------------------------------------

static lbStatus fail_unknown_chain(const lbGlbFile *glb, const char *list, const char *what,
                                   const char *name, lbError *err) {
  int32_t count = lb_glb_count(glb, list);
  const char **names = lb_alloc((size_t)count + 1, sizeof *names);
  if (!names) return lb_fail_memory(err);
  for (int32_t i = 0; i < count; i++)
    names[i] = lb_json_text(lb_glb_item(glb, list, i), "name", " "); // NULL would end the list
  const char *nearest = lb_nearest_name(name, names);
  lbStatus status = nearest
                        ? lb_glb_fail(glb, err, "there is no %s \"%.60s\", did you mean \"%.60s\"?",
                                      what, name, nearest)
                        : lb_glb_fail(glb, err, "there is no %s \"%.60s\"", what, name);
  lb_free(names);
  return status;
}

lbStatus lb_gltf_find_named(const lbGlbFile *glb, const char *list, const char *what,
                            const char *name, int32_t *index, lbError *err) {
  *index = -1;
  for (int32_t i = 0; i < lb_glb_count(glb, list); i++) {
    const char *own = lb_json_text(lb_glb_item(glb, list, i), "name", NULL);
    if (!own || strcmp(own, name) != 0) continue;
    if (*index >= 0)
      return lb_glb_fail(glb, err, "%s[%d] and %s[%d] are both called \"%.60s\"", list, (int)*index,
                         list, (int)i, name);
    *index = i;
  }
  return *index >= 0 ? LB_OK : fail_unknown_chain(glb, list, what, name, err);
}

static lbStatus read_link(const lbGlbFile *glb, int32_t node, lbGltfLink *link, lbError *err) {
  const json_t *item = lb_glb_item(glb, "nodes", node);
  double t[3] = { 0, 0, 0 }, q[4] = { 0, 0, 0, 1 }, s[3] = { 1, 1, 1 }, m[16];
  link->node = node;
  lb_json_numbers(item, "translation", t, 3);
  lb_json_numbers(item, "rotation", q, 4);
  lb_json_numbers(item, "scale", s, 3);
  link->translation = lb_vec3_load(t);
  link->scale = lb_vec3_load(s);
  link->rotation = lb_quat_normalise(lb_quat(q[0], q[1], q[2], q[3]));
  if (!lb_json_numbers(item, "matrix", m, 16)) return LB_OK;
  lbMat3 rotation;
  link->has_matrix = true;
  link->linear = lb_mat3_from_columns(lb_vec3_load(m), lb_vec3_load(m + 4), lb_vec3_load(m + 8));
  if (!(fabs(lb_mat3_determinant(link->linear)) > 0))
    return lb_glb_fail(glb, err, "nodes[%d] has a matrix without an inverse", (int)node);
  lb_polar3(link->linear, &rotation, NULL);
  link->rotation = lb_quat_from_mat3(rotation);
  link->translation = lb_vec3_load(m + 12);
  return LB_OK;
}

static lbStatus read_chain(lbGltfChain *chain, int32_t node, lbError *err) {
  int32_t count = lb_glb_count(chain->glb, "nodes"), length = 0, *parents = NULL;
  lbStatus status = lb_glb_parents(chain->glb, &parents, err);
  if (status) return status;
  for (int32_t i = node; i >= 0; i = parents[i]) length++;
  chain->links = lb_alloc((size_t)length, sizeof *chain->links);
  chain->place = lb_alloc((size_t)count, sizeof *chain->place);
  if (!chain->links || !chain->place) status = lb_fail_memory(err);
  for (int32_t i = 0; i < count && !status; i++) chain->place[i] = -1;
  for (int32_t i = node; !status && i >= 0; i = parents[i]) {
    chain->place[i] = chain->count;
    status = read_link(chain->glb, i, &chain->links[chain->count++], err);
  }
  lb_free(parents);
  return status;
}

// ---- channels ----------------------------------------------------------------------------------

static lbGltfLink *link_of(const lbGltfChain *chain, int64_t node) {
  bool there = node >= 0 && node < lb_glb_count(chain->glb, "nodes");
  return there && chain->place[node] >= 0 ? &chain->links[chain->place[node]] : NULL;
}

static int target_of(const json_t *target) {
  const char *path = lb_json_text(target, "path", "");
  for (int k = 0; k < LB_GLTF_TARGET_COUNT; k++)
    if (strcmp(path, target_names[k]) == 0) return k;
  return -1; // morph weights and what extensions add
}

// Whether an animation moves a node of the chain.
static bool moves_chain(const lbGltfChain *chain, int32_t animation) {
  const json_t *channels =
      json_object_get(lb_glb_item(chain->glb, "animations", animation), "channels");
  for (size_t i = 0; i < json_array_size(channels); i++) {
    const json_t *target = json_object_get(json_array_get(channels, i), "target");
    if (target_of(target) >= 0 && link_of(chain, lb_json_integer(target, "node", -1))) return true;
  }
  return false;
}

static lbStatus choose_animation(lbGltfChain *chain, const char *name, lbError *err) {
  const char *node =
      lb_json_text(lb_glb_item(chain->glb, "nodes", chain->links[0].node), "name", "");
  chain->animation = 0;
  if (name) {
    lbStatus status =
        lb_gltf_find_named(chain->glb, "animations", "animation", name, &chain->animation, err);
    if (status || moves_chain(chain, chain->animation)) return status;
    return lb_glb_fail(chain->glb, err, "the animation \"%.60s\" does not move the node \"%.60s\"",
                       name, node);
  }
  int32_t count = lb_glb_count(chain->glb, "animations");
  while (chain->animation < count && !moves_chain(chain, chain->animation)) chain->animation++;
  if (chain->animation < count) return LB_OK;
  return lb_glb_fail(chain->glb, err, "no animation moves the node \"%.60s\"", node);
}

static lbStatus read_interpolation(const char *where, const json_t *sampler,
                                   lbPathInterpolation *interpolation, lbError *err) {
  static const char *const names[] = { "LINEAR", "CUBICSPLINE", "STEP" };
  const char *text = lb_json_text(sampler, "interpolation", "LINEAR");
  for (int i = 0; i < 3; i++)
    if (strcmp(text, names[i]) == 0) {
      *interpolation = (lbPathInterpolation)i;
      return LB_OK;
    }
  return lb_fail(err, LB_ERR_FORMAT, "%s has the unknown interpolation \"%.40s\"", where, text);
}

// A cubic spline's output has three rows a key: slope in, value, slope out.
static void split_cubic(const double *output, size_t keys, size_t width, double *values,
                        double *tangents) {
  for (size_t i = 0; i < keys; i++) {
    const double *rows = output + 3 * width * i;
    memcpy(tangents + 2 * width * i, rows, width * sizeof(double));
    memcpy(values + width * i, rows + width, width * sizeof(double));
    memcpy(tangents + 2 * width * i + width, rows + 2 * width, width * sizeof(double));
  }
}

typedef struct Channel {
  double *times, *output, *values, *tangents;
  int32_t time_count, output_count;
} Channel;

static lbStatus make_channel(const char *name, const Channel *c, int target,
                             lbPathInterpolation kind, lbPath **out, lbError *err) {
  bool cubic = kind == LB_PATH_CUBIC;
  const double *values = cubic ? c->values : c->output;
  lbPathDef def = lb_path_def();
  def.name = name;
  def.key_count = c->time_count;
  def.times = c->times;
  def.interpolation = kind;
  if (target == LB_GLTF_ROTATION)
    def.rotations = values, def.rotation_tangents = cubic ? c->tangents : NULL;
  else
    def.positions = values, def.position_tangents = cubic ? c->tangents : NULL;
  lbStatus status = lb_path_create(&def, out, err);
  if (status == LB_ERR_ARGUMENT) status = LB_ERR_FORMAT;
  if (err && status) err->status = status;
  return status;
}

static lbStatus read_sampler(lbGltfChain *chain, const char *name, const json_t *sampler,
                             int target, Channel *c, lbPath **out, lbError *err) {
  const lbGlbFile *glb = chain->glb;
  lbPathInterpolation kind = LB_PATH_LINEAR;
  size_t width = (size_t)target_widths[target];
  lbStatus status = read_interpolation(name, sampler, &kind, err);
  if (!status)
    status = lb_glb_accessor(glb, lb_json_integer(sampler, "input", -1), 1, &c->times,
                             &c->time_count, err);
  if (!status)
    status = lb_glb_accessor(glb, lb_json_integer(sampler, "output", -1), (int32_t)width,
                             &c->output, &c->output_count, err);
  if (status) return status;
  chain->key_count += (int64_t)c->time_count + c->output_count;
  int64_t rows = (int64_t)c->time_count * (kind == LB_PATH_CUBIC ? 3 : 1);
  if (rows != c->output_count)
    return lb_fail(err, LB_ERR_FORMAT, "%s has %d times and %d values, %lld are needed", name,
                   (int)c->time_count, (int)c->output_count, (long long)rows);
  if (chain->key_count > MOST_KEYS)
    return lb_glb_fail(glb, err, "the channels have more than %d keys", MOST_KEYS);
  if (kind == LB_PATH_CUBIC) {
    c->values = lb_alloc((size_t)c->time_count, width * sizeof(double));
    c->tangents = lb_alloc((size_t)c->time_count, 2 * width * sizeof(double));
    if (!c->values || !c->tangents) return lb_fail_memory(err);
    split_cubic(c->output, (size_t)c->time_count, width, c->values, c->tangents);
  }
  return make_channel(name, c, target, kind, out, err);
}

static lbStatus read_chain_channel(lbGltfChain *chain, size_t index, lbError *err) {
  const lbGlbFile *glb = chain->glb;
  const json_t *animation = lb_glb_item(glb, "animations", chain->animation);
  const json_t *channel = json_array_get(json_object_get(animation, "channels"), index);
  const json_t *target = json_object_get(channel, "target");
  lbGltfLink *link = link_of(chain, lb_json_integer(target, "node", -1));
  int kind = target_of(target);
  if (!link || kind < 0) return LB_OK;
  char name[300];
  snprintf(name, sizeof name, "%.200s: animations[%d].channels[%zu]", glb->path,
           (int)chain->animation, index);
  int64_t number = lb_json_integer(channel, "sampler", -1);
  const json_t *sampler =
      number < 0 ? NULL : json_array_get(json_object_get(animation, "samplers"), (size_t)number);
  if (!json_is_object(sampler))
    return lb_fail(err, LB_ERR_FORMAT, "%s uses samplers[%lld], which is not there", name,
                   (long long)number);
  if (link->channels[kind] || link->has_matrix)
    return lb_fail(err, LB_ERR_FORMAT, "%s moves nodes[%d], which has %s already", name,
                   (int)link->node, link->has_matrix ? "a matrix" : "such a channel");
  Channel c = { 0 };
  lbStatus status = read_sampler(chain, name, sampler, kind, &c, &link->channels[kind], err);
  lb_free(c.times);
  lb_free(c.output);
  lb_free(c.values);
  lb_free(c.tangents);
  return status;
}

static lbStatus read_channels(lbGltfChain *chain, lbError *err) {
  const json_t *animation = lb_glb_item(chain->glb, "animations", chain->animation);
  size_t count = json_array_size(json_object_get(animation, "channels"));
  lbStatus status = LB_OK;
  for (size_t i = 0; i < count && !status; i++) status = read_chain_channel(chain, i, err);
  return status;
}

// ---- the composed frame ------------------------------------------------------------------------

static lbVec3 channel_vector(const lbPath *path, double t, lbVec3 otherwise) {
  lbPathState state;
  if (!path) return otherwise;
  lb_path_at(path, t, &state);
  return lb_vec3_load(state.position);
}

static lbQuat channel_rotation(const lbPath *path, double t, lbQuat otherwise) {
  lbPathState state;
  if (!path) return otherwise;
  lb_path_at(path, t, &state);
  return lb_quat(state.rotation[0], state.rotation[1], state.rotation[2], state.rotation[3]);
}

static lbGltfFrame link_at(const lbGltfLink *link, double t) {
  lbGltfFrame a = { .rotation =
                        channel_rotation(link->channels[LB_GLTF_ROTATION], t, link->rotation) };
  lbVec3 s = channel_vector(link->channels[LB_GLTF_SCALE], t, link->scale);
  a.shift = channel_vector(link->channels[LB_GLTF_TRANSLATION], t, link->translation);
  a.linear = lb_mat3_multiply(lb_quat_to_mat3(a.rotation), lb_mat3_diagonal(s.x, s.y, s.z));
  if (link->has_matrix) a.linear = link->linear;
  return a;
}

// All links from `first` on, at a time.
lbGltfFrame lb_gltf_chain_at(const lbGltfChain *chain, int32_t first, double t) {
  lbGltfFrame whole = { lb_mat3_identity(), lb_vec3(0, 0, 0), lb_quat_identity() };
  for (int32_t i = chain->count; i-- > first;) {
    lbGltfFrame a = link_at(&chain->links[i], t);
    whole.shift = lb_add(lb_mat3_apply(whole.linear, a.shift), whole.shift);
    whole.linear = lb_mat3_multiply(whole.linear, a.linear);
    whole.rotation = lb_quat_normalise(lb_quat_multiply(whole.rotation, a.rotation));
  }
  return whole;
}

static bool is_above(const int32_t *parents, int32_t node, int64_t wanted) {
  while (node >= 0 && node != wanted) node = parents[node];
  return node >= 0;
}

bool lb_gltf_node_moves(const lbGlbFile *glb, const int32_t *parents, int32_t node,
                        const char *animation) {
  for (int32_t a = 0; a < lb_glb_count(glb, "animations"); a++) {
    const json_t *item = lb_glb_item(glb, "animations", a);
    const json_t *channels = json_object_get(item, "channels");
    if (animation && strcmp(lb_json_text(item, "name", ""), animation) != 0) continue;
    for (size_t i = 0; i < json_array_size(channels); i++) {
      const json_t *target = json_object_get(json_array_get(channels, i), "target");
      if (target_of(target) >= 0 && is_above(parents, node, lb_json_integer(target, "node", -1)))
        return true;
    }
  }
  return false;
}

// ---- the whole ---------------------------------------------------------------------------------

lbStatus lb_gltf_chain_read(lbGltfChain *chain, const lbGlbFile *glb, int32_t node,
                            const char *animation, lbError *err) {
  *chain = (lbGltfChain){ .glb = glb };
  lbStatus status = read_chain(chain, node, err);
  if (!status) status = choose_animation(chain, animation, err);
  if (!status) status = read_channels(chain, err);
  return status;
}

void lb_gltf_chain_release(lbGltfChain *chain) {
  for (int32_t i = 0; chain->links && i < chain->count; i++)
    for (int k = 0; k < LB_GLTF_TARGET_COUNT; k++) lb_path_destroy(chain->links[i].channels[k]);
  lb_free(chain->links);
  lb_free(chain->place);
}
