// Coulomb's cone of a contact's force: normal, two tangents; the ball of rolling friction.
#ifndef LB_SOLVE_CONE_H
#define LB_SOLVE_CONE_H

#include <math.h>

// Shortens the tangents to what the normal force allows.
static inline void lb_cone_keep(double friction, double x[3]) {
  double most = friction * x[0], length = sqrt(x[1] * x[1] + x[2] * x[2]);
  double share = length > most ? most / length : 1;
  x[1] *= share, x[2] *= share;
}

// Shortens a torque of rolling friction to the most that there may be.
static inline void lb_rolling_keep(double most, double x[3]) {
  double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  double share = length > most ? most / length : 1;
  for (int k = 0; k < 3; k++) x[k] *= share;
}

#endif
