// What a world needs to know of a body to let it sleep (lbBody.asleep: its steps only pass time):
// whether its surface moves visibly, and whether it was changed since it fell asleep.
#ifndef LB_BODY_SLEEP_H
#define LB_BODY_SLEEP_H

#include "body/body.h"

enum { LB_REST_POINTS = 8, LB_REST_NUMBERS = 3 * LB_REST_POINTS };

// s at rest. Doubled, bodies sleep so much later, and what moves half as fast stays awake.
#define LB_TIME_TO_SLEEP 0.5

// Points of the surface by which visible motion is seen. All places are m, world.
typedef struct lbRestPoints {
  int32_t count;                         // LB_REST_POINTS; 0: not chosen yet
  int32_t is_steady;                     // over the last window it swayed about one place
  int32_t vertices[LB_REST_POINTS];      // far from each other
  double still_time, window_time;        // s, since the points were
  double still_places[LB_REST_NUMBERS];  // here,
  double window_places[LB_REST_NUMBERS]; // and here
  double drift[LB_REST_NUMBERS];         // m s: later places of the window minus earlier ones
} lbRestPoints;

// False: the body is driven, follows a path or plays a recording, or has no surface.
bool lb_sleep_is_possible(const lbBody *body);
// Chooses the vertices; their places are not known yet.
void lb_sleep_choose_points(const lbBody *body, lbRestPoints *points);
// s, at the end of a step of h: for how long the body has been at rest; 0: it moves visibly. `rest`
// is what the step before had; 0: points are looked at anew.
double lb_sleep_rest_time(const lbBody *body, double h, double rest, lbRestPoints *points,
                          lbScratch *scratch);
// A hash of its state, its frame and its shared data: it differs after any change of these.
uint64_t lb_sleep_hash(const lbBody *body, lbScratch *scratch);
// The sum of the absolute values of what is applied to it for the next step, in mixed units.
// INFINITY: a ball or a grip pushes it.
double lb_sleep_load(const lbBody *body, lbScratch *scratch);

#endif
