// Paths in arrays, as worlds and models keep them: the keys of all of them one after another.
#ifndef LB_MODEL_STORED_PATH_H
#define LB_MODEL_STORED_PATH_H

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
