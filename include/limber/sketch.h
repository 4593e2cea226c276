// limber/sketch.h: sketches (limber/basis.h) as JSON files; docs/sketch.md describes them.
#ifndef LIMBER_SKETCH_H
#define LIMBER_SKETCH_H

#include "limber/basis.h"

#ifdef __cplusplus
extern "C" {
#endif

lbStatus lb_sketch_load(const char *path, lbSketch **out, lbError *err);
// Numbers are written so that every bit survives.
lbStatus lb_sketch_save(const lbSketch *sketch, const char *path, lbError *err);

#ifdef __cplusplus
}
#endif
#endif
