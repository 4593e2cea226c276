// Materials and supports of a body by regions: groups, what is painted on its surface, boxes.
#ifndef LB_SCENE_PAINT_H
#define LB_SCENE_PAINT_H

#include "limber/paint.h"
#include "scene/body.h"

typedef struct lbBodyPaint { // a body while it gets its materials
  lbSceneBody *body;         // its materials and element_materials grow
  lbPainter *painter;
  size_t capacity; // of the materials
} lbBodyPaint;

// Forgets the materials that the body had. End it also after a failure.
lbStatus lb_scene_paint_begin(lbBodyPaint *paint, lbSceneBody *body, lbError *err);
void lb_scene_paint_end(lbBodyPaint *paint);
// The elements of the region get the material; with `young` (2 values, Pa) and a region that has a
// colour, one of LB_COLOR_LEVELS materials, of which those in use are added.
lbStatus lb_scene_paint(lbBodyPaint *paint, const lbRegion *region, const lbMaterial *material,
                        const double *young, lbError *err);
// The first element without a material; -1: all have one.
int32_t lb_scene_unpainted(const lbSceneBody *body);

// The keys "group", "box" and "color" of an object. `young` gets the two moduli of a colour, and
// only where that is not NULL has a colour the key "young" (which it needs), otherwise "above".
lbStatus lb_scene_read_region(const lbField *json, lbRegion *region, double *young, lbError *err);
// The failure of a painter as that of this field.
lbStatus lb_scene_region_fail(const lbField *json, lbStatus status, lbError *err);

#endif
