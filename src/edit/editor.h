// Inside the edit layer: handles, the function that is minimised, the minimiser, states.
#ifndef LB_EDIT_EDITOR_H
#define LB_EDIT_EDITOR_H

#include "limber/edit.h"

#include "body/access.h"
#include "method/subspace/subspace.h"

// ---- handles (handles.c) -----------------------------------------------------------------------

// A vertex that pulls: its displacement in own axes is rows q.
typedef struct lbHandleSample {
  lbVec3 rest;   // own axes
  lbVec3 target; // world
  double *rows;  // (3 x stride)
} lbHandleSample;

typedef struct lbHandle {
  char *block; // all of its arrays; NULL: the slot is empty
  char *name;
  int32_t point_count, sample_count;
  lbPoint *points;         // (point_count)
  lbHandleSample *samples; // (sample_count)
  int32_t *chosen;         // (sample_count): which points they are, ascending
  double weight;           // lbHandleDef.weight
  double stiffness;        // N/m, of each sample
  lbVec3 mean;             // of all points at rest, world
  lbHandleMotion motion;
  lbHandleMotion solved; // the motion that the present shape was solved for
} lbHandle;

// ---- minimisation (bfgs.c) ---------------------------------------------------------------------

#define LB_BFGS_PAIRS 128

// f and its gradient at x; +inf where x is outside of a law.
typedef double lbObjective(void *context, const double *x, double *gradient);
// b <- H⁻¹ b with the matrix that the minimisation begins with.
typedef void lbObjectiveSolve(void *context, double *b);

// Vectors have `count` numbers, with room for `stride`.
typedef struct lbBfgs {
  int32_t count, stride;
  lbObjective *objective;
  lbObjectiveSolve *solve;
  void *context;
  double *x, *gradient; // where it is; kept from call to call
  double value;         // there
  double *trial, *trial_gradient, *direction;
  double *s, *y; // (LB_BFGS_PAIRS x stride): steps and changes of the gradient, newest at `newest`
  double rho[LB_BFGS_PAIRS], alpha[LB_BFGS_PAIRS];
  int32_t pair_count, newest;
  int32_t evaluations;
  double slope; // gradient·d of the last direction
} lbBfgs;

void lb_bfgs_place(lbBfgs *bfgs, lbCarver *carver);
void lb_bfgs_forget(lbBfgs *bfgs);   // the pairs: the function has another second derivative now
void lb_bfgs_evaluate(lbBfgs *bfgs); // value and gradient at x
// At most so many iterations from x, of which value and gradient are there, until the direction d
// has |gradient·d| <= goal; returns how many were taken. *converged: it is there, or rounding hides
// the rest.
int32_t lb_bfgs_minimise(lbBfgs *bfgs, int32_t iterations, double goal, bool *converged);

// ---- states (history.c) ------------------------------------------------------------------------

typedef struct lbEditState {
  uint32_t active; // handles, a bit each
  lbHandleMotion motions[LB_HANDLES_MAX], solved[LB_HANDLES_MAX];
  lbMat3 turn;
  lbVec3 position;
  lbQuat rotation;
  double *q; // (stride)
} lbEditState;

typedef struct lbHistory {
  lbEditState *states; // (room), a ring
  int32_t room, first, count, now;
} lbHistory;

// ---- the editor --------------------------------------------------------------------------------

struct lbEditor {
  lbBody *body;
  lbEditorDef def; // defaults filled in
  uint64_t version;
  int32_t count, stride; // coordinates
  bool is_free;          // the frame is found with the shape
  double size;           // m, of the body
  double lowest;         // 1/s², λ₁
  double follow;         // N/m, stiffness of a handle of weight 1
  double scale;          // J, the linear energy of U₁ as large as the body

  lbHandle handles[LB_HANDLES_MAX];
  uint32_t active; // those that act, a bit each; others are only in states for undo

  // The frame: world = position + turn own.
  lbMat3 base_turn, turn;
  lbVec3 base_position, position;
  lbQuat rotation; // of `turn`
  double upright;  // J: penalty on a rotation that handles leave undetermined; 0: none

  lbBfgs bfgs;    // its x is q
  double *factor; // (stride x stride): LDLT of the stiffness at rest with the handles' springs
  double *force;  // (work_size) of the force model
  double *zero;   // (stride) rates
  double elastic; // J, at the last evaluation
  lbVec3 *places; // (sample_room): where samples are, own axes
  int32_t sample_room;
  lbHistory history;
};

static inline bool lb_handle_acts(const lbEditor *editor, int32_t handle) {
  return handle >= 0 && handle < LB_HANDLES_MAX && editor->active >> handle & 1;
}

void lb_handle_release(lbHandle *handle);
// chosen (sample_count) <- points, ascending, each choice equally likely.
void lb_handle_choose(uint64_t seed, int32_t point_count, int32_t sample_count, int32_t *chosen);
#define LB_HANDLE_SAMPLES 100 // of a model without cubature
#define LB_HANDLE_FOLLOW 1000 // stiffness of a handle, in that of the body's first shape
// Relative error of the targets above which the basis cannot represent the pose.
#define LB_HANDLE_BEYOND 0.2
// Target of a point of the rest shape (world).
lbVec3 lb_motion_apply(const lbHandleMotion *motion, lbVec3 rest);
void lb_handle_aim(lbEditor *editor, lbHandle *handle, const lbHandleMotion *motion); // its samples
lbVec3 lb_editor_rest_place(const lbEditor *editor, const lbPoint *point);            // world

// objective.c
// λ₁, max|U₁| and what follows from them, of the body's present material.
lbStatus lb_editor_measure(lbEditor *editor, lbError *err);
// The factored matrix for the handles that act now.
void lb_editor_factor(lbEditor *editor);
lbObjective lb_editor_value;
lbObjectiveSolve lb_editor_precondition;
// Greatest distance of a sample from its target at the last evaluation; *asked: of a target from
// where the sample is at rest in the frame.
double lb_editor_sample_error(const lbEditor *editor, double *asked);

// history.c
lbStatus lb_history_create(lbEditor *editor, lbError *err);
void lb_history_destroy(lbEditor *editor);
uint32_t lb_history_used(const lbEditor *editor); // handles of any state

// editor.c
// The body takes shape and frame.
lbStatus lb_editor_show(lbEditor *editor, lbError *err);

#endif
