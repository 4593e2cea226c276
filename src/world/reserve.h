// Memory that is replaced all at once: blocks are made first, and take the places of those before
// them only when there is memory for all of them, so that a refused call changes nothing.
#ifndef LB_WORLD_RESERVE_H
#define LB_WORLD_RESERVE_H

#include "limber/base.h"

#include <string.h>

#define LB_RESERVED_BLOCKS 64

typedef struct lbReservation {
  int32_t count;
  bool failed;
  struct {
    void **at;
    void *block;
  } blocks[LB_RESERVED_BLOCKS];
} lbReservation;

// A block for *at, with the first `kept` items of the one there now.
static inline void lb_reserve_kept(lbReservation *r, void *at, size_t kept, size_t count,
                                   size_t bytes) {
  void *block = r->failed ? NULL : lb_alloc(count, bytes);
  LB_ASSERT(r->count < LB_RESERVED_BLOCKS);
  if (!block) {
    r->failed = true;
    return;
  }
  if (kept > 0) memcpy(block, *(void **)at, kept * bytes);
  r->blocks[r->count].at = at;
  r->blocks[r->count++].block = block;
}

static inline void lb_reserve(lbReservation *r, void *at, size_t count, size_t bytes) {
  lb_reserve_kept(r, at, 0, count, bytes);
}

// All blocks are in place; false: there was no memory for one of them, and nothing has changed.
static inline bool lb_reservation_end(lbReservation *r, bool keep) {
  keep = keep && !r->failed;
  for (int32_t i = 0; i < r->count; i++) {
    lb_free(keep ? *r->blocks[i].at : r->blocks[i].block);
    if (keep) *r->blocks[i].at = r->blocks[i].block;
  }
  r->count = 0;
  return keep;
}

#endif
