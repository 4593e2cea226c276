// Decoding a DataArray. Binary data begins with headers of UInt32 or UInt64: its bytes; or, when
// compressed, the count of blocks, the size of a block, the size of the last one (0: full) and the
// compressed size of each, then the blocks.
#include "meshio/vtu_array.h"

#include "meshio/base64.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

// Deflate cannot make more than 1032 bytes out of one.
#define DEFLATE_RATIO 1032

static bool parse_type(const char *word, lbScalar *type) {
  static const char *const words[LB_SCALAR_COUNT] = { "Int8",    "UInt8",  "Int16", "UInt16",
                                                      "Int32",   "UInt32", "Int64", "UInt64",
                                                      "Float32", "Float64" };
  for (int i = 0; i < LB_SCALAR_COUNT; i++)
    if (strcmp(word, words[i]) == 0) {
      *type = (lbScalar)i;
      return true;
    }
  return false;
}

static bool integer_attribute(const lbXmlTag *tag, const char *name, int64_t *value) {
  char word[32];
  return lb_xml_attribute(tag, name, word, sizeof word) &&
         lb_parse_integer(word, word + strlen(word), value) == strlen(word) && *value >= 0;
}

lbStatus lb_vtu_array_parse(lbText *text, const lbXmlTag *tag, lbVtuArray *array, lbError *err) {
  char word[32] = "";
  *array = (lbVtuArray){ .is_there = true, .line = tag->line, .begin = text->next };
  lbText where = *text;
  where.line = tag->line;
  if (!lb_xml_attribute(tag, "Name", array->name, sizeof array->name)) array->name[0] = '\0';
  if (!lb_xml_attribute(tag, "type", word, sizeof word) || !parse_type(word, &array->type))
    return lb_text_fail(&where, err, "DataArray \"%s\" has the unknown type \"%s\"", array->name,
                        word);
  if (!integer_attribute(tag, "NumberOfComponents", &array->components)) array->components = 0;
  if (!lb_xml_attribute(tag, "format", word, sizeof word)) strcpy(word, "ascii");
  if (strcmp(word, "appended") == 0) {
    array->format = LB_VTU_APPENDED;
    if (!integer_attribute(tag, "offset", &array->offset))
      return lb_text_fail(&where, err, "DataArray \"%s\" lacks its offset", array->name);
    return LB_OK;
  }
  if (strcmp(word, "ascii") != 0 && strcmp(word, "binary") != 0)
    return lb_text_fail(&where, err, "DataArray \"%s\" has the unknown format \"%s\"", array->name,
                        word);
  array->format = strcmp(word, "ascii") == 0 ? LB_VTU_ASCII : LB_VTU_BINARY;
  array->line = text->line;
  size_t left = (size_t)(text->end - text->next);
  const char *stop = !tag->is_empty && left ? memchr(text->next, '<', left) : NULL;
  array->end = tag->is_empty ? array->begin : stop ? stop : text->end;
  for (; text->next < array->end; text->next++) text->line += *text->next == '\n';
  return LB_OK;
}

static bool read_vtu_header(const lbVtuEncoding *encoding, lbByteStream *stream, uint64_t *value) {
  uint8_t bytes[8], ordered[8];
  size_t width = encoding->long_headers ? 8 : 4;
  if (!lb_byte_stream_read(stream, bytes, width)) return false;
  for (size_t i = 0; i < width; i++) ordered[i] = bytes[encoding->swapped ? width - 1 - i : i];
  uint32_t narrow = 0;
  memcpy(encoding->long_headers ? (void *)value : (void *)&narrow, ordered, width);
  if (!encoding->long_headers) *value = narrow;
  return true;
}

static void *zlib_allocate(void *context, unsigned count, unsigned bytes) {
  (void)context;
  return lb_alloc(count, bytes);
}

static void zlib_release(void *context, void *block) {
  (void)context;
  lb_free(block);
}

static bool inflate_block(const uint8_t *from, size_t from_bytes, char *to, size_t to_bytes,
                          bool *out_of_memory) {
  z_stream z = { .zalloc = zlib_allocate, .zfree = zlib_release };
  if (from_bytes > UINT32_MAX || to_bytes > UINT32_MAX) return false;
  *out_of_memory = inflateInit(&z) != Z_OK;
  if (*out_of_memory) return false;
  z.next_in = (uint8_t *)(uintptr_t)from; // zlib does not write there
  z.avail_in = (uInt)from_bytes;
  z.next_out = (uint8_t *)to;
  z.avail_out = (uInt)to_bytes;
  int code = inflate(&z, Z_FINISH);
  bool done = code == Z_STREAM_END && z.avail_out == 0;
  *out_of_memory = code == Z_MEM_ERROR;
  inflateEnd(&z);
  return done;
}

static lbStatus fail_data(const lbVtuValues *values, lbError *err, const char *text) {
  return lb_fail(err, LB_ERR_FORMAT, "%s: %s", values->label, text);
}

static lbStatus take_room(const lbVtuEncoding *encoding, lbVtuValues *values, size_t bytes,
                          lbError *err) {
  if (bytes > *encoding->bytes_left)
    return lb_fail(err, LB_ERR_FORMAT,
                   "%s: unpacks to %zu MiB, too much for a file of its size; write it without "
                   "compression",
                   values->label, bytes >> 20);
  *encoding->bytes_left -= bytes;
  values->decoded = lb_alloc(bytes, 1);
  return values->decoded ? LB_OK : lb_fail_memory(err);
}

static lbStatus decode_plain(const lbVtuEncoding *encoding, lbByteStream *stream,
                             lbVtuValues *values, size_t *bytes, lbError *err) {
  uint64_t size = 0;
  if (!read_vtu_header(encoding, stream, &size))
    return fail_data(values, err, "the data ends early");
  if (size > lb_byte_stream_left(stream))
    return lb_fail(err, LB_ERR_FORMAT, "%s: claims %llu bytes, the file has fewer than %zu left",
                   values->label, (unsigned long long)size, lb_byte_stream_left(stream) + 1);
  *bytes = (size_t)size;
  lbStatus status = take_room(encoding, values, *bytes, err);
  if (status) return status;
  if (!lb_byte_stream_read(stream, values->decoded, *bytes))
    return fail_data(values, err, "the data ends early or is not base64");
  return LB_OK;
}

typedef struct Blocks {
  uint64_t count, block_bytes, last_bytes;
  uint64_t *compressed; // (count) bytes
} Blocks;

static size_t block_size(const Blocks *blocks, uint64_t i) {
  bool is_short = i + 1 == blocks->count && blocks->last_bytes;
  return (size_t)(is_short ? blocks->last_bytes : blocks->block_bytes);
}

// Reads the headers and refuses sizes that the data cannot hold.
static lbStatus read_block_headers(const lbVtuEncoding *encoding, lbByteStream *stream,
                                   const lbVtuValues *values, Blocks *blocks, lbError *err) {
  uint64_t sum = 0;
  if (!read_vtu_header(encoding, stream, &blocks->count))
    return fail_data(values, err, "the data ends early");
  if (blocks->count == 0) return LB_OK;
  if (!read_vtu_header(encoding, stream, &blocks->block_bytes) ||
      !read_vtu_header(encoding, stream, &blocks->last_bytes) ||
      blocks->count > lb_byte_stream_left(stream))
    return fail_data(values, err, "the compressed data ends early");
  blocks->compressed = lb_alloc((size_t)blocks->count, sizeof *blocks->compressed);
  if (!blocks->compressed) return lb_fail_memory(err);
  for (uint64_t i = 0; i < blocks->count; i++) {
    if (!read_vtu_header(encoding, stream, &blocks->compressed[i]) ||
        blocks->compressed[i] > lb_byte_stream_left(stream) ||
        (sum += blocks->compressed[i]) > lb_byte_stream_left(stream) + 3)
      return fail_data(values, err, "the compressed data ends early");
    if (block_size(blocks, i) > DEFLATE_RATIO * (blocks->compressed[i] + 1))
      return lb_fail(err, LB_ERR_FORMAT, "%s: block %llu claims %zu bytes out of %llu",
                     values->label, (unsigned long long)i, block_size(blocks, i),
                     (unsigned long long)blocks->compressed[i]);
  }
  return LB_OK;
}

static lbStatus inflate_blocks(lbByteStream *stream, const Blocks *blocks, lbVtuValues *values,
                               lbError *err) {
  lbStatus status = LB_OK;
  bool out_of_memory = false;
  uint8_t *compressed = NULL;
  char *to = values->decoded;
  for (uint64_t i = 0; i < blocks->count && !status; i++) {
    size_t bytes = (size_t)blocks->compressed[i];
    compressed = lb_alloc(bytes, 1);
    if (!compressed) return lb_fail_memory(err);
    if (!lb_byte_stream_read(stream, compressed, bytes))
      status = fail_data(values, err, "the data ends early or is not base64");
    else if (!inflate_block(compressed, bytes, to, block_size(blocks, i), &out_of_memory))
      status = out_of_memory ? lb_fail_memory(err)
                             : fail_data(values, err, "the compressed data is damaged");
    to += block_size(blocks, i);
    lb_free(compressed);
  }
  return status;
}

static lbStatus decode_compressed(const lbVtuEncoding *encoding, lbByteStream *stream,
                                  lbVtuValues *values, size_t *bytes, lbError *err) {
  Blocks blocks = { 0 };
  *bytes = 0;
  lbStatus status = read_block_headers(encoding, stream, values, &blocks, err);
  for (uint64_t i = 0; i < blocks.count && !status; i++) *bytes += block_size(&blocks, i);
  if (!status) status = take_room(encoding, values, *bytes, err);
  if (!status) status = inflate_blocks(stream, &blocks, values, err);
  lb_free(blocks.compressed);
  return status;
}

lbStatus lb_vtu_array_open(const lbVtuEncoding *encoding, const lbVtuArray *array,
                           lbVtuValues *values, lbError *err) {
  *values = (lbVtuValues){ .decoded = NULL };
  if (array->format == LB_VTU_ASCII) {
    values->scan = lb_scan(encoding->path, array->begin, (size_t)(array->end - array->begin));
    values->scan.text.line = array->line;
    return LB_OK;
  }
  snprintf(values->label, sizeof values->label, "%.250s:%d: DataArray \"%s\"", encoding->path,
           (int)array->line, array->name);
  lbByteStream stream = lb_byte_stream(array->begin, array->end, true);
  if (array->format == LB_VTU_APPENDED) {
    if (!encoding->appended || array->offset > encoding->appended_end - encoding->appended)
      return fail_data(values, err, "its offset is beyond the appended data");
    stream = lb_byte_stream(encoding->appended + array->offset, encoding->appended_end,
                            encoding->appended_is_base64);
  }
  size_t bytes = 0;
  lbStatus status = (encoding->is_compressed ? decode_compressed : decode_plain)(
      encoding, &stream, values, &bytes, err);
  if (status) return status;
  values->scan = (lbScan){ .text = { values->label, values->decoded, values->decoded + bytes, 1 },
                           .begin = values->decoded,
                           .binary = true,
                           .swapped = encoding->swapped };
  return LB_OK;
}

void lb_vtu_values_release(lbVtuValues *values) {
  lb_free(values->decoded);
  values->decoded = NULL;
}
