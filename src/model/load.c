// Model files: loading, which points models into the file's bytes, and saving.
#include "model/model.h"

#include <string.h>

// ---- owners ------------------------------------------------------------------------------------

void lb_model_owner_release(struct lbModelOwner *owner) {
  lb_file_unmap(&owner->file);
  lb_free(owner);
}

// What lies behind the owner in its block.
typedef struct Parts {
  lbModel *models;
  const lbModel **list;
  lbWorldDef *world;
} Parts;

static struct lbModelOwner *make_owner(const lbContainer *container, Parts *parts) {
  size_t count = container->header.model_count; // at most a 96th of the file
  size_t one = sizeof(lbModel) + sizeof(lbModelShared) + sizeof(lbModel *),
         rest = sizeof(struct lbModelOwner);
  if (count > (SIZE_MAX / 2 - rest) / one) return NULL;
  struct lbModelOwner *owner = lb_alloc(rest + sizeof(lbWorldDef) + count * one, 1);
  if (!owner) return NULL;
  parts->world = (lbWorldDef *)(owner + 1);
  parts->models = (lbModel *)(parts->world + 1);
  lbModelShared *shared = (lbModelShared *)(parts->models + count);
  parts->list = (const lbModel **)(shared + count);
  owner->container = *container;
  owner->container.name = NULL;
  owner->bundle = (lbBundle){ (int32_t)count, parts->list, NULL, owner };
  if (container->header.has_world) owner->bundle.world = parts->world;
  for (size_t i = 0; i < count; i++) {
    parts->models[i].owner_ = owner;
    parts->models[i].shared_ = &shared[i];
    atomic_flag_clear(&shared[i].lock);
    parts->list[i] = &parts->models[i];
  }
  return owner;
}

// Takes the file over in any case.
static lbStatus own_file(const char *name, lbFileMap file, struct lbModelOwner **out,
                         lbError *err) {
  lbContainer container;
  Parts parts = { 0 };
  struct lbModelOwner *owner = NULL;
  lbStatus status = lb_container_open(name, file.bytes, file.byte_count, &container, err);
  if (!status && !(owner = make_owner(&container, &parts))) status = lb_fail_memory(err);
  if (!status) status = lb_container_read(&container, parts.models, parts.world, err);
  if (status) {
    lb_file_unmap(&file);
    lb_free(owner);
    return status;
  }
  owner->file = file;
  *out = owner;
  return LB_OK;
}

static lbStatus load_file(const char *path, struct lbModelOwner **out, lbError *err) {
  lbFileMap file;
  lbStatus status = lb_file_hold(path, &file, err);
  return status ? status : own_file(path, file, out, err);
}

static lbStatus read_bytes(const char *name, const void *bytes, size_t byte_count,
                           struct lbModelOwner **out, lbError *err) {
  void *copy = lb_duplicate(bytes, byte_count, 1);
  if (!copy) return lb_fail_memory(err);
  return own_file(name, (lbFileMap){ copy, byte_count, copy }, out, err);
}

// ---- loading -----------------------------------------------------------------------------------

// The one model of a file.
static lbStatus single_model(const char *name, struct lbModelOwner *owner, lbModel **out,
                             lbError *err) {
  int32_t count = owner->bundle.model_count;
  if (count == 1) {
    *out = (lbModel *)owner->bundle.models[0];
    return LB_OK;
  }
  lb_model_owner_release(owner);
  return lb_fail(err, LB_ERR_ARGUMENT,
                 "%s: holds %d models, not one: load it as a bundle (lb_bundle_load)", name,
                 (int)count);
}

lbStatus lb_model_load(const char *path, lbModel **out, lbError *err) {
  struct lbModelOwner *owner = NULL;
  lbStatus status = load_file(path, &owner, err);
  return status ? status : single_model(path, owner, out, err);
}

lbStatus lb_model_read(const char *name, const void *bytes, size_t byte_count, lbModel **out,
                       lbError *err) {
  struct lbModelOwner *owner = NULL;
  lbStatus status = read_bytes(name, bytes, byte_count, &owner, err);
  return status ? status : single_model(name, owner, out, err);
}

lbStatus lb_bundle_load(const char *path, lbBundle **out, lbError *err) {
  struct lbModelOwner *owner = NULL;
  lbStatus status = load_file(path, &owner, err);
  if (!status) *out = &owner->bundle;
  return status;
}

lbStatus lb_bundle_read(const char *name, const void *bytes, size_t byte_count, lbBundle **out,
                        lbError *err) {
  struct lbModelOwner *owner = NULL;
  lbStatus status = read_bytes(name, bytes, byte_count, &owner, err);
  if (!status) *out = &owner->bundle;
  return status;
}

void lb_bundle_destroy(lbBundle *bundle) {
  if (!bundle) return;
  if (bundle->owner_)
    lb_model_owner_release(bundle->owner_);
  else
    lb_bundle_release(bundle);
}

bool lb_model_is_model_file(const char *path) {
  lbFileMap file;
  size_t lmbr_offset;
  if (lb_file_map(path, &file, NULL)) return false;
  bool found = lb_container_find(file.bytes, file.byte_count, &lmbr_offset);
  lb_file_unmap(&file);
  return found;
}

// ---- saving ------------------------------------------------------------------------------------

static lbStatus save_models(const lbModel *const *models, int32_t model_count,
                            const lbWorldDef *world, const struct lbModelOwner *owner,
                            const char *path, lbError *err) {
  uint8_t *bytes = NULL;
  size_t byte_count = 0;
  lbFileWriter writer;
  lbStatus status =
      owner ? lb_bundle_repack(models, model_count, world, &owner->container, &bytes, &byte_count,
                               err)
            : lb_bundle_pack(models, model_count, world, NULL, &bytes, &byte_count, err);
  if (!status) status = lb_file_begin(&writer, path, err);
  if (!status) {
    fwrite(bytes, 1, byte_count, writer.stream); // commit checks for errors
    status = lb_file_commit(&writer, err);
  }
  lb_free(bytes);
  return status;
}

lbStatus lb_model_save(const lbModel *model, const char *path, lbError *err) {
  return save_models(&model, 1, NULL, model->owner_, path, err);
}

lbStatus lb_bundle_save(const lbBundle *bundle, const char *path, lbError *err) {
  return save_models(bundle->models, bundle->model_count, bundle->world, bundle->owner_, path, err);
}
