// Places on a body as lists of nodes and weights, and their rows of the basis.
#ifndef LB_BODY_POINT_H
#define LB_BODY_POINT_H

#include "body/body.h"

// Refuses kinds, indices and weights that the model does not have. `what` names the point in the
// message.
lbStatus lb_point_check(const lbModel *model, const lbPoint *point, const char *what, lbError *err);

// The nodes of a point, one after another; a node may come more than once.
//   for (lbPointWalk walk = lb_point_walk(model, point); lb_point_next(&walk);) walk.node ...
typedef struct lbPointWalk {
  const lbModel *model;
  const lbPoint *point;
  int32_t corner, carrier; // the next one
  int32_t node;            // the current one
  double weight;
} lbPointWalk;

lbPointWalk lb_point_walk(const lbModel *model, const lbPoint *point);
bool lb_point_next(lbPointWalk *walk);

lbVec3 lb_point_rest(const lbModel *model, const lbPoint *point); // own axes, m
// rows (3 x padded): the point's displacement in own axes is rows q.
void lb_point_rows(const lbPrepared *prepared, const lbPoint *point, double *rows);
// sum <- sum + (rows)^T own
void lb_point_add_force(const lbPrepared *prepared, const lbPoint *point, lbVec3 own, double *sum);
// Displacement (or velocity) in own axes for coordinates (or rates) in a row.
lbVec3 lb_point_apply(const lbPrepared *prepared, const lbPoint *point, const double *coordinates);

#endif
