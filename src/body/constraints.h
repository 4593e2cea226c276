// Constraints of one body: points that are made to move as told, all solved as one linear system.
//
// Rows are constrained degrees of freedom (a point along a world axis), columns degrees of freedom
// of forces (a point along one of the body's own axes or, where forces are tied to what is
// constrained, along a world axis). Hard constraints come first, springs after them. How the system
// is made and solved is the method's affair: constraint_solve.c, subspace_constraints.c.
#ifndef LB_BODY_CONSTRAINTS_H
#define LB_BODY_CONSTRAINTS_H

#include "body/body.h"

#define LB_CONSTRAINED_MOST 256 // points; ids count on it

typedef struct lbConstraintSlot {
  int32_t generation; // how often it was used before; part of the id
  bool used, held;
  lbConstraintKind kind;
  int32_t point_count, force_count;
  double stiffness, damping; // of a spring; infinite: hard
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
  uint8_t *force_axes;   // (room): world axes, as `axes`; 0: all three own axes
  double *force_rows;    // (room x 3 x padded), own axes
  double *forces;        // (room x 3): of the last step, world axes, N

  // Rows and columns of the system for the present set and rotation (lb_constraints_list).
  int32_t row_count, hard_rows, column_count, hard_columns;
  int32_t *row_points, *row_axes;       // (3 room)
  int32_t *column_points, *column_axes; // (3 room): axis 0 to 2 world, 3 to 5 own
  double *W;                            // (3 room x padded): displacement along a row is W q
  double *F;                            // (3 room x padded): a unit force on a column is F

  // The system for one step length and rotation.
  bool fresh;                   // `inverse` belongs to the present set and rotation
  bool solvable;                // all of it is finite
  double h;                     // and to this step length
  int32_t rank;                 //
  double *system, *inverse;     // (rows x columns) and its pseudo-inverse, column-major
  double *scratch;              // of the pseudo-inverse
  double *right, *solution;     // (3 room)
  double *row_scale;            // (3 room)
  double *z, *v, *force, *line; // (padded): the body's state in a row; 4 lines

  // Subspace.
  int32_t edition;      // of the mass that `moved` belongs to
  double *moved;        // (3 room x padded) M^-1 F
  double *solved;       // (3 room x padded) A^-1 F
  double *mass_inverse; // pseudo-inverse of W M^-1 F, of the hard rows and columns
  double *spring_scale; // (3 room): what is left of the stiffness of a spring that would drown all
                        // else in rounding
  double *pulls;        // (3 room): forces of the columns
} lbConstraints;

void lb_constraints_place(lbConstraints *constraints, const lbBodyCommon *common, int32_t room,
                          lbCarver *carver);

// Adds the impulses and held forces that the constraints ask for in a step of the prepared length.
// LB_STEP_NONFINITE: they are not finite or absurd; nothing was added.
int32_t lb_constraints_apply(lbBody *body);

// Fills the lists of rows and columns.
void lb_constraints_list(lbBody *body);
// forces <- amounts of the columns, in world axes
void lb_constraints_report(lbBody *body, const double *amounts);
static inline const lbConstraintSlot *lb_row_slot(const lbConstraints *c, int32_t row) {
  return &c->slots[c->point_slots[c->row_points[row]]];
}
static inline const lbConstraintSlot *lb_column_slot(const lbConstraints *c, int32_t column) {
  return &c->slots[c->force_slots[c->column_points[column]]];
}
static inline bool lb_is_spring(const lbConstraintSlot *slot) { return isfinite(slot->stiffness); }
// The row's target; of a position, relative to where the point is at rest.
double lb_row_target(const lbBody *body, int32_t row);

// A point whose slot, axes and target are set: its rows and rest position.
void lb_constraints_fill_point(lbConstraints *constraints, const lbBodyCommon *common, int32_t at);
void lb_constraints_fill_force_point(lbConstraints *constraints, const lbBodyCommon *common,
                                     int32_t at);

#endif
