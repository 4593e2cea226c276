// What a world needs to know of a body to let it sleep (lbBody.asleep: its steps only pass time):
// whether its surface moves visibly, and whether it was changed since it fell asleep.
#ifndef LB_BODY_SLEEP_H
#define LB_BODY_SLEEP_H

#include "body/body.h"

enum { LB_REST_POINTS = 12 };

// Points of the surface that are watched. The body is at rest while none of them leaves the place
// where it was when the body was last seen to move.
typedef struct lbRestPoints {
  int32_t count;                     // LB_REST_POINTS; 0: not chosen yet
  int32_t vertices[LB_REST_POINTS];  // far from each other
  double places[3 * LB_REST_POINTS]; // m, world
} lbRestPoints;

// False: the body is driven, follows a path or plays a recording, or has no surface.
bool lb_sleep_is_possible(const lbBody *body);
// Chooses the vertices; their places are not known yet.
void lb_sleep_choose_points(const lbBody *body, lbRestPoints *points);
// Whether a point has moved visibly since its place was noted; if so, the places of all points are
// noted anew. Points that are not
// chosen yet are chosen.
bool lb_sleep_has_moved(const lbBody *body, lbRestPoints *points, lbScratch *scratch);
// A hash of its state, its frame and its shared data: it differs after any change of these.
uint64_t lb_sleep_hash(const lbBody *body, lbScratch *scratch);
// The sum of the absolute values of what is applied to it for the next step, in mixed units.
// INFINITY: a ball or a grip pushes it.
double lb_sleep_load(const lbBody *body, lbScratch *scratch);

#endif
