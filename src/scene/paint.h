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
// The same by values from 0 to 1 (elements), of those that are covered: Young's modulus even in the
// logarithm between young[0] and young[1], the density evenly between density[0] and density[1]
// unless that is NULL.
lbStatus lb_scene_paint_values(lbBodyPaint *paint, const bool *covered, const double *values,
                               const lbMaterial *material, const double *young,
                               const double *density, lbError *err);
// The first element without a material; -1: all have one.
int32_t lb_scene_unpainted(const lbSceneBody *body);

// The keys "group", "box" and "color" of an object. `young` gets the two moduli of a colour, and
// only where that is not NULL has a colour the key "young" (which it needs), otherwise "above".
lbStatus lb_scene_read_region(const lbField *json, lbRegion *region, double *young, lbError *err);
// The key "image" of a material: the elements of the region get it by the values of a volume image
// at their centres.
lbStatus lb_scene_paint_image(lbBodyPaint *paint, const lbField *json, const lbRegion *region,
                              const lbMaterial *material, lbError *err);
// The failure of a painter as that of this field.
lbStatus lb_scene_region_fail(const lbField *json, lbStatus status, lbError *err);

#endif
