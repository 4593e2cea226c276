// Reading .npz. Members are found through the directory at
// the archive's end; what the headers before each member say of sizes is not used.
#include "arrayio/npz.h"

#include "arrayio/budget.h"
#include "arrayio/zip.h"

#include <string.h>
#include <zlib.h>

typedef struct Archive {
  const char *path;
  const unsigned char *content;
  size_t bytes;
  size_t begin; // of the directory
  size_t count; // of members
} Archive;

typedef struct Member {
  const char *name;
  size_t name_length;
  uint32_t flags, method, crc;
  size_t packed, unpacked; // bytes
  size_t header;           // where its own header is
  size_t next;             // directory entry
} Member;

static lbStatus fail_archive(const Archive *a, lbError *err) {
  return lb_fail(err, LB_ERR_FORMAT, "%s: is a broken archive, write it again with numpy.savez",
                 a->path);
}

// The end record: 22 bytes and a comment of at most 65535.
static lbStatus open_archive(Archive *a, lbError *err) {
  for (size_t back = LB_ZIP_END_BYTES; back <= a->bytes && back <= LB_ZIP_END_BYTES + 65535;
       back++) {
    const unsigned char *end = a->content + a->bytes - back;
    if (lb_little_u32(end) != LB_ZIP_END) continue;
    a->count = lb_little_u16(end + 10);
    a->begin = lb_little_u32(end + 16);
    if (a->begin > a->bytes - back) break;
    return LB_OK;
  }
  return fail_archive(a, err);
}

static lbStatus read_member(const Archive *a, size_t at, Member *m, lbError *err) {
  if (at > a->bytes || a->bytes - at < LB_ZIP_ENTRY_BYTES ||
      lb_little_u32(a->content + at) != LB_ZIP_ENTRY)
    return fail_archive(a, err);
  const unsigned char *b = a->content + at;
  *m = (Member){ .name = (const char *)b + LB_ZIP_ENTRY_BYTES,
                 .name_length = lb_little_u16(b + 28),
                 .flags = lb_little_u16(b + 8),
                 .method = lb_little_u16(b + 10),
                 .crc = lb_little_u32(b + 16),
                 .packed = lb_little_u32(b + 20),
                 .unpacked = lb_little_u32(b + 24),
                 .header = lb_little_u32(b + 42) };
  size_t length =
      LB_ZIP_ENTRY_BYTES + m->name_length + lb_little_u16(b + 30) + lb_little_u16(b + 32);
  if (length > a->bytes - at) return fail_archive(a, err);
  m->next = at + length;
  return LB_OK;
}

// The member's packed bytes.
static lbStatus find_data(const Archive *a, const Member *m, const unsigned char **data,
                          lbError *err) {
  if (m->header > a->bytes || a->bytes - m->header < LB_ZIP_LOCAL_BYTES ||
      lb_little_u32(a->content + m->header) != LB_ZIP_LOCAL)
    return fail_archive(a, err);
  const unsigned char *b = a->content + m->header;
  size_t begin = m->header + LB_ZIP_LOCAL_BYTES + lb_little_u16(b + 26) + lb_little_u16(b + 28);
  if (begin > a->bytes || m->packed > a->bytes - begin) return fail_archive(a, err);
  *data = a->content + begin;
  return LB_OK;
}

static void *allocate_npz(void *context, unsigned count, unsigned bytes) {
  (void)context;
  return lb_alloc(count, bytes);
}

static void release_npz(void *context, void *block) {
  (void)context;
  lb_free(block);
}

static lbStatus inflate_member(const Archive *a, const Member *m, const unsigned char *data,
                               char *to, lbError *err) {
  z_stream z = { .zalloc = allocate_npz, .zfree = release_npz };
  if (inflateInit2(&z, -MAX_WBITS) != Z_OK) return lb_fail_memory(err);
  z.next_in = (Bytef *)data;
  z.avail_in = (uInt)m->packed;
  z.next_out = (Bytef *)to;
  z.avail_out = (uInt)m->unpacked;
  int code = inflate(&z, Z_FINISH);
  bool whole = code == Z_STREAM_END && z.total_out == m->unpacked;
  inflateEnd(&z);
  return whole ? LB_OK : fail_archive(a, err);
}

static lbStatus unpack(const Archive *a, const Member *m, char **out, lbError *err) {
  const size_t most_ratio = 1040; // deflate makes at most 1032 bytes of one
  const unsigned char *data = NULL;
  if (m->flags & 1)
    return lb_fail(err, LB_ERR_UNSUPPORTED, "%s: is encrypted, which is not supported", a->path);
  if (m->method != LB_ZIP_STORED && m->method != LB_ZIP_DEFLATED)
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "%s: packed by method %d, use numpy.savez or numpy.savez_compressed", a->path,
                   (int)m->method);
  if (m->packed == UINT32_MAX || m->unpacked == UINT32_MAX)
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "%s: the array has more than 4 GiB, use .npy instead of .npz", a->path);
  lbStatus status = find_data(a, m, &data, err);
  if (status) return status;
  if (m->method == LB_ZIP_STORED ? m->unpacked != m->packed : m->unpacked / most_ratio > m->packed)
    return fail_archive(a, err);
  if (m->unpacked > lb_budget(a->bytes, LB_BUDGET_INFLATE))
    return lb_fail(err, LB_ERR_FORMAT,
                   "%s: an array unpacks to %zu MiB, too much for a file of its size; use "
                   "numpy.savez without compression",
                   a->path, m->unpacked >> 20);
  char *content = lb_alloc(m->unpacked + 1, 1);
  if (!content) return lb_fail_memory(err);
  if (m->method == LB_ZIP_DEFLATED)
    status = inflate_member(a, m, data, content, err);
  else
    memcpy(content, data, m->unpacked);
  if (!status && crc32(0, (const Bytef *)content, (uInt)m->unpacked) != m->crc)
    status = lb_fail(err, LB_ERR_FORMAT, "%s: the checksum of \"%.*s\" is wrong", a->path,
                     (int)(m->name_length < 60 ? m->name_length : 60), m->name);
  if (status)
    lb_free(content);
  else
    *out = content;
  return status;
}

// The only member, or the one of this name.
static lbStatus choose_member(const Archive *a, const char *name, Member *chosen, lbError *err) {
  size_t length = strlen(name), at = a->begin;
  bool found = false;
  for (size_t i = 0; i < a->count; i++) {
    Member m;
    lbStatus status = read_member(a, at, &m, err);
    if (status) return status;
    bool named = m.name_length == length + 4 && memcmp(m.name, name, length) == 0 &&
                 memcmp(m.name + length, ".npy", 4) == 0;
    if (named || a->count == 1) *chosen = m, found = true;
    at = m.next;
  }
  if (found) return LB_OK;
  return lb_fail(
      err, LB_ERR_FORMAT,
      "%s: holds %d arrays and none is called \"%s\"; store a single array, or give it this name",
      a->path, (int)a->count, name);
}

lbStatus lb_npz_parse(const char *path, const char *content, size_t bytes, const char *name,
                      lbNpy **out, lbError *err) {
  Archive a = { .path = path, .content = (const unsigned char *)content, .bytes = bytes };
  Member member = { 0 };
  char *array = NULL;
  lbStatus status = open_archive(&a, err);
  if (!status) status = choose_member(&a, name, &member, err);
  if (!status) status = unpack(&a, &member, &array, err);
  if (!status) status = lb_npy_parse(path, array, member.unpacked, out, err);
  lb_free(array);
  return status;
}
