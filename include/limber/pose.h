// limber/pose.h: posing a scene's body by an edit script, reduced or unreduced, from start to end.
#ifndef LIMBER_POSE_H
#define LIMBER_POSE_H

#include "limber/edit_script.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lbPoseDef {
  lbEditScriptDef script;
  lbMethod method;    // LB_METHOD_SUBSPACE (default), or LB_METHOD_FULL: the same sum is minimised
                      // over all nodes by Newton's method, for comparison; handles move there in
                      // parts. Refused for bodies that were read from a model file
  lbEditorDef editor; // samples, seed, iterations_max and tolerance count
} lbPoseDef;

lbPoseDef lb_pose_def(void);

typedef struct lbPoseHandle {
  const char *name;     // the script's
  int32_t vertex_count; //
  double error;         // m, greatest distance of a vertex from its target
} lbPoseHandle;

typedef struct lbPose {
  lbModel *model;       // of the body, in its own axes, as everything here
  lbEditScript *script; //
  int32_t dimension;    // unknowns
  double energy;        // J, elastic
  double handle_error;  // m, greatest distance of any handle's vertex from its target
  int32_t iterations, evaluations;
  int32_t flags;         // lbEditFlags
  int32_t handle_count;  //
  lbPoseHandle *handles; // (handle_count)
  double *surface;       // (vertices of the model's surface x 3) m, positions
  double *displacements; // (nodes x 3) m, a free body's rigid motion included
} lbPose;

// A body of the scene by its number, wherever the scene puts it. Its model is made for the subspace
// method whatever method the scene names; a body read from a model file must have that method.
lbStatus lb_pose(const lbScene *scene, int32_t body, const lbPoseDef *def, lbPose **out,
                 lbError *err);
void lb_pose_destroy(lbPose *pose); // NULL is legal

// The posed surface, in the order of the model's: .obj, .ply, .stl, ... by the extension.
lbStatus lb_pose_write_surface(const lbPose *pose, const char *path, lbError *err);

#ifdef __cplusplus
}
#endif
#endif
