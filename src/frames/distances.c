// Shortest paths inside voxels, by Dijkstra's algorithm with lines of sight: a voxel's path runs
// straight from the last corner (the "anchor") of its neighbour's path where nothing is in between,
// else from that neighbour, which becomes a corner. (A. Nash and others: Theta*, 2007.) Anything
// that the start itself can see is at its exact distance.
//
// A line of sight passes filled voxels and open faces alone. Where it passes an edge or a corner of
// the grid exactly, one way around it must be open.
#include "frames/voxels.h"

#include <stdlib.h>

enum { FROM_START = -1 };

typedef struct Search {
  const lbVoxels *voxels;
  lbVec3 point; // the start, in `home`
  int32_t home; // -1: the search began with a region
  double limit;
  double *distances;
  int32_t *anchors; // (voxels) last corner, or FROM_START
  int32_t *slots;   // (voxels) place in the heap; -1: not yet reached, -2: done
  int32_t *heap;    // (voxels) by distance, then by number
  int32_t heaped;
} Search;

// ---- lines of sight ----------------------------------------------------------------------------

// Walks from centre to centre. On an axis with D cells to go, face k is crossed at the time
// (2k + 1) / (2D): compared exactly, in integers.
static bool sees(const lbVoxels *voxels, int32_t from, int32_t to) {
  int32_t a[3], b[3];
  int64_t length[3], crossed[3] = { 0, 0, 0 }, left = 0;
  unsigned forward = 0;
  lb_voxels_locate(voxels, from, a);
  lb_voxels_locate(voxels, to, b);
  for (int i = 0; i < 3; i++) {
    length[i] = abs(b[i] - a[i]);
    left += length[i];
    forward |= (unsigned)(b[i] > a[i]) << i;
  }
  while (left > 0) {
    unsigned axes = 0;
    int first = -1;
    for (int i = 0; i < 3; i++) {
      if (crossed[i] == length[i]) continue;
      int64_t order =
          first < 0 ? -1
                    : (2 * crossed[i] + 1) * length[first] - (2 * crossed[first] + 1) * length[i];
      if (order < 0)
        first = i, axes = 1u << i;
      else if (order == 0)
        axes |= 1u << i;
    }
    from = lb_voxels_cross(voxels, from, axes, forward);
    if (from < 0) return false;
    for (int i = 0; i < 3; i++)
      if (axes >> i & 1) crossed[i]++, left--;
  }
  return from == to;
}

// ---- the heap ----------------------------------------------------------------------------------

static bool before(const Search *s, int32_t a, int32_t b) {
  return s->distances[a] < s->distances[b] || (s->distances[a] == s->distances[b] && a < b);
}

static void put_distances(Search *s, int32_t slot, int32_t voxel) {
  s->heap[slot] = voxel;
  s->slots[voxel] = slot;
}

static void rise_distances(Search *s, int32_t voxel) {
  int32_t slot = s->slots[voxel];
  for (; slot > 0 && before(s, voxel, s->heap[(slot - 1) / 2]); slot = (slot - 1) / 2)
    put_distances(s, slot, s->heap[(slot - 1) / 2]);
  put_distances(s, slot, voxel);
}

static int32_t take_first(Search *s) {
  int32_t first = s->heap[0], last = s->heap[--s->heaped], slot = 0;
  s->slots[first] = -2;
  if (s->heaped == 0) return first;
  for (int32_t child = 1; child < s->heaped; slot = child, child = 2 * slot + 1) {
    if (child + 1 < s->heaped && before(s, s->heap[child + 1], s->heap[child])) child++;
    if (!before(s, s->heap[child], last)) break;
    put_distances(s, slot, s->heap[child]);
  }
  put_distances(s, slot, last);
  return first;
}

// ---- the search --------------------------------------------------------------------------------

static void offer(Search *s, int32_t voxel, double distance, int32_t anchor) {
  if (!(distance < s->distances[voxel]) || distance > s->limit) return;
  s->distances[voxel] = distance;
  s->anchors[voxel] = anchor;
  if (s->slots[voxel] < 0) s->slots[voxel] = s->heaped++;
  rise_distances(s, voxel);
}

static double leg(const lbVoxels *voxels, int32_t from, int32_t to) {
  return lb_length(lb_sub(lb_voxels_centre(voxels, to), lb_voxels_centre(voxels, from)));
}

static double straight(const Search *s, int32_t voxel) {
  return lb_length(lb_sub(lb_voxels_centre(s->voxels, voxel), s->point));
}

// `voxel` is beside `from`, whose path is known.
static void extend(Search *s, int32_t from, int32_t voxel) {
  const lbVoxels *voxels = s->voxels;
  int32_t anchor = s->anchors[from];
  if (s->slots[voxel] == -1) { // reached for the first time
    if (s->home >= 0 && sees(voxels, s->home, voxel)) {
      offer(s, voxel, straight(s, voxel), FROM_START);
      return;
    }
  } else if (s->anchors[voxel] == FROM_START) {
    return; // nothing is shorter
  }
  if (anchor != FROM_START) {
    double distance = s->distances[anchor] + leg(voxels, anchor, voxel);
    if (distance >= s->distances[voxel]) return;
    if (sees(voxels, anchor, voxel)) {
      offer(s, voxel, distance, anchor);
      return;
    }
  }
  offer(s, voxel, s->distances[from] + leg(voxels, from, voxel), from);
}

// Every way of one step along some of the axes, each up or down.
static void extend_around(Search *s, int32_t voxel) {
  for (unsigned axes = 1; axes < 8; axes++)
    for (unsigned forward = axes;; forward = (forward - 1) & axes) {
      int32_t next = lb_voxels_cross(s->voxels, voxel, axes, forward);
      if (next >= 0 && s->slots[next] != -2) extend(s, voxel, next);
      if (forward == 0) break;
    }
}

static lbStatus begin_distances(Search *s, int32_t **memory, lbError *err) {
  size_t count = (size_t)s->voxels->count;
  *memory = lb_alloc(3 * count, sizeof **memory);
  if (!*memory) return lb_fail_memory(err);
  s->anchors = *memory;
  s->slots = *memory + count;
  s->heap = *memory + 2 * count;
  for (size_t v = 0; v < count; v++) s->distances[v] = INFINITY, s->slots[v] = -1;
  return LB_OK;
}

static void finish_distances(Search *s, int32_t *memory) {
  while (s->heaped > 0) extend_around(s, take_first(s));
  lb_free(memory);
}

lbStatus lb_voxels_distances(const lbVoxels *voxels, lbVec3 point, int32_t home, double limit,
                             double *distances, lbError *err) {
  Search s = { voxels, point, home, limit, distances, NULL, NULL, NULL, 0 };
  int32_t *memory;
  lbStatus status = begin_distances(&s, &memory, err);
  if (status) return status;
  // However small the limit, the home voxel is reached.
  s.limit = INFINITY;
  offer(&s, home, straight(&s, home), FROM_START);
  s.limit = limit;
  finish_distances(&s, memory);
  return LB_OK;
}

lbStatus lb_voxels_region_distances(const lbVoxels *voxels, const int32_t *owners, int32_t owner,
                                    double *distances, lbError *err) {
  Search s = { voxels, { 0, 0, 0 }, -1, INFINITY, distances, NULL, NULL, NULL, 0 };
  int32_t *memory;
  lbStatus status = begin_distances(&s, &memory, err);
  if (status) return status;
  for (int32_t v = 0; v < voxels->count; v++)
    if (owners[v] == owner) offer(&s, v, 0, v);
  finish_distances(&s, memory);
  return LB_OK;
}
