// What pushing a body needs beside its block; made by the first push, for all bodies of a batch.
#ifndef LB_BODY_PUSH_H
#define LB_BODY_PUSH_H

#include "body/tree.h"

#define LB_PUSH_PLACES 16 // touched at a time

typedef struct lbPush {
  lbAabbTree *shape;
  lbTree tree;
  double *lines;             // (places x padded): reduced directions
  double *answers;           // (places x padded): what a unit force there moves
  double *ahead, *rates;     // (padded): at the step's end without the ball
  double *moved, *quickened; // (padded): what the ball adds

  // Subspace.
  double *factors;         // (stride x stride)
  const double *stiffness; // (stride x stride), that the factors were made with; NULL: none
} lbPush;

void lb_push_destroy(lbPush *push); // NULL is legal

#endif
