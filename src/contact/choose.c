// Few places out of many, and lists of touches that stay bounded.
//
// Chosen are the deepest place and then, one at a time, the place with the greatest
//   w min_j (|x - x_j|² + length² |n - n_j|²),   j over those chosen,
// where w falls from 1 for the deepest to 1/4 for the shallowest place: extent carries torque,
// depth carries force. Places equal to one chosen add nothing.
#include "contact/solid_parts.h"

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

static int32_t next_place(int32_t count, const lbTouchPlace *places, double length, double low,
                          double high, int32_t chosen_count, const int32_t *chosen) {
  int32_t best = -1;
  double most = 1e-20 * length * length;
  for (int32_t i = 0; i < count; i++) {
    double least = INFINITY;
    for (int32_t j = 0; j < chosen_count; j++)
      least = fmin(least, spread2(&places[i], &places[chosen[j]], length));
    double weight = high > low ? 1 - 0.75 * (places[i].gap - low) / (high - low) : 1;
    if (weight * least > most) most = weight * least, best = i;
  }
  return best;
}

static void insert_ascending(int32_t *chosen, int32_t count, int32_t place) {
  int32_t at = count;
  for (; at > 0 && chosen[at - 1] > place; at--) chosen[at] = chosen[at - 1];
  chosen[at] = place;
}

int32_t lb_touches_choose(int32_t count, const lbTouchPlace *places, double length, int32_t most,
                          int32_t *chosen) {
  double low, high;
  int32_t place = most > 0 ? deepest(count, places, &low, &high) : -1, chosen_count = 0;
  while (place >= 0) {
    insert_ascending(chosen, chosen_count++, place);
    if (chosen_count == most) break;
    place = next_place(count, places, length, low, high, chosen_count, chosen);
  }
  return chosen_count;
}

// ---- lists -------------------------------------------------------------------------------------

static void reduce(lbTouchList *list, int32_t most) {
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
  if (list->count == LB_TOUCH_ROOM) reduce(list, LB_TOUCH_ROOM / 2);
  list->touches[list->count++] = *touch;
}

int32_t lb_touch_list_take(lbTouchList *list, int32_t most, lbSolidTouch *out) {
  if (list->count > most) reduce(list, most);
  for (int32_t i = 0; i < list->count; i++) out[i] = list->touches[i];
  return list->count;
}
