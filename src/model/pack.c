// Models and a world as the bytes of a file. One walk over the tables is made twice: the first time
// it only counts, the second time it writes.
#include "model/model.h"

#include <stdio.h>
#include <string.h>

typedef struct Packer {
  const lbModel *const *models;
  int32_t model_count;
  const lbWorldDef *world;
  lbModelViewable viewable;
  const char *writer;
  char json[160]; // of files without a viewable part
  bool own_bin;   // the BIN chunk is made of the models' pictures
  bool in_place;  // texture ranges are those of the file already
  // The layout.
  uint64_t bin_offset, lmbr_offset, array_offset, file_bytes;
  // The walk.
  uint8_t *bytes;        // NULL: counting
  uint32_t array_count;  // so far
  uint64_t end;          // of the arrays so far
  uint64_t picture_end;  // of the models' pictures so far, in the BIN chunk
  int64_t texture_count; // so far, of all models
} Packer;

// ---- the walk ----------------------------------------------------------------------------------

// Appends an array; NULL while counting, and otherwise where it now is.
static void *put_array(Packer *p, const lbArrayView *view, int32_t owner, size_t bytes) {
  uint64_t offset = p->end;
  p->end = offset + lb_container_align(bytes);
  uint32_t index = p->array_count++;
  if (!p->bytes) return NULL;
  lbContainerEntry entry = {
    .owner = owner, .type = (uint16_t)view->type, .rank = (uint16_t)view->rank, .offset = offset
  };
  LB_ASSERT(strlen(view->name) < sizeof entry.name);
  memcpy(entry.name, view->name, strlen(view->name));
  memcpy(entry.shape, view->shape, sizeof entry.shape);
  entry.bytes = bytes;
  uint64_t at = p->lmbr_offset + sizeof(lbContainerHeader) + index * sizeof entry;
  memcpy(p->bytes + at, &entry, sizeof entry);
  return memcpy(p->bytes + offset, view->data, bytes);
}

// Up to the last that is not zero: sizes that later versions add do not show in older models.
static void put_sizes(Packer *p, const lbArrayTable *table, const void *object, int32_t owner) {
  int32_t sizes[64], count = table->size_count;
  LB_ASSERT(count <= 64);
  for (int32_t i = 0; i < count; i++)
    memcpy(&sizes[i], (const char *)object + table->sizes[i].field, sizeof *sizes);
  while (count > 1 && sizes[count - 1] == 0) count--;
  lbArrayView view = {
    .name = "sizes", .type = LB_I32, .rank = 1, .shape = { count }, .data = sizes
  };
  put_array(p, &view, owner, (size_t)count * sizeof *sizes);
}

// Puts the pictures into the BIN chunk, or just counts their bytes.
static void put_pictures(Packer *p, const lbModel *model, int64_t *ranges) {
  for (int32_t i = 0; i < model->size.texture_count; i++) {
    uint64_t begin = (uint64_t)model->texture_ranges[2 * i];
    uint64_t bytes = (uint64_t)model->texture_ranges[2 * i + 1];
    if (bytes == 0) continue;
    if (ranges) {
      ranges[2 * i] = (int64_t)p->picture_end;
      ranges[2 * i + 1] = (int64_t)bytes;
      memcpy(p->bytes + p->bin_offset + p->picture_end, model->pictures + begin, (size_t)bytes);
    }
    p->picture_end += lb_container_align(bytes);
  }
}

// The ranges of a model's textures, written as offsets in the BIN chunk, become those of the file.
static void put_ranges(Packer *p, const lbModel *model, int64_t *ranges) {
  int32_t count = model->size.texture_count;
  size_t first = 2 * (size_t)p->texture_count;
  p->texture_count += count;
  if (p->in_place || count == 0) return;
  if (ranges && p->own_bin)
    memset(ranges, 0, 2 * (size_t)count * sizeof *ranges);
  else if (ranges)
    memcpy(ranges, p->viewable.texture_ranges + first, 2 * (size_t)count * sizeof *ranges);
  if (p->own_bin) put_pictures(p, model, ranges);
  for (int32_t i = 0; ranges && i < count; i++)
    ranges[2 * i] = ranges[2 * i + 1] ? ranges[2 * i] + (int64_t)p->bin_offset : 0;
}

static void put_object(Packer *p, const lbArrayTable *table, const void *object, int32_t owner) {
  put_sizes(p, table, object, owner);
  for (int32_t i = 0; i < table->row_count; i++) {
    const lbArrayRow *row = &table->rows[i];
    size_t bytes = lb_arrays_data(row, object) ? lb_arrays_bytes(row, object) : 0;
    if (bytes == 0) continue;
    lbArrayView view = lb_arrays_view(row, object);
    void *written = put_array(p, &view, owner, bytes);
    if (table == &lb_model_table && row->field == offsetof(lbModel, texture_ranges))
      put_ranges(p, object, written);
  }
}

static void walk_arrays(Packer *p) {
  p->array_count = 0;
  p->end = p->array_offset;
  p->picture_end = 0;
  p->texture_count = 0;
  for (int32_t i = 0; i < p->model_count; i++) put_object(p, &lb_model_table, p->models[i], i);
  if (p->world) put_object(p, &lb_world_table, p->world, LB_WORLD_OWNER);
}

// ---- the layout --------------------------------------------------------------------------------

// Without a viewable part: a glTF document with nothing in it but, if need be, the buffer.
static void make_json(Packer *p) {
  int used = snprintf(p->json, sizeof p->json,
                      "{\"asset\":{\"version\":\"2.0\",\"generator\":\"limber %s\"}", LB_VERSION);
  if (p->viewable.bin_bytes)
    used +=
        snprintf(p->json + used, sizeof p->json - (size_t)used,
                 ",\"buffers\":[{\"byteLength\":%llu}]", (unsigned long long)p->viewable.bin_bytes);
  snprintf(p->json + used, sizeof p->json - (size_t)used, "}");
  p->viewable.json = p->json;
  p->viewable.json_bytes = strlen(p->json);
}

uint32_t lb_bundle_version(const lbModel *const *models, int32_t model_count,
                           const lbWorldDef *world) {
  uint32_t version = world ? lb_arrays_version(&lb_world_table, world) : 1;
  for (int32_t i = 0; i < model_count; i++) {
    uint32_t own = lb_arrays_version(&lb_model_table, models[i]);
    if (own > version) version = own;
  }
  for (int32_t i = 0; world && i < world->size.body_count; i++) {
    uint32_t since = lb_method_since(lb_world_method(world, i));
    if (since > version) version = since;
  }
  return version;
}

static lbStatus lay_out_file(Packer *p, lbError *err) {
  walk_arrays(p);
  if (p->own_bin) {
    p->viewable.bin_bytes = (size_t)p->picture_end;
    make_json(p);
  }
  const uint64_t most = UINT32_MAX;
  uint64_t json_bytes = p->viewable.json_bytes, bin_bytes = p->viewable.bin_bytes;
  bool fits = json_bytes <= most && bin_bytes <= most && p->end <= most;
  if (fits) {
    p->bin_offset = lb_container_align(LB_JSON_OFFSET + json_bytes + LB_CHUNK_BYTES);
    p->lmbr_offset = p->bin_offset + (bin_bytes ? bin_bytes + LB_CHUNK_BYTES : 0);
    p->array_offset = lb_container_align(p->lmbr_offset + sizeof(lbContainerHeader) +
                                         p->array_count * (uint64_t)sizeof(lbContainerEntry));
    p->file_bytes = p->array_offset + p->end; // until now `end` counted from 0
    fits = p->file_bytes <= most;
  }
  if (fits) return LB_OK;
  return lb_fail(err, LB_ERR_UNSUPPORTED,
                 "a model file holds at most 4 GiB and this would be more: use fewer modes, a "
                 "coarser mesh, smaller pictures, or a file for each model");
}

static void put_chunk(uint8_t *bytes, uint64_t data, uint64_t data_bytes, uint32_t type) {
  uint32_t words[2] = { (uint32_t)data_bytes, type };
  memcpy(bytes + data - LB_CHUNK_BYTES, words, sizeof words);
}

static void write_all_arrays(Packer *p) {
  const lbModelViewable *v = &p->viewable;
  uint64_t json_bytes = p->bin_offset - LB_CHUNK_BYTES - LB_JSON_OFFSET;
  uint32_t version = 2;
  memcpy(p->bytes, "glTF", 4);
  memcpy(p->bytes + 4, &version, 4);
  put_chunk(p->bytes, LB_JSON_OFFSET, json_bytes, LB_CHUNK_JSON);
  memset(p->bytes + LB_JSON_OFFSET, ' ', (size_t)json_bytes);
  memcpy(p->bytes + LB_JSON_OFFSET, v->json, v->json_bytes);
  if (v->bin_bytes) put_chunk(p->bytes, p->bin_offset, v->bin_bytes, LB_CHUNK_BIN);
  if (v->bin_bytes && !p->own_bin) memcpy(p->bytes + p->bin_offset, v->bin, v->bin_bytes);
  put_chunk(p->bytes, p->lmbr_offset, 0, LB_CHUNK_LMBR); // its length comes with the seal
  walk_arrays(p);
  lbContainerHeader header = { .format_version =
                                   lb_bundle_version(p->models, p->model_count, p->world),
                               .array_count = p->array_count,
                               .model_count = (uint32_t)p->model_count,
                               .has_world = p->world != NULL };
  LB_ASSERT(strlen(p->writer) < sizeof header.writer);
  memcpy(header.writer, p->writer, strlen(p->writer));
  memcpy(p->bytes + p->lmbr_offset, &header, sizeof header);
  lb_container_seal(p->bytes, (size_t)p->file_bytes);
}

// ---- checks ------------------------------------------------------------------------------------

// What is written can be read back.
static lbStatus check_objects(const Packer *p, lbError *err) {
  lbStatus status = LB_OK;
  if (!lb_machine_is_little_endian())
    return lb_fail(err, LB_ERR_UNSUPPORTED, "limber writes models only on little-endian machines");
  for (int32_t i = 0; i < p->model_count && !status; i++) {
    char where[32];
    snprintf(where, sizeof where, "model %d", (int)i);
    status = lb_arrays_check(&lb_model_table, p->models[i], where, err);
    if (!status) status = lb_model_check(p->models[i], where, err);
  }
  if (!p->world || status) return status;
  status = lb_arrays_check(&lb_world_table, p->world, "world", err);
  if (!status) status = lb_world_check(p->world, p->models, p->model_count, "world", err);
  return status;
}

static lbStatus check_viewable(const Packer *p, lbError *err) {
  const lbModelViewable *v = &p->viewable;
  int64_t count = 0;
  if (!v->json || v->json_bytes == 0)
    return lb_fail(err, LB_ERR_ARGUMENT, "the viewable part has no JSON document");
  if (v->bin_bytes % 64)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "the BIN chunk has %llu bytes, which is not a multiple of 64",
                   (unsigned long long)v->bin_bytes);
  for (int32_t i = 0; i < p->model_count; i++) count += p->models[i]->size.texture_count;
  if (count && !v->texture_ranges)
    return lb_fail(err, LB_ERR_ARGUMENT, "the viewable part has no ranges for %lld textures",
                   (long long)count);
  for (int64_t i = 0; i < count; i++) {
    int64_t begin = v->texture_ranges[2 * i], bytes = v->texture_ranges[2 * i + 1];
    if (begin < 0 || bytes < 0 || (uint64_t)begin > v->bin_bytes ||
        (uint64_t)bytes > v->bin_bytes - (uint64_t)begin)
      return lb_fail(err, LB_ERR_ARGUMENT, "texture %lld lies outside the BIN chunk", (long long)i);
  }
  return LB_OK;
}

static lbStatus pack_models(Packer *p, uint8_t **bytes, size_t *byte_count, lbError *err) {
  lbStatus status = check_objects(p, err);
  if (!status && !p->own_bin && !p->in_place) status = check_viewable(p, err);
  if (!status) status = lay_out_file(p, err);
  if (status) return status;
  p->bytes = lb_alloc((size_t)p->file_bytes, 1);
  if (!p->bytes) return lb_fail_memory(err);
  write_all_arrays(p);
  *bytes = p->bytes;
  *byte_count = (size_t)p->file_bytes;
  return LB_OK;
}

lbStatus lb_bundle_pack(const lbModel *const *models, int32_t model_count, const lbWorldDef *world,
                        const lbModelViewable *viewable, uint8_t **bytes, size_t *byte_count,
                        lbError *err) {
  Packer packer = { .models = models,
                    .model_count = model_count,
                    .world = world,
                    .writer = LB_VERSION,
                    .own_bin = !viewable };
  if (viewable) packer.viewable = *viewable;
  return pack_models(&packer, bytes, byte_count, err);
}

lbStatus lb_bundle_repack(const lbModel *const *models, int32_t model_count,
                          const lbWorldDef *world, const lbContainer *source, uint8_t **bytes,
                          size_t *byte_count, lbError *err) {
  Packer packer = { .models = models,
                    .model_count = model_count,
                    .world = world,
                    .writer = source->header.writer,
                    .in_place = true };
  packer.viewable = (lbModelViewable){ .json = (const char *)source->bytes + LB_JSON_OFFSET,
                                       .json_bytes = source->json_bytes,
                                       .bin = source->bytes + source->bin_offset,
                                       .bin_bytes = source->bin_bytes };
  return pack_models(&packer, bytes, byte_count, err);
}
