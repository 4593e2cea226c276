// Cells of a box, made into one solid whose outside is a proper surface: wherever two cells would
// meet in an edge or a corner only, those beside them are filled; and only the largest piece stays.
#include "shapes/implicit.h"

#include <string.h>

typedef struct Cells {
  uint8_t *flags;
  const int32_t *n;
} Cells;

static size_t index_of(const Cells *cells, int32_t x, int32_t y, int32_t z) {
  return (size_t)x + (size_t)cells->n[0] * ((size_t)y + (size_t)cells->n[1] * (size_t)z);
}

// ---- filling -----------------------------------------------------------------------------------

// Of four cells around an edge, in this order: a diagonal pair without the other one?
static bool fill_around_edge(uint8_t *flags, const size_t ids[4]) {
  int pattern = 0;
  for (int i = 0; i < 4; i++) pattern |= flags[ids[i]] ? 1 << i : 0;
  if (pattern != 5 && pattern != 10) return false;
  for (int i = 0; i < 4; i++) flags[ids[i]] = 1;
  return true;
}

// Of eight cells around a corner (bit 0 is x): two opposite ones alone, or alone missing?
static bool fill_around_corner(uint8_t *flags, const size_t ids[8]) {
  int pattern = 0;
  for (int i = 0; i < 8; i++) pattern |= flags[ids[i]] ? 1 << i : 0;
  bool bad = false;
  for (int i = 0; i < 4; i++) {
    int pair = 1 << i | 1 << (7 - i);
    bad = bad || pattern == pair || pattern == (255 & ~pair);
  }
  for (int i = 0; i < 8 && bad; i++) flags[ids[i]] = 1;
  return bad;
}

// The block of up to 2 x 2 x 2 cells from (x, y, z) on.
static bool fill_cells_block(const Cells *cells, int32_t x, int32_t y, int32_t z) {
  static const int8_t edges[3][4] = { { 0, 2, 6, 4 }, { 0, 1, 5, 4 }, { 0, 1, 3, 2 } };
  const int32_t at[3] = { x, y, z };
  bool room[3], changed = false;
  size_t ids[8];
  for (int a = 0; a < 3; a++) room[a] = at[a] + 1 < cells->n[a];
  for (int i = 0; i < 8; i++) {
    bool inside = (!(i & 1) || room[0]) && (!(i & 2) || room[1]) && (!(i & 4) || room[2]);
    ids[i] = inside ? index_of(cells, x + (i & 1), y + (i >> 1 & 1), z + (i >> 2)) : 0;
  }
  for (int a = 0; a < 3; a++) {
    if (!room[(a + 1) % 3] || !room[(a + 2) % 3]) continue;
    size_t around[4];
    for (int i = 0; i < 4; i++) around[i] = ids[edges[a][i]];
    if (fill_around_edge(cells->flags, around)) changed = true;
  }
  if (room[0] && room[1] && room[2] && fill_around_corner(cells->flags, ids)) changed = true;
  return changed;
}

static void fill(const Cells *cells) {
  for (bool changed = true; changed;) { // each round fills at least one cell, so it ends
    changed = false;
    for (int32_t z = 0; z < cells->n[2]; z++)
      for (int32_t y = 0; y < cells->n[1]; y++)
        for (int32_t x = 0; x < cells->n[0]; x++)
          if (fill_cells_block(cells, x, y, z)) changed = true;
  }
}

// ---- pieces ------------------------------------------------------------------------------------

// Marks the piece of `start` with `mark`; returns how many cells it has. `stack` has room for all.
static size_t flood_cell_piece(const Cells *cells, size_t start, uint8_t mark, size_t *stack) {
  size_t w = (size_t)cells->n[0], slice = w * (size_t)cells->n[1], top = 0, count = 0;
  uint8_t from = cells->flags[start];
  stack[top++] = start;
  cells->flags[start] = mark;
  while (top) {
    size_t id = stack[--top];
    count++;
    const size_t at[3] = { id % w, id % slice / w, id / slice }, step[3] = { 1, w, slice };
    for (int i = 0; i < 6; i++) {
      int a = i / 2;
      if (i % 2 ? at[a] + 1 == (size_t)cells->n[a] : at[a] == 0) continue;
      size_t next = i % 2 ? id + step[a] : id - step[a];
      if (cells->flags[next] != from) continue;
      cells->flags[next] = mark;
      stack[top++] = next;
    }
  }
  return count;
}

bool lb_cells_join(uint8_t *flags, const int32_t n[3]) {
  enum { EMPTY, FILLED, SEEN, LARGEST };
  const Cells cells = { flags, n };
  size_t count = (size_t)n[0] * (size_t)n[1] * (size_t)n[2], filled = 0, largest = 0, start = 0;
  fill(&cells);
  for (size_t i = 0; i < count; i++) filled += flags[i];
  size_t *stack = lb_alloc(filled + 1, sizeof(size_t));
  if (!stack) return false;
  for (size_t i = 0; i < count; i++) {
    if (flags[i] != FILLED) continue;
    size_t size = flood_cell_piece(&cells, i, SEEN, stack);
    if (size > largest) largest = size, start = i;
  }
  if (largest) flood_cell_piece(&cells, start, LARGEST, stack);
  for (size_t i = 0; i < count; i++) flags[i] = flags[i] == LARGEST;
  lb_free(stack);
  return true;
}
