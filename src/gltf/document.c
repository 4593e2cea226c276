// Beginning and ending a document. The binary container: a 12-byte header, a JSON chunk padded with
// spaces, a BIN chunk padded with zeros, everything at multiples of 4 bytes.
#include "gltf/document.h"

#include "limber/file.h"

#include <math.h>
#include <string.h>

#define FLOAT_COMPONENT 5126
#define BYTE_COMPONENT 5121
#define SHORT_COMPONENT 5123
#define INT_COMPONENT 5125
#define HEADER_BYTES (12 + 8 + 8)

enum { LIST_COUNT = 10 };

static size_t padding(uint64_t bytes) { return (size_t)((4 - bytes % 4) % 4); }

void lb_gltf_set_failed(lbGltf *gltf, lbStatus status) {
  if (!gltf->status) gltf->status = status;
}

static void list_gltf_all(lbGltf *gltf, lbJson *lists[LIST_COUNT]) {
  lbJson *all[LIST_COUNT] = { &gltf->accessors, &gltf->views,  &gltf->materials, &gltf->images,
                              &gltf->textures,  &gltf->meshes, &gltf->nodes,     &gltf->samplers,
                              &gltf->channels,  &gltf->skins };
  memcpy(lists, all, sizeof all);
}

lbStatus lb_gltf_check(lbGltf *gltf, lbError *err) {
  lbJson *lists[LIST_COUNT];
  list_gltf_all(gltf, lists);
  for (int i = 0; i < LIST_COUNT; i++)
    if (lists[i]->failed) lb_gltf_set_failed(gltf, LB_ERR_MEMORY);
  if (gltf->status == LB_ERR_UNSUPPORTED)
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "a .glb holds at most 4 GiB and this is more: use fewer frames or bodies, a "
                   "greater tolerance, or smaller pictures");
  return gltf->status ? lb_fail_memory(err) : LB_OK;
}

lbStatus lb_gltf_check_floats(const float *values, size_t count, const char *what, lbError *err) {
  for (size_t i = 0; i < count; i++)
    if (!isfinite(values[i]))
      return lb_fail(err, LB_ERR_ARGUMENT, "%s[%llu] is %g, it must be finite", what,
                     (unsigned long long)i, (double)values[i]);
  return LB_OK;
}

// ---- beginning ---------------------------------------------------------------------------------

lbGltfDef lb_gltf_def(void) { return (lbGltfDef){ .up = 'z', .animation_name = "simulation" }; }

static lbStatus check_gltf_def(const lbGltfDef *def, lbError *err) {
  if (def->up != 'z' && def->up != 'y')
    return lb_fail(err, LB_ERR_ARGUMENT, "up is character %d, it must be 'z' or 'y'", (int)def->up);
  if (def->frame_count < 0 || (def->frame_count > 0 && !def->times))
    return lb_fail(err, LB_ERR_ARGUMENT, "frame_count is %d, with %s times", (int)def->frame_count,
                   def->times ? "its" : "no");
  for (int32_t f = 0; f < def->frame_count; f++) {
    float time = (float)def->times[f], before = f ? (float)def->times[f - 1] : -1;
    if (!(time >= 0 && isfinite(time) && time > before))
      return lb_fail(err, LB_ERR_ARGUMENT,
                     "times[%d] is %.9g after %.9g: times must be >= 0 and ascend, also in the "
                     "single precision of glTF",
                     (int)f, def->times[f], f ? def->times[f - 1] : 0);
  }
  return LB_OK;
}

lbStatus lb_gltf_create(const lbGltfDef *def, lbGltf **out, lbError *err) {
  lbStatus status = check_gltf_def(def, err);
  if (status) return status;
  lbGltf *gltf = lb_alloc(1, sizeof *gltf);
  if (!gltf) return lb_fail_memory(err);
  *gltf = (lbGltf){ .up = def->up, .frame_count = def->frame_count, .times_accessor = -1 };
  gltf->animation_name = lb_duplicate_text(def->animation_name ? def->animation_name : "");
  gltf->times = lb_alloc((size_t)def->frame_count, sizeof *gltf->times);
  if (!gltf->animation_name || !gltf->times) {
    lb_gltf_destroy(gltf);
    return lb_fail_memory(err);
  }
  for (int32_t f = 0; f < def->frame_count; f++) gltf->times[f] = (float)def->times[f];
  *out = gltf;
  return LB_OK;
}

void lb_gltf_destroy(lbGltf *gltf) {
  if (!gltf) return;
  lbJson *lists[LIST_COUNT];
  list_gltf_all(gltf, lists);
  for (int i = 0; i < LIST_COUNT; i++) lb_json_release(lists[i]);
  for (int32_t i = 0; i < gltf->piece_count; i++) lb_free(gltf->pieces[i].owned);
  lb_free(gltf->pieces);
  lb_free(gltf->target_counts);
  lb_free(gltf->joints_most);
  lb_free(gltf->skin_joints);
  lb_free(gltf->places);
  lb_free(gltf->texture_views);
  lb_free(gltf->animation_name);
  lb_free(gltf->times);
  lb_free(gltf);
}

const char *lb_gltf_open(lbJson *list, const char *name) {
  lb_json_put(list, "{");
  if (!name || !*name) return "";
  lb_json_put(list, "\"name\":");
  lb_json_put_string(list, name);
  return ",";
}

// ---- binary data -------------------------------------------------------------------------------

int32_t lb_gltf_add_view(lbGltf *gltf, const void *data, size_t bytes, int target, void *owned) {
  if (bytes > UINT32_MAX - HEADER_BYTES || gltf->bytes + bytes > UINT32_MAX - HEADER_BYTES)
    lb_gltf_set_failed(gltf, LB_ERR_UNSUPPORTED);
  if (!gltf->status && !lb_grow((void **)&gltf->pieces, &gltf->piece_capacity,
                                (size_t)gltf->piece_count + 1, sizeof *gltf->pieces))
    lb_gltf_set_failed(gltf, LB_ERR_MEMORY);
  if (gltf->status) {
    lb_free(owned);
    return -1;
  }
  lbJson *views = &gltf->views;
  lb_json_next(views);
  lb_json_put(views, "{\"buffer\":0,\"byteOffset\":");
  lb_json_put_integer(views, (int64_t)gltf->bytes);
  lb_json_put(views, ",\"byteLength\":");
  lb_json_put_integer(views, (int64_t)bytes);
  if (target) {
    lb_json_put(views, ",\"target\":");
    lb_json_put_integer(views, target);
  }
  lb_json_put(views, "}");
  gltf->pieces[gltf->piece_count++] = (lbGltfPiece){ data, bytes, gltf->bytes, owned };
  gltf->bytes += bytes + padding(bytes);
  return gltf->piece_count - 1;
}

// Leaves the accessor open.
static int32_t begin_accessor(lbGltf *gltf, int32_t view, int component, size_t count,
                              const char *type) {
  lbJson *list = &gltf->accessors;
  int32_t accessor = lb_json_next(list);
  lb_json_put(list, "{\"bufferView\":");
  lb_json_put_integer(list, view);
  lb_json_put(list, ",\"componentType\":");
  lb_json_put_integer(list, component);
  lb_json_put(list, ",\"count\":");
  lb_json_put_integer(list, (int64_t)count);
  lb_json_put(list, ",\"type\":");
  lb_json_put_string(list, type);
  return accessor;
}

int32_t lb_gltf_add_floats(lbGltf *gltf, float *values, size_t count, int32_t width, int target,
                           bool bounds) {
  static const char *const types[] = { "SCALAR", "VEC2", "VEC3", "VEC4" };
  if (!values) lb_gltf_set_failed(gltf, LB_ERR_MEMORY);
  float low[4], high[4];
  for (int k = 0; k < 4; k++) low[k] = INFINITY, high[k] = -INFINITY;
  size_t entries = count * (size_t)width;
  for (size_t i = 0; i < entries && bounds && values; i++) {
    size_t k = i % (size_t)width;
    low[k] = fminf(low[k], values[i]);
    high[k] = fmaxf(high[k], values[i]);
  }
  int32_t view = lb_gltf_add_view(gltf, values, entries * sizeof *values, target, values);
  if (view < 0) return -1;
  int32_t accessor = begin_accessor(gltf, view, FLOAT_COMPONENT, count, types[width - 1]);
  if (bounds) {
    lb_json_put(&gltf->accessors, ",");
    lb_json_put_floats(&gltf->accessors, "min", low, (size_t)width);
    lb_json_put(&gltf->accessors, ",");
    lb_json_put_floats(&gltf->accessors, "max", high, (size_t)width);
  }
  lb_json_put(&gltf->accessors, "}");
  return accessor;
}

int32_t lb_gltf_add_indices(lbGltf *gltf, const int32_t *indices, size_t count,
                            int32_t vertex_count) {
  bool narrow = vertex_count <= UINT16_MAX; // index 65535 itself is reserved
  size_t item_bytes = narrow ? sizeof(uint16_t) : sizeof(uint32_t);
  void *copy = lb_alloc(count, item_bytes);
  if (!copy) lb_gltf_set_failed(gltf, LB_ERR_MEMORY);
  for (size_t i = 0; i < count && copy; i++)
    if (narrow)
      ((uint16_t *)copy)[i] = (uint16_t)indices[i];
    else
      ((uint32_t *)copy)[i] = (uint32_t)indices[i];
  int32_t view = lb_gltf_add_view(gltf, copy, count * item_bytes, LB_GLTF_INDICES, copy);
  if (view < 0) return -1;
  int32_t accessor =
      begin_accessor(gltf, view, narrow ? SHORT_COMPONENT : INT_COMPONENT, count, "SCALAR");
  lb_json_put(&gltf->accessors, "}");
  return accessor;
}

int32_t lb_gltf_add_joints(lbGltf *gltf, const int32_t *joints, size_t count) {
  int32_t most = 0;
  for (size_t i = 0; i < 4 * count; i++) most = joints[i] > most ? joints[i] : most;
  bool narrow = most <= UINT8_MAX;
  size_t item_bytes = narrow ? sizeof(uint8_t) : sizeof(uint16_t);
  void *copy = lb_alloc(4 * count, item_bytes);
  if (!copy) lb_gltf_set_failed(gltf, LB_ERR_MEMORY);
  for (size_t i = 0; i < 4 * count && copy; i++)
    if (narrow)
      ((uint8_t *)copy)[i] = (uint8_t)joints[i];
    else
      ((uint16_t *)copy)[i] = (uint16_t)joints[i];
  int32_t view = lb_gltf_add_view(gltf, copy, 4 * count * item_bytes, LB_GLTF_VERTICES, copy);
  if (view < 0) return -1;
  int32_t accessor =
      begin_accessor(gltf, view, narrow ? BYTE_COMPONENT : SHORT_COMPONENT, count, "VEC4");
  lb_json_put(&gltf->accessors, "}");
  return accessor;
}

int32_t lb_gltf_add_matrices(lbGltf *gltf, const float *matrices, size_t count) {
  float *copy = lb_duplicate(matrices, 16 * count, sizeof *copy);
  if (!copy) lb_gltf_set_failed(gltf, LB_ERR_MEMORY);
  int32_t view = lb_gltf_add_view(gltf, copy, 16 * count * sizeof *copy, LB_GLTF_ANY, copy);
  if (view < 0) return -1;
  int32_t accessor = begin_accessor(gltf, view, FLOAT_COMPONENT, count, "MAT4");
  lb_json_put(&gltf->accessors, "}");
  return accessor;
}

// ---- ending ------------------------------------------------------------------------------------

static void put_children(const lbGltf *gltf, int32_t parent, lbJson *json) {
  const char *comma = "";
  lb_json_put(json, "\"children\":[");
  for (int32_t i = parent + 1; i < gltf->nodes.count; i++) {
    if (gltf->places[i].parent != parent) continue;
    lb_json_put(json, comma);
    lb_json_put_integer(json, i + 1);
    comma = ",";
  }
  lb_json_put(json, "]");
}

// Node 0 is the root, above all that have no other parent.
static void put_nodes(const lbGltf *gltf, lbJson *json) {
  lb_json_put(json, ",\"nodes\":[{\"name\":\"limber\",");
  if (gltf->up == 'z') { // -90 degrees about x: (x, y, z) -> (x, z, -y)
    const float half = (float)sqrt(0.5), rotation[4] = { -half, 0, 0, half };
    lb_json_put_floats(json, "rotation", rotation, 4);
    lb_json_put(json, ",");
  }
  put_children(gltf, -1, json);
  lb_json_put(json, "},");
  size_t done = 0;
  for (int32_t i = 0; i < gltf->nodes.count; i++) {
    const lbGltfPlace *place = &gltf->places[i];
    if (place->child_count == 0) continue;
    lb_json_put_part(json, gltf->nodes.text + done, place->end - done);
    done = place->end;
    if (gltf->nodes.text[done - 1] != '{') lb_json_put(json, ",");
    put_children(gltf, i, json);
  }
  lb_json_put(json, gltf->nodes.text + done);
  lb_json_put(json, "]");
}

static void put_list(lbJson *json, const char *key, const lbJson *list) {
  if (!list->count) return;
  lb_json_put(json, ",");
  lb_json_put_string(json, key);
  lb_json_put(json, ":[");
  lb_json_put(json, list->text);
  lb_json_put(json, "]");
}

static void put_animation(const lbGltf *gltf, lbJson *json) {
  if (!gltf->channels.count) return;
  lb_json_put(json, ",\"animations\":[{\"name\":");
  lb_json_put_string(json, gltf->animation_name);
  put_list(json, "channels", &gltf->channels);
  put_list(json, "samplers", &gltf->samplers);
  lb_json_put(json, "}]");
}

// The JSON text. Release it.
static lbStatus assemble_glb(lbGltf *gltf, lbJson *json, lbError *err) {
  *json = (lbJson){ 0 };
  lbStatus status = lb_gltf_check(gltf, err);
  if (!status && !gltf->nodes.count)
    status = lb_fail(err, LB_ERR_ARGUMENT, "a glTF document needs a node");
  if (status) return status;
  lb_json_put(json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"limber " LB_VERSION
                    "\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}]");
  put_nodes(gltf, json);
  put_list(json, "meshes", &gltf->meshes);
  put_list(json, "skins", &gltf->skins);
  put_list(json, "materials", &gltf->materials);
  put_list(json, "textures", &gltf->textures);
  put_list(json, "images", &gltf->images);
  put_animation(gltf, json);
  put_list(json, "accessors", &gltf->accessors);
  put_list(json, "bufferViews", &gltf->views);
  if (gltf->bytes) {
    lb_json_put(json, ",\"buffers\":[{\"byteLength\":");
    lb_json_put_integer(json, (int64_t)gltf->bytes);
    lb_json_put(json, "}]");
  }
  lb_json_put(json, "}");
  if (json->failed) lb_gltf_set_failed(gltf, LB_ERR_MEMORY);
  if (HEADER_BYTES + json->length + 4 + gltf->bytes > UINT32_MAX)
    lb_gltf_set_failed(gltf, LB_ERR_UNSUPPORTED);
  status = lb_gltf_check(gltf, err);
  if (status) lb_json_release(json);
  return status;
}

static void put_word(uint8_t *to, uint64_t value) {
  for (int i = 0; i < 4; i++) to[i] = (uint8_t)(value >> (8 * i));
}

// All that stands before the JSON text: 20 bytes.
static void put_header(const lbGltf *gltf, uint64_t json_bytes, uint8_t header[20]) {
  uint64_t padded = json_bytes + padding(json_bytes);
  memcpy(header, "glTF", 4);
  put_word(header + 4, 2);
  put_word(header + 8, HEADER_BYTES + padded + gltf->bytes);
  put_word(header + 12, padded);
  memcpy(header + 16, "JSON", 4);
}

// All that stands between the JSON text and the binary data: padding and 8 bytes. Its length.
static size_t put_middle(const lbGltf *gltf, uint64_t json_bytes, uint8_t middle[12]) {
  size_t spaces = padding(json_bytes);
  memset(middle, ' ', spaces);
  put_word(middle + spaces, gltf->bytes);
  memcpy(middle + spaces + 4, "BIN", 4);
  return spaces + 8;
}

lbStatus lb_gltf_save(lbGltf *gltf, const char *path, lbError *err) {
  static const uint8_t zeros[4] = { 0 };
  lbJson json;
  lbFileWriter writer;
  lbStatus status = assemble_glb(gltf, &json, err);
  if (status) return status;
  status = lb_file_begin(&writer, path, err);
  if (!status) {
    uint8_t header[20], middle[12];
    put_header(gltf, json.length, header);
    fwrite(header, 1, sizeof header, writer.stream);
    fwrite(json.text, 1, json.length, writer.stream);
    fwrite(middle, 1, put_middle(gltf, json.length, middle), writer.stream);
    for (int32_t i = 0; i < gltf->piece_count; i++) {
      const lbGltfPiece *piece = &gltf->pieces[i];
      if (piece->bytes) fwrite(piece->data, 1, piece->bytes, writer.stream);
      fwrite(zeros, 1, padding(piece->bytes), writer.stream);
    }
    status = lb_file_commit(&writer, err);
  }
  lb_json_release(&json);
  return status;
}

// `to` is zeroed.
static void copy_pieces(const lbGltf *gltf, uint8_t *to) {
  for (int32_t i = 0; i < gltf->piece_count; i++)
    if (gltf->pieces[i].bytes)
      memcpy(to + gltf->pieces[i].begin, gltf->pieces[i].data, gltf->pieces[i].bytes);
}

lbStatus lb_gltf_pack(lbGltf *gltf, uint8_t **bytes, size_t *byte_count, lbError *err) {
  lbJson json;
  lbStatus status = assemble_glb(gltf, &json, err);
  if (status) return status;
  size_t total = HEADER_BYTES + json.length + padding(json.length) + (size_t)gltf->bytes;
  uint8_t *file = lb_alloc(total, 1);
  if (file) {
    put_header(gltf, json.length, file);
    memcpy(file + 20, json.text, json.length);
    uint8_t *at = file + 20 + json.length;
    copy_pieces(gltf, at + put_middle(gltf, json.length, at));
    *bytes = file;
    *byte_count = total;
  } else {
    status = lb_fail_memory(err);
  }
  lb_json_release(&json);
  return status;
}

lbStatus lb_gltf_take(lbGltf *gltf, size_t alignment, char **json, size_t *json_bytes,
                      uint8_t **bin, size_t *bin_bytes, lbError *err) {
  LB_ASSERT(alignment % 4 == 0);
  gltf->bytes = (gltf->bytes + alignment - 1) / alignment * alignment;
  lbJson text;
  lbStatus status = assemble_glb(gltf, &text, err);
  if (status) return status;
  uint8_t *block = lb_alloc((size_t)gltf->bytes, 1);
  if (!block) {
    lb_json_release(&text);
    return lb_fail_memory(err);
  }
  copy_pieces(gltf, block);
  *json = text.text; // the caller's now
  *json_bytes = text.length;
  *bin = block;
  *bin_bytes = (size_t)gltf->bytes;
  return LB_OK;
}
