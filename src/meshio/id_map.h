// A hash table from 64-bit keys (node tags, entity numbers, ...) to ids.
#ifndef LB_MESHIO_ID_MAP_H
#define LB_MESHIO_ID_MAP_H

#include "limber/base.h"

typedef struct lbIdMap {
  struct lbIdMapSlot *slots; // (capacity), a power of two
  size_t capacity, count;
} lbIdMap;

int32_t lb_id_map_get(const lbIdMap *map, int64_t key); // -1: not there
// Adds or replaces; the value is not negative. False without memory.
bool lb_id_map_put(lbIdMap *map, int64_t key, int32_t value);
void lb_id_map_release(lbIdMap *map);

#endif
