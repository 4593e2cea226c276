// Places of a surface near a ball, of the triangles that a search found (body/tree.h): one for each
// triangle, the nearest to the ball's centre. Own axes of the body.
#ifndef LB_BODY_BALL_POINTS_H
#define LB_BODY_BALL_POINTS_H

#include "body/tree.h"

typedef struct lbPlace {
  int32_t triangle;
  double weights[3]; // of the triangle's corners
  lbVec3 position;   // m
  lbVec3 normal;     // unit, from the ball's centre to the place
  double distance;   // m, from the centre to the place
  double gap;        // m, between place and ball along the normal; below 0: inside
  const double *row; // (padded) of a unit force along the normal; NULL: as the triangle says
} lbPlace;

// The place of a triangle for a ball at `centre`, which has moved since the search looked from
// there, or not; false: it is not nearer than `range`.
bool lb_place_make(const lbNearTriangle *near, lbVec3 centre, bool moved, double range,
                   lbPlace *place);
// Adds one to those kept so far, the nearest `room` of all in order of distance. Returns the
// distance of the one that is dropped for lack of room; infinite: none.
double lb_places_keep(lbPlace *places, int32_t *count, int32_t room, const lbPlace *place);
// The nearest ones that are at least `apart` from each other. Uses up the distances of what the
// search found.
int32_t lb_places_spread(lbSearch *search, lbVec3 centre, double apart, int32_t room,
                         lbPlace *places);

#endif
