// Normals of a surface's vertices, each weighted by the areas of the triangles around it. All
// results are (source_count x 3), free with lb_free; NULL: no memory. A vertex without a normal
// gets (0, 0, 1).
#ifndef LB_EXPORT_NORMALS_H
#define LB_EXPORT_NORMALS_H

#include "export/motion.h"
#include "export/surface.h"

// Of one shape, (vertices of the mesh x 3); unit length.
float *lb_normals_of_shape(const lbSurface *surface, const double *positions);
// Of a motion's base shape, unit length, and behind them for each of its targets what weight 1 adds
// to a normal, ((1 + target_count) x source_count x 3): the least squares of the frames' normals.
float *lb_normals_of_motion(const lbSurface *surface, const lbMotion *motion);
// How they change, to first order, when the vertices move by scale * displacements.
float *lb_normals_change(const lbSurface *surface, const double *positions,
                         const double *displacements, double scale);

#endif
