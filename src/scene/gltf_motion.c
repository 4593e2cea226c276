// The motion of a glTF node: channels of an animation on the node and on its ancestors, composed.
//
// Where only the node itself is animated, and its channels have the same times, the keys of the
// path are those of the file: its ancestors are a fixed affine map, which may be applied to keys
// and tangents. Otherwise the composed frame is sampled at all times of all channels, which is
// exact for one node with linear channels of different times.
#include "scene/gltf_motion.h"

#include "limber/math.h"
#include "meshio/glb.h"

#include <stdlib.h>
#include <string.h>

#define MOST_KEYS 10000000    // of all channels together
#define MOST_SAMPLES 20000000 // times and nodes
#define CUBIC_SAMPLES 8       // between two keys

enum { TRANSLATION, ROTATION, SCALE, TARGET_COUNT };
static const char *const target_names[] = { "translation", "rotation", "scale", NULL };
static const int32_t target_widths[] = { 3, 4, 3 };

// A node of the chain from the one asked for up to its root.
typedef struct Link {
  int32_t node;
  lbVec3 translation, scale;
  lbQuat rotation;
  lbMat3 linear;                  // where the file gives a matrix
  bool has_matrix;                //
  lbPath *channels[TARGET_COUNT]; // NULL: not animated
} Link;

typedef struct Chain {
  lbGlbFile glb;
  int32_t animation;
  Link *links; // the node itself first
  int32_t count;
  int32_t *place;    // (nodes) in the chain; -1: not in it
  int64_t key_count; // read so far
} Chain;

static void release(Chain *chain) {
  for (int32_t i = 0; chain->links && i < chain->count; i++)
    for (int k = 0; k < TARGET_COUNT; k++) lb_path_destroy(chain->links[i].channels[k]);
  lb_free(chain->links);
  lb_free(chain->place);
  lb_glb_close(&chain->glb);
}

// ---- nodes -------------------------------------------------------------------------------------

static lbStatus fail_unknown(const lbGlbFile *glb, const char *list, const char *what,
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

static lbStatus find_named(const lbGlbFile *glb, const char *list, const char *what,
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
  return *index >= 0 ? LB_OK : fail_unknown(glb, list, what, name, err);
}

// The parent of every node, -1: none.
static lbStatus find_parents(const lbGlbFile *glb, int32_t *parents, lbError *err) {
  int32_t count = lb_glb_count(glb, "nodes");
  for (int32_t i = 0; i < count; i++) parents[i] = -1;
  for (int32_t i = 0; i < count; i++) {
    const json_t *children = json_object_get(lb_glb_item(glb, "nodes", i), "children");
    for (size_t k = 0; k < json_array_size(children); k++) {
      const json_t *item = json_array_get(children, k);
      int64_t child = json_is_integer(item) ? json_integer_value(item) : -1;
      if (child < 0 || child >= count)
        return lb_glb_fail(glb, err, "nodes[%d] has the child %lld, there are %d nodes", (int)i,
                           (long long)child, (int)count);
      if (parents[child] >= 0)
        return lb_glb_fail(glb, err, "nodes[%lld] has two parents", (long long)child);
      parents[child] = i;
    }
  }
  return LB_OK;
}

static lbStatus read_link(const lbGlbFile *glb, int32_t node, Link *link, lbError *err) {
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

static lbStatus read_chain(Chain *chain, int32_t node, lbError *err) {
  int32_t count = lb_glb_count(&chain->glb, "nodes"), length = 0;
  int32_t *parents = lb_alloc((size_t)count, sizeof *parents);
  if (!parents) return lb_fail_memory(err);
  lbStatus status = find_parents(&chain->glb, parents, err);
  for (int32_t i = node; !status && i >= 0; i = parents[i])
    if (++length > count)
      status = lb_glb_fail(&chain->glb, err, "nodes[%d] is its own ancestor", (int)node);
  chain->links = status ? NULL : lb_alloc((size_t)length, sizeof(Link));
  chain->place = status ? NULL : lb_alloc((size_t)count, sizeof(int32_t));
  if (!status && (!chain->links || !chain->place)) status = lb_fail_memory(err);
  for (int32_t i = 0; i < count && !status; i++) chain->place[i] = -1;
  for (int32_t i = node; !status && i >= 0; i = parents[i]) {
    chain->place[i] = chain->count;
    status = read_link(&chain->glb, i, &chain->links[chain->count++], err);
  }
  lb_free(parents);
  return status;
}

// ---- channels ----------------------------------------------------------------------------------

static Link *link_of(const Chain *chain, int64_t node) {
  bool there = node >= 0 && node < lb_glb_count(&chain->glb, "nodes");
  return there && chain->place[node] >= 0 ? &chain->links[chain->place[node]] : NULL;
}

static int target_of(const json_t *target) {
  const char *path = lb_json_text(target, "path", "");
  for (int k = 0; k < TARGET_COUNT; k++)
    if (strcmp(path, target_names[k]) == 0) return k;
  return -1; // morph weights and what extensions add
}

// Whether an animation moves a node of the chain.
static bool moves_chain(const Chain *chain, int32_t animation) {
  const json_t *channels =
      json_object_get(lb_glb_item(&chain->glb, "animations", animation), "channels");
  for (size_t i = 0; i < json_array_size(channels); i++) {
    const json_t *target = json_object_get(json_array_get(channels, i), "target");
    if (target_of(target) >= 0 && link_of(chain, lb_json_integer(target, "node", -1))) return true;
  }
  return false;
}

static lbStatus choose_animation(Chain *chain, const char *name, const char *node, lbError *err) {
  chain->animation = 0;
  if (name) {
    lbStatus status =
        find_named(&chain->glb, "animations", "animation", name, &chain->animation, err);
    if (status || moves_chain(chain, chain->animation)) return status;
    return lb_glb_fail(&chain->glb, err, "the animation \"%.60s\" does not move the node \"%.60s\"",
                       name, node);
  }
  int32_t count = lb_glb_count(&chain->glb, "animations");
  while (chain->animation < count && !moves_chain(chain, chain->animation)) chain->animation++;
  if (chain->animation < count) return LB_OK;
  return lb_glb_fail(&chain->glb, err, "no animation moves the node \"%.60s\"", node);
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
  if (target == ROTATION)
    def.rotations = values, def.rotation_tangents = cubic ? c->tangents : NULL;
  else
    def.positions = values, def.position_tangents = cubic ? c->tangents : NULL;
  lbStatus status = lb_path_create(&def, out, err);
  if (status == LB_ERR_ARGUMENT) status = LB_ERR_FORMAT;
  if (err && status) err->status = status;
  return status;
}

static lbStatus read_sampler(Chain *chain, const char *name, const json_t *sampler, int target,
                             Channel *c, lbPath **out, lbError *err) {
  const lbGlbFile *glb = &chain->glb;
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

static lbStatus read_channel(Chain *chain, size_t index, lbError *err) {
  const lbGlbFile *glb = &chain->glb;
  const json_t *animation = lb_glb_item(glb, "animations", chain->animation);
  const json_t *channel = json_array_get(json_object_get(animation, "channels"), index);
  const json_t *target = json_object_get(channel, "target");
  Link *link = link_of(chain, lb_json_integer(target, "node", -1));
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

static lbStatus read_channels(Chain *chain, lbError *err) {
  const json_t *animation = lb_glb_item(&chain->glb, "animations", chain->animation);
  size_t count = json_array_size(json_object_get(animation, "channels"));
  lbStatus status = LB_OK;
  for (size_t i = 0; i < count && !status; i++) status = read_channel(chain, i, err);
  return status;
}

// ---- the composed frame ------------------------------------------------------------------------

typedef struct Affine { // x -> linear x + shift; rotation is the linear part without its scale
  lbMat3 linear;
  lbVec3 shift;
  lbQuat rotation;
} Affine;

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

static Affine link_at(const Link *link, double t) {
  Affine a = { .rotation = channel_rotation(link->channels[ROTATION], t, link->rotation) };
  lbVec3 s = channel_vector(link->channels[SCALE], t, link->scale);
  a.shift = channel_vector(link->channels[TRANSLATION], t, link->translation);
  a.linear = lb_mat3_multiply(lb_quat_to_mat3(a.rotation), lb_mat3_diagonal(s.x, s.y, s.z));
  if (link->has_matrix) a.linear = link->linear;
  return a;
}

// All links from `first` on, at a time.
static Affine chain_at(const Chain *chain, int32_t first, double t) {
  Affine whole = { lb_mat3_identity(), lb_vec3(0, 0, 0), lb_quat_identity() };
  for (int32_t i = chain->count; i-- > first;) {
    Affine a = link_at(&chain->links[i], t);
    whole.shift = lb_add(lb_mat3_apply(whole.linear, a.shift), whole.shift);
    whole.linear = lb_mat3_multiply(whole.linear, a.linear);
    whole.rotation = lb_quat_normalise(lb_quat_multiply(whole.rotation, a.rotation));
  }
  return whole;
}

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

static lbStatus create_path(const Chain *chain, lbPathDef *def, const Keys *keys, bool cycle,
                            lbPath **out, lbError *err) {
  def->name = chain->glb.path;
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

static const lbPath *any_channel(const Link *link) {
  return link->channels[TRANSLATION] ? link->channels[TRANSLATION] : link->channels[ROTATION];
}

static bool same_keys(const lbPath *a, const lbPath *b) {
  const lbPathDef *x = lb_path_keys(a), *y = lb_path_keys(b);
  return x->key_count == y->key_count && x->interpolation == y->interpolation &&
         memcmp(x->times, y->times, (size_t)x->key_count * sizeof(double)) == 0;
}

static bool is_animated(const Link *link) {
  for (int k = 0; k < TARGET_COUNT; k++)
    if (link->channels[k]) return true;
  return false;
}

// Only the node itself moves, and rigidly, with one list of times.
static bool has_plain_keys(const Chain *chain) {
  const Link *own = &chain->links[0];
  for (int32_t i = 1; i < chain->count; i++)
    if (is_animated(&chain->links[i])) return false;
  if (!any_channel(own)) return false;
  return !own->channels[TRANSLATION] || !own->channels[ROTATION] ||
         same_keys(own->channels[TRANSLATION], own->channels[ROTATION]);
}

static void store_quat(double *to, lbQuat q) { to[0] = q.x, to[1] = q.y, to[2] = q.z, to[3] = q.w; }

static void map_quat(lbQuat by, const double *from, double *to) {
  store_quat(to, lb_quat_multiply(by, lb_quat(from[0], from[1], from[2], from[3])));
}

static void map_keys(const Chain *chain, const lbPathDef *def, Keys *keys) {
  const Link *own = &chain->links[0];
  const lbPathDef *moved =
      own->channels[TRANSLATION] ? lb_path_keys(own->channels[TRANSLATION]) : NULL;
  const lbPathDef *turned = own->channels[ROTATION] ? lb_path_keys(own->channels[ROTATION]) : NULL;
  Affine above = chain_at(chain, 1, 0);
  for (size_t i = 0; i < (size_t)def->key_count; i++) {
    lbVec3 p = moved ? lb_vec3_load(moved->positions + 3 * i) : own->translation;
    lb_vec3_store(keys->positions + 3 * i, lb_add(lb_mat3_apply(above.linear, p), above.shift));
    double fixed[4];
    store_quat(fixed, own->rotation);
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

static lbStatus keep_keys(const Chain *chain, bool cycle, lbPath **out, lbError *err) {
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

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

typedef struct Mixture {
  int counts[3];     // channels of each interpolation
  size_t time_count; // of all channels
  bool ancestors;    // some are on ancestors
} Mixture;

static Mixture look_at_channels(const Chain *chain) {
  Mixture m = { 0 };
  for (int32_t i = 0; i < chain->count; i++)
    for (int k = 0; k < TARGET_COUNT; k++)
      if (chain->links[i].channels[k]) {
        const lbPathDef *keys = lb_path_keys(chain->links[i].channels[k]);
        m.counts[keys->interpolation]++;
        m.time_count += (size_t)keys->key_count;
        m.ancestors |= i > 0;
      }
  return m;
}

// All times of all channels, each once; with cubic channels also some between.
static lbStatus gather_times(const Chain *chain, const Mixture *m, Keys *keys, size_t *count,
                             lbError *err) {
  size_t parts = m->counts[LB_PATH_CUBIC] ? CUBIC_SAMPLES : 1, all = 0, unique = 0;
  double *times = lb_alloc(m->time_count, sizeof *times);
  if (!times) return lb_fail_memory(err);
  for (int32_t i = 0; i < chain->count; i++)
    for (int k = 0; k < TARGET_COUNT; k++)
      if (chain->links[i].channels[k]) {
        const lbPathDef *keys_of = lb_path_keys(chain->links[i].channels[k]);
        memcpy(times + all, keys_of->times, (size_t)keys_of->key_count * sizeof *times);
        all += (size_t)keys_of->key_count;
      }
  qsort(times, all, sizeof *times, compare_numbers);
  for (size_t i = 0; i < all; i++)
    if (i == 0 || times[i] > times[unique - 1]) times[unique++] = times[i];
  lbStatus status = LB_OK;
  if (((unique - 1) * parts + 1) * (size_t)chain->count > MOST_SAMPLES)
    status = lb_glb_fail(&chain->glb, err, "the motion has %zu key times on %d nodes, at most %d",
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

static lbStatus sample(const Chain *chain, bool cycle, lbPath **out, lbError *err) {
  Mixture m = look_at_channels(chain);
  Keys keys = { 0 };
  size_t count = 0;
  if (m.counts[LB_PATH_STEP] && (m.counts[LB_PATH_LINEAR] || m.counts[LB_PATH_CUBIC]))
    return lb_glb_fail(&chain->glb, err,
                       "the motion mixes STEP with other interpolations, save it with one");
  lbStatus status = gather_times(chain, &m, &keys, &count, err);
  if (status) return status;
  if (m.ancestors || m.counts[LB_PATH_CUBIC])
    lb_log(LB_LOG_WARNING,
           "%s: animations[%d]: %s, so the motion is sampled at %zu times and linear between them",
           chain->glb.path, (int)chain->animation,
           m.ancestors ? "ancestors of the node are animated too"
                       : "its cubic channels have different times",
           count);
  keys.positions = lb_alloc(count, 3 * sizeof(double));
  keys.rotations = lb_alloc(count, 4 * sizeof(double));
  if (!keys.positions || !keys.rotations) status = lb_fail_memory(err);
  for (size_t i = 0; i < count && !status; i++) {
    Affine frame = chain_at(chain, 0, keys.times[i]);
    lb_vec3_store(keys.positions + 3 * i, frame.shift);
    store_quat(keys.rotations + 4 * i, frame.rotation);
  }
  lbPathDef def = lb_path_def();
  def.key_count = (int32_t)count;
  def.times = keys.times;
  def.interpolation = m.counts[LB_PATH_STEP] ? LB_PATH_STEP : LB_PATH_LINEAR;
  if (!status) status = create_path(chain, &def, &keys, cycle, out, err);
  release_keys(&keys);
  return status;
}

lbStatus lb_gltf_motion(const char *path, const char *content, size_t bytes, const char *node,
                        const char *animation, bool cycle, lbPath **out, lbError *err) {
  Chain chain = { 0 };
  int32_t index = -1;
  lbStatus status = lb_glb_open(&chain.glb, path, content, bytes, err);
  if (!status) status = find_named(&chain.glb, "nodes", "node", node, &index, err);
  if (!status) status = read_chain(&chain, index, err);
  if (!status) status = choose_animation(&chain, animation, node, err);
  if (!status) status = read_channels(&chain, err);
  if (!status)
    status = has_plain_keys(&chain) ? keep_keys(&chain, cycle, out, err)
                                    : sample(&chain, cycle, out, err);
  release(&chain);
  return status;
}
