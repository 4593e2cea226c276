// Constraints of one body: points that are made to move as told, all solved as one linear system.
//
// Rows are constrained degrees of freedom (a point along a world axis), columns degrees of freedom
// of forces (a point along one of the body's own axes). A column is an impulse at the step's start
// or a force held over the step.
#ifndef LB_BODY_CONSTRAINTS_H
#define LB_BODY_CONSTRAINTS_H

#include "body/body.h"

#define LB_CONSTRAINED_MOST 256 // points; ids count on it

typedef struct lbConstraintSlot {
  int32_t generation; // how often it was used before; part of the id
  bool used, held;
  lbConstraintKind kind;
  int32_t point_count, force_count;
} lbConstraintSlot;

typedef struct lbConstraints {
  int32_t room; // constraints, points and force points, of each so many
  int32_t count, point_count, force_count;
  lbConstraintSlot *slots; // (room)

  // Constrained points in the order in which they were added.
  lbPoint *points;      // (room)
  int32_t *point_slots; // (room)
  uint8_t *axes;        // (room), 1 to 7
  double *targets;      // (room x 3), world axes
  double *rests;        // (room x 3), own axes
  double *rows;         // (room x 3 x padded), own axes
  // Points where forces act.
  lbPoint *force_points; // (room)
  int32_t *force_slots;  // (room)
  double *force_rows;    // (room x 3 x padded), own axes

  // The system for one step length and rotation.
  bool fresh;                   // `inverse` belongs to the present set and rotation
  bool solvable;                // all of it is finite
  double h;                     // and to this step length
  int32_t row_count, rank;      //
  double *system, *inverse;     // (rows x columns) and its pseudo-inverse, column-major
  double *scratch;              // of the pseudo-inverse
  double *right, *solution;     // (3 room)
  double *z, *v, *force, *line; // (padded): the body's state in a row; 3 lines
} lbConstraints;

void lb_constraints_place(lbConstraints *constraints, const lbBodyCommon *common, int32_t room,
                          lbCarver *carver);

// Adds the impulses and held forces that the constraints ask for in a step of the prepared length.
// LB_STEP_NONFINITE: they are not finite or absurd; nothing was added.
int32_t lb_constraints_apply(lbBody *body);

// A point whose slot, axes and target are set: its rows and rest position.
void lb_constraints_fill_point(lbConstraints *constraints, const lbBodyCommon *common, int32_t at);
void lb_constraints_fill_force_point(lbConstraints *constraints, const lbBodyCommon *common,
                                     int32_t at);

#endif
