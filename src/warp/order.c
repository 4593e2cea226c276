// Nodes along a curve that fills space (G. Morton, 1966: the bits of three coordinates in turn),
// elements by the first of their nodes. Meshers leave both in any order, and then every row of the
// matrix reads from everywhere.
#include "warp/order.h"

#include <stdlib.h>
#include <string.h>

#define BITS 16 // of a coordinate

typedef struct Place {
  uint64_t code;
  int32_t index;
} Place;

static int compare_places_order(const void *one, const void *other) {
  const Place *a = one, *b = other;
  if (a->code != b->code) return a->code < b->code ? -1 : 1;
  return (a->index > b->index) - (a->index < b->index);
}

static void find_box_order(const lbWarpDef *def, double least[3], double *size) {
  double most[3];
  for (int k = 0; k < 3; k++) least[k] = INFINITY, most[k] = -INFINITY;
  for (size_t i = 0; i < 3 * (size_t)def->node_count; i++) {
    least[i % 3] = fmin(least[i % 3], def->positions[i]);
    most[i % 3] = fmax(most[i % 3], def->positions[i]);
  }
  *size = fmax(most[0] - least[0], fmax(most[1] - least[1], most[2] - least[2]));
}

static uint64_t code_of(const double *position, const double least[3], double size) {
  uint64_t code = 0;
  for (int k = 0; k < 3; k++) {
    double share = size > 0 ? (position[k] - least[k]) / size : 0;
    uint64_t number = share > 0 ? (uint64_t)(fmin(share, 1) * ((1 << BITS) - 1)) : 0;
    for (int bit = 0; bit < BITS; bit++) code |= (number >> bit & 1) << (3 * bit + k);
  }
  return code;
}

static void rank_nodes(const lbWarpDef *def, Place *places, int32_t *ranks) {
  double least[3], size;
  find_box_order(def, least, &size);
  for (int32_t n = 0; n < def->node_count; n++)
    places[n] = (Place){ code_of(def->positions + 3 * (size_t)n, least, size), n };
  qsort(places, (size_t)def->node_count, sizeof *places, compare_places_order);
  for (int32_t i = 0; i < def->node_count; i++) ranks[places[i].index] = i;
}

// Elements of n nodes each; numbers (count) <- what they were.
static void sort_elements(const int32_t *elements, int32_t count, size_t n, const int32_t *ranks,
                          Place *places, int32_t *to, int32_t *numbers) {
  for (int32_t e = 0; e < count; e++) {
    int32_t first = INT32_MAX;
    for (size_t a = 0; a < n; a++) {
      int32_t rank = ranks[elements[n * (size_t)e + a]];
      if (rank < first) first = rank;
    }
    places[e] = (Place){ (uint64_t)first, e };
  }
  qsort(places, (size_t)count, sizeof *places, compare_places_order);
  for (int32_t i = 0; i < count; i++) {
    size_t from = (size_t)places[i].index;
    for (size_t a = 0; a < n; a++) to[n * (size_t)i + a] = ranks[elements[n * from + a]];
    numbers[i] = places[i].index;
  }
}

lbStatus lb_warp_sort(const lbWarpDef *def, lbWarpSorted *sorted, lbError *err) {
  size_t nodes = (size_t)def->node_count, tets = (size_t)def->tet_count;
  size_t bricks = (size_t)def->brick_count, most = nodes;
  if (tets > most) most = tets;
  if (bricks > most) most = bricks;
  *sorted = (lbWarpSorted){ .def = *def };
  Place *places = lb_alloc(most + 1, sizeof *places);
  double *numbers = sorted->arrays[0] = lb_alloc(nodes + 1, 4 * sizeof(double));
  int32_t *elements = sorted->arrays[1] = lb_alloc(4 * tets + 8 * bricks + 1, sizeof(int32_t));
  int32_t *materials = sorted->arrays[2] = lb_alloc(tets + bricks + 1, 2 * sizeof(int32_t));
  uint8_t *held = sorted->arrays[3] = lb_alloc(nodes + 1, 1);
  int32_t *cores = sorted->arrays[4] = lb_alloc(nodes + 1, sizeof(int32_t));
  int32_t *ranks = sorted->ranks = lb_alloc(nodes + 1, sizeof(int32_t));
  bool made = places && numbers && elements && materials && held && cores && ranks;
  if (made) {
    double *masses = numbers + 3 * nodes;
    rank_nodes(def, places, ranks);
    for (size_t n = 0; n < nodes; n++) {
      size_t to = (size_t)ranks[n];
      memcpy(numbers + 3 * to, def->positions + 3 * n, 3 * sizeof(double));
      masses[to] = def->masses[n];
      held[to] = def->held[n];
      cores[to] = def->core_count ? def->cores[n] : -1;
    }
    int32_t *element_numbers = materials + tets + bricks;
    sort_elements(def->tets, def->tet_count, 4, ranks, places, elements, element_numbers);
    sort_elements(def->bricks, def->brick_count, 8, ranks, places, elements + 4 * tets,
                  element_numbers + tets);
    for (size_t e = 0; e < tets + bricks; e++)
      materials[e] = def->element_materials[(size_t)element_numbers[e] + (e < tets ? 0 : tets)];
    sorted->def.element_numbers = element_numbers;
    sorted->def.positions = numbers, sorted->def.masses = masses, sorted->def.held = held;
    sorted->def.tets = elements, sorted->def.bricks = elements + 4 * tets;
    sorted->def.element_materials = materials;
    sorted->def.cores = cores;
  }
  lb_free(places);
  return made ? LB_OK : lb_fail_memory(err);
}

void lb_warp_sorted_release(lbWarpSorted *sorted) {
  for (size_t i = 0; i < sizeof sorted->arrays / sizeof *sorted->arrays; i++)
    lb_free(sorted->arrays[i]);
  lb_free(sorted->ranks);
}
