// The container of binary glTF 2.0: 12 bytes of header ("glTF", version, length), then chunks of
// (length, type, data), the first of them JSON, the second, if any, the binary buffer; other chunks
// are skipped. A file that is JSON text itself (.gltf) is taken too.
#include "meshio/glb.h"

#include "meshio/base64.h"
#include "meshio/companion.h"
#include "arrayio/scalar.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CHUNK_JSON 0x4e4f534au
#define CHUNK_BIN 0x004e4942u

lbStatus lb_glb_fail(const lbGlbFile *glb, lbError *err, const char *format, ...) {
  char message[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return lb_fail(err, LB_ERR_FORMAT, "%s: %s", glb->path, message);
}

// ---- JSON --------------------------------------------------------------------------------------

json_t *lb_glb_item(const lbGlbFile *glb, const char *list, int64_t index) {
  if (index < 0) return NULL;
  json_t *item = json_array_get(json_object_get(glb->document, list), (size_t)index);
  return json_is_object(item) ? item : NULL;
}

int32_t lb_glb_count(const lbGlbFile *glb, const char *list) {
  size_t count = json_array_size(json_object_get(glb->document, list));
  return count < INT32_MAX ? (int32_t)count : INT32_MAX;
}

int64_t lb_json_integer(const json_t *object, const char *key, int64_t otherwise) {
  const json_t *item = json_object_get(object, key);
  if (json_is_integer(item)) return json_integer_value(item);
  double value = json_is_real(item) ? json_real_value(item) : NAN; // 3.0 is an integer in JSON
  return fabs(value) < 9e15 && value == floor(value) ? (int64_t)value : otherwise;
}

double lb_json_number(const json_t *object, const char *key, double otherwise) {
  const json_t *item = json_object_get(object, key);
  return json_is_number(item) ? json_number_value(item) : otherwise;
}

const char *lb_json_text(const json_t *object, const char *key, const char *otherwise) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : otherwise;
}

bool lb_json_numbers(const json_t *object, const char *key, double *numbers, size_t count) {
  const json_t *list = json_object_get(object, key);
  if (!json_is_array(list) || json_array_size(list) != count) return false;
  for (size_t i = 0; i < count; i++)
    if (!json_is_number(json_array_get(list, i)) ||
        !isfinite(json_number_value(json_array_get(list, i))))
      return false;
  for (size_t i = 0; i < count; i++) numbers[i] = json_number_value(json_array_get(list, i));
  return true;
}

static lbStatus parse(lbGlbFile *glb, const char *text, size_t bytes, size_t offset, lbError *err) {
  json_error_t fault; // what follows the object is padding, of blanks or, with some, zeros
  glb->document = json_loadb(text, bytes, JSON_DISABLE_EOF_CHECK, &fault);
  if (glb->document) return LB_OK;
  if (json_error_code(&fault) == json_error_out_of_memory) return lb_fail_memory(err);
  return lb_glb_fail(glb, err, "byte %zu: the JSON part is broken: %s",
                     offset + (size_t)(fault.position > 0 ? fault.position : 0), fault.text);
}

// ---- extensions --------------------------------------------------------------------------------

static lbStatus check_extensions(const lbGlbFile *glb, lbError *err) {
  static const char *const known[] = { "KHR_mesh_quantization", "KHR_texture_transform",
                                       "KHR_lights_punctual",   "KHR_materials_",
                                       "KHR_texture_basisu",    "EXT_texture_webp" };
  const json_t *list = json_object_get(glb->document, "extensionsRequired");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *name = json_string_value(json_array_get(list, i));
    bool is_known = false;
    for (size_t k = 0; name && k < sizeof known / sizeof *known; k++)
      is_known |= strncmp(name, known[k], strlen(known[k])) == 0;
    if (name && !is_known)
      return lb_fail(err, LB_ERR_UNSUPPORTED,
                     "%s: needs the extension %s, which is not supported; save the file without it",
                     glb->path, name);
  }
  return LB_OK;
}

// ---- buffers -----------------------------------------------------------------------------------

static lbStatus decode_base64(const lbGlbFile *glb, const char *text, uint8_t **owned,
                              size_t *bytes, lbError *err) {
  size_t length = strspn(text, LB_BASE64_URI_DIGITS);
  if (text[length] && text[length] != '=')
    return lb_glb_fail(glb, err, "a data URI holds '%c', which is not base64", text[length]);
  lbByteStream stream = lb_byte_stream(text, text + length, true);
  stream.is_uri = true;
  size_t count = length / 4 * 3 + (length % 4 ? length % 4 - 1 : 0);
  uint8_t *block = lb_alloc(count, 1);
  if (!block) return lb_fail_memory(err);
  lb_byte_stream_read(&stream, block, count); // cannot fail: every digit is one
  *owned = block;
  *bytes = count;
  return LB_OK;
}

// %20 and the like, in place.
static void decode_percent(char *name) {
  char *to = name;
  for (const char *from = name; *from; from++) {
    unsigned value;
    if (*from == '%' && strspn(from + 1, "0123456789abcdefABCDEF") >= 2 &&
        (from[1] != '0' || from[2] != '0') && sscanf(from + 1, "%2x", &value) == 1) {
      *to++ = (char)value;
      from += 2;
    } else {
      *to++ = *from;
    }
  }
  *to = '\0';
}

lbStatus lb_glb_uri(const lbGlbFile *glb, const char *uri, uint8_t **owned, size_t *bytes,
                    lbError *err) {
  if (strncmp(uri, "data:", 5) == 0) {
    const char *data = strstr(uri, ";base64,");
    if (!data) return lb_glb_fail(glb, err, "a data URI is not base64");
    return decode_base64(glb, data + 8, owned, bytes, err);
  }
  char *name = lb_duplicate_text(uri);
  if (!name) return lb_fail_memory(err);
  decode_percent(name);
  char *content = NULL;
  lbStatus status = lb_companion_read(glb->path, name, &content, bytes, err);
  if (!status) *owned = (uint8_t *)content;
  lb_free(name);
  return status;
}

static lbStatus open_buffers(lbGlbFile *glb, const uint8_t *bin, size_t bin_bytes, lbError *err) {
  int32_t count = lb_glb_count(glb, "buffers");
  glb->buffers = lb_alloc((size_t)count, sizeof *glb->buffers);
  if (!glb->buffers) return lb_fail_memory(err);
  glb->buffer_count = count;
  for (int32_t i = 0; i < count; i++) {
    lbGlbBuffer *buffer = &glb->buffers[i];
    const json_t *item = lb_glb_item(glb, "buffers", i);
    const char *uri = lb_json_text(item, "uri", NULL);
    int64_t wanted = lb_json_integer(item, "byteLength", -1);
    lbStatus status = LB_OK;
    if (uri) {
      status = lb_glb_uri(glb, uri, &buffer->owned, &buffer->bytes, err);
      buffer->data = buffer->owned;
    } else if (i == 0) {
      buffer->data = bin;
      buffer->bytes = bin_bytes;
    }
    if (status) return status;
    if (wanted < 0 || (uint64_t)wanted > buffer->bytes)
      return lb_glb_fail(glb, err, "buffers[%d] should have %lld bytes, there are %zu", (int)i,
                         (long long)wanted, buffer->bytes);
    buffer->bytes = (size_t)wanted;
  }
  return LB_OK;
}

// ---- container ---------------------------------------------------------------------------------

typedef struct Chunks {
  size_t json_begin, json_bytes, bin_begin, bin_bytes;
} Chunks;

static lbStatus find_chunks(const lbGlbFile *glb, const uint8_t *data, Chunks *chunks,
                            lbError *err) {
  if (glb->file_bytes < 20)
    return lb_glb_fail(glb, err, "byte %zu: the file ends here, within the header",
                       glb->file_bytes);
  uint32_t version = lb_little_u32(data + 4), length = lb_little_u32(data + 8);
  if (version != 2)
    return lb_glb_fail(glb, err, "byte 4: glTF version %u, only 2 is supported", (unsigned)version);
  if (length > glb->file_bytes)
    return lb_glb_fail(glb, err, "byte 8: the header declares %u bytes, the file has %zu",
                       (unsigned)length, glb->file_bytes);
  size_t next = 12;
  for (int number = 0; next + 8 <= length; number++) {
    uint32_t bytes = lb_little_u32(data + next), type = lb_little_u32(data + next + 4);
    if (bytes > length - next - 8)
      return lb_glb_fail(glb, err, "byte %zu: chunk %d has %u bytes, %zu are left", next, number,
                         (unsigned)bytes, length - next - 8);
    if (number == 0 && type != CHUNK_JSON)
      return lb_glb_fail(glb, err, "byte %zu: the first chunk is not JSON", next + 4);
    if (number == 0) chunks->json_begin = next + 8, chunks->json_bytes = bytes;
    if (number == 1 && type == CHUNK_BIN) chunks->bin_begin = next + 8, chunks->bin_bytes = bytes;
    next += 8 + (size_t)bytes;
  }
  if (chunks->json_begin == 0) return lb_glb_fail(glb, err, "byte 12: there is no JSON chunk");
  return LB_OK;
}

static bool is_json_text(const char *content, size_t bytes) {
  size_t i = 0;
  if (bytes >= 3 && memcmp(content, "\xef\xbb\xbf", 3) == 0) i = 3;
  while (i < bytes && content[i] && strchr(" \t\r\n", content[i])) i++;
  return i < bytes && content[i] == '{';
}

lbStatus lb_glb_open(lbGlbFile *glb, const char *path, const char *content, size_t bytes,
                     lbError *err) {
  *glb = (lbGlbFile){ .path = path, .file_bytes = bytes };
  const uint8_t *data = (const uint8_t *)content;
  Chunks chunks = { 0 };
  lbStatus status = LB_OK;
  if (is_json_text(content, bytes)) {
    size_t skipped = content[0] == '\xef' ? 3 : 0;
    chunks = (Chunks){ .json_begin = skipped, .json_bytes = bytes - skipped };
  } else if (bytes < 4 || memcmp(content, "glTF", 4) != 0) {
    return lb_glb_fail(glb, err,
                       "byte 0: this is not a binary glTF file, it should begin with \"glTF\"");
  } else {
    status = find_chunks(glb, data, &chunks, err);
  }
  if (!status)
    status = parse(glb, content + chunks.json_begin, chunks.json_bytes, chunks.json_begin, err);
  if (!status && !json_is_object(glb->document))
    status = lb_glb_fail(glb, err, "byte %zu: the JSON part is not an object", chunks.json_begin);
  if (!status) status = check_extensions(glb, err);
  if (!status) status = open_buffers(glb, data + chunks.bin_begin, chunks.bin_bytes, err);
  return status;
}

void lb_glb_close(lbGlbFile *glb) {
  for (int32_t i = 0; i < glb->buffer_count; i++) lb_free(glb->buffers[i].owned);
  lb_free(glb->buffers);
  json_decref(glb->document);
  *glb = (lbGlbFile){ 0 };
}
