// Writing .npz: for each array a local header, the .npy header and the data; then the directory.
#include "arrayio/npz.h"

#include "arrayio/zip.h"

#include <zlib.h>

#define ENTRIES_MOST 65535     // of a ZIP without its 64-bit form
#define DAY_OF_ALL_FILES 0x21u // 1 January 1980

// ---- one array ---------------------------------------------------------------------------------

static lbStatus check_array(const lbNpzWriter *writer, const lbNpzArray *array, size_t *data_bytes,
                            lbError *err) {
  const char *path = writer->file.path, *name = array->name;
  if (!name || !*name || strlen(name) > 1000)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: an array needs a name of 1 to 1000 bytes", path);
  for (size_t i = 0; i < writer->entry_count; i++)
    if (strlen(writer->entries[i].name) == strlen(name) + 4 &&
        strncmp(writer->entries[i].name, name, strlen(name)) == 0)
      return lb_fail(err, LB_ERR_ARGUMENT, "%s: there is already an array \"%s\"", path, name);
  if (array->dimension_count < 0 || array->dimension_count > 4)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "%s: array \"%s\" has %d dimensions, 0 to 4 can be written", path, name,
                   (int)array->dimension_count);
  uint64_t bytes = lb_scalar_bytes(array->type);
  for (int32_t i = 0; i < array->dimension_count; i++) {
    if (array->shape[i] < 0)
      return lb_fail(err, LB_ERR_ARGUMENT, "%s: array \"%s\": dimension %d is %lld", path, name,
                     (int)i, (long long)array->shape[i]);
    uint64_t side = (uint64_t)array->shape[i];
    bytes = side && bytes > UINT32_MAX / side ? UINT64_MAX : bytes * side;
    if (bytes == UINT64_MAX) break;
  }
  // headers of this entry here and in the directory, and those of the directory so far
  uint64_t overhead = (writer->entry_count + 1) * 2048 + 1024;
  if (bytes > UINT32_MAX || writer->bytes + bytes + overhead > UINT32_MAX ||
      writer->entry_count == ENTRIES_MOST)
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "%s: array \"%s\" takes the file beyond 4 GiB or %d arrays, write several files",
                   path, name, ENTRIES_MOST);
  if (bytes && !array->data)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: array \"%s\" has no data", path, name);
  *data_bytes = (size_t)bytes;
  return LB_OK;
}

// Names beyond ASCII are UTF-8.
static uint32_t name_flags(const char *name) {
  for (; *name; name++)
    if ((unsigned char)*name >= 0x80) return 0x800;
  return 0;
}

// What the local header and the directory have in common, 26 bytes from "version needed" on.
static void put_entry(uint8_t *p, const lbNpzEntry *entry) {
  lb_put_u16(p, 20); // version 2.0
  lb_put_u16(p + 2, name_flags(entry->name));
  lb_put_u16(p + 4, LB_ZIP_STORED);
  lb_put_u16(p + 6, 0); // midnight
  lb_put_u16(p + 8, DAY_OF_ALL_FILES);
  lb_put_u32(p + 10, entry->crc);
  lb_put_u32(p + 14, entry->bytes);
  lb_put_u32(p + 18, entry->bytes);
  lb_put_u16(p + 22, (uint32_t)strlen(entry->name));
  lb_put_u16(p + 24, 0); // no extra field
}

static void write_npz_bytes(lbNpzWriter *writer, const void *bytes, size_t count) {
  if (count) fwrite(bytes, 1, count, writer->file.stream);
  writer->bytes += count;
}

static lbNpzEntry *new_entry(lbNpzWriter *writer, const char *array_name) {
  size_t length = strlen(array_name);
  char *name = lb_alloc(length + 5, 1);
  if (!name || !lb_grow((void **)&writer->entries, &writer->entry_capacity, writer->entry_count + 1,
                        sizeof *writer->entries)) {
    lb_free(name);
    return NULL;
  }
  memcpy(name, array_name, length);
  memcpy(name + length, ".npy", 4);
  lbNpzEntry *entry = &writer->entries[writer->entry_count++];
  *entry = (lbNpzEntry){ .name = name, .begin = (uint32_t)writer->bytes };
  return entry;
}

// The local header, the .npy header and the data of an entry.
static void write_entry(lbNpzWriter *writer, lbNpzEntry *entry, const char *header,
                        size_t header_bytes, const void *data, size_t data_bytes) {
  uint8_t local[LB_ZIP_LOCAL_BYTES];
  uLong crc = crc32_z(0, (const Bytef *)header, header_bytes);
  if (data_bytes) crc = crc32_z(crc, data, data_bytes);
  entry->crc = (uint32_t)crc;
  entry->bytes = (uint32_t)(header_bytes + data_bytes);
  lb_put_u32(local, LB_ZIP_LOCAL);
  put_entry(local + 4, entry);
  write_npz_bytes(writer, local, sizeof local);
  write_npz_bytes(writer, entry->name, strlen(entry->name));
  write_npz_bytes(writer, header, header_bytes);
  write_npz_bytes(writer, data, data_bytes);
}

lbStatus lb_npz_add(lbNpzWriter *writer, const lbNpzArray *array, lbError *err) {
  LB_ASSERT(writer->file.stream);
  size_t data_bytes = 0;
  lbStatus status = check_array(writer, array, &data_bytes, err);
  lbNpzEntry *entry = status ? NULL : new_entry(writer, array->name);
  if (!status && !entry) status = lb_fail_memory(err);
  if (status) {
    lb_npz_abort(writer);
    return status;
  }
  char header[LB_NPY_HEADER_MOST];
  size_t header_bytes = lb_npy_header(array->type, array->fortran_order, array->dimension_count,
                                      array->shape, header);
  write_entry(writer, entry, header, header_bytes, array->data, data_bytes);
  return LB_OK;
}

lbStatus lb_npz_add_text(lbNpzWriter *writer, const char *name, const char *text, lbError *err) {
  size_t bytes = strlen(text), unused;
  const lbNpzArray array = { name, LB_SCALAR_UINT8, 1, { (int64_t)bytes }, false, text };
  lbStatus status = check_array(writer, &array, &unused, err);
  lbNpzEntry *entry = status ? NULL : new_entry(writer, name);
  if (!status && !entry) status = lb_fail_memory(err);
  if (status) {
    lb_npz_abort(writer);
    return status;
  }
  char header[LB_NPY_HEADER_MOST];
  size_t header_bytes = lb_npy_text_header(bytes, header);
  write_entry(writer, entry, header, header_bytes, text, bytes);
  return LB_OK;
}

// ---- the file ----------------------------------------------------------------------------------

lbStatus lb_npz_begin(lbNpzWriter *writer, const char *path, lbError *err) {
  *writer = (lbNpzWriter){ 0 };
  return lb_file_begin(&writer->file, path, err);
}

static void write_directory(lbNpzWriter *writer) {
  uint64_t begin = writer->bytes;
  for (size_t i = 0; i < writer->entry_count; i++) {
    const lbNpzEntry *entry = &writer->entries[i];
    uint8_t record[LB_ZIP_ENTRY_BYTES] = { 0 };
    lb_put_u32(record, LB_ZIP_ENTRY);
    lb_put_u16(record + 4, 20); // made by version 2.0
    put_entry(record + 6, entry);
    lb_put_u32(record + 42, entry->begin);
    write_npz_bytes(writer, record, sizeof record);
    write_npz_bytes(writer, entry->name, strlen(entry->name));
  }
  uint8_t end[LB_ZIP_END_BYTES] = { 0 };
  lb_put_u32(end, LB_ZIP_END);
  lb_put_u16(end + 8, (uint32_t)writer->entry_count);
  lb_put_u16(end + 10, (uint32_t)writer->entry_count);
  lb_put_u32(end + 12, (uint32_t)(writer->bytes - begin));
  lb_put_u32(end + 16, (uint32_t)begin);
  write_npz_bytes(writer, end, sizeof end);
}

static void release_entries(lbNpzWriter *writer) {
  for (size_t i = 0; i < writer->entry_count; i++) lb_free(writer->entries[i].name);
  lb_free(writer->entries);
  writer->entries = NULL;
  writer->entry_count = writer->entry_capacity = 0;
}

lbStatus lb_npz_commit(lbNpzWriter *writer, lbError *err) {
  LB_ASSERT(writer->file.stream);
  write_directory(writer);
  release_entries(writer);
  return lb_file_commit(&writer->file, err);
}

void lb_npz_abort(lbNpzWriter *writer) {
  release_entries(writer);
  lb_file_abort(&writer->file);
}
