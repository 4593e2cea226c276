// glTF 2.0: lists of JSON that are put together at the end, and one binary block behind them.
#include "view/gltf.h"

#include "view/animation_parts.h"
#include "render/skin.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FLOATS = 5126, INDICES = 5125, VERTEX_TARGET = 34962, INDEX_TARGET = 34963 };

typedef struct List { // JSON values with commas between them
  char *text;
  size_t length, capacity;
  int32_t count;
} List;

typedef struct Writer {
  List accessors, views, materials, images, textures, meshes, nodes, samplers, channels;
  uint8_t *binary;
  size_t binary_bytes, binary_capacity;
  bool failed; // memory ran out: nothing more is added
} Writer;

// ---- lists -------------------------------------------------------------------------------------

static void append(Writer *writer, List *list, const char *format, ...) LB_PRINTF(3, 4);
static void append(Writer *writer, List *list, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int added = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (writer->failed || added < 0 ||
      !lb_grow((void **)&list->text, &list->capacity, list->length + (size_t)added + 1, 1))
    writer->failed = true;
  else
    list->length += (size_t)vsnprintf(list->text + list->length, (size_t)added + 1, format, again);
  va_end(again);
}

// Begins the next value; returns its number.
static int32_t next(Writer *writer, List *list) {
  if (list->count) append(writer, list, ",");
  return list->count++;
}

static void append_numbers(Writer *writer, List *list, const char *name, const float *values,
                           int32_t count) {
  append(writer, list, "\"%s\":[", name);
  for (int32_t i = 0; i < count; i++)
    append(writer, list, "%s%.9g", i ? "," : "", (double)values[i]);
  append(writer, list, "]");
}

static void append_text(Writer *writer, List *list, const char *text) {
  append(writer, list, "\"");
  for (const char *c = text; *c; c++) {
    if (*c == '"' || *c == '\\')
      append(writer, list, "\\%c", *c);
    else
      append(writer, list, "%c", (unsigned char)*c < 32 ? ' ' : *c);
  }
  append(writer, list, "\"");
}

static void release(Writer *writer) {
  List *lists[] = { &writer->accessors, &writer->views,    &writer->materials,
                    &writer->images,    &writer->textures, &writer->meshes,
                    &writer->nodes,     &writer->samplers, &writer->channels };
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) lb_free(lists[i]->text);
  lb_free(writer->binary);
}

// ---- data --------------------------------------------------------------------------------------

// Bytes as a buffer view on a boundary of four; target 0: none.
static int32_t add_view(Writer *writer, const void *data, size_t bytes, int target) {
  size_t begin = (writer->binary_bytes + 3) & ~(size_t)3;
  if (writer->failed ||
      !lb_grow((void **)&writer->binary, &writer->binary_capacity, begin + bytes, 1)) {
    writer->failed = true;
    return 0;
  }
  memset(writer->binary + writer->binary_bytes, 0, begin - writer->binary_bytes);
  memcpy(writer->binary + begin, data, bytes);
  writer->binary_bytes = begin + bytes;
  int32_t view = next(writer, &writer->views);
  append(writer, &writer->views, "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu", begin,
         bytes);
  if (target) append(writer, &writer->views, ",\"target\":%d", target);
  append(writer, &writer->views, "}");
  return view;
}

static void append_bounds(Writer *writer, const float *values, size_t count, int32_t width) {
  float low[3] = { FLT_MAX, FLT_MAX, FLT_MAX }, high[3] = { -FLT_MAX, -FLT_MAX, -FLT_MAX };
  for (size_t i = 0; i < count; i++)
    for (int32_t axis = 0; axis < width; axis++) {
      float value = values[i * (size_t)width + (size_t)axis];
      low[axis] = fminf(low[axis], value);
      high[axis] = fmaxf(high[axis], value);
    }
  append(writer, &writer->accessors, ",");
  append_numbers(writer, &writer->accessors, "min", low, width);
  append(writer, &writer->accessors, ",");
  append_numbers(writer, &writer->accessors, "max", high, width);
}

// Floats, `width` to an item; `bounded` writes their least and greatest.
static int32_t add_floats(Writer *writer, const float *values, size_t count, int32_t width,
                          int target, bool bounded) {
  static const char *const types[] = { "", "SCALAR", "VEC2", "VEC3", "VEC4" };
  int32_t view = add_view(writer, values, count * (size_t)width * sizeof(float), target);
  int32_t accessor = next(writer, &writer->accessors);
  append(writer, &writer->accessors,
         "{\"bufferView\":%d,\"componentType\":%d,\"count\":%zu,\"type\":\"%s\"", (int)view, FLOATS,
         count, types[width]);
  if (bounded) append_bounds(writer, values, count, width);
  append(writer, &writer->accessors, "}");
  return accessor;
}

static int32_t add_indices(Writer *writer, const uint32_t *indices, size_t count) {
  int32_t view = add_view(writer, indices, count * sizeof *indices, INDEX_TARGET);
  int32_t accessor = next(writer, &writer->accessors);
  append(writer, &writer->accessors,
         "{\"bufferView\":%d,\"componentType\":%d,\"count\":%zu,\"type\":\"SCALAR\"}", (int)view,
         INDICES, count);
  return accessor;
}

// ---- looks -------------------------------------------------------------------------------------

// The number of the model's texture in the file; -1 where it has no picture.
static int32_t add_texture(Writer *writer, const lbModel *model, int32_t texture) {
  if (texture < 0 || !model->texture_ranges || !model->pictures) return -1;
  int64_t begin = model->texture_ranges[2 * texture],
          bytes = model->texture_ranges[2 * texture + 1];
  if (bytes <= 0) return -1;
  int32_t view = add_view(writer, model->pictures + begin, (size_t)bytes, 0);
  int32_t image = next(writer, &writer->images);
  append(writer, &writer->images, "{\"bufferView\":%d,\"mimeType\":", (int)view);
  append_text(writer, &writer->images, lb_model_text(model->texture_mimes, texture));
  append(writer, &writer->images, "}");
  int32_t number = next(writer, &writer->textures);
  append(writer, &writer->textures, "{\"source\":%d}", (int)image);
  return number;
}

static int32_t add_material(Writer *writer, const lbModel *model, const vwPart *part) {
  int32_t texture = add_texture(writer, model, part->texture);
  int32_t material = next(writer, &writer->materials);
  List *list = &writer->materials;
  append(writer, list, "{\"pbrMetallicRoughness\":{");
  append_numbers(writer, list, "baseColorFactor", part->color, 4);
  append(writer, list, ",\"metallicFactor\":%.6g,\"roughnessFactor\":%.6g", (double)part->metal,
         (double)part->roughness);
  if (texture >= 0) append(writer, list, ",\"baseColorTexture\":{\"index\":%d}", (int)texture);
  append(writer, list, "}%s}", part->color[3] < 1 ? ",\"alphaMode\":\"BLEND\"" : "");
  return material;
}

// ---- shapes ------------------------------------------------------------------------------------

// How a track's coordinates become weights, and room for a mesh.
typedef struct Shapes {
  int32_t dimension;
  size_t vertices;
  float *low, *range, *mean; // (dimension)
  float *coordinates;        // (dimension), working memory
  float *positions;          // (vertices x 3), working memory
  float *normals, *other;    // (vertices x 3), working memory
  float *rest;               // (vertices x 3): what is left of the normals for the last target
} Shapes;

static bool make_shapes(lbArena *arena, const vwSkin *skin, int32_t dimension, Shapes *shapes) {
  size_t vertices = (size_t)skin->vertex_count;
  *shapes = (Shapes){ .dimension = dimension, .vertices = vertices };
  float **small[] = { &shapes->low, &shapes->range, &shapes->mean, &shapes->coordinates };
  float **large[] = { &shapes->positions, &shapes->normals, &shapes->other, &shapes->rest };
  for (int i = 0; i < 4; i++) {
    *small[i] = lb_arena_alloc(arena, (size_t)dimension, sizeof(float));
    *large[i] = lb_arena_alloc(arena, vertices, 3 * sizeof(float));
    if (!*small[i] || !*large[i]) return false;
  }
  return true;
}

static void find_ranges(const vwTrack *track, size_t frames, Shapes *shapes) {
  size_t states = frames * (size_t)track->body_count;
  for (int32_t i = 0; i < shapes->dimension; i++) {
    float low = FLT_MAX, high = -FLT_MAX;
    double sum = 0;
    for (size_t state = 0; state < states; state++) {
      float value = track->frames[state * track->frame_floats + (size_t)i];
      low = fminf(low, value);
      high = fmaxf(high, value);
      sum += (double)value;
    }
    shapes->low[i] = low;
    shapes->range[i] = high > low ? high - low : 1;
    shapes->mean[i] = (float)(sum / (double)states);
  }
}

static float weight(const Shapes *shapes, int32_t i, float coordinate) {
  return fminf(1, fmaxf(0, (coordinate - shapes->low[i]) / shapes->range[i]));
}

// Normals where coordinate i is `offset` from the mean.
static void find_normals(const vwSkin *skin, Shapes *shapes, int32_t i, float offset,
                         float *normals) {
  memcpy(shapes->coordinates, shapes->mean, (size_t)shapes->dimension * sizeof(float));
  shapes->coordinates[i] += offset;
  vw_skin_from_coordinates(skin, shapes->coordinates, shapes->dimension, shapes->positions,
                           normals);
}

static void append_target(Writer *writer, Shapes *shapes, const float *normals, List *targets) {
  int32_t positions =
      add_floats(writer, shapes->positions, shapes->vertices, 3, VERTEX_TARGET, true);
  int32_t directions = add_floats(writer, normals, shapes->vertices, 3, VERTEX_TARGET, false);
  next(writer, targets);
  append(writer, targets, "{\"POSITION\":%d,\"NORMAL\":%d}", (int)positions, (int)directions);
}

// The target of a coordinate; takes its share of the mean's normals from `rest`.
static void add_target(Writer *writer, const vwSkin *skin, Shapes *shapes, int32_t i,
                       List *targets) {
  size_t values = 3 * shapes->vertices;
  float range = shapes->range[i], share = weight(shapes, i, shapes->mean[i]);
  find_normals(skin, shapes, i, -range / 2, shapes->other);
  find_normals(skin, shapes, i, range / 2, shapes->normals);
  const float *basis = skin->basis + (size_t)i * values;
  for (size_t k = 0; k < values; k++) {
    shapes->normals[k] -= shapes->other[k];
    shapes->rest[k] -= share * shapes->normals[k];
    shapes->positions[k] = range * basis[k];
  }
  append_target(writer, shapes, shapes->normals, targets);
}

// The target that is always on: the shape of the lowest coordinates.
static void add_last_target(Writer *writer, const vwSkin *skin, Shapes *shapes, List *targets) {
  size_t values = 3 * shapes->vertices;
  memset(shapes->positions, 0, values * sizeof(float));
  for (int32_t i = 0; i < shapes->dimension; i++)
    for (size_t k = 0; k < values; k++)
      shapes->positions[k] += shapes->low[i] * skin->basis[(size_t)i * values + k];
  append_target(writer, shapes, shapes->rest, targets);
}

static void add_targets(Writer *writer, const vwSkin *skin, Shapes *shapes, List *targets) {
  find_normals(skin, shapes, 0, 0, shapes->rest);
  for (size_t k = 0; k < 3 * shapes->vertices; k++) shapes->rest[k] -= skin->normals[k];
  for (int32_t i = 0; i < shapes->dimension; i++) add_target(writer, skin, shapes, i, targets);
  add_last_target(writer, skin, shapes, targets);
}

static int32_t add_mesh(Writer *writer, const vwSkin *skin, Shapes *shapes) {
  size_t vertices = shapes->vertices;
  List targets = { 0 };
  add_targets(writer, skin, shapes, &targets);
  int32_t positions = add_floats(writer, skin->positions, vertices, 3, VERTEX_TARGET, true);
  int32_t normals = add_floats(writer, skin->normals, vertices, 3, VERTEX_TARGET, false);
  bool textured = false;
  for (int32_t i = 0; i < skin->part_count; i++) textured |= skin->parts[i].texture >= 0;
  int32_t uvs = textured ? add_floats(writer, skin->uvs, vertices, 2, VERTEX_TARGET, false) : -1;
  int32_t mesh = next(writer, &writer->meshes);
  append(writer, &writer->meshes, "{\"primitives\":[");
  for (int32_t i = 0; i < skin->part_count; i++) {
    const vwPart *part = &skin->parts[i];
    int32_t indices = add_indices(writer, skin->triangles + 3 * (size_t)part->triangle_begin,
                                  3 * (size_t)part->triangle_count);
    append(writer, &writer->meshes, "%s{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d",
           i ? "," : "", (int)positions, (int)normals);
    if (uvs >= 0) append(writer, &writer->meshes, ",\"TEXCOORD_0\":%d", (int)uvs);
    append(writer, &writer->meshes, "},\"indices\":%d,\"material\":%d,\"targets\":[%s]}",
           (int)indices, (int)add_material(writer, skin->model, part),
           targets.text ? targets.text : "");
  }
  append(writer, &writer->meshes, "],\"weights\":[");
  for (int32_t i = 0; i < shapes->dimension; i++)
    append(writer, &writer->meshes, "%.6g,", (double)weight(shapes, i, 0));
  append(writer, &writer->meshes, "1]}");
  lb_free(targets.text);
  return mesh;
}

// ---- motion ------------------------------------------------------------------------------------

static void add_channel(Writer *writer, int32_t node, const char *path, int32_t times,
                        int32_t values) {
  int32_t sampler = next(writer, &writer->samplers);
  append(writer, &writer->samplers, "{\"input\":%d,\"output\":%d}", (int)times, (int)values);
  next(writer, &writer->channels);
  append(writer, &writer->channels, "{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}",
         (int)sampler, (int)node, path);
}

typedef struct Motion { // of one body
  float *weights;       // (frames x (dimension + 1))
  float *translations;  // (frames x 3)
  float *rotations;     // (frames x 4)
  bool moves;           // its placement
} Motion;

static void unit_quaternion(const float from[4], float to[4]) {
  float length =
      sqrtf(from[0] * from[0] + from[1] * from[1] + from[2] * from[2] + from[3] * from[3]);
  for (int i = 0; i < 4; i++) to[i] = length > 0 ? from[i] / length : i == 3 ? 1 : 0;
}

static void collect(const vwTrack *track, size_t frames, int32_t body, const Shapes *shapes,
                    Motion *motion) {
  size_t bodies = (size_t)track->body_count, width = (size_t)shapes->dimension + 1;
  motion->moves = false;
  for (size_t f = 0; f < frames; f++) {
    const float *coordinates = track->frames + (f * bodies + (size_t)body) * track->frame_floats;
    const float *placement = track->placements + 7 * (f * bodies + (size_t)body);
    const float *first = track->placements + 7 * (size_t)body;
    for (int32_t i = 0; i < shapes->dimension; i++)
      motion->weights[f * width + (size_t)i] = weight(shapes, i, coordinates[i]);
    motion->weights[f * width + width - 1] = 1;
    memcpy(motion->translations + 3 * f, placement, 3 * sizeof(float));
    unit_quaternion(placement + 3, motion->rotations + 4 * f);
    motion->moves |= memcmp(placement, first, 7 * sizeof(float)) != 0;
  }
}

static void add_body(Writer *writer, const vwTrack *track, int32_t body, int32_t mesh,
                     int32_t times, size_t frames, size_t width, const Motion *motion) {
  char name[160];
  snprintf(name, sizeof name, "%.100s (%s) %d", track->model->name, lb_method_name(track->method),
           (int)body);
  int32_t node = next(writer, &writer->nodes);
  List *list = &writer->nodes;
  append(writer, list, "{\"name\":");
  append_text(writer, list, name);
  append(writer, list, ",\"mesh\":%d,", (int)mesh);
  append_numbers(writer, list, "translation", motion->translations, 3);
  append(writer, list, ",");
  append_numbers(writer, list, "rotation", motion->rotations, 4);
  append(writer, list, "}");
  int32_t weights = add_floats(writer, motion->weights, frames * width, 1, 0, false);
  add_channel(writer, node, "weights", times, weights);
  if (!motion->moves) return;
  add_channel(writer, node, "translation", times,
              add_floats(writer, motion->translations, frames, 3, 0, false));
  add_channel(writer, node, "rotation", times,
              add_floats(writer, motion->rotations, frames, 4, 0, false));
}

static lbStatus add_track(Writer *writer, const vwTrack *track, size_t frames, int32_t times,
                          lbError *err) {
  lbArena arena = { 0 };
  vwSkin *skin = NULL;
  Shapes shapes;
  vwSkinDef def = vw_skin_def();
  size_t width = (size_t)track->dimension + 1;
  lbStatus status = vw_skin_create(track->model, track->method, &def, &skin, err);
  if (status) goto done;
  Motion motion = { .weights = lb_arena_alloc(&arena, frames * width, sizeof(float)),
                    .translations = lb_arena_alloc(&arena, frames, 3 * sizeof(float)),
                    .rotations = lb_arena_alloc(&arena, frames, 4 * sizeof(float)) };
  if (!motion.weights || !motion.translations || !motion.rotations ||
      !make_shapes(&arena, skin, track->dimension, &shapes)) {
    status = lb_fail_memory(err);
    goto done;
  }
  find_ranges(track, frames, &shapes);
  int32_t mesh = add_mesh(writer, skin, &shapes);
  for (int32_t body = 0; body < track->body_count; body++) {
    collect(track, frames, body, &shapes, &motion);
    add_body(writer, track, body, mesh, times, frames, width, &motion);
  }
done:
  vw_skin_destroy(skin);
  lb_arena_release(&arena);
  return status;
}

// ---- the file ----------------------------------------------------------------------------------

// The last node carries all others and turns z up into glTF's y up.
static void add_root(Writer *writer, char up) {
  int32_t bodies = writer->nodes.count;
  next(writer, &writer->nodes);
  append(writer, &writer->nodes, "{\"name\":\"limber\",");
  if (up == 'z') append(writer, &writer->nodes, "\"rotation\":[-0.707106781,0,0,0.707106781],");
  append(writer, &writer->nodes, "\"children\":[");
  for (int32_t i = 0; i < bodies; i++) append(writer, &writer->nodes, "%s%d", i ? "," : "", (int)i);
  append(writer, &writer->nodes, "]}");
}

static void append_list(Writer *writer, List *json, const char *name, const List *list) {
  if (list->count) append(writer, json, ",\"%s\":[%s]", name, list->text ? list->text : "");
}

static void put_json(Writer *writer, List *json) {
  append(writer, json,
         "{\"asset\":{\"version\":\"2.0\",\"generator\":\"limber %s\"},\"scene\":0,"
         "\"scenes\":[{\"nodes\":[%d]}]",
         LB_VERSION, (int)writer->nodes.count - 1);
  append_list(writer, json, "nodes", &writer->nodes);
  append_list(writer, json, "meshes", &writer->meshes);
  append_list(writer, json, "materials", &writer->materials);
  append_list(writer, json, "textures", &writer->textures);
  append_list(writer, json, "images", &writer->images);
  append(writer, json, ",\"animations\":[{\"name\":\"motion\"");
  append_list(writer, json, "channels", &writer->channels);
  append_list(writer, json, "samplers", &writer->samplers);
  append(writer, json, "}]");
  append_list(writer, json, "accessors", &writer->accessors);
  append_list(writer, json, "bufferViews", &writer->views);
  append(writer, json, ",\"buffers\":[{\"byteLength\":%zu}]}", writer->binary_bytes);
  while (json->length % 4 && !writer->failed) append(writer, json, " ");
}

static void put_word(uint8_t **at, size_t value) {
  for (int i = 0; i < 4; i++) *(*at)++ = (uint8_t)(value >> (8 * i));
}

static lbStatus put_together(Writer *writer, uint8_t **bytes, size_t *count, lbError *err) {
  List json = { 0 };
  put_json(writer, &json);
  size_t binary = (writer->binary_bytes + 3) & ~(size_t)3, total = 28 + json.length + binary;
  uint8_t *file = writer->failed ? NULL : lb_alloc(total, 1);
  lbStatus status = LB_OK;
  if (!file || total > UINT32_MAX) {
    lb_free(file);
    status = lb_fail_memory(err);
  } else {
    uint8_t *at = file;
    put_word(&at, 0x46546C67), put_word(&at, 2), put_word(&at, total);
    put_word(&at, json.length), put_word(&at, 0x4E4F534A);
    memcpy(at, json.text, json.length);
    at += json.length;
    put_word(&at, binary), put_word(&at, 0x004E4942);
    memcpy(at, writer->binary, writer->binary_bytes);
    *bytes = file;
    *count = total;
  }
  lb_free(json.text);
  return status;
}

lbStatus vw_gltf_write(const vwAnimation *animation, uint8_t **bytes, size_t *count,
                       int32_t *left_out, lbError *err) {
  size_t frames = (size_t)animation->frame_count;
  if (frames < 2)
    return lb_fail(err, LB_ERR_ARGUMENT, "nothing moved while the animation was recorded");
  Writer writer = { 0 };
  float *times = lb_alloc(frames, sizeof(float));
  if (!times) return lb_fail_memory(err);
  for (size_t i = 0; i < frames; i++) times[i] = (float)animation->times[i];
  int32_t input = add_floats(&writer, times, frames, 1, 0, true);
  lb_free(times);
  lbStatus status = LB_OK;
  *left_out = 0;
  for (int32_t i = 0; i < animation->track_count && !status; i++) {
    const vwTrack *track = &animation->tracks[i];
    if (!track->dimension)
      *left_out += track->body_count;
    else
      status = add_track(&writer, track, frames, input, err);
  }
  if (!status && !writer.nodes.count)
    status = lb_fail(err, LB_ERR_UNSUPPORTED,
                     "no body here moves by a basis: limber export writes the others");
  if (!status) add_root(&writer, animation->up);
  if (!status) status = put_together(&writer, bytes, count, err);
  release(&writer);
  return status;
}
