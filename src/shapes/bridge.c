// A footbridge along x: a deck on two feet at its ends, and on both long sides a railing of posts
// and two rails. With the thickness t of posts and rails:
//   along x   cells[0] bays of even length, each a gap of two cells, between posts t wide
//   along y   a railing t wide, cells[1] cells of deck, the other railing
//   along z   feet, the deck (2 t), an opening, a rail (t), an opening, the upper rail (t); feet
//   and
//             openings share the rest 4 : 3 : 3, each in cells[2] cells
#include "shapes/shapes.h"

enum { FEET, DECK, LOWER_OPENING, LOWER_RAIL, UPPER_OPENING, UPPER_RAIL, BAND_COUNT };

#define BAY_CELLS 3 // a post and the gap after it

// How many bays a foot is long, beyond the end post.
static int32_t foot_bays(const lbShapeDef *def) { return (def->cells[0] + 8) / 16; }

static void set_bands(const lbShapeDef *def, int32_t cells[BAND_COUNT],
                      double heights[BAND_COUNT]) {
  double t = def->thickness, left = def->size[2] - 4 * t;
  const double all[BAND_COUNT] = { 0.4 * left, 2 * t, 0.3 * left, t, 0.3 * left, t };
  for (int i = 0; i < BAND_COUNT; i++) {
    bool rail = i == LOWER_RAIL || i == UPPER_RAIL;
    heights[i] = all[i];
    cells[i] = i == DECK ? 2 : rail ? 1 : def->cells[2];
  }
}

// The band of layer k, counted from the bottom.
static int band_of(const lbShapeDef *def, int32_t k) {
  int32_t cells[BAND_COUNT];
  double heights[BAND_COUNT];
  set_bands(def, cells, heights);
  int band = 0;
  while (band < UPPER_RAIL && k >= cells[band]) k -= cells[band++];
  return band;
}

static bool is_solid_bridge(const lbShapeDef *def, const lbLattice *lattice, const int32_t at[3]) {
  bool post = at[0] % BAY_CELLS == 0;
  bool side = at[1] == 0 || at[1] == lattice->cells[1] - 1;
  int32_t foot = BAY_CELLS * foot_bays(def) + 1;
  switch (band_of(def, at[2])) {
  case FEET: return at[0] < foot || at[0] >= lattice->cells[0] - foot;
  case DECK: return true;
  case LOWER_OPENING:
  case UPPER_OPENING: return side && post;
  default: return side;
  }
}

static void set_lines(const lbShapeDef *def, lbLattice *lattice) {
  const double *size = def->size, t = def->thickness, pitch = (size[0] - t) / def->cells[0];
  double *x = lattice->lines[0], *y = lattice->lines[1], *z = lattice->lines[2], base = 0;
  for (int32_t bay = 0; bay < def->cells[0]; bay++, x += BAY_CELLS) {
    double begin = bay * pitch, end = (bay + 1) * pitch;
    x[0] = begin, x[1] = begin + t, x[2] = (begin + t + end) / 2;
  }
  x[0] = size[0] - t, x[1] = size[0];
  *y++ = 0;
  for (int32_t j = 0; j <= def->cells[1]; j++)
    *y++ = t + (size[1] - 2 * t) * ((double)j / def->cells[1]);
  *y = size[1];
  int32_t cells[BAND_COUNT];
  double heights[BAND_COUNT];
  set_bands(def, cells, heights);
  for (int band = 0; band < BAND_COUNT; base += heights[band++])
    for (int32_t k = 0; k < cells[band]; k++)
      *z++ = base + heights[band] * ((double)k / cells[band]);
  *z = size[2];
}

void lb_bridge_lattice(const lbShapeDef *def, lbLattice *lattice) {
  int32_t n[3] = { BAY_CELLS * def->cells[0] + 1, def->cells[1] + 2, 3 * def->cells[2] + 4 };
  *lattice = (lbLattice){ .solid = is_solid_bridge };
  lattice->out_of_memory = !lb_lattice_begin(lattice, n);
  if (!lattice->out_of_memory) set_lines(def, lattice);
}
