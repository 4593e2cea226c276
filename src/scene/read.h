// Reading scenes, tables and sketches that are already in memory; `path` is for messages and for
// the files that a scene names beside it.
#ifndef LB_SCENE_READ_H
#define LB_SCENE_READ_H

#include "limber/scene.h"
#include "limber/sketch.h"

lbStatus lb_scene_read(const char *path, const char *content, size_t bytes, lbScene **out,
                       lbError *err);
// Fills an empty scene from a model file or a cooked file. A failure leaves it to be destroyed.
lbStatus lb_scene_read_bundle(const char *path, lbScene *scene, lbError *err);
// What an object does that has no scene around it: gravity along its down axis, 240 steps of 1/120
// s.
void lb_scene_let_fall(lbScene *scene, int up);
// Takes the numbers (-1) from the surface vertices of a body's new model where scenes count the
// mesh's vertices, so that ids mean the same with the model as with the mesh. May replace *model.
lbStatus lb_scene_number_surface(const lbSceneBody *body, lbModel **model, lbError *err);
// As lb_table_read.
lbStatus lb_table_parse(const char *path, const char *content, size_t bytes, int32_t row_count,
                        double *values, lbError *err);
lbStatus lb_sketch_read(const char *path, const char *content, size_t bytes, lbSketch **out,
                        lbError *err);

#endif
