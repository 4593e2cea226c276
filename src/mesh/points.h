// Points by position, in a hash table of 3 doubles: those that are exactly equal get one number. -0
// counts as 0; otherwise points are the same when their bits are.
#ifndef LB_MESH_POINTS_H
#define LB_MESH_POINTS_H

#include "mesh/hash_table.h"

static inline lbHashTable lb_point_table(void) { return lb_hash_table(3 * sizeof(double)); }

// The number of the point, in the order of first appearance; -1 without memory.
static inline int32_t lb_point_table_add(lbHashTable *table, double x, double y, double z) {
  double point[3] = { x + 0.0, y + 0.0, z + 0.0 }; // -0 + 0 = 0
  return lb_hash_table_add(table, point);
}

#endif
