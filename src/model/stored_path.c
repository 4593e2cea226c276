// Creates paths from the arrays of cooked worlds and of the rigid cores of models.
#include "limber/path.h"

#include "base/refuse.h"

#include <stdio.h>

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
