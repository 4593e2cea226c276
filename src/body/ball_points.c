// Making and choosing places.
#include "body/ball_points.h"

#include <string.h>

static lbVec3 position_of(const lbNearTriangle *near, const double weights[3]) {
  lbVec3 position = lb_vec3(0, 0, 0);
  for (int k = 0; k < 3; k++) position = lb_add_scaled(position, weights[k], near->corners[k]);
  return position;
}

// On the surface itself the normal is the triangle's, inwards.
bool lb_place_make(const lbNearTriangle *near, lbVec3 centre, bool moved, double range,
                   lbPlace *place) {
  const lbVec3 *c = near->corners;
  *place = (lbPlace){ .triangle = near->triangle, .distance = near->distance };
  memcpy(place->weights, near->weights, sizeof place->weights);
  if (moved)
    place->distance = sqrt(lb_triangle_closest_point(centre, c[0], c[1], c[2], place->weights));
  if (!(place->distance < range)) return false;
  place->position = position_of(near, place->weights);
  lbVec3 away = lb_sub(place->position, centre);
  if (!(place->distance > 1e-9 * lb_length(lb_sub(c[1], c[0]))))
    away = lb_cross(lb_sub(c[2], c[0]), lb_sub(c[1], c[0]));
  place->normal = lb_normalise(away);
  return true;
}

double lb_places_keep(lbPlace *places, int32_t *count, int32_t room, const lbPlace *place) {
  int32_t at = *count;
  bool full = at == room;
  double dropped = full ? fmax(place->distance, places[room - 1].distance) : INFINITY;
  if (full && place->distance == dropped) return dropped;
  if (full) at--;
  for (; at > 0 && places[at - 1].distance > place->distance; at--) places[at] = places[at - 1];
  places[at] = *place;
  if (!full) ++*count;
  return dropped;
}

int32_t lb_places_spread(lbSearch *search, lbVec3 centre, double apart, int32_t room,
                         lbPlace *places) {
  int32_t count = 0;
  while (count < room) {
    int32_t best = -1;
    for (int32_t i = 0; i < search->near_count; i++)
      if (isfinite(search->near[i].distance) &&
          (best < 0 || search->near[i].distance < search->near[best].distance))
        best = i;
    if (best < 0) break;
    lbVec3 at = position_of(&search->near[best], search->near[best].weights);
    lb_place_make(&search->near[best], centre, false, INFINITY, &places[count++]);
    for (int32_t i = 0; i < search->near_count; i++)
      if (isfinite(search->near[i].distance) &&
          lb_length(lb_sub(position_of(&search->near[i], search->near[i].weights), at)) < apart)
        search->near[i].distance = INFINITY;
  }
  return count;
}
