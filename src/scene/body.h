// Reading one body of a scene: its mesh, placement, materials and supports.
#ifndef LB_SCENE_BODY_H
#define LB_SCENE_BODY_H

#include "limber/scene.h"
#include "scene/field.h"

// Where instance `instance` of `instance_count` stands.
lbStatus lb_scene_read_body(const lbField *json, int32_t instance, int32_t instance_count,
                            lbSceneBody *body, lbError *err);
// A free body around a mesh file.
lbStatus lb_scene_mesh_body(const char *path, const lbSceneDefaults *defaults, lbSceneBody *body,
                            lbError *err);
void lb_scene_release_body(lbSceneBody *body);

// supports.c: marks the vertices that a "fixed" entry names.
lbStatus lb_scene_read_fixed(const lbField *json, lbSceneBody *body, lbError *err);
// materials.c
lbStatus lb_scene_read_materials(const lbField *json, lbSceneBody *body, lbError *err);
// Materials that came with the mesh file; LB_ERR_FORMAT when there are none.
lbStatus lb_scene_mesh_materials(lbSceneBody *body, const char *path, lbError *err);

#endif
