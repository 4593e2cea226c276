// The glTF binary container: a 12-byte header, a JSON chunk padded with spaces, a BIN chunk padded
// with zeros, everything at multiples of 4 bytes. Numbers keep all digits and keys their order.
#include "export/glb.h"

#include "limber/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FLOAT_COMPONENT 5126
#define SHORT_COMPONENT 5123
#define INT_COMPONENT 5125
#define HEADER_BYTES (12 + 8 + 8)

static size_t padding(uint64_t bytes) { return (size_t)((4 - bytes % 4) % 4); }

static void spoil(lbGlb *glb, lbStatus status) {
  if (!glb->status) glb->status = status;
}

void lb_glb_begin(lbGlb *glb) {
  *glb = (lbGlb){ .root = json_object() };
  json_t *asset = json_object();
  if (!glb->root) spoil(glb, LB_ERR_MEMORY);
  lb_glb_set(glb, asset, "version", json_string("2.0"));
  lb_glb_set(glb, asset, "generator", json_string("limber " LB_VERSION));
  lb_glb_set(glb, glb->root, "asset", asset);
  glb->views = json_array();
  glb->accessors = json_array();
  if (!glb->views || !glb->accessors) spoil(glb, LB_ERR_MEMORY);
}

void lb_glb_release(lbGlb *glb) {
  for (int32_t i = 0; i < glb->piece_count; i++) lb_free(glb->pieces[i].owned);
  lb_free(glb->pieces);
  json_decref(glb->views);
  json_decref(glb->accessors);
  json_decref(glb->root);
  *glb = (lbGlb){ 0 };
}

lbStatus lb_glb_check(const lbGlb *glb, lbError *err) {
  if (glb->status == LB_ERR_UNSUPPORTED)
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "a .glb holds at most 4 GiB and this is more: use fewer frames or bodies, a "
                   "greater tolerance, or smaller pictures");
  return glb->status ? lb_fail_memory(err) : LB_OK;
}

// ---- JSON --------------------------------------------------------------------------------------

void lb_glb_set(lbGlb *glb, json_t *object, const char *key, json_t *value) {
  if (json_object_set_new(object, key, value)) spoil(glb, LB_ERR_MEMORY);
}

void lb_glb_append(lbGlb *glb, json_t *array, json_t *value) {
  if (json_array_append_new(array, value)) spoil(glb, LB_ERR_MEMORY);
}

int32_t lb_glb_add(lbGlb *glb, const char *key, json_t *value) {
  json_t *array = json_object_get(glb->root, key);
  if (!array) {
    lb_glb_set(glb, glb->root, key, json_array());
    array = json_object_get(glb->root, key);
  }
  lb_glb_append(glb, array, value);
  return (int32_t)json_array_size(array) - 1;
}

json_t *lb_glb_text(const char *text) {
  json_t *string = json_string(text);
  char *plain = string ? NULL : lb_duplicate_text(text);
  if (!plain) return string;
  for (char *p = plain; *p; p++)
    if ((unsigned char)*p >= 0x80) *p = '_';
  string = json_string(plain);
  lb_free(plain);
  return string;
}

json_t *lb_glb_numbers(const float *values, int32_t count) {
  json_t *array = json_array();
  for (int32_t i = 0; i < count && array; i++)
    if (json_array_append_new(array, json_real((double)values[i]))) {
      json_decref(array);
      array = NULL;
    }
  return array;
}

// ---- binary data -------------------------------------------------------------------------------

int32_t lb_glb_add_view(lbGlb *glb, const void *data, size_t bytes, int target, void *owned) {
  if (bytes > UINT32_MAX - HEADER_BYTES || glb->bytes + bytes > UINT32_MAX - HEADER_BYTES)
    spoil(glb, LB_ERR_UNSUPPORTED);
  if (!glb->status && !lb_grow((void **)&glb->pieces, &glb->piece_capacity,
                               (size_t)glb->piece_count + 1, sizeof *glb->pieces))
    spoil(glb, LB_ERR_MEMORY);
  if (glb->status) {
    lb_free(owned);
    return -1;
  }
  glb->pieces[glb->piece_count++] = (lbGlbPiece){ data, bytes, glb->bytes, owned };
  json_t *view = json_object();
  lb_glb_set(glb, view, "buffer", json_integer(0));
  lb_glb_set(glb, view, "byteOffset", json_integer((json_int_t)glb->bytes));
  lb_glb_set(glb, view, "byteLength", json_integer((json_int_t)bytes));
  if (target) lb_glb_set(glb, view, "target", json_integer(target));
  lb_glb_append(glb, glb->views, view);
  glb->bytes += bytes + padding(bytes);
  return glb->piece_count - 1;
}

static json_t *new_accessor(lbGlb *glb, int32_t view, int component, size_t count,
                            const char *type) {
  json_t *accessor = json_object();
  lb_glb_set(glb, accessor, "bufferView", json_integer(view));
  lb_glb_set(glb, accessor, "componentType", json_integer(component));
  lb_glb_set(glb, accessor, "count", json_integer((json_int_t)count));
  lb_glb_set(glb, accessor, "type", json_string(type));
  return accessor;
}

int32_t lb_glb_add_floats(lbGlb *glb, float *values, size_t count, int32_t width, int target,
                          bool bounds) {
  static const char *const types[] = { "SCALAR", "VEC2", "VEC3", "VEC4" };
  if (!values) spoil(glb, LB_ERR_MEMORY);
  float low[4], high[4];
  for (int k = 0; k < 4; k++) low[k] = INFINITY, high[k] = -INFINITY;
  size_t entries = count * (size_t)width;
  for (size_t i = 0; i < entries && bounds && values; i++) {
    size_t k = i % (size_t)width;
    low[k] = fminf(low[k], values[i]);
    high[k] = fmaxf(high[k], values[i]);
  }
  int32_t view = lb_glb_add_view(glb, values, entries * sizeof *values, target, values);
  if (view < 0) return -1;
  json_t *accessor = new_accessor(glb, view, FLOAT_COMPONENT, count, types[width - 1]);
  if (bounds) {
    lb_glb_set(glb, accessor, "min", lb_glb_numbers(low, width));
    lb_glb_set(glb, accessor, "max", lb_glb_numbers(high, width));
  }
  lb_glb_append(glb, glb->accessors, accessor);
  return (int32_t)json_array_size(glb->accessors) - 1;
}

int32_t lb_glb_add_indices(lbGlb *glb, const int32_t *indices, size_t count, int32_t vertex_count) {
  bool narrow = vertex_count <= UINT16_MAX; // index 65535 itself is reserved
  size_t item_bytes = narrow ? sizeof(uint16_t) : sizeof(uint32_t);
  void *copy = lb_alloc(count, item_bytes);
  if (!copy) spoil(glb, LB_ERR_MEMORY);
  for (size_t i = 0; i < count && copy; i++)
    if (narrow)
      ((uint16_t *)copy)[i] = (uint16_t)indices[i];
    else
      ((uint32_t *)copy)[i] = (uint32_t)indices[i];
  int32_t view = lb_glb_add_view(glb, copy, count * item_bytes, LB_GLB_INDICES, copy);
  if (view < 0) return -1;
  lb_glb_append(glb, glb->accessors,
                new_accessor(glb, view, narrow ? SHORT_COMPONENT : INT_COMPONENT, count, "SCALAR"));
  return (int32_t)json_array_size(glb->accessors) - 1;
}

// ---- the file ----------------------------------------------------------------------------------

static void write_word(FILE *stream, uint64_t value) {
  for (int i = 0; i < 4; i++) putc((int)(value >> (8 * i) & 255), stream);
}

static void write_chunk_header(FILE *stream, uint64_t bytes, const char type[4]) {
  write_word(stream, bytes);
  fwrite(type, 1, 4, stream);
}

static void write_padding(FILE *stream, size_t count, char filler) {
  for (size_t i = 0; i < count; i++) putc(filler, stream);
}

static void write_all(const lbGlb *glb, FILE *stream, const char *json, size_t json_bytes) {
  uint64_t padded = json_bytes + padding(json_bytes);
  fwrite("glTF", 1, 4, stream);
  write_word(stream, 2);
  write_word(stream, HEADER_BYTES + padded + glb->bytes);
  write_chunk_header(stream, padded, "JSON");
  fwrite(json, 1, json_bytes, stream);
  write_padding(stream, padding(json_bytes), ' ');
  write_chunk_header(stream, glb->bytes, "BIN");
  for (int32_t i = 0; i < glb->piece_count; i++) {
    fwrite(glb->pieces[i].data, 1, glb->pieces[i].bytes, stream);
    write_padding(stream, padding(glb->pieces[i].bytes), 0);
  }
}

// The JSON text. Free with lb_free.
static lbStatus complete(lbGlb *glb, char **json, size_t *json_bytes, lbError *err) {
  json_t *buffer = json_object();
  lb_glb_set(glb, buffer, "byteLength", json_integer((json_int_t)glb->bytes));
  lb_glb_set(glb, glb->root, "accessors", json_incref(glb->accessors));
  lb_glb_set(glb, glb->root, "bufferViews", json_incref(glb->views));
  lb_glb_add(glb, "buffers", buffer);
  lbStatus status = lb_glb_check(glb, err);
  if (status) return status;
  char *text = json_dumps(glb->root, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17));
  size_t bytes = text ? strlen(text) : 0;
  char *copy = text ? lb_duplicate(text, bytes + 1, 1) : NULL;
  free(text);
  if (!copy) return lb_fail_memory(err);
  if (HEADER_BYTES + bytes + 4 + glb->bytes > UINT32_MAX) spoil(glb, LB_ERR_UNSUPPORTED);
  status = lb_glb_check(glb, err);
  if (status) {
    lb_free(copy);
    return status;
  }
  *json = copy;
  *json_bytes = bytes;
  return LB_OK;
}

lbStatus lb_glb_write(lbGlb *glb, const char *path, lbError *err) {
  char *json = NULL;
  size_t json_bytes;
  lbFileWriter writer;
  lbStatus status = complete(glb, &json, &json_bytes, err);
  if (!status) status = lb_file_begin(&writer, path, err);
  if (!status) {
    write_all(glb, writer.stream, json, json_bytes);
    status = lb_file_commit(&writer, err);
  }
  lb_free(json);
  return status;
}

lbStatus lb_glb_take(lbGlb *glb, size_t alignment, char **json, size_t *json_bytes, uint8_t **bin,
                     size_t *bin_bytes, lbError *err) {
  LB_ASSERT(alignment % 4 == 0);
  glb->bytes = (glb->bytes + alignment - 1) / alignment * alignment;
  uint8_t *block = NULL;
  char *text = NULL;
  size_t text_bytes;
  lbStatus status = complete(glb, &text, &text_bytes, err);
  if (!status) {
    block = lb_alloc((size_t)glb->bytes, 1);
    if (!block) status = lb_fail_memory(err);
  }
  if (status) {
    lb_free(text);
    return status;
  }
  for (int32_t i = 0; i < glb->piece_count; i++)
    if (glb->pieces[i].bytes)
      memcpy(block + glb->pieces[i].begin, glb->pieces[i].data, glb->pieces[i].bytes);
  *json = text;
  *json_bytes = text_bytes;
  *bin = block;
  *bin_bytes = (size_t)glb->bytes;
  return LB_OK;
}
