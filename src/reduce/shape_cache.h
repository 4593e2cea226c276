// Solved shapes kept in a folder, one file a load, so that an interrupted or repeated build does
// not solve them again. A file's name is the hash of all that its shape depends on.
#ifndef LB_REDUCE_SHAPE_CACHE_H
#define LB_REDUCE_SHAPE_CACHE_H

#include "limber/fem.h"

typedef struct lbShapeKey {
  uint64_t a, b;
} lbShapeKey;

// Of the body and the tolerances; of one load (full vector) on it.
lbShapeKey lb_shape_key_body(const lbFem *fem, const lbStaticDef *def);
lbShapeKey lb_shape_key_load(lbShapeKey body, const lbFem *fem, const double *load);

// What is known of a load: *found, and then either its shape (full vector) or that it has none. A
// broken file counts as absent, and the log says so.
lbStatus lb_shape_cache_read(const char *folder, lbShapeKey key, int32_t vertex_count,
                             double *shape, bool *found, bool *solved, lbError *err);
// Written aside and renamed. shape may be NULL: no equilibrium.
lbStatus lb_shape_cache_write(const char *folder, lbShapeKey key, int32_t vertex_count,
                              const double *shape, lbError *err);

#endif
