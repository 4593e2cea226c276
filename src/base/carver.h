// One block of memory, cut up in two passes: first with block NULL, to learn its size.
#ifndef LB_BASE_CARVER_H
#define LB_BASE_CARVER_H

#include "limber/base.h"

typedef struct lbCarver {
  char *block;
  size_t used;
  bool overflow;
} lbCarver;

static inline void *lb_carve(lbCarver *carver, size_t count, size_t item_bytes) {
  size_t most = SIZE_MAX / 4;
  if (carver->used > most || (item_bytes && count > (most - carver->used) / item_bytes)) {
    carver->overflow = true;
    return NULL;
  }
  void *at = carver->block ? carver->block + carver->used : NULL;
  size_t bytes = count * item_bytes;
  carver->used += (bytes + LB_ALIGNMENT - 1) / LB_ALIGNMENT * LB_ALIGNMENT;
  return at;
}

#endif
