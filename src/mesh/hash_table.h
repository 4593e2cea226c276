// Hash table from keys of one fixed size to numbers: open addressing with linear probing, at most
// half full. Keys are equal when their bytes are; they are numbered 0, 1, 2, ... in the order of
// their first appearance, which is the same on every machine.
#ifndef LB_MESH_HASH_TABLE_H
#define LB_MESH_HASH_TABLE_H

#include "limber/base.h"

typedef struct lbHashTable {
  size_t key_bytes; // a multiple of 4
  int32_t count;    // distinct keys so far
  void *keys;       // (count x key_bytes), by number
  size_t key_capacity;
  int32_t *slots; // (slot_count), number + 1, or 0 when free
  size_t slot_count;
} lbHashTable;

lbHashTable lb_hash_table(size_t key_bytes);
void lb_hash_table_release(lbHashTable *table); // the table is empty afterwards and may be used

// The number of this key; -1 when it is absent.
int32_t lb_hash_table_find(const lbHashTable *table, const void *key);
// The number of this key, a new one (count before the call) when it was absent; -1 without
// memory.
int32_t lb_hash_table_add(lbHashTable *table, const void *key);

#endif
