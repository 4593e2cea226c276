// Axis-aligned boxes. An empty box has low > high and meets nothing; coordinates that are not
// numbers are left out when a box grows.
#ifndef LB_GEOMETRY_BOX_H
#define LB_GEOMETRY_BOX_H

#include "limber/math.h"

typedef struct lbBox {
  double low[3], high[3]; // both ends belong to the box
} lbBox;

static inline lbBox lb_box_empty(void) {
  return (lbBox){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
}

static inline bool lb_box_is_empty(const lbBox *box) {
  return !(box->low[0] <= box->high[0] && box->low[1] <= box->high[1] &&
           box->low[2] <= box->high[2]);
}

static inline void lb_box_add_point(lbBox *box, const double *point) {
  for (int i = 0; i < 3; i++) {
    if (point[i] < box->low[i]) box->low[i] = point[i];
    if (point[i] > box->high[i]) box->high[i] = point[i];
  }
}

static inline void lb_box_add_box(lbBox *box, const lbBox *other) {
  for (int i = 0; i < 3; i++) {
    if (other->low[i] < box->low[i]) box->low[i] = other->low[i];
    if (other->high[i] > box->high[i]) box->high[i] = other->high[i];
  }
}

static inline bool lb_box_overlap(const lbBox *a, const lbBox *b) {
  for (int i = 0; i < 3; i++)
    if (!(a->low[i] <= b->high[i] && b->low[i] <= a->high[i])) return false;
  return true;
}

// How far a box that is not empty goes along a direction: the greatest along . x.
static inline double lb_box_extent(const lbBox *box, lbVec3 along) {
  return (along.x > 0 ? box->high[0] : box->low[0]) * along.x +
         (along.y > 0 ? box->high[1] : box->low[1]) * along.y +
         (along.z > 0 ? box->high[2] : box->low[2]) * along.z;
}

// Squared distance from a point; 0 inside, infinite for an empty box.
static inline double lb_box_distance2(const lbBox *box, const double *point) {
  double sum = 0;
  if (lb_box_is_empty(box)) return INFINITY;
  for (int i = 0; i < 3; i++) {
    double below = box->low[i] - point[i], above = point[i] - box->high[i];
    double outside = below > above ? below : above;
    if (outside > 0) sum += outside * outside;
  }
  return sum;
}

#endif
