// Stores paths as arrays.
#include "reduce/store_paths.h"

#include <string.h>

static int32_t parts_of(const lbPathDef *keys) {
  return (keys->positions ? LB_PATH_POSITIONS : 0) | (keys->rotations ? LB_PATH_ROTATIONS : 0) |
         (keys->position_tangents ? LB_PATH_POSITION_TANGENTS : 0) |
         (keys->rotation_tangents ? LB_PATH_ROTATION_TANGENTS : 0);
}

static bool allocate_stored_paths(lbArena *arena, int32_t parts, lbStoredPaths *a) {
  size_t count = (size_t)a->count, keys = (size_t)a->key_count;
  a->begin = lb_arena_alloc(arena, count + 1, sizeof(int32_t));
  a->interpolations = lb_arena_alloc(arena, count, sizeof(int32_t));
  a->cycles = lb_arena_alloc(arena, count, sizeof(int32_t));
  a->parts = lb_arena_alloc(arena, count, sizeof(int32_t));
  a->times = lb_arena_alloc(arena, keys, sizeof(double));
  a->positions = lb_arena_alloc(arena, keys, 3 * sizeof(double));
  a->rotations = lb_arena_alloc(arena, keys, 4 * sizeof(double));
  bool complete = a->begin && a->interpolations && a->cycles && a->parts && a->times &&
                  a->positions && a->rotations;
  if (parts & LB_PATH_POSITION_TANGENTS)
    complete &= (a->position_tangents = lb_arena_alloc(arena, keys, 6 * sizeof(double))) != NULL;
  if (parts & LB_PATH_ROTATION_TANGENTS)
    complete &= (a->rotation_tangents = lb_arena_alloc(arena, keys, 8 * sizeof(double))) != NULL;
  return complete;
}

static void copy_key_rows(double *to, size_t begin, const double *from, size_t count,
                          size_t width) {
  if (from) memcpy(to + width * begin, from, width * count * sizeof(double));
}

static void store_path_keys(const lbPathDef *keys, size_t index, lbStoredPaths *a) {
  size_t begin = (size_t)a->begin[index], count = (size_t)keys->key_count;
  a->begin[index + 1] = (int32_t)(begin + count);
  a->interpolations[index] = (int32_t)keys->interpolation;
  a->cycles[index] = keys->cycle;
  a->parts[index] = parts_of(keys);
  copy_key_rows(a->times, begin, keys->times, count, 1);
  copy_key_rows(a->positions, begin, keys->positions, count, 3);
  for (size_t i = 0; i < count; i++) a->rotations[4 * (begin + i) + 3] = 1;
  copy_key_rows(a->rotations, begin, keys->rotations, count, 4);
  copy_key_rows(a->position_tangents, begin, keys->position_tangents, count, 6);
  copy_key_rows(a->rotation_tangents, begin, keys->rotation_tangents, count, 8);
}

lbStatus lb_paths_store(const lbPath *const *paths, int32_t count, lbArena *arena,
                        lbStoredPaths *out, lbError *err) {
  int64_t keys = 0;
  int32_t parts = 0;
  for (int32_t i = 0; i < count; i++) {
    if (!paths[i]) continue;
    keys += lb_path_keys(paths[i])->key_count;
    parts |= parts_of(lb_path_keys(paths[i]));
  }
  if (keys > INT32_MAX)
    return lb_fail(err, LB_ERR_ARGUMENT, "motions have %lld keys, that is too many",
                   (long long)keys);
  *out = (lbStoredPaths){ .count = count, .key_count = (int32_t)keys };
  if (!allocate_stored_paths(arena, parts, out)) return lb_fail_memory(err);
  for (int32_t i = 0; i < count; i++) {
    out->begin[i + 1] = out->begin[i];
    if (paths[i]) store_path_keys(lb_path_keys(paths[i]), (size_t)i, out);
  }
  return LB_OK;
}
