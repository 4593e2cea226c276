// An open-addressing hash table over the points' bits, at most half full.
#include "meshio/merge.h"

#include <string.h>

static uint64_t hash_point(const double *point) {
  uint64_t hash = UINT64_C(0x9e3779b97f4a7c15);
  for (int i = 0; i < 3; i++) {
    uint64_t bits;
    memcpy(&bits, &point[i], sizeof bits);
    hash = (hash ^ bits) * UINT64_C(0xff51afd7ed558ccd);
    hash ^= hash >> 32;
  }
  return hash;
}

// The slot that holds the point, or the free one where it belongs.
static size_t find_slot(const lbMerger *merger, const double *point) {
  size_t mask = merger->slot_count - 1, slot = (size_t)hash_point(point) & mask;
  while (merger->slots[slot] &&
         memcmp(merger->points + 3 * (size_t)(merger->slots[slot] - 1), point, 3 * sizeof(double)))
    slot = (slot + 1) & mask;
  return slot;
}

static bool grow_table(lbMerger *merger) {
  size_t slot_count = merger->slot_count ? 2 * merger->slot_count : 64;
  int32_t *slots = lb_alloc(slot_count, sizeof(int32_t));
  if (!slots) return false;
  lb_free(merger->slots);
  merger->slots = slots;
  merger->slot_count = slot_count;
  for (int32_t i = 0; i < merger->count; i++)
    slots[find_slot(merger, merger->points + 3 * (size_t)i)] = i + 1;
  return true;
}

int32_t lb_merger_add(lbMerger *merger, double x, double y, double z) {
  double point[3] = { x + 0.0, y + 0.0, z + 0.0 }; // -0 + 0 = 0
  if (2 * ((size_t)merger->count + 1) > merger->slot_count && !grow_table(merger)) return -1;
  size_t slot = find_slot(merger, point);
  if (merger->slots[slot]) return merger->slots[slot] - 1;
  if (merger->count == INT32_MAX - 1 || !lb_grow((void **)&merger->points, &merger->point_capacity,
                                                 (size_t)merger->count + 1, 3 * sizeof(double)))
    return -1;
  memcpy(merger->points + 3 * (size_t)merger->count, point, sizeof point);
  merger->slots[slot] = merger->count + 1;
  return merger->count++;
}

void lb_merger_release(lbMerger *merger) {
  lb_free(merger->points);
  lb_free(merger->slots);
  *merger = (lbMerger){ 0 };
}
