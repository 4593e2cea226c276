// Paths as arrays, for worlds and models: the keys of all paths one after another.
#ifndef LB_REDUCE_STORE_PATHS_H
#define LB_REDUCE_STORE_PATHS_H

#include "limber/path.h"

typedef struct lbStoredPaths {
  int32_t count, key_count;
  int32_t *begin;                           // (count + 1)
  int32_t *interpolations, *cycles, *parts; // (count); parts: LB_PATH_POSITIONS, ...
  double *times, *positions, *rotations;    // (keys), (keys x 3), (keys x 4)
  double *position_tangents;                // (keys x 2 x 3); NULL: no path has them
  double *rotation_tangents;                // (keys x 2 x 4)
} lbStoredPaths;

// Arrays that live in the arena, from paths (count); a NULL among them has no keys.
lbStatus lb_paths_store(const lbPath *const *paths, int32_t count, lbArena *arena,
                        lbStoredPaths *out, lbError *err);

#endif
