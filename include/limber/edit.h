// limber/edit.h: posing a body by handles: regions of its surface that are moved and turned, and
// the shape that follows them (von Tycowicz, Schulz, Seidel & Hildebrandt 2013).
//
// An editor belongs to a body of the subspace method and looks for the shape of least
//
//   E(q) + sum over handles j, vertices i in C_j of  k_j / |C_j|  |v_i(q) - v'_i|² / 2
//
// E the elastic energy, v_i where a vertex is, v'_i where its handle wants it. C_j is a fixed
// pseudo-random choice of the handle's vertices. k_j is the handle's weight times 1000 λ₁/max|U₁|²,
// λ₁ being the lowest eigenvalue of the stiffness at rest and U₁ its shape: a thousand times what
// the body in that shape resists with, so that handles follow. Gravity has no part in it.
//
// A held or driven body's frame stands. Of a free body the frame is found, too: for every shape
// that is tried it is the rigid motion that brings the vertices nearest to their targets, in closed
// form. So moving and turning all handles together moves and turns the body, exactly, however far.
// Handles whose vertices lie in one line leave a turn open: it stays as small as possible.
//
// Shape and frame are the body's own, at rest in them: what looks at the body (its surface, a
// picture) sees the pose, and its next step starts from there. While handles move, memory is not
// taken. Places are in world axes. Calls that can fail say why in an lbError, which may be NULL; an
// editor is used by one thread at a time, and its body by nobody else meanwhile.
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
  double tolerance;       // relative to the body's size, what is left to go; default 1e-10
  int32_t history;        // states that can be gone back to, 1 to 1000; default 64
} lbEditorDef;

lbEditorDef lb_editor_def(void);
// Refused: bodies by other methods than the subspace method. The body must outlive the editor, and
// its motion ends: it stands still in the shape and the place that it has.
lbStatus lb_editor_create(lbBody *body, const lbEditorDef *def, lbEditor **out, lbError *err);
void lb_editor_destroy(lbEditor *editor); // NULL is legal; the body keeps its pose
lbBody *lb_editor_body(const lbEditor *editor);

// ---- handles -----------------------------------------------------------------------------------

#define LB_HANDLES_MAX 32

typedef struct lbHandleDef {
  const char *name;      // of its own; for messages and lists
  int32_t point_count;   // at least 1
  const lbPoint *points; // (point_count): vertices of the surface or nodes, each once
  double weight;         // > 0, default 1
  bool in_place;         // begins where its points are now, as near as a rigid motion gets there;
                         // default false: where they are at rest
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
// What it is made of; *count may be NULL.
const lbPoint *lb_editor_handle_points(const lbEditor *editor, int32_t handle, int32_t *count);

// Where a handle wants its vertices: centre + R (v - centre) + translate, v at rest in the frame
// that the body had when the editor was made, and R a right-handed turn.
typedef struct lbHandleMotion {
  lbVec3 translate; // m
  lbVec3 rotation;  // axis times angle, rad
  lbVec3 centre;    // m
} lbHandleMotion;

// At rest: no shift, no turn, and the mean of the vertices as centre.
lbHandleMotion lb_editor_rest_motion(const lbEditor *editor, int32_t handle);
lbHandleMotion lb_editor_handle_motion(const lbEditor *editor, int32_t handle);
// Takes effect by the next call that follows or settles.
lbStatus lb_editor_move_handle(lbEditor *editor, int32_t handle, const lbHandleMotion *motion,
                               lbError *err);
// Where the mean of its vertices is wanted, m.
lbVec3 lb_editor_handle_target(const lbEditor *editor, int32_t handle);

// ---- the shape that follows --------------------------------------------------------------------

typedef enum lbEditFlags {
  LB_EDIT_NOT_CONVERGED = 1,  // there is more to go: the iterations ended first
  LB_EDIT_BEYOND_SUBSPACE = 2 // the shapes of the model cannot follow: a vertex is farther from its
                              // target than a fifth of what the handles ask of the shape
} lbEditFlags;

typedef struct lbEditResult {
  double energy;       // J, elastic alone
  double handle_error; // m, greatest distance of a vertex that pulls from its target
  double left;         // m, about how far the shape still has to go
  int32_t iterations;  // of the minimisation
  int32_t evaluations; // of energy and gradient
  int32_t flags;       // lbEditFlags
} lbEditResult;

// Goes on from the shape there is (or from rest, where that is nearer to what is sought) by at most
// `iterations` iterations: for every event of a drag, at a bounded cost. The sum above never rises
// while handles stand. `result` may be NULL.
lbStatus lb_editor_follow(lbEditor *editor, lbEditResult *result, lbError *err);
// To the tolerance. Handles that were moved far since the last call are led there in parts, a turn
// along its axis, as by a drag.
lbStatus lb_editor_settle(lbEditor *editor, lbEditResult *result, lbError *err);
// m, greatest distance of any vertex of a handle (-1: of any handle) from its target.
double lb_editor_handle_error(const lbEditor *editor, int32_t handle);

// ---- undo and redo -----------------------------------------------------------------------------

// Handles, their motions, shape and frame at this moment become a state to go back to: after each
// drag, and after handles were added or removed. The first is the one that the editor was made
// with.
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
