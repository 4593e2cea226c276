// What a page's builder is linked with but never comes to: scenes (JSON) and packed numbers (zlib)
// are refused before, or by these, which fail as the real ones do without memory.
#include <jansson.h>
#include <zlib.h>

#define UNUSED(x) (void)(x)

size_t json_object_size(const json_t *object) {
  UNUSED(object);
  return 0;
}
void *json_object_iter(json_t *object) {
  UNUSED(object);
  return NULL;
}
void *json_object_iter_next(json_t *object, void *at) {
  UNUSED(object), UNUSED(at);
  return NULL;
}
void *json_object_key_to_iter(const char *key) {
  UNUSED(key);
  return NULL;
}
const char *json_object_iter_key(void *at) {
  UNUSED(at);
  return NULL;
}
json_t *json_object_iter_value(void *at) {
  UNUSED(at);
  return NULL;
}
int json_equal(const json_t *a, const json_t *b) { return a == b; }
json_t *json_pack(const char *format, ...) {
  UNUSED(format);
  return NULL;
}
char *json_dumps(const json_t *json, size_t flags) {
  UNUSED(json), UNUSED(flags);
  return NULL;
}

int inflateInit_(z_streamp stream, const char *version, int size) {
  UNUSED(stream), UNUSED(version), UNUSED(size);
  return Z_MEM_ERROR;
}
int inflateInit2_(z_streamp stream, int bits, const char *version, int size) {
  UNUSED(bits);
  return inflateInit_(stream, version, size);
}
int inflate(z_streamp stream, int flush) {
  UNUSED(stream), UNUSED(flush);
  return Z_MEM_ERROR;
}
int inflateEnd(z_streamp stream) {
  UNUSED(stream);
  return Z_OK;
}
uLong crc32(uLong crc, const Bytef *bytes, uInt count) {
  UNUSED(bytes), UNUSED(count);
  return crc;
}
