// Inside the model layer: what models live in, and the checks beyond the table's.
#ifndef LB_MODEL_MODEL_H
#define LB_MODEL_MODEL_H

#include "model/arrays.h"

// A file in memory with the structs that look into it. Models made by lb_model_create have none:
// they and their arrays are one block.
struct lbModelOwner {
  lbBundle bundle;
  const uint8_t *bytes; // the whole file
  size_t byte_count;
  void *block;   // bytes in memory of our own, or
  void *mapping; // the file mapped by the system (base/file)
};

void lb_model_owner_release(struct lbModelOwner *owner);

// What the table cannot say: the embedding's begins ascend, weights sum to 1, the mass is positive,
// eigenvalues are not negative, textures lie inside `pictures`.
lbStatus lb_model_check(const lbModel *model, const char *where, lbError *err);
// A world that belongs to these models: bodies name models that have their method, loads and probes
// name points that exist.
lbStatus lb_world_check(const lbWorldDef *world, const lbModel *const *models, int32_t model_count,
                        const char *where, lbError *err);

#endif
