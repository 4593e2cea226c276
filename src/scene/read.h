// Reading scenes, tables and sketches that are already in memory; `path` is for messages and for
// the files that a scene names beside it.
#ifndef LB_SCENE_READ_H
#define LB_SCENE_READ_H

#include "limber/scene.h"
#include "limber/sketch.h"

lbStatus lb_scene_read(const char *path, const char *content, size_t bytes, lbScene **out,
                       lbError *err);
// As lb_table_read.
lbStatus lb_table_parse(const char *path, const char *content, size_t bytes, int32_t row_count,
                        double *values, lbError *err);
lbStatus lb_sketch_read(const char *path, const char *content, size_t bytes, lbSketch **out,
                        lbError *err);

#endif
