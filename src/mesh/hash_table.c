// Slots hold numbers, and keys lie in one array by number: enlarging the table moves no key.
#include "mesh/hash_table.h"

#include <string.h>

lbHashTable lb_hash_table(size_t key_bytes) {
  LB_ASSERT(key_bytes > 0 && key_bytes % 4 == 0);
  return (lbHashTable){ .key_bytes = key_bytes };
}

void lb_hash_table_release(lbHashTable *table) {
  lb_free(table->keys);
  lb_free(table->slots);
  *table = (lbHashTable){ .key_bytes = table->key_bytes };
}

static uint64_t hash_key(const void *key, size_t bytes) {
  uint64_t hash = UINT64_C(0x51ed270b35ae9d01);
  for (size_t i = 0; i < bytes; i += 4) {
    uint32_t word;
    memcpy(&word, (const char *)key + i, sizeof word);
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
  }
  return hash ^ (hash >> 32);
}

static const void *key_at(const lbHashTable *table, int32_t number) {
  return (const char *)table->keys + (size_t)number * table->key_bytes;
}

// The slot that holds this key, or the free one where it belongs.
static size_t find_table_slot(const lbHashTable *table, const void *key) {
  size_t mask = table->slot_count - 1, slot = (size_t)hash_key(key, table->key_bytes) & mask;
  while (table->slots[slot] &&
         memcmp(key_at(table, table->slots[slot] - 1), key, table->key_bytes) != 0)
    slot = (slot + 1) & mask;
  return slot;
}

static bool grow_slots(lbHashTable *table) {
  if (2 * ((size_t)table->count + 1) <= table->slot_count) return true;
  size_t larger = table->slot_count ? 2 * table->slot_count : 64;
  int32_t *slots = lb_alloc(larger, sizeof *slots);
  if (!slots) return false;
  lb_free(table->slots);
  table->slots = slots;
  table->slot_count = larger;
  for (int32_t i = 0; i < table->count; i++)
    slots[find_table_slot(table, key_at(table, i))] = i + 1;
  return true;
}

int32_t lb_hash_table_find(const lbHashTable *table, const void *key) {
  return table->slot_count ? table->slots[find_table_slot(table, key)] - 1 : -1;
}

int32_t lb_hash_table_add(lbHashTable *table, const void *key) {
  int32_t known = lb_hash_table_find(table, key);
  if (known >= 0) return known;
  if (table->count == INT32_MAX - 1 || !grow_slots(table) ||
      !lb_grow(&table->keys, &table->key_capacity, (size_t)table->count + 1, table->key_bytes))
    return -1;
  memcpy((char *)table->keys + (size_t)table->count * table->key_bytes, key, table->key_bytes);
  table->slots[find_table_slot(table, key)] = table->count + 1;
  return table->count++;
}
