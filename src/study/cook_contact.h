// Cooking what bodies of a scene touch.
#ifndef LB_STUDY_COOK_CONTACT_H
#define LB_STUDY_COOK_CONTACT_H

#include "limber/scene.h"

// Arrays that live in the arena, or in the scene; the paths of the world are those of the scene, in
// its order, before all others.
lbStatus lb_cook_contact(const lbScene *scene, lbArena *arena, lbWorldDef *world, lbError *err);
// cook_joints.c; `models` (bodies)
lbStatus lb_cook_joints(const lbScene *scene, const lbModel *const *models, lbArena *arena,
                        lbWorldDef *world, lbError *err);
int32_t lb_cook_path_index(const lbScene *scene, const lbPath *path); // -1: it is none of them

#endif
