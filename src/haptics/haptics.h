// Inside the haptics layer: what the loop holds.
#ifndef LB_HAPTICS_HAPTICS_H
#define LB_HAPTICS_HAPTICS_H

#include "body/access.h"
#include "haptics/exchange.h"
#include "haptics/loop.h"

typedef struct lbDevice {
  lbVec3 position, velocity; // world
  bool button, known;
} lbDevice;

// What one tick came to.
typedef struct lbFeeling {
  lbVec3 tool, force; // world; force on the device
  int32_t contact_count;
} lbFeeling;

// A state with the coordinates and rates behind it.
typedef struct lbPublished {
  lbHapticsState state;
  double *coordinates, *rates; // (dimension)
} lbPublished;

struct lbHaptics {
  lbBody *body;
  lbHapticsDef def;   // defaults filled in
  lbPoint grip;       // what def.grip points to
  const lbTree *tree; // of the body's prepared part
  lbSearch *search;
  double *q;    // (padded): the body's coordinates in this tick
  int64_t tick; // ticks done

  // The coupling in this tick, world.
  lbVec3 centre;   // the ball's centre, or the place held
  lbVec3 target;   // where the spring pulls it to
  lbVec3 velocity; // of the device
  lbFeeling feeling;

  // The ball.
  bool placed;
  double step;     // of the radius, how far it may move in a tick near the surface
  lbPlace *places; // (contact_limit)
  double *depths;  // (contact_limit) m, by how much each holds the ball back from its target
  int32_t place_count;

  // The grip.
  bool held, pressed;
  lbVec3 offset;     // world: the place held lies here from the device without force
  lbVec3 grip_rest;  // own axes
  double *grip_rows; // (3 x padded)

  lbExchange devices, forces, states;
  lbDevice device_blocks[3];
  lbVec3 force_blocks[3];
  lbPublished state_blocks[3];

  lbLoop loop;
};

// What the tool comes to at the start of a tick: h->feeling but for the force, which lb_ball_touch
// and lb_grip_touch find inside the body's step where something is touched.
void lb_ball_feel(lbHaptics *h, const lbDevice *device);
void lb_grip_feel(lbHaptics *h, const lbDevice *device);
lbTouch lb_ball_touch, lb_grip_touch;

// Spring and damper of the coupling for a step of dt, as what touches the body; where they hang,
// with x0 the place of the tool at the step's start, in own axes of the frame at its end.
lbHand lb_coupling(const lbHaptics *h, double dt);
lbVec3 lb_coupling_hook(const lbHaptics *h, const lbStep *step, lbVec3 target, lbVec3 x0);

#endif
