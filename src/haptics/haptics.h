// Inside the haptics layer: what the loop holds.
#ifndef LB_HAPTICS_HAPTICS_H
#define LB_HAPTICS_HAPTICS_H

#include "haptics/exchange.h"
#include "haptics/timing.h"
#include "body/tree.h"

#include "base/thread.h"

typedef struct lbDevice {
  lbVec3 position, velocity; // world
  bool button, known;
} lbDevice;

// A place where the ball touches; own axes.
typedef struct lbTouch {
  int32_t triangle;
  double weights[3]; // of the triangle's corners
  lbVec3 normal;     // unit, from the surface to the ball's centre
  double offset;     // the centre x is free where normal . x >= offset
  double distance;   // from the centre to the place, when it was found
  double depth;      // m, by how much this place holds the ball back from the device
} lbTouch;

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
  double *q, *v;   // (padded): the body's coordinates and rates in this tick
  int64_t tick;    // ticks done
  double *reduced; // (dimension): force of this tick

  // The ball.
  bool placed;
  lbVec3 centre;    // world
  double step;      // of the radius, how far it may move in a tick near the surface
  lbTouch *touches; // (contact_limit)
  int32_t touch_count;
  double *lines; // (contact_limit x dimension): reduced direction of each touch

  // The grip.
  bool held, pressed;
  lbVec3 offset;     // world: the place held lies here from the device without force
  lbVec3 grip_rest;  // own axes
  double *grip_rows; // (3 x padded)

  lbExchange devices, forces, states;
  lbDevice device_blocks[3];
  lbVec3 force_blocks[3];
  lbPublished state_blocks[3];

  lbTiming timing;
  lbThread *thread;
  atomic_bool running, ending;
};

int32_t lb_haptics_run_tick(lbHaptics *h, double dt);

// Moves the ball and finds its touches; adds its force to h->reduced.
lbFeeling lb_ball_feel(lbHaptics *h, const lbDevice *device, double dt);
lbFeeling lb_grip_feel(lbHaptics *h, const lbDevice *device, double dt);

// Share of the coupling that stays stable against a body that answers a unit force by a velocity
// of `mobility` (1/kg) a second: with the force held over a step of dt, k dt²/2 + b dt is what it
// answers to a unit of motion, and that may be a quarter at most.
double lb_coupling_share(double stiffness, double damping, double mobility, double dt);
double lb_coupling_damping(const lbHaptics *h, double dt); // b that is used

#endif
