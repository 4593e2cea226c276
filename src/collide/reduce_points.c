// Few places out of many, and lists of touches that stay bounded.
//
// Chosen are the deepest place and then, one at a time, the place with the greatest
//   w min_j (|x - x_j|² + length² |n - n_j|²),   j over those chosen,
// where w falls from 1 for the deepest to 1/4 for the shallowest place: extent carries torque,
// depth carries force. Places equal to one chosen add nothing.
#include "collide/solid_parts.h"

static double spread2(const lbTouchPlace *a, const lbTouchPlace *b, double length) {
  lbVec3 apart = lb_sub(a->point, b->point), turn = lb_sub(a->normal, b->normal);
  return lb_dot(apart, apart) + length * length * lb_dot(turn, turn);
}

static int32_t deepest(int32_t count, const lbTouchPlace *places, double *low, double *high) {
  int32_t best = -1;
  *low = INFINITY, *high = -INFINITY;
  for (int32_t i = 0; i < count; i++) {
    if (places[i].gap < *low) *low = places[i].gap, best = i;
    if (places[i].gap > *high) *high = places[i].gap;
  }
  return best;
}

// How far each place is from those chosen, while there is room for it; otherwise found anew.
enum { KNOWN = 1024 };

typedef struct Choice {
  int32_t count;
  const lbTouchPlace *places;
  double length, low, high; // of gaps: low, high
  int32_t chosen_count;
  int32_t *chosen;
  double least[KNOWN];
} Choice;

static double least_spread2(const Choice *c, int32_t place) {
  if (c->count <= KNOWN) return c->least[place];
  double least = INFINITY;
  for (int32_t j = 0; j < c->chosen_count; j++)
    least = lb_lesser(least, spread2(&c->places[place], &c->places[c->chosen[j]], c->length));
  return least;
}

static int32_t next_place(const Choice *c) {
  int32_t best = -1;
  double most = 1e-20 * c->length * c->length;
  double slope = c->high > c->low ? 0.75 / (c->high - c->low) : 0;
  for (int32_t i = 0; i < c->count; i++) {
    double weight = 1 - slope * (c->places[i].gap - c->low);
    double score = weight * least_spread2(c, i);
    if (score > most) most = score, best = i;
  }
  return best;
}

static void choose_touches(Choice *c, int32_t place) {
  int32_t at = c->chosen_count++;
  for (; at > 0 && c->chosen[at - 1] > place; at--) c->chosen[at] = c->chosen[at - 1];
  c->chosen[at] = place;
  for (int32_t i = 0; i < c->count && c->count <= KNOWN; i++)
    c->least[i] = lb_lesser(c->least[i], spread2(&c->places[i], &c->places[place], c->length));
}

int32_t lb_touches_choose(int32_t count, const lbTouchPlace *places, double length, int32_t most,
                          int32_t *chosen) {
  Choice c;
  c.count = count, c.places = places, c.length = length;
  c.chosen_count = 0, c.chosen = chosen;
  int32_t place = most > 0 ? deepest(count, places, &c.low, &c.high) : -1;
  for (int32_t i = 0; i < count && count <= KNOWN; i++) c.least[i] = INFINITY;
  while (place >= 0) {
    choose_touches(&c, place);
    place = c.chosen_count < most ? next_place(&c) : -1;
  }
  return c.chosen_count;
}

// ---- lists -------------------------------------------------------------------------------------

static void reduce_touches(lbTouchList *list, int32_t most) {
  lbTouchPlace places[LB_TOUCH_ROOM];
  int32_t chosen[LB_TOUCH_ROOM];
  for (int32_t i = 0; i < list->count; i++) {
    const lbSolidTouch *touch = &list->touches[i];
    places[i] = (lbTouchPlace){ touch->on_triangle, touch->normal, touch->gap };
  }
  int32_t kept = lb_touches_choose(list->count, places, list->length, most, chosen);
  for (int32_t i = 0; i < kept; i++) list->touches[i] = list->touches[chosen[i]];
  list->count = kept;
}

void lb_touch_list_add(lbTouchList *list, const lbSolidTouch *touch) {
  if (list->count == LB_TOUCH_ROOM) reduce_touches(list, LB_TOUCH_ROOM / 2);
  list->touches[list->count++] = *touch;
}

int32_t lb_touch_list_take(lbTouchList *list, int32_t most, lbSolidTouch *out) {
  if (list->count > most) reduce_touches(list, most);
  for (int32_t i = 0; i < list->count; i++) out[i] = list->touches[i];
  return list->count;
}
