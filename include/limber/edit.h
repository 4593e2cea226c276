// limber/edit.h: posing a body by handles: regions of its surface that are moved and turned, and
// the shape that follows them (von Tycowicz, Schulz, Seidel & Hildebrandt 2013).
//
// An editor belongs to a body of the subspace method and finds the shape that minimises
//
//   E(q) + sum over handles j, vertices i in C_j of  k_j / |C_j|  |v_i(q) - v'_i|² / 2
//
// with E the elastic energy, v_i the position of a vertex and v'_i its target. C_j is a fixed
// pseudo-random choice of the handle's vertices. k_j is the handle's weight times 1000 λ₁/max|U₁|²,
// λ₁ being the lowest eigenvalue of the stiffness at rest and U₁ its shape: a thousand times the
// stiffness of the body in that shape, so that vertices follow their handles. Gravity does not act.
//
// The frame of a held or driven body stays. The frame of a free body is found with the shape: for
// every trial shape it is the rigid motion that brings the vertices nearest to their targets, in
// closed form. So moving and turning all handles together moves and turns the body exactly, however
// far. Handles whose vertices lie in one line leave a rotation undetermined: it is kept minimal.
//
// The body itself takes the shape and frame, at rest: its surface shows the pose, and its next step
// starts from there. Moving handles takes no memory. Positions are in world axes. Calls that can
// fail give the reason in an lbError, which may be NULL. One thread at a time may use an editor,
// and its body must not be used otherwise meanwhile.
#ifndef LIMBER_EDIT_H
#define LIMBER_EDIT_H

#include "limber/body.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lbEditor lbEditor;

typedef struct lbEditorDef {
  int32_t samples;        // vertices of a handle that pull, at most, |C_j|; default 0: as many as
                          // the model has cubature elements, 100 with polynomials
  uint64_t seed;          // of their choice; default 1
  int32_t iterations;     // of lb_editor_follow, 1 to 1000; default 12
  int32_t iterations_max; // of lb_editor_settle, 1 to 100000; default 2000
  double tolerance;       // of the shape, relative to the body's size; default 1e-10
  int32_t history;        // states that undo can restore, 1 to 1000; default 64
} lbEditorDef;

lbEditorDef lb_editor_def(void);
// Refused: bodies by other methods than the subspace method. The body must outlive the editor, and
// its motion ends: it stays at rest in its present shape and position.
lbStatus lb_editor_create(lbBody *body, const lbEditorDef *def, lbEditor **out, lbError *err);
void lb_editor_destroy(lbEditor *editor); // NULL is legal; the body keeps its pose
lbBody *lb_editor_body(const lbEditor *editor);

// ---- handles -----------------------------------------------------------------------------------

#define LB_HANDLES_MAX 32

typedef struct lbHandleDef {
  const char *name;      // unique; for messages and lists
  int32_t point_count;   // at least 1
  const lbPoint *points; // (point_count): vertices of the surface or nodes, each once
  double weight;         // > 0, default 1
  bool in_place; // its targets begin at the present positions of its points, up to a rigid fit;
                 // default false: at their rest positions
} lbHandleDef;

lbHandleDef lb_handle_def(void);
// *handle: a number that stays valid until the handle is removed. Refuses, by name: a handle
// without points, one that shares a point with another, two of one name.
lbStatus lb_editor_add_handle(lbEditor *editor, const lbHandleDef *def, int32_t *handle,
                              lbError *err);
lbStatus lb_editor_remove_handle(lbEditor *editor, int32_t handle, lbError *err);
int32_t lb_editor_handle_count(const lbEditor *editor);
int32_t lb_editor_handle_at(const lbEditor *editor, int32_t index);        // its number; -1: none
int32_t lb_editor_find_handle(const lbEditor *editor, const char *name);   // its number; -1: none
const char *lb_editor_handle_name(const lbEditor *editor, int32_t handle); // NULL: none
// Its points; *count may be NULL.
const lbPoint *lb_editor_handle_points(const lbEditor *editor, int32_t handle, int32_t *count);

// Targets of a handle's vertices: centre + R (v - centre) + translate, with v at rest in the frame
// that the body had when the editor was created, and R a right-handed rotation.
typedef struct lbHandleMotion {
  lbVec3 translate; // m
  lbVec3 rotation;  // axis times angle, rad
  lbVec3 centre;    // m
} lbHandleMotion;

// At rest: no shift, no turn, and the mean of the vertices as centre.
lbHandleMotion lb_editor_rest_motion(const lbEditor *editor, int32_t handle);
lbHandleMotion lb_editor_handle_motion(const lbEditor *editor, int32_t handle);
// Takes effect at the next lb_editor_follow or lb_editor_settle.
lbStatus lb_editor_move_handle(lbEditor *editor, int32_t handle, const lbHandleMotion *motion,
                               lbError *err);
// Target of the mean of its vertices, m.
lbVec3 lb_editor_handle_target(const lbEditor *editor, int32_t handle);

// ---- the shape that follows --------------------------------------------------------------------

typedef enum lbEditFlags {
  LB_EDIT_NOT_CONVERGED = 1,  // iteration limit reached before the tolerance
  LB_EDIT_BEYOND_SUBSPACE = 2 // the basis cannot represent the pose: a vertex is farther from its
                              // target than a fifth of the greatest displacement of a target
} lbEditFlags;

typedef struct lbEditResult {
  double energy;       // J, elastic alone
  double handle_error; // m, greatest distance of a vertex that pulls from its target
  double left;         // m, estimated distance of the shape from convergence
  int32_t iterations;  // of the minimisation
  int32_t evaluations; // of energy and gradient
  int32_t flags;       // lbEditFlags
} lbEditResult;

// Continues from the present shape (or from rest, where the sum above is smaller) by at most
// `iterations` iterations: for every event of a drag, at a bounded cost. The sum above never rises
// while handles do not move. `result` may be NULL.
lbStatus lb_editor_follow(lbEditor *editor, lbEditResult *result, lbError *err);
// Iterates to the tolerance. Handles that were moved far since the last call move there in parts,
// rotations about their axis, as in a drag.
lbStatus lb_editor_settle(lbEditor *editor, lbEditResult *result, lbError *err);
// m, greatest distance of any vertex of a handle (-1: of any handle) from its target.
double lb_editor_handle_error(const lbEditor *editor, int32_t handle);

// ---- undo and redo -----------------------------------------------------------------------------

// Records handles, their motions, shape and frame as a state for undo: call it after each drag, and
// after handles were added or removed. The first state is that of the editor's creation.
lbStatus lb_editor_remember(lbEditor *editor, lbError *err);
// One state back or forth, to the last bit; false: there is none. What was not remembered is lost
// by going back.
bool lb_editor_undo(lbEditor *editor);
bool lb_editor_redo(lbEditor *editor);
int32_t lb_editor_undo_count(const lbEditor *editor);
int32_t lb_editor_redo_count(const lbEditor *editor);

#ifdef __cplusplus
}
#endif
#endif
