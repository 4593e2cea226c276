// Files of finished stages: a mark, sizes of blocks, the blocks, and a hash of all that.
#include "petsc/restart.h"

#include "limber/file.h"

#include <stdio.h>
#include <string.h>

static const uint64_t EMPTY_HASH = UINT64_C(0xcbf29ce484222325);

typedef struct Header {
  char mark[16]; // "limber restart 1"
  uint64_t hash; // of the input of the stage
  uint64_t sizes[LB_RESTART_BLOCKS_MOST];
  uint64_t sum; // of the blocks
} Header;

// FNV-1a over words of eight bytes, then bytes.
uint64_t lb_restart_mix(uint64_t hash, const void *bytes, size_t count) {
  const uint8_t *from = bytes;
  uint64_t word;
  for (; count >= sizeof word; count -= sizeof word, from += sizeof word) {
    memcpy(&word, from, sizeof word);
    hash = (hash ^ word) * UINT64_C(0x100000001b3);
    hash ^= hash >> 32;
  }
  for (; count > 0; count--, from++) hash = (hash ^ *from) * UINT64_C(0x100000001b3);
  return hash;
}

uint64_t lb_restart_hash(const lbFem *fem) {
  size_t vertices = (size_t)fem->vertex_count, elements = (size_t)fem->element_count;
  uint64_t hash = lb_restart_mix(EMPTY_HASH, LB_VERSION, strlen(LB_VERSION));
  hash = lb_restart_mix(hash, fem->positions, 3 * vertices * sizeof(double));
  hash = lb_restart_mix(hash, fem->fixed, vertices * sizeof(bool));
  hash = lb_restart_mix(hash, fem->element_materials, elements * sizeof(int32_t));
  for (int32_t s = 0; s < fem->set_count; s++) {
    const lbElementSet *set = &fem->sets[s];
    size_t corners = (size_t)set->batch_count * (size_t)lb_element_nodes(set->kind) * LB_BATCH;
    hash = lb_restart_mix(hash, set->vertices, corners * sizeof(int32_t));
    hash = lb_restart_mix(hash, set->elements, (size_t)set->element_count * sizeof(int32_t));
  }
  for (int32_t i = 0; i < fem->material_count; i++) {
    const lbMaterial *m = &fem->materials[i];
    const double values[] = { m->model, m->young, m->poisson, m->density, m->c10, m->c01, m->v1 };
    hash = lb_restart_mix(hash, values, sizeof values);
  }
  int32_t mass = fem->mass_kind;
  return lb_restart_mix(hash, &mass, sizeof mass);
}

static void name_file(const char *folder, const char *stage, uint64_t hash, char path[1000]) {
  snprintf(path, 1000, "%.900s/%s-%016llx.restart", folder, stage, (unsigned long long)hash);
}

static Header make_restart_header(uint64_t hash, int32_t count, const lbRestartBlock *blocks) {
  Header header = { .mark = "limber restart", .hash = hash, .sum = EMPTY_HASH };
  for (int32_t i = 0; i < count; i++) {
    header.sizes[i] = blocks[i].count;
    header.sum = lb_restart_mix(header.sum, blocks[i].bytes, blocks[i].count);
  }
  return header;
}

lbStatus lb_restart_save(const char *folder, const char *stage, uint64_t hash, int32_t block_count,
                         const lbRestartBlock *blocks, lbError *err) {
  char path[1000];
  lbFileWriter writer;
  Header header = make_restart_header(hash, block_count, blocks);
  name_file(folder, stage, hash, path);
  lbStatus status = lb_directory_make(folder, err);
  if (!status) status = lb_file_begin(&writer, path, err);
  if (status) return status;
  fwrite(&header, sizeof header, 1, writer.stream);
  for (int32_t i = 0; i < block_count; i++)
    if (blocks[i].count) fwrite(blocks[i].bytes, 1, blocks[i].count, writer.stream);
  return lb_file_commit(&writer, err);
}

// Copies of the blocks of a file that is what its header says.
static bool take_blocks(const lbFileMap *map, uint64_t hash, int32_t count,
                        lbRestartBlock *blocks) {
  Header header;
  size_t at = sizeof header;
  if (map->byte_count < at) return false;
  memcpy(&header, map->bytes, sizeof header);
  for (int32_t i = 0; i < count; i++) {
    if (header.sizes[i] > map->byte_count - at) return false;
    blocks[i] = (lbRestartBlock){ lb_alloc(header.sizes[i] + 1, 1), header.sizes[i] };
    if (!blocks[i].bytes) return false;
    memcpy(blocks[i].bytes, map->bytes + at, header.sizes[i]);
    at += header.sizes[i];
  }
  Header expected = make_restart_header(hash, count, blocks);
  return at == map->byte_count && memcmp(&expected, &header, sizeof header) == 0;
}

bool lb_restart_load(const char *folder, const char *stage, uint64_t hash, int32_t block_count,
                     lbRestartBlock *blocks) {
  char path[1000];
  lbFileMap map = { 0 };
  name_file(folder, stage, hash, path);
  memset(blocks, 0, (size_t)block_count * sizeof *blocks);
  if (!lb_file_exists(path) || lb_file_map(path, &map, NULL)) return false;
  bool good = take_blocks(&map, hash, block_count, blocks);
  lb_file_unmap(&map);
  if (good) {
    lb_log(LB_LOG_INFO, "%s: finished before, taken from there", path);
    return true;
  }
  lb_log(LB_LOG_WARNING, "%s: damaged, the stage is done again", path);
  for (int32_t i = 0; i < block_count; i++) lb_free(blocks[i].bytes);
  return false;
}
