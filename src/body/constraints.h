// Constraints of one body: points that are made to move as told, all found together in each step
// (limber/body.h has the rule).
//
// Rows are constrained degrees of freedom (a point along a world axis), columns degrees of freedom
// of forces (the same; or, where forces act elsewhere, a point along one of three world axes). With
// y = (q, turn and shift of a free frame) at the step's end, y_free what it is without constraints,
// X the responses to unit forces held over the step (lbBodyMethod.respond) and p the forces,
//
//   y = y_free + X p,   place = base + W y,   W X p + c p = goal - base - W y_free,
//
// c = 0 for hard rows and 1/(k + b/h) for springs, whose goal is (k target + b/h place0)/(k + b/h).
#ifndef LB_BODY_CONSTRAINTS_H
#define LB_BODY_CONSTRAINTS_H

#include "body/body.h"

enum { LB_CONSTRAINED_MOST = 256 }; // points of a body; ids count on it

typedef struct lbConstraintSlot {
  int32_t generation; // how often it was used before; part of the id
  bool used;
  lbConstraintKind kind;
  int32_t point_count, force_count;
  double stiffness, damping; // of a spring; infinite: hard
} lbConstraintSlot;

typedef struct lbConstraints {
  int32_t room; // constraints, points and force points, of each so many
  int32_t count, point_count, force_count;
  int32_t width, stride;   // of rows: padded (and frame); of rows side by side
  lbConstraintSlot *slots; // (room)

  // Constrained points in the order in which they were added.
  lbPoint *points;      // (room)
  int32_t *point_slots; // (room)
  uint8_t *axes;        // (room), 1 to 7
  double *targets;      // (room x 3), world axes
  double *moves;        // (room x 3) m, how far targets were moved since the last step
  double *rests;        // (room x 3), own axes
  double *rows;         // (room x 3 x padded), own axes
  // Points where forces act.
  lbPoint *force_points; // (room)
  int32_t *force_slots;  // (room)
  uint8_t *force_axes;   // (room): world axes, as `axes`
  double *force_rests;   // (room x 3), own axes
  double *force_rows;    // (room x 3 x padded), own axes
  double *forces;        // (room x 3): of the last step, world axes, N

  // The step's rows and columns, for the present set and the frame at its end.
  bool listed;                          // they are those of the set and of
  lbMat3 turn;                          // this rotation
  bool collocated;                      // forces act along what is constrained: W = F
  int32_t row_count, column_count;      //
  int32_t *row_points, *row_axes;       // (3 room)
  int32_t *column_points, *column_axes; // (3 room)
  double *W;                            // (width x stride): W y by lbBasisKernels.apply
  double *F;                            // (3 room x width)
  double *arms;                         // (3 room): rows' rest places from the frame's, world
  double *starts;                       // (stride): rows' places at the step's start, world
  double *rates;                        // (stride): velocities there, where accelerations are told
  bool accelerates;                     // some are

  // The systems of forces and of velocities, and what they belong to.
  struct lbConstraintSystem {
    double *X;      // (3 room x width): responses to columns
    double *matrix; // factors, or the pseudo-inverse
    double *scale;  // (3 room): of rows before a pseudo-inverse
    double *lower;  // (3 room x stride): with `upper` the inverse of what the factors are of, where
    double *upper;  // the system stays (lb_small_ldlt_invert)
    bool factored, inverted, solvable;
    int32_t rank;
  } step, velocity;
  // What the constraints hold back of forces of others (body/reaction.h).
  struct lbReaction {
    int32_t rank;
    double *lines, *moves; // (3 room x width)
    double *sorted;        // (3 room x width): work
    double *memory;        // factors of S
    int32_t *order;        // (3 room)
    bool *used;            // (3 room): rows that act
  } reaction;
  bool constant; // `step` and `velocity` stay while the linearisation and these do:
  double h, damping_mass, damping_stiffness;
  uint64_t version;  // of the prepared part
  double *system;    // (3 room x 3 room)
  double *scratch;   // of the pseudo-inverse
  double *right, *p; // (3 room)
  double *between;   // (3 room): of two products
  double *total;     // (3 room): forces so far
  double *line;      // (width)
} lbConstraints;

void lb_constraints_destroy(lbConstraints *constraints); // NULL is legal

static inline bool lb_body_is_constrained(const lbBody *body) {
  return body->constraints && body->constraints->count > 0;
}

// The step is linearised anew: systems that follow from the linearisation are found again.
void lb_constraints_forget(lbBody *body);
// Forces of the constraints in this iteration of the step: scratch->q moves by them, scratch->pull
// holds them. LB_STEP_NONFINITE: they are not finite or absurd.
int32_t lb_constraints_solve(lbBody *body, const lbStep *step, lbScratch *scratch);
// J: what an iteration that brings coordinates (at the step's end) nearer to their targets lowers:
// the energy of springs, and twice the forces of hard rows times what they lack.
double lb_constraints_merit(const lbBody *body, const lbStep *step, const double *q);
// Brings the velocities of a body whose step is done along the constraints.
void lb_constraints_settle(lbBody *body, const lbStep *step, lbScratch *scratch);

// The step is done: targets have not moved since.
void lb_constraints_rest(lbBody *body);
// The mean velocity of the targets in a step. Seen from there, hard constraints whose targets go
// together do no work.
lbVec3 lb_constraints_drift(const lbBody *body, const lbStep *step);
// J: what the forces of the step that was done have done along the ways of their points, seen from
// what moves with the drift.
double lb_constraints_work(const lbBody *body, const lbStep *step, lbVec3 drift,
                           const lbScratch *scratch);

// Lists rows and columns for a frame, unless they are there.
void lb_constraints_list(const lbBody *body, const lbFrameStep *frame, const double *q0,
                         const double *q);
static inline const lbConstraintSlot *lb_row_slot(const lbConstraints *c, int32_t row) {
  return &c->slots[c->point_slots[c->row_points[row]]];
}
static inline bool lb_is_spring(const lbConstraintSlot *slot) { return isfinite(slot->stiffness); }

// Room for constraints, made when there is none yet.
lbStatus lb_constraints_make(lbBody *body);
// Room for one point more, of a body without constraints.
lbStatus lb_constraints_grow(lbBody *body);
// Takes that back, of a body that nothing constrains.
void lb_constraints_shrink(lbBody *body);
static inline int32_t lb_constraints_room(const lbBody *body) { return body->constraint_room; }
// A point whose slot, axes and target are set: its rows and rest position.
void lb_constraints_fill_point(lbConstraints *constraints, const lbBody *body, int32_t at);
void lb_constraints_fill_force_point(lbConstraints *constraints, const lbBody *body, int32_t at);

#endif
