// Disjoint sets: parent[i] is i for a set's root, which is its smallest member.
#ifndef LB_MESH_SETS_H
#define LB_MESH_SETS_H

#include "limber/base.h"

static inline int32_t *lb_sets_make(size_t count) {
  int32_t *parent = lb_alloc(count, sizeof(int32_t));
  for (size_t i = 0; parent && i < count; i++) parent[i] = (int32_t)i;
  return parent;
}

static inline int32_t lb_sets_root(int32_t *parent, int32_t item) {
  while (parent[item] != item) {
    parent[item] = parent[parent[item]];
    item = parent[item];
  }
  return item;
}

static inline void lb_sets_join(int32_t *parent, int32_t a, int32_t b) {
  int32_t x = lb_sets_root(parent, a), y = lb_sets_root(parent, b);
  if (x < y)
    parent[y] = x;
  else
    parent[x] = y;
}

#endif
