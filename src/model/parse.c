// From the directory of a model file to models and a world whose arrays lie in the file.
//
// The layout has no freedom: entries come by owner, "sizes" first and then in the order of the
// table, and each array begins at the next multiple of 64 behind the one before. A file that says
// otherwise is refused, so none overlap, none appears twice, and what was read can be written
// again with the same bytes.
#include "model/model.h"

#include <stdio.h>
#include <string.h>

typedef struct Reader {
  const lbContainer *container;
  char where[400]; // the file and the model, for messages
  uint32_t next;   // entry to read
  uint64_t end;    // of the arrays read so far: where the next one must begin
} Reader;

static void name_place(Reader *r, int32_t owner) {
  const lbContainer *c = r->container;
  if (owner == LB_WORLD_OWNER)
    snprintf(r->where, sizeof r->where, "%.360s: world", c->name);
  else if (c->header.model_count > 1)
    snprintf(r->where, sizeof r->where, "%.360s: model %d", c->name, (int)owner);
  else
    snprintf(r->where, sizeof r->where, "%.360s", c->name);
}

static lbContainerEntry entry_at(const Reader *r, uint32_t index) {
  const lbContainer *c = r->container;
  lbContainerEntry entry;
  memcpy(&entry, c->bytes + c->lmbr_offset + sizeof(lbContainerHeader) + index * sizeof entry,
         sizeof entry);
  return entry;
}

// Printable, ends inside the field, zeros behind.
static bool is_name(const lbContainerEntry *entry) {
  size_t length = 0;
  while (length < sizeof entry->name && entry->name[length] > ' ' && entry->name[length] < 0x7f)
    length++;
  for (size_t i = length; i < sizeof entry->name; i++)
    if (entry->name[i]) return false;
  return length > 0 && length < sizeof entry->name;
}

// Bytes up to the next multiple of 64 are zeros.
static bool skip_padding(Reader *r, uint64_t end) {
  r->end = lb_container_align(end);
  if (r->end > r->container->byte_count) return false;
  for (uint64_t i = end; i < r->end; i++)
    if (r->container->bytes[i]) return false;
  return true;
}

// Takes the next entry's array: where it lies and how many bytes it has.
static lbStatus take_array(Reader *r, const lbContainerEntry *entry, const uint8_t **data,
                           lbError *err) {
  uint64_t left = r->container->byte_count - r->end;
  if (entry->offset != r->end || entry->bytes == 0 || entry->bytes > left)
    return lb_fail(err, LB_ERR_FORMAT,
                   "%s: %s lies at byte %llu and has %llu bytes, it must begin at %llu with %llu "
                   "left in the file",
                   r->where, entry->name, (unsigned long long)entry->offset,
                   (unsigned long long)entry->bytes, (unsigned long long)r->end,
                   (unsigned long long)left);
  *data = r->container->bytes + entry->offset;
  if (skip_padding(r, entry->offset + entry->bytes)) return LB_OK;
  return lb_fail(err, LB_ERR_FORMAT, "%s: %s is not followed by zeros up to a multiple of 64",
                 r->where, entry->name);
}

static bool is_shape(const lbContainerEntry *entry, lbArrayType type, int32_t rank,
                     const int64_t shape[3], uint64_t bytes) {
  return entry->type == (uint16_t)type && entry->rank == rank && entry->bytes == bytes &&
         memcmp(entry->shape, shape, sizeof entry->shape) == 0;
}

static lbStatus fail_stored_shape(const Reader *r, const lbContainerEntry *entry,
                                  const char *expected, lbError *err) {
  const char *type = entry->type <= LB_TEXT ? lb_array_type_name((lbArrayType)entry->type) : "?";
  return lb_fail(err, LB_ERR_FORMAT,
                 "%s: %s has type %s, shape %lld x %lld x %lld and %llu bytes, it must be %s",
                 r->where, entry->name, type, (long long)entry->shape[0],
                 (long long)entry->shape[1], (long long)entry->shape[2],
                 (unsigned long long)entry->bytes, expected);
}

static lbStatus read_stored_sizes(Reader *r, const lbArrayTable *table, void *object, int32_t owner,
                                  lbError *err) {
  const uint8_t *data = NULL;
  lbContainerEntry entry = { 0 };
  if (r->next < r->container->header.array_count) entry = entry_at(r, r->next);
  if (!is_name(&entry) || strcmp(entry.name, "sizes") != 0 || entry.owner != owner)
    return lb_fail(err, LB_ERR_FORMAT, "%s: its sizes are missing", r->where);
  r->next++;
  int64_t count = entry.shape[0], shape[3] = { count };
  if (count < 1 || count > table->size_count ||
      !is_shape(&entry, LB_I32, 1, shape, 4 * (uint64_t)count))
    return fail_stored_shape(r, &entry, "a list of as many integers as limber knows, or fewer",
                             err);
  lbStatus status = take_array(r, &entry, &data, err);
  if (status) return status;
  for (int32_t i = 0; i < count; i++) {
    int32_t size;
    memcpy(&size, data + 4 * (size_t)i, sizeof size);
    if (size < 0)
      return lb_fail(err, LB_ERR_FORMAT, "%s: %s is %d", r->where, table->sizes[i].name, (int)size);
    if (size == 0 && i > 0 && i == count - 1)
      return lb_fail(err, LB_ERR_FORMAT, "%s: its sizes end with a zero", r->where);
    *lb_arrays_size(table, object, i) = size;
  }
  return LB_OK;
}

static int32_t find_row(const lbArrayTable *table, const char *name) {
  int32_t i = 0;
  while (i < table->row_count && strcmp(table->rows[i].name, name) != 0) i++;
  return i;
}

// Texts are shown to be texts here, before anything asks for their lengths.
static lbStatus check_row_entry(const Reader *r, const lbArrayRow *row, const void *object,
                                const lbContainerEntry *entry, lbError *err) {
  int64_t shape[3] = { 0 }, count = lb_arrays_item_count(row, object);
  char expected[120];
  if (count < 0)
    return lb_fail(err, LB_ERR_FORMAT, "%s: %s would be too large", r->where, row->name);
  uint64_t bytes = (uint64_t)count * lb_array_item_bytes(row->type);
  for (int32_t i = 0; i < row->rank; i++) shape[i] = lb_extent(row->shape[i], object);
  if (row->type == LB_TEXT) {
    bytes = entry->bytes;
    shape[0] = (int64_t)bytes;
  }
  if (is_shape(entry, row->type, row->rank, shape, bytes)) return LB_OK;
  snprintf(expected, sizeof expected, "%s and %lld x %lld x %lld", lb_array_type_name(row->type),
           (long long)shape[0], (long long)shape[1], (long long)shape[2]);
  return fail_stored_shape(r, entry, expected, err);
}

static lbStatus read_row(Reader *r, const lbArrayRow *row, void *object,
                         const lbContainerEntry *entry, lbError *err) {
  const uint8_t *data = NULL;
  lbStatus status = check_row_entry(r, row, object, entry, err);
  if (!status) status = take_array(r, entry, &data, err);
  if (status) return status;
  int64_t count = lb_arrays_item_count(row, object);
  if (row->type == LB_TEXT && !lb_arrays_are_texts((const char *)data, entry->bytes, count))
    return lb_fail(err, LB_ERR_FORMAT, "%s: %s is not %lld plain UTF-8 texts", r->where, row->name,
                   (long long)count);
  lb_arrays_set_data(row, object, data);
  return LB_OK;
}

static lbStatus read_object(Reader *r, const lbArrayTable *table, void *object, int32_t owner,
                            lbError *err) {
  name_place(r, owner);
  lbStatus status = read_stored_sizes(r, table, object, owner, err);
  for (int32_t last = -1; !status && r->next < r->container->header.array_count; r->next++) {
    lbContainerEntry entry = entry_at(r, r->next);
    if (entry.owner != owner) break;
    if (!is_name(&entry))
      return lb_fail(err, LB_ERR_FORMAT, "%s: array %lu has an invalid name", r->where,
                     (unsigned long)r->next);
    int32_t row = find_row(table, entry.name);
    if (row == table->row_count)
      return lb_fail(err, LB_ERR_FORMAT, "%s: %s is no array of a %s", r->where, entry.name,
                     table->what);
    if (row <= last)
      return lb_fail(err, LB_ERR_FORMAT, "%s: %s appears twice or out of order", r->where,
                     entry.name);
    status = read_row(r, &table->rows[row], object, &entry, err);
    last = row;
  }
  if (!status) status = lb_arrays_check(table, object, r->where, err);
  return status;
}

static lbStatus read_stored_model(Reader *r, lbModel *model, int32_t index, lbError *err) {
  const lbContainer *c = r->container;
  lbStatus status = read_object(r, &lb_model_table, model, index, err);
  model->pictures = c->bytes;
  model->pictures_bytes = c->lmbr_offset - LB_CHUNK_BYTES;
  return status ? status : lb_model_check(model, r->where, err);
}

static lbStatus check_stored_version(const lbContainer *c, const lbModel *const *models,
                                     const lbWorldDef *world, lbError *err) {
  uint32_t version = lb_bundle_version(models, (int32_t)c->header.model_count, world);
  if (version == c->header.format_version) return LB_OK;
  return lb_fail(err, LB_ERR_FORMAT, "%s: declares format %lu, but its contents are of format %lu",
                 c->name, (unsigned long)c->header.format_version, (unsigned long)version);
}

static lbStatus check_end(const Reader *r, lbError *err) {
  const lbContainer *c = r->container;
  if (r->next == c->header.array_count && r->end == c->byte_count) return LB_OK;
  return lb_fail(err, LB_ERR_FORMAT,
                 "%s: it has %lu arrays in %llu bytes, but those of its models are %lu in %llu",
                 c->name, (unsigned long)c->header.array_count, (unsigned long long)c->byte_count,
                 (unsigned long)r->next, (unsigned long long)r->end);
}

// The world if there is one, the end of the file, and its version.
static lbStatus read_rest(Reader *r, const lbModel *models, lbWorldDef *world, lbError *err) {
  const lbContainer *c = r->container;
  int32_t model_count = (int32_t)c->header.model_count;
  lbStatus status = LB_OK;
  if (!c->header.has_world) world = NULL;
  if (world) status = read_object(r, &lb_world_table, world, LB_WORLD_OWNER, err);
  if (status) return status;
  const lbModel **list = lb_alloc((size_t)model_count, sizeof *list);
  if (!list) return lb_fail_memory(err);
  for (int32_t i = 0; i < model_count; i++) list[i] = &models[i];
  if (world) status = lb_world_check(world, list, model_count, r->where, err);
  if (!status) status = check_end(r, err);
  if (!status) status = check_stored_version(c, list, world, err);
  lb_free(list);
  return status;
}

lbStatus lb_container_read(const lbContainer *c, lbModel *models, lbWorldDef *world, lbError *err) {
  Reader r = { .container = c };
  lbStatus status = LB_OK;
  uint64_t directory = c->header.array_count * (uint64_t)sizeof(lbContainerEntry);
  if (!skip_padding(&r, c->lmbr_offset + sizeof(lbContainerHeader) + directory))
    return lb_fail(err, LB_ERR_FORMAT,
                   "%s: the directory is not followed by zeros up to a multiple of 64", c->name);
  for (uint32_t i = 0; i < c->header.model_count && !status; i++)
    status = read_stored_model(&r, &models[i], (int32_t)i, err);
  return status ? status : read_rest(&r, models, world, err);
}
