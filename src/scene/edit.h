// Reading edit scripts: words and regions.
#ifndef LB_SCENE_EDIT_H
#define LB_SCENE_EDIT_H

#include "limber/edit_script.h"
#include "scene/field.h"

// Puts a handle in words ("NAME: clause; clause") into the list of handles of a script.
lbStatus lb_edit_words(const char *text, json_t *handles, lbError *err);
// The points of the one region that a handle has: "vertices", "box" or "group".
lbStatus lb_edit_region(const lbField *json, const lbSceneBody *body, const lbModel *model,
                        lbEditHandle *handle, lbError *err);

#endif
