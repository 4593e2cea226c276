// Inside the model layer: the file that models are stored in (docs/model-file.md).
//
//   GLB header | JSON chunk | BIN chunk (absent when empty) | LMBR chunk
//   LMBR data: lbContainerHeader | directory: lbContainerEntry for each array | the arrays
//
// The JSON chunk is padded with spaces so that the data of the next chunk begins at a multiple of
// 64; so does every array, counted from the start of the file. The order of arrays and the
// place of each follow from the tables, so that the same models give the same bytes. Files are
// little-endian; machines that are not are refused.
#ifndef LB_MODEL_CONTAINER_H
#define LB_MODEL_CONTAINER_H

#include "model/arrays.h"

#define LB_FORMAT_VERSION 6
#define LB_WORLD_OWNER (-1)

typedef struct lbContainerHeader {
  uint32_t format_version;
  uint32_t array_count;
  uint32_t model_count;
  uint32_t has_world; // 0 or 1
  uint64_t file_bytes;
  uint64_t before_sum; // checksum of all bytes before the header
  uint64_t own_sum;    // of the header and all after it, with this field 0
  char writer[32];     // version of limber that made the file; zeros behind
  uint8_t reserved[48];
} lbContainerHeader;

typedef struct lbContainerEntry {
  char name[48];       // zeros behind
  int32_t owner;       // model, or LB_WORLD_OWNER
  uint16_t type, rank; // lbArrayType
  int64_t shape[3];    // of texts: their bytes; 0 beyond the rank
  uint64_t offset;     // from the start of the file
  uint64_t bytes;
} lbContainerEntry;

_Static_assert(sizeof(lbContainerHeader) == 120, "part of the format");
_Static_assert(sizeof(lbContainerEntry) == 96, "part of the format");

// A file taken apart. Offsets are those of the chunks' data.
typedef struct lbContainer {
  const char *name; // for messages
  const uint8_t *bytes;
  size_t byte_count;
  size_t json_bytes; // they begin at LB_JSON_OFFSET
  size_t bin_offset, bin_bytes;
  size_t lmbr_offset;
  lbContainerHeader header;
} lbContainer;

#define LB_CHUNK_BYTES 8 // header of a chunk: length, type
#define LB_JSON_OFFSET (12 + LB_CHUNK_BYTES)
#define LB_CHUNK_JSON UINT32_C(0x4e4f534a) // "JSON"
#define LB_CHUNK_BIN UINT32_C(0x004e4942)  // "BIN\0"
#define LB_CHUNK_LMBR UINT32_C(0x52424d4c) // "LMBR"

static inline uint64_t lb_container_align(uint64_t bytes) { return (bytes + 63) / 64 * 64; }
bool lb_machine_is_little_endian(void);
// The 8 bytes at `hole`, a multiple of 8, count as zeros; SIZE_MAX: none do.
uint64_t lb_checksum(const uint8_t *bytes, size_t byte_count, size_t hole);

// Finds the data of the LMBR chunk; false: this is no .glb, or one without it.
bool lb_container_find(const uint8_t *bytes, size_t byte_count, size_t *lmbr_offset);
// Takes a file apart and checks version, sizes and checksums.
lbStatus lb_container_open(const char *name, const uint8_t *bytes, size_t byte_count,
                           lbContainer *out, lbError *err);
// Writes the sizes and checksums that fit the bytes as they are, and leaves all else. False: no
// LMBR chunk with a whole header. For tests and fuzzing of the code behind the checksums.
bool lb_container_seal(uint8_t *bytes, size_t byte_count);
// Points the arrays of header.model_count models and, if there is one, of the world (all zeroed)
// into the file and checks them.
lbStatus lb_container_read(const lbContainer *container, lbModel *models, lbWorldDef *world,
                           lbError *err);

// What other programs see in a file.
typedef struct lbModelViewable {
  const char *json; // a glTF document
  size_t json_bytes;
  const uint8_t *bin;
  size_t bin_bytes;              // a multiple of 64
  const int64_t *texture_ranges; // (all textures of all models in order x 2): offset in bin, bytes
} lbModelViewable;

// The lowest version of the format that has all that is in these.
uint32_t lb_bundle_version(const lbModel *const *models, int32_t model_count,
                           const lbWorldDef *world);
// The bytes of a file; free them with lb_free. Models and world are checked first. `viewable` NULL:
// an empty document, and the models' pictures in the BIN chunk.
lbStatus lb_bundle_pack(const lbModel *const *models, int32_t model_count, const lbWorldDef *world,
                        const lbModelViewable *viewable, uint8_t **bytes, size_t *byte_count,
                        lbError *err);
// The same with the viewable part, the texture ranges and the writer of a file that the models come
// from.
lbStatus lb_bundle_repack(const lbModel *const *models, int32_t model_count,
                          const lbWorldDef *world, const lbContainer *source, uint8_t **bytes,
                          size_t *byte_count, lbError *err);

#endif
