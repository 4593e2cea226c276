// Reads back what the exporter wrote: chunks, accessors with their bounds checked, and the shape of
// a body at a frame.
#ifndef LB_TESTS_GLB_FILE_H
#define LB_TESTS_GLB_FILE_H

#include "check.h"

#include "limber/file.h"
#include "limber/export.h"
#include "limber/math.h"

#include <jansson.h>

typedef struct GlbFile {
  char *content;
  size_t bytes;
  json_t *root;
  const uint8_t *binary;
  size_t binary_bytes;
} GlbFile;

typedef struct Accessor {
  const uint8_t *data;
  size_t count;
  int component;
  const char *type;
} Accessor;

static inline size_t glb_word(const void *data) {
  const uint8_t *b = data;
  return b[0] | (size_t)b[1] << 8 | (size_t)b[2] << 16 | (size_t)b[3] << 24;
}

static inline GlbFile glb_open(const char *path) {
  GlbFile file = { 0 };
  lbError err;
  check_ok(lb_file_read(path, &file.content, &file.bytes, &err), err);
  assert_true(file.bytes > 28);
  assert_memory_equal(file.content, "glTF", 4);
  assert_int_equal(glb_word(file.content + 4), 2);
  assert_int_equal(glb_word(file.content + 8), file.bytes);
  size_t json_bytes = glb_word(file.content + 12);
  assert_memory_equal(file.content + 16, "JSON", 4);
  assert_int_equal(json_bytes % 4, 0);
  file.root = json_loadb(file.content + 20, json_bytes, 0, NULL);
  assert_non_null(file.root);
  const char *chunk = file.content + 20 + json_bytes;
  file.binary_bytes = glb_word(chunk);
  assert_memory_equal(chunk + 4, "BIN", 4);
  assert_true(28 + json_bytes + file.binary_bytes <= file.bytes); // other chunks may follow
  file.binary = (const uint8_t *)chunk + 8;
  return file;
}

static inline void glb_close(GlbFile *file) {
  json_decref(file->root);
  lb_free(file->content);
}

static inline json_t *glb_item(const GlbFile *file, const char *key, int64_t index) {
  json_t *item = json_array_get(json_object_get(file->root, key), (size_t)index);
  assert_non_null(item);
  return item;
}

static inline int64_t glb_integer(const json_t *object, const char *key) {
  json_t *value = json_object_get(object, key);
  if (!json_is_integer(value)) fail_msg("no integer \"%s\"", key);
  return json_integer_value(value);
}

static inline const uint8_t *glb_view(const GlbFile *file, int64_t index, size_t *bytes) {
  json_t *view = glb_item(file, "bufferViews", index);
  size_t begin = (size_t)glb_integer(view, "byteOffset");
  *bytes = (size_t)glb_integer(view, "byteLength");
  assert_int_equal(begin % 4, 0);
  assert_true(begin + *bytes <= file->binary_bytes);
  return file->binary + begin;
}

static inline float glb_float(const Accessor *accessor, size_t index) {
  float value;
  memcpy(&value, accessor->data + 4 * index, 4);
  return value;
}

static inline void glb_check_bound(const json_t *object, const char *key, const float *expected,
                                   size_t width) {
  json_t *array = json_object_get(object, key);
  assert_int_equal(json_array_size(array), width);
  for (size_t k = 0; k < width; k++)
    check_near(json_number_value(json_array_get(array, k)), (double)expected[k], 0);
}

// Every number is finite; bounds, where the accessor has them or must have them, are exact.
static inline void glb_check_floats(const json_t *object, const Accessor *a, size_t width,
                                    bool must_have_bounds) {
  float low[4], high[4];
  for (int k = 0; k < 4; k++) low[k] = INFINITY, high[k] = -INFINITY;
  for (size_t i = 0; i < a->count * width; i++) {
    float x = glb_float(a, i);
    assert_true(isfinite(x));
    low[i % width] = fminf(low[i % width], x);
    high[i % width] = fmaxf(high[i % width], x);
  }
  if (!must_have_bounds && !json_object_get(object, "min")) return;
  glb_check_bound(object, "min", low, width);
  glb_check_bound(object, "max", high, width);
}

static inline Accessor glb_accessor(const GlbFile *file, int64_t index, bool must_have_bounds) {
  json_t *object = glb_item(file, "accessors", index);
  size_t bytes;
  Accessor a = { .data = glb_view(file, glb_integer(object, "bufferView"), &bytes) };
  a.count = (size_t)glb_integer(object, "count");
  a.component = (int)glb_integer(object, "componentType");
  a.type = json_string_value(json_object_get(object, "type"));
  size_t width = a.type[0] == 'V' ? (size_t)(a.type[3] - '0') : 1;
  size_t item_bytes = a.component == 5123 ? 2 : 4;
  assert_true(a.count > 0);
  assert_int_equal(a.count * width * item_bytes, bytes);
  if (a.component == 5126) glb_check_floats(object, &a, width, must_have_bounds);
  return a;
}

static inline size_t glb_index(const Accessor *indices, size_t i) {
  const uint8_t *p = indices->data;
  return indices->component == 5123 ? p[2 * i] | (size_t)p[2 * i + 1] << 8 : glb_word(p + 4 * i);
}

// The output of the sampler that drives this property of the node; false: none does. Its input must
// be the times.
static inline bool glb_sampler(const GlbFile *file, int64_t node, const char *property,
                               const lbAnimationDef *def, Accessor *output) {
  json_t *animation = json_array_get(json_object_get(file->root, "animations"), 0), *channel;
  size_t i;
  json_array_foreach(json_object_get(animation, "channels"), i, channel) {
    json_t *target = json_object_get(channel, "target");
    if (glb_integer(target, "node") != node ||
        strcmp(json_string_value(json_object_get(target, "path")), property) != 0)
      continue;
    json_t *sampler = json_array_get(json_object_get(animation, "samplers"),
                                     (size_t)glb_integer(channel, "sampler"));
    assert_string_equal(json_string_value(json_object_get(sampler, "interpolation")), "LINEAR");
    Accessor times = glb_accessor(file, glb_integer(sampler, "input"), true);
    assert_int_equal(times.count, def->frame_count);
    for (size_t f = 0; f < times.count; f++)
      check_near((double)glb_float(&times, f), (double)(float)def->times[f], 0);
    *output = glb_accessor(file, glb_integer(sampler, "output"), false);
    return true;
  }
  return false;
}

// ---- shapes ------------------------------------------------------------------------------------

typedef struct GlbBody {
  json_t *node, *mesh;
  Accessor base, normals;
  size_t target_count;
  Accessor targets[64];
  bool has_weights, has_translations, has_rotations;
  Accessor weights, translations, rotations;
} GlbBody;

static inline GlbBody glb_body(const GlbFile *file, int64_t node, const lbAnimationDef *def) {
  GlbBody body = { .node = glb_item(file, "nodes", node) };
  body.mesh = glb_item(file, "meshes", glb_integer(body.node, "mesh"));
  json_t *primitive = json_array_get(json_object_get(body.mesh, "primitives"), 0);
  json_t *attributes = json_object_get(primitive, "attributes");
  json_t *targets = json_object_get(primitive, "targets");
  body.base = glb_accessor(file, glb_integer(attributes, "POSITION"), true);
  body.normals = glb_accessor(file, glb_integer(attributes, "NORMAL"), false);
  assert_int_equal(body.base.count, body.normals.count);
  body.target_count = json_array_size(targets);
  assert_true(body.target_count <= 64);
  for (size_t i = 0; i < body.target_count; i++) {
    json_t *target = json_array_get(targets, i);
    body.targets[i] = glb_accessor(file, glb_integer(target, "POSITION"), true);
    assert_int_equal(body.targets[i].count, body.base.count);
  }
  body.has_weights = glb_sampler(file, node, "weights", def, &body.weights);
  body.has_translations = glb_sampler(file, node, "translation", def, &body.translations);
  body.has_rotations = glb_sampler(file, node, "rotation", def, &body.rotations);
  assert_int_equal(body.has_weights, body.target_count > 0);
  return body;
}

// Entry k of a node's property at a frame: of its sampler, or the node's own.
static inline double glb_placed(const GlbBody *body, bool moves, const Accessor *sampler,
                                const char *property, size_t frame, size_t k, size_t width) {
  if (moves) return (double)glb_float(sampler, width * frame + k);
  json_t *fixed = json_object_get(body->node, property);
  return fixed ? json_number_value(json_array_get(fixed, k)) : width == 4 && k == 3;
}

// Where the file puts a vertex at a frame, below the root node.
static inline void glb_point(const GlbBody *body, size_t vertex, size_t frame, double x[3]) {
  double q[4], t[3];
  for (size_t k = 0; k < 3; k++) {
    x[k] = (double)glb_float(&body->base, 3 * vertex + k);
    for (size_t i = 0; i < body->target_count; i++)
      x[k] += (double)glb_float(&body->weights, frame * body->target_count + i) *
              (double)glb_float(&body->targets[i], 3 * vertex + k);
    t[k] =
        glb_placed(body, body->has_translations, &body->translations, "translation", frame, k, 3);
  }
  for (size_t k = 0; k < 4; k++)
    q[k] = glb_placed(body, body->has_rotations, &body->rotations, "rotation", frame, k, 4);
  lbVec3 turned = lb_vec3_load(x);
  if (q[0] != 0 || q[1] != 0 || q[2] != 0)
    turned = lb_quat_rotate(lb_quat(q[0], q[1], q[2], q[3]), turned);
  x[0] = turned.x + t[0], x[1] = turned.y + t[1], x[2] = turned.z + t[2];
}

#endif
