// Fuzz target: lb_bundle_read. The bytes are offered as they are and, because checksums stop nearly
// everything at the door, once more with sizes and checksums put right. What loads is walked to the
// last byte and must pack to the same file again. tests/model/test_file.c writes the seeds.
#include "limber/contact.h"
#include "limber/path.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint8_t seen; // so that no read is left out

static void walk_array(lbArrayView view) {
  size_t bytes = lb_array_item_bytes(view.type);
  for (int32_t i = 0; i < view.rank; i++) bytes *= (size_t)view.shape[i];
  if (!view.data) return;
  for (size_t i = 0; i < bytes; i++) seen ^= ((const uint8_t *)view.data)[i];
}

static void walk_model(const lbModel *model) {
  for (int32_t i = 0; i < lb_model_array_count(); i++) walk_array(lb_model_array(model, i));
  for (int32_t i = 0; i < model->size.texture_count; i++) {
    const uint8_t *picture = model->pictures + model->texture_ranges[2 * i];
    for (int64_t k = 0; k < model->texture_ranges[2 * i + 1]; k++) seen ^= picture[k];
  }
}

// Shapes of any size are made or refused.
static void make_colliders(const lbWorldDef *def) {
  lbWorldSettings settings = lb_world_settings();
  lbWorld *world = NULL;
  lbColliderId id;
  if (lb_world_create(&settings, &world, NULL) != LB_OK) return;
  for (int32_t i = 0; i < def->size.collider_count; i++) {
    lbColliderDef own = lb_world_collider_def(def, i);
    lb_world_add_collider(world, &own, &id, NULL);
  }
  lb_world_destroy(world);
}

static void read_and_walk(const uint8_t *data, size_t size) {
  lbBundle *bundle = NULL;
  uint8_t *again = NULL;
  size_t again_size = 0;
  lbError err;
  if (lb_bundle_read("fuzz", data, size, &bundle, &err) != LB_OK) return;
  for (int32_t i = 0; i < bundle->model_count; i++) walk_model(bundle->models[i]);
  for (int32_t i = 0; bundle->world && i < lb_world_array_count(); i++)
    walk_array(lb_world_array(bundle->world, i));
  for (int32_t i = 0; bundle->world && i < bundle->world->size.path_count; i++) {
    lbPath *path = NULL;
    lb_world_path(bundle->world, i, &path, &err);
    lb_path_destroy(path);
  }
  if (bundle->world) make_colliders(bundle->world);
  if (lb_bundle_repack(bundle->models, bundle->model_count, bundle->world,
                       &bundle->owner_->container, &again, &again_size, &err) != LB_OK ||
      again_size != size || memcmp(again, data, size) != 0)
    abort();
  lb_free(again);
  lb_bundle_destroy(bundle);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  uint8_t *copy = malloc(size + 1);
  if (!copy) return 0;
  if (size) memcpy(copy, data, size);
  read_and_walk(copy, size);
  if (lb_container_seal(copy, size)) read_and_walk(copy, size);
  free(copy);
  return 0;
}
