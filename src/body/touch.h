// A body in a step that is open, for whoever finds what it touches: where it comes to by itself,
// what forces at places of its surface do to it, and the forces that were found.
//
// Rows and forces have the body's width: reduced coordinates, then, of a free body, force and
// moment about the frame's centre in world axes. With L the row of a unit force along a direction
// at a place and X what it moves, held over the step, the place moves by L·X along the direction.
#ifndef LB_BODY_TOUCH_H
#define LB_BODY_TOUCH_H

#include "body/tree.h"

typedef struct lbTouching {
  lbBody *body;
  lbScratch *scratch; // borrowed until the end
  lbFrameState start;
  lbStep step;
  lbMat3 mobility; // of a free frame: inverse inertia, world axes
} lbTouching;

// Room for what lb_touch_open and lb_touch_hold need, which then take no memory but scratch.
lbStatus lb_touch_make(lbBody *body, lbError *err);
// Opens a step of h; false: it cannot be opened (no memory, an absurd state). To be closed either
// way. The body is as it was; its step is taken by lb_body_step as ever.
bool lb_touch_open(lbTouching *touching, lbBody *body, double h);
void lb_touch_close(lbTouching *touching);

// A surface place in the world: at the step's start, and where it comes to without touching
// anything.
lbVec3 lb_touch_start(const lbTouching *touching, int32_t triangle, const double weights[3]);
lbVec3 lb_touch_end(const lbTouching *touching, int32_t triangle, const double weights[3]);
// m: no place of the surface moves farther in the step.
double lb_touch_way(const lbTouching *touching);

void lb_touch_row(const lbTouching *touching, int32_t triangle, const double weights[3],
                  lbVec3 along, double *row);
// moved <- what a force that is held over the step moves at its end; sped <- how it changes rates
// at once, as an impulse.
void lb_touch_move(const lbTouching *touching, const double *force, double *moved);
void lb_touch_speed(const lbTouching *touching, const double *impulse, double *sped);

// The next step has this force (width), held over it.
void lb_touch_hold(lbBody *body, const double *force);
// Velocity in the world of a surface place, now.
lbVec3 lb_touch_velocity(const lbBody *body, const double *q, const double *v, int32_t triangle,
                         const double weights[3]);

#endif
