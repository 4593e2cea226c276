// Hash table from rows of integers to consecutive numbers.
#include "mesh/keys.h"

#include <string.h>

lbKeyTable lb_key_table(int32_t width) { return (lbKeyTable){ .width = width }; }

void lb_key_table_release(lbKeyTable *table) {
  lb_free(table->keys);
  lb_free(table->slots);
  *table = (lbKeyTable){ .width = table->width };
}

static uint64_t hash_key(const int32_t *key, int32_t width) {
  uint64_t hash = UINT64_C(0x51ed270b35ae9d01);
  for (int32_t i = 0; i < width; i++) {
    hash = (hash ^ (uint32_t)key[i]) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
  }
  return hash ^ (hash >> 32);
}

// The slot that holds this key, or the free one where it belongs.
static size_t find_slot(const lbKeyTable *table, const int32_t *key) {
  size_t mask = table->slot_count - 1, slot = (size_t)hash_key(key, table->width) & mask;
  size_t bytes = (size_t)table->width * sizeof(int32_t);
  while (table->slots[slot]) {
    const int32_t *other = table->keys + (size_t)(table->slots[slot] - 1) * (size_t)table->width;
    if (memcmp(other, key, bytes) == 0) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

// At most half of the slots are ever taken.
static bool grow_slots(lbKeyTable *table) {
  if (2 * ((size_t)table->count + 1) <= table->slot_count) return true;
  size_t larger = table->slot_count ? 2 * table->slot_count : 64;
  int32_t *slots = lb_alloc(larger, sizeof(int32_t));
  if (!slots) return false;
  lb_free(table->slots);
  table->slots = slots;
  table->slot_count = larger;
  for (int32_t i = 0; i < table->count; i++)
    slots[find_slot(table, table->keys + (size_t)i * (size_t)table->width)] = i + 1;
  return true;
}

int32_t lb_key_table_add(lbKeyTable *table, const int32_t *key) {
  if (table->count == INT32_MAX - 1 || !grow_slots(table)) return -1;
  size_t slot = find_slot(table, key);
  if (table->slots[slot]) return table->slots[slot] - 1;
  size_t bytes = (size_t)table->width * sizeof(int32_t);
  if (!lb_grow((void **)&table->keys, &table->key_capacity, (size_t)table->count + 1, bytes))
    return -1;
  memcpy(table->keys + (size_t)table->count * (size_t)table->width, key, bytes);
  table->slots[slot] = ++table->count;
  return table->count - 1;
}

void lb_sort_key(int32_t *key, int32_t width) {
  for (int32_t i = 1; i < width; i++)
    for (int32_t k = i; k > 0 && key[k] < key[k - 1]; k--) {
      int32_t kept = key[k];
      key[k] = key[k - 1];
      key[k - 1] = kept;
    }
}
