// Coulomb's cone of a contact's force: normal, two tangents.
#ifndef LB_SOLVE_CONE_H
#define LB_SOLVE_CONE_H

#include <math.h>

// Shortens the tangents to what the normal force allows.
static inline void lb_cone_keep(double friction, double x[3]) {
  double most = friction * x[0], length = sqrt(x[1] * x[1] + x[2] * x[2]);
  double share = length > most ? most / length : 1;
  x[1] *= share, x[2] *= share;
}

#endif
