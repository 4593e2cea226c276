// Paths of cooked worlds.
#include "limber/path.h"

#include "base/refuse.h"

#include <stdio.h>

lbStatus lb_world_path(const lbWorldDef *world, int32_t index, lbPath **out, lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  if (!out) return lb_refuse_null(err, "out");
  if (index < 0 || index >= world->size.path_count)
    return lb_fail(err, LB_ERR_ARGUMENT, "path %d of a world that has %d", (int)index,
                   (int)world->size.path_count);
  size_t begin = (size_t)world->path_begin[index];
  int32_t parts = world->path_parts[index];
  lbPathDef def = lb_path_def();
  char name[32];
  snprintf(name, sizeof name, "paths[%d]", (int)index);
  def.name = name;
  def.key_count = world->path_begin[index + 1] - world->path_begin[index];
  def.times = world->path_times + begin;
  if (parts & LB_PATH_POSITIONS) def.positions = world->path_positions + 3 * begin;
  if (parts & LB_PATH_ROTATIONS) def.rotations = world->path_rotations + 4 * begin;
  if (parts & LB_PATH_POSITION_TANGENTS)
    def.position_tangents = world->path_position_tangents + 6 * begin;
  if (parts & LB_PATH_ROTATION_TANGENTS)
    def.rotation_tangents = world->path_rotation_tangents + 8 * begin;
  def.interpolation = (lbPathInterpolation)world->path_interpolations[index];
  def.cycle = world->path_cycles[index] != 0;
  return lb_path_create(&def, out, err);
}
