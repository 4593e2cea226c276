// Inside the model layer: what models live in, and the checks beyond the table's.
#ifndef LB_MODEL_MODEL_H
#define LB_MODEL_MODEL_H

#include "limber/file.h"
#include "model/container.h"

#include <stdatomic.h>

// A file in memory with the structs that look into it, which lie behind this one in its block.
// Models made by lb_model_create have none: they and their arrays are one block.
struct lbModelOwner {
  lbBundle bundle;
  lbFileMap file;
  lbContainer container; // its name is not valid any longer
};

// Shared data of bodies is listed with the model (body/shared.c); the list is not part of the
// immutable data. A model that was not made by this layer has none (NULL).
typedef struct lbModelShared {
  atomic_flag lock;
  struct lbPrepared *prepared; // the first
} lbModelShared;

void lb_model_owner_release(struct lbModelOwner *owner);
void lb_bundle_release(lbBundle *bundle); // one made by lb_bundle_create, with its models

uint32_t lb_method_since(lbMethod method); // version of the file format that has bodies by it

// Eigenvalues, damping and weights beyond this are refused: products of them would overflow.
#define LB_EIGENVALUE_MOST 1e40

// What the table cannot say: the embedding's begins ascend, weights sum to 1, the mass is positive,
// eigenvalues are not negative, textures lie inside `pictures`.
lbStatus lb_model_check(const lbModel *model, const char *where, lbError *err);
lbStatus lb_model_check_cores(const lbModel *model, const char *where, lbError *err);
lbStatus lb_model_check_frames(const lbModel *model, const char *where, lbError *err);
// A world that belongs to these models: bodies name models that have their method, loads and probes
// name points that exist.
lbStatus lb_world_check(const lbWorldDef *world, const lbModel *const *models, int32_t model_count,
                        const char *where, lbError *err);
lbStatus lb_world_check_joints(const lbWorldDef *world, const lbModel *const *models,
                               const char *where, lbError *err);
lbStatus lb_world_check_contact(const lbWorldDef *world, const char *where, lbError *err);

#endif
