// Taking a model file apart: its chunks, header, sizes and checksums.
#include "model/container.h"

#include <string.h>

#define GLB_MAGIC UINT32_C(0x46546c67) // "glTF"

bool lb_machine_is_little_endian(void) {
  const uint32_t one = 1;
  uint8_t first;
  memcpy(&first, &one, 1);
  return first == 1;
}

static uint32_t get_u32(const uint8_t *b) {
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void put_container_u32(uint8_t *b, size_t value) {
  for (int i = 0; i < 4; i++) b[i] = (uint8_t)(value >> 8 * i);
}

static bool is_glb(const uint8_t *bytes, size_t byte_count) {
  return byte_count >= LB_JSON_OFFSET && get_u32(bytes) == GLB_MAGIC && get_u32(bytes + 4) == 2 &&
         get_u32(bytes + 16) == LB_CHUNK_JSON;
}

bool lb_container_find(const uint8_t *bytes, size_t byte_count, size_t *lmbr_offset) {
  if (!is_glb(bytes, byte_count)) return false;
  for (size_t at = 12; byte_count - at >= LB_CHUNK_BYTES;) {
    size_t chunk_bytes = get_u32(bytes + at);
    if (get_u32(bytes + at + 4) == LB_CHUNK_LMBR) {
      *lmbr_offset = at + LB_CHUNK_BYTES;
      return true;
    }
    at += LB_CHUNK_BYTES;
    if (chunk_bytes > byte_count - at) return false;
    at += chunk_bytes;
  }
  return false;
}

bool lb_container_seal(uint8_t *bytes, size_t byte_count) {
  size_t at;
  lbContainerHeader header;
  if (!lb_container_find(bytes, byte_count, &at) || byte_count > UINT32_MAX) return false;
  if (byte_count - at < sizeof header) return false;
  put_container_u32(bytes + 8, byte_count);
  put_container_u32(bytes + at - LB_CHUNK_BYTES, byte_count - at);
  memcpy(&header, bytes + at, sizeof header);
  header.file_bytes = byte_count;
  header.before_sum = lb_checksum(bytes, at, SIZE_MAX);
  memcpy(bytes + at, &header, sizeof header);
  header.own_sum = lb_checksum(bytes + at, byte_count - at, offsetof(lbContainerHeader, own_sum));
  memcpy(bytes + at, &header, sizeof header);
  return true;
}

// ---- opening -----------------------------------------------------------------------------------

// Why there is no LMBR chunk.
static lbStatus fail_without_chunk(const lbContainer *c, lbError *err) {
  if (!is_glb(c->bytes, c->byte_count))
    return lb_fail(err, LB_ERR_FORMAT,
                   "%s: is not a limber model: build one from a mesh with `limber build`", c->name);
  if (get_u32(c->bytes + 8) > c->byte_count)
    return lb_fail(err, LB_ERR_FORMAT, "%s: is truncated: it has %llu of %lu bytes, copy it again",
                   c->name, (unsigned long long)c->byte_count,
                   (unsigned long)get_u32(c->bytes + 8));
  return lb_fail(err, LB_ERR_FORMAT,
                 "%s: is a plain glTF file, not a limber model: build one with `limber build`",
                 c->name);
}

static lbStatus check_container_version(const lbContainer *c, lbError *err) {
  size_t left = c->byte_count - c->lmbr_offset;
  uint32_t version = left >= 4 ? get_u32(c->bytes + c->lmbr_offset) : LB_FORMAT_VERSION;
  if (version > LB_FORMAT_VERSION)
    return lb_fail(
        err, LB_ERR_UNSUPPORTED,
        "%s: made by a newer limber (format %lu, this one reads up to %d): update limber", c->name,
        (unsigned long)version, LB_FORMAT_VERSION);
  if (version < 1)
    return lb_fail(err, LB_ERR_FORMAT, "%s: is damaged: its format has the version 0", c->name);
  return LB_OK;
}

// JSON, BIN unless it is empty, LMBR, each where the layout puts it.
static lbStatus check_chunks(lbContainer *c, lbError *err) {
  c->json_bytes = get_u32(c->bytes + 12);
  c->bin_offset = LB_JSON_OFFSET + c->json_bytes + LB_CHUNK_BYTES;
  bool good = c->bin_offset % 64 == 0;
  if (good && c->bin_offset != c->lmbr_offset) {
    const uint8_t *chunk = c->bytes + c->bin_offset - LB_CHUNK_BYTES;
    c->bin_bytes = get_u32(chunk);
    good = get_u32(chunk + 4) == LB_CHUNK_BIN && c->bin_bytes > 0 && c->bin_bytes % 64 == 0 &&
           c->bin_offset + c->bin_bytes + LB_CHUNK_BYTES == c->lmbr_offset;
  }
  if (good) return LB_OK;
  return lb_fail(err, LB_ERR_FORMAT,
                 "%s: its chunks are not laid out as limber writes them, build it again", c->name);
}

static lbStatus check_container_size(const lbContainer *c, lbError *err) {
  size_t left = c->byte_count - c->lmbr_offset;
  size_t chunk_bytes = get_u32(c->bytes + c->lmbr_offset - LB_CHUNK_BYTES);
  uint64_t promised = get_u32(c->bytes + 8);
  if (left >= sizeof c->header && promised == c->byte_count && chunk_bytes == left &&
      c->header.file_bytes == c->byte_count)
    return LB_OK;
  return lb_fail(err, LB_ERR_FORMAT, "%s: is %s: it has %llu bytes instead of %llu, copy it again",
                 c->name, promised > c->byte_count ? "truncated" : "damaged",
                 (unsigned long long)c->byte_count, (unsigned long long)promised);
}

static lbStatus check_sums(const lbContainer *c, lbError *err) {
  const char *part = NULL;
  if (lb_checksum(c->bytes, c->lmbr_offset, SIZE_MAX) != c->header.before_sum)
    part = "viewable part";
  else if (lb_checksum(c->bytes + c->lmbr_offset, c->byte_count - c->lmbr_offset,
                       offsetof(lbContainerHeader, own_sum)) != c->header.own_sum)
    part = "model";
  if (!part) return LB_OK;
  return lb_fail(err, LB_ERR_FORMAT,
                 "%s: is damaged: the checksum of its %s is wrong, copy or build it again", c->name,
                 part);
}

static bool are_zeros(const void *block, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    if (((const uint8_t *)block)[i]) return false;
  return true;
}

static lbStatus check_container_header(const lbContainer *c, lbError *err) {
  const lbContainerHeader *h = &c->header;
  size_t writer = 0, room = c->byte_count - c->lmbr_offset - sizeof *h;
  while (writer < sizeof h->writer && h->writer[writer] > ' ' && h->writer[writer] < 0x7f) writer++;
  bool good = writer > 0 && writer < sizeof h->writer && h->has_world <= 1 &&
              are_zeros(h->writer + writer, sizeof h->writer - writer) &&
              are_zeros(h->reserved, sizeof h->reserved) &&
              h->array_count <= room / sizeof(lbContainerEntry) &&
              h->model_count <= h->array_count && // each has sizes at least
              h->model_count + h->has_world <= h->array_count;
  if (good) return LB_OK;
  return lb_fail(err, LB_ERR_FORMAT,
                 "%s: its header is inconsistent (%lu models, %lu arrays), build it again", c->name,
                 (unsigned long)h->model_count, (unsigned long)h->array_count);
}

lbStatus lb_container_open(const char *name, const uint8_t *bytes, size_t byte_count,
                           lbContainer *out, lbError *err) {
  lbContainer c = { .name = name, .bytes = bytes, .byte_count = byte_count };
  if (!lb_machine_is_little_endian())
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "%s: limber reads models only on little-endian machines", name);
  if (!lb_container_find(bytes, byte_count, &c.lmbr_offset)) return fail_without_chunk(&c, err);
  lbStatus status = check_container_version(&c, err);
  if (!status && byte_count - c.lmbr_offset >= sizeof c.header)
    memcpy(&c.header, bytes + c.lmbr_offset, sizeof c.header);
  if (!status) status = check_container_size(&c, err);
  if (!status) status = check_sums(&c, err);
  if (!status) status = check_chunks(&c, err);
  if (!status) status = check_container_header(&c, err);
  if (!status) *out = c;
  return status;
}
