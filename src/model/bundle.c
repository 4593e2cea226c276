// Bundles in memory: models that were made, and a copy of a world, as one block that holds the
// structs and the world's arrays.
#include "model/model.h"

#include <string.h>

lbGround lb_world_ground(const lbWorldDef *world, double *height) {
  if (world->no_ground && world->no_ground[0]) return LB_GROUND_NONE;
  if (!world->ground) return LB_GROUND_CHOSEN;
  *height = world->ground[0];
  return LB_GROUND_HEIGHT;
}

static size_t aligned(size_t bytes) {
  return (bytes + LB_ALIGNMENT - 1) / LB_ALIGNMENT * LB_ALIGNMENT;
}

// An array without items counts as none.
static size_t row_bytes(const lbArrayRow *row, const lbWorldDef *world) {
  return lb_arrays_data(row, world) ? lb_arrays_bytes(row, world) : 0;
}

static void copy_world(const lbWorldDef *world, lbWorldDef *to, char *free_bytes) {
  *to = *world;
  for (int32_t i = 0; i < lb_world_table.row_count; i++) {
    const lbArrayRow *row = &lb_world_table.rows[i];
    size_t bytes = row_bytes(row, world);
    lb_arrays_set_data(row, to, NULL);
    if (bytes == 0) continue;
    memcpy(free_bytes, lb_arrays_data(row, world), bytes);
    lb_arrays_set_data(row, to, free_bytes);
    free_bytes += aligned(bytes);
  }
}

lbStatus lb_bundle_create(lbModel *const *models, int32_t model_count, const lbWorldDef *world,
                          lbBundle **out, lbError *err) {
  lbStatus status = LB_OK;
  if (world) status = lb_arrays_check(&lb_world_table, world, "world", err);
  if (!status && world)
    status = lb_world_check(world, (const lbModel *const *)models, model_count, "world", err);
  if (status) return status;
  size_t count = (size_t)model_count, head = aligned(sizeof(lbBundle) + count * sizeof *models);
  size_t bytes = head + aligned(sizeof *world);
  for (int32_t i = 0; world && i < lb_world_table.row_count; i++)
    bytes += aligned(row_bytes(&lb_world_table.rows[i], world));
  char *block = lb_alloc(bytes, 1);
  if (!block) return lb_fail_memory(err);
  lbBundle *bundle = (lbBundle *)(void *)block;
  const lbModel **list = (const lbModel **)(void *)(bundle + 1);
  if (count) memcpy(list, models, count * sizeof *list);
  *bundle = (lbBundle){ .model_count = model_count, .models = list };
  if (world) {
    lbWorldDef *copy = (lbWorldDef *)(void *)(block + head);
    copy_world(world, copy, block + head + aligned(sizeof *copy));
    bundle->world = copy;
  }
  *out = bundle;
  return LB_OK;
}

void lb_bundle_release(lbBundle *bundle) {
  for (int32_t i = 0; i < bundle->model_count; i++) lb_model_destroy((lbModel *)bundle->models[i]);
  lb_free(bundle);
}
