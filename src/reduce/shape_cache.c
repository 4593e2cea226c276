// Files of solved shapes: a header of eight 64-bit words, then the displacements as doubles.
#include "reduce/shape_cache.h"

#include "fem/fem.h"
#include "limber/file.h"

#include <inttypes.h>
#include <string.h>

typedef struct Header {
  char magic[8];
  uint64_t version;
  lbShapeKey key;
  uint64_t value_count; // 0: no equilibrium
  lbShapeKey content;   // hash of the values
  uint64_t order;       // 1, in the writer's byte order
} Header;

static const char MAGIC[8] = "lbshape";
enum { VERSION = 1 };

// Two hashes of the FNV kind side by side, over 64-bit words.
static lbShapeKey hash_block(lbShapeKey key, const void *block, size_t bytes) {
  const unsigned char *next = block;
  for (size_t done = 0; done < bytes; done += 8) {
    uint64_t word = 0;
    memcpy(&word, next + done, bytes - done < 8 ? bytes - done : 8);
    key.a = (key.a ^ word) * UINT64_C(0x100000001b3);
    key.b = (key.b + word) * UINT64_C(0x9e3779b97f4a7c15);
    key.a ^= key.a >> 29;
    key.b ^= key.b >> 32;
  }
  uint64_t length = bytes;
  key.a = (key.a ^ length) * UINT64_C(0x100000001b3);
  key.b = (key.b + length) * UINT64_C(0x9e3779b97f4a7c15);
  return key;
}

static lbShapeKey first_key(void) {
  return (lbShapeKey){ UINT64_C(0xcbf29ce484222325), UINT64_C(0x84222325cbf29ce4) };
}

lbShapeKey lb_shape_key_body(const lbFem *fem, const lbStaticDef *def) {
  lbShapeKey key = first_key();
  size_t vertices = (size_t)fem->vertex_count;
  key = hash_block(key, &def->tolerance, sizeof def->tolerance);
  key = hash_block(key, &def->iterations, sizeof def->iterations);
  key = hash_block(key, &def->load_steps_max, sizeof def->load_steps_max);
  key = hash_block(key, fem->positions, 3 * vertices * sizeof(double));
  key = hash_block(key, fem->node_of_vertex, vertices * sizeof(int32_t));
  for (int32_t s = 0; s < fem->set_count; s++) {
    const lbElementSet *set = &fem->sets[s];
    size_t slots = (size_t)set->batch_count * LB_BATCH;
    int32_t what[3] = { (int32_t)set->kind, (int32_t)set->model, set->element_count };
    key = hash_block(key, what, sizeof what);
    key = hash_block(key, set->vertices,
                     slots * (size_t)lb_element_nodes(set->kind) * sizeof(int32_t));
    key = hash_block(key, set->parameters, slots * LB_MATERIAL_PARAMETERS * sizeof(double));
  }
  return key;
}

lbShapeKey lb_shape_key_load(lbShapeKey body, const lbFem *fem, const double *load) {
  return hash_block(body, load, 3 * (size_t)fem->vertex_count * sizeof(double));
}

static char *shape_path(const char *folder, lbShapeKey key) {
  size_t bytes = strlen(folder) + 48;
  char *path = lb_alloc(bytes, 1);
  if (path) snprintf(path, bytes, "%s/%016" PRIx64 "%016" PRIx64 ".shape", folder, key.a, key.b);
  return path;
}

// Whether the file's content is what its header says, and of this key.
static bool is_sound(const char *content, size_t bytes, lbShapeKey key, size_t value_count,
                     Header *header) {
  if (bytes < sizeof *header) return false;
  memcpy(header, content, sizeof *header);
  if (memcmp(header->magic, MAGIC, sizeof MAGIC) || header->version != VERSION ||
      header->order != 1)
    return false;
  if (memcmp(&header->key, &key, sizeof key)) return false;
  if (header->value_count != 0 && header->value_count != value_count) return false;
  size_t value_bytes = (size_t)header->value_count * sizeof(double);
  if (bytes != sizeof *header + value_bytes) return false;
  lbShapeKey hash = hash_block(first_key(), content + sizeof *header, value_bytes);
  return memcmp(&hash, &header->content, sizeof hash) == 0;
}

lbStatus lb_shape_cache_read(const char *folder, lbShapeKey key, int32_t vertex_count,
                             double *shape, bool *found, bool *solved, lbError *err) {
  char *path = shape_path(folder, key), *content = NULL;
  size_t bytes = 0, values = 3 * (size_t)vertex_count;
  Header header;
  lbStatus status = LB_OK;
  *found = *solved = false;
  if (!path) return lb_fail_memory(err);
  if (lb_file_exists(path)) {
    status = lb_file_read(path, &content, &bytes, err);
    if (status == LB_ERR_FILE) status = LB_OK; // unreadable: solved anew
    *found = content && is_sound(content, bytes, key, values, &header);
    if (!status && !*found) lb_log(LB_LOG_WARNING, "%s: broken, its load is solved again", path);
    *solved = *found && header.value_count > 0;
    if (*solved) memcpy(shape, content + sizeof header, values * sizeof(double));
  }
  lb_free(content);
  lb_free(path);
  return status;
}

lbStatus lb_shape_cache_write(const char *folder, lbShapeKey key, int32_t vertex_count,
                              const double *shape, lbError *err) {
  size_t values = shape ? 3 * (size_t)vertex_count : 0;
  Header header = { .version = VERSION, .key = key, .value_count = values, .order = 1 };
  memcpy(header.magic, MAGIC, sizeof MAGIC);
  header.content = hash_block(first_key(), shape, values * sizeof(double));
  char *path = shape_path(folder, key);
  if (!path) return lb_fail_memory(err);
  lbFileWriter writer;
  lbStatus status = lb_directory_make(folder, err);
  if (!status) status = lb_file_begin(&writer, path, err);
  if (!status) {
    fwrite(&header, sizeof header, 1, writer.stream);
    if (values) fwrite(shape, sizeof(double), values, writer.stream);
    status = lb_file_commit(&writer, err);
  }
  lb_free(path);
  return status;
}
