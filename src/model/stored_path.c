// Paths that lie in arrays: of cooked worlds, and of the rigid cores of models.
#include "model/stored_path.h"

#include "base/refuse.h"

#include <stdio.h>
#include <string.h>

// ---- from arrays -------------------------------------------------------------------------------

typedef struct Keys { // of all paths that lie together
  const int32_t *begin;
  const double *times, *positions, *rotations, *position_tangents, *rotation_tangents;
} Keys;

static lbStatus make_stored_path(const char *kind, const Keys *keys, int32_t index,
                                 int32_t interpolation, bool cycle, int32_t parts, lbPath **out,
                                 lbError *err) {
  size_t begin = (size_t)keys->begin[index];
  lbPathDef def = lb_path_def();
  char name[40];
  snprintf(name, sizeof name, "%s[%d]", kind, (int)index);
  def.name = name;
  def.key_count = keys->begin[index + 1] - keys->begin[index];
  def.times = keys->times + begin;
  if (parts & LB_PATH_POSITIONS) def.positions = keys->positions + 3 * begin;
  if (parts & LB_PATH_ROTATIONS) def.rotations = keys->rotations + 4 * begin;
  if (parts & LB_PATH_POSITION_TANGENTS)
    def.position_tangents = keys->position_tangents + 6 * begin;
  if (parts & LB_PATH_ROTATION_TANGENTS)
    def.rotation_tangents = keys->rotation_tangents + 8 * begin;
  def.interpolation = (lbPathInterpolation)interpolation;
  def.cycle = cycle;
  return lb_path_create(&def, out, err);
}

lbStatus lb_world_path(const lbWorldDef *world, int32_t index, lbPath **out, lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  if (!out) return lb_refuse_null(err, "out");
  if (index < 0 || index >= world->size.path_count)
    return lb_fail(err, LB_ERR_ARGUMENT, "path %d of a world that has %d", (int)index,
                   (int)world->size.path_count);
  Keys keys = { world->path_begin,
                world->path_times,
                world->path_positions,
                world->path_rotations,
                world->path_position_tangents,
                world->path_rotation_tangents };
  return make_stored_path("paths", &keys, index, world->path_interpolations[index],
                          world->path_cycles[index] != 0, world->path_parts[index], out, err);
}

lbStatus lb_model_core_path(const lbModel *model, int32_t core, lbPath **out, lbError *err) {
  if (!model) return lb_refuse_null(err, "model");
  if (!out) return lb_refuse_null(err, "out");
  if (core < 0 || core >= model->size.core_count)
    return lb_fail(err, LB_ERR_ARGUMENT, "core %d of a model that has %d", (int)core,
                   (int)model->size.core_count);
  if (model->warp_core_kinds[core] != LB_CORE_SCRIPTED)
    return lb_fail(err, LB_ERR_ARGUMENT, "core %d follows no path", (int)core);
  Keys keys = { model->warp_core_begin,
                model->warp_core_times,
                model->warp_core_positions,
                model->warp_core_rotations,
                model->warp_core_position_tangents,
                model->warp_core_rotation_tangents };
  const int32_t *settings = model->warp_core_paths + 3 * (size_t)core;
  return make_stored_path("cores", &keys, core, settings[0], settings[1] != 0, settings[2], out,
                          err);
}

// ---- to arrays ---------------------------------------------------------------------------------

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
