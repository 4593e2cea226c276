// Open addressing with linear probing; at most half of the slots are taken.
#include "meshio/id_map.h"

struct lbIdMapSlot {
  int64_t key;
  int32_t value_plus_one; // 0: free
};

// Spreads every bit of the key over the whole word.
static uint64_t spread(uint64_t x) {
  x ^= x >> 31;
  x *= UINT64_C(0x9e3779b97f4a7c15);
  x ^= x >> 29;
  x *= UINT64_C(0xd6e8feb86659fd93);
  return x ^ (x >> 32);
}

// The slot that holds the key, or the free one where it belongs.
static struct lbIdMapSlot *find_slot(const lbIdMap *map, int64_t key) {
  size_t mask = map->capacity - 1, i = (size_t)spread((uint64_t)key) & mask;
  while (map->slots[i].value_plus_one && map->slots[i].key != key) i = (i + 1) & mask;
  return &map->slots[i];
}

int32_t lb_id_map_get(const lbIdMap *map, int64_t key) {
  return map->capacity ? find_slot(map, key)->value_plus_one - 1 : -1;
}

static bool enlarge(lbIdMap *map) {
  size_t capacity = map->capacity ? 2 * map->capacity : 64;
  lbIdMap larger = { lb_alloc(capacity, sizeof *map->slots), capacity, map->count };
  if (!larger.slots) return false;
  for (size_t i = 0; i < map->capacity; i++)
    if (map->slots[i].value_plus_one) *find_slot(&larger, map->slots[i].key) = map->slots[i];
  lb_free(map->slots);
  *map = larger;
  return true;
}

bool lb_id_map_put(lbIdMap *map, int64_t key, int32_t value) {
  if (2 * (map->count + 1) > map->capacity && !enlarge(map)) return false;
  struct lbIdMapSlot *slot = find_slot(map, key);
  if (!slot->value_plus_one) map->count++;
  *slot = (struct lbIdMapSlot){ key, value + 1 };
  return true;
}

void lb_id_map_release(lbIdMap *map) {
  lb_free(map->slots);
  *map = (lbIdMap){ 0 };
}
