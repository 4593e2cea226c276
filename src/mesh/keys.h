// Numbers distinct rows of integers (edges, faces, ...) in the order of their first appearance: a
// hash table with open addressing, the same numbers on every machine.
#ifndef LB_MESH_KEYS_H
#define LB_MESH_KEYS_H

#include "limber/base.h"

typedef struct lbKeyTable {
  int32_t width; // integers in a key
  int32_t count; // distinct keys so far
  int32_t *keys; // (count x width), by number
  size_t key_capacity;
  int32_t *slots; // (slot_count), number + 1, or 0 when free
  size_t slot_count;
} lbKeyTable;

lbKeyTable lb_key_table(int32_t width);
// The number of this key, a new one when it was not there; -1 without memory.
int32_t lb_key_table_add(lbKeyTable *table, const int32_t *key);
void lb_key_table_release(lbKeyTable *table);

// Puts a few integers in ascending order, in place.
void lb_sort_key(int32_t *key, int32_t width);

#endif
