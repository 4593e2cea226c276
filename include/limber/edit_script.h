// limber/edit_script.h: handles and their motions from a JSON script or from words, for posing a
// scene's body without a window. The format: docs/editing.md.
#ifndef LIMBER_EDIT_SCRIPT_H
#define LIMBER_EDIT_SCRIPT_H

#include "limber/edit.h"
#include "limber/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lbEditHandle {
  char *name;
  int32_t point_count; // at least 1
  lbPoint *points;     // (point_count): surface vertices of the model, or nodes where a list of
                       // vertices counts those
  double weight;
  lbHandleMotion
      motion; // in the body's own axes; centre: by default the mean of the points at rest
} lbEditHandle;

typedef struct lbEditScript {
  int32_t handle_count;
  lbEditHandle *handles;
} lbEditScript;

typedef struct lbEditScriptDef {
  const char *path;         // of a script; NULL: none
  const char *json;         // the script itself instead of the file's text; NULL: none
  int32_t text_count;       // handles in words; default 0
  const char *const *texts; // "tip: box 0.9 -1 -1 1.1 1 1; translate 0 0.2 0; rotate z 90": a name
                            // that the script has changes that handle, another one adds a handle; a
                            // handle without a region has the group of its name
} lbEditScriptDef;

// The handles for `model`, which is the body's (lb_scene_model). Refuses, by name: unknown keys and
// words, a handle without vertices, overlapping handles, vertices and groups that do not exist.
lbStatus lb_edit_script_load(const lbEditScriptDef *def, const lbSceneBody *body,
                             const lbModel *model, lbEditScript **out, lbError *err);
void lb_edit_script_destroy(lbEditScript *script); // NULL is legal

// Adds the handles to an editor whose body stands in its own axes, and moves them.
lbStatus lb_edit_script_apply(const lbEditScript *script, lbEditor *editor, lbError *err);

#ifdef __cplusplus
}
#endif
#endif
